//! Construction of a report from the results of a compilation.

use super::padding::padded;
use super::repeated::{repeated, repeated_flops};
use super::stages::{schedule, stages, transfers};
use super::{
    CollectiveRow, DeviceMemory, FallbackRow, KindTotals, ParamRow, PhaseRow, Report, RewriteReport, StageRow, Totals,
    WarningRow,
};
use crate::compile_results::{CompileResults, Unit};
use partita_cost::traffic::{CollectiveTraffic, collectives, contraction_flops, phase_contraction_flops};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::{Layout, local_shape};
use partita_ir::mesh::DeviceMesh;
use partita_ir::origin::Origin;
use partita_ir::pipeline::Pipeline;
use partita_ir::program::{Form, Op, ParamKind, Phase, Program};
use partita_ir::syntax::attr::axis_names;
use partita_passes::driver::Fallback;
use partita_passes::training::micro_batches;
use std::cmp::Reverse;

/// Kinds of collectives in the order of the totals.
const COLLECTIVE_KINDS: [&str; 5] = ["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "permute"];

/// Maximum number of largest values in a report.
pub(crate) const MAX_LARGEST_VALUES: usize = 10;

impl Report {
    pub(crate) fn from_results(results: &CompileResults) -> Report {
        let planned = results.planned();
        let mesh = results.mesh_of(0);
        let units = results.units();
        let rows: Vec<CollectiveRow> = units.iter().flat_map(|unit| collective_rows(results, unit)).collect();
        let (stages, memory): (Vec<StageRow>, Vec<DeviceMemory>) = stages(results).into_iter().unzip();
        let peak_stage = (0..stages.len()).max_by_key(|&stage| (stages[stage].peak_bytes, Reverse(stage))).unwrap_or(0);
        let repeated = repeated(results);
        let phases = phases(&units);
        let mut params = match results.stages() {
            None => planned.inputs().iter().map(|&v| param(planned, v)).collect(),
            Some(pipeline) => params_of_stages(planned, pipeline),
        };
        if !phases.is_empty() {
            mark_frozen(planned, &mut params);
        }
        let has_input = |row: &&ParamRow| row.stages.is_empty() || row.stages.contains(&peak_stage);
        let frozen_bytes = params.iter().filter(|row| row.frozen).filter(has_input).map(|row| row.local_bytes);
        let frozen_bytes = frozen_bytes.fold(0, u64::saturating_add);
        let of_stage = |stage: usize| {
            let rows = rows.iter().filter(|row| row.stage.is_none_or(|of| of == stage));
            let flops = (stages[stage].flops, repeated_flops(&repeated, stage), model_flops(planned));
            totals(rows, flops)
        };
        Report {
            version: env!("CARGO_PKG_VERSION"),
            model: planned.source.to_string(),
            mesh: mesh.map_or_else(Vec::new, |m| m.axes.iter().map(|a| (a.name.to_string(), a.size)).collect()),
            devices: results.device_count(),
            ops: planned.callees_first().iter().map(|&f| planned.funcs[f].ops().len()).sum(),
            params,
            totals: (0..stages.len()).map(of_stage).reduce(Totals::elementwise_max).unwrap_or_default(),
            transfers: results.stages().map(|pipeline| transfers(pipeline)).unwrap_or_default(),
            fallbacks: results.findings.fallbacks.iter().map(|fallback| fallback_row(results, fallback)).collect(),
            repeated,
            padded: padded(results.planned.iter().map(|planned| &planned.program)),
            memory: DeviceMemory { frozen_bytes, ..memory.get(peak_stage).copied().unwrap_or_default() },
            largest: stages.get(peak_stage).map(|row| row.largest.clone()).unwrap_or_default(),
            phases,
            phases_inferred: results.findings.inferred_phases,
            schedule: schedule(results),
            micro_batches: micro_batches::micro_batch_count(planned),
            rewriting: RewriteReport::from_results(results),
            warnings: WarningRow::from_diagnostics(&results.findings.warnings),
            seconds: results.seconds,
            collectives: rows,
            stages,
        }
    }

    /// Formats the report as an indented JSON object.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Returns the phases of a training step, summed over one device of each stage. Empty for a program with fewer than two
/// phases.
fn phases(units: &[Unit<'_>]) -> Vec<PhaseRow> {
    let row = |phase: Phase| {
        let mut row = PhaseRow { phase: phase.name(), ops: 0, flops: 0, wire_bytes: 0 };
        for Unit { program, count, .. } in units {
            let ops = program.funcs_with_layouts();
            row.ops +=
                ops.iter().flat_map(|&f| program.funcs[f].ops()).filter(|&&op| program.ops[op].phase == phase).count();
            row.flops = row.flops.saturating_add(count.saturating_mul(phase_contraction_flops(program, phase)));
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

/// Computes the FLOPs of the model on one device, or 0 for a program in local form.
fn model_flops(planned: &Program) -> u64 {
    if planned.form >= Form::Local { 0 } else { contraction_flops(planned) }
}

fn param(program: &Program, value: ValueId) -> ParamRow {
    let v = &program.values[value];
    let mesh = program.mesh().map(|(_, mesh)| mesh);
    param_row(program.path_of(value), &v.ty, v.layout.as_deref(), mesh)
}

fn param_row(name: &str, ty: &Type, layout: Option<&Layout>, mesh: Option<&DeviceMesh>) -> ParamRow {
    let local = Type { shape: local_shape(&ty.shape, layout), dtype: ty.dtype };
    ParamRow {
        name: name.to_string(),
        dtype: ty.dtype.to_string(),
        shape: ty.shape.to_vec(),
        layout: layout_text(&ty.shape, layout, mesh),
        local_bytes: local.bytes(),
        local_shape: local.shape.to_vec(),
        frozen: false,
        stages: Vec::new(),
    }
}

/// Returns the parameters and inputs with the layouts of the stages that have them as inputs, in the order of the step.
/// A value that no stage reads has the layout of the step.
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

/// Marks the rows of the parameters that a training step does not change. Rows are in the order of the inputs.
fn mark_frozen(planned: &Program, rows: &mut [ParamRow]) {
    for (row, &input) in rows.iter_mut().zip(planned.inputs()) {
        row.frozen = planned.param_of(input).is_some_and(|param| planned.params[param].kind == ParamKind::Frozen);
    }
}

/// Formats a layout in the syntax of `--shard`: `data, _`.
fn layout_text(shape: &Shape, layout: Option<&Layout>, mesh: Option<&DeviceMesh>) -> String {
    let dim = |d: usize| {
        let axes = layout.and_then(|l| l.dims.get(d)).map(|dim| axis_names(&dim.axes, mesh)).unwrap_or_default();
        if axes.is_empty() { "_".to_string() } else { axes.join("+") }
    };
    (0..shape.rank()).map(dim).collect::<Vec<_>>().join(", ")
}

/// Formats an op: `matmul %h`.
pub(crate) fn op_name(program: &Program, op: &Op) -> String {
    let out = op.outs.first().map(|&v| format!(" {}", value_name(program, v))).unwrap_or_default();
    format!("{}{out}", op.kind.name())
}

/// Formats a value: `%h`.
pub(crate) fn value_name(program: &Program, value: ValueId) -> String {
    format!("%{}", program.values[value].name)
}

/// Formats a source location: `gpt.mlir:120`, or the module's path if the line is unknown.
pub(crate) fn location_text(results: &CompileResults, origin: &Origin) -> String {
    match results.model.source_line(origin) {
        None => origin.scope.to_string(),
        Some((file, line)) => format!("{file}:{line}"),
    }
}

fn fallback_row(results: &CompileResults, fallback: &Fallback) -> FallbackRow {
    FallbackRow {
        op: format!("{} %{}", fallback.kind, fallback.result),
        value: format!("%{}", fallback.value),
        dim: fallback.dim,
        axes: fallback.axes.clone(),
        why: fallback.why.to_string(),
        origin: location_text(results, &fallback.origin),
    }
}

/// Returns the collectives of a unit.
fn collective_rows(results: &CompileResults, unit: &Unit<'_>) -> Vec<CollectiveRow> {
    let stage = results.stages().map(|_| unit.stage);
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
            origin: location_text(results, &op.origin),
            reason: cause.map_or_else(String::new, |cause| cause.reason.clone()),
            stage,
            cheapest: None,
        }
    };
    collectives(program).iter().map(row).collect()
}

fn totals<'r>(
    rows: impl Iterator<Item = &'r CollectiveRow>,
    (flops, repeated_flops, model_flops): (u64, u64, u64),
) -> Totals {
    let mut by_kind: Vec<(&'static str, KindTotals)> =
        COLLECTIVE_KINDS.iter().map(|&kind| (kind, KindTotals::default())).collect();
    for row in rows {
        let Some((_, sum)) = by_kind.iter_mut().find(|(kind, _)| *kind == row.kind) else { continue };
        sum.count += row.count;
        sum.payload_bytes = sum.payload_bytes.saturating_add(row.payload_bytes.saturating_mul(row.count));
        sum.wire_bytes = sum.wire_bytes.saturating_add(row.wire_bytes.saturating_mul(row.count));
    }
    let all = |of: fn(&KindTotals) -> u64| by_kind.iter().map(|(_, k)| of(k)).fold(0, u64::saturating_add);
    let (payload_bytes, wire_bytes) = (all(|k| k.payload_bytes), all(|k| k.wire_bytes));
    Totals { payload_bytes, wire_bytes, by_kind, flops, repeated_flops, model_flops }
}

impl Totals {
    /// Returns the element-wise maximum.
    fn elementwise_max(self, other: Totals) -> Totals {
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
            repeated_flops: self.repeated_flops.max(other.repeated_flops),
            model_flops: self.model_flops,
        }
    }
}
