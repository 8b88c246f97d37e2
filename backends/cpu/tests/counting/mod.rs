//! Allocator that counts bytes, for tests that compare planned with allocated memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// System allocator that counts allocated bytes.
pub struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of allocated bytes.
pub fn allocated_bytes() -> usize {
    ALLOCATED.load(SeqCst)
}

/// Calls `run` and returns the peak number of allocated bytes.
pub fn peak_of(run: impl FnOnce()) -> usize {
    PEAK.store(allocated_bytes(), SeqCst);
    run();
    PEAK.load(SeqCst)
}

// SAFETY: all calls are forwarded to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(ALLOCATED.fetch_add(layout.size(), SeqCst) + layout.size(), SeqCst);
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(layout.size(), SeqCst);
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(start, layout) }
    }
}
