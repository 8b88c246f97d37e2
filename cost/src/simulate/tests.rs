//! Hand-computed times: lane order, shared links, memory, dependency cycles.

use super::{Activity, ActivityDuration, Hardware, Interval, MemoryChange, Outcome, Route, SimulationError, simulate};
use proptest::prelude::{Just, Strategy, prop, prop_assert, prop_assert_eq, proptest};
use smallvec::{SmallVec, smallvec};

fn on_lane(lane: usize, seconds: f64, after: &[u32]) -> Activity {
    Activity {
        name: "activity".into(),
        duration: ActivityDuration::Seconds(seconds),
        lane: Some(lane),
        after: after.into(),
        memory: SmallVec::new(),
    }
}

fn flow(bytes: f64, route: usize, after: &[u32]) -> Activity {
    Activity { duration: ActivityDuration::Flow { bytes, route }, lane: None, ..on_lane(0, 0.0, after) }
}

fn hardware(lanes: usize, links: &[f64], routes: &[&[usize]]) -> Hardware {
    let routes = routes.iter().map(|links| Route { links: links.to_vec(), latency: 0.0 }).collect();
    Hardware { lanes, devices: vec![0; 2], links: links.to_vec(), routes }
}

fn times(outcome: &Outcome) -> Vec<(f64, f64)> {
    outcome.times.iter().map(|t: &Interval| (t.start, t.end)).collect()
}

#[test]
fn lanes_run_in_order() {
    let activities = [on_lane(0, 1.0, &[]), on_lane(1, 2.0, &[0]), on_lane(1, 1.0, &[]), on_lane(0, 1.0, &[1])];
    let outcome = simulate(&hardware(3, &[], &[]), &activities).unwrap();
    assert_eq!(times(&outcome), [(0.0, 1.0), (1.0, 3.0), (3.0, 4.0), (3.0, 4.0)]);
    assert_eq!(outcome.makespan, 4.0);
    assert_eq!([0, 1, 2].map(|lane| outcome.utilisation(lane)), [0.5, 0.75, 0.0]);
    assert_eq!([0, 1, 2].map(|lane| outcome.idle(lane)), [2.0, 1.0, 4.0]);
    assert_eq!((outcome.lanes[1].busy, outcome.lanes[1].span), (3.0, 3.0));
}

#[test]
fn flows_share_a_link_and_speed_up_when_one_is_done() {
    let activities = [flow(10.0, 0, &[]), flow(30.0, 0, &[])];
    let outcome = simulate(&hardware(0, &[10.0], &[&[0]]), &activities).unwrap();
    assert_eq!(times(&outcome), [(0.0, 2.0), (0.0, 4.0)]);
    assert_eq!((outcome.links[0].bytes, outcome.links[0].busy), (40.0, 4.0));
}

#[test]
fn shares_are_max_min_fair() {
    // Three flows over link 0 get 2 each. The one that also uses link 1 leaves 10 - 2 to the fourth flow.
    let activities = [flow(20.0, 0, &[]), flow(20.0, 0, &[]), flow(20.0, 1, &[]), flow(80.0, 2, &[])];
    let outcome = simulate(&hardware(0, &[6.0, 10.0], &[&[0], &[0, 1], &[1]]), &activities).unwrap();
    assert_eq!(times(&outcome), [(0.0, 10.0), (0.0, 10.0), (0.0, 10.0), (0.0, 10.0)]);
    // A route that crosses a shared bus twice consumes twice its rate.
    let outcome = simulate(&hardware(0, &[6.0], &[&[0, 0], &[0]]), &[flow(10.0, 0, &[]), flow(10.0, 1, &[])]).unwrap();
    assert_eq!(times(&outcome), [(0.0, 5.0), (0.0, 5.0)]);
    assert_eq!(outcome.links[0].bytes, 30.0);
}

#[test]
fn a_flow_that_joins_slows_others_down() {
    let activities = [flow(30.0, 0, &[]), on_lane(0, 1.0, &[]), flow(10.0, 0, &[1])];
    let outcome = simulate(&hardware(1, &[10.0], &[&[0]]), &activities).unwrap();
    assert_eq!(times(&outcome), [(0.0, 4.0), (0.0, 1.0), (1.0, 3.0)]);
}

#[test]
fn latency_does_not_occupy_the_link() {
    let mut machine = hardware(1, &[10.0], &[&[0], &[]]);
    machine.routes[0].latency = 0.5;
    machine.routes[1].latency = 0.25;
    let mut serial = [flow(10.0, 0, &[]), flow(10.0, 0, &[0]), flow(10.0, 1, &[1]), flow(0.0, 0, &[2])];
    let outcome = simulate(&machine, &serial).unwrap();
    assert_eq!(times(&outcome), [(0.0, 1.5), (1.5, 3.0), (3.0, 3.25), (3.25, 3.75)]);
    assert_eq!(outcome.links[0].busy, 2.0);
    // A lane runs flows one after another, until their last byte has arrived.
    serial.iter_mut().for_each(|flow| (flow.lane, flow.after) = (Some(0), SmallVec::new()));
    assert_eq!(times(&simulate(&machine, &serial).unwrap()), times(&outcome));
}

