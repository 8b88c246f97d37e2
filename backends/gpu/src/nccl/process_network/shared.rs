//! NetworkState of the communicators of a process, which its main thread and the watchdog share.

#![allow(unsafe_code, reason = "calls are made on addresses")]

use crate::executor::deadline::deadline_exceeded;
use crate::nccl::functions::{CommunicatorAddress, Functions, IN_PROGRESS, REMOTE_ERROR, SUCCESS, Status};
use partita_ir::diag::{Code, Diagnostic};
use partita_runtime::processes::Processes;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longest time between two polls of communicators.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Time within which the connection between processes names the one that NCCL has lost. Sockets of a process that was
/// killed are closed at once.
const CAUSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Time that an abort leaves for calls that are being issued, which may wait for the GPU.
const ISSUE_TIMEOUT: Duration = Duration::from_secs(1);

/// Time within which communicators are closed in an orderly way.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Memory for the address of a communicator, which NCCL writes; 0 before, and when the communicator has been closed.
pub(super) type Slot = Arc<AtomicUsize>;

/// Functions and communicators of a process.
pub(super) struct Shared {
    pub(super) functions: Arc<dyn Functions>,
    processes: Arc<Processes>,
    /// Time limit for the work between [`Shared::begin`] and [`Shared::finish`].
    deadline: Option<Duration>,
    /// Lock held while a group of calls is issued.
    issuing: Mutex<()>,
    state: Mutex<NetworkState>,
}

/// Communicators and their work.
struct NetworkState {
    /// Communicators, parents before children.
    slots: Vec<Slot>,
    /// Start of the work in progress, and the last of its calls.
    work: Option<(Instant, String)>,
    fault: Option<Diagnostic>,
}

/// Returns the error of communicators that were aborted.
pub(super) fn closed() -> Diagnostic {
    Diagnostic::new(Code::R004, "these GPUs no longer communicate: a collective failed before")
}

impl Shared {
    pub(super) fn new(functions: Arc<dyn Functions>, processes: Arc<Processes>, deadline: Option<Duration>) -> Shared {
        let state = Mutex::new(NetworkState { slots: Vec::new(), work: None, fault: None });
        Shared { functions, processes, deadline, issuing: Mutex::new(()), state }
    }

    /// Adds the slot of a communicator.
    pub(super) fn add_slot(&self) -> Slot {
        let slot = Slot::default();
        self.lock().slots.push(slot.clone());
        slot
    }

    /// Begins work that has a time limit; `what` describes its last call. The limit counts from the first call.
    pub(super) fn begin(&self, what: impl FnOnce() -> String) {
        let mut state = self.lock();
        let started = state.work.as_ref().map_or_else(Instant::now, |(started, _)| *started);
        state.work = Some((started, what()));
    }

    /// Ends the work: the devices have finished all calls.
    pub(super) fn finish(&self) {
        self.lock().work = None;
    }

    /// Issues calls as one group, so that none of them blocks before all are issued.
    ///
    /// # Errors
    /// `R004` with the error of a call or of the library.
    pub(super) fn group(&self, calls: impl FnOnce() -> Result<(), Diagnostic>) -> Result<(), Diagnostic> {
        let issuing = self.issuing.lock().unwrap_or_else(PoisonError::into_inner);
        self.check_fault()?;
        self.accept(self.functions.group_start())?;
        let called = calls();
        let ended = self.accept(self.functions.group_end());
        drop(issuing);
        called.and(ended)
    }

    /// Returns an error if a function has failed.
    ///
    /// # Errors
    /// `R004` with the library's error.
    pub(super) fn accept(&self, status: Status) -> Result<(), Diagnostic> {
        match status {
            SUCCESS | IN_PROGRESS => Ok(()),
            failed => Err(self.error(failed, 0)),
        }
    }

    /// Waits until the communicators have no unfinished call.
    ///
    /// # Errors
    /// The errors of [`Shared::check`].
    pub(super) fn wait_for(&self, slots: &[Slot]) -> Result<(), Diagnostic> {
        let mut pause = Duration::from_micros(1);
        while self.poll(slots)? {
            self.check_others()?;
            sleep(pause);
            pause = (pause * 2).min(MAX_POLL_INTERVAL);
        }
        Ok(())
    }

    /// Checks communicators, the other processes, and the time limit.
    ///
    /// # Errors
    /// `R004` if NCCL reports an error, or the time limit is exceeded; `R005` if another process fails.
    pub(super) fn check(&self) -> Result<(), Diagnostic> {
        self.check_others()?;
        let slots = self.lock().slots.clone();
        self.poll(&slots).map(|_| ())
    }

