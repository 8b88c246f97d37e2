//! The lock of a folder of checkpoints: one training run at a time writes there.
//!
//! The operating system holds the lock for the open file, and releases it when the process ends, however it ends. What
//! the file says is for messages only, so a file that a killed run left behind is in nobody's way. It is never removed:
//! who waits for the lock of a removed file would get one that nobody else sees.

use partita_ir::diag::{Code, Diagnostic};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The name of the file in its folder.
pub(super) const LOCK: &str = ".lock";

/// The right to write to a folder, for as long as this value exists.
pub(super) struct Lock(#[expect(dead_code, reason = "closing the file releases the lock")] File);

impl Lock {
    /// Takes the lock of a folder.
    ///
    /// # Errors
    /// `K006` with the owner when another run has it, `C001` when the operating system refuses.
    pub(super) fn take(folder: &Path) -> Result<Lock, Diagnostic> {
        let path = folder.join(LOCK);
        let refused = |e: &io::Error| Diagnostic::of_file("lock", &path, e);
        // Not truncated on opening: until the lock is taken the file says who has it.
        let open = File::options().create(true).read(true).write(true).truncate(false).open(&path);
        let mut file = open.map_err(|e| refused(&e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(folder, Owner::read(&path))),
            Err(TryLockError::Error(e)) => return Err(refused(&e)),
        }
        let text = serde_json::to_string(&Owner::this()).map_err(|e| refused(&e.into()))?;
        file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(|e| refused(&e))?;
        Ok(Lock(file))
    }
}

/// Who has the lock.
#[derive(Serialize, Deserialize, Debug)]
struct Owner {
    /// The number of the process.
    process: u32,
    /// The name of its machine, if it is known.
    host: Option<String>,
    /// When it took the lock, in seconds since 1970.
    since: u64,
}

impl Owner {
    fn this() -> Owner {
        let name = || fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let host = name().or_else(|| std::env::var("COMPUTERNAME").ok()).or_else(|| std::env::var("HOSTNAME").ok());
        let host = host.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        Owner { process: std::process::id(), host, since: now() }
    }

    /// What the file says. An owner writes it at once after taking the lock, so that it is worth a moment's wait.
    fn read(path: &Path) -> Option<Owner> {
        const TRIES: usize = 20;
        (0..TRIES).find_map(|attempt| {
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
    Diagnostic::new(Code::K006, format!("another training run keeps its checkpoints in `{}`", folder.display()))
        .note(who)
        .help("wait until it ends, or keep the checkpoints of this run in another folder: `--save DIR`")
}
