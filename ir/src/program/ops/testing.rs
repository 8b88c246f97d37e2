//! Test utilities for operations: evaluation of one op, and checks of its sharding rule.

mod shards;

use self::shards::UnshardedRun;
use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::interp::{eval_func, run, widen, widen_tensors};
use crate::layout::{Monoid, dim_shard, local_size};
use crate::mesh::{Axes, AxisRef, DeviceMesh};
use crate::numeric::kernel::cast;
use crate::numeric::strided::{self, View};
use crate::program::build::{Builder, Namer};
use crate::program::class::Class;
use crate::program::op::{Composite, OpKind, Operation};
use crate::program::ops::{Binary, BinaryOp, composite};
use crate::program::{EvalCx, MeshPosition};
use crate::program::{Form, Program};
use crate::rule::{Factor, FactorId, FactorKind, Rule};
use crate::tensor::{Data, Scalar, Tensor};

/// Creates a tensor of integers, converted to the element type.
pub(crate) fn ints(dtype: DType, shape: impl Into<Shape>, items: &[i64]) -> Tensor {
    let ty = Type::new(DType::I64, shape);
    assert_eq!(ty.shape.count(), items.len(), "as many numbers as {ty} has elements");
    cast(&Tensor { ty, data: Data::Int(items.to_vec()) }, dtype)
}

/// Creates a tensor of floats, converted to the element type.
pub(crate) fn floats(dtype: DType, shape: impl Into<Shape>, items: &[f64]) -> Tensor {
    let ty = Type::new(DType::F64, shape);
    assert_eq!(ty.shape.count(), items.len(), "as many numbers as {ty} has elements");
    cast(&Tensor { ty, data: Data::F64(items.to_vec()) }, dtype)
}

/// Creates a tensor of the numbers `0, 1, 2, ...`.
pub(crate) fn count_up(dtype: DType, shape: impl Into<Shape>) -> Tensor {
    let shape = shape.into();
    ints(dtype, shape.clone(), &(0..shape.count() as i64).collect::<Vec<_>>())
}

/// Evaluates an op that infers its result types.
pub(crate) fn eval(op: impl Into<OpKind>, args: &[Tensor]) -> Vec<Tensor> {
    let op = op.into();
    let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
    let outs = op.infer(&Program::default(), &types, &[]).expect("a valid op");
    eval_in(&Program::default(), &op, args, &outs)
}

/// Evaluates an op whose result type is declared.
pub(crate) fn eval_as(op: impl Into<OpKind>, args: &[Tensor], declared: &Type) -> Tensor {
    let op = op.into();
    let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
    let outs = op.infer(&Program::default(), &types, &[declared]).expect("a valid op");
    assert_eq!((outs.len(), &outs[0]), (1, declared));
    eval_in(&Program::default(), &op, args, &outs).remove(0)
}

/// Evaluates an op that calls functions of `program`.
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

/// Returns the error of shape inference.
pub(crate) fn infer_error(op: impl Into<OpKind>, args: &[&Type]) -> String {
    op.into().infer(&Program::default(), args, &[]).expect_err("an invalid op")
}

/// Returns the error of shape inference with a declared result.
pub(crate) fn infer_error_as(op: impl Into<OpKind>, args: &[&Type], declared: &Type) -> String {
    op.into().infer(&Program::default(), args, &[declared]).expect_err("an invalid op")
}

/// Asserts that the op's sharding rule holds for the given operands. For shards of a `PassThrough` factor the
/// concatenated results, and for shards of a `Reduce` factor the combined results, equal the unsharded results. The
/// same holds for `Window` factors after halo exchange and for `Indexed` factors with shifted indices. The op is linear
/// in each linear set of the rule.
pub(crate) fn assert_rule_holds(op: impl Into<OpKind>, args: &[Tensor]) {
    check_rule(&Program::default(), &op.into(), args, &[]);
}

