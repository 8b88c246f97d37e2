//! Two plans in comparison.

use super::page::{Section, page};
use super::prediction::breakdown;
use super::table::data_table;
use super::timeline;
use crate::compare::PlanComparison;
use maud::html;

impl PlanComparison {
    /// Formats the comparison as an HTML document without references to other files: figures, differences, and the
    /// predicted step of each plan.
    pub fn to_html(&self) -> String {
        let [first, second] = &self.names;
        let verdict = html! {
            p { (self.verdict()) }
            dl {
                dt { "First" } dd { (first) }
                dt { "Second" } dd { (second) }
            }
            (data_table("figures", "Figures", &self.figures_table()))
        };
        let tables = self.difference_tables();
        let differences = html! {
            @for (number, table) in tables.iter().enumerate() {
                (data_table(&format!("differences-{number}"), DIFFERENCES[number.min(1)], table))
            }
            @if tables.is_empty() {
                p { "The plans have equal settings and layouts." }
            }
        };
        let sides = || self.names.iter().zip(&self.simulations).enumerate();
        let steps = html! {
            @for (number, (name, simulation)) in sides() {
                @let caption = format!("Parts of the step: {name}");
                (breakdown(&format!("breakdown-{number}"), &caption, simulation.breakdown()))
            }
        };
        let timelines = html! {
            @for (number, (name, simulation)) in sides() {
                @let caption = format!("Predicted timeline: {name}");
                (timeline::figure(&format!("timeline-{number}"), &caption, &simulation.stage_timeline(), true))
            }
        };
        let sections = [
            Section::new("verdict", "Verdict", verdict),
            Section::new("differences", "Differences", differences),
            Section::new("steps", "Predicted steps", steps),
            Section::new("timelines", "Timelines", timelines),
        ];
        page(&format!("Two plans for {}", self.model), &format!("On {}", self.machine), &sections)
    }
}

/// Captions of the tables of differences.
const DIFFERENCES: [&str; 2] = ["Settings that differ", "Layouts that differ"];
