//! What was done otherwise than usual because a step is predicted to be faster so, with the laws by which it computes
//! the same.

use crate::made::Made;
use partita_equality::certificate::{Step, counts};
use partita_equality::window::Search;
use partita_ir::units::time;
use partita_passes::driver::variant::When;
use partita_search::autotune::Choice;
use serde::Serialize;
use std::fmt;

/// What was done otherwise. Prints as a few lines.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rewriting {
    /// Seconds that a step would take as usual, as predicted.
    pub usual_seconds: f64,
    /// Seconds that it takes, as predicted.
    pub seconds: f64,
    /// Where partial sums are reduced: in the `latest` of equally cheap places, in the `earliest`, or `by laws`.
    pub sums: &'static str,
    /// What passes looked for by equality saturation, and found.
    pub searches: Vec<Rewritten>,
}

/// What one pass did by equality saturation.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Rewritten {
    /// The pass.
    pub pass: &'static str,
    /// Windows that it looked at.
    pub windows: usize,
    /// Those that it wrote anew.
    pub rewritten: usize,
    /// Terms that were made of them.
    pub terms: usize,
    /// Why searching ended, and for how many windows.
    pub stopped: Vec<(&'static str, usize)>,
    /// Which laws make the new windows equal to the old ones, and how often they are used.
    pub laws: Vec<(&'static str, usize)>,
    /// Each use of a law.
    #[serde(skip)]
    steps: Vec<Step>,
}

impl Rewriting {
    /// Rewrites of the autotuned variant, if there is one.
    pub(crate) fn of_made(made: &Made) -> Option<Rewriting> {
        made.choice.map(|choice| Rewriting::of(&choice, &made.findings.searches))
    }

    /// What a choice came to.
    pub(crate) fn of(choice: &Choice, searches: &[Search]) -> Rewriting {
        Rewriting {
            usual_seconds: choice.before,
            seconds: choice.after,
            sums: match choice.variant.when {
                When::Latest => "latest",
                When::Earliest => "earliest",
                When::AtOnce => "by laws",
            },
            searches: rewritten(searches),
        }
    }

    /// The same with every use of a law.
    pub fn chain(&self) -> String {
        let chains: Vec<String> = self.searches.iter().map(Rewritten::chain).collect();
        format!("{self}{}", chains.concat())
    }
}

impl Rewritten {
    /// Every use of a law, a line each.
    pub fn chain(&self) -> String {
        let line = |step: &Step| format!("  {:<20}{} = {}\n", step.law, step.from, step.to);
        let lines: Vec<String> = self.steps.iter().map(line).collect();
        if lines.is_empty() { String::new() } else { format!("\n{}\n{}", self.pass, lines.concat()) }
    }
}

/// What passes did, those of equal names together.
pub fn rewritten(searches: &[Search]) -> Vec<Rewritten> {
    let mut all: Vec<Rewritten> = Vec::new();
    for search in searches {
        let at = all.iter().position(|known| known.pass == search.pass).unwrap_or_else(|| {
            let (stopped, laws, steps) = (Vec::new(), Vec::new(), Vec::new());
            all.push(Rewritten { pass: search.pass, windows: 0, rewritten: 0, terms: 0, stopped, laws, steps });
            all.len() - 1
        });
        let one = &mut all[at];
        one.windows += search.windows;
        one.rewritten += search.found.len();
        one.terms += search.terms;
        search.stopped.iter().for_each(|(why, &windows)| add(&mut one.stopped, why, windows));
        for found in &search.found {
            counts(&found.steps).into_iter().for_each(|(law, uses)| add(&mut one.laws, law, uses));
            one.steps.extend(found.steps.iter().cloned());
        }
    }
    all
}

/// Counts something by name.
fn add(counts: &mut Vec<(&'static str, usize)>, name: &'static str, more: usize) {
    match counts.iter_mut().find(|(known, _)| *known == name) {
        Some((_, count)) => *count += more,
        None => counts.push((name, more)),
    }
}

impl fmt::Display for Rewriting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let saved = 100.0 * (1.0 - self.seconds / self.usual_seconds);
        let (seconds, usual) = (time(self.seconds), time(self.usual_seconds));
        writeln!(f, "rewritten: a step is predicted to take {seconds} instead of {usual}, {saved:.1} % less")?;
        writeln!(
            f,
            "  partial sums are reduced {}",
            match self.sums {
                "by laws" => "where laws find that it is cheapest",
                "earliest" => "in the earliest of equally cheap places",
                _ => "in the latest of equally cheap places",
            }
        )?;
        self.searches.iter().try_for_each(|one| write!(f, "{one}"))
    }
}

impl fmt::Display for Rewritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rewritten { pass, windows, rewritten, terms, .. } = self;
        writeln!(f, "  {pass}: {rewritten} of {windows} windows written anew, {terms} terms")?;
        let list = |all: &[(&str, usize)]| -> String {
            all.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
        };
        if !self.laws.is_empty() {
            writeln!(f, "    by the laws {}", list(&self.laws))?;
        }
        let stopped = self.stopped.iter().map(|(why, windows)| format!("{why} ({windows})"));
        let stopped: Vec<String> = stopped.collect();
        if stopped.is_empty() { Ok(()) } else { writeln!(f, "    ended since {}", stopped.join(", ")) }
    }
}
