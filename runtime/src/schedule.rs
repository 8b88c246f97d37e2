//! Who may compute: devices share the cores, and wait for each other in meetings.
//!
//! A device is queued until a core is free, computes until it has to wait, and is queued again when the meeting that it
//! waits for is complete. Every device's state is known, so a deadlock is found the moment it happens: nobody computes,
//! nobody is queued, and somebody waits. Nothing in this file blocks; [`crate::shared`] puts threads to sleep and wakes
//! those that [`Schedule::take_woken`] names.

use crate::group::Group;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// What a device is doing.
#[derive(Clone, PartialEq, Debug)]
enum Doing {
    /// Could compute, once a core is free.
    Queued,
    /// Has a core.
    Computing,
    /// Has come to the meeting of these members.
    Waiting(Arc<[usize]>),
    /// Will not come to any more meetings.
    Finished,
}

/// A meeting that not all members have come to.
struct Meeting {
    name: Arc<str>,
    /// What each member brought, in the order of the group.
    brought: Vec<Option<Arc<Tensor>>>,
}

/// What all members of a meeting brought, in the order of the group.
pub(crate) type Brought = Arc<[Arc<Tensor>]>;

/// What a device does next.
pub(crate) enum Turn {
    /// Computes, with the result of the meeting that it waited for, if any.
    Go(Option<Brought>),
    /// Waits for a core.
    Queue,
    /// Waits for other members.
    Wait,
}

/// The state of all devices.
pub(crate) struct Schedule {
    doing: Vec<Doing>,
    /// What came of the meeting that a device waited for last.
    inbox: Vec<Option<Brought>>,
    /// By members: a device is in one meeting at a time, so they identify it.
    meetings: FxHashMap<Arc<[usize]>, Meeting>,
    queue: VecDeque<usize>,
    cores: usize,
    computing: usize,
    fault: Option<Diagnostic>,
    woken: Vec<usize>,
}

impl Schedule {
    /// `devices` devices on `cores` cores. All are queued, and the first ones compute.
    pub(crate) fn new(devices: usize, cores: usize) -> Schedule {
        let mut schedule = Schedule {
            doing: vec![Doing::Queued; devices],
            inbox: vec![None; devices],
            meetings: FxHashMap::default(),
            queue: (0..devices).collect(),
            cores: cores.max(1),
            computing: 0,
            fault: None,
            woken: Vec::new(),
        };
        schedule.dispatch();
        schedule
    }

