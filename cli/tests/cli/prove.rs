//! `prove`: partitioned programs next to their originals.

use crate::support::{Folder, partita};
use expect_test::{Expect, expect};
use serde_json::Value;

/// The built-in MLP, as it is traced.
const MLP: &str = include_str!("../../../tests/mlp.pir");

/// The MLP and one device's program of it.
fn mlp() -> Folder {
    let folder = Folder::new(&format!("prove-{:?}", std::thread::current().id()));
    folder.write("mlp.pir", MLP);
    let args = ["plan", "mlp.pir", "--mesh", "data=2,model=2", "--preset", "mesh", "--emit", "local"];
    let local = partita(&folder, args);
    assert_eq!(local.code, Some(0), "{}", local.all());
    folder.write("local.pir", local.out);
    folder
}

fn check(folder: &Folder, args: &[&str], code: i32, expected: Expect) {
    let ended = partita(folder, args);
    assert_eq!(ended.code, Some(code), "{}", ended.all());
    expected.assert_eq(&(ended.out + &ended.err));
}

#[test]
fn a_partitioned_program_is_equal() {
    check(
        &mlp(),
        &["prove", "mlp.pir", "local.pir"],
        0,
        expect![[r#"
        equal: every output is the original's (63 terms)
          output.0: split 13, all_reduce 2, broadcast-reshaped 2
    "#]],
    );
}

#[test]
fn the_chain_names_every_law() {
    check(
        &mlp(),
        &["prove", "mlp.pir", "local.pir", "--chain"],
        0,
        expect![[r#"
        equal: every output is the original's (63 terms)
          output.0: split 13, all_reduce 2, broadcast-reshaped 2
            split               matmul(its %input.0, its %layers.0.weight) on parts = %matmul as f32[32@data, 512@model]
            split               broadcast(its %layers.0.bias) on parts = %broadcast as f32[32@data, 512@model]
            split               add(its %matmul, its %broadcast) on parts = %add as f32[32@data, 512@model]
            split               relu(its %add) on parts = %relu as f32[32@data, 512@model]
            split               matmul(its %relu, its %layers.1.weight) on parts = %matmul.1 as f32[32@data, 64] sum(model)
            all_reduce          all_reduce(its %matmul.1) on parts = %matmul.1 as f32[32@data, 64]
            split               broadcast(its %layers.1.bias) on parts = %broadcast.1 as f32[32@data, 64]
            split               add(its %matmul.1.1, its %broadcast.1) on parts = %add.1 as f32[32@data, 64]
            split               sub(its %add.1, its %input.1) on parts = %sub as f32[32@data, 64]
            split               mul(its %sub, its %sub) on parts = %mul as f32[32@data, 64]
            split               reduce(its %mul) on parts = %sum as f32[] sum(data)
            split               constant() on parts = %c as f32[]
            split               div(its %sum, its %c) on parts = %div as f32[] sum(data)
            split               reshape(its %div) on parts = %reshape.2 as f32[1] sum(data)
            all_reduce          all_reduce(its %reshape.2) on parts = %reshape.2 as f32[1]
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
            assert_eq!(ended.code, Some(0), "{}", ended.all());
            folder.write(file, ended.out);
        };
        emit("made", "step.pir");
        emit("local", "parts.pir");
        let ended = partita(&folder, ["prove", "step.pir", "parts.pir", "--json"]);
        assert_eq!(ended.code, Some(0), "{preset}: {}", ended.all());
        let json: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(json["equal"], true);
        assert_eq!(json["outputs"].as_array().map(Vec::len), Some(14));
        assert!(json["outputs"][2]["steps"].as_array().is_some_and(|steps| steps.len() > 10));
    }
}

#[test]
fn another_collective_is_not_shown() {
    let folder = mlp();
    let broken = folder.read("local.pir").replace("all_reduce sum over model", "all_reduce max over model");
    folder.write("broken.pir", broken);
    check(
        &folder,
        &["prove", "mlp.pir", "broken.pir"],
        1,
        expect![[r#"
        not shown: `output.0`
          %matmul.1.1 = all_reduce max over model %matmul.1 : f32[16, 64]
          nothing equal to it was found in the original
          laws of algebra were tried: nothing new follows from the laws
    "#]],
    );
}

#[test]
fn an_original_is_whole() {
    check(
        &mlp(),
        &["prove", "local.pir", "local.pir"],
        1,
        expect![[r#"
        error[P001]: the original is in form local, and what it computes is not known by itself
          |
          = help: name the program that it was made from: one in form traced or planned
    "#]],
    );
}
