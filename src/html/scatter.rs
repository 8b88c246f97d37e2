//! Scatter charts of step time over memory, with logarithmic axes for values of different magnitude.

use super::chart::{LegendEntry, WIDTH, binary_ticks, coordinate, decimal_ticks, legend};
use crate::report::format_bytes;
use maud::{Markup, html};
use partita_ir::units::format_seconds;
use std::collections::BTreeSet;

/// Height of the plotted area in pixels.
const HEIGHT: f64 = 300.0;

/// Left end of the plotted area in pixels, with room for labels.
const LEFT: f64 = 84.0;

/// Right end of the plotted area in pixels, with room for half of a label.
const RIGHT: f64 = WIDTH - 40.0;

/// Top of the plotted area in pixels.
const TOP: f64 = 14.0;

/// Ratio of the largest and the smallest value from which an axis is logarithmic.
const MIN_LOGARITHMIC_RATIO: f64 = 20.0;

/// Diameter of the dots in the background in pixels.
const SMALL_DOT: f64 = 4.0;

/// Diameter of labelled dots in pixels.
const LARGE_DOT: f64 = 16.0;

/// Peak memory of a device in bytes, and seconds of a step.
pub(super) type CostPoint = (u64, f64);

/// A chart of plans.
pub(super) struct Scatter<'a> {
    /// Id, unique on the page.
    pub(super) id: &'a str,
    pub(super) caption: &'a str,
    /// Plans with the number of their row in the table.
    pub(super) numbered: Vec<(usize, CostPoint)>,
    /// True for each numbered plan on the Pareto front of time and memory, or of more quantities.
    pub(super) is_on_front: Vec<bool>,
    /// Plans in the background.
    pub(super) others: Vec<CostPoint>,
    /// Memory limit of a device in bytes.
    pub(super) memory: Option<u64>,
    /// Lower bound of the seconds of a step.
    pub(super) bound: Option<f64>,
}

/// Unit of an axis, which determines its ticks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AxisUnit {
    Bytes,
    Seconds,
}

/// Axis from values to pixels.
struct ScatterAxis {
    unit: AxisUnit,
    min: f64,
    max: f64,
    is_logarithmic: bool,
    from: f64,
    to: f64,
}

impl ScatterAxis {
    /// Creates an axis that contains all finite values above zero.
    fn new(unit: AxisUnit, values: impl Iterator<Item = f64>, (from, to): (f64, f64)) -> ScatterAxis {
        let values = values.filter(|value| value.is_finite() && *value > 0.0);
        let (min, max) = values.fold((f64::INFINITY, 0.0), |(min, max), value: f64| (value.min(min), value.max(max)));
        let (min, max) = if max > 0.0 { (min, max) } else { (1.0, 1.0) };
        if max / min >= MIN_LOGARITHMIC_RATIO {
            return ScatterAxis { unit, min: min / 1.2, max: max * 1.2, is_logarithmic: true, from, to };
        }
        ScatterAxis { unit, min: 0.0, max: 1.05 * max, is_logarithmic: false, from, to }
    }

    fn pixel(&self, value: f64) -> f64 {
        let share = match self.is_logarithmic {
            true => (value.max(self.min) / self.min).ln() / (self.max / self.min).ln(),
            false => value / self.max,
        };
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<f64> {
        let ticks: Vec<f64> = match (self.unit, self.is_logarithmic) {
            (AxisUnit::Bytes, false) => binary_ticks(self.max as u64).into_iter().map(|tick| tick as f64).collect(),
            (AxisUnit::Seconds, false) => decimal_ticks(self.min, self.max, 6),
            (AxisUnit::Bytes, true) => {
                let (first, last) = (self.min.log2().floor() as i32, self.max.log2().ceil() as i32);
                let step = ((last - first) / 8 + 1) as usize;
                (first..=last).step_by(step).map(|power| 2f64.powi(power)).collect()
            }
            (AxisUnit::Seconds, true) => {
                let (first, last) = (self.min.log10().floor() as i32, self.max.log10().ceil() as i32);
                (first..=last).flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * 10f64.powi(power))).collect()
            }
        };
        ticks.into_iter().filter(|tick| (self.min..=self.max).contains(tick)).collect()
    }
}

