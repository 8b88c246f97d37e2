//! The manifest, which is the first entry of an artefact and describes the others.

use super::digest::Digest;
use crate::module::{Kernel, Purpose, Work};
use serde::{Deserialize, Serialize};

/// Name of the manifest's entry.
pub const MANIFEST: &str = "manifest.json";
/// Name of the entry with the local program, if there is one stage.
pub const PROGRAM: &str = "program.pir";
/// Name of the entry with the unpartitioned program.
pub const UNPARTITIONED: &str = "made.pir";
/// Name of the entry with the plan.
pub const PLAN: &str = "plan.toml";
/// Kind of ports that are parameters.
pub const PARAMETER: &str = "parameter";
/// Name of the entry with parameters.
pub const WEIGHTS: &str = "weights.safetensors";

/// The fields from which the format of a manifest of any version is determined.
#[derive(Deserialize)]
pub struct Format {
    /// Version of the file format.
    pub format: u32,
    /// Version of Partita that wrote the file.
    #[serde(default)]
    pub version: String,
}

/// Contents of an artefact.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the file format.
    pub format: u32,
    /// Version of Partita that wrote the file.
    pub version: String,
    /// Name of the model in messages.
    pub model: String,
    /// Axes of the mesh, as name and size; empty for a pipeline, whose stages have separate meshes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mesh: Vec<(String, u32)>,
    /// Stages of a pipeline; empty for a program on one mesh.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<StageRecord>,
    /// Values sent between stages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transfers: Vec<TransferRecord>,
    /// Kernels of each target.
    pub targets: Vec<TargetRecord>,
    /// Inputs in order; empty for a pipeline, whose stages list them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<PortRecord>,
    /// Outputs in order; empty for a pipeline, whose stages list them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<PortRecord>,
    /// The other entries, in the order of the file.
    pub entries: Vec<EntryRecord>,
}

/// A stage of a pipeline.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct StageRecord {
    /// Axes of the stage's mesh, as name and size.
    pub mesh: Vec<(String, u32)>,
    /// Entries with the programs of the stage's tasks.
    pub programs: Vec<String>,
    /// Inputs that do not come from another stage.
    pub inputs: Vec<PortRecord>,
    /// Outputs of the stage.
    pub outputs: Vec<PortRecord>,
}

/// A value sent from one stage to another, or between chunks of one stage.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct TransferRecord {
    /// Name of the value.
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
    /// Index of the stage.
    pub stage: usize,
    /// Type and layout of the value on this stage, in `.pir` syntax.
    pub ty: String,
}

/// An entry of the file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct EntryRecord {
    /// Name of the entry.
    pub name: String,
    /// Length of the uncompressed entry, in bytes.
    pub bytes: u64,
    /// XXH3 checksum of the uncompressed entry, in hexadecimal digits.
    pub xxh3: String,
}

/// Kernels and schedules for one target, whose entries are in a separate folder.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct TargetRecord {
    /// Name of the target, such as `wgsl` or `cuda:sm_90`.
    pub target: String,
    /// Names and versions of the compilers that produced the kernels.
    pub toolchain: String,
    /// Frame size in bytes on each device, for each stage.
    pub frame_bytes: Vec<u64>,
    /// Kernels in the order of their indices in the schedule.
    pub kernels: Vec<KernelRecord>,
    /// The collective kernel, if it was compiled to machine code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collective: Option<CollectiveRecord>,
}

/// The collective kernel, which depends on the version of Partita and not on the program.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct CollectiveRecord {
    /// Entry with the source. A version with a different source ignores the machine code and compiles its own.
    pub source: String,
    /// Machine code of the kernel, as produced by the compiler.
    pub binary: BinaryRecord,
}

/// Machine code and the digest of its source.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct BinaryRecord {
    /// Entry with the machine code.
    pub entry: String,
    /// Digest of the kernel's source and the machine code. Code that was compiled from another source is not loaded.
    pub sha256: Digest,
}

/// A kernel, without its source.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct KernelRecord {
    /// Name of the kernel's entry point.
    pub name: String,
    /// Entry with the source.
    pub source: String,
    /// Machine code of the kernel, as produced by the compiler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<BinaryRecord>,
    /// Number of buffers that are read; their parameters come first.
    pub reads: usize,
    /// Number of buffers that are written.
    pub writes: usize,
    /// The last parameter, in 32-bit words.
    pub info: Vec<u32>,
    /// Grid size, in thread blocks.
    pub cubes: [u32; 3],
    /// Block size, in threads.
    pub units: [u32; 3],
    /// Shared memory of a block, in bytes.
    pub shared_bytes: usize,
    /// Arithmetic operations and memory traffic of the kernel.
    pub work: Work,
    /// Origin of the kernel in the program, for reports.
    pub purpose: Purpose,
}

impl KernelRecord {
    /// Returns the record of a kernel whose entries have this stem and, for the source, this file extension.
    pub fn from_kernel(kernel: &Kernel, stem: &str, extension: &str) -> KernelRecord {
        let Kernel { name, source, binary, reads, writes, info, cubes, units, shared_bytes, work, purpose, .. } =
            kernel;
        KernelRecord {
            name: name.clone(),
            source: format!("{stem}.{extension}"),
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
    /// Path of a parameter, or name of an input or output.
    pub name: String,
    /// One of `parameter`, `input` and `output`.
    pub kind: String,
    /// Global type and layout, in `.pir` syntax.
    pub ty: String,
    /// Size on each device in bytes, with 4 bytes per element. Targets with half precision store half-precision values
    /// in half of this size.
    pub bytes: u64,
    /// Entry with the values, for parameters with weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}
