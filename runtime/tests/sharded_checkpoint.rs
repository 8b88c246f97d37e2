//! Sharded checkpoints: written by several processes, read by any number of them, by extent.

use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use partita_machine::network::RankTransport;
use partita_runtime::checkpoint::disk::{Content, Disk, SystemDisk};
use partita_runtime::checkpoint::{
    Checkpoint, CheckpointSource, Folder, MANIFEST_FILE, MergeTarget, Progress, SavedCheckpoint, file_states, merge,
    split, write_state,
};
use partita_runtime::processes::Processes;
use partita_runtime::processes::threads::ThreadWire;
use partita_runtime::processes::wire::{Message, Receiver, Wire};
use partita_runtime::source::{TensorSource, TensorsInMemory};
use partita_runtime::state::{State, StateTensor};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Folder of one test, removed at its end.
struct TestFolder(PathBuf);

impl TestFolder {
    fn new(test: &str) -> TestFolder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sharded-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        TestFolder(path)
    }

    /// Returns the sorted paths of all files below the folder, except the lock file.
    fn files(&self) -> Vec<String> {
        fn add(folder: &Path, prefix: &str, all: &mut Vec<String>) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
                match entry.path().is_dir() {
                    true => {
                        all.push(format!("{name}/"));
                        add(&entry.path(), &format!("{name}/"), all);
                    }
                    false => all.push(name),
                }
            }
        }
        let mut all = Vec::new();
        add(&self.0, "", &mut all);
        all.retain(|name| name != ".lock");
        all.sort();
        all
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Tensors of several types; their first dimensions do not divide evenly, and some have fewer rows than processes.
fn tensors(step: u64) -> IndexMap<String, Tensor> {
    let floats = |dtype, shape: &[usize]| {
        let ty = Type::new(dtype, shape);
        let count = ty.shape.count();
        Tensor::from_floats(ty, (0..count).map(|i| (i as f64 + step as f64) / 7.0).collect())
    };
    let ints = |dtype, shape: &[usize], items: Vec<i64>| Tensor::from_ints(Type::new(dtype, shape), items);
    let tensors = [
        ("layers.0.weight", floats(DType::F32, &[7, 3])),
        ("layers.0.bias", floats(DType::BF16, &[5])),
        ("small.weight", floats(DType::F64, &[2, 2])),
        ("mask", ints(DType::Bool, &[3], vec![1, 0, 1])),
        ("codes", ints(DType::I4, &[6], vec![-8, 7, 0, 1, -1, 3])),
        ("optimizer.step", ints(DType::I32, &[], vec![step as i64])),
        ("empty", floats(DType::F32, &[0, 4])),
    ];
    tensors.map(|(name, tensor)| (name.to_owned(), tensor)).into()
}

fn progress(step: u64) -> Progress {
    Progress { step, model: "a \"model\"".into(), plan: "mesh = { data = 2 }\n".into(), ..Progress::default() }
}

