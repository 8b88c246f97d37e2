//! Tests of the generated GPU code on this machine's GPU, or on a software GPU.

use crate::{Outcome, apt_install, cargo};
use std::path::Path;
use std::process::Command;

/// Folders in which Vulkan drivers are registered.
const VULKAN_DRIVER_FOLDERS: [&str; 2] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];

/// Python packages of NVIDIA's run-time compiler NVRTC, its headers and the assembler, for CUDA 12.
const NVRTC_12_PACKAGES: &str =
    "nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 nvidia-cuda-nvcc-cu12";

/// Python packages of NVRTC and its headers for CUDA 13.
const NVRTC_13_PACKAGES: &str =
    "nvidia-cuda-nvrtc==13.* nvidia-cuda-runtime==13.* nvidia-cuda-cccl==13.* nvidia-cuda-crt==13.*";

/// Runs the tests that need a GPU or NVRTC. Installs a software GPU if no Vulkan driver is present, and both versions
/// of NVRTC.
pub(crate) fn check(root: &Path) -> Outcome {
    if cfg!(target_os = "linux") && !VULKAN_DRIVER_FOLDERS.iter().any(|folder| is_non_empty_folder(Path::new(folder))) {
        install_lavapipe()?;
    }
    // Mesa warns if this variable is not set.
    let sockets = std::env::temp_dir().display().to_string();
    let mut environment = vec![("PARTITA_GPU", "1")];
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        environment.push(("XDG_RUNTIME_DIR", sockets.as_str()));
    }
    let [folder, folder_13] = install_compilers(root)?;
    let folders = [("PARTITA_NVRTC_12", folder.as_str()), ("PARTITA_NVRTC_13", folder_13.as_str())];
    cargo(root, "test --workspace --test cli -- --include-ignored doctor", &[], &folders)?;
    environment.push(("PARTITA_CUDA", folder.as_str()));
    // Tests that only need the emulator have run with all other tests. The features of the workspace avoid
    // recompilation.
    let words = "test --workspace --test gpu_kernels --test gpu_models --test gpu_stages --test gpu_run -- \
                 --include-ignored --skip waits:: --skip memory::";
    cargo(root, words, &[], &environment)?;
    let words = "test --workspace --test gpu_registers -- --ignored --nocapture";
    cargo(root, words, &[], &environment)
}

/// Installs NVRTC for CUDA 12 and 13. Returns the folders of both.
pub(crate) fn install_compilers(root: &Path) -> Result<[String; 2], String> {
    Ok([install_compiler(root, "venv", NVRTC_12_PACKAGES)?, install_compiler(root, "venv13", NVRTC_13_PACKAGES)?])
}

fn is_non_empty_folder(folder: &Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Installs a software GPU: Mesa's lavapipe, from Debian.
fn install_lavapipe() -> Outcome {
    apt_install("mesa-vulkan-drivers libvulkan1")
}

/// Installs packages of NVRTC, which need no GPU, into the Python virtual environment `name`, unless already present.
/// Returns the folder of the environment.
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
            return Err("cannot install NVIDIA's compiler".into());
        }
    }
    let folder = folder.canonicalize().map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder.display().to_string())
}
