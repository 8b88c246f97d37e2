//! Watching a pipeline: the table of `--passes`, and the files and differences of `--dump`.

use super::args::DumpFlag;
use super::files::write_file;
use indexmap::IndexMap;
use partita::report::{Align, Table};
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::program::Program;
use partita_ir::text;
use partita_passes::driver::{Findings, Info, Input, Pipeline, Ran};
use partita_passes::pipelines;
use similar::TextDiff;
use std::path::Path;
use std::time::Duration;

/// Where `--dump` writes.
const FOLDER: &str = "dump";

/// How many kinds of operations the table mentions for one pass.
const MENTIONED: usize = 4;

/// Which passes `--dump` is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Dump {
    /// None.
    Nothing,
    /// Those that changed the program.
    Changed,
    /// All of them.
    All,
    /// The one of that name.
    Pass(String),
}

impl Dump {
    /// What the flag says, if there is such a pass.
    pub(super) fn new(flag: &DumpFlag) -> Result<Dump, Diagnostic> {
        let names = pipelines::names();
        match flag.dump.as_deref() {
            None => Ok(Dump::Nothing),
            Some("changed") => Ok(Dump::Changed),
            Some("all") => Ok(Dump::All),
            Some(name) if names.contains(&name) => Ok(Dump::Pass(name.into())),
            Some(name) => Err(unknown_pass(name, &names)),
        }
    }
}

/// `P002`, with the passes that there are.
pub(super) fn unknown_pass(name: &str, names: &[&str]) -> Diagnostic {
    let unknown = Diagnostic::new(Code::P002, format!("there is no pass `{name}`"))
        .note(format!("the passes are {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")));
    match nearest(name, names.iter().copied()) {
        Some(near) => unknown.help(format!("there is `{near}`")),
        None => unknown,
    }
}

/// Runs one pass.
pub(super) fn run_one(
    name: &str,
    program: &mut Program,
    input: &Input,
    findings: &mut Findings,
) -> partita::Result<()> {
    let pass = pipelines::pass(name, program.form).ok_or_else(|| unknown_pass(name, &pipelines::names()))?;
    Ok(Pipeline::new(vec![pass])?.run(program, input, findings, &mut |_| Ok(()))?)
}

/// Sees every pass of a pipeline.
pub(super) struct Watch {
    dump: Dump,
    table: Table,
    number: usize,
    census: Census,
    /// The program's text before the next pass; empty unless something is dumped.
    before: String,
    /// Differences so far.
    pub(super) diffs: String,
}

impl Watch {
    /// A watch over passes on `program`.
    pub(super) fn new(program: &Program, dump: Dump) -> Watch {
        use Align::{Left, Right};
        let before = if dump == Dump::Nothing { String::new() } else { text::print(program) };
        let head = [
            ("#", Right),
            ("pass", Left),
            ("form", Left),
            ("ops", Right),
            ("did", Left),
            ("ms", Right),
            ("verified", Left),
        ];
        Watch { dump, table: Table::new(head), number: 0, census: Census::of(program), before, diffs: String::new() }
    }

    /// The table of all passes so far.
    pub(super) fn table(&self) -> String {
        self.table.to_string()
    }

    /// Notes what a pass did.
    pub(super) fn see(&mut self, ran: &Ran<'_>) -> Result<(), Diagnostic> {
        self.number += 1;
        let census = Census::of(ran.program);
        let Info { name, needs, gives, .. } = ran.info;
        self.table.row([
            self.number.to_string(),
            name.to_string(),
            if needs == gives { needs.name().into() } else { format!("{} -> {}", needs.name(), gives.name()) },
            census.ops.to_string(),
            census.since(&self.census),
            milliseconds(ran.pass),
            format!("ok {}", milliseconds(ran.verify)),
        ]);
        self.census = census;
        self.write(name, ran.program)
    }

    /// Writes the program into the dump folder and keeps the difference, where that is asked for.
    fn write(&mut self, pass: &str, program: &Program) -> Result<(), Diagnostic> {
        if self.dump == Dump::Nothing {
            return Ok(());
        }
        let after = text::print(program);
        let changed = after != self.before;
        let wanted = match &self.dump {
            Dump::Nothing => false,
            Dump::Changed => changed,
            Dump::All => true,
            Dump::Pass(name) => name == pass,
        };
        if wanted {
            let file = format!("{FOLDER}/{:02}-{pass}.pir", self.number);
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

/// How many operations of each kind a program has, and how many values have a layout.
struct Census {
    ops: usize,
    kinds: IndexMap<&'static str, usize>,
    layouts: usize,
}

impl Census {
    fn of(program: &Program) -> Census {
        let mut census = Census { ops: 0, kinds: IndexMap::new(), layouts: 0 };
        for &op in program.funcs.values().flat_map(|f| f.ops()) {
            census.ops += 1;
            *census.kinds.entry(program.ops[op].kind.name()).or_default() += 1;
        }
        census.layouts = program.values.values().filter(|v| v.layout.is_some()).count();
        census
    }

    /// What changed, the largest changes first: `+12 all_reduce, -12 reshard`.
    fn since(&self, before: &Census) -> String {
        let count = |census: &Census, kind: &str| census.kinds.get(kind).map_or(0, |&n| n as i64);
        let kinds = before.kinds.keys().chain(self.kinds.keys().filter(|k| !before.kinds.contains_key(*k)));
        let mut changes: Vec<(i64, &str)> =
            kinds.map(|&kind| (count(self, kind) - count(before, kind), kind)).filter(|(n, _)| *n != 0).collect();
        if self.layouts > before.layouts {
            changes.push(((self.layouts - before.layouts) as i64, "layouts"));
        }
        changes.sort_by_key(|(n, _)| -n.abs());
        let more = changes.len().saturating_sub(MENTIONED);
        let mut told: Vec<String> = changes.iter().take(MENTIONED).map(|(n, kind)| format!("{n:+} {kind}")).collect();
        if more > 0 {
            told.push(format!("{more} more"));
        }
        if told.is_empty() { "nothing".into() } else { told.join(", ") }
    }
}
