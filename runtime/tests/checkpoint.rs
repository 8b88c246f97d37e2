//! Checkpoints are complete or absent on any disk failure, and every damaged bit is detected.

use expect_test::expect;
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use partita_runtime::checkpoint::disk::{Content, Disk};
use partita_runtime::checkpoint::{Checkpoint, Folder, Origin, Progress};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Folder of one test, removed at its end.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(test: &str) -> TestFolder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("checkpoint-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        TestFolder(path)
    }

    /// Returns the sorted names of the files in the folder, except the lock file.
    fn files(&self) -> Vec<String> {
        let names = fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name != ".lock").collect();
        names.sort();
        names
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn checkpoint(step: u64) -> Checkpoint {
    let ty = |dtype, shape: &[usize]| Type::new(dtype, shape);
    let weight = Tensor::from_floats(ty(DType::F32, &[3, 4]), (0..12).map(|i| f64::from(i) / 7.0).collect());
    let half = Tensor::from_floats(ty(DType::BF16, &[5]), vec![1.0, -2.5, f64::INFINITY, 0.0, 3.0]);
    let count = Tensor::from_ints(ty(DType::I32, &[]), vec![step as i64]);
    let tensors = [("layers.0.weight", weight), ("layers.0.bias", half), ("optimizer.step", count)];
    let tensors = tensors.map(|(name, tensor)| (name.to_owned(), tensor)).into();
    let progress = Progress {
        step,
        epoch: 2,
        offset: 640,
        seed: u64::MAX,
        model: "a \"model\"".into(),
        plan: "mesh = { data = 2 }\n".into(),
        scale: (step > 2).then_some(1.0 / 3.0),
        frozen: vec!["layers.0".into()],
        small_gradient_steps: [("layers.1".to_owned(), 3)].into(),
        origin: (step > 2).then(|| Origin { program: u64::MAX, data: 1, data_name: "a.csv".into(), validate: 0.25 }),
    };
    Checkpoint { progress, tensors }
}

fn same(a: &Checkpoint, b: &Checkpoint) -> bool {
    a.progress == b.progress && a.tensors.len() == b.tensors.len() && a.tensors.iter().all(|(n, t)| b.tensors[n] == *t)
}

#[test]
fn checkpoints_round_trip() {
    let test_folder = TestFolder::new("round");
    let folder = Folder::open(&test_folder.0, 3).unwrap();
    let path = folder.save(&checkpoint(7)).unwrap();
    assert!(path.ends_with("step-00000007.safetensors"));
    assert!(same(&Checkpoint::read(&path).unwrap(), &checkpoint(7)));
    let first = fs::read(&path).unwrap();
    folder.save(&checkpoint(7)).unwrap();
    assert_eq!(first, fs::read(&path).unwrap(), "the same checkpoint is the same bytes");
}

#[test]
fn newest_checkpoints_are_retained() {
    let test_folder = TestFolder::new("keep");
    let folder = Folder::open(&test_folder.0, 2).unwrap();
    let steps = || folder.list().iter().map(|p| Checkpoint::read(p).unwrap().progress.step).collect::<Vec<_>>();
    for step in [10, 20, 30] {
        folder.save(&checkpoint(step)).unwrap();
    }
    assert_eq!(steps(), [20, 30]);
    folder.save(&checkpoint(25)).unwrap();
    assert_eq!(steps(), [20, 25]);
}

#[test]
fn every_bit_flip_and_truncation_is_detected() {
    let test_folder = TestFolder::new("damage");
    let path = Folder::open(&test_folder.0, 1).unwrap().save(&checkpoint(1)).unwrap();
    let undamaged = fs::read(&path).unwrap();
    for at in 0..undamaged.len() {
        let mut bytes = undamaged.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&path, &bytes).unwrap();
        assert_eq!(Checkpoint::read(&path).unwrap_err().code, Code::K001, "bit flipped in byte {at}");
        fs::write(&path, &undamaged[..at]).unwrap();
        let error = Checkpoint::read(&path).unwrap_err();
        assert_eq!(error.code, Code::K001, "cut at {at}");
        assert!(error.title.contains("truncated"), "{error}");
    }
}

