//! Control of a rank by `partita launch`, over the rank's standard input: a line `pause` asks it to stop after the
//! current step. When the input ends, the launcher has ended, and the rank ends, too. Unlike signals, an input reaches
//! ranks on other hosts.

use std::io::{BufRead, Write};

/// Variable that is set for ranks whose standard input is the launcher's.
pub(super) const VARIABLE: &str = "PARTITA_LAUNCHED";

/// Exit code of a rank with a launcher that fails because another rank has failed.
pub const OTHER_RANK_FAILED: u8 = 69;

const PAUSE: &str = "pause";

/// Exit code of a rank without a launcher.
const ABANDONED: i32 = 1;

/// Obeys the launcher that started this process, if any, from another thread. `on_pause` is called when it asks to
/// stop.
pub fn obey(on_pause: impl Fn() + Send + 'static) {
    if !is_controlled() {
        return;
    }
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            match line {
                Ok(line) if line == PAUSE => on_pause(),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        // Files are complete or absent at every moment.
        std::process::exit(ABANDONED);
    });
}

/// Returns true if `partita launch` started this process.
pub fn is_controlled() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Asks a rank to stop after its current step.
pub(super) fn ask_to_pause(input: &mut impl Write) {
    // A rank that has ended does not read.
    let _ = writeln!(input, "{PAUSE}").and_then(|()| input.flush());
}
