//! Binding of initializers: weights to parameters of the program, others to constants.

use super::fold::constant;
use super::graph::Importer;
use super::scope::Binding;
use super::torch::{Exported, Origin, transposed};
use super::weights::{self, Role};
use crate::proto::GraphProto;
use crate::tensors;
use partita_ir::arena::ValueId;
use partita_ir::build::identifier;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::{Name, Param, ParamKind};
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashSet;

/// Maximum number of different tensors of one name.
const MAX_TENSORS: usize = 1 << 17;

impl<'m> Importer<'m, '_> {
    /// Binds the initializers that live nodes of a graph read: weights to parameters, others to constants.
    pub fn bind_initializers(&mut self, graph: &'m GraphProto, read: &FxHashSet<&str>) -> Result<(), Vec<Diagnostic>> {
        if let Some(sparse) = graph.sparse_initializer.first() {
            let name = sparse.values.as_ref().map_or("", |t| &t.name);
            let title = format!("initializer `{name}` is sparse, which is not supported");
            return Err(vec![Diagnostic::new(Code::F003, title)]);
        }
        let (roles, exported) = (weights::roles(graph), Exported::from_graph(graph));
        let mut errors = Vec::new();
        for proto in graph.initializer.iter().filter(|t| read.contains(t.name.as_str())) {
            let read = tensors::read(proto, self.folder, &format!("initializer `{}`", proto.name));
            let checked = read.and_then(|tensor| self.declared().check(&proto.name, &tensor.ty).map(|()| tensor));
            match checked {
                Ok(tensor) => {
                    self.bind_initializer(&proto.name, tensor, roles.get(proto.name.as_str()).copied(), &exported)
                }
                Err(error) => errors.push(error),
            }
        }
        // Some exporters write weights as `Constant` nodes.
        for node in graph.node.iter().filter(|n| n.op_type == "Constant" && n.output.len() == 1) {
            let (name, Some(&role)) = (&node.output[0], roles.get(node.output[0].as_str())) else { continue };
            if let Some(Ok(tensor)) = constant(node)
                && let Some(kind) = weights::constant_param_kind(&tensor, role)
                && !self.is_bound(name)
                && let Some(value) = self.param(name, tensor, kind)
            {
                self.bind(name, Binding::Value(value));
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    /// Binds an initializer to a parameter or a constant.
    fn bind_initializer(&mut self, name: &'m str, tensor: Tensor, role: Option<Role>, exported: &Exported<'m>) {
        let origin = exported.origin(name, &tensor);
        let (path, kind) = match &origin {
            Some(Origin::Parameter(path) | Origin::Transposed(path)) => (*path, Some(ParamKind::Trainable)),
            Some(Origin::Constant) => (name, weights::untrained_kind(&tensor, role)),
            None => (name, weights::param_kind(name, &tensor, role)),
        };
        let Some(kind) = kind else { return self.bind(name, Binding::Constant(tensor)) };
        let is_transposed = matches!(origin, Some(Origin::Transposed(_)));
        let tensor = if is_transposed { transposed(&tensor) } else { tensor };
        if let Some(value) = self.param(path, tensor, kind) {
            let value = if is_transposed { self.cx.b.swap_dims(value, 0, 1) } else { value };
            self.bind(name, Binding::Value(value));
        }
    }

    /// Returns the parameter of the program with the given path, as a value of the innermost graph; declares it if
    /// necessary. Equal tensors of the same path, in an unrolled loop, are one parameter; another tensor of the same
    /// path, in another nested graph, is numbered.
    fn param(&mut self, path: &str, tensor: Tensor, kind: ParamKind) -> Option<ValueId> {
        let paths = std::iter::once(path.to_owned()).chain((1..).map(|i| format!("{path}.{i}")));
        let is_free = |path: &String| self.weights.get(path.as_str()).is_none_or(|known| *known == tensor);
        let path = paths.take(MAX_TENSORS).find(is_free)?;
        let known = self.cx.b.program.params.values().find(|param| *param.path == *path).map(|param| param.value);
        let value = match known {
            Some(value) => value,
            None => {
                let name = self.param_name(&path);
                let value = self.cx.b.program.input(name, tensor.ty.clone());
                let param = Param { path: path.clone(), kind, value, parent: None, init: None };
                self.cx.b.program.params.push(param);
                self.weights.insert(path, tensor);
                value
            }
        };
        Some(self.captured(0, value))
    }

    /// Returns an unused name of the main function for the parameter with the given path.
    fn param_name(&mut self, path: &str) -> Name {
        let base = identifier(path);
        match self.scopes.iter_mut().find_map(|scope| scope.body.as_mut()) {
            // The names of the main function are set aside by the outermost loop.
            Some(outermost) => outermost.outer_name(&base),
            None => self.cx.b.names.fresh(&base),
        }
    }
}
