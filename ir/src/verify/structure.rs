//! Structural invariants of every form.
//!
//! 1. Every id is in range, and no function calls itself directly or indirectly.
//! 2. The main function is called `main`. Names of functions are distinct, and so are names of values within a
//!    function. Names consist of letters, digits, `_` and `.`, so that program text can contain them.
//! 3. A value is defined once, as an input or as a result of one op, before its first use and in the function that uses
//!    it.
//! 4. Every op has a result, and its shape rule yields the declared types of its results (`V001`): global types before
//!    the form `local`, in which collectives change layouts only, and one device's types in the form `local`.
//! 5. A shape has at most [`MAX_RANK`] dimensions and at most `Shape::MAX_COUNT` elements (`T004`).
//! 6. A layout has an entry for each dimension (`L009`); its axes exist on its mesh, factors of an axis divide it, and
//!    no axis is used twice across dimensions, replicated and partial axes (`L002`).
//! 7. Parameters are inputs of the main function, in the same order, with distinct paths. The parameter that an
//!    optimizer state or a scale belongs to precedes it and is not itself state.
//! 8. Outputs of the main function have distinct names. An output that replaces a parameter has the type of the
//!    parameter, and each parameter is replaced by at most one output. Outputs of other functions replace no
//!    parameters.
//! 9. Ops of the forward pass read no results of ops of later phases: pipeline stages compute the forward pass of a
//!    micro-batch before they have gradients. Loops are excepted, since they can contain all phases.

use super::{CheckResult, Report};
use crate::arena::{FuncId, Id, ParamId, ValueId};
use crate::diag::Code;
use crate::dtype::Type;
use crate::graph::OpGraph;
use crate::layout::Layout;
use crate::mesh::{AxisRef, DeviceMesh};
use crate::program::op::OpKind;
use crate::program::{Form, Func, Op, ParamKind, Phase, Program};
use crate::syntax::MAX_RANK;
use crate::syntax::lex::{is_name_byte, is_name_char};
use petgraph::algo::toposort;
use petgraph::graph::DiGraph;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::borrow::Cow;

pub(super) fn check(report: &mut Report<'_>) {
    if !check_ids(report) || !check_calls(report) {
        return;
    }
    let funcs = report.program.callees_first();
    check_definitions(report, &funcs);
    check_params(report);
    check_outputs(report);
    if report.errors.is_empty() {
        check_types(report, &funcs);
    }
}

/// Checks invariant 1: ids are in range. Reports at most one violation, since further ones usually follow from the
/// first. Returns true if there is none.
fn check_ids(report: &mut Report<'_>) -> bool {
    let program = report.program;
    let value = |v: &ValueId| v.index() < program.values.len();
    let param = |p: &Option<ParamId>| p.is_none_or(|p| p.index() < program.params.len());
    let func = |f: &Func| {
        f.inputs.iter().all(value)
            && f.body.iter().all(|op| op.index() < program.ops.len())
            && f.outputs.iter().all(|o| value(&o.value) && o.replaces.as_ref().is_none_or(value))
    };
    let op = |op: &Op| {
        op.args.iter().chain(&op.outs).all(value) && op.kind.func().is_none_or(|f| f.index() < program.funcs.len())
    };
    let good = program.main.index() < program.funcs.len()
        && program.funcs.values().all(func)
        && program.ops.values().all(op)
        && program.params.values().all(|p| value(&p.value) && param(&p.parent))
        && program.values.values().all(|v| v.layout.as_ref().is_none_or(|l| l.mesh.index() < program.meshes.len()));
    if !good {
        report.program(Code::V002, "an id is out of range");
    }
    good
}

/// Checks invariants 1 and 2: no recursion; valid names of functions. Returns false for recursion.
fn check_calls(report: &mut Report<'_>) -> bool {
    let program = report.program;
    let mut graph = DiGraph::<FuncId, ()>::new();
    let nodes: Vec<_> = program.funcs.ids().map(|f| graph.add_node(f)).collect();
    for (caller, func) in program.funcs.iter() {
        for callee in func.body.iter().filter_map(|&op| program.ops[op].kind.func()) {
            graph.update_edge(nodes[caller.index()], nodes[callee.index()], ());
        }
    }
    if let Err(cycle) = toposort(&graph, None) {
        let name = &program.funcs[graph[cycle.node_id()]].name;
        report.program(Code::V002, format!("function `@{name}` calls itself"));
        return false;
    }
    let mut names = FxHashSet::default();
    for func in program.callees_first() {
        let name = &program.funcs[func].name;
        if !is_name(name) || !names.insert(name) || (name == "main") != (func == program.main) {
            report.program(Code::V002, format!("`@{name}` cannot be the name of this function"));
        }
    }
    true
}

