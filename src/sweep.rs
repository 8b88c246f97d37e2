//! Sweeps: searches for each combination of models, machines and constraints in a sweep file.
//!
//! [`sweep`] runs the searches. Finished results are stored (`results`) and not searched for again. A stored result is
//! valid for a case if the model, the machine, all inputs of the search, the contents of the files and the version of
//! Partita are equal. A search uses no random numbers, so that no seed is stored.

mod file;
mod results;

use crate::error::{Error, Result};
use crate::load::load_machine;
use crate::parameters::{efficiencies_text, effort_text};
use crate::report::{Align, Table};
use crate::search::{Goal, SearchRequest, Target, plan_to_json, stop_reason};
use crate::simulate::{default_inference_plan, default_step_plan};
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::input_file::{self, FileLimit, read_text};
use partita_ir::plan::{Plan, PlanEntry, SourceText};
use partita_ir::program::Program;
use partita_ir::units::{format_bytes, format_seconds};
use partita_machine::Machine;
use partita_runtime::io::write_file;
use partita_search::sweep::{SweepCase, SweepResult, sweep};
use partita_search::{Effort, Outcome};
use results::Journal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// Constraints and limits of the search of a case.
#[derive(Clone, Debug, Default)]
struct CaseConstraints {
    devices: Option<usize>,
    /// Framework that can express the plans.
    target: Option<Target>,
    /// True to search for inference of a built-in model instead of training.
    forward: bool,
    /// Plan file, which the keys in `decided` extend.
    plan: Option<SourceText>,
    /// Plan keys of the constraint.
    decided: Plan,
    /// Layouts of values that plans must have, and axes that shard the values of a path.
    fix: Vec<PlanEntry>,
    /// Time limit in seconds.
    time_limit: Option<f64>,
    effort: Effort,
    efficiencies: Efficiencies,
}

/// One search of a sweep.
#[derive(Clone, Debug)]
struct Case {
    /// Name of the case and of its plan.
    name: String,
    model: SourceText,
    machine: SourceText,
    constraint: String,
    constraints: CaseConstraints,
}

/// Error of a case without a plan.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct CaseError {
    /// Error code.
    pub code: String,
    /// Title.
    pub title: String,
    /// Full text, with notes and helps.
    pub text: String,
}

/// Result of a case.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct CaseResult {
    /// Name of the case and of its plan.
    pub case: String,
    /// Model as named in the sweep file.
    pub model: String,
    /// Machine as named in the sweep file.
    pub machine: String,
    /// Name of the constraint.
    pub constraint: String,
    /// Inputs of the search, by key.
    #[serde(rename = "given")]
    pub inputs: Map<String, Value>,
    /// Version of Partita.
    pub version: String,
    /// Error, if no plan was found.
    pub error: Option<CaseError>,
    /// Figures of the best plan and of the search, by key. Empty if no plan was found.
    #[serde(rename = "found")]
    pub figures: Map<String, Value>,
    /// Duration of the search in seconds.
    pub search_seconds: f64,
}

impl CaseResult {
    /// Peak memory of a device in bytes and seconds of a step of the best plan. `None` without a plan.
    pub(crate) fn cost(&self) -> Option<(u64, f64)> {
        let figure = |key: &str| self.figures.get(key);
        figure("peak_bytes").and_then(Value::as_u64).zip(figure("step_seconds").and_then(Value::as_f64))
    }
}

/// Progress of a sweep.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepProgress<'p> {
    /// Number of finished searches, and of all.
    pub done: (usize, usize),
    /// Case whose search is starting, or has just finished.
    pub case: &'p str,
}

/// Progress callback of a sweep, which all threads call. The sweep ends if the callback returns `false`; unfinished
/// searches are repeated in the next run.
pub type OnSweepProgress<'w> = dyn Fn(&SweepProgress<'_>) -> bool + Sync + 'w;

/// Searches of a sweep file.
#[derive(Clone, Debug)]
pub struct Sweep {
    cases: Vec<Case>,
}

/// Result of a sweep. Prints as a table.
#[derive(Clone, Debug)]
pub struct SweepResults {
    folder: PathBuf,
    /// Finished cases in the order of the sweep file.
    rows: Vec<CaseResult>,
    /// Number of rows from earlier runs.
    reused: usize,
    cases: usize,
}

