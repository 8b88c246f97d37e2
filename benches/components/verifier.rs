//! The verifier on programs of each form, by depth.

use crate::models::{context, depths, expected, first, gpt, training};
use criterion::{BenchmarkId, Criterion};
use partita_ir::program::{Form, Program};
use partita_ir::verify::verify;
use partita_passes::driver::Findings;
use partita_passes::driver::variant::Variant;
use partita_passes::pipelines::{self, Milestone};
use std::hint::black_box;

/// The last program of each form on the way from a model to a local program.
fn of_each_form(mut program: Program) -> Vec<(Form, Program)> {
    let mut found: Vec<(Form, Program)> = Vec::new();
    let partition = expected(pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default()));
    let ran = partition.run(&mut program, &context(training()), &mut Findings::default(), &mut |ran| {
        found.retain(|(form, _)| *form != ran.program.form);
        found.push((ran.program.form, ran.program.clone()));
        Ok(())
    });
    expected(ran.map_err(first));
    found
}

pub fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("verifier");
    group.sample_size(10);
    for &layers in depths() {
        for (form, program) in of_each_form(gpt(layers)) {
            group.bench_function(BenchmarkId::new(form.name(), layers), |b| {
                b.iter(|| verify(black_box(&program)).is_ok());
            });
        }
    }
    group.finish();
}
