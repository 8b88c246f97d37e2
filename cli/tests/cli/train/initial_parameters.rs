//! Initial parameters depend on the model and the seed alone: no plan changes any bit of them or the results of
//! training.

use super::records;
use crate::support::{Folder, partita};
use safetensors::tensor::{Dtype, TensorView};
use std::collections::BTreeMap;

/// Two hidden layers after a scale, in `f64`.
const MODEL: &str = r#"form traced
param %g "norm.scale" : f64[4]
param %w1 "layers.0.weight" : f64[4, 6]
param %b1 "layers.0.bias" : f64[6]
param %w2 "layers.1.weight" : f64[6, 6]
param %b2 "layers.1.bias" : f64[6]
param %w3 "layers.2.weight" : f64[6, 2]
input %x : f64[8, 4]
input %t : f64[8, 2]
  %gs = broadcast [1] %g : f64[8, 4]
  %n = mul %x, %gs : f64[8, 4]
  %m1 = matmul %n, %w1 : f64[8, 6]
  %c1 = broadcast [1] %b1 : f64[8, 6]
  %a1 = add %m1, %c1 : f64[8, 6]
  %h1 = tanh %a1 : f64[8, 6]
  %m2 = matmul %h1, %w2 : f64[8, 6]
  %c2 = broadcast [1] %b2 : f64[8, 6]
  %a2 = add %m2, %c2 : f64[8, 6]
  %h2 = tanh %a2 : f64[8, 6]
  %y = matmul %h2, %w3 : f64[8, 2]
  %e = sub %y, %t : f64[8, 2]
  %q = mul %e, %e : f64[8, 2]
  %s = reduce sum [0, 1] %q : f64[]
  %k = constant 16.0 : f64[]
  %loss = div %s, %k : f64[]
output %loss "loss"
"#;

const BATCH: usize = 8;
const RATE: f64 = 0.1;
const STEPS: usize = 50;

/// Flags of plans that train on equal batches.
const PLANS: [&[&str]; 11] = [
    &[],
    &["--train", "sgd?lr=0.1&accumulate=2"],
    &["--train", "sgd?lr=0.1&accumulate=4"],
    &["--mesh", "data=2", "--preset", "data"],
    &["--mesh", "rows=4", "--shard", "x=rows, _", "--shard", "t=rows, _"],
    &["--mesh", "data=2", "--preset", "zero3", "--train", "sgd?lr=0.1&accumulate=2"],
    &["--mesh", "model=2", "--shard", "layers.0.weight=_, model"],
    &["--pipeline", "1", "--microbatches", "2"],
    &["--pipeline", "2", "--microbatches", "2"],
    &["--pipeline", "3", "--microbatches", "4", "--schedule", "1f1b"],
    &["--pipeline", "2", "--microbatches", "4", "--mesh", "data=2", "--preset", "data", "--schedule", "zb-h1"],
];

/// Returns one batch of samples, so that every step receives all of them. The largest number is 1, so that inputs are
/// not scaled.
fn samples() -> [Vec<f64>; 2] {
    let x = (0..BATCH * 4).map(|i| if i == 0 { 1.0 } else { ((i * 37 % 64) as f64 - 32.0) / 40.0 }).collect();
    let t = (0..BATCH * 2).map(|i| ((i * 29 % 32) as f64 - 16.0) / 20.0).collect();
    [x, t]
}

fn folder(test: &str) -> Folder {
    let folder = Folder::new(&format!("train-{test}"));
    let bytes = samples().map(|numbers| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>());
    let [x, t] = [4, 2].map(|n| vec![BATCH, n]);
    let views = [
        ("x", TensorView::new(Dtype::F64, x, &bytes[0]).unwrap()),
        ("t", TensorView::new(Dtype::F64, t, &bytes[1]).unwrap()),
    ];
    folder.write("model.pir", MODEL).write("narrow.pir", MODEL.replace("f64", "f32"));
    folder.write("samples.safetensors", safetensors::serialize(views, None).unwrap());
    folder
}

/// Trains a model with a plan; the default is plain gradient descent.
fn train(folder: &Folder, model: &str, plan: &[&str], more: &[&str]) {
    let always = ["train", model, "--data", "samples.safetensors"];
    let plain: &[&str] = if plan.contains(&"--train") { &[] } else { &["--train", "sgd?lr=0.1"] };
    let ended = partita(folder, [&always[..], plain, plan, more].concat());
    assert_eq!(ended.code, Some(0), "{model} {plan:?}: {}", ended.transcript());
}

