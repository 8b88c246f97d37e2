//! Rewrites preserve the results of programs on special floating-point values. Exact rewrites preserve every bit;
//! others preserve, on finite inputs, which elements of results are NaN, infinite or a negative zero. Both programs are
//! evaluated by the reference interpreter.

use filetests::agree::{run_partitioned, run_unpartitioned};
use filetests::law_sides;
use filetests::special::{
    self, difference, inputs, is_finite, is_same, is_same_class, is_same_class_ignoring_zero_sign, resized,
};
use partita_equality::laws::{self, Family};
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::run;
use partita_ir::op::OpKind;
use partita_ir::ops::{Attention, BatchNorm, CrossEntropy, Gelu, LayerNorm, LogSoftmax, RmsNorm, Softmax};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::print;
use partita_passes::driver::{Findings, Input, Pass};
use partita_passes::import::canonicalise::Canonicalise;
use partita_passes::import::raise::{CompositeKind, raise};
use partita_passes::import::simplify::Simplify;
use partita_passes::optimising::collectives::Collectives;
use std::collections::BTreeSet;
use std::fs;

/// Size of every dimension: as written, one, or zero.
const DIMENSION_SIZES: [Option<usize>; 3] = [None, Some(1), Some(0)];

/// A relation that corresponding elements must satisfy.
type Relation = fn(Scalar, Scalar) -> bool;

/// Compares two programs on special values, or on finite ones only unless `exact`. Returns the first difference.
fn first_difference(before: &Program, after: &Program, relation: Relation, exact: bool) -> Option<String> {
    for round in (0..special::INPUT_ROUNDS).filter(|&round| exact || is_finite(round)) {
        let inputs = inputs(before, round).unwrap();
        let (had, has) = (run(before, inputs.clone()).unwrap(), run(after, inputs.clone()).unwrap());
        if let Some((result, at, a, b)) = difference(&had, &has, relation) {
            let (before, after) = (print(before), print(after));
            return Some(format!("result {result}, element {at}: {a:?} became {b:?} of {inputs:?}\n{before}\n{after}"));
        }
    }
    None
}

/// Returns name and text of the programs in a folder of goldens.
fn goldens(folder: &str) -> Vec<(String, String)> {
    let path = format!("{}/filetests/{folder}", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = fs::read_dir(path).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let text = |path: std::path::PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        let program: Vec<&str> = text.lines().skip(1).take_while(|line| !line.starts_with("//=")).collect();
        (path.display().to_string(), program.join("\n"))
    };
    files.into_iter().map(text).collect()
}

/// Returns a composite's decomposition as program text.
fn decomposition(kind: &OpKind, inputs: &[Type], out: &Type) -> String {
    let mut program = Program::default();
    let args: Vec<ValueId> =
        inputs.iter().enumerate().map(|(i, ty)| program.input(format!("x{i}"), ty.clone())).collect();
    let (main, mut names) = (program.entry(), Namer::from_program(&program));
    let mut b = Builder::new(&mut program, &mut names);
    let parts = kind.decompose(&mut b, &args, &[out]).unwrap();
    b.finish(main);
    program.output("out0", parts[0]);
    print(&program)
}

/// Returns decompositions of every composite that the raise pass recognises, of the given sizes.
fn decompositions(dtype: DType, rows: usize, columns: usize) -> Vec<String> {
    let ty = |shape: &[usize]| Type::new(dtype, shape);
    let (x, n) = (ty(&[2, rows, columns]), ty(&[columns]));
    let (q, k) = (ty(&[2, rows, 4]), ty(&[2, columns, 4]));
    let labels = Type::new(DType::I32, [2, rows]);
    let masks = [[rows, columns], [1, columns], [rows, 1]].map(|shape| Type::new(DType::Bool, shape));
    let mut cases: Vec<(OpKind, Vec<Type>, Type)> = vec![
        (Softmax { dim: 2 }.into(), vec![x.clone()], x.clone()),
        (Softmax { dim: 0 }.into(), vec![x.clone()], x.clone()),
        (LogSoftmax { dim: 2 }.into(), vec![x.clone()], x.clone()),
        (LayerNorm { eps: 1e-5 }.into(), vec![x.clone(), n.clone(), n.clone()], x.clone()),
        (LayerNorm { eps: 1e-5 }.into(), vec![x.clone(), n.clone()], x.clone()),
        (RmsNorm { eps: 1e-5 }.into(), vec![x.clone(), n.clone()], x.clone()),
        (BatchNorm { dim: 2, eps: 0.5 }.into(), [vec![x.clone()], vec![n; 4]].concat(), x.clone()),
        (Gelu { tanh: true, ..Gelu::default() }.into(), vec![x.clone()], x.clone()),
        (Gelu { erfc: true, ..Gelu::default() }.into(), vec![x.clone()], x.clone()),
        (Gelu::default().into(), vec![x.clone()], x.clone()),
    ];
    if rows > 0 && columns > 0 {
        cases.push((CrossEntropy {}.into(), vec![x, labels], ty(&[2, rows])));
    }
    for causal in [false, true] {
        let attention = Attention::new(causal, 0.5);
        cases.push((attention.clone().into(), vec![q.clone(), k.clone(), k.clone()], q.clone()));
        for mask in &masks {
            cases.push((attention.clone().into(), vec![q.clone(), k.clone(), k.clone(), mask.clone()], q.clone()));
        }
    }
    cases.iter().map(|(kind, inputs, out)| decomposition(kind, inputs, out)).collect()
}

