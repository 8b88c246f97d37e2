//! `zoo:moe`: a mixture of experts with top-1 gating (Fedus et al., Switch Transformers, 2021).
//!
//! Each expert accepts at most `capacity` tokens of a sequence, in sequence order; other tokens only pass through the
//! residual connection. Dispatch to expert slots and combination of their results are matrix products with one-hot
//! tensors. The weights of all experts are stacked along the first dimension of a parameter.

use crate::builder::ModelBuilder;
use crate::layers::{layer_norm, mean_along, mean_squared_error, projection, softmax, sum_along};
use crate::options::{BuiltInModel, ModelOption, ModelOptions, OptionKind};
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Shape};
use partita_ir::initializer::Initializer;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::tensor::Scalar;

/// Weight of the load-balancing loss (Fedus et al. 2021, section 2.2).
const BALANCE_LOSS_WEIGHT: f64 = 0.01;

/// Sizes and dropout of a mixture-of-experts layer.
struct MoeConfig {
    /// Number of experts.
    experts: usize,
    /// Hidden features of an expert.
    hidden: usize,
    /// Expert capacity: the number of tokens of one sequence that an expert accepts.
    capacity: usize,
    /// Probability of dropout on the outputs of experts.
    dropout: f64,
}

pub(crate) const ENTRY: BuiltInModel = BuiltInModel {
    name: "moe",
    about: "mixture-of-experts layers with top-1 gating; mean squared error and load balance",
    options: &[
        ModelOption::new("layers", "1", OptionKind::LAYERS, "layers"),
        ModelOption::WIDTH,
        ModelOption::HIDDEN,
        ModelOption::new("experts", "8", OptionKind::LENGTH, "experts of a layer"),
        ModelOption::new("capacity", "2 x seq / experts", OptionKind::LENGTH, "expert capacity in tokens per sequence"),
        ModelOption::SEQ,
        ModelOption::BATCH,
        ModelOption::DROPOUT,
        ModelOption::LOSS,
    ],
    build,
};

fn build(options: &ModelOptions, m: &mut ModelBuilder<'_>) -> Result<(), Vec<Diagnostic>> {
    let [layers, width, experts, seq, batch] = options.sizes(["layers", "width", "experts", "seq", "batch"]);
    let config = MoeConfig {
        experts,
        hidden: options.size_or("hidden", 4 * width),
        capacity: options.size_or("capacity", (2 * seq).div_ceil(experts)),
        dropout: options.probability("dropout"),
    };
    let x = m.input(DType::F32, [batch, seq, width]);
    let target = options.flag("loss").then(|| m.input(DType::F32, [batch, seq, width]));

    let mut loads = Vec::new();
    let result = m.modules("layers", layers, x, |m, _, x| {
        let (gates, chosen, y) = moe_layer(m, &config, x);
        if target.is_some() {
            loads.push(load_balance(m, gates, chosen));
        }
        y
    });
    let result = match target {
        Some(target) => loads.into_iter().fold(mean_squared_error(m, result, target), |loss, load| {
            let load = m.scalar(BinaryOp::Mul, load, BALANCE_LOSS_WEIGHT);
            m.b.binary(BinaryOp::Add, loss, load)
        }),
        None => result,
    };
    m.output(result);
    Ok(())
}

