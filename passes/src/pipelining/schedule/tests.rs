//! Tests of schedule generators: every generator is verified for many sizes, and small schedules are compared with the
//! papers.

use super::{ScheduleInput, build};
use expect_test::expect;
use partita_ir::schedule::Durations;
use partita_ir::schedule::check::{CheckedSchedule, ScheduleError, check};
use partita_ir::schedule::{ChunkWork, SCHEDULE_KINDS, Schedule, ScheduleKind, Slot, StepWork, Work};
use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use std::collections::BTreeSet;

/// Returns every kind, with interleaved schedules of several depths.
fn kinds() -> Vec<ScheduleKind> {
    let deep = [1, 3, 4].map(|chunks| ScheduleKind::Interleaved { chunks });
    SCHEDULE_KINDS.iter().map(|(_, kind)| *kind).chain(deep).collect()
}

fn verified(
    kind: ScheduleKind,
    stages: usize,
    micro_batches: u32,
    parts: &StepWork,
    durations: &[Durations],
) -> CheckedSchedule {
    let schedule = build(kind, &ScheduleInput { stages, micro_batches, parts, durations, max_in_flight: None });
    let text = schedule.to_string();
    match check(schedule, parts.clone()) {
        Ok(checked) => checked,
        Err(fault) => panic!("{kind}, {stages} stages, {micro_batches} micro-batches: {fault}\n{text}"),
    }
}

/// Returns a verified schedule in which all work takes one second.
fn with_equal_durations(kind: ScheduleKind, stages: usize, micro_batches: u32) -> CheckedSchedule {
    let chunks = stages * kind.chunks_per_stage();
    let durations = vec![Durations::new(1.0, 1.0, 1.0); chunks];
    verified(kind, stages, micro_batches, &StepWork::trained(chunks), &durations)
}

