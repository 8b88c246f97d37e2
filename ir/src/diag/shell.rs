//! Quoting of words in the shell commands that messages suggest.

use std::borrow::Cow;
use std::path::Path;

/// Returns the word quoted for a POSIX shell if it contains special characters, such as the `&` of
/// `zoo:gpt?layers=2&heads=4`. A word with a NUL byte, which no shell can pass on, is returned unchanged.
pub fn shell_word(word: &str) -> Cow<'_, str> {
    shlex::try_quote(word).unwrap_or(Cow::Borrowed(word))
}

/// Returns a path quoted as by [`shell_word`].
pub fn shell_path(path: &Path) -> String {
    shell_word(&path.to_string_lossy()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_word_back() {
        for word in
            ["zoo:gpt?layers=2&heads=4", "a b", "it's", "", "$HOME", "blocks.*.weight", "plain-word_1.2:3", "`x`"]
        {
            let quoted = shell_word(word);
            let ran = std::process::Command::new("sh").args(["-c", &format!("printf %s {quoted}")]).output().unwrap();
            assert_eq!(String::from_utf8(ran.stdout).unwrap(), word, "{quoted}");
        }
        assert_eq!(shell_word("plain-word_1.2:3"), "plain-word_1.2:3");
        assert_eq!(shell_path(Path::new("my run/step-1")), "'my run/step-1'");
    }
}
