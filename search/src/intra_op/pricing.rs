//! Prices of strategies on a machine: roofline times of kernels, as in [`partita_cost::roofline`], and collectives
//! between different layouts.

use super::allowance::Allowance;
use super::decision_groups::{DecisionGroups, OpNode};
use super::search_graph::SearchGraph;
use super::strategies::{SplittingAxes, operand_layout, result_layout};
use indexmap::IndexSet;
use partita_cost::placement::CollectiveCosts;
use partita_cost::roofline::Efficiencies;
use partita_cost::roofline::arithmetic::{Arithmetic, ArithmeticShape};
use partita_cost::roofline::efficiencies::Fusion;
use partita_cost::roofline::kernels::{Launch, LaunchKind, Launches};
use partita_ir::arena::{FuncId, MeshId, OpId, ValueId};
use partita_ir::class::Collective;
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, Monoid, local_shape};
use partita_ir::mesh::shard_count;
use partita_ir::op::OpKind;
use partita_ir::ops::AllReduce;
use partita_ir::program::{Op, Program};
use partita_ir::rule::{FactorAxes, FactorKind};
use partita_ir::units::parse_bytes;
use partita_machine::DeviceKind;
use partita_passes::partitioning::reshard_path::ReshardPaths;
use partita_passes::planning::presets::DEFAULT_BUCKET_SIZE;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::rc::Rc;

/// Index of an interned layout.
pub(crate) type LayoutId = u32;

/// Index of an interned list of layouts, one for each strategy of a group.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LayoutListId(u32);

/// Operand or result to which memory traffic of an op is attributed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum TrafficSource {
    Arg(usize),
    Out(usize),
    /// A fraction of the iteration space that no single operand accounts for.
    Unknown,
}

/// Work of an op on one device that computes the entire op.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct OpWork {
    /// Matrix products and attention.
    pub(super) arithmetic: SmallVec<[Arithmetic; 1]>,
    /// Bytes read and written, with their source.
    pub(super) traffic: SmallVec<[(TrafficSource, u64); 3]>,
    /// Number of kernel launches attributed to the op.
    pub(super) launches: u32,
}

/// Prices of kernels and resharding on one mesh.
pub(crate) struct LayoutPricing<'a> {
    graph: &'a SearchGraph<'a>,
    pub(crate) mesh: MeshId,
    pub(crate) axes: SplittingAxes,
    kind: &'a DeviceKind,
    efficiencies: &'a Efficiencies,
    /// Costs with the devices after each exchange of axes.
    collectives: Vec<CollectiveCosts<'a>>,
    paths: ReshardPaths,
    /// Bucket size of gradient reductions in bytes.
    bucket: u64,
    layouts: Vec<Layout>,
    layout_ids: FxHashMap<Layout, LayoutId>,
    /// Layouts that count as the same.
    exchanged: FxHashMap<LayoutId, Rc<[LayoutId]>>,
    lists: IndexSet<Rc<[LayoutId]>, FxBuildHasher>,
    reshard_seconds_cache: FxHashMap<(Type, LayoutId, LayoutId, Bucketing), f64>,
    tables: FxHashMap<(Type, LayoutListId, LayoutListId, Bucketing), Rc<[f64]>>,
    /// Work that may be spent on the prices of reshards.
    pub(super) allowance: Allowance,
}

/// Bucketing of a reduction. A bucketed reduction is priced as its share of a full bucket.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Bucketing {
    /// A separate collective.
    Separate,
    /// A share of a bucket, as for gradients.
    Bucketed,
}

