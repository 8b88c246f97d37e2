//! The family `unary`: elementwise functions of one operand.

use crate::arena::FuncId;
use crate::dtype::{DType, Type};
use crate::numeric::kernel::{self, Real};
use crate::numeric::special;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, Syntax};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::syntax::attr::AttrNames;
use crate::syntax::{Attr, Cursor, lex};
use crate::tensor::{Data, Tensor};
use crate::word_attr;

/// An elementwise function of one operand.
#[derive(Clone, PartialEq, Debug)]
pub struct Unary {
    /// The function.
    pub op: UnaryOp,
}

/// Prints as the name of the function, such as `abs`. The parser looks up function names before op names.
impl Syntax for Unary {
    const NAME: &'static str = "unary";
    fn write(&self, _: &mut String, _: &AttrNames<'_>) {}
    fn read(c: &mut Cursor<'_>, names: &AttrNames<'_>) -> lex::Result<Self> {
        Ok(Unary { op: UnaryOp::read(c, names)? })
    }
    fn printed_name(&self) -> &'static str {
        self.op.name()
    }
    fn text_name(&self) -> &'static str {
        self.op.name()
    }
    fn func(&self) -> Option<FuncId> {
        None
    }
    fn func_mut(&mut self) -> Option<&mut FuncId> {
        None
    }
}

/// Functions of the op family [`Unary`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    #[default]
    Abs,
    Neg,
    Sign,
    Floor,
    Ceil,
    Round,
    RoundEven,
    Exp,
    Expm1,
    Log,
    Log1p,
    Sqrt,
    Rsqrt,
    Cbrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Sigmoid,
    Relu,
    Erf,
    Erfc,
    ErfInv,
    Lgamma,
    Digamma,
    Reciprocal,
    /// The identity, through which no gradient flows.
    StopGradient,
    Not,
    PopCount,
    CountLeadingZeros,
    IsFinite,
    IsNan,
    IsInf,
}

impl UnaryOp {
    /// All functions.
    pub const ALL: [UnaryOp; 41] = [
        UnaryOp::Abs,
        UnaryOp::Neg,
        UnaryOp::Sign,
        UnaryOp::Floor,
        UnaryOp::Ceil,
        UnaryOp::Round,
        UnaryOp::RoundEven,
        UnaryOp::Exp,
        UnaryOp::Expm1,
        UnaryOp::Log,
        UnaryOp::Log1p,
        UnaryOp::Sqrt,
        UnaryOp::Rsqrt,
        UnaryOp::Cbrt,
        UnaryOp::Sin,
        UnaryOp::Cos,
        UnaryOp::Tan,
        UnaryOp::Asin,
        UnaryOp::Acos,
        UnaryOp::Atan,
        UnaryOp::Sinh,
        UnaryOp::Cosh,
        UnaryOp::Tanh,
        UnaryOp::Asinh,
        UnaryOp::Acosh,
        UnaryOp::Atanh,
        UnaryOp::Sigmoid,
        UnaryOp::Relu,
        UnaryOp::Erf,
        UnaryOp::Erfc,
        UnaryOp::ErfInv,
        UnaryOp::Lgamma,
        UnaryOp::Digamma,
        UnaryOp::Reciprocal,
        UnaryOp::StopGradient,
        UnaryOp::Not,
        UnaryOp::PopCount,
        UnaryOp::CountLeadingZeros,
        UnaryOp::IsFinite,
        UnaryOp::IsNan,
        UnaryOp::IsInf,
    ];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            UnaryOp::Abs => "abs",
            UnaryOp::Neg => "neg",
            UnaryOp::Sign => "sign",
            UnaryOp::Floor => "floor",
            UnaryOp::Ceil => "ceil",
            UnaryOp::Round => "round",
            UnaryOp::RoundEven => "round_even",
            UnaryOp::Exp => "exp",
            UnaryOp::Expm1 => "expm1",
            UnaryOp::Log => "log",
            UnaryOp::Log1p => "log1p",
            UnaryOp::Sqrt => "sqrt",
            UnaryOp::Rsqrt => "rsqrt",
            UnaryOp::Cbrt => "cbrt",
            UnaryOp::Sin => "sin",
            UnaryOp::Cos => "cos",
            UnaryOp::Tan => "tan",
            UnaryOp::Asin => "asin",
            UnaryOp::Acos => "acos",
            UnaryOp::Atan => "atan",
            UnaryOp::Sinh => "sinh",
            UnaryOp::Cosh => "cosh",
            UnaryOp::Tanh => "tanh",
            UnaryOp::Asinh => "asinh",
            UnaryOp::Acosh => "acosh",
            UnaryOp::Atanh => "atanh",
            UnaryOp::Sigmoid => "sigmoid",
            UnaryOp::Relu => "relu",
            UnaryOp::Erf => "erf",
            UnaryOp::Erfc => "erfc",
            UnaryOp::ErfInv => "erf_inv",
            UnaryOp::Lgamma => "lgamma",
            UnaryOp::Digamma => "digamma",
            UnaryOp::Reciprocal => "reciprocal",
            UnaryOp::StopGradient => "stop_gradient",
            UnaryOp::Not => "not",
            UnaryOp::PopCount => "popcnt",
            UnaryOp::CountLeadingZeros => "clz",
            UnaryOp::IsFinite => "is_finite",
            UnaryOp::IsNan => "is_nan",
            UnaryOp::IsInf => "is_inf",
        }
    }

    /// Returns the function with the given name in program text.
    pub fn from_name(name: &str) -> Option<UnaryOp> {
        UnaryOp::ALL.into_iter().find(|op| op.name() == name)
    }
}
word_attr!(UnaryOp, "an operation", UnaryOp::ALL);

