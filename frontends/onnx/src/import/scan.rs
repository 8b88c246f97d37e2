//! Loops over the elements of sequences, used by the lowering of recurrent operations.

use super::check_types;
use super::lowering::{Lowering, LoweringError};
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, DynamicSlice, DynamicUpdateSlice, Loop};
use partita_ir::program::{Func, Output};
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

impl Scan<'_> {
    /// Appends the loop. Returns the final state, and the results of all steps, `[steps, ..]`.
    pub fn lower(
        &self,
        cx: &mut Lowering<'_>,
        step: impl FnOnce(&mut Lowering<'_>, Step<'_>) -> StepResult,
    ) -> Result<(Vec<ValueId>, Vec<ValueId>), LoweringError> {
        let counter = cx.b.scalar(DType::I32, Scalar::Int(0));
        let mut carried = vec![counter];
        carried.extend([self.state, self.sequences, self.constants].concat());
        for ty in self.results {
            let all: Shape = [self.steps].iter().chain(ty.shape.iter()).copied().collect();
            carried.push(cx.b.splat(Type::new(ty.dtype, all), Scalar::Int(0)));
        }
        let types: Vec<Type> = carried.iter().map(|&value| cx.b.ty(value)).collect();
        let body = self.body(cx, &types, step)?;
        let outs = cx.b.op_many(self.name, Loop::counted(self.steps as u64, body), &carried, &types);
        let state = outs[1..1 + self.state.len()].to_vec();
        Ok((state, outs[outs.len() - self.results.len()..].to_vec()))
    }

    /// Adds the function of a step to the program.
    fn body(
        &self,
        cx: &mut Lowering<'_>,
        types: &[Type],
        step: impl FnOnce(&mut Lowering<'_>, Step<'_>) -> StepResult,
    ) -> Result<partita_ir::arena::FuncId, LoweringError> {
        let mut names = Namer::default();
        let (phase, origin) = (cx.b.phase, cx.b.origin.clone());
        let number = cx.b.program.funcs.len();
        let program = &mut *cx.b.program;
        let inputs: Vec<ValueId> = types
            .iter()
            .map(|ty| {
                let name = names.fresh("carried");
                program.value(name, ty.clone())
            })
            .collect();
        let mut body = Lowering::new(Builder::new(program, &mut names));
        (body.b.phase, body.b.origin) = (phase, origin);
        let (states, sequences) = (self.state.len(), self.sequences.len());
        let constants = 1 + states + sequences;
        let results = constants + self.constants.len();
        let counter = inputs[0];
        let index = match self.reverse {
            false => counter,
            true => {
                let last = body.b.splat_like(counter, Scalar::Int(self.steps as i64 - 1));
                body.b.binary(BinaryOp::Sub, last, counter)
            }
        };
        let zero = body.b.scalar(DType::I32, Scalar::Int(0));
        let at = |rank: usize| std::iter::once(index).chain(std::iter::repeat_n(zero, rank - 1));
        let mut elements = Vec::new();
        for &sequence in &inputs[1 + states..constants] {
            let shape = body.shape(sequence);
            let sizes = std::iter::once(1).chain(shape[1..].iter().copied()).collect();
            let args: Vec<ValueId> = std::iter::once(sequence).chain(at(shape.rank())).collect();
            let element = body.op("element", DynamicSlice { sizes }, &args)?;
            elements.push(body.b.reshape(element, Shape::from(&shape[1..])));
        }
        let operands =
            Step { index, state: &inputs[1..1 + states], elements: &elements, constants: &inputs[constants..results] };
        let (state, step_results) = step(&mut body, operands)?;
        let next = body.b.binary_scalar(BinaryOp::Add, counter, 1.0);
        let mut outputs = vec![next];
        outputs.extend(state);
        outputs.extend(&inputs[1 + states..results]);
        for (&all, result) in inputs[results..].iter().zip(step_results) {
            let mut shape = body.shape(result);
            shape.0.insert(0, 1);
            let element = body.b.reshape(result, shape.clone());
            let args: Vec<ValueId> = [all, element].into_iter().chain(at(shape.rank())).collect();
            outputs.push(body.op("updated", DynamicUpdateSlice {}, &args)?);
        }
        let ops = body.b.body;
        check_types(cx.b.program, &ops)?;
        let output = |(i, value): (usize, ValueId)| Output { value, name: format!("o{i}").into(), alias: None };
        let outputs = outputs.into_iter().enumerate().map(output).collect();
        let name = format!("{}_{number}", self.name);
        Ok(cx.b.program.funcs.push(Func::new(name, inputs, outputs, ops)))
    }
}
