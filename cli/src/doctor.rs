//! `doctor`: lists the devices, drivers and libraries of this machine that can run compiled models, the libraries and
//! launchers for several processes, and how to install missing ones.

use super::Outcome;
use super::args::DoctorArgs;
use partita::Result;
#[cfg(not(feature = "gpu"))]
use partita::error::missing_feature;
use partita::report::{Align, Table};
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::finding::Finding;
use serde_json::json;

/// Runs `partita doctor`.
pub(super) fn doctor(args: &DoctorArgs) -> Result<Outcome> {
    let program = std::env::current_exe()
        .map_err(|why| Diagnostic::new(Code::C001, format!("the path of this program is unknown: {why}")))?;
    let all = [of_gpus(), partita_ranks::findings::findings(&program)].concat();
    if args.json {
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "compiles_for": targets(),
            "found": all,
        });
        return Ok(format!("{object:#}\n").into());
    }
    Ok(report_text(&all).into())
}

#[cfg(feature = "gpu")]
fn targets() -> Vec<&'static str> {
    partita_cubecl::TARGETS.to_vec()
}

#[cfg(feature = "gpu")]
fn of_gpus() -> Vec<Finding> {
    partita_gpu::machine::findings()
}

#[cfg(not(feature = "gpu"))]
fn targets() -> Vec<&'static str> {
    Vec::new()
}

/// Returns the finding that this build does not know GPUs.
#[cfg(not(feature = "gpu"))]
fn of_gpus() -> Vec<Finding> {
    let missing = missing_feature("gpu", "this build has no GPU support");
    vec![Finding {
        target: "gpu".to_owned(),
        kind: "compiler",
        name: None,
        about: missing.title,
        help: missing.helps.into_iter().next().map(|help| help.text),
    }]
}

/// Formats the findings, followed by installation instructions for missing ones.
fn report_text(all: &[Finding]) -> String {
    use Align::Left;
    let mut table = Table::new([("target", Left), ("", Left), ("name", Left), ("about", Left)]);
    for one in all {
        let name = one.name.clone().unwrap_or_else(|| "missing".into());
        table.row([one.target.clone(), one.kind.to_owned(), name, one.about.clone()]);
    }
    let mut text = match targets()[..] {
        [] => table.to_string(),
        _ => format!("compiles for {}\n\n{table}", targets().join(", ")),
    };
    for (one, help) in all.iter().filter_map(|one| Some((one, one.help.as_ref()?))) {
        text.push_str(&format!("\nfor {}: {help}\n", one.target));
    }
    text
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use expect_test::expect;
    use partita_gpu::cuda_environment::{CudaEnvironment, Gpu};

    fn webgpu(name: Option<&str>) -> Finding {
        let help = name.is_none().then(|| "install the GPU driver".to_owned());
        let about = if name.is_some() { "DiscreteGpu, Vulkan, NVIDIA 575.57" } else { "no driver" };
        let kind = if name.is_some() { "device" } else { "driver" };
        Finding { target: "wgsl".into(), kind, name: name.map(str::to_owned), about: about.into(), help }
    }

    #[test]
    fn a_machine_with_everything_is_listed() {
        let library = |version: &str, at: &str| Ok((version.to_owned(), at.to_owned()));
        let cards = CudaEnvironment {
            driver: Ok("12.9".into()),
            gpus: vec![Gpu { name: "NVIDIA H200".into(), arch: 90, memory: 139 << 30 }; 2],
            nvrtc: library("12.9", "/usr/local/cuda/lib64/libnvrtc.so"),
            nccl: library("2.27.5", "libnccl.so.2"),
            cublaslt: library("12.9.1", "/usr/local/cuda/lib64/libcublasLt.so"),
        };
        let all = [vec![webgpu(Some("NVIDIA H200"))], cards.findings()].concat();
        expect![[r#"
            compiles for wgsl, cuda:sm_80, cuda:sm_90, hip, metal

              target            name             about
              wgsl    device    NVIDIA H200      DiscreteGpu, Vulkan, NVIDIA 575.57
              cuda    driver    CUDA 12.9
              cuda    device    NVIDIA H200      sm_90, 139.0 GiB
              cuda    device    NVIDIA H200      sm_90, 139.0 GiB
              cuda    compiler  NVRTC 12.9       /usr/local/cuda/lib64/libnvrtc.so
              cuda    library   NCCL 2.27.5      libnccl.so.2
              cuda    library   cuBLASLt 12.9.1  /usr/local/cuda/lib64/libcublasLt.so
        "#]]
        .assert_eq(&report_text(&all));
    }

    #[test]
    fn missing_components_have_installation_instructions() {
        let missing = |stem: &str| Err(format!("lib{stem}.so is not in the system's libraries"));
        let cards = CudaEnvironment {
            driver: Err("libcuda was not found".into()),
            gpus: Vec::new(),
            nvrtc: missing("nvrtc"),
            nccl: missing("nccl"),
            cublaslt: missing("cublasLt"),
        };
        let all = [vec![webgpu(None)], cards.findings()].concat();
        expect![[r#"
            compiles for wgsl, cuda:sm_80, cuda:sm_90, hip, metal

              target            name     about
              wgsl    driver    missing  no driver
              cuda    driver    missing  libcuda was not found
              cuda    compiler  missing  NVRTC: libnvrtc.so is not in the system's libraries
              cuda    library   missing  NCCL: libnccl.so is not in the system's libraries
              cuda    library   missing  cuBLASLt: libcublasLt.so is not in the system's libraries

            for wgsl: install the GPU driver

            for cuda: install the GPU driver: https://www.nvidia.com/drivers

            for cuda: NVRTC compiles kernels: pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 nvidia-cuda-nvcc-cu12, and set PARTITA_CUDA to the virtual environment

            for cuda: several GPUs communicate over NCCL: pip install nvidia-nccl-cu12, and set PARTITA_CUDA to the virtual environment

            for cuda: benchmarks compare with cuBLASLt: pip install nvidia-cublas-cu12, and set PARTITA_CUDA to the virtual environment
        "#]].assert_eq(&report_text(&all));
    }
}
