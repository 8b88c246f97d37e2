//! Groups of ops that are computed in one loop.
//!
//! The ops of a group share a domain: the elements of an array, whose trailing dimensions may form a row. A member
//! computes one element per element of the domain, one number per row, or a reduction that is read only after the loop.
//! Groups stay open while ops can join; no group depends on the result of another open group.

use crate::view::{Dims, View, dense_strides, refinement};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::tensor::Scalar;

/// Maximum elements of a reduced row. The registers of longer rows need too much memory, so that a reduction over them
/// is a total reduction ([`ResultKind::Total`]).
const MAX_ROW_ELEMENTS: usize = 1 << 13;

/// Maximum members of a group.
const MAX_MEMBERS: usize = 96;

/// The computation of a member.
#[derive(Clone, Debug)]
pub enum Calc {
    /// A function of one element.
    Unary(UnaryOp),
    /// A function of two elements.
    Binary(BinaryOp),
    /// A comparison of two elements.
    Compare(Direction),
    /// Operands: predicate, value where the predicate is true, value where it is false.
    Select,
    /// Operands: lower bound, element, upper bound.
    Clamp,
    /// Conversion to the member's dtype.
    Convert,
    /// The index along a dimension.
    Iota {
        /// Product of the sizes of the inner dimensions.
        divisor: usize,
        /// Size of the dimension.
        size: usize,
    },
    /// Reduction along some dimensions.
    Reduce(Monoid),
}

/// The source of an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Source {
    /// A value: the result of a member, or a value in memory.
    Value(ValueId),
    /// The same constant for all elements.
    Number(Scalar),
}

/// An operand, as a view over the domain.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The source of the elements.
    pub source: Source,
    /// The element type.
    pub dtype: DType,
    /// The element of the source for each element of the domain.
    pub view: View,
}

/// Shape of a member's result relative to the domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultKind {
    /// One element per element of the domain.
    Full,
    /// One element per row.
    Row,
    /// A reduction that is not over rows, or over rows that are too long. Its result is complete only after the loop.
    Total,
}

/// An op to be computed in a fused loop.
#[derive(Clone, Debug)]
pub struct Node {
    /// The op.
    pub op: OpId,
    /// The op's position in its function.
    pub position: usize,
    /// The op's result.
    pub value: ValueId,
    /// The result's element type.
    pub dtype: DType,
    /// The computation.
    pub calc: Calc,
    /// The operands: of a candidate, views over its own shape; of a member, views over the domain.
    pub operands: Vec<Operand>,
}

/// An op of a group.
#[derive(Clone, Debug)]
pub struct Member {
    /// The op.
    pub node: Node,
    /// The shape of its result relative to the domain.
    pub result_kind: ResultKind,
    /// The row-major result as a view over the domain, with stride 0 along reduced dimensions.
    pub result: View,
}

/// An op that may join a group.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The op.
    pub node: Node,
    /// The shape of the iteration space: the shape of the result, or for a reduction the shape of the operand.
    pub shape: Dims<usize>,
    /// Dimensions that a reduction removes.
    pub reduced: Dims<usize>,
}

/// Ops over a common domain.
#[derive(Clone, Debug)]
pub struct Group {
    /// Sizes of the domain's dimensions.
    pub domain: Dims<usize>,
    /// First dimension of the row, if the group contains a row reduction.
    pub row: Option<usize>,
    /// The ops, in program order.
    pub members: Vec<Member>,
}

impl Group {
    /// Creates a group with one member.
    pub fn new(candidate: Candidate) -> Group {
        let shape: Dims<usize> = candidate.shape.iter().copied().filter(|&n| n != 1).collect();
        let mut group = Group { domain: shape, row: None, members: Vec::new() };
        let joined = group.join(candidate.clone());
        assert!(joined, "an op fits its own domain: {candidate:?}");
        group
    }

    /// Returns the member that computes a value.
    pub fn member(&self, value: ValueId) -> Option<&Member> {
        self.members.iter().find(|m| m.node.value == value)
    }

    /// Adds an op if it can be computed in the loop. Returns true if it was added.
    pub fn join(&mut self, candidate: Candidate) -> bool {
        if self.members.len() >= MAX_MEMBERS {
            return false;
        }
        let mut extended = self.clone();
        let joined = extended.join_full(&candidate) || {
            extended = self.clone();
            extended.join_rows(&candidate)
        };
        if joined {
            *self = extended;
        }
        joined
    }

    /// Returns the union of two groups, if both have the same domain and row up to a common refinement of the shapes.
    pub fn merged(&self, other: &Group) -> Option<Group> {
        if self.members.len() + other.members.len() > MAX_MEMBERS {
            return None;
        }
        let (mut a, mut b) = (self.clone(), other.clone());
        let domain = refinement(&a.domain, &b.domain)?;
        if !a.refine(&domain) || !b.refine(&domain) {
            return None;
        }
        if let (Some(x), Some(y)) = (a.row, b.row)
            && x != y
        {
            return None;
        }
        a.row = a.row.or(b.row);
        a.members.extend(b.members);
        a.members.sort_by_key(|m| m.node.position);
        Some(a)
    }

