//! `fft`: discrete Fourier transforms of the last dimensions.

use crate::dtype::{Shape, Type};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::matrices::{batch_rule, results, same_parts};
use crate::rule::Rule;
use crate::tensor::Tensor;
use crate::word_attr;
use partita_linalg::{Complex64, fourier};

op! {
    /// The discrete Fourier transform of the last dimensions of a tensor. Operands and results: real numbers, or real
    /// and imaginary parts of complex numbers.
    Fft = "fft" {
        /// The direction, and which side is real.
        "" transform: Transform,
        /// Sizes of the transformed dimensions, on the real side if there is one.
        "length" lengths: Vec<usize>,
    }
}

/// Kind of a Fourier transform.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Transform {
    /// Complex numbers to complex numbers, without a factor.
    #[default]
    Forward,
    /// The inverse of `Forward`, which divides by the number of transformed elements.
    Inverse,
    /// Real numbers to the first half of the last dimension; the other half is determined by symmetry.
    RealForward,
    /// The inverse of `RealForward`. Imaginary parts that contradict the symmetry are ignored.
    RealInverse,
}

impl Transform {
    /// All kinds.
    pub const ALL: [Transform; 4] =
        [Transform::Forward, Transform::Inverse, Transform::RealForward, Transform::RealInverse];

    /// Returns the name in program text.
    pub fn name(self) -> &'static str {
        match self {
            Transform::Forward => "forward",
            Transform::Inverse => "inverse",
            Transform::RealForward => "real_forward",
            Transform::RealInverse => "real_inverse",
        }
    }

    /// Returns the numbers of parts of the operand and of the result.
    fn parts(self) -> (usize, usize) {
        match self {
            Transform::Forward | Transform::Inverse => (2, 2),
            Transform::RealForward => (1, 2),
            Transform::RealInverse => (2, 1),
        }
    }
}

word_attr!(Transform, "a transform (forward, inverse, real_forward, real_inverse)", Transform::ALL);

/// Returns the number of elements of the first half of a transform of `n` real numbers.
fn half(n: usize) -> usize {
    if n == 0 { 0 } else { n / 2 + 1 }
}

impl Fft {
    /// Returns the sizes of the transformed dimensions of the operand and of the result.
    fn sizes(&self) -> (Vec<usize>, Vec<usize>) {
        let mut halved = self.lengths.clone();
        if let Some(last) = halved.last_mut() {
            *last = half(*last);
        }
        match self.transform {
            Transform::Forward | Transform::Inverse => (self.lengths.clone(), self.lengths.clone()),
            Transform::RealForward => (self.lengths.clone(), halved),
            Transform::RealInverse => (halved, self.lengths.clone()),
        }
    }
}

