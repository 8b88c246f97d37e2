//! Predicted steps next to published ones (`tests/data/published.csv`): with the shipped constants, and with constants
//! fitted to all sources but the one that is predicted.

mod fit;
mod row;
mod selection;

use fit::{Generation, Measured, fit, names, shipped};
use partita_cost::roofline::efficiencies::Software;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use row::{Row, rows};
use selection::{ranks_of_groups, slow_rows};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Maximum mean and largest error of a source's predictions from a fit to the other sources.
const MAX_LEFT_OUT: [f64; 2] = [0.08, 0.20];

/// Maximum mean and largest error of all predictions with the shipped constants.
const MAX_SHIPPED: [f64; 2] = [0.06, 0.15];

/// Maximum relative error of the memory that torchtitan's allocator reserves.
const MAX_MEMORY: f64 = 0.07;

/// Minimum rank correlation of predicted and published throughput in each group, and minimum number of groups.
const MIN_RANK: f64 = 0.9;
const MIN_GROUPS: usize = 10;

/// Predicts rows. The prices of a machine are shared by all rows.
fn measured(rows: Vec<Row>) -> Vec<Measured> {
    let mut by_machine: BTreeMap<String, (Machine, Vec<Row>)> = BTreeMap::new();
    for row in rows {
        let machine = || (row.machine(), Vec::new());
        by_machine.entry(row.machine.clone()).or_insert_with(machine).1.push(row);
    }
    let predict = |(machine, rows): (Machine, Vec<Row>)| {
        let prices = Prices::new(&machine);
        let is_hopper = machine.kinds[0].name.starts_with('H');
        let one = |row: Row| {
            let generation = match (is_hopper, row.efficiencies.software) {
                (false, _) => Generation::Ampere,
                (true, Software::Earlier) => Generation::HopperEarlier,
                (true, Software::Current) => Generation::Hopper,
            };
            Measured { estimate: row.predict(&prices), row, generation }
        };
        rows.into_iter().map(one).collect::<Vec<Measured>>()
    };
    by_machine.into_values().flat_map(predict).collect()
}

/// Returns the rows that take less than a second to predict.
fn quick_rows() -> Vec<Row> {
    rows().into_iter().filter(Row::is_quick).collect()
}

/// Returns the mean and the largest absolute error, in relation to the published seconds.
fn errors(log_ratios: impl Iterator<Item = f64>) -> [f64; 2] {
    let off: Vec<f64> = log_ratios.map(|ratio| (ratio.exp() - 1.0).abs()).collect();
    [off.iter().sum::<f64>() / off.len().max(1) as f64, off.iter().copied().fold(0.0, f64::max)]
}

/// Formats the errors of each row and source, and returns them for all rows that count.
fn table(all: &[Measured]) -> (String, [f64; 2], [f64; 2]) {
    let mut text = format!(
        "{:26} {:30} {:>10} {:>8} {:>8} {:>12} {:>10}\n",
        "source", "system", "seconds", "shipped", "left out", "memory GiB", "published"
    );
    let sources: BTreeSet<&str> = all.iter().map(|row| &*row.row.source).collect();
    let (mut at_shipped, mut left_out, mut summary) = (Vec::new(), Vec::new(), String::new());
    for source in sources {
        let others = all.iter().filter(|row| row.row.source != source && row.row.excluded.is_none());
        let values = fit(others);
        let mut of_source = [Vec::new(), Vec::new()];
        for row in all.iter().filter(|row| row.row.source == source) {
            let ratios = [row.log_ratio(&shipped()), row.log_ratio(&values)];
            let [a, b] = ratios.map(|ratio| format!("{:+.1} %", 100.0 * (ratio.exp() - 1.0)));
            let memory = row.estimate.allocated_bytes / f64::from(1 << 30);
            let published = row.row.memory_gib.map_or(String::new(), |gib| gib.to_string());
            let (system, seconds) = (&row.row.system, row.row.seconds());
            let note = row.row.excluded.as_ref().map_or(String::new(), |why| format!("  not counted: {why}"));
            let _ = writeln!(
                text,
                "{source:26} {system:30} {seconds:>10.4} {a:>8} {b:>8} {memory:>12.1} {published:>10}{note}"
            );
            if row.row.excluded.is_none() {
                of_source.iter_mut().zip(ratios).for_each(|(all, ratio)| all.push(ratio));
            }
        }
        let [a, b] = of_source.each_ref().map(|of| errors(of.iter().copied()));
        let _ = writeln!(
            summary,
            "{source:26} {:>4} rows   shipped {:4.1} %, at most {:4.1} %   left out {:4.1} %, at most {:4.1} %",
            of_source[0].len(),
            100.0 * a[0],
            100.0 * a[1],
            100.0 * b[0],
            100.0 * b[1]
        );
        at_shipped.append(&mut of_source[0]);
        left_out.append(&mut of_source[1]);
    }
    let [a, b] = [&at_shipped, &left_out].map(|of| errors(of.iter().copied()));
    for (generation, of) in uncertainties(all) {
        let _ = writeln!(summary, "{generation:?}: uncertainty {:.1} %", 100.0 * of);
    }
    let values = fit(all.iter().filter(|row| row.row.excluded.is_none()));
    let constants = names().into_iter().zip(values).map(|(name, value)| format!("{name} {value:.3}"));
    let _ = write!(
        text,
        "\n{summary}{:26} {:>4} rows   shipped {:4.1} %, at most {:4.1} %   left out {:4.1} %, at most {:4.1} %\n\
         fit to all sources: {}\n",
        "all",
        at_shipped.len(),
        100.0 * a[0],
        100.0 * a[1],
        100.0 * b[0],
        100.0 * b[1],
        constants.collect::<Vec<_>>().join(", ")
    );
    (text, a, b)
}

