//! Placement of rows and columns on the devices: their global positions, and the exchange that balances causal masks.
//!
//! Zig-zag placement (Brandon et al. 2023, "Striped Attention"; Llama 3): of `2 n` half shards, the device of rank `r`
//! gets the halves `r` and `2 n - 1 - r`. The even halves are the first halves of the contiguous shards and the odd ones
//! the second halves, and each device gets one of both kinds, so two permutes exchange them.

use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::divides;
use partita_ir::mesh::{Axes, shard_count};
use partita_ir::ops::{BinaryOp, Fill, Iota, Mask, Permute, SequenceShard, ShardStart};
use partita_ir::tensor::Scalar;

/// Placement of the rows of an attention, and of its columns if they are sharded.
pub(super) struct Placement {
    pub axes: Axes,
    /// Number of devices.
    pub n: usize,
    /// Global number of rows.
    size: usize,
    /// Rows of one device.
    pub local: usize,
    /// Position of row 0: the difference between the numbers of columns and rows.
    offset: i64,
    pub order: Order,
    /// Rank of this device, if positions depend on it.
    rank: Option<ValueId>,
    /// Type of positions.
    dtype: DType,
}

/// Order of the rows on the devices, and the positions that the mask needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// Contiguous shards of equal size without a causal mask: no positions.
    Unordered,
    /// Contiguous shards of equal size with a causal mask.
    Contiguous,
    /// An early and a late half shard on each device, with a causal mask.
    ZigZag,
    /// Contiguous shards with padding. Positions hide the padding; they are exchanged like the keys.
    Padded {
        /// True with a causal mask.
        causal: bool,
    },
}

impl Placement {
    pub fn new(
        b: &mut Builder<'_>,
        sequence: &SequenceShard,
        local: usize,
        columns: usize,
        causal: bool,
        is_masked: bool,
    ) -> Placement {
        let SequenceShard { size, axes } = sequence.clone();
        let n = shard_count(&axes);
        let order = match (divides(size, &axes), causal) {
            (false, _) => Order::Padded { causal },
            (true, false) => Order::Unordered,
            // Halves of a mask would have to be exchanged as well.
            (true, true) if is_masked || !local.is_multiple_of(2) => Order::Contiguous,
            (true, true) => Order::ZigZag,
        };
        let dtype = if size.max(columns) < i32::MAX as usize / 2 { DType::I32 } else { DType::I64 };
        let mut placement =
            Placement { offset: columns as i64 - size as i64, axes, n, size, local, order, rank: None, dtype };
        if matches!(order, Order::Contiguous | Order::ZigZag) || is_masked {
            placement.rank = Some(placement.shard_start(b, n));
        }
        placement
    }

    /// Appends this device's start of a dimension of `size` elements.
    fn shard_start(&self, b: &mut Builder<'_>, size: usize) -> ValueId {
        let start = ShardStart { size, axes: self.axes.clone() };
        b.op("start", start, &[], Type::new(self.dtype, Shape::scalar()))
    }

    fn iota(&self, b: &mut Builder<'_>, size: usize) -> ValueId {
        b.op("position", Iota { dim: 0 }, &[], Type::new(self.dtype, [size]))
    }

    /// Appends `start, start + 1, ...`.
    fn count_from(&self, b: &mut Builder<'_>, start: ValueId, size: usize) -> ValueId {
        let iota = self.iota(b, size);
        let start = b.broadcast(start, &[], [size]);
        b.binary(BinaryOp::Add, iota, start)
    }

    /// Appends the rank of the device `distance` after this one.
    fn rank_after(&self, b: &mut Builder<'_>, distance: usize) -> ValueId {
        let rank = match self.rank {
            Some(rank) => rank,
            None => self.shard_start(b, self.n),
        };
        if distance == 0 {
            return rank;
        }
        let rank = b.binary_scalar(BinaryOp::Add, rank, distance as f64);
        b.binary_scalar(BinaryOp::Rem, rank, self.n as f64)
    }

