//! In-memory execution of collectives on buffers of one process, without copies beyond those of the algorithm.
//!
//! Devices of one process share memory. Once all members of a group have arrived at a collective, a [`CollectiveExec`]
//! reads their operands and writes their results in place, without messages or additional threads. A [`CollectiveExec`]
//! is built at compile time and serves every group along the same axes.
//!
//! The work is divided into items that threads may execute in any order. An item is a tile of a chunk, which passes
//! through all steps of the verified [`Algorithm`](partita_machine::collective::Algorithm) at once. The tile stays in
//! the cache from the first step to the last, so that a large `all_reduce` reads each operand once and writes each
//! result once.
//!
//! Elements are stored at the width of their dtype, `bool` as a byte that is 0 or 1. Every shard of an uneven dimension
//! has the size of the first shard, and its padding is set to zero.

mod block;
pub(crate) mod distributed;
mod fold;
pub(crate) mod native;
mod packed;
mod perform;
#[cfg(test)]
mod reference;
pub(crate) mod remote;
pub mod row_transfers;
#[cfg(test)]
mod tests;
pub mod throttled;

pub use perform::MemberBuffers;

use crate::group::Group;
use block::{Block, Corner, Tile};
use fold::FoldKernel;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::{DimShard, Monoid};
use partita_ir::pipeline::Message;
use partita_machine::collective::check::{CheckedAlgorithm, check};
use partita_machine::collective::{Buffer, CollectiveKind, Method, Place, Ranks};
use partita_machine::host::{self, Cost, MemoryAccess};
use smallvec::SmallVec;
use std::ops::Range;

/// Maximum bytes of the small blocks in one item.
const MAX_BATCH_BYTES: usize = 16 << 10;

/// Minimum bytes of results that are written with non-temporal stores, since they would be evicted before they are
/// read.
const MIN_STREAMED_BYTES: u64 = 4 << 20;

/// Collective of one group, prepared for execution on buffers.
#[derive(Debug)]
pub struct CollectiveExec {
    operand: Type,
    result: Type,
    members: usize,
    /// Number of members with an operand: the first members of the group.
    senders: usize,
    in_place: bool,
    monoid: Option<Monoid>,
    /// Kernel that combines elements, for collectives with a reduction.
    kernel: Option<FoldKernel>,
    /// Blocks with their operations: one for each chunk of the algorithm, then those to be cleared.
    works: Vec<BlockWork>,
    /// Blocks grouped into items: several small blocks form one item, or a large block forms several items.
    batches: Vec<Batch>,
    items: usize,
}

/// Block of elements and its operation.
#[derive(Debug)]
struct BlockWork {
    block: Block,
    op: BlockOp,
}

#[derive(Debug)]
enum BlockOp {
    /// Transfers of a chunk in the order of the steps, and the number of scratch buffers for the chunk.
    Transfers(Vec<FusedTransfer>, usize),
    /// Sets the block to zero in the result of one member.
    Clear(usize),
}

/// Transfer, merged with the transfers that copy its result.
#[derive(Debug)]
struct FusedTransfer {
    from: SmallVec<[ChunkBuffer; 2]>,
    to: SmallVec<[ChunkBuffer; 2]>,
}

/// Buffer that contains a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ChunkBuffer {
    /// Operand of a member.
    Input(usize),
    /// Result of a member.
    Output(usize),
    /// Scratch buffer.
    Scratch(usize),
}

/// Consecutive blocks and the number of their first item.
#[derive(Debug)]
struct Batch {
    works: Range<usize>,
    first: usize,
}

/// Shapes of a collective: every member splits its operand along `split` and sends one shard to each member; received
/// shards are concatenated along the dimension `join` of the result.
struct Shapes {
    operand: Type,
    split: Option<usize>,
    /// Dimension and its size in the result.
    join: Option<(usize, usize)>,
}

impl CollectiveExec {
    /// Returns an `all_reduce` of operands of type `ty`. Results may overwrite the operands.
    ///
    /// # Errors
    /// `R004` if the reduction is not defined for the dtype.
    pub fn all_reduce(monoid: Monoid, ty: &Type, group: &Group) -> Result<CollectiveExec, Diagnostic> {
        CollectiveExec::all_reduce_with(default_method(&CollectiveKind::AllReduce), monoid, ty, group)
    }

