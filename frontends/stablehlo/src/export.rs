//! Conversion of a program to StableHLO text, with a sharding on each value that has a layout.
//!
//! Operations are printed in their generic form, one per line. Ops without a counterpart are expanded first
//! ([`decompose`]): composites become their decomposition, `relu` a maximum. Each remaining op has one counterpart
//! ([`ops`]), and functions become regions ([`region`]): a loop becomes a `while` with a counter.
//!
//! A partial sum is exported as `unreduced`. Shardy cannot express other partial reductions; such a value is exported
//! as if it were reduced.

mod decompose;
mod lapack;
mod linear_algebra;
mod literal;
mod ops;
mod region;

use crate::syntax::spelling;
use partita_ir::arena::{Id, MeshId, OpId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{Layout, Monoid};
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh};
use partita_ir::program::{Form, Op, Program};
use partita_ir::rule::push_merged;
use partita_ir::verify::verify;
use smol_str::SmolStr;
use std::fmt::{self, Write};

/// Exports a program as a StableHLO module that JAX's compiler accepts.
///
/// Arguments and results are in the order of the inputs and outputs of the main function and have their shardings. For
/// a result that replaces a parameter, the argument's buffer is donated.
///
/// # Errors
/// Returns an error if the program is invalid, is already partitioned (form `local`), or has an op without a
/// counterpart in StableHLO, such as random numbers that do not depend on the mesh.
pub fn export(program: &Program) -> Result<String, Vec<Diagnostic>> {
    if program.form >= Form::Local {
        let title = format!("a program in the form `{}` cannot be exported to StableHLO", program.form.name());
        let help = "export the program before it is partitioned: in the form `traced`, `planned` or `explicit`";
        return Err(vec![Diagnostic::new(Code::F003, title).help(help)]);
    }
    verify(program)?;
    let program = decompose::decompose(program);
    let mut writer = Writer {
        program: &program,
        out: String::with_capacity(160 * program.ops.len()),
        names: vec![SmolStr::default(); program.values.len()],
        next: 0,
        indent: 0,
    };
    writer.module().map_err(|error| vec![*error])?;
    Ok(writer.out)
}

/// Maximum nesting depth of regions. The limit prevents stack overflow.
const MAX_REGION_DEPTH: usize = 64;

/// Result of printing. The error is boxed, so that the success case remains small.
type PrintResult = Result<(), Box<Diagnostic>>;

/// State of printing a module.
struct Writer<'p> {
    program: &'p Program,
    out: String,
    /// Name of each value printed so far, including the `%`.
    names: Vec<SmolStr>,
    /// Number of the next generated name.
    next: usize,
    indent: usize,
}

impl<'p> Writer<'p> {
    fn module(&mut self) -> PrintResult {
        let devices: usize = self.program.meshes.values().map(DeviceMesh::device_count).max().unwrap_or(1);
        self.line(format_args!(
            "module @main attributes {{mhlo.num_partitions = {devices} : i32, mhlo.num_replicas = 1 : i32}} {{"
        ));
        self.indent += 1;
        for mesh in self.program.meshes.values() {
            self.mesh(mesh);
        }
        self.main()?;
        self.indent -= 1;
        self.line(format_args!("}}"));
        Ok(())
    }

    /// Prints `sdy.mesh @mesh = <["data"=2, "model"=4]>`.
    fn mesh(&mut self, mesh: &DeviceMesh) {
        let axes = comma(mesh.axes.iter().map(|a| format!("\"{}\"={}", a.name, a.size)));
        let in_order = mesh.devices.iter().copied().eq(0..mesh.devices.len() as u32);
        let devices = if in_order { String::new() } else { format!(", device_ids={:?}", mesh.devices) };
        self.line(format_args!("sdy.mesh @{} = <[{axes}]{devices}>", mesh.name));
    }

