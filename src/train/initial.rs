//! What parameters start with, where nobody says it: what they do in the model decides.
//!
//! The scale of a norm starts with one and what is added with zero. A weight is uniform with a variance of one over the number of
//! inputs that an output is summed of (LeCun et al. 1998), so that values keep their size from layer to layer; an embedding is
//! small. Every number is a function of the seed and of the parameter's position, and of no mesh.

use super::order::{Stream, draw};
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::interp::starting_state;
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Op, Param, ParamKind, Program};
use partita_ir::tensor::{Scalar, Tensor};

/// The spread of an embedding.
const EMBEDDING: f64 = 0.05;

/// What a parameter does in the model.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Role {
    /// Multiplies what is normalised, or is a variance.
    Scale,
    /// Is added.
    Shift,
    /// Is looked up, or added to what is.
    Embedding,
    /// Is summed over, with so many terms an output.
    Weight(usize),
}

/// Every parameter of a program and the state of its optimizer, by path.
pub(crate) fn parameters(program: &Program, seed: u64) -> IndexMap<String, Tensor> {
    let one = |(number, param): (u64, &Param)| {
        let start = starting_state(program, param.value).unwrap_or_else(|| start(program, param, seed, number));
        (param.path.clone(), start)
    };
    (0..).zip(program.params.values()).map(one).collect()
}

fn start(program: &Program, param: &Param, seed: u64, number: u64) -> Tensor {
    let ty = program.ty(param.value).clone();
    let spread = match role(program, param) {
        Role::Scale => return Tensor::splat(ty, Scalar::Float(1.0)),
        Role::Shift => return Tensor::zeros(ty),
        Role::Embedding => EMBEDDING,
        Role::Weight(terms) => 1.0 / (terms.max(1) as f64).sqrt(),
    };
    if !ty.dtype.is_float() {
        return Tensor::zeros(ty);
    }
    // A uniform number in [-1, 1) has a variance of one third.
    let uniform = |i: usize| f64::from(draw(seed, Stream::Parameter(number), i as u64)[0]) / 2f64.powi(31) - 1.0;
    let items = (0..ty.shape.count()).map(|i| uniform(i) * spread * 3f64.sqrt()).collect();
    Tensor::from_floats(ty, items)
}

fn role(program: &Program, param: &Param) -> Role {
    let rank = program.ty(param.value).shape.rank();
    if param.kind == ParamKind::State {
        return Role::Shift;
    }
    let mut found = None;
    let mut moved: Vec<ValueId> = vec![param.value];
    for op in program.main().body.iter().map(|&op| &program.ops[op]) {
        let Some(at) = op.args.iter().position(|arg| moved.contains(arg)) else { continue };
        match &op.kind {
            OpKind::Broadcast(_)
            | OpKind::Reshape(_)
            | OpKind::Transpose(_)
            | OpKind::Convert(_)
            | OpKind::Constrain(_)
            | OpKind::Slice(_) => moved.extend(&op.outs),
            // What is looked up somewhere is an embedding, whatever else is done with it.
            OpKind::Gather(_) if at == 0 => return Role::Embedding,
            _ => found = found.or_else(|| role_in(program, op, at, rank)),
        }
    }
    found.unwrap_or(match rank {
        0 | 1 => Role::Shift,
        _ => Role::Weight(program.ty(param.value).shape[..rank - 1].iter().product()),
    })
}

/// What the operand at that place does in an op.
fn role_in(program: &Program, op: &Op, at: usize, rank: usize) -> Option<Role> {
    let shape = &program.ty(op.args[at]).shape;
    match &op.kind {
        OpKind::DotGeneral(dot) => {
            let dims = if at == 0 { &dot.contract.lhs } else { &dot.contract.rhs };
            Some(Role::Weight(dims.iter().map(|&d| shape[d]).product()))
        }
        OpKind::Convolution(conv) => {
            let outputs = conv.dims.kernel.get(1).map_or(1, |&d| shape[d]).max(1);
            Some(Role::Weight(shape.count() / outputs))
        }
        OpKind::LayerNorm(_) | OpKind::RmsNorm(_) | OpKind::BatchNorm(_) => {
            Some(if at == 1 { Role::Scale } else { Role::Shift })
        }
        OpKind::Binary(binary) => match binary.op {
            BinaryOp::Mul => Some(if rank <= 1 { Role::Scale } else { Role::Weight(shape.first().copied()?) }),
            BinaryOp::Add | BinaryOp::Sub => Some(if rank <= 1 { Role::Shift } else { Role::Embedding }),
            _ => None,
        },
        _ => None,
    }
}
