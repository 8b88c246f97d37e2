//! Which ops are computed in one loop.
//!
//! A group is a set of ops over one domain: the elements of an array, whose trailing dimensions may be its row. A
//! member gives an element for each of the domain's, a number for each row, or a reduction that only others read.
//! Groups stay open as long as ops may join, and none of them waits for another.

use crate::view::{Dims, View, dense_strides, refinement};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::tensor::Scalar;

/// A longer row is not kept in registers, so that what is reduced over it is for others to read.
const MAX_ROW: usize = 1 << 13;

/// A group of more members is not joined any more.
const MAX_MEMBERS: usize = 96;

/// What a member computes.
#[derive(Clone, Debug)]
pub enum Calc {
    /// A function of one element.
    Unary(UnaryOp),
    /// A function of two.
    Binary(BinaryOp),
    /// A comparison of two.
    Compare(Direction),
    /// Operands: predicate, where it holds, where it does not.
    Select,
    /// Operands: low, x, high.
    Clamp,
    /// To the member's dtype.
    Convert,
    /// The index along a dimension; by the domain's dimensions that make it up, from first to last.
    Iota {
        /// Elements of the dimensions behind it.
        divisor: usize,
        /// Its size.
        size: usize,
    },
    /// All elements along some dimensions combined.
    Reduce(Monoid),
}

/// Where an operand comes from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Source {
    /// The value of that name: a member's result, or what lies in memory.
    Value(ValueId),
    /// The same number everywhere.
    Number(Scalar),
}

/// An operand, seen over the domain.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Where it comes from.
    pub source: Source,
    /// Its element type.
    pub dtype: DType,
    /// How it is seen.
    pub view: View,
}

/// How a member's result lies in the domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// An element for each.
    Full,
    /// A number for each row.
    Row,
    /// A reduction that is complete only when the loop has ended.
    Total,
}

/// An op as something to compute in a loop.
#[derive(Clone, Debug)]
pub struct Node {
    /// The op.
    pub op: OpId,
    /// The op's position in its function.
    pub position: usize,
    /// Its result.
    pub value: ValueId,
    /// The result's element type.
    pub dtype: DType,
    /// What is computed.
    pub calc: Calc,
    /// Of a candidate over its own shape, of a member over the domain.
    pub operands: Vec<Operand>,
}

/// A node of a group.
#[derive(Clone, Debug)]
pub struct Member {
    /// The node.
    pub node: Node,
    /// How its result lies in the domain.
    pub class: Class,
    /// How its result, dense in memory, lies over the domain; no stride where it was reduced.
    pub result: View,
}

/// A node that might join a group.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The node.
    pub node: Node,
    /// The shape over which it runs: its result's, or of a reduction its operand's.
    pub shape: Dims<usize>,
    /// Dimensions that a reduction takes away.
    pub reduced: Dims<usize>,
}

/// Ops over one domain.
#[derive(Clone, Debug)]
pub struct Group {
    /// Sizes of the domain's dimensions.
    pub domain: Dims<usize>,
    /// The row's first dimension, once something was reduced over it.
    pub row: Option<usize>,
    /// In the order of their ops.
    pub members: Vec<Member>,
}

impl Group {
    /// A group of one.
    pub fn new(candidate: Candidate) -> Group {
        let shape: Dims<usize> = candidate.shape.iter().copied().filter(|&n| n != 1).collect();
        let mut group = Group { domain: shape, row: None, members: Vec::new() };
        let joined = group.join(candidate.clone());
        debug_assert!(joined, "an op fits its own domain: {candidate:?}");
        group
    }

    /// The member with that result.
    pub fn member(&self, value: ValueId) -> Option<&Member> {
        self.members.iter().find(|m| m.node.value == value)
    }

    /// Takes the op in, if it can be computed in the loop.
    pub fn join(&mut self, candidate: Candidate) -> bool {
        if self.members.len() >= MAX_MEMBERS {
            return false;
        }
        let mut tried = self.clone();
        let joined = tried.join_full(&candidate) || {
            tried = self.clone();
            tried.join_rows(&candidate)
        };
        if joined {
            *self = tried;
        }
        joined
    }

