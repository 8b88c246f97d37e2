//! Payload bytes next to those of XLA's two partitioners: `cargo bench --bench peer_table -- DATA`.
//!
//! DATA is a folder with `peer_collectives.csv` and `stablehlo/`; the default is `tests/data`. A row is partitioned
//! from its file with Shardy annotations if one exists, else from the plain file with the layouts of
//! `stablehlo/index.json`: parameters and optimizer state as listed, batch arguments sharded over `data` on dimension
//! 0. The last column is the arithmetic of all devices' contractions relative to one device: 1.00 means no redundant
//! computation. Rows in which the better of the two peers moves fewer bytes are marked, and make the exit code 1.

use partita::{Mesh, Plan, Program, ProgramExt, Report, load};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The collectives of the peer partitioners for one program on one mesh.
struct Row {
    model: String,
    program: String,
    mesh: String,
    shardy: Option<u64>,
    gspmd: Option<u64>,
}

fn main() -> ExitCode {
    let folder = std::env::args().skip(1).find(|a| !a.starts_with("--")).unwrap_or("tests/data".into());
    let folder = PathBuf::from(folder);
    let Ok(csv) = std::fs::read_to_string(folder.join("peer_collectives.csv")) else {
        println!("skipped: no peer_collectives.csv in {}", folder.display());
        return ExitCode::SUCCESS;
    };
    println!(
        "{:<8} {:<5} {:<7} {:>12} {:>12} {:>12}  {:>6}  {:>5}",
        "model", "step", "mesh", "Shardy", "GSPMD", "Partita", "ratio", "work"
    );
    let mut worse = 0;
    for row in rows(&csv) {
        let best = row.shardy.into_iter().chain(row.gspmd).min().unwrap_or(u64::MAX);
        let shown = |n: Option<u64>| n.map_or("-".to_string(), |n| n.to_string());
        print!(
            "{:<8} {:<5} {:<7} {:>12} {:>12} ",
            row.model,
            row.program,
            row.mesh,
            shown(row.shardy),
            shown(row.gspmd)
        );
        match report(&folder.join("stablehlo"), &row) {
            Ok(report) => {
                let ours = report.totals.payload_bytes;
                let mark = if ours > best { "  WORSE" } else { "" };
                worse += usize::from(ours > best);
                let ratio = if best == 0 { 1.0 } else { ours as f64 / best as f64 };
                let work =
                    (report.totals.flops as f64 * report.devices as f64) / report.totals.model_flops.max(1) as f64;
                println!("{ours:>12}  {ratio:>6.3}  {work:>5.2}{mark}");
            }
            Err(why) => {
                worse += 1;
                println!("{:>12}  FAILED: {}", "-", why.lines().next().unwrap_or(""));
            }
        }
    }
    println!("{worse} rows worse than the better peer");
    ExitCode::from(u8::from(worse > 0))
}

