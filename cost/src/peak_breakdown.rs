//! Peak memory of one device by purpose: parameters, gradients, optimizer state, activations.
//!
//! The totals by purpose add up to the peak: inputs, outputs that do not replace an input, and temporaries between the
//! kernels of a backend ([`frame`]). For pipeline stages it is the size of the allocations ([`stage_memory`]).

use super::memory::local_bytes;
use super::roofline::efficiencies::Fusion;
use super::roofline::frame::{Frame, frame};
use super::stage_memory::{self, StageMemory};
use super::step::ReservedBytes;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::class::Control;
use partita_ir::dtype::{DType, Type};
use partita_ir::pipeline::memory::BlockUser;
use partita_ir::pipeline::{CellScope, Pipeline, TaskTime};
use partita_ir::program::{ParamKind, Phase, Program};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// Purpose of allocated memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Purpose {
    /// Parameters and their low-precision copies.
    Weights,
    /// Gradients of parameters.
    Gradients,
    /// Optimizer state.
    Optimizer,
    /// Forward values, recomputed values, and their gradients.
    Activations,
    /// Input batches, and outputs that do not replace an input.
    Data,
    /// Scratch memory that a task needs only while it runs.
    Temporaries,
    /// Fragmentation: unused gaps between allocations with different live ranges.
    Gaps,
    /// Memory of a device without tensors: context, workspaces, communicators, and freed blocks of the allocator.
    Reserved,
}

impl Purpose {
    /// All purposes, in the order of reports.
    pub const ALL: [Purpose; 8] = [
        Purpose::Weights,
        Purpose::Gradients,
        Purpose::Optimizer,
        Purpose::Activations,
        Purpose::Data,
        Purpose::Temporaries,
        Purpose::Gaps,
        Purpose::Reserved,
    ];

    /// Returns the lower-case name shown in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Purpose::Weights => "weights",
            Purpose::Gradients => "gradients",
            Purpose::Optimizer => "optimizer",
            Purpose::Activations => "activations",
            Purpose::Data => "data",
            Purpose::Temporaries => "temporaries",
            Purpose::Gaps => "gaps",
            Purpose::Reserved => "reserved",
        }
    }
}

/// A live value at the peak, or the instances of one value in several micro-batches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PeakValue {
    /// Name of the value, the parameter path, or a description of the task.
    pub name: String,
    /// Purpose of the memory.
    pub purpose: Purpose,
    /// Shard type of one instance on the device. `None` for memory that belongs to no value.
    pub ty: Option<Type>,
    /// Number of live instances.
    pub count: u64,
    /// Bytes of all instances.
    pub bytes: u64,
}

impl PeakValue {
    fn gaps(bytes: u64) -> PeakValue {
        PeakValue { name: "fragmentation".to_owned(), purpose: Purpose::Gaps, ty: None, count: 1, bytes }
    }
}

/// Peak memory of one device, by value and purpose.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PeakBreakdown {
    /// Peak in bytes.
    pub bytes: u64,
    /// Live values at the peak, in descending order of size.
    pub values: Vec<PeakValue>,
}

impl PeakBreakdown {
    fn new(bytes: u64, mut values: Vec<PeakValue>) -> PeakBreakdown {
        values.retain(|value| value.bytes > 0);
        values.sort_by_key(|value| Reverse(value.bytes));
        PeakBreakdown { bytes, values }
    }

    /// Adds the memory of a device that holds no tensor.
    #[must_use]
    pub fn with_reserved(self, reserved: ReservedBytes) -> PeakBreakdown {
        let mut values = self.values;
        values.extend(reserved.by_purpose().map(|(name, bytes)| PeakValue {
            name: name.to_owned(),
            purpose: Purpose::Reserved,
            ty: None,
            count: 1,
            bytes,
        }));
        PeakBreakdown::new(self.bytes.saturating_add(reserved.total()), values)
    }

    /// Returns the totals for each purpose that occurs, in the order of [`Purpose`].
    pub fn by_purpose(&self) -> Vec<PurposeTotal> {
        let mut totals: IndexMap<Purpose, PurposeTotal> = IndexMap::new();
        for value in &self.values {
            let empty = PurposeTotal { purpose: value.purpose, bytes: 0, elements: 0, dtypes: Vec::new() };
            let total = totals.entry(value.purpose).or_insert(empty);
            total.bytes += value.bytes;
            if let Some(ty) = &value.ty {
                total.elements += value.count * ty.shape.count() as u64;
                if !total.dtypes.contains(&ty.dtype) {
                    total.dtypes.push(ty.dtype);
                }
            }
        }
        totals.sort_unstable_keys();
        totals.into_values().collect()
    }
}

