//! Answers to "why": a value's layout from the annotation on, a collective's cause, the memory at its fullest.

use crate::error::Result;
use crate::made::{Local, Made, Planned, Unit};
use crate::report::gather::{op_name, place, value_name};
use crate::report::ways::ways;
use crate::report::{Align, LargeRow, Table, bytes};
use partita_cost::fullest::{Fullest, of_stages};
use partita_cost::memory;
use partita_cost::traffic::{CollectiveTraffic, collectives};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::pipeline::{Moment, Pipeline};
use partita_ir::program::Program;
use partita_ir::syntax::attr::axis_names;
use partita_ir::text::write_type;
use partita_ir::units::time;
use partita_machine::Machine;

/// Explains the layout of a value: for each axis the steps from the annotation on, and the stages that hold or send it.
pub(crate) fn value(made: &Made, name: &str) -> Result<String> {
    let mut text = String::new();
    for (position, planned) in made.planned.iter().enumerate() {
        if made.planned.len() > 1 {
            let stages = made.stages_on(position);
            let space = if position > 0 { "\n" } else { "" };
            text.push_str(&format!("{space}on the mesh of {}\n", plural_stages(&stages)));
        }
        text.push_str(&on_mesh(planned, name)?);
    }
    if let Some(pipeline) = made.stages() {
        let value = find(made.planned(), name)?;
        text.push_str(&in_stages(pipeline, made.planned(), value));
    }
    Ok(text)
}

/// `stage 1`, `stages 0, 2`
fn plural_stages(stages: &[usize]) -> String {
    let numbers: Vec<String> = stages.iter().map(usize::to_string).collect();
    format!("stage{} {}", if stages.len() == 1 { "" } else { "s" }, numbers.join(", "))
}

/// Explains the layout of a value on one mesh.
fn on_mesh(Planned { program, provenance }: &Planned, name: &str) -> Result<String> {
    let value = find(program, name)?;
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
    if layout.is_whole() {
        text.push_str("\nevery device holds all of it: no annotation reaches it\n");
    }
    text.push_str(&format!("\neach device holds {}, {}\n", v.local_type(), bytes(v.local_type().bytes())));
    Ok(text)
}

/// The stages that are given a value, and those that hand it on.
fn in_stages(pipeline: &Pipeline, planned: &Program, value: ValueId) -> String {
    let (path, name) = (planned.path_of(value), &planned.values[value].name);
    let mut text = String::new();
    let given = (0..pipeline.schedule.stages)
        .filter(|&stage| pipeline.inputs_of(stage).iter().any(|entry| entry.name == path))
        .collect::<Vec<_>>();
    if !given.is_empty() {
        let holds = if given.len() == 1 { "holds" } else { "hold" };
        text.push_str(&format!("\n{} {holds} it\n", plural_stages(&given)));
    }
    for transfer in pipeline.transfers.iter().filter(|transfer| transfer.value() == name) {
        let stage = |(chunk, _): (usize, usize)| pipeline.schedule.home[chunk];
        let (from, to) = (stage(transfer.from), stage(transfer.to));
        let when = match transfer.behind {
            Moment::Before => "once, before the first micro-batch",
            Moment::Slot(_) => "for each micro-batch",
            Moment::After(_) => "once, behind the last micro-batch",
        };
        if from != to {
            text.push_str(&format!("\nstage {from} sends it to stage {to} {when}\n"));
        }
    }
    text
}

/// The value of that name: a parameter's path, else the name of a value of the model with or without `%`. What loops
/// call a value is looked for behind those of the main function.
pub(crate) fn find(program: &Program, name: &str) -> Result<ValueId> {
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
    let unknown = Diagnostic::new(Code::C002, format!("nothing in the model is called `{name}`"));
    let entries = main.inputs.iter().map(|&v| program.path_of(v));
    let all = entries.chain(results().map(|v| program.values[v].name.as_str()));
    Err(match nearest(bare, all) {
        Some(near) => unknown.help(format!("there is `{near}`")),
        None => unknown.help("`plan --all` lists parameters and inputs, `plan --emit pir` every value"),
    }
    .into())
}

/// A parameter's path, else `%name`.
fn path_or_name(program: &Program, value: ValueId) -> String {
    program.param_of(value).map_or_else(|| value_name(program, value), |p| program.params[p].path.clone())
}

