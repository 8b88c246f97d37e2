//! Every pass by itself, by depth, on the program that the passes before it made.
//!
//! Each is measured in the first of several scenarios that has work for it.

use crate::models::{built_in, context, depths, expected, first, gpt, mesh, step, training};
use criterion::{BatchSize, BenchmarkId, Criterion};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Form, Phase, Program};
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input, Pass, Pipeline};
use partita_passes::pipelines::{self, Milestone};

/// A pass, with the program, the input and the findings that it gets.
struct Case {
    pass: Box<dyn Pass>,
    program: Program,
    input: Input,
    findings: Findings,
}

impl Case {
    fn new(name: &'static str, program: &Program, input: &Input, findings: &Findings) -> Case {
        let pass = pipelines::pass(name, program.form).unwrap_or_else(|| panic!("there is no pass {name}"));
        Case { pass, program: program.clone(), input: input.clone(), findings: findings.clone() }
    }

    fn applies(&self) -> bool {
        self.pass.applies(&self.program, &self.input, &self.findings)
    }

    fn bench(&self, c: &mut Criterion, layers: u32) {
        let run = |(mut program, mut findings): (Program, Findings)| {
            expected(self.pass.run(&mut program, &self.input, &mut findings).map_err(first));
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

/// What each pass finds on the way of a model to a local program, and those that run on demand in the last program of
/// their form.
fn cases(mut program: Program, input: &Input) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut findings = Findings::default();
    let mut last: Vec<(Form, Program, Findings)> = Vec::new();
    for info in expected(pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default())).infos() {
        let case = Case::new(info.name, &program, input, &findings);
        if !cases.iter().any(|known| known.pass.info().name == info.name && known.applies()) {
            cases.retain(|known| known.pass.info().name != info.name);
            cases.push(case);
        }
        last.retain(|(form, ..)| *form != program.form);
        last.push((program.form, program.clone(), findings.clone()));
        let pass = pipelines::pass(info.name, program.form);
        let alone = expected(Pipeline::new(pass.into_iter().collect()));
        expected(alone.run(&mut program, input, &mut findings, &mut |_| Ok(())).map_err(first));
    }
    for name in pipelines::names() {
        if cases.iter().any(|known| known.pass.info().name == name) {
            continue;
        }
        let found = last.iter().find_map(|(_, program, findings)| {
            let case = Case::new(name, program, input, findings);
            (case.pass.info().needs == program.form).then_some(case)
        });
        cases.push(found.unwrap_or_else(|| panic!("no program has the form that {name} needs")));
    }
    cases
}

/// Models with the plans that they are partitioned by.
fn scenarios(layers: u32) -> [(Program, Input); 5] {
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
        let scenarios = scenarios(layers).map(|(program, input)| cases(program, &input));
        for name in pipelines::names() {
            let mut of_pass = scenarios.iter().flatten().filter(|case| case.pass.info().name == name);
            let case = of_pass.find(|case| case.applies());
            case.unwrap_or_else(|| panic!("no scenario has work for {name}")).bench(c, layers);
        }
    }
}
