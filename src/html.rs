//! Reports as HTML documents: one file without references to other files, readable without scripts and on paper, in
//! light and dark, by keyboard and by screen readers.
//!
//! [`PlanDetails::to_html`] formats a plan; results of searches, comparisons and sweeps have methods of the same name.
//! Documents have the tables of the reports in text, and charts, each with a table of its data. Equal inputs give equal
//! bytes: durations of compilations and searches are left out.

mod chart;
mod collectives;
mod comparison;
mod findings;
mod layout;
mod memory;
mod mesh;
mod page;
mod parameters;
mod plan;
mod prediction;
mod scatter;
mod search;
mod stages;
mod sweep;
mod table;
mod timeline;

pub use plan::{PlanDetails, PredictedPlan};
