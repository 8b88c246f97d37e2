//! SPIR-V, as the text that its disassembler prints. The interface is that of WGSL.

use super::{Printed, device};
use crate::spec::Spec;
use cubecl::Compiler;
use cubecl::ir::{HardwareProperties, MemoryDeviceProperties, TargetProperties};
use cubecl_spirv::SpirvCompiler;
use std::sync::Arc;

pub(super) fn print(spec: &Spec) -> Result<Printed, String> {
    let hardware = HardwareProperties {
        load_width: 128,
        vector_register_count: None,
        plane_size_min: 32,
        plane_size_max: 32,
        max_bindings: 8,
        max_shared_memory_size: 32 << 10,
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
    };
    let device = device("vulkan", hardware, MemoryDeviceProperties::new(1 << 30, 256));
    let kernel = spec.define(&Arc::new(device), &Arc::new(TargetProperties { mma: Default::default() }));
    let mut options = cubecl::WgpuCompilationOptions::default();
    options.supports_vulkan_compiler = true;
    options.vulkan.max_vector_size = 4;
    options.vulkan.max_spirv_version = (1, 5);
    options.vulkan.push_constant_size = 128;
    let compiled = SpirvCompiler::default().compile(kernel, &options).map_err(|e| e.to_string())?;
    let source = compiled.to_string();
    let name = source.split_once("OpEntryPoint").and_then(|(_, behind)| behind.split('"').nth(1)).unwrap_or_default();
    Ok(Printed { name: name.to_owned(), source, shared_bytes: compiled.shared_size })
}
