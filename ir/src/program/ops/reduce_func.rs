//! `reduce_func`: reduces several operands jointly by a scalar function, such as an argmax.

use crate::arena::{FuncId, ValueId};
use crate::dtype::{DType, Shape, Type};
use crate::layout::divides;
use crate::mesh::shard_count;
use crate::numeric::strided::{View, read_data};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::Values;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{EvalResult, ExchangedDim, Exchanging, InferResult, Interfaces, Operation, op};
use crate::program::ops::{AllGather, Direction, Select, check};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::Dims;
use crate::tensor::{Scalar, Tensor};
use smallvec::smallvec;

op! {
    /// Reduces several operands jointly along dimensions by a scalar function, such as an argmax. Operands: n tensors
    /// of one shape, then n scalar initial values. The function maps n accumulated and n new scalars to n scalars. It
    /// must be associative, and the initial values an identity of it, as in StableHLO. The interpreter applies it
    /// elementwise in a reduction tree of adjacent elements and combines the initial values last.
    ReduceFunc = "reduce_func" {
        /// The dimensions that are reduced.
        "" dims: Dims,
        /// The reducer.
        "with" body: FuncId,
    } calls body
}

impl ReduceFunc {
    fn remaining_dims(&self, rank: usize) -> Dims {
        (0..rank).filter(|d| !self.dims.contains(d)).collect()
    }
}

impl Operation for ReduceFunc {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        if args.is_empty() || args.len() % 2 == 1 {
            return Err(format!(
                "takes tensors and as many initial values, not {}",
                check::plural(args.len(), "operand")
            ));
        }
        let (tensors, initial) = args.split_at(args.len() / 2);
        let first = tensors[0];
        check::distinct_dims(&self.dims, first)?;
        if let Some(other) = tensors.iter().find(|t| t.shape != first.shape) {
            return Err(format!("operands must have one shape, not {first} and {other}"));
        }
        for (x, init) in tensors.iter().zip(initial) {
            if init.shape.rank() > 0 || init.dtype != x.dtype {
                return Err(format!("the initial value of {x} must be {}[], not {init}", x.dtype));
            }
        }
        let dtypes: Vec<DType> = tensors.iter().map(|t| t.dtype).collect();
        check::scalar_func(program, self.body, &[&dtypes[..], &dtypes[..]].concat(), &dtypes)?;
        let shape: Shape = self.remaining_dims(first.shape.rank()).iter().map(|&d| first.shape[d]).collect();
        Ok(dtypes.into_iter().map(|dtype| Type { shape: shape.clone(), dtype }).collect())
    }

    fn class(&self) -> Class<'_> {
        Class::Reduction
    }

    /// The first reduced dimension may be sharded, since combining the results of shards retains the order of elements.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let shape = &args[0].shape;
        let mut factors = |(d, &n)| {
            if self.dims.first() == Some(&d) {
                return rule.exchanged_dim(n, [n]);
            }
            let is_reduced = self.dims.contains(&d);
            rule.dim(n, if is_reduced { FactorKind::NeedReplication } else { FactorKind::PassThrough })
        };
        let map: DimMap = shape.iter().enumerate().map(&mut factors).collect();
        let out: DimMap = self.remaining_dims(shape.rank()).iter().map(|&d| map[d].clone()).collect();
        let n = args.len() / 2;
        rule.outs = smallvec![out; n];
        rule.args = smallvec![map; n];
        rule.args.extend((0..n).map(|_| DimMap::new()));
        rule
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        args[..args.len() / 2].iter().map(|t| t.shape.count() as u64).sum()
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { exchanging: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let (tensors, initial) = args.split_at(args.len() / 2);
        let Some(shape) = tensors.first().map(|x| x.shape()) else { return Err("needs operands".into()) };
        let mut order = self.remaining_dims(shape.rank());
        let rows: usize = order.iter().map(|&d| shape[d]).product();
        let mut width: usize = self.dims.iter().map(|&d| shape[d]).product();
        order.extend_from_slice(&self.dims);
        let part = |x: &Tensor, view: &View| {
            let shape = Shape::from([view.shape.count()]);
            Tensor { ty: Type { shape, dtype: x.ty.dtype }, data: read_data(&x.data, view) }
        };
        let view = View::row_major(shape).permuted(&order);
        let mut rest: Vec<Tensor> = tensors.iter().map(|x| part(x, &view)).collect();
        // Each round combines adjacent pairs in rows of `width` elements; an unpaired last element is passed to the
        // next round.
        let columns = |width: usize, first: usize, count: usize, step: usize| View {
            shape: [rows, count].into(),
            strides: smallvec![width as isize, step as isize],
            offset: first as isize,
        };
        while width > 1 {
            let half = width / 2;
            let sides = [0, 1].map(|first| columns(width, first, half, 2));
            let inputs = sides.iter().flat_map(|side| rest.iter().map(|x| part(x, side))).collect();
            let mut next = (cx.call)(self.body, inputs)?;
            if width % 2 == 1 {
                let alone = columns(width, width - 1, 1, 1);
                next = next.iter().zip(&rest).map(|(x, old)| append_column(x, half, &part(old, &alone))).collect();
            }
            (rest, width) = (next, width.div_ceil(2));
        }
        let initial = initial.iter().map(|x| part(x, &View { shape: [rows].into(), strides: smallvec![0], offset: 0 }));
        let results = match width {
            0 => initial.collect(),
            _ => (cx.call)(self.body, initial.chain(rest).collect())?,
        };
        Ok(results.into_iter().zip(outs).map(|(x, &ty)| Tensor { ty: ty.clone(), data: x.data }).collect())
    }
}

