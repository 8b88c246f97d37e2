//! Memory of one device over a step, stacked by purpose, and the largest values at the peak.

use super::chart::{COLOURS, LegendEntry, WIDTH, binary_ticks, coordinate, legend};
use super::page::Section;
use super::table::data_table;
use crate::partition::Partition;
use crate::report::text::times;
use crate::report::{Align, LargeValueRow, Report, Table, format_bytes};
use maud::{Markup, html};
use partita_cost::memory_profile::{MemoryPoint, MemoryProfile};
use partita_cost::peak_breakdown::Purpose;
use std::fmt::Write;

/// Maximum number of stages with a chart.
const MAX_CHARTS: usize = 8;

/// Height of the plotted area in pixels.
const HEIGHT: f64 = 220.0;

/// Left end of the plotted area in pixels, with room for labels.
const LEFT: f64 = 84.0;

/// Right end of the plotted area in pixels.
const RIGHT: f64 = WIDTH - 8.0;

/// Top of the plotted area in pixels.
const TOP: f64 = 10.0;

/// Average width of a letter in pixels.
const LETTER_WIDTH: f64 = 6.2;

/// Renders the memory of a partition: the stage with the highest peak first.
pub(super) fn section(partition: &Partition, report: &Report) -> Section {
    let profiles = partition.memory_profiles();
    let mut order: Vec<usize> = (0..profiles.len()).collect();
    order.sort_by_key(|&stage| std::cmp::Reverse(profiles[stage].peak()));
    let name = |stage: usize| if profiles.len() > 1 { format!("Stage {stage}") } else { "One device".to_owned() };
    let (first, others) =
        order[..order.len().min(MAX_CHARTS)].split_first().map_or((None, &[][..]), |(a, b)| (Some(*a), b));
    let hidden = order.len().saturating_sub(MAX_CHARTS);
    let body = html! {
        p.note {
            "Tensors of one device, from the first to the last "
            (if report.schedule.is_some() { "task of a stage" } else { "kernel of a step" })
            ". One iteration represents all iterations of a loop."
        }
        @if let Some(stage) = first {
            (figure(stage, &name(stage), &profiles[stage]))
            @if !report.largest.is_empty() {
                (data_table("largest", "Largest values at the peak", &largest_table(&report.largest)))
            }
        }
        @if !others.is_empty() {
            details {
                summary { "Other stages" }
                @for &stage in others {
                    (figure(stage, &name(stage), &profiles[stage]))
                }
                @if hidden > 0 {
                    p { (hidden) " stages with less memory are not drawn." }
                }
            }
        }
    };
    Section::new("memory", "Memory", body)
}

/// Renders the chart of a device and its table.
fn figure(stage: usize, name: &str, profile: &MemoryProfile) -> Markup {
    let id = format!("memory-{stage}");
    let purposes: Vec<Purpose> = Purpose::ALL.into_iter().filter(|&purpose| occurs(profile, purpose)).collect();
    let caption = format!("Maximum of each part of the step: {}", name.to_lowercase());
    let entries: Vec<LegendEntry> =
        purposes.iter().map(|&purpose| (colour(purpose), purpose.name().to_owned())).collect();
    html! {
        figure {
            figcaption { (name) ", peak " (format_bytes(profile.peak())) }
            div.scroll tabindex="0" role="group" aria-label={ "Chart: " (name) } {
                (chart(&id, name, profile, &purposes))
            }
            (legend(&entries))
        }
        (data_table(&format!("{id}-parts"), &caption, &parts_table(profile, &purposes)))
    }
}

fn occurs(profile: &MemoryProfile, purpose: Purpose) -> bool {
    profile.points.iter().any(|point| point.bytes[purpose as usize] > 0)
}

/// Returns the class of the colour of a purpose.
const fn colour(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Weights => COLOURS[7],
        Purpose::Gradients => COLOURS[1],
        Purpose::Optimizer => COLOURS[2],
        Purpose::Activations => COLOURS[0],
        Purpose::Data => COLOURS[6],
        Purpose::Temporaries => COLOURS[4],
        Purpose::Gaps => COLOURS[5],
        Purpose::Reserved => COLOURS[3],
    }
}

