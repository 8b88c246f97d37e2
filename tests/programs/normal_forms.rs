//! Normal forms of random programs denote the same numbers as the interpreter computes.

use filetests::generate::{Palette, cases};
use filetests::normal_values::Evaluator;
use partita_equality::normal_form::{NormalForms, TensorExpr};
use partita_equality::term::{Call, TermAnalysis};
use partita_ir::arena::{Id as _, ValueId};
use partita_ir::interp::{eval_op, random_inputs, widen, widen_tensors};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::text::print;
use partita_runtime::check::compare;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;
use std::fs;

/// Allowed rounding difference in `f64`, relative to the largest element.
const TOLERANCE: f64 = 1e-7;

/// Maximum number of elements of a value that is compared.
const MAX_ELEMENTS: usize = 64;

/// Maximum number of expressions that are evaluated for one value. Values with more are skipped.
const MAX_EVALUATIONS: usize = 200_000;

/// Compares the normal form of each value of a program with its value. Returns the number of values compared.
fn check_program(original: &Program, inputs: &[Tensor]) -> usize {
    let program = widen(original);
    let inputs = widen_tensors(inputs);
    let (mut forms, mut analysis) = (NormalForms::default(), TermAnalysis::default());
    let mut known: Vec<Option<(TensorExpr, Tensor)>> = vec![None; program.values.len()];
    let mut leaves: Vec<Tensor> = Vec::new();
    let mut add_leaf = |forms: &mut NormalForms, analysis: &mut TermAnalysis, value: ValueId, tensor: Tensor| {
        let form = forms.input(analysis, program.ty(value));
        leaves.push(tensor.clone());
        Some((form, tensor))
    };
    for (&input, tensor) in program.inputs().iter().zip(inputs) {
        known[input.index()] = add_leaf(&mut forms, &mut analysis, input, tensor);
    }
    let mut values = Vec::new();
    for &op in program.funcs[program.entry()].ops() {
        let op = &program.ops[op];
        let args: Option<Vec<_>> = op.args.iter().map(|arg| known[arg.index()].clone()).collect();
        let Some(args) = args else { continue };
        let (args, tensors): (Vec<TensorExpr>, Vec<Tensor>) = args.into_iter().unzip();
        let Ok(results) = eval_op(&program, op, None, &tensors.iter().collect::<Vec<_>>()) else { continue };
        // Normal forms assume finite values: a mask hides others, but their product with zero is not zero.
        if results.iter().any(|result| result.scalars().any(|x| !x.to_f64().is_finite())) {
            continue;
        }
        if op.kind.func().is_some() {
            for (&out, result) in op.outs.iter().zip(results) {
                known[out.index()] = add_leaf(&mut forms, &mut analysis, out, result);
            }
            continue;
        }
        if op.kind.class().states_layout() {
            known[op.outs[0].index()] = Some((args[0].clone(), results[0].clone()));
            continue;
        }
        let outs = op.outs.iter().map(|&out| program.ty(out).clone()).collect();
        let call = analysis.add_call(Call { kind: op.kind.clone(), outs });
        let made = forms.apply_call(&mut analysis, call, &args);
        for ((&out, form), result) in op.outs.iter().zip(made).zip(results) {
            known[out.index()] = Some((form, result));
            values.push(out);
        }
    }
    let mut compared = 0;
    for value in values {
        let Some((form, want)) = &known[value.index()] else { continue };
        if want.ty.shape.count() > MAX_ELEMENTS {
            continue;
        }
        let budget = Cell::new(MAX_EVALUATIONS);
        let evaluator = Evaluator { forms: &forms, analysis: &analysis, inputs: &leaves, budget };
        let Some(got) = evaluator.tensor(&form.ty, form.element) else { continue };
        // Normal forms assume a visible key in each row of attention, whose weights are otherwise 0 / 0.
        if got.scalars().any(|x| !x.to_f64().is_finite()) {
            continue;
        }
        let name = program.values[value].name.to_string();
        let differences = compare([name.as_str()], &[got], std::slice::from_ref(want), TOLERANCE);
        assert!(
            differences.iter().all(|difference| difference.ok),
            "{differences:?}\n{} = {}\n{}",
            name,
            forms.exprs.describe(form.element),
            print(original)
        );
        compared += 1;
    }
    compared
}

#[test]
fn normal_forms_have_the_values_of_the_interpreter() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[9; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let mut compared = 0;
    for case in 0..400 {
        let palette = if case % 4 == 0 { &Palette::LINEAR } else { &Palette::ALL };
        let drawn = cases(6).new_tree(&mut runner).unwrap().current().draw(palette);
        compared += check_program(&drawn.program, &drawn.inputs(1));
    }
    println!("{compared} values were compared");
    assert!(compared >= 1000, "only {compared}");
}

#[test]
fn normal_forms_of_imported_functions_have_the_values_of_the_interpreter() {
    let folder = format!("{}/data/prove", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "mlir"));
    files.sort();
    let mut compared = 0;
    for file in files {
        let name = file.display().to_string();
        let program = partita_stablehlo::import(&name, &fs::read_to_string(&file).unwrap()).unwrap();
        println!("{name}");
        compared += check_program(&program, &random_inputs(&program, 1).unwrap());
    }
    println!("{compared} values were compared");
    assert!(compared >= 500, "only {compared}");
}
