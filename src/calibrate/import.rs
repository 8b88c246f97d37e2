//! Measurements of users, with which a machine description is updated: collectives measured by
//! [nccl-tests](https://github.com/NVIDIA/nccl-tests), and durations of matrix products and of attention.
//!
//! The output of nccl-tests has a line per device, `#  Rank  0 ... on HOST device ...`, and a row per size: size,
//! count, type, redop, root, time in microseconds, algorithm bandwidth and bus bandwidth in GB/s. The bus bandwidth is
//! comparable with the bandwidth of links, independent of the collective and the number of devices.

use crate::error::Result;
use partita_cost::roofline::Efficiencies;
use partita_cost::roofline::arithmetic::{Arithmetic, ArithmeticShape, AttentionShape};
use partita_ir::diag::{Code, Diagnostic, Source, Span};
use partita_ir::dtype::DType;
use partita_machine::collective::CollectiveKind;
use partita_machine::collective::choice::Prices;
use partita_machine::profile::AchievedLink;
use partita_machine::{DeviceKind, Machine, Node};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Columns of a file of matrix products.
const PRODUCT_COLUMNS: &str = "m,n,k,dtype,seconds";

/// Columns of a file of causal attention: batch elements, heads, positions, features of a head, element type, and the
/// duration of the op and of its gradient.
const ATTENTION_COLUMNS: &str = "batch,heads,positions,features,dtype,seconds,gradient_seconds";

/// Minimum ratio of a product's duration to the launch of its kernel, below which it does not show the achieved rate.
const MIN_LAUNCHES: f64 = 5.0;

/// Shortest setup of a collective in seconds.
const MIN_SETUP_SECONDS: f64 = 1e-6;

/// A figure of the machine file that measurements replaced.
#[derive(Clone, PartialEq, Debug)]
pub struct ImportedFigure {
    /// Name with its kind of device or node.
    pub name: String,
    /// Value before the import.
    pub before: f64,
    /// Measured value.
    pub measured: f64,
    /// True for seconds, false for a fraction.
    pub is_seconds: bool,
    /// Number of measurements.
    pub count: usize,
}

impl ImportedFigure {
    /// Formats a value of the figure.
    pub fn text(&self, value: f64) -> String {
        if self.is_seconds { format!("{:.1} us", 1e6 * value) } else { format!("{value:.3}") }
    }

    /// Formats the figure as JSON.
    pub fn to_json(&self) -> Value {
        json!({ "name": self.name, "before": self.before, "measured": self.measured, "measurements": self.count })
    }
}

/// Returns the machine with the figures that the files of measurements determine.
///
/// # Errors
/// `H003` for a file in another format, a malformed line, or measurements that exceed the rates of the machine.
pub fn import_measurements(mut machine: Machine, files: &[Arc<Source>]) -> Result<(Machine, Vec<ImportedFigure>)> {
    let mut figures = Vec::new();
    for source in files {
        let file = MeasurementFile(source);
        let columns = file.rows().next().map(|(_, line)| line.replace(' ', "")).unwrap_or_default();
        if columns == PRODUCT_COLUMNS {
            file.import_products(&mut machine, &mut figures)?;
        } else if columns == ATTENTION_COLUMNS {
            file.import_attention(&mut machine, &mut figures)?;
        } else if source.text.contains("algbw") {
            file.import_collectives(&mut machine, &mut figures)?;
        } else {
            let error = file.error("neither output of nccl-tests nor durations of matrix products or attention", 0..0);
            let error = error.help(format!("the first line of matrix products is `{PRODUCT_COLUMNS}`"));
            return Err(error.help(format!("the first line of attention is `{ATTENTION_COLUMNS}`")).into());
        }
    }
    Ok((machine, figures))
}

/// File of measurements.
struct MeasurementFile<'s>(&'s Arc<Source>);

