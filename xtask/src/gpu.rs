//! Checks of what is generated for GPUs.

use crate::{Outcome, cargo};
use std::path::Path;
use std::process::Command;

/// Where drivers of Vulkan announce themselves.
const DRIVERS: [&str; 2] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// Packages of Python with NVIDIA's compiler, its headers and its assembler.
const COMPILER: &str = "nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 nvidia-cuda-nvcc-cu12";

/// Runs the tests that need a GPU or NVIDIA's compiler.
pub(crate) fn check(root: &Path) -> Outcome {
    if cfg!(target_os = "linux") && !DRIVERS.iter().any(|folder| is_filled(Path::new(folder))) {
        install()?;
    }
    // Mesa asks for a place for sockets, and complains where there is none.
    let sockets = std::env::temp_dir().display().to_string();
    let mut environment = vec![("PARTITA_GPU", "1")];
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        environment.push(("XDG_RUNTIME_DIR", sockets.as_str()));
    }
    let folder = root.join("target/gpu-check/venv");
    if !folder.join("complete").exists() {
        install_compiler(&folder)?;
    }
    let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?.display().to_string();
    environment.push(("PARTITA_CUDA", folder.as_str()));
    // All of the workspace's features, so that nothing is compiled again.
    let words = "test --workspace --test gpu_kernels --test gpu_models --test gpu_run -- --include-ignored";
    cargo(root, words, &[], &environment)?;
    let words = "test --workspace --test gpu_registers -- --ignored --nocapture";
    cargo(root, words, &[], &environment)
}

fn is_filled(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Installs a GPU in software: Mesa's lavapipe, from Debian.
fn install() -> Outcome {
    println!("$ apt-get install mesa-vulkan-drivers libvulkan1");
    let script = "sudo=; [ \"$(id -u)\" = 0 ] || sudo=sudo; $sudo apt-get update -qq && \\
        $sudo apt-get install -y -qq --no-install-recommends mesa-vulkan-drivers libvulkan1";
    let status = Command::new("sh").args(["-c", script]).status().map_err(|e| format!("cannot run sh: {e}"))?;
    if status.success() { Ok(()) } else { Err("no driver of Vulkan could be installed".into()) }
}

/// Installs NVIDIA's compiler, which needs no GPU, into a virtual environment of Python.
fn install_compiler(folder: &Path) -> Outcome {
    let venv = folder.display();
    println!("$ python3 -m venv {venv} && pip install {COMPILER}");
    let script =
        format!("python3 -m venv '{venv}' && '{venv}/bin/pip' install -q {COMPILER} && touch '{venv}/complete'");
    let status = Command::new("sh").args(["-c", &script]).status().map_err(|e| format!("cannot run sh: {e}"))?;
    if status.success() { Ok(()) } else { Err("NVIDIA's compiler could not be installed".into()) }
}
