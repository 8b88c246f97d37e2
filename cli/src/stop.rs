//! Requests to stop a command by a signal.
//!
//! The first Ctrl-C or SIGTERM requests a stop, a second one ends the process. SIGUSR1, which `mpirun` forwards to its
//! processes, pauses a training run.

use partita::train::{StopReason, StopRequest};
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Installs the signal handlers and returns the flag that the first signal sets.
pub(super) fn stop_flag() -> Arc<AtomicBool> {
    let asked = Arc::default();
    set_on_interrupt(&asked);
    asked
}

/// Installs the signal handlers and returns the request that they make.
pub(super) fn stop_request() -> StopRequest {
    let request = StopRequest::default();
    set_on_interrupt(request.flag(StopReason::Interrupted));
    let _ = flag::register(SIGUSR1, request.flag(StopReason::Paused).clone());
    request
}

/// Sets a flag at Ctrl-C or SIGTERM.
fn set_on_interrupt(asked: &Arc<AtomicBool>) {
    for signal in [SIGINT, SIGTERM] {
        // The conditional handler is registered first, so that only a second signal ends the process. If a handler
        // cannot be registered, the signal ends the process by default.
        let _ = flag::register_conditional_default(signal, asked.clone());
        let _ = flag::register(signal, asked.clone());
    }
}
