//! Which scores of an attention are seen: what its mask says, in terms of rows and columns.
//!
//! Recogniser: scores that are masked in another way are an operand of the attention.

use super::pattern::{Match, Term};
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// What is added or put in place of a score to hide it is at most this: its exponential is zero next to that of a
/// score.
const LOW: f64 = -1e4;

/// Scores that were hidden.
pub struct Hidden {
    /// A condition.
    pub condition: Term,
    /// What it is where scores are seen.
    pub seen_if: bool,
    /// What a hidden score is.
    pub low: f64,
}

/// Which scores are seen.
#[derive(Default)]
pub struct Seen {
    /// Those up to the diagonal that ends in the last row and column.
    pub causal: bool,
    /// Those where a condition is true, or false.
    pub mask: Option<(Term, bool)>,
}

/// The dimensions of a square of scores.
pub struct Square {
    /// The dimension of the rows; `None` when there is one row.
    pub row: Option<usize>,
    /// The dimension of the columns.
    pub column: usize,
    /// How many more columns than rows there are.
    pub wider: i64,
}

impl Seen {
    /// What is left to see, when attention can say it. Attention gives zeros to a row that sees nothing. A softmax of
    /// `-inf` only is no number anyway, but one of finite numbers would be an average, so that with those every row
    /// must see something.
    pub fn of(m: &mut Match<'_>, hidden: Vec<Hidden>, square: &Square) -> Option<Seen> {
        let mut seen = Seen::default();
        let finite = hidden.iter().any(|h| h.low != f64::NEG_INFINITY);
        let low = hidden.iter().all(|h| h.low <= LOW);
        let mut conditions: Vec<(Term, bool)> = hidden.into_iter().map(|h| (h.condition, h.seen_if)).collect();
        while let Some((term, wanted)) = conditions.pop() {
            let term = m.aside(|m| m.core(term));
            if let Some(known) = m.number(&term) {
                (wanted == (known != 0.0)).then_some(())?;
            } else if let Some(parts) = m.aside(|m| parts(m, &term, wanted)) {
                conditions.extend(parts);
            } else if m.aside(|m| is_causal(m, &term, wanted, square)) {
                seen.causal = true;
            } else if seen.mask.replace((term, wanted)).is_some() {
                return None;
            }
        }
        let some_in_each_row = seen.mask.is_none() && (!seen.causal || square.wider >= 0);
        (low && (some_in_each_row || !finite)).then_some(seen)
    }
}

/// Conditions that together are the same as that a condition is what is wanted.
fn parts(m: &mut Match<'_>, term: &Term, wanted: bool) -> Option<Vec<(Term, bool)>> {
    let (_, op) = m.given_by(term.value)?;
    let operands = m.operands_of(op, term);
    match (&op.kind, &operands[..]) {
        (OpKind::Unary(u), [x]) if u.op == UnaryOp::Not => Some(vec![(x.clone(), !wanted)]),
        (OpKind::Binary(b), [x, y]) if b.op == if wanted { BinaryOp::And } else { BinaryOp::Or } => {
            Some(vec![(x.clone(), wanted), (y.clone(), wanted)])
        }
        // Where one branch is known not to be what is wanted, it is the other one that counts.
        (OpKind::Select(_), [pred, yes, no]) => {
            let unwanted = |branch| m.number(branch).is_some_and(|known| wanted != (known != 0.0));
            match (unwanted(yes), unwanted(no)) {
                (_, true) => Some(vec![(pred.clone(), true), (yes.clone(), wanted)]),
                (true, _) => Some(vec![(pred.clone(), false), (no.clone(), wanted)]),
                _ => None,
            }
        }
        // Whether a condition that was converted to a number is not zero.
        (OpKind::Compare(c), [x, zero]) if matches!(c.direction, Direction::Ne | Direction::Eq) => {
            let condition = m.converted(x.clone())?;
            let boolean = m.ty(condition.value).dtype == DType::Bool && m.number(zero) == Some(0.0);
            boolean.then(|| vec![(condition, wanted == (c.direction == Direction::Ne))])
        }
        _ => None,
    }
}

/// Whether a comparison is what is wanted where the column is at most the row and as much more as there are more
/// columns.
fn is_causal(m: &mut Match<'_>, term: &Term, wanted: bool, square: &Square) -> bool {
    let Some((_, op)) = m.given_by(term.value) else { return false };
    let (OpKind::Compare(c), [x, y]) = (&op.kind, &m.operands_of(op, term)[..]) else { return false };
    let (Some((x, a)), Some((y, b))) = (position(m, x), position(m, y)) else { return false };
    let negated = match c.direction {
        Direction::Lt => Direction::Ge,
        Direction::Le => Direction::Gt,
        Direction::Gt => Direction::Le,
        Direction::Ge => Direction::Lt,
        Direction::Eq | Direction::Ne => return false,
    };
    let direction = if wanted { c.direction } else { negated };
    // How much more than the row the column may be.
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
    more == square.wider
}

/// The dimension along which a term counts, and from which number on.
fn position(m: &mut Match<'_>, term: &Term) -> Option<(usize, i64)> {
    let mut term = m.core(term.clone());
    let mut first = 0;
    if !matches!(m.ty(term.value).dtype, DType::I64 | DType::I32 | DType::F64 | DType::F32) {
        return None;
    }
    loop {
        let (_, op) = m.given_by(term.value)?;
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
                term = m.core(x);
            }
            _ => return None,
        }
    }
}
