//! Lowering of recurrent layers and cells: `RNN`, `GRU` and `LSTM`. The weights of the gates are stored one after the
//! other.

use super::activation::dropped;
use super::lowering::{Lowering, LoweringError, LoweringResult, all, malformed, unsupported};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::build::Scan;
use partita_ir::dtype::Type;
use partita_ir::ops::{BinaryOp, UnaryOp};

/// Kind of a recurrent layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// One gate with the given activation function.
    Rnn(UnaryOp),
    /// Gates: reset, update, new.
    Gru,
    /// Gates: input, forget, new, output.
    Lstm,
}

impl Cell {
    /// Number of gates.
    const fn gates(self) -> usize {
        match self {
            Cell::Rnn(_) => 1,
            Cell::Gru => 3,
            Cell::Lstm => 4,
        }
    }

    /// Number of tensors that are the state: the hidden state, and the cell state of an LSTM.
    const fn states(self) -> usize {
        match self {
            Cell::Rnn(_) | Cell::Gru => 1,
            Cell::Lstm => 2,
        }
    }
}

/// Weights of a layer in one direction, transposed: `[inputs, gates hidden]` and `[hidden, gates hidden]`.
struct Weights {
    input: ValueId,
    hidden: ValueId,
    input_bias: Option<ValueId>,
    hidden_bias: Option<ValueId>,
    /// `[cell state, hidden state]`, for an LSTM whose hidden state is a product with it.
    projection: Option<ValueId>,
}

impl Weights {
    /// Creates the weights from the parameters of a layer, in order.
    fn new(cx: &mut Lowering<'_>, params: &[ValueId], has_biases: bool) -> Result<Weights, LoweringError> {
        let (matrices, biases) = if has_biases { (params.len().saturating_sub(2), 2) } else { (params.len(), 0) };
        if !(2..=3).contains(&matrices) || params.iter().take(2).any(|&param| cx.rank(param) != 2) {
            return malformed(format!("has {} parameters in a layer", params.len()));
        }
        let mut transposed = |param: ValueId| cx.b.swap_dims(param, 0, 1);
        Ok(Weights {
            input: transposed(params[0]),
            hidden: transposed(params[1]),
            input_bias: (biases > 0).then(|| params[2]),
            hidden_bias: (biases > 0).then(|| params[3]),
            projection: (matrices == 3).then(|| transposed(params[2 + biases])),
        })
    }

    /// Appends the product of an operand with its weights and the biases that are added before the loop: `[..,
    /// gates hidden]`. The recurrent bias of a GRU is added to a product in the loop.
    fn projected(&self, cx: &mut Lowering<'_>, cell: Cell, x: ValueId) -> Result<ValueId, LoweringError> {
        let mut out = cx.b.checked_matmul(x, self.input)?;
        let biases = [self.input_bias, self.hidden_bias.filter(|_| cell != Cell::Gru)];
        for bias in biases.into_iter().flatten() {
            out = cx.binary(BinaryOp::Add, out, bias)?;
        }
        Ok(out)
    }

    /// Returns the values that each step reads.
    fn of_step(&self, cell: Cell) -> Vec<ValueId> {
        let bias = self.hidden_bias.filter(|_| cell == Cell::Gru);
        [Some(self.hidden), bias, self.projection].into_iter().flatten().collect()
    }

    /// Returns these weights with the values of a step in place of [`Weights::of_step`].
    fn in_step(&self, cell: Cell, values: &[ValueId]) -> Weights {
        let mut values = values.iter().copied();
        let mut next = |value: ValueId| values.next().unwrap_or(value);
        let hidden = next(self.hidden);
        let hidden_bias = match cell {
            Cell::Gru => self.hidden_bias.map(&mut next),
            Cell::Rnn(_) | Cell::Lstm => None,
        };
        let projection = self.projection.map(next);
        Weights { input: self.input, hidden, input_bias: None, hidden_bias, projection }
    }

