//! `run`: verdicts, files, JSON.

use crate::plan::BLOCKS;
use crate::support::{Folder, partita};
use expect_test::expect;
use safetensors::tensor::Dtype;
use serde_json::{Value, json};

#[test]
fn eight_devices_agree_with_one() {
    let folder = Folder::new("agree");
    folder.write("blocks.pir", BLOCKS);
    let ended = partita(&folder, ["run", "blocks.pir", "--check"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert!(ended.out.contains("8 devices agree with one on every output"), "{}", ended.transcript());
}

#[test]
fn json_lists_outputs_and_verdict() {
    let folder = Folder::new("run_json");
    folder.write("blocks.pir", BLOCKS);
    let ended = partita(&folder, ["run", "blocks.pir", "--check", "--json"]);
    let json: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(json["ok"], true);
    let output = &json["outputs"][0];
    assert_eq!(output["name"], "loss");
    assert!(output["max_abs_diff"].is_f64());
    assert!(output["max_rel_diff"].as_f64().unwrap() <= 1e-4);
    assert!(output["f64"]["max_rel_diff"].as_f64().unwrap() <= 1e-9);
}

/// A step similar to Adam's, of a bias whose gradient is zero up to rounding: a sum minus the sum in reverse order. The
/// division by its magnitude moves the bias by up to 1e-3.
const NO_GRADIENT: &str = r#"module @m {
  func.func public @main(%b: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %x: tensor<64x4xf32>) -> tensor<4xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %e = stablehlo.constant dense<1.0e-8> : tensor<4xf32>
    %lr = stablehlo.constant dense<1.0e-3> : tensor<4xf32>
    %y = stablehlo.reverse %x, dims = [0] : tensor<64x4xf32>
    %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x4xf32>, tensor<f32>) -> tensor<4xf32>
    %t = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x4xf32>, tensor<f32>) -> tensor<4xf32>
    %g = stablehlo.subtract %s, %t : tensor<4xf32>
    %a = stablehlo.abs %g : tensor<4xf32>
    %d = stablehlo.add %a, %e : tensor<4xf32>
    %u = stablehlo.divide %g, %d : tensor<4xf32>
    %v = stablehlo.multiply %u, %lr : tensor<4xf32>
    %r = stablehlo.subtract %b, %v : tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
"#;

#[test]
fn amplified_rounding_is_not_a_mismatch() {
    let folder = Folder::new("rounding");
    folder.write("adam.mlir", NO_GRADIENT);
    let mut largest = 0.0f64;
    for seed in 0..8 {
        let seed = seed.to_string();
        let args = ["run", "adam.mlir", "--mesh", "data=4", "--preset", "data", "--check", "--json", "--seed", &seed];
        let ended = partita(&folder, args);
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        let json: Value = serde_json::from_str(&ended.out).unwrap();
        let output = &json["outputs"][0];
        assert!(output["one_device_error"].as_f64().unwrap() > 1e-4, "{output}");
        assert!(output["f64"]["max_abs_diff"].as_f64().unwrap() < 1e-9, "{output}");
        largest = largest.max(output["max_abs_diff"].as_f64().unwrap());
    }
    assert!(largest > 1e-4, "devices differ by {largest}: the tolerance is not exercised");
}

/// Expected memory of each of two devices: inputs are 16 rows of 64 and both weights, temporaries 16 rows of 128, and
/// outputs 16 rows of 32. Matrix products need no scratch memory of the plan, so that the numbers are equal on every
/// machine.
#[test]
fn device_memory_is_reported() {
    let folder = Folder::new("memory");
    let model = r#"form traced
mesh @m = [data=2]
param %w1 "up" : f32[64, 128]
param %w2 "down" : f32[128, 32]
input %x : f32[32@data, 64]
  %h = matmul %x, %w1 : f32[32, 128]
  %y = matmul %h, %w2 : f32[32, 32]
output %y "y"
"#;
    folder.write("two.pir", model);
    let [inputs, computed, outputs] = [4 * (16 * 64 + 64 * 128 + 128 * 32), 4 * 16 * 128, 4 * 16 * 32];
    let ended = partita(&folder, ["run", "two.pir"]);
    expect![[r#"
        memory per device: 52.0 KiB inputs, 8.0 KiB computed, 2.0 KiB outputs: 62.0 KiB in all
    "#]]
    .assert_eq(&(ended.out.lines().nth(1).unwrap().to_owned() + "\n"));
    let ended = partita(&folder, ["run", "two.pir", "--check", "--json"]);
    let total = inputs + computed + outputs;
    let memory =
        json!({ "input_bytes": inputs, "computed_bytes": computed, "output_bytes": outputs, "total_bytes": total });
    assert_eq!(serde_json::from_str::<Value>(&ended.out).unwrap()["memory"], memory);
}

#[test]
fn data_is_determined_by_the_seed() {
    let folder = Folder::new("seeds");
    folder.write("blocks.pir", BLOCKS);
    let out = |seed: &str| {
        let ended = partita(&folder, ["run", "blocks.pir", "--seed", seed]);
        let numbers = ended.out.lines().find(|l| l.contains("loss")).map(str::to_string);
        numbers.unwrap_or_else(|| panic!("{}", ended.transcript()))
    };
    assert_eq!(out("1"), out("1"));
    assert_ne!(out("1"), out("2"));
}

#[test]
fn outputs_are_written_and_inputs_are_read() {
    let folder = Folder::new("files");
    let identity =
        "form traced\nmesh @m = [data=2]\ninput %x : f32[4@data, 3]\n  %y = neg %x : f32[4, 3]\noutput %y \"x\"\n";
    folder.write("neg.pir", identity);
    // The output has the name of the input, so that it can be the next run's input: two negations are the identity.
    for (args, code) in [
        (vec!["run", "neg.pir", "--output", "a.safetensors"], 0),
        (vec!["run", "neg.pir", "--input", "a.safetensors", "--output", "b.safetensors"], 0),
        (vec!["run", "neg.pir", "--input", "b.safetensors", "--output", "c.safetensors", "--check"], 0),
    ] {
        let ended = partita(&folder, args);
        assert_eq!(ended.code, Some(code), "{}", ended.transcript());
    }
    let bytes = |name: &str| std::fs::read(folder.path.join(name)).unwrap();
    assert_eq!(bytes("a.safetensors"), bytes("c.safetensors"));
    assert_ne!(bytes("a.safetensors"), bytes("b.safetensors"));
}

#[test]
fn comparisons_in_the_model_decide_the_exit_code() {
    let folder = Folder::new("expected_values");
    let text = "module @m {
  func.func public @main(%x: tensor<6xf32>) -> tensor<6xf32> {
    %y = stablehlo.add %x, %x : tensor<6xf32>
    %z = stablehlo.subtract %y, %x : tensor<6xf32>
    check.expect_almost_eq %z, %x, tolerance = 1.0e-03 : f64 : tensor<6xf32>
    check.expect_eq %y, %x : tensor<6xf32>
    return %y : tensor<6xf32>
  }
}
";
    folder
        .write("fails.mlir", text)
        .write("holds.mlir", text.replace("    check.expect_eq %y, %x : tensor<6xf32>\n", ""));
    let run = |name: &str| partita(&folder, ["run", name, "--mesh", "d=3", "--shard", "arg0=d"]);
    let ended = run("fails.mlir");
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.out.ends_with("1 of 2 checks of the model fail: line 6\n"), "{}", ended.transcript());
    let ended = run("holds.mlir");
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert!(ended.out.ends_with("the check of the model holds\n"), "{}", ended.transcript());
}

