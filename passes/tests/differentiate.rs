//! Gradients of every op with an adjoint, compared with finite differences, and a list of the ops without.

mod backward_pass;
mod composites;
mod contractions;
mod control;
mod elementwise;
mod harness;
mod indexing;
mod linear_algebra;
mod movement;
mod ordering;
mod reductions;

use harness::{Case, add_loss, check, floats_of, read, with_gradients};
use partita_ir::arena::Id;
use partita_ir::op::OpKind;
use partita_ir::program::Phase;
use partita_ir::text::print;
use partita_passes::training::differentiate::reverse::Activity;
use std::collections::BTreeSet;

/// Ops whose gradient is zero.
const FLAT: [&str; 5] = ["constant", "iota", "random", "rng_bits", "compare"];

/// Optimizer updates, whose gradients are never requested.
const STEPS: [&str; 2] = ["momentum", "adam"];

/// Factorizations without an adjoint.
const FACTORIZATIONS: [&str; 8] =
    ["lu", "qr", "householder_product", "hessenberg", "svd", "eigh", "eig", "tridiagonal_solve"];

/// Calls of functions that are not part of the program.
const OPAQUE: [&str; 1] = ["custom_call"];

/// Ops of partitioned programs.
const PARTITIONED: [&str; 10] = [
    "reshard",
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "permute",
    "shard",
    "partial",
    "mask",
    "piece_start",
];

/// Returns the cases of all op families.
fn all_cases() -> Vec<Case> {
    let families = [
        composites::cases(),
        contractions::cases(),
        control::cases(),
        elementwise::cases(),
        indexing::cases(),
        linear_algebra::cases(),
        movement::cases(),
        ordering::cases(),
        reductions::cases(),
    ];
    families.into_iter().flatten().collect()
}

fn check_all(cases: Vec<Case>) {
    cases.iter().for_each(check);
}

/// Every op occurs in some case between an input and the loss, or is listed above.
#[test]
fn every_op_is_tested_or_known_to_have_no_gradient() {
    let mut tested = BTreeSet::new();
    for case in all_cases() {
        let mut program = read(&case.text);
        let loss = add_loss(&mut program);
        let sides = Activity::analyse(&program, program.funcs[program.entry()].ops(), &floats_of(&program), &[]);
        let mut read = vec![false; program.values.len()];
        read[loss.index()] = true;
        for op in program.funcs[program.entry()].ops().iter().rev().map(|&op| &program.ops[op]) {
            if op.outs.iter().any(|v| read[v.index()] && sides.is_wanted(*v)) {
                op.args.iter().for_each(|v| read[v.index()] = true);
                tested.insert(op.kind.family());
            }
        }
    }
    for name in OpKind::NAMES {
        let flat = [&FLAT[..], &STEPS, &FACTORIZATIONS, &OPAQUE, &PARTITIONED].iter().any(|none| none.contains(name));
        assert!(flat != tested.contains(name), "`{name}` has no case, or a gradient after all");
    }
}

/// The ops of a backward pass are differentiable too.
#[test]
fn gradients_have_gradients() {
    for Case { text, range } in all_cases() {
        let mut program = read(&text);
        let loss = add_loss(&mut program);
        let (mut with, found) = with_gradients(&program, loss).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
        // The gradients are a model like any other.
        with.ops.values_mut().for_each(|op| op.phase = Phase::Forward);
        if found.iter().any(Option::is_some) {
            let text = print(&with).replacen("form traced\n", "", 1);
            check(&Case { text, range });
        }
    }
}
