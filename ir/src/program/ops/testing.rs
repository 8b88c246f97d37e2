//! What unit tests of operations share: evaluation of one op, and the test that a sharding rule tells the truth.

mod pieces;

use self::pieces::Whole;
use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::interp::{eval_func, run, widen, widen_tensors};
use crate::layout::{Monoid, local_size, piece};
use crate::mesh::{Axes, AxisRef, Mesh};
use crate::numeric::kernel::cast;
use crate::numeric::strided::{self, View};
use crate::program::build::{Builder, Namer};
use crate::program::op::{Composite, OpKind, Operation};
use crate::program::ops::{Binary, BinaryOp, composite};
use crate::program::{EvalCx, Place};
use crate::program::{Form, Program};
use crate::rule::{Factor, FactorId, FactorKind, Rule};
use crate::tensor::{Data, Scalar, Tensor};

/// A tensor of integers, converted to the dtype.
pub(crate) fn ints(dtype: DType, shape: impl Into<Shape>, items: &[i64]) -> Tensor {
    let ty = Type::new(DType::I64, shape);
    assert_eq!(ty.shape.count(), items.len(), "as many numbers as {ty} has elements");
    cast(&Tensor { ty, data: Data::Int(items.to_vec()) }, dtype)
}

/// A tensor of floats, converted to the dtype.
pub(crate) fn floats(dtype: DType, shape: impl Into<Shape>, items: &[f64]) -> Tensor {
    let ty = Type::new(DType::F64, shape);
    assert_eq!(ty.shape.count(), items.len(), "as many numbers as {ty} has elements");
    cast(&Tensor { ty, data: Data::F64(items.to_vec()) }, dtype)
}

/// `0, 1, 2, ...` in that shape.
pub(crate) fn count_up(dtype: DType, shape: impl Into<Shape>) -> Tensor {
    let shape = shape.into();
    ints(dtype, shape.clone(), &(0..shape.count() as i64).collect::<Vec<_>>())
}

/// The results of an op that infers its types.
pub(crate) fn eval(op: impl Into<OpKind>, args: &[Tensor]) -> Vec<Tensor> {
    let op = op.into();
    let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
    let outs = op.infer(&Program::default(), &types, &[]).expect("a valid op");
    eval_in(&Program::default(), &op, args, &outs)
}

/// The result of an op whose result type is declared.
pub(crate) fn eval_as(op: impl Into<OpKind>, args: &[Tensor], declared: &Type) -> Tensor {
    let op = op.into();
    let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
    let outs = op.infer(&Program::default(), &types, &[declared]).expect("a valid op");
    assert_eq!((outs.len(), &outs[0]), (1, declared));
    eval_in(&Program::default(), &op, args, &outs).remove(0)
}

/// The results of an op whose functions are those of a program.
pub(crate) fn eval_in(program: &Program, op: &OpKind, args: &[Tensor], outs: &[Type]) -> Vec<Tensor> {
    let call = |func, inputs| eval_func(program, func, None, inputs);
    let cx = EvalCx { program, device: None, call: &call, run: &run };
    let args: Vec<&Tensor> = args.iter().collect();
    let results = op.eval(&cx, &args, &outs.iter().collect::<Vec<_>>()).expect("evaluates");
    for (result, ty) in results.iter().zip(outs) {
        assert_eq!(result.ty, *ty);
        assert_eq!(result.scalars().count(), ty.shape.count());
    }
    results
}

/// What the shape rule objects to.
pub(crate) fn infer_error(op: impl Into<OpKind>, args: &[&Type]) -> String {
    op.into().infer(&Program::default(), args, &[]).expect_err("an invalid op")
}

/// What the shape rule objects to, given a declared result.
pub(crate) fn infer_error_as(op: impl Into<OpKind>, args: &[&Type], declared: &Type) -> String {
    op.into().infer(&Program::default(), args, &[declared]).expect_err("an invalid op")
}

