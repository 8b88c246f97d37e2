//! The communicator of devices in one process.
//!
//! Every device's state is known, so a deadlock is found the moment it happens: nobody computes, and somebody waits.
//! The last member that comes to a meeting performs its exchanges on everybody's memory, on as many threads as there
//! are, and then those that wait for it go on. Nothing in this file blocks.
#![allow(unsafe_code, reason = "exchanges work on the memory of devices")]

use crate::communicator::{Brought, Communicator, Site, Ticket};
use crate::exchange::{Exchange, Part};
use partita_ir::diag::{Code, Diagnostic};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long devices wait and on how many cores they compute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How long a device waits in a collective for the others. A deadlock is reported at once, whatever this is; the
    /// deadline is for devices that compute for ever.
    pub deadline: Duration,
    /// How many devices may compute at a time.
    pub cores: usize,
}

impl Default for Limits {
    /// An hour, on all cores of the machine.
    fn default() -> Self {
        Limits { deadline: Duration::from_secs(3600), cores: cores() }
    }
}

/// How many cores the machine has.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// What a device is doing.
#[derive(Clone, PartialEq, Debug)]
enum Doing {
    /// Computes, or will when a core is free.
    Computing,
    /// Waits for that collective to be complete.
    Waiting(Ticket, Instant),
    /// Comes to no more collectives.
    Finished,
}

/// A collective that is not complete.
struct Meeting {
    name: String,
    exchanges: Arc<[Exchange]>,
    /// What each member brought, in the order of the group.
    brought: Vec<Option<Vec<Brought>>>,
}

/// Who meets, and on which channel.
type Circle = (Arc<[usize]>, u32);

/// What the devices of one run share.
pub struct World {
    state: Mutex<State>,
    /// Whether there is a fault; saves computing devices the lock.
    failed: AtomicBool,
    /// Called with the rank of a device that waited and may go on.
    wake: Box<dyn Fn(usize) + Send + Sync>,
}

struct State {
    doing: Vec<Doing>,
    /// By device, how many collectives it has started of which devices, and on which channel.
    started: Vec<FxHashMap<Circle, u64>>,
    meetings: FxHashMap<Ticket, Meeting>,
    fault: Option<Diagnostic>,
}

impl World {
    /// A world of that many devices, all of them computing. `wake` is called for a device that waited and may go on.
    pub fn new(devices: usize, wake: impl Fn(usize) + Send + Sync + 'static) -> World {
        let state = State {
            doing: vec![Doing::Computing; devices],
            started: vec![FxHashMap::default(); devices],
            meetings: FxHashMap::default(),
            fault: None,
        };
        World { state: Mutex::new(state), failed: AtomicBool::new(false), wake: Box::new(wake) }
    }

