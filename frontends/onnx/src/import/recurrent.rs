//! Lowering of recurrent layers: `RNN`, `GRU` and `LSTM`, and of linear attention.

use super::elementwise::converted;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, malformed, size, unsupported};
use super::quantization::QuantizedMatrix;
use partita_ir::arena::ValueId;
use partita_ir::build::{Scan, ScanResults, ScanStep};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::tensor::Scalar;

/// Kind of a recurrent layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    Rnn,
    Gru,
    Lstm,
}

impl Cell {
    /// Number of gates, whose weights are stored one after the other.
    const fn gates(self) -> usize {
        match self {
            Cell::Rnn => 1,
            Cell::Gru => 3,
            Cell::Lstm => 4,
        }
    }

    /// Default activation functions.
    const fn activations(self) -> &'static [&'static str] {
        match self {
            Cell::Rnn => &["Tanh"],
            Cell::Gru => &["Sigmoid", "Tanh"],
            Cell::Lstm => &["Sigmoid", "Tanh", "Tanh"],
        }
    }
}

/// An activation function with its parameters.
#[derive(Clone, Debug)]
struct Activation {
    name: String,
    alpha: f64,
    beta: f64,
}

impl Activation {
    /// Reads the activation functions of all directions; the lists of parameters have an entry for each function that
    /// has the parameter.
    fn read(node: &Node<'_>, cell: Cell, directions: usize) -> Result<Vec<Activation>, LoweringError> {
        let names: Vec<String> = match node.texts("activations") {
            Some(names) => names,
            None => cell
                .activations()
                .iter()
                .map(|&name| name.to_owned())
                .cycle()
                .take(cell.activations().len() * directions)
                .collect(),
        };
        if names.len() != cell.activations().len() * directions {
            return malformed(format!("has {} activations", names.len()));
        }
        let [mut alphas, mut betas] =
            ["activation_alpha", "activation_beta"].map(|name| node.floats(name).unwrap_or_default().iter());
        let activation = |name: String| {
            let (alpha, beta) = match name.to_lowercase().as_str() {
                "relu" | "tanh" | "sigmoid" | "softsign" | "softplus" => (None, None),
                "leakyrelu" => (Some(0.01), None),
                "thresholdedrelu" | "elu" => (Some(1.0), None),
                "affine" | "scaledtanh" => (Some(1.0), Some(if name.to_lowercase() == "affine" { 0.0 } else { 1.0 })),
                "hardsigmoid" => (Some(0.2), Some(0.5)),
                _ => return unsupported(format!("the activation `{name}`")),
            };
            let next = |list: &mut std::slice::Iter<'_, f32>, default: Option<f64>| {
                default.map_or(0.0, |default| list.next().map_or(default, |&x| x.into()))
            };
            Ok(Activation { alpha: next(&mut alphas, alpha), beta: next(&mut betas, beta), name })
        };
        names.into_iter().map(activation).collect()
    }

    /// Appends the function.
    fn apply(&self, cx: &mut Lowering<'_>, x: ValueId) -> Result<ValueId, LoweringError> {
        let Activation { alpha, beta, .. } = *self;
        Ok(match self.name.to_lowercase().as_str() {
            "relu" => cx.b.unary(UnaryOp::Relu, x),
            "tanh" => cx.b.unary(UnaryOp::Tanh, x),
            "sigmoid" => cx.b.unary(UnaryOp::Sigmoid, x),
            "affine" => {
                let scaled = cx.b.binary_scalar(BinaryOp::Mul, x, alpha);
                cx.b.binary_scalar(BinaryOp::Add, scaled, beta)
            }
            "scaledtanh" => {
                let inner = cx.b.binary_scalar(BinaryOp::Mul, x, beta);
                let tanh = cx.b.unary(UnaryOp::Tanh, inner);
                cx.b.binary_scalar(BinaryOp::Mul, tanh, alpha)
            }
            "leakyrelu" => {
                let slope = cx.b.splat_like(x, Scalar::Float(alpha));
                cx.b.leaky_relu(x, slope)
            }
            "thresholdedrelu" => {
                let above = cx.compare_scalar(x, Direction::Ge, Scalar::Float(alpha));
                cx.select_or(above, x, Scalar::Float(0.0))?
            }
            "elu" => {
                let small = cx.b.binary_scalar(BinaryOp::Min, x, 0.0);
                let below = cx.b.unary(UnaryOp::Expm1, small);
                let below = cx.b.binary_scalar(BinaryOp::Mul, below, alpha);
                let positive = cx.compare_scalar(x, Direction::Gt, Scalar::Float(0.0));
                cx.b.select(positive, x, below)
            }
            "hardsigmoid" => cx.b.hard_sigmoid(x, alpha, beta),
            "softsign" => {
                let size = cx.b.unary(UnaryOp::Abs, x);
                let divisor = cx.b.binary_scalar(BinaryOp::Add, size, 1.0);
                cx.b.binary(BinaryOp::Div, x, divisor)
            }
            "softplus" => cx.b.softplus(x),
            other => return unsupported(format!("the activation `{other}`")),
        })
    }
}

