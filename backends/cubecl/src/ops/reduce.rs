//! Reductions that are not part of a fused loop: of integers and `bool`, and by a function of scalars.

use super::operands::{LoweredOp, Operand};
use super::scalar::call;
use crate::assembler::{Assembler, Value, combine_program};
use crate::gpu::Lowerer;
use crate::kernels::steps::RegClass;
use partita_ir::arena::OpId;
use partita_ir::ops::{Reduce, ReduceFunc};

/// Dimensions of the operand of a reduction: a line for each index of the retained dimensions, and an item for each
/// index of the reduced ones.
struct ReduceDims {
    retained: Vec<usize>,
    reduced: Vec<usize>,
    retained_shape: Vec<usize>,
    reduced_shape: Vec<usize>,
}

impl ReduceDims {
    fn new(shape: &[usize], reduced: &[usize]) -> ReduceDims {
        let retained: Vec<usize> = (0..shape.len()).filter(|d| !reduced.contains(d)).collect();
        let sizes = |dims: &[usize]| dims.iter().map(|&d| shape[d]).collect();
        ReduceDims {
            retained_shape: sizes(&retained),
            reduced_shape: sizes(reduced),
            retained,
            reduced: reduced.to_vec(),
        }
    }

    fn count(&self) -> (usize, usize) {
        (self.retained_shape.iter().product(), self.reduced_shape.iter().product())
    }

    /// Computes the indices of an item of a line.
    fn indices(&self, a: &mut Assembler, line: Value, item: Value) -> Vec<Value> {
        let none = a.int(0);
        let mut at = vec![none; self.retained.len() + self.reduced.len()];
        for (&d, index) in self.retained.iter().zip(a.indices(line, &self.retained_shape)) {
            at[d] = index;
        }
        for (&d, index) in self.reduced.iter().zip(a.indices(item, &self.reduced_shape)) {
            at[d] = index;
        }
        at
    }
}

/// Lowers a reduction by a monoid.
pub(crate) fn reduce(to: &mut Lowerer<'_>, id: OpId, op: &Reduce) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [x] = &operands[..] else { return None };
    let dims = ReduceDims::new(&x.view.shape, &op.dims);
    let count = dims.count();
    let identity = op.monoid.identity(x.dtype);
    if count.1 == 0 {
        let mut a = Assembler::default();
        let identity = a.scalar(x.dtype, identity)?;
        lowered.output(0).store_here(&mut a, identity);
        lowered.pointwise(to, count.0, a);
        return Some(());
    }
    let mut a = Assembler::default();
    let (line, item) = (a.next_register(RegClass::I32), a.next_register(RegClass::I32));
    let at = dims.indices(&mut a, line, item);
    let number = x.load(&mut a, &at);
    let item = a.program(&[number]);
    let mut last = Assembler::default();
    let (line, all) = (last.next_register(RegClass::I32), last.next_register(x.class));
    lowered.output(0).store(&mut last, line, all);
    lowered.fold(to, count, vec![x.class], (item, combine_program(op.monoid, x.class), last));
    Some(())
}

/// Lowers a reduction of one or several operands by a function.
pub(crate) fn reduce_func(to: &mut Lowerer<'_>, id: OpId, op: &ReduceFunc) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let (tensors, initial) = operands.split_at(operands.len() / 2);
    let program = to.program;
    let dims = ReduceDims::new(&tensors.first()?.view.shape, &op.dims);
    let count = dims.count();
    let classes: Vec<RegClass> = tensors.iter().map(|x| x.class).collect();
    let load = |a: &mut Assembler, operands: &[Operand], at: &[Value]| -> Vec<Value> {
        operands.iter().map(|x| x.load(a, at)).collect()
    };
    if count.1 == 0 {
        let mut a = Assembler::default();
        let element = a.element();
        let first = load(&mut a, initial, &[]);
        first.iter().enumerate().for_each(|(out, &number)| lowered.output(out).store(&mut a, element, number));
        lowered.pointwise(to, count.0, a);
        return Some(());
    }
    let mut a = Assembler::default();
    let (line, item) = (a.next_register(RegClass::I32), a.next_register(RegClass::I32));
    let at = dims.indices(&mut a, line, item);
    let numbers = load(&mut a, tensors, &at);
    let item = a.program(&numbers);

    let mut a = Assembler::default();
    let both: Vec<Value> = classes.iter().chain(&classes).map(|&class| a.next_register(class)).collect();
    let combined = call(&mut a, program, op.body, &both)?;
    let combine = a.program(&combined);

    let mut a = Assembler::default();
    let line = a.next_register(RegClass::I32);
    let all: Vec<Value> = classes.iter().map(|&class| a.next_register(class)).collect();
    let mut both = load(&mut a, initial, &[]);
    both.extend(all);
    let results = call(&mut a, program, op.body, &both)?;
    results.iter().enumerate().for_each(|(out, &number)| lowered.output(out).store(&mut a, line, number));
    lowered.fold(to, count, classes, (item, combine, a));
    Some(())
}
