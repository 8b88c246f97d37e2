//! Report on a partition: parameters, collectives, bytes, memory. Plain data that is formatted as text (`Display`) or
//! JSON (serde).

pub(crate) mod algorithms;
mod figures;
mod fold;
pub(crate) mod gather;
pub(crate) mod groups;
mod large;
mod padding;
mod repeated;
pub mod rewriting;
pub(crate) mod stages;
mod table;
pub(crate) mod text;

pub use crate::compile_results::CompileSeconds;
pub use fold::{family, group, title};
pub use large::LargeValueRow;
use partita_ir::diag::Diagnostic;
pub(crate) use partita_ir::units::format_bytes;
pub use rewriting::{PassRewrites, RewriteReport};
pub use stages::{ScheduleRow, StageRow, TransferRow};
pub use table::{Align, Table};

pub use algorithms::CheapestAlgorithm;
use serde::{Serialize, Serializer};

/// Report of `partita plan`. The data is complete; `Display` folds repeated rows.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// Version of Partita.
    pub version: &'static str,
    /// Name of the model as given by the user.
    pub model: String,
    /// Axes of the mesh and their sizes, major to minor. For pipeline stages, those of the first one.
    #[serde(serialize_with = "serialize_map")]
    pub mesh: Vec<(String, u32)>,
    /// Number of devices of all stages.
    pub devices: usize,
    /// Number of ops of the model. Ops of a loop body count once.
    pub ops: usize,
    /// Parameters and inputs, in the model's order.
    pub params: Vec<ParamRow>,
    /// Collectives, in program order, stage by stage.
    pub collectives: Vec<CollectiveRow>,
    /// Transfers between stages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<TransferRow>,
    /// Totals of one run of the program on one device. For pipeline stages, the maximum over stages.
    pub totals: Totals,
    /// Values that were gathered because an op cannot be partitioned along a dimension.
    pub fallbacks: Vec<FallbackRow>,
    /// Contractions that the devices of a mesh axis repeat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repeated: Vec<RepeatedRow>,
    /// Dimensions with padded shards, because the axes do not divide them.
    pub padded: Vec<PaddedRow>,
    /// Memory of one device. For pipeline stages, of the stage with the highest peak.
    pub memory: DeviceMemory,
    /// Largest values of that device at its peak, in descending order.
    pub largest: Vec<LargeValueRow>,
    /// Pipeline stages. A model on one mesh is a single stage.
    pub stages: Vec<StageRow>,
    /// Pipeline schedule. `None` for a model on one mesh, which is one program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<ScheduleRow>,
    /// Number of micro-batches.
    pub micro_batches: u64,
    /// Phases of a training step, summed over one device of each stage. Empty for a model without training.
    pub phases: Vec<PhaseRow>,
    /// True if the phases were inferred, because an imported step does not specify them.
    pub phases_inferred: bool,
    /// Rewrites of the autotuned variant, if a machine is given on which they are faster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewriting: Option<RewriteReport>,
    /// Warnings, such as options of the plan that have no effect on the model.
    pub warnings: Vec<WarningRow>,
    /// Compile time by phase.
    pub seconds: CompileSeconds,
}

/// A warning.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WarningRow {
    /// Error code, which `partita explain` explains.
    pub code: &'static str,
    /// Problem.
    pub message: String,
    /// Proposed changes.
    pub help: Vec<String>,
}

impl WarningRow {
    /// Returns one row for each warning.
    pub fn from_diagnostics(warnings: &[Diagnostic]) -> Vec<WarningRow> {
        let help = |warning: &Diagnostic| warning.helps.iter().map(|help| help.text.clone()).collect();
        let row = |w: &Diagnostic| WarningRow { code: w.code.name(), message: w.title.clone(), help: help(w) };
        warnings.iter().map(row).collect()
    }
}

/// A parameter or an input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ParamRow {
    /// Dotted path, or name of the argument.
    pub name: String,
    /// Element type.
    pub dtype: String,
    /// Global shape.
    pub shape: Vec<usize>,
    /// Shape of a shard.
    pub local_shape: Vec<usize>,
    /// Axes of each dimension in the syntax of `--shard`: `data, _`.
    pub layout: String,
    /// Bytes of a shard.
    pub local_bytes: u64,
    /// True for a parameter that the training step does not change because the plan or the model freezes it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub frozen: bool,
    /// Stages that store the value, if there are several stages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<usize>,
}

