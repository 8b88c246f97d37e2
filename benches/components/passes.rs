//! Each pass in isolation, at several depths, on the program produced by the passes before it.
//!
//! A pass is measured in the first scenario in which it changes the program.

use crate::models::{
    built_in, depths, first_message, gpt, mesh, pass_input, training_plan, training_step, unwrap_or_panic,
};
use criterion::{BatchSize, BenchmarkId, Criterion};
use partita_ir::diag::Source;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Form, Phase, Program};
use partita_ir::text::parse;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input, Pass, Pipeline};
use partita_passes::pipelines::{self, Milestone};

/// A pass with its input program, pass input and findings.
struct Case {
    pass: Box<dyn Pass>,
    program: Program,
    input: Input,
    findings: Findings,
}

impl Case {
    fn new(name: &'static str, program: &Program, input: &Input, findings: &Findings) -> Case {
        let pass = pipelines::pass_by_name(name, program.form).unwrap_or_else(|| panic!("unknown pass {name}"));
        Case { pass, program: program.clone(), input: input.clone(), findings: findings.clone() }
    }

    fn applies(&self) -> bool {
        self.pass.applies(&self.program, &self.input, &self.findings)
    }

    fn bench(&self, c: &mut Criterion, layers: u32) {
        let run = |(mut program, mut findings): (Program, Findings)| {
            unwrap_or_panic(self.pass.run(&mut program, &self.input, &mut findings).map_err(first_message));
            program
        };
        let mut group = c.benchmark_group("passes");
        group.sample_size(10);
        group.bench_function(BenchmarkId::new(self.pass.info().name, layers), |b| {
            b.iter_batched(|| (self.program.clone(), self.findings.clone()), run, BatchSize::LargeInput);
        });
        group.finish();
    }
}

/// Returns a case for each pass: the program as it enters the pass on the way from model to local form, and for passes
/// that run on demand, the last program of the form that the pass requires.
fn cases(mut program: Program, input: &Input) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut findings = Findings::default();
    let mut last: Vec<(Form, Program, Findings)> = Vec::new();
    for info in unwrap_or_panic(pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default())).infos() {
        let case = Case::new(info.name, &program, input, &findings);
        if !cases.iter().any(|known| known.pass.info().name == info.name && known.applies()) {
            cases.retain(|known| known.pass.info().name != info.name);
            cases.push(case);
        }
        last.retain(|(form, ..)| *form != program.form);
        last.push((program.form, program.clone(), findings.clone()));
        let pass = pipelines::pass_by_name(info.name, program.form);
        let alone = unwrap_or_panic(Pipeline::new(pass.into_iter().collect()));
        unwrap_or_panic(alone.run(&mut program, input, &mut findings, &mut |_| Ok(())).map_err(first_message));
    }
    for name in pipelines::pass_names() {
        if cases.iter().any(|known| known.pass.info().name == name) {
            continue;
        }
        let found = last.iter().find_map(|(_, program, findings)| {
            let case = Case::new(name, program, input, findings);
            (case.pass.info().input_form == program.form).then_some(case)
        });
        cases.push(found.unwrap_or_else(|| panic!("no program has the input form of {name}")));
    }
    cases
}

/// Returns the models and the plans that partition them.
fn scenarios(layers: u32) -> [(Program, Input); 11] {
    let inference = Plan::new(mesh()).preset("megatron").precision("blocks.**", "int8");
    let inference = inference.pipeline("1").micro_batches("2");
    // The phases of ops are unknown in imported training steps.
    let mut imported = training_step(layers);
    imported.ops.values_mut().for_each(|op| op.phase = Phase::Forward);
    // Eight heads over three devices.
    let uneven = Plan::new(unwrap_or_panic(Mesh::new([("data", 2), ("model", 3)]))).preset("megatron");
    // Tokens are counted along a sharded dimension.
    let counting = built_in(&format!("zoo:moe?layers={layers}&width=64&experts=4&seq=64&batch=8"));
    let split = Plan::new(mesh()).shard("input.0", "data, model, _");
    let sequences = Plan::new(unwrap_or_panic(Mesh::new([("model", 2)]))).preset("megatron,sequence");
    let overlapped = sequences.overlap("all_gather,reduce_scatter");
    [
        (gpt(layers), pass_input(training_plan())),
        (gpt(layers), pass_input(inference)),
        (imported, pass_input(Plan::new(mesh()))),
        (gpt(layers), pass_input(uneven)),
        (counting, pass_input(split)),
        (gpt(layers), pass_input(Plan::new(context_mesh()).preset("context"))),
        (decoder(layers), pass_input(Plan::new(context_mesh()).shard("input.1", "context, _"))),
        (gpt(layers), pass_input(overlapped)),
        (sorted_rows(layers), pass_input(Plan::new(mesh()))),
        (joined_batches(layers), pass_input(Plan::new(mesh()))),
        (sliced_blocks(layers), pass_input(Plan::new(mesh()))),
    ]
}

