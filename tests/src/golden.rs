//! Goldens: program texts that say what is to be done with them and what comes out.
//!
//! ```text
//! test insert-reshards
//! form planned
//! ...
//!   %z = add %p, %b : f32[32@data, 64]   //~ V001 words of the message
//! //= what is printed, written here by `cargo xtask bless`
//! ```
//!
//! The first line names the test:
//! - `parse` prints the program; every other test verifies it first;
//! - `verify` prints nothing, or the complaints;
//! - `rules` prints how each op shards;
//! - `partition` runs the whole pipeline and prints one device's program, and `fallbacks` what was gathered on the way;
//! - `run` runs the program on one device and on all, which must agree, and prints what was inserted;
//! - the name of a pass runs that pass and prints the program.
//!
//! What a pass needs of the plan stands on lines of its own, `//plan KEY = VALUE`.
//!
//! A complaint is expected on the line that it points at by `//~ CODE` and perhaps words of it, in a line of the plan
//! as a comment of TOML, `# //~ CODE`; one that points nowhere, on the first line. Complaints are printed too.

use crate::agree::{agree, partition, run_parts, run_whole};
use crate::coverage::Coverage;
use crate::generate::small_inputs;
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input, Pipeline};
use partita_passes::pipelines::{self, Milestone};
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the printed part of a golden starts.
const PRINTED: &str = "//=";
/// What stands before a line of the plan.
const PLAN: &str = "//plan ";
/// What stands before an expected complaint.
const EXPECTED: &str = "//~";

/// One golden.
pub struct Golden {
    test: String,
    source: Arc<Source>,
    expected: Vec<Expected>,
    printed: String,
    head: String,
}

/// The files with that extension under a folder, in the order of their names.
///
/// # Errors
/// A folder cannot be read.
pub fn files(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path, extension)?);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// A complaint that should come.
struct Expected {
    line: usize,
    code: String,
    words: String,
}

impl Golden {
    /// Reads the text of a golden. `name` is how messages call it.
    ///
    /// # Errors
    /// The first line is not `test NAME`.
    pub fn read(name: &str, text: &str) -> Result<Golden, String> {
        let at = text.find(&format!("\n{PRINTED}")).map_or(text.len(), |n| n + 1);
        let (head, printed) = text.split_at(at);
        let first = head.lines().next().unwrap_or_default();
        let test = first.strip_prefix("test ").ok_or("the first line is `test NAME`")?;
        let test = test.split("//").next().unwrap_or_default().trim().to_string();
        let expected = (1..).zip(head.lines()).filter_map(|(line, text)| {
            let (_, words) = text.split_once(EXPECTED)?;
            let (code, words) = words.trim().split_once(' ').unwrap_or((words.trim(), ""));
            Some(Expected { line, code: code.into(), words: words.trim().into() })
        });
        let expected = expected.collect();
        // The first line is no program text, but lines keep their numbers.
        let program = format!("//{}{}", &first[2.min(first.len())..], &head[first.len()..]);
        let printed = printed.lines().map(|l| {
            let l = l.strip_prefix(PRINTED).unwrap_or(l);
            l.strip_prefix(' ').unwrap_or(l).to_string() + "\n"
        });
        Ok(Golden {
            test,
            source: Source::new(name, program),
            expected,
            printed: printed.collect(),
            head: head.to_string(),
        })
    }

    /// Does what the first line says, and compares.
    ///
    /// # Errors
    /// What differs from what should come out.
    pub fn check(&self) -> Result<(), String> {
        let printed = self.run()?;
        if printed == self.printed {
            return Ok(());
        }
        Err(format!("printed:\n{printed}\nbut should have (or `cargo xtask bless`):\n{}", self.printed))
    }

    /// The text of the golden with what comes out now.
    ///
    /// # Errors
    /// The expected complaints do not come; they are written by hand.
    pub fn blessed(&self) -> Result<String, String> {
        let mut text = self.head.clone();
        for line in self.run()?.lines() {
            let space = if line.is_empty() { "" } else { " " };
            let _ = writeln!(text, "{PRINTED}{space}{line}");
        }
        Ok(text)
    }

    /// Returns whether a program text is part of the input, and another one part of the output. In both `...` stands
    /// for anything, and indentation does not count.
    pub fn shows(&self, before: &str, after: &str) -> bool {
        contains(&self.head, before) && contains(&self.printed, after)
    }

