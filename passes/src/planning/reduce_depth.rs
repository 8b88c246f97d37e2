//! Models with fewer layers: the repeated layers of a traced program are found and all but a few removed.
//!
//! The time and memory of a step are affine in the number of equal layers, so that a plan for a deep model can be
//! compared with others on a model of few layers. The reduced program is the one that the same model with fewer layers
//! would have: parameters of removed layers are removed, and the remaining layers are the first ones, with their names.
//!
//! The layers are found in the sequence of ops (`runs`), which are compared without their operands; ops and inputs
//! are assigned to repetitions (`align`), in training steps also those of the backward pass and the optimizer; and
//! the operands must correspond (`consistent`). Names are not used. The time is `O(n log n)` in the number of ops.

mod align;
mod consistent;
mod runs;
mod trace;

use align::{Alignment, Member, Template};
use consistent::Consistent;
use partita_ir::arena::{Arena, Id, OpId, ParamId, ValueId};
use partita_ir::plan::path::{Pattern, prefixes_with_numbers};
use partita_ir::program::{Form, Output, Param, ParamKind, Program, Value};
use runs::{Run, find_runs};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use trace::Trace;

/// Minimum number of repetitions: the first and the last one, which have other neighbours, and two in between.
pub(crate) const MIN_REPETITIONS: usize = 4;

/// Maximum number of runs of ops that are examined as the forward pass of the layers, largest first.
const MAX_MAIN_RUNS: usize = 4;

/// Maximum number of numbers in the path of a layer, such as two for `stages.1.blocks.3`.
const MAX_PATH_NUMBERS: usize = 4;

/// Traced program with fewer repetitions of its repeated layers.
#[derive(Clone, Debug)]
pub struct ReducedDepth {
    /// The program.
    pub program: Program,
    /// Number of repetitions in the full program.
    pub full: usize,
    /// Number of repetitions in the reduced program.
    pub kept: usize,
    /// Repetition of each op of the reduced program, by op id. `None` for an op outside of the repetitions.
    pub op_repetitions: Vec<Option<usize>>,
    /// Repetition of each parameter of the reduced program, by parameter id. `None` for a parameter outside of the
    /// repetitions.
    pub param_repetitions: Vec<Option<usize>>,
}

impl ReducedDepth {
    /// Returns, by op id, the number of ops of the full program that each op of the reduced program stands for, if the
    /// repetition `representative` also stands for the removed ones.
    pub fn op_multiplicities(&self, representative: usize) -> Vec<usize> {
        self.multiplicities(&self.op_repetitions, representative)
    }

    /// Returns, by parameter id, the number of parameters of the full program that each parameter of the reduced
    /// program stands for, if the repetition `representative` also stands for the removed ones.
    pub fn param_multiplicities(&self, representative: usize) -> Vec<usize> {
        self.multiplicities(&self.param_repetitions, representative)
    }

    fn multiplicities(&self, repetitions: &[Option<usize>], representative: usize) -> Vec<usize> {
        let count = |repetition: &Option<usize>| match *repetition == Some(representative) {
            true => 1 + self.full - self.kept,
            false => 1,
        };
        repetitions.iter().map(count).collect()
    }
}

/// Repeated layers of a program.
#[derive(Clone, Debug)]
pub struct RepeatedLayers {
    /// Number of repetitions.
    count: usize,
    /// Corresponding ops or inputs of all repetitions.
    templates: Vec<Vec<MemberId>>,
    /// Repetition of each op, by op id.
    op_repetitions: Vec<Option<usize>>,
    /// Template and repetition that define each value, by value id, and the index of the value among the results.
    definitions: Vec<Option<MemberValue>>,
    /// Repetition of each output.
    output_repetitions: Vec<Option<usize>>,
    /// Values that cross from each repetition to the next, or back.
    boundaries: Vec<Vec<ValueId>>,
}

/// An op or input of one repetition.
#[derive(Clone, Copy, Debug)]
enum MemberId {
    Op(OpId),
    Input(ValueId),
}

/// Place of a value in the repetitions.
#[derive(Clone, Copy, Debug)]
struct MemberValue {
    template: usize,
    repetition: usize,
    result: usize,
}

