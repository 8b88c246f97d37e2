//! Verification of algorithms by symbolic execution.
//!
//! Each chunk is executed separately. The value of a place is an expression: the operand of a rank, or the combination
//! of two expressions. Expressions are equal if they are the same tree up to the order of the two sides of a
//! combination. Since every monoid is commutative, equal expressions have bitwise equal values, while other trees may
//! round differently. A combination of two expressions that share an operand is rejected, so that each operand enters
//! exactly once.

use crate::collective::{Algorithm, Buffer, Place, Transfer};
use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::Deref;

/// Algorithm that [`check`] has verified.
#[derive(Clone, Debug)]
pub struct CheckedAlgorithm {
    algorithm: Algorithm,
    in_place: bool,
}

impl CheckedAlgorithm {
    /// Returns true if the result of a rank may share memory with its operand: no operand is read after its result has
    /// been written.
    pub fn in_place(&self) -> bool {
        self.in_place
    }
}

impl Deref for CheckedAlgorithm {
    type Target = Algorithm;
    fn deref(&self) -> &Algorithm {
        &self.algorithm
    }
}

/// Error in an algorithm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Kind of error.
    pub kind: FaultKind,
    /// Step, counted from 0, and transfer of the error; `None` for an error in the final state.
    pub at: Option<(usize, Transfer)>,
}

/// Kind of error in an algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The number of chunks is not a multiple of the number of blocks.
    ChunkCount,
    /// The kind or the transfer names a rank or chunk that does not exist.
    OutOfRange,
    /// The transfer reads nothing.
    NoSource,
    /// The transfer writes to an operand.
    WritesInput,
    /// The operand or result of that rank does not contain the chunk.
    MissingChunk(Place),
    /// The transfer reads a place that has not been written.
    UnwrittenRead(Place),
    /// Another transfer of the step writes a place that this one reads or writes.
    Conflict(Place),
    /// The operand of that rank enters twice.
    DuplicateOperand(usize),
    /// The written value is already at that place, or is neither read nor part of a result.
    Unused(Place),
    /// The final value of the chunk at that place is missing or lacks operands.
    Incomplete(usize, Place),
    /// The final value of the chunk at that place was combined in a different order than on other ranks.
    OrderMismatch(usize, Place),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((step, transfer)) = &self.at {
            write!(f, "step {}, `{transfer}`: ", step + 1)?;
        }
        match self.kind {
            FaultKind::ChunkCount => f.write_str("the number of chunks is not a multiple of the number of blocks"),
            FaultKind::OutOfRange => f.write_str("names a rank or chunk that does not exist"),
            FaultKind::NoSource => f.write_str("reads nothing"),
            FaultKind::WritesInput => f.write_str("writes to an operand"),
            FaultKind::MissingChunk(place) => write!(f, "{place} has no such chunk"),
            FaultKind::UnwrittenRead(place) => write!(f, "reads {place} before it is written"),
            FaultKind::Conflict(place) => write!(f, "another transfer of the step writes {place}"),
            FaultKind::DuplicateOperand(rank) => write!(f, "combines the operand of rank {rank} twice"),
            FaultKind::Unused(place) => write!(f, "the value written to {place} is redundant or never read"),
            FaultKind::Incomplete(chunk, place) => write!(f, "c{chunk} is incomplete at {place}"),
            FaultKind::OrderMismatch(chunk, place) => {
                write!(f, "c{chunk} is combined at {place} in a different order than on other ranks")
            }
        }
    }
}

impl std::error::Error for Fault {}

