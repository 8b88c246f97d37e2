//! Artefacts that are damaged, truncated or hostile: all of them are rejected without a panic or excessive memory.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

mod stages;

use partita_gpu::artefact::manifest::MANIFEST;
use partita_gpu::artefact::{Digest, FORMAT};
use partita_gpu::device::{Device, DevicePtr, Queue};
use partita_gpu::module::{Arg, Kernel};
use partita_gpu::{Artefact, Executable, Module, Target};
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_runtime::code::{Base, Output, TaskAction};
use partita_runtime::replicas::ReplicaOwner;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, ZipArchive};

/// A program with collectives, a loop, a reduction with scratch memory, and an output that updates an input.
const PROGRAM: &str = "form local
mesh @m = [x=2, y=2]
func @step(%s: f32[2, 4], %w: f32[4]) {
  %b = broadcast [1] %w : f32[2, 4]
  %t = mul %s, %b : f32[2, 4]
  return %t, %w
}
param %w \"w\" : f32[4]
input %s : f32[4@x, 4]
  %a = add %s, %s : f32[2, 4]
  %c, %w2 = loop 3 of @step %a, %w : f32[2, 4], f32[4]
  %d = all_reduce sum over y %c : f32[4@x, 4]
  %e = softmax dim 1 %d : f32[4@x, 4]
  %f = reduce sum [0] %c : f32[4]
  %g = all_reduce sum over x+y %f : f32[4]
output %d \"d\"
output %e \"e\"
output %g \"g\" -> \"w\"
";

fn artefact() -> Artefact {
    let program = parse(&Source::new("test.pir", PROGRAM)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let compile = |target| partita_cubecl::compile(proof, target).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    let mut with_code = compile(Target::Cuda { arch: 90 });
    for kernel in &mut with_code.kernels {
        kernel.binary = Some(machine_code(kernel.source.as_bytes()));
    }
    with_code.collective = Some(machine_code(b"collective"));
    let modules = vec![Arc::new(compile(Target::Wgsl)), Arc::new(with_code)];
    Artefact {
        version: "0.0.0".into(),
        model: "test.pir".into(),
        program: modules[0].program.clone(),
        unpartitioned: None,
        plan: String::new(),
        modules,
        weights: None,
    }
}

/// Returns an ELF file with one section, which is all that the reader checks.
fn machine_code(section: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 128];
    let length = section.len();
    let fields = [
        (0, 0x0001_0102_464c_457f, 8),
        (40, 64, 8),
        (58, 64, 2),
        (60, 1, 2),
        (68, 1, 4),
        (88, 128, 8),
        (96, length, 8),
    ];
    for (at, value, width) in fields {
        bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }
    bytes.extend(section);
    bytes
}

fn file() -> Vec<u8> {
    artefact().to_bytes().unwrap()
}

/// Returns the error with which the bytes are rejected, or `Err` if they are accepted.
fn rejection(bytes: &[u8]) -> Result<(Code, String), String> {
    match Artefact::from_bytes(Path::new("x.partita"), bytes) {
        Ok(_) => Err("it was accepted".into()),
        Err(e) => Ok((e.code, format!("{}: {}", e.title, e.notes.join("; ")))),
    }
}

/// Updates the checksum at the end of a file.
fn seal(bytes: &mut [u8]) {
    let end = bytes.len() - 16;
    let sum = format!("{:016x}", xxh3_64(&bytes[..end]));
    bytes[end..].copy_from_slice(sum.as_bytes());
}

/// Returns a generator of pseudo-random numbers below a bound (xorshift).
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    }
}

#[test]
fn files_round_trip() {
    let bytes = file();
    let read = Artefact::from_bytes(Path::new("x.partita"), &bytes).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    assert_eq!(read.to_bytes().unwrap(), bytes);
    for (a, b) in artefact().modules.iter().zip(&read.modules) {
        assert_eq!(a.kernels, b.kernels);
    }
    assert_eq!((read.modules[0].machine_code_bytes(), read.modules[1].machine_code_bytes().is_some()), (None, true));
    let (a, b) = (&artefact().modules[0], &read.modules[0]);
    assert_eq!(a.launch_counts(), b.launch_counts());
    assert_eq!(a.communication_counts(), [[1, 1]]);
    assert_eq!(b.communication_counts(), [[1, 1]]);
}

