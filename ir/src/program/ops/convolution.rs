//! `convolution`: convolution with any dimension order, strides, padding, dilations and groups, as in StableHLO. It
//! also expresses its own gradients.

use crate::dtype::{Shape, Type};
use crate::layout::Monoid;
use crate::numeric::kernel;
use crate::numeric::matmul::{Element, MatmulSizes, batched};
use crate::numeric::strided::{View, read, write};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, OpKind, Operation, Padding, Windowed, op};
use crate::program::ops::{Fill, check, sliding};
use crate::rule::{DimMap, FactorId, FactorKind, Rule, Window};
use crate::syntax::attr::{AttrNames, Dims};
use crate::syntax::{Attr, Cursor, lex};
use crate::tensor::Tensor;
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

op! {
    /// Convolution with any dimension order, strides, padding, dilations and groups, as in StableHLO. It also expresses
    /// its own gradients. Operands: input, kernel. The declared result type may be wider than the operand type.
    Convolution = "convolution" {
        /// Dimension numbers of batch, feature and spatial dimensions.
        "" dims: ConvDims,
        /// One window per spatial dimension, of the size of the kernel.
        "window" windows: Vec<Window>,
        /// Spatial dimensions in which the kernel is reversed, counted from 0.
        "reverse" reverse: Dims,
        /// Number of feature groups.
        "groups" feature_groups: GroupCount,
        /// Number of batch groups.
        "batch_groups" batch_groups: GroupCount,
    }
}

/// Dimension numbers of the operands and the result of a convolution.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ConvDims {
    /// Input: batch, feature, then the spatial dimensions.
    pub input: Dims,
    /// Kernel: input feature, output feature, then the spatial dimensions.
    pub kernel: Dims,
    /// Result: batch, feature, then the spatial dimensions.
    pub output: Dims,
}

impl ConvDims {
    /// Returns the dimension numbers for an input `[batch, feature, space ..]` of the given rank, a kernel `[output
    /// feature, input feature, space ..]`, and a result like the input. The rank is at least 2.
    pub fn channels_first(rank: usize) -> ConvDims {
        let natural: Dims = (0..rank).collect();
        let mut kernel = natural.clone();
        kernel.swap(0, 1);
        ConvDims { input: natural.clone(), kernel, output: natural }
    }
}

/// Text form: `[0, 1, 2, 3]x[1, 0, 2, 3]->[0, 1, 2, 3]`.
impl Attr for ConvDims {
    fn write(&self, out: &mut String, names: &AttrNames<'_>) {
        self.input.write(out, names);
        out.push('x');
        self.kernel.write(out, names);
        out.push_str("->");
        self.output.write(out, names);
    }
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> lex::Result<Self> {
        let input = Dims::read(c, names)?;
        c.expect("x")?;
        let kernel = Dims::read(c, names)?;
        c.expect("->")?;
        Ok(ConvDims { input, kernel, output: Dims::read(c, names)? })
    }
}

/// Number of groups; 1 by default.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupCount(pub usize);

impl Default for GroupCount {
    fn default() -> Self {
        GroupCount(1)
    }
}

impl Attr for GroupCount {
    fn write(&self, out: &mut String, names: &AttrNames<'_>) {
        self.0.write(out, names);
    }
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> lex::Result<Self> {
        Ok(GroupCount(usize::read(c, names)?))
    }
}

impl Convolution {
    /// Returns the number of feature or batch groups; at most one of them is greater than 1.
    fn groups(&self) -> usize {
        self.feature_groups.0.max(self.batch_groups.0)
    }
}

/// Checks that a list contains every dimension once.
fn check_order(what: &str, dims: &Dims, ty: &Type) -> Result<(), String> {
    check::per_dim(&format!("{what} dimension number"), dims.len(), ty)?;
    check::distinct_dims(dims, ty)
}

/// Returns the group size. Errors: `groups` does not divide `of`.
fn check_groups(groups: usize, of: usize, what: &str) -> Result<usize, String> {
    match of.checked_rem(groups) {
        Some(0) => Ok(of / groups),
        Some(_) => Err(format!("{of} {what} do not fall into {groups} groups")),
        None => Err("has 0 groups".into()),
    }
}