    /// What is printed, once every complaint was expected and every expected one came.
    fn run(&self) -> Result<String, String> {
        let (printed, errors) = match self.outcome() {
            Ok(printed) => (printed, Vec::new()),
            Err(errors) => (errors.iter().map(|e| format!("{e}\n")).collect(), errors),
        };
        let mut left: Vec<&Expected> = self.expected.iter().collect();
        for error in &errors {
            let hit = left.iter().position(|e| {
                e.line == line_of(error) && e.code == error.code.name() && error.to_string().contains(&e.words)
            });
            match hit {
                Some(at) => drop(left.remove(at)),
                None => return Err(format!("not expected on line {}:\n{error}", line_of(error))),
            }
        }
        match left.first() {
            Some(e) => Err(format!("line {}: {} {} was expected, but did not come", e.line, e.code, e.words)),
            None => Ok(printed),
        }
    }

    /// What the golden says of the plan.
    fn plan(&self) -> Result<Plan, Vec<Diagnostic>> {
        // Lines keep their numbers.
        let lines = self.head.lines().map(|line| line.strip_prefix(PLAN).unwrap_or_default());
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        Plan::from_toml(&Source::new("plan", text)).map_err(|e| vec![e])
    }

    fn outcome(&self) -> Result<String, Vec<Diagnostic>> {
        let program = parse(&self.source)?;
        if self.test == "parse" {
            return Ok(print(&program));
        }
        verify(&program)?;
        match self.test.as_str() {
            "verify" => Ok(String::new()),
            "rules" => Ok(rules(&program)),
            "partition" => Ok(print(&partition(&program)?.local)),
            "fallbacks" => fallbacks(&program),
            "run" => run(&program),
            pass => run_pass(pass, program, self.plan()?),
        }
    }
}

/// Returns whether the lines of an excerpt are part of a text.
fn contains(text: &str, excerpt: &str) -> bool {
    let lines = |text: &str| text.lines().map(|line| format!("\n{}", line.trim())).collect::<String>() + "\n";
    let text = lines(text);
    let mut rest = text.as_str();
    lines(excerpt).split("...").all(|piece| match rest.split_once(piece) {
        Some((_, behind)) => {
            rest = behind;
            true
        }
        None => false,
    })
}

/// The line that a complaint points at; the first one when it points nowhere.
fn line_of(error: &Diagnostic) -> usize {
    let label = error.labels.first().map(|l| l.span.line_column().0);
    label.or(error.line.as_ref().map(|at| at.1 as usize)).unwrap_or(1)
}

/// A complaint of the test itself, which no golden expects.
fn wrong(what: String) -> Vec<Diagnostic> {
    vec![Diagnostic::new(partita_ir::diag::Code::R004, what)]
}

fn rules(program: &Program) -> String {
    let mut text = String::new();
    for op in program.entry_ops().map(|at| at.op) {
        let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
        let name = op.outs.first().map_or("", |&v| program.values[v].name.as_str());
        let _ = writeln!(text, "%{name}: {rule}");
    }
    text
}

fn run_pass(name: &str, mut program: Program, plan: Plan) -> Result<String, Vec<Diagnostic>> {
    let pass =
        pipelines::pass(name, program.form).ok_or_else(|| wrong(format!("no test or pass is called `{name}`")))?;
    let pipeline = Pipeline::new(vec![pass]).map_err(|e| vec![e])?;
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    pipeline.run(&mut program, &input, &mut findings, &mut |_| Ok(()))?;
    Ok(print(&program))
}

fn fallbacks(program: &Program) -> Result<String, Vec<Diagnostic>> {
    let (input, mut findings) = (Input::default(), Findings::default());
    let mut local = program.clone();
    pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default()).map_err(|e| vec![e])?.run(
        &mut local,
        &input,
        &mut findings,
        &mut |_| Ok(()),
    )?;
    let mut text = String::new();
    for f in &findings.fallbacks {
        let _ = writeln!(text, "{} %{}: dimension {} of %{} is gathered: {}", f.kind, f.result, f.dim, f.value, f.why);
    }
    Ok(text)
}

/// Runs on one device and on all, on small whole numbers.
fn run(program: &Program) -> Result<String, Vec<Diagnostic>> {
    let parts = partition(program)?;
    let inputs = small_inputs(program, 1);
    let want = run_whole(program, &inputs).map_err(wrong)?;
    let got = run_parts(&parts.local, &inputs).map_err(wrong)?;
    agree(program, &got, &want, &vec![false; want.len()], 1e-5).map_err(wrong)?;
    let mut coverage = Coverage::new();
    coverage.met(&parts.local);
    let devices = program.mesh().map_or(1, |(_, m)| m.device_count());
    Ok(format!("{devices} devices agree\n{}", coverage.inserted()))
}
