//! The numbers of the papers, exactly, and what must hold for every pipeline.

#![allow(clippy::unwrap_used, reason = "a test")]

use expect_test::expect;
use partita_cost::pipeline::{Costs, Kept, Once, Role, SentOnce, Step, Transfer, step};
use partita_cost::simulate::Route;
use partita_ir::pipeline::Moment;
use partita_ir::schedule::KINDS;
use partita_ir::schedule::check::check;
use partita_ir::schedule::{Durations, Kind, Parts};
use partita_machine::timeline::Category;
use partita_passes::pipelining::schedule::{Works, build};
use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest};

/// Seconds of forward passes, gradients of operands and of parameters, which take no longer than the others; they add
/// up without rounding.
const WORKS: [(f64, f64, f64); 5] =
    [(1.0, 1.0, 1.0), (2.0, 2.0, 1.0), (3.0, 4.0, 2.0), (4.0, 3.0, 3.0), (1.0, 1.0, 0.5)];

fn run(kind: Kind, stages: usize, micro_batches: u32, parts: &Parts, durations: Vec<Durations>) -> Step {
    let works = Works { stages, micro_batches, parts, durations: &durations, limit: None };
    let checked = check(build(kind, &works), parts.clone()).unwrap();
    let kept = vec![Kept { input: 1, weight: 0 }; parts.chunks.len()];
    step(&checked, &Costs { durations, kept, ..Costs::default() }).unwrap()
}

/// Stages that are alike, as in the papers.
fn alike(kind: Kind, stages: usize, micro_batches: u32, works: (f64, f64, f64)) -> Step {
    let chunks = stages * kind.chunks_per_stage();
    // A chunk is the smaller, the more of them a stage has.
    let share = kind.chunks_per_stage() as f64;
    let durations = Durations::new(works.0 / share, works.1 / share, works.2 / share);
    run(kind, stages, micro_batches, &Parts::trained(chunks), vec![durations; chunks])
}

/// Stages that are alike and only predict, a second each.
fn forward_only(kind: Kind, stages: usize, micro_batches: u32) -> Step {
    let chunks = stages * kind.chunks_per_stage();
    run(kind, stages, micro_batches, &Parts::forward_only(chunks), vec![Durations::new(1.0, 0.0, 0.0); chunks])
}

fn peaks(step: &Step) -> Vec<i64> {
    step.outcome.memory.iter().map(|memory| memory.peak).collect()
}

const SIZES: [(usize, u32); 9] = [(1, 1), (1, 4), (2, 2), (3, 5), (4, 4), (4, 8), (5, 17), (7, 14), (8, 64)];

#[test]
fn what_comes_once_stands_before_and_behind() {
    let parts = Parts::trained(2);
    let durations = vec![Durations::new(1.0, 1.0, 1.0); 2];
    let works = Works { stages: 2, micro_batches: 1, parts: &parts, durations: &durations, limit: None };
    let checked = check(build(Kind::OneFOneB, &works), parts.clone()).unwrap();
    let once = |stage, moment, seconds| Once { stage, moment, seconds };
    let sent = |stages, behind| SentOnce { stages, behind, bytes: 8.0, route: 0 };
    let costs = Costs {
        durations: durations.clone(),
        links: vec![16.0],
        routes: vec![Route { links: vec![0], latency: 0.0 }],
        once: vec![once(0, Moment::Before, 2.0), once(0, Moment::After(1), 1.0), once(1, Moment::After(1), 4.0)],
        sent: vec![sent([0, 1], Moment::Before), sent([1, 0], Moment::After(0))],
        ..Costs::default()
    };
    let step = step(&checked, &costs).unwrap();
    // The first stage has its own work, and what it sends takes half a second: no longer than its forward pass.
    let end = |wanted: Role| step.roles.iter().position(|&role| role == wanted).map(|at| step.outcome.times[at].end);
    assert_eq!(end(Role::Sent { stages: [0, 1], behind: Moment::Before }), Some(2.5));
    assert_eq!(end(Role::Once { stage: 1, moment: Moment::After(1) }), Some(3.0 + 1.0 + 2.0 + 4.0));
    // It is done with gradients at 8, long after it got what is sent once.
    assert_eq!(end(Role::Sent { stages: [1, 0], behind: Moment::After(0) }), Some(6.5));
    assert_eq!(end(Role::Once { stage: 0, moment: Moment::After(1) }), Some(9.0));
    assert_eq!(step.timeline("once").spans.iter().filter(|span| span.category == Category::Update).count(), 2);
}