impl Scatter<'_> {
    /// Renders the chart.
    pub(super) fn figure(&self) -> Markup {
        let points = || self.numbered.iter().map(|(_, point)| point).chain(&self.others);
        let x = ScatterAxis::new(AxisUnit::Bytes, points().map(|point| point.0 as f64), (LEFT, RIGHT));
        let bottom = TOP + HEIGHT;
        let y = ScatterAxis::new(AxisUnit::Seconds, points().map(|point| point.1).chain(self.bound), (bottom, TOP));
        let id = self.id;
        html! {
            figure {
                figcaption { (self.caption) }
                div.scroll tabindex="0" role="group" aria-label={ "Chart: " (self.caption) } {
                    svg.chart viewBox={ "0 0 " (WIDTH) " " (bottom + 40.0) } role="img"
                        aria-labelledby={ (id) "-title " (id) "-description" } {
                        title id={ (id) "-title" } { (self.caption) }
                        desc id={ (id) "-description" } {
                            "Seconds of a step over peak memory of a device. Numbers are those of the table."
                        }
                        (grid(&x, &y))
                        (dots(&self.others, (&x, &y)))
                        path.front d=(self.front((&x, &y))) {}
                        @if let Some(memory) = self.memory.filter(|&memory| (memory as f64) < x.max) {
                            path.limit d={ "M" (coordinate(x.pixel(memory as f64))) " " (TOP) "V" (bottom) } {}
                        }
                        @if let Some(bound) = self.bound {
                            path.limit d={ "M" (LEFT) " " (coordinate(y.pixel(bound))) "H" (RIGHT) } {}
                        }
                        (self.labels((&x, &y)))
                    }
                }
                (legend(&self.entries()))
            }
        }
    }

    fn entries(&self) -> Vec<LegendEntry> {
        let mut entries = vec![("c1", "plan of the table, by its number".to_owned())];
        if !self.others.is_empty() {
            entries.push(("c7", format!("{} other evaluated plans", self.others.len())));
        }
        if let Some(memory) = self.memory {
            entries.push(("c2", format!("memory limit {}", format_bytes(memory))));
        }
        if let Some(bound) = self.bound {
            entries.push(("c2", format!("lower bound {}", format_seconds(bound))));
        }
        entries
    }

    /// Returns the path along the Pareto front: steps between its plans in ascending order of memory.
    fn front(&self, (x, y): (&ScatterAxis, &ScatterAxis)) -> String {
        let on_front = self.numbered.iter().zip(&self.is_on_front).filter(|(_, is_on_front)| **is_on_front);
        let mut points: Vec<CostPoint> = on_front.map(|((_, point), _)| *point).collect();
        points.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        // Plans that are on the front because of other quantities are above the line.
        let mut fastest = f64::INFINITY;
        points.retain(|point| {
            let is_faster = point.1 < fastest;
            fastest = fastest.min(point.1);
            is_faster
        });
        let steps = points.iter().enumerate().map(|(number, &(memory, seconds))| {
            let (at, height) = (coordinate(x.pixel(memory as f64)), coordinate(y.pixel(seconds)));
            if number == 0 { format!("M{at} {height}") } else { format!("H{at}V{height}") }
        });
        steps.collect()
    }

    /// Draws the numbered plans. Of plans at the same position, the first one has its number.
    fn labels(&self, (x, y): (&ScatterAxis, &ScatterAxis)) -> Markup {
        let mut seen = BTreeSet::new();
        let places = self.numbered.iter();
        let places =
            places.map(|&(number, (memory, seconds))| (number, coordinate(x.pixel(memory as f64)), y.pixel(seconds)));
        let places: Vec<(usize, String, f64)> =
            places.filter(|(_, x, y)| seen.insert((x.clone(), coordinate(*y)))).collect();
        html! {
            @for (number, x, y) in places.iter().rev() {
                circle.c1.layer cx=(x) cy=(coordinate(*y)) r=(LARGE_DOT / 2.0) {}
                text.on-mark x=(x) y=(coordinate(y + 4.0)) { (number) }
            }
        }
    }
}