/// One direction of a recurrent layer.
struct Layer<'a> {
    cell: Cell,
    hidden: usize,
    activations: &'a [Activation],
    /// Bound of the operands of the activation functions.
    clip: Option<f64>,
    /// For a GRU: the reset gate is applied after the product with the recurrent weights.
    linear_before_reset: bool,
    /// For an LSTM: the forget gate is 1 minus the input gate.
    input_forget: bool,
}

/// State and weights of a step.
struct StepValues<'s> {
    /// Product of the operand and its weights plus the bias, `[batch, gates hidden]`.
    projected: ValueId,
    /// Hidden state, and the cell state of an LSTM.
    state: &'s [ValueId],
    /// Transposed recurrent weights `[hidden, gates hidden]`.
    recurrent: ValueId,
    /// Bias of the recurrent weights of the last gate of a GRU, `[hidden]`.
    recurrent_bias: Option<ValueId>,
    /// Peepholes of an LSTM: input, output and forget, `[3 hidden]`.
    peepholes: Option<ValueId>,
    /// Scale and zero point of the recurrent weights of an LSTM, if they are quantised.
    quantization: Option<[ValueId; 2]>,
}

impl Layer<'_> {
    /// Appends an activation function, of operands within the bound.
    fn activate(&self, cx: &mut Lowering<'_>, i: usize, x: ValueId) -> Result<ValueId, LoweringError> {
        let x = match self.clip {
            Some(bound) => cx.b.clamp(x, Scalar::Float(-bound), Scalar::Float(bound)),
            None => x,
        };
        self.activations[i].apply(cx, x)
    }

    /// Returns the part of the last dimension that belongs to a gate.
    fn gate(&self, cx: &mut Lowering<'_>, x: ValueId, i: usize) -> ValueId {
        let last = cx.rank(x) - 1;
        cx.b.slice_dim(x, last, i * self.hidden, (i + 1) * self.hidden)
    }

    /// Appends a step. Returns the new state.
    fn step(&self, cx: &mut Lowering<'_>, values: &StepValues<'_>) -> Result<Vec<ValueId>, LoweringError> {
        let hidden = values.state[0];
        match self.cell {
            Cell::Rnn => {
                let product = cx.matmul(hidden, values.recurrent)?;
                let sum = cx.add(values.projected, product)?;
                Ok(vec![self.activate(cx, 0, sum)?])
            }
            Cell::Gru => self.gru(cx, values),
            Cell::Lstm => self.lstm(cx, values),
        }
    }

    fn gru(&self, cx: &mut Lowering<'_>, values: &StepValues<'_>) -> Result<Vec<ValueId>, LoweringError> {
        let hidden = values.state[0];
        let product = |layer: &Self, cx: &mut Lowering<'_>, x, gate| {
            let weight = layer.gate(cx, values.recurrent, gate);
            cx.matmul(x, weight)
        };
        let [update, reset] = [0, 1].map(|gate| {
            let product = product(self, cx, hidden, gate)?;
            let projected = self.gate(cx, values.projected, gate);
            let sum = cx.add(projected, product)?;
            self.activate(cx, 0, sum)
        });
        let (update, reset) = (update?, reset?);
        let add_bias = |cx: &mut Lowering<'_>, x| match values.recurrent_bias {
            Some(bias) => cx.add(x, bias),
            None => Ok(x),
        };
        let candidate = match self.linear_before_reset {
            true => {
                let product = product(self, cx, hidden, 2)?;
                let product = add_bias(cx, product)?;
                cx.mul(reset, product)?
            }
            false => {
                let kept = cx.mul(reset, hidden)?;
                let product = product(self, cx, kept, 2)?;
                add_bias(cx, product)?
            }
        };
        let projected = self.gate(cx, values.projected, 2);
        let sum = cx.add(projected, candidate)?;
        let candidate = self.activate(cx, 1, sum)?;
        // (1 - z) h + z H = h + z (H - h)
        let difference = cx.sub(hidden, candidate)?;
        let scaled = cx.mul(update, difference)?;
        Ok(vec![cx.add(candidate, scaled)?])
    }

    fn lstm(&self, cx: &mut Lowering<'_>, values: &StepValues<'_>) -> Result<Vec<ValueId>, LoweringError> {
        let (hidden, state) = (values.state[0], values.state[1]);
        let product = match values.quantization {
            Some([scale, zero_point]) => {
                QuantizedMatrix { matrix: values.recurrent, scale, zero_point }.product(cx, hidden)?
            }
            None => cx.matmul(hidden, values.recurrent)?,
        };
        let sums = cx.add(values.projected, product)?;
        let peep = |layer: &Self, cx: &mut Lowering<'_>, x, state, i| match values.peepholes {
            Some(all) => {
                let weight = layer.gate(cx, all, i);
                let part = cx.mul(state, weight)?;
                cx.add(x, part)
            }
            None => Ok(x),
        };
        let [input, output, forget, candidate] = [0, 1, 2, 3].map(|gate| self.gate(cx, sums, gate));
        let input = peep(self, cx, input, state, 0)?;
        let input = self.activate(cx, 0, input)?;
        let forget = if self.input_forget {
            let one = cx.b.splat_like(input, Scalar::Float(1.0));
            cx.sub(one, input)?
        } else {
            let forget = peep(self, cx, forget, state, 2)?;
            self.activate(cx, 0, forget)?
        };
        let candidate = self.activate(cx, 1, candidate)?;
        let (kept, added) = (cx.mul(forget, state)?, cx.mul(input, candidate)?);
        let state = cx.add(kept, added)?;
        let output = peep(self, cx, output, state, 1)?;
        let output = self.activate(cx, 0, output)?;
        // The bound does not apply to the cell state, as in ONNX Runtime.
        let visible = self.activations[2].apply(cx, state)?;
        Ok(vec![cx.mul(output, visible)?, state])
    }
}

