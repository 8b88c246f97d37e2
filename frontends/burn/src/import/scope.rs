//! Which module an operation belongs to. A recording does not say, so it is guessed from the parameters: an operation
//! that reads one, perhaps moved or reshaped, belongs to that parameter's module, and what follows without a parameter
//! to the module around.

use crate::capture::Captured;
use burn_ir::{OperationIr, TensorId};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

pub(super) struct Scopes {
    /// The module of every parameter, and of what was made from nothing but it.
    owner: FxHashMap<TensorId, SmolStr>,
    last: SmolStr,
}

impl Scopes {
    pub(super) fn new(captured: &Captured) -> Self {
        let owner = captured.params.iter().map(|(&id, p)| (id, parent(&p.path))).collect();
        Scopes { owner, last: SmolStr::default() }
    }

    /// The module whose parameters were read last.
    pub(super) fn last(&self) -> &str {
        &self.last
    }

    /// The path of the module that recorded `op`, the next operation of the recording.
    pub(super) fn enter(&mut self, op: &OperationIr) -> SmolStr {
        let owned = op.inputs().find_map(|t| self.owner.get(&t.id)).cloned();
        match owned {
            Some(scope) => {
                if op.inputs().count() == 1 {
                    self.owner.extend(op.outputs().map(|t| (t.id, scope.clone())));
                }
                self.last = scope.clone();
                scope
            }
            None => parent(&self.last),
        }
    }
}

/// A path without its last part.
fn parent(path: &str) -> SmolStr {
    path.rsplit_once('.').map_or(SmolStr::default(), |(parent, _)| parent.into())
}
