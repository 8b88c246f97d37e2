//! What a device holds when it holds most, by what it is for: parameters, gradients, the optimizer's state,
//! activations.
//!
//! The shares add up to the peak. Of one program it is that of live ranges ([`peak`]), of stages what is allocated for
//! them ([`stage_memory`]).

use super::memory::{held, peak};
use super::stage_memory::{self, Held};
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::class::Control;
use partita_ir::dtype::{DType, Type};
use partita_ir::pipeline::memory::Holder;
use partita_ir::pipeline::{Moment, Pipeline, Scope};
use partita_ir::program::{ParamKind, Phase, Program};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// What memory is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Use {
    /// Parameters, and narrow copies of them.
    Weights,
    /// Gradients of parameters.
    Gradients,
    /// State of the optimizer.
    Optimizer,
    /// Values of the forward part, and gradients of these.
    Activations,
    /// The batch, and outputs that replace nothing.
    Data,
    /// What a part of the step needs while it runs.
    Temporaries,
    /// What lies between values that come and go.
    Gaps,
}

impl Use {
    /// What messages call it.
    pub const fn name(self) -> &'static str {
        match self {
            Use::Weights => "weights",
            Use::Gradients => "gradients",
            Use::Optimizer => "optimizer",
            Use::Activations => "activations",
            Use::Data => "data",
            Use::Temporaries => "temporaries",
            Use::Gaps => "gaps",
        }
    }
}

/// A value that is held, or several that are alike but for their micro-batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Large {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub of: Use,
    /// What one device holds of one of them; `None` for what is no value.
    pub ty: Option<Type>,
    /// How many there are.
    pub count: u64,
    /// Bytes of all of them.
    pub bytes: u64,
}

/// A device at its fullest.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Fullest {
    /// All that it holds.
    pub bytes: u64,
    /// What it holds, the largest first.
    pub values: Vec<Large>,
}

impl Fullest {
    fn new(bytes: u64, mut values: Vec<Large>) -> Fullest {
        values.retain(|value| value.bytes > 0);
        values.sort_by_key(|value| Reverse(value.bytes));
        Fullest { bytes, values }
    }

    /// Bytes by what they are for, each with its elements and their types.
    pub fn shares(&self) -> Vec<Share> {
        let mut shares: IndexMap<Use, Share> = IndexMap::new();
        for value in &self.values {
            let none = Share { of: value.of, bytes: 0, elements: 0, dtypes: Vec::new() };
            let share = shares.entry(value.of).or_insert(none);
            share.bytes += value.bytes;
            if let Some(ty) = &value.ty {
                share.elements += value.count * ty.shape.count() as u64;
                if !share.dtypes.contains(&ty.dtype) {
                    share.dtypes.push(ty.dtype);
                }
            }
        }
        shares.sort_unstable_keys();
        shares.into_values().collect()
    }
}

/// What a device holds for one purpose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Share {
    /// What for.
    pub of: Use,
    /// Bytes.
    pub bytes: u64,
    /// Elements of values, and their types: that of the largest first.
    pub elements: u64,
    /// Types of the elements.
    pub dtypes: Vec<DType>,
}

/// One device of a program in form local.
pub fn of_program(program: &Program) -> Fullest {
    let peak = peak(program);
    let uses = Uses::of(program);
    let large = |&value: &ValueId| Large {
        name: program.param_of(value).map_or(&program.values[value].name[..], |p| &program.params[p].path).to_owned(),
        of: uses.of_value(value, 0),
        ty: Some(program.values[value].local_type()),
        count: 1,
        bytes: held(program, value),
    };
    Fullest::new(peak.bytes, peak.values.iter().map(large).collect())
}

/// One device of each stage.
pub fn of_stages(pipeline: &Pipeline) -> Vec<Fullest> {
    let held = stage_memory::held(pipeline, &stage_memory::needs(pipeline));
    held.iter().enumerate().map(|(stage, held)| of_stage(pipeline, stage, held)).collect()
}

