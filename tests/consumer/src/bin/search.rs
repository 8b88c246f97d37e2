//! Searching for a plan and applying the best one.

use partita::prelude::*;

fn main() -> partita::Result<()> {
    let program = partita::load("zoo:gpt?layers=2&width=64&heads=4&seq=32&vocab=256&batch=8")?;
    let machine = partita::load_machine("dgx-a100")?;
    let outcome = partita::search(&program, &machine)
        .plan(&Plan::default().train("adamw"))
        .devices(4)
        .memory(gib(40))
        .time_limit(Duration::from_secs(20))
        .on_progress(|progress| progress.simulated < 1000)
        .run()?;
    println!("{outcome}");

    let best = &outcome.plans()[0];
    let partition = Compiler::new(&program).plan(&best.plan).machine(&machine).partition()?;
    println!("{partition}");
    assert!(best.seconds > 0.0);
    Ok(())
}
