//! Sensitivity of a program to rounding errors, measured by random perturbation of every op's results.
//!
//! Stochastic arithmetic (Vignes, *A stochastic arithmetic for reliable scientific computation*, 1993): the result of
//! each op is computed in `f64`, perturbed at random by a few units of roundoff of the program's element type, and
//! rounded to that type. A result that the type represents exactly is unchanged, so that integers, masks and moved
//! elements are not disturbed. The distance between these outputs and the `f64` outputs estimates the rounding error of
//! each element, for any order of summation.

use super::{Interpreter, widen};
use crate::dtype::DType;
use crate::program::{Op, Program};
use crate::tensor::{Data, Scalar, Tensor, wrap};
use std::cell::Cell;

/// Maximum relative perturbation of a result, in units of roundoff of its element type: about the difference between
/// two summation orders.
const MAX_PERTURBATION_UNITS: f64 = 8.0;

/// Evaluates a program on one device in `f64`, with random rounding of each op's results to the program's element
/// types. Inputs and outputs are those of the [`widen`]ed program.
///
/// # Errors
/// Same as [`run`](super::run).
pub fn run_perturbed(program: &Program, inputs: Vec<Tensor>, seed: u64) -> Result<Vec<Tensor>, String> {
    let wide = widen(program);
    let perturbation = Perturbation { program, state: Cell::new(seed) };
    Interpreter { program: &wide, place: None, depth: 0, perturbation: Some(&perturbation) }.func(wide.main, inputs)
}

/// Random rounding to the element types of a program.
pub(super) struct Perturbation<'a> {
    /// The program before widening.
    program: &'a Program,
    state: Cell<u64>,
}

impl Perturbation<'_> {
    /// Perturbs the results of an op of the widened program and rounds them to the original element types.
    pub(super) fn round(&self, op: &Op, outs: &mut [Tensor]) {
        for (&value, out) in op.outs.iter().zip(outs) {
            // Values added by widening are not rounded.
            let Some(dtype) = self.program.values.get(value).map(|value| value.ty.dtype) else { continue };
            let (Some(unit), Data::F64(items)) = (dtype.roundoff(), &mut out.data) else { continue };
            for x in items.iter_mut().filter(|x| x.is_finite()) {
                let round = |x: f64| wrap(dtype, Scalar::Float(x)).to_f64();
                // A result that `f32` represents is most likely exact in `f64`, too.
                let is_exact = if dtype == DType::F64 { f64::from(*x as f32) == *x } else { round(*x) == *x };
                if !is_exact {
                    *x = round(*x * (1.0 + MAX_PERTURBATION_UNITS * unit * self.draw()));
                }
            }
        }
    }

    /// Returns a pseudo-random number in `[-1, 1)` (SplitMix64; Steele, Lea and Flood 2014).
    fn draw(&self) -> f64 {
        let state = self.state.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.state.set(state);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Source;
    use crate::interp::{run, widen_tensors};
    use crate::program::ops::testing::floats;
    use crate::text::parse;

    /// Returns the relative errors of the perturbed outputs of `body` on `x`.
    fn relative_errors(body: &str, x: &[f64]) -> Vec<f64> {
        let n = x.len();
        let text = format!("form traced\ninput %x : f32[{n}]\n{}\noutput %y\n", body.replace("[n]", &format!("[{n}]")));
        let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
        let inputs = widen_tensors(&[floats(DType::F32, [n], x)]);
        let exact = run(&widen(&program), inputs.clone()).unwrap().remove(0);
        let got = run_perturbed(&program, inputs, 1).unwrap().remove(0);
        let pairs = got.scalars().zip(exact.scalars()).map(|(a, b)| (a.to_f64(), b.to_f64()));
        pairs.map(|(a, b)| (a - b).abs() / b.abs().max(1e-30)).collect()
    }

    #[test]
    fn results_move_by_a_few_units() {
        let off = relative_errors("  %y = exp %x : f32[n]", &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        let unit = 2f64.powi(-24);
        assert!(off.iter().all(|e| *e < 10.0 * unit) && off.iter().any(|e| *e > unit), "{off:?}");
    }

    #[test]
    fn integers_and_moved_elements_are_unchanged() {
        let body = "  %a = add %x, %x : f32[n]\n  %b = mul %a, %a : f32[n]\n  %y = reverse [0] %b : f32[n]";
        assert_eq!(relative_errors(body, &[1.0, 2.0, 3.0]), [0.0; 3]);
    }

    #[test]
    fn cancellation_amplifies_the_perturbation() {
        // The same number computed by two different expressions.
        let body = "  %a = exp %x : f32[n]\n  %b = neg %x : f32[n]\n  %c = exp %b : f32[n]\n  %d = reciprocal %c : f32[n]\n  %y = sub %a, %d : f32[n]";
        let off = relative_errors(body, &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        assert!(off.iter().any(|e| *e > 1.0), "{off:?}");
    }
}
