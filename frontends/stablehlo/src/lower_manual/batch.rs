//! Batching of operations over the dimension of devices, which precedes all other dimensions.

use super::axes::AxisSet;
use super::collectives::is_collective;
use super::{Lowered, ManualLowering, ints};
use crate::fault::Result;
use crate::syntax::routine::Routine;
use crate::syntax::sharding_rule::{self, SharedFactors};
use crate::syntax::{Attr, Attrs, ConvDims, Ints, Local, Op, Opcode};
use partita_ir::dtype::{Shape, Type};
use smallvec::SmallVec;

impl<'m, 'a> ManualLowering<'m, 'a> {
    /// Lowers an operation of a manual computation.
    pub(super) fn manual_op(&mut self, op: &'m Op<'a>) -> Result<()> {
        if is_collective(op.code) {
            return self.collective(op);
        }
        match op.code {
            Opcode::FuncCall => return self.inlined(op, "callee"),
            Opcode::Composite => return self.inlined(op, "decomposition"),
            Opcode::While => return self.while_loop(op),
            Opcode::Case | Opcode::If => return self.branches(op),
            // A module with several partitions has one replica.
            Opcode::ReplicaId => {
                let value = self.out.splat(0.0, op.types[0].clone());
                return self.result(op, value, AxisSet::EMPTY);
            }
            Opcode::OptimizationBarrier => {
                for (local, &operand) in op.results().zip(&op.operands) {
                    let lowered = self.lowered(operand)?;
                    self.define(local, lowered);
                }
                return Ok(());
            }
            Opcode::SdyShardingConstraint | Opcode::SdyReshard | Opcode::SdyDataFlowEdge => {
                return self.annotated(op);
            }
            Opcode::SdyPropagationBarrier | Opcode::SdyShardingGroup => {
                let Lowered { value, varying } = self.lowered(op.operands[0])?;
                let varying = vec![varying; op.types.len()];
                self.push(op, [value].into_iter().collect(), &varying, op.attrs.clone(), Vec::new());
                return Ok(());
            }
            _ => {}
        }
        let lowered: SmallVec<[Lowered; 4]> = op.operands.iter().map(|&x| self.lowered(x)).collect::<Result<_>>()?;
        self.varying = lowered.iter().fold(AxisSet::EMPTY, |all, operand| all | operand.varying);
        if self.varying.is_empty() {
            // Regions of such operations are functions of scalars.
            let manual = self.manual.take();
            let copied = self.copied(op);
            self.manual = manual;
            return copied;
        }
        match op.code {
            Opcode::BroadcastInDim => self.shifted(op, &["broadcast_dimensions"], true),
            Opcode::Transpose => self.shifted(op, &["permutation"], true),
            Opcode::Reverse => self.shifted(op, &["dimensions"], false),
            Opcode::Reduce => self.reduction(op, |attrs| shift(attrs, "dimensions", false)),
            Opcode::ReduceWindow => self.reduction(op, window),
            Opcode::SelectAndScatter => {
                let operands = [self.batched(op.operands[0])?, self.batched(op.operands[1])?];
                let init = self.scalar(op, 2)?;
                let mut attrs = op.attrs.clone();
                window(&mut attrs);
                self.push_batched(op, &[operands[0], operands[1], init], attrs)
            }
            // All dimensions before those of the operation are a batch.
            Opcode::BitcastConvert | Opcode::Cholesky | Opcode::Fft | Opcode::Reshape | Opcode::TriangularSolve => {
                self.with_batched(op, op.attrs.clone())
            }
            Opcode::Concatenate => self.increased(op, "dimension"),
            Opcode::Sort => self.increased_if_positive(op),
            Opcode::ChloTopK => self.with_batched(op, op.attrs.clone()),
            Opcode::Slice => {
                let mut attrs = op.attrs.clone();
                prepend(&mut attrs, "start_indices", 0);
                prepend(&mut attrs, "limit_indices", self.device_count(self.varying) as i64);
                prepend(&mut attrs, "strides", 1);
                self.with_batched(op, attrs)
            }
            Opcode::Pad => {
                let mut attrs = op.attrs.clone();
                for name in ["edge_padding_low", "edge_padding_high", "interior_padding"] {
                    prepend(&mut attrs, name, 0);
                }
                let operands = [self.batched(op.operands[0])?, self.scalar(op, 1)?];
                self.push_batched(op, &operands, attrs)
            }
            Opcode::DotGeneral => self.dot_general(op),
            Opcode::Convolution => self.convolution(op),
            Opcode::Gather => self.gather(op),
            Opcode::Scatter => self.scatter(op),
            Opcode::DynamicSlice => self.dynamic_slice(op),
            Opcode::DynamicUpdateSlice => self.dynamic_update_slice(op),
            Opcode::CustomCall => self.custom_call(op),
            _ if is_elementwise(op.code) => self.elementwise(op),
            _ => Err(self.unsupported(op, "is not supported for values that differ between devices")),
        }
    }

