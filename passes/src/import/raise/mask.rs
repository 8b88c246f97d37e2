//! Attention masks in terms of rows and columns: causal, and an arbitrary condition.
//!
//! Recogniser: a mask in another form becomes the mask operand of the attention.

use super::pattern::{Match, Term};
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// Upper bound of a score that masks: its exponential is negligible next to that of an unmasked score.
const MAX_MASKED_SCORE: f64 = -1e4;

/// A mask applied to scores.
pub struct AppliedMask {
    /// The condition.
    pub condition: Term,
    /// Value of the condition for unmasked scores.
    pub unmasked_if: bool,
    /// The value of masked scores.
    pub masked_value: f64,
}

/// Mask of attention scores: a causal mask, at most one condition, or both.
#[derive(Default)]
pub struct ScoreMask {
    /// Masks the scores above the diagonal that ends in the last row and column.
    pub causal: bool,
    /// A condition, and the value of the condition for unmasked scores.
    pub mask: Option<(Term, bool)>,
}

/// Dimensions of the matrix of scores.
pub struct ScoreDims {
    /// Row dimension; `None` if the only row has no dimension.
    pub row: Option<usize>,
    /// Column dimension.
    pub column: usize,
    /// Number of columns minus number of rows.
    pub extra_columns: i64,
}

impl ScoreMask {
    /// Combines masks into a causal flag and at most one mask operand. `None` if attention cannot express them.
    /// Attention returns zeros for a fully masked row. A softmax of `-inf` only is NaN, but one of finite numbers is an
    /// average, so with finite masks no row may be fully masked.
    pub fn combine(m: &mut Match<'_>, masks: Vec<AppliedMask>, square: &ScoreDims) -> Option<ScoreMask> {
        let mut combined = ScoreMask::default();
        let finite = masks.iter().any(|h| h.masked_value != f64::NEG_INFINITY);
        let low = masks.iter().all(|h| h.masked_value <= MAX_MASKED_SCORE);
        let mut conditions: Vec<(Term, bool)> = masks.into_iter().map(|h| (h.condition, h.unmasked_if)).collect();
        while let Some((term, wanted)) = conditions.pop() {
            let term = m.without_consuming(|m| m.strip_movement(term));
            if let Some(known) = m.number(&term) {
                (wanted == (known != 0.0)).then_some(())?;
            } else if let Some(conjuncts) = m.without_consuming(|m| conjuncts(m, &term, wanted)) {
                conditions.extend(conjuncts);
            } else if m.without_consuming(|m| is_causal(m, &term, wanted, square)) {
                combined.causal = true;
            } else if combined.mask.replace((term, wanted)).is_some() {
                return None;
            }
        }
        let some_in_each_row = combined.mask.is_none() && (!combined.causal || square.extra_columns >= 0);
        (low && (some_in_each_row || !finite)).then_some(combined)
    }
}

/// Splits "`term` is `wanted`" into an equivalent conjunction of conditions.
fn conjuncts(m: &mut Match<'_>, term: &Term, wanted: bool) -> Option<Vec<(Term, bool)>> {
    let (_, op) = m.definition(term.value)?;
    let operands = m.operands_of(op, term);
    match (&op.kind, &operands[..]) {
        (OpKind::Unary(u), [x]) if u.op == UnaryOp::Not => Some(vec![(x.clone(), !wanted)]),
        (OpKind::Binary(b), [x, y]) if b.op == if wanted { BinaryOp::And } else { BinaryOp::Or } => {
            Some(vec![(x.clone(), wanted), (y.clone(), wanted)])
        }
        // If one branch is known to differ from `wanted`, the other one must be selected.
        (OpKind::Select(_), [pred, yes, no]) => {
            let unwanted = |branch| m.number(branch).is_some_and(|known| wanted != (known != 0.0));
            match (unwanted(yes), unwanted(no)) {
                (_, true) => Some(vec![(pred.clone(), true), (yes.clone(), wanted)]),
                (true, _) => Some(vec![(pred.clone(), false), (no.clone(), wanted)]),
                _ => None,
            }
        }
        // A comparison of a converted condition with zero.
        (OpKind::Compare(c), [x, zero]) if matches!(c.direction, Direction::Ne | Direction::Eq) => {
            let condition = m.converted(x.clone())?;
            let boolean = m.ty(condition.value).dtype == DType::Bool && m.number(zero) == Some(0.0);
            boolean.then(|| vec![(condition, wanted == (c.direction == Direction::Ne))])
        }
        _ => None,
    }
}

/// Returns true if `term` is `wanted` exactly where column <= row + `square.extra_columns`.
fn is_causal(m: &mut Match<'_>, term: &Term, wanted: bool, square: &ScoreDims) -> bool {
    let Some((_, op)) = m.definition(term.value) else { return false };
    let (OpKind::Compare(c), [x, y]) = (&op.kind, &m.operands_of(op, term)[..]) else { return false };
    let (Some((x, a)), Some((y, b))) = (iota_offset(m, x), iota_offset(m, y)) else { return false };
    let negated = match c.direction {
        Direction::Lt => Direction::Ge,
        Direction::Le => Direction::Gt,
        Direction::Gt => Direction::Le,
        Direction::Ge => Direction::Lt,
        Direction::Eq | Direction::Ne => return false,
    };
    let direction = if wanted { c.direction } else { negated };
    // Maximum of column - row.
    let more = if (Some(x), y) == (square.row, square.column) {
        match direction {
            Direction::Ge => a - b,
            Direction::Gt => a - b - 1,
            _ => return false,
        }
    } else if (x, Some(y)) == (square.column, square.row) {
        match direction {
            Direction::Le => b - a,
            Direction::Lt => b - a - 1,
            _ => return false,
        }
    } else {
        return false;
    };
    more == square.extra_columns
}

/// Returns the dimension of which a term is the `iota`, and its first value.
fn iota_offset(m: &mut Match<'_>, term: &Term) -> Option<(usize, i64)> {
    let mut term = m.strip_movement(term.clone());
    let mut first = 0;
    if !matches!(m.ty(term.value).dtype, DType::I64 | DType::I32 | DType::F64 | DType::F32) {
        return None;
    }
    loop {
        let (_, op) = m.definition(term.value)?;
        match &op.kind {
            OpKind::Iota(iota) => return Some(((*term.along.get(iota.dim)?)?, first)),
            OpKind::Binary(b) if matches!(b.op, BinaryOp::Add | BinaryOp::Sub) => {
                let (x, y) = m.binary(term, b.op)?;
                let (x, n) = match (m.number(&y), m.number(&x)) {
                    (Some(n), _) => (x, if b.op == BinaryOp::Add { n } else { -n }),
                    (None, Some(n)) if b.op == BinaryOp::Add => (y, n),
                    _ => return None,
                };
                let exact = n.fract() == 0.0 && n.abs() <= f64::from(i32::MAX);
                first += exact.then_some(n as i64)?;
                term = m.strip_movement(x);
            }
            _ => return None,
        }
    }
}
