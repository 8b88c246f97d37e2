//! Translation of ops to expressions of the elements of their results.
//!
//! Recogniser: the result of another op is opaque, which makes fewer programs provable, never more.

use super::expr::{Domain, ExprId, Factor};
use super::index::{FIRST_BOUND, Index};
use super::rational::Rational;
use super::reductions::Substitution;
use super::{NormalForms, TensorExpr};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Constant, DotGeneral, Gather, Literal, Pad, Scatter, Select, Slice, Unary, UnaryOp};
use partita_ir::tensor::{Scalar, wrap};

impl NormalForms {
    /// Returns the elements of an op's only result. `None` if the op has no translation.
    pub(super) fn element(&mut self, kind: &OpKind, args: &[TensorExpr], out: &Type) -> Option<ExprId> {
        let dims = vars(&out.shape);
        match (kind, args) {
            (OpKind::Constant(Constant { value: Literal::Splat(number) }), []) => self.constant(*number, out.dtype),
            (OpKind::Iota(iota), []) => self.exprs.position(Domain::from_dtype(out.dtype), &dims[iota.dim]),
            (OpKind::Broadcast(broadcast), [x]) => {
                let at = broadcast.dims.iter().map(|&dim| dims[dim].clone()).collect();
                self.element_at(x, at)
            }
            (OpKind::Transpose(transpose), [x]) => {
                let mut at = vec![Index::constant(0); dims.len()];
                transpose.perm.iter().zip(dims).for_each(|(&dim, index)| at[dim] = index);
                self.element_at(x, at)
            }
            (OpKind::Reshape(_), [x]) => {
                let strides = out.shape.strides();
                let flat = dims.iter().zip(&strides);
                let flat = flat.fold(Index::constant(0), |sum, (dim, &by)| sum.add(&dim.scale(by as i64)));
                let from = x.ty.shape.strides();
                let at = x.ty.shape.iter().zip(&from);
                self.element_at(x, at.map(|(&size, &by)| flat.div(by as i64).rem(size as i64)).collect())
            }
            (OpKind::Slice(slice), [x]) => self.sliced(slice, x, &dims),
            (OpKind::Reverse(reverse), [x]) => {
                let flipped = dims.iter().enumerate().map(|(dim, index)| match reverse.dims.contains(&dim) {
                    true => index.scale(-1).add(&Index::constant(out.shape[dim] as i64 - 1)),
                    false => index.clone(),
                });
                self.element_at(x, flipped.collect())
            }
            (OpKind::DynamicSlice(_), [x, starts @ ..]) => {
                let mut at = Vec::with_capacity(dims.len());
                for ((dim, start), (&size, &taken)) in
                    dims.iter().zip(starts).zip(x.ty.shape.iter().zip(&out.shape[..]))
                {
                    at.push(self.exprs.dynamic_index(start.element, size as i64 - taken as i64).add(dim));
                }
                self.element_at(x, at)
            }
            (OpKind::Gather(gather), [x, indices]) => self.gathered(gather, x, indices, out),
            (OpKind::Concatenate(concatenate), [_, ..]) => self.concatenated(concatenate.dim, args, out),
            (OpKind::Pad(pad), [x, value]) => self.padded(pad, x, value, out),
            (OpKind::Reduce(reduce), [x]) => self.reduced(reduce.monoid, &reduce.dims, x),
            (OpKind::DotGeneral(dot), [x, y]) => self.product(dot, x, y, out),
            (OpKind::Bitcast(_), [x]) if x.ty.shape != out.shape => None,
            (
                OpKind::Unary(_)
                | OpKind::Binary(_)
                | OpKind::Compare(_)
                | OpKind::Select(_)
                | OpKind::Clamp(_)
                | OpKind::Convert(_)
                | OpKind::Bitcast(_),
                _,
            ) => {
                // Scalar operands of elementwise ops are repeated.
                let elements = args.iter().map(|arg| arg.element).collect();
                Some(self.exprs.call(kind.clone(), out.dtype, elements))
            }
            _ => None,
        }
    }

