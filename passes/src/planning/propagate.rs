//! `propagate` (traced -> planned): infers the layout of every value from the annotated ones.
//!
//! The algorithm is [Shardy's](https://github.com/openxla/shardy/blob/main/docs/propagation.md): axes propagate along
//! the factors of sharding rules, in nested fixed points. The outermost level are the priorities that the user gives to
//! dimensions. Within a priority follow the stages of `graph::stage`, from ops that only pass dimensions through to
//! factors that need halos or masks. Within a stage, the basic strategy propagates axes without conflict, then the
//! aggressive strategy resolves conflicts. Closed dimensions are left unchanged, no axis is used twice in a value, and
//! explicitly replicated axes stay replicated. Uneven dimensions may be sharded; dimensions smaller than the shard
//! count only by annotation. Finally, contractions that every device of an axis would compute in full are sharded where
//! that takes less time (`contractions`).
//!
//! A worklist replaces sweeps over the program: each op is queued at the first stage that applies to it, and is
//! reconsidered when one of its values changes. The work is linear in the number of changes. The origin of each axis is
//! recorded in [`crate::driver::provenance::Provenance`]. Nothing but layouts changes, except that a constraint loses
//! the value that its operand is sharded like. Scalar reducers and comparators get no layout.
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

mod axis_lists;
mod contractions;
mod graph;
mod next_step;
mod state;

use crate::driver::provenance::{PropagationStep, Provenance, ValueDim};
use crate::driver::{Findings, Input, Pass, PassInfo};
use axis_lists::ListId;
use contractions::{ContractionTie, contractions};
use graph::PropagationGraph;
use next_step::{LEVELS, Level, NextStep, StepSearch};
use partita_ir::arena::{Id, MeshId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh};
use partita_ir::program::{Form, Program};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use state::PropagationState;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The pass `propagate`; see the module documentation.
pub struct Propagate;

impl Pass for Propagate {
    fn info(&self) -> PassInfo {
        PassInfo { name: "propagate", input_form: Form::Traced, output_form: Form::Planned, reads: &[] }
    }

    fn run(&self, program: &mut Program, _: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some((mesh, _)) = program.mesh() else {
            let error = Diagnostic::new(Code::L007, "there is no mesh to partition over")
                .help("declare one: `--mesh data=2,model=4`");
            return Err(vec![error]);
        };
        Propagation::new(program).run(program, mesh, &mut findings.provenance);
        Ok(())
    }
}

/// Propagation graph of a program, independent of its layouts.
pub struct Propagation {
    graph: PropagationGraph,
    contractions: Vec<ContractionTie>,
}

impl Propagation {
    /// Returns the propagation graph of a program.
    pub fn new(program: &Program) -> Propagation {
        let graph = PropagationGraph::new(program);
        Propagation { contractions: contractions(program, &graph), graph }
    }

    /// Assigns a layout on the mesh to every value, from the annotated ones. `program` must equal the program of the
    /// graph except for layouts.
    pub fn run(&self, program: &mut Program, mesh: MeshId, provenance: &mut Provenance) {
        drop_idle_axes(program);
        let mut state = PropagationState::new(program, &self.graph);
        provenance.reserve(&self.graph.first_dim);
        let mut worklist = Worklist::new(program, &self.graph, &mut state, provenance);
        worklist.run();
        worklist.share(&self.contractions, &program.meshes[mesh]);
        write_layouts(program, mesh, &self.graph, &state);
        drop_references(program);
        program.form = Form::Planned;
    }
}

/// Removes axes of one device from layouts: they shard nothing.
fn drop_idle_axes(program: &mut Program) {
    let is_idle = |layout: &Layout| layout.used_axes().any(|a| a.size <= 1);
    for layout in program.values.values_mut().filter_map(|v| v.layout.as_mut()).filter(|l| is_idle(l)) {
        let layout = Arc::make_mut(layout);
        layout.dims.iter_mut().for_each(|d| d.axes.retain(|a| a.size > 1));
        layout.replicated.retain(|a| a.size > 1);
        layout.partial.retain(|p| p.0.size > 1);
    }
}

/// Removes the second operands of constraints: values that are now sharded like the first ones.
fn drop_references(program: &mut Program) {
    for op in program.ops.values_mut() {
        if op.kind.class().layout().is_some() {
            op.args.truncate(1);
        }
    }
}

/// Level of a tie that is in no queue.
const NOT_QUEUED: Level = Level::MAX;

/// Worklist of ties.
struct Worklist<'a> {
    graph: &'a PropagationGraph,
    state: &'a mut PropagationState,
    provenance: &'a mut Provenance,
    search: StepSearch<'a>,
    /// Queued ties, by level, in program order, so that in a conflict the earlier source takes precedence.
    queues: [BinaryHeap<Reverse<u32>>; LEVELS],
    /// For each tie, the lowest level at which it is queued. Entries in queues of other levels are stale.
    queued_level: Vec<Level>,
}

