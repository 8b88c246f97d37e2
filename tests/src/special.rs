//! Special numbers: NaN, infinities, zeros of both signs, denormals, and what two programs make of them.

use partita_ir::dtype::{DType, Type};
use partita_ir::interp;
use partita_ir::program::Program;
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::verify::verify;

/// Numbers of which no usual function overflows.
const FINITE: [f64; 14] = [0.0, -0.0, 1e-45, -1e-45, 1.2e-38, -1.2e-38, 1.0, -1.0, 0.5, -3.25, 30.0, -100.0, 1e4, -1e4];

/// Numbers that are not finite, or nearly so.
const OTHERS: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 3.4028234663852886e38, -3.4028234663852886e38];

/// Rounds of inputs that [`inputs`] gives.
pub const ROUNDS: u64 = 48;

/// Inputs of special numbers. In the first half of the rounds they are finite. Integers are indices as random ones are;
/// booleans are all false, all true, or mixed.
pub fn inputs(program: &Program, round: u64) -> Result<Vec<Tensor>, String> {
    let mut state = round * 2 + 1;
    let mut next = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let palette: Vec<f64> = if is_finite(round) { FINITE.to_vec() } else { [&FINITE[..], &OTHERS].concat() };
    let random = interp::random_inputs(program, round)?;
    let special = random.into_iter().map(|tensor| {
        let count = tensor.ty.shape.count();
        match tensor.ty.dtype {
            dtype if dtype.is_float() => {
                // Some tensors are one number everywhere.
                let one = (next(4) == 0).then(|| palette[next(palette.len())]);
                let numbers = (0..count).map(|_| one.unwrap_or_else(|| palette[next(palette.len())]));
                Tensor::from_floats(tensor.ty.clone(), numbers.collect())
            }
            DType::Bool => {
                let which = next(4);
                let bits = (0..count).map(|_| if which < 2 { which as i64 } else { next(2) as i64 });
                Tensor::from_ints(tensor.ty.clone(), bits.collect())
            }
            _ => tensor,
        }
    });
    Ok(special.collect())
}

/// Whether the inputs of a round are finite.
pub fn is_finite(round: u64) -> bool {
    round < ROUNDS / 2
}

/// The program with other sizes and perhaps floats of 64 bits: its text with each size of a type replaced. `None` if
/// that is no program.
pub fn resized(text: &str, size: Option<usize>, double: bool) -> Option<Program> {
    let mut out = String::new();
    for line in text.lines() {
        let (head, ty) = line.rsplit_once(" : ").map_or((line, None), |(head, ty)| (head, Some(ty)));
        out.push_str(head);
        if let Some(ty) = ty {
            let resized = match size {
                None => ty.to_owned(),
                Some(size) => {
                    // A dimension is a number before a comma, a bracket or an axis.
                    let mut digits = false;
                    let mut inside = false;
                    ty.chars().fold(String::new(), |mut all, c| {
                        inside = (inside || c == '[') && c != ']';
                        match (inside && c.is_ascii_digit(), digits) {
                            (true, false) => all.push_str(&size.to_string()),
                            (true, true) => {}
                            (false, _) => all.push(c),
                        }
                        digits = inside && c.is_ascii_digit();
                        all
                    })
                }
            };
            out.push_str(" : ");
            out.push_str(&resized);
        }
        out.push('\n');
    }
    if double {
        out = out.replace(" f32[", " f64[");
    }
    let program = partita_ir::text::parse(&partita_ir::diag::Source::new("special.pir", out)).ok()?;
    verify(&program).ok()?;
    Some(program)
}

/// What kind of number one is: these may not change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// No number.
    Nan,
    /// Infinite.
    Infinite {
        /// Whether it is below zero.
        negative: bool,
    },
    /// Zero below zero.
    NegativeZero,
    /// Any other number.
    Number,
}

impl Class {
    /// The class of a number. Denormal ones count as zeros of their sign: next to a zero they are rounding.
    pub fn of(x: f64) -> Class {
        match x {
            x if x.is_nan() => Class::Nan,
            x if x.is_infinite() => Class::Infinite { negative: x < 0.0 },
            x if x == 0.0 && x.is_sign_negative() => Class::NegativeZero,
            _ => Class::Number,
        }
    }
}

/// Whether two numbers are the same bits; all NaN are the same.
pub fn is_same(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
        (a, b) => a == b,
    }
}

/// Whether two numbers are of one class.
pub fn is_of_one_class(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => Class::of(a) == Class::of(b),
        (a, b) => a == b,
    }
}

/// Whether two numbers are of one class, whatever the sign of a zero.
pub fn is_of_one_class_but_for_zeros(a: Scalar, b: Scalar) -> bool {
    let signless = |x: Scalar| match x {
        Scalar::Float(x) if Class::of(x) == Class::NegativeZero => Scalar::Float(0.0),
        x => x,
    };
    is_of_one_class(signless(a), signless(b))
}

/// The first element in which results differ by a relation: result, element, and both numbers.
pub fn difference(
    before: &[Tensor],
    after: &[Tensor],
    relation: fn(Scalar, Scalar) -> bool,
) -> Option<(usize, usize, Scalar, Scalar)> {
    assert_eq!(types(before), types(after));
    before.iter().zip(after).enumerate().find_map(|(result, (before, after))| {
        let mut pairs = before.scalars().zip(after.scalars()).enumerate();
        pairs.find(|(_, (a, b))| !relation(*a, *b)).map(|(at, (a, b))| (result, at, a, b))
    })
}

fn types(tensors: &[Tensor]) -> Vec<&Type> {
    tensors.iter().map(|tensor| &tensor.ty).collect()
}
