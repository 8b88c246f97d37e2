//! Table of the constraints of each operation. The match over opcodes is exhaustive, so that an operation without an
//! entry is a compile error.

use super::attributes::AttributeConstraint::{self, Any, Fields, Flag, Flags, Integers, Precision, Word};
use crate::syntax::{Element, Opcode};
use partita_ir::dtype::DType;

/// Constraints of an operation.
pub struct Constraint {
    /// Number of operands.
    pub operands: Count,
    /// Number of results.
    pub results: Count,
    /// Signatures of the regions.
    pub regions: RegionConstraint,
    /// Names and types of the inherent attributes.
    pub attributes: &'static [(&'static str, AttributeConstraint)],
    /// Constraint on the types of operands and results.
    pub types: TypeConstraint,
}

/// A number of operands, results or regions.
#[derive(Clone, Copy)]
pub enum Count {
    /// Exactly this number.
    Exactly(usize),
    /// At least this number.
    AtLeast(usize),
}

/// Signatures of the regions of an operation.
#[derive(Clone, Copy)]
pub enum RegionConstraint {
    /// No regions.
    None,
    /// A reducer, which combines an accumulator with an element of each operand tensor; or no region, if the operation
    /// names its reducer (`applies`) instead.
    ReducerOrName,
    /// A reducer, which combines an accumulator with an element of each operand tensor.
    Reducer,
    /// A region that combines an element of each scatter operand with its update.
    Update,
    /// Two regions: a comparison of two elements with a boolean result, and a combination of two elements.
    SelectAndScatter,
    /// A combination of two elements of the first operand.
    Combination,
    /// The body of a manual computation, which ends with `sdy.return`.
    Manual,
    /// A function from one element of each operand to an element of the result.
    Elementwise,
    /// A comparator of two elements of each operand, with a boolean result.
    Comparator,
    /// A condition and a body with arguments of the operand types. The body returns the same types.
    Loop,
    /// The given number of branches, without arguments, that return values of the result types.
    Branches(Count),
}

/// Constraint on the types of operands and results.
#[derive(Clone, Copy)]
pub enum TypeConstraint {
    /// No constraint here; the shape rule of the op is checked during lowering.
    ShapeRule,
    /// All operands have the same type.
    Operands,
    /// All operands have the same type; the result is a boolean scalar.
    Equality,
    /// The operand has the type of the literal `value`.
    ExpectedLiteral,
    /// The result is the number of a device, `tensor<ui32>`.
    DeviceNumber,
    /// Operands and result have the same shape.
    OneShape,
    /// One of operand and result is quantised, or both. The other one has the type of the numbers it represents.
    Quantization,
    /// All operands and results have the same type, with one of these element types.
    Same(ElementTypes),
    /// All operands have the same type, with one of these element types. The result is boolean with the same shape.
    Predicate(ElementTypes),
    /// The result has one of these element types.
    Result(ElementTypes),
    /// Each result has the type of the corresponding operand.
    Pairwise,
    /// Operands are parts of the result, or the result is a part of the operand: real and imaginary part, modulus. Of
    /// a real number they have its type.
    Parts,
    /// A predicate whose `compare_type` is valid for the element type.
    Comparison,
    /// The result has the declared type of the literal.
    Literal,
    /// Operands and results have the types of the callee's arguments and results.
    Call,
    /// The first operand is a scalar with one of these element types. The text names the operand in messages.
    Scalar(&'static str, &'static [DType]),
    /// Tensors of one shape, followed by an initial value for each.
    Reduction,
    /// An operand, a source of scattered values, and an initial value.
    SelectAndScatter,
    /// The result is a float exactly if the operands are, and its element type is at least as wide as theirs.
    Accumulation,
}

/// A set of element types. Quantised numbers count as floats.
#[derive(Clone, Copy)]
pub enum ElementTypes {
    Any,
    Float,
    FloatOrComplex,
    Integer,
    Number,
    SignedOrFloat,
    IntegerOrBool,
}

