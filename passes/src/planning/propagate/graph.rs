//! Propagation graph: dimensions of values, and the factors of each op that relate them. Rules are built once; the
//! graph consists of a few flat vectors.

use crate::planning::ties::{TiedValues, each_tie};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::program::Program;
use partita_ir::rule::{DimMap, FactorId, FactorKind, Flow, Rule};
use smallvec::SmallVec;
use std::ops::Range;

/// Stages of propagation, in order. Earlier stages are more certain to be beneficial.
pub mod stage {
    /// Ops all of whose factors pass through, between values with a single reader.
    pub const SINGLE_USE: u8 = 0;
    /// Ops all of whose factors pass through.
    pub const PASS_OPS: u8 = 1;
    /// Pass-through factors of any op.
    pub const PASS_FACTORS: u8 = 2;
    /// Reduced factors, and inner factors of composites.
    pub const REDUCED: u8 = 3;
    /// Propagation from a small operand to the result that it is broadcast to.
    pub const BROADCAST: u8 = 4;
    /// Windows and indexed dimensions, which need halos and masks when sharded.
    pub const COSTLY: u8 = 5;
    /// Number of stages.
    pub const COUNT: u8 = 6;
}

/// Index of a dimension in [`PropagationGraph::dims`].
pub type DimIndex = u32;

/// A dimension of a value.
pub struct Dim {
    /// The value.
    pub value: ValueId,
    /// Number of elements.
    pub size: usize,
}

/// An occurrence of an op's factor: a dimension of an operand or result, or one of several factors of a dimension.
#[derive(Clone, Copy)]
pub struct FactorOccurrence {
    /// The dimension.
    pub dim: DimIndex,
    /// Sizes of the dimension's factors, as start and length in [`PropagationGraph::sizes`]. Most dimensions have one
    /// factor.
    pub sizes: (u32, u8),
    /// Index of the factor among the dimension's factors, major to minor.
    pub at: u8,
    /// Index of the operand or result, with results numbered after operands.
    pub tensor: u16,
    /// True for a result.
    pub result: bool,
    /// True if the factor may be sharded unevenly although minor factors follow, since `pad-reshapes` handles it.
    pub paddable: bool,
}

/// A factor of an op.
pub struct Factor {
    /// Occurrences of the factor, as a range of [`PropagationGraph::occurrences`]; operands first.
    pub occurrences: Range<u32>,
    /// Stage in which the factor propagates from results to operands.
    pub stage: u8,
    /// Stage in which the factor propagates from operands to results; later than `stage` if an operand is broadcast.
    pub forward: u8,
    /// Direction in which axes pass through the op.
    pub flow: Flow,
    /// Index of the factor in the op's rule.
    pub id: FactorId,
}

/// A relation between dimensions, by the rule of an op or by one carried value of a loop.
pub struct Tie {
    /// The op.
    pub op: OpId,
    /// Factors, as a range of [`PropagationGraph::factors`].
    pub factors: Range<u32>,
}

/// The program as a graph of dimensions and factors.
#[derive(Default)]
pub struct PropagationGraph {
    /// Dimensions of all values, value by value.
    pub dims: Vec<Dim>,
    /// For each value, the index of its first dimension, and finally their number.
    pub first_dim: Vec<DimIndex>,
    /// Relations that can propagate axes.
    pub ties: Vec<Tie>,
    /// Factors, tie by tie.
    pub factors: Vec<Factor>,
    /// Occurrences, factor by factor.
    pub occurrences: Vec<FactorOccurrence>,
    /// Sizes of the factors of dimensions.
    pub sizes: Vec<usize>,
    /// For each value, the start of its ties in `neighbours`.
    first_neighbour: Vec<u32>,
    neighbours: Vec<u32>,
}

