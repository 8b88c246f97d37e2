//! The long test: `cargo xtask soak [CASES] [STEPS] [SEED] [FAULTS] [PLANS]`. Prints what was drawn, and fails unless
//! every op kind, every class of factor and every collective was met, the gradients agreed with differences, plans of
//! every option agreed with one device, and every fault put in on purpose was noticed.

use filetests::faults::inject;
use filetests::gradients::slopes;
use filetests::soak::soak;
use filetests::train_soak;
use std::process::ExitCode;

/// Faults that may turn out harmless, as a share of all.
const MAX_HARMLESS: f64 = 0.05;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let mut next = |default: u64| numbers.next().unwrap_or(Ok(default));
    let numbers = (next(10_000), next(12), next(1), next(250), next(10_000));
    let (Ok(cases), Ok(steps), Ok(seed), Ok(faults), Ok(plans)) = numbers else {
        eprintln!("usage: soak [CASES] [STEPS] [SEED] [FAULTS OF EACH KIND] [PLANS], all numbers");
        return ExitCode::FAILURE;
    };
    match trained(plans as u32, seed).and_then(|()| run(cases as u32, steps as usize, seed, faults as usize)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Random plans of training steps.
fn trained(plans: u32, seed: u64) -> Result<(), String> {
    if plans == 0 {
        return Ok(());
    }
    let tally = train_soak::soak(plans, seed)?;
    println!("plans: {tally}");
    match tally.missing()[..] {
        [] => Ok(()),
        ref missing => Err(format!("no plan agreed that has {}", missing.join(", "))),
    }
}

fn run(cases: u32, steps: usize, seed: u64, faults: usize) -> Result<(), String> {
    if cases == 0 {
        return Ok(());
    }
    let soaked = soak(cases, steps, seed)?;
    print!("{}", soaked.coverage);
    println!("{cases} cases: {} agreed, {} refused", soaked.agreed, soaked.refused);
    let missing = soaked.coverage.missing();
    if !missing.is_empty() {
        return Err(format!("never met: {}", missing.join(", ")));
    }
    let tally = slopes(cases, steps, seed)?;
    println!("gradients: {tally}");
    if !tally.is_telling() {
        return Err("too few gradients were compared".into());
    }
    let tallies = inject(faults, seed)?;
    print!("faults:\n{tallies}");
    if tallies.harmless() > MAX_HARMLESS {
        return Err(format!("more than {:.0} % of the faults are harmless", 100.0 * MAX_HARMLESS));
    }
    Ok(())
}
