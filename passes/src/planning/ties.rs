//! What ties dimensions of values together: every op by its rule, and a loop by its carried values, each of which is
//! one value in four places (operand, input and output of the body, result).

use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::program::Program;
use partita_ir::rule::Rule;
use smallvec::SmallVec;

/// Values that a rule ties.
pub struct Tied<'a> {
    /// The op.
    pub op: OpId,
    /// Operands, then results, as in [`Rule::maps`].
    pub values: &'a [ValueId],
    /// The rule.
    pub rule: &'a Rule,
    /// Whether this is a carried value of a loop.
    pub carried: bool,
}

/// Calls `visit` for everything that ties values of these functions, in program order.
pub fn each_tie(program: &Program, funcs: &[FuncId], mut visit: impl FnMut(Tied<'_>)) {
    for &id in funcs.iter().flat_map(|&f| program.funcs[f].ops()) {
        let op = &program.ops[id];
        let Some(control) = op.kind.control() else {
            let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
            let values: SmallVec<[ValueId; 6]> = op.args.iter().chain(&op.outs).copied().collect();
            visit(Tied { op: id, values: &values, rule: &rule, carried: false });
            continue;
        };
        let Control::Loop(l) = control;
        let body = &program.funcs[l.body];
        for (i, (&arg, &out)) in op.args.iter().zip(&op.outs).enumerate() {
            let (Some(&input), Some(output)) = (body.inputs.get(i), body.outputs.get(i)) else { continue };
            let rule = Rule::elementwise(&program.ty(arg).shape, 3);
            visit(Tied { op: id, values: &[arg, input, output.value, out], rule: &rule, carried: true });
        }
    }
}
