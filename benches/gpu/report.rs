//! Report of a session: goals with measured values, failures, and skipped cases. The report is computed from the
//! session's JSON lines alone.

use serde_json::Value;
use std::fmt::Write;

/// A goal of a session: a figure with a target.
struct Goal {
    figure: &'static str,
    against: &'static str,
    goal: &'static str,
    /// Returns the measured value from the lines, and true if it reaches the target.
    found: fn(&Lines<'_>) -> Option<(String, bool)>,
}

/// All goals, in table order.
const SESSION_GOALS: [Goal; 9] = [
    Goal {
        figure: "models and kernels that agree with the interpreter, `f32` within 1e-4 and `bf16` within 2e-2",
        against: "the interpreter",
        goal: "all",
        found: |lines| lines.correct_share("check", |on| !on.starts_with("nccl")),
    },
    Goal {
        figure: "models over NCCL: one rank, and one GPU per rank if available",
        against: "the interpreter",
        goal: "all",
        found: |lines| lines.correct_share("check", |on| on == "nccl"),
    },
    Goal {
        figure: "models over NCCL with a process for each GPU",
        against: "the interpreter",
        goal: "all",
        found: |lines| lines.correct_share("check", |on| on == "nccl-ranks"),
    },
    Goal {
        figure: "small cases without compute-sanitizer reports",
        against: "memcheck and racecheck",
        goal: "all",
        found: |lines| lines.correct_share("sanitize", |_| true),
    },
    Goal {
        figure: "TFLOP/s of a `bf16` product, 8192 x 8192 x 8192, by the fastest kernel",
        against: "cuBLASLt in the same run",
        goal: "600, and 0.8 of cuBLASLt",
        found: |lines| {
            let ours = lines.fastest_product()?;
            let theirs = lines.number("time", "matmul_large", "/cublaslt/tflops");
            let next_to = theirs.map_or(String::new(), |theirs| format!(", {:.2} of cuBLASLt", ours / theirs));
            Some((format!("{ours:.0}{next_to}"), ours >= 600.0 && theirs.is_some_and(|theirs| ours >= 0.8 * theirs)))
        },
    },
    Goal {
        figure: "GB/s of a fused elementwise loop",
        against: "a device-to-device copy",
        goal: "0.85 of the copy",
        found: |lines| {
            let rate = lines.number("time", "elementwise_large", "/gb_per_s")?;
            let ratio = lines.number("time", "elementwise_large", "/copy/ratio")?;
            Some((format!("{rate:.0}, {ratio:.2} of the copy"), ratio >= 0.85))
        },
    },
    Goal {
        figure: "TFLOP/s of attention forward, `bf16`",
        against: "`scaled_dot_product_attention`",
        goal: "0.8 of PyTorch",
        found: |lines| lines.compare_with_torch("attention_full_large", "attention_full_large", 0.8),
    },
    Goal {
        figure: "TFLOP/s of causal attention forward, `bf16`",
        against: "`scaled_dot_product_attention`",
        goal: "0.8 of PyTorch",
        found: |lines| lines.compare_with_torch("attention_causal_large", "attention_causal_large", 0.8),
    },
    Goal {
        figure: "seconds of a training step of GPT-2 small, `bf16`",
        against: "`torch.compile`",
        goal: "at most 1.1 times",
        found: |lines| {
            let ours = lines.number("time", "gpt2_step", "/seconds")?;
            let Some(theirs) = lines.number("torch", "gpt2_step_compiled", "/seconds") else {
                return Some((format!("{ours:.4}; PyTorch not timed"), false));
            };
            Some((format!("{ours:.4}, {:.2} times", ours / theirs), ours <= 1.1 * theirs))
        },
    },
];

/// The JSON lines of a session.
struct Lines<'l>(&'l [Value]);

impl<'l> Lines<'l> {
    fn of_step(&self, step: &str) -> impl Iterator<Item = &'l Value> {
        self.0.iter().filter(move |line| line["step"] == step)
    }

    fn number(&self, step: &str, case: &str, pointer: &str) -> Option<f64> {
        self.of_step(step).find(|line| line["case"] == case)?.pointer(pointer)?.as_f64()
    }

    /// Returns the number of correct cases among the cases of a step that ran.
    fn correct_share(&self, step: &str, on: impl Fn(&str) -> bool) -> Option<(String, bool)> {
        let run = self.of_step(step).filter(|line| line["ok"].is_boolean() && line["on"].as_str().is_some_and(&on));
        let (right, all) = run.fold((0, 0), |(right, all), line| (right + usize::from(line["ok"] == true), all + 1));
        (all > 0).then(|| (format!("{right} of {all}"), right == all))
    }

    /// Returns the TFLOP/s of the fastest implementation of the large matrix product.
    fn fastest_product(&self) -> Option<f64> {
        let is_large = |case: &str| case == "matmul_large" || case.starts_with("product_8192_8192_8192_");
        let products = self.of_step("time").filter(|line| line["case"].as_str().is_some_and(is_large));
        products.filter_map(|line| line["tflops"].as_f64()).reduce(f64::max)
    }

    fn compare_with_torch(&self, ours: &str, theirs: &str, target_ratio: f64) -> Option<(String, bool)> {
        let rate = self.number("time", ours, "/tflops")?;
        let seconds = self.number("time", ours, "/seconds")?;
        let Some(torch) = self.number("torch", theirs, "/seconds") else {
            return Some((format!("{rate:.0}; PyTorch not timed"), false));
        };
        Some((format!("{rate:.0}, {:.2} of PyTorch", torch / seconds), torch / seconds >= target_ratio))
    }
}