    fn check_others(&self) -> Result<(), Diagnostic> {
        self.check_fault()?;
        let is_working = self.lock().work.is_some();
        if is_working {
            self.processes.check_running()?
        } else {
            self.processes.check()?
        }
        let state = self.lock();
        match (&state.work, self.deadline) {
            (Some((started, what)), Some(deadline)) if started.elapsed() >= deadline => {
                Err(deadline_exceeded(deadline, &format!("the last call was {what}; all calls were aborted")))
            }
            _ => Ok(()),
        }
    }

    fn check_fault(&self) -> Result<(), Diagnostic> {
        self.lock().fault.clone().map_or(Ok(()), Err)
    }

    /// Returns true if some of the communicators have an unfinished call.
    fn poll(&self, slots: &[Slot]) -> Result<bool, Diagnostic> {
        let (mut is_pending, mut failed) = (false, None);
        {
            // An abort takes the lock: the communicators stay open.
            let state = self.lock();
            if let Some(fault) = &state.fault {
                return Err(fault.clone());
            }
            for handle in slots.iter().map(|slot| slot.load(Ordering::Acquire)).filter(|handle| *handle != 0) {
                let mut found = SUCCESS;
                // SAFETY: the communicator is open.
                let status = unsafe { self.functions.async_error(handle, &mut found) };
                match if status == SUCCESS { found } else { status } {
                    SUCCESS => {}
                    IN_PROGRESS => is_pending = true,
                    other => failed = Some((other, handle)),
                }
            }
        }
        failed.map_or(Ok(is_pending), |(status, handle)| Err(self.error(status, handle)))
    }

    /// Returns the error for a status: that of the process that was lost, if this is the cause.
    fn error(&self, status: Status, communicator: CommunicatorAddress) -> Diagnostic {
        let started = Instant::now();
        while status == REMOTE_ERROR && started.elapsed() < CAUSE_TIMEOUT {
            if let Err(cause) = self.processes.check_running() {
                return cause;
            }
            sleep(MAX_POLL_INTERVAL);
        }
        let error = Diagnostic::new(Code::R004, "NCCL reports an error").note(self.functions.error_text(status));
        let last = self.functions.last_error(communicator);
        let error = if last.is_empty() { error } else { error.note(last) };
        error.help("set NCCL_DEBUG=WARN for details")
    }

    /// Aborts all calls and closes the communicators. Later calls fail with the first fault.
    pub(super) fn abort(&self, why: Diagnostic) {
        // A call that waits for its GPU ends with the abort only.
        let (started, mut issuing) = (Instant::now(), self.issuing.try_lock());
        while matches!(issuing, Err(TryLockError::WouldBlock)) && started.elapsed() < ISSUE_TIMEOUT {
            sleep(MAX_POLL_INTERVAL);
            issuing = self.issuing.try_lock();
        }
        let mut state = self.lock();
        state.fault.get_or_insert(why);
        for handle in take_handles(&state) {
            // SAFETY: the communicator is open and not used afterwards. Errors of an abort cannot be handled.
            unsafe { self.functions.abort(handle) };
        }
    }

    /// Closes the communicators: in an orderly way, if no call has failed.
    pub(super) fn close(&self) {
        if self.finalize().is_err() {
            return self.abort(closed());
        }
        let state = self.lock();
        for handle in take_handles(&state) {
            // SAFETY: the communicator is open and not used afterwards. Errors of a drop cannot be reported.
            unsafe { self.functions.destroy(handle) };
        }
    }

    fn finalize(&self) -> Result<(), Diagnostic> {
        self.check_fault()?;
        self.processes.check()?;
        let slots = self.lock().slots.clone();
        let handles = slots.iter().rev().map(|slot| slot.load(Ordering::Acquire)).filter(|handle| *handle != 0);
        self.group(|| {
            // SAFETY: the communicators are open.
            handles.into_iter().try_for_each(|handle| self.accept(unsafe { self.functions.finalize(handle) }))
        })?;
        let started = Instant::now();
        while self.poll(&slots)? {
            if started.elapsed() > CLOSE_TIMEOUT {
                return Err(closed());
            }
            sleep(MAX_POLL_INTERVAL);
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, NetworkState> {
        // No code panics while the state is inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes the addresses of all open communicators, children before parents.
fn take_handles(state: &NetworkState) -> Vec<CommunicatorAddress> {
    let handles = state.slots.iter().rev().map(|slot| slot.swap(0, Ordering::AcqRel));
    handles.filter(|handle| *handle != 0).collect()
}