impl Operation for Fft {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let (parts, result_parts) = self.transform.parts();
        if args.len() != parts {
            return Err(format!("takes a number in {parts} parts, not {}", args.len()));
        }
        let ty = same_parts(args)?;
        if self.lengths.is_empty() {
            return Err("needs `length`, the sizes of the transformed dimensions".into());
        }
        let (expected, result) = self.sizes();
        let transformed = ty.shape.len().checked_sub(expected.len()).map(|batch| ty.shape.split_at(batch));
        match transformed {
            Some((batch, found)) if found == expected => {
                let shape: Shape = batch.iter().copied().chain(result).collect();
                results((0..result_parts).map(|_| Type { shape: shape.clone(), dtype: ty.dtype }))
            }
            _ => {
                let expected: Shape = expected.into_iter().collect();
                Err(format!("needs an operand whose last dimensions are {expected}, not {ty}"))
            }
        }
    }

    fn class(&self) -> Class<'_> {
        Class::LinearAlgebra
    }

    /// The batch passes through; transformed dimensions are replicated.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        batch_rule(args[0].shape.rank() - self.lengths.len(), args, outs).linear_in(0..args.len())
    }

    /// `5 n log2(n)` for complex numbers, half of it if one side is real.
    fn flops(&self, args: &[&Type], outs: &[&Type]) -> u64 {
        let count = args.iter().chain(outs).map(|ty| ty.shape.count()).max().unwrap_or(0);
        let transformed = self.lengths.iter().product::<usize>().max(1) as f64;
        let per_element = match self.transform {
            Transform::Forward | Transform::Inverse => 5.0,
            Transform::RealForward | Transform::RealInverse => 2.5,
        };
        (per_element * count as f64 * transformed.log2()) as u64
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let part = |i: usize| args.get(i).map(|x| x.scalars().map(|x| x.to_f64()));
        let mut data: Vec<Complex64> = match (part(0), part(1)) {
            (Some(re), Some(im)) => re.zip(im).map(|(re, im)| Complex64 { re, im }).collect(),
            (Some(re), None) => re.map(Complex64::from).collect(),
            (None, _) => return Err("needs an operand".into()),
        };
        let n = self.lengths.last().copied().unwrap_or(0);
        match self.transform {
            Transform::Forward => fourier(&mut data, &self.lengths, 1, false),
            Transform::Inverse => fourier(&mut data, &self.lengths, 1, true),
            Transform::RealForward => {
                fourier(&mut data, &self.lengths, 1, false);
                data = data.chunks_exact(n.max(1)).flat_map(|line| &line[..half(n)]).copied().collect();
            }
            Transform::RealInverse => {
                let outer = self.lengths.len().saturating_sub(1);
                fourier(&mut data, &self.lengths[..outer], half(n), true);
                data = data.chunks_exact(half(n).max(1)).flat_map(|line| with_second_half(line, n)).collect();
                fourier(&mut data, &[n], 1, true);
            }
        }
        let parts = [data.iter().map(|x| x.re).collect(), data.iter().map(|x| x.im).collect()];
        Ok(outs.iter().zip(parts).map(|(ty, part)| Tensor::from_floats((*ty).clone(), part)).collect())
    }
}