type Tensors = BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

/// Returns the initial parameters of training with a plan.
fn beginning(folder: &Folder, model: &str, plan: &[&str]) -> Tensors {
    train(folder, model, plan, &["--steps", "0", "--output", "p.safetensors"]);
    folder.tensors("p.safetensors").into_iter().filter(|(name, _)| !name.starts_with("optimizer.")).collect()
}

fn losses(folder: &Folder, model: &str, plan: &[&str], steps: usize) -> Vec<f64> {
    let _ = std::fs::remove_file(folder.path.join("m.jsonl"));
    train(folder, model, plan, &["--steps", &steps.to_string(), "--metrics", "m.jsonl"]);
    records(folder, "m.jsonl").iter().map(|r| r["loss"].as_f64().unwrap()).collect()
}

fn floats(tensors: &Tensors, name: &str) -> Vec<f64> {
    let (dtype, _, bytes) = &tensors[name];
    match dtype {
        Dtype::F64 => bytes.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect(),
        _ => bytes.chunks(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap()))).collect(),
    }
}

/// Returns true if numbers are distributed over an interval around zero up to the bound.
fn are_uniformly_distributed(numbers: &[f64], bound: f64) -> bool {
    let largest = numbers.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let (above, below) = (numbers.iter().any(|&x| x > 0.0), numbers.iter().any(|&x| x < 0.0));
    largest <= bound && largest > 0.7 * bound && above && below
}

#[test]
fn every_plan_has_identical_initial_parameters() {
    let folder = folder("same-bits");
    for model in ["model.pir", "narrow.pir"] {
        let plain = beginning(&folder, model, &[]);
        assert!(floats(&plain, "norm.scale").iter().all(|&x| x == 1.0));
        for bias in ["layers.0.bias", "layers.1.bias"] {
            assert!(floats(&plain, bias).iter().all(|&x| x == 0.0));
        }
        // The variance is the inverse number of inputs, which are the rows.
        for (weight, rows) in [("layers.0.weight", 4.0), ("layers.1.weight", 6.0), ("layers.2.weight", 6.0)] {
            assert!(are_uniformly_distributed(&floats(&plain, weight), (3.0f64 / rows).sqrt()), "{weight}");
        }
        for plan in PLANS {
            assert!(beginning(&folder, model, plan) == plain, "{plan:?}");
        }
        assert!(beginning(&folder, model, &["--seed", "1"]) != plain);
    }
}

/// Parameters of a reference model, with the derivative of its loss and plain gradient descent.
struct ReferenceModel {
    scale: Vec<f64>,
    weights: [Vec<f64>; 3],
    biases: [Vec<f64>; 2],
}

impl ReferenceModel {
    /// Returns the loss, and updates the parameters against its gradient.
    fn step(&mut self) -> f64 {
        let [x, t] = samples();
        let (mut loss, n) = (0.0, (BATCH * 2) as f64);
        let mut scale = vec![0.0; 4];
        let mut weights = [vec![0.0; 24], vec![0.0; 36], vec![0.0; 12]];
        let mut biases = [vec![0.0; 6], vec![0.0; 6]];
        for sample in 0..BATCH {
            let input: Vec<f64> = (0..4).map(|i| x[sample * 4 + i] * self.scale[i]).collect();
            let layer = |input: &[f64], weight: &[f64], bias: &[f64]| -> Vec<f64> {
                let sum = |j: usize| input.iter().enumerate().map(|(i, v)| v * weight[i * 6 + j]).sum::<f64>();
                (0..6).map(|j| (sum(j) + bias[j]).tanh()).collect()
            };
            let h1 = layer(&input, &self.weights[0], &self.biases[0]);
            let h2 = layer(&h1, &self.weights[1], &self.biases[1]);
            let mut d2 = vec![0.0; 6];
            for k in 0..2 {
                let y: f64 = (0..6).map(|j| h2[j] * self.weights[2][j * 2 + k]).sum();
                let error = y - t[sample * 2 + k];
                loss += error * error / n;
                for j in 0..6 {
                    weights[2][j * 2 + k] += 2.0 * error / n * h2[j];
                    d2[j] += 2.0 * error / n * self.weights[2][j * 2 + k];
                }
            }
            let back = |d: &[f64], h: &[f64], from: &[f64], w: &[f64], dw: &mut [f64], db: &mut [f64]| -> Vec<f64> {
                let inner: Vec<f64> = d.iter().zip(h).map(|(d, h)| d * (1.0 - h * h)).collect();
                for (j, d) in inner.iter().enumerate() {
                    db[j] += d;
                    from.iter().enumerate().for_each(|(i, v)| dw[i * 6 + j] += d * v);
                }
                (0..from.len()).map(|i| inner.iter().enumerate().map(|(j, d)| d * w[i * 6 + j]).sum()).collect()
            };
            let d1 = back(&d2, &h2, &h1, &self.weights[1], &mut weights[1], &mut biases[1]);
            let d0 = back(&d1, &h1, &input, &self.weights[0], &mut weights[0], &mut biases[0]);
            (0..4).for_each(|i| scale[i] += d0[i] * x[sample * 4 + i]);
        }
        let descend = |p: &mut Vec<f64>, d: &[f64]| p.iter_mut().zip(d).for_each(|(p, d)| *p -= RATE * d);
        descend(&mut self.scale, &scale);
        self.weights.iter_mut().zip(&weights).for_each(|(p, d)| descend(p, d));
        self.biases.iter_mut().zip(&biases).for_each(|(p, d)| descend(p, d));
        loss
    }
}

