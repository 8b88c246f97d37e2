//! Conversion of configurations with chosen layouts to plans.

use super::Detail;
use crate::buckets::{bucket_size, has_gradients};
use crate::configs::ParallelConfig;
use crate::inter_op::UnequalStages;
use crate::intra_op::{AXIS_NAMES, ChosenLayouts, SearchGraph};
use crate::problem::SearchProblem;
use partita_ir::diag::Diagnostic;
use partita_ir::mesh;
use partita_ir::plan::{Mesh, Plan};
use partita_passes::planning::presets::DEFAULT_BUCKET_SIZE;

/// Returns the plan of a configuration with layouts, with the given level of detail.
///
/// # Errors
/// Returns errors in the layouts that the constraints fix.
pub(crate) fn config_plan(
    problem: &SearchProblem<'_>,
    graph: &SearchGraph<'_>,
    config: &ParallelConfig,
    layouts: &ChosenLayouts,
    detail: Detail,
) -> Result<Plan, Vec<Diagnostic>> {
    let constraints = problem.constraints;
    let names = match &config.names[..] {
        [] => axis_names(graph, &config.axes, layouts),
        names => names.to_vec(),
    };
    let mesh = constraints.mesh_or(names.iter().cloned().zip(config.axes.iter().copied()))?;
    let axes = mesh.axes.iter().map(|axis| (axis.name.clone(), axis.size));
    let axes = mesh::DeviceMesh::new("mesh", axes);
    let map: Vec<&str> = config.order.iter().map(|&axis| names[axis].as_str()).collect();
    let fixed = constraints.fixed_layouts(graph.program(), mesh.clone())?;
    let template = constraints.plan_on(mesh, &map);
    let needs_bucket = template.bucket.is_none() && has_gradients(graph.program());
    let template = if needs_bucket { template.bucket(bucket(problem, config, &names)) } else { template };
    let plan = super::plan(&template, graph.program(), &axes, layouts, &fixed, detail)?;
    Ok(constraints.in_stages(plan, config.stages, config.micro_batches))
}

/// Returns the size of the buckets of a configuration. A target may have no other size than the default.
fn bucket(problem: &SearchProblem<'_>, config: &ParallelConfig, names: &[String]) -> String {
    if problem.target.is_some() {
        return DEFAULT_BUCKET_SIZE.to_owned();
    }
    let axes = names.iter().zip(&config.axes).filter(|(name, _)| !name.starts_with("data"));
    let parts = axes.map(|(_, &size)| u64::from(size)).product::<u64>().max(1) * config.stages as u64;
    bucket_size(problem.gradient_bytes / parts, DEFAULT_BUCKET_SIZE)
}

/// Returns the plan of stages of unequal size.
///
/// # Errors
/// Returns the errors of [`config_plan`].
pub(crate) fn unequal_plan(
    problem: &SearchProblem<'_>,
    graph: &SearchGraph<'_>,
    stages: &UnequalStages,
) -> Result<Plan, Vec<Diagnostic>> {
    let plan = config_plan(problem, graph, &stages.config, &stages.layouts, Detail::Values)?;
    let meshes = stages.meshes.iter().map(|&sizes| Mesh::new(AXIS_NAMES.into_iter().zip(sizes)));
    Ok(plan.with_meshes(meshes.collect::<Result<_, _>>()?)?)
}

/// Returns names of mesh axes by use: `data` for axes that shard the batch, otherwise `model`. Further axes with the
/// same use are numbered from 2.
fn axis_names(graph: &SearchGraph<'_>, axes: &[u32], layouts: &ChosenLayouts) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for at in 0..axes.len() {
        let base = if graph.splits_examples(layouts, at) { "data" } else { "model" };
        let count = names.iter().filter(|name| name.starts_with(base)).count();
        names.push(if count == 0 { base.to_string() } else { format!("{base}{}", count + 1) });
    }
    names
}