/// Returns the rows with more than one device in file order; both partitioners of a program share a row.
fn rows(csv: &str) -> Vec<Row> {
    let mut lines = csv.lines().map(|l| l.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap_or_default();
    let column = |name: &str| head.iter().position(|h| *h == name).unwrap_or(usize::MAX);
    let columns = ["partitioner", "model", "program", "mesh", "total_payload_bytes"].map(column);
    let mut rows: Vec<Row> = Vec::new();
    for line in lines {
        let [partitioner, model, program, mesh, payload] = columns.map(|c| line.get(c).copied().unwrap_or(""));
        if mesh == "single" || mesh.is_empty() {
            continue;
        }
        let same = |r: &Row| (r.model.as_str(), r.program.as_str(), r.mesh.as_str()) == (model, program, mesh);
        let at = rows.iter().position(same).unwrap_or_else(|| {
            let (model, program, mesh) = (model.to_string(), program.to_string(), mesh.to_string());
            rows.push(Row { model, program, mesh, shardy: None, gspmd: None });
            rows.len() - 1
        });
        let payload = payload.parse().ok();
        *(if partitioner == "shardy" { &mut rows[at].shardy } else { &mut rows[at].gspmd }) = payload;
    }
    rows
}

fn report(folder: &Path, row: &Row) -> Result<Report, String> {
    let file = |annotation: &str| folder.join(format!("{}.{}.{annotation}.mlir", row.model, row.program));
    let annotated = file(&format!("sdy.{}", row.mesh));
    let (program, plan) = if annotated.exists() {
        (load(&annotated.to_string_lossy()).map_err(|e| e.to_string())?, Plan::default())
    } else {
        let program = load(&file("plain").to_string_lossy()).map_err(|e| e.to_string())?;
        let plan = plan(folder, row, &program)?;
        (program, plan)
    };
    Ok(program.partition(&plan).map_err(|e| e.to_string())?.report())
}

/// Returns the plan that `index.json` describes for a plain file.
fn plan(folder: &Path, row: &Row, program: &Program) -> Result<Plan, String> {
    let index = std::fs::read_to_string(folder.join("index.json")).map_err(|e| format!("index.json: {e}"))?;
    let index: Value = serde_json::from_str(&index).map_err(|e| format!("index.json: {e}"))?;
    let entry = &index[&row.model];
    let names = |what: &str| entry["args"][what].as_array().map_or(0, Vec::len);
    let specs: Vec<String> = (entry["args"]["params"].as_array().into_iter().flatten())
        .map(|name| layout(entry["specs"][name.as_str().unwrap_or("")].as_str().unwrap_or("P()")))
        .collect();
    let inputs = program.inputs();
    let state = inputs.len().saturating_sub(specs.len() + names("batch"));
    let mut layouts = specs.clone();
    match state {
        0 => {}
        // Adam state: first moments, step, second moments.
        n if n == 2 * specs.len() + 1 => {
            layouts.extend(specs.iter().cloned().chain([String::new()]).chain(specs.clone()))
        }
        n => return Err(format!("{n} arguments beyond parameters and batch")),
    }
    let (data, model) = mesh(&row.mesh).ok_or_else(|| format!("unknown mesh {}", row.mesh))?;
    let mesh = Mesh::new([("data", data), ("model", model)]).map_err(|e| e.to_string())?;
    let padded = |layout: &str, rank: usize| {
        let mut dims: Vec<&str> = layout.split(", ").filter(|d| !d.is_empty()).collect();
        dims.resize(rank.max(dims.len()), "_");
        dims.join(", ")
    };
    let rank = |value| program.ty(value).shape.rank();
    let mut plan = Plan::new(mesh);
    for (i, &value) in inputs.iter().enumerate() {
        let layout = layouts.get(i).map_or("data", String::as_str);
        plan = plan.shard(program.path_of(value), padded(layout, rank(value)));
    }
    // Results are the loss, then the updated parameters and state.
    let results = program.outputs().iter().map(|o| o.value);
    for (value, layout) in results.zip(std::iter::once(&String::new()).chain(&layouts)) {
        plan = plan.shard(format!("%{}", program.values[value].name), padded(layout, rank(value)));
    }
    Ok(plan)
}

/// `P(None, 'model')` as `_, model`.
fn layout(spec: &str) -> String {
    let inside = spec.trim_start_matches("P(").trim_end_matches(')');
    let dims = inside.split(',').map(str::trim).filter(|d| !d.is_empty());
    dims.map(|d| if d == "None" { "_" } else { d.trim_matches('\'') }).collect::<Vec<_>>().join(", ")
}

/// `d2m4` as (2, 4); `data8` as (8, 1); `model8` as (1, 8).
fn mesh(name: &str) -> Option<(u32, u32)> {
    if let Some(n) = name.strip_prefix("data") {
        return Some((n.parse().ok()?, 1));
    }
    if let Some(n) = name.strip_prefix("model") {
        return Some((1, n.parse().ok()?));
    }
    let (data, model) = name.strip_prefix('d')?.split_once('m')?;
    Some((data.parse().ok()?, model.parse().ok()?))
}
