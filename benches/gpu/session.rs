//! A session on a GPU: each case is a process of its own with a limit, and each leaves a line of JSON, also if it
//! fails, hangs or crashes.
//!
//! Steps come in the order in which they are of use: what does not run at all is not measured, and what is wrong is not
//! timed for long. A step that takes longer than its share is cut short; one that takes less leaves the rest to those
//! behind it.

use crate::cases::{Kind, Record};
use crate::{device, list, report};
use partita_ir::diag::Diagnostic;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Where cases run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// On the first GPU.
    OnGpu,
    /// In the emulator, where one can do for a GPU.
    Rehearsed,
}

/// Seconds until which each step is done, counted from the beginning: ten minutes in all.
const UNTIL: [(&str, u64); 6] =
    [("smoke", 20), ("sanitize", 130), ("check", 240), ("time", 390), ("torch", 530), ("profile", 585)];

/// The same for a rehearsal.
const REHEARSED_UNTIL: [(&str, u64); 6] =
    [("smoke", 10), ("sanitize", 10), ("check", 30), ("time", 30), ("torch", 40), ("profile", 40)];

/// The longest that one case may take.
const LIMIT: Duration = Duration::from_secs(60);

/// PyTorch compiles for longer.
const TORCH_LIMIT: Duration = Duration::from_secs(140);

