//! Rewrites of the autotuned variant, which is predicted to be faster than the default lowering, and the laws that
//! prove them.

use crate::compile_results::CompileResults;
use partita_equality::certificate::{Step, counts};
use partita_equality::window::WindowSearch;
use partita_ir::units::format_seconds;
use partita_passes::driver::variant::ReductionPlacement;
use partita_search::autotune::VariantChoice;
use serde::Serialize;
use std::fmt;

/// Rewrites of the autotuned variant. Prints as a few lines.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RewriteReport {
    /// Predicted seconds of a step with the default lowering.
    #[serde(rename = "usual_seconds")]
    pub default_seconds: f64,
    /// Predicted seconds of a step with the autotuned variant.
    pub seconds: f64,
    /// Placement of reductions of partial sums: the `latest` or the `earliest` of equally cheap positions, or `by
    /// laws`, which is the cheapest position that the laws allow.
    pub sums: &'static str,
    /// Results of equality saturation by pass.
    pub searches: Vec<PassRewrites>,
}

/// Result of equality saturation in one pass.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PassRewrites {
    /// Name of the pass.
    pub pass: &'static str,
    /// Number of windows searched.
    pub windows: usize,
    /// Number of windows rewritten.
    pub rewritten: usize,
    /// Number of terms created.
    pub terms: usize,
    /// Reasons why searches ended, with the number of windows.
    pub stopped: Vec<(&'static str, usize)>,
    /// Laws that prove the rewrites, with the number of applications.
    pub laws: Vec<(&'static str, usize)>,
    /// Applications of laws.
    #[serde(skip)]
    steps: Vec<Step>,
}

impl RewriteReport {
    /// Rewrites of the autotuned variant, if there is one.
    pub(crate) fn from_results(results: &CompileResults) -> Option<RewriteReport> {
        results.autotuned.map(|choice| RewriteReport::from_choice(&choice, &results.findings.searches))
    }

    /// Creates the report of an autotuning choice and the searches of its passes.
    pub(crate) fn from_choice(choice: &VariantChoice, searches: &[WindowSearch]) -> RewriteReport {
        RewriteReport {
            default_seconds: choice.default_seconds,
            seconds: choice.cost.seconds,
            sums: match choice.variant.reductions {
                ReductionPlacement::Latest => "latest",
                ReductionPlacement::Earliest => "earliest",
                ReductionPlacement::AtProducer => "by laws",
                ReductionPlacement::AtReader => "at readers",
            },
            searches: rewrites_by_pass(searches),
        }
    }

    /// Formats the report with every application of a law.
    pub fn chain(&self) -> String {
        let chains: Vec<String> = self.searches.iter().map(PassRewrites::chain).collect();
        format!("{self}{}", chains.concat())
    }
}

impl PassRewrites {
    /// Formats every application of a law, one line each.
    pub fn chain(&self) -> String {
        let line = |step: &Step| format!("  {:<20}{} = {}\n", step.law, step.from, step.to);
        let lines: Vec<String> = self.steps.iter().map(line).collect();
        if lines.is_empty() { String::new() } else { format!("\n{}\n{}", self.pass, lines.concat()) }
    }
}

/// Sums the searches by pass.
pub fn rewrites_by_pass(searches: &[WindowSearch]) -> Vec<PassRewrites> {
    let mut all: Vec<PassRewrites> = Vec::new();
    for search in searches {
        let at = all.iter().position(|known| known.pass == search.pass).unwrap_or_else(|| {
            let (stopped, laws, steps) = (Vec::new(), Vec::new(), Vec::new());
            all.push(PassRewrites { pass: search.pass, windows: 0, rewritten: 0, terms: 0, stopped, laws, steps });
            all.len() - 1
        });
        let one = &mut all[at];
        one.windows += search.windows;
        one.rewritten += search.rewrites.len();
        one.terms += search.terms;
        search.stop_reasons.iter().for_each(|(why, &windows)| add_count(&mut one.stopped, why, windows));
        for found in &search.rewrites {
            counts(&found.steps).into_iter().for_each(|(law, uses)| add_count(&mut one.laws, law, uses));
            one.steps.extend(found.steps.iter().cloned());
        }
    }
    all
}

/// Adds `more` to the counter of that name.
fn add_count(counts: &mut Vec<(&'static str, usize)>, name: &'static str, more: usize) {
    match counts.iter_mut().find(|(known, _)| *known == name) {
        Some((_, count)) => *count += more,
        None => counts.push((name, more)),
    }
}

impl fmt::Display for RewriteReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let saved = 100.0 * (1.0 - self.seconds / self.default_seconds);
        let (seconds, usual) = (format_seconds(self.seconds), format_seconds(self.default_seconds));
        writeln!(f, "rewritten: predicted step time {seconds} instead of {usual}, {saved:.1} % less")?;
        writeln!(
            f,
            "  partial sums are reduced {}",
            match self.sums {
                "by laws" => "at the cheapest position that the laws allow",
                "earliest" => "at the earliest of equally cheap positions",
                _ => "at the latest of equally cheap positions",
            }
        )?;
        self.searches.iter().try_for_each(|one| write!(f, "{one}"))
    }
}

impl fmt::Display for PassRewrites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PassRewrites { pass, windows, rewritten, terms, .. } = self;
        writeln!(f, "  {pass}: {rewritten} of {windows} windows rewritten, {terms} terms")?;
        let list = |all: &[(&str, usize)]| -> String {
            all.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
        };
        if !self.laws.is_empty() {
            writeln!(f, "    laws: {}", list(&self.laws))?;
        }
        let stopped = self.stopped.iter().map(|(why, windows)| format!("{why} ({windows})"));
        let stopped: Vec<String> = stopped.collect();
        if stopped.is_empty() { Ok(()) } else { writeln!(f, "    stopped: {}", stopped.join(", ")) }
    }
}
