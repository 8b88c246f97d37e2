//! Report on the kernels of one device's program: purpose, memory traffic, FLOPs and minimum time. Plain data that is
//! formatted as text (`Display`) or JSON (serde).

use crate::artefact::parse_targets;
use crate::error::Result;
use crate::partition::Partition;
use crate::report::text::plural;
use crate::report::{Align, Table, group};
use indexmap::IndexMap;
use partita_gpu::Module;
use partita_gpu::module::{Kernel, Purpose, Work};
use partita_gpu::peak::{Bound, Peak};
use partita_ir::units::{format_bytes, format_count, format_seconds};
use serde::Serialize;
use std::fmt;

/// Maximum number of source locations in a row of the table.
const MAX_LISTED_LOCATIONS: usize = 2;

/// Report of `partita explain MODEL --kernels`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KernelReport {
    /// Version of Partita.
    pub version: &'static str,
    /// Name of the model as given by the user.
    pub model: String,
    /// Target of the kernels.
    pub target: String,
    /// Number of devices of all stages.
    pub devices: usize,
    /// Number of stages.
    pub stages: usize,
    /// GPU whose peak rates bound the times. `None` for a target that does not name a GPU.
    pub machine: Option<Peak>,
    /// Kernels in the order of their first launch.
    pub kernels: Vec<KernelRow>,
    /// Sums over one run, for one device of each stage.
    pub totals: KernelTotals,
}

/// A kernel. Bytes, operations and time are for one launch.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KernelRow {
    /// Name: purpose and a number.
    pub name: String,
    /// Number of launches in a run on one device of each stage, summed over stages.
    pub launches: u64,
    /// Minimum number of bytes read and written.
    pub bytes: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Floating-point operations on tensor cores.
    pub tensor_flops: u64,
    /// Minimum time in seconds, given by the peak rates of the GPU. `None` if the GPU is unknown.
    pub seconds: Option<f64>,
    /// Bottleneck of the minimum time: `memory` or `arithmetic`. `None` if the GPU is unknown.
    pub bound_by: Option<&'static str>,
    /// Ops that the kernel computes.
    #[serde(flatten)]
    pub purpose: Purpose,
}

/// Sums over all kernels of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KernelTotals {
    /// Number of launches.
    pub launches: u64,
    /// Minimum number of bytes read and written.
    pub bytes: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Minimum time in seconds, if the kernels run one after the other. `None` if the GPU is unknown.
    pub seconds: Option<f64>,
    /// Minimum time of the memory-bound kernels in seconds. `None` if the GPU is unknown.
    pub memory_seconds: Option<f64>,
    /// Number of collectives and transfers between stages, whose time is not included.
    #[serde(rename = "meetings")]
    pub communication_count: u64,
}

impl Partition {
    /// Reports the kernels for a target such as `cuda:sm_90`, with their minimum times on `machine` (such as `H200`)
    /// or, if `None`, on the GPU that the target names.
    ///
    /// # Errors
    /// `A005` for an unknown or unsupported target, `C002` for an unknown machine, `R004` for an operation without a
    /// kernel.
    pub fn explain_kernels(&self, target: &str, machine: Option<&str>) -> Result<KernelReport> {
        let machine = machine.map(Peak::named).transpose()?;
        let targets = parse_targets([target])?;
        let module = self.module(targets[0])?;
        let model = self.model().source.to_string();
        Ok(KernelReport::from_module(&module, &model, machine.or_else(|| Peak::for_target(module.target))))
    }
}

/// Formats a number of operations: `988 FLOP`, `630.8 kFLOP`.
fn flops_text(flops: u64) -> String {
    let number = format_count(flops);
    let space = if number.ends_with(|c: char| c.is_ascii_digit()) { " " } else { "" };
    format!("{number}{space}FLOP")
}