fn context_mesh() -> Mesh {
    unwrap_or_panic(Mesh::new([("context", 2)]))
}

/// Returns attentions of two queries to a cache of keys.
fn decoder(layers: u32) -> Program {
    let mut text = "form traced\ninput %y0 : f32[2, 64]\ninput %keys : f32[1024, 64]\n".to_owned();
    for layer in 1..=layers {
        let before = layer - 1;
        text += &format!("  %y{layer} = attention scale 0.5 %y{before}, %keys, %keys : f32[2, 64]\n");
    }
    text += &format!("output %y{layers} \"y\"\n");
    unwrap_or_panic(parse(&Source::new("decoder.pir", text)).map_err(first_message))
}

/// Returns a loop that adds the blocks of a value, each after it has passed through layers.
fn sliced_blocks(layers: u32) -> Program {
    let mut text = "form traced\nfunc @body(%i: i32[], %x: f32[64, 32], %sum: f32[16, 32]) {\n  \
                      %size = constant 16 : i32[]\n  \
                      %start = mul %i, %size : i32[]\n  \
                      %zero = constant 0 : i32[]\n  \
                      %y0 = dynamic_slice [16, 32] %x, %start, %zero : f32[16, 32]\n"
        .to_owned();
    for layer in 1..=layers {
        let before = layer - 1;
        text += &format!("  %y{layer} = tanh %y{before} : f32[16, 32]\n");
    }
    text += &format!(
        "  %next = add %sum, %y{layers} : f32[16, 32]\n  \
           %one = constant 1 : i32[]\n  \
           %n = add %i, %one : i32[]\n  \
           return %n, %x, %next\n}}\n\
         input %all : f32[64, 32]\n  \
           %first = constant 0 : i32[]\n  \
           %none = constant 0.0 : f32[16, 32]\n  \
           %last, %same, %y = loop 4 of @body %first, %all, %none : i32[], f32[64, 32], f32[16, 32]\n\
         output %y\n"
    );
    unwrap_or_panic(parse(&Source::new("sliced_blocks.pir", text)).map_err(first_message))
}

/// Returns layers that compute a function of two concatenated batches.
fn joined_batches(layers: u32) -> Program {
    let mut text = "form traced\ninput %a : f32[64, 32]\ninput %b : f32[64, 32]\n  \
                      %y0 = concatenate dim 0 %a, %b : f32[128, 32]\n"
        .to_owned();
    for layer in 1..=layers {
        let before = layer - 1;
        text += &format!("  %y{layer} = tanh %y{before} : f32[128, 32]\n");
    }
    text += &format!("  %y = slice [0, 0] to [64, 32] %y{layers} : f32[64, 32]\noutput %y\n");
    unwrap_or_panic(parse(&Source::new("joined_batches.pir", text)).map_err(first_message))
}

/// Returns layers that sort rows, compute a function of each, and put them back in their places.
fn sorted_rows(layers: u32) -> Program {
    let mut text = "form traced\ninput %labels : i32[64]\ninput %y0 : f32[64, 32]\n".to_owned();
    for layer in 1..=layers {
        let before = layer - 1;
        text += &format!(
            "  %t{layer}, %order{layer} = top_k 64 %labels : i32[64], i32[64]\n  \
               %at{layer} = reshape %order{layer} : i32[64, 1]\n  \
               %rows{layer} = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 32] \
             %y{before}, %at{layer} : f32[64, 32]\n  \
               %new{layer} = tanh %rows{layer} : f32[64, 32]\n  \
               %zero{layer} = constant 0.0 : f32[64, 32]\n  \
               %y{layer} = scatter set window [1] inserted [0] map [0] vector 1 \
             %zero{layer}, %at{layer}, %new{layer} : f32[64, 32]\n"
        );
    }
    text += &format!("output %y{layers} \"y\"\n");
    unwrap_or_panic(parse(&Source::new("sorted_rows.pir", text)).map_err(first_message))
}

pub fn bench(c: &mut Criterion) {
    for &layers in depths() {
        let scenarios = scenarios(layers).map(|(program, input)| cases(program, &input));
        for name in pipelines::pass_names() {
            let mut of_pass = scenarios.iter().flatten().filter(|case| case.pass.info().name == name);
            let case = of_pass.find(|case| case.applies());
            case.unwrap_or_else(|| panic!("no scenario exercises the pass {name}")).bench(c, layers);
        }
    }
}