/// Asserts that the op's rule tells the truth on these operands: evaluated on the pieces of every `Pass` factor, the
/// results put together are the whole results; on the pieces of every `Reduce` factor, the results combined are; on the
/// elements that windows read and on shifted indices they are, too; and linear sets are linear.
pub(crate) fn assert_rule_holds(op: impl Into<OpKind>, args: &[Tensor]) {
    check_rule(&Program::default(), &op.into(), args, &[]);
}

/// [`assert_rule_holds`] for an op whose result type is declared.
pub(crate) fn assert_rule_holds_as(op: impl Into<OpKind>, args: &[Tensor], declared: &Type) {
    check_rule(&Program::default(), &op.into(), args, &[declared]);
}

/// [`assert_rule_holds`] for an op that refers to a function of a program.
pub(crate) fn assert_rule_holds_in(program: &Program, op: impl Into<OpKind>, args: &[Tensor]) {
    check_rule(program, &op.into(), args, &[]);
}

fn check_rule(program: &Program, op: &OpKind, args: &[Tensor], declared: &[&Type]) {
    let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
    let outs = op.infer(program, &types, declared).expect("a valid op");
    let out_refs: Vec<&Type> = outs.iter().collect();
    let rule = op.rule(&types, &out_refs);
    assert_well_formed(&rule, &types, &out_refs);
    let results = eval_in(program, op, args, &outs);
    let whole = Whole { program, op, rule: &rule, args, results: &results };
    for (factor, &Factor { size, kind }) in (0..).map(FactorId).zip(&rule.factors) {
        let Some(ways) = (2..=size).find(|p| size.is_multiple_of(*p)) else { continue };
        match kind {
            FactorKind::Pass => whole.assert_pass(factor, ways),
            FactorKind::Reduce(monoid) => whole.assert_reduce(factor, monoid, ways),
            FactorKind::Window(window) => whole.assert_window(factor, window, ways),
            FactorKind::Indexed => whole.assert_indexed(factor, ways),
            FactorKind::Whole | FactorKind::Inner => {}
        }
    }
    assert_linear(program, op, args, &outs, &rule, &results);
}

fn assert_well_formed(rule: &Rule, args: &[&Type], outs: &[&Type]) {
    assert_eq!((rule.args.len(), rule.outs.len()), (args.len(), outs.len()), "{rule}");
    for (i, (map, ty)) in rule.maps().zip(args.iter().chain(outs)).enumerate() {
        assert_eq!(map.len(), ty.shape.rank(), "dims of {ty} in {rule}");
        for (dim, &n) in map.iter().zip(ty.shape.iter()) {
            let product: usize = rule.sizes(dim).iter().product();
            let window = dim.iter().find_map(|&f| match rule.kind(f) {
                FactorKind::Window(window) => Some(window),
                _ => None,
            });
            // In operand 0 a window leads from the dimension's size to the factor's.
            let size = window.filter(|_| i == 0).map_or(Some(n), |window| window.outputs(n));
            assert!(dim.is_empty() || size == Some(product), "factors of {ty} in {rule}");
        }
    }
}

/// In every linear set, the op of a sum is the sum of the op.
fn assert_linear(program: &Program, op: &OpKind, args: &[Tensor], outs: &[Type], rule: &Rule, whole: &[Tensor]) {
    let sum = |a: &Tensor, b: &Tensor| combine(Monoid::Sum, a, b);
    for set in &rule.linear {
        let part = |x: &Tensor| {
            let items: Vec<i64> = (0..x.ty.shape.count() as i64).map(|i| i * 7 % 5).collect();
            ints(x.ty.dtype, x.ty.shape.clone(), &items)
        };
        if args.iter().enumerate().any(|(a, x)| set.has(a) && x.ty.dtype == DType::Bool) {
            continue;
        }
        let with = |f: &dyn Fn(&Tensor) -> Tensor| -> Vec<Tensor> {
            args.iter().enumerate().map(|(a, x)| if set.has(a) { f(x) } else { x.clone() }).collect()
        };
        let rest = |x: &Tensor| eval(Binary { op: BinaryOp::Sub }, &[x.clone(), part(x)]).remove(0);
        let (a, b) = (eval_in(program, op, &with(&part), outs), eval_in(program, op, &with(&rest), outs));
        for ((a, b), all) in a.iter().zip(&b).zip(whole) {
            assert_close(&sum(a, b), all, &format!("linear set {set:?} of {rule}"));
        }
    }
}

