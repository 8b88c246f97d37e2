//! Parameter initializers: distributions of parameter values before training.
//!
//! Each value is a function of the seed, the parameter's path and the element's index. It is independent of other
//! parameters and of the plan, so that every plan of a model starts from bitwise identical parameters.

use crate::dtype::{Shape, Type};
use crate::numeric::counter_rng::{join_u32, split_u64, threefry};
use crate::numeric::special::normal_quantile;
use crate::syntax::Cursor;
use crate::syntax::lex::Result;
use crate::tensor::{Scalar, Tensor};
use smallvec::SmallVec;
use std::fmt;

/// The distribution of a parameter's values before training.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Initializer {
    /// The same number for all elements.
    Constant(f64),
    /// Uniform distribution on `[low, high)`.
    Uniform {
        /// Lower bound, inclusive.
        low: f64,
        /// Upper bound, exclusive.
        high: f64,
    },
    /// Normal distribution.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        deviation: f64,
    },
}

/// Second word of the key that seeds all initializers. It separates initializers from other random streams with the
/// same seed.
const INITIALIZER_STREAM: u32 = 3;

impl Initializer {
    /// Returns a uniform distribution with mean 0 and the given standard deviation.
    pub fn uniform(deviation: f64) -> Initializer {
        // A uniform number in [-1, 1) has a variance of one third.
        let high = deviation * 3f64.sqrt();
        Initializer::Uniform { low: -high, high }
    }

    /// Returns the initializer of `factor * x + shift`, where `x` has this initializer.
    pub fn scaled(self, factor: f64, shift: f64) -> Initializer {
        match self {
            Initializer::Constant(x) => Initializer::Constant(x * factor + shift),
            Initializer::Uniform { low, high } => {
                let (a, b) = (low * factor + shift, high * factor + shift);
                Initializer::Uniform { low: a.min(b), high: a.max(b) }
            }
            Initializer::Normal { mean, deviation } => {
                Initializer::Normal { mean: mean * factor + shift, deviation: deviation * factor.abs() }
            }
        }
    }

    /// Returns true if all distribution parameters are finite.
    pub fn is_finite(self) -> bool {
        match self {
            Initializer::Constant(x) => x.is_finite(),
            Initializer::Uniform { low: a, high: b } | Initializer::Normal { mean: a, deviation: b } => {
                a.is_finite() && b.is_finite()
            }
        }
    }

    /// Draws the values of the parameter at `path`. Element `i` is a function of `seed`, `path` and `i`, rounded to the
    /// element type.
    pub fn draw(self, ty: &Type, seed: u64, path: &str) -> Tensor {
        let start: SmallVec<[usize; 4]> = SmallVec::from_elem(0, ty.shape.rank());
        self.draw_box(ty, seed, path, (&start, &ty.shape))
    }

    /// Draws a box of the values of [`Initializer::draw`]: `len` elements in each dimension, from index `start` on.
    pub fn draw_box(self, ty: &Type, seed: u64, path: &str, (start, len): (&[usize], &[usize])) -> Tensor {
        let out = Type { shape: Shape::from(len), dtype: ty.dtype };
        let value: &dyn Fn(u64) -> f64 = match self {
            Initializer::Constant(x) => return Tensor::splat(out, Scalar::Float(x)),
            Initializer::Uniform { low, high } => {
                &move |bits| low + (high - low) * ((bits >> 11) as f64 / 2f64.powi(53))
            }
            Initializer::Normal { mean, deviation } => {
                &move |bits| mean + deviation * normal_quantile(((bits >> 12) as f64 + 0.5) / 2f64.powi(52))
            }
        };
        let key = path_key(seed, path);
        let bits = |i: usize| {
            let [high, low] = threefry(key, split_u64(i as u64));
            join_u32(low, high)
        };
        let (strides, count) = (ty.shape.strides(), out.shape.count());
        let row = len.last().copied().unwrap_or(1).max(1);
        let first = |mut number: usize| {
            // The index of a row in all dimensions but the last.
            let mut at = start.last().copied().unwrap_or(0);
            for d in (0..len.len().saturating_sub(1)).rev() {
                at += (start[d] + number % len[d]) * strides[d];
                number /= len[d];
            }
            at
        };
        let rows = (0..count / row).map(first);
        Tensor::from_floats(out, rows.flat_map(|first| (first..first + row).map(|i| value(bits(i)))).collect())
    }

