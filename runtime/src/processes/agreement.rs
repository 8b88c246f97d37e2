//! Comparison of what ranks are about to execute. Every rank compiles by itself, and results are only defined if all
//! compile the same.

use super::Processes;
use partita_ir::diag::{Code, Diagnostic};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Text that must be equal on all ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    name: &'static str,
    hash: u64,
    /// The text, if it is short.
    shown: String,
}

/// Largest number of bytes of a text that is shown when ranks disagree.
const MAX_SHOWN_BYTES: usize = 60;

impl Item {
    /// Creates an item.
    pub fn new(name: &'static str, text: &str) -> Item {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let shown = if text.len() <= MAX_SHOWN_BYTES { text.trim().replace('\n', "; ") } else { String::new() };
        Item { name, hash: hasher.finish(), shown }
    }
}

/// Compares the items of all ranks with those of rank 0.
///
/// # Errors
/// `R005` with the rank and the item that differs, on every rank.
pub fn agree(processes: &Processes, items: &[Item]) -> Result<(), Diagnostic> {
    let lines = items.iter().map(|item| format!("{:016x} {}\n", item.hash, item.shown)).collect::<String>();
    let all = processes.all_gather(lines.as_bytes())?;
    let texts: Vec<String> = all.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    let first: Vec<&str> = texts.first().map_or(Vec::new(), |text| text.lines().collect());
    for (rank, text) in texts.iter().enumerate() {
        let mut lines = first.iter().zip(text.lines()).zip(items);
        if let Some(((expected, found), item)) = lines.find(|((expected, found), _)| *expected != found) {
            let title = format!("rank {rank} has another {} than rank 0", item.name);
            let shown = |line: &str| line.split_once(' ').map_or("", |(_, shown)| shown).to_owned();
            let mut error = Diagnostic::new(Code::R005, title).help("start all ranks with the same files and flags");
            if !shown(expected).is_empty() && !shown(found).is_empty() {
                error = error.note(format!("rank 0 has `{}`, rank {rank} has `{}`", shown(expected), shown(found)));
            }
            return Err(error);
        }
    }
    Ok(())
}
