//! `canonicalise`: one spelling for what frontends spell in many ways. Needs traced, gives traced.
//!
//! Three kinds of rules, applied in the order of the program, each to a result of the others:
//! - movement that moves nothing goes, and movement of movement is one movement: `reshape`, `transpose`, `broadcast`,
//!   `neg`;
//! - a reshape that only joins neighbouring dimensions is put off until after the ops that do not care: elementwise
//!   ops, products over other dimensions, softmax, norms, reductions. Where the dimensions are split again, it is gone;
//! - a product reads a transposed operand as it lies.
//!
//! It never touches a value that the user gave a layout, nor the results' types, and leaves ops that nothing reads any
//! more to `dce`.
//!
//! Before, as Burn records a linear layer on `[batch, seq, features]`:
//!
//! ```text
//! %f = reshape %x : f32[32, 64]
//! %m = matmul %f, %w : f32[32, 128]
//! %r = reshape %b : f32[1, 128]
//! %c = broadcast [0, 1] %r : f32[32, 128]
//! %a = add %m, %c : f32[32, 128]
//! %y = reshape %a : f32[4, 8, 128]
//! output %y
//! ```
//!
//! After:
//!
//! ```text
//! ...
//! %m = matmul %x, %w : f32[4, 8, 128]
//! ...
//! %broadcast.1 = broadcast [2] %b : f32[4, 8, 128]
//! %a = add %m, %broadcast.1 : f32[4, 8, 128]
//! ...
//! output %a "y"
//! ```
//!
//! Recogniser: an op that is spelled otherwise stays as it is spelled.

use super::join::Join;
use crate::driver::{Findings, Info, Input, Pass};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{Shape, Type};
use partita_ir::op::OpKind;
use partita_ir::ops::{Broadcast, DotGeneral, Literal, LogSoftmax, Reduce, Reshape, Softmax, Transpose, UnaryOp};
use partita_ir::program::{Form, Op, Program, Value, Values};
use partita_ir::syntax::attr::Dims;
use rustc_hash::FxHashMap;

/// See the head of this file.
pub struct Canonicalise;

impl Pass for Canonicalise {
    fn info(&self) -> Info {
        Info { name: "canonicalise", needs: Form::Traced, gives: Form::Traced, reads: &[] }
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let mut names = Namer::of(program);
        let funcs: Vec<FuncId> = program.funcs.iter().map(|(id, _)| id).collect();
        for func in funcs {
            Rewriter {
                program,
                names: &mut names,
                origin: OpId::from_index(0),
                def: FxHashMap::default(),
                body: Vec::new(),
            }
            .run(func);
        }
        Ok(())
    }
}

/// Builds a function's body anew.
struct Rewriter<'a> {
    program: &'a mut Program,
    names: &'a mut Namer,
    /// The op that is being rewritten: new ops have its phase and origin.
    origin: OpId,
    /// Which op of the new body gives a value.
    def: FxHashMap<ValueId, OpId>,
    body: Vec<OpId>,
}

