//! `search`: best plans for described machines.

use crate::support::{Folder, data, partita};
use expect_test::expect;
use serde_json::Value;

fn json(folder: &Folder, words: &[&str]) -> Value {
    let ended = partita(folder, words.iter().chain(&["--json"]));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    serde_json::from_str(&ended.out).unwrap_or_default()
}

fn number(said: &Value, name: &str) -> f64 {
    let number = said[name].as_f64();
    assert!(number.is_some(), "no `{name}` in {said:#}");
    number.unwrap_or_default()
}

fn seconds(said: &Value) -> f64 {
    number(said, "step_seconds")
}

/// Four devices on a PCIe bus.
const MACHINE: [&str; 2] = ["--machine", "pcie4"];

#[test]
fn found_plan_is_correct_and_as_fast_as_predicted() {
    let folder = Folder::new("search plan");
    let found = json(&folder, &["search", "zoo:moe", MACHINE[0], MACHINE[1], "-o", "found.toml"]);
    assert_eq!(found["stop"], "finished");
    assert!(number(&found, "bound") <= seconds(&found) && number(&found, "gap") < 1.0, "{found:#}");
    assert_eq!(found["plans"][0]["step_seconds"], found["step_seconds"]);
    let simulated = json(&folder, &["simulate", "zoo:moe", MACHINE[0], MACHINE[1], "--plan", "found.toml"]);
    assert_eq!(seconds(&simulated), seconds(&found));
    let ran = partita(&folder, ["run", "zoo:moe", "--plan", "found.toml", "--check"]);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
}

#[test]
fn no_preset_is_faster() {
    let folder = Folder::new("search presets");
    for (model, presets) in [
        ("zoo:gpt", ["data", "data,zero1", "data,megatron"]),
        ("zoo:moe", ["data", "mesh", "data,expert"]),
        ("zoo:mlp?width=1024&hidden=4096&batch=1024", ["data", "data,zero3", "data,megatron"]),
    ] {
        let found = json(&folder, &["search", model, MACHINE[0], MACHINE[1]]);
        for preset in presets {
            for mesh in ["data=4,model=1", "data=2,model=2", "data=1,model=4"] {
                let flags = ["simulate", model, MACHINE[0], MACHINE[1], "--mesh", mesh, "--preset", preset];
                let simulated = json(&folder, &flags);
                let (found, simulated) = (seconds(&found), seconds(&simulated));
                assert!(found <= simulated * (1.0 + 1e-9), "{model}: {preset} on {mesh} {simulated}, found {found}");
            }
        }
    }
}

#[test]
fn sharded_loss_is_not_free() {
    let folder = Folder::new("search loss");
    // Sharded targets save little memory, and their loss needs one more reduction.
    let data = data();
    let model = data.join("stablehlo/mlp4.fwd.plain.mlir").display().to_string();
    let found = json(&folder, &["search", &model, MACHINE[0], MACHINE[1]]);
    let flags = ["simulate", &model, MACHINE[0], MACHINE[1], "--mesh", "model=4", "--preset", "megatron"];
    assert!(seconds(&found) <= seconds(&json(&folder, &flags)) * (1.0 + 1e-9), "{found:#}");
}

#[test]
fn search_is_deterministic() {
    let folder = Folder::new("search again");
    for name in ["a.toml", "b.toml"] {
        json(&folder, &["search", "zoo:mnist-cnn", MACHINE[0], MACHINE[1], "-o", name]);
    }
    assert_eq!(folder.read("a.toml"), folder.read("b.toml"));
}

