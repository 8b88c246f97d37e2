//! Output in Chrome's trace event format, which Perfetto reads (<https://ui.perfetto.dev>): complete events (`X`) on
//! threads, counters (`C`), and metadata (`M`) with the names of processes and threads. Groups become processes. Times
//! are in microseconds.

use super::Timeline;
use indexmap::IndexMap;
use serde::Serialize;
use smol_str::SmolStr;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// JSON object.
type Entries<'a, T> = BTreeMap<&'a str, T>;

/// Event of the trace. Fields have the names of the JSON format: `ts` is the start and `dur` the duration in
/// microseconds.
#[derive(Serialize)]
#[serde(tag = "ph")]
enum TraceEvent<'a> {
    #[serde(rename = "M")]
    Name { name: &'a str, pid: usize, tid: usize, args: Entries<'a, &'a str> },
    #[serde(rename = "M")]
    Order { name: &'a str, pid: usize, tid: usize, args: Entries<'a, usize> },
    #[serde(rename = "X")]
    Span {
        name: &'a str,
        cat: &'a str,
        pid: usize,
        tid: usize,
        ts: f64,
        dur: f64,
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        args: Entries<'a, &'a str>,
    },
    #[serde(rename = "C")]
    Sample { name: &'a str, pid: usize, ts: f64, args: Entries<'a, f64> },
}

impl Timeline {
    /// Writes the trace as JSON, one event per line.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write_trace(&self, mut to: impl Write) -> io::Result<()> {
        let mut groups: IndexMap<&SmolStr, usize> = IndexMap::new();
        for group in self.tracks.iter().map(|t| &t.group).chain(self.counters.iter().map(|c| &c.group)) {
            let number = groups.len() + 1;
            groups.entry(group).or_insert(number);
        }
        let pid = |group: &SmolStr| groups.get(group).copied().unwrap_or_default();
        to.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
        let mut is_first = true;
        let mut put = |event: TraceEvent<'_>| {
            let line: &[u8] = if std::mem::take(&mut is_first) { b"\n" } else { b",\n" };
            to.write_all(line)?;
            serde_json::to_writer(&mut to, &event).map_err(io::Error::from)
        };
        for (group, &pid) in &groups {
            put(TraceEvent::Name { name: "process_name", pid, tid: 0, args: single_entry("name", group.as_str()) })?;
            put(TraceEvent::Order { name: "process_sort_index", pid, tid: 0, args: single_entry("sort_index", pid) })?;
        }
        for (tid, track) in (1..).zip(&self.tracks) {
            let pid = pid(&track.group);
            put(TraceEvent::Name { name: "thread_name", pid, tid, args: single_entry("name", track.name.as_str()) })?;
            put(TraceEvent::Order { name: "thread_sort_index", pid, tid, args: single_entry("sort_index", tid) })?;
        }
        for (tid, spans) in (1..).zip(self.spans_by_track()) {
            for span in spans {
                put(TraceEvent::Span {
                    name: &span.name,
                    cat: span.category.name(),
                    pid: pid(&self.tracks[tid - 1].group),
                    tid,
                    ts: micro(span.start),
                    dur: micro(span.seconds),
                    args: span.arguments.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
                })?;
            }
        }
        for counter in &self.counters {
            for &(at, amount) in &counter.samples {
                let name = counter.name.as_str();
                put(TraceEvent::Sample {
                    name,
                    pid: pid(&counter.group),
                    ts: micro(at),
                    args: single_entry(name, amount),
                })?;
            }
        }
        to.write_all(b"\n]}\n")
    }
}

fn single_entry<T>(name: &str, value: T) -> Entries<'_, T> {
    BTreeMap::from([(name, value)])
}

/// Returns microseconds, rounded to picoseconds to hide rounding errors.
fn micro(seconds: f64) -> f64 {
    (seconds * 1e12).round() / 1e6
}