impl ElementTypes {
    /// Returns true if the set contains the element type.
    pub fn contains(self, element: &Element) -> bool {
        let plain = |of: &dyn Fn(DType) -> bool| matches!(element, Element::Plain(dtype) if of(*dtype));
        match self {
            ElementTypes::Any => true,
            ElementTypes::Float => element.is_float(),
            ElementTypes::FloatOrComplex => element.is_float() || matches!(element, Element::Complex(_)),
            ElementTypes::Integer => plain(&|dtype| dtype.is_int()),
            ElementTypes::Number => !plain(&|dtype| dtype == DType::Bool),
            ElementTypes::SignedOrFloat => !plain(&|dtype| dtype == DType::Bool || dtype.is_unsigned()),
            ElementTypes::IntegerOrBool => plain(&|dtype| !dtype.is_float()),
        }
    }

    /// Returns the description that completes "elements must be ...".
    pub const fn name(self) -> &'static str {
        match self {
            ElementTypes::Any => "of any type",
            ElementTypes::Float => "floats",
            ElementTypes::FloatOrComplex => "floats or complex numbers",
            ElementTypes::Integer => "integers",
            ElementTypes::Number => "numbers",
            ElementTypes::SignedOrFloat => "signed integers or floats",
            ElementTypes::IntegerOrBool => "integers or booleans",
        }
    }
}

/// Returns the constraints of an operation with `operands` operands, one result and no regions.
const fn op(
    operands: usize,
    types: TypeConstraint,
    attributes: &'static [(&'static str, AttributeConstraint)],
) -> Constraint {
    Constraint {
        operands: Count::Exactly(operands),
        results: Count::Exactly(1),
        regions: RegionConstraint::None,
        attributes,
        types,
    }
}

const DIRECTIONS: &[&str] = &["EQ", "NE", "GE", "GT", "LE", "LT"];
const COMPARISONS: &[&str] = &["FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"];
const ALGORITHMS: &[&str] = &["DEFAULT", "THREE_FRY", "PHILOX"];
const TRANSFORMS: &[&str] = &["FFT", "IFFT", "RFFT", "IRFFT"];
const TRANSPOSITIONS: &[&str] = &["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"];
const CONVOLUTION: &[(&str, AttributeConstraint)] = &[
    ("window_strides", Integers),
    ("padding", Integers),
    ("lhs_dilation", Integers),
    ("rhs_dilation", Integers),
    ("window_reversal", Flags),
    ("dimension_numbers", Any),
    ("feature_group_count", Any),
    ("batch_group_count", Any),
    ("precision_config", Precision),
];
const DOT: &[(&str, bool)] = &[
    ("lhs_batching_dimensions", false),
    ("rhs_batching_dimensions", false),
    ("lhs_contracting_dimensions", false),
    ("rhs_contracting_dimensions", false),
];
const RAGGED_DOT: &[(&str, bool)] = &[
    ("lhs_batching_dimensions", false),
    ("rhs_batching_dimensions", false),
    ("lhs_contracting_dimensions", false),
    ("rhs_contracting_dimensions", false),
    ("lhs_ragged_dimensions", false),
    ("rhs_group_dimensions", false),
];
const GATHER: &[(&str, bool)] = &[
    ("offset_dims", true),
    ("collapsed_slice_dims", true),
    ("operand_batching_dims", true),
    ("start_indices_batching_dims", false),
    ("start_index_map", false),
    ("index_vector_dim", false),
];
const SCATTER: &[(&str, bool)] = &[
    ("update_window_dims", true),
    ("inserted_window_dims", true),
    ("input_batching_dims", true),
    ("scatter_indices_batching_dims", false),
    ("scatter_dims_to_operand_dims", false),
    ("index_vector_dim", false),
];
const COLLECTIVE: &[(&str, AttributeConstraint)] = &[
    ("all_gather_dim", Any),
    ("channel_handle", Any),
    ("concat_dimension", Any),
    ("replica_groups", Any),
    ("scatter_dimension", Any),
    ("source_target_pairs", Any),
    ("split_count", Any),
    ("split_dimension", Any),
    ("use_global_device_ids", Flag),
];
const CUSTOM_CALL: &[(&str, AttributeConstraint)] = &[
    ("call_target_name", Any),
    ("has_side_effect", Flag),
    ("backend_config", Any),
    ("api_version", Any),
    ("called_computations", Any),
    ("operand_layouts", Any),
    ("result_layouts", Any),
    ("output_operand_aliases", Any),
];

