//! `propagate` (traced -> planned): gives every value a layout, from the few that the user wrote.
//!
//! The algorithm is [Shardy's](https://github.com/openxla/shardy/blob/main/docs/propagation.md): axes spread along the
//! factors of op rules, in nested fixed points. Outermost are the rounds of priority that the user may give dimensions.
//! Within a round come the stages of `graph::stage`: first ops that only pass dimensions on, last what costs halos or
//! masks. Within a stage the basic strategy spreads what nobody contradicts, and then the aggressive one resolves a
//! conflict. Dimensions that are closed get nothing, no axis is used twice in a value, and an axis that was replicated
//! on purpose stays so. Uneven dimensions may be split; ones smaller than the number of pieces only if the user says
//! so.
//!
//! Instead of sweeping over the program again and again, each op waits in the queue of the first stage that has
//! something to do for it, and is looked at again when a value that it touches changes: the work is linear in the
//! number of changes. Where each axis came from is noted in [`crate::driver::provenance::Provenance`]. Nothing but
//! layouts changes. Scalar reducers and comparators get none.
//!
//! Before:
//!
//! ```text
//! mesh @m = [data=2, model=4]
//! param %w "up.weight" : f32[64, 512@model]
//! input %x : f32[32, 64]
//! %h = matmul %x, %w : f32[32, 512]
//! ```
//!
//! After:
//!
//! ```text
//! mesh @m = [data=2, model=4]
//! param %w "up.weight" : f32[64, 512@model]
//! input %x : f32[32, 64] whole
//! %h = matmul %x, %w : f32[32, 512@model]
//! ```

mod graph;
mod lists;
mod look;
mod state;

use crate::driver::provenance::{Provenance, Spot, Spread};
use crate::driver::{Findings, Info, Input, Pass};
use graph::Graph;
use lists::ListId;
use look::{Finding, LEVELS, Level, Look};
use partita_ir::arena::{Id, MeshId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::Axes;
use partita_ir::program::{Form, Program};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use state::State;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The pass.
pub struct Propagate;

impl Pass for Propagate {
    fn info(&self) -> Info {
        Info { name: "propagate", needs: Form::Traced, gives: Form::Planned, reads: &[] }
    }

    fn run(&self, program: &mut Program, _: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some((mesh, _)) = program.mesh() else {
            let error = Diagnostic::new(Code::L007, "there is no mesh to partition over")
                .help("declare one: `--mesh data=2,model=4`");
            return Err(vec![error]);
        };
        Propagation::of(program).run(program, mesh, &mut findings.provenance);
        Ok(())
    }
}

/// The way that layouts may go through a program, whatever is laid out in it.
pub struct Propagation {
    graph: Graph,
}

impl Propagation {
    /// The ways through a program.
    pub fn of(program: &Program) -> Propagation {
        Propagation { graph: Graph::new(program) }
    }

    /// Gives every value a layout on the mesh, from the few that the program has. It is the same program but for
    /// layouts.
    pub fn run(&self, program: &mut Program, mesh: MeshId, provenance: &mut Provenance) {
        drop_idle_axes(program);
        let mut state = State::new(program, &self.graph);
        provenance.cover(&self.graph.first_dim);
        Schedule::new(program, &self.graph, &mut state, provenance).run();
        write_layouts(program, mesh, &self.graph, &state);
        program.form = Form::Planned;
    }
}

/// Drops axes of one device from layouts: they split nothing.
fn drop_idle_axes(program: &mut Program) {
    let is_idle = |layout: &Layout| layout.used_axes().any(|a| a.size <= 1);
    for layout in program.values.values_mut().filter_map(|v| v.layout.as_mut()).filter(|l| is_idle(l)) {
        let layout = Arc::make_mut(layout);
        layout.dims.iter_mut().for_each(|d| d.axes.retain(|a| a.size > 1));
        layout.replicated.retain(|a| a.size > 1);
        layout.pending.retain(|p| p.0.size > 1);
    }
}

/// Stands for a tie that waits nowhere.
const NOWHERE: Level = Level::MAX;

/// Ops in the order in which they are looked at.
struct Schedule<'a> {
    graph: &'a Graph,
    state: &'a mut State,
    provenance: &'a mut Provenance,
    look: Look<'a>,
    /// Ties that wait, by level; the first one in the program is the next one, so that of two sources that contend the
    /// one that the program meets first is heard first.
    queues: [BinaryHeap<Reverse<u32>>; LEVELS],
    /// The lowest level at which each tie waits; entries of other queues are stale.
    waits: Vec<Level>,
}

