//! Lowering of loops: `while_loop`, `scan`, `map` and `associative_scan`.

use super::graph::{Importer, tensor_names};
use super::lowering::{LoweringError, Parts, malformed, unsupported};
use crate::schema::{Argument, Graph};
use partita_ir::arena::ValueId;
use partita_ir::build::{LoopBody, Scan, Trip};
use partita_ir::class::Class;
use partita_ir::dtype::{DType, Shape, Type};

/// Returns tensors as values. Errors: one of them is complex.
fn real(parts: Vec<Parts>) -> Result<Vec<ValueId>, LoweringError> {
    let value = |parts| match parts {
        Parts::Real(value) => Ok(value),
        Parts::Complex(_) => unsupported("complex numbers"),
    };
    parts.into_iter().map(value).collect()
}

/// Returns values as tensors.
fn parts(values: &[ValueId]) -> Vec<Parts> {
    values.iter().copied().map(Parts::Real).collect()
}

impl<'m> Importer<'m, '_> {
    /// Returns the tensors of operands, none of which is complex.
    fn real_tensors(&self, operands: &[&'m Argument]) -> Result<Vec<ValueId>, LoweringError> {
        real(self.tensors_of(operands)?)
    }

    /// Lowers a graph as the body of a loop. Errors: its results are complex, or it draws random numbers, which are
    /// functions of the key of the program.
    fn loop_body(&mut self, graph: &'m Graph, values: &[ValueId]) -> Result<Vec<ValueId>, LoweringError> {
        let visited_ops = self.cx.enter_loop(values.iter().copied());
        let results = self.called(graph, &parts(values));
        self.cx.leave_loop(visited_ops);
        let program = &self.cx.b.program;
        if self.cx.b.body.iter().any(|&op| program.ops[op].kind.class() == Class::Random) {
            return unsupported("random numbers");
        }
        real(results?)
    }

    /// Lowers a loop that ends when a condition on its state is false.
    pub(super) fn while_loop(
        &mut self,
        [condition, step]: [&'m Graph; 2],
        state: &'m Argument,
        constants: &[&'m Argument],
    ) -> Result<Vec<Parts>, LoweringError> {
        let (state, constants) = (self.real_tensors(&[state])?, self.real_tensors(constants)?);
        let all: Vec<ValueId> = state.iter().chain(&constants).copied().collect();
        let is_first = self.called(condition, &parts(&all))?;
        let is_first = self.truth(real(is_first)?)?;
        let mut body = LoopBody::begin(&mut self.cx.b, "while");
        let goes_on = body.carry(&mut self.cx.b, is_first);
        let inputs: Vec<ValueId> = state.iter().map(|&value| body.carry(&mut self.cx.b, value)).collect();
        let captured: Vec<ValueId> = constants.iter().map(|&value| body.capture(&mut self.cx.b, value)).collect();
        let mut run = || -> Result<Vec<(ValueId, ValueId)>, LoweringError> {
            let next = self.loop_body(step, &[&inputs[..], &captured].concat())?;
            if next.len() != inputs.len() {
                return malformed(format!("has {} values of state, and {} next ones", inputs.len(), next.len()));
            }
            let is_next = self.loop_body(condition, &[&next[..], &captured].concat())?;
            let is_next = self.truth(is_next)?;
            Ok(inputs.iter().copied().zip(next).chain([(goes_on, is_next)]).collect())
        };
        match run() {
            Ok(next) => {
                let trip = Trip::While { condition: goes_on, limit: None };
                let outs = body.finish(&mut self.cx.b, trip, &next)?;
                Ok(inputs.into_iter().map(|input| Parts::Real(outs.of_input(input))).collect())
            }
            Err(error) => {
                body.abandon(&mut self.cx.b);
                Err(error)
            }
        }
    }

    /// Returns the only result of a condition as a boolean scalar.
    fn truth(&mut self, results: Vec<ValueId>) -> Result<ValueId, LoweringError> {
        let &[result] = &results[..] else { return malformed(format!("has {} conditions", results.len())) };
        let result = self.cx.converted(result, DType::Bool);
        Ok(self.cx.b.checked_reshape(result, Shape::scalar())?)
    }

    /// Lowers a loop over the first dimension of sequences, with state or without. Results are the last state, and
    /// those of all steps.
    pub(super) fn scan(
        &mut self,
        step: &'m Graph,
        state: Option<&'m Argument>,
        sequences: &'m Argument,
        constants: &[&'m Argument],
    ) -> Result<Vec<Parts>, LoweringError> {
        let state = state.map_or(Ok(Vec::new()), |state| self.real_tensors(&[state]))?;
        let (sequences, constants) = (self.real_tensors(&[sequences])?, self.real_tensors(constants)?);
        let mut results = Vec::new();
        for name in step.outputs.iter().flat_map(tensor_names).skip(state.len()) {
            let meta = step.tensor_values.get(name).and_then(|meta| meta.ty().ok());
            let Some(ty) = meta else { return malformed(format!("computes `{name}`, whose type is not stated")) };
            results.push(ty.part);
        }
        let split = state.len();
        let (last, all) = self.scanned(step, [&state, &sequences, &constants], &results, split)?;
        Ok(parts(&[last, all].concat()))
    }

    /// Appends a scan over the first dimension of sequences. The results of a step with the given types follow `split`
    /// results of the graph, and its next state precedes as many as there are.
    fn scanned(
        &mut self,
        step: &'m Graph,
        [state, sequences, constants]: [&[ValueId]; 3],
        results: &[Type],
        split: usize,
    ) -> Result<(Vec<ValueId>, Vec<ValueId>), LoweringError> {
        let lengths = sequences.iter().map(|&x| self.cx.shape(x).first().copied());
        let lengths = lengths.collect::<Option<Vec<usize>>>().unwrap_or_default();
        let Some(&steps) = lengths.first().filter(|first| lengths.iter().all(|n| n == *first) && **first > 0) else {
            return malformed("has sequences of unequal or no lengths");
        };
        let scan = Scan { name: "scan", steps, reverse: false, state, sequences, constants, results };
        let (body, operands) = scan.begin(&mut self.cx.b);
        let values = [operands.state, operands.elements, operands.constants].concat();
        let checked = self.loop_body(step, &values).and_then(|outs| {
            let matches = |(&value, ty): (&ValueId, &Type)| self.cx.b.ty(value) == *ty;
            match outs.len() == split + results.len() && outs[split..].iter().zip(results).all(matches) {
                true => Ok(outs),
                false => malformed("has other results than the archive states"),
            }
        });
        match checked {
            Ok(outs) => Ok(body.finish(&mut self.cx.b, &outs[..state.len()], &outs[split..])?),
            Err(error) => {
                body.abandon(&mut self.cx.b);
                Err(error)
            }
        }
    }

    /// Lowers the combinations of all elements up to each one along the first dimension.
    pub(super) fn associative_scan(
        &mut self,
        step: &'m Graph,
        sequences: &'m Argument,
        constants: &[&'m Argument],
    ) -> Result<Vec<Parts>, LoweringError> {
        let (sequences, constants) = (self.real_tensors(&[sequences])?, self.real_tensors(constants)?);
        let mut first = Vec::new();
        let mut rest = Vec::new();
        for &x in &sequences {
            let shape = self.cx.shape(x);
            let Some((&n, element)) = shape.split_first().filter(|(n, _)| **n > 0) else {
                return malformed(format!("combines the elements of {shape}"));
            };
            if n == 1 {
                return Ok(parts(&sequences));
            }
            let head = self.cx.b.slice_dim(x, 0, 0, 1);
            first.push(self.cx.b.checked_reshape(head, Shape::from(element))?);
            rest.push(self.cx.b.slice_dim(x, 0, 1, n));
        }
        // The state is also the result of a step.
        let types: Vec<Type> = first.iter().map(|&value| self.cx.b.ty(value)).collect();
        let (_, states) = self.scanned(step, [&first, &rest, &constants], &types, 0)?;
        let joined = first.into_iter().zip(states).map(|(first, others)| {
            let head = self.cx.b.unsqueeze(first, 0);
            Parts::Real(self.cx.b.concatenate(&[head, others], 0))
        });
        Ok(joined.collect())
    }
}