/// Draws the profile as stacked areas.
fn chart(id: &str, name: &str, profile: &MemoryProfile, purposes: &[Purpose]) -> Markup {
    let peak = profile.peak().max(1);
    let bottom = TOP + HEIGHT;
    let x = |at: usize| LEFT + (RIGHT - LEFT) * at as f64 / profile.points.len().max(1) as f64;
    let y = |bytes: u64| bottom - HEIGHT * bytes as f64 / peak as f64;
    // An upper layer is drawn first, from the bottom up to its sum, and lower layers cover it.
    let layer = |number: usize| {
        let sum = |point: &MemoryPoint| {
            purposes[..=number].iter().map(|&purpose| point.bytes[purpose as usize]).fold(0, u64::saturating_add)
        };
        let mut path = format!("M{} {}", coordinate(LEFT), coordinate(bottom));
        let mut before = String::new();
        for (at, point) in profile.points.iter().enumerate() {
            let height = coordinate(y(sum(point)));
            if height != before {
                let _ = write!(path, "H{}V{height}", coordinate(x(at)));
                before = height;
            }
        }
        let _ = write!(path, "H{}V{}z", coordinate(RIGHT), coordinate(bottom));
        path
    };
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (bottom + 24.0) } role="img"
            aria-labelledby={ (id) "-title " (id) "-description" } {
            title id={ (id) "-title" } { "Memory over a step: " (name) }
            desc id={ (id) "-description" } {
                "Stacked areas of " (purposes.iter().map(|purpose| purpose.name()).collect::<Vec<_>>().join(", "))
                ", with a peak of " (format_bytes(peak)) ". The table below has the maximum of each part of the step."
            }
            @for number in (0..purposes.len()).rev() {
                path class={ "layer " (colour(purposes[number])) } d=(layer(number)) {}
            }
            @for bytes in binary_ticks(peak) {
                path.grid d={ "M" (LEFT) " " (coordinate(y(bytes))) "H" (RIGHT) } {}
                text.axis.end x=(LEFT - 8.0) y=(coordinate(y(bytes) + 4.0)) { (format_bytes(bytes)) }
            }
            @for (activity, from, to) in runs(&profile.points) {
                @if (x(to) - x(from)) > activity.len() as f64 * LETTER_WIDTH {
                    path.grid d={ "M" (coordinate(x(from))) " " (bottom) "v8" } {}
                    text.axis.middle x=(coordinate((x(from) + x(to)) / 2.0)) y=(bottom + 18.0) { (activity) }
                }
            }
        }
    }
}

/// Returns the runs of points with the same activity: activity, first point, and the point after the last one.
fn runs(points: &[MemoryPoint]) -> Vec<(&'static str, usize, usize)> {
    let mut first = 0;
    let runs = points.chunk_by(|a, b| a.activity == b.activity).map(|run| {
        let from = first;
        first += run.len();
        (run[0].activity, from, first)
    });
    runs.collect()
}

/// Returns the point with the highest total of each part of the step, in the order of the first point of each.
fn parts_table(profile: &MemoryProfile, purposes: &[Purpose]) -> Table {
    let mut largest: Vec<&MemoryPoint> = Vec::new();
    for point in &profile.points {
        match largest.iter_mut().find(|known| known.activity == point.activity) {
            Some(known) if known.total() >= point.total() => {}
            Some(known) => *known = point,
            None => largest.push(point),
        }
    }
    let titles = purposes.iter().map(|purpose| (purpose.name(), Align::Right));
    let mut table = Table::new([("part", Align::Left)].into_iter().chain(titles).chain([("total", Align::Right)]));
    for point in largest {
        let bytes = purposes.iter().map(|&purpose| format_bytes(point.bytes[purpose as usize]));
        table.row([point.activity.to_owned()].into_iter().chain(bytes).chain([format_bytes(point.total())]));
    }
    table
}

fn largest_table(rows: &[LargeValueRow]) -> Table {
    use Align::{Left, Right};
    let mut table =
        Table::new([("value", Left), ("", Right), ("per device", Left), ("purpose", Left), ("bytes", Right)]);
    for row in rows {
        let count = times(row.count);
        table.row([row.name.clone(), count, row.local_type.clone(), row.used_for.to_owned(), format_bytes(row.bytes)]);
    }
    table
}