/// Applies a pre-norm mixture-of-experts layer to `x: [batch, seq, width]`. Returns the gates `[batch, seq, experts]`,
/// the one-hot choice of experts in the same shape, and `x` plus the outputs of the experts.
fn moe_layer(m: &mut ModelBuilder<'_>, config: &MoeConfig, x: ValueId) -> (ValueId, ValueId, ValueId) {
    let MoeConfig { experts, hidden, capacity, dropout } = *config;
    let normed = layer_norm(m, "norm", x);
    let [batch, seq, width] = m.dims(x);
    let scores = projection(m, "gate", normed, experts);
    let up = m.param("up", [experts, width, hidden], xavier(width, hidden));
    let down = m.param("down", [experts, hidden, width], xavier(hidden, width));
    let gates = softmax(m, scores, 2);

    let (_, best) = m.b.extremum_with_index(gates, 2, Direction::Gt, DType::I64);
    let best = m.b.unsqueeze(best, 2);
    let chosen = one_hot(m, best, experts);
    let arrived = m.b.cumulative(Monoid::Sum, chosen, 1, false);
    let arrival = m.scalar(BinaryOp::Sub, arrived, 1.0);
    let arrival = m.b.binary(BinaryOp::Mul, arrival, chosen);
    let limit = m.b.splat_like(arrival, Scalar::Float(capacity as f64));
    let fits = m.b.compare(arrival, Direction::Lt, limit);
    let fits = m.b.convert(fits, DType::F32);
    let accepted = m.b.binary(BinaryOp::Mul, chosen, fits);
    let slot = m.b.binary(BinaryOp::Mul, arrival, accepted);
    let slot = sum_along(m, slot, 2);
    let slot = m.b.convert(slot, DType::I64);
    let slot = one_hot(m, slot, capacity);
    let (accepted, slot) = (m.b.unsqueeze(accepted, 3), m.b.unsqueeze(slot, 2));
    let dispatch = m.broadcast(BinaryOp::Mul, accepted, slot);
    let gate = m.b.binary(BinaryOp::Mul, gates, chosen);
    let gate = sum_along(m, gate, 2);
    let dispatch = m.b.reshape(dispatch, [batch, seq, experts * capacity]);

    let collect = m.b.swap_dims(dispatch, 1, 2);
    let slots = m.product(collect, normed);
    let slots = m.b.reshape(slots, [batch, experts, capacity, width]);
    let slots = m.b.swap_dims(slots, 0, 1);
    let inside = expert_product(m, slots, up);
    let inside = m.b.unary(UnaryOp::Relu, inside);
    let done = expert_product(m, inside, down);
    let done = m.b.swap_dims(done, 0, 1);
    let done = m.b.reshape(done, [batch, experts * capacity, width]);
    let output = m.product(dispatch, done);
    let output = m.broadcast(BinaryOp::Mul, output, gate);
    let output = m.dropout(output, dropout);
    (gates, chosen, m.b.binary(BinaryOp::Add, x, output))
}

/// Returns the initializer of a weight with the given fan-in and fan-out (Glorot and Bengio 2010): uniform with
/// variance `2 / (fan_in + fan_out)`.
fn xavier(fan_in: usize, fan_out: usize) -> Initializer {
    Initializer::uniform((2.0 / (fan_in + fan_out) as f64).sqrt())
}

/// Multiplies `x: [experts, batch, slots, from]` by the weight of each expert, `weight: [experts, from, to]`.
fn expert_product(m: &mut ModelBuilder<'_>, x: ValueId, weight: ValueId) -> ValueId {
    let weight = m.b.unsqueeze(weight, 1);
    m.product(x, weight)
}

/// Computes the load-balancing loss `[1]` from the gates and the one-hot choices `[batch, seq, experts]`: the number of
/// experts times the sum over experts of (fraction of tokens) x (mean gate). The loss is 1 for equal loads.
fn load_balance(m: &mut ModelBuilder<'_>, gates: ValueId, chosen: ValueId) -> ValueId {
    let [_, _, experts] = m.dims(gates);
    let [share, gate] = [chosen, gates].map(|x| [0, 1].into_iter().fold(x, |x, dim| mean_along(m, x, dim)));
    let load = m.b.binary(BinaryOp::Mul, share, gate);
    let sum = m.b.reduce_dims(Monoid::Sum, load, [0, 1, 2].into_iter().collect());
    let sum = m.b.reshape(sum, Shape::from([1]));
    m.scalar(BinaryOp::Mul, sum, experts as f64)
}

/// Maps `index: [batch, seq, 1]` to its one-hot encoding along a last dimension of `classes`.
fn one_hot(m: &mut ModelBuilder<'_>, index: ValueId, classes: usize) -> ValueId {
    let [batch, seq, _] = m.dims(index);
    let index = m.b.expand(index, &Shape::from([batch, seq, classes]));
    let class = m.b.arange(DType::I64, classes);
    let (index, class) = m.broadcast_both(index, class);
    let hit = m.b.compare(index, Direction::Eq, class);
    m.b.convert(hit, DType::F32)
}
