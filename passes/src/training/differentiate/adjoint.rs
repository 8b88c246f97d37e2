//! Adjoints: for each op, the gradients of its operands from the gradients of its results.
//!
//! A rule accesses the op, its operands and its results through [`Adjoint`], checks which gradients are needed, and
//! sets them. Rules append ops of the IR, so that the backward pass is partitioned like any other code. Values of the
//! forward pass that a rule reads are stored until the backward pass. Rules therefore read results rather than operands
//! where both are sufficient, since the next op usually stores those as well, and composites store only their operands
//! and results.

pub mod algebra;
mod attention;
mod binary;
mod contraction;
mod control;
mod convolution;
mod elementwise;
mod indexing;
mod linear_algebra;
mod loss;
mod movement;
mod norm;
mod ordering;
mod reducer;
mod reduction;
mod softmax;
mod unary;
mod windows;

use self::algebra::Algebra;
use super::reverse::Activity;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase};
use partita_ir::tensor::Scalar;
use smallvec::SmallVec;

/// A gradient for each operand or result. `None` if it is zero or not needed.
pub type Gradients = SmallVec<[Option<ValueId>; 3]>;

/// Context of an adjoint rule for one op.
pub struct Adjoint<'a, 'p> {
    /// Builder to which the rule appends ops.
    pub b: &'a mut Builder<'p>,
    /// The op to differentiate.
    pub op: &'a Op,
    gradients: Gradients,
    activity: &'a Activity,
    defs: &'a [Option<OpId>],
    operand_gradients: Gradients,
    before: Vec<OpId>,
    replaced: Option<Op>,
}

/// Results of an adjoint rule.
pub struct AdjointResult {
    /// The gradients of the operands.
    pub gradients: Gradients,
    /// The op that replaces the original one in the forward pass, with additional results for the backward pass.
    pub replaced: Option<Op>,
    /// Ops that are inserted before the op in the forward pass.
    pub before: Vec<OpId>,
}

impl<'a, 'p> Adjoint<'a, 'p> {
    /// Returns the context of an op, with the gradients of its results, at least one of which is `Some`. `defs` maps
    /// each value to the op that defines it.
    pub fn new(
        b: &'a mut Builder<'p>,
        op: &'a Op,
        gradients: Gradients,
        activity: &'a Activity,
        defs: &'a [Option<OpId>],
    ) -> Adjoint<'a, 'p> {
        let operand_gradients = op.args.iter().map(|_| None).collect();
        Adjoint { b, op, gradients, activity, defs, operand_gradients, before: Vec::new(), replaced: None }
    }

    /// Returns operand `i`.
    pub fn arg(&self, i: usize) -> ValueId {
        self.op.args[i]
    }

    /// Returns result 0.
    pub fn out(&self) -> ValueId {
        self.op.outs[0]
    }

    /// Returns the gradient of result `i`.
    pub fn gradient_of(&self, i: usize) -> Option<ValueId> {
        self.gradients[i]
    }

    /// Returns the gradient of result 0, or zeros if it has none.
    pub fn gradient(&mut self) -> ValueId {
        match self.gradients[0] {
            Some(gradient) => gradient,
            None => {
                let ty = self.b.ty(self.out());
                self.b.zeros(ty)
            }
        }
    }

    /// Returns the type of operand `i`.
    pub fn arg_type(&self, i: usize) -> Type {
        self.b.ty(self.arg(i))
    }

    /// Returns true if the gradient of operand `i` is needed. Sets the phase of the ops that are appended next.
    pub fn needs_gradient(&mut self, i: usize) -> bool {
        let arg = self.arg(i);
        self.b.phase = self.activity.phase(arg);
        self.activity.is_wanted(arg) && (0..self.op.outs.len()).any(|o| may_depend(&self.op.kind, i, o))
    }

    /// Returns true if operand `i` depends on data, so that its gradient belongs to the backward pass to inputs.
    pub fn is_data(&self, i: usize) -> bool {
        self.activity.phase(self.arg(i)) == Phase::BackwardInput
    }

    /// Sets the gradient of operand `i`.
    pub fn set_gradient(&mut self, i: usize, gradient: ValueId) {
        assert_eq!(self.b.ty(gradient), self.arg_type(i), "the gradient of operand {i} of {:?}", self.op.kind);
        self.operand_gradients[i] = Some(gradient);
    }

