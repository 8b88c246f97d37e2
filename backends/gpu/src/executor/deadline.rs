//! Time limit for collectives between GPUs. If a device fails, the others would wait for it forever. Collectives are
//! therefore aborted when a device or the network reports an error, or when the limit is exceeded.

use super::Executable;
use crate::device::Device;
use partita_ir::diag::{Code, Diagnostic};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Environment variable with the time limit in seconds; 0 for none.
const VARIABLE: &str = "PARTITA_COLLECTIVE_TIMEOUT";

/// Default time limit: that of PyTorch's process groups with NCCL.
const DEFAULT_DEADLINE: Duration = Duration::from_secs(600);

/// Maximum interval between two polls of the devices, and thus the maximum delay of a wait.
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Returns the time limit of the environment, or `None` for no limit.
///
/// # Errors
/// `C002` if the value is not a number of seconds.
pub(crate) fn deadline() -> Result<Option<Duration>, Diagnostic> {
    match std::env::var(VARIABLE) {
        Err(_) => Ok(Some(DEFAULT_DEADLINE)),
        Ok(text) => read(&text),
    }
}

fn read(text: &str) -> Result<Option<Duration>, Diagnostic> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let wrong = || {
        let title = format!("{VARIABLE} is `{text}`, which is not a number of seconds");
        Diagnostic::new(Code::C002, title).help(format!("set {VARIABLE}=600, or to 0 for no limit"))
    };
    Ok(Some(seconds.ok_or_else(wrong)?).filter(|deadline| !deadline.is_zero()))
}

impl<D: Device> Executable<D> {
    /// Waits until devices that communicate over a network have finished all launched work.
    ///
    /// # Errors
    /// `R004` if a device is lost, the network reports an error, or the time limit is exceeded. Collectives are aborted
    /// in these cases.
    pub(super) fn wait_for_devices(&self) -> Result<(), Diagnostic> {
        let Some(network) = &self.network else { return Ok(()) };
        let (started, mut pause) = (Instant::now(), Duration::from_micros(1));
        let mut done = vec![false; self.contexts.len()];
        let mut poll = || -> Result<bool, Diagnostic> {
            for (context, is_done) in self.contexts.iter().zip(&mut done) {
                *is_done = *is_done || context.device.is_done()?;
            }
            // Work that waits for an aborted collective ends, too.
            network.check()?;
            if done.iter().all(|done| *done) {
                return Ok(true);
            }
            match self.deadline {
                Some(deadline) if started.elapsed() >= deadline => {
                    let ranks =
                        self.local.clone().zip(&done).filter(|(_, done)| !**done).map(|(rank, _)| rank.to_string());
                    let ranks = ranks.collect::<Vec<_>>().join(", ");
                    Err(deadline_exceeded(
                        deadline,
                        &format!("unfinished ranks: {ranks}; their collectives were aborted"),
                    ))
                }
                _ => Ok(false),
            }
        };
        loop {
            match poll() {
                Ok(true) => {
                    network.finish();
                    return Ok(());
                }
                Ok(false) => {}
                Err(e) => {
                    network.abort();
                    return Err(e);
                }
            }
            sleep(pause);
            pause = (pause * 2).min(MAX_POLL_INTERVAL);
        }
    }
}

/// Returns the error for collectives that exceed the time limit.
pub(crate) fn deadline_exceeded(deadline: Duration, note: &str) -> Diagnostic {
    let title = format!("collectives did not finish within {} s", deadline.as_secs_f64());
    Diagnostic::new(Code::R004, title)
        .note(note)
        .help(format!("if steps take longer, set {VARIABLE} to more seconds, or to 0 for no limit"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_parsed_as_seconds() {
        assert_eq!(read("1.5").unwrap(), Some(Duration::from_millis(1500)));
        assert_eq!(read("0").unwrap(), None);
        for wrong in ["", "ten", "-1", "inf"] {
            assert!(read(wrong).unwrap_err().title.contains("not a number of seconds"), "{wrong}");
        }
    }
}
