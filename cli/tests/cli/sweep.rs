//! `sweep`: many searches defined by a file.

use crate::support::{Folder, partita};
use expect_test::expect;
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

const SWEEP: &str = r#"models = ["zoo:mlp", "zoo:mlp?hidden=256"]
machines = ["pcie4"]
effort = "work=100000"

[constraints.all]

[constraints.two]
devices = 2
train = "sgd"
mesh = { rows = 2 }
fix = { "layers.*.weight" = "rows" }

[constraints.tight]
budget = "100KiB"
"#;

/// Returns the results table without the last column, which is measured.
fn table(folder: &Folder, name: &str) -> String {
    let lines = folder.read(&format!("{name}/results.csv"));
    lines.lines().filter_map(|line| Some(line.rsplit_once(',')?.0.to_string() + "\n")).collect()
}

fn rows(folder: &Folder, name: &str) -> Vec<Value> {
    let lines = folder.read(&format!("{name}/results.jsonl"));
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn sweep(folder: &Folder, flags: &[&str]) -> crate::support::CommandOutput {
    folder.write("small.toml", SWEEP);
    partita(folder, ["sweep", "small.toml"].iter().chain(flags))
}

#[test]
fn all_cases_are_searched_and_failures_are_rows() {
    let folder = Folder::new("sweep run");
    let ended = sweep(&folder, &["--json"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{}", ended.transcript());
    let said: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((&said["cases"], &said["finished"], &said["known"]), (&6.into(), &6.into(), &0.into()));
    let names: Vec<&str> = said["rows"].as_array().unwrap().iter().filter_map(|row| row["case"].as_str()).collect();
    expect![[r#"
        zoo-mlp.pcie4.all
        zoo-mlp.pcie4.two
        zoo-mlp.pcie4.tight
        zoo-mlp-hidden-256.pcie4.all
        zoo-mlp-hidden-256.pcie4.two
        zoo-mlp-hidden-256.pcie4.tight"#]]
    .assert_eq(&names.join("\n"));
    let table = table(&folder, "small");
    assert_eq!(table.lines().count(), 7, "{table}");
    expect![[r#"
        case,model,machine,constraint,given devices,given forward,given fix,given effort,given efficiencies,given mesh,given train,given budget,version,error,mesh,stages,microbatches,recompute,schedule,step_seconds,peak_bytes,used_devices,cost,bound,gap,stop
    "#]].assert_eq(&(table.lines().next().unwrap_or_default().to_string() + "\n"));
    for row in rows(&folder, "small") {
        let case = row["case"].as_str().unwrap();
        assert_eq!(row["given"]["effort"], "widest=262144,work=100000,gap=0.002");
        if row["constraint"] == "tight" {
            assert_eq!((&row["error"]["code"], &row["found"]), (&"L005".into(), &Value::Object(Default::default())));
            assert!(row["error"]["text"].as_str().unwrap().contains("help: pass `--budget"), "{row:#}");
            continue;
        }
        assert!(row["found"]["bound"].as_f64() <= row["found"]["step_seconds"].as_f64(), "{row:#}");
        let plan = format!("small/plans/{case}.toml");
        let flags = ["simulate", row["model"].as_str().unwrap(), "--machine", "pcie4", "--json", "--plan", &plan];
        let simulated: Value = serde_json::from_str(&partita(&folder, flags).out).unwrap();
        assert_eq!(simulated["step_seconds"], row["found"]["step_seconds"], "{case}");
        if row["constraint"] == "two" {
            assert_eq!(row["found"]["used_devices"], 2);
            assert_eq!(row["found"]["mesh"], "rows=2");
            let plan = folder.read(&plan);
            assert!(plan.contains("train = \"sgd\""), "{plan}");
            let weights: Vec<&str> =
                plan.lines().filter(|line| line.starts_with("\"layers") && line.contains("weight")).collect();
            assert!(
                !weights.is_empty()
                    && weights.iter().all(|line| line.ends_with("rows, _\"") || line.ends_with("_, rows\"")),
                "{plan}"
            );
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let folder = Folder::new("sweep threads");
    for (name, threads) in [("one", "1"), ("three", "3")] {
        let ended = sweep(&folder, &["-o", name, "--threads", threads]);
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    }
    assert_eq!(table(&folder, "one"), table(&folder, "three"));
    for row in rows(&folder, "one").iter().filter(|row| row["error"].is_null()) {
        let plan = format!("plans/{}.toml", row["case"].as_str().unwrap());
        assert_eq!(folder.read(&format!("one/{plan}")), folder.read(&format!("three/{plan}")));
    }
}

#[test]
fn killed_sweep_resumes() {
    let folder = Folder::new("sweep kill");
    // The last model takes long enough to be interrupted.
    let longer = SWEEP.replace("hidden=256\"", "hidden=256\", \"zoo:gpt\"");
    folder.write("small.toml", &longer);
    let start = |name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_partita"));
        command.args(["sweep", "small.toml", "--threads", "1", "-o", name]).current_dir(&folder.path);
        command.stdout(std::process::Stdio::null()).spawn().expect("the binary starts")
    };
    let lines = folder.path.join("killed/results.jsonl");
    let count = || std::fs::read_to_string(&lines).unwrap_or_default().lines().count();
    // The run is killed after the first result, then after the second one.
    for enough in [1, 2] {
        let mut running = start("killed");
        let started = Instant::now();
        while count() < enough && started.elapsed() < Duration::from_secs(50) {
            std::thread::sleep(Duration::from_millis(2));
        }
        running.kill().expect("the process is killed");
        running.wait().expect("the process has ended");
        assert!(count() >= enough, "{} results", count());
    }
    let before = rows(&folder, "killed");
    assert!(before.len() < 9, "the sweep finished before it was killed");
    let torn = folder.read("killed/results.jsonl") + "{\"case\": \"zoo-mlp.pci";
    folder.write("killed/results.jsonl", torn);
    let ended = partita(&folder, ["sweep", "small.toml", "-o", "killed", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let said: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(said["known"], before.len());
    let after = rows(&folder, "killed");
    assert_eq!((&after[..before.len()], after.len()), (&before[..], 9));
    let whole = partita(&folder, ["sweep", "small.toml", "-o", "whole"]);
    assert_eq!(whole.code, Some(0), "{}", whole.transcript());
    assert_eq!(table(&folder, "killed"), table(&folder, "whole"));
    // A case with changed inputs is searched again.
    folder.write("small.toml", longer.replace("devices = 2", "devices = 1"));
    let ended = partita(&folder, ["sweep", "small.toml", "-o", "whole", "--json"]);
    let said: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((&said["known"], &said["finished"]), (&6.into(), &9.into()), "{}", ended.transcript());
}

#[test]
fn sweep_file_errors_show_their_location() {
    let folder = Folder::new("sweep errors");
    let mut all = String::new();
    for text in [
        "models = [\"zoo:mlp\"]\n",
        "models = [\"zoo:mlp\"]\nmachines = [\"pcie4\"]\n\n[constraints.small]\nbudgte = \"1GiB\"\n",
        "models = [\"zoo:mlp\"]\nmachines = [\"pcie4\"]\neffort = \"widht=7\"\n",
        "models = [\"zoo:mlp\"]\nmachines = [\"pcie4\"]\ndevices = 0\n",
        "models = [\"zoo:mlp\"]\nmachines = [\"pcie4\"]\ntarget = \"torch\"\n",
        "models = [\"zoo:mpl\"]\nmachines = [\"pcie4\"]\n",
        "models = [\"zoo:mlp\", \"zoo:mlp\"]\nmachines = [\"pcie4\"]\n",
    ] {
        folder.write("wrong.toml", text);
        let ended = partita(&folder, ["sweep", "wrong.toml"]);
        assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""), "{}", ended.transcript());
        all += &(ended.err + "\n");
    }
    expect![[r#"
        error[W001]: the sweep has no `machines`
         --> wrong.toml:1:1
          |
        1 | models = ["zoo:mlp"]
          | ^^^^^^^^^^^^^^^^^^^^
          |
          = help: begin the file with `machines = ["pcie4"]`

        error[W001]: a constraint has no key `budgte`
         --> wrong.toml:5:1
          |
        5 | budgte = "1GiB"
          | ^^^^^^
          |
          = note: the keys are `devices`, `target`, `forward`, `plan`, `fix`, `time_limit`, `effort`, `efficiencies`, `mesh`, `presets`, `rules`, `name`, `shard`, `store`, `allow_reshard`, `no_padding`, `hold`, `attention`, `overlap`, `train`, `freeze`, `train_only`, `precision`, `remat`, `bucket`, `pipeline`, `schedule`, `microbatches`, `replicas`, `map`, `budget`
        help: there is a key with a similar name
          |
        5 - budgte = "1GiB"
        5 + budget = "1GiB"
          |

        error[C003]: there is no option `widht`
         --> wrong.toml:3:11
          |
        3 | effort = "widht=7"
          |           ^^^^^
          |
          = note: the options are widest, work, gap
          = help: for example: widest=262144,work=16777216,gap=0.002

        error[W001]: expected a number above 0
         --> wrong.toml:3:11
          |
        3 | devices = 0
          |           ^
          |
          = help: for example: `devices = 4`

        error[W001]: `torch` is not a target
         --> wrong.toml:3:11
          |
        3 | target = "torch"
          |           ^^^^^
          |
          = note: the targets are `jax`, `dtensor`, `tp-plan`, `megatron`, `torchtitan`, `deepspeed`, `nanotron`

        error[F004]: there is no built-in model `mpl`
         --> MODEL:1:5
          |
        1 | zoo:mpl
          |     ^^^ not in the zoo
          |
         ::: wrong.toml:1:12
          |
        1 | models = ["zoo:mpl"]
          |            ------- is named here
          |
          = note: zoo:mlp: linear layers with ReLU between them; mean squared error
          = note: zoo:mnist-cnn: two convolutions, pooling and two dense layers; cross-entropy
          = note: zoo:gpt: decoder-only transformer on token ids; cross-entropy of the next token
          = note: zoo:llama: decoder-only transformer with rotary positions and gated feed-forwards; cross-entropy of the next token
          = note: zoo:bert: transformer encoder on token and segment ids; cross-entropy of every token
          = note: zoo:moe: mixture-of-experts layers with top-1 gating; mean squared error and load balance
        help: there is a model with a similar name
          |
        1 - zoo:mpl
        1 + zoo:mlp
          |

        error[W001]: `zoo:mlp` is listed twice
         --> wrong.toml:1:23
          |
        1 | models = ["zoo:mlp", "zoo:mlp"]
          |            -------    ^^^^^^^ and again here
          |            |
          |            first here

    "#]].assert_eq(&all);
}

#[test]
fn effort_applies_to_a_single_search() {
    let folder = Folder::new("sweep effort");
    let found = |flags: &[&str]| {
        let ended = partita(&folder, ["search", "zoo:gpt", "--machine", "pcie4", "--json"].iter().chain(flags));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        serde_json::from_str::<Value>(&ended.out).unwrap()
    };
    let slow = found(&["--efficiencies", "matmul=0.1,link=0.1"]);
    assert!(slow["step_seconds"].as_f64() > found(&[])["step_seconds"].as_f64());
    let ended = partita(&folder, ["search", "zoo:gpt", "--machine", "pcie4", "--effort", "gap=2"]);
    expect![[r#"
        error[C003]: `gap` must be a share from 0 up to, but not including, 1: 0.01
         --> --effort:1:5
          |
        1 | gap=2
          |     ^ not valid
    "#]]
    .assert_eq(&ended.err);
}
