//! A report for people: a few short tables, repeated rows folded.

use super::fold::{family, group, pattern, title};
use super::table::{Align, Table};
use super::{CollectiveRow, FallbackRow, PaddedRow, ParamRow, PhaseRow, Report, Schedule, TransferRow};
use partita_ir::units::{bytes, count, time};
use std::fmt;

/// How many origins a folded row lists before it says "and n more".
const ORIGINS: usize = 3;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, true)
    }
}

/// A report that prints every row.
pub struct Unfolded<'a>(&'a Report);

impl fmt::Display for Unfolded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, false)
    }
}

impl Report {
    /// The same report, printing every parameter and collective.
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
        writeln!(f, "\n{}", params(&self.params, folded))?;
        if self.collectives.is_empty() {
            let who = if self.schedule.is_some() { "the devices of a stage" } else { "the devices" };
            writeln!(f, "no collectives: {who} never communicate")?;
        } else {
            write!(f, "{}", collectives(&self.collectives, &self.model, folded))?;
        }
        if !self.transfers.is_empty() {
            write!(f, "\nsent between stages\n{}", transfers(&self.transfers, folded))?;
        }
        if !self.fallbacks.is_empty() {
            write!(
                f,
                "\ngathered, because the operation cannot be split there\n{}",
                fallbacks(&self.fallbacks, &self.model)
            )?;
        }
        if !self.padded.is_empty() {
            write!(f, "\npadded, because the axes do not divide the dimension\n{}", padded(&self.padded))?;
        }
        if !self.phases.is_empty() {
            let how = if self.phases_inferred { ", found out from its updates" } else { "" };
            write!(f, "\nparts of the training step{how}\n{}", phases(&self.phases))?;
        }
        if let Some(rewriting) = &self.rewriting {
            write!(f, "\n{rewriting}")?;
        }
        writeln!(f, "\n{}", self.summary())
    }

    /// The stages, what each of them comes to, and when it works.
    fn write_stages(&self, f: &mut fmt::Formatter<'_>, schedule: &Schedule) -> fmt::Result {
        use Align::{Left, Right};
        let mut meshes: Vec<&str> = self.stages.iter().map(|stage| stage.mesh.as_str()).collect();
        if meshes.windows(2).all(|pair| pair[0] == pair[1]) {
            meshes.truncate(1);
        }
        let stages = plural(self.stages.len(), "stage");
        let devices = plural(self.devices, "device");
        writeln!(f, "{}: {stages} of {} on {devices}, {}\n", self.model, meshes.join(" | "), schedule.summary)?;
        let mut table = Table::new([
            ("stage", Left),
            ("parameters", Right),
            ("", Right),
            ("optimizer", Right),
            ("gradients", Right),
            ("kept", Right),
            ("in flight", Right),
            ("peak", Right),
            ("GFLOP", Right),
            ("collectives", Right),
            ("sent", Right),
        ]);
        for (number, stage) in self.stages.iter().enumerate() {
            table.row([
                number.to_string(),
                stage.parameters.to_string(),
                bytes(stage.parameter_bytes),
                bytes(stage.state_bytes),
                bytes(stage.gradient_bytes),
                bytes(stage.kept_bytes),
                stage.in_flight.to_string(),
                bytes(stage.peak_bytes),
                format!("{:.1}", stage.flops as f64 / 1e9),
                bytes(stage.collective_bytes),
                bytes(stage.sent_bytes),
            ]);
        }
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "  all of it for one device of a stage; kept is what a micro-batch in flight holds, peak all at one time"
        )?;
        writeln!(
            f,
            "  bubble {:.1} %, if gradients took twice as long as the forward pass and sending no time",
            100.0 * schedule.bubble
        )?;
        write!(f, "\n{}", schedule.drawing)
    }

    /// Per device and run, in a few lines.
    fn summary(&self) -> String {
        let t = &self.totals;
        let kinds: Vec<String> = t
            .by_kind
            .iter()
            .filter(|(_, k)| k.count > 0)
            .map(|(kind, k)| format!("{} {kind} {}", k.count, bytes(k.payload_bytes)))
            .collect();
        let kinds = if kinds.is_empty() { String::new() } else { format!("  ({})", kinds.join(", ")) };
        let share = match t.model_flops {
            0 => String::new(),
            all => format!("  ({:.1}% of one device's {})", 100.0 * t.flops as f64 / all as f64, count(all)),
        };
        let peak = format!("  (parameters and inputs {})", bytes(self.memory.entry_bytes));
        let m = &self.memory;
        let held = [
            (m.parameter_bytes, "parameters"),
            (m.state_bytes, "optimizer"),
            (m.copy_bytes, "narrow copies"),
            (m.gradient_bytes, "gradients"),
            (m.activation_bytes, "activations"),
        ];
        let held: Vec<String> =
            held.iter().filter(|h| h.0 > 0).map(|(n, what)| format!("{what} {}", bytes(*n))).collect();
        let held = if self.phases.is_empty() { Vec::new() } else { vec![format!("  holds      {}", held.join(", "))] };
        let fallbacks = match self.fallbacks.len() {
            0 => "none".to_string(),
            n => n.to_string(),
        };
        let lines = [
            if self.stages.len() > 1 { "the most of any device, each run" } else { "each device, each run" }
                .to_string(),
            format!("  payload    {}{kinds}", bytes(t.payload_bytes)),
            format!("  on a ring  {}", bytes(t.wire_bytes)),
            format!("  flops      {}{share}", count(t.flops)),
            format!("  peak       {}{peak}", bytes(self.memory.peak_bytes)),
        ];
        lines.into_iter().chain(held).chain([format!("  fallbacks  {fallbacks}")]).collect::<Vec<_>>().join("\n")
    }
}

