//! What strategies cost on a machine: kernels by what bounds them, as [`cost`](partita_cost::roofline) says, and
//! layouts that differ by the collectives that lead from one to the other.

use super::decision_groups::{DecisionGroups, OpNode};
use super::search_graph::SearchGraph;
use super::strategies::{made, needed};
use indexmap::IndexSet;
use partita_cost::constants::CostConstants;
use partita_cost::placement::Collectives;
use partita_cost::roofline::Efficiencies;
use partita_cost::roofline::kernels::{Launches, What};
use partita_ir::arena::{FuncId, MeshId, OpId, ValueId};
use partita_ir::class::Collective;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{Layout, Monoid, local_shape};
use partita_ir::mesh::ways;
use partita_ir::op::OpKind;
use partita_ir::ops::AllReduce;
use partita_ir::program::{Op, Program};
use partita_ir::rule::{FactorAxes, FactorKind};
use partita_ir::units::read_bytes;
use partita_machine::Kind;
use partita_passes::partitioning::path::Paths;
use partita_passes::planning::presets::BUCKET;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::rc::Rc;

/// A layout, by number.
pub(crate) type LayoutId = u32;

/// How something lies under each strategy of its group, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Column(u32);

/// What an op moves that does not stay in registers.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Side {
    Arg(usize),
    Out(usize),
    /// A part of what it goes over.
    Some,
}

/// What an op has to do on one device that computes all of it.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Task {
    /// Arithmetic of products.
    flops: SmallVec<[(DType, u64); 1]>,
    /// What it reads and writes, in bytes.
    moves: SmallVec<[(Side, u64); 3]>,
    /// Kernels that it begins.
    launches: u32,
}

/// Seconds of everything.
pub(crate) struct Pricing<'a> {
    graph: &'a SearchGraph<'a>,
    pub(crate) mesh: MeshId,
    kind: &'a Kind,
    efficiencies: &'a Efficiencies,
    collectives: Collectives<'a>,
    paths: Paths,
    /// Bytes of a bucket of gradients.
    bucket: u64,
    layouts: Vec<Layout>,
    numbers: FxHashMap<Layout, LayoutId>,
    columns: IndexSet<Rc<[LayoutId]>, FxBuildHasher>,
    between: FxHashMap<(Type, LayoutId, LayoutId, Together), f64>,
    tables: FxHashMap<(Type, Column, Column, Together), Rc<[f64]>>,
}

/// Whether a reduction is one of many that are done together: it takes its share of a large one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Together {
    /// It is done for itself.
    Alone,
    /// It is done with others, as those of gradients are in buckets.
    Bucket,
}

impl<'a> Pricing<'a> {
    pub(crate) fn new(
        graph: &'a SearchGraph<'a>,
        mesh: MeshId,
        (kind, efficiencies): (&'a Kind, &'a Efficiencies),
        (collectives, paths): (Collectives<'a>, Paths),
    ) -> Pricing<'a> {
        Pricing {
            graph,
            mesh,
            kind,
            efficiencies,
            collectives,
            paths,
            bucket: read_bytes(BUCKET).unwrap_or(0),
            layouts: Vec::new(),
            numbers: FxHashMap::default(),
            columns: IndexSet::default(),
            between: FxHashMap::default(),
            tables: FxHashMap::default(),
        }
    }

    /// What is known of paths, of which it knows nothing any more.
    pub(crate) fn take_paths(&mut self) -> Paths {
        std::mem::replace(&mut self.paths, Paths::new(self.mesh))
    }

    /// The number of a layout.
    pub(crate) fn number(&mut self, layout: Layout) -> LayoutId {
        if let Some(&number) = self.numbers.get(&layout) {
            return number;
        }
        let number = self.layouts.len() as LayoutId;
        self.layouts.push(layout.clone());
        self.numbers.insert(layout, number);
        number
    }

    /// The layout of a number.
    pub(crate) fn layout(&self, number: LayoutId) -> &Layout {
        &self.layouts[number as usize]
    }

    /// The number of a column.
    pub(crate) fn column(&mut self, layouts: Vec<LayoutId>) -> Column {
        Column(self.columns.insert_full(layouts.into()).0 as u32)
    }