/// New state and results of a step.
type StepResult = Result<(Vec<ValueId>, Vec<ValueId>), LoweringError>;

/// Appends a loop whose step a function appends.
fn lower(
    scan: &Scan<'_>,
    cx: &mut Lowering<'_>,
    append: impl FnOnce(&mut Lowering<'_>, ScanStep) -> StepResult,
) -> Result<ScanResults, LoweringError> {
    let (body, step) = scan.begin(&mut cx.b);
    match append(cx, step) {
        Ok((state, results)) => Ok(body.finish(&mut cx.b, &state, &results)?),
        Err(error) => {
            body.abandon(&mut cx.b);
            Err(error)
        }
    }
}

/// Returns one direction of an operand `[directions, ..]`, without that dimension.
fn direction_of(cx: &mut Lowering<'_>, x: ValueId, direction: usize) -> ValueId {
    let shape = cx.shape(x);
    let part = cx.b.slice_dim(x, 0, direction, direction + 1);
    cx.b.reshape(part, Shape::from(&shape[1..]))
}

/// Lowers a recurrent layer in one or both directions. The operand is `[sequence, batch, size]`, or `[batch, sequence,
/// size]` with `layout` 1. Weights of `DynamicQuantizeLSTM` are quantised and transposed.
pub fn recurrent(cx: &mut Lowering<'_>, node: &Node<'_>, cell: Cell) -> LoweringResult {
    let [mut x, weight, recurrent] = [node.arg(0)?, node.arg(1)?, node.arg(2)?];
    cx.require_float(x)?;
    let batch_first = node.flag("layout", false);
    if batch_first && cx.rank(x) == 3 {
        x = cx.b.swap_dims(x, 0, 1);
    }
    let reversed: &[bool] = match node.text("direction", "forward") {
        "forward" => &[false],
        "reverse" => &[true],
        "bidirectional" => &[false, true],
        other => return malformed(format!("has the direction `{other}`")),
    };
    let (&[steps, batch, inputs], &[directions, mut rows, mut hidden]) = (&cx.shape(x)[..], &cx.shape(recurrent)[..])
    else {
        return malformed(format!("applies {} to {}", cx.b.ty(recurrent), cx.b.ty(x)));
    };
    let is_quantized = node.op() == "DynamicQuantizeLSTM";
    if is_quantized {
        std::mem::swap(&mut rows, &mut hidden);
    }
    let gates = cell.gates();
    let wide = gates.saturating_mul(hidden);
    let matrix = |n, rows, columns| {
        vec![n, if is_quantized { columns } else { rows }, if is_quantized { rows } else { columns }]
    };
    let shapes = [(weight, matrix(directions, wide, inputs)), (recurrent, matrix(reversed.len(), wide, hidden))];
    let biases = [(node.optional(3), 2 * wide), (node.optional(7), 3 * hidden)];
    let biases = biases.into_iter().filter_map(|(value, n)| Some((value?, vec![directions, n])));
    if let Some((value, want)) = shapes.into_iter().chain(biases).find(|(value, want)| cx.shape(*value)[..] != want[..])
    {
        return malformed(format!("has an operand {}, not {want:?} ({rows} rows)", cx.b.ty(value)));
    }
    let activations = Activation::read(node, cell, directions)?;
    let (dtype, state_shape) = (cx.dtype(x), Shape::from([batch, hidden]));
    let lengths = node.optional(4).map(|lengths| cx.b.convert(lengths, DType::I32));
    if lengths.is_some_and(|lengths| cx.shape(lengths)[..] != [batch]) {
        return malformed("has sequence lengths of another batch");
    }
    let mut all: [Vec<ValueId>; 3] = Default::default();
    for (i, &reverse) in reversed.iter().enumerate() {
        let per_direction = cell.activations().len();
        let layer = Layer {
            cell,
            hidden,
            activations: &activations[i * per_direction..(i + 1) * per_direction],
            clip: node.has_attribute("clip").then(|| node.float("clip", 0.0)),
            linear_before_reset: node.flag("linear_before_reset", false),
            input_forget: node.flag("input_forget", false),
        };
        let own_weight = direction_of(cx, weight, i);
        let own_recurrent = direction_of(cx, recurrent, i);
        let (own_recurrent, mut projected, quantization) = if is_quantized {
            let parameter = |place: usize, cx: &mut Lowering<'_>| match node.arg(place)? {
                value if cx.shape(value).first() == Some(&directions) => Ok(direction_of(cx, value, i)),
                value => malformed(format!("has the scale or zero point {}", cx.b.ty(value))),
            };
            let own = QuantizedMatrix { matrix: own_weight, scale: parameter(8, cx)?, zero_point: parameter(9, cx)? };
            (own_recurrent, own.product(cx, x)?, [Some(parameter(10, cx)?), Some(parameter(11, cx)?)])
        } else {
            let own_weight = cx.b.swap_dims(own_weight, 0, 1);
            (cx.b.swap_dims(own_recurrent, 0, 1), cx.matmul(x, own_weight)?, [None, None])
        };
        let mut recurrent_bias = None;
        if let Some(bias) = node.optional(3) {
            let bias = direction_of(cx, bias, i);
            // The recurrent bias of the last gate of a GRU is added within the loop.
            let early = if cell == Cell::Gru { 2 * hidden } else { wide };
            let own = cx.b.slice_dim(bias, 0, 0, wide);
            let other = cx.b.slice_dim(bias, 0, wide, wide + early);
            let other = if early == wide {
                other
            } else {
                recurrent_bias = Some(cx.b.slice_dim(bias, 0, wide + early, 2 * wide));
                let rest = cx.b.splat(Type::new(dtype, [wide - early]), Scalar::Float(0.0));
                cx.b.concatenate(&[other, rest], 0)
            };
            let sum = cx.b.binary(BinaryOp::Add, own, other);
            projected = cx.add(projected, sum)?;
        }
        let mut state = Vec::new();
        for operand in if cell == Cell::Lstm { &[5, 6][..] } else { &[5] } {
            state.push(match node.optional(*operand) {
                Some(mut initial) => {
                    if batch_first && cx.rank(initial) == 3 {
                        initial = cx.b.swap_dims(initial, 0, 1);
                    }
                    if cx.shape(initial)[..] != [directions, batch, hidden] {
                        return malformed(format!("has the initial state {}", cx.b.ty(initial)));
                    }
                    direction_of(cx, initial, i)
                }
                None => cx.b.splat(Type::new(dtype, state_shape.clone()), Scalar::Float(0.0)),
            });
        }
        let peepholes = node.optional(7).filter(|_| cell == Cell::Lstm).map(|all| direction_of(cx, all, i));
        let [scale, zero_point] = quantization;
        let optional = [recurrent_bias, peepholes, lengths, scale, zero_point];
        let constants: Vec<ValueId> = [Some(own_recurrent)].into_iter().chain(optional).flatten().collect();
        let scan = Scan {
            name: "recurrent",
            steps,
            reverse,
            state: &state,
            sequences: &[projected],
            constants: &constants,
            results: &[Type::new(dtype, state_shape.clone())],
        };
        let has = optional.map(|value| value.is_some());
        let (state, results) = lower(&scan, cx, |cx, step| layer_step(cx, &layer, &step, has))?;
        for (list, value) in all.iter_mut().zip(results.into_iter().chain(state)) {
            list.push(value);
        }
    }
    let [sequences, hidden_states, cell_states] = all;
    // [sequence, directions, batch, hidden], or [batch, sequence, directions, hidden].
    let parts: Vec<ValueId> = sequences.into_iter().map(|part| cx.b.unsqueeze(part, 1)).collect();
    let sequence = cx.concat(&parts, 1)?;
    let sequence = if batch_first { cx.b.transpose(sequence, [2, 0, 1, 3].into_iter().collect()) } else { sequence };
    let mut outs = vec![sequence];
    for states in [hidden_states, cell_states] {
        if !states.is_empty() {
            let at = usize::from(batch_first);
            let parts: Vec<ValueId> = states.into_iter().map(|part| cx.b.unsqueeze(part, at)).collect();
            outs.push(cx.concat(&parts, at)?);
        }
    }
    Ok(outs.into_iter().map(Out::Value).collect())
}

