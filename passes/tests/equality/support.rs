//! What the tests of equality share.

use partita_ir::diag::Source;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::text::parse;
use partita_ir::verify::{Verified, verify};
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};

/// The built-in MLP, as it is traced.
pub const MLP: &str = include_str!("../../../tests/mlp.pir");

/// A plan of flags.
pub fn plan(mesh: &str, preset: &str, train: Option<&str>) -> Plan {
    let plan = Plan::default().mesh_flag(mesh).unwrap().preset(preset);
    match train {
        Some(train) => plan.train(train),
        None => plan,
    }
}

/// What is to be computed.
pub fn made(text: &str, plan: &Plan) -> Program {
    let mut program = parse(&Source::new("test.pir", text)).unwrap();
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    pipelines::make_step(&mut program, &input, &mut findings).unwrap();
    program
}

/// One device's program.
pub fn partitioned(program: &Program, plan: &Plan) -> Program {
    let mut program = program.clone();
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default())
        .unwrap()
        .run(&mut program, &input, &mut findings, &mut |_| Ok(()))
        .unwrap();
    program
}

/// The program with the proof of its form.
pub fn verified(program: &Program) -> Verified<'_> {
    verify(program).unwrap()
}