impl<'a> Worklist<'a> {
    fn new(
        program: &Program,
        graph: &'a PropagationGraph,
        state: &'a mut PropagationState,
        provenance: &'a mut Provenance,
    ) -> Worklist<'a> {
        let queued_level = vec![NOT_QUEUED; graph.ties.len()];
        Worklist {
            graph,
            state,
            provenance,
            search: StepSearch::new(program, graph),
            queues: Default::default(),
            queued_level,
        }
    }

    /// Runs the rounds of priority.
    fn run(&mut self) {
        let mut rounds: Vec<u8> = self.state.round.clone();
        rounds.sort_unstable();
        rounds.dedup();
        for round in rounds {
            self.state.now = round;
            self.activate(round);
            self.process_queues();
        }
    }

    /// Shards contractions that every device of an axis would compute in full, where that takes less time. Axes that
    /// shard nothing so far stay unused: a warning reports them.
    fn share(&mut self, contractions: &[ContractionTie], mesh: &DeviceMesh) {
        let used: Vec<AxisRef> = mesh
            .axis_ids()
            .map(|axis| AxisRef::full(mesh, axis))
            .filter(|axis| axis.size > 1 && self.state.shards_by(axis.axis))
            .collect();
        for contraction in contractions {
            while let Some((dim, list)) = contraction.shared_dim(self.graph, self.state, &used) {
                self.provenance.record_shared(self.provenance_spot(dim));
                self.state.set(self.graph, dim, list);
                self.enqueue_neighbours(dim);
                self.process_queues();
            }
        }
    }

    /// Queues the neighbours of the dimensions that the round activates: sharded ones in the first round, later all of
    /// its priority.
    fn activate(&mut self, round: u8) {
        for dim in 0..self.graph.dims.len() {
            if self.state.round[dim] == round && (round > 0 || self.state.axes[dim] != ListId::EMPTY) {
                self.enqueue_neighbours(dim as u32);
            }
        }
    }

    fn enqueue_neighbours(&mut self, dim: u32) {
        for &tie in self.graph.neighbours(self.graph.dims[dim as usize].value) {
            self.enqueue(tie, 0);
        }
    }

    fn enqueue(&mut self, tie: u32, level: Level) {
        if level < self.queued_level[tie as usize] {
            self.queued_level[tie as usize] = level;
            self.queues[level as usize].push(Reverse(tie));
        }
    }

    /// Processes queued ties, lowest level first, until all queues are empty.
    fn process_queues(&mut self) {
        while let Some(level) = self.queues.iter().position(|q| !q.is_empty()) {
            let Some(Reverse(tie)) = self.queues[level].pop() else { continue };
            let level = level as Level;
            if self.queued_level[tie as usize] != level {
                continue;
            }
            self.queued_level[tie as usize] = NOT_QUEUED;
            match self.search.find(&self.graph.ties[tie as usize], self.state) {
                None => {}
                Some(found) if found.level > level => self.enqueue(tie, found.level),
                Some(found) => {
                    self.apply_step(tie, found);
                    self.enqueue(tie, 0);
                }
            }
        }
    }

    /// Assigns the axes to every dimension of the factor that can accept them.
    fn apply_step(&mut self, tie: u32, found: NextStep) {
        let factor = &self.graph.factors[found.factor as usize];
        for i in factor.occurrences.clone() {
            let occurrence = self.graph.occurrences[i as usize];
            if i == found.source || !found.flow.enters(occurrence.result) {
                continue;
            }
            let have = self.state.occurrence_axes(self.graph, occurrence);
            let Some(list) = self.state.extended(self.graph, occurrence, have, found.target) else { continue };
            self.record_origin(tie, found, occurrence.dim, list);
            self.state.set(self.graph, occurrence.dim, list);
            self.enqueue_neighbours(occurrence.dim);
        }
    }

    /// Records the origin of the axes.
    fn record_origin(&mut self, tie: u32, found: NextStep, dim: u32, list: ListId) {
        let source = self.graph.occurrences[found.source as usize].dim;
        self.provenance.record_step(PropagationStep {
            to: self.provenance_spot(dim),
            from: self.provenance_spot(source),
            op: self.graph.ties[tie as usize].op,
            factor: self.graph.factors[found.factor as usize].id,
            axes: self.state.lists.axes(list).into(),
        });
    }

    fn provenance_spot(&self, dim: u32) -> ValueDim {
        let value = self.graph.dims[dim as usize].value;
        ValueDim { value, dim: dim - self.graph.dims_of(value).start as u32 }
    }
}

/// Assigns closed layouts to all values of functions with layouts.
fn write_layouts(program: &mut Program, mesh: MeshId, graph: &PropagationGraph, state: &PropagationState) {
    let funcs = program.funcs_with_layouts();
    let mut laid_out = vec![false; program.values.len()];
    for func in funcs {
        let func = &program.funcs[func];
        func.inputs.iter().for_each(|v| laid_out[v.index()] = true);
        func.ops().iter().flat_map(|&op| &program.ops[op].outs).for_each(|v| laid_out[v.index()] = true);
    }
    // Values with identical layouts share one allocation.
    let mut shared_layouts: FxHashMap<SmallVec<[ListId; 4]>, Arc<Layout>> = FxHashMap::default();
    for value in program.values.ids().filter(|v| laid_out[v.index()]) {
        let lists: SmallVec<[ListId; 4]> = graph.dims_of(value).map(|i| state.axes[i]).collect();
        let axes = lists.iter().map(|&list| Axes::from(state.lists.axes(list)));
        let slot = &mut program.values[value].layout;
        match slot {
            None => {
                let layout =
                    shared_layouts.entry(lists.clone()).or_insert_with(|| Layout::from_axes(mesh, axes).into());
                *slot = Some(layout.clone());
            }
            Some(layout) => {
                let dims = axes.map(|axes| DimLayout { axes, ..DimLayout::default() }).collect();
                Arc::make_mut(layout).dims = dims;
            }
        }
    }
}
