//! `simulate`: predicted steps on described machines.

use crate::support::{Folder, partita};
use expect_test::expect;

const GPT: &str = "zoo:gpt?layers=4&width=256&heads=8&seq=128&vocab=512&batch=64";

fn simulate(folder: &Folder, flags: &[&str]) -> crate::support::CommandOutput {
    partita(folder, ["simulate", GPT].iter().chain(flags))
}

#[test]
fn simulation_is_one_json_object() {
    let folder = Folder::new("simulate json");
    let flags = ["--machine", "dgx-a100?nodes=2", "--mesh", "data=2,model=4", "--preset", "data,megatron"];
    let more = ["--pipeline", "2", "--microbatches", "8", "--json", "--trace", "t.json", "--svg", "t.svg"];
    let ended = simulate(&folder, &[&flags[..], &more].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let said: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(said["devices"], 16);
    assert_eq!(said["peak_bytes"].as_array().map(Vec::len), Some(2));
    for share in ["mfu", "bubble"] {
        let share = said[share].as_f64().unwrap();
        assert!(share > 0.0 && share < 1.0, "{}", ended.out);
    }
    let number = |name: &str| said[name].as_f64().unwrap();
    let tokens = number("tokens_per_second") * number("step_seconds");
    assert!((tokens - 64.0 * 128.0).abs() < 1.0, "{tokens} tokens a step");
    assert!(number("tflops_per_device") > 0.0 && said["links"].is_array());
    assert!(folder.read("t.svg").starts_with("<svg"));
    let trace: serde_json::Value = serde_json::from_str(&folder.read("t.json")).unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().len() > 32);
}