impl RepeatedLayers {
    /// Finds the repeated layers of a traced program: a forward model or a training step. Of several groups of layers,
    /// the one with the most ops is returned. `None` if there are fewer than four repetitions, and for programs that
    /// cannot be reduced because ops outside of the layers read values of layers other than the first and the last.
    pub fn find(program: &Program) -> Option<RepeatedLayers> {
        if program.form != Form::Traced {
            return None;
        }
        let trace = Trace::new(program);
        let runs = find_runs(&trace.symbols);
        let mut largest: Vec<&Run> = runs.iter().collect();
        largest.sort_by_key(|run| (std::cmp::Reverse(run.covered()), run.period, run.start));
        let mut found: Option<RepeatedLayers> = None;
        for main in largest.into_iter().take(MAX_MAIN_RUNS) {
            // Another run of layers that are found already.
            let is_found = |position: usize| found.as_ref()?.op_repetition(trace.ops[position]);
            if is_found(main.start + main.period).is_some() {
                continue;
            }
            let alignment = Alignment::new(&trace, main, &runs);
            let Some(consistent) = Consistent::find(&trace, &alignment) else { continue };
            let layers = RepeatedLayers::new(&trace, &alignment, &consistent);
            if found.as_ref().is_none_or(|found| found.op_count() < layers.op_count()) {
                found = Some(layers);
            }
        }
        found
    }

    fn new(trace: &Trace<'_>, alignment: &Alignment<'_>, consistent: &Consistent<'_>) -> RepeatedLayers {
        let (program, range) = (trace.program, &consistent.range);
        let in_range = |repetition: Option<usize>| Some(repetition.filter(|r| range.contains(r))? - range.start);
        let members = |template: &Template| -> Option<Vec<MemberId>> {
            let member = |member: &Option<Member>| match (*member)? {
                Member::Op(position) => Some(MemberId::Op(trace.ops[position])),
                Member::Input(value) => Some(MemberId::Input(value)),
            };
            template[range.clone()].iter().map(member).collect()
        };
        // A template without members in the range stays as an empty list, so that the indices remain valid.
        let templates = alignment.templates.iter().map(|template| members(template).unwrap_or_default()).collect();
        let mut op_repetitions = vec![None; program.ops.len()];
        for (position, &op) in trace.ops.iter().enumerate() {
            op_repetitions[op.index()] = in_range(alignment.op_slot(position).map(|slot| slot.repetition));
        }
        let place = |value: ValueId| {
            let (slot, result) = consistent.slot(value)?;
            Some(MemberValue { template: slot.template, repetition: slot.repetition - range.start, result })
        };
        let mut layers = RepeatedLayers {
            count: range.len(),
            templates,
            op_repetitions,
            definitions: program.values.ids().map(place).collect(),
            output_repetitions: consistent.output_repetitions().into_iter().map(in_range).collect(),
            boundaries: Vec::new(),
        };
        layers.boundaries = layers.find_boundaries(trace);
        layers
    }

    /// Returns the number of repetitions.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the values of repetition `repetition` that the next one reads, and in training steps also the values of
    /// the next one that this one reads. Empty for the last repetition.
    pub fn boundary(&self, repetition: usize) -> &[ValueId] {
        self.boundaries.get(repetition).map_or(&[], Vec::as_slice)
    }

    /// Returns the corresponding ops of all repetitions, one list for each op of a repetition.
    pub fn counterpart_ops(&self) -> impl Iterator<Item = Vec<OpId>> {
        let op = |member: &MemberId| match member {
            MemberId::Op(op) => Some(*op),
            MemberId::Input(_) => None,
        };
        self.templates.iter().filter_map(move |members| members.iter().map(op).collect())
    }

