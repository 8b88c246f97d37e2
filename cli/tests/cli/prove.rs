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
            equal: every output equals the original's (69 terms)
              output.0: split 13, all_reduce 2, commute 2, broadcast-reshaped 2
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
            equal: every output equals the original's (69 terms)
              output.0: split 13, all_reduce 2, commute 2, broadcast-reshaped 2
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
                commute             add(%matmul.1, %broadcast.1) = add(%broadcast.1, %matmul.1)
                broadcast-reshaped  broadcast(%reshape.1) = broadcast(%layers.1.bias)
                commute             add(%matmul, %broadcast) = add(%broadcast, %matmul)
                broadcast-reshaped  broadcast(%reshape) = broadcast(%layers.0.bias)
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
            wrong: `output.0`[0] is 0.05108302881112547, but the original's is 0.060001245567107224 (random inputs with seed 1)
            not proved: `output.0`
              %matmul.1.1 = all_reduce max over model %matmul.1 : f32[16, 64]
              the result is not known to consist of shards of a value
              first value of the original without an equal value:
              %add.1 = add %matmul.1, %broadcast.1 : f32[32, 64]
              search with algebraic laws ended: the laws imply no further equalities
        "#]],
    );
}

/// `cos(x)^2 + sin(x)^2` and 1, for which there is no law, and programs that are too large to compare.
#[test]
fn programs_without_a_proof_are_compared_on_random_inputs() {
    let folder = Folder::new("prove-numbers");
    let program = |ops: &str| format!("form traced\ninput %x : f32[4, 2]\n{ops}\noutput %y\n");
    let squares = "  %s = sin %x : f32[4, 2]\n  %c = cos %x : f32[4, 2]\n  %p = mul %s, %s : f32[4, 2]\n  \
                   %q = mul %c, %c : f32[4, 2]\n  %y = add %p, %q : f32[4, 2]";
    folder.write("squares.pir", program(squares));
    folder.write("one.pir", program("  %y = constant 1.0 : f32[4, 2]"));
    folder.write("two.pir", program("  %y = constant 2.0 : f32[4, 2]"));
    check(
        &folder,
        &["prove", "squares.pir", "one.pir"],
        1,
        expect![[r#"
        not proved: `y`
          %y = constant 1.0 : f32[4, 2]
          the original has no equal value
          first value of the original without an equal value:
          %s = sin %x : f32[4, 2]
          search with algebraic laws ended: the laws imply no further equalities
          the outputs are equal on 5 random inputs, up to rounding
    "#]],
    );
    let json = |other: &str| -> Value {
        let ended = partita(&folder, ["prove", "squares.pir", other, "--json"]);
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        serde_json::from_str(&ended.out).unwrap()
    };
    let same = json("one.pir");
    assert_eq!((&same["result"], &same["comparison"]["equal"]["inputs"]), (&"not_proved".into(), &5.into()));
    let wrong = json("two.pir");
    assert_eq!((&wrong["result"], &wrong["comparison"]["different"]["seed"]), (&"wrong".into(), &1.into()));
    let large = |op: &str| {
        let ty = "f32[2048, 2048]";
        format!("form traced\ninput %x : {ty}\n  %p = matmul %x, %x : {ty}\n  %y = {op} %p : {ty}\noutput %y\n")
    };
    folder.write("large.pir", large("sin"));
    folder.write("other.pir", large("cos"));
    check(
        &folder,
        &["prove", "large.pir", "other.pir"],
        1,
        expect![[r#"
        not proved: `y`
          %y = cos %p : f32[2048, 2048]
          the original has no equal value
          first value of the original without an equal value:
          %y = sin %p : f32[2048, 2048]
          search with algebraic laws ended: the laws imply no further equalities
          not compared on random inputs: one evaluation takes 34384904192 arithmetic operations
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
