//! Phases of inference: a cache that decoding fills token by token gives the logits of the model on the full sequence.

use indexmap::IndexMap;
use partita::prelude::*;
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::interp::{self, random_inputs, widen, widen_tensors};
use partita_ir::tensor::Scalar;

/// Decoders without phase, of 32 positions.
const DECODERS: [&str; 3] = [
    "zoo:gpt?layers=2&width=16&heads=4&hidden=24&seq=32&vocab=20&batch=2",
    "zoo:llama?layers=2&width=16&heads=4&hidden=24&seq=32&vocab=20&batch=2",
    "zoo:llama?layers=2&width=16&heads=4&kv_heads=2&hidden=24&seq=32&vocab=20&batch=2",
];

/// Number of positions of the decoders.
const POSITIONS: usize = 32;

/// A decoder with random weights and tokens, and its logits.
struct Reference {
    /// Parameters by path.
    weights: IndexMap<String, Tensor>,
    /// Token ids `[batch, positions]`.
    ids: Tensor,
    /// Logits `[batch, positions, vocab]` of the model without phase.
    logits: Tensor,
}

impl Reference {
    fn new(spec: &str) -> Reference {
        let model = program(&format!("{spec}&loss=false"));
        let inputs = random_inputs(&model, 7).unwrap();
        let logits = interp::run(&model, inputs.clone()).unwrap().remove(0);
        let mut weights: IndexMap<String, Tensor> =
            model.inputs().iter().zip(inputs).map(|(&v, tensor)| (model.path_of(v).to_owned(), tensor)).collect();
        let ids = weights.shift_remove("input.0").unwrap();
        Reference { weights, ids, logits }
    }

    /// Returns the inputs of a phase that computes the tokens at `start..end`, with these caches.
    fn inputs(&self, phase: &Program, start: usize, end: usize, caches: &IndexMap<String, Tensor>) -> Vec<Tensor> {
        let [batch, positions] = [self.ids.ty.shape[0], self.ids.ty.shape[1]];
        let token = |i: usize| self.ids.get(i).to_i64();
        let tokens = (0..batch).flat_map(|row| (start..end).map(move |at| token(row * positions + at)));
        let input = |&value: &ValueId| {
            let (name, ty) = (phase.path_of(value), phase.ty(value).clone());
            match name {
                "input.0" => Tensor::from_ints(ty, tokens.clone().collect()),
                "position" => Tensor::from_ints(ty, vec![start as i64]),
                name if name.contains(".cache.") => match caches.get(name) {
                    Some(cache) => cache.clone(),
                    None => Tensor::splat(ty, Scalar::Float(0.0)),
                },
                name => self.weights[name].clone(),
            }
        };
        phase.inputs().iter().map(input).collect()
    }

    /// Returns the largest difference between the logits of the token at `position` and `[batch, 1, vocab]`.
    fn difference(&self, logits: &Tensor, position: usize) -> f64 {
        let [batch, _, vocab] = [0, 1, 2].map(|dim| self.logits.ty.shape[dim]);
        assert_eq!(logits.ty.shape[..], [batch, 1, vocab]);
        let of_row = |row: usize| (0..vocab).map(move |class| (row, class));
        let pairs = (0..batch).flat_map(of_row).map(|(row, class)| {
            let want = self.logits.get((row * POSITIONS + position) * vocab + class).to_f64();
            (logits.get(row * vocab + class).to_f64() - want).abs()
        });
        pairs.fold(0.0, f64::max)
    }
}

fn program(spec: &str) -> Program {
    partita::load(spec).unwrap()
}

/// Returns the caches among the outputs.
fn caches(phase: &Program, outputs: &[Tensor]) -> IndexMap<String, Tensor> {
    let named = phase.outputs().iter().zip(outputs).filter(|(output, _)| output.name.contains(".cache."));
    named.map(|(output, tensor)| (output.name.to_string(), tensor.clone())).collect()
}

/// Runs a program on inputs.
type Run<'r> = &'r dyn Fn(&Program, Vec<Tensor>) -> Vec<Tensor>;

/// Decodes all tokens after a prompt of `prompt` tokens, and returns the largest difference of any logit.
fn decode(reference: &Reference, spec: &str, prompt: usize, run: Run<'_>) -> f64 {
    let (mut held, mut worst) = (IndexMap::new(), 0.0f64);
    if prompt > 0 {
        let prompted = spec.replace(&format!("seq={POSITIONS}"), &format!("seq={prompt}&context={POSITIONS}"));
        let prefill = program(&format!("{prompted}&phase=prefill"));
        let outputs = run(&prefill, reference.inputs(&prefill, 0, prompt, &held));
        worst = worst.max(reference.difference(&outputs[0], prompt - 1));
        held = caches(&prefill, &outputs);
    }
    let step = program(&format!("{spec}&phase=decode"));
    for position in prompt..POSITIONS {
        let outputs = run(&step, reference.inputs(&step, position, position + 1, &held));
        worst = worst.max(reference.difference(&outputs[0], position));
        held = caches(&step, &outputs);
    }
    worst
}