#[test]
fn memory_is_freed_before_it_is_allocated() {
    let change = |device, at_start, at_end| smallvec![MemoryChange { device, at_start, at_end }];
    let mut activities = [on_lane(0, 1.0, &[]), on_lane(0, 1.0, &[]), on_lane(1, 3.0, &[])];
    activities[0].memory = change(0, 10, -10);
    activities[1].memory = change(0, 12, -8);
    activities[2].memory = change(1, 0, 5);
    let mut machine = hardware(2, &[], &[]);
    machine.devices = vec![100, 0];
    let memory = simulate(&machine, &activities).unwrap().memory;
    assert_eq!(memory[0].samples, [(0.0, 110), (1.0, 112), (2.0, 104)]);
    assert_eq!((memory[0].peak, memory[0].peak_at), (112, 1.0));
    assert_eq!(memory[1].samples, [(0.0, 0), (3.0, 5)]);
}

#[test]
fn cycles_are_reported() {
    let mut activities = [on_lane(0, 1.0, &[3]), on_lane(0, 1.0, &[]), on_lane(1, 1.0, &[1]), on_lane(1, 1.0, &[])];
    for (activity, name) in activities.iter_mut().zip(["a", "b", "c", "d"]) {
        activity.name = name.into();
    }
    let fault = simulate(&hardware(2, &[], &[]), &activities).unwrap_err();
    let text = "`a` waits for `d`, `d` is queued after `c`, `c` waits for `b`, `b` is queued after `a`";
    assert_eq!(fault.describe(&activities), text);
    activities[0].after = smallvec![0];
    let fault = simulate(&hardware(2, &[], &[]), &activities).unwrap_err();
    assert_eq!(fault.describe(&activities), "`a` waits for `a`");
}

#[test]
fn invalid_input_is_rejected() {
    let machine = hardware(1, &[1.0, 0.0], &[&[0]]);
    let refused = |activity| simulate(&machine, &[activity]).unwrap_err();
    let mut invalid = on_lane(0, 1.0, &[]);
    invalid.memory = smallvec![MemoryChange { device: 2, at_start: 1, at_end: 0 }];
    assert_eq!(refused(invalid), SimulationError::UnknownReference(0));
    assert_eq!(refused(on_lane(1, 1.0, &[])), SimulationError::UnknownReference(0));
    assert_eq!(refused(on_lane(0, 1.0, &[7])), SimulationError::UnknownReference(0));
    assert_eq!(refused(flow(1.0, 1, &[])), SimulationError::UnknownReference(0));
    assert_eq!(refused(on_lane(0, f64::NAN, &[])), SimulationError::InvalidDuration(0));
    assert_eq!(refused(on_lane(0, -1.0, &[])), SimulationError::InvalidDuration(0));
    assert_eq!(refused(flow(f64::INFINITY, 0, &[])), SimulationError::InvalidDuration(0));
    assert_eq!(simulate(&hardware(0, &[0.0], &[&[0]]), &[]).unwrap_err(), SimulationError::InvalidRoute(0));
    assert_eq!(simulate(&hardware(0, &[], &[&[0]]), &[]).unwrap_err(), SimulationError::InvalidRoute(0));
}

/// Generates activities that depend on earlier ones only.
fn activities() -> impl Strategy<Value = Vec<Activity>> {
    let one = |number: u32| {
        let after = prop::collection::vec(0..number.max(1), 0..=2.min(number as usize));
        let seconds =
            (0..3usize, 0u32..20).prop_map(|(lane, s)| (Some(lane), ActivityDuration::Seconds(f64::from(s) / 4.0)));
        let flow =
            (0..5usize, 0u32..20).prop_map(|(route, b)| (None, ActivityDuration::Flow { bytes: f64::from(b), route }));
        let duration = proptest::prelude::prop_oneof![seconds, flow];
        (duration, after).prop_map(|((lane, duration), after)| Activity { duration, lane, ..on_lane(0, 0.0, &after) })
    };
    (1..40u32).prop_flat_map(move |count| (0..count).map(one).collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn dependencies_and_bandwidths_are_respected(
        activities in activities(),
        rates in Just([3.0, 7.0, 1.0]),
    ) {
        let machine = hardware(3, &rates, &[&[0], &[1], &[0, 1], &[1, 2], &[]]);
        let outcome = simulate(&machine, &activities).unwrap();
        for (time, activity) in outcome.times.iter().zip(&activities) {
            prop_assert!(activity.after.iter().all(|&b| outcome.times[b as usize].end <= time.start));
            if let ActivityDuration::Flow { bytes, route } = activity.duration {
                let least = machine.routes[route].links.iter().map(|&link| bytes / rates[link]).fold(0.0, f64::max);
                prop_assert!(time.end - time.start >= least - 1e-9);
            }
        }
        for (link, rate) in outcome.links.iter().zip(rates) {
            prop_assert!(link.bytes <= rate * link.busy + 1e-9);
        }
        prop_assert_eq!(simulate(&machine, &activities).unwrap(), outcome);
    }
}
