//! Options of model files: `params`, the inputs that are parameters, and `shardings`.

use crate::support::{CommandOutput, Folder, data, partita};

/// A product of two inputs, of which the second is inferred to be a parameter.
const PRODUCT: &str = r#"form traced
input %a : f32[4, 6]
input %b : f32[6, 8]
  %y = matmul %a, %b : f32[4, 8]
output %y "y"
"#;

const DECLARED: &str = r#"form traced
param %w "weight" : f32[6, 8]
input %x : f32[4, 6]
  %y = matmul %x, %w : f32[4, 8]
output %y "y"
"#;

const SHARDED: &str = r#"form traced
mesh @mesh = [model=4]
input %a : f32[4, 8@model]
input %b : f32[8, 8]
  %c = constrain %a : f32[4@model, 8]
  %y = matmul %c, %b : f32[4, 8]
output %y "y"
"#;

/// Runs `plan MODEL` on two devices with more arguments.
fn plan(name: &str, model: &str, more: &[&str]) -> CommandOutput {
    let folder = Folder::new(&format!("parameters-{name}"));
    folder.write("product.pir", PRODUCT).write("declared.pir", DECLARED).write("sharded.pir", SHARDED);
    partita(&folder, [&["plan", model, "--mesh", "data=2"], more].concat())
}

/// Returns the words of the table row of an input.
fn row(ended: &CommandOutput, input: &str) -> Vec<String> {
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let row = ended.out.lines().map(words).find(|words| words.first().is_some_and(|first| first == input));
    row.unwrap_or_else(|| unreachable!("{}", ended.transcript()))
}

#[test]
fn named_parameters_replace_inferred_ones() {
    let layouts = |model: &str| {
        let ended = plan("named", model, &["--preset", "data"]);
        ["a", "b"].map(|input| row(&ended, input)[3..5].join(" "))
    };
    assert_eq!(layouts("product.pir"), ["data, _", "_, _"]);
    assert_eq!(layouts("product.pir?params=b"), ["data, _", "_, _"]);
    assert_eq!(layouts("product.pir?params=a"), ["_, _", "_, data"]);
    assert_eq!(layouts("product.pir?params=[ab]?,a"), ["_, _", "_, data"]);
}

#[test]
fn none_states_that_there_are_no_parameters() {
    let ended = plan("stored", "product.pir", &["--preset", "zero3"]);
    assert_eq!(row(&ended, "b")[3..5], ["_,", "data"]);
    let ended = plan("none", "product.pir?params=none", &["--preset", "zero3"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.contains("the model has 0 parameters and 2 other inputs"), "{}", ended.transcript());
    let text = plan("text", "product.pir?params=none", &["--emit", "unpartitioned"]);
    assert!(text.out.contains("param none\n"), "{}", text.transcript());
    let ended = plan("train", "product.pir?params=none", &["--train", "sgd?lr=0.1"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
}

#[test]
fn patterns_without_a_match_are_errors() {
    let ended = plan("typo", "product.pir?params=weight", &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.contains("error[F004]: no input of the model matches `weight`"), "{}", ended.transcript());
    assert!(ended.err.contains("the inputs are `a`, `b`"), "{}", ended.transcript());
    let ended = plan("declared", "declared.pir?params=none", &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.contains("the model declares its parameters"), "{}", ended.transcript());
    let ended = plan("option", "product.pir?weights=a", &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.contains("F004"), "{}", ended.transcript());
}

#[test]
fn a_refused_preset_names_the_option() {
    let ended = plan("help", "product.pir", &["--preset", "zero1"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    let help = "if the parameters are not `b`, name them, or write `none`: `product.pir?params=none`";
    assert!(ended.err.contains(help), "{}", ended.transcript());
}

#[test]
fn layouts_of_a_file_are_ignored() {
    let ended = plan("sharded", "sharded.pir", &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.contains("the plan's mesh differs from the mesh of the model"), "{}", ended.transcript());
    assert!(ended.err.contains("'FILE?shardings=none'"), "{}", ended.transcript());
    for model in
        ["sharded.pir?shardings=none", "sharded.pir?params=b&shardings=none", "sharded.pir?shardings=none&params=b"]
    {
        let ended = plan("ignored", model, &["--shard", "a=data, _"]);
        assert_eq!(row(&ended, "a")[3..5], ["data,", "_"]);
    }
    let ended = plan("value", "sharded.pir?shardings=all", &[]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(
        ended.err.contains("error[F004]: `shardings` of a model file can only be `none`"),
        "{}",
        ended.transcript()
    );
}

/// Parameters of an ONNX file are its initializers. A file without any has nothing to train.
#[test]
fn onnx_files_without_initializers_have_no_parameters() {
    let folder = Folder::new("parameters-onnx");
    for name in ["softmax_13", "ms_fused_matmul"] {
        let model = format!("{}?loss=mse", data().join(format!("onnx/ops/{name}.onnx")).display());
        let ended = partita(&folder, ["run", &model, "--train", "sgd?lr=0.1"]);
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        assert!(ended.err.contains("error[D004]"), "{}", ended.transcript());
        assert!(ended.err.contains("the model has no parameters"), "{}", ended.transcript());
    }
}
