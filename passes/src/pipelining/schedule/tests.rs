//! Every generator at many sizes is proven; orders that one can check by eye are written out.

use super::{Works, build};
use expect_test::expect;
use partita_ir::schedule::Durations;
use partita_ir::schedule::check::{Checked, Fault, check};
use partita_ir::schedule::{KINDS, Kind, Part, Parts, Schedule, Slot, Work};
use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use std::collections::BTreeSet;

/// Every kind, and interleaved ones of several depths.
fn kinds() -> Vec<Kind> {
    let deep = [1, 3, 4].map(|chunks| Kind::Interleaved { chunks });
    KINDS.iter().map(|(_, kind)| *kind).chain(deep).collect()
}

fn proven(kind: Kind, stages: usize, micro_batches: u32, parts: &Parts, durations: &[Durations]) -> Checked {
    let schedule = build(kind, &Works { stages, micro_batches, parts, durations, limit: None });
    let text = schedule.to_string();
    match check(schedule, parts.clone()) {
        Ok(checked) => checked,
        Err(fault) => panic!("{kind}, {stages} stages, {micro_batches} micro-batches: {fault}\n{text}"),
    }
}

/// With works of one second.
fn alike(kind: Kind, stages: usize, micro_batches: u32) -> Checked {
    let chunks = stages * kind.chunks_per_stage();
    let durations = vec![Durations::new(1.0, 1.0, 1.0); chunks];
    proven(kind, stages, micro_batches, &Parts::trained(chunks), &durations)
}

