//! Exact costs of schedules from the papers, and invariants of every pipeline.

use expect_test::expect;
use partita_cost::pipeline::{
    ActivityRole, EdgeTransfer, OncePerStep, OncePerStepTransfer, SavedActivations, ScheduleCosts, SimulatedStep,
    simulate_step,
};
use partita_cost::simulate::Route;
use partita_ir::pipeline::TaskTime;
use partita_ir::schedule::SCHEDULE_KINDS;
use partita_ir::schedule::check::check;
use partita_ir::schedule::{ChunkWork, Durations, ScheduleKind, StepWork};
use partita_machine::timeline::Category;
use partita_passes::pipelining::schedule::{ScheduleInput, build};
use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest};

/// Seconds of forward passes, input gradients and weight gradients. Weight gradients are the shortest; all sums are
/// exact.
const CHUNK_SECONDS: [(f64, f64, f64); 5] =
    [(1.0, 1.0, 1.0), (2.0, 2.0, 1.0), (3.0, 4.0, 2.0), (4.0, 3.0, 3.0), (1.0, 1.0, 0.5)];

fn run(
    kind: ScheduleKind,
    stages: usize,
    micro_batches: u32,
    parts: &StepWork,
    durations: Vec<Durations>,
) -> SimulatedStep {
    let works = ScheduleInput { stages, micro_batches, parts, durations: &durations, max_in_flight: None };
    let checked = check(build(kind, &works), parts.clone()).unwrap();
    let saved = vec![SavedActivations { input: 1, ..SavedActivations::default() }; parts.chunks.len()];
    simulate_step(&checked, &ScheduleCosts { durations, saved, ..ScheduleCosts::default() }).unwrap()
}

/// Simulates a pipeline of equal stages, as in the papers.
fn equal_stages(kind: ScheduleKind, stages: usize, micro_batches: u32, works: (f64, f64, f64)) -> SimulatedStep {
    let chunks = stages * kind.chunks_per_stage();
    // The duration of a chunk is inversely proportional to the chunks of a stage.
    let share = kind.chunks_per_stage() as f64;
    let durations = Durations::new(works.0 / share, works.1 / share, works.2 / share);
    run(kind, stages, micro_batches, &StepWork::trained(chunks), vec![durations; chunks])
}

/// Simulates an inference pipeline of equal stages of one second.
fn forward_only(kind: ScheduleKind, stages: usize, micro_batches: u32) -> SimulatedStep {
    let chunks = stages * kind.chunks_per_stage();
    run(kind, stages, micro_batches, &StepWork::forward_only(chunks), vec![Durations::new(1.0, 0.0, 0.0); chunks])
}

fn peaks(step: &SimulatedStep) -> Vec<i64> {
    step.outcome.memory.iter().map(|memory| memory.peak).collect()
}

const SIZES: [(usize, u32); 9] = [(1, 1), (1, 4), (2, 2), (3, 5), (4, 4), (4, 8), (5, 17), (7, 14), (8, 64)];

#[test]
fn once_per_step_work_is_at_both_ends() {
    let parts = StepWork::trained(2);
    let durations = vec![Durations::new(1.0, 1.0, 1.0); 2];
    let works =
        ScheduleInput { stages: 2, micro_batches: 1, parts: &parts, durations: &durations, max_in_flight: None };
    let checked = check(build(ScheduleKind::OneFOneB, &works), parts.clone()).unwrap();
    let once = |stage, moment, seconds| OncePerStep { stage, moment, seconds };
    let sent = |stages, moment| OncePerStepTransfer { stages, moment, bytes: 8.0, route: 0 };
    let costs = ScheduleCosts {
        durations: durations.clone(),
        links: vec![16.0],
        routes: vec![Route { links: vec![0], latency: 0.0 }],
        once_per_step: vec![
            once(0, TaskTime::Before, 2.0),
            once(0, TaskTime::After(1), 1.0),
            once(1, TaskTime::After(1), 4.0),
        ],
        once_per_step_transfers: vec![sent([0, 1], TaskTime::Before), sent([1, 0], TaskTime::After(0))],
        ..ScheduleCosts::default()
    };
    let step = simulate_step(&checked, &costs).unwrap();
    // The first stage has one-time work, and its transfer takes half a second, which is no longer than its forward
    // pass.
    let end =
        |wanted: ActivityRole| step.roles.iter().position(|&role| role == wanted).map(|at| step.outcome.times[at].end);
    assert_eq!(end(ActivityRole::OncePerStepTransfer { stages: [0, 1], moment: TaskTime::Before }), Some(2.5));
    assert_eq!(end(ActivityRole::OncePerStep { stage: 1, moment: TaskTime::After(1) }), Some(3.0 + 1.0 + 2.0 + 4.0));
    // The gradients of the first stage end at 8, long after the one-time transfer.
    assert_eq!(end(ActivityRole::OncePerStepTransfer { stages: [1, 0], moment: TaskTime::After(0) }), Some(6.5));
    assert_eq!(end(ActivityRole::OncePerStep { stage: 0, moment: TaskTime::After(1) }), Some(9.0));
    assert_eq!(step.timeline("once").spans.iter().filter(|span| span.category == Category::Update).count(), 2);
}

