//! What a device can do together with others: one rank's view of the collectives.
//!
//! A collective is a meeting of the devices of one [`Group`]. It returns when all have come, and fails on every device
//! when one does not come before the deadline, when the devices are not at the same collective, or when any device
//! aborts. Results do not depend on the order of arrival: what is reduced is reduced in the order of the group.
//!
//! The dimension that a group splits is cut as [`partita_ir::layout::piece`] says. Pieces have the size of the first one;
//! what an uneven dimension lacks is padding, whose content is undefined.

use crate::group::Group;
use partita_ir::diag::Diagnostic;
use partita_ir::layout::Monoid;
use partita_ir::tensor::Tensor;
use std::sync::Arc;

/// One collective of the program, as one device sees it.
#[derive(Clone, Copy)]
pub struct Site<'a> {
    /// What messages call it: `%p.r = all_reduce`. Also how devices find out that they are not at the same one.
    pub name: &'a str,
    /// Who takes part.
    pub group: &'a Group,
}

/// One rank's view of its peers. All methods but [`abort`](Communicator::abort) fail with the diagnostic of whoever
/// aborted, and with `R005` when a device does not arrive.
pub trait Communicator {
    /// This device's rank: its position in the mesh.
    fn rank(&self) -> usize;

    /// The values of all members combined; the same on every member.
    fn all_reduce(&self, at: Site<'_>, monoid: Monoid, value: Arc<Tensor>) -> Result<Arc<Tensor>, Diagnostic>;

    /// The members' pieces of dimension `dim`, one after the other, `size` elements in all.
    fn all_gather(&self, at: Site<'_>, dim: usize, size: usize, value: Arc<Tensor>) -> Result<Arc<Tensor>, Diagnostic>;

    /// The values of all members combined, of which each gets its piece of dimension `dim`.
    fn reduce_scatter(
        &self,
        at: Site<'_>,
        monoid: Monoid,
        dim: usize,
        value: Arc<Tensor>,
    ) -> Result<Arc<Tensor>, Diagnostic>;

    /// Every member cuts its value along dimension `to` and gives each member its piece; the pieces that a member gets
    /// are pieces of dimension `from`, which has `size` elements in the result.
    fn all_to_all(
        &self,
        at: Site<'_>,
        from: usize,
        size: usize,
        to: usize,
        value: Arc<Tensor>,
    ) -> Result<Arc<Tensor>, Diagnostic>;

    /// For each pair of positions the second one gets the value of the first; zeros for whom nobody sends.
    fn permute(&self, at: Site<'_>, pairs: &[(u32, u32)], value: Arc<Tensor>) -> Result<Arc<Tensor>, Diagnostic>;

    /// Makes every device fail: those that wait at once, those that compute at their next collective or
    /// [`check`](Communicator::check). The first reason given is the one that all see.
    fn abort(&self, why: Diagnostic);

    /// Fails when somebody aborted.
    fn check(&self) -> Result<(), Diagnostic>;
}
