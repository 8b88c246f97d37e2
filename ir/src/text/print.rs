//! Printer: formats a program as text that parses to the program's [`Program::compact`] form.
//!
//! Functions are printed before those that refer to them, and the main function is not indented. Names of outputs are
//! printed if they differ from the value's name, and the devices of a mesh if they are not `0..n`. Invalid programs are
//! printed as well, for debugging; their text need not parse.

use super::types::write_type;
use crate::arena::{FuncId, Id, MeshId, ParamId, ValueId};
use crate::mesh::DeviceMesh;
use crate::origin::Origin;
use crate::program::op::OpKind;
use crate::program::ops::DotGeneral;
use crate::program::{Op, Output, Phase, Program};
use crate::syntax::attr::AttrNames;
use crate::syntax::lex::{is_name_byte, quote};
use std::fmt::Write;

/// Formats a program.
pub fn print(program: &Program) -> String {
    Printer { program, out: String::new(), params: params_of(program), origins: false }.print()
}

/// Formats a program, with the origin of every op in a comment after it.
pub fn print_with_origins(program: &Program) -> String {
    Printer { program, out: String::new(), params: params_of(program), origins: true }.print()
}

/// Formats one op as in program text, without indentation.
pub fn print_op(program: &Program, op: &Op) -> String {
    let mut printer = Printer { program, out: String::new(), params: Vec::new(), origins: false };
    printer.op(op);
    printer.out.trim().to_string()
}

/// Returns the parameter of each value.
fn params_of(program: &Program) -> Vec<Option<ParamId>> {
    let mut params = vec![None; program.values.len()];
    for (id, param) in program.params.iter() {
        if let Some(slot) = params.get_mut(param.value.index()) {
            *slot = Some(id);
        }
    }
    params
}

struct Printer<'a> {
    program: &'a Program,
    out: String,
    params: Vec<Option<ParamId>>,
    origins: bool,
}