/// Same as [`assert_rule_holds`] for an op whose result type is declared.
pub(crate) fn assert_rule_holds_as(op: impl Into<OpKind>, args: &[Tensor], declared: &Type) {
    check_rule(&Program::default(), &op.into(), args, &[declared]);
}

/// Same as [`assert_rule_holds`] for an op that calls a function of a program.
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
    let run = UnshardedRun { program, op, rule: &rule, args, results: &results };
    for (factor, &Factor { size, kind }) in (0..).map(FactorId).zip(&rule.factors) {
        let Some(shard_count) = (2..=size).find(|p| size.is_multiple_of(*p)) else { continue };
        match kind {
            FactorKind::PassThrough => run.assert_pass_through(factor, shard_count),
            FactorKind::Reduce(monoid) => run.assert_reduce(factor, monoid, shard_count),
            FactorKind::Window(window) => run.assert_window(factor, window, shard_count),
            FactorKind::Indexed => run.assert_indexed(factor, shard_count),
            FactorKind::NeedReplication | FactorKind::Inner | FactorKind::Exchanged { .. } => {}
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
            // In operand 0, the window maps the dimension's size to the factor's size.
            let size = window.filter(|_| i == 0).map_or(Some(n), |window| window.outputs(n));
            // Operands may have fewer elements along an exchanged factor.
            let exchanged = dim.iter().any(|&f| matches!(rule.kind(f), FactorKind::Exchanged { .. }));
            let fits = if exchanged && i < args.len() { n <= product } else { size == Some(product) };
            assert!(dim.is_empty() || fits, "factors of {ty} in {rule}");
        }
    }
}

/// Asserts that the op is linear in every linear set: the result for a sum of operands is the sum of the results.
fn assert_linear(program: &Program, op: &OpKind, args: &[Tensor], outs: &[Type], rule: &Rule, unsharded: &[Tensor]) {
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
        for ((a, b), all) in a.iter().zip(&b).zip(unsharded) {
            assert_close(&sum(a, b), all, &format!("linear set {set:?} of {rule}"));
        }
    }
}

/// Combines two tensors elementwise by a monoid.
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

