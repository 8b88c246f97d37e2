//! Constraints: the decisions of the user's plan, in the form used by the stages of a search.

use super::FixedLayouts;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::train::TrainConfig;
use partita_ir::plan::{Mesh, Plan, PlanEntry, SourceText, stated_layouts, text};
use partita_ir::program::Program;
use std::fmt;

/// Levels of recomputation, from fast to small.
pub static RECOMPUTE_LEVELS: [&str; 6] =
    ["none", "selective", "cheapest?share=25%", "cheapest?share=50%", "cheapest?share=75%", "full"];

/// Decisions that every plan of a search must satisfy.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// The plan that all found plans extend: the user's plan with fixed layouts, and with the mesh of the program if
    /// the user specifies none.
    template: Plan,
    /// Paths, each with an axis that shards the matched values along the best dimension.
    split_along: Vec<PlanEntry>,
    /// Names and sizes of the mesh axes, if the mesh is specified.
    pub(crate) mesh: Option<Vec<(String, u32)>>,
    /// Axes that layouts refer to, if the mesh is not specified.
    pub(crate) axis_names: Vec<String>,
    /// Order of the mesh axes on the machine from major (across nodes) to minor (within a node), if specified.
    pub(crate) map: Option<Vec<String>>,
    /// Number of pipeline stages, if specified.
    pub(crate) stages: Option<usize>,
    /// Number of pipeline micro-batches, if specified.
    pub(crate) micro_batches: Option<u64>,
    /// Number of pipeline replicas.
    pub(crate) replicas: usize,
    /// True if the plan specifies the number of micro-batches for gradient accumulation.
    pub(crate) accumulates: bool,
}

impl fmt::Display for Constraints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = |axes: &[(String, u32)]| -> Vec<String> {
            axes.iter().map(|(name, size)| format!("{name}={size}")).collect()
        };
        let decided = [
            self.mesh.as_ref().map(|mesh| format!("mesh: {}", axes(mesh).join(","))),
            self.stages.map(|stages| format!("stages: {stages}")),
            self.micro_batches.map(|count| format!("micro-batches: {count}")),
            Some(self.replicas).filter(|&count| count > 1).map(|count| format!("replicas: {count}")),
            self.map.as_ref().map(|axes| format!("map: {}", axes.join(","))),
            Some(self.split_along.len()).filter(|&count| count > 0).map(|count| format!("split values: {count}")),
        ];
        let decided: Vec<String> = decided.into_iter().flatten().collect();
        f.write_str(if decided.is_empty() { "unconstrained" } else { "" })?;
        f.write_str(&decided.join(", "))
    }
}

