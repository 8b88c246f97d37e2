//! Many searches: each of some models on each of some machines under each of some constraints, as a file says.
//!
//! The searches are those of [`sweep`]. What is finished is kept (`results`), and is not searched for again: a result
//! counts as that of a case when model, machine, everything that the search was told, the files that it read and the
//! version of Partita are the same. A search draws nothing at random, and so there is no seed to keep.

mod file;
mod results;

use crate::error::{Error, Result};
use crate::load::load_machine;
use crate::parameters::{efficiencies_text, effort_text};
use crate::report::{Align, Table};
use crate::search::{Goal, SearchRequest, plan_to_json, stop_reason};
use crate::simulate::usual_step;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::input_file::{self, Limit, read_text};
use partita_ir::plan::{Entry, Plan, Written};
use partita_ir::program::Program;
use partita_ir::units::bytes;
use partita_machine::Machine;
use partita_runtime::io::write_file;
use partita_search::sweep::{SweepCase, SweptCase, sweep};
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

/// What a search keeps to, and how much it does.
#[derive(Clone, Debug, Default)]
struct Constraints {
    devices: Option<usize>,
    forward: bool,
    /// A plan file, to which the rest is added.
    plan: Option<Written>,
    /// What is decided beside.
    decided: Plan,
    /// Layouts that plans keep to, and axes that split what a path matches.
    fix: Vec<Entry>,
    time_limit: Option<f64>,
    effort: Effort,
    efficiencies: Efficiencies,
}

/// One search of a sweep.
#[derive(Clone, Debug)]
struct Case {
    /// What its plan is called.
    name: String,
    model: Written,
    machine: Written,
    constraint: String,
    given: Constraints,
}

/// Why there is no plan.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Failed {
    /// Its code.
    pub code: String,
    /// What is wrong.
    pub title: String,
    /// All of it, with what helps.
    pub text: String,
}

/// What came of a case.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The case, which is the name of its plan.
    pub case: String,
    /// The model, as the sweep file names it.
    pub model: String,
    /// The machine, likewise.
    pub machine: String,
    /// What the constraint is called.
    pub constraint: String,
    /// What the search was told, by key.
    pub given: Map<String, Value>,
    /// The version of Partita.
    pub version: String,
    /// Why there is no plan.
    pub error: Option<Failed>,
    /// The best plan's figures and how good it is, by key; none if there is no plan.
    pub found: Map<String, Value>,
    /// Seconds of the search.
    pub search_seconds: f64,
}

/// How far a sweep has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Progress<'p> {
    /// Searches that are finished, and all.
    pub done: (usize, usize),
    /// One that goes on, or has just been finished.
    pub case: &'p str,
}

/// Is told how far a sweep has come, by all threads, and says whether it is to go on. Searches that are not finished
/// then are made again the next time.
pub type Watch<'w> = dyn Fn(&Progress<'_>) -> bool + Sync + 'w;

/// Many searches that are to be made.
#[derive(Clone, Debug)]
pub struct Sweep {
    cases: Vec<Case>,
}

/// What came of a sweep. Prints as a table.
#[derive(Clone, Debug)]
pub struct Swept {
    folder: PathBuf,
    /// In the order of the sweep file.
    rows: Vec<Row>,
    /// How many of them were there already.
    known: usize,
    cases: usize,
}

impl Sweep {
    /// Reads a sweep file.
    ///
    /// # Errors
    /// `W001` for what is wrong with it, `C003` for its numbers.
    pub fn read(source: &Arc<Source>) -> Result<Sweep> {
        Ok(Sweep { cases: file::cases(source)? })
    }

