//! The adjoint of convolution: two convolutions.
//!
//! The gradient of the input convolves the gradient of the result, dilated by the stride, with the reversed kernel. The
//! gradient of the kernel convolves the input with the gradient of the result. Strides and dilations are exchanged.

use super::Adjoint;
use super::algebra::Algebra;
use super::windows::{backward_window, extent};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{Shape, Type};
use partita_ir::ops::{ConvDims, Convolution, GroupCount, Reverse};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;

/// Appends the adjoint of `convolution`. See the module documentation.
pub fn convolution(ctx: &mut Adjoint<'_, '_>, op: &Convolution) -> Result<(), String> {
    for i in 0..2 {
        if ctx.needs_gradient(i) {
            let ty = ctx.arg_type(i);
            // The result may have a wider type than the operands.
            let g = ctx.gradient();
            let g = ctx.b.converted(g, ty.dtype);
            let nothing = [ctx.arg(0), ctx.arg(1), g].iter().any(|&v| ctx.b.ty(v).shape.contains(&0));
            let other = ctx.arg(1 - i);
            let gradient = match i {
                _ if nothing => ctx.b.zeros(ty),
                0 => to_input(ctx.b, op, g, other, ty),
                _ => to_kernel(ctx.b, op, g, other, ty),
            };
            ctx.set_gradient(i, gradient);
        }
    }
    Ok(())
}

fn to_input(b: &mut Builder<'_>, op: &Convolution, g: ValueId, kernel: ValueId, ty: Type) -> ValueId {
    let ConvDims { input: xd, kernel: kd, output: yd } = &op.dims;
    let from = b.ty(g).shape;
    let window = |(d, window): (usize, &Window)| backward_window(window, ty.shape[xd[d + 2]], from[yd[d + 2]]);
    let windows: Vec<Window> = op.windows.iter().enumerate().map(window).collect();
    let mirrored = |d: &usize| windows[*d].size > 1 && !op.reverse.contains(d);
    let (features, batches) = (op.feature_groups.0, op.batch_groups.0);
    let groups = features.max(batches);
    // Input and output features are exchanged. Groups belong to the outputs in both cases.
    let kernel = regrouped(b, kernel, groups, kd[1], kd[0]);
    let mut kernel_dims = kd.clone();
    kernel_dims.swap(0, 1);
    let shape: Shape = (0..ty.shape.rank())
        .map(|d| match d {
            d if d == xd[0] => ty.shape[d] / batches,
            d if d == xd[1] => ty.shape[d] * batches,
            d => ty.shape[d],
        })
        .collect();
    let back = Convolution {
        dims: ConvDims { input: yd.clone(), kernel: kernel_dims, output: xd.clone() },
        reverse: (0..windows.len()).filter(mirrored).collect(),
        windows,
        feature_groups: GroupCount(groups),
        batch_groups: GroupCount(1),
    };
    let gradient = b.op("convolution", back, &[g, kernel], Type { shape, dtype: ty.dtype });
    regrouped(b, gradient, batches, xd[1], xd[0])
}

fn to_kernel(b: &mut Builder<'_>, op: &Convolution, g: ValueId, input: ValueId, ty: Type) -> ValueId {
    let ConvDims { input: xd, kernel: kd, output: yd } = &op.dims;
    let (x, y) = (b.ty(input).shape, b.ty(g).shape);
    let window = |(d, window): (usize, &Window)| {
        let (elements, outputs) = (x[xd[d + 2]], y[yd[d + 2]]);
        let exchanged = Window { size: outputs, stride: window.dilation, dilation: window.stride, ..*window };
        // The gradient of the kernel has as many outputs as the kernel has taps.
        let reach = extent(outputs, window.stride) + extent(window.size, window.dilation) - 1;
        Window { high: reach - extent(elements, window.base) - window.low, ..exchanged }
    };
    let swapped = |dims: &Dims| {
        let mut dims = dims.clone();
        dims.swap(0, 1);
        dims
    };
    let back = Convolution {
        dims: ConvDims { input: swapped(xd), kernel: yd.clone(), output: kd.clone() },
        windows: op.windows.iter().enumerate().map(window).collect(),
        reverse: Dims::new(),
        feature_groups: op.batch_groups,
        batch_groups: op.feature_groups,
    };
    let gradient = b.op("convolution", back, &[input, g], ty.clone());
    let dims: Dims = op.reverse.iter().map(|&d| kd[d + 2]).collect();
    if dims.is_empty() { gradient } else { b.op("reverse", Reverse { dims }, &[gradient], ty) }
}

/// Moves the groups of dimension `from` to the major part of dimension `to`.
fn regrouped(b: &mut Builder<'_>, x: ValueId, groups: usize, from: usize, to: usize) -> ValueId {
    if groups == 1 {
        return x;
    }
    let shape = b.ty(x).shape;
    let mut apart = shape.clone();
    apart[from] /= groups;
    apart.0.insert(from, groups);
    let mut result = shape;
    result[from] /= groups;
    result[to] *= groups;
    // Positions of the dimensions while the groups are a separate dimension at `from`.
    let shifted = |d: usize| if d < from { d } else { d + 1 };
    let part = |d: usize| if d == to { vec![from, shifted(d)] } else { vec![shifted(d)] };
    let perm: Vec<usize> = (0..result.rank()).flat_map(part).collect();
    let x = b.reshaped(x, apart);
    let x = b.transposed(x, &perm);
    b.reshaped(x, result)
}
