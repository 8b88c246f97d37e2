//! The gradient of pooling along a sharded dimension: each device computes all windows that overlap with its shard of
//! the operand, from the elements that these windows read and their elements of the source. It discards what the
//! windows add to other shards.
//!
//! Windows ignore padding, whereas a value in its place could be selected. Positions before the first element and after
//! the last one are therefore copies of that element, and what is added to a copy is added to the element: the copies
//! are adjacent to their element in a window, so that they change no other selection.

use super::SelectAndScatter;
use crate::arena::ValueId;
use crate::dtype::{DType, Type};
use crate::layout::local_size;
use crate::mesh::shard_count;
use crate::program::Values;
use crate::program::build::Builder;
use crate::program::op::{ExchangedDim, Exchanging};
use crate::program::ops::{BinaryOp, Combine, Direction, Fill, Iota, Scatter, Select};
use crate::rule::Window;
use crate::syntax::attr::Dims;
use smallvec::smallvec;
use std::ops::Range;

impl Exchanging for SelectAndScatter {
    fn exchange(&self, b: &mut Builder<'_>, args: &[ValueId], dims: &[ExchangedDim]) -> Values {
        let (mut op, mut x, mut source) = (self.clone(), args[0], args[1]);
        let overlaps: Vec<Overlap<'_>> = dims.iter().map(|dim| Overlap::new(dim, &self.windows[dim.dim])).collect();
        for overlap in &overlaps {
            x = overlap.read_operand(b, x);
            source = overlap.read_source(b, source);
            let Window { size, stride, .. } = overlap.window;
            op.windows[overlap.dim.dim] = Window { size, stride, ..Window::default() };
        }
        let ty = b.program.values[x].local_type();
        let added = b.op("added", op, &[x, source], ty);
        smallvec![overlaps.iter().fold(added, |added, overlap| overlap.own_shard(b, added))]
    }
}

/// The windows that overlap with each device's shard along one dimension.
struct Overlap<'a> {
    dim: &'a ExchangedDim,
    window: Window,
    /// Number of elements of a shard of the operand.
    shard: usize,
    /// First window of each device.
    windows: Vec<i64>,
    /// Number of windows of a device.
    count: usize,
    /// First element that the windows of each device read.
    elements: Vec<i64>,
    /// Number of elements that the windows of a device read.
    span: usize,
}

