//! Arithmetic of matrix products and attention: shape, operations and duration.
//!
//! A product is computed in tiles of its result, one per multiprocessor at a time. The last wave of tiles may leave
//! multiprocessors idle, tiles at the edges are partly empty, and each tile has a prologue and an epilogue, whose
//! share is larger for products with a short contracted dimension. The library is assumed to choose the fastest of
//! three tile sizes. Tiled attention (Dao 2023) has one block of query rows per multiprocessor, skips blocks above the
//! diagonal of a causal mask, and has a prologue and an epilogue for each block, too.

use super::efficiencies::{AttentionKernels, Efficiencies};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};
use partita_machine::DeviceKind;

/// Tile sizes of matrix products, with the rate of each relative to the largest one. Smaller tiles load more operand
/// elements for each operation.
const TILES: [(usize, usize, f64); 3] = [(128, 128, 1.0), (128, 64, 0.85), (64, 64, 0.7)];

/// Contracted elements that take as long as the prologue and epilogue of a tile.
const TILE_OVERHEAD: f64 = 96.0;

/// Query rows of a block of tiled attention.
const ATTENTION_BLOCK: usize = 128;

/// Keys per query row that take as long as the prologue and epilogue of a block of tiled attention. Measured: 160 on
/// A100 (Dao 2023, figures 4 to 7), 250 on H100 (`benches/results`).
const ATTENTION_OVERHEAD: f64 = 208.0;

/// Keys per query row at which the achieved rate of attention is stated: 8192 with a causal mask.
const STATED_KEYS: f64 = 4096.0;

/// Features per head at which the achieved rate of attention is stated.
const STATED_FEATURES: f64 = 128.0;

/// Features per head whose products take as long as the exponentials of the scores. A GPU computes one exponential in
/// the time of hundreds of matrix operations.
const SOFTMAX_FEATURES: f64 = 32.0;

/// Work of a matrix product or attention.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arithmetic {
    /// Element type of the operands.
    pub dtype: DType,
    /// Floating-point operations.
    pub flops: u64,
    /// Shape.
    pub shape: ArithmeticShape,
}

/// Shape of a matrix product or attention.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ArithmeticShape {
    /// `batch` products of `m x k` by `k x n`.
    Product {
        /// Number of independent products.
        batch: usize,
        /// Rows of the result.
        m: usize,
        /// Columns of the result.
        n: usize,
        /// Contracted elements.
        k: usize,
    },
    /// Convolution, priced as a product of sufficient size.
    Convolution,
    /// Attention.
    Attention(AttentionShape),
}

/// Shape of an attention.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AttentionShape {
    /// Number of heads of all batch elements.
    pub heads: usize,
    /// Query rows of a head.
    pub queries: usize,
    /// Key rows of a head.
    pub keys: usize,
    /// Features of a head.
    pub features: usize,
    /// True if keys after the query are masked out.
    pub is_causal: bool,
    /// Fraction of the scores that are computed, if the op states it because rows and columns have positions.
    pub visible: Option<f64>,
    /// True for the gradient.
    pub is_gradient: bool,
    /// Bytes of a score, if scores are stored.
    pub score_bytes: u64,
}

impl AttentionShape {
    /// Returns the bytes of all scores.
    pub fn all_score_bytes(&self) -> u64 {
        [self.heads, self.queries, self.keys].iter().fold(self.score_bytes, |all, &n| all.saturating_mul(n as u64))
    }

    /// Returns the fraction of the scores that are not masked out.
    fn visible_share(&self) -> f64 {
        self.share_in_blocks(0)
    }

    /// Returns the fraction of the scores in blocks that are not masked out completely.
    fn unmasked_share(&self) -> f64 {
        self.share_in_blocks(ATTENTION_BLOCK)
    }

    /// Returns the fraction of the scores that are computed if a row of `block` queries skips keys that it cannot see.
    fn share_in_blocks(&self, block: usize) -> f64 {
        if let Some(visible) = self.visible {
            return visible;
        }
        if !self.is_causal || self.keys == 0 || self.queries == 0 {
            return 1.0;
        }
        let (queries, keys, block) = (self.queries as f64, self.keys as f64, block as f64);
        // The last query row attends to all keys; earlier rows to fewer ones, rounded up to blocks.
        let visible =
            if queries <= keys { keys - (queries - 1.0) / 2.0 } else { keys * (keys + 1.0) / (2.0 * queries) };
        ((visible + block / 2.0) / keys).min(1.0)
    }
}

impl Arithmetic {
    /// Returns the arithmetic of an op on one device, or `None` for an op without matrix products.
    pub fn of_op(program: &Program, op: &Op) -> Option<Arithmetic> {
        let local =
            |values: &[ValueId]| -> Vec<Type> { values.iter().map(|&v| program.values[v].local_type()).collect() };
        Arithmetic::from_types(&op.kind, &local(&op.args), &local(&op.outs))
    }

