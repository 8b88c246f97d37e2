//! Memory of one device over a step, by purpose.
//!
//! The maximum is the peak of [`peak_breakdown`](super::peak_breakdown), without the gaps between the allocations of a
//! pipeline stage.

use super::memory::local_bytes;
use super::peak_breakdown::{Purpose, PurposeAnalysis, fixed_stage_values, fixed_values, purpose_of_cell};
use super::roofline::efficiencies::Fusion;
use super::roofline::frame::{aligned_bytes, visit_launches};
use super::stage_memory::task_needs;
use partita_ir::arena::{FuncId, ValueId};
use partita_ir::offsets::Storage;
use partita_ir::pipeline::events::events;
use partita_ir::pipeline::memory::{BlockUser, MemoryPlan, Step};
use partita_ir::pipeline::{Pipeline, TaskTime};
use partita_ir::program::{Phase, Program};
use partita_ir::schedule::Work;
use rustc_hash::FxHashMap;

/// Maximum number of points of a profile. Of more points, each run of neighbours is represented by the largest one.
pub const MAX_POINTS: usize = 512;

/// Bytes for each purpose, in the order of [`Purpose::ALL`].
pub type BytesByPurpose = [u64; Purpose::ALL.len()];

/// Memory of one device while one kernel or one task runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryPoint {
    /// Part of the step: `forward`, `backward input`, `update`.
    pub activity: &'static str,
    /// Allocated bytes by purpose.
    pub bytes: BytesByPurpose,
}

impl MemoryPoint {
    /// Returns the bytes of all purposes.
    pub fn total(&self) -> u64 {
        self.bytes.iter().copied().fold(0, u64::saturating_add)
    }

    fn add(mut self, bytes: &BytesByPurpose) -> MemoryPoint {
        self.bytes.iter_mut().zip(bytes).for_each(|(sum, more)| *sum = sum.saturating_add(*more));
        self
    }
}

/// Memory of one device over a step, in the order of execution. One iteration represents all iterations of a loop.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MemoryProfile {
    /// Points in the order of execution, at most [`MAX_POINTS`].
    pub points: Vec<MemoryPoint>,
}

impl MemoryProfile {
    /// Returns the maximum of all points in bytes.
    pub fn peak(&self) -> u64 {
        self.points.iter().map(MemoryPoint::total).max().unwrap_or(0)
    }
}

/// Returns the memory of one device that runs a program in local form: a point for each kernel.
pub fn profile_of_program(program: &Program) -> MemoryProfile {
    let mut purposes = PurposeCache { analysis: PurposeAnalysis::new(program), known: FxHashMap::default() };
    let mut done: FxHashMap<FuncId, Vec<MemoryPoint>> = FxHashMap::default();
    for func in program.funcs_with_layouts() {
        let points = function_profile(program, func, &mut purposes, &done);
        done.insert(func, downsampled(points));
    }
    let mut fixed = BytesByPurpose::default();
    for value in fixed_values(program) {
        add(&mut fixed, purposes.purpose_of(value), local_bytes(program, value));
    }
    let mut points = done.remove(&program.entry()).unwrap_or_default();
    if points.is_empty() {
        points.push(MemoryPoint { activity: activity_of_phase(Phase::Forward), bytes: BytesByPurpose::default() });
    }
    MemoryProfile { points: points.into_iter().map(|point| point.add(&fixed)).collect() }
}

/// Returns the temporaries of a function over its launches. `done` contains the profiles of the loop bodies that it
/// runs.
fn function_profile(
    program: &Program,
    func: FuncId,
    purposes: &mut PurposeCache<'_>,
    done: &FxHashMap<FuncId, Vec<MemoryPoint>>,
) -> Vec<MemoryPoint> {
    let mut points = Vec::new();
    visit_launches(program, func, Fusion::Products, |launch, alive, _| {
        let mut bytes = BytesByPurpose::default();
        for &value in alive {
            add(&mut bytes, purposes.purpose_of(value), aligned_bytes(program, value));
        }
        match launch.loop_body().and_then(|body| done.get(&body)).filter(|body| !body.is_empty()) {
            Some(body) => points.extend(body.iter().map(|point| point.add(&bytes))),
            None => {
                let phase = launch.ops.first().map_or(Phase::Forward, |&op| program.ops[op].phase);
                points.push(MemoryPoint { activity: activity_of_phase(phase), bytes });
            }
        }
    });
    points
}

/// Purposes of the values of a program, each determined once.
struct PurposeCache<'p> {
    analysis: PurposeAnalysis<'p>,
    known: FxHashMap<ValueId, Purpose>,
}

impl PurposeCache<'_> {
    fn purpose_of(&mut self, value: ValueId) -> Purpose {
        *self.known.entry(value).or_insert_with(|| self.analysis.purpose_of(value, 0))
    }
}

fn add(bytes: &mut BytesByPurpose, purpose: Purpose, more: u64) {
    let sum = &mut bytes[purpose as usize];
    *sum = sum.saturating_add(more);
}

