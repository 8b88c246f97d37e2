//! The verifier on programs of each form, at several depths.

use crate::models::{depths, first_message, gpt, pass_input, training_plan, unwrap_or_panic};
use criterion::{BenchmarkId, Criterion};
use partita_ir::program::{Form, Program};
use partita_ir::verify::verify;
use partita_passes::driver::Findings;
use partita_passes::driver::variant::Variant;
use partita_passes::pipelines::{self, Milestone};
use std::hint::black_box;

/// Returns the last program of each form on the way from a model to a local program.
fn last_of_each_form(mut program: Program) -> Vec<(Form, Program)> {
    let mut found: Vec<(Form, Program)> = Vec::new();
    let partition = unwrap_or_panic(pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default()));
    let ran = partition.run(&mut program, &pass_input(training_plan()), &mut Findings::default(), &mut |ran| {
        found.retain(|(form, _)| *form != ran.program.form);
        found.push((ran.program.form, ran.program.clone()));
        Ok(())
    });
    unwrap_or_panic(ran.map_err(first_message));
    found
}

pub fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("verifier");
    group.sample_size(10);
    for &layers in depths() {
        for (form, program) in last_of_each_form(gpt(layers)) {
            group.bench_function(BenchmarkId::new(form.name(), layers), |b| {
                b.iter(|| verify(black_box(&program)).is_ok());
            });
        }
    }
    group.finish();
}
