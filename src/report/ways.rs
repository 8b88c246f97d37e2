//! The cheapest way of each collective on a machine, and what it would take there.

use crate::error::Result;
use crate::made::Made;
use partita_cost::placement::{Collectives, Placement};
use partita_cost::step::Failure;
use partita_cost::traffic::collectives;
use partita_ir::diag::{Code, Diagnostic};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use serde::Serialize;

/// A way of carrying out a collective.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Way {
    /// What it is called: `ring`, `trees(3)`, `hierarchical(8, ring)`.
    pub name: String,
    /// What it takes each time, on links that reach their data sheets.
    pub seconds: f64,
}

/// By collective, in the order of the report; none for devices that cannot reach each other.
///
/// # Errors
/// `H002` when the machine has too few devices.
pub(crate) fn ways(made: &Made, machine: &Machine) -> Result<Vec<Option<Way>>> {
    let placement = Placement::of(made.pipeline()?, machine, &made.plan().mapped()?).map_err(|misplaced| {
        Diagnostic::new(Code::H002, format!("on `{}`: {}", machine.name, Failure::from(misplaced)))
            .help("take a machine with more nodes, as in `dgx-a100?nodes=8`, or a smaller mesh")
    })?;
    let prices = Prices::new(machine);
    let mut ways = Vec::new();
    for unit in made.units() {
        let Some(mesh) = made.mesh_of(unit.stage) else { continue };
        let mut priced = Collectives::new(machine, &prices, mesh, &placement.stages[unit.stage]);
        ways.extend(collectives(unit.program).iter().map(|collective| {
            let choice = priced.cheapest(unit.program, &unit.program.ops[collective.op])?;
            Some(Way { name: choice.name, seconds: choice.seconds })
        }));
    }
    Ok(ways)
}
