//! Execution on the devices of several processes, which a launcher starts: ranks of MPI, or of `torchrun`.
//!
//! Every process compiles the same program and executes a block of consecutive devices ([`Placement`]). Members of a
//! collective in one process share memory; those in different processes exchange packets through a [`Wire`]. Operands
//! are combined in the same order as in one process, so that results are identical
//! (`collective_exec/distributed.rs`).
//!
//! All processes execute the same sequence of runs and exchanges of values. A process that fails, or that no longer
//! answers, makes all others fail with its name.

pub mod agreement;
mod inbox;
mod placement;
pub mod tcp;
pub mod threads;
pub mod wire;

use inbox::Inbox;
pub(crate) use inbox::{FailureSink, PacketKey, PacketSink};
use partita_ir::diag::Diagnostic;
pub use placement::Placement;
use std::sync::{Arc, Weak};
use std::time::Duration;
use wire::{Message, Payload, Wire};

/// The processes of a run, as seen by one of them.
pub struct Processes {
    wire: Box<dyn Wire>,
    inbox: Arc<Inbox>,
    /// Maximum time that exchanges of values wait for a process.
    deadline: Duration,
}

impl Processes {
    /// Connects this process with the others. A process that does not answer for `deadline` is lost.
    pub fn new(wire: Box<dyn Wire>, deadline: Duration) -> Arc<Processes> {
        let inbox = Arc::new(Inbox::new(wire.index(), wire.count()));
        wire.start(inbox.clone());
        Arc::new(Processes { wire, inbox, deadline })
    }

    /// Returns the number of this process, from 0.
    pub fn index(&self) -> usize {
        self.wire.index()
    }

    /// Returns the number of processes.
    pub fn count(&self) -> usize {
        self.wire.count()
    }

    /// Returns the number of processes on the host of this one.
    pub fn local_count(&self) -> usize {
        self.wire.local_count()
    }

    /// Returns the bytes that each process passes, by process.
    ///
    /// # Errors
    /// `R005` when a process fails or does not arrive before the deadline.
    pub fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Diagnostic> {
        self.send_values(|_| Payload::from_bytes(bytes), self.deadline)
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
        self.send_values(payload, self.deadline)
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

    /// Makes every process fail: those that wait immediately, the others at their next collective.
    pub fn abort(&self, why: &Diagnostic) {
        for to in self.others() {
            self.wire.send(to, Message::Abort { payload: Payload::from_bytes(why.title.as_bytes()) });
        }
    }

    /// Returns an error if another process has failed.
    ///
    /// # Errors
    /// `R005` with the reason.
    pub fn check(&self) -> Result<(), Diagnostic> {
        self.inbox.check()
    }

    /// Sends all messages and ends the connection.
    pub fn finish(&self) {
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
