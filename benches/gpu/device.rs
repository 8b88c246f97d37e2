//! What a GPU does while it is measured: clocks, power and temperature, as `nvidia-smi` says.

use serde_json::{Value, json};
use std::process::Command;

/// What is asked, and the name and unit under which it is written down.
const ASKED: [(&str, &str); 6] = [
    ("name", "device"),
    ("driver_version", "driver"),
    ("clocks.sm", "sm_mhz"),
    ("clocks.mem", "memory_mhz"),
    ("power.draw", "watts"),
    ("temperature.gpu", "celsius"),
];

/// The first GPU as it is now; nothing where there is no `nvidia-smi`.
pub fn now() -> Option<Value> {
    let query = format!("--query-gpu={}", ASKED.map(|(asked, _)| asked).join(","));
    let ended = Command::new("nvidia-smi").args([&query, "--format=csv,noheader,nounits"]).output().ok()?;
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    read(text.lines().next().filter(|_| ended.status.success())?)
}

/// A line of `nvidia-smi`: numbers where they are some.
fn read(line: &str) -> Option<Value> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let mut value = json!({});
    for ((_, name), field) in ASKED.iter().zip(&fields) {
        // A driver's version is no number, though it may look like one.
        value[name] = match field.parse::<f64>() {
            Ok(number) if *name != "driver" => json!(number),
            _ => json!(field),
        };
    }
    (fields.len() == ASKED.len()).then_some(value)
}
