//! Input and output files, and diagnostics for files that do not match the program.

use expect_test::{Expect, expect};
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::dtype::{DType, Type};
use partita_ir::program::Program;
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::parse;
use partita_runtime::io::{Inputs, read_inputs, write_outputs, write_tensors, write_training};
use std::fs;
use std::path::PathBuf;

/// Creates a separate folder for a test.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn program() -> Program {
    let text = "form traced
        param %w \"up.weight\" : f32[2, 3]
        param %b \"up.bias\" : bf16[3]
        param %t \"momentum.weight\" state of \"up.weight\" starts 0.0 : f32[2, 3]
        input %ids : i32[2]
          %y = neg %w : f32[2, 3]
          %z = neg %ids : i32[2]
        output %y \"loss\"
        output %z \"negated\"";
    parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]))
}

fn tensors() -> Vec<(&'static str, Tensor)> {
    let ints = |dtype, shape: &[usize], items: &[i64]| Tensor::from_ints(Type::new(dtype, shape), items.to_vec());
    vec![
        ("up.weight", ints(DType::F32, &[2, 3], &[1, 2, 3, 4, 5, 6])),
        ("up.bias", ints(DType::BF16, &[3], &[1, -2, 3])),
        ("ids", ints(DType::I32, &[2], &[7, -1])),
    ]
}

/// Writes the tensors to a file and reads it as inputs of the program.
fn read(test: &str, tensors: &[(&str, Tensor)]) -> Result<Inputs, Diagnostic> {
    let path = folder(test).join("in.safetensors");
    write_tensors(&path, tensors.iter().map(|(name, t)| (name.to_string(), t))).unwrap();
    read_inputs(&path, &program())
}

/// Asserts the message, without the path of the test's folder.
fn assert_refused(test: &str, outcome: Result<impl std::fmt::Debug, Diagnostic>, message: &Expect) {
    let folder = format!("{}/", folder(test).display());
    message.assert_eq(&outcome.unwrap_err().to_string().replace(&folder, ""));
}

#[test]
fn inputs_are_found_by_name() {
    let mut given = tensors();
    given.push(("zeta", Tensor::zeros(Type::new(DType::Bool, [1]))));
    given.push(("alpha", Tensor::zeros(Type::new(DType::F64, []))));
    let inputs = read("found", &given).unwrap();
    // Optimizer state absent from the file is initialised.
    let start = Tensor::zeros(given[0].1.ty.clone());
    let want = [&given[0].1, &given[1].1, &start, &given[2].1];
    assert!(inputs.tensors.iter().eq(want));
    assert_eq!(inputs.ignored, ["alpha", "zeta"]);
}

#[test]
fn every_dtype_survives_a_file() {
    let path = folder("dtypes").join("all.safetensors");
    for dtype in DType::ALL {
        let tensor = Tensor::from_ints(Type::new(dtype, [2, 2]), vec![0, 1, 100, -3]);
        let text = format!("form traced input %x : {dtype}[2, 2] output %x");
        let program = parse(&Source::new("test.pir", text)).unwrap();
        write_tensors(&path, [("x".to_owned(), &tensor)]).unwrap();
        let read = &read_inputs(&path, &program).unwrap().tensors[0];
        assert_eq!(read.ty, tensor.ty);
        // A type of 8 bits may have no number for 100 or -3, and NaNs are not equal to themselves.
        let same = |(a, b): (Scalar, Scalar)| a == b || a.to_f64().is_nan() && b.to_f64().is_nan();
        assert!(read.scalars().zip(tensor.scalars()).all(same), "{dtype}");
    }
}

