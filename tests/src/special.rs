//! Special floating-point values (NaN, infinities, signed zeros, denormals), and comparison of results on them.

use partita_ir::dtype::{DType, Type};
use partita_ir::interp;
use partita_ir::program::Program;
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::verify::verify;

/// Finite numbers of moderate magnitude, with both zeros and the smallest numbers of `f32`.
const FINITE_VALUES: [f64; 14] =
    [0.0, -0.0, 1e-45, -1e-45, 1.2e-38, -1.2e-38, 1.0, -1.0, 0.5, -3.25, 30.0, -100.0, 1e4, -1e4];

/// NaN, infinities, and the largest finite numbers of `f32`.
const EXTREME_VALUES: [f64; 5] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 3.4028234663852886e38, -3.4028234663852886e38];

/// Number of rounds for which [`inputs`] returns different inputs.
pub const INPUT_ROUNDS: u64 = 48;

/// Returns the inputs of a round. Floats are special values, which are finite in the first half of the rounds. Integers
/// are random indices; booleans are all false, all true, or mixed.
pub fn inputs(program: &Program, round: u64) -> Result<Vec<Tensor>, String> {
    let mut state = round * 2 + 1;
    let mut next = move |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let palette: Vec<f64> =
        if is_finite(round) { FINITE_VALUES.to_vec() } else { [&FINITE_VALUES[..], &EXTREME_VALUES].concat() };
    let random = interp::random_inputs(program, round)?;
    let special = random.into_iter().map(|tensor| {
        let count = tensor.ty.shape.count();
        match tensor.ty.dtype {
            dtype if dtype.is_float() => {
                // Some tensors have equal elements.
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

/// Returns true if the inputs of a round are finite.
pub fn is_finite(round: u64) -> bool {
    round < INPUT_ROUNDS / 2
}

/// Returns the program with each dimension size in the types after ` : ` replaced by `size`, if given, and with `f64`
/// instead of `f32` if `double` is true. Returns `None` if the resulting program is invalid.
pub fn resized(text: &str, size: Option<usize>, double: bool) -> Option<Program> {
    let mut out = String::new();
    for line in text.lines() {
        let (head, ty) = line.rsplit_once(" : ").map_or((line, None), |(head, ty)| (head, Some(ty)));
        out.push_str(head);
        if let Some(ty) = ty {
            let resized = match size {
                None => ty.to_owned(),
                Some(size) => {
                    // A dimension is a number followed by a comma, a bracket or an axis.
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

/// Class of a floating-point number, which rewrites must preserve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueClass {
    /// Not a number.
    Nan,
    /// Infinite.
    Infinite {
        /// True for negative infinity.
        negative: bool,
    },
    /// Negative zero.
    NegativeZero,
    /// Any other number.
    Number,
}

impl ValueClass {
    /// Returns the class of a number. Positive zero and denormal numbers of both signs are ordinary numbers.
    pub fn from_number(x: f64) -> ValueClass {
        match x {
            x if x.is_nan() => ValueClass::Nan,
            x if x.is_infinite() => ValueClass::Infinite { negative: x < 0.0 },
            x if x == 0.0 && x.is_sign_negative() => ValueClass::NegativeZero,
            _ => ValueClass::Number,
        }
    }
}

/// Returns true if two numbers have equal bits. All NaNs are equal.
pub fn is_same(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
        (a, b) => a == b,
    }
}

/// Returns true if two floating-point numbers have the same class, or two integers are equal.
pub fn is_same_class(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => ValueClass::from_number(a) == ValueClass::from_number(b),
        (a, b) => a == b,
    }
}

/// Returns true if two floating-point numbers have the same class, apart from the sign of a zero, or two integers are
/// equal.
pub fn is_same_class_ignoring_zero_sign(a: Scalar, b: Scalar) -> bool {
    let signless = |x: Scalar| match x {
        Scalar::Float(x) if ValueClass::from_number(x) == ValueClass::NegativeZero => Scalar::Float(0.0),
        x => x,
    };
    is_same_class(signless(a), signless(b))
}

/// Returns the first element in which results violate a relation: result, element, and both numbers. Panics if the
/// types of the results differ.
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