impl Exchanging for ReduceFunc {
    /// Each device reduces its shard, and all devices reduce the results of all shards.
    fn exchange(&self, b: &mut Builder<'_>, args: &[ValueId], dims: &[ExchangedDim]) -> Values {
        let [ExchangedDim { dim, axes, sizes }] = dims else { return Values::new() };
        let (tensors, initial) = args.split_at(args.len() / 2);
        let shape = b.program.values[tensors[0]].local_type().shape;
        let existing = (!divides(sizes[0], axes)).then(|| {
            let index = b.global_index(*dim, axes, &shape);
            let bound = b.splat_like(index, Scalar::Int(sizes[0] as i64));
            b.compare(index, Direction::Lt, bound)
        });
        let pad = |b: &mut Builder<'_>, existing: ValueId, x: ValueId, init: ValueId| {
            let ty = Type { shape: shape.clone(), dtype: b.ty(x).dtype };
            let init = b.broadcast(init, &[], shape.clone());
            b.op("shard", Select {}, &[existing, x, init], ty)
        };
        let operand = |b: &mut Builder<'_>, (&x, &init)| existing.map_or(x, |existing| pad(b, existing, x, init));
        let shards: Vec<ValueId> = tensors.iter().zip(initial).map(|operands| operand(b, operands)).collect();
        let remaining: Shape = self.remaining_dims(shape.rank()).iter().map(|&d| shape[d]).collect();
        let types = |b: &Builder<'_>, shape: &Shape| -> Vec<Type> {
            initial.iter().map(|&init| Type { shape: shape.clone(), dtype: b.ty(init).dtype }).collect()
        };
        let results = types(b, &remaining);
        let own = b.op_many("own", self.clone(), &[&shards[..], initial].concat(), &results);
        let row: Shape = [1].iter().chain(remaining.iter()).copied().collect();
        let rows: Shape = [shard_count(axes)].iter().chain(remaining.iter()).copied().collect();
        let (rows, gather) = (types(b, &rows), AllGather { dim: 0, axes: axes.clone() });
        let mut gathered: Vec<ValueId> = Vec::new();
        for (&own, ty) in own.iter().zip(rows) {
            let row = b.reshape(own, row.clone());
            gathered.push(b.op("gathered", gather.clone(), &[row], ty));
        }
        let combine = ReduceFunc { dims: smallvec![0], body: self.body };
        b.op_many("combined", combine, &[&gathered[..], initial].concat(), &results)
    }
}

