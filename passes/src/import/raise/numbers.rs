//! Values whose elements are all one number: constants, moved constants, and functions of constants.
//!
//! Recogniser: a value that is uniform for another reason is treated as non-uniform, so that fewer composites are
//! raised.

use partita_ir::arena::{FuncId, Id};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::interp::run;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::Literal;
use partita_ir::program::EvalCx;
use partita_ir::program::{Op, Program};
use partita_ir::tensor::{Scalar, Tensor};

/// Returns the number that fills each value of a function. Values with a layout are skipped.
pub fn numbers(program: &Program, func: FuncId, has_layout: &[bool]) -> Vec<Option<Scalar>> {
    let mut numbers = vec![None; program.values.len()];
    for &id in program.funcs[func].ops() {
        let op = &program.ops[id];
        if let &[out] = &op.outs[..]
            && !has_layout[out.index()]
        {
            numbers[out.index()] = number(program, op, &numbers);
        }
    }
    numbers
}

/// Returns the number that fills the op's result.
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

/// Evaluates an elementwise op on numbers. `None` if the result is rounded, since patterns compare numbers in `f64`.
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
