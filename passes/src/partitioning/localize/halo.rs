//! Halos: elements that a window reads from neighbouring shards.
//!
//! A device that computes the outputs `[o, o + m)` of a window with stride `s`, padding `low` and reach `r` reads the
//! inputs `[s o - low, s o - low + s (m - 1) + r)`. It has one shard of the input; elements to its left and right are
//! received from the neighbours by `permute`, over several hops if the halo is larger than a shard. The range is then
//! sliced from the extended shard, and elements outside of the input are replaced by the op's padding (GSPMD, Xu et al.
//! 2021, section 3.6).

use super::{Localizer, ShardedOp};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{DimShard, dim_shard, local_size};
use partita_ir::mesh::{Axes, DeviceMesh, shard_count};
use partita_ir::op::{OpKind, Padding};
use partita_ir::ops::{
    BinaryOp, Compare, Concatenate, Direction, DynamicSlice, Fill, Iota, Permute, Select, ShardStart, Slice,
};
use partita_ir::program::Values;
use partita_ir::rule::{FactorKind, Window, WindowReads};
use partita_ir::tensor::Scalar;

/// Input range that each device reads through a window along one dimension.
struct Halo {
    dim: usize,
    window: Window,
    /// Axes that shard input and output.
    axes: Axes,
    /// Global sizes.
    input: usize,
    output: usize,
    /// Range that the first device reads. The others read the same number of elements and crop identically.
    reads: WindowReads,
    /// Elements needed to the left and to the right of the shard.
    left: usize,
    right: usize,
    /// Offset of the range in the extended shard, if equal on all devices.
    offset: Option<usize>,
    /// True if some device reads padding.
    reads_padding: bool,
}

impl Localizer<'_> {
    /// Fetches the halo of every dimension of operand 0 whose window factor is sharded, and adapts the op's padding.
    pub(super) fn exchange_halos(&mut self, site: &ShardedOp, kind: &mut OpKind, args: &mut Values) {
        for (dim, factors) in site.rule.args.first().into_iter().flatten().enumerate() {
            let [factor] = factors[..] else { continue };
            let axes = &site.factors[factor.0 as usize];
            let FactorKind::Window(window) = site.rule.kind(factor) else { continue };
            let Some(windowed) = kind.interfaces().windowed else { continue };
            // A single shard has no neighbours.
            if shard_count(axes) == 1 {
                continue;
            }
            let output = site.rule.factors[factor.0 as usize].size;
            let halo = Halo::new(self.mesh, dim, window, axes.clone(), site.args[0].shape[dim], output);
            self.b.origin = site.origin_of_exchange(dim, "the window reads elements of neighbouring shards");
            args[0] = self.fetch(&halo, args[0], windowed.padding(), args);
            *kind = windowed.after_halo_exchange(dim, halo.reads.padding);
        }
        self.b.origin = site.op.origin.clone();
    }

    fn fetch(&mut self, halo: &Halo, value: ValueId, padding: Padding, args: &[ValueId]) -> ValueId {
        let extended = self.extend(halo, value);
        let span = self.slice_range(halo, extended);
        if halo.reads_padding { self.pad_overhang(halo, span, padding, args) } else { span }
    }

    /// Concatenates the shard with the elements needed from neighbours on both sides. Positions beyond the farthest
    /// neighbour are filled with zeros, and are always replaced by padding.
    fn extend(&mut self, halo: &Halo, value: ValueId) -> ValueId {
        let ty = self.b.program.values[value].local_type();
        let step = ty.shape[halo.dim];
        let mut parts = vec![value];
        let reach = step * (shard_count(&halo.axes) - 1);
        let (left, right) = (halo.left.min(reach), halo.right.min(reach));
        for (hop, count) in hops(left, step) {
            let end = self.slice_dim(value, halo.dim, step - count, step);
            parts.insert(0, self.shift(halo, end, hop as i64));
        }
        for (hop, count) in hops(right, step) {
            let begin = self.slice_dim(value, halo.dim, 0, count);
            parts.push(self.shift(halo, begin, -(hop as i64)));
        }
        if halo.left > left {
            parts.insert(0, self.filler(&ty, halo.dim, halo.left - left));
        }
        if halo.right > right {
            parts.push(self.filler(&ty, halo.dim, halo.right - right));
        }
        if parts.len() == 1 {
            return value;
        }
        let mut shape = ty.shape;
        shape[halo.dim] += halo.left + halo.right;
        self.b.op("halo", Concatenate { dim: halo.dim }, &parts, Type { shape, dtype: ty.dtype })
    }

    /// Returns zeros for positions beyond the farthest neighbour.
    fn filler(&mut self, ty: &Type, dim: usize, count: usize) -> ValueId {
        let mut ty = ty.clone();
        ty.shape[dim] = count;
        let fill = Fill::Zero.scalar(ty.dtype);
        self.b.splat(ty, fill)
    }

    fn slice_dim(&mut self, value: ValueId, dim: usize, start: usize, limit: usize) -> ValueId {
        let ty = self.b.program.values[value].local_type();
        if (start, limit) == (0, ty.shape[dim]) {
            return value;
        }
        let (mut from, mut to) = (ty.shape.clone(), ty.shape.clone());
        from.iter_mut().for_each(|x| *x = 0);
        (from[dim], to[dim]) = (start, limit);
        let mut shape = ty.shape;
        shape[dim] = limit - start;
        let slice = Slice {
            start: from.iter().copied().collect(),
            limit: to.iter().copied().collect(),
            stride: Default::default(),
        };
        self.b.op("part", slice, &[value], Type { shape, dtype: ty.dtype })
    }

    /// Sends the value of every device to the device `by` positions further along the axes.
    fn shift(&mut self, halo: &Halo, value: ValueId, by: i64) -> ValueId {
        let count = shard_count(&halo.axes) as i64;
        let pairs =
            (0..count).filter(|p| (0..count).contains(&(p + by))).map(|p| (p as u32, (p + by) as u32)).collect();
        let ty = self.b.program.values[value].local_type();
        self.b.op("from", Permute { axes: halo.axes.clone(), pairs }, &[value], ty)
    }

    /// Slices the range that this device reads from the extended shard.
    fn slice_range(&mut self, halo: &Halo, extended: ValueId) -> ValueId {
        if let Some(offset) = halo.offset {
            return self.slice_dim(extended, halo.dim, offset, offset + halo.reads.count);
        }
        let ty = self.b.program.values[extended].local_type();
        let start = self.span_start(halo, halo.left as i64, true);
        let zero = self.b.splat(Type::new(DType::I32, []), Scalar::Int(0));
        let mut operands = vec![extended];
        operands.extend((0..ty.shape.rank()).map(|d| if d == halo.dim { start } else { zero }));
        let mut shape = ty.shape;
        shape[halo.dim] = halo.reads.count;
        let sizes = shape.iter().copied().collect();
        self.b.op("span", DynamicSlice { sizes }, &operands, Type { shape, dtype: ty.dtype })
    }

    /// Returns the first element of the range plus a constant, as a scalar, relative to the input or to the device's
    /// shard.
    fn span_start(&mut self, halo: &Halo, offset_elements: i64, in_shard: bool) -> ValueId {
        let scalar = Type::new(DType::I32, []);
        let start = |b: &mut Self, size| {
            let op = ShardStart { size, axes: halo.axes.clone() };
            b.b.op("start", op, &[], Type::new(DType::I32, []))
        };
        let base = halo.window.base as i64;
        let out = start(self, halo.output);
        let mut at = self.b.binary_scalar(BinaryOp::Mul, out, halo.window.stride as f64);
        // Offset of the first device. The other offsets differ by multiples of the base dilation.
        let first = base * (halo.reads.first + offset_elements);
        let offset = self.b.splat(scalar, Scalar::Int(first));
        at = self.b.binary(BinaryOp::Add, at, offset);
        if base > 1 {
            at = self.b.binary_scalar(BinaryOp::Div, at, base as f64);
        }
        if in_shard {
            let shard_start = start(self, halo.input);
            at = self.b.binary(BinaryOp::Sub, at, shard_start);
        }
        at
    }

    /// Replaces elements outside of the input by the op's padding.
    fn pad_overhang(&mut self, halo: &Halo, span: ValueId, padding: Padding, args: &[ValueId]) -> ValueId {
        let ty = self.b.program.values[span].local_type();
        let index = Type { shape: ty.shape.clone(), dtype: DType::I32 };
        let bool_ty = Type { shape: ty.shape.clone(), dtype: DType::Bool };
        let start = self.span_start(halo, 0, false);
        let start = self.b.broadcast(start, &[], ty.shape.clone());
        let position = self.b.op("i", Iota { dim: halo.dim }, &[], index.clone());
        let position = self.b.binary(BinaryOp::Add, position, start);
        let compare = |b: &mut Self, direction, bound: usize| {
            let bound = b.b.splat(index.clone(), Scalar::Int(bound as i64));
            b.b.op("in", Compare { direction, total: false }, &[position, bound], bool_ty.clone())
        };
        let (low, high) = (compare(self, Direction::Ge, 0), compare(self, Direction::Lt, halo.input));
        let inside = self.b.binary(BinaryOp::And, low, high);
        let fill = match padding {
            Padding::Fill(fill) => self.b.splat(ty.clone(), fill.scalar(ty.dtype)),
            Padding::Operand(arg) => self.b.broadcast(args[arg], &[], ty.shape.clone()),
        };
        self.b.op("padded", Select {}, &[inside, span, fill], ty)
    }
}

