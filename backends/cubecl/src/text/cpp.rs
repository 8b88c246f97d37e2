//! The dialects of C++: CUDA, HIP and Metal.
//!
//! A kernel's parameters are its operands, then its results, then `info_st`, which CubeCL fills with lengths of buffers
//! and these kernels do not read.

use super::{Printed, device};
use crate::spec::Spec;
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

/// CUDA C++. `info_st` is passed by value.
#[cfg(feature = "cuda")]
pub(super) fn cuda(spec: &Spec, arch: u32) -> Result<Printed, String> {
    let features = CppSupportedFeatures { grid_constants: true, dp4a: true, ..Default::default() };
    let options = CompilationOptions { supports_features: features, ..Default::default() };
    let printed = print::<cubecl_cpp::target::Cuda>(spec, nvidia(arch), options, "__global__")?;
    // One block a multiprocessor is enough: the assembler would rather spill registers than have fewer blocks than it
    // thinks best.
    let bounds = |units: usize, least: &str| format!("__launch_bounds__({units}{least})");
    let source = printed.source.replacen(&bounds(spec.units(), ""), &bounds(spec.units(), ", 1"), 1);
    Ok(Printed { source, ..printed })
}

/// HIP C++, for RDNA 3. `info_st` is a pointer.
#[cfg(feature = "hip")]
pub(super) fn hip(spec: &Spec) -> Result<Printed, String> {
    let mut properties = device("gfx1100", hardware(32, 30, 64 << 10), MemoryDeviceProperties::new(1 << 32, 256));
    register_supported_types(&mut properties);
    register_planes(&mut properties);
    print::<cubecl_cpp::target::Hip>(spec, properties, CompilationOptions::default(), "__global__")
}

/// The Metal shading language. `info_st` is a buffer.
#[cfg(feature = "metal")]
pub(super) fn metal(spec: &Spec) -> Result<Printed, String> {
    let mut properties = device("metal3", hardware(32, 30, 32 << 10), MemoryDeviceProperties::new(1 << 32, 256));
    register_supported_types(&mut properties);
    register_planes(&mut properties);
    let options = CompilationOptions::default();
    let printed = print::<cubecl_cpp::target::Metal>(spec, properties, options, "[[kernel]]")?;
    Ok(Printed { source: with_sorted_builtins(&printed.source), ..printed })
}

/// The text with what the kernel asks to know behind its buffers in alphabetical order: CubeCL prints it in any.
#[cfg(feature = "metal")]
fn with_sorted_builtins(source: &str) -> String {
    let sorted = |line: &str| -> Option<String> {
        let (attributes, function) = line.split_once("[[kernel]]")?;
        let (name, params) = function.strip_suffix(") {")?.split_once('(')?;
        let mut params: Vec<&str> = params.split(", ").collect();
        // Buffers stay where they are.
        params.sort_by_key(|param| match param.split_once("[[") {
            Some((_, asked)) if !asked.starts_with("buffer") => asked.to_owned(),
            _ => String::new(),
        });
        Some(format!("{attributes}[[kernel]]{name}({}) {{", params.join(", ")))
    };
    let line = |line: &str| sorted(line).unwrap_or_else(|| line.to_owned());
    source.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

fn print<T: cubecl_cpp::target::CppTarget>(
    spec: &Spec,
    device: DeviceProperties,
    options: CompilationOptions,
    entry: &str,
) -> Result<Printed, String>
where
    CppCompiler<T>: Compiler<CompilationOptions = CompilationOptions, Representation = cubecl_cpp::ComputeKernel>,
{
    let kernel = spec.define(&Arc::new(device), &Arc::new(TargetProperties { mma: fragments() }));
    let kernel = CppCompiler::<T>::default().compile(kernel, &options).map_err(|e| e.to_string())?;
    // The entry point is the only function: its name is the last word before the first parameter list that is not an
    // attribute's.
    let before = kernel.source.split_once(entry).map_or("", |(_, behind)| behind);
    let opened = before.split('(').find(|part| !part.trim_end().ends_with("__launch_bounds__"));
    let name = opened.and_then(|part| part.split_whitespace().next_back()).unwrap_or_default().to_owned();
    Ok(Printed { source: kernel.source, name, shared_bytes: kernel.shared_memory_size })
}

/// What GPUs of NVIDIA of a compute capability have, times ten.
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

/// The same with what CubeK chooses its kernels by, and how they are printed.
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

/// How many multiprocessors the GPUs of NVIDIA of an architecture have for which CubeK chooses its kernels.
#[cfg(feature = "cubek")]
pub(crate) fn multiprocessors(arch: u32) -> u32 {
    if arch >= 90 { 132 } else { 108 }
}

/// What all of them have, but for these.
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

/// How fragments of matrices lie in registers of NVIDIA's GPUs; the others register no products by fragments.
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
