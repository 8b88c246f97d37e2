//! What is done otherwise than usual where a step is predicted to be faster so, and by which laws.

use crate::support::{Folder, data, partita};
use serde_json::Value;

const ON: [&str; 6] = ["--machine", "dgx1-v100", "--mesh", "data=8", "--preset", "data"];

#[test]
fn what_is_rewritten_is_said_with_its_laws() {
    let folder = Folder::new("rewriting");
    let data = data();
    let model = data.join("stablehlo/gpt2l.sgd.plain.mlir").display().to_string();
    let of = |verb: &str, more: &[&str]| {
        let ended = partita(&folder, [&[verb, model.as_str()][..], &ON, more].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.all());
        ended.out
    };
    for verb in ["plan", "simulate"] {
        let said = of(verb, &[]);
        assert!(said.contains("rewritten: a step is predicted to take "), "{said}");
        assert!(said.contains("  simplify: ") && said.contains("    by the laws "), "{said}");
        let said: Value = serde_json::from_str(&of(verb, &["--json"])).unwrap_or_default();
        let number = |name: &str| said["rewriting"][name].as_f64().unwrap_or_default();
        assert!(number("seconds") > 0.0 && number("seconds") < number("usual_seconds"), "{said:#}");
        assert_eq!(said["rewriting"]["searches"][0]["pass"], "simplify", "{said:#}");
        // What is simulated is what was chosen.
        assert!(verb != "simulate" || said["step_seconds"] == said["rewriting"]["seconds"], "{said:#}");
    }
    let chain = of("explain", &["--laws"]);
    assert!(chain.starts_with("rewritten: ") && chain.contains(" = "), "{chain}");
    // Without a machine nothing is predicted, and everything is as usual.
    let usual = partita(&folder, ["plan", &model, "--mesh", "data=8", "--preset", "data"]);
    assert!(!usual.out.contains("rewritten"), "{}", usual.all());
}

#[test]
fn a_pass_alone_says_what_it_found() {
    let folder = Folder::new("rewriting alone");
    let text = "form traced\ninput %x : f32[4]\n  %a = neg %x : f32[4]\n  %b = neg %a : f32[4]\n  %y = relu %b : f32[4]\noutput %y\n";
    folder.write("twice.pir", text);
    let ended = partita(&folder, ["dev", "opt", "--pass", "simplify", "twice.pir"]);
    assert_eq!(ended.code, Some(0), "{}", ended.all());
    assert!(ended.out.contains("%y = relu %x : f32[4]"), "{}", ended.all());
    assert!(ended.out.contains("//   simplify: 1 of 1 windows written anew"), "{}", ended.all());
    // Remarks are part of the language.
    folder.write("once.pir", &ended.out);
    let again = partita(&folder, ["dev", "opt", "--pass", "dce", "once.pir"]);
    assert_eq!(again.code, Some(0), "{}", again.all());
}