impl Rewriter<'_> {
    fn run(mut self, func: FuncId) {
        let mut new: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        for id in self.program.funcs[func].take_ops() {
            for arg in &mut self.program.ops[id].args {
                *arg = new.get(arg).copied().unwrap_or(*arg);
            }
            self.origin = id;
            let op = self.program.ops[id].clone();
            match self.rewrite(&op) {
                Some(value) => {
                    new.insert(op.outs[0], value);
                }
                None => self.append(id),
            }
        }
        for output in &mut self.program.funcs[func].outputs {
            output.value = new.get(&output.value).copied().unwrap_or(output.value);
        }
        *self.program.funcs[func].ops_mut() = self.body;
    }

    fn append(&mut self, id: OpId) {
        self.def.extend(self.program.ops[id].outs.iter().map(|&out| (out, id)));
        self.body.push(id);
    }

    /// Appends an op, unless it is equal to something that is there.
    fn emit(&mut self, kind: impl Into<OpKind>, args: &[ValueId], ty: Type) -> ValueId {
        let kind = kind.into();
        let like = &self.program.ops[self.origin];
        let (phase, origin) = (like.phase, like.origin.clone());
        let mut name = self.names.fresh(kind.name());
        if std::mem::discriminant(&like.kind) == std::mem::discriminant(&kind) {
            // The op in its new form keeps its name.
            std::mem::swap(&mut self.program.values[like.outs[0]].name, &mut name);
        }
        let out = self.program.values.push(Value::new(name, ty));
        let op = Op { kind, args: Values::from_slice(args), outs: Values::from_slice(&[out]), phase, origin };
        match self.rewrite(&op) {
            Some(value) => value,
            None => {
                let id = self.program.ops.push(op);
                self.append(id);
                out
            }
        }
    }

    /// A value that the op's only result is equal to, when a rule says so.
    fn rewrite(&mut self, op: &Op) -> Option<ValueId> {
        let [out] = op.outs[..] else { return None };
        if self.program.values[out].layout.is_some() {
            return None;
        }
        let ty = self.program.ty(out).clone();
        match &op.kind {
            OpKind::Reshape(_) => self.reshape(op.args[0], ty),
            OpKind::Transpose(Transpose { perm }) => self.transpose(op.args[0], perm, ty),
            OpKind::Broadcast(Broadcast { dims }) => self.broadcast(op.args[0], dims, ty),
            OpKind::Unary(u) if u.op == UnaryOp::Neg => self.negation(op.args[0]).or_else(|| self.elementwise(op, ty)),
            OpKind::Unary(_)
            | OpKind::Binary(_)
            | OpKind::Compare(_)
            | OpKind::Select(_)
            | OpKind::Convert(_)
            | OpKind::Gelu(_) => self.elementwise(op, ty),
            OpKind::DotGeneral(dot) => self.untranspose(dot, &op.args, &ty).or_else(|| self.product(dot, &op.args, ty)),
            OpKind::Softmax(Softmax { dim }) => self.along(op, *dim, ty, |dim, _| Some(Softmax { dim }.into())),
            OpKind::LogSoftmax(LogSoftmax { dim }) => {
                self.along(op, *dim, ty, |dim, _| Some(LogSoftmax { dim }.into()))
            }
            OpKind::LayerNorm(norm) => {
                let last = ty.shape.rank().checked_sub(1)?;
                self.along(op, last, ty, |dim, rank| (dim + 1 == rank).then(|| norm.clone().into()))
            }
            OpKind::RmsNorm(norm) => {
                let last = ty.shape.rank().checked_sub(1)?;
                self.along(op, last, ty, |dim, rank| (dim + 1 == rank).then(|| norm.clone().into()))
            }
            OpKind::CrossEntropy(loss) => self.cross_entropy(loss.clone().into(), &op.args, ty),
            OpKind::Reduce(reduce) => self.reduction(reduce, op.args[0], ty),
            _ => None,
        }
    }
}

