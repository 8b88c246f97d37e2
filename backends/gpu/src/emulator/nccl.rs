//! Emulation of NCCL between processes without GPUs: the functions send bytes over the connection between the
//! processes.
//!
//! Calls that do not block finish on a thread, and the state of their communicator is "in progress" until then.
//! Communicators reject what NCCL rejects: calls outside of a group of calls, and calls of a communicator whose last
//! call has not finished. Calls that do not match are an error, where NCCL would hang.

#![allow(unsafe_code, reason = "calls are made on addresses")]

mod work;

use super::Emulator;
use crate::executor::Executable;
use crate::executor::deadline::deadline;
use crate::module::Module;
use crate::nccl::functions::{
    CallArguments, CommunicationDevice, CommunicatorAddress, Functions, IN_PROGRESS, INVALID_ARGUMENT, INVALID_USAGE,
    NO_COLOR, REMOTE_ERROR, SUCCESS, Status, StreamAddress, UniqueId,
};
use crate::nccl::process_network::{ProcessNetwork, agree_on_module};
use partita_ir::diag::Diagnostic;
use partita_runtime::processes::Processes;
use partita_runtime::shared::DeviceProcesses;
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use work::{Issue, execute};

/// The emulated functions.
pub struct EmulatedNccl {
    processes: Arc<Processes>,
    state: Mutex<EmulatedState>,
}

#[derive(Default)]
struct EmulatedState {
    /// Communicators; the handle of one is its index plus 1.
    communicators: Vec<Option<Arc<EmulatedCommunicator>>>,
    /// Number of groups of calls that are begun and not ended.
    depth: usize,
    /// Calls of the group of calls in progress.
    issued: Vec<Issue>,
    /// Error of a call of the group of calls in progress.
    refusal: Option<Status>,
    /// Thread that executes the last group of calls.
    running: Option<JoinHandle<()>>,
    cancelled: Arc<AtomicBool>,
}

/// A communicator of one rank.
struct EmulatedCommunicator {
    status: AtomicI32,
    /// Description of the error, if there is one.
    error: OnceLock<String>,
    members: OnceLock<Members>,
    /// Number of groups of calls so far.
    groups: AtomicUsize,
}

/// Members of a communicator.
struct Members {
    /// Identifier, which is equal on all members.
    id: u64,
    /// Process of each member.
    processes: Vec<usize>,
    /// Position of this member.
    position: usize,
}

impl EmulatedCommunicator {
    fn new() -> Arc<EmulatedCommunicator> {
        Arc::new(EmulatedCommunicator {
            status: AtomicI32::new(IN_PROGRESS),
            error: OnceLock::new(),
            members: OnceLock::new(),
            groups: AtomicUsize::new(0),
        })
    }

    fn finish(&self, result: &Result<(), (Status, String)>) {
        let status = match result {
            Ok(()) => SUCCESS,
            Err((status, why)) => {
                let _ = self.error.set(why.clone());
                *status
            }
        };
        self.status.store(status, Ordering::Release);
    }
}

