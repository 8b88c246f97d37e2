//! `sort`: sorts operands of one shape jointly along a dimension.

mod merge;

use crate::arena::FuncId;
use crate::dtype::{DType, Shape, Type};
use crate::numeric::kernel::on_storage;
use crate::numeric::strided::{View, read_data, write};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::{Data, Tensor};
use smallvec::smallvec;

op! {
    /// Sorts operands of one shape jointly along a dimension. The comparator takes two scalars of each operand in turn
    /// (`a0, b0, a1, b1, ...`) and returns true if `a` is sorted before `b`. The interpreter applies it elementwise.
    Sort = "sort" {
        /// The dimension.
        "dim" dim: usize,
        /// Equal elements retain their order.
        "stable" stable: bool,
        /// The comparator.
        "by" comparator: FuncId,
    } calls comparator
}

impl Operation for Sort {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let Some((first, rest)) = args.split_first() else { return Err("needs an operand".into()) };
        check::dim_exists(self.dim, first)?;
        if let Some(other) = rest.iter().find(|t| t.shape != first.shape) {
            return Err(format!("operands must have one shape, not {first} and {other}"));
        }
        let inputs = args.iter().flat_map(|t| [t.dtype, t.dtype]);
        check::scalar_func(program, self.comparator, &inputs.collect::<Vec<_>>(), &[DType::Bool])?;
        Ok(args.iter().map(|&t| t.clone()).collect())
    }

    fn class(&self) -> Class<'_> {
        Class::Sorting
    }

    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let mut factors =
            |(d, &n)| if d == self.dim { rule.exchanged_dim(n, [n]) } else { rule.dim(n, FactorKind::PassThrough) };
        let map: DimMap = args[0].shape.iter().enumerate().map(&mut factors).collect();
        rule.args = smallvec![map.clone(); args.len()];
        rule.outs = smallvec![map; args.len()];
        rule
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        let n = args[0].shape.get(self.dim).copied().unwrap_or(1).max(1);
        (args[0].shape.count() as u64).saturating_mul(u64::from(n.ilog2() + 1))
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { exchanging: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let Some(shape) = args.first().map(|x| x.shape()) else { return Err("needs an operand".into()) };
        let rows: Vec<usize> = (0..shape.rank()).filter(|&d| d != self.dim).chain([self.dim]).collect();
        let view = View::row_major(shape).permuted(&rows);
        let lines: Vec<Data> = args.iter().map(|x| read_data(&x.data, &view)).collect();
        let order = self.order(cx, args, &lines, shape)?;
        let put = |(data, out): (Data, &&Type)| {
            let data = on_storage!(&data, v => {
                let sorted: Vec<_> = order.iter().map(|&i| v[i]).collect();
                let mut out = sorted.clone();
                write(&mut out, &view, &sorted);
                out
            });
            Tensor { ty: (*out).clone(), data }
        };
        Ok(lines.into_iter().zip(outs).map(put).collect())
    }
}

impl Sort {
    /// Returns the index in `lines` of the element at each position of the sorted lines.
    ///
    /// Uses Batcher's merge exchange network (Knuth, "The Art of Computer Programming", vol. 3, 5.2.2, algorithm M):
    /// the compared positions do not depend on the elements, so that the comparator is called once for all lines and
    /// all positions of a round. Elements that compare equal retain their order.
    fn order(&self, cx: &EvalCx<'_>, args: &[&Tensor], lines: &[Data], shape: &Shape) -> Result<Vec<usize>, String> {
        let n = shape[self.dim];
        let mut order: Vec<usize> = (0..shape.count()).collect();
        let starts = || (0..shape.count()).step_by(n.max(1));
        for Round { bit, value, distance } in rounds(n) {
            let compared = || (0..n.saturating_sub(distance)).filter(|i| i & bit == value);
            let pairs: Vec<(usize, usize)> =
                starts().flat_map(|line| compared().map(move |i| (line + i, line + i + distance))).collect();
            let first: Vec<usize> = pairs.iter().map(|&(i, _)| order[i]).collect();
            let second: Vec<usize> = pairs.iter().map(|&(_, j)| order[j]).collect();
            let before = |a: &[usize], b: &[usize]| -> Result<Vec<bool>, String> {
                let pick = |(data, x): (&Data, &&Tensor), at: &[usize]| Tensor {
                    ty: Type::new(x.ty.dtype, [at.len()]),
                    data: on_storage!(data, v => at.iter().map(|&i| v[i]).collect()),
                };
                let inputs = lines.iter().zip(args).flat_map(|x| [pick(x, a), pick(x, b)]).collect();
                let answer = (cx.call)(self.comparator, inputs)?;
                let [answer] = &answer[..] else { return Err("the comparator returns several results".into()) };
                Ok(answer.scalars().map(|x| x.to_i64() != 0).collect())
            };
            let (forward, backward) = (before(&first, &second)?, before(&second, &first)?);
            for (k, &(i, j)) in pairs.iter().enumerate() {
                let swap = if forward[k] == backward[k] { first[k] > second[k] } else { backward[k] };
                if swap {
                    order.swap(i, j);
                }
            }
        }
        Ok(order)
    }
}