#[test]
fn vanilla_uses_one_of_n_devices() {
    for (stages, micro_batches) in SIZES {
        let step = equal_stages(ScheduleKind::Vanilla, stages, micro_batches, (1.0, 1.0, 1.0));
        assert_eq!(step.seconds(), 3.0 * stages as f64 * f64::from(micro_batches));
        assert!((0..stages).all(|stage| step.utilisation(stage) == 1.0 / stages as f64));
    }
    // Four devices are idle for three quarters of the time.
    assert_eq!(equal_stages(ScheduleKind::Vanilla, 4, 1, (1.0, 1.0, 1.0)).bubble(), 0.75);
    assert_eq!(equal_stages(ScheduleKind::OneFOneB, 4, 1, (1.0, 1.0, 1.0)).bubble(), 0.75);
}

#[test]
fn pipelining_reduces_nine_slots_to_five() {
    assert_eq!(forward_only(ScheduleKind::Vanilla, 3, 3).seconds(), 9.0);
    for kind in [ScheduleKind::Gpipe, ScheduleKind::OneFOneB, ScheduleKind::ZbH1, ScheduleKind::ZbH2] {
        assert_eq!(forward_only(kind, 3, 3).seconds(), 5.0, "{kind}");
        assert_eq!(peaks(&forward_only(kind, 3, 3)), [0; 3]);
    }
    assert_eq!(forward_only(ScheduleKind::Interleaved { chunks: 2 }, 3, 3).seconds(), 8.0);
}

#[test]
fn stage_utilisation_is_m_of_m_plus_n_minus_one() {
    for (stages, micro_batches) in SIZES {
        for (kind, works) in [ScheduleKind::Gpipe, ScheduleKind::OneFOneB]
            .into_iter()
            .flat_map(|k| CHUNK_SECONDS.map(|works| (k, works)))
        {
            let step = equal_stages(kind, stages, micro_batches, works);
            let (work, m) = (works.0 + works.1 + works.2, f64::from(micro_batches));
            assert_eq!(step.seconds() - m * work, (stages - 1) as f64 * work, "{kind}");
            assert_eq!(step.utilisation(0), m / (m + (stages - 1) as f64));
        }
    }
}

#[test]
fn interleaving_divides_the_bubble_by_the_chunks() {
    for (stages, micro_batches, chunks) in [(2, 4, 2), (4, 8, 2), (4, 8, 4), (3, 9, 2), (8, 64, 2), (5, 5, 4)] {
        let step = equal_stages(ScheduleKind::Interleaved { chunks }, stages, micro_batches, (2.0, 2.0, 2.0));
        let bubble = step.seconds() - 6.0 * f64::from(micro_batches);
        assert_eq!(bubble, (stages - 1) as f64 * 6.0 / chunks as f64, "{stages} {micro_batches} {chunks}");
    }
}

#[test]
fn interleaving_is_never_slower() {
    for (stages, chunks, micro_batches) in
        (2..7).flat_map(|p| (2..5).flat_map(move |v| (1..3 * p as u32).map(move |m| (p, v, m))))
    {
        // The durations are divisible by the chunk counts without rounding.
        let seconds = |kind| equal_stages(kind, stages, micro_batches, (12.0, 12.0, 12.0)).seconds();
        assert!(
            seconds(ScheduleKind::Interleaved { chunks }) <= seconds(ScheduleKind::OneFOneB),
            "{stages} {chunks} {micro_batches}"
        );
    }
}