#[test]
fn outputs_round_trip() {
    let folder = folder("outputs");
    let path = folder.join("out.safetensors");
    let outputs = [tensors()[0].1.clone(), tensors()[2].1.clone()];
    write_outputs(&path, &program(), &outputs).unwrap();
    let text = "form traced input %loss : f32[2, 3] input %negated : i32[2] output %loss";
    let back = parse(&Source::new("test.pir", text)).unwrap();
    assert_eq!(read_inputs(&path, &back).unwrap().tensors, outputs);
    // No temporary file remains.
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

/// A step whose output replaces a parameter, and has another name. Another parameter is not replaced.
#[test]
fn results_of_a_step_are_inputs_of_the_next() {
    let path = folder("steps").join("out.safetensors");
    let text = "form traced
        param %w \"w\" : f32[3]
        param %frozen \"frozen\" : f32[3]
        input %x : f32[3]
          %new = add %w, %x : f32[3]
        output %x
        output %new \"out1\" -> \"w\"";
    let program = parse(&Source::new("step.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let numbers = |of: [f64; 3]| Tensor::from_floats(Type::new(DType::F32, [3]), of.to_vec());
    let [w, frozen, x, new] = [[1.0; 3], [2.0; 3], [3.0; 3], [4.0; 3]].map(numbers);
    write_training(&path, &program, &[w, frozen.clone(), x.clone()], &[], &[x.clone(), new.clone()]).unwrap();
    assert_eq!(read_inputs(&path, &program).unwrap().tensors, [new, frozen, x]);
}

#[test]
fn missing_tensor_suggests_the_nearest_name() {
    let mut given = tensors();
    given[1].0 = "up.baias";
    assert_refused(
        "near",
        read("near", &given),
        &expect![[r#"
        error[R001]: `in.safetensors` has no tensor `up.bias`
          = help: it has `up.baias`: was that meant?"#]],
    );
    let given = [("a", given[0].1.clone()), ("b", given[1].1.clone())];
    assert_refused(
        "far",
        read("far", &given),
        &expect![[r#"
            error[R001]: `in.safetensors` has no tensor `up.weight`
              = note: 2 more are missing, the next one is `up.bias`
              = help: the file has `a`, `b`"#]],
    );
    assert_refused(
        "none",
        read("none", &[]),
        &expect![[r#"
            error[R001]: `in.safetensors` has no tensor `up.weight`
              = note: 2 more are missing, the next one is `up.bias`
              = help: the file has no tensors"#]],
    );
}

#[test]
fn mismatched_types_are_an_error() {
    let mut given = tensors();
    given[0].1 = Tensor::zeros(Type::new(DType::F32, [3, 2]));
    assert_refused(
        "shape",
        read("shape", &given),
        &expect!["error[R002]: `up.weight` is f32[2, 3] in the model, but f32[3, 2] in the file"],
    );
    let mut given = tensors();
    given[0].1 = Tensor::zeros(Type::new(DType::F64, [2, 3]));
    assert_refused(
        "dtype",
        read("dtype", &given),
        &expect![[r#"
        error[R002]: `up.weight` is f32[2, 3] in the model, but f64[2, 3] in the file
          = help: element types are not converted: store it as f32"#]],
    );
}

#[test]
fn damaged_files_are_an_error() {
    let folder = folder("broken");
    let path = folder.join("in.safetensors");
    write_tensors(&path, tensors().iter().map(|(name, t)| (name.to_string(), t))).unwrap();
    let bytes = fs::read(&path).unwrap();
    for len in 0..bytes.len() {
        fs::write(&path, &bytes[..len]).unwrap();
        let error = read_inputs(&path, &program()).unwrap_err();
        assert_eq!(error.code.name(), "F002", "{len} of {} bytes: {error}", bytes.len());
    }
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert_refused(
        "broken",
        read_inputs(&path, &program()),
        &expect![[r#"
        error[F002]: `in.safetensors` is truncated, or not a safetensors file
          = note: incomplete metadata, file not fully covered"#]],
    );
    // Header length that exceeds the file.
    fs::write(&path, [0xff; 64]).unwrap();
    assert_refused(
        "broken",
        read_inputs(&path, &program()),
        &expect![[r#"
        error[F002]: `in.safetensors` is truncated, or not a safetensors file
          = note: header too large"#]],
    );
    assert_refused(
        "broken",
        read_inputs(&folder.join("nowhere"), &program()),
        &expect!["error[C001]: cannot read `nowhere`: there is no such file or folder"],
    );
    assert_refused(
        "broken",
        write_tensors(&folder.join("no/where"), []),
        &expect!["error[C001]: cannot write `no/where`: there is no such file or folder"],
    );
}

#[test]
fn float_weights_are_quantised_to_8_bits() {
    let text = "form traced
        param %w \"w\" : i8[2, 3]
        param %s \"w.scale\" const of \"w\" : f32[1, 3]
          %f = convert %w : f32[2, 3]
          %b = broadcast [0, 1] %s : f32[2, 3]
          %y = mul %f, %b : f32[2, 3]
        output %y";
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let path = folder("quantised").join("in.safetensors");
    let weight = Tensor::from_floats(Type::new(DType::F32, [2, 3]), vec![127.0, -1.0, 0.0, 63.6, 0.5, 0.0]);
    write_tensors(&path, [("w".to_string(), &weight)]).unwrap();
    let inputs = read_inputs(&path, &program).unwrap().tensors;
    // The largest magnitude of each column is 127; a column of zeros remains zero.
    assert_eq!(inputs[0], Tensor::from_ints(Type::new(DType::I8, [2, 3]), vec![127, -127, 0, 64, 64, 0]));
    let scale = |x: f64| f64::from((x / 127.0) as f32);
    let scales = Tensor::from_floats(Type::new(DType::F32, [1, 3]), vec![scale(127.0), scale(1.0), 0.0]);
    assert_eq!(inputs[1], scales);
    // A scale of another shape does not tell the channels.
    let vector = text.replace("f32[1, 3]", "f32[3]").replace("broadcast [0, 1]", "broadcast [1]");
    let with_vector = parse(&Source::new("test.pir", vector)).unwrap_or_else(|e| panic!("{}", e[0]));
    assert!(read_inputs(&path, &with_vector).is_err());
    // A file with quantised weights and scales is read unchanged.
    write_tensors(&path, [("w".to_string(), &inputs[0]), ("w.scale".to_string(), &inputs[1])]).unwrap();
    assert_eq!(read_inputs(&path, &program).unwrap().tensors, inputs);
}
