//! Compilation of exported modules by JAX.
//!
//! Requires a Python with JAX: `PARTITA_PYTHON`, or `python3` by default. With `PARTITA_INSTALL_JAX=1`, a Python
//! without JAX installs it into an environment in the target folder. Without JAX the test prints a message and passes.

use crate::common;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Form, Program};
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_stablehlo::export;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The JAX release whose text format the importer supports.
const JAX: &str = "jax==0.10.2";

fn has_jax(python: &Path) -> bool {
    Command::new(python).args(["-c", "import jax"]).output().is_ok_and(|o| o.status.success())
}

/// Returns a Python with JAX, or the reason why there is none.
fn python(scratch: &Path) -> Result<PathBuf, String> {
    let system = std::env::var_os("PARTITA_PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    if has_jax(&system) {
        return Ok(system);
    }
    let folder = scratch.join("jax");
    let own = folder.join("bin/python");
    if has_jax(&own) {
        return Ok(own);
    }
    if std::env::var_os("PARTITA_INSTALL_JAX").is_none_or(|v| v != "1") {
        return Err(format!("{} has no JAX (PARTITA_INSTALL_JAX=1 installs it)", system.display()));
    }
    let steps = [
        Command::new(&system).args(["-m", "venv"]).arg(&folder).output(),
        Command::new(&own).args(["-m", "pip", "install", "--quiet", JAX]).output(),
    ];
    for step in steps {
        let step = step.map_err(|e| format!("{} cannot be run: {e}", system.display()))?;
        if !step.status.success() {
            return Err(format!("JAX was not installed: {}", String::from_utf8_lossy(&step.stderr)));
        }
    }
    Ok(own)
}

/// A planned program with features that the test data lacks: a loop, and all kinds of layouts.
const PLANNED: &str = "form planned
mesh @mesh = [data=2, model=4]
func @body(%i: i32[] whole, %x: f32[8@data, 16@model], %w: f32[16@model, 16]) {
  %one = constant 1 : i32[] whole
  %j = add %i, %one : i32[] whole
  %h = matmul %x, %w : f32[8@data, 16] sum(model)
  %s = constrain %h : f32[8@data, 16@model]
  return %j \"out0\", %s \"out1\", %w \"out2\"
}
param %w \"up.weight\" : f32[16@model, 16]
input %x : f32[8@data, 16@model]
  %i = constant 0 : i32[] whole
  %j, %y, %v = loop 3 of @body %i, %x, %w : i32[] whole, f32[8@data, 16@model], f32[16@model, 16]
  %p = softmax dim 1 %y : f32[8@data, 16]
  %t = transpose [1, 0] %v : f32[16, 16@model:(1)2] all(model:(2)2)
output %p \"out0\"
output %t \"out1\"
output %w \"out2\" -> \"up.weight\"
";

/// Meshes with sizes that divide few dimensions of the test data.
const ODD_MESHES: [&[(&str, u32)]; 4] =
    [&[("model", 3)], &[("data", 5)], &[("data", 2), ("model", 3)], &[("model", 7)]];

/// Returns the program in form `planned`.
fn planned(program: &Program, plan: Plan) -> Program {
    let (mut rest, mut planned) = (program.clone(), None);
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    let ran = pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default()).unwrap().run(
        &mut rest,
        &input,
        &mut findings,
        &mut |ran| {
            if ran.program.form == Form::Planned {
                planned.get_or_insert_with(|| ran.program.clone());
            }
            Ok(())
        },
    );
    ran.unwrap_or_else(|e| panic!("{}", e[0]));
    planned.unwrap()
}

/// Returns a plan with a mesh, and with the first matrix input of the program sharded over it.
fn odd_plan(program: &Program, mesh: &[(&str, u32)]) -> Plan {
    let matrix = program.inputs().iter().copied().find(|&v| program.ty(v).shape.rank() > 1).unwrap();
    let rank = program.ty(matrix).shape.rank();
    let layout: Vec<&str> = mesh.iter().map(|(axis, _)| *axis).chain(["_"; 8]).take(rank).collect();
    Plan::new(Mesh::new(mesh.iter().copied()).unwrap()).shard(program.path_of(matrix), layout.join(", "))
}

/// Returns the programs to export: small modules of the test data, traced and planned, also on odd meshes, and two
/// programs with features that the test data lacks.
fn programs() -> Vec<(String, Program)> {
    let annotated = r#"module {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}p1]>, tf.aliasing_output = 0 : i32}, %arg1: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {"data"}]>}) -> (tensor<8x16xf32>, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model":(1)2}, {}], replicated={"data"}>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}], unreduced={"model"}>]>} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.negate %arg0 : tensor<8x16xf32>
    return %1, %0 : tensor<8x16xf32>, tensor<8x8xf32>
  }
}
"#;
    let mut programs = vec![
        ("planned.mlir".to_owned(), common::parsed(PLANNED)),
        ("annotated.mlir".to_owned(), common::program("annotated.mlir", annotated)),
    ];
    for file in common::data_files() {
        let (name, text) = common::read(&file);
        let small = ["mlp4_tiny.sgd", "gpt2l_tiny.fwd", "cnn.fwd", "moe_ep.fwd"].iter().any(|m| name.starts_with(m));
        if small && name.contains("d2m4") {
            let program = common::program(&name, &text);
            programs.push((format!("planned.{name}"), planned(&program, Plan::default())));
            programs.push((name, program));
        } else if small && name.contains("plain") {
            let program = common::program(&name, &text);
            for (i, mesh) in ODD_MESHES.into_iter().enumerate() {
                programs.push((format!("odd{i}.{name}"), planned(&program, odd_plan(&program, mesh))));
            }
        }
    }
    programs
}

#[test]
fn jax_compiles_what_is_exported() {
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let python = match python(&scratch) {
        Ok(python) => python,
        Err(reason) => return println!("skipped: {reason}"),
    };
    let folder = scratch.join("exported");
    std::fs::create_dir_all(&folder).unwrap();
    let mut files = Vec::new();
    for (name, program) in programs() {
        let exported = export(&program).unwrap_or_else(|e| panic!("{}", e[0]));
        files.push(folder.join(name));
        std::fs::write(&files[files.len() - 1], exported).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/jax_compile.py");
    let output = Command::new(&python).arg(script).args(&files).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.matches("accepted").count(), files.len());
}
