//! `prove`: equivalence of partitioned programs with their originals.

use crate::support::{Folder, partita};
use expect_test::{Expect, expect};
use serde_json::Value;

/// The built-in MLP in traced form.
const MLP: &str = include_str!("../../../tests/mlp.pir");

/// Returns a folder with the MLP and its local program.
fn mlp() -> Folder {
    let folder = Folder::new(&format!("prove-{:?}", std::thread::current().id()));
    folder.write("mlp.pir", MLP);
    let args = ["plan", "mlp.pir", "--mesh", "data=2,model=2", "--preset", "mesh", "--emit", "local"];
    let local = partita(&folder, args);
    assert_eq!(local.code, Some(0), "{}", local.transcript());
    folder.write("local.pir", local.out);
    folder
}

fn check(folder: &Folder, args: &[&str], code: i32, expected: Expect) {
    let ended = partita(folder, args);
    assert_eq!(ended.code, Some(code), "{}", ended.transcript());
    expected.assert_eq(&(ended.out + &ended.err));
}

#[test]
fn partitioned_program_is_proven_equal() {
    check(
        &mlp(),
        &["prove", "mlp.pir", "local.pir"],
        0,
        expect![[r#"
        equal: every output equals the original's (63 terms)
          output.0: split 13, all_reduce 2, broadcast-reshaped 2
    "#]],
    );
}

#[test]
fn proof_chain_names_every_law() {
    check(
        &mlp(),
        &["prove", "mlp.pir", "local.pir", "--chain"],
        0,
        expect![[r#"
        equal: every output equals the original's (63 terms)
          output.0: split 13, all_reduce 2, broadcast-reshaped 2
            split               matmul(its %input.0, its %layers.0.weight) on shards = %matmul as f32[32@data, 512@model]
            split               broadcast(its %layers.0.bias) on shards = %broadcast as f32[32@data, 512@model]
            split               add(its %matmul, its %broadcast) on shards = %add as f32[32@data, 512@model]
            split               relu(its %add) on shards = %relu as f32[32@data, 512@model]
            split               matmul(its %relu, its %layers.1.weight) on shards = %matmul.1 as f32[32@data, 64] sum(model)
            all_reduce          all_reduce(its %matmul.1) on shards = %matmul.1 as f32[32@data, 64]
            split               broadcast(its %layers.1.bias) on shards = %broadcast.1 as f32[32@data, 64]
            split               add(its %matmul.1.1, its %broadcast.1) on shards = %add.1 as f32[32@data, 64]
            split               sub(its %add.1, its %input.1) on shards = %sub as f32[32@data, 64]
            split               mul(its %sub, its %sub) on shards = %mul as f32[32@data, 64]
            split               reduce(its %mul) on shards = %sum as f32[] sum(data)
            split               constant() on shards = %c as f32[]
            split               div(its %sum, its %c) on shards = %div as f32[] sum(data)
            split               reshape(its %div) on shards = %reshape.2 as f32[1] sum(data)
            all_reduce          all_reduce(its %reshape.2) on shards = %reshape.2 as f32[1]
            broadcast-reshaped  broadcast(%reshape) = broadcast(%layers.0.bias)
            broadcast-reshaped  broadcast(%reshape.1) = broadcast(%layers.1.bias)
    "#]],
    );
}

#[test]
fn training_steps_are_equal() {
    let folder = mlp();
    for (mesh, preset) in [("data=4", "zero3"), ("data=2,model=4", "mesh"), ("data=3", "data")] {
        let emit = |form: &str, file: &str| {
            let args = ["plan", "mlp.pir", "--mesh", mesh, "--preset", preset, "--train", "adamw", "--emit", form];
            let ended = partita(&folder, args);
            assert_eq!(ended.code, Some(0), "{}", ended.transcript());
            folder.write(file, ended.out);
        };
        emit("unpartitioned", "step.pir");
        emit("local", "parts.pir");
        let ended = partita(&folder, ["prove", "step.pir", "parts.pir", "--json"]);
        assert_eq!(ended.code, Some(0), "{preset}: {}", ended.transcript());
        let json: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(json["equal"], true);
        assert_eq!(json["outputs"].as_array().map(Vec::len), Some(14));
        assert!(json["outputs"][2]["steps"].as_array().is_some_and(|steps| steps.len() > 10));
    }
}

#[test]
fn wrong_collective_is_not_proven() {
    let folder = mlp();
    let broken = folder.read("local.pir").replace("all_reduce sum over model", "all_reduce max over model");
    folder.write("broken.pir", broken);
    check(
        &folder,
        &["prove", "mlp.pir", "broken.pir"],
        1,
        expect![[r#"
        not proved: `output.0`
          %matmul.1.1 = all_reduce max over model %matmul.1 : f32[16, 64]
          the original has no equal value
          search with algebraic laws ended: the laws imply no further equalities
    "#]],
    );
}

#[test]
fn original_must_be_unpartitioned() {
    check(
        &mlp(),
        &["prove", "local.pir", "local.pir"],
        1,
        expect![[r#"
        error[P001]: the original is in local form, but must be traced or planned
          |
          = help: name the original program in traced or planned form
    "#]],
    );
}