#[test]
fn every_plan_matches_the_reference_model() {
    let folder = folder("by-hand");
    let plain = beginning(&folder, "model.pir", &[]);
    let numbers = |name: &str| floats(&plain, name);
    let mut reference = ReferenceModel {
        scale: numbers("norm.scale"),
        weights: ["layers.0.weight", "layers.1.weight", "layers.2.weight"].map(numbers),
        biases: ["layers.0.bias", "layers.1.bias"].map(numbers),
    };
    let expected: Vec<f64> = (0..STEPS).map(|_| reference.step()).collect();
    assert!(expected[STEPS - 1] < 0.7 * expected[0], "it learns: {expected:?}");
    let searched = searched(&folder);
    for plan in PLANS.into_iter().chain([&searched[..]]) {
        let losses = losses(&folder, "model.pir", plan, STEPS);
        assert_eq!(losses.len(), STEPS);
        for (step, (a, b)) in losses.iter().zip(&expected).enumerate() {
            assert!((a - b).abs() <= 1e-9 * b, "{plan:?}, step {}: {a}, by hand {b}", step + 1);
        }
    }
}

/// Returns a plan found by the search, with stages or micro-batches.
fn searched(folder: &Folder) -> Vec<&'static str> {
    let words = ["search", "model.pir", "--machine", "pcie4", "--devices", "2", "--train", "sgd?lr=0.1"];
    let ended = partita(folder, words.into_iter().chain(["--output", "plan.toml"]));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    vec!["--plan", "plan.toml", "--train", "sgd?lr=0.1"]
}

/// In `f32`, sums have at most 16 terms in any order, and four of them are consecutive: the rounding error of the loss
/// is at most 100 epsilon.
#[test]
fn first_f32_loss_matches_f64() {
    let folder = folder("first-loss");
    let wide = losses(&folder, "model.pir", &[], 1)[0];
    for plan in PLANS {
        // The initial parameters are rounded from the same numbers.
        let loss = losses(&folder, "narrow.pir", plan, 1)[0];
        assert!((loss - wide).abs() <= 100.0 * f64::from(f32::EPSILON) * wide, "{plan:?}: {loss}, in f64 {wide}");
    }
}