/// Returns true if the name may follow `@` in program text.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_name_byte)
}

/// Values defined so far, and the function and the phase that define each.
struct Definitions<'a> {
    program: &'a Program,
    by: Vec<Option<(FuncId, Phase)>>,
    /// Names of values in the current function.
    names: FxHashSet<&'a str>,
}

impl<'a> Definitions<'a> {
    /// Checks invariants 2, 3, 5 and 6 for the definition of one value.
    fn define(&mut self, id: ValueId, func: FuncId, phase: Phase) -> CheckResult {
        let value = &self.program.values[id];
        let wrong = |what: String| Err((Code::V002, format!("`%{}` {what}", value.name)));
        if self.by[id.index()].replace((func, phase)).is_some() {
            return wrong("is defined twice".into());
        }
        if value.name.is_empty() || !value.name.chars().all(is_name_char) {
            return wrong("is not a valid name".into());
        }
        if !self.names.insert(&value.name) {
            return wrong("is the name of two values".into());
        }
        if value.ty.shape.rank() > MAX_RANK || value.ty.shape.checked_count().is_none() {
            return Err((Code::T004, format!("`%{}` has a shape that is too large: {}", value.name, value.ty)));
        }
        match &value.layout {
            None => Ok(()),
            Some(layout) => check_layout(layout, value.ty.shape.rank(), &self.program.meshes[layout.mesh])
                .map_err(|(code, what)| (code, format!("`%{}` {what}", value.name))),
        }
    }

    /// Checks invariants 3 and 9 for one use.
    fn check_use(&self, id: ValueId, func: FuncId, phase: Phase) -> CheckResult {
        let name = &self.program.values[id].name;
        match self.by[id.index()] {
            Some((by, of)) if by == func => {
                if phase == Phase::Forward && of != Phase::Forward {
                    return Err((
                        Code::V002,
                        format!("the forward pass reads `%{name}`, a result of phase `{}`", of.name()),
                    ));
                }
                Ok(())
            }
            Some((by, _)) => {
                let by = &self.program.funcs[by].name;
                Err((Code::V002, format!("`%{name}` belongs to function `@{by}`")))
            }
            None if toposort(&OpGraph::new(self.program, func), None).is_err() => Err((
                Code::V002,
                format!("`%{name}` is used before its definition, and operations depend on each other in a cycle"),
            )),
            None => Err((Code::V002, format!("`%{name}` is used before its definition, or has none"))),
        }
    }
}

/// Checks invariants 2 to 6 and 9 for definitions and uses of values.
fn check_definitions(report: &mut Report<'_>, funcs: &[FuncId]) {
    let program = report.program;
    let by = vec![None; program.values.len()];
    let mut seen = Definitions { program, by, names: FxHashSet::default() };
    for &id in funcs {
        let func = &program.funcs[id];
        seen.names.clear();
        seen.names.reserve(func.inputs.len() + func.body.len());
        for &input in &func.inputs {
            if let Err((code, what)) = seen.define(input, id, Phase::Forward) {
                report.program(code, what);
            }
        }
        for &op in &func.body {
            let Op { kind, args, outs, phase, .. } = &program.ops[op];
            let [of_reader, of_results] = match kind.control() {
                Some(_) => [Phase::Update, Phase::Forward],
                None => [*phase; 2],
            };
            let checked = args.iter().try_for_each(|&v| seen.check_use(v, id, of_reader));
            let checked = checked.and_then(|()| outs.iter().try_for_each(|&v| seen.define(v, id, of_results)));
            match checked {
                Err((code, what)) => report.op(code, op, &what),
                Ok(()) if outs.is_empty() => report.op(Code::V002, op, "it has no result"),
                Ok(()) => {}
            }
            if report.is_full() {
                return;
            }
        }
        for output in &func.outputs {
            if let Err((code, what)) = seen.check_use(output.value, id, Phase::Update) {
                report.program(code, what);
            }
        }
    }
}