/// Appends a step of a layer. Beyond the length of a sequence the state remains, and the result is zero. `has` states
/// which of the recurrent bias, the peepholes, the lengths, and the scale and zero point of the recurrent weights are
/// among the constants.
fn layer_step(cx: &mut Lowering<'_>, layer: &Layer<'_>, step: &ScanStep, has: [bool; 5]) -> StepResult {
    let mut constants = step.constants.iter().copied();
    let Some(recurrent) = constants.next() else { return malformed("lacks its weights") };
    let [recurrent_bias, peepholes, lengths, scale, zero_point] =
        has.map(|has| if has { constants.next() } else { None });
    let quantization = scale.zip(zero_point).map(<[ValueId; 2]>::from);
    let (projected, state) = (step.elements[0], &step.state[..]);
    let values = StepValues { projected, state, recurrent, recurrent_bias, peepholes, quantization };
    let mut state = layer.step(cx, &values)?;
    let mut result = state[0];
    if let Some(lengths) = lengths {
        let n = cx.shape(lengths)[0];
        let index = cx.b.broadcast(step.index, &[], [n]);
        let inside = cx.b.compare(index, Direction::Lt, lengths);
        let inside = cx.b.reshape(inside, [n, 1]);
        for (new, &old) in state.iter_mut().zip(&step.state) {
            *new = cx.select(inside, *new, old)?;
        }
        result = cx.select_or(inside, result, Scalar::Float(0.0))?;
    }
    Ok((state, vec![result]))
}

