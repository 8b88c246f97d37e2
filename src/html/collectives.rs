//! Collectives with their causes and source locations, and transfers between stages.

use super::page::Section;
use super::table::{data_table, head, scrolling};
use crate::report::groups::{CollectiveGroup, collective_groups};
use crate::report::text::{origins_text, transfers_table};
use crate::report::{Align, CollectiveRow, Report, format_bytes};
use maud::{Markup, html};
use partita_ir::units::format_seconds;

/// Maximum number of collectives that are listed for a row.
const MAX_LISTED_COLLECTIVES: usize = 500;

/// Optional columns of the table.
#[derive(Clone, Copy)]
struct OptionalColumns {
    has_stages: bool,
    has_prices: bool,
}

/// Renders the collectives of a report. `explanations` has the text of `explain` for each of them.
pub(super) fn section(report: &Report, explanations: &[String]) -> Section {
    let rows = &report.collectives;
    let optional = OptionalColumns {
        has_stages: rows.iter().any(|row| row.stage.is_some()),
        has_prices: rows.iter().any(|row| row.cheapest.is_some()),
    };
    let columns = columns(optional);
    let devices = if report.schedule.is_some() { "the devices of a stage" } else { "the devices" };
    let body = html! {
        @if rows.is_empty() {
            p { "There are none: " (devices) " never communicate." }
        } @else {
            p.note {
                "One row for collectives of equal kind, size and cause. The payload is that of one device and one run; "
                "the total is that of a step."
            }
            (scrolling("collectives", html! {
                table data-tools {
                    caption id="collectives-caption" { "Collectives" }
                    (head(&columns))
                    @for group in collective_groups(rows, true) {
                        (group_rows(&group, report, explanations, (columns.len(), optional)))
                    }
                }
            }))
        }
        @if !report.transfers.is_empty() {
            (data_table("transfers", "Sent between stages", &transfers_table(&report.transfers, true)))
        }
    };
    Section::new("communication", "Collectives", body)
}

fn columns(optional: OptionalColumns) -> Vec<(String, Align)> {
    use Align::{Left, Right};
    let columns = [
        ("collective", Left, true),
        ("stage", Left, optional.has_stages),
        ("over", Left, true),
        ("payload", Right, true),
        ("runs", Right, true),
        ("total", Right, true),
        ("cheapest algorithm", Left, optional.has_prices),
        ("time", Right, optional.has_prices),
        ("cause", Left, true),
        ("source", Left, true),
    ];
    columns
        .into_iter()
        .filter(|(_, _, is_shown)| *is_shown)
        .map(|(title, align, _)| (title.to_owned(), align))
        .collect()
}

fn group_rows(
    group: &CollectiveGroup<'_>,
    report: &Report,
    explanations: &[String],
    (columns, optional): (usize, OptionalColumns),
) -> Markup {
    let Some(&(number, first)) = group.members.first() else { return Markup::default() };
    let (runs, total) = (group.runs(), first.payload_bytes.saturating_mul(group.runs()));
    let algorithm = first.cheapest.as_ref().map_or("none", |algorithm| algorithm.name.as_str());
    let origins = origins_text(group.members.iter().map(|(_, row)| row.origin.as_str()), &report.model);
    html! {
        tbody {
            tr {
                th.code scope="row" { (first.kind) }
                @if optional.has_stages {
                    td { @if let Some(stage) = first.stage { (stage) } }
                }
                td.code { (first.axes.join("+")) }
                td.n data-value=(first.payload_bytes) { (format_bytes(first.payload_bytes)) }
                td.n { (runs) }
                td.n data-value=(total) { (format_bytes(total)) }
                @if optional.has_prices {
                    td { (algorithm) }
                    td.n data-value=(format!("{:.9}", group.seconds())) { (format_seconds(group.seconds())) }
                }
                td.code { (group.op) }
                td.code.wrap { (origins) }
            }
            tr.more {
                td colspan=(columns) {
                    details {
                        summary { "Reason and " (if group.members.len() > 1 { "list" } else { "operands" }) }
                        @if let Some(text) = explanations.get(number - 1) {
                            pre { (text.trim_end()) }
                        }
                        (members(group))
                    }
                }
            }
        }
    }
}

/// Lists the members of a group after the first one, which is explained above the list. The reason of a member is
/// repeated only if it differs from that of the first one.
fn members(group: &CollectiveGroup<'_>) -> Markup {
    let Some(((_, first), others)) = group.members.split_first() else { return Markup::default() };
    let hidden = others.len().saturating_sub(MAX_LISTED_COLLECTIVES);
    let runs = |row: &CollectiveRow| if row.count == 1 { String::new() } else { format!(", {} runs", row.count) };
    html! {
        @if !others.is_empty() {
            ul.names.code {
                @for (number, row) in others.iter().take(MAX_LISTED_COLLECTIVES) {
                    li {
                        "#" (number) " " (row.op) " " (row.origin) (runs(row))
                        @if row.reason != first.reason { ": " (row.reason) }
                    }
                }
            }
        }
        @if hidden > 0 {
            p { "and " (hidden) " more, which " code { "partita plan --all" } " lists" }
        }
    }
}