#[test]
fn damaged_checkpoint_suggests_an_undamaged_one() {
    let test_folder = TestFolder::new("offer");
    let folder = Folder::open(&test_folder.0, 5).unwrap();
    let paths: Vec<PathBuf> = [1, 2, 3].map(|step| folder.save(&checkpoint(step)).unwrap()).into();
    for path in &paths[1..] {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() - 1]).unwrap();
    }
    let error = Checkpoint::find(&test_folder.0).unwrap_err();
    assert!(error.title.contains("step-00000003"), "{error}");
    let help = &error.helps[0].text;
    assert!(
        help.contains("step 1") && help.contains("--resume") && help.contains("step-00000001.safetensors"),
        "{error}"
    );
    fs::remove_file(&paths[1]).unwrap();
    fs::remove_file(&paths[2]).unwrap();
    assert_eq!(Checkpoint::find(&test_folder.0).unwrap().unwrap().1.progress.step, 1);
    fs::remove_file(&paths[0]).unwrap();
    assert!(Checkpoint::find(&test_folder.0).unwrap().is_none());
}

/// Disk with a limited number of free bytes for each file.
struct SmallDisk(usize);

impl Disk for SmallDisk {
    fn write(&self, path: &Path, content: &mut Content<'_>) -> io::Result<()> {
        content(&mut SmallFile { file: fs::File::create(path)?, room: self.0 })
    }
}

/// File on a [`SmallDisk`].
struct SmallFile {
    file: fs::File,
    room: usize,
}

