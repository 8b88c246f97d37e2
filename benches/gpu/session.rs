//! A session on a GPU. Each case runs in a separate process with a timeout and yields one line of JSON, also if it
//! fails, hangs or crashes.
//!
//! Steps run in order of importance: later steps skip cases that failed earlier ones. A step that exceeds its time
//! share is cut short; unused time is available to later steps.

use crate::cases::{CaseKind, CaseRecord};
use crate::{device, list, report};
use partita_ir::diag::Diagnostic;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Execution target of the cases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionMode {
    /// The first GPU.
    OnGpu,
    /// The emulator, for the steps that can run without a GPU.
    Rehearsal,
}

/// Deadline of each step in seconds since the start of the session; ten minutes in total.
const STEP_DEADLINES_S: [(&str, u64); 6] =
    [("smoke", 20), ("sanitize", 130), ("check", 240), ("time", 390), ("torch", 530), ("profile", 585)];

/// Deadline of each step of a rehearsal in seconds since the start of the session.
const REHEARSAL_DEADLINES_S: [(&str, u64); 6] =
    [("smoke", 10), ("sanitize", 10), ("check", 30), ("time", 30), ("torch", 40), ("profile", 40)];

/// Timeout of one case.
const CASE_TIMEOUT: Duration = Duration::from_secs(60);

/// Timeout of the PyTorch script, which compiles for longer than one case.
const TORCH_TIMEOUT: Duration = Duration::from_secs(140);

/// Tools of compute-sanitizer, and the cases run under them.
const SANITIZER_TOOLS: [&str; 2] = ["memcheck", "racecheck"];
const SANITIZED_CASES: [&str; 10] = [
    "mlp_train_f32_1",
    "mnist-cnn_train_f32_1",
    "gpt_train_f32_1",
    "gpt_train_bf16_1",
    "bert_train_bf16_1",
    "moe_train_f32_1",
    "matmul_small",
    "elementwise_small",
    "attention_full_small",
    "attention_causal_small",
];

/// Cases that a rehearsal runs with a process for each device.
const REHEARSED_ON_RANKS: [&str; 2] = ["mlp_train_f32_4", "alone"];

/// Counters that ncu records for a kernel.
const NCU_COUNTERS: &str = "gpu__time_duration.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,\
                        sm__throughput.avg.pct_of_peak_sustained_elapsed,launch__registers_per_thread";

/// A session in progress.
pub struct Session {
    folder: PathBuf,
    /// Path of the results without an extension.
    stem: PathBuf,
    mode: SessionMode,
    list: Vec<CaseRecord>,
    started: Instant,
    lines: Vec<Value>,
    file: File,
}

/// Outcome of a process.
struct ProcessOutcome {
    /// Last line of standard output, if it is JSON.
    line: Option<Value>,
    /// Standard output.
    out: String,
    /// End of standard error.
    stderr_tail: String,
    code: Option<i32>,
    seconds: f64,
    timed_out: bool,
}

impl Session {
    /// Starts a session on the cases of a folder.
    pub fn new(folder: &Path, results: &Path, date: &str, mode: SessionMode) -> partita::Result<Session> {
        let failed = |e: std::io::Error| Diagnostic::io_error("write", results, &e);
        fs::create_dir_all(results).map_err(failed)?;
        let gpu = device::current_state();
        let found = partita_gpu::machine::findings();
        let cuda: Vec<_> = found.iter().filter(|found| found.target == "cuda").collect();
        // The CUDA driver reports the device name even without `nvidia-smi`.
        let driver = cuda.iter().find(|found| found.kind == "device").and_then(|found| found.name.as_deref());
        let name = gpu.as_ref().and_then(|gpu| gpu["device"].as_str()).or(driver).unwrap_or("emulator");
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let stem = results.join(format!("{date}-{name}"));
        let file = File::create(stem.with_extension("jsonl")).map_err(failed)?;
        let list = list(folder)?;
        let mut session =
            Session { folder: folder.into(), stem, mode, list, started: Instant::now(), lines: Vec::new(), file };
        let version = env!("CARGO_PKG_VERSION");
        let is_rehearsed = mode == SessionMode::Rehearsal;
        session.record(json!({
            "step": "session", "date": date, "version": version, "gpu": gpu, "found": without_folder(json!(cuda)),
            "rehearsed": is_rehearsed,
        }))?;
        Ok(session)
    }

