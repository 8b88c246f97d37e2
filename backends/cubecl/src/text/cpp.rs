//! Dialects of C++: CUDA, HIP and Metal.
//!
//! The parameters of a kernel are its operands, its results, and `info_st`, which contains buffer lengths that these
//! kernels do not read.

use super::{PrintedSource, device};
use crate::spec::KernelSpec;
use cubecl::Compiler;
use cubecl::cmma::MatrixLayout;
use cubecl::ir::features::Plane;
use cubecl::ir::{
    ContiguousElements, DeviceProperties, ElemType, FloatKind, HardwareProperties, MemoryDeviceProperties,
    MmaProperties, TargetProperties, features::TypeUsage,
};
use cubecl_cpp::register_supported_types;
use cubecl_cpp::shared::{CompilationOptions, CppCompiler, CppSupportedFeatures};
use std::sync::Arc;

/// Prints CUDA C++. `info_st` is passed by value.
#[cfg(feature = "cuda")]
pub(super) fn cuda(spec: &KernelSpec, arch: u32) -> Result<PrintedSource, String> {
    let features = CppSupportedFeatures { grid_constants: true, dp4a: true, ..Default::default() };
    let options = CompilationOptions { supports_features: features, ..Default::default() };
    let printed = print::<cubecl_cpp::target::Cuda>(spec, nvidia(arch), options, "__global__")?;
    // The bound of one block per multiprocessor prevents the assembler from spilling registers in favour of a higher
    // occupancy.
    let bounds = |units: usize, least: &str| format!("__launch_bounds__({units}{least})");
    let source = printed.source.replacen(&bounds(spec.units(), ""), &bounds(spec.units(), ", 1"), 1);
    Ok(PrintedSource { source, ..printed })
}

/// Prints HIP C++ for RDNA 3. `info_st` is a pointer.
#[cfg(feature = "hip")]
pub(super) fn hip(spec: &KernelSpec) -> Result<PrintedSource, String> {
    let mut properties = device("gfx1100", hardware(32, 30, 64 << 10), MemoryDeviceProperties::new(1 << 32, 256));
    register_supported_types(&mut properties);
    register_planes(&mut properties);
    print::<cubecl_cpp::target::Hip>(spec, properties, CompilationOptions::default(), "__global__")
}

/// Prints the Metal shading language. `info_st` is a buffer.
#[cfg(feature = "metal")]
pub(super) fn metal(spec: &KernelSpec) -> Result<PrintedSource, String> {
    let mut properties = device("metal3", hardware(32, 30, 32 << 10), MemoryDeviceProperties::new(1 << 32, 256));
    register_supported_types(&mut properties);
    register_planes(&mut properties);
    let options = CompilationOptions::default();
    let printed = print::<cubecl_cpp::target::Metal>(spec, properties, options, "[[kernel]]")?;
    Ok(PrintedSource { source: with_sorted_builtins(&printed.source), ..printed })
}

