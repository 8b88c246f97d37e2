//! Observer of passes: the table of `--passes`, and the files and differences of `--dump`.

use super::args::DumpFlag;
use super::files::write_file;
use indexmap::IndexMap;
use partita::report::{Align, Table};
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::program::Program;
use partita_ir::text;
use partita_passes::driver::{Findings, Input, PassInfo, PassReport, Pipeline};
use partita_passes::pipelines;
use similar::TextDiff;
use std::path::Path;
use std::time::Duration;

/// Folder to which `--dump` writes.
const DUMP_FOLDER: &str = "dump";

/// Maximum number of op kinds in a row of the table.
const MAX_LISTED_KINDS: usize = 4;

/// Passes whose programs `--dump` writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Dump {
    /// No pass.
    None,
    /// Passes that changed the program.
    Changed,
    /// All passes.
    All,
    /// The pass with this name.
    Pass(String),
}

impl Dump {
    /// Parses the value of `--dump`.
    pub(super) fn new(flag: &DumpFlag) -> Result<Dump, Diagnostic> {
        let names = pipelines::pass_names();
        match flag.dump.as_deref() {
            None => Ok(Dump::None),
            Some("changed") => Ok(Dump::Changed),
            Some("all") => Ok(Dump::All),
            Some(name) if names.contains(&name) => Ok(Dump::Pass(name.into())),
            Some(name) => Err(unknown_pass(name, &names)),
        }
    }
}

/// Returns the error `P002` for an unknown pass, with a list of all passes.
pub(super) fn unknown_pass(name: &str, names: &[&str]) -> Diagnostic {
    let unknown = Diagnostic::new(Code::P002, format!("there is no pass `{name}`"))
        .note(format!("the passes are {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")));
    match nearest(name, names.iter().copied()) {
        Some(near) => unknown.help(format!("there is `{near}`")),
        None => unknown,
    }
}

/// Runs one pass, by name.
pub(super) fn run_one(
    name: &str,
    program: &mut Program,
    input: &Input,
    findings: &mut Findings,
) -> partita::Result<()> {
    let pass =
        pipelines::pass_by_name(name, program.form).ok_or_else(|| unknown_pass(name, &pipelines::pass_names()))?;
    Ok(Pipeline::new(vec![pass])?.run(program, input, findings, &mut |_| Ok(()))?)
}

/// Observer of passes: statistics, dumps and differences.
pub(super) struct PassObserver {
    dump: Dump,
    table: Table,
    number: usize,
    census: Census,
    /// Text of the program before the next pass. Empty without `--dump`.
    before: String,
    /// Unified differences of the passes that were dumped so far.
    pub(super) diffs: String,
}

impl PassObserver {
    /// Creates an observer of passes on `program`.
    pub(super) fn new(program: &Program, dump: Dump) -> PassObserver {
        use Align::{Left, Right};
        let before = if dump == Dump::None { String::new() } else { text::print(program) };
        let head = [
            ("#", Right),
            ("pass", Left),
            ("form", Left),
            ("ops", Right),
            ("changes", Left),
            ("ms", Right),
            ("verified", Left),
        ];
        PassObserver {
            dump,
            table: Table::new(head),
            number: 0,
            census: Census::new(program),
            before,
            diffs: String::new(),
        }
    }

    /// Formats the table of all passes so far.
    pub(super) fn table(&self) -> String {
        self.table.to_string()
    }

    /// Records the effect of a pass.
    pub(super) fn record(&mut self, ran: &PassReport<'_>) -> Result<(), Diagnostic> {
        self.number += 1;
        let census = Census::new(ran.program);
        let PassInfo { name, input_form, output_form, .. } = ran.info;
        self.table.row([
            self.number.to_string(),
            name.to_string(),
            if input_form == output_form {
                input_form.name().into()
            } else {
                format!("{} -> {}", input_form.name(), output_form.name())
            },
            census.ops.to_string(),
            census.since(&self.census),
            milliseconds(ran.pass),
            format!("ok {}", milliseconds(ran.verify)),
        ]);
        self.census = census;
        self.write(name, ran.program)
    }

    /// Writes the program to the dump folder and appends the difference, if enabled for the pass.
    fn write(&mut self, pass: &str, program: &Program) -> Result<(), Diagnostic> {
        if self.dump == Dump::None {
            return Ok(());
        }
        let after = text::print(program);
        let changed = after != self.before;
        let wanted = match &self.dump {
            Dump::None => false,
            Dump::Changed => changed,
            Dump::All => true,
            Dump::Pass(name) => name == pass,
        };
        if wanted {
            let file = format!("{DUMP_FOLDER}/{:02}-{pass}.pir", self.number);
            write_file(Path::new(&file), &after)?;
            if changed {
                let diff = TextDiff::from_lines(&self.before, &after);
                self.diffs.push_str(&diff.unified_diff().context_radius(2).header("before", &file).to_string());
            } else {
                self.diffs.push_str(&format!("{file}: unchanged\n"));
            }
        }
        self.before = after;
        Ok(())
    }
}

fn milliseconds(d: Duration) -> String {
    format!("{:.1}", d.as_secs_f64() * 1e3)
}

/// Number of ops by kind, and number of values with a layout.
struct Census {
    ops: usize,
    kinds: IndexMap<&'static str, usize>,
    layouts: usize,
}

impl Census {
    fn new(program: &Program) -> Census {
        let mut census = Census { ops: 0, kinds: IndexMap::new(), layouts: 0 };
        for &op in program.funcs.values().flat_map(|f| f.ops()) {
            census.ops += 1;
            *census.kinds.entry(program.ops[op].kind.name()).or_default() += 1;
        }
        census.layouts = program.values.values().filter(|v| v.layout.is_some()).count();
        census
    }

    /// Formats the changes, the largest ones first: `+12 all_reduce, -12 reshard`.
    fn since(&self, before: &Census) -> String {
        let count = |census: &Census, kind: &str| census.kinds.get(kind).map_or(0, |&n| n as i64);
        let kinds = before.kinds.keys().chain(self.kinds.keys().filter(|k| !before.kinds.contains_key(*k)));
        let mut changes: Vec<(i64, &str)> =
            kinds.map(|&kind| (count(self, kind) - count(before, kind), kind)).filter(|(n, _)| *n != 0).collect();
        if self.layouts > before.layouts {
            changes.push(((self.layouts - before.layouts) as i64, "layouts"));
        }
        changes.sort_by_key(|(n, _)| -n.abs());
        let more = changes.len().saturating_sub(MAX_LISTED_KINDS);
        let mut listed: Vec<String> =
            changes.iter().take(MAX_LISTED_KINDS).map(|(n, kind)| format!("{n:+} {kind}")).collect();
        if more > 0 {
            listed.push(format!("{more} more"));
        }
        if listed.is_empty() { "nothing".into() } else { listed.join(", ") }
    }
}