impl Constraints {
    /// Derives the constraints from the user's plan and additional fixed layouts.
    ///
    /// # Errors
    /// Returns errors in the plan, and `G001` or `L007` for decisions that a search does not support.
    pub fn from_plan(plan: &Plan, program: &Program, fix: &[PlanEntry]) -> Result<Constraints, Diagnostic> {
        let (split_along, fixed): (Vec<&PlanEntry>, Vec<&PlanEntry>) = fix.iter().partition(|entry| names_axis(entry));
        let split_along: Vec<PlanEntry> = split_along.into_iter().cloned().collect();
        let mut template = Plan { mesh: mesh_of(plan, program)?, ..plan.clone() };
        template.shards.extend(fixed.into_iter().cloned());
        if let Some(mesh) = template.stage_meshes.first() {
            let title = "a search does not support meshes that differ between stages";
            return Err(Diagnostic::new(Code::G001, title)
                .label(mesh.place.span(), "is decided")
                .help("specify one mesh, or none"));
        }
        if program.meshes.len() > 1 {
            let title = format!(
                "`{}` contains {} meshes, but a search supports only one",
                program.source,
                program.meshes.len()
            );
            return Err(Diagnostic::new(Code::G001, title).help("remove the annotations from the model"));
        }
        let mesh = template.mesh.as_ref();
        let mesh = mesh.map(|mesh| mesh.axes.iter().map(|axis| (axis.name.to_string(), axis.size)).collect());
        let axis_names = if mesh.is_none() { axis_names(&template, program, &split_along)? } else { Vec::new() };
        if axis_names.len() > 2 {
            let title = format!("layouts refer to {} axes, but no mesh is specified", axis_names.len());
            let axes = axis_names.iter().map(|name| format!("{name}=2")).collect::<Vec<_>>().join(",");
            return Err(Diagnostic::new(Code::L007, title).help(format!("specify the mesh: `--mesh {axes}`")));
        }
        let map: Vec<String> = template.mesh_axis_order()?.iter().map(ToString::to_string).collect();
        // Pipeline options are read as for a single stage if the number of stages is not specified.
        let is_open = template.pipeline.is_none() && template.first_pipeline_setting().is_some();
        let staged = if is_open { template.clone().pipeline("1") } else { template.clone() };
        let pipeline = staged.pipeline_config()?;
        let train = template.train.as_ref().map(TrainConfig::parse).transpose()?;
        template.bucket_bytes()?;
        Ok(Constraints {
            mesh,
            axis_names,
            map: (!map.is_empty()).then_some(map),
            stages: pipeline.as_ref().filter(|_| template.pipeline.is_some()).map(|pipeline| pipeline.cuts.count()),
            micro_batches: pipeline.as_ref().and_then(|pipeline| pipeline.micro_batches),
            replicas: pipeline.as_ref().map_or(1, |pipeline| pipeline.replicas),
            accumulates: train.is_some_and(|train| train.accumulate > 1),
            template,
            split_along,
        })
    }

    /// Returns true if an axis must shard some values along any dimension.
    pub(crate) fn has_split_along(&self) -> bool {
        !self.split_along.is_empty()
    }

    /// Returns the paths with an axis that shards the matched values along any dimension.
    pub(crate) fn split_along(&self) -> &[PlanEntry] {
        &self.split_along
    }

    /// Returns true if the plan specifies the schedule.
    pub(crate) fn fixes_schedule(&self) -> bool {
        self.template.schedule.is_some()
    }

    /// Returns true if the plan specifies the number of pipeline micro-batches.
    pub(crate) fn fixes_micro_batches(&self) -> bool {
        self.template.micro_batches.is_some()
    }

    /// Returns true if the plan contains decisions that stages with unequal meshes would have to satisfy.
    pub(crate) fn fixes_stages(&self) -> bool {
        let Plan { mesh, map, shards, stores, rules, presets, .. } = &self.template;
        let has_layouts = !shards.is_empty() || !stores.is_empty() || !rules.is_empty() || !presets.is_empty();
        let names_axes = has_layouts || !self.split_along.is_empty();
        mesh.is_some() || map.is_some() || self.template.first_pipeline_setting().is_some() || names_axes
    }

