//! Collectives on the buffers of one process, without a copy more than the algorithm needs.
//!
//! Devices of one process share their memory. Once all members of a group have come to a collective, an [`Exchange`]
//! reads their operands and writes their results where they lie: no message, no thread of its own. It is made once,
//! when a program is compiled, and serves every group along the same axes.
//!
//! The work is cut into items that any threads may perform in any order. An item is a tile of a chunk, taken through
//! all steps of the proven [`Algorithm`](partita_machine::collective::Algorithm) at once: the tile stays in the cache
//! between the first step and the last, so that a large `all_reduce` reads each operand once and writes each result
//! once.
//!
//! Elements lie in their own width, `bool` as a byte that is 0 or 1. What is a piece of an uneven dimension has the
//! size of the first piece, and its padding is set to zero.

mod block;
mod fold;
pub mod limited;
pub mod motion;
mod perform;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod whole;

pub use perform::Part;

use crate::group::Group;
use block::{Block, Corner, Tile};
use fold::Kernel;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::{Monoid, Piece};
use partita_ir::pipeline::Message;
use partita_machine::collective::check::{Checked, check};
use partita_machine::collective::{Buffer, CollectiveKind, Method, Place, Ranks};
use partita_machine::host::{self, Cost, Touch};
use smallvec::SmallVec;
use std::ops::Range;

/// Small blocks are performed together until they have so many bytes.
const BATCH_BYTES: usize = 16 << 10;

/// Results of so many bytes go past the caches, which would not hold them until somebody reads them.
const STREAM_BYTES: u64 = 4 << 20;

/// A collective of one group, ready to be performed on buffers.
#[derive(Debug)]
pub struct Exchange {
    operand: Type,
    result: Type,
    members: usize,
    /// How many members bring an operand: the first ones.
    senders: usize,
    in_place: bool,
    monoid: Option<Monoid>,
    /// How elements are combined, if they are.
    kernel: Option<Kernel>,
    /// By chunk of the algorithm, what is done with it; then what is cleared.
    works: Vec<Work>,
    /// Works that make up one item, or one work that makes up several.
    batches: Vec<Batch>,
    items: usize,
}

/// Something to be done with one block of elements.
#[derive(Debug)]
struct Work {
    block: Block,
    task: Task,
}

#[derive(Debug)]
enum Task {
    /// The transfers of a chunk, in the order of the steps, and how many places for it there are in scratch memory.
    Flow(Vec<Move>, usize),
    /// Sets the block to zero in the result of one member.
    Clear(usize),
}

/// A transfer, and those that only copy what it writes.
#[derive(Debug)]
struct Move {
    from: SmallVec<[Spot; 2]>,
    to: SmallVec<[Spot; 2]>,
}

/// Where a chunk lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spot {
    /// In the operand of a member.
    Input(usize),
    /// In the result of a member.
    Output(usize),
    /// In scratch memory.
    Scratch(usize),
}

/// Some works, and the number of their first item.
#[derive(Debug)]
struct Batch {
    works: Range<usize>,
    first: usize,
}

/// What is to be exchanged: every member cuts its operand along `split` and gives each its piece; what a member gets
/// from the others are pieces of the dimension `join` of its result.
struct Shapes {
    operand: Type,
    split: Option<usize>,
    /// The dimension, and how many elements it has in the result.
    join: Option<(usize, usize)>,
}

impl Exchange {
    /// Everyone gets the combination of all operands, which are of type `ty`. Results may lie where the operands lie.
    ///
    /// # Errors
    /// `R004` if the monoid is not defined for the dtype.
    pub fn all_reduce(monoid: Monoid, ty: &Type, group: &Group) -> Result<Exchange, Diagnostic> {
        Exchange::all_reduce_by(choose(&CollectiveKind::AllReduce), monoid, ty, group)
    }

    /// [`Exchange::all_reduce`] by a method of one's own choice.
    ///
    /// # Errors
    /// `R004` if the monoid is not defined for the dtype, or the method not for the kind.
    pub fn all_reduce_by(method: Method, monoid: Monoid, ty: &Type, group: &Group) -> Result<Exchange, Diagnostic> {
        let shapes = Shapes { operand: ty.clone(), split: None, join: None };
        Exchange::new(CollectiveKind::AllReduce, Some(monoid), shapes, group, Some(method))
    }

