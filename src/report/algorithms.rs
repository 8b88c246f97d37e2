//! Cheapest algorithm of each collective on a machine, with its duration.

use crate::compile_results::CompileResults;
use crate::error::Result;
use partita_cost::placement::{CollectiveCosts, Placement};
use partita_cost::step::PredictError;
use partita_cost::traffic::collectives;
use partita_ir::diag::{Code, Diagnostic};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use serde::Serialize;

/// An algorithm of a collective.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct CheapestAlgorithm {
    /// Name: `ring`, `trees(3)`, `hierarchical(8, ring)`.
    pub name: String,
    /// Seconds of one run, on links that reach their peak bandwidth.
    pub seconds: f64,
}

/// Returns the cheapest algorithm of each collective, in the order of the report. `None` for devices that cannot reach
/// each other.
///
/// # Errors
/// `H002` for a machine with too few devices.
pub(crate) fn cheapest_algorithms(
    results: &CompileResults,
    machine: &Machine,
) -> Result<Vec<Option<CheapestAlgorithm>>> {
    let pipeline = results.pipeline()?;
    let placement = Placement::for_pipeline(pipeline, machine, &results.plan().mesh_axis_order()?);
    let placement = placement.map_err(|misplaced| {
        let larger = machine.name_with_devices(pipeline.device_count());
        Diagnostic::new(Code::H002, format!("on `{}`: {}", machine.name, PredictError::from(misplaced)))
            .help(format!("use a machine with more nodes, `{larger}`, or a smaller mesh"))
    })?;
    let prices = Prices::new(machine);
    let mut algorithms = Vec::new();
    for unit in results.units() {
        let Some(mesh) = results.mesh_of(unit.stage) else { continue };
        let mut priced = CollectiveCosts::new(machine, &prices, mesh, &placement.stages[unit.stage]);
        algorithms.extend(collectives(unit.program).iter().map(|collective| {
            let choice = priced.cheapest(unit.program, &unit.program.ops[collective.op])?;
            Some(CheapestAlgorithm { name: choice.name, seconds: choice.seconds })
        }));
    }
    Ok(algorithms)
}