impl Operation for Convolution {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [input, kernel] = check::exactly(args)?;
        let dtype = check::product_dtype(input, kernel, declared)?;
        check_order("input", &self.dims.input, input)?;
        check_order("kernel", &self.dims.kernel, kernel)?;
        let rank = input.shape.rank();
        let out_dims = Type { shape: std::iter::repeat_n(1, rank).collect(), dtype };
        check_order("result", &self.dims.output, &out_dims)?;
        if rank < 2 || kernel.shape.rank() != rank {
            return Err(format!("needs a batch and a feature dimension in both operands, not {input} and {kernel}"));
        }
        check::per_dim("spatial window", self.windows.len() + 2, input)?;
        if let Some(d) = self.reverse.iter().find(|&&d| d >= rank - 2) {
            return Err(format!("mirrors spatial dimension {d} of {}", rank - 2));
        }
        let (x, k) = (|d: usize| input.shape[self.dims.input[d]], |d: usize| kernel.shape[self.dims.kernel[d]]);
        if self.feature_groups.0 > 1 && self.batch_groups.0 > 1 {
            return Err("cannot have feature groups and batch groups at once".into());
        }
        let features = check_groups(self.feature_groups.0, x(1), "input features")?;
        if features != k(0) {
            return Err(format!("the kernel takes {} input features, but a group of {input} has {features}", k(0)));
        }
        check_groups(self.groups(), k(1), "output features")?;
        let mut shape: Shape = std::iter::repeat_n(0, rank).collect();
        shape[self.dims.output[0]] = check_groups(self.batch_groups.0, x(0), "elements of the batch")?;
        shape[self.dims.output[1]] = k(1);
        for (d, window) in self.windows.iter().enumerate() {
            if window.size != k(d + 2) {
                return Err(format!("window {d} has size {}, but the kernel has {}", window.size, k(d + 2)));
            }
            shape[self.dims.output[d + 2]] = sliding::outputs(window, x(d + 2))?;
        }
        check::single_result(Type { shape, dtype })
    }

    fn class(&self) -> Class<'_> {
        Class::Product
    }

    /// `[n,x,c],[c,k,o] -> [n,y,o]` where windows of `k` slide along `x`, or windows of `y` if there are more taps than
    /// results (the gradient of a kernel). With groups: `[n,x,gc],[c,k,go] -> [n,y,go]` or `[gn,x,c],[c,k,go] ->
    /// [n,y,go]`.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let mut maps: [DimMap; 3] = std::array::from_fn(|_| smallvec![smallvec![]; args[0].shape.rank()]);
        let [input, kernel, output] = &mut maps;
        let size = |ty: &Type, dims: &Dims, d: usize| ty.shape[dims[d]];
        let ConvDims { input: xd, kernel: kd, output: yd } = &self.dims;
        let group = rule.dim(self.groups(), FactorKind::PassThrough);
        let grouped = |dim: &SmallVec<[FactorId; 2]>| group.iter().chain(dim).copied().collect();
        let features = rule.dim(size(args[1], kd, 1) / self.groups(), FactorKind::PassThrough);
        kernel[kd[1]] = grouped(&features);
        output[yd[1]] = grouped(&features);
        let batch = rule.dim(size(outs[0], yd, 0), FactorKind::PassThrough);
        input[xd[0]] = if self.batch_groups.0 > 1 { grouped(&batch) } else { batch.clone() };
        output[yd[0]] = batch;
        let summed = rule.dim(size(args[1], kd, 0), FactorKind::Reduce(Monoid::Sum));
        input[xd[1]] = if self.feature_groups.0 > 1 { grouped(&summed) } else { summed.clone() };
        kernel[kd[0]] = summed;
        for (d, window) in self.windows.iter().enumerate() {
            // Taps that correspond one to one to input elements are a reduction, unless they are reversed.
            let backwards = self.reverse.contains(&d);
            let inner = if backwards { FactorKind::NeedReplication } else { FactorKind::Reduce(Monoid::Sum) };
            let (x, y) = (size(args[0], xd, d + 2), size(outs[0], yd, d + 2));
            let along = if backwards || window.size <= y || sliding::tiles(window, x, y) {
                sliding::factors(&mut rule, window, x, y, inner, true)
            } else {
                sliding::tap_factors(&mut rule, window, x, y)
            };
            (input[xd[d + 2]], output[yd[d + 2]]) = (along.input, along.output);
            kernel[kd[d + 2]] =
                if along.taps.is_empty() { rule.dim(window.size, FactorKind::NeedReplication) } else { along.taps };
        }
        let [input, kernel, output] = maps;
        rule.args = smallvec![input, kernel];
        rule.outs = smallvec![output];
        rule.linear_in([0]).linear_in([1])
    }

    fn flops(&self, args: &[&Type], outs: &[&Type]) -> u64 {
        let features = self.dims.kernel.get(1).and_then(|&d| args[1].shape.get(d)).copied().unwrap_or(1).max(1);
        let products = (args[1].shape.count() / features) as u64;
        2u64.saturating_mul(outs[0].shape.count() as u64).saturating_mul(products)
    }

    fn to_local(&self, _: &[&Type], local_args: &[&Type], local_outs: &[&Type]) -> Self {
        let mut op = self.clone();
        let [input, kernel] = local_args[..] else { return op };
        let ConvDims { input: xd, kernel: kd, output: yd } = &self.dims;
        for (window, ((x, k), y)) in op.windows.iter_mut().zip(xd[2..].iter().zip(&kd[2..]).zip(&yd[2..])) {
            let taps = kernel.shape[*k];
            // Windows that tile the input, whose taps are sharded.
            let tiled = window.stride == window.size && input.shape[*x] == taps * local_outs[0].shape[*y];
            window.stride = if tiled { taps } else { window.stride };
            window.size = taps;
        }
        let batch = local_outs[0].shape[self.dims.output[0]];
        let groups = |of: usize, each: usize| GroupCount(of.checked_div(each).unwrap_or(1));
        if self.feature_groups.0 > 1 {
            op.feature_groups = groups(input.shape[self.dims.input[1]], kernel.shape[self.dims.kernel[0]]);
        }
        if self.batch_groups.0 > 1 {
            op.batch_groups = groups(input.shape[self.dims.input[0]], batch);
        }
        op
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { windowed: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [input, kernel] = check::exactly(args)?;
        let ty = check::declared_one(outs)?.clone();
        let columns = Im2Col::new(self, input.shape(), kernel.shape(), &ty.shape);
        let (input, kernel) = (kernel::cast(input, ty.dtype), kernel::cast(kernel, ty.dtype));
        let data = kernel::on_same_storage!((&input.data, &kernel.data), (x, k) => columns.product(x, k))?;
        Ok(vec![Tensor { ty, data }.wrapped()])
    }
}

