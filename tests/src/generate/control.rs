//! Loops and constraints.

use super::Step;
use super::pool::{Draw, Val};
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{Binary, BinaryOp, Constrain, DotGeneral, Loop, Reverse};

pub(super) const STEPS: &[(&str, Step)] = &[("loop", repeat), ("loop", repeat), ("constrain", constrain)];

/// A loop over one or two carried values; its body mixes them, and clamps them so that they do not grow.
fn repeat(d: &mut Draw<'_>) -> Option<()> {
    if d.is_inside() {
        return None;
    }
    let x = d.number(1);
    let x = d.within(x, 4.0);
    let y = d.another(&x.ty);
    let y = d.within(y, 4.0);
    let types = [&x, &y].map(|v| (v.ty.clone(), 4.0, v.whole));
    let trip = d.tape.below(4) as u64;
    let way = d.tape.below(3);
    let body = d.function("step", &types, |d, args| {
        let [x, y] = args else { return vec![] };
        let next = mixed(d, x, y, way);
        vec![y.id, next.id]
    });
    let outs = d.emit(Loop { trip, body }, &[x.id, y.id], &[x.ty.clone(), y.ty.clone()]);
    let whole = x.whole && y.whole;
    for (id, val) in outs.into_iter().zip([x, y]) {
        d.keep(Val { id, bound: 4.0, whole, ..val });
    }
    Some(())
}

/// A value of the same type, within 4, that depends on both.
fn mixed(d: &mut Draw<'_>, x: &Val, y: &Val, way: usize) -> Val {
    let ty = x.ty.clone();
    let last = x.rank() - 1;
    let n = ty.shape[last];
    let x = match way {
        1 => {
            let weights = d.splat(&Type::new(ty.dtype, [n, n]), 1.0);
            let kind = DotGeneral::matmul(x.rank(), 2);
            match kind {
                Some(kind) => Val {
                    id: d.emit(kind, &[x.id, weights.id], std::slice::from_ref(&ty))[0],
                    bound: 4.0 * n as f64,
                    ..x.clone()
                },
                None => x.clone(),
            }
        }
        2 => Val {
            id: d.emit(Reverse { dims: [last].into_iter().collect() }, &[x.id], std::slice::from_ref(&ty))[0],
            ..x.clone()
        },
        _ => x.clone(),
    };
    let sum = d.emit(Binary { op: BinaryOp::Add }, &[x.id, y.id], std::slice::from_ref(&ty))[0];
    let sum = Val { id: sum, ty, bound: f64::MAX, whole: x.whole && y.whole };
    d.within(sum, 4.0)
}

fn constrain(d: &mut Draw<'_>) -> Option<()> {
    let x = d.find(|v| v.ty.dtype != DType::Bool)?;
    let layout = super::draw_layout(&mut d.tape, &d.program, &x.ty.shape);
    let out = d.push(Constrain { fresh: false }, &[&x], x.ty.clone(), x.bound, x.whole)?;
    d.program.values[out.id].layout = layout.map(Into::into);
    Some(())
}
