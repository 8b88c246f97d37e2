//! Initializers of parameters for which the model states none: what a parameter does in the model decides.
//!
//! The scale of a norm starts with one, and what is added with zero. A weight is uniform with a variance of one over
//! the number of inputs that an output is summed of (LeCun et al. 1998), so that values keep their size from layer to
//! layer; an embedding is small. Uses are searched in the model as it was traced, in the bodies of its loops too (a
//! model that scans over its layers reads them there, one slice of a stack at a time), and before any plan is applied,
//! so that no plan changes them.

use partita_ir::arena::{Id, ParamId, ValueId};
use partita_ir::class::{Class, Control, DeviceOp};
use partita_ir::dtype::Shape;
use partita_ir::initializer::Initializer;
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Loop, UnaryOp};
use partita_ir::program::{ParamKind, Program};

/// The standard deviation of an embedding.
const EMBEDDING: f64 = 0.05;

/// Gives an initializer to every parameter that has none.
pub fn declare_initializers(program: &mut Program) {
    let roles = Roles::of(program).found;
    let without: Vec<ParamId> = program.params.iter().filter(|(_, p)| p.init.is_none()).map(|(id, _)| id).collect();
    for id in without {
        program.params[id].init = Some(initializer(program, id, roles[id.index()]));
    }
}

fn initializer(program: &Program, id: ParamId, role: Option<Role>) -> Initializer {
    let param = &program.params[id];
    let ty = program.ty(param.value);
    let is_state = param.kind == ParamKind::State;
    let role = role.unwrap_or(match ty.shape.split_last() {
        Some((_, rows @ [_, ..])) => Role::Weight { terms: rows.iter().product() },
        Some((_, [])) | None => Role::Shift,
    });
    match role {
        Role::Variance => Initializer::Constant(1.0),
        // Means, counts and moments.
        Role::Scale | Role::Shift | Role::Embedding | Role::Weight { .. } if is_state || !ty.dtype.is_float() => {
            Initializer::Constant(0.0)
        }
        Role::Scale => Initializer::Constant(1.0),
        Role::Shift => Initializer::Constant(0.0),
        Role::Embedding => Initializer::uniform(EMBEDDING),
        Role::Weight { terms } => Initializer::uniform(1.0 / (terms.max(1) as f64).sqrt()),
    }
}

/// What a parameter does in the model.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Role {
    /// Multiplies activations, feature by feature.
    Scale,
    /// Its root or logarithm is taken.
    Variance,
    /// Is added to activations, feature by feature.
    Shift,
    /// Its rows are looked up, or added to such rows.
    Embedding,
    /// Is contracted with activations: an output is a sum of so many terms.
    Weight { terms: usize },
}

/// What an op does with one of its operands.
enum Use {
    /// Results hold the operand's numbers, in other places, rounded, or times or plus a constant.
    Copies,
    /// Rows of the operand are looked up.
    LooksUp,
    /// That role.
    Plays(Role),
    /// Nothing that tells.
    Other,
}

/// A value that holds numbers of a parameter.
#[derive(Clone)]
struct Copied {
    param: ParamId,
    /// Its dimensions larger than 1, without those that were only repeated.
    shape: Shape,
}

/// The roles of all parameters.
struct Roles<'p> {
    program: &'p Program,
    /// By value: the parameter that it is a copy of.
    copies: Vec<Option<Copied>>,
    /// By value: whether it is made from constants alone.
    constant: Vec<bool>,
    /// By parameter.
    found: Vec<Option<Role>>,
}

