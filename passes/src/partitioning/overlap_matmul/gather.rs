//! Products after an `all_gather`: shards circulate among the devices.
//!
//! In step `j`, the device of rank `r` has the shard of rank `r + j` and computes the products of its rows, while the
//! next shard arrives. If other ops read the gathered value as well, it is assembled from the shards. Products that
//! contract the rows are not divided: they would read and write their result in each step.

use super::block::Blocks;
use super::product::BlockProduct;
use super::{OriginalOps, Uses, can_unroll, continue_op, define, exchanging, is_gradient_of_parameter};
use crate::partitioning::ring::{Ring, local_operand};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::Collective;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase, Program};
use rustc_hash::FxHashSet;

/// Largest number of ops between an `all_gather` and a product that overlaps with it. A product that is further away
/// reads the gathered value.
const MAX_DISTANCE: usize = 256;

/// An `all_gather` before products.
struct GatherSite {
    op: Op,
    dim: usize,
    ring: Ring,
    /// The op that removes padding from the gathered value, if there is one.
    trim: Option<OpId>,
    products: ProductsInReach,
}

/// Products that read the same gathered value.
struct ProductsInReach {
    /// Products, by the position of their op in the function.
    products: Vec<(usize, BlockProduct)>,
    /// Positions of ops between them that depend on the result of a product, or on the gathered value.
    delayed: FxHashSet<usize>,
    /// True if other ops read the gathered value.
    is_assembled: bool,
}

/// Replaces the sites of a function.
pub(super) fn overlap(program: &mut Program, func: FuncId, names: &mut Namer, original: &OriginalOps) {
    let mut uses = Uses::new(program, func);
    let mut body = program.funcs[func].take_ops();
    let mut at = 0;
    while at < body.len() {
        if let Some(site) = GatherSite::find(program, &body, at, &uses, original) {
            let end = site.products.products.last().map_or(at, |(position, _)| *position);
            let mut b = Builder::new(program, names);
            site.append(&mut b, &body, at);
            let ops = b.body;
            body[at..=end].iter().for_each(|&id| uses.remove(&program.ops[id]));
            ops.iter().for_each(|&id| uses.add(&program.ops[id]));
            body.splice(at..=end, ops);
        }
        at += 1;
    }
    *program.funcs[func].ops_mut() = body;
}

impl GatherSite {
    fn find(program: &Program, body: &[OpId], at: usize, uses: &Uses, original: &OriginalOps) -> Option<GatherSite> {
        let op = &program.ops[body[at]];
        let gather = match op.kind.collective()? {
            Collective::AllGather(gather) => gather,
            Collective::ReduceScatter(_)
            | Collective::AllReduce(_)
            | Collective::AllToAll(_)
            | Collective::Permute(_) => return None,
        };
        let (&[shard], &[full]) = (&op.args[..], &op.outs[..]) else { return None };
        let (dim, ring) = (gather.dim, Ring::new(gather.axes.clone()));
        let is_empty = program.values[full].local_type().shape[dim] == 0;
        if original.is_weight(shard) || !can_unroll(&ring) || is_empty {
            return None;
        }
        let near = &body[at + 1..body.len().min(at + 1 + MAX_DISTANCE)];
        let trim = near.iter().copied().find(|&id| uses.count(full) == 1 && removes_padding(program, id, full, dim));
        let gathered = trim.map_or(full, |trim| program.ops[trim].outs[0]);
        let (first, count) = (at + 1, uses.count(gathered));
        let search = ProductSearch { program, original, near, first, trim, gathered, dim, count };
        let products = search.rows()?;
        Some(GatherSite { op: op.clone(), dim, ring, trim, products })
    }

    /// Appends the ops from the `all_gather` at `start` to the last product.
    fn append(self, b: &mut Builder<'_>, body: &[OpId], start: usize) {
        let GatherSite { op, dim, ring, trim, products } = self;
        let ProductsInReach { products, delayed, is_assembled } = products;
        let Some(&(end, _)) = products.last() else { return };
        let positions: FxHashSet<usize> = products.iter().map(|(position, _)| *position).collect();
        let is_replaced = |at: &usize| *at == start || Some(body[*at]) == trim || positions.contains(at);
        let others = || (start..=end).filter(|at| !is_replaced(at));
        b.body.extend(others().filter(|at| !delayed.contains(at)).map(|at| body[at]));
        let results: Vec<ValueId> = products.iter().map(|(_, product)| product.out()).collect();
        let gathered = trim.map_or(op.outs[0], |trim| b.program.ops[trim].outs[0]);
        let exchange = exchanging(b.program, &op, &ring, &results);
        let products = products.into_iter().map(|(_, product)| product).collect();
        GatherRing { ring, dim, gathered, exchange, products, full: is_assembled.then_some(op.outs[0]) }.append(b);
        b.body.extend(trim.filter(|_| is_assembled));
        b.body.extend(others().filter(|at| delayed.contains(at)).map(|at| body[at]));
    }
}