/// Tools of compute-sanitizer, and the cases that they watch.
const TOOLS: [&str; 2] = ["memcheck", "racecheck"];
const WATCHED: [&str; 10] = [
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

/// What ncu says of a kernel.
const COUNTERS: &str = "gpu__time_duration.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,\
                        sm__throughput.avg.pct_of_peak_sustained_elapsed,launch__registers_per_thread";

/// A session under way.
pub struct Session {
    folder: PathBuf,
    /// The results' path without an ending.
    stem: PathBuf,
    way: Way,
    list: Vec<Record>,
    started: Instant,
    lines: Vec<Value>,
    file: File,
}

/// What became of a process.
struct Ended {
    /// The last line that it printed, if that is JSON.
    line: Option<Value>,
    /// All that it printed.
    out: String,
    /// The end of what it complained about.
    complaint: String,
    code: Option<i32>,
    seconds: f64,
    is_late: bool,
}

impl Session {
    /// Begins a session on the cases of a folder.
    pub fn new(folder: &Path, results: &Path, date: &str, way: Way) -> partita::Result<Session> {
        let failed = |e: std::io::Error| Diagnostic::of_file("write", results, &e);
        fs::create_dir_all(results).map_err(failed)?;
        let gpu = device::now();
        let found = partita_gpu::machine::found();
        let cuda: Vec<_> = found.iter().filter(|found| found.target == "cuda").collect();
        // The driver has a name for the device, too, where there is no `nvidia-smi`.
        let driver = cuda.iter().find(|found| found.what == "device").and_then(|found| found.name.as_deref());
        let name = gpu.as_ref().and_then(|gpu| gpu["device"].as_str()).or(driver).unwrap_or("emulator");
        let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let stem = results.join(format!("{date}-{name}"));
        let file = File::create(stem.with_extension("jsonl")).map_err(failed)?;
        let list = list(folder)?;
        let mut session =
            Session { folder: folder.into(), stem, way, list, started: Instant::now(), lines: Vec::new(), file };
        let version = env!("CARGO_PKG_VERSION");
        let is_rehearsed = way == Way::Rehearsed;
        session.put(json!({
            "step": "session", "date": date, "version": version, "gpu": gpu, "found": cuda, "rehearsed": is_rehearsed,
        }))?;
        Ok(session)
    }

    /// Goes through all steps and writes the report. Whether nothing was wrong.
    pub fn hold(mut self) -> partita::Result<bool> {
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
        fs::write(&path, &text).map_err(|e| Diagnostic::of_file("write", &path, &e))?;
        println!("{text}\n{}\n{}", self.stem.with_extension("jsonl").display(), path.display());
        Ok(runs && self.lines.iter().all(|line| line["ok"] != false))
    }

    /// Writes a line down, at once.
    fn put(&mut self, line: Value) -> partita::Result<()> {
        let path = self.stem.with_extension("jsonl");
        writeln!(self.file, "{line}").map_err(|e| Diagnostic::of_file("write", &path, &e))?;
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

    /// The time that is left to a step.
    fn left(&self, step: &str) -> Duration {
        let until = if self.way == Way::OnGpu { UNTIL } else { REHEARSED_UNTIL };
        let seconds = until.iter().find(|(name, _)| *name == step).map_or(0, |(_, seconds)| *seconds);
        Duration::from_secs(seconds).saturating_sub(self.started.elapsed())
    }

    /// Runs a case of a step and writes down what came of it. `None` where there was no time for it.
    fn case(&mut self, (step, case, on): (&str, &str, &str), mut command: Command) -> partita::Result<Option<Ended>> {
        let mut line = json!({ "step": step, "case": case, "on": on });
        let left = self.left(step).min(LIMIT);
        if left.is_zero() {
            line["skipped"] = json!("no time was left");
            self.put(line)?;
            return Ok(None);
        }
        let ended = match run(&mut command, left, &self.stem) {
            Ok(ended) => ended,
            Err(e) => {
                line["skipped"] = json!(format!("`{}`: {e}", command.get_program().display()));
                self.put(line)?;
                return Ok(None);
            }
        };
        line["wall_seconds"] = json!(ended.seconds);
        line["gpu"] = device::now().unwrap_or_default();
        if let Some(Value::Object(found)) = &ended.line {
            found.iter().for_each(|(key, value)| line[key] = value.clone());
        }
        if ended.is_late && left < LIMIT {
            line["skipped"] = json!("no time was left");
        } else if ended.is_late {
            line["error"] = json!(format!("it was stopped after {:.0} s", ended.seconds));
        } else if ended.code != Some(0) && line["ok"] != false && line.get("error").is_none() {
            let code = ended.code.map_or("a signal".to_owned(), |code| format!("code {code}"));
            line["error"] = json!(format!("it ended with {code}: {}", ended.complaint));
        }
        if line.get("error").is_some() {
            line["ok"] = json!(false);
        }
        self.put(line)?;
        Ok(Some(ended))
    }

    /// Writes down what is not done.
    fn skip(&mut self, step: &str, case: &str, why: &str) -> partita::Result<()> {
        self.put(json!({ "step": step, "case": case, "skipped": why }))
    }

    /// This program, on a case.
    fn own(&self, name: &str, on: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "gpu".into()));
        command.arg("case").arg(&self.folder).args([name, on]);
        command
    }

    /// One small case, each launch of it waited for.
    fn smoke(&mut self) -> partita::Result<bool> {
        let on = if self.way == Way::OnGpu { "cuda" } else { "emulator" };
        let mut command = self.own("elementwise_small", on);
        command.env("CUDA_LAUNCH_BLOCKING", "1");
        let ended = self.case(("smoke", "elementwise_small", on), command)?;
        Ok(ended.is_some() && self.lines.last().is_some_and(|line| line["ok"] == true))
    }

    /// Small cases under the tools of compute-sanitizer.
    fn sanitize(&mut self) -> partita::Result<()> {
        let sanitizer = match (self.way, tool("compute-sanitizer")) {
            (Way::Rehearsed, _) => return self.skip("sanitize", "all", "it needs a GPU"),
            (Way::OnGpu, None) => return self.skip("sanitize", "all", "compute-sanitizer is not installed"),
            (Way::OnGpu, Some(sanitizer)) => sanitizer,
        };
        for (tool, name) in TOOLS.into_iter().flat_map(|tool| WATCHED.map(|name| (tool, name))) {
            let own = self.own(name, "cuda");
            let mut command = Command::new(&sanitizer);
            command.args(["--tool", tool, "--error-exitcode", "9", "--print-limit", "3"]);
            command.arg(own.get_program()).args(own.get_args());
            self.case(("sanitize", name, tool), command)?;
        }
        Ok(())
    }

    /// Everything that has an answer.
    fn check(&mut self) -> partita::Result<()> {
        let gpus = partita_gpu::machine::found();
        let gpus = gpus.iter().filter(|found| found.target == "cuda" && found.what == "device").count();
        let (one, many) = if self.way == Way::OnGpu { ("cuda", "nccl") } else { ("emulator", "network") };
        for record in self.list.clone().iter().filter(|record| record.kind != Kind::Time) {
            let ranks = if record.name.ends_with("_4") { 4 } else { 1 };
            if record.kind == Kind::Check {
                let command = self.own(&record.name, one);
                self.case(("check", &record.name, one), command)?;
            }
            let is_alone = record.kind == Kind::Alone;
            if is_alone || ranks > 1 && (self.way == Way::Rehearsed || gpus >= ranks) {
                let command = self.own(&record.name, many);
                self.case(("check", &record.name, many), command)?;
            }
        }
        if self.way == Way::Rehearsed {
            return self.skip("check", "calls", "it needs a GPU");
        }
        let mut command = Command::new(std::env::current_exe().unwrap_or_else(|_| "gpu".into()));
        command.arg("calls");
        self.case(("check", "calls", "nccl"), command).map(|_| ())
    }

    /// Everything that is timed.
    fn time(&mut self) -> partita::Result<()> {
        if self.way == Way::Rehearsed {
            return self.skip("time", "all", "it needs a GPU");
        }
        let timed: Vec<Record> = self.list.iter().filter(|record| record.kind == Kind::Time).cloned().collect();
        // What has a goal comes first.
        let (goals, table): (Vec<_>, Vec<_>) = timed.iter().partition(|record| !record.name.starts_with("product_"));
        for record in goals.into_iter().chain(table) {
            self.case(("time", &record.name, "cuda"), self.own(&record.name, "time"))?;
        }
        Ok(())
    }

    /// The same in PyTorch: a line for each of its cases.
    fn torch(&mut self) -> partita::Result<()> {
        let script = self.folder.with_file_name("with_torch.py");
        let mut command = Command::new("python3");
        command.arg(script).arg(&self.folder);
        let left = self.left("torch").min(TORCH_LIMIT);
        let ended = match run(&mut command, left, &self.stem) {
            Ok(ended) => ended,
            Err(e) => return self.skip("torch", "all", &format!("`python3`: {e}")),
        };
        for mut line in ended.out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let name = line.as_object_mut().and_then(|line| line.remove("name"));
            line["step"] = json!("torch");
            line["case"] = json!(name);
            self.put(line)?;
        }
        match (ended.is_late, ended.code) {
            (true, _) => self.skip("torch", "rest", &format!("it was stopped after {:.0} s", ended.seconds)),
            (false, Some(0)) => Ok(()),
            (false, _) => self.skip("torch", "rest", &ended.complaint),
        }
    }

    /// The five slowest kernels of the training step, by ncu.
    fn profile(&mut self) -> partita::Result<()> {
        let step = self.lines.iter().find(|line| line["step"] == "time" && line["case"] == "gpt2_step");
        let kernels = step.and_then(|step| step["kernels"].as_array()).into_iter().flatten();
        let slowest: Vec<&str> = kernels.filter_map(|kernel| kernel["name"].as_str()).take(5).collect();
        if slowest.is_empty() {
            return self.skip("profile", "gpt2_step", "there are no kernels that were timed");
        }
        let Some(ncu) = tool("ncu") else { return self.skip("profile", "gpt2_step", "ncu is not installed") };
        let own = self.own("gpt2_step", "once");
        let mut command = Command::new(ncu);
        command.args(["--csv", "--metrics", COUNTERS, "--launch-count", "10", "--kernel-name"]);
        command.arg(format!("regex:^({})$", slowest.join("|"))).arg(own.get_program()).args(own.get_args());
        let Some(ended) = self.case(("profile", "gpt2_step", "ncu"), command)? else { return Ok(()) };
        let path = self.stem.with_extension("ncu.csv");
        let rows: Vec<&str> = ended.out.lines().filter(|line| line.starts_with('"')).collect();
        Ok(fs::write(&path, rows.join("\n")).map_err(|e| Diagnostic::of_file("write", &path, &e))?)
    }
}

