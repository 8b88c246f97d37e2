//! Bytes of all requests and answers at once. Who wants more than is left is told to come back.

use partita::predict::Feature;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of an element of an answer: as a number in memory, and as text.
const TEXT: u64 = 32;

/// What is left.
#[derive(Clone)]
pub(super) struct Budget {
    left: Arc<AtomicU64>,
}

/// Bytes that are taken, until this is dropped.
pub(super) struct Taken {
    left: Arc<AtomicU64>,
    bytes: u64,
}

impl Budget {
    pub(super) fn new(bytes: u64) -> Budget {
        Budget { left: Arc::new(AtomicU64::new(bytes)) }
    }

    /// Takes nothing, to begin with.
    pub(super) fn none(&self) -> Taken {
        Taken { left: self.left.clone(), bytes: 0 }
    }
}

impl Taken {
    /// Has so many bytes from now on; whether there were as many.
    #[must_use]
    pub(super) fn have(&mut self, bytes: u64) -> bool {
        if bytes > self.bytes {
            let more = bytes - self.bytes;
            let take = |left: u64| left.checked_sub(more);
            if self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, take).is_err() {
                return false;
            }
        } else {
            self.left.fetch_add(self.bytes - bytes, Ordering::AcqRel);
        }
        self.bytes = bytes;
        true
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.left.fetch_add(self.bytes, Ordering::AcqRel);
    }
}

/// Bytes that an example and its answer need.
pub(super) fn price(inputs: &[Feature], outputs: &[Feature]) -> u64 {
    let elements = |features: &[Feature]| -> u64 {
        features.iter().map(|f| f.ty.shape.count() as u64).fold(0, u64::saturating_add)
    };
    // Inputs are there twice, as they were read and in the model's type.
    elements(inputs).saturating_mul(16).saturating_add(elements(outputs).saturating_mul(TEXT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_comes_back() {
        let budget = Budget::new(100);
        let (mut a, mut b) = (budget.none(), budget.none());
        assert!(a.have(60) && !b.have(41) && b.have(40) && !a.have(61));
        assert!(a.have(10) && b.have(90));
        drop(b);
        assert!(a.have(100));
    }
}
