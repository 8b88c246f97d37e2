//! `localize` (explicit -> local): produces the program of one device.
//!
//! Every value gets the shape of its shard, and every op becomes the same op on shards. Data beyond a shard's own
//! elements is made explicit: padding is masked before a reduction reads it, windows fetch halos from neighbours,
//! indices are made relative to the shard, and ops that depend on the position of their elements get the shard's
//! offset. Inputs and results of the program keep their global type and layout.
//!
//! Before:
//!
//! ```text
//! mesh @m = [data=4]
//! input %p : f32[10@data]
//! %p.1 = all_gather dim 0 over data %p : f32[10] whole
//! output %p.1
//! ```
//!
//! After:
//!
//! ```text
//! mesh @m = [data=4]
//! input %p : f32[10@data]
//! %whole = all_gather dim 0 over data %p : f32[12]
//! %p.1 = slice [0] to [10] %whole : f32[10] whole
//! output %p.1
//! ```

mod collective;
mod halo;
mod index;

use crate::driver::{Findings, Input, Pass, PassInfo};
use partita_ir::arena::{FuncId, Id, MeshId, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, divides};
use partita_ir::mesh::{Axes, shard_count};
use partita_ir::op::{ExchangedDim, OutOfRange};
use partita_ir::ops::{Fill, Mask, Reshape};
use partita_ir::origin::{Cause, Origin};
use partita_ir::program::{Form, Op, Program, Values};
use partita_ir::rule::{FactorAxes, FactorId, FactorKind, Rule};
use smallvec::SmallVec;

/// The pass `localize`; see the module documentation.
pub struct Localize;

impl Pass for Localize {
    fn info(&self) -> PassInfo {
        PassInfo { name: "localize", input_form: Form::Explicit, output_form: Form::Local, reads: &[] }
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        if let Some((id, _)) = program.mesh() {
            let mut names = Namer::from_program(program);
            for func in program.funcs_with_layouts() {
                Localizer::new(program, &mut names, id, func).rewrite(func);
            }
        }
        program.form = Form::Local;
        Ok(())
    }
}

/// Rewrites one function.
struct Localizer<'a> {
    b: Builder<'a>,
    mesh_id: MeshId,
    /// For each value, true for inputs of the program, whose buffers have zeroed padding.
    zero_padded: Vec<bool>,
}

/// An op with its global and local types.
struct ShardedOp {
    op: Op,
    rule: Rule,
    factors: FactorAxes,
    /// Global types.
    args: Vec<Type>,
    outs: Vec<Type>,
    /// Local types.
    local_outs: Vec<Type>,
    out_layouts: Vec<Layout>,
}

impl ShardedOp {
    /// Returns the op's provenance with an exchange along a dimension of operand 0 as cause.
    fn origin_of_exchange(&self, dim: usize, reason: &str) -> Origin {
        if self.op.origin.cause.is_some() {
            return self.op.origin.clone();
        }
        self.op.origin.with_cause(Cause {
            op: self.op.kind.name().into(),
            factor: format!("operand 0, dimension {dim}"),
            reason: reason.into(),
        })
    }

    /// Returns true if an index that is out of range reads zero.
    fn reads_zero_outside(&self) -> bool {
        let operand = self.args.first();
        let outside = self.op.kind.interfaces().indexed.zip(operand).map(|(op, operand)| op.out_of_range(operand));
        outside == Some(OutOfRange::Zero)
    }
}

