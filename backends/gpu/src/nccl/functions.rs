//! The functions of NCCL that several processes use, each as in `nccl.h`: the only code that differs between GPUs and
//! their emulation.

#![allow(unsafe_code, reason = "functions of a library in C")]

use crate::collective::calls::{Call, ElementType, ReduceOp};
use partita_ir::diag::Diagnostic;
use std::ffi::c_int;
use std::sync::atomic::AtomicUsize;

/// Result of a function, `ncclResult_t`.
pub type Status = c_int;

/// `ncclSuccess`
pub const SUCCESS: Status = 0;

/// `ncclInvalidArgument`
pub const INVALID_ARGUMENT: Status = 4;

/// `ncclInvalidUsage`
pub const INVALID_USAGE: Status = 5;

/// `ncclRemoteError`: another process has ended, or the network failed.
pub const REMOTE_ERROR: Status = 6;

/// `ncclInProgress`: the state of a communicator with an unfinished non-blocking call.
pub const IN_PROGRESS: Status = 7;

/// `NCCL_SPLIT_NOCOLOR`: the color of ranks that belong to no group of a split.
pub const NO_COLOR: c_int = -1;

/// Address of a communicator, `ncclComm_t`; 0 for none.
pub type CommunicatorAddress = usize;

/// Address of a CUDA stream.
pub type StreamAddress = usize;

/// Number of bytes of a [`UniqueId`].
pub const UNIQUE_ID_BYTES: usize = 128;

/// Identifier of a communicator that several processes open, `ncclUniqueId`.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UniqueId(pub [u8; UNIQUE_ID_BYTES]);

/// A call with its arguments, as the member of a communicator issues it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CallArguments {
    /// The call.
    pub call: Call,
    /// Number of elements of each member's operand; for [`Call::ReduceScatter`], of each member's result.
    pub count: usize,
    /// Element type.
    pub element: ElementType,
    /// Reduction operation.
    pub combine: ReduceOp,
    /// Address of the operand; ignored by calls without one.
    pub from: u64,
    /// Address of the result; ignored by calls without one.
    pub to: u64,
}

/// Functions of NCCL. Communicators do not block: a function that returns [`IN_PROGRESS`] has finished when the state
/// of its communicator is another one.
pub trait Functions: Send + Sync {
    /// `ncclGetErrorString`
    fn error_text(&self, status: Status) -> String;

    /// `ncclGetLastError`: a description of the last error of a communicator; empty if there is none.
    fn last_error(&self, communicator: CommunicatorAddress) -> String;

    /// `ncclGetUniqueId`
    fn unique_id(&self, id: &mut UniqueId) -> Status;

    /// `ncclGroupStart`
    fn group_start(&self) -> Status;

    /// `ncclGroupEnd`
    fn group_end(&self) -> Status;

    /// `ncclCommInitRankConfig` with `blocking = 0`, on the current GPU of the thread.
    ///
    /// # Safety
    /// `communicator` lives until the call has finished, or the communicator is aborted.
    unsafe fn init_rank(&self, communicator: &AtomicUsize, count: usize, id: &UniqueId, rank: usize) -> Status;

    /// `ncclCommSplit`, with the configuration of the parent. The state of the parent is that of the call.
    ///
    /// # Safety
    /// The parent is open, and `child` lives until the call has finished, or the parent is aborted.
    unsafe fn split(&self, parent: CommunicatorAddress, color: c_int, key: c_int, child: &AtomicUsize) -> Status;

    /// `ncclCommGetAsyncError`
    ///
    /// # Safety
    /// The communicator is open.
    unsafe fn async_error(&self, communicator: CommunicatorAddress, state: &mut Status) -> Status;

    /// `ncclCommFinalize`
    ///
    /// # Safety
    /// The communicator is open.
    unsafe fn finalize(&self, communicator: CommunicatorAddress) -> Status;

    /// `ncclCommDestroy`
    ///
    /// # Safety
    /// The communicator is open, and is not used afterwards.
    unsafe fn destroy(&self, communicator: CommunicatorAddress) -> Status;

    /// `ncclCommAbort`
    ///
    /// # Safety
    /// The communicator is open, and is not used afterwards.
    unsafe fn abort(&self, communicator: CommunicatorAddress) -> Status;

    /// `ncclAllReduce`, `ncclSend`, ... on a stream of the communicator's GPU.
    ///
    /// # Safety
    /// The communicator is open. Operand and result are memory of the GPU until the stream has finished the call.
    unsafe fn call(
        &self,
        communicator: CommunicatorAddress,
        arguments: &CallArguments,
        stream: StreamAddress,
    ) -> Status;
}

/// A GPU, as its communicators use it.
pub trait CommunicationDevice {
    /// Makes the GPU the current one of this thread, on which communicators are opened.
    ///
    /// # Errors
    /// `R004` if the device is lost.
    fn make_current(&self) -> Result<(), Diagnostic>;

    /// Returns the stream of the communication queue.
    fn communication_stream(&self) -> StreamAddress;
}
