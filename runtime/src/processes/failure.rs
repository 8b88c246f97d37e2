//! Text of an error that one process sends to the others: its title, then its notes and proposals, one in each line.

use partita_ir::diag::{Code, Diagnostic};

const NOTE: &str = "note: ";
const HELP: &str = "help: ";

/// Returns the text of an error.
pub(super) fn to_text(error: &Diagnostic) -> String {
    let one_line = |text: &str| text.replace('\n', " ");
    let mut lines = vec![one_line(&error.title)];
    lines.extend(error.notes.iter().map(|note| NOTE.to_owned() + &one_line(note)));
    lines.extend(error.helps.iter().map(|help| HELP.to_owned() + &one_line(&help.text)));
    lines.join("\n")
}

/// Returns the error of a process, from its text.
pub(super) fn from_text(who: &str, text: &str) -> Diagnostic {
    let mut lines = text.lines();
    let error = Diagnostic::new(Code::R005, format!("{who} failed: {}", lines.next().unwrap_or_default()));
    lines.fold(error, |error, line| match (line.strip_prefix(NOTE), line.strip_prefix(HELP)) {
        (Some(note), _) => error.note(note),
        (_, Some(help)) => error.help(help),
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use super::{from_text, to_text};
    use partita_ir::diag::{Code, Diagnostic};

    #[test]
    fn errors_are_restored_with_notes_and_proposals() {
        let error = Diagnostic::new(Code::K004, "the disk is full").note("of 12\nbytes").help("free disk space");
        let restored = from_text("rank 3 on h1", &to_text(&error));
        assert_eq!(restored.title, "rank 3 on h1 failed: the disk is full");
        assert_eq!(restored.notes, ["of 12 bytes"]);
        assert_eq!(restored.helps.len(), 1);
        assert_eq!(restored.helps[0].text, "free disk space");
    }
}
