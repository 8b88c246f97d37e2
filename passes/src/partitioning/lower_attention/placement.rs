//! SequencePlacement of rows and columns on the devices: their global positions, and the exchange that balances causal
//! masks.
//!
//! Zig-zag placement (Brandon et al. 2023, "Striped Attention"; Llama 3): of `2 n` half shards, the device of rank `r`
//! gets the halves `r` and `2 n - 1 - r`. The even halves are the first halves of the contiguous shards and the odd
//! ones the second halves, and each device gets one of both kinds, so two permutes exchange them.

use crate::partitioning::ring::{Ring, position_dtype};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::divides;
use partita_ir::ops::{BinaryOp, Fill, Iota, Mask, SequenceShard, ShardStart};
use partita_ir::tensor::Scalar;

/// SequencePlacement of the rows of an attention, and of its columns if they are sharded.
pub(super) struct SequencePlacement {
    /// The devices that have the shards.
    pub ring: Ring,
    /// Global number of rows.
    size: usize,
    /// Rows of one device.
    pub local: usize,
    /// Position of row 0: the difference between the numbers of columns and rows.
    offset: i64,
    pub order: Order,
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

impl SequencePlacement {
    pub fn new(
        sequence: &SequenceShard,
        local: usize,
        columns: usize,
        causal: bool,
        is_masked: bool,
    ) -> SequencePlacement {
        let SequenceShard { size, axes } = sequence.clone();
        let order = match (divides(size, &axes), causal) {
            (false, _) => Order::Padded { causal },
            (true, false) => Order::Unordered,
            // Halves of a mask would have to be exchanged as well.
            (true, true) if is_masked || !local.is_multiple_of(2) => Order::Contiguous,
            (true, true) => Order::ZigZag,
        };
        let dtype = position_dtype(size.max(columns));
        SequencePlacement { offset: columns as i64 - size as i64, ring: Ring::new(axes), size, local, order, dtype }
    }

    fn iota(&self, b: &mut Builder<'_>, size: usize) -> ValueId {
        b.op("position", Iota { dim: 0 }, &[], Type::new(self.dtype, [size]))
    }

    /// Appends the start of each block of the device `distance` after this one, from the starts of all devices: a
    /// vector with an element for each block of a device.
    fn block_starts(&self, b: &mut Builder<'_>, distance: usize, starts: impl Fn(usize) -> Vec<usize>) -> ValueId {
        self.ring.numbers_of(b, self.dtype, distance, starts)
    }

    /// Appends the positions of the shard of the device `distance` after this one, in the order of [`Self::exchange`].
    /// `None` if the attention needs none.
    fn shard_positions(&self, b: &mut Builder<'_>, distance: usize) -> Option<ValueId> {
        let starts = match self.order {
            Order::Unordered | Order::Padded { .. } => return None,
            Order::Contiguous => self.block_starts(b, distance, |rank| vec![rank * self.local]),
            Order::ZigZag => self.block_starts(b, distance, |rank| {
                let last = 2 * self.ring.devices - 1 - rank;
                let halves = if rank.is_multiple_of(2) { [rank, last] } else { [last, rank] };
                halves.map(|half| half * (self.local / 2)).to_vec()
            }),
        };
        let blocks = b.ty(starts).shape[0];
        let shape = Shape::from([blocks, self.local / blocks]);
        let starts = b.broadcast(starts, &[0], shape.clone());
        let index = b.op("index", Iota { dim: 1 }, &[], Type::new(self.dtype, shape));
        let positions = b.binary(BinaryOp::Add, starts, index);
        Some(b.reshape(positions, [self.local]))
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

    /// Appends the positions of the columns of the device `distance` after this one; with padding, those of this
    /// device, which are exchanged with the columns.
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

    /// Appends the positions of this device's contiguous shard, with `padding` in its padding. Without a causal mask
    /// all positions are equal, so that only padding is hidden.
    fn padded_positions(&self, b: &mut Builder<'_>, causal: bool, padding: Fill) -> ValueId {
        let ty = Type::new(self.dtype, [self.local]);
        let positions = if causal {
            let start = ShardStart { size: self.size, axes: self.ring.axes.clone() };
            let start = b.op("start", start, &[], Type::new(self.dtype, Shape::scalar()));
            let start = b.broadcast(start, &[], [self.local]);
            let index = self.iota(b, self.local);
            let positions = b.binary(BinaryOp::Add, index, start);
            if padding == Fill::Lowest { self.with_offset(b, positions) } else { positions }
        } else {
            b.splat(ty.clone(), Scalar::Int(0))
        };
        let mask = Mask { fill: padding, dim: 0, size: self.size, axes: self.ring.axes.clone() };
        b.op("position", mask, &[positions], ty)
    }

    /// Appends the start of the columns of the device `distance` after this one, as a scalar.
    pub fn column_start(&self, b: &mut Builder<'_>, distance: usize) -> ValueId {
        let start = self.block_starts(b, distance, |rank| vec![self.contiguous_start(rank)]);
        b.reshape(start, Shape::scalar())
    }

    /// Returns the start of the contiguous shard of a device, as [`partita_ir::layout::dim_shard`].
    fn contiguous_start(&self, rank: usize) -> usize {
        let (mut start, mut size, mut devices) = (0, self.size, self.ring.devices);
        for axis in &self.ring.axes {
            size = size.div_ceil(axis.size as usize);
            devices /= axis.size as usize;
            start += rank / devices % axis.size as usize * size;
        }
        start
    }

    /// Overwrites the padding of the dimension `from_end` places before the end.
    pub fn zero_padding(&self, b: &mut Builder<'_>, value: ValueId, from_end: usize) -> ValueId {
        let Order::Padded { .. } = self.order else { return value };
        let ty = b.ty(value);
        let dim = ty.shape.rank() - from_end;
        let mask = Mask { fill: Fill::Zero, dim, size: self.size, axes: self.ring.axes.clone() };
        b.op("masked", mask, &[value], ty)
    }

    /// Appends the exchange of half shards of the dimension `from_end` places before the end.
    pub fn exchange(&self, b: &mut Builder<'_>, value: ValueId, from_end: usize) -> ValueId {
        if self.order != Order::ZigZag {
            return value;
        }
        let dim = b.ty(value).shape.rank() - from_end;
        let halves = [0, 1].map(|second| {
            let half = self.half(b, value, dim, second);
            self.ring.permute(b, half, |rank| self.zig_zag_rank(2 * rank + second as u32))
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
            let ranks = 0..self.ring.devices as u32;
            let pairs = ranks.map(|rank| (self.zig_zag_rank(2 * rank + second as u32), rank)).collect();
            self.ring.exchange(b, half, pairs)
        });
        b.concatenate(&halves, dim)
    }

    fn half(&self, b: &mut Builder<'_>, value: ValueId, dim: usize, second: usize) -> ValueId {
        let half = self.local / 2;
        b.slice_dim(value, dim, second * half, (second + 1) * half)
    }

    /// Returns the rank that gets a half shard.
    fn zig_zag_rank(&self, half: u32) -> u32 {
        let n = self.ring.devices as u32;
        if half < n { half } else { 2 * n - 1 - half }
    }

    /// Returns the fraction of the scores that a causal mask leaves, on the device with the most, if a device's rows
    /// attend to all columns.
    pub fn visible_of_all(&self) -> f64 {
        match self.order {
            Order::ZigZag => 0.5,
            // The last device has the last rows.
            Order::Contiguous | Order::Padded { causal: true } => 1.0 - 0.5 / self.ring.devices as f64,
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
