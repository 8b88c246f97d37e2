//! Many searches at the same time, which know nothing of each other: the number of threads changes no result.

use crate::driver::Monitor;
use crate::outcome::Outcome;
use crate::problem::SearchRequest;
use partita_ir::diag::{Code, Diagnostic};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Stack of a search, in bytes: programs are traversed recursively to some depth.
const STACK: usize = 64 << 20;

/// One search of a sweep.
pub struct SweepCase<'a> {
    /// The request, or the errors in it.
    pub request: Result<SearchRequest<'a>, Vec<Diagnostic>>,
    /// Time limit.
    pub time_limit: Option<Duration>,
}

/// Result of one search of a sweep.
pub struct SweptCase {
    /// The outcome, or why there is no plan.
    pub outcome: Result<Outcome, Vec<Diagnostic>>,
    /// Seconds of the search.
    pub seconds: f64,
}

/// Runs searches on so many threads. `goes_on` is asked with the number of a case during its search; `keep` gets each
/// result. Once either of them returns `false` the sweep ends, and searches that are not finished have no result.
pub fn sweep(
    cases: &[SweepCase<'_>],
    threads: usize,
    goes_on: &(dyn Fn(usize) -> bool + Sync),
    keep: &(dyn Fn(usize, SweptCase) -> bool + Sync),
) {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let go_on = |goes_on: bool| {
        is_over.fetch_or(!goes_on, Ordering::Relaxed);
        !is_over.load(Ordering::Relaxed)
    };
    let work = || {
        while !is_over.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(number) else { return };
            let started = Instant::now();
            let search = || {
                let request = case.request.clone()?;
                crate::search(&request, &mut Monitor::new(case.time_limit, &mut |_| go_on(goes_on(number))))
            };
            let outcome =
                catch_unwind(AssertUnwindSafe(search)).unwrap_or_else(|panic| Err(bug(panic.as_ref()).into()));
            // A search that was stopped has no result.
            if is_over.load(Ordering::Relaxed) {
                return;
            }
            go_on(keep(number, SweptCase { outcome, seconds: started.elapsed().as_secs_f64() }));
        }
    };
    thread::scope(|scope| {
        let spawn = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).is_ok();
        // Without any other thread, this one works.
        if !(0..threads.clamp(1, cases.len().max(1))).map(spawn).fold(false, |any, is| any | is) {
            work();
        }
    });
}

/// The error for a panic, which does not end the other searches.
fn bug(panic: &(dyn Any + Send)) -> Diagnostic {
    let message = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    let title = format!("a mistake in Partita, not in your model: {}", message.unwrap_or("no message"));
    Diagnostic::new(Code::B001, title)
}
