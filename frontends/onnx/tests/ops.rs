//! Operations in each of their versions, compared with the results of ONNX Runtime that
//! `tests/data/make/onnx_ops.py` recorded.

use partita_ir::dtype::{DType, Type};
use partita_ir::interp;
use partita_ir::tensor::Tensor;
use safetensors::{Dtype, SafeTensors};
use std::fs;
use std::path::{Path, PathBuf};

/// Largest difference to a recorded result, relative to the larger of 1 and its largest element.
const TOLERANCE: f64 = 1e-5;

fn dtype(dtype: Dtype) -> DType {
    match dtype {
        Dtype::F64 => DType::F64,
        Dtype::F32 => DType::F32,
        Dtype::I64 => DType::I64,
        Dtype::I32 => DType::I32,
        Dtype::I8 => DType::I8,
        Dtype::U8 => DType::U8,
        Dtype::BOOL => DType::Bool,
        other => panic!("{other:?}"),
    }
}

fn tensor(file: &SafeTensors<'_>, name: &str) -> Option<Tensor> {
    let view = file.tensor(name).ok()?;
    Some(Tensor::from_bytes(Type::new(dtype(view.dtype()), view.shape()), view.data()))
}

/// Returns the paths of the recorded models.
fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/onnx/ops");
    let mut models: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    models.retain(|path| path.extension().is_some_and(|extension| extension == "onnx"));
    models.sort();
    assert!(models.len() > 90, "{} models", models.len());
    models
}

/// Each model with one damaged byte is imported or rejected without a panic.
#[test]
fn damaged_operations_never_panic() {
    for path in models() {
        let bytes = fs::read(&path).unwrap();
        let recorded = fs::read(path.with_extension("io.safetensors")).unwrap();
        let file = SafeTensors::deserialize(&recorded).unwrap();
        for i in 0..bytes.len() {
            for bit in [1, 1 << (i % 7 + 1)] {
                let mut damaged = bytes.clone();
                damaged[i] ^= bit;
                if let Ok(model) = partita_onnx::decode(damaged.into(), "m.onnx")
                    && let Ok(imported) = partita_onnx::import_model(&model, "m.onnx", &|input| tensor(&file, input))
                {
                    let verified = partita_ir::verify::verify(&imported.program);
                    verified.unwrap_or_else(|errors| panic!("{}: {i}: {errors:?}", path.display()));
                }
            }
        }
    }
}

#[test]
fn operations_match_recorded_results() {
    for path in models() {
        let name = path.display().to_string();
        let bytes = fs::read(path.with_extension("io.safetensors")).unwrap();
        let file = SafeTensors::deserialize(&bytes).unwrap();
        let imported = partita_onnx::import_with_inputs(&name, &|input| tensor(&file, input));
        let imported = imported.unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let program = &imported.program;
        partita_ir::verify::verify(program).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let inputs = program.inputs().iter().map(|&value| {
            let name = program.path_of(value);
            imported.weights.get(name).cloned().or_else(|| tensor(&file, name)).expect("it is recorded")
        });
        let results = interp::run(program, inputs.collect()).unwrap_or_else(|why| panic!("{name}: {why}"));
        for (output, got) in program.outputs().iter().zip(results) {
            let want = tensor(&file, &output.name).expect("it is recorded");
            assert_eq!(got.ty, want.ty, "{name}: {}", output.name);
            let largest = want.scalars().map(|x| x.to_f64().abs()).fold(1.0, f64::max);
            for (got, want) in got.scalars().zip(want.scalars()) {
                let difference = (got.to_f64() - want.to_f64()).abs() / largest;
                assert!(difference < TOLERANCE, "{name}: {}: {got:?} is not {want:?}", output.name);
            }
        }
    }
}
