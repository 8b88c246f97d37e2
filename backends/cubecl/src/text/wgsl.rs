//! WGSL: one group of bindings with the operands, then the results, then a buffer that CubeCL wants and these kernels do not read.

use super::{Printed, device};
use crate::spec::Spec;
use cubecl::Compiler;
use cubecl::ir::{DeviceProperties, HardwareProperties, MemoryDeviceProperties, TargetProperties};
use cubecl_wgpu::WgslCompiler;
use std::sync::Arc;

pub(super) fn print(spec: &Spec) -> Result<Printed, String> {
    let kernel = spec.define(&Arc::new(webgpu()), &Arc::new(TargetProperties { mma: Default::default() }));
    let compiled = WgslCompiler.compile(kernel, &Default::default()).map_err(|e| e.to_string())?;
    let source = compiled.to_string();
    let entry = source.split_once("@compute").and_then(|(_, behind)| behind.split_once("fn ")?.1.split_once('('));
    let name = entry.map_or(String::new(), |(name, _)| name.into());
    Ok(Printed { source, name, shared_bytes: compiled.shared_memory_size })
}

/// What every device with WebGPU has.
fn webgpu() -> DeviceProperties {
    let hardware = HardwareProperties {
        load_width: 128,
        vector_register_count: None,
        plane_size_min: 1,
        plane_size_max: 1,
        max_bindings: 8,
        max_shared_memory_size: 16 << 10,
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
    device("webgpu", hardware, MemoryDeviceProperties::new(1 << 30, 256))
}
