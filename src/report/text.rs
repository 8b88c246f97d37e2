//! Text form of a report: short tables with folded rows.

use super::fold::{group, pattern, title};
use super::groups::{collective_groups, param_groups};
use super::table::{Align, Table};
use super::{CollectiveRow, FallbackRow, PaddedRow, ParamRow, PhaseRow, RepeatedRow, Report, ScheduleRow, TransferRow};
use partita_ir::units::{format_bytes, format_count, format_seconds};
use std::fmt;

/// Maximum number of source locations in a folded row.
const MAX_LISTED_ORIGINS: usize = 3;

/// Maximum number of rows of repeated contractions.
const MAX_REPEATED_ROWS: usize = 8;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, true)
    }
}

/// Report that prints every row.
pub struct Unfolded<'a>(&'a Report);

impl fmt::Display for Unfolded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, false)
    }
}

impl Report {
    /// Returns a view of the report that prints every parameter and collective.
    pub fn unfolded(&self) -> Unfolded<'_> {
        Unfolded(self)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, folded: bool) -> fmt::Result {
        match &self.schedule {
            None => {
                let axes: Vec<String> = self.mesh.iter().map(|(name, size)| format!("{name}={size}")).collect();
                let devices = plural(self.devices, "device");
                writeln!(f, "{}: {} on {} ({devices})", self.model, plural(self.ops, "op"), axes.join(", "))?;
            }
            Some(schedule) => self.write_stages(f, schedule)?,
        }
        writeln!(f, "\n{}", params_table(&self.params, folded))?;
        if self.collectives.is_empty() {
            let who = if self.schedule.is_some() { "the devices of a stage" } else { "the devices" };
            writeln!(f, "no collectives: {who} never communicate")?;
        } else {
            write!(f, "{}", collectives_table(&self.collectives, &self.model, folded))?;
        }
        if !self.transfers.is_empty() {
            write!(f, "\nsent between stages\n{}", transfers_table(&self.transfers, folded))?;
        }
        if !self.fallbacks.is_empty() {
            write!(
                f,
                "\ngathered, because the operation cannot be partitioned there\n{}",
                fallbacks_table(&self.fallbacks, &self.model)
            )?;
        }
        if !self.repeated.is_empty() {
            let table = repeated_table(&self.repeated, self.totals.model_flops, &self.model, MAX_REPEATED_ROWS);
            write!(f, "\ncomputed in full by every device of an axis\n{table}")?;
        }
        if !self.padded.is_empty() {
            write!(f, "\npadded, because the axes do not divide the dimension\n{}", padded_table(&self.padded))?;
        }
        if !self.phases.is_empty() {
            let how = if self.phases_inferred { ", inferred from its outputs" } else { "" };
            write!(f, "\n{}{how}\n{}", self.phases_title(), phases_table(&self.phases))?;
        }
        if let Some(rewriting) = &self.rewriting {
            write!(f, "\n{rewriting}")?;
        }
        writeln!(f, "\n{}", self.summary())
    }

    /// Writes the stages, their figures and the schedule.
    fn write_stages(&self, f: &mut fmt::Formatter<'_>, schedule: &ScheduleRow) -> fmt::Result {
        let mut meshes: Vec<&str> = self.stages.iter().map(|stage| stage.mesh.as_str()).collect();
        if meshes.windows(2).all(|pair| pair[0] == pair[1]) {
            meshes.truncate(1);
        }
        let stages = plural(self.stages.len(), "stage");
        let devices = plural(self.devices, "device");
        writeln!(f, "{}: {stages} of {} on {devices}, {}\n", self.model, meshes.join(" | "), schedule.summary)?;
        let table = self.stages_table();
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "  figures for one device of a stage; stored: activations of one micro-batch, peak: maximum over time"
        )?;
        if self.stages.iter().any(|stage| stage.chunks.len() > 1) {
            writeln!(f, "  in flight: micro-batches of a chunk, each with the activations of that chunk alone")?;
        }
        writeln!(
            f,
            "  bubble {:.1} %, if gradients take twice as long as the forward pass, and transfers no time",
            100.0 * schedule.bubble
        )?;
        write!(f, "\n{}", schedule.drawing())
    }

    /// Returns the title of the phases, which for pipeline stages are sums.
    pub(crate) fn phases_title(&self) -> &'static str {
        match self.stages.len() {
            0 | 1 => "phases of the training step, for one device",
            _ => "phases of the training step, sums over one device of each stage",
        }
    }

    /// Formats the totals of one device and run.
    fn summary(&self) -> String {
        let heading = if self.stages.len() > 1 { "maximum over devices, per run" } else { "per device and run" };
        let figures = self.figures().into_iter().map(|(name, value)| format!("\n  {name:<10} {value}"));
        heading.to_string() + &figures.collect::<String>()
    }
}

