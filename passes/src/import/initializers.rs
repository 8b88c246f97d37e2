//! Default initializers of parameters without one, inferred from their use in the model.
//!
//! The scale of a norm starts with one, a bias with zero. A weight is uniform with variance 1 / fan-in (LeCun et al.
//! 1998, "Efficient BackProp", section 4.6), so that activations keep their variance from layer to layer. An embedding
//! has a small constant deviation. Uses are searched in the traced model, including loop bodies (a model that scans
//! over its layers reads one slice of a stack per iteration), and before a plan is applied, so that the result is
//! independent of the plan.

use partita_ir::arena::{Id, ParamId, ValueId};
use partita_ir::class::{Class, Control, DeviceOp};
use partita_ir::dtype::Shape;
use partita_ir::initializer::Initializer;
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Loop, UnaryOp};
use partita_ir::program::{ParamKind, Program};

/// Standard deviation of an initial embedding.
const EMBEDDING_STD_DEV: f64 = 0.05;

/// Assigns an initializer to every parameter that has none.
pub fn declare_initializers(program: &mut Program) {
    let roles = RoleInference::new(program).roles;
    let without: Vec<ParamId> = program.params.iter().filter(|(_, p)| p.init.is_none()).map(|(id, _)| id).collect();
    for id in without {
        program.params[id].init = Some(initializer(program, id, roles[id.index()]));
    }
}

fn initializer(program: &Program, id: ParamId, role: Option<ParamRole>) -> Initializer {
    let param = &program.params[id];
    let ty = program.ty(param.value);
    let is_state = param.kind == ParamKind::State;
    let role = role.unwrap_or(match ty.shape.split_last() {
        Some((_, rows @ [_, ..])) => ParamRole::Weight { fan_in: rows.iter().product() },
        Some((_, [])) | None => ParamRole::Bias,
    });
    match role {
        ParamRole::Variance => Initializer::Constant(1.0),
        // State such as running means, counts and moments.
        ParamRole::Scale | ParamRole::Bias | ParamRole::Embedding | ParamRole::Weight { .. }
            if is_state || !ty.dtype.is_float() =>
        {
            Initializer::Constant(0.0)
        }
        ParamRole::Scale => Initializer::Constant(1.0),
        ParamRole::Bias => Initializer::Constant(0.0),
        ParamRole::Embedding => Initializer::uniform(EMBEDDING_STD_DEV),
        ParamRole::Weight { fan_in } => Initializer::uniform(1.0 / (fan_in.max(1) as f64).sqrt()),
    }
}

/// Role of a parameter in the model.
#[derive(Clone, Copy, PartialEq, Debug)]
enum ParamRole {
    /// A factor of activations, per feature.
    Scale,
    /// An operand of a square root or logarithm.
    Variance,
    /// A bias: a summand of activations, per feature.
    Bias,
    /// A table whose rows are looked up, or a summand of such rows.
    Embedding,
    /// An operand of a contraction. `fan_in` is the number of summands of one output.
    Weight { fan_in: usize },
}

/// Relation between an op's results and one of its operands.
enum OperandUse {
    /// The results contain the operand's elements: moved, rounded, or scaled or shifted by a constant.
    Copied,
    /// The op looks up rows of the operand.
    LookedUp,
    /// The op determines the parameter's role.
    Determines(ParamRole),
    /// No information about the role.
    Other,
}

/// A value that contains elements of a parameter.
#[derive(Clone)]
struct ParamCopy {
    param: ParamId,
    /// Dimensions larger than 1, except for those added by broadcasting.
    shape: Shape,
}

/// Inferred roles of all parameters.
struct RoleInference<'p> {
    program: &'p Program,
    /// For each value, the parameter it is a copy of.
    copies: Vec<Option<ParamCopy>>,
    /// For each value, true if it is computed from constants only.
    constant: Vec<bool>,
    /// For each parameter, its role.
    roles: Vec<Option<ParamRole>>,
}

