//! Gradients of many random programs: along random directions they must agree with finite differences, and the
//! partitioned gradient program must agree with one device.
//!
//! Differences are evaluated at real numbers, where ties are unlikely, with two step sizes. If their slopes differ, the
//! function has a corner or jump nearby, and the case counts as rough; the tally reports the number of compared cases.
//! Partitioned programs run on integral and on real inputs. If a tie depends on the order of summation, the gradient
//! may flow to another operand; one of three inputs may differ for this reason, and such cases are counted.

use crate::agree::{
    compare_outputs, is_annotation_conflict, join_diagnostics, partition, run_partitioned, run_unpartitioned,
    with_programs,
};
use crate::generate::{Case, GeneratedProgram, Palette, cases};
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::Code;
use partita_ir::dtype::Type;
use partita_ir::interp::{widen, widen_tensors};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Constant, Literal, Reduce};
use partita_ir::program::Program;
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::print;
use partita_ir::verify::verify;
use partita_passes::training::differentiate::gradients;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use std::fmt;

/// Outcomes of the cases.
#[derive(Clone, Copy, Default, Debug)]
pub struct GradientTally {
    /// Nonzero slopes that agreed.
    pub compared: usize,
    /// Slopes that are zero in both computations.
    pub flat: usize,
    /// Slopes near a corner, or that are not finite.
    pub rough: usize,
    /// Programs with an op without an adjoint.
    pub without_adjoint: usize,
    /// Programs without floats, or whose floats do not affect the outputs.
    pub without_gradients: usize,
    /// Programs whose gradients agreed after partitioning.
    pub partitioned: usize,
    /// Programs whose gradients agreed for two of three inputs.
    pub tied: usize,
    /// Programs with contradictory annotations.
    pub rejected: usize,
}

impl fmt::Display for GradientTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GradientTally { compared, flat, rough, without_adjoint, without_gradients, partitioned, tied, rejected } =
            self;
        write!(f, "slopes: {compared} agreed, {flat} zero, {rough} rough; ")?;
        write!(f, "programs: {partitioned} agreed, {tied} agreed except at a tie, {rejected} rejected, ")?;
        write!(f, "{without_adjoint} without an adjoint, {without_gradients} without gradients")
    }
}

impl GradientTally {
    /// Returns true if enough slopes were compared.
    pub fn is_conclusive(&self) -> bool {
        self.compared > self.rough
            && 2 * self.compared > self.flat
            && self.partitioned > self.rejected + self.without_gradients + 20 * self.without_adjoint + 20 * self.tied
    }
}

/// Number of directions in which each program is differentiated.
const DIRECTION_COUNT: u64 = 3;

/// The larger of the two step sizes.
const MAX_STEP_SIZE: f64 = 1e-4;

/// Allowed difference between one device and several, relative to the largest element.
const TOLERANCE: f64 = 1e-7;

/// Generates and checks `count` cases of up to `steps` operations from a seed.
///
/// # Errors
/// The smallest failing case found, with its program.
pub fn check_gradients(count: u32, steps: usize, seed: u64) -> Result<GradientTally, String> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases: count, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
    let tally = RefCell::new(GradientTally::default());
    let ran = TestRunner::new_with_rng(config, rng)
        .run(&cases(steps), |case| check(&case, seed, &mut tally.borrow_mut()).map_err(TestCaseError::fail));
    match ran {
        Ok(()) => Ok(tally.into_inner()),
        Err(TestError::Fail(why, case)) => {
            Err(format!("{why}\n{}", print(&case.draw(&Palette::DIFFERENTIABLE).program)))
        }
        Err(TestError::Abort(why)) => Err(why.to_string()),
    }
}

