//! Models of reduced depth: a built-in or imported model with many layers, reduced to a few, must be the program that
//! the same model has when it is built with a few layers.

mod faults;
mod imported;
mod steps;
mod zoo;

use partita_ir::arena::Id;
use partita_ir::diag::Source;
use partita_ir::op::OpKind;
use partita_ir::ops::Literal;
use partita_ir::program::Program;
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use partita_passes::planning::reduce_depth::{ReducedDepth, RepeatedLayers};

/// Returns the text of a program with values, parameters and outputs named by their order, and without a source and
/// numbers of dense constants.
fn text(program: &Program) -> String {
    let mut program = program.compact();
    program.source = "model".into();
    // entry only: the other functions are called by both programs
    let ops = program.funcs[program.entry()].ops().to_vec();
    let outs = ops.iter().flat_map(|&op| program.ops[op].outs.clone());
    let values: Vec<_> = program.inputs().iter().copied().chain(outs).collect();
    for (number, value) in values.into_iter().enumerate() {
        program.values[value].name = format!("v{number}").into();
    }
    // Numbers of random draws outside of the layers.
    for op in program.ops.values_mut() {
        if let OpKind::Constant(constant) = &mut op.kind
            && let Literal::Dense(_) = constant.value
        {
            constant.value = Literal::default();
        }
    }
    for (number, param) in program.params.values_mut().enumerate() {
        param.path = format!("p{number}");
    }
    for (number, output) in program.outputs_mut().iter_mut().enumerate() {
        output.name = format!("o{number}").into();
    }
    print(&program)
}

/// Panics unless a reduced program equals a model of fewer layers up to names, and its repetitions have the names of
/// the first layers.
fn assert_is(reduced: &ReducedDepth, expected: &Program) {
    let (reduced_text, expected_text) = (text(&reduced.program), text(expected));
    let first = reduced_text.lines().zip(expected_text.lines()).find(|(a, b)| a != b);
    assert!(reduced_text == expected_text, "{first:?}\n{reduced_text}\n--- expected\n{expected_text}");
    let params = reduced.program.params.values().zip(expected.params.values()).zip(&reduced.param_repetitions);
    for ((param, expected), _) in params.filter(|(_, repetition)| repetition.is_some()) {
        assert_eq!(param.path, expected.path);
    }
}

/// Reduces a program, and panics if the result is invalid or if its repetitions are inconsistent.
fn reduce(program: &Program, kept: usize) -> ReducedDepth {
    let layers = RepeatedLayers::find(program).expect("repeated layers");
    let reduced = layers.reduced(program, kept);
    verify(&reduced.program).unwrap_or_else(|e| panic!("{e:?}\n{}", print(&reduced.program)));
    assert_eq!((reduced.full, reduced.kept), (layers.count(), kept.min(layers.count())));
    // Ops and parameters of the full program, counted by what represents them.
    for representative in 0..reduced.kept {
        let of_ops = reduced.op_multiplicities(representative);
        // entry only: repetitions are parts of the entry function
        let ops: usize = reduced.program.entry_ops().map(|at| of_ops[at.id.index()]).sum();
        assert_eq!(ops, program.entry_ops().count());
        let params: usize = reduced.param_multiplicities(representative).iter().sum();
        assert_eq!(params, program.params.len());
    }
    reduced
}

/// Parses program text.
fn program(text: &str) -> Program {
    let program = parse(&Source::new("p", text)).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    verify(&program).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    program
}