    /// Returns the op that defines a value, if it is an op of the forward pass.
    pub fn def(&self, value: ValueId) -> Option<&Op> {
        let id = self.defs.get(value.index()).copied().flatten()?;
        Some(&self.b.program.ops[id])
    }

    /// Returns the number that fills a value, if the value is a constant.
    ///
    /// Recogniser: for any other value, rules use the general formula.
    pub fn constant(&self, value: ValueId) -> Option<f64> {
        let op = self.def(value)?;
        match op.kind {
            OpKind::Broadcast(_) | OpKind::Reshape(_) => self.constant(op.args[0]),
            _ => op.kind.splat().map(Scalar::to_f64),
        }
    }

    /// Returns the `bool` tensor from which operand `i` was converted, if the operand is a mask of zeros and ones.
    /// Appends copies of the data movement between the two.
    ///
    /// Recogniser: for any other factor, the rule multiplies the gradient by the factor.
    pub fn mask(&mut self, i: usize) -> Option<ValueId> {
        let mut moves = Vec::new();
        let mut value = self.arg(i);
        let mut mask = loop {
            let op = self.def(value)?.clone();
            let from = *op.args.first()?;
            match op.kind {
                OpKind::Convert(_) if self.b.ty(from).dtype == DType::Bool => break from,
                OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) => moves.push(op),
                _ => return None,
            }
            value = from;
        };
        for op in moves.into_iter().rev() {
            let ty = Type { shape: self.b.ty(op.outs[0]).shape, dtype: DType::Bool };
            mask = self.b.op("mask", op.kind, &[mask], ty);
        }
        Some(mask)
    }

    /// Inserts ops before the op in the forward pass.
    pub fn insert_before<T>(&mut self, write: impl FnOnce(&mut Builder<'p>) -> T) -> T {
        let (body, phase) = (std::mem::take(&mut self.b.body), self.b.phase);
        self.b.phase = self.op.phase;
        let result = write(self.b);
        self.before.extend(std::mem::replace(&mut self.b.body, body));
        self.b.phase = phase;
        result
    }

    /// Replaces the op in the forward pass. The new op must have the results of the old one and may have more.
    pub fn replace(&mut self, op: Op) {
        self.replaced = Some(op);
    }

    /// Returns the results of the rule.
    pub fn into_result(self) -> AdjointResult {
        AdjointResult { gradients: self.operand_gradients, replaced: self.replaced, before: self.before }
    }
}

/// Returns true if small changes of operand `i` can change result `o`. Rounding and comparisons have gradient zero
/// almost everywhere.
pub fn may_depend(kind: &OpKind, i: usize, o: usize) -> bool {
    match kind {
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) | OpKind::Compare(_) => false,
        OpKind::Mask(_) | OpKind::ShardStart(_) => false,
        OpKind::Unary(unary) => unary::may_depend(unary.op),
        OpKind::Binary(binary) => binary::may_depend(binary.op, i),
        // Each result is a permutation of the operand at the same position.
        OpKind::Sort(_) => i == o,
        OpKind::SelectAndScatter(_) => i == 1,
        OpKind::Select(_) | OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) | OpKind::Broadcast(_) => true,
        OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) | OpKind::Slice(_) | OpKind::Pad(_) => true,
        OpKind::Concatenate(_) | OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) => true,
        OpKind::Gather(_) | OpKind::Scatter(_) | OpKind::DotGeneral(_) | OpKind::Convolution(_) => true,
        OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_) | OpKind::TopK(_) => true,
        OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => true,
        OpKind::HouseholderProduct(_)
        | OpKind::Svd(_)
        | OpKind::Eigh(_)
        | OpKind::Eig(_)
        | OpKind::Hessenberg(_)
        | OpKind::TridiagonalSolve(_)
        | OpKind::CustomCall(_) => true,
        OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => true,
        OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => true,
        OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::Momentum(_) | OpKind::Adam(_) => true,
        OpKind::Loop(_) | OpKind::Constrain(_) | OpKind::Reshard(_) => true,
        OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) | OpKind::AllToAll(_) => true,
        OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) => true,
    }
}

/// The reason why an op has no adjoint.
pub enum AdjointError {
    /// A description.
    Unsupported(String),
    /// Errors of ops in a function that the op calls.
    Inner(Vec<Diagnostic>),
}

impl From<String> for AdjointError {
    fn from(reason: String) -> AdjointError {
        AdjointError::Unsupported(reason)
    }
}

