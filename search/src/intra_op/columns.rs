//! What each op does and how its operands and results lie, under every strategy of its group. Equal ops of equal layers
//! are worked out once.

use super::decision_groups::OpNode;
use super::pricing::{Column, Pricing};
use super::search_graph::SearchGraph;
use super::strategies::{Does, Strategy, factor_axes, made, needed, parts, strategies};
use partita_ir::dtype::Type;
use partita_ir::mesh::AxisRef;
use partita_ir::program::Phase;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What an op is under each strategy.
#[derive(Clone)]
pub(crate) struct Columns {
    /// How its operands have to lie.
    pub(crate) needed: SmallVec<[Column; 3]>,
    /// How its results lie.
    pub(crate) made: SmallVec<[Column; 1]>,
    /// Seconds, of one run.
    pub(crate) seconds: Vec<f64>,
}

/// All of them.
pub(crate) struct LaidOut {
    /// By node.
    pub(crate) columns: Vec<Columns>,
    /// By group and strategy, the seconds of all its ops.
    pub(crate) seconds: Vec<Vec<f64>>,
    /// The same of the backward part.
    pub(crate) backward: Vec<Vec<f64>>,
    /// By parameter storage, its layout under each strategy of its group.
    pub(crate) kept: Vec<Column>,
}

/// What a strategy is of a group, by place of its dimensions.
type Places = Vec<SmallVec<[Option<u8>; 4]>>;

/// What ops have to have in common to be worked out together, but for rules and tasks, which are compared.
type Alike = (&'static str, SmallVec<[Type; 4]>, SmallVec<[Option<u8>; 6]>, usize);

impl LaidOut {
    /// What all ops do on a mesh with these axes.
    pub(crate) fn of(graph: &SearchGraph<'_>, axes: &[AxisRef], pricing: &mut Pricing<'_>) -> LaidOut {
        let (program, groups) = (graph.program, &graph.groups);
        let all: Vec<Vec<Strategy>> = groups.all.iter().map(|group| strategies(group, &graph.model, axes)).collect();
        let mut seconds: Vec<Vec<f64>> = all.iter().map(|all| vec![0.0; all.len()]).collect();
        let mut backward = seconds.clone();
        let mut kinds: FxHashMap<Places, usize> = FxHashMap::default();
        let kind_of: Vec<usize> = (groups.all.iter().zip(&all))
            .map(|(group, all)| {
                let place = |does: &Does| match does {
                    Does::Nothing => None,
                    Does::Splits(stem) => group.stems.iter().position(|s| s == stem).map(|at| at as u8),
                    Does::Sums => Some(u8::MAX),
                };
                let places = all.iter().map(|one| one.iter().map(place).collect()).collect();
                let next = kinds.len();
                *kinds.entry(places).or_insert(next)
            })
            .collect();
        let mut known: FxHashMap<Alike, Vec<usize>> = FxHashMap::default();
        let mut columns: Vec<Columns> = Vec::with_capacity(groups.nodes.len());
        for (number, node) in groups.nodes.iter().enumerate() {
            let op = &program.ops[node.op];
            let stems = &groups.all[node.group].stems;
            let place = |stem| stems.iter().position(|&s| s == stem).map(|at| at as u8);
            let types = op.args.iter().chain(&op.outs).map(|&value| program.ty(value).clone()).collect();
            let places = node.stems.iter().map(|stem| stem.and_then(place)).collect();
            let alike = known.entry((op.kind.name(), types, places, kind_of[node.group])).or_default();
            let is_same = |&&other: &&usize| {
                let other = &groups.nodes[other];
                other.rule == node.rule && graph.tasks.get(&other.op) == graph.tasks.get(&node.op)
            };
            let one = match alike.iter().find(is_same) {
                Some(&other) => columns[other].clone(),
                None => {
                    alike.push(number);
                    Columns::of(graph, node, &all[node.group], axes, pricing)
                }
            };
            let add = |sums: &mut [f64]| {
                sums.iter_mut().zip(&one.seconds).for_each(|(sum, once)| *sum += node.times as f64 * once);
            };
            add(&mut seconds[node.group]);
            if matches!(op.phase, Phase::BackwardInput | Phase::BackwardWeight) {
                add(&mut backward[node.group]);
            }
            columns.push(one);
        }
        let mut kept = Vec::with_capacity(groups.storages.len());
        for storage in &groups.storages {
            let mesh = pricing.mesh;
            let layouts = all[storage.group].iter().map(|strategy| storage.layout(strategy, axes, mesh));
            let numbers = layouts.map(|layout| pricing.number(layout)).collect();
            kept.push(pricing.column(numbers));
        }
        LaidOut { columns, seconds, backward, kept }
    }
}

impl Columns {
    fn of(
        graph: &SearchGraph<'_>,
        node: &OpNode,
        strategies: &[Strategy],
        axes: &[AxisRef],
        pricing: &mut Pricing<'_>,
    ) -> Columns {
        let op = &graph.program.ops[node.op];
        let inner = !op.kind.class().contracts();
        let mut args = vec![Vec::new(); op.args.len()];
        let mut outs = vec![Vec::new(); op.outs.len()];
        let mut seconds = Vec::with_capacity(strategies.len());
        for strategy in strategies {
            let (factors, parts) = (factor_axes(node, strategy, axes, inner), parts(strategy, axes));
            seconds.push(pricing.seconds(node, &factors));
            for (i, arg) in args.iter_mut().enumerate() {
                arg.push(pricing.number(needed(&node.rule, i, &factors, &parts, pricing.mesh)));
            }
            for (i, out) in outs.iter_mut().enumerate() {
                out.push(pricing.number(made(&node.rule, i, &factors, &parts, pricing.mesh)));
            }
        }
        let mut column = |layouts: Vec<_>| pricing.column(layouts);
        let needed = args.into_iter().map(&mut column).collect();
        Columns { needed, made: outs.into_iter().map(column).collect(), seconds }
    }
}