/// Simulates a model on a machine of four devices and returns the JSON object.
fn simulated(folder: &Folder, model: &str) -> serde_json::Value {
    let ended = partita(folder, ["simulate", model, "--machine", "pcie4", "--mesh", "data=2", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    serde_json::from_str(&ended.out).unwrap_or_default()
}

#[test]
fn throughput_counts_examples_and_tokens() {
    let folder = Folder::new("simulate throughput");
    // The first input of the step is a bias.
    folder.write(
        "step.pir",
        "form traced\ninput %b : f32[12]\ninput %w : f32[10, 12]\ninput %x : f32[6, 10]\ninput %y : f32[6, 12]\n  \
         %h = matmul %x, %w : f32[6, 12]\n  %c = broadcast [1] %b : f32[6, 12]\n  %z = add %h, %c : f32[6, 12]\n  \
         %d = sub %z, %y : f32[6, 12]\n  %s = mul %d, %d : f32[6, 12]\n  \
         %loss = reduce sum [0, 1] %s : f32[]\noutput %loss \"loss\"\n",
    );
    let cases = [
        ("zoo:gpt?layers=1&batch=16&seq=32", 16.0, Some(512.0)),
        ("zoo:mlp?batch=64", 64.0, None),
        ("zoo:mnist-cnn?batch=32", 32.0, None),
        ("zoo:moe?batch=8", 8.0, None),
        ("step.pir", 6.0, None),
    ];
    for (model, examples, tokens) in cases {
        let said = simulated(&folder, model);
        let per_step = |rate: &str| Some((said[rate].as_f64()? * said["step_seconds"].as_f64()?).round());
        let rates = ["examples_per_second", "tokens_per_second"].map(per_step);
        assert_eq!(rates, [Some(examples), tokens], "{model}: {said}");
    }
}

#[test]
fn short_steps_are_printed_in_fitting_units() {
    let folder = Folder::new("simulate units");
    let flags = ["--machine", "pcie4", "--mesh", "data=4", "--preset", "data", "--explain", "--trace", "t.json"];
    let ended = partita(&folder, ["simulate", "zoo:mlp"].iter().chain(&flags));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let line = |name: &str| ended.out.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_default();
    assert!([" us ", " ms "].iter().any(|unit| line("step ").contains(unit)), "{}", ended.out);
    assert!(!line("per device").contains(" 0.0 TFLOP/s") && !ended.out.contains("0.0000"), "{}", ended.out);
    assert!(ended.out.contains("S step") && !ended.out.contains("forward"), "{}", ended.out);
    // The only task is the full training step.
    let trace = folder.read("t.json");
    assert!(trace.contains("\"step\"") && !trace.contains("forward"), "{trace}");
}

#[test]
fn recompute_takes_longer_and_less_memory() {
    let folder = Folder::new("simulate recompute");
    let of = |how: &str| {
        let flags = ["--machine", "dgx-a100", "--mesh", "data=4", "--preset", "data", "--microbatches", "2", "--json"];
        let ended = simulate(&folder, &[&flags[..], &["--recompute", how]].concat());
        let said: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        (said["step_seconds"].as_f64().unwrap(), said["peak_bytes"][0].as_u64().unwrap())
    };
    let (kept, again) = (of("none"), of("full"));
    assert!(again.0 > kept.0 && again.1 < kept.1, "{kept:?} {again:?}");
}

#[test]
fn too_small_machine_is_rejected() {
    let folder = Folder::new("simulate small");
    let ended = simulate(&folder, &["--machine", "pcie4", "--mesh", "data=8", "--preset", "data"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[H002]: on `pcie4`: the plan needs 8 devices, and the machine has 4
          |
          = help: use a machine with more nodes, `pcie4?nodes=2`, or fewer stages and a smaller mesh
    "#]]
    .assert_eq(&ended.err);
}

#[test]
fn unknown_machine_is_rejected() {
    let folder = Folder::new("simulate unknown");
    let ended = simulate(&folder, &["--machine", "dgx-a10", "--mesh", "data=8", "--preset", "data"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[C002]: unknown machine `dgx-a10`
          |
          = note: the machines are dgx1-v100, dgx2, dgx-a100, hgx-h100, hgx-h200, pcie4, k80+v100; a path to a TOML file is accepted as well
          = help: a similar name is `dgx-a100`
    "#]]
    .assert_eq(&ended.err);
}

#[test]
fn steps_are_predicted_on_the_calibrated_machine() {
    let folder = Folder::new("simulate here");
    let ended = partita(&folder, ["calibrate", "--quick", "-o", "here.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let said: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert!(said["seconds"]["task"].as_f64().unwrap() > 0.0 && said["cores"].as_u64().unwrap() > 0);
    let flags = ["zoo:mlp", "--mesh", "data=2", "--preset", "data", "--train", "sgd", "--json"];
    for stages in [&[][..], &["--pipeline", "2", "--microbatches", "2"]] {
        let all = [&flags[..], stages].concat();
        let simulated = partita(&folder, [&["simulate"], &all[..], &["--machine", "here.toml"]].concat());
        assert_eq!(simulated.code, Some(0), "{}", simulated.transcript());
        let ran = partita(&folder, [&["run"], &all[..], &["--steps", "3"]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
        let [simulated, ran]: [serde_json::Value; 2] =
            [simulated.out, ran.out].map(|out| serde_json::from_str(&out).unwrap());
        assert!(simulated["step_seconds"].as_f64().unwrap() > 0.0, "{simulated}");
        assert!(ran["seconds"]["step"].as_f64() >= ran["seconds"]["fastest_step"].as_f64(), "{ran}");
        assert!(ran["seconds"]["fastest_step"].as_f64().unwrap() > 0.0, "{ran}");
    }
}

/// Returns the peak memory of tensors of the device with the highest peak, reported by `simulate`.
fn peak(folder: &Folder, model: &str, flags: &str) -> u64 {
    let ended = partita(folder, ["simulate", model, "--json"].into_iter().chain(flags.split(' ')));
    assert_eq!(ended.code, Some(0), "{model} {flags}: {}", ended.transcript());
    let said: serde_json::Value = serde_json::from_str(&ended.out).unwrap_or_default();
    let stages = said["stages"].as_array().into_iter().flatten();
    let most = stages.filter_map(|stage| stage["tensor_bytes"].as_u64()).max();
    assert!(most.is_some(), "{}", ended.out);
    most.unwrap_or_default()
}

#[test]
fn sequence_parallelism_saves_a_fifth_of_memory() {
    let folder = Folder::new("simulate sequence");
    let model = "zoo:gpt?layers=4&width=1024&heads=8&seq=2048&vocab=8192&batch=8";
    let of = |presets, how| peak(&folder, model, &format!("--machine hgx-h100 --mesh model=4 --preset {presets}{how}"));
    let both = |how| (of("megatron", how), of("megatron,sequence", how));
    for how in ["", " --pipeline 1 --microbatches 2"] {
        let (whole, split) = both(how);
        assert!(split * 5 <= whole * 4, "{how}: {whole} {split}");
    }
    // With micro-batches of one example, memory consists mostly of parameters, but sequences are still sharded.
    let (whole, split) = both(" --pipeline 1 --microbatches 8");
    assert!(split < whole, "{whole} {split}");
}

#[test]
fn large_models_fit_where_they_were_trained() {
    let folder = Folder::new("simulate large");
    let gpt = |sizes: &str| format!("zoo:gpt?{sizes}&seq=2048&vocab=50368");
    let llama = |sizes: &str| format!("zoo:llama?{sizes}&kv_heads=8&seq=8192&vocab=128256");
    // MPT-70B and 30B, Llama 8B with FSDP, and 405B in 16 stages of 8 devices: all on devices of 80 GB.
    let cases = [
        (
            gpt("layers=80&width=8192&heads=64&batch=2048"),
            "--machine hgx-h100?nodes=8 --mesh data=64 --preset zero3 --microbatches 4 --remat full",
        ),
        (
            gpt("layers=48&width=7168&heads=56&batch=504"),
            "--machine hgx-h100 --mesh data=8 --preset zero3 --microbatches 21 --remat full",
        ),
        (
            llama("layers=32&width=4096&heads=32&hidden=14336&batch=16"),
            "--machine hgx-h100 --mesh data=8 --preset zero3 --remat full",
        ),
        (
            llama("layers=32&width=4096&heads=32&hidden=14336&batch=16"),
            "--machine hgx-h100 --mesh data=8 --preset zero3 --remat auto?budget=74GiB",
        ),
        (
            llama("layers=126&width=16384&heads=128&hidden=53248&batch=32"),
            "--machine hgx-h100?nodes=16 --mesh model=8 --preset megatron,sequence --pipeline 16 --microbatches 32 \
             --remat full",
        ),
    ];
    for (model, flags) in cases {
        let bytes = peak(&folder, &model, flags);
        assert!(bytes < 80_000_000_000, "{model} {flags}: {bytes}");
    }
}

#[test]
fn simulated_memory_of_tensors_is_that_of_the_plan() {
    let folder = Folder::new("simulate plan");
    let llama = "zoo:llama?layers=8&width=4096&heads=32&kv_heads=8&hidden=14336";
    let cases = [
        (format!("{llama}&seq=8192&vocab=128256&batch=64"), "data=32,model=8", "zero3,megatron --remat full"),
        (format!("{llama}&seq=131072&vocab=128256&batch=1"), "context=8,model=8", "context,megatron"),
        ("zoo:gpt".to_owned(), "data=2", "data,zero1"),
        ("zoo:gpt".to_owned(), "data=2,model=2", "data,megatron,sequence"),
        ("zoo:gpt".to_owned(), "data=2", "data --pipeline 2 --microbatches 2"),
        ("zoo:moe".to_owned(), "data=2,expert=2", "data,expert"),
        ("zoo:mnist-cnn".to_owned(), "data=2", "data"),
    ];
    for (model, mesh, preset) in cases {
        let flags = format!("{model} --mesh {mesh} --preset {preset} --train adam --precision bf16 --json");
        let run = |verb: &str, more: &str| -> serde_json::Value {
            let ended = partita(&folder, [verb].into_iter().chain(flags.split(' ')).chain(more.split_whitespace()));
            serde_json::from_str(&ended.out).unwrap_or_else(|e| panic!("{e}: {}", ended.transcript()))
        };
        let most = |said: serde_json::Value, key: &str| {
            said["stages"].as_array().unwrap().iter().map(|stage| stage[key].as_u64().unwrap()).max()
        };
        // Only the alignment of values in the block of a stage differs.
        let machine = "--machine hgx-h100?nodes=32";
        let [planned, simulated] = [("plan", "peak_bytes"), ("simulate", "tensor_bytes")]
            .map(|(verb, key)| most(run(verb, machine), key).unwrap());
        assert!(planned.abs_diff(simulated) * 1000 <= planned, "{flags}: {planned} {simulated}");
    }
}