    fn main(&mut self) -> PrintResult {
        let program = self.program;
        let main = &program.funcs[program.entry()];
        let mut args = Vec::with_capacity(main.inputs.len());
        for (i, &input) in main.inputs.iter().enumerate() {
            self.names[input.index()] = format!("%arg{i}").into();
            let mut attrs: Vec<String> =
                self.sharding(input).map(|s| format!("sdy.sharding = {s}")).into_iter().collect();
            let donated = main.outputs.iter().position(|o| o.replaces == Some(input));
            attrs.extend(donated.map(|out| format!("tf.aliasing_output = {out} : i32")));
            args.push(format!("%arg{i}: {}{}", self.ty(input), braced(&attrs)));
        }
        let results = comma(main.outputs.iter().map(|o| {
            let attrs: Vec<String> =
                self.sharding(o.value).map(|s| format!("sdy.sharding = {s}")).into_iter().collect();
            format!("{}{}", self.ty(o.value), braced(&attrs))
        }));
        self.line(format_args!("func.func public @main({}) -> ({results}) {{", args.join(", ")));
        self.indent += 1;
        self.body(main.ops())?;
        self.returned("return", &main.outputs.iter().map(|o| o.value).collect::<Vec<_>>());
        self.indent -= 1;
        self.line(format_args!("}}"));
        Ok(())
    }

    fn body(&mut self, body: &[OpId]) -> PrintResult {
        if self.indent > MAX_REGION_DEPTH {
            let title = format!("loops nested deeper than {MAX_REGION_DEPTH} levels cannot be exported to StableHLO");
            return Err(Box::new(Diagnostic::new(Code::T004, title)));
        }
        body.iter().try_for_each(|&op| self.op(&self.program.ops[op]))
    }

    /// Prints `return %a, %b : T, U`.
    fn returned(&mut self, word: &str, values: &[ValueId]) {
        if values.is_empty() {
            return self.line(format_args!("{word}"));
        }
        let names = comma(values.iter().map(|&v| &self.names[v.index()]));
        let types = comma(values.iter().map(|&v| self.ty(v)));
        self.line(format_args!("{word} {names} : {types}"));
    }

    /// Prints an operation without regions that has the results of `op`.
    fn simple(&mut self, op: &Op, name: &str, properties: &str) {
        self.start(op, name, None, properties);
        self.finish(op, None);
    }

    /// Prints `%r = "name"(%a) <{properties}>`, which precedes the regions. `init` is an additional last operand: the
    /// initial value of a reduction.
    fn start(&mut self, op: &Op, name: &str, init: Option<&SmolStr>, properties: &str) {
        self.pad();
        for (i, &out) in op.outs.iter().enumerate() {
            let name = self.fresh();
            let comma = if i > 0 { ", " } else { "" };
            let _ = write!(self.out, "{comma}{name}");
            self.names[out.index()] = name;
        }
        let args = comma(op.args.iter().map(|&v| &self.names[v.index()]).chain(init));
        let _ = write!(self.out, " = \"{name}\"({args})");
        if !properties.is_empty() {
            let _ = write!(self.out, " <{{{properties}}}>");
        }
    }

    /// Prints ` {sharding} : (T) -> U`, which follows the regions. `init` is the element type of an initial value.
    fn finish(&mut self, op: &Op, init: Option<DType>) {
        let attrs: Vec<String> = self.shardings(&op.outs).into_iter().collect();
        let init = init.map(|dtype| tensor(&Type::new(dtype, [])));
        let args = comma(op.args.iter().map(|&v| self.ty(v)).chain(init));
        let outs = comma(op.outs.iter().map(|&v| self.ty(v)));
        let outs = if op.outs.len() == 1 { outs } else { format!("({outs})") };
        let _ = writeln!(self.out, "{} : ({args}) -> {outs}", braced(&attrs));
    }

    /// Returns the attribute with the shardings of an operation's results, if any result has a layout.
    fn shardings(&self, outs: &[ValueId]) -> Option<String> {
        let mesh = outs.iter().find_map(|&v| self.program.values[v].layout.as_ref()).map(|l| l.mesh)?;
        let shardings = outs.iter().map(|&v| self.layout_or_open(v, mesh));
        Some(format!("sdy.sharding = #sdy.sharding_per_value<[{}]>", comma(shardings)))
    }

