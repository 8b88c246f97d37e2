//! Messages that have arrived at a process, and their recipients.

use super::failure;
use super::payload::Payload;
use super::wire::{Message, Receiver};
use partita_ir::diag::{Code, Diagnostic};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Maximum duration of a wait for a change, which systems limit.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Identity of a collective among all processes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PacketKey {
    /// Number of the run.
    pub(crate) run: u64,
    /// Hash of the members, the channel, the number of the collective on the channel, and the operand.
    pub(crate) collective: u64,
    /// Hash of the name of the collective, which detects processes at different collectives.
    pub(crate) name: u64,
}

/// Recipient of the packets of a collective.
pub(crate) trait PacketSink: Send + Sync {
    /// Accepts a packet of another process. Returns false if the packet does not belong to the collective.
    fn accept(&self, from: usize, packet: u64, payload: &Arc<Payload>) -> bool;

    /// Ends all access to the memory of the members.
    fn close(&self);
}

/// Devices of a run, which fail with other processes.
pub(crate) trait FailureSink: Send + Sync {
    /// Makes every device of this process fail because another process did.
    fn fail_from_outside(&self, why: Diagnostic);
}

/// Packet that arrived before its collective was started.
struct EarlyPacket {
    from: usize,
    name: u64,
    packet: u64,
    payload: Arc<Payload>,
}

/// Messages for one process.
pub(super) struct Inbox {
    index: usize,
    state: Mutex<InboxState>,
    changed: Condvar,
}

struct InboxState {
    /// Number of the current or next run.
    run: u64,
    /// Devices of the current run.
    devices: Option<Weak<dyn FailureSink>>,
    /// Recipients and names of the collectives in progress, by run and collective.
    sinks: FxHashMap<(u64, u64), (u64, Arc<dyn PacketSink>)>,
    early: FxHashMap<(u64, u64), Vec<EarlyPacket>>,
    /// Number of the next exchange of values.
    next_value: u64,
    /// Contributions to exchanges, by number and process.
    values: FxHashMap<u64, Vec<Option<Payload>>>,
    /// Processes that have finished without an error.
    finished: Vec<bool>,
    /// Names of the hosts, by process; empty if they have not been exchanged.
    hosts: Vec<String>,
    /// Times of the last messages, by process.
    heard: Vec<Instant>,
    fault: Option<Diagnostic>,
}

impl InboxState {
    /// Returns the name of a process for messages.
    fn name(&self, process: usize) -> String {
        match self.hosts.get(process) {
            Some(host) => format!("rank {process} on {host}"),
            None => format!("rank {process}"),
        }
    }

    /// Returns an error if a process, of which a message is missing, has finished.
    fn check_running(&self, process: usize) -> Result<(), Diagnostic> {
        if !self.finished[process] {
            return Ok(());
        }
        Err(Diagnostic::new(Code::R005, format!("{} has finished before the others", self.name(process))))
    }
}