/// Appends one element to each row of `width` elements.
fn append_column(x: &Tensor, width: usize, last: &Tensor) -> Tensor {
    let rows = last.ty.shape.count();
    let pick = |i: usize| {
        let (row, column) = (i / (width + 1), i % (width + 1));
        if column < width { (x, row * width + column) } else { (last, row) }
    };
    let ty = Type { shape: [rows * (width + 1)].into(), dtype: x.ty.dtype };
    let items = (0..rows * (width + 1)).map(pick);
    if ty.dtype.is_float() {
        Tensor::from_floats(ty, items.map(|(t, i)| t.get(i).to_f64()).collect())
    } else {
        Tensor::from_ints(ty, items.map(|(t, i)| t.get(i).to_i64()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::build::Namer;
    use crate::program::ops::testing::{assert_rule_holds_in, count_up, eval_in, floats, ints};
    use crate::program::ops::{BinaryOp, Compare};
    use crate::program::{Func, Output};
    use proptest::prelude::*;

    /// Creates an argmax over `f64` values with `i32` indices, in which the lower index wins a tie, and a program with
    /// its reducer.
    fn argmax(dims: &[usize]) -> (Program, ReduceFunc) {
        let mut program = Program::default();
        let scalar = |dtype| Type::new(dtype, []);
        let [x, i, y, j] = [DType::F64, DType::I32, DType::F64, DType::I32].map(|d| program.value("x", scalar(d)));
        let body =
            program.funcs.push(Func { name: "argmax".into(), inputs: vec![x, i, y, j], outputs: vec![], body: vec![] });
        let mut names = Namer::from_program(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let mut compare =
            |direction, a, c| b.op("p", Compare { direction, total: false }, &[a, c], scalar(DType::Bool));
        let (greater, equal, lower) =
            (compare(Direction::Gt, x, y), compare(Direction::Eq, x, y), compare(Direction::Lt, i, j));
        let tie = b.binary(BinaryOp::And, equal, lower);
        let keep = b.binary(BinaryOp::Or, greater, tie);
        let value = b.op("x", Select {}, &[keep, x, y], scalar(DType::F64));
        let index = b.op("i", Select {}, &[keep, i, j], scalar(DType::I32));
        b.finish(body);
        program.funcs[body].outputs =
            [value, index].into_iter().map(|value| Output { value, name: "out".into(), replaces: None }).collect();
        (program, ReduceFunc { dims: dims.into(), body })
    }

    fn initial() -> [Tensor; 2] {
        [floats(DType::F64, [], &[f64::NEG_INFINITY]), ints(DType::I32, [], &[0])]
    }

    #[test]
    fn mismatches_are_errors() {
        let (program, op) = argmax(&[1]);
        let ty = |dtype, shape: &[usize]| Type::new(dtype, shape);
        let (x, i) = (ty(DType::F64, &[4, 3]), ty(DType::I32, &[4, 3]));
        let (a, b) = (ty(DType::F64, &[]), ty(DType::I32, &[]));
        let error = |args: &[&Type]| op.infer(&program, args, &[]).unwrap_err();
        assert_eq!(error(&[&x, &i, &a]), "takes tensors and as many initial values, not 3 operands");
        assert_eq!(error(&[]), "takes tensors and as many initial values, not 0 operands");
        assert_eq!(error(&[&x, &i, &b, &b]), "the initial value of f64[4, 3] must be f64[], not i32[]");
        assert_eq!(
            error(&[&x, &ty(DType::I32, &[4]), &a, &b]),
            "operands must have one shape, not f64[4, 3] and i32[4]"
        );
        assert_eq!(error(&[&x, &a]), "@argmax must take 2 scalars and return 1, not 4 and 2");
    }

    #[test]
    fn rules_hold() {
        let (program, op) = argmax(&[1]);
        let [a, b] = initial();
        let args = [count_up(DType::F64, [4, 3]), count_up(DType::I32, [4, 3]), a, b];
        let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
        let rule = op.rule(&types, &[]);
        assert_eq!(rule.to_string(), "([a,b],[a,b],[],[])->([a],[a]) {a=4,b=3} kinds={b:exchanged}");
        assert_rule_holds_in(&program, op, &args);
    }

    proptest! {
        #[test]
        fn finds_the_first_maximum(
            (rows, width) in (0usize..4, 0usize..9),
            items in proptest::collection::vec(0i64..5, 32),
        ) {
            let (program, op) = argmax(&[0]);
            let x: Vec<f64> = items[..rows * width].iter().map(|&x| x as f64).collect();
            // Elements `[width, rows]`, numbered along the first dimension.
            let at: Vec<i64> = (0..rows * width).map(|i| (i / rows.max(1)) as i64).collect();
            let [a, b] = initial();
            let args = [floats(DType::F64, [width, rows], &x), ints(DType::I32, [width, rows], &at), a, b];
            let outs = [Type::new(DType::F64, [rows]), Type::new(DType::I32, [rows])];
            let got = eval_in(&program, &op.into(), &args, &outs);
            for row in 0..rows {
                let column = (0..width).map(|i| (x[i * rows + row], -(i as i64)));
                let best = column.fold((f64::NEG_INFINITY, 0), |a, b| if b > a { b } else { a });
                prop_assert_eq!((got[0].get(row).to_f64(), -got[1].get(row).to_i64()), best);
            }
        }
    }
}