/// Burn's modules define their initial parameters.
#[test]
fn frontend_modules_define_initial_parameters() {
    let folder = Folder::new("train-burn-begins");
    let text: String = ('a'..='p').cycle().take(400).collect();
    folder.write("text.txt", text);
    let model = "zoo:gpt?layers=2&width=16&heads=2&seq=8&vocab=16&batch=4";
    let begin = |plan: &[&str]| -> Tensors {
        let words = ["train", model, "--data", "text.txt", "--steps", "0", "--output", "p.safetensors"];
        let ended = partita(&folder, words.iter().chain(plan));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        folder.tensors("p.safetensors").into_iter().filter(|(name, _)| !name.starts_with("optimizer.")).collect()
    };
    let plain = begin(&[]);
    for (name, (_, shape, _)) in &plain {
        let numbers = floats(&plain, name);
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let deviation = (numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / numbers.len() as f64).sqrt();
        match name.rsplit('.').next().unwrap() {
            "gamma" => assert!(numbers.iter().all(|&x| x == 1.0), "{name}"),
            "beta" => assert!(numbers.iter().all(|&x| x == 0.0), "{name}"),
            // The deviation of 128 normal numbers is within four standard errors.
            "weight" if name == "tokens.weight" || name == "positions.weight" => {
                assert!((deviation / 0.02 - 1.0).abs() < 0.25 && mean.abs() < 0.008, "{name}: {mean}, {deviation}");
            }
            // Uniform up to the inverse root of the number of inputs, biases too.
            "weight" => assert!(are_uniformly_distributed(&numbers, (shape[0] as f64).powf(-0.5)), "{name}"),
            "bias" => assert!(numbers.iter().any(|&x| x != 0.0), "{name}"),
            other => panic!("{other} in {name}"),
        }
    }
    for plan in [
        &["--train", "adamw?accumulate=2"][..],
        &["--pipeline", "2", "--microbatches", "2"],
        &["--mesh", "data=2,model=2", "--preset", "data,megatron"],
        &["--mesh", "data=2", "--preset", "zero3", "--remat", "full"],
    ] {
        assert!(begin(plan) == plain, "{plan:?}");
    }
}

/// A linear model.
const LINEAR: &str = r#"form traced
param %w "w" : f64[4, 2]
param %b "b" : f64[2]
input %x : f64[8, 4]
input %t : f64[8, 2]
  %m = matmul %x, %w : f64[8, 2]
  %c = broadcast [1] %b : f64[8, 2]
  %y = add %m, %c : f64[8, 2]
  %e = sub %y, %t : f64[8, 2]
  %q = mul %e, %e : f64[8, 2]
  %s = reduce sum [0, 1] %q : f64[]
  %k = constant 16.0 : f64[]
  %loss = div %s, %k : f64[]
output %loss "loss"
"#;

/// Returns the training step of the linear model as other tools write it: `w` and `b` are plain inputs, and outputs
/// replace them.
fn step_of_linear() -> String {
    let forward = LINEAR.replace("param %w \"w\"", "input %w").replace("param %b \"b\"", "input %b");
    forward.replace("output %loss \"loss\"\n", "")
        + r#"  %r2 = constant 0.0125 : f64[8, 2]
  %dy = mul %e, %r2 : f64[8, 2]
  %dw = dot_general contract [0]x[0] %x, %dy : f64[4, 2]
  %db = reduce sum [0] %dy : f64[2]
  %nw = sub %w, %dw : f64[4, 2]
  %nb = sub %b, %db : f64[2]
output %loss "loss"
output %nw "nw"
output %nb "nb"
"#
}

/// An imported training step determines its parameters: they are initialised like those of its model, or read from a
/// file, and stored in checkpoints.
#[test]
fn imported_step_has_initial_parameters_of_its_model() {
    let folder = folder("imported-begins");
    folder.write("linear.pir", LINEAR).write("step.pir", step_of_linear());
    // `sgd?lr=0.1` of a mean of 16 squares: the error times 2 / 160.
    let of_model = losses(&folder, "linear.pir", &[], 20);
    let untrained = &["--data", "samples.safetensors"][..];
    let step = |more: &[&str]| {
        let ended = partita(&folder, [&["train", "step.pir"][..], untrained, more].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        ended
    };
    let of_step = |more: &[&str]| -> Vec<f64> {
        let _ = std::fs::remove_file(folder.path.join("s.jsonl"));
        step(&[&["--metrics", "s.jsonl", "--steps", "20"], more].concat());
        records(&folder, "s.jsonl").iter().map(|r| r["loss"].as_f64().unwrap()).collect()
    };
    let agrees = |losses: Vec<f64>, expected: &[f64]| {
        let close = losses.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-12 * b);
        assert!(losses.len() == expected.len() && close, "{losses:?}, not {expected:?}");
    };
    let ended = step(&["--steps", "1"]);
    assert!(ended.err.contains("--init"), "the message names `--init`: {}", ended.err);
    agrees(of_step(&[]), &of_model);
    agrees(of_step(&["--mesh", "data=2", "--preset", "data"]), &of_model);
    step(&["--steps", "10", "--save", "ck", "--output", "w.safetensors"]);
    agrees(of_step(&["--resume", "ck"]), &of_model[10..]);
    agrees(of_step(&["--init", "w.safetensors"])[..10].to_vec(), &of_model[10..]);
}
