//! Lowering of `scatter`. The dimensions along which index vectors position slices form rows, the others columns.

use super::gather::Slices;
use super::operands::LoweredOp;
use crate::assembler::{Assembler, Value};
use crate::gpu::Lowerer;
use crate::kernels::scatter::ScatterSpec;
use crate::kernels::steps::RegClass;
use crate::spec::KernelSpec;
use partita_ir::arena::OpId;
use partita_ir::ops::{BinaryOp, Scatter};

/// Lowers `scatter` to a kernel that applies the updates of each row.
pub(crate) fn scatter(to: &mut Lowerer<'_>, id: OpId, op: &Scatter) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [operand, indices, updates] = &operands[..] else { return None };
    let class = operand.class;
    let slices = Slices::from(op);
    let shape = &operand.view.shape[..];
    let rank = shape.len();
    let (row_dims, column_dims): (Vec<usize>, Vec<usize>) = (0..rank).partition(|&d| slices.is_positioned(d));
    let sizes = |dims: &[usize]| -> Vec<usize> { dims.iter().map(|&d| shape[d]).collect() };
    let (row_shape, column_shape) = (sizes(&row_dims), sizes(&column_dims));
    let outer_dims = slices.outer(updates.view.shape.len());
    let outer_shape: Vec<usize> = outer_dims.iter().map(|&d| updates.view.shape[d]).collect();
    // Slice size along each dimension of the operand.
    let length = |d: usize| slices.window_of(d).map_or(1, |w| updates.view.shape[w]);

    // Indices of the operand's element for a row and a column.
    let indices_of = |a: &mut Assembler, row: Value, column: Option<Value>| {
        let none = a.int(0);
        let mut at = vec![none; rank];
        for (&d, index) in row_dims.iter().zip(a.indices(row, &row_shape)) {
            at[d] = index;
        }
        if let Some(column) = column {
            for (&d, index) in column_dims.iter().zip(a.indices(column, &column_shape)) {
                at[d] = index;
            }
        }
        at
    };

    let mut a = Assembler::default();
    let (row, update) = (a.next_register(RegClass::I32), a.next_register(RegClass::I32));
    let at = indices_of(&mut a, row, None);
    let outer = a.indices(update, &outer_shape);
    let starts = slices.starts(&mut a, indices, &outer, rank);
    let mut conditions = Vec::new();
    for (d, start) in starts.into_iter().enumerate() {
        let Some(start) = start else { continue };
        // Without clamping, the distance to a start far outside of the operand could wrap around to a small number.
        let start = clamp_start(&mut a, start, shape[d], length(d));
        let within = a.sub(at[d], start);
        conditions.push(a.is_inside(within, length(d)));
    }
    let applies = match a.conjunction(conditions) {
        Some(applies) => applies,
        None => a.bits(RegClass::Bool, 1),
    };
    let applies = a.program(&[applies]);

    let mut a = Assembler::default();
    let (row, column) = (a.next_register(RegClass::I32), a.next_register(RegClass::I32));
    let at = indices_of(&mut a, row, Some(column));
    let old = operand.load(&mut a, &at);
    let old = a.program(&[old]);

    let mut a = Assembler::default();
    let (row, column, update) =
        (a.next_register(RegClass::I32), a.next_register(RegClass::I32), a.next_register(RegClass::I32));
    let current = a.next_register(class);
    let at = indices_of(&mut a, row, Some(column));
    let outer = a.indices(update, &outer_shape);
    let starts = slices.starts(&mut a, indices, &outer, rank);
    let none = a.int(0);
    let mut from = vec![none; updates.view.shape.len()];
    outer_dims.iter().zip(&outer).for_each(|(&d, &index)| from[d] = index);
    let mut conditions = Vec::new();
    for (d, start) in starts.into_iter().enumerate() {
        let Some(window) = slices.window_of(d) else { continue };
        from[window] = match start {
            Some(start) => a.sub(at[d], start),
            None => at[d],
        };
        if start.is_none() && length(d) < shape[d] {
            conditions.push(a.is_inside(at[d], length(d)));
            from[window] = a.clamped(at[d], length(d).saturating_sub(1));
        }
    }
    let new = updates.load(&mut a, &from);
    let combined = match op.combine.monoid() {
        Some(monoid) => a.combine(monoid, current, new),
        None => new,
    };
    let result = match a.conjunction(conditions) {
        Some(inside) => a.select(inside, combined, current),
        None => combined,
    };
    let update = a.program(&[result]);

    let mut a = Assembler::default();
    let (row, column) = (a.next_register(RegClass::I32), a.next_register(RegClass::I32));
    let current = a.next_register(class);
    let at = indices_of(&mut a, row, Some(column));
    let strides = partita_lowering::view::dense_strides(shape);
    let address = a.dot(&at, &strides, 0);
    lowered.output(0).store(&mut a, address, current);

    let kernel = ScatterSpec {
        rows: row_shape.iter().product(),
        columns: column_shape.iter().product(),
        // Updates without elements have no effect.
        updates: if updates.view.count() == 0 { 0 } else { outer_shape.iter().product() },
        class,
        applies,
        old,
        update,
        last: a.steps(),
    };
    let buffers = lowered.buffers();
    lowered.kernel(to, KernelSpec::Scatter(buffers, kernel));
    Some(())
}

/// Clamps the start of a slice so that differences do not wrap around. Slices outside of the operand remain outside.
fn clamp_start(a: &mut Assembler, start: Value, size: usize, length: usize) -> Value {
    let (lowest, highest) = (a.signed(-(length as i64)), a.int(size));
    let start = a.binary(BinaryOp::Max, start, lowest);
    a.binary(BinaryOp::Min, start, highest)
}
