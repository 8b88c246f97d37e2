//! Kinds of schedules by name: `1f1b`, `interleaved?chunks=2`.

use super::Kind;
use crate::diag::{Code, Diagnostic, nearest};
use std::fmt;

/// Names of schedules, with the number of chunks that is meant where none is said.
pub const KINDS: [(&str, Kind); 6] = [
    ("vanilla", Kind::Vanilla),
    ("gpipe", Kind::Gpipe),
    ("1f1b", Kind::OneFOneB),
    ("interleaved", Kind::Interleaved { chunks: 2 }),
    ("zb-h1", Kind::ZbH1),
    ("zb-h2", Kind::ZbH2),
];

/// Most chunks of a stage.
const MOST_CHUNKS: usize = 1 << 10;

impl Kind {
    /// The kind of that text.
    ///
    /// # Errors
    /// `D012` for a name or an option that is not known; where it stands is for the caller to add.
    pub fn from_text(text: &str) -> Result<Kind, Diagnostic> {
        let (name, options) = text.split_once('?').unwrap_or((text, ""));
        let Some(&(_, mut kind)) = KINDS.iter().find(|(known, _)| *known == name) else {
            let names = KINDS.map(|(name, _)| name);
            let unknown = Diagnostic::new(Code::D012, format!("there is no pipeline schedule `{name}`"));
            let unknown = unknown.note(format!("there are {}", names.join(", ")));
            return Err(match nearest(name, names) {
                Some(near) => unknown.help(format!("there is `{near}`")),
                None => unknown,
            });
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let count = option.strip_prefix("chunks=").and_then(|count| count.parse().ok());
            match (&mut kind, count) {
                (Kind::Interleaved { chunks }, Some(count @ 1..=MOST_CHUNKS)) => *chunks = count,
                _ => {
                    let title = format!("`{name}` has no option `{option}`");
                    let wrong = Diagnostic::new(Code::D012, title);
                    return Err(wrong.help("`interleaved?chunks=2` has two chunks a stage; others have no options"));
                }
            }
        }
        Ok(kind)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = KINDS.iter().find(|(_, kind)| std::mem::discriminant(kind) == std::mem::discriminant(self));
        f.write_str(name.map_or("", |(name, _)| name))?;
        match self {
            Kind::Interleaved { chunks } => write!(f, "?chunks={chunks}"),
            Kind::Vanilla | Kind::Gpipe | Kind::OneFOneB | Kind::ZbH1 | Kind::ZbH2 => Ok(()),
        }
    }
}