impl<'p> RoleInference<'p> {
    fn new(program: &'p Program) -> RoleInference<'p> {
        let n = program.values.len();
        let roles = vec![None; program.params.len()];
        let mut roles = RoleInference { program, copies: vec![None; n], constant: vec![false; n], roles };
        for (id, param) in program.params.iter() {
            let shape = without_unit_dims(&program.ty(param.value).shape);
            roles.copies[param.value.index()] = Some(ParamCopy { param: id, shape });
        }
        for op in program.model_ops() {
            roles.visit(&op);
        }
        roles
    }

    fn visit(&mut self, at: &ModelOp<'_>) {
        let op = at.op;
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            self.enter_loop(l, &op.args, &op.outs);
            return;
        }
        let constant = op.args.iter().all(|arg| self.constant[arg.index()]) && is_deterministic(&op.kind);
        op.outs.iter().for_each(|out| self.constant[out.index()] = constant);
        for (i, &arg) in op.args.iter().enumerate() {
            let Some(copied) = self.copies[arg.index()].clone() else { continue };
            match self.operand_use(at, i, &copied) {
                OperandUse::Copied => op.outs.iter().for_each(|&out| self.copy(&copied, out)),
                // A look-up takes precedence over other uses: an embedding may be tied to the last layer.
                OperandUse::LookedUp => {
                    self.roles[copied.param.index()] = Some(ParamRole::Embedding);
                }
                OperandUse::Determines(role) => {
                    self.roles[copied.param.index()].get_or_insert(role);
                }
                OperandUse::Other => {}
            }
        }
    }

    /// Propagates copies and constants into a loop body, and to results that the loop passes through unchanged.
    fn enter_loop(&mut self, l: &Loop, args: &[ValueId], outs: &[ValueId]) {
        let body = &self.program.funcs[l.body];
        for (i, (&arg, &input)) in args.iter().zip(&body.inputs).enumerate() {
            let is_invariant = body.outputs.get(i).is_some_and(|o| o.value == input);
            self.copies[input.index()] = self.copies[arg.index()].clone();
            self.constant[input.index()] = is_invariant && self.constant[arg.index()];
            if let Some(&out) = outs.get(i).filter(|_| is_invariant) {
                self.copies[out.index()] = self.copies[arg.index()].clone();
                self.constant[out.index()] = self.constant[arg.index()];
            }
        }
    }

    fn copy(&mut self, from: &ParamCopy, to: ValueId) {
        let shape = without_unit_dims(&self.program.ty(to).shape);
        let is_repeated = shape.rank() > from.shape.rank();
        let shape = if is_repeated { from.shape.clone() } else { shape };
        self.copies[to.index()].get_or_insert(ParamCopy { param: from.param, shape });
    }

