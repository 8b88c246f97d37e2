//! Messages about syntax, names and options that users could not guess: rules, modules, and built-in models.

use crate::support::{Folder, partita};
use expect_test::{Expect, expect};

const MODEL: &str = r#"form traced
param %w1 "tokens.weight" : f32[64, 512]
param %w2 "head.weight"   : f32[512, 64]
param %b2 "head.bias"     : f32[64]
input %x : f32[32, 64]
  %h = matmul %x, %w1 : f32[32, 512]
  %y = matmul %h, %w2 : f32[32, 64]
  %b = broadcast [1] %b2 : f32[32, 64]
  %z = add %y, %b : f32[32, 64]
  %s = mul %z, %z : f32[32, 64]
  %loss = reduce sum [0, 1] %s : f32[]
output %loss "loss"
"#;

/// Runs the command in a folder with the model and a plan. Returns standard output and standard error.
fn run(name: &str, plan: &str, args: &[&str], code: i32) -> (String, String) {
    let folder = Folder::new(&format!("messages-{name}"));
    folder.write("m.pir", MODEL).write("plan.toml", plan);
    let ended = partita(&folder, args);
    assert_eq!(ended.code, Some(code), "{}", ended.transcript());
    (ended.out, ended.err)
}

fn refused(name: &str, plan: &str, args: &[&str], expected: Expect) {
    let (out, err) = run(name, plan, args, 1);
    assert!(out.is_empty(), "{out}");
    expected.assert_eq(&err);
}

const FROM_FILE: [&str; 4] = ["plan", "m.pir", "--plan", "plan.toml"];