#[test]
fn every_changed_byte_is_detected() {
    let (bytes, mut number) = (file(), numbers());
    for _ in 0..1000 {
        let mut bad = bytes.clone();
        let at = number(bad.len());
        bad[at] ^= 1 << number(8);
        let (code, _) = rejection(&bad).unwrap_or_else(|e| panic!("byte {at}: {e}"));
        assert_eq!(code, Code::A001);
    }
}

/// Changes bytes and updates the checksum, so that the remaining checks must detect the changes.
#[test]
fn changed_bytes_cause_no_panic() {
    let (bytes, mut number) = (file(), numbers());
    let mut accepted = 0;
    for _ in 0..3000 {
        let mut bad = bytes.clone();
        for _ in 0..1 + number(3) {
            // The directory is at the end, where most checks apply.
            let at = if number(2) == 0 { number(bad.len()) } else { bad.len() - 1 - number(bad.len().min(3000)) };
            bad[at] = number(256) as u8;
        }
        seal(&mut bad);
        accepted += usize::from(rejection(&bad).is_err());
    }
    // Some fields, such as dates and versions, have no consistency checks.
    assert!(accepted < 1500, "{accepted} of 3000 were accepted");
}

#[test]
fn truncated_files_are_rejected() {
    let bytes = file();
    for len in 0..bytes.len() {
        let (code, _) = rejection(&bytes[..len]).unwrap_or_else(|e| panic!("{len} bytes: {e}"));
        assert_eq!(code, Code::A001);
        let mut sealed = bytes[..len].to_vec();
        if len > 40 && len % 7 == 0 {
            seal(&mut sealed);
            rejection(&sealed).unwrap_or_else(|e| panic!("{len} bytes, sealed: {e}"));
        }
    }
}

/// Returns the entries of a file.
fn entries(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let count = zip.len();
    let read = |i| {
        let mut entry = zip.by_index(i).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (entry.name().unwrap().into_owned(), bytes)
    };
    (0..count).map(read).collect()
}