/// Pattern that matches the functions of [`UnaryOp`] that map floats to floats and are defined for floats only.
#[macro_export]
macro_rules! float_functions {
    () => {
        $crate::program::ops::UnaryOp::Floor
            | $crate::program::ops::UnaryOp::Ceil
            | $crate::program::ops::UnaryOp::Round
            | $crate::program::ops::UnaryOp::RoundEven
            | $crate::program::ops::UnaryOp::Exp
            | $crate::program::ops::UnaryOp::Expm1
            | $crate::program::ops::UnaryOp::Log
            | $crate::program::ops::UnaryOp::Log1p
            | $crate::program::ops::UnaryOp::Sqrt
            | $crate::program::ops::UnaryOp::Rsqrt
            | $crate::program::ops::UnaryOp::Cbrt
            | $crate::program::ops::UnaryOp::Sin
            | $crate::program::ops::UnaryOp::Cos
            | $crate::program::ops::UnaryOp::Tan
            | $crate::program::ops::UnaryOp::Asin
            | $crate::program::ops::UnaryOp::Acos
            | $crate::program::ops::UnaryOp::Atan
            | $crate::program::ops::UnaryOp::Sinh
            | $crate::program::ops::UnaryOp::Cosh
            | $crate::program::ops::UnaryOp::Tanh
            | $crate::program::ops::UnaryOp::Asinh
            | $crate::program::ops::UnaryOp::Acosh
            | $crate::program::ops::UnaryOp::Atanh
            | $crate::program::ops::UnaryOp::Sigmoid
            | $crate::program::ops::UnaryOp::Erf
            | $crate::program::ops::UnaryOp::Erfc
            | $crate::program::ops::UnaryOp::ErfInv
            | $crate::program::ops::UnaryOp::Lgamma
            | $crate::program::ops::UnaryOp::Digamma
            | $crate::program::ops::UnaryOp::Reciprocal
            | $crate::program::ops::UnaryOp::StopGradient
    };
}

/// Pattern that matches the functions of [`UnaryOp`] that are predicates on floats.
#[macro_export]
macro_rules! float_predicates {
    () => {
        $crate::program::ops::UnaryOp::IsFinite
            | $crate::program::ops::UnaryOp::IsNan
            | $crate::program::ops::UnaryOp::IsInf
    };
}

/// Element types for which a function is defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Domain {
    /// Integers and floats.
    Numbers,
    /// Integers and `bool`.
    IntsAndBools,
    Ints,
    Floats,
    /// Floats; the result is `bool`.
    FloatPredicate,
}

/// Properties of a function.
#[derive(Clone, Copy)]
struct Properties {
    domain: Domain,
    /// See [`UnaryOp::is_linear`].
    is_linear: bool,
    /// See [`UnaryOp::needs_precision`].
    needs_precision: bool,
    /// See [`UnaryOp::needs_nonnegative`].
    needs_nonnegative: bool,
    /// See [`UnaryOp::copies_or_rounds`].
    copies_or_rounds: bool,
    /// See [`UnaryOp::is_applied_to_variance`].
    is_applied_to_variance: bool,
}