/// Returns the hops of a halo as (distance, elements): `step` from each full neighbour, the rest from the last.
fn hops(elements: usize, step: usize) -> Vec<(usize, usize)> {
    let full = elements.checked_div(step).unwrap_or(0);
    let mut hops: Vec<(usize, usize)> = (1..=full).map(|h| (h, step)).collect();
    if step > 0 && !elements.is_multiple_of(step) {
        hops.push((full + 1, elements % step));
    }
    hops
}

impl Halo {
    fn new(mesh: &DeviceMesh, dim: usize, window: Window, axes: Axes, input: usize, output: usize) -> Halo {
        let reads = window.reads(0, local_size(output, &axes));
        let mut halo =
            Halo { dim, window, axes, input, output, reads, left: 0, right: 0, offset: None, reads_padding: false };
        // Per device with outputs, the start of its range relative to its shard of the input.
        let mut offsets: Vec<i64> = Vec::new();
        for rank in 0..mesh.device_count() {
            let coords = mesh.coords(rank);
            let out: DimShard = dim_shard(output, &halo.axes, mesh, &coords);
            if out.len == 0 {
                continue;
            }
            let own_shard = dim_shard(input, &halo.axes, mesh, &coords);
            let needs = window.reads(out.start, out.len);
            halo.reads_padding |= needs.first < 0 || needs.first + needs.count as i64 > input as i64;
            let offset = needs.first - own_shard.start as i64;
            halo.left = halo.left.max((-offset).max(0) as usize);
            halo.right = halo.right.max((offset + reads.count as i64 - own_shard.padded as i64).max(0) as usize);
            offsets.push(offset);
        }
        if let Some(&first) = offsets.first()
            && offsets.iter().all(|&o| o == first)
        {
            halo.offset = Some((first + halo.left as i64) as usize);
        }
        halo
    }
}
