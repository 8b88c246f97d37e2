//! Text and JSON output of a new plan and its transfers.

use super::Replan;
use crate::report::{Align, Table};
use partita_ir::units::{format_bytes, format_seconds};
use partita_search::replan::ShardMove;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// Maximum number of device pairs in the table.
const MAX_LISTED_PAIRS: usize = 16;

impl Replan {
    /// Formats the plan and all transfers as a JSON object.
    pub fn to_json(&self) -> String {
        let moves = &self.replanned.placed.moves;
        let one = |one: &ShardMove| {
            json!({
                "from": one.from,
                "to": one.to,
                "tensor": self.replanned.placed.tensors[one.tensor].name,
                "box": one.region.iter().map(|range| [range.start, range.end]).collect::<Vec<_>>(),
                "bytes": one.bytes,
            })
        };
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "model": self.model,
            "machine": self.machine,
            "lost": self.change.lost,
            "frozen": self.change.freeze.iter().map(|path| path.text.as_str()).collect::<Vec<_>>(),
            "devices_before": self.replanned.devices_before,
            "devices_available": self.replanned.available.len(),
            "devices": self.replanned.placed.stages,
            "step_seconds_before": self.replanned.seconds_before,
            "step_seconds_searched": self.replanned.seconds_searched,
            "step_seconds": self.replanned.seconds,
            "moved_bytes": moves.bytes(),
            "bound_bytes": moves.bound,
            "kept_bytes": moves.retained,
            "read_bytes": moves.read_bytes(),
            "most_sent_bytes": moves.most_sent(),
            "new_bytes": self.replanned.placed.new_bytes,
            "plans_laid": self.replanned.plans_placed,
            "plan": self.replanned.plan.to_toml(),
            "moves": moves.all.iter().map(one).collect::<Vec<Value>>(),
        });
        format!("{object:#}")
    }
}

impl fmt::Display for Replan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Align::{Left, Right};
        let moves = &self.replanned.placed.moves;
        let now: usize = self.replanned.placed.stages.iter().map(Vec::len).sum();
        let lost: Vec<String> = self.change.lost.iter().map(ToString::to_string).collect();
        let lost = if lost.is_empty() { String::new() } else { format!(", lost {}", lost.join(",")) };
        let (before, available) = (self.replanned.devices_before, self.replanned.available.len());
        writeln!(
            f,
            "{} on {}: uses {now} of {available} available devices{lost}; the previous plan used {before}",
            self.model, self.machine
        )?;
        writeln!(f)?;
        let mut line = |name: &str, text: String| writeln!(f, "  {name:<10} {text}");
        let [before, now] = [self.replanned.seconds_before, self.replanned.seconds].map(format_seconds);
        line("step", format!("{before} before, {now} now"))?;
        line(
            "transfers",
            format!(
                "{} (minimum for any choice of devices: {})",
                format_bytes(moves.bytes()),
                format_bytes(moves.bound)
            ),
        )?;
        line("unmoved", format_bytes(moves.retained))?;
        if moves.read_bytes() > 0 {
            line(
                "checkpoint",
                format!(
                    "{} of the transfers, since no remaining device stores the data",
                    format_bytes(moves.read_bytes())
                ),
            )?;
        }
        if self.replanned.placed.new_tensors > 0 {
            line(
                "new",
                format!(
                    "{} of {} tensors that the present plan does not store",
                    format_bytes(self.replanned.placed.new_bytes),
                    self.replanned.placed.new_tensors
                ),
            )?;
        }
        for (number, devices) in self.replanned.placed.stages.iter().enumerate() {
            let name =
                if self.replanned.placed.stages.len() > 1 { format!("stage {number}") } else { "devices".to_string() };
            line(&name, devices.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))?;
        }
        if moves.all.is_empty() {
            return Ok(());
        }
        let mut pairs: BTreeMap<(Option<usize>, usize), (usize, u64)> = BTreeMap::new();
        for one in &moves.all {
            let (regions, bytes) = pairs.entry((one.from, one.to)).or_default();
            *regions += 1;
            *bytes += one.bytes;
        }
        let mut table = Table::new([("from", Left), ("to", Right), ("regions", Right), ("bytes", Right)]);
        for ((from, to), (regions, all)) in pairs.iter().take(MAX_LISTED_PAIRS) {
            let from = from.map_or_else(|| "checkpoint".to_string(), |from| from.to_string());
            table.row([from, to.to_string(), regions.to_string(), format_bytes(*all)]);
        }
        write!(f, "\n{table}")?;
        if pairs.len() > MAX_LISTED_PAIRS {
            writeln!(f, "  and {} more", pairs.len() - MAX_LISTED_PAIRS)?;
        }
        Ok(())
    }
}
