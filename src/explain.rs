//! Explanations of a value's layout, a collective's cause and the peak memory.

pub(crate) mod json;

use crate::compile_results::{CompileResults, LocalPrograms, PlannedProgram, Unit};
use crate::error::Result;
use crate::report::algorithms::cheapest_algorithms;
use crate::report::gather::{location_text, op_name, value_name};
use crate::report::{Align, LargeValueRow, Table, format_bytes};
use partita_cost::peak_breakdown::{PeakBreakdown, peak_of_program, peak_of_stages};
use partita_cost::roofline::efficiencies::Fusion;
use partita_cost::roofline::frame::frame;
use partita_cost::traffic::{CollectiveTraffic, collectives};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::pipeline::{Pipeline, TaskTime};
use partita_ir::program::{Op, Program};
use partita_ir::syntax::attr::axis_names;
use partita_ir::text::write_type;
use partita_ir::units::format_seconds;
use partita_machine::Machine;

/// Explains the layout of a value on each mesh: for each axis that shards the value, the propagation steps from the
/// annotation to the value. For a pipeline, also lists the stages that store or send the value.
///
/// # Errors
/// `C002` for an unknown name.
pub(crate) fn explain_value(results: &CompileResults, name: &str) -> Result<String> {
    let mut text = String::new();
    for (position, planned) in results.planned.iter().enumerate() {
        if results.planned.len() > 1 {
            let stages = results.stages_on(position);
            let space = if position > 0 { "\n" } else { "" };
            text.push_str(&format!("{space}on the mesh of {}\n", stage_list(&stages)));
        }
        text.push_str(&explain_on_mesh(planned, name)?);
    }
    if let Some(pipeline) = results.stages() {
        let value = find_value(results.planned(), name)?;
        text.push_str(&stages_of_value(pipeline, results.planned(), value));
    }
    Ok(text)
}

