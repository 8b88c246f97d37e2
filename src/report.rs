//! What a plan makes of a model: parameters, collectives, bytes, memory. Plain data that prints for people (`Display`)
//! and for machines (serde).

mod fold;
pub(crate) mod gather;
mod large;
mod padding;
pub mod rewriting;
mod stages;
mod table;
pub(crate) mod text;
pub(crate) mod ways;

pub use crate::made::Seconds;
pub use fold::{family, group, title};
pub use large::LargeRow;
use partita_ir::diag::Diagnostic;
pub(crate) use partita_ir::units::bytes;
pub use rewriting::{Rewriting, Rewritten};
pub use stages::{Schedule, StageRow, TransferRow};
pub use table::{Align, Table};

use serde::{Serialize, Serializer};
pub use ways::Way;

/// The answer of `partita plan`: one object, complete; printing it folds what repeats.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// Version of Partita.
    pub version: &'static str,
    /// The model, as it was named.
    pub model: String,
    /// Axes of the mesh and their sizes, major to minor: in stages those of the first one.
    #[serde(serialize_with = "map")]
    pub mesh: Vec<(String, u32)>,
    /// Number of devices, of all stages together.
    pub devices: usize,
    /// Operations of the model, each once.
    pub ops: usize,
    /// Parameters and inputs, in the model's order.
    pub params: Vec<ParamRow>,
    /// Collectives, in program order, stage by stage.
    pub collectives: Vec<CollectiveRow>,
    /// Values that stages send each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<TransferRow>,
    /// Sums over one run of the program, for one device; in stages the largest that any of them has.
    pub totals: Totals,
    /// What was gathered because its operation's rule cannot split it.
    pub fallbacks: Vec<FallbackRow>,
    /// Dimensions whose pieces are padded, because the axes do not divide them.
    pub padded: Vec<PaddedRow>,
    /// Memory of one device, in stages of the one that holds most.
    pub memory: Memory,
    /// What it holds at its fullest, the largest first.
    pub largest: Vec<LargeRow>,
    /// The stages; a model on one mesh is a single stage.
    pub stages: Vec<StageRow>,
    /// The order of tasks; nothing of a model on one mesh, which is one program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// In how many parts the batch goes through.
    pub micro_batches: u64,
    /// The parts of a training step, on one device, in stages on one device of each; none for a model that is not
    /// trained.
    pub phases: Vec<PhaseRow>,
    /// Whether the parts were found out, because an imported step does not say them.
    pub phases_inferred: bool,
    /// What was done otherwise than usual, where a machine is named on which a step is faster so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewriting: Option<Rewriting>,
    /// Warnings, such as options of the plan that have no effect on the model.
    pub warnings: Vec<WarningRow>,
    /// Wall-clock time of the stages.
    pub seconds: Seconds,
}

/// A warning.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WarningRow {
    /// Its code, which `partita explain` explains.
    pub code: &'static str,
    /// What is the matter.
    pub message: String,
    /// What to do about it.
    pub help: Vec<String>,
}

impl WarningRow {
    /// The rows of some warnings.
    pub fn all(warnings: &[Diagnostic]) -> Vec<WarningRow> {
        let help = |warning: &Diagnostic| warning.helps.iter().map(|help| help.text.clone()).collect();
        let row = |w: &Diagnostic| WarningRow { code: w.code.name(), message: w.title.clone(), help: help(w) };
        warnings.iter().map(row).collect()
    }
}

/// A parameter or an input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ParamRow {
    /// Dotted path, or the name of the argument.
    pub name: String,
    /// Element type.
    pub dtype: String,
    /// Global shape.
    pub shape: Vec<usize>,
    /// Shape of what one device holds.
    pub local_shape: Vec<usize>,
    /// Axes of each dimension, as `--shard` takes them: `data, _`.
    pub layout: String,
    /// Bytes of what one device holds.
    pub local_bytes: u64,
    /// The stages that have it, where there are several.
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
    /// How often it runs: more than once inside of a loop.
    pub count: u64,
    /// The operation that made it necessary: `dot_general %12`.
    pub op: String,
    /// Where that operation stands in the model: `gpt.mlir:120`, or the path of its module.
    pub origin: String,
    /// What it is for.
    pub reason: String,
    /// The stage whose devices communicate, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stage: Option<usize>,
    /// The cheapest way of carrying it out on the machine, if one is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cheapest: Option<Way>,
}

/// Sums over one run of the program, for one device.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Totals {
    /// Payload of all collectives.
    pub payload_bytes: u64,
    /// Ring traffic of all collectives.
    pub wire_bytes: u64,
    /// The same by kind; every kind is listed.
    #[serde(serialize_with = "map")]
    pub by_kind: Vec<(&'static str, KindTotals)>,
    /// Arithmetic of contractions and convolutions on one device.
    pub flops: u64,
    /// The same for the whole model on one device alone; 0 when the model came as one device's program.
    pub model_flops: u64,
}

/// Sums over the collectives of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct KindTotals {
    /// How many run.
    pub count: u64,
    /// Payload.
    pub payload_bytes: u64,
    /// Ring traffic.
    pub wire_bytes: u64,
}

/// A dimension that was gathered because the operation that reads it cannot be split along it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FallbackRow {
    /// The operation: `sort %4`.
    pub op: String,
    /// The operand that was gathered.
    pub value: String,
    /// Its dimension.
    pub dim: usize,
    /// The axes that were lost.
    pub axes: Vec<String>,
    /// Why.
    pub why: String,
    /// Where the operation stands in the model.
    pub origin: String,
}

/// Dimensions of one size that the same axes split unevenly.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PaddedRow {
    /// Elements of the dimension.
    pub size: usize,
    /// The axes that split it.
    pub axes: Vec<String>,
    /// In how many pieces.
    pub pieces: usize,
    /// Elements of a piece, padding included; the last pieces may have few of their own, or none.
    pub piece: usize,
    /// How many dimensions of the program's values these are.
    pub dims: usize,
    /// The first of them: `up.weight dim 1`.
    pub first: String,
}

/// A part of a training step, on one device.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PhaseRow {
    /// `forward`, `recompute`, `backward_input`, `backward_weight` or `update`.
    pub phase: &'static str,
    /// Its operations.
    pub ops: usize,
    /// Arithmetic of its contractions and convolutions.
    pub flops: u64,
    /// Ring traffic of its collectives.
    pub wire_bytes: u64,
}

/// Memory of one device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Memory {
    /// The most that is alive at one time, parameters and inputs included.
    pub peak_bytes: u64,
    /// Parameters and inputs.
    pub entry_bytes: u64,
    /// Parameters, without the state of an optimizer.
    pub parameter_bytes: u64,
    /// State of the optimizer.
    pub state_bytes: u64,
    /// Narrow copies of parameters, kept from the forward to the backward pass.
    pub copy_bytes: u64,
    /// Gradients of parameters, all of them together.
    pub gradient_bytes: u64,
    /// Values of the forward pass that are kept for the backward pass.
    pub activation_bytes: u64,
}

/// Pairs as a JSON object, in their order.
fn map<S: Serializer, K: Serialize, V: Serialize>(pairs: &[(K, V)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(k, v)| (k, v)))
}
