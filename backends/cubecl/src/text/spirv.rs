//! SPIR-V, in the text form of its disassembler. The bindings are those of WGSL.

use super::{PrintedSource, device, hardware};
use crate::spec::KernelSpec;
use cubecl::Compiler;
use cubecl::ir::{MemoryDeviceProperties, TargetProperties};
use cubecl_spirv::SpirvCompiler;
use std::sync::Arc;

pub(super) fn print(spec: &KernelSpec) -> Result<PrintedSource, String> {
    let device = device("vulkan", hardware([32, 32], 8, 32 << 10), MemoryDeviceProperties::new(1 << 30, 256));
    let kernel = spec.define(&Arc::new(device), &Arc::new(TargetProperties { mma: Default::default() }));
    let mut options = cubecl::WgpuCompilationOptions::default();
    options.supports_vulkan_compiler = true;
    options.vulkan.max_vector_size = 4;
    options.vulkan.max_spirv_version = (1, 5);
    options.vulkan.push_constant_size = 128;
    let compiled = SpirvCompiler::default().compile(kernel, &options).map_err(|e| e.to_string())?;
    let source = compiled.to_string();
    let name = source.split_once("OpEntryPoint").and_then(|(_, tail)| tail.split('"').nth(1)).unwrap_or_default();
    Ok(PrintedSource { name: name.to_owned(), source, shared_bytes: compiled.shared_size })
}
