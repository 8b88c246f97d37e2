//! The dynamic program against all ways to cut a row of layers.

use super::{Stage, StageProblem};
use crate::intra_op::{LayerCost, SubmeshCosts};
use crate::limits::SearchLimits;

/// Numbers that look random, the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// A step's seconds by the stages that it has, from the definition.
fn seconds(of: &StageProblem<'_>, stages: &[Stage]) -> f64 {
    let each: Vec<f64> = stages
        .iter()
        .map(|stage| of.submeshes[stage.submesh].layers[stage.layers.clone()].iter().map(|l| l.seconds).sum())
        .collect();
    each.iter().sum::<f64>() + (of.micro_batches - 1) as f64 * each.iter().copied().fold(0.0, f64::max)
}

/// Whether each stage has room for what it holds.
fn fits(of: &StageProblem<'_>, stages: &[Stage]) -> bool {
    stages.iter().enumerate().all(|(at, stage)| {
        let row = &of.submeshes[stage.submesh];
        let held = ((stages.len() - at) as u64).min(of.micro_batches) as f64;
        let bytes = row.layers[stage.layers.clone()].iter().map(|l| l.kept + held * l.alive).sum::<f64>();
        bytes <= row.memory + 1e-9
    })
}

/// The best of all stages that go on behind those.
fn all(of: &StageProblem<'_>, begun: &mut Vec<Stage>, best: &mut f64) {
    let (layer, device) = begun.last().map_or((0, 0), |s| (s.layers.end, s.first + of.submeshes[s.submesh].devices));
    if layer == of.layers {
        if fits(of, begun) {
            *best = best.min(seconds(of, begun));
        }
        return;
    }
    if begun.len() == of.most_stages {
        return;
    }
    for (number, row) in of.submeshes.iter().enumerate() {
        for &first in row.starts.iter().filter(|&&first| first == device && first + row.devices <= of.devices) {
            for to in layer + 1..=of.layers {
                begun.push(Stage { layers: layer..to, submesh: number, first });
                all(of, begun, best);
                begun.pop();
            }
        }
    }
}

#[test]
fn finds_what_trying_all_stages_finds() {
    let mut dice = Dice(7);
    let mut without = 0;
    for _ in 0..300 {
        let (layers, devices) = (1 + dice.roll(4) as usize, 1 + dice.roll(5) as usize);
        let row = |dice: &mut Dice| {
            let size = 1 + dice.roll(devices as u64) as usize;
            let layer = |dice: &mut Dice| LayerCost {
                seconds: (1 + dice.roll(9)) as f64 / size as f64,
                kept: dice.roll(6) as f64,
                alive: dice.roll(3) as f64,
            };
            SubmeshCosts {
                devices: size,
                starts: (0..=devices - size).filter(|_| dice.roll(5) > 0).collect(),
                memory: (8 + dice.roll(20)) as f64,
                layers: (0..layers).map(|_| layer(dice)).collect(),
            }
        };
        let rows: Vec<SubmeshCosts> = (0..1 + dice.roll(3)).map(|_| row(&mut dice)).collect();
        let of = StageProblem { submeshes: &rows, layers, devices, micro_batches: 1 + dice.roll(6), most_stages: 3 };
        let mut least = f64::INFINITY;
        all(&of, &mut Vec::new(), &mut least);
        match of.best() {
            None => {
                assert!(least.is_infinite(), "there are stages of {least} seconds in {of:?}");
                without += 1;
            }
            Some((found, stages)) => {
                assert!((found - seconds(&of, &stages)).abs() < 1e-9);
                assert!(fits(&of, &stages), "{stages:?} do not fit in {of:?}");
                assert!(
                    found <= least * (1.0 + SearchLimits::TUNED.stage_gap) + 1e-9,
                    "{found} instead of {least}: {stages:?} in {of:?}"
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
    let of = StageProblem { submeshes: &rows, layers: 9, devices: 2, micro_batches: 8, most_stages: 2 };
    let layers: Vec<usize> =
        of.best().map(|(_, stages)| stages.iter().map(|s| s.layers.len()).collect()).unwrap_or_default();
    assert_eq!(layers, [6, 3]);
}
