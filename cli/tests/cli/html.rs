//! `--html`: results as HTML pages.

use crate::support::{CommandOutput, Folder, partita};

const PLAN: [&str; 7] = ["zoo:mlp", "--mesh", "data=2,model=2", "--preset", "data,megatron", "--train", "adamw"];

fn ok(folder: &Folder, words: &[&[&str]]) -> CommandOutput {
    let ended = partita(folder, words.concat());
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    ended
}

/// Checks that a page has a title and some sections.
fn expect(page: &str, title: &str, sections: &[&str]) {
    assert!(page.contains(&format!("<title>{title}</title>")), "{}", &page[..600]);
    for section in sections {
        assert!(page.contains(&format!("<h2 id=\"{section}\">")), "no section `{section}`");
    }
}

#[test]
fn plans_and_predictions_are_written_beside_the_text() {
    let folder = Folder::new("html plan");
    let page = ["--html", "pages/plan.html"];
    let (with, without) = (ok(&folder, &[&["plan"], &PLAN, &page]), ok(&folder, &[&["plan"], &PLAN]));
    assert_eq!(with.out, without.out);
    let plan = folder.read("pages/plan.html");
    expect(&plan, "Plan for zoo:mlp", &["summary", "mesh", "layouts", "communication", "memory"]);
    assert!(!plan.contains("<h2 id=\"step\">"));
    // A second process writes the same bytes over the first page.
    ok(&folder, &[&["plan"], &PLAN, &page]);
    assert!(folder.read("pages/plan.html") == plan);
    let machine = ["--machine", "pcie4"];
    ok(&folder, &[&["plan", "--json"], &PLAN, &machine, &["--html", "priced.html"]]);
    let priced = folder.read("priced.html");
    expect(&priced, "Plan for zoo:mlp", &["step", "timeline"]);
    assert!(priced.contains("Cheapest algorithm"));
    ok(&folder, &[&["simulate"], &PLAN, &machine, &["--html", "step.html"]]);
    expect(&folder.read("step.html"), "Plan for zoo:mlp", &["step", "timeline", "layouts", "memory"]);
}

#[test]
fn searches_comparisons_and_sweeps_are_written() {
    let folder = Folder::new("html search");
    let search = ["search", "zoo:mlp", "--machine", "pcie4", "--train", "sgd"];
    ok(&folder, &[&search, &["-o", "a.toml", "--html", "search.html"]]);
    expect(&folder.read("search.html"), "Search for zoo:mlp", &["result", "found", "step", "layouts"]);
    ok(&folder, &[&search, &["--pareto", "--devices", "2", "--html", "front.html"]]);
    expect(&folder.read("front.html"), "Pareto front for zoo:mlp", &["pareto", "step", "layouts"]);
    folder.write("b.toml", "mesh = { data = 4 }\ntrain = \"sgd\"\npresets = [\"data\"]\n");
    let compare = ["compare", "a.toml", "b.toml", "--model", "zoo:mlp", "--machine", "pcie4"];
    let ended = ok(&folder, &[&compare, &["--html", "compare.html"]]);
    let page = folder.read("compare.html");
    expect(&page, "Two plans for zoo:mlp", &["verdict", "differences", "steps", "timelines"]);
    let verdict = ended.out.lines().last().expect("a verdict");
    assert!(page.contains(verdict), "{verdict}");
    folder.write("s.toml", "models = [\"zoo:mlp\"]\nmachines = [\"pcie4\"]\neffort = \"work=100000\"\n");
    ok(&folder, &[&["sweep", "s.toml", "--html", "sweep.html"]]);
    expect(&folder.read("sweep.html"), "Sweep", &["pareto", "results"]);
    // Results of an earlier run give the same page.
    let first = folder.read("sweep.html");
    ok(&folder, &[&["sweep", "s.toml", "--html", "sweep.html"]]);
    assert!(folder.read("sweep.html") == first);
}

#[test]
fn pages_that_would_not_be_written_are_errors() {
    let folder = Folder::new("html errors");
    for other in [&["--passes"][..], &["--dims"], &["--emit", "pir"]] {
        let ended = partita(&folder, [&["plan"][..], &PLAN, other, &["--html", "p.html"]].concat());
        assert_eq!(ended.code, Some(2), "{}", ended.transcript());
        assert!(ended.err.contains("cannot be used with"), "{}", ended.err);
    }
    folder.write("file", "");
    let ended = partita(&folder, [&["plan"][..], &PLAN, &["--html", "file/p.html"]].concat());
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.starts_with("error[C001]: cannot write `file/p.html`"), "{}", ended.err);
    // A plan that is rejected leaves an existing page unchanged.
    folder.write("p.html", "old");
    let ended = partita(&folder, [&["plan"][..], &PLAN, &["--budget", "1KiB", "--html", "p.html"]].concat());
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert_eq!(folder.read("p.html"), "old");
}
