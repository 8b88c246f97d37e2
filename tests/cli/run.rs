//! `run`: verdicts, files, JSON.

use crate::plan::BLOCKS;
use crate::support::{Folder, partita};
use serde_json::Value;

#[test]
fn eight_devices_agree_with_one() {
    let folder = Folder::new("agree");
    folder.write("blocks.pir", BLOCKS);
    let ended = partita(&folder, ["run", "blocks.pir", "--check"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    assert!(ended.out.contains("8 devices agree with one on every output"), "{}", ended.all());
}

#[test]
fn json_lists_outputs_and_verdict() {
    let folder = Folder::new("run_json");
    folder.write("blocks.pir", BLOCKS);
    let ended = partita(&folder, ["run", "blocks.pir", "--check", "--json"]);
    let json: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(json["ok"], true);
    let output = &json["outputs"][0];
    assert_eq!(output["name"], "loss");
    assert!(output["max_abs_diff"].is_f64());
    assert!(output["max_rel_diff"].as_f64().unwrap() <= 1e-4);
    assert!(output["f64"]["max_rel_diff"].as_f64().unwrap() <= 1e-9);
}

#[test]
fn seeds_decide_the_data() {
    let folder = Folder::new("seeds");
    folder.write("blocks.pir", BLOCKS);
    let out = |seed: &str| {
        let ended = partita(&folder, ["run", "blocks.pir", "--seed", seed]);
        let numbers = ended.out.lines().find(|l| l.contains("loss")).map(str::to_string);
        numbers.unwrap_or_else(|| panic!("{}", ended.all()))
    };
    assert_eq!(out("1"), out("1"));
    assert_ne!(out("1"), out("2"));
}

#[test]
fn outputs_are_kept_and_inputs_are_read() {
    let folder = Folder::new("files");
    let identity =
        "form traced\nmesh @m = [data=2]\ninput %x : f32[4@data, 3]\n  %y = neg %x : f32[4, 3]\noutput %y \"x\"\n";
    folder.write("neg.pir", identity);
    // The output is called like the input, so that it can be the next run's input: negating twice changes nothing.
    for (args, code) in [
        (vec!["run", "neg.pir", "--output", "a.safetensors"], 0),
        (vec!["run", "neg.pir", "--input", "a.safetensors", "--output", "b.safetensors"], 0),
        (vec!["run", "neg.pir", "--input", "b.safetensors", "--output", "c.safetensors", "--check"], 0),
    ] {
        let ended = partita(&folder, args);
        assert_eq!(ended.code, Some(code), "{}", ended.all());
    }
    let bytes = |name: &str| std::fs::read(folder.path.join(name)).unwrap();
    assert_eq!(bytes("a.safetensors"), bytes("c.safetensors"));
    assert_ne!(bytes("a.safetensors"), bytes("b.safetensors"));
}