impl io::Write for SmallFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = bytes.len().min(self.room);
        if written == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.room -= written;
        self.file.write_all(&bytes[..written])?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn full_disk_preserves_earlier_checkpoints() {
    let test_folder = TestFolder::new("full");
    let before = Folder::open(&test_folder.0, 1).unwrap().save(&checkpoint(1)).unwrap();
    let size = fs::read(&before).unwrap().len();
    for room in [0, 1, size / 2, size - 1] {
        let error =
            Folder::open_with_disk(&test_folder.0, 1, SmallDisk(room)).unwrap().save(&checkpoint(2)).unwrap_err();
        let text = error.to_string().replace(&test_folder.0.display().to_string(), "DIR");
        expect![[r#"
            error[K004]: cannot write checkpoint `DIR/step-00000002.safetensors`: the disk is full
              = note: the file has 550 bytes
              = note: earlier checkpoints are unchanged
              = help: free disk space, then resume from the last checkpoint: `--resume DIR/step-00000001.safetensors`"#]]
        .assert_eq(&text);
        assert_eq!(test_folder.files(), [before.file_name().unwrap().to_str().unwrap()], "nothing unfinished is left");
        assert!(same(&Checkpoint::read(&before).unwrap(), &checkpoint(1)));
    }
}

/// Full disk of the operating system, where available.
#[cfg(target_os = "linux")]
struct FullDisk;

#[cfg(target_os = "linux")]
impl Disk for FullDisk {
    fn write(&self, _: &Path, content: &mut Content<'_>) -> io::Result<()> {
        content(&mut fs::OpenOptions::new().write(true).open("/dev/full")?)
    }
}

#[cfg(target_os = "linux")]
#[test]
fn storage_full_error_is_recognised() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let test_folder = TestFolder::new("enospc");
    let error = Folder::open_with_disk(&test_folder.0, 1, FullDisk).unwrap().save(&checkpoint(2)).unwrap_err();
    assert!(error.title.contains("the disk is full"), "{error}");
    assert!(Checkpoint::find(&test_folder.0).unwrap().is_none());
}

/// Older checkpoints do not contain `scale`; such a file is identical to one of unscaled data.
#[test]
fn older_checkpoints_have_no_scale() {
    let test_folder = TestFolder::new("older");
    let folder = Folder::open(&test_folder.0, 3).unwrap();
    let contains_scale = |path: &Path| fs::read(path).unwrap().windows(5).any(|word| word == b"scale");
    let (older, newer) = (folder.save(&checkpoint(1)).unwrap(), folder.save(&checkpoint(7)).unwrap());
    assert_eq!((contains_scale(&older), contains_scale(&newer)), (false, true));
    assert_eq!(Checkpoint::read(&older).unwrap().progress.scale, None);
    assert_eq!(Checkpoint::read(&older).unwrap().progress.origin, None);
    assert_eq!(Checkpoint::read(&newer).unwrap().progress.scale, Some(1.0 / 3.0));
}

/// Disk that records file writes and folder syncs.
#[derive(Clone, Default)]
struct RecordingDisk(Arc<Mutex<Vec<String>>>);

impl RecordingDisk {
    fn record(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }
}

impl Disk for RecordingDisk {
    fn write(&self, path: &Path, content: &mut Content<'_>) -> io::Result<()> {
        self.record(format!("write {}", path.file_name().unwrap().display()));
        content(&mut fs::File::create(path)?)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.record(format!("sync {}", folder.file_name().unwrap().display()));
        Ok(())
    }
}

/// A new folder is durable only after its parent folder is synced, outermost first.
#[test]
fn new_folders_are_synced_in_their_parents() {
    let test_folder = TestFolder::new("synced");
    let disk = RecordingDisk::default();
    let test_folder_name = test_folder.0.file_name().unwrap().display().to_string();
    let folder = Folder::open_with_disk(&test_folder.0.join("runs").join("one"), 1, disk.clone()).unwrap();
    assert_eq!(*disk.0.lock().unwrap(), [format!("sync {test_folder_name}"), "sync runs".into()]);
    folder.save(&checkpoint(1)).unwrap();
    assert_eq!(disk.0.lock().unwrap()[2..], ["write step-00000001.safetensors.part", "sync one"]);
    drop(folder);
    let again = RecordingDisk::default();
    Folder::open_with_disk(&test_folder.0.join("runs").join("one"), 1, again.clone()).unwrap();
    assert!(again.0.lock().unwrap().is_empty(), "nothing was made");
}

#[test]
fn folder_has_one_owner_at_a_time() {
    let test_folder = TestFolder::new("locked");
    // A killed process leaves a lock file with its content, but no lock.
    fs::write(test_folder.0.join(".lock"), "{\"process\":1,\"host\":null,\"since\":0}").unwrap();
    let folder = Folder::open(&test_folder.0, 1).unwrap();
    let Err(error) = Folder::open(&test_folder.0, 1) else { panic!("the folder has two owners") };
    assert_eq!(error.code, Code::K006);
    let text = error.to_string();
    assert!(text.contains(&format!("process {}", std::process::id())), "{text}");
    drop(folder);
    Folder::open(&test_folder.0, 1).unwrap();
}

#[test]
fn incomplete_files_are_removed() {
    let test_folder = TestFolder::new("left");
    fs::write(test_folder.0.join("step-00000003.safetensors.part"), "half").unwrap();
    fs::write(test_folder.0.join("notes.part"), "mine").unwrap();
    Folder::open(&test_folder.0, 1).unwrap();
    assert_eq!(test_folder.files(), ["notes.part"]);
}

#[cfg(unix)]
#[test]
fn a_checkpoint_is_not_written_through_a_link() {
    let test_folder = TestFolder::new("linked");
    let folder = Folder::open(&test_folder.0, 1).unwrap();
    let elsewhere = test_folder.0.join("elsewhere");
    fs::write(&elsewhere, "precious").unwrap();
    std::os::unix::fs::symlink(&elsewhere, test_folder.0.join("step-00000001.safetensors.part")).unwrap();
    folder.save(&checkpoint(1)).unwrap();
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "precious");
    assert!(!fs::symlink_metadata(test_folder.0.join("step-00000001.safetensors")).unwrap().is_symlink());
}

#[test]
fn checkpoint_of_another_model_is_rejected() {
    let test_folder = TestFolder::new("other");
    let path = Folder::open(&test_folder.0, 1).unwrap().save(&checkpoint(1)).unwrap();
    let read = Checkpoint::read(&path).unwrap();
    let (weight, bias) = (Type::new(DType::F32, [3, 4]), Type::new(DType::BF16, [5]));
    read.check_params(&path, [("layers.0.weight", &weight), ("layers.0.bias", &bias)].into_iter()).unwrap();
    let wide = Type::new(DType::F32, [3, 8]);
    let error = read.check_params(&path, [("layers.0.weight", &wide), ("head.bias", &bias)].into_iter()).unwrap_err();
    let notes = error.notes.join("\n");
    assert_eq!(error.code, Code::K002);
    for part in [
        "lacks `head.bias`",
        "only the checkpoint has `layers.0.bias`",
        "(f32[3, 4] in the checkpoint, f32[3, 8] in the model)",
    ] {
        assert!(notes.contains(part), "{notes}");
    }
}