impl MeasurementFile<'_> {
    /// Returns the lines with their byte ranges, without empty lines and comments.
    fn rows(&self) -> impl Iterator<Item = (std::ops::Range<usize>, &str)> {
        let text: &str = &self.0.text;
        let lines = text.split('\n').scan(0, |start, line| {
            let range = *start..*start + line.len();
            *start += line.len() + 1;
            Some((range, line.trim()))
        });
        lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
    }

    fn error(&self, title: &str, at: std::ops::Range<usize>) -> Diagnostic {
        Diagnostic::new(Code::H003, title.to_owned()).label(Span::new(self.0, at), "")
    }

    /// Returns the only kind of devices of a machine, whose kernels were measured.
    fn only_kind<'m>(&self, machine: &'m mut Machine) -> Result<&'m mut DeviceKind> {
        match &mut machine.kinds[..] {
            [kind] => Ok(kind),
            _ => {
                let title = "measured kernels of a machine with several kinds of devices are ambiguous";
                Err(self.error(title, 0..0).help("import them for a machine file with one kind").into())
            }
        }
    }

    /// Returns the fields of each line after the first one: sizes, the element type, and durations.
    ///
    /// # Errors
    /// `H003` for a line with other fields.
    fn kernel_rows<const SIZES: usize, const TIMES: usize>(
        &self,
        columns: &str,
    ) -> Result<Vec<MeasuredKernel<SIZES, TIMES>>> {
        let row = |(range, line): (std::ops::Range<usize>, &str)| {
            let fields: Vec<&str> = line.split(',').map(str::trim).collect();
            let size = |text: &&str| text.parse::<u32>().ok().filter(|n| *n > 0).map(|n| n as usize);
            let time = |text: &&str| text.parse::<f64>().ok().filter(|s| s.is_finite() && *s > 0.0);
            let parsed = (fields.len() == SIZES + 1 + TIMES).then(|| {
                let sizes: Option<Vec<usize>> = fields[..SIZES].iter().map(size).collect();
                let times: Option<Vec<f64>> = fields[SIZES + 1..].iter().map(time).collect();
                let dtype = DType::from_name(fields[SIZES])?;
                Some(MeasuredKernel {
                    range: range.clone(),
                    sizes: sizes?.try_into().ok()?,
                    dtype,
                    times: times?.try_into().ok()?,
                })
            });
            let wrong = || self.error(&format!("`{line}` is not `{columns}`"), range.clone());
            parsed.flatten().ok_or_else(|| wrong().into())
        };
        self.rows().skip(1).map(row).collect()
    }

    /// Checks that a kernel does not exceed the rate of the data sheet.
    fn check_rate(
        &self,
        kind: &DeviceKind,
        what: &str,
        dtype: DType,
        rate: f64,
        at: std::ops::Range<usize>,
    ) -> Result<()> {
        if rate <= kind.rate(dtype) {
            return Ok(());
        }
        let (rate, peak) = (rate / 1e12, kind.rate(dtype) / 1e12);
        let title = format!("{what} reached {rate:.1} TFLOP/s, and `{}` has {peak:.1}", kind.name);
        Err(self.error(&title, at).help("correct `flops` in the machine file").into())
    }

    /// Sets the achieved fraction of products of each dtype.
    fn import_products(&self, machine: &mut Machine, figures: &mut Vec<ImportedFigure>) -> Result<()> {
        let kind = self.only_kind(machine)?;
        let mut products: Vec<(Arithmetic, f64)> = Vec::new();
        for MeasuredKernel { range, sizes: [m, n, k], dtype, times: [seconds] } in self.kernel_rows(PRODUCT_COLUMNS)? {
            let flops = [m, n, k].iter().fold(2u64, |flops, &n| flops.saturating_mul(n as u64));
            self.check_rate(kind, "the product", dtype, flops as f64 / seconds, range)?;
            let shape = ArithmeticShape::Product { batch: 1, m, n, k };
            products.push((Arithmetic { dtype, flops, shape }, seconds));
        }
        let dtypes: BTreeSet<&str> = products.iter().map(|(work, _)| work.dtype.name()).collect();
        for name in dtypes {
            let of_dtype = products.iter().filter(|(work, _)| work.dtype.name() == name);
            let at_peak = Efficiencies { matmul: Some(1.0), ..Efficiencies::default() };
            let Some((share, count)) = achieved_share(kind, &at_peak, of_dtype) else { continue };
            let Some(dtype) = DType::from_name(name) else { continue };
            figures.push(ImportedFigure {
                name: format!("{}: achieved {name}", kind.name),
                before: kind.achieved_products(dtype),
                measured: share,
                is_seconds: false,
                count,
            });
            kind.achieved.products.insert(dtype, share);
        }
        Ok(())
    }

    /// Sets the achieved fractions of attention and its gradient.
    fn import_attention(&self, machine: &mut Machine, figures: &mut Vec<ImportedFigure>) -> Result<()> {
        let kind = self.only_kind(machine)?;
        let mut measured: [Vec<(Arithmetic, f64)>; 2] = Default::default();
        let rows = self.kernel_rows::<4, 2>(ATTENTION_COLUMNS)?;
        for MeasuredKernel { range, sizes: [batch, heads, positions, features], dtype, times } in rows {
            let scores = [batch, heads, positions, positions].iter().fold(1u64, |all, &n| all.saturating_mul(n as u64));
            for (is_gradient, seconds) in [false, true].into_iter().zip(times) {
                // Two products, and five in the gradient.
                let products = if is_gradient { 10 } else { 4 };
                let flops = scores.saturating_mul(features as u64).saturating_mul(products);
                let shape = AttentionShape {
                    heads: batch.saturating_mul(heads),
                    queries: positions,
                    keys: positions,
                    features,
                    is_causal: true,
                    visible: None,
                    is_gradient,
                    score_bytes: dtype.bytes(),
                };
                self.check_rate(kind, "the attention", dtype, 0.5 * flops as f64 / seconds, range.clone())?;
                let work = Arithmetic { dtype, flops, shape: ArithmeticShape::Attention(shape) };
                measured[usize::from(is_gradient)].push((work, seconds));
            }
        }
        let mut at_peak = kind.clone();
        (at_peak.achieved.attention, at_peak.achieved.attention_grad) = (1.0, 1.0);
        for (is_gradient, of_phase) in [false, true].into_iter().zip(&measured) {
            let Some((share, count)) = achieved_share(&at_peak, &Efficiencies::default(), of_phase.iter()) else {
                continue;
            };
            let name = if is_gradient { "attention_grad" } else { "attention" };
            let achieved = &mut kind.achieved;
            let value = if is_gradient { &mut achieved.attention_grad } else { &mut achieved.attention };
            figures.push(ImportedFigure {
                name: format!("{}: achieved {name}", kind.name),
                before: *value,
                measured: share,
                is_seconds: false,
                count,
            });
            *value = share;
        }
        Ok(())
    }

    /// Sets the achieved bandwidth and the setup of links, or of ports if the devices were in several nodes.
    fn import_collectives(&self, machine: &mut Machine, figures: &mut Vec<ImportedFigure>) -> Result<()> {
        let (devices, hosts) = self.devices()?;
        let mut all: Vec<(f64, f64)> = Vec::new();
        for (range, line) in self.rows() {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let number = |place: usize| fields.get(place).and_then(|text| text.parse::<f64>().ok());
            let (Some(_), Some(time), Some(bus)) = (number(0), number(5), number(7)) else {
                let title = format!("`{line}` is not a row of nccl-tests");
                let columns = "size, count, type, redop, root, time, algbw, busbw";
                return Err(self.error(&title, range).note(format!("its columns are {columns}")).into());
            };
            // Rates of small messages are rounded to zero.
            if time > 0.0 && bus > 0.0 {
                all.push((bus * 1e9 * time * 1e-6, time * 1e-6));
            }
        }
        let [fastest, count] = [all.iter().map(|(bytes, t)| bytes / t).fold(0.0, f64::max), all.len() as f64];
        let Some((seconds_per_byte, setup)) = line_fit(&all).filter(|_| count > 1.0) else {
            return Err(self.error("fewer than two sizes with a bandwidth", 0..0).into());
        };
        let each = devices / hosts;
        let place = machine.nodes.iter().position(|node| node.devices.len() >= each && node.count >= hosts);
        let Some(place) = place else {
            let title = format!("`{}` has no {hosts} nodes of {each} devices", machine.name);
            return Err(self.error(&title, 0..0).help("state a machine with as many devices as were measured").into());
        };
        let node = &machine.nodes[place];
        let (what, bandwidth) = bus_bandwidth(node, hosts);
        if fastest > bandwidth {
            let title = format!(
                "the collective reached {:.1} GB/s, and the {what} of `{}` have {:.1}",
                fastest / 1e9,
                node.name,
                bandwidth / 1e9
            );
            return Err(self.error(&title, 0..0).help("correct `bandwidth` in the machine file").into());
        }
        let known = latency(machine, place, (hosts, each));
        let share = (1.0 / (seconds_per_byte * bandwidth)).min(fastest / bandwidth);
        let measured = AchievedLink { bandwidth: share, setup: (setup - known).max(MIN_SETUP_SECONDS) };
        let node = &mut machine.nodes[place];
        let links: Vec<&mut AchievedLink> = if hosts == 1 {
            node.links.iter_mut().map(|link| &mut link.achieved).collect()
        } else {
            node.ports.iter_mut().map(|port| &mut port.achieved).collect()
        };
        let before = links.iter().map(|link| **link).reduce(AchievedLink::combined).unwrap_or_default();
        links.into_iter().for_each(|link| *link = measured);
        let name = |key: &str| format!("{}: {key} of {what}", node.name);
        let count = all.len();
        figures.push(ImportedFigure {
            name: name("achieved"),
            before: before.bandwidth,
            measured: measured.bandwidth,
            is_seconds: false,
            count,
        });
        figures.push(ImportedFigure {
            name: name("setup"),
            before: before.setup,
            measured: measured.setup,
            is_seconds: true,
            count,
        });
        Ok(())
    }

    /// Returns the number of devices and of hosts that the comments of nccl-tests list.
    fn devices(&self) -> Result<(usize, usize)> {
        let ranks = self.0.text.lines().filter_map(|line| line.strip_prefix('#')).filter_map(|line| {
            let mut words = line.split_whitespace();
            (words.next() == Some("Rank")).then_some(())?;
            words.skip_while(|word| *word != "on").nth(1)
        });
        let hosts: Vec<&str> = ranks.collect();
        let count = hosts.iter().collect::<BTreeSet<_>>().len();
        if count == 0 || !hosts.len().is_multiple_of(count) {
            let title = "no lines `#  Rank ... on HOST device ...` that list as many devices for each host";
            return Err(self.error(title, 0..0).help("import the complete output of nccl-tests").into());
        }
        Ok((hosts.len(), count))
    }
}