    /// Returns the path of each repetition, such as `blocks.3`: the prefix of its parameters that ends in a number.
    /// `None` if the parameters of a repetition have no such prefix in common, or several repetitions have the same.
    pub fn paths(&self, program: &Program) -> Option<Vec<String>> {
        (0..MAX_PATH_NUMBERS).find_map(|numbers| {
            let mut paths: Vec<Option<&str>> = vec![None; self.count];
            for param in program.params.values().filter(|param| param.kind != ParamKind::State) {
                let Some(repetition) = self.value_repetition(param.value) else { continue };
                let path = prefixes_with_numbers(&param.path).nth(numbers)?;
                if *paths[repetition].get_or_insert(path) != path {
                    return None;
                }
            }
            let paths: Vec<&str> = paths.into_iter().collect::<Option<_>>()?;
            let is_distinct = paths.iter().collect::<BTreeSet<_>>().len() == self.count;
            is_distinct.then(|| paths.into_iter().map(str::to_owned).collect())
        })
    }

    /// Returns the repetition of an op. `None` for an op outside of the repetitions.
    pub fn op_repetition(&self, op: OpId) -> Option<usize> {
        *self.op_repetitions.get(op.index())?
    }

    /// Returns the repetition that defines a value or alone reads an input. `None` for other values.
    pub fn value_repetition(&self, value: ValueId) -> Option<usize> {
        Some(self.place(value)?.repetition)
    }

    /// Returns the value that corresponds to `value` in another repetition. Values outside of the repetitions
    /// correspond to themselves. `None` if there is no such repetition.
    pub fn counterpart(&self, program: &Program, value: ValueId, repetition: usize) -> Option<ValueId> {
        match self.place(value) {
            Some(place) => self.value_at(program, MemberValue { repetition, ..place }),
            None => Some(value),
        }
    }

    /// Returns true if a path or glob of a plan means the same for all layers: it matches a parameter or input in all
    /// repetitions or in none of them. Only plans of such paths are the same for the reduced and for the full program.
    pub fn is_uniform(&self, program: &Program, path: &str) -> bool {
        let pattern = Pattern::new(path);
        if pattern.is_of_values() {
            let named = |value: &Value| pattern.matches_value(&value.name);
            return program.values.iter().filter(|(_, value)| named(value)).all(|(value, _)| {
                let others = (0..self.count).map(|layer| self.counterpart(program, value, layer));
                others.into_iter().all(|other| other.is_some_and(|other| named(&program.values[other])))
            });
        }
        let paths: FxHashMap<ValueId, &str> = program.params.values().map(|p| (p.value, p.path.as_str())).collect();
        let path_of = |value: ValueId| paths.get(&value).copied().unwrap_or(&program.values[value].name);
        self.templates.iter().all(|template| {
            let is_match = |member: &&MemberId| match member {
                MemberId::Op(_) => false,
                MemberId::Input(value) => pattern.matches(path_of(*value)),
            };
            let matches = template.iter().filter(is_match).count();
            matches == 0 || matches == self.count
        })
    }

    /// Returns the program with the first `kept` repetitions, at least one. `program` must be the analysed one.
    pub fn reduced(&self, program: &Program, kept: usize) -> ReducedDepth {
        let kept = kept.clamp(1, self.count);
        let mut reduced = program.clone();
        let is_retained = |repetition: &Option<usize>| repetition.is_none_or(|repetition| repetition < kept);
        // entry only: repetitions are parts of the entry function
        let ops = program.entry_ops().map(|at| at.id);
        let ops: Vec<OpId> = ops.filter(|op| is_retained(&self.op_repetitions[op.index()])).collect();
        for &op in &ops {
            for operand in 0..program.ops[op].args.len() {
                reduced.ops[op].args[operand] = self.operand(program, op, operand, kept);
            }
        }
        // entry only: repetitions are parts of the entry function
        *reduced.entry_ops_mut() = ops;
        reduced.inputs_mut().retain(|&input| is_retained(&self.value_repetition(input)));
        let params = self.retained_params(program, kept);
        let outputs = program.outputs().iter().zip(&self.output_repetitions);
        let outputs: Vec<Output> = outputs
            .filter(|(_, repetition)| is_retained(repetition))
            .map(|(output, _)| Output {
                value: self.last_retained(program, output.value, kept),
                name: output.name.clone(),
                replaces: output.replaces.map(|input| self.last_retained(program, input, kept)),
            })
            .collect();
        *reduced.outputs_mut() = outputs;
        reduced.params = params;
        let param_repetitions = reduced.params.values().map(|param| self.value_repetition(param.value)).collect();
        let compact = reduced.compact();
        let mut op_repetitions = vec![None; compact.ops.len()];
        // entry only: repetitions are parts of the entry function, whose ops keep their order
        for (old, new) in reduced.entry_ops().zip(compact.entry_ops()) {
            op_repetitions[new.id.index()] = self.op_repetitions[old.id.index()];
        }
        ReducedDepth { program: compact, full: self.count, kept, op_repetitions, param_repetitions }
    }

