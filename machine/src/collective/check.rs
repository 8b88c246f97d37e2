//! The proof that an algorithm does what its kind promises, by carrying it out on symbols.
//!
//! Each chunk goes through all steps by itself. What lies at a place is an expression: the operand of a rank, or the
//! combination of two expressions. Expressions are equal if they are the same tree up to the order of the two sides of
//! a combination; since every monoid is commutative, equal expressions are equal numbers, while another tree may round
//! otherwise. A combination of two expressions that share an operand is refused at once, so that each operand enters
//! exactly once.

use crate::collective::{Algorithm, Buffer, Place, Transfer};
use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::Deref;

/// An algorithm that [`check`] has proven.
#[derive(Clone, Debug)]
pub struct Checked {
    algorithm: Algorithm,
    in_place: bool,
}

impl Checked {
    /// Whether the result of a rank may lie where its operand lies: no operand is read once the result has been written
    /// there.
    pub fn in_place(&self) -> bool {
        self.in_place
    }
}

impl Deref for Checked {
    type Target = Algorithm;
    fn deref(&self) -> &Algorithm {
        &self.algorithm
    }
}

/// What is wrong with an algorithm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What.
    pub what: What,
    /// Where: the step, counted from 0, and the transfer; none for what is missing at the end.
    pub at: Option<(usize, Transfer)>,
}

/// Ways to be wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// The number of chunks is no multiple of that of the pieces.
    Chunks,
    /// The kind or the transfer names a rank or chunk that does not exist.
    Range,
    /// It reads nothing.
    Empty,
    /// It writes to an operand.
    WritesInput,
    /// The operand or result of that rank has no such chunk.
    Absent(Place),
    /// Nothing has been written there yet.
    Unset(Place),
    /// Another transfer of the step writes what this one reads or writes.
    Conflict(Place),
    /// The operand of that rank enters twice.
    Twice(usize),
    /// What is written there is there already, or is neither read nor a result.
    Unused(Place),
    /// At the end, that chunk is not there or lacks operands.
    Incomplete(usize, Place),
    /// At the end, that chunk was combined there in another order than elsewhere.
    Differs(usize, Place),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((step, transfer)) = &self.at {
            write!(f, "step {}, `{transfer}`: ", step + 1)?;
        }
        match self.what {
            What::Chunks => f.write_str("the chunks do not divide into pieces"),
            What::Range => f.write_str("names a rank or chunk that does not exist"),
            What::Empty => f.write_str("reads nothing"),
            What::WritesInput => f.write_str("writes to an operand"),
            What::Absent(place) => write!(f, "{place} has no such chunk"),
            What::Unset(place) => write!(f, "reads {place} before anything is there"),
            What::Conflict(place) => write!(f, "another transfer of the step meets it at {place}"),
            What::Twice(rank) => write!(f, "the operand of rank {rank} enters twice"),
            What::Unused(place) => write!(f, "nobody uses what it writes to {place}"),
            What::Incomplete(chunk, place) => write!(f, "c{chunk} is not complete at {place}"),
            What::Differs(chunk, place) => write!(f, "c{chunk} is combined at {place} in another order than elsewhere"),
        }
    }
}

impl std::error::Error for Fault {}

/// Proves that every rank ends with what the kind promises, with the same numbers on all of them, that nothing is read
/// before it is there, that nothing is done in vain, and that the transfers of a step do not get in each other's way.
///
/// # Errors
/// The first fault.
pub fn check(algorithm: Algorithm) -> Result<Checked, Fault> {
    let nowhere = |what| Fault { what, at: None };
    let pieces = algorithm.kind.pieces(algorithm.ranks);
    if algorithm.ranks == 0 || (pieces == 0) != (algorithm.chunks == 0) {
        return Err(nowhere(What::Chunks));
    }
    if pieces > 0 && !algorithm.chunks.is_multiple_of(pieces) {
        return Err(nowhere(What::Chunks));
    }
    if !algorithm.kind.suits(algorithm.ranks) {
        return Err(nowhere(What::Range));
    }
    let mut flows: Vec<Vec<(usize, &Transfer)>> = vec![Vec::new(); algorithm.chunks];
    for (step, transfer) in algorithm.steps.iter().enumerate().flat_map(|(n, s)| s.iter().map(move |t| (n, t))) {
        let ranks = transfer.from.iter().map(|p| p.rank).chain([transfer.to.rank]);
        if transfer.chunk >= algorithm.chunks || ranks.max().is_none_or(|r| r >= algorithm.ranks) {
            return Err(Fault { what: What::Range, at: Some((step, transfer.clone())) });
        }
        flows[transfer.chunk].push((step, transfer));
    }
    let mut in_place = true;
    for (chunk, flow) in flows.iter().enumerate() {
        in_place &= Symbols::of(&algorithm, chunk).run(flow)?;
    }
    Ok(Checked { algorithm, in_place })
}

/// An expression, by its number.
type Term = usize;

/// What one chunk is at each place.
struct Symbols<'a> {
    algorithm: &'a Algorithm,
    chunk: usize,
    /// The ranks whose operands enter a term, as bits.
    operands: Vec<Vec<u64>>,
    /// The number of a combination of two terms, the smaller one first.
    combined: FxHashMap<(Term, Term), Term>,
    /// What lies there, and who wrote it if nobody has read it since.
    held: FxHashMap<Place, (Term, Option<usize>)>,
}

