//! `compile`, `inspect` and their errors, which do not need a GPU.

use crate::support::{Folder, partita};
use expect_test::expect;
use serde_json::Value;
use std::process::Command;

/// A layer with a loss, on eight devices.
const MODEL: &str = r#"form traced
mesh @m = [data=2, model=4]
param %w1 "up.weight" : f32[64, 512@model]
param %w2 "down.weight" : f32[512@model, 64]
input %x : f32[32@data, 64]
  %h = matmul %x, %w1 : f32[32, 512]
  %r = relu %h : f32[32, 512]
  %y = matmul %r, %w2 : f32[32, 64]
  %q = mul %y, %y : f32[32, 64]
  %loss = reduce sum [0, 1] %q : f32[]
output %loss "loss"
"#;

/// Removes timings from lines.
fn without_timings(text: &str) -> String {
    let line = |line: &str| match line.split_once(" in ") {
        Some((before, rest)) if rest.ends_with(" s") => format!("{before} in ... s"),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

fn compiled(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("mlp.pir", MODEL);
    let ended =
        partita(&folder, ["compile", "mlp.pir", "--target", "wgsl", "-o", "mlp.partita", "--weights", "seed=0"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    folder
}

#[test]
fn model_is_compiled_to_a_file() {
    let folder = Folder::new("compile");
    folder.write("mlp.pir", MODEL);
    let ended = partita(&folder, ["compile", "mlp.pir", "--target", "wgsl", "-o", "mlp.partita"]);
    expect![[r#"
        mlp.pir: compiled for 8 devices in ... s

          target  kernels  launches per run      text  memory per device
          wgsl          3                 3  35.5 KiB           80.0 KiB

        mlp.partita: 12.6 KiB
    "#]]
    .assert_eq(&without_timings(&ended.out));
    let ended = partita(&folder, ["inspect", "mlp.partita"]);
    expect![[r#"
        mlp.pir, compiled by partita 0.1.0
        SHA-256: DIGEST
        mesh: data=2, model=4 (8 devices)

                     name         type                bytes per device  weights
          parameter  up.weight    f32[64, 512@model]          32.0 KiB
          parameter  down.weight  f32[512@model, 64]          32.0 KiB
          input      x            f32[32@data, 64]             4.0 KiB
          output     loss         f32[] whole                      4 B

        target wgsl, compiled with CubeCL 0.11.3
        memory per device: 68.0 KiB inputs, 12.0 KiB computed, 4 B outputs: 80.0 KiB in all

          kernel                           launches per run   grid    units   shared  reads  writes      text  computes
          fused_matmul_relu_f32_16x64x128                 1  2x1x1  256x1x1  8.0 KiB      2       1  15.0 KiB  matmul, relu
          matmul_f32_16x128x64                            1  1x1x1  256x1x1  8.0 KiB      2       1  13.8 KiB  matmul
          fused_mul_reduce_f32_1x1024                     1  1x1x1  256x1x1  1.0 KiB      1       1   6.7 KiB  mul, reduce

          collective            runs  devices  bytes of operands
          %y.1 = all_reduce        1        4            4.0 KiB
          %loss.1 = all_reduce     1        2                4 B
    "#]]
    .assert_eq(&ended.out.replace(&digest(&folder, "mlp.partita"), "DIGEST"));
    let plan = partita(&folder, ["inspect", "mlp.partita", "--program"]);
    assert!(plan.out.starts_with("form local\n"), "{}", plan.transcript());
}

/// A training step in pipeline stages is compiled to one file.
#[test]
fn stages_are_compiled_to_one_file() {
    let folder = Folder::new("compile_stages");
    let compile = ["compile", "zoo:mlp?layers=2&width=4&hidden=4&batch=4", "--mesh", "data=1", "--pipeline", "2"];
    let flags = ["--schedule", "1f1b", "--microbatches", "2", "--train", "sgd", "--target", "wgsl", "-o", "s.partita"];
    let ended = partita(&folder, [&compile[..], &flags[..], &["--weights", "seed=0"]].concat());
    assert!(ended.out.contains(": compiled for 2 devices in "), "{}", ended.transcript());
    let ended = partita(&folder, ["inspect", "s.partita"]);
    let output = |from: &str, to: &str| {
        let text = ended.out.split_once(from).and_then(|(_, rest)| rest.split_once(to));
        text.map_or_else(|| panic!("{}", ended.transcript()), |(text, _)| format!("{from}{text}"))
    };
    expect![[r#"
        stage 0, mesh: data=1 (1 device)

                     name             type             bytes per device  weights
          parameter  layers.0.weight  f32[4, 4] whole              64 B  in the file
          parameter  layers.0.bias    f32[4] whole                 16 B  in the file
          parameter  layers.1.weight  f32[4, 4] whole              64 B  in the file
          input      input.0          f32[4, 4] whole              64 B
          output     layers.0.weight  f32[4, 4] whole              64 B
          output     layers.0.bias    f32[4] whole                 16 B
          output     layers.1.weight  f32[4, 4] whole              64 B"#]]
    .assert_eq(&output("stage 0, mesh", "\n\nstage 1, mesh"));
    expect![[r#"
          stage 0                          runs  devices  bytes of operands
          sends %matmul.1 to stage 1          2        2               32 B
          receives %sub.grad from stage 1     2        2                0 B

        stage 0 in order
          clear
          clear
          clear
          forward of micro-batch 0 in chunk 0
          start %matmul.1 of micro-batch 0
          wait for %matmul.1 of micro-batch 0
          forward of micro-batch 1 in chunk 0
          start %matmul.1 of micro-batch 1
          start %sub.grad of micro-batch 0
          wait for %matmul.1 of micro-batch 1
          wait for %sub.grad of micro-batch 0
          backward of micro-batch 0 in chunk 0
          start %sub.grad of micro-batch 1
          wait for %sub.grad of micro-batch 1
          backward of micro-batch 1 in chunk 0
          update in chunk 0

    "#]]
    .assert_eq(&output("  stage 0 ", "  stage 1 "));
    let programs = partita(&folder, ["inspect", "s.partita", "--program"]);
    assert_eq!(programs.out.matches("form local\n").count(), 6, "{}", programs.out);
    let ended = partita(&folder, ["run", "s.partita", "--pipeline", "2"]);
    assert!(ended.err.contains("is compiled already"), "{}", ended.transcript());
}

/// Returns the digest of a file computed by another program.
fn digest(folder: &Folder, file: &str) -> String {
    let output = Command::new("sha256sum").arg(folder.path.join(file)).output().unwrap();
    String::from_utf8(output.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

/// A compiled file runs only if its digest is the one that the user expects.
#[test]
fn unexpected_digest_is_rejected() {
    let folder = compiled("compile_sha256");
    let digest = digest(&folder, "mlp.partita");
    let run = |file: &str, expected: &str| partita(&folder, ["run", file, "--sha256", expected]);
    let json = partita(&folder, ["inspect", "mlp.partita", "--json"]);
    assert!(json.out.contains(&format!("\"sha256\": \"{digest}\"")), "{}", json.transcript());
    // The file is accepted with or without a device.
    for expected in [digest.clone(), digest.to_uppercase()] {
        let ended = run("mlp.partita", &expected);
        assert!(!ended.err.contains("A008"), "{}", ended.transcript());
    }
    let changed = if digest.starts_with('0') { "1" } else { "0" }.to_owned() + &digest[1..];
    let ended = run("mlp.partita", &changed);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[A008]: `mlp.partita` does not have the expected SHA-256 digest
          |
          = note: expected SHA-256: CHANGED
          = note: its SHA-256:      DIGEST
          = help: do not run it: get the file again from its author
    "#]]
    .assert_eq(&ended.err.replace(&changed, "CHANGED").replace(&digest, "DIGEST"));
    // The digest is checked before the contents.
    folder.write("garbage.partita", "PK garbage");
    assert!(run("garbage.partita", &digest).err.starts_with("error[A008]"));
    assert!(run("mlp.pir", &digest).err.starts_with("error[A008]: `--sha256` applies to a compiled file"));
    assert_eq!(run("mlp.partita", "12").code, Some(2));
}

#[test]
fn json_matches_text() {
    let folder = compiled("compile_json");
    let ended = partita(&folder, ["inspect", "mlp.partita", "--json"]);
    let json: Value = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{}", ended.transcript()));
    assert_eq!(json["devices"], 8);
    assert_eq!(json["stages"][0]["ports"][0]["name"], "up.weight");
    assert_eq!(json["stages"][0]["ports"][0]["weights"], true);
    let kernel = &json["targets"][0]["kernels"][0];
    let text = partita(&folder, ["inspect", "mlp.partita", "--kernel", kernel["name"].as_str().unwrap()]);
    assert_eq!(kernel["text_bytes"], text.out.len());
    let ended = partita(&folder, ["compile", "mlp.pir", "--target", "wgsl", "-o", "again.partita", "--json"]);
    let json: Value = serde_json::from_str(&ended.out).unwrap_or_else(|_| panic!("{}", ended.transcript()));
    assert_eq!(json["targets"][0]["target"], "wgsl");
    assert_eq!(json["bytes"], std::fs::metadata(folder.path.join("again.partita")).unwrap().len());
}

#[test]
fn two_processes_write_the_same_bytes_on_any_number_of_threads() {
    let folder = Folder::new("compile_twice");
    folder.write("mlp.pir", MODEL);
    let bytes = |threads: &str| {
        let words = ["compile", "mlp.pir", "--target", "wgsl", "-o", "mlp.partita", "--weights", "seed=0"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_partita"));
        let output = command.args(words).current_dir(&folder.path).env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(output.status.success());
        std::fs::read(folder.path.join("mlp.partita")).unwrap()
    };
    let one = bytes("1");
    assert_eq!(bytes("1"), one);
    assert_eq!(bytes("7"), one);
    assert!(!folder.path.join("mlp.partita.part").exists());
}

#[test]
fn invalid_arguments_are_rejected() {
    let folder = compiled("gpu_refused");
    let refused = |args: &[&str]| {
        let ended = partita(&folder, args);
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        ended.err
    };
    expect![[r#"
        error[A005]: unknown target `opencl`: the targets are wgsl, hip, metal, spirv, and cuda:sm_NN, as in cuda:sm_90
          |
          = help: this build compiles for `wgsl`, `cuda:sm_80`, `cuda:sm_90`, `hip`, `metal`
    "#]]
    .assert_eq(&refused(&["compile", "mlp.pir", "--target", "wgsl,opencl", "-o", "x.partita"]));
    expect![[r#"
        error[A005]: unknown target `cuda:sm_1`: the targets are wgsl, hip, metal, spirv, and cuda:sm_NN, as in cuda:sm_90
          |
          = help: this build compiles for `wgsl`, `cuda:sm_80`, `cuda:sm_90`, `hip`, `metal`
          = help: use `--target cuda:sm_80`
    "#]]
    .assert_eq(&refused(&["run", "mlp.pir", "--target", "cuda:sm_1"]));
    expect![[r#"
        error[P001]: `mlp.partita` is compiled already: a plan has no effect on it
          |
          = help: leave the plan out, or compile the model again
    "#]]
    .assert_eq(&refused(&["run", "mlp.partita", "--mesh", "data=8"]));
    expect![[r#"
        error[C002]: there is no kernel `fused_matmul_relu_f32_8x64`
          |
          = help: there is `fused_matmul_relu_f32_16x64x128`
    "#]]
    .assert_eq(&refused(&["inspect", "mlp.partita", "--kernel", "fused_matmul_relu_f32_8x64"]));
    expect![[r#"
        error[A001]: `mlp.pir` is not an artefact
          |
          = note: an artefact is a zip file
    "#]]
    .assert_eq(&refused(&["inspect", "mlp.pir"]));
    expect![[r#"
        error[C001]: cannot read `none.partita`: there is no such file or folder
    "#]]
    .assert_eq(&refused(&["inspect", "none.partita"]));
    expect![[r#"
        error[C001]: cannot write `no/such/folder.partita`: there is no such file or folder
    "#]]
    .assert_eq(&refused(&["compile", "mlp.pir", "--target", "wgsl", "-o", "no/such/folder.partita"]));
    expect![[r#"
        error[R001]: `mlp.pir` has no weights
          |
          = help: name a file, `--weights model.safetensors`, or use random weights, `--weights seed=0`
    "#]]
    .assert_eq(&refused(&["compile", "mlp.pir", "--target", "wgsl", "-o", "x.partita", "--weights"]));
    let bytes = std::fs::read(folder.path.join("mlp.partita")).unwrap();
    folder.write("short.partita", &bytes[..bytes.len() / 2]);
    expect![[r#"
        error[A001]: `short.partita` is truncated or not an artefact
          |
          = note: it does not end in a checksum
    "#]]
    .assert_eq(&refused(&["run", "short.partita"]));
    assert!(!folder.path.join("x.partita").exists());
}

/// Without NVRTC, the file contains kernel source, and a message states how to add machine code.
#[test]
fn kernels_without_machine_code_are_listed() {
    let folder = Folder::new("gpu_text");
    folder.write("mlp.pir", MODEL);
    let ended = partita(&folder, ["compile", "mlp.pir", "--target", "cuda:sm_80,cuda:sm_90", "-o", "mlp.partita"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let path = folder.path.join("mlp.partita");
    let inspected = |code: Option<&[u8]>| {
        let mut artefact = partita::Artefact::load(&path).unwrap();
        for module in &mut artefact.modules {
            let module = std::sync::Arc::get_mut(module).unwrap();
            module.toolchain = "CubeCL".into();
            module.kernels.iter_mut().for_each(|kernel| kernel.binary = code.map(<[u8]>::to_vec));
            module.collective = code.map(<[u8]>::to_vec);
        }
        artefact.save(&path).unwrap();
        partita(&folder, ["inspect", "mlp.partita"]).out
    };
    expect![[r#"
        , compiled with CubeCL
        memory per device: 68.0 KiB inputs, 12.0 KiB computed, 4 B outputs: 80.0 KiB in all

          kernel                           launches per run   grid    units   shared  reads  writes      text  computes
          fused_matmul_relu_f32_16x64x128                 1  2x1x1  256x1x1  8.0 KiB      2       1  16.2 KiB  matmul, relu
          matmul_f32_16x128x64                            1  1x1x1  256x1x1  8.0 KiB      2       1  14.8 KiB  matmul
          fused_mul_reduce_f32_1x1024                     1  1x1x1  256x1x1  1.0 KiB      1       1   6.6 KiB  mul, reduce

          collective            runs  devices  bytes of operands
          %y.1 = all_reduce        1        4            4.0 KiB
          %loss.1 = all_reduce     1        2                4 B

        cuda:sm_80, cuda:sm_90: kernels are source text only, which NVRTC compiles at load time. To include machine code, install NVRTC and compile again: pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12 nvidia-cuda-cccl-cu12 nvidia-cuda-nvcc-cu12, and set PARTITA_CUDA to the virtual environment
    "#]].assert_eq(inspected(None).split_once("target cuda:sm_90").unwrap().1);
    // An ELF header without sections.
    let mut code = b"\x7fELF\x02\x01\x01".to_vec();
    code.resize(2048, 0);
    expect![[r#"
        , compiled with CubeCL
        memory per device: 68.0 KiB inputs, 12.0 KiB computed, 4 B outputs: 80.0 KiB in all

          kernel                           launches per run   grid    units   shared  reads  writes      text  machine code  computes
          fused_matmul_relu_f32_16x64x128                 1  2x1x1  256x1x1  8.0 KiB      2       1  16.2 KiB       2.0 KiB  matmul, relu
          matmul_f32_16x128x64                            1  1x1x1  256x1x1  8.0 KiB      2       1  14.8 KiB       2.0 KiB  matmul
          fused_mul_reduce_f32_1x1024                     1  1x1x1  256x1x1  1.0 KiB      1       1   6.6 KiB       2.0 KiB  mul, reduce

          collective            runs  devices  bytes of operands
          %y.1 = all_reduce        1        4            4.0 KiB
          %loss.1 = all_reduce     1        2                4 B
    "#]]
    .assert_eq(inspected(Some(&code)).split_once("target cuda:sm_90").unwrap().1);
}

/// Kernels for CUDA only, as compiled for another machine.
#[test]
fn kernels_for_another_machine_are_listed() {
    let folder = compiled("gpu_elsewhere");
    let mut artefact = partita::Artefact::load(&folder.path.join("mlp.partita")).unwrap();
    std::sync::Arc::get_mut(&mut artefact.modules[0]).unwrap().target = "cuda:sm_90".parse().unwrap();
    artefact.save(&folder.path.join("cuda.partita")).unwrap();
    let ended = partita(&folder, ["run", "cuda.partita", "--target", "wgsl"]);
    expect![[r#"
        error[A003]: the artefact has no kernels for wgsl, only for cuda:sm_90
          |
          = help: compile it again: `partita compile mlp.pir --target wgsl`
    "#]]
    .assert_eq(&ended.err);
}

/// Loading a library runs its code: only `PARTITA_CUDA` selects library folders; variables of other programs are
/// ignored.
#[test]
fn libraries_are_loaded_from_configured_folders_only() {
    let folder = Folder::new("gpu_libraries");
    let library = "lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12";
    std::fs::create_dir_all(folder.path.join(library).parent().unwrap()).unwrap();
    folder.write(library, "no library");
    let doctor = |variable: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_partita"));
        for other in ["PARTITA_CUDA", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH"] {
            command.env_remove(other);
        }
        let output = command.arg("doctor").env(variable, &folder.path).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let is_loaded = |text: &str| text.contains(&format!("{library} cannot be loaded"));
    if !doctor("NOTHING").contains("libnvrtc.so is not in ") {
        println!("skipped: this machine has NVRTC");
        return;
    }
    assert!(is_loaded(&doctor("PARTITA_CUDA")));
    for other in ["CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"] {
        let text = doctor(other);
        assert!(!is_loaded(&text) && text.contains(&format!("{other} is ignored: set PARTITA_CUDA=")), "{text}");
    }
}

/// A library with a constructor in a folder of `LD_LIBRARY_PATH` is not loaded.
#[cfg(unix)]
#[test]
fn loader_path_is_ignored() {
    let folder = Folder::new("gpu_loader_path");
    let (source, library, loaded) = ("trap.c", "libnvrtc.so", folder.path.join("loaded"));
    let text = format!(
        "#include <stdio.h>\n__attribute__((constructor)) static void trap(void) {{ fopen(\"{}\", \"w\"); }}\n",
        loaded.display()
    );
    folder.write(source, text);
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o", library, source]).current_dir(&folder.path).status();
    assert!(built.unwrap().success());
    let doctor = |variable: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_partita"));
        command.arg("doctor").env_remove("PARTITA_CUDA").env(variable, &folder.path).output().unwrap();
        loaded.exists()
    };
    assert!(!doctor("LD_LIBRARY_PATH"), "the library was loaded");
    std::fs::create_dir(folder.path.join("lib")).unwrap();
    std::fs::rename(folder.path.join(library), folder.path.join("lib").join(library)).unwrap();
    assert!(doctor("PARTITA_CUDA"), "the test library does not detect loading");
}

/// CUDA kernels run on the CPU emulator.
#[test]
fn kernels_are_emulated() {
    let folder = compiled("gpu_emulated");
    let plan = ["--mesh", "data=2,model=4", "--shard", "up.weight=_, model", "--shard", "down.weight=model, _"];
    let ended = partita(&folder, ["run", "mlp.pir", "--emulate", "--check"].into_iter().chain(plan));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert!(ended.out.contains("ran on 8 devices of the CUDA emulator"), "{}", ended.transcript());
    let ended = partita(&folder, ["run", "mlp.partita", "--emulate"]);
    expect![[r#"
        error[A003]: `mlp.pir` has no kernels for cuda:sm_80 to emulate
          |
          = help: compile the model for it: --target cuda:sm_80
    "#]]
    .assert_eq(&ended.err);
    let ended = partita(&folder, ["run", "mlp.pir", "--emulate", "--target", "wgsl"]);
    assert!(
        ended.err.starts_with("error[A003]: kernels for wgsl are not emulated, only those for CUDA"),
        "{}",
        ended.err
    );
    // A file with modified kernels is rejected.
    let words = ["compile", "mlp.pir", "--target", "cuda:sm_80", "-o", "cuda.partita"];
    assert_eq!(partita(&folder, words).code, Some(0));
    assert_eq!(partita(&folder, ["run", "cuda.partita", "--emulate"]).code, Some(0));
    let path = folder.path.join("cuda.partita");
    let mut artefact = partita::Artefact::load(&path).unwrap();
    let module = std::sync::Arc::get_mut(&mut artefact.modules[0]).unwrap();
    module.kernels[0].source.push_str("\n// not ours");
    artefact.save(&path).unwrap();
    let ended = partita(&folder, ["run", "cuda.partita", "--emulate"]);
    assert!(ended.err.starts_with("error[A004]: the kernels in the file differ from those that"), "{}", ended.err);
}

/// Returns the output of `doctor` for a folder, without other installations.
fn examined(folder: &std::path::Path) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_partita")).arg("doctor").env("PARTITA_CUDA", folder).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// Tries the NVRTC versions of PyPI, installed in virtual environments.
#[test]
#[ignore = "needs NVRTC 12 and 13: cargo xtask gpu-check"]
fn doctor_tries_every_compiler() {
    for version in ["12", "13"] {
        let folder = std::env::var_os(format!("PARTITA_NVRTC_{version}")).unwrap();
        let output = examined(folder.as_ref());
        assert!(output.contains(&format!("cuda    compiler  NVRTC {version}.")), "{output}");
        let trials = output.lines().filter(|line| line.contains("  trial ") && line.contains("NVRTC compiles for"));
        let trials: Vec<&str> = trials.collect();
        assert!(trials.len() >= 2 && trials.iter().all(|trial| trial.contains(" passed ")), "{output}");
    }
    // A compiler without its headers is unusable, and the message names the missing package.
    let whole = std::path::PathBuf::from(std::env::var_os("PARTITA_NVRTC_13").unwrap());
    let python = std::fs::read_dir(whole.join("lib")).unwrap().flatten().find(|entry| entry.path().is_dir()).unwrap();
    let folder = Folder::new("gpu_doctor_headers");
    let library = folder.path.join("lib");
    std::os::unix::fs::symlink(python.path().join("site-packages/nvidia/cu13/lib"), &library).unwrap();
    let output = examined(&folder.path);
    assert!(
        output.contains("libnvrtc.so.13 was found, but not cuda_fp16.h, cuda_bf16.h, mma.h, crt/mma.h"),
        "{output}"
    );
    assert!(output.contains("nvidia-cuda-runtime nvidia-cuda-cccl nvidia-cuda-crt"), "{output}");
}

/// A configured folder that does not exist is an error, even if other folders have the libraries.
#[test]
fn doctor_names_a_missing_folder() {
    let output = examined("no/such/folder".as_ref());
    assert!(output.contains("NVRTC: PARTITA_CUDA is no/such/folder, which is not a folder"), "{output}");
}

#[test]
fn missing_cuda_suggests_alternatives() {
    let has_driver = |found: &partita_runtime::finding::Finding| found.target == "cuda" && found.kind == "device";
    if partita_gpu::machine::findings().iter().any(has_driver) {
        println!("skipped: this machine has an NVIDIA GPU");
        return;
    }
    let folder = Folder::new("gpu_no_cuda");
    folder.write("mlp.pir", MODEL);
    let ended = partita(&folder, ["compile", "mlp.pir", "--target", "cuda:sm_90", "-o", "mlp.partita"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    for args in [&["run", "mlp.partita"][..], &["run", "mlp.pir", "--target", "cuda:sm_90"]] {
        let ended = partita(&folder, args);
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        assert!(
            ended.err.starts_with("error[A003]: this machine has no GPU with a driver for CUDA\n"),
            "{}",
            ended.err
        );
        assert!(ended.err.contains("help: install the GPU driver: https://www.nvidia.com/drivers"), "{}", ended.err);
        assert!(
            ended.err.contains("help: or compile for any GPU or a software driver: --target wgsl"),
            "{}",
            ended.err
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn missing_driver_suggests_a_package() {
    let folder = compiled("gpu_none");
    let ended = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_partita"));
        let command = command.args(args).current_dir(&folder.path).env("NO_COLOR", "1");
        // These variables disable the loader's default folders.
        let nowhere = "/nonexistent/driver.json";
        command.env("VK_DRIVER_FILES", nowhere).env("VK_ICD_FILENAMES", nowhere).output().unwrap()
    };
    let run = ended(&["run", "mlp.partita"]);
    let err = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(1), "{err}");
    assert!(
        err.starts_with("error[A003]: this machine has no GPU with a Vulkan, Metal or DirectX 12 driver\n"),
        "{err}"
    );
    assert!(err.contains("apt-get install mesa-vulkan-drivers"), "{err}");
    let doctor = ended(&["doctor"]);
    let output = String::from_utf8(doctor.stdout).unwrap();
    assert!(output.starts_with("compiles for wgsl, cuda:sm_80, cuda:sm_90, hip, metal\n"), "{output}");
    assert!(output.contains("wgsl    driver    missing"), "{output}");
    assert!(output.contains("for wgsl: install the GPU driver; a software driver also works: apt-get"), "{output}");
}
