//! Loops over the elements of sequences, used by the lowering of recurrent operations.

use super::loop_body::{LoopBody, Trip};
use super::lowering::{Lowering, LoweringError};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, DynamicSlice, DynamicUpdateSlice};
use partita_ir::tensor::Scalar;

/// A loop over the first dimension of sequences.
pub struct Scan<'s> {
    /// Name of the loop in the program.
    pub name: &'static str,
    /// Number of elements.
    pub steps: usize,
    /// True if the last element is the first one.
    pub reverse: bool,
    /// Initial values of the state.
    pub state: &'s [ValueId],
    /// Sequences `[steps, ..]`, of which each step reads one element.
    pub sequences: &'s [ValueId],
    /// Values that every step reads.
    pub constants: &'s [ValueId],
    /// Types of the results of each step.
    pub results: &'s [Type],
}

/// Operands of a step.
pub struct Step<'s> {
    /// Index of the element in the sequences, a scalar `i32`.
    pub index: ValueId,
    pub state: &'s [ValueId],
    /// Elements of the sequences, without their first dimension.
    pub elements: &'s [ValueId],
    pub constants: &'s [ValueId],
}

/// New state and results of a step.
pub type StepResult = Result<(Vec<ValueId>, Vec<ValueId>), LoweringError>;

/// Inputs of the body of a [`Scan`].
struct Inputs {
    counter: ValueId,
    state: Vec<ValueId>,
    sequences: Vec<ValueId>,
    constants: Vec<ValueId>,
    /// Buffers of the results `[steps, ..]`.
    results: Vec<ValueId>,
}

impl Scan<'_> {
    /// Appends the loop. Returns the final state, and the results of all steps, `[steps, ..]`.
    pub fn lower(
        &self,
        cx: &mut Lowering<'_>,
        step: impl FnOnce(&mut Lowering<'_>, Step<'_>) -> StepResult,
    ) -> Result<(Vec<ValueId>, Vec<ValueId>), LoweringError> {
        let counter = cx.b.scalar(DType::I32, Scalar::Int(0));
        let buffer = |ty: &Type| {
            let all: Shape = [self.steps].iter().chain(ty.shape.iter()).copied().collect();
            cx.b.splat(Type::new(ty.dtype, all), Scalar::Int(0))
        };
        let buffers: Vec<ValueId> = self.results.iter().map(buffer).collect();
        let mut body = LoopBody::begin(cx, self.name);
        let mut carry_all = |values: &[ValueId]| values.iter().map(|&v| body.carry(cx, v)).collect::<Vec<_>>();
        let inputs = Inputs {
            counter: carry_all(&[counter])[0],
            state: carry_all(self.state),
            sequences: carry_all(self.sequences),
            constants: carry_all(self.constants),
            results: carry_all(&buffers),
        };
        let next = match self.body(cx, &inputs, step) {
            Ok(next) => next,
            Err(error) => {
                body.abandon(cx);
                return Err(error);
            }
        };
        let results = body.finish(cx, Trip::Counted(self.steps as u64), &next)?;
        let finals = |inputs: &[ValueId]| inputs.iter().map(|&input| results.of_input(input)).collect();
        Ok((finals(&inputs.state), finals(&inputs.results)))
    }

    /// Appends a step. Returns the inputs of the body that change, with their next values.
    fn body(
        &self,
        cx: &mut Lowering<'_>,
        inputs: &Inputs,
        step: impl FnOnce(&mut Lowering<'_>, Step<'_>) -> StepResult,
    ) -> Result<Vec<(ValueId, ValueId)>, LoweringError> {
        let index = index(cx, inputs.counter, self.steps, self.reverse);
        let mut elements = Vec::new();
        for &sequence in &inputs.sequences {
            elements.push(element(cx, sequence, 0, index)?);
        }
        let operands = Step { index, state: &inputs.state, elements: &elements, constants: &inputs.constants };
        let (state, step_results) = step(cx, operands)?;
        let mut next = vec![(inputs.counter, cx.b.binary_scalar(BinaryOp::Add, inputs.counter, 1.0))];
        next.extend(inputs.state.iter().copied().zip(state));
        for (&all, result) in inputs.results.iter().zip(step_results) {
            next.push((all, updated(cx, all, 0, index, result)?));
        }
        Ok(next)
    }
}

/// Returns the index of the element of a step: `counter`, or its mirror image.
pub fn index(cx: &mut Lowering<'_>, counter: ValueId, steps: usize, reverse: bool) -> ValueId {
    if !reverse {
        return counter;
    }
    let last = cx.b.splat_like(counter, Scalar::Int(steps as i64 - 1));
    cx.b.binary(BinaryOp::Sub, last, counter)
}

/// Returns an element of a sequence along a dimension, without this dimension.
pub fn element(cx: &mut Lowering<'_>, sequence: ValueId, dim: usize, index: ValueId) -> Result<ValueId, LoweringError> {
    let mut shape = cx.shape(sequence);
    let sizes = shape.iter().enumerate().map(|(d, &n)| if d == dim { 1 } else { n }).collect();
    let args = [vec![sequence], starts(cx, shape.rank(), dim, index)].concat();
    let element = cx.op("element", DynamicSlice { sizes }, &args)?;
    shape.0.remove(dim);
    Ok(cx.b.reshape(element, shape))
}

/// Returns a sequence with an element replaced along a dimension.
pub fn updated(
    cx: &mut Lowering<'_>,
    sequence: ValueId,
    dim: usize,
    index: ValueId,
    element: ValueId,
) -> Result<ValueId, LoweringError> {
    let element = cx.b.unsqueeze(element, dim);
    let rank = cx.rank(sequence);
    let args = [vec![sequence, element], starts(cx, rank, dim, index)].concat();
    cx.op("updated", DynamicUpdateSlice {}, &args)
}

/// Returns the start indices of the slice at `index` along a dimension.
fn starts(cx: &mut Lowering<'_>, rank: usize, dim: usize, index: ValueId) -> Vec<ValueId> {
    let dtype = cx.dtype(index);
    let zero = cx.b.scalar(dtype, Scalar::Int(0));
    (0..rank).map(|d| if d == dim { index } else { zero }).collect()
}