    /// The column of a number.
    pub(crate) fn layouts(&self, column: Column) -> &Rc<[LayoutId]> {
        &self.columns[column.0 as usize]
    }

    /// The same as a column with nothing pending.
    pub(crate) fn summed(&mut self, column: Column) -> Column {
        let layouts = self.layouts(column).clone();
        let summed = |&number: &LayoutId| Layout { pending: SmallVec::new(), ..self.layout(number).clone() };
        let summed: Vec<Layout> = layouts.iter().map(summed).collect();
        let numbers = summed.into_iter().map(|layout| self.number(layout)).collect();
        self.column(numbers)
    }

    /// Bytes of a value on one device.
    pub(crate) fn bytes(&self, ty: &Type, number: LayoutId) -> u64 {
        let count = local_shape(&ty.shape, Some(self.layout(number))).count() as u64;
        count.saturating_mul(ty.dtype.bytes())
    }

    /// Seconds of an op whose factors are split that way, once.
    pub(crate) fn seconds(&mut self, node: &OpNode, factors: &FactorAxes) -> f64 {
        let SearchGraph { program, tasks, .. } = self.graph;
        let Some(task) = tasks.get(&node.op) else { return 0.0 };
        let op = &program.ops[node.op];
        let rule = &node.rule;
        let parts: f64 = factors.iter().map(|axes| ways(axes) as f64).product();
        let share = |ty: &Type, layout: &Layout| {
            local_shape(&ty.shape, Some(layout)).count() as f64 / (ty.shape.count() as f64).max(1.0)
        };
        let bytes: f64 = (task.moves.iter())
            .map(|&(side, bytes)| {
                let share = match side {
                    Side::Arg(i) => share(program.ty(op.args[i]), &needed(rule, i, factors, &[], self.mesh)),
                    Side::Out(i) => share(program.ty(op.outs[i]), &made(rule, i, factors, &[], self.mesh)),
                    Side::Some => 1.0 / parts,
                };
                bytes as f64 * share
            })
            .sum();
        // The slowest device has what is left over of each factor, too.
        let uneven: f64 = (rule.factors.iter().zip(factors))
            .map(|(factor, axes)| {
                let shards = ways(axes).max(1);
                factor.size.div_ceil(shards) as f64 * shards as f64 / factor.size.max(1) as f64
            })
            .product();
        let flops: f64 = task.flops.iter().map(|&(dtype, flops)| flops as f64 / self.kind.rate(dtype)).sum();
        let computing = flops * uneven / parts / self.efficiencies.matmul;
        let moving = bytes / self.kind.bandwidth / self.efficiencies.memory;
        f64::from(task.launches) * CostConstants::TUNED.launch_seconds
            + computing.max(moving)
            + self.inside(node, factors)
    }

    /// What a composite that is split inside has to agree on: two numbers for each row, as a maximum and a sum.
    fn inside(&mut self, node: &OpNode, factors: &FactorAxes) -> f64 {
        let program = self.graph.program;
        let mut seconds = 0.0;
        for (factor, axes) in node.rule.factors.iter().zip(factors) {
            if factor.kind != FactorKind::Inner || axes.is_empty() {
                continue;
            }
            let Some(&arg) = program.ops[node.op].args.first() else { continue };
            let row = local_shape(&program.ty(arg).shape, Some(&needed(&node.rule, 0, factors, &[], self.mesh)));
            let rows = row.count() / factor.size.div_ceil(ways(axes)).max(1);
            let kind = OpKind::from(AllReduce { axes: axes.clone(), monoid: Monoid::Sum });
            seconds += 2.0 * self.collective(&kind, 4 * rows as u64, 4 * rows as u64);
        }
        seconds
    }

    fn collective(&mut self, kind: &OpKind, taken: u64, given: u64) -> f64 {
        let choice = self.collectives.cheapest_of(kind, taken, given);
        choice.map_or(f64::INFINITY, |choice| choice.seconds / self.efficiencies.link)
    }