    /// Appends the positions of the shard of the device `distance` after this one, in the order of [`Self::exchange`].
    /// `None` if the attention needs none.
    fn shard_positions(&self, b: &mut Builder<'_>, distance: usize) -> Option<ValueId> {
        match self.order {
            Order::Unordered | Order::Padded { .. } => None,
            Order::Contiguous => {
                let rank = self.rank_after(b, distance);
                let start = b.binary_scalar(BinaryOp::Mul, rank, self.local as f64);
                Some(self.count_from(b, start, self.local))
            }
            Order::ZigZag => {
                let rank = self.rank_after(b, distance);
                // The even half first: `rank`, or `2 n - 1 - rank` if the rank is odd.
                let last = (2 * self.n - 1) as f64;
                let odd = b.binary_scalar(BinaryOp::Rem, rank, 2.0);
                let twice = b.binary_scalar(BinaryOp::Mul, rank, -2.0);
                let change = b.binary_scalar(BinaryOp::Add, twice, last);
                let change = b.binary(BinaryOp::Mul, odd, change);
                let even = b.binary(BinaryOp::Add, rank, change);
                let negated = b.binary_scalar(BinaryOp::Mul, even, -1.0);
                let odd = b.binary_scalar(BinaryOp::Add, negated, last);
                let halves = [even, odd].map(|half| {
                    let start = b.binary_scalar(BinaryOp::Mul, half, (self.local / 2) as f64);
                    self.count_from(b, start, self.local / 2)
                });
                Some(b.concatenate(&halves, 0))
            }
        }
    }

    /// Appends the positions of this device's rows.
    pub fn row_positions(&self, b: &mut Builder<'_>) -> Option<ValueId> {
        match self.order {
            Order::Padded { causal } => Some(self.padded_positions(b, causal, Fill::Lowest)),
            Order::Unordered | Order::Contiguous | Order::ZigZag => {
                let positions = self.shard_positions(b, 0)?;
                Some(self.with_offset(b, positions))
            }
        }
    }

    fn with_offset(&self, b: &mut Builder<'_>, positions: ValueId) -> ValueId {
        if self.offset == 0 { positions } else { b.binary_scalar(BinaryOp::Add, positions, self.offset as f64) }
    }

    /// Appends the positions of the columns of the device `distance` after this one; with padding, those of this device,
    /// which are exchanged with the columns.
    pub fn column_positions(&self, b: &mut Builder<'_>, distance: usize) -> Option<ValueId> {
        match self.order {
            Order::Padded { causal } => Some(self.padded_positions(b, causal, Fill::Highest)),
            Order::Unordered | Order::Contiguous | Order::ZigZag => self.shard_positions(b, distance),
        }
    }

    /// Appends the positions of all columns in their global order.
    pub fn global_column_positions(&self, b: &mut Builder<'_>, columns: usize) -> Option<ValueId> {
        match self.order {
            Order::Unordered => None,
            Order::Padded { causal: false } => Some(b.splat(Type::new(self.dtype, [columns]), Scalar::Int(0))),
            Order::Contiguous | Order::ZigZag | Order::Padded { causal: true } => Some(self.iota(b, columns)),
        }
    }

    /// Appends the positions of this device's contiguous shard, with `padding` in its padding. Without a causal mask all
    /// positions are equal, so that only padding is hidden.
    fn padded_positions(&self, b: &mut Builder<'_>, causal: bool, padding: Fill) -> ValueId {
        let ty = Type::new(self.dtype, [self.local]);
        let positions = if causal {
            let start = self.shard_start(b, self.size);
            let positions = self.count_from(b, start, self.local);
            if padding == Fill::Lowest { self.with_offset(b, positions) } else { positions }
        } else {
            b.splat(ty.clone(), Scalar::Int(0))
        };
        let mask = Mask { fill: padding, dim: 0, size: self.size, axes: self.axes.clone() };
        b.op("position", mask, &[positions], ty)
    }

