//! What a device can do together with others: one rank's view of the collectives.
//!
//! A collective is a meeting of the devices of one [`Group`]. A device starts it by saying where its operands and
//! results lie, goes on, and asks for it before it reads the results. It fails on every device when one does not come
//! before the deadline, when the devices are not at the same collective, or when any device aborts. Results do not
//! depend on the order of arrival.

use crate::exchange::{Exchange, Part};
use crate::group::Group;
use partita_ir::diag::Diagnostic;
use std::sync::Arc;

/// One collective of the program, as one device sees it.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// What messages call it: `%p.r = all_reduce`. Also how devices find out that they are not at the same one.
    pub name: &'a str,
    /// Who takes part.
    pub group: &'a Group,
    /// What is done, by operand.
    pub exchanges: &'a Arc<[Exchange]>,
}

/// What a device brings to a collective, by operand.
pub struct Brought {
    /// Where it lies.
    pub part: Part,
    /// Bytes of the operand, by which devices find out that they do not bring the same.
    pub bytes: usize,
}

/// A collective that a device has started.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ticket {
    /// Who takes part.
    pub(crate) members: Arc<[usize]>,
    /// On which channel.
    pub(crate) channel: u32,
    /// The how manieth collective of these members on that channel it is.
    pub(crate) number: u64,
}

/// One rank's view of its peers. All methods but [`abort`](Communicator::abort) fail with the diagnostic of whoever
/// aborted, and with `R005` when a device does not arrive.
pub trait Communicator {
    /// This device's rank: its position in the mesh.
    fn rank(&self) -> usize;

    /// Comes to a collective and returns at once. Until it is complete, the device leaves the memory of its parts
    /// alone.
    ///
    /// # Errors
    /// `R004` when the devices bring different amounts, `R005` when another collective is under way among the same
    /// devices.
    fn start(&self, at: Site<'_>, brought: Vec<Brought>) -> Result<Ticket, Diagnostic>;

    /// Whether the collective is complete; if not, the device is told when to ask again.
    ///
    /// # Errors
    /// What went wrong meanwhile.
    fn poll(&self, ticket: &Ticket) -> Result<bool, Diagnostic>;

    /// Makes every device fail: those that wait at once, those that compute at their next collective or
    /// [`check`](Communicator::check). The first reason given is the one that all see.
    fn abort(&self, why: Diagnostic);

    /// Fails when somebody aborted.
    ///
    /// # Errors
    /// The reason.
    fn check(&self) -> Result<(), Diagnostic>;
}