/// Checks invariant 6: the layout is valid on its mesh.
fn check_layout(layout: &Layout, rank: usize, mesh: &DeviceMesh) -> CheckResult {
    if layout.dims.len() != rank {
        return Err((Code::L009, format!("has {rank} dimensions, but its layout has {}", layout.dims.len())));
    }
    let mut used: SmallVec<[AxisRef; 8]> = SmallVec::new();
    for axis in layout.used_axes() {
        let exists = mesh.axes.get(axis.axis.index()).is_some_and(|a| {
            let is_full = axis.pre == 1 && axis.size == a.size;
            let shard_count = axis.pre.checked_mul(axis.size).filter(|&n| n > 0);
            is_full || (axis.size > 1 && shard_count.is_some_and(|n| a.size.is_multiple_of(n)))
        });
        if !exists {
            return Err((Code::V002, format!("uses an axis that mesh `@{}` does not have", mesh.name)));
        }
        if used.iter().any(|&a| a == axis || a.overlaps(axis)) {
            let name = &mesh.axes[axis.axis.index()].name;
            return Err((Code::L002, format!("uses axis `{name}` twice")));
        }
        used.push(axis);
    }
    Ok(())
}

/// Checks invariant 7: parameters.
fn check_params(report: &mut Report<'_>) {
    let program = report.program;
    let mut paths: FxHashSet<&str> = FxHashSet::default();
    let mut inputs = program.main().inputs.iter();
    for (id, param) in program.params.iter() {
        if !paths.insert(&param.path) {
            report.program(Code::V002, format!("two parameters have the path `{}`", param.path));
        }
        if !inputs.any(|&v| v == param.value) {
            let what = format!("parameter `{}` is not an input, or not in the order of the inputs", param.path);
            report.program(Code::V002, what);
            return;
        }
        if let Some(of) = param.parent {
            let other = &program.params[of];
            if of >= id || other.parent.is_some() || !matches!(param.kind, ParamKind::State | ParamKind::Const) {
                let what = format!("parameter `{}` cannot be state of `{}`", param.path, other.path);
                report.program(Code::V002, what);
            }
        }
    }
}

/// Checks invariant 8: outputs.
fn check_outputs(report: &mut Report<'_>) {
    let program = report.program;
    let mut names: FxHashSet<&str> = FxHashSet::default();
    let mut replaced: FxHashSet<ValueId> = FxHashSet::default();
    for output in &program.main().outputs {
        if !names.insert(&output.name) {
            report.program(Code::V002, format!("two outputs have the name `{}`", output.name));
        }
        let Some(input) = output.replaces else { continue };
        let is_input = program.main().inputs.contains(&input);
        if !is_input || !replaced.insert(input) || program.ty(input) != program.ty(output.value) {
            let name = &program.values[input].name;
            report.program(Code::V002, format!("output `{}` cannot replace input `{name}`", output.name));
        }
    }
    for (id, func) in program.funcs.iter() {
        if id != program.main && func.outputs.iter().any(|o| o.replaces.is_some()) {
            report.program(Code::V002, format!("an output of `@{}` replaces an input", func.name));
        }
    }
}

/// Checks invariant 4: shape rules, with global or local types depending on the form.
fn check_types(report: &mut Report<'_>, funcs: &[FuncId]) {
    let program = report.program;
    let global = program.form < Form::Local;
    let of = |&v: &ValueId| -> Cow<'_, Type> {
        let value = &program.values[v];
        if global || value.layout.is_none() { Cow::Borrowed(&value.ty) } else { Cow::Owned(value.local_type()) }
    };
    for &op in funcs.iter().flat_map(|&f| &program.funcs[f].body) {
        let Op { kind, args, outs, .. } = &program.ops[op];
        let args: SmallVec<[Cow<'_, Type>; 3]> = args.iter().map(of).collect();
        let outs: SmallVec<[Cow<'_, Type>; 1]> = outs.iter().map(of).collect();
        if let Err(what) = check_op_types(program, kind, &args, &outs) {
            report.op(Code::V001, op, &what);
            if report.is_full() {
                return;
            }
        }
    }
}

fn check_op_types(
    program: &Program,
    kind: &OpKind,
    args: &[Cow<'_, Type>],
    outs: &[Cow<'_, Type>],
) -> Result<(), String> {
    let args: SmallVec<[&Type; 3]> = args.iter().map(AsRef::as_ref).collect();
    let outs: SmallVec<[&Type; 1]> = outs.iter().map(AsRef::as_ref).collect();
    let given = kind.infer(program, &args, &outs)?;
    if given.iter().eq(outs.iter().copied()) {
        return Ok(());
    }
    let list = |types: &mut dyn Iterator<Item = &Type>| types.map(Type::to_string).collect::<Vec<_>>().join(", ");
    Err(format!("the operation yields {}, not {}", list(&mut given.iter()), list(&mut outs.iter().copied())))
}
