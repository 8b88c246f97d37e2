//! Filling a report from what a plan made.

use super::padding::padded;
use super::stages::{schedule, stages, transfers};
use super::{
    CollectiveRow, FallbackRow, KindTotals, Memory, ParamRow, PhaseRow, Report, Rewriting, StageRow, Totals, WarningRow,
};
use crate::made::{Made, Unit};
use partita_cost::traffic::{CollectiveTraffic, collectives, contraction_flops, contraction_flops_of};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::{Layout, local_shape};
use partita_ir::mesh::Mesh;
use partita_ir::origin::Origin;
use partita_ir::pipeline::Pipeline;
use partita_ir::program::{Form, Op, Phase, Program};
use partita_ir::syntax::attr::axis_names;
use partita_passes::driver::Fallback;
use partita_passes::training::micro_batches;
use std::cmp::Reverse;

/// Every kind of collective, in the order in which totals list them.
const KINDS: [&str; 5] = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute"];

/// How many of the largest values a report has.
pub(crate) const LISTED: usize = 10;

impl Report {
    pub(crate) fn of(made: &Made) -> Report {
        let planned = made.planned();
        let mesh = made.mesh_of(0);
        let units = made.units();
        let rows: Vec<CollectiveRow> = units.iter().flat_map(|unit| rows(made, unit)).collect();
        let (stages, memory): (Vec<StageRow>, Vec<Memory>) = stages(made).into_iter().unzip();
        let fullest = (0..stages.len()).max_by_key(|&stage| (stages[stage].peak_bytes, Reverse(stage))).unwrap_or(0);
        let of_stage = |stage: usize| {
            let rows = rows.iter().filter(|row| row.stage.is_none_or(|of| of == stage));
            totals(rows, stages[stage].flops, model_flops(planned))
        };
        Report {
            version: env!("CARGO_PKG_VERSION"),
            model: planned.source.to_string(),
            mesh: mesh.map_or_else(Vec::new, |m| m.axes.iter().map(|a| (a.name.to_string(), a.size)).collect()),
            devices: made.device_count(),
            ops: planned.callees_first().iter().map(|&f| planned.funcs[f].ops().len()).sum(),
            params: match made.stages() {
                None => planned.inputs().iter().map(|&v| param(planned, v)).collect(),
                Some(pipeline) => params_of_stages(planned, pipeline),
            },
            totals: (0..stages.len()).map(of_stage).reduce(Totals::larger).unwrap_or_default(),
            transfers: made.stages().map(|pipeline| transfers(pipeline)).unwrap_or_default(),
            fallbacks: made.findings.fallbacks.iter().map(|fallback| fallback_row(made, fallback)).collect(),
            padded: padded(made.planned.iter().map(|planned| &planned.program)),
            memory: memory.get(fullest).copied().unwrap_or_default(),
            largest: stages.get(fullest).map(|row| row.largest.clone()).unwrap_or_default(),
            phases: phases(&units),
            phases_inferred: made.findings.inferred_phases,
            schedule: schedule(made),
            micro_batches: micro_batches::count(planned),
            rewriting: Rewriting::of_made(made),
            warnings: WarningRow::all(&made.findings.warnings),
            seconds: made.seconds,
            collectives: rows,
            stages,
        }
    }

