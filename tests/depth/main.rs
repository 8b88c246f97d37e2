//! Models of reduced depth: a built-in or imported model with many layers, reduced to a few, must be the program that
//! the same model has when it is built with a few layers.
#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, missing_docs, reason = "tests")]

mod faults;
mod imported;
mod zoo;

use partita_ir::arena::Id;
use partita_ir::diag::Source;
use partita_ir::program::Program;
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use partita_passes::planning::reduce_depth::{ReducedDepth, RepeatedLayers};

/// Returns the text of a program with op results named by their order, and without a source.
fn text(program: &Program) -> String {
    let mut program = program.compact();
    program.source = "model".into();
    // entry only: the other functions are called by both programs
    let ops = program.funcs[program.entry()].ops().to_vec();
    let outs: Vec<_> = ops.iter().flat_map(|&op| program.ops[op].outs.clone()).collect();
    for (number, out) in outs.into_iter().enumerate() {
        program.values[out].name = format!("v{number}").into();
    }
    print(&program)
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
