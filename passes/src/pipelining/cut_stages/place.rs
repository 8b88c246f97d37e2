//! The chunk of every op: that of the cuts for the model, and of its gradients the one that has what they read.
//!
//! Gradients flow from the last chunk to the first. An op of the backward pass is done on the last chunk that it can be
//! done on: where the gradients that it reads have come to, and all values of the model that it reads are. That is one
//! chunk too late where the gradient of a value is made from nothing of the chunk that made it (the sum that is the
//! gradient of a bias), so that in a second round, users first, an op goes to its users if no more bytes cross then.

use super::whole::Whole;
use partita_ir::arena::{OpId, ParamId, ValueId};
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Op, Values};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// How often the backward pass is looked over at most.
const ROUNDS: usize = 4;

/// Chunks, in order.
pub(super) type Chunks = SmallVec<[usize; 2]>;

/// Where everything is done.
pub(super) struct Placed {
    /// How many chunks a replica of the pipeline has.
    pub(super) count: usize,
    /// How many replicas there are. What is said of chunks is said of the first one.
    pub(super) replicas: usize,
    /// By op of one chunk.
    pub(super) ops: FxHashMap<OpId, usize>,
    /// The chunk that keeps a parameter.
    pub(super) owners: FxHashMap<ParamId, usize>,
    /// By position of what the loop adds up: the parts that are added on each chunk.
    pub(super) sums: Vec<Vec<(usize, ValueId)>>,
    /// And the chunk that has the whole behind the loop.
    pub(super) homes: Vec<Option<usize>>,
    /// Positions of what the loop really adds up; of others the last turn counts.
    pub(super) adds: FxHashSet<usize>,
    /// Positions of results that each turn writes its own part of, over zeros.
    pub(super) stacks: FxHashSet<usize>,
}

impl Placed {
    /// The chunk of an op that is done on one.
    pub(super) fn chunk(&self, op: OpId) -> Option<usize> {
        self.ops.get(&op).copied()
    }

    /// The chunks of all replicas that have parts of a sum, each once.
    pub(super) fn adders(&self, position: usize) -> Vec<usize> {
        let mut first: Vec<usize> = self.sums[position].iter().map(|(chunk, _)| *chunk).collect();
        first.dedup();
        let replicas = if self.adds.contains(&position) || self.stacks.contains(&position) { self.replicas } else { 1 };
        (0..replicas).flat_map(|replica| first.iter().map(move |chunk| replica * self.count + chunk)).collect()
    }

    /// The chunk that makes a value of one chunk.
    pub(super) fn of_value(&self, whole: &Whole<'_>, value: ValueId) -> Option<usize> {
        self.chunk(whole.maker(value)?)
    }
}

/// Places everything, given the chunk of each op of the model that is done on one.
pub(super) fn place(whole: &Whole<'_>, forward: FxHashMap<OpId, usize>, count: usize, replicas: usize) -> Placed {
    let placed = Placed {
        count,
        replicas,
        ops: forward,
        owners: FxHashMap::default(),
        sums: Vec::new(),
        homes: Vec::new(),
        adds: FxHashSet::default(),
        stacks: FxHashSet::default(),
    };
    let (readers, readers_of_params, owners_of_sums) = Default::default();
    let reads = reads(whole);
    let mut placing = Placing { whole, placed, reads, readers, readers_of_params, owners_of_sums };
    placing.find_owners();
    placing.find_owners_of_sums();
    placing.place_backward();
    placing.split_sums();
    // What has moved may let others follow.
    (0..ROUNDS).any(|_| !placing.sink_backward());
    placing.place_sums();
    placing.place_behind();
    placing.placed
}

/// By value, how many operands of the body it is.
fn reads(whole: &Whole<'_>) -> FxHashMap<ValueId, usize> {
    let mut reads = FxHashMap::default();
    for &arg in whole.body().ops().iter().flat_map(|&op| &whole.op(op).args) {
        *reads.entry(arg).or_default() += 1;
    }
    reads
}

struct Placing<'w, 'p> {
    whole: &'w Whole<'p>,
    placed: Placed,
    reads: FxHashMap<ValueId, usize>,
    /// By value of the model, the chunks whose part of the model reads it.
    readers: FxHashMap<ValueId, Chunks>,
    /// By parameter, the same as for values.
    readers_of_params: FxHashMap<ParamId, Chunks>,
    /// By position of what the loop adds up, the chunk that keeps the parameter whose gradient it is.
    owners_of_sums: FxHashMap<usize, usize>,
}