#[test]
fn complex_tensors_are_one_tensor_in_files_and_flags() {
    let folder = Folder::new("complex");
    folder.write(
        "f.mlir",
        "module @m {
  func.func public @main(%x: tensor<6xcomplex<f32>>, %y: tensor<6xcomplex<f64>>) -> (tensor<6xcomplex<f32>>, tensor<6xcomplex<f64>>) {
    return %x, %y : tensor<6xcomplex<f32>>, tensor<6xcomplex<f64>>
  }
}
",
    );
    let args = ["run", "f.mlir", "--mesh", "d=3", "--shard", "arg0=d", "--output", "out.safetensors", "--check"];
    let ended = partita(&folder, args);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let types: Vec<(String, Dtype)> =
        folder.tensors("out.safetensors").into_iter().map(|(name, (dtype, ..))| (name, dtype)).collect();
    let expected = [("out0", Dtype::C64), ("out1.im", Dtype::F64), ("out1.re", Dtype::F64)];
    assert_eq!(types, expected.map(|(name, dtype)| (name.to_owned(), dtype)));
}

#[test]
fn a_loop_that_does_not_end_is_an_error() {
    let folder = Folder::new("endless");
    folder.write(
        "endless.pir",
        "form traced
func @body(%go: bool[], %x: f32[4]) {
  %y = add %x, %x : f32[4]
  return %go \"a\", %y \"b\"
}
input %x : f32[4]
  %go = constant 1 : bool[]
  %end, %y = loop 10 of @body while 50 %go, %x : bool[], f32[4]
output %y
",
    );
    let ended = partita(&folder, ["run", "endless.pir", "--mesh", "d=2", "--shard", "x=d"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.contains("did not end within 50 iterations"), "{}", ended.transcript());
}

#[test]
fn calls_of_unknown_functions_are_planned_and_not_executed() {
    let folder = Folder::new("run-unknown-function");
    folder.write(
        "call.mlir",
        "func.func public @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
           %0 = stablehlo.custom_call @my_kernel(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
           return %0 : tensor<4x8xf32>
         }",
    );
    let planned = partita(&folder, ["plan", "call.mlir", "--mesh", "d=2", "--shard", "arg0=d,_"]);
    assert_eq!(planned.code, Some(0), "{}", planned.transcript());
    let ended = partita(&folder, ["run", "call.mlir", "--mesh", "d=2", "--shard", "arg0=d,_"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    for part in [
        "error[R004]: `%0 = custom_call` calls `@my_kernel`, a function that is not part of the program (line 2 of `call.mlir`)",
        "help: export the model without the call",
    ] {
        assert!(ended.err.contains(part), "{}", ended.transcript());
    }

    // A call in a branch is an error if the branch is taken.
    for (taken, code) in [("true", Some(1)), ("false", Some(0))] {
        folder.write(
            "branch.mlir",
            format!(
                "func.func public @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {{
                   %p = stablehlo.constant dense<{taken}> : tensor<i1>
                   %0 = \"stablehlo.if\"(%p) ({{
                     %1 = stablehlo.custom_call @my_kernel(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>
                     stablehlo.return %1 : tensor<4x8xf32>
                   }}, {{
                     stablehlo.return %arg0 : tensor<4x8xf32>
                   }}) : (tensor<i1>) -> tensor<4x8xf32>
                   return %0 : tensor<4x8xf32>
                 }}"
            ),
        );
        let ended = partita(&folder, ["run", "branch.mlir", "--mesh", "d=2", "--shard", "arg0=d,_"]);
        assert_eq!(ended.code, code, "{}", ended.transcript());
        let error = "a function that is not part of the program, and its branch is taken (line 4 of `branch.mlir`)";
        assert_eq!(ended.err.contains(error), code == Some(1), "{}", ended.transcript());
    }
}