#[test]
fn zero_bubble_schedules_fill_the_1f1b_bubble() {
    for (stages, micro_batches) in [(2, 4), (3, 9), (4, 8), (4, 20), (5, 17), (8, 24)] {
        for works in CHUNK_SECONDS {
            let (f, b, w) = works;
            let (turns, all) = ((stages - 1) as f64, f64::from(micro_batches) * (f + b + w));
            let narrow = equal_stages(ScheduleKind::ZbH1, stages, micro_batches, works);
            assert_eq!(narrow.seconds() - all, turns * (f + b - w), "zb-h1 {stages} {micro_batches} {works:?}");
            assert_eq!(narrow.period(), narrow.seconds());
            let wide = equal_stages(ScheduleKind::ZbH2, stages, micro_batches, works);
            assert_eq!(wide.period() - all, turns * (f + b - 2.0 * w), "zb-h2 {stages} {micro_batches} {works:?}");
            let plain = equal_stages(ScheduleKind::OneFOneB, stages, micro_batches, works);
            let most = |step: &SimulatedStep| peaks(step).into_iter().max().unwrap_or_default();
            assert!(most(&narrow) <= most(&plain));
            assert!(most(&wide) * stages as i64 <= most(&plain) * (2 * stages as i64 - 1));
        }
    }
}

#[test]
fn gpipe_stores_all_micro_batches_and_1f1b_its_warmup() {
    for (stages, micro_batches) in SIZES {
        let kept = |kind| peaks(&equal_stages(kind, stages, micro_batches, (1.0, 1.0, 1.0)));
        let m = i64::from(micro_batches);
        assert_eq!(kept(ScheduleKind::Gpipe), vec![m; stages]);
        assert_eq!(kept(ScheduleKind::OneFOneB), (0..stages).map(|s| m.min((stages - s) as i64)).collect::<Vec<_>>());
    }
}

#[test]
fn transfers_take_time_and_memory() {
    let parts = StepWork::trained(2);
    let durations = vec![Durations::new(1.0, 1.0, 1.0); 2];
    let works =
        ScheduleInput { stages: 2, micro_batches: 1, parts: &parts, durations: &durations, max_in_flight: None };
    let checked = check(build(ScheduleKind::OneFOneB, &works), parts.clone()).unwrap();
    let transfer = EdgeTransfer { bytes: 8.0, route: 0, gradient_bytes: 4.0, gradient_route: 1 };
    let costs = ScheduleCosts {
        durations: durations.clone(),
        saved: vec![SavedActivations { input: 100, weight: 50, gradient: 7 }; 2],
        transfers: vec![transfer],
        resident_bytes: vec![1000, 2000],
        links: vec![16.0, 4.0],
        routes: vec![Route { links: vec![0], latency: 0.25 }, Route { links: vec![1], latency: 0.0 }],
        ..ScheduleCosts::default()
    };
    let sent = simulate_step(&checked, &costs).unwrap();
    // F, 8 bytes and their latency, F, B on the other stage, 4 bytes, B.
    assert_eq!(sent.seconds(), 1.0 + 0.75 + 3.0 + 1.0 + 2.0);
    let [first, second] = [0, 1].map(|stage: usize| sent.outcome.memory[stage].samples.clone());
    assert_eq!(first, [(0.0, 1150), (4.75, 1154), (7.75, 1000)]);
    assert_eq!(second, [(0.0, 2000), (1.0, 2008), (1.75, 2158), (2.75, 2150), (4.75, 2000)]);
    assert_eq!(sent.outcome.links[1].bytes, 4.0);
}

#[test]
fn weight_gradient_activations_live_longer() {
    let parts = StepWork::trained(1);
    let durations = vec![Durations::new(1.0, 1.0, 1.0)];
    let works =
        ScheduleInput { stages: 1, micro_batches: 1, parts: &parts, durations: &durations, max_in_flight: None };
    let checked = check(build(ScheduleKind::ZbH1, &works), parts.clone()).unwrap();
    let saved = vec![SavedActivations { input: 5, weight: 2, gradient: 3 }];
    let step =
        simulate_step(&checked, &ScheduleCosts { durations: durations.clone(), saved, ..ScheduleCosts::default() })
            .unwrap();
    assert_eq!(step.outcome.memory[0].samples, [(0.0, 7), (1.0, 10), (2.0, 5), (3.0, 0)]);
}