/// Returns a softmax of masked scores, which is NaN in fully masked rows.
fn masked_rows(rows: usize, columns: usize, mask: &str, dims: &str) -> String {
    format!(
        "form traced
input %q : f32[{rows}, 3]
input %k : f32[{columns}, 3]
input %v : f32[{columns}, 5]
input %mask : bool[{mask}]
  %inf = constant -inf : f32[]
  %inf.1 = broadcast [] %inf : f32[{rows}, {columns}]
  %seen = broadcast [{dims}] %mask : bool[{rows}, {columns}]
  %s = dot_general contract [1]x[1] %q, %k : f32[{rows}, {columns}]
  %m = select %seen, %s, %inf.1 : f32[{rows}, {columns}]
  %i = iota dim 0 : i32[{rows}, {columns}]
  %j = iota dim 1 : i32[{rows}, {columns}]
  %le = compare le %j, %i : bool[{rows}, {columns}]
  %c = select %le, %m, %inf.1 : f32[{rows}, {columns}]
  %w = softmax dim 1 %m : f32[{rows}, {columns}]
  %o = matmul %w, %v : f32[{rows}, 5]
  %w.1 = softmax dim 1 %c : f32[{rows}, {columns}]
  %o.1 = matmul %w.1, %v : f32[{rows}, 5]
output %o
output %o.1
"
    )
}