/// Movement of movement.
impl Rewriter<'_> {
    /// The kind and operands of the op that gives a value, unless the user gave the value a layout.
    fn given_by(&self, value: ValueId) -> Option<(&OpKind, &[ValueId])> {
        let id = self.def.get(&value).filter(|_| self.program.values[value].layout.is_none())?;
        let op = &self.program.ops[*id];
        Some((&op.kind, &op.args))
    }

    fn reshape(&mut self, x: ValueId, ty: Type) -> Option<ValueId> {
        if *self.program.ty(x) == ty {
            return Some(x);
        }
        match self.given_by(x)? {
            (OpKind::Reshape(_), &[source]) => Some(self.emit(Reshape {}, &[source], ty)),
            _ => None,
        }
    }

    fn transpose(&mut self, x: ValueId, perm: &Dims, ty: Type) -> Option<ValueId> {
        if perm.iter().enumerate().all(|(i, &d)| i == d) {
            return Some(x);
        }
        match self.given_by(x)? {
            (OpKind::Transpose(first), &[source]) => {
                let perm = perm.iter().map(|&d| first.perm[d]).collect();
                Some(self.emit(Transpose { perm }, &[source], ty))
            }
            _ => None,
        }
    }

    fn broadcast(&mut self, x: ValueId, dims: &Dims, ty: Type) -> Option<ValueId> {
        if *self.program.ty(x) == ty && dims.iter().enumerate().all(|(i, &d)| i == d) {
            return Some(x);
        }
        match self.given_by(x)? {
            (OpKind::Broadcast(first), &[source]) => {
                let dims = first.dims.iter().map(|&d| dims[d]).collect();
                Some(self.emit(Broadcast { dims }, &[source], ty))
            }
            (OpKind::Reshape(_), &[source]) => {
                // A reshape that only adds dimensions of size 1.
                let (from, to) = (&self.program.ty(source).shape, &self.program.ty(x).shape);
                let join = Join::new(from, to).filter(|join| join.groups.iter().all(|g| g.len() < 2))?;
                let dims =
                    dims.iter().zip(&join.groups).filter(|(_, group)| group.len() == 1).map(|(&d, _)| d).collect();
                Some(self.emit(Broadcast { dims }, &[source], ty))
            }
            _ => None,
        }
    }

    fn negation(&self, x: ValueId) -> Option<ValueId> {
        match self.given_by(x)? {
            (OpKind::Unary(u), &[source]) if u.op == UnaryOp::Neg => Some(source),
            _ => None,
        }
    }

    /// A product with a transposed operand, when the dimensions that stay keep their order.
    fn untranspose(&mut self, dot: &DotGeneral, args: &[ValueId], ty: &Type) -> Option<ValueId> {
        for side in 0..2 {
            let Some((OpKind::Transpose(Transpose { perm }), &[source])) = self.given_by(args[side]) else { continue };
            let mut new = dot.clone();
            let (contract, batch) = match side {
                0 => (&mut new.contract.lhs, &mut new.batch.lhs),
                _ => (&mut new.contract.rhs, &mut new.batch.rhs),
            };
            let free = (0..perm.len()).filter(|d| !contract.contains(d) && !batch.contains(d)).map(|d| perm[d]);
            if !free.is_sorted() {
                continue;
            }
            contract.iter_mut().chain(batch).for_each(|d| *d = perm[*d]);
            let mut args = [args[0], args[1]];
            args[side] = source;
            return Some(self.emit(new, &args, ty.clone()));
        }
        None
    }
}

