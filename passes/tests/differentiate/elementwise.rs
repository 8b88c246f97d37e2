//! Elementwise ops.

use super::harness::{Case, add_loss, analytic, case, check, read, within};
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, UnaryOp};
use partita_ir::tensor::Tensor;

/// Returns cases of all unary functions, in domains where they are smooth.
fn unary() -> Vec<Case> {
    let floats = UnaryOp::ALL.into_iter().filter(|op| op.supports(DType::F64));
    let predicate = |op: &UnaryOp| matches!(op, UnaryOp::IsFinite | UnaryOp::IsNan | UnaryOp::IsInf);
    let range = |op: UnaryOp| match op {
        UnaryOp::Log | UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Cbrt | UnaryOp::Reciprocal => vec![(0.3, 3.0)],
        UnaryOp::Acosh => vec![(1.2, 3.0)],
        UnaryOp::Lgamma | UnaryOp::Digamma => vec![(0.1, 0.4), (0.6, 3.0), (20.0, 40.0), (-0.8, -0.2), (-6.8, -6.2)],
        _ => vec![(-0.9, 0.9)],
    };
    floats
        .filter(|op| !predicate(op) && *op != UnaryOp::StopGradient)
        .flat_map(|op| range(op).into_iter().map(move |range| (op, range)))
        .map(|(op, (low, high))| {
            within(low, high, format!("input %x : f64[2, 3] %y = {} %x : f64[2, 3] output %y", op.name()))
        })
        .collect()
}

/// Returns cases of all binary functions.
fn binary() -> Vec<Case> {
    let floats = BinaryOp::ALL.into_iter().filter(|op| op.supports(DType::F64));
    floats
        .map(|op| {
            let text = "input %x : f64[2, 3] input %y : f64[2, 3] %z = OP %x, %y : f64[2, 3] output %z";
            let (low, high) = if op == BinaryOp::Pow { (0.3, 3.0) } else { (0.4, 1.9) };
            within(low, high, text.replace("OP", op.name()))
        })
        .collect()
}

pub fn cases() -> Vec<Case> {
    let mut cases = [unary(), binary()].concat_cases();
    let power = |n: &str| {
        case(format!(
            "input %x : f64[6] %n = constant {n} : f64[] %m = broadcast [] %n : f64[6] %y = pow %x, %m : f64[6] output %y"
        ))
    };
    cases.extend(["0.0", "1.0", "2.0", "3.0", "5.0"].map(power));
    cases.push(within(
        -2.0,
        2.0,
        "input %x : f64[6] input %d : f64[6]
         %e = abs %d : f64[6] %one = constant 0.7 : f64[6] %f = add %e, %one : f64[6]
         %y = rem %x, %f : f64[6] %z = atan2 %x, %d : f64[6] output %y output %z",
    ));
    cases.push(case(
        "input %x : f64[2, 3] input %y : f64[2, 3] %c = compare lt %x, %y : bool[2, 3]
         %z = select %c, %x, %y : f64[2, 3] output %z",
    ));
    cases.push(case(
        "input %x : f64[3] input %y : f64[3] %c = constant 1 : bool[] %z = select %c, %x, %y : f64[3] output %z",
    ));
    cases.push(case(
        "input %x : f64[8] %low = constant -0.4 : f64[] %high = constant 0.3 : f64[]
         %y = clamp %low, %x, %high : f64[8] output %y",
    ));
    cases.push(case(
        "input %low : f64[] input %x : f64[8] input %high : f64[8]
         %y = clamp %low, %x, %high : f64[8] output %y",
    ));
    // A conversion to the same type, and a bitcast to integers, which has no gradient.
    cases.push(case(
        "input %x : f64[4] %y = convert %x : f64[4] %z = bitcast %y : f64[4]
         %bits = bitcast %x : u64[4] %n = convert %bits : f64[4] %w = mul %z, %n : f64[4] output %z",
    ));
    // Dropout: a mask of zeros and ones.
    cases.push(case(
        "input %x : f64[8] input %t : f64[8] %zero = constant 0.0 : f64[8] %c = compare gt %t, %zero : bool[8]
         %m = convert %c : f64[8] %y = mul %x, %m : f64[8] %z = mul %m, %y : f64[8] output %z",
    ));
    // A value with several readers.
    cases.push(case("input %x : f64[4] %y = mul %x, %x : f64[4] %z = add %y, %x : f64[4] output %z output %x"));
    cases
}