/// Lowers linear attention: a state `[batch, heads, key size, value size]` is updated by each element of the sequence
/// and read by its queries.
pub fn linear_attention(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (gated, delta) = match node.text("update_rule", "gated_delta") {
        "linear" => (false, false),
        "gated" => (true, false),
        "delta" => (false, true),
        "gated_delta" => (true, true),
        other => return malformed(format!("has the update rule `{other}`")),
    };
    let heads = |name| size(node.int(name, 0), "number of heads");
    let (query_heads, key_heads) = (heads("q_num_heads")?, heads("kv_num_heads")?);
    let query = node.arg(0)?;
    let (dtype, shape) = (cx.dtype(query), cx.shape(query));
    let (&[batch, steps, query_size], &[_, _, value_size]) = (&shape[..], &cx.shape(node.arg(2)?)[..]) else {
        return malformed(format!("needs 3 dimensions, not {shape}"));
    };
    let groups = query_heads.checked_div(key_heads).unwrap_or(0);
    if groups == 0 || groups * key_heads != query_heads || query_size % query_heads != 0 || value_size % key_heads != 0
    {
        return malformed(format!("divides {shape} into {query_heads} and {key_heads} heads"));
    }
    let (key_size, value_size) = (query_size / query_heads, value_size / key_heads);
    let wide = DType::F32;
    // Elements of the sequence, `[steps, batch, heads, ..]`.
    let sequence = |cx: &mut Lowering<'_>, x: ValueId, rest: &[usize]| -> Result<ValueId, LoweringError> {
        let x = converted(cx, x, wide);
        let split: Shape = [batch, steps].iter().chain(rest).copied().collect();
        let x = cx.reshape(x, split)?;
        Ok(cx.b.swap_dims(x, 0, 1))
    };
    let mut sequences = vec![
        sequence(cx, query, &[key_heads, groups, key_size])?,
        sequence(cx, node.arg(1)?, &[key_heads, key_size, 1])?,
        sequence(cx, node.arg(2)?, &[key_heads, 1, value_size])?,
    ];
    for (operand, wanted, what) in [(4, gated, "decay"), (5, delta, "update rate")] {
        match (node.optional(operand), wanted) {
            (Some(x), true) => {
                let width = match cx.shape(x).last() {
                    Some(&n) if n == key_heads => [key_heads, 1, 1],
                    Some(1) if delta && operand == 5 => [1, 1, 1],
                    _ => [key_heads, key_size, 1],
                };
                sequences.push(sequence(cx, x, &width)?);
            }
            (None, false) => {}
            (given, _) => {
                let verb = if given.is_some() { "has" } else { "lacks" };
                return malformed(format!("{verb} the {what} for its update rule"));
            }
        }
    }
    let state_shape = [batch, key_heads, key_size, value_size];
    let (state, state_type) = match node.optional(3) {
        Some(past) if cx.shape(past)[..] == state_shape => (converted(cx, past, wide), cx.dtype(past)),
        Some(past) => return malformed(format!("has the state {}, not {state_shape:?}", cx.b.ty(past))),
        None => (cx.b.splat(Type::new(wide, state_shape), Scalar::Float(0.0)), dtype),
    };
    let scale = match node.float("scale", 0.0) {
        0.0 => (key_size as f64).sqrt().recip(),
        scale => scale,
    };
    let scan = Scan {
        name: "linear_attention",
        steps,
        reverse: false,
        state: &[state],
        sequences: &sequences,
        constants: &[],
        results: &[Type::new(wide, [batch, key_heads, groups, value_size])],
    };
    let (state, results) = lower(&scan, cx, |cx, step| {
        let [query, key, value] = [step.elements[0], step.elements[1], step.elements[2]];
        let mut more = step.elements[3..].iter().copied();
        let mut state = step.state[0];
        if let Some(decay) = more.next().filter(|_| gated) {
            let factor = cx.b.unary(UnaryOp::Exp, decay);
            state = cx.mul(state, factor)?;
        }
        let mut change = value;
        if delta {
            let recalled = cx.mul(state, key)?;
            let recalled = cx.b.reduce_keep(Monoid::Sum, recalled, &[2]);
            change = cx.sub(value, recalled)?;
            if let Some(rate) = step.elements.last() {
                change = cx.mul(change, *rate)?;
            }
        }
        let update = cx.mul(key, change)?;
        let state = cx.add(state, update)?;
        let read = cx.matmul(query, state)?;
        let read = cx.b.binary_scalar(BinaryOp::Mul, read, scale);
        Ok((vec![state], vec![read]))
    })?;
    let (&[out], &[state]) = (&results[..], &state[..]) else { return malformed("has no results") };
    let out = cx.b.swap_dims(out, 0, 1);
    let out = cx.b.reshape(out, [batch, steps, query_heads * value_size]);
    let outs = [converted(cx, out, dtype), converted(cx, state, state_type)];
    Ok(outs.into_iter().map(Out::Value).collect())
}
