//! Memory of devices: bytes at addresses that vector instructions like.
#![allow(unsafe_code, reason = "the only place where memory is taken and given back")]

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::{MmapMut, MmapOptions};
use partita_ir::offsets::ALIGN;
use partita_ir::tensor::Tensor;
use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Bytes of a huge page, which spares the processor looking most addresses up.
const HUGE: usize = 2 << 20;

/// From so many bytes on memory is asked of the system in huge pages.
const LARGE: usize = 2 * HUGE;

/// Bytes that several threads may read and write; who may do so when is up to the executor.
pub struct Buffer {
    start: NonNull<u8>,
    bytes: usize,
    /// What it lies in, if it is large.
    mapped: Option<MmapMut>,
}

// SAFETY: a buffer is plain memory. Whoever reads or writes through its pointer answers for the order of accesses.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// So many zeros.
    pub fn zeroed(bytes: usize) -> Buffer {
        if bytes >= LARGE
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

    /// So many zeros in huge pages, which begin at multiples of their size; `None` if there are no such.
    fn mapped(bytes: usize) -> Option<Buffer> {
        let mut mapped = MmapOptions::new().len(bytes.checked_add(HUGE)?).map_anon().ok()?;
        #[cfg(target_os = "linux")]
        mapped.advise(Advice::HugePage).ok()?;
        let offset = mapped.as_ptr().align_offset(HUGE);
        let start = NonNull::new(mapped.as_mut_ptr().wrapping_add(offset))?;
        Some(Buffer { start, bytes, mapped: Some(mapped) })
    }

    /// The elements of a tensor, each in its own width.
    pub fn of(tensor: &Tensor) -> Buffer {
        let buffer = Buffer::zeroed(tensor.ty.bytes() as usize);
        // SAFETY: the buffer is new, so that nobody else has its memory.
        tensor.write_bytes(unsafe { std::slice::from_raw_parts_mut(buffer.start.as_ptr(), buffer.bytes) });
        buffer
    }

    fn layout(bytes: usize) -> Layout {
        // A size that no layout has is beyond every address space; asking for it fails as any other lack of memory.
        Layout::from_size_align(bytes, ALIGN).unwrap_or(Layout::new::<u8>())
    }

    /// How many bytes it has.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Where it begins.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// What it holds. The buffer is owned here, or shared by those who only read it.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the memory is initialised, and the executor lets nobody write what is read through a reference.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Buffer {
        let copy = Buffer::zeroed(self.bytes);
        // SAFETY: both have so many bytes, and the copy is new.
        unsafe { std::ptr::copy_nonoverlapping(self.start.as_ptr(), copy.start.as_ptr(), self.bytes) };
        copy
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.bytes > 0 && self.mapped.is_none() {
            // SAFETY: it was allocated with this layout.
            unsafe { dealloc(self.start.as_ptr(), Buffer::layout(self.bytes)) };
        }
    }
}
