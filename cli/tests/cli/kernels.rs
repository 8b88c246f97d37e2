//! `explain --kernels`: the GPU kernels of a program.

use crate::support::{Folder, partita};
use expect_test::expect;
use serde_json::Value;

/// An embedding lookup, a layer and a norm, on two devices.
const MODEL: &str = r#"form traced
mesh @m = [data=2]
param %t "table" : f32[50, 64]
param %w "up.weight" : f32[64, 256]
param %b "up.bias" : f32[256]
param %g "norm.gamma" : f32[256]
param %c "norm.beta" : f32[256]
input %i : i32[32@data]
  %x = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 64] %t, %i : f32[32, 64]
  %h = matmul %x, %w : f32[32, 256]
  %s = broadcast [1] %b : f32[32, 256]
  %a = add %h, %s : f32[32, 256]
  %r = gelu %a : f32[32, 256]
  %n = layer_norm eps 1e-5 %r, %g, %c : f32[32, 256]
  %loss = reduce sum [0, 1] %n : f32[]
output %loss "loss"
"#;

fn stdout_of(folder: &Folder, args: &[&str]) -> String {
    let ended = partita(folder, [&["explain", "model.pir", "--kernels"], args].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    ended.out
}

#[test]
fn kernels_have_work_and_bounds() {
    let folder = Folder::new("kernels");
    folder.write("model.pir", MODEL);
    expect![[r#"
        model.pir for cuda:sm_90 on 2 devices: 4 kernels, 4 launches per run

          kernel                                       launches     bytes     FLOP      time  share of run  bound by  computes                       source
          gather_f32_1024                                     1  12.0 KiB        0   2.56 ns         9.1 %  memory    gather                         line 9
          matmul_f32_16x64x256                                1  84.0 KiB  524.3 k  17.92 ns        63.5 %  memory    matmul                         line 10
          fused_add_gelu_layer_norm_f32_16x256                1  17.1 KiB   45.1 k   3.65 ns        12.9 %  memory    add, gelu, layer_norm          lines 12 to 14
          fused_add_gelu_layer_norm_reduce_f32_1x4096         1  19.1 KiB   61.4 k   4.08 ns        14.5 %  memory    add, gelu, layer_norm, reduce  lines 12 to 15

        bytes, FLOP and time are for one launch on one device
        time is the minimum on an H200, with 4.8 TB/s, 67.0 TFLOP/s, and 989.0 TFLOP/s on tensor cores
        (NVIDIA H200 Tensor Core GPU data sheet, SXM)
        a run takes at least 28.21 ns: it moves 132.3 KiB, computes 630.8 kFLOP, and is memory-bound for 100 % of that time
        1 collective is not included

        ops in a separate kernel
          gather_f32_1024 (gather): its read addresses depend on data
    "#]].assert_eq(&stdout_of(&folder, &[]));
    // Tensor cores speed up arithmetic. The GPU that runs WGSL is unknown.
    expect![[r#"
        model.pir for cuda:sm_90 on 2 devices: 5 kernels, 5 launches per run

          kernel                                               launches     bytes     FLOP      time  share of run  bound by  computes                                source
          gather_bf16_1024                                            1   8.0 KiB        0   2.45 ns        11.1 %  memory    gather                                  line 9
          matmul_bf16_16x64x256                                       1  42.0 KiB  524.3 k  12.84 ns        58.1 %  memory    matmul                                  line 10
          layer_norm_f32_512                                          1   3.0 KiB        0   0.92 ns         4.2 %  memory    layer_norm                              line 14
          fused_add_gelu_layer_norm_f32_16x256                        1   8.6 KiB   45.1 k   2.64 ns        11.9 %  memory    add, gelu, layer_norm                   lines 12 to 14
          fused_add_gelu_layer_norm_convert_reduce_f32_1x4096         1  10.6 KiB   61.4 k   3.25 ns        14.7 %  memory    add, gelu, layer_norm, convert, reduce  lines 12 to 15

        bytes, FLOP and time are for one launch on one device
        time is the minimum on an H100, with 3.4 TB/s, 67.0 TFLOP/s, and 989.0 TFLOP/s on tensor cores
        (NVIDIA H100 Tensor Core GPU data sheet, SXM)
        a run takes at least 22.09 ns: it moves 72.3 KiB, computes 630.8 kFLOP, and is memory-bound for 100 % of that time
        1 collective is not included

        ops in a separate kernel
          gather_bf16_1024 (gather): its read addresses depend on data
    "#]].assert_eq(&stdout_of(&folder, &["--precision", "bf16", "--machine", "h100"]));
    expect![[r#"
        model.pir for wgsl on 2 devices: 4 kernels, 4 launches per run

          kernel                                       launches     bytes     FLOP  computes                       source
          gather_f32_1024                                     1  12.0 KiB        0  gather                         line 9
          matmul_f32_16x64x256                                1  84.0 KiB  524.3 k  matmul                         line 10
          fused_add_gelu_layer_norm_f32_16x256                1  17.1 KiB   45.1 k  add, gelu, layer_norm          lines 12 to 14
          fused_add_gelu_layer_norm_reduce_f32_1x4096         1  19.1 KiB   61.4 k  add, gelu, layer_norm, reduce  lines 12 to 15

        bytes, FLOP and time are for one launch on one device
        a run moves 132.3 KiB and computes 630.8 kFLOP; the time depends on the GPU, which wgsl does not name: add `--machine H200`
        1 collective is not included

        ops in a separate kernel
          gather_f32_1024 (gather): its read addresses depend on data
    "#]].assert_eq(&stdout_of(&folder, &["--target", "wgsl"]));
}

#[test]
fn json_matches_text() {
    let folder = Folder::new("kernels_json");
    folder.write("model.pir", MODEL);
    expect![[r#"
        {
          "version": "0.1.0",
          "model": "model.pir",
          "target": "cuda:sm_80",
          "devices": 2,
          "stages": 1,
          "machine": {
            "name": "A100",
            "bytes_per_second": 2039000000000.0,
            "flops_per_second": 19500000000000.0,
            "tensor_flops_per_second": 312000000000000.0,
            "source": "NVIDIA A100 Tensor Core GPU data sheet, 80 GB SXM"
          },
          "kernels": [
            {
              "name": "gather_f32_1024",
              "launches": 1,
              "bytes": 12288,
              "flops": 0,
              "tensor_flops": 0,
              "seconds": 6.026483570377636e-9,
              "bound_by": "memory",
              "ops": [
                "gather"
              ],
              "places": [
                "line 9"
              ],
              "alone": "its read addresses depend on data"
            },
            {
              "name": "matmul_f32_16x64x256",
              "launches": 1,
              "bytes": 86016,
              "flops": 524288,
              "tensor_flops": 0,
              "seconds": 4.218538499264345e-8,
              "bound_by": "memory",
              "ops": [
                "matmul"
              ],
              "places": [
                "line 10"
              ]
            },
            {
              "name": "fused_add_gelu_layer_norm_f32_16x256",
              "launches": 1,
              "bytes": 17536,
              "flops": 45056,
              "tensor_flops": 0,
              "seconds": 8.600294261893085e-9,
              "bound_by": "memory",
              "ops": [
                "add",
                "gelu",
                "layer_norm"
              ],
              "places": [
                "line 12",
                "line 13",
                "line 14"
              ]
            },
            {
              "name": "fused_add_gelu_layer_norm_reduce_f32_1x4096",
              "launches": 1,
              "bytes": 19588,
              "flops": 61440,
              "tensor_flops": 0,
              "seconds": 9.606669936243256e-9,
              "bound_by": "memory",
              "ops": [
                "add",
                "gelu",
                "layer_norm",
                "reduce"
              ],
              "places": [
                "line 12",
                "line 13",
                "line 14",
                "line 15"
              ]
            }
          ],
          "totals": {
            "launches": 4,
            "bytes": 135428,
            "flops": 630784,
            "seconds": 6.641883276115742e-8,
            "memory_seconds": 6.641883276115742e-8,
            "meetings": 1
          }
        }
    "#]]
    .assert_eq(&stdout_of(&folder, &["--json", "--target", "cuda:sm_80"]));
}

#[test]
fn times_depend_on_the_machine() {
    let folder = Folder::new("kernels_machine");
    folder.write("model.pir", MODEL);
    let seconds = |machine: &str| -> Vec<f64> {
        let json: Value = serde_json::from_str(&stdout_of(&folder, &["--json", "--machine", machine])).unwrap();
        assert_eq!(json["machine"]["name"], machine);
        let kernels = json["kernels"].as_array().unwrap();
        let sum: f64 = kernels.iter().map(|k| k["seconds"].as_f64().unwrap() * k["launches"].as_f64().unwrap()).sum();
        assert!((json["totals"]["seconds"].as_f64().unwrap() / sum - 1.0).abs() < 1e-12);
        kernels.iter().map(|k| k["seconds"].as_f64().unwrap()).collect()
    };
    let (slow, fast) = (seconds("A100"), seconds("H200"));
    assert!(slow.iter().zip(&fast).all(|(slow, fast)| slow > fast), "{slow:?} {fast:?}");
}

#[test]
fn invalid_arguments_are_rejected() {
    let folder = Folder::new("kernels_refused");
    folder.write("model.pir", MODEL);
    let ended = partita(&folder, ["explain", "model.pir", "--kernels", "--machine", "H2000"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[C002]: unknown GPU `H2000`
          |
          = help: there is `H200`
    "#]]
    .assert_eq(&ended.err);
    let ended = partita(&folder, ["explain", "model.pir", "--kernels", "--target", "cuda"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[A005]: unknown target `cuda`: the targets are wgsl, hip, metal, spirv, and cuda:sm_NN, as in cuda:sm_90
          |
          = help: this build compiles for `wgsl`, `cuda:sm_80`, `cuda:sm_90`, `hip`, `metal`
    "#]]
    .assert_eq(&ended.err);
    let ended = partita(&folder, ["explain", "model.pir", "--machine", "H200"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.starts_with("error[C002]: nothing to explain"), "{}", ended.err);
}

/// A model without a mesh is a single-device program.
#[test]
fn one_device_needs_no_mesh() {
    let folder = Folder::new("kernels_alone");
    folder.write("model.pir", MODEL.replace("mesh @m = [data=2]\n", "").replace("@data", ""));
    let out = stdout_of(&folder, &[]);
    assert!(out.starts_with("model.pir for cuda:sm_90 on 1 device: 4 kernels, 4 launches per run\n"), "{out}");
}
