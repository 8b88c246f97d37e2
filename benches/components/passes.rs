//! Every pass by itself, by depth, on the program that the passes before it made.
//!
//! Each is measured in the first of several scenarios that has work for it.

use crate::models::{built_in, context, depths, expected, first, gpt, mesh, step, training};
use criterion::{BatchSize, BenchmarkId, Criterion};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Form, Phase, Program};
use partita_passes::driver::{Cx, Pass, Pipeline};
use partita_passes::pipelines;

/// A pass, with the program and the context that it finds.
struct Case {
    pass: Box<dyn Pass>,
    program: Program,
    cx: Cx,
}

impl Case {
    fn new(name: &'static str, program: &Program, cx: &Cx) -> Case {
        let pass = pipelines::pass(name, program.form).unwrap_or_else(|| panic!("there is no pass {name}"));
        Case { pass, program: program.clone(), cx: cx.clone() }
    }

    fn applies(&self) -> bool {
        self.pass.applies(&self.program, &self.cx)
    }

    fn bench(&self, c: &mut Criterion, layers: u32) {
        let run = |(mut program, mut cx): (Program, Cx)| {
            expected(self.pass.run(&mut program, &mut cx).map_err(first));
            program
        };
        let mut group = c.benchmark_group("passes");
        group.sample_size(10);
        group.bench_function(BenchmarkId::new(self.pass.info().name, layers), |b| {
            b.iter_batched(|| (self.program.clone(), self.cx.clone()), run, BatchSize::LargeInput);
        });
        group.finish();
    }
}

/// What each pass finds on the way of a model to a local program, and those that run on demand in the last program of
/// their form.
fn cases(mut program: Program, mut cx: Cx) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut last: Vec<(Form, Program, Cx)> = Vec::new();
    for info in expected(pipelines::partition()).infos() {
        let case = Case::new(info.name, &program, &cx);
        if !cases.iter().any(|known| known.pass.info().name == info.name && known.applies()) {
            cases.retain(|known| known.pass.info().name != info.name);
            cases.push(case);
        }
        last.retain(|(form, ..)| *form != program.form);
        last.push((program.form, program.clone(), cx.clone()));
        let pass = pipelines::pass(info.name, program.form);
        let alone = expected(Pipeline::new(pass.into_iter().collect()));
        expected(alone.run(&mut program, &mut cx, &mut |_| Ok(())).map_err(first));
    }
    for name in pipelines::names() {
        if cases.iter().any(|known| known.pass.info().name == name) {
            continue;
        }
        let found = last.iter().find_map(|(_, program, cx)| {
            let case = Case::new(name, program, cx);
            (case.pass.info().needs == program.form).then_some(case)
        });
        cases.push(found.unwrap_or_else(|| panic!("no program has the form that {name} needs")));
    }
    cases
}

/// Models with the plans that they are partitioned by.
fn scenarios(layers: u32) -> [(Program, Cx); 5] {
    let inference = Plan::new(mesh()).preset("megatron").precision("blocks.**", "int8");
    let inference = inference.pipeline("1").micro_batches("2");
    // Training steps that come from elsewhere do not say which part of them an op belongs to.
    let mut imported = step(layers);
    imported.ops.values_mut().for_each(|op| op.phase = Phase::Forward);
    // Eight heads on three devices.
    let uneven = Plan::new(expected(Mesh::new([("data", 2), ("model", 3)]))).preset("megatron");
    // Tokens are counted along a dimension that is split.
    let counting = built_in(&format!("zoo:moe?layers={layers}&width=64&experts=4&seq=64&batch=8"));
    let split = Plan::new(mesh()).shard("input.0", "data, model, _");
    [
        (gpt(layers), context(training())),
        (gpt(layers), context(inference)),
        (imported, context(Plan::new(mesh()))),
        (gpt(layers), context(uneven)),
        (counting, context(split)),
    ]
}

pub fn bench(c: &mut Criterion) {
    for &layers in depths() {
        let scenarios = scenarios(layers).map(|(program, cx)| cases(program, cx));
        for name in pipelines::names() {
            let mut of_pass = scenarios.iter().flatten().filter(|case| case.pass.info().name == name);
            let case = of_pass.find(|case| case.applies());
            case.unwrap_or_else(|| panic!("no scenario has work for {name}")).bench(c, layers);
        }
    }
}