    /// Returns the number of ops in all repetitions.
    fn op_count(&self) -> usize {
        self.op_repetitions.iter().flatten().count()
    }

    fn place(&self, value: ValueId) -> Option<MemberValue> {
        *self.definitions.get(value.index())?
    }

    fn value_at(&self, program: &Program, place: MemberValue) -> Option<ValueId> {
        match self.templates.get(place.template)?.get(place.repetition)? {
            MemberId::Op(op) => program.ops[*op].outs.get(place.result).copied(),
            MemberId::Input(value) => Some(*value),
        }
    }

    /// Returns `value`, or for a value of a removed repetition the corresponding one of the last retained repetition.
    fn last_retained(&self, program: &Program, value: ValueId, kept: usize) -> ValueId {
        match self.value_repetition(value) {
            Some(repetition) if repetition >= kept => self.counterpart(program, value, kept - 1).unwrap_or(value),
            Some(_) | None => value,
        }
    }

    fn last_retained_param(&self, program: &Program, param: ParamId, kept: usize) -> ParamId {
        let value = self.last_retained(program, program.params[param].value, kept);
        if value == program.params[param].value { param } else { program.param_of(value).unwrap_or(param) }
    }

    /// Returns an operand of a retained op in the reduced program.
    fn operand(&self, program: &Program, op: OpId, operand: usize, kept: usize) -> ValueId {
        let value = program.ops[op].args[operand];
        let (Some(reader), Some(place)) = (self.reader(program, op), self.place(value)) else {
            return self.last_retained(program, value, kept);
        };
        if place.repetition < kept {
            return value;
        }
        // The last retained repetitions read what the last ones of the full program read.
        let last = self.templates[reader.template].get(self.count - kept + reader.repetition);
        match last {
            Some(MemberId::Op(last)) => match program.ops[*last].args[operand] {
                // A value of the last repetition that all of them read.
                shared if shared == value => self.last_retained(program, value, kept),
                outside => outside,
            },
            Some(MemberId::Input(_)) | None => value,
        }
    }

    /// Returns the place of an op in the repetitions.
    fn reader(&self, program: &Program, op: OpId) -> Option<MemberValue> {
        self.place(*program.ops[op].outs.first()?)
    }

    /// Returns the parameters of the reduced program.
    fn retained_params(&self, program: &Program, kept: usize) -> Arena<ParamId, Param> {
        let (mut params, mut new_ids) = (Arena::default(), vec![None; program.params.len()]);
        for (id, param) in program.params.iter() {
            if self.value_repetition(param.value).is_none_or(|repetition| repetition < kept) {
                let parent =
                    param.parent.and_then(|parent| new_ids[self.last_retained_param(program, parent, kept).index()]);
                new_ids[id.index()] = Some(params.push(Param { parent, ..param.clone() }));
            }
        }
        params
    }

    fn find_boundaries(&self, trace: &Trace<'_>) -> Vec<Vec<ValueId>> {
        let mut boundaries = vec![Vec::new(); self.count - 1];
        for &op in trace.ops {
            let Some(reader) = self.op_repetitions[op.index()] else { continue };
            for &arg in &trace.program.ops[op].args {
                match self.value_repetition(arg) {
                    Some(defined) if defined.abs_diff(reader) == 1 => {
                        let boundary: &mut Vec<ValueId> = &mut boundaries[defined.min(reader)];
                        if !boundary.contains(&arg) {
                            boundary.push(arg);
                        }
                    }
                    Some(_) | None => {}
                }
            }
        }
        boundaries
    }
}
