//! Aligned columns, and numbers as people read them.

use std::fmt::Write;

/// How a column is aligned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells under a head; columns are as wide as their widest cell.
pub(crate) struct Table {
    head: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// No rows yet.
    pub(crate) fn new(head: impl IntoIterator<Item = (&'static str, Align)>) -> Table {
        Table { head: head.into_iter().collect(), rows: Vec::new() }
    }

    /// Appends a row; as many cells as the head has.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let head: Vec<String> = self.head.iter().map(|(title, _)| (*title).to_string()).collect();
        let lines = || std::iter::once(&head).chain(&self.rows);
        let width = |column: usize| lines().filter_map(|l| l.get(column)).map(|c| c.chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        for cells in lines() {
            let mut line = String::from(" ");
            for ((cell, width), (_, align)) in cells.iter().zip(&widths).zip(&self.head) {
                match align {
                    Align::Left => write!(line, " {cell:<width$} ")?,
                    Align::Right => write!(line, " {cell:>width$} ")?,
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Bytes in the largest binary unit that leaves at least one before the point: `1.5 MiB`.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if n < 1024 {
        return format!("{n} B");
    }
    scaled(n as f64 / 1024.0, 1024.0, &UNITS)
}

/// A count in the largest decimal unit: `1.5 G`.
pub(crate) fn count(n: u64) -> String {
    const UNITS: [&str; 6] = ["k", "M", "G", "T", "P", "E"];
    if n < 1000 {
        return n.to_string();
    }
    scaled(n as f64 / 1000.0, 1000.0, &UNITS)
}

fn scaled(mut x: f64, step: f64, units: &[&'static str]) -> String {
    let mut unit = 0;
    // 1023.97 would print as 1024.0, which reads badly: it belongs to the next unit.
    while x >= step - 0.05 && unit + 1 < units.len() {
        x /= step;
        unit += 1;
    }
    format!("{x:.1} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_choose_their_unit() {
        let shown = [0, 1023, 1024, 1536, 1024 * 1024 - 1, 10_500_000, u64::MAX].map(bytes);
        assert_eq!(shown, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "1.0 MiB", "10.0 MiB", "16.0 EiB"]);
    }

    #[test]
    fn counts_choose_their_unit() {
        assert_eq!([999, 1000, 1_250_000].map(count), ["999", "1.0 k", "1.2 M"]);
    }

    #[test]
    fn columns_align() {
        let mut table = Table::new([("name", Align::Left), ("size", Align::Right)]);
        table.row(["a".into(), "1000".into()]);
        table.row(["longer".into(), "1".into()]);
        assert_eq!(table.to_string(), "  name    size\n  a       1000\n  longer     1\n");
    }
}
