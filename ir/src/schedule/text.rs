//! Names of pipeline schedules: `1f1b`, `interleaved?chunks=2`.

use super::ScheduleKind;
use crate::diag::{Code, Diagnostic, nearest};
use std::fmt;

/// Names of schedules, with the default number of chunks.
pub const SCHEDULE_KINDS: [(&str, ScheduleKind); 6] = [
    ("vanilla", ScheduleKind::Vanilla),
    ("gpipe", ScheduleKind::Gpipe),
    ("1f1b", ScheduleKind::OneFOneB),
    ("interleaved", ScheduleKind::Interleaved { chunks: 2 }),
    ("zb-h1", ScheduleKind::ZbH1),
    ("zb-h2", ScheduleKind::ZbH2),
];

/// Maximum number of chunks per stage.
const MAX_CHUNKS_PER_STAGE: usize = 1 << 10;

impl ScheduleKind {
    /// Parses the name of a schedule and its options.
    ///
    /// # Errors
    /// `D012` for an unknown name or option, without a source location.
    pub fn from_text(text: &str) -> Result<ScheduleKind, Diagnostic> {
        let (name, options) = text.split_once('?').unwrap_or((text, ""));
        let Some(&(_, mut kind)) = SCHEDULE_KINDS.iter().find(|(known, _)| *known == name) else {
            let names = SCHEDULE_KINDS.map(|(name, _)| name);
            let unknown = Diagnostic::new(Code::D012, format!("there is no pipeline schedule `{name}`"));
            let unknown = unknown.note(format!("the schedules are {}", names.join(", ")));
            return Err(match nearest(name, names) {
                Some(near) => unknown.help(format!("there is `{near}`")),
                None => unknown,
            });
        };
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let count = option.strip_prefix("chunks=").and_then(|count| count.parse().ok());
            match (&mut kind, count) {
                (ScheduleKind::Interleaved { chunks }, Some(count @ 1..=MAX_CHUNKS_PER_STAGE)) => *chunks = count,
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

impl fmt::Display for ScheduleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = SCHEDULE_KINDS.iter().find(|(_, kind)| std::mem::discriminant(kind) == std::mem::discriminant(self));
        f.write_str(name.map_or("", |(name, _)| name))?;
        match self {
            ScheduleKind::Interleaved { chunks } => write!(f, "?chunks={chunks}"),
            ScheduleKind::Vanilla
            | ScheduleKind::Gpipe
            | ScheduleKind::OneFOneB
            | ScheduleKind::ZbH1
            | ScheduleKind::ZbH2 => Ok(()),
        }
    }
}
