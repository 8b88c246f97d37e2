//! Tensors by their names in the graph.
//!
//! Operations in place change the memory of their operand. The name of the operand is bound to the result, so that
//! later reads see the change. Names of other tensors in the same memory, such as views of the operand, are invalid
//! from then on: they would need the change, too.

use super::lowering::LoweringError;
use partita_ir::arena::ValueId;
use rustc_hash::FxHashMap;

/// Binding of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Binding {
    /// A value of the program, and the memory that contains it, by number.
    Value { value: ValueId, memory: usize },
    /// A tensor that another name has changed in place.
    Changed,
    /// A result that the lowering of an operation does not compute.
    Missing,
    /// A result of a node that could not be lowered. Nodes that read it report no further errors.
    Failed,
}

/// Tensors by their names.
#[derive(Default)]
pub struct Bindings<'m> {
    names: FxHashMap<&'m str, Binding>,
    /// The names of each memory.
    memories: Vec<Vec<&'m str>>,
}

impl<'m> Bindings<'m> {
    /// Returns the value of a tensor.
    ///
    /// # Errors
    /// The name is unknown, or does not have a valid value.
    pub fn get(&self, name: &str) -> Result<ValueId, LoweringError> {
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
    pub fn bind(&mut self, name: &'m str, value: ValueId) {
        let memory = self.memories.len();
        self.memories.push(vec![name]);
        self.names.insert(name, Binding::Value { value, memory });
    }

    /// Binds a tensor that may be in the memory of another one, as a view is.
    pub fn bind_view(&mut self, name: &'m str, value: ValueId, of: &str) {
        match self.names.get(of) {
            Some(&Binding::Value { memory, .. }) => {
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

    /// Binds the name of a tensor that was changed in place to its new value, and invalidates other names in its
    /// memory. `name` must be bound to a value.
    pub fn change(&mut self, name: &'m str, value: ValueId) {
        let Some(&Binding::Value { memory, .. }) = self.names.get(name) else { return };
        for other in std::mem::take(&mut self.memories[memory]) {
            self.names.insert(other, Binding::Changed);
        }
        self.memories[memory].push(name);
        self.names.insert(name, Binding::Value { value, memory });
    }
}
