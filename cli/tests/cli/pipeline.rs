//! Pipelines on the command line: output and error messages.

use crate::support::{Folder, data, partita};
use expect_test::{Expect, expect};

const MODEL: &str = r#"form traced
param %e "embed"   : f32[16, 32]
param %u "mlp.up"   : f32[32, 64]
param %d "mlp.down" : f32[64, 32]
param %h "head"     : f32[32, 16]
input %x : f32[24, 16]
  %a = matmul %x, %e : f32[24, 32]
  %b = matmul %a, %u : f32[24, 64]
  %c = tanh %b       : f32[24, 64]
  %f = matmul %c, %d : f32[24, 32]
  %g = add %a, %f    : f32[24, 32]
  %y = matmul %g, %h : f32[24, 16]
  %z = mul %y, %y    : f32[24, 16]
  %loss = reduce sum [0, 1] %z : f32[]
output %loss "loss"
"#;

fn folder(test: &str) -> Folder {
    let folder = Folder::new(&format!("pipeline {test}"));
    folder.write("m.pir", MODEL);
    folder
}

/// Runs `plan`, which must fail.
fn refuses(flags: &[&str], expected: Expect) {
    let folder = folder(&flags.join(" ").replace(['|', '*'], ""));
    let ended = partita(&folder, ["plan", "m.pir"].iter().chain(flags));
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expected.assert_eq(&ended.err);
}

