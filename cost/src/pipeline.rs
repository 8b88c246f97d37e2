//! What a pipeline's schedule comes to: seconds of a step, how much of it stages wait, what is held when.
//!
//! Each stage is a lane and a device of a [`simulate`](super::simulate) run. What it hands over to another stage is a
//! flow, on a lane of its own for each other stage: such flows follow each other in the order in which they are given,
//! beside what the stages compute. Where an edge has no [`Transfer`], as in the models of the papers, what is handed
//! over is there at once. What stages do once ([`Once`]) stands before and behind their slots.

mod timeline;

use super::simulate::{Activity, Change, Fault, Hardware, Outcome, Route, Takes, simulate};
use partita_ir::pipeline::Moment;
use partita_ir::schedule::Durations;
use partita_ir::schedule::check::{Checked, Need};
use partita_ir::schedule::{Slot, Work};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::{SmolStr, format_smolstr};
use std::collections::BTreeSet;

/// What chunks and edges cost. Lists that are too short mean 0 for the rest.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Costs {
    /// By chunk, seconds for a micro-batch.
    pub durations: Vec<Durations>,
    /// By chunk, what it keeps of a micro-batch.
    pub kept: Vec<Kept>,
    /// By edge of the parts, what is sent.
    pub transfers: Vec<Transfer>,
    /// By stage, the bytes that a device holds all the time: parameters, state, gradients.
    pub held: Vec<i64>,
    /// By link, the bytes that it carries in a second.
    pub links: Vec<f64>,
    /// The ways that transfers take.
    pub routes: Vec<Route>,
    /// What stages do once.
    pub once: Vec<Once>,
    /// What they send once.
    pub sent: Vec<SentOnce>,
}

/// What a stage does once in a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Once {
    /// The stage.
    pub stage: usize,
    /// Before the micro-batches, or at which level behind them.
    pub moment: Moment,
    /// How long it takes.
    pub seconds: f64,
}

/// What a stage sends once in a step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SentOnce {
    /// Who sends it and who gets it.
    pub stages: [usize; 2],
    /// Before the micro-batches, or behind which level.
    pub behind: Moment,
    /// How much.
    pub bytes: f64,
    /// The number of the route.
    pub route: usize,
}

/// Bytes that a chunk keeps of a micro-batch from the forward pass on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Kept {
    /// Those that only gradients of operands are computed from: given up when these are.
    pub input: i64,
    /// Those that gradients of parameters are computed from: given up when these are.
    pub weight: i64,
}

/// What is sent along an edge for a micro-batch, if it leads to another stage.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Transfer {
    /// Bytes of results.
    pub bytes: f64,
    /// The number of their route.
    pub route: usize,
    /// Bytes of the gradient that comes back.
    pub gradient_bytes: f64,
    /// The number of its route.
    pub gradient_route: usize,
}

/// What an activity of a step is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A slot of a stage.
    Slot {
        /// The stage.
        stage: usize,
        /// The slot.
        slot: Slot,
    },
    /// Results or gradients on their way.
    Transfer {
        /// What they belong to: the slot that gave them.
        slot: Slot,
        /// The chunk that reads them.
        to: usize,
        /// The stages of both.
        stages: [usize; 2],
    },
    /// What a stage does once.
    Once {
        /// The stage.
        stage: usize,
        /// When.
        moment: Moment,
    },
    /// What a stage sends once.
    Sent {
        /// The stages that send and get it.
        stages: [usize; 2],
        /// When.
        behind: Moment,
    },
}

/// One step of a pipeline.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// How many stages there are.
    pub stages: usize,
    /// By activity, what it is: what comes once before all else, slots by stage in order, then transfers, then what
    /// comes once behind.
    pub roles: Vec<Role>,
    /// What was simulated: lane and device `s` are those of stage `s`; behind them are the lanes of what is sent.
    pub outcome: Outcome,
}

impl Step {
    /// Seconds of a step that nothing comes before or after.
    pub fn seconds(&self) -> f64 {
        self.outcome.makespan
    }

    /// Seconds from step to step where each stage goes on with the next step as soon as it is done with one: from its
    /// first to its last slot, of the stage where that is the most.
    pub fn period(&self) -> f64 {
        self.outcome.lanes.iter().take(self.stages).map(|lane| lane.span).fold(0.0, f64::max)
    }

