//! The JSON schema of exported programs, version 8: `torch/_export/serde/schema.py` of PyTorch. Fields that the import
//! does not read are omitted.

use partita_ir::build::{MAX_DIM, MAX_RANK};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::mini_float::MiniFloat;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny};
use std::fmt;

/// Supported major version of the schema.
pub const SCHEMA_VERSION: u64 = 8;

/// An exported program.
#[derive(Deserialize)]
pub struct ExportedProgram {
    pub graph_module: GraphModule,
}

/// The version of an exported program, which is checked before the rest is decoded.
#[derive(Deserialize)]
pub struct ProgramVersion {
    pub schema_version: SchemaVersion,
}

/// Version of the schema.
#[derive(Deserialize)]
pub struct SchemaVersion {
    pub major: u64,
    pub minor: u64,
}

/// A graph, the meaning of its inputs and outputs, and the structure of its results.
#[derive(Deserialize)]
pub struct GraphModule {
    pub graph: Graph,
    pub signature: Signature,
    #[serde(default)]
    pub module_call_graph: Vec<ModuleCall>,
}

/// A graph of operations in the order of their execution.
#[derive(Deserialize)]
pub struct Graph {
    /// Arguments of a graph that a node calls.
    #[serde(default)]
    pub inputs: Vec<Argument>,
    /// Results of a graph that a node calls.
    #[serde(default)]
    pub outputs: Vec<Argument>,
    pub nodes: Vec<GraphNode>,
    /// Types of all tensors, by name.
    pub tensor_values: FxHashMap<String, TensorMeta>,
}

/// A call of an operation.
#[derive(Deserialize)]
pub struct GraphNode {
    /// Qualified name of the operation, such as `torch.ops.aten.add.Tensor`.
    pub target: String,
    pub inputs: Vec<NamedArgument>,
    pub outputs: Vec<Argument>,
    /// Properties such as `stack_trace` and `nn_module_stack`.
    #[serde(default)]
    pub metadata: FxHashMap<String, String>,
}

/// An operand, under its name in the definition of the operation.
#[derive(Deserialize)]
pub struct NamedArgument {
    pub name: String,
    pub arg: Argument,
}

/// Reference to a tensor by name.
#[derive(Deserialize)]
pub struct TensorName {
    pub name: String,
}

/// An operand or a result.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::enum_variant_names, reason = "the names of the schema")]
pub enum Argument {
    AsNone(IgnoredAny),
    AsTensor(TensorName),
    AsTensors(Vec<TensorName>),
    AsOptionalTensor(OptionalTensor),
    AsOptionalTensors(Vec<OptionalTensor>),
    AsInt(i64),
    AsInts(Vec<i64>),
    AsFloat(Float),
    AsBool(bool),
    AsString(String),
    AsSymInt(SymIntArgument),
    AsSymInts(Vec<SymIntArgument>),
    AsScalarType(IgnoredAny),
    AsFloats(Vec<Float>),
    AsBools(IgnoredAny),
    AsStrings(IgnoredAny),
    AsMemoryFormat(IgnoredAny),
    AsLayout(IgnoredAny),
    AsDevice(IgnoredAny),
    AsSymBool(SymScalar),
    AsSymBools(IgnoredAny),
    AsSymFloat(SymScalar),
    AsSymFloats(IgnoredAny),
    AsGraph(GraphArgument),
    AsCustomObj(IgnoredAny),
    AsOperator(String),
    AsComplex(ComplexNumber),
    AsNestedTensors(IgnoredAny),
    AsIntLists(IgnoredAny),
    AsFloatLists(IgnoredAny),
    AsStringToArgument(IgnoredAny),
}

/// A graph that a node calls.
#[derive(Deserialize)]
pub struct GraphArgument {
    pub graph: Graph,
}

/// A tensor that may be absent.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::enum_variant_names, reason = "the names of the schema")]
pub enum OptionalTensor {
    AsTensor(TensorName),
    AsNone(IgnoredAny),
}