impl PropagationGraph {
    /// Returns the graph of all functions that have layouts.
    pub fn new(program: &Program) -> PropagationGraph {
        let mut graph = PropagationGraph::default();
        graph.first_dim.reserve(program.values.len() + 1);
        graph.dims.reserve(2 * program.values.len());
        for (value, v) in program.values.iter() {
            graph.first_dim.push(graph.dims.len() as u32);
            graph.dims.extend(v.ty.shape.iter().map(|&size| Dim { value, size }));
        }
        graph.first_dim.push(graph.dims.len() as u32);
        let funcs = program.funcs_with_layouts();
        let uses = count_uses(program, &funcs);
        graph.ties.reserve(program.ops.len());
        graph.occurrences.reserve(4 * program.ops.len());
        each_tie(program, &funcs, |tied| {
            let op = &program.ops[tied.op];
            // A value that is to be sharded like another one is so before others take axes from either.
            let is_reference = op.kind.class().states_layout() && op.args.len() > 1;
            let single = is_reference || !tied.carried && tied.values.iter().all(|v| uses[v.index()] <= 1);
            graph.add_tie(&tied, single);
        });
        graph.find_neighbours();
        graph
    }

    fn add_tie(&mut self, tied: &TiedValues<'_>, single_use: bool) {
        let rule = tied.rule;
        if rule.flow == Flow::Blocked {
            return;
        }
        let mut rule_occurrences = RuleOccurrences::default();
        let begins = |map: &DimMap, factor| map.iter().any(|dim| dim.first() == Some(&factor));
        let paddable = |factor| rule.moves && rule.maps().all(|map| begins(map, factor));
        rule_occurrences.collect(self, tied, paddable);
        let passes = rule_occurrences.only_passes_through(rule);
        let broadcasts = rule_occurrences.broadcasts(rule);
        let first = self.factors.len() as u32;
        for (factor, f) in rule.factors.iter().enumerate() {
            let stage = match f.kind {
                FactorKind::NeedReplication => continue,
                FactorKind::PassThrough if passes && single_use => stage::SINGLE_USE,
                FactorKind::PassThrough if passes => stage::PASS_OPS,
                FactorKind::PassThrough => stage::PASS_FACTORS,
                FactorKind::Reduce(_) | FactorKind::Inner => stage::REDUCED,
                FactorKind::Window(_) | FactorKind::Indexed | FactorKind::Exchanged { .. } => stage::COSTLY,
            };
            let start = self.occurrences.len() as u32;
            let of_factor = rule_occurrences.occurrences.iter().filter(|(id, _)| id.0 as usize == factor);
            self.occurrences.extend(of_factor.map(|(_, occurrence)| *occurrence));
            if self.occurrences.len() as u32 - start < 2 {
                self.occurrences.truncate(start as usize);
                continue;
            }
            let forward = if broadcasts { stage.max(stage::BROADCAST) } else { stage };
            let id = FactorId(factor as u32);
            let occurrences = start..self.occurrences.len() as u32;
            self.factors.push(Factor { occurrences, stage, forward, flow: rule.flow, id });
        }
        let end = self.factors.len() as u32;
        if end > first {
            self.ties.push(Tie { op: tied.op, factors: first..end });
        }
    }

