//! Results of searches: plans, the reasons for the best one, the bound, and Pareto fronts.

use super::page::{Section, figures, page};
use super::plan::PlanDetails;
use super::scatter::{CostPoint, Scatter};
use super::table::data_table;
use crate::report::{Align, Table};
use crate::search::{ParetoFront, PlanTable, SearchOutcome};
use maud::{Markup, html};
use partita_ir::units::{format_bytes, format_seconds};
use partita_search::SimulatedPlan;

impl SearchOutcome {
    /// Formats the result as an HTML document without references to other files: plans, bound and gap, reasons, all
    /// evaluated plans as a chart, and the sections of the best plan if its details are given.
    pub fn to_html(&self, best: Option<PlanDetails<'_>>) -> String {
        let outcome = &self.outcome;
        let findings = html! {
            @for finding in self.findings() {
                p { (sentence(&finding)) }
            }
            (figures(&self.figures()))
            @if let Some(choice) = self.choice() {
                pre.file { (choice.to_string().trim_end()) }
            }
        };
        let is_best = |plan: &SimulatedPlan| {
            let others = outcome.plans.iter();
            plan.peak <= outcome.memory
                && others.filter(|other| other.peak <= plan.peak).all(|other| other.seconds >= plan.seconds)
        };
        let chart = Scatter {
            id: "evaluated",
            caption: "Evaluated plans",
            numbered: (1..).zip(outcome.plans.iter().map(cost)).collect(),
            is_on_front: outcome.plans.iter().map(is_best).collect(),
            others: outcome.candidates.iter().map(cost).collect(),
            memory: Some(outcome.memory),
            bound: outcome.bound,
        };
        let plans = html! {
            (plan_table("plans", "Plans in ascending order of step time", &self.table()))
            (chart.figure())
        };
        let mut sections = vec![Section::new("result", "Result", findings), Section::new("found", "Plans", plans)];
        sections.extend(best.iter().flat_map(PlanDetails::sections));
        let lead = format!("On {}{}", self.names.machine, self.names.target_clause());
        page(&format!("Search for {}", self.names.model), &lead, &sections)
    }

    /// Returns the names and values of the figures of the search.
    fn figures(&self) -> Vec<(&'static str, String)> {
        let outcome = &self.outcome;
        let mut figures = Vec::new();
        if let Some(best) = outcome.plans.first() {
            figures.push(("step", format_seconds(best.seconds)));
        }
        if let Some((bound, gap)) = outcome.bound.zip(outcome.gap()) {
            figures.push(("lower bound", format_seconds(bound)));
            figures.push(("gap", format!("{:.2} %", 100.0 * gap)));
        }
        figures.push(("memory limit", format_bytes(outcome.memory)));
        figures.push(("evaluated", format!("{} plans", outcome.candidates.len())));
        if outcome.is_interrupted {
            figures.push(("stopped", "early".to_owned()));
        }
        figures
    }
}

impl ParetoFront {
    /// Formats the front as an HTML document without references to other files: a chart and a table of the plans, and
    /// the sections of the fastest one if its details are given.
    pub fn to_html(&self, fastest: Option<PlanDetails<'_>>) -> String {
        let front = &self.front;
        let chart = Scatter {
            id: "front",
            caption: "Pareto front",
            numbered: (1..).zip(front.plans.iter().map(cost)).collect(),
            is_on_front: vec![true; front.plans.len()],
            others: Vec::new(),
            memory: None,
            bound: None,
        };
        let table = PlanTable { plans: &front.plans, memory: front.memory };
        let stopped = if front.is_interrupted { ", which were stopped early" } else { "" };
        let body = html! {
            p {
                "Plans that no other plan beats in time, memory and devices at once, of "
                (front.searches) " searches" (stopped) "."
            }
            (chart.figure())
            (plan_table("plans", "Plans in ascending order of step time", &table))
        };
        let mut sections = vec![Section::new("pareto", "Pareto front", body)];
        sections.extend(fastest.iter().flat_map(PlanDetails::sections));
        let lead = format!("On {}{}", self.names.machine, self.names.target_clause());
        page(&format!("Pareto front for {}", self.names.model), &lead, &sections)
    }
}

fn cost(plan: &SimulatedPlan) -> CostPoint {
    (plan.peak, plan.seconds)
}

/// Renders a table of plans, each with its number, and the differences of their layouts.
fn plan_table(id: &str, caption: &str, plans: &PlanTable<'_>) -> Markup {
    html! {
        (data_table(id, caption, &numbered(&plans.table())))
        @for note in plans.layout_notes() {
            p.note { (sentence(&note)) }
        }
    }
}

/// Returns a table with numbers, counted from 1, as an additional first column.
pub(super) fn numbered(table: &Table) -> Table {
    let head = [("plan".to_owned(), Align::Right)].into_iter().chain(table.head().iter().cloned());
    let mut with_numbers = Table::new(head);
    for (number, cells) in (1..).zip(table.rows()) {
        with_numbers.row([format!("{number}")].into_iter().chain(cells.iter().cloned()));
    }
    with_numbers
}

/// Returns a finding as a sentence.
fn sentence(text: &str) -> String {
    format!("{}.", super::page::capitalised(text))
}