fn params(rows: &[ParamRow], folded: bool) -> Table {
    use Align::{Left, Right};
    let is_staged = rows.iter().any(|row| !row.stages.is_empty());
    let mut head = vec![("parameter or input", Left), ("", Right)];
    if is_staged {
        head.push(("stage", Left));
    }
    head.extend([("type", Left), ("layout", Left), ("on a device", Left), ("bytes", Right)]);
    let mut table = Table::new(head);
    let is_family = |name: &str| name.ends_with(".**");
    let key = |p: &ParamRow| match family(&p.name) {
        _ if !folded => (p.name.clone(), p.stages.clone(), p.dtype.clone(), p.shape.clone(), p.layout.clone()),
        // The state of an optimizer is as manifold as the parameters: one line for each kind of it.
        family if is_family(&family) => (family, p.stages.clone(), p.dtype.clone(), Vec::new(), String::new()),
        _ => (pattern(&p.name), p.stages.clone(), p.dtype.clone(), p.shape.clone(), p.layout.clone()),
    };
    for ((name, stages, ..), members) in group(rows, key) {
        let Some(first) = members.first() else { continue };
        let stages: Vec<String> = stages.iter().map(usize::to_string).collect();
        let stages = is_staged.then(|| stages.join(", "));
        if is_family(&name) {
            let split = |p: &&&ParamRow| p.layout.split([',', '+']).any(|axis| !matches!(axis.trim(), "" | "_"));
            let parts = members.iter().filter(split).count();
            let mut row = vec![name, times(members.len() as u64)];
            row.extend(stages);
            row.extend([first.dtype.clone(), format!("{parts} of them split"), String::new()]);
            row.push(bytes(members.iter().map(|p| p.local_bytes).sum()));
            table.row(row);
            continue;
        }
        let mut row = vec![title(members.iter().map(|p| p.name.as_str())), times(members.len() as u64)];
        row.extend(stages);
        row.extend([
            format!("{}{:?}", first.dtype, first.shape),
            if first.layout.is_empty() { "scalar".into() } else { first.layout.clone() },
            format!("{:?}", first.local_shape),
            bytes(members.iter().map(|p| p.local_bytes).sum()),
        ]);
        table.row(row);
    }
    table
}