impl Inbox {
    /// Creates the inbox of the process with number `index`.
    pub(super) fn new(index: usize, count: usize) -> Inbox {
        let state = InboxState {
            run: 0,
            devices: None,
            sinks: FxHashMap::default(),
            early: FxHashMap::default(),
            next_value: 0,
            values: FxHashMap::default(),
            finished: vec![false; count],
            hosts: Vec::new(),
            heard: vec![Instant::now(); count],
            fault: None,
        };
        Inbox { index, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Sets the names of the hosts, by process.
    pub(super) fn set_hosts(&self, hosts: Vec<String>) {
        self.lock().hosts = hosts;
    }

    /// Returns true if two processes are on the same host. Without names of hosts, all are on one.
    pub(super) fn is_on_host_of(&self, process: usize, other: usize) -> bool {
        let state = self.lock();
        state.hosts.get(process) == state.hosts.get(other)
    }

    /// Returns the number of the next exchange of values.
    pub(super) fn next_value(&self) -> u64 {
        let mut state = self.lock();
        state.next_value += 1;
        state.next_value
    }

    /// Waits for the contributions of all processes to an exchange, each at most for `deadline`.
    pub(super) fn values(&self, number: u64, own: Payload, deadline: Duration) -> Result<Vec<Vec<u8>>, Diagnostic> {
        let started = Instant::now();
        let mut state = self.lock();
        let count = state.finished.len();
        state.values.entry(number).or_insert_with(|| vec![None; count])[self.index] = Some(own);
        loop {
            let missing = state.values.get(&number).and_then(|values| values.iter().position(Option::is_none));
            let Some(missing) = missing else {
                let values = state.values.remove(&number).unwrap_or_default();
                return Ok(values.iter().flatten().map(|payload| payload.as_bytes().to_vec()).collect());
            };
            if let Some(fault) = &state.fault {
                return Err(fault.clone());
            }
            state.check_running(missing)?;
            let Some(left) = deadline.checked_sub(started.elapsed()) else {
                let title = format!("{} did not answer within {deadline:?}", state.name(missing));
                return Err(Diagnostic::new(Code::R005, title));
            };
            state = self.changed.wait_timeout(state, left.min(LONGEST_WAIT)).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns the processes that have sent nothing for a time, except those that have finished.
    pub(super) fn silent_for(&self, longest: Duration) -> Vec<usize> {
        let state = self.lock();
        let is_silent = |&process: &usize| {
            process != self.index && !state.finished[process] && state.heard[process].elapsed() > longest
        };
        (0..state.heard.len()).filter(is_silent).collect()
    }

    /// Takes all processes for alive now.
    pub(super) fn hear_all(&self) {
        self.lock().heard.fill(Instant::now());
    }

    /// Begins a run.
    pub(super) fn begin_run(&self, devices: Weak<dyn FailureSink>) -> u64 {
        let mut state = self.lock();
        state.devices = Some(devices);
        state.run
    }

    /// Returns an error if this or another process has failed.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        self.lock().fault.clone().map_or(Ok(()), Err)
    }

    /// Returns an error if this or another process has failed, or if one of the given processes has finished.
    pub(super) fn check_running(&self, mut processes: impl Iterator<Item = usize>) -> Result<(), Diagnostic> {
        // A process that fails finishes afterwards.
        let state = self.lock();
        state.fault.clone().map_or(Ok(()), Err)?;
        processes.try_for_each(|process| state.check_running(process))
    }

    /// Ends the current run.
    pub(super) fn end_run(&self) {
        let mut state = self.lock();
        state.run += 1;
        state.devices = None;
        let run = state.run;
        state.early.retain(|key, _| key.0 >= run);
        let sinks: Vec<Arc<dyn PacketSink>> = state.sinks.drain().map(|(_, (_, sink))| sink).collect();
        drop(state);
        sinks.iter().for_each(|sink| sink.close());
    }

    /// Delivers the packets of a collective to `sink` until the sink has been removed.
    pub(super) fn deliver(&self, key: PacketKey, sink: Arc<dyn PacketSink>) {
        let mut state = self.lock();
        state.sinks.insert((key.run, key.collective), (key.name, sink.clone()));
        let early = state.early.remove(&(key.run, key.collective)).unwrap_or_default();
        drop(state);
        for EarlyPacket { from, name, packet, payload } in early {
            if name != key.name || !sink.accept(from, packet, &payload) {
                self.fail(different_collectives(self.index, from));
            }
        }
    }

    /// Removes the sink of a complete collective.
    pub(super) fn remove(&self, key: PacketKey) {
        self.lock().sinks.remove(&(key.run, key.collective));
    }

    fn packet(&self, key: PacketKey, early: EarlyPacket) {
        let mut state = self.lock();
        if key.run < state.run {
            return;
        }
        match state.sinks.get(&(key.run, key.collective)) {
            Some((name, sink)) if *name == key.name => {
                let sink = sink.clone();
                drop(state);
                if !sink.accept(early.from, early.packet, &early.payload) {
                    self.fail(different_collectives(self.index, early.from));
                }
            }
            Some(_) => {
                drop(state);
                self.fail(different_collectives(self.index, early.from));
            }
            None => state.early.entry((key.run, key.collective)).or_default().push(early),
        }
    }

    /// Makes this process fail: the current run, and exchanges of values.
    fn fail(&self, why: Diagnostic) {
        let mut state = self.lock();
        state.fault.get_or_insert(why.clone());
        let devices = state.devices.as_ref().and_then(Weak::upgrade);
        drop(state);
        self.changed.notify_all();
        if let Some(devices) = devices {
            devices.fail_from_outside(why);
        }
    }

    fn lock(&self) -> MutexGuard<'_, InboxState> {
        // No code panics while the state is inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Receiver for Inbox {
    fn receive(&self, from: usize, message: Message) {
        self.lock().heard[from] = Instant::now();
        match message {
            Message::Alive => {}
            Message::Packet { key, packet, payload } => {
                self.packet(key, EarlyPacket { from, name: key.name, packet, payload });
            }
            Message::Value { number, payload } => {
                let mut state = self.lock();
                let count = state.finished.len();
                state.values.entry(number).or_insert_with(|| vec![None; count])[from] = Some(payload);
                self.changed.notify_all();
            }
            Message::Abort { payload } => {
                let text = String::from_utf8_lossy(payload.as_bytes());
                let who = self.lock().name(from);
                self.fail(failure::from_text(&who, &text));
            }
            Message::Finished => {
                self.lock().finished[from] = true;
                self.changed.notify_all();
            }
        }
    }

    fn lose(&self, process: usize, why: &str) {
        let state = self.lock();
        if !state.finished[process] {
            let title = format!("{} was lost: {why}", state.name(process));
            drop(state);
            self.fail(Diagnostic::new(Code::R005, title));
        }
    }
}

fn different_collectives(index: usize, other: usize) -> Diagnostic {
    Diagnostic::new(Code::R005, format!("ranks {index} and {other} are at different collectives"))
        .note("all ranks must execute the same program and plan")
}