#[test]
fn orders_are_those_of_the_papers() {
    let text = |kind| alike(kind, 3, 4).to_string();
    expect![[r#"
        stage 0: F0 B0 F1 B1 F2 B2 F3 B3
        stage 1: F0 B0 F1 B1 F2 B2 F3 B3
        stage 2: F0 B0 F1 B1 F2 B2 F3 B3
    "#]]
    .assert_eq(&text(Kind::Vanilla));
    expect![[r#"
        stage 0: F0 F1 F2 F3 B0 B1 B2 B3
        stage 1: F0 F1 F2 F3 B0 B1 B2 B3
        stage 2: F0 F1 F2 F3 B0 B1 B2 B3
    "#]]
    .assert_eq(&text(Kind::Gpipe));
    expect![[r#"
        stage 0: F0 F1 F2 B0 F3 B1 B2 B3
        stage 1: F0 F1 B0 F2 B1 F3 B2 B3
        stage 2: F0 B0 F1 B1 F2 B2 F3 B3
    "#]]
    .assert_eq(&text(Kind::OneFOneB));
    expect![[r#"
        stage 0: F0.0 F1.0 F2.0 F0.3 F1.3 F2.3 F3.0 B0.3 B1.3 F3.3 B2.3 B0.0 B1.0 B2.0 B3.3 B3.0
        stage 1: F0.1 F1.1 F2.1 F0.4 F1.4 F2.4 B0.4 F3.1 B1.4 B2.4 B0.1 F3.4 B1.1 B2.1 B3.4 B3.1
        stage 2: F0.2 F1.2 F2.2 F0.5 B0.5 F1.5 B1.5 F2.5 B2.5 F3.2 B0.2 B1.2 B2.2 F3.5 B3.5 B3.2
    "#]]
    .assert_eq(&text(Kind::Interleaved { chunks: 2 }));
    expect![[r#"
        stage 0: F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3
        stage 1: F0 F1 I0 F2 I1 W0 F3 I2 W1 I3 W2 W3
        stage 2: F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3
    "#]]
    .assert_eq(&text(Kind::ZbH1));
    expect![[r#"
        stage 0: F0 F1 F2 F3 I0 W0 I1 W1 I2 W2 I3 W3
        stage 1: F0 F1 F2 I0 F3 I1 I2 W0 I3 W1 W2 W3
        stage 2: F0 I0 F1 I1 F2 I2 F3 I3 W0 W1 W2 W3
    "#]]
    .assert_eq(&text(Kind::ZbH2));
}

#[test]
fn every_small_size_is_proven() {
    for kind in kinds() {
        for stages in 1..=7 {
            for micro_batches in 1..=12 {
                alike(kind, stages, micro_batches);
            }
        }
    }
}

#[test]
fn what_is_kept_is_what_the_papers_say() {
    for (stages, micro_batches) in [(1, 1), (4, 2), (4, 4), (4, 9), (7, 40), (8, 64)] {
        let kept = |kind| alike(kind, stages, micro_batches).in_flight().to_vec();
        let all = micro_batches as usize;
        assert_eq!(kept(Kind::Vanilla), vec![1; stages]);
        assert_eq!(kept(Kind::Gpipe), vec![all; stages]);
        assert_eq!(kept(Kind::OneFOneB), (0..stages).map(|s| all.min(stages - s)).collect::<Vec<_>>());
        assert!(kept(Kind::ZbH1).iter().all(|&kept| kept <= stages));
        assert!(kept(Kind::ZbH2).iter().all(|&kept| kept < 2 * stages));
    }
    // Megatron's: 2 (p - s - 1) + (v - 1) p before the first backward pass, and the one that is at work.
    assert_eq!(alike(Kind::Interleaved { chunks: 2 }, 4, 8).in_flight(), [11, 9, 7, 5]);
}

#[test]
fn a_limit_is_kept() {
    let parts = Parts::trained(5);
    let durations = [Durations::new(1.0, 1.0, 1.0); 5];
    for (kind, limit) in [Kind::OneFOneB, Kind::ZbH1, Kind::ZbH2].into_iter().flat_map(|k| (1..=6).map(move |l| (k, l)))
    {
        let pipeline = Works { stages: 5, micro_batches: 9, parts: &parts, durations: &durations, limit: Some(limit) };
        let checked = check(build(kind, &pipeline), parts.clone()).unwrap();
        assert!(checked.in_flight().iter().all(|&kept| kept <= limit), "{kind} {limit}\n{}", *checked);
    }
}

#[test]
fn stages_take_runs_of_chunks_or_turns() {
    let home = |kind, stages, chunks| {
        build(kind, &Works { stages, micro_batches: 1, parts: &Parts::trained(chunks), durations: &[], limit: None })
            .home
    };
    assert_eq!(home(Kind::OneFOneB, 2, 5), [0, 0, 0, 1, 1]);
    assert_eq!(home(Kind::OneFOneB, 4, 2), [0, 1]);
    assert_eq!(home(Kind::Interleaved { chunks: 3 }, 2, 5), [0, 1, 0, 1, 0]);
}

fn durations(chunks: usize) -> impl Strategy<Value = Vec<Durations>> {
    let seconds = || prop_oneof![Just(0.0), (1u32..40).prop_map(|n| f64::from(n) / 8.0)];
    let durations = (seconds(), seconds(), seconds()).prop_map(|(f, b, w)| Durations::new(f, b, w));
    prop::collection::vec(durations, chunks)
}

/// A chain of which some is frozen, perhaps with known results at the front, and edges over several chunks.
fn parts(chunks: usize) -> impl Strategy<Value = Parts> {
    let skips = prop::collection::vec((0..chunks, 0..chunks), 0..4);
    (prop::collection::vec(any::<bool>(), chunks), skips, any::<bool>()).prop_map(|(frozen, skips, is_known)| {
        let mut parts = Parts::frozen(&frozen);
        if is_known && parts.chunks[0] == Part::FORWARD {
            parts.chunks[0].forward = false;
        }
        let skips = skips.into_iter().filter(|(from, to)| from < to);
        skips.fold(parts, |parts, (from, to)| parts.with_skip(from, to))
    })
}

proptest! {
    #[test]
    fn every_schedule_is_proven(
        (stages, parts, durations) in (1..9usize, 1..20usize)
            .prop_flat_map(|(stages, chunks)| (Just(stages), parts(chunks), durations(chunks))),
        micro_batches in 1..30u32,
    ) {
        for kind in kinds() {
            let checked = proven(kind, stages, micro_batches, &parts, &durations);
            let gradient = |work| matches!(work, Work::Backward | Work::BackwardWeight);
            for order in &checked.orders {
                for chunk in 0..parts.chunks.len() as u32 {
                    let batches = order.iter().filter(|s| s.chunk == chunk && gradient(s.work)).map(|s| s.micro_batch);
                    prop_assert!(batches.is_sorted(), "{kind} sums up in another order\n{}", *checked);
                }
            }
            let again = proven(kind, stages, micro_batches, &parts, &durations);
            prop_assert_eq!(&again.orders, &checked.orders);
        }
    }

    #[test]
    fn what_is_changed_is_refused_unless_it_can_be_carried_out(
        parts in (1..6usize).prop_flat_map(parts),
        kind in prop::sample::select(kinds()),
        (stage, first, second) in (0..64usize, 0..64usize, 0..64usize),
        micro_batches in 1..5u32,
    ) {
        let stages = parts.chunks.len().div_ceil(kind.chunks_per_stage());
        let schedule = build(kind, &Works { stages, micro_batches, parts: &parts, durations: &[], limit: None });
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
            Ok(_) => prop_assert!(can_be_carried_out(&swapped, &parts), "{swapped}"),
            Err(Fault::Cycle(_)) => prop_assert!(!can_be_carried_out(&swapped, &parts), "{swapped}"),
            Err(fault) => prop_assert!(false, "{fault}\n{swapped}"),
        }
        let without = changed(&|order, at, _| order.retain({
            let gone = order[at];
            move |slot| *slot != gone
        }));
        let doubled = changed(&|order, from, to| order.insert(to, order[from]));
        if without != schedule {
            let is_missing = matches!(check(without, parts.clone()), Err(Fault::Missing { .. }));
            let is_twice = matches!(check(doubled, parts.clone()), Err(Fault::Twice { .. }));
            prop_assert!(is_missing && is_twice, "{schedule}");
        }
    }
}

/// Whether stages that do their slots in order come to an end: the definition, tried out.
fn can_be_carried_out(schedule: &Schedule, parts: &Parts) -> bool {
    let gives = |work: Work| {
        [Work::Forward, Work::BackwardInput, Work::BackwardWeight]
            .map(|gradient| work == gradient || (work == Work::Backward && gradient != Work::Forward))
    };
    let mut done = BTreeSet::new();
    let mut next = vec![0; schedule.stages];
    let line: Vec<(u32, u32, usize)> = (0..schedule.micro_batches)
        .flat_map(|batch| parts.slots(batch, false).collect::<Vec<_>>())
        .flat_map(|slot| (0..3).filter(move |&n| gives(slot.work)[n]).map(move |n| (slot.micro_batch, slot.chunk, n)))
        .collect();
    loop {
        let mut is_stuck = true;
        for (stage, order) in schedule.orders.iter().enumerate() {
            let Some(slot) = order.get(next[stage]) else { continue };
            let has = |chunk: usize, aspect: usize| done.contains(&(slot.micro_batch, chunk as u32, aspect));
            let chunk = slot.chunk as usize;
            let fed =
                || parts.edges.iter().all(|&(from, to)| to != chunk || !parts.chunks[from].forward || has(from, 0));
            let returned = || parts.edges.iter().all(|&e| e.0 != chunk || !parts.carries_gradient(e) || has(e.1, 1));
            let is_there = match slot.work {
                Work::Forward => fed(),
                Work::BackwardWeight if parts.chunks[chunk].backward_input => has(chunk, 1),
                Work::Backward | Work::BackwardInput | Work::BackwardWeight => has(chunk, 0) && returned(),
            };
            let is_next = || {
                line.get(done.len())
                    .is_some_and(|&at| at.0 == slot.micro_batch && at.1 == slot.chunk && gives(slot.work)[at.2])
            };
            if is_there && (schedule.kind != Kind::Vanilla || is_next()) {
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