/// One round of a sorting network: each position whose masked `bit` equals `value` is compared to the position at a
/// distance.
struct Round {
    bit: usize,
    value: usize,
    distance: usize,
}

/// Returns the rounds of Batcher's network on `n` positions.
fn rounds(n: usize) -> Vec<Round> {
    let mut rounds = Vec::new();
    let top = n.next_power_of_two() / 2;
    let mut bit = top;
    while bit > 0 {
        let (mut q, mut value, mut distance) = (top, 0, bit);
        loop {
            rounds.push(Round { bit, value, distance });
            if q == bit {
                break;
            }
            (distance, q, value) = (q - bit, q / 2, bit);
        }
        bit /= 2;
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::build::{Builder, Namer};
    use crate::program::ops::testing::{assert_rule_holds_in, count_up, eval_in, floats, ints};
    use crate::program::ops::{Compare, Direction};
    use crate::program::{Func, Output};
    use proptest::prelude::*;

    /// Creates a sort of several operands by the first one, ascending or descending, and a program with its comparator.
    fn comparing(direction: Direction, dtypes: &[DType]) -> (Program, Sort) {
        let mut program = Program::default();
        let scalars = dtypes.iter().flat_map(|&d| [d, d]).map(|d| Type::new(d, []));
        let inputs: Vec<_> = scalars.map(|ty| program.value("x", ty)).collect();
        let func = Func { name: "by".into(), inputs: inputs.clone(), outputs: vec![], body: vec![] };
        let func = program.funcs.push(func);
        let mut names = Namer::from_program(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let compare = Compare { direction, total: false };
        let value = b.op("first", compare, &inputs[..2], Type::new(DType::Bool, []));
        b.finish(func);
        program.funcs[func].outputs.push(Output { value, name: "first".into(), replaces: None });
        (program, Sort { dim: 0, stable: true, comparator: func })
    }

    fn sort(program: &Program, op: &Sort, args: &[Tensor]) -> Vec<Tensor> {
        let types: Vec<Type> = args.iter().map(|t| t.ty.clone()).collect();
        eval_in(program, &op.clone().into(), args, &types)
    }

    #[test]
    fn sorts_operands_together() {
        let (program, op) = comparing(Direction::Gt, &[DType::F32, DType::I32]);
        let x = floats(DType::F32, [3, 2], &[1.0, 6.0, 3.0, 4.0, 2.0, 5.0]);
        let at = count_up(DType::I32, [3, 2]);
        let want = [
            floats(DType::F32, [3, 2], &[3.0, 6.0, 2.0, 5.0, 1.0, 4.0]),
            ints(DType::I32, [3, 2], &[2, 1, 4, 5, 0, 3]),
        ];
        assert_eq!(sort(&program, &op, &[x, at]), want);
    }

    #[test]
    fn mismatches_are_errors() {
        let (program, op) = comparing(Direction::Lt, &[DType::F32]);
        let (x, y) = (Type::new(DType::F32, [4]), Type::new(DType::F32, [3]));
        let error = |op: &Sort, args: &[&Type]| op.infer(&program, args, &[]).unwrap_err();
        assert_eq!(error(&op, &[]), "needs an operand");
        assert_eq!(error(&op, &[&x, &y]), "operands must have one shape, not f32[4] and f32[3]");
        assert_eq!(error(&Sort { dim: 1, ..op.clone() }, &[&x]), "there is no dimension 1 in f32[4]");
        assert_eq!(error(&op, &[&x, &x]), "@by must take 4 scalars and return 1, not 2 and 1");
        assert_eq!(error(&op, &[&Type::new(DType::I32, [4])]), "@by must take i32[] as input 0, not f32[]");
        let nobody = Sort { comparator: FuncId(9), ..op };
        assert_eq!(error(&nobody, &[&x]), "refers to a function that does not exist");
    }

    #[test]
    fn rules_hold() {
        let (program, op) = comparing(Direction::Lt, &[DType::F64]);
        let x = floats(DType::F64, [3, 4], &[1.0, 6.0, 3.0, 4.0, 2.0, 5.0, 9.0, 7.0, 1.0, 0.0, 2.0, 3.0]);
        assert_eq!(op.rule(&[&x.ty], &[]).to_string(), "([a,b])->([a,b]) {a=3,b=4} kinds={a:exchanged}");
        assert_rule_holds_in(&program, op, &[x]);
    }

    proptest! {
        #[test]
        fn is_a_stable_sort(items in proptest::collection::vec(0i64..8, 0..40)) {
            let (program, op) = comparing(Direction::Lt, &[DType::I32, DType::I32]);
            let n = items.len();
            let out = sort(&program, &op, &[ints(DType::I32, [n], &items), count_up(DType::I32, [n])]);
            let mut want: Vec<(i64, i64)> = items.into_iter().zip(0..).collect();
            want.sort();
            let got: Vec<(i64, i64)> =
                out[0].scalars().zip(out[1].scalars()).map(|(x, i)| (x.to_i64(), i.to_i64())).collect();
            prop_assert_eq!(got, want);
        }
    }
}