impl Sweep {
    /// Parses a sweep file.
    ///
    /// # Errors
    /// `W001` for an invalid file, `C003` for invalid numbers.
    pub fn read(source: &Arc<Source>) -> Result<Sweep> {
        Ok(Sweep { cases: file::cases(source)? })
    }

    /// Number of searches.
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Returns true if the sweep has no searches.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// Runs all searches without a finished result in the folder. `load` loads models by name. A search that finds no
    /// plan is a row with an error.
    ///
    /// # Errors
    /// Errors of a model, machine or plan file, and `C001` and `W001` for the folder.
    pub fn run(
        &self,
        folder: &Path,
        threads: usize,
        load: &dyn Fn(&str) -> Result<Program>,
        watch: &OnSweepProgress<'_>,
    ) -> Result<SweepResults> {
        let (journal, known) = Journal::open(folder)?;
        let plans = folder.join("plans");
        fs::create_dir_all(&plans).map_err(|e| Diagnostic::io_error("write", &plans, &e))?;
        let given: Vec<Map<String, Value>> = self.cases.iter().map(Case::search_inputs).collect();
        // The last of several rows is valid.
        let find = |(case, given): (&Case, &Map<String, Value>)| {
            let is_it = |row: &&CaseResult| {
                row.case == case.name && row.version == env!("CARGO_PKG_VERSION") && row.inputs == *given
            };
            let has_plan = |row: &&CaseResult| row.error.is_some() || plan_file(folder, &case.name).exists();
            known.iter().rev().find(is_it).filter(has_plan).cloned()
        };
        let rows: Vec<Option<CaseResult>> = self.cases.iter().zip(&given).map(find).collect();
        let known = rows.iter().flatten().count();
        let missing: Vec<usize> = (0..rows.len()).filter(|&case| rows[case].is_none()).collect();
        let loaded = Loaded::new(missing.iter().map(|&case| &self.cases[case]), load)?;
        let prepared: Vec<_> = missing.iter().map(|&case| self.cases[case].prepare(&loaded)).collect();
        let cases: Vec<SweepCase<'_>> =
            missing.iter().zip(&prepared).map(|(&case, prepared)| self.cases[case].sweep_case(prepared)).collect();
        let (shared, failed) = (Mutex::new((journal, rows)), Mutex::new(None));
        let goes_on = |number: usize| {
            let done = lock(&shared).1.iter().flatten().count();
            watch(&SweepProgress { done: (done, self.cases.len()), case: &self.cases[missing[number]].name })
        };
        let keep = |number: usize, swept: SweepResult| {
            let case = missing[number];
            let (row, plan) = self.cases[case].row(&given[case], swept);
            let path = plan_file(folder, &row.case);
            let kept = plan.map_or(Ok(()), |plan| write_file(&path, plan.to_toml().as_bytes()));
            let mut shared = lock(&shared);
            match kept.and_then(|()| shared.0.append(&row)) {
                Ok(()) => shared.1[case] = Some(row),
                Err(error) => {
                    *lock(&failed) = Some(error);
                    return false;
                }
            }
            drop(shared);
            goes_on(number)
        };
        sweep(&cases, threads, &goes_on, &keep);
        if let Some(error) = lock(&failed).take() {
            return Err(error.into());
        }
        let rows: Vec<CaseResult> = lock(&shared).1.drain(..).flatten().collect();
        results::write_csv(folder, rows.iter())?;
        Ok(SweepResults { folder: folder.to_owned(), rows, reused: known, cases: self.cases.len() })
    }
}

/// Locks a mutex. A panic of another thread while it held the lock is ignored.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn plan_file(folder: &Path, case: &str) -> PathBuf {
    folder.join("plans").join(format!("{case}.toml"))
}

/// Models, machines and plans by name, each loaded once.
struct Loaded {
    models: BTreeMap<String, Program>,
    machines: BTreeMap<String, Machine>,
    plans: BTreeMap<String, Plan>,
}

impl Loaded {
    fn new<'c>(cases: impl Iterator<Item = &'c Case>, load: &dyn Fn(&str) -> Result<Program>) -> Result<Loaded> {
        let mut all = Loaded { models: BTreeMap::new(), machines: BTreeMap::new(), plans: BTreeMap::new() };
        for case in cases {
            load_once(&mut all.models, &case.model, load)?;
            load_once(&mut all.machines, &case.machine, load_machine)?;
            if let Some(plan) = &case.constraints.plan {
                let read = |path: &str| Ok(Plan::from_toml(&Source::new(path, read_text(Path::new(path))?))?);
                load_once(&mut all.plans, plan, read)?;
            }
        }
        Ok(all)
    }
}