/// Verifies an algorithm: every rank ends with the result of the kind, bitwise equal on all ranks; no place is read
/// before it is written; no transfer is redundant; and the transfers of a step are independent.
///
/// # Errors
/// The first error found.
pub fn check(algorithm: Algorithm) -> Result<CheckedAlgorithm, Fault> {
    let nowhere = |kind| Fault { kind, at: None };
    let blocks = algorithm.kind.block_count(algorithm.ranks);
    if algorithm.ranks == 0 || (blocks == 0) != (algorithm.chunks == 0) {
        return Err(nowhere(FaultKind::ChunkCount));
    }
    if blocks > 0 && !algorithm.chunks.is_multiple_of(blocks) {
        return Err(nowhere(FaultKind::ChunkCount));
    }
    if !algorithm.kind.is_valid_for(algorithm.ranks) {
        return Err(nowhere(FaultKind::OutOfRange));
    }
    let mut flows: Vec<Vec<(usize, &Transfer)>> = vec![Vec::new(); algorithm.chunks];
    for (step, transfer) in algorithm.steps.iter().enumerate().flat_map(|(n, s)| s.iter().map(move |t| (n, t))) {
        let ranks = transfer.from.iter().map(|p| p.rank).chain([transfer.to.rank]);
        if transfer.chunk >= algorithm.chunks || ranks.max().is_none_or(|r| r >= algorithm.ranks) {
            return Err(Fault { kind: FaultKind::OutOfRange, at: Some((step, transfer.clone())) });
        }
        flows[transfer.chunk].push((step, transfer));
    }
    let mut in_place = true;
    for (chunk, flow) in flows.iter().enumerate() {
        in_place &= SymbolicState::new(&algorithm, chunk).run(flow)?;
    }
    Ok(CheckedAlgorithm { algorithm, in_place })
}

/// Index of an expression.
type ExprId = usize;

/// Symbolic values of one chunk.
struct SymbolicState<'a> {
    algorithm: &'a Algorithm,
    chunk: usize,
    /// Ranks whose operands enter each expression, as bit sets.
    operands: Vec<Vec<u64>>,
    /// Expression of each combination of two expressions, the smaller index first.
    combined: FxHashMap<(ExprId, ExprId), ExprId>,
    /// Expression at each place, and the position of its writer while the value is unread.
    values: FxHashMap<Place, (ExprId, Option<usize>)>,
}

