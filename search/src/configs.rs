//! Enumeration of parallel configurations: all decisions on how to distribute a step over devices, except layouts.

use crate::buckets::has_gradients;
use crate::limits::{ConfigLimits, SearchLimits};
use crate::problem::{Constraints, mesh_shapes};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::mesh;
use partita_ir::program::{Phase, Program};
use partita_passes::training::micro_batches::max_micro_batches;
use std::fmt;

/// Parallel configuration of a step.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ParallelConfig {
    /// Number of pipeline stages; 1 without a pipeline.
    pub stages: usize,
    /// Sizes of the mesh axes of each stage.
    pub axes: Vec<u32>,
    /// Names of the mesh axes, if specified.
    pub names: Vec<String>,
    /// Mesh axes from major (across nodes) to minor (within a node).
    pub order: Vec<usize>,
    /// Number of micro-batches.
    pub micro_batches: u64,
    /// True if the backward pass recomputes activations.
    pub recompute: bool,
}

impl ParallelConfig {
    /// Returns the number of devices of each stage.
    pub fn stage_devices(&self) -> usize {
        self.axes.iter().map(|&size| size as usize).product()
    }

    /// Returns true if the step has a single stage and a single micro-batch.
    pub(crate) fn is_plain(&self) -> bool {
        self.stages == 1 && self.micro_batches == 1
    }

    /// Returns true if `other` differs only in micro-batches and recomputation.
    pub(crate) fn has_mesh_of(&self, other: &ParallelConfig) -> bool {
        (self.stages, &self.axes, &self.names, &self.order) == (other.stages, &other.axes, &other.names, &other.order)
    }

    /// Returns the names and sizes of the mesh axes. Axes without a specified name are numbered.
    pub(crate) fn named_axes(&self) -> Vec<(String, u32)> {
        let name = |at: usize| self.names.get(at).cloned().unwrap_or_else(|| format!("axis{at}"));
        self.axes.iter().enumerate().map(|(at, &size)| (name(at), size)).collect()
    }

    /// Returns the machine device of each rank of the first stage's mesh.
    pub(crate) fn devices(&self, mesh: &mesh::DeviceMesh) -> Vec<usize> {
        let device = |rank: usize| {
            let coords = mesh.coords(rank);
            self.order.iter().fold(0, |at, &axis| at * self.axes[axis] as usize + coords[axis] as usize)
        };
        (0..mesh.device_count()).map(device).collect()
    }
}

impl fmt::Display for ParallelConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = self.named_axes().into_iter().map(|(name, size)| format!("{name}={size}")).collect::<Vec<_>>();
        write!(f, "stages: {}, mesh: {}, micro-batches: {}", self.stages, axes.join(","), self.micro_batches)?;
        if self.recompute { write!(f, ", recomputing") } else { Ok(()) }
    }
}

/// Returns all configurations of a step on the given number of devices. For a small step, configurations on fewer
/// devices are included, unless the constraints specify a mesh or several stages. Configurations that differ only in
/// micro-batches are consecutive, in ascending order.
///
/// # Errors
/// Returns `H002` if the constraints need more devices.
pub fn configs(constraints: &Constraints, step: &Program, devices: usize) -> Result<Vec<ParallelConfig>, Diagnostic> {
    let mesh_size = constraints.mesh.as_ref().map(|axes| axes.iter().map(|axis| axis.1 as usize).product::<usize>());
    let required = mesh_size.unwrap_or(1) * constraints.stages.unwrap_or(1) * constraints.replicas;
    if required > devices {
        let title = format!("the plan needs {required} devices, but the search has {devices}");
        let error = Diagnostic::new(Code::H002, title).note(format!(
            "{} devices per mesh x {} stages x {} replicas",
            mesh_size.unwrap_or(1),
            constraints.stages.unwrap_or(1),
            constraints.replicas
        ));
        return Err(match step.needed_mesh() {
            Some((_, own)) if mesh_size == Some(own.device_count()) => error
                .note("the mesh is that of the model")
                .help("ignore the mesh and the layouts of a model file: `'FILE?shardings=none'`"),
            _ => error.help("use a smaller mesh, or a machine with more nodes"),
        });
    }
    let devices = devices / constraints.replicas;
    let stages = match (constraints.stages, mesh_size) {
        (Some(stages), _) => vec![stages],
        _ if constraints.accumulates => vec![1],
        (_, Some(mesh_size)) => stage_counts(step, |stages| stages * mesh_size <= devices),
        _ => stage_counts(step, |stages| devices.is_multiple_of(stages)),
    };
    // For a very short step, communication among all devices can cost more than it saves.
    let is_small = mesh_size.is_none() && stages[0] == 1 && step.ops.len() <= SearchLimits::TUNED.max_autotuned_ops;
    let fewer = (1..devices).filter(|count| is_small && devices.is_multiple_of(*count)).map(|count| (1, count));
    let mut configs = Vec::new();
    for (stages, devices) in stages.iter().map(|&stages| (stages, devices / stages)).chain(fewer) {
        for (axes, names, order) in meshes(constraints, devices) {
            let micro_batches = match constraints.micro_batches {
                Some(count) => vec![count],
                None if constraints.accumulates => vec![1],
                None => micro_batch_counts(step, stages, axes.first().copied().unwrap_or(1)),
            };
            let config = |micro_batches| ParallelConfig {
                stages,
                axes: axes.clone(),
                names: names.clone(),
                order: order.clone(),
                micro_batches,
                recompute: false,
            };
            configs.extend(micro_batches.into_iter().map(config));
        }
    }
    Ok(configs)
}