impl<'a> Overlap<'a> {
    fn new(dim: &'a ExchangedDim, window: &Window) -> Overlap<'a> {
        let Window { size, stride, low, .. } = *window;
        let (size, stride) = (size as i64, stride as i64);
        let shard = local_size(dim.sizes[0], &dim.axes);
        let sources = local_size(dim.sizes[1], &dim.axes) as i64;
        let (mut windows, mut count) = (Vec::new(), 1);
        for device in 0..shard_count(&dim.axes) {
            let start = (device * shard) as i64 + low;
            let first = (start - size).div_euclid(stride) + 1;
            match windows.last() {
                // A device without elements reads at the same distance as the device before.
                Some(previous) if device * shard >= dim.sizes[0] => windows.push(previous + sources),
                _ => {
                    windows.push(first);
                    count = count.max((start + shard as i64 - 1).div_euclid(stride) + 1 - first);
                }
            }
        }
        let elements = windows.iter().map(|window| window * stride - low).collect();
        let span = ((count - 1) * stride + size) as usize;
        Overlap { dim, window: *window, shard, windows, count: count as usize, elements, span }
    }

    /// Appends the elements of the operand that this device's windows read.
    fn read_operand(&self, b: &mut Builder<'_>, x: ValueId) -> ValueId {
        let read = b.fetch_range(x, self.dim.dim, &self.dim.axes, &self.elements, self.span);
        if !self.reads_padding() {
            return read;
        }
        let index = self.existing_elements(b);
        b.take_local(read, index, self.dim.dim)
    }

    /// Appends the elements of the source of this device's windows: 0 for windows that do not exist or that contain
    /// only padding.
    fn read_source(&self, b: &mut Builder<'_>, source: ValueId) -> ValueId {
        let ExchangedDim { dim, axes, sizes } = self.dim;
        let read = b.fetch_range(source, *dim, axes, &self.windows, self.count);
        let valid = self.valid_windows();
        // Positions outside of all shards are 0 already.
        let positions = 0..(local_size(sizes[1], axes) * shard_count(axes)) as i64;
        let is_read = |window: i64| self.windows.iter().any(|first| (0..self.count as i64).contains(&(window - first)));
        if (positions.start..valid.start).chain(valid.end..positions.end).all(|window| !is_read(window)) {
            return read;
        }
        let ty = b.program.values[read].local_type();
        let index = b.op("index", Iota { dim: *dim }, &[], Type { shape: ty.shape.clone(), dtype: DType::I32 });
        let mut is_valid = [(valid.start, Direction::Ge), (valid.end, Direction::Lt)].map(|(bound, direction)| {
            let bounds: Vec<i64> = self.windows.iter().map(|first| bound - first).collect();
            let bound = b.entry_of_device(axes, &bounds);
            let bound = b.broadcast(bound, &[], ty.shape.clone());
            b.compare(index, direction, bound)
        });
        is_valid[0] = b.binary(BinaryOp::And, is_valid[0], is_valid[1]);
        let zero = b.splat(ty.clone(), Fill::Zero.scalar(ty.dtype));
        b.op("source", Select {}, &[is_valid[0], read, zero], ty)
    }

    /// Appends this device's shard of the result from the sums at all elements that its windows read.
    fn own_shard(&self, b: &mut Builder<'_>, added: ValueId) -> ValueId {
        let ExchangedDim { dim, axes, .. } = self.dim;
        let starts: Vec<i64> = (0i64..).zip(&self.elements).map(|(p, first)| p * self.shard as i64 - first).collect();
        let is_inside = |start: &i64| *start >= 0 && *start as usize + self.shard <= self.span;
        if !self.reads_padding() && starts.iter().all(is_inside) {
            return b.range_of_device(added, *dim, axes, &starts, self.shard);
        }
        let mut ty = b.program.values[added].local_type();
        let rank = ty.shape.rank();
        ty.shape[*dim] = self.shard;
        let index = self.existing_elements(b);
        let start = b.entry_of_device(axes, &starts);
        let start = b.broadcast(start, &[], [self.span]);
        let index = b.binary(BinaryOp::Sub, index, start);
        let zero = b.splat(ty.clone(), Fill::Zero.scalar(ty.dtype));
        let scatter = Scatter {
            combine: Combine::Sum,
            update_window_dims: (0..rank).filter(|d| d != dim).collect(),
            inserted_dims: Dims::from_slice(&[*dim]),
            operand_batch_dims: Dims::new(),
            index_batch_dims: Dims::new(),
            index_map: Dims::from_slice(&[*dim]),
            index_vector_dim: 1,
        };
        b.op("own", scatter, &[zero, index, added], ty)
    }

    fn reads_padding(&self) -> bool {
        let size = self.dim.sizes[0] as i64;
        self.elements.iter().any(|&first| first < 0 || first + self.span as i64 > size)
    }

    /// Returns the windows that exist and contain an element of the operand.
    fn valid_windows(&self) -> Range<i64> {
        let Window { size, stride, low, .. } = self.window;
        let (stride, [operand, source]) = (stride as i64, [self.dim.sizes[0], self.dim.sizes[1]].map(|n| n as i64));
        let start = (low - size as i64).div_euclid(stride) + 1;
        let end = (operand + low - 1).div_euclid(stride) + 1;
        let start = start.clamp(0, source);
        start..end.clamp(start, source)
    }

    /// Appends the position, among the elements that this device reads, of each of them, or of the nearest element of
    /// the operand for a position in padding.
    fn existing_elements(&self, b: &mut Builder<'_>) -> ValueId {
        let last = self.span as i64 - 1;
        let axes = &self.dim.axes;
        let mut bound = |element: i64| {
            let bounds: Vec<i64> = self.elements.iter().map(|first| (element - first).clamp(0, last)).collect();
            let bound = b.entry_of_device(axes, &bounds);
            b.broadcast(bound, &[], [self.span])
        };
        let (low, high) = (bound(0), bound(self.dim.sizes[0] as i64 - 1));
        let index = b.op("index", Iota { dim: 0 }, &[], Type::new(DType::I32, [self.span]));
        let index = b.binary(BinaryOp::Max, index, low);
        b.binary(BinaryOp::Min, index, high)
    }
}
