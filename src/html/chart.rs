//! Axes and legends of charts.

use maud::{Markup, html};

/// Width of a chart in pixels.
pub(super) const WIDTH: f64 = 960.0;

/// Entry of a legend: class of the colour, and text.
pub(super) type LegendEntry = (&'static str, String);

/// Classes of the colours of the palette.
pub(super) const COLOURS: [&str; 8] = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];

/// Renders a legend.
pub(super) fn legend(entries: &[LegendEntry]) -> Markup {
    html! {
        ul.legend {
            @for (class, text) in entries {
                li {
                    svg viewBox="0 0 12 12" aria-hidden="true" { rect class=(class) width="12" height="12" {} }
                    (text)
                }
            }
        }
    }
}

/// Returns multiples of a power of two from 0 up to `max`, at most six.
pub(super) fn binary_ticks(max: u64) -> Vec<u64> {
    let step = (max / 4).max(1).next_power_of_two();
    (0..=max / step).map(|tick| tick * step).collect()
}

/// Returns multiples of 1, 2 or 5 times a power of ten within `min` and `max`, at most about `count`.
pub(super) fn decimal_ticks(min: f64, max: f64, count: usize) -> Vec<f64> {
    let least = (max - min) / count as f64;
    if !least.is_finite() || least <= 0.0 {
        return vec![min];
    }
    let power = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter().find(|step| *step >= least);
    let step = step.unwrap_or(10.0 * power);
    let first = (min / step - 1e-9).ceil();
    let ticks = ((max / step + 1e-9).floor() - first) as usize;
    (0..=ticks.min(2 * count)).map(|tick| (first + tick as f64) * step).collect()
}

/// Formats a coordinate with at most one decimal place.
pub(super) fn coordinate(x: f64) -> String {
    let text = format!("{x:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        assert_eq!(binary_ticks(1000), [0, 256, 512, 768]);
        assert_eq!(binary_ticks(0), [0]);
        assert!(binary_ticks(u64::MAX).len() <= 6);
        assert_eq!(decimal_ticks(0.0, 1.0, 5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(decimal_ticks(3.0, 3.0, 5), [3.0]);
        assert!(decimal_ticks(0.0, f64::MAX, 5).len() <= 11);
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(["1", "1.5", "0.1"], [1.0, 1.49, 0.05].map(coordinate).each_ref().map(String::as_str));
    }
}
