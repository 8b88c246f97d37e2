//! Tables with a caption, in a container that scrolls on narrow screens.

use super::page::capitalised;
use crate::report::{Align, Table};
use maud::{Markup, html};

/// Renders a table of a report. `id` is unique on the page.
pub(super) fn data_table(id: &str, caption: &str, table: &Table) -> Markup {
    scrolling(
        id,
        html! {
            table {
                caption id={ (id) "-caption" } { (caption) }
                (head(table.head()))
                tbody {
                    @for cells in table.rows() {
                        tr {
                            @for (column, (cell, (_, align))) in cells.iter().zip(table.head()).enumerate() {
                                @if column == 0 {
                                    th scope="row" class=[class(*align)] { (cell.trim()) }
                                } @else {
                                    td class=[class(*align)] { (cell) }
                                }
                            }
                        }
                    }
                }
            }
        },
    )
}

/// Renders the head of a table. A column without a title contains quantities in the first column, else counts.
pub(super) fn head(columns: &[(String, Align)]) -> Markup {
    html! {
        thead {
            tr {
                @for (column, (title, align)) in columns.iter().enumerate() {
                    th scope="col" class=[class(*align)] {
                        @if title.is_empty() {
                            span.hidden { (if column == 0 { "Quantity" } else { "Count" }) }
                        } @else {
                            (capitalised(title))
                        }
                    }
                }
            }
        }
    }
}

/// Renders a container that scrolls horizontally, by keyboard too. It is named after the caption of its table.
pub(super) fn scrolling(id: &str, content: Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="group" aria-labelledby={ (id) "-caption" } { (content) }
    }
}

/// Returns the class of the cells of a column.
pub(super) fn class(align: Align) -> Option<&'static str> {
    match align {
        Align::Left => None,
        Align::Right => Some("n"),
    }
}
