//! Layers shared by the models, with the parameters, constants and initializers of Burn's layers (except the initial
//! values of embeddings).

use crate::builder::ModelBuilder;
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::initializer::Initializer;
use partita_ir::layout::Monoid;
use partita_ir::ops::{
    BatchNorm, BinaryOp, ConvDims, Convolution, CrossEntropy, Gelu, GroupCount, LayerNorm, ReduceWindow, Softmax,
    UnaryOp,
};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;

/// Epsilon of norms: added to the variance or mean square to avoid division by zero.
const EPSILON: f64 = 1e-5;

/// Momentum of batch norm: the weight of the batch statistic in the update of a running statistic.
const MOMENTUM: f64 = 0.1;

/// Returns the initializer of weights and biases of a layer with fan-in `fan_in`: uniform, with absolute values up to
/// `1 / sqrt(fan_in)` (He et al. 2015, with gain `1 / sqrt(3)`, the default of PyTorch and Burn).
fn kaiming(fan_in: usize) -> Initializer {
    let high = 1.0 / (fan_in as f64).sqrt();
    Initializer::Uniform { low: -high, high }
}

/// An embedding table: one vector per index.
pub(crate) struct Embedding {
    name: &'static str,
    /// Weight `[rows, width]`: one row per index.
    weight: ValueId,
}

impl Embedding {
    /// Declares a table of `rows` vectors of `width` features with an initial standard deviation of 0.02, as in GPT-2
    /// and BERT (Radford et al. 2019, section 2.3; Devlin et al. 2019).
    pub fn new(m: &mut ModelBuilder<'_>, name: &'static str, rows: usize, width: usize) -> Embedding {
        let small = Initializer::Normal { mean: 0.0, deviation: 0.02 };
        Embedding { name, weight: m.module(name, |m| m.param("weight", [rows, width], small)) }
    }

    /// Gathers the vectors of `indices: [..]`: `[.., width]`.
    pub fn look_up(&self, m: &mut ModelBuilder<'_>, indices: ValueId) -> ValueId {
        m.module(self.name, |m| m.b.take(self.weight, indices, 0))
    }

    /// Adds the table to each element of the batch `x: [batch, rows, width]`, as for learned positions.
    pub fn add_to(&self, m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
        m.module(self.name, |m| m.broadcast(BinaryOp::Add, x, self.weight))
    }

    /// Adds rows of the table to each element of the batch `x: [batch, n, width]`. `select` maps the table to
    /// `[n, width]`.
    pub fn add_rows_to(
        &self,
        m: &mut ModelBuilder<'_>,
        x: ValueId,
        select: impl FnOnce(&mut ModelBuilder<'_>, ValueId) -> ValueId,
    ) -> ValueId {
        m.module(self.name, |m| {
            let rows = select(m, self.weight);
            m.broadcast(BinaryOp::Add, x, rows)
        })
    }

    /// Computes the dot product of each vector of `x: [.., width]` with each vector of the table: `[.., rows]`.
    pub fn scores(&self, m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
        m.module(self.name, |m| {
            let columns = m.b.swap_dims(self.weight, 0, 1);
            m.product(x, columns)
        })
    }
}

/// Computes `x w + b` on the last dimension of `x`, which becomes `features`. Declares `weight: [in, features]` and
/// `bias: [features]` of the module `name`.
pub(crate) fn linear(m: &mut ModelBuilder<'_>, name: &str, x: ValueId, features: usize) -> ValueId {
    m.module(name, |m| {
        let product = multiply_by_weight(m, x, features);
        let bias = m.param("bias", [features], kaiming(last_size(m, x)));
        m.broadcast(BinaryOp::Add, product, bias)
    })
}

/// Computes `x w` on the last dimension of `x`, which becomes `features`. Declares `weight: [in, features]` of the
/// module `name`.
pub(crate) fn projection(m: &mut ModelBuilder<'_>, name: &str, x: ValueId, features: usize) -> ValueId {
    m.module(name, |m| multiply_by_weight(m, x, features))
}

/// Declares `weight: [in, features]` of the current module, and multiplies the last dimension of `x` by it.
fn multiply_by_weight(m: &mut ModelBuilder<'_>, x: ValueId, features: usize) -> ValueId {
    let from = last_size(m, x);
    let weight = m.param("weight", [from, features], kaiming(from));
    m.product(x, weight)
}

/// Returns the size of the last dimension; 1 for a scalar.
fn last_size(m: &ModelBuilder<'_>, x: ValueId) -> usize {
    m.b.ty(x).shape.last().copied().unwrap_or(1)
}

/// Applies layer normalisation over the last dimension (Ba et al. 2016).
pub(crate) fn layer_norm(m: &mut ModelBuilder<'_>, name: &str, x: ValueId) -> ValueId {
    m.module(name, |m| {
        let width = last_size(m, x);
        let gamma = m.param("gamma", [width], Initializer::Constant(1.0));
        let beta = m.param("beta", [width], Initializer::Constant(0.0));
        let ty = m.b.ty(x);
        m.b.op("layer_norm", LayerNorm { eps: EPSILON }, &[x, gamma, beta], ty)
    })
}

/// Applies RMS normalisation over the last dimension (Zhang and Sennrich 2019).
pub(crate) fn rms_norm(m: &mut ModelBuilder<'_>, name: &str, x: ValueId) -> ValueId {
    m.module(name, |m| {
        let gamma = m.param("gamma", [last_size(m, x)], Initializer::Constant(1.0));
        let square = m.b.binary(BinaryOp::Mul, x, x);
        let last = m.b.ty(x).shape.rank() - 1;
        let mean = mean_along(m, square, last);
        let mean = m.scalar(BinaryOp::Add, mean, EPSILON);
        let root = m.b.unary(UnaryOp::Sqrt, mean);
        let normed = m.broadcast(BinaryOp::Div, x, root);
        m.broadcast(BinaryOp::Mul, normed, gamma)
    })
}

/// Batch norm (Ioffe and Szegedy 2015) over the channels of `[batch, channels, height, width]`.
pub(crate) struct ChannelNorm {
    gamma: ValueId,
    beta: ValueId,
    running_mean: ParamId,
    running_var: ParamId,
}

impl ChannelNorm {
    /// Declares the parameters and running statistics of the module `norm` for the given number of channels.
    pub fn new(m: &mut ModelBuilder<'_>, channels: usize) -> ChannelNorm {
        let [zero, one] = [0.0, 1.0].map(Initializer::Constant);
        m.module("norm", |m| ChannelNorm {
            gamma: m.param("gamma", [channels], one),
            beta: m.param("beta", [channels], zero),
            running_mean: m.state("running_mean", [channels], zero),
            running_var: m.state("running_var", [channels], one),
        })
    }