    /// Of the combination of all operands, which are of type `ty`, everyone gets its piece of dimension `dim`.
    ///
    /// # Errors
    /// `R004` if the monoid is not defined for the dtype, or the dimension does not exist.
    pub fn reduce_scatter(monoid: Monoid, ty: &Type, dim: usize, group: &Group) -> Result<Exchange, Diagnostic> {
        let shapes = Shapes { operand: ty.clone(), split: Some(dim), join: None };
        Exchange::new(CollectiveKind::ReduceScatter, Some(monoid), shapes, group, None)
    }

    /// Everyone gets the pieces of all, which are of type `ty`, one after the other along `dim`, `size` elements in
    /// all.
    ///
    /// # Errors
    /// `R004` if the dimension does not exist, or `ty` is not a piece of `size` elements.
    pub fn all_gather(ty: &Type, dim: usize, size: usize, group: &Group) -> Result<Exchange, Diagnostic> {
        let shapes = Shapes { operand: ty.clone(), split: None, join: Some((dim, size)) };
        Exchange::new(CollectiveKind::AllGather, None, shapes, group, None)
    }

    /// Everyone cuts its operand, which is of type `ty`, along `to` and gives each its piece; the pieces that it gets
    /// are pieces of dimension `from`, which has `size` elements in the result.
    ///
    /// # Errors
    /// `R004` if the dimensions do not exist or are the same one, or `ty` is not a piece of `size` elements.
    pub fn all_to_all(ty: &Type, from: usize, size: usize, to: usize, group: &Group) -> Result<Exchange, Diagnostic> {
        let shapes = Shapes { operand: ty.clone(), split: Some(to), join: Some((from, size)) };
        Exchange::new(CollectiveKind::AllToAll, None, shapes, group, None)
    }

    /// For each pair of positions the second one gets the operand of the first, which is of type `ty`; zeros for whom
    /// nobody sends.
    ///
    /// # Errors
    /// `R004` if a position does not exist, or gets from two.
    pub fn permute(ty: &Type, pairs: &[(u32, u32)], group: &Group) -> Result<Exchange, Diagnostic> {
        let pairs = pairs.iter().map(|&(from, to)| (from as usize, to as usize)).collect();
        let shapes = Shapes { operand: ty.clone(), split: None, join: None };
        Exchange::new(CollectiveKind::Permute(pairs), None, shapes, group, None)
    }

