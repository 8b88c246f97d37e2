//! Error codes: each declared code is reported by the product and expected by a test.

use std::collections::BTreeSet;

/// The module that declares error codes and their explanations.
const ERROR_CODES: &str = "ir/src/diag/codes.rs";

/// The attribute after which a Rust file contains tests.
const TEST_SECTION: &str = "#[cfg(test)]";

/// The codes that the files of the repository declare, report and expect.
#[derive(Default)]
pub(crate) struct ErrorCodes {
    declared: Vec<String>,
    reported: BTreeSet<String>,
    expected: BTreeSet<String>,
}

impl ErrorCodes {
    /// Adds the codes of a file. `is_test` is true for files of tests, whose codes are expected.
    pub(crate) fn add(&mut self, file: &str, text: &str, is_test: bool) {
        if file == ERROR_CODES {
            self.declared = declared_codes(text);
        } else if is_test {
            self.expected.extend(mentioned_codes(text).map(str::to_owned));
        } else if file.ends_with(".rs") {
            let (_, tests) = text.split_once(TEST_SECTION).unwrap_or((text, ""));
            self.reported.extend(reported_codes(text).map(str::to_owned));
            self.expected.extend(mentioned_codes(tests).map(str::to_owned));
        }
    }

    /// Returns a complaint for each declared code that is never reported or that no test expects.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let missing = |found: &BTreeSet<String>, fault: &str| {
            let codes = self.declared.iter().filter(|code| !found.contains(*code));
            codes.map(|code| format!("{ERROR_CODES}: {fault} {code}")).collect::<Vec<_>>()
        };
        [missing(&self.reported, "nothing reports"), missing(&self.expected, "no test expects")].concat()
    }
}

/// Returns the codes that [`ERROR_CODES`] declares, each as `L001: "title",` on a line.
fn declared_codes(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| Some(line.trim().split_once(": \"")?.0));
    names.filter(|name| is_code(name)).map(str::to_owned).collect()
}

/// Returns the codes that a file names as `Code::L001`.
fn reported_codes(text: &str) -> impl Iterator<Item = &str> {
    text.split("Code::").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next())
}

/// Returns the words of a text that have the form of a code.
fn mentioned_codes(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| is_code(word))
}

/// Returns true for an upper-case letter followed by three digits.
fn is_code(word: &str) -> bool {
    let [letter, digits @ ..] = word.as_bytes() else { return false };
    letter.is_ascii_uppercase() && digits.len() == 3 && digits.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::{ERROR_CODES, ErrorCodes};

    #[test]
    fn codes_are_reported_and_expected() {
        let mut codes = ErrorCodes::default();
        let declared =
            "codes! {\n    L001: \"axis\",\n        \"Write `a: b`.\";\n    L013: \"sum\",\n        \"x\";\n}\n";
        codes.add(ERROR_CODES, declared, false);
        assert_eq!(codes.complaints().len(), 4);
        let reported = "Err(Diagnostic::new(Code::L001, \"no\"))\n#[cfg(test)]\nmod tests { \"[L013]\" }\n";
        codes.add("src/a.rs", reported, false);
        codes.add("cli/tests/cli/a.rs", "error[L001]: no", true);
        assert_eq!(codes.complaints(), ["ir/src/diag/codes.rs: nothing reports L013"]);
    }
}