/// Elementwise combination of two results.
pub(crate) fn combine(monoid: Monoid, a: &Tensor, b: &Tensor) -> Tensor {
    let op = match monoid {
        Monoid::Sum => BinaryOp::Add,
        Monoid::Prod => BinaryOp::Mul,
        Monoid::Max => BinaryOp::Max,
        Monoid::Min => BinaryOp::Min,
        Monoid::And => BinaryOp::And,
        Monoid::Or => BinaryOp::Or,
    };
    eval(Binary { op }, &[a.clone(), b.clone()]).remove(0)
}

/// Asserts that a composite's decomposition consists of valid ops and gives what it says, and that both have one
/// meaning in `f64`, whatever the element type.
pub(crate) fn assert_decomposes(op: impl Operation + Composite + Into<OpKind>, args: &[Tensor]) {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        assert_one_meaning(op.clone(), args, dtype);
    }
    let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
    let outs = op.infer(&Program::default(), &types, &[]).expect("a valid op");
    let program = composite::program(&op, &types, &outs.iter().collect::<Vec<_>>()).expect("a decomposition");
    for op in program.ops.values() {
        let outs = op.kind.infer(&program, &program.arg_types(op), &program.out_types(op));
        let outs = outs.unwrap_or_else(|e| panic!("`{}`: {e}", op.kind.name()));
        assert_eq!(outs.iter().collect::<Vec<_>>(), program.out_types(op)[..], "`{}`", op.kind.name());
    }
    let results: Vec<&Type> = program.main().outputs.iter().map(|o| program.ty(o.value)).collect();
    assert_eq!(results, outs.iter().collect::<Vec<_>>());
}

/// Asserts that a composite on floats of that type and its decomposition are the same in `f64`.
fn assert_one_meaning(op: impl Operation + Composite + Into<OpKind>, args: &[Tensor], dtype: DType) {
    let narrowed = |x: &Tensor| if x.ty.dtype.is_float() { cast(x, dtype) } else { x.clone() };
    let args: Vec<Tensor> = args.iter().map(narrowed).collect();
    let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
    let outs = op.infer(&Program::default(), &types, &[]).expect("a valid op");
    let taken_apart = composite::program(&op, &types, &outs.iter().collect::<Vec<_>>()).expect("a decomposition");
    let mut whole = Program::default();
    let inputs: Vec<ValueId> = types.iter().map(|&ty| whole.input("x", ty.clone())).collect();
    let (main, mut names) = (whole.main, Namer::of(&whole));
    let mut b = Builder::new(&mut whole, &mut names);
    let results = b.op_many("y", op, &inputs, &outs);
    b.finish(main);
    results.into_iter().for_each(|value| whole.output("out", value));
    let meaning = |program: &Program| run(&widen(program), widen_tensors(&args)).expect("a value");
    for (got, want) in meaning(&whole).iter().zip(&meaning(&taken_apart)) {
        assert_close(got, want, dtype.name());
    }
}

/// Asserts that two tensors are equal up to rounding.
pub(crate) fn assert_close(got: &Tensor, want: &Tensor, what: &str) {
    assert_eq!(got.ty, want.ty, "{what}");
    for (i, (a, b)) in got.scalars().zip(want.scalars()).enumerate() {
        let same = match (a, b) {
            (Scalar::Float(a), Scalar::Float(b)) => {
                a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= 1e-9 * b.abs().max(1.0)
            }
            (a, b) => a == b,
        };
        assert!(same, "{what}: element {i} is {a:?}, not {b:?}");
    }
}

