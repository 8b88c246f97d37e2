//! Indices into split dimensions: counted from the start of the device's piece.

use super::{Localizer, Site};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::mesh::Axes;
use partita_ir::op::{IndexAt, OpKind, OutOfRange};
use partita_ir::ops::{BinaryOp, Clamp, Compare, Convert, Direction, Iota, PieceStart, Select};
use partita_ir::program::Values;
use partita_ir::rule::FactorKind;
use partita_ir::tensor::Scalar;

impl Localizer<'_> {
    /// For every split dimension of operand 0 that indices address: indices become relative to the piece. A gather then
    /// reads zero outside of it (its result is pending a sum); a scatter skips what is outside anyway.
    pub(super) fn shift_indices(&mut self, site: &Site, kind: &mut OpKind, args: &mut Values) {
        let Some(map) = site.rule.args.first() else { return };
        for (dim, factors) in map.iter().enumerate() {
            let [factor] = factors[..] else { continue };
            let axes = &site.factors[factor.0 as usize];
            if axes.is_empty() || site.rule.kind(factor) != FactorKind::Indexed {
                continue;
            }
            let Some(indexed) = kind.interfaces().indexed else { continue };
            let Some(at) = indexed.index_of(dim) else { continue };
            let size = site.args[0].shape[dim];
            let mut indices = self.wide(args[at.arg]);
            if let OutOfRange::Clamped(bounds, filling) = indexed.out_of_range(&site.args[0]) {
                // Indices that the op clamps are clamped before the operand is cut, in every component: from now on
                // whatever is out of range reads zero.
                for (component, last) in bounds.into_iter().enumerate() {
                    indices = self.clamp_component(indices, IndexAt { component, ..at }, last);
                }
                *kind = filling;
            }
            args[at.arg] = self.relative(indices, at, size, axes);
        }
    }

    /// Indices of a type that holds every difference of two places; those of 8 bits would wrap around into the piece.
    fn wide(&mut self, indices: ValueId) -> ValueId {
        let ty = self.b.program.values[indices].local_type();
        if ty.dtype.bytes() > 1 {
            return indices;
        }
        self.b.op("indices", Convert {}, &[indices], Type { dtype: DType::I32, ..ty })
    }

    /// Whether each index belongs to the component, for vectors of several.
    fn is_component(&mut self, indices: ValueId, at: IndexAt) -> Option<ValueId> {
        let ty = self.b.program.values[indices].local_type();
        let several = at.vector_dim < ty.shape.rank() && ty.shape[at.vector_dim] > 1;
        several.then(|| {
            let number = self.b.op("i", Iota { dim: at.vector_dim }, &[], ty.clone());
            let wanted = self.b.splat(ty.clone(), Scalar::Int(at.component as i64));
            let mask = Type { shape: ty.shape, dtype: DType::Bool };
            self.b.op("is", Compare { direction: Direction::Eq, total: false }, &[number, wanted], mask)
        })
    }

    fn only_component(&mut self, indices: ValueId, changed: ValueId, at: IndexAt) -> ValueId {
        match self.is_component(indices, at) {
            Some(pred) => {
                let ty = self.b.program.values[indices].local_type();
                self.b.op("indices", Select {}, &[pred, changed, indices], ty)
            }
            None => changed,
        }
    }

    fn clamp_component(&mut self, indices: ValueId, at: IndexAt, last: usize) -> ValueId {
        let ty = self.b.program.values[indices].local_type();
        let low = self.b.splat(ty.clone(), Scalar::Int(0));
        let high = self.b.splat(ty.clone(), Scalar::Int(last as i64));
        let clamped = self.b.op("clamped", Clamp {}, &[low, indices, high], ty);
        self.only_component(indices, clamped, at)
    }

    fn relative(&mut self, indices: ValueId, at: IndexAt, size: usize, axes: &Axes) -> ValueId {
        let ty = self.b.program.values[indices].local_type();
        let scalar = Type::new(ty.dtype, []);
        let start = self.b.op("start", PieceStart { size, axes: axes.clone() }, &[], scalar);
        let start = self.b.broadcast(start, &[], ty.shape.clone());
        let shifted = self.b.op("relative", partita_ir::ops::Binary { op: BinaryOp::Sub }, &[indices, start], ty);
        self.only_component(indices, shifted, at)
    }
}
