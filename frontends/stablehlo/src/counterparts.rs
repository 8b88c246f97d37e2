//! Which operation of StableHLO is which operation of ours, where they correspond one to one: a single table, read by
//! the importer in one direction and by the exporter in the other.

use crate::syntax::Opcode;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// Declares a table and the two functions that read it. Members of our side behind `except` have no counterpart.
macro_rules! counterparts {
    ($(#[$doc:meta])* $import:ident, $export:ident: $theirs:ident <=> $ours:ident {
        $($code:ident = $op:ident,)*
    } $(except $($none:ident)|+)?) => {
        $(#[$doc])*
        pub const fn $import(code: $theirs) -> Option<$ours> {
            match code {
                $($theirs::$code => Some($ours::$op),)*
                _ => None,
            }
        }

        $(#[$doc])*
        pub const fn $export(op: $ours) -> Option<$theirs> {
            match op {
                $($ours::$op => Some($theirs::$code),)*
                $($($ours::$none)|+ => None,)?
            }
        }
    };
}

counterparts! {
    /// Functions of one number.
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
    } except Relu | Reciprocal | IsNan
}

counterparts! {
    /// Functions of two numbers.
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

/// The function of two numbers that a reduction repeats.
pub const fn operation(monoid: Monoid) -> BinaryOp {
    match monoid {
        Monoid::Sum => BinaryOp::Add,
        Monoid::Prod => BinaryOp::Mul,
        Monoid::Max => BinaryOp::Max,
        Monoid::Min => BinaryOp::Min,
        Monoid::And => BinaryOp::And,
        Monoid::Or => BinaryOp::Or,
    }
}

/// The reduction that repeats a function of two numbers.
pub fn monoid(op: BinaryOp) -> Option<Monoid> {
    Monoid::ALL.into_iter().find(|&m| operation(m) == op)
}

/// Relations, and their names in StableHLO.
const DIRECTIONS: [(&str, Direction); 6] = [
    ("EQ", Direction::Eq),
    ("NE", Direction::Ne),
    ("LT", Direction::Lt),
    ("LE", Direction::Le),
    ("GT", Direction::Gt),
    ("GE", Direction::Ge),
];

/// The relation of that name.
pub fn direction(name: &str) -> Option<Direction> {
    DIRECTIONS.iter().find(|(n, _)| *n == name).map(|(_, d)| *d)
}

/// The name of a relation.
pub fn direction_name(direction: Direction) -> &'static str {
    DIRECTIONS.iter().find(|(_, d)| *d == direction).map_or("EQ", |(n, _)| n)
}