    /// Parses the text that `Display` writes.
    /// Errors: an unknown distribution, or parameters that are not finite or not in order.
    pub(crate) fn read(c: &mut Cursor<'_>) -> Result<Initializer> {
        let place = c.clone();
        let pair = |c: &mut Cursor<'_>, what: &str| {
            let numbers = c.list(|c| c.number::<f64>("a number"))?;
            let valid = |&(a, b): &(f64, f64)| a.is_finite() && b.is_finite();
            <[f64; 2]>::try_from(numbers).ok().map(|[a, b]| (a, b)).filter(valid).ok_or_else(|| place.expected(what))
        };
        if c.eat("uniform") {
            let what = "`uniform [LOW, HIGH]` with LOW <= HIGH";
            let (low, high) = pair(c, what)?;
            return if low <= high { Ok(Initializer::Uniform { low, high }) } else { Err(place.expected(what)) };
        }
        if c.eat("normal") {
            let what = "`normal [MEAN, DEVIATION]` with DEVIATION >= 0";
            let (mean, deviation) = pair(c, what)?;
            return match deviation >= 0.0 {
                true => Ok(Initializer::Normal { mean, deviation }),
                false => Err(place.expected(what)),
            };
        }
        let what = "a number, `uniform [LOW, HIGH]` or `normal [MEAN, DEVIATION]`";
        match c.number::<f64>(what)? {
            number if number.is_finite() => Ok(Initializer::Constant(number)),
            _ => Err(place.expected(what)),
        }
    }
}

/// Returns the Threefry key of a parameter: the seed hashed with the bytes of the path, eight at a time, and with the
/// path length.
fn path_key(seed: u64, path: &str) -> [u32; 2] {
    let mut key = threefry(split_u64(seed), [INITIALIZER_STREAM, 0]);
    for chunk in path.as_bytes().chunks(8) {
        let word = chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        key = threefry(key, split_u64(word));
    }
    threefry(key, split_u64(path.len() as u64))
}

