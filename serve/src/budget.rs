//! Memory budget of all requests and responses. Requests that exceed the remaining budget receive status 503.

use partita::predict::Feature;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory for each element of a response in bytes: the number, and its JSON text.
const OUTPUT_ELEMENT_BYTES: u64 = 32;

/// Memory budget in bytes, shared by all clones.
#[derive(Clone)]
pub(super) struct Budget {
    left: Arc<AtomicU64>,
}

/// Memory reserved from a budget, released when the reservation is dropped.
pub(super) struct Reservation {
    left: Arc<AtomicU64>,
    bytes: u64,
}

impl Budget {
    pub(super) fn new(bytes: u64) -> Budget {
        Budget { left: Arc::new(AtomicU64::new(bytes)) }
    }

    /// Returns a reservation of zero bytes.
    pub(super) fn empty_reservation(&self) -> Reservation {
        Reservation { left: self.left.clone(), bytes: 0 }
    }
}

impl Reservation {
    /// Resizes the reservation to `bytes` bytes. Returns false and leaves the reservation unchanged if not enough
    /// memory remains.
    #[must_use]
    pub(super) fn resize(&mut self, bytes: u64) -> bool {
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

impl Drop for Reservation {
    fn drop(&mut self) {
        self.left.fetch_add(self.bytes, Ordering::AcqRel);
    }
}

/// Returns the memory in bytes that one example and its response need.
pub(super) fn example_bytes(inputs: &[Feature], outputs: &[Feature]) -> u64 {
    let elements = |features: &[Feature]| -> u64 {
        features.iter().map(|f| f.ty.shape.count() as u64).fold(0, u64::saturating_add)
    };
    // Inputs are stored twice with 8 bytes per element: as parsed, and in the model's type.
    elements(inputs).saturating_mul(16).saturating_add(elements(outputs).saturating_mul(OUTPUT_ELEMENT_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_reservations_are_released() {
        let budget = Budget::new(100);
        let (mut a, mut b) = (budget.empty_reservation(), budget.empty_reservation());
        assert!(a.resize(60) && !b.resize(41) && b.resize(40) && !a.resize(61));
        assert!(a.resize(10) && b.resize(90));
        drop(b);
        assert!(a.resize(100));
    }
}
