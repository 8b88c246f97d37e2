//! Origins of ops: the location in the user's model, and for inserted ops the reason of their insertion.

use smol_str::SmolStr;
use std::sync::Arc;

/// Origin of an op. Not part of the program's semantics: all origins compare equal.
#[derive(Clone, Default, Debug)]
pub struct Origin {
    /// Source file of the line, such as a Python file that JAX traced. Empty for the model's own file.
    pub file: SmolStr,
    /// Line in the file, counted from 1; 0 if unknown.
    pub line: u32,
    /// Name given by the source: a JAX name stack or the path of a Burn module. May be empty.
    pub scope: SmolStr,
    /// Path of the repeated layer that the op belongs to, such as `blocks.3`. Empty outside of repeated layers.
    pub layer: SmolStr,
    /// Reason for an op that the partitioner inserted; `None` for ops of the model.
    pub cause: Option<Arc<Cause>>,
}

/// Reason why the partitioner inserted an op.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// Op that required the insertion, as `kind %name`.
    pub op: SmolStr,
    /// Operand, result or factor of that op, in words: `operand 1, dim 0`.
    pub factor: String,
    /// Purpose of the inserted op, in one sentence.
    pub reason: String,
}

impl PartialEq for Origin {
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}

impl Origin {
    /// Creates the origin of an op in a line of the model's own file.
    pub fn new(line: u32, scope: impl Into<SmolStr>) -> Origin {
        Origin { line, scope: scope.into(), ..Origin::default() }
    }

    /// Returns true if a name is within the layer: `blocks.3.matmul` in `blocks.3`.
    pub fn names(&self, name: &str) -> bool {
        name.strip_prefix(self.layer.as_str()).is_some_and(|rest| rest.starts_with('.'))
    }

    /// Returns the same location, for an op that was inserted because of `cause`.
    pub fn with_cause(&self, cause: Cause) -> Origin {
        Origin { cause: Some(Arc::new(cause)), ..self.clone() }
    }
}