/// Reads an entry that is not loaded yet. An error without a location is labelled with the name in the sweep file.
fn load_once<T>(known: &mut BTreeMap<String, T>, by: &SourceText, read: impl Fn(&str) -> Result<T>) -> Result<()> {
    if !known.contains_key(&by.text) {
        let place = |error: Diagnostic| match error.labels.is_empty() && error.line.is_none() {
            true => error.label(by.span(), "is named here"),
            false => error.context(by.span(), "is named here"),
        };
        let one = read(&by.text).map_err(|Error(all)| Error(all.into_iter().map(place).collect()))?;
        known.insert(by.text.clone(), one);
    }
    Ok(())
}

impl Case {
    /// Returns the inputs of the search by key, with hashes of the files.
    fn search_inputs(&self) -> Map<String, Value> {
        let given = &self.constraints;
        let mut files = Map::new();
        for name in [Some(&self.model), Some(&self.machine), given.plan.as_ref()].into_iter().flatten() {
            let path = name.text.split_once('?').map_or(name.text.as_str(), |(path, _)| path);
            if let Ok(content) = input_file::read(Path::new(path), FileLimit::TENSORS) {
                files.insert(path.to_string(), format!("{:016x}", xxh3_64(&content)).into());
            }
        }
        let fix = given.fix.iter().map(|entry| format!("{}={}", entry.path.text, entry.text.text));
        let own = [
            ("model", json!(self.model.text)),
            ("machine", json!(self.machine.text)),
            ("devices", json!(given.devices)),
            ("target", json!(given.target.map(Target::name))),
            ("forward", json!(given.forward)),
            ("plan", json!(given.plan.as_ref().map(|plan| &plan.text))),
            ("fix", json!(fix.collect::<Vec<_>>().join("; "))),
            ("time_limit", json!(given.time_limit)),
            ("effort", json!(effort_text(&given.effort))),
            ("efficiencies", json!(efficiencies_text(&given.efficiencies))),
            ("files", Value::Object(files)),
        ];
        let mut decided: toml::Table = given.decided.to_toml().parse().unwrap_or_default();
        decided.remove("version");
        let decided = decided.into_iter().map(|(key, value)| (key, json!(value)));
        own.into_iter().map(|(key, value)| (key.to_string(), value)).chain(decided).collect()
    }

    /// Returns the plan that constrains the search: that of the plan file with the constraint's keys, or the default
    /// training step of a built-in model.
    fn plan(&self, machine: &Machine, plans: &BTreeMap<String, Plan>) -> Plan {
        let given = &self.constraints;
        let read = given.plan.as_ref().and_then(|plan| plans.get(&plan.text));
        let plan = read.cloned().unwrap_or_default().then(given.decided.clone());
        match (read.is_some(), given.forward) {
            (true, _) => plan,
            (false, true) => default_inference_plan(Some(&self.model.text), plan, machine),
            (false, false) => default_step_plan(Some(&self.model.text), plan, machine),
        }
    }

    /// Resolves model, machine, plan and goal of the search.
    fn prepare<'l>(&self, loaded: &'l Loaded) -> Result<Prepared<'l>> {
        let unknown = || Diagnostic::new(Code::C002, format!("internal error: `{}` is not loaded", self.name));
        let program = loaded.models.get(&self.model.text).ok_or_else(unknown)?;
        let machine = loaded.machines.get(&self.machine.text).ok_or_else(unknown)?;
        let plan = self.plan(machine, &loaded.plans);
        let goal = Goal {
            devices: self.constraints.devices,
            target: self.constraints.target,
            memory: plan.budget_bytes()?,
            shown: 1,
            effort: self.constraints.effort,
            efficiencies: self.constraints.efficiencies,
            fix: self.constraints.fix.clone(),
            ..Goal::default()
        };
        Ok(Prepared { program, machine, plan, goal })
    }

    fn sweep_case<'p>(&self, prepared: &'p Result<Prepared<'p>>) -> SweepCase<'p> {
        let request = match prepared {
            Ok(Prepared { program, machine, plan, goal }) => Ok(SearchRequest { program, plan, machine, goal }),
            Err(error) => Err(error.0.clone()),
        };
        let seconds = |seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        SweepCase { request, time_limit: self.constraints.time_limit.map(seconds) }
    }

    /// Returns the row of a finished search, and the best plan.
    fn row(&self, given: &Map<String, Value>, swept: SweepResult) -> (CaseResult, Option<Plan>) {
        let (found, plan, error) = match swept.outcome {
            Ok(outcome) => (figures(&outcome), outcome.plans.into_iter().next().map(|best| best.plan), None),
            Err(errors) => (Map::new(), None, Some(case_error(&Error(errors)))),
        };
        let row = CaseResult {
            case: self.name.clone(),
            model: self.model.text.clone(),
            machine: self.machine.text.clone(),
            constraint: self.constraint.clone(),
            inputs: given.clone(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            error,
            figures: found,
            search_seconds: swept.seconds,
        };
        (row, plan)
    }
}

