//! Simulation of a pipeline schedule: step time, bubble, and memory over time.
//!
//! Each stage is one lane and one device of a [`simulate`](super::simulate) run. A transfer to another stage is a flow
//! on a lane for that pair of stages: transfers between the same pair run one after another in the order in which they
//! are produced, concurrently with the compute of the stages. An edge without an [`EdgeTransfer`], as in the idealised
//! models of papers, delivers its data immediately. Work that a stage does once per step ([`OncePerStep`]) precedes or
//! follows its slots.

mod timeline;

use super::simulate::{Activity, ActivityDuration, Hardware, MemoryChange, Outcome, Route, SimulationError, simulate};
use partita_ir::pipeline::TaskTime;
use partita_ir::schedule::Durations;
use partita_ir::schedule::check::{CheckedSchedule, Dependency};
use partita_ir::schedule::{Slot, Work};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::{SmolStr, format_smolstr};
use std::collections::BTreeSet;

/// Costs of chunks and edges. Missing trailing entries of a list count as zero.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct ScheduleCosts {
    /// Seconds per micro-batch for each chunk.
    pub durations: Vec<Durations>,
    /// Activation memory that each chunk saves per micro-batch.
    pub saved: Vec<SavedActivations>,
    /// Data sent along each edge of the schedule's chunk graph.
    pub transfers: Vec<EdgeTransfer>,
    /// Bytes permanently allocated on a device of each stage: parameters, optimizer state, gradients.
    pub resident_bytes: Vec<i64>,
    /// Bandwidth of each link in bytes per second.
    pub links: Vec<f64>,
    /// Routes of the transfers.
    pub routes: Vec<Route>,
    /// Work that stages do once per step.
    pub once_per_step: Vec<OncePerStep>,
    /// Transfers between stages that happen once per step.
    pub once_per_step_transfers: Vec<OncePerStepTransfer>,
}

/// Work that a stage does once per step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OncePerStep {
    /// Stage number.
    pub stage: usize,
    /// Position in the step: before the micro-batches, or the level after them.
    pub moment: TaskTime,
    /// Duration in seconds.
    pub seconds: f64,
}

/// A transfer between two stages that happens once per step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OncePerStepTransfer {
    /// Sending and receiving stage.
    pub stages: [usize; 2],
    /// Position in the step: before the micro-batches, or the level after them.
    pub moment: TaskTime,
    /// Bytes sent.
    pub bytes: f64,
    /// Index of the route.
    pub route: usize,
}

/// Bytes that a chunk saves per micro-batch for the backward pass.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct SavedActivations {
    /// Bytes that only the gradients of operands need. Freed after these are computed.
    pub input: i64,
    /// Bytes that the gradients of parameters need. Freed after these are computed.
    pub weight: i64,
    /// Bytes of gradients of results inside the chunk. If the backward pass is split, they are live from the gradients
    /// of operands, which compute them, to those of parameters, which need them.
    pub gradient: i64,
}

/// Data sent along an edge for each micro-batch, if the edge connects two stages.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EdgeTransfer {
    /// Bytes of forward results.
    pub bytes: f64,
    /// Index of the forward route.
    pub route: usize,
    /// Bytes of the gradient sent in the opposite direction.
    pub gradient_bytes: f64,
    /// Index of the gradient's route.
    pub gradient_route: usize,
}

/// Meaning of an activity in the simulation of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActivityRole {
    /// Execution of a slot on a stage.
    Slot {
        /// Stage number.
        stage: usize,
        /// The slot.
        slot: Slot,
    },
    /// Transfer of forward results or gradients.
    Transfer {
        /// The slot that produces the data.
        slot: Slot,
        /// The chunk that consumes the data.
        to: usize,
        /// Sending and receiving stage.
        stages: [usize; 2],
    },
    /// Work that a stage does once per step.
    OncePerStep {
        /// Stage number.
        stage: usize,
        /// Position in the step.
        moment: TaskTime,
    },
    /// Transfer that happens once per step.
    OncePerStepTransfer {
        /// Sending and receiving stage.
        stages: [usize; 2],
        /// Position in the step.
        moment: TaskTime,
    },
}

