//! `canonicalise`: rewrites the equivalent spellings of different frontends into one form. Requires and produces
//! `Form::Traced`.
//!
//! Four kinds of rules are applied in program order; each sees the results of the others:
//! - Data movement that is an identity is removed, and chains of `reshape`, `transpose`, `broadcast` and `neg` are
//!   merged into one op.
//! - A reshape that only joins neighbouring dimensions is postponed until after ops that are independent of the join:
//!   elementwise ops, products over other dimensions, softmax, norms, reductions. A later reshape that splits the same
//!   dimensions cancels it, also behind a transpose.
//! - A `dot_general` reads a transposed operand directly, with adapted dimension numbers.
//! - A slice of the outermost part of a split dimension is taken before the split, so that `qkv(x)`, split into `3` by
//!   heads by features, is three slices of the heads' features.
//!
//! Values with a layout annotation and the types of the program's results are left unchanged. Ops that become dead are
//! left to `dce`.
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
//! Recogniser: an op in another form is left unchanged.

use super::join::JoiningReshape;
use crate::driver::{Findings, Input, Pass, PassInfo};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{Shape, Type};
use partita_ir::op::OpKind;
use partita_ir::ops::{
    Broadcast, DotGeneral, Literal, LogSoftmax, Reduce, Reshape, Slice, Softmax, Transpose, UnaryOp,
};
use partita_ir::program::{Form, Op, Program, Value, Values};
use partita_ir::syntax::attr::Dims;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The pass `canonicalise`; see the module documentation.
pub struct Canonicalise;