#[test]
fn raises_preserve_value_classes() {
    let mut raised = BTreeSet::new();
    let mut failed = Vec::new();
    let mut check = |name: &str, before: &Program| {
        let mut after = before.clone();
        let found = raise(&mut after, &Plan::default());
        if found.is_empty() {
            return;
        }
        if let Some(what) = first_difference(before, &after, is_same_class, false) {
            failed.push(format!("{name}: {found:?}: {what}"));
        }
        raised.extend(found);
    };
    for (name, text) in goldens("raise") {
        for (size, double) in DIMENSION_SIZES.iter().flat_map(|&size| [(size, false), (size, true)]) {
            resized(&text, size, double).iter().for_each(|program| check(&name, program));
        }
    }
    for (rows, columns) in [(3, 5), (5, 3), (1, 3), (3, 1), (1, 1), (0, 3), (3, 0)] {
        for dtype in [DType::F32, DType::F64] {
            for text in decompositions(dtype, rows, columns) {
                check("decomposition", &resized(&text, None, false).unwrap_or_else(|| panic!("{text}")));
            }
        }
        for (mask, dims) in
            [(format!("{rows}, {columns}"), "0, 1"), (format!("{columns}"), "1"), (format!("{rows}"), "0")]
        {
            for double in [false, true] {
                check("masked rows", &resized(&masked_rows(rows, columns, &mask, dims), None, double).unwrap());
            }
        }
    }
    assert!(failed.is_empty(), "{} differ:\n{}", failed.len(), failed.join("\n\n"));
    let missing: Vec<&CompositeKind> = CompositeKind::ALL.iter().filter(|raise| !raised.contains(raise)).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn canonicalise_preserves_every_bit() {
    for folder in ["canonicalise", "raise", "simplify"] {
        for (name, text) in goldens(folder) {
            for (size, double) in DIMENSION_SIZES.iter().flat_map(|&size| [(size, false), (size, true)]) {
                let Some(before) = resized(&text, size, double) else { continue };
                let mut after = before.clone();
                Canonicalise.run(&mut after, &Input::default(), &mut Findings::default()).unwrap();
                let differs = first_difference(&before, &after, is_same, true);
                assert_eq!(differs, None, "{name}: {}", differs.as_deref().unwrap_or_default());
                Simplify { real: false }.run(&mut after, &Input::default(), &mut Findings::default()).unwrap();
                let differs = first_difference(&before, &after, is_same, true);
                assert_eq!(differs, None, "{name}: {}", differs.as_deref().unwrap_or_default());
            }
        }
    }
}

#[test]
fn algebraic_laws_preserve_special_values() {
    let mut failed = Vec::new();
    for law in laws::all_laws().filter(|law| law.family == Family::Algebra) {
        let mut cases = 0;
        for (size, double) in DIMENSION_SIZES.iter().flat_map(|&size| [(size, false), (size, true)]) {
            let Some(before) = resized(law.example, size, double) else { continue };
            let Some(after) = law_sides::global_term(law, &before) else { continue };
            cases += 1;
            // A law that is not exact must be enabled, and may lose the sign of a zero.
            let relation = if law.exact { is_same } else { is_same_class_ignoring_zero_sign };
            if let Some(what) = first_difference(&before, &after, relation, law.exact) {
                failed.push(format!("{}: {what}", law.name));
            }
        }
        assert!(cases > 1, "`{}` has no case", law.name);
    }
    assert!(failed.is_empty(), "{} differ:\n{}", failed.len(), failed.join("\n\n"));
}

/// Runs a program on one device or on several. Errors: the message of a failed run.
type Run<'a> = &'a dyn Fn(&[Tensor]) -> Result<Vec<Tensor>, String>;

/// Compares two runs on finite special values. The order of summation may differ, which may change the sign of a zero.
fn first_run_difference(example: &Program, runs: [Run<'_>; 2], relation: Relation) -> Option<String> {
    (0..special::INPUT_ROUNDS).filter(|&round| is_finite(round)).find_map(|round| {
        let inputs = inputs(example, round).unwrap();
        let [a, b] = runs.map(|run| run(&inputs).unwrap());
        let (result, at, a, b) = difference(&a, &b, relation)?;
        Some(format!("result {result}, element {at}: {a:?} became {b:?} of {inputs:?}\n{}", print(example)))
    })
}

#[test]
fn placement_laws_preserve_value_classes() {
    let mut failed = Vec::new();
    for law in laws::all_laws().filter(|law| law.family != Family::Algebra && law.name != laws::layouts::LOOP.name) {
        let mut cases = 0;
        for (size, double) in DIMENSION_SIZES.iter().flat_map(|&size| [(size, false), (size, true)]) {
            let Some(example) = resized(law.example, size, double) else { continue };
            let differs = if law.family == Family::Rearrangement {
                let mut other = example.clone();
                Collectives.run(&mut other, &Input::default(), &mut Findings::default()).unwrap();
                if print(&other) == print(&example) {
                    continue;
                }
                let [before, after] = [&example, &other].map(|program| law_sides::lower_to_local(program).unwrap());
                let run = |local| move |inputs: &[Tensor]| run_partitioned(local, inputs);
                first_run_difference(&example, [&run(&before), &run(&after)], is_same_class)
            } else {
                let Some((local, whole)) = law_sides::shard_programs(law, &example) else { continue };
                let on_devices = |inputs: &[Tensor]| run_partitioned(&local, inputs);
                first_run_difference(
                    &example,
                    [&on_devices, &|inputs| run_unpartitioned(&whole, inputs)],
                    is_same_class,
                )
            };
            cases += 1;
            failed.extend(differs.map(|what| format!("{} of {size:?}: {what}", law.name)));
        }
        assert!(cases > 1, "`{}` has no case", law.name);
    }
    assert!(failed.is_empty(), "{} differ:\n{}", failed.len(), failed.join("\n\n"));
}

#[test]
fn rewrites_that_change_special_values_are_detected() {
    let program = |result: &str| {
        let text = format!(
            "form traced
input %x : f32[9]
  %zero = constant 0.0 : f32[9]
  %one = constant 1.0 : f32[9]
  %half = constant 0.5 : f32[9]
  %two = constant 2.0 : f32[9]
  %y = {result} : f32[9]
output %y
"
        );
        resized(&text, None, false).unwrap_or_else(|| panic!("{text}"))
    };
    // Each pair is equal in real arithmetic, and differs in the sign of a zero, a NaN, or an infinity.
    for (before, after, exact) in [
        ("add %x, %zero", "mul %x, %one", false),
        ("mul %x, %zero", "mul %zero, %one", false),
        ("sub %zero, %x", "neg %x", false),
        ("max %x, %zero", "relu %x", true),
        ("div %x, %x", "div %one, %one", false),
        ("sub %x, %x", "mul %zero, %one", true),
    ] {
        let (relation, rounds): (Relation, _) = if exact { (is_same, true) } else { (is_same_class, false) };
        let noticed = first_difference(&program(before), &program(after), relation, rounds);
        assert!(noticed.is_some(), "`{before}` as `{after}`");
    }
    for same in ["mul %x, %half", "div %x, %two"] {
        let differs = first_difference(&program(same), &program("mul %half, %x"), is_same, true);
        assert_eq!(differs, None, "`{same}`");
    }
}