impl<'a> LayoutPricing<'a> {
    pub(crate) fn new(
        graph: &'a SearchGraph<'a>,
        (mesh, axes): (MeshId, SplittingAxes),
        (kind, efficiencies): (&'a DeviceKind, &'a Efficiencies),
        collectives: Vec<CollectiveCosts<'a>>,
    ) -> LayoutPricing<'a> {
        LayoutPricing {
            graph,
            mesh,
            axes,
            kind,
            efficiencies,
            collectives,
            paths: ReshardPaths::new(mesh),
            bucket: parse_bytes(DEFAULT_BUCKET_SIZE).unwrap_or(0),
            layouts: Vec::new(),
            layout_ids: FxHashMap::default(),
            exchanged: FxHashMap::default(),
            lists: IndexSet::default(),
            reshard_seconds_cache: FxHashMap::default(),
            tables: FxHashMap::default(),
            allowance: Allowance::default(),
        }
    }

    /// Interns a layout and returns its id.
    pub(crate) fn layout_id(&mut self, layout: Layout) -> LayoutId {
        if let Some(&number) = self.layout_ids.get(&layout) {
            return number;
        }
        let number = self.layouts.len() as LayoutId;
        self.layouts.push(layout.clone());
        self.layout_ids.insert(layout, number);
        number
    }

    /// Returns the layout of an id.
    pub(crate) fn layout(&self, number: LayoutId) -> &Layout {
        &self.layouts[number as usize]
    }

    /// Interns a list of layouts and returns its id.
    pub(crate) fn layout_list(&mut self, layouts: Vec<LayoutId>) -> LayoutListId {
        LayoutListId(self.lists.insert_full(layouts.into()).0 as u32)
    }

    /// Returns the list of layouts of an id.
    pub(crate) fn layouts(&self, list: LayoutListId) -> &Rc<[LayoutId]> {
        &self.lists[list.0 as usize]
    }

    /// Returns the same list of layouts without partial sums.
    pub(crate) fn without_partial_sums(&mut self, list: LayoutListId) -> LayoutListId {
        let layouts = self.layouts(list).clone();
        let summed = |&number: &LayoutId| Layout { partial: SmallVec::new(), ..self.layout(number).clone() };
        let summed: Vec<Layout> = layouts.iter().map(summed).collect();
        let numbers = summed.into_iter().map(|layout| self.layout_id(layout)).collect();
        self.layout_list(numbers)
    }

    /// Returns the bytes of a value on one device.
    pub(crate) fn bytes(&self, ty: &Type, number: LayoutId) -> u64 {
        let count = local_shape(&ty.shape, Some(self.layout(number))).count() as u64;
        count.saturating_mul(ty.dtype.bytes())
    }

    /// Returns the bytes that an op whose factors are sharded along the given axes reads and writes on one device.
    fn moved_bytes(&self, node: &OpNode, work: &OpWork, factors: &FactorAxes) -> f64 {
        let program = self.graph.program;
        let (op, rule) = (&program.ops[node.op], &node.rule);
        let parts: f64 = factors.iter().map(|axes| shard_count(axes) as f64).product();
        let share = |ty: &Type, layout: &Layout| {
            local_shape(&ty.shape, Some(layout)).count() as f64 / (ty.shape.count() as f64).max(1.0)
        };
        (work.traffic.iter())
            .map(|&(side, bytes)| {
                let share = match side {
                    TrafficSource::Arg(i) => {
                        share(program.ty(op.args[i]), &operand_layout(rule, i, factors, &[], self.mesh))
                    }
                    TrafficSource::Out(i) => {
                        share(program.ty(op.outs[i]), &result_layout(rule, i, factors, &[], self.mesh))
                    }
                    TrafficSource::Unknown => 1.0 / parts,
                };
                bytes as f64 * share
            })
            .sum()
    }

    /// Returns the seconds of one execution of an op whose factors are sharded along the given axes.
    pub(crate) fn seconds(&mut self, node: &OpNode, factors: &FactorAxes) -> f64 {
        let Some(work) = self.graph.op_work.get(&node.op) else { return 0.0 };
        let rule = &node.rule;
        let parts: f64 = factors.iter().map(|axes| shard_count(axes) as f64).product();
        // The slowest device has the largest shard of each unevenly divided factor.
        let uneven: f64 = (rule.factors.iter().zip(factors))
            .map(|(factor, axes)| {
                let shards = shard_count(axes).max(1);
                factor.size.div_ceil(shards) as f64 * shards as f64 / factor.size.max(1) as f64
            })
            .product();
        let seconds = |work: &Arithmetic| work.large_seconds(self.kind, self.efficiencies);
        let computing = work.arithmetic.iter().map(seconds).sum::<f64>() * uneven / parts;
        let moving = self.moved_bytes(node, work, factors) / self.efficiencies.memory_rate(self.kind);
        f64::from(work.launches) * self.kind.kernels.launch
            + computing.max(moving)
            + self.inner_reduction_seconds(node, factors)
    }

    /// Returns a lower bound of the seconds of one execution of an op whose factors are sharded along the given axes.
    /// `work` is the work that [`least_work`] attributes to the op.
    pub(crate) fn least_seconds(&self, node: &OpNode, work: &OpWork, factors: &FactorAxes) -> f64 {
        let program = self.graph.program;
        let (op, rule) = (&program.ops[node.op], &node.rule);
        let local = |values: &[ValueId], layout: &dyn Fn(usize) -> Layout| -> Vec<Type> {
            let types = values.iter().enumerate().map(|(i, &value)| (program.ty(value), layout(i)));
            types.map(|(ty, layout)| Type::new(ty.dtype, local_shape(&ty.shape, Some(&layout)))).collect()
        };
        let parts: f64 = factors.iter().map(|axes| shard_count(axes) as f64).product();
        let computing = match work.arithmetic[..] {
            [whole @ Arithmetic { shape: ArithmeticShape::Product { .. } | ArithmeticShape::Attention(_), .. }] => {
                let args = local(&op.args, &|i| operand_layout(rule, i, factors, &[], self.mesh));
                let outs = local(&op.outs, &|i| result_layout(rule, i, factors, &[], self.mesh));
                let shard = Arithmetic::from_types(&op.kind, &args, &outs);
                shard.map_or(0.0, |shard| shard.as_shard_of(&whole).seconds(self.kind, self.efficiencies))
            }
            _ => {
                work.arithmetic.iter().map(|work| work.least_seconds(self.kind, self.efficiencies)).sum::<f64>() / parts
            }
        };
        let moving = self.moved_bytes(node, work, factors) / self.efficiencies.memory_rate(self.kind);
        f64::from(work.launches) * self.kind.kernels.launch + computing.max(moving)
    }

    /// Returns the work of each op for [`LayoutPricing::least_seconds`].
    pub(crate) fn least_work(&self) -> FxHashMap<OpId, OpWork> {
        let (kind, efficiencies) = (self.kind, self.efficiencies);
        let share = |launch: &Launch| {
            let computing: f64 = launch.arithmetic.iter().map(|work| work.seconds(kind, efficiencies)).sum();
            CountedWork::larger(computing, launch, efficiencies.memory_rate(kind))
        };
        let shards = self.axes.iter().map(|axis| u64::from(axis.size)).product();
        attributed_work(self.graph.program, &self.graph.groups, shards, &share)
    }

    /// Returns the seconds of the reductions within a composite op whose inner dimension is sharded: two numbers for
    /// each row, such as a maximum and a sum.
    fn inner_reduction_seconds(&mut self, node: &OpNode, factors: &FactorAxes) -> f64 {
        let program = self.graph.program;
        let mut seconds = 0.0;
        for (factor, axes) in node.rule.factors.iter().zip(factors) {
            if factor.kind != FactorKind::Inner || axes.is_empty() {
                continue;
            }
            let Some(&arg) = program.ops[node.op].args.first() else { continue };
            let row =
                local_shape(&program.ty(arg).shape, Some(&operand_layout(&node.rule, 0, factors, &[], self.mesh)));
            let rows = row.count() / factor.size.div_ceil(shard_count(axes)).max(1);
            let kind = OpKind::from(AllReduce { axes: axes.clone(), monoid: Monoid::Sum });
            seconds += 2.0 * self.collective(0, &kind, 4 * rows as u64, 4 * rows as u64);
        }
        seconds
    }

    /// Returns the seconds of a collective with the devices after the exchange of axes with the given number.
    fn collective(&mut self, exchange: usize, kind: &OpKind, operand_bytes: u64, result_bytes: u64) -> f64 {
        let collectives = &mut self.collectives[exchange];
        let seconds = collectives.achieved_seconds_for_bytes(kind, operand_bytes, result_bytes, self.efficiencies);
        seconds.unwrap_or(f64::INFINITY)
    }

    /// Returns the seconds of a collective with the devices after the best exchange of axes.
    pub(super) fn least_collective_seconds(&mut self, kind: &OpKind, operand_bytes: u64, result_bytes: u64) -> f64 {
        let exchanges = 0..self.collectives.len();
        let seconds = exchanges.map(|exchange| self.collective(exchange, kind, operand_bytes, result_bytes));
        seconds.fold(f64::INFINITY, f64::min)
    }

    /// Returns true if gathers start before earlier kernels have ended.
    pub(super) fn prefetches_gathers(&self) -> bool {
        self.efficiencies.prefetches_gathers
    }

    /// Returns the seconds to reshard a value from one layout to another, with the best exchange of axes.
    pub(super) fn reshard_seconds(&mut self, ty: &Type, from: LayoutId, to: LayoutId, bucketing: Bucketing) -> f64 {
        if from == to {
            return 0.0;
        }
        let key = (ty.clone(), from, to, bucketing);
        if let Some(&seconds) = self.reshard_seconds_cache.get(&key) {
            return seconds;
        }
        if !self.allowance.take() {
            return 0.0;
        }
        let (have, need) = (self.layout(from).clone(), self.layout(to).clone());
        let path = self.paths.find(&ty.shape, ty.dtype.bytes(), &have, &need);
        let bytes = |layout: &Layout| local_shape(&ty.shape, Some(layout)).count() as u64 * ty.dtype.bytes();
        let mut least = f64::INFINITY;
        for exchange in 0..self.collectives.len() {
            let (mut seconds, mut at) = (0.0, bytes(&have));
            for (kind, after) in &path.steps {
                let next = bytes(after);
                let is_shared = bucketing == Bucketing::Bucketed
                    && kind.collective().is_some_and(Collective::is_variadic)
                    && next < self.bucket;
                if is_shared {
                    let bucket = self.collective(exchange, kind, self.bucket, self.bucket);
                    seconds += bucket * next as f64 / self.bucket as f64;
                } else if kind.is_collective() {
                    seconds += self.collective(exchange, kind, at, next);
                }
                at = next;
            }
            least = least.min(seconds);
        }
        self.reshard_seconds_cache.insert(key, least);
        least
    }

    /// Returns the layouts that count as the same as a layout.
    pub(super) fn exchanged(&mut self, number: LayoutId) -> Rc<[LayoutId]> {
        if let Some(known) = self.exchanged.get(&number) {
            return known.clone();
        }
        let layouts = self.axes.exchanged(self.layout(number));
        let numbers: Rc<[LayoutId]> = layouts.into_iter().map(|layout| self.layout_id(layout)).collect();
        self.exchanged.insert(number, numbers.clone());
        numbers
    }

    /// Returns the least seconds to reshard a value, over all layouts that count as the same as `to`.
    pub(crate) fn least_reshard_seconds(
        &mut self,
        ty: &Type,
        (from, to): (LayoutId, LayoutId),
        bucketing: Bucketing,
    ) -> f64 {
        if self.axes.are_distinct() {
            return self.reshard_seconds(ty, from, to, bucketing);
        }
        let same = self.exchanged(to);
        let seconds = same.iter().map(|&to| self.reshard_seconds(ty, from, to, bucketing));
        seconds.fold(f64::INFINITY, f64::min)
    }

    /// Returns the table of resharding times for all strategies of the source group and of the target group.
    pub(crate) fn reshard_table(
        &mut self,
        ty: &Type,
        from: LayoutListId,
        to: LayoutListId,
        bucketing: Bucketing,
    ) -> Rc<[f64]> {
        let key = (ty.clone(), from, to, bucketing);
        if let Some(table) = self.tables.get(&key) {
            return table.clone();
        }
        let (from, to) = (self.layouts(from).clone(), self.layouts(to).clone());
        let mut table = Vec::with_capacity(from.len() * to.len());
        for &have in from.iter() {
            for &need in to.iter() {
                table.push(self.least_reshard_seconds(ty, (have, need), bucketing));
            }
        }
        let table: Rc<[f64]> = table.into();
        self.tables.insert(key, table.clone());
        table
    }
}