impl Pass for Canonicalise {
    fn info(&self) -> PassInfo {
        PassInfo { name: "canonicalise", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let mut names = Namer::from_program(program);
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

/// Rebuilds the body of one function.
struct Rewriter<'a> {
    program: &'a mut Program,
    names: &'a mut Namer,
    /// The op being rewritten. New ops inherit its phase and origin.
    origin: OpId,
    /// The op of the new body that defines each value.
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

    /// Appends an op after simplifying it, or returns an existing value equal to its result.
    fn emit(&mut self, kind: impl Into<OpKind>, args: &[ValueId], ty: Type) -> ValueId {
        let kind = kind.into();
        let like = &self.program.ops[self.origin];
        let (phase, origin) = (like.phase, like.origin.clone());
        let mut name = self.names.fresh(kind.name());
        if std::mem::discriminant(&like.kind) == std::mem::discriminant(&kind) {
            // The rewritten form of the op keeps the name of its result.
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

    /// Returns a value equal to the single result of `op`, if a rule applies.
    fn rewrite(&mut self, op: &Op) -> Option<ValueId> {
        let [out] = op.outs[..] else { return None };
        if self.program.values[out].layout.is_some() {
            return None;
        }
        let ty = self.program.ty(out).clone();
        match &op.kind {
            OpKind::Reshape(_) => self.simplify_reshape(op.args[0], ty),
            OpKind::Transpose(Transpose { perm }) => self.simplify_transpose(op.args[0], perm, ty),
            OpKind::Broadcast(Broadcast { dims }) => self.simplify_broadcast(op.args[0], dims, ty),
            OpKind::Unary(u) if u.op == UnaryOp::Neg => {
                self.simplify_negation(op.args[0]).or_else(|| self.sink_past_elementwise(op, ty))
            }
            OpKind::Unary(_)
            | OpKind::Binary(_)
            | OpKind::Compare(_)
            | OpKind::Select(_)
            | OpKind::Convert(_)
            | OpKind::Gelu(_) => self.sink_past_elementwise(op, ty),
            OpKind::DotGeneral(dot) => {
                self.absorb_transpose(dot, &op.args, &ty).or_else(|| self.sink_past_product(dot, &op.args, ty))
            }
            OpKind::Softmax(Softmax { dim }) => {
                self.sink_past_dim_op(op, *dim, ty, |dim, _| Some(Softmax { dim }.into()))
            }
            OpKind::LogSoftmax(LogSoftmax { dim }) => {
                self.sink_past_dim_op(op, *dim, ty, |dim, _| Some(LogSoftmax { dim }.into()))
            }
            OpKind::LayerNorm(norm) => {
                let last = ty.shape.rank().checked_sub(1)?;
                self.sink_past_dim_op(op, last, ty, |dim, rank| (dim + 1 == rank).then(|| norm.clone().into()))
            }
            OpKind::RmsNorm(norm) => {
                let last = ty.shape.rank().checked_sub(1)?;
                self.sink_past_dim_op(op, last, ty, |dim, rank| (dim + 1 == rank).then(|| norm.clone().into()))
            }
            OpKind::CrossEntropy(loss) => self.sink_past_cross_entropy(loss.clone().into(), &op.args, ty),
            OpKind::Reduce(reduce) => self.sink_past_reduction(reduce, op.args[0], ty),
            OpKind::Slice(slice) => self.slice_before_split(slice, op.args[0], ty),
            _ => None,
        }
    }
}

/// Rules for chains of data movement.
impl Rewriter<'_> {
    /// Returns kind and operands of the op that defines `value`. `None` if the value has a layout annotation.
    fn definition(&self, value: ValueId) -> Option<(&OpKind, &[ValueId])> {
        let id = self.def.get(&value).filter(|_| self.program.values[value].layout.is_none())?;
        let op = &self.program.ops[*id];
        Some((&op.kind, &op.args))
    }

    fn simplify_reshape(&mut self, x: ValueId, ty: Type) -> Option<ValueId> {
        if *self.program.ty(x) == ty {
            return Some(x);
        }
        match self.definition(x)? {
            (OpKind::Reshape(_), &[source]) => Some(self.emit(Reshape {}, &[source], ty)),
            (OpKind::Transpose(Transpose { perm }), &[joined]) => {
                let perm = perm.clone();
                let Some((join, source)) = self.joining_reshape(joined) else {
                    return self.drop_dims_before_transpose(joined, &perm, ty);
                };
                let perm: Dims = perm.iter().flat_map(|&d| join.groups[d].clone()).collect();
                let shape: Shape = perm.iter().map(|&d| join.from[d]).collect();
                // The reshape splits what was joined before the transpose.
                JoiningReshape::new(&shape, &ty.shape)?;
                let out = self.emit(Transpose { perm }, &[source], Type::new(ty.dtype, shape));
                Some(self.emit(Reshape {}, &[out], ty))
            }
            _ => None,
        }
    }

    /// Removes dimensions of size 1 before a transpose instead of after it, if they are results of a reshape.
    fn drop_dims_before_transpose(&mut self, x: ValueId, perm: &Dims, ty: Type) -> Option<ValueId> {
        let (OpKind::Reshape(_), _) = self.definition(x)? else { return None };
        let shape = &self.program.ty(x).shape;
        let mut kept = Dims::new();
        for &d in perm {
            if ty.shape.get(kept.len()) == Some(&shape[d]) {
                kept.push(d);
            } else if shape[d] != 1 {
                return None;
            }
        }
        let mut left = kept.clone();
        left.sort_unstable();
        let narrow: Shape = left.iter().map(|&d| shape[d]).collect();
        let perm: Dims = kept.iter().filter_map(|d| left.iter().position(|other| other == d)).collect();
        if perm.len() != ty.shape.rank() {
            return None;
        }
        let x = self.emit(Reshape {}, &[x], Type::new(ty.dtype, narrow));
        Some(self.emit(Transpose { perm }, &[x], ty))
    }

    /// Slices before a reshape that splits a dimension, also if the result is transposed, if the slice is of the
    /// outermost part of that dimension.
    fn slice_before_split(&mut self, slice: &Slice, x: ValueId, ty: Type) -> Option<ValueId> {
        let shape = &self.program.ty(x).shape;
        let mut sliced = (0..shape.rank()).filter(|&d| ty.shape[d] != shape[d]);
        let (Some(dim), None) = (sliced.next(), sliced.next()) else { return None };
        if slice.stride.iter().any(|&stride| stride != 1) {
            return None;
        }
        match self.definition(x)? {
            (OpKind::Transpose(Transpose { perm }), &[source]) => {
                let perm = perm.clone();
                let (mut before, mut inner) = (slice.clone(), self.program.ty(source).clone());
                for (d, &from) in perm.iter().enumerate() {
                    (before.start[from], before.limit[from]) = (slice.start[d], slice.limit[d]);
                    inner.shape[from] = ty.shape[d];
                }
                let part = self.slice_before_split(&before, source, inner)?;
                Some(self.emit(Transpose { perm }, &[part], ty))
            }
            (OpKind::Reshape(_), &[source]) => {
                let from = self.program.ty(source).clone();
                let split = JoiningReshape::new(shape, &from.shape)?;
                let is_split =
                    |group: &Range<usize>| group.start == dim && group.clone().any(|d| d > dim && shape[d] > 1);
                let joined = split.groups.iter().position(is_split)?;
                let inner = from.shape[joined] / shape[dim];
                let (mut start, mut limit) =
                    (Dims::from_elem(0, from.shape.rank()), from.shape.iter().copied().collect::<Dims>());
                (start[joined], limit[joined]) = (slice.start[dim] * inner, slice.limit[dim] * inner);
                let mut part = from.clone();
                part.shape[joined] = limit[joined] - start[joined];
                let part = self.emit(Slice { start, limit, stride: Dims::new() }, &[source], part);
                Some(self.emit(Reshape {}, &[part], ty))
            }
            _ => None,
        }
    }

    fn simplify_transpose(&mut self, x: ValueId, perm: &Dims, ty: Type) -> Option<ValueId> {
        if perm.iter().enumerate().all(|(i, &d)| i == d) {
            return Some(x);
        }
        match self.definition(x)? {
            (OpKind::Transpose(first), &[source]) => {
                let perm = perm.iter().map(|&d| first.perm[d]).collect();
                Some(self.emit(Transpose { perm }, &[source], ty))
            }
            _ => None,
        }
    }

    fn simplify_broadcast(&mut self, x: ValueId, dims: &Dims, ty: Type) -> Option<ValueId> {
        if *self.program.ty(x) == ty && dims.iter().enumerate().all(|(i, &d)| i == d) {
            return Some(x);
        }
        match self.definition(x)? {
            (OpKind::Broadcast(first), &[source]) => {
                let dims = first.dims.iter().map(|&d| dims[d]).collect();
                Some(self.emit(Broadcast { dims }, &[source], ty))
            }
            (OpKind::Reshape(_), &[source]) => {
                // A reshape that only adds dimensions of size 1.
                let (from, to) = (&self.program.ty(source).shape, &self.program.ty(x).shape);
                let join = JoiningReshape::new(from, to).filter(|join| join.groups.iter().all(|g| g.len() < 2))?;
                let dims =
                    dims.iter().zip(&join.groups).filter(|(_, group)| group.len() == 1).map(|(&d, _)| d).collect();
                Some(self.emit(Broadcast { dims }, &[source], ty))
            }
            _ => None,
        }
    }

    fn simplify_negation(&self, x: ValueId) -> Option<ValueId> {
        match self.definition(x)? {
            (OpKind::Unary(u), &[source]) if u.op == UnaryOp::Neg => Some(source),
            _ => None,
        }
    }

    /// Absorbs a transposed operand into the dimension numbers of a product. Applies only if the free dimensions stay
    /// in order.
    fn absorb_transpose(&mut self, dot: &DotGeneral, args: &[ValueId], ty: &Type) -> Option<ValueId> {
        for side in 0..2 {
            let Some((OpKind::Transpose(Transpose { perm }), &[source])) = self.definition(args[side]) else {
                continue;
            };
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

/// Rules that postpone a joining reshape until after the op that reads its result.
impl Rewriter<'_> {
    /// Returns the joining reshape that defines `value`, with its source.
    fn joining_reshape(&self, value: ValueId) -> Option<(JoiningReshape, ValueId)> {
        match self.definition(value)? {
            (OpKind::Reshape(_), &[source]) => {
                let (from, to) = (&self.program.ty(source).shape, &self.program.ty(value).shape);
                JoiningReshape::new(from, to).map(|join| (join, source))
            }
            _ => None,
        }
    }

    fn sink_past_elementwise(&mut self, op: &Op, ty: Type) -> Option<ValueId> {
        let (join, _) = op.args.iter().find_map(|&arg| self.joining_reshape(arg))?;
        let ready = op.args.iter().all(|&arg| self.can_unjoin(&join, arg));
        if !ready {
            return None;
        }
        let args: Vec<ValueId> = op.args.iter().map(|&arg| self.unjoin(&join, arg)).collect();
        let out = self.emit(op.kind.clone(), &args, Type::new(ty.dtype, join.from));
        Some(self.emit(Reshape {}, &[out], ty))
    }

    /// Returns true if [`Rewriter::unjoin`] of `value` adds no data movement.
    fn can_unjoin(&self, join: &JoiningReshape, value: ValueId) -> bool {
        match self.definition(value) {
            Some((OpKind::Reshape(_), &[source])) => self.program.ty(source).shape == join.from,
            Some((OpKind::Constant(c), _)) => matches!(c.value, Literal::Splat(_)),
            Some((OpKind::Broadcast(b), _)) => join.source_dims(&b.dims).is_some(),
            _ => false,
        }
    }

    /// Returns `value` with the shape before the join.
    fn unjoin(&mut self, join: &JoiningReshape, value: ValueId) -> ValueId {
        let ty = Type::new(self.program.ty(value).dtype, join.from.clone());
        match self.definition(value).map(|(kind, args)| (kind.clone(), args.to_vec())) {
            Some((OpKind::Reshape(_), args)) => args[0],
            Some((OpKind::Constant(constant), _)) => self.emit(constant, &[], ty),
            Some((OpKind::Broadcast(b), args)) => match join.source_dims(&b.dims) {
                Some(dims) => self.emit(Broadcast { dims }, &args, ty),
                None => value,
            },
            _ => value,
        }
    }

    /// Returns a joining reshape that defines `value` and leaves each of `dims` a single dimension, with its source. If
    /// the original reshape also joins some of `dims`, those are joined first by a separate reshape.
    fn joining_reshape_except(&mut self, value: ValueId, dims: &[usize]) -> Option<(JoiningReshape, ValueId)> {
        let (join, source) = self.joining_reshape(value)?;
        if dims.iter().all(|&d| join.source_dim(d).is_some()) {
            return Some((join, source));
        }
        let shape = join.join_only(dims)?;
        let join = JoiningReshape::new(&shape, &self.program.ty(value).shape)?;
        let dtype = self.program.ty(value).dtype;
        Some((join, self.emit(Reshape {}, &[source], Type::new(dtype, shape))))
    }

    /// Postpones the joining reshape of operand 0 until after an op that works along `dim`. Other operands have only
    /// that dimension. `kind` builds the op from the dimension and the rank before the join.
    fn sink_past_dim_op(
        &mut self,
        op: &Op,
        dim: usize,
        ty: Type,
        kind: impl FnOnce(usize, usize) -> Option<OpKind>,
    ) -> Option<ValueId> {
        let (join, source) = self.joining_reshape_except(op.args[0], &[dim])?;
        let kind = kind(join.source_dim(dim)?, join.from.rank())?;
        let mut args = op.args.clone();
        args[0] = source;
        let out = self.emit(kind, &args, Type::new(ty.dtype, join.from));
        Some(self.emit(Reshape {}, &[out], ty))
    }

    fn sink_past_cross_entropy(&mut self, kind: OpKind, args: &[ValueId], ty: Type) -> Option<ValueId> {
        let (logits, source) = self.joining_reshape(args[0])?;
        let (labels, label) = self.joining_reshape(args[1])?;
        let last = logits.from.rank() - 1;
        if logits.source_dim(labels.groups.len()) != Some(last) || logits.from[..last] != labels.from[..] {
            return None;
        }
        let out = self.emit(kind, &[source, label], Type::new(ty.dtype, labels.from));
        Some(self.emit(Reshape {}, &[out], ty))
    }

    fn sink_past_reduction(&mut self, reduce: &Reduce, x: ValueId, ty: Type) -> Option<ValueId> {
        let (join, source) = self.joining_reshape(x)?;
        let dims: Dims = reduce.dims.iter().flat_map(|&d| join.groups[d].clone()).collect();
        let shape: Shape = (0..join.from.rank()).filter(|d| !dims.contains(d)).map(|d| join.from[d]).collect();
        let kind = Reduce { monoid: reduce.monoid, dims };
        let out = self.emit(kind, &[source], Type::new(ty.dtype, shape));
        Some(self.emit(Reshape {}, &[out], ty))
    }

    /// Postpones the joining reshape of an operand whose joined dimensions are neither contracted nor batch dimensions.
    fn sink_past_product(&mut self, dot: &DotGeneral, args: &[ValueId], ty: Type) -> Option<ValueId> {
        (0..2).find_map(|side| self.sink_past_product_side(dot, args, &ty, side))
    }

    fn sink_past_product_side(
        &mut self,
        dot: &DotGeneral,
        args: &[ValueId],
        ty: &Type,
        side: usize,
    ) -> Option<ValueId> {
        let mut new = dot.clone();
        let (contract, batch) = match side {
            0 => (&mut new.contract.lhs, &mut new.batch.lhs),
            _ => (&mut new.contract.rhs, &mut new.batch.rhs),
        };
        let fixed: Dims = contract.iter().chain(batch.iter()).copied().collect();
        let (join, source) = self.joining_reshape_except(args[side], &fixed)?;
        (*contract, *batch) = (join.source_dims(contract)?, join.source_dims(batch)?);
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
