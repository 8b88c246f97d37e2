//! One table: what each operation takes. An operation without its line does not compile.

use super::attributes::Attribute::{self, Any, Fields, Flag, Flags, Integers, Precision, Word};
use crate::syntax::Opcode;
use partita_ir::dtype::DType;

/// What an operation takes.
pub struct Constraint {
    /// How many operands.
    pub operands: Count,
    /// How many results.
    pub results: Count,
    /// What regions do.
    pub regions: Regions,
    /// The attributes that it knows.
    pub attributes: &'static [(&'static str, Attribute)],
    /// The types of operands and results.
    pub types: Types,
}

/// A number of operands, results or regions.
#[derive(Clone, Copy)]
pub enum Count {
    /// So many.
    Exactly(usize),
    /// So many or more.
    AtLeast(usize),
}

/// What the regions of an operation take and return.
#[derive(Clone, Copy)]
pub enum Regions {
    /// There are none.
    None,
    /// One combines an element of each tensor with its initial value; or the operation names another one instead.
    ReducerOrName,
    /// One combines an element of each tensor with its initial value.
    Reducer,
    /// One combines an element of each input with its update.
    Update,
    /// One compares two elements, and one combines two.
    SelectAndScatter,
    /// One compares two elements of each operand.
    Comparator,
    /// A condition and a body, of the operands.
    Loop,
    /// So many that take nothing and return the results.
    Branches(Count),
}

/// What the types of operands and results have to do with each other.
#[derive(Clone, Copy)]
pub enum Types {
    /// What the shape rule checks when the operation is lowered.
    Lowered,
    /// Operands and results have one type.
    Same(Elements),
    /// Operands have one type, and the result has a boolean for each element.
    Predicate(Elements),
    /// There is a result of those elements.
    Result(Elements),
    /// Each result has the type of its operand.
    Carried,
    /// A comparison.
    Compared,
    /// A literal.
    Literal,
    /// The signature of a function.
    Called,
    /// The first operand is a scalar, with a name, of these element types.
    Scalar(&'static str, &'static [DType]),
    /// Tensors and their initial values.
    Reduced,
    /// A tensor, what is scattered, and an initial value.
    SelectedAndScattered,
    /// Products that the element type of the result has room for.
    Promoted,
}

/// Element types.
#[derive(Clone, Copy)]
pub enum Elements {
    Any,
    Float,
    Integer,
    Number,
    SignedOrFloat,
    IntegerOrBool,
}

impl Elements {
    /// Whether an element type is among them.
    pub fn admit(self, dtype: DType) -> bool {
        match self {
            Elements::Any => true,
            Elements::Float => dtype.is_float(),
            Elements::Integer => dtype.is_int(),
            Elements::Number => dtype != DType::Bool,
            Elements::SignedOrFloat => dtype != DType::Bool && !dtype.is_unsigned(),
            Elements::IntegerOrBool => !dtype.is_float(),
        }
    }

    /// As the end of "elements must be ...".
    pub const fn name(self) -> &'static str {
        match self {
            Elements::Any => "of any type",
            Elements::Float => "floats",
            Elements::Integer => "integers",
            Elements::Number => "numbers",
            Elements::SignedOrFloat => "signed integers or floats",
            Elements::IntegerOrBool => "integers or booleans",
        }
    }
}

/// One result, no regions.
const fn op(operands: usize, types: Types, attributes: &'static [(&'static str, Attribute)]) -> Constraint {
    Constraint {
        operands: Count::Exactly(operands),
        results: Count::Exactly(1),
        regions: Regions::None,
        attributes,
        types,
    }
}