    /// Those whose turn changed since the last call.
    pub(crate) fn take_woken(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.woken)
    }

    /// Fails when something went wrong on any device.
    pub(crate) fn check(&self) -> Result<(), Diagnostic> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// Makes every device fail. The first reason given stays.
    pub(crate) fn fail(&mut self, why: Diagnostic) {
        if self.fault.is_none() {
            self.fault = Some(why);
            self.woken = (0..self.doing.len()).collect();
        }
    }

    /// What the device does next.
    pub(crate) fn turn(&mut self, rank: usize) -> Result<Turn, Diagnostic> {
        self.check()?;
        Ok(match self.doing[rank] {
            Doing::Computing => Turn::Go(self.inbox[rank].take()),
            Doing::Waiting(_) => Turn::Wait,
            Doing::Queued | Doing::Finished => Turn::Queue,
        })
    }

    /// A computing device comes to a meeting. The last member goes on computing; the others wait.
    pub(crate) fn come(&mut self, rank: usize, group: &Group, name: &str, value: Arc<Tensor>) {
        let members = group.members();
        let new = || Meeting { name: name.into(), brought: vec![None; members.len()] };
        let meeting = self.meetings.entry(members.clone()).or_insert_with(new);
        if *meeting.name != *name {
            let there: Vec<usize> = present(meeting, members).collect();
            let fault = Diagnostic::new(Code::R005, format!("device {rank} did not arrive at `{}`", meeting.name))
                .note(format!("{} there", wait(&there)))
                .note(format!("device {rank} is at `{name}` with the same devices"));
            return self.fail(fault);
        }
        meeting.brought[group.position()] = Some(value);
        if meeting.brought.contains(&None) {
            self.doing[rank] = Doing::Waiting(members.clone());
            self.computing -= 1;
            return self.settle();
        }
        let brought: Brought = meeting.brought.iter_mut().filter_map(Option::take).collect();
        self.meetings.remove(members);
        for &member in members.iter() {
            self.inbox[member] = Some(brought.clone());
            if member != rank {
                self.doing[member] = Doing::Queued;
                self.queue.push_back(member);
            }
        }
        self.dispatch();
    }

    /// The device comes to no more meetings.
    pub(crate) fn finish(&mut self, rank: usize) {
        if self.doing[rank] == Doing::Computing {
            self.computing -= 1;
        }
        self.doing[rank] = Doing::Finished;
        self.settle();
    }

    /// The device has waited for `deadline`: too long.
    pub(crate) fn expire(&mut self, rank: usize, deadline: Duration) {
        if let Some(fault) = self.missed(rank, &format!("within {deadline:?}")) {
            self.fail(fault);
        }
    }

    /// Gives free cores to queued devices, first come first served.
    fn dispatch(&mut self) {
        while self.computing < self.cores
            && let Some(rank) = self.queue.pop_front()
        {
            self.doing[rank] = Doing::Computing;
            self.computing += 1;
            self.woken.push(rank);
        }
    }

    /// A core became free: the next device gets it, and if there is none, nobody will ever come to the open meetings.
    fn settle(&mut self) {
        self.dispatch();
        if self.computing == 0
            && let Some(fault) = (0..self.doing.len()).find_map(|rank| self.missed(rank, "and never will"))
        {
            self.fail(fault);
        }
    }

    /// What to say about the meeting that the device waits for; `None` when it does not wait.
    fn missed(&self, rank: usize, when: &str) -> Option<Diagnostic> {
        let Doing::Waiting(members) = &self.doing[rank] else { return None };
        let meeting = self.meetings.get(members)?;
        let there: Vec<usize> = present(meeting, members).collect();
        let absent: Vec<usize> = members.iter().copied().filter(|m| !there.contains(m)).collect();
        let fault =
            Diagnostic::new(Code::R005, format!("{} did not arrive at `{}` {when}", devices(&absent), meeting.name))
                .note(format!("{} there", wait(&there)));
        Some(absent.iter().take(4).fold(fault, |fault, &rank| fault.note(self.whereabouts(rank))))
    }

    fn whereabouts(&self, rank: usize) -> String {
        match &self.doing[rank] {
            Doing::Queued => format!("device {rank} waits for a core"),
            Doing::Computing => format!("device {rank} is still computing"),
            Doing::Waiting(members) => {
                let at = self.meetings.get(members).map_or("", |m| &m.name);
                format!("device {rank} waits at `{at}`")
            }
            Doing::Finished => format!("device {rank} has finished"),
        }
    }
}

/// The members that have come.
fn present(meeting: &Meeting, members: &[usize]) -> impl Iterator<Item = usize> {
    meeting.brought.iter().zip(members).filter(|(value, _)| value.is_some()).map(|(_, &member)| member)
}

/// `device 3`, `devices 0, 1`, or the first ones and how many more.
fn devices(ranks: &[usize]) -> String {
    const SHOWN: usize = 8;
    let list: Vec<String> = ranks.iter().take(SHOWN).map(|r| r.to_string()).collect();
    let more = if ranks.len() > SHOWN { format!(" and {} more", ranks.len() - SHOWN) } else { String::new() };
    format!("device{} {}{more}", if ranks.len() == 1 { "" } else { "s" }, list.join(", "))
}

/// `device 3 waits`, `devices 0, 1 wait`
fn wait(ranks: &[usize]) -> String {
    format!("{} {}", devices(ranks), if ranks.len() == 1 { "waits" } else { "wait" })
}