/// A line of a file of kernels.
struct MeasuredKernel<const SIZES: usize, const TIMES: usize> {
    range: std::ops::Range<usize>,
    sizes: [usize; SIZES],
    dtype: DType,
    times: [f64; TIMES],
}

/// Returns the achieved fraction of kernels, given the device at its peak: the seconds of all kernels at the peak in
/// relation to the measured ones, and at most the fraction of the fastest kernel, with the number of kernels. `None` if
/// all are too short.
fn achieved_share<'p>(
    at_peak: &DeviceKind,
    efficiencies: &Efficiencies,
    kernels: impl Iterator<Item = &'p (Arithmetic, f64)>,
) -> Option<(f64, usize)> {
    let launch = at_peak.kernels.launch;
    let (mut ideal, mut measured, mut best, mut count) = (0.0, 0.0, 0.0f64, 0);
    for (work, seconds) in kernels.filter(|(_, seconds)| seconds - launch >= MIN_LAUNCHES * launch) {
        ideal += work.seconds(at_peak, efficiencies);
        measured += seconds - launch;
        let peak = at_peak.rate(work.dtype) * at_peak.achieved.clock;
        best = best.max(work.computed_flops() / seconds / peak);
        count += 1;
    }
    (count > 0).then(|| ((ideal / measured).min(best).min(1.0), count))
}

