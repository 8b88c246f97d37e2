//! Products before a `reduce_scatter`: partial sums circulate among the devices.
//!
//! In step `j` of `n`, the device of rank `r` computes the products for the shard of rank `r + 1 + j`, while the sum of
//! this shard over the devices after it arrives. After the last step each device has the sum of its own shard.

use super::block::{Blocks, DeviceBlock};
use super::product::BlockProduct;
use super::{Uses, can_unroll, continue_op, define, exchanging, is_gradient_of_parameter};
use crate::partitioning::ring::Ring;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Collective;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Literal};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// Largest number of summands that are computed in blocks. Further ones are sliced.
const MAX_SUMMANDS: usize = 16;

/// A `reduce_scatter` of a sum of products.
struct ScatterSite {
    op: Op,
    dim: usize,
    ring: Ring,
    summand: Summand,
    /// Ops that the blocks replace.
    replaced: Vec<OpId>,
}

/// An operand of a sum.
enum Summand {
    Product(BlockProduct),
    /// An addition, with its operands.
    Sum(Op, Box<[Summand; 2]>),
    /// A value that is sliced.
    Value(ValueId),
}

/// Replaces the sites of a function.
pub(super) fn overlap(program: &mut Program, func: FuncId, names: &mut Namer) {
    let uses = Uses::new(program, func);
    let old = program.funcs[func].ops().to_vec();
    let found = old.iter().filter_map(|&id| Some((id, ScatterSite::find(program, &uses, id)?)));
    let mut sites: FxHashMap<OpId, ScatterSite> = found.collect();
    if sites.is_empty() {
        return;
    }
    let replaced: FxHashSet<OpId> = sites.values().flat_map(|site| site.replaced.iter().copied()).collect();
    let mut b = Builder::new(program, names);
    for id in old {
        match sites.remove(&id) {
            Some(site) => site.append(&mut b),
            None if replaced.contains(&id) => {}
            None => b.body.push(id),
        }
    }
    b.finish(func);
}

impl ScatterSite {
    fn find(program: &Program, uses: &Uses, id: OpId) -> Option<ScatterSite> {
        let op = &program.ops[id];
        if is_gradient_of_parameter(op.phase) {
            return None;
        }
        let (dim, axes) = match op.kind.collective()? {
            Collective::ReduceScatter(scatter) if scatter.monoid == Monoid::Sum => (scatter.dim, scatter.axes.clone()),
            Collective::ReduceScatter(_)
            | Collective::AllReduce(_)
            | Collective::AllGather(_)
            | Collective::AllToAll(_)
            | Collective::Permute(_) => return None,
        };
        let (&[arg], &[out]) = (&op.args[..], &op.outs[..]) else { return None };
        let ring = Ring::new(axes);
        if !can_unroll(&ring) || program.values[out].local_type().shape[dim] == 0 {
            return None;
        }
        let mut search = SummandSearch { program, uses, dim, found: 0, replaced: Vec::new() };
        let arg = search.before_padding(arg);
        let summand = search.summand(arg, MAX_SUMMANDS);
        (search.found > 0).then(|| ScatterSite { op: op.clone(), dim, ring, summand, replaced: search.replaced })
    }

    /// Appends the ring.
    fn append(mut self, b: &mut Builder<'_>) {
        let out = self.op.outs[0];
        let mut results = Vec::new();
        self.summand.results(&mut results);
        let exchange = exchanging(b.program, &self.op, &self.ring, &results);
        continue_op(b, &exchange);
        let blocks = Blocks::new(b, &self.ring, b.program.values[out].local_type().shape[self.dim]);
        self.summand.pad(b, &blocks, self.dim);
        let mut sum: Option<ValueId> = None;
        for step in 1..=self.ring.devices {
            continue_op(b, &exchange);
            // The sum arrives during the products that are added to it.
            let arrived = sum.map(|sum| self.ring.send_back(b, sum));
            let mut block = blocks.block(b, step % self.ring.devices);
            let part = self.summand.append(b, &mut block, self.dim);
            continue_op(b, &self.op);
            sum = Some(match arrived {
                Some(arrived) => b.binary(BinaryOp::Add, arrived, part),
                None => part,
            });
        }
        if let Some(sum) = sum {
            define(b, out, sum);
        }
    }
}