    /// Returns the relation between the results of `at` and its operand `i`.
    fn operand_use(&self, at: &ModelOp<'_>, i: usize, copied: &ParamCopy) -> OperandUse {
        let args = &at.op.args;
        let shape = |i: usize| &self.program.ty(args[i]).shape;
        let by_feature = copied.shape.rank() <= 1;
        let copies_if = |condition: bool| if condition { OperandUse::Copied } else { OperandUse::Other };
        match &at.op.kind {
            OpKind::Broadcast(_)
            | OpKind::Reshape(_)
            | OpKind::Transpose(_)
            | OpKind::Reverse(_)
            | OpKind::Slice(_)
            | OpKind::Concatenate(_)
            | OpKind::Convert(_)
            | OpKind::Constrain(_)
            | OpKind::Reshard(_)
            | OpKind::AllReduce(_)
            | OpKind::AllGather(_)
            | OpKind::ReduceScatter(_)
            | OpKind::AllToAll(_)
            | OpKind::Permute(_)
            | OpKind::Shard(_)
            | OpKind::Partial(_)
            | OpKind::Mask(_) => OperandUse::Copied,
            OpKind::Pad(_) | OpKind::DynamicSlice(_) => copies_if(i == 0),
            OpKind::DynamicUpdateSlice(_) => copies_if(i <= 1),
            OpKind::Select(_) => copies_if(i >= 1),
            OpKind::Clamp(_) => copies_if(i == 1),
            OpKind::Gather(gather) if i == 0 => {
                let indices = shape(1);
                let dims = (0..indices.rank()).filter(|&d| d != gather.index_vector_dim);
                let slices: usize = dims.map(|d| indices[d]).product();
                // A single slice is one layer of a stack: that of the iteration, or a matrix.
                let is_matrix = gather.slice_sizes.iter().filter(|&&n| n > 1).count() > 1;
                let is_layer = slices == 1 && (at.func != self.program.entry() || is_matrix);
                if is_layer { OperandUse::Copied } else { OperandUse::LookedUp }
            }
            OpKind::Unary(unary) => use_by_unary(unary.op),
            OpKind::Binary(binary) => {
                let other = args[1 - i.min(1)];
                let with_constant = self.constant[other.index()];
                let with_itself = self.copies[other.index()].as_ref().is_some_and(|o| o.param == copied.param);
                match binary.op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if with_constant => OperandUse::Copied,
                    BinaryOp::Max | BinaryOp::Min => copies_if(with_constant),
                    // A norm of the weights.
                    BinaryOp::Mul | BinaryOp::Div | BinaryOp::Add | BinaryOp::Sub if with_itself => OperandUse::Other,
                    BinaryOp::Div if i == 0 => OperandUse::Copied,
                    BinaryOp::Mul | BinaryOp::Div if by_feature => OperandUse::Determines(ParamRole::Scale),
                    BinaryOp::Mul | BinaryOp::Div => {
                        OperandUse::Determines(ParamRole::Weight { fan_in: copied.shape[0] })
                    }
                    BinaryOp::Add | BinaryOp::Sub if by_feature => OperandUse::Determines(ParamRole::Bias),
                    BinaryOp::Add | BinaryOp::Sub => OperandUse::Determines(ParamRole::Embedding),
                    BinaryOp::Rem
                    | BinaryOp::Pow
                    | BinaryOp::Atan2
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::ShiftLeft
                    | BinaryOp::ShiftRight
                    | BinaryOp::ShiftRightLogical
                    | BinaryOp::NextAfter => OperandUse::Other,
                }
            }
            OpKind::DotGeneral(dot) => {
                let dims = if i == 0 { &dot.contract.lhs } else { &dot.contract.rhs };
                OperandUse::Determines(ParamRole::Weight { fan_in: dims.iter().map(|&d| shape(i)[d]).product() })
            }
            OpKind::Convolution(conv) if i == 1 => {
                let outputs = conv.dims.kernel.get(1).map_or(1, |&d| shape(i)[d]).max(1);
                OperandUse::Determines(ParamRole::Weight { fan_in: shape(i).count() / outputs })
            }
            OpKind::LayerNorm(_) | OpKind::RmsNorm(_) if i == 1 => OperandUse::Determines(ParamRole::Scale),
            OpKind::LayerNorm(_) if i == 2 => OperandUse::Determines(ParamRole::Bias),
            OpKind::BatchNorm(_) => match i {
                1 => OperandUse::Determines(ParamRole::Scale),
                2 | 3 => OperandUse::Determines(ParamRole::Bias),
                4 => OperandUse::Determines(ParamRole::Variance),
                _ => OperandUse::Other,
            },
            // Activations, indices, seeds, and the update of an imported training step.
            OpKind::Constant(_)
            | OpKind::Iota(_)
            | OpKind::Random(_)
            | OpKind::RngBits(_)
            | OpKind::Compare(_)
            | OpKind::Bitcast(_)
            | OpKind::Gather(_)
            | OpKind::Scatter(_)
            | OpKind::Convolution(_)
            | OpKind::Reduce(_)
            | OpKind::ReduceFunc(_)
            | OpKind::ReduceWindow(_)
            | OpKind::SelectAndScatter(_)
            | OpKind::Sort(_)
            | OpKind::Fft(_)
            | OpKind::Cholesky(_)
            | OpKind::TriangularSolve(_)
            | OpKind::Lu(_)
            | OpKind::Qr(_)
            | OpKind::HouseholderProduct(_)
            | OpKind::Svd(_)
            | OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_)
            | OpKind::TopK(_)
            | OpKind::Softmax(_)
            | OpKind::LogSoftmax(_)
            | OpKind::LayerNorm(_)
            | OpKind::RmsNorm(_)
            | OpKind::Gelu(_)
            | OpKind::CrossEntropy(_)
            | OpKind::Attention(_)
            | OpKind::AttentionGrad(_)
            | OpKind::Momentum(_)
            | OpKind::Adam(_)
            | OpKind::Loop(_)
            | OpKind::ShardStart(_) => OperandUse::Other,
        }
    }
}

/// Returns true if the op is deterministic and position-independent: equal operands give equal results.
fn is_deterministic(kind: &OpKind) -> bool {
    match kind.class().device() {
        Some(DeviceOp::ShardStart(_)) => false,
        Some(DeviceOp::Shard(_) | DeviceOp::Partial(_) | DeviceOp::Mask(_)) => true,
        None => !kind.is_collective() && kind.class() != Class::Random,
    }
}

fn use_by_unary(op: UnaryOp) -> OperandUse {
    if op.copies_or_rounds() {
        OperandUse::Copied
    } else if op.is_applied_to_variance() {
        OperandUse::Determines(ParamRole::Variance)
    } else {
        OperandUse::Other
    }
}

fn without_unit_dims(shape: &Shape) -> Shape {
    shape.iter().copied().filter(|&n| n > 1).collect()
}
