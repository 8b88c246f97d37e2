//! Import of `If`: a branch whose condition is constant is inlined; of an unknown condition both branches are computed
//! and their results are selected. All branches can be computed, because operations have no side effects.

use super::graph::Importer;
use super::lowering::{LoweringError, malformed};
use super::scope::{Binding, Scope};
use crate::proto::{GraphProto, NodeProto};
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, UnaryOp};

/// A branch that is being imported, whose condition is a run-time value.
#[derive(Clone, Copy)]
pub struct Guard {
    /// The condition, a boolean scalar.
    condition: ValueId,
    /// Value of the condition for which the branch is taken.
    taken_if: bool,
    /// Number of loops around the node.
    loop_depth: usize,
}

impl<'m> Importer<'m, '_> {
    pub(super) fn import_if(
        &mut self,
        node: &'m NodeProto,
        inputs: &[Option<&'m str>],
    ) -> Result<Vec<Binding>, LoweringError> {
        let [yes, no] = [graph_of(node, "then_branch")?, graph_of(node, "else_branch")?];
        let Some(&Some(name)) = inputs.first() else { return malformed("lacks input 0") };
        if let Some(condition) = self.constant_value(name) {
            if condition.ty.shape.count() != 1 {
                return malformed(format!("has the condition {}", condition.ty));
            }
            let branch = if condition.get(0).is_zero() { no } else { yes };
            return self.inline(node, branch, Vec::new());
        }
        let Some(condition) = self.value(name) else { return malformed("has a condition that is not a tensor") };
        let condition = self.condition(condition)?;
        let loop_depth = self.loop_depth();
        let mut branch = |graph, taken_if| {
            self.guards.push(Guard { condition, taken_if, loop_depth });
            let results = self.inline(node, graph, Vec::new());
            self.guards.pop();
            results
        };
        let (yes, no) = (branch(yes, true)?, branch(no, false)?);
        if yes.len() != no.len() {
            return malformed(format!("has branches of {} and {} results", yes.len(), no.len()));
        }
        yes.iter().zip(&no).map(|(yes, no)| self.selected(condition, yes, no)).collect()
    }

    /// Converts a condition to a boolean scalar.
    pub(super) fn condition(&mut self, value: ValueId) -> Result<ValueId, LoweringError> {
        match self.cx.dtype(value) {
            DType::Bool => self.cx.reshape(value, []),
            dtype => malformed(format!("has a condition of {dtype}, not bool")),
        }
    }

    /// Imports a nested graph into the current function, and returns its results.
    pub(super) fn inline(
        &mut self,
        node: &'m NodeProto,
        graph: &'m GraphProto,
        args: Vec<Binding>,
    ) -> Result<Vec<Binding>, LoweringError> {
        self.scopes.push(Scope::new(graph, Some(node), None));
        let results = self.import_graph(args);
        self.scopes.pop();
        results
    }

    /// Selects a result: `yes` if the condition is true, `no` otherwise.
    fn selected(&mut self, condition: ValueId, yes: &Binding, no: &Binding) -> Result<Binding, LoweringError> {
        if let (Binding::Sequence(yes), Binding::Sequence(no)) = (yes, no)
            && yes.len() == no.len()
        {
            let items = yes.iter().zip(no.iter()).map(|(yes, no)| self.selected(condition, yes, no));
            return Ok(Binding::Sequence(items.collect::<Result<_, _>>()?));
        }
        if let (Binding::Absent, Binding::Absent) = (yes, no) {
            return Ok(Binding::Absent);
        }
        if let (Some(one), Some(other)) = (self.constant_of(yes), self.constant_of(no))
            && one == other
        {
            return Ok(Binding::Constant(one.clone()));
        }
        let types = [yes, no].map(|binding| self.type_text(binding));
        if let (Some(yes), Some(no)) = (self.value_of(yes), self.value_of(no))
            && self.cx.b.ty(yes) == self.cx.b.ty(no)
        {
            return Ok(Binding::Value(self.cx.select(condition, yes, no)?));
        }
        let [yes, no] = types;
        Err(LoweringError::BranchTypes { condition, yes, no })
    }

    /// Formats the type of a binding.
    pub(super) fn type_text(&self, binding: &Binding) -> String {
        match binding {
            Binding::Value(value) => self.cx.b.ty(*value).to_string(),
            Binding::Constant(tensor) => tensor.ty.to_string(),
            Binding::Sequence(items) => format!("a sequence of length {}", items.len()),
            Binding::Absent => "an optional without a value".into(),
            Binding::Failed => "nothing".into(),
        }
    }

    /// Returns the conjunction of `test` with the conditions of the branches around the node in the same function. A
    /// loop in a branch that is not taken does not iterate.
    pub(super) fn guarded(&mut self, test: ValueId) -> Result<ValueId, LoweringError> {
        let depth = self.loop_depth();
        let guards: Vec<Guard> = self.guards.iter().filter(|guard| guard.loop_depth == depth).copied().collect();
        guards.into_iter().try_fold(test, |test, guard| {
            let taken = match guard.taken_if {
                true => guard.condition,
                false => self.cx.b.unary(UnaryOp::Not, guard.condition),
            };
            self.cx.binary(BinaryOp::And, taken, test)
        })
    }
}

/// Returns a graph of a node.
pub fn graph_of<'m>(node: &'m NodeProto, name: &str) -> Result<&'m GraphProto, LoweringError> {
    let graph = node.attribute.iter().find(|a| a.name == name).and_then(|a| a.g.as_ref());
    graph.ok_or_else(|| LoweringError::Malformed(format!("lacks its attribute `{name}`")))
}
