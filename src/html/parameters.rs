//! Parameters and inputs with their layouts. Equal layers are one row, which lists its members and explains the layout.

use super::layout::picture;
use super::page::Section;
use super::table::{class, head, scrolling};
use crate::partition::Partition;
use crate::report::groups::{ParamGroup, param_groups};
use crate::report::text::list;
use crate::report::{Align, ParamRow, format_bytes};
use maud::{Markup, html};

/// Maximum number of names that are listed for a row.
const MAX_LISTED_NAMES: usize = 1000;

/// Renders the parameters of a partition.
pub(super) fn section(partition: &Partition, rows: &[ParamRow]) -> Section {
    let is_staged = rows.iter().any(|row| !row.stages.is_empty());
    let groups = param_groups(rows, true);
    let body = html! {
        p.note {
            "One row for parameters of equal layers. The filled part of a picture is the shard of one device. "
            "Bytes are those of all tensors of a row on one device."
        }
        (scrolling("parameters", html! {
            table data-tools {
                caption id="parameters-caption" { "Parameters and inputs" }
                (head(&columns(is_staged)))
                @for group in &groups {
                    (group_rows(partition, group, is_staged))
                }
            }
        }))
    };
    Section::new("layouts", "Parameters", body)
}

fn columns(is_staged: bool) -> Vec<(String, Align)> {
    use Align::{Left, Right};
    let columns = [
        ("parameter or input", Left),
        ("tensors", Right),
        ("stage", Left),
        ("type", Left),
        ("layout", Left),
        ("per device", Left),
        ("bytes", Right),
    ];
    let columns = columns.into_iter().filter(|(title, _)| is_staged || *title != "stage");
    columns.map(|(title, align)| (title.to_owned(), align)).collect()
}

fn group_rows(partition: &Partition, group: &ParamGroup<'_>, is_staged: bool) -> Markup {
    let Some(first) = group.members.first() else { return Markup::default() };
    let bytes = group.local_bytes();
    html! {
        tbody {
            tr {
                th scope="row" {
                    span.code { (group.title) }
                    @if first.frozen { " (frozen)" }
                }
                td.n { (group.members.len()) }
                @if is_staged {
                    td { (list(&first.stages)) }
                }
                @if group.is_family {
                    td.code { (first.dtype) }
                    td { (group.sharded()) " of them sharded" }
                    td {}
                } @else {
                    td.code { (first.type_text()) }
                    td { (picture(&first.shape, &first.local_shape)) span.code { (first.layout_text()) } }
                    td.code { (format!("{:?}", first.local_shape)) }
                }
                td class=[class(Align::Right)] data-value=(bytes) { (format_bytes(bytes)) }
            }
            tr.more {
                td colspan=(if is_staged { 7 } else { 6 }) {
                    details {
                        summary { (if group.members.len() > 1 { "Tensors and reason" } else { "Reason" }) }
                        (names(group))
                        @if let Ok(reason) = partition.explain(&first.name) {
                            pre { (reason.trim_end()) }
                        }
                    }
                }
            }
        }
    }
}

/// Renders the names of the members of a group, with their layouts if these may differ.
fn names(group: &ParamGroup<'_>) -> Markup {
    let hidden = group.members.len().saturating_sub(MAX_LISTED_NAMES);
    html! {
        @if group.members.len() > 1 {
            ul.names.code {
                @for param in group.members.iter().take(MAX_LISTED_NAMES) {
                    li {
                        (param.name)
                        @if group.is_family { ": " (param.layout_text()) }
                    }
                }
            }
        }
        @if hidden > 0 {
            p { "and " (hidden) " more, which " code { "partita plan --all" } " lists" }
        }
    }
}
