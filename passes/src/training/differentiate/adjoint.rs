//! Adjoints: for each op, the gradients of its operands from those of its results.
//!
//! A rule reads op, operands and results through [`Adjoint`], asks of each operand whether its gradient is wanted, and
//! gives it. Rules are written with ops of the IR, so that what they append is partitioned like everything else. What a
//! rule reads of the forward pass is kept until the backward pass runs: rules read results rather than operands where
//! either will do, since the next op usually keeps those anyway, and composites keep no more than their own operands
//! and results.

pub mod algebra;
mod attention;
mod binary;
mod contraction;
mod control;
mod convolution;
mod elementwise;
mod indexing;
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
use super::reverse::Sides;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase};
use partita_ir::tensor::Scalar;
use smallvec::SmallVec;

/// A gradient for each operand or result; `None` where it is zero or nobody wants it.
pub type Gradients = SmallVec<[Option<ValueId>; 3]>;

/// An op whose adjoint is asked for.
pub struct Adjoint<'a, 'p> {
    /// Gets the new ops.
    pub b: &'a mut Builder<'p>,
    /// The op.
    pub op: &'a Op,
    gradients: Gradients,
    sides: &'a Sides,
    defs: &'a [Option<OpId>],
    given: Gradients,
    before: Vec<OpId>,
    replaced: Option<Op>,
}

/// What a rule left behind.
pub struct Given {
    /// The gradients of the operands.
    pub gradients: Gradients,
    /// What the forward pass runs in the op's place, so that the backward pass finds what it needs.
    pub replaced: Option<Op>,
    /// What the forward pass runs right before it.
    pub before: Vec<OpId>,
}

impl<'a, 'p> Adjoint<'a, 'p> {
    /// The op, with the gradients of its results; at least one of them is there. `defs` are the ops that give values,
    /// by value.
    pub fn new(
        b: &'a mut Builder<'p>,
        op: &'a Op,
        gradients: Gradients,
        sides: &'a Sides,
        defs: &'a [Option<OpId>],
    ) -> Adjoint<'a, 'p> {
        let given = op.args.iter().map(|_| None).collect();
        Adjoint { b, op, gradients, sides, defs, given, before: Vec::new(), replaced: None }
    }

    /// Operand `i`.
    pub fn arg(&self, i: usize) -> ValueId {
        self.op.args[i]
    }

    /// Result 0.
    pub fn out(&self) -> ValueId {
        self.op.outs[0]
    }

    /// The gradient of result `i`.
    pub fn gradient_of(&self, i: usize) -> Option<ValueId> {
        self.gradients[i]
    }

    /// The gradient of result 0, zeros if there is none.
    pub fn gradient(&mut self) -> ValueId {
        match self.gradients[0] {
            Some(gradient) => gradient,
            None => {
                let ty = self.b.ty(self.out());
                self.b.zeros(ty)
            }
        }
    }

    /// The type of operand `i`.
    pub fn arg_type(&self, i: usize) -> Type {
        self.b.ty(self.arg(i))
    }

    /// Whether the gradient of operand `i` is wanted. The ops that are appended next are part of computing it.
    pub fn wants(&mut self, i: usize) -> bool {
        let arg = self.arg(i);
        self.b.phase = self.sides.phase(arg);
        self.sides.is_wanted(arg) && (0..self.op.outs.len()).any(|o| depends(&self.op.kind, i, o))
    }

    /// Whether operand `i` depends on data, so that its gradient is part of the pass to inputs.
    pub fn is_data(&self, i: usize) -> bool {
        self.sides.phase(self.arg(i)) == Phase::BackwardInput
    }

    /// States the gradient of operand `i`.
    pub fn give(&mut self, i: usize, gradient: ValueId) {
        debug_assert_eq!(self.b.ty(gradient), self.arg_type(i), "the gradient of operand {i} of {:?}", self.op.kind);
        self.given[i] = Some(gradient);
    }

    /// The op that gives a value, if it is one of those that were run.
    pub fn def(&self, value: ValueId) -> Option<&Op> {
        let id = self.defs.get(value.index()).copied().flatten()?;
        Some(&self.b.program.ops[id])
    }

    /// The number that fills a value, where the program says so.
    ///
    /// Recogniser: a rule for any values gives the gradient of a number that is made in another way.
    pub fn number(&self, value: ValueId) -> Option<f64> {
        let op = self.def(value)?;
        match op.kind {
            OpKind::Broadcast(_) | OpKind::Reshape(_) => self.number(op.args[0]),
            _ => op.kind.splat().map(Scalar::to_f64),
        }
    }

    /// The `bool` that operand `i` was made of, if it is a mask of zeros and ones. Where the mask was moved since, the
    /// `bool` is moved alike.
    ///
    /// Recogniser: the gradient is multiplied with a factor that is made in another way.
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

