//! The page: title, navigation, sections, style sheet and script, without references to other files.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Style sheet of all pages.
const STYLE: &str = include_str!("style.css");

/// Script that sorts and filters tables.
const SCRIPT: &str = include_str!("script.js");

/// Security policy that permits the style sheet and the script of the page, and no access to a network.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// Section of a page.
pub(super) struct Section {
    /// Id of the heading, unique on the page.
    pub(super) id: &'static str,
    /// Heading, and text of the link in the navigation.
    pub(super) title: &'static str,
    pub(super) body: Markup,
}

impl Section {
    pub(super) fn new(id: &'static str, title: &'static str, body: Markup) -> Section {
        Section { id, title, body }
    }
}

/// Returns the text of a page.
pub(super) fn page(title: &str, lead: &str, sections: &[Section]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header {
                    h1 { (title) }
                    p.lead { (lead) }
                }
                nav aria-label="Sections" {
                    ul {
                        @for section in sections {
                            li { a href={ "#" (section.id) } { (section.title) } }
                        }
                    }
                }
                main id="main" tabindex="-1" {
                    @for section in sections {
                        section aria-labelledby=(section.id) {
                            h2 id=(section.id) { (section.title) }
                            (section.body)
                        }
                    }
                }
                footer { "Partita " (env!("CARGO_PKG_VERSION")) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

/// Renders names and values. A value without a name continues the one before it.
pub(super) fn figures(figures: &[(&'static str, String)]) -> Markup {
    html! {
        dl {
            @for (name, value) in figures {
                @if !name.is_empty() {
                    dt { (capitalised(name)) }
                }
                dd { (value) }
            }
        }
    }
}

/// Returns a text with an upper-case first letter.
pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