const DIRECTIONS: &[&str] = &["EQ", "NE", "GE", "GT", "LE", "LT"];
const COMPARISONS: &[&str] = &["FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"];
const ALGORITHMS: &[&str] = &["DEFAULT", "THREE_FRY", "PHILOX"];
const CONVOLUTION: &[(&str, Attribute)] = &[
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
const CUSTOM_CALL: &[(&str, Attribute)] = &[
    ("call_target_name", Any),
    ("has_side_effect", Flag),
    ("backend_config", Any),
    ("api_version", Any),
    ("called_computations", Any),
    ("operand_layouts", Any),
    ("result_layouts", Any),
    ("output_operand_aliases", Any),
];

/// What an operation takes.
pub const fn constraint(code: Opcode) -> Constraint {
    use Count::{AtLeast, Exactly};
    use Elements::{Float, Integer, IntegerOrBool, Number, SignedOrFloat};
    const ACCURACY: &[(&str, Attribute)] = &[("result_accuracy", Any)];
    match code {
        Opcode::Abs | Opcode::Sign => op(1, Types::Same(SignedOrFloat), &[]),
        Opcode::Negate => op(1, Types::Same(Number), &[]),
        Opcode::Not => op(1, Types::Same(IntegerOrBool), &[]),
        Opcode::CountLeadingZeros | Opcode::Popcnt => op(1, Types::Same(Integer), &[]),
        Opcode::Ceil | Opcode::Floor | Opcode::RoundNearestAfz | Opcode::RoundNearestEven => {
            op(1, Types::Same(Float), &[])
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
        | Opcode::Tanh => op(1, Types::Same(Float), ACCURACY),
        Opcode::ChloAcos
        | Opcode::ChloAcosh
        | Opcode::ChloAsin
        | Opcode::ChloAsinh
        | Opcode::ChloAtan
        | Opcode::ChloAtanh
        | Opcode::ChloCosh
        | Opcode::ChloDigamma
        | Opcode::ChloErf
        | Opcode::ChloErfInv
        | Opcode::ChloErfc
        | Opcode::ChloLgamma
        | Opcode::ChloSinh
        | Opcode::ChloSquare => op(1, Types::Same(Float), &[]),
        Opcode::IsFinite | Opcode::ChloIsInf => op(1, Types::Predicate(Float), &[]),
        Opcode::Add | Opcode::Maximum | Opcode::Minimum | Opcode::Multiply => op(2, Types::Same(Elements::Any), &[]),
        Opcode::Divide | Opcode::Power | Opcode::Remainder | Opcode::Subtract => op(2, Types::Same(Number), &[]),
        Opcode::Atan2 | Opcode::ChloNextAfter => op(2, Types::Same(Float), &[]),
        Opcode::And | Opcode::Or | Opcode::Xor => op(2, Types::Same(IntegerOrBool), &[]),
        Opcode::ShiftLeft | Opcode::ShiftRightArithmetic | Opcode::ShiftRightLogical => {
            op(2, Types::Same(Integer), &[])
        }
        Opcode::Compare => {
            op(2, Types::Compared, &[("comparison_direction", Word(DIRECTIONS)), ("compare_type", Word(COMPARISONS))])
        }
        Opcode::Clamp | Opcode::Select => op(3, Types::Lowered, &[]),
        Opcode::BitcastConvert | Opcode::Convert | Opcode::Reshape => op(1, Types::Lowered, &[]),
        Opcode::BroadcastInDim => op(1, Types::Lowered, &[("broadcast_dimensions", Integers)]),
        Opcode::Transpose => op(1, Types::Lowered, &[("permutation", Integers)]),
        Opcode::Reverse => op(1, Types::Same(Elements::Any), &[("dimensions", Integers)]),
        Opcode::Slice => {
            op(1, Types::Lowered, &[("start_indices", Integers), ("limit_indices", Integers), ("strides", Integers)])
        }
        Opcode::ReducePrecision => op(1, Types::Same(Float), &[("exponent_bits", Any), ("mantissa_bits", Any)]),
        Opcode::Pad => op(
            2,
            Types::Lowered,
            &[("edge_padding_low", Integers), ("edge_padding_high", Integers), ("interior_padding", Integers)],
        ),
        Opcode::Iota => op(0, Types::Result(Number), &[("iota_dimension", Any)]),
        Opcode::Constant => op(0, Types::Literal, &[("value", Any)]),
        Opcode::Concatenate => Constraint { operands: AtLeast(1), ..op(1, Types::Lowered, &[("dimension", Any)]) },
        Opcode::DynamicSlice => {
            Constraint { operands: AtLeast(1), ..op(1, Types::Lowered, &[("slice_sizes", Integers)]) }
        }
        Opcode::DynamicUpdateSlice => Constraint { operands: AtLeast(2), ..op(2, Types::Lowered, &[]) },
        Opcode::Gather => op(
            2,
            Types::Lowered,
            &[("dimension_numbers", Fields(GATHER)), ("slice_sizes", Integers), ("indices_are_sorted", Flag)],
        ),
        Opcode::Scatter => Constraint {
            operands: AtLeast(3),
            results: AtLeast(1),
            regions: Regions::Update,
            attributes: &[
                ("scatter_dimension_numbers", Fields(SCATTER)),
                ("indices_are_sorted", Flag),
                ("unique_indices", Flag),
            ],
            types: Types::Lowered,
        },
        Opcode::DotGeneral => op(
            2,
            Types::Promoted,
            &[("dot_dimension_numbers", Fields(DOT)), ("precision_config", Precision), ("algorithm", Any)],
        ),
        Opcode::Convolution => op(2, Types::Promoted, CONVOLUTION),
        // A reduction may name an operation instead of having a region.
        Opcode::Reduce => Constraint {
            operands: AtLeast(2),
            results: AtLeast(1),
            regions: Regions::ReducerOrName,
            attributes: &[("dimensions", Integers), ("applies", Any)],
            types: Types::Reduced,
        },
        Opcode::ReduceWindow => Constraint {
            operands: AtLeast(2),
            results: AtLeast(1),
            regions: Regions::Reducer,
            attributes: &[
                ("window_dimensions", Integers),
                ("window_strides", Integers),
                ("base_dilations", Integers),
                ("window_dilations", Integers),
                ("padding", Integers),
            ],
            types: Types::Reduced,
        },
        Opcode::SelectAndScatter => Constraint {
            regions: Regions::SelectAndScatter,
            ..op(
                3,
                Types::SelectedAndScattered,
                &[("window_dimensions", Integers), ("window_strides", Integers), ("padding", Integers)],
            )
        },
        Opcode::Sort => Constraint {
            operands: AtLeast(1),
            results: AtLeast(1),
            regions: Regions::Comparator,
            attributes: &[("dimension", Any), ("is_stable", Flag)],
            types: Types::Carried,
        },
        Opcode::ChloTopK => Constraint { results: Exactly(2), ..op(1, Types::Lowered, &[("k", Any)]) },
        Opcode::RngBitGenerator => {
            Constraint { results: Exactly(2), ..op(1, Types::Lowered, &[("rng_algorithm", Word(ALGORITHMS))]) }
        }
        Opcode::Case => Constraint {
            results: AtLeast(0),
            regions: Regions::Branches(AtLeast(1)),
            ..op(1, Types::Scalar("its index", &[DType::I32]), &[])
        },
        Opcode::If => Constraint {
            results: AtLeast(0),
            regions: Regions::Branches(Exactly(2)),
            ..op(1, Types::Scalar("its condition", &[DType::Bool]), &[])
        },
        Opcode::While => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: Regions::Loop,
            attributes: &[],
            types: Types::Carried,
        },
        Opcode::OptimizationBarrier => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: Regions::None,
            attributes: &[],
            types: Types::Carried,
        },
        Opcode::Composite => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: Regions::None,
            attributes: &[("name", Any), ("composite_attributes", Any), ("decomposition", Any), ("version", Any)],
            types: Types::Called,
        },
        Opcode::FuncCall => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: Regions::None,
            attributes: &[("callee", Any), ("arg_attrs", Any), ("res_attrs", Any), ("no_inline", Flag)],
            types: Types::Called,
        },
        Opcode::CustomCall => Constraint {
            operands: AtLeast(0),
            results: AtLeast(0),
            regions: Regions::None,
            attributes: CUSTOM_CALL,
            types: Types::Lowered,
        },
        Opcode::SdyReshard | Opcode::SdyShardingConstraint => op(1, Types::Same(Elements::Any), &[("sharding", Any)]),
        Opcode::Return | Opcode::FuncReturn => Constraint {
            operands: AtLeast(0),
            results: Exactly(0),
            regions: Regions::None,
            attributes: &[],
            types: Types::Lowered,
        },
    }
}
