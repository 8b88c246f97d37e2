//! Values that one number fills: constants, what moves them, and what is computed of them alone.
//!
//! Recogniser: a value that is one number in another way is taken for one of many, so that less is raised.

use partita_ir::arena::{FuncId, Id};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::interp::run;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::Literal;
use partita_ir::program::EvalCx;
use partita_ir::program::{Op, Program};
use partita_ir::tensor::{Scalar, Tensor};

/// The number that fills each value of a function, by id. What the user placed is not looked at.
pub fn numbers(program: &Program, func: FuncId, placed: &[bool]) -> Vec<Option<Scalar>> {
    let mut numbers = vec![None; program.values.len()];
    for &id in program.funcs[func].ops() {
        let op = &program.ops[id];
        if let &[out] = &op.outs[..]
            && !placed[out.index()]
        {
            numbers[out.index()] = number(program, op, &numbers);
        }
    }
    numbers
}

/// The number that fills the op's result.
pub fn number(program: &Program, op: &Op, numbers: &[Option<Scalar>]) -> Option<Scalar> {
    match &op.kind {
        OpKind::Constant(c) => match &c.value {
            Literal::Splat(number) => Some(*number),
            Literal::Dense(_) => None,
        },
        OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) => numbers[op.args[0].index()],
        OpKind::Reduce(reduce) if matches!(reduce.monoid, Monoid::Max | Monoid::Min | Monoid::And | Monoid::Or) => {
            let filled = program.ty(op.args[0]).shape.count() > 0;
            numbers[op.args[0].index()].filter(|_| filled)
        }
        OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) | OpKind::Convert(_) => {
            computed(program, op, numbers)
        }
        _ => None,
    }
}

/// What an elementwise op makes of numbers, unless the result is rounded: what is computed of it has its own meaning in
/// `f64`.
fn computed(program: &Program, op: &Op, numbers: &[Option<Scalar>]) -> Option<Scalar> {
    let narrow = evaluated(program, op, numbers, |dtype| dtype)?;
    let wide = evaluated(program, op, numbers, |dtype| if dtype.is_float() { DType::F64 } else { dtype })?;
    (narrow.to_f64() == wide.to_f64()).then_some(narrow)
}

fn evaluated(program: &Program, op: &Op, numbers: &[Option<Scalar>], dtype: impl Fn(DType) -> DType) -> Option<Scalar> {
    let one = |value| Type { shape: Shape::scalar(), dtype: dtype(program.ty(value).dtype) };
    let operand = |&arg| Some(Tensor::splat(one(arg), numbers[arg.index()]?));
    let args: Vec<Tensor> = op.args.iter().map(operand).collect::<Option<_>>()?;
    let cx = EvalCx { program, device: None, call: &|_, _| Err("calls nothing".into()), run: &run };
    let result = op.kind.eval(&cx, &args.iter().collect::<Vec<_>>(), &[&one(op.outs[0])]).ok()?;
    Some(result.first()?.get(0))
}