/// Sets the gradients of an op's operands.
///
/// # Errors
/// The reason why the op has no adjoint.
pub fn adjoint(ctx: &mut Adjoint<'_, '_>) -> Result<(), AdjointError> {
    let op = ctx.op;
    let result = match &op.kind {
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) | OpKind::Compare(_) => Ok(()),
        OpKind::Unary(unary) => unary::adjoint(ctx, unary.op),
        OpKind::Binary(binary) => binary::adjoint(ctx, binary.op),
        OpKind::Select(_) => elementwise::select(ctx),
        OpKind::Clamp(_) => elementwise::clamp(ctx),
        OpKind::Convert(_) => elementwise::convert(ctx),
        OpKind::Bitcast(_) => elementwise::bitcast(ctx),
        OpKind::Broadcast(op) => movement::broadcast(ctx, op),
        OpKind::Reshape(_) => movement::reshape(ctx),
        OpKind::Transpose(op) => movement::transpose(ctx, op),
        OpKind::Reverse(op) => movement::reverse(ctx, op),
        OpKind::Slice(op) => movement::slice(ctx, op),
        OpKind::Pad(op) => movement::pad(ctx, op),
        OpKind::Concatenate(op) => movement::concatenate(ctx, op),
        OpKind::DynamicSlice(_) => movement::dynamic_slice(ctx),
        OpKind::DynamicUpdateSlice(_) => movement::dynamic_update_slice(ctx),
        OpKind::Constrain(op) => movement::constrain(ctx, op),
        OpKind::Gather(op) => indexing::gather(ctx, op),
        OpKind::Scatter(op) => indexing::scatter(ctx, op),
        OpKind::DotGeneral(op) => contraction::dot_general(ctx, op),
        OpKind::Convolution(op) => convolution::convolution(ctx, op),
        OpKind::Reduce(op) => reduction::reduce(ctx, op),
        OpKind::ReduceFunc(op) => return reducer::reduce_func(ctx, op),
        OpKind::ReduceWindow(op) => windows::reduce_window(ctx, op),
        OpKind::SelectAndScatter(op) => windows::select_and_scatter(ctx, op),
        OpKind::Sort(op) => ordering::sort(ctx, op),
        OpKind::TopK(_) => ordering::top_k(ctx),
        OpKind::Fft(op) => linear_algebra::fft(ctx, op),
        OpKind::Cholesky(op) => linear_algebra::cholesky(ctx, op),
        OpKind::TriangularSolve(op) => linear_algebra::triangular_solve(ctx, op),
        OpKind::Lu(_) | OpKind::Qr(_) | OpKind::HouseholderProduct(_) => Err(linear_algebra::NO_ADJOINT.into()),
        OpKind::Svd(_) | OpKind::Eigh(_) | OpKind::Eig(_) | OpKind::Hessenberg(_) | OpKind::TridiagonalSolve(_) => {
            Err(linear_algebra::NO_ADJOINT.into())
        }
        OpKind::CustomCall(_) => Err("the function that it calls is unknown".to_owned()),
        OpKind::Softmax(op) => softmax::softmax(ctx, op.dim),
        OpKind::LogSoftmax(op) => softmax::log_softmax(ctx, op.dim),
        OpKind::LayerNorm(op) => norm::layer_norm(ctx, op),
        OpKind::RmsNorm(op) => norm::rms_norm(ctx, op),
        OpKind::BatchNorm(op) => norm::batch_norm(ctx, op),
        OpKind::Gelu(op) => elementwise::gelu(ctx, op),
        OpKind::CrossEntropy(_) => loss::cross_entropy(ctx),
        OpKind::Attention(op) => attention::attention(ctx, op),
        OpKind::AttentionGrad(_) => Err("it is decomposed before differentiation".into()),
        OpKind::Momentum(_) | OpKind::Adam(_) => Err("an optimizer step is not differentiable".into()),
        OpKind::Loop(op) => return control::loop_adjoint(ctx, op),
        OpKind::Reshard(_)
        | OpKind::AllReduce(_)
        | OpKind::AllGather(_)
        | OpKind::ReduceScatter(_)
        | OpKind::AllToAll(_)
        | OpKind::Permute(_)
        | OpKind::Shard(_)
        | OpKind::Partial(_)
        | OpKind::Mask(_)
        | OpKind::ShardStart(_) => {
            Err("it belongs to a partitioned program, and only traced programs are differentiated".into())
        }
    };
    Ok(result?)
}