impl<'a> SymbolicState<'a> {
    fn new(algorithm: &'a Algorithm, chunk: usize) -> SymbolicState<'a> {
        let mut state = SymbolicState {
            algorithm,
            chunk,
            operands: Vec::new(),
            combined: FxHashMap::default(),
            values: FxHashMap::default(),
        };
        for rank in 0..algorithm.ranks {
            let mut bits = vec![0; algorithm.ranks.div_ceil(64)];
            bits[rank / 64] = 1 << (rank % 64);
            state.operands.push(bits);
            if algorithm.sources(chunk).contains(rank) {
                state.values.insert(Place::input(rank), (rank, None));
            }
        }
        state
    }

    /// Executes the transfers. Returns true if results may share memory with operands.
    fn run(mut self, flow: &[(usize, &Transfer)]) -> Result<bool, Fault> {
        let mut in_place = true;
        for step in flow.chunk_by(|a, b| a.0 == b.0) {
            let fault = |kind, transfer: &Transfer| Err(Fault { kind, at: Some((step[0].0, transfer.clone())) });
            let mut writers: FxHashMap<Place, &Transfer> = FxHashMap::default();
            for &(_, transfer) in step {
                if writers.insert(transfer.to, transfer).is_some() {
                    return fault(FaultKind::Conflict(transfer.to), transfer);
                }
            }
            let mut written = Vec::with_capacity(step.len());
            for &(_, transfer) in step {
                let others = |place: &Place| writers.get(place).is_some_and(|w| !std::ptr::eq(*w, transfer));
                if let Some(place) = transfer.from.iter().find(|&p| others(p)) {
                    return fault(FaultKind::Conflict(*place), transfer);
                }
                in_place &= !transfer.from.iter().any(|p| {
                    let result = Place::output(p.rank);
                    p.buffer == Buffer::Input && (self.values.contains_key(&result) || others(&result))
                });
                match self.expr(transfer) {
                    Ok(expr) if self.values.get(&transfer.to).is_some_and(|(there, _)| *there == expr) => {
                        return fault(FaultKind::Unused(transfer.to), transfer);
                    }
                    Ok(expr) => written.push(expr),
                    Err(kind) => return fault(kind, transfer),
                }
            }
            for (&(number, transfer), expr) in step.iter().zip(written) {
                let position = flow.iter().position(|&(n, t)| n == number && std::ptr::eq(t, transfer));
                if let Some((_, Some(writer))) = self.values.insert(transfer.to, (expr, position)) {
                    return unused(flow, writer);
                }
            }
        }
        self.check_results(flow)?;
        Ok(in_place)
    }

    /// Returns the expression that a transfer writes.
    fn expr(&mut self, transfer: &Transfer) -> Result<ExprId, FaultKind> {
        let to = transfer.to;
        match to.buffer {
            Buffer::Input => return Err(FaultKind::WritesInput),
            Buffer::Output if !self.algorithm.targets(self.chunk).contains(to.rank) => {
                return Err(FaultKind::MissingChunk(to));
            }
            Buffer::Output | Buffer::Scratch => {}
        }
        let mut all = None;
        for place in &transfer.from {
            let Some((expr, unread)) = self.values.get_mut(place) else {
                let absent = place.buffer == Buffer::Input;
                return Err(if absent { FaultKind::MissingChunk(*place) } else { FaultKind::UnwrittenRead(*place) });
            };
            *unread = None;
            let expr = *expr;
            all = Some(match all {
                None => expr,
                Some(left) => self.combine(left, expr)?,
            });
        }
        all.ok_or(FaultKind::NoSource)
    }

    fn combine(&mut self, a: ExprId, b: ExprId) -> Result<ExprId, FaultKind> {
        let pairs = self.operands[a].iter().zip(&self.operands[b]).enumerate();
        if let Some((word, both)) = pairs.map(|(i, (x, y))| (i, x & y)).find(|(_, both)| *both != 0) {
            return Err(FaultKind::DuplicateOperand(word * 64 + both.trailing_zeros() as usize));
        }
        let pair = (a.min(b), a.max(b));
        if let Some(&expr) = self.combined.get(&pair) {
            return Ok(expr);
        }
        let expr = self.operands.len();
        let union = self.operands[a].iter().zip(&self.operands[b]).map(|(x, y)| x | y).collect();
        self.operands.push(union);
        self.combined.insert(pair, expr);
        Ok(expr)
    }

    /// Compares the final values with the result of the collective.
    fn check_results(&self, flow: &[(usize, &Transfer)]) -> Result<(), Fault> {
        let SymbolicState { algorithm, chunk, .. } = *self;
        let mut wanted = vec![0u64; algorithm.ranks.div_ceil(64)];
        for rank in (0..algorithm.ranks).filter(|&r| algorithm.sources(chunk).contains(r)) {
            wanted[rank / 64] |= 1 << (rank % 64);
        }
        let mut first = None;
        for rank in (0..algorithm.ranks).filter(|&r| algorithm.targets(chunk).contains(r)) {
            let place = Place::output(rank);
            let expr = self.values.get(&place).map(|(expr, _)| *expr).filter(|&t| self.operands[t] == wanted);
            let Some(expr) = expr else {
                return Err(Fault { kind: FaultKind::Incomplete(chunk, place), at: None });
            };
            if *first.get_or_insert(expr) != expr {
                return Err(Fault { kind: FaultKind::OrderMismatch(chunk, place), at: None });
            }
        }
        let idle = |(place, (_, writer)): (&Place, &(ExprId, Option<usize>))| {
            writer.filter(|_| place.buffer == Buffer::Scratch)
        };
        // The minimum makes the result independent of the map's iteration order.
        self.values.iter().filter_map(idle).min().map_or(Ok(()), |writer| unused(flow, writer).map(|_| ()))
    }
}

/// Returns the error for the transfer at that position, whose result is unused.
fn unused(flow: &[(usize, &Transfer)], position: usize) -> Result<bool, Fault> {
    let (step, transfer) = flow[position];
    Err(Fault { kind: FaultKind::Unused(transfer.to), at: Some((step, transfer.clone())) })
}
