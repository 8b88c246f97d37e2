//! Lower bounds of kernel seconds: of each op for each strategy, of each layer with the fastest strategy of each op,
//! and of each layer whose work is divided over devices in proportion to their rates.

use super::layers::Layers;
use super::layout_space::LayoutSpace;
use super::pricing::{CountedWork, OpWork, attributed_work};
use super::search_graph::SearchGraph;
use super::strategies::{factor_axes, strategies};
use partita_cost::roofline::Efficiencies;
use partita_cost::roofline::arithmetic::Arithmetic;
use partita_cost::roofline::kernels::Launch;
use partita_ir::arena::OpId;
use partita_ir::program::Phase;
use partita_machine::DeviceKind;
use rustc_hash::FxHashMap;

/// Lower bounds of the kernel seconds of a layer in a step.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(crate) struct LayerSeconds {
    /// Forward pass.
    pub(crate) forward: PhaseSeconds,
    /// Gradients of activations.
    pub(crate) backward: PhaseSeconds,
    /// Gradients of parameters.
    pub(crate) weights: PhaseSeconds,
    /// Update, which does not depend on the number of micro-batches.
    pub(crate) update: PhaseSeconds,
}

impl LayerSeconds {
    /// Returns the seconds if the work is divided over `count` times as many devices.
    pub(crate) fn divided_by(&self, count: usize) -> LayerSeconds {
        let divided = |phase: PhaseSeconds| PhaseSeconds { work: phase.work / count as f64, ..phase };
        let LayerSeconds { forward, backward, weights, update } = *self;
        let [forward, backward, weights, update] = [forward, backward, weights, update].map(divided);
        LayerSeconds { forward, backward, weights, update }
    }

    fn phase(&mut self, phase: Phase) -> &mut PhaseSeconds {
        match phase {
            Phase::Forward => &mut self.forward,
            Phase::BackwardInput => &mut self.backward,
            // Gradients of activations need not wait for what is recomputed for those of parameters.
            Phase::BackwardWeight | Phase::Recompute => &mut self.weights,
            Phase::Update => &mut self.update,
        }
    }

    /// Returns the seconds of a step with one micro-batch.
    pub(crate) fn step(&self) -> f64 {
        [self.forward, self.backward, self.weights, self.update].iter().map(|phase| phase.each(1.0)).sum()
    }
}

/// Kernel seconds of a phase.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(crate) struct PhaseSeconds {
    /// Arithmetic and memory traffic of all micro-batches.
    pub(crate) work: f64,
    /// Starts of the kernels of one micro-batch.
    pub(crate) launching: f64,
}

impl PhaseSeconds {
    /// Returns the seconds of one of `count` micro-batches.
    pub(crate) fn each(&self, count: f64) -> f64 {
        self.work / count + self.launching
    }
}

impl SearchGraph<'_> {
    /// Returns lower bounds of the kernel seconds of each layer on the given devices.
    pub(crate) fn ideal_seconds(
        &self,
        layers: &Layers,
        devices: &[&DeviceKind],
        efficiencies: &Efficiencies,
    ) -> Vec<LayerSeconds> {
        let bandwidth: f64 = devices.iter().map(|&kind| efficiencies.memory_rate(kind)).sum();
        let launch = devices.iter().map(|kind| kind.kernels.launch).fold(f64::INFINITY, f64::min);
        let computing = |work: &[Arithmetic]| -> f64 {
            let rate = |work: &Arithmetic| -> f64 {
                devices.iter().map(|&kind| work.least_seconds(kind, efficiencies).recip()).sum()
            };
            work.iter().map(|work| rate(work).recip()).sum()
        };
        let counted = |launch: &Launch| CountedWork::larger(computing(&launch.arithmetic), launch, bandwidth);
        let work = attributed_work(self.program, &self.groups, devices.len() as u64, &counted);
        let mut ideal = vec![LayerSeconds::default(); layers.count];
        for (node, &layer) in self.groups.nodes.iter().zip(layers.node_layers()) {
            let (Some(work), ideal) = (work.get(&node.op), &mut ideal[layer]) else { continue };
            let bytes: f64 = work.traffic.iter().map(|&(_, bytes)| bytes as f64).sum();
            let launching = node.times as f64 * f64::from(work.launches) * launch;
            let seconds = node.times as f64 * computing(&work.arithmetic).max(bytes / bandwidth);
            let phase = ideal.phase(node.phase);
            phase.work += seconds;
            phase.launching += launching;
        }
        ideal
    }
}

impl LayoutSpace<'_> {
    /// Returns a lower bound of the kernel seconds of each node in a step, for each strategy of its group.
    pub(super) fn least_kernel_seconds(&self) -> Vec<Vec<f64>> {
        let (groups, axes) = (&self.graph.groups, &self.pricing.axes);
        let work: FxHashMap<OpId, OpWork> = self.pricing.least_work();
        let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); groups.nodes.len()];
        for group in &groups.all {
            let all = strategies(group, &self.graph.model, axes);
            for &number in &group.nodes {
                let node = &groups.nodes[number];
                let has_inner = !self.graph.program.ops[node.op].kind.class().contracts();
                let of_strategy = |strategy| {
                    let Some(work) = work.get(&node.op) else { return 0.0 };
                    let factors = factor_axes(node, strategy, axes, has_inner);
                    node.times as f64 * self.pricing.least_seconds(node, work, &factors)
                };
                seconds[number] = all.iter().map(of_strategy).collect();
            }
        }
        seconds
    }

    /// Returns lower bounds of the kernel seconds of each layer over all layouts. The starts of kernels are part of the
    /// work.
    pub(crate) fn least_layer_seconds(&self, layers: &Layers) -> Vec<LayerSeconds> {
        let kernels = self.least_kernel_seconds();
        let mut least = vec![LayerSeconds::default(); layers.count];
        for ((node, &layer), seconds) in self.graph.groups.nodes.iter().zip(layers.node_layers()).zip(kernels) {
            let seconds = seconds.into_iter().fold(f64::INFINITY, f64::min);
            least[layer].phase(node.phase).work += if seconds.is_finite() { seconds } else { 0.0 };
        }
        least
    }
}