fn of_stage(pipeline: &Pipeline, stage: usize, held: &Held) -> Fullest {
    let cell = |chunk: usize, cell: usize| pipeline.chunks[chunk].cells[cell].local_type();
    let entry = |entry: &partita_ir::pipeline::Entry, of: Use| {
        let ty = cell(entry.chunk, entry.cell);
        Large { name: entry.name.to_string(), of, bytes: ty.bytes(), ty: Some(ty), count: 1 }
    };
    let kind = |entry: &partita_ir::pipeline::Entry| {
        let params = &pipeline.chunks[entry.chunk].program.params;
        params.values().find(|param| param.path == entry.name.as_str()).map_or(Use::Data, |param| of_param(param.kind))
    };
    let mut values: Vec<Large> = pipeline.inputs_of(stage).iter().map(|input| entry(input, kind(input))).collect();
    values.extend(
        pipeline.outputs_of(stage).iter().zip(&held.own).filter(|(_, own)| **own).map(|(o, _)| entry(o, Use::Data)),
    );
    for living in &held.fullest {
        values.push(match living.holder {
            Holder::Value(instance) => {
                let of = &pipeline.chunks[instance.chunk];
                let number = instance.cell % of.cells.len();
                let name = of.cells[number].name.to_string();
                let ty = Some(cell(instance.chunk, number));
                Large {
                    name,
                    of: of_cell(pipeline, instance.chunk, number),
                    ty,
                    count: living.count,
                    bytes: living.bytes,
                }
            }
            Holder::Task { chunk, task } => {
                let name = match pipeline.chunks[chunk].tasks[task].moment {
                    Moment::Before => format!("what comes before the micro-batches in chunk {chunk}"),
                    Moment::Slot(work) => format!("{work} in chunk {chunk}"),
                    Moment::After(_) => format!("update in chunk {chunk}"),
                };
                Large { name, of: Use::Temporaries, ty: None, count: 1, bytes: living.bytes }
            }
        });
    }
    let gaps = held.peak.saturating_sub(values.iter().map(|value| value.bytes).sum());
    values.push(Large { name: "between values".to_owned(), of: Use::Gaps, ty: None, count: 1, bytes: gaps });
    Fullest::new(held.peak, values)
}

fn of_param(kind: ParamKind) -> Use {
    if kind == ParamKind::State { Use::Optimizer } else { Use::Weights }
}

/// What a cell of the block is for.
fn of_cell(pipeline: &Pipeline, chunk: usize, cell: usize) -> Use {
    let of = &pipeline.chunks[chunk];
    let given = of.tasks.iter().find(|task| task.gives.contains(&cell)).map(|task| task.moment);
    let sent = || pipeline.transfers.iter().find(|transfer| transfer.to == (chunk, cell)).map(|t| t.behind);
    match (of.cells[cell].scope, given.or_else(sent)) {
        (Scope::MicroBatch, _) => Use::Activations,
        (Scope::Sum, _) | (Scope::Step, Some(Moment::After(_) | Moment::Slot(_))) => Use::Gradients,
        (Scope::Step, Some(Moment::Before) | None) => Use::Weights,
    }
}

/// Finds out what values of a program are for.
struct Uses<'p> {
    program: &'p Program,
    /// By value, the op that gives it, and as which result.
    makers: FxHashMap<ValueId, (partita_ir::arena::OpId, usize)>,
    /// By input of a loop's body, that loop, and as which operand.
    carried: FxHashMap<ValueId, (partita_ir::arena::OpId, usize)>,
}

/// Loops within loops are looked into so far.
const DEEPEST: usize = 16;

impl<'p> Uses<'p> {
    fn of(program: &'p Program) -> Uses<'p> {
        let (mut makers, mut carried) = (FxHashMap::default(), FxHashMap::default());
        for &op in program.laid_out_funcs().iter().flat_map(|&func| program.funcs[func].ops()) {
            let of = &program.ops[op];
            makers.extend(of.outs.iter().enumerate().map(|(number, &out)| (out, (op, number))));
            if let Some(control) = of.kind.control() {
                let Control::Loop(l) = control;
                let inputs = program.funcs[l.body].inputs.iter().enumerate();
                carried.extend(inputs.map(|(number, &input)| (input, (op, number))));
            }
        }
        Uses { program, makers, carried }
    }

    fn of_value(&self, value: ValueId, depth: usize) -> Use {
        if let Some(param) = self.program.param_of(value) {
            return of_param(self.program.params[param].kind);
        }
        if depth > DEEPEST {
            return Use::Temporaries;
        }
        let result = |op, number: usize| {
            let Control::Loop(l) = self.program.ops[op].kind.control()?;
            self.program.funcs[l.body].outputs.get(number).map(|output| output.value)
        };
        if let Some(&(op, number)) = self.carried.get(&value) {
            // What each turn gives anew is what its ops make of it; what it only hands on is what the loop was given.
            let given = result(op, number).filter(|&given| given != value);
            let given = given.or_else(|| self.program.ops[op].args.get(number).copied());
            return given.map_or(Use::Temporaries, |given| self.of_value(given, depth + 1));
        }
        let Some(&(op, number)) = self.makers.get(&value) else { return Use::Data };
        if let Some(inner) = result(op, number) {
            return self.of_value(inner, depth + 1);
        }
        match self.program.ops[op].phase {
            Phase::Forward | Phase::Recompute | Phase::BackwardInput => Use::Activations,
            Phase::BackwardWeight => Use::Gradients,
            Phase::Update => Use::Temporaries,
        }
    }
}