impl EmulatedNccl {
    /// Creates the functions of a process.
    pub fn new(processes: Arc<Processes>) -> EmulatedNccl {
        EmulatedNccl { processes, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, EmulatedState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the calls in progress without results.
    fn cancel(state: &mut EmulatedState) {
        state.cancelled.store(true, Ordering::Release);
        if let Some(running) = state.running.take() {
            let _ = running.join();
        }
    }

    /// Removes a communicator; returns false if there is none.
    fn remove(state: &mut EmulatedState, communicator: CommunicatorAddress) -> bool {
        communicator.checked_sub(1).and_then(|index| state.communicators.get_mut(index)?.take()).is_some()
    }
}

impl EmulatedState {
    fn add(&mut self) -> (CommunicatorAddress, Arc<EmulatedCommunicator>) {
        let communicator = EmulatedCommunicator::new();
        self.communicators.push(Some(communicator.clone()));
        (self.communicators.len(), communicator)
    }

    /// Refuses a call, and with it all calls of the group.
    fn refuse(&mut self, status: Status) -> Status {
        self.refusal = Some(status);
        status
    }

    /// Returns a communicator whose calls have finished.
    fn idle(&self, communicator: CommunicatorAddress) -> Result<Arc<EmulatedCommunicator>, Status> {
        let found = communicator.checked_sub(1).and_then(|index| self.communicators.get(index)?.clone());
        let found = found.ok_or(INVALID_ARGUMENT)?;
        // A rank of a group of calls may issue several of them.
        let is_issued = self.issued.iter().any(|issue| Arc::ptr_eq(issue.communicator(), &found));
        if self.depth == 0 || found.status.load(Ordering::Acquire) != SUCCESS && !is_issued {
            return Err(INVALID_USAGE);
        }
        Ok(found)
    }
}

impl Functions for EmulatedNccl {
    fn error_text(&self, status: Status) -> String {
        match status {
            INVALID_ARGUMENT => "invalid argument",
            INVALID_USAGE => "invalid usage",
            REMOTE_ERROR => "remote process exited or there was a network error",
            _ => "internal error",
        }
        .to_owned()
    }

    fn last_error(&self, communicator: CommunicatorAddress) -> String {
        let state = self.lock();
        let found = communicator.checked_sub(1).and_then(|index| state.communicators.get(index)?.as_ref());
        found.and_then(|found| found.error.get().cloned()).unwrap_or_default()
    }

    fn unique_id(&self, id: &mut UniqueId) -> Status {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        id.0[..16].copy_from_slice(&now.as_nanos().to_le_bytes());
        SUCCESS
    }

    fn group_start(&self) -> Status {
        self.lock().depth += 1;
        SUCCESS
    }

    fn group_end(&self) -> Status {
        let mut state = self.lock();
        match state.depth.checked_sub(1) {
            None => return INVALID_USAGE,
            Some(depth) => state.depth = depth,
        }
        if state.depth > 0 {
            return SUCCESS;
        }
        let issued = std::mem::take(&mut state.issued);
        if let Some(refusal) = state.refusal.take() {
            return refusal;
        }
        if issued.is_empty() {
            return SUCCESS;
        }
        if let Some(running) = state.running.take() {
            let _ = running.join();
        }
        for issue in &issued {
            issue.communicator().status.store(IN_PROGRESS, Ordering::Release);
        }
        let (processes, cancelled) = (self.processes.clone(), state.cancelled.clone());
        state.running = Some(std::thread::spawn(move || execute(&processes, issued, &cancelled)));
        IN_PROGRESS
    }

    unsafe fn init_rank(&self, communicator: &AtomicUsize, count: usize, id: &UniqueId, rank: usize) -> Status {
        let mut state = self.lock();
        if rank >= count {
            return INVALID_ARGUMENT;
        }
        if state.depth == 0 {
            return INVALID_USAGE;
        }
        let (handle, added) = state.add();
        communicator.store(handle, Ordering::Release);
        state.issued.push(Issue::Init { communicator: added, count, id: *id, rank });
        SUCCESS
    }

    unsafe fn split(&self, parent: CommunicatorAddress, color: c_int, key: c_int, child: &AtomicUsize) -> Status {
        let mut state = self.lock();
        let parent = match state.idle(parent) {
            Ok(parent) => parent,
            Err(status) => return state.refuse(status),
        };
        let added = (color != NO_COLOR).then(|| state.add());
        child.store(added.as_ref().map_or(0, |(handle, _)| *handle), Ordering::Release);
        let child = added.map(|(_, added)| added);
        state.issued.push(Issue::Split { communicator: parent, child, color, key });
        SUCCESS
    }

    unsafe fn async_error(&self, communicator: CommunicatorAddress, state: &mut Status) -> Status {
        let all = self.lock();
        let found = communicator.checked_sub(1).and_then(|index| all.communicators.get(index)?.as_ref());
        let Some(found) = found else { return INVALID_ARGUMENT };
        *state = found.status.load(Ordering::Acquire);
        SUCCESS
    }

    unsafe fn finalize(&self, communicator: CommunicatorAddress) -> Status {
        self.lock().idle(communicator).map_or_else(|status| status, |_| SUCCESS)
    }

    unsafe fn destroy(&self, communicator: CommunicatorAddress) -> Status {
        if EmulatedNccl::remove(&mut self.lock(), communicator) { SUCCESS } else { INVALID_ARGUMENT }
    }

    unsafe fn abort(&self, communicator: CommunicatorAddress) -> Status {
        let mut state = self.lock();
        EmulatedNccl::cancel(&mut state);
        if EmulatedNccl::remove(&mut state, communicator) { SUCCESS } else { INVALID_ARGUMENT }
    }

    unsafe fn call(&self, communicator: CommunicatorAddress, arguments: &CallArguments, _: StreamAddress) -> Status {
        let mut state = self.lock();
        match state.idle(communicator) {
            Err(status) => state.refuse(status),
            Ok(communicator) => {
                state.issued.push(Issue::Call { communicator, arguments: *arguments });
                SUCCESS
            }
        }
    }
}

impl Drop for EmulatedNccl {
    fn drop(&mut self) {
        EmulatedNccl::cancel(&mut self.lock());
    }
}

/// Loads the ranks of one of several processes on emulated devices, one for each of them. All processes call the
/// function.
///
/// # Errors
/// The errors of [`ProcessNetwork::connect`] and [`Executable::load_on_process`].
pub fn load_on_process(
    module: Arc<Module>,
    emulator: Emulator,
    processes: DeviceProcesses,
) -> Result<Executable<Emulator>, Diagnostic> {
    agree_on_module(processes.processes(), &module)?;
    let functions = Arc::new(EmulatedNccl::new(processes.processes().clone()));
    let devices = vec![emulator; processes.local().len()];
    let network = ProcessNetwork::connect(functions, &processes, &module, &devices, deadline()?)?;
    Executable::load_on_process(module, devices, Box::new(network), processes)
}

impl CommunicationDevice for Emulator {
    fn make_current(&self) -> Result<(), Diagnostic> {
        Ok(())
    }

    fn communication_stream(&self) -> StreamAddress {
        0
    }
}