impl Windowed for Convolution {
    fn after_halo_exchange(&self, dim: usize, padding: (i64, i64)) -> OpKind {
        let mut op = self.clone();
        for (window, _) in op.windows.iter_mut().zip(&self.dims.input[2..]).filter(|(_, d)| **d == dim) {
            (window.low, window.high) = padding;
        }
        op.into()
    }

    fn padding(&self) -> Padding {
        Padding::Fill(Fill::Zero)
    }
}

/// A convolution as one matrix product per group: each output position is a row of the elements that its window reads
/// (im2col; Chellapilla et al. 2006), and the kernel is a matrix `[taps x input features, features]`.
struct Im2Col<'a> {
    windows: &'a [Window],
    /// `[group, batch, spatial.., feature]`.
    input: View,
    /// `[group, spatial.., input feature, output feature]`.
    kernel: View,
    /// `[group, batch, spatial.., feature]`.
    output: View,
}

/// Maximum number of elements of the im2col matrix that is in memory at a time, unless one row is larger.
const MAX_IM2COL_ELEMENTS: usize = 1 << 20;

impl<'a> Im2Col<'a> {
    fn new(op: &'a Convolution, input: &Shape, kernel: &Shape, output: &Shape) -> Im2Col<'a> {
        let order = |dims: &Dims| -> Dims { [&dims[..1], &dims[2..], &dims[1..2]].concat().into() };
        let taps: Dims = [&op.dims.kernel[2..], &op.dims.kernel[..2]].concat().into();
        let split = if op.batch_groups.0 > 1 { op.dims.input[0] } else { op.dims.input[1] };
        let mut kernel = grouped(kernel, &taps, op.dims.kernel[1], op.groups());
        for &d in &op.reverse {
            // Dimension 0 is the group.
            kernel.offset += kernel.strides[d + 1] * (kernel.shape[d + 1] as isize - 1);
            kernel.strides[d + 1] *= -1;
        }
        Im2Col {
            windows: &op.windows,
            input: grouped(input, &order(&op.dims.input), split, op.groups()),
            kernel,
            output: grouped(output, &order(&op.dims.output), op.dims.output[1], op.groups()),
        }
    }

    fn product<T: Element>(&self, input: &[T], kernel: &[T]) -> Vec<T> {
        let (input, kernel) = (read(input, &self.input), read(kernel, &self.kernel));
        let rank = self.output.shape.rank();
        let (groups, features) = (self.output.shape[0], self.output.shape[rank - 1]);
        let positions: usize = self.output.shape[1..rank - 1].iter().product();
        let (x, k) = (self.input.shape.count() / groups, self.kernel.shape.count() / groups);
        let width = k.checked_div(features).unwrap_or(0);
        let mut products = Vec::with_capacity(self.output.shape.count());
        if self.output.shape.count() == 0 {
            return products;
        }
        for group in 0..groups {
            let (input, kernel) = (&input[group * x..][..x], &kernel[group * k..][..k]);
            let mut start = 0;
            while start < positions {
                let m = (MAX_IM2COL_ELEMENTS / width.max(1)).clamp(1, positions - start);
                let rows = self.rows(input, start..start + m, width);
                products.extend(batched(&rows, kernel, MatmulSizes { batch: 1, m, k: width, n: features }));
                start += m;
            }
        }
        let mut out = vec![T::ZERO; products.len()];
        write(&mut out, &self.output, &products);
        out
    }

    /// Returns the rows of a range of output positions, counted in row-major order of `[batch, spatial..]`.
    fn rows<T: Element>(&self, input: &[T], positions: Range<usize>, width: usize) -> Vec<T> {
        let features = self.input.shape[self.input.shape.rank() - 1];
        let mut rows = vec![T::ZERO; positions.len() * width];
        if rows.is_empty() {
            return rows;
        }
        let (mut reads, mut more) = (Vec::new(), Vec::new());
        for (row, position) in rows.chunks_exact_mut(width).zip(positions) {
            let mut rest = position;
            let mut at: Dims = smallvec![0; self.windows.len()];
            for (d, at) in at.iter_mut().enumerate().rev() {
                *at = rest % self.output.shape[d + 2];
                rest /= self.output.shape[d + 2];
            }
            // Pairs of a tap and the element that it reads, both in row-major order. The rest of the position is the
            // batch index.
            reads.clear();
            reads.push((0, rest));
            for (d, (window, &at)) in self.windows.iter().zip(&at).enumerate() {
                let size = self.input.shape[d + 2];
                let along: SmallVec<[(usize, usize); 16]> = sliding::reads(window, at, size).collect();
                let pair = |&(tap, element): &(usize, usize), &(t, e): &(usize, usize)| {
                    (tap * window.size + t, element * size + e)
                };
                more.clear();
                more.extend(reads.iter().flat_map(|outer| along.iter().map(move |inner| pair(outer, inner))));
                std::mem::swap(&mut reads, &mut more);
            }
            for &(tap, element) in &reads {
                row[tap * features..][..features].copy_from_slice(&input[element * features..][..features]);
            }
        }
        rows
    }
}

/// Returns a view with permuted dimensions, `dim` split into groups, and the group dimension first.
fn grouped(shape: &Shape, order: &[usize], dim: usize, groups: usize) -> View {
    let mut view = View::row_major(shape).permuted(order);
    if let Some(at) = order.iter().position(|&d| d == dim) {
        view.shape[at] /= groups;
        let step = view.strides[at] * view.shape[at] as isize;
        view.shape.0.insert(0, groups);
        view.strides.insert(0, step);
    }
    view
}

#[cfg(test)]
mod tests;
