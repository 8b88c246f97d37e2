//! `early-reductions` (explicit -> explicit): moves reductions over devices before long ops that do not need them.
//!
//! Reductions are inserted before the first op that reads their result. A device continues with other ops after it has
//! started a reduction, until one of them reads the result, so that the ops before that one overlap with the
//! communication. Each reduction is moved before the first product, loop or other long op after its operand; short ops
//! stay adjacent, because they are executed together. The memory is the same: the operand ends earlier where the result
//! begins earlier. Reductions of inputs stay where they are. A `reduce_scatter` stays in its phase: gradients that the
//! update scatters, as in the first stage of ZeRO, would otherwise be scattered as in the second.
//!
//! Before:
//!
//! ```text
//! %p = reduce sum [0] %x : f32[4] sum(data)
//! %y = dot_general contract [0]x[0] %a, %b : f32[8, 8] whole
//! %s = all_reduce sum over data %p : f32[4] whole
//! %z = mul %s, %s : f32[4] whole
//! ```
//!
//! After:
//!
//! ```text
//! %p = reduce sum [0] %x : f32[4] sum(data)
//! %s = all_reduce sum over data %p : f32[4] whole
//! %y = dot_general contract [0]x[0] %a, %b : f32[8, 8] whole
//! %z = mul %s, %s : f32[4] whole
//! ```

use crate::driver::{Findings, Input, Pass, PassInfo};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::{Class, Collective};
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Program};
use rustc_hash::FxHashMap;

/// The pass.
pub struct EarlyReductions;

impl Pass for EarlyReductions {
    fn info(&self) -> PassInfo {
        PassInfo { name: "early-reductions", input_form: Form::Explicit, output_form: Form::Explicit, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        program.funcs_with_layouts().into_iter().any(|func| reordered(program, func).is_some())
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        for func in program.funcs_with_layouts() {
            if let Some(body) = reordered(program, func) {
                *program.funcs[func].ops_mut() = body;
            }
        }
        Ok(())
    }
}

/// Returns the ops of a function in their new order; `None` if it is the present one.
fn reordered(program: &Program, func: FuncId) -> Option<Vec<OpId>> {
    let body = program.funcs[func].ops();
    // Position of the first long op from each position on.
    let mut next_long = vec![body.len(); body.len() + 1];
    for (at, &op) in body.iter().enumerate().rev() {
        next_long[at] = if is_long(program.ops[op].kind.class()) { at } else { next_long[at + 1] };
    }
    // Position of the first op that may read each value.
    let mut available: FxHashMap<ValueId, usize> = FxHashMap::default();
    // Position of the op before which each op is placed, which is its own position if it stays.
    let mut places: Vec<usize> = Vec::with_capacity(body.len());
    let (mut phase, mut phase_start) = (None, 0);
    for (at, &id) in body.iter().enumerate() {
        let op = &program.ops[id];
        if phase.replace(op.phase) != Some(op.phase) {
            phase_start = at;
        }
        let operands = op.args.iter().map(|arg| available.get(arg).copied());
        let ready = operands.collect::<Option<Vec<usize>>>().and_then(|all| all.into_iter().max());
        let earliest = match op.kind.collective() {
            Some(Collective::AllReduce(_)) => ready,
            Some(Collective::ReduceScatter(_)) => ready.map(|ready| ready.max(phase_start)),
            Some(Collective::AllGather(_) | Collective::AllToAll(_) | Collective::Permute(_)) | None => None,
        };
        let place = earliest.map_or(at, |earliest| next_long[earliest].min(at));
        available.extend(op.outs.iter().map(|&out| (out, if place < at { place } else { at + 1 })));
        places.push(place);
    }
    let mut order: Vec<usize> = (0..body.len()).collect();
    // Reductions precede the op before which they are placed.
    order.sort_by_key(|&at| (places[at], places[at] == at, at));
    let is_changed = order.iter().enumerate().any(|(position, &at)| position != at);
    is_changed.then(|| order.into_iter().map(|at| body[at]).collect())
}

/// Returns true if ops of this class take much longer than others, or are not executed together with others.
fn is_long(class: Class<'_>) -> bool {
    match class {
        Class::Product | Class::Attention(_) | Class::Sorting | Class::LinearAlgebra => true,
        Class::Opaque(_) | Class::Control(_) | Class::Collective(_) => true,
        Class::Source(_) | Class::Random | Class::Elementwise | Class::Movement | Class::Indexing => false,
        Class::Reduction | Class::Normalisation | Class::Update | Class::Layout(_) | Class::Device(_) => false,
    }
}
