//! The stage of every op: that of the cuts for the model, and of its gradients the one that has what they read.
//!
//! Gradients flow from the last stage to the first. An op of the backward pass is done on the last stage that it can be done on:
//! where the gradients that it reads have come to, and all values of the model that it reads are. That is one stage too late where
//! the gradient of a value is made from nothing of the stage that made it (the sum that is the gradient of a bias), so that in a
//! second round, users first, an op goes to its users if no more bytes cross then.

use super::whole::Whole;
use partita_ir::arena::{OpId, ParamId, ValueId};
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::Values;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// How often the backward pass is looked over at most.
const ROUNDS: usize = 4;

/// Stages, in order.
pub(super) type Stages = SmallVec<[usize; 2]>;

/// Where everything is done.
pub(super) struct Placed {
    /// How many stages there are.
    pub(super) count: usize,
    /// By op of one stage.
    pub(super) ops: FxHashMap<OpId, usize>,
    /// The stage that keeps a parameter.
    pub(super) owners: FxHashMap<ParamId, usize>,
    /// By position of what the loop adds up: the parts that are added on each stage.
    pub(super) sums: Vec<Vec<(usize, ValueId)>>,
    /// And the stage that has the whole behind the loop.
    pub(super) homes: Vec<Option<usize>>,
    /// Positions of what the loop really adds up; of others the last turn counts.
    pub(super) adds: FxHashSet<usize>,
}

impl Placed {
    /// The stage of an op that is done on one.
    pub(super) fn stage(&self, op: OpId) -> Option<usize> {
        self.ops.get(&op).copied()
    }

    /// The stage that makes a value of one stage.
    pub(super) fn of_value(&self, whole: &Whole<'_>, value: ValueId) -> Option<usize> {
        self.stage(whole.maker(value)?)
    }
}

/// Places everything, given the stage of each op of the model that is done on one.
pub(super) fn place(whole: &Whole<'_>, forward: FxHashMap<OpId, usize>, count: usize) -> Placed {
    let placed = Placed {
        count,
        ops: forward,
        owners: FxHashMap::default(),
        sums: Vec::new(),
        homes: Vec::new(),
        adds: FxHashSet::default(),
    };
    let (readers, roots, readers_of_params) = Default::default();
    let mut placing = Placing { whole, placed, readers, roots, readers_of_params };
    placing.find_owners();
    placing.place_backward();
    placing.split_sums();
    // What has moved may let others follow.
    (0..ROUNDS).any(|_| !placing.sink_backward());
    placing.place_sums();
    placing.place_behind();
    placing.placed
}

struct Placing<'w, 'p> {
    whole: &'w Whole<'p>,
    placed: Placed,
    /// By value of the model, the stages whose part of the model reads it.
    readers: FxHashMap<ValueId, Stages>,
    /// By value that is made of parameters alone, these.
    roots: FxHashMap<ValueId, SmallVec<[ParamId; 1]>>,
    /// By parameter, the same as for values.
    readers_of_params: FxHashMap<ParamId, Stages>,
}

impl Placing<'_, '_> {
    /// A parameter is kept by the first stage whose part of the model reads it.
    fn find_owners(&mut self) {
        let whole = self.whole;
        let given = whole.body().inputs.iter().zip(&whole.looped.args);
        for (&inner, &arg) in given {
            self.roots.insert(inner, whole.param(arg).into_iter().collect());
        }
        for &id in whole.before().iter().chain(&whole.body().body) {
            let op = whole.op(id);
            match self.placed.stage(id) {
                Some(stage) => {
                    for &arg in &op.args {
                        add(self.readers.entry(arg).or_default(), stage);
                        for &param in self.roots.get(&arg).into_iter().flatten() {
                            add(self.readers_of_params.entry(param).or_default(), stage);
                            let owner = self.placed.owners.entry(param).or_insert(stage);
                            *owner = stage.min(*owner);
                        }
                    }
                }
                None if !whole.is_op_staged(id) => {
                    let roots: SmallVec<[ParamId; 1]> =
                        op.args.iter().filter_map(|v| self.roots.get(v)).flatten().copied().collect();
                    op.outs.iter().for_each(|&out| {
                        self.roots.insert(out, roots.clone());
                    });
                }
                None => {}
            }
        }
        for (id, param) in whole.program.params.iter() {
            let of = param.of.and_then(|of| self.placed.owners.get(&of)).copied();
            self.placed.owners.entry(id).or_insert(of.unwrap_or(0));
        }
    }

    /// Ops of the backward pass that are done on one stage, operands first.
    fn place_backward(&mut self) {
        let whole = self.whole;
        for &id in &whole.body().body {
            if !whole.is_op_staged(id) || self.placed.stage(id).is_some() || self.adds_up(id).is_some() {
                continue;
            }
            let op = whole.op(id);
            let gradients = op.args.iter().filter(|&&v| whole.maker(v).is_some_and(|op| !whole.is_forward(op)));
            let latest = gradients.filter_map(|&v| self.placed.of_value(whole, v)).min();
            let latest = latest.unwrap_or(self.placed.count - 1);
            let has_all = |stage: &usize| op.args.iter().all(|&v| self.is_at(v, *stage));
            let stage = (0..=latest).rev().find(has_all).unwrap_or(latest);
            self.placed.ops.insert(id, stage);
        }
    }