/// Asserts that an op whose result depends on the position of its elements gives on every device of a mesh of 2 x 3 the
/// device's piece of the whole result, whichever dimension is split.
pub(crate) fn assert_pieces_hold(op: impl Into<OpKind>, args: &[Tensor], declared: &Type) {
    let op = op.into();
    let whole = eval_as(op.clone(), args, declared);
    let mesh = Mesh::new("m", [("a", 2), ("b", 3)]);
    let axes: Axes = mesh.axis_ids().map(|a| AxisRef::whole(&mesh, a)).collect();
    for split in 0..declared.shape.rank() {
        let none = Axes::new();
        let pieces: Vec<(usize, Axes)> = declared
            .shape
            .iter()
            .enumerate()
            .map(|(d, &n)| (n, if d == split { &axes } else { &none }.clone()))
            .collect();
        let mut local = declared.clone();
        local.shape[split] = local_size(local.shape[split], &axes);
        let mut program = Program { form: Form::Local, ..Program::default() };
        program.meshes.push(mesh.clone());
        let inputs: Vec<ValueId> = args.iter().map(|x| program.input("x", x.ty.clone())).collect();
        let mut names = Namer::of(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let out = match op.interfaces().positional.and_then(|op| op.at_piece(&mut b, &inputs, &pieces, &local)) {
            Some(out) => out,
            None => b.op("whole", op.clone(), &inputs, local.clone()),
        };
        let main = b.program.main;
        b.finish(main);
        program.output("out", out);
        for op in program.ops.values() {
            let outs = op.kind.infer(&program, &program.arg_types(op), &program.out_types(op)).expect("a valid op");
            assert_eq!(outs.iter().collect::<Vec<_>>(), program.out_types(op)[..]);
        }
        for rank in 0..mesh.device_count() {
            let coords = mesh.coords(rank);
            let at = piece(declared.shape[split], &axes, &mesh, &coords);
            let place = Place { mesh: &mesh, coords };
            let got = eval_func(&program, program.main, Some(place), args.to_vec()).expect("evaluates").remove(0);
            assert_eq!(got.ty, local);
            let mut shape = declared.shape.clone();
            shape[split] = at.len;
            let mut start = vec![0; shape.rank()];
            let real = strided::read_data(&got.data, &View { shape: shape.clone(), ..View::whole(&local.shape) });
            start[split] = at.start.min(declared.shape[split]);
            let want = strided::read_data(&whole.data, &View::whole(&declared.shape).part(&start, &shape));
            assert_eq!(real, want, "device {rank}, dimension {split} split");
        }
    }
}

/// A local program on a mesh of 2 x 3 devices, `a` and `b`.
pub(crate) fn local() -> Program {
    let mut program = Program { form: Form::Local, ..Program::default() };
    program.meshes.push(Mesh::new("m", [("a", 2), ("b", 3)]));
    program
}

/// Both axes of that mesh.
pub(crate) fn axes() -> Axes {
    let program = local();
    let (_, mesh) = program.mesh().expect("one mesh");
    mesh.axis_ids().map(|a| AxisRef::whole(mesh, a)).collect()
}

/// The result of an op on the device at `coords` of that mesh.
pub(crate) fn eval_at(op: impl Into<OpKind>, args: &[Tensor], coords: &[u32]) -> Tensor {
    eval_local(&op.into(), args, coords, &[])
}

/// [`eval_at`] for an op whose result type is declared.
pub(crate) fn eval_at_as(op: impl Into<OpKind>, args: &[Tensor], coords: &[u32], declared: &Type) -> Tensor {
    eval_local(&op.into(), args, coords, &[declared])
}

fn eval_local(op: &OpKind, args: &[Tensor], coords: &[u32], declared: &[&Type]) -> Tensor {
    let program = local();
    let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
    let outs = op.infer(&program, &types, declared).expect("a valid op");
    let mesh = program.mesh().expect("one mesh").1;
    let call = |func, inputs| eval_func(&program, func, None, inputs);
    let device = Some(Place { mesh, coords: coords.iter().copied().collect() });
    let args: Vec<&Tensor> = args.iter().collect();
    let cx = EvalCx { program: &program, device, call: &call, run: &run };
    op.eval(&cx, &args, &outs.iter().collect::<Vec<_>>()).expect("evaluates").remove(0)
}
