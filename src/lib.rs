//! Partita partitions tensor programs for SPMD and pipeline-parallel execution. Given a model for one device and a plan
//! that assigns tensor dimensions to mesh axes, Partita generates the program of each device, with the collectives that
//! make all devices together compute the same function.
//!
//! A [`Program`] is a model for one device, [`load`]ed from StableHLO, ONNX, PyTorch or program text, or traced from a
//! Burn module. A [`Plan`] specifies the parallelism on a [`Mesh`] of devices. A [`Compiler`] applies the plan to the
//! program. The resulting [`Partition`], on one mesh or in pipeline stages, has a layout for every value and explicit
//! collectives; it can be printed, explained, checked, run and trained. [`search()`] finds the fastest plan for a
//! [`Machine`].
//!
//! **Applying a plan**: dimensions are named, and rules map the names to mesh axes.
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
//! **Compiling ahead of time** (feature `gpu`): `Partition::compile` returns an `Artefact`, which can be saved to a
//! file and run from it.
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
//! The crate `partita-cli` is the command line. Its function `main_with` builds the same command for a model that is
//! defined in Rust.

#[cfg(feature = "gpu")]
pub mod artefact;
mod budget;
#[cfg(feature = "burn")]
pub mod burn;
pub mod calibrate;
pub mod check;
pub mod compare;
mod compile_results;
mod compiler;
pub mod error;
pub mod explain;
pub mod export;
pub mod html;
#[cfg(feature = "gpu")]
pub mod kernels;
mod load;
pub mod parameters;
pub mod partition;
pub mod predict;
mod program_ext;
mod prove;
pub mod replan;
pub mod report;
pub mod search;
mod session;
pub mod simulate;
pub mod steps;
pub mod sweep;
pub mod train;

pub use check::{Check, TOLERANCE_F64};
pub use compiler::Compiler;
pub use error::{Error, Result};
#[cfg(feature = "gpu")]
pub use kernels::{KernelReport, KernelRow, KernelTotals};
pub use load::{LoadedModel, is_model, load, load_machine, load_text, load_with_inputs, load_with_weights, parse};
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
pub use program_ext::ProgramExt;
pub use prove::{Proof, prove};
pub use report::{
    CheapestAlgorithm, CollectiveRow, CompileSeconds, DeviceMemory, FallbackRow, KindTotals, LargeValueRow, PaddedRow,
    ParamRow, PassRewrites, PhaseRow, RepeatedRow, Report, RewriteReport, ScheduleRow, StageRow, Totals, TransferRow,
};
pub use search::search;
pub use session::{Port, Session};
pub use simulate::Simulation;
pub use steps::{StepResult, Steps};
pub use train::{
    Budget, Counts, Dataset, FreezeWhen, ReplicaShard, Sampler, SamplerPosition, StepMetrics, Trainer, TrainingEvent,
    TrainingResult, ValidationMetrics, plot,
};

/// Compiles the examples in the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Re-exports of the types that most programs need.
pub mod prelude {
    pub use crate::{
        Check, Compiler, Machine, Mesh, Partition, Plan, Program, ProgramExt, Report, Tensor, TrainingEvent, gib,
    };
    pub use std::time::Duration;
}
