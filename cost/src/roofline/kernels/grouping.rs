//! Grouping of ops into kernel launches.

mod separate;

use super::{Launch, LaunchKind, Launches, execution_order};
use crate::constants::CostConstants;
use crate::roofline::arithmetic::Arithmetic;
use crate::roofline::efficiencies::Fusion;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::ops::Loop;
use partita_ir::program::{Op, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Location of a value in memory.
#[derive(Clone, Copy)]
struct View {
    /// The stored value. `None` for a value that is recomputed where it is read.
    root: Option<ValueId>,
    /// Identity of the part of the root that is read.
    key: ValueId,
    /// Bytes of the root that are read.
    bytes: u64,
    /// True if the elements are in the order of the root, repeated or not.
    is_in_order: bool,
}

/// A launch under construction.
struct Group {
    kind: LaunchKind,
    ops: Vec<OpId>,
    depth: usize,
    /// Number of elements that the launch iterates over.
    count: usize,
    /// Position of the first op in another launch that depends on this launch.
    read_at: Option<usize>,
}

/// Returns true if an op has its own kernel in most programs. Other ops are parts of the kernels of their operands or
/// readers.
pub fn has_kernel(program: &Program, op: &Op) -> bool {
    let args: Vec<Type> = op.args.iter().map(|&arg| program.values[arg].local_type()).collect();
    match launch_class(&op.kind, &args, Fusion::Products) {
        LaunchClass::Product | LaunchClass::Attention | LaunchClass::Alone => true,
        LaunchClass::Fused => matches!(op.kind.class(), Class::Normalisation | Class::Reduction),
        LaunchClass::Free | LaunchClass::View(_) | LaunchClass::Collective | LaunchClass::Loop(_) => false,
    }
}

/// Returns true if an op is the first of its launch, with all layouts: a contraction or an op that is not fused.
pub fn begins_launch(program: &Program, op: &Op) -> bool {
    let args: Vec<Type> = op.args.iter().map(|&arg| program.values[arg].local_type()).collect();
    match launch_class(&op.kind, &args, Fusion::Products) {
        LaunchClass::Product | LaunchClass::Attention | LaunchClass::Alone => true,
        LaunchClass::Fused
        | LaunchClass::Free
        | LaunchClass::View(_)
        | LaunchClass::Collective
        | LaunchClass::Loop(_) => false,
    }
}

impl Group {
    /// Returns true if another launch reads a result.
    fn is_read(&self) -> bool {
        self.read_at.is_some()
    }
}

/// Launches of a function under construction.
pub(super) struct Grouping<'p> {
    program: &'p Program,
    fusion: Fusion,
    /// Maximum number of shards of a value.
    shards: u64,
    /// Position of each op in the function.
    positions: FxHashMap<OpId, usize>,
    groups: Vec<Group>,
    /// Union-find parent of each group.
    parents: Vec<usize>,
    /// Group that produces each value in memory.
    producing_group: FxHashMap<ValueId, usize>,
    views: FxHashMap<ValueId, View>,
    /// Groups that read each value in memory.
    readers: FxHashMap<ValueId, Vec<usize>>,
}

/// Treatment of an op in the launch model.
enum LaunchClass<'p> {
    /// No launch: the result is recomputed where it is read.
    Free,
    /// No launch: the result is read from the memory of its operand.
    View(ViewOrder),
    /// Elementwise op or reduction over rows, in a fused loop or an epilogue.
    Fused,
    /// Matrix product or convolution, with an epilogue.
    Product,
    Attention,
    /// Separate launch without fusion.
    Alone,
    Collective,
    Loop(&'p Loop),
}

/// Elements of the operand that a view exposes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ViewOrder {
    InOrder,
    Reordered,
    Subset,
}

