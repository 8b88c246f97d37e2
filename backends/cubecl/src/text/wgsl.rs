//! WGSL. One bind group contains the operands, the results, and a buffer that CubeCL requires and these kernels do not
//! read.

use super::{PrintedSource, device, hardware};
use crate::spec::KernelSpec;
use cubecl::Compiler;
use cubecl::ir::{DeviceProperties, MemoryDeviceProperties, TargetProperties};
use cubecl_wgpu::WgslCompiler;
use std::sync::Arc;

pub(super) fn print(spec: &KernelSpec) -> Result<PrintedSource, String> {
    let kernel = spec.define(&Arc::new(webgpu()), &Arc::new(TargetProperties { mma: Default::default() }));
    let compiled = WgslCompiler.compile(kernel, &Default::default()).map_err(|e| e.to_string())?;
    let source = compiled.to_string();
    let entry = source.split_once("@compute").and_then(|(_, tail)| tail.split_once("fn ")?.1.split_once('('));
    let name = entry.map_or(String::new(), |(name, _)| name.into());
    Ok(PrintedSource { source, name, shared_bytes: compiled.shared_memory_size })
}

/// Returns the limits that every WebGPU device supports.
fn webgpu() -> DeviceProperties {
    device("webgpu", hardware([1, 1], 8, 16 << 10), MemoryDeviceProperties::new(1 << 30, 256))
}