    /// Runs all steps and writes the report. Returns true if no case failed.
    pub fn run(mut self) -> partita::Result<bool> {
        let runs = self.smoke()?;
        if runs {
            self.sanitize()?;
            self.check()?;
            self.time()?;
            self.torch()?;
            self.profile()?;
        }
        let path = self.stem.with_extension("md");
        let text = report::markdown(&self.lines);
        fs::write(&path, &text).map_err(|e| Diagnostic::io_error("write", &path, &e))?;
        println!("{text}\n{}\n{}", self.stem.with_extension("jsonl").display(), path.display());
        Ok(runs && self.lines.iter().all(|line| line["ok"] != false))
    }

    /// Appends a line to the results and flushes the file.
    fn record(&mut self, line: Value) -> partita::Result<()> {
        let path = self.stem.with_extension("jsonl");
        writeln!(self.file, "{line}").map_err(|e| Diagnostic::io_error("write", &path, &e))?;
        let brief = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
        let verdict = match (&line["ok"], &line["skipped"], &line["error"]) {
            (_, Value::String(why), _) => format!("skipped: {why}"),
            (_, _, Value::String(why)) => format!("FAILED: {why}"),
            (Value::Bool(false), ..) => "WRONG".to_owned(),
            _ => "done".to_owned(),
        };
        println!("{} {} {}: {verdict}", brief("step"), brief("case"), brief("on"));
        self.lines.push(line);
        Ok(())
    }

    /// Returns the time left for a step.
    fn time_left(&self, step: &str) -> Duration {
        let until = if self.mode == SessionMode::OnGpu { STEP_DEADLINES_S } else { REHEARSAL_DEADLINES_S };
        let seconds = until.iter().find(|(name, _)| *name == step).map_or(0, |(_, seconds)| *seconds);
        Duration::from_secs(seconds).saturating_sub(self.started.elapsed())
    }

    /// Runs a case of a step and records the outcome. Returns `None` if no time was left.
    fn case(
        &mut self,
        (step, case, on): (&str, &str, &str),
        mut command: Command,
    ) -> partita::Result<Option<ProcessOutcome>> {
        let mut line = json!({ "step": step, "case": case, "on": on });
        let left = self.time_left(step).min(CASE_TIMEOUT);
        if left.is_zero() {
            line["skipped"] = json!("no time was left");
            self.record(line)?;
            return Ok(None);
        }
        let ended = match run(&mut command, left, &self.stem) {
            Ok(ended) => ended,
            Err(e) => {
                line["skipped"] = json!(format!("`{}`: {e}", command.get_program().display()));
                self.record(line)?;
                return Ok(None);
            }
        };
        line["wall_seconds"] = json!(ended.seconds);
        line["gpu"] = device::current_state().unwrap_or_default();
        if let Some(Value::Object(found)) = &ended.line {
            found.iter().for_each(|(key, value)| line[key] = value.clone());
        }
        if ended.timed_out && left < CASE_TIMEOUT {
            line["skipped"] = json!("no time was left");
        } else if ended.timed_out {
            line["error"] = json!(format!("stopped after {:.0} s", ended.seconds));
        } else if ended.code != Some(0) && line["ok"] != false && line.get("error").is_none() {
            let code = ended.code.map_or("a signal".to_owned(), |code| format!("code {code}"));
            line["error"] = json!(format!("exited with {code}: {}", ended.stderr_tail));
        }
        if line.get("error").is_some() {
            line["ok"] = json!(false);
        }
        self.record(line)?;
        Ok(Some(ended))
    }

    /// Records a case as skipped.
    fn skip(&mut self, step: &str, case: &str, why: &str) -> partita::Result<()> {
        self.record(json!({ "step": step, "case": case, "skipped": why }))
    }

