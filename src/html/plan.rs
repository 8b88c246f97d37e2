//! A plan applied to a model, with the predicted step if there is a machine.

use super::page::{Section, capitalised, figures, page};
use super::{collectives, findings, memory, mesh, parameters, prediction, stages};
use crate::error::Result;
use crate::partition::Partition;
use crate::report::Report;
use crate::report::text::plural;
use crate::simulate::Simulation;
use maud::html;
use partita_cost::roofline::Efficiencies;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_machine::Machine;

/// A plan for an HTML document.
#[derive(Clone, Copy)]
pub struct PlanDetails<'a> {
    /// The model with the plan applied.
    pub partition: &'a Partition,
    /// Report on the partition, with the name of the model.
    pub report: &'a Report,
    /// Predicted step of the partition on a machine.
    pub simulation: Option<&'a Simulation>,
}

/// A plan with its predicted step.
pub struct PredictedPlan {
    partition: Partition,
    report: Report,
    simulation: Simulation,
}

impl PredictedPlan {
    /// Applies a plan to a program and predicts its step. Budgets are ignored: a search also finds plans that exceed
    /// them if it is stopped early.
    ///
    /// # Errors
    /// Errors in the plan, and `H002` for a machine with too few devices.
    pub fn new(
        model: &str,
        program: &Program,
        plan: &Plan,
        (machine, efficiencies): (&Machine, &Efficiencies),
    ) -> Result<PredictedPlan> {
        let plan = Plan { budget: None, ..plan.clone() };
        let (partition, simulation) = Simulation::from_plan(program, &plan, machine, efficiencies)?;
        let mut report = partition.report_on(machine)?;
        model.clone_into(&mut report.model);
        Ok(PredictedPlan { partition, report, simulation: simulation.with_model_name(model) })
    }

    /// Returns the plan for a document.
    pub fn details(&self) -> PlanDetails<'_> {
        PlanDetails { partition: &self.partition, report: &self.report, simulation: Some(&self.simulation) }
    }
}

impl PlanDetails<'_> {
    /// Formats the plan as an HTML document without references to other files: predicted step, mesh, layouts with
    /// their reasons, collectives with their causes, memory over time, stages and schedule.
    pub fn to_html(&self) -> String {
        let report = self.report;
        let lead = match self.simulation {
            Some(simulation) => capitalised(&simulation.placement()),
            None => format!("{} on {}", plural(report.ops, "op"), plural(report.devices, "device")),
        };
        let devices = if report.stages.len() > 1 { "Maximum over devices, per run." } else { "One device, per run." };
        let totals = Section::new(
            "summary",
            "Summary",
            html! {
                (figures(&report.figures()))
                p.note { (devices) }
            },
        );
        let sections: Vec<Section> = [totals].into_iter().chain(self.sections()).collect();
        page(&format!("Plan for {}", report.model), &lead, &sections)
    }

    /// Renders the sections of the plan.
    pub(super) fn sections(&self) -> Vec<Section> {
        let PlanDetails { partition, report, simulation } = *self;
        let warnings = simulation.map_or(&report.warnings[..], Simulation::warnings);
        let rewriting = report.rewriting.as_ref().or_else(|| simulation?.rewriting());
        let mut sections: Vec<Section> = findings::warnings(warnings).into_iter().collect();
        sections.extend(simulation.map(prediction::sections).unwrap_or_default());
        sections.extend(mesh::section(partition));
        sections.push(parameters::section(partition, &report.params));
        sections.push(collectives::section(report, &partition.explain_collectives()));
        sections.push(memory::section(partition, report));
        sections.extend(stages::section(report, simulation.is_some()));
        sections.extend(stages::phases(report));
        sections.extend(findings::section(report));
        sections.extend(findings::rewrites(rewriting));
        let file = html! {
            p.note { "The plan as applied, with expanded presets, for " code { "partita plan --plan FILE" } "." }
            details {
                summary { "Plan file" }
                pre.file tabindex="0" { (partition.plan().to_toml()) }
            }
        };
        sections.push(Section::new("file", "Plan file", file));
        sections
    }
}
