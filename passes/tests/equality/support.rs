//! Shared parts of the equality tests.

use partita_ir::diag::Source;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::text::parse;
use partita_ir::verify::{Verified, verify};
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};

/// The built-in MLP, as traced.
pub const MLP: &str = include_str!("../../../tests/mlp.pir");

/// Returns a plan given by flags.
pub fn plan(mesh: &str, preset: &str, train: Option<&str>) -> Plan {
    let plan = Plan::default().with_mesh_flag(mesh).unwrap().preset(preset);
    match train {
        Some(train) => plan.train(train),
        None => plan,
    }
}

/// Returns the traced step of a plan.
pub fn traced_step(text: &str, plan: &Plan) -> Program {
    let mut program = parse(&Source::new("test.pir", text)).unwrap();
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    pipelines::build_step(&mut program, &input, &mut findings).unwrap();
    program
}

/// Returns the program of one device.
pub fn partitioned(program: &Program, plan: &Plan) -> Program {
    let mut program = program.clone();
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default())
        .unwrap()
        .run(&mut program, &input, &mut findings, &mut |_| Ok(()))
        .unwrap();
    program
}

/// Returns the program with the proof of its form.
pub fn verified(program: &Program) -> Verified<'_> {
    verify(program).unwrap()
}
