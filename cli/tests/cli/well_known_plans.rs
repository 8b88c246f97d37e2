//! The search finds well-known parallelisation strategies without presets.

use crate::support::{Folder, data, partita};
use serde_json::Value;

/// Returns the best plan for a model on a machine: the JSON result and the plan's text.
fn best(folder: &Folder, model: &str, flags: &[&str]) -> (Value, String) {
    let ended = partita(folder, [&["search", model, "--json", "-o", "found.toml"], flags].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let said: Value = serde_json::from_str(&ended.out).unwrap_or_default();
    (said["plans"][0].clone(), folder.read("found.toml"))
}

/// Returns the best plan, and the collectives of a device with their axes.
fn found(folder: &Folder, model: &str, flags: &[&str]) -> (Value, String, Vec<String>) {
    let (best, plan) = best(folder, model, flags);
    // The collectives of a single stage are listed only without a schedule.
    let is_order = |line: &&str| line.starts_with("pipeline = \"1\"") || line.starts_with("schedule = ");
    let text: Vec<&str> = plan.lines().filter(|line| best["stages"] != 1 || !is_order(line)).collect();
    folder.write("found.toml", text.join("\n"));
    let all = partita(folder, ["plan", model, "--plan", "found.toml", "--all"]);
    assert_eq!(all.code, Some(0), "{}", all.transcript());
    let words = |line: &str| line.split_whitespace().skip(1).take(2).collect::<Vec<_>>().join(" ");
    let collectives = all.out.lines().filter(|line| line.starts_with("  #")).map(words).collect();
    (best, plan, collectives)
}

#[test]
fn small_models_on_fast_links_are_data_parallel() {
    let folder = Folder::new("known data");
    let (best, _, collectives) = found(&folder, "zoo:gpt?layers=1", &["--machine", "dgx1-v100"]);
    assert_eq!((&best["mesh"], &best["stages"]), (&"data=8".into(), &1.into()));
    assert!(collectives.iter().all(|one| one == "all_reduce data"), "{collectives:?}");
}

#[test]
fn large_models_use_tensor_parallelism_within_nodes() {
    let folder = Folder::new("known nodes");
    let model = "zoo:gpt?layers=2&width=8192&heads=64&seq=1024&batch=16";
    let (best, _) = best(&folder, model, &["--machine", "dgx-a100?nodes=2"]);
    // The tensor-parallel axis is the inner axis of a node. The nodes are stages of a pipeline or share the batch,
    // which differ by a percent.
    let plan = (best["mesh"].as_str().unwrap_or_default(), best["stages"].as_u64());
    assert!(
        [("model=8", Some(2)), ("data=2,model=4", Some(2)), ("data=4,model=2", Some(2)), ("data=4,model=4", Some(1)),]
            .contains(&plan),
        "{best:#}"
    );
}

#[test]
fn search_finds_expert_parallelism() {
    let folder = Folder::new("known experts");
    // The gradients of fewer experts can be reduced during the backward pass.
    let (_, _, collectives) = found(&folder, "zoo:moe?batch=256&experts=16", &["--machine", "dgx-a100?nodes=1"]);
    assert!(collectives.iter().filter(|one| one.starts_with("all_to_all")).count() >= 4, "{collectives:?}");
}

/// Two stages of four devices would use them all, for the same results in the same time or later.
#[test]
fn pipelines_of_short_steps_leave_devices_unused() {
    let folder = Folder::new("known idle");
    let flags = ["--machine", "pcie4", "--pipeline", "2"];
    let (best, _) = best(&folder, "zoo:mlp?layers=4&batch=6", &flags);
    assert_eq!((&best["mesh"], &best["stages"]), (&"data=1".into(), &2.into()), "{best:#}");
}

#[test]
fn large_vocabulary_loss_gathers_no_scores() {
    let folder = Folder::new("known vocabulary");
    let flags = ["--machine", "dgx1-v100", "--mesh", "model=8"];
    let model = "zoo:gpt?layers=1&batch=8&vocab=32768";
    let (_, plan, collectives) = found(&folder, model, &flags);
    assert!(plan.contains("\"tokens.weight\" = \"model, _\""), "{plan}");
    assert!(collectives.iter().filter(|one| *one == "all_reduce model").count() >= 4, "{collectives:?}");
    // The scores of 8 texts are 32 MiB. The gathered activations have 512 KiB, and gradients are reduced.
    let all = partita(&folder, ["plan", model, "--plan", "found.toml", "--all"]).out;
    let large = all.lines().filter(|line| line.starts_with("  #") && line.contains(" MiB"));
    assert!(large.clone().all(|line| line.contains("all_reduce") && line.contains(".grad")), "{all}");
}

#[test]
fn columns_then_rows_with_one_reduction() {
    let folder = Folder::new("known rows");
    folder.write(
        "wide.pir",
        r#"form traced
param %w1 "up.weight" : f32[4096, 16384]
param %w2 "down.weight" : f32[16384, 4096]
input %x : f32[8, 4096]
  %h = matmul %x, %w1 : f32[8, 16384]
  %r = relu %h : f32[8, 16384]
  %y = matmul %r, %w2 : f32[8, 4096]
output %y "y"
"#,
    );
    let (_, plan, collectives) = found(&folder, "wide.pir", &["--machine", "pcie4"]);
    let has_entries = plan.contains("_, model\"") && plan.contains("\"model, _\"");
    assert!(has_entries || plan.contains("megatron"), "{plan}");
    assert_eq!(collectives, ["all_reduce model"]);
}

#[test]
fn state_is_sharded_when_memory_is_short() {
    let folder = Folder::new("known pieces");
    let flags = ["--machine", "pcie4", "--mesh", "data=4", "--budget", "30MiB"];
    let (best, plan) = best(&folder, "zoo:gpt?layers=2&batch=16", &flags);
    assert!(best["fits"] == true, "{best:#}");
    // The state of a parameter has the layout of the parameter.
    let line = plan.lines().find(|line| line.starts_with("\"tokens.weight\"")).unwrap_or_default();
    assert!(line.contains("data") || plan.contains("zero"), "{plan}");
}

#[test]
fn jax_layouts_are_no_faster() {
    let data = data();
    let folder = Folder::new("known jax");
    let file = |name: &str| data.join("stablehlo").join(name).display().to_string();
    for model in ["mlp4.fwd", "gpt2l.fwd", "cnn.fwd", "moe_ep.fwd"] {
        let machine = ["--machine", "dgx1-v100"];
        let annotated = [file(&format!("{model}.sdy.d2m4.mlir")), file(&format!("{model}.mhlo.d2m4.mlir"))];
        let (ours, _) = best(&folder, &file(&format!("{model}.plain.mlir")), &machine);
        for annotated in annotated {
            let ended = partita(&folder, ["simulate", &annotated, "--json", machine[0], machine[1]]);
            assert_eq!(ended.code, Some(0), "{}", ended.transcript());
            let theirs: Value = serde_json::from_str(&ended.out).unwrap_or_default();
            assert!(ours["step_seconds"].as_f64() <= theirs["step_seconds"].as_f64(), "{annotated}: {ours:#}");
            // The model's annotations are respected.
            let (kept, _) = best(&folder, &annotated, &machine);
            assert!(kept["mesh"] == "data=2,model=4" || kept["mesh"] == "axis0=2,axis1=4", "{kept:#}");
            assert!(kept["step_seconds"].as_f64() <= theirs["step_seconds"].as_f64(), "{annotated}: {kept:#}");
        }
    }
}

#[test]
fn all_devices_of_unequal_nodes_are_used() {
    let folder = Folder::new("known unequal");
    let node = |name: &str, devices: &str| {
        format!(
            "[node.{name}]\ncount = 1\ndevices = [\"{devices} V100\"]\nswitches.root.bandwidth = \"24GB/s\"\n\
             links = [{{ between = [\"*-root\"], bandwidth = \"12GB/s\", latency = \"5us\", shared = true }}]\n\
             ports = [{{ at = [\"root\"], bandwidth = \"2.5GB/s\", latency = \"5us\" }}]\n"
        )
    };
    let kind =
        "[kind.V100]\nflops = { f32 = \"15.7T\", bf16 = \"125T\" }\nmemory = \"16GB\"\nbandwidth = \"900GB/s\"\n";
    let machine = format!("network = \"100GB/s\"\n{kind}{}{}", node("large", "4"), node("small", "1"));
    folder.write("machine.toml", machine);
    let model = "zoo:gpt?layers=4&width=1024&heads=16&seq=512&batch=32";
    let (best, plan) = best(&folder, model, &["--machine", "machine.toml"]);
    // Stages with one device each, or stages of different size.
    assert_eq!(best["devices"], 5, "{best:#}\n{plan}");
    assert!(best["stages"].as_u64() > Some(1), "{best:#}");
    let simulated =
        partita(&folder, ["simulate", model, "--machine", "machine.toml", "--plan", "found.toml", "--json"]);
    let simulated: Value = serde_json::from_str(&simulated.out).unwrap_or_default();
    assert_eq!(simulated["step_seconds"], best["step_seconds"]);
}

#[test]
fn sharded_parameter_presets_are_no_faster() {
    let folder = Folder::new("known kept");
    let model = "zoo:gpt?layers=2&width=512&heads=8&seq=64&batch=32";
    let on = ["--machine", "dgx1-v100", "--mesh", "data=8"];
    let (best, plan) = best(&folder, model, &[&on[..], &["--budget", "28MiB"]].concat());
    assert!(best["fits"] == true, "{best:#}\n{plan}");
    let simulated = |preset: &str| {
        let flags = [&["simulate", model], &on[..], &["--preset", preset, "--recompute", "full", "--json"]].concat();
        let said = partita(&folder, flags);
        assert_eq!(said.code, Some(0), "{}", said.transcript());
        let said: Value = serde_json::from_str(&said.out).unwrap_or_default();
        (said["step_seconds"].as_f64(), said["peak_bytes"][0].as_u64())
    };
    // Sharded optimizer state exceeds this memory limit, and sharded parameters fit.
    let (state, parameters) = (simulated("data,zero1"), simulated("data,zero3"));
    assert!(state.1 > Some(28 << 20) && parameters.1 <= Some(28 << 20), "{state:?}, {parameters:?}");
    assert!(best["step_seconds"].as_f64() <= parameters.0, "{best:#}: {parameters:?}");
}
