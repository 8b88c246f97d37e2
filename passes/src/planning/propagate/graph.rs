//! The program as propagation sees it: dimensions of values, and for every op which of them its factors tie together.
//! Rules are asked for once; everything lies in a few flat vectors.

use crate::planning::ties::{Tied, each_tie};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::program::Program;
use partita_ir::rule::{DimMap, FactorId, FactorKind, Rule};
use smallvec::SmallVec;
use std::ops::Range;

/// When a factor may be propagated, in rounds that follow one another: the earlier, the surer that it is wanted.
pub mod stage {
    /// Ops that only pass dimensions on, between values that nobody else reads.
    pub const SINGLE_USE: u8 = 0;
    /// Ops that only pass dimensions on.
    pub const PASS_OPS: u8 = 1;
    /// Factors that pass through any op.
    pub const PASS_FACTORS: u8 = 2;
    /// Factors that are reduced, and those inside of composites.
    pub const REDUCED: u8 = 3;
    /// From a small operand to the result that it is broadcast to.
    pub const BROADCAST: u8 = 4;
    /// Windows and indexed dimensions, which cost halos and masks when they are split.
    pub const COSTLY: u8 = 5;
    /// How many there are.
    pub const COUNT: u8 = 6;
}

/// A dimension of a value, by position in [`Graph::dims`].
pub type DimIndex = u32;

/// A dimension of a value.
pub struct Dim {
    /// The value.
    pub value: ValueId,
    /// Its size.
    pub size: usize,
}

/// A place where an op's factor occurs: a dimension of an operand or result, or a factor of one.
#[derive(Clone, Copy)]
pub struct Part {
    /// The dimension.
    pub dim: DimIndex,
    /// The sizes of the dimension's factors, as a range of [`Graph::sizes`]; one of them for most dimensions.
    pub sizes: (u32, u8),
    /// Which of those factors this is.
    pub at: u8,
    /// Which operand or result it belongs to, results counted behind operands.
    pub tensor: u16,
    /// Whether that is a result.
    pub result: bool,
    /// Whether it may be split unevenly although others are behind it: `pad-reshapes` mends that.
    pub paddable: bool,
}

/// A factor of an op.
pub struct Factor {
    /// Where it occurs, as a range of [`Graph::parts`]; operands first.
    pub parts: Range<u32>,
    /// When it may be propagated.
    pub stage: u8,
    /// When it may be propagated from operands to results; later than `stage` where an operand is broadcast.
    pub forward: u8,
    /// Its number in the op's rule.
    pub id: FactorId,
}

/// What ties dimensions together: an op, or one carried value of a loop.
pub struct Tie {
    /// The op.
    pub op: OpId,
    /// Its factors, as a range of [`Graph::factors`].
    pub factors: Range<u32>,
}

/// The program as propagation sees it.
#[derive(Default)]
pub struct Graph {
    /// Dimensions of all values, value by value.
    pub dims: Vec<Dim>,
    /// Where each value's dimensions begin; one more entry than values.
    pub first_dim: Vec<DimIndex>,
    /// Ops that can propagate anything.
    pub ties: Vec<Tie>,
    /// Their factors, op by op.
    pub factors: Vec<Factor>,
    /// Where these occur, factor by factor.
    pub parts: Vec<Part>,
    /// Sizes of the factors of dimensions.
    pub sizes: Vec<usize>,
    /// For each value the ties that touch it, as ranges of `neighbours`.
    first_neighbour: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// The graph of all functions that have layouts.
    pub fn new(program: &Program) -> Graph {
        let mut graph = Graph::default();
        graph.first_dim.reserve(program.values.len() + 1);
        graph.dims.reserve(2 * program.values.len());
        for (value, v) in program.values.iter() {
            graph.first_dim.push(graph.dims.len() as u32);
            graph.dims.extend(v.ty.shape.iter().map(|&size| Dim { value, size }));
        }
        graph.first_dim.push(graph.dims.len() as u32);
        let funcs = program.laid_out_funcs();
        let uses = count_uses(program, &funcs);
        graph.ties.reserve(program.ops.len());
        graph.parts.reserve(4 * program.ops.len());
        each_tie(program, &funcs, |tied| {
            let single = !tied.carried && tied.values.iter().all(|v| uses[v.index()] <= 1);
            graph.add_tie(&tied, single);
        });
        graph.find_neighbours();
        graph
    }

