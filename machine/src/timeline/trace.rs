//! The trace event format of Chrome's catapult, which Perfetto reads (<https://ui.perfetto.dev>): complete events (`X`)
//! on threads, counters (`C`), and metadata (`M`) with the names of processes and threads. Groups are processes. Times
//! are microseconds.

use super::Timeline;
use indexmap::IndexMap;
use serde::Serialize;
use smol_str::SmolStr;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A JSON object.
type Entries<'a, T> = BTreeMap<&'a str, T>;

#[derive(Serialize)]
#[serde(tag = "ph")]
enum Event<'a> {
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
    /// Writes the JSON of a trace, an event a line.
    ///
    /// # Errors
    /// What the writer says.
    pub fn trace(&self, mut to: impl Write) -> io::Result<()> {
        let mut groups: IndexMap<&SmolStr, usize> = IndexMap::new();
        for group in self.tracks.iter().map(|t| &t.group).chain(self.counters.iter().map(|c| &c.group)) {
            let number = groups.len() + 1;
            groups.entry(group).or_insert(number);
        }
        let pid = |group: &SmolStr| groups.get(group).copied().unwrap_or_default();
        to.write_all(b"{\"displayTimeUnit\":\"ms\",\"traceEvents\":[")?;
        let mut is_first = true;
        let mut put = |event: Event<'_>| {
            let line: &[u8] = if std::mem::take(&mut is_first) { b"\n" } else { b",\n" };
            to.write_all(line)?;
            serde_json::to_writer(&mut to, &event).map_err(io::Error::from)
        };
        for (group, &pid) in &groups {
            put(Event::Name { name: "process_name", pid, tid: 0, args: one("name", group.as_str()) })?;
            put(Event::Order { name: "process_sort_index", pid, tid: 0, args: one("sort_index", pid) })?;
        }
        for (tid, track) in (1..).zip(&self.tracks) {
            let pid = pid(&track.group);
            put(Event::Name { name: "thread_name", pid, tid, args: one("name", track.name.as_str()) })?;
            put(Event::Order { name: "thread_sort_index", pid, tid, args: one("sort_index", tid) })?;
        }
        for (tid, spans) in (1..).zip(self.by_track()) {
            for span in spans {
                put(Event::Span {
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
                put(Event::Sample { name, pid: pid(&counter.group), ts: micro(at), args: one(name, amount) })?;
            }
        }
        to.write_all(b"\n]}\n")
    }
}

fn one<T>(name: &str, value: T) -> Entries<'_, T> {
    BTreeMap::from([(name, value)])
}

/// Microseconds, to the picosecond: what is finer is rounding.
fn micro(seconds: f64) -> f64 {
    (seconds * 1e12).round() / 1e6
}