    /// Lowers an annotation of the axes that are not manual.
    fn annotated(&mut self, op: &'m Op<'a>) -> Result<()> {
        let Lowered { value, varying } = self.lowered(op.operands[0])?;
        let value = match op.attr("sharding").or(op.attr("out_sharding")) {
            Some(Attr::Shardings(all)) if self.has_free_axes() => {
                let sharding = all.first().map(|sharding| self.batched_sharding(sharding, varying));
                sharding.map_or(value, |sharding| self.constrained(value, sharding))
            }
            _ => value,
        };
        self.define(op.first_result, Lowered { value, varying });
        Ok(())
    }

    /// Emits a call of a function that computes the results of each device from the operands of this device.
    fn custom_call(&mut self, op: &'m Op<'a>) -> Result<()> {
        // The batch of matrices precedes their dimensions.
        if Routine::from_attributes(&op.attrs).is_some() {
            return self.with_batched(op, op.attrs.clone());
        }
        let operands = op.operands.iter().map(|&x| self.batched(x)).collect::<Result<Vec<_>>>()?;
        let ranks = |locals: &mut dyn Iterator<Item = &Type>| locals.map(|ty| ty.shape.rank()).collect::<Vec<_>>();
        let types: Vec<Type> = operands.iter().map(|&local| self.out.ty(local)).collect();
        let results: Vec<Type> = op.types.iter().map(|ty| self.batched_type(ty, self.varying)).collect();
        let rule = match op.attr(sharding_rule::NAME) {
            Some(Attr::ShardingRule(text)) => SharedFactors::parse(text),
            _ => None,
        };
        let rule = rule.unwrap_or_else(|| {
            // Without a rule only the dimension of devices is sharded.
            let unshared = |ranks: Vec<usize>| ranks.into_iter().map(|rank| vec![Vec::new(); rank - 1]).collect();
            let (operands, results) = (ranks(&mut types.iter()), ranks(&mut results.iter()));
            SharedFactors { operands: unshared(operands), results: unshared(results), ..SharedFactors::default() }
        });
        let rule = rule.with_leading_dim(self.device_count(self.varying));
        let mut attrs = op.attrs.clone();
        attrs.retain(|(name, _)| *name != sharding_rule::NAME);
        attrs.push((sharding_rule::NAME, Attr::SharedFactors(Box::new(rule))));
        self.push_batched(op, &operands, attrs)
    }

    /// Emits an operation of which all operands have the dimension of devices.
    fn with_batched(&mut self, op: &'m Op<'a>, attrs: Attrs<'a>) -> Result<()> {
        let operands = op.operands.iter().map(|&x| self.batched(x)).collect::<Result<Vec<_>>>()?;
        self.push_batched(op, &operands, attrs)
    }

    /// Emits an operation whose dimensions in some attributes move back by one; with `keeps`, the dimension of devices
    /// is the first in them.
    fn shifted(&mut self, op: &'m Op<'a>, names: &[&str], keeps: bool) -> Result<()> {
        let mut attrs = op.attrs.clone();
        names.iter().for_each(|name| shift(&mut attrs, name, keeps));
        self.with_batched(op, attrs)
    }

    /// Emits an operation along a dimension, which moves back by one.
    fn increased(&mut self, op: &'m Op<'a>, name: &str) -> Result<()> {
        let mut attrs = op.attrs.clone();
        for (key, attr) in &mut attrs {
            if *key == name
                && let Some(dim) = attr.as_int()
            {
                *attr = Attr::Int(dim + 1);
            }
        }
        self.with_batched(op, attrs)
    }