impl Placing<'_, '_> {
    /// A parameter is kept by the first chunk whose part of the model reads it.
    fn find_owners(&mut self) {
        let whole = self.whole;
        for &id in whole.body().ops() {
            let Some(chunk) = self.placed.chunk(id) else { continue };
            for &arg in &whole.op(id).args {
                add(self.readers.entry(arg).or_default(), chunk);
                for &param in whole.roots_of(arg) {
                    add(self.readers_of_params.entry(param).or_default(), chunk);
                    let owner = self.placed.owners.entry(param).or_insert(chunk);
                    *owner = chunk.min(*owner);
                }
            }
        }
        for (id, param) in whole.program.params.iter() {
            let of = param.of.and_then(|of| self.placed.owners.get(&of)).copied();
            self.placed.owners.entry(id).or_insert(of.unwrap_or(0));
        }
    }

    /// Ops of the backward pass that are done on one chunk, operands first.
    fn place_backward(&mut self) {
        let whole = self.whole;
        for &id in whole.body().ops() {
            if !whole.is_op_placed(id) || self.placed.chunk(id).is_some() || whole.adds_up(id) {
                continue;
            }
            let op = whole.op(id);
            let gradients = op.args.iter().filter(|&&v| whole.maker(v).is_some_and(|op| !whole.is_forward(op)));
            let latest = gradients.filter_map(|&v| self.placed.of_value(whole, v)).min();
            let latest = latest.unwrap_or(self.placed.count - 1);
            let has_all = |chunk: &usize| op.args.iter().all(|&v| self.is_at(v, *chunk));
            let chunk = (0..=latest).rev().find(has_all).unwrap_or(latest);
            self.placed.ops.insert(id, chunk);
        }
    }

    /// Whether a chunk has a value of the model without asking for it, or the value is none of it.
    fn is_at(&self, value: ValueId, chunk: usize) -> bool {
        let whole = self.whole;
        let Some(maker) = whole.maker(value) else { return self.has_params(value, chunk) };
        if !whole.is_op_placed(maker) {
            return self.has_params(value, chunk);
        }
        !whole.is_forward(maker)
            || self.placed.chunk(maker) == Some(chunk)
            || self.readers.get(&value).is_some_and(|readers| readers.contains(&chunk))
    }

    /// Whether a chunk has the parameters that a value is made of.
    fn has_params(&self, value: ValueId, chunk: usize) -> bool {
        self.whole
            .roots_of(value)
            .iter()
            .all(|param| self.readers_of_params.get(param).is_none_or(|readers| readers.contains(&chunk)))
    }

    /// Moves ops of the backward pass to their users, users first, where no more bytes cross then; whether any moved.
    fn sink_backward(&mut self) -> bool {
        let whole = self.whole;
        let mut moved = false;
        let mut users: FxHashMap<ValueId, Chunks> = FxHashMap::default();
        // What is added up is sent once, and no reason to send anything for each micro-batch.
        let mut owners: FxHashMap<ValueId, usize> = FxHashMap::default();
        for (position, parts) in self.placed.sums.iter().enumerate() {
            let Some(&owner) = self.owners_of_sums.get(&position) else { continue };
            owners.extend(parts.iter().map(|&(_, part)| (part, owner)));
        }
        // Everybody who reads a value as things are: what comes to a chunk anyway costs nothing more.
        let mut comes: FxHashMap<ValueId, Chunks> = FxHashMap::default();
        for &id in whole.body().ops() {
            if let Some(chunk) = self.placed.chunk(id) {
                whole.op(id).args.iter().for_each(|&arg| add(comes.entry(arg).or_default(), chunk));
            }
        }
        for &id in whole.body().ops().iter().rev() {
            if whole.adds_up(id) {
                continue;
            }
            let Some(chunk) = self.placed.chunk(id) else { continue };
            let op = whole.op(id);
            if !whole.is_forward(id) {
                let readers: Chunks = op.outs.iter().filter_map(|v| users.get(v)).flatten().copied().collect();
                let owner = op.outs.iter().filter_map(|v| owners.get(v)).max().copied();
                let (target, most) = match readers.iter().copied().max() {
                    Some(reader) => (reader, self.bytes(&op.outs)),
                    None => (owner.unwrap_or(chunk), 0),
                };
                if target < chunk && self.crossing(&op.args, target, &comes) <= most {
                    self.placed.ops.insert(id, target);
                    moved = true;
                }
            }
            let chunk = self.placed.chunk(id).unwrap_or(chunk);
            op.args.iter().for_each(|&arg| add(users.entry(arg).or_default(), chunk));
        }
        moved
    }