#[test]
fn rules_must_be_a_string() {
    let plan = "mesh = { data = 2, model = 4 }\n\n[rules]\nbatch = \"data\"\nhidden = \"model\"\n";
    refused(
        "rules",
        plan,
        &FROM_FILE,
        expect![[r#"
        error[L011]: `rules` must be a text, not a table
         --> plan.toml:3:1
          |
        3 | [rules]
          | ^^^^^^^ a table
          |
          = help: write `rules = "batch:data; hidden:model"` above all tables of the file
    "#]],
    );
    refused(
        "empty",
        "mesh = { data = 2 }\n\n[rules]\n",
        &FROM_FILE,
        expect![[r#"
        error[L011]: `rules` must be a text, not a table
         --> plan.toml:3:1
          |
        3 | [rules]
          | ^^^^^^^ a table
          |
          = help: write `rules = "batch:data; hidden:model"` above all tables of the file
    "#]],
    );
    // The suggested replacement is accepted.
    let fixed = "mesh = { data = 2, model = 4 }\nrules = \"batch:data; hidden:model\"\n[name]\nx = \"batch, _\"\n\
        \"tokens.weight\" = \"_, hidden\"\n";
    run("fixed", fixed, &FROM_FILE, 0);
}

#[test]
fn module_path_suggests_its_parameters() {
    let flags = ["plan", "m.pir", "--mesh", "data=2", "--preset", "data", "--train", "sgd"];
    let freeze = |path| [&flags[..], &["--freeze", path]].concat();
    refused(
        "tokens",
        "",
        &freeze("tokens"),
        expect![[r#"
        error[L006]: no parameter or input matches `tokens`
         --> --freeze:1:1
          |
        1 | tokens
          | ^^^^^^ matches nothing
          |
        help: `tokens` is a module: this matches the one in it
          |
        1 | tokens.**
          |       +++
    "#]],
    );
    refused(
        "head",
        "",
        &freeze("head"),
        expect![[r#"
        error[L006]: no parameter or input matches `head`
         --> --freeze:1:1
          |
        1 | head
          | ^^^^ matches nothing
          |
        help: `head` is a module: this matches all 2 in it
          |
        1 | head.**
          |     +++
    "#]],
    );
    run("head.**", "", &freeze("head.**"), 0);
    // Similar parameter names are suggested, too.
    refused(
        "near",
        "",
        &freeze("head.wieght"),
        expect![[r#"
        error[L006]: no parameter or input matches `head.wieght`
         --> --freeze:1:1
          |
        1 | head.wieght
          | ^^^^^^^^^^^ matches nothing
          |
        help: there is one with a similar name
          |
        1 - head.wieght
        1 + head.weight
          |
    "#]],
    );
}

#[test]
fn help_is_a_command() {
    let (help, _) = run("help", "", &["help"], 0);
    assert_eq!(help, run("flag", "", &["--help"], 0).0);
    let (of_plan, _) = run("help-plan", "", &["help", "plan"], 0);
    assert_eq!(of_plan, run("flag-plan", "", &["plan", "--help"], 0).0);
}

#[test]
fn built_in_models_are_listed_with_their_options() {
    let (list, _) = run("models", "", &["models"], 0);
    expect![[r#"
          model          about
          zoo:mlp        linear layers with ReLU between them; mean squared error
          zoo:mnist-cnn  two convolutions, pooling and two dense layers; cross-entropy
          zoo:gpt        decoder-only transformer on token ids; cross-entropy of the next token
          zoo:llama      decoder-only transformer with rotary positions and gated feed-forwards; cross-entropy of the next token
          zoo:bert       transformer encoder on token and segment ids; cross-entropy of every token
          zoo:moe        mixture-of-experts layers with top-1 gating; mean squared error and load balance

        `partita models gpt` lists the options of `zoo:gpt`; combine options as `'zoo:gpt?layers=2&width=256'`
    "#]].assert_eq(&list);
    // Every listed name is a model.
    let names: Vec<&str> = list.split_whitespace().filter(|word| word.starts_with("zoo:")).collect();
    assert_eq!(names.len(), 6);
    for name in names {
        let (options, _) = run("options", "", &["models", name], 0);
        assert!(options.starts_with(name), "{options}");
    }
    expect![[r#"
        zoo:mlp: linear layers with ReLU between them; mean squared error

          option   default  about
          layers   2        layers
          width    64       features of the input
          hidden   512      features of every other layer
          batch    32       rows of the input
          dropout  0        probability of dropout
          loss     true     return the loss instead of the output
    "#]]
    .assert_eq(&run("of-mlp", "", &["models", "mlp"], 0).0);
    refused(
        "unknown",
        "",
        &["models", "mlpp"],
        expect![[r#"
        error[F004]: there is no built-in model `mlpp`
         --> MODEL:1:5
          |
        1 | zoo:mlpp
          |     ^^^^ not in the zoo
          |
          = note: zoo:mlp: linear layers with ReLU between them; mean squared error
          = note: zoo:mnist-cnn: two convolutions, pooling and two dense layers; cross-entropy
          = note: zoo:gpt: decoder-only transformer on token ids; cross-entropy of the next token
          = note: zoo:llama: decoder-only transformer with rotary positions and gated feed-forwards; cross-entropy of the next token
          = note: zoo:bert: transformer encoder on token and segment ids; cross-entropy of every token
          = note: zoo:moe: mixture-of-experts layers with top-1 gating; mean squared error and load balance
        help: there is a model with a similar name
          |
        1 - zoo:mlpp
        1 + zoo:mlp
          |
    "#]],
    );
    let json: serde_json::Value = serde_json::from_str(&run("json", "", &["models", "--json"], 0).0).unwrap();
    assert_eq!(json["models"].as_array().unwrap().len(), 6);
    refused(
        "no-model",
        "",
        &["plan", "gpt.safetensors"],
        expect![[r#"
        error[F004]: `gpt.safetensors` is not a model
          |
          = note: a model is a file that ends in `.mlir` (StableHLO), `.onnx`, `.pt2` (PyTorch) or `.pir` (program text), or `zoo:NAME?option=value`
          = help: `partita models` lists the built-in models
    "#]],
    );
}

#[test]
fn expert_preset_without_experts() {
    refused(
        "expert",
        "",
        &["plan", "m.pir", "--mesh", "data=2", "--preset", "expert"],
        expect![[r#"
            error[L014]: `expert` does not apply to `m.pir`
             --> --preset:1:1
              |
            1 | expert
              | ^^^^^^
              |
              = note: it requires expert layers: weights stacked along an expert dimension, `[experts, in, out]`, and multiplied with activations that have the same dimension, or with masked copies for each expert
              = note: the model has 3 parameters and 1 other input, a batch of 32, and returns neither gradients nor updates
              = help: remove `expert` for a model without experts; shard the batch with `data`, or weights with `megatron`
        "#]],
    );
}
