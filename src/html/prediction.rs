//! Predicted step on a machine: time and its parts, stages, links, timeline.

use super::chart::{COLOURS, WIDTH, coordinate, legend};
use super::page::{Section, figures};
use super::table::data_table;
use super::timeline;
use crate::simulate::{Simulation, StepBreakdown};
use maud::{Markup, html};

/// Height of the bar of a breakdown in pixels.
const BAR_HEIGHT: f64 = 26.0;

/// Renders a predicted step.
pub(super) fn sections(simulation: &Simulation) -> Vec<Section> {
    let step = html! {
        (figures(&simulation.figures()))
        (breakdown("breakdown", "Parts of the step", simulation.breakdown()))
        (data_table("predicted-stages", "Use of the stages", &simulation.stages_table()))
        @if !simulation.prediction().links.is_empty() {
            (data_table("links", "Links between stages", &simulation.links_table(usize::MAX)))
        }
    };
    let timeline = html! {
        p.note { "The first device of each stage." }
        (timeline::figure("predicted-timeline", "Predicted timeline", &simulation.stage_timeline(), true))
    };
    vec![Section::new("step", "Predicted step", step), Section::new("timeline", "Timeline", timeline)]
}

/// Renders the activities of a step as a bar and as a table.
pub(super) fn breakdown(id: &str, caption: &str, breakdown: &StepBreakdown) -> Markup {
    let activities: Vec<(String, f64)> = breakdown.activities().filter(|(_, seconds)| *seconds > 0.0).collect();
    let all: f64 = activities.iter().map(|(_, seconds)| seconds).sum();
    let mut end = 0.0;
    let segments: Vec<(f64, f64)> = activities
        .iter()
        .map(|(_, seconds)| {
            let from = end;
            end += seconds / all * WIDTH;
            (from, end - from)
        })
        .collect();
    let colour = |number: usize| COLOURS[number % COLOURS.len()];
    let entries: Vec<_> = activities.iter().enumerate().map(|(n, (name, _))| (colour(n), name.clone())).collect();
    html! {
        @if all > 0.0 {
            figure {
                figcaption { (caption) }
                div.scroll tabindex="0" role="group" aria-label={ "Chart: " (caption) } {
                    svg.chart viewBox={ "0 0 " (WIDTH) " " (BAR_HEIGHT) } role="img" aria-labelledby={ (id) "-title" } {
                        title id={ (id) "-title" } { (caption) ": the table below has the same figures" }
                        @for (number, (from, width)) in segments.iter().enumerate() {
                            rect class={ "layer " (colour(number)) }
                                x=(coordinate(*from)) width=(coordinate(*width)) height=(BAR_HEIGHT) {}
                        }
                    }
                }
                (legend(&entries))
            }
        }
        (data_table(&format!("{id}-table"), caption, &breakdown.table()))
    }
}
