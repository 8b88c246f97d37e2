//! Diagnostics and choices for simulated machines of various kinds.

use super::*;
use std::fmt::Write;

fn gpu(name: &str, arch: u32) -> Gpu {
    Gpu { name: name.into(), arch, memory: 80 << 30 }
}

fn machine(gpus: &[Gpu], has_libraries: bool) -> CudaEnvironment {
    let library = |version: &str, at: &str| match has_libraries {
        true => Ok((version.to_owned(), at.to_owned())),
        false => Err(format!("{at} is not in /usr/local/cuda")),
    };
    CudaEnvironment {
        driver: Ok("12.9".into()),
        gpus: gpus.to_vec(),
        nvrtc: library("12.9", "libnvrtc.so"),
        nccl: library("2.27.5", "libnccl.so"),
        cublaslt: library("12.9.1", "libcublasLt.so"),
    }
}

/// Returns the choice as text, or the diagnostic.
fn placed(gpus: &CudaEnvironment, kernel_sets: &[(u32, bool)], ranks: usize) -> String {
    let kernel_sets: Vec<KernelSet> =
        kernel_sets.iter().map(|&(arch, has_machine_code)| KernelSet { arch, has_machine_code }).collect();
    match gpus.choose_kernels("mlp.pir", &kernel_sets, ranks) {
        Ok((at, placement)) => format!("{at} {placement:?}"),
        Err(e) => {
            let mut text = format!("{}: {}", e.code.name(), e.title);
            e.notes.iter().for_each(|note| _ = write!(text, "\n  {note}"));
            e.helps.iter().for_each(|help| _ = write!(text, "\n  help: {}", help.text));
            text
        }
    }
}

#[test]
fn machine_code_and_newest_supported_architecture_are_preferred() {
    let (a100, a10, h200) = ([gpu("A100", 80)], [gpu("A10", 86)], [gpu("H200", 90)]);
    let both = [(80, true), (90, true)];
    for (gpus, kernel_sets, want) in [
        (&a100, &both[..], "0 Shared"),
        (&a10, &both, "0 Shared"),
        (&h200, &both, "1 Shared"),
        (&h200, &[(80, false), (90, false)], "1 Shared"),
        // A newer generation does not run older machine code; the source is compiled for the GPU.
        (&h200, &[(80, true)], "0 Shared"),
        (&a100, &[(86, true), (90, true)], "0 Shared"),
    ] {
        assert_eq!(placed(&machine(gpus, true), kernel_sets, 1), want, "{} {kernel_sets:?}", gpus[0].name);
    }
    assert_eq!(placed(&machine(&a10, false), &both, 1), "0 Shared");
}

#[test]
fn an_unsupported_architecture_is_reported() {
    let a100 = machine(&[gpu("A100", 80)], false);
    assert_eq!(
        placed(&a100, &[(90, true)], 1),
        "A003: `mlp.pir` is compiled for sm_90, but A100 is sm_80
  machine code for sm_90 runs on sm_90 to sm_99
  help: compile the model on a machine with NVRTC: `partita compile mlp.pir --target cuda:sm_80`
  help: or install NVRTC on this machine: pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 \
         nvidia-cuda-nvcc-cu12, and set PARTITA_CUDA to the virtual environment"
    );
    assert_eq!(
        placed(&a100, &[(80, false)], 1),
        "A003: `mlp.pir` has kernels for sm_80 as source only, and NVRTC, which compiles it, was not found
  libnvrtc.so is not in /usr/local/cuda
  help: compile the model on a machine with NVRTC: `partita compile mlp.pir --target cuda:sm_80`
  help: or install NVRTC on this machine: pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 \
         nvidia-cuda-nvcc-cu12, and set PARTITA_CUDA to the virtual environment"
    );
}

