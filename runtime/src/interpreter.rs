//! The backend that evaluates every op by its reference: one step an op, nothing fused.

use crate::compile::{Lowering, compile};
use crate::executor::Executable;
use crate::kernel::Reference;
use crate::routine::{Action, Held, Routine, Slot, Span, Step};
use partita_ir::arena::{FuncId, ValueId};
use partita_ir::diag::Diagnostic;
use partita_ir::op::OpKind;
use partita_ir::verify::{Local, Verified};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Compiles a program to reference evaluations.
///
/// # Errors
/// As [`compile`].
pub(crate) fn interpreted(program: Verified<'_, Local>) -> Result<Executable, Diagnostic> {
    compile(program, 1, &|_| (), &mut |lowering, func| Ok(lower(lowering, func)))
}

fn lower(lowering: &mut Lowering, func: FuncId) -> Routine {
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
    for &id in &func.body {
        let op = &program.ops[id];
        let reads = spans(&slots, &op.args);
        let new = |out: ValueId, routine: &mut Routine| {
            let bytes = lowering.ty(out).bytes() as usize;
            routine.slot(Held::Temporary(bytes))
        };
        if let OpKind::Loop(l) = &op.kind {
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
        let action = if op.kind.is_collective() {
            Action::Meet { in_place: matches!(op.kind, OpKind::AllReduce(_)) }
        } else {
            let kernel = Arc::new(Reference::new(program.clone(), id));
            Action::Compute { kernel, scratch: 0, in_place: Vec::new() }
        };
        routine.steps.push(Step { op: id, reads, writes: spans(&slots, &op.outs), action });
    }
    routine.outputs = func.outputs.iter().map(|o| Span::whole(slots[&o.value])).collect();
    routine
}