/// Returns the transform of `n` real numbers, given its first half. Element 0 and the middle of an even number of
/// elements are real.
fn with_second_half(line: &[Complex64], n: usize) -> impl Iterator<Item = Complex64> + '_ {
    (0..n).map(move |i| match i {
        _ if 2 * i == n || i == 0 => Complex64::from(line[i].re),
        _ if 2 * i < n => line[i],
        _ => line[n - i].conj(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats, infer_error};

    fn fft(transform: Transform, lengths: &[usize]) -> Fft {
        Fft { transform, lengths: lengths.to_vec() }
    }

    /// Numbers without symmetry.
    fn numbers(shape: &[usize], seed: usize) -> Tensor {
        let count = shape.iter().product::<usize>();
        let items: Vec<f64> = (0..count).map(|i| ((i * 7 + seed * 5) % 11) as f64 - 4.0).collect();
        floats(DType::F64, shape, &items)
    }

    /// The definition: the transform along the last dimension.
    fn definition(re: &Tensor, im: Option<&Tensor>) -> [Vec<f64>; 2] {
        let n = re.ty.shape[re.ty.shape.rank() - 1];
        let mut sums = [Vec::new(), Vec::new()];
        for line in 0..re.ty.shape.count() / n {
            for k in 0..n {
                let (mut sum_re, mut sum_im) = (0.0, 0.0);
                for j in 0..n {
                    let (sin, cos) = (-std::f64::consts::TAU * (j * k) as f64 / n as f64).sin_cos();
                    let a = re.get(line * n + j).to_f64();
                    let b = im.map_or(0.0, |im| im.get(line * n + j).to_f64());
                    sum_re += a * cos - b * sin;
                    sum_im += a * sin + b * cos;
                }
                sums[0].push(sum_re);
                sums[1].push(sum_im);
            }
        }
        sums
    }

    fn assert_close(found: &Tensor, expected: &[f64]) {
        assert_eq!(found.ty.shape.count(), expected.len());
        for (x, y) in found.scalars().zip(expected) {
            assert!((x.to_f64() - y).abs() < 1e-12, "{found:?} is not {expected:?}");
        }
    }

    #[test]
    fn transforms_as_defined() {
        for n in [1, 2, 5, 8] {
            let (re, im) = (numbers(&[3, n], 0), numbers(&[3, n], 1));
            let [expected_re, expected_im] = definition(&re, Some(&im));
            let out = eval(fft(Transform::Forward, &[n]), &[re.clone(), im]);
            assert_close(&out[0], &expected_re);
            assert_close(&out[1], &expected_im);
            let [expected_re, expected_im] = definition(&re, None);
            let first = |x: &[f64]| -> Vec<f64> { x.chunks(n).flat_map(|line| &line[..half(n)]).copied().collect() };
            let out = eval(fft(Transform::RealForward, &[n]), &[re]);
            assert_close(&out[0], &first(&expected_re));
            assert_close(&out[1], &first(&expected_im));
        }
    }

    #[test]
    fn inverses_invert() {
        for lengths in [&[4][..], &[5], &[2, 3], &[3, 4], &[2, 3, 4]] {
            let shape: Vec<usize> = [&[2][..], lengths].concat();
            let (re, im) = (numbers(&shape, 0), numbers(&shape, 1));
            let there = eval(fft(Transform::Forward, lengths), &[re.clone(), im.clone()]);
            let back = eval(fft(Transform::Inverse, lengths), &there);
            assert_close(&back[0], &re.scalars().map(|x| x.to_f64()).collect::<Vec<_>>());
            assert_close(&back[1], &im.scalars().map(|x| x.to_f64()).collect::<Vec<_>>());
            let there = eval(fft(Transform::RealForward, lengths), std::slice::from_ref(&re));
            let back = eval(fft(Transform::RealInverse, lengths), &there);
            assert_close(&back[0], &re.scalars().map(|x| x.to_f64()).collect::<Vec<_>>());
        }
        let empty = floats(DType::F32, [2, 0], &[]);
        assert_eq!(eval(fft(Transform::RealForward, &[0]), &[empty])[0].ty.shape[..], [2, 0]);
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::F32, [2, 6]);
        assert_eq!(infer_error(fft(Transform::Forward, &[6]), &[&x]), "takes a number in 2 parts, not 1");
        let error = "needs an operand whose last dimensions are [5], not f32[2, 6]";
        assert_eq!(infer_error(fft(Transform::RealForward, &[5]), &[&x]), error);
        let error = "needs `length`, the sizes of the transformed dimensions";
        assert_eq!(infer_error(fft(Transform::RealForward, &[]), &[&x]), error);
        let error = "needs an operand whose last dimensions are [1, 2, 6], not f32[2, 6]";
        assert_eq!(infer_error(fft(Transform::Forward, &[1, 2, 6]), &[&x, &x]), error);
    }

    #[test]
    fn rules_hold() {
        let (re, im) = (numbers(&[2, 3], 0), numbers(&[2, 3], 1));
        let op = fft(Transform::RealForward, &[3]);
        let out = Type::new(DType::F64, [2, 2]);
        assert_eq!(
            op.rule(&[&re.ty], &[&out, &out]).to_string(),
            "([a,b])->([a,c],[a,d]) {a=2,b=3,c=2,d=2} \
             kinds={b:need_replication,c:need_replication,d:need_replication} linear=[{0}]"
        );
        assert_rule_holds(op, std::slice::from_ref(&re));
        assert_rule_holds(fft(Transform::Forward, &[3]), &[re.clone(), im.clone()]);
        assert_rule_holds(fft(Transform::Inverse, &[3]), &[re.clone(), im.clone()]);
        assert_rule_holds(fft(Transform::RealInverse, &[4]), &[re, im]);
    }
}
