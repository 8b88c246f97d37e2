//! Reductions that are not part of a fused loop: of integers and `bool`, and by a function of scalars.

use super::operands::{Lowered, Operand};
use super::scalar::call;
use crate::assembler::{Assembler, Value, combination};
use crate::gpu::Lowerer;
use crate::kernels::steps::Lane;
use partita_ir::arena::OpId;
use partita_ir::ops::{Reduce, ReduceFunc};

/// The dimensions of what is reduced: a line for each index of those that are kept, and an item for each of the others.
struct Dims {
    kept: Vec<usize>,
    gone: Vec<usize>,
    kept_shape: Vec<usize>,
    gone_shape: Vec<usize>,
}

impl Dims {
    fn of(shape: &[usize], gone: &[usize]) -> Dims {
        let kept: Vec<usize> = (0..shape.len()).filter(|d| !gone.contains(d)).collect();
        let sizes = |dims: &[usize]| dims.iter().map(|&d| shape[d]).collect();
        Dims { kept_shape: sizes(&kept), gone_shape: sizes(gone), kept, gone: gone.to_vec() }
    }

    fn count(&self) -> (usize, usize) {
        (self.kept_shape.iter().product(), self.gone_shape.iter().product())
    }

    /// Indices of an item of a line.
    fn indices(&self, a: &mut Assembler, line: Value, item: Value) -> Vec<Value> {
        let none = a.int(0);
        let mut at = vec![none; self.kept.len() + self.gone.len()];
        for (&d, index) in self.kept.iter().zip(a.indices(line, &self.kept_shape)) {
            at[d] = index;
        }
        for (&d, index) in self.gone.iter().zip(a.indices(item, &self.gone_shape)) {
            at[d] = index;
        }
        at
    }
}

/// A reduction by a monoid.
pub(crate) fn reduce(to: &mut Lowerer<'_>, id: OpId, op: &Reduce) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let [x] = &operands[..] else { return None };
    let dims = Dims::of(&x.view.shape, &op.dims);
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
    let (line, item) = (a.given(Lane::I32), a.given(Lane::I32));
    let at = dims.indices(&mut a, line, item);
    let number = x.load(&mut a, &at);
    let item = a.program(&[number]);
    let mut last = Assembler::default();
    let (line, all) = (last.given(Lane::I32), last.given(x.lane));
    lowered.output(0).store(&mut last, line, all);
    lowered.fold(to, count, vec![x.lane], (item, combination(op.monoid, x.lane), last));
    Some(())
}

/// A reduction of several operands by a function.
pub(crate) fn reduce_func(to: &mut Lowerer<'_>, id: OpId, op: &ReduceFunc) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let (tensors, initial) = operands.split_at(operands.len() / 2);
    let program = to.program;
    let dims = Dims::of(&tensors.first()?.view.shape, &op.dims);
    let count = dims.count();
    let lanes: Vec<Lane> = tensors.iter().map(|x| x.lane).collect();
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
    let (line, item) = (a.given(Lane::I32), a.given(Lane::I32));
    let at = dims.indices(&mut a, line, item);
    let numbers = load(&mut a, tensors, &at);
    let item = a.program(&numbers);

    let mut a = Assembler::default();
    let both: Vec<Value> = lanes.iter().chain(&lanes).map(|&lane| a.given(lane)).collect();
    let combined = call(&mut a, program, op.body, &both)?;
    let combine = a.program(&combined);

    let mut a = Assembler::default();
    let line = a.given(Lane::I32);
    let all: Vec<Value> = lanes.iter().map(|&lane| a.given(lane)).collect();
    let mut both = load(&mut a, initial, &[]);
    both.extend(all);
    let results = call(&mut a, program, op.body, &both)?;
    results.iter().enumerate().for_each(|(out, &number)| lowered.output(out).store(&mut a, line, number));
    lowered.fold(to, count, lanes, (item, combine, a));
    Some(())
}
