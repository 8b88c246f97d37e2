//! `convolution`: each output a fold over the features of its group and the taps of its window.

use super::operands::Lowered;
use super::windows::tapped;
use crate::assembler::{Assembler, Value, combination};
use crate::kernels::steps::Lane;
use crate::target::Lowerer;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::Convolution;
use partita_lowering::view::View;

/// One kernel for all of them.
pub(crate) fn convolution(to: &mut Lowerer<'_>, id: OpId, op: &Convolution) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let [input, kernel] = &operands[..] else { return None };
    let out = to.program.ty(to.program.ops[id].outs[0]);
    if [input.dtype, kernel.dtype, out.dtype] != [DType::F32; 3] {
        return None;
    }
    // Dimensions in the order batch, features, space; of the kernel input features, output features, taps.
    let x = input.view.permuted(&op.dims.input);
    let k = kernel.view.permuted(&op.dims.kernel);
    let y = View::dense(&out.shape).permuted(&op.dims.output);
    let (features, groups) = (k.shape[0], op.feature_groups.0.max(op.batch_groups.0));
    let each = y.shape[1] / groups;

    let mut a = Assembler::default();
    let (line, item) = (a.given(Lane::I32), a.given(Lane::I32));
    let zero = a.float(0.0);
    let items: Vec<usize> = k.shape[2..].iter().chain([&features]).copied().collect();
    let product = if x.count() == 0 || k.count() == 0 {
        zero
    } else {
        let outputs = in_memory_order(&mut a, line, &y);
        let at = a.indices(item, &items);
        let (taps, feature) = (&at[..at.len() - 1], at[at.len() - 1]);
        let group = a.index(outputs[1], each, groups);
        let (mut batch, mut input_feature) = (outputs[0], feature);
        if op.batch_groups.0 > 1 {
            batch = a.dot(&[group, batch], &[y.shape[0] as isize, 1], 0);
        } else if groups > 1 {
            input_feature = a.dot(&[group, feature], &[features as isize, 1], 0);
        }
        let (mut of_x, mut of_k) = (vec![batch, input_feature], vec![feature, outputs[1]]);
        let mut conditions = Vec::new();
        for (d, window) in op.windows.iter().enumerate() {
            let sizes = (x.shape[d + 2], y.shape[d + 2]);
            let (element, condition) = tapped(&mut a, window, sizes, outputs[d + 2], taps[d]);
            conditions.extend(condition);
            of_x.push(element);
            let last = a.int(window.size - 1);
            of_k.push(if op.reverse.contains(&d) { a.sub(last, taps[d]) } else { taps[d] });
        }
        let place = a.dot(&of_x, &x.strides, x.offset);
        let number = a.load(0, place, Lane::F32);
        let number = match a.all(conditions) {
            Some(is_one) => a.select(is_one, number, zero),
            None => number,
        };
        let place = a.dot(&of_k, &k.strides, k.offset);
        let weight = a.load(1, place, Lane::F32);
        a.mul(number, weight)
    };
    let program = a.program(&[product]);
    let mut last = Assembler::default();
    let (line, sum) = (last.given(Lane::I32), last.given(Lane::F32));
    last.store(0, line, sum);
    let count = (y.count(), items.iter().product::<usize>().max(1));
    lowered.fold(to, count, vec![Lane::F32], (program, combination(Monoid::Sum, Lane::F32), last));
    Some(())
}

/// Of the element at a place of memory that a permuted view sees, the indices.
fn in_memory_order(a: &mut Assembler, place: Value, view: &View) -> Vec<Value> {
    let index = |(&size, &stride): (&usize, &isize)| a.index(place, stride.unsigned_abs().max(1), size);
    view.shape.iter().zip(&view.strides).map(index).collect()
}
