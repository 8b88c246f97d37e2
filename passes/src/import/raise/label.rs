//! Looking labels up: a gather of one element for each position, along the last dimension.
//!
//! Recogniser: a gather that is no look-up of labels stays a gather.

use super::pattern::{Along, Match, Term};
use partita_ir::arena::ValueId;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Direction, Gather};
use partita_ir::program::Op;
use smallvec::SmallVec;

/// A gather of the element at a label, for each position of `[positions.., classes]`.
pub struct LookUp {
    /// What is looked up in.
    pub source: ValueId,
    /// The dimensions of the source that the result runs along.
    pub along: Along,
    /// The labels, along dimensions of the source.
    pub labels: Term,
    /// Whether it gives zero for a label out of range; else the label is clamped.
    pub fill: bool,
}

impl LookUp {
    /// What an op looks up, if that is what it does. The indices are left where they are.
    pub fn of(m: &mut Match<'_>, op: &Op) -> Option<LookUp> {
        let (OpKind::Gather(gather), &[source, indices], &[out]) = (&op.kind, &op.args[..], &op.outs[..]) else {
            return None;
        };
        let (shape, index) = (&m.ty(source).shape, &m.ty(indices).shape);
        let class = shape.rank().checked_sub(1)?;
        if gather.slice_sizes.iter().any(|&size| size != 1) {
            return None;
        }
        // The dimension of the source that each dimension of the indices runs along.
        let mut along: Along = SmallVec::from_elem(None, index.rank());
        gather.index_batch_dims.iter().zip(&gather.operand_batch_dims).for_each(|(&i, &d)| along[i] = Some(d));
        let mut labels = None;
        for (component, &d) in gather.index_map.iter().enumerate() {
            let part = component_of(m, gather, indices, component)?;
            if d == class {
                labels = Some(part);
            } else {
                let counted = m.aside(|m| counted(m, part))?;
                along[counted] = Some(d);
            }
        }
        let runs = |d: usize| along.iter().enumerate().any(|(i, a)| *a == Some(d) && index[i] == shape[d]);
        let distinct = along.iter().flatten().count() == class && (0..class).all(runs);
        let solid = |(i, a): (usize, &Option<usize>)| a.is_some() || index[i] == 1 || i == gather.index_vector_dim;
        if !distinct || !along.iter().enumerate().all(solid) {
            return None;
        }
        let outer = (0..m.ty(out).shape.rank()).filter(|d| !gather.offset_dims.contains(d));
        let mut result: Along = SmallVec::from_elem(None, m.ty(out).shape.rank());
        let rest = (0..index.rank()).filter(|&i| i != gather.index_vector_dim);
        outer.zip(rest).for_each(|(d, i)| result[d] = along[i]);
        let labels = Term { value: labels?, along };
        Some(LookUp { source, along: result, labels: m.aside(|m| m.core(labels)), fill: gather.fill })
    }
}

/// One component of the index vectors, still with a dimension of one element for them.
fn component_of(m: &Match<'_>, gather: &Gather, indices: ValueId, component: usize) -> Option<ValueId> {
    if gather.index_map.len() == 1 {
        return Some(indices);
    }
    let (_, op) = m.given_by(indices)?;
    let parts = match &op.kind {
        OpKind::Concatenate(c) if c.dim == gather.index_vector_dim => &op.args,
        _ => return None,
    };
    parts.get(component).copied().filter(|_| parts.len() == gather.index_map.len())
}

/// The dimension along which a value counts from zero, perhaps where JAX takes a number below zero from the end.
fn counted(m: &mut Match<'_>, value: ValueId) -> Option<usize> {
    let term = Term { value, along: (0..m.ty(value).shape.rank()).map(Some).collect() };
    let not_negative = |m: &mut Match<'_>| {
        let [negative, from_end, index] = m.select(term.clone())?;
        let (tested, zero) = m.compared(negative, Direction::Lt)?;
        let index = m.core(index);
        m.binary(from_end, BinaryOp::Add)?;
        (m.same(&tested, &index) && m.is_number(&zero, 0.0)).then_some(index)
    };
    let index = m.attempt(not_negative).unwrap_or_else(|| m.core(term));
    let (_, op) = m.given_by(index.value)?;
    let OpKind::Iota(iota) = &op.kind else { return None };
    *index.along.get(iota.dim)?
}
