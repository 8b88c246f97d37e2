//! Options of the built-in models, and the structure of their programs.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita_ir::diag::Source;
use partita_ir::op::OpKind;
use partita_ir::program::{Form, Program};
use partita_models::{MODELS, ModelOption, OptionKind, program};
use partita_passes::driver::{Findings, Input, Pipeline};
use partita_passes::import::canonicalise::Canonicalise;
use partita_passes::optimising::dce::Dce;

fn errors(spec: &str) -> String {
    program(spec).unwrap_err().iter().map(|e| format!("{e}\n")).collect()
}

fn canonical(spec: &str) -> Program {
    let mut program = program(spec).unwrap();
    let pipeline = Pipeline::new(vec![Box::new(Canonicalise), Box::new(Dce(Form::Traced))]).unwrap();
    pipeline
        .run(&mut program, &Input::default(), &mut Findings::default(), &mut |_| Ok(()))
        .unwrap_or_else(|e| panic!("{spec}: {}", e[0]));
    program
}

/// Returns the number of ops of the main function with the given name.
fn count(program: &Program, name: &str) -> usize {
    program.funcs[program.entry()].ops().iter().filter(|&&op| program.ops[op].kind.name() == name).count()
}

#[test]
fn every_model_is_built_with_its_defaults_and_prints() {
    for model in MODELS {
        for spec in [
            format!("zoo:{}", model.name),
            format!("zoo:{}?loss=false", model.name),
            format!("{}?dropout=0.1", model.name),
        ] {
            let program = canonical(&spec);
            let text = partita_ir::text::print(&program);
            let parsed = partita_ir::text::parse(&Source::new("test.pir", text.clone())).unwrap();
            assert_eq!(partita_ir::text::print(&parsed), text, "{spec}");
        }
    }
}

#[test]
fn a_linear_layer_is_one_matmul_and_one_add_on_batch_and_features() {
    let program = canonical("zoo:gpt?layers=3&width=32&heads=4&seq=8&vocab=64&batch=2&tied=false");
    // Six linear layers and two residual additions per block, and the positions. The head has no bias.
    assert_eq!(count(&program, "matmul"), 3 * 6 + 1);
    assert_eq!(count(&program, "add"), 3 * (6 + 2) + 1);
    assert_eq!((count(&program, "attention"), count(&program, "layer_norm"), count(&program, "gelu")), (3, 7, 3));
    assert_eq!((count(&program, "cross_entropy"), count(&program, "softmax")), (1, 0));
    for &op in program.funcs[program.entry()].ops() {
        if let OpKind::DotGeneral(_) = program.ops[op].kind {
            assert_eq!(program.ty(program.ops[op].outs[0]).shape[..2], [2, 8]);
        }
    }
}

