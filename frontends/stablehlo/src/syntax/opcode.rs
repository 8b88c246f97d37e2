//! Operations that the frontend supports, by name.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Declares the operation codes with their names.
macro_rules! opcodes {
    ($($name:ident = $text:literal,)*) => {
        /// An operation of StableHLO, CHLO, `check`, Shardy or `func`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Opcode {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Opcode {
            /// All operation codes.
            pub const ALL: &[Opcode] = &[$(Opcode::$name),*];

            /// Returns the name with its dialect, for example `stablehlo.add`.
            pub const fn name(self) -> &'static str {
                match self { $(Opcode::$name => $text),* }
            }
        }
    };
}

opcodes! {
    Abs = "stablehlo.abs",
    Add = "stablehlo.add",
    AfterAll = "stablehlo.after_all",
    AllGather = "stablehlo.all_gather",
    AllReduce = "stablehlo.all_reduce",
    AllToAll = "stablehlo.all_to_all",
    And = "stablehlo.and",
    Atan2 = "stablehlo.atan2",
    BitcastConvert = "stablehlo.bitcast_convert",
    BroadcastInDim = "stablehlo.broadcast_in_dim",
    Case = "stablehlo.case",
    Cbrt = "stablehlo.cbrt",
    Ceil = "stablehlo.ceil",
    Cholesky = "stablehlo.cholesky",
    Clamp = "stablehlo.clamp",
    CollectiveBroadcast = "stablehlo.collective_broadcast",
    CollectivePermute = "stablehlo.collective_permute",
    Compare = "stablehlo.compare",
    Complex = "stablehlo.complex",
    Composite = "stablehlo.composite",
    Concatenate = "stablehlo.concatenate",
    Constant = "stablehlo.constant",
    Convert = "stablehlo.convert",
    Convolution = "stablehlo.convolution",
    Cosine = "stablehlo.cosine",
    CountLeadingZeros = "stablehlo.count_leading_zeros",
    CustomCall = "stablehlo.custom_call",
    Divide = "stablehlo.divide",
    DotGeneral = "stablehlo.dot_general",
    DynamicBroadcastInDim = "stablehlo.dynamic_broadcast_in_dim",
    DynamicConv = "stablehlo.dynamic_conv",
    DynamicGather = "stablehlo.dynamic_gather",
    DynamicIota = "stablehlo.dynamic_iota",
    DynamicPad = "stablehlo.dynamic_pad",
    DynamicReshape = "stablehlo.dynamic_reshape",
    DynamicSlice = "stablehlo.dynamic_slice",
    DynamicUpdateSlice = "stablehlo.dynamic_update_slice",
    Exponential = "stablehlo.exponential",
    ExponentialMinusOne = "stablehlo.exponential_minus_one",
    Fft = "stablehlo.fft",
    Floor = "stablehlo.floor",
    Gather = "stablehlo.gather",
    GetDimensionSize = "stablehlo.get_dimension_size",
    If = "stablehlo.if",
    Imag = "stablehlo.imag",
    Iota = "stablehlo.iota",
    IsFinite = "stablehlo.is_finite",
    Log = "stablehlo.log",
    LogPlusOne = "stablehlo.log_plus_one",
    Logistic = "stablehlo.logistic",
    Map = "stablehlo.map",
    Maximum = "stablehlo.maximum",
    Minimum = "stablehlo.minimum",
    Multiply = "stablehlo.multiply",
    Negate = "stablehlo.negate",
    Not = "stablehlo.not",
    OptimizationBarrier = "stablehlo.optimization_barrier",
    Or = "stablehlo.or",
    Pad = "stablehlo.pad",
    PartitionId = "stablehlo.partition_id",
    Popcnt = "stablehlo.popcnt",
    Power = "stablehlo.power",
    Real = "stablehlo.real",
    RealDynamicSlice = "stablehlo.real_dynamic_slice",
    Reduce = "stablehlo.reduce",
    ReducePrecision = "stablehlo.reduce_precision",
    ReduceScatter = "stablehlo.reduce_scatter",
    ReduceWindow = "stablehlo.reduce_window",
    Remainder = "stablehlo.remainder",
    ReplicaId = "stablehlo.replica_id",
    Reshape = "stablehlo.reshape",
    Return = "stablehlo.return",
    Reverse = "stablehlo.reverse",
    RngBitGenerator = "stablehlo.rng_bit_generator",
    RoundNearestAfz = "stablehlo.round_nearest_afz",
    RoundNearestEven = "stablehlo.round_nearest_even",
    Rsqrt = "stablehlo.rsqrt",
    Scatter = "stablehlo.scatter",
    Select = "stablehlo.select",
    SelectAndScatter = "stablehlo.select_and_scatter",
    ShiftLeft = "stablehlo.shift_left",
    ShiftRightArithmetic = "stablehlo.shift_right_arithmetic",
    ShiftRightLogical = "stablehlo.shift_right_logical",
    Sign = "stablehlo.sign",
    Sine = "stablehlo.sine",
    Slice = "stablehlo.slice",
    Sort = "stablehlo.sort",
    Sqrt = "stablehlo.sqrt",
    Subtract = "stablehlo.subtract",
    Tan = "stablehlo.tan",
    Tanh = "stablehlo.tanh",
    Transpose = "stablehlo.transpose",
    TriangularSolve = "stablehlo.triangular_solve",
    UniformDequantize = "stablehlo.uniform_dequantize",
    UniformQuantize = "stablehlo.uniform_quantize",
    While = "stablehlo.while",
    Xor = "stablehlo.xor",
    ChloAcos = "chlo.acos",
    ChloAcosh = "chlo.acosh",
    ChloAsin = "chlo.asin",
    ChloAsinh = "chlo.asinh",
    ChloAtan = "chlo.atan",
    ChloAtanh = "chlo.atanh",
    ChloBesselI1e = "chlo.bessel_i1e",
    ChloConj = "chlo.conj",
    ChloCosh = "chlo.cosh",
    ChloDigamma = "chlo.digamma",
    ChloErf = "chlo.erf",
    ChloErfInv = "chlo.erf_inv",
    ChloErfc = "chlo.erfc",
    ChloIsInf = "chlo.is_inf",
    ChloLgamma = "chlo.lgamma",
    ChloMulhi = "chlo.mulhi",
    ChloNextAfter = "chlo.next_after",
    ChloPolygamma = "chlo.polygamma",
    ChloRaggedDot = "chlo.ragged_dot",
    ChloSinh = "chlo.sinh",
    ChloSquare = "chlo.square",
    ChloTan = "chlo.tan",
    ChloTopK = "chlo.top_k",
    ChloZeta = "chlo.zeta",
    CheckEq = "check.eq",
    CheckExpectAlmostEq = "check.expect_almost_eq",
    CheckExpectAlmostEqConst = "check.expect_almost_eq_const",
    CheckExpectClose = "check.expect_close",
    CheckExpectEq = "check.expect_eq",
    CheckExpectEqConst = "check.expect_eq_const",
    SdyDataFlowEdge = "sdy.data_flow_edge",
    SdyManualComputation = "sdy.manual_computation",
    SdyPropagationBarrier = "sdy.propagation_barrier",
    SdyReshard = "sdy.reshard",
    SdyReturn = "sdy.return",
    SdyShardingConstraint = "sdy.sharding_constraint",
    SdyShardingGroup = "sdy.sharding_group",
    FuncCall = "func.call",
    FuncReturn = "func.return",
}

