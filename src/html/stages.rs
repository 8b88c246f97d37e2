//! Pipeline stages and their schedule.

use super::page::{Section, capitalised};
use super::table::data_table;
use super::timeline::figure;
use crate::report::Report;
use crate::report::text::{phases_table, plural};
use maud::html;

/// Renders the stages of a pipeline and, without a predicted step, its schedule in units of forward passes.
pub(super) fn section(report: &Report, is_predicted: bool) -> Option<Section> {
    let schedule = report.schedule.as_ref()?;
    let stages = plural(report.stages.len(), "stage");
    let body = html! {
        p { (stages) " on " (plural(report.devices, "device")) ", " (schedule.summary) "." }
        (data_table("stages", "One device of each stage", &report.stages_table()))
        p.note {
            "Stored: activations of one micro-batch for its backward pass. "
            "In flight: micro-batches of a chunk whose activations are stored at a time."
        }
        @if !is_predicted {
            (figure("schedule", "Schedule", &schedule.timeline, false))
            p.note {
                "Bubble " (format!("{:.1} %", 100.0 * schedule.bubble))
                ", if gradients take twice as long as the forward pass, and transfers no time."
            }
        }
    };
    Some(Section::new("pipeline", "Stages", body))
}

/// Renders the phases of a training step.
pub(super) fn phases(report: &Report) -> Option<Section> {
    let inferred = if report.phases_inferred { ", inferred from its outputs" } else { "" };
    let caption = format!("{}{inferred}", capitalised(report.phases_title()));
    let body = || data_table("phase-table", &caption, &phases_table(&report.phases));
    (!report.phases.is_empty()).then(|| Section::new("phases", "Phases", body()))
}