    /// Bytes of those values that would have to come to a chunk if an op went there.
    fn crossing(&self, values: &Values, chunk: usize, users: &FxHashMap<ValueId, Chunks>) -> u64 {
        let comes_anyway = |v: &ValueId| {
            self.placed.of_value(self.whole, *v).map_or(self.has_params(*v, chunk), |made| made == chunk)
                || users.get(v).is_some_and(|users| users.contains(&chunk))
                || self.readers.get(v).is_some_and(|readers| readers.contains(&chunk))
        };
        values.iter().filter(|v| !comes_anyway(v)).map(|&v| self.whole.program.ty(v).bytes()).sum()
    }

    fn bytes(&self, values: &Values) -> u64 {
        values.iter().map(|&v| self.whole.program.ty(v).bytes()).sum()
    }

    /// What the body adds to a sum in one turn, or puts in its place.
    fn part(&self, position: usize) -> Option<ValueId> {
        let body = self.whole.body();
        let value = body.outputs[position].value;
        if value == body.inputs[position] {
            return None;
        }
        let maker = self.whole.maker(value)?;
        Some(if self.whole.adds_up(maker) { self.whole.op(maker).args[1] } else { value })
    }

    /// Whose gradient a sum is, the update tells: it reads the sum, perhaps scaled, beside the parameter.
    fn find_owners_of_sums(&mut self) {
        let whole = self.whole;
        let sums = &whole.looped().outs;
        let shape = |value: ValueId| &whole.program.ty(value).shape;
        // By value, the sums whose shape it has and that it is made of.
        let mut made_of: FxHashMap<ValueId, SmallVec<[usize; 1]>> = FxHashMap::default();
        sums.iter().enumerate().for_each(|(position, &sum)| made_of.entry(sum).or_default().push(position));
        let mut told = vec![false; sums.len()];
        for op in whole.behind().iter().map(|&op| whole.op(op)) {
            let mut of: SmallVec<[usize; 1]> =
                op.args.iter().filter_map(|v| made_of.get(v)).flatten().copied().collect();
            of.retain(|position| !told[*position]);
            of.sort_unstable();
            of.dedup();
            if let Some(param) = op.args.iter().find_map(|&v| whole.param(v)) {
                for position in of {
                    told[position] = true;
                    self.owners_of_sums.extend(self.placed.owners.get(&param).map(|&owner| (position, owner)));
                }
                continue;
            }
            for &out in &op.outs {
                let alike = of.iter().copied().filter(|&position| shape(out) == shape(sums[position]));
                made_of.entry(out).or_default().extend(alike);
            }
        }
    }

    /// Parts of a gradient that come from several chunks are added up where they are made, and joined behind the loop.
    ///
    /// Recogniser: the loop over micro-batches stacks in this form alone, and what is no sum is a part of one chunk.
    fn split_sums(&mut self) {
        let whole = self.whole;
        let mut sums = vec![Vec::new(); whole.body().outputs.len()];
        for (position, parts) in sums.iter_mut().enumerate().skip(1) {
            let Some(part) = self.part(position) else { continue };
            let maker = whole.maker(whole.body().outputs[position].value);
            if maker.is_some_and(|op| whole.adds_up(op)) {
                self.placed.adds.insert(position);
            }
            let writes = |op: &Op| {
                matches!(op.kind, OpKind::DynamicUpdateSlice(_)) && op.args[0] == whole.body().inputs[position]
            };
            if maker.is_some_and(|op| writes(whole.op(op))) {
                self.placed.stacks.insert(position);
            }
            let mut todo = vec![part];
            while let Some(value) = todo.pop() {
                let Some(maker) = whole.maker(value) else { continue };
                let op = whole.op(maker);
                let is_sum = matches!(&op.kind, OpKind::Binary(binary) if binary.op == BinaryOp::Add);
                let chunks: Chunks = op.args.iter().filter_map(|&v| self.placed.of_value(whole, v)).collect();
                if is_sum && chunks.len() == 2 && chunks[0] != chunks[1] && self.is_read_once(value) {
                    todo.extend(op.args.iter().rev());
                    self.placed.ops.remove(&maker);
                } else {
                    parts.push((0, value));
                }
            }
        }
        self.placed.sums = sums;
    }