    /// One device's view.
    pub fn member(&self, rank: usize) -> Member<'_> {
        Member { world: self, rank }
    }

    /// Makes every device fail; the first reason given stays.
    pub fn abort(&self, why: Diagnostic) {
        self.fail(self.lock(), why);
    }

    /// Fails when any device did.
    ///
    /// # Errors
    /// The first reason that was given.
    pub fn check(&self) -> Result<(), Diagnostic> {
        if self.failed.load(Ordering::Acquire) { self.lock().check() } else { Ok(()) }
    }

    /// The device comes to no more collectives.
    pub fn finish(&self, rank: usize) {
        let mut state = self.lock();
        state.doing[rank] = Doing::Finished;
        self.settle(state);
    }

    /// Fails when a device has waited for `deadline`; else says how long to go until one will have.
    pub fn expire(&self, deadline: Duration) -> Duration {
        let state = self.lock();
        let waits = state.doing.iter().enumerate().filter_map(|(rank, doing)| match doing {
            Doing::Waiting(_, since) => Some((since.elapsed(), rank)),
            Doing::Computing | Doing::Finished => None,
        });
        let Some((longest, rank)) = waits.max() else { return deadline };
        if let Some(left) = deadline.checked_sub(longest).filter(|left| !left.is_zero()) {
            return left;
        }
        if let Some(fault) = state.missed(rank, &format!("within {deadline:?}")) {
            self.fail(state, fault);
        }
        deadline
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent at every point where something could panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a fault and wakes everybody who waits, to find it.
    fn fail(&self, mut state: MutexGuard<'_, State>, why: Diagnostic) {
        state.fault.get_or_insert(why);
        self.failed.store(true, Ordering::Release);
        let waiting: Vec<usize> = (0..state.doing.len()).filter(|&r| state.resume(r)).collect();
        drop(state);
        waiting.into_iter().for_each(&self.wake);
    }

    /// When nobody computes, nobody will ever come to the open meetings.
    fn settle(&self, state: MutexGuard<'_, State>) {
        if state.fault.is_none()
            && !state.doing.contains(&Doing::Computing)
            && let Some(fault) = (0..state.doing.len()).find_map(|rank| state.missed(rank, "and never will"))
        {
            self.fail(state, fault);
        }
    }

    /// Performs the exchanges of a meeting that all have come to.
    fn perform(meeting: &Meeting) {
        for (i, exchange) in meeting.exchanges.iter().enumerate() {
            let parts: Vec<Part> = meeting.brought.iter().flatten().map(|brought| brought[i].part).collect();
            // SAFETY: all members have come, each has checked that it brings what the exchange was made for, and leaves
            // its memory alone until the meeting is complete. Items write different memory.
            let perform = |item: usize| unsafe { exchange.perform(&parts, item) };
            match exchange.items() {
                1 => perform(0),
                items => (0..items).into_par_iter().for_each(perform),
            }
        }
    }
}

impl State {
    fn check(&self) -> Result<(), Diagnostic> {
        self.fault.clone().map_or(Ok(()), Err)
    }

    /// Makes a device that waits compute; whether it waited.
    fn resume(&mut self, rank: usize) -> bool {
        let waits = matches!(self.doing[rank], Doing::Waiting(..));
        if waits {
            self.doing[rank] = Doing::Computing;
        }
        waits
    }

    /// What to say about the meeting that the device waits for; `None` when it does not wait.
    fn missed(&self, rank: usize, when: &str) -> Option<Diagnostic> {
        let Doing::Waiting(ticket, _) = &self.doing[rank] else { return None };
        let meeting = self.meetings.get(ticket)?;
        let present = |member: &usize| meeting.brought[position(&ticket.members, *member)].is_some();
        let (there, absent): (Vec<usize>, Vec<usize>) = ticket.members.iter().partition(|m| present(m));
        let fault =
            Diagnostic::new(Code::R005, format!("{} did not arrive at `{}` {when}", devices(&absent), meeting.name))
                .note(format!("{} there", wait(&there)));
        Some(absent.iter().take(4).fold(fault, |fault, &rank| fault.note(self.whereabouts(rank))))
    }

    fn whereabouts(&self, rank: usize) -> String {
        match &self.doing[rank] {
            Doing::Computing => format!("device {rank} is still computing"),
            Doing::Waiting(ticket, _) => {
                format!("device {rank} waits at `{}`", self.meetings.get(ticket).map_or("", |m| &m.name))
            }
            Doing::Finished => format!("device {rank} has finished"),
        }
    }
}

/// One device in a [`World`].
#[derive(Clone, Copy)]
pub struct Member<'w> {
    world: &'w World,
    rank: usize,
}

