//! Inlining of the functions of a model: an operation that the model defines as a graph of other operations.

use crate::proto::{AttributeProto, FunctionProto, GraphProto, ModelProto, NodeProto, ValueInfoProto};
use partita_ir::diag::{Code, Diagnostic};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Maximum number of calls around a node.
const MAX_CALL_DEPTH: usize = 32;

/// Maximum number of nodes after inlining.
const MAX_NODES: usize = 1 << 20;

/// Replaces calls of the functions of a model by their nodes.
///
/// # Errors
/// Returns `F003` for a function of another opset than the model, and `T004` for too many calls or nodes.
pub fn inline(model: &ModelProto) -> Result<Cow<'_, ModelProto>, Diagnostic> {
    let Some(graph) = model.graph.as_ref().filter(|_| !model.functions.is_empty()) else {
        return Ok(Cow::Borrowed(model));
    };
    let functions = model.functions.iter().map(|function| (key(&function.domain, &function.name), function)).collect();
    let mut inliner = Inliner { model, functions, nodes: 0 };
    let graph = inliner.graph(graph, &Names::default(), 0)?;
    Ok(Cow::Owned(ModelProto { graph: Some(graph), functions: Vec::new(), ..model.clone() }))
}

/// Returns the key of a function: domain and name.
fn key<'m>(domain: &'m str, name: &'m str) -> (&'m str, &'m str) {
    (if domain == "ai.onnx" { "" } else { domain }, name)
}

/// Names and attributes of a call.
#[derive(Default)]
struct Names<'c> {
    /// Names of operands and results, by their names in the function.
    known: FxHashMap<&'c str, String>,
    /// Prefix of all other names; `None` outside of calls.
    prefix: Option<String>,
    /// Attributes of the call.
    attributes: Vec<&'c AttributeProto>,
}

impl Names<'_> {
    /// Returns the name that replaces a name of the function.
    fn renamed(&self, name: &str) -> String {
        match (&self.prefix, self.known.get(name)) {
            (None, _) => name.to_owned(),
            (Some(_), _) if name.is_empty() => String::new(),
            (Some(_), Some(known)) => known.clone(),
            (Some(prefix), None) => format!("{prefix}/{name}"),
        }
    }

    fn value(&self, info: &ValueInfoProto) -> ValueInfoProto {
        ValueInfoProto { name: self.renamed(&info.name), ..info.clone() }
    }
}

struct Inliner<'m> {
    model: &'m ModelProto,
    functions: FxHashMap<(&'m str, &'m str), &'m FunctionProto>,
    /// Number of nodes so far.
    nodes: usize,
}