    /// Both as one, when they run over the same elements.
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

    /// Cuts the domain more finely.
    fn refine(&mut self, domain: &[usize]) -> bool {
        if self.domain[..] == *domain {
            return true;
        }
        if let Some(row) = self.row {
            // The row begins where as many elements are left.
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

    /// As an op over all elements.
    fn join_full(&mut self, candidate: &Candidate) -> bool {
        let Some(domain) = refinement(&self.domain, &candidate.shape) else { return false };
        if !self.refine(&domain) {
            return false;
        }
        let mut operands = candidate.node.operands.clone();
        for operand in &mut operands {
            // Dimensions of one element go first: a view over a shape without them is refined as it is.
            operand.view = squeezed(&operand.view).refined(&domain);
        }
        if !self.reaches(&operands) {
            return false;
        }
        let (class, result) = match candidate.node.calc {
            Calc::Reduce(_) => {
                let gone = reduced_dims(&candidate.shape, &candidate.reduced, &domain);
                let first = gone.iter().position(|&g| g).unwrap_or(domain.len());
                let is_row = gone[first..].iter().all(|&g| g) && first < domain.len();
                let len: usize = domain[first..].iter().product();
                let fits = is_row && len <= MAX_ROW && len > 0 && self.row.is_none_or(|row| row == first);
                if fits {
                    self.row = Some(first);
                }
                (if fits { Class::Row } else { Class::Total }, without(&domain, &gone))
            }
            _ => (Class::Full, View::dense(&domain)),
        };
        self.push(candidate, operands, class, result);
        true
    }

    /// As an op on the numbers of rows.
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
        if !self.reaches(&operands) {
            return false;
        }
        let gone: Vec<bool> = (0..domain.len()).map(|d| d >= row).collect();
        let result = without(&domain, &gone);
        self.push(candidate, operands, Class::Row, result);
        true
    }

    /// Whether operands that are members are seen as they lie in registers.
    fn reaches(&self, operands: &[Operand]) -> bool {
        operands.iter().all(|operand| match operand.source {
            Source::Number(_) => true,
            Source::Value(value) => self
                .member(value)
                .is_none_or(|member| member.class != Class::Total && member.result.sees_same(&operand.view)),
        })
    }

    fn push(&mut self, candidate: &Candidate, operands: Vec<Operand>, class: Class, result: View) {
        let node = Node { operands, ..candidate.node.clone() };
        self.members.push(Member { node, class, result });
    }
}

/// Without dimensions of one element.
fn squeezed(view: &View) -> View {
    let kept = || (0..view.shape.len()).filter(|&d| view.shape[d] != 1);
    View {
        shape: kept().map(|d| view.shape[d]).collect(),
        strides: kept().map(|d| view.strides[d]).collect(),
        offset: view.offset,
    }
}

/// By dimension of the finer domain, whether it belongs to one that is reduced.
fn reduced_dims(shape: &[usize], reduced: &[usize], domain: &[usize]) -> Vec<bool> {
    let mut gone = vec![false; domain.len()];
    let mut at = domain.len();
    for d in (0..shape.len()).rev() {
        let mut left = shape[d];
        while left > 1 && at > 0 {
            at -= 1;
            gone[at] = reduced.contains(&d);
            left /= domain[at].max(1);
        }
    }
    gone
}

/// A dense result over the dimensions that are not gone.
fn without(domain: &[usize], gone: &[bool]) -> View {
    let kept: Dims<usize> = domain.iter().zip(gone).map(|(&n, &gone)| if gone { 1 } else { n }).collect();
    let mut strides = dense_strides(&kept);
    strides.iter_mut().zip(gone).filter(|(_, gone)| **gone).for_each(|(s, _)| *s = 0);
    View { shape: domain.into(), strides, offset: 0 }
}
