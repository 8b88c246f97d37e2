//! Updates all expected outputs of tests: the crate diagram, filetests, fallback lists, and `expect_test` snapshots.
//!
//! Runs the unit tests and the integration tests with expected outputs, with the environment variables that make tests
//! write instead of compare.

use crate::order::{self, Workspace};
use crate::{Outcome, cargo};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Strings that mark the source of a test with updatable expected outputs.
const SNAPSHOT_MARKERS: [&str; 2] = ["expect_test::", "PARTITA_BLESS"];

/// Environment variables that make filetests and `expect_test` write their outputs.
const WRITE_ENVIRONMENT: [(&str, &str); 2] = [("PARTITA_BLESS", "1"), ("UPDATE_EXPECT", "1")];

/// Long-running test targets with a single expected output, and the test that writes the output.
const SINGLE_SNAPSHOT_TARGETS: [(&str, &str); 2] = [("models", "fallbacks"), ("zoo", "fallbacks")];

/// Updates the crate diagram and the expected outputs of tests whose name contains `filter`, or of all tests.
pub(crate) fn bless(root: &Path, filter: Option<&str>) -> Outcome {
    order::bless(root)?;
    let (short, long): (Vec<_>, Vec<_>) = snapshot_tests(root)?
        .into_iter()
        .partition(|name| SINGLE_SNAPSHOT_TARGETS.iter().all(|(long, _)| long != name));
    let words = |targets: &[String], filter: Option<&str>| {
        let targets = targets.iter().flat_map(|name| ["--test".to_owned(), name.clone()]);
        let filter = filter.into_iter().flat_map(|filter| ["--".to_owned(), filter.to_owned()]);
        targets.chain(filter).collect::<Vec<String>>()
    };
    cargo(root, "test --workspace --locked --no-fail-fast --lib", &words(&short, filter), &WRITE_ENVIRONMENT)?;
    for (target, test) in SINGLE_SNAPSHOT_TARGETS {
        if long.iter().any(|name| name == target) && filter.is_none_or(|filter| test.contains(filter)) {
            cargo(root, "test --workspace --locked", &words(&[target.to_owned()], Some(test)), &WRITE_ENVIRONMENT)?;
        }
    }
    Ok(())
}

/// Returns the names of the integration tests whose source contains one of [`SNAPSHOT_MARKERS`].
fn snapshot_tests(root: &Path) -> Result<BTreeSet<String>, String> {
    let workspace = Workspace::load(root)?;
    let mut command = Command::new("git");
    command.current_dir(root).args(["grep", "--untracked", "-l", "-F"]);
    command.args(SNAPSHOT_MARKERS.iter().flat_map(|text| ["-e", text])).args(["--", "*.rs"]);
    let found = command.output().map_err(|e| format!("cannot run git: {e}"))?;
    let files = String::from_utf8_lossy(&found.stdout);
    Ok(files.lines().filter_map(|file| workspace.containing_test(Path::new(file)).map(str::to_owned)).collect())
}