impl Communicator for Member<'_> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn start(&self, at: Site<'_>, brought: Vec<Brought>) -> Result<Ticket, Diagnostic> {
        let mut guard = self.world.lock();
        guard.check()?;
        let state = &mut *guard;
        let members = at.group.members();
        let channel = at.group.channel();
        let count = state.started[self.rank].entry((members.clone(), channel)).or_default();
        let ticket = Ticket { members: members.clone(), channel, number: *count };
        *count += 1;
        let new = || Meeting {
            name: at.name.to_owned(),
            exchanges: at.exchanges.clone(),
            brought: members.iter().map(|_| None).collect(),
        };
        let meeting = state.meetings.entry(ticket.clone()).or_insert_with(new);
        let wrong = mismatch(self.rank, at, meeting, &brought);
        if let Some(why) = wrong {
            self.world.fail(guard, why.clone());
            return Err(why);
        }
        meeting.brought[at.group.position()] = Some(brought);
        if meeting.brought.iter().any(Option::is_none) {
            return Ok(ticket);
        }
        let Some(meeting) = state.meetings.get_mut(&ticket).map(|meeting| Meeting {
            name: std::mem::take(&mut meeting.name),
            exchanges: meeting.exchanges.clone(),
            brought: std::mem::take(&mut meeting.brought),
        }) else {
            return Ok(ticket);
        };
        drop(guard);
        World::perform(&meeting);
        // Complete is what is not there any more.
        let mut state = self.world.lock();
        state.meetings.remove(&ticket);
        let waits = |doing: &Doing| matches!(doing, Doing::Waiting(for_this, _) if *for_this == ticket);
        let waiting: Vec<usize> = members.iter().copied().filter(|&m| waits(&state.doing[m])).collect();
        waiting.iter().for_each(|&rank| {
            state.resume(rank);
        });
        drop(state);
        waiting.into_iter().for_each(&self.world.wake);
        Ok(ticket)
    }

    fn poll(&self, ticket: &Ticket) -> Result<bool, Diagnostic> {
        let mut state = self.world.lock();
        state.check()?;
        if !state.meetings.contains_key(ticket) {
            return Ok(true);
        }
        state.doing[self.rank] = Doing::Waiting(ticket.clone(), Instant::now());
        self.world.settle(state);
        Ok(false)
    }

    fn abort(&self, why: Diagnostic) {
        self.world.abort(why);
    }

    fn check(&self) -> Result<(), Diagnostic> {
        self.world.check()
    }
}

/// What is wrong with what a device brings to a meeting that others may have come to.
fn mismatch(rank: usize, at: Site<'_>, meeting: &Meeting, brought: &[Brought]) -> Option<Diagnostic> {
    let members = at.group.members();
    let mut others = meeting.brought.iter().zip(members.iter()).filter_map(|(b, &member)| Some((b.as_ref()?, member)));
    if meeting.name != at.name {
        let there: Vec<usize> = others.map(|(_, member)| member).collect();
        let fault = Diagnostic::new(Code::R005, format!("device {rank} did not arrive at `{}`", meeting.name))
            .note(format!("{} there", wait(&there)))
            .note(format!("device {rank} is at `{}` with the same devices", at.name));
        return Some(fault);
    }
    let sizes = |brought: &[Brought]| brought.iter().map(|b| b.bytes).collect::<Vec<_>>();
    let mine = sizes(brought);
    let brings = |position: usize| at.exchanges.iter().map(|e| e.brought_bytes(position)).collect::<Vec<_>>();
    let wanted = brings(at.group.position());
    let title = if mine != wanted {
        format!("device {rank} brings {}, not {}", amount(&mine), amount(&wanted))
    } else {
        let differs = |(theirs, peer): &(&Vec<Brought>, usize)| sizes(theirs) != brings(position(members, *peer));
        let (theirs, peer) = others.find(differs)?;
        format!("device {rank} brings {}, but device {peer} {}", amount(&mine), amount(&sizes(theirs)))
    };
    Some(Diagnostic::new(Code::R004, format!("`{}`: {title}", at.name)))
}

/// `12 bytes`, `12 and 40 bytes`
fn amount(bytes: &[usize]) -> String {
    let list: Vec<String> = bytes.iter().map(usize::to_string).collect();
    format!("{} bytes", list.join(" and "))
}

fn position(members: &[usize], rank: usize) -> usize {
    members.iter().position(|&m| m == rank).unwrap_or(0)
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
