//! Replacement of operations by equivalent sequences of operations.

use crate::arena::{FuncId, Id, OpId};
use crate::dtype::Type;
use crate::layout::Layout;
use crate::mesh::Axes;
use crate::program::build::{Builder, Namer};
use crate::program::{Form, Op, Program, Values};
use crate::rule::{FactorKind, Rule};

/// Applies [`expand`] to every function that has layouts and contains a selected operation.
pub fn expand_all(
    program: &mut Program,
    selects: impl Fn(&Program, OpId) -> bool + Copy,
    mut replacement: impl FnMut(&mut Builder<'_>, &Op, &[&Type]) -> Option<Values>,
) {
    let mut names = None;
    for func in program.funcs_with_layouts() {
        if program.funcs[func].body.iter().any(|&op| selects(program, op)) {
            let names = names.get_or_insert_with(|| Namer::from_program(program));
            expand(program, func, names, selects, &mut replacement);
        }
    }
}

/// Replaces each operation of `func` selected by `selects`.
///
/// `replacement` receives the operation and the types of its results, appends new operations to the builder, and
/// returns the values that replace the results. If it returns `None`, the operation is unchanged.
///
/// The replacement results inherit the layouts of the original results. In the forms `planned` and `explicit`,
/// intermediate values get the layouts that the sharding rules of their operations derive from the operands.
pub fn expand(
    program: &mut Program,
    func: FuncId,
    names: &mut Namer,
    selects: impl Fn(&Program, OpId) -> bool,
    mut replacement: impl FnMut(&mut Builder<'_>, &Op, &[&Type]) -> Option<Values>,
) {
    let mut body = Vec::with_capacity(program.funcs[func].body.len());
    let mut replaced: Vec<_> = program.values.ids().collect();
    for id in std::mem::take(&mut program.funcs[func].body) {
        for arg in &mut program.ops[id].args {
            *arg = replaced.get(arg.index()).copied().unwrap_or(*arg);
        }
        if !selects(program, id) {
            body.push(id);
            continue;
        }
        let op = program.ops[id].clone();
        let types: Vec<Type> = op.outs.iter().map(|&v| program.ty(v).clone()).collect();
        let types: Vec<&Type> = types.iter().collect();
        let mut builder = Builder::new(program, names);
        builder.phase = op.phase;
        builder.origin = op.origin.clone();
        let Some(outs) = replacement(&mut builder, &op, &types) else {
            body.push(id);
            continue;
        };
        let new_ops = builder.body;
        for (old, new) in op.outs.iter().zip(&outs) {
            replaced[old.index()] = *new;
        }
        if matches!(program.form, Form::Planned | Form::Explicit) {
            new_ops.iter().for_each(|&new_op| set_layouts_by_rule(program, new_op));
        }
        for (old, new) in op.outs.iter().zip(outs) {
            program.values[new].layout = program.values[*old].layout.clone();
        }
        body.extend(new_ops);
    }
    for output in &mut program.funcs[func].outputs {
        output.value = replaced.get(output.value.index()).copied().unwrap_or(output.value);
    }
    program.funcs[func].body = body;
}

/// Sets the layouts of an op's results to those that its sharding rule derives from the layouts of its operands.
fn set_layouts_by_rule(program: &mut Program, op: OpId) {
    let op = program.ops[op].clone();
    let Some((mesh, _)) = program.mesh() else { return };
    let rule: Rule = op.kind.rule(&program.arg_types(&op), &program.out_types(&op));
    let unknown = Layout::replicated(mesh, 0);
    let layouts = op.args.iter().map(|&v| program.values[v].layout.as_deref().unwrap_or(&unknown));
    let mut factors = rule.infer_factor_axes(layouts).factors;
    let mut used = Axes::new();
    for (factor, axes) in rule.factors.iter().zip(&mut factors) {
        // An axis that two factors request goes to the first one.
        let taken = axes.iter().position(|a| used.iter().any(|u| u.overlaps(*a)));
        axes.truncate(if factor.kind == FactorKind::NeedReplication { 0 } else { taken.unwrap_or(axes.len()) });
        used.extend(axes.iter().copied());
    }
    for (&out, map) in op.outs.iter().zip(&rule.outs) {
        let dims = rule.project(map, &factors);
        program.values[out].layout = Some(Layout { dims, ..Layout::replicated(mesh, 0) }.into());
    }
}