impl Summand {
    /// Appends the results of products.
    fn results(&self, results: &mut Vec<ValueId>) {
        match self {
            Summand::Product(product) => results.push(product.out()),
            Summand::Sum(_, operands) => operands.iter().for_each(|operand| operand.results(results)),
            Summand::Value(_) => {}
        }
    }

    /// Appends zeros to values and to operands of products, such that they have all blocks.
    fn pad(&mut self, b: &mut Builder<'_>, blocks: &Blocks<'_>, dim: usize) {
        match self {
            Summand::Product(product) => product.pad_operands(b, blocks, None),
            Summand::Sum(_, operands) => operands.iter_mut().for_each(|operand| operand.pad(b, blocks, dim)),
            Summand::Value(value) => *value = blocks.padded(b, *value, dim),
        }
    }

    /// Appends a block.
    fn append(&self, b: &mut Builder<'_>, block: &mut DeviceBlock, dim: usize) -> ValueId {
        match self {
            Summand::Product(product) => product.append(b, block, None),
            Summand::Sum(op, operands) => {
                let [x, y] = operands.each_ref().map(|operand| operand.append(b, block, dim));
                continue_op(b, op);
                b.binary(BinaryOp::Add, x, y)
            }
            Summand::Value(value) => block.slice(b, *value, dim),
        }
    }
}

/// Search for the products of a sum.
struct SummandSearch<'p> {
    program: &'p Program,
    uses: &'p Uses,
    dim: usize,
    /// Number of products found.
    found: usize,
    replaced: Vec<OpId>,
}

/// Recogniser: sums of other ops are sliced, or not overlapped if no product is found.
impl SummandSearch<'_> {
    /// Returns the op that defines a value that nothing else reads.
    fn sole_def(&self, value: ValueId) -> Option<OpId> {
        self.uses.defs.get(&value).copied().filter(|_| self.uses.count(value) == 1)
    }

    /// Returns the operand of an op that appends zeros along the dimension, or the value itself.
    fn before_padding(&mut self, value: ValueId) -> ValueId {
        let Some(id) = self.sole_def(value) else { return value };
        let op = &self.program.ops[id];
        let OpKind::Pad(pad) = &op.kind else { return value };
        let appends = pad.low.iter().all(|&low| low == 0)
            && pad.interior.iter().all(|&between| between == 0)
            && pad.high.iter().enumerate().all(|(dim, &high)| high == 0 || (dim == self.dim && high > 0));
        let is_zero = self.uses.defs.get(&op.args[1]).is_some_and(|&constant| {
            let OpKind::Constant(constant) = &self.program.ops[constant].kind else { return false };
            matches!(constant.value, Literal::Splat(Scalar::Int(0)) | Literal::Splat(Scalar::Float(0.0)))
        });
        if !appends || !is_zero {
            return value;
        }
        self.replaced.push(id);
        op.args[0]
    }

    /// Returns a summand with at most `most` leaves.
    fn summand(&mut self, value: ValueId, most: usize) -> Summand {
        let Some(id) = self.sole_def(value) else { return Summand::Value(value) };
        if let Some(product) = BlockProduct::of_result(self.program, id, self.dim) {
            self.found += 1;
            self.replaced.push(id);
            return Summand::Product(product);
        }
        let op = &self.program.ops[id];
        match (&op.kind, &op.args[..]) {
            (OpKind::Binary(binary), &[x, y]) if binary.op == BinaryOp::Add && most > 1 => {
                self.replaced.push(id);
                // The chain of sums is usually the left operand.
                let operands = [self.summand(x, most - 1), self.summand(y, most / 2)];
                Summand::Sum(op.clone(), Box::new(operands))
            }
            _ => Summand::Value(value),
        }
    }
}
