#![allow(unsafe_code)]
//! The only place that touches the memory of members: reading, combining and writing what lies at raw addresses.
//!
//! All that is unsafe about it is whether the addresses are good; [`Exchange::run`] is the safe way in, for buffers
//! that are at hand as slices.

use crate::exchange::fold::{BLOCK_BYTES, Combine, fold};
use crate::exchange::{Exchange, Move, STREAM_BYTES, Spot, Task};
use partita_ir::diag::{Code, Diagnostic};
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the operand and the result of a member lie: memory that is its own, and that it does not touch meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// As many elements as [`Exchange::operand`] has.
    pub input: *const u8,
    /// As many elements as [`Exchange::result`] has; the same address as `input` if [`Exchange::in_place`] allows it.
    pub output: *mut u8,
}

// SAFETY: a part is two addresses; whoever performs an exchange promises what lies there.
unsafe impl Send for Part {}
// SAFETY: as above.
unsafe impl Sync for Part {}

impl Exchange {
    /// Performs one item, of which there are [`Exchange::items`]. The exchange is done when all of them are.
    ///
    /// # Safety
    /// - There is one part a member, in the order of the group.
    /// - Addresses are aligned to the width of an element. An operand can be read, a result can be written; both hold
    ///   as many elements as their types say, of which those of the operand are initialised.
    /// - Results overlap neither each other nor operands, except that a result may be the member's own operand if
    ///   [`Exchange::in_place`] says so.
    /// - From the first item to the end of the last one nobody else reads or writes results, or writes operands.
    /// - No item is performed twice.
    pub unsafe fn perform(&self, parts: &[Part], item: usize) {
        let width = self.operand.dtype.bytes() as usize;
        // What lies where its operand lies is in the caches already.
        let stream = self.result.bytes() >= STREAM_BYTES && parts.iter().all(|p| p.input != p.output.cast_const());
        for (work, tile) in self.tiles(item) {
            let bytes = tile.run.len() * width;
            match &work.task {
                Task::Clear(member) => {
                    for at in work.block.offsets(&tile) {
                        // SAFETY: the block lies inside the result.
                        unsafe { parts[*member].output.add(at.output * width).write_bytes(0, bytes) };
                    }
                }
                Task::Flow(moves, places) => {
                    // Words of one place, so that each is aligned.
                    let each = (tile.count() * width).div_ceil(8);
                    let mut memory = vec![0u64; places * each];
                    let scratch = memory.as_mut_ptr();
                    for step in moves {
                        for (row, at) in work.block.offsets(&tile).enumerate() {
                            // SAFETY: the block lies inside operand and result, and a row of the tile inside its place.
                            let address = |spot: &Spot| unsafe {
                                match *spot {
                                    Spot::Input(member) => parts[member].input.add(at.input * width).cast_mut(),
                                    Spot::Output(member) => parts[member].output.add(at.output * width),
                                    Spot::Scratch(place) => scratch.add(place * each).cast::<u8>().add(row * bytes),
                                }
                            };
                            // SAFETY: all of these addresses have a row of the tile.
                            unsafe { self.carry_out(step, address, tile.run.len(), stream) };
                        }
                    }
                }
            }
        }
        if stream {
            fence();
        }
    }

    /// Carries out one move on so many elements in a row.
    ///
    /// # Safety
    /// At the addresses there are so many elements, of which those that are read are initialised.
    unsafe fn carry_out(&self, step: &Move, address: impl Fn(&Spot) -> *mut u8, count: usize, stream: bool) {
        let from: SmallVec<[*mut u8; 16]> = step.from.iter().map(&address).collect();
        let to: SmallVec<[*mut u8; 16]> = step.to.iter().map(&address).collect();
        let bytes = count * self.operand.dtype.bytes() as usize;
        match (&from[..], self.kernel) {
            // SAFETY: as promised.
            ([source], _) => to.iter().for_each(|&target| unsafe { copy(*source, target, bytes, stream) }),
            // SAFETY: as promised; the kernel is that of the dtype.
            (sources, Some(kernel)) => unsafe { kernel(sources, &to, count, stream) },
            // Only reductions combine.
            (_, None) => debug_assert!(false, "combines without a monoid"),
        }
    }

    /// Performs all items on that many threads, this one included. Buffers are given as words, so that they are aligned
    /// for every dtype.
    ///
    /// # Errors
    /// `R004` if a buffer is missing or too short.
    pub fn run(&self, inputs: &[&[u64]], outputs: &mut [&mut [u64]], threads: usize) -> Result<(), Diagnostic> {
        let hold = |bytes: u64, words: usize| (words as u64).saturating_mul(8) >= bytes;
        let enough = inputs.iter().all(|b| hold(self.operand.bytes(), b.len()))
            && outputs.iter().all(|b| hold(self.result.bytes(), b.len()));
        if [inputs.len(), outputs.len()] != [self.members; 2] || !enough {
            return Err(Diagnostic::new(Code::R004, "a collective got too few or too short buffers"));
        }
        let part = |(input, output): (&&[u64], &mut &mut [u64])| Part {
            input: input.as_ptr().cast(),
            output: output.as_mut_ptr().cast(),
        };
        let parts: Vec<Part> = inputs.iter().zip(outputs).map(part).collect();
        self.all(&parts, threads);
        Ok(())
    }

