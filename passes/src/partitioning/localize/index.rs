//! Indices into sharded dimensions, made relative to the device's shard.

use super::{Localizer, ShardedOp};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::mesh::Axes;
use partita_ir::op::{IndexLocation, OpKind, OutOfRange};
use partita_ir::ops::{BinaryOp, Clamp, Compare, Convert, Direction, Iota, Select, ShardStart};
use partita_ir::program::Values;
use partita_ir::rule::FactorKind;
use partita_ir::tensor::Scalar;

impl Localizer<'_> {
    /// Makes indices relative to the shard, for every sharded dimension of operand 0 that they address. A gather then
    /// reads zero outside of the shard (its result is partial); a scatter ignores such indices.
    pub(super) fn shift_indices(&mut self, site: &ShardedOp, kind: &mut OpKind, args: &mut Values) {
        let Some(map) = site.rule.args.first() else { return };
        for (dim, factors) in map.iter().enumerate() {
            let [factor] = factors[..] else { continue };
            let axes = &site.factors[factor.0 as usize];
            if axes.is_empty() || site.rule.kind(factor) != FactorKind::Indexed {
                continue;
            }
            let Some(indexed) = kind.interfaces().indexed else { continue };
            let Some(at) = indexed.index_location(dim) else { continue };
            let size = site.args[0].shape[dim];
            let mut indices = self.widen(args[at.arg]);
            if let OutOfRange::Clamped(bounds, filling) = indexed.out_of_range(&site.args[0]) {
                // Clamped indices are clamped to the global range first, in every component. From then on, indices out
                // of range read zero.
                for (component, last) in bounds.into_iter().enumerate() {
                    indices = self.clamp_component(indices, IndexLocation { component, ..at }, last);
                }
                *kind = filling;
            }
            args[at.arg] = self.make_relative(indices, at, size, axes);
        }
    }

    /// Converts indices of 8 and 16 bits to 32 bits. Differences of narrow indices would wrap around into the shard,
    /// and the last index of a long dimension exceeds them.
    fn widen(&mut self, indices: ValueId) -> ValueId {
        let ty = self.b.program.values[indices].local_type();
        if ty.dtype.bytes() >= 4 {
            return indices;
        }
        self.b.op("indices", Convert {}, &[indices], Type { dtype: DType::I32, ..ty })
    }

    /// Returns a mask of one component of the index vectors. `None` if there is only one component.
    fn is_component(&mut self, indices: ValueId, at: IndexLocation) -> Option<ValueId> {
        let ty = self.b.program.values[indices].local_type();
        let several = at.vector_dim < ty.shape.rank() && ty.shape[at.vector_dim] > 1;
        several.then(|| {
            let number = self.b.op("i", Iota { dim: at.vector_dim }, &[], ty.clone());
            let wanted = self.b.splat(ty.clone(), Scalar::Int(at.component as i64));
            let mask = Type { shape: ty.shape, dtype: DType::Bool };
            self.b.op("is", Compare { direction: Direction::Eq, total: false }, &[number, wanted], mask)
        })
    }

    fn only_component(&mut self, indices: ValueId, changed: ValueId, at: IndexLocation) -> ValueId {
        match self.is_component(indices, at) {
            Some(pred) => {
                let ty = self.b.program.values[indices].local_type();
                self.b.op("indices", Select {}, &[pred, changed, indices], ty)
            }
            None => changed,
        }
    }

    fn clamp_component(&mut self, indices: ValueId, at: IndexLocation, last: usize) -> ValueId {
        let ty = self.b.program.values[indices].local_type();
        let low = self.b.splat(ty.clone(), Scalar::Int(0));
        let high = self.b.splat(ty.clone(), Scalar::Int(last as i64));
        let clamped = self.b.op("clamped", Clamp {}, &[low, indices, high], ty);
        self.only_component(indices, clamped, at)
    }

    fn make_relative(&mut self, indices: ValueId, at: IndexLocation, size: usize, axes: &Axes) -> ValueId {
        let ty = self.b.program.values[indices].local_type();
        let scalar = Type::new(ty.dtype, []);
        let start = self.b.op("start", ShardStart { size, axes: axes.clone() }, &[], scalar);
        let start = self.b.broadcast(start, &[], ty.shape.clone());
        let shifted = self.b.op("relative", partita_ir::ops::Binary { op: BinaryOp::Sub }, &[indices, start], ty);
        self.only_component(indices, shifted, at)
    }
}
