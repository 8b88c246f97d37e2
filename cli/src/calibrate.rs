//! `calibrate`: measures this machine and writes a machine description for `simulate`.

use super::args::CalibrateArgs;
use super::progress::Progress;
use super::{Outcome, ranks};
use partita::Result;
use partita::calibrate::import::{ImportedFigure, import_measurements};
use partita::calibrate::{CalibrationEffort, MeasuredSum, calibrate as measure, calibrate_ranks};
use partita::load_machine;
use partita::report::{Align, Table};
use partita_ir::diag::Source;
use partita_ir::input_file::read_text;
use partita_ir::units::format_bytes;
use partita_machine::Machine;
use partita_machine::host::{Cost, Host, Product};
use partita_machine::network::{MessageCost, RankNetwork};
use partita_runtime::io::write_file;
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;

/// Runs `partita calibrate`.
pub(super) fn calibrate(args: &CalibrateArgs) -> Result<Outcome> {
    if let Some(machine) = &args.machine {
        return import(machine, args);
    }
    let effort = if args.quick { CalibrationEffort::QUICK } else { CalibrationEffort::FULL };
    let processes = ranks::connect_until_stopped(&args.ranks)?;
    let progress = Progress::new(effort.max_progress_steps());
    let next = &mut |what: &str| progress.step(&format!("measuring {what}"));
    let (machine, sums) = match &processes {
        Some(processes) => calibrate_ranks(processes, effort, next)?,
        None => (measure(effort, next)?, Vec::new()),
    };
    drop(progress);
    if !ranks::is_first() {
        return Ok(String::new().into());
    }
    if let Some(path) = &args.output {
        write_file(path, machine.to_toml().as_bytes())?;
    }
    let Some(host) = &machine.host else { return Ok(machine.to_toml().into()) };
    Ok(if args.json { as_json(host, &sums) } else { report_text(&machine, host, &sums, args) }.into())
}

/// Runs `partita calibrate --import`.
fn import(machine: &str, args: &CalibrateArgs) -> Result<Outcome> {
    let read = |path: &PathBuf| Ok(Source::new(path.display().to_string(), read_text(path)?));
    let files = args.import.iter().map(read).collect::<Result<Vec<_>>>()?;
    let (machine, figures) = import_measurements(load_machine(machine)?, &files)?;
    if let Some(path) = &args.output {
        write_file(path, machine.to_toml().as_bytes())?;
    }
    if args.json {
        let figures: Vec<_> = figures.iter().map(ImportedFigure::to_json).collect();
        return Ok(format!("{:#}\n", json!({ "version": env!("CARGO_PKG_VERSION"), "figures": figures })).into());
    }
    use Align::{Left, Right};
    let mut table = Table::new([("figure", Left), ("before", Right), ("measured", Right), ("measurements", Right)]);
    for figure in &figures {
        table.row([
            figure.name.clone(),
            figure.text(figure.before),
            figure.text(figure.measured),
            figure.count.to_string(),
        ]);
    }
    Ok(match &args.output {
        Some(path) => format!("{table}\n`{}` in {}\n", machine.name, path.display()),
        None => format!("{table}\n{}", machine.to_toml()),
    }
    .into())
}

/// Formats the measured costs. Of the matrix products, only square ones are listed.
fn report_text(machine: &Machine, host: &Host, sums: &[MeasuredSum], args: &CalibrateArgs) -> String {
    use Align::{Left, Right};
    let cores = format!("{} core{}", host.cores, if host.cores == 1 { "" } else { "s" });
    let mut text = match &host.ranks {
        None => format!("{cores}, measured with all cores busy\n\n"),
        Some(network) => ranks_text(network, sums) + &format!("{cores} of each rank, measured with all ranks busy\n\n"),
    };
    let mut table = Table::new([("cost", Left), ("seconds", Right)]);
    for cost in Cost::ALL {
        table.row([cost.name().to_owned(), format!("{:.3e}", host.cost(cost))]);
    }
    let _ = writeln!(text, "{table}");
    let mut table = Table::new([("working set", Right), ("GB/s per core", Right)]);
    for &(size, rate) in &host.memory {
        table.row([format_bytes(size), format!("{:.1}", rate / 1e9)]);
    }
    let _ = writeln!(text, "{table}");
    let mut table = Table::new([("product", Left), ("order", Left), ("size", Right), ("GFLOP/s per core", Right)]);
    for products in &host.products {
        for &n in &products.sizes {
            let product = Product { dtype: products.dtype, order: products.order, size: [n; 3] };
            let rate = 2.0 * (n as f64).powi(3) / host.product(&product);
            let order = products.order.name().to_owned();
            table.row([products.dtype.to_string(), order, n.to_string(), format!("{:.1}", rate / 1e9)]);
        }
    }
    let _ = write!(text, "{table}");
    let _ = match &args.output {
        Some(path) => writeln!(text, "\n`{}` in {}", machine.name, path.display()),
        None => writeln!(
            text,
            "\n`-o here.toml` saves it, and `partita simulate MODEL --machine here.toml` predicts with it"
        ),
    };
    text
}

