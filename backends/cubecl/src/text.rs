//! Kernel source text, printed by CubeCL's compilers. They need no device, and their output is the same in every
//! process.

#[cfg(any(feature = "cuda", feature = "hip", feature = "metal"))]
pub(crate) mod cpp;
#[cfg(feature = "spirv")]
mod spirv;
#[cfg(test)]
mod tests;
#[cfg(feature = "wgsl")]
mod wgsl;

use crate::spec::KernelSpec;
use cubecl::ir::{DeviceIdentity, DeviceProperties, HardwareProperties, MemoryDeviceProperties};
use partita_gpu::Target;
use partita_gpu::module::Kernel;
use partita_ir::diag::{Code, Diagnostic};
use rustc_hash::FxHashMap;

/// Returns the versions of the code generators, as pinned in the workspace.
pub(crate) fn toolchain(target: Target) -> String {
    match target {
        Target::Cuda { .. } if cfg!(feature = "cubek") => "CubeCL 0.11.3, CubeK 0.3.1".into(),
        _ => "CubeCL 0.11.3".into(),
    }
}

/// Output of a CubeCL compiler.
struct PrintedSource {
    source: String,
    /// Name of the entry point; empty if none is found.
    name: String,
    /// Shared memory of a cube, in bytes.
    shared_bytes: usize,
}

/// Prints a kernel with a name for a target.
///
/// # Errors
/// Returns `R004` if CubeCL rejects the kernel, and for targets that this build does not include.
pub(crate) fn printed(spec: &KernelSpec, name: &str, target: Target) -> Result<Kernel, Diagnostic> {
    let text = match target {
        #[cfg(feature = "wgsl")]
        Target::Wgsl => wgsl::print(spec),
        #[cfg(feature = "cuda")]
        Target::Cuda { arch } => cpp::cuda(spec, arch),
        #[cfg(feature = "hip")]
        Target::Hip => cpp::hip(spec),
        #[cfg(feature = "metal")]
        Target::Metal => cpp::metal(spec),
        #[cfg(feature = "spirv")]
        Target::Spirv => spirv::print(spec),
        #[allow(unreachable_patterns, reason = "a build may include all targets")]
        _ => return Err(Diagnostic::new(Code::R004, format!("this build does not include kernels for {target}"))),
    };
    let rejected = |reason: String| {
        Diagnostic::new(Code::R004, format!("cannot generate kernel `{name}` for {target}")).note(reason)
    };
    let PrintedSource { source, name: printed, shared_bytes } = text.map_err(rejected)?;
    if printed.is_empty() {
        return Err(rejected("the generated source has no entry point".into()));
    }
    let (reads, writes) = spec.buffers();
    Ok(Kernel {
        name: name.to_owned(),
        source: renamed(&source, &printed, name),
        binary: None,
        reads,
        writes,
        info: vec![0; info_words(spec)],
        cubes: spec.grid(),
        units: [spec.units() as u32, 1, 1],
        shared_bytes,
        work: spec.work(),
        purpose: Default::default(),
    })
}

/// Returns the number of words of `info_st`: the length of each buffer as an address, in pairs of words. These kernels
/// do not read them.
fn info_words(spec: &KernelSpec) -> usize {
    let (reads, writes) = spec.buffers();
    let buffers = reads + writes;
    if spec.has_64_bit_addresses() { 2 * buffers } else { buffers.next_multiple_of(2) }
}

/// Replaces names that differ between processes: CubeCL's name of the entry point is a hash, and variables have
/// process-wide numbers.
pub(crate) fn renamed(text: &str, name: &str, entry: &str) -> String {
    let mut numbers: FxHashMap<&str, usize> = FxHashMap::default();
    let mut out = String::with_capacity(text.len());
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        if word == name {
            out.push_str(entry);
        } else {
            // `v12`, `v12_store`, `shared_v12`, `info_v12`
            for (i, part) in word.split('_').enumerate() {
                let between = if i > 0 { "_" } else { "" };
                if is_variable(part) {
                    let next = numbers.len();
                    out.push_str(&format!("{between}v{}", numbers.entry(part).or_insert(next)));
                } else {
                    out.push_str(between);
                    out.push_str(part);
                }
            }
        }
        let gap = tail.find(is_word).unwrap_or(tail.len());
        out.push_str(&tail[..gap]);
        rest = &tail[gap..];
    }
    out
}

fn is_variable(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns the limits that WebGPU guarantees. `planes` contains the minimum and maximum number of units of a plane.
fn hardware(planes: [u32; 2], max_bindings: u32, max_shared_memory_size: usize) -> HardwareProperties {
    HardwareProperties {
        load_width: 128,
        vector_register_count: None,
        plane_size_min: planes[0],
        plane_size_max: planes[1],
        max_bindings,
        max_shared_memory_size,
        max_cube_count: (65535, 65535, 65535),
        max_units_per_cube: 256,
        max_cube_dim: (256, 256, 64),
        num_streaming_multiprocessors: None,
        num_tensor_cores: None,
        min_tensor_cores_dim: None,
        num_cpu_cores: None,
        last_level_cache_size: None,
        max_vector_size: 4,
        cube_mma_reserved_shared_memory: 0,
    }
}

/// Returns the device description that CubeCL requires.
fn device(name: &str, hardware: HardwareProperties, memory: MemoryDeviceProperties) -> DeviceProperties {
    let identity = DeviceIdentity { name: name.into(), fingerprint: name.into(), physical: None };
    DeviceProperties::new(Default::default(), memory, hardware, cubecl::profile::TimingMethod::Device, identity)
}
