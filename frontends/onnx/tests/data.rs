//! Models exported by PyTorch, compared with recorded results, and the robustness of the importer against damaged
//! files.

use crate::common::{self, FLOAT, int, list, model, string};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use partita_onnx::{decode, import_model};
use proptest::prelude::*;
use prost::Message;
use safetensors::SafeTensors;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the folder of the exported models.
fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/onnx")
}

fn tensor(file: &SafeTensors<'_>, name: &str) -> Tensor {
    let view = file.tensor(name).expect("it is recorded");
    match view.dtype() {
        safetensors::Dtype::F32 => {
            let items = view.data().as_chunks().0.iter().map(|&b| f32::from_le_bytes(b).into()).collect();
            Tensor::from_floats(Type::new(DType::F32, view.shape()), items)
        }
        _ => {
            let items = view.data().as_chunks().0.iter().map(|&b| i64::from_le_bytes(b)).collect();
            Tensor::from_ints(Type::new(DType::I64, view.shape()), items)
        }
    }
}

#[test]
fn exported_models_match_recorded_results() {
    let folder = data();
    for (name, weights) in [("mlp", 8), ("mnist_cnn", 8), ("encoder2l", 29)] {
        let imported = partita_onnx::import(&folder.join(format!("{name}.onnx")).display().to_string());
        let imported = imported.unwrap_or_else(|e| panic!("{name}: {e:?}"));
        assert_eq!(imported.weights.len(), weights, "{name}");
        let bytes = fs::read(folder.join(format!("{name}.io.safetensors"))).unwrap();
        let file = SafeTensors::deserialize(&bytes).unwrap();
        let (got, want) = (common::run(&imported, &[tensor(&file, "input")]).remove(0), tensor(&file, "output"));
        assert_eq!(got.ty, want.ty, "{name}");
        let largest = want.scalars().map(|x| x.to_f64().abs()).fold(1.0, f64::max);
        for (got, want) in got.scalars().zip(want.scalars()) {
            let apart = (got.to_f64() - want.to_f64()).abs() / largest;
            assert!(apart < 1e-5, "{name}: {got:?} is not {want:?}");
        }
    }
}

/// Returns a small file with nodes of several kinds, weights, attributes of every type and a symbolic dimension.
fn small() -> Vec<u8> {
    let model = model(13)
        .input("x", FLOAT, &["batch", "2", "4", "4"])
        .weight("conv.weight", &[2, 2, 3, 3], &[0.5; 36])
        .weight("fc.weight", &[3, 8], &[0.25; 24])
        .ints("shape", &[2], &[0, -1])
        .node(
            "Conv x, conv.weight -> a",
            vec![list("pads", &[1, 1, 1, 1]), string("auto_pad", "NOTSET"), int("group", 1)],
        )
        .node("MaxPool a -> b", vec![list("kernel_shape", &[2, 2]), list("strides", &[2, 2])])
        .node("Reshape b, shape -> c", vec![])
        .node("Gemm c, fc.weight -> d", vec![int("transB", 1), common::float("alpha", 2.0)])
        .node("Softmax d -> y", vec![int("axis", -1)]);
    assert!(model.import("m.onnx?batch=2").is_ok());
    model.0.encode_to_vec()
}

/// Decodes and imports a damaged file. Any error is allowed, a panic is not.
fn read(bytes: Vec<u8>) {
    if let Ok(model) = decode(bytes.into(), "m.onnx")
        && let Ok(imported) = import_model(&model, "m.onnx?batch=2", &|_| None)
    {
        partita_ir::verify::verify(&imported.program).expect("the imported program is valid");
    }
}

