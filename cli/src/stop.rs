//! Ctrl-C and SIGTERM in a run that can go on later: the first asks it to stop, a second one ends the process at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is true from the first signal on.
pub(super) fn asked() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds what only it sets. Where signals cannot be watched, they end the
        // process as ever.
        let _ = flag::register_conditional_default(signal, asked.clone());
        let _ = flag::register(signal, asked.clone());
    }
    asked
}
