//! Filling a report from what a plan made.

use super::made::Made;
use super::padding::padded;
use super::{CollectiveRow, FallbackRow, KindTotals, LargeRow, Memory, ParamRow, PhaseRow, Report, Totals, WarningRow};
use partita_cost::fullest::of_program;
use partita_cost::memory;
use partita_cost::traffic::{CollectiveTraffic, collectives, contraction_flops, contraction_flops_of};
use partita_ir::arena::ValueId;
use partita_ir::dtype::Shape;
use partita_ir::layout::Layout;
use partita_ir::mesh::{AxisRef, Mesh};
use partita_ir::origin::Origin;
use partita_ir::program::{Form, Op, Phase, Program};
use partita_ir::syntax::attr::write_axis;

/// Every kind of collective, in the order in which totals list them.
const KINDS: [&str; 5] = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute"];

/// How many of the largest values a report has.
pub(crate) const LISTED: usize = 10;

impl Report {
    pub(crate) fn of(made: &Made) -> Report {
        let (planned, local) = (&made.planned, &made.local);
        let mesh = planned.mesh().map(|(_, mesh)| mesh);
        let found = collectives(local);
        let rows: Vec<CollectiveRow> = found.iter().map(|c| collective(local, c)).collect();
        let peak = memory::peak(local);
        let held = memory::holdings(local);
        Report {
            version: env!("CARGO_PKG_VERSION"),
            model: planned.source.to_string(),
            mesh: mesh.map_or_else(Vec::new, |m| m.axes.iter().map(|a| (a.name.to_string(), a.size)).collect()),
            devices: made.device_count(),
            ops: planned.callees_first().iter().map(|&f| planned.funcs[f].ops().len()).sum(),
            params: planned.inputs().iter().map(|&v| param(planned, v)).collect(),
            totals: totals(&rows, contraction_flops(local), model_flops(planned)),
            collectives: rows,
            fallbacks: made
                .findings
                .fallbacks
                .iter()
                .map(|f| {
                    let op = &local.ops[f.op];
                    FallbackRow {
                        op: op_name(local, op),
                        value: value_name(local, f.value),
                        dim: f.dim,
                        axes: axis_names(&f.axes, mesh),
                        why: f.why.to_string(),
                        origin: place(local, &op.origin),
                    }
                })
                .collect(),
            padded: padded(planned),
            memory: Memory {
                peak_bytes: peak.bytes,
                entry_bytes: peak.entry_bytes,
                parameter_bytes: held.parameters,
                state_bytes: held.state,
                copy_bytes: held.copies,
                gradient_bytes: held.gradients,
                activation_bytes: held.activations,
            },
            largest: LargeRow::of(&of_program(local)).into_iter().take(LISTED).collect(),
            phases: phases(local, &found),
            phases_inferred: made.findings.inferred_phases,
            rewriting: made.rewriting(),
            warnings: WarningRow::all(&made.findings.warnings),
            seconds: made.seconds,
        }
    }

