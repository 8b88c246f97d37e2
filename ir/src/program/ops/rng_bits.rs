//! `rng_bits`: JAX's `rng_bit_generator`, which maps a state to the next state and random bits.
//!
//! The assignment of counters to elements is bitwise the same as in XLA (`xla/hlo/builder/lib/prng.cc`).

use crate::dtype::{DType, Shape, Type};
use crate::numeric::counter_rng::{join_u32, philox, split_u64, threefry};
use crate::numeric::kernel;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::tensor::{Data, Tensor};
use crate::word_attr;
use smallvec::smallvec;

op! {
    /// JAX's `rng_bit_generator`. Operand: a state `u64[2]` (or `u32[4]`, its halves, or `u64[3]` for Philox). Results:
    /// the next state, and random bits.
    RngBits = "rng_bits" {
        /// The random bit generator.
        "" algorithm: RngAlgorithm,
    }
}

/// Algorithm of a random bit generator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum RngAlgorithm {
    /// Threefry 2x32, 20 rounds (Salmon et al. 2011).
    #[default]
    Threefry,
    /// Philox 4x32, 10 rounds (Salmon et al. 2011).
    Philox,
}

impl RngAlgorithm {
    /// All algorithms.
    pub const ALL: [RngAlgorithm; 2] = [RngAlgorithm::Threefry, RngAlgorithm::Philox];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            RngAlgorithm::Threefry => "threefry",
            RngAlgorithm::Philox => "philox",
        }
    }
}
word_attr!(RngAlgorithm, "an algorithm (threefry, philox)", RngAlgorithm::ALL);

impl RngBits {
    fn supports_state(&self, state: &Type) -> bool {
        let philox = self.algorithm == RngAlgorithm::Philox;
        match (state.dtype, &state.shape[..]) {
            (DType::U64, [2]) | (DType::U32, [4]) => true,
            (DType::U64, [3]) => philox,
            _ => false,
        }
    }
}

/// Random bits of each element, and the increment of the counter.
type BitsAndIncrement = (Vec<u64>, u64);

/// Generates bits with Threefry. 64-bit elements use both output words for the counter plus their position. Narrower
/// elements share a counter between two neighbours along one dimension: the first even dimension, or the longest one if
/// all are odd. The counter is then the position in a box that is half as long in this dimension.
fn threefry_bits(key: u64, counter: u64, shape: &Shape, dtype: DType) -> BitsAndIncrement {
    let words = |at: usize| threefry(split_u64(key), split_u64(counter.wrapping_add(at as u64)));
    let count = shape.count();
    if dtype.bytes() == 8 {
        let bits = (0..count).map(words).map(|[low, high]| join_u32(low, high)).collect();
        return (bits, count as u64);
    }
    let even = shape.iter().position(|n| n.is_multiple_of(2));
    let longest = || (0..shape.rank()).rev().max_by_key(|&d| shape[d]);
    let Some(split) = even.or_else(longest) else { return (vec![u64::from(words(0)[0])], 1) };
    let (n, half) = (shape[split], shape[split].div_ceil(2));
    let inner: usize = shape[split + 1..].iter().product();
    let bits = (0..count)
        .map(|i| {
            let (outer, at, rest) = (i / inner / n, i / inner % n, i % inner);
            u64::from(words((outer * half + at / 2) * inner + rest)[at % 2])
        })
        .collect();
    (bits, (count / n.max(1) * half) as u64)
}

/// Generates bits with Philox in blocks of 128 bits with one counter each, divided into elements in order.
fn philox_bits(key: u64, counter: u128, count: usize, dtype: DType) -> BitsAndIncrement {
    let in_block = if dtype.bytes() == 8 { 2 } else { 4 };
    let blocks = count.div_ceil(in_block);
    let bits = (0..blocks).flat_map(|block| {
        let at = counter.wrapping_add(block as u128);
        let ([a, b], [c, d]) = (split_u64(at as u64), split_u64((at >> 64) as u64));
        let [a, b, c, d] = philox(split_u64(key), [a, b, c, d]);
        if in_block == 2 {
            [join_u32(a, b), join_u32(c, d), 0, 0].into_iter().take(2)
        } else {
            [a, b, c, d].map(u64::from).into_iter().take(4)
        }
    });
    (bits.take(count).collect(), blocks as u64)
}

