//! Attributes of the supported operations by opset, from `onnx.defs` of ONNX 1.19, opsets 11 to 21.

use crate::proto::{AttributeProto, NodeProto};
use partita_ir::diag::nearest;

/// Type of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AttributeType {
    Float,
    Int,
    Text,
    Tensor,
    Floats,
    Ints,
    Texts,
    Sparse,
}

impl AttributeType {
    /// Returns the `AttributeProto.AttributeType`.
    const fn number(self) -> i32 {
        match self {
            AttributeType::Float => 1,
            AttributeType::Int => 2,
            AttributeType::Text => 3,
            AttributeType::Tensor => 4,
            AttributeType::Floats => 6,
            AttributeType::Ints => 7,
            AttributeType::Texts => 8,
            AttributeType::Sparse => 11,
        }
    }

    /// Returns the description that completes "must be ...".
    const fn name(self) -> &'static str {
        match self {
            AttributeType::Float => "a float",
            AttributeType::Int => "an integer",
            AttributeType::Text => "a text",
            AttributeType::Tensor => "a tensor",
            AttributeType::Floats => "a list of floats",
            AttributeType::Ints => "a list of integers",
            AttributeType::Texts => "a list of texts",
            AttributeType::Sparse => "a sparse tensor",
        }
    }

    /// Returns true if the attribute has a value of this type only.
    fn matches(self, attribute: &AttributeProto) -> bool {
        // Files of the first versions of the format have no attribute type.
        let declared = attribute.r#type == 0 || attribute.r#type == self.number();
        let (f, i, s, t) = (attribute.f.is_some(), attribute.i.is_some(), attribute.s.is_some(), attribute.t.is_some());
        let (floats, ints) = (!attribute.floats.is_empty(), !attribute.ints.is_empty());
        declared
            && match self {
                // Protocol buffers may omit fields that are zero.
                AttributeType::Float => !(i || s || t || floats || ints),
                AttributeType::Int => !(f || s || t || floats || ints),
                AttributeType::Text => !(f || i || t || floats || ints),
                AttributeType::Tensor => t && !(f || i || s || floats || ints),
                AttributeType::Floats => !(f || i || s || t || ints),
                AttributeType::Ints => !(f || i || s || t || floats),
                AttributeType::Texts | AttributeType::Sparse => !(f || i || s || t || floats || ints),
            }
    }
}