impl KernelReport {
    fn from_module(module: &Module, model: &str, machine: Option<Peak>) -> KernelReport {
        let rows: Vec<KernelRow> =
            module.kernels.iter().zip(module.launch_counts()).map(|(kernel, n)| row(kernel, n, machine)).collect();
        let over_all = |of: &dyn Fn(&KernelRow) -> u64| {
            rows.iter().map(|row| of(row).saturating_mul(row.launches)).fold(0, u64::saturating_add)
        };
        let time = |counts: &dyn Fn(&KernelRow) -> bool| {
            let each =
                rows.iter().filter(|row| counts(row)).map(|row| row.seconds.unwrap_or(0.0) * row.launches as f64);
            machine.map(|_| each.sum())
        };
        let totals = KernelTotals {
            launches: over_all(&|_| 1),
            bytes: over_all(&|row| row.bytes),
            flops: over_all(&|row| row.flops),
            seconds: time(&|_| true),
            memory_seconds: time(&|row| row.bound_by == Some(MEMORY_BOUND)),
            communication_count: module.communication_counts().into_iter().flatten().fold(0, u64::saturating_add),
        };
        KernelReport {
            version: env!("CARGO_PKG_VERSION"),
            model: model.to_owned(),
            target: module.target.to_string(),
            devices: module.program.device_count(),
            stages: module.program.stages.len(),
            machine,
            kernels: rows,
            totals,
        }
    }

    /// Formats the report as an indented JSON object.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Value of [`KernelRow::bound_by`] for a memory-bound kernel.
const MEMORY_BOUND: &str = "memory";

fn row(kernel: &Kernel, launches: u64, machine: Option<Peak>) -> KernelRow {
    let Work { bytes, flops, tensor_flops } = kernel.work;
    let bound: Option<Bound> = machine.map(|machine| machine.bound(kernel.work));
    KernelRow {
        name: kernel.name.clone(),
        launches,
        bytes,
        flops,
        tensor_flops,
        seconds: bound.map(|bound| bound.seconds),
        bound_by: bound.map(|bound| if bound.is_memory_bound { MEMORY_BOUND } else { "arithmetic" }),
        purpose: kernel.purpose.clone(),
    }
}

impl fmt::Display for KernelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KernelReport { model, target, totals, .. } = self;
        let (devices, kernels) = (plural(self.devices, "device"), plural(self.kernels.len(), "kernel"));
        writeln!(f, "{model} for {target} on {devices}: {kernels}, {} launches per run\n", totals.launches)?;
        write!(f, "{}", self.table())?;
        writeln!(f, "\nbytes, FLOP and time are for one launch on one device")?;
        match (&self.machine, totals.seconds, totals.memory_seconds) {
            (Some(machine), Some(seconds), Some(memory)) => {
                let rate = |per_second: f64| format_count(per_second as u64);
                let (moves, computes) = (rate(machine.bytes_per_second), rate(machine.flops_per_second));
                let (tensor, Peak { name, source, .. }) = (rate(machine.tensor_flops_per_second), machine);
                writeln!(
                    f,
                    "time is the minimum on an {name}, with {moves}B/s, {computes}FLOP/s, and {tensor}FLOP/s on \
                     tensor cores"
                )?;
                writeln!(f, "({source})")?;
                let share = if seconds > 0.0 { 100.0 * memory / seconds } else { 0.0 };
                let (moved, done) = (format_bytes(totals.bytes), flops_text(totals.flops));
                writeln!(
                    f,
                    "a run takes at least {}: it moves {moved}, computes {done}, and is memory-bound for \
                     {share:.0} % of that time",
                    format_seconds(seconds)
                )?;
            }
            _ => {
                let (moved, done) = (format_bytes(totals.bytes), flops_text(totals.flops));
                writeln!(
                    f,
                    "a run moves {moved} and computes {done}; the time depends on the GPU, which {target} does \
                     not name: add `--machine H200`"
                )?;
            }
        }
        if totals.communication_count > 0 {
            let come = if totals.communication_count == 1 { "is" } else { "are" };
            let collectives = plural(totals.communication_count as usize, "collective");
            let transfers = if self.stages > 1 { ", transfers between stages included," } else { "" };
            writeln!(f, "{collectives}{transfers} {come} not included")?;
        }
        write!(f, "{}", unfused_ops_text(self.kernels.iter().map(|row| (row.name.as_str(), &row.purpose))))
    }
}