/// Other names of operations: short forms of those of `func`, and operations with the meaning of another one. The
/// collectives of Shardy change the sharding of a global value, which they leave unchanged.
const SYNONYMS: [(&str, Opcode); 14] = [
    ("call", Opcode::FuncCall),
    ("return", Opcode::FuncReturn),
    ("stablehlo.create_token", Opcode::AfterAll),
    (DOT, Opcode::DotGeneral),
    ("sdy.constant", Opcode::Constant),
    ("sdy.func_data_flow_edge", Opcode::SdyDataFlowEdge),
    ("sdy.all_gather", Opcode::SdyReshard),
    ("sdy.all_reduce", Opcode::SdyReshard),
    ("sdy.all_slice", Opcode::SdyReshard),
    ("sdy.all_to_all", Opcode::SdyReshard),
    ("sdy.collective_permute", Opcode::SdyReshard),
    ("sdy.reduce_scatter", Opcode::SdyReshard),
    ("sdy.replicated_to_unreduced", Opcode::SdyReshard),
    ("sdy.sharded_to_unreduced", Opcode::SdyReshard),
];

/// Name of the matrix product without dimension numbers.
pub const DOT: &str = "stablehlo.dot";

impl Opcode {
    /// Returns the operation with the given name or synonym.
    pub fn from_name(name: &str) -> Option<Opcode> {
        static NAMES: LazyLock<FxHashMap<&'static str, Opcode>> = LazyLock::new(|| {
            let named = Opcode::ALL.iter().map(|&code| (code.name(), code));
            named.chain(SYNONYMS).collect()
        });
        NAMES.get(name).copied()
    }
}

/// Returns the help for an unsupported operation.
pub fn unsupported_op_help(name: &str) -> &'static str {
    match name {
        "sdy.manual_computation" => {
            "this is the body of a `shard_map` in the form of GSPMD: lower the function with Shardy, \
             `jax.config.update(\"jax_use_shardy_partitioner\", True)`"
        }
        "stablehlo.all_gather"
        | "stablehlo.all_reduce"
        | "stablehlo.all_to_all"
        | "stablehlo.collective_permute"
        | "stablehlo.collective_broadcast"
        | "stablehlo.partition_id"
        | "stablehlo.replica_id"
        | "stablehlo.reduce_scatter" => {
            "the module is already partitioned: lower the function for global tensors, or with `shard_map` instead of \
             `pmap`"
        }
        _ if name.contains("dynamic") || name.starts_with("shape.") => {
            "trace the function with concrete shapes: dynamic shapes are not supported"
        }
        _ if name.starts_with("lapack_") => {
            "the supported routines of LAPACK are `*potrf_ffi`, `*trsm_ffi`, `*gtsv_ffi`, `*getrf_ffi`, `*geqrf_ffi`, \
             `*orgqr_ffi`, `*ungqr_ffi`, `*ormqr_ffi`, `*unmqr_ffi`, `*gehrd_ffi`, `*gesdd_ffi`, `*syevd_ffi`, \
             `*heevd_ffi` and `*geev_ffi`: leave others out of the function, or export it with a newer version of JAX \
             if the name does not end in `_ffi`"
        }
        _ => "rewrite the model without it, or lower it to operations of StableHLO",
    }
}
