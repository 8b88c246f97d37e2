//! Figures of a report: totals of one device, and figures of each stage.

use super::{Align, Report, Table};
use partita_ir::units::{format_bytes, format_count};

impl Report {
    /// Returns the figures of one device of each stage.
    pub(crate) fn stages_table(&self) -> Table {
        use Align::{Left, Right};
        let mut table = Table::new([
            ("stage", Left),
            ("parameters", Right),
            ("", Right),
            ("optimizer", Right),
            ("gradients", Right),
            ("stored", Right),
            ("in flight", Right),
            ("peak", Right),
            ("flops", Right),
            ("collectives", Right),
            ("sent", Right),
        ]);
        for (number, stage) in self.stages.iter().enumerate() {
            table.row([
                number.to_string(),
                stage.parameters.to_string(),
                format_bytes(stage.parameter_bytes),
                format_bytes(stage.state_bytes),
                format_bytes(stage.gradient_bytes),
                format_bytes(stage.stored_bytes),
                stage.in_flight.to_string(),
                format_bytes(stage.peak_bytes),
                format_count(stage.flops),
                format_bytes(stage.collective_bytes),
                format_bytes(stage.sent_bytes),
            ]);
        }
        table
    }

    /// Returns the names and values of the totals of one device and run.
    pub(crate) fn figures(&self) -> Vec<(&'static str, String)> {
        let t = &self.totals;
        let kinds: Vec<String> = t
            .by_kind
            .iter()
            .filter(|(_, k)| k.count > 0)
            .map(|(kind, k)| format!("{} {kind} {}", k.count, format_bytes(k.payload_bytes)))
            .collect();
        let kinds = if kinds.is_empty() { String::new() } else { format!("  ({})", kinds.join(", ")) };
        let share = match t.model_flops {
            0 => String::new(),
            all => format!("  ({:.1}% of one device's {})", 100.0 * t.flops as f64 / all as f64, format_count(all)),
        };
        let peak = format!("  (parameters and inputs {})", format_bytes(self.memory.entry_bytes));
        let m = &self.memory;
        let frozen = match m.frozen_bytes {
            0 => String::new(),
            bytes => format!(" ({} of them frozen)", format_bytes(bytes)),
        };
        let held = [
            (m.parameter_bytes, "parameters", &frozen[..]),
            (m.state_bytes, "optimizer", ""),
            (m.copy_bytes, "derived from parameters", ""),
            (m.gradient_bytes, "gradients", ""),
            (m.activation_bytes, "activations", ""),
        ];
        let held: Vec<String> = held
            .iter()
            .filter(|(bytes, ..)| *bytes > 0)
            .map(|(bytes, what, note)| format!("{what} {}{note}", format_bytes(*bytes)))
            .collect();
        let repeated = match t.repeated_flops {
            0 => String::new(),
            repeated => format!("; {} of them repeat the work of other devices", format_count(repeated)),
        };
        let fallbacks = match self.fallbacks.len() {
            0 => "none".to_string(),
            n => n.to_string(),
        };
        let mut figures = vec![
            ("payload", format!("{}{kinds}", format_bytes(t.payload_bytes))),
            ("on a ring", format_bytes(t.wire_bytes)),
            ("flops", format!("{}{share}{repeated}", format_count(t.flops))),
            ("peak", format!("{}{peak}", format_bytes(self.memory.peak_bytes))),
        ];
        if !self.phases.is_empty() && !held.is_empty() {
            figures.push(("stored", held.join(", ")));
        }
        figures.push(("fallbacks", fallbacks));
        figures
    }
}
