//! The kernels that one device's program becomes: what each computes, moves and takes at least. Plain data that prints
//! for people (`Display`) and for machines (serde).

use crate::artefact::targets;
use crate::error::Result;
use crate::partition::Partition;
use crate::report::text::plural;
use crate::report::{Align, Table, group};
use indexmap::IndexMap;
use partita_gpu::Module;
use partita_gpu::module::{Kernel, Purpose, Work};
use partita_gpu::peak::{Bound, Peak};
use partita_ir::units::{bytes, count, time};
use serde::Serialize;
use std::fmt;

/// How many places of the model a row lists before it says that there are more.
const PLACES: usize = 2;

/// The answer of `partita explain MODEL --kernels`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KernelReport {
    /// Version of Partita.
    pub version: &'static str,
    /// The model, as it was named.
    pub model: String,
    /// For what the kernels are printed.
    pub target: String,
    /// Number of devices, of all stages together.
    pub devices: usize,
    /// Number of stages.
    pub stages: usize,
    /// The GPU whose figures bound the times; none where the target may be any.
    pub machine: Option<Peak>,
    /// Each kernel once, in the order in which the program launches them first.
    pub kernels: Vec<KernelRow>,
    /// Sums over one run, for one device.
    pub totals: KernelTotals,
}

/// A kernel. Bytes, operations and time are of one launch.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KernelRow {
    /// Its name: what it does, and a number.
    pub name: String,
    /// How often a run launches it for each device.
    pub launches: u64,
    /// The least that it must read and write.
    pub bytes: u64,
    /// What it computes, in operations on floats.
    pub flops: u64,
    /// How many of these are done on tensor cores.
    pub tensor_flops: u64,
    /// The least time that it takes, in seconds.
    pub seconds: Option<f64>,
    /// What takes it so long: `memory` or `arithmetic`.
    pub bound_by: Option<&'static str>,
    /// What it is there for.
    #[serde(flatten)]
    pub purpose: Purpose,
}

/// Sums over all kernels of a run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct KernelTotals {
    /// How many launches there are.
    pub launches: u64,
    /// What they read and write at least.
    pub bytes: u64,
    /// What they compute.
    pub flops: u64,
    /// The least time that they take one after the other.
    pub seconds: Option<f64>,
    /// How much of it are kernels that memory keeps waiting.
    pub memory_seconds: Option<f64>,
    /// How often devices meet, which takes time of its own.
    pub meetings: u64,
}

impl Partition {
    /// What kernels the program becomes for a target (`cuda:sm_90`), and the least time that a machine (`H200`) needs
    /// for them: that of the target, when none is named.
    ///
    /// # Errors
    /// `A005` for a target that is not known or not built in, `C002` for an unknown machine, `R004` for what has no
    /// kernel.
    pub fn explain_kernels(&self, target: &str, machine: Option<&str>) -> Result<KernelReport> {
        let machine = machine.map(Peak::named).transpose()?;
        let targets = targets([target])?;
        let module = self.module(targets[0])?;
        let model = self.model().source.to_string();
        Ok(KernelReport::of(&module, &model, machine.or_else(|| Peak::of(module.target))))
    }
}

/// `988 FLOP`, `630.8 kFLOP`
fn flop(flops: u64) -> String {
    let number = count(flops);
    let space = if number.ends_with(|c: char| c.is_ascii_digit()) { " " } else { "" };
    format!("{number}{space}FLOP")
}

impl KernelReport {
    fn of(module: &Module, model: &str, machine: Option<Peak>) -> KernelReport {
        let rows: Vec<KernelRow> =
            module.kernels.iter().zip(module.launches()).map(|(kernel, n)| row(kernel, n, machine)).collect();
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
            memory_seconds: time(&|row| row.bound_by == Some(MEMORY)),
            meetings: module.meetings().into_iter().flatten().fold(0, u64::saturating_add),
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

    /// One JSON object, indented.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

const MEMORY: &str = "memory";

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
        bound_by: bound.map(|bound| if bound.by_memory { MEMORY } else { "arithmetic" }),
        purpose: kernel.purpose.clone(),
    }
}