impl<'a> Symbols<'a> {
    fn of(algorithm: &'a Algorithm, chunk: usize) -> Symbols<'a> {
        let mut symbols = Symbols {
            algorithm,
            chunk,
            operands: Vec::new(),
            combined: FxHashMap::default(),
            held: FxHashMap::default(),
        };
        for rank in 0..algorithm.ranks {
            let mut bits = vec![0; algorithm.ranks.div_ceil(64)];
            bits[rank / 64] = 1 << (rank % 64);
            symbols.operands.push(bits);
            if algorithm.sources(chunk).contains(rank) {
                symbols.held.insert(Place::input(rank), (rank, None));
            }
        }
        symbols
    }

    /// Carries out the transfers; whether results may lie where the operands lie.
    fn run(mut self, flow: &[(usize, &Transfer)]) -> Result<bool, Fault> {
        let mut in_place = true;
        for step in flow.chunk_by(|a, b| a.0 == b.0) {
            let fault = |what, transfer: &Transfer| Err(Fault { what, at: Some((step[0].0, transfer.clone())) });
            let mut writers: FxHashMap<Place, &Transfer> = FxHashMap::default();
            for &(_, transfer) in step {
                if writers.insert(transfer.to, transfer).is_some() {
                    return fault(What::Conflict(transfer.to), transfer);
                }
            }
            let mut written = Vec::with_capacity(step.len());
            for &(_, transfer) in step {
                let others = |place: &Place| writers.get(place).is_some_and(|w| !std::ptr::eq(*w, transfer));
                if let Some(place) = transfer.from.iter().find(|&p| others(p)) {
                    return fault(What::Conflict(*place), transfer);
                }
                in_place &= !transfer.from.iter().any(|p| {
                    let result = Place::output(p.rank);
                    p.buffer == Buffer::Input && (self.held.contains_key(&result) || others(&result))
                });
                match self.term(transfer) {
                    Ok(term) if self.held.get(&transfer.to).is_some_and(|(there, _)| *there == term) => {
                        return fault(What::Unused(transfer.to), transfer);
                    }
                    Ok(term) => written.push(term),
                    Err(what) => return fault(what, transfer),
                }
            }
            for (&(number, transfer), term) in step.iter().zip(written) {
                let position = flow.iter().position(|&(n, t)| n == number && std::ptr::eq(t, transfer));
                if let Some((_, Some(writer))) = self.held.insert(transfer.to, (term, position)) {
                    return unused(flow, writer);
                }
            }
        }
        self.end(flow)?;
        Ok(in_place)
    }

    /// What a transfer writes.
    fn term(&mut self, transfer: &Transfer) -> Result<Term, What> {
        let to = transfer.to;
        match to.buffer {
            Buffer::Input => return Err(What::WritesInput),
            Buffer::Output if !self.algorithm.targets(self.chunk).contains(to.rank) => return Err(What::Absent(to)),
            Buffer::Output | Buffer::Scratch => {}
        }
        let mut all = None;
        for place in &transfer.from {
            let Some((term, unread)) = self.held.get_mut(place) else {
                let absent = place.buffer == Buffer::Input;
                return Err(if absent { What::Absent(*place) } else { What::Unset(*place) });
            };
            *unread = None;
            let term = *term;
            all = Some(match all {
                None => term,
                Some(left) => self.combine(left, term)?,
            });
        }
        all.ok_or(What::Empty)
    }

    fn combine(&mut self, a: Term, b: Term) -> Result<Term, What> {
        let pairs = self.operands[a].iter().zip(&self.operands[b]).enumerate();
        if let Some((word, both)) = pairs.map(|(i, (x, y))| (i, x & y)).find(|(_, both)| *both != 0) {
            return Err(What::Twice(word * 64 + both.trailing_zeros() as usize));
        }
        let pair = (a.min(b), a.max(b));
        if let Some(&term) = self.combined.get(&pair) {
            return Ok(term);
        }
        let term = self.operands.len();
        let union = self.operands[a].iter().zip(&self.operands[b]).map(|(x, y)| x | y).collect();
        self.operands.push(union);
        self.combined.insert(pair, term);
        Ok(term)
    }

    /// Compares what is there in the end with what was promised.
    fn end(&self, flow: &[(usize, &Transfer)]) -> Result<(), Fault> {
        let Symbols { algorithm, chunk, .. } = *self;
        let mut wanted = vec![0u64; algorithm.ranks.div_ceil(64)];
        for rank in (0..algorithm.ranks).filter(|&r| algorithm.sources(chunk).contains(r)) {
            wanted[rank / 64] |= 1 << (rank % 64);
        }
        let mut first = None;
        for rank in (0..algorithm.ranks).filter(|&r| algorithm.targets(chunk).contains(r)) {
            let place = Place::output(rank);
            let term = self.held.get(&place).map(|(term, _)| *term).filter(|&t| self.operands[t] == wanted);
            let Some(term) = term else {
                return Err(Fault { what: What::Incomplete(chunk, place), at: None });
            };
            if *first.get_or_insert(term) != term {
                return Err(Fault { what: What::Differs(chunk, place), at: None });
            }
        }
        let idle =
            |(place, (_, writer)): (&Place, &(Term, Option<usize>))| writer.filter(|_| place.buffer == Buffer::Scratch);
        // The first one of the flow, whatever the order of the map.
        self.held.iter().filter_map(idle).min().map_or(Ok(()), |writer| unused(flow, writer).map(|_| ()))
    }
}

/// The transfer at that position of the flow is in vain.
fn unused(flow: &[(usize, &Transfer)], position: usize) -> Result<bool, Fault> {
    let (step, transfer) = flow[position];
    Err(Fault { what: What::Unused(transfer.to), at: Some((step, transfer.clone())) })
}