#[test]
fn frozen_stages_skip_unneeded_work() {
    let parts = StepWork::frozen(&[true, true, false, true]);
    for (_, kind) in SCHEDULE_KINDS {
        let step = run(kind, 4, 8, &parts, vec![Durations::new(1.0, 1.0, 1.0); 4]);
        let busy: Vec<f64> = step.outcome.lanes.iter().take(step.stages).map(|lane| lane.busy).collect();
        assert_eq!(busy, [8.0, 8.0, 24.0, 16.0], "{kind}");
        assert_eq!(peaks(&step)[..2], [0, 0]);
    }
    // Receiving the gradient at the only trained stage takes 2 seconds; with one more micro-batch in memory, the stage
    // does not wait for the first one.
    let seconds = |kind| run(kind, 4, 8, &parts, vec![Durations::new(1.0, 1.0, 1.0); 4]).seconds();
    assert_eq!([ScheduleKind::OneFOneB, ScheduleKind::ZbH1, ScheduleKind::ZbH2].map(seconds), [27.0, 27.0, 26.0]);
}

/// Durations of the chunks of a chain, some of them frozen.
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
        let parts = StepWork::frozen(&frozen);
        let stages = frozen.len().div_ceil(share);
        let seconds = |kind| run(kind, stages, micro_batches, &parts, durations.clone()).seconds();
        for (_, kind) in SCHEDULE_KINDS {
            let step = run(kind, stages, micro_batches, &parts, durations.clone());
            let busy: f64 = step.outcome.lanes.iter().take(step.stages).map(|lane| lane.busy).sum();
            let work = |(part, d): (&ChunkWork, &Durations)| {
                let backward = part.backward(true).map(|work| d.seconds(work)).sum::<f64>();
                backward + if part.forward { d.forward } else { 0.0 }
            };
            let all = parts.chunks.iter().zip(&durations).map(work).sum::<f64>() * f64::from(micro_batches);
            prop_assert_eq!(busy, all);
            prop_assert!(step.period() <= step.seconds());
            prop_assert!(step.outcome.memory.iter().all(|memory| memory.samples.last().is_none_or(|s| s.1 == 0)));
        }
        for kind in [ScheduleKind::ZbH1, ScheduleKind::ZbH2] {
            prop_assert!(seconds(kind) <= seconds(ScheduleKind::OneFOneB));
        }
        prop_assert!(seconds(ScheduleKind::OneFOneB) <= seconds(ScheduleKind::Vanilla));
    }

    #[test]
    fn transfers_arrive_and_are_freed(
        (frozen, durations) in chains(),
        (from, to) in (0..9usize, 0..9usize),
        bytes in prop::collection::vec(0u32..9, 12),
        micro_batches in 1..12u32,
    ) {
        let mut parts = StepWork::frozen(&frozen);
        if from < to && to < frozen.len() {
            parts = parts.with_skip(from, to);
        }
        let transfer = |(edge, &bytes): (usize, &u32)| {
            let bytes = f64::from(bytes);
            EdgeTransfer { bytes, route: edge % 3, gradient_bytes: bytes / 2.0, gradient_route: edge % 2 }
        };
        let costs = ScheduleCosts {
            durations: durations.clone(),
            saved: vec![SavedActivations { input: 3, weight: 2, gradient: 1 }; frozen.len()],
            transfers: bytes.iter().enumerate().map(transfer).collect(),
            links: vec![4.0, 16.0],
            routes: [vec![0], vec![1], vec![0, 1]].map(|links| Route { links, latency: 0.125 }).into(),
            resident_bytes: vec![7; frozen.len()],
            ..ScheduleCosts::default()
        };
        for (_, kind) in SCHEDULE_KINDS {
            let (stages, parts, durations) = (frozen.len(), &parts, &durations);
            let works = ScheduleInput { stages, micro_batches, parts, durations, max_in_flight: None };
            let checked = check(build(kind, &works), parts.clone()).unwrap();
            let sent = simulate_step(&checked, &costs).unwrap();
            prop_assert!(sent.outcome.memory.iter().all(|memory| memory.samples.last().is_some_and(|s| s.1 == 7)));
            let at_once = ScheduleCosts { transfers: Vec::new(), ..costs.clone() };
            prop_assert!(sent.seconds() >= simulate_step(&checked, &at_once).unwrap().seconds());
        }
    }
}