/// Returns the source with the built-in parameters after the buffers in alphabetical order, since CubeCL prints them in
/// arbitrary order.
#[cfg(feature = "metal")]
fn with_sorted_builtins(source: &str) -> String {
    let sorted = |line: &str| -> Option<String> {
        let (attributes, function) = line.split_once("[[kernel]]")?;
        let (name, params) = function.strip_suffix(") {")?.split_once('(')?;
        let mut params: Vec<&str> = params.split(", ").collect();
        // Buffers retain their positions.
        params.sort_by_key(|param| match param.split_once("[[") {
            Some((_, builtin)) if !builtin.starts_with("buffer") => builtin.to_owned(),
            _ => String::new(),
        });
        Some(format!("{attributes}[[kernel]]{name}({}) {{", params.join(", ")))
    };
    let line = |line: &str| sorted(line).unwrap_or_else(|| line.to_owned());
    source.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

fn print<T: cubecl_cpp::target::CppTarget>(
    spec: &KernelSpec,
    device: DeviceProperties,
    options: CompilationOptions,
    entry: &str,
) -> Result<PrintedSource, String>
where
    CppCompiler<T>: Compiler<CompilationOptions = CompilationOptions, Representation = cubecl_cpp::ComputeKernel>,
{
    let kernel = spec.define(&Arc::new(device), &Arc::new(TargetProperties { mma: fragments() }));
    let kernel = CppCompiler::<T>::default().compile(kernel, &options).map_err(|e| e.to_string())?;
    // The entry point is the only function: its name is the last word before the first parameter list that does not
    // belong to an attribute.
    let before = kernel.source.split_once(entry).map_or("", |(_, tail)| tail);
    let opened = before.split('(').find(|part| !part.trim_end().ends_with("__launch_bounds__"));
    let name = opened.and_then(|part| part.split_whitespace().next_back()).unwrap_or_default().to_owned();
    Ok(PrintedSource { source: kernel.source, name, shared_bytes: kernel.shared_memory_size })
}

/// Returns the device description of NVIDIA GPUs. `capability` is ten times the compute capability.
#[cfg(feature = "cuda")]
fn nvidia(capability: u32) -> DeviceProperties {
    use cubecl_cpp::cuda::{self, arch::CudaArchitecture, mma::CudaCmmaCompiler};
    use cubecl_cpp::shared::{register_mma_features, register_wmma_features};
    let shared_bytes = if capability >= 90 { 227 << 10 } else { 163 << 10 };
    let hardware = HardwareProperties {
        num_tensor_cores: Some(4),
        min_tensor_cores_dim: Some(8),
        ..hardware(32, 1024, shared_bytes)
    };
    let name = format!("sm_{capability}");
    let mut properties = device(&name, hardware, MemoryDeviceProperties::new(1 << 36, 256));
    register_supported_types(&mut properties);
    properties.register_type_usage(ElemType::Float(FloatKind::TF32), TypeUsage::Conversion);
    register_planes(&mut properties);
    properties.features.copy_async = true;
    let architecture = CudaArchitecture { version: capability, tensor_cores: true };
    register_wmma_features(CudaCmmaCompiler::Cpp.supported_cmma_combinations(&architecture), &mut properties);
    register_mma_features(cuda::supported_mma_combinations(&architecture), &mut properties);
    properties
}

/// Returns the device description that CubeK uses to select kernels, and the compilation options.
#[cfg(feature = "cubek")]
pub(crate) fn nvidia_target(capability: u32) -> (DeviceProperties, TargetProperties, CompilationOptions) {
    let mut properties = nvidia(capability);
    properties.hardware.max_vector_size = cubecl::ir::VectorSize::MAX;
    properties.hardware.num_streaming_multiprocessors = Some(multiprocessors(capability));
    properties.features.plane.insert(Plane::NonUniformControlFlow);
    let features = CppSupportedFeatures { grid_constants: true, ..Default::default() };
    let options = CompilationOptions { supports_features: features, ..Default::default() };
    (properties, TargetProperties { mma: fragments() }, options)
}

/// Returns the number of multiprocessors for which CubeK selects kernels.
#[cfg(feature = "cubek")]
pub(crate) fn multiprocessors(arch: u32) -> u32 {
    if arch >= 90 { 132 } else { 108 }
}

/// Returns the hardware limits, which all three dialects share except for the arguments.
fn hardware(plane: u32, max_bindings: u32, max_shared_memory_size: usize) -> HardwareProperties {
    HardwareProperties {
        max_cube_count: (i32::MAX as u32, 65535, 65535),
        max_units_per_cube: 1024,
        max_cube_dim: (1024, 1024, 64),
        ..super::hardware([plane; 2], max_bindings, max_shared_memory_size)
    }
}

fn register_planes(properties: &mut DeviceProperties) {
    properties.features.plane.insert(Plane::Ops);
    properties.features.plane.insert(Plane::Sync);
    properties.features.memory_reinterpret = true;
    properties.features.alignment = true;
}

/// Returns the register layout of matrix fragments on NVIDIA GPUs. The other targets register no such instructions.
fn fragments() -> MmaProperties {
    MmaProperties {
        register_size_bits: 32,
        const_plane_size: 32,
        register_layout_a: MatrixLayout::RowMajor,
        register_layout_b: MatrixLayout::ColMajor,
        register_layout_acc: MatrixLayout::RowMajor,
        register_duplication_a: 1,
        register_duplication_b: 1,
        register_duplication_acc: 1,
        contiguous_elements: ContiguousElements::new(cubecl_cpp::cuda::mma::manual::contiguous_elements_cuda),
    }
}