#[test]
fn truncated_files_never_panic() {
    let whole = small();
    for length in 0..whole.len() {
        read(whole[..length].to_vec());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn flipped_bits_never_panic(flips in proptest::collection::vec((any::<prop::sample::Index>(), 0u8..8), 1..6)) {
        let mut bytes = small();
        for (at, bit) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        read(bytes);
    }

    #[test]
    fn attributes_of_any_value_never_panic(
        op in prop::sample::select(OPS),
        shape in proptest::collection::vec(
            prop_oneof![9 => 1i64..6, 1 => Just(1i64 << 40), 1 => Just(1i64 << 20)],
            0..5,
        ),
        ints in proptest::collection::vec(
            prop_oneof![
                8 => 0i64..4, 1 => Just(i64::MIN), 1 => Just(i64::MAX), 1 => -9i64..9, 1 => Just(1i64 << 31),
            ],
            0..5,
        ),
        number in prop_oneof![6 => -1i64..3, 1 => Just(i64::MIN), 1 => Just(i64::MAX), 1 => -9i64..9],
        opset in 11i64..22,
        given in any::<u32>(),
    ) {
        let dims: Vec<String> = shape.iter().map(i64::to_string).collect();
        let dims: Vec<&str> = dims.iter().map(String::as_str).collect();
        let numbers = NUMBERS.iter().map(|name| int(name, number));
        // Lists with one number per dimension; `pads` has two.
        let twice = [&ints[..], &ints[..]].concat();
        let lists = LISTS.iter().map(|name| list(name, if *name == "pads" { &twice } else { &ints }));
        let given = |i: &usize| given >> (i % 32) & 1 == 1;
        let attributes: Vec<_> = numbers.chain(lists).enumerate().filter(|(i, _)| given(i)).map(|(_, a)| a).collect();
        for operands in OPERANDS {
            let graph = model(opset)
                .input("x", FLOAT, &dims)
                .input("z", FLOAT, &dims)
                .ints("i", &[ints.len() as i64], &ints)
                .ints("n", &[], &[number])
                .weight("w", &[2, 1, 3, 2], &[1.0; 12])
                .weight("v", &[2], &[1.0; 2]);
            let graph = graph.node(&format!("{op} {operands} -> y"), attributes.clone());
            if let Ok(imported) = graph.import("m.onnx") {
                partita_ir::verify::verify(&imported.program).expect("the imported program is valid");
            }
        }
    }
}

/// Attributes with one number.
const NUMBERS: &[&str] = &[
    "axis",
    "group",
    "blocksize",
    "batch_dims",
    "to",
    "k",
    "num_groups",
    "keepdims",
    "ceil_mode",
    "start",
    "exclusive",
    "count_include_pad",
    "transA",
];

/// Attributes with a list of numbers.
const LISTS: &[&str] =
    &["axes", "perm", "pads", "strides", "dilations", "kernel_shape", "split", "output_shape", "output_padding"];

/// Operands of nodes.
const OPERANDS: &[&str] = &[
    "x",
    "x, z",
    "x, i",
    "x, n",
    "x, i, i",
    "x, i, z",
    "x, i, i, i, i",
    "x, n, z",
    "x, z, z, z, z",
    "i, i",
    "i",
    "n, n, n",
    "i, n, i",
    "x, w",
    "w, w",
    "w",
    "w, n",
    "w, i",
    "x, v, v, v, v",
    "i, n, v",
    "w, i, w",
];

/// Operations with a separate lowering function.
const OPS: &[&str] = &[
    "Reshape",
    "Flatten",
    "Transpose",
    "Squeeze",
    "Unsqueeze",
    "Concat",
    "Split",
    "Slice",
    "Expand",
    "Tile",
    "Pad",
    "Trilu",
    "DepthToSpace",
    "SpaceToDepth",
    "Gather",
    "GatherElements",
    "GatherND",
    "ScatterND",
    "ScatterElements",
    "OneHot",
    "TopK",
    "MatMul",
    "Gemm",
    "Einsum",
    "Conv",
    "ConvTranspose",
    "MaxPool",
    "AveragePool",
    "GlobalMaxPool",
    "GlobalAveragePool",
    "ReduceSum",
    "ReduceMean",
    "ReduceMax",
    "ReduceL2",
    "ReduceLogSumExp",
    "ArgMax",
    "CumSum",
    "Softmax",
    "LogSoftmax",
    "LayerNormalization",
    "BatchNormalization",
    "InstanceNormalization",
    "GroupNormalization",
    "LpNormalization",
    "SoftmaxCrossEntropyLoss",
    "NegativeLogLikelihoodLoss",
    "Clip",
    "Where",
    "PRelu",
    "Cast",
    "CastLike",
    "Dropout",
    "Mod",
    "Pow",
    "BitShift",
    "Range",
    "ConstantOfShape",
    "EyeLike",
    "Shape",
    "Size",
    "Max",
    "Mean",
    "Selu",
    "Softplus",
    "IsInf",
    "Not",
    "Erf",
];