#[test]
fn a_missing_gpu_is_reported_with_help() {
    let none = CudaEnvironment { driver: Err("libcuda was not found".into()), ..machine(&[], false) };
    assert_eq!(
        placed(&none, &[(90, true)], 1),
        "A003: this machine has no GPU with a driver for CUDA
  libcuda was not found
  help: install the GPU driver: https://www.nvidia.com/drivers
  help: or compile for any GPU or a software driver: --target wgsl"
    );
    assert_eq!(
        placed(&machine(&[], true), &[(90, true)], 1),
        "A003: the CUDA driver finds no GPU
  help: make a GPU visible: CUDA_VISIBLE_DEVICES=0
  help: or compile for any GPU or a software driver: --target wgsl"
    );
}

#[test]
fn ranks_run_on_separate_gpus_or_share_the_only_one() {
    let gpus = vec![gpu("H200", 90); 4];
    let kernel_sets = [(90, true)];
    let placed =
        |count: usize, has_libraries, ranks| placed(&machine(&gpus[..count], has_libraries), &kernel_sets, ranks);
    assert_eq!(placed(1, false, 8), "0 Shared");
    assert_eq!(placed(4, false, 1), "0 Shared");
    assert_eq!(placed(4, true, 4), "0 Separate");
    assert_eq!(placed(4, true, 2), "0 Separate");
    assert_eq!(
        placed(4, true, 8),
        "A003: `mlp.pir` is for 8 devices, and this machine has 4 GPUs
  devices run on separate GPUs, or all on one GPU
  help: compile the model for a mesh of 4 devices
  help: or run all of them on one GPU: CUDA_VISIBLE_DEVICES=0 partita run ..."
    );
    assert_eq!(
        placed(4, false, 4),
        "A003: 4 GPUs communicate over NCCL, which was not found
  libnccl.so is not in /usr/local/cuda
  help: pip install nvidia-nccl-cu12, and set PARTITA_CUDA to the virtual environment
  help: or run all of them on one GPU: CUDA_VISIBLE_DEVICES=0 partita run ..."
    );
    // Every GPU must be able to run the kernels.
    let mixed = machine(&[gpu("H200", 90), gpu("A100", 80)], true);
    assert_eq!(super::tests::placed(&mixed, &[(90, true), (80, true)], 2), "0 Separate");
    let mixed = CudaEnvironment { nvrtc: Err("no".into()), ..mixed };
    assert!(super::tests::placed(&mixed, &kernel_sets, 2).contains("is compiled for sm_90, but A100 is sm_80"));
}

#[test]
fn findings_list_components_and_help_for_missing_ones() {
    let lines = |gpus: &CudaEnvironment| {
        let line =
            |found: &Finding| format!("{} {} ({})", found.kind, found.name.as_deref().unwrap_or("-"), found.about);
        gpus.findings().iter().map(line).collect::<Vec<_>>()
    };
    let all = machine(&[gpu("H200", 90)], true);
    assert!(all.findings().iter().all(|found| found.help.is_none()));
    assert_eq!(
        lines(&all),
        [
            "driver CUDA 12.9 ()",
            "device H200 (sm_90, 80.0 GiB)",
            "compiler NVRTC 12.9 (libnvrtc.so)",
            "library NCCL 2.27.5 (libnccl.so)",
            "library cuBLASLt 12.9.1 (libcublasLt.so)"
        ]
    );
    let none = CudaEnvironment { driver: Err("libcuda was not found".into()), ..machine(&[], false) };
    assert!(none.findings().iter().all(|found| found.name.is_none() && found.help.is_some()));
    assert_eq!(
        lines(&none),
        [
            "driver - (libcuda was not found)",
            "compiler - (NVRTC: libnvrtc.so is not in /usr/local/cuda)",
            "library - (NCCL: libnccl.so is not in /usr/local/cuda)",
            "library - (cuBLASLt: libcublasLt.so is not in /usr/local/cuda)"
        ]
    );
    assert_eq!(lines(&machine(&[], true))[0], "driver - (CUDA 12.9, but no device)");
}
