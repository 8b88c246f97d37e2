//! What was computed for a sample, kept in memory and behind that on disk, each within so many bytes.
//!
//! Only exact hits count: an entry is found by the sample and by a fingerprint of all that made it, and what comes from
//! the disk is what was written, by its checksum. An epoch asks for every sample once, in an order that differs from
//! epoch to epoch; so the sample that was asked for last is the one whose turn is farthest away. Where a tier is full,
//! that one moves on: from memory to disk, and from disk away. Entries of another fingerprint are of no use any more,
//! and go first.

use indexmap::IndexMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// How much may be kept, and where.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Budget {
    /// Bytes in memory.
    pub memory: u64,
    /// Bytes on disk.
    pub disk: u64,
    /// The folder for what is on disk; none where nothing may be.
    pub folder: Option<PathBuf>,
}

/// How often what was asked for was there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct Counts {
    /// Found in memory.
    pub memory: u64,
    /// Found on disk.
    pub disk: u64,
    /// Not found.
    pub missed: u64,
    /// Entries that had to go.
    pub evicted: u64,
}

/// Entries by sample.
pub struct Cache {
    budget: Budget,
    fingerprint: u64,
    /// By sample.
    memory: IndexMap<u64, Box<[u8]>>,
    memory_bytes: u64,
    disk: Option<Disk>,
    counts: Counts,
}

impl Cache {
    /// An empty cache for what has that fingerprint.
    ///
    /// # Errors
    /// When the folder cannot be written to.
    pub fn new(budget: Budget, fingerprint: u64) -> io::Result<Cache> {
        let folder = budget.folder.as_deref().filter(|_| budget.disk > 0);
        let disk = folder.map(Disk::open).transpose()?;
        Ok(Cache { budget, fingerprint, memory: IndexMap::new(), memory_bytes: 0, disk, counts: Counts::default() })
    }

    /// How often what was asked for was there.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// From now on entries of another fingerprint are kept; those that are there go.
    pub fn renew(&mut self, fingerprint: u64) {
        if self.fingerprint != fingerprint {
            let on_disk = self.disk.as_ref().map_or(0, |disk| disk.slots.len());
            self.counts.evicted += (self.memory.len() + on_disk) as u64;
            self.fingerprint = fingerprint;
            self.memory.clear();
            self.memory_bytes = 0;
            if let Some(disk) = &mut self.disk {
                disk.slots.clear();
                disk.end = 0;
            }
        }
    }

    /// What is kept for a sample.
    pub fn get(&mut self, sample: u64) -> Option<Vec<u8>> {
        if let Some(bytes) = self.memory.get(&sample) {
            self.counts.memory += 1;
            return Some(bytes.to_vec());
        }
        match self.disk.as_mut().and_then(|disk| disk.read(sample)) {
            Some(bytes) => {
                self.counts.disk += 1;
                Some(bytes)
            }
            None => {
                self.counts.missed += 1;
                None
            }
        }
    }

    /// Keeps the bytes of a sample, if there is room for them somewhere.
    pub fn put(&mut self, sample: u64, bytes: &[u8]) {
        if self.memory.contains_key(&sample) || self.disk.as_ref().is_some_and(|disk| disk.slots.contains_key(&sample))
        {
            return;
        }
        let size = bytes.len() as u64;
        if self.memory_bytes + size <= self.budget.memory {
            self.memory_bytes += size;
            self.memory.insert(sample, bytes.into());
            return;
        }
        let room = self.budget.disk;
        // A disk that fails keeps nothing; what is not kept is computed again.
        let kept = self.disk.as_mut().is_some_and(|disk| disk.end + size <= room && disk.write(sample, bytes).is_ok());
        self.counts.evicted += u64::from(!kept);
    }
}

/// Where an entry lies on disk.
struct Slot {
    at: u64,
    length: usize,
    sum: u64,
}

/// The tier on disk: one file that goes when training ends.
struct Disk {
    path: PathBuf,
    file: File,
    slots: IndexMap<u64, Slot>,
    end: u64,
}

impl Disk {
    fn open(folder: &Path) -> io::Result<Disk> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("frozen-{}.cache", std::process::id()));
        // Nothing else has this name, unless a process with the same number was killed.
        let _ = fs::remove_file(&path);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        Ok(Disk { path, file, slots: IndexMap::new(), end: 0 })
    }

    fn write(&mut self, sample: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)?;
        self.slots.insert(sample, Slot { at: self.end, length: bytes.len(), sum: xxh3_64(bytes) });
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// What was written; nothing when the disk gives something else.
    fn read(&mut self, sample: u64) -> Option<Vec<u8>> {
        let slot = self.slots.get(&sample)?;
        let mut bytes = vec![0; slot.length];
        self.file.seek(SeekFrom::Start(slot.at)).ok()?;
        self.file.read_exact(&mut bytes).ok()?;
        (xxh3_64(&bytes) == slot.sum).then_some(bytes)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A file that is left is only in the way.
        let _ = fs::remove_file(&self.path);
    }
}

/// A fingerprint of some bytes and of one before.
pub fn fingerprint(before: u64, bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64_with_seed(bytes, before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(test: &str) -> PathBuf {
        std::env::temp_dir().join(format!("partita-cache-{test}-{}", std::process::id()))
    }

    #[test]
    fn memory_comes_first_then_disk_then_nothing() {
        let folder = folder("tiers");
        let budget = Budget { memory: 25, disk: 20, folder: Some(folder.clone()) };
        let mut cache = Cache::new(budget, 1).unwrap();
        for sample in 0..5u64 {
            cache.put(sample, &[sample as u8; 10]);
        }
        let found: Vec<Option<Vec<u8>>> = (0..5).map(|sample| cache.get(sample)).collect();
        assert_eq!(found[0].as_deref(), Some(&[0; 10][..]));
        assert_eq!(found[3].as_deref(), Some(&[3; 10][..]));
        assert_eq!(found[4], None, "both tiers are full");
        assert_eq!(cache.counts(), Counts { memory: 2, disk: 2, missed: 1, evicted: 1 });
        drop(cache);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "nothing is left behind");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn another_fingerprint_is_another_cache() {
        let mut cache = Cache::new(Budget { memory: 100, ..Budget::default() }, 1).unwrap();
        cache.put(7, b"old");
        cache.renew(1);
        assert!(cache.get(7).is_some());
        cache.renew(2);
        assert_eq!(cache.get(7), None);
        cache.put(7, b"new");
        assert_eq!(cache.get(7).as_deref(), Some(&b"new"[..]));
        assert_eq!(cache.counts().evicted, 1);
    }

    #[test]
    fn what_the_disk_changed_is_no_hit() {
        let folder = folder("changed");
        let mut cache = Cache::new(Budget { memory: 0, disk: 100, folder: Some(folder.clone()) }, 1).unwrap();
        cache.put(1, b"exactly this");
        assert_eq!(cache.get(1).as_deref(), Some(&b"exactly this"[..]));
        let file = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        fs::write(file, b"exactly that").unwrap();
        assert_eq!(cache.get(1), None);
        drop(cache);
        fs::remove_dir_all(folder).unwrap();
    }
}