    /// Returns the arithmetic of an op with the given operand and result types, or `None` for an op without matrix
    /// products.
    ///
    /// Recogniser: other ops have no arithmetic that is priced by its shape.
    pub fn from_types(kind: &OpKind, args: &[Type], outs: &[Type]) -> Option<Arithmetic> {
        if !kind.class().contracts() {
            return None;
        }
        let flops = kind.flops(&args.iter().collect::<Vec<_>>(), &outs.iter().collect::<Vec<_>>());
        let attention = |is_causal: bool, visible: f64, is_gradient: bool| {
            let dim = |ty: &Type, from_end: usize| ty.shape.iter().rev().nth(from_end).copied().unwrap_or(1);
            ArithmeticShape::Attention(AttentionShape {
                heads: args[0].shape.iter().rev().skip(2).product(),
                queries: dim(&args[0], 1),
                keys: dim(&args[1], 1),
                features: dim(&args[0], 0),
                is_causal,
                visible: (visible > 0.0).then_some(visible),
                is_gradient,
                score_bytes: args[0].dtype.bytes(),
            })
        };
        let shape = match kind {
            OpKind::DotGeneral(product) => {
                let size = |ty: &Type, dims: &[usize]| dims.iter().map(|&dim| ty.shape[dim]).product::<usize>().max(1);
                let batch = size(&args[0], &product.batch.lhs);
                let k = size(&args[0], &product.contract.lhs);
                let free = |ty: &Type| (ty.shape.count() / batch / k).max(1);
                ArithmeticShape::Product { batch, m: free(&args[0]), n: free(&args[1]), k }
            }
            OpKind::Attention(of) => attention(of.causal, of.visible, false),
            OpKind::AttentionGrad(of) => attention(of.causal, of.visible, true),
            _ => ArithmeticShape::Convolution,
        };
        Some(Arithmetic { dtype: args[0].dtype, flops, shape })
    }

    /// Returns the arithmetic of a shard of `whole` with the fewest idle multiprocessors. If the sequence of an
    /// attention is sharded, each shard of the queries sees all keys, and the average number of visible scores.
    #[must_use]
    pub fn as_shard_of(self, whole: &Arithmetic) -> Arithmetic {
        let (ArithmeticShape::Attention(shard), ArithmeticShape::Attention(whole)) = (self.shape, whole.shape) else {
            return self;
        };
        if (shard.queries, shard.keys) == (whole.queries, whole.keys) {
            return self;
        }
        let keys = whole.keys as f64 / shard.keys.max(1) as f64;
        let shape = AttentionShape { keys: whole.keys, visible: Some(whole.visible_share()), ..shard };
        let shape = ArithmeticShape::Attention(shape);
        Arithmetic { flops: (self.flops as f64 * keys) as u64, shape, ..self }
    }

    /// Returns the operations without those of masked scores.
    pub fn computed_flops(&self) -> f64 {
        let visible = match self.shape {
            ArithmeticShape::Attention(shape) => shape.visible_share(),
            ArithmeticShape::Product { .. } | ArithmeticShape::Convolution => 1.0,
        };
        self.flops as f64 * visible
    }

    /// Returns a lower bound of the seconds, also for shards of the operands: without partial tiles, waves and blocks.
    pub fn least_seconds(&self, kind: &DeviceKind, efficiencies: &Efficiencies) -> f64 {
        let seconds = self.large_seconds(kind, efficiencies);
        match self.shape {
            ArithmeticShape::Attention(shape) if efficiencies.attention != AttentionKernels::Written => {
                seconds * shape.visible_share() / shape.unmasked_share() / (1.0 + ATTENTION_OVERHEAD / STATED_KEYS)
            }
            ArithmeticShape::Attention(_) | ArithmeticShape::Product { .. } | ArithmeticShape::Convolution => seconds,
        }
    }

    /// Returns the seconds on a device whose size divides evenly: without partial tiles and waves.
    pub fn large_seconds(&self, kind: &DeviceKind, efficiencies: &Efficiencies) -> f64 {
        let flops = self.flops as f64;
        match self.shape {
            ArithmeticShape::Product { .. } | ArithmeticShape::Convolution => {
                flops / efficiencies.product_rate(kind, self.dtype)
            }
            ArithmeticShape::Attention(_) if efficiencies.attention == AttentionKernels::Written => {
                flops / efficiencies.product_rate(kind, self.dtype)
            }
            ArithmeticShape::Attention(shape) => {
                let features = shape.features.max(1) as f64;
                let softmax = (1.0 + SOFTMAX_FEATURES / features) / (1.0 + SOFTMAX_FEATURES / STATED_FEATURES);
                let rate = efficiencies.attention_rate(kind, self.dtype, shape.is_gradient);
                flops * shape.unmasked_share() * softmax / rate
            }
        }
    }

    /// Returns the seconds on a device, including idle multiprocessors and partly empty tiles.
    pub fn seconds(&self, kind: &DeviceKind, efficiencies: &Efficiencies) -> f64 {
        let seconds = self.large_seconds(kind, efficiencies);
        let units = kind.kernels.units as usize;
        if units == 0 {
            return seconds;
        }
        let waves = |blocks: usize| blocks.div_ceil(units).max(1) as f64 * units as f64 / blocks.max(1) as f64;
        match self.shape {
            ArithmeticShape::Product { batch, m, n, k } => {
                let padded = TILES.iter().map(|&(rows, columns, rate)| {
                    let (down, across) = (m.div_ceil(rows), n.div_ceil(columns));
                    let edges = (down * rows) as f64 / m.max(1) as f64 * (across * columns) as f64 / n.max(1) as f64;
                    edges * waves(batch.saturating_mul(down).saturating_mul(across)) / rate
                });
                let padded = padded.fold(f64::INFINITY, f64::min);
                seconds * padded * (1.0 + TILE_OVERHEAD / k.max(1) as f64)
            }
            ArithmeticShape::Convolution => seconds,
            ArithmeticShape::Attention(shape) => {
                let rows = if shape.is_gradient { shape.keys } else { shape.queries };
                let blocks = shape.heads.saturating_mul(rows.div_ceil(ATTENTION_BLOCK));
                if efficiencies.attention == AttentionKernels::Written {
                    return seconds;
                }
                let keys = (shape.keys as f64 * shape.visible_share()).max(1.0);
                seconds * waves(blocks) * (1.0 + ATTENTION_OVERHEAD / keys) / (1.0 + ATTENTION_OVERHEAD / STATED_KEYS)
            }
        }
    }
}