impl fmt::Display for Initializer {
    /// Writes the form used in program text after `starts`: `0.0`, `uniform [-0.5, 0.5]`, `normal [0.0, 0.02]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Initializer::Constant(number) => write!(f, "{number:?}"),
            Initializer::Uniform { low, high } => write!(f, "uniform [{low:?}, {high:?}]"),
            Initializer::Normal { mean, deviation } => write!(f, "normal [{mean:?}, {deviation:?}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Source;
    use crate::dtype::DType;
    use crate::text::{parse, print};

    fn items(initializer: Initializer, shape: [usize; 1], dtype: DType, seed: u64, path: &str) -> Vec<f64> {
        initializer.draw(&Type::new(dtype, shape), seed, path).scalars().map(|x| x.to_f64()).collect()
    }

    const UNIFORM: [f64; 3] = [-0.11494855911708901, -0.058229545029793606, -0.10734935212168639];
    const SHORT_PATH: [f64; 3] = [0.2215469726264121, -0.21774640303739645, -0.47009782734734495];

    /// Expected values from an independent Python implementation of Threefry, checked against the published test
    /// vectors.
    #[test]
    fn values_equal_an_independent_implementation() {
        let uniform = Initializer::Uniform { low: -0.5, high: 0.5 };
        assert_eq!(items(uniform, [3], DType::F64, 7, "layers.0.weight"), UNIFORM);
        assert_eq!(items(uniform, [3], DType::F64, 1 << 40, "w"), SHORT_PATH);
    }

    #[test]
    fn numbers_depend_on_seed_path_and_position_alone() {
        let normal = Initializer::Normal { mean: 1.0, deviation: 2.0 };
        let one = items(normal, [20_000], DType::F64, 1, "a");
        assert_eq!(one[..50], items(normal, [50], DType::F64, 1, "a"));
        for (seed, path) in [(2, "a"), (1, "b"), (1, "aa"), (1, "a\0"), (1, "")] {
            assert_ne!(one[..50], items(normal, [50], DType::F64, seed, path), "{seed} {path:?}");
        }
        let narrow = items(normal, [50], DType::F32, 1, "a");
        assert!(one.iter().zip(narrow).all(|(a, b)| *a as f32 == b as f32));
        let mean = one.iter().sum::<f64>() / 2e4;
        let variance = one.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 2e4;
        // Three standard errors of each estimate.
        assert!((mean - 1.0).abs() < 0.043 && (variance - 4.0).abs() < 0.12, "{mean} {variance}");
    }

    #[test]
    fn boxes_have_the_values_of_the_tensor() {
        let normal = Initializer::Normal { mean: 0.0, deviation: 1.0 };
        let ty = Type::new(DType::F32, [4, 3, 5]);
        let all: Vec<f64> = normal.draw(&ty, 3, "w").scalars().map(|x| x.to_f64()).collect();
        for (start, len) in
            [([0, 0, 0], [4, 3, 5]), ([1, 1, 2], [2, 2, 3]), ([3, 0, 4], [1, 3, 1]), ([2, 1, 0], [0, 1, 5])]
        {
            let mut expected = Vec::new();
            for i in start[0]..start[0] + len[0] {
                for j in start[1]..start[1] + len[1] {
                    let row = (i * 3 + j) * 5;
                    expected.extend_from_slice(&all[row + start[2]..row + start[2] + len[2]]);
                }
            }
            let drawn = normal.draw_box(&ty, 3, "w", (&start, &len));
            assert_eq!(drawn.scalars().map(|x| x.to_f64()).collect::<Vec<_>>(), expected, "{start:?} {len:?}");
        }
        let scalar = Type::new(DType::F64, []);
        assert_eq!(normal.draw(&scalar, 3, "w").get(0), normal.draw(&Type::new(DType::F64, [2]), 3, "w").get(0));
    }

    #[test]
    fn a_scaled_uniform_initializer_has_its_deviation() {
        let Initializer::Uniform { low, high } = Initializer::uniform(2.0) else { unreachable!() };
        assert!((high * high / 3.0 - 4.0).abs() < 1e-12 && low == -high);
        assert_eq!(
            Initializer::Uniform { low: 0.0, high: 1.0 }.scaled(-2.0, 1.0),
            Initializer::Uniform { low: -1.0, high: 1.0 }
        );
        assert_eq!(
            Initializer::Normal { mean: 1.0, deviation: 1.0 }.scaled(-2.0, 0.5),
            Initializer::Normal { mean: -1.5, deviation: 2.0 }
        );
    }

    #[test]
    fn text_is_read_as_it_is_written() {
        for text in ["0.0", "-65536.0", "1e-300", "uniform [-0.5, 0.1]", "normal [0.0, 0.02]"] {
            let program = format!("form traced\nparam %w \"w\" starts {text} : f32[2]\noutput %w\n");
            let read = parse(&Source::new("p", &program)).unwrap();
            assert!(print(&read).contains(&format!("starts {text} :")), "{}", print(&read));
        }
        for bad in
            ["uniform [1, 0]", "uniform [0]", "normal [0, -1]", "normal 1", "1e999", "uniform [-1e999, 0]", "gamma"]
        {
            let program = format!("form traced\nparam %w \"w\" starts {bad} : f32[2]\noutput %w\n");
            assert!(parse(&Source::new("p", &program)).is_err(), "{bad}");
        }
        let drawn = "form traced\nparam %w \"w\" starts normal [0.0, 1.0] : i32[2]\noutput %w\n";
        let error = &parse(&Source::new("p", drawn)).unwrap_err()[0];
        assert!(error.to_string().contains("i32[2]"), "{error}");
    }
}