impl Inliner<'_> {
    fn graph(&mut self, graph: &GraphProto, names: &Names<'_>, depth: usize) -> Result<GraphProto, Diagnostic> {
        let values = |list: &[ValueInfoProto]| list.iter().map(|info| names.value(info)).collect();
        let mut inlined = GraphProto {
            node: Vec::new(),
            name: graph.name.clone(),
            initializer: graph.initializer.clone(),
            input: values(&graph.input),
            output: values(&graph.output),
            value_info: values(&graph.value_info),
            sparse_initializer: graph.sparse_initializer.clone(),
            metadata_props: graph.metadata_props.clone(),
        };
        inlined.initializer.iter_mut().for_each(|tensor| tensor.name = names.renamed(&tensor.name));
        for node in &graph.node {
            self.node(node, names, depth, &mut inlined.node)?;
        }
        Ok(inlined)
    }

    /// Appends a node, or the nodes of the function that it calls.
    fn node(
        &mut self,
        node: &NodeProto,
        names: &Names<'_>,
        depth: usize,
        nodes: &mut Vec<NodeProto>,
    ) -> Result<(), Diagnostic> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            let title = format!("inlining the functions of the model produces more than {MAX_NODES} nodes");
            return Err(Diagnostic::new(Code::T004, title));
        }
        let all = |list: &[String]| list.iter().map(|name| names.renamed(name)).collect();
        let mut renamed = NodeProto {
            input: all(&node.input),
            output: all(&node.output),
            name: names.renamed(&node.name),
            op_type: node.op_type.clone(),
            domain: node.domain.clone(),
            attribute: Vec::new(),
            metadata_props: node.metadata_props.clone(),
        };
        for attribute in &node.attribute {
            if attribute.ref_attr_name.is_empty() {
                let mut attribute = attribute.clone();
                attribute.g = attribute.g.map(|graph| self.graph(&graph, names, depth)).transpose()?;
                let graphs = attribute.graphs.iter().map(|graph| self.graph(graph, names, depth));
                attribute.graphs = graphs.collect::<Result<_, _>>()?;
                renamed.attribute.push(attribute);
            } else if let Some(given) = names.attributes.iter().find(|given| given.name == attribute.ref_attr_name) {
                renamed.attribute.push(AttributeProto { name: attribute.name.clone(), ..(*given).clone() });
            }
        }
        match self.functions.get(&key(&node.domain, &node.op_type)).copied() {
            Some(function) => self.call(function, &renamed, depth, nodes),
            None => {
                nodes.push(renamed);
                Ok(())
            }
        }
    }

    /// Appends the nodes of a function.
    fn call(
        &mut self,
        function: &FunctionProto,
        call: &NodeProto,
        depth: usize,
        nodes: &mut Vec<NodeProto>,
    ) -> Result<(), Diagnostic> {
        if depth == MAX_CALL_DEPTH {
            let title = format!("functions call each other {MAX_CALL_DEPTH} levels deep");
            return Err(Diagnostic::new(Code::T004, title).note(format!("at a call of `{}`", function.name)));
        }
        self.check_opset(function)?;
        let prefix = match (call.name.as_str(), call.output.iter().find(|name| !name.is_empty())) {
            ("", Some(result)) => result.clone(),
            (name, _) => name.to_owned(),
        };
        let operands = function.input.iter().enumerate();
        let mut known: FxHashMap<&str, String> =
            operands.map(|(i, name)| (name.as_str(), call.input.get(i).cloned().unwrap_or_default())).collect();
        let mut copies = Vec::new();
        for (name, result) in function.output.iter().zip(&call.output).filter(|(_, result)| !result.is_empty()) {
            match known.get(name.as_str()) {
                // The function returns an operand, or a value twice.
                Some(value) => copies.push((value.clone(), result.clone())),
                None => _ = known.insert(name, result.clone()),
            }
        }
        let defaults = function.attribute_proto.iter();
        let names = Names { known, prefix: Some(prefix), attributes: call.attribute.iter().chain(defaults).collect() };
        for node in &function.node {
            self.node(node, &names, depth + 1, nodes)?;
        }
        let copy = |(value, result)| NodeProto {
            input: vec![value],
            output: vec![result],
            op_type: "Identity".into(),
            ..NodeProto::default()
        };
        nodes.extend(copies.into_iter().map(copy));
        Ok(())
    }

    /// Checks that a function has the opsets of the model, whose operations it then calls.
    fn check_opset(&self, function: &FunctionProto) -> Result<(), Diagnostic> {
        for import in &function.opset_import {
            let same = |other: &&crate::proto::OperatorSetIdProto| key(&other.domain, "") == key(&import.domain, "");
            match self.model.opset_import.iter().find(same) {
                Some(own) if own.version != import.version => {
                    let title = format!(
                        "the function `{}` uses opset {}, and the model opset {}",
                        function.name, import.version, own.version
                    );
                    let help = "inline it: `onnx.inliner.inline_local_functions(model, True)` in Python";
                    return Err(Diagnostic::new(Code::F003, title).help(help));
                }
                _ => {}
            }
        }
        Ok(())
    }
}
