//! Gradients of every op that has an adjoint, against finite differences; what is not differentiable is named here too.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

mod composites;
mod contractions;
mod control;
mod elementwise;
mod harness;
mod indexing;
mod movement;
mod ordering;
mod reductions;

use self::harness::{Case, check};

fn check_all(cases: Vec<Case>) {
    cases.iter().for_each(check);
}