fn check(case: &Case, seed: u64, tally: &mut GradientTally) -> Result<(), String> {
    let drawn = case.draw(&Palette::DIFFERENTIABLE);
    let program = widen(&drawn.program);
    let Some(backward) = Backward::from_program(&program, tally)? else { return Ok(()) };
    verify(&backward.program).map_err(|errors| with_programs(&join_diagnostics(&errors), &[&backward.program]))?;
    // Stopped gradients are zero where differences are not.
    let is_stopped = program.ops.values().any(|op| op.kind.is_stop_gradient());
    for direction in (0..DIRECTION_COUNT).filter(|_| !is_stopped) {
        let inputs = real_inputs(&drawn, &program, seed.wrapping_add(direction));
        backward
            .check_slope(&program, &inputs, direction, tally)
            .map_err(|why| with_programs(&why, &[&program, &backward.program]))?;
    }
    let parts = match partition(&backward.program) {
        Ok(parts) => parts,
        Err(errors) if is_annotation_conflict(&errors) => {
            tally.rejected += 1;
            return Ok(());
        }
        Err(errors) => return Err(with_programs(&join_diagnostics(&errors), &[&backward.program])),
    };
    let fail = |why: String| with_programs(&why, &[&backward.program, &parts.local]);
    let real = |by| real_inputs(&drawn, &program, seed.wrapping_add(by));
    let mut off = Vec::new();
    for inputs in [widen_tensors(&drawn.inputs(seed)), real(0), real(1)] {
        let want = run_unpartitioned(&backward.program, &inputs)?;
        let got = run_partitioned(&parts.local, &inputs).map_err(fail)?;
        off.extend(compare_outputs(&backward.program, &got, &want, &vec![false; want.len()], TOLERANCE).err());
    }
    match off.pop() {
        Some(why) if !off.is_empty() => Err(fail(why)),
        Some(_) => {
            tally.tied += 1;
            Ok(())
        }
        None => {
            tally.partitioned += 1;
            Ok(())
        }
    }
}

/// A program whose outputs are the gradients of its float inputs.
struct Backward {
    program: Program,
    /// Index of the input whose gradient each output is.
    input_indices: Vec<usize>,
    /// Weight of each element of each output of the original program in the loss; empty for outputs that are not
    /// floats.
    weights: Vec<Vec<f64>>,
}

impl Backward {
    /// Returns `None` if the program has no floats, or an op without an adjoint.
    fn from_program(original: &Program, tally: &mut GradientTally) -> Result<Option<Backward>, String> {
        let mut program = original.clone();
        let (loss, weights) = append_weighted_loss(&mut program);
        let inputs = program.inputs().iter().copied().enumerate();
        let (at, wrt): (Vec<usize>, Vec<ValueId>) = inputs.filter(|&(_, v)| program.ty(v).dtype.is_float()).unzip();
        let Some(loss) = loss.filter(|_| !wrt.is_empty()) else {
            tally.without_gradients += 1;
            return Ok(None);
        };
        let found = match gradients(&mut program, loss, &wrt) {
            Ok(found) => found,
            Err(errors) if errors.iter().all(|e| e.code == Code::D001) => {
                tally.without_adjoint += 1;
                return Ok(None);
            }
            Err(errors) => return Err(join_diagnostics(&errors)),
        };
        program.outputs_mut().clear();
        let mut of = Vec::new();
        for (i, value) in at.into_iter().zip(found).filter_map(|(i, v)| Some((i, v?))) {
            program.output(format!("grad{i}"), value);
            of.push(i);
        }
        tally.without_gradients += usize::from(of.is_empty());
        Ok((!of.is_empty()).then_some(Backward { program, input_indices: of, weights }))
    }

    /// Returns the loss of the original program's results, and the sum of the magnitudes of its terms.
    fn loss(&self, results: &[Tensor]) -> (f64, f64) {
        let terms = results
            .iter()
            .zip(&self.weights)
            .flat_map(|(t, w)| t.scalars().zip(w).map(|(x, w)| x.to_f64() * w).collect::<Vec<_>>());
        terms.fold((0.0, 0.0), |(sum, mass), x| (sum + x, mass + x.abs()))
    }