/// Inputs of a search.
struct Prepared<'l> {
    program: &'l Program,
    machine: &'l Machine,
    plan: Plan,
    goal: Goal,
}

/// Returns the figures of the best plan and of the search.
fn figures(outcome: &Outcome) -> Map<String, Value> {
    let mut found = Map::new();
    if let Some(best) = outcome.plans.first() {
        let json = plan_to_json(best, outcome.memory);
        for key in ["mesh", "stages", "microbatches", "recompute", "schedule", "step_seconds", "peak_bytes"] {
            found.insert(key.to_string(), json[key].clone());
        }
        found.insert("used_devices".to_string(), best.devices.into());
    }
    let search = [("bound", outcome.bound), ("gap", outcome.gap())];
    found.extend(search.map(|(key, value)| (key.to_string(), value.into())));
    found.insert("stop".to_string(), stop_reason(outcome).into());
    found
}

fn case_error(error: &Error) -> CaseError {
    let first = error.0.first();
    CaseError {
        code: first.map(|first| first.code.name().to_string()).unwrap_or_default(),
        title: first.map(|first| first.title.clone()).unwrap_or_default(),
        text: error.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    }
}

impl SweepResults {
    /// Results of the finished cases, in the order of the sweep file.
    pub fn rows(&self) -> &[CaseResult] {
        &self.rows
    }

    /// Returns true if all cases are finished.
    pub fn is_complete(&self) -> bool {
        self.rows.len() == self.cases
    }

    /// Formats the results as a JSON object.
    pub fn to_json(&self) -> String {
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "folder": self.folder.display().to_string(),
            "cases": self.cases,
            "finished": self.rows.len(),
            "known": self.reused,
            "rows": self.rows,
        });
        format!("{object:#}")
    }
}

impl SweepResults {
    /// Returns the figures of each finished case.
    pub(crate) fn table(&self) -> Table {
        use Align::{Left, Right};
        let columns =
            [("case", Left), ("mesh", Left), ("stages", Right), ("micro-batches", Right), ("recompute", Left)];
        let figures = [("step", Right), ("peak memory", Right), ("gap", Right), ("status", Left)];
        let mut table = Table::new(columns.into_iter().chain(figures));
        for row in &self.rows {
            let text = |key: &str| {
                row.figures.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_string))
            };
            let number = |key: &str| row.figures.get(key).and_then(Value::as_f64);
            let ended = row.error.as_ref().map(|error| format!("{}: {}", error.code, error.title));
            table.row([
                row.case.clone(),
                text("mesh").unwrap_or_default(),
                text("stages").unwrap_or_default(),
                text("microbatches").unwrap_or_default(),
                text("recompute").unwrap_or_default(),
                number("step_seconds").map(format_seconds).unwrap_or_default(),
                row.figures.get("peak_bytes").and_then(Value::as_u64).map(format_bytes).unwrap_or_default(),
                number("gap").map(|gap| format!("{:.2} %", 100.0 * gap)).unwrap_or_default(),
                ended.or(text("stop")).unwrap_or_default(),
            ]);
        }
        table
    }

    /// Formats the number of finished cases: `3 of 4 cases finished`.
    pub(crate) fn finished_text(&self) -> String {
        format!("{} of {} cases finished", self.rows.len(), self.cases)
    }

    /// Number of finished cases without a plan.
    pub(crate) fn failed(&self) -> usize {
        self.rows.iter().filter(|row| row.error.is_some()).count()
    }
}

impl fmt::Display for SweepResults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.table())?;
        let folder = self.folder.join("results.csv");
        writeln!(
            f,
            "\n{}, {} of them in earlier runs; {} without a plan. {}",
            self.finished_text(),
            self.reused,
            self.failed(),
            folder.display()
        )
    }
}
