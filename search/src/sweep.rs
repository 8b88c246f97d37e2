//! Parallel execution of independent searches. Without time limits, the outcome of each search is independent of the
//! number of threads.

use crate::monitor::Monitor;
use crate::outcome::Outcome;
use crate::problem::SearchRequest;
use partita_ir::diag::{Code, Diagnostic};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Stack size of a search thread in bytes. Programs are traversed recursively.
const STACK_BYTES: usize = 64 << 20;

/// One search of a sweep.
pub struct SweepCase<'a> {
    /// The request, or the errors in it.
    pub request: Result<SearchRequest<'a>, Vec<Diagnostic>>,
    /// Time limit of the search. `None` for no limit.
    pub time_limit: Option<Duration>,
}

/// Result of one search of a sweep.
pub struct SweepResult {
    /// The outcome, or the reason why no plan was found.
    pub outcome: Result<Outcome, Vec<Diagnostic>>,
    /// Duration of the search in seconds.
    pub seconds: f64,
}

/// Runs searches on the given number of threads. `should_continue` is called with the index of a case while the case is
/// searched, and `on_result` with the index and result of each finished case. When one of them returns `false`, the
/// sweep ends. Unfinished searches then have no result.
pub fn sweep(
    cases: &[SweepCase<'_>],
    threads: usize,
    should_continue: &(dyn Fn(usize) -> bool + Sync),
    on_result: &(dyn Fn(usize, SweepResult) -> bool + Sync),
) {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let go_on = |should_continue: bool| {
        is_over.fetch_or(!should_continue, Ordering::Relaxed);
        !is_over.load(Ordering::Relaxed)
    };
    let work = || {
        while !is_over.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(number) else { return };
            let started = Instant::now();
            let search = || {
                let request = case.request.clone()?;
                crate::search(&request, &mut Monitor::new(case.time_limit, &mut |_| go_on(should_continue(number))))
            };
            let outcome =
                catch_unwind(AssertUnwindSafe(search)).unwrap_or_else(|panic| Err(panic_error(panic.as_ref()).into()));
            // A search that was stopped has no result.
            if is_over.load(Ordering::Relaxed) {
                return;
            }
            go_on(on_result(number, SweepResult { outcome, seconds: started.elapsed().as_secs_f64() }));
        }
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).is_ok();
        // If no thread can be spawned, this thread does the work.
        if !(0..threads.clamp(1, cases.len().max(1))).map(spawn).fold(false, |any, is| any | is) {
            work();
        }
    });
}

/// Returns the error for a panic, which does not affect the other searches.
fn panic_error(panic: &(dyn Any + Send)) -> Diagnostic {
    let message = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    let title = format!("internal error, not caused by the model: {}", message.unwrap_or("no message"));
    Diagnostic::new(Code::B001, title)
}