#[test]
fn decoded_tokens_have_the_logits_of_the_full_sequence() {
    for spec in DECODERS {
        let reference = Reference::new(spec);
        let wide = Reference {
            logits: {
                let model = program(&format!("{spec}&loss=false"));
                let inputs = widen_tensors(&random_inputs(&model, 7).unwrap());
                interp::run(&widen(&model), inputs).unwrap().remove(0)
            },
            ..Reference::new(spec)
        };
        for prompt in [0, 1, 13] {
            let single = decode(&reference, spec, prompt, &|program, inputs| interp::run(program, inputs).unwrap());
            assert!(single < 1e-5, "{spec}, prompt of {prompt}: {single}");
            let double = decode(&wide, spec, prompt, &|program, inputs| {
                interp::run(&widen(program), widen_tensors(&inputs)).unwrap()
            });
            assert!(double < 1e-12, "{spec}, prompt of {prompt} in f64: {double}");
        }
    }
}

/// Plans of a decoding step.
fn plans() -> Vec<(&'static str, Plan)> {
    let on = |axes: &[(&str, u32)]| Plan::new(Mesh::new(axes.iter().copied()).unwrap());
    vec![
        ("data", on(&[("data", 2)]).preset("data")),
        ("heads", on(&[("model", 2)]).preset("megatron")),
        ("more devices than key heads", on(&[("model", 4)]).preset("megatron")),
        ("context", on(&[("context", 2)]).preset("context")),
        ("context in uneven shards", on(&[("context", 3)]).preset("context")),
        ("heads and context", on(&[("model", 2), ("context", 2)]).preset("megatron,context")),
        ("stages", on(&[("data", 1)]).pipeline("2").micro_batches("2")),
        ("stages of heads", on(&[("model", 2)]).preset("megatron").pipeline("2").micro_batches("1")),
    ]
}

#[test]
fn partitioned_decoding_follows_the_full_sequence() {
    for spec in DECODERS {
        let reference = Reference::new(spec);
        for (name, plan) in plans() {
            let run = |program: &Program, inputs: Vec<Tensor>| {
                let part = program.partition(&plan).unwrap_or_else(|e| panic!("{spec}, {name}: {e}"));
                part.run(&inputs).unwrap_or_else(|e| panic!("{spec}, {name}: {e}"))
            };
            let difference = decode(&reference, spec, 24, &run);
            assert!(difference < 1e-5, "{spec}, {name}: {difference}");
        }
    }
}

#[test]
fn phases_agree_on_every_mesh() {
    for spec in DECODERS {
        for phase in ["prefill", "decode"] {
            let program = program(&format!("{spec}&phase={phase}"));
            for (name, plan) in plans() {
                for plan in [plan.clone(), plan.precision("**", "bf16")] {
                    super::partition_and_check(&program, &plan, &format!("{spec}, {phase}, {name}"));
                }
            }
        }
    }
}

/// A cache that is sharded along its positions is neither gathered nor copied: devices merge their results.
#[test]
fn a_sharded_cache_is_not_moved() {
    let decode = program(&format!("{}&phase=decode", DECODERS[2]));
    let plan = Plan::new(Mesh::new([("context", 2)]).unwrap()).preset("context");
    let report = decode.partition(&plan).unwrap().report();
    let cache = 2 * 2 * POSITIONS * 4 * 4;
    let kinds: Vec<&str> = report.collectives.iter().map(|c| c.kind).collect();
    assert!(kinds.iter().all(|kind| *kind == "all_reduce"), "{kinds:?}");
    assert!(!kinds.is_empty() && report.fallbacks.is_empty(), "{kinds:?}");
    assert!(report.collectives.iter().all(|c| c.payload_bytes < cache as u64 / 4), "{report}");
}

/// In inference in 16 bits, weights and caches are stored in 16 bits: half of the memory, and no conversions.
#[test]
fn weights_and_caches_are_stored_in_sixteen_bits() {
    let decode = program(&format!("{}&phase=decode", DECODERS[2]));
    let plan = Plan::new(Mesh::new([("data", 1)]).unwrap());
    let narrow = decode.partition(&plan.precision("**", "bf16")).unwrap();
    let step = narrow.planned();
    for &value in step.inputs() {
        let (name, dtype) = (step.path_of(value), step.ty(value).dtype);
        let wanted = if dtype.is_float() { DType::BF16 } else { DType::I64 };
        assert_eq!(dtype, wanted, "{name}");
    }
    for (input, output) in step.carried_inputs() {
        assert_eq!(step.ty(input), step.ty(step.outputs()[output].value));
    }
    assert_eq!(step.carried_inputs().len(), 4);
}