    /// The share of a step in which stages wait, on average over them.
    pub fn bubble(&self) -> f64 {
        let all = self.seconds() * self.stages as f64;
        let idle: f64 = (0..self.stages).map(|stage| self.outcome.idle(stage)).sum();
        if all > 0.0 { idle / all } else { 0.0 }
    }

    /// The share of a step in which a stage is at work.
    pub fn utilisation(&self, stage: usize) -> f64 {
        self.outcome.utilisation(stage)
    }
}

/// Carries out one step.
///
/// # Errors
/// Costs that name a route or link that does not exist, or are no numbers.
pub fn step(schedule: &Checked, costs: &Costs) -> Result<Step, Fault> {
    let mut writer = Writer::of(schedule, costs);
    writer.before();
    for (stage, order) in schedule.orders.iter().enumerate() {
        for &slot in order {
            writer.slot(stage, slot);
        }
    }
    let (activities, roles, lanes) = writer.finish();
    let held = |stage: usize| costs.held.get(stage).copied().unwrap_or_default();
    let hardware = Hardware {
        lanes,
        devices: (0..schedule.stages).map(held).collect(),
        links: costs.links.clone(),
        routes: costs.routes.clone(),
    };
    let outcome = simulate(&hardware, &activities)?;
    Ok(Step { stages: schedule.stages, roles, outcome })
}

/// Activities that are being written.
struct Writer<'a> {
    schedule: &'a Checked,
    costs: &'a Costs,
    /// What is sent along an edge.
    transfers: FxHashMap<(usize, usize), Transfer>,
    /// By stage, the number of its first slot.
    first: Vec<usize>,
    /// How many slots there are, with what comes before them.
    slots: usize,
    activities: Vec<Activity>,
    sends: Vec<(Activity, Role)>,
    /// Of all slots.
    roles: Vec<Role>,
    /// By stages between which something is sent, the lane.
    channels: FxHashMap<[usize; 2], usize>,
    /// By stage, what it waits for before its next activity.
    awaited: Vec<SmallVec<[u32; 4]>>,
}