    /// Whether a stage has a value of the model without asking for it, or the value is none of it.
    fn is_at(&self, value: ValueId, stage: usize) -> bool {
        let whole = self.whole;
        let Some(maker) = whole.maker(value) else { return self.has_params(value, stage) };
        if !whole.is_op_staged(maker) {
            return self.has_params(value, stage);
        }
        !whole.is_forward(maker)
            || self.placed.stage(maker) == Some(stage)
            || self.readers.get(&value).is_some_and(|readers| readers.contains(&stage))
    }

    /// Whether a stage has the parameters that a value is made of.
    fn has_params(&self, value: ValueId, stage: usize) -> bool {
        let roots = self.roots.get(&value).map_or(&[][..], |roots| &roots[..]);
        roots.iter().all(|param| self.readers_of_params.get(param).is_none_or(|readers| readers.contains(&stage)))
    }

    /// Moves ops of the backward pass to their users, users first, where no more bytes cross then; whether any moved.
    fn sink_backward(&mut self) -> bool {
        let whole = self.whole;
        let mut moved = false;
        let mut users: FxHashMap<ValueId, Stages> = FxHashMap::default();
        // What is added up is sent once, and no reason to send anything for each micro-batch.
        let mut owners: FxHashMap<ValueId, usize> = FxHashMap::default();
        for (position, parts) in self.placed.sums.iter().enumerate() {
            let Some(owner) = self.owner_of_sum(position) else { continue };
            owners.extend(parts.iter().map(|&(_, part)| (part, owner)));
        }
        // Everybody who reads a value as things are: what comes to a stage anyway costs nothing more.
        let mut comes: FxHashMap<ValueId, Stages> = FxHashMap::default();
        for &id in &whole.body().body {
            if let Some(stage) = self.placed.stage(id) {
                whole.op(id).args.iter().for_each(|&arg| add(comes.entry(arg).or_default(), stage));
            }
        }
        for &id in whole.body().body.iter().rev() {
            if self.adds_up(id).is_some() {
                continue;
            }
            let Some(stage) = self.placed.stage(id) else { continue };
            let op = whole.op(id);
            if !whole.is_forward(id) {
                let readers: Stages = op.outs.iter().filter_map(|v| users.get(v)).flatten().copied().collect();
                let owner = op.outs.iter().filter_map(|v| owners.get(v)).max().copied();
                let (target, most) = match readers.iter().copied().max() {
                    Some(reader) => (reader, self.bytes(&op.outs)),
                    None => (owner.unwrap_or(stage), 0),
                };
                if target < stage && self.crossing(&op.args, target, &comes) <= most {
                    self.placed.ops.insert(id, target);
                    moved = true;
                }
            }
            let stage = self.placed.stage(id).unwrap_or(stage);
            op.args.iter().for_each(|&arg| add(users.entry(arg).or_default(), stage));
        }
        moved
    }

    /// Bytes of those values that would have to come to a stage if an op went there.
    fn crossing(&self, values: &Values, stage: usize, users: &FxHashMap<ValueId, Stages>) -> u64 {
        let comes_anyway = |v: &ValueId| {
            self.placed.of_value(self.whole, *v).map_or(self.has_params(*v, stage), |made| made == stage)
                || users.get(v).is_some_and(|users| users.contains(&stage))
                || self.readers.get(v).is_some_and(|readers| readers.contains(&stage))
        };
        values.iter().filter(|v| !comes_anyway(v)).map(|&v| self.whole.program.ty(v).bytes()).sum()
    }

    fn bytes(&self, values: &Values) -> u64 {
        values.iter().map(|&v| self.whole.program.ty(v).bytes()).sum()
    }

    /// The position of what an op of the body adds up, if that is all that it does.
    fn adds_up(&self, id: OpId) -> Option<usize> {
        let op = self.whole.op(id);
        let OpKind::Binary(binary) = &op.kind else { return None };
        let body = self.whole.body();
        let position = body.outputs.iter().position(|o| o.value == op.outs[0])?;
        (binary.op == BinaryOp::Add && position > 0 && op.args[0] == body.inputs[position]).then_some(position)
    }

    /// What the body adds to a sum in one turn, or puts in its place.
    fn part(&self, position: usize) -> Option<ValueId> {
        let body = self.whole.body();
        let value = body.outputs[position].value;
        if value == body.inputs[position] {
            return None;
        }
        let maker = self.whole.maker(value)?;
        Some(if self.adds_up(maker).is_some() { self.whole.op(maker).args[1] } else { value })
    }