    /// Returns the command that runs this program on a case.
    fn case_command(&self, name: &str, on: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "gpu".into()));
        command.arg("case").arg(&self.folder).args([name, on]);
        command
    }

    /// Runs one small case and synchronises after each launch.
    fn smoke(&mut self) -> partita::Result<bool> {
        let on = if self.mode == SessionMode::OnGpu { "cuda" } else { "emulator" };
        let mut command = self.case_command("elementwise_small", on);
        command.env("CUDA_LAUNCH_BLOCKING", "1");
        let ended = self.case(("smoke", "elementwise_small", on), command)?;
        Ok(ended.is_some() && self.lines.last().is_some_and(|line| line["ok"] == true))
    }

    /// Runs small cases under the tools of compute-sanitizer.
    fn sanitize(&mut self) -> partita::Result<()> {
        let sanitizer = match (self.mode, find_tool("compute-sanitizer")) {
            (SessionMode::Rehearsal, _) => return self.skip("sanitize", "all", "requires a GPU"),
            (SessionMode::OnGpu, None) => return self.skip("sanitize", "all", "compute-sanitizer is not installed"),
            (SessionMode::OnGpu, Some(sanitizer)) => sanitizer,
        };
        for (tool, name) in SANITIZER_TOOLS.into_iter().flat_map(|tool| SANITIZED_CASES.map(|name| (tool, name))) {
            let own = self.case_command(name, "cuda");
            let mut command = Command::new(&sanitizer);
            command.args(["--tool", tool, "--error-exitcode", "9", "--print-limit", "3"]);
            command.arg(own.get_program()).args(own.get_args());
            self.case(("sanitize", name, tool), command)?;
        }
        Ok(())
    }

    /// Checks every case with expected outputs.
    fn check(&mut self) -> partita::Result<()> {
        let gpus = partita_gpu::machine::findings();
        let gpus = gpus.iter().filter(|found| found.target == "cuda" && found.kind == "device").count();
        let (one, many, of_ranks) = match self.mode {
            SessionMode::OnGpu => ("cuda", "nccl", "nccl-ranks"),
            SessionMode::Rehearsal => ("emulator", "network", "network-ranks"),
        };
        for record in self.list.clone().iter().filter(|record| record.kind != CaseKind::Time) {
            let ranks = if record.name.ends_with("_4") { 4 } else { 1 };
            if record.kind == CaseKind::Check {
                let command = self.case_command(&record.name, one);
                self.case(("check", &record.name, one), command)?;
            }
            let is_alone = record.kind == CaseKind::Alone;
            if is_alone || ranks > 1 && (self.mode == SessionMode::Rehearsal || gpus >= ranks) {
                let command = self.case_command(&record.name, many);
                self.case(("check", &record.name, many), command)?;
                // Each process of a rehearsal compiles its kernels on the CPU.
                if self.mode == SessionMode::OnGpu || REHEARSED_ON_RANKS.contains(&&*record.name) {
                    let command = self.case_command(&record.name, of_ranks);
                    self.case(("check", &record.name, of_ranks), command)?;
                }
            }
        }
        if self.mode == SessionMode::Rehearsal {
            return self.skip("check", "calls", "requires a GPU");
        }
        let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "gpu".into()));
        command.arg("calls");
        self.case(("check", "calls", "nccl"), command).map(|_| ())
    }

    /// Runs every timed case.
    fn time(&mut self) -> partita::Result<()> {
        if self.mode == SessionMode::Rehearsal {
            return self.skip("time", "all", "requires a GPU");
        }
        let timed: Vec<CaseRecord> = self.list.iter().filter(|record| record.kind == CaseKind::Time).cloned().collect();
        // Cases with a goal run first.
        let (goals, table): (Vec<_>, Vec<_>) = timed.iter().partition(|record| !record.name.starts_with("product_"));
        for record in goals.into_iter().chain(table) {
            self.case(("time", &record.name, "cuda"), self.case_command(&record.name, "time"))?;
        }
        Ok(())
    }

    /// Runs the equivalent PyTorch cases, which print one line each.
    fn torch(&mut self) -> partita::Result<()> {
        let script = self.folder.with_file_name("with_torch.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(&self.folder);
        let left = self.time_left("torch").min(TORCH_TIMEOUT);
        let ended = match run(&mut command, left, &self.stem) {
            Ok(ended) => ended,
            Err(e) => return self.skip("torch", "all", &format!("`python3`: {e}")),
        };
        for mut line in ended.out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let name = line.as_object_mut().and_then(|line| line.remove("name"));
            line["step"] = json!("torch");
            line["case"] = json!(name);
            self.record(line)?;
        }
        match (ended.timed_out, ended.code) {
            (true, _) => self.skip("torch", "rest", &format!("stopped after {:.0} s", ended.seconds)),
            (false, Some(0)) => Ok(()),
            (false, _) => self.skip("torch", "rest", &ended.stderr_tail),
        }
    }

    /// Profiles the five slowest kernels of the training step with ncu.
    fn profile(&mut self) -> partita::Result<()> {
        let step = self.lines.iter().find(|line| line["step"] == "time" && line["case"] == "gpt2_step");
        let kernels = step.and_then(|step| step["kernels"].as_array()).into_iter().flatten();
        let slowest: Vec<&str> = kernels.filter_map(|kernel| kernel["name"].as_str()).take(5).collect();
        if slowest.is_empty() {
            return self.skip("profile", "gpt2_step", "no kernels were timed");
        }
        let Some(ncu) = find_tool("ncu") else { return self.skip("profile", "gpt2_step", "ncu is not installed") };
        let own = self.case_command("gpt2_step", "once");
        let mut command = Command::new(ncu);
        command.args(["--csv", "--metrics", NCU_COUNTERS, "--launch-count", "10", "--kernel-name"]);
        command.arg(format!("regex:^({})$", slowest.join("|"))).arg(own.get_program()).args(own.get_args());
        let Some(ended) = self.case(("profile", "gpt2_step", "ncu"), command)? else { return Ok(()) };
        let path = self.stem.with_extension("ncu.csv");
        let rows: Vec<&str> = ended.out.lines().filter(|line| line.starts_with('"')).collect();
        Ok(fs::write(&path, rows.join("\n")).map_err(|e| Diagnostic::io_error("write", &path, &e))?)
    }
}

