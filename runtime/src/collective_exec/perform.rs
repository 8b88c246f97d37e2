#![allow(unsafe_code)]
//! Execution of collectives on raw memory of the members.
//!
//! All accesses to the memory of members are in this module. Their safety depends only on the validity of the
//! addresses; [`CollectiveExec::run`] is the safe interface for buffers that are slices.

use crate::collective_exec::fold::{Combine, FOLD_BLOCK_BYTES, fold};
use crate::collective_exec::{BlockOp, ChunkBuffer, CollectiveExec, MIN_STREAMED_BYTES};
use partita_ir::diag::{Code, Diagnostic};
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Operand and result buffers of a member, which the member does not access during the collective.
#[derive(Clone, Copy, Debug)]
pub struct MemberBuffers {
    /// Address of the operand, of type [`CollectiveExec::operand`].
    pub input: *const u8,
    /// Address of the result, of type [`CollectiveExec::result`]; equal to `input` only if [`CollectiveExec::in_place`]
    /// is true.
    pub output: *mut u8,
}

// SAFETY: a part is two addresses; the caller of `perform` guarantees that they are valid.
unsafe impl Send for MemberBuffers {}
// SAFETY: as above.
unsafe impl Sync for MemberBuffers {}

impl CollectiveExec {
    /// Executes one of the [`CollectiveExec::items`] items. The collective is complete when all items are.
    ///
    /// # Safety
    /// - `buffers` has one entry for each member, in the order of the group.
    /// - Addresses are aligned to the width of an element. Operands are readable and results writable for as many
    ///   elements as their types specify, and the elements of operands are initialised.
    /// - Results overlap neither each other nor operands, except that a result may be the member's own operand if
    ///   [`CollectiveExec::in_place`] is true.
    /// - From the start of the first item to the end of the last, no other code reads or writes results, or writes
    ///   operands.
    /// - No item is executed twice.
    pub unsafe fn perform(&self, buffers: &[MemberBuffers], item: usize) {
        let width = self.operand.dtype.bytes() as usize;
        // Results that overwrite their operands are already in the cache.
        let stream =
            self.result.bytes() >= MIN_STREAMED_BYTES && buffers.iter().all(|p| p.input != p.output.cast_const());
        for (work, tile) in self.tiles(item) {
            let bytes = tile.run.len() * width;
            match &work.op {
                BlockOp::Clear(member) => {
                    for at in work.block.offsets(&tile) {
                        // SAFETY: the block is inside the result.
                        unsafe { buffers[*member].output.add(at.output * width).write_bytes(0, bytes) };
                    }
                }
                BlockOp::Transfers(transfers, scratch_count) => {
                    // Words of one scratch buffer, so that each buffer is aligned.
                    let each = (tile.count() * width).div_ceil(8);
                    let mut memory = vec![0u64; scratch_count * each];
                    let scratch = memory.as_mut_ptr();
                    for transfer in transfers {
                        for (row, at) in work.block.offsets(&tile).enumerate() {
                            // SAFETY: the block is inside operand and result, and a row of the tile inside its scratch
                            // buffer.
                            let address = |buffer: &ChunkBuffer| unsafe {
                                match *buffer {
                                    ChunkBuffer::Input(member) => {
                                        buffers[member].input.add(at.input * width).cast_mut()
                                    }
                                    ChunkBuffer::Output(member) => buffers[member].output.add(at.output * width),
                                    ChunkBuffer::Scratch(number) => {
                                        scratch.add(number * each).cast::<u8>().add(row * bytes)
                                    }
                                }
                            };
                            // SAFETY: each of these addresses is the start of a row of the tile.
                            unsafe {
                                self.transfer_row(&transfer.from, &transfer.to, address, tile.run.len(), stream);
                            }
                        }
                    }
                }
            }
        }
        if stream {
            fence();
        }
    }

    /// Copies `count` contiguous elements from a source to all targets, or combines those of several sources.
    ///
    /// # Safety
    /// Each address is valid for `count` elements, and those that are read are initialised.
    pub(super) unsafe fn transfer_row<P>(
        &self,
        from: &[P],
        to: &[P],
        address: impl Fn(&P) -> *mut u8,
        count: usize,
        stream: bool,
    ) {
        let from: SmallVec<[*mut u8; 16]> = from.iter().map(&address).collect();
        let to: SmallVec<[*mut u8; 16]> = to.iter().map(&address).collect();
        let bytes = count * self.operand.dtype.bytes() as usize;
        match (&from[..], self.kernel) {
            // SAFETY: guaranteed by the caller.
            ([source], _) => to.iter().for_each(|&target| unsafe { copy(*source, target, bytes, stream) }),
            // SAFETY: guaranteed by the caller; the kernel is that of the dtype.
            (sources, Some(kernel)) => unsafe { kernel(sources, &to, count, stream) },
            // Only reductions have several sources.
            (_, None) => debug_assert!(false, "combines without a monoid"),
        }
    }