/// Returns the links that limit a collective within a node or between nodes, and their bandwidth.
fn bus_bandwidth(node: &Node, hosts: usize) -> (&'static str, f64) {
    if hosts == 1 {
        ("links", node.links.iter().map(|link| link.bandwidth).fold(f64::INFINITY, f64::min))
    } else {
        ("ports", node.ports.iter().map(|port| port.bandwidth).sum())
    }
}

/// Returns the seconds of the shortest all-reduce that the latencies of the links account for.
fn latency(machine: &Machine, node: usize, (hosts, each): (usize, usize)) -> f64 {
    let first: usize = machine.nodes[..node].iter().map(|node| node.count * node.devices.len()).sum();
    let per_node = machine.nodes[node].devices.len();
    let devices: Vec<usize> =
        (0..hosts).flat_map(|host| (0..each).map(move |local| first + host * per_node + local)).collect();
    let choice = Prices::new(machine).cheapest(&CollectiveKind::AllReduce, 1, &devices, 1);
    choice.map_or(0.0, |choice| choice.seconds)
}

/// Fits `t = setup + x * slope` by least squares of relative errors, with neither below zero. Returns slope and setup.
fn line_fit(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let (mut xx, mut x1, mut ones, mut xt, mut t1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &(x, t) in points {
        let weight = 1.0 / (t * t);
        xx += weight * x * x;
        x1 += weight * x;
        ones += weight;
        xt += weight * x * t;
        t1 += weight * t;
    }
    let determinant = xx * ones - x1 * x1;
    let slope = (xt * ones - t1 * x1) / determinant;
    let setup = (xx * t1 - x1 * xt) / determinant;
    match (slope > 0.0, setup >= 0.0) {
        (true, true) => Some((slope, setup)),
        (true, false) => Some((xt / xx, 0.0)),
        (false, _) => None,
    }
}
