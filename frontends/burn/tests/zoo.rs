//! Equality of the traced Burn modules of the zoo and the built-in models of `partita-models`, including initializers.

use burn::tensor::{Device, Int, Tensor};
use partita_burn::trace;
use partita_burn::zoo::batch_norm::replace_running_statistics;
use partita_burn::zoo::bert::Bert;
use partita_burn::zoo::gpt::Gpt;
use partita_burn::zoo::llama::{Llama, LlamaConfig};
use partita_burn::zoo::loss::{cross_entropy, mean_squared_error};
use partita_burn::zoo::mlp::Mlp;
use partita_burn::zoo::mnist_cnn::MnistCnn;
use partita_burn::zoo::moe::{Moe, MoeConfig};
use partita_burn::zoo::transformer::BlockConfig;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::initializer::Initializer;
use partita_ir::interp;
use partita_ir::program::{Form, Name, Program};
use partita_ir::tensor::{Scalar, Tensor as Value};
use partita_ir::text::print;
use partita_models::{BuiltInModel, MODELS, ModelOption, ModelOptions, program};
use partita_passes::driver::{Findings, Input, Pipeline};
use partita_passes::import::canonicalise::Canonicalise;
use partita_passes::optimising::dce::Dce;

type Ids = Tensor<2, Int>;
type Traced = Result<Program, Vec<Diagnostic>>;

/// Traces the Burn module that the options select.
fn traced(options: &ModelOptions) -> Program {
    let program = match options.entry.name {
        "mlp" => mlp(options),
        "mnist-cnn" => mnist_cnn(options),
        "gpt" => gpt(options),
        "llama" => llama(options),
        "bert" => bert(options),
        "moe" => moe(options),
        name => panic!("`{name}` has no Burn module"),
    };
    program.unwrap_or_else(|errors| panic!("{}", errors[0]))
}

fn mlp(options: &ModelOptions) -> Traced {
    let [layers, width, hidden, batch] = options.sizes(["layers", "width", "hidden", "batch"]);
    let init = |device: &Device| Mlp::new(layers, width, hidden, options.probability("dropout"), device);
    let input = [batch, width];
    if !options.flag("loss") {
        return trace(init, |mlp, x: Tensor<2>| mlp.forward(x), input);
    }
    let target = [batch, if layers % 2 == 0 { width } else { hidden }];
    trace(init, |mlp, (x, y): (Tensor<2>, Tensor<2>)| mean_squared_error(mlp.forward(x), y), (input, target))
}

fn mnist_cnn(options: &ModelOptions) -> Traced {
    let [image, classes, batch] = options.sizes(["image", "classes", "batch"]);
    let (dropout, batch_norm) = (options.probability("dropout"), options.flag("batch_norm"));
    let init = |device: &Device| MnistCnn::new(image, classes, dropout, batch_norm, device);
    let images = [batch, 1, image, image];
    if !options.flag("loss") {
        return trace(init, |cnn, images: Tensor<4>| cnn.forward(images), images);
    }
    let forward = |cnn: &MnistCnn, (images, labels): (Tensor<4>, Tensor<1, Int>)| {
        let (logits, statistics) = cnn.forward_train(images);
        (cross_entropy(logits, labels.unsqueeze_dim(1)), statistics)
    };
    trace(init, forward, (images, [batch])).map(replace_running_statistics)
}

fn block(options: &ModelOptions, causal: bool) -> BlockConfig {
    let [width, heads] = options.sizes(["width", "heads"]);
    let hidden = options.size_or("hidden", 4 * width);
    BlockConfig { width, heads, hidden, dropout: options.probability("dropout"), causal }
}

fn gpt(options: &ModelOptions) -> Traced {
    let [layers, seq, vocab, batch] = options.sizes(["layers", "seq", "vocab", "batch"]);
    let config = block(options, true);
    let init = |device: &Device| Gpt::new(layers, &config, seq, vocab, options.flag("tied"), device);
    let ids = [batch, seq];
    if !options.flag("loss") {
        return trace(init, |gpt, tokens: Ids| gpt.forward(tokens), ids);
    }
    let forward =
        |gpt: &Gpt, (tokens, targets): (Ids, Ids)| cross_entropy(gpt.forward(tokens), targets.unsqueeze_dim(2));
    trace(init, forward, (ids, ids))
}