    /// Executes all items on `threads` threads, including the calling thread. Buffers are slices of words, so that they
    /// are aligned for every dtype.
    ///
    /// # Errors
    /// `R004` if a buffer is missing or too short.
    pub fn run(&self, inputs: &[&[u64]], outputs: &mut [&mut [u64]], threads: usize) -> Result<(), Diagnostic> {
        let fits = |bytes: u64, words: usize| (words as u64).saturating_mul(8) >= bytes;
        let enough = inputs.iter().all(|b| fits(self.operand.bytes(), b.len()))
            && outputs.iter().all(|b| fits(self.result.bytes(), b.len()));
        if [inputs.len(), outputs.len()] != [self.members; 2] || !enough {
            return Err(Diagnostic::new(Code::R004, "a collective got too few or too short buffers"));
        }
        let member = |(input, output): (&&[u64], &mut &mut [u64])| MemberBuffers {
            input: input.as_ptr().cast(),
            output: output.as_mut_ptr().cast(),
        };
        let buffers: Vec<MemberBuffers> = inputs.iter().zip(outputs).map(member).collect();
        self.run_items(&buffers, threads);
        Ok(())
    }

    /// [`CollectiveExec::run`] with results that overwrite the operands.
    ///
    /// # Errors
    /// `R004` if a buffer is missing or too short, or the collective does not support in-place execution.
    pub fn run_in_place(&self, buffers: &mut [&mut [u64]], threads: usize) -> Result<(), Diagnostic> {
        let bytes = self.operand.bytes();
        let short = buffers.iter().any(|b| (b.len() as u64).saturating_mul(8) < bytes);
        if !self.in_place || buffers.len() != self.members || short {
            return Err(Diagnostic::new(Code::R004, "a collective cannot be performed in place on these buffers"));
        }
        let member = |buffer: &mut &mut [u64]| {
            let output: *mut u8 = buffer.as_mut_ptr().cast();
            MemberBuffers { input: output, output }
        };
        let buffers: Vec<MemberBuffers> = buffers.iter_mut().map(member).collect();
        self.run_items(&buffers, threads);
        Ok(())
    }

    /// Executes all items on buffers derived from exclusive buffers of sufficient length.
    fn run_items(&self, buffers: &[MemberBuffers], threads: usize) {
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let item = next.fetch_add(1, Ordering::Relaxed);
                if item >= self.items {
                    return;
                }
                // SAFETY: the buffers are the members' own memory and aligned to words, and each item number is drawn
                // once.
                unsafe { self.perform(buffers, item) };
            }
        };
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
    }
}

/// Combines `count` elements of the sources from left to right and writes them to every target. A target may be one of
/// the sources.
///
/// # Safety
/// Sources are readable and targets writable for `count` initialised and aligned elements of `T`.
pub(super) unsafe fn fold_at<T: Copy, C: Combine<T>>(from: &[*mut u8], to: &[*mut u8], count: usize, stream: bool) {
    let mut block = [MaybeUninit::<u64>::uninit(); FOLD_BLOCK_BYTES / 8];
    let into: *mut T = block.as_mut_ptr().cast();
    let most = (FOLD_BLOCK_BYTES / size_of::<T>()).min(count);
    // SAFETY: the block is aligned to words and has room for `most` elements of numeric types, for which zero is valid.
    let into = unsafe {
        into.write_bytes(0, most);
        std::slice::from_raw_parts_mut(into, most)
    };
    let mut slices: SmallVec<[&[T]; 16]> = SmallVec::new();
    for start in (0..count).step_by(most.max(1)) {
        let into = &mut into[..most.min(count - start)];
        slices.clear();
        // SAFETY: the elements exist, and nothing is written during the lifetime of the slices.
        slices.extend(from.iter().map(|s| unsafe { std::slice::from_raw_parts(s.cast::<T>().add(start), into.len()) }));
        fold::<T, C>(into, &slices);
        for target in to {
            // SAFETY: the slices are no longer read, so the target may be one of them.
            unsafe { copy(into.as_ptr().cast(), target.cast::<T>().add(start).cast(), size_of_val(into), stream) };
        }
    }
}

/// Copies bytes, with non-temporal stores if `stream` is set.
///
/// # Safety
/// The source is readable and the target writable for `bytes` bytes. They are equal or do not overlap.
unsafe fn copy(source: *const u8, target: *mut u8, bytes: usize, stream: bool) {
    if source == target.cast_const() {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if stream && bytes >= CACHE_LINE_BYTES {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        let head = target.align_offset(CACHE_LINE_BYTES).min(bytes);
        let lines = (bytes - head) / CACHE_LINE_BYTES;
        // SAFETY: head, lines and tail together are the range guaranteed by the caller; lines are aligned, and SSE2 is
        // part of the architecture.
        unsafe {
            std::ptr::copy_nonoverlapping(source, target, head);
            for line in 0..lines {
                let (source, target) =
                    (source.add(head + line * CACHE_LINE_BYTES), target.add(head + line * CACHE_LINE_BYTES));
                for word in 0..CACHE_LINE_BYTES / 16 {
                    let value = _mm_loadu_si128(source.cast::<__m128i>().add(word));
                    _mm_stream_si128(target.cast::<__m128i>().add(word), value);
                }
            }
            let done = head + lines * CACHE_LINE_BYTES;
            std::ptr::copy_nonoverlapping(source.add(done), target.add(done), bytes - done);
        }
        return;
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::ptr::copy_nonoverlapping(source, target, bytes) };
}

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const CACHE_LINE_BYTES: usize = 64;

/// Orders non-temporal stores before all later stores of this thread.
fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of the architecture.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
