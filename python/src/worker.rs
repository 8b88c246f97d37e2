//! Work on a thread of its own, without the interpreter's lock, that Ctrl-C can interrupt.

use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// Stack size of the thread in bytes, as for the command.
const STACK_BYTES: usize = 64 << 20;

/// Time between two checks for signals.
const POLL: Duration = Duration::from_millis(50);

/// Returns the result of `work`, which may send messages. `receive` gets each message, and `interrupt` is called for
/// Ctrl-C: the exception is raised after the work has ended, unless `interrupt` returns true.
pub(crate) fn run<T: Send, M: Send>(
    py: Python<'_>,
    work: impl FnOnce(Sender<M>) -> T + Send,
    mut receive: impl FnMut(Python<'_>, M) -> PyResult<()>,
    mut interrupt: impl FnMut() -> bool,
) -> PyResult<T> {
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        // Only this thread receives, but to release the lock of the interpreter, what is used must be shareable.
        let receiver = Mutex::new(receiver);
        let worker = Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || work(sender))?;
        let mut failure: Option<PyErr> = None;
        loop {
            let message = py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(POLL));
            let step = match message {
                Ok(message) => receive(py, message),
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Err(error) = step.and_then(|()| py.check_signals()) {
                let is_handled = interrupt() && error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py);
                failure = failure.or_else(|| (!is_handled).then_some(error));
            }
        }
        let result = py.detach(|| worker.join());
        match (result, failure) {
            (Ok(_), Some(error)) => Err(error),
            (Ok(result), None) => Ok(result),
            (Err(panic), _) => std::panic::resume_unwind(panic),
        }
    })
}

/// Returns the result of work that sends no messages and runs to its end.
pub(crate) fn finish<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    run(py, |_: Sender<()>| work(), |_, ()| Ok(()), || false)
}