    /// Splits dimensions of the domain. Returns false if no dimension of the new domain starts at the row.
    fn refine(&mut self, domain: &[usize]) -> bool {
        if self.domain[..] == *domain {
            return true;
        }
        if let Some(row) = self.row {
            // The row starts where the number of remaining elements is the same.
            let len: usize = self.domain[row..].iter().product();
            let at = (0..=domain.len()).rev().find(|&d| domain[d..].iter().product::<usize>() == len);
            let Some(at) = at else { return false };
            self.row = Some(at);
        }
        for member in &mut self.members {
            for operand in &mut member.node.operands {
                operand.view = operand.view.refined(domain);
            }
            member.result = member.result.refined(domain);
        }
        self.domain = domain.into();
        true
    }

    /// Adds an op whose iteration space is the entire domain. Returns false and leaves the group in an unspecified
    /// state if this is impossible.
    fn join_full(&mut self, candidate: &Candidate) -> bool {
        let Some(domain) = refinement(&self.domain, &candidate.shape) else { return false };
        if !self.refine(&domain) {
            return false;
        }
        let mut operands = candidate.node.operands.clone();
        for operand in &mut operands {
            // Dimensions of one element are removed first, since [`View::refined`] expects none.
            operand.view = squeezed(&operand.view).refined(&domain);
        }
        if !self.reads_members_in_order(&operands) {
            return false;
        }
        let (result_kind, result) = match candidate.node.calc {
            Calc::Reduce(_) => {
                let is_reduced = reduced_dims(&candidate.shape, &candidate.reduced, &domain);
                let first = is_reduced.iter().position(|&g| g).unwrap_or(domain.len());
                let is_row = is_reduced[first..].iter().all(|&g| g) && first < domain.len();
                let len: usize = domain[first..].iter().product();
                let fits = is_row && len <= MAX_ROW_ELEMENTS && len > 0 && self.row.is_none_or(|row| row == first);
                if fits {
                    self.row = Some(first);
                }
                (if fits { ResultKind::Row } else { ResultKind::Total }, reduced_view(&domain, &is_reduced))
            }
            _ => (ResultKind::Full, View::dense(&domain)),
        };
        self.push(candidate, operands, result_kind, result);
        true
    }

    /// Adds an op that computes one number per row. Returns false and leaves the group in an unspecified state if this
    /// is impossible.
    fn join_rows(&mut self, candidate: &Candidate) -> bool {
        let Some(row) = self.row else { return false };
        if matches!(candidate.node.calc, Calc::Reduce(_) | Calc::Iota { .. }) {
            return false;
        }
        let Some(outer) = refinement(&self.domain[..row], &candidate.shape) else { return false };
        let domain: Dims<usize> = outer.iter().chain(&self.domain[row..]).copied().collect();
        if !self.refine(&domain) {
            return false;
        }
        let row = self.row.unwrap_or(domain.len());
        let over = |view: &View| {
            let mut view = squeezed(view).refined(&outer);
            view.shape = domain.clone();
            view.strides.resize(domain.len(), 0);
            view
        };
        let mut operands = candidate.node.operands.clone();
        operands.iter_mut().for_each(|operand| operand.view = over(&operand.view));
        if !self.reads_members_in_order(&operands) {
            return false;
        }
        let is_reduced: Vec<bool> = (0..domain.len()).map(|d| d >= row).collect();
        let result = reduced_view(&domain, &is_reduced);
        self.push(candidate, operands, ResultKind::Row, result);
        true
    }

    /// Returns true if every operand that is a member is read in the order in which its register stores it.
    fn reads_members_in_order(&self, operands: &[Operand]) -> bool {
        operands.iter().all(|operand| match operand.source {
            Source::Number(_) => true,
            Source::Value(value) => self.member(value).is_none_or(|member| {
                member.result_kind != ResultKind::Total && member.result.selects_same(&operand.view)
            }),
        })
    }

    fn push(&mut self, candidate: &Candidate, operands: Vec<Operand>, result_kind: ResultKind, result: View) {
        let node = Node { operands, ..candidate.node.clone() };
        self.members.push(Member { node, result_kind, result });
    }
}

/// Returns the view without dimensions of one element.
fn squeezed(view: &View) -> View {
    let retained = || (0..view.shape.len()).filter(|&d| view.shape[d] != 1);
    View {
        shape: retained().map(|d| view.shape[d]).collect(),
        strides: retained().map(|d| view.strides[d]).collect(),
        offset: view.offset,
    }
}

/// Returns, for each dimension of the refined domain, true if it is part of a reduced dimension.
fn reduced_dims(shape: &[usize], reduced: &[usize], domain: &[usize]) -> Vec<bool> {
    let mut is_reduced = vec![false; domain.len()];
    let mut at = domain.len();
    for d in (0..shape.len()).rev() {
        let mut left = shape[d];
        while left > 1 && at > 0 {
            at -= 1;
            is_reduced[at] = reduced.contains(&d);
            left /= domain[at].max(1);
        }
    }
    is_reduced
}

/// Returns the view of a row-major result over the domain, with stride 0 along reduced dimensions.
fn reduced_view(domain: &[usize], is_reduced: &[bool]) -> View {
    let retained: Dims<usize> =
        domain.iter().zip(is_reduced).map(|(&n, &is_reduced)| if is_reduced { 1 } else { n }).collect();
    let mut strides = dense_strides(&retained);
    strides.iter_mut().zip(is_reduced).filter(|(_, is_reduced)| **is_reduced).for_each(|(s, _)| *s = 0);
    View { shape: domain.into(), strides, offset: 0 }
}
