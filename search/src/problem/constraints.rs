//! Constraints: the decisions of the user's plan, as the stages of a search need them.

use super::FixedLayouts;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::train::Train;
use partita_ir::plan::{Entry, Mesh, Plan, Written, text};
use partita_ir::program::Program;
use std::fmt;

/// Decisions that every plan of a search keeps to.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// The plan that all found plans extend: the user's plan with fixed layouts, and with the mesh that the program
    /// came with if the user names none.
    template: Plan,
    /// Paths, each with an axis that splits the matched values along whichever dimension is best.
    split_along: Vec<Entry>,
    /// Names and sizes of the mesh axes, if the mesh is decided.
    pub(crate) mesh: Option<Vec<(String, u32)>>,
    /// Axes that layouts name, if the mesh is not decided.
    pub(crate) axis_names: Vec<String>,
    /// Order of the mesh axes on the machine, from the one across nodes to the one within, if decided.
    pub(crate) map: Option<Vec<String>>,
    /// Stages of the pipeline, if decided.
    pub(crate) stages: Option<usize>,
    /// Micro-batches of a pipeline, if decided.
    pub(crate) micro_batches: Option<u64>,
    /// Replicas of the pipeline.
    pub(crate) replicas: usize,
    /// True if the plan decides how many micro-batches gradients are accumulated over.
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
    /// Constraints of the user's plan, with layouts to keep to.
    ///
    /// # Errors
    /// Errors in the plan, and `G001` or `L007` for what a search cannot keep to.
    pub fn of(plan: &Plan, program: &Program, fix: &[Entry]) -> Result<Constraints, Diagnostic> {
        let (split_along, fixed): (Vec<&Entry>, Vec<&Entry>) = fix.iter().partition(|entry| names_axis(entry));
        let split_along: Vec<Entry> = split_along.into_iter().cloned().collect();
        let mut template = Plan { mesh: mesh_of(plan, program)?, ..plan.clone() };
        template.shards.extend(fixed.into_iter().cloned());
        if let Some(mesh) = template.stage_meshes.first() {
            let title = "a search does not keep to meshes that differ from stage to stage";
            return Err(Diagnostic::new(Code::G001, title)
                .at(mesh.place.span(), "is decided")
                .help("give one mesh, or none"));
        }
        if program.meshes.len() > 1 {
            let title =
                format!("`{}` came with {} meshes, and a search keeps to one", program.source, program.meshes.len());
            return Err(Diagnostic::new(Code::G001, title).help("take the model without annotations"));
        }
        let mesh = template.mesh.as_ref();
        let mesh = mesh.map(|mesh| mesh.axes.iter().map(|axis| (axis.name.to_string(), axis.size)).collect());
        let axis_names = if mesh.is_none() { axis_names(&template, &split_along)? } else { Vec::new() };
        if axis_names.len() > 2 {
            let title = format!("layouts name {} axes, and no mesh says what these are", axis_names.len());
            let axes = axis_names.iter().map(|name| format!("{name}=2")).collect::<Vec<_>>().join(",");
            return Err(Diagnostic::new(Code::L007, title).help(format!("give the mesh: `--mesh {axes}`")));
        }
        let map: Vec<String> = template.mapped()?.iter().map(ToString::to_string).collect();
        // Keys of a pipeline are read as for a single stage where the number of stages is open.
        let is_open = template.pipeline.is_none() && template.said_of_stages().is_some();
        let staged = if is_open { template.clone().pipeline("1") } else { template.clone() };
        let pipeline = staged.pipelined()?;
        let train = template.train.as_ref().map(Train::read).transpose()?;
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

    /// Returns whether the plan decides the schedule of tasks.
    pub(crate) fn fixes_schedule(&self) -> bool {
        self.template.schedule.is_some()
    }

    /// Returns whether the plan decides the number of micro-batches of a pipeline.
    pub(crate) fn fixes_micro_batches(&self) -> bool {
        self.template.micro_batches.is_some()
    }

    /// Returns whether the plan decides anything that stages on unequal meshes would have to keep to.
    pub(crate) fn fixes_stages(&self) -> bool {
        let Plan { mesh, map, shards, stores, rules, .. } = &self.template;
        let names_axes = !shards.is_empty() || !stores.is_empty() || !rules.is_empty() || !self.split_along.is_empty();
        mesh.is_some() || map.is_some() || self.template.said_of_stages().is_some() || names_axes
    }

    /// Levels of recomputation in the order in which they are tried, for a configuration with or without recomputation.
    pub(crate) fn recompute_levels(&self, recompute: bool) -> &'static [&'static str] {
        match (self.template.remat.is_empty() && self.template.train.is_some(), recompute) {
            (false, _) => &["none"],
            (true, true) => &["selective", "full"],
            (true, false) => &["none", "selective", "full"],
        }
    }

    /// Layouts that the plan fixes for a step on a mesh.
    ///
    /// # Errors
    /// Errors in the plan's layouts.
    pub(crate) fn fixed_layouts(&self, step: &Program, mesh: Mesh) -> Result<FixedLayouts, Vec<Diagnostic>> {
        let plan = Plan { mesh: Some(mesh), ..self.template.clone() };
        FixedLayouts::of(step, &plan, &self.split_along)
    }

    /// The decided mesh, or one with these axes.
    ///
    /// # Errors
    /// `L007` for a mesh that is none.
    pub(crate) fn mesh_or(&self, axes: impl IntoIterator<Item = (String, u32)>) -> Result<Mesh, Diagnostic> {
        match &self.template.mesh {
            Some(mesh) => Ok(mesh.clone()),
            None => Mesh::new(axes),
        }
    }

    /// The plan by which the training step is made, in so many micro-batches.
    pub(crate) fn step_plan(&self, micro_batches: u64) -> Plan {
        with_micro_batches(self.template.clone().on_one_mesh(), micro_batches)
    }

    /// The plan on one mesh, whose axes lie on the machine in the order of `map` if that is not decided.
    pub(crate) fn plan_on(&self, mesh: Mesh, map: &[&str]) -> Plan {
        let plan = Plan { mesh: Some(mesh), ..self.template.clone().on_one_mesh() };
        if plan.map.is_none() { plan.map(map.join(", ")) } else { plan }
    }

    /// A plan on one mesh in so many stages and micro-batches, as far as these are not decided.
    pub(crate) fn in_stages(&self, plan: Plan, stages: usize, micro_batches: u64) -> Plan {
        if stages == 1 && self.template.said_of_stages().is_none() {
            return with_micro_batches(plan, micro_batches);
        }
        let plan = plan.with_stages_of(&self.template);
        let plan = if plan.pipeline.is_none() { plan.pipeline(stages.to_string()) } else { plan };
        if plan.micro_batches.is_none() { plan.micro_batches(micro_batches.to_string()) } else { plan }
    }

    /// A plan of the search without recomputation, except for what the user decided.
    pub(crate) fn without_recompute(&self, plan: &Plan) -> Plan {
        Plan { remat: self.template.remat.clone(), ..plan.clone() }
    }
}