#[test]
fn impossible_budget_suggests_changes() {
    let folder = Folder::new("search budget");
    let ended = partita(&folder, ["search", "zoo:mlp", MACHINE[0], MACHINE[1], "--budget", "100KiB"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[L005]: no layout of `zoo:mlp` on 4 devices fits into 100.0 KiB per device
         --> --budget:1:1
          |
        1 | 100KiB
          | ^^^^^^ cannot be satisfied
          |
          = note: the budget of 100.0 KiB cannot be satisfied, even without all other decisions
          = note: the smallest evaluated plan needs 276.5 KiB per device
          = help: pass `--budget 283152`, or use more devices
    "#]]
    .assert_eq(&ended.err);
    // The estimate of layouts fits, but the simulation of their plans does not.
    let deep = "zoo:gpt?layers=8&batch=32";
    let ended = partita(&folder, ["search", deep, MACHINE[0], MACHINE[1], "--budget", "24MiB", "-o", "found.toml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[L005]: no layout of `zoo:gpt?layers=8&batch=32` on 4 devices fits into 24.0 MiB per device
         --> --budget:1:1
          |
        1 | 24MiB
          | ^^^^^ cannot be satisfied
          |
          = note: the budget of 24.0 MiB cannot be satisfied, even without all other decisions
          = note: the smallest evaluated plan needs 26.3 MiB per device
          = help: pass `--budget 27588624`, or use more devices
    "#]]
    .assert_eq(&ended.err);
    let ended = partita(&folder, ["search", "zoo:mlp", MACHINE[0], MACHINE[1], "--devices", "5"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[H002]: `pcie4` has 4 devices, but 5 are requested
          |
          = help: use a machine with more nodes: `pcie4?nodes=2`
    "#]]
    .assert_eq(&ended.err);
}

#[test]
fn constraints_are_respected() {
    let folder = Folder::new("search fixed");
    let found = |flags: &[&str]| {
        let words = ["search", "zoo:gpt", MACHINE[0], MACHINE[1], "-o", "found.toml"];
        let words: Vec<&str> = words.iter().chain(flags).copied().collect();
        (json(&folder, &words), folder.read("found.toml"))
    };
    let (of_mesh, plan) = found(&["--mesh", "rows=2,columns=2", "--fix", "blocks.*.attention.*.weight=columns"]);
    assert_eq!(of_mesh["plans"][0]["mesh"], "rows=2,columns=2");
    for name in ["query", "key", "value", "output"] {
        let entry = |name: &str| plan.lines().find(|l| l.starts_with(&format!("\"blocks.*.attention.{name}.weight\"")));
        // Entries with the same layout are merged, and more specific ones take precedence.
        let line = entry(name).or_else(|| entry("*"));
        assert!(line.is_some_and(|line| line.contains("columns")), "{name}: {line:?} of\n{plan}");
    }
    // The axis of the fixed layout is an axis of a mesh that the search chooses.
    let (_, plan) = found(&["--fix", "blocks.*.attention.query.weight=_, tensor"]);
    assert!(
        plan.contains("tensor\" = ") && plan.contains("\"blocks.*.attention.query.weight\" = \"_, tensor\""),
        "{plan}"
    );
    let (in_stages, _) = found(&["--pipeline", "2", "--microbatches", "4", "--schedule", "gpipe"]);
    for plan in in_stages["plans"].as_array().into_iter().flatten() {
        let said = (&plan["stages"], &plan["microbatches"], &plan["schedule"]);
        assert_eq!(said, (&2.into(), &4.into(), &"gpipe".into()));
    }
}

#[test]
fn unsatisfiable_constraints_are_rejected() {
    let folder = Folder::new("search decided");
    let refused = |flags: &[&str]| {
        let words = ["search", "zoo:mlp", MACHINE[0], MACHINE[1]];
        let ended = partita(&folder, words.iter().chain(flags).copied());
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        ended.err
    };
    expect![[r#"
        error[L001]: the mesh has no axis `model`
         --> --fix:1:12
          |
        1 | *.*.weight=model
          |            ^^^^^ sharding axis
          |
          = note: the axes of the mesh are `data`
    "#]]
    .assert_eq(&refused(&["--mesh", "data=2", "--fix", "*.*.weight=model"]));
    expect![[r#"
        error[H002]: the plan needs 8 devices, but the search has 4
          |
          = note: 8 devices per mesh x 1 stages x 1 replicas
          = help: use a smaller mesh, or a machine with more nodes
    "#]]
    .assert_eq(&refused(&["--mesh", "data=8"]));
    expect![[r#"
        error[G001]: a search does not support meshes that differ between stages
         --> --mesh:1:1
          |
        1 | data=2 | data=1
          | ^^^^^^ is decided
          |
          = help: specify one mesh, or none
    "#]]
    .assert_eq(&refused(&["--mesh", "data=2 | data=1", "--pipeline", "2"]));
}

#[test]
fn targets_reject_decisions_without_an_equivalent() {
    let folder = Folder::new("search target");
    let refused = |model: &str, flags: &[&str]| {
        let words = ["search", model, MACHINE[0], MACHINE[1]];
        let ended = partita(&folder, words.iter().chain(flags).copied());
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        ended.err
    };
    let gpt = "zoo:gpt?layers=6";
    expect![[r#"
        error[L019]: `--target jax` cannot express `pipeline 2`
         --> --pipeline:1:1
          |
        1 | 2
          | ^ a jitted function has no pipeline stages
          |
          = help: remove the setting, or search without `--target`
    "#]]
    .assert_eq(&refused(gpt, &["--target", "jax", "--pipeline", "2"]));
    expect![[r#"
        error[L019]: `--target dtensor` cannot express `schedule zb-h1`
         --> --schedule:1:1
          |
        1 | zb-h1
          | ^^^^^ `torch.distributed.pipelining` has no such schedule; it has GPipe, 1F1B and interleaved 1F1B
          |
          = help: remove the setting, or search without `--target`
    "#]]
    .assert_eq(&refused(gpt, &["--target", "dtensor", "--pipeline", "2", "--schedule", "zb-h1"]));
    expect![[r#"
        error[L019]: `--target megatron` cannot express `mesh rows=1,model=3`, `preset zero3`, `pipeline 4`
         --> --mesh:1:1
          |
        1 | rows=1,model=3
          | ^^^^^^^^^^^^^^ 8 attention heads do not divide over `model` (3)
          |
         ::: --preset:1:1
          |
        1 | zero3
          | ^^^^^ the presets with an equivalent are data, megatron, sequence, context, expert and zero1
          |
         ::: --pipeline:1:1
          |
        1 | 4
          | ^ 6 layers do not divide into 4 chunks of equal size
          |
          = help: remove the setting, or search without `--target`
    "#]]
    .assert_eq(&refused(
        gpt,
        &["--target", "megatron", "--pipeline", "4", "--preset", "zero3", "--mesh", "rows=1,model=3"],
    ));
    expect![[r#"
        error[L019]: `--target megatron` cannot express `blocks.*.**.weight=model`
         --> --fix:1:20
          |
        1 | blocks.*.**.weight=model
          |                    ^^^^^ presets determine the layouts of all parameters
          |
          = help: remove the setting, or search without `--target`
    "#]]
    .assert_eq(&refused(gpt, &["--target", "megatron", "--fix", "blocks.*.**.weight=model"]));
    // 6 examples do not divide over 4 devices.
    let mlp = "zoo:mlp?batch=6";
    expect![[r#"
        error[L019]: `--target jax` can express none of the plans found for `zoo:mlp?batch=6`
          |
          = note: for example, `input.0` with the layout `data, _`: dimension 0 (6) does not divide into 4 shards, which jit requires
          = note: for example, `input.1` with the layout `data, _`: dimension 0 (6) does not divide into 4 shards, which jit requires
          = help: use another number of devices, relax `--space`, or search without `--target`, and adapt the plan to JAX
    "#]].assert_eq(&refused(mlp, &["--target", "jax", "--mesh", "data=4", "--preset", "data"]));
}

#[test]
fn interrupted_search_has_a_fitting_plan() {
    let folder = Folder::new("search time");
    let flags = ["search", "zoo:gpt", MACHINE[0], MACHINE[1], "--time-limit", "0", "-o", "found.toml"];
    let found = json(&folder, &flags);
    assert_eq!(found["stop"], "interrupted");
    assert!(number(&found, "bound") <= seconds(&found));
    assert_eq!(found["plans"][0]["fits"], true);
    let simulated = json(&folder, &["simulate", "zoo:gpt", MACHINE[0], MACHINE[1], "--plan", "found.toml"]);
    assert_eq!(seconds(&simulated), seconds(&found));
    let ended = partita(&folder, flags);
    assert!(ended.out.contains("stopped early"), "{}", ended.transcript());
}

#[test]
fn conflicting_constraints_are_named() {
    let folder = Folder::new("search conflict");
    let refused = |flags: &[&str]| {
        let ended =
            partita(&folder, [&["search", "zoo:gpt?layers=2&batch=32", MACHINE[0], MACHINE[1]], flags].concat());
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        ended.err
    };
    // The mapping of the mesh to the machine is fixed, too, and unrelated to the conflict.
    let flags = ["--mesh", "data=4", "--map", "data", "--fix", "**.weight=whole", "--budget", "26MiB"];
    expect![[r#"
        error[L005]: no layout of `zoo:gpt?layers=2&batch=32` on 4 devices fits into 26.0 MiB per device
         --> --fix:1:11
          |
        1 | **.weight=whole
          |           ^^^^^ conflicting decision
          |
         ::: --mesh:1:1
          |
        1 | data=4
          | ^^^^^^ conflicting decision
          |
         ::: --budget:1:1
          |
        1 | 26MiB
          | ^^^^^ conflicting decision
          |
          = note: `**.weight = whole`, `mesh data=4` and the budget of 26.0 MiB conflict: after removing any one of them, the others can be satisfied
          = note: the smallest evaluated plan needs 27.8 MiB per device
          = help: pass `--budget 29124752`, or use more devices
          = help: remove `**.weight = whole`: data=4 takes 2.36 ms and 21.4 MiB
          = help: remove `mesh data=4`: data=1 in 4 stages takes 5.83 ms and 17.9 MiB
    "#]].assert_eq(&refused(&flags));
    let flags = ["--mesh", "data=4", "--fix", "positions.weight=data", "--fix", "**.weight=whole"];
    expect![[r#"
        error[L005]: no layout of `zoo:gpt?layers=2&batch=32` on 4 devices satisfies all constraints
         --> --fix:1:18
          |
        1 | positions.weight=data
          |                  ^^^^ conflicting decision
          |
         ::: --fix:1:11
          |
        1 | **.weight=whole
          |           ^^^^^ conflicting decision
          |
          = note: `positions.weight = data` and `**.weight = whole` conflict: after removing any one of them, the others can be satisfied
          = help: remove `positions.weight = data`: data=4 takes 1.34 ms and 50.0 MiB
          = help: remove `**.weight = whole`: data=4 takes 1.40 ms and 49.7 MiB
    "#]].assert_eq(&refused(&flags));
    expect![[r#"
        error[L005]: no layout of `zoo:gpt?layers=2&batch=32` on 1 device fits into 30.0 MiB per device
         --> --budget:1:1
          |
        1 | 30MiB
          | ^^^^^ conflicting decision
          |
          = note: `--devices 1` and the budget of 30.0 MiB conflict: after removing any one of them, the others can be satisfied
          = note: the smallest evaluated plan needs 30.3 MiB per device
          = help: pass `--budget 31769872`, or use more devices
          = help: pass `--devices 2`
    "#]].assert_eq(&refused(&["--devices", "1", "--budget", "30MiB"]));
}

/// If nothing fits at the time limit, the message names the least memory of the listed plans.
#[test]
fn least_memory_is_named_at_the_time_limit() {
    let folder = Folder::new("search least memory");
    let ended =
        partita(&folder, ["search", "zoo:gpt", MACHINE[0], MACHINE[1], "--budget", "1MiB", "--time-limit", "0"]);
    let mib = |text: &str| text.split_whitespace().last().and_then(|word| word.parse::<f64>().ok());
    let named = ended.out.split_once("the smallest needs ").and_then(|(_, rest)| mib(rest.split_once(" MiB of")?.0));
    let rows = ended.out.lines().filter_map(|line| mib(line.split_once(" MiB (over the limit)")?.0));
    assert!(named.is_some() && named == rows.min_by(f64::total_cmp), "{}", ended.transcript());
}

/// Presets whose axes the user does not state get them from the search, with any number of devices.
#[test]
fn presets_without_a_mesh_get_their_axes() {
    let folder = Folder::new("search axes");
    for (presets, axes) in [
        ("data,megatron", ["data=", "model="]),
        ("context?attention=gather", ["context=", "context="]),
        ("zero3,context", ["data=", "context="]),
    ] {
        let found = json(
            &folder,
            &["search", "zoo:gpt?layers=1&width=64&batch=16", MACHINE[0], MACHINE[1], "--preset", presets],
        );
        let mesh = found["plans"][0]["mesh"].as_str().unwrap_or_default();
        assert!(axes.iter().all(|axis| mesh.contains(axis)), "{presets}: {mesh}");
    }
}

#[test]
fn files_limit_the_space_and_record_candidates() {
    let folder = Folder::new("search space");
    folder.write("space.toml", "stages = [2]\nschedules = [\"gpipe\"]\nrecompute = [\"none\", \"full\"]\n");
    let files = ["--space", "space.toml", "--log", "candidates.jsonl"];
    let found = json(&folder, &[&["search", "zoo:gpt", MACHINE[0], MACHINE[1]], &files[..]].concat());
    let log = folder.read("candidates.jsonl");
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() >= 10, "{log}");
    for candidate in &lines {
        assert_eq!((&candidate["stages"], &candidate["schedule"]), (&2.into(), &"gpipe".into()), "{candidate:#}");
        assert_ne!(candidate["recompute"], "selective");
    }
    let best = lines.iter().filter(|one| one["fits"] == true).map(seconds).fold(f64::INFINITY, f64::min);
    assert!(seconds(&found) <= best && found["plans"][0]["schedule"] == "gpipe", "{found:#}");
    let chosen = &found["plans"][0];
    assert!(lines.iter().any(|one| seconds(one) == seconds(chosen) && one["stages"] == chosen["stages"]), "{chosen:#}");
    folder.write("many.toml", "stages = [9]\n");
    let ended = partita(&folder, ["search", "zoo:gpt", MACHINE[0], MACHINE[1], "--space", "many.toml"]);
    assert!(ended.err.contains("the limits of the search space cannot be satisfied"), "{}", ended.transcript());
    let ended = partita(&folder, ["search", "zoo:gpt", MACHINE[0], MACHINE[1], "--space", "missing.toml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
}

#[test]
fn results_that_cannot_be_written_are_reported_before_the_search() {
    let folder = Folder::new("search unwritable");
    for flag in ["--output", "--html", "--log"] {
        let ended = partita(&folder, ["search", "zoo:unknown", MACHINE[0], MACHINE[1], flag, "."]);
        assert!(ended.err.contains("error[C001]"), "{}", ended.transcript());
    }
}

#[test]
fn explain_compares_a_layout_with_the_next_best() {
    let folder = Folder::new("search choice");
    let flags = ["--train", "sgd", "--mesh", "model=4"];
    let of = |more: &[&str]| {
        let ended = partita(
            &folder,
            [&["explain", "zoo:mlp", "layers.0.weight", MACHINE[0], MACHINE[1]], &flags[..], more].concat(),
        );
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        ended.out
    };
    expect![[r#"
        `layers.0.weight` is f32[64, 512@model]

        layers.0.weight dim 1 is split by `model`:
          layers.0.weight dim 1            you wrote `preset megatron` (--preset:1:1)

        each device stores f32[64, 128], 32.0 KiB

        on pcie4, with the best layouts of all other values, the estimated step time is 53.08 us with `_, model`
        `_, _` takes 27.46 us, 48.3 % less; check with `simulate` whether a plan with this layout is faster
    "#]]
    .assert_eq(&of(&["--preset", "megatron"]));
    expect![[r#"
        `layers.0.weight` is f32[64, 512] whole

        every device stores all of it: no annotation propagates to it

        each device stores f32[64, 512], 128.0 KiB

        on pcie4, with the best layouts of all other values, the estimated step time is 27.46 us with `_, _`
        the next best layout is `_, model`, which takes 53.08 us, 93.3 % more
    "#]]
    .assert_eq(&of(&[]));
}

#[test]
fn pareto_front_has_no_dominated_plan() {
    let folder = Folder::new("search front");
    let space = "stages = [1, 2]\nschedules = [\"1f1b\"]\nzero = [\"none\"]\nrecompute = [\"none\", \"full\"]\n";
    folder.write("space.toml", space);
    let model = ["search", "zoo:mlp?batch=64", MACHINE[0], MACHINE[1], "--space", "space.toml"];
    let front = json(&folder, &[&model[..], &["--pareto", "-o", "fastest.toml"]].concat());
    let plans = front["plans"].as_array().unwrap();
    let of = |plan: &Value| ["step_seconds", "peak_bytes", "devices"].map(|key| plan[key].as_f64().unwrap());
    for (at, one) in plans.iter().enumerate() {
        for other in plans.iter().take(at).chain(plans.iter().skip(at + 1)) {
            assert!(of(one).iter().zip(of(other)).any(|(one, other)| *one < other), "{one:#} {other:#}");
        }
    }
    let all: Vec<f64> = plans.iter().map(|plan| of(plan)[2]).collect();
    assert!(all.contains(&4.0) && all.contains(&1.0), "{all:?}");
    // The first plan is no slower than the plan of a plain search, and is the one that is written.
    let found = json(&folder, &model);
    assert!(seconds(&front["plans"][0]) <= seconds(&found));
    assert_eq!(front["plans"][0]["plan"], folder.read("fastest.toml"));
}

#[test]
fn replicated_parameters_need_no_mesh() {
    let folder = Folder::new("search whole");
    let flags = ["search", "zoo:mlp", MACHINE[0], MACHINE[1], "--fix", "layers.0.weight=whole", "-o", "found.toml"];
    json(&folder, &flags);
    let plan = folder.read("found.toml");
    assert!(plan.contains("layers.0.weight = \"whole\"") || plan.contains("\"layers.0.weight\" = \"whole\""), "{plan}");
}

#[test]
fn gradients_of_micro_batches_are_reduced_once() {
    let folder = Folder::new("search turns");
    let model = "zoo:gpt?layers=2&batch=32";
    let flags = ["--mesh", "data=4", "--train", "adam?accumulate=8", "-o", "found.toml"];
    json(&folder, &[&["search", model, MACHINE[0], MACHINE[1]], &flags[..]].concat());
    let ended = partita(&folder, ["plan", model, "--plan", "found.toml", "--all"]);
    let reductions: Vec<&str> =
        ended.out.lines().filter(|line| line.contains("_reduce") || line.contains("reduce_")).collect();
    assert!(!reductions.is_empty() && reductions.iter().all(|line| !line.contains(" x 8")), "{}", ended.out);
}

#[test]
fn recomputation_only_under_memory_pressure() {
    let folder = Folder::new("search memory");
    let found = |budget: &str, more: &[&str]| {
        let flags = ["--budget", budget, "--best", "4"];
        let model = ["search", "zoo:gpt?layers=8&batch=32", MACHINE[0], MACHINE[1]];
        json(&folder, &[&model[..], &flags[..], more].concat())
    };
    let (roomy, tight) = (found("200MiB", &[]), found("56MiB", &[]));
    assert_eq!((&roomy["plans"][0]["recompute"], &roomy["plans"][0]["stages"]), (&"none".into(), &1.into()));
    assert!(tight["plans"][0]["stages"].as_u64() > Some(1), "{tight:#}");
    // The best estimate does not fit when it is lowered in full, but does with more recomputation.
    let of_four_stages = found("56MiB", &["--pipeline", "4"]);
    assert!(seconds(&tight) <= 1.005 * seconds(&of_four_stages), "{tight:#} {of_four_stages:#}");
    let of_one_stage = found("56MiB", &["--pipeline", "1"]);
    let fits = of_one_stage["plans"].as_array().into_iter().flatten().filter(|plan| plan["fits"] == true);
    let again: Vec<&Value> = fits.map(|plan| &plan["recompute"]).collect();
    assert!(!again.is_empty() && again.iter().all(|&again| again != "none"), "{of_one_stage:#}");
}

#[test]
fn low_precision_weight_copies_are_shared_by_micro_batches() {
    let folder = Folder::new("search copies");
    let found = |more: &[&str]| {
        let model = ["search", "zoo:gpt?layers=8&width=512&heads=8&seq=16&batch=32", MACHINE[0], MACHINE[1]];
        let stages = ["--pipeline", "4", "--microbatches", "16", "--mesh", "model=1", "--precision", "bf16"];
        json(&folder, &[&model[..], &stages[..], more].concat())
    };
    // The plan needs 111 MiB; a separate copy for each micro-batch in flight would not fit.
    let (roomy, tight) = (found(&[]), found(&["--budget", "120MiB"]));
    assert_eq!((&tight["cost"], &tight["plans"][0]["recompute"]), (&roomy["cost"], &"none".into()), "{tight:#}");
}

#[test]
fn best_allowed_precision_is_selected() {
    let folder = Folder::new("search precision");
    let search = |more: &[&str]| json(&folder, &[&["search", "zoo:gpt", MACHINE[0], MACHINE[1]], more].concat());
    let alone = ["f32", "bf16"].map(|dtype| search(&["--precision", dtype]));
    let both = search(&["--allow-precision", "f32,bf16", "-o", "found.toml"]);
    let best = alone.iter().min_by(|a, b| seconds(a).total_cmp(&seconds(b))).expect("there are two");
    assert_eq!(seconds(&both), seconds(best));
    assert_eq!(both["plans"][0]["precision"], best["plans"][0]["precision"]);
    assert!(number(&both, "bound") <= alone.iter().map(|one| number(one, "bound")).fold(f64::INFINITY, f64::min));
    let simulated = json(&folder, &["simulate", "zoo:gpt", MACHINE[0], MACHINE[1], "--plan", "found.toml"]);
    assert_eq!(seconds(&simulated), seconds(&both));
}

/// StableHLO written by JAX: functions, gradients and optimizer steps of a few lines each, and programs as users write
/// them.
const PROGRAMS: [&str; 2] = ["jax", "users"];

#[test]
fn every_plannable_program_is_searchable() {
    let folder = Folder::new("search programs");
    let files = PROGRAMS.iter().flat_map(|name| std::fs::read_dir(data().join(name)).unwrap());
    let mut programs: Vec<String> = files.map(|file| file.unwrap().path().display().to_string()).collect();
    programs.sort();
    assert!(programs.len() >= 45, "{programs:?}");
    for program in &programs {
        let planned = partita(&folder, ["plan", program, "--mesh", "data=2"]);
        assert_eq!(planned.code, Some(0), "{program}: {}", planned.transcript());
        let found = json(&folder, &["search", program, MACHINE[0], MACHINE[1], "-o", "found.toml"]);
        let simulated = json(&folder, &["simulate", program, MACHINE[0], MACHINE[1], "--plan", "found.toml"]);
        assert!(seconds(&simulated) <= seconds(&found) * (1.0 + 1e-9), "{program}: {found:#}");
        let ran = partita(&folder, ["run", program, "--plan", "found.toml", "--check"]);
        assert_eq!(ran.code, Some(0), "{program}: {}", ran.transcript());
    }
}

#[test]
fn fixed_micro_batches_of_one_stage_are_no_faster() {
    let folder = Folder::new("search micro-batches");
    // The large model fits only with recomputation or many micro-batches.
    let large = "zoo:gpt?layers=6&width=2048&heads=16&seq=1024&vocab=51200&batch=128";
    for (model, mesh) in [(large, "data=4"), ("zoo:gpt", "data=4"), ("zoo:mlp?batch=1024", "data=2,model=2")] {
        let found = |more: &[&str]| {
            seconds(&json(&folder, &[&["search", model, MACHINE[0], MACHINE[1], "--mesh", mesh], more].concat()))
        };
        let free = found(&["--pipeline", "1"]);
        for count in ["1", "2", "4"] {
            let fixed = found(&["--pipeline", "1", "--microbatches", count]);
            assert!(free <= fixed * (1.0 + 1e-9), "{model} on {mesh}: {free} s, with {count} micro-batches {fixed} s");
        }
        assert!(found(&[]) <= free * (1.0 + 1e-9), "{model} on {mesh}");
    }
}

#[test]
fn result_rows_are_distinct() {
    let folder = Folder::new("search rows");
    let ended = partita(&folder, ["search", "zoo:gpt", MACHINE[0], MACHINE[1], "--best", "8"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let rows: Vec<Vec<&str>> = ended
        .out
        .lines()
        .skip_while(|line| !line.trim_start().starts_with("mesh"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(rows.len() > 1, "{}", ended.out);
    // All columns but step, memory and devices contain decisions.
    let decided =
        |row: &[&str]| row.iter().take_while(|word| !word.starts_with("0.")).map(ToString::to_string).collect();
    let decided: Vec<Vec<String>> = rows.iter().map(|row| decided(row)).collect();
    for (at, row) in decided.iter().enumerate() {
        assert!(!decided[..at].contains(row), "{row:?} twice in\n{}", ended.out);
    }
}
