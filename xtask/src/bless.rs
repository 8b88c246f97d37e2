//! Renews every text that tests compare with: the diagram of crates, filetests, lists of fallbacks, and the texts of
//! expect-test.
//!
//! Only targets whose files hold such texts are run, with the variables that make their tests write instead of compare.

use crate::order::{self, Workspace};
use crate::{Outcome, cargo};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Names in the source of a test that can renew what it compares with.
const RENEWING: [&str; 2] = ["expect_test::", "PARTITA_BLESS"];

/// Makes filetests and expect-test write.
const WRITE: [(&str, &str); 2] = [("PARTITA_BLESS", "1"), ("UPDATE_EXPECT", "1")];

/// Targets of long tests of which a single one has a text, with its name.
const WITH_ONE_TEXT: [(&str, &str); 2] = [("models", "fallbacks"), ("zoo", "fallbacks")];

/// Renews what tests whose name contains `filter` compare with, or all of them.
pub(crate) fn bless(root: &Path, filter: Option<&str>) -> Outcome {
    order::bless(root)?;
    let (short, long): (Vec<_>, Vec<_>) =
        renewing(root)?.into_iter().partition(|name| WITH_ONE_TEXT.iter().all(|(long, _)| long != name));
    let words = |targets: &[String], filter: Option<&str>| {
        let targets = targets.iter().flat_map(|name| ["--test".to_owned(), name.clone()]);
        let filter = filter.into_iter().flat_map(|filter| ["--".to_owned(), filter.to_owned()]);
        targets.chain(filter).collect::<Vec<String>>()
    };
    cargo(root, "test --workspace --locked --no-fail-fast --lib", &words(&short, filter), &WRITE)?;
    for (target, test) in WITH_ONE_TEXT {
        if long.iter().any(|name| name == target) && filter.is_none_or(|filter| test.contains(filter)) {
            cargo(root, "test --workspace --locked", &words(&[target.to_owned()], Some(test)), &WRITE)?;
        }
    }
    Ok(())
}

/// The names of the integration tests that can renew what they compare with.
fn renewing(root: &Path) -> Result<BTreeSet<String>, String> {
    let workspace = Workspace::load(root)?;
    let mut command = Command::new("git");
    command.current_dir(root).args(["grep", "--untracked", "-l", "-F"]);
    command.args(RENEWING.iter().flat_map(|text| ["-e", text])).args(["--", "*.rs"]);
    let found = command.output().map_err(|e| format!("cannot run git: {e}"))?;
    let files = String::from_utf8_lossy(&found.stdout);
    Ok(files.lines().filter_map(|file| workspace.test_of(Path::new(file)).map(str::to_owned)).collect())
}
