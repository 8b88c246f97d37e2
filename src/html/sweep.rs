//! Results of sweeps: a Pareto front for each model, and a table of all cases.

use super::page::{Section, page};
use super::scatter::{CostPoint, Scatter};
use super::search::numbered;
use super::table::data_table;
use crate::sweep::{CaseResult, SweepResults};
use indexmap::IndexMap;
use maud::{Markup, html};

impl SweepResults {
    /// Formats the results as an HTML document without references to other files: for each model a chart of time and
    /// memory with the Pareto front, and a table of all cases.
    pub fn to_html(&self) -> String {
        let mut models: IndexMap<&str, Vec<&CaseResult>> = IndexMap::new();
        for row in self.rows() {
            models.entry(&row.model).or_default().push(row);
        }
        let cases = html! {
            (data_table("cases", "Cases", &numbered(&self.table())))
            (errors(self.rows()))
        };
        let fronts = html! {
            p.note {
                "The line joins the cases that no other case of the same model beats in time and memory, "
                "on any machine."
            }
            @for (number, (model, rows)) in models.iter().enumerate() {
                (front(number, model, self.rows(), rows))
            }
        };
        let sections = [Section::new("pareto", "Pareto fronts", fronts), Section::new("results", "Cases", cases)];
        let lead = format!("{}, {} without a plan", self.finished_text(), self.failed());
        page("Sweep", &lead, &sections)
    }
}

/// Renders the cases of one model.
fn front(number: usize, model: &str, all: &[CaseResult], rows: &[&CaseResult]) -> Markup {
    let numbered: Vec<(usize, CostPoint)> = (1..)
        .zip(all)
        .filter(|(_, row)| rows.iter().any(|one| std::ptr::eq(*one, *row)))
        .filter_map(|(number, row)| Some((number, row.cost()?)))
        .collect();
    let costs: Vec<CostPoint> = numbered.iter().map(|(_, cost)| *cost).collect();
    let is_beaten = |one: &CostPoint| {
        costs.iter().any(|other| other.0 <= one.0 && other.1 <= one.1 && (other.0 < one.0 || other.1 < one.1))
    };
    let (id, is_empty) = (format!("front-{number}"), numbered.is_empty());
    let chart = Scatter {
        id: &id,
        caption: model,
        is_on_front: costs.iter().map(|one| !is_beaten(one)).collect(),
        numbered,
        others: Vec::new(),
        memory: None,
        bound: None,
    };
    html! {
        @if is_empty {
            p { "No case of " code { (model) } " has a plan." }
        } @else {
            (chart.figure())
        }
    }
}

/// Lists the errors of cases without a plan.
fn errors(rows: &[CaseResult]) -> Markup {
    html! {
        @for row in rows {
            @if let Some(error) = &row.error {
                details {
                    summary { "Why " (row.case) " has no plan" }
                    pre { (error.text.trim_end()) }
                }
            }
        }
    }
}
