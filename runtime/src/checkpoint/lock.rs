//! Lock of a checkpoint folder, which one training run at a time may write.
//!
//! The operating system associates the lock with the open file and releases it when the process ends for any reason.
//! The file contents are for messages only, so a file left by a killed run blocks no other run. The file is never
//! removed: a process waiting for the lock of a removed file would get a lock that no other process sees.

use crate::processes::host_name;
use partita_ir::diag::{Code, Diagnostic};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Name of the lock file.
pub(super) const LOCK_FILE: &str = ".lock";

/// Exclusive right to write to a folder for the lifetime of this value.
pub(super) struct Lock(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl Lock {
    /// Acquires the lock of a folder.
    ///
    /// # Errors
    /// `K006` with the owner when another run has locked the folder, `C001` when the operating system refuses.
    pub(super) fn acquire(folder: &Path) -> Result<Lock, Diagnostic> {
        let path = folder.join(LOCK_FILE);
        let refused = |e: &io::Error| Diagnostic::io_error("lock", &path, e);
        // Not truncated on opening: until the lock is acquired the file contains its owner.
        let open = File::options().create(true).read(true).write(true).truncate(false).open(&path);
        let mut file = open.map_err(|e| refused(&e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(folder, Owner::read(&path))),
            Err(TryLockError::Error(e)) => return Err(refused(&e)),
        }
        let text = serde_json::to_string(&Owner::current()).map_err(|e| refused(&e.into()))?;
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(|e| refused(&e))?;
        Ok(Lock(file))
    }
}

/// Process that has the lock.
#[derive(Serialize, Deserialize, Debug)]
struct Owner {
    /// Process id.
    process: u32,
    /// Host name of the machine, if available.
    host: Option<String>,
    /// Time at which the lock was acquired, in seconds since 1970.
    since: u64,
}

impl Owner {
    fn current() -> Owner {
        Owner { process: std::process::id(), host: host_name(), since: now() }
    }

    /// Parses the lock file. Retries, since a new owner writes the file shortly after it acquires the lock.
    fn read(path: &Path) -> Option<Owner> {
        const MAX_READ_ATTEMPTS: usize = 20;
        (0..MAX_READ_ATTEMPTS).find_map(|attempt| {
            if attempt > 0 {
                std::thread::sleep(Duration::from_millis(10));
            }
            serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
        })
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

fn in_use(folder: &Path, owner: Option<Owner>) -> Diagnostic {
    let who = match owner {
        Some(Owner { process, host, since }) => {
            let host = host.map_or(String::new(), |host| format!(" on `{host}`"));
            let when = match now().saturating_sub(since) / 60 {
                0 => "less than a minute ago".to_owned(),
                minutes => format!("{minutes} min ago"),
            };
            format!("process {process}{host} locked it {when}")
        }
        None => "its owner could not be read".to_owned(),
    };
    Diagnostic::new(Code::K006, format!("another training run uses the checkpoint folder `{}`", folder.display()))
        .note(who)
        .help("wait until it ends, or save the checkpoints of this run to another folder: `--save DIR`")
}