    /// How many searches there are.
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// Makes all searches that are not finished in the folder. `load` knows models by name.
    ///
    /// # Errors
    /// A model, machine or plan file that cannot be read, `C001` and `W001` for the folder. A search that finds nothing
    /// is a row.
    pub fn run(
        &self,
        folder: &Path,
        threads: usize,
        load: &dyn Fn(&str) -> Result<Program>,
        watch: &Watch<'_>,
    ) -> Result<Swept> {
        let (journal, known) = Journal::open(folder)?;
        let plans = folder.join("plans");
        fs::create_dir_all(&plans).map_err(|e| Diagnostic::of_file("write", &plans, &e))?;
        let given: Vec<Map<String, Value>> = self.cases.iter().map(Case::given).collect();
        // Of several the last one counts.
        let find = |(case, given): (&Case, &Map<String, Value>)| {
            let is_it =
                |row: &&Row| row.case == case.name && row.version == env!("CARGO_PKG_VERSION") && row.given == *given;
            let has_plan = |row: &&Row| row.error.is_some() || plan_file(folder, &case.name).exists();
            known.iter().rev().find(is_it).filter(has_plan).cloned()
        };
        let rows: Vec<Option<Row>> = self.cases.iter().zip(&given).map(find).collect();
        let known = rows.iter().flatten().count();
        let missing: Vec<usize> = (0..rows.len()).filter(|&case| rows[case].is_none()).collect();
        let loaded = Loaded::of(missing.iter().map(|&case| &self.cases[case]), load)?;
        let prepared: Vec<_> = missing.iter().map(|&case| self.cases[case].prepare(&loaded)).collect();
        let cases: Vec<SweepCase<'_>> =
            missing.iter().zip(&prepared).map(|(&case, prepared)| self.cases[case].sweep_case(prepared)).collect();
        let (shared, failed) = (Mutex::new((journal, rows)), Mutex::new(None));
        let goes_on = |number: usize| {
            let done = guard(&shared).1.iter().flatten().count();
            watch(&Progress { done: (done, self.cases.len()), case: &self.cases[missing[number]].name })
        };
        let keep = |number: usize, swept: SweptCase| {
            let case = missing[number];
            let (row, plan) = self.cases[case].row(&given[case], swept);
            let path = plan_file(folder, &row.case);
            let kept = plan.map_or(Ok(()), |plan| write_file(&path, plan.to_toml().as_bytes()));
            let mut shared = guard(&shared);
            match kept.and_then(|()| shared.0.append(&row)) {
                Ok(()) => shared.1[case] = Some(row),
                Err(error) => {
                    *guard(&failed) = Some(error);
                    return false;
                }
            }
            drop(shared);
            goes_on(number)
        };
        sweep(&cases, threads, &goes_on, &keep);
        if let Some(error) = guard(&failed).take() {
            return Err(error.into());
        }
        let rows: Vec<Row> = guard(&shared).1.drain(..).flatten().collect();
        results::write_csv(folder, rows.iter())?;
        Ok(Swept { folder: folder.to_owned(), rows, known, cases: self.cases.len() })
    }
}

/// What a lock keeps, whatever became of others who had it.
fn guard<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

fn plan_file(folder: &Path, case: &str) -> PathBuf {
    folder.join("plans").join(format!("{case}.toml"))
}

/// Models, machines and plans by name, each read once.
struct Loaded {
    models: BTreeMap<String, Program>,
    machines: BTreeMap<String, Machine>,
    plans: BTreeMap<String, Plan>,
}

impl Loaded {
    fn of<'c>(cases: impl Iterator<Item = &'c Case>, load: &dyn Fn(&str) -> Result<Program>) -> Result<Loaded> {
        let mut all = Loaded { models: BTreeMap::new(), machines: BTreeMap::new(), plans: BTreeMap::new() };
        for case in cases {
            named(&mut all.models, &case.model, load)?;
            named(&mut all.machines, &case.machine, load_machine)?;
            if let Some(plan) = &case.given.plan {
                let read = |path: &str| Ok(Plan::from_toml(&Source::new(path, read_text(Path::new(path))?))?);
                named(&mut all.plans, plan, read)?;
            }
        }
        Ok(all)
    }
}

/// Reads what is not read yet. What is wrong with it is said of the place that names it, unless a better one is known.
fn named<T>(known: &mut BTreeMap<String, T>, by: &Written, read: impl Fn(&str) -> Result<T>) -> Result<()> {
    if !known.contains_key(&by.text) {
        let place = |error: Diagnostic| match error.labels.is_empty() && error.line.is_none() {
            true => error.at(by.span(), "is named here"),
            false => error.context(by.span(), "is named here"),
        };
        let one = read(&by.text).map_err(|Error(all)| Error(all.into_iter().map(place).collect()))?;
        known.insert(by.text.clone(), one);
    }
    Ok(())
}

impl Case {
    /// What the search is told, by key, with what files say.
    fn given(&self) -> Map<String, Value> {
        let given = &self.given;
        let mut files = Map::new();
        for name in [Some(&self.model), Some(&self.machine), given.plan.as_ref()].into_iter().flatten() {
            let path = name.text.split_once('?').map_or(name.text.as_str(), |(path, _)| path);
            if let Ok(content) = input_file::read(Path::new(path), Limit::TENSORS) {
                files.insert(path.to_string(), format!("{:016x}", xxh3_64(&content)).into());
            }
        }
        let fix = given.fix.iter().map(|entry| format!("{}={}", entry.path.text, entry.text.text));
        let own = [
            ("model", json!(self.model.text)),
            ("machine", json!(self.machine.text)),
            ("devices", json!(given.devices)),
            ("forward", json!(given.forward)),
            ("plan", json!(given.plan.as_ref().map(|plan| &plan.text))),
            ("fix", json!(fix.collect::<Vec<_>>().join("; "))),
            ("time_limit", json!(given.time_limit)),
            ("effort", json!(effort_text(&given.effort))),
            ("efficiencies", json!(efficiencies_text(&given.efficiencies))),
            ("files", Value::Object(files)),
        ];
        let decided: toml::Table = given.decided.to_toml().parse().unwrap_or_default();
        let decided = decided.into_iter().map(|(key, value)| (key, json!(value)));
        own.into_iter().map(|(key, value)| (key.to_string(), value)).chain(decided).collect()
    }