fn launch_class<'p>(kind: &'p OpKind, args: &[Type], fusion: Fusion) -> LaunchClass<'p> {
    match kind {
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::ShardStart(_) => LaunchClass::Free,
        OpKind::Reshape(_)
        | OpKind::Broadcast(_)
        | OpKind::Bitcast(_)
        | OpKind::Constrain(_)
        | OpKind::Shard(_)
        | OpKind::Partial(_)
        | OpKind::Reshard(_) => LaunchClass::View(ViewOrder::InOrder),
        OpKind::Transpose(_) => LaunchClass::View(ViewOrder::Reordered),
        OpKind::Slice(_) | OpKind::DynamicSlice(_) => LaunchClass::View(ViewOrder::Subset),
        OpKind::DotGeneral(_) | OpKind::Convolution(_) => LaunchClass::Product,
        OpKind::Attention(_) | OpKind::AttentionGrad(_) => LaunchClass::Attention,
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
        | OpKind::Adam(_) => LaunchClass::Fused,
        // A reduction over trailing dimensions reduces rows and can be fused. Frameworks fuse others, too.
        OpKind::Reduce(reduce) => {
            let remaining_dims = args.first().map_or(0, |arg| arg.shape.rank() - reduce.dims.len());
            let reduces_rows = reduce.dims.iter().all(|&dim| dim >= remaining_dims);
            if reduces_rows || fusion != Fusion::Products { LaunchClass::Fused } else { LaunchClass::Alone }
        }
        OpKind::AllReduce(_)
        | OpKind::AllGather(_)
        | OpKind::ReduceScatter(_)
        | OpKind::AllToAll(_)
        | OpKind::Permute(_) => LaunchClass::Collective,
        OpKind::Loop(l) => LaunchClass::Loop(l),
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
        | OpKind::Fft(_)
        | OpKind::Cholesky(_)
        | OpKind::TriangularSolve(_)
        | OpKind::Lu(_)
        | OpKind::Qr(_)
        | OpKind::HouseholderProduct(_)
        | OpKind::Svd(_)
        | OpKind::Eigh(_)
        | OpKind::Eig(_)
        | OpKind::Hessenberg(_)
        | OpKind::TridiagonalSolve(_)
        | OpKind::CustomCall(_)
        | OpKind::TopK(_)
        | OpKind::BatchNorm(_) => LaunchClass::Alone,
    }
}

