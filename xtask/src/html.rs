//! Browser tests of HTML reports: headless Chromium and axe-core on a page of each command that writes one.

use crate::{Outcome, cargo, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Folder of the tests.
const TESTS: &str = "tests/html";

/// Names of the browser on Debian, and elsewhere.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// A GPT of twelve layers.
const GPT: &str = "zoo:gpt?layers=12&width=256&heads=8&seq=128&vocab=1024&batch=32";

/// Commands that write a page, each with the name of the page.
const COMMANDS: [(&str, &str); 8] = [
    ("plan", "plan {GPT} --mesh data=2,model=4 --preset data,megatron,zero1 --train adamw"),
    ("plan-machine", "plan {GPT} --mesh data=2,model=4 --preset data,megatron --train adamw --machine dgx-a100"),
    ("pipeline", "plan {GPT} --mesh data=2 --preset data --train adamw --pipeline 4 --microbatches 8 --schedule zb-h1"),
    (
        "simulate",
        "simulate {GPT} --machine dgx-a100?nodes=2 --mesh data=2,model=2 --preset data,megatron --pipeline 4 \
         --microbatches 8",
    ),
    ("search", "search zoo:gpt?layers=4 --machine dgx-a100 --devices 8 --output {DIR}/first.toml"),
    ("pareto", "search zoo:mlp --machine dgx-a100 --devices 4 --pareto --output {DIR}/second.toml"),
    ("compare", "compare {DIR}/data.toml {DIR}/megatron.toml --model {GPT} --machine dgx-a100"),
    ("sweep", "sweep {DIR}/sweep.toml --output {DIR}/sweep"),
];

/// Input files of the commands.
const FILES: [(&str, &str); 3] = [
    ("data.toml", "train = \"adamw\"\npresets = [\"data\"]\n\n[mesh]\ndata = 8\n"),
    ("megatron.toml", "train = \"adamw\"\npresets = [\"data\", \"megatron\"]\n\n[mesh]\ndata = 2\nmodel = 4\n"),
    (
        "sweep.toml",
        "models = [\"zoo:mlp\", \"zoo:gpt?layers=2\"]\nmachines = [\"pcie4\", \"dgx-a100\"]\ntime_limit = 20\n\n\
         [constraints.two]\ndevices = 2\n\n[constraints.four]\ndevices = 4\n\n[constraints.tiny]\nbudget = \"4KiB\"\n",
    ),
];

/// Writes a page with each command, and opens each in the browser. Screenshots are in `target/html`.
pub(crate) fn check(root: &Path) -> Outcome {
    let browser = browser()?;
    cargo(root, "build --workspace --locked", &[], &[])?;
    let folder = root.join("target/html");
    let text = |path: &Path| path.display().to_string();
    for folder in [&folder, &folder.join("browser")] {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    for (name, content) in FILES {
        fs::write(folder.join(name), content).map_err(|e| format!("{name}: {e}"))?;
    }
    let command = text(&root.join("target/debug/partita"));
    let mut pages = Vec::new();
    for (name, words) in COMMANDS {
        let page = text(&folder.join(format!("{name}.html")));
        let words = words.split(' ').map(|word| word.replace("{GPT}", GPT).replace("{DIR}", &text(&folder)));
        let words: Vec<String> =
            [command.clone()].into_iter().chain(words).chain(["--html".into(), page.clone()]).collect();
        run(root, &words, &[])?;
        pages.push(page);
    }
    let browser_folder = text(&folder.join("browser"));
    for file in ["package.json", "package-lock.json", "check.mjs"] {
        let path = root.join(TESTS).join(file);
        fs::copy(&path, folder.join("browser").join(file)).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let install = ["npm", "ci", "--silent", "--no-audit", "--no-fund", "--prefix", &browser_folder];
    run(root, &install.map(str::to_owned), &[])?;
    let script = format!("{browser_folder}/check.mjs");
    let node = ["node".to_owned(), script, browser, text(&folder)];
    run(root, &node.into_iter().chain(pages).collect::<Vec<_>>(), &[])
}

/// Returns the name of the browser.
fn browser() -> Result<String, String> {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|ran| ran.status.success());
    BROWSERS.iter().find(|name| is_there(name)).map(|name| find(name)).ok_or_else(|| {
        "no browser: install Chromium and Node, such as `apt-get install chromium nodejs npm`".to_owned()
    })
}

/// Returns the path of a program, which the browser driver needs.
fn find(name: &str) -> String {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    found.map_or_else(|| name.to_owned(), |path| path.display().to_string())
}