    /// [`CollectiveExec::all_reduce`] with the given collective algorithm.
    ///
    /// # Errors
    /// `R004` if the reduction is not defined for the dtype, or the algorithm does not implement `all_reduce`.
    pub fn all_reduce_with(
        method: Method,
        monoid: Monoid,
        ty: &Type,
        group: &Group,
    ) -> Result<CollectiveExec, Diagnostic> {
        let shapes = Shapes { operand: ty.clone(), split: None, join: None };
        CollectiveExec::new(CollectiveKind::AllReduce, Some(monoid), shapes, group, Some(method))
    }

    /// Returns a `reduce_scatter` of operands of type `ty` along dimension `dim`.
    ///
    /// # Errors
    /// `R004` if the reduction is not defined for the dtype, or the dimension does not exist.
    pub fn reduce_scatter(monoid: Monoid, ty: &Type, dim: usize, group: &Group) -> Result<CollectiveExec, Diagnostic> {
        let shapes = Shapes { operand: ty.clone(), split: Some(dim), join: None };
        CollectiveExec::new(CollectiveKind::ReduceScatter, Some(monoid), shapes, group, None)
    }

    /// Returns an `all_gather` of shards of type `ty` along `dim`, with `size` elements in the result.
    ///
    /// # Errors
    /// `R004` if the dimension does not exist, or `ty` is not the shard of `size` elements.
    pub fn all_gather(ty: &Type, dim: usize, size: usize, group: &Group) -> Result<CollectiveExec, Diagnostic> {
        let shapes = Shapes { operand: ty.clone(), split: None, join: Some((dim, size)) };
        CollectiveExec::new(CollectiveKind::AllGather, None, shapes, group, None)
    }

    /// Returns an `all_to_all` of operands of type `ty`, split along `to` and concatenated along `from`, which has
    /// `size` elements in the result.
    ///
    /// # Errors
    /// `R004` if the dimensions do not exist or are equal, or `ty` is not the shard of `size` elements.
    pub fn all_to_all(
        ty: &Type,
        from: usize,
        size: usize,
        to: usize,
        group: &Group,
    ) -> Result<CollectiveExec, Diagnostic> {
        let shapes = Shapes { operand: ty.clone(), split: Some(to), join: Some((from, size)) };
        CollectiveExec::new(CollectiveKind::AllToAll, None, shapes, group, None)
    }

    /// Returns a `permute` of operands of type `ty`: for each pair of positions the second member receives the operand
    /// of the first. Members without a sender receive zeros.
    ///
    /// # Errors
    /// `R004` if a position does not exist, or is the target of two pairs.
    pub fn permute(ty: &Type, pairs: &[(u32, u32)], group: &Group) -> Result<CollectiveExec, Diagnostic> {
        let pairs = pairs.iter().map(|&(from, to)| (from as usize, to as usize)).collect();
        let shapes = Shapes { operand: ty.clone(), split: None, join: None };
        CollectiveExec::new(CollectiveKind::Permute(pairs), None, shapes, group, None)
    }

    fn new(
        kind: CollectiveKind,
        monoid: Option<Monoid>,
        shapes: Shapes,
        group: &Group,
        method: Option<Method>,
    ) -> Result<CollectiveExec, Diagnostic> {
        let (name, members) = (kind.name(), group.len());
        let wrong = |what: String| Diagnostic::new(Code::R004, format!("`{name}` {what}"));
        let dtype = shapes.operand.dtype;
        let kernel = monoid.map(|m| {
            fold::kernel(m, dtype).ok_or_else(|| wrong(format!("does not support `{}` for {dtype}", m.name())))
        });
        let kernel = kernel.transpose()?;
        let result = shapes.result(group).map_err(wrong)?;
        let method = method.unwrap_or_else(|| default_method(&kind));
        let algorithm =
            method.build(&kind, members).ok_or_else(|| wrong(format!("cannot use the algorithm {method}")))?;
        let algorithm = check(algorithm).map_err(|fault| wrong(format!("with algorithm {method}: {fault}")))?;
        let mut works = chunk_works(&algorithm, &shapes, &result, group);
        works.extend(clear_works(&algorithm, &shapes, &result, group));
        works.retain(|work| work.block.rows() > 0);
        let (batches, items) = batch_works(&works, dtype);
        let in_place = may_overwrite(&algorithm.kind) && algorithm.in_place();
        let senders = members;
        Ok(CollectiveExec {
            operand: shapes.operand,
            result,
            members,
            senders,
            in_place,
            monoid,
            kernel,
            works,
            batches,
            items,
        })
    }