/// Attributes of operations that state the sharding of their result.
const SHARDED_IDENTITY: &[(&str, AttributeConstraint)] = &[
    ("sharding", Any),
    ("out_sharding", Any),
    ("gathering_axes", Any),
    ("slicing_axes", Any),
    ("reduction_axes", Any),
    ("reduce_scatter_axes", Any),
    ("params", Any),
    ("axes", Any),
];

/// Returns the constraints of an operation.
pub const fn constraint(code: Opcode) -> Constraint {
    use Count::{AtLeast, Exactly};
    use ElementTypes::{Float, FloatOrComplex, Integer, IntegerOrBool, Number, SignedOrFloat};
    const ACCURACY: &[(&str, AttributeConstraint)] = &[("result_accuracy", Any)];
    match code {
        Opcode::Abs | Opcode::Complex | Opcode::Imag | Opcode::Real => op(
            match code {
                Opcode::Complex => 2,
                _ => 1,
            },
            TypeConstraint::Parts,
            &[],
        ),
        Opcode::Sign => op(1, TypeConstraint::Same(SignedOrFloat), &[]),
        Opcode::UniformDequantize | Opcode::UniformQuantize => op(1, TypeConstraint::Quantization, &[]),
        Opcode::Negate => op(1, TypeConstraint::Same(Number), &[]),
        Opcode::Not => op(1, TypeConstraint::Same(IntegerOrBool), &[]),
        Opcode::CountLeadingZeros | Opcode::Popcnt => op(1, TypeConstraint::Same(Integer), &[]),
        Opcode::Ceil | Opcode::Floor | Opcode::RoundNearestAfz | Opcode::RoundNearestEven => {
            op(1, TypeConstraint::Same(Float), &[])
        }
        Opcode::Cbrt
        | Opcode::Cosine
        | Opcode::Exponential
        | Opcode::ExponentialMinusOne
        | Opcode::Log
        | Opcode::LogPlusOne
        | Opcode::Logistic
        | Opcode::Rsqrt
        | Opcode::Sine
        | Opcode::Sqrt
        | Opcode::Tan
        | Opcode::Tanh => op(1, TypeConstraint::Same(FloatOrComplex), ACCURACY),
        Opcode::ChloAcos
        | Opcode::ChloAcosh
        | Opcode::ChloAsin
        | Opcode::ChloAsinh
        | Opcode::ChloAtan
        | Opcode::ChloAtanh
        | Opcode::ChloConj
        | Opcode::ChloCosh
        | Opcode::ChloSinh
        | Opcode::ChloSquare
        | Opcode::ChloTan => op(1, TypeConstraint::Same(FloatOrComplex), &[]),
        Opcode::ChloMulhi => op(2, TypeConstraint::Same(Integer), &[]),
        Opcode::ChloBesselI1e
        | Opcode::ChloDigamma
        | Opcode::ChloErf
        | Opcode::ChloErfInv
        | Opcode::ChloErfc
        | Opcode::ChloLgamma => op(1, TypeConstraint::Same(Float), &[]),
        Opcode::IsFinite | Opcode::ChloIsInf => op(1, TypeConstraint::Predicate(Float), &[]),
        Opcode::Add | Opcode::Maximum | Opcode::Minimum | Opcode::Multiply => {
            op(2, TypeConstraint::Same(ElementTypes::Any), &[])
        }
        Opcode::Divide | Opcode::Power | Opcode::Remainder | Opcode::Subtract => {
            op(2, TypeConstraint::Same(Number), &[])
        }
        Opcode::Atan2 => op(2, TypeConstraint::Same(FloatOrComplex), &[]),
        Opcode::ChloNextAfter | Opcode::ChloPolygamma | Opcode::ChloZeta => op(2, TypeConstraint::Same(Float), &[]),
        Opcode::And | Opcode::Or | Opcode::Xor => op(2, TypeConstraint::Same(IntegerOrBool), &[]),
        Opcode::ShiftLeft | Opcode::ShiftRightArithmetic | Opcode::ShiftRightLogical => {
            op(2, TypeConstraint::Same(Integer), &[])
        }
        Opcode::Compare => op(
            2,
            TypeConstraint::Comparison,
            &[("comparison_direction", Word(DIRECTIONS)), ("compare_type", Word(COMPARISONS))],
        ),
        Opcode::Clamp | Opcode::Select => op(3, TypeConstraint::ShapeRule, &[]),
        Opcode::BitcastConvert | Opcode::Convert | Opcode::Reshape => op(1, TypeConstraint::ShapeRule, &[]),
        Opcode::BroadcastInDim => op(1, TypeConstraint::ShapeRule, &[("broadcast_dimensions", Integers)]),
        Opcode::DynamicBroadcastInDim => op(
            2,
            TypeConstraint::ShapeRule,
            &[
                ("broadcast_dimensions", Integers),
                ("known_expanding_dimensions", Integers),
                ("known_nonexpanding_dimensions", Integers),
            ],
        ),
        Opcode::DynamicReshape => op(2, TypeConstraint::ShapeRule, &[]),
        Opcode::DynamicIota => op(1, TypeConstraint::Result(Number), &[("iota_dimension", Any)]),
        Opcode::DynamicPad => op(5, TypeConstraint::ShapeRule, &[]),
        Opcode::RealDynamicSlice => op(4, TypeConstraint::ShapeRule, &[]),
        Opcode::GetDimensionSize => op(1, TypeConstraint::Result(Integer), &[("dimension", Any)]),
        Opcode::Transpose => op(1, TypeConstraint::ShapeRule, &[("permutation", Integers)]),
        Opcode::Reverse => op(1, TypeConstraint::Same(ElementTypes::Any), &[("dimensions", Integers)]),
        Opcode::Slice => op(
            1,
            TypeConstraint::ShapeRule,
            &[("start_indices", Integers), ("limit_indices", Integers), ("strides", Integers)],
        ),
        Opcode::ReducePrecision => {
            op(1, TypeConstraint::Same(Float), &[("exponent_bits", Any), ("mantissa_bits", Any)])
        }
        Opcode::Pad => op(
            2,
            TypeConstraint::ShapeRule,
            &[("edge_padding_low", Integers), ("edge_padding_high", Integers), ("interior_padding", Integers)],
        ),
        Opcode::Iota => op(0, TypeConstraint::Result(Number), &[("iota_dimension", Any)]),
        Opcode::Constant => op(0, TypeConstraint::Literal, &[("value", Any)]),
        Opcode::Concatenate => {
            Constraint { operands: AtLeast(1), ..op(1, TypeConstraint::ShapeRule, &[("dimension", Any)]) }
        }
        Opcode::DynamicSlice => {
            Constraint { operands: AtLeast(1), ..op(1, TypeConstraint::ShapeRule, &[("slice_sizes", Integers)]) }
        }
        Opcode::DynamicUpdateSlice => Constraint { operands: AtLeast(2), ..op(2, TypeConstraint::ShapeRule, &[]) },
        Opcode::Gather => op(
            2,
            TypeConstraint::ShapeRule,
            &[("dimension_numbers", Fields(GATHER)), ("slice_sizes", Integers), ("indices_are_sorted", Flag)],
        ),
        Opcode::DynamicGather => {
            op(3, TypeConstraint::ShapeRule, &[("dimension_numbers", Fields(GATHER)), ("indices_are_sorted", Flag)])
        }
        Opcode::Scatter => Constraint {
            operands: AtLeast(3),
            results: AtLeast(1),
            regions: RegionConstraint::Update,
            attributes: &[
                ("scatter_dimension_numbers", Fields(SCATTER)),
                ("indices_are_sorted", Flag),
                ("unique_indices", Flag),
            ],
            types: TypeConstraint::ShapeRule,
        },
        Opcode::DotGeneral => op(
            2,
            TypeConstraint::Accumulation,
            &[("dot_dimension_numbers", Fields(DOT)), ("precision_config", Precision), ("algorithm", Any)],
        ),
        Opcode::ChloRaggedDot => op(
            3,
            TypeConstraint::ShapeRule,
            &[("ragged_dot_dimension_numbers", Fields(RAGGED_DOT)), ("precision_config", Precision)],
        ),
        Opcode::Convolution => op(2, TypeConstraint::Accumulation, CONVOLUTION),
        Opcode::DynamicConv => op(3, TypeConstraint::ShapeRule, CONVOLUTION),
        // A reduction may name an operation instead of having a region.
        Opcode::Reduce => Constraint {
            operands: AtLeast(2),
            results: AtLeast(1),
            regions: RegionConstraint::ReducerOrName,
            attributes: &[("dimensions", Integers), ("applies", Any)],
            types: TypeConstraint::Reduction,
        },
        Opcode::ReduceWindow => Constraint {
            operands: AtLeast(2),
            results: AtLeast(1),
            regions: RegionConstraint::Reducer,
            attributes: &[
                ("window_dimensions", Integers),
                ("window_strides", Integers),
                ("base_dilations", Integers),
                ("window_dilations", Integers),
                ("padding", Integers),
            ],
            types: TypeConstraint::Reduction,
        },
        Opcode::SelectAndScatter => Constraint {
            regions: RegionConstraint::SelectAndScatter,
            ..op(
                3,
                TypeConstraint::SelectAndScatter,
                &[("window_dimensions", Integers), ("window_strides", Integers), ("padding", Integers)],
            )
        },
        Opcode::Map => Constraint {
            operands: AtLeast(1),
            regions: RegionConstraint::Elementwise,
            ..op(1, TypeConstraint::OneShape, &[("dimensions", Integers)])
        },
        Opcode::Sort => Constraint {
            operands: AtLeast(1),
            results: AtLeast(1),
            regions: RegionConstraint::Comparator,
            attributes: &[("dimension", Any), ("is_stable", Flag)],
            types: TypeConstraint::Pairwise,
        },
        Opcode::ChloTopK => Constraint { results: Exactly(2), ..op(1, TypeConstraint::ShapeRule, &[("k", Any)]) },
        Opcode::Fft => {
            op(1, TypeConstraint::Result(FloatOrComplex), &[("fft_type", Word(TRANSFORMS)), ("fft_length", Integers)])
        }
        Opcode::Cholesky => op(1, TypeConstraint::Same(FloatOrComplex), &[("lower", Flag)]),
        Opcode::TriangularSolve => op(
            2,
            TypeConstraint::Result(FloatOrComplex),
            &[("left_side", Flag), ("lower", Flag), ("unit_diagonal", Flag), ("transpose_a", Word(TRANSPOSITIONS))],
        ),
        Opcode::RngBitGenerator => Constraint {
            results: Exactly(2),
            ..op(1, TypeConstraint::ShapeRule, &[("rng_algorithm", Word(ALGORITHMS))])
        },
        Opcode::Case => Constraint {
            results: AtLeast(0),
            regions: RegionConstraint::Branches(AtLeast(1)),
            ..op(1, TypeConstraint::Scalar("its index", &[DType::I32]), &[])
        },
        Opcode::If => Constraint {
            results: AtLeast(0),
            regions: RegionConstraint::Branches(Exactly(2)),
            ..op(1, TypeConstraint::Scalar("its condition", &[DType::Bool]), &[])
        },
        Opcode::While => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: RegionConstraint::Loop,
            attributes: &[],
            types: TypeConstraint::Pairwise,
        },
        Opcode::OptimizationBarrier => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: RegionConstraint::None,
            attributes: &[],
            types: TypeConstraint::Pairwise,
        },
        Opcode::Composite => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: RegionConstraint::None,
            attributes: &[("name", Any), ("composite_attributes", Any), ("decomposition", Any), ("version", Any)],
            types: TypeConstraint::Call,
        },
        Opcode::FuncCall => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: RegionConstraint::None,
            attributes: &[("callee", Any), ("arg_attrs", Any), ("res_attrs", Any), ("no_inline", Flag)],
            types: TypeConstraint::Call,
        },
        Opcode::CustomCall => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: RegionConstraint::None,
            attributes: CUSTOM_CALL,
            types: TypeConstraint::ShapeRule,
        },
        Opcode::CheckEq => op(2, TypeConstraint::Equality, &[]),
        Opcode::CheckExpectAlmostEq | Opcode::CheckExpectClose | Opcode::CheckExpectEq => Constraint {
            results: Exactly(0),
            ..op(
                2,
                TypeConstraint::Operands,
                &[("tolerance", Any), ("max_ulp_difference", Any), ("min_ulp_difference", Any)],
            )
        },
        Opcode::CheckExpectAlmostEqConst | Opcode::CheckExpectEqConst => Constraint {
            results: Exactly(0),
            ..op(1, TypeConstraint::ExpectedLiteral, &[("tolerance", Any), ("value", Any)])
        },
        Opcode::SdyReshard | Opcode::SdyShardingConstraint | Opcode::SdyDataFlowEdge => {
            op(1, TypeConstraint::Same(ElementTypes::Any), SHARDED_IDENTITY)
        }
        Opcode::SdyPropagationBarrier => {
            const DIRECTIONS: AttributeConstraint = Word(&["NONE", "FORWARD", "BACKWARD", "BOTH"]);
            op(1, TypeConstraint::Same(ElementTypes::Any), &[("allowed_direction", DIRECTIONS)])
        }
        Opcode::SdyShardingGroup => {
            Constraint { results: Exactly(0), ..op(1, TypeConstraint::ShapeRule, &[("group_id", Any)]) }
        }
        Opcode::AfterAll => Constraint { operands: AtLeast(0), ..op(0, TypeConstraint::ShapeRule, &[]) },
        Opcode::AllReduce => Constraint {
            operands: AtLeast(1),
            results: AtLeast(1),
            regions: RegionConstraint::Combination,
            attributes: COLLECTIVE,
            types: TypeConstraint::Pairwise,
        },
        Opcode::AllGather | Opcode::AllToAll => {
            Constraint { operands: AtLeast(1), results: AtLeast(1), ..op(1, TypeConstraint::ShapeRule, COLLECTIVE) }
        }
        Opcode::ReduceScatter => {
            Constraint { regions: RegionConstraint::Combination, ..op(1, TypeConstraint::ShapeRule, COLLECTIVE) }
        }
        Opcode::CollectiveBroadcast | Opcode::CollectivePermute => {
            op(1, TypeConstraint::Same(ElementTypes::Any), COLLECTIVE)
        }
        Opcode::PartitionId | Opcode::ReplicaId => op(0, TypeConstraint::DeviceNumber, &[]),
        Opcode::SdyManualComputation => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: RegionConstraint::Manual,
            attributes: &[("in_shardings", Any), ("out_shardings", Any), ("manual_axes", Any)],
            types: TypeConstraint::ShapeRule,
        },
        Opcode::Return | Opcode::FuncReturn | Opcode::SdyReturn => Constraint {
            operands: AtLeast(0),
            results: Exactly(0),
            regions: RegionConstraint::None,
            attributes: &[],
            types: TypeConstraint::ShapeRule,
        },
    }
}
