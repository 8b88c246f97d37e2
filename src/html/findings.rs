//! Findings on a plan: warnings, gathered values, repeated contractions, padded dimensions, and rewrites.

use super::page::Section;
use super::table::data_table;
use crate::report::text::{fallbacks_table, padded_table, repeated_table};
use crate::report::{Report, RewriteReport, WarningRow};
use maud::html;

/// Renders the findings of a report. `None` if there are none.
pub(super) fn section(report: &Report) -> Option<Section> {
    let (fallbacks, repeated, padded) = (&report.fallbacks, &report.repeated, &report.padded);
    let is_empty = fallbacks.is_empty() && repeated.is_empty() && padded.is_empty();
    let fallback_rows = fallbacks_table(fallbacks, &report.model);
    let repeated_rows = repeated_table(repeated, report.totals.model_flops, &report.model, usize::MAX);
    let padded_rows = padded_table(padded);
    let body = html! {
        @if !fallbacks.is_empty() {
            (data_table("fallbacks", "Gathered, because the operation cannot be partitioned there", &fallback_rows))
        }
        @if !repeated.is_empty() {
            (data_table("repeated", "Computed in full by every device of an axis", &repeated_rows))
        }
        @if !padded.is_empty() {
            (data_table("padded", "Padded, because the axes do not divide the dimension", &padded_rows))
        }
    };
    (!is_empty).then(|| Section::new("findings", "Findings", body))
}

/// Renders warnings. `None` if there are none.
pub(super) fn warnings(warnings: &[WarningRow]) -> Option<Section> {
    let body = || {
        html! {
            ul.warnings {
                @for warning in warnings {
                    li {
                        code { (warning.code) } ": " (warning.message)
                        @for help in &warning.help {
                            br; span.note { "help: " (help) }
                        }
                    }
                }
            }
        }
    };
    (!warnings.is_empty()).then(|| Section::new("warnings", "Warnings", body()))
}

/// Renders the rewrites of an autotuned variant. `None` without one.
pub(super) fn rewrites(rewriting: Option<&RewriteReport>) -> Option<Section> {
    let body = |rewriting: &RewriteReport| html! { pre.file { (rewriting.to_string().trim_end()) } };
    rewriting.map(|rewriting| Section::new("rewrites", "Rewrites", body(rewriting)))
}
