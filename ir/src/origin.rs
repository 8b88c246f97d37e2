//! Where things come from: the place in the user's model, and for a collective the reason why it exists.

use smol_str::SmolStr;
use std::sync::Arc;

/// Where an op comes from. A remark, not part of the program's meaning: equality of programs ignores it.
#[derive(Clone, Default, Debug)]
pub struct Origin {
    /// Line in the model's source, counted from 1; 0 when there is none.
    pub line: u32,
    /// The name that the source gave: a JAX name stack or the path of a Burn module. May be empty.
    pub scope: SmolStr,
    /// Why the partitioner put this op here; `None` for ops of the model.
    pub cause: Option<Arc<Cause>>,
}

/// Why the partitioner inserted an op.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cause {
    /// The op that made it necessary, as `kind %name`.
    pub op: SmolStr,
    /// Which operand, result or factor of that op, in words: `operand 1, dim 0`.
    pub factor: String,
    /// What it is for, in one sentence.
    pub reason: String,
}

impl PartialEq for Origin {
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}

impl Origin {
    /// A place in the source.
    pub fn at(line: u32, scope: impl Into<SmolStr>) -> Origin {
        Origin { line, scope: scope.into(), cause: None }
    }

    /// The same place, for an op inserted because of `cause`.
    pub fn because(&self, cause: Cause) -> Origin {
        Origin { cause: Some(Arc::new(cause)), ..self.clone() }
    }
}