    /// Returns a transfer of a value between stages: the first `senders` members each have a shard of type `operand`,
    /// and the members from position `first_receiver` on each receive a shard of type `result`. Messages number senders
    /// and receivers separately, from 0.
    pub fn transfer(
        messages: &[Message],
        (operand, result): (&Type, &Type),
        (senders, first_receiver, members): (usize, usize, usize),
    ) -> CollectiveExec {
        let work = |message: &Message| {
            let extent: Shape = message.extent.iter().copied().collect();
            let (from, to) = (ChunkBuffer::Input(message.from), ChunkBuffer::Output(first_receiver + message.to));
            let mut transfers =
                vec![FusedTransfer { from: SmallVec::from_elem(from, 1), to: SmallVec::from_elem(to, 1) }];
            if !message.onward.is_empty() {
                let others = message.onward.iter().map(|&other| ChunkBuffer::Output(first_receiver + other));
                transfers.push(FusedTransfer { from: SmallVec::from_elem(to, 1), to: others.collect() });
            }
            BlockWork {
                block: Block::new(&operand.shape, &message.out_of, &result.shape, &message.into, &extent),
                op: BlockOp::Transfers(transfers, 0),
            }
        };
        let works: Vec<BlockWork> = messages.iter().map(work).filter(|work| work.block.rows() > 0).collect();
        let (batches, items) = batch_works(&works, operand.dtype);
        let (operand, result) = (operand.clone(), result.clone());
        CollectiveExec {
            operand,
            result,
            members,
            senders,
            in_place: false,
            monoid: None,
            kernel: None,
            works,
            batches,
            items,
        }
    }

    /// Returns the bytes of the operand of the member at a position.
    pub(crate) fn operand_bytes(&self, position: usize) -> usize {
        if position < self.senders { self.operand.bytes() as usize } else { 0 }
    }

    /// Returns the number of members.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Returns the type of every member's operand.
    pub fn operand(&self) -> &Type {
        &self.operand
    }

    /// Returns the type of every member's result.
    pub fn result(&self) -> &Type {
        &self.result
    }

    /// Returns true if the result of a member may overwrite its operand.
    pub fn in_place(&self) -> bool {
        self.in_place
    }

    /// Returns the number of items of work, each of which must be executed once, in any order or concurrently.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Returns the cost of the work on the given number of threads.
    pub(crate) fn work(&self, threads: usize) -> host::Work {
        let width = self.operand.dtype.bytes() as usize;
        let (mut lines, mut read, mut written) = (0, 0, 0);
        for work in &self.works {
            let (from, to) = match &work.op {
                BlockOp::Clear(_) => (0, 1),
                BlockOp::Transfers(transfers, _) => {
                    transfers.iter().fold((0, 0), |(a, b), m| (a + m.from.len(), b + m.to.len()))
                }
            };
            lines += (from + to) * work.block.tile_rows(width);
            // Results that overwrite their operands are still in the cache.
            let (from, to) = if self.in_place { (self.members, 0) } else { (from, to) };
            read += from * work.block.count() * width;
            written += to * work.block.count() * width;
        }
        let carried = (read + written).div_ceil(1 << 10);
        let work = host::Work::default().with(Cost::CollectiveKib, carried).with(Cost::CollectiveRun, lines);
        // Full cache lines are written without being read first.
        let work = work.with_traffic(MemoryAccess::Read(0), read).with_traffic(MemoryAccess::Write(0), written);
        work.with_max_cores(threads.min(self.items).max(1))
    }

    /// Returns the tiles of an item with their blocks.
    fn tiles(&self, item: usize) -> impl Iterator<Item = (&BlockWork, Tile)> {
        let batch = self.batches[..].partition_point(|b| b.first <= item).checked_sub(1).map(|b| &self.batches[b]);
        let works = batch.map_or(0..0, |b| b.works.clone());
        let first = batch.map_or(0, |b| b.first);
        let width = self.operand.dtype.bytes() as usize;
        self.works[works].iter().map(move |work| (work, work.block.tile(width, item - first)))
    }
}