fn collectives(rows: &[CollectiveRow], model: &str, folded: bool) -> Table {
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
    head.extend([("because of", Left), ("at", Left)]);
    let mut table = Table::new(head);
    let indexed: Vec<(usize, &CollectiveRow)> = rows.iter().enumerate().collect();
    let key = |(index, c): &(usize, &CollectiveRow)| {
        let op = c.op.split(' ').next().unwrap_or("").to_string();
        let place = if folded { (op, 0) } else { (c.op.clone(), index + 1) };
        (place, c.kind, c.stage, c.axes.clone(), c.payload_bytes)
    };
    for ((place, kind, stage, axes, payload), members) in group(&indexed, key) {
        let runs: u64 = members.iter().map(|(_, c)| c.count).sum();
        let number = if folded { String::new() } else { format!("#{} ", place.1) };
        let mut row = vec![format!("{number}{kind}")];
        row.extend(stage.map(|stage| stage.to_string()));
        row.extend([axes.join("+"), bytes(payload), times(runs), bytes(payload.saturating_mul(runs))]);
        if is_priced {
            let seconds =
                |(_, c): &&(usize, &CollectiveRow)| c.cheapest.as_ref().map(|way| way.seconds * c.count as f64);
            let way = members.first().and_then(|(_, c)| c.cheapest.as_ref());
            row.push(way.map_or_else(|| "no way".to_owned(), |way| way.name.clone()));
            row.push(time(members.iter().filter_map(seconds).sum()));
        }
        row.extend([place.0, origins(members.iter().map(|(_, c)| c.origin.as_str()), model)]);
        table.row(row);
    }
    table
}

fn transfers(rows: &[TransferRow], folded: bool) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("value", Left),
        ("", Right),
        ("from", Right),
        ("to", Right),
        ("each time", Right),
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
            bytes(each),
            times(count),
            bytes(each.saturating_mul(count).saturating_mul(members.len() as u64)),
        ]);
    }
    table
}

fn phases(rows: &[PhaseRow]) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([("part", Left), ("ops", Right), ("flops", Right), ("on a ring", Right)]);
    for row in rows {
        table.row([row.phase.to_string(), row.ops.to_string(), count(row.flops), bytes(row.wire_bytes)]);
    }
    table
}

fn fallbacks(rows: &[FallbackRow], model: &str) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([("operation", Left), ("", Right), ("over", Left), ("why", Left), ("at", Left)]);
    let key = |r: &FallbackRow| {
        let op = r.op.split(' ').next().unwrap_or("").to_string();
        (op, r.dim, r.axes.clone(), r.why.clone())
    };
    for ((op, dim, axes, why), members) in group(rows, key) {
        let at = origins(members.iter().map(|r| r.origin.as_str()), model);
        table.row([format!("{op} dim {dim}"), times(members.len() as u64), axes.join("+"), why, at]);
    }
    table
}

fn padded(rows: &[PaddedRow]) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new([
        ("elements", Right),
        ("over", Left),
        ("in pieces of", Left),
        ("wasted", Right),
        ("dimensions", Right),
        ("such as", Left),
    ]);
    for row in rows {
        let all = row.pieces.saturating_mul(row.piece);
        table.row([
            row.size.to_string(),
            row.axes.join("+"),
            format!("{} x {} = {all}", row.pieces, row.piece),
            format!("{:.1}%", 100.0 * all.saturating_sub(row.size) as f64 / all.max(1) as f64),
            row.dims.to_string(),
            row.first.clone(),
        ]);
    }
    table
}

/// `line 12, 40, 68 and 3 more` in the model's own file, else the paths of modules.
fn origins<'a>(origins: impl Iterator<Item = &'a str>, model: &str) -> String {
    let mut all: Vec<&str> = Vec::new();
    let mut in_model = false;
    for origin in origins.filter(|o| !o.is_empty()) {
        let line = origin.strip_prefix(model).and_then(|rest| rest.strip_prefix(':'));
        in_model |= line.is_some();
        let place = line.unwrap_or(origin);
        if !all.contains(&place) {
            all.push(place);
        }
    }
    let shown = all.iter().take(ORIGINS).copied().collect::<Vec<_>>().join(", ");
    let more = match all.len().saturating_sub(ORIGINS) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    format!("{}{shown}{more}", if in_model { "line " } else { "" })
}

fn times(n: u64) -> String {
    if n == 1 { String::new() } else { format!("x {n}") }
}

pub(crate) fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