/// Part of the work of a launch that is attributed to its ops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CountedWork {
    /// Arithmetic, and all memory traffic.
    All,
    /// Arithmetic and memory traffic of the contraction, without the traffic of the ops fused into it.
    Contraction,
    /// Memory traffic.
    Traffic,
}

impl CountedWork {
    /// Returns the part of the work of a launch that takes longer: `computing` seconds of arithmetic, or its memory
    /// traffic with a bandwidth in bytes per second.
    pub(super) fn larger(computing: f64, launch: &Launch, bandwidth: f64) -> CountedWork {
        if computing >= launch.bytes() as f64 / bandwidth { CountedWork::Contraction } else { CountedWork::Traffic }
    }
}

/// Returns the work of each op, derived from the kernel launches of the program.
pub(crate) fn op_work(program: &Program, groups: &DecisionGroups) -> FxHashMap<OpId, OpWork> {
    attributed_work(program, groups, 1, &|_| CountedWork::All)
}

/// Attributes the part of the work of each launch that `counted` returns to the ops of the launch, for values in up to
/// `shards` shards. Unless all work is counted, a launch belongs to its main op: the contraction, or the first op.
pub(super) fn attributed_work(
    program: &Program,
    groups: &DecisionGroups,
    shards: u64,
    counted: &dyn Fn(&Launch) -> CountedWork,
) -> FxHashMap<OpId, OpWork> {
    let known: FxHashMap<OpId, usize> = groups.nodes.iter().enumerate().map(|(at, w)| (w.op, at)).collect();
    let mut work: FxHashMap<OpId, OpWork> = FxHashMap::default();
    for func in program.funcs_with_layouts() {
        let roots = view_roots(program, func);
        let root = |value: ValueId| roots.get(&value).copied().unwrap_or(value);
        for launch in Launches::of_shards(program, func, Fusion::Products, shards).all {
            if matches!(launch.kind, LaunchKind::Loop { .. } | LaunchKind::Collective(_)) {
                continue;
            }
            let Some(&first) = launch.ops.iter().find(|op| known.contains_key(op)) else { continue };
            let main = launch.ops.iter().copied().find(|&op| program.ops[op].kind.class().contracts()).unwrap_or(first);
            let counted = counted(&launch);
            let launched = if counted == CountedWork::All { first } else { main };
            work.entry(launched).or_default().launches += 1;
            if counted != CountedWork::Traffic {
                work.entry(main).or_default().arithmetic.extend(launch.arithmetic.iter().copied());
            }
            // Attributes the traffic to the op whose operand or result is the value or a view of the value. Otherwise
            // only the launch is known.
            let mut readers: FxHashMap<ValueId, (OpId, usize)> = FxHashMap::default();
            let mut writers: FxHashMap<ValueId, (OpId, usize)> = FxHashMap::default();
            for &op in &launch.ops {
                let Op { args, outs, .. } = &program.ops[op];
                for (i, &arg) in args.iter().enumerate() {
                    readers.entry(root(arg)).or_insert((op, i));
                }
                for (i, &out) in outs.iter().enumerate() {
                    writers.entry(out).or_insert((op, i));
                }
            }
            let read = |&(value, bytes): &(ValueId, u64)| {
                let reader = readers.get(&root(value)).map(|&(op, arg)| (op, TrafficSource::Arg(arg)));
                (reader, bytes)
            };
            let written = |&(value, bytes): &(ValueId, u64)| {
                let writer = writers.get(&value).map(|&(op, out)| (op, TrafficSource::Out(out)));
                (writer, bytes)
            };
            for (mover, bytes) in launch.reads.iter().map(read).chain(launch.writes.iter().map(written)) {
                let (op, side) = mover.unwrap_or((main, TrafficSource::Unknown));
                if counted != CountedWork::Contraction || op == main {
                    work.entry(op).or_default().traffic.push((side, bytes));
                }
            }
        }
    }
    work
}

/// Returns the root of each value that is a reshaped, transposed or broadcast view.
///
/// Recogniser: the bytes of a view that is not recognised are attributed to the launch that reads it.
fn view_roots(program: &Program, func: FuncId) -> FxHashMap<ValueId, ValueId> {
    let mut roots: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
        if matches!(op.kind, OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Broadcast(_)) {
            let root = roots.get(&op.args[0]).copied().unwrap_or(op.args[0]);
            roots.insert(op.outs[0], root);
        }
    }
    roots
}