fn llama(options: &ModelOptions) -> Traced {
    let [layers, seq, vocab, batch] = options.sizes(["layers", "seq", "vocab", "batch"]);
    let [width, heads] = options.sizes(["width", "heads"]);
    let config = LlamaConfig {
        width,
        heads,
        kv_heads: options.size_or("kv_heads", heads),
        hidden: options.size_or("hidden", 3 * width),
        dropout: options.probability("dropout"),
    };
    let features = config.features();
    let init = |device: &Device| Llama::new(layers, &config, vocab, device);
    let ids = [batch, seq];
    if !options.flag("loss") {
        return trace(init, |llama, tokens: Ids| llama.forward(tokens, features), ids);
    }
    let forward = |llama: &Llama, (tokens, targets): (Ids, Ids)| {
        cross_entropy(llama.forward(tokens, features), targets.unsqueeze_dim(2))
    };
    trace(init, forward, (ids, ids))
}

fn bert(options: &ModelOptions) -> Traced {
    let [layers, seq, vocab, batch] = options.sizes(["layers", "seq", "vocab", "batch"]);
    let config = block(options, false);
    let init = |device: &Device| Bert::new(layers, &config, seq, vocab, options.flag("tied"), device);
    let ids = [batch, seq];
    if !options.flag("loss") {
        return trace(init, |bert, (tokens, segments): (Ids, Ids)| bert.forward(tokens, segments), (ids, ids));
    }
    let forward = |bert: &Bert, (tokens, segments, targets): (Ids, Ids, Ids)| {
        cross_entropy(bert.forward(tokens, segments), targets.unsqueeze_dim(2))
    };
    trace(init, forward, (ids, ids, ids))
}

fn moe(options: &ModelOptions) -> Traced {
    let [layers, width, experts, seq, batch] = options.sizes(["layers", "width", "experts", "seq", "batch"]);
    let config = MoeConfig {
        experts,
        width,
        hidden: options.size_or("hidden", 4 * width),
        capacity: options.size_or("capacity", (2 * seq).div_ceil(experts)),
        dropout: options.probability("dropout"),
    };
    let init = |device: &Device| Moe::new(layers, &config, device);
    let x = [batch, seq, width];
    if !options.flag("loss") {
        return trace(init, |moe, x: Tensor<3>| moe.forward(x).0, x);
    }
    trace(init, |moe: &Moe, (x, y): (Tensor<3>, Tensor<3>)| moe.loss(x, y), (x, x))
}

/// Returns the program after `canonicalise` and `dce`, with op results named by number.
fn canonical(mut program: Program) -> Program {
    let pipeline = Pipeline::new(vec![Box::new(Canonicalise), Box::new(Dce(Form::Traced))]).unwrap();
    pipeline
        .run(&mut program, &Input::default(), &mut Findings::default(), &mut |_| Ok(()))
        .unwrap_or_else(|e| panic!("{}", e[0]));
    let mut program = program.compact();
    program.source = Name::default();
    let results: Vec<_> = program.ops.values().flat_map(|op| op.outs.clone()).collect();
    for (i, result) in results.into_iter().enumerate() {
        program.values[result].name = format!("v{i}").into();
    }
    program
}

/// Compares the built-in model with the traced module.
fn compare(spec: &str) {
    let built = program(spec).unwrap_or_else(|errors| panic!("{spec}: {}", errors[0]));
    let options = ModelOptions::parse(spec, MODELS).unwrap_or_else(|errors| panic!("{spec}: {}", errors[0]));
    let traced = traced(&options);
    if has_single_rows(&options) {
        return compare_values(spec, &built, &traced, vocabulary(&options));
    }
    let (built, traced) = (canonical(built), canonical(traced));
    let (built_text, traced_text) = (print(&built), print(&traced));
    for (line, (built, traced)) in built_text.lines().zip(traced_text.lines()).enumerate() {
        assert_eq!(built, traced, "{spec}, line {line}: the built-in model is on the left");
    }
    // The text of a program contains everything but its source and origins.
    assert!(built == traced && built_text == traced_text, "{spec}");
}

/// Returns true if Burn multiplies matrices of one row, for which it first moves the row to another dimension.
fn has_single_rows(options: &ModelOptions) -> bool {
    let has = |name| options.entry.options.iter().any(|option| option.name == name);
    let seq = if has("seq") { options.sizes(["seq"])[0] } else { 0 };
    let experts = if has("experts") { options.sizes(["experts"])[0] } else { 0 };
    seq == 1 || experts > 0 && options.size_or("capacity", (2 * seq).div_ceil(experts)) == 1
}

fn vocabulary(options: &ModelOptions) -> usize {
    let has = options.entry.options.iter().any(|option| option.name == "vocab");
    if has { options.sizes(["vocab"])[0] } else { usize::MAX }
}

