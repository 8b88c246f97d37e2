//! Text tables with aligned columns.

use std::fmt::Write;

/// Alignment of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    /// Left-aligned.
    Left,
    /// Right-aligned.
    Right,
}

/// Text table with a header row. Columns are as wide as their widest cell.
pub struct Table {
    head: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table without rows.
    pub fn new(head: impl IntoIterator<Item = (impl Into<String>, Align)>) -> Table {
        Table { head: head.into_iter().map(|(title, align)| (title.into(), align)).collect(), rows: Vec::new() }
    }

    /// Appends a row. It must have as many cells as the header.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Title and alignment of each column.
    pub(crate) fn head(&self) -> &[(String, Align)] {
        &self.head
    }

    /// Cells of each row.
    pub(crate) fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let head: Vec<String> = self.head.iter().map(|(title, _)| title.clone()).collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align() {
        let mut table = Table::new([("name", Align::Left), ("size", Align::Right)]);
        table.row(["a".into(), "1000".into()]);
        table.row(["longer".into(), "1".into()]);
        assert_eq!(table.to_string(), "  name    size\n  a       1000\n  longer     1\n");
    }
}
