//! Report of rewrites that reduce the predicted step time, with the laws they apply.

use crate::support::{Folder, data, partita};
use serde_json::Value;

const ON: [&str; 6] = ["--machine", "dgx1-v100", "--mesh", "data=8", "--preset", "data"];

#[test]
fn rewrites_are_reported_with_their_laws() {
    let folder = Folder::new("rewriting");
    let data = data();
    let model = data.join("stablehlo/gpt2l.sgd.plain.mlir").display().to_string();
    let of = |verb: &str, more: &[&str]| {
        let ended = partita(&folder, [&[verb, model.as_str()][..], &ON, more].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        ended.out
    };
    for verb in ["plan", "simulate"] {
        let said = of(verb, &[]);
        assert!(said.contains("rewritten: predicted step time "), "{said}");
        assert!(said.contains("  simplify: ") && said.contains("    laws: "), "{said}");
        let said: Value = serde_json::from_str(&of(verb, &["--json"])).unwrap_or_default();
        let number = |name: &str| said["rewriting"][name].as_f64().unwrap_or_default();
        assert!(number("seconds") > 0.0 && number("seconds") < number("usual_seconds"), "{said:#}");
        assert_eq!(said["rewriting"]["searches"][0]["pass"], "simplify", "{said:#}");
        // The simulated program is the selected one.
        assert!(verb != "simulate" || said["step_seconds"] == said["rewriting"]["seconds"], "{said:#}");
    }
    let chain = of("explain", &["--laws"]);
    assert!(chain.starts_with("rewritten: ") && chain.contains(" = "), "{chain}");
    // Without a machine there is no prediction, and the default lowering is used.
    let usual = partita(&folder, ["plan", &model, "--mesh", "data=8", "--preset", "data"]);
    assert!(!usual.out.contains("rewritten"), "{}", usual.transcript());
}

#[test]
fn single_pass_reports_its_rewrites() {
    let folder = Folder::new("rewriting alone");
    let text = "form traced\ninput %x : f32[4]\n  %a = neg %x : f32[4]\n  %b = neg %a : f32[4]\n  %y = relu %b : f32[4]\noutput %y\n";
    folder.write("twice.pir", text);
    let ended = partita(&folder, ["dev", "opt", "--pass", "simplify", "twice.pir"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert!(ended.out.contains("%y = relu %x : f32[4]"), "{}", ended.transcript());
    assert!(ended.out.contains("//   simplify: 1 of 1 windows rewritten"), "{}", ended.transcript());
    // Remarks are comments of the program text.
    folder.write("once.pir", &ended.out);
    let again = partita(&folder, ["dev", "opt", "--pass", "dce", "once.pir"]);
    assert_eq!(again.code, Some(0), "{}", again.transcript());
}
