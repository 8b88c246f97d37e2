//! Relations between compositions, compared with their simulated steps, and changes of decisions.

#![allow(clippy::unwrap_used, reason = "a test")]

use super::{AxisRole, Composition, ContextAttention, DecisionChange, Space, TensorPreset, seeds};
use crate::buckets::gradient_bytes;
use crate::evaluate::Evaluator;
use crate::limits::Effort;
use crate::plan_step::with_recompute;
use crate::problem::{Constraints, SearchProblem, SpaceLimits, Step};
use partita_cost::roofline::Efficiencies;
use partita_ir::plan::Plan;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use std::collections::BTreeSet;

/// Relative error of estimated memory and time.
const TOLERANCE: f64 = 0.01;

/// All related pairs among the starting points of a space and the neighbours of some of them.
#[test]
fn related_compositions_are_ordered_as_simulated() {
    let model = "zoo:gpt?layers=6&width=512&heads=8&seq=256&batch=32&vocab=4096";
    let (program, machine) = (partita_models::program(model).unwrap(), Machine::named("dgx-a100?nodes=2").unwrap());
    let constraints = Constraints::from_plan(&Plan::default().train("adam"), &program, &[]).unwrap();
    let (prices, limits) = (Prices::new(&machine), SpaceLimits::default());
    let problem = SearchProblem {
        program: &program,
        constraints: &constraints,
        prices: &prices,
        memory: u64::MAX,
        effort: &Effort::default(),
        space: &limits,
        target: None,
        efficiencies: &Efficiencies::default(),
        gradient_bytes: gradient_bytes(&program),
    };
    let step = Step::build(&program, &constraints, 1).unwrap();
    let space = Space::new(&constraints, &limits, &step, 16, 8).unwrap().with_layers_of(&program);
    let starts = seeds(&space);
    let mut all = starts.clone();
    all.extend(starts.iter().step_by(7).flat_map(|seed| space.neighbours(seed)));
    all.sort();
    all.dedup();
    let mut evaluator = Evaluator::new(problem, None);
    let plans = all.iter().map(|one| (plan(one, &constraints, &space), one.recompute()));
    evaluator.simulate_ahead(plans.clone().collect());
    let costs: Vec<Option<(f64, u64)>> = plans.map(|(plan, recompute)| evaluator.evaluate(plan, recompute)).collect();
    let known = || all.iter().zip(&costs).filter_map(|(one, cost)| Some((one, (*cost)?)));
    let (mut smaller, mut faster) = (0, 0);
    for (one, (seconds, peak)) in known() {
        assert!(space.least_bytes(one) <= peak, "{one}: {peak} bytes");
        for (other, (other_seconds, other_peak)) in known().filter(|(other, _)| *other != one) {
            if one.needs_memory_of(other) {
                smaller += 1;
                assert!(peak as f64 >= (1.0 - TOLERANCE) * other_peak as f64, "{one}: {peak}\n{other}: {other_peak}");
            }
            if one.takes_time_of(other) {
                faster += 1;
                assert!(seconds >= (1.0 - TOLERANCE) * other_seconds, "{one}: {seconds}\n{other}: {other_seconds}");
            }
        }
    }
    assert!(smaller > 100 && faster > 20, "{smaller} and {faster} related pairs");
}

/// Devices move by prime factors, which can be exchanged, and products overlap with collectives of sequence shards
/// only.
#[test]
fn neighbours_are_useful_and_near() {
    let program = partita_models::program("zoo:gpt?layers=18&width=768&heads=12&batch=36").unwrap();
    let constraints = Constraints::from_plan(&Plan::default().train("adam"), &program, &[]).unwrap();
    let step = Step::build(&program, &constraints, 1).unwrap();
    let space = Space::new(&constraints, &SpaceLimits::default(), &step, 24, 8).unwrap();
    let pipeline = seeds(&space).into_iter().find(|one| one.stages == 4 && one.size(AxisRole::Data) == 6).unwrap();
    let moved: BTreeSet<(usize, u32)> = (space.neighbours(&pipeline).iter())
        .filter(|one| one.stages as u32 * one.size(AxisRole::Data) == 24)
        .map(|one| (one.stages, one.size(AxisRole::Data)))
        .collect();
    assert_eq!(moved, BTreeSet::from([(2, 12), (4, 6), (6, 4), (8, 3), (12, 2)]));
    let mut sequence = Composition { tensor: TensorPreset::MegatronSequence, stages: 1, overlap: 1, ..pipeline };
    sequence.sizes = [12, 1, 1, 1, 2];
    let neighbours = space.neighbours(&sequence);
    let overlaps: BTreeSet<usize> = neighbours.iter().map(|one| one.overlap).collect();
    assert_eq!(overlaps, BTreeSet::from([0, 1, 2, 3]));
    let is_useless = |one: &&Composition| {
        one.overlap > 0 && (one.size(AxisRole::Model) == 1 || one.tensor != TensorPreset::MegatronSequence)
    };
    assert_eq!(neighbours.iter().find(is_useless), None);
    for preset in [TensorPreset::Megatron, TensorPreset::Mesh] {
        assert!(neighbours.contains(&Composition { tensor: preset, overlap: 0, ..sequence.clone() }));
    }
}

fn plan(one: &Composition, constraints: &Constraints, space: &Space) -> Plan {
    with_recompute(one.to_plan(constraints, space).unwrap(), one.recompute())
}

/// The change of a decision is the same in other compositions if what it depends on is the same.
#[test]
fn changes_are_those_of_one_decision() {
    let with = |stages: usize, data: u32, model: u32, micro_batches: u64| Composition {
        stages,
        sizes: [data, 1, 1, 1, model],
        micro_batches,
        schedule: 0,
        recompute: 0,
        zero: 1,
        tensor: TensorPreset::MegatronSequence,
        attention: ContextAttention::Ring,
        overlap: 0,
    };
    let from = with(2, 8, 2, 8);
    let more_model = DecisionChange::between(&from, &with(2, 4, 4, 8));
    // Devices move from data parallelism, whose size and micro-batches follow.
    let elsewhere = Composition { zero: 3, recompute: 2, ..with(4, 16, 2, 32) };
    let moved = Composition { sizes: [8, 1, 1, 1, 4], micro_batches: 16, ..elsewhere.clone() };
    assert_eq!(more_model, DecisionChange::between(&elsewhere, &moved));
    assert_ne!(more_model, DecisionChange::between(&with(2, 4, 4, 8), &from));
    assert_ne!(more_model, DecisionChange::between(&with(2, 4, 4, 8), &with(2, 2, 8, 8)));
    // The exchange of keys and values determines the effect of more devices on the axis `context`.
    let with_attention = |attention, context: u32| {
        let from = Composition { attention, ..with(2, 8, 2, 8) };
        let to = Composition { sizes: [8 / context, 1, 1, context, 2], ..from.clone() };
        DecisionChange::between(&from, &to)
    };
    let [ring, gather] = [ContextAttention::Ring, ContextAttention::Gather].map(|one| with_attention(one, 2));
    assert_ne!(ring, gather);
    // Micro-batches fill the stages.
    let more_micro_batches = DecisionChange::between(&from, &with(2, 8, 2, 16));
    assert_eq!(more_micro_batches, DecisionChange::between(&with(2, 4, 4, 8), &with(2, 4, 4, 16)));
    assert_ne!(more_micro_batches, DecisionChange::between(&with(4, 8, 2, 8), &with(4, 8, 2, 16)));
    let overlapped = Composition { overlap: 1, ..from.clone() };
    assert_ne!(DecisionChange::between(&from, &overlapped), DecisionChange::between(&overlapped, &from));
}