/// Simulation of one step of a pipeline.
#[derive(Clone, PartialEq, Debug)]
pub struct SimulatedStep {
    /// Number of stages.
    pub stages: usize,
    /// Role of each activity: once-per-step work before the slots, the slots of each stage in order, transfers, then
    /// once-per-step work after the slots.
    pub roles: Vec<ActivityRole>,
    /// Result of the simulation. Lane `s` and device `s` belong to stage `s`; the lanes of transfers follow.
    pub outcome: Outcome,
}

impl SimulatedStep {
    /// Returns the seconds of one isolated step.
    pub fn seconds(&self) -> f64 {
        self.outcome.makespan
    }

    /// Returns the seconds per step in steady state, when each stage starts the next step as soon as it has finished
    /// one: the maximum over all stages of the time from the first to the last slot.
    pub fn period(&self) -> f64 {
        self.outcome.lanes.iter().take(self.stages).map(|lane| lane.span).fold(0.0, f64::max)
    }

    /// Returns the bubble: the fraction of the step during which stages are idle, averaged over all stages.
    pub fn bubble(&self) -> f64 {
        let all = self.seconds() * self.stages as f64;
        let idle: f64 = (0..self.stages).map(|stage| self.outcome.idle(stage)).sum();
        if all > 0.0 { idle / all } else { 0.0 }
    }

    /// Returns the fraction of the step during which a stage is busy.
    pub fn utilisation(&self, stage: usize) -> f64 {
        self.outcome.utilisation(stage)
    }
}

/// Simulates one step.
///
/// # Errors
/// Returns an error if the costs refer to a route or link that does not exist, or contain a value that is not finite.
pub fn simulate_step(schedule: &CheckedSchedule, costs: &ScheduleCosts) -> Result<SimulatedStep, SimulationError> {
    let mut builder = ActivityBuilder::new(schedule, costs);
    builder.push_before_slots();
    for (stage, order) in schedule.orders.iter().enumerate() {
        for &slot in order {
            builder.push_slot(stage, slot);
        }
    }
    let (activities, roles, lanes) = builder.finish();
    let resident = |stage: usize| costs.resident_bytes.get(stage).copied().unwrap_or_default();
    let hardware = Hardware {
        lanes,
        devices: (0..schedule.stages).map(resident).collect(),
        links: costs.links.clone(),
        routes: costs.routes.clone(),
    };
    let outcome = simulate(&hardware, &activities)?;
    Ok(SimulatedStep { stages: schedule.stages, roles, outcome })
}

/// Builder for the activities of one step.
struct ActivityBuilder<'a> {
    schedule: &'a CheckedSchedule,
    costs: &'a ScheduleCosts,
    /// Data sent along each edge.
    transfers: FxHashMap<(usize, usize), EdgeTransfer>,
    /// Index of the first slot of each stage.
    first: Vec<usize>,
    /// Number of slots, including the once-per-step work before them.
    slots: usize,
    activities: Vec<Activity>,
    sends: Vec<(Activity, ActivityRole)>,
    /// Roles of the activities other than transfers.
    roles: Vec<ActivityRole>,
    /// Lane of the transfers between each pair of stages.
    transfer_lanes: FxHashMap<[usize; 2], usize>,
    /// Activities that the next activity of each stage waits for.
    awaited: Vec<SmallVec<[u32; 4]>>,
}