    /// One JSON object, indented.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// The parts of a training step, over one device of each stage.
fn phases(units: &[Unit<'_>]) -> Vec<PhaseRow> {
    let row = |phase: Phase| {
        let mut row = PhaseRow { phase: phase.name(), ops: 0, flops: 0, wire_bytes: 0 };
        for Unit { program, count, .. } in units {
            let ops = program.laid_out_funcs();
            row.ops +=
                ops.iter().flat_map(|&f| program.funcs[f].ops()).filter(|&&op| program.ops[op].phase == phase).count();
            row.flops = row.flops.saturating_add(count.saturating_mul(contraction_flops_of(program, phase)));
            let of_phase = |c: &&CollectiveTraffic| program.ops[c.op].phase == phase;
            let sent = collectives(program);
            let sent = sent.iter().filter(of_phase).map(|c| c.wire_bytes.saturating_mul(c.count));
            let sent = sent.fold(0, u64::saturating_add).saturating_mul(*count);
            row.wire_bytes = row.wire_bytes.saturating_add(sent);
        }
        row
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
    param_row(program.path_of(value), &v.ty, v.layout.as_deref(), mesh)
}

fn param_row(name: &str, ty: &Type, layout: Option<&Layout>, mesh: Option<&Mesh>) -> ParamRow {
    let local = Type { shape: local_shape(&ty.shape, layout), dtype: ty.dtype };
    ParamRow {
        name: name.to_string(),
        dtype: ty.dtype.to_string(),
        shape: ty.shape.to_vec(),
        layout: layout_text(&ty.shape, layout, mesh),
        local_bytes: local.bytes(),
        local_shape: local.shape.to_vec(),
        stages: Vec::new(),
    }
}

/// Parameters and inputs as the stages have them that are given them, in the order of the step. What no stage reads
/// lies as it does in the step.
fn params_of_stages(planned: &Program, pipeline: &Pipeline) -> Vec<ParamRow> {
    let entries: Vec<_> = (0..pipeline.schedule.stages)
        .flat_map(|stage| pipeline.inputs_of(stage).into_iter().map(move |entry| (stage, entry)))
        .collect();
    let row = |&value: &ValueId| {
        let path = planned.path_of(value);
        let mut has = entries.iter().filter(|(_, entry)| entry.name == path).peekable();
        let Some((_, first)) = has.peek() else { return param(planned, value) };
        let chunk = &pipeline.chunks[first.chunk];
        let cell = &chunk.cells[first.cell];
        let row = param_row(path, &cell.ty, cell.layout.as_deref(), Some(&chunk.mesh));
        let mut stages: Vec<usize> = has.map(|(stage, _)| *stage).collect();
        stages.dedup();
        ParamRow { stages, ..row }
    };
    planned.inputs().iter().map(row).collect()
}

/// `data, _`: what `--shard` would take.
fn layout_text(shape: &Shape, layout: Option<&Layout>, mesh: Option<&Mesh>) -> String {
    let dim = |d: usize| {
        let axes = layout.and_then(|l| l.dims.get(d)).map(|dim| axis_names(&dim.axes, mesh)).unwrap_or_default();
        if axes.is_empty() { "_".to_string() } else { axes.join("+") }
    };
    (0..shape.rank()).map(dim).collect::<Vec<_>>().join(", ")
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
pub(crate) fn place(made: &Made, origin: &Origin) -> String {
    match origin.line {
        0 => origin.scope.to_string(),
        line => format!("{}:{line}", made.model.source),
    }
}

fn fallback_row(made: &Made, fallback: &Fallback) -> FallbackRow {
    FallbackRow {
        op: format!("{} %{}", fallback.kind, fallback.result),
        value: format!("%{}", fallback.value),
        dim: fallback.dim,
        axes: fallback.axes.clone(),
        why: fallback.why.to_string(),
        origin: place(made, &fallback.origin),
    }
}

/// The collectives of a unit.
fn rows(made: &Made, unit: &Unit<'_>) -> Vec<CollectiveRow> {
    let stage = made.stages().map(|_| unit.stage);
    let program = unit.program;
    let row = |c: &CollectiveTraffic| {
        let op = &program.ops[c.op];
        let cause = op.origin.cause.as_deref();
        CollectiveRow {
            kind: op.kind.family(),
            axes: axis_names(&c.axes, program.mesh().map(|(_, mesh)| mesh)),
            payload_bytes: c.payload_bytes,
            wire_bytes: c.wire_bytes,
            count: c.count.saturating_mul(unit.count),
            op: cause.map_or_else(|| op_name(program, op), |cause| cause.op.to_string()),
            origin: place(made, &op.origin),
            reason: cause.map_or_else(String::new, |cause| cause.reason.clone()),
            stage,
            cheapest: None,
        }
    };
    collectives(program).iter().map(row).collect()
}

fn totals<'r>(rows: impl Iterator<Item = &'r CollectiveRow>, flops: u64, model_flops: u64) -> Totals {
    let mut by_kind: Vec<(&'static str, KindTotals)> =
        KINDS.iter().map(|&kind| (kind, KindTotals::default())).collect();
    for row in rows {
        let Some((_, sum)) = by_kind.iter_mut().find(|(kind, _)| *kind == row.kind) else { continue };
        sum.count += row.count;
        sum.payload_bytes = sum.payload_bytes.saturating_add(row.payload_bytes.saturating_mul(row.count));
        sum.wire_bytes = sum.wire_bytes.saturating_add(row.wire_bytes.saturating_mul(row.count));
    }
    let all = |of: fn(&KindTotals) -> u64| by_kind.iter().map(|(_, k)| of(k)).fold(0, u64::saturating_add);
    Totals { payload_bytes: all(|k| k.payload_bytes), wire_bytes: all(|k| k.wire_bytes), flops, model_flops, by_kind }
}

impl Totals {
    /// The larger of each figure.
    fn larger(self, other: Totals) -> Totals {
        let by_kind = self.by_kind.into_iter().zip(other.by_kind).map(|((kind, a), (_, b))| {
            let larger = KindTotals {
                count: a.count.max(b.count),
                payload_bytes: a.payload_bytes.max(b.payload_bytes),
                wire_bytes: a.wire_bytes.max(b.wire_bytes),
            };
            (kind, larger)
        });
        Totals {
            payload_bytes: self.payload_bytes.max(other.payload_bytes),
            wire_bytes: self.wire_bytes.max(other.wire_bytes),
            by_kind: by_kind.collect(),
            flops: self.flops.max(other.flops),
            model_flops: self.model_flops,
        }
    }
}