#[test]
fn without_pipelining_one_of_n_devices_works() {
    for (stages, micro_batches) in SIZES {
        let step = alike(Kind::Vanilla, stages, micro_batches, (1.0, 1.0, 1.0));
        assert_eq!(step.seconds(), 3.0 * stages as f64 * f64::from(micro_batches));
        assert!((0..stages).all(|stage| step.utilisation(stage) == 1.0 / stages as f64));
    }
    // Four devices wait three quarters of the time.
    assert_eq!(alike(Kind::Vanilla, 4, 1, (1.0, 1.0, 1.0)).bubble(), 0.75);
    assert_eq!(alike(Kind::OneFOneB, 4, 1, (1.0, 1.0, 1.0)).bubble(), 0.75);
}

#[test]
fn nine_slots_become_five() {
    assert_eq!(forward_only(Kind::Vanilla, 3, 3).seconds(), 9.0);
    for kind in [Kind::Gpipe, Kind::OneFOneB, Kind::ZbH1, Kind::ZbH2] {
        assert_eq!(forward_only(kind, 3, 3).seconds(), 5.0, "{kind}");
        assert_eq!(peaks(&forward_only(kind, 3, 3)), [0; 3]);
    }
    assert_eq!(forward_only(Kind::Interleaved { chunks: 2 }, 3, 3).seconds(), 8.0);
}

#[test]
fn with_m_micro_batches_a_stage_works_m_of_m_and_n_less_one() {
    for (stages, micro_batches) in SIZES {
        for (kind, works) in [Kind::Gpipe, Kind::OneFOneB].into_iter().flat_map(|k| WORKS.map(|works| (k, works))) {
            let step = alike(kind, stages, micro_batches, works);
            let (work, m) = (works.0 + works.1 + works.2, f64::from(micro_batches));
            assert_eq!(step.seconds() - m * work, (stages - 1) as f64 * work, "{kind}");
            assert_eq!(step.utilisation(0), m / (m + (stages - 1) as f64));
        }
    }
}

#[test]
fn interleaving_divides_the_bubble_by_the_chunks() {
    for (stages, micro_batches, chunks) in [(2, 4, 2), (4, 8, 2), (4, 8, 4), (3, 9, 2), (8, 64, 2), (5, 5, 4)] {
        let step = alike(Kind::Interleaved { chunks }, stages, micro_batches, (2.0, 2.0, 2.0));
        let bubble = step.seconds() - 6.0 * f64::from(micro_batches);
        assert_eq!(bubble, (stages - 1) as f64 * 6.0 / chunks as f64, "{stages} {micro_batches} {chunks}");
    }
}

#[test]
fn interleaving_is_never_slower_whatever_the_number_of_micro_batches() {
    for (stages, chunks, micro_batches) in
        (2..7).flat_map(|p| (2..5).flat_map(move |v| (1..3 * p as u32).map(move |m| (p, v, m))))
    {
        // Works that are halves, thirds and quarters without rounding.
        let seconds = |kind| alike(kind, stages, micro_batches, (12.0, 12.0, 12.0)).seconds();
        assert!(seconds(Kind::Interleaved { chunks }) <= seconds(Kind::OneFOneB), "{stages} {chunks} {micro_batches}");
    }
}

