//! Comparison of the dynamic program with an exhaustive search.

use super::{Stage, StageProblem};
use crate::intra_op::{LayerCost, SubmeshCosts};
use crate::limits::SearchLimits;

/// Deterministic pseudo-random number generator.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Returns the step time for the given stages, computed from the definition.
fn seconds(problem: &StageProblem<'_>, stages: &[Stage]) -> f64 {
    let each: Vec<f64> = stages
        .iter()
        .map(|stage| problem.submeshes[stage.submesh].layers[stage.layers.clone()].iter().map(|l| l.seconds).sum())
        .collect();
    each.iter().sum::<f64>() + (problem.micro_batches - 1) as f64 * each.iter().copied().fold(0.0, f64::max)
}

/// Returns true if the memory of each stage is sufficient.
fn fits(problem: &StageProblem<'_>, stages: &[Stage]) -> bool {
    stages.iter().enumerate().all(|(at, stage)| {
        let row = &problem.submeshes[stage.submesh];
        let held = ((stages.len() - at) as u64).min(problem.micro_batches) as f64;
        let bytes = row.layers[stage.layers.clone()]
            .iter()
            .map(|l| l.persistent_bytes + held * l.activation_bytes)
            .sum::<f64>();
        bytes <= row.memory + 1e-9
    })
}

/// Minimises the step time over all completions of `begun`.
fn minimise_over(problem: &StageProblem<'_>, begun: &mut Vec<Stage>, best: &mut f64) {
    let (layer, device) =
        begun.last().map_or((0, 0), |s| (s.layers.end, s.first + problem.submeshes[s.submesh].devices));
    if layer == problem.layers {
        if fits(problem, begun) {
            *best = best.min(seconds(problem, begun));
        }
        return;
    }
    if begun.len() == problem.max_stages {
        return;
    }
    for (number, row) in problem.submeshes.iter().enumerate() {
        for &first in row.starts.iter().filter(|&&first| first == device && first + row.devices <= problem.devices) {
            for to in layer + 1..=problem.layers {
                begun.push(Stage { layers: layer..to, submesh: number, first });
                minimise_over(problem, begun, best);
                begun.pop();
            }
        }
    }
}

#[test]
fn stages_match_exhaustive_search() {
    let mut rng = Lcg(7);
    let mut without = 0;
    for _ in 0..300 {
        let (layers, devices) = (1 + rng.below(4) as usize, 1 + rng.below(5) as usize);
        let row = |rng: &mut Lcg| {
            let size = 1 + rng.below(devices as u64) as usize;
            let layer = |rng: &mut Lcg| LayerCost {
                seconds: (1 + rng.below(9)) as f64 / size as f64,
                persistent_bytes: rng.below(6) as f64,
                activation_bytes: rng.below(3) as f64,
            };
            SubmeshCosts {
                devices: size,
                starts: (0..=devices - size).filter(|_| rng.below(5) > 0).collect(),
                memory: (8 + rng.below(20)) as f64,
                layers: (0..layers).map(|_| layer(rng)).collect(),
            }
        };
        let rows: Vec<SubmeshCosts> = (0..1 + rng.below(3)).map(|_| row(&mut rng)).collect();
        let problem =
            StageProblem { submeshes: &rows, layers, devices, micro_batches: 1 + rng.below(6), max_stages: 3 };
        let mut least = f64::INFINITY;
        minimise_over(&problem, &mut Vec::new(), &mut least);
        match problem.best() {
            None => {
                assert!(least.is_infinite(), "there are stages of {least} seconds in {problem:?}");
                without += 1;
            }
            Some((found, stages)) => {
                assert!((found - seconds(&problem, &stages)).abs() < 1e-9);
                assert!(fits(&problem, &stages), "{stages:?} do not fit in {problem:?}");
                assert!(
                    found <= least * (1.0 + SearchLimits::TUNED.stage_gap) + 1e-9,
                    "{found} instead of {least}: {stages:?} in {problem:?}"
                );
            }
        }
    }
    assert!((20..200).contains(&without), "{without} of 300 do not fit");
}

#[test]
fn slower_devices_get_fewer_layers() {
    let row = |first: usize, seconds: f64| SubmeshCosts {
        devices: 1,
        starts: vec![first],
        memory: f64::INFINITY,
        layers: vec![LayerCost { seconds, ..LayerCost::default() }; 9],
    };
    let rows = [row(0, 1.0), row(1, 2.0)];
    let problem = StageProblem { submeshes: &rows, layers: 9, devices: 2, micro_batches: 8, max_stages: 2 };
    let layers: Vec<usize> =
        problem.best().map(|(_, stages)| stages.iter().map(|s| s.layers.len()).collect()).unwrap_or_default();
    assert_eq!(layers, [6, 3]);
}
