//! Lower bounds of the time of pipeline stages that wait for each other.

use crate::intra_op::LayerSeconds;

/// Least seconds of a layer of the model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct LayerTimes {
    /// Forward pass of a micro-batch.
    pub(super) forward: f64,
    /// Gradients of the activations of a micro-batch.
    backward: f64,
    /// Gradients of the parameters of a micro-batch.
    weights: f64,
    /// Update.
    update: f64,
}

impl LayerTimes {
    /// Returns the times with `count` micro-batches.
    pub(super) fn new(seconds: &LayerSeconds, count: f64) -> LayerTimes {
        let LayerSeconds { forward, backward, weights, update } = seconds;
        LayerTimes {
            forward: forward.each(count),
            backward: backward.each(count),
            weights: weights.each(count),
            update: update.each(1.0),
        }
    }

    /// Returns the seconds of a step with `count` micro-batches.
    pub(super) fn step(&self, count: f64) -> f64 {
        count * self.passes() + self.update
    }

    /// Returns the seconds of the forward and the backward pass of a micro-batch.
    pub(super) fn passes(&self) -> f64 {
        self.spine() + self.weights
    }

    /// Returns the seconds of the forward pass and of the gradients of the activations of a micro-batch.
    pub(super) fn spine(&self) -> f64 {
        self.forward + self.backward
    }
}

/// Number of bisections of the least time.
const BISECTIONS: usize = 40;