/// An attribute: name, type, and the first and last opset that define it.
type Attribute = (&'static str, AttributeType, i64, i64);

/// Checks that the attributes of a node are defined for its operation and opset, are unique, and have the defined
/// types.
pub fn check(node: &NodeProto, opset: i64) -> Result<(), String> {
    let Some(schema) = attributes(&node.op_type) else { return Ok(()) };
    for (index, attribute) in node.attribute.iter().enumerate() {
        let name = attribute.name.as_str();
        if node.attribute[..index].iter().any(|other| other.name == name) {
            return Err(format!("has the attribute `{name}` twice"));
        }
        let Some(&(_, kind, first, last)) = schema.iter().find(|(other, ..)| *other == name) else {
            let suggestion = nearest(name, schema.iter().map(|(name, ..)| *name));
            let suggestion = suggestion.map_or_else(String::new, |suggestion| format!("; there is `{suggestion}`"));
            return Err(format!("has no attribute `{name}`{suggestion}"));
        };
        if !(first..=last).contains(&opset) {
            return Err(match opset < first {
                true => format!("has the attribute `{name}` from opset {first} on"),
                false => format!("has the attribute `{name}` up to opset {last}"),
            });
        }
        if !kind.matches(attribute) {
            return Err(format!("has an attribute `{name}` that is not {}", kind.name()));
        }
    }
    Ok(())
}

/// Returns the attributes of an operation; `None` for an unsupported operation.
pub fn attributes(op: &str) -> Option<&'static [Attribute]> {
    use AttributeType::{Float, Floats, Int, Ints, Sparse, Tensor, Text, Texts};
    Some(match op {
        "Abs" | "Acos" | "Acosh" | "Add" | "And" | "Asin" | "Asinh" | "Atan" | "Atanh" | "BitwiseAnd"
        | "BitwiseNot" | "BitwiseOr" | "BitwiseXor" | "Ceil" | "Clip" | "Cos" | "Cosh" | "Div" | "Equal" | "Erf"
        | "Exp" | "Expand" | "Floor" | "GlobalAveragePool" | "GlobalMaxPool" | "Greater" | "GreaterOrEqual"
        | "HardSwish" | "Identity" | "IsNaN" | "Less" | "LessOrEqual" | "Log" | "MatMul" | "Max" | "Mean" | "Min"
        | "Mish" | "Mul" | "Neg" | "Not" | "Or" | "PRelu" | "Pow" | "Range" | "Reciprocal" | "Relu" | "Round"
        | "Sigmoid" | "Sign" | "Sin" | "Sinh" | "Size" | "Slice" | "Softplus" | "Softsign" | "Sqrt" | "Sub" | "Sum"
        | "Tan" | "Tanh" | "Tile" | "Where" | "Xor" => &[],
        "ArgMax" | "ArgMin" => &[("axis", Int, 11, 21), ("keepdims", Int, 11, 21), ("select_last_index", Int, 12, 21)],
        "AveragePool" => &[
            ("auto_pad", Text, 11, 21),
            ("ceil_mode", Int, 11, 21),
            ("count_include_pad", Int, 11, 21),
            ("dilations", Ints, 19, 21),
            ("kernel_shape", Ints, 11, 21),
            ("pads", Ints, 11, 21),
            ("strides", Ints, 11, 21),
        ],
        "BatchNormalization" => {
            &[("epsilon", Float, 11, 21), ("momentum", Float, 11, 21), ("training_mode", Int, 14, 21)]
        }
        "BitShift" => &[("direction", Text, 11, 21)],
        "Cast" => &[("saturate", Int, 19, 21), ("to", Int, 11, 21)],
        "CastLike" => &[("saturate", Int, 19, 21)],
        "Celu" => &[("alpha", Float, 12, 21)],
        "Concat" | "Flatten" | "Gather" | "GatherElements" | "LogSoftmax" | "OneHot" | "Softmax" => {
            &[("axis", Int, 11, 21)]
        }
        "Constant" => &[
            ("sparse_value", Sparse, 11, 21),
            ("value", Tensor, 11, 21),
            ("value_float", Float, 12, 21),
            ("value_floats", Floats, 12, 21),
            ("value_int", Int, 12, 21),
            ("value_ints", Ints, 12, 21),
            ("value_string", Text, 12, 21),
            ("value_strings", Texts, 12, 21),
        ],
        "ConstantOfShape" => &[("value", Tensor, 11, 21)],
        "Conv" => &[
            ("auto_pad", Text, 11, 21),
            ("dilations", Ints, 11, 21),
            ("group", Int, 11, 21),
            ("kernel_shape", Ints, 11, 21),
            ("pads", Ints, 11, 21),
            ("strides", Ints, 11, 21),
        ],
        "ConvTranspose" => &[
            ("auto_pad", Text, 11, 21),
            ("dilations", Ints, 11, 21),
            ("group", Int, 11, 21),
            ("kernel_shape", Ints, 11, 21),
            ("output_padding", Ints, 11, 21),
            ("output_shape", Ints, 11, 21),
            ("pads", Ints, 11, 21),
            ("strides", Ints, 11, 21),
        ],
        "CumSum" => &[("exclusive", Int, 11, 21), ("reverse", Int, 11, 21)],
        "DepthToSpace" => &[("blocksize", Int, 11, 21), ("mode", Text, 11, 21)],
        "Dropout" => &[("ratio", Float, 11, 11), ("seed", Int, 12, 21)],
        "Einsum" => &[("equation", Text, 12, 21)],
        "Elu" | "LeakyRelu" | "ThresholdedRelu" => &[("alpha", Float, 11, 21)],
        "EyeLike" => &[("dtype", Int, 11, 21), ("k", Int, 11, 21)],
        "GatherND" => &[("batch_dims", Int, 12, 21)],
        "Gelu" => &[("approximate", Text, 20, 21)],
        "Gemm" => {
            &[("alpha", Float, 11, 21), ("beta", Float, 11, 21), ("transA", Int, 11, 21), ("transB", Int, 11, 21)]
        }
        "GroupNormalization" => &[("epsilon", Float, 18, 21), ("num_groups", Int, 18, 21), ("stash_type", Int, 21, 21)],
        "HardSigmoid" => &[("alpha", Float, 11, 21), ("beta", Float, 11, 21)],
        "InstanceNormalization" => &[("epsilon", Float, 11, 21)],
        "IsInf" => &[("detect_negative", Int, 11, 21), ("detect_positive", Int, 11, 21)],
        "LayerNormalization" => &[("axis", Int, 17, 21), ("epsilon", Float, 17, 21), ("stash_type", Int, 17, 21)],
        "LpNormalization" => &[("axis", Int, 11, 21), ("p", Int, 11, 21)],
        "MaxPool" => &[
            ("auto_pad", Text, 11, 21),
            ("ceil_mode", Int, 11, 21),
            ("dilations", Ints, 11, 21),
            ("kernel_shape", Ints, 11, 21),
            ("pads", Ints, 11, 21),
            ("storage_order", Int, 11, 21),
            ("strides", Ints, 11, 21),
        ],
        "Mod" => &[("fmod", Int, 11, 21)],
        "NegativeLogLikelihoodLoss" | "SoftmaxCrossEntropyLoss" => {
            &[("ignore_index", Int, 12, 21), ("reduction", Text, 12, 21)]
        }
        "Pad" => &[("mode", Text, 11, 21)],
        "ReduceL1" | "ReduceL2" | "ReduceLogSum" | "ReduceLogSumExp" | "ReduceMax" | "ReduceMean" | "ReduceMin"
        | "ReduceProd" | "ReduceSumSquare" => {
            &[("axes", Ints, 11, 17), ("keepdims", Int, 11, 21), ("noop_with_empty_axes", Int, 18, 21)]
        }
        "ReduceSum" => &[("axes", Ints, 11, 12), ("keepdims", Int, 11, 21), ("noop_with_empty_axes", Int, 13, 21)],
        "Reshape" => &[("allowzero", Int, 14, 21)],
        "ScatterElements" => &[("axis", Int, 11, 21), ("reduction", Text, 16, 21)],
        "ScatterND" => &[("reduction", Text, 16, 21)],
        "Selu" => &[("alpha", Float, 11, 21), ("gamma", Float, 11, 21)],
        "Shape" => &[("end", Int, 15, 21), ("start", Int, 15, 21)],
        "SpaceToDepth" => &[("blocksize", Int, 11, 21)],
        "Split" => &[("axis", Int, 11, 21), ("num_outputs", Int, 18, 21), ("split", Ints, 11, 12)],
        "Squeeze" | "Unsqueeze" => &[("axes", Ints, 11, 12)],
        "TopK" => &[("axis", Int, 11, 21), ("largest", Int, 11, 21), ("sorted", Int, 11, 21)],
        "Transpose" => &[("perm", Ints, 11, 21)],
        "Trilu" => &[("upper", Int, 14, 21)],
        _ => return None,
    })
}
