//! State of a GPU during measurements: clocks, power and temperature reported by `nvidia-smi`.

use serde_json::{Value, json};
use std::process::Command;

/// `nvidia-smi` query fields, and the names and units under which their values are recorded.
const QUERY_FIELDS: [(&str, &str); 6] = [
    ("name", "device"),
    ("driver_version", "driver"),
    ("clocks.sm", "sm_mhz"),
    ("clocks.mem", "memory_mhz"),
    ("power.draw", "watts"),
    ("temperature.gpu", "celsius"),
];

/// Returns the current state of the first GPU, or `None` without `nvidia-smi`.
pub fn current_state() -> Option<Value> {
    let query = format!("--query-gpu={}", QUERY_FIELDS.map(|(asked, _)| asked).join(","));
    let ended = Command::new("nvidia-smi").args([&query, "--format=csv,noheader,nounits"]).output().ok()?;
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    parse_line(text.lines().next().filter(|_| ended.status.success())?)
}

/// Parses a line of `nvidia-smi`; numeric fields become JSON numbers.
fn parse_line(line: &str) -> Option<Value> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let mut value = json!({});
    for ((_, name), field) in QUERY_FIELDS.iter().zip(&fields) {
        // Driver versions may look like numbers, but stay strings.
        value[name] = match field.parse::<f64>() {
            Ok(number) if *name != "driver" => json!(number),
            _ => json!(field),
        };
    }
    (fields.len() == QUERY_FIELDS.len()).then_some(value)
}