/// Returns the collective algorithm that was fastest in measurements for all sizes (`cargo bench -p partita-runtime
/// --bench all_reduce`). In shared memory reading each operand once and writing each result once is optimal, which
/// `star` and `direct` achieve. For 64 MiB on 8 devices both need the same time, a ring 1.5 times as long. For 1 KiB,
/// `star` needs a third of the time of `direct`, which splits the operand into one chunk for each device.
fn default_method(kind: &CollectiveKind) -> Method {
    match kind {
        CollectiveKind::AllReduce => Method::Star,
        CollectiveKind::ReduceScatter
        | CollectiveKind::AllGather
        | CollectiveKind::AllToAll
        | CollectiveKind::Permute(_)
        | CollectiveKind::Broadcast(_)
        | CollectiveKind::Reduce(_)
        | CollectiveKind::ParameterServer(_) => Method::Direct,
    }
}

/// Returns true if every rank has an operand and a result, and element `i` of the result depends on elements `i` only.
fn may_overwrite(kind: &CollectiveKind) -> bool {
    match kind {
        CollectiveKind::AllReduce => true,
        CollectiveKind::ReduceScatter | CollectiveKind::AllGather | CollectiveKind::AllToAll => false,
        CollectiveKind::Permute(_) | CollectiveKind::Broadcast(_) => false,
        CollectiveKind::Reduce(_) | CollectiveKind::ParameterServer(_) => false,
    }
}

impl Shapes {
    /// Returns the type of the result.
    fn result(&self, group: &Group) -> Result<Type, String> {
        let mut result = self.operand.clone();
        let rank = result.shape.rank();
        let dims = self.split.into_iter().chain(self.join.map(|(dim, _)| dim));
        if let Some(dim) = dims.clone().find(|&dim| dim >= rank) {
            return Err(format!("refers to dimension {dim}, which {result} does not have"));
        }
        if dims.clone().count() > 1 && self.split == self.join.map(|(dim, _)| dim) {
            return Err(format!("splits and concatenates the same dimension of {result}"));
        }
        if let Some(dim) = self.split {
            result.shape[dim] = group.shard(result.shape[dim], 0).padded;
        }
        if let Some((dim, size)) = self.join {
            let (has, shard) = (result.shape[dim], group.shard(size, 0).padded);
            if has != shard {
                return Err(format!(
                    "has operand size {has} in dimension {dim}, but a shard of {size} elements has size {shard}"
                ));
            }
            result.shape[dim] = size;
        }
        match result.shape.checked_count().and(self.operand.shape.checked_count()) {
            Some(_) => Ok(result),
            None => Err(format!("of {result} does not fit into memory")),
        }
    }

    /// Returns the block that `from` sends to `to`, in the operand of `from` and the result of `to`.
    fn block(&self, result: &Shape, group: &Group, from: usize, to: usize) -> Block {
        let operand = &self.operand.shape;
        let mut extent = operand.clone();
        let (mut out_of, mut into) = (Corner::from_elem(0, operand.rank()), Corner::from_elem(0, operand.rank()));
        if let Some(dim) = self.split {
            let shard = group.shard(operand[dim], to);
            (out_of[dim], extent[dim]) = (shard.start, shard.len);
        }
        if let Some((dim, size)) = self.join {
            let shard = group.shard(size, from);
            (into[dim], extent[dim]) = (shard.start, shard.len);
        }
        Block::new(operand, &out_of, result, &into, &extent)
    }
}

