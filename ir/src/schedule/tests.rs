//! Tests with handwritten schedules: valid ones are verified and counted, and each kind of violation is reported.

use super::Work::{Backward, BackwardInput, BackwardWeight, Forward};
use super::check::{CheckedSchedule, ScheduleError, check};
use super::{ChunkWork, SCHEDULE_KINDS, Schedule, ScheduleKind, Slot, StepWork};
use expect_test::{Expect, expect};

/// Parses a schedule with one chunk per stage from its printed form: `F0 F1 B0 B1`.
fn schedule(micro_batches: u32, orders: &[&str]) -> Schedule {
    let read = |(stage, order): (u32, &&str)| {
        let slot = |text: &str| {
            let work = super::Work::ALL.into_iter().find(|w| text.starts_with(w.letter())).unwrap();
            let (micro_batch, chunk) = text[1..].split_once('.').unwrap_or((&text[1..], ""));
            Slot::new(work, micro_batch.parse().unwrap(), chunk.parse().unwrap_or(stage))
        };
        order.split_whitespace().map(slot).collect()
    };
    let stages = orders.len();
    Schedule {
        name: "by hand".into(),
        kind: ScheduleKind::OneFOneB,
        chunks: stages,
        stages,
        stage_of_chunk: (0..stages).collect(),
        micro_batches,
        orders: (0..).zip(orders).map(read).collect(),
    }
}

fn in_flight(micro_batches: u32, parts: StepWork, orders: &[&str]) -> Vec<usize> {
    check(schedule(micro_batches, orders), parts).unwrap().in_flight().to_vec()
}

fn assert_rejected(parts: StepWork, orders: &[&str], expected: Expect) {
    let fault = check(schedule(2, orders), parts).unwrap_err();
    expected.assert_eq(&fault.to_string());
}

const GPIPE: [&str; 2] = ["F0 F1 B0 B1", "F0 F1 B0 B1"];

#[test]
fn activations_are_in_flight_until_the_last_gradient() {
    assert_eq!(in_flight(2, StepWork::trained(2), &GPIPE), [2, 2]);
    assert_eq!(in_flight(2, StepWork::trained(2), &["F0 F1 B0 B1", "F0 B0 F1 B1"]), [2, 1]);
    assert_eq!(in_flight(2, StepWork::trained(2), &["F0 F1 I0 W0 I1 W1", "F0 I0 F1 I1 W0 W1"]), [2, 2]);
    assert_eq!(in_flight(2, StepWork::frozen(&[true, false]), &["F0 F1", "F0 B0 F1 B1"]), [0, 1]);
    assert_eq!(in_flight(2, StepWork::frozen(&[false, true]), &["F0 F1 B0 B1", "F0 I0 F1 I1"]), [2, 1]);
    assert_eq!(in_flight(2, StepWork::forward_only(2), &["F0 F1", "F0 F1"]), [0, 0]);
}

#[test]
fn cached_results_need_no_forward_pass() {
    let known = ChunkWork { forward: false, ..ChunkWork::FORWARD };
    assert_eq!(in_flight(2, StepWork::chain(vec![known, ChunkWork::TRAINED]), &["", "F0 B0 F1 B1"]), [0, 1]);
    let part = ChunkWork { backward_input: false, ..ChunkWork::TRAINED };
    assert_eq!(in_flight(1, StepWork::chain(vec![part]), &["F0 W0"]), [1]);
}

#[test]
fn a_missing_slot_and_its_reader_are_reported() {
    let parts = || StepWork::trained(2);
    assert_rejected(
        parts(),
        &["F0 F1 B0 B1", "F0 F1 B0"],
        expect!["stage 1: backward_input of micro-batch 1 in chunk 1 is missing, which chunk 0 on stage 0 waits for"],
    );
    assert_rejected(
        parts(),
        &["F0 B0 B1", "F0 F1 B0 B1"],
        expect!["stage 0: forward of micro-batch 1 in chunk 0 is missing, which chunk 1 on stage 1 waits for"],
    );
    assert_rejected(
        parts(),
        &["F0 F1 B0 I1", "F0 F1 B0 B1"],
        expect!["stage 0: backward_weight of micro-batch 1 in chunk 0 is missing"],
    );
    assert_rejected(
        parts(),
        &["", ""],
        expect!["stage 0: forward of micro-batch 0 in chunk 0 is missing, which chunk 1 on stage 1 waits for"],
    );
}

#[test]
fn a_missing_slot_is_found_without_a_table_of_all_slots() {
    let fault = check(schedule(u32::MAX, &GPIPE), StepWork::trained(2)).unwrap_err();
    assert!(matches!(fault, ScheduleError::Missing { slot: Slot { micro_batch: 2, .. }, .. }), "{fault}");
}