    /// Returns the layout of a value, or an open one if it has none.
    fn layout_or_open(&self, value: ValueId, mesh: MeshId) -> String {
        let value = &self.program.values[value];
        match &value.layout {
            Some(layout) => self.layout(layout),
            None => self.layout(&Layout::open(mesh, value.ty.shape.rank())),
        }
    }

    /// Returns the `#sdy.sharding<..>` of a value, if it has a layout.
    fn sharding(&self, value: ValueId) -> Option<String> {
        let layout = self.program.values[value].layout.as_ref()?;
        Some(format!("#sdy.sharding{}", self.layout(layout)))
    }

    /// Returns a layout as `<@mesh, [{"data"}, {?}]>`.
    fn layout(&self, layout: &Layout) -> String {
        let mesh = &self.program.meshes[layout.mesh];
        let dims = comma(layout.dims.iter().map(|dim| {
            let open = dim.open.then(|| "?".to_owned());
            let axes = comma(dim.axes.iter().map(|&a| axis(mesh, a)).chain(open));
            // Shardy allows a priority only for a dimension that is open or has axes.
            let priority = if dim.priority > 0 && (dim.open || !dim.axes.is_empty()) {
                format!("p{}", dim.priority)
            } else {
                String::new()
            };
            format!("{{{axes}}}{priority}")
        }));
        let list = |word: &str, axes: &[AxisRef]| match axes.is_empty() {
            true => String::new(),
            false => format!(", {word}={{{}}}", comma(in_mesh_order(axes).iter().map(|&a| axis(mesh, a)))),
        };
        let replicated = list("replicated", &layout.replicated);
        let sums: Vec<AxisRef> = layout.partial.iter().filter(|p| p.1 == Monoid::Sum).map(|p| p.0).collect();
        let unreduced = list("unreduced", &sums);
        format!("<@{}, [{dims}]{replicated}{unreduced}>", mesh.name)
    }

    fn ty(&self, value: ValueId) -> String {
        tensor(self.program.ty(value))
    }

    /// Returns a new name, for example `%7`.
    fn fresh(&mut self) -> SmolStr {
        self.next += 1;
        smol_str::format_smolstr!("%{}", self.next - 1)
    }

    fn pad(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }

    fn line(&mut self, text: fmt::Arguments<'_>) {
        self.pad();
        let _ = writeln!(self.out, "{text}");
    }
}

/// Returns a type as `tensor<4x8xf32>`.
fn tensor(ty: &Type) -> String {
    let mut text = String::from("tensor<");
    for size in ty.shape.iter() {
        let _ = write!(text, "{size}x");
    }
    text + spelling(ty.dtype) + ">"
}

/// Returns an axis as `"model"`, or a sub-axis as `"model":(2)2`.
fn axis(mesh: &DeviceMesh, axis: AxisRef) -> String {
    let name = &mesh.axes[axis.axis.index()].name;
    match axis.is_full(mesh) {
        true => format!("\"{name}\""),
        false => format!("\"{name}\":({}){}", axis.pre, axis.size),
    }
}

/// Sorts axes in mesh order and merges adjacent sub-axes, as Shardy requires.
fn in_mesh_order(axes: &[AxisRef]) -> Axes {
    let mut sorted = axes.to_vec();
    sorted.sort_unstable();
    let mut joined = Axes::new();
    sorted.into_iter().for_each(|axis| push_merged(&mut joined, axis));
    joined
}

fn comma<T: fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    for (i, item) in items.into_iter().enumerate() {
        let _ = write!(text, "{}{item}", if i > 0 { ", " } else { "" });
    }
    text
}

/// Returns ` {a, b}`, or an empty text if there are no attributes.
fn braced(attrs: &[String]) -> String {
    if attrs.is_empty() { String::new() } else { format!(" {{{}}}", attrs.join(", ")) }
}
