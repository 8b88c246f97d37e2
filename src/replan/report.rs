//! A new plan and what moves for it, as text and as JSON.

use super::Replan;
use crate::report::{Align, Table};
use partita_ir::units::bytes;
use partita_search::replan::Move;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// So many pairs of devices are listed.
const LISTED: usize = 16;

impl Replan {
    /// As JSON, with everything that moves.
    pub fn to_json(&self) -> String {
        let moves = &self.replanned.placed.moves;
        let one = |one: &Move| {
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
            "kept_bytes": moves.kept,
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
        writeln!(f, "{} on {}: {before} devices before, {now} of {available} now{lost}", self.model, self.machine)?;
        writeln!(f)?;
        let mut line = |name: &str, text: String| writeln!(f, "  {name:<10} {text}");
        line("step", format!("{:.6} s before, {:.6} s now", self.replanned.seconds_before, self.replanned.seconds))?;
        line(
            "moves",
            format!("{}; no choice of devices moves less than {}", bytes(moves.bytes()), bytes(moves.bound)),
        )?;
        line("stays", bytes(moves.kept))?;
        if moves.read_bytes() > 0 {
            line(
                "checkpoint",
                format!("{} of what moves, of which no device is left that has it", bytes(moves.read_bytes())),
            )?;
        }
        if self.replanned.placed.new_tensors > 0 {
            line(
                "begins",
                format!(
                    "{} of {} tensors that the present plan does not keep",
                    bytes(self.replanned.placed.new_bytes),
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
            let (pieces, bytes) = pairs.entry((one.from, one.to)).or_default();
            *pieces += 1;
            *bytes += one.bytes;
        }
        let mut table = Table::new([("from", Left), ("to", Right), ("pieces", Right), ("bytes", Right)]);
        for ((from, to), (pieces, all)) in pairs.iter().take(LISTED) {
            let from = from.map_or_else(|| "checkpoint".to_string(), |from| from.to_string());
            table.row([from, to.to_string(), pieces.to_string(), bytes(*all)]);
        }
        write!(f, "\n{table}")?;
        if pairs.len() > LISTED {
            writeln!(f, "  and {} more", pairs.len() - LISTED)?;
        }
        Ok(())
    }
}
