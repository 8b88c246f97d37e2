//! Generator steps for composite operations.

use super::Step;
use super::pool::{GeneratedValue, Generator};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{
    Attention, BatchNorm, ContextMethod, CrossEntropy, Gelu, LayerNorm, LogSoftmax, RmsNorm, Softmax,
};

pub(super) const STEPS: &[(&str, Step)] = &[
    ("softmax", softmax),
    ("log_softmax", log_softmax),
    ("layer_norm", layer_norm),
    ("rms_norm", rms_norm),
    ("batch_norm", batch_norm),
    ("gelu", gelu),
    ("cross_entropy", cross_entropy),
    ("attention", attention),
];

/// Returns an earlier float value with at least the given rank and no empty dimension, clamped unless its magnitude is
/// at most 8.
fn moderate_float(d: &mut Generator<'_>, rank: usize) -> Option<GeneratedValue> {
    let x = d.find(|v| v.ty.dtype.is_float() && v.rank() >= rank && !v.ty.shape.contains(&0))?;
    Some(d.clamp_within(x, 8.0))
}

/// Returns a vector of the given size with the dtype of `like`.
fn vector(d: &mut Generator<'_>, like: &GeneratedValue, size: usize) -> GeneratedValue {
    d.value_of_type(&Type::new(like.ty.dtype, [size]))
}

fn softmax(d: &mut Generator<'_>) -> Option<()> {
    let x = moderate_float(d, 1)?;
    let dim = d.tape.below(x.rank());
    d.push(Softmax { dim }, &[&x], x.ty.clone(), 1.0, false)?;
    Some(())
}

fn log_softmax(d: &mut Generator<'_>) -> Option<()> {
    let x = moderate_float(d, 1)?;
    let dim = d.tape.below(x.rank());
    d.push(LogSoftmax { dim }, &[&x], x.ty.clone(), 30.0, false)?;
    Some(())
}

fn layer_norm(d: &mut Generator<'_>) -> Option<()> {
    let x = moderate_float(d, 1)?;
    let n = x.ty.shape[x.rank() - 1];
    let (gamma, beta) = (vector(d, &x, n), vector(d, &x, n));
    let args = if d.tape.one_in(2) { vec![&x, &gamma] } else { vec![&x, &gamma, &beta] };
    let bound = 8.0 * gamma.bound + beta.bound;
    d.push(LayerNorm { eps: 0.5 }, &args, x.ty.clone(), bound, false)?;
    Some(())
}

fn rms_norm(d: &mut Generator<'_>) -> Option<()> {
    let x = moderate_float(d, 1)?;
    let gamma = vector(d, &x, x.ty.shape[x.rank() - 1]);
    d.push(RmsNorm { eps: 0.5 }, &[&x, &gamma], x.ty.clone(), 8.0 * gamma.bound, false)?;
    Some(())
}

fn batch_norm(d: &mut Generator<'_>) -> Option<()> {
    let x = moderate_float(d, 1)?;
    let dim = d.tape.below(x.rank());
    let n = x.ty.shape[dim];
    let (gamma, beta, mean, var) = (vector(d, &x, n), vector(d, &x, n), vector(d, &x, n), vector(d, &x, n));
    let var = d.clamp(&var, 1.0, 4.0);
    let bound = (x.bound + mean.bound) * gamma.bound + beta.bound;
    d.push(BatchNorm { dim, eps: 0.5 }, &[&x, &gamma, &beta, &mean, &var], x.ty.clone(), bound, false)?;
    Some(())
}

fn gelu(d: &mut Generator<'_>) -> Option<()> {
    let x = moderate_float(d, 0)?;
    let tanh = d.tape.one_in(2);
    d.push(Gelu { tanh, ..Gelu::default() }, &[&x], x.ty.clone(), x.bound, false)?;
    Some(())
}

fn cross_entropy(d: &mut Generator<'_>) -> Option<()> {
    let x = moderate_float(d, 1)?;
    let (&classes, outer) = x.ty.shape.split_last()?;
    let outer = Shape::from(outer);
    let labels = d.ranged_input(Type { shape: outer.clone(), dtype: DType::I32 }, 0, classes as i64 - 1);
    d.push(CrossEntropy {}, &[&x, &labels], Type { shape: outer, dtype: x.ty.dtype }, 30.0, false)?;
    Some(())
}

fn attention(d: &mut Generator<'_>) -> Option<()> {
    let q = moderate_float(d, 2)?;
    let r = q.rank();
    let (s, head) = (q.ty.shape[r - 2], q.ty.shape[r - 1]);
    let t = s + d.tape.below(3);
    let e = [head, 3, 5][d.tape.below(3)];
    let like = |t: usize, e: usize| {
        let mut ty = q.ty.clone();
        ty.shape[r - 2] = t;
        ty.shape[r - 1] = e;
        ty
    };
    let (k, v) = (d.value_of_type(&like(t, head)), d.value_of_type(&like(t, e)));
    let (k, v) = (d.clamp_within(k, 8.0), d.clamp_within(v, 8.0));
    let causal = d.tape.one_in(2);
    let context = ContextMethod::ALL[d.tape.below(ContextMethod::ALL.len())];
    let op = Attention { context, ..Attention::new(causal, 0.25) };
    let mask = if d.tape.one_in(3) {
        let ty = Type::new(DType::Bool, [[s, t], [1, t], [s, 1]][d.tape.below(3)]);
        Some(d.value_of_type(&ty))
    } else {
        None
    };
    let args: Vec<&_> = [&q, &k, &v].into_iter().chain(&mask).collect();
    d.push(op, &args, like(s, e), v.bound, false)?;
    Some(())
}
