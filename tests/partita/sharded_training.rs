//! Training on several processes, which are threads here, compared with one process: checkpoints, resumption on other
//! numbers of processes, changes of the plan, and validation are identical bit for bit.

use partita::prelude::*;
use partita::{Dataset, Trainer};
use partita_ir::dtype::{DType, Type};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::checkpoint::{MergeTarget, SavedCheckpoint, merge};
use partita_runtime::processes::Processes;
use partita_runtime::processes::threads::ThreadWire;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Two layers with sizes that no number of devices divides, and a parameter that no output needs.
const MODEL: &str = r#"form traced
param %w1 "layers.0.weight" : f32[5, 11]
param %b1 "layers.0.bias" : f32[11]
param %w2 "layers.1.weight" : f32[11, 3]
param %spare "spare.weight" : f32[7, 2]
input %x : f32[12, 5]
input %label : i64[12]
input %key : u32[2]
  %h = matmul %x, %w1 : f32[12, 11]
  %b = broadcast [1] %b1 : f32[12, 11]
  %a = add %h, %b : f32[12, 11]
  %r = relu %a : f32[12, 11]
  %u = random uniform %key : f32[12, 11]
  %p = constant 0.75 : f32[12, 11]
  %c = compare lt %u, %p : bool[12, 11]
  %m = convert %c : f32[12, 11]
  %d = mul %r, %m : f32[12, 11]
  %logits = matmul %d, %w2 : f32[12, 3]
  %e = cross_entropy %logits, %label : f32[12]
  %s = reduce sum [0] %e : f32[]
  %n = constant 12.0 : f32[]
  %loss = div %s, %n : f32[]
output %loss "loss"
"#;

struct TestFolder(PathBuf);