impl Printer<'_> {
    fn print(mut self) -> String {
        let program = self.program;
        let forward = if program.is_forward { " forward" } else { "" };
        let _ = writeln!(self.out, "form {}{forward}", program.form.name());
        for mesh in program.meshes.values() {
            self.mesh(mesh);
        }
        if program.has_no_params && program.params.is_empty() {
            self.out.push_str("param none\n");
        }
        for id in program.callees_first() {
            if id != program.main {
                self.func(id);
            }
        }
        self.main();
        self.out
    }

    fn mesh(&mut self, mesh: &DeviceMesh) {
        let axes: Vec<String> = mesh.axes.iter().map(|a| format!("{}={}", a.name, a.size)).collect();
        let _ = write!(self.out, "mesh @{} = [{}]", mesh.name, axes.join(", "));
        let first = mesh.devices.first().copied().unwrap_or(0);
        let run = mesh.devices.iter().zip(first..).all(|(&d, n)| d == n);
        if run && (first > 0 || mesh.devices.len() != mesh.device_count()) {
            let _ = write!(self.out, " on {first}..{}", first as usize + mesh.devices.len());
        } else if !run {
            let _ = write!(self.out, " on {:?}", mesh.devices);
        }
        self.out.push('\n');
    }

    fn func(&mut self, id: FuncId) {
        let func = &self.program.funcs[id];
        let _ = write!(self.out, "func @{}(", func.name);
        for (i, &input) in func.inputs.iter().enumerate() {
            self.separate(i);
            self.name(input);
            self.ty(input);
        }
        self.out.push_str(") {\n");
        self.body(id);
        self.out.push_str("  return");
        for (i, output) in func.outputs.iter().enumerate() {
            self.out.push_str(if i == 0 { " " } else { ", " });
            self.output(output);
        }
        self.out.push_str("\n}\n");
    }

    fn main(&mut self) {
        let main = self.program.main();
        for &input in &main.inputs {
            match self.params.get(input.index()).copied().flatten() {
                Some(param) => self.param(param),
                None => {
                    self.out.push_str("input ");
                    self.name(input);
                    self.out.push_str(if self.program.values[input].donated { " donated " } else { " " });
                    self.ty(input);
                }
            }
            self.out.push('\n');
        }
        self.body(self.program.main);
        for output in &main.outputs {
            self.out.push_str("output ");
            self.output(output);
            self.out.push('\n');
        }
        if main.outputs.is_empty() && !main.body.is_empty() {
            self.out.push_str("output\n");
        }
    }

    fn param(&mut self, id: ParamId) {
        let param = &self.program.params[id];
        self.out.push_str("param ");
        self.name(param.value);
        self.out.push(' ');
        quote(&param.path, &mut self.out);
        if !param.kind.name().is_empty() {
            let _ = write!(self.out, " {}", param.kind.name());
        }
        if let Some(of) = param.parent.and_then(|of| self.program.params.get(of)) {
            self.out.push_str(" of ");
            quote(&of.path, &mut self.out);
        }
        if let Some(init) = param.init {
            let _ = write!(self.out, " starts {init}");
        }
        self.out.push(' ');
        self.ty(param.value);
    }

    fn output(&mut self, output: &Output) {
        self.name(output.value);
        if self.program.values.get(output.value).is_none_or(|v| v.name != output.name) {
            self.out.push(' ');
            quote(&output.name, &mut self.out);
        }
        if let Some(input) = output.replaces {
            self.out.push_str(" -> ");
            match self.program.params.values().find(|param| param.value == input) {
                Some(param) => quote(&param.path, &mut self.out),
                None => self.name(input),
            }
        }
    }

    fn body(&mut self, id: FuncId) {
        for &op in &self.program.funcs[id].body {
            match self.program.ops.get(op) {
                Some(op) => self.op(op),
                None => self.out.push_str("  ?\n"),
            }
        }
    }

    fn op(&mut self, op: &Op) {
        self.out.push_str("  ");
        for (i, &value) in op.outs.iter().enumerate() {
            self.separate(i);
            self.name(value);
        }
        self.out.push_str(" = ");
        self.kind(op);
        for (i, &value) in op.args.iter().enumerate() {
            self.out.push_str(if i == 0 { " " } else { ", " });
            self.name(value);
        }
        for (i, &value) in op.outs.iter().enumerate() {
            if i == 0 {
                self.out.push(' ');
                self.ty(value);
            } else {
                self.out.push_str(", ");
                self.bare_type(value);
            }
        }
        if op.phase != Phase::default() {
            let _ = write!(self.out, " phase {}", op.phase.name());
        }
        if self.origins {
            write_origin(self.program, &op.origin, &mut self.out);
        }
        self.out.push('\n');
    }

    fn kind(&mut self, op: &Op) {
        if is_matmul(self.program, op) {
            self.out.push_str("matmul");
            return;
        }
        self.out.push_str(op.kind.text_name());
        let mesh = mesh_of(self.program, op);
        if op.kind.names_axes()
            && mesh.index() > 0
            && let Some(mesh) = self.program.meshes.get(mesh)
        {
            let _ = write!(self.out, " on @{}", mesh.name);
        }
        let func = |id: FuncId| self.program.funcs.get(id).map_or_else(|| "?".to_string(), |f| f.name.to_string());
        let names = AttrNames { mesh: self.program.meshes.get(mesh), func: &func, find_func: &|_| None };
        op.kind.write(&mut self.out, &names);
    }

    fn separate(&mut self, i: usize) {
        if i > 0 {
            self.out.push_str(", ");
        }
    }

    fn name(&mut self, id: ValueId) {
        let name = self.program.values.get(id).map_or("?", |value| &value.name);
        let quote = if name.bytes().all(is_name_byte) { "" } else { "\"" };
        let _ = write!(self.out, "%{quote}{name}{quote}");
    }

    fn ty(&mut self, id: ValueId) {
        self.out.push_str(": ");
        self.bare_type(id);
    }

    fn bare_type(&mut self, id: ValueId) {
        if let Some(value) = self.program.values.get(id) {
            write_type(value, self.program, &mut self.out);
        }
    }
}

/// Returns true if the op can be printed as `matmul`.
///
/// Recogniser: other ops are printed with all attributes.
fn is_matmul(program: &Program, op: &Op) -> bool {
    let (OpKind::DotGeneral(dot), [lhs, rhs]) = (&op.kind, &op.args[..]) else { return false };
    let rank = |&v: &ValueId| program.values.get(v).map(|v| v.ty.shape.rank());
    let (Some(lhs), Some(rhs)) = (rank(lhs), rank(rhs)) else { return false };
    DotGeneral::matmul(lhs, rhs).as_ref() == Some(dot)
}

/// Returns the mesh whose axes an op's attributes refer to: that of the first result or operand with a layout,
/// otherwise the first mesh.
fn mesh_of(program: &Program, op: &Op) -> MeshId {
    let layouts = op.outs.iter().chain(&op.args).filter_map(|&v| program.values.get(v)?.layout.as_ref());
    layouts.map(|l| l.mesh).next().unwrap_or(MeshId::from_index(0))
}

fn write_origin(program: &Program, origin: &Origin, out: &mut String) {
    let place = program.source_line(origin).map(|(file, line)| format!("{file}:{line}"));
    let scope = (!origin.scope.is_empty()).then(|| origin.scope.to_string());
    let cause = origin.cause.as_ref().map(|c| format!("for {}, {}: {}", c.op, c.factor, c.reason));
    let parts: Vec<String> = [place, scope, cause].into_iter().flatten().map(|p| p.replace('\n', " ")).collect();
    if !parts.is_empty() {
        let _ = write!(out, "  // {}", parts.join("; "));
    }
}
