//! Memory of messages.
//!
//! New memory costs the system a page fault for every 4 KiB, which takes longer than copying them. Memory of large
//! payloads is therefore retained for later ones.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes of a message, aligned for elements of every type.
#[derive(Default)]
pub struct Payload {
    /// Memory for at least as many bytes.
    words: Vec<u64>,
    bytes: usize,
}

impl Payload {
    /// Returns a payload whose contents are zeros, or bytes of an earlier payload.
    pub fn recycled(bytes: usize) -> Payload {
        let words = bytes.div_ceil(8);
        Payload { words: unused_memory().take(words).unwrap_or_else(|| vec![0; words]), bytes }
    }

    /// Returns a payload with the given bytes.
    pub fn from_bytes(bytes: &[u8]) -> Payload {
        let mut payload = Payload::recycled(bytes.len());
        payload.as_mut_bytes().copy_from_slice(bytes);
        payload
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.bytes]
    }

    /// Returns the bytes for writing.
    pub fn as_mut_bytes(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.bytes]
    }
}

impl Drop for Payload {
    fn drop(&mut self) {
        if self.words.len() >= MIN_WORDS {
            unused_memory().keep(std::mem::take(&mut self.words));
        }
    }
}

impl Clone for Payload {
    fn clone(&self) -> Payload {
        Payload::from_bytes(self.as_bytes())
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Payload) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Payload {}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().fmt(f)
    }
}

/// Minimum size of memory that is retained, in words.
const MIN_WORDS: usize = 1 << 13;

/// Maximum size of all memory that is retained, in words: 64 MiB.
const MAX_WORDS: usize = 1 << 23;

/// Memory of earlier payloads, the oldest first.
#[derive(Default)]
struct UnusedMemory {
    buffers: Vec<Vec<u64>>,
    words: usize,
}

impl UnusedMemory {
    /// Removes and returns the smallest memory with at least the given number of words, and at most twice as many.
    fn take(&mut self, words: usize) -> Option<Vec<u64>> {
        let fits = |(_, buffer): &(usize, &Vec<u64>)| (words..=2 * words).contains(&buffer.len());
        let (at, _) = self.buffers.iter().enumerate().filter(fits).min_by_key(|(_, buffer)| buffer.len())?;
        let buffer = self.buffers.remove(at);
        self.words -= buffer.len();
        Some(buffer)
    }

    /// Keeps memory, and frees the oldest if there is too much.
    fn keep(&mut self, buffer: Vec<u64>) {
        self.words += buffer.len();
        self.buffers.push(buffer);
        let mut freed = 0;
        while self.words > MAX_WORDS {
            self.words -= self.buffers[freed].len();
            freed += 1;
        }
        self.buffers.drain(..freed);
    }
}

/// Returns the unused memory of this process.
fn unused_memory() -> MutexGuard<'static, UnusedMemory> {
    static UNUSED: Mutex<UnusedMemory> = Mutex::new(UnusedMemory { buffers: Vec::new(), words: 0 });
    // No code panics while the sum is inconsistent.
    UNUSED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{MAX_WORDS, MIN_WORDS, Payload, UnusedMemory};

    #[test]
    fn payloads_have_the_requested_bytes_whatever_their_memory_held() {
        for bytes in [8 * MIN_WORDS, 8 * MIN_WORDS - 3, 9, 0] {
            let filled = vec![7; bytes];
            let payload = Payload::from_bytes(&filled);
            assert_eq!(payload.as_bytes(), filled);
            assert_eq!(payload.clone(), payload);
            drop(payload);
            assert_eq!(Payload::recycled(bytes).as_bytes().len(), bytes);
        }
    }

    #[test]
    fn memory_of_a_similar_size_is_reused() {
        let mut unused = UnusedMemory::default();
        [30, 10, 12].into_iter().for_each(|words| unused.keep(vec![0; words]));
        let sizes = [11, 11, 11].map(|words| unused.take(words).map(|buffer| buffer.len()));
        assert_eq!(sizes, [Some(12), None, None]);
        assert_eq!(unused.take(10).map(|buffer| buffer.len()), Some(10));
        assert_eq!(unused.words, 30);
    }

    #[test]
    fn the_oldest_memory_is_freed() {
        let mut unused = UnusedMemory::default();
        [MAX_WORDS / 2, MAX_WORDS / 4, MAX_WORDS / 2].into_iter().for_each(|words| unused.keep(vec![0; words]));
        assert_eq!(unused.words, MAX_WORDS / 4 * 3);
        unused.keep(vec![0; MAX_WORDS + 1]);
        assert_eq!((unused.words, unused.buffers.len()), (0, 0));
    }
}