impl<'a> Schedule<'a> {
    fn new(program: &Program, graph: &'a Graph, state: &'a mut State, provenance: &'a mut Provenance) -> Schedule<'a> {
        let waits = vec![NOWHERE; graph.ties.len()];
        Schedule { graph, state, provenance, look: Look::new(program, graph), queues: Default::default(), waits }
    }

    /// The rounds of priority.
    fn run(&mut self) {
        let mut rounds: Vec<u8> = self.state.round.clone();
        rounds.sort_unstable();
        rounds.dedup();
        for round in rounds {
            self.state.now = round;
            self.wake(round);
            self.settle();
        }
    }

    /// Wakes the neighbours of what the round brings in: in the first one whatever is split, later all dimensions of
    /// it.
    fn wake(&mut self, round: u8) {
        for dim in 0..self.graph.dims.len() {
            if self.state.round[dim] == round && (round > 0 || self.state.axes[dim] != ListId::EMPTY) {
                self.wake_neighbours(dim as u32);
            }
        }
    }

    fn wake_neighbours(&mut self, dim: u32) {
        for &tie in self.graph.neighbours(self.graph.dims[dim as usize].value) {
            self.wait(tie, 0);
        }
    }

    fn wait(&mut self, tie: u32, level: Level) {
        if level < self.waits[tie as usize] {
            self.waits[tie as usize] = level;
            self.queues[level as usize].push(Reverse(tie));
        }
    }

    /// Looks at whoever waits, the lowest level first, until nobody does.
    fn settle(&mut self) {
        while let Some(level) = self.queues.iter().position(|q| !q.is_empty()) {
            let Some(Reverse(tie)) = self.queues[level].pop() else { continue };
            let level = level as Level;
            if self.waits[tie as usize] != level {
                continue;
            }
            self.waits[tie as usize] = NOWHERE;
            match self.look.at(&self.graph.ties[tie as usize], self.state) {
                None => {}
                Some(found) if found.level > level => self.wait(tie, found.level),
                Some(found) => {
                    self.spread(tie, found);
                    self.wait(tie, 0);
                }
            }
        }
    }

    /// Gives the axes to every place of the factor that can take them.
    fn spread(&mut self, tie: u32, found: Finding) {
        let factor = &self.graph.factors[found.factor as usize];
        for i in factor.parts.clone() {
            let part = self.graph.parts[i as usize];
            if i == found.source || found.backward && part.result {
                continue;
            }
            let have = self.state.of_part(self.graph, part);
            let Some(list) = self.state.grown(self.graph, part, have, found.target) else { continue };
            self.note(tie, found, part.dim, list);
            self.state.set(self.graph, part.dim, list);
            self.wake_neighbours(part.dim);
        }
    }

    /// Notes where the axes came from.
    fn note(&mut self, tie: u32, found: Finding, dim: u32, list: ListId) {
        let source = self.graph.parts[found.source as usize].dim;
        self.provenance.spread(Spread {
            to: self.spot(dim),
            from: self.spot(source),
            op: self.graph.ties[tie as usize].op,
            factor: self.graph.factors[found.factor as usize].id,
            axes: self.state.lists.axes(list).into(),
        });
    }

    fn spot(&self, dim: u32) -> Spot {
        let value = self.graph.dims[dim as usize].value;
        Spot { value, dim: dim - self.graph.dims_of(value).start as u32 }
    }
}

/// Gives every value of the functions that have layouts its layout, with nothing open.
fn write_layouts(program: &mut Program, mesh: MeshId, graph: &Graph, state: &State) {
    let funcs = program.laid_out_funcs();
    let mut laid_out = vec![false; program.values.len()];
    for func in funcs {
        let func = &program.funcs[func];
        func.inputs.iter().for_each(|v| laid_out[v.index()] = true);
        func.ops().iter().flat_map(|&op| &program.ops[op].outs).for_each(|v| laid_out[v.index()] = true);
    }
    // Values that lie alike share one layout; few do not.
    let mut known: FxHashMap<SmallVec<[ListId; 4]>, Arc<Layout>> = FxHashMap::default();
    for value in program.values.ids().filter(|v| laid_out[v.index()]) {
        let lists: SmallVec<[ListId; 4]> = graph.dims_of(value).map(|i| state.axes[i]).collect();
        let axes = lists.iter().map(|&list| Axes::from(state.lists.axes(list)));
        let slot = &mut program.values[value].layout;
        match slot {
            None => {
                let layout = known.entry(lists.clone()).or_insert_with(|| Layout::of(mesh, axes).into());
                *slot = Some(layout.clone());
            }
            Some(layout) => {
                let dims = axes.map(|axes| DimLayout { axes, ..DimLayout::default() }).collect();
                Arc::make_mut(layout).dims = dims;
            }
        }
    }
}