    /// Emits a sort; a negative dimension counts from the last one.
    fn increased_if_positive(&mut self, op: &'m Op<'a>) -> Result<()> {
        match op.attr("dimension").and_then(Attr::as_int) {
            Some(0..) => self.increased(op, "dimension"),
            _ => self.with_batched(op, op.attrs.clone()),
        }
    }

    /// Emits an elementwise operation. Scalar operands of a selection or clamp apply to all elements of a device.
    fn elementwise(&mut self, op: &'m Op<'a>) -> Result<()> {
        let shape = self.batched_type(&op.types[0], self.varying).shape;
        let mut operands = Vec::new();
        for &operand in &op.operands {
            let value = self.batched(operand)?;
            let ty = self.out.ty(value);
            operands.push(match ty.shape == shape {
                true => value,
                false => {
                    let attrs = [ints("broadcast_dimensions", [0])].into_iter().collect();
                    let ty = Type { shape: shape.clone(), dtype: ty.dtype };
                    self.out.emit(Opcode::BroadcastInDim, &[value], ty, attrs)
                }
            });
        }
        self.push_batched(op, &operands, op.attrs.clone())
    }

    /// Emits a reduction of tensors with the dimension of devices from initial values without it.
    fn reduction(&mut self, op: &'m Op<'a>, adjust: impl Fn(&mut Attrs<'a>)) -> Result<()> {
        let tensors = op.operands.len() / 2;
        let mut operands = Vec::new();
        for (i, &operand) in op.operands.iter().enumerate() {
            operands.push(if i < tensors { self.batched(operand)? } else { self.scalar(op, i)? });
        }
        let mut attrs = op.attrs.clone();
        adjust(&mut attrs);
        self.push_batched(op, &operands, attrs)
    }

    /// Returns an operand that must be the same on all devices.
    pub(super) fn scalar(&self, op: &Op<'a>, index: usize) -> Result<Local> {
        let lowered = self.lowered(op.operands[index])?;
        match lowered.varying.is_empty() {
            true => Ok(lowered.value),
            false => Err(self.unsupported(op, &format!("needs an operand {index} that is the same on all devices"))),
        }
    }

    fn dot_general(&mut self, op: &'m Op<'a>) -> Result<()> {
        let mut attrs = op.attrs.clone();
        for (name, attr) in &mut attrs {
            let Attr::Dict(entries) = attr else { continue };
            if *name != "dot_dimension_numbers" {
                continue;
            }
            for key in ["lhs_batching_dimensions", "rhs_batching_dimensions"] {
                match entries.iter_mut().find(|(name, _)| *name == key) {
                    Some((_, dims)) => *dims = Attr::Ints(shifted_ints(dims, true)),
                    None => entries.push(ints(key, [0])),
                }
            }
            for key in ["lhs_contracting_dimensions", "rhs_contracting_dimensions"] {
                if let Some((_, dims)) = entries.iter_mut().find(|(name, _)| *name == key) {
                    *dims = Attr::Ints(shifted_ints(dims, false));
                }
            }
        }
        if !attrs.iter().any(|(name, _)| *name == "dot_dimension_numbers") {
            let entries = vec![ints("lhs_batching_dimensions", [0]), ints("rhs_batching_dimensions", [0])];
            attrs.insert(0, ("dot_dimension_numbers", Attr::Dict(entries)));
        }
        self.with_batched(op, attrs)
    }

    /// Emits a convolution. Inputs of several devices with one kernel are a larger batch; several kernels are groups of
    /// features.
    fn convolution(&mut self, op: &'m Op<'a>) -> Result<()> {
        let Some(Attr::Conv(dims)) = op.attr("dimension_numbers") else {
            return Err(self.unsupported(op, "has no dimension numbers"));
        };
        let ConvDims { input, kernel, output } = (**dims).clone();
        let devices = self.device_count(self.varying);
        let groups = |name: &str| op.attr(name).and_then(Attr::as_int).unwrap_or(1);
        if groups("batch_group_count") != 1 {
            return Err(self.unsupported(op, "has groups of batches"));
        }
        let one_kernel = self.lowered(op.operands[1])?.varying.is_empty();
        let images = self.batched(op.operands[0])?;
        let mut attrs = op.attrs.clone();
        let weights = if one_kernel { self.lowered(op.operands[1])?.value } else { self.batched(op.operands[1])? };
        let (images, weights, out_dim) = if one_kernel {
            (self.folded(images, input.batch), weights, output.batch)
        } else {
            let count = groups("feature_group_count") * devices as i64;
            attrs.retain(|(name, _)| *name != "feature_group_count");
            attrs.push(("feature_group_count", Attr::Int(count)));
            let images = self.folded(images, input.feature);
            (images, self.folded(weights, kernel.batch), output.feature)
        };
        let mut ty = op.types[0].clone();
        ty.shape[out_dim] *= devices;
        let inherent = op.inherent;
        let value = self.out.emit(op.code, &[images, weights], ty, attrs);
        if let Some(emitted) = self.out.ops.last_mut() {
            emitted.inherent = inherent.min(emitted.attrs.len());
        }
        let value = self.unfolded(value, out_dim);
        self.result(op, value, self.varying)
    }

    /// Folds the dimension of devices into dimension `dim` of the local shape, of which it becomes the major part.
    fn folded(&mut self, value: Local, dim: usize) -> Local {
        let rank = self.out.ty(value).shape.rank();
        let mut order: Vec<usize> = (1..rank).collect();
        order.insert(dim, 0);
        let value = self.transposed(value, &order);
        let mut shape = self.out.ty(value).shape;
        let behind = shape.0.remove(dim + 1);
        shape[dim] *= behind;
        self.reshaped(value, &shape)
    }

    /// Reverses [`ManualLowering::folded`].
    fn unfolded(&mut self, value: Local, dim: usize) -> Local {
        let devices = self.device_count(self.varying);
        let mut shape: Shape = self.out.ty(value).shape;
        shape[dim] /= devices;
        shape.0.insert(dim, devices);
        let value = self.reshaped(value, &shape);
        let order: Vec<usize> = std::iter::once(dim).chain((0..shape.rank()).filter(|&d| d != dim)).collect();
        self.transposed(value, &order)
    }
}

/// Moves the dimensions of an attribute back by one; with `keeps`, dimension 0 precedes them.
pub(super) fn shift(attrs: &mut Attrs<'_>, name: &str, keeps: bool) {
    for (_, attr) in attrs.iter_mut().filter(|(key, _)| *key == name) {
        *attr = Attr::Ints(shifted_ints(attr, keeps));
    }
}

/// Returns dimensions moved back by one; with `keeps`, dimension 0 precedes them.
pub(super) fn shifted_ints(attr: &Attr<'_>, keeps: bool) -> Ints {
    let dims = attr.as_ints().unwrap_or_default();
    keeps.then_some(0).into_iter().chain(dims.into_iter().map(|dim| dim + 1)).collect()
}

/// Adds a first element to a list, if there is one.
fn prepend(attrs: &mut Attrs<'_>, name: &str, first: i64) {
    for (_, attr) in attrs.iter_mut().filter(|(key, _)| *key == name) {
        *attr = Attr::Ints(std::iter::once(first).chain(attr.as_ints().unwrap_or_default()).collect());
    }
}

/// Adds a window of one element along the dimension of devices.
fn window(attrs: &mut Attrs<'_>) {
    for name in ["window_dimensions", "window_strides", "base_dilations", "window_dilations"] {
        prepend(attrs, name, 1);
    }
    prepend(attrs, "padding", 0);
    prepend(attrs, "padding", 0);
}

/// Returns true for operations that compute each element of the result from the corresponding elements of the operands.
fn is_elementwise(code: Opcode) -> bool {
    use crate::counterparts::{binary, unary};
    unary(code).is_some()
        || binary(code).is_some()
        || matches!(
            code,
            Opcode::Clamp
                | Opcode::Compare
                | Opcode::Convert
                | Opcode::Map
                | Opcode::ReducePrecision
                | Opcode::Select
                | Opcode::ChloBesselI1e
                | Opcode::ChloConj
                | Opcode::ChloMulhi
                | Opcode::ChloSquare
                | Opcode::ChloTan
        )
}