/// An integer, or the name of one that is computed at run time.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::enum_variant_names, reason = "the names of the schema")]
pub enum SymIntArgument {
    AsName(String),
    AsInt(i64),
}

/// A boolean or float, or the name of one that is computed at run time.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::enum_variant_names, reason = "the names of the schema")]
pub enum SymScalar {
    AsName(String),
    AsBool(IgnoredAny),
    AsFloat(IgnoredAny),
}

/// A float. Infinities and NaN are written as text.
#[derive(Clone, Copy)]
pub struct Float(pub f64);

impl<'de> Deserialize<'de> for Float {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Float, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum NumberOrText {
            Number(f64),
            Text(String),
        }
        match NumberOrText::deserialize(deserializer)? {
            NumberOrText::Number(x) => Ok(Float(x)),
            NumberOrText::Text(text) => match text.as_str() {
                "Infinity" => Ok(Float(f64::INFINITY)),
                "-Infinity" => Ok(Float(f64::NEG_INFINITY)),
                "NaN" => Ok(Float(f64::NAN)),
                _ => Err(de::Error::custom(format!("`{text}` is not a number"))),
            },
        }
    }
}

/// Type and memory layout of a tensor.
#[derive(Deserialize)]
pub struct TensorMeta {
    dtype: u32,
    sizes: Vec<SymInt>,
    strides: Vec<SymInt>,
    storage_offset: SymInt,
    /// True for parameters that are trained.
    #[serde(default)]
    pub requires_grad: bool,
}

/// A size: a number, or an expression of symbolic dimensions.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(clippy::enum_variant_names, reason = "the names of the schema")]
pub enum SymInt {
    AsInt(i64),
    AsExpr(SymExpr),
}

/// An expression of symbolic dimensions.
#[derive(Deserialize)]
pub struct SymExpr {
    pub expr_str: String,
}

/// Type of a tensor.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TensorType {
    /// Type of the tensor, or of each part of complex numbers.
    pub part: Type,
    /// True for complex numbers, whose elements are a real and an imaginary part.
    pub is_complex: bool,
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_complex { write!(f, "complex {}", self.part) } else { self.part.fmt(f) }
    }
}

/// Reason why the type of a tensor is not supported.
#[derive(Debug)]
pub enum TypeFault {
    /// The element type with this name.
    DType(String),
    /// The symbolic size of a dimension: its index, and the expression.
    Symbolic(usize, String),
    /// The shape, for the given reason.
    TooLarge(String),
}

impl TensorMeta {
    /// Returns the type of the tensor.
    ///
    /// # Errors
    /// The element type is not supported, a size is symbolic or negative, or there are too many elements.
    pub fn ty(&self) -> Result<TensorType, TypeFault> {
        let (dtype, is_complex) = dtype_of(self.dtype).map_err(|name| TypeFault::DType(name.into()))?;
        if self.sizes.len() > MAX_RANK {
            return Err(TypeFault::TooLarge(format!("has {} dimensions, more than {MAX_RANK}", self.sizes.len())));
        }
        let mut shape = Shape::scalar();
        for (d, size) in self.sizes.iter().enumerate() {
            match size {
                SymInt::AsExpr(expr) => return Err(TypeFault::Symbolic(d, expr.expr_str.clone())),
                SymInt::AsInt(n) => match usize::try_from(*n).ok().filter(|&n| n <= MAX_DIM) {
                    Some(n) => shape.0.push(n),
                    None => return Err(TypeFault::TooLarge(format!("has the size {n} in dimension {d}"))),
                },
            }
        }
        match shape.checked_count() {
            Some(_) => Ok(TensorType { part: Type { shape, dtype }, is_complex }),
            None => Err(TypeFault::TooLarge(format!("has the shape {shape}, whose element count overflows"))),
        }
    }