    /// Appends a step. Returns the next state, of which the first is the hidden state.
    fn step(
        &self,
        cx: &mut Lowering<'_>,
        cell: Cell,
        projected: ValueId,
        state: &[ValueId],
    ) -> Result<Vec<ValueId>, LoweringError> {
        let hidden = state[0];
        let mut product = cx.b.checked_matmul(hidden, self.hidden)?;
        if let Some(bias) = self.hidden_bias.filter(|_| cell == Cell::Gru) {
            product = cx.binary(BinaryOp::Add, product, bias)?;
        }
        match cell {
            Cell::Rnn(activation) => {
                let sum = cx.binary(BinaryOp::Add, projected, product)?;
                Ok(vec![cx.b.unary(activation, sum)])
            }
            Cell::Gru => {
                let [reset, update] = [0, 1].map(|i| {
                    let (x, h) = (gate(cx, projected, i, cell.gates())?, gate(cx, product, i, cell.gates())?);
                    let sum = cx.binary(BinaryOp::Add, x, h)?;
                    Ok::<_, LoweringError>(cx.b.unary(UnaryOp::Sigmoid, sum))
                });
                let (reset, update) = (reset?, update?);
                let (x, h) = (gate(cx, projected, 2, cell.gates())?, gate(cx, product, 2, cell.gates())?);
                let kept = cx.binary(BinaryOp::Mul, reset, h)?;
                let sum = cx.binary(BinaryOp::Add, x, kept)?;
                let new = cx.b.unary(UnaryOp::Tanh, sum);
                // (1 - z) n + z h = n + z (h - n)
                let difference = cx.binary(BinaryOp::Sub, hidden, new)?;
                let change = cx.binary(BinaryOp::Mul, update, difference)?;
                Ok(vec![cx.binary(BinaryOp::Add, new, change)?])
            }
            Cell::Lstm => {
                let sums = cx.binary(BinaryOp::Add, projected, product)?;
                let gates = [UnaryOp::Sigmoid, UnaryOp::Sigmoid, UnaryOp::Tanh, UnaryOp::Sigmoid];
                let mut values = Vec::with_capacity(cell.gates());
                for (i, activation) in gates.into_iter().enumerate() {
                    let sum = gate(cx, sums, i, cell.gates())?;
                    values.push(cx.b.unary(activation, sum));
                }
                let kept = cx.binary(BinaryOp::Mul, values[1], state[1])?;
                let added = cx.binary(BinaryOp::Mul, values[0], values[2])?;
                let cell_state = cx.binary(BinaryOp::Add, kept, added)?;
                let visible = cx.b.unary(UnaryOp::Tanh, cell_state);
                let hidden = cx.binary(BinaryOp::Mul, values[3], visible)?;
                let hidden = match self.projection {
                    Some(projection) => cx.b.checked_matmul(hidden, projection)?,
                    None => hidden,
                };
                Ok(vec![hidden, cell_state])
            }
        }
    }
}

/// Returns the part of the last dimension that belongs to a gate.
fn gate(cx: &mut Lowering<'_>, x: ValueId, i: usize, count: usize) -> Result<ValueId, LoweringError> {
    let shape = cx.shape(x);
    let size = shape.last().copied().unwrap_or(0) / count;
    if shape.last() != Some(&(size * count)) {
        return malformed(format!("divides {shape} into {count} gates"));
    }
    Ok(cx.b.slice_dim(x, shape.rank() - 1, i * size, (i + 1) * size))
}

