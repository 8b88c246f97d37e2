//! Structure of HTML reports: nesting, references, tables, escaping, contrast, size, and the memory that they draw.
//! `cargo xtask html` opens such pages in a browser (`check.mjs`).

use partita::compare::PlanComparison;
use partita::cost::peak_breakdown::{Purpose, peak_of_program, peak_of_stages};
use partita::cost::roofline::Efficiencies;
use partita::html::{PlanDetails, PredictedPlan};
use partita::ir::diag::Source;
use partita::simulate::Simulation;
use partita::sweep::Sweep;
use partita::{Compiler, Machine, Mesh, Plan, Program, load_machine};
use std::collections::{BTreeMap, BTreeSet};

/// Elements without an end tag.
const VOID: [&str; 4] = ["meta", "link", "br", "input"];

/// A tag of a document.
#[derive(Debug)]
struct Tag {
    name: String,
    attributes: BTreeMap<String, String>,
    is_end: bool,
    is_closed: bool,
}

/// Splits a document into its tags. The content of `style` and `script` is skipped.
fn tags(page: &str) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::new();
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a document of HTML 5");
    while let Some(start) = rest.find('<') {
        let inner = &rest[start + 1..];
        let mut end = 0;
        let mut is_quoted = false;
        for c in inner.chars() {
            match c {
                '"' => is_quoted = !is_quoted,
                '>' if !is_quoted => break,
                '<' if !is_quoted => panic!("`<` in a tag: {}", &inner[..end]),
                _ => {}
            }
            end += c.len_utf8();
        }
        let tag = parse_tag(&inner[..end]);
        rest = &inner[end + 1..];
        if !tag.is_end && matches!(tag.name.as_str(), "style" | "script") {
            rest = &rest[rest.find(&format!("</{}>", tag.name)).expect("an end tag")..];
        }
        tags.push(tag);
    }
    tags
}

fn parse_tag(text: &str) -> Tag {
    let (text, is_end) = text.strip_prefix('/').map_or((text, false), |text| (text, true));
    let (text, is_closed) = text.strip_suffix('/').map_or((text, false), |text| (text, true));
    let (name, mut rest) = text.split_once(' ').unwrap_or((text, ""));
    assert!(name.chars().all(|c| c.is_ascii_alphanumeric()) && !name.is_empty(), "tag `{text}`");
    let mut attributes = BTreeMap::new();
    while !rest.trim().is_empty() {
        rest = rest.trim_start();
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let key = &rest[..end];
        let value = match rest[end..].strip_prefix("=\"") {
            Some(quoted) => {
                let end = quoted.find('"').expect("a closed attribute");
                rest = &quoted[end + 1..];
                &quoted[..end]
            }
            None => {
                rest = &rest[end..];
                ""
            }
        };
        assert!(attributes.insert(key.to_owned(), value.to_owned()).is_none(), "two attributes `{key}` in `{text}`");
    }
    Tag { name: name.to_owned(), attributes, is_end, is_closed }
}