/// A program of NVIDIA's toolkit: on the path, or where toolkits are installed.
fn tool(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let toolkits = std::env::var_os("PARTITA_CUDA").map(PathBuf::from).into_iter().chain(["/usr/local/cuda".into()]);
    let folders = std::env::split_paths(&path).chain(toolkits.map(|toolkit| toolkit.join("bin")));
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Runs a process for so long at most. What it prints goes through files beside the results, which a full pipe could
/// block.
fn run(command: &mut Command, limit: Duration, stem: &Path) -> std::io::Result<Ended> {
    let [out, complaint] = ["out", "err"].map(|ending| stem.with_extension(ending));
    command.stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&complaint)?);
    let started = Instant::now();
    let mut child = command.spawn()?;
    let mut is_late = false;
    let code = loop {
        match child.try_wait()? {
            Some(status) => break status.code(),
            None if started.elapsed() > limit && !is_late => {
                is_late = true;
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
    let (out, complaint) = (read(&out)?, read(&complaint)?);
    let mut lines = out.lines().rev().filter_map(|line| serde_json::from_str(line).ok());
    let line = lines.find(Value::is_object);
    let complaint = complaint.trim().lines().last().unwrap_or_default().to_owned();
    Ok(Ended { line, out: out.clone(), complaint, code, seconds, is_late })
}