/// Returns whether an entry fixes an axis alone, not a layout.
fn names_axis(entry: &Entry) -> bool {
    let text = entry.text.text.trim();
    text != "whole" && text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The mesh of the plan, or the one that the program came with: layouts on that are kept as if the plan had them.
fn mesh_of(plan: &Plan, program: &Program) -> Result<Option<Mesh>, Diagnostic> {
    let Some((_, own)) = program.needed_mesh().filter(|_| plan.mesh.is_none()) else { return Ok(plan.mesh.clone()) };
    let mut mesh = Mesh::new(own.axes.iter().map(|axis| (axis.name.clone(), axis.size)))?;
    mesh.devices = (!own.devices.iter().copied().eq(0..own.devices.len() as u32)).then(|| own.devices.clone());
    Ok(Some(mesh))
}

/// Axes that layouts name, in the order of their first use.
fn axis_names(plan: &Plan, split_along: &[Entry]) -> Result<Vec<String>, Diagnostic> {
    let mut names: Vec<String> = split_along.iter().map(|entry| entry.text.text.trim().to_owned()).collect();
    for entry in plan.shards.iter().chain(&plan.stores) {
        let layout = text::layout(&entry.text)?;
        let axes = layout.dims.iter().flatten().flat_map(|dim| &dim.axes).chain(&layout.replicated);
        names.extend(axes.map(|axis| axis.name.clone()));
    }
    for rules in &plan.rules {
        names.extend(text::rules(rules)?.iter().flat_map(|rule| &rule.axes).map(|axis| axis.name.clone()));
    }
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    Ok(distinct)
}

/// A plan on one mesh whose step is computed in so many micro-batches.
fn with_micro_batches(plan: Plan, micro_batches: u64) -> Plan {
    if micro_batches == 1 {
        return plan;
    }
    match &plan.train {
        Some(Written { text, .. }) => {
            let sign = if text.contains('?') { '&' } else { '?' };
            let text = format!("{text}{sign}accumulate={micro_batches}");
            plan.train(text)
        }
        // A training step that the model came with is divided as a pipeline of a single stage.
        None => plan.pipeline("1").micro_batches(micro_batches.to_string()),
    }
}
