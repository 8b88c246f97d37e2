//! Copies of parts of a program.

use super::{Func, Op, Output, Program};
use crate::arena::{Arena, FuncId, Id, OpId, ValueId};

/// Copies values, ops and functions of a program to another one, each once and when it is first requested.
pub struct ProgramCopy<'a> {
    source: &'a Program,
    /// For each value of the source, its copy.
    values: Vec<Option<ValueId>>,
    /// For each function of the source, its copy.
    funcs: Vec<Option<FuncId>>,
}

impl<'a> ProgramCopy<'a> {
    /// Creates a copy of nothing.
    pub fn new(source: &'a Program) -> ProgramCopy<'a> {
        ProgramCopy { source, values: vec![None; source.values.len()], funcs: vec![None; source.funcs.len()] }
    }

    /// Returns a program with the form, name and meshes of the source, without functions.
    pub fn empty_program(&self) -> Program {
        Program {
            form: self.source.form,
            source: self.source.source.clone(),
            has_no_params: self.source.has_no_params,
            is_forward: self.source.is_forward,
            is_normalised: self.source.is_normalised,
            meshes: self.source.meshes.clone(),
            funcs: Arena::default(),
            ..Program::default()
        }
    }

    /// Returns the copy of a value, if it has been copied.
    pub fn copied(&self, value: ValueId) -> Option<ValueId> {
        self.values.get(value.index()).copied().flatten()
    }

    /// Returns the values that have been copied, each with its copy.
    pub fn copied_values(&self) -> impl Iterator<Item = (ValueId, ValueId)> {
        self.values.iter().enumerate().filter_map(|(old, copy)| Some((ValueId::from_index(old), (*copy)?)))
    }

    /// Returns the copy of a value.
    pub fn value(&mut self, program: &mut Program, value: ValueId) -> ValueId {
        if let Some(copy) = self.copied(value) {
            return copy;
        }
        let copy = program.values.push(self.source.values[value].clone());
        self.values[value.index()] = Some(copy);
        copy
    }

    /// Copies an op, with the functions that it calls.
    pub fn op(&mut self, program: &mut Program, op: OpId) -> OpId {
        if let Some(callee) = self.source.ops[op].kind.func() {
            self.func(program, callee);
        }
        self.op_without_callees(program, op)
    }

    /// Returns the copy of a function.
    pub fn func(&mut self, program: &mut Program, func: FuncId) -> FuncId {
        if let Some(copy) = self.funcs[func.index()] {
            return copy;
        }
        for callee in self.source.callees_first_from(func) {
            if self.funcs[callee.index()].is_some() {
                continue;
            }
            let Func { name, inputs, outputs, body } = &self.source.funcs[callee];
            let inputs = inputs.iter().map(|&value| self.value(program, value)).collect();
            let body = body.iter().map(|&op| self.op_without_callees(program, op)).collect();
            let output = |output: &Output| Output {
                value: self.value(program, output.value),
                name: output.name.clone(),
                replaces: output.replaces.and_then(|input| self.copied(input)),
            };
            let outputs = outputs.iter().map(output).collect();
            let copy = program.funcs.push(Func { name: name.clone(), inputs, outputs, body });
            self.funcs[callee.index()] = Some(copy);
        }
        self.funcs[func.index()].unwrap_or(func)
    }

    /// Copies an op whose callees have been copied.
    fn op_without_callees(&mut self, program: &mut Program, op: OpId) -> OpId {
        let op = &self.source.ops[op];
        let args = op.args.iter().map(|&value| self.value(program, value)).collect();
        let outs = op.outs.iter().map(|&value| self.value(program, value)).collect();
        let mut kind = op.kind.clone();
        if let Some(callee) = kind.func_mut()
            && let Some(copy) = self.funcs[callee.index()]
        {
            *callee = copy;
        }
        program.ops.push(Op { kind, args, outs, phase: op.phase, origin: op.origin.clone() })
    }
}
