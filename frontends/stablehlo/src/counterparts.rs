//! One-to-one correspondence of StableHLO operations and program ops: one table, read by the importer in one direction
//! and by the exporter in the other.

use crate::syntax::Opcode;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// Declares a table and the two functions that read it. Ops after `except` have no counterpart.
macro_rules! counterparts {
    ($(#[$doc:meta])* $import:ident, $export:ident: $stablehlo:ident <=> $pir:ident {
        $($code:ident = $op:ident,)*
    } $(except $($none:ident)|+)?) => {
        $(#[$doc])*
        pub const fn $import(code: $stablehlo) -> Option<$pir> {
            match code {
                $($stablehlo::$code => Some($pir::$op),)*
                _ => None,
            }
        }

        $(#[$doc])*
        pub const fn $export(op: $pir) -> Option<$stablehlo> {
            match op {
                $($pir::$op => Some($stablehlo::$code),)*
                $($($pir::$none)|+ => None,)?
            }
        }
    };
}

counterparts! {
    /// Unary elementwise operations.
    unary, unary_opcode: Opcode <=> UnaryOp {
        Abs = Abs,
        Cbrt = Cbrt,
        Ceil = Ceil,
        Cosine = Cos,
        CountLeadingZeros = CountLeadingZeros,
        Exponential = Exp,
        ExponentialMinusOne = Expm1,
        Floor = Floor,
        IsFinite = IsFinite,
        Log = Log,
        LogPlusOne = Log1p,
        Logistic = Sigmoid,
        Negate = Neg,
        Not = Not,
        Popcnt = PopCount,
        RoundNearestAfz = Round,
        RoundNearestEven = RoundEven,
        Rsqrt = Rsqrt,
        Sign = Sign,
        Sine = Sin,
        Sqrt = Sqrt,
        Tan = Tan,
        Tanh = Tanh,
        ChloAcos = Acos,
        ChloAcosh = Acosh,
        ChloAsin = Asin,
        ChloAsinh = Asinh,
        ChloAtan = Atan,
        ChloAtanh = Atanh,
        ChloCosh = Cosh,
        ChloDigamma = Digamma,
        ChloErf = Erf,
        ChloErfInv = ErfInv,
        ChloErfc = Erfc,
        ChloIsInf = IsInf,
        ChloLgamma = Lgamma,
        ChloSinh = Sinh,
    } except Relu | Reciprocal | IsNan | StopGradient
}

counterparts! {
    /// Binary elementwise operations.
    binary, binary_opcode: Opcode <=> BinaryOp {
        Add = Add,
        And = And,
        Atan2 = Atan2,
        Divide = Div,
        Maximum = Max,
        Minimum = Min,
        Multiply = Mul,
        Or = Or,
        Power = Pow,
        Remainder = Rem,
        ShiftLeft = ShiftLeft,
        ShiftRightArithmetic = ShiftRight,
        ShiftRightLogical = ShiftRightLogical,
        Subtract = Sub,
        Xor = Xor,
        ChloNextAfter = NextAfter,
    }
}

/// Returns the reduction that a binary op defines.
pub fn monoid(op: BinaryOp) -> Option<Monoid> {
    Monoid::ALL.into_iter().find(|&m| m.combining_op() == op)
}

/// Comparison directions and their names in StableHLO.
const DIRECTIONS: [(&str, Direction); 6] = [
    ("EQ", Direction::Eq),
    ("NE", Direction::Ne),
    ("LT", Direction::Lt),
    ("LE", Direction::Le),
    ("GT", Direction::Gt),
    ("GE", Direction::Ge),
];

/// Returns the comparison direction with the given name.
pub fn direction(name: &str) -> Option<Direction> {
    DIRECTIONS.iter().find(|(n, _)| *n == name).map(|(_, d)| *d)
}

/// Returns the name of a comparison direction.
pub fn direction_name(direction: Direction) -> &'static str {
    DIRECTIONS.iter().find(|(_, d)| *d == direction).map_or("EQ", |(n, _)| n)
}
