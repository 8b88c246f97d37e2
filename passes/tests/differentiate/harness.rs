//! Comparison of gradients with finite differences, in `f64`.

use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::run;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Constant, Literal, Reduce};
use partita_ir::program::{Output, Program};
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use partita_passes::training::differentiate::gradients;

/// A program whose gradients are checked, with the range of its inputs.
pub struct Case {
    /// Program text without the line of the form.
    pub text: String,
    /// Range of float inputs.
    pub range: (f64, f64),
}

/// Returns a case with inputs between -1 and 1.
pub fn case(text: impl Into<String>) -> Case {
    within(-1.0, 1.0, text)
}

/// Returns a case with inputs between `low` and `high`.
pub fn within(low: f64, high: f64, text: impl Into<String>) -> Case {
    Case { text: text.into(), range: (low, high) }
}

/// Parses a traced program.
pub fn read(text: &str) -> Program {
    let source = Source::new("test.pir", format!("form traced\n{text}"));
    let program = parse(&source).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    verify(&program).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    program
}

/// Generates distinct pseudo-random numbers between 0 and 1.
pub fn numbers(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    })
}

/// Appends the weighted sum of all float outputs as loss, which becomes the only output.
pub fn add_loss(program: &mut Program) -> ValueId {
    let outputs: Vec<ValueId> = program.outputs().iter().map(|o| o.value).collect();
    let mut names = Namer::from_program(program);
    let mut body = std::mem::take(program.entry_ops_mut());
    let mut b = Builder::new(program, &mut names);
    let mut loss = None;
    for (seed, &out) in (1..).zip(outputs.iter()) {
        let ty = b.ty(out);
        if !ty.dtype.is_float() {
            continue;
        }
        let weights = numbers(seed).take(ty.shape.count()).map(|x| Scalar::Float(x + 0.5)).collect();
        let weights = b.op("weights", Constant { value: Literal::Dense(weights) }, &[], ty.clone());
        let weighted = b.binary(BinaryOp::Mul, out, weights);
        let all = Reduce { monoid: Monoid::Sum, dims: (0..ty.shape.rank()).collect() };
        let sum = b.op("sum", all, &[weighted], Type::new(ty.dtype, []));
        loss = Some(loss.map_or(sum, |loss| b.binary(BinaryOp::Add, loss, sum)));
    }
    body.append(&mut b.body);
    let loss = loss.unwrap();
    let entry = program.entry();
    let main = &mut program.funcs[entry];
    *main.ops_mut() = body;
    main.outputs = vec![Output { value: loss, name: "loss".into(), replaces: None }];
    loss
}

/// Returns the float inputs of the entry function.
pub fn floats_of(program: &Program) -> Vec<ValueId> {
    program.inputs().iter().copied().filter(|&v| program.ty(v).dtype.is_float()).collect()
}

/// Returns the program with the gradients of its loss for all float inputs as outputs. Checks that it verifies, and
/// that its text parses to the same program.
pub fn with_gradients(program: &Program, loss: ValueId) -> Result<(Program, Vec<Option<ValueId>>), Vec<Diagnostic>> {
    let mut program = program.clone();
    let wrt = floats_of(&program);
    let found = gradients(&mut program, loss, &wrt)?;
    program.outputs_mut().clear();
    for (i, value) in found.iter().enumerate().filter_map(|(i, &v)| Some((i, v?))) {
        program.output(format!("grad{i}"), value);
    }
    verify(&program).unwrap_or_else(|e| panic!("{}\n{}", e[0], print(&program)));
    let text = print(&program);
    let again = parse(&Source::new("test.pir", text.clone())).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    assert!(again.compact() == program.compact(), "does not read back:\n{text}");
    Ok((program, found))
}

/// Returns inputs in a range; integers count up.
pub fn inputs_of(program: &Program, (low, high): (f64, f64)) -> Vec<Tensor> {
    let one = |(seed, &v): (u64, &ValueId)| {
        let ty = program.ty(v).clone();
        if ty.dtype.is_float() {
            let items = numbers(seed).take(ty.shape.count()).map(|x| low + (high - low) * x).collect();
            Tensor::from_floats(ty, items)
        } else {
            let items = (0..ty.shape.count() as i64).map(|i| i % 2).collect();
            Tensor::from_ints(ty, items)
        }
    };
    (100..).zip(program.inputs()).map(one).collect()
}

/// Returns the gradients of a case, by float input; zeros for inputs without gradient.
pub fn analytic(program: &Program, loss: ValueId, inputs: &[Tensor]) -> Vec<Vec<f64>> {
    let (with, found) = with_gradients(program, loss).unwrap_or_else(|e| panic!("{}\n{}", e[0], print(program)));
    let outs = run(&with, inputs.to_vec()).unwrap_or_else(|e| panic!("{e}\n{}", print(&with)));
    let mut outs = outs.into_iter();
    let items = |t: Tensor| t.scalars().map(|x| x.to_f64()).collect();
    floats_of(program)
        .iter()
        .zip(found)
        .map(|(&v, found)| match found {
            Some(_) => items(outs.next().unwrap()),
            None => vec![0.0; program.ty(v).shape.count()],
        })
        .collect()
}

/// Compares the gradients of a program with central differences, for every element of every float input.
pub fn check(case: &Case) {
    let mut program = read(&case.text);
    let loss = add_loss(&mut program);
    let inputs = inputs_of(&program, case.range);
    let found = analytic(&program, loss, &inputs);
    let value = |inputs: Vec<Tensor>| run(&program, inputs).unwrap()[0].get(0).to_f64();
    let step = 1e-5;
    let mut compared = 0;
    let places = (0..).zip(program.inputs()).filter(|(_, v)| program.ty(**v).dtype.is_float());
    for ((at, &input), gradient) in places.zip(found) {
        let at: usize = at;
        assert_eq!(program.ty(input).dtype, DType::F64, "differences need f64");
        for (i, &got) in gradient.iter().enumerate() {
            let moved = |by: f64| {
                let mut inputs = inputs.clone();
                let mut items: Vec<f64> = inputs[at].scalars().map(|x| x.to_f64()).collect();
                items[i] += by;
                inputs[at] = Tensor::from_floats(inputs[at].ty.clone(), items);
                value(inputs)
            };
            let want = (moved(step) - moved(-step)) / (2.0 * step);
            let close = (got - want).abs() <= 2e-8 + 1e-6 * want.abs();
            assert!(close, "element {i} of {}: {got}, not {want}\n{}", program.path_of(input), case.text);
            compared += 1;
        }
    }
    assert!(compared > 0, "nothing was compared:\n{}", case.text);
}