/// Replaces the folder of CUDA libraries by the name of its environment variable in all strings of a value.
fn without_folder(value: Value) -> Value {
    let Ok(folder) = std::env::var("PARTITA_CUDA") else { return value };
    match value {
        Value::String(text) => json!(text.replace(&folder, "$PARTITA_CUDA")),
        Value::Array(items) => items.into_iter().map(without_folder).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, without_folder(value))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// Returns the path of a CUDA toolkit program, from `PATH` or the usual installation folders.
fn find_tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let toolkits = std::env::var_os("PARTITA_CUDA").map(PathBuf::from).into_iter().chain(["/usr/local/cuda".into()]);
    let folders = std::env::split_paths(&path).chain(toolkits.map(|toolkit| toolkit.join("bin")));
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Runs a process with a timeout. Its output is redirected to files next to the results, since a full pipe would block
/// it.
fn run(command: &mut Command, limit: Duration, stem: &Path) -> std::io::Result<ProcessOutcome> {
    let [out, err] = ["out", "err"].map(|ending| stem.with_extension(ending));
    command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
    let started = Instant::now();
    let mut child = command.spawn()?;
    let mut timed_out = false;
    let code = loop {
        match child.try_wait()? {
            Some(status) => break status.code(),
            None if started.elapsed() > limit && !timed_out => {
                timed_out = true;
                child.kill()?;
            }
            None => sleep(Duration::from_millis(10)),
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let read = |path: &Path| -> std::io::Result<String> {
        let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
        fs::remove_file(path)?;
        Ok(text)
    };
    let (out, err) = (read(&out)?, read(&err)?);
    let mut lines = out.lines().rev().filter_map(|line| serde_json::from_str(line).ok());
    let line = lines.find(Value::is_object);
    let stderr_tail = err.trim().lines().last().unwrap_or_default().to_owned();
    Ok(ProcessOutcome { line, out: out.clone(), stderr_tail, code, seconds, timed_out })
}