impl KernelReport {
    fn table(&self) -> Table {
        use Align::{Left, Right};
        let timed = self.machine.is_some();
        let mut head = vec![("kernel", Left), ("launches", Right), ("bytes", Right), ("FLOP", Right)];
        if timed {
            head.extend([("time", Right), ("share of run", Right), ("bound by", Left)]);
        }
        head.extend([("computes", Left), ("source", Left)]);
        let mut table = Table::new(head);
        for row in &self.kernels {
            let mut cells =
                vec![row.name.clone(), row.launches.to_string(), format_bytes(row.bytes), format_count(row.flops)];
            if let (Some(seconds), Some(all)) = (row.seconds, self.totals.seconds) {
                let share = if all > 0.0 { 100.0 * seconds * row.launches as f64 / all } else { 0.0 };
                cells.extend([
                    format_seconds(seconds),
                    format!("{share:.1} %"),
                    row.bound_by.unwrap_or_default().to_owned(),
                ]);
            }
            cells.extend([ops_text(&row.purpose), locations_text(&row.purpose.places)]);
            table.row(cells);
        }
        table
    }
}

/// Maximum number of op kinds in a row of the table.
const MAX_LISTED_OP_KINDS: usize = 6;

/// Formats the ops of a kernel for a table: each kind with its count, as in `12 mul, add`. The list is truncated after
/// `MAX_LISTED_OP_KINDS`.
pub fn ops_text(purpose: &Purpose) -> String {
    let mut kinds: IndexMap<&str, usize> = IndexMap::new();
    for op in &purpose.ops {
        let counted = op.split_once(' ').and_then(|(count, kind)| Some((count.parse::<usize>().ok()?, kind)));
        let (count, kind) = counted.unwrap_or((1, op));
        *kinds.entry(kind).or_default() += count;
    }
    let name =
        |(kind, count): (&&str, &usize)| if *count == 1 { (*kind).to_owned() } else { format!("{count} {kind}") };
    let named = kinds.iter().take(MAX_LISTED_OP_KINDS).map(name).collect::<Vec<_>>().join(", ");
    match kinds.values().skip(MAX_LISTED_OP_KINDS).sum::<usize>() {
        0 => named,
        others => format!("{named} and {others} more"),
    }
}

/// Formats the list of ops that have a kernel of their own and the reasons, preceded by an empty line. Returns an empty
/// string if the list is empty.
pub fn unfused_ops_text<'k>(kernels: impl Iterator<Item = (&'k str, &'k Purpose)>) -> String {
    let line = |(name, purpose): (&str, &Purpose)| {
        let missed = if purpose.missed_fusion { "; fusion was possible" } else { "" };
        Some(format!("  {name} ({}): {}{missed}\n", purpose.ops.join(", "), purpose.unfused_reason.as_ref()?))
    };
    let lines: String = kernels.filter_map(line).collect();
    if lines.is_empty() { lines } else { format!("\nops in a separate kernel\n{lines}") }
}

/// Formats source locations. Modules of different layers are merged, as in `blocks.*.norm1`; lines become a range, as
/// in `lines 3 to 9`.
fn locations_text(all: &[String]) -> String {
    let line = |place: &String| place.strip_prefix("line ")?.parse::<u32>().ok();
    if let ([_, _, ..], Some(lines)) = (all, all.iter().map(line).collect::<Option<Vec<u32>>>()) {
        let (first, last) = (lines.iter().min().copied().unwrap_or(0), lines.iter().max().copied().unwrap_or(0));
        return format!("lines {first} to {last}");
    }
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let layer = |place: &String| {
        place.split('.').map(|part| if is_number(part) { "*" } else { part }).collect::<Vec<_>>().join(".")
    };
    let groups = group(all, layer);
    let name = |(layer, places): (&String, &Vec<&String>)| match places[..] {
        [one] => one.clone(),
        _ => layer.clone(),
    };
    let more = if groups.len() > MAX_LISTED_LOCATIONS { ", ..." } else { "" };
    groups.iter().take(MAX_LISTED_LOCATIONS).map(name).collect::<Vec<_>>().join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::{Purpose, ops_text};

    #[test]
    fn ops_are_counted_and_few_kinds_are_named() {
        let of = |ops: &[&str]| {
            ops_text(&Purpose { ops: ops.iter().map(|op| (*op).to_owned()).collect(), ..Purpose::default() })
        };
        assert_eq!(of(&["mul", "2 add", "mul"]), "2 mul, 2 add");
        let many: Vec<String> = (0..300).map(|i| format!("op{}", i % 100)).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(of(&many), "3 op0, 3 op1, 3 op2, 3 op3, 3 op4, 3 op5 and 282 more");
    }
}
