//! Work that may be spent on the prices of reshards.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Work that may be spent on the prices of reshards, of which a step has many thousands on three mesh axes. Prices are
/// arbitrary once it is spent, so that results that depend on them must be discarded.
#[derive(Clone, Debug)]
pub(crate) struct Allowance {
    /// Number of reshards that may still be priced.
    left: usize,
    /// True if a reshard was not priced.
    is_spent: bool,
    deadline: Option<Instant>,
    /// True once prices are not needed any more.
    is_over: Arc<AtomicBool>,
}

impl Default for Allowance {
    /// Unlimited work.
    fn default() -> Allowance {
        Allowance { left: usize::MAX, is_spent: false, deadline: None, is_over: Arc::default() }
    }
}

impl Allowance {
    /// Returns unlimited work, until `is_over` becomes true.
    pub(crate) fn until(is_over: &Arc<AtomicBool>) -> Allowance {
        Allowance { is_over: is_over.clone(), ..Allowance::default() }
    }

    /// Returns the work of pricing `reshards` reshards before the deadline.
    pub(crate) fn limited(reshards: usize, deadline: Option<Instant>) -> Allowance {
        Allowance { left: reshards, deadline, ..Allowance::default() }
    }

    /// Takes the work of one reshard. Returns false if all work is spent.
    pub(super) fn take(&mut self) -> bool {
        let is_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        self.is_spent = self.is_spent || self.left == 0 || self.is_over.load(Ordering::Relaxed) || is_late();
        self.left = self.left.saturating_sub(1);
        !self.is_spent
    }

    /// Returns true if a reshard was not priced.
    pub(super) fn is_spent(&self) -> bool {
        self.is_spent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_limited_by_number_time_and_the_end_of_the_search() {
        let mut limited = Allowance::limited(2, None);
        assert_eq!([limited.take(), limited.take(), limited.is_spent(), limited.take()], [true, true, false, false]);
        assert!(limited.is_spent());
        assert!(!Allowance::limited(2, Some(Instant::now())).take());
        let is_over = Arc::new(AtomicBool::new(false));
        let mut allowance = Allowance::until(&is_over);
        assert!(allowance.take());
        is_over.store(true, Ordering::Relaxed);
        assert!(!allowance.take() && allowance.is_spent());
    }
}