/// Runs a function on threads that act as processes.
fn on_processes<T: Send>(count: usize, run: impl Fn(Arc<Processes>) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let run = &run;
        let start = |wire| scope.spawn(move || run(Processes::new(Arc::new(wire), Duration::from_secs(60))));
        let running: Vec<_> = ThreadWire::connected(count).into_iter().map(start).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Returns the state of a source, in blocks of rows.
fn state_of(source: &dyn TensorSource, processes: Option<Arc<Processes>>) -> Result<State, Diagnostic> {
    let mut tensors = IndexMap::new();
    for name in source.names() {
        let ty = source.ty(&name).unwrap();
        tensors.insert(name.clone(), StateTensor::read_rows(source, &name, &ty, processes.as_deref())?);
    }
    Ok(State { tensors, processes })
}

/// Opens the folder in the way of a process.
fn open(path: &Path, retained: usize, processes: &Processes, disk: impl Disk + Send + 'static) -> Folder {
    match processes.index() {
        0 => Folder::open_with_disk(path, retained, disk).unwrap(),
        _ => Folder::for_other_process_with_disk(path, disk),
    }
}

/// Saves checkpoints of some steps on several processes.
fn save(path: &Path, count: usize, retained: usize, steps: &[u64]) {
    for result in on_processes(count, |processes| {
        let folder = open(path, retained, &processes, SystemDisk);
        steps.iter().try_for_each(|&step| {
            let all = tensors(step);
            let state = state_of(&TensorsInMemory(&all), Some(processes.clone()))?;
            folder.save_state(&progress(step), &state).map(|_| ())
        })
    }) {
        result.unwrap();
    }
}

fn step_folder(path: &Path, step: u64) -> PathBuf {
    path.join(format!("step-{step:08}"))
}

#[test]
fn any_number_of_processes_reads_its_extents_only() {
    let folder = TestFolder::new("read");
    save(&folder.0, 4, 3, &[5]);
    let path = step_folder(&folder.0, 5);
    let expected = tensors(5);
    let read = Checkpoint::read(&path).unwrap();
    assert!(
        read.tensors.iter().all(|(name, tensor)| expected[name] == *tensor) && read.tensors.len() == expected.len()
    );
    assert_eq!(read.progress, progress(5));
    assert_eq!(Checkpoint::find(&folder.0).unwrap().unwrap(), (path.clone(), read));
    let total: u64 = expected.values().map(|tensor| tensor.ty.bytes()).sum();
    for count in [1, 2, 3, 4, 7] {
        let bytes = on_processes(count, |processes| {
            let saved = SavedCheckpoint::find(&folder.0, Some(&processes)).unwrap().unwrap();
            let source = CheckpointSource::new(&saved, Some(processes.clone()));
            let state = state_of(&source, Some(processes.clone())).unwrap();
            source.verify().unwrap();
            // The state is compared as one file of all processes.
            let name = format!("all-{count}.safetensors");
            write_state(&folder.0.join(&name), &state).unwrap();
            saved.bytes_read()
        });
        assert_eq!(bytes.iter().sum::<u64>(), total, "{count} processes read {bytes:?}");
        let path = folder.0.join(format!("all-{count}.safetensors"));
        let read = partita_runtime::io::read_tensors(&path).unwrap();
        for (name, tensor) in &expected {
            // A file has no type of four bits.
            assert!(read[name].to_bytes() == tensor.to_bytes(), "{count} processes: {name}");
        }
    }
}

#[test]
fn merged_and_split_checkpoints_have_the_bytes_of_one_process() {
    let folder = TestFolder::new("merge");
    save(&folder.0.join("ranks"), 3, 3, &[2]);
    let saved = SavedCheckpoint::find(&folder.0.join("ranks"), None).unwrap().unwrap();
    let one = Folder::open(&folder.0.join("one"), 3).unwrap();
    let single = one.save(&Checkpoint { progress: progress(2), tensors: tensors(2) }).unwrap();
    let expected = fs::read(&single).unwrap();
    let merged = folder.0.join("merged.safetensors");
    merge(&saved, &MergeTarget::File(merged.clone())).unwrap();
    assert!(fs::read(&merged).unwrap() == expected, "merged from three processes");
    for (max_bytes, files) in [(1, 7), (100, 2), (1 << 20, 1)] {
        let several = folder.0.join(format!("merged-{max_bytes}"));
        merge(&saved, &MergeTarget::Folder { path: several.clone(), max_bytes }).unwrap();
        let index = fs::read(several.join("model.safetensors.index.json")).unwrap();
        let index: serde_json::Value = serde_json::from_slice(&index).unwrap();
        for (name, tensor) in tensors(2) {
            let file = several.join(index["weight_map"][&name].as_str().unwrap());
            assert!(partita_runtime::io::read_tensors(&file).unwrap()[&name].to_bytes() == tensor.to_bytes(), "{name}");
        }
        let several = SavedCheckpoint::open(&several).unwrap();
        assert!(several.files().len() <= files && several.files().len() * 2 >= files, "{}", several.files().len());
        merge(&several, &MergeTarget::File(merged.clone())).unwrap();
        assert!(fs::read(&merged).unwrap() == expected, "merged from files of {max_bytes} bytes");
    }
    for count in [1, 2, 5] {
        // The original has a type of four bits, which a single file stores in eight.
        let path = folder.0.join(format!("split-{count}"));
        split(&SavedCheckpoint::open(&single).unwrap(), &path, count).unwrap();
        let parts = SavedCheckpoint::open(&path).unwrap();
        assert_eq!(parts.files().len(), count);
        assert!(file_states(&parts).iter().all(|state| state.error.is_none()));
        merge(&parts, &MergeTarget::File(merged.clone())).unwrap();
        assert!(fs::read(&merged).unwrap() == expected, "split for {count} processes");
        let error = split(&saved, &path, count).unwrap_err();
        assert_eq!(error.code, Code::K004, "a folder is not replaced");
    }
}

/// Every changed byte of every file is detected: in shards by the processes that read them, in headers by
/// `file_states`.
#[test]
fn every_bit_flip_is_detected_with_file_and_tensor() {
    let folder = TestFolder::new("flips");
    save(&folder.0, 2, 3, &[1]);
    let path = step_folder(&folder.0, 1);
    for entry in fs::read_dir(&path).unwrap().map(Result::unwrap) {
        let undamaged = fs::read(entry.path()).unwrap();
        let name = entry.file_name().into_string().unwrap();
        let data = match name.as_str() {
            MANIFEST_FILE => 0,
            _ => 8 + usize::try_from(u64::from_le_bytes(undamaged[..8].try_into().unwrap())).unwrap(),
        };
        for at in 0..undamaged.len() {
            let mut bytes = undamaged.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(entry.path(), &bytes).unwrap();
            let error = match at < data {
                true => file_states(&SavedCheckpoint::open(&path).unwrap()).into_iter().find_map(|s| s.error).unwrap(),
                false => Checkpoint::read(&path).unwrap_err(),
            };
            assert_eq!(error.code, Code::K001, "bit flipped in byte {at} of {name}: {error}");
            assert!(error.title.contains(&name), "{error}");
        }
        fs::write(entry.path(), &undamaged[..undamaged.len() - 1]).unwrap();
        assert_eq!(Checkpoint::read(&path).unwrap_err().code, Code::K001, "{name} is truncated");
        fs::remove_file(entry.path()).unwrap();
        let error = Checkpoint::read(&path).unwrap_err();
        assert!(error.code == Code::K001 && error.title.contains(&name), "{error}");
        fs::write(entry.path(), &undamaged).unwrap();
    }
    Checkpoint::read(&path).unwrap();
}

#[test]
fn damage_is_reported_by_all_processes_with_an_undamaged_checkpoint() {
    let folder = TestFolder::new("damage");
    save(&folder.0, 2, 5, &[1, 2, 3]);
    for step in [2, 3] {
        let file = step_folder(&folder.0, step).join("rank-00001-of-00002.safetensors");
        let mut bytes = fs::read(&file).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::write(&file, &bytes).unwrap();
    }
    let errors = on_processes(3, |processes| {
        let saved = SavedCheckpoint::find(&folder.0, Some(&processes)).unwrap().unwrap();
        let source = CheckpointSource::new(&saved, Some(processes.clone()));
        state_of(&source, Some(processes.clone())).unwrap();
        source.verify().unwrap_err()
    });
    for error in &errors {
        assert_eq!(error.code, Code::K001);
        assert!(error.title.contains("step-00000003") && error.title.contains("rank-00001-of-00002"), "{error}");
        assert!(error.title.contains("the shard of `mask`"), "{error}");
    }
    let help = &errors[0].helps[0].text;
    assert!(help.contains("the undamaged checkpoint of step 1") && help.contains("step-00000001"), "{help}");
}

/// Disk that fails after a number of bytes of shards, or on its n-th operation.
#[derive(Clone)]
struct FailingDisk {
    room: usize,
    operations: Arc<AtomicUsize>,
}

impl FailingDisk {
    fn with_room(room: usize) -> FailingDisk {
        FailingDisk { room, operations: Arc::new(AtomicUsize::new(usize::MAX)) }
    }

    fn operate(&self) -> io::Result<()> {
        let left = self.operations.fetch_sub(1, Ordering::Relaxed);
        if left == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

struct SmallFile {
    file: fs::File,
    room: usize,
}

impl Write for SmallFile {
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

impl Disk for FailingDisk {
    fn write(&self, path: &Path, content: &mut Content<'_>) -> io::Result<()> {
        content(&mut SmallFile { file: fs::File::create(path)?, room: self.room })?;
        self.operate()
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        self.operate()
    }
}

/// Saves step 2 on three processes, of which one has the given disk. Returns the results of all.
fn save_with(path: &Path, failing: usize, disk: &FailingDisk) -> Vec<Result<PathBuf, Diagnostic>> {
    on_processes(3, |processes| {
        let disk = match processes.index() == failing {
            true => disk.clone(),
            false => FailingDisk::with_room(usize::MAX),
        };
        let folder = open(path, 1, &processes, disk);
        let all = tensors(2);
        let state = state_of(&TensorsInMemory(&all), Some(processes.clone()))?;
        folder.save_state(&progress(2), &state)
    })
}

#[test]
fn a_full_disk_of_one_process_fails_on_all_without_partial_files() {
    let folder = TestFolder::new("full");
    save(&folder.0, 3, 1, &[1]);
    let before = folder.files();
    for failing in 0..3 {
        for room in [0, 1, 200, 400] {
            for (process, result) in
                save_with(&folder.0, failing, &FailingDisk::with_room(room)).into_iter().enumerate()
            {
                let error = result.unwrap_err();
                let start = format!("rank {failing} cannot write checkpoint `");
                assert!(error.code == Code::K004 && error.title.starts_with(&start), "{process}: {error}");
                assert!(error.title.ends_with(": the disk is full"), "{error}");
                assert!(error.helps[0].text.contains("step-00000001"), "{error}");
            }
            assert_eq!(folder.files(), before, "rank {failing} has room for {room} bytes");
            Checkpoint::read(&step_folder(&folder.0, 1)).unwrap();
        }
    }
    // Any operation of the disk may fail, that which commits the checkpoint included.
    let mut failures = 0;
    for failing in 0..3 {
        for operation in 0.. {
            let disk = FailingDisk::with_room(usize::MAX);
            disk.operations.store(operation, Ordering::Relaxed);
            let results = save_with(&folder.0, failing, &disk);
            if results.iter().all(Result::is_ok) {
                break;
            }
            assert!(results.iter().all(Result::is_err), "{failing} {operation}");
            assert_eq!(folder.files(), before, "operation {operation} of rank {failing}");
            failures += 1;
        }
        fs::remove_dir_all(&folder.0).unwrap();
        save(&folder.0, 3, 1, &[1]);
    }
    assert!(failures >= 6, "{failures}");
}

/// Wire that loses the sender of the n-th value, once the checkpoint is complete or has had time to become so.
struct LosingWire {
    wire: ThreadWire,
    /// Number of values before the lost one.
    values: usize,
    manifest: PathBuf,
}

struct LosingReceiver {
    receiver: Arc<dyn Receiver>,
    values: AtomicUsize,
    manifest: PathBuf,
}

impl Receiver for LosingReceiver {
    fn receive(&self, from: usize, message: Message) {
        if !matches!(message, Message::Value { .. }) || self.values.fetch_sub(1, Ordering::Relaxed) > 0 {
            return self.receiver.receive(from, message);
        }
        for _ in 0..20 {
            if self.manifest.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.receiver.lose(from, "it was killed");
    }

    fn lose(&self, process: usize, why: &str) {
        self.receiver.lose(process, why);
    }
}

impl Wire for LosingWire {
    fn index(&self) -> usize {
        self.wire.index()
    }

    fn count(&self) -> usize {
        self.wire.count()
    }

    fn local_count(&self) -> usize {
        self.wire.local_count()
    }

    fn transport(&self) -> RankTransport {
        self.wire.transport()
    }

    fn start(&self, receiver: Arc<dyn Receiver>) {
        let (values, manifest) = (AtomicUsize::new(self.values), self.manifest.clone());
        self.wire.start(Arc::new(LosingReceiver { receiver, values, manifest }));
    }

    fn send(&self, to: usize, message: Message) {
        self.wire.send(to, message);
    }

    fn finish(&self) {
        self.wire.finish();
    }
}

#[test]
fn a_complete_checkpoint_has_all_files_whenever_a_process_is_lost() {
    let folder = TestFolder::new("lost");
    let manifest = step_folder(&folder.0, 2).join(MANIFEST_FILE);
    let (mut complete, mut incomplete) = (0, 0);
    for process in 0..3 {
        for values in 0.. {
            let path = &folder.0;
            let read = || SavedCheckpoint::find(path, None)?.map(|found| found.read_all()).transpose();
            let results: Vec<_> = std::thread::scope(|scope| {
                let manifest = &manifest;
                let start = move |wire: ThreadWire| {
                    scope.spawn(move || {
                        let wire: Arc<dyn Wire> = match wire.index() == process {
                            true => Arc::new(LosingWire { wire, values, manifest: manifest.clone() }),
                            false => Arc::new(wire),
                        };
                        let processes = Processes::new(wire, Duration::from_secs(60));
                        let folder = open(path, 1, &processes, SystemDisk);
                        let all = tensors(2);
                        let state = state_of(&TensorsInMemory(&all), Some(processes.clone())).unwrap();
                        let saved = folder.save_state(&progress(2), &state);
                        // The other processes wait for this one: they do nothing more, as if they were killed.
                        (saved, read())
                    })
                };
                let running: Vec<_> = ThreadWire::connected(3).into_iter().map(start).collect();
                running.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            if results.iter().all(|(saved, _)| saved.is_ok()) {
                break;
            }
            let (saved, found) = &results[process];
            assert!(saved.is_err(), "process {process} has lost another one after {values} values");
            match found {
                Ok(Some(found)) => assert!(found.tensors == tensors(2), "process {process}, {values} values"),
                Ok(None) => (),
                Err(damaged) => panic!("process {process}, {values} values: {damaged}"),
            }
            match read().unwrap() {
                Some(_) => complete += 1,
                None => incomplete += 1,
            }
            fs::remove_dir_all(path).unwrap();
        }
    }
    assert!(complete >= 2 && incomplete >= 2, "{complete} complete, {incomplete} incomplete");
}

#[test]
fn newest_checkpoints_of_both_forms_are_retained() {
    let folder = TestFolder::new("retained");
    save(&folder.0, 2, 2, &[10, 20, 30]);
    let names = |folder: &TestFolder| {
        let names = folder.files().into_iter().filter(|name| !name.contains("/") || name.ends_with('/'));
        names.collect::<Vec<_>>()
    };
    assert_eq!(names(&folder), ["step-00000020/", "step-00000030/"]);
    let one = Folder::open(&folder.0, 2).unwrap();
    one.save(&Checkpoint { progress: progress(30), tensors: tensors(30) }).unwrap();
    assert_eq!(names(&folder), ["step-00000020/", "step-00000030.safetensors"]);
    one.save(&Checkpoint { progress: progress(25), tensors: tensors(25) }).unwrap();
    assert_eq!(names(&folder), ["step-00000020/", "step-00000025.safetensors"]);
    drop(one);
    save(&folder.0, 2, 1, &[25]);
    assert_eq!(names(&folder), ["step-00000025/"]);
    save(&folder.0, 3, 1, &[25]);
    assert_eq!(names(&folder), ["step-00000025/"]);
    assert_eq!(Checkpoint::find(&folder.0).unwrap().unwrap().1.tensors["small.weight"], tensors(25)["small.weight"]);
}

#[test]
fn a_folder_without_manifest_is_incomplete_and_removed_by_the_next_run() {
    let folder = TestFolder::new("incomplete");
    save(&folder.0, 2, 3, &[1, 2]);
    fs::remove_file(step_folder(&folder.0, 2).join(MANIFEST_FILE)).unwrap();
    fs::create_dir(folder.0.join("step-00000003")).unwrap();
    fs::write(folder.0.join("step-00000003").join("notes.txt"), "mine").unwrap();
    let error = Checkpoint::read(&step_folder(&folder.0, 2)).unwrap_err();
    assert!(error.code == Code::K001 && error.title.contains("is incomplete"), "{error}");
    assert_eq!(Checkpoint::find(&folder.0).unwrap().unwrap().1.progress.step, 1);
    drop(Folder::open(&folder.0, 3).unwrap());
    let files = folder.files();
    assert!(!files.iter().any(|name| name.starts_with("step-00000002")), "{files:?}");
    assert!(files.contains(&"step-00000003/notes.txt".to_owned()), "{files:?}");
}

#[test]
fn replicas_that_differ_are_an_error() {
    let folder = TestFolder::new("replicas");
    let results = on_processes(2, |processes| {
        let folder = open(&folder.0, 1, &processes, SystemDisk);
        // Each process says that both have the same tensor, but one has another value.
        let all = tensors(processes.index() as u64);
        let mut tensor =
            StateTensor::read_rows(&TensorsInMemory(&all), "optimizer.step", &all["optimizer.step"].ty, None)?;
        tensor.shards[0].processes = vec![0, 1];
        let tensors = [("optimizer.step".to_owned(), tensor)].into();
        folder.save_state(&progress(1), &State { tensors, processes: Some(processes.clone()) })
    });
    for result in results {
        let error = result.unwrap_err();
        assert!(error.code == Code::R003 && error.title.contains("`optimizer.step`"), "{error}");
    }
    assert_eq!(folder.files(), Vec::<String>::new());
}