#[test]
fn zero_bubble_schedules_fill_what_1f1b_waits() {
    for (stages, micro_batches) in [(2, 4), (3, 9), (4, 8), (4, 20), (5, 17), (8, 24)] {
        for works in WORKS {
            let (f, b, w) = works;
            let (turns, all) = ((stages - 1) as f64, f64::from(micro_batches) * (f + b + w));
            let narrow = alike(Kind::ZbH1, stages, micro_batches, works);
            assert_eq!(narrow.seconds() - all, turns * (f + b - w), "zb-h1 {stages} {micro_batches} {works:?}");
            assert_eq!(narrow.period(), narrow.seconds());
            let wide = alike(Kind::ZbH2, stages, micro_batches, works);
            assert_eq!(wide.period() - all, turns * (f + b - 2.0 * w), "zb-h2 {stages} {micro_batches} {works:?}");
            let plain = alike(Kind::OneFOneB, stages, micro_batches, works);
            let most = |step: &Step| peaks(step).into_iter().max().unwrap_or_default();
            assert!(most(&narrow) <= most(&plain));
            assert!(most(&wide) * stages as i64 <= most(&plain) * (2 * stages as i64 - 1));
        }
    }
}

#[test]
fn gpipe_keeps_all_and_1f1b_what_is_before_it() {
    for (stages, micro_batches) in SIZES {
        let kept = |kind| peaks(&alike(kind, stages, micro_batches, (1.0, 1.0, 1.0)));
        let m = i64::from(micro_batches);
        assert_eq!(kept(Kind::Gpipe), vec![m; stages]);
        assert_eq!(kept(Kind::OneFOneB), (0..stages).map(|s| m.min((stages - s) as i64)).collect::<Vec<_>>());
    }
}

#[test]
fn what_is_sent_takes_time_and_room() {
    let parts = Parts::trained(2);
    let durations = vec![Durations::new(1.0, 1.0, 1.0); 2];
    let works = Works { stages: 2, micro_batches: 1, parts: &parts, durations: &durations, limit: None };
    let checked = check(build(Kind::OneFOneB, &works), parts.clone()).unwrap();
    let transfer = Transfer { bytes: 8.0, route: 0, gradient_bytes: 4.0, gradient_route: 1 };
    let costs = Costs {
        durations: durations.clone(),
        kept: vec![Kept { input: 100, weight: 50 }; 2],
        transfers: vec![transfer],
        held: vec![1000, 2000],
        links: vec![16.0, 4.0],
        routes: vec![Route { links: vec![0], latency: 0.25 }, Route { links: vec![1], latency: 0.0 }],
        ..Costs::default()
    };
    let sent = step(&checked, &costs).unwrap();
    // F, 8 bytes and their latency, F, B on the other stage, 4 bytes, B.
    assert_eq!(sent.seconds(), 1.0 + 0.75 + 3.0 + 1.0 + 2.0);
    let [first, second] = [0, 1].map(|stage: usize| sent.outcome.memory[stage].samples.clone());
    assert_eq!(first, [(0.0, 1150), (4.75, 1154), (7.75, 1000)]);
    assert_eq!(second, [(0.0, 2000), (1.0, 2008), (1.75, 2158), (2.75, 2150), (4.75, 2000)]);
    assert_eq!(sent.outcome.links[1].bytes, 4.0);
}

#[test]
fn activations_for_parameters_are_kept_longer() {
    let parts = Parts::trained(1);
    let durations = vec![Durations::new(1.0, 1.0, 1.0)];
    let works = Works { stages: 1, micro_batches: 1, parts: &parts, durations: &durations, limit: None };
    let checked = check(build(Kind::ZbH1, &works), parts.clone()).unwrap();
    let kept = vec![Kept { input: 5, weight: 2 }];
    let step = step(&checked, &Costs { durations: durations.clone(), kept, ..Costs::default() }).unwrap();
    assert_eq!(step.outcome.memory[0].samples, [(0.0, 7), (2.0, 2), (3.0, 0)]);
}

#[test]
fn frozen_stages_only_do_what_is_left() {
    let parts = Parts::frozen(&[true, true, false, true]);
    for (_, kind) in KINDS {
        let step = run(kind, 4, 8, &parts, vec![Durations::new(1.0, 1.0, 1.0); 4]);
        let busy: Vec<f64> = step.outcome.lanes.iter().take(step.stages).map(|lane| lane.busy).collect();
        assert_eq!(busy, [8.0, 8.0, 24.0, 16.0], "{kind}");
        assert_eq!(peaks(&step)[..2], [0, 0]);
    }
    // What comes back to the one stage that is trained takes 2 seconds; with one micro-batch more kept it need not wait
    // for the first.
    let seconds = |kind| run(kind, 4, 8, &parts, vec![Durations::new(1.0, 1.0, 1.0); 4]).seconds();
    assert_eq!([Kind::OneFOneB, Kind::ZbH1, Kind::ZbH2].map(seconds), [27.0, 27.0, 26.0]);
}