/// Returns a lower bound of the time of a pipeline whose stages have contiguous layers, with `count` micro-batches and
/// transfers between stages that take at least `hop` seconds.
///
/// A time is sufficient if all layers are placed by adding them to the first stage, then to the second one, and so on,
/// as long as each stage ends in time: more layers in earlier stages leave fewer layers, and at least as much time for
/// them.
pub(super) fn least_seconds(layers: &[LayerTimes], stages: usize, count: f64, hop: f64) -> f64 {
    let all: f64 = layers.iter().map(|layer| layer.step(count)).sum();
    let path = layers.iter().map(LayerTimes::spine).sum::<f64>() + 2.0 * (stages - 1) as f64 * hop;
    let (mut low, mut high) = (path.max(all / stages as f64), all + path);
    if can_end(layers, stages, count, hop, path, low) {
        return low;
    }
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if can_end(layers, stages, count, hop, path, middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

/// Returns true if the stages may end within `seconds`.
fn can_end(layers: &[LayerTimes], stages: usize, count: f64, hop: f64, path: f64, seconds: f64) -> bool {
    let mut left = layers.iter().peekable();
    // Seconds until the forward pass of a micro-batch reaches a stage, and from the end of its gradients to the end of
    // the step.
    let (mut before, mut after) = (0.0, 0.0);
    for _ in 0..stages {
        let [mut step, mut spine, mut last, mut forward, mut backward] = [0.0; 5];
        while let Some(layer) = left.peek() {
            let busy = step + layer.step(count);
            let passing = spine + count * layer.spine();
            let ending = last + layer.weights + layer.update;
            // The stage is busy after the forward passes of the previous stages; the previous stages finish after it;
            // and its last gradients and its update follow the path of the last micro-batch.
            if before + busy > seconds || before + passing + after > seconds || path - after + ending > seconds {
                break;
            }
            (step, spine, last) = (busy, passing, ending);
            forward += layer.forward;
            backward += layer.backward;
            left.next();
        }
        before += forward + hop;
        after += backward + hop;
    }
    left.peek().is_none()
}

/// Returns a lower bound of the time of a pipeline with stages of two sizes, of which `large_stages` are large, given
/// the times of the layers on both. Transfers on the path of a micro-batch take `hops` seconds.
///
/// A micro-batch passes through all layers, and is faster on the large stages, whose layers must fit into the time of
/// these stages. The layers that save most time for theirs are on them first (fractional knapsack).
pub(super) fn least_seconds_of_two_sizes(
    (small, large): (&[LayerTimes], &[LayerTimes]),
    large_stages: usize,
    count: f64,
    hops: f64,
) -> f64 {
    let path: f64 = small.iter().map(LayerTimes::spine).sum();
    let layers = small.iter().zip(large);
    let mut savings: Vec<(f64, f64)> =
        layers.map(|(small, large)| ((small.spine() - large.spine()).max(0.0), large.step(count))).collect();
    savings.retain(|&(saved, _)| saved > 0.0);
    savings.sort_by(|a, b| (b.0 / b.1).total_cmp(&(a.0 / a.1)));
    let least_path = |seconds: f64| {
        let (mut path, mut left) = (path + hops, large_stages as f64 * seconds);
        for &(saved, busy) in &savings {
            let part = if busy > left { left / busy } else { 1.0 };
            path -= saved * part;
            left -= busy * part;
        }
        path
    };
    let (mut low, mut high) = (0.0, path + hops);
    for _ in 0..BISECTIONS {
        let middle = f64::midpoint(low, high);
        if least_path(middle) <= middle { high = middle } else { low = middle }
    }
    low
}

/// Returns a lower bound of the time of a pipeline whose stages have any layers. A micro-batch passes through all
/// layers in `path` seconds.
///
/// The gradients of a micro-batch reach a layer before those of earlier layers, the gradients of their parameters and
/// their updates are computed. The stages share this work, but each layer is on one stage.
pub(super) fn least_seconds_in_any_order(layers: &[LayerTimes], stages: usize, path: f64) -> f64 {
    let (mut least, mut backward, mut rest) = (path, 0.0, 0.0);
    for layer in layers {
        backward += layer.backward;
        let last = layer.backward + layer.weights + layer.update;
        rest += last;
        least = least.max(path - backward + last.max(rest / stages as f64));
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time of every assignment of few layers to a small and a large stage is not below the bound.
    #[test]
    fn stages_of_two_sizes_are_not_faster() {
        let layer = |n: f64| LayerTimes { forward: n, backward: 1.5 * n, weights: 0.5 * n, update: 0.1 };
        let small: Vec<LayerTimes> = [4.0, 2.0, 6.0, 1.0].map(layer).to_vec();
        // Layers differ in what they save.
        let large: Vec<LayerTimes> = [2.0, 1.9, 3.0, 0.9].map(layer).to_vec();
        let (count, hops) = (2.0, 0.5);
        let time = |assignment: u32| {
            let is_large = |at: usize| assignment >> at & 1 == 1;
            let times = |at: usize| if is_large(at) { &large[at] } else { &small[at] };
            let busy =
                |on: bool| -> f64 { (0..4).filter(|&at| is_large(at) == on).map(|at| times(at).step(count)).sum() };
            let path: f64 = (0..4).map(|at| times(at).spine()).sum();
            (path + hops).max(busy(true)).max(busy(false))
        };
        let least = (0..16).map(time).fold(f64::INFINITY, f64::min);
        let bound = least_seconds_of_two_sizes((&small, &large), 1, count, hops);
        let on_large: f64 = large.iter().map(LayerTimes::spine).sum();
        assert!(bound <= least && bound > on_large + hops, "{bound} {least}");
    }

    /// The bound of all partitions of few layers into two stages, written out.
    #[test]
    fn the_best_partition_is_found() {
        let layer = |n: u32| {
            let n = f64::from(n);
            LayerTimes { forward: n, backward: 1.5 * n, weights: 0.5 * n, update: 1.0 + n }
        };
        let layers: Vec<LayerTimes> = [1, 4, 2, 2, 5, 1].into_iter().map(layer).collect();
        let (count, hop) = (3.0, 0.25);
        let sum = |layers: &[LayerTimes], of: &dyn Fn(&LayerTimes) -> f64| layers.iter().map(of).sum::<f64>();
        let path = sum(&layers, &LayerTimes::spine) + 2.0 * hop;
        let end = |cut: usize| {
            let (first, second) = layers.split_at(cut);
            let busy = |of: &[LayerTimes]| sum(of, &|l| count * (l.spine() + l.weights) + l.update);
            let last = |of: &[LayerTimes]| sum(of, &|l| l.weights + l.update);
            let (before, after) = (sum(first, &|l| l.forward) + hop, sum(first, &|l| l.backward) + hop);
            let passing = sum(second, &|l| count * l.spine());
            [
                busy(first),
                before + busy(second),
                before + passing + after,
                path + last(first),
                path - after + last(second),
            ]
            .into_iter()
            .fold(path, f64::max)
        };
        let least = (0..=layers.len()).map(end).fold(f64::INFINITY, f64::min);
        let found = least_seconds(&layers, 2, count, hop);
        assert!((least - found).abs() < 1e-6, "{least} {found}");
    }
}