    /// The stage that keeps the parameter whose gradient a sum is.
    fn owner_of_sum(&self, position: usize) -> Option<usize> {
        let sum = self.whole.looped.outs[position];
        let ty = self.whole.program.ty(sum);
        // The update tells: it reads the sum, perhaps scaled, beside the parameter.
        let mut derived: FxHashSet<ValueId> = [sum].into_iter().collect();
        for op in self.whole.behind().iter().map(|&op| self.whole.op(op)) {
            if !op.args.iter().any(|v| derived.contains(v)) {
                continue;
            }
            let params = op.args.iter().filter_map(|&v| self.whole.param(v));
            if let Some(param) = params.into_iter().next() {
                return self.placed.owners.get(&param).copied();
            }
            derived.extend(op.outs.iter().filter(|&&out| self.whole.program.ty(out).shape == ty.shape));
        }
        None
    }

    /// Parts of a gradient that come from several stages are added up where they are made, and joined behind the loop.
    fn split_sums(&mut self) {
        let whole = self.whole;
        let mut sums = vec![Vec::new(); whole.body().outputs.len()];
        for (position, parts) in sums.iter_mut().enumerate().skip(1) {
            let Some(part) = self.part(position) else { continue };
            if whole.maker(whole.body().outputs[position].value).is_some_and(|op| self.adds_up(op).is_some()) {
                self.placed.adds.insert(position);
            }
            let mut todo = vec![part];
            while let Some(value) = todo.pop() {
                let Some(maker) = whole.maker(value) else { continue };
                let op = whole.op(maker);
                let is_sum = matches!(&op.kind, OpKind::Binary(binary) if binary.op == BinaryOp::Add);
                let stages: Stages = op.args.iter().filter_map(|&v| self.placed.of_value(whole, v)).collect();
                if is_sum && stages.len() == 2 && stages[0] != stages[1] && self.is_read_once(value) {
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
            for (stage, value) in parts.iter_mut() {
                *stage = self.placed.of_value(self.whole, *value).unwrap_or(self.placed.count - 1);
            }
            parts.sort_by_key(|(stage, _)| *stage);
        }
        self.placed.sums = sums;
    }

    /// Whether only one op of the body reads a value.
    fn is_read_once(&self, value: ValueId) -> bool {
        let ops = self.whole.body().body.iter().map(|&op| self.whole.op(op));
        ops.flat_map(|op| &op.args).filter(|&&arg| arg == value).count() <= 1
    }

    /// Ops behind the loop: where most of what they read is.
    fn place_behind(&mut self) {
        let whole = self.whole;
        let mut at: FxHashMap<ValueId, usize> = FxHashMap::default();
        let home = |(position, parts): (usize, &Vec<(usize, ValueId)>)| {
            let (first, last) = (parts.first()?.0, parts.last()?.0);
            Some(if first == last { first } else { self.owner_of_sum(position).unwrap_or(first) })
        };
        self.placed.homes = self.placed.sums.iter().enumerate().map(home).collect();
        for (&out, home) in whole.looped.outs.iter().zip(&self.placed.homes) {
            home.iter().for_each(|&stage| {
                at.insert(out, stage);
            });
        }
        for &id in whole.behind() {
            if !whole.is_op_staged(id) {
                continue;
            }
            let op = whole.op(id);
            let mut bytes = vec![0; self.placed.count];
            for &arg in &op.args {
                let kept = whole.param(arg).and_then(|p| self.placed.owners.get(&p).copied());
                if let Some(stage) = at.get(&arg).copied().or(kept) {
                    // Where a parameter is kept, there it is updated.
                    let weight = if kept.is_some() { 2 } else { 1 };
                    bytes[stage] += weight * whole.program.ty(self.source(arg)).bytes();
                }
            }
            let stage = (0..self.placed.count).max_by_key(|&stage| bytes[stage]).unwrap_or(0);
            op.outs.iter().for_each(|&out| {
                at.insert(out, stage);
            });
            self.placed.ops.insert(id, stage);
        }
        self.sink_broadcasts();
    }

    /// What a value is a repetition of.
    fn source(&self, value: ValueId) -> ValueId {
        let maker = self.whole.maker(value).map(|op| self.whole.op(op));
        let repeated = maker.filter(|op| matches!(op.kind, OpKind::Broadcast(_)));
        repeated.map_or(value, |op| self.source(op.args[0]))
    }

    /// Behind the loop, what is repeated is sent before it is.
    fn sink_broadcasts(&mut self) {
        let whole = self.whole;
        let mut users: FxHashMap<ValueId, Stages> = FxHashMap::default();
        for &id in whole.behind().iter().rev() {
            let Some(stage) = self.placed.stage(id) else { continue };
            let op = whole.op(id);
            let mut stage = stage;
            if matches!(op.kind, OpKind::Broadcast(_))
                && let Some(&[only]) = users.get(&op.outs[0]).map(|users| &users[..])
            {
                stage = only;
                self.placed.ops.insert(id, stage);
            }
            op.args.iter().for_each(|&arg| add(users.entry(arg).or_default(), stage));
        }
    }
}

/// Adds a stage to a list that has each once.
fn add(stages: &mut Stages, stage: usize) {
    if !stages.contains(&stage) {
        stages.push(stage);
    }
}
