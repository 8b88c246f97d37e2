//! Aligned memory of devices.
#![allow(unsafe_code, reason = "the only place where memory is taken and given back")]

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::{MmapMut, MmapOptions};
use partita_ir::offsets::HOST_ALIGN_BYTES;
use partita_ir::tensor::Tensor;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Bytes of a huge page, which reduces TLB misses.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Minimum bytes of a buffer that is allocated in huge pages.
const MIN_HUGE_PAGE_BUFFER_BYTES: usize = 2 * HUGE_PAGE_BYTES;

/// Aligned buffer that several threads may access; the executor orders the accesses.
pub struct Buffer {
    start: NonNull<u8>,
    bytes: usize,
    /// Memory mapping that contains the buffer, for large buffers.
    mapped: Option<MmapMut>,
}

// SAFETY: a buffer is plain memory. Users of its pointer are responsible for the order of accesses.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Returns a buffer of `bytes` zeros.
    pub fn zeroed(bytes: usize) -> Buffer {
        if bytes >= MIN_HUGE_PAGE_BUFFER_BYTES
            && let Some(buffer) = Buffer::mapped(bytes)
        {
            return buffer;
        }
        let layout = Buffer::layout(bytes);
        if layout.size() == 0 {
            return Buffer { start: NonNull::<u64>::dangling().cast(), bytes: 0, mapped: None };
        }
        // SAFETY: the size is not zero.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        Buffer { start, bytes, mapped: None }
    }

    /// Returns zeros in huge pages, aligned to the page size; `None` if huge pages are not available.
    fn mapped(bytes: usize) -> Option<Buffer> {
        let mut mapped = MmapOptions::new().len(bytes.checked_add(HUGE_PAGE_BYTES)?).map_anon().ok()?;
        #[cfg(target_os = "linux")]
        mapped.advise(Advice::HugePage).ok()?;
        let offset = mapped.as_ptr().align_offset(HUGE_PAGE_BYTES);
        let start = NonNull::new(mapped.as_mut_ptr().wrapping_add(offset))?;
        Some(Buffer { start, bytes, mapped: Some(mapped) })
    }

    /// Returns a buffer with the elements of a tensor at their storage width.
    pub fn from_tensor(tensor: &Tensor) -> Buffer {
        let buffer = Buffer::zeroed(tensor.ty.bytes() as usize);
        // SAFETY: the buffer is new, so no other code accesses its memory.
        tensor.write_bytes(unsafe { std::slice::from_raw_parts_mut(buffer.start.as_ptr(), buffer.bytes) });
        buffer
    }

    /// Returns a buffer with the given bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Buffer {
        let buffer = Buffer::zeroed(bytes.len());
        // SAFETY: the buffer is new, so no other code accesses its memory.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), buffer.start.as_ptr(), bytes.len()) };
        buffer
    }

    fn layout(bytes: usize) -> Layout {
        // A size without a valid layout exceeds every address space; its allocation fails like any other.
        Layout::from_size_align(bytes, HOST_ALIGN_BYTES).unwrap_or(Layout::new::<u8>())
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Returns true if the buffer has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Returns the address of the first byte.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Returns the contents of a buffer that is owned or only read.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the memory is initialised, and the executor prevents writes to memory that is read through a
        // reference.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }
}

impl Buffer {
    /// Returns the contents of a buffer for writing.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the memory is initialised, and the exclusive reference prevents other accesses.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        let copy = Buffer::zeroed(self.bytes);
        // SAFETY: both buffers have the same length, and the copy is new.
        unsafe { std::ptr::copy_nonoverlapping(self.start.as_ptr(), copy.start.as_ptr(), self.bytes) };
        copy
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.bytes > 0 && self.mapped.is_none() {
            // SAFETY: the memory was allocated with this layout.
            unsafe { dealloc(self.start.as_ptr(), Buffer::layout(self.bytes)) };
        }
    }
}
