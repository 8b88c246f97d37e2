//! Checks of what is generated for GPUs.

use crate::{Outcome, cargo};
use std::path::Path;
use std::process::Command;

/// Where drivers of Vulkan announce themselves.
const DRIVERS: [&str; 2] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// Packages of Python with NVIDIA's compiler, its headers and its assembler.
const COMPILER: &str = "nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 nvidia-cuda-nvcc-cu12";

/// The same of CUDA 13.
const COMPILER_13: &str =
    "nvidia-cuda-nvrtc==13.* nvidia-cuda-runtime==13.* nvidia-cuda-cccl==13.* nvidia-cuda-crt==13.*";

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
    let folder = install_compiler(root, "venv", COMPILER)?;
    let folder_13 = install_compiler(root, "venv13", COMPILER_13)?;
    let folders = [("PARTITA_NVRTC_12", folder.as_str()), ("PARTITA_NVRTC_13", folder_13.as_str())];
    cargo(root, "test --workspace --test cli -- --include-ignored doctor", &[], &folders)?;
    environment.push(("PARTITA_CUDA", folder.as_str()));
    // Tests of the emulator alone have run with all others.
    // All of the workspace's features, so that nothing is compiled again.
    let words = "test --workspace --test gpu_kernels --test gpu_models --test gpu_stages --test gpu_run -- \
                 --include-ignored --skip waits:: --skip memory::";
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

/// Installs NVIDIA's compiler, which needs no GPU, into a virtual environment of Python, unless it is there. Gives the
/// folder.
fn install_compiler(root: &Path, name: &str, packages: &str) -> Result<String, String> {
    let folder = root.join("target/gpu-check").join(name);
    if !folder.join("complete").exists() {
        let venv = folder.display();
        println!("$ python3 -m venv {venv} && pip install {packages}");
        let quoted: Vec<String> = packages.split(' ').map(|package| format!("'{package}'")).collect();
        let packages = quoted.join(" ");
        let script =
            format!("python3 -m venv '{venv}' && '{venv}/bin/pip' install -q {packages} && touch '{venv}/complete'");
        let status = Command::new("sh").args(["-c", &script]).status().map_err(|e| format!("cannot run sh: {e}"))?;
        if !status.success() {
            return Err("NVIDIA's compiler could not be installed".into());
        }
    }
    let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder.display().to_string())
}