    /// Returns the position of the first element in its storage and the distance between elements along each dimension;
    /// `None` if they are symbolic or negative, or if there are not as many distances as dimensions.
    pub fn layout(&self) -> Option<(usize, Vec<usize>)> {
        let number = |size: &SymInt| match size {
            SymInt::AsInt(n) => usize::try_from(*n).ok(),
            SymInt::AsExpr(_) => None,
        };
        let strides = self.strides.iter().map(number).collect::<Option<Vec<_>>>()?;
        (strides.len() == self.sizes.len()).then_some((number(&self.storage_offset)?, strides))
    }
}

/// Returns the element type for a `ScalarType` of the schema, and true if two such elements are a complex number. The
/// error is the name in PyTorch of a type that is not supported.
pub fn dtype_of(number: u32) -> Result<(DType, bool), &'static str> {
    let dtype = match number {
        1 => DType::U8,
        2 => DType::I8,
        3 => DType::I16,
        4 => DType::I32,
        5 => DType::I64,
        6 => DType::F16,
        7 => DType::F32,
        8 => DType::F64,
        12 => DType::Bool,
        13 => DType::BF16,
        28 => DType::U16,
        29 => DType::Mini(MiniFloat::E4M3Fn),
        30 => DType::Mini(MiniFloat::E5M2),
        31 => DType::Mini(MiniFloat::E4M3Fnuz),
        32 => DType::Mini(MiniFloat::E5M2Fnuz),
        33 => DType::Mini(MiniFloat::E8M0Fnu),
        34 => DType::U32,
        35 => DType::U64,
        9 => return Ok((DType::F16, true)),
        10 => return Ok((DType::F32, true)),
        11 => return Ok((DType::F64, true)),
        _ => return Err("of an unknown number"),
    };
    Ok((dtype, false))
}

/// A complex number.
#[derive(Clone, Copy, Deserialize)]
pub struct ComplexNumber {
    pub real: Float,
    pub imag: Float,
}

/// Meaning of the inputs and outputs of the graph.
#[derive(Deserialize)]
pub struct Signature {
    pub input_specs: Vec<InputSpec>,
    pub output_specs: Vec<OutputSpec>,
}

/// Meaning of an input.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputSpec {
    Parameter { arg: TensorName, parameter_name: String },
    Buffer { arg: TensorName, buffer_name: String },
    TensorConstant { arg: TensorName, tensor_constant_name: String },
    UserInput { arg: Argument },
    ConstantInput(IgnoredAny),
    CustomObj { custom_obj_name: String },
    Token(IgnoredAny),
}

/// Meaning of an output.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputSpec {
    UserOutput { arg: Argument },
    LossOutput { arg: TensorName },
    BufferMutation { arg: TensorName, buffer_name: String },
    ParameterMutation { arg: TensorName, parameter_name: String },
    UserInputMutation { arg: TensorName, user_input_name: String },
    GradientToParameter { arg: TensorName },
    GradientToUserInput { arg: TensorName },
    Token(IgnoredAny),
}

/// A module whose calls the export preserved; the first is the model.
#[derive(Deserialize)]
pub struct ModuleCall {
    pub signature: Option<ModuleCallSignature>,
}

/// Structure of the results of a module.
#[derive(Deserialize)]
pub struct ModuleCallSignature {
    /// A [`TreeSpec`] with its version, as JSON.
    pub out_spec: String,
}

/// A nested container, or a leaf.
#[derive(Deserialize)]
pub struct TreeSpec {
    /// Type of the container; `None` for a leaf.
    pub r#type: Option<String>,
    /// The keys of a dictionary, as JSON; `null` for a list.
    pub context: Option<serde_json::Value>,
    pub children_spec: Vec<TreeSpec>,
}

/// Locations of the data of weights or constants in the archive.
#[derive(Deserialize)]
pub struct PayloadConfig {
    /// Data of each tensor, by its fully qualified name.
    pub config: FxHashMap<String, Payload>,
}

/// Data of a tensor.
#[derive(Deserialize)]
pub struct Payload {
    /// Name of the entry, without its folder.
    pub path_name: String,
    /// True if the entry is a pickled object instead of the bytes of a storage.
    #[serde(default)]
    pub use_pickle: bool,
    pub tensor_meta: Option<TensorMeta>,
}