/// Lowers layers of a recurrent network, in one or both directions. Results: the hidden states of all steps of the last
/// layer, and the final states of each layer and direction.
pub fn layers(cx: &mut Lowering<'_>, node: &Node<'_>, cell: Cell) -> LoweringResult {
    if node.has("batch_sizes") {
        return unsupported("packed sequences");
    }
    let mut x = node.tensor("input")?;
    let params = node.tensors("params")?;
    let initial = match cell {
        Cell::Lstm => node.tensors("hx")?,
        Cell::Rnn(_) | Cell::Gru => vec![node.tensor("hx")?],
    };
    let batch_first = node.flag("batch_first", false)?;
    let directions = if node.flag("bidirectional", false)? { 2 } else { 1 };
    let count = usize::try_from(node.int("num_layers", 1)?).unwrap_or(0).saturating_mul(directions);
    let fits = initial.iter().all(|&state| cx.rank(state) == 3 && cx.shape(state)[0] == count);
    let each = params.len().checked_div(count).filter(|each| each.checked_mul(count) == Some(params.len()));
    let (Some(each), 3, true) = (each, cx.rank(x), fits && initial.len() == cell.states()) else {
        return malformed(format!("has {} parameters and {} states for {count} layers", params.len(), initial.len()));
    };
    if batch_first {
        x = cx.b.swap_dims(x, 0, 1);
    }
    let dropout = if node.flag("train", false)? { node.float("dropout", 0.0)? } else { 0.0 };
    let mut finals: Vec<Vec<ValueId>> = vec![Vec::new(); initial.len()];
    for (layer, params) in params.chunks_exact(each * directions).enumerate() {
        if layer > 0 && dropout > 0.0 {
            x = dropped(cx, x, dropout)?.0;
        }
        let mut outputs = Vec::new();
        for (direction, params) in params.chunks_exact(each).enumerate() {
            let weights = Weights::new(cx, params, node.flag("has_biases", true)?)?;
            let at = layer * directions + direction;
            let state: Vec<ValueId> = initial
                .iter()
                .map(|&all| {
                    let shape = cx.shape(all);
                    let own = cx.b.slice_dim(all, 0, at, at + 1);
                    cx.b.reshape(own, [shape[1], shape[2]])
                })
                .collect();
            let (output, last) = scan(cx, cell, &weights, x, &state, direction == 1)?;
            outputs.push(output);
            for (all, state) in finals.iter_mut().zip(last) {
                all.push(cx.b.unsqueeze(state, 0));
            }
        }
        x = cx.b.concatenate(&outputs, 2);
    }
    if batch_first {
        x = cx.b.swap_dims(x, 0, 1);
    }
    let finals: Vec<ValueId> = finals.iter().map(|states| cx.b.concatenate(states, 0)).collect();
    all(std::iter::once(x).chain(finals))
}

/// Appends a layer in one direction over `x`, `[steps, batch, inputs]`. Returns the hidden states of all steps, and the
/// last state.
fn scan(
    cx: &mut Lowering<'_>,
    cell: Cell,
    weights: &Weights,
    x: ValueId,
    state: &[ValueId],
    reverse: bool,
) -> Result<(ValueId, Vec<ValueId>), LoweringError> {
    let projected = weights.projected(cx, cell, x)?;
    let (steps, constants) = (cx.shape(x)[0], weights.of_step(cell));
    let results: [Type; 1] = [cx.b.ty(state[0])];
    let scan = Scan {
        name: "recurrent",
        steps,
        reverse,
        state,
        sequences: &[projected],
        constants: &constants,
        results: &results,
    };
    let (body, step) = scan.begin(&mut cx.b);
    let next = weights.in_step(cell, &step.constants).step(cx, cell, step.elements[0], &step.state);
    match next {
        Ok(next) => {
            let (state, outputs) = body.finish(&mut cx.b, &next, &next[..1])?;
            Ok((outputs[0], state))
        }
        Err(error) => {
            body.abandon(&mut cx.b);
            Err(error)
        }
    }
}

/// Lowers one step of a layer. Results: the next state.
pub fn cell(cx: &mut Lowering<'_>, node: &Node<'_>, cell: Cell) -> LoweringResult {
    let state = match cell {
        Cell::Lstm => node.tensors("hx")?,
        Cell::Rnn(_) | Cell::Gru => vec![node.tensor("hx")?],
    };
    let biases = [node.optional("b_ih")?, node.optional("b_hh")?];
    let mut params = vec![node.tensor("w_ih")?, node.tensor("w_hh")?];
    params.extend(biases.into_iter().flatten());
    let weights = Weights::new(cx, &params, params.len() == 4)?;
    if state.len() != cell.states() {
        return malformed(format!("has {} states", state.len()));
    }
    let x = node.tensor("input")?;
    let projected = weights.projected(cx, cell, x)?;
    all(weights.step(cx, cell, projected, &state)?)
}