/// Returns a report in Markdown.
pub fn markdown(lines: &[Value]) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut out, &Lines(lines));
    out
}

fn write(out: &mut String, lines: &Lines<'_>) -> std::fmt::Result {
    let nothing = Value::Null;
    let session = lines.of_step("session").next().unwrap_or(&nothing);
    let (date, gpu) = (text(&session["date"]), &session["gpu"]);
    if session["rehearsed"] == true {
        writeln!(out, "# {date}, rehearsal without a GPU\n")?;
    } else {
        writeln!(out, "# {date}, {}\n", text(&gpu["device"]))?;
        writeln!(out, "Driver {}, Partita {}. {}\n", text(&gpu["driver"]), text(&session["version"]), clocks(lines))?;
    }
    writeln!(out, "| figure | compared with | goal | measured | |\n|---|---|---|---|---|")?;
    for Goal { figure, against, goal, found } in &SESSION_GOALS {
        let (measured, verdict) = match found(lines) {
            Some((measured, is_met)) => (measured, if is_met { "met" } else { "missed" }),
            None => ("not measured".to_owned(), ""),
        };
        writeln!(out, "| {figure} | {against} | {goal} | {measured} | {verdict} |")?;
    }
    failures(out, lines)?;
    skipped(out, lines)?;
    kernels(out, lines)?;
    products(out, lines)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("unknown")
}

fn failures(out: &mut String, lines: &Lines<'_>) -> std::fmt::Result {
    let mut title = "\n## Failures\n\n";
    for line in lines.0.iter().filter(|line| line["ok"] == false) {
        let off = line["off"].as_f64().map(|off| format!("{off:.1e} off"));
        let why = ["error", "refused"].iter().find_map(|key| line[key].as_str()).map(str::to_owned).or(off);
        let on = line["on"].as_str().map_or(String::new(), |on| format!(" on {on}"));
        let why = why.unwrap_or_default();
        writeln!(out, "{title}- {} `{}`{on}: {why}", text(&line["step"]), text(&line["case"]))?;
        title = "";
    }
    Ok(())
}

/// Appends the skipped cases, grouped by reason.
fn skipped(out: &mut String, lines: &Lines<'_>) -> std::fmt::Result {
    let mut reasons: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for line in lines.0 {
        let (Some(why), step, case) = (line["skipped"].as_str(), text(&line["step"]), text(&line["case"])) else {
            continue;
        };
        match reasons.iter_mut().find(|reason| (reason.0, reason.1) == (step, why)) {
            Some((_, _, cases)) if !cases.contains(&case) => cases.push(case),
            Some(_) => {}
            None => reasons.push((step, why, vec![case])),
        }
    }
    let mut title = "\n## Skipped\n\n";
    for (step, why, cases) in reasons {
        let named: Vec<String> = cases.iter().take(3).map(|case| format!("`{case}`")).collect();
        let more = cases.len().checked_sub(4).map_or(String::new(), |more| format!(" and {} more", more + 1));
        writeln!(out, "{title}- {step} {}{more}: {why}", named.join(", "))?;
        title = "";
    }
    Ok(())
}

/// Returns the ranges of clocks and power during the cases.
fn clocks(lines: &Lines<'_>) -> String {
    let range = |key: &str, unit: &str| {
        let all = lines.0.iter().filter_map(|line| line["gpu"][key].as_f64());
        let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        (low <= high).then(|| format!("{low:.0} to {high:.0} {unit}"))
    };
    let all = [range("sm_mhz", "MHz"), range("watts", "W"), range("celsius", "degrees")];
    let all: Vec<String> = all.into_iter().flatten().collect();
    if all.is_empty() { String::new() } else { format!("After cases: {}.", all.join(", ")) }
}

/// Appends the slowest kernels of the training step.
fn kernels(out: &mut String, lines: &Lines<'_>) -> std::fmt::Result {
    let step = lines.of_step("time").find(|line| line["case"] == "gpt2_step");
    let Some(kernels) = step.and_then(|step| step["kernels"].as_array()) else { return Ok(()) };
    writeln!(
        out,
        "\n## Kernels of the training step\n\n| kernel | launches | ms | GB/s | TFLOP/s |\n|---|---|---|---|---|"
    )?;
    for kernel in kernels.iter().take(20) {
        let number = |key: &str| kernel[key].as_f64().unwrap_or(0.0);
        let (name, milliseconds) = (kernel["name"].as_str().unwrap_or_default(), number("seconds") * 1e3);
        let (launches, bytes, flops) = (number("launches"), number("gb_per_s"), number("tflops"));
        writeln!(out, "| `{name}` | {launches:.0} | {milliseconds:.3} | {bytes:.0} | {flops:.1} |")?;
    }
    Ok(())
}

/// Appends the rows of the strategy selection table.
fn products(out: &mut String, lines: &Lines<'_>) -> std::fmt::Result {
    let rows: Vec<&str> = lines.of_step("time").filter_map(|line| line["row"].as_str()).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## Products by strategy\n\nRows of the strategy selection table (`measured.csv`):\n\n```csv")?;
    rows.iter().try_for_each(|row| writeln!(out, "{row}"))?;
    writeln!(out, "```")
}