/// Seconds by chunk of a chain, some of it frozen.
fn chains() -> impl Strategy<Value = (Vec<bool>, Vec<Durations>)> {
    let seconds = || (0u32..40).prop_map(|n| f64::from(n) / 8.0);
    let chunk = (any::<bool>(), seconds(), seconds(), seconds());
    prop::collection::vec(chunk.prop_map(|(is, f, b, w)| (is, Durations::new(f, b, w))), 1..9)
        .prop_map(|chunks| chunks.into_iter().unzip())
}

proptest! {
    #[test]
    fn every_schedule_runs_and_zero_bubble_is_never_slower(
        (frozen, durations) in chains(),
        micro_batches in 1..20u32,
        share in 1..4usize,
    ) {
        let parts = Parts::frozen(&frozen);
        let stages = frozen.len().div_ceil(share);
        let seconds = |kind| run(kind, stages, micro_batches, &parts, durations.clone()).seconds();
        for (_, kind) in KINDS {
            let step = run(kind, stages, micro_batches, &parts, durations.clone());
            let busy: f64 = step.outcome.lanes.iter().take(step.stages).map(|lane| lane.busy).sum();
            let work = |(part, d): (&partita_ir::schedule::Part, &Durations)| {
                part.backward(true).map(|work| d.of(work)).sum::<f64>() + if part.forward { d.forward } else { 0.0 }
            };
            let all = parts.chunks.iter().zip(&durations).map(work).sum::<f64>() * f64::from(micro_batches);
            prop_assert_eq!(busy, all);
            prop_assert!(step.period() <= step.seconds());
            prop_assert!(step.outcome.memory.iter().all(|memory| memory.samples.last().is_none_or(|s| s.1 == 0)));
        }
        for kind in [Kind::ZbH1, Kind::ZbH2] {
            prop_assert!(seconds(kind) <= seconds(Kind::OneFOneB));
        }
        prop_assert!(seconds(Kind::OneFOneB) <= seconds(Kind::Vanilla));
    }

    #[test]
    fn whatever_is_sent_arrives_and_is_given_up(
        (frozen, durations) in chains(),
        (from, to) in (0..9usize, 0..9usize),
        bytes in prop::collection::vec(0u32..9, 12),
        micro_batches in 1..12u32,
    ) {
        let mut parts = Parts::frozen(&frozen);
        if from < to && to < frozen.len() {
            parts = parts.with_skip(from, to);
        }
        let transfer = |(edge, &bytes): (usize, &u32)| {
            let bytes = f64::from(bytes);
            Transfer { bytes, route: edge % 3, gradient_bytes: bytes / 2.0, gradient_route: edge % 2 }
        };
        let costs = Costs {
            durations: durations.clone(),
            kept: vec![Kept { input: 3, weight: 2 }; frozen.len()],
            transfers: bytes.iter().enumerate().map(transfer).collect(),
            links: vec![4.0, 16.0],
            routes: [vec![0], vec![1], vec![0, 1]].map(|links| Route { links, latency: 0.125 }).into(),
            held: vec![7; frozen.len()],
            ..Costs::default()
        };
        for (_, kind) in KINDS {
            let (stages, parts, durations) = (frozen.len(), &parts, &durations);
            let works = Works { stages, micro_batches, parts, durations, limit: None };
            let checked = check(build(kind, &works), parts.clone()).unwrap();
            let sent = step(&checked, &costs).unwrap();
            prop_assert!(sent.outcome.memory.iter().all(|memory| memory.samples.last().is_some_and(|s| s.1 == 7)));
            let at_once = Costs { transfers: Vec::new(), ..costs.clone() };
            prop_assert!(sent.seconds() >= step(&checked, &at_once).unwrap().seconds());
        }
    }
}