    /// Seconds from one layout of a value to another one.
    fn reshard(&mut self, ty: &Type, from: LayoutId, to: LayoutId, together: Together) -> f64 {
        if from == to {
            return 0.0;
        }
        let key = (ty.clone(), from, to, together);
        if let Some(&seconds) = self.between.get(&key) {
            return seconds;
        }
        let (have, need) = (self.layout(from).clone(), self.layout(to).clone());
        let path = self.paths.find(&ty.shape, ty.dtype.bytes(), &have, &need);
        let bytes = |layout: &Layout| local_shape(&ty.shape, Some(layout)).count() as u64 * ty.dtype.bytes();
        let (mut seconds, mut at) = (0.0, bytes(&have));
        for (kind, after) in &path.moves {
            let next = bytes(after);
            let is_shared = together == Together::Bucket
                && kind.collective().is_some_and(Collective::takes_several)
                && next < self.bucket;
            if is_shared {
                seconds += self.collective(kind, self.bucket, self.bucket) * next as f64 / self.bucket as f64;
            } else if kind.is_collective() {
                seconds += self.collective(kind, at, next);
            }
            at = next;
        }
        self.between.insert(key, seconds);
        seconds
    }

    /// The same for all strategies of the group where it is, and of the one where it goes.
    pub(crate) fn table(&mut self, ty: &Type, from: Column, to: Column, together: Together) -> Rc<[f64]> {
        let key = (ty.clone(), from, to, together);
        if let Some(table) = self.tables.get(&key) {
            return table.clone();
        }
        let (from, to) = (self.layouts(from).clone(), self.layouts(to).clone());
        let mut table = Vec::with_capacity(from.len() * to.len());
        for &have in from.iter() {
            for &need in to.iter() {
                table.push(self.reshard(ty, have, need, together));
            }
        }
        let table: Rc<[f64]> = table.into();
        self.tables.insert(key, table.clone());
        table
    }
}

/// By op, its share of what is launched.
pub(crate) fn tasks(program: &Program, groups: &DecisionGroups) -> FxHashMap<OpId, Task> {
    let known: FxHashMap<OpId, usize> = groups.nodes.iter().enumerate().map(|(at, w)| (w.op, at)).collect();
    let mut tasks: FxHashMap<OpId, Task> = FxHashMap::default();
    for func in program.laid_out_funcs() {
        let roots = roots(program, func);
        let root = |value: ValueId| roots.get(&value).copied().unwrap_or(value);
        for launch in Launches::of(program, func).all {
            if matches!(launch.what, What::Loop { .. } | What::Collective(_)) {
                continue;
            }
            let Some(&first) = launch.ops.iter().find(|op| known.contains_key(op)) else { continue };
            tasks.entry(first).or_default().launches += 1;
            let main = launch.ops.iter().copied().find(|&op| program.ops[op].kind.class().contracts()).unwrap_or(first);
            tasks.entry(main).or_default().flops.extend(launch.flops.iter().copied());
            // Whose operand or result it is, or a view of that; of others only the launch is known.
            let mut moves = |bytes: u64, side: &dyn Fn(&Op) -> Option<Side>| {
                let mover = launch.ops.iter().find_map(|&op| Some((op, side(&program.ops[op])?)));
                let (op, side) = mover.unwrap_or((main, Side::Some));
                tasks.entry(op).or_default().moves.push((side, bytes));
            };
            for &(value, bytes) in &launch.reads {
                moves(bytes, &|op| op.args.iter().position(|&arg| root(arg) == root(value)).map(Side::Arg));
            }
            for &(value, bytes) in &launch.writes {
                moves(bytes, &|op| op.outs.iter().position(|&out| out == value).map(Side::Out));
            }
        }
    }
    tasks
}

/// By value that only shows another one in another shape or order, that one.
///
/// Recogniser: of a value that is not found the launch that reads it is known, which pays for its bytes.
fn roots(program: &Program, func: FuncId) -> FxHashMap<ValueId, ValueId> {
    let mut roots: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
        if matches!(op.kind, OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Broadcast(_)) {
            let root = roots.get(&op.args[0]).copied().unwrap_or(op.args[0]);
            roots.insert(op.outs[0], root);
        }
    }
    roots
}