    fn new(
        kind: CollectiveKind,
        monoid: Option<Monoid>,
        shapes: Shapes,
        group: &Group,
        method: Option<Method>,
    ) -> Result<Exchange, Diagnostic> {
        let (name, members) = (kind.name(), group.len());
        let wrong = |what: String| Diagnostic::new(Code::R004, format!("`{name}` {what}"));
        let dtype = shapes.operand.dtype;
        let kernel =
            monoid.map(|m| fold::kernel(m, dtype).ok_or_else(|| wrong(format!("knows no {} of {dtype}", m.name()))));
        let kernel = kernel.transpose()?;
        let result = shapes.result(group).map_err(wrong)?;
        let method = method.unwrap_or_else(|| choose(&kind));
        let algorithm = method.build(&kind, members).ok_or_else(|| wrong(format!("cannot be {method}")))?;
        let algorithm = check(algorithm).map_err(|fault| wrong(format!("by {method}: {fault}")))?;
        let mut works = flows(&algorithm, &shapes, &result, group);
        works.extend(clears(&algorithm, &shapes, &result, group));
        works.retain(|work| work.block.rows() > 0);
        let (batches, items) = batches(&works, dtype);
        let in_place = may_overwrite(&algorithm.kind) && algorithm.in_place();
        let senders = members;
        Ok(Exchange {
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

    /// Brings a value to other devices: of the members the first ones have a piece each, which is of type `operand`,
    /// and those from `receivers` on get one, which is of type `result`. Messages count senders and receivers from 0
    /// each.
    pub fn transfer(
        messages: &[Message],
        (operand, result): (&Type, &Type),
        (senders, receivers, members): (usize, usize, usize),
    ) -> Exchange {
        let work = |message: &Message| {
            let extent: Shape = message.extent.iter().copied().collect();
            let (from, to) = (Spot::Input(message.from), Spot::Output(receivers + message.to));
            let mut moves = vec![Move { from: SmallVec::from_elem(from, 1), to: SmallVec::from_elem(to, 1) }];
            if !message.onward.is_empty() {
                let others = message.onward.iter().map(|&other| Spot::Output(receivers + other));
                moves.push(Move { from: SmallVec::from_elem(to, 1), to: others.collect() });
            }
            Work {
                block: Block::new(&operand.shape, &message.out_of, &result.shape, &message.into, &extent),
                task: Task::Flow(moves, 0),
            }
        };
        let works: Vec<Work> = messages.iter().map(work).filter(|work| work.block.rows() > 0).collect();
        let (batches, items) = batches(&works, operand.dtype);
        let (operand, result) = (operand.clone(), result.clone());
        Exchange {
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

    /// Bytes of the operand that the member at a position brings.
    pub(crate) fn brought_bytes(&self, position: usize) -> usize {
        if position < self.senders { self.operand.bytes() as usize } else { 0 }
    }

    /// How many members take part.
    pub fn members(&self) -> usize {
        self.members
    }

    /// The type of the operand of every member.
    pub fn operand(&self) -> &Type {
        &self.operand
    }

    /// The type of the result of every member.
    pub fn result(&self) -> &Type {
        &self.result
    }

    /// Whether the result of a member may lie where its operand lies.
    pub fn in_place(&self) -> bool {
        self.in_place
    }

    /// How many items of work there are. They may be performed in any order and at the same time, each of them once.
    pub fn items(&self) -> usize {
        self.items
    }

    /// What has to be done where so many threads may do it.
    pub(crate) fn work(&self, threads: usize) -> host::Work {
        let width = self.operand.dtype.bytes() as usize;
        let (mut lines, mut read, mut written) = (0, 0, 0);
        for work in &self.works {
            let (from, to) = match &work.task {
                Task::Clear(_) => (0, 1),
                Task::Flow(moves, _) => moves.iter().fold((0, 0), |(a, b), m| (a + m.from.len(), b + m.to.len())),
            };
            lines += (from + to) * work.block.lines(width);
            // What is written where it was read is at hand.
            let (from, to) = if self.in_place { (self.members, 0) } else { (from, to) };
            read += from * work.block.count() * width;
            written += to * work.block.count() * width;
        }
        let carried = (read + written).div_ceil(1 << 10);
        let work = host::Work::default().with(Cost::Carried, carried).with(Cost::Motion, lines);
        // Whole lines are copied without being read first.
        let work = work.moving(Touch::Read(0), read).moving(Touch::Written(0), written);
        work.shared_by(threads.min(self.items).max(1))
    }

    /// The tiles of an item.
    fn tiles(&self, item: usize) -> impl Iterator<Item = (&Work, Tile)> {
        let batch = self.batches[..].partition_point(|b| b.first <= item).checked_sub(1).map(|b| &self.batches[b]);
        let works = batch.map_or(0..0, |b| b.works.clone());
        let first = batch.map_or(0, |b| b.first);
        let width = self.operand.dtype.bytes() as usize;
        self.works[works].iter().map(move |work| (work, work.block.tile(width, item - first)))
    }
}

/// The method that was fastest by measurement (`cargo bench -p partita-runtime --bench all_reduce`), whatever the size:
/// in one memory nothing beats reading each operand once and writing each result once, which `star` and `direct` do. Of
/// 64 MiB on 8 devices both take the same time, and a ring 1.5 times as long; of 1 KiB `star` takes a third of the time
/// of `direct`, which cuts it into a chunk a device.
fn choose(kind: &CollectiveKind) -> Method {
    match kind {
        CollectiveKind::AllReduce => Method::Star,
        CollectiveKind::ReduceScatter
        | CollectiveKind::AllGather
        | CollectiveKind::AllToAll
        | CollectiveKind::Permute(_)
        | CollectiveKind::Broadcast(_)
        | CollectiveKind::Reduce(_)
        | CollectiveKind::Served(_) => Method::Direct,
    }
}

/// Returns whether every rank has an operand and a result, and element `i` of the result is combined from elements `i`
/// alone.
fn may_overwrite(kind: &CollectiveKind) -> bool {
    match kind {
        CollectiveKind::AllReduce => true,
        CollectiveKind::ReduceScatter | CollectiveKind::AllGather | CollectiveKind::AllToAll => false,
        CollectiveKind::Permute(_) | CollectiveKind::Broadcast(_) => false,
        CollectiveKind::Reduce(_) | CollectiveKind::Served(_) => false,
    }
}

impl Shapes {
    /// The type of the result.
    fn result(&self, group: &Group) -> Result<Type, String> {
        let mut result = self.operand.clone();
        let rank = result.shape.rank();
        let dims = self.split.into_iter().chain(self.join.map(|(dim, _)| dim));
        if let Some(dim) = dims.clone().find(|&dim| dim >= rank) {
            return Err(format!("names dimension {dim} of {result}"));
        }
        if dims.clone().count() > 1 && self.split == self.join.map(|(dim, _)| dim) {
            return Err(format!("joins the dimension of {result} that it splits"));
        }
        if let Some(dim) = self.split {
            result.shape[dim] = group.piece(result.shape[dim], 0).padded;
        }
        if let Some((dim, size)) = self.join {
            let (has, piece) = (result.shape[dim], group.piece(size, 0).padded);
            if has != piece {
                return Err(format!("holds {has} elements of dimension {dim}, but a piece of {size} has {piece}"));
            }
            result.shape[dim] = size;
        }
        match result.shape.checked_count().and(self.operand.shape.checked_count()) {
            Some(_) => Ok(result),
            None => Err(format!("of {result} does not fit into memory")),
        }
    }

    /// Where what `from` sends to `to` lies in the operand of the one and in the result of the other.
    fn block(&self, result: &Shape, group: &Group, from: usize, to: usize) -> Block {
        let operand = &self.operand.shape;
        let mut extent = operand.clone();
        let (mut out_of, mut into) = (Corner::from_elem(0, operand.rank()), Corner::from_elem(0, operand.rank()));
        if let Some(dim) = self.split {
            let piece = group.piece(operand[dim], to);
            (out_of[dim], extent[dim]) = (piece.start, piece.len);
        }
        if let Some((dim, size)) = self.join {
            let piece = group.piece(size, from);
            (into[dim], extent[dim]) = (piece.start, piece.len);
        }
        Block::new(operand, &out_of, result, &into, &extent)
    }
}

/// The transfers of every chunk.
fn flows(algorithm: &Checked, shapes: &Shapes, result: &Type, group: &Group) -> Vec<Work> {
    let mut moves: Vec<(Vec<Move>, Vec<Place>)> = (0..algorithm.chunks).map(|_| Default::default()).collect();
    for transfer in algorithm.steps.iter().flatten() {
        let (moves, scratch) = &mut moves[transfer.chunk];
        let mut spot = |place: &Place| match place.buffer {
            Buffer::Input => Spot::Input(place.rank),
            Buffer::Output => Spot::Output(place.rank),
            Buffer::Scratch => Spot::Scratch(scratch.iter().position(|s| s == place).unwrap_or_else(|| {
                scratch.push(*place);
                scratch.len() - 1
            })),
        };
        let (from, to) = (transfer.from.iter().map(&mut spot).collect(), spot(&transfer.to));
        append(moves, from, to);
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
    let work = |(chunk, (moves, scratch)): (usize, (Vec<Move>, Vec<Place>))| Work {
        block: block(chunk),
        task: Task::Flow(moves, scratch.len()),
    };
    moves.into_iter().enumerate().map(work).collect()
}

/// Adds a transfer. A copy of what the last move reads or writes is one more target of that move, so that everybody
/// gets an element while it is at hand: a direct `all_reduce` becomes a single move.
fn append(moves: &mut Vec<Move>, from: SmallVec<[Spot; 2]>, to: Spot) {
    if let (Some(last), [source]) = (moves.last_mut(), &from[..]) {
        let copied = last.to.contains(source) || last.from[..] == [*source];
        // Nobody reads what would be written now, so that it makes no difference.
        if copied && !last.to.contains(&to) && !last.from.contains(&to) {
            return last.to.push(to);
        }
    }
    moves.push(Move { from, to: SmallVec::from_elem(to, 1) });
}

/// What nobody sends: the padding of pieces, and the results of those that a `permute` leaves out.
fn clears(algorithm: &Checked, shapes: &Shapes, result: &Type, group: &Group) -> Vec<Work> {
    let clear = |member: usize| -> Option<Work> {
        let (mut at, mut extent) = (Corner::from_elem(0, result.shape.rank()), result.shape.clone());
        if (0..algorithm.chunks).any(|chunk| algorithm.targets(chunk).contains(member)) {
            let dim = shapes.split?;
            let Piece { len, padded, .. } = group.piece(shapes.operand.shape[dim], member);
            (at[dim], extent[dim]) = (len, padded - len);
        }
        let block = Block::new(&result.shape, &at, &result.shape, &at, &extent);
        Some(Work { block, task: Task::Clear(member) })
    };
    (0..algorithm.ranks).filter_map(clear).collect()
}

/// Puts small works together; also how many items there are.
fn batches(works: &[Work], dtype: DType) -> (Vec<Batch>, usize) {
    let width = dtype.bytes() as usize;
    let (mut batches, mut items, mut filled): (Vec<Batch>, _, _) = (Vec::new(), 0, usize::MAX);
    for (i, work) in works.iter().enumerate() {
        let (bytes, tiles) = (work.block.count() * width, work.block.tiles(width));
        let room = filled.checked_add(bytes).is_some_and(|sum| sum <= BATCH_BYTES);
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
