//! `export`: files, exit codes, and plans that the framework cannot express.

use crate::support::{CommandOutput, Folder, partita};
use expect_test::expect;

const MODEL: &str = "zoo:gpt?layers=4&width=32&heads=4&hidden=64&seq=16&vocab=48&batch=8&loss=true&tied=false";

fn export(folder: &Folder, args: &[&str], code: i32) -> CommandOutput {
    let ended = partita(folder, [&["export", MODEL][..], args].concat());
    assert_eq!(ended.code, Some(code), "{}", ended.transcript());
    ended
}

#[test]
fn files_are_those_of_standard_output() {
    let folder = Folder::new("export-files");
    let plan = ["--mesh", "data=2,model=2", "--preset", "data,megatron", "--to", "dtensor"];
    let printed = export(&folder, &plan, 0);
    assert_eq!(printed.err, "");
    let written = export(&folder, &[&plan[..], &["-o", "deep/plan.py"]].concat(), 0);
    assert_eq!((written.out.as_str(), folder.read("deep/plan.py")), ("deep/plan.py\n", printed.out.clone()));
    let json = export(&folder, &[&plan[..], &["--json"]].concat(), 0).out;
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(object["placements"]["blocks.0.feed_forward.up.weight"][1], "Shard(1)");
    // Equal in another process.
    assert_eq!(export(&folder, &plan, 0).out, printed.out);
}

#[test]
fn invalid_command_lines() {
    let folder = Folder::new("export-invalid");
    let unknown = partita(&folder, ["export", MODEL, "--to", "horovod"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.transcript());
    assert!(unknown.err.contains("megatron, torchtitan, deepspeed, nanotron"), "{}", unknown.err);
    let plan = ["--mesh", "data=2", "--preset", "data", "--to", "nanotron", "--json"];
    expect![[r#"
        error[C003]: `--to nanotron` has no form as JSON of its own
          |
          = help: leave `--json` out
    "#]]
    .assert_eq(&export(&folder, &plan, 1).err);
}

#[test]
fn the_nearest_plan_is_exported_on_request() {
    let folder = Folder::new("export-nearest");
    let plan = ["--mesh", "data=2,model=2", "--preset", "data,megatron,sequence,zero1", "--train", "adam"];
    let args = [&plan[..], &["--to", "tp-plan", "--machine", "pcie4"]].concat();
    let refused = export(&folder, &args, 1);
    assert!(refused.out.is_empty(), "{}", refused.out);
    for part in [
        "error[L019]: `--to tp-plan` cannot express `preset sequence`, `preset zero1`",
        "the presets with an equivalent are data and megatron",
        "the preset `sequence` is removed; the preset `zero1` is removed",
        " per device instead of ",
        "; its step takes ",
        "= help: export the nearest plan: `--nearest`",
    ] {
        assert!(refused.err.contains(part), "{part}\n{}", refused.err);
    }
    let nearest = export(&folder, &[&args[..], &["--nearest"]].concat(), 0);
    assert!(nearest.out.contains("\"blocks.*.attention.output\": \"rowwise\""), "{}", nearest.out);
    assert_eq!(nearest.err, "note: the preset `sequence` is removed\nnote: the preset `zero1` is removed\n");
}