impl TestFolder {
    fn new(test: &str) -> TestFolder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ranks-{test}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        TestFolder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn model() -> Program {
    partita::parse("model.pir", MODEL).unwrap()
}

fn data() -> Dataset {
    let numbers = (0..100 * 5).map(|i| f64::from((i * 37 + i / 7 * 11) % 101) / 50.0 - 1.0).collect();
    let labels = (0..100).map(|i| i64::from(i * 5 % 3)).collect();
    let x = Tensor::from_floats(Type::new(DType::F32, [100, 5]), numbers);
    let label = Tensor::from_ints(Type::new(DType::I64, [100]), labels);
    Dataset::tensors("data", [("x".to_owned(), x), ("label".to_owned(), label)].into()).unwrap()
}

/// Writes the data to a file, whose samples stay there.
fn data_in_file(folder: &TestFolder) -> PathBuf {
    let path = folder.path("data.safetensors");
    let fields = ["x", "label"].map(|name| (name.to_owned(), data().field(name).unwrap()));
    let fields = fields.iter().map(|(name, tensor)| (name.clone(), tensor));
    partita_runtime::io::write_tensors(&path, fields).unwrap();
    path
}

fn plan(axes: &[(&str, u32)], presets: &str) -> Plan {
    let mesh = Mesh::new(axes.iter().map(|&(name, size)| (name, size))).unwrap();
    Plan::new(mesh).preset(presets).train("adamw?lr=1e-2")
}

/// Runs a trainer on some processes; 0 for a process without a launcher. Returns the losses that each reports.
fn run(count: usize, plan: &Plan, configure: impl Fn(Trainer) -> Trainer + Sync) -> Vec<Vec<u64>> {
    run_on_data(count, plan, &data, configure)
}

/// [`run`] on other data.
fn run_on_data(
    count: usize,
    plan: &Plan,
    data: &(dyn Fn() -> Dataset + Sync),
    configure: impl Fn(Trainer) -> Trainer + Sync,
) -> Vec<Vec<u64>> {
    let train = |processes| {
        let trainer = configure(Trainer::new(&model(), plan, data()).seed(3));
        let trainer = match processes {
            Some(processes) => trainer.on_processes(processes),
            None => trainer,
        };
        let trained = trainer.run(&mut |_| ()).unwrap_or_else(|e| panic!("{e}"));
        let validation = trained.validation.map(|score| score.loss.to_bits());
        trained.records.iter().map(|record| record.loss.to_bits()).chain(validation).collect()
    };
    if count == 0 {
        return vec![train(None)];
    }
    std::thread::scope(|scope| {
        let train = &train;
        let start = |wire| scope.spawn(move || train(Some(Processes::new(Arc::new(wire), Duration::from_secs(60)))));
        let running: Vec<_> = ThreadWire::connected(count).into_iter().map(start).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Asserts that several processes have the losses and the output file of one.
fn check(test: &str, count: usize, plan: &Plan, configure: impl Fn(Trainer, &str) -> Trainer + Sync) {
    let folder = TestFolder::new(test);
    let output = |name: &str| folder.path(&format!("{name}.safetensors"));
    let one = run(0, plan, |trainer| configure(trainer, "one").output(output("one")));
    let several = run(count, plan, |trainer| configure(trainer, "several").output(output("several")));
    assert_eq!(several, vec![one[0].clone(); count], "{test}");
    assert!(fs::read(output("several")).unwrap() == fs::read(output("one")).unwrap(), "{test}");
}

#[test]
fn a_checkpoint_of_four_processes_resumes_on_any_number() {
    let folder = TestFolder::new("resume");
    let saving = plan(&[("data", 4)], "zero3");
    run(0, &saving, |trainer| trainer.steps(6).save(folder.path("one"), 3));
    run(4, &saving, |trainer| trainer.steps(6).save(folder.path("ranks"), 3));
    for step in [3, 6] {
        let sharded = SavedCheckpoint::open(&folder.path(&format!("ranks/step-{step:08}"))).unwrap();
        assert!(sharded.is_sharded() && sharded.files().len() == 4);
        let merged = folder.path("merged.safetensors");
        merge(&sharded, &MergeTarget::File(merged.clone())).unwrap();
        let expected = fs::read(folder.path(&format!("one/step-{step:08}.safetensors"))).unwrap();
        assert!(fs::read(merged).unwrap() == expected, "step {step}");
    }
    let resumed = [
        (0, plan(&[("data", 1)], "data")),
        (1, plan(&[("data", 2)], "zero3")),
        (2, plan(&[("data", 2)], "zero1")),
        (2, plan(&[("data", 4)], "zero3")),
        (3, plan(&[("data", 3)], "zero3")),
        (3, plan(&[("model", 3)], "megatron")),
        (4, plan(&[("data", 2), ("model", 2)], "data,megatron")),
        (2, plan(&[("data", 1)], "data").pipeline("layers.0.** | layers.1.**").schedule("1f1b").micro_batches("3")),
    ];
    for (number, (count, other)) in resumed.iter().enumerate() {
        let from = |file: &str| folder.path(file);
        let output = |name: &str| folder.path(&format!("{name}-{number}.safetensors"));
        let expected = run(0, other, |trainer| {
            trainer.steps(8).resume(from("one/step-00000003.safetensors")).output(output("one"))
        });
        let several =
            run(*count, other, |trainer| trainer.steps(8).resume(from("ranks/step-00000003")).output(output("ranks")));
        assert!(several.iter().all(|losses| *losses == expected[0]), "{count} processes: {}", other.to_toml());
        let [several, expected] = [output("ranks"), output("one")].map(|path| fs::read(path).unwrap());
        assert!(several == expected, "{count} processes: {}", other.to_toml());
        // The file of one process is read by several, too.
        if *count > 0 {
            run(*count, other, |trainer| {
                trainer.steps(8).resume(from("one/step-00000003.safetensors")).output(output("ranks"))
            });
            assert!(fs::read(output("ranks")).unwrap() == expected, "{count} processes: {}", other.to_toml());
        }
    }
}

#[test]
fn frozen_parameters_and_initial_files_are_divided() {
    let folder = TestFolder::new("initial-file");
    let zero3 = plan(&[("data", 3)], "zero3");
    run(0, &zero3, |trainer| trainer.steps(2).output(folder.path("initial.safetensors")));
    check("initial", 3, &zero3, |trainer, _| trainer.steps(3).initial(folder.path("initial.safetensors")));
    check("frozen", 3, &zero3.clone().freeze("layers.0.**"), |trainer, _| {
        trainer.steps(3).initial(folder.path("initial.safetensors"))
    });
    check("narrow", 3, &zero3.precision("**", "bf16"), |trainer, _| trainer.steps(3).validate(0.25));
}

#[test]
fn plans_are_switched_without_global_parameters() {
    let other = plan(&[("model", 4)], "megatron");
    let folder = TestFolder::new("switched");
    check("switch", 4, &plan(&[("data", 4)], "zero3"), |trainer, name| {
        trainer.steps(5).replan(2, &other).validate(0.2).save(folder.path(name), 4)
    });
    check("switch-unsaved", 2, &plan(&[("data", 4)], "zero3"), |trainer, _| trainer.steps(4).replan(2, &other));
}

/// Order of samples, normalisation, validation and fingerprints do not depend on the number of processes that read a
/// file.
#[test]
fn samples_in_a_file_are_read_by_batch() {
    let folder = TestFolder::new("data");
    let file = data_in_file(&folder);
    let plan = plan(&[("data", 3)], "zero3");
    let configure = |trainer: Trainer, name: &str| trainer.epochs(2).validate(0.2).save(folder.path(name), 100);
    let in_memory = || Dataset::read(&file, &model()).unwrap();
    let in_file = || Dataset::open(&file, &model()).unwrap();
    let expected = run_on_data(0, &plan, &in_memory, |trainer| configure(trainer, "memory"));
    let single = fs::read_dir(folder.path("memory")).unwrap().map(|entry| entry.unwrap().path());
    let single = single.filter(|path| path.extension().is_some()).last().unwrap();
    for count in [0, 2, 3] {
        let name = format!("file-{count}");
        let losses = run_on_data(count, &plan, &in_file, |trainer| configure(trainer, &name));
        assert!(losses.iter().all(|losses| *losses == expected[0]), "{count} processes");
        let saved = SavedCheckpoint::find(&folder.path(&name), None).unwrap().unwrap();
        let merged = folder.path("merged.safetensors");
        merge(&saved, &MergeTarget::File(merged.clone())).unwrap();
        // The checkpoint contains the normalisation and the fingerprint of the data.
        assert!(fs::read(merged).unwrap() == fs::read(&single).unwrap(), "{count} processes");
    }
}
