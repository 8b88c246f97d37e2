//! Pricing of configurations: all of them, or for a large model those near good ones.

use super::allowance::Allowance;
use super::priced_config::{PricedConfig, price};
use super::step_graphs::StepGraphs;
use crate::configs::ParallelConfig;
use crate::limits::PricingLimits;
use crate::problem::SearchProblem;
use partita_ir::diag::Diagnostic;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Time between two checks of the deadline while configurations are priced.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Prices configurations in parallel, and returns those that fit in ascending order of their estimates. Configurations
/// that differ only in micro-batches must be consecutive. `should_continue` is called after each of them with
/// true if any configuration fits so far.
///
/// # Errors
/// Returns errors in the layouts that the constraints fix, if they prevent all prices.
pub fn solve(
    problem: &SearchProblem<'_>,
    graphs: &StepGraphs<'_>,
    configs: &[ParallelConfig],
    should_continue: &mut dyn FnMut(bool) -> bool,
) -> Result<Vec<PricedConfig>, Vec<Diagnostic>> {
    let is_large = graphs.op_count() * configs.len() > PricingLimits::TUNED.exhaustive_ops;
    let is_over = Arc::new(AtomicBool::new(false));
    let mut has_any = false;
    let mut report_batch = |batch: &Batch| {
        has_any |= !batch.priced.is_empty();
        is_over.store(!should_continue(has_any), Relaxed);
    };
    report_batch(&Batch::default());
    let pricer = Pricer { problem, graphs, is_over: &is_over };
    let batches = if is_large {
        let groups: Vec<StageGroup<'_>> =
            configs.chunk_by(|a, b| a.stages == b.stages).map(|configs| StageGroup::new(problem, configs)).collect();
        let begin = |group: &StageGroup<'_>| pricer.price_micro_batches(group.meshes[group.usual]);
        let begun = in_parallel(&groups, &is_over, begin, &mut report_batch);
        let best = begun.iter().filter_map(Batch::best).map(|best| best.0).fold(f64::INFINITY, f64::min);
        let groups: Vec<(StageGroup<'_>, Batch)> = groups.into_iter().zip(begun).collect();
        let go_on = |(group, begun): &(StageGroup<'_>, Batch)| match begun.best() {
            Some((seconds, _)) if seconds > PricingLimits::TUNED.stages_slack * best => Batch::default(),
            usual => pricer.price_other_meshes(group, usual),
        };
        let more = in_parallel(&groups, &is_over, go_on, &mut report_batch);
        groups.into_iter().map(|(_, begun)| begun).chain(more).collect()
    } else {
        let groups: Vec<&[ParallelConfig]> = configs.chunk_by(ParallelConfig::has_mesh_of).collect();
        in_parallel(&groups, &is_over, |configs| pricer.price_micro_batches(configs), &mut report_batch)
    };
    let (mut all, mut refused) = (Vec::new(), None);
    for batch in batches {
        all.extend(batch.priced);
        refused = refused.or(batch.refused);
    }
    if let Some(refused) = refused.filter(|_| all.is_empty()) {
        return Err(refused);
    }
    all.sort_by(|a: &PricedConfig, b| a.seconds().total_cmp(&b.seconds()).then_with(|| a.config.cmp(&b.config)));
    Ok(all)
}

/// Result of pricing some configurations.
#[derive(Default)]
struct Batch {
    priced: Vec<PricedConfig>,
    /// Errors in the layouts that the constraints fix.
    refused: Option<Vec<Diagnostic>>,
}

impl Batch {
    /// Returns the seconds and micro-batches of the fastest configuration.
    fn best(&self) -> Option<(f64, u64)> {
        let all = self.priced.iter().map(|one| (one.seconds(), one.config.micro_batches));
        all.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// Configurations with the same number of stages.
struct StageGroup<'a> {
    /// Configurations of each mesh, in ascending order of the size of the inner axis.
    meshes: Vec<&'a [ParallelConfig]>,
    /// Index of the mesh whose inner axis is closest to the size of a node.
    usual: usize,
}

impl<'a> StageGroup<'a> {
    fn new(problem: &SearchProblem<'_>, configs: &'a [ParallelConfig]) -> StageGroup<'a> {
        let node = problem.machine().nodes.iter().map(|node| node.devices.len()).max().unwrap_or(1) as f64;
        let inner = |configs: &[ParallelConfig]| match configs[0].axes[..] {
            [_, inner] => f64::from(inner),
            _ => 1.0,
        };
        let mut meshes: Vec<&[ParallelConfig]> = configs.chunk_by(ParallelConfig::has_mesh_of).collect();
        meshes.sort_by(|a, b| inner(a).total_cmp(&inner(b)));
        let distance = |at: usize| (inner(meshes[at]) / node).ln().abs();
        let usual = (0..meshes.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        StageGroup { usual: usual.unwrap_or(0), meshes }
    }
}

/// Prices configurations until the search is over.
struct Pricer<'a> {
    problem: &'a SearchProblem<'a>,
    graphs: &'a StepGraphs<'a>,
    is_over: &'a Arc<AtomicBool>,
}

impl Pricer<'_> {
    /// Prices a configuration. Returns its seconds, infinite if nothing fits, or `None` after an error.
    fn price(&self, batch: &mut Batch, config: &ParallelConfig) -> Option<f64> {
        let graph = self.graphs.get(config.micro_batches).filter(|_| batch.refused.is_none())?;
        match price(self.problem, graph, config, Allowance::until(self.is_over)) {
            Ok(priced) => {
                let seconds = priced.as_ref().map_or(f64::INFINITY, PricedConfig::seconds);
                batch.priced.extend(priced);
                Some(seconds)
            }
            Err(refused) => {
                batch.refused = Some(refused);
                None
            }
        }
    }

    /// Prices configurations that differ only in micro-batches, in ascending order, until more micro-batches bring no
    /// improvement.
    fn price_micro_batches(&self, configs: &[ParallelConfig]) -> Batch {
        let mut batch = Batch::default();
        let mut best = f64::INFINITY;
        for config in configs {
            let Some(seconds) = self.price(&mut batch, config) else { continue };
            let recomputes = batch.priced.last().is_some_and(|priced| priced.config.recompute);
            let is_better = seconds < best;
            best = best.min(seconds);
            // Without stages, more micro-batches only save memory. With stages, they shrink the bubble until the work
            // per micro-batch becomes too small for the devices.
            let is_enough = if config.stages == 1 { !recomputes } else { !is_better };
            if seconds.is_finite() && is_enough {
                break;
            }
        }
        batch
    }

    /// Prices the meshes with shorter and longer inner axes than the usual mesh, starting from the latter, as long as
    /// their estimates are near the best one ([`PricingLimits`]). `usual` contains the best seconds and micro-batches
    /// of the usual mesh. The best number of micro-batches of one mesh is used for the next.
    fn price_other_meshes(&self, group: &StageGroup<'_>, usual: Option<(f64, u64)>) -> Batch {
        let mut batch = Batch::default();
        let (shorter, longer) = (group.meshes[..group.usual].iter().rev(), group.meshes[group.usual + 1..].iter());
        for meshes in [&mut shorter.copied() as &mut dyn Iterator<Item = &[ParallelConfig]>, &mut longer.copied()] {
            for configs in meshes {
                if self.is_over.load(Relaxed) || batch.refused.is_some() {
                    return batch;
                }
                let best = usual.into_iter().chain(batch.best()).min_by(|a, b| a.0.total_cmp(&b.0));
                let (best, micro_batches) = best.unwrap_or((f64::INFINITY, 0));
                let seconds = match configs.iter().find(|config| config.micro_batches == micro_batches) {
                    Some(config) => self.price(&mut batch, config),
                    None => {
                        let more = self.price_micro_batches(configs);
                        let seconds = more.best().map(|best| best.0);
                        batch.priced.extend(more.priced);
                        batch.refused = batch.refused.or(more.refused);
                        seconds
                    }
                };
                if best.is_finite() && seconds.unwrap_or(f64::INFINITY) > PricingLimits::TUNED.mesh_slack * best {
                    break;
                }
            }
        }
        batch
    }
}

/// Prices groups in parallel. `report_batch` receives each result when it is finished. Groups that have not started
/// when the search is over have empty results.
fn in_parallel<G: Sync>(
    groups: &[G],
    is_over: &AtomicBool,
    price: impl Fn(&G) -> Batch + Sync,
    mut report_batch: impl FnMut(&Batch),
) -> Vec<Batch> {
    let mut all: Vec<Batch> = groups.iter().map(|_| Batch::default()).collect();
    let next = AtomicUsize::new(0);
    let (send, batches) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get).min(groups.len()) {
            let (send, next, price) = (send.clone(), &next, &price);
            scope.spawn(move || {
                while !is_over.load(Relaxed) {
                    let at = next.fetch_add(1, Relaxed);
                    let Some(group) = groups.get(at) else { break };
                    // The receiver is dropped when the search is over.
                    let _ = send.send((at, price(group)));
                }
            });
        }
        drop(send);
        loop {
            match batches.recv_timeout(CHECK_INTERVAL) {
                Ok((at, batch)) => {
                    report_batch(&batch);
                    all[at] = batch;
                }
                Err(RecvTimeoutError::Timeout) => report_batch(&Batch::default()),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
    all
}