/// Returns the transfers of every chunk.
fn chunk_works(algorithm: &CheckedAlgorithm, shapes: &Shapes, result: &Type, group: &Group) -> Vec<BlockWork> {
    let mut transfers: Vec<(Vec<FusedTransfer>, Vec<Place>)> =
        (0..algorithm.chunks).map(|_| Default::default()).collect();
    for transfer in algorithm.steps.iter().flatten() {
        let (transfers, scratch) = &mut transfers[transfer.chunk];
        let mut buffer = |place: &Place| match place.buffer {
            Buffer::Input => ChunkBuffer::Input(place.rank),
            Buffer::Output => ChunkBuffer::Output(place.rank),
            Buffer::Scratch => ChunkBuffer::Scratch(scratch.iter().position(|s| s == place).unwrap_or_else(|| {
                scratch.push(*place);
                scratch.len() - 1
            })),
        };
        let (from, to) = (transfer.from.iter().map(&mut buffer).collect(), buffer(&transfer.to));
        append_transfer(transfers, from, to);
    }
    let block = |chunk: usize| match (algorithm.sources(chunk), algorithm.targets(chunk)) {
        (Ranks::All | Ranks::First(_), Ranks::All | Ranks::First(_)) => {
            let (count, share) = (result.shape.count(), result.shape.count().div_ceil(algorithm.chunks));
            let start = (chunk * share).min(count);
            Block::flat(start..(start + share).min(count))
        }
        (Ranks::One(from), Ranks::All | Ranks::First(_)) => shapes.block(&result.shape, group, from, 0),
        (Ranks::All | Ranks::First(_), Ranks::One(to)) => shapes.block(&result.shape, group, 0, to),
        (Ranks::One(from), Ranks::One(to)) => shapes.block(&result.shape, group, from, to),
    };
    let work = |(chunk, (transfers, scratch)): (usize, (Vec<FusedTransfer>, Vec<Place>))| BlockWork {
        block: block(chunk),
        op: BlockOp::Transfers(transfers, scratch.len()),
    };
    transfers.into_iter().enumerate().map(work).collect()
}

/// Appends a transfer. A copy of a value that the last transfer reads or writes becomes an additional target of that
/// transfer, so that each element is loaded once: a direct `all_reduce` becomes a single transfer.
fn append_transfer(transfers: &mut Vec<FusedTransfer>, from: SmallVec<[ChunkBuffer; 2]>, to: ChunkBuffer) {
    if let (Some(last), [source]) = (transfers.last_mut(), &from[..]) {
        let copied = last.to.contains(source) || last.from[..] == [*source];
        // The merged write happens earlier, which is safe because no transfer reads its target.
        if copied && !last.to.contains(&to) && !last.from.contains(&to) {
            return last.to.push(to);
        }
    }
    transfers.push(FusedTransfer { from, to: SmallVec::from_elem(to, 1) });
}

/// Returns the elements that no member sends: padding of shards, and results without a sender in a `permute`.
fn clear_works(algorithm: &CheckedAlgorithm, shapes: &Shapes, result: &Type, group: &Group) -> Vec<BlockWork> {
    let clear = |member: usize| -> Option<BlockWork> {
        let (mut at, mut extent) = (Corner::from_elem(0, result.shape.rank()), result.shape.clone());
        if (0..algorithm.chunks).any(|chunk| algorithm.targets(chunk).contains(member)) {
            let dim = shapes.split?;
            let DimShard { len, padded, .. } = group.shard(shapes.operand.shape[dim], member);
            (at[dim], extent[dim]) = (len, padded - len);
        }
        let block = Block::new(&result.shape, &at, &result.shape, &at, &extent);
        Some(BlockWork { block, op: BlockOp::Clear(member) })
    };
    (0..algorithm.ranks).filter_map(clear).collect()
}

/// Groups small blocks into items; also returns the number of items.
fn batch_works(works: &[BlockWork], dtype: DType) -> (Vec<Batch>, usize) {
    let width = dtype.bytes() as usize;
    let (mut batches, mut items, mut filled): (Vec<Batch>, _, _) = (Vec::new(), 0, usize::MAX);
    for (i, work) in works.iter().enumerate() {
        let (bytes, tiles) = (work.block.count() * width, work.block.tiles(width));
        let room = filled.checked_add(bytes).is_some_and(|sum| sum <= MAX_BATCH_BYTES);
        match batches.last_mut() {
            Some(batch) if room && tiles == 1 => {
                batch.works.end = i + 1;
                filled += bytes;
            }
            _ => {
                batches.push(Batch { works: i..i + 1, first: items });
                items += tiles;
                filled = if tiles == 1 { bytes } else { usize::MAX };
            }
        }
    }
    (batches, items)
}
