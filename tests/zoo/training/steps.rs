//! Many steps of training, on one device and on all devices of a plan.

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

/// A plan for a mesh of those axes.
pub fn mesh(axes: &[(&str, u32)]) -> Plan {
    Plan::new(Mesh::new(axes.iter().copied()).unwrap())
}

/// A plan for one device.
pub fn alone() -> Plan {
    mesh(&[("data", 1)])
}

/// A training step before it is laid out, and what to give it.
pub struct Task {
    what: String,
    pub program: Program,
    /// In `f64`.
    wide: bool,
}

/// What many steps gave.
#[derive(Clone, PartialEq, Debug)]
pub struct Trained {
    /// The loss of each step.
    pub losses: Vec<f64>,
    /// The outputs of the last step.
    pub outputs: Vec<Tensor>,
}

impl Task {
    /// The training step of a built-in model, in `f64`.
    pub fn new(spec: &str, plan: &Plan) -> Task {
        Task { wide: true, ..Task::narrow(spec, plan) }
    }

    /// The same in the model's own element types.
    pub fn narrow(spec: &str, plan: &Plan) -> Task {
        let mut program = traced(spec);
        let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
        let what = format!("{spec} by {:?}", plan.train.as_ref().map(|t| t.text.clone()));
        pipelines::make_step(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{what}: {e:?}"));
        Task { what, program, wide: false }
    }

    /// What the first step takes.
    pub fn start(&self) -> Vec<Tensor> {
        self.data(0)
    }

    /// What a step takes that has none before it.
    pub fn data(&self, step: u64) -> Vec<Tensor> {
        let inputs = random_inputs(&self.program, 1 + step).unwrap_or_else(|e| panic!("{}: {e}", self.what));
        if self.wide { widen_tensors(&inputs) } else { inputs }
    }

    /// Runs steps: what each gives replaces what it took, and the data is drawn anew.
    pub fn steps(&self, start: Vec<Tensor>, count: u64, run: impl Fn(&[Tensor]) -> Vec<Tensor>) -> Trained {
        let main = &self.program.funcs[self.program.entry()];
        let (mut inputs, mut losses, mut outputs) = (start, Vec::new(), Vec::new());
        for step in 0..count {
            if step > 0 {
                inputs = self.next(&inputs, &outputs, step);
            }
            outputs = run(&inputs);
            assert_eq!(outputs.len(), main.outputs.len(), "{}", self.what);
            losses.push(outputs[0].get(0).to_f64());
        }
        Trained { losses, outputs }
    }

    /// What a step takes, from what the one before it took and gave.
    pub fn next(&self, inputs: &[Tensor], outputs: &[Tensor], step: u64) -> Vec<Tensor> {
        let (main, fresh) = (&self.program.funcs[self.program.entry()], self.data(step));
        let each = main.inputs.iter().zip(inputs).zip(fresh);
        each.map(|((&value, old), fresh)| match self.program.param_of(value) {
            None => fresh,
            Some(param) => {
                let new = main.outputs.iter().position(|o| o.alias == Some(param));
                new.map_or(old, |at| &outputs[at]).clone()
            }
        })
        .collect()
    }

    /// On one device, without a compiler.
    pub fn alone(&self, start: Vec<Tensor>, count: u64) -> Trained {
        let widened = widen(&self.program);
        let program = if self.wide { &widened } else { &self.program };
        self.steps(start, count, |inputs| {
            interp::run(program, inputs.to_vec()).unwrap_or_else(|e| panic!("{}: {e}", self.what))
        })
    }

    /// On the devices of a partition of the same step.
    pub fn together(&self, part: &Partition, start: Vec<Tensor>, count: u64) -> Trained {
        self.on(&Cpu, part, start, count)
    }

    /// The same, one op after the other by their references: what is fused with what decides the order of sums.
    pub fn op_by_op(&self, part: &Partition, start: Vec<Tensor>, count: u64) -> Trained {
        self.on(&Interpreter, part, start, count)
    }

    fn on(&self, backend: &dyn Backend, part: &Partition, start: Vec<Tensor>, count: u64) -> Trained {
        let names = |program: &Program| -> Vec<String> {
            let main = &program.funcs[program.entry()];
            let inputs = main.inputs.iter().map(|&v| program.path_of(v).to_owned());
            inputs.chain(main.outputs.iter().map(|o| o.name.to_string())).collect()
        };
        assert_eq!(names(&self.program), names(part.planned()), "{}", self.what);
        let local = if self.wide { widen(part.local().unwrap()) } else { part.local().unwrap().clone() };
        let proof = verify(&local).unwrap_or_else(|e| panic!("{}: {e:?}", self.what));
        let devices = backend.compile(proof.of().unwrap()).unwrap_or_else(|e| panic!("{}: {e:?}", self.what));
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