impl<'a> ActivityBuilder<'a> {
    fn new(schedule: &'a CheckedSchedule, costs: &'a ScheduleCosts) -> ActivityBuilder<'a> {
        let is_before = |moment: TaskTime| moment == TaskTime::Before;
        let ahead = costs.once_per_step.iter().filter(|once| is_before(once.moment)).count()
            + costs.once_per_step_transfers.iter().filter(|sent| is_before(sent.moment)).count();
        let mut slots = ahead;
        let mut first = Vec::with_capacity(schedule.stages);
        let mut roles = Vec::new();
        for (stage, order) in schedule.orders.iter().enumerate() {
            first.push(slots);
            slots += order.len();
            roles.extend(order.iter().map(|&slot| ActivityRole::Slot { stage, slot }));
        }
        let transfers = schedule.work().edges.iter().copied().zip(costs.transfers.iter().copied()).collect();
        let activities = Vec::with_capacity(slots);
        ActivityBuilder {
            schedule,
            costs,
            transfers,
            first,
            slots,
            activities,
            sends: Vec::new(),
            roles,
            transfer_lanes: FxHashMap::default(),
            awaited: vec![SmallVec::new(); schedule.stages],
        }
    }

    /// Appends the once-per-step work that precedes the slots.
    fn push_before_slots(&mut self) {
        let mut roles = Vec::new();
        self.push_once_per_step(TaskTime::Before, &mut roles);
        roles.append(&mut self.roles);
        self.roles = roles;
    }

    /// Appends the once-per-step work and transfers of the given moment.
    fn push_once_per_step(&mut self, moment: TaskTime, roles: &mut Vec<ActivityRole>) {
        let costs = self.costs;
        let mut done: FxHashMap<usize, u32> = FxHashMap::default();
        for once in costs.once_per_step.iter().filter(|once| once.moment == moment) {
            done.insert(once.stage, self.activities.len() as u32);
            self.activities.push(Activity {
                name: moment_name(moment),
                duration: ActivityDuration::Seconds(once.seconds),
                lane: Some(once.stage),
                after: std::mem::take(&mut self.awaited[once.stage]),
                memory: SmallVec::new(),
            });
            roles.push(ActivityRole::OncePerStep { stage: once.stage, moment });
        }
        for sent in costs.once_per_step_transfers.iter().filter(|sent| sent.moment == moment) {
            let [from, to] = sent.stages;
            let last_slot = || {
                let count = self.schedule.orders[from].len();
                (moment != TaskTime::Before && count > 0).then(|| (self.first[from] + count - 1) as u32)
            };
            let after = done.get(&from).copied().or_else(last_slot);
            let lane = self.transfer_lane(sent.stages);
            self.awaited[to].push(self.activities.len() as u32);
            self.activities.push(Activity {
                name: moment_name(moment),
                duration: ActivityDuration::Flow { bytes: sent.bytes, route: sent.route },
                lane: Some(lane),
                after: after.into_iter().collect(),
                memory: SmallVec::new(),
            });
            roles.push(ActivityRole::OncePerStepTransfer { stages: sent.stages, moment });
        }
    }

    /// Returns the lane of transfers from one stage to another.
    fn transfer_lane(&mut self, stages: [usize; 2]) -> usize {
        let next = self.schedule.stages + self.transfer_lanes.len();
        *self.transfer_lanes.entry(stages).or_insert(next)
    }

    fn push_slot(&mut self, stage: usize, slot: Slot) {
        let chunk = slot.chunk as usize;
        let seconds = self.costs.durations.get(chunk).map_or(0.0, |durations| durations.seconds(slot.work));
        let mut memory = self.saved_memory_change(stage, slot);
        let mut after = std::mem::take(&mut self.awaited[stage]);
        for need in self.schedule.needs(slot) {
            // Dependencies on the same stage are implied by the order of its lane.
            if need.stage == stage {
                continue;
            }
            let producer = self.first[need.stage] + need.position;
            after.push(match self.push_transfer(&need, stage) {
                Some((send, bytes)) => {
                    memory.push(MemoryChange { device: stage, at_start: 0, at_end: -bytes });
                    send
                }
                None => producer as u32,
            });
        }
        self.activities.push(Activity {
            name: format_smolstr!("{}{}.{}", slot.work.letter(), slot.micro_batch, slot.chunk),
            duration: ActivityDuration::Seconds(seconds),
            lane: Some(stage),
            after,
            memory,
        });
    }

    /// Returns the change of activation memory caused by a slot.
    fn saved_memory_change(&self, device: usize, slot: Slot) -> SmallVec<[MemoryChange; 1]> {
        let chunk = slot.chunk as usize;
        let part = self.schedule.work().chunks[chunk];
        let SavedActivations { input, weight, gradient } = self.costs.saved.get(chunk).copied().unwrap_or_default();
        let change = match slot.work {
            Work::Forward if part.has_backward() => MemoryChange { device, at_start: input + weight, at_end: 0 },
            Work::Backward => MemoryChange { device, at_start: 0, at_end: -(input + weight) },
            Work::BackwardInput if part.backward_weight => MemoryChange { device, at_start: gradient, at_end: -input },
            Work::BackwardWeight if part.backward_input => {
                MemoryChange { device, at_start: 0, at_end: -(weight + gradient) }
            }
            Work::BackwardInput | Work::BackwardWeight => {
                MemoryChange { device, at_start: 0, at_end: -(input + weight) }
            }
            Work::Forward => return SmallVec::new(),
        };
        SmallVec::from([change])
    }

    /// Appends the transfer of required data to a stage and returns its activity number and bytes. Returns `None` if
    /// the edge has no cost.
    fn push_transfer(&mut self, need: &Dependency, to_stage: usize) -> Option<(u32, i64)> {
        let edge = need.edge?;
        let transfer = self.transfers.get(&edge)?;
        let (bytes, route, to) = match need.slot.work {
            Work::Forward => (transfer.bytes, transfer.route, edge.1),
            Work::Backward | Work::BackwardInput | Work::BackwardWeight => {
                (transfer.gradient_bytes, transfer.gradient_route, edge.0)
            }
        };
        let number = (self.slots + self.sends.len()) as u32;
        let stages = [need.stage, to_stage];
        let lane = self.transfer_lane(stages);
        // The receiver allocates the buffer when the transfer starts and frees it after the consumer.
        let room = MemoryChange { device: to_stage, at_start: bytes as i64, at_end: 0 };
        let send = Activity {
            name: format_smolstr!("{}{}.{}>{to}", need.slot.work.letter(), need.slot.micro_batch, need.slot.chunk),
            duration: ActivityDuration::Flow { bytes, route },
            lane: Some(lane),
            after: SmallVec::from_slice(&[(self.first[need.stage] + need.position) as u32]),
            memory: SmallVec::from([room]),
        };
        self.sends.push((send, ActivityRole::Transfer { slot: need.slot, to, stages }));
        Some((number, bytes as i64))
    }

    /// Returns all activities, their roles, and the number of lanes.
    fn finish(mut self) -> (Vec<Activity>, Vec<ActivityRole>, usize) {
        // Transfers were collected in the order of their consumers. Lanes process them in the order of their producers.
        let mut order: Vec<usize> = (0..self.sends.len()).collect();
        order.sort_by_key(|&send| self.sends[send].0.after.first().copied());
        let mut place = vec![0; order.len()];
        for (at, &send) in order.iter().enumerate() {
            place[send] = (self.slots + at) as u32;
        }
        for before in self.activities.iter_mut().flat_map(|activity| &mut activity.after) {
            if let Some(send) = (*before as usize).checked_sub(self.slots) {
                *before = place[send];
            }
        }
        let mut sends: Vec<Option<(Activity, ActivityRole)>> =
            std::mem::take(&mut self.sends).into_iter().map(Some).collect();
        for (send, role) in order.into_iter().filter_map(|send| sends[send].take()) {
            self.activities.push(send);
            self.roles.push(role);
        }
        let moments = self.costs.once_per_step.iter().map(|once| once.moment);
        let moments: BTreeSet<TaskTime> =
            moments.chain(self.costs.once_per_step_transfers.iter().map(|sent| sent.moment)).collect();
        let mut roles = Vec::new();
        for moment in moments.into_iter().filter(|&moment| moment != TaskTime::Before) {
            self.push_once_per_step(moment, &mut roles);
        }
        self.roles.append(&mut roles);
        (self.activities, self.roles, self.schedule.stages + self.transfer_lanes.len())
    }
}

/// Returns the display name of once-per-step work.
fn moment_name(moment: TaskTime) -> SmolStr {
    match moment {
        TaskTime::After(level) => format_smolstr!("after {level}"),
        TaskTime::Before | TaskTime::Slot(_) => "before".into(),
    }
}