/// Returns the properties of a function with the given domain and no other property.
const fn properties_for(domain: Domain) -> Properties {
    Properties {
        domain,
        is_linear: false,
        needs_precision: false,
        needs_nonnegative: false,
        copies_or_rounds: false,
        is_applied_to_variance: false,
    }
}

impl UnaryOp {
    const fn properties(self) -> Properties {
        let float = properties_for(Domain::Floats);
        match self {
            UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Relu => properties_for(Domain::Numbers),
            UnaryOp::Neg => Properties { is_linear: true, copies_or_rounds: true, ..properties_for(Domain::Numbers) },
            UnaryOp::StopGradient => Properties { is_linear: true, copies_or_rounds: true, ..float },
            UnaryOp::Not => properties_for(Domain::IntsAndBools),
            UnaryOp::PopCount | UnaryOp::CountLeadingZeros => properties_for(Domain::Ints),
            UnaryOp::IsFinite | UnaryOp::IsNan | UnaryOp::IsInf => properties_for(Domain::FloatPredicate),
            UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::RoundEven => {
                Properties { copies_or_rounds: true, ..float }
            }
            UnaryOp::Log | UnaryOp::Sqrt | UnaryOp::Rsqrt => {
                Properties { needs_precision: true, needs_nonnegative: true, is_applied_to_variance: true, ..float }
            }
            UnaryOp::Log1p => Properties { needs_precision: true, needs_nonnegative: true, ..float },
            UnaryOp::Reciprocal => Properties { needs_precision: true, is_applied_to_variance: true, ..float },
            UnaryOp::Exp | UnaryOp::Expm1 | UnaryOp::Cbrt => Properties { needs_precision: true, ..float },
            UnaryOp::Lgamma | UnaryOp::Digamma | UnaryOp::ErfInv => Properties { needs_precision: true, ..float },
            UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan | UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Atan => float,
            UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Tanh | UnaryOp::Asinh | UnaryOp::Acosh | UnaryOp::Atanh => float,
            UnaryOp::Sigmoid | UnaryOp::Erf | UnaryOp::Erfc => float,
        }
    }

    /// Returns true if the function is defined for an element type.
    pub fn supports(self, dtype: DType) -> bool {
        match self.properties().domain {
            Domain::Numbers => dtype != DType::Bool,
            Domain::IntsAndBools => !dtype.is_float(),
            Domain::Ints => dtype.is_int(),
            Domain::Floats | Domain::FloatPredicate => dtype.is_float(),
        }
    }

    /// Returns true if the function is a predicate with a `bool` result.
    pub fn is_predicate(self) -> bool {
        self.properties().domain == Domain::FloatPredicate
    }

    /// Returns true if `f(x + y)` is `f(x) + f(y)` in exact arithmetic.
    pub fn is_linear(self) -> bool {
        self.properties().is_linear
    }

    /// Returns true if mixed precision computes the function in the wide float type, because its result is too inexact
    /// in a narrow one.
    pub fn needs_precision(self) -> bool {
        self.properties().needs_precision
    }

    /// Returns true for logarithms and square roots, whose operand must not be negative (for `log1p`, not below -1).
    /// Random inputs are generated accordingly.
    pub fn needs_nonnegative(self) -> bool {
        self.properties().needs_nonnegative
    }

    /// Returns true if each result is the operand's element, negated, or rounded to an integer.
    pub fn copies_or_rounds(self) -> bool {
        self.properties().copies_or_rounds
    }

    /// Returns true if an operand that is a parameter is usually a variance, as in normalizations. Initializers use
    /// this property.
    pub fn is_applied_to_variance(self) -> bool {
        self.properties().is_applied_to_variance
    }