    /// Returns the recomputation levels in the order in which they are tried, for a configuration with or without
    /// recomputation.
    pub(crate) fn recompute_levels(&self, recompute: bool) -> &'static [&'static str] {
        match (self.template.remat.is_empty() && self.template.train.is_some(), recompute) {
            (false, _) => &["none"],
            (true, true) => &RECOMPUTE_LEVELS[1..],
            (true, false) => &RECOMPUTE_LEVELS,
        }
    }

    /// Returns the layouts that the plan fixes for a step on a mesh.
    ///
    /// # Errors
    /// Returns errors in the plan's layouts.
    pub(crate) fn fixed_layouts(&self, step: &Program, mesh: Mesh) -> Result<FixedLayouts, Vec<Diagnostic>> {
        let plan = Plan { mesh: Some(mesh), ..self.template.clone() };
        FixedLayouts::from_plan(step, &plan, &self.split_along)
    }

    /// Returns the specified mesh, or a mesh with the given axes.
    ///
    /// # Errors
    /// Returns `L007` for an invalid mesh.
    pub(crate) fn mesh_or(&self, axes: impl IntoIterator<Item = (String, u32)>) -> Result<Mesh, Diagnostic> {
        match &self.template.mesh {
            Some(mesh) => Ok(mesh.clone()),
            None => Mesh::new(axes),
        }
    }

    /// Returns the plan that builds the training step with the given number of micro-batches.
    pub(crate) fn step_plan(&self, micro_batches: u64) -> Plan {
        with_micro_batches(self.template.clone().without_pipeline(), micro_batches)
    }

    /// Returns the plan that all found plans extend.
    pub(crate) fn template(&self) -> &Plan {
        &self.template
    }

    /// Returns the user's plan on one mesh, without stages.
    pub(crate) fn with_mesh(&self, mesh: Mesh) -> Plan {
        Plan { mesh: Some(mesh), ..self.template.clone().without_pipeline() }
    }

    /// Returns the plan on one mesh. Several axes have the order `map` on the machine if the plan specifies none.
    pub(crate) fn plan_on(&self, mesh: Mesh, map: &[&str]) -> Plan {
        let plan = self.with_mesh(mesh);
        if plan.map.is_none() && map.len() > 1 { plan.map(map.join(", ")) } else { plan }
    }

    /// Returns a plan on one mesh with the given numbers of stages and micro-batches, unless the user specifies them.
    pub(crate) fn in_stages(&self, plan: Plan, stages: usize, micro_batches: u64) -> Plan {
        if stages == 1 && self.template.first_pipeline_setting().is_none() {
            return with_micro_batches(plan, micro_batches);
        }
        let plan = plan.with_pipeline_of(&self.template);
        let plan = if plan.pipeline.is_none() { plan.pipeline(stages.to_string()) } else { plan };
        if plan.micro_batches.is_none() { plan.micro_batches(micro_batches.to_string()) } else { plan }
    }

    /// Returns a plan without recomputation, except for that specified by the user.
    pub(crate) fn without_recompute(&self, plan: &Plan) -> Plan {
        Plan { remat: self.template.remat.clone(), ..plan.clone() }
    }
}

/// Returns true if an entry specifies an axis instead of a layout.
fn names_axis(entry: &PlanEntry) -> bool {
    let text = entry.text.text.trim();
    text != "whole" && text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Returns the mesh of the plan, or that of the program. Layouts on the program's mesh are treated as if the plan
/// specified them.
fn mesh_of(plan: &Plan, program: &Program) -> Result<Option<Mesh>, Diagnostic> {
    let Some((_, own)) = program.needed_mesh().filter(|_| plan.mesh.is_none()) else { return Ok(plan.mesh.clone()) };
    let mut mesh = Mesh::new(own.axes.iter().map(|axis| (axis.name.clone(), axis.size)))?;
    mesh.devices = (!own.devices.iter().copied().eq(0..own.devices.len() as u32)).then(|| own.devices.clone());
    Ok(Some(mesh))
}

/// Returns the axes that layouts of the plan and of the model refer to, in the order of their first use.
fn axis_names(plan: &Plan, program: &Program, split_along: &[PlanEntry]) -> Result<Vec<String>, Diagnostic> {
    let mut names: Vec<String> = split_along.iter().map(|entry| entry.text.text.trim().to_owned()).collect();
    let stated = stated_layouts(program).into_iter().map(|(_, written)| &**written);
    for written in plan.shards.iter().chain(&plan.stores).map(|entry| &entry.text).chain(stated) {
        names.extend(text::parse_layout(written)?.axis_names().map(str::to_owned));
    }
    for rules in &plan.rules {
        names.extend(text::parse_rules(rules)?.iter().flat_map(|rule| &rule.axes).map(|axis| axis.name.clone()));
    }
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    Ok(distinct)
}

/// Returns a plan on one mesh whose step is divided into micro-batches.
fn with_micro_batches(plan: Plan, micro_batches: u64) -> Plan {
    if micro_batches == 1 {
        return plan;
    }
    match &plan.train {
        Some(SourceText { text, .. }) => {
            let sign = if text.contains('?') { '&' } else { '?' };
            let text = format!("{text}{sign}accumulate={micro_batches}");
            plan.train(text)
        }
        // A training step that is part of the model is divided as a pipeline with a single stage.
        None => plan.pipeline("1").micro_batches(micro_batches.to_string()),
    }
}