/// Represents runs of neighbouring points by their largest one, so that at most [`MAX_POINTS`] remain.
fn downsampled(points: Vec<MemoryPoint>) -> Vec<MemoryPoint> {
    if points.len() <= MAX_POINTS {
        return points;
    }
    let runs = points.chunks(points.len().div_ceil(MAX_POINTS));
    runs.filter_map(|run| run.iter().max_by_key(|point| point.total())).copied().collect()
}

/// Returns the memory of one device of each pipeline stage: a point for each task, transfer or copy.
pub fn profile_of_stages(pipeline: &Pipeline) -> Vec<MemoryProfile> {
    let needs = task_needs(pipeline, Fusion::Products);
    let events = events(pipeline);
    let profile = |(stage, events): (usize, &Vec<_>)| {
        let plan = MemoryPlan::new(pipeline, stage, &needs, events, Storage::HOST);
        stage_profile(pipeline, stage, &plan)
    };
    events.iter().enumerate().map(profile).collect()
}

fn stage_profile(pipeline: &Pipeline, stage: usize, plan: &MemoryPlan) -> MemoryProfile {
    let has_own_buffer: Vec<bool> = plan.outputs.iter().map(Option::is_none).collect();
    let mut current = BytesByPurpose::default();
    for value in fixed_stage_values(pipeline, stage, &has_own_buffer) {
        add(&mut current, value.purpose, value.bytes);
    }
    let steps = plan.steps.len();
    let (mut starts, mut ends) = (vec![Vec::new(); steps], vec![Vec::new(); steps]);
    for block in plan.blocks.iter().filter(|block| block.last < steps) {
        starts[block.first].push(block);
        ends[block.last].push(block);
    }
    let purpose = |holder: BlockUser| match holder {
        BlockUser::Value(instance) => {
            let cells = pipeline.chunks[instance.chunk].cells.len();
            purpose_of_cell(pipeline, instance.chunk, instance.cell % cells)
        }
        BlockUser::Task { .. } => Purpose::Temporaries,
    };
    let mut points = Vec::with_capacity(steps);
    for (at, activity) in activities(pipeline, plan).into_iter().enumerate() {
        for block in &starts[at] {
            add(&mut current, purpose(block.holder), block.bytes as u64);
        }
        points.push(MemoryPoint { activity, bytes: current });
        for block in &ends[at] {
            current[purpose(block.holder) as usize] -= block.bytes as u64;
        }
    }
    if points.is_empty() {
        points.push(MemoryPoint { activity: activity_of_work(Work::Forward), bytes: current });
    }
    MemoryProfile { points: downsampled(points) }
}

/// Returns the activity of each step of a stage. Transfers and copies belong to the next task, or to the last one.
fn activities(pipeline: &Pipeline, plan: &MemoryPlan) -> Vec<&'static str> {
    let activity = |step: &Step| match step {
        Step::Call { chunk, task, .. } => Some(activity_of_moment(pipeline.chunks[*chunk].tasks[*task].moment)),
        Step::Clear(_) | Step::Copy(..) | Step::Start { .. } | Step::Wait(_) => None,
    };
    let last = plan.steps.iter().rev().find_map(activity);
    let mut next = last.unwrap_or_else(|| activity_of_work(Work::Forward));
    let mut all = Vec::with_capacity(plan.steps.len());
    for step in plan.steps.iter().rev() {
        next = activity(step).unwrap_or(next);
        all.push(next);
    }
    all.reverse();
    all
}

const fn activity_of_phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Forward => "forward",
        Phase::Recompute => "recompute",
        Phase::BackwardInput => "backward input",
        Phase::BackwardWeight => "backward weight",
        Phase::Update => "update",
    }
}

fn activity_of_moment(moment: TaskTime) -> &'static str {
    match moment {
        TaskTime::Before => "before the micro-batches",
        TaskTime::Slot(work) => activity_of_work(work),
        TaskTime::After(_) => "update",
    }
}

const fn activity_of_work(work: Work) -> &'static str {
    match work {
        Work::Forward => "forward",
        Work::Backward => "backward",
        Work::BackwardInput => "backward input",
        Work::BackwardWeight => "backward weight",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(bytes: u64) -> MemoryPoint {
        let mut all = BytesByPurpose::default();
        all[Purpose::Activations as usize] = bytes;
        MemoryPoint { activity: "forward", bytes: all }
    }

    #[test]
    fn fewer_points_have_the_same_maximum() {
        let points: Vec<MemoryPoint> = (0..10_000).map(|at| point(if at == 7777 { 1 << 40 } else { at })).collect();
        let fewer = downsampled(points.clone());
        assert!(fewer.len() <= MAX_POINTS && fewer.len() > MAX_POINTS / 2, "{}", fewer.len());
        assert_eq!(fewer.iter().map(MemoryPoint::total).max(), Some(1 << 40));
        assert_eq!(downsampled(points[..MAX_POINTS].to_vec()), points[..MAX_POINTS]);
    }
}