    /// Notes where parts of gradients are made in the end.
    fn place_sums(&mut self) {
        let mut sums = std::mem::take(&mut self.placed.sums);
        for parts in &mut sums {
            for (chunk, value) in parts.iter_mut() {
                *chunk = self.placed.of_value(self.whole, *value).unwrap_or(self.placed.count - 1);
            }
            parts.sort_by_key(|(chunk, _)| *chunk);
        }
        self.placed.sums = sums;
    }

    /// Whether only one op of the body reads a value.
    fn is_read_once(&self, value: ValueId) -> bool {
        self.reads.get(&value).is_none_or(|&times| times <= 1)
    }

    /// Ops behind the loop: where most of what they read is.
    fn place_behind(&mut self) {
        let whole = self.whole;
        let mut at: FxHashMap<ValueId, usize> = FxHashMap::default();
        let home = |(position, parts): (usize, &Vec<(usize, ValueId)>)| {
            let (first, last) = (parts.first()?.0, parts.last()?.0);
            Some(if first == last { first } else { self.owners_of_sums.get(&position).copied().unwrap_or(first) })
        };
        self.placed.homes = self.placed.sums.iter().enumerate().map(home).collect();
        for (&out, home) in whole.looped().outs.iter().zip(&self.placed.homes) {
            home.iter().for_each(|&chunk| {
                at.insert(out, chunk);
            });
        }
        let sums: FxHashMap<ValueId, usize> = whole.looped().outs.iter().copied().zip(0..).collect();
        for &id in whole.behind() {
            if !whole.is_op_placed(id) {
                continue;
            }
            let op = whole.op(id);
            let mut bytes = vec![0; self.placed.count];
            for &arg in &op.args {
                let kept = whole.param(arg).and_then(|p| self.placed.owners.get(&p).copied());
                if let Some(chunk) = at.get(&arg).copied().or(kept) {
                    // Where a parameter is kept, there it is updated.
                    let weight = if kept.is_some() { 2 } else { 1 };
                    bytes[chunk] += weight * whole.program.ty(self.source(arg)).bytes();
                }
            }
            // What two chunks have as much of is done where the parameter is kept.
            let owner = op.args.iter().find_map(|arg| self.owners_of_sums.get(sums.get(arg)?));
            let chunk = (0..self.placed.count).max_by_key(|chunk| (bytes[*chunk], Some(chunk) == owner)).unwrap_or(0);
            op.outs.iter().for_each(|&out| {
                at.insert(out, chunk);
            });
            self.placed.ops.insert(id, chunk);
        }
        self.sink_broadcasts();
    }

    /// What a value is a repetition of.
    ///
    /// Recogniser: a value that is repeated in another way weighs as much as it has bytes.
    fn source(&self, value: ValueId) -> ValueId {
        let maker = self.whole.maker(value).map(|op| self.whole.op(op));
        let repeated = maker.filter(|op| matches!(op.kind, OpKind::Broadcast(_)));
        repeated.map_or(value, |op| self.source(op.args[0]))
    }

    /// Behind the loop, what is repeated is sent before it is.
    ///
    /// Recogniser: what is made in another way is sent as it is.
    fn sink_broadcasts(&mut self) {
        let whole = self.whole;
        let mut users: FxHashMap<ValueId, Chunks> = FxHashMap::default();
        for &id in whole.behind().iter().rev() {
            let Some(chunk) = self.placed.chunk(id) else { continue };
            let op = whole.op(id);
            let mut chunk = chunk;
            if matches!(op.kind, OpKind::Broadcast(_))
                && let Some(&[only]) = users.get(&op.outs[0]).map(|users| &users[..])
            {
                chunk = only;
                self.placed.ops.insert(id, chunk);
            }
            op.args.iter().for_each(|&arg| add(users.entry(arg).or_default(), chunk));
        }
    }
}

/// Adds a chunk to a list that has each once.
fn add(chunks: &mut Chunks, chunk: usize) {
    if !chunks.contains(&chunk) {
        chunks.push(chunk);
    }
}
