//! Partita partitions tensor programs: a model that was written for one device, and a plan that says which dimensions
//! go where, become one device's program with exactly the communication that makes all devices together compute the
//! same.
//!
//! A [`Program`] is a model as it was written for one device, [`load`]ed from StableHLO, ONNX or program text, or
//! traced from a Burn module. A [`Plan`] is what the user decided, on a [`Mesh`] of devices. A [`Compiler`] makes a
//! [`Partition`] of both, on one mesh or in the stages of a pipeline, whose every layout is decided and whose every
//! collective is visible; it prints, explains, checks, runs and trains. [`search()`] finds the best plan for a
//! [`Machine`].
//!
//! **Annotating a model with a mesh**: names of dimensions, and where they go.
//!
//! ```
//! use partita::prelude::*;
//!
//! # fn main() -> partita::Result<()> {
//! let text = r#"form traced
//!     param %w "up.weight" : f32[64, 512]
//!     input %x : f32[32, 64]
//!       %h = matmul %x, %w : f32[32, 512]
//!     output %h "h""#;
//! // Or `load("gpt.mlir")`, `load("gpt.onnx?batch=8")`, or `Program::trace(..)`.
//! let program = partita::parse("mlp.pir", text)?;
//! let plan = Plan::new(Mesh::new([("data", 2), ("model", 4)])?)
//!     .name("up.weight", "_, hidden")
//!     .rules("hidden:model");
//! let partition = Compiler::new(&program).plan(&plan).partition()?;
//! println!("{partition}");
//! assert!(partition.check(&partition.random_inputs(0)?)?.ok()); // eight devices in this process against one
//! # Ok(()) }
//! ```
//!
//! **Compiling ahead of time** (feature `gpu`): `Partition::compile` makes an `Artefact` of it, which is kept in a
//! file and run from there.
//!
//! ```
//! # #[cfg(feature = "gpu")]
//! # fn main() -> partita::Result<()> {
//! # use partita::prelude::*;
//! # let program = partita::load("zoo:mlp?width=16&hidden=32&batch=8")?;
//! # let plan = Plan::new(Mesh::new([("data", 2), ("model", 2)])?).preset("data,megatron");
//! let artefact = Compiler::new(&program).plan(&plan).partition()?.compile(&["cuda:sm_90", "wgsl"])?;
//! let bytes = artefact.to_bytes()?; // the content of a `.partita` file
//! # assert!(!bytes.is_empty());
//! # Ok(()) }
//! # #[cfg(not(feature = "gpu"))]
//! # fn main() {}
//! ```
//!
//! **Searching for a plan**:
//!
//! ```
//! # use partita::prelude::*;
//! # fn main() -> partita::Result<()> {
//! let (program, machine) = (partita::load("zoo:mlp")?, partita::load_machine("dgx-a100")?);
//! let outcome = partita::search(&program, &machine).devices(4).time_limit(Duration::from_secs(20)).run()?;
//! let best = &outcome.plans()[0];
//! println!("{}", Compiler::new(&program).plan(&best.plan).machine(&machine).partition()?);
//! # Ok(()) }
//! ```
//!
//! The crate `partita-cli` is the same for the command line; its `main_with` gives it to a model of one's own.

#[cfg(feature = "gpu")]
pub mod artefact;
mod budget;
pub mod calibrate;
pub mod check;
pub mod compare;
mod compiler;
pub mod error;
pub mod explain;
#[cfg(feature = "gpu")]
pub mod kernels;
mod load;
mod made;
pub mod parameters;
pub mod partition;
pub mod predict;
mod prove;
pub mod replan;
pub mod report;
pub mod search;
mod session;
pub mod simulate;
mod stages;
pub mod steps;
pub mod sweep;
pub mod train;

pub use check::{Check, TOLERANCE_F64};
pub use compiler::Compiler;
pub use error::{Error, Result};
#[cfg(feature = "gpu")]
pub use kernels::{KernelReport, KernelRow, KernelTotals};
pub use load::{is_model, load, load_machine, load_with_weights, parse};
#[cfg(feature = "burn")]
pub use partita_burn::burn;
pub use partita_cost as cost;
pub use partita_equality as equality;
#[cfg(feature = "gpu")]
pub use partita_gpu as gpu;
#[cfg(feature = "gpu")]
pub use partita_gpu::Artefact;
pub use partita_ir as ir;
pub use partita_ir::plan::{Mesh, Plan};
pub use partita_ir::program::Program;
pub use partita_ir::tensor::{Tensor, Weights};
pub use partita_ir::units::gib;
pub use partita_machine as machine;
pub use partita_machine::Machine;
pub use partita_passes as passes;
pub use partita_runtime as runtime;
pub use partita_runtime::footprint::Footprint;
pub use partition::Partition;
pub use predict::Predictor;
pub use prove::{Proof, prove};
pub use report::{
    CollectiveRow, FallbackRow, KindTotals, LargeRow, Memory, PaddedRow, ParamRow, PhaseRow, Report, Rewriting,
    Rewritten, Schedule, Seconds, StageRow, Totals, TransferRow, Way,
};
pub use search::search;
pub use session::{Port, Session};
pub use simulate::Simulation;
pub use stages::Stages;
pub use steps::{Step, Steps};
pub use train::{
    Budget, Counts, Dataset, Event, FreezeWhen, Loader, Position, Record, Score, Shard, Trained, Trainer, plot,
};

/// The program in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// What a program that uses Partita names most.
pub mod prelude {
    pub use crate::{Check, Compiler, Event, Machine, Mesh, Partition, Plan, Program, Report, Stages, Tensor, gib};
    pub use std::time::Duration;
}