/// Compares parameters, input types, and results for random inputs. Indices are below 2 and `vocabulary`.
fn compare_values(spec: &str, built: &Program, traced: &Program, vocabulary: usize) {
    let run = |program: &Program| {
        let draw = |(&input, number): (&ValueId, usize)| match (program.param_of(input), program.ty(input)) {
            (Some(param), ty) => program.params[param].init.unwrap().draw(ty, 1, &program.params[param].path),
            (None, ty) if ty.dtype.is_float() => {
                Initializer::Normal { mean: 0.0, deviation: 1.0 }.draw(ty, 1, &number.to_string())
            }
            (None, ty) => {
                let index = |i: usize| ((i * i + number) % vocabulary.min(2)) as i64;
                Value::from_ints(ty.clone(), (0..ty.shape.count()).map(index).collect())
            }
        };
        let inputs = program.inputs().iter().zip(0..).map(draw).collect();
        let outputs = interp::run(program, inputs).unwrap();
        outputs.iter().flat_map(|output| output.scalars().map(Scalar::to_f64).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let signature = |program: &Program| -> Vec<String> {
        let ids = program.inputs().iter();
        let mut text: Vec<String> = ids.map(|&id| format!("{} {}", program.path_of(id), program.ty(id))).collect();
        text.extend(program.params.values().map(|p| format!("{} {:?} {:?}", p.path, p.kind, p.init)));
        text.extend(program.outputs().iter().map(|o| format!("{} {}", o.name, program.ty(o.value))));
        text
    };
    assert_eq!(signature(built), signature(traced), "{spec}");
    let (built, traced) = (run(built), run(traced));
    assert_eq!(built.len(), traced.len(), "{spec}");
    for (built, traced) in built.into_iter().zip(traced) {
        assert!((built - traced).abs() <= 1e-5 * traced.abs().max(1.0), "{spec}: {built} {traced}");
    }
}

/// Returns the options of a model that its Burn module also has. Burn modules have no KV cache, and so no phases.
fn compared_options(model: &BuiltInModel) -> impl Iterator<Item = &'static ModelOption> {
    model.options.iter().filter(|option| !matches!(option.name, "phase" | "context"))
}

/// Returns the tested values of an option.
fn values(model: &str, option: &str) -> &'static [&'static str] {
    match (model, option) {
        (_, "loss" | "tied" | "batch_norm") => &["true", "false"],
        (_, "dropout") => &["0", "0.1", "0.5"],
        (_, "layers") => &["1", "2", "3", "5"],
        ("mnist-cnn", "image") => &["6", "7", "28"],
        ("mnist-cnn", "classes") => &["1", "2", "10"],
        ("mlp", "width" | "hidden") => &["1", "5", "64", "300"],
        (_, "width") => &["16", "48", "128"],
        (_, "heads") => &["1", "2", "4", "16"],
        (_, "kv_heads") => &["1", "2"],
        (_, "hidden") => &["1", "7", "96"],
        // Burn multiplies rows in blocks of 32.
        (_, "seq") => &["1", "2", "6", "32"],
        (_, "vocab") => &["1", "2", "77"],
        (_, "experts") => &["1", "3", "8"],
        (_, "capacity") => &["1", "2", "5"],
        (_, "batch") => &["1", "3", "4"],
        _ => panic!("`zoo:{model}` has a new option `{option}`: say which values are compared"),
    }
}

#[test]
fn each_value_of_each_option() {
    for model in MODELS {
        compare(&format!("zoo:{}", model.name));
        for option in compared_options(model) {
            for value in values(model.name, option.name) {
                compare(&format!("zoo:{}?{}={value}", model.name, option.name));
            }
        }
    }
}

#[test]
fn random_combinations_of_options() {
    // Lehmer generator.
    let mut state = 7_u64;
    let mut draw = |below: usize| {
        state = state * 48_271 % 2_147_483_647;
        state as usize % below
    };
    for model in MODELS {
        let mut compared = 0;
        while compared < 100 {
            let mut given = Vec::new();
            for option in compared_options(model) {
                // Defaults of the omitted sizes are large, so these options are set more often.
                if !matches!(option.name, "hidden" | "capacity" | "kv_heads" | "loss") || draw(2) == 0 {
                    let values = values(model.name, option.name);
                    given.push(format!("{}={}", option.name, values[draw(values.len())]));
                }
            }
            let spec = format!("zoo:{}?{}", model.name, given.join("&"));
            // Combinations in which heads do not divide their dimension are invalid.
            if program(&spec).is_ok() {
                compare(&spec);
                compared += 1;
            }
        }
    }
}