#[test]
fn llama_has_one_attention_per_layer_for_any_number_of_kv_heads() {
    for kv_heads in [1, 2, 8] {
        let program = canonical(&format!("zoo:llama?layers=3&kv_heads={kv_heads}&batch=2"));
        assert_eq!((count(&program, "attention"), count(&program, "cross_entropy")), (3, 1));
        // Four products in attention and three in the feed-forward per layer, without bias, and the head.
        assert_eq!(count(&program, "matmul"), 3 * 7 + 1);
        // The cosines and sines are computed once and shared by both halves of a rotation.
        assert_eq!((count(&program, "cos"), count(&program, "sin")), (1, 1));
    }
    expect_test::expect![[r#"
        error[F004]: 3 key heads do not divide 8 query heads
          --> MODEL:1:20
          = note: 8 = 3 x 2 + 2: each key head serves the same number of query heads
          = help: 2 key heads do: `2`
    "#]]
    .assert_eq(&errors("zoo:llama?kv_heads=3"));
    expect_test::expect![[r#"
        error[F004]: a head of 3 features cannot be rotated by its position
          --> MODEL:1:17
          --> MODEL:1:26
          = note: 24 / 8 = 3: rotary positions rotate pairs of features, so the number must be even
          = help: take `width=48`
    "#]]
    .assert_eq(&errors("zoo:llama?width=24&heads=8"));
}

/// Returns the names and types of the inputs that are not parameters, and of the outputs.
fn interface(spec: &str) -> String {
    let program = program(spec).unwrap();
    let data = program.inputs().iter().filter(|&&value| program.param_of(value).is_none());
    let inputs = data.map(|&value| format!("{}: {}\n", program.values[value].name, program.ty(value)));
    let outputs = program.outputs().iter().map(|out| format!("-> {}: {}\n", out.name, program.ty(out.value)));
    inputs.chain(outputs).collect()
}

#[test]
fn phases_have_a_cache_of_keys_and_values() {
    let llama = "zoo:llama?layers=1&width=64&heads=4&kv_heads=2&batch=3&vocab=10";
    expect_test::expect![[r#"
        input.0: i64[3, 5]
        -> output.0: f32[3, 1, 10]
        -> blocks.0.attention.cache.key: f32[3, 2, 7, 16]
        -> blocks.0.attention.cache.value: f32[3, 2, 7, 16]
    "#]]
    .assert_eq(&interface(&format!("{llama}&seq=5&context=7&phase=prefill")));
    expect_test::expect![[r#"
        input.0: i64[3, 1]
        position: i64[]
        blocks.0.attention.cache.key: f32[3, 2, 7, 16]
        blocks.0.attention.cache.value: f32[3, 2, 7, 16]
        -> output.0: f32[3, 1, 10]
        -> blocks.0.attention.cache.key: f32[3, 2, 7, 16]
        -> blocks.0.attention.cache.value: f32[3, 2, 7, 16]
    "#]]
    .assert_eq(&interface(&format!("{llama}&context=7&phase=decode")));
    expect_test::expect![[r#"
        input.0: i64[1, 1]
        position: i64[]
        blocks.0.attention.cache.key: f32[1, 8, 7, 32]
        blocks.0.attention.cache.value: f32[1, 8, 7, 32]
        -> output.0: f32[1, 1, 1024]
        -> blocks.0.attention.cache.key: f32[1, 8, 7, 32]
        -> blocks.0.attention.cache.value: f32[1, 8, 7, 32]
    "#]]
    .assert_eq(&interface("zoo:gpt?layers=1&seq=7&phase=decode&batch=1"));
    for model in ["gpt", "llama"] {
        let paths = |spec: &str| -> Vec<(String, String)> {
            let program = program(spec).unwrap();
            program.params.values().map(|p| (p.path.clone(), program.ty(p.value).to_string())).collect()
        };
        let full = paths(&format!("zoo:{model}?seq=16&vocab=10"));
        assert_eq!(paths(&format!("zoo:{model}?seq=16&vocab=10&phase=decode")), full);
        assert_eq!(paths(&format!("zoo:{model}?seq=4&context=16&vocab=10&phase=prefill")), full);
    }
}

#[test]
fn options_without_effect_on_a_phase_are_errors() {
    expect_test::expect![[r#"
        error[F004]: option `phase` cannot be `deocde`
          --> MODEL:1:15 expected `full` or `prefill` or `decode`
          = note: `phase`: `prefill` a KV cache with a prompt, `decode` one token with it, or a `full` model without a cache; full when not given
    "#]].assert_eq(&errors("zoo:gpt?phase=deocde"));
    expect_test::expect![[r#"
        error[F004]: `context` has no effect on `phase=full`
          --> MODEL:1:17 a model without a phase has no cache
          = help: add `phase=prefill` or `phase=decode`, or leave `context` out
    "#]]
    .assert_eq(&errors("zoo:gpt?context=4"));
    expect_test::expect![[r#"
        error[F004]: `loss` has no effect on `phase=decode`
          --> MODEL:1:27 the result is the logits of the last token
          = help: leave `loss` out: `prefill` and `decode` imply `loss=false`
        error[F004]: `dropout` has no effect on `phase=decode`
          --> MODEL:1:40 inference drops nothing
          = help: leave `dropout` out
        error[F004]: `seq` has no effect on `phase=decode`
          --> MODEL:1:48 one token is computed, and the cache has the positions that `context` states
          = help: leave `seq` out
    "#]]
    .assert_eq(&errors("zoo:gpt?phase=decode&loss=true&dropout=0.1&seq=3&context=4"));
    expect_test::expect![[r#"
        error[F004]: a prompt of 5 tokens does not fit into a cache of 4 positions
          --> MODEL:1:39
          = help: the smallest cache: `5`
    "#]]
    .assert_eq(&errors("zoo:llama?phase=prefill&seq=5&context=4"));
}

#[test]
fn parameters_have_dotted_paths() {
    let program = program("zoo:gpt?layers=1").unwrap();
    let paths: Vec<&str> = program.params.values().map(|p| p.path.as_str()).collect();
    assert_eq!(paths[..3], ["tokens.weight", "positions.weight", "blocks.0.norm1.gamma"]);
    assert!(paths.contains(&"blocks.0.attention.query.bias"));
    assert_eq!(program.ty(program.params.values().next().unwrap().value).to_string(), "f32[1024, 256]");
}

#[test]
fn ops_have_the_scope_of_the_parameters_that_they_read() {
    for model in MODELS {
        let program = program(&format!("zoo:{}", model.name)).unwrap();
        for op in program.ops.values() {
            for param in op.args.iter().filter_map(|&arg| program.param_of(arg)) {
                let path = &program.params[param].path;
                let module = path.rsplit_once('.').map_or("", |(module, _)| module);
                assert_eq!(op.origin.scope, module, "zoo:{}, {path}", model.name);
            }
        }
    }
}

#[test]
fn dropout_draws_from_a_key_and_is_off_by_default() {
    for model in MODELS {
        let off = program(&format!("zoo:{}", model.name)).unwrap();
        assert_eq!(count(&off, "random"), 0, "{}", model.name);
        let on = program(&format!("zoo:{}?dropout=0.5", model.name)).unwrap();
        assert!(count(&on, "random") > 0, "{}", model.name);
        let key = on.values.values().find(|v| v.name == "key").unwrap();
        assert_eq!(key.ty.to_string(), "u32[2]");
    }
    // One dropout for the embedding, and three per block: attention weights and two residuals.
    assert_eq!(count(&program("zoo:gpt?layers=3&dropout=0.1").unwrap(), "random"), 1 + 3 * 3);
}

#[test]
fn unknown_models_and_options_are_errors_with_alternatives() {
    expect_test::expect![[r#"
        error[F004]: there is no built-in model `gtp`
          --> MODEL:1:5 not in the zoo
          = note: zoo:mlp: linear layers with ReLU between them; mean squared error
          = note: zoo:mnist-cnn: two convolutions, pooling and two dense layers; cross-entropy
          = note: zoo:gpt: decoder-only transformer on token ids; cross-entropy of the next token
          = note: zoo:llama: decoder-only transformer with rotary positions and gated feed-forwards; cross-entropy of the next token
          = note: zoo:bert: transformer encoder on token and segment ids; cross-entropy of every token
          = note: zoo:moe: mixture-of-experts layers with top-1 gating; mean squared error and load balance
          = help: there is a model with a similar name: `gpt`
    "#]]
    .assert_eq(&errors("zoo:gtp?layers=2"));
    expect_test::expect![[r#"
        error[F004]: `zoo:gpt` has no option `layer`
          --> MODEL:1:9 not an option of this model
          = note: its options and their defaults: layers=2, width=256, heads=8, hidden=4 x width, seq=128, vocab=1024, batch=8, dropout=0, tied=true, loss=true, phase=full, context=seq
          = help: there is an option with a similar name: `layers`
        error[F004]: option `width` cannot be `0`
          --> MODEL:1:23 expected a whole number from 1 to 2147483648
          = note: `width`: features of a token; 256 when not given
        error[F004]: option `dropout` cannot be `1`
          --> MODEL:1:33 expected a number from 0 up to, but not including, 1
          = note: `dropout`: probability of dropout; 0 when not given
        error[F004]: option `seq` is given twice
          --> MODEL:1:39 first here
          --> MODEL:1:45 and again here
        error[F004]: option `tied` cannot be ``
          --> MODEL:1:51 expected `true` or `false`
          = note: `tied`: share the weight of the head with the token embedding; true when not given
    "#]].assert_eq(&errors("zoo:gpt?layer=2&width=0&dropout=1&seq=4&seq=5&tied"));
    expect_test::expect![[r#"
        error[F004]: 8 heads do not divide a width of 100
          --> MODEL:1:16
          --> MODEL:1:26
          = note: 100 = 8 x 12 + 4: each head has the same number of features
          = help: 5 heads do: `5`
          = help: or `width=104`
    "#]]
    .assert_eq(&errors("zoo:bert?width=100&heads=8"));
}

#[test]
fn sizes_that_overflow_are_errors() {
    expect_test::expect![[r#"
        error[T004]: the result of `matmul` has more elements than can be counted: [2147483648, 1048576, 1024]
          = note: the op is in `blocks.0.feed_forward.up`
    "#]]
    .assert_eq(&errors("zoo:gpt?batch=2147483648&seq=1048576&vocab=2147483648&layers=1"));
    for model in MODELS {
        let largest = |option: &ModelOption| match option.kind {
            OptionKind::Size { max, .. } if !matches!(option.name, "layers" | "heads" | "kv_heads" | "context") => {
                Some(format!("{}={max}", option.name))
            }
            _ => None,
        };
        let sizes: Vec<String> = model.options.iter().filter_map(largest).collect();
        let text = errors(&format!("zoo:{}?{}", model.name, sizes.join("&")));
        assert!(text.starts_with("error[T004]: "), "{text}");
    }
    for model in ["gpt", "llama"] {
        let text = errors(&format!("zoo:{model}?phase=decode&context=1048576&batch=2147483648&width=1073741824"));
        assert!(text.starts_with("error[T004]: "), "{text}");
    }
    for spec in [
        "",
        "zoo:",
        "zoo:?",
        "?",
        "zoo:gpt?&&=&",
        "zoo:gpt?=",
        "zoo:gpt?layers",
        "zoo:gpt?layers=99999999999999999999",
        "zoo:gpt?é=1",
    ] {
        let _ = program(spec);
    }
}
