//! Names in scope: those of the main graph, of the branch or loop body that is being imported, and of all graphs around
//! it.

use super::Importer;
use super::names::DeclaredTypes;
use crate::proto::{GraphProto, NodeProto};
use partita_ir::arena::ValueId;
use partita_ir::build::LoopBody;
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Binding of a name in a graph.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A value of the program.
    Value(ValueId),
    /// A constant, which is added to the program when a lowered node reads it.
    Constant(Tensor),
    /// A sequence, whose length is known.
    Sequence(Rc<[Binding]>),
    /// An optional without a value. An optional with a value is this value.
    Absent,
    /// A result of a node that could not be lowered. Nodes that read it report no further errors.
    Failed,
}

impl Binding {
    /// Returns true if the binding is known during the import.
    fn is_constant(&self) -> bool {
        match self {
            Binding::Constant(_) | Binding::Absent => true,
            Binding::Sequence(items) => items.iter().all(Binding::is_constant),
            Binding::Value(_) | Binding::Failed => false,
        }
    }
}

/// Names of a graph.
pub struct Scope<'m> {
    pub graph: &'m GraphProto,
    /// The node that contains the graph; `None` for the main graph.
    pub node: Option<&'m NodeProto>,
    /// Types declared in the graph.
    pub declared: DeclaredTypes<'m>,
    pub bindings: FxHashMap<&'m str, Binding>,
    /// Names of enclosing graphs, as values of the function of this scope.
    imported: FxHashMap<&'m str, ValueId>,
    /// The loop whose body is this graph; `None` for a graph whose ops belong to the enclosing function.
    pub body: Option<LoopBody>,
}

impl<'m> Scope<'m> {
    /// Creates a scope without bindings.
    pub fn new(graph: &'m GraphProto, node: Option<&'m NodeProto>, body: Option<LoopBody>) -> Scope<'m> {
        Scope {
            graph,
            node,
            declared: DeclaredTypes::from_graph(graph),
            bindings: FxHashMap::default(),
            imported: FxHashMap::default(),
            body,
        }
    }
}

impl<'m> Importer<'m, '_> {
    /// Returns the number of the scope that binds a name, and the binding.
    pub(super) fn lookup(&self, name: &str) -> Option<(usize, &Binding)> {
        let scopes = self.scopes.iter().enumerate().rev();
        scopes.filter_map(|(depth, scope)| Some((depth, scope.bindings.get(name)?))).next()
    }

    /// Returns the constant bound to a name, if any.
    pub(super) fn constant_value(&self, name: &str) -> Option<&Tensor> {
        self.constant_of(self.lookup(name)?.1)
    }

    /// Returns the constant of a binding, if it is one.
    pub(super) fn constant_of<'s>(&'s self, binding: &'s Binding) -> Option<&'s Tensor> {
        match binding {
            Binding::Constant(tensor) => Some(tensor),
            Binding::Value(value) => self.cx.constant_value(*value),
            Binding::Sequence(_) | Binding::Absent | Binding::Failed => None,
        }
    }

    /// Returns true if the binding of a name is known during the import.
    pub(super) fn is_known(&self, name: &str) -> bool {
        let binding = self.lookup(name).map(|(_, binding)| binding);
        binding.is_some_and(|binding| binding.is_constant() || self.constant_of(binding).is_some())
    }

    /// Returns the number of loops around the current op.
    pub(super) fn loop_depth(&self) -> usize {
        self.scopes.iter().filter(|scope| scope.body.is_some()).count()
    }

    /// Returns the binding of a name, with values of the current function.
    pub(super) fn binding(&mut self, name: &'m str) -> Option<Binding> {
        let (depth, binding) = self.lookup(name)?;
        let binding = binding.clone();
        Some(self.import_binding(depth, binding))
    }

    /// Converts a binding of a scope to one with values of the current function.
    fn import_binding(&mut self, depth: usize, binding: Binding) -> Binding {
        match binding {
            Binding::Value(value) => match self.cx.constant_value(value) {
                Some(tensor) if self.crosses_function(depth) => Binding::Constant(tensor.clone()),
                _ => Binding::Value(self.captured(depth, value)),
            },
            Binding::Sequence(items) => {
                Binding::Sequence(items.iter().map(|item| self.import_binding(depth, item.clone())).collect())
            }
            Binding::Constant(_) | Binding::Absent | Binding::Failed => binding,
        }
    }

    /// Returns true if the current function is another one than that of a scope.
    fn crosses_function(&self, depth: usize) -> bool {
        self.scopes[depth + 1..].iter().any(|scope| scope.body.is_some())
    }

    /// Returns a value of a scope as a value of the current function: the loops in between carry it.
    pub(super) fn captured(&mut self, depth: usize, value: ValueId) -> ValueId {
        let mut value = value;
        for depth in depth + 1..self.scopes.len() {
            let Some(mut body) = self.scopes[depth].body.take() else { continue };
            value = body.capture(&mut self.cx.b, value);
            self.scopes[depth].body = Some(body);
        }
        value
    }

    /// Returns the value bound to a name as a value of the current function; a constant is added to the function.
    pub(super) fn value(&mut self, name: &'m str) -> Option<ValueId> {
        let innermost = self.scopes.len() - 1;
        let depth = self.lookup(name)?.0;
        let outer = self.crosses_function(depth);
        if outer && let Some(&value) = self.scopes[innermost].imported.get(name) {
            return Some(value);
        }
        let value = match self.binding(name)? {
            Binding::Value(value) => value,
            Binding::Constant(tensor) => self.cx.add_constant(tensor),
            Binding::Sequence(_) | Binding::Absent | Binding::Failed => return None,
        };
        if outer {
            self.scopes[innermost].imported.insert(name, value);
        } else {
            self.scopes[depth].bindings.insert(name, Binding::Value(value));
        }
        Some(value)
    }

    /// Returns the value of a binding of the current function; a constant is added to the function.
    pub(super) fn value_of(&mut self, binding: &Binding) -> Option<ValueId> {
        match binding {
            Binding::Value(value) => Some(*value),
            Binding::Constant(tensor) => Some(self.cx.add_constant(tensor.clone())),
            Binding::Sequence(_) | Binding::Absent | Binding::Failed => None,
        }
    }
}