/// Draws points without labels, as one path. Points at the same position are drawn once.
fn dots(points: &[CostPoint], (x, y): (&ScatterAxis, &ScatterAxis)) -> Markup {
    let places: BTreeSet<(String, String)> = points
        .iter()
        .map(|&(memory, seconds)| (coordinate(x.pixel(memory as f64)), coordinate(y.pixel(seconds))))
        .collect();
    let path: String = places.iter().map(|(x, y)| format!("M{x} {y}h0")).collect();
    html! {
        @if !path.is_empty() {
            path.dots stroke="var(--c7)" stroke-width=(SMALL_DOT) d=(path) {}
        }
    }
}

fn grid(x: &ScatterAxis, y: &ScatterAxis) -> Markup {
    let bottom = TOP + HEIGHT;
    html! {
        @for tick in x.ticks() {
            path.grid d={ "M" (coordinate(x.pixel(tick))) " " (TOP) "V" (bottom) } {}
            text.axis.middle x=(coordinate(x.pixel(tick))) y=(bottom + 16.0) { (format_bytes(tick as u64)) }
        }
        @for tick in y.ticks() {
            path.grid d={ "M" (LEFT) " " (coordinate(y.pixel(tick))) "H" (RIGHT) } {}
            text.axis.end x=(LEFT - 8.0) y=(coordinate(y.pixel(tick) + 4.0)) { (seconds_text(tick)) }
        }
        text.axis.end x=(RIGHT) y=(bottom + 34.0) { "peak memory of a device" }
        text.axis x=(4) y=(TOP - 4.0) { "step" }
    }
}

fn seconds_text(seconds: f64) -> String {
    if seconds == 0.0 { "0".to_owned() } else { format_seconds(seconds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_contain_all_values() {
        let linear = ScatterAxis::new(AxisUnit::Seconds, [2.0, 4.0].into_iter(), (0.0, 100.0));
        assert!(!linear.is_logarithmic && linear.pixel(0.0) == 0.0 && (95.0..100.0).contains(&linear.pixel(4.0)));
        let logarithmic = ScatterAxis::new(AxisUnit::Seconds, [1.0, 10.0, 1000.0].into_iter(), (0.0, 100.0));
        assert!(logarithmic.is_logarithmic && logarithmic.pixel(1.0) > 0.0 && logarithmic.pixel(1000.0) < 100.0);
        assert!((logarithmic.pixel(10.0) - logarithmic.pixel(1.0) - 100.0 * 10f64.ln() / 1440f64.ln()).abs() < 1e-9);
        assert_eq!(logarithmic.ticks().first(), Some(&1.0));
        let bytes = ScatterAxis { unit: AxisUnit::Bytes, ..logarithmic };
        assert_eq!(bytes.ticks(), [2.0, 8.0, 32.0, 128.0, 512.0]);
        let empty = ScatterAxis::new(AxisUnit::Seconds, [f64::NAN, 0.0].into_iter(), (0.0, 100.0));
        assert!(empty.pixel(0.5).is_finite() && !empty.ticks().is_empty());
    }

    #[test]
    fn the_front_descends() {
        let scatter = Scatter {
            id: "s",
            caption: "",
            numbered: vec![(1, (30, 1.0)), (2, (10, 4.0)), (5, (20, 5.0))],
            is_on_front: vec![true, true, true],
            others: Vec::new(),
            memory: None,
            bound: None,
        };
        let axis =
            |to| ScatterAxis { unit: AxisUnit::Seconds, min: 0.0, max: 100.0, is_logarithmic: false, from: 0.0, to };
        assert_eq!(scatter.front((&axis(100.0), &axis(1000.0))), "M10 40H30V10");
    }
}