/// Joining reshapes put off until after the op that reads them.
impl Rewriter<'_> {
    /// The value that a joining reshape gives `value` from.
    fn joined(&self, value: ValueId) -> Option<(Join, ValueId)> {
        match self.given_by(value)? {
            (OpKind::Reshape(_), &[source]) => {
                let (from, to) = (&self.program.ty(source).shape, &self.program.ty(value).shape);
                Join::new(from, to).map(|join| (join, source))
            }
            _ => None,
        }
    }

    fn elementwise(&mut self, op: &Op, ty: Type) -> Option<ValueId> {
        let (join, _) = op.args.iter().find_map(|&arg| self.joined(arg))?;
        let ready = op.args.iter().all(|&arg| self.can_split(&join, arg));
        if !ready {
            return None;
        }
        let args: Vec<ValueId> = op.args.iter().map(|&arg| self.split(&join, arg)).collect();
        let out = self.emit(op.kind.clone(), &args, Type::new(ty.dtype, join.from));
        Some(self.emit(Reshape {}, &[out], ty))
    }

    /// Whether [`Rewriter::split`] costs nothing.
    fn can_split(&self, join: &Join, value: ValueId) -> bool {
        match self.given_by(value) {
            Some((OpKind::Reshape(_), &[source])) => self.program.ty(source).shape == join.from,
            Some((OpKind::Constant(c), _)) => matches!(c.value, Literal::Splat(_)),
            Some((OpKind::Broadcast(b), _)) => join.singles(&b.dims).is_some(),
            _ => false,
        }
    }

    /// `value` before its dimensions were joined.
    fn split(&mut self, join: &Join, value: ValueId) -> ValueId {
        let ty = Type::new(self.program.ty(value).dtype, join.from.clone());
        match self.given_by(value).map(|(kind, args)| (kind.clone(), args.to_vec())) {
            Some((OpKind::Reshape(_), args)) => args[0],
            Some((OpKind::Constant(constant), _)) => self.emit(constant, &[], ty),
            Some((OpKind::Broadcast(b), args)) => match join.singles(&b.dims) {
                Some(dims) => self.emit(Broadcast { dims }, &args, ty),
                None => value,
            },
            _ => value,
        }
    }

    /// The joining reshape that gives `value`, when `dims` are no joined ones; of one that joins them too, it takes the
    /// rest.
    fn joined_but(&mut self, value: ValueId, dims: &[usize]) -> Option<(Join, ValueId)> {
        let (join, source) = self.joined(value)?;
        if dims.iter().all(|&d| join.single(d).is_some()) {
            return Some((join, source));
        }
        let shape = join.only(dims)?;
        let join = Join::new(&shape, &self.program.ty(value).shape)?;
        let dtype = self.program.ty(value).dtype;
        Some((join, self.emit(Reshape {}, &[source], Type::new(dtype, shape))))
    }

    /// An op of one joined operand that works along `dim`; further operands have that dimension only. `kind` gets the
    /// dimension and the rank before they were joined.
    fn along(
        &mut self,
        op: &Op,
        dim: usize,
        ty: Type,
        kind: impl FnOnce(usize, usize) -> Option<OpKind>,
    ) -> Option<ValueId> {
        let (join, source) = self.joined_but(op.args[0], &[dim])?;
        let kind = kind(join.single(dim)?, join.from.rank())?;
        let mut args = op.args.clone();
        args[0] = source;
        let out = self.emit(kind, &args, Type::new(ty.dtype, join.from));
        Some(self.emit(Reshape {}, &[out], ty))
    }

    fn cross_entropy(&mut self, kind: OpKind, args: &[ValueId], ty: Type) -> Option<ValueId> {
        let (logits, source) = self.joined(args[0])?;
        let (labels, label) = self.joined(args[1])?;
        let last = logits.from.rank() - 1;
        if logits.single(labels.groups.len()) != Some(last) || logits.from[..last] != labels.from[..] {
            return None;
        }
        let out = self.emit(kind, &[source, label], Type::new(ty.dtype, labels.from));
        Some(self.emit(Reshape {}, &[out], ty))
    }

    fn reduction(&mut self, reduce: &Reduce, x: ValueId, ty: Type) -> Option<ValueId> {
        let (join, source) = self.joined(x)?;
        let dims: Dims = reduce.dims.iter().flat_map(|&d| join.groups[d].clone()).collect();
        let shape: Shape = (0..join.from.rank()).filter(|d| !dims.contains(d)).map(|d| join.from[d]).collect();
        let kind = Reduce { monoid: reduce.monoid, dims };
        let out = self.emit(kind, &[source], Type::new(ty.dtype, shape));
        Some(self.emit(Reshape {}, &[out], ty))
    }

    /// A product of an operand whose joined dimensions are neither summed over nor shared.
    fn product(&mut self, dot: &DotGeneral, args: &[ValueId], ty: Type) -> Option<ValueId> {
        (0..2).find_map(|side| self.product_of(dot, args, &ty, side))
    }

    fn product_of(&mut self, dot: &DotGeneral, args: &[ValueId], ty: &Type, side: usize) -> Option<ValueId> {
        let mut new = dot.clone();
        let (contract, batch) = match side {
            0 => (&mut new.contract.lhs, &mut new.batch.lhs),
            _ => (&mut new.contract.rhs, &mut new.batch.rhs),
        };
        let fixed: Dims = contract.iter().chain(batch.iter()).copied().collect();
        let (join, source) = self.joined_but(args[side], &fixed)?;
        (*contract, *batch) = (join.singles(contract)?, join.singles(batch)?);
        let mut operands = [args[0], args[1]];
        operands[side] = source;

        let [lhs, rhs] = operands.map(|v| self.program.ty(v).shape.clone());
        let free = |shape: &Shape, contract: &Dims, batch: &Dims| -> Vec<usize> {
            (0..shape.rank()).filter(|d| !contract.contains(d) && !batch.contains(d)).map(|d| shape[d]).collect()
        };
        let mut shape: Vec<usize> = new.batch.lhs.iter().map(|&d| lhs[d]).collect();
        shape.extend(free(&lhs, &new.contract.lhs, &new.batch.lhs));
        shape.extend(free(&rhs, &new.contract.rhs, &new.batch.rhs));
        let out = self.emit(new, &operands, Type::new(ty.dtype, shape.into_iter().collect::<Shape>()));
        Some(self.emit(Reshape {}, &[out], ty.clone()))
    }
}
