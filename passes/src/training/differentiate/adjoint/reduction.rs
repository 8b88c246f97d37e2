//! Adjoints of reductions.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Type;
use partita_ir::layout::Monoid;
use partita_ir::ops::{Direction, Reduce};

/// The gradient spread over what was combined: all of it for a sum; for a maximum, what is largest, ties sharing
/// equally; for a product, times the product of all others.
pub fn reduce(at: &mut Adjoint<'_, '_>, op: &Reduce) -> Result<(), String> {
    if !at.wants(0) {
        return Ok(());
    }
    let (g, x, y) = (at.gradient(), at.arg(0), at.out());
    let b = &mut *at.b;
    let shape = b.ty(x).shape;
    let gradient = match op.monoid {
        Monoid::Sum => b.spread_over(g, &op.dims, &shape),
        Monoid::Max | Monoid::Min => {
            let best = b.spread_over(y, &op.dims, &shape);
            let won = b.compare(x, Direction::Eq, best);
            let dtype = b.ty(x).dtype;
            let ones = b.converted(won, dtype);
            let count = b.sum(ones, &op.dims);
            let share = b.div(g, count);
            let share = b.spread_over(share, &op.dims, &shape);
            b.keep(won, share)
        }
        Monoid::Prod => {
            let others = Others::of(b, x, |b, x, monoid| b.reduced(monoid, x, &op.dims));
            let spread = |b: &mut Builder<'_>, v: ValueId| b.spread_over(v, &op.dims, &shape);
            let product = others.product(b, x, spread);
            let g = b.spread_over(g, &op.dims, &shape);
            b.mul(g, product)
        }
        Monoid::And | Monoid::Or => return Err(format!("{} is not a function of floats", op.monoid.name())),
    };
    at.give(0, gradient);
    Ok(())
}

/// The product of all other factors, for each factor of a product, where some are zero: of one zero the product of all
/// others, of several nothing.
pub(super) struct Others {
    /// How many factors are zero.
    pub zeros: ValueId,
    /// The product of those that are not.
    pub rest: ValueId,
}

impl Others {
    /// Of the factors that `combine` combines.
    pub(super) fn of(
        b: &mut Builder<'_>,
        x: ValueId,
        combine: impl Fn(&mut Builder<'_>, ValueId, Monoid) -> ValueId,
    ) -> Others {
        let (zero, factor) = without_zeros(b, x);
        let dtype = b.ty(x).dtype;
        let ones = b.converted(zero, dtype);
        Others { zeros: combine(b, ones, Monoid::Sum), rest: combine(b, factor, Monoid::Prod) }
    }

    /// What a factor that is zero finds, and what one finds that is not, times itself.
    pub(super) fn sides(&self, b: &mut Builder<'_>) -> (ValueId, ValueId) {
        let only = b.compare_with(self.zeros, Direction::Eq, 1.0);
        let of_zero = b.keep(only, self.rest);
        let none = b.compare_with(self.zeros, Direction::Eq, 0.0);
        (of_zero, b.keep(none, self.rest))
    }

    /// The product of all others, for each of the factors `x`; `spread` puts a combined number beside each of its
    /// factors.
    fn product(
        &self,
        b: &mut Builder<'_>,
        x: ValueId,
        spread: impl Fn(&mut Builder<'_>, ValueId) -> ValueId,
    ) -> ValueId {
        let (of_zero, of_others) = self.sides(b);
        let (zero, factor) = without_zeros(b, x);
        let (of_zero, of_others) = (spread(b, of_zero), spread(b, of_others));
        let of_others = b.div(of_others, factor);
        b.choose(zero, of_zero, of_others)
    }
}

/// Which factors are zero, and the factors with ones in their place.
pub(super) fn without_zeros(b: &mut Builder<'_>, x: ValueId) -> (ValueId, ValueId) {
    let ty: Type = b.ty(x);
    let zero = b.compare_with(x, Direction::Eq, 0.0);
    let one = b.filled(ty, 1.0);
    (zero, b.choose(zero, one, x))
}
