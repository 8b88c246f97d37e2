//! Kernel text in each language.

use super::*;
use crate::kernels::steps::{AddressMap, AddressTerm, RegClass, Step};
use expect_test::expect;
use partita_ir::ops::{BinaryOp, UnaryOp};

/// The kernel of `relu(x * w)`, with 50 elements of `w`.
fn product() -> KernelSpec {
    let at = |size| AddressMap { offset: 0, terms: vec![AddressTerm { divisor: 1, size, stride: 1 }] };
    let class = RegClass::F32;
    let steps = vec![
        Step::Load { memory: 0, at: at(None), class },
        Step::Load { memory: 1, at: at(Some(50)), class },
        Step::Binary { op: BinaryOp::Mul, class, a: 0, b: 1 },
        Step::Unary { op: UnaryOp::Relu, class, a: 2 },
        Step::Store { memory: 0, at: at(None), class, a: 3 },
    ];
    KernelSpec::Pointwise { reads: 2, writes: 1, count: 6000, steps }
}

#[cfg(feature = "wgsl")]
#[test]
fn wgsl_source_of_a_product() {
    let text = printed(&product(), "mul_relu", Target::Wgsl).unwrap().source;
    expect![[r#"
        @group(0) @binding(2) var<storage, read_write> v0: array<u32>;
        @group(0) @binding(1) var<storage, read_write> v1: array<u32>;
        @group(0) @binding(0) var<storage, read_write> v2: array<u32>;
        struct info_st { static_meta: array<u32, 4> }
        @group(0) @binding(3) var<storage, read> info_var: info_st;
        @compute @workgroup_size(256, 1, 1)
        fn mul_relu(@builtin(workgroup_id) v3: vec3<u32>, @builtin(num_workgroups) v4: vec3<u32>, @builtin(local_invocation_index) v5: u32) {
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

#[cfg(feature = "cuda")]
#[test]
fn cuda_source_of_a_product() {
    let text = printed(&product(), "mul_relu", Target::Cuda { arch: 80 }).unwrap().source;
    expect![[r#"
        typedef unsigned int uint32_t;
        typedef unsigned char uint8_t;
        typedef unsigned short uint16_t;
        typedef unsigned long long int uint64_t;
        typedef signed char int8_t;
        typedef signed short int16_t;
        typedef signed int int32_t;
        typedef signed long long int int64_t;

        template <typename T, size_t N>
        struct array {
            T data[N];
            __device__ T& operator[](size_t i) { return data[i]; }
            __device__ const T& operator[](size_t i) const { return data[i]; }
        };


        typedef struct CUtensorMap_st {
        alignas(128) unsigned long long int opaque[16];
        } CUtensorMap;

        struct info_st {
            uint32_t static_meta[4];
        };
        extern "C" __global__ void __launch_bounds__(256, 1)  mul_relu(uint32_t const* const __restrict__ v0, uint32_t const* const __restrict__ v1, uint32_t * const __restrict__ v2, __grid_constant__ info_st const info_v3) {
        uint32_t const v4 = blockIdx.z;
        uint32_t const v5 = uint32_t(v4);
        uint32_t const v6 = gridDim.y;
        uint32_t const v7 = uint32_t(v6);
        uint32_t const v8 = v5 * v7;
        uint32_t const v9 = gridDim.x;
        uint32_t const v10 = uint32_t(v9);
        uint32_t const v11 = v8 * v10;
        uint32_t const v12 = blockIdx.y;
        uint32_t const v13 = uint32_t(v12);
        uint32_t const v14 = v13 * v10;
        uint32_t const v15 = v11 + v14;
        uint32_t const v16 = blockIdx.x;
        uint32_t const v17 = uint32_t(v16);
        uint32_t const v18 = v15 + v17;
        uint32_t const v19 = 256;
        uint32_t const v20 = v18 * v19;
        uint32_t const v21 = threadIdx.x;
        uint32_t const v22 = uint32_t(v21);
        uint32_t const v23 = v20 + v22;
        uint32_t const v24 = 6000;
        bool const v25 = v23 < v24;
        if(v25) {
        uint32_t const* const v26 = &v0[v23];
        uint32_t const v27 = *v26;
        float const v28 = reinterpret_cast<const float&>(v27);
        uint32_t const v29 = 50;
        uint32_t const v30 = v23 % v29;
        uint32_t const* const v31 = &v1[v30];
        uint32_t const v32 = *v31;
        float const v33 = reinterpret_cast<const float&>(v32);
        float const v34 = v28 * v33;
        float const v35 = 0;
        bool const v36 = v34 < v35;
        float const v37 = v36 ? v35 : v34;
        uint32_t const v38 = reinterpret_cast<const uint32_t&>(v37);
        uint32_t * const v39 = &v2[v23];
        *v39 = v38;
        }
        return;
        }
    "#]].assert_eq(&text);
}

#[cfg(feature = "hip")]
#[test]
fn hip_source_of_a_product() {
    let text = printed(&product(), "mul_relu", Target::Hip).unwrap().source;
    expect![[r#"
        float const v30 = reinterpret_cast<const float&>(v29);
        float const v35 = reinterpret_cast<const float&>(v34);
        float const v36 = v30 * v35;
        float const v37 = 0;
        float const v39 = v38 ? v37 : v36;"#]]
    .assert_eq(&declarations_and_arithmetic(&text));
}

#[cfg(feature = "metal")]
#[test]
fn metal_source_of_a_product() {
    let text = printed(&product(), "mul_relu", Target::Metal).unwrap().source;
    expect![[r#"
        float const v32 = reinterpret_cast<const thread float&>(v31);
        float const v37 = reinterpret_cast<const thread float&>(v36);
        float const v38 = v32 * v37;
        float const v39 = 0;
        float const v41 = v40 ? v39 : v38;"#]]
    .assert_eq(&declarations_and_arithmetic(&text));
}

#[cfg(feature = "spirv")]
#[test]
fn spirv_source_of_a_product() {
    let text = printed(&product(), "mul_relu", Target::Spirv).unwrap().source;
    expect![[""]].assert_eq(&declarations_and_arithmetic(&text));
}

/// Returns the lines with the entry point and the arithmetic.
fn declarations_and_arithmetic(text: &str) -> String {
    let is_shown = |line: &&str| ["kernel(", "OpEntryPoint", "float const", "OpFMul"].iter().any(|s| line.contains(s));
    text.lines().filter(is_shown).collect::<Vec<_>>().join("\n")
}
