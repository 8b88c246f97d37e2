//! `loop`: calls a function repeatedly on loop-carried values.

use crate::arena::{FuncId, ValueId};
use crate::dtype::{DType, Type};
use crate::program::EvalCx;
use crate::program::class::{Class, Control};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::program::{Form, Program};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::Tensor;

op! {
    /// Calls a function repeatedly on loop-carried values. Operands are the initial carried values, results the final
    /// ones.
    ///
    /// A loop with a limit is a `while` loop whose trip count is unknown: it ends before the iteration in which its
    /// first carried value, a boolean scalar, is false. More iterations than the limit are an error.
    Loop = "loop" {
        /// Trip count; for a `while` loop the number of iterations that costs assume.
        "" trip: u64,
        /// The loop body, a function from carried values to carried values.
        "of" body: FuncId,
        /// Largest number of iterations of a `while` loop, or 0 for a loop with a fixed trip count.
        "while" limit: u64,
    } calls body
}

/// Number of iterations that costs assume for a `while` loop.
pub const ASSUMED_ITERATIONS: u64 = 100;

/// Limit of the iterations of a `while` loop that does not specify one.
pub const MAX_ITERATIONS: u64 = 1_000_000;

impl Loop {
    /// Creates a loop with a fixed trip count.
    pub fn counted(trip: u64, body: FuncId) -> Loop {
        Loop { trip, body, limit: 0 }
    }

    /// Returns true if the trip count is unknown.
    pub fn is_while(&self) -> bool {
        self.limit > 0
    }

    /// Returns the message for a loop that exceeds its limit; completes "`loop` ...".
    pub fn limit_message(limit: u64) -> String {
        format!("did not end within {limit} iterations")
    }
}

impl Operation for Loop {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let body = program.funcs.get(self.body).ok_or("runs a function that does not exist")?;
        let ty = |v: ValueId| {
            let value = &program.values[v];
            if program.form >= Form::Local { value.local_type() } else { value.ty.clone() }
        };
        let takes: Vec<Type> = body.inputs.iter().map(|&v| ty(v)).collect();
        let gives: Vec<Type> = body.outputs.iter().map(|o| ty(o.value)).collect();
        if takes != gives {
            return Err(format!("@{} must return the types of its inputs", body.name));
        }
        if takes.len() != args.len() {
            return Err(format!("@{} carries {}, not {}", body.name, check::plural(takes.len(), "value"), args.len()));
        }
        for (i, (takes, arg)) in takes.iter().zip(args).enumerate() {
            if takes != *arg {
                return Err(format!("@{} carries {takes} as value {i}, not {arg}", body.name));
            }
        }
        match takes.first() {
            Some(condition) if self.is_while() && *condition == Type::new(DType::Bool, []) => Ok(takes.into()),
            _ if self.is_while() => Err(format!("@{} must carry its condition first, a bool[]", body.name)),
            _ => Ok(takes.into()),
        }
    }

    fn class(&self) -> Class<'_> {
        Class::Control(Control::Loop(self))
    }

    /// A carried value has the same layout in the operands and the results.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        for arg in args {
            let map: DimMap = arg.shape.iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
            rule.args.push(map.clone());
            rule.outs.push(map);
        }
        rule
    }

    /// The cost of the body is counted for the ops in it.
    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], _: &[&Type]) -> EvalResult {
        let mut carried: Vec<Tensor> = args.iter().map(|&x| x.clone()).collect();
        if !self.is_while() {
            for _ in 0..self.trip {
                carried = (cx.call)(self.body, carried)?;
            }
            return Ok(carried);
        }
        let holds = |carried: &[Tensor]| carried.first().is_some_and(|condition| condition.get(0).to_i64() != 0);
        for _ in 0..self.limit {
            if !holds(&carried) {
                return Ok(carried);
            }
            carried = (cx.call)(self.body, carried)?;
        }
        if holds(&carried) { Err(Loop::limit_message(self.limit)) } else { Ok(carried) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::run;
    use crate::program::build::{Builder, Namer};
    use crate::program::ops::BinaryOp;
    use crate::program::ops::testing::count_up;
    use crate::program::{Func, Output};

    /// Creates a program with a loop of `x, y -> x + y, x` on two vectors.
    fn fibonacci(trip: u64) -> Program {
        let mut program = Program::default();
        let ty = Type::new(DType::I64, [2]);
        let (x, y) = (program.input("x", ty.clone()), program.input("y", ty.clone()));
        let (bx, by) = (program.value("bx", ty.clone()), program.value("by", ty.clone()));
        let mut names = Namer::from_program(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let sum = b.binary(BinaryOp::Add, bx, by);
        let body = std::mem::take(&mut b.body);
        let output = |value| Output { value, name: "o".into(), replaces: None };
        let outputs = vec![output(sum), output(bx)];
        let body = b.program.funcs.push(Func { name: "body".into(), inputs: vec![bx, by], outputs, body });
        let outs = b.op_many("f", Loop::counted(trip, body), &[x, y], &[ty.clone(), ty]);
        let main = b.program.main;
        b.finish(main);
        program.output("f", outs[0]);
        program
    }

    #[test]
    fn runs_the_body() {
        for (trip, want) in [(0, [0, 1]), (1, [0, 2]), (6, [0, 21])] {
            let program = fibonacci(trip);
            let x = count_up(DType::I64, [2]);
            let out = run(&program, vec![x.clone(), x]).unwrap();
            assert_eq!(out[0].scalars().map(|x| x.to_i64()).collect::<Vec<_>>(), want);
        }
    }

    #[test]
    fn every_carried_value_has_separate_factors() {
        let ty = Type::new(DType::F32, [4, 4]);
        let types = vec![&ty; 200];
        let rule = Loop::counted(1, FuncId(0)).rule(&types, &types);
        assert_eq!(rule.factors.len(), 400);
        assert_eq!((rule.args[199][1].len(), rule.outs[199][1].len()), (1, 1));
    }

    #[test]
    fn mismatches_are_errors() {
        let program = fibonacci(1);
        let op = &program.ops[*program.main().body.last().unwrap()].kind;
        let (good, bad) = (Type::new(DType::I64, [2]), Type::new(DType::I64, [3]));
        let error = |args: &[&Type]| op.infer(&program, args, &[]).unwrap_err();
        assert_eq!(error(&[&good]), "@body carries 2 values, not 1");
        assert_eq!(error(&[&good, &bad]), "@body carries i64[2] as value 1, not i64[3]");
    }

    #[test]
    fn recursive_functions_are_rejected() {
        let mut program = fibonacci(1);
        let looped = *program.main().body.last().unwrap();
        let body = program.ops[looped].kind.func().unwrap();
        program.funcs[body].body = vec![looped];
        let x = count_up(DType::I64, [2]);
        let inputs = program.main().inputs.clone();
        program.funcs[body].inputs = inputs;
        assert!(run(&program, vec![x.clone(), x]).unwrap_err().contains("deep"));
    }
}