/// Formats the measured costs of messages, and sums over all ranks.
fn ranks_text(network: &RankNetwork, sums: &[MeasuredSum]) -> String {
    use Align::{Left, Right};
    let counts = network.ranks_of_hosts();
    let hosts = if counts.len() == 1 { "1 host".to_owned() } else { format!("{} hosts", counts.len()) };
    let mut text = format!("{} ranks on {hosts}, by {}\n\n", network.ranks.len(), network.transport.name());
    let columns = [
        ("message", Left),
        ("between", Left),
        ("seconds", Right),
        ("busy", Right),
        ("exchange", Right),
        ("MB/s", Right),
    ];
    let mut table = Table::new(columns);
    for (between, costs) in [("ranks of one host", &network.local), ("hosts", &network.remote)] {
        for cost in costs {
            let seconds = |seconds: f64| format!("{seconds:.3e}");
            table.row([
                format_bytes(cost.bytes),
                between.to_owned(),
                seconds(cost.seconds),
                seconds(cost.busy),
                seconds(cost.exchange),
                format!("{:.1}", cost.bytes as f64 / cost.exchange / 1e6),
            ]);
        }
    }
    let _ = writeln!(text, "{table}");
    let mut table = Table::new([("all_reduce", Right), ("measured", Right), ("predicted", Right), ("ratio", Right)]);
    for sum in sums {
        let [measured, predicted] = [sum.measured, sum.predicted].map(|seconds| format!("{seconds:.3e}"));
        table.row([format_bytes(sum.bytes), measured, predicted, format!("{:.2}", sum.predicted / sum.measured)]);
    }
    let _ = writeln!(text, "{table}");
    text
}

fn as_json(host: &Host, sums: &[MeasuredSum]) -> String {
    let costs: serde_json::Map<String, serde_json::Value> =
        Cost::ALL.map(|cost| (cost.name().to_owned(), json!(host.cost(cost)))).into_iter().collect();
    let memory = host.memory.iter().map(|(size, rate)| json!({ "bytes": size, "bytes_per_second": rate }));
    let products = host.products.iter().map(|products| {
        json!({
            "dtype": products.dtype.name(),
            "order": products.order.name(),
            "sizes": products.sizes,
            "flops_per_second": products.rates,
        })
    });
    let object = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "cores": host.cores,
        "seconds": costs,
        "memory": memory.collect::<Vec<_>>(),
        "products": products.collect::<Vec<_>>(),
        "ranks": host.ranks.as_ref().map(|network| ranks_json(network, sums)),
    });
    format!("{object:#}\n")
}

fn ranks_json(network: &RankNetwork, sums: &[MeasuredSum]) -> serde_json::Value {
    let messages = |costs: &[MessageCost]| -> Vec<serde_json::Value> {
        let message = |cost: &MessageCost| json!({ "bytes": cost.bytes, "seconds": cost.seconds, "busy": cost.busy, "exchange": cost.exchange });
        costs.iter().map(message).collect()
    };
    let sum = |sum: &MeasuredSum| json!({ "bytes": sum.bytes, "measured": sum.measured, "predicted": sum.predicted });
    json!({
        "transport": network.transport.name(),
        "hosts": network.ranks.iter().map(|place| place.host).collect::<Vec<_>>(),
        "core_groups": network.ranks.iter().map(|place| place.core_group).collect::<Vec<_>>(),
        "cores": network.group_cores,
        "local": messages(&network.local),
        "remote": messages(&network.remote),
        "all_reduce": sums.iter().map(sum).collect::<Vec<_>>(),
    })
}
