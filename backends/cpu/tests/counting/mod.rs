//! An allocator that counts bytes, for tests that compare planned with allocated memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The system's allocator with a count of allocated bytes.
pub struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Allocated bytes.
pub fn held() -> usize {
    HELD.load(SeqCst)
}

/// Calls `run` and returns the most bytes that were allocated meanwhile.
pub fn peak_of(run: impl FnOnce()) -> usize {
    PEAK.store(held(), SeqCst);
    run();
    PEAK.load(SeqCst)
}

// SAFETY: all calls are passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(HELD.fetch_add(layout.size(), SeqCst) + layout.size(), SeqCst);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), SeqCst);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(start, layout) }
    }
}
