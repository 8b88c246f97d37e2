//! WGSL: one group of bindings with the operands, then the results, then a buffer that CubeCL wants and these kernels
//! do not read.

use super::{Printed, device, hardware};
use crate::spec::Spec;
use cubecl::Compiler;
use cubecl::ir::{DeviceProperties, MemoryDeviceProperties, TargetProperties};
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
    device("webgpu", hardware([1, 1], 8, 16 << 10), MemoryDeviceProperties::new(1 << 30, 256))
}