    /// Normalises `x` with the running statistics (inference mode).
    pub fn normalise_with_running(&self, m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
        m.module("norm", |m| {
            let [mean, variance] = [self.running_mean, self.running_var].map(|id| m.b.program.params[id].value);
            let ty = m.b.ty(x);
            let norm = BatchNorm { dim: 1, eps: EPSILON };
            m.b.op("batch_norm", norm, &[x, self.gamma, self.beta, mean, variance], ty)
        })
    }

    /// Normalises `x` with the batch statistics, and returns the updated running statistics (training mode).
    pub fn normalise_with_batch(&self, m: &mut ModelBuilder<'_>, x: ValueId) -> (ValueId, [(ParamId, ValueId); 2]) {
        m.module("norm", |m| {
            let mean = mean_of_channels(m, x);
            let centred = m.broadcast(BinaryOp::Sub, x, mean);
            let square = m.b.binary(BinaryOp::Mul, centred, centred);
            let variance = mean_of_channels(m, square);
            let shifted = m.scalar(BinaryOp::Add, variance, EPSILON);
            let deviation = m.b.unary(UnaryOp::Sqrt, shifted);
            let scaled = m.broadcast(BinaryOp::Div, centred, deviation);
            let [gamma, beta] = [self.gamma, self.beta].map(|weight| per_channel(m, weight));
            let scaled = m.broadcast(BinaryOp::Mul, scaled, gamma);
            let normed = m.broadcast(BinaryOp::Add, scaled, beta);
            let statistics = [(self.running_mean, mean), (self.running_var, variance)];
            (normed, statistics.map(|(running, batch)| (running, update_running(m, running, batch))))
        })
    }
}

/// Computes the mean of each channel of `x: [batch, channels, height, width]`: `[1, channels, 1, 1]`.
fn mean_of_channels(m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
    [0, 2, 3].into_iter().fold(x, |x, dim| mean_along(m, x, dim))
}

/// Reshapes `[channels]` to `[1, channels, 1, 1]`.
fn per_channel(m: &mut ModelBuilder<'_>, weight: ValueId) -> ValueId {
    let channels = last_size(m, weight);
    m.b.reshape(weight, [1, channels, 1, 1])
}

/// Returns the updated running statistic `[channels]`: the weighted mean of its old value and of a batch statistic of
/// shape `[1, channels, 1, 1]`.
fn update_running(m: &mut ModelBuilder<'_>, running: ParamId, batch: ValueId) -> ValueId {
    let running = m.b.program.params[running].value;
    let old = m.scalar(BinaryOp::Mul, running, 1.0 - MOMENTUM);
    let shape = m.b.ty(running).shape;
    let batch = m.b.reshape(batch, shape);
    let new = m.scalar(BinaryOp::Mul, batch, MOMENTUM);
    m.b.binary(BinaryOp::Add, old, new)
}

/// Applies a 3 x 3 convolution with bias, stride 1 and no padding: maps `[batch, in, height, width]` to the shape
/// `[batch, channels, height - 2, width - 2]`.
pub(crate) fn convolution(m: &mut ModelBuilder<'_>, name: &str, x: ValueId, channels: usize) -> ValueId {
    const KERNEL_SIZE: usize = 3;
    m.module(name, |m| {
        let [batch, from, height, width] = m.dims(x);
        let init = kaiming(from * KERNEL_SIZE * KERNEL_SIZE);
        let weight = m.param("weight", [channels, from, KERNEL_SIZE, KERNEL_SIZE], init);
        let bias = m.param("bias", [channels], init);
        let natural = Dims::from_slice(&[0, 1, 2, 3]);
        let convolution = Convolution {
            dims: ConvDims { input: natural.clone(), kernel: Dims::from_slice(&[1, 0, 2, 3]), output: natural },
            windows: vec![Window { size: KERNEL_SIZE, ..Window::default() }; 2],
            reverse: Dims::new(),
            feature_groups: GroupCount(1),
            batch_groups: GroupCount(1),
        };
        let ty = Type::new(DType::F32, [batch, channels, height + 1 - KERNEL_SIZE, width + 1 - KERNEL_SIZE]);
        let shape = ty.shape.clone();
        let out = m.b.op("conv", convolution, &[x, weight], ty);
        let bias = m.b.broadcast(bias, &[1], shape);
        m.b.binary(BinaryOp::Add, out, bias)
    })
}

/// Applies 2 x 2 max pooling with stride 2 to `[batch, channels, height, width]`.
pub(crate) fn max_pool(m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
    const POOL_SIZE: usize = 2;
    let [batch, channels, height, width] = m.dims(x);
    let square = Window { size: POOL_SIZE, stride: POOL_SIZE, ..Window::default() };
    let windows = vec![Window::default(), Window::default(), square, square];
    let ty = Type::new(DType::F32, [batch, channels, height / POOL_SIZE, width / POOL_SIZE]);
    m.b.op("max_pool", ReduceWindow { monoid: Monoid::Max, windows }, &[x], ty)
}

/// Applies softmax along a dimension.
pub(crate) fn softmax(m: &mut ModelBuilder<'_>, x: ValueId, dim: usize) -> ValueId {
    let ty = m.b.ty(x);
    m.b.op("softmax", Softmax { dim }, &[x], ty)
}

/// Applies the Gaussian error linear unit in its exact form, with the error function.
pub(crate) fn gelu(m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
    let ty = m.b.ty(x);
    m.b.op("gelu", Gelu::default(), &[x], ty)
}

/// Applies the sigmoid linear unit, `x * sigmoid(x)`.
pub(crate) fn silu(m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
    let sigmoid = m.b.unary(UnaryOp::Sigmoid, x);
    m.b.binary(BinaryOp::Mul, x, sigmoid)
}

/// Computes the mean along a dimension, which remains with size 1.
pub(crate) fn mean_along(m: &mut ModelBuilder<'_>, x: ValueId, dim: usize) -> ValueId {
    let mean = m.b.mean_dims(x, Dims::from_elem(dim, 1));
    m.b.unsqueeze(mean, dim)
}

/// Computes the sum along a dimension, which remains with size 1.
pub(crate) fn sum_along(m: &mut ModelBuilder<'_>, x: ValueId, dim: usize) -> ValueId {
    let sum = m.b.reduce(Monoid::Sum, x, dim);
    m.b.unsqueeze(sum, dim)
}

/// Computes the mean negative log-likelihood of class indices `targets: [..]` under `logits: [.., classes]`: `[1]`.
pub(crate) fn cross_entropy(m: &mut ModelBuilder<'_>, logits: ValueId, targets: ValueId) -> ValueId {
    let positions = m.b.ty(targets).shape;
    let ty = Type::new(m.b.ty(logits).dtype, positions);
    let losses = m.b.op("cross_entropy", CrossEntropy {}, &[logits, targets], ty);
    mean(m, losses)
}

/// Computes the mean of squared differences: `[1]`.
pub(crate) fn mean_squared_error(m: &mut ModelBuilder<'_>, output: ValueId, target: ValueId) -> ValueId {
    let difference = m.b.binary(BinaryOp::Sub, output, target);
    let square = m.b.binary(BinaryOp::Mul, difference, difference);
    mean(m, square)
}

/// Computes the mean of all elements: `[1]`.
fn mean(m: &mut ModelBuilder<'_>, x: ValueId) -> ValueId {
    let all = (0..m.b.ty(x).shape.rank()).collect();
    let mean = m.b.mean_dims(x, all);
    m.b.reshape(mean, Shape::from([1]))
}
