//! Execution on the devices of several processes, which a launcher starts: ranks of MPI, or of `torchrun`.
//!
//! Every process compiles the same program and executes a block of consecutive devices ([`Placement`]). Members of a
//! collective in one process share memory; those in different processes exchange packets through a [`Wire`]. Operands
//! are combined in the same order as in one process, so that results are identical
//! (`collective_exec/distributed.rs`).
//!
//! All processes execute the same sequence of runs and exchanges of values. A process that fails, or that gives no sign
//! of life, makes all others fail with its name.

pub mod agreement;
mod failure;
mod heartbeat;
mod host;
mod inbox;
pub mod native;
mod packets;
pub mod payload;
mod placement;
pub mod tcp;
pub mod threads;
pub mod wire;

use heartbeat::Heartbeat;
pub use host::{cpu_seconds, host_name};
use inbox::Inbox;
pub(crate) use inbox::{FailureSink, PacketKey, PacketSink};
use native::{CollectiveChoice, NativeCollectives, NativeGroup, NativeGroups};
use partita_ir::diag::Diagnostic;
use partita_machine::network::RankTransport;
use payload::Payload;
pub use placement::Placement;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use wire::{Message, Wire};

/// Time within which a living process contributes to an exchange of values.
const ANSWER_DEADLINE: Duration = Duration::from_secs(3600);

/// The processes of a run, as seen by one of them.
pub struct Processes {
    wire: Arc<dyn Wire>,
    inbox: Arc<Inbox>,
    heartbeat: Heartbeat,
    /// True if collectives of the transport may be used.
    uses_native: AtomicBool,
    groups: Mutex<NativeGroups>,
    choices: Mutex<Vec<CollectiveChoice>>,
    /// Number of collectives that the transport executes now, on memory of devices.
    lent: AtomicUsize,
}

impl Processes {
    /// Connects this process with the others. A process that gives no sign of life for `longest_silence` is lost.
    pub fn new(wire: Arc<dyn Wire>, longest_silence: Duration) -> Arc<Processes> {
        let inbox = Arc::new(Inbox::new(wire.index(), wire.count()));
        wire.start(inbox.clone());
        let heartbeat = Heartbeat::start(wire.clone(), inbox.clone(), longest_silence);
        Arc::new(Processes {
            wire,
            inbox,
            heartbeat,
            uses_native: AtomicBool::new(false),
            groups: Mutex::default(),
            choices: Mutex::default(),
            lent: AtomicUsize::new(0),
        })
    }

    /// Lets later executables use the collectives of the transport where they are faster, so that results may differ
    /// from those of one process in the last bits. Must be called by all processes or by none.
    pub fn use_native_collectives(&self) {
        self.uses_native.store(true, Ordering::Relaxed);
    }

