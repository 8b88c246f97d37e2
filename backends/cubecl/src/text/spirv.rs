//! SPIR-V, as the text that its disassembler prints. The interface is that of WGSL.

use super::{Printed, device, hardware};
use crate::spec::Spec;
use cubecl::Compiler;
use cubecl::ir::{MemoryDeviceProperties, TargetProperties};
use cubecl_spirv::SpirvCompiler;
use std::sync::Arc;

pub(super) fn print(spec: &Spec) -> Result<Printed, String> {
    let device = device("vulkan", hardware([32, 32], 8, 32 << 10), MemoryDeviceProperties::new(1 << 30, 256));
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
