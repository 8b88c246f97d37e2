//! Relations between dimensions of values: every op by its rule, and every carried value of a loop, whose operand, body
//! input, body output and result are related dimension by dimension.

use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::program::Program;
use partita_ir::rule::Rule;
use smallvec::SmallVec;

/// Values whose dimensions are related by a rule, so that they should be sharded consistently.
pub struct TiedValues<'a> {
    /// The op, which is the loop for a carried value.
    pub op: OpId,
    /// Operands, then results, as in [`Rule::maps`].
    pub values: &'a [ValueId],
    /// The rule that relates them.
    pub rule: &'a Rule,
    /// True for a carried value of a loop.
    pub carried: bool,
}

/// Calls `visit` for each relation between values of `funcs`, in program order.
pub fn each_tie(program: &Program, funcs: &[FuncId], mut visit: impl FnMut(TiedValues<'_>)) {
    for &id in funcs.iter().flat_map(|&f| program.funcs[f].ops()) {
        let op = &program.ops[id];
        let Some(control) = op.kind.control() else {
            let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
            let values: SmallVec<[ValueId; 6]> = op.args.iter().chain(&op.outs).copied().collect();
            visit(TiedValues { op: id, values: &values, rule: &rule, carried: false });
            continue;
        };
        let Control::Loop(l) = control;
        let body = &program.funcs[l.body];
        for (i, (&arg, &out)) in op.args.iter().zip(&op.outs).enumerate() {
            let (Some(&input), Some(output)) = (body.inputs.get(i), body.outputs.get(i)) else { continue };
            let rule = Rule::elementwise(&program.ty(arg).shape, 3);
            visit(TiedValues { op: id, values: &[arg, input, output.value, out], rule: &rule, carried: true });
        }
    }
}
