//! Loops over the elements of sequences, as recurrent layers have them.

use super::{Builder, LoopBody, OpTypeError, Trip};
use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::ops::{BinaryOp, DynamicSlice, DynamicUpdateSlice};
use crate::tensor::Scalar;

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
pub struct ScanStep {
    /// Index of the element in the sequences, a scalar `i32`.
    pub index: ValueId,
    /// State before the step.
    pub state: Vec<ValueId>,
    /// Elements of the sequences, without their first dimension.
    pub elements: Vec<ValueId>,
    /// Values that every step reads.
    pub constants: Vec<ValueId>,
}

/// The body of a [`Scan`] under construction. From [`Scan::begin`] until [`ScanBody::finish`] or [`ScanBody::abandon`],
/// ops are appended to it.
pub struct ScanBody {
    body: LoopBody,
    steps: usize,
    index: ValueId,
    counter: ValueId,
    /// Inputs of the body for the state.
    state: Vec<ValueId>,
    /// Inputs of the body for the results `[steps, ..]`.
    results: Vec<ValueId>,
}

/// State after the last step, and the results of all steps, `[steps, ..]`.
pub type ScanResults = (Vec<ValueId>, Vec<ValueId>);

impl Scan<'_> {
    /// Begins the loop. Returns the operands of its step.
    pub fn begin(&self, b: &mut Builder<'_>) -> (ScanBody, ScanStep) {
        let counter = b.scalar(DType::I32, Scalar::Int(0));
        let buffer = |ty: &Type| {
            let all: Shape = [self.steps].iter().chain(ty.shape.iter()).copied().collect();
            b.splat(Type::new(ty.dtype, all), Scalar::Int(0))
        };
        let buffers: Vec<ValueId> = self.results.iter().map(buffer).collect();
        let mut body = LoopBody::begin(b, self.name);
        let mut carry_all = |values: &[ValueId]| values.iter().map(|&v| body.carry(b, v)).collect::<Vec<_>>();
        let counter = carry_all(&[counter])[0];
        let (state, sequences) = (carry_all(self.state), carry_all(self.sequences));
        let (constants, results) = (carry_all(self.constants), carry_all(&buffers));
        let index = b.scan_index(counter, self.steps, self.reverse);
        let elements = sequences.iter().map(|&sequence| b.element_at(sequence, 0, index)).collect();
        let step = ScanStep { index, state: state.clone(), elements, constants };
        (ScanBody { body, steps: self.steps, index, counter, state, results }, step)
    }
}

impl ScanBody {
    /// Ends the loop with the next state and the results of a step.
    ///
    /// # Errors
    /// A part of the state changes its type, or the body contains an invalid op.
    pub fn finish(
        self,
        b: &mut Builder<'_>,
        state: &[ValueId],
        results: &[ValueId],
    ) -> Result<ScanResults, OpTypeError> {
        let mut next = vec![(self.counter, b.binary_scalar(BinaryOp::Add, self.counter, 1.0))];
        next.extend(self.state.iter().copied().zip(state.iter().copied()));
        for (&all, &result) in self.results.iter().zip(results) {
            next.push((all, b.with_element_at(all, 0, self.index, result)));
        }
        let outs = self.body.finish(b, Trip::Counted(self.steps as u64), &next)?;
        let finals = |inputs: &[ValueId]| inputs.iter().map(|&input| outs.of_input(input)).collect();
        Ok((finals(&self.state), finals(&self.results)))
    }

    /// Discards the loop.
    pub fn abandon(self, b: &mut Builder<'_>) {
        self.body.abandon(b);
    }
}

impl Builder<'_> {
    /// Appends the index of the element of a step: `counter`, or its mirror image.
    pub fn scan_index(&mut self, counter: ValueId, steps: usize, reverse: bool) -> ValueId {
        if !reverse {
            return counter;
        }
        let last = self.splat_like(counter, Scalar::Int(steps as i64 - 1));
        self.binary(BinaryOp::Sub, last, counter)
    }

    /// Appends an element of a sequence along a dimension, without this dimension.
    pub fn element_at(&mut self, sequence: ValueId, dim: usize, index: ValueId) -> ValueId {
        let mut ty = self.ty(sequence);
        ty.shape[dim] = 1;
        let sizes = ty.shape.iter().copied().collect();
        let args = [vec![sequence], self.starts(ty.shape.rank(), dim, index)].concat();
        let element = self.op("element", DynamicSlice { sizes }, &args, ty.clone());
        ty.shape.0.remove(dim);
        self.reshape(element, ty.shape)
    }

    /// Appends a sequence with an element replaced along a dimension.
    pub fn with_element_at(&mut self, sequence: ValueId, dim: usize, index: ValueId, element: ValueId) -> ValueId {
        let element = self.unsqueeze(element, dim);
        let ty = self.ty(sequence);
        let args = [vec![sequence, element], self.starts(ty.shape.rank(), dim, index)].concat();
        self.op("updated", DynamicUpdateSlice {}, &args, ty)
    }

    /// Appends the start indices of the slice at `index` along a dimension.
    fn starts(&mut self, rank: usize, dim: usize, index: ValueId) -> Vec<ValueId> {
        let dtype = self.ty(index).dtype;
        let zero = self.scalar(dtype, Scalar::Int(0));
        (0..rank).map(|d| if d == dim { index } else { zero }).collect()
    }
}