/// Recogniser: other ops do not remove padding.
fn removes_padding(program: &Program, id: OpId, full: ValueId, dim: usize) -> bool {
    let op = &program.ops[id];
    let OpKind::Slice(slice) = &op.kind else { return false };
    let shape = program.values[full].local_type().shape;
    op.args[..] == [full]
        && slice.start.iter().all(|&start| start == 0)
        && slice.stride.iter().all(|&stride| stride == 1)
        && slice.limit.iter().zip(shape.iter()).enumerate().all(|(d, (limit, size))| d == dim || limit == size)
}

/// Search for the products that read a gathered value.
struct ProductSearch<'p> {
    program: &'p Program,
    original: &'p OriginalOps,
    /// Ops after the `all_gather`.
    near: &'p [OpId],
    /// Position of the first of them.
    first: usize,
    trim: Option<OpId>,
    gathered: ValueId,
    dim: usize,
    /// Number of uses of the gathered value.
    count: usize,
}

impl ProductSearch<'_> {
    /// Returns the products whose results have the rows: all readers of the gathered value, or some.
    fn rows(&self) -> Option<ProductsInReach> {
        let all = Some(self.products(false)).filter(|found| found.products.len() == self.count);
        all.or_else(|| Some(self.products(true))).filter(|found| !found.products.is_empty())
    }

    /// Returns the products of one phase whose other operands do not depend on each other's results.
    fn products(&self, is_assembled: bool) -> ProductsInReach {
        let mut late: FxHashSet<ValueId> = FxHashSet::default();
        late.extend(is_assembled.then_some(self.gathered));
        let mut products: Vec<(usize, BlockProduct)> = Vec::new();
        let mut delayed = FxHashSet::default();
        let mut phase: Option<Phase> = None;
        for (position, &id) in (self.first..).zip(self.near) {
            if Some(id) == self.trim {
                continue;
            }
            let op = &self.program.ops[id];
            let product = BlockProduct::of_operand(self.program, id, self.gathered, self.dim);
            let others = op.args.iter().filter(|&&arg| arg != self.gathered);
            let can_join = self.original.contains(id)
                && !is_gradient_of_parameter(op.phase)
                && phase.is_none_or(|phase| phase == op.phase)
                && !others.into_iter().any(|arg| late.contains(arg));
            let product = product.filter(|_| can_join);
            if let Some(product) = product {
                phase = Some(op.phase);
                products.push((position, product));
                late.extend(&op.outs);
            } else if op.args.iter().any(|arg| late.contains(arg)) {
                delayed.insert(position);
                late.extend(&op.outs);
            }
        }
        let is_assembled = is_assembled && products.len() < self.count;
        ProductsInReach { products, delayed, is_assembled }
    }
}

/// The circulation of shards.
struct GatherRing {
    ring: Ring,
    dim: usize,
    /// The operand of the products.
    gathered: ValueId,
    /// The collective, with the origin of its exchanges.
    exchange: Op,
    products: Vec<BlockProduct>,
    /// The gathered value with padding, if it is assembled.
    full: Option<ValueId>,
}

impl GatherRing {
    fn append(mut self, b: &mut Builder<'_>) {
        continue_op(b, &self.exchange);
        let mut shard = local_operand(b, self.exchange.args[0]);
        let blocks = Blocks::new(b, &self.ring, b.ty(shard).shape[self.dim]);
        for product in &mut self.products {
            product.pad_operands(b, &blocks, Some(self.gathered));
        }
        let mut results: Vec<Option<ValueId>> = vec![None; self.products.len()];
        let mut full: Option<ValueId> = None;
        for step in 0..self.ring.devices {
            continue_op(b, &self.exchange);
            let is_last = step + 1 == self.ring.devices;
            // The next shard arrives during the products of this one.
            let next = if is_last { shard } else { self.ring.send_back(b, shard) };
            let mut block = blocks.block(b, step);
            for (product, result) in self.products.iter().zip(&mut results) {
                let part = product.append(b, &mut block, Some((self.gathered, shard)));
                let name = b.program.values[product.out()].name.clone();
                let written = block.write(b, (&name, *result), part, (product.result, blocks.size()));
                *result = Some(written);
                if is_last {
                    finish(b, product, written);
                }
            }
            if let Some(out) = self.full {
                continue_op(b, &self.exchange);
                let name = b.program.values[out].name.clone();
                let written = block.write(b, (&name, full), shard, (self.dim, blocks.size()));
                full = Some(written);
                if is_last {
                    define(b, out, written);
                }
            }
            shard = next;
        }
    }
}

/// Makes the product's result that of all blocks, without padding.
fn finish(b: &mut Builder<'_>, product: &BlockProduct, written: ValueId) {
    let size = b.program.values[product.out()].local_type().shape[product.result];
    let is_padded = b.ty(written).shape[product.result] > size;
    let result = if is_padded { b.slice_dim(written, product.result, 0, size) } else { written };
    define(b, product.out(), result);
}