/// Asserts that a composite's decomposition consists of valid ops and has the declared result types. Asserts also that,
/// for operands of type `f32`, `f16` and `bf16`, the composite and its decomposition are equal when evaluated in `f64`.
pub(crate) fn assert_decomposes(op: impl Operation + Composite + Into<OpKind>, args: &[Tensor]) {
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        assert_equal_in_f64(op.clone(), args, dtype);
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

/// Asserts that a composite on operands of float type `dtype` and its decomposition are equal when evaluated in `f64`.
fn assert_equal_in_f64(op: impl Operation + Composite + Into<OpKind>, args: &[Tensor], dtype: DType) {
    // The scalars of an optimizer are at least `f32`.
    let is_update = op.class() == Class::Update;
    let narrowed = |x: &Tensor| match x.ty.dtype.is_float() {
        true if is_update && x.ty.shape.rank() == 0 => cast(x, dtype.compute_type()),
        true => cast(x, dtype),
        false => x.clone(),
    };
    let args: Vec<Tensor> = args.iter().map(narrowed).collect();
    let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
    let outs = op.infer(&Program::default(), &types, &[]).expect("a valid op");
    let decomposed = composite::program(&op, &types, &outs.iter().collect::<Vec<_>>()).expect("a decomposition");
    let mut composite_program = Program::default();
    let inputs: Vec<ValueId> = types.iter().map(|&ty| composite_program.input("x", ty.clone())).collect();
    let (main, mut names) = (composite_program.main, Namer::from_program(&composite_program));
    let mut b = Builder::new(&mut composite_program, &mut names);
    let results = b.op_many("y", op, &inputs, &outs);
    b.finish(main);
    results.into_iter().for_each(|value| composite_program.output("out", value));
    let eval_in_f64 = |program: &Program| run(&widen(program), widen_tensors(&args)).expect("a value");
    for (got, want) in eval_in_f64(&composite_program).iter().zip(&eval_in_f64(&decomposed)) {
        assert_close(got, want, dtype.name());
    }
}

/// Asserts that two tensors are equal: integers exactly, floats to a relative error of 1e-9. `what` names the
/// comparison in the failure message.
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

/// Asserts that, on every device of a 2 x 3 mesh, an op whose result depends on global positions computes the device's
/// shard of the unsharded result, for each sharded dimension.
pub(crate) fn assert_shards_match(op: impl Into<OpKind>, args: &[Tensor], declared: &Type) {
    let op = op.into();
    let unsharded = eval_as(op.clone(), args, declared);
    let mesh = DeviceMesh::new("m", [("a", 2), ("b", 3)]);
    let axes: Axes = mesh.axis_ids().map(|a| AxisRef::full(&mesh, a)).collect();
    for split in 0..declared.shape.rank() {
        let none = Axes::new();
        let dims: Vec<(usize, Axes)> = declared
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
        let mut names = Namer::from_program(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let out = match op.interfaces().positional.and_then(|op| op.build_shard(&mut b, &inputs, &dims, &[&local])) {
            Some(outs) => outs[0],
            None => b.op("shard", op.clone(), &inputs, local.clone()),
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
            let at = dim_shard(declared.shape[split], &axes, &mesh, &coords);
            let place = MeshPosition { mesh: &mesh, coords };
            let got = eval_func(&program, program.main, Some(place), args.to_vec()).expect("evaluates").remove(0);
            assert_eq!(got.ty, local);
            let mut shape = declared.shape.clone();
            shape[split] = at.len;
            let mut start = vec![0; shape.rank()];
            let real = strided::read_data(&got.data, &View { shape: shape.clone(), ..View::row_major(&local.shape) });
            start[split] = at.start.min(declared.shape[split]);
            let want = strided::read_data(&unsharded.data, &View::row_major(&declared.shape).subview(&start, &shape));
            assert_eq!(real, want, "device {rank}, dimension {split} split");
        }
    }
}

/// Returns an empty local program on a mesh of 2 x 3 devices with axes `a` and `b`.
pub(crate) fn local() -> Program {
    let mut program = Program { form: Form::Local, ..Program::default() };
    program.meshes.push(DeviceMesh::new("m", [("a", 2), ("b", 3)]));
    program
}

/// Returns both axes of the mesh of [`local`].
pub(crate) fn axes() -> Axes {
    let program = local();
    let (_, mesh) = program.mesh().expect("one mesh");
    mesh.axis_ids().map(|a| AxisRef::full(mesh, a)).collect()
}

/// Evaluates an op on the device at `coords` of the mesh of [`local`].
pub(crate) fn eval_at(op: impl Into<OpKind>, args: &[Tensor], coords: &[u32]) -> Tensor {
    eval_local(&op.into(), args, coords, &[])
}

/// Same as [`eval_at`] for an op whose result type is declared.
pub(crate) fn eval_at_as(op: impl Into<OpKind>, args: &[Tensor], coords: &[u32], declared: &Type) -> Tensor {
    eval_local(&op.into(), args, coords, &[declared])
}

fn eval_local(op: &OpKind, args: &[Tensor], coords: &[u32], declared: &[&Type]) -> Tensor {
    let program = local();
    let types: Vec<&Type> = args.iter().map(|t| &t.ty).collect();
    let outs = op.infer(&program, &types, declared).expect("a valid op");
    let mesh = program.mesh().expect("one mesh").1;
    let call = |func, inputs| eval_func(&program, func, None, inputs);
    let device = Some(MeshPosition { mesh, coords: coords.iter().copied().collect() });
    let args: Vec<&Tensor> = args.iter().collect();
    let cx = EvalCx { program: &program, device, call: &call, run: &run };
    op.eval(&cx, &args, &outs.iter().collect::<Vec<_>>()).expect("evaluates").remove(0)
}
