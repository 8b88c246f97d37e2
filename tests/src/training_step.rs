//! Small training steps that are compared with one device.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use crate::agree::{run_partitioned, run_unpartitioned};
use partita_ir::diag::Source;
use partita_ir::interp::{random_inputs, widen, widen_tensors};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_runtime::check::compare;

/// A training step.
pub struct TrainingStep {
    /// The step of one device.
    pub unpartitioned: Program,
    /// The local program of one of several devices.
    pub local: Program,
}

impl TrainingStep {
    /// Builds and partitions the training step of a program.
    pub fn new(model: &str, plan: Plan) -> TrainingStep {
        let mut program = parse(&Source::new("block.pir", model)).unwrap_or_else(|e| panic!("{}", e[0]));
        let text = plan.to_toml();
        let (input, mut findings) = (Input::with_plan(plan), Findings::default());
        pipelines::build_step(&mut program, &input, &mut findings).unwrap();
        let unpartitioned = widen(&program);
        pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default())
            .unwrap()
            .run(&mut program, &input, &mut findings, &mut |_| Ok(()))
            .unwrap_or_else(|e| panic!("{text}: {}", e[0]));
        TrainingStep { unpartitioned, local: widen(&program) }
    }

    /// Returns inputs, and outputs of one device.
    pub fn reference(&self, seed: u64) -> (Vec<Tensor>, Vec<Tensor>) {
        let mut begun = self.unpartitioned.clone();
        begun.params.values_mut().for_each(|param| param.init = None);
        let inputs = widen_tensors(&random_inputs(&begun, seed).unwrap());
        let outputs = run_unpartitioned(&self.unpartitioned, &inputs).unwrap();
        (inputs, outputs)
    }

    /// Returns true if the devices agree with one device.
    pub fn agrees(&self, local: &Program, (inputs, want): &(Vec<Tensor>, Vec<Tensor>)) -> bool {
        let names: Vec<&str> = self.unpartitioned.outputs().iter().map(|o| o.name.as_str()).collect();
        let same = |got: Vec<Tensor>| compare(names.iter().copied(), &got, want, 1e-9).iter().all(|d| d.ok);
        run_partitioned(local, inputs).is_ok_and(same)
    }
}
