//! Generator steps for loops and constraints.

use super::Step;
use super::pool::{GeneratedValue, Generator};
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{Binary, BinaryOp, Constrain, DotGeneral, Loop, Reverse};

pub(super) const STEPS: &[(&str, Step)] = &[("loop", repeat), ("loop", repeat), ("constrain", constrain)];

/// Appends a loop over one or two carried values; its body mixes and clamps them so that they stay bounded.
fn repeat(d: &mut Generator<'_>) -> Option<()> {
    if d.is_in_nested_function() {
        return None;
    }
    let x = d.number(1);
    let x = d.clamp_within(x, 4.0);
    let y = d.value_of_type(&x.ty);
    let y = d.clamp_within(y, 4.0);
    let types = [&x, &y].map(|v| (v.ty.clone(), 4.0, v.integral));
    let trip = d.tape.below(4) as u64;
    let way = d.tape.below(3);
    let body = d.function("step", &types, |d, args| {
        let [x, y] = args else { return vec![] };
        let next = mixed(d, x, y, way);
        vec![y.id, next.id]
    });
    let outs = d.emit(Loop::counted(trip, body), &[x.id, y.id], &[x.ty.clone(), y.ty.clone()]);
    let whole = x.integral && y.integral;
    for (id, val) in outs.into_iter().zip([x, y]) {
        d.record(GeneratedValue { id, bound: 4.0, integral: whole, ..val });
    }
    Some(())
}

/// Returns a value of the same type with a magnitude of at most 4 that depends on both operands.
fn mixed(d: &mut Generator<'_>, x: &GeneratedValue, y: &GeneratedValue, way: usize) -> GeneratedValue {
    let ty = x.ty.clone();
    let last = x.rank() - 1;
    let n = ty.shape[last];
    let x = match way {
        1 => {
            let weights = d.splat(&Type::new(ty.dtype, [n, n]), 1.0);
            let kind = DotGeneral::matmul(x.rank(), 2);
            match kind {
                Some(kind) => GeneratedValue {
                    id: d.emit(kind, &[x.id, weights.id], std::slice::from_ref(&ty))[0],
                    bound: 4.0 * n as f64,
                    ..x.clone()
                },
                None => x.clone(),
            }
        }
        2 => GeneratedValue {
            id: d.emit(Reverse { dims: [last].into_iter().collect() }, &[x.id], std::slice::from_ref(&ty))[0],
            ..x.clone()
        },
        _ => x.clone(),
    };
    let sum = d.emit(Binary { op: BinaryOp::Add }, &[x.id, y.id], std::slice::from_ref(&ty))[0];
    let sum = GeneratedValue { id: sum, ty, bound: f64::MAX, integral: x.integral && y.integral };
    d.clamp_within(sum, 4.0)
}

fn constrain(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.ty.dtype != DType::Bool)?;
    let layout = super::draw_layout(&mut d.tape, &d.program, &x.ty.shape);
    let out = d.push(Constrain::default(), &[&x], x.ty.clone(), x.bound, x.integral)?;
    d.program.values[out.id].layout = layout.map(Into::into);
    Some(())
}