/// Returns the meshes of a stage with the given number of devices: axis sizes, axis names if specified, and the order
/// of axes on the machine.
fn meshes(constraints: &Constraints, devices: usize) -> Vec<(Vec<u32>, Vec<String>, Vec<usize>)> {
    if let Some(axes) = &constraints.mesh {
        let names: Vec<String> = axes.iter().map(|axis| axis.0.clone()).collect();
        let sizes: Vec<u32> = axes.iter().map(|axis| axis.1).collect();
        let orders = match &constraints.map {
            Some(map) => {
                let mut order: Vec<usize> = (0..names.len()).collect();
                order.sort_by_key(|&axis| map.iter().position(|name| *name == names[axis]).unwrap_or(map.len()));
                vec![order]
            }
            None => axis_orders(&sizes),
        };
        return orders.into_iter().map(|order| (sizes.clone(), names.clone(), order)).collect();
    }
    let mut all = Vec::new();
    for axes in mesh_shapes(devices) {
        let order: Vec<usize> = (0..axes.len()).collect();
        let names = match (&constraints.axis_names[..], axes.len()) {
            ([], _) => vec![Vec::new()],
            ([one], 1) => vec![vec![one.clone()]],
            ([one], 2) => {
                let other = if one == "data" { "model" } else { "data" };
                vec![vec![other.to_owned(), one.clone()], vec![one.clone(), other.to_owned()]]
            }
            ([one, other], 2) => vec![vec![one.clone(), other.clone()], vec![other.clone(), one.clone()]],
            _ => Vec::new(),
        };
        all.extend(names.into_iter().map(|names| (axes.clone(), names, order.clone())));
    }
    all
}

/// Returns the numbers of stages to consider.
fn stage_counts(step: &Program, fits: impl Fn(usize) -> bool) -> Vec<usize> {
    (1..=max_stages(step)).filter(|&stages| fits(stages)).collect()
}

/// Returns the maximum number of stages: one for each op of the forward pass, up to [`ConfigLimits::max_stages`], if
/// the step computes gradients, otherwise 1.
pub(crate) fn max_stages(step: &Program) -> usize {
    let ops = step.model_ops();
    let forward = ops.iter().filter(|at| at.op.phase == Phase::Forward).count();
    if has_gradients(step) { forward.clamp(1, ConfigLimits::TUNED.max_stages) } else { 1 }
}

/// Returns the numbers of micro-batches to consider, in ascending order. For several stages, they are large enough that
/// the pipeline bubble is small. If possible, the size of a micro-batch is a multiple of `outer_axis`, the size of the
/// first mesh axis.
fn micro_batch_counts(step: &Program, stages: usize, outer_axis: u32) -> Vec<u64> {
    let batch = max_micro_batches(step).unwrap_or(1);
    let divides = |count: &u64| batch.is_multiple_of(*count);
    if stages == 1 {
        return [1, 2, 4].into_iter().filter(divides).collect();
    }
    let stages = stages as u64;
    let max_count = (ConfigLimits::TUNED.max_micro_batches * stages).min(batch);
    let mut many: Vec<u64> = (ConfigLimits::TUNED.min_micro_batches * stages..=max_count).filter(divides).collect();
    let is_even = |count: &u64| (batch / count).is_multiple_of(u64::from(outer_axis));
    if many.iter().any(is_even) {
        many.retain(is_even);
    } else if step.ops.len() <= SearchLimits::TUNED.max_autotuned_ops
        && let Some(count) = (stages..=max_count).rev().find(|count| divides(count) && is_even(count))
    {
        many = vec![count];
    }
    // One of several counts that differ by less than a factor of 1.5 is sufficient.
    let mut counts: Vec<u64> = Vec::new();
    for count in many {
        if counts.last().is_none_or(|&last| 2 * count >= 3 * last) {
            counts.push(count);
        }
    }
    if counts.is_empty() {
        counts.extend([2 * stages, stages].into_iter().find(divides));
    }
    counts
}

/// Returns all orders of the axes of size greater than 1, starting with the given order. Axes of size 1 follow. Returns
/// only the given order for more than [`ConfigLimits::max_ordered_axes`] axes.
fn axis_orders(sizes: &[u32]) -> Vec<Vec<usize>> {
    let (splitting, single): (Vec<usize>, Vec<usize>) = (0..sizes.len()).partition(|&axis| sizes[axis] > 1);
    if splitting.len() > ConfigLimits::TUNED.max_ordered_axes {
        return vec![(0..sizes.len()).collect()];
    }
    let mut orders = vec![Vec::new()];
    for _ in &splitting {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            let left = splitting.iter().filter(|axis| !order.contains(axis));
            left.map(|&axis| order.iter().copied().chain([axis]).collect()).collect()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders.into_iter().map(|order| order.into_iter().chain(single.iter().copied()).collect()).collect()
}
