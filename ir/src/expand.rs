//! Replacing operations by several others that mean the same.

use crate::arena::{FuncId, Id, OpId};
use crate::dtype::Type;
use crate::layout::Layout;
use crate::mesh::Axes;
use crate::program::build::{Builder, Namer};
use crate::program::{Form, Op, Program, Values};
use crate::rule::{FactorKind, Rule};

/// [`expand`] in every function that has layouts and any such operation.
pub fn expand_all(
    program: &mut Program,
    which: impl Fn(&Program, OpId) -> bool + Copy,
    mut replacement: impl FnMut(&mut Builder<'_>, &Op, &[&Type]) -> Option<Values>,
) {
    let mut names = None;
    for func in program.laid_out_funcs() {
        if program.funcs[func].body.iter().any(|&op| which(program, op)) {
            let names = names.get_or_insert_with(|| Namer::of(program));
            expand(program, func, names, which, &mut replacement);
        }
    }
}

/// Replaces the operations of a function that `which` picks by what `replacement` appends to the builder, given the
/// operation and the types of its results; it returns what takes the place of the results, or `None` to leave the
/// operation as it is.
///
/// New results keep the layouts of the old ones. From the form `planned` on, the values between them lie as the rules
/// of their operations carry the axes of the operands on.
pub fn expand(
    program: &mut Program,
    func: FuncId,
    names: &mut Namer,
    which: impl Fn(&Program, OpId) -> bool,
    mut replacement: impl FnMut(&mut Builder<'_>, &Op, &[&Type]) -> Option<Values>,
) {
    let mut body = Vec::with_capacity(program.funcs[func].body.len());
    let mut renamed: Vec<_> = program.values.ids().collect();
    for id in std::mem::take(&mut program.funcs[func].body) {
        for arg in &mut program.ops[id].args {
            *arg = renamed.get(arg.index()).copied().unwrap_or(*arg);
        }
        if !which(program, id) {
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
        let parts = builder.body;
        for (old, new) in op.outs.iter().zip(&outs) {
            renamed[old.index()] = *new;
        }
        if program.form != Form::Traced {
            parts.iter().for_each(|&part| lay_out(program, part));
        }
        for (old, new) in op.outs.iter().zip(outs) {
            program.values[new].layout = program.values[*old].layout.clone();
        }
        body.extend(parts);
    }
    for output in &mut program.funcs[func].outputs {
        output.value = renamed.get(output.value.index()).copied().unwrap_or(output.value);
    }
    program.funcs[func].body = body;
}

/// Lays an op's results out as its rule carries the axes of its operands on.
fn lay_out(program: &mut Program, op: OpId) {
    let op = program.ops[op].clone();
    let Some((mesh, _)) = program.mesh() else { return };
    let rule: Rule = op.kind.rule(&program.arg_types(&op), &program.out_types(&op));
    let unknown = Layout::replicated(mesh, 0);
    let layouts = op.args.iter().map(|&v| program.values[v].layout.as_deref().unwrap_or(&unknown));
    let mut factors = rule.assign(layouts).factors;
    let mut used = Axes::new();
    for (factor, axes) in rule.factors.iter().zip(&mut factors) {
        // What two factors want, the first one gets.
        let taken = axes.iter().position(|a| used.iter().any(|u| u.overlaps(*a)));
        axes.truncate(if factor.kind == FactorKind::Whole { 0 } else { taken.unwrap_or(axes.len()) });
        used.extend(axes.iter().copied());
    }
    for (&out, map) in op.outs.iter().zip(&rule.outs) {
        let dims = rule.project(map, &factors);
        program.values[out].layout = Some(Layout { dims, ..Layout::replicated(mesh, 0) }.into());
    }
}
