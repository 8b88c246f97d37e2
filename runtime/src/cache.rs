//! Cache of per-sample results with a memory tier and a disk tier, each limited in bytes.
//!
//! Only exact hits count: the key of an entry is the sample and a fingerprint of everything that determined the result,
//! and a checksum detects corrupted entries on disk. Each epoch requests every sample once, in a different order, so
//! the sample requested last is the one whose next use is farthest away. A full tier therefore does not admit it: a new
//! entry goes to memory, then to disk, then is dropped. Entries of another fingerprint are dropped first.

use indexmap::IndexMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// Capacity of a cache and the location of its disk tier.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Budget {
    /// Bytes in memory.
    pub memory: u64,
    /// Bytes on disk.
    pub disk: u64,
    /// Folder of the disk tier; `None` disables that tier.
    pub folder: Option<PathBuf>,
}

/// Numbers of hits, misses and evictions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct Counts {
    /// Found in memory.
    pub memory: u64,
    /// Found on disk.
    pub disk: u64,
    /// Not found.
    pub missed: u64,
    /// Entries dropped because of capacity or because the fingerprint changed.
    pub evicted: u64,
}

/// Two-tier cache of entries by sample.
pub struct Cache {
    budget: Budget,
    fingerprint: u64,
    /// Entries of the memory tier by sample.
    memory: IndexMap<u64, Box<[u8]>>,
    memory_bytes: u64,
    disk: Option<DiskTier>,
    counts: Counts,
}

impl Cache {
    /// Creates an empty cache for entries with the given fingerprint.
    ///
    /// # Errors
    /// The error of the operating system if the folder or its file cannot be created.
    pub fn new(budget: Budget, fingerprint: u64) -> io::Result<Cache> {
        let folder = budget.folder.as_deref().filter(|_| budget.disk > 0);
        let disk = folder.map(DiskTier::open).transpose()?;
        Ok(Cache { budget, fingerprint, memory: IndexMap::new(), memory_bytes: 0, disk, counts: Counts::default() })
    }

    /// Returns the numbers of hits, misses and evictions.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Sets the fingerprint of the entries. Drops all entries if it changes.
    pub fn set_fingerprint(&mut self, fingerprint: u64) {
        if self.fingerprint != fingerprint {
            let on_disk = self.disk.as_ref().map_or(0, |disk| disk.entries.len());
            self.counts.evicted += (self.memory.len() + on_disk) as u64;
            self.fingerprint = fingerprint;
            self.memory.clear();
            self.memory_bytes = 0;
            if let Some(disk) = &mut self.disk {
                disk.entries.clear();
                disk.end = 0;
            }
        }
    }

    /// Returns the entry of a sample and counts a hit or a miss.
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

    /// Stores the entry of a sample in the first tier with enough free space; drops it if both are full.
    pub fn put(&mut self, sample: u64, bytes: &[u8]) {
        if self.memory.contains_key(&sample)
            || self.disk.as_ref().is_some_and(|disk| disk.entries.contains_key(&sample))
        {
            return;
        }
        let size = bytes.len() as u64;
        if self.memory_bytes + size <= self.budget.memory {
            self.memory_bytes += size;
            self.memory.insert(sample, bytes.into());
            return;
        }
        let capacity = self.budget.disk;
        // A failing disk stores nothing; missing entries are computed again.
        let is_stored =
            self.disk.as_mut().is_some_and(|disk| disk.end + size <= capacity && disk.write(sample, bytes).is_ok());
        self.counts.evicted += u64::from(!is_stored);
    }
}

/// Location and checksum of an entry on disk.
struct DiskEntry {
    offset: u64,
    length: usize,
    checksum: u64,
}

/// Disk tier: one file, deleted when the cache is dropped.
struct DiskTier {
    path: PathBuf,
    file: File,
    entries: IndexMap<u64, DiskEntry>,
    end: u64,
}

impl DiskTier {
    fn open(folder: &Path) -> io::Result<DiskTier> {
        fs::create_dir_all(folder)?;
        let path = folder.join(format!("frozen-{}.cache", std::process::id()));
        // The name contains the process id, so an existing file is left over from a killed process.
        let _ = fs::remove_file(&path);
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        Ok(DiskTier { path, file, entries: IndexMap::new(), end: 0 })
    }

    fn write(&mut self, sample: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(bytes)?;
        self.entries.insert(sample, DiskEntry { offset: self.end, length: bytes.len(), checksum: xxh3_64(bytes) });
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Returns the entry, or `None` if the checksum of the bytes read differs.
    fn read(&mut self, sample: u64) -> Option<Vec<u8>> {
        let entry = self.entries.get(&sample)?;
        let mut bytes = vec![0; entry.length];
        self.file.seek(SeekFrom::Start(entry.offset)).ok()?;
        self.file.read_exact(&mut bytes).ok()?;
        (xxh3_64(&bytes) == entry.checksum).then_some(bytes)
    }
}

impl Drop for DiskTier {
    fn drop(&mut self) {
        // Failure to delete the file is harmless.
        let _ = fs::remove_file(&self.path);
    }
}

/// Fingerprint of bytes that are not in memory together: equal to [`fingerprint`] of all of them.
pub struct Fingerprint(xxhash_rust::xxh3::Xxh3);

impl Fingerprint {
    /// Creates a fingerprint that is chained to the fingerprint `before`.
    pub fn new(before: u64) -> Fingerprint {
        Fingerprint(xxhash_rust::xxh3::Xxh3::with_seed(before))
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns the fingerprint.
    pub fn finish(&self) -> u64 {
        self.0.digest()
    }
}

/// Returns the fingerprint of `bytes` chained to the fingerprint `before`.
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
    fn full_memory_tier_falls_back_to_disk() {
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
    fn changed_fingerprint_drops_all_entries() {
        let mut cache = Cache::new(Budget { memory: 100, ..Budget::default() }, 1).unwrap();
        cache.put(7, b"old");
        cache.set_fingerprint(1);
        assert!(cache.get(7).is_some());
        cache.set_fingerprint(2);
        assert_eq!(cache.get(7), None);
        cache.put(7, b"new");
        assert_eq!(cache.get(7).as_deref(), Some(&b"new"[..]));
        assert_eq!(cache.counts().evicted, 1);
    }

    #[test]
    fn corrupted_disk_entry_is_a_miss() {
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