/// Total memory of one device for one purpose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PurposeTotal {
    /// Purpose of the memory.
    pub purpose: Purpose,
    /// Bytes.
    pub bytes: u64,
    /// Number of elements of all values.
    pub elements: u64,
    /// Distinct element types, in descending order of the size of the first value with that type.
    pub dtypes: Vec<DType>,
}

/// Returns the peak memory of one device that runs a program in local form.
pub fn peak_of_program(program: &Program) -> PeakBreakdown {
    let Frame { bytes, values, .. } = frame(program, Fusion::Products);
    let fixed = fixed_values(program);
    let fixed_bytes = fixed.iter().map(|&value| local_bytes(program, value)).fold(0, u64::saturating_add);
    let analysis = PurposeAnalysis::new(program);
    let peak_value = |&value: &ValueId| PeakValue {
        name: program.param_of(value).map_or(&program.values[value].name[..], |p| &program.params[p].path).to_owned(),
        purpose: analysis.purpose_of(value, 0),
        ty: Some(program.values[value].local_type()),
        count: 1,
        bytes: local_bytes(program, value),
    };
    let mut values: Vec<PeakValue> = fixed.iter().chain(&values).map(peak_value).collect();
    let bytes = fixed_bytes.saturating_add(bytes);
    let gaps = bytes.saturating_sub(values.iter().map(|value| value.bytes).fold(0, u64::saturating_add));
    values.push(PeakValue::gaps(gaps));
    PeakBreakdown::new(bytes, values)
}

/// Returns the values that are allocated for the entire run: inputs, and outputs that do not replace an input.
pub(crate) fn fixed_values(program: &Program) -> Vec<ValueId> {
    let inputs = program.inputs();
    let outputs = program.funcs[program.entry()].outputs.iter().filter(|output| output.replaces.is_none());
    let mut own: Vec<ValueId> = outputs.map(|output| output.value).filter(|value| !inputs.contains(value)).collect();
    own.sort_unstable();
    own.dedup();
    inputs.iter().copied().chain(own).collect()
}

/// Returns the peak memory of one device of each stage.
pub fn peak_of_stages(pipeline: &Pipeline) -> Vec<PeakBreakdown> {
    let stages = stage_memory::predict_stage_memory(pipeline, &stage_memory::task_needs(pipeline, Fusion::Products));
    stages.iter().enumerate().map(|(stage, memory)| peak_of_stage(pipeline, stage, memory)).collect()
}

/// Returns the inputs of a stage, and its outputs that have separate buffers.
pub(crate) fn fixed_stage_values(pipeline: &Pipeline, stage: usize, has_own_buffer: &[bool]) -> Vec<PeakValue> {
    let entry = |entry: &partita_ir::pipeline::StagePort, purpose: Purpose| {
        let ty = pipeline.chunks[entry.chunk].cells[entry.cell].local_type();
        PeakValue { name: entry.name.to_string(), purpose, bytes: ty.bytes(), ty: Some(ty), count: 1 }
    };
    let kind = |entry: &partita_ir::pipeline::StagePort| {
        let params = &pipeline.chunks[entry.chunk].program.params;
        params
            .values()
            .find(|param| param.path == entry.name.as_str())
            .map_or(Purpose::Data, |param| purpose_of_param(param.kind))
    };
    let mut values: Vec<PeakValue> = pipeline.inputs_of(stage).iter().map(|input| entry(input, kind(input))).collect();
    let outputs = pipeline.outputs_of(stage);
    let own = outputs.iter().zip(has_own_buffer).filter(|(_, has_own)| **has_own);
    values.extend(own.map(|(output, _)| entry(output, Purpose::Data)));
    values
}

fn peak_of_stage(pipeline: &Pipeline, stage: usize, memory: &StageMemory) -> PeakBreakdown {
    let cell = |chunk: usize, cell: usize| pipeline.chunks[chunk].cells[cell].local_type();
    let mut values = fixed_stage_values(pipeline, stage, &memory.has_own_buffer);
    for live in &memory.at_peak {
        values.push(match live.holder {
            BlockUser::Value(instance) => {
                let chunk = &pipeline.chunks[instance.chunk];
                let number = instance.cell % chunk.cells.len();
                let name = chunk.cells[number].name.to_string();
                let ty = Some(cell(instance.chunk, number));
                PeakValue {
                    name,
                    purpose: purpose_of_cell(pipeline, instance.chunk, number),
                    ty,
                    count: live.count,
                    bytes: live.bytes,
                }
            }
            BlockUser::Task { chunk, task } => {
                let name = match pipeline.chunks[chunk].tasks[task].moment {
                    TaskTime::Before => format!("work before the micro-batches in chunk {chunk}"),
                    TaskTime::Slot(work) => format!("{work} in chunk {chunk}"),
                    TaskTime::After(_) => format!("update in chunk {chunk}"),
                };
                PeakValue { name, purpose: Purpose::Temporaries, ty: None, count: 1, bytes: live.bytes }
            }
        });
    }
    let gaps = memory.peak.saturating_sub(values.iter().map(|value| value.bytes).sum());
    values.push(PeakValue::gaps(gaps));
    PeakBreakdown::new(memory.peak, values)
}

