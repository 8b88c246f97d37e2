//! Which ops are launched together.

use super::{Launch, Launches, Scores, What, order};
use crate::constants::CostConstants;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::ops::Loop;
use partita_ir::program::{Op, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What a value is in memory.
#[derive(Clone, Copy)]
struct View {
    /// The value that lies there; nothing for what is computed where it is read.
    root: Option<ValueId>,
    /// What tells it from other parts of the same value.
    key: ValueId,
    /// How much of it is read.
    bytes: u64,
    /// Whether elements have the order of the value, repeated or not.
    is_straight: bool,
}

/// A launch that grows.
struct Group {
    what: What,
    ops: Vec<OpId>,
    depth: usize,
    /// How many elements it goes over.
    count: usize,
    /// Where the first op of another launch stands that waits for it, if one does.
    read_at: Option<usize>,
}

impl Group {
    /// Whether others read what it makes.
    fn is_read(&self) -> bool {
        self.read_at.is_some()
    }
}

pub(super) struct Grouping<'p> {
    program: &'p Program,
    /// By op, where it stands in the function.
    positions: FxHashMap<OpId, usize>,
    groups: Vec<Group>,
    /// By group, the one that it has become part of.
    parents: Vec<usize>,
    /// By value in memory, the group that makes it.
    made: FxHashMap<ValueId, usize>,
    views: FxHashMap<ValueId, View>,
    /// By value in memory, the groups that read it.
    readers: FxHashMap<ValueId, Vec<usize>>,
}

/// What becomes of an op.
enum Handling<'p> {
    /// Computed where it is read.
    Free,
    /// Read where its operand is stored.
    View(Shown),
    Fused,
    Product,
    Attention {
        is_gradient: bool,
    },
    Alone,
    Collective,
    Loop(&'p Loop),
}

/// The elements of its operand that a view shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    InOrder,
    Reordered,
    Part,
}

fn handling<'p>(kind: &'p OpKind, args: &[Type]) -> Handling<'p> {
    match kind {
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::PieceStart(_) => Handling::Free,
        OpKind::Reshape(_)
        | OpKind::Broadcast(_)
        | OpKind::Bitcast(_)
        | OpKind::Constrain(_)
        | OpKind::Shard(_)
        | OpKind::Partial(_)
        | OpKind::Reshard(_) => Handling::View(Shown::InOrder),
        OpKind::Transpose(_) => Handling::View(Shown::Reordered),
        OpKind::Slice(_) | OpKind::DynamicSlice(_) => Handling::View(Shown::Part),
        OpKind::DotGeneral(_) | OpKind::Convolution(_) => Handling::Product,
        OpKind::Attention(_) => Handling::Attention { is_gradient: false },
        OpKind::AttentionGrad(_) => Handling::Attention { is_gradient: true },
        OpKind::Unary(_)
        | OpKind::Binary(_)
        | OpKind::Compare(_)
        | OpKind::Select(_)
        | OpKind::Clamp(_)
        | OpKind::Convert(_)
        | OpKind::Mask(_)
        | OpKind::Random(_)
        | OpKind::RngBits(_)
        | OpKind::Softmax(_)
        | OpKind::LogSoftmax(_)
        | OpKind::LayerNorm(_)
        | OpKind::RmsNorm(_)
        | OpKind::Gelu(_)
        | OpKind::CrossEntropy(_)
        | OpKind::Momentum(_)
        | OpKind::Adam(_) => Handling::Fused,
        // Over rows: what is left are the leading dimensions.
        OpKind::Reduce(reduce) => {
            let kept = args.first().map_or(0, |arg| arg.shape.rank() - reduce.dims.len());
            if reduce.dims.iter().all(|&dim| dim >= kept) { Handling::Fused } else { Handling::Alone }
        }
        OpKind::AllReduce(_)
        | OpKind::AllGather(_)
        | OpKind::ReduceScatter(_)
        | OpKind::AllToAll(_)
        | OpKind::Permute(_) => Handling::Collective,
        OpKind::Loop(l) => Handling::Loop(l),
        OpKind::Reverse(_)
        | OpKind::Pad(_)
        | OpKind::Concatenate(_)
        | OpKind::DynamicUpdateSlice(_)
        | OpKind::Gather(_)
        | OpKind::Scatter(_)
        | OpKind::ReduceFunc(_)
        | OpKind::ReduceWindow(_)
        | OpKind::SelectAndScatter(_)
        | OpKind::Sort(_)
        | OpKind::TopK(_)
        | OpKind::BatchNorm(_) => Handling::Alone,
    }
}

