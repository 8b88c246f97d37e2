//! Tensors by their names in the graph.
//!
//! Operations in place change the memory of their operand. The name of the operand is bound to the result, so that
//! later reads see the change, and so are the names of tensors of which the operand is a view. Names of other tensors
//! in the same memory, such as views of the operand, are invalid from then on: they would need the change, too.

use super::lowering::{LoweringError, Parts};
use super::node::Node;
use rustc_hash::FxHashMap;

/// Binding of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Binding {
    /// A tensor of the program, and the memory that contains it, by number.
    Value { value: Parts, memory: usize },
    /// A tensor that another name has changed in place.
    Changed,
    /// A result that the lowering of an operation does not compute.
    Missing,
    /// A result of a node that could not be lowered. Nodes that read it report no further errors.
    Failed,
}

/// Origin of a tensor that may be in the memory of another one.
pub struct View<'m> {
    /// Name of the other tensor.
    pub of: &'m str,
    /// The node that computed it.
    pub node: Node<'m>,
}

/// Tensors by their names.
#[derive(Default)]
pub struct Bindings<'m> {
    views: FxHashMap<&'m str, View<'m>>,
    names: FxHashMap<&'m str, Binding>,
    /// The names of each memory.
    memories: Vec<Vec<&'m str>>,
}

impl<'m> Bindings<'m> {
    /// Returns the value of a tensor.
    ///
    /// # Errors
    /// The name is unknown, or does not have a valid value.
    pub fn get(&self, name: &str) -> Result<Parts, LoweringError> {
        match self.names.get(name) {
            Some(Binding::Value { value, .. }) => Ok(*value),
            Some(Binding::Changed) => Err(LoweringError::ChangedInPlace(name.into())),
            Some(Binding::Missing) => Err(LoweringError::MissingResult(name.into())),
            Some(Binding::Failed) => Err(LoweringError::Reported),
            None => Err(LoweringError::Malformed(format!("reads `{name}`, which no earlier node computes"))),
        }
    }

    /// Returns true if the name is bound.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// Binds a tensor in memory of its own.
    pub fn bind(&mut self, name: &'m str, value: Parts) {
        let memory = self.memories.len();
        self.memories.push(vec![name]);
        self.names.insert(name, Binding::Value { value, memory });
    }

    /// Returns the origin of a tensor that may be in the memory of another one; `None` for other tensors.
    pub fn view(&self, name: &str) -> Option<&View<'m>> {
        self.views.get(name)
    }

    /// Binds a tensor that may be in the memory of another one, as a view is.
    pub fn bind_view(&mut self, name: &'m str, value: Parts, view: View<'m>) {
        match self.names.get(view.of) {
            Some(&Binding::Value { memory, .. }) => {
                self.views.insert(name, view);
                self.memories[memory].push(name);
                self.names.insert(name, Binding::Value { value, memory });
            }
            _ => self.bind(name, value),
        }
    }

    /// Binds a result that the lowering does not compute.
    pub fn bind_missing(&mut self, name: &'m str) {
        self.names.insert(name, Binding::Missing);
    }

    /// Binds a result of a node that could not be lowered.
    pub fn bind_failed(&mut self, name: &'m str) {
        self.names.insert(name, Binding::Failed);
    }

    /// Binds the names of tensors in the same memory that a change in place affects to their new values. Other names in
    /// the memory become invalid. The first name must be bound to a value.
    pub fn change(&mut self, changed: &[(&'m str, Parts)]) {
        let first = changed.first().and_then(|(name, _)| self.names.get(name));
        let Some(&Binding::Value { memory, .. }) = first else { return };
        for other in std::mem::take(&mut self.memories[memory]) {
            self.names.insert(other, Binding::Changed);
        }
        for &(name, value) in changed {
            self.memories[memory].push(name);
            self.names.insert(name, Binding::Value { value, memory });
        }
    }
}