    /// Returns the element of a tensor at a position.
    fn element_at(&mut self, x: &TensorExpr, at: Vec<Index>) -> Option<ExprId> {
        let by = (0u32..).zip(at).zip(x.ty.shape.iter()).filter(|(_, size)| **size != 1).map(|(index, _)| index);
        let by: Substitution = by.filter(|(dim, index)| !is_same(index, *dim)).collect();
        self.exprs.substitute(x.element, &by)
    }

    fn constant(&mut self, number: Scalar, dtype: DType) -> Option<ExprId> {
        let domain = Domain::from_dtype(dtype);
        match wrap(dtype, number) {
            Scalar::Int(number) if domain != Domain::Real => Some(self.exprs.int(domain, number)),
            Scalar::Int(number) => self.exprs.number(domain, Rational::from_int(number)),
            Scalar::Float(_) if domain != Domain::Real => None,
            Scalar::Float(number) if number.is_nan() => {
                let (zero, never) = (self.exprs.int(domain, 0), self.exprs.int(Domain::boolean(), 0));
                Some(self.exprs.with_guards(zero, vec![never]))
            }
            Scalar::Float(number) => match Rational::from_f64(number) {
                Some(number) => self.exprs.number(domain, number),
                None => Some(self.exprs.from_factor(domain, Factor::Float(number.to_bits()))),
            },
        }
    }

    fn sliced(&mut self, slice: &Slice, x: &TensorExpr, dims: &[Index]) -> Option<ExprId> {
        let at = dims.iter().enumerate().map(|(dim, index)| {
            let stride = slice.stride.get(dim).copied().unwrap_or(1);
            index.scale(stride as i64).add(&Index::constant(slice.start[dim] as i64))
        });
        self.element_at(x, at.collect())
    }

    /// Returns an element of the operand that contains the position, by nested selections. Elements of the other
    /// operands are at positions out of range and have no meaning.
    fn concatenated(&mut self, dim: usize, args: &[TensorExpr], out: &Type) -> Option<ExprId> {
        let dims = vars(&out.shape);
        let mut ends = Vec::with_capacity(args.len());
        let mut end = 0;
        for arg in args {
            end += arg.ty.shape[dim] as i64;
            ends.push(end);
        }
        let mut element = None;
        for (arg, &end) in args.iter().zip(&ends).rev() {
            let mut at = dims.clone();
            at[dim] = at[dim].add(&Index::constant(arg.ty.shape[dim] as i64 - end));
            let part = self.element_at(arg, at)?;
            element = Some(match element {
                None => part,
                Some(later) => {
                    let is_before = self.exprs.is_position_below(&dims[dim], end)?;
                    self.exprs.call(Select {}.into(), out.dtype, vec![is_before, part, later])
                }
            });
        }
        element
    }

    fn padded(&mut self, pad: &Pad, x: &TensorExpr, value: &TensorExpr, out: &Type) -> Option<ExprId> {
        if pad.interior.iter().any(|&interior| interior != 0) {
            return None;
        }
        let dims = vars(&out.shape);
        let mut at = Vec::with_capacity(dims.len());
        let mut conditions = Vec::new();
        for (dim, (index, &size)) in dims.iter().zip(x.ty.shape.iter()).enumerate() {
            let low = pad.low.get(dim).copied().unwrap_or(0);
            let position = index.add(&Index::constant(-low));
            let is_below = self.exprs.is_position_below(&position, size as i64)?;
            let is_negative = self.exprs.is_position_below(&position, 0)?;
            let is_above = self.exprs.call(Unary { op: UnaryOp::Not }.into(), DType::Bool, vec![is_negative]);
            conditions.extend([is_below, is_above]);
            at.push(position);
        }
        let mut element = self.element_at(x, at)?;
        for condition in conditions {
            element = self.exprs.call(Select {}.into(), out.dtype, vec![condition, element, value.element]);
        }
        Some(element)
    }

