//! Check of every model on every mesh, run by `cargo xtask soak`. An argument selects the modules whose name contains
//! it.

use filetests::matrix::{MeshSelection, check};
use filetests::models::Models;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let filter = std::env::args().nth(1).unwrap_or_default();
    let models = match Models::find() {
        Ok(models) => models,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let mut failed = 0;
    for module in models.modules().iter().filter(|m| m.name.contains(&filter)) {
        let started = Instant::now();
        let output = check(&models, module, MeshSelection::All);
        println!("{} ({:.1} s)", module.name, started.elapsed().as_secs_f64());
        match output {
            Ok(lines) => lines.iter().for_each(|line| println!("  {line}")),
            Err(why) => {
                failed += 1;
                why.lines().for_each(|line| println!("  FAILED {line}"));
            }
        }
    }
    println!("{failed} modules failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
