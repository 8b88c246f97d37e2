//! The extension module `partita._partita`: models, plans and searches for the Python package, which adds the
//! conversions from and to JAX.
//!
//! Plans are given as pairs of a flag of the command line and its value. Work runs without the interpreter's lock.

mod error;
mod export;
mod files;
mod flags;
mod model;
mod op_layouts;
mod partition;
mod search;
mod simulation;
mod worker;

use pyo3::prelude::*;

/// Models, plans and searches.
#[pymodule]
mod _partita {
    #[pymodule_export]
    use super::error::Error;
    #[pymodule_export]
    use super::export::{Export, export};
    #[pymodule_export]
    use super::files::write_file;
    #[pymodule_export]
    use super::flags::plan_options;
    #[pymodule_export]
    use super::model::{Model, prove};
    #[pymodule_export]
    use super::op_layouts::ValueLayout;
    #[pymodule_export]
    use super::partition::{Partition, partition};
    #[pymodule_export]
    use super::search::{SearchResult, search};
    #[pymodule_export]
    use super::simulation::{ComparedPlans, PredictedStep, compare, simulate};
}