/// Returns a file with the entries and a valid checksum.
fn packed(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file(name.as_str(), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.set_comment(format!("partita xxh3:{:016x}", 0)).unwrap();
    let mut bytes = zip.finish().unwrap().into_inner();
    seal(&mut bytes);
    bytes
}

/// Returns the file with a changed manifest.
fn with_manifest(change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let mut all = entries(&file());
    assert_eq!(all[0].0, MANIFEST);
    let mut manifest = serde_json::from_slice(&all[0].1).unwrap();
    change(&mut manifest);
    all[0].1 = serde_json::to_vec(&manifest).unwrap();
    packed(&all)
}

#[test]
fn other_formats_are_rejected_by_number() {
    for other in [FORMAT - 1, FORMAT + 1] {
        let (code, why) = rejection(&with_manifest(|m| m["format"] = other.into())).unwrap();
        let said = format!("`x.partita` has format {other}, this partita reads {FORMAT}: partita 0.0.0 wrote it");
        assert_eq!((code, why), (Code::A002, said));
    }
}

/// Machine code is loaded only together with the text from which it was compiled, even if all checksums are valid.
#[test]
fn machine_code_must_match_its_text() {
    let exchanged = with_manifest(|manifest| {
        let kernels = manifest["targets"][1]["kernels"].as_array_mut().unwrap();
        let first = kernels[0]["binary"]["entry"].take();
        let second = std::mem::replace(&mut kernels[1]["binary"]["entry"], first);
        kernels[0]["binary"]["entry"] = second;
    });
    let (code, why) = rejection(&exchanged).unwrap();
    assert!(code == Code::A004 && why.contains(".cubin` was not compiled from `targets/cuda_sm_90/"), "{why}");
    let all = entries(&file());
    let texts: Vec<usize> = (0..all.len()).filter(|&i| all[i].0.ends_with(".cu")).collect();
    assert!(texts.len() > 2, "kernels, and the collective");
    for i in texts {
        let mut changed = all.clone();
        changed[i].1.push(b'\n');
        let mut manifest: serde_json::Value = serde_json::from_slice(&changed[0].1).unwrap();
        manifest["entries"][i - 1]["bytes"] = changed[i].1.len().into();
        manifest["entries"][i - 1]["xxh3"] = format!("{:016x}", xxh3_64(&changed[i].1)).into();
        changed[0].1 = serde_json::to_vec(&manifest).unwrap();
        let (code, why) = rejection(&packed(&changed)).unwrap();
        assert!(code == Code::A004 && why.contains("was not compiled from"), "{}: {why}", all[i].0);
    }
}

#[test]
fn inconsistent_manifests_are_rejected() {
    type Corruption = fn(&mut serde_json::Value);
    let corruptions: [(&str, Corruption); 9] = [
        ("expected `program.pir` of", |m| m["entries"][0]["bytes"] = 1.into()),
        ("expected `made.pir` of", |m| m["entries"][0]["name"] = "made.pir".into()),
        ("the checksum of `program.pir`", |m| m["entries"][0]["xxh3"] = "0".into()),
        ("entries, but its manifest lists", |m| m["entries"].as_array_mut().unwrap().truncate(2)),
        ("unknown target", |m| m["targets"][0]["target"] = "abacus".into()),
        ("it has no targets", |m| m["targets"] = serde_json::json!([])),
        ("not a valid kernel name", |m| m["targets"][0]["kernels"][0]["name"] = "../k".into()),
        ("it has no entry `x`", |m| m["targets"][1]["kernels"][0]["binary"]["entry"] = "x".into()),
        ("cannot be launched", |m| m["targets"][0]["kernels"][0]["cubes"] = serde_json::json!([1, 70000, 1])),
    ];
    for (want, corrupt) in corruptions {
        let (_, why) = rejection(&with_manifest(corrupt)).unwrap_or_else(|e| panic!("{want}: {e}"));
        assert!(why.contains(want), "{want}: {why}");
    }
}

/// Replaces each occurrence of a byte sequence by another one of equal length.
fn replaced(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let places: Vec<usize> = (0..bytes.len() - from.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
    assert!(!places.is_empty() && from.len() == to.len());
    places.into_iter().for_each(|at| out[at..at + to.len()].copy_from_slice(to));
    seal(&mut out);
    out
}

#[test]
fn hostile_archives_are_rejected() {
    let bytes = file();
    let assert_rejected = |name: &str, bad: &[u8]| {
        let (code, why) = rejection(bad).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(matches!(code, Code::A001 | Code::A004), "{name}: {why}");
    };
    for name in ["/rogram.pir", "../gram.pir", "pro/../.pir", "pro//am.pir", "pro\\ram.pir", "prog\0am.pir"] {
        assert_rejected(name, &replaced(&bytes, b"program.pir", name.as_bytes()));
    }
    assert_rejected("twice", &replaced(&bytes, b"program.pir", b"pro.gram.pr"));
    assert_rejected("twice", &replaced(&bytes, b"program.pir", &MANIFEST.as_bytes()[..11]));
    let duplicate = packed(&[("aa".into(), vec![1]), ("ab".into(), vec![2])]);
    assert_rejected("duplicate", &replaced(&duplicate, b"ab", b"aa"));
    // Entries of the directory: their offsets, and the sizes that they declare.
    let directory: Vec<usize> = (0..bytes.len() - 46).filter(|&at| bytes[at..].starts_with(b"PK\x01\x02")).collect();
    // An empty entry with declared size zero is valid.
    let says = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
    let patched = |at: usize, value: u32| {
        let mut bad = bytes.clone();
        bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
        seal(&mut bad);
        bad
    };
    for (i, &at) in directory.iter().enumerate() {
        for huge in [0, 1, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff] {
            for (what, field) in [("size", at + 24), ("compressed size", at + 20)] {
                if says(field) != huge {
                    assert_rejected(&format!("{what} of entry {i}"), &patched(field, huge));
                }
            }
        }
        if i > 0 {
            assert_rejected(&format!("entry {i} over the first"), &patched(at + 42, 0));
        }
        assert_rejected(&format!("entry {i} is a link"), &patched(at + 38, 0o120_777 << 16));
        assert_rejected(&format!("entry {i} is encrypted"), &patched(at + 6, 0x0001_0014));
    }
    // Additional bytes before the first entry.
    let mut before = b"PK\x03\x04".to_vec();
    before.extend(&bytes);
    seal(&mut before);
    assert_rejected("something before", &before);
}

/// Rejects a small file whose contents expand to a much larger size than declared.
#[test]
fn decompression_bombs_are_rejected() {
    let zeros = vec![0u8; 64 << 20];
    let honest = packed(&[(MANIFEST.into(), zeros)]);
    assert!(honest.len() < 1 << 20);
    rejection(&honest).unwrap();
    let size = (64u32 << 20).to_le_bytes();
    for said in [100u32, 0, u32::MAX - 1] {
        let bad = replaced(&honest, &size, &said.to_le_bytes());
        let (code, why) = rejection(&bad).unwrap();
        assert_eq!(code, Code::A004, "{why}");
    }
}

/// Invalid schedules, with valid checksums.
#[test]
fn out_of_bounds_schedules_are_rejected() {
    type Change = fn(&mut Module);
    /// Returns the first task of a kind in a body: 0 is the body of the loop, 1 is main.
    fn task(module: &mut Module, body: usize, of: fn(&TaskAction<partita_gpu::module::Launch>) -> bool) -> usize {
        module.code[0].bodies[body].tasks.iter().position(|task| of(&task.action)).unwrap()
    }
    fn launch(module: &mut Module) -> &mut partita_gpu::module::Launch {
        let at = task(module, 1, |act| matches!(act, TaskAction::Compute(..)));
        let TaskAction::Compute(launch, _) = &mut module.code[0].bodies[1].tasks[at].action else { unreachable!() };
        launch
    }
    let changes: [(&str, Change); 22] = [
        ("an address far away", |m| m.code[0].bodies[1].tasks[0].reads[0].offset = 1 << 40),
        ("an address that wraps", |m| m.code[0].bodies[1].tasks[0].reads[0].offset = usize::MAX & !255),
        ("an address that is not aligned", |m| m.code[0].bodies[1].tasks[0].reads[0].offset = 4),
        ("an input that does not exist", |m| m.code[0].bodies[1].tasks[0].reads[0].base = Base::Input(9)),
        ("a constant that does not exist", |m| m.code[0].bodies[1].tasks[0].reads[0].base = Base::Constant(0)),
        ("an output that its caller lacks", |m| m.code[0].bodies[0].tasks[0].writes[0].base = Base::Output(9)),
        ("an output that does not exist", |m| m.code[0].bodies[1].tasks[0].writes[0].base = Base::Output(77)),
        ("a frame too small", |m| m.code[0].bodies[1].frame_bytes = 0),
        ("a frame too large", |m| m.code[0].bodies[1].frame_bytes = usize::MAX),
        ("a body's frame too large", |m| m.code[0].bodies[0].frame_bytes = 1 << 30),
        ("a kernel that does not exist", |m| launch(m).dispatches[0].kernel = 1 << 20),
        ("a buffer too many", |m| launch(m).dispatches[0].args.push(Arg::Coordinates)),
        ("an operand that does not exist", |m| launch(m).dispatches[0].args[0] = Arg::Read(5)),
        ("scratch memory beyond the frame", |m| launch(m).dispatches[0].args[0] = Arg::Scratch(1 << 30)),
        ("a place that is written", |m| *launch(m).dispatches[0].args.last_mut().unwrap() = Arg::Coordinates),
        ("a loop of main", |m| {
            let at = task(m, 1, |act| matches!(act, TaskAction::Loop { .. }));
            m.code[0].bodies[1].tasks[at].action = TaskAction::Loop { trip: 1, limit: 0, body: 1, frame: 0 };
        }),
        ("a loop of nothing", |m| {
            let at = task(m, 1, |act| matches!(act, TaskAction::Loop { .. }));
            m.code[0].bodies[1].tasks[at].action = TaskAction::Loop { trip: 1, limit: 0, body: 7, frame: 0 };
        }),
        ("a loop without end", |m| {
            let at = task(m, 1, |act| matches!(act, TaskAction::Loop { .. }));
            m.code[0].bodies[1].tasks[at].action = TaskAction::Loop { trip: u64::MAX, limit: 0, body: 0, frame: 0 };
        }),
        ("a collective that does not exist", |m| {
            let at = task(m, 1, |act| matches!(act, TaskAction::Start(_)));
            m.code[0].bodies[1].tasks[at].action = TaskAction::Start(9);
        }),
        ("a duty of nobody", |m| m.code[0].bodies[1].tasks[0].owner = ReplicaOwner { axes: 1, rank: 4 }),
        ("an output of another size", |m| m.code[0].outputs[0] = Output::Buffer(4, ReplicaOwner::default())),
        ("no outputs", |m| m.code[0].outputs.clear()),
    ];
    for (name, change) in changes {
        let mut bad = artefact();
        change(Arc::get_mut(&mut bad.modules[0]).unwrap());
        let (code, why) = rejection(&bad.to_bytes().unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(code, Code::A004, "{name}: {why}");
    }
}

/// The end of machine code is checked, since the driver receives no length.
#[test]
fn invalid_machine_code_is_rejected() {
    type Change = fn(&mut Artefact);
    fn kernel(artefact: &mut Artefact, module: usize) -> &mut Kernel {
        &mut Arc::get_mut(&mut artefact.modules[module]).unwrap().kernels[0]
    }
    let changes: [(&str, Change); 5] = [
        ("`collective`", |a| Arc::get_mut(&mut a.modules[1]).unwrap().collective = Some(vec![0; 99])),
        ("is not machine code", |a| kernel(a, 1).binary = Some(b"PTX".to_vec())),
        ("is not machine code", |a| kernel(a, 1).binary.as_mut().unwrap().truncate(32)),
        ("names ", |a| kernel(a, 1).binary.as_mut().unwrap().truncate(200)),
        ("is not supported by the target", |a| kernel(a, 0).binary = Some(machine_code(&[]))),
    ];
    for (want, change) in changes {
        let mut bad = artefact();
        change(&mut bad);
        let (code, why) = rejection(&bad.to_bytes().unwrap()).unwrap_or_else(|e| panic!("{want}: {e}"));
        assert!(code == Code::A004 && why.contains(want), "{want}: {why}");
    }
}

/// A version with another collective kernel compiles its own.
#[test]
fn collectives_of_another_version_are_recompiled() {
    let mut all = entries(&file());
    let at = all.iter().position(|(name, _)| name.ends_with("collective.cu")).unwrap();
    all[at].1.extend(b"\n// Or else.\n");
    let mut manifest: serde_json::Value = serde_json::from_slice(&all[0].1).unwrap();
    let record = &mut manifest["entries"][at - 1];
    assert_eq!(record["name"], all[at].0);
    record["bytes"] = all[at].1.len().into();
    record["xxh3"] = format!("{:016x}", xxh3_64(&all[at].1)).into();
    let text = std::str::from_utf8(&all[at].1).unwrap();
    let digest = Digest::of_kernel(text, &machine_code(b"collective")).to_string();
    manifest["targets"][1]["collective"]["binary"]["sha256"] = digest.into();
    all[0].1 = serde_json::to_vec(&manifest).unwrap();
    let read =
        Artefact::from_bytes(Path::new("x.partita"), &packed(&all)).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    assert_eq!((read.modules[1].collective.as_ref(), read.modules[1].machine_code_bytes()), (None, None));
    assert!(read.modules[1].kernels.iter().all(|kernel| kernel.binary.is_some()));
}

/// A device with limited buffer size and memory.
struct Small {
    largest: usize,
    left: std::cell::Cell<usize>,
}

impl Device for Small {
    type Memory = ();
    type Kernel = ();
    type Event = ();

    fn name(&self) -> &str {
        "a small device"
    }

    fn max_buffer_bytes(&self) -> usize {
        self.largest
    }

    fn allocate(&self, bytes: usize) -> Result<(), Diagnostic> {
        let left = self.left.get().checked_sub(bytes);
        self.left.set(left.ok_or_else(|| Diagnostic::new(Code::A006, "a small device has no memory left"))?);
        Ok(())
    }

    fn load(&self, _: &Kernel) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn launch(&self, (): &(), _: &[DevicePtr<()>]) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn upload(&self, _: &DevicePtr<()>, _: &[u32]) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn download(&self, places: &[(DevicePtr<()>, usize)]) -> Result<Vec<Vec<u32>>, Diagnostic> {
        Ok(places.iter().map(|(_, words)| vec![0; *words]).collect())
    }

    fn record_event(&self, _: Queue) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn wait_event(&self, _: Queue, (): &()) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn flush(&self) -> Result<(), Diagnostic> {
        Ok(())
    }
}

#[test]
fn memory_limits_are_reported_before_allocation() {
    let artefact = artefact();
    let module = &artefact.modules[0];
    let small = |largest, left: usize| Executable::load(module.clone(), Small { largest, left: left.into() });
    let rejection = |e: Diagnostic| (e.code, e.title);
    let why = "`s` takes 32 B; a small device supports at most 16 B in one buffer";
    assert_eq!(small(16, 1 << 20).map(|_| ()).map_err(rejection), Err((Code::A006, why.into())));
    // Memory for inputs, frames and outputs of four devices, and for their coordinates.
    let inputs: Vec<Tensor> =
        artefact.program.stages[0].inputs.iter().map(|port| Tensor::zeros(port.value.ty.clone())).collect();
    let enough = small(1 << 20, 4 * (module.footprints()[0].total() as usize + 8))
        .map_err(rejection)
        .unwrap_or_else(|e| panic!("{e:?}"));
    assert!(enough.run(&inputs).is_ok());
    let scarce = small(1 << 20, 4 * 8 + 64).map_err(rejection).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(scarce.run(&inputs).map_err(rejection), Err((Code::A006, "a small device has no memory left".into())));
}