impl<'p> Grouping<'p> {
    /// Groups the ops of a function.
    pub(super) fn new(program: &'p Program, func: FuncId, fusion: Fusion, shards: u64) -> Grouping<'p> {
        let body = program.funcs[func].ops();
        let mut grouping = Grouping {
            program,
            fusion,
            shards,
            positions: body.iter().enumerate().map(|(position, &op)| (op, position)).collect(),
            groups: Vec::new(),
            parents: Vec::new(),
            producing_group: FxHashMap::default(),
            views: FxHashMap::default(),
            readers: FxHashMap::default(),
        };
        for &op in body {
            grouping.add_op(op);
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
        let stored = || View { root: Some(value), key: value, bytes: self.ty(value).bytes(), is_in_order: true };
        self.views.get(&value).copied().unwrap_or_else(stored)
    }

    fn find(&self, mut group: usize) -> usize {
        while self.parents[group] != group {
            group = self.parents[group];
        }
        group
    }

    fn producer(&self, view: &View) -> Option<usize> {
        self.producing_group.get(&view.root?).map(|&group| self.find(group))
    }

    fn add_op(&mut self, id: OpId) {
        let op = &self.program.ops[id];
        let args = self.args(op);
        match launch_class(&op.kind, &args, self.fusion) {
            LaunchClass::Free => {
                let nothing = |out: &ValueId| View { root: None, key: *out, bytes: 0, is_in_order: true };
                self.views.extend(op.outs.iter().map(|out| (*out, nothing(out))));
            }
            LaunchClass::View(order) => self.add_view(op, order),
            LaunchClass::Fused => self.fuse(id, &args),
            LaunchClass::Product | LaunchClass::Attention => {
                self.push(id, LaunchKind::Contraction, self.ty(op.outs[0]).shape.count());
            }
            LaunchClass::Alone => {
                self.push(id, LaunchKind::Standalone, 0);
            }
            LaunchClass::Collective => {
                self.push(id, LaunchKind::Collective(id), 0);
            }
            LaunchClass::Loop(l) => {
                self.push(id, LaunchKind::Loop { body: l.body, trip: l.trip }, 0);
            }
        }
    }

    fn add_view(&mut self, op: &Op, order: ViewOrder) {
        let (of, out) = (self.view(op.args[0]), op.outs[0]);
        let view = View {
            root: of.root,
            key: if order == ViewOrder::Subset && of.root.is_some() { out } else { of.key },
            bytes: of.bytes.min(self.ty(out).bytes()),
            is_in_order: of.is_in_order && order == ViewOrder::InOrder,
        };
        self.views.insert(out, view);
    }

    /// Starts a launch with an op.
    fn push(&mut self, id: OpId, kind: LaunchKind, count: usize) -> usize {
        let number = self.groups.len();
        self.groups.push(Group { kind, ops: Vec::new(), depth: 0, count, read_at: None });
        self.parents.push(number);
        self.join(id, number);
        number
    }

    /// Adds an op to a launch. The depth of the launch increases to be greater than the depth of each operand's
    /// producer.
    fn join(&mut self, id: OpId, group: usize) {
        let op = &self.program.ops[id];
        let mut depth = self.groups[group].depth;
        for arg in &op.args {
            let view = self.view(*arg);
            if let Some(producer) = self.producer(&view).filter(|&producer| producer != group) {
                // Readers of this launch also depend on its operands.
                let at = self.positions.get(&id).copied().into_iter();
                let known = [self.groups[producer].read_at, self.groups[group].read_at];
                self.groups[producer].read_at = at.chain(known.into_iter().flatten()).min();
                depth = depth.max(self.groups[producer].depth + 1);
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
        self.producing_group.extend(op.outs.iter().map(|&out| (out, group)));
    }

    /// Adds a fusible op to a launch that produces or reads one of its operands, or starts a launch if none is
    /// suitable.
    fn fuse(&mut self, id: OpId, args: &[Type]) {
        let op = &self.program.ops[id];
        let outs = op.outs.iter().map(|&out| self.ty(out).shape.count());
        let count = args.iter().map(|arg| arg.shape.count()).chain(outs).max().unwrap_or(1);
        let views: SmallVec<[View; 3]> = op.args.iter().map(|&arg| self.view(arg)).collect();
        let producers: SmallVec<[usize; 3]> = views.iter().filter_map(|view| self.producer(view)).collect();
        let is_reordered =
            |group: usize| views.iter().any(|view| !view.is_in_order && self.producer(view) == Some(group));
        // An op that joins a launch with readers cannot depend on later launches, so large operands do not justify a
        // separate launch in this case. Values that the backward pass derives from forward values are computed when
        // they are needed, to avoid storing them in addition.
        let is_large = args.iter().any(|arg| arg.bytes() / self.shards > CostConstants::TUNED.reread_bytes);
        let largest_read =
            |group: usize| views.iter().filter(|view| self.producer(view) == Some(group)).map(|view| view.bytes).max();
        let is_forward = |op: OpId| self.program.ops[op].phase == Phase::Forward;
        let is_early =
            |group: usize| !is_forward(id) && self.groups[group].ops.first().is_some_and(|&op| is_forward(op));
        let is_worthwhile = |group: usize| {
            !is_large
                || !self.groups[group].is_read()
                || (largest_read(group) > Some(CostConstants::TUNED.reread_bytes) && !is_early(group))
        };
        let mut best: Option<usize> = None;
        for &group in &producers {
            let fits = !is_reordered(group)
                && self.fits(op, group, count)
                && self.may_depend_on(group, &producers)
                && is_worthwhile(group);
            let is_better = |best: usize| {
                let rank = |g: usize| (self.groups[g].kind == LaunchKind::Contraction, self.groups[g].depth);
                rank(group) > rank(best)
            };
            if fits && best.is_none_or(is_better) {
                best = Some(group);
            }
        }
        if best.is_none() {
            let readers = views.iter().filter(|view| view.is_in_order).filter_map(|view| view.root);
            let readers = readers.filter_map(|root| self.readers.get(&root)).flatten().rev().take(8);
            let mut siblings = readers.map(|&group| self.find(group));
            best = siblings.find(|&group| {
                let Group { kind, count: of_group, .. } = self.groups[group];
                let is_loop = kind == LaunchKind::FusedLoop && of_group == count;
                is_loop
                    && self.may_share_kernel(op, group)
                    && !(self.groups[group].is_read() && is_large)
                    && !producers.contains(&group)
                    && self.may_depend_on(group, &producers)
            });
        }
        let Some(group) = best else {
            self.push(id, LaunchKind::FusedLoop, count);
            return;
        };
        self.groups[group].count = self.groups[group].count.max(count);
        self.join(id, group);
        for &other in &producers {
            if !reads_reordered(&views, self, other) {
                self.merge(group, other);
            }
        }
    }

    /// Returns true if an op over `count` elements can be fused with a launch.
    fn fits(&self, op: &Op, group: usize, count: usize) -> bool {
        let Group { kind, count: of_group, .. } = &self.groups[group];
        match kind {
            LaunchKind::Contraction => {
                let is_fused = match self.fusion {
                    Fusion::Products => true,
                    Fusion::Loops | Fusion::Chains | Fusion::None => {
                        self.groups[group].ops.len() == 1 && self.is_bias(op)
                    }
                };
                *of_group == count && op.kind.class() == Class::Elementwise && is_fused
            }
            LaunchKind::FusedLoop => {
                count.max(*of_group).is_multiple_of(count.min(*of_group).max(1)) && self.may_share_kernel(op, group)
            }
            LaunchKind::Standalone | LaunchKind::Collective(_) | LaunchKind::Loop { .. } => false,
        }
    }

    /// Returns true unless one of the op and the launch updates parameters, and the software does not fuse updates.
    fn may_share_kernel(&self, op: &Op, group: usize) -> bool {
        let is_update = |op: &Op| op.kind.class() == Class::Update;
        let first = self.groups[group].ops.first().map(|&op| &self.program.ops[op]);
        self.fusion == Fusion::Products || first.is_none_or(|first| is_update(first) == is_update(op))
    }

    /// Returns true if an op adds a bias, which is smaller than the result of a product.
    fn is_bias(&self, op: &Op) -> bool {
        op.args.len() == 2 && op.args.iter().any(|&arg| 2 * self.view(arg).bytes <= self.ty(op.outs[0]).bytes())
    }

    /// Returns true if a launch can depend on the given producers. A launch without dependencies on collectives does
    /// not acquire one. A launch with readers does not acquire a dependency on results that are computed after these
    /// readers: a value of a later layer would require that all preceding layers are computed first.
    fn may_depend_on(&self, group: usize, producers: &[usize]) -> bool {
        let is_collective = |producer: usize| matches!(self.groups[producer].kind, LaunchKind::Collective(_));
        let reads = |producer: usize| {
            let outs = self.groups[producer].ops.iter().flat_map(|&id| &self.program.ops[id].outs);
            let mut readers = outs.filter_map(|out| self.readers.get(out)).flatten();
            readers.any(|&reader| self.find(reader) == group)
        };
        if producers.iter().any(|&producer| is_collective(producer) && !reads(producer)) {
            return false;
        }
        let Group { depth, read_at, .. } = &self.groups[group];
        let position = |producer: usize| self.groups[producer].ops.last().and_then(|op| self.positions.get(op));
        let is_before = |producer: usize, read_at| {
            let Group { kind, count, depth: of_producer, .. } = &self.groups[producer];
            // A loop over inputs can be computed at any position. Other launches read a number as well.
            let is_free = *kind == LaunchKind::FusedLoop && *of_producer == 0 && *count > 1;
            of_producer < depth && (is_free || position(producer) < Some(read_at))
        };
        read_at.as_ref().is_none_or(|at| producers.iter().all(|&producer| producer == group || is_before(producer, at)))
    }

    /// Merges two fused loops if neither depends on the other through a third launch.
    fn merge(&mut self, into: usize, other: usize) {
        let (into, other) = (self.find(into), self.find(other));
        let (a, b) = (&self.groups[into], &self.groups[other]);
        let are_loops = a.kind == LaunchKind::FusedLoop && b.kind == LaunchKind::FusedLoop;
        let first = b.ops.first().map(|&op| &self.program.ops[op]);
        let fits = a.count.max(b.count).is_multiple_of(a.count.min(b.count).max(1))
            && first.is_none_or(|op| self.may_share_kernel(op, into));
        if into == other || !are_loops || !fits {
            return;
        }
        // The op just added reads the other group. No third launch may be between the two groups.
        let others_read = self.is_read_elsewhere(other, into);
        let sinks = b.depth < a.depth;
        if others_read || !sinks || self.has_reordered_read(into, other) {
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

    /// Returns true if a launch other than `but` reads results of `group`.
    fn is_read_elsewhere(&self, group: usize, but: usize) -> bool {
        let outs = self.groups[group].ops.iter().flat_map(|&id| &self.program.ops[id].outs);
        let readers = outs.filter_map(|out| self.readers.get(out)).flatten();
        readers.map(|&reader| self.find(reader)).any(|reader| reader != but && reader != group)
    }

    /// Returns true if `group` reads results of `other` in a different element order.
    fn has_reordered_read(&self, group: usize, other: usize) -> bool {
        let args = self.groups[group].ops.iter().flat_map(|&id| &self.program.ops[id].args);
        args.map(|&arg| self.view(arg)).any(|view| !view.is_in_order && self.producer(&view) == Some(other))
    }

    /// Returns the launches.
    pub(super) fn finish(self, func: FuncId) -> Launches {
        let func = &self.program.funcs[func];
        // Surviving groups in program order.
        let mut roots: Vec<usize> = (0..self.groups.len()).filter(|&g| self.parents[g] == g).collect();
        roots.sort_by_key(|&g| self.groups[g].ops.first().and_then(|op| self.positions.get(op)));
        let number: FxHashMap<usize, usize> = roots.iter().enumerate().map(|(number, &g)| (g, number)).collect();
        let outputs: Vec<Option<ValueId>> = func
            .outputs
            .iter()
            .map(|output| self.view(output.value).root.filter(|root| self.producing_group.contains_key(root)))
            .collect();
        let mut read_or_output: FxHashSet<ValueId> = outputs.iter().flatten().copied().collect();
        let mut all: Vec<Launch> = roots.iter().map(|&g| self.launch(g, &number)).collect();
        read_or_output.extend(all.iter().flat_map(|launch| &launch.reads).filter_map(|&(key, _)| self.view(key).root));
        for (launch, &g) in all.iter_mut().zip(&roots) {
            launch.writes = self.writes(g, &read_or_output);
        }
        let order = execution_order(&all, &self.launch_positions(&roots, &all));
        Launches { all, order, outputs }
    }

    /// Returns the position of each launch in the function. A loop has the position of its last op, which minimises the
    /// lifetime of recomputed values. A contraction has the position of its first op, so that a parameter update in its
    /// epilogue does not extend the lifetime of its operands, but follows all operands of its epilogue.
    fn launch_positions(&self, roots: &[usize], all: &[Launch]) -> Vec<usize> {
        let positions = |group: usize| self.groups[group].ops.iter().filter_map(|op| self.positions.get(op)).copied();
        let mut positions_of_launches: Vec<usize> =
            roots.iter().map(|&group| positions(group).max().unwrap_or(0)).collect();
        let mut by_depth: Vec<usize> = (0..roots.len()).collect();
        by_depth.sort_by_key(|&number| self.groups[roots[number]].depth);
        for number in by_depth.into_iter().filter(|&number| all[number].kind == LaunchKind::Contraction) {
            let needed = all[number].needs.iter().map(|&need| positions_of_launches[need]);
            positions_of_launches[number] = positions(roots[number]).min().into_iter().chain(needed).max().unwrap_or(0);
        }
        positions_of_launches
    }

    fn launch(&self, group: usize, number: &FxHashMap<usize, usize>) -> Launch {
        let Group { kind, ops, .. } = &self.groups[group];
        let mut arithmetic: SmallVec<[Arithmetic; 1]> = SmallVec::new();
        let separate = self.separate_kernels(group);
        let mut reads: Vec<(ValueId, u64)> = Vec::new();
        let (mut needs, mut uses): (Vec<usize>, Vec<ValueId>) = Default::default();
        let mut places: FxHashMap<ValueId, usize> = FxHashMap::default();
        for op in ops.iter().map(|&id| &self.program.ops[id]) {
            arithmetic.extend(Arithmetic::of_op(self.program, op));
            let (max_read, _) = self.max_traffic(op);
            for (position, &arg) in op.args.iter().enumerate() {
                let view = self.view(arg);
                let Some(root) = view.root else { continue };
                match self.producer(&view) {
                    Some(producer) if producer == group => continue,
                    Some(producer) => needs.extend(number.get(&producer)),
                    None => {}
                }
                let bytes = if position == 0 { view.bytes.min(max_read) } else { view.bytes };
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
        Launch { kind: *kind, ops: ops.clone(), arithmetic, separate, reads, uses, writes: Vec::new(), needs }
    }

    /// Returns upper bounds of the bytes that an op reads of its first operand and writes of each result.
    fn max_traffic(&self, op: &Op) -> (u64, u64) {
        const ALL: u64 = u64::MAX;
        match op.kind {
            // Only the selected rows are read.
            OpKind::Gather(_) => (self.ty(op.outs[0]).bytes(), ALL),
            // Elements outside of the update are not copied.
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
            OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) => (ALL, ALL),
            OpKind::Qr(_) | OpKind::HouseholderProduct(_) | OpKind::Svd(_) => (ALL, ALL),
            OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_) => (ALL, ALL),
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => (ALL, ALL),
            OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) | OpKind::Momentum(_) | OpKind::Adam(_) => (ALL, ALL),
            OpKind::Loop(_) | OpKind::Constrain(_) | OpKind::Reshard(_) => (ALL, ALL),
            OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) => (ALL, ALL),
            OpKind::AllToAll(_) | OpKind::Permute(_) | OpKind::Shard(_) | OpKind::Partial(_) => (ALL, ALL),
            OpKind::Mask(_) | OpKind::ShardStart(_) => (ALL, ALL),
        }
    }

    fn writes(&self, group: usize, read_or_output: &FxHashSet<ValueId>) -> Vec<(ValueId, u64)> {
        let ops = self.groups[group].ops.iter().map(|&id| &self.program.ops[id]);
        let outs = ops.flat_map(|op| op.outs.iter().map(move |&out| (op, out)));
        let outs = outs.filter(|(_, out)| read_or_output.contains(out));
        outs.map(|(op, out)| (out, self.ty(out).bytes().min(self.max_traffic(op).1))).collect()
    }
}

/// Returns true if one of the views reorders the elements of a result of `group`.
fn reads_reordered(views: &[View], grouping: &Grouping<'_>, group: usize) -> bool {
    views.iter().any(|view| !view.is_in_order && grouping.producer(view) == Some(grouping.find(group)))
}