impl<'p> Grouping<'p> {
    /// Groups the ops of a function.
    pub(super) fn of(program: &'p Program, func: FuncId) -> Grouping<'p> {
        let body = program.funcs[func].ops();
        let mut grouping = Grouping {
            program,
            positions: body.iter().enumerate().map(|(position, &op)| (op, position)).collect(),
            groups: Vec::new(),
            parents: Vec::new(),
            made: FxHashMap::default(),
            views: FxHashMap::default(),
            readers: FxHashMap::default(),
        };
        for &op in body {
            grouping.op(op);
        }
        grouping
    }

    fn ty(&self, value: ValueId) -> Type {
        self.program.values[value].local_type()
    }

    fn args(&self, op: &Op) -> SmallVec<[Type; 3]> {
        op.args.iter().map(|&arg| self.ty(arg)).collect()
    }

    fn view(&self, value: ValueId) -> View {
        let whole = || View { root: Some(value), key: value, bytes: self.ty(value).bytes(), is_straight: true };
        self.views.get(&value).copied().unwrap_or_else(whole)
    }

    fn find(&self, mut group: usize) -> usize {
        while self.parents[group] != group {
            group = self.parents[group];
        }
        group
    }

    fn maker(&self, view: &View) -> Option<usize> {
        self.made.get(&view.root?).map(|&group| self.find(group))
    }

    fn op(&mut self, id: OpId) {
        let op = &self.program.ops[id];
        let args = self.args(op);
        match handling(&op.kind, &args) {
            Handling::Free => {
                let nothing = |out: &ValueId| View { root: None, key: *out, bytes: 0, is_straight: true };
                self.views.extend(op.outs.iter().map(|out| (*out, nothing(out))));
            }
            Handling::View(shown) => self.look(op, shown),
            Handling::Fused => self.fuse(id, &args),
            Handling::Product | Handling::Attention { .. } => {
                self.push(id, What::Product, self.ty(op.outs[0]).shape.count());
            }
            Handling::Alone => {
                self.push(id, What::Alone, 0);
            }
            Handling::Collective => {
                self.push(id, What::Collective(id), 0);
            }
            Handling::Loop(l) => {
                self.push(id, What::Loop { body: l.body, trip: l.trip }, 0);
            }
        }
    }

    fn look(&mut self, op: &Op, shown: Shown) {
        let (of, out) = (self.view(op.args[0]), op.outs[0]);
        let view = View {
            root: of.root,
            key: if shown == Shown::Part && of.root.is_some() { out } else { of.key },
            bytes: of.bytes.min(self.ty(out).bytes()),
            is_straight: of.is_straight && shown == Shown::InOrder,
        };
        self.views.insert(out, view);
    }

    /// Starts a launch with an op.
    fn push(&mut self, id: OpId, what: What, count: usize) -> usize {
        let number = self.groups.len();
        self.groups.push(Group { what, ops: Vec::new(), depth: 0, count, read_at: None });
        self.parents.push(number);
        self.join(id, number);
        number
    }

    /// Puts an op into a launch, which sinks below what the op reads.
    fn join(&mut self, id: OpId, group: usize) {
        let op = &self.program.ops[id];
        let mut depth = self.groups[group].depth;
        for arg in &op.args {
            let view = self.view(*arg);
            if let Some(maker) = self.maker(&view).filter(|&maker| maker != group) {
                // Who waits for this launch waits for what it reads.
                let at = self.positions.get(&id).copied().into_iter();
                let known = [self.groups[maker].read_at, self.groups[group].read_at];
                self.groups[maker].read_at = at.chain(known.into_iter().flatten()).min();
                depth = depth.max(self.groups[maker].depth + 1);
            }
            if let Some(root) = view.root {
                let readers = self.readers.entry(root).or_default();
                if readers.last() != Some(&group) {
                    readers.push(group);
                }
            }
        }
        self.groups[group].depth = depth;
        self.groups[group].ops.push(id);
        self.made.extend(op.outs.iter().map(|&out| (out, group)));
    }

    /// Puts an op of a loop where what it reads is made or read.
    fn fuse(&mut self, id: OpId, args: &[Type]) {
        let op = &self.program.ops[id];
        let outs = op.outs.iter().map(|&out| self.ty(out).shape.count());
        let count = args.iter().map(|arg| arg.shape.count()).chain(outs).max().unwrap_or(1);
        let views: SmallVec<[View; 3]> = op.args.iter().map(|&arg| self.view(arg)).collect();
        let makers: SmallVec<[usize; 3]> = views.iter().filter_map(|view| self.maker(view)).collect();
        let is_bent = |group: usize| views.iter().any(|view| !view.is_straight && self.maker(view) == Some(group));
        // What joins a launch that others wait for cannot wait for anything else any more. Then what is large is not
        // worth a launch. What the backward part makes of values of the forward part is made when it is needed, not
        // kept beside them.
        let is_large = args.iter().any(|arg| arg.bytes() > CostConstants::TUNED.reread_bytes);
        let gives =
            |group: usize| views.iter().filter(|view| self.maker(view) == Some(group)).map(|view| view.bytes).max();
        let is_forward = |op: OpId| self.program.ops[op].phase == Phase::Forward;
        let is_early =
            |group: usize| !is_forward(id) && self.groups[group].ops.first().is_some_and(|&op| is_forward(op));
        let is_worth = |group: usize| {
            !is_large
                || !self.groups[group].is_read()
                || (gives(group) > Some(CostConstants::TUNED.reread_bytes) && !is_early(group))
        };
        let mut best: Option<usize> = None;
        for &group in &makers {
            let fits =
                !is_bent(group) && self.fits(op, group, count) && self.may_take(group, &makers) && is_worth(group);
            let is_better = |best: usize| {
                let rank = |g: usize| (self.groups[g].what == What::Product, self.groups[g].depth);
                rank(group) > rank(best)
            };
            if fits && best.is_none_or(is_better) {
                best = Some(group);
            }
        }
        if best.is_none() {
            let readers = views.iter().filter(|view| view.is_straight).filter_map(|view| view.root);
            let readers = readers.filter_map(|root| self.readers.get(&root)).flatten().rev().take(8);
            let mut siblings = readers.map(|&group| self.find(group));
            best = siblings.find(|&group| {
                let Group { what, count: of_group, .. } = self.groups[group];
                let loops = what == What::Fused && of_group == count;
                loops
                    && !(self.groups[group].is_read() && is_large)
                    && !makers.contains(&group)
                    && self.may_take(group, &makers)
            });
        }
        let Some(group) = best else {
            self.push(id, What::Fused, count);
            return;
        };
        self.groups[group].count = self.groups[group].count.max(count);
        self.join(id, group);
        for &other in &makers {
            if !is_bent_of(&views, self, other) {
                self.merge(group, other);
            }
        }
    }

    /// Whether an op that goes over so many elements may be part of a launch.
    fn fits(&self, op: &Op, group: usize, count: usize) -> bool {
        let Group { what, count: of_group, .. } = &self.groups[group];
        match what {
            What::Product => *of_group == count && op.kind.class() == Class::Elementwise,
            What::Fused => count.max(*of_group).is_multiple_of(count.min(*of_group).max(1)),
            What::Alone | What::Collective(_) | What::Loop { .. } => false,
        }
    }

    /// Whether a launch may read what those make. One that waits for no collective does not begin to, and one that
    /// others wait for does not begin to wait for what is computed behind these: of a layer further on, all that leads
    /// there would have to be computed first.
    fn may_take(&self, group: usize, makers: &[usize]) -> bool {
        let is_sent = |maker: usize| matches!(self.groups[maker].what, What::Collective(_));
        let reads = |maker: usize| {
            let outs = self.groups[maker].ops.iter().flat_map(|&id| &self.program.ops[id].outs);
            let mut readers = outs.filter_map(|out| self.readers.get(out)).flatten();
            readers.any(|&reader| self.find(reader) == group)
        };
        if makers.iter().any(|&maker| is_sent(maker) && !reads(maker)) {
            return false;
        }
        let Group { depth, read_at, .. } = &self.groups[group];
        let stands = |maker: usize| self.groups[maker].ops.last().and_then(|op| self.positions.get(op));
        let is_before = |maker: usize, read_at| self.groups[maker].depth < *depth && stands(maker) < Some(read_at);
        read_at.as_ref().is_none_or(|at| makers.iter().all(|&maker| maker == group || is_before(maker, at)))
    }

    /// Makes two loops one, if neither waits for the other.
    fn merge(&mut self, into: usize, other: usize) {
        let (into, other) = (self.find(into), self.find(other));
        let (a, b) = (&self.groups[into], &self.groups[other]);
        let are_loops = a.what == What::Fused && b.what == What::Fused;
        let fits = a.count.max(b.count).is_multiple_of(a.count.min(b.count).max(1));
        if into == other || !are_loops || !fits {
            return;
        }
        // The op that just came reads the other one; else nobody else may stand between them.
        let others_read = self.is_read_elsewhere(other, into);
        let sinks = b.depth < a.depth;
        if others_read || !sinks || self.reaches_otherwise(into, other) {
            return;
        }
        let ops = std::mem::take(&mut self.groups[other].ops);
        let count = self.groups[other].count;
        let (group, positions) = (&mut self.groups[into], &self.positions);
        group.ops.extend(ops);
        group.ops.sort_by_key(|op| positions.get(op));
        group.count = group.count.max(count);
        self.parents[other] = into;
    }

    /// Whether others than one launch read what a launch makes.
    fn is_read_elsewhere(&self, group: usize, but: usize) -> bool {
        let outs = self.groups[group].ops.iter().flat_map(|&id| &self.program.ops[id].outs);
        let readers = outs.filter_map(|out| self.readers.get(out)).flatten();
        readers.map(|&reader| self.find(reader)).any(|reader| reader != but && reader != group)
    }

    /// Whether a launch reads another one in another way than element by element.
    fn reaches_otherwise(&self, group: usize, other: usize) -> bool {
        let args = self.groups[group].ops.iter().flat_map(|&id| &self.program.ops[id].args);
        args.map(|&arg| self.view(arg)).any(|view| !view.is_straight && self.maker(&view) == Some(other))
    }

    /// What is launched.
    pub(super) fn finish(self, func: FuncId) -> Launches {
        let func = &self.program.funcs[func];
        // Numbers of what is left, in the order of the program.
        let mut left: Vec<usize> = (0..self.groups.len()).filter(|&g| self.parents[g] == g).collect();
        left.sort_by_key(|&g| self.groups[g].ops.first().and_then(|op| self.positions.get(op)));
        let number: FxHashMap<usize, usize> = left.iter().enumerate().map(|(number, &g)| (g, number)).collect();
        let outputs: Vec<Option<ValueId>> = func
            .outputs
            .iter()
            .map(|output| self.view(output.value).root.filter(|root| self.made.contains_key(root)))
            .collect();
        let mut given: FxHashSet<ValueId> = outputs.iter().flatten().copied().collect();
        let mut all: Vec<Launch> = left.iter().map(|&g| self.launch(g, &number)).collect();
        given.extend(all.iter().flat_map(|launch| &launch.reads).filter_map(|&(key, _)| self.view(key).root));
        for (launch, &g) in all.iter_mut().zip(&left) {
            launch.writes = self.writes(g, &given);
        }
        let order = order(&all, &self.stands(&left, &all));
        Launches { all, order, outputs }
    }

    /// By launch, where it stands in the function. A loop stands where its last op is, so that what is computed again
    /// is not in memory for longer than it must. A product stands where it is computed, so that its factors need not
    /// wait for an update in its epilogue, but behind all that its epilogue reads.
    fn stands(&self, left: &[usize], all: &[Launch]) -> Vec<usize> {
        let positions = |group: usize| self.groups[group].ops.iter().filter_map(|op| self.positions.get(op)).copied();
        let mut stands: Vec<usize> = left.iter().map(|&group| positions(group).max().unwrap_or(0)).collect();
        let mut by_depth: Vec<usize> = (0..left.len()).collect();
        by_depth.sort_by_key(|&number| self.groups[left[number]].depth);
        for number in by_depth.into_iter().filter(|&number| all[number].what == What::Product) {
            let needed = all[number].needs.iter().map(|&need| stands[need]);
            stands[number] = positions(left[number]).min().into_iter().chain(needed).max().unwrap_or(0);
        }
        stands
    }

    fn launch(&self, group: usize, number: &FxHashMap<usize, usize>) -> Launch {
        let Group { what, ops, .. } = &self.groups[group];
        let mut flops: SmallVec<[(DType, u64); 1]> = SmallVec::new();
        let mut scores = None;
        let mut reads: Vec<(ValueId, u64)> = Vec::new();
        let (mut needs, mut uses): (Vec<usize>, Vec<ValueId>) = Default::default();
        let mut places: FxHashMap<ValueId, usize> = FxHashMap::default();
        for op in ops.iter().map(|&id| &self.program.ops[id]) {
            flops.extend(self.flops(op));
            scores = scores.or_else(|| self.scores(op));
            let (most_read, _) = self.most_touched(op);
            for (position, &arg) in op.args.iter().enumerate() {
                let view = self.view(arg);
                let Some(root) = view.root else { continue };
                match self.maker(&view) {
                    Some(maker) if maker == group => continue,
                    Some(maker) => needs.extend(number.get(&maker)),
                    None => {}
                }
                let bytes = if position == 0 { view.bytes.min(most_read) } else { view.bytes };
                let key = if self.view(view.key).root == Some(root) { view.key } else { root };
                if !uses.contains(&root) {
                    uses.push(root);
                }
                let place = *places.entry(key).or_insert(reads.len());
                if place == reads.len() {
                    reads.push((key, bytes));
                }
                reads[place].1 = reads[place].1.max(bytes);
            }
        }
        needs.sort_unstable();
        needs.dedup();
        Launch { what: *what, ops: ops.clone(), flops, scores, reads, uses, writes: Vec::new(), needs }
    }

    /// Arithmetic of a product.
    fn flops(&self, op: &Op) -> Option<(DType, u64)> {
        if !op.kind.class().contracts() {
            return None;
        }
        let args = self.args(op);
        let outs: SmallVec<[Type; 3]> = op.outs.iter().map(|&out| self.ty(out)).collect();
        let (types, outs): (SmallVec<[&Type; 3]>, SmallVec<[&Type; 3]>) =
            (args.iter().collect(), outs.iter().collect());
        Some((args[0].dtype, op.kind.flops(&types, &outs)))
    }

    /// The scores of an attention.
    fn scores(&self, op: &Op) -> Option<Scores> {
        let Handling::Attention { is_gradient } = handling(&op.kind, &self.args(op)) else { return None };
        let (queries, keys) = (self.ty(op.args[0]), self.ty(op.args[1]));
        let columns = keys.shape.iter().rev().nth(1).copied().unwrap_or(1);
        let rows = queries.shape.iter().rev().skip(1).product::<usize>();
        let scores = Type { shape: [rows, columns].into_iter().collect(), dtype: queries.dtype };
        Some(Scores { bytes: scores.bytes(), is_gradient })
    }

    /// Upper bounds of the bytes that an op reads of its first operand, and writes of each result.
    fn most_touched(&self, op: &Op) -> (u64, u64) {
        const ALL: u64 = u64::MAX;
        match op.kind {
            // Rows that are chosen.
            OpKind::Gather(_) => (self.ty(op.outs[0]).bytes(), ALL),
            // What is not replaced stays where it is.
            OpKind::DynamicUpdateSlice(_) => (0, self.ty(op.args[1]).bytes()),
            OpKind::Scatter(_) => (0, ALL),
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => (ALL, ALL),
            OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) => (ALL, ALL),
            OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) | OpKind::Gelu(_) => (ALL, ALL),
            OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => (ALL, ALL),
            OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) | OpKind::DynamicSlice(_) => (ALL, ALL),
            OpKind::DotGeneral(_) | OpKind::Convolution(_) => (ALL, ALL),
            OpKind::Attention(_) | OpKind::AttentionGrad(_) => (ALL, ALL),
            OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_) => (ALL, ALL),
            OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => (ALL, ALL),
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => (ALL, ALL),
            OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) | OpKind::Momentum(_) | OpKind::Adam(_) => (ALL, ALL),
            OpKind::Loop(_) | OpKind::Constrain(_) | OpKind::Reshard(_) => (ALL, ALL),
            OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) => (ALL, ALL),
            OpKind::AllToAll(_) | OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) => (ALL, ALL),
            OpKind::Mask(_) | OpKind::PieceStart(_) => (ALL, ALL),
        }
    }

    fn writes(&self, group: usize, given: &FxHashSet<ValueId>) -> Vec<(ValueId, u64)> {
        let ops = self.groups[group].ops.iter().map(|&id| &self.program.ops[id]);
        let outs = ops.flat_map(|op| op.outs.iter().map(move |&out| (op, out)));
        let outs = outs.filter(|(_, out)| given.contains(out));
        outs.map(|(op, out)| (out, self.ty(out).bytes().min(self.most_touched(op).1))).collect()
    }
}

/// Whether some of those views changes the order of what a launch makes.
fn is_bent_of(views: &[View], grouping: &Grouping<'_>, group: usize) -> bool {
    views.iter().any(|view| !view.is_straight && grouping.maker(view) == Some(grouping.find(group)))
}