    /// The user's plan: that of a file, to which the rest is added, or the usual training step.
    fn plan(&self, machine: &Machine, plans: &BTreeMap<String, Plan>) -> Plan {
        let given = &self.given;
        let read = given.plan.as_ref().and_then(|plan| plans.get(&plan.text));
        let plan = read.cloned().unwrap_or_default().then(given.decided.clone());
        if read.is_some() || given.forward { plan } else { usual_step(Some(&self.model.text), plan, machine) }
    }

    /// Model, machine, plan and goal of the search.
    fn prepare<'l>(&self, loaded: &'l Loaded) -> Result<Prepared<'l>> {
        let unknown = || Diagnostic::new(Code::C002, format!("nothing is known of `{}`", self.name));
        let program = loaded.models.get(&self.model.text).ok_or_else(unknown)?;
        let machine = loaded.machines.get(&self.machine.text).ok_or_else(unknown)?;
        let plan = self.plan(machine, &loaded.plans);
        let goal = Goal {
            devices: self.given.devices,
            memory: plan.budget_bytes()?,
            shown: 1,
            effort: self.given.effort,
            efficiencies: self.given.efficiencies,
            fix: self.given.fix.clone(),
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
        SweepCase { request, time_limit: self.given.time_limit.map(seconds) }
    }

    /// The row of a finished search, and the best plan.
    fn row(&self, given: &Map<String, Value>, swept: SweptCase) -> (Row, Option<Plan>) {
        let (found, plan, error) = match swept.outcome {
            Ok(outcome) => (found(&outcome), outcome.plans.into_iter().next().map(|best| best.plan), None),
            Err(errors) => (Map::new(), None, Some(failed(&Error(errors)))),
        };
        let row = Row {
            case: self.name.clone(),
            model: self.model.text.clone(),
            machine: self.machine.text.clone(),
            constraint: self.constraint.clone(),
            given: given.clone(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            error,
            found,
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

/// Figures of the best plan, and of the search.
fn found(outcome: &Outcome) -> Map<String, Value> {
    let mut found = Map::new();
    if let Some(best) = outcome.plans.first() {
        let json = plan_to_json(best, outcome.memory);
        for key in ["mesh", "stages", "microbatches", "recompute", "schedule", "step_seconds", "peak_bytes"] {
            found.insert(key.to_string(), json[key].clone());
        }
        found.insert("used_devices".to_string(), best.devices.into());
    }
    let search = [("cost", outcome.cost), ("bound", outcome.bound), ("gap", outcome.gap())];
    found.extend(search.map(|(key, value)| (key.to_string(), value.into())));
    found.insert("stop".to_string(), stop_reason(outcome).into());
    found
}

fn failed(error: &Error) -> Failed {
    let first = error.0.first();
    Failed {
        code: first.map(|first| first.code.name().to_string()).unwrap_or_default(),
        title: first.map(|first| first.title.clone()).unwrap_or_default(),
        text: error.0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    }
}

impl Swept {
    /// What came of the cases that are finished, in the order of the sweep file.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether all of them are finished.
    pub fn is_complete(&self) -> bool {
        self.rows.len() == self.cases
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let object = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "folder": self.folder.display().to_string(),
            "cases": self.cases,
            "finished": self.rows.len(),
            "known": self.known,
            "rows": self.rows,
        });
        format!("{object:#}")
    }
}

impl fmt::Display for Swept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Align::{Left, Right};
        let columns = [("case", Left), ("mesh", Left), ("stages", Right), ("parts", Right), ("recompute", Left)];
        let figures = [("step", Right), ("peak memory", Right), ("gap", Right), ("ended", Left)];
        let mut table = Table::new(columns.into_iter().chain(figures));
        for row in &self.rows {
            let text = |key: &str| {
                row.found.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_string))
            };
            let number = |key: &str| row.found.get(key).and_then(Value::as_f64);
            let ended = row.error.as_ref().map(|error| format!("{}: {}", error.code, error.title));
            table.row([
                row.case.clone(),
                text("mesh").unwrap_or_default(),
                text("stages").unwrap_or_default(),
                text("microbatches").unwrap_or_default(),
                text("recompute").unwrap_or_default(),
                number("step_seconds").map(|seconds| format!("{seconds:.6} s")).unwrap_or_default(),
                row.found.get("peak_bytes").and_then(Value::as_u64).map(bytes).unwrap_or_default(),
                number("gap").map(|gap| format!("{:.2} %", 100.0 * gap)).unwrap_or_default(),
                ended.or(text("stop")).unwrap_or_default(),
            ]);
        }
        write!(f, "{table}")?;
        let without = self.rows.iter().filter(|row| row.error.is_some()).count();
        writeln!(
            f,
            "\n{} of {} cases are finished, {} of them before; {without} without a plan. {}",
            self.rows.len(),
            self.cases,
            self.known,
            self.folder.join("results.csv").display()
        )
    }
}
