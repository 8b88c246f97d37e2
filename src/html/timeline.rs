//! Timelines of stages and micro-batches.

use maud::{Markup, PreEscaped, html};
use partita_machine::timeline::{Category, Timeline};

/// Maximum number of tracks that are drawn.
const MAX_TRACKS: usize = 48;

/// Renders a timeline without its counters. Without `has_scale`, its times have no unit.
pub(super) fn figure(id: &str, caption: &str, timeline: &Timeline, has_scale: bool) -> Markup {
    let hidden = timeline.tracks.len().saturating_sub(MAX_TRACKS);
    let tracks = timeline.tracks[..timeline.tracks.len() - hidden].to_vec();
    let spans = timeline.spans.iter().filter(|span| span.track < tracks.len()).cloned().collect();
    let shown = Timeline { title: caption.into(), tracks, spans, counters: Vec::new() };
    let description = description(&shown);
    html! {
        figure {
            figcaption { (caption) }
            div.scroll tabindex="0" role="group" aria-label={ "Chart: " (caption) } {
                (PreEscaped(shown.to_svg_element(id, &description, has_scale)))
            }
        }
        @if hidden > 0 {
            p.note { (hidden) " tracks are not drawn; " code { "partita simulate --trace FILE" } " has all of them." }
        }
    }
}

/// Describes the categories and the number of tracks.
fn description(timeline: &Timeline) -> String {
    let occurs = |category: &Category| timeline.spans.iter().any(|span| span.category == *category);
    let categories: Vec<&str> = Category::ALL.iter().filter(|one| occurs(one)).map(|one| one.name()).collect();
    format!(
        "{} tracks over time, with {}. Numbers are those of micro-batches.",
        timeline.tracks.len(),
        categories.join(", ")
    )
}
