//! Import of `Loop`. A loop becomes a loop of the program: a counted one if the number of iterations is known, or else
//! a `while` loop. It is unrolled if it computes constants, if it carries sequences, or if shapes depend on the
//! iteration.

use super::branches::graph_of;
use super::graph::Importer;
use super::lowering::{LoweringError, malformed, unsupported};
use super::scope::{Binding, Scope};
use crate::proto::{GraphProto, NodeProto};
use crate::tensors::shape_of;
use partita_ir::arena::ValueId;
use partita_ir::build::{LoopBody, Trip};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, Direction};
use partita_ir::tensor::{Scalar, Tensor};

/// Maximum number of iterations of a loop that is unrolled.
const MAX_UNROLLED: u64 = 1 << 12;

/// Maximum number of iterations of a counted loop.
const MAX_TRIP: u64 = 1 << 31;

/// Bound of the number of iterations of a loop.
#[derive(Clone, Copy, Debug)]
enum Bound {
    /// No bound: the loop ends by its condition.
    None,
    Known(u64),
    /// An integer scalar of the program.
    RunTime(ValueId),
}

/// Condition of the first iteration of a loop.
#[derive(Clone, Copy, Debug)]
enum Start {
    Known(bool),
    /// A boolean scalar of the program.
    RunTime(ValueId),
}

/// A `Loop` node with its operands.
struct LoopNode<'m> {
    node: &'m NodeProto,
    graph: &'m GraphProto,
    bound: Bound,
    start: Start,
    /// Initial values of the carried values.
    state: Vec<Binding>,
}