#[test]
fn orders_match_the_papers() {
    let text = |kind| with_equal_durations(kind, 3, 4).to_string();
    expect![[r#"
        stage 0: F0 B0 F1 B1 F2 B2 F3 B3
        stage 1: F0 B0 F1 B1 F2 B2 F3 B3
        stage 2: F0 B0 F1 B1 F2 B2 F3 B3
    "#]]
    .assert_eq(&text(ScheduleKind::Vanilla));
    expect![[r#"
        stage 0: F0 F1 F2 F3 B0 B1 B2 B3
        stage 1: F0 F1 F2 F3 B0 B1 B2 B3
        stage 2: F0 F1 F2 F3 B0 B1 B2 B3
    "#]]
    .assert_eq(&text(ScheduleKind::Gpipe));
    expect![[r#"
        stage 0: F0 F1 F2 B0 F3 B1 B2 B3
        stage 1: F0 F1 B0 F2 B1 F3 B2 B3
        stage 2: F0 B0 F1 B1 F2 B2 F3 B3
    "#]]
    .assert_eq(&text(ScheduleKind::OneFOneB));
    expect![[r#"
        stage 0: F0.0 F1.0 F2.0 F0.3 F1.3 F2.3 F3.0 B0.3 B1.3 F3.3 B2.3 B0.0 B1.0 B2.0 B3.3 B3.0
        stage 1: F0.1 F1.1 F2.1 F0.4 F1.4 F2.4 B0.4 F3.1 B1.4 B2.4 B0.1 F3.4 B1.1 B2.1 B3.4 B3.1
        stage 2: F0.2 F1.2 F2.2 F0.5 B0.5 F1.5 B1.5 F2.5 B2.5 F3.2 B0.2 B1.2 B2.2 F3.5 B3.5 B3.2
    "#]]
    .assert_eq(&text(ScheduleKind::Interleaved { chunks: 2 }));
    expect![[r#"
        stage 0: F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3
        stage 1: F0 F1 I0 F2 I1 W0 F3 I2 W1 I3 W2 W3
        stage 2: F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3
    "#]]
    .assert_eq(&text(ScheduleKind::ZbH1));
    expect![[r#"
        stage 0: F0 F1 F2 F3 I0 W0 I1 W1 I2 W2 I3 W3
        stage 1: F0 F1 F2 I0 F3 I1 I2 W0 I3 W1 W2 W3
        stage 2: F0 I0 F1 I1 F2 I2 F3 I3 W0 W1 W2 W3
    "#]]
    .assert_eq(&text(ScheduleKind::ZbH2));
}

#[test]
fn every_small_size_is_valid() {
    for kind in kinds() {
        for stages in 1..=7 {
            for micro_batches in 1..=12 {
                with_equal_durations(kind, stages, micro_batches);
            }
        }
    }
}

#[test]
fn micro_batches_in_flight_match_the_papers() {
    for (stages, micro_batches) in [(1, 1), (4, 2), (4, 4), (4, 9), (7, 40), (8, 64)] {
        let in_flight = |kind| with_equal_durations(kind, stages, micro_batches).in_flight().to_vec();
        let all = micro_batches as usize;
        assert_eq!(in_flight(ScheduleKind::Vanilla), vec![1; stages]);
        assert_eq!(in_flight(ScheduleKind::Gpipe), vec![all; stages]);
        assert_eq!(in_flight(ScheduleKind::OneFOneB), (0..stages).map(|s| all.min(stages - s)).collect::<Vec<_>>());
        assert!(in_flight(ScheduleKind::ZbH1).iter().all(|&in_flight| in_flight <= stages));
        assert!(in_flight(ScheduleKind::ZbH2).iter().all(|&in_flight| in_flight < 2 * stages));
    }
    // Megatron: 2 (p - s - 1) + (v - 1) p before the first backward pass, and the current one.
    assert_eq!(with_equal_durations(ScheduleKind::Interleaved { chunks: 2 }, 4, 8).in_flight(), [11, 9, 7, 5]);
}

#[test]
fn limits_of_micro_batches_in_flight_are_respected() {
    let parts = StepWork::trained(5);
    let durations = [Durations::new(1.0, 1.0, 1.0); 5];
    for (kind, limit) in [ScheduleKind::OneFOneB, ScheduleKind::ZbH1, ScheduleKind::ZbH2]
        .into_iter()
        .flat_map(|k| (1..=6).map(move |l| (k, l)))
    {
        let input = ScheduleInput {
            stages: 5,
            micro_batches: 9,
            parts: &parts,
            durations: &durations,
            max_in_flight: Some(limit),
        };
        let checked = check(build(kind, &input), parts.clone()).unwrap();
        assert!(checked.in_flight().iter().all(|&in_flight| in_flight <= limit), "{kind} {limit}\n{}", *checked);
    }
}

#[test]
fn chunks_are_assigned_in_ranges_or_round_robin() {
    let home = |kind, stages, chunks| {
        build(
            kind,
            &ScheduleInput {
                stages,
                micro_batches: 1,
                parts: &StepWork::trained(chunks),
                durations: &[],
                max_in_flight: None,
            },
        )
        .stage_of_chunk
    };
    assert_eq!(home(ScheduleKind::OneFOneB, 2, 5), [0, 0, 0, 1, 1]);
    assert_eq!(home(ScheduleKind::OneFOneB, 4, 2), [0, 1]);
    assert_eq!(home(ScheduleKind::Interleaved { chunks: 3 }, 2, 5), [0, 1, 0, 1, 0]);
}

fn durations(chunks: usize) -> impl Strategy<Value = Vec<Durations>> {
    let seconds = || prop_oneof![Just(0.0), (1u32..40).prop_map(|n| f64::from(n) / 8.0)];
    let durations = (seconds(), seconds(), seconds()).prop_map(|(f, b, w)| Durations::new(f, b, w));
    prop::collection::vec(durations, chunks)
}

/// Generates a chain of chunks, some of them frozen, with skip edges and an optional first chunk without forward work.
fn parts(chunks: usize) -> impl Strategy<Value = StepWork> {
    let skips = prop::collection::vec((0..chunks, 0..chunks), 0..4);
    (prop::collection::vec(any::<bool>(), chunks), skips, any::<bool>()).prop_map(
        |(frozen, skips, skips_first_forward)| {
            let mut parts = StepWork::frozen(&frozen);
            if skips_first_forward && parts.chunks[0] == ChunkWork::FORWARD {
                parts.chunks[0].forward = false;
            }
            let skips = skips.into_iter().filter(|(from, to)| from < to);
            skips.fold(parts, |parts, (from, to)| parts.with_skip(from, to))
        },
    )
}

proptest! {
    #[test]
    fn every_schedule_is_valid(
        (stages, parts, durations) in (1..9usize, 1..20usize)
            .prop_flat_map(|(stages, chunks)| (Just(stages), parts(chunks), durations(chunks))),
        micro_batches in 1..30u32,
    ) {
        for kind in kinds() {
            let checked = verified(kind, stages, micro_batches, &parts, &durations);
            let gradient = |work| matches!(work, Work::Backward | Work::BackwardWeight);
            for order in &checked.orders {
                for chunk in 0..parts.chunks.len() as u32 {
                    let batches = order.iter().filter(|s| s.chunk == chunk && gradient(s.work)).map(|s| s.micro_batch);
                    prop_assert!(batches.is_sorted(), "{kind} sums up in another order\n{}", *checked);
                }
            }
            let again = verified(kind, stages, micro_batches, &parts, &durations);
            prop_assert_eq!(&again.orders, &checked.orders);
        }
    }

    #[test]
    fn modified_schedules_are_rejected_unless_executable(
        parts in (1..6usize).prop_flat_map(parts),
        kind in prop::sample::select(kinds()),
        (stage, first, second) in (0..64usize, 0..64usize, 0..64usize),
        micro_batches in 1..5u32,
    ) {
        let stages = parts.chunks.len().div_ceil(kind.chunks_per_stage());
        let input = ScheduleInput { stages, micro_batches, parts: &parts, durations: &[], max_in_flight: None };
        let schedule = build(kind, &input);
        let changed = |change: &dyn Fn(&mut Vec<Slot>, usize, usize)| {
            let mut changed = schedule.clone();
            let order = &mut changed.orders[stage % stages];
            let count = order.len().max(1);
            if !order.is_empty() {
                change(order, first % count, second % count);
            }
            changed
        };
        let swapped = changed(&|order, a, b| order.swap(a, b));
        match check(swapped.clone(), parts.clone()) {
            Ok(_) => prop_assert!(is_executable(&swapped, &parts), "{swapped}"),
            Err(ScheduleError::Deadlock(_)) => prop_assert!(!is_executable(&swapped, &parts), "{swapped}"),
            Err(fault) => prop_assert!(false, "{fault}\n{swapped}"),
        }
        let without = changed(&|order, at, _| order.retain({
            let gone = order[at];
            move |slot| *slot != gone
        }));
        let doubled = changed(&|order, from, to| order.insert(to, order[from]));
        if without != schedule {
            let is_missing = matches!(check(without, parts.clone()), Err(ScheduleError::Missing { .. }));
            let is_twice = matches!(check(doubled, parts.clone()), Err(ScheduleError::Duplicate { .. }));
            prop_assert!(is_missing && is_twice, "{schedule}");
        }
    }
}

/// Returns true if all stages can complete their slots in order. A reference implementation by simulation.
fn is_executable(schedule: &Schedule, parts: &StepWork) -> bool {
    let gives = |work: Work| {
        [Work::Forward, Work::BackwardInput, Work::BackwardWeight]
            .map(|gradient| work == gradient || (work == Work::Backward && gradient != Work::Forward))
    };
    let mut done = BTreeSet::new();
    let mut next = vec![0; schedule.stages];
    let sequential_order: Vec<(u32, u32, usize)> = (0..schedule.micro_batches)
        .flat_map(|batch| parts.slots(batch, false).collect::<Vec<_>>())
        .flat_map(|slot| (0..3).filter(move |&n| gives(slot.work)[n]).map(move |n| (slot.micro_batch, slot.chunk, n)))
        .collect();
    loop {
        let mut is_stuck = true;
        for (stage, order) in schedule.orders.iter().enumerate() {
            let Some(slot) = order.get(next[stage]) else { continue };
            let has = |chunk: usize, aspect: usize| done.contains(&(slot.micro_batch, chunk as u32, aspect));
            let chunk = slot.chunk as usize;
            let has_inputs =
                || parts.edges.iter().all(|&(from, to)| to != chunk || !parts.chunks[from].forward || has(from, 0));
            let has_gradients =
                || parts.edges.iter().all(|&e| e.0 != chunk || !parts.carries_gradient(e) || has(e.1, 1));
            let is_ready = match slot.work {
                Work::Forward => has_inputs(),
                Work::BackwardWeight if parts.chunks[chunk].backward_input => has(chunk, 1),
                Work::Backward | Work::BackwardInput | Work::BackwardWeight => has(chunk, 0) && has_gradients(),
            };
            let is_next = || {
                sequential_order
                    .get(done.len())
                    .is_some_and(|&at| at.0 == slot.micro_batch && at.1 == slot.chunk && gives(slot.work)[at.2])
            };
            if is_ready && (schedule.kind != ScheduleKind::Vanilla || is_next()) {
                let aspects = (0..3).filter(|&n| gives(slot.work)[n]);
                done.extend(aspects.map(|aspect| (slot.micro_batch, slot.chunk, aspect)));
                next[stage] += 1;
                is_stuck = false;
            }
        }
        if is_stuck {
            return next.iter().zip(&schedule.orders).all(|(&next, order)| next == order.len());
        }
    }
}
