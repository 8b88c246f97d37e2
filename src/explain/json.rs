//! Explanations as JSON objects.

use super::{find_value, no_collective, numbered_collectives, operands, path_or_name};
use crate::compile_results::{CompileResults, LocalPrograms, PlannedProgram};
use crate::error::Result;
use crate::report::{LargeValueRow, Report};
use partita_cost::peak_breakdown::{PeakBreakdown, peak_of_program, peak_of_stages};
use partita_ir::syntax::attr::axis_names;
use partita_ir::text::write_type;
use serde_json::{Map, Value, json};

/// Explains the layout of a value on each mesh: the stages on the mesh, its types, and the reason for each axis that
/// shards it.
///
/// # Errors
/// `C002` for an unknown name.
pub(crate) fn value(results: &CompileResults, name: &str) -> Result<Value> {
    let on_mesh = |(position, PlannedProgram { program, provenance }): (usize, &PlannedProgram)| -> Result<Value> {
        let value = find_value(program, name)?;
        let v = &program.values[value];
        let mut ty = String::new();
        write_type(v, program, &mut ty);
        let mesh = program.mesh().map(|(_, mesh)| mesh);
        let dims = v.layout.iter().flat_map(|layout| layout.dim_axes().enumerate());
        let sharded = dims.flat_map(|(dim, axes)| axes.iter().map(move |&axis| (dim, axis))).map(|(dim, axis)| {
            let reason = provenance.explain(program, value, dim, axis);
            json!({ "dim": dim, "axis": axis_names(&[axis], mesh).concat(), "reason": reason })
        });
        Ok(json!({
            "stages": results.stages_on(position),
            "name": path_or_name(program, value),
            "type": ty,
            "local_type": v.local_type().to_string(),
            "local_bytes": v.local_type().bytes(),
            "sharded": sharded.collect::<Vec<Value>>(),
        }))
    };
    let meshes = results.planned.iter().enumerate().map(on_mesh).collect::<Result<Vec<Value>>>()?;
    Ok(json!({ "value": name, "meshes": meshes }))
}

/// Explains the collective with this number, counted from 1: its row of the report, and its operands.
///
/// # Errors
/// `C002` for a number above the number of collectives.
pub(crate) fn collective(results: &CompileResults, number: usize, report: &Report) -> Result<Value> {
    let (all, rows) = (numbered_collectives(results), &report.collectives);
    let at = number.checked_sub(1);
    let Some(((_, unit, traffic), row)) = at.and_then(|at| all.get(at).zip(rows.get(at))) else {
        return Err(no_collective(number, all.len()).into());
    };
    let mut object = json!(row);
    object["number"] = number.into();
    object["operands"] = operands(unit.program, &unit.program.ops[traffic.op]).into();
    Ok(object)
}

/// Lists the values of one device of each stage at its peak, by purpose and in descending order of bytes.
pub(crate) fn peak(results: &CompileResults) -> Value {
    let peaks = match &results.local {
        LocalPrograms::OneMesh { program, .. } => vec![peak_of_program(program)],
        LocalPrograms::Stages { pipeline, .. } => peak_of_stages(pipeline),
    };
    let stage = |(number, device): (usize, &PeakBreakdown)| {
        let by_purpose =
            device.by_purpose().into_iter().map(|share| (share.purpose.name().to_owned(), share.bytes.into()));
        json!({
            "stage": number,
            "peak_bytes": device.bytes,
            "by_purpose": by_purpose.collect::<Map<String, Value>>(),
            "values": LargeValueRow::from_peak(device),
        })
    };
    json!({ "stages": peaks.iter().enumerate().map(stage).collect::<Vec<Value>>() })
}
