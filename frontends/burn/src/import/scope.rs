//! Assignment of operations to modules. A recording does not contain the module of an operation, so it is inferred from
//! parameters: an operation that reads a parameter, directly or after unary operations, belongs to the module of that
//! parameter; other operations belong to the closest enclosing module.

use crate::capture::Captured;
use burn_ir::{OperationIr, TensorId};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

pub(super) struct Scopes {
    /// Module of each parameter and of each tensor computed from one parameter only.
    owner: FxHashMap<TensorId, SmolStr>,
    last: SmolStr,
}

impl Scopes {
    pub(super) fn new(captured: &Captured) -> Self {
        let owner = captured.params.iter().map(|(&id, p)| (id, parent(&p.path))).collect();
        Scopes { owner, last: SmolStr::default() }
    }

    /// Returns the module whose parameters were read last.
    pub(super) fn last(&self) -> &str {
        &self.last
    }

    /// Returns the path of the module that recorded `op`. Operations must be passed in recording order.
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

/// Returns a path without its last component.
fn parent(path: &str) -> SmolStr {
    path.rsplit_once('.').map_or(SmolStr::default(), |(parent, _)| parent.into())
}