fn params_table(rows: &[ParamRow], is_folded: bool) -> Table {
    use Align::{Left, Right};
    let is_staged = rows.iter().any(|row| !row.stages.is_empty());
    let mut head = vec![("parameter or input", Left), ("", Right)];
    if is_staged {
        head.push(("stage", Left));
    }
    head.extend([("type", Left), ("layout", Left), ("per device", Left), ("bytes", Right)]);
    let has_frozen = rows.iter().any(|row| row.frozen);
    head.extend(has_frozen.then_some(("training", Left)));
    let mut table = Table::new(head);
    for group in param_groups(rows, is_folded) {
        let Some(first) = group.members.first() else { continue };
        let bytes = format_bytes(group.local_bytes());
        let sharded = format!("{} of them sharded", group.sharded());
        let mut row = vec![group.title, times(group.members.len() as u64)];
        row.extend(is_staged.then(|| list(&first.stages)));
        row.extend(match group.is_family {
            true => [first.dtype.clone(), sharded, String::new()],
            false => [first.type_text(), first.layout_text(), format!("{:?}", first.local_shape)],
        });
        row.push(bytes);
        row.extend(has_frozen.then(|| if first.frozen { "frozen".to_owned() } else { String::new() }));
        table.row(row);
    }
    table
}

impl ParamRow {
    /// Formats the global type: `f32[64, 512]`.
    pub(crate) fn type_text(&self) -> String {
        format!("{}{:?}", self.dtype, self.shape)
    }

    /// Formats the layout: `data, _`, or `scalar`.
    pub(crate) fn layout_text(&self) -> String {
        if self.layout.is_empty() { "scalar".into() } else { self.layout.clone() }
    }
}

/// Formats numbers: `0, 2`.
pub(crate) fn list(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

fn collectives_table(rows: &[CollectiveRow], model: &str, is_folded: bool) -> Table {
    use Align::{Left, Right};
    let is_priced = rows.iter().any(|row| row.cheapest.is_some());
    let is_staged = rows.iter().any(|row| row.stage.is_some());
    let mut head = vec![("collective", Left)];
    if is_staged {
        head.push(("stage", Left));
    }
    head.extend([("over", Left), ("payload", Right), ("", Right), ("total", Right)]);
    if is_priced {
        head.extend([("cheapest", Left), ("", Right)]);
    }
    head.extend([("cause", Left), ("source", Left)]);
    let mut table = Table::new(head);
    for group in collective_groups(rows, is_folded) {
        let Some(&(number, first)) = group.members.first() else { continue };
        let (runs, payload) = (group.runs(), first.payload_bytes);
        let number = if is_folded { String::new() } else { format!("#{number} ") };
        let mut row = vec![format!("{number}{}", first.kind)];
        row.extend(first.stage.map(|stage| stage.to_string()));
        let total = format_bytes(payload.saturating_mul(runs));
        row.extend([first.axes.join("+"), format_bytes(payload), times(runs), total]);
        if is_priced {
            let algorithm = first.cheapest.as_ref();
            row.push(algorithm.map_or_else(|| "none".to_owned(), |algorithm| algorithm.name.clone()));
            row.push(format_seconds(group.seconds()));
        }
        let origins = origins_text(group.members.iter().map(|(_, c)| c.origin.as_str()), model);
        row.extend([group.op, origins]);
        table.row(row);
    }
    table
}

pub(crate) fn transfers_table(rows: &[TransferRow], folded: bool) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("value", Left),
        ("", Right),
        ("from", Right),
        ("to", Right),
        ("each", Right),
        ("", Right),
        ("total", Right),
    ]);
    let key = |row: &TransferRow| {
        let name = if folded { pattern(&row.name) } else { row.name.clone() };
        (name, row.from, row.to, row.bytes, row.count)
    };
    for ((_, from, to, each, count), members) in group(rows, key) {
        table.row([
            title(members.iter().map(|row| row.name.as_str())),
            times(members.len() as u64),
            from.to_string(),
            to.to_string(),
            format_bytes(each),
            times(count),
            format_bytes(each.saturating_mul(count).saturating_mul(members.len() as u64)),
        ]);
    }
    table
}

pub(crate) fn phases_table(rows: &[PhaseRow]) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([("phase", Left), ("ops", Right), ("flops", Right), ("on a ring", Right)]);
    for row in rows {
        table.row([row.phase.to_string(), row.ops.to_string(), format_count(row.flops), format_bytes(row.wire_bytes)]);
    }
    table
}

pub(crate) fn fallbacks_table(rows: &[FallbackRow], model: &str) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([("operation", Left), ("", Right), ("over", Left), ("reason", Left), ("source", Left)]);
    let key = |r: &FallbackRow| {
        let op = r.op.split(' ').next().unwrap_or("").to_string();
        (op, r.dim, r.axes.clone(), r.why.clone())
    };
    for ((op, dim, axes, why), members) in group(rows, key) {
        let at = origins_text(members.iter().map(|r| r.origin.as_str()), model);
        table.row([format!("{op} dim {dim}"), times(members.len() as u64), axes.join("+"), why, at]);
    }
    table
}