/// Checks the structure of a document.
fn check(page: &str) {
    for reference in ["http:", "https:", "//", "url(", "@import", " src="] {
        let outside = page.replace("//# ", "").replace("// Sorts", "");
        assert!(!outside.contains(reference), "the document contains `{reference}`");
    }
    let (mut open, mut ids, mut references): (Vec<String>, BTreeSet<String>, Vec<String>) = Default::default();
    let (mut columns, mut cells, mut has_caption) = (None, 0, false);
    for tag in tags(page) {
        let get = |key: &str| tag.attributes.get(key).map(String::as_str);
        if tag.is_end {
            assert_eq!(open.pop().as_deref(), Some(tag.name.as_str()), "end tags match start tags");
            match tag.name.as_str() {
                "tr" => assert_eq!(*columns.get_or_insert(cells), cells, "rows have equally many cells"),
                "table" => assert!(has_caption, "tables have captions"),
                _ => {}
            }
            continue;
        }
        if let Some(id) = get("id") {
            assert!(ids.insert(id.to_owned()), "two elements have the id `{id}`");
        }
        references.extend(get("href").and_then(|link| link.strip_prefix('#')).map(str::to_owned));
        references.extend(get("aria-labelledby").into_iter().flat_map(|ids| ids.split(' ').map(str::to_owned)));
        match tag.name.as_str() {
            "table" => (columns, has_caption) = (None, false),
            "caption" => has_caption = true,
            "tr" => cells = 0,
            "td" | "th" => cells += get("colspan").map_or(1, |n| n.parse::<usize>().expect("a number")),
            "svg" => {
                let is_named = get("role") == Some("img") && get("aria-labelledby").is_some();
                assert!(is_named || get("aria-hidden") == Some("true"), "pictures have names: {tag:?}");
            }
            _ => {}
        }
        if !tag.is_closed && !VOID.contains(&tag.name.as_str()) {
            open.push(tag.name);
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    let missing: Vec<&String> = references.iter().filter(|id| !ids.contains(*id)).collect();
    assert!(missing.is_empty(), "{missing:?} do not exist");
}

fn machine() -> Machine {
    load_machine("dgx-a100").expect("a preset")
}

fn gpt(layers: usize) -> Program {
    partita::load(&format!("zoo:gpt?layers={layers}&width=64&heads=4&seq=32&vocab=128&batch=16")).expect("a model")
}

fn megatron() -> Plan {
    let mesh = Mesh::new([("data", 2), ("model", 2)]).expect("a mesh");
    Plan::new(mesh).preset("data,megatron,zero1").train("adamw")
}

fn predicted(program: &Program, plan: &Plan) -> PredictedPlan {
    PredictedPlan::new("zoo:gpt", program, plan, (&machine(), &Efficiencies::default())).expect("a plan")
}

#[test]
fn the_plan_of_twelve_layers_is_a_small_document() {
    let page = predicted(&gpt(12), &megatron()).details().to_html();
    check(&page);
    assert!(page.len() < 300_000, "{} bytes", page.len());
    for id in ["step", "timeline", "mesh", "layouts", "communication", "memory", "phases", "file"] {
        assert!(page.contains(&format!("<h2 id=\"{id}\">")), "no section `{id}`");
    }
    assert!(
        page.contains(">blocks.*.feed_forward.up.weight<") && page.contains("<li>blocks.11.feed_forward.up.weight")
    );
    assert!(page.contains("#1 ") && page.contains("cause    `"));
}

#[test]
fn stages_have_a_schedule_and_a_predicted_timeline() {
    let plan = megatron().pipeline("2").micro_batches("4");
    let program = gpt(4);
    let page = predicted(&program, &plan).details().to_html();
    check(&page);
    assert!(page.contains("Predicted timeline") && page.contains("Sent between stages") && page.contains("Stage 1"));
    let partition = Compiler::new(&program).plan(&plan).partition().expect("a plan");
    let (report, simulation) = (partition.report(), None);
    let unpredicted = PlanDetails { partition: &partition, report: &report, simulation }.to_html();
    check(&unpredicted);
    assert!(unpredicted.contains("Schedule") && !unpredicted.contains("Predicted"));
}

#[test]
fn equal_inputs_give_equal_bytes() {
    let pages = [(); 2].map(|()| predicted(&gpt(2), &megatron()).details().to_html());
    assert!(pages[0] == pages[1]);
}

#[test]
fn comparisons_searches_and_sweeps_are_well_formed() {
    let (program, machine) = (gpt(2), machine());
    let data = Plan::new(Mesh::new([("data", 4)]).expect("a mesh")).preset("data").train("adamw");
    let plans = [("data.toml", &data), ("<b>.toml", &megatron())];
    let compared = PlanComparison::new(&program, plans, &machine, &Efficiencies::default()).expect("plans");
    check(&compared.to_html());
    let mlp = partita::load("zoo:mlp").expect("a model");
    let outcome = partita::search(&mlp, &machine).devices(4).run().expect("a plan");
    check(&outcome.to_html(Some(predicted(&mlp, &outcome.plans()[0].plan).details())));
    check(&partita::search(&mlp, &machine).devices(2).pareto().expect("plans").to_html(None));
    let text = "models = [\"zoo:mlp\", \"zoo:mlp?hidden=256\"]\nmachines = [\"pcie4\"]\neffort = \"work=100000\"\n\
                [constraints.free]\n[constraints.tight]\nbudget = \"1KiB\"\n";
    let folder = std::env::temp_dir().join(format!("partita-html-{}", std::process::id()));
    let sweep = Sweep::read(&Source::new("sweep.toml", text)).expect("a sweep");
    let swept = sweep.run(&folder, 2, &|name| partita::load(name), &|_| true).expect("results");
    let page = swept.to_html();
    std::fs::remove_dir_all(&folder).expect("a folder");
    check(&page);
    assert!(page.contains("4 of 4 cases finished, 2 without a plan"), "{}", swept);
    assert!(page.contains("Why zoo-mlp.pcie4.tight has no plan"));
}

#[test]
fn names_are_escaped() {
    let name = "a<script>alert(1)</script>&'\u{22}";
    let text = "form traced\n  param %w \"a<script>alert(1)</script>&'\" : f32[8, 8]\n  input %x : f32[8, 8]\n    \
                %y = matmul %x, %w : f32[8, 8]\n  output %y \"<img src=x onerror=alert(1)>\"\n";
    let program = partita::parse("<script>alert(2)</script>", text).expect("a program");
    let mesh = Mesh::new([("m", 2)]).expect("a mesh");
    let plan = Plan::new(mesh).shard("%x", "_, m");
    let partition = Compiler::new(&program).plan(&plan).partition().expect("a plan");
    let report = partita::Report { model: name.to_owned(), ..partition.report() };
    let simulation = Simulation::new(&partition, &machine(), &Efficiencies::default()).expect("a prediction");
    let simulation = simulation.with_model_name(name);
    let page = PlanDetails { partition: &partition, report: &report, simulation: Some(&simulation) }.to_html();
    check(&page);
    let names: Vec<String> = tags(&page).into_iter().filter(|tag| !tag.is_end).map(|tag| tag.name).collect();
    assert_eq!(names.iter().filter(|name| *name == "script").count(), 1);
    assert!(!names.iter().any(|name| name == "img"));
    assert!(page.contains("a&lt;script&gt;alert(1)&lt;/script&gt;&amp;'"));
}

#[test]
fn memory_over_time_has_the_peak_of_the_report() {
    let program = gpt(4);
    for plan in [megatron(), megatron().micro_batches("4").pipeline("1"), megatron().remat("**", "full")] {
        let partition = Compiler::new(&program).plan(&plan).partition().expect("a plan");
        let local = partition.local().expect("one mesh");
        let profiles = partition.memory_profiles();
        assert_eq!(profiles[0].peak(), peak_of_program(local).bytes);
        assert!(profiles[0].points.len() > 50, "{} points", profiles[0].points.len());
    }
    let plan = megatron().pipeline("2").micro_batches("8");
    let partition = Compiler::new(&program).plan(&plan).partition().expect("a plan");
    let peaks = peak_of_stages(partition.stages().expect("stages"));
    let gaps = |values: &[partita::cost::peak_breakdown::PeakValue]| {
        values.iter().filter(|value| value.purpose == Purpose::Gaps).map(|value| value.bytes).sum::<u64>()
    };
    for (profile, peak) in partition.memory_profiles().iter().zip(&peaks) {
        assert_eq!(profile.peak(), peak.bytes - gaps(&peak.values));
    }
}

/// Relative luminance of a colour `#rrggbb` (WCAG 2.2).
fn luminance(colour: &str) -> f64 {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("a colour")) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

#[test]
fn colours_have_enough_contrast_in_both_modes() {
    let page = predicted(&gpt(1), &megatron()).details().to_html();
    let modes: Vec<&str> = page.split("--bg:").skip(1).collect();
    assert_eq!(modes.len(), 2, "a light and a dark mode");
    for mode in modes {
        let text = format!("--bg:{}", &mode[..mode.find('}').expect("an end")]);
        let colours: BTreeMap<&str, &str> = text.split(';').filter_map(|entry| entry.trim().split_once(": ")).collect();
        let contrast = |a: &str, b: &str| {
            let (a, b) = (luminance(colours[a]), luminance(colours[b]));
            (a.max(b) + 0.05) / (a.min(b) + 0.05)
        };
        let marks = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"];
        for background in ["--bg", "--panel"] {
            for colour in ["--fg", "--muted", "--link"].iter().chain(&marks) {
                assert!(
                    contrast(colour, background) >= 4.5,
                    "{colour} on {background}: {}",
                    contrast(colour, background)
                );
            }
        }
        for mark in marks {
            assert!(contrast("--on-mark", mark) >= 4.5, "text on {mark}: {}", contrast("--on-mark", mark));
        }
    }
}
