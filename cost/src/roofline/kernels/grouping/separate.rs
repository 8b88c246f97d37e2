//! Kernels of a launch in a framework that executes every op as a kernel, or chains of elementwise ops.

use super::Grouping;
use crate::roofline::efficiencies::Fusion;
use crate::roofline::kernels::{LaunchKind, SeparateKernels};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Op, Phase};
use rustc_hash::FxHashSet;

/// Ops of a launch by the kernels that they are.
#[derive(Default)]
struct KernelOps {
    /// Ops of one kernel each: an op with the conversions of its operands. With the number of times that the kernel is
    /// executed.
    single: Vec<(Vec<OpId>, u32)>,
    /// Ops that a loss or a gradient consists of.
    composed: Vec<OpId>,
}

impl Grouping<'_> {
    /// Returns the kernels of a launch without fusion, or `None` if the launch is one kernel. The ops that a loss or a
    /// gradient consists of are one kernel, and one more for gradients of parameters.
    pub(super) fn separate_kernels(&self, group: usize) -> Option<SeparateKernels> {
        let ops = &self.groups[group].ops;
        let is_update = ops.iter().any(|&id| self.program.ops[id].kind.class() == Class::Update);
        // The optimizer updates all parameters in one kernel, and products add a bias.
        let is_fused = match self.fusion {
            Fusion::Products | Fusion::Loops => true,
            Fusion::Chains | Fusion::None => false,
        };
        if is_fused || self.groups[group].kind != LaunchKind::FusedLoop || is_update {
            return None;
        }
        let KernelOps { single, composed } = self.kernel_ops(group);
        let mut all = SeparateKernels::default();
        let mut add = |times: u32, bytes: u64| {
            all.kernels += times;
            all.bytes = all.bytes.saturating_add(u64::from(times).saturating_mul(bytes));
        };
        single.iter().for_each(|(ops, times)| add(*times, self.read_bytes(ops) + self.written_bytes(group, ops)));
        if !composed.is_empty() {
            add(1, self.read_bytes(&composed) + self.written_bytes(group, &composed));
            let phases = || composed.iter().map(|&id| self.program.ops[id].phase);
            if phases().any(|phase| phase == Phase::BackwardWeight) && phases().any(|p| p == Phase::BackwardInput) {
                add(1, self.read_bytes(&composed));
            }
        }
        Some(all)
    }

    /// Returns the ops of a launch by kernel. Ops of the model widen their operands themselves.
    ///
    /// Recogniser: other ops than conversions are executed once.
    fn kernel_ops(&self, group: usize) -> KernelOps {
        let ops = &self.groups[group].ops;
        let is_forward = |id: &OpId| matches!(self.program.ops[*id].phase, Phase::Forward | Phase::Recompute);
        let is_reduction = |&id: &OpId| self.program.ops[id].kind.class() == Class::Reduction;
        let is_composed = !ops.iter().all(is_forward) || ops.iter().any(is_reduction);
        let (mut all, mut widened) = (KernelOps::default(), Vec::new());
        for &id in ops {
            let Op { args, outs, .. } = &self.program.ops[id];
            match self.program.ops[id].kind {
                OpKind::Convert(_) if is_forward(&id) && self.ty(args[0]).bytes() < self.ty(outs[0]).bytes() => {
                    widened.push(id);
                }
                OpKind::Convert(_) => all.single.push((vec![id], self.conversions(id))),
                _ if is_composed && !self.adds_gradients(group, id) => all.composed.push(id),
                _ => {
                    let kernel = widened.drain(..).chain([id]);
                    let is_chained = |id: &OpId| self.program.ops[*id].kind.class() == Class::Elementwise;
                    match all.single.last_mut() {
                        Some((ops, 1))
                            if self.fusion == Fusion::Chains && ops.iter().all(is_chained) && is_chained(&id) =>
                        {
                            ops.extend(kernel);
                        }
                        _ => all.single.push((kernel.collect(), 1)),
                    }
                }
            }
        }
        all.composed.extend(widened);
        all
    }

    /// Returns the number of times that a conversion is executed: once for each product that reads the result, except
    /// for a parameter.
    fn conversions(&self, id: OpId) -> u32 {
        let op = &self.program.ops[id];
        let is_input = self.view(op.args[0]).root.is_some_and(|root| !self.producing_group.contains_key(&root));
        let readers = self.readers.get(&op.outs[0]).into_iter().flatten();
        let products = readers.filter(|&&reader| {
            let group = &self.groups[self.find(reader)];
            let is_same_phase = group.ops.first().is_some_and(|&first| self.program.ops[first].phase == op.phase);
            group.kind == LaunchKind::Contraction && is_same_phase
        });
        if is_input { 1 } else { products.count().max(1) as u32 }
    }

    /// Returns true for the addition of a gradient that another launch computed.
    ///
    /// Recogniser: gradients are added by binary ops.
    fn adds_gradients(&self, group: usize, id: OpId) -> bool {
        let op = &self.program.ops[id];
        let is_gradient = |&arg: &ValueId| {
            let producer = self.producer(&self.view(arg)).filter(|&producer| producer != group);
            let first = producer.and_then(|producer| self.groups[producer].ops.first());
            first.is_some_and(|&first| self.program.ops[first].phase == Phase::BackwardInput)
        };
        let is_sum = match &op.kind {
            OpKind::Binary(binary) => binary.op == BinaryOp::Add,
            _ => false,
        };
        op.phase == Phase::BackwardInput && is_sum && op.args.iter().any(is_gradient)
    }

    /// Returns the bytes that one kernel for these ops reads.
    fn read_bytes(&self, ops: &[OpId]) -> u64 {
        let inside: FxHashSet<ValueId> = ops.iter().flat_map(|&id| &self.program.ops[id].outs).copied().collect();
        let mut seen: FxHashSet<ValueId> = FxHashSet::default();
        let args = ops.iter().flat_map(|&id| &self.program.ops[id].args);
        let views = args.map(|&arg| self.view(arg));
        let read = views.filter(|view| view.root.is_some_and(|root| !inside.contains(&root)) && seen.insert(view.key));
        read.map(|view| view.bytes).fold(0, u64::saturating_add)
    }

    /// Returns the bytes that one kernel for these ops of a launch writes: values that other ops read, or no op.
    fn written_bytes(&self, group: usize, ops: &[OpId]) -> u64 {
        let is_read = |out: ValueId, by_kernel: bool| {
            self.groups[group]
                .ops
                .iter()
                .filter(|op| ops.contains(op) == by_kernel)
                .any(|&op| self.program.ops[op].args.iter().any(|&arg| self.view(arg).root == Some(out)))
        };
        let is_read_elsewhere =
            |out: ValueId| self.readers.get(&out).into_iter().flatten().any(|&reader| self.find(reader) != group);
        let outs = ops.iter().flat_map(|&id| &self.program.ops[id].outs).copied();
        let written = outs.filter(|&out| is_read_elsewhere(out) || is_read(out, false) || !is_read(out, true));
        written.map(|out| self.ty(out).bytes()).fold(0, u64::saturating_add)
    }
}