    /// Evaluates a float-to-float function. Functions without an `f32` version are computed in `f64` and rounded.
    /// Returns `None` for other functions.
    fn eval_floats<T: Real>(self, x: &[T]) -> Option<Vec<T>> {
        let (zero, one) = (T::zero(), T::one());
        let map = |f: fn(T) -> T| kernel::map(x, f);
        let wide = |f: fn(f64) -> f64| kernel::map(x, |a| T::nearest(f(a.wide())));
        Some(match self {
            UnaryOp::Abs => kernel::map(x, T::abs),
            UnaryOp::Neg => kernel::map(x, |a| -a),
            // The sign of zero and NaN is the number itself.
            UnaryOp::Sign => kernel::map(x, |a| if a == zero || a.is_nan() { a } else { a.signum() }),
            UnaryOp::Relu => kernel::map(x, |a| if a < zero { zero } else { a }),
            UnaryOp::Reciprocal => kernel::map(x, |a| one / a),
            UnaryOp::StopGradient => x.to_vec(),
            UnaryOp::Rsqrt => kernel::map(x, |a| one / a.sqrt()),
            UnaryOp::Sigmoid => kernel::map(x, |a| one / (one + (-a).exp())),
            UnaryOp::Sqrt => kernel::map(x, T::sqrt),
            UnaryOp::Exp => kernel::map(x, T::exp),
            UnaryOp::Log => kernel::map(x, T::ln),
            UnaryOp::Tanh => kernel::map(x, T::tanh),
            UnaryOp::Floor => map(T::floor),
            UnaryOp::Ceil => map(T::ceil),
            UnaryOp::Round => map(T::round),
            UnaryOp::RoundEven => wide(f64::round_ties_even),
            UnaryOp::Expm1 => map(T::exp_m1),
            UnaryOp::Log1p => map(T::ln_1p),
            UnaryOp::Cbrt => map(T::cbrt),
            UnaryOp::Sin => map(T::sin),
            UnaryOp::Cos => map(T::cos),
            UnaryOp::Tan => map(T::tan),
            UnaryOp::Asin => map(T::asin),
            UnaryOp::Acos => map(T::acos),
            UnaryOp::Atan => map(T::atan),
            UnaryOp::Sinh => map(T::sinh),
            UnaryOp::Cosh => map(T::cosh),
            UnaryOp::Asinh => map(T::asinh),
            UnaryOp::Acosh => map(T::acosh),
            UnaryOp::Atanh => map(T::atanh),
            UnaryOp::Erf => wide(libm::erf),
            UnaryOp::Erfc => wide(libm::erfc),
            UnaryOp::ErfInv => wide(special::erf_inv),
            UnaryOp::Lgamma => wide(libm::lgamma),
            UnaryOp::Digamma => wide(special::digamma),
            UnaryOp::Not | UnaryOp::PopCount | UnaryOp::CountLeadingZeros => return None,
            float_predicates!() => return None,
        })
    }

    /// Evaluates a predicate on floats. Returns `None` for other functions.
    fn eval_predicate<T: Real>(self, x: &[T]) -> Option<Vec<i64>> {
        let test = match self {
            UnaryOp::IsNan => T::is_nan,
            UnaryOp::IsInf => T::is_infinite,
            UnaryOp::IsFinite => T::is_finite,
            UnaryOp::Abs | UnaryOp::Neg | UnaryOp::Sign | UnaryOp::Relu | UnaryOp::Not => return None,
            UnaryOp::PopCount | UnaryOp::CountLeadingZeros | float_functions!() => return None,
        };
        Some(kernel::map(x, |a| i64::from(test(a))))
    }

    /// Evaluates the function on integers and `bool`, before wrapping. Returns `None` for functions of floats only.
    fn eval_ints(self, dtype: DType, x: &[i64]) -> Option<Vec<i64>> {
        let unsigned = dtype.is_unsigned();
        Some(match self {
            UnaryOp::Abs | UnaryOp::Relu if unsigned => x.to_vec(),
            UnaryOp::Abs => kernel::map(x, i64::wrapping_abs),
            UnaryOp::Neg => kernel::map(x, i64::wrapping_neg),
            UnaryOp::Sign if unsigned => kernel::map(x, |a| i64::from(a != 0)),
            UnaryOp::Sign => kernel::map(x, i64::signum),
            UnaryOp::Relu => kernel::map(x, |a| a.max(0)),
            UnaryOp::Not if dtype == DType::Bool => kernel::map(x, |a| 1 - a),
            UnaryOp::Not => kernel::map(x, |a| !a),
            UnaryOp::PopCount => kernel::map(x, |a| i64::from(kernel::raw_bits(dtype, a).count_ones())),
            UnaryOp::CountLeadingZeros => {
                let above = 64 - dtype.bits();
                kernel::map(x, |a| i64::from(kernel::raw_bits(dtype, a).leading_zeros() - above))
            }
            float_functions!() | float_predicates!() => return None,
        })
    }
}