    fn gathered(&mut self, gather: &Gather, x: &TensorExpr, indices: &TensorExpr, out: &Type) -> Option<ExprId> {
        let dims = vars(&out.shape);
        let batch: Vec<Index> =
            (0..dims.len()).filter(|dim| !gather.offset_dims.contains(dim)).map(|dim| dims[dim].clone()).collect();
        let index_dims: Vec<usize> =
            (0..indices.ty.shape.rank()).filter(|&dim| dim != gather.index_vector_dim).collect();
        let mut offsets = gather.offset_dims.iter();
        let mut at = Vec::with_capacity(x.ty.shape.rank());
        let mut conditions = Vec::new();
        for (dim, (&size, &taken)) in x.ty.shape.iter().zip(&gather.slice_sizes).enumerate() {
            let is_dropped = gather.collapsed_dims.contains(&dim) || gather.operand_batch_dims.contains(&dim);
            let offset = if is_dropped { Index::constant(0) } else { dims[*offsets.next()?].clone() };
            let most = size as i64 - taken as i64;
            let start = if let Some(component) = gather.index_map.iter().position(|&mapped| mapped == dim) {
                let mut position = batch.clone();
                if gather.index_vector_dim < indices.ty.shape.rank() {
                    position.insert(gather.index_vector_dim, Index::constant(component as i64));
                }
                let start = self.element_at(indices, position)?;
                if gather.fill {
                    conditions.push(self.exprs.is_in_range(start, most));
                }
                self.exprs.dynamic_index(start, most)
            } else if let Some(pair) = gather.operand_batch_dims.iter().position(|&paired| paired == dim) {
                let index_dim = gather.index_batch_dims[pair];
                batch[index_dims.iter().position(|&other| other == index_dim)?].clone()
            } else {
                Index::constant(0)
            };
            at.push(start.add(&offset));
        }
        let mut element = self.element_at(x, at)?;
        for condition in conditions {
            let indicator = self.exprs.indicator(Domain::from_dtype(out.dtype), condition);
            element = self.exprs.mul(element, indicator)?;
        }
        Some(element)
    }

    /// Returns a scatter whose index vectors have one component besides positions in dimensions of the indices as a
    /// scatter along these dimensions, and its operands.
    pub(super) fn batched_scatter(&mut self, kind: &OpKind, args: &[TensorExpr]) -> Option<(OpKind, Vec<TensorExpr>)> {
        let (OpKind::Scatter(scatter), [operand, indices, updates]) = (kind, args) else { return None };
        let (mut new, vector_dim) = (Scatter::clone(scatter), scatter.index_vector_dim);
        let (mut batch, mut others) = (Vec::new(), Vec::new());
        for (component, &dim) in scatter.index_map.iter().enumerate().filter(|_| scatter.index_map.len() > 1) {
            let mut at = vars(&indices.ty.shape);
            at[vector_dim] = Index::constant(component as i64);
            let element = self.element_at(indices, at.clone())?;
            let mut positions = (0..at.len()).filter(|&d| {
                d != vector_dim
                    && indices.ty.shape[d] == operand.ty.shape[dim]
                    && scatter.inserted_dims.contains(&dim)
                    && !batch.iter().any(|&(_, other)| other == d)
            });
            let is_position =
                |d: &usize| self.exprs.position(Domain::from_dtype(indices.ty.dtype), &at[*d]) == Some(element);
            match positions.find(is_position) {
                Some(d) if component + 1 < scatter.index_map.len() || !others.is_empty() => batch.push((dim, d)),
                _ => others.push((dim, element)),
            }
        }
        let (&[(dim, element)], false) = (&others[..], batch.is_empty()) else { return None };
        batch.extend(scatter.operand_batch_dims.iter().copied().zip(scatter.index_batch_dims.iter().copied()));
        batch.sort_unstable();
        (new.operand_batch_dims, new.index_batch_dims) = batch.into_iter().unzip();
        new.inserted_dims.retain(|d| !new.operand_batch_dims.contains(d));
        new.index_map = [dim].into_iter().collect();
        let mut ty = indices.ty.clone();
        ty.shape[vector_dim] = 1;
        Some((new.into(), vec![operand.clone(), TensorExpr { ty, element }, updates.clone()]))
    }

