//! Interface of collectives for one rank.
//!
//! A collective synchronises the devices of one [`Group`]. A device starts a collective with the addresses of its
//! operands and results, continues, and polls for completion before it reads the results. The run fails on every device
//! if a member does not arrive at a collective before the deadline, if members of one group start different
//! collectives, or if a device aborts. Results do not depend on the order of arrival.

use crate::collective_exec::{CollectiveExec, MemberBuffers};
use crate::group::Group;
use partita_ir::diag::Diagnostic;
use std::sync::Arc;

/// Call of a collective or transfer by one device.
#[derive(Clone, Copy)]
pub struct CollectiveCall<'a> {
    /// Name for messages, such as `%p.r = all_reduce`. It also identifies the collective: members that call different
    /// names are an error.
    pub name: &'a str,
    /// Group of the collective, and the position of this device in it.
    pub group: &'a Group,
    /// Execution plan for each operand.
    pub execs: &'a Arc<[CollectiveExec]>,
}

/// Operand and result buffers that a device contributes to a collective, for one operand.
pub struct Contribution {
    /// Addresses of the operand and the result.
    pub buffers: MemberBuffers,
    /// Bytes of the operand, compared with the expected size and between members to detect mismatches.
    pub bytes: usize,
}

/// Handle of a started collective.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CollectiveHandle {
    /// Ranks of the members.
    pub(crate) members: Arc<[usize]>,
    /// Channel on which the collective runs.
    pub(crate) channel: u32,
    /// Sequence number of the collective among those that the same members execute on the channel.
    pub(crate) number: u64,
}

/// Communicator of one rank. After an abort, `start`, `poll` and `check` fail with its diagnostic. A missing member
/// aborts the run with `R005`.
pub trait Communicator {
    /// Returns the rank of this device among all devices of the run.
    fn rank(&self) -> usize;

    /// Starts a collective without waiting. The device must not access the contributed buffers until the collective is
    /// complete.
    ///
    /// # Errors
    /// `R004` when the number of contributed bytes differs from the expected number or between members, `R005` when the
    /// members are at different collectives.
    fn start(&self, call: CollectiveCall<'_>, contributions: Vec<Contribution>)
    -> Result<CollectiveHandle, Diagnostic>;

    /// Returns true if the collective is complete. Otherwise the device counts as waiting, and is woken up later to
    /// poll again.
    ///
    /// # Errors
    /// The diagnostic of an abort by any device.
    fn poll(&self, handle: &CollectiveHandle) -> Result<bool, Diagnostic>;

    /// Makes every device fail: waiting devices immediately, computing devices at their next collective or
    /// [`check`](Communicator::check). All devices report the first reason given.
    fn abort(&self, why: Diagnostic);

    /// Fails if any device aborted.
    ///
    /// # Errors
    /// The reason of the abort.
    fn check(&self) -> Result<(), Diagnostic>;
}
