//! Differentiation: from a forward model to a training step.
//!
//! [`reverse`] is reverse mode over the ops of one function; [`adjoint`] holds the rules, one file an op family. [`train`] is the
//! pass that makes a training step of a model, and [`update`] what it does with the gradients.

pub mod adjoint;
pub mod reverse;
pub mod train;
mod update;
