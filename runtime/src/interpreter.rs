//! Interpreter backend, which evaluates every op with its reference implementation, without fusion.

use crate::backend::Backend;
use crate::compile::{Compiled, DeviceConfig, Lowering, compile};
use crate::executor::{Direct, Executable};
use crate::kernel::{Kernel, ReferenceKernel};
use crate::routine::{Action, Routine, Slot, SlotKind, Span, Step};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::verify::{Local, Verified};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Callback that returns the kernel of an op that is neither a collective nor a loop.
pub type ChooseKernel<'c> = &'c dyn Fn(&Arc<Program>, OpId) -> Arc<dyn Kernel>;

/// Compiles a program to one step for each op, with kernels chosen by a callback.
///
/// # Errors
/// Same as [`compile`].
pub fn interpreted(program: Verified<'_, Local>, kernel: ChooseKernel<'_>) -> Result<Direct, Diagnostic> {
    Direct::new(compile(program, DeviceConfig::in_process(1), &|_, _| (), &mut |lowering, func| {
        Ok(lower(lowering, func, kernel))
    })?)
}

fn reference(program: &Arc<Program>, op: OpId) -> Arc<dyn Kernel> {
    Arc::new(ReferenceKernel::new(program.clone(), op))
}

/// Backend that evaluates every op with its reference implementation on the devices of one process.
pub struct Interpreter;

impl Backend for Interpreter {
    fn compile(&self, program: Verified<'_, Local>) -> Result<Direct, Diagnostic> {
        interpreted(program, &reference)
    }

    fn compile_task(&self, task: Verified<'_, Local>) -> Result<Compiled<Arc<dyn Kernel>>, Diagnostic> {
        compile(task, DeviceConfig::in_process(1).without_replica_dedup(), &|_, _| (), &mut |lowering, func| {
            Ok(lower(lowering, func, &reference))
        })
    }
}

/// Runs a local program with the reference implementations of its ops, on global inputs.
///
/// # Errors
/// Same as [`Backend::compile`] and [`Executable::run`].
pub fn run_local(program: Verified<'_, Local>, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
    Interpreter.compile(program)?.run(inputs)
}

fn lower(lowering: &mut Lowering, func: FuncId, kernel: ChooseKernel<'_>) -> Routine<Arc<dyn Kernel>> {
    let program = lowering.program.clone();
    let func = &program.funcs[func];
    let mut routine = Routine::default();
    let mut slots: FxHashMap<ValueId, Slot> = FxHashMap::default();
    for (i, &input) in func.inputs.iter().enumerate() {
        slots.insert(input, routine.add_slot(SlotKind::Input(i)));
    }
    let spans = |slots: &FxHashMap<ValueId, Slot>, values: &[ValueId]| -> Vec<Span> {
        values.iter().map(|v| Span::from_slot(slots[v])).collect()
    };
    for &id in func.ops() {
        let op = &program.ops[id];
        let reads = spans(&slots, &op.args);
        let new = |out: ValueId, routine: &mut Routine<_>| {
            let bytes = lowering.bytes(out);
            routine.add_slot(SlotKind::Temporary(bytes))
        };
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            let mut writes = Vec::new();
            for ((&arg, &out), unchanged) in op.args.iter().zip(&op.outs).zip(lowering.loop_invariant(l)) {
                let slot = if unchanged { slots[&arg] } else { new(out, &mut routine) };
                slots.insert(out, slot);
                if !unchanged {
                    writes.push(Span::from_slot(slot));
                }
            }
            routine.steps.push(lowering.loop_step(id, l, reads, writes));
            continue;
        }
        for &out in &op.outs {
            let slot = new(out, &mut routine);
            slots.insert(out, slot);
        }
        let action = match op.kind.collective() {
            Some(collective) => Action::Collective { in_place: collective.may_overwrite() },
            None => Action::Compute { kernel: kernel(&program, id), scratch: 0, in_place: Vec::new() },
        };
        routine.steps.push(Step { op: id, reads, writes: spans(&slots, &op.outs), action });
    }
    routine.outputs = func.outputs.iter().map(|o| Span::from_slot(slots[&o.value])).collect();
    routine
}