impl<'p> Roles<'p> {
    fn of(program: &'p Program) -> Roles<'p> {
        let n = program.values.len();
        let found = vec![None; program.params.len()];
        let mut roles = Roles { program, copies: vec![None; n], constant: vec![false; n], found };
        for (id, param) in program.params.iter() {
            let shape = larger_than_one(&program.ty(param.value).shape);
            roles.copies[param.value.index()] = Some(Copied { param: id, shape });
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
            self.enter(l, &op.args, &op.outs);
            return;
        }
        let constant = op.args.iter().all(|arg| self.constant[arg.index()]) && is_function(&op.kind);
        op.outs.iter().for_each(|out| self.constant[out.index()] = constant);
        for (i, &arg) in op.args.iter().enumerate() {
            let Some(copied) = self.copies[arg.index()].clone() else { continue };
            match self.usage(at, i, &copied) {
                Use::Copies => op.outs.iter().for_each(|&out| self.copy(&copied, out)),
                // Rows that are looked up make an embedding, whatever else is done with them: it may be tied to the
                // last layer.
                Use::LooksUp => {
                    self.found[copied.param.index()] = Some(Role::Embedding);
                }
                Use::Plays(role) => {
                    self.found[copied.param.index()].get_or_insert(role);
                }
                Use::Other => {}
            }
        }
    }

    /// Carried values: inside they are what the loop is given, and behind it too if the body hands them on.
    fn enter(&mut self, l: &Loop, args: &[ValueId], outs: &[ValueId]) {
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

    fn copy(&mut self, from: &Copied, to: ValueId) {
        let shape = larger_than_one(&self.program.ty(to).shape);
        let is_repeated = shape.rank() > from.shape.rank();
        let shape = if is_repeated { from.shape.clone() } else { shape };
        self.copies[to.index()].get_or_insert(Copied { param: from.param, shape });
    }

    /// What an op does with its operand of that number.
    fn usage(&self, at: &ModelOp<'_>, i: usize, copied: &Copied) -> Use {
        let args = &at.op.args;
        let shape = |i: usize| &self.program.ty(args[i]).shape;
        let by_feature = copied.shape.rank() <= 1;
        let copies_if = |condition: bool| if condition { Use::Copies } else { Use::Other };
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
            | OpKind::Mask(_) => Use::Copies,
            OpKind::Pad(_) | OpKind::DynamicSlice(_) => copies_if(i == 0),
            OpKind::DynamicUpdateSlice(_) => copies_if(i <= 1),
            OpKind::Select(_) => copies_if(i >= 1),
            OpKind::Clamp(_) => copies_if(i == 1),
            OpKind::Gather(gather) if i == 0 => {
                let indices = shape(1);
                let dims = (0..indices.rank()).filter(|&d| d != gather.index_vector_dim);
                let slices: usize = dims.map(|d| indices[d]).product();
                // One slice is a layer of a stack: that of this iteration, or a matrix.
                let is_matrix = gather.slice_sizes.iter().filter(|&&n| n > 1).count() > 1;
                let is_layer = slices == 1 && (at.func != self.program.entry() || is_matrix);
                if is_layer { Use::Copies } else { Use::LooksUp }
            }
            OpKind::Unary(unary) => unary_use(unary.op),
            OpKind::Binary(binary) => {
                let other = args[1 - i.min(1)];
                let with_constant = self.constant[other.index()];
                let with_itself = self.copies[other.index()].as_ref().is_some_and(|o| o.param == copied.param);
                match binary.op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if with_constant => Use::Copies,
                    BinaryOp::Max | BinaryOp::Min => copies_if(with_constant),
                    // A norm of the weights.
                    BinaryOp::Mul | BinaryOp::Div | BinaryOp::Add | BinaryOp::Sub if with_itself => Use::Other,
                    BinaryOp::Div if i == 0 => Use::Copies,
                    BinaryOp::Mul | BinaryOp::Div if by_feature => Use::Plays(Role::Scale),
                    BinaryOp::Mul | BinaryOp::Div => Use::Plays(Role::Weight { terms: copied.shape[0] }),
                    BinaryOp::Add | BinaryOp::Sub if by_feature => Use::Plays(Role::Shift),
                    BinaryOp::Add | BinaryOp::Sub => Use::Plays(Role::Embedding),
                    BinaryOp::Rem
                    | BinaryOp::Pow
                    | BinaryOp::Atan2
                    | BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::ShiftLeft
                    | BinaryOp::ShiftRight
                    | BinaryOp::ShiftRightLogical
                    | BinaryOp::NextAfter => Use::Other,
                }
            }
            OpKind::DotGeneral(dot) => {
                let dims = if i == 0 { &dot.contract.lhs } else { &dot.contract.rhs };
                Use::Plays(Role::Weight { terms: dims.iter().map(|&d| shape(i)[d]).product() })
            }
            OpKind::Convolution(conv) if i == 1 => {
                let outputs = conv.dims.kernel.get(1).map_or(1, |&d| shape(i)[d]).max(1);
                Use::Plays(Role::Weight { terms: shape(i).count() / outputs })
            }
            OpKind::LayerNorm(_) | OpKind::RmsNorm(_) if i == 1 => Use::Plays(Role::Scale),
            OpKind::LayerNorm(_) if i == 2 => Use::Plays(Role::Shift),
            OpKind::BatchNorm(_) => match i {
                1 => Use::Plays(Role::Scale),
                2 | 3 => Use::Plays(Role::Shift),
                4 => Use::Plays(Role::Variance),
                _ => Use::Other,
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
            | OpKind::PieceStart(_) => Use::Other,
        }
    }
}

/// Whether equal operands give equal results, wherever and whenever.
fn is_function(kind: &OpKind) -> bool {
    match kind.class().device() {
        Some(DeviceOp::PieceStart(_)) => false,
        Some(DeviceOp::Shard(_) | DeviceOp::Partial(_) | DeviceOp::Mask(_)) => true,
        None => !kind.is_collective() && kind.class() != Class::Random,
    }
}

fn unary_use(op: UnaryOp) -> Use {
    if op.keeps_numbers() {
        Use::Copies
    } else if op.is_of_variance() {
        Use::Plays(Role::Variance)
    } else {
        Use::Other
    }
}

fn larger_than_one(shape: &Shape) -> Shape {
    shape.iter().copied().filter(|&n| n > 1).collect()
}