    fn reduced(&mut self, monoid: Monoid, dims: &[usize], x: &TensorExpr) -> Option<ExprId> {
        let bound: Vec<usize> = dims.iter().copied().filter(|&dim| x.ty.shape[dim] != 1).collect();
        let first = self.exprs.height(x.element).max(FIRST_BOUND);
        let bound_vars: Vec<(u32, i64)> =
            (first..).zip(&bound).map(|(id, &dim)| (id, x.ty.shape[dim] as i64)).collect();
        let mut free = 0u32..;
        let at = (0..x.ty.shape.rank()).map(|dim| match bound.iter().position(|&other| other == dim) {
            Some(at) => Index::var(bound_vars[at].0, x.ty.shape[dim]),
            None if dims.contains(&dim) => Index::constant(0),
            None => Index::var(free.next().unwrap_or_default(), x.ty.shape[dim]),
        });
        let at = at.collect();
        let body = self.element_at(x, at)?;
        self.exprs.reduce(monoid, bound_vars, body)
    }

    fn product(&mut self, dot: &DotGeneral, x: &TensorExpr, y: &TensorExpr, out: &Type) -> Option<ExprId> {
        let dims = vars(&out.shape);
        let first = self.exprs.height(x.element).max(self.exprs.height(y.element));
        let contracted: Vec<Index> =
            (first..).zip(&dot.contract.lhs).map(|(id, &dim)| Index::var(id, x.ty.shape[dim])).collect();
        let mut next = dot.batch.lhs.len();
        let mut positions = |tensor: &TensorExpr, contract: &[usize], batch: &[usize]| -> Vec<Index> {
            let position = |dim: usize| {
                if let Some(at) = contract.iter().position(|&other| other == dim) {
                    return contracted[at].clone();
                }
                if let Some(at) = batch.iter().position(|&other| other == dim) {
                    return dims[at].clone();
                }
                next += 1;
                dims[next - 1].clone()
            };
            (0..tensor.ty.shape.rank()).map(position).collect()
        };
        let left = positions(x, &dot.contract.lhs, &dot.batch.lhs);
        let right = positions(y, &dot.contract.rhs, &dot.batch.rhs);
        let (left, right) = (self.element_at(x, left)?, self.element_at(y, right)?);
        let domain = Domain::from_dtype(out.dtype);
        let [left, right] = [left, right].map(|side| {
            if self.exprs.expr(side).domain == domain {
                return side;
            }
            self.exprs.call(partita_ir::ops::Convert {}.into(), out.dtype, vec![side])
        });
        let body = self.exprs.mul(left, right)?;
        let sizes = (first..).zip(&dot.contract.lhs).map(|(id, &dim)| (id, x.ty.shape[dim] as i64));
        self.exprs.reduce(Monoid::Sum, sizes.filter(|(_, size)| *size != 1).collect(), body)
    }
}

/// Returns the positions along the dimensions of a tensor.
fn vars(shape: &Shape) -> Vec<Index> {
    (0u32..).zip(shape.iter()).map(|(dim, &size)| Index::var(dim, size)).collect()
}

/// Returns true if a position is the variable with that number.
fn is_same(index: &Index, dim: u32) -> bool {
    match &index.terms[..] {
        [(super::index::IndexVar::Var { id, .. }, 1)] => *id == dim && index.constant == 0,
        _ => false,
    }
}
