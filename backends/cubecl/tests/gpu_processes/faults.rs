//! Faults of one process: all processes end with an error, and no communicator stays open.

use super::errors_with;
use super::faulty::{Counts, Fault};
use partita_ir::diag::Diagnostic;
use std::time::{Duration, Instant};

/// Returns the titles of the errors of both processes, and checks that all communicators were aborted.
fn titles(fault: Fault, deadline: Duration) -> Vec<String> {
    let started = Instant::now();
    let errors = errors_with(fault, deadline);
    // Most of the time is that of the C++ compiler.
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    let title = |(error, Counts { opened, destroyed, aborted }): &(Diagnostic, Counts)| {
        assert_eq!((*destroyed, *aborted), (0, *opened), "{error}");
        format!("{}: {}", error.title, error.notes.join("; "))
    };
    errors.iter().map(title).collect()
}

const LONG: Duration = Duration::from_secs(300);

/// Whatever a process issues instead of a call, some process notices.
fn check_noticed(fault: Fault, texts: &[&str]) {
    let titles = titles(fault.clone(), LONG);
    for text in texts {
        assert!(titles.iter().any(|title| title.contains(text)), "{fault:?}: no `{text}` in {titles:#?}");
    }
}

#[test]
fn calls_with_other_arguments_are_noticed() {
    for fault in [Fault::OtherCount(1), Fault::OtherReduction(1), Fault::OtherCall(1)] {
        check_noticed(fault, &["NCCL reports an error: invalid usage; members issue different calls"]);
    }
}

#[test]
fn errors_of_the_library_end_all_processes() {
    check_noticed(Fault::Refused(1), &["NCCL reports an error: invalid argument", "failed: NCCL reports an error"]);
    check_noticed(Fault::Asynchronous(1), &["NCCL reports an error: internal error", "failed: NCCL reports an error"]);
}

/// NCCL waits for a call that is not issued.
#[test]
fn a_missing_call_exceeds_the_time_limit() {
    let titles = titles(Fault::AllDropped(0), Duration::from_millis(500));
    assert!(titles.iter().any(|title| title.contains("collectives did not finish within 0.5 s")), "{titles:#?}");
}

/// A later call takes the place of a call that is not issued.
#[test]
fn a_missing_call_is_noticed_before_the_end() {
    for number in [0, 1] {
        let titles = titles(Fault::Dropped(number), Duration::from_secs(2));
        let is_noticed = |title: &String| title.contains("different calls") || title.contains("did not finish");
        assert!(titles.iter().any(is_noticed), "{titles:#?}");
    }
}

#[test]
fn a_process_that_ends_is_named() {
    let titles = titles(Fault::Lost(1), LONG);
    assert!(
        titles[0].starts_with("rank 1 on ") && titles[0].contains(" has finished before the others"),
        "{titles:#?}"
    );
}