impl Operation for Unary {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        if !self.op.supports(x.dtype) {
            return Err(format!("is not defined for {}", x.dtype));
        }
        let dtype = if self.op.is_predicate() { DType::Bool } else { x.dtype };
        check::single_result(Type { shape: x.shape.clone(), dtype })
    }

    fn class(&self) -> Class<'_> {
        Class::Elementwise
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let rule = Rule::elementwise(&outs[0].shape, args.len());
        if self.op.is_linear() { rule.linear_in([0]) } else { rule }
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        check::elements(outs)
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x] = check::exactly(args)?;
        let data = match &x.data {
            Data::F64(v) if self.op.is_predicate() => self.op.eval_predicate(v).map(Data::Int),
            Data::F32(v) if self.op.is_predicate() => self.op.eval_predicate(v).map(Data::Int),
            Data::F64(v) => self.op.eval_floats(v).map(Data::F64),
            Data::F32(v) => self.op.eval_floats(v).map(Data::F32),
            Data::Int(v) => self.op.eval_ints(x.ty.dtype, v).map(Data::Int),
        };
        let data = data.ok_or_else(|| format!("is not defined for {}", x.ty.dtype))?;
        Ok(vec![Tensor { ty: outs[0].clone(), data }.wrapped()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats, infer_error, ints};

    #[test]
    fn functions_have_known_values() {
        let cases = [
            (UnaryOp::Sign, -2.5, -1.0),
            (UnaryOp::Round, -2.5, -3.0),
            (UnaryOp::RoundEven, -2.5, -2.0),
            (UnaryOp::Expm1, 1e-10, 1.000_000_000_05e-10),
            (UnaryOp::Rsqrt, 4.0, 0.5),
            (UnaryOp::Cbrt, -27.0, -3.0),
            (UnaryOp::Sigmoid, 0.0, 0.5),
            (UnaryOp::Relu, -1.0, 0.0),
            (UnaryOp::Erf, 1.0, 0.842_700_792_949_714_9),
            (UnaryOp::Erfc, 1.0, 0.157_299_207_050_285_13),
            (UnaryOp::ErfInv, 0.5, 0.476_936_276_204_469_9),
            (UnaryOp::Lgamma, 5.0, 24f64.ln()),
            (UnaryOp::Digamma, 1.0, -0.577_215_664_901_532_9),
            (UnaryOp::Reciprocal, 8.0, 0.125),
            (UnaryOp::StopGradient, -1.5, -1.5),
        ];
        for (op, x, want) in cases {
            for (dtype, tolerance) in [(DType::F64, 1e-14), (DType::F32, 1e-6)] {
                let got = eval(Unary { op }, &[floats(dtype, [1], &[x])])[0].get(0).to_f64();
                assert!((got - want).abs() <= tolerance * want.abs(), "{op:?}({x}) = {got}, not {want}, in {dtype}");
            }
        }
    }

    #[test]
    fn integers_wrap_at_their_width() {
        let int = |op, dtype, x| eval(Unary { op }, &[ints(dtype, [1], &[x])])[0].get(0).to_i64();
        assert_eq!(int(UnaryOp::Not, DType::Bool, 1), 0);
        assert_eq!(int(UnaryOp::Not, DType::U8, 1), 254);
        assert_eq!(int(UnaryOp::PopCount, DType::I8, -1), 8);
        assert_eq!(int(UnaryOp::CountLeadingZeros, DType::I32, 1), 31);
        assert_eq!(int(UnaryOp::CountLeadingZeros, DType::U8, 0), 8);
        assert_eq!(int(UnaryOp::Neg, DType::I8, -128), -128);
        assert_eq!(int(UnaryOp::Sign, DType::U64, -1), 1);
    }

    #[test]
    fn predicates_return_bool() {
        let x = floats(DType::F32, [3], &[1.0, f64::INFINITY, f64::NAN]);
        for (op, want) in [(UnaryOp::IsFinite, [1, 0, 0]), (UnaryOp::IsInf, [0, 1, 0]), (UnaryOp::IsNan, [0, 0, 1])] {
            assert_eq!(eval(Unary { op }, std::slice::from_ref(&x)), [ints(DType::Bool, [3], &want)]);
        }
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::I32, [2]);
        assert_eq!(infer_error(Unary { op: UnaryOp::Exp }, &[&x]), "is not defined for i32");
        assert_eq!(infer_error(Unary { op: UnaryOp::Neg }, &[]), "takes 1 operand, not 0");
    }

    #[test]
    fn rules_hold() {
        for op in UnaryOp::ALL {
            for dtype in [DType::F64, DType::I32, DType::Bool].into_iter().filter(|&d| op.supports(d)) {
                assert_rule_holds(Unary { op }, &[ints(dtype, [4, 3], &[5, -3, 2, 7, 1, 4, -6, 8, 9, 3, 2, 11])]);
            }
        }
    }
}