    /// Appends the start of the columns of this device.
    pub fn column_start(&self, b: &mut Builder<'_>) -> ValueId {
        self.shard_start(b, self.size)
    }

    /// Overwrites the padding of the dimension `from_end` places before the end.
    pub fn zero_padding(&self, b: &mut Builder<'_>, value: ValueId, from_end: usize) -> ValueId {
        let Order::Padded { .. } = self.order else { return value };
        let ty = b.ty(value);
        let dim = ty.shape.rank() - from_end;
        let mask = Mask { fill: Fill::Zero, dim, size: self.size, axes: self.axes.clone() };
        b.op("masked", mask, &[value], ty)
    }

    /// Appends a permute in which each device sends to the one before it.
    pub fn send_back(&self, b: &mut Builder<'_>, value: ValueId) -> ValueId {
        let n = self.n as u32;
        self.permute(b, value, |rank| (rank + n - 1) % n)
    }

    fn permute(&self, b: &mut Builder<'_>, value: ValueId, target: impl Fn(u32) -> u32) -> ValueId {
        let pairs = (0..self.n as u32).map(|rank| (rank, target(rank))).collect();
        let ty = b.ty(value);
        b.op("received", Permute { axes: self.axes.clone(), pairs }, &[value], ty)
    }

    /// Appends the exchange of half shards of the dimension `from_end` places before the end.
    pub fn exchange(&self, b: &mut Builder<'_>, value: ValueId, from_end: usize) -> ValueId {
        if self.order != Order::ZigZag {
            return value;
        }
        let dim = b.ty(value).shape.rank() - from_end;
        let halves = [0, 1].map(|second| {
            let half = self.half(b, value, dim, second);
            self.permute(b, half, |rank| self.zig_zag_rank(2 * rank + second as u32))
        });
        b.concatenate(&halves, dim)
    }

    /// Appends the inverse of [`Self::exchange`].
    pub fn restore(&self, b: &mut Builder<'_>, value: ValueId, from_end: usize) -> ValueId {
        if self.order != Order::ZigZag {
            return value;
        }
        let dim = b.ty(value).shape.rank() - from_end;
        let halves = [0, 1].map(|second| {
            let half = self.half(b, value, dim, second);
            let ty = b.ty(half);
            let pairs = (0..self.n as u32).map(|rank| (self.zig_zag_rank(2 * rank + second as u32), rank)).collect();
            b.op("received", Permute { axes: self.axes.clone(), pairs }, &[half], ty)
        });
        b.concatenate(&halves, dim)
    }

    fn half(&self, b: &mut Builder<'_>, value: ValueId, dim: usize, second: usize) -> ValueId {
        let half = self.local / 2;
        b.slice_dim(value, dim, second * half, (second + 1) * half)
    }

    /// Returns the rank that gets a half shard.
    fn zig_zag_rank(&self, half: u32) -> u32 {
        let n = self.n as u32;
        if half < n { half } else { 2 * n - 1 - half }
    }

    /// Returns the fraction of the scores that a causal mask leaves, on the device with the most, if a device's rows
    /// attend to all columns.
    pub fn visible_of_all(&self) -> f64 {
        match self.order {
            Order::ZigZag => 0.5,
            // The last device has the last rows.
            Order::Contiguous | Order::Padded { causal: true } => 1.0 - 0.5 / self.n as f64,
            Order::Unordered | Order::Padded { causal: false } => 1.0,
        }
    }

    /// Returns the same fraction if a device's rows attend to the columns of the device `distance` after it.
    pub fn visible_of_shard(&self, distance: usize) -> f64 {
        match self.order {
            Order::ZigZag => 0.5,
            Order::Contiguous | Order::Padded { causal: true } if distance == 0 => 0.5,
            Order::Contiguous | Order::Padded { .. } | Order::Unordered => 1.0,
        }
    }
}