    /// One JSON object, indented.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// The parts of a training step.
fn phases(local: &Program, collectives: &[CollectiveTraffic]) -> Vec<PhaseRow> {
    let row = |phase: Phase| {
        let of_phase = |c: &&CollectiveTraffic| local.ops[c.op].phase == phase;
        PhaseRow {
            phase: phase.name(),
            ops: local
                .laid_out_funcs()
                .iter()
                .flat_map(|&f| local.funcs[f].ops())
                .filter(|&&op| local.ops[op].phase == phase)
                .count(),
            flops: contraction_flops_of(local, phase),
            wire_bytes: collectives
                .iter()
                .filter(of_phase)
                .map(|c| c.wire_bytes.saturating_mul(c.count))
                .fold(0, u64::saturating_add),
        }
    };
    let rows: Vec<PhaseRow> = Phase::ALL.into_iter().map(row).filter(|row| row.ops > 0).collect();
    if rows.len() > 1 { rows } else { Vec::new() }
}

/// The arithmetic of the whole model, unless only one device's program is known.
fn model_flops(planned: &Program) -> u64 {
    if planned.form >= Form::Local { 0 } else { contraction_flops(planned) }
}

fn param(program: &Program, value: ValueId) -> ParamRow {
    let v = &program.values[value];
    let mesh = program.mesh().map(|(_, mesh)| mesh);
    ParamRow {
        name: program.path_of(value).to_string(),
        dtype: v.ty.dtype.to_string(),
        shape: v.ty.shape.to_vec(),
        local_shape: v.local_shape().to_vec(),
        layout: layout_text(&v.ty.shape, v.layout.as_deref(), mesh),
        local_bytes: v.local_type().bytes(),
    }
}

/// `data, _`: what `--shard` would take.
fn layout_text(shape: &Shape, layout: Option<&Layout>, mesh: Option<&Mesh>) -> String {
    let dim = |d: usize| {
        let axes = layout.and_then(|l| l.dims.get(d)).map(|dim| axis_names(&dim.axes, mesh)).unwrap_or_default();
        if axes.is_empty() { "_".to_string() } else { axes.join("+") }
    };
    (0..shape.rank()).map(dim).collect::<Vec<_>>().join(", ")
}

/// Axes as program text writes them.
pub(crate) fn axis_names(axes: &[AxisRef], mesh: Option<&Mesh>) -> Vec<String> {
    let name = |&axis: &AxisRef| {
        let mut text = String::new();
        write_axis(axis, mesh, &mut text);
        text
    };
    axes.iter().map(name).collect()
}

/// `matmul %h`
pub(crate) fn op_name(program: &Program, op: &Op) -> String {
    let out = op.outs.first().map(|&v| format!(" {}", value_name(program, v))).unwrap_or_default();
    format!("{}{out}", op.kind.name())
}

/// `%h`
pub(crate) fn value_name(program: &Program, value: ValueId) -> String {
    format!("%{}", program.values[value].name)
}

/// `gpt.mlir:120`, or the module's path where there is no line.
pub(crate) fn place(program: &Program, origin: &Origin) -> String {
    match origin.line {
        0 => origin.scope.to_string(),
        line => format!("{}:{line}", program.source),
    }
}

fn collective(program: &Program, c: &CollectiveTraffic) -> CollectiveRow {
    let op = &program.ops[c.op];
    let cause = op.origin.cause.as_deref();
    CollectiveRow {
        kind: op.kind.family(),
        axes: axis_names(&c.axes, program.mesh().map(|(_, mesh)| mesh)),
        payload_bytes: c.payload_bytes,
        wire_bytes: c.wire_bytes,
        count: c.count,
        op: cause.map_or_else(|| op_name(program, op), |cause| cause.op.to_string()),
        origin: place(program, &op.origin),
        reason: cause.map_or_else(String::new, |cause| cause.reason.clone()),
        cheapest: None,
    }
}

fn totals(rows: &[CollectiveRow], flops: u64, model_flops: u64) -> Totals {
    let sum = |kind: &str| {
        let mut sum = KindTotals::default();
        for row in rows.iter().filter(|r| r.kind == kind) {
            sum.count += row.count;
            sum.payload_bytes = sum.payload_bytes.saturating_add(row.payload_bytes.saturating_mul(row.count));
            sum.wire_bytes = sum.wire_bytes.saturating_add(row.wire_bytes.saturating_mul(row.count));
        }
        sum
    };
    let by_kind: Vec<(&'static str, KindTotals)> = KINDS.iter().map(|&kind| (kind, sum(kind))).collect();
    let all = |of: fn(&KindTotals) -> u64| by_kind.iter().map(|(_, k)| of(k)).fold(0, u64::saturating_add);
    Totals { payload_bytes: all(|k| k.payload_bytes), wire_bytes: all(|k| k.wire_bytes), flops, model_flops, by_kind }
}