#[test]
fn a_step_is_drawn() {
    let lines = |kind| alike(kind, 4, 8, (1.0, 1.0, 1.0)).timeline("").lines(80, false);
    expect![[r#"
        stage 0 FFFFFFFFF.............BBBBFFBBBBBFFBBBBFFBBBBBFFBBBB...BBBB..BBBB...BBBB
        stage 1 ..FFFFFFF........BBBBBFFBBBBFFFBBBBFFBBBBFFFBBBBFFBBBBB..BBBB..BBBBB....
        stage 2 ....FFFFF....BBBBFFFBBBBFFBBBBBFFBBBBFFBBBBBFFBBBBFFBBBBB..BBBB.........
        stage 3 .......FFBBBBFFBBBBBFFBBBBFFBBBBBFFBBBBFFBBBBBFFBBBBFFFBBBB.............
                0                                                                   33 s
                F forward  B backward
    "#]]
    .assert_eq(&lines(Kind::OneFOneB));
    expect![[r#"
        stage 0 FFFFFFFFFFF........IIWWWFFFIIWWWFFFIIWWWFFFIIWWWFFFIIWWWIIIWWIIIWWWIIWWW
        stage 1 ...FFFFFFFF.....IIIFFIIIWWWFFIIIWWWFFIIIWWWFFIIIWWWFFIIIWWWIIWWWIIIWWWWW
        stage 2 .....FFFFFF..IIIFFFIIFFFIIIWWFFFIIIWWFFFIIIWWFFFIIIWWFFFIIIWWIIIWWWWWWWW
        stage 3 ........FFFIIFFFIIIFFIIIFFFIIWWWFFFIIWWWFFFIIWWWFFFIIWWWFFFIIWWWWWWWWWWW
                0                                                                   27 s
                F forward  I backward input  W backward weight
    "#]]
    .assert_eq(&lines(Kind::ZbH1));
    expect![[r#"
        stage 0 FFFFFFFFFFFFFFFFFFFIIWWWFFFIIWWWIIIWWIIIWWWIIWWWIIIWWIIIWWWIIWWW........
        stage 1 ...FFFFFFFFFFFFFIIIFFIIIFFFIIWWWFFFIIWWWIIIWWIIIWWWIIWWWIIIWWWWWWWW.....
        stage 2 .....FFFFFFFFIIIFFFIIFFFIIIFFIIIFFFIIWWWFFFIIWWWIIIWWIIIWWWWWWWWWWWWW...
        stage 3 ........FFFIIFFFIIIFFIIIFFFIIFFFIIIFFIIIFFFIIWWWFFFIIWWWWWWWWWWWWWWWWWWW
                0                                                                   27 s
                F forward  I backward input  W backward weight
    "#]]
    .assert_eq(&lines(Kind::ZbH2));
}

#[test]
fn what_is_sent_to_one_stage_follows_each_other() {
    let parts = Parts::forward_only(2);
    let durations = vec![Durations::new(1.0, 0.0, 0.0); 2];
    let works = Works { stages: 2, micro_batches: 3, parts: &parts, durations: &durations, limit: None };
    let checked = check(build(Kind::Gpipe, &works), parts.clone()).unwrap();
    let transfer = Transfer { bytes: 6.0, route: 0, gradient_bytes: 0.0, gradient_route: 0 };
    let costs = Costs {
        durations: durations.clone(),
        transfers: vec![transfer],
        links: vec![4.0],
        routes: vec![Route { links: vec![0], latency: 0.0 }],
        ..Costs::default()
    };
    let timeline = step(&checked, &costs).unwrap().timeline("");
    expect![[r#"
        stage 0 FFFFFFFFFFFFFFFFFFF.......................
        0 > 1   ......cccccccccccccccccccccccccccccc......
        stage 1 ................FFFFFFF...FFFFFF....FFFFFF
                0                                    6.5 s
                F forward  c communication
    "#]]
    .assert_eq(&timeline.lines(50, false));
}