impl<'a> Writer<'a> {
    fn of(schedule: &'a Checked, costs: &'a Costs) -> Writer<'a> {
        let is_before = |moment: Moment| moment == Moment::Before;
        let ahead = costs.once.iter().filter(|once| is_before(once.moment)).count()
            + costs.sent.iter().filter(|sent| is_before(sent.behind)).count();
        let mut slots = ahead;
        let mut first = Vec::with_capacity(schedule.stages);
        let mut roles = Vec::new();
        for (stage, order) in schedule.orders.iter().enumerate() {
            first.push(slots);
            slots += order.len();
            roles.extend(order.iter().map(|&slot| Role::Slot { stage, slot }));
        }
        let transfers = schedule.parts().edges.iter().copied().zip(costs.transfers.iter().copied()).collect();
        let activities = Vec::with_capacity(slots);
        Writer {
            schedule,
            costs,
            transfers,
            first,
            slots,
            activities,
            sends: Vec::new(),
            roles,
            channels: FxHashMap::default(),
            awaited: vec![SmallVec::new(); schedule.stages],
        }
    }

    /// What comes once before the slots.
    fn before(&mut self) {
        let mut roles = Vec::new();
        self.once(Moment::Before, &mut roles);
        roles.append(&mut self.roles);
        self.roles = roles;
    }

    /// What stages do once at that moment, and then what they send.
    fn once(&mut self, moment: Moment, roles: &mut Vec<Role>) {
        let costs = self.costs;
        let mut done: FxHashMap<usize, u32> = FxHashMap::default();
        for once in costs.once.iter().filter(|once| once.moment == moment) {
            done.insert(once.stage, self.activities.len() as u32);
            self.activities.push(Activity {
                name: name_of(moment),
                takes: Takes::Seconds(once.seconds),
                lane: Some(once.stage),
                after: std::mem::take(&mut self.awaited[once.stage]),
                memory: SmallVec::new(),
            });
            roles.push(Role::Once { stage: once.stage, moment });
        }
        for sent in costs.sent.iter().filter(|sent| sent.behind == moment) {
            let [from, to] = sent.stages;
            let last_slot = || {
                let count = self.schedule.orders[from].len();
                (moment != Moment::Before && count > 0).then(|| (self.first[from] + count - 1) as u32)
            };
            let after = done.get(&from).copied().or_else(last_slot);
            let lane = self.channel(sent.stages);
            self.awaited[to].push(self.activities.len() as u32);
            self.activities.push(Activity {
                name: name_of(moment),
                takes: Takes::Flow { bytes: sent.bytes, route: sent.route },
                lane: Some(lane),
                after: after.into_iter().collect(),
                memory: SmallVec::new(),
            });
            roles.push(Role::Sent { stages: sent.stages, behind: moment });
        }
    }

    /// The lane of what one stage sends another one.
    fn channel(&mut self, stages: [usize; 2]) -> usize {
        let next = self.schedule.stages + self.channels.len();
        *self.channels.entry(stages).or_insert(next)
    }

    fn slot(&mut self, stage: usize, slot: Slot) {
        let chunk = slot.chunk as usize;
        let seconds = self.costs.durations.get(chunk).map_or(0.0, |durations| durations.of(slot.work));
        let mut memory = self.kept(stage, slot);
        let mut after = std::mem::take(&mut self.awaited[stage]);
        for need in self.schedule.needs(slot) {
            // What stands before it on its own stage is done before it anyway.
            if need.stage == stage {
                continue;
            }
            let giver = self.first[need.stage] + need.position;
            after.push(match self.send(&need, stage) {
                Some((send, bytes)) => {
                    memory.push(Change { device: stage, at_start: 0, at_end: -bytes });
                    send
                }
                None => giver as u32,
            });
        }
        self.activities.push(Activity {
            name: format_smolstr!("{}{}.{}", slot.work.letter(), slot.micro_batch, slot.chunk),
            takes: Takes::Seconds(seconds),
            lane: Some(stage),
            after,
            memory,
        });
    }

    /// What a slot keeps and gives up.
    fn kept(&self, device: usize, slot: Slot) -> SmallVec<[Change; 1]> {
        let chunk = slot.chunk as usize;
        let part = self.schedule.parts().chunks[chunk];
        let Kept { input, weight } = self.costs.kept.get(chunk).copied().unwrap_or_default();
        let change = match slot.work {
            Work::Forward if part.has_backward() => Change { device, at_start: input + weight, at_end: 0 },
            Work::Backward => Change { device, at_start: 0, at_end: -(input + weight) },
            Work::BackwardInput if part.backward_weight => Change { device, at_start: 0, at_end: -input },
            Work::BackwardWeight if part.backward_input => Change { device, at_start: 0, at_end: -weight },
            Work::BackwardInput | Work::BackwardWeight => Change { device, at_start: 0, at_end: -(input + weight) },
            Work::Forward => return SmallVec::new(),
        };
        SmallVec::from([change])
    }

    /// Sends what is needed to a stage, if that takes anything; the activity and its bytes.
    fn send(&mut self, need: &Need, to_stage: usize) -> Option<(u32, i64)> {
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
        let lane = self.channel(stages);
        // A device has room for what comes from when it is sent until it is read.
        let room = Change { device: to_stage, at_start: bytes as i64, at_end: 0 };
        let send = Activity {
            name: format_smolstr!("{}{}.{}>{to}", need.slot.work.letter(), need.slot.micro_batch, need.slot.chunk),
            takes: Takes::Flow { bytes, route },
            lane: Some(lane),
            after: SmallVec::from_slice(&[(self.first[need.stage] + need.position) as u32]),
            memory: SmallVec::from([room]),
        };
        self.sends.push((send, Role::Transfer { slot: need.slot, to, stages }));
        Some((number, bytes as i64))
    }

    /// All activities, what they are, and how many lanes there are.
    fn finish(mut self) -> (Vec<Activity>, Vec<Role>, usize) {
        // Sends were found by who reads them; lanes carry them in the order in which they are given.
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
        let mut sends: Vec<Option<(Activity, Role)>> = std::mem::take(&mut self.sends).into_iter().map(Some).collect();
        for (send, role) in order.into_iter().filter_map(|send| sends[send].take()) {
            self.activities.push(send);
            self.roles.push(role);
        }
        let moments = self.costs.once.iter().map(|once| once.moment);
        let moments: BTreeSet<Moment> = moments.chain(self.costs.sent.iter().map(|sent| sent.behind)).collect();
        let mut roles = Vec::new();
        for moment in moments.into_iter().filter(|&moment| moment != Moment::Before) {
            self.once(moment, &mut roles);
        }
        self.roles.append(&mut roles);
        (self.activities, self.roles, self.schedule.stages + self.channels.len())
    }
}

/// What is done or sent once is called.
fn name_of(moment: Moment) -> SmolStr {
    match moment {
        Moment::After(level) => format_smolstr!("after {level}"),
        Moment::Before | Moment::Slot(_) => "before".into(),
    }
}