impl<'a> Localizer<'a> {
    fn new(program: &'a mut Program, names: &'a mut Namer, mesh_id: MeshId, func: FuncId) -> Localizer<'a> {
        let mut zero_padded = vec![false; program.values.len()];
        if func == program.entry() {
            program.inputs().iter().for_each(|v| zero_padded[v.index()] = true);
        }
        Localizer { b: Builder::new(program, names), mesh_id, zero_padded }
    }

    fn rewrite(mut self, func: FuncId) {
        let old = self.b.program.funcs[func].take_ops();
        let value_count = self.b.program.values.len();
        for &id in &old {
            self.localize(id);
        }
        // Values become local only after all ops are rewritten: rules are derived from the global types.
        let main = func == self.b.program.entry();
        let mut is_port = vec![false; value_count];
        if main {
            let func = &self.b.program.funcs[func];
            func.inputs.iter().chain(func.outputs.iter().map(|o| &o.value)).for_each(|v| is_port[v.index()] = true);
        }
        let results = old.iter().flat_map(|&op| self.b.program.ops[op].outs.clone()).collect::<Vec<_>>();
        let entries = if main { Vec::new() } else { self.b.program.funcs[func].inputs.clone() };
        for value in results.into_iter().chain(entries).filter(|v| !is_port[v.index()]) {
            let value = &mut self.b.program.values[value];
            value.ty = value.local_type();
            value.layout = None;
        }
        self.b.finish(func);
    }

    fn localize(&mut self, id: OpId) {
        let op = self.b.program.ops[id].clone();
        self.b.phase = op.phase;
        self.b.origin = op.origin.clone();
        if self.is_replicated_op(&op) {
            self.b.body.push(id);
            return;
        }
        if op.kind.changes_layout() {
            let (&[arg], &[out]) = (&op.args[..], &op.outs[..]) else {
                // A collective on several values keeps their layouts.
                self.b.body.push(id);
                return;
            };
            let (from, to) = (self.layout(arg), self.layout(out));
            return self.collective(&op.kind, arg, out, &from, &to);
        }
        let site = self.site(op);
        self.compute(&site);
    }

    /// Returns true if the op is computed identically on every device.
    fn is_replicated_op(&self, op: &Op) -> bool {
        let whole = |v: &ValueId| self.b.program.values[*v].layout.as_ref().is_none_or(|l| l.is_replicated());
        !op.kind.changes_layout() && op.outs.iter().chain(&op.args).all(whole)
    }

    fn layout(&self, value: ValueId) -> Layout {
        let value = &self.b.program.values[value];
        value.layout.as_deref().cloned().unwrap_or_else(|| Layout::replicated(self.mesh_id, value.ty.shape.rank()))
    }

    fn site(&self, op: Op) -> ShardedOp {
        let program = &*self.b.program;
        let rule = op.kind.rule(&program.arg_types(&op), &program.out_types(&op));
        let layouts: SmallVec<[Layout; 4]> = op.args.iter().chain(&op.outs).map(|&v| self.layout(v)).collect();
        let factors = rule.infer_factor_axes(layouts.iter()).factors;
        let types = |values: &Values| values.iter().map(|&v| program.ty(v).clone()).collect();
        ShardedOp {
            args: types(&op.args),
            outs: types(&op.outs),
            local_outs: op.outs.iter().map(|&v| program.values[v].local_type()).collect(),
            out_layouts: op.outs.iter().map(|&v| self.layout(v)).collect(),
            rule,
            factors,
            op,
        }
    }

    /// Appends the op on shards.
    fn compute(&mut self, site: &ShardedOp) {
        let first = self.b.body.len();
        if let Some(positional) = site.op.kind.interfaces().positional {
            let dims = site.outs[0].shape.iter().copied().zip(site.out_layouts[0].dim_axes().cloned());
            let (dims, locals): (Vec<(usize, Axes)>, Vec<&Type>) = (dims.collect(), site.local_outs.iter().collect());
            if let Some(made) = positional.build_shard(&mut self.b, &site.op.args, &dims, &locals) {
                return self.define_all(&site.op.outs, &made, first);
            }
        }
        if let Some(made) = self.exchange_shards(site) {
            return self.define_all(&site.op.outs, &made, first);
        }
        let mut kind = site.op.kind.clone();
        let mut args = site.op.args.clone();
        for (arg, value) in args.iter_mut().enumerate() {
            *value = self.mask_padding(site, arg, *value);
        }
        self.exchange_halos(site, &mut kind, &mut args);
        self.shift_indices(site, &mut kind, &mut args);
        let local_args: Vec<Type> = args.iter().map(|&v| self.b.program.values[v].local_type()).collect();
        let global: SmallVec<[&Type; 4]> = site.args.iter().collect();
        let local: SmallVec<[&Type; 4]> = local_args.iter().collect();
        let outs: SmallVec<[&Type; 1]> = site.local_outs.iter().collect();
        let kind = kind.to_local(&global, &local, &outs);
        self.b.push(kind, &args, site.op.outs.clone());
    }

    /// Appends the op as exchanges of shards between devices, if a dimension requires them.
    fn exchange_shards(&mut self, site: &ShardedOp) -> Option<Values> {
        let mut dims = Vec::new();
        for ((id, factor), axes) in (0u32..).map(FactorId).zip(&site.rule.factors).zip(&site.factors) {
            let is_exchanged = matches!(factor.kind, FactorKind::Exchanged { .. });
            if is_exchanged && shard_count(axes) > 1 && factor.size > 0 {
                let dim = site.rule.maps().find_map(|map| map.iter().position(|dim| dim.contains(&id)))?;
                let sizes = site.args.iter().map(|ty| ty.shape.get(dim).copied().unwrap_or(1)).collect();
                dims.push(ExchangedDim { dim, axes: axes.clone(), sizes });
            }
        }
        let exchanging = site.op.kind.interfaces().exchanging?;
        self.b.origin = site.origin_of_exchange(dims.first()?.dim, "elements move to other shards");
        let made = exchanging.exchange(&mut self.b, &site.op.args, &dims);
        self.b.origin = site.op.origin.clone();
        Some(made)
    }

    /// Makes the ops that define `made`, from position `first` of the body on, define `outs` instead. A value that is
    /// defined before is copied.
    fn define_all(&mut self, outs: &[ValueId], made: &[ValueId], first: usize) {
        for (&out, &made) in outs.iter().zip(made) {
            let program = &mut self.b.program;
            let new = self.b.body[first..].iter().find(|&&op| program.ops[op].outs.contains(&made));
            match new {
                Some(&op) => {
                    program.ops[op].outs.iter_mut().filter(|slot| **slot == made).for_each(|slot| *slot = out);
                }
                None => drop(self.b.push(Reshape {}.into(), &[made], Values::from_slice(&[out]))),
            }
        }
    }

    /// Makes the last op define `out` instead of `made`.
    fn define(&mut self, out: ValueId, made: ValueId) {
        if let Some(&last) = self.b.body.last() {
            for slot in &mut self.b.program.ops[last].outs {
                if *slot == made {
                    *slot = out;
                }
            }
        }
    }

    /// Overwrites the padding of an operand's uneven dimensions with the reduction's identity where the op would read
    /// it.
    fn mask_padding(&mut self, site: &ShardedOp, arg: usize, value: ValueId) -> ValueId {
        let mut value = value;
        for (dim, factors) in site.rule.args[arg].iter().enumerate() {
            let [factor] = factors[..] else { continue };
            let axes = &site.factors[factor.0 as usize];
            let size = site.args[arg].shape[dim];
            let fill = match site.rule.kind(factor) {
                FactorKind::Reduce(monoid) => monoid.fill(),
                // Summed kernel taps. Padding of operand 0 is overwritten by its halo.
                FactorKind::Window(_) if arg > 0 && site.rule.reduction(factor).is_some() => Fill::Zero,
                // Out-of-range indices read zero, whereas the padding may contain other numbers.
                FactorKind::Indexed if site.reads_zero_outside() => Fill::Zero,
                FactorKind::PassThrough
                | FactorKind::NeedReplication
                | FactorKind::Inner
                | FactorKind::Exchanged { .. }
                | FactorKind::Window(_)
                | FactorKind::Indexed => continue,
            };
            let clean = fill == Fill::Zero && self.zero_padded.get(value.index()).copied().unwrap_or(false);
            if divides(size, axes) || clean {
                continue;
            }
            let local = self.b.program.values[value].local_type();
            let mask = Mask { fill, dim, size, axes: axes.clone() };
            let name = self.b.program.values[value].name.clone();
            value = self.b.op(&name, mask, &[value], local);
        }
        value
    }
}
