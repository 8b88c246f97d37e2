//! Devices that do not come, come to the wrong place, abort or panic: the others fail at once, and know why.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use expect_test::{Expect, expect};
use partita_ir::arena::AxisId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::mesh::{AxisRef, Mesh};
use partita_ir::tensor::{Scalar, Tensor};
use partita_runtime::communicator::{Communicator, Site};
use partita_runtime::group::Group;
use partita_runtime::shared::{Limits, Member, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const LONG: Duration = Duration::from_secs(600);

/// Runs `device` on each of `n` devices and returns what they returned. A device that panics returns nothing.
fn run<T: Send>(
    n: u32,
    limits: Limits,
    device: impl Fn(usize, &Member<'_>, &Group) -> Result<T, Diagnostic> + Sync,
) -> Vec<Option<Result<T, Diagnostic>>> {
    let mesh = Arc::new(Mesh::new("m", [("x", n)]));
    let groups = Group::all(&mesh, &[AxisRef::whole(&mesh, AxisId(0))]);
    let world = World::new(n as usize, limits);
    let device = |rank: usize| {
        let member = world.enter(rank)?;
        device(rank, &member, &groups[rank])
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..n as usize).map(|rank| scope.spawn(move || device(rank))).collect();
        threads.into_iter().map(|t| t.join().ok()).collect()
    })
}

fn limits(deadline: Duration) -> Limits {
    Limits { deadline, cores: 2 }
}

fn ones() -> Arc<Tensor> {
    Arc::new(Tensor::splat(Type::new(DType::F32, [4]), Scalar::Float(1.0)))
}

fn sum(member: &Member<'_>, name: &str, group: &Group) -> Result<(), Diagnostic> {
    member.all_reduce(Site { name, group }, Monoid::Sum, ones()).map(|_| ())
}

/// All devices that returned failed, and for this reason.
fn assert_all_fail<T>(outcomes: Vec<Option<Result<T, Diagnostic>>>, why: &Expect) {
    let errors: Vec<Diagnostic> = outcomes.into_iter().flatten().filter_map(Result::err).collect();
    assert!(!errors.is_empty() && errors.iter().all(|e| *e == errors[0]), "{errors:?}");
    why.assert_eq(&errors[0].to_string());
}

#[test]
fn a_device_that_ends_early_is_missed_at_once() {
    let outcomes = run(3, limits(LONG), |rank, member, group| {
        sum(member, "%a = all_reduce", group)?;
        if rank == 1 { Ok(()) } else { sum(member, "%b = all_reduce", group) }
    });
    assert!(outcomes[1].as_ref().is_some_and(|o| o.is_ok()));
    assert_all_fail(
        outcomes,
        &expect![[r#"
        error[R005]: device 1 did not arrive at `%b = all_reduce` and never will
          = note: devices 0, 2 wait there
          = note: device 1 has finished"#]],
    );
}

#[test]
fn devices_that_wait_for_each_other_are_found_at_once() {
    // 0 and 1 meet, 2 and 3 meet; but 1 waits for 3 first, and 2 for 0.
    let mesh = Arc::new(Mesh::new("m", [("y", 2), ("x", 2)]));
    let rows = Group::all(&mesh, &[AxisRef::whole(&mesh, AxisId(1))]);
    let columns = Group::all(&mesh, &[AxisRef::whole(&mesh, AxisId(0))]);
    let outcomes = run(4, limits(LONG), |rank, member, _| {
        let (row, column) = (&rows[rank], &columns[rank]);
        match rank {
            0 | 3 => sum(member, "%row = all_reduce", row),
            _ => sum(member, "%column = all_reduce", column),
        }
    });
    assert_all_fail(
        outcomes,
        &expect![[r#"
        error[R005]: device 1 did not arrive at `%row = all_reduce` and never will
          = note: device 0 waits there
          = note: device 1 waits at `%column = all_reduce`"#]],
    );
}

#[test]
fn a_device_that_computes_for_ever_misses_the_deadline() {
    let over = AtomicBool::new(false);
    let outcomes = run(2, limits(Duration::from_millis(30)), |rank, member, group| {
        if rank == 1 {
            while !over.load(Ordering::Acquire) {
                thread::yield_now();
            }
            return member.check();
        }
        let outcome = sum(member, "%y = all_reduce", group);
        over.store(true, Ordering::Release);
        outcome
    });
    assert_all_fail(
        outcomes,
        &expect![[r#"
        error[R005]: device 1 did not arrive at `%y = all_reduce` within 30ms
          = note: device 0 waits there
          = note: device 1 is still computing"#]],
    );
}

#[test]
fn different_collectives_do_not_meet() {
    // One core, so that device 0 comes first.
    let outcomes = run(2, Limits { deadline: LONG, cores: 1 }, |rank, member, group| {
        sum(member, if rank == 0 { "%a = all_reduce" } else { "%b = all_reduce" }, group)
    });
    assert_all_fail(
        outcomes,
        &expect![[r#"
        error[R005]: device 1 did not arrive at `%a = all_reduce`
          = note: device 0 waits there
          = note: device 1 is at `%b = all_reduce` with the same devices"#]],
    );
}

#[test]
fn different_types_are_refused() {
    let outcomes = run(2, limits(LONG), |rank, member, group| {
        let value = Arc::new(Tensor::zeros(Type::new(DType::F32, [3 + rank])));
        member.all_reduce(Site { name: "%y = all_reduce", group }, Monoid::Sum, value)
    });
    let errors: Vec<String> = outcomes.into_iter().flatten().map(|o| o.unwrap_err().title).collect();
    expect![[r#"
        `%y = all_reduce`: device 0 brings f32[3], but device 1 f32[4]
        `%y = all_reduce`: device 1 brings f32[4], but device 0 f32[3]"#]]
    .assert_eq(&errors.join("\n"));
}

#[test]
fn an_abort_wakes_all_that_wait() {
    let outcomes = run(4, limits(LONG), |rank, member, group| {
        if rank == 2 {
            member.abort(Diagnostic::new(Code::R004, "out of paper"));
        }
        sum(member, "%y = all_reduce", group)
    });
    assert_all_fail(outcomes, &expect!["error[R004]: out of paper"]);
}

#[test]
fn a_panic_wakes_all_that_wait() {
    let outcomes = run(3, limits(LONG), |rank, member, group| {
        assert!(rank != 1, "on purpose");
        sum(member, "%y = all_reduce", group)
    });
    assert!(outcomes[1].is_none());
    assert_all_fail(outcomes, &expect!["error[R004]: device 1 panicked"]);
}

#[test]
fn more_devices_than_cores_compute_in_turns() {
    let (now, most) = (std::sync::atomic::AtomicUsize::new(0), std::sync::atomic::AtomicUsize::new(0));
    let outcomes = run(12, Limits { deadline: LONG, cores: 3 }, |_, member, group| {
        for _ in 0..20 {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::yield_now();
            now.fetch_sub(1, Ordering::SeqCst);
            sum(member, "%y = all_reduce", group)?;
        }
        Ok(())
    });
    assert!(outcomes.iter().all(|o| o.as_ref().is_some_and(|o| o.is_ok())));
    assert!((1..=3).contains(&most.into_inner()));
}