fn purpose_of_param(kind: ParamKind) -> Purpose {
    if kind == ParamKind::State { Purpose::Optimizer } else { Purpose::Weights }
}

/// Returns the purpose of a cell in the shared memory block of its stage.
pub(crate) fn purpose_of_cell(pipeline: &Pipeline, chunk: usize, cell: usize) -> Purpose {
    let owner = &pipeline.chunks[chunk];
    let produced = owner.tasks.iter().find(|task| task.output_cells.contains(&cell)).map(|task| task.moment);
    let received = || pipeline.transfers.iter().find(|transfer| transfer.to == (chunk, cell)).map(|t| t.after);
    match (owner.cells[cell].scope, produced.or_else(received)) {
        (CellScope::MicroBatch, _) => Purpose::Activations,
        (CellScope::Sum, _) | (CellScope::Step, Some(TaskTime::After(_) | TaskTime::Slot(_))) => Purpose::Gradients,
        (CellScope::Step, Some(TaskTime::Before) | None) => Purpose::Weights,
    }
}

/// Determines the purpose of each value of a program.
pub(crate) struct PurposeAnalysis<'p> {
    program: &'p Program,
    /// The op that defines each value, and the index of the result.
    definitions: FxHashMap<ValueId, (partita_ir::arena::OpId, usize)>,
    /// The loop op that each loop-body input belongs to, and the index of its operand.
    carried: FxHashMap<ValueId, (partita_ir::arena::OpId, usize)>,
}

/// Maximum number of times that the search for the definition of a value enters or leaves a loop.
const MAX_LOOP_BOUNDARIES: usize = 16;

impl<'p> PurposeAnalysis<'p> {
    pub(crate) fn new(program: &'p Program) -> PurposeAnalysis<'p> {
        let (mut definitions, mut carried) = (FxHashMap::default(), FxHashMap::default());
        for &op in program.funcs_with_layouts().iter().flat_map(|&func| program.funcs[func].ops()) {
            let op_data = &program.ops[op];
            definitions.extend(op_data.outs.iter().enumerate().map(|(number, &out)| (out, (op, number))));
            if let Some(control) = op_data.kind.control() {
                let Control::Loop(l) = control;
                let inputs = program.funcs[l.body].inputs.iter().enumerate();
                carried.extend(inputs.map(|(number, &input)| (input, (op, number))));
            }
        }
        PurposeAnalysis { program, definitions, carried }
    }

    /// Returns the purpose of a value. `depth` is the number of loop boundaries that the search for its definition has
    /// crossed.
    pub(crate) fn purpose_of(&self, value: ValueId, depth: usize) -> Purpose {
        if let Some(param) = self.program.param_of(value) {
            return purpose_of_param(self.program.params[param].kind);
        }
        if depth > MAX_LOOP_BOUNDARIES {
            return Purpose::Temporaries;
        }
        let result = |op, number: usize| {
            let Control::Loop(l) = self.program.ops[op].kind.control()?;
            self.program.funcs[l.body].outputs.get(number).map(|output| output.value)
        };
        if let Some(&(op, number)) = self.carried.get(&value) {
            // A loop-carried value that changes has the purpose of the body's result. An unchanged one has that of the
            // loop's operand.
            let source = result(op, number).filter(|&result| result != value);
            let source = source.or_else(|| self.program.ops[op].args.get(number).copied());
            return source.map_or(Purpose::Temporaries, |source| self.purpose_of(source, depth + 1));
        }
        let Some(&(op, number)) = self.definitions.get(&value) else { return Purpose::Data };
        if let Some(inner) = result(op, number) {
            return self.purpose_of(inner, depth + 1);
        }
        match self.program.ops[op].phase {
            Phase::Forward | Phase::Recompute | Phase::BackwardInput => Purpose::Activations,
            Phase::BackwardWeight => Purpose::Gradients,
            Phase::Update => Purpose::Temporaries,
        }
    }
}
