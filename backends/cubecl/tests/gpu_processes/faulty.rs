//! NCCL with a fault.

#![allow(unsafe_code, reason = "the trait of the functions of NCCL is unsafe")]

use partita_gpu::collective::calls::{Call, ReduceOp};
use partita_gpu::emulator::nccl::EmulatedNccl;
use partita_gpu::nccl::functions::{
    CallArguments, CommunicatorAddress, Functions, SUCCESS, Status, StreamAddress, UniqueId,
};
use partita_runtime::processes::Processes;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Status of an internal error.
pub const INTERNAL_ERROR: Status = 3;

/// A fault at the call with a number.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The call is not issued.
    Dropped(usize),
    /// No call is issued from this one on.
    AllDropped(usize),
    /// The call has another number of elements.
    OtherCount(usize),
    /// The call combines by another operation.
    OtherReduction(usize),
    /// The call is another collective.
    OtherCall(usize),
    /// The call has no communicator.
    Refused(usize),
    /// The state of communicators becomes an error after the call.
    Asynchronous(usize),
    /// The process ends without an error message at the call.
    Lost(usize),
}

/// Numbers of communicators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    pub opened: usize,
    pub destroyed: usize,
    pub aborted: usize,
}

/// The emulation, with a fault.
pub struct FaultyNccl {
    emulated: EmulatedNccl,
    processes: Arc<Processes>,
    fault: Option<Fault>,
    calls: AtomicUsize,
    opened: AtomicUsize,
    destroyed: AtomicUsize,
    aborted: AtomicUsize,
}

impl FaultyNccl {
    pub fn new(processes: Arc<Processes>, fault: Option<Fault>) -> FaultyNccl {
        let emulated = EmulatedNccl::new(processes.clone());
        let [calls, opened, destroyed, aborted] = [(); 4].map(|()| AtomicUsize::new(0));
        FaultyNccl { emulated, processes, fault, calls, opened, destroyed, aborted }
    }

    pub fn counts(&self) -> Counts {
        let [opened, destroyed, aborted] =
            [&self.opened, &self.destroyed, &self.aborted].map(|count| count.load(Ordering::SeqCst));
        Counts { opened, destroyed, aborted }
    }
}

fn increase(count: &AtomicUsize) -> usize {
    count.fetch_add(1, Ordering::SeqCst)
}

// The safety of all calls is the contract of the trait.
impl Functions for FaultyNccl {
    fn error_text(&self, status: Status) -> String {
        self.emulated.error_text(status)
    }

    fn last_error(&self, communicator: CommunicatorAddress) -> String {
        self.emulated.last_error(communicator)
    }

    fn unique_id(&self, id: &mut UniqueId) -> Status {
        self.emulated.unique_id(id)
    }

    fn group_start(&self) -> Status {
        self.emulated.group_start()
    }

    fn group_end(&self) -> Status {
        self.emulated.group_end()
    }

    unsafe fn init_rank(&self, communicator: &AtomicUsize, count: usize, id: &UniqueId, rank: usize) -> Status {
        increase(&self.opened);
        // SAFETY: guaranteed by the caller.
        unsafe { self.emulated.init_rank(communicator, count, id, rank) }
    }

    unsafe fn split(&self, parent: CommunicatorAddress, color: c_int, key: c_int, child: &AtomicUsize) -> Status {
        // SAFETY: guaranteed by the caller.
        let status = unsafe { self.emulated.split(parent, color, key, child) };
        if child.load(Ordering::SeqCst) != 0 {
            increase(&self.opened);
        }
        status
    }

    unsafe fn async_error(&self, communicator: CommunicatorAddress, state: &mut Status) -> Status {
        // SAFETY: guaranteed by the caller.
        let status = unsafe { self.emulated.async_error(communicator, state) };
        if matches!(self.fault, Some(Fault::Asynchronous(number)) if self.calls.load(Ordering::SeqCst) > number) {
            *state = INTERNAL_ERROR;
        }
        status
    }

    unsafe fn finalize(&self, communicator: CommunicatorAddress) -> Status {
        // SAFETY: guaranteed by the caller.
        unsafe { self.emulated.finalize(communicator) }
    }

    unsafe fn destroy(&self, communicator: CommunicatorAddress) -> Status {
        increase(&self.destroyed);
        // SAFETY: guaranteed by the caller.
        unsafe { self.emulated.destroy(communicator) }
    }

    unsafe fn abort(&self, communicator: CommunicatorAddress) -> Status {
        increase(&self.aborted);
        // SAFETY: guaranteed by the caller.
        unsafe { self.emulated.abort(communicator) }
    }

    unsafe fn call(
        &self,
        communicator: CommunicatorAddress,
        arguments: &CallArguments,
        stream: StreamAddress,
    ) -> Status {
        let (number, mut arguments) = (increase(&self.calls), *arguments);
        match self.fault {
            Some(Fault::Dropped(at)) if at == number => return SUCCESS,
            Some(Fault::AllDropped(at)) if at <= number => return SUCCESS,
            Some(Fault::OtherCount(at)) if at == number => arguments.count -= 1,
            Some(Fault::OtherReduction(at)) if at == number => arguments.combine = ReduceOp::Max,
            Some(Fault::OtherCall(at)) if at == number => arguments.call = Call::Broadcast { root: 0 },
            // SAFETY: the emulation rejects the handle.
            Some(Fault::Refused(at)) if at == number => return unsafe { self.emulated.call(0, &arguments, stream) },
            Some(Fault::Lost(at)) if at == number => {
                self.processes.finish();
                return INTERNAL_ERROR;
            }
            _ => {}
        }
        // SAFETY: guaranteed by the caller.
        unsafe { self.emulated.call(communicator, &arguments, stream) }
    }
}