impl Operation for RngBits {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [state] = check::exactly(args)?;
        if !self.supports_state(state) {
            return Err(format!("takes a state u64[2] or u32[4], not {state}"));
        }
        let [_, bits] = declared else { return Err(format!("has 2 results, not {}", declared.len())) };
        if !bits.dtype.is_int() {
            return Err(format!("returns bits as integers, not as {bits}"));
        }
        check::single_result((*bits).clone())?;
        Ok(smallvec![state.clone(), (*bits).clone()])
    }

    fn class(&self) -> Class<'_> {
        Class::Random
    }

    /// Elements depend on a sequential counter, so that no dimension can be sharded.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        Rule::replicated(args, outs)
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
        let [state] = check::exactly(args)?;
        let [_, ty] = check::exactly(outs)?;
        let items = kernel::ints(state)?;
        let words: Vec<u64> = match state.ty.dtype {
            DType::U32 => items.chunks_exact(2).map(|w| join_u32(w[0] as u32, w[1] as u32)).collect(),
            _ => items.iter().map(|&w| w as u64).collect(),
        };
        let [key, low, ..] = words[..] else { return Err("takes a state of two numbers".into()) };
        let mut next = words.clone();
        let bits = match self.algorithm {
            RngAlgorithm::Threefry => {
                let (bits, moved) = threefry_bits(key, low, &ty.shape, ty.dtype);
                next[1] = low.wrapping_add(moved);
                bits
            }
            RngAlgorithm::Philox => {
                // In a state of two words, the key is also the upper half of the counter.
                let high = words.get(2).copied().unwrap_or(key);
                let counter = u128::from(low) | u128::from(high) << 64;
                let (bits, moved) = philox_bits(key, counter, ty.shape.count(), ty.dtype);
                let counter = counter.wrapping_add(u128::from(moved));
                next[1] = counter as u64;
                if let Some(high) = next.get_mut(2) {
                    *high = (counter >> 64) as u64;
                }
                bits
            }
        };
        let next = match state.ty.dtype {
            DType::U32 => next.iter().flat_map(|&w| split_u64(w)).map(i64::from).collect(),
            _ => next.iter().map(|&w| w as i64).collect(),
        };
        let bits = bits.into_iter().map(|b| b as i64).collect();
        let next = Tensor { ty: state.ty.clone(), data: Data::Int(next) };
        Ok(vec![next, Tensor { ty: ty.clone(), data: Data::Int(bits) }.wrapped()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::ints;
    use crate::program::{EvalCx, MeshPosition};

    fn draw(algorithm: RngAlgorithm, state: &Tensor, ty: &Type) -> (Vec<i64>, Vec<i64>) {
        let program = Program::default();
        let op = RngBits { algorithm };
        let outs = op.infer(&program, &[&state.ty], &[&state.ty, ty]).unwrap();
        let device: Option<MeshPosition<'_>> = None;
        let cx =
            EvalCx { program: &program, device, call: &|_, _| Err("calls nothing".into()), run: &crate::interp::run };
        let outs = op.eval(&cx, &[state], &outs.iter().collect::<Vec<_>>()).unwrap();
        let items = |x: &Tensor| x.scalars().map(|x| x.to_i64()).collect();
        (items(&outs[0]), items(&outs[1]))
    }

    /// Algorithm, element type of the bits, shape, counter afterwards, bits.
    type Case = (RngAlgorithm, DType, &'static [usize], i64, &'static [i64]);

    /// Results of XLA (`jax.lax.rng_bit_generator`, JAX 0.10.2 on CPU).
    #[test]
    fn agrees_with_xla() {
        use RngAlgorithm::{Philox, Threefry};
        const KEY: i64 = 0x0123_4567_89ab_cdef;
        let state = ints(DType::U64, [2], &[KEY, -2]);
        let cases: [Case; 9] = [
            (Threefry, DType::U32, &[3], 0, &[2968789339, 3784990900, 188576916]),
            (
                Threefry,
                DType::U32,
                &[3, 4],
                4,
                &[
                    2968789339, 3784990900, 188576916, 2901984476, 2862930057, 1798685940, 1973758215, 3554510355,
                    902882801, 2396094436, 2083461592, 42261475,
                ],
            ),
            (
                Threefry,
                DType::U32,
                &[3, 5],
                7,
                &[
                    2968789339, 3784990900, 188576916, 2901984476, 2862930057, 1973758215, 3554510355, 902882801,
                    2396094436, 2083461592, 3732519869, 387185944, 2963079838, 2105865281, 1822680882,
                ],
            ),
            (Threefry, DType::U32, &[], -1, &[2968789339]),
            (
                Threefry,
                DType::U64,
                &[3],
                1,
                &[16256412134126395739u64 as i64, 12463928418108273812u64 as i64, 7725297290937948297],
            ),
            (Threefry, DType::U8, &[5], 1, &[91, 180, 148, 220, 137]),
            (Philox, DType::U32, &[5], 0, &[172511636, 1103493126, 3598856174, 948282324, 1105943027]),
            (Philox, DType::U64, &[3], 0, &[4739466887703318932, 4072841572553732078, 3491281334367377907]),
            (Philox, DType::U8, &[5], 0, &[148, 6, 238, 212, 243]),
        ];
        for (algorithm, dtype, shape, counter, bits) in cases {
            let (next, drawn) = draw(algorithm, &state, &Type::new(dtype, shape));
            assert_eq!(drawn, bits, "{algorithm:?} {dtype}{shape:?}");
            assert_eq!(next, [KEY, counter], "{algorithm:?} {dtype}{shape:?}");
        }
    }

    #[test]
    fn a_state_of_four_halves_is_the_same_state() {
        let state = ints(DType::U32, [4], &[1, 2, 3, 4]);
        let (next, bits) = draw(RngAlgorithm::Philox, &state, &Type::new(DType::U32, [3]));
        assert_eq!((next, bits), (vec![1, 2, 4, 4], vec![512747620, 1298009047, 1267190206]));
    }

    #[test]
    fn empty_tensors_do_not_advance_the_counter() {
        let state = ints(DType::U64, [2], &[1, 2]);
        for algorithm in RngAlgorithm::ALL {
            assert_eq!(draw(algorithm, &state, &Type::new(DType::U32, [3, 0])), (vec![1, 2], vec![]));
        }
    }

    #[test]
    fn mismatches_are_errors() {
        let bad = Type::new(DType::U64, [4]);
        let op = RngBits { algorithm: RngAlgorithm::Threefry };
        let error = op.infer(&Program::default(), &[&bad], &[&bad, &bad]).unwrap_err();
        assert_eq!(error, "takes a state u64[2] or u32[4], not u64[4]");
    }
}