    fn find_neighbours(&mut self) {
        let values = self.first_dim.len() - 1;
        let mut starts = vec![0u32; values + 1];
        let mut touched = vec![u32::MAX; values];
        self.for_each_tied_value(&mut touched, |_, value| starts[value.index() + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts.last().map_or(0, |&n| n as usize)];
        touched.fill(u32::MAX);
        self.for_each_tied_value(&mut touched, |tie, value| {
            let slot = &mut next[value.index()];
            neighbours[*slot as usize] = tie;
            *slot += 1;
        });
        (self.first_neighbour, self.neighbours) = (starts, neighbours);
    }

    /// Calls `visit` once for each pair of a tie and one of its values. `touched` is scratch space: the last tie of
    /// each value.
    fn for_each_tied_value(&self, touched: &mut [u32], mut visit: impl FnMut(u32, ValueId)) {
        for (tie, t) in (0..).zip(&self.ties) {
            for occurrence in &self.occurrences[self.tie_occurrences(t)] {
                let value = self.dims[occurrence.dim as usize].value;
                if std::mem::replace(&mut touched[value.index()], tie) != tie {
                    visit(tie, value);
                }
            }
        }
    }

    /// Returns all occurrences of the factors of a tie, factor by factor.
    pub fn tie_occurrences(&self, tie: &Tie) -> Range<usize> {
        let (first, last) = (&self.factors[tie.factors.start as usize], &self.factors[tie.factors.end as usize - 1]);
        first.occurrences.start as usize..last.occurrences.end as usize
    }

    /// Returns the ties of a value.
    pub fn neighbours(&self, value: ValueId) -> &[u32] {
        let (start, end) = (self.first_neighbour[value.index()], self.first_neighbour[value.index() + 1]);
        &self.neighbours[start as usize..end as usize]
    }

    /// Returns the dimensions of a value.
    pub fn dims_of(&self, value: ValueId) -> Range<usize> {
        self.first_dim[value.index()] as usize..self.first_dim[value.index() + 1] as usize
    }
}

/// Returns the number of readers of each value.
fn count_uses(program: &Program, funcs: &[FuncId]) -> Vec<u32> {
    let mut uses = vec![0u32; program.values.len()];
    for &func in funcs {
        let func = &program.funcs[func];
        func.outputs.iter().for_each(|o| uses[o.value.index()] += 1);
        for &op in func.ops() {
            program.ops[op].args.iter().for_each(|v| uses[v.index()] += 1);
        }
    }
    uses
}

/// Occurrences of the factors of one rule.
#[derive(Default)]
struct RuleOccurrences {
    occurrences: SmallVec<[(FactorId, FactorOccurrence); 16]>,
    /// For each factor, the numbers of operands and results that have it.
    seen: SmallVec<[(u16, u16); 8]>,
    /// Numbers of operands and results that have any factor.
    tensors: (u16, u16),
}

impl RuleOccurrences {
    fn collect(&mut self, graph: &mut PropagationGraph, tied: &TiedValues<'_>, paddable: impl Fn(FactorId) -> bool) {
        let rule = tied.rule;
        self.seen.resize(rule.factors.len(), (0, 0));
        for (tensor, (map, &value)) in rule.maps().zip(tied.values).enumerate() {
            let result = tensor >= rule.args.len();
            let mut any = false;
            for (dim, factors) in (graph.first_dim[value.index()]..).zip(map) {
                let mut sizes = (0, 1);
                if factors.len() > 1 {
                    sizes = (graph.sizes.len() as u32, factors.len() as u8);
                    graph.sizes.extend(rule.sizes(factors));
                }
                for (at, &factor) in (0u8..).zip(factors) {
                    any = true;
                    let paddable = paddable(factor);
                    let seen = &mut self.seen[factor.0 as usize];
                    if result {
                        seen.1 += 1
                    } else {
                        seen.0 += 1
                    }
                    self.occurrences
                        .push((factor, FactorOccurrence { dim, sizes, at, tensor: tensor as u16, result, paddable }));
                }
            }
            if result { self.tensors.1 += u16::from(any) } else { self.tensors.0 += u16::from(any) }
        }
    }

    /// Returns true if the op only passes dimensions through: every factor can be sharded, and is in every operand and
    /// result with dimensions.
    fn only_passes_through(&self, rule: &Rule) -> bool {
        rule.factors.iter().zip(&self.seen).all(|(f, seen)| match f.kind {
            FactorKind::PassThrough => *seen == self.tensors,
            FactorKind::NeedReplication
            | FactorKind::Exchanged { .. }
            | FactorKind::Reduce(_)
            | FactorKind::Inner
            | FactorKind::Window(_)
            | FactorKind::Indexed => false,
        })
    }

    /// Returns true if the results have a pass-through factor that no operand has: an operand is broadcast along it.
    fn broadcasts(&self, rule: &Rule) -> bool {
        rule.factors
            .iter()
            .zip(&self.seen)
            .any(|(f, seen)| f.kind == FactorKind::PassThrough && seen.0 == 0 && seen.1 > 0)
    }
}