impl<'m> Importer<'m, '_> {
    pub(super) fn import_loop(
        &mut self,
        node: &'m NodeProto,
        inputs: &[Option<&'m str>],
    ) -> Result<Vec<Binding>, LoweringError> {
        let graph = graph_of(node, "body")?;
        let mut state = Vec::new();
        for name in inputs.iter().skip(2) {
            state.push(name.and_then(|name| self.binding(name)).unwrap_or(Binding::Absent));
        }
        if graph.output.len() <= state.len() {
            return malformed(format!("has a body with {} results for {} values", graph.output.len(), state.len()));
        }
        let operand = |i: usize| inputs.get(i).copied().flatten();
        let bound = self.bound(operand(0))?;
        let start = self.start(operand(1))?;
        let looped = LoopNode { node, graph, bound, start, state };
        let sequences = looped.state.iter().any(|value| matches!(value, Binding::Sequence(_) | Binding::Absent));
        let starts = matches!(looped.start, Start::Known(true));
        let constant = starts && !matches!(bound, Bound::RunTime(_)) && self.is_constant(&looped);
        let marks = (self.errors.len(), self.run_time_operands.len());
        if sequences || constant {
            match self.unrolled(&looped) {
                Err(_) if constant && !sequences => self.errors.truncate(marks.0),
                result => return result,
            }
        }
        let first = match self.rolled(&looped) {
            Err(first) if starts && matches!(bound, Bound::Known(1..=MAX_UNROLLED)) => first,
            result => return result,
        };
        // The errors of the loop are reported if it cannot be unrolled either.
        let reported = self.errors.split_off(marks.0);
        self.unrolled(&looped).inspect(|_| self.run_time_operands.truncate(marks.1)).map_err(|_| {
            self.errors.truncate(marks.0);
            self.errors.extend(reported);
            first
        })
    }

    fn bound(&mut self, name: Option<&'m str>) -> Result<Bound, LoweringError> {
        let Some(name) = name else { return Ok(Bound::None) };
        if let Some(tensor) = self.constant_value(name) {
            return match tensor.ty.shape.count() {
                1 => Ok(Bound::Known(tensor.get(0).to_i64().max(0) as u64)),
                _ => malformed(format!("has a number of iterations of {}", tensor.ty)),
            };
        }
        let Some(value) = self.value(name) else { return malformed("has a number of iterations that is no tensor") };
        let value = self.cx.reshape(value, [])?;
        Ok(Bound::RunTime(super::elementwise::converted(&mut self.cx, value, DType::I64)))
    }

    fn start(&mut self, name: Option<&'m str>) -> Result<Start, LoweringError> {
        let Some(name) = name else { return Ok(Start::Known(true)) };
        if let Some(tensor) = self.constant_value(name) {
            return match tensor.ty.shape.count() {
                1 => Ok(Start::Known(!tensor.get(0).is_zero())),
                _ => malformed(format!("has the condition {}", tensor.ty)),
            };
        }
        let Some(value) = self.value(name) else { return malformed("has a condition that is not a tensor") };
        self.condition(value).map(Start::RunTime)
    }

    /// Returns true if all values that a loop reads are constant.
    fn is_constant(&self, looped: &LoopNode<'m>) -> bool {
        // Names that are not bound yet are those of the body.
        looped.node.reads().all(|name| self.lookup(name).is_none() || self.is_known(name))
    }

    /// Imports a loop as a loop of the program.
    fn rolled(&mut self, looped: &LoopNode<'m>) -> Result<Vec<Binding>, LoweringError> {
        let state: Option<Vec<ValueId>> = looped.state.iter().map(|value| self.value_of(value)).collect();
        let Some(state) = state else { return malformed("carries a value that is not a tensor") };
        let zero = self.cx.b.scalar(DType::I64, Scalar::Int(0));
        let first = self.first_condition(looped)?;
        let mut body = LoopBody::begin(&mut self.cx.b, "loop");
        let counter = body.carry(&mut self.cx.b, zero);
        let inputs: Vec<ValueId> = state.iter().map(|&value| body.carry(&mut self.cx.b, value)).collect();
        let iteration = self.shaped_as(looped.graph, 0, Binding::Value(counter));
        let proceed = self.shaped_as(looped.graph, 1, truth());
        let mut args = vec![iteration, proceed];
        args.extend(inputs.iter().copied().map(Binding::Value));
        let (mut body, results) =
            self.in_body(looped.node, looped.graph, body, |importer| importer.import_graph(args))?;
        let (trip, next, scans) = match self.loop_step(looped, &mut body, first, (counter, &inputs), &results) {
            Ok(StepEnd::Iterates { trip, next, scans }) => (trip, next, scans),
            Ok(StepEnd::Never(scans)) => {
                body.abandon(&mut self.cx.b);
                return Ok(looped.state.iter().cloned().chain(scans).collect());
            }
            Err(error) => {
                body.abandon(&mut self.cx.b);
                return Err(error);
            }
        };
        let results = body.finish(&mut self.cx.b, trip, &next)?;
        let finals = inputs.iter().chain(&scans).map(|&input| Binding::Value(results.of_input(input)));
        Ok(finals.collect())
    }

    /// Imports ops into the body of a loop, in a scope of the graph. Errors: those of `import`; the loop is discarded.
    pub(super) fn in_body<R>(
        &mut self,
        node: &'m NodeProto,
        graph: &'m GraphProto,
        body: LoopBody,
        import: impl FnOnce(&mut Self) -> Result<R, LoweringError>,
    ) -> Result<(LoopBody, R), LoweringError> {
        self.scopes.push(Scope::new(graph, Some(node), Some(body)));
        let imported = import(self);
        let Some(body) = self.scopes.pop().and_then(|scope| scope.body) else { return malformed("has no body") };
        match imported {
            Ok(imported) => Ok((body, imported)),
            Err(error) => {
                body.abandon(&mut self.cx.b);
                Err(error)
            }
        }
    }

    /// Returns the condition of the first iteration: a boolean scalar of the function around the loop.
    fn first_condition(&mut self, looped: &LoopNode<'m>) -> Result<ValueId, LoweringError> {
        let first = match looped.start {
            Start::Known(known) => self.cx.b.scalar(DType::Bool, Scalar::Int(known.into())),
            Start::RunTime(value) => value,
        };
        let first = match looped.bound {
            Bound::RunTime(bound) => {
                let positive = self.cx.compare_scalar(bound, Direction::Gt, Scalar::Int(0));
                self.cx.binary(BinaryOp::And, first, positive)?
            }
            Bound::None | Bound::Known(_) => first,
        };
        self.guarded(first)
    }

    /// Appends the end of a step: the next condition and the updates of the scan results.
    fn loop_step(
        &mut self,
        looped: &LoopNode<'m>,
        body: &mut LoopBody,
        first: ValueId,
        (counter, inputs): (ValueId, &[ValueId]),
        results: &[Binding],
    ) -> Result<StepEnd, LoweringError> {
        let (condition, states, scans) = match results {
            [condition, rest @ ..] => (condition, &rest[..inputs.len()], &rest[inputs.len()..]),
            [] => return malformed("has a body without results"),
        };
        let next_counter = self.cx.b.binary_scalar(BinaryOp::Add, counter, 1.0);
        let mut next = vec![(counter, next_counter)];
        for (&input, result) in inputs.iter().zip(states) {
            let Some(value) = self.value_of(result) else { return malformed("carries a value that is not a tensor") };
            next.push((input, value));
        }
        let known = self.constant_of(condition).map(|tensor| !tensor.get(0).is_zero());
        let once = known == Some(false);
        let count = match (looped.start, looped.bound) {
            (Start::Known(false), _) | (_, Bound::Known(0)) => Some(0),
            (Start::Known(true), Bound::Known(_) | Bound::None) if once => Some(1),
            (Start::Known(true), Bound::Known(n)) if known == Some(true) => Some(n),
            (Start::Known(true), Bound::None) if known == Some(true) => {
                return malformed("never ends: it has no number of iterations, and its condition is always true");
            }
            _ => None,
        };
        let results = scans.iter().map(|scan| self.value_of(scan)).collect::<Option<Vec<_>>>();
        let Some(results) = results else { return malformed("collects a value that is not a tensor") };
        let trip = match count {
            Some(0) => return Ok(StepEnd::Never(self.empty_scans(&results)?)),
            Some(n) if n > MAX_TRIP => return unsupported(format!("{n} iterations; at most {MAX_TRIP} are supported")),
            Some(n) => Trip::Counted(n),
            None => {
                let input = body.carry(&mut self.cx.b, first);
                let condition = self.next_condition(looped, body, (known, condition), next_counter)?;
                next.push((input, condition));
                let limit = if let Bound::Known(n) = looped.bound { Some(n) } else { None };
                Trip::While { condition: input, limit }
            }
        };
        let mut buffers = Vec::new();
        for (i, &result) in results.iter().enumerate() {
            let count = match count {
                Some(n) => n as i64,
                None => self.declared_length(looped, inputs.len() + i)?,
            };
            let ty = sequence_type(&self.cx.b.ty(result), count, 0)?;
            let zeros = body.outside(&mut self.cx.b, |b| b.splat(ty, Scalar::Int(0)));
            let buffer = body.carry(&mut self.cx.b, zeros);
            next.push((buffer, self.cx.b.with_element_at(buffer, 0, counter, result)));
            buffers.push(buffer);
        }
        Ok(StepEnd::Iterates { trip, next, scans: buffers })
    }

    /// Returns the scan results of a loop without iterations.
    fn empty_scans(&self, results: &[ValueId]) -> Result<Vec<Binding>, LoweringError> {
        let empty = |&result: &ValueId| {
            let ty = sequence_type(&self.cx.b.ty(result), 0, 0)?;
            Ok(Binding::Constant(Tensor::zeros(ty)))
        };
        results.iter().map(empty).collect()
    }

    /// Returns the condition of the iteration after the current one.
    fn next_condition(
        &mut self,
        looped: &LoopNode<'m>,
        body: &mut LoopBody,
        (known, condition): (Option<bool>, &Binding),
        next_counter: ValueId,
    ) -> Result<ValueId, LoweringError> {
        let condition = match (known, self.value_of(condition)) {
            (Some(known), _) => self.cx.b.scalar(DType::Bool, Scalar::Int(known.into())),
            (None, Some(value)) => self.condition(value)?,
            (None, None) => return malformed("has a condition that is not a tensor"),
        };
        let bound = match looped.bound {
            Bound::None => return Ok(condition),
            Bound::Known(n) => {
                let n = i64::try_from(n).unwrap_or(i64::MAX);
                self.cx.b.splat_like(next_counter, Scalar::Int(n))
            }
            Bound::RunTime(bound) => body.capture(&mut self.cx.b, bound),
        };
        let below = self.cx.b.compare(next_counter, Direction::Lt, bound);
        self.cx.binary(BinaryOp::And, condition, below)
    }

    /// Returns the declared length of a scan result of a loop with an unknown number of iterations.
    fn declared_length(&self, looped: &LoopNode<'m>, result: usize) -> Result<i64, LoweringError> {
        let declared = looped.node.output.get(result).filter(|name| !name.is_empty());
        let scope = &self.scopes[self.scopes.len() - 1];
        if let Some(length) = declared.and_then(|name| scope.declared.size(name, 0)) {
            return Ok(length);
        }
        Err(match (looped.bound, looped.start) {
            (Bound::RunTime(value), _) => LoweringError::NotConstant { operand: "number of iterations", value },
            (_, Start::RunTime(value)) => LoweringError::NotConstant { operand: "condition", value },
            _ => LoweringError::UnsupportedOption(
                "results of each iteration and an unknown number of iterations, because shapes are static".into(),
            ),
        })
    }

    /// Unrolls a loop.
    fn unrolled(&mut self, looped: &LoopNode<'m>) -> Result<Vec<Binding>, LoweringError> {
        self.unrolled_depth += 1;
        let results = self.iterations(looped);
        self.unrolled_depth -= 1;
        results
    }

    /// Imports the iterations of a loop one after the other.
    fn iterations(&mut self, looped: &LoopNode<'m>) -> Result<Vec<Binding>, LoweringError> {
        let run_time = |operand, value| Err(LoweringError::NotConstant { operand, value });
        let mut proceeds = match looped.start {
            Start::Known(known) => known,
            Start::RunTime(value) => return run_time("condition", value),
        };
        let bound = match looped.bound {
            Bound::None => u64::MAX,
            Bound::Known(n) => n,
            Bound::RunTime(value) => return run_time("number of iterations", value),
        };
        let mut state = looped.state.clone();
        let mut scans = vec![Vec::new(); looped.graph.output.len() - 1 - state.len()];
        let mut iteration = 0;
        while proceeds && iteration < bound {
            if iteration == MAX_UNROLLED {
                return unsupported(format!("more than {MAX_UNROLLED} iterations of an unrolled loop"));
            }
            let number = Tensor::from_ints(Type::new(DType::I64, []), vec![iteration as i64]);
            let number = self.shaped_as(looped.graph, 0, Binding::Constant(number));
            let mut args = vec![number, self.shaped_as(looped.graph, 1, truth())];
            args.append(&mut state);
            let results = self.inline(looped.node, looped.graph, args)?;
            let Some((condition, rest)) = results.split_first() else { return malformed("has a body without results") };
            proceeds = match (self.constant_of(condition), condition) {
                (Some(tensor), _) => !tensor.get(0).is_zero(),
                (None, Binding::Value(value)) => return run_time("condition", *value),
                (None, _) => return malformed("has a condition that is not a tensor"),
            };
            state = rest[..looped.state.len()].to_vec();
            scans.iter_mut().zip(&rest[looped.state.len()..]).for_each(|(scan, value)| scan.push(value.clone()));
            iteration += 1;
        }
        for scan in scans {
            if scan.is_empty() {
                return unsupported("results of each iteration, of which there are none");
            }
            state.push(self.stacked(&scan, 0)?);
        }
        Ok(state)
    }

    /// Converts a scalar to the declared rank of an input of a graph: some exporters declare vectors of one element.
    fn shaped_as(&mut self, graph: &'m GraphProto, input: usize, scalar: Binding) -> Binding {
        let is_vector = graph.input.get(input).is_some_and(|input| input.rank() == Some(1));
        match scalar {
            Binding::Value(value) if is_vector => Binding::Value(self.cx.b.reshape(value, [1])),
            Binding::Constant(mut tensor) if is_vector => {
                tensor.ty.shape = Shape::from(&[1][..]);
                Binding::Constant(tensor)
            }
            scalar => scalar,
        }
    }
}

/// The end of a step of a loop.
enum StepEnd {
    /// The loop iterates.
    Iterates {
        trip: Trip,
        /// Inputs of the body that change, with their next values.
        next: Vec<(ValueId, ValueId)>,
        /// Inputs of the body for the buffers of scan results.
        scans: Vec<ValueId>,
    },
    /// The loop has no iteration; its scan results are empty.
    Never(Vec<Binding>),
}

/// Returns the constant `true`.
fn truth() -> Binding {
    Binding::Constant(Tensor::from_ints(Type::new(DType::Bool, []), vec![1]))
}

/// Returns the type of a sequence of elements along a new dimension.
pub fn sequence_type(element: &Type, length: i64, dim: usize) -> Result<Type, LoweringError> {
    let mut sizes: Vec<i64> = element.shape.iter().map(|&n| n as i64).collect();
    sizes.insert(dim, length);
    let shape = shape_of(&sizes).map_err(LoweringError::Malformed)?;
    Ok(Type { dtype: element.dtype, shape })
}
