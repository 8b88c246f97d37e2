//! Waiting for devices that meet over a network. A device that has failed meets nobody, and the others would wait for
//! it for ever: so collectives are ended when a device or the network reports an error, or when a deadline passes.

use super::Executable;
use crate::device::Device;
use partita_ir::diag::{Code, Diagnostic};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The variable with the deadline in seconds; 0 for none.
const VARIABLE: &str = "PARTITA_COLLECTIVE_TIMEOUT";

/// The deadline where the variable is not set: that of PyTorch's process groups with NCCL.
const USUAL: Duration = Duration::from_secs(600);

/// Longest time between two looks at the devices, which is what a wait may be too long.
const PAUSE: Duration = Duration::from_millis(1);

/// The deadline that the environment asks for; nothing if there is none.
///
/// # Errors
/// `C002` for what is no number.
pub(super) fn deadline() -> Result<Option<Duration>, Diagnostic> {
    match std::env::var(VARIABLE) {
        Err(_) => Ok(Some(USUAL)),
        Ok(text) => read(&text),
    }
}

fn read(text: &str) -> Result<Option<Duration>, Diagnostic> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let wrong = || {
        let title = format!("{VARIABLE} is `{text}`, which is no number of seconds");
        Diagnostic::new(Code::C002, title).help(format!("set {VARIABLE}=600, or to 0 for no deadline"))
    };
    Ok(Some(seconds.ok_or_else(wrong)?).filter(|deadline| !deadline.is_zero()))
}

impl<D: Device> Executable<D> {
    /// Waits until devices that meet over a network are done with all that was launched.
    ///
    /// # Errors
    /// `R004` when a device is lost, when the network reports an error, and when they are not done in time. Collectives
    /// are ended then.
    pub(super) fn wait_for_devices(&self) -> Result<(), Diagnostic> {
        let Some(network) = &self.network else { return Ok(()) };
        let (begun, mut pause) = (Instant::now(), Duration::from_micros(1));
        let mut done = vec![false; self.seats.len()];
        let mut look = || -> Result<bool, Diagnostic> {
            for (seat, is_done) in self.seats.iter().zip(&mut done) {
                *is_done = *is_done || seat.device.is_done()?;
            }
            if done.iter().all(|done| *done) {
                return Ok(true);
            }
            network.check()?;
            match self.deadline {
                Some(deadline) if begun.elapsed() >= deadline => Err(late(deadline, &done)),
                _ => Ok(false),
            }
        };
        loop {
            match look() {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(e) => {
                    network.abort();
                    return Err(e);
                }
            }
            sleep(pause);
            pause = (pause * 2).min(PAUSE);
        }
    }
}

/// The error when some devices are not done in time.
fn late(deadline: Duration, done: &[bool]) -> Diagnostic {
    let waiting = done.iter().enumerate().filter(|(_, done)| !**done).map(|(rank, _)| rank.to_string());
    let waiting: Vec<String> = waiting.collect();
    let title = format!("devices that meet were not done after {} s", deadline.as_secs_f64());
    Diagnostic::new(Code::R004, title)
        .note(format!("not done: rank {}; their collectives are ended", waiting.join(", ")))
        .help(format!("if steps take longer, set {VARIABLE} to more seconds, or to 0 for no deadline"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_seconds() {
        assert_eq!(read("1.5").unwrap(), Some(Duration::from_millis(1500)));
        assert_eq!(read("0").unwrap(), None);
        for wrong in ["", "ten", "-1", "inf"] {
            assert!(read(wrong).unwrap_err().title.contains("no number of seconds"), "{wrong}");
        }
    }
}
