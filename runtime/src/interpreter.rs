//! The backend that evaluates every op by its reference: one step an op, nothing fused.

use crate::backend::Backend;
use crate::compile::{Compiled, Devices, Lowering, compile};
use crate::executor::{Direct, Executable};
use crate::kernel::{Kernel, Reference};
use crate::routine::{Action, Held, Routine, Slot, Span, Step};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::verify::{Local, Verified};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Chooses the kernel of an op that is neither a collective nor a loop.
pub type Choose<'c> = &'c dyn Fn(&Arc<Program>, OpId) -> Arc<dyn Kernel>;

/// Compiles a program to one step an op, each computed by the kernel that is chosen for it.
///
/// # Errors
/// As [`compile`].
pub fn interpreted(program: Verified<'_, Local>, kernel: Choose<'_>) -> Result<Direct, Diagnostic> {
    Direct::new(compile(program, Devices::here(1), &|_, _| (), &mut |lowering, func| {
        Ok(lower(lowering, func, kernel))
    })?)
}

fn reference(program: &Arc<Program>, op: OpId) -> Arc<dyn Kernel> {
    Arc::new(Reference::new(program.clone(), op))
}

/// Evaluates every op by its reference, on the devices of one process.
pub struct Interpreter;

impl Backend for Interpreter {
    fn compile(&self, program: Verified<'_, Local>) -> Result<Direct, Diagnostic> {
        interpreted(program, &reference)
    }

    fn compile_task(&self, task: Verified<'_, Local>) -> Result<Compiled<Arc<dyn Kernel>>, Diagnostic> {
        compile(task, Devices::here(1).apart(), &|_, _| (), &mut |lowering, func| Ok(lower(lowering, func, &reference)))
    }
}

/// Runs a program in form local by the ops' reference evaluations: whole inputs to whole outputs.
///
/// # Errors
/// As [`Backend::compile`] and [`Executable::run`].
pub fn run_local(program: Verified<'_, Local>, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
    Interpreter.compile(program)?.run(inputs)
}

fn lower(lowering: &mut Lowering, func: FuncId, kernel: Choose<'_>) -> Routine<Arc<dyn Kernel>> {
    let program = lowering.program.clone();
    let func = &program.funcs[func];
    let mut routine = Routine::default();
    let mut slots: FxHashMap<ValueId, Slot> = FxHashMap::default();
    for (i, &input) in func.inputs.iter().enumerate() {
        slots.insert(input, routine.slot(Held::Input(i)));
    }
    let spans = |slots: &FxHashMap<ValueId, Slot>, values: &[ValueId]| -> Vec<Span> {
        values.iter().map(|v| Span::whole(slots[v])).collect()
    };
    for &id in func.ops() {
        let op = &program.ops[id];
        let reads = spans(&slots, &op.args);
        let new = |out: ValueId, routine: &mut Routine<_>| {
            let bytes = lowering.bytes(out);
            routine.slot(Held::Temporary(bytes))
        };
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            let mut writes = Vec::new();
            for ((&arg, &out), unchanged) in op.args.iter().zip(&op.outs).zip(lowering.unchanged(l)) {
                let slot = if unchanged { slots[&arg] } else { new(out, &mut routine) };
                slots.insert(out, slot);
                if !unchanged {
                    writes.push(Span::whole(slot));
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
            Some(collective) => Action::Meet { in_place: collective.may_overwrite() },
            None => Action::Compute { kernel: kernel(&program, id), scratch: 0, in_place: Vec::new() },
        };
        routine.steps.push(Step { op: id, reads, writes: spans(&slots, &op.outs), action });
    }
    routine.outputs = func.outputs.iter().map(|o| Span::whole(slots[&o.value])).collect();
    routine
}