    /// Compares the slope along a random direction with finite differences.
    fn check_slope(
        &self,
        original: &Program,
        inputs: &[Tensor],
        seed: u64,
        tally: &mut GradientTally,
    ) -> Result<(), String> {
        let mut numbers = RandomNumbers(seed);
        let direction: Vec<Vec<f64>> = inputs
            .iter()
            .map(|t| if t.ty.dtype.is_float() { numbers.uniform(t.ty.shape.count(), -1.0, 1.0) } else { vec![] })
            .collect();
        let moved = |by: f64| -> Result<(f64, f64), String> {
            let step = |(t, d): (&Tensor, &Vec<f64>)| match d.is_empty() {
                true => t.clone(),
                false => {
                    let items = t.scalars().zip(d).map(|(x, d)| x.to_f64() + by * d).collect();
                    Tensor::from_floats(t.ty.clone(), items)
                }
            };
            Ok(self.loss(&run_unpartitioned(original, &inputs.iter().zip(&direction).map(step).collect::<Vec<_>>())?))
        };
        let mut mass = 0.0;
        let mut difference = |step: f64| -> Result<f64, String> {
            let ((ahead, a), (behind, b)) = (moved(step)?, moved(-step)?);
            mass = a.max(b).max(mass);
            Ok((ahead - behind) / (2.0 * step))
        };
        let (wide, narrow) = (difference(MAX_STEP_SIZE)?, difference(MAX_STEP_SIZE / 2.0)?);
        let noise = 1e-9 * (1.0 + mass);
        let got: f64 = run_unpartitioned(&self.program, inputs)?
            .iter()
            .zip(&self.input_indices)
            .flat_map(|(g, &i)| g.scalars().zip(&direction[i]).map(|(g, d)| g.to_f64() * d).collect::<Vec<_>>())
            .sum();
        let smooth = (wide - narrow).abs() <= 1e-4 * wide.abs().max(narrow.abs()) + noise;
        if !smooth || !got.is_finite() || !narrow.is_finite() {
            tally.rough += 1;
            return Ok(());
        }
        // Richardson extrapolation.
        let want = (4.0 * narrow - wide) / 3.0;
        if (got - want).abs() > 1e-3 * want.abs() + 10.0 * noise {
            return Err(format!("slope {got} from gradients, {want} from finite differences"));
        }
        if want.abs() > 100.0 * noise {
            tally.compared += 1;
        } else {
            tally.flat += 1;
        }
        Ok(())
    }
}

/// Adds a weighted sum of all float outputs. Returns the sum and the weights.
fn append_weighted_loss(program: &mut Program) -> (Option<ValueId>, Vec<Vec<f64>>) {
    let outputs: Vec<ValueId> = program.outputs().iter().map(|o| o.value).collect();
    let mut names = Namer::from_program(program);
    let mut body = std::mem::take(program.entry_ops_mut());
    let mut b = Builder::new(program, &mut names);
    let mut loss = None;
    let mut all = Vec::new();
    for (seed, &out) in (1..).zip(&outputs) {
        let ty = b.ty(out);
        let count = if ty.dtype.is_float() { ty.shape.count() } else { 0 };
        let numbers = RandomNumbers(seed).uniform(count, 0.5, 1.5);
        if ty.dtype.is_float() {
            let value = Literal::Dense(numbers.iter().map(|&x| Scalar::Float(x)).collect());
            let weights = b.op("weights", Constant { value }, &[], ty.clone());
            let weighted = b.binary(BinaryOp::Mul, out, weights);
            let dims = (0..ty.shape.rank()).collect();
            let sum = b.op("sum", Reduce { monoid: Monoid::Sum, dims }, &[weighted], Type::new(ty.dtype, []));
            loss = Some(loss.map_or(sum, |loss| b.binary(BinaryOp::Add, loss, sum)));
        }
        all.push(numbers);
    }
    body.append(&mut b.body);
    *program.entry_ops_mut() = body;
    (loss, all)
}

/// Returns inputs in the ranges of the generated program, with real-valued floats.
fn real_inputs(drawn: &GeneratedProgram, program: &Program, seed: u64) -> Vec<Tensor> {
    let mut numbers = RandomNumbers(seed ^ 0x5eed);
    let inputs = drawn.inputs(seed);
    let values = program.inputs().iter().zip(&drawn.ranges).zip(inputs);
    let one = |((&value, &(low, high)), whole): ((&ValueId, &(i64, i64)), Tensor)| {
        let ty = program.ty(value).clone();
        if !ty.dtype.is_float() {
            return whole;
        }
        let items = numbers.uniform(ty.shape.count(), low as f64, high as f64);
        Tensor::from_floats(ty, items)
    };
    values.map(one).collect()
}

/// SplitMix64 (Steele, Lea and Flood 2014), scaled to a range.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn uniform(&mut self, count: usize, low: f64, high: f64) -> Vec<f64> {
        let mut next = || {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
        };
        (0..count).map(|_| next()).collect()
    }
}
