//! The first entry: what the others are.

use super::digest::Digest;
use crate::module::{Kernel, Purpose, Work};
use serde::{Deserialize, Serialize};

/// Its name.
pub const MANIFEST: &str = "manifest.json";
/// The program of the only stage.
pub const PROGRAM: &str = "program.pir";
/// What should be computed.
pub const MADE: &str = "made.pir";
/// The plan.
pub const PLAN: &str = "plan.toml";
/// The kind of ports that are parameters.
pub const PARAMETER: &str = "parameter";
/// Parameters.
pub const WEIGHTS: &str = "weights.safetensors";

/// What only tells the format, whatever else a manifest of another version says.
#[derive(Deserialize)]
pub struct Format {
    /// The format of the file.
    pub format: u32,
    /// The version of Partita that wrote it.
    #[serde(default)]
    pub version: String,
}

/// What the entries are.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The format of the file.
    pub format: u32,
    /// The version of Partita that wrote it.
    pub version: String,
    /// What the user calls the model.
    pub model: String,
    /// Axes of the mesh; of stages, each has a mesh of its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mesh: Vec<(String, u32)>,
    /// The stages of a pipeline; none for a program on one mesh.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageRecord>,
    /// The values that go between stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<TransferRecord>,
    /// By target, its kernels.
    pub targets: Vec<TargetRecord>,
    /// Inputs in order; empty for a pipeline, whose stages have their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<PortRecord>,
    /// Outputs in order; empty for a pipeline, whose stages have their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<PortRecord>,
    /// The entries behind this one, in order.
    pub entries: Vec<EntryRecord>,
}

/// A stage of a pipeline.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct StageRecord {
    /// Axes of its mesh.
    pub mesh: Vec<(String, u32)>,
    /// The entries with the programs of its tasks.
    pub programs: Vec<String>,
    /// Inputs from outside.
    pub inputs: Vec<PortRecord>,
    /// Outputs.
    pub outputs: Vec<PortRecord>,
}

/// A value that goes from one stage to another, or between chunks of one stage.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct TransferRecord {
    /// Its name.
    pub name: String,
    /// The sender's value.
    pub from: EndRecord,
    /// The receiver's value.
    pub to: EndRecord,
}

/// One end of a transfer.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct EndRecord {
    /// The stage.
    pub stage: usize,
    /// Type and layout there, as in program text.
    pub ty: String,
}

/// An entry of the file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct EntryRecord {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its checksum.
    pub xxh3: String,
}

/// What stands in the file for one target, in a folder of its own.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct TargetRecord {
    /// `wgsl`, `cuda:sm_90`
    pub target: String,
    /// What made the kernels.
    pub toolchain: String,
    /// By stage, bytes that each device takes for what it computes.
    pub frame_bytes: Vec<u64>,
    /// The kernels, in the order in which the schedule counts them.
    pub kernels: Vec<KernelRecord>,
    /// The kernel of collectives, if there is machine code of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collective: Option<CollectiveRecord>,
}

/// The kernel of collectives, which belongs to a version of Partita and not to a program.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct CollectiveRecord {
    /// The entry with its text. Another version may have another one, and compiles it anew.
    pub source: String,
    /// Machine code of the entry, as a compiler produced it.
    pub binary: BinaryRecord,
}

/// Machine code, and what it was compiled from.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct BinaryRecord {
    /// The entry that holds it.
    pub entry: String,
    /// The digest of the kernel's text and the machine code: code of another kernel, or of an older text, is not
    /// loaded.
    pub sha256: Digest,
}

/// A kernel without its text.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct KernelRecord {
    /// Its name.
    pub name: String,
    /// The entry with its text.
    pub source: String,
    /// Machine code of the kernel, as a compiler produced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<BinaryRecord>,
    /// How many buffers it reads; they come first.
    pub reads: usize,
    /// How many buffers it writes.
    pub writes: usize,
    /// Its last parameter, in words.
    pub info: Vec<u32>,
    /// The grid, in cubes.
    pub cubes: [u32; 3],
    /// A cube, in units.
    pub units: [u32; 3],
    /// Bytes of memory that the units of a cube share.
    pub shared_bytes: usize,
    /// What it has to do.
    pub work: Work,
    /// What it is there for.
    pub purpose: Purpose,
}

impl KernelRecord {
    /// What stands in the manifest of a kernel whose entries have such names, their endings aside.
    pub fn of(kernel: &Kernel, stem: &str, ending: &str) -> KernelRecord {
        let Kernel { name, source, binary, reads, writes, info, cubes, units, shared_bytes, work, purpose, .. } =
            kernel;
        KernelRecord {
            name: name.clone(),
            source: format!("{stem}.{ending}"),
            binary: binary
                .as_ref()
                .map(|code| BinaryRecord { entry: format!("{stem}.cubin"), sha256: Digest::of_kernel(source, code) }),
            reads: *reads,
            writes: *writes,
            info: info.clone(),
            cubes: *cubes,
            units: *units,
            shared_bytes: *shared_bytes,
            work: *work,
            purpose: purpose.clone(),
        }
    }
}

/// An input, a parameter or an output.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct PortRecord {
    /// Its path or name.
    pub name: String,
    /// `parameter`, `input` or `output`
    pub kind: String,
    /// Its whole type and its layout, as in program text.
    pub ty: String,
    /// Bytes on each device.
    pub bytes: u64,
    /// The entry that holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}