/// A collective.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CollectiveRow {
    /// `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all` or `permute`.
    pub kind: &'static str,
    /// Axes of the mesh along which devices communicate.
    pub axes: Vec<String>,
    /// Bytes of the result on one device (of the operand, for a reduce_scatter), each time.
    pub payload_bytes: u64,
    /// Bytes that one device sends on a ring, each time.
    pub wire_bytes: u64,
    /// Number of runs, more than one in a loop.
    pub count: u64,
    /// Op that requires the collective: `dot_general %12`.
    pub op: String,
    /// Source location of that op: `gpt.mlir:120`, or the path of its module.
    pub origin: String,
    /// Reason for the collective.
    pub reason: String,
    /// Stage whose devices communicate, if there are several stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<usize>,
    /// Cheapest algorithm on the machine, if one is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cheapest: Option<CheapestAlgorithm>,
}

/// Totals of one run of the program on one device.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Totals {
    /// Payload of all collectives in bytes.
    pub payload_bytes: u64,
    /// Ring traffic of all collectives in bytes.
    pub wire_bytes: u64,
    /// Totals by kind. Every kind is listed.
    #[serde(serialize_with = "serialize_map")]
    pub by_kind: Vec<(&'static str, KindTotals)>,
    /// FLOPs of contractions and convolutions on one device.
    pub flops: u64,
    /// FLOPs of contractions and convolutions on one device that it would not compute if devices never repeated the
    /// work of others.
    pub repeated_flops: u64,
    /// FLOPs of contractions and convolutions of the model on one device alone. 0 for a model that was loaded in local
    /// form.
    pub model_flops: u64,
}

/// Sums over the collectives of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct KindTotals {
    /// Number of runs.
    pub count: u64,
    /// Payload in bytes.
    pub payload_bytes: u64,
    /// Ring traffic in bytes.
    pub wire_bytes: u64,
}

/// A dimension that was gathered because the op that reads it cannot be partitioned along it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FallbackRow {
    /// The op: `sort %4`.
    pub op: String,
    /// Operand that was gathered.
    pub value: String,
    /// Gathered dimension.
    pub dim: usize,
    /// Mesh axes that no longer shard the dimension.
    pub axes: Vec<String>,
    /// Reason.
    pub why: String,
    /// Source location of the op.
    pub origin: String,
}

/// A contraction that every device along some axes computes in full.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RepeatedRow {
    /// The op: `dot_general %12`.
    pub op: String,
    /// Mesh axes that shard none of its dimensions.
    pub axes: Vec<String>,
    /// FLOPs of one device, each time, that it would not compute if the devices shared the work.
    pub flops: u64,
    /// Number of runs, more than one in a loop.
    pub count: u64,
    /// Annotation that shards the contraction, in the syntax of `--shard`: `head.weight=_, model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotation: Option<String>,
    /// Source location of the op.
    pub origin: String,
    /// Stage whose devices repeat the contraction, if there are several stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<usize>,
}

/// Dimensions of equal size that the same axes shard unevenly.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PaddedRow {
    /// Elements of the dimension.
    pub size: usize,
    /// Axes that shard the dimension.
    pub axes: Vec<String>,
    /// Number of shards.
    #[serde(rename = "pieces")]
    pub shard_count: usize,
    /// Elements of a shard, padding included. The last shards may consist of padding only.
    #[serde(rename = "piece")]
    pub shard_size: usize,
    /// Number of such dimensions in the program.
    pub dims: usize,
    /// First such dimension: `up.weight dim 1`.
    pub first: String,
}

/// A phase of a training step on one device.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PhaseRow {
    /// `forward`, `recompute`, `backward_input`, `backward_weight` or `update`.
    pub phase: &'static str,
    /// Number of ops.
    pub ops: usize,
    /// FLOPs of contractions and convolutions.
    pub flops: u64,
    /// Ring traffic of collectives in bytes.
    pub wire_bytes: u64,
}

/// Memory of one device in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct DeviceMemory {
    /// Peak, parameters and inputs included.
    pub peak_bytes: u64,
    /// Parameters and inputs.
    pub entry_bytes: u64,
    /// Parameters, without optimizer state.
    pub parameter_bytes: u64,
    /// Frozen parameters, which are among the parameters.
    #[serde(skip_serializing_if = "is_zero")]
    pub frozen_bytes: u64,
    /// Optimizer state.
    pub state_bytes: u64,
    /// Functions of parameters alone that are stored from the forward to the backward pass, such as low-precision
    /// copies.
    pub copy_bytes: u64,
    /// Gradients of all parameters.
    pub gradient_bytes: u64,
    /// Activations that are stored for the backward pass.
    pub activation_bytes: u64,
}

/// Returns true for no bytes, which JSON omits.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "signature that serde requires")]
fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

/// Serialises pairs as a JSON object, in their order.
fn serialize_map<S: Serializer, K: Serialize, V: Serialize>(
    pairs: &[(K, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(k, v)| (k, v)))
}