#[test]
fn superfluous_slots_are_reported() {
    let parts = || StepWork::trained(2);
    assert_rejected(
        parts(),
        &["F0 F1 B0 B1", "F0 F1 F1 B0 B1"],
        expect!["stage 1: forward of micro-batch 1 in chunk 1 is scheduled twice"],
    );
    assert_rejected(
        parts(),
        &["F0 F1 B0 B1 W0", "F0 F1 B0 B1"],
        expect![
            "stage 0: backward_weight of micro-batch 0 in chunk 0 is already done by backward of micro-batch 0 in chunk 0"
        ],
    );
    assert_rejected(
        parts(),
        &["F0 F1 B0 B1 F2", "F0 F1 B0 B1"],
        expect!["stage 0: forward of micro-batch 2 in chunk 0, which does not exist"],
    );
    assert_rejected(
        parts(),
        &["F0 F1 B0 B1 F0.7", "F0 F1 B0 B1"],
        expect!["stage 0: forward of micro-batch 0 in chunk 7, which does not exist"],
    );
    assert_rejected(
        parts(),
        &["F0 F1 B0 B1 F1.1", "F0 B0 B1"],
        expect!["stage 0: forward of micro-batch 1 in chunk 1, which is on stage 1"],
    );
    assert_rejected(
        StepWork::frozen(&[true, false]),
        &GPIPE,
        expect!["stage 0: backward of micro-batch 0 in chunk 0, which has no such work"],
    );
    assert_rejected(
        StepWork::frozen(&[false, true]),
        &GPIPE,
        expect!["stage 1: backward of micro-batch 0 in chunk 1, which has no such work"],
    );
}

#[test]
fn wrong_orders_and_deadlocks_are_reported() {
    let parts = || StepWork::trained(2);
    assert_rejected(
        parts(),
        &["F0 F1 B0 B1", "B0 F0 F1 B1"],
        expect![
            "stage 1: backward of micro-batch 0 in chunk 1 is scheduled before forward of micro-batch 0 in chunk 1, which it depends on"
        ],
    );
    assert_rejected(
        parts(),
        &["F0 B0 F1 B1", "F0 F1 B0 B1"],
        expect![
            "stage 0 waits before backward of micro-batch 0 in chunk 0 for stage 1: backward of micro-batch 0 in chunk 1; stage 1 waits before forward of micro-batch 1 in chunk 1 for stage 0: forward of micro-batch 1 in chunk 0"
        ],
    );
    assert_rejected(
        parts(),
        &["F0 F1 W0 I0 B1", "F0 B0 F1 B1"],
        expect![
            "stage 0: backward_weight of micro-batch 0 in chunk 0 is scheduled before backward_input of micro-batch 0 in chunk 0, which it depends on"
        ],
    );
}

#[test]
fn a_deadlock_of_three_stages_is_reported() {
    let parts = StepWork { edges: vec![(0, 1), (0, 2), (1, 2)], ..StepWork::trained(3) };
    let cyclic = schedule(2, &["F0 B0 F1 B1", "F0 B0 F1 B1", "F0 F1 B0 B1"]);
    let Err(ScheduleError::Deadlock(waits)) = check(cyclic, parts) else { panic!("no cycle") };
    assert_eq!(waits.iter().map(|wait| (wait.stage, wait.needs_stage)).collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 0)]);
}

#[test]
fn a_skip_connection_carries_a_result_and_a_gradient() {
    let parts = StepWork::trained(3).with_skip(0, 2);
    let checked = check(schedule(1, &["F0 B0"; 3]), parts).unwrap();
    let edges = |slot| checked.needs(slot).iter().filter_map(|need| need.edge).collect::<Vec<_>>();
    assert_eq!(edges(Slot::new(Forward, 0, 2)), [(1, 2), (0, 2)]);
    assert_eq!(edges(Slot::new(Backward, 0, 0)), [(0, 1), (0, 2)]);
    assert_eq!(edges(Slot::new(Backward, 0, 2)), []);
}

#[test]
fn gradients_of_parameters_wait_for_those_of_operands() {
    let checked = check(schedule(1, &["F0 I0 W0", "F0 I0 W0"]), StepWork::trained(2)).unwrap();
    let needs = |checked: &CheckedSchedule, slot| checked.needs(slot).iter().map(|need| need.slot).collect::<Vec<_>>();
    assert_eq!(needs(&checked, Slot::new(BackwardWeight, 0, 0)), [Slot::new(BackwardInput, 0, 0)]);
    let want = [Slot::new(Forward, 0, 0), Slot::new(BackwardInput, 0, 1)];
    assert_eq!(needs(&checked, Slot::new(BackwardInput, 0, 0)), want);
}

