//! Sequences of training steps, on one device and on all devices of a plan.

use super::models::traced;
use partita::TOLERANCE_F64;
use partita::prelude::*;
use partita_cpu::Cpu;
use partita_ir::interp::{self, random_inputs, widen, widen_tensors};
use partita_ir::verify::verify;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use partita_runtime::backend::Backend;
use partita_runtime::check::compare;
use partita_runtime::executor::Executable;
use partita_runtime::interpreter::Interpreter;

/// Returns a plan for a mesh of the given axes.
pub fn mesh(axes: &[(&str, u32)]) -> Plan {
    Plan::new(Mesh::new(axes.iter().copied()).unwrap())
}

/// Returns a plan for one device.
pub fn single_device_plan() -> Plan {
    mesh(&[("data", 1)])
}

/// A training step before propagation, with its inputs.
pub struct Task {
    what: String,
    pub program: Program,
    /// True for `f64`.
    wide: bool,
}

/// Results of a sequence of steps.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// The loss of each step.
    pub losses: Vec<f64>,
    /// The outputs of the last step.
    pub outputs: Vec<Tensor>,
}

impl Task {
    /// Returns the training step of a built-in model, in `f64`.
    pub fn new(spec: &str, plan: &Plan) -> Task {
        Task { wide: true, ..Task::narrow(spec, plan) }
    }

    /// Returns the training step of a built-in model in its own element types.
    pub fn narrow(spec: &str, plan: &Plan) -> Task {
        let mut program = traced(spec);
        let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
        let what = format!("{spec} by {:?}", plan.train.as_ref().map(|t| t.text.clone()));
        pipelines::build_step(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{what}: {e:?}"));
        Task { what, program, wide: false }
    }

    /// Returns the inputs of the first step.
    pub fn start(&self) -> Vec<Tensor> {
        self.data(0)
    }

    /// Returns the inputs of step `step` without a predecessor.
    pub fn data(&self, step: u64) -> Vec<Tensor> {
        let inputs = random_inputs(&self.program, 1 + step).unwrap_or_else(|e| panic!("{}: {e}", self.what));
        if self.wide { widen_tensors(&inputs) } else { inputs }
    }

    /// Runs a sequence of steps: outputs replace the inputs that they update, and data is generated for each step.
    pub fn steps(&self, start: Vec<Tensor>, count: u64, run: impl Fn(&[Tensor]) -> Vec<Tensor>) -> Trained {
        let main = &self.program.funcs[self.program.entry()];
        let (mut inputs, mut losses, mut outputs) = (start, Vec::new(), Vec::new());
        for step in 0..count {
            if step > 0 {
                inputs = self.next_inputs(&inputs, &outputs, step);
            }
            outputs = run(&inputs);
            assert_eq!(outputs.len(), main.outputs.len(), "{}", self.what);
            losses.push(outputs[0].get(0).to_f64());
        }
        Trained { losses, outputs }
    }

    /// Returns the inputs of a step from the inputs and outputs of its predecessor.
    pub fn next_inputs(&self, inputs: &[Tensor], outputs: &[Tensor], step: u64) -> Vec<Tensor> {
        let (main, fresh) = (&self.program.funcs[self.program.entry()], self.data(step));
        let each = main.inputs.iter().zip(inputs).zip(fresh);
        each.map(|((&value, old), fresh)| match self.program.param_of(value) {
            None => fresh,
            Some(_) => {
                let new = main.outputs.iter().position(|o| o.replaces == Some(value));
                new.map_or(old, |at| &outputs[at]).clone()
            }
        })
        .collect()
    }

    /// Runs a sequence of steps on one device with the interpreter.
    pub fn run_on_one_device(&self, start: Vec<Tensor>, count: u64) -> Trained {
        let widened = widen(&self.program);
        let program = if self.wide { &widened } else { &self.program };
        self.steps(start, count, |inputs| {
            interp::run(program, inputs.to_vec()).unwrap_or_else(|e| panic!("{}: {e}", self.what))
        })
    }

    /// Runs a sequence of steps on the devices of a partition.
    pub fn run_partitioned(&self, part: &Partition, start: Vec<Tensor>, count: u64) -> Trained {
        self.run_with_backend(&Cpu, part, start, count)
    }

    /// Runs a sequence of steps on the devices of a partition, op by op with the interpreter: fusion changes the order
    /// of sums.
    pub fn run_op_by_op(&self, part: &Partition, start: Vec<Tensor>, count: u64) -> Trained {
        self.run_with_backend(&Interpreter, part, start, count)
    }

    fn run_with_backend(&self, backend: &dyn Backend, part: &Partition, start: Vec<Tensor>, count: u64) -> Trained {
        let names = |program: &Program| -> Vec<String> {
            let main = &program.funcs[program.entry()];
            let inputs = main.inputs.iter().map(|&v| program.path_of(v).to_owned());
            inputs.chain(main.outputs.iter().map(|o| o.name.to_string())).collect()
        };
        assert_eq!(names(&self.program), names(part.planned()), "{}", self.what);
        let local = if self.wide { widen(part.local().unwrap()) } else { part.local().unwrap().clone() };
        let proof = verify(&local).unwrap_or_else(|e| panic!("{}: {e:?}", self.what));
        let devices = backend.compile(proof.into_form().unwrap()).unwrap_or_else(|e| panic!("{}: {e:?}", self.what));
        self.steps(start, count, |inputs| devices.run(inputs).unwrap_or_else(|e| panic!("{}: {e:?}", self.what)))
    }

    /// Panics unless the losses of all steps and the outputs of the last agree.
    pub fn assert_close(&self, got: &Trained, wanted: &Trained, what: &str) {
        for (step, (a, b)) in got.losses.iter().zip(&wanted.losses).enumerate() {
            let off = (a - b).abs() / b.abs().max(1.0);
            assert!(off <= TOLERANCE_F64, "{}, {what}: the loss of step {step} is {a}, not {b}", self.what);
        }
        let names = self.program.outputs().iter().map(|o| o.name.as_str());
        let differences = compare(names, &got.outputs, &wanted.outputs, TOLERANCE_F64);
        let off: Vec<_> = differences.iter().filter(|d| !d.ok).map(|d| (&d.name, d.max_rel_diff)).collect();
        assert!(off.is_empty(), "{}, {what}: {off:?}", self.what);
        assert_eq!(got.losses.len(), wanted.losses.len());
    }
}

/// Partitions a built-in model.
pub fn part(spec: &str, plan: &Plan) -> Partition {
    traced(spec).partition(plan).unwrap_or_else(|e| panic!("{spec}: {e}"))
}
