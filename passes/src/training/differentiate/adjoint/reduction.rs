//! Adjoints of reductions.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Type;
use partita_ir::layout::Monoid;
use partita_ir::ops::{Direction, Reduce};

/// Appends the adjoint of `reduce`. Broadcasts the gradient over the reduced elements: unchanged for a sum; for a
/// maximum only to the largest elements, in equal shares; for a product multiplied by the product of all other
/// elements.
pub fn reduce(ctx: &mut Adjoint<'_, '_>, op: &Reduce) -> Result<(), String> {
    if !ctx.needs_gradient(0) {
        return Ok(());
    }
    let (g, x, y) = (ctx.gradient(), ctx.arg(0), ctx.out());
    let b = &mut *ctx.b;
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
            b.select_or_zero(won, share)
        }
        Monoid::Prod => {
            let others = OtherFactors::new(b, x, |b, x, monoid| b.reduced(monoid, x, &op.dims));
            let spread = |b: &mut Builder<'_>, v: ValueId| b.spread_over(v, &op.dims, &shape);
            let product = others.broadcast_product(b, x, spread);
            let g = b.spread_over(g, &op.dims, &shape);
            b.mul(g, product)
        }
        Monoid::And | Monoid::Or => return Err(format!("{} is not a function of floats", op.monoid.name())),
    };
    ctx.set_gradient(0, gradient);
    Ok(())
}

/// The product of all other factors, for each factor of a product that may contain zeros. With a single zero it is
/// nonzero for that factor only; with several zeros it is zero for all.
pub(super) struct OtherFactors {
    /// Number of factors that are zero.
    pub zeros: ValueId,
    /// Product of the factors that are not zero.
    pub nonzero_product: ValueId,
}

impl OtherFactors {
    /// Computes both from the factors `x` with the reduction `combine`.
    pub(super) fn new(
        b: &mut Builder<'_>,
        x: ValueId,
        combine: impl Fn(&mut Builder<'_>, ValueId, Monoid) -> ValueId,
    ) -> OtherFactors {
        let (zero, factor) = without_zeros(b, x);
        let dtype = b.ty(x).dtype;
        let ones = b.converted(zero, dtype);
        OtherFactors { zeros: combine(b, ones, Monoid::Sum), nonzero_product: combine(b, factor, Monoid::Prod) }
    }

    /// Returns the product of all other factors for a factor that is zero, and the product of all factors for one that
    /// is not zero.
    pub(super) fn products(&self, b: &mut Builder<'_>) -> (ValueId, ValueId) {
        let only = b.compare_with(self.zeros, Direction::Eq, 1.0);
        let of_zero = b.select_or_zero(only, self.nonzero_product);
        let none = b.compare_with(self.zeros, Direction::Eq, 0.0);
        (of_zero, b.select_or_zero(none, self.nonzero_product))
    }

    /// Returns the product of all other factors for each of the factors `x`. `spread` broadcasts a reduced value over
    /// its factors.
    fn broadcast_product(
        &self,
        b: &mut Builder<'_>,
        x: ValueId,
        spread: impl Fn(&mut Builder<'_>, ValueId) -> ValueId,
    ) -> ValueId {
        let (of_zero, of_others) = self.products(b);
        let (zero, factor) = without_zeros(b, x);
        let (of_zero, of_others) = (spread(b, of_zero), spread(b, of_others));
        let of_others = b.div(of_others, factor);
        b.choose(zero, of_zero, of_others)
    }
}

/// Returns a mask of the factors that are zero, and the factors with zeros replaced by ones.
pub(super) fn without_zeros(b: &mut Builder<'_>, x: ValueId) -> (ValueId, ValueId) {
    let ty: Type = b.ty(x);
    let zero = b.compare_with(x, Direction::Eq, 0.0);
    let one = b.filled(ty, 1.0);
    (zero, b.choose(zero, one, x))
}
