//! Plot of training metrics as SVG: losses over steps, and the accuracy below.

use super::metrics::StepMetrics;
use std::fmt::Write;

/// Width of the image.
const WIDTH_PX: f64 = 720.0;
/// Height of one panel.
const PANEL_HEIGHT_PX: f64 = 240.0;
/// Margin on the left, for the labels of the vertical axis.
const LEFT_MARGIN_PX: f64 = 64.0;
const RIGHT_MARGIN_PX: f64 = 16.0;
const TOP_MARGIN_PX: f64 = 28.0;
/// Margin below a panel, for the labels of the horizontal axis.
const BOTTOM_MARGIN_PX: f64 = 32.0;
/// Maximum number of points of a curve; longer curves are averaged.
const MAX_POINTS: usize = 1000;
/// Colour of training metrics.
const TRAINING: &str = "#2f6db3";
/// Colour of validation metrics.
const VALIDATION: &str = "#c8562b";

/// Curve of a metric over steps.
struct Curve {
    name: &'static str,
    colour: &'static str,
    /// Step and value of each point.
    points: Vec<(f64, f64)>,
}

/// Returns an SVG image of the training and validation losses, with a second panel for the accuracy, if any was
/// recorded. Values that are not finite are left out.
pub fn plot(records: &[StepMetrics]) -> String {
    let curve = |name, colour, of: &dyn Fn(&StepMetrics) -> Option<f64>| {
        let points = records.iter().filter_map(|r| Some((r.step as f64, of(r).filter(|y| y.is_finite())?)));
        Curve { name, colour, points: downsample(points.collect()) }
    };
    let losses =
        vec![curve("loss", TRAINING, &|r| Some(r.loss)), curve("validation loss", VALIDATION, &|r| r.validation_loss)];
    let accuracy = vec![curve("validation accuracy", VALIDATION, &|r| r.accuracy)];
    let panels = [losses, accuracy].map(|curves| curves.into_iter().filter(|c| !c.points.is_empty()).collect());
    let panels: Vec<Vec<Curve>> = panels.into_iter().filter(|curves: &Vec<Curve>| !curves.is_empty()).collect();
    let last = records.last().map_or(1.0, |r| r.step as f64);
    let first = records.first().map_or(0.0, |r| r.step as f64);
    let height = PANEL_HEIGHT_PX * panels.len().max(1) as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH_PX} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n\
         <rect width=\"{WIDTH_PX}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (i, curves) in panels.iter().enumerate() {
        draw_panel(&mut out, curves, PANEL_HEIGHT_PX * i as f64, (first, last.max(first + 1.0)));
    }
    out.push_str("</svg>\n");
    out
}

/// Reduces the number of points by averaging neighbours, which also smooths noise.
fn downsample(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let each = points.len().div_ceil(MAX_POINTS).max(1);
    let mean = |chunk: &[(f64, f64)]| {
        let n = chunk.len() as f64;
        let (x, y) = chunk.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
        (x / n, y / n)
    };
    points.chunks(each).map(mean).collect()
}

/// Appends a panel whose upper edge is at `top`. `steps` is the range of the horizontal axis.
fn draw_panel(out: &mut String, curves: &[Curve], top: f64, steps: (f64, f64)) {
    let values = || curves.iter().flat_map(|c| c.points.iter().map(|p| p.1));
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let grid = ticks(low, if high > low { high } else { low + 1.0 });
    let (low, high) = (grid.first().copied().unwrap_or(low).min(low), grid.last().copied().unwrap_or(high).max(high));
    let x = |step: f64| {
        LEFT_MARGIN_PX + (step - steps.0) / (steps.1 - steps.0) * (WIDTH_PX - LEFT_MARGIN_PX - RIGHT_MARGIN_PX)
    };
    let y = |value: f64| {
        top + TOP_MARGIN_PX + (high - value) / (high - low) * (PANEL_HEIGHT_PX - TOP_MARGIN_PX - BOTTOM_MARGIN_PX)
    };
    for tick in &grid {
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT_MARGIN_PX} {1:.1}H{2}\" stroke=\"#ddd\"/><text x=\"{3}\" y=\"{4:.1}\" \
             text-anchor=\"end\" fill=\"#555\">{0}</text>",
            number(*tick),
            y(*tick),
            WIDTH_PX - RIGHT_MARGIN_PX,
            LEFT_MARGIN_PX - 6.0,
            y(*tick) + 4.0
        );
    }
    for tick in ticks(steps.0, steps.1).into_iter().filter(|t| (steps.0..=steps.1).contains(t)) {
        let bottom = top + PANEL_HEIGHT_PX - BOTTOM_MARGIN_PX + 16.0;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{bottom:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            x(tick),
            number(tick)
        );
    }
    let mut at = LEFT_MARGIN_PX;
    for curve in curves {
        let _ = writeln!(
            out,
            "<text x=\"{at:.1}\" y=\"{:.1}\" fill=\"{}\">{}</text>",
            top + 18.0,
            curve.colour,
            curve.name
        );
        at += 7.0 * curve.name.len() as f64 + 16.0;
        let line: Vec<String> = curve.points.iter().map(|&(s, v)| format!("{:.1},{:.1}", x(s), y(v))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>",
            line.join(" "),
            curve.colour
        );
        // Curves with few points have markers.
        for &(step, value) in curve.points.iter().filter(|_| curve.points.len() <= 50) {
            let _ = writeln!(
                out,
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.5\" fill=\"{}\"/>",
                x(step),
                y(value),
                curve.colour
            );
        }
    }
}

/// Returns round numbers that span a range, 1, 2 or 5 times a power of ten apart.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let apart = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|&n| n >= rough).unwrap_or(power);
    let (from, to) = ((low / apart).floor() as i64, (high / apart).ceil() as i64);
    (from..=to.min(from.saturating_add(20))).map(|i| i as f64 * apart).collect()
}

/// Formats a number with at most six decimals.
fn number(x: f64) -> String {
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
