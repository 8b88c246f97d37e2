//! Label look-ups: gathers of one element per position along the last dimension.
//!
//! Recogniser: a gather that is no label look-up is left unchanged.

use super::pattern::{Match, OperandDims, Term};
use partita_ir::arena::ValueId;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Direction};
use partita_ir::program::Op;
use smallvec::SmallVec;

/// A gather of the element at a label, for each position of `[positions.., classes]`.
pub struct LabelLookUp {
    /// The value that elements are gathered from.
    pub source: ValueId,
    /// For each dimension of the result, the dimension of the source it corresponds to.
    pub along: OperandDims,
    /// Labels, with the dimensions of the source they correspond to.
    pub labels: Term,
    /// True if the result is zero for a label that is out of range, false if the label is clamped.
    pub fill: bool,
}

impl LabelLookUp {
    /// Matches a label look-up. The ops that compute the indices are not consumed.
    pub fn find(m: &mut Match<'_>, op: &Op) -> Option<LabelLookUp> {
        let (OpKind::Gather(gather), &[source, indices], &[out]) = (&op.kind, &op.args[..], &op.outs[..]) else {
            return None;
        };
        let (shape, index) = (&m.ty(source).shape, &m.ty(indices).shape);
        let class = shape.rank().checked_sub(1)?;
        if gather.slice_sizes.iter().any(|&size| size != 1) {
            return None;
        }
        // For each dimension of the indices, the dimension of the source it corresponds to.
        let mut along: OperandDims = SmallVec::from_elem(None, index.rank());
        gather.index_batch_dims.iter().zip(&gather.operand_batch_dims).for_each(|(&i, &d)| along[i] = Some(d));
        let mut labels = None;
        for (component, &d) in gather.index_map.iter().enumerate() {
            let part = component_of(m, indices, (gather.index_vector_dim, gather.index_map.len()), component)?;
            if d == class {
                labels = Some(part);
            } else {
                let iota_dim = m.without_consuming(|m| iota_dim(m, part))?;
                along[iota_dim] = Some(d);
            }
        }
        let runs = |d: usize| along.iter().enumerate().any(|(i, a)| *a == Some(d) && index[i] == shape[d]);
        let distinct = along.iter().flatten().count() == class && (0..class).all(runs);
        let solid = |(i, a): (usize, &Option<usize>)| a.is_some() || index[i] == 1 || i == gather.index_vector_dim;
        if !distinct || !along.iter().enumerate().all(solid) {
            return None;
        }
        let outer = (0..m.ty(out).shape.rank()).filter(|d| !gather.offset_dims.contains(d));
        let mut result: OperandDims = SmallVec::from_elem(None, m.ty(out).shape.rank());
        let rest = (0..index.rank()).filter(|&i| i != gather.index_vector_dim);
        outer.zip(rest).for_each(|(d, i)| result[d] = along[i]);
        let labels = Term { value: labels?, along };
        Some(LabelLookUp {
            source,
            along: result,
            labels: m.without_consuming(|m| m.strip_movement(labels)),
            fill: gather.fill,
        })
    }
}

/// Returns one component of index vectors along a dimension, with an index vector dimension of size 1.
pub fn component_of(
    m: &Match<'_>,
    indices: ValueId,
    (vector_dim, count): (usize, usize),
    component: usize,
) -> Option<ValueId> {
    if count == 1 {
        return Some(indices);
    }
    let (_, op) = m.definition(indices)?;
    let parts = match &op.kind {
        OpKind::Concatenate(c) if c.dim == vector_dim => &op.args,
        _ => return None,
    };
    parts.get(component).copied().filter(|_| parts.len() == count)
}

/// Returns the dimension of which `value` is the `iota`, also if JAX wraps negative indices around.
pub fn iota_dim(m: &mut Match<'_>, value: ValueId) -> Option<usize> {
    let term = Term { value, along: (0..m.ty(value).shape.rank()).map(Some).collect() };
    let not_negative = |m: &mut Match<'_>| {
        let [negative, from_end, index] = m.select(term.clone())?;
        let (tested, zero) = m.compared(negative, Direction::Lt)?;
        let index = m.strip_movement(index);
        m.binary(from_end, BinaryOp::Add)?;
        (m.is_same(&tested, &index) && m.is_number(&zero, 0.0)).then_some(index)
    };
    let index = m.attempt(not_negative).unwrap_or_else(|| m.strip_movement(term));
    let (_, op) = m.definition(index.value)?;
    let OpKind::Iota(iota) = &op.kind else { return None };
    *index.along.get(iota.dim)?
}