    /// Appends what the forward pass runs right before the op.
    pub fn before<T>(&mut self, write: impl FnOnce(&mut Builder<'p>) -> T) -> T {
        let (body, phase) = (std::mem::take(&mut self.b.body), self.b.phase);
        self.b.phase = self.op.phase;
        let result = write(self.b);
        self.before.extend(std::mem::replace(&mut self.b.body, body));
        self.b.phase = phase;
        result
    }

    /// Puts another op into the op's place in the forward pass. It must give what the op gave, and may give more.
    pub fn replace(&mut self, op: Op) {
        self.replaced = Some(op);
    }

    /// What was given, by operand.
    pub fn given(self) -> Given {
        Given { gradients: self.given, replaced: self.replaced, before: self.before }
    }
}

/// Whether small changes of operand `i` can change result `o`: rounding and comparing have gradient zero almost
/// everywhere.
pub fn depends(kind: &OpKind, i: usize, o: usize) -> bool {
    match kind {
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) | OpKind::Compare(_) => false,
        OpKind::Mask(_) | OpKind::PieceStart(_) => false,
        OpKind::Unary(unary) => unary::depends(unary.op),
        OpKind::Binary(binary) => binary::depends(binary.op, i),
        // What comes first stays first.
        OpKind::Sort(_) => i == o,
        OpKind::SelectAndScatter(_) => i == 1,
        OpKind::Select(_) | OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) | OpKind::Broadcast(_) => true,
        OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) | OpKind::Slice(_) | OpKind::Pad(_) => true,
        OpKind::Concatenate(_) | OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) => true,
        OpKind::Gather(_) | OpKind::Scatter(_) | OpKind::DotGeneral(_) | OpKind::Convolution(_) => true,
        OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_) | OpKind::TopK(_) => true,
        OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => true,
        OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => true,
        OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::Momentum(_) | OpKind::Adam(_) => true,
        OpKind::Loop(_) | OpKind::Constrain(_) | OpKind::Reshard(_) => true,
        OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) | OpKind::AllToAll(_) => true,
        OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) => true,
    }
}

/// Why an op has no adjoint.
pub enum Refusal {
    /// In words.
    Words(String),
    /// Ops in a function that it runs have none.
    Inner(Vec<Diagnostic>),
}

impl From<String> for Refusal {
    fn from(words: String) -> Refusal {
        Refusal::Words(words)
    }
}

/// Gives the gradients of an op's operands.
///
/// # Errors
/// Why the op has no adjoint.
pub fn adjoint(at: &mut Adjoint<'_, '_>) -> Result<(), Refusal> {
    let op = at.op;
    let given = match &op.kind {
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) | OpKind::Compare(_) => Ok(()),
        OpKind::Unary(unary) => unary::adjoint(at, unary.op),
        OpKind::Binary(binary) => binary::adjoint(at, binary.op),
        OpKind::Select(_) => elementwise::select(at),
        OpKind::Clamp(_) => elementwise::clamp(at),
        OpKind::Convert(_) => elementwise::convert(at),
        OpKind::Bitcast(_) => elementwise::bitcast(at),
        OpKind::Broadcast(op) => movement::broadcast(at, op),
        OpKind::Reshape(_) => movement::reshape(at),
        OpKind::Transpose(op) => movement::transpose(at, op),
        OpKind::Reverse(op) => movement::reverse(at, op),
        OpKind::Slice(op) => movement::slice(at, op),
        OpKind::Pad(op) => movement::pad(at, op),
        OpKind::Concatenate(op) => movement::concatenate(at, op),
        OpKind::DynamicSlice(_) => movement::dynamic_slice(at),
        OpKind::DynamicUpdateSlice(_) => movement::dynamic_update_slice(at),
        OpKind::Constrain(_) => movement::constrain(at),
        OpKind::Gather(op) => indexing::gather(at, op),
        OpKind::Scatter(op) => indexing::scatter(at, op),
        OpKind::DotGeneral(op) => contraction::dot_general(at, op),
        OpKind::Convolution(op) => convolution::convolution(at, op),
        OpKind::Reduce(op) => reduction::reduce(at, op),
        OpKind::ReduceFunc(op) => return reducer::reduce_func(at, op),
        OpKind::ReduceWindow(op) => windows::reduce_window(at, op),
        OpKind::SelectAndScatter(op) => windows::select_and_scatter(at, op),
        OpKind::Sort(op) => ordering::sort(at, op),
        OpKind::TopK(_) => ordering::top_k(at),
        OpKind::Softmax(op) => softmax::softmax(at, op.dim),
        OpKind::LogSoftmax(op) => softmax::log_softmax(at, op.dim),
        OpKind::LayerNorm(op) => norm::layer_norm(at, op),
        OpKind::RmsNorm(op) => norm::rms_norm(at, op),
        OpKind::BatchNorm(op) => norm::batch_norm(at, op),
        OpKind::Gelu(op) => elementwise::gelu(at, op),
        OpKind::CrossEntropy(_) => loss::cross_entropy(at),
        OpKind::Attention(op) => attention::attention(at, op),
        OpKind::AttentionGrad(_) => Err("it is taken apart before".into()),
        OpKind::Momentum(_) | OpKind::Adam(_) => Err("a step of an optimizer is the end of a training step".into()),
        OpKind::Loop(op) => return control::looped(at, op),
        OpKind::Reshard(_)
        | OpKind::AllReduce(_)
        | OpKind::AllGather(_)
        | OpKind::ReduceScatter(_)
        | OpKind::AllToAll(_)
        | OpKind::Permute(_)
        | OpKind::Shard(_)
        | OpKind::Partial(_)
        | OpKind::Mask(_)
        | OpKind::PieceStart(_) => {
            Err("it belongs to a partitioned program, and only a program as it was traced is differentiated".into())
        }
    };
    Ok(given?)
}
