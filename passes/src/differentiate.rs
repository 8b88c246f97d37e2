//! Differentiation: from a forward model to a training step.
//!
//! [`reverse`] is reverse mode over the ops of one function; [`adjoint`] holds the rules, one file an op family.

pub mod adjoint;
pub mod reverse;