    /// Returns the choices between collectives of all executables that have run.
    pub fn collective_choices(&self) -> Vec<CollectiveChoice> {
        self.choices.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the collectives of the transport, if they may be used.
    pub(crate) fn native_collectives(&self) -> Option<&dyn NativeCollectives> {
        self.wire.collectives().filter(|_| self.uses_native.load(Ordering::Relaxed))
    }

    /// Returns the group of devices in the given processes; `Some(None)` if this process is not one of them, `None` if
    /// the transport has no such group. All processes call this function for the same groups in the same order.
    pub(crate) fn native_group(&self, processes: &[usize], members: &Arc<[usize]>) -> Option<Option<Arc<NativeGroup>>> {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        groups.group(self.native_collectives()?, self.index(), processes, members)
    }

    /// Lends memory of devices to the transport for a collective.
    pub(crate) fn lend_memory(&self) {
        self.lent.fetch_add(1, Ordering::AcqRel);
    }

    /// Takes the memory of a complete collective back.
    pub(crate) fn return_memory(&self) {
        self.lent.fetch_sub(1, Ordering::AcqRel);
    }

    /// Returns true if the transport may access memory of devices. After a failure it does so until the process ends:
    /// the memory must not be freed.
    pub(crate) fn lends_memory(&self) -> bool {
        self.lent.load(Ordering::Acquire) > 0
    }

    /// Returns the choice for the same collective.
    pub(crate) fn choice_like(&self, choice: &CollectiveChoice) -> Option<CollectiveChoice> {
        let choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        choices.iter().find(|known| known.is_like(choice)).cloned()
    }

    pub(crate) fn add_choice(&self, choice: CollectiveChoice) {
        self.choices.lock().unwrap_or_else(PoisonError::into_inner).push(choice);
    }

    /// Returns the number of this process, from 0.
    pub fn index(&self) -> usize {
        self.wire.index()
    }

    /// Returns the number of processes.
    pub fn count(&self) -> usize {
        self.wire.count()
    }

    /// Returns the transport of messages.
    pub fn transport(&self) -> RankTransport {
        self.wire.transport()
    }

    /// Returns the number of processes on the host of this one.
    pub fn local_count(&self) -> usize {
        self.wire.local_count()
    }

    /// Returns true if a process is on the host of this one, once [`Processes::exchange_hosts`] has named the hosts.
    pub fn is_on_this_host(&self, process: usize) -> bool {
        self.inbox.is_on_host_of(process, self.index())
    }

    /// Returns the bytes that each process passes, by process.
    ///
    /// # Errors
    /// `R005` when a process fails, or does not arrive within an hour.
    pub fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Diagnostic> {
        self.send_values(|_| Payload::from_bytes(bytes), ANSWER_DEADLINE)
    }

    /// [`Processes::all_gather`] after work of unknown duration, such as writing a file. Waits as long as all processes
    /// can be reached.
    ///
    /// # Errors
    /// `R005` when a process fails or is lost.
    pub fn all_gather_after_work(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Diagnostic> {
        self.send_values(|_| Payload::from_bytes(bytes), Duration::MAX)
    }

    /// Sends `to[process]` to each process. Returns the bytes that each process has sent to this one, by process.
    ///
    /// # Errors
    /// `R005` when a process fails or does not arrive before the deadline.
    pub fn exchange(&self, mut to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Diagnostic> {
        let payload =
            |process: usize| Payload::from_bytes(&to.get_mut(process).map(std::mem::take).unwrap_or_default());
        self.send_values(payload, ANSWER_DEADLINE)
    }

    fn send_values(
        &self,
        mut payload: impl FnMut(usize) -> Payload,
        deadline: Duration,
    ) -> Result<Vec<Vec<u8>>, Diagnostic> {
        let number = self.inbox.next_value();
        for to in self.others() {
            self.wire.send(to, Message::Value { number, payload: payload(to) });
        }
        self.inbox.values(number, payload(self.index()), deadline)
    }

    /// Exchanges the names of the hosts, with which messages name processes.
    ///
    /// # Errors
    /// Same as [`Processes::all_gather`].
    pub fn exchange_hosts(&self) -> Result<(), Diagnostic> {
        let hosts = self.all_gather(host_name().unwrap_or_else(|| "an unnamed host".to_owned()).as_bytes())?;
        self.inbox.set_hosts(hosts.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect());
        Ok(())
    }

    /// Makes every process fail: those that wait immediately, the others at their next collective. Has no effect if
    /// another process has failed before, which is then the cause.
    pub fn abort(&self, why: &Diagnostic) {
        if self.check().is_err() {
            return;
        }
        let payload = Payload::from_bytes(failure::to_text(why).as_bytes());
        for to in self.others() {
            self.wire.send(to, Message::Abort { payload: payload.clone() });
        }
    }

    /// Returns an error if another process has failed.
    ///
    /// # Errors
    /// `R005` with the reason.
    pub fn check(&self) -> Result<(), Diagnostic> {
        self.inbox.check()
    }

    /// [`Processes::check`] while this process waits for the others, none of which may have finished.
    ///
    /// # Errors
    /// `R005` with the reason, or the process that has finished.
    pub fn check_running(&self) -> Result<(), Diagnostic> {
        self.inbox.check_running(self.others())
    }

    /// Sends all messages and ends the connection.
    pub fn finish(&self) {
        self.heartbeat.stop();
        self.wire.finish();
    }

    /// Begins a run of devices, whose sink learns of failures of other processes. Returns the number of the run.
    pub(crate) fn begin_run(&self, devices: Weak<dyn FailureSink>) -> u64 {
        self.inbox.begin_run(devices)
    }

    /// Ends the run: no packet is delivered to its collectives any more.
    pub(crate) fn end_run(&self) {
        self.inbox.end_run();
    }

    /// Delivers the packets of a collective to `sink`, including those that have arrived already.
    pub(crate) fn deliver(&self, key: PacketKey, sink: Arc<dyn PacketSink>) {
        self.inbox.deliver(key, sink);
    }

    /// Ends the delivery of packets of a complete collective.
    pub(crate) fn remove(&self, key: PacketKey) {
        self.inbox.remove(key);
    }

    /// Sends a packet of a collective.
    pub(crate) fn send_packet(&self, to: usize, key: PacketKey, packet: u64, payload: Arc<Payload>) {
        self.wire.send(to, Message::Packet { key, packet, payload });
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let index = self.index();
        (0..self.count()).filter(move |&other| other != index)
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        self.finish();
    }
}