#[test]
fn each_receive_has_one_send() {
    let first = ChunkWork { backward_input: false, ..ChunkWork::TRAINED };
    let known = ChunkWork { forward: false, ..ChunkWork::FORWARD };
    let parts = StepWork::chain(vec![known, first, ChunkWork::PASS_THROUGH, ChunkWork::TRAINED, ChunkWork::FORWARD]);
    let parts = parts.with_skip(1, 3).with_skip(0, 3).with_skip(1, 3).with_skip(1, 4);
    let checked = check(schedule(2, &["", "F0 F1 W0 W1", "F0 I0 F1 I1", "F0 I0 F1 W0 I1 W1", "F0 F1"]), parts).unwrap();
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    for &slot in checked.orders.iter().flatten() {
        sent.extend(checked.readers(slot).iter().map(|reader| (slot, reader.slot, reader.edge)));
        received.extend(checked.needs(slot).iter().filter_map(|need| Some((need.slot, slot, need.edge?))));
    }
    sent.sort_unstable();
    received.sort_unstable();
    assert_eq!(sent, received);
    // Two micro-batches: results along 1-2, 2-3, 3-4, 1-3 and 1-4, gradients along 3-2, 2-1 and 3-1.
    assert_eq!(sent.len(), 2 * (5 + 3));
}

#[test]
fn a_vanilla_schedule_is_sequential() {
    let mut line = schedule(2, &["F0 B0 F1 B1", "F0 B0 F1 B1"]);
    line.kind = ScheduleKind::Vanilla;
    let checked = check(line, StepWork::trained(2)).unwrap();
    let before = |work, micro_batch, chunk| checked.needs(Slot::new(work, micro_batch, chunk)).last().map(|n| n.slot);
    assert_eq!(before(Forward, 0, 0), None);
    assert_eq!(before(Forward, 1, 0), Some(Slot::new(Backward, 0, 0)));
    assert_eq!(before(Backward, 1, 1), Some(Slot::new(Forward, 1, 1)));
    let mut beside = schedule(2, &["F0 F1 B0 B1", "F0 B0 F1 B1"]);
    beside.kind = ScheduleKind::Vanilla;
    assert!(matches!(check(beside, StepWork::trained(2)), Err(ScheduleError::Deadlock(_))));
}

#[test]
fn inconsistent_work_and_lists_are_rejected() {
    let unkept = ChunkWork { forward: false, ..ChunkWork::TRAINED };
    for (parts, fault) in [
        (StepWork::trained(3), ScheduleError::WrongLength),
        (StepWork::trained(2).with_skip(1, 1), ScheduleError::InvalidEdge { from: 1, to: 1 }),
        (StepWork::trained(2).with_skip(0, 9), ScheduleError::InvalidEdge { from: 0, to: 9 }),
        (StepWork::chain(vec![unkept, ChunkWork::TRAINED]), ScheduleError::BackwardWithoutForward { chunk: 0 }),
    ] {
        assert_eq!(check(schedule(2, &GPIPE), parts).unwrap_err(), fault);
    }
    let mut astray = schedule(2, &GPIPE);
    astray.stage_of_chunk[1] = 2;
    assert_eq!(check(astray, StepWork::trained(2)).unwrap_err(), ScheduleError::UnknownStage { chunk: 1, stage: 2 });
}

#[test]
fn kinds_are_read_and_written() {
    for (name, kind) in SCHEDULE_KINDS {
        assert_eq!(ScheduleKind::from_text(name), Ok(kind));
        assert_eq!(ScheduleKind::from_text(&kind.to_string()), Ok(kind));
    }
    assert_eq!(ScheduleKind::from_text("interleaved?chunks=3"), Ok(ScheduleKind::Interleaved { chunks: 3 }));
    let refused = ["1f1", "zero", "interleaved?chunks=0", "gpipe?chunks=2"];
    let refused = refused.map(|text| ScheduleKind::from_text(text).unwrap_err().to_string());
    expect![[r#"
        error[D012]: there is no pipeline schedule `1f1`
          = note: the schedules are vanilla, gpipe, 1f1b, interleaved, zb-h1, zb-h2
          = help: there is `1f1b`
        error[D012]: there is no pipeline schedule `zero`
          = note: the schedules are vanilla, gpipe, 1f1b, interleaved, zb-h1, zb-h2
        error[D012]: `interleaved` has no option `chunks=0`
          = help: `interleaved?chunks=2` has two chunks a stage; others have no options
        error[D012]: `gpipe` has no option `chunks=2`
          = help: `interleaved?chunks=2` has two chunks a stage; others have no options"#]]
    .assert_eq(&refused.join("\n"));
}

#[test]
fn a_schedule_prints_a_line_for_each_stage() {
    let printed = schedule(2, &["F0 F1 B0 B1", "F0 I0 W0 F1 B1"]).to_string();
    assert_eq!(printed, "stage 0: F0 F1 B0 B1\nstage 1: F0 I0 W0 F1 B1\n");
}