/// Rows of equal contractions, at most `max_rows`, those with the most repeated FLOPs first. Shares are of the model's
/// FLOPs.
pub(crate) fn repeated_table(rows: &[RepeatedRow], model_flops: u64, model: &str, max_rows: usize) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("operation", Left),
        ("", Right),
        ("over", Left),
        ("repeated", Right),
        ("of all", Right),
        ("source", Left),
        ("sharded by", Left),
    ]);
    let key = |r: &RepeatedRow| {
        let op = r.op.split(' ').next().unwrap_or("").to_string();
        (op, r.axes.clone(), r.flops, r.annotation.as_deref().map(pattern))
    };
    let all = |members: &[&RepeatedRow]| members.iter().map(|r| r.flops.saturating_mul(r.count)).sum::<u64>();
    let mut groups: Vec<_> = group(rows, key).into_iter().collect();
    groups.sort_by_key(|(_, members)| std::cmp::Reverse(all(members)));
    let hidden = groups.len().saturating_sub(max_rows);
    for ((op, axes, ..), members) in &groups[..groups.len() - hidden] {
        let runs = members.iter().map(|r| r.count).fold(0, u64::saturating_add);
        let share = 100.0 * all(members) as f64 / model_flops.max(1) as f64;
        let flag = members.iter().find_map(|r| r.annotation.as_ref()).map(|text| format!("--shard '{text}'"));
        let others = match members.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        table.row([
            op.clone(),
            times(runs),
            axes.join("+"),
            format_count(all(members)),
            format!("{share:.1}%"),
            origins_text(members.iter().map(|r| r.origin.as_str()), model),
            flag.map_or_else(String::new, |flag| flag + &others),
        ]);
    }
    if hidden > 0 {
        let rest = groups[groups.len() - hidden..].iter().map(|(_, members)| all(members)).fold(0, u64::saturating_add);
        let share = 100.0 * rest as f64 / model_flops.max(1) as f64;
        table.row(["others".into(), times(hidden as u64), String::new(), format_count(rest), format!("{share:.1}%")]);
    }
    table
}

pub(crate) fn padded_table(rows: &[PaddedRow]) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("elements", Right),
        ("over", Left),
        ("shards", Left),
        ("wasted", Right),
        ("dimensions", Right),
        ("example", Left),
    ]);
    for row in rows {
        let all = row.shard_count.saturating_mul(row.shard_size);
        table.row([
            row.size.to_string(),
            row.axes.join("+"),
            format!("{} x {} = {all}", row.shard_count, row.shard_size),
            format!("{:.1}%", 100.0 * all.saturating_sub(row.size) as f64 / all.max(1) as f64),
            row.dims.to_string(),
            row.first.clone(),
        ]);
    }
    table
}

/// Formats source locations: lines such as `line 12, 40, 68 and 3 more` for the model's own file, `train.py:12, 40` for
/// files that the model names, otherwise paths of modules.
pub(crate) fn origins_text<'a>(origins: impl Iterator<Item = &'a str>, model: &str) -> String {
    let mut all: Vec<&str> = Vec::new();
    for origin in origins.filter(|o| !o.is_empty()) {
        if !all.contains(&origin) {
            all.push(origin);
        }
    }
    let (mut text, mut last_file) = (String::new(), None);
    for (i, origin) in all.iter().take(MAX_LISTED_ORIGINS).enumerate() {
        let line = origin.rsplit_once(':').filter(|(_, line)| line.bytes().all(|b| b.is_ascii_digit()));
        let separator = if i == 0 { "" } else { ", " };
        text += &match line {
            None => format!("{separator}{origin}"),
            Some((file, line)) if last_file == Some(file) => format!("{separator}{line}"),
            Some((file, line)) if file == model => format!("{separator}line {line}"),
            Some((file, line)) => format!("{separator}{}:{line}", file.rsplit('/').next().unwrap_or(file)),
        };
        last_file = line.map(|(file, _)| file);
    }
    match all.len().saturating_sub(MAX_LISTED_ORIGINS) {
        0 => text,
        n => format!("{text} and {n} more"),
    }
}

pub(crate) fn times(n: u64) -> String {
    if n == 1 { String::new() } else { format!("x {n}") }
}

pub(crate) fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::origins_text;

    #[test]
    fn lines_of_a_file_are_listed_together() {
        let text = |origins: &[&str]| origins_text(origins.iter().copied(), "dir/model.mlir");
        assert_eq!(text(&["dir/model.mlir:3", "dir/model.mlir:9"]), "line 3, 9");
        assert_eq!(
            text(&["/src/train.py:3", "/src/train.py:9", "/src/train.py:3", "/src/loss.py:2"]),
            "train.py:3, 9, loss.py:2"
        );
        assert_eq!(
            text(&["blocks.0", "", "blocks.1", "blocks.2", "blocks.3"]),
            "blocks.0, blocks.1, blocks.2 and 1 more"
        );
        assert_eq!(text(&[]), "");
    }
}