/// Formats stage numbers: `stage 1`, `stages 0, 2`.
fn stage_list(stages: &[usize]) -> String {
    let numbers: Vec<String> = stages.iter().map(usize::to_string).collect();
    format!("stage{} {}", if stages.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

/// Explains the layout of a value on one mesh.
fn explain_on_mesh(PlannedProgram { program, provenance }: &PlannedProgram, name: &str) -> Result<String> {
    let value = find_value(program, name)?;
    let v = &program.values[value];
    let mut text = format!("`{}` is ", path_or_name(program, value));
    write_type(v, program, &mut text);
    text.push('\n');
    let Some(layout) = &v.layout else { return Ok(text) };
    for (dim, axes) in layout.dim_axes().enumerate() {
        for &axis in axes {
            text.push('\n');
            text.push_str(&provenance.explain(program, value, dim, axis));
        }
    }
    if layout.is_replicated() {
        text.push_str("\nevery device stores all of it: no annotation propagates to it\n");
    }
    text.push_str(&format!("\neach device stores {}, {}\n", v.local_type(), format_bytes(v.local_type().bytes())));
    Ok(text)
}

/// Lists the stages that have a value as an input, and those that send it.
fn stages_of_value(pipeline: &Pipeline, planned: &Program, value: ValueId) -> String {
    let (path, name) = (planned.path_of(value), &planned.values[value].name);
    let mut text = String::new();
    let given = (0..pipeline.schedule.stages)
        .filter(|&stage| pipeline.inputs_of(stage).iter().any(|entry| entry.name == path))
        .collect::<Vec<_>>();
    if !given.is_empty() {
        let holds = if given.len() == 1 { "stores" } else { "store" };
        text.push_str(&format!("\n{} {holds} it\n", stage_list(&given)));
    }
    for transfer in pipeline.transfers.iter().filter(|transfer| transfer.value() == name) {
        let stage = |(chunk, _): (usize, usize)| pipeline.schedule.stage_of_chunk[chunk];
        let (from, to) = (stage(transfer.from), stage(transfer.to));
        let when = match transfer.after {
            TaskTime::Before => "once, before the first micro-batch",
            TaskTime::Slot(_) => "for each micro-batch",
            TaskTime::After(_) => "once, after the last micro-batch",
        };
        if from != to {
            text.push_str(&format!("\nstage {from} sends it to stage {to} {when}\n"));
        }
    }
    text
}

/// Finds a value by the path of a parameter, by its name in program text (with or without `%`), or by the name of an
/// output. Values of the main function precede those of loop bodies.
///
/// # Errors
/// `C002` for an unknown name, with a similar one.
pub(crate) fn find_value(program: &Program, name: &str) -> Result<ValueId> {
    if let Some(param) = program.params.values().find(|p| p.path == name) {
        return Ok(param.value);
    }
    let bare = name.strip_prefix('%').unwrap_or(name);
    let main = &program.funcs[program.entry()];
    let named = |v: &ValueId| program.values[*v].name == bare;
    let mut ops = program.model_ops();
    ops.sort_by_key(|o| o.func != program.entry());
    let results = || ops.iter().flat_map(|o| o.op.outs.iter().copied());
    if let Some(value) = main.inputs.iter().copied().chain(results()).find(named) {
        return Ok(value);
    }
    if let Some(output) = main.outputs.iter().find(|o| o.name == bare) {
        return Ok(output.value);
    }
    let unknown = Diagnostic::new(Code::C002, format!("the model has no value `{name}`"));
    let entries = main.inputs.iter().map(|&v| program.path_of(v));
    let all = entries.chain(results().map(|v| program.values[v].name.as_str()));
    Err(match nearest(bare, all) {
        Some(near) => unknown.help(format!("there is `{near}`")),
        None => unknown.help("`plan --all` lists parameters and inputs, `plan --emit pir` every value"),
    }
    .into())
}

/// Returns the path of a parameter, or `%name` of another value.
fn path_or_name(program: &Program, value: ValueId) -> String {
    program.param_of(value).map_or_else(|| value_name(program, value), |p| program.params[p].path.clone())
}

/// Explains the collective with the number that it has in the report, counted from 1: operands, payload, cause and
/// source location, and its cheapest algorithm on `machine`.
///
/// # Errors
/// `C002` for a number above the number of collectives, `H002` for a machine with too few devices.
pub(crate) fn explain_collective(results: &CompileResults, number: usize, machine: Option<&Machine>) -> Result<String> {
    let all = numbered_collectives(results);
    let Some((_, unit, c)) = number.checked_sub(1).and_then(|i| all.get(i)) else {
        return Err(no_collective(number, all.len()).into());
    };
    let priced = match machine {
        Some(machine) => {
            let algorithm = cheapest_algorithms(results, machine)?.into_iter().nth(number - 1).flatten();
            let algorithm = algorithm.map_or("none".to_owned(), |algorithm| {
                format!("{}, {} each time", algorithm.name, format_seconds(algorithm.seconds))
            });
            Some(format!("  cheapest {algorithm}, on `{}`", machine.name))
        }
        None => None,
    };
    Ok(collective_text(results, number, (unit, c), priced))
}

fn no_collective(number: usize, count: usize) -> Diagnostic {
    Diagnostic::new(Code::C002, format!("there is no collective {number}")).note(match count {
        0 => "this partition has none".to_string(),
        n => format!("they are counted from 1 to {n}, in the order of `plan --all`"),
    })
}

/// Explains each collective of the report as [`explain_collective`] does without a machine.
pub(crate) fn explain_collectives(results: &CompileResults) -> Vec<String> {
    let all = numbered_collectives(results);
    all.iter().map(|(number, unit, c)| collective_text(results, *number, (unit, c), None)).collect()
}

/// Returns the collectives of a partition with their numbers, counted from 1.
fn numbered_collectives(results: &CompileResults) -> Vec<(usize, Unit<'_>, CollectiveTraffic)> {
    let all =
        results.units().into_iter().flat_map(|unit| collectives(unit.program).into_iter().map(move |c| (unit, c)));
    (1..).zip(all).map(|(number, (unit, c))| (number, unit, c)).collect()
}

/// Formats the explanation of a collective. `priced` is the line of its cheapest algorithm.
fn collective_text(
    results: &CompileResults,
    number: usize,
    (unit, c): (&Unit<'_>, &CollectiveTraffic),
    priced: Option<String>,
) -> String {
    let program = unit.program;
    let op = &program.ops[c.op];
    let mesh = program.mesh().map(|(_, mesh)| mesh);
    let stage = results.stages().map(|_| format!(", in stage {}", unit.stage)).unwrap_or_default();
    let count = c.count.saturating_mul(unit.count);
    let mut lines = vec![
        format!("#{number} {} over {}{stage}", op_name(program, op), axis_names(&c.axes, mesh).join("+")),
        format!("  operands {}", operands(program, op).join(", ")),
        format!(
            "  payload  {}, {} sent on a ring, {} per run",
            format_bytes(c.payload_bytes),
            format_bytes(c.wire_bytes),
            count
        ),
    ];
    if let Some(cause) = op.origin.cause.as_deref() {
        lines.push(format!("  cause    `{}`, {}: {}", cause.op, cause.factor, cause.reason));
    }
    lines.extend(priced);
    let place = location_text(results, &op.origin);
    let scope = &op.origin.scope;
    match place.is_empty() {
        true => {}
        false if op.origin.line == 0 || scope.is_empty() => lines.push(format!("  source   {place}")),
        false => lines.push(format!("  source   {place} in `{scope}`")),
    }
    lines.join("\n") + "\n"
}

/// Formats the operands of a collective: `%y1 f32[16, 64]`.
fn operands(program: &Program, collective: &Op) -> Vec<String> {
    let operand = |&v: &ValueId| format!("{} {}", value_name(program, v), program.values[v].local_type());
    collective.args.iter().map(operand).collect()
}

/// Lists the values of one device at peak memory or, for a pipeline, those of one device of each stage.
pub(crate) fn explain_peak(results: &CompileResults) -> String {
    match &results.local {
        LocalPrograms::OneMesh { program, .. } => program_peak_text(program),
        LocalPrograms::Stages { pipeline, .. } => stage_peaks_text(pipeline),
    }
}

/// Formats the peak of one device of each stage, by purpose and with its largest values.
fn stage_peaks_text(pipeline: &Pipeline) -> String {
    let stage = |(number, device): (usize, PeakBreakdown)| {
        let shares = device.by_purpose();
        let shares = shares.iter().map(|share| format!("{} {}", share.purpose.name(), format_bytes(share.bytes)));
        let shares = shares.collect::<Vec<_>>().join(", ");
        format!(
            "stage {number}: peak {}: {shares}\n\n{}",
            format_bytes(device.bytes),
            largest_table(&LargeValueRow::from_peak(&device))
        )
    };
    peak_of_stages(pipeline).into_iter().enumerate().map(stage).collect::<Vec<_>>().join("\n")
}

/// Formats a table of the largest values of a device at its peak.
fn largest_table(rows: &[LargeValueRow]) -> String {
    const MAX_LISTED_VALUES: usize = 12;
    use Align::{Left, Right};
    let mut table =
        Table::new([("value", Left), ("", Right), ("per device", Left), ("purpose", Left), ("bytes", Right)]);
    for row in rows.iter().take(MAX_LISTED_VALUES) {
        let count = if row.count > 1 { format!("x{}", row.count) } else { String::new() };
        table.row([row.name.clone(), count, row.local_type.clone(), row.used_for.to_owned(), format_bytes(row.bytes)]);
    }
    let more = match rows.len().saturating_sub(MAX_LISTED_VALUES) {
        0 => String::new(),
        n => format!("  and {n} smaller ones\n"),
    };
    format!("{table}{more}")
}

/// Lists the values of a device at peak memory, the largest first.
fn program_peak_text(program: &Program) -> String {
    const MAX_LISTED_VALUES: usize = 30;
    use Align::{Left, Right};
    let (peak, temporaries) = (peak_of_program(program), frame(program, Fusion::Products));
    let mut table = Table::new([("value", Left), ("per device", Left), ("bytes", Right)]);
    for value in peak.values.iter().take(MAX_LISTED_VALUES) {
        let ty = value.ty.as_ref().map(ToString::to_string).unwrap_or_default();
        let is_param = program.params.values().any(|param| param.path == value.name.as_str());
        let name = if is_param { value.name.clone() } else { format!("%{}", value.name) };
        table.row([name, ty, format_bytes(value.bytes)]);
    }
    let more = match peak.values.len().saturating_sub(MAX_LISTED_VALUES) {
        0 => String::new(),
        n => format!("  and {n} smaller ones\n"),
    };
    let at = match temporaries.op {
        Some(op) => format!("while `{}` runs", op_name(program, &program.ops[op])),
        None => "throughout".to_owned(),
    };
    format!("peak {}, {at}\n\n{table}{more}", format_bytes(peak.bytes))
}