#[test]
fn step_is_rendered() {
    let lines = |kind| equal_stages(kind, 4, 8, (1.0, 1.0, 1.0)).timeline("").to_text(80, false);
    expect![[r#"
        stage 0 FFFFFFFFF.............BBBBFFBBBBBFFBBBBFFBBBBBFFBBBB...BBBB..BBBB...BBBB
        stage 1 ..FFFFFFF........BBBBBFFBBBBFFFBBBBFFBBBBFFFBBBBFFBBBBB..BBBB..BBBBB....
        stage 2 ....FFFFF....BBBBFFFBBBBFFBBBBBFFBBBBFFBBBBBFFBBBBFFBBBBB..BBBB.........
        stage 3 .......FFBBBBFFBBBBBFFBBBBFFBBBBBFFBBBBFFBBBBBFFBBBBFFFBBBB.............
                0                                                                   33 s
                F forward  B backward
    "#]]
    .assert_eq(&lines(ScheduleKind::OneFOneB));
    expect![[r#"
        stage 0 FFFFFFFFFFF........IIWWWFFFIIWWWFFFIIWWWFFFIIWWWFFFIIWWWIIIWWIIIWWWIIWWW
        stage 1 ...FFFFFFFF.....IIIFFIIIWWWFFIIIWWWFFIIIWWWFFIIIWWWFFIIIWWWIIWWWIIIWWWWW
        stage 2 .....FFFFFF..IIIFFFIIFFFIIIWWFFFIIIWWFFFIIIWWFFFIIIWWFFFIIIWWIIIWWWWWWWW
        stage 3 ........FFFIIFFFIIIFFIIIFFFIIWWWFFFIIWWWFFFIIWWWFFFIIWWWFFFIIWWWWWWWWWWW
                0                                                                   27 s
                F forward  I backward input  W backward weight
    "#]]
    .assert_eq(&lines(ScheduleKind::ZbH1));
    expect![[r#"
        stage 0 FFFFFFFFFFFFFFFFFFFIIWWWFFFIIWWWIIIWWIIIWWWIIWWWIIIWWIIIWWWIIWWW........
        stage 1 ...FFFFFFFFFFFFFIIIFFIIIFFFIIWWWFFFIIWWWIIIWWIIIWWWIIWWWIIIWWWWWWWW.....
        stage 2 .....FFFFFFFFIIIFFFIIFFFIIIFFIIIFFFIIWWWFFFIIWWWIIIWWIIIWWWWWWWWWWWWW...
        stage 3 ........FFFIIFFFIIIFFIIIFFFIIFFFIIIFFIIIFFFIIWWWFFFIIWWWWWWWWWWWWWWWWWWW
                0                                                                   27 s
                F forward  I backward input  W backward weight
    "#]]
    .assert_eq(&lines(ScheduleKind::ZbH2));
}

#[test]
fn transfers_to_one_stage_are_sequential() {
    let parts = StepWork::forward_only(2);
    let durations = vec![Durations::new(1.0, 0.0, 0.0); 2];
    let works =
        ScheduleInput { stages: 2, micro_batches: 3, parts: &parts, durations: &durations, max_in_flight: None };
    let checked = check(build(ScheduleKind::Gpipe, &works), parts.clone()).unwrap();
    let transfer = EdgeTransfer { bytes: 6.0, route: 0, gradient_bytes: 0.0, gradient_route: 0 };
    let costs = ScheduleCosts {
        durations: durations.clone(),
        transfers: vec![transfer],
        links: vec![4.0],
        routes: vec![Route { links: vec![0], latency: 0.0 }],
        ..ScheduleCosts::default()
    };
    let timeline = simulate_step(&checked, &costs).unwrap().timeline("");
    expect![[r#"
        stage 0 FFFFFFFFFFFFFFFFFFF.......................
        0 > 1   ......cccccccccccccccccccccccccccccc......
        stage 1 ................FFFFFFF...FFFFFF....FFFFFF
                0                                    6.5 s
                F forward  c communication
    "#]]
    .assert_eq(&timeline.to_text(50, false));
}