impl fmt::Display for KernelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KernelReport { model, target, totals, .. } = self;
        let (devices, kernels) = (plural(self.devices, "device"), plural(self.kernels.len(), "kernel"));
        writeln!(f, "{model} for {target} on {devices}: {kernels}, {} launches a run\n", totals.launches)?;
        write!(f, "{}", self.table())?;
        writeln!(f, "\nbytes, FLOP and time are of one launch on one device")?;
        match (&self.machine, totals.seconds, totals.memory_seconds) {
            (Some(machine), Some(seconds), Some(memory)) => {
                let rate = |per_second: f64| count(per_second as u64);
                let (moves, computes) = (rate(machine.bytes_per_second), rate(machine.flops_per_second));
                let (tensor, Peak { name, source, .. }) = (rate(machine.tensor_flops_per_second), machine);
                writeln!(
                    f,
                    "time is the least that an {name} needs, with {moves}B/s, {computes}FLOP/s, and {tensor}FLOP/s on \
                     tensor cores"
                )?;
                writeln!(f, "({source})")?;
                let share = if seconds > 0.0 { 100.0 * memory / seconds } else { 0.0 };
                let (moved, done) = (bytes(totals.bytes), flop(totals.flops));
                writeln!(
                    f,
                    "a run takes {} at least: it moves {moved}, computes {done}, and waits for memory {share:.0} % \
                     of that time",
                    time(seconds)
                )?;
            }
            _ => {
                let (moved, done) = (bytes(totals.bytes), flop(totals.flops));
                writeln!(
                    f,
                    "a run moves {moved} and computes {done}; how long that takes depends on the GPU, which \
                     {target} does not name: --machine H200"
                )?;
            }
        }
        if totals.meetings > 0 {
            let come = if totals.meetings == 1 { "comes" } else { "come" };
            let collectives = plural(totals.meetings as usize, "collective");
            let transfers = if self.stages > 1 { ", transfers between stages included," } else { "" };
            writeln!(f, "{collectives}{transfers} {come} on top")?;
        }
        write!(f, "{}", alone(self.kernels.iter().map(|row| (row.name.as_str(), &row.purpose))))
    }
}

impl KernelReport {
    fn table(&self) -> Table {
        use Align::{Left, Right};
        let timed = self.machine.is_some();
        let mut head = vec![("kernel", Left), ("launches", Right), ("bytes", Right), ("FLOP", Right)];
        if timed {
            head.extend([("time", Right), ("of the run", Right), ("bound by", Left)]);
        }
        head.extend([("computes", Left), ("in", Left)]);
        let mut table = Table::new(head);
        for row in &self.kernels {
            let mut cells = vec![row.name.clone(), row.launches.to_string(), bytes(row.bytes), count(row.flops)];
            if let (Some(seconds), Some(all)) = (row.seconds, self.totals.seconds) {
                let share = if all > 0.0 { 100.0 * seconds * row.launches as f64 / all } else { 0.0 };
                cells.extend([time(seconds), format!("{share:.1} %"), row.bound_by.unwrap_or_default().to_owned()]);
            }
            cells.extend([computes(&row.purpose), places(&row.purpose.places)]);
            table.row(cells);
        }
        table
    }
}

/// Most kinds of ops that a row of a table names.
const NAMED: usize = 6;

/// The ops of a kernel for a table: each kind once with its number, `12 mul, add`; of many kinds the first ones.
pub fn computes(purpose: &Purpose) -> String {
    let mut kinds: IndexMap<&str, usize> = IndexMap::new();
    for op in &purpose.ops {
        let counted = op.split_once(' ').and_then(|(count, kind)| Some((count.parse::<usize>().ok()?, kind)));
        let (count, kind) = counted.unwrap_or((1, op));
        *kinds.entry(kind).or_default() += count;
    }
    let name =
        |(kind, count): (&&str, &usize)| if *count == 1 { (*kind).to_owned() } else { format!("{count} {kind}") };
    let named = kinds.iter().take(NAMED).map(name).collect::<Vec<_>>().join(", ");
    match kinds.values().skip(NAMED).sum::<usize>() {
        0 => named,
        others => format!("{named} and {others} more"),
    }
}

/// Ops that have a kernel for themselves, and why; behind an empty line, if there are any.
pub fn alone<'k>(kernels: impl Iterator<Item = (&'k str, &'k Purpose)>) -> String {
    let line = |(name, purpose): (&str, &Purpose)| {
        let missed = if purpose.missed { "; both could have taken it" } else { "" };
        Some(format!("  {name} ({}): {}{missed}\n", purpose.ops.join(", "), purpose.alone.as_ref()?))
    };
    let lines: String = kernels.filter_map(line).collect();
    if lines.is_empty() { lines } else { format!("\nalone in a kernel\n{lines}") }
}

/// Modules of different layers as one: `blocks.*.norm1`; of lines the first and the last: `lines 3 to 9`.
fn places(all: &[String]) -> String {
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
    let more = if groups.len() > PLACES { ", ..." } else { "" };
    groups.iter().take(PLACES).map(name).collect::<Vec<_>>().join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::{Purpose, computes};

    #[test]
    fn ops_are_counted_and_few_kinds_are_named() {
        let of = |ops: &[&str]| {
            computes(&Purpose { ops: ops.iter().map(|op| (*op).to_owned()).collect(), ..Purpose::default() })
        };
        assert_eq!(of(&["mul", "2 add", "mul"]), "2 mul, 2 add");
        let many: Vec<String> = (0..300).map(|i| format!("op{}", i % 100)).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(of(&many), "3 op0, 3 op1, 3 op2, 3 op3, 3 op4, 3 op5 and 282 more");
    }
}
