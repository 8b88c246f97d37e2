//! The kind of inputs that each value depends on.

use super::{ModelStructure, ValueRole};
use partita_ir::arena::{Id, ValueId};
use partita_ir::class::Control;
use partita_ir::program::Op;

impl ModelStructure<'_> {
    /// Finds the role of each value, and the parameter that each value of role [`ValueRole::Weight`] is computed from.
    pub(super) fn find_roles(&mut self) {
        for &value in &self.params {
            self.roles[value.index()] = ValueRole::Weight;
            self.roots[value.index()] = Some(value);
        }
        self.data.iter().for_each(|v| self.roles[v.index()] = ValueRole::Data);
        // Roles only increase, so that this ends. A round is needed for each loop in a loop.
        let ops: Vec<&Op> = self.program.model_ops().iter().map(|at| at.op).collect();
        while ops.iter().fold(false, |changed, op| self.update_roles(op) | changed) {}
    }

    /// Updates the roles of the results of an op, and of the inputs of its body if the op is a loop. Returns true if a
    /// role changes.
    fn update_roles(&mut self, op: &Op) -> bool {
        let Some(control) = op.kind.control() else {
            let role = op.args.iter().map(|&v| self.role(v)).max().unwrap_or(ValueRole::Constant);
            let root = op.args.iter().find_map(|v| self.roots[v.index()]).filter(|_| role == ValueRole::Weight);
            return op.outs.iter().fold(false, |changed, &out| self.set_role(out, role, root) | changed);
        };
        let Control::Loop(l) = control;
        let body = &self.program.funcs[l.body];
        let mut changed = false;
        for (((&arg, &inner), next), &out) in op.args.iter().zip(&body.inputs).zip(&body.outputs).zip(&op.outs) {
            // A carried value that is a parameter at first is a parameter in every iteration. A counter is constant.
            let (role, root) = match self.role(arg) {
                ValueRole::Weight => (ValueRole::Weight, self.roots[arg.index()]),
                ValueRole::Constant | ValueRole::Data => {
                    let role = self.role(arg).max(self.role(next.value));
                    (role, self.roots[next.value.index()].filter(|_| role == ValueRole::Weight))
                }
            };
            for value in [inner, out] {
                changed |= self.set_role(value, role, root);
            }
        }
        changed
    }

    /// Sets the role of a value if it increases. Returns true if it does.
    fn set_role(&mut self, value: ValueId, role: ValueRole, root: Option<ValueId>) -> bool {
        let increases = role > self.role(value);
        if increases {
            self.roles[value.index()] = role;
            self.roots[value.index()] = root;
        }
        increases
    }
}