#[test]
fn plan_lists_stages() {
    let folder = folder("plan");
    let flags = ["--mesh", "data=2", "--preset", "data", "--train", "sgd", "--pipeline", "3", "--microbatches", "4"];
    let ended = partita(&folder, ["plan", "m.pir"].iter().chain(&flags));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    expect![[r#"
        m.pir: 3 stages of data=2 on 6 devices, 1f1b with 4 micro-batches

          stage  parameters            optimizer  gradients  stored  in flight      peak    flops  collectives     sent
          0               2  10.0 KiB        0 B   10.0 KiB   384 B          3  30.8 KiB  172.0 k     10.0 KiB  4.5 KiB
          1               1   8.0 KiB        0 B    8.0 KiB   768 B          2  24.0 KiB  147.5 k      8.0 KiB  4.5 KiB
          2               1   2.0 KiB        0 B    2.0 KiB   580 B          1   6.1 KiB   36.9 k      2.0 KiB  3.0 KiB

          figures for one device of a stage; stored: activations of one micro-batch, peak: maximum over time
          bubble 33.3 %, if gradients take twice as long as the forward pass, and transfers no time

        stage 0 FFFFFFFFFFFFFFF.....................BBBBBBBBBBFFFFFBBBBBBBBBB.....BBBBBBBBBBB.....BBBBBBBBBB
        stage 1 .....FFFFFFFFFF...........BBBBBBBBBBFFFFFBBBBBBBBBBFFFFFBBBBBBBBBB......BBBBBBBBBB..........
        stage 2 ..........FFFFFBBBBBBBBBBBFFFFFBBBBBBBBBBFFFFFBBBBBBBBBBFFFFFBBBBBBBBBBB....................
                F forward  B backward

          parameter or input    stage  type         layout   per device    bytes
          embed                 0      f32[16, 32]  _, _     [16, 32]    2.0 KiB
          mlp.up                0      f32[32, 64]  _, _     [32, 64]    8.0 KiB
          mlp.down              1      f32[64, 32]  _, _     [64, 32]    8.0 KiB
          head                  2      f32[32, 16]  _, _     [32, 16]    2.0 KiB
          x                     0      f32[24, 16]  data, _  [12, 16]      768 B

          collective  stage  over   payload       total  cause   source
          all_reduce  0      data  10.0 KiB    10.0 KiB  matmul  line 7
          all_reduce  1      data   8.0 KiB     8.0 KiB  matmul  line 10
          all_reduce  2      data   2.0 KiB     2.0 KiB  reduce  line 14

        sent between stages
          value      from  to   each         total
          %g.grad       2   0  384 B  x 4  1.5 KiB
          %b.grad       1   0  768 B  x 4  3.0 KiB
          %b            0   1  768 B  x 4  3.0 KiB
          %g.grad       2   1  384 B  x 4  1.5 KiB
          %a            0   2  384 B  x 4  1.5 KiB
          %f            1   2  384 B  x 4  1.5 KiB

        phases of the training step, sums over one device of each stage
          phase            ops    flops  on a ring
          forward           16  122.9 k        0 B
          backward_input    13  110.6 k        0 B
          backward_weight   12  122.9 k   20.0 KiB
          update            15        0        0 B

        maximum over devices, per run
          payload    10.0 KiB  (1 all_reduce 10.0 KiB)
          on a ring  10.0 KiB
          flops      172.0 k  (24.1% of one device's 712.7 k)
          peak       30.8 KiB  (parameters and inputs 10.8 KiB)
          stored     parameters 10.0 KiB, gradients 10.0 KiB, activations 1.1 KiB
          fallbacks  none
    "#]]
    .assert_eq(&ended.out);
}

/// Each micro-batch in flight stores the activations of one chunk, not those of all chunks of its stage.
#[test]
fn stored_activations_do_not_exceed_the_peak() {
    let folder = Folder::new("pipeline stored");
    let model = "zoo:gpt?layers=8&width=32&heads=4&vocab=64&seq=32&batch=16";
    for schedule in ["1f1b", "interleaved?chunks=4", "zb-h1", "gpipe"] {
        let flags = ["--pipeline", "2", "--microbatches", "8", "--schedule", schedule, "--mesh", "data=1"];
        let ended = partita(&folder, ["plan", model, "--train", "adam", "--json"].iter().chain(&flags));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        let said: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        let [stored, peak] = ["activation_bytes", "peak_bytes"].map(|figure| said["memory"][figure].as_u64().unwrap());
        assert!(stored > 0 && stored < peak, "{schedule}: {stored} {peak}");
    }
}

#[test]
fn pipeline_run_is_checked_and_traced() {
    let folder = folder("run");
    let flags = ["--mesh", "data=2", "--preset", "data", "--train", "sgd", "--pipeline", "embed | mlp.* | head"];
    let more = ["--schedule", "zb-h1", "--microbatches", "3", "--check", "--json", "--trace", "t.json"];
    let ended = partita(&folder, ["run", "m.pir"].iter().chain(&flags).chain(&more));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let said: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!((said["ok"].as_bool(), said["devices"].as_u64()), (Some(true), Some(6)));
    assert_eq!(said["memory"].as_array().map(Vec::len), Some(3));
    let trace: serde_json::Value = serde_json::from_str(&folder.read("t.json")).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let forward = events.iter().filter(|event| event["name"] == "forward" && event["ph"] == "X").count();
    assert_eq!(forward, 3 * 6, "each device goes forward three times");
}

#[test]
fn pipeline_only_options_are_rejected() {
    refuses(
        &["--mesh", "data=2", "--schedule", "gpipe"],
        expect![[r#"
        error[G001]: this setting needs a pipeline, but the plan has none
         --> --schedule:1:1
          |
        1 | gpipe
          | ^^^^^
          |
          = help: set the number of stages: `--pipeline 4`, or `--pipeline 1` for micro-batches on a single stage
    "#]],
    );
}

#[test]
fn one_mesh_per_stage() {
    refuses(
        &["--mesh", "data=2 | data=3", "--pipeline", "3", "--train", "sgd"],
        expect![[r#"
            error[G002]: 2 meshes for 3 stages
             --> --mesh:1:1
              |
            1 | data=2 | data=3
              | ^^^^^^ the first of the meshes
              |
             ::: --pipeline:1:1
              |
            1 | 3
              | ^ number of stages
              |
              = help: give each stage its mesh, or one mesh for all of them
        "#]],
    );
    refuses(
        &["--mesh", "data=2 | model=2", "--pipeline", "2", "--train", "sgd"],
        expect![[r#"
            error[L007]: stages have meshes with different axes: `data` (2) and `model` (2)
             --> --mesh:1:1
              |
            1 | data=2 | model=2
              | ^^^^^^   ^^^^^^^
              |
              = help: give all stages the same axes, in the same order; one may be of size 1
        "#]],
    );
}

#[test]
fn replicas_need_micro_batches() {
    let pipeline = ["--mesh", "data=2", "--pipeline", "2", "--train", "sgd"];
    refuses(
        &[&pipeline[..], &["--microbatches", "2", "--replicas", "3"]].concat(),
        expect![[r#"
        error[G002]: 3 replicas need at least 3 micro-batches, but there are 2
         --> --microbatches:1:1
          |
        1 | 2
          | ^
          |
          = help: use more micro-batches, or leave the slowest devices out
    "#]],
    );
    refuses(
        &[&pipeline[..], &["--microbatches", "4+2", "--replicas", "3"]].concat(),
        expect![[r#"
        error[G002]: `4+2` has micro-batches for 2 replicas, but there are 3
         --> --microbatches:1:1
          |
        1 | 4+2
          | ^^^ micro-batches of each replica
          |
         ::: --replicas:1:1
          |
        1 | 3
          | ^ number of replicas
    "#]],
    );
    refuses(
        &[&pipeline[..], &["--map", "data, modle"]].concat(),
        expect![[r#"
        error[L007]: `modle` is not an axis of the mesh
         --> --map:1:7
          |
        1 | data, modle
          |       ^^^^^
          |
          = note: its axes are `data` (2)
    "#]],
    );
}

#[test]
fn frozen_stages_and_replicas_run() {
    let folder = folder("released");
    let flags = ["--mesh", "data=2 | data=1 | data=4", "--preset", "data", "--train", "sgd", "--freeze", "mlp.*"];
    let stages = ["--pipeline", "embed | mlp | head", "--microbatches", "1+2", "--check"];
    let ended = partita(&folder, ["run", "m.pir"].iter().chain(&flags).chain(&stages));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    // Two pipelines of 2 + 4 devices.
    assert!(ended.out.contains("12 devices agree with one on every output"), "{}", ended.transcript());
    assert!(ended.err.contains("warning[G003]: stage 1 is entirely frozen"), "{}", ended.transcript());
}

#[test]
fn unknown_schedule_is_rejected() {
    refuses(
        &["--mesh", "data=2", "--pipeline", "2", "--schedule", "1f2b"],
        expect![[r#"
        error[D012]: there is no pipeline schedule `1f2b`
         --> --schedule:1:1
          |
        1 | 1f2b
          | ^^^^
          |
          = note: the schedules are vanilla, gpipe, 1f1b, interleaved, zb-h1, zb-h2
          = help: there is `1f1b`
    "#]],
    );
}

#[test]
fn wrong_number_of_chunks_is_rejected() {
    refuses(
        &["--mesh", "data=2", "--pipeline", "embed | mlp | head", "--schedule", "interleaved?chunks=2"],
        expect![[r#"
            error[G002]: the schedule `interleaved?chunks=2` needs 2 lists of paths for each stage, but there are 3
             --> --pipeline:1:1
              |
            1 | embed | mlp | head
              | ^^^^^^^^^^^^^^^^^^ lists of the chunks of all stages
              |
              = help: list the paths of each chunk in the order of the model, or write the number of stages
        "#]],
    );
}

#[test]
fn indivisible_batch_is_rejected() {
    refuses(
        &["--mesh", "data=2", "--pipeline", "2", "--train", "sgd", "--microbatches", "5"],
        expect![[r#"
        error[D007]: a batch of 24 cannot be split into 5 equal micro-batches
         --> --microbatches:1:1
          |
        1 | 5
          | ^ requests micro-batches
          |
          = note: `x`: 24 = 5 x 4 + 4
          = note: possible numbers: 1, 2, 3, 4, 6, 8, 12, 24
          = help: write `--microbatches 4`
    "#]],
    );
}

#[test]
fn contradictory_micro_batch_counts_are_rejected() {
    let train = ["--train", "sgd?accumulate=2", "--microbatches", "4"];
    refuses(
        &[&["--mesh", "data=2", "--pipeline", "2"][..], &train].concat(),
        expect![[r#"
            error[D007]: 4 micro-batches contradict `accumulate=2`
             --> --microbatches:1:1
              |
            1 | 4
              | ^ first stated here
              |
             ::: --train:1:16
              |
            1 | sgd?accumulate=2
              |                ^ stated again here
              |
              = help: in a pipeline, both are the number of micro-batches: leave one of them out
        "#]],
    );
}

#[test]
fn more_stages_than_ops_are_rejected() {
    refuses(
        &["--mesh", "data=2", "--pipeline", "20", "--train", "sgd"],
        expect![[r#"
            error[G002]: `m.pir` cannot be cut into 20 stages
              |
              = note: it has 8 ops that a stage could begin with
        "#]],
    );
}

#[test]
fn stages_in_the_wrong_order_are_rejected() {
    let stages = "head mlp.* | embed";
    refuses(
        &["--mesh", "data=2", "--pipeline", stages, "--train", "sgd"],
        expect![[r#"
        error[G002]: `mlp.up` is assigned to stage 0, but reads a result of stage 1
         --> --pipeline:1:6
          |
        1 | head mlp.* | embed
          |      ^^^^^ assigned here
          |
          = help: assign it to stage 1 or a later one
    "#]],
    );
}

#[test]
fn stage_without_parameters_is_rejected() {
    refuses(
        &["--mesh", "data=2", "--pipeline", "embed | | head", "--train", "sgd"],
        expect![[r#"
        error[G002]: stage 1 of the pipeline has no paths
         --> --pipeline:1:8
          |
        1 | embed | | head
          |        ^
          |
          = help: name parameters of each stage: `embed blocks.0.** | blocks.1.** head`
    "#]],
    );
    refuses(
        &["--mesh", "data=2", "--pipeline", "embed | mpl.* | head", "--train", "sgd"],
        expect![[r#"
        error[L006]: no parameter or input matches `mpl.*`
         --> --pipeline:1:9
          |
        1 | embed | mpl.* | head
          |         ^^^^^ matches nothing
          |
          = note: the model has `embed`, `mlp.up`, `mlp.down`, `head`, `x`
          = help: write `mpl.*?` if it may match nothing
    "#]],
    );
}

#[test]
fn zero_pipeline_stages_are_rejected() {
    refuses(
        &["--mesh", "data=2", "--pipeline", "0", "--train", "sgd"],
        expect![[r#"
        error[G002]: `0` is not a number of stages from 1 to 65536
         --> --pipeline:1:1
          |
        1 | 0
          | ^
    "#]],
    );
}

#[test]
fn jax_training_steps_are_pipelined() {
    let data = data();
    let folder = Folder::new("pipeline jax");
    let model = data.join("stablehlo/mlp4.adam.plain.mlir").display().to_string();
    for (stages, parts) in [("2", "4"), ("3", "1")] {
        let flags = ["--mesh", "data=2", "--pipeline", stages, "--microbatches", parts, "--check"];
        let ended = partita(&folder, ["run", model.as_str()].iter().chain(&flags));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        assert!(ended.out.contains("devices agree with one on every output"), "{}", ended.transcript());
    }
    // The load-balancing loss of experts is a mean over the full batch, which the gradients of all examples need.
    let model = data.join("stablehlo/moe_ep.adam.plain.mlir").display().to_string();
    let ended = partita(&folder, ["plan", model.as_str(), "--pipeline", "2", "--microbatches", "4"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.contains("mixes examples"), "{}", ended.transcript());
}