/// Concatenation of lists of cases.
trait Concat {
    fn concat_cases(self) -> Vec<Case>;
}

impl<const N: usize> Concat for [Vec<Case>; N] {
    fn concat_cases(self) -> Vec<Case> {
        self.into_iter().flatten().collect()
    }
}

#[test]
fn gradients_match_finite_differences() {
    cases().iter().for_each(check);
}

/// Returns the gradient of the sum of a program's output with respect to its input of 3 numbers.
fn gradient_at(text: &str, x: &[f64]) -> Vec<f64> {
    let mut program = read(text);
    let loss = add_loss(&mut program);
    let inputs: Vec<Tensor> = program
        .inputs()
        .iter()
        .map(|&v| {
            let ty: Type = program.ty(v).clone();
            Tensor::from_floats(ty.clone(), x[..ty.shape.count()].to_vec())
        })
        .collect();
    let weights: Vec<f64> = super::harness::numbers(1).take(x.len()).map(|x| x + 0.5).collect();
    analytic(&program, loss, &inputs).remove(0).iter().zip(weights).map(|(g, w)| g / w).collect()
}

#[test]
fn gradients_at_kinks_are_split() {
    let binary = |op: &str| format!("input %x : f64[1] input %y : f64[1] %z = {op} %x, %y : f64[1] output %z");
    assert_eq!(gradient_at(&binary("max"), &[2.0]), [0.5]);
    assert_eq!(gradient_at(&binary("min"), &[2.0]), [0.5]);
    let unary = |op: &str| format!("input %x : f64[1] %z = {op} %x : f64[1] output %z");
    assert_eq!(gradient_at(&unary("relu"), &[0.0]), [0.0]);
    assert_eq!(gradient_at(&unary("abs"), &[0.0]), [0.0]);
    let clamp = "input %x : f64[3] %l = constant 0.0 : f64[] %h = constant 6.0 : f64[] %y = clamp %l, %x, %h : f64[3] output %y";
    assert_eq!(gradient_at(clamp, &[0.0, 6.0, 7.0]), [1.0, 1.0, 0.0]);
}

/// The gradient of `x * stop_gradient(x)` is `stop_gradient(x)`, not `2 * x`.
#[test]
fn stopped_gradients_are_zero() {
    let product = "input %x : f64[2] %s = stop_gradient %x : f64[2] %y = mul %x, %s : f64[2] output %y";
    assert_eq!(gradient_at(product, &[2.0, -3.0]), [2.0, -3.0]);
    let stopped = "input %x : f64[2] %y = stop_gradient %x : f64[2] output %y";
    assert_eq!(gradient_at(stopped, &[2.0, -3.0]), [0.0, 0.0]);
}

#[test]
fn powers_of_zero_have_gradients() {
    let constant = |n: &str| format!("input %x : f64[2] %n = constant {n} : f64[2] %y = pow %x, %n : f64[2] output %y");
    assert_eq!(gradient_at(&constant("2.0"), &[0.0, -3.0]), [0.0, -6.0]);
    assert_eq!(gradient_at(&constant("0.0"), &[0.0, -3.0]), [0.0, 0.0]);
    assert_eq!(gradient_at(&constant("1.0"), &[0.0, -3.0]), [1.0, 1.0]);
    // Exponents that are computed at run time.
    let at_run_time =
        |n: &str| format!("input %x : f64[2] %n = constant [{n}] : f64[2] %y = pow %x, %n : f64[2] output %y");
    assert_eq!(gradient_at(&at_run_time("2.0, 3.0"), &[0.0, -3.0]), [0.0, 27.0]);
    assert_eq!(gradient_at(&at_run_time("0.0, 0.0"), &[0.0, -3.0]), [0.0, 0.0]);
    let exponent = "input %n : f64[2] %x = constant 0.0 : f64[2] %y = pow %x, %n : f64[2] output %y";
    assert_eq!(gradient_at(exponent, &[2.0, 0.0]), [0.0, 0.0]);
}
