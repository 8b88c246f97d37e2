//! Handling of Ctrl-C and SIGTERM in `train`, `search`, `sweep` and `replan`: the first signal requests a stop, a
//! second one ends the process.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Installs the signal handlers and returns the flag that the first signal sets.
pub(super) fn stop_flag() -> Arc<AtomicBool> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // The conditional handler is registered first, so that only a second signal ends the process. If a handler
        // cannot be registered, the signal ends the process by default.
        let _ = flag::register_conditional_default(signal, asked.clone());
        let _ = flag::register(signal, asked.clone());
    }
    asked
}
