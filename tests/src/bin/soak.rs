//! Long-running test: `cargo xtask soak [CASES] [STEPS] [SEED] [FAULTS] [PLANS]`. Prints statistics, and fails unless
//! every op kind, factor kind and collective occurred, gradients agreed with finite differences, plans with every
//! option agreed with one device, and every injected fault was detected or harmless.

use filetests::faults::inject_faults;
use filetests::gradients::check_gradients;
use filetests::soak::check_random_programs;
use filetests::train_soak;
use std::process::ExitCode;

/// Maximum share of injected faults that are harmless.
const MAX_HARMLESS: f64 = 0.05;

fn main() -> ExitCode {
    let mut numbers = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let mut next = |default: u64| numbers.next().unwrap_or(Ok(default));
    let numbers = (next(10_000), next(12), next(1), next(250), next(10_000));
    let (Ok(cases), Ok(steps), Ok(seed), Ok(faults), Ok(plans)) = numbers else {
        eprintln!("usage: soak [CASES] [STEPS] [SEED] [FAULTS OF EACH KIND] [PLANS], all numbers");
        return ExitCode::FAILURE;
    };
    match check_plans(plans as u32, seed)
        .and_then(|()| check_programs(cases as u32, steps as usize, seed, faults as usize))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Checks random plans of training steps.
fn check_plans(plans: u32, seed: u64) -> Result<(), String> {
    if plans == 0 {
        return Ok(());
    }
    let tally = train_soak::check_random_plans(plans, seed)?;
    println!("plans: {tally}");
    match tally.missing()[..] {
        [] => Ok(()),
        ref missing => Err(format!("no agreeing plan has {}", missing.join(", "))),
    }
}

fn check_programs(cases: u32, steps: usize, seed: u64, faults: usize) -> Result<(), String> {
    if cases == 0 {
        return Ok(());
    }
    let soaked = check_random_programs(cases, steps, seed)?;
    print!("{}", soaked.coverage);
    println!("{cases} cases: {} agreed, {} rejected", soaked.agreed, soaked.rejected);
    let missing = soaked.coverage.missing();
    if !missing.is_empty() {
        return Err(format!("never occurred: {}", missing.join(", ")));
    }
    let tally = check_gradients(cases, steps, seed)?;
    println!("gradients: {tally}");
    if !tally.is_conclusive() {
        return Err("too few gradients were compared".into());
    }
    let tallies = inject_faults(faults, seed)?;
    print!("faults:\n{tallies}");
    if tallies.harmless_share() > MAX_HARMLESS {
        return Err(format!("more than {:.0} % of the faults are harmless", 100.0 * MAX_HARMLESS));
    }
    Ok(())
}
