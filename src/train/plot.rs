//! A picture of what was measured: losses over steps, and below them the share of right answers, as SVG.

use super::metrics::Record;
use std::fmt::Write;

const WIDTH: f64 = 720.0;
/// Height of one panel.
const HEIGHT: f64 = 240.0;
/// Room for the labels of the axes.
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 32.0;
/// No curve has more points: more would not be seen.
const POINTS: usize = 1000;
const TRAINING: &str = "#2f6db3";
const VALIDATION: &str = "#c8562b";

/// One curve.
struct Curve {
    name: &'static str,
    colour: &'static str,
    points: Vec<(f64, f64)>,
}

/// Draws the losses of training and validation, and below them the accuracy where there is one.
pub fn plot(records: &[Record]) -> String {
    let curve = |name, colour, of: &dyn Fn(&Record) -> Option<f64>| {
        let points = records.iter().filter_map(|r| Some((r.step as f64, of(r).filter(|y| y.is_finite())?)));
        Curve { name, colour, points: thinned(points.collect()) }
    };
    let losses = vec![
        curve("loss", TRAINING, &|r| Some(r.loss)),
        curve("loss on what was held out", VALIDATION, &|r| r.validation_loss),
    ];
    let accuracy = vec![curve("accuracy on what was held out", VALIDATION, &|r| r.accuracy)];
    let panels = [losses, accuracy].map(|curves| curves.into_iter().filter(|c| !c.points.is_empty()).collect());
    let panels: Vec<Vec<Curve>> = panels.into_iter().filter(|curves: &Vec<Curve>| !curves.is_empty()).collect();
    let last = records.last().map_or(1.0, |r| r.step as f64);
    let first = records.first().map_or(0.0, |r| r.step as f64);
    let height = HEIGHT * panels.len().max(1) as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (i, curves) in panels.iter().enumerate() {
        panel(&mut out, curves, HEIGHT * i as f64, (first, last.max(first + 1.0)));
    }
    out.push_str("</svg>\n");
    out
}

/// Few enough points: each the mean of its neighbours, so that noise does not hide the curve.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let each = points.len().div_ceil(POINTS).max(1);
    let mean = |chunk: &[(f64, f64)]| {
        let n = chunk.len() as f64;
        let (x, y) = chunk.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
        (x / n, y / n)
    };
    points.chunks(each).map(mean).collect()
}

fn panel(out: &mut String, curves: &[Curve], top: f64, steps: (f64, f64)) {
    let values = || curves.iter().flat_map(|c| c.points.iter().map(|p| p.1));
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let grid = ticks(low, if high > low { high } else { low + 1.0 });
    let (low, high) = (grid.first().copied().unwrap_or(low).min(low), grid.last().copied().unwrap_or(high).max(high));
    let x = |step: f64| LEFT + (step - steps.0) / (steps.1 - steps.0) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| top + TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM);
    for tick in &grid {
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {1:.1}H{2}\" stroke=\"#ddd\"/><text x=\"{3}\" y=\"{4:.1}\" text-anchor=\"end\" \
             fill=\"#555\">{0}</text>",
            number(*tick),
            y(*tick),
            WIDTH - RIGHT,
            LEFT - 6.0,
            y(*tick) + 4.0
        );
    }
    for tick in ticks(steps.0, steps.1).into_iter().filter(|t| (steps.0..=steps.1).contains(t)) {
        let bottom = top + HEIGHT - BOTTOM + 16.0;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{bottom:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
            x(tick),
            number(tick)
        );
    }
    let mut at = LEFT;
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
        // A curve of few points shows them.
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

/// Round numbers that span a range: 1, 2 or 5 times a power of ten apart.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 4.0;
    let power = 10f64.powf(rough.log10().floor());
    let apart = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|&n| n >= rough).unwrap_or(power);
    let (from, to) = ((low / apart).floor() as i64, (high / apart).ceil() as i64);
    (from..=to.min(from.saturating_add(20))).map(|i| i as f64 * apart).collect()
}

fn number(x: f64) -> String {
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
