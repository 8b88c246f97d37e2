//! Takes one device's program of a chunk apart into tasks: small programs, between which values lie in cells.

use super::apart::{Apart, Levels};
use partita_ir::arena::{Arena, OpId, ParamId, ValueId};
use partita_ir::layout::Layout;
use partita_ir::mesh::Mesh;
use partita_ir::pipeline::{Cell, Chunk, Moment, Port, Scope, Task, When};
use partita_ir::program::{Func, Name, Output, Param, ParamKind, Program, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A chunk, and the cells of what it gives and gets.
pub(super) struct Taken {
    pub(super) chunk: Chunk,
    /// By seam that leaves: the cell, and behind what it is there.
    pub(super) leaves: FxHashMap<Name, (usize, Moment)>,
    /// By seam that enters: the cell.
    pub(super) enters: FxHashMap<Name, usize>,
}

/// What a task does before it is written: its ops, and what it makes again for itself.
#[derive(Default)]
struct Share {
    ops: Vec<OpId>,
    again: Vec<OpId>,
    /// What it takes from cells, in order.
    takes: Vec<ValueId>,
}

/// Takes a program apart, where seams behind the loop have those levels.
pub(super) fn take(apart: &Apart<'_>, of_seams: &Levels) -> Taken {
    let levels = apart.levels(of_seams);
    let mut shares: BTreeMap<Moment, Share> = BTreeMap::new();
    for id in apart.in_order().filter(|&id| apart.is_done(id)) {
        shares.entry(apart.moment(id, &levels)).or_default().ops.push(id);
    }
    for share in shares.values_mut() {
        share.read(apart);
    }
    let mut cells = Cells { apart, cells: Vec::new(), of: FxHashMap::default() };
    cells.of_loop();
    for share in shares.values() {
        share.takes.iter().for_each(|&value| cells.keep(value));
    }
    apart.program.outputs().iter().for_each(|o| cells.keep(o.value));
    let tasks = shares.iter().map(|(&moment, share)| write(apart, moment, share, &cells)).collect();
    let program = apart.program;
    let (mut leaves, mut enters) = (FxHashMap::default(), FxHashMap::default());
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for &input in program.inputs() {
        let cell = cells.of[&input];
        let seam = [When::Each, When::After].into_iter().find_map(|when| apart.entering(input, when));
        match seam {
            Some(seam) => {
                enters.insert(seam.name.clone(), cell);
            }
            None => inputs.push(Port { name: program.path_of(input).into(), cell }),
        }
    }
    for output in program.outputs() {
        let cell = cells.of[&apart.known(output.value)];
        match apart.leaving(&output.name) {
            Some(seam) => {
                let behind = match seam.when {
                    When::Before => Moment::Before,
                    When::Each => cells.made_in(output.value, &levels),
                    When::After => Moment::After(of_seams.get(&seam.name).copied().unwrap_or(0)),
                };
                leaves.insert(seam.name.clone(), (cell, behind));
            }
            None => outputs.push(Port { name: output.name.clone(), cell }),
        }
    }
    let mesh = program.mesh().map_or_else(|| Mesh::new::<&str>("one", []), |(_, mesh)| mesh.clone());
    let number = apart.body.inputs.first().and_then(|number| cells.of.get(number)).copied();
    let chunk = Chunk { program: program.clone(), mesh, cells: cells.cells, tasks, number, inputs, outputs };
    Taken { chunk, leaves, enters }
}

impl Share {
    /// Finds what is taken from cells and what is made again.
    fn read(&mut self, apart: &Apart<'_>) {
        let mut here: FxHashSet<ValueId> = self.ops.iter().flat_map(|&id| &apart.op(id).outs).copied().collect();
        let mut todo: Vec<ValueId> =
            self.ops.iter().rev().flat_map(|&id| apart.op(id).args.iter().rev()).copied().collect();
        while let Some(value) = todo.pop() {
            let value = apart.known(value);
            if !here.insert(value) {
                continue;
            }
            match apart.maker(value).filter(|_| apart.is_cheap(value)) {
                Some(maker) => {
                    self.again.push(maker);
                    here.extend(&apart.op(maker).outs);
                    todo.extend(apart.op(maker).args.iter().rev());
                }
                None => self.takes.push(value),
            }
        }
    }
}

/// The cells of a chunk, as they are found.
struct Cells<'a, 'p> {
    apart: &'a Apart<'p>,
    cells: Vec<Cell>,
    of: FxHashMap<ValueId, usize>,
}

impl Cells<'_, '_> {
    fn push(&mut self, like: ValueId, name: Name, layout: Option<Arc<Layout>>, scope: Scope) -> usize {
        let ty = self.apart.program.ty(like).clone();
        self.cells.push(Cell { name, ty, layout, scope });
        self.cells.len() - 1
    }

    /// Cells of what enters, of sums, and of what leaves for each micro-batch.
    fn of_loop(&mut self) {
        let (apart, program) = (self.apart, self.apart.program);
        for &input in program.inputs() {
            let is_each = apart.entering(input, When::Each).is_some();
            let scope = if is_each { Scope::MicroBatch } else { Scope::Step };
            let cell = self.push(input, program.path_of(input).into(), program.values[input].layout.clone(), scope);
            self.of.insert(input, cell);
            if is_each && let Some(position) = apart.args.iter().position(|&arg| arg == input) {
                self.of.insert(apart.body.inputs[position], cell);
            }
        }
        for (position, &out) in apart.outs.iter().enumerate() {
            let value = &program.values[out];
            let inner = apart.body.outputs[position].value;
            if position == 0 {
                let number = apart.body.inputs[0];
                let cell = self.push(number, "number".into(), None, Scope::MicroBatch);
                self.of.insert(number, cell);
            } else if apart.leaves_each(position) {
                if !self.of.contains_key(&inner) {
                    let cell =
                        self.push(out, program.values[inner].name.clone(), value.layout.clone(), Scope::MicroBatch);
                    self.of.insert(inner, cell);
                }
                self.of.insert(out, self.of[&inner]);
            } else if apart.sum(out).is_some() {
                let cell = self.push(out, value.name.clone(), value.layout.clone(), Scope::Sum);
                let all = apart.body.ops().iter().flat_map(|&id| &apart.op(id).outs).copied();
                let own: Vec<ValueId> = all.filter(|&v| apart.sum(v) == Some(position)).collect();
                self.of.extend(own.into_iter().chain([out, apart.body.inputs[position]]).map(|v| (v, cell)));
            }
        }
    }

    /// Makes sure that a value has a cell.
    fn keep(&mut self, value: ValueId) {
        let value = self.apart.known(value);
        if self.of.contains_key(&value) {
            return;
        }
        let scope = if self.apart.is_of_micro_batch(value) { Scope::MicroBatch } else { Scope::Step };
        let Value { name, layout, .. } = self.apart.program.values[value].clone();
        let cell = self.push(value, name, layout, scope);
        self.of.insert(value, cell);
    }

    /// The work that makes what leaves for each micro-batch.
    fn made_in(&self, out: ValueId, levels: &FxHashMap<OpId, usize>) -> Moment {
        let position = self.apart.outs.iter().position(|&o| o == out);
        let inner = position.map(|position| self.apart.body.outputs[position].value);
        let maker = inner.and_then(|inner| self.apart.maker(inner));
        maker.map_or(Moment::Before, |id| self.apart.moment(id, levels))
    }
}

/// Writes the program of a task.
fn write(apart: &Apart<'_>, moment: Moment, share: &Share, cells: &Cells<'_, '_>) -> Task {
    let mut program = apart.program.clone();
    let here: FxHashSet<OpId> = share.again.iter().chain(&share.ops).copied().collect();
    let body: Vec<OpId> = apart.in_order().filter(|id| here.contains(id)).collect();
    for &id in &body {
        program.ops[id].args.iter_mut().for_each(|arg| *arg = apart.known(*arg));
    }
    // Of a sum on the way only the last value is given.
    let mut given: Vec<(usize, ValueId)> = Vec::new();
    for &out in share.ops.iter().flat_map(|&id| &apart.op(id).outs) {
        if let Some(&cell) = cells.of.get(&out) {
            given.retain(|(of, _)| *of != cell);
            given.push((cell, out));
        }
    }
    let takes: Vec<usize> = share.takes.iter().map(|value| cells.of[value]).collect();
    let replaced: Vec<(ParamId, ParamId)> = keep_params(&mut program, apart, share, cells);
    let aliases: FxHashMap<ValueId, ParamId> = {
        let outputs = apart.program.outputs().iter();
        let kept = outputs.filter_map(|o| {
            let alias = o.alias?;
            Some((o.value, replaced.iter().find(|(old, _)| *old == alias)?.1))
        });
        kept.collect()
    };
    let sum_of =
        |cell: usize| program.params.iter().find(|(_, p)| cells.of.get(&p.value) == Some(&cell)).map(|(id, _)| id);
    let outputs = given.iter().map(|&(cell, value)| {
        let alias = aliases
            .get(&value)
            .copied()
            .or_else(|| if cells.cells[cell].scope == Scope::Sum { sum_of(cell) } else { None });
        Output { value, name: cells.cells[cell].name.clone(), alias }
    });
    let outputs: Vec<Output> = outputs.collect();
    let main = program.entry();
    program.funcs[main] = Func::new("main", share.takes.clone(), outputs, body);
    program.source = format!("{}, {}", program.source, name(moment)).into();
    Task { moment, program: program.compact(), takes, gives: given.into_iter().map(|(cell, _)| cell).collect() }
}

/// What messages call a moment.
fn name(moment: Moment) -> String {
    match moment {
        Moment::Before => "before".into(),
        Moment::Slot(work) => work.name().into(),
        Moment::After(level) => format!("update {level}"),
    }
}

/// Leaves the parameters that a task takes, and declares those sums as such that it adds to: old and new ids.
fn keep_params(
    program: &mut Program,
    apart: &Apart<'_>,
    share: &Share,
    cells: &Cells<'_, '_>,
) -> Vec<(ParamId, ParamId)> {
    let mut params: Arena<ParamId, Param> = Arena::default();
    let mut ids = Vec::new();
    for &value in &share.takes {
        program.values[value].donated = false;
        let cell = &cells.cells[cells.of[&value]];
        if let Some((id, param)) = apart.program.params.iter().find(|(_, param)| param.value == value) {
            ids.push((id, params.push(Param { of: None, ..param.clone() })));
        } else if cell.scope == Scope::Sum {
            let path = cell.name.to_string();
            params.push(Param { path, kind: ParamKind::State, value, of: None, init: None });
        }
    }
    program.params = params;
    ids
}