/// Why a collective of the report exists; they are counted from 1.
pub(crate) fn collective(made: &Made, number: usize, machine: Option<&Machine>) -> Result<String> {
    let units = made.units();
    let all = units.iter().flat_map(|unit| collectives(unit.program).into_iter().map(move |c| (unit, c)));
    let all: Vec<(&Unit<'_>, CollectiveTraffic)> = all.collect();
    let Some((unit, c)) = number.checked_sub(1).and_then(|i| all.get(i)) else {
        let title = format!("there is no collective {number}");
        return Err(Diagnostic::new(Code::C002, title)
            .note(match all.len() {
                0 => "this partition has none".to_string(),
                n => format!("they are counted from 1 to {n}, in the order of `plan --all`"),
            })
            .into());
    };
    let program = unit.program;
    let op = &program.ops[c.op];
    let mesh = program.mesh().map(|(_, mesh)| mesh);
    let stage = made.stages().map(|_| format!(", in stage {}", unit.stage)).unwrap_or_default();
    let count = c.count.saturating_mul(unit.count);
    let args = op.args.iter().map(|&v| format!("{} {}", value_name(program, v), program.values[v].local_type()));
    let mut lines = vec![
        format!("#{number} {} over {}{stage}", op_name(program, op), axis_names(&c.axes, mesh).join("+")),
        format!("  takes    {}", args.collect::<Vec<_>>().join(", ")),
        format!("  payload  {}, {} sent on a ring, {} a run", bytes(c.payload_bytes), bytes(c.wire_bytes), count),
    ];
    if let Some(cause) = op.origin.cause.as_deref() {
        lines.push(format!("  because  of `{}`, {}: {}", cause.op, cause.factor, cause.reason));
    }
    if let Some(machine) = machine {
        let way = ways(made, machine)?.into_iter().nth(number - 1).flatten();
        let way = way.map_or("no way".to_owned(), |way| format!("{}, {} each time", way.name, time(way.seconds)));
        lines.push(format!("  cheapest {way}, on `{}`", machine.name));
    }
    let place = place(made, &op.origin);
    if !place.is_empty() {
        lines.push(format!("  at       {place}"));
    }
    Ok(lines.join("\n") + "\n")
}

/// What a device of each stage holds when it holds most.
pub(crate) fn peak(made: &Made) -> String {
    match &made.local {
        Local::Whole { program, .. } => of_program(program),
        Local::Stages { pipeline, .. } => of_each_stage(pipeline),
    }
}

fn of_each_stage(pipeline: &Pipeline) -> String {
    let stage = |(number, device): (usize, Fullest)| {
        let shares = device.shares();
        let shares = shares.iter().map(|share| format!("{} {}", share.of.name(), bytes(share.bytes)));
        let shares = shares.collect::<Vec<_>>().join(", ");
        format!("stage {number}: {} at most: {shares}\n\n{}", bytes(device.bytes), largest(&LargeRow::of(&device)))
    };
    of_stages(pipeline).into_iter().enumerate().map(stage).collect::<Vec<_>>().join("\n")
}

/// A table of what a device holds.
fn largest(rows: &[LargeRow]) -> String {
    const SHOWN: usize = 12;
    use Align::{Left, Right};
    let mut table = Table::new([("alive", Left), ("", Right), ("on a device", Left), ("for", Left), ("bytes", Right)]);
    for row in rows.iter().take(SHOWN) {
        let count = if row.count > 1 { format!("x{}", row.count) } else { String::new() };
        table.row([row.name.clone(), count, row.local_type.clone(), row.used_for.to_owned(), bytes(row.bytes)]);
    }
    let more = match rows.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!("  and {n} smaller ones\n"),
    };
    format!("{table}{more}")
}

/// What a device holds when it holds most, the largest first.
fn of_program(program: &Program) -> String {
    const SHOWN: usize = 30;
    use Align::{Left, Right};
    let peak = memory::peak(program);
    let mut table = Table::new([("alive", Left), ("on a device", Left), ("bytes", Right)]);
    for &value in peak.values.iter().take(SHOWN) {
        table.row([
            path_or_name(program, value),
            program.values[value].local_type().to_string(),
            bytes(memory::held(program, value)),
        ]);
    }
    let more = match peak.values.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!("  and {n} smaller ones\n"),
    };
    // entry only: the peak names a point of the entry function
    let body = program.funcs[program.entry()].ops();
    let at = match peak.point.checked_sub(1).and_then(|i| body.get(i)) {
        Some(&op) => format!("while `{}` runs", op_name(program, &program.ops[op])),
        None if peak.point == 0 => "before the first operation".to_string(),
        None => "when the results are returned".to_string(),
    };
    format!("{} at most, {at}\n\n{table}{more}", bytes(peak.bytes))
}