    fn add_tie(&mut self, tied: &Tied<'_>, single_use: bool) {
        let rule = tied.rule;
        let mut places = Places::default();
        let begins = |map: &DimMap, factor| map.iter().any(|dim| dim.first() == Some(&factor));
        let paddable = |factor| rule.moves && rule.maps().all(|map| begins(map, factor));
        places.collect(self, tied, paddable);
        let passes = places.pass_everywhere(rule);
        let broadcasts = places.broadcast(rule);
        let first = self.factors.len() as u32;
        for (factor, f) in rule.factors.iter().enumerate() {
            let stage = match f.kind {
                FactorKind::Whole => continue,
                FactorKind::Pass if passes && single_use => stage::SINGLE_USE,
                FactorKind::Pass if passes => stage::PASS_OPS,
                FactorKind::Pass => stage::PASS_FACTORS,
                FactorKind::Reduce(_) | FactorKind::Inner => stage::REDUCED,
                FactorKind::Window(_) | FactorKind::Indexed => stage::COSTLY,
            };
            let start = self.parts.len() as u32;
            let of_factor = places.parts.iter().filter(|(id, _)| id.0 as usize == factor);
            self.parts.extend(of_factor.map(|(_, part)| *part));
            if self.parts.len() as u32 - start < 2 {
                self.parts.truncate(start as usize);
                continue;
            }
            let forward = if broadcasts { stage.max(stage::BROADCAST) } else { stage };
            let id = FactorId(factor as u32);
            self.factors.push(Factor { parts: start..self.parts.len() as u32, stage, forward, id });
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
        self.each_touch(&mut touched, |_, value| starts[value.index() + 1] += 1);
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut neighbours = vec![0; starts.last().map_or(0, |&n| n as usize)];
        touched.fill(u32::MAX);
        self.each_touch(&mut touched, |tie, value| {
            let slot = &mut next[value.index()];
            neighbours[*slot as usize] = tie;
            *slot += 1;
        });
        (self.first_neighbour, self.neighbours) = (starts, neighbours);
    }

    /// Calls `visit` once for every tie and value that it touches. `touched` has the last tie of each value.
    fn each_touch(&self, touched: &mut [u32], mut visit: impl FnMut(u32, ValueId)) {
        for (tie, t) in (0..).zip(&self.ties) {
            for part in &self.parts[self.tie_parts(t)] {
                let value = self.dims[part.dim as usize].value;
                if std::mem::replace(&mut touched[value.index()], tie) != tie {
                    visit(tie, value);
                }
            }
        }
    }

    /// All parts of a tie, factor by factor.
    pub fn tie_parts(&self, tie: &Tie) -> Range<usize> {
        let (first, last) = (&self.factors[tie.factors.start as usize], &self.factors[tie.factors.end as usize - 1]);
        first.parts.start as usize..last.parts.end as usize
    }

    /// The ties that touch a value.
    pub fn neighbours(&self, value: ValueId) -> &[u32] {
        let (start, end) = (self.first_neighbour[value.index()], self.first_neighbour[value.index() + 1]);
        &self.neighbours[start as usize..end as usize]
    }

    /// The dimensions of a value.
    pub fn dims_of(&self, value: ValueId) -> Range<usize> {
        self.first_dim[value.index()] as usize..self.first_dim[value.index() + 1] as usize
    }
}

/// How often each value is read.
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

/// Where the factors of one rule occur.
#[derive(Default)]
struct Places {
    parts: SmallVec<[(FactorId, Part); 16]>,
    /// Operands and results that each factor occurs in.
    seen: SmallVec<[(u16, u16); 8]>,
    /// Operands and results that have any factor.
    tensors: (u16, u16),
}

impl Places {
    fn collect(&mut self, graph: &mut Graph, tied: &Tied<'_>, paddable: impl Fn(FactorId) -> bool) {
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
                    self.parts.push((factor, Part { dim, sizes, at, tensor: tensor as u16, result, paddable }));
                }
            }
            if result { self.tensors.1 += u16::from(any) } else { self.tensors.0 += u16::from(any) }
        }
    }

    /// Whether the op does nothing but pass dimensions on: every factor that can be split is in every operand and
    /// result that has dimensions at all.
    fn pass_everywhere(&self, rule: &Rule) -> bool {
        rule.factors.iter().zip(&self.seen).all(|(f, seen)| match f.kind {
            FactorKind::Whole => true,
            FactorKind::Pass => *seen == self.tensors,
            FactorKind::Reduce(_) | FactorKind::Inner | FactorKind::Window(_) | FactorKind::Indexed => false,
        })
    }

    /// Whether the results have dimensions that pass through, but from no operand: an operand is repeated along them.
    fn broadcast(&self, rule: &Rule) -> bool {
        rule.factors.iter().zip(&self.seen).any(|(f, seen)| f.kind == FactorKind::Pass && seen.0 == 0 && seen.1 > 0)
    }
}
