//! Goldens: program texts with a test name and expected output.
//!
//! ```text
//! test insert-reshards
//! form planned
//! ...
//!   %z = add %p, %b : f32[32@data, 64]   //~ V001 words of the message
//! //= printed output, written by `cargo xtask bless`
//! ```
//!
//! The first line names the test:
//! - `parse` prints the program; every other test verifies it first;
//! - `verify` prints nothing, or the errors;
//! - `rules` prints the sharding rule of each op;
//! - `partition` runs the full pipeline and prints the local program; `fallbacks` prints the gathers of the
//!   partitioner;
//! - `run` runs the program on one device and on all, which must agree, and prints the inserted ops;
//! - the name of a pass runs that pass and prints the program.
//!
//! Plan settings for the pass are on separate lines, `//plan KEY = VALUE`.
//!
//! An error is expected on the line of its label by `//~ CODE` and optional words of the message, in a plan line as a
//! TOML comment, `# //~ CODE`; an error without a label is expected on the first line. Errors are printed, too.

use crate::agree::{compare_outputs, partition, run_partitioned, run_unpartitioned};
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

/// Prefix of lines of the printed output.
const OUTPUT_PREFIX: &str = "//=";
/// Prefix of lines of the plan.
const PLAN_PREFIX: &str = "//plan ";
/// Prefix of an expected error.
const ERROR_PREFIX: &str = "//~";

/// One golden.
pub struct Golden {
    test: String,
    source: Arc<Source>,
    expected: Vec<ExpectedError>,
    printed: String,
    head: String,
}

/// Returns the files with an extension under a folder, sorted by path.
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

/// An expected error.
struct ExpectedError {
    line: usize,
    code: String,
    words: String,
}

impl Golden {
    /// Parses the text of a golden. `name` identifies the golden in messages.
    ///
    /// # Errors
    /// The first line is not `test NAME`.
    pub fn read(name: &str, text: &str) -> Result<Golden, String> {
        let at = text.find(&format!("\n{OUTPUT_PREFIX}")).map_or(text.len(), |n| n + 1);
        let (head, printed) = text.split_at(at);
        let first = head.lines().next().unwrap_or_default();
        let test = first.strip_prefix("test ").ok_or("the first line must be `test NAME`")?;
        let test = test.split("//").next().unwrap_or_default().trim().to_string();
        let expected = (1..).zip(head.lines()).filter_map(|(line, text)| {
            let (_, words) = text.split_once(ERROR_PREFIX)?;
            let (code, words) = words.trim().split_once(' ').unwrap_or((words.trim(), ""));
            Some(ExpectedError { line, code: code.into(), words: words.trim().into() })
        });
        let expected = expected.collect();
        // The first line is not program text; replacing it by a comment preserves line numbers.
        let program = format!("//{}{}", &first[2.min(first.len())..], &head[first.len()..]);
        let printed = printed.lines().map(|l| {
            let l = l.strip_prefix(OUTPUT_PREFIX).unwrap_or(l);
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

    /// Runs the test that the first line names, and compares the output.
    ///
    /// # Errors
    /// The difference between actual and expected output.
    pub fn check(&self) -> Result<(), String> {
        let printed = self.run()?;
        if printed == self.printed {
            return Ok(());
        }
        Err(format!("actual output:\n{printed}\nexpected (update with `cargo xtask bless`):\n{}", self.printed))
    }

    /// Returns the text of the golden with the actual output.
    ///
    /// # Errors
    /// Errors other than the expected ones, which are written by hand.
    pub fn with_actual_output(&self) -> Result<String, String> {
        let mut text = self.head.clone();
        for line in self.run()?.lines() {
            let space = if line.is_empty() { "" } else { " " };
            let _ = writeln!(text, "{OUTPUT_PREFIX}{space}{line}");
        }
        Ok(text)
    }

    /// Returns true if `before` is part of the input, and `after` part of the output. In both, `...` matches any text,
    /// and indentation is ignored.
    pub fn has_example(&self, before: &str, after: &str) -> bool {
        contains(&self.head, before) && contains(&self.printed, after)
    }

    /// Returns the printed output. Errors: unexpected errors, or expected errors that did not occur.
    fn run(&self) -> Result<String, String> {
        let (printed, errors) = match self.outcome() {
            Ok(printed) => (printed, Vec::new()),
            Err(errors) => (errors.iter().map(|e| format!("{e}\n")).collect(), errors),
        };
        let mut left: Vec<&ExpectedError> = self.expected.iter().collect();
        for error in &errors {
            let hit = left.iter().position(|e| {
                e.line == line_of(error) && e.code == error.code.name() && error.to_string().contains(&e.words)
            });
            match hit {
                Some(at) => drop(left.remove(at)),
                None => return Err(format!("unexpected error on line {}:\n{error}", line_of(error))),
            }
        }
        match left.first() {
            Some(e) => Err(format!("line {}: {} {} was expected, but not reported", e.line, e.code, e.words)),
            None => Ok(printed),
        }
    }

    /// Returns the plan of the golden.
    fn plan(&self) -> Result<Plan, Vec<Diagnostic>> {
        // Empty lines preserve line numbers.
        let lines = self.head.lines().map(|line| line.strip_prefix(PLAN_PREFIX).unwrap_or_default());
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

/// Returns true if the lines of an excerpt are part of a text.
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

/// Returns the line of an error's first label; 1 without a label.
fn line_of(error: &Diagnostic) -> usize {
    let label = error.labels.first().map(|l| l.span.line_column().0);
    label.or(error.line.as_ref().map(|at| at.1 as usize)).unwrap_or(1)
}

/// Returns an error of the test itself, which no golden expects.
fn test_error(what: String) -> Vec<Diagnostic> {
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
    let pass = pipelines::pass_by_name(name, program.form)
        .ok_or_else(|| test_error(format!("unknown test or pass `{name}`")))?;
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

/// Runs on one device and on all, with small integral inputs.
fn run(program: &Program) -> Result<String, Vec<Diagnostic>> {
    let parts = partition(program)?;
    let inputs = small_inputs(program, 1);
    let want = run_unpartitioned(program, &inputs).map_err(test_error)?;
    let got = run_partitioned(&parts.local, &inputs).map_err(test_error)?;
    compare_outputs(program, &got, &want, &vec![false; want.len()], 1e-5).map_err(test_error)?;
    let mut coverage = Coverage::new();
    coverage.count_pass_result(&parts.local);
    let devices = program.mesh().map_or(1, |(_, m)| m.device_count());
    Ok(format!("{devices} devices agree\n{}", coverage.inserted_counts()))
}
