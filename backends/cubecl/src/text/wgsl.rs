//! WGSL, the shading language of WebGPU.

use super::renamed;
use crate::spec::Spec;
use cubecl::Compiler;
use cubecl::ir::{DeviceIdentity, DeviceProperties, HardwareProperties, MemoryDeviceProperties, TargetProperties};
use cubecl_wgpu::WgslCompiler;
use partita_ir::diag::{Code, Diagnostic};
use std::sync::Arc;

/// A kernel as WGSL, the shading language of WebGPU: one group of bindings with the operands, then the results, then a buffer that
/// CubeCL wants and these kernels do not read; and how many bytes the units of a cube share.
///
/// # Errors
/// `R004` when CubeCL refuses the kernel.
pub(crate) fn wgsl(spec: &Spec) -> Result<(String, usize), Diagnostic> {
    let device = Arc::new(webgpu());
    let target = Arc::new(TargetProperties { mma: Default::default() });
    let kernel = spec.define(&device, &target);
    let refused = |why: String| Diagnostic::new(Code::R004, format!("no WGSL of kernel `{}`", spec.name())).note(why);
    let compiled = WgslCompiler.compile(kernel, &Default::default());
    let compiled = compiled.map_err(|e| refused(e.to_string()))?;
    let text = compiled.to_string();
    let entry = text.split_once("@compute").and_then(|(_, behind)| behind.split_once("fn ")?.1.split_once('('));
    let (name, _) = entry.ok_or_else(|| refused("it has no entry point".into()))?;
    Ok((renamed(&text, name), compiled.shared_memory_size))
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
    let memory = MemoryDeviceProperties::new(1 << 30, 256);
    let identity = DeviceIdentity { name: "webgpu".into(), fingerprint: "webgpu".into(), physical: None };
    let timing = cubecl::profile::TimingMethod::Device;
    DeviceProperties::new(Default::default(), memory, hardware, timing, identity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::steps::{At, Lane, Step, Term};
    use expect_test::expect;
    use partita_ir::ops::{BinaryOp, UnaryOp};

    #[test]
    fn a_kernel_is_what_its_program_says() {
        let at = |size| At { offset: 0, terms: vec![Term { divisor: 1, size, stride: 1 }] };
        let lane = Lane::F32;
        let steps = vec![
            Step::Load { memory: 0, at: at(None), lane },
            Step::Load { memory: 1, at: at(Some(50)), lane },
            Step::Binary { op: BinaryOp::Mul, lane, a: 0, b: 1 },
            Step::Unary { op: UnaryOp::Relu, lane, a: 2 },
            Step::Store { memory: 0, at: at(None), lane, a: 3 },
        ];
        let (text, _) = wgsl(&Spec::Pointwise { reads: 2, writes: 1, count: 6000, steps }).unwrap();
        expect![[r#"
            @group(0) @binding(2) var<storage, read_write> v0: array<u32>;
            @group(0) @binding(1) var<storage, read_write> v1: array<u32>;
            @group(0) @binding(0) var<storage, read_write> v2: array<u32>;
            struct info_st { static_meta: array<u32, 4> }
            @group(0) @binding(3) var<storage, read> info_var: info_st;
            @compute @workgroup_size(256, 1, 1)
            fn main(@builtin(workgroup_id) v3: vec3<u32>, @builtin(num_workgroups) v4: vec3<u32>, @builtin(local_invocation_index) v5: u32) {
            let v6 = &v0;
            let v7 = &v1;
            let v8 = &v2;
            let v9 = u32(0);
            let v10 = v3[2];
            let v11 = u32(v10);
            let v12 = v4[1];
            let v13 = u32(v12);
            let v14 = v11 * v13;
            let v15 = v4[0];
            let v16 = u32(v15);
            let v17 = v14 * v16;
            let v18 = v3[1];
            let v19 = u32(v18);
            let v20 = v19 * v16;
            let v21 = v17 + v20;
            let v22 = v3[0];
            let v23 = u32(v22);
            let v24 = v21 + v23;
            let v25 = u32(256);
            let v26 = v24 * v25;
            let v27 = v5;
            let v28 = u32(v27);
            let v29 = v26 + v28;
            let v30 = u32(6000);
            let v31 = v29 < v30;
            if v31 {
            var<function> v32_store: u32;
            let v32 = &v32_store;
            *v32 = v9;
            let v33 = *v32;
            let v34 = v33 + v29;
            *v32 = v34;
            let v35 = *v32;
            let v36 = &(*v8)[v35];
            let v37 = *v36;
            let v38 = bitcast<f32>(v37);
            var<function> v39_store: u32;
            let v39 = &v39_store;
            *v39 = v9;
            let v40 = u32(50);
            let v41 = v29 % v40;
            let v42 = *v39;
            let v43 = v42 + v41;
            *v39 = v43;
            let v44 = *v39;
            let v45 = &(*v7)[v44];
            let v46 = *v45;
            let v47 = bitcast<f32>(v46);
            let v48 = v38 * v47;
            let v49 = f32(0.0);
            let v50 = v48 < v49;
            let v51 = select(v48, v49, v50);
            var<function> v52_store: u32;
            let v52 = &v52_store;
            *v52 = v9;
            let v53 = *v52;
            let v54 = v53 + v29;
            *v52 = v54;
            let v55 = *v52;
            let v56 = bitcast<u32>(v51);
            let v57 = &(*v6)[v55];
            *v57 = v56;

            }
            return;

            }
        "#]].assert_eq(&text);
    }
}