/// Returns the uncertainty of each generation of devices: the root mean square error of predictions from a fit to other
/// sources. Sources have equal weights.
fn uncertainties(all: &[Measured]) -> Vec<(Generation, f64)> {
    let mut found = Vec::new();
    for generation in [Generation::Ampere, Generation::HopperEarlier, Generation::Hopper] {
        let counted = || all.iter().filter(|row| row.row.excluded.is_none());
        let sources: BTreeSet<&str> =
            counted().filter(|row| row.generation == generation).map(|row| &*row.row.source).collect();
        let squares = sources.iter().map(|source| {
            let values = fit(counted().filter(|row| row.row.source != *source));
            let of_source = counted().filter(|row| row.row.source == *source);
            let squares: Vec<f64> = of_source.map(|row| row.log_ratio(&values).powi(2)).collect();
            squares.iter().sum::<f64>() / squares.len() as f64
        });
        found.push((generation, (squares.sum::<f64>() / sources.len() as f64).sqrt()));
    }
    found
}

fn check(rows: Vec<Row>) {
    let all = measured(rows);
    let (text, at_shipped, left_out) = table(&all);
    println!("{text}");
    for measured in all.iter().filter(|measured| measured.row.source.starts_with("torchtitan")) {
        let Some(gib) = measured.row.memory_gib else { continue };
        let ratio = measured.estimate.allocated_bytes / f64::from(1 << 30) / gib;
        assert!((ratio - 1.0).abs() <= MAX_MEMORY, "memory of {}: {ratio:.3} of {gib} GiB", measured.row.system);
    }
    let ranks = ranks_of_groups(&all);
    for (group, count, rank) in &ranks {
        println!("rank correlation {rank:.2} of {count} rows: {group}");
        assert!(*rank >= MIN_RANK, "{group}: {rank}");
    }
    assert!(ranks.len() >= MIN_GROUPS, "{ranks:?}");
    for (generation, found) in uncertainties(&all) {
        let preset = match generation {
            Generation::Ampere => "dgx-a100",
            Generation::Hopper => "hgx-h100",
            Generation::HopperEarlier => continue,
        };
        let stated = Machine::named(preset).unwrap().kinds[0].uncertainty;
        assert!((stated - found).abs() < 0.02, "{generation:?}: {preset} states {stated}, found {found}");
    }
    for (what, found, most) in [("shipped", at_shipped, MAX_SHIPPED), ("left out", left_out, MAX_LEFT_OUT)] {
        assert!(found[0] <= most[0] && found[1] <= most[1], "{what}: {found:?}\n{text}");
    }
}

#[test]
fn each_source_is_predicted_from_the_others() {
    check(quick_rows());
}

/// The rows of LLM Foundry that do not count are those that are slow in relation to other rows of their table.
#[test]
fn excluded_rows_are_slow_in_their_own_table() {
    let excluded = rows().into_iter().filter(|row| row.source.starts_with("LLM Foundry") && row.excluded.is_some());
    let excluded: BTreeSet<(String, String)> = excluded.map(|row| (row.source, row.system)).collect();
    assert_eq!(excluded, slow_rows(&rows()));
}

#[test]
#[ignore = "takes minutes; prints a table"]
fn all_rows() {
    check(rows());
}

/// The prediction from two shallow models equals that of all layers.
#[test]
fn steps_are_linear_in_the_number_of_layers() {
    for system in ["MPT-1B 2048 x8", "Llama-3.1-8B x128 compiled", "22B selective"] {
        let row = rows().into_iter().find(|row| row.system == system).unwrap();
        let machine = row.machine();
        let prices = Prices::new(&machine);
        let extrapolated = row.predict(&prices);
        let (_, pipeline) = &row.pipelines(&[row.layers])[0][0];
        let full = row.estimate(pipeline, &prices);
        let [seconds, bytes] =
            [extrapolated.seconds / full.seconds, extrapolated.allocated_bytes / full.allocated_bytes];
        assert!((seconds - 1.0).abs() < 0.01 && (bytes - 1.0).abs() < 0.02, "{system}: {seconds} {bytes}");
    }
}