    /// [`Exchange::run`] with results where the operands lie.
    ///
    /// # Errors
    /// `R004` if a buffer is missing or too short, or the results must not lie there.
    pub fn run_in_place(&self, buffers: &mut [&mut [u64]], threads: usize) -> Result<(), Diagnostic> {
        let bytes = self.operand.bytes();
        let short = buffers.iter().any(|b| (b.len() as u64).saturating_mul(8) < bytes);
        if !self.in_place || buffers.len() != self.members || short {
            return Err(Diagnostic::new(Code::R004, "a collective cannot be performed in place on these buffers"));
        }
        let part = |buffer: &mut &mut [u64]| {
            let output: *mut u8 = buffer.as_mut_ptr().cast();
            Part { input: output, output }
        };
        let parts: Vec<Part> = buffers.iter_mut().map(part).collect();
        self.all(&parts, threads);
        Ok(())
    }

    /// Performs all items on parts that were derived from exclusive and long enough buffers.
    fn all(&self, parts: &[Part], threads: usize) {
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let item = next.fetch_add(1, Ordering::Relaxed);
                if item >= self.items {
                    return;
                }
                // SAFETY: the parts are the members' own memory and aligned to words, and each number is drawn once.
                unsafe { self.perform(parts, item) };
            }
        };
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
    }
}

/// Combines so many elements that lie at each of the sources, from left to right, into those at every target. A target
/// may be one of the sources.
///
/// # Safety
/// Sources can be read and targets written for so many initialised elements of `T`, for which they are aligned.
pub(super) unsafe fn fold_at<T: Copy, C: Combine<T>>(from: &[*mut u8], to: &[*mut u8], count: usize, stream: bool) {
    let mut block = [MaybeUninit::<u64>::uninit(); BLOCK_BYTES / 8];
    let into: *mut T = block.as_mut_ptr().cast();
    let most = (BLOCK_BYTES / size_of::<T>()).min(count);
    // SAFETY: the block is aligned to words and has room for `most` elements, all of which are numbers that may be
    // zero.
    let into = unsafe {
        into.write_bytes(0, most);
        std::slice::from_raw_parts_mut(into, most)
    };
    let mut slices: SmallVec<[&[T]; 16]> = SmallVec::new();
    for start in (0..count).step_by(most.max(1)) {
        let into = &mut into[..most.min(count - start)];
        slices.clear();
        // SAFETY: so many elements are there, and nothing is written while the slices live.
        slices.extend(from.iter().map(|s| unsafe { std::slice::from_raw_parts(s.cast::<T>().add(start), into.len()) }));
        fold::<T, C>(into, &slices);
        for target in to {
            // SAFETY: the slices are read no more, so that the target may be one of them.
            unsafe { copy(into.as_ptr().cast(), target.cast::<T>().add(start).cast(), size_of_val(into), stream) };
        }
    }
}

/// Copies bytes, past the caches if `stream` says so.
///
/// # Safety
/// The source can be read and the target written for so many bytes. They are the same or do not overlap.
unsafe fn copy(source: *const u8, target: *mut u8, bytes: usize, stream: bool) {
    if source == target.cast_const() {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if stream && bytes >= LINE {
        use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
        let head = target.align_offset(LINE).min(bytes);
        let lines = (bytes - head) / LINE;
        // SAFETY: head, lines and tail are the bytes that were promised; lines are aligned, and SSE2 is part of the
        // architecture.
        unsafe {
            std::ptr::copy_nonoverlapping(source, target, head);
            for line in 0..lines {
                let (source, target) = (source.add(head + line * LINE), target.add(head + line * LINE));
                for word in 0..LINE / 16 {
                    let value = _mm_loadu_si128(source.cast::<__m128i>().add(word));
                    _mm_stream_si128(target.cast::<__m128i>().add(word), value);
                }
            }
            let done = head + lines * LINE;
            std::ptr::copy_nonoverlapping(source.add(done), target.add(done), bytes - done);
        }
        return;
    }
    // SAFETY: as promised.
    unsafe { std::ptr::copy_nonoverlapping(source, target, bytes) };
}

/// Bytes of a line of the caches.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Makes what was written past the caches visible before whatever this thread writes next.
fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE is part of the architecture.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
