//! From the messages to a traced program and its weights.
//!
//! The initializers that are weights become parameters under their own names, other ones constants; inputs become
//! inputs, with the sizes that the user gives to symbolic dimensions. Of the nodes only those are lowered that the
//! results need, each by the file of its family: [`table`] says which. A node whose operands are all known is lowered
//! into a program of its own, which is run: so the shapes that exporters compute in operations become numbers.

mod contraction;
mod elementwise;
mod fold;
mod indexing;
mod inputs;
mod loss;
mod lowering;
mod movement;
mod names;
mod reduction;
mod table;
mod weights;
mod window;

use crate::file;
use crate::name::Named;
use crate::proto::{GraphProto, ModelProto, NodeProto};
use crate::schema;
use crate::tensors::{self, MAX_DIM};
use fold::{constant, fold};
use inputs::Sizes;
use lowering::{Lowering, Node, Out, Refusal};
use names::Declared;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer, identifier};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::origin::Origin;
use partita_ir::program::{Param, Program};
use partita_ir::tensor::{Tensor, Weights};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// The opsets whose operations are known.
pub const OPSETS: std::ops::RangeInclusive<i64> = 11..=21;

/// An imported model.
pub struct Imported {
    /// The forward model, in the form traced.
    pub program: Program,
    /// The data of its parameters.
    pub weights: Weights,
}

/// Reads the model of that name: a file, the sizes of its symbolic dimensions (`model.onnx?batch=32&seq=128`), and
/// perhaps a loss (`loss=cross_entropy`), which takes the place of its results.
///
/// # Errors
/// `C001` for a file that cannot be read, `F002` for one that is damaged, `F001` and `F003` for what there is no
/// lowering of, `F004` for sizes that are missing or that no dimension has.
pub fn import(name: &str) -> Result<Imported, Vec<Diagnostic>> {
    let named = Named::parse(name)?;
    let model = file::read(named.path).map_err(|e| vec![e])?;
    import_model(&model, name)
}

/// Imports a model that was read already; data beside it lies in the folder that `name` names.
///
/// # Errors
/// As [`import`], but for the file.
pub fn import_model(model: &ModelProto, name: &str) -> Result<Imported, Vec<Diagnostic>> {
    let named = Named::parse(name)?;
    let nothing = || vec![Diagnostic::new(Code::F002, format!("`{}` holds no graph", named.path.display()))];
    let graph = model.graph.as_ref().ok_or_else(nothing)?;
    let named_twice = names::check(model, graph);
    if !named_twice.is_empty() {
        return Err(named_twice);
    }
    let opset = opset(model).map_err(|e| vec![e])?;
    let own = graph.node.iter().filter(|node| matches!(node.domain.as_str(), "" | "ai.onnx"));
    let wrong =
        own.filter_map(|node| Some(refused(node, opset, Refusal::Malformed(schema::check(node, opset).err()?))));
    let wrong: Vec<Diagnostic> = wrong.collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let sizes = Sizes::of(graph, &named)?;
    let mut program = Program::with_source(name);
    let mut namer = Namer::default();
    let cx = Lowering::new(Builder::new(&mut program, &mut namer));
    let importer = Importer {
        graph,
        opset,
        cx,
        declared: Declared::of(graph),
        entries: FxHashMap::default(),
        weights: Weights::new(),
        left: fold::BUDGET,
    };
    let weights = importer.run(&named, &sizes)?;
    Ok(Imported { program: program.compact(), weights })
}

/// A file that contradicts itself.
fn file_error(title: String) -> Diagnostic {
    Diagnostic::new(Code::F002, title)
}

/// The version of the operations.
fn opset(model: &ModelProto) -> Result<i64, Diagnostic> {
    let own = |domain: &str| domain.is_empty() || domain == "ai.onnx";
    let Some(import) = model.opset_import.iter().find(|import| own(&import.domain)) else {
        return Err(Diagnostic::new(Code::F002, "the model does not say which opset it is of"));
    };
    match OPSETS.contains(&import.version) {
        true => Ok(import.version),
        false => {
            let (first, last) = (OPSETS.start(), OPSETS.end());
            let title = format!("the model is of opset {}; known are {first} to {last}", import.version);
            let how = format!("convert it: `onnx.version_converter.convert_version(model, {last})` in Python");
            Err(Diagnostic::new(Code::F003, title).help(how))
        }
    }
}

/// What a name of the graph stands for.
#[derive(Clone)]
enum Entry {
    /// A value of the program.
    Value(ValueId),
    /// Numbers, which become a constant where they are needed.
    Known(Tensor),
    /// A result of a node that was refused: its readers are not refused once more.
    Lost,
}

/// The state of an import.
struct Importer<'m, 'p> {
    graph: &'m GraphProto,
    opset: i64,
    cx: Lowering<'p>,
    /// The types that the file declares.
    declared: Declared<'m>,
    entries: FxHashMap<&'m str, Entry>,
    weights: Weights,
    /// What may still be computed while the model is read.
    left: u64,
}

impl<'m> Importer<'m, '_> {
    fn run(mut self, named: &Named<'_>, sizes: &Sizes<'m>) -> Result<Weights, Vec<Diagnostic>> {
        let (live, read) = live(self.graph)?;
        self.initializers(&read, named)?;
        for input in &sizes.inputs {
            self.declared.check(input.name, &input.ty).map_err(|error| vec![error])?;
            let name = self.cx.b.names.fresh(&identifier(input.name));
            let value = self.cx.b.program.input(name, input.ty.clone());
            self.entries.insert(input.name, Entry::Value(value));
        }
        let mut errors = Vec::new();
        for node in live {
            if let Err(error) = self.node(node) {
                node.output.iter().for_each(|name| _ = self.entries.insert(name, Entry::Lost));
                errors.push(error);
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut outputs = Vec::new();
        for output in &self.graph.output {
            let value = self.value(&output.name).ok_or_else(|| {
                let title = format!("nothing in the graph gives its result `{}`", output.name);
                vec![Diagnostic::new(Code::F002, title)]
            })?;
            outputs.push((output.name.as_str(), value));
        }
        if let Some((loss, _)) = &named.loss
            && let Some((name, value)) = outputs.first()
        {
            let loss = loss::append(*loss, &mut self.cx, *value).map_err(|refusal| vec![no_loss(name, refusal)])?;
            outputs = vec![("loss", loss)];
        }
        let main = self.cx.b.program.entry();
        let body = needed(self.cx.b.program, &self.cx.b.body, outputs.iter().map(|(_, v)| *v));
        *self.cx.b.program.funcs[main].ops_mut() = body;
        for (name, value) in outputs {
            self.cx.b.program.output(name, value);
        }
        Ok(self.weights)
    }

    /// Declares what live nodes read of the initializers: parameters, and numbers that are known.
    fn initializers(&mut self, read: &FxHashSet<&str>, named: &Named<'_>) -> Result<(), Vec<Diagnostic>> {
        if let Some(sparse) = self.graph.sparse_initializer.first() {
            let name = sparse.values.as_ref().map_or("", |t| &t.name);
            let title = format!("initializer `{name}` is sparse, which is not supported");
            return Err(vec![Diagnostic::new(Code::F003, title)]);
        }
        let roles = weights::roles(self.graph);
        let folder = named.path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut errors = Vec::new();
        for proto in self.graph.initializer.iter().filter(|t| read.contains(t.name.as_str())) {
            let read = tensors::read(proto, folder, &format!("initializer `{}`", proto.name));
            match read.and_then(|tensor| self.declared.check(&proto.name, &tensor.ty).map(|()| tensor)) {
                Ok(tensor) => match weights::kind(&proto.name, &tensor, roles.get(proto.name.as_str()).copied()) {
                    Some(kind) => self.param(&proto.name, tensor, kind),
                    None => _ = self.entries.insert(&proto.name, Entry::Known(tensor)),
                },
                Err(error) => errors.push(error),
            }
        }
        // Some exporters write weights as nodes.
        for node in self.graph.node.iter().filter(|n| n.op_type == "Constant" && n.output.len() == 1) {
            let (name, Some(&role)) = (&node.output[0], roles.get(node.output[0].as_str())) else { continue };
            if let Some(Ok(tensor)) = constant(node)
                && let Some(kind) = weights::kind_of_constant(&tensor, role)
                && !self.entries.contains_key(name.as_str())
            {
                self.param(name, tensor, kind);
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn param(&mut self, path: &'m str, tensor: Tensor, kind: partita_ir::program::ParamKind) {
        if self.weights.contains_key(path) {
            return;
        }
        let name = self.cx.b.names.fresh(&identifier(path));
        let value = self.cx.b.program.input(name, tensor.ty.clone());
        self.cx.b.program.params.push(Param { path: path.into(), kind, value, of: None, init: None });
        self.entries.insert(path, Entry::Value(value));
        self.weights.insert(path.into(), tensor);
    }

    /// The value that a name stands for; numbers become a constant.
    fn value(&mut self, name: &'m str) -> Option<ValueId> {
        match self.entries.get(name)? {
            Entry::Value(value) => Some(*value),
            Entry::Lost => None,
            Entry::Known(tensor) => {
                let tensor = tensor.clone();
                let value = self.cx.b.constant(&tensor);
                self.cx.know(value, tensor);
                self.entries.insert(name, Entry::Value(value));
                Some(value)
            }
        }
    }

    /// What a name stands for, when it is known.
    fn known(&self, name: &str) -> Option<&Tensor> {
        match self.entries.get(name)? {
            Entry::Known(tensor) => Some(tensor),
            Entry::Value(value) => self.cx.known(*value),
            Entry::Lost => None,
        }
    }

    /// Lowers a node.
    fn node(&mut self, node: &'m NodeProto) -> Result<(), Diagnostic> {
        let inputs: Vec<Option<&'m str>> =
            node.input.iter().map(|name| Some(name.as_str()).filter(|n| !n.is_empty())).collect();
        for name in inputs.iter().flatten() {
            match self.entries.get(name) {
                Some(Entry::Lost) => {
                    node.output.iter().for_each(|out| _ = self.entries.insert(out, Entry::Lost));
                    return Ok(());
                }
                Some(_) => {}
                None => {
                    let why = format!("reads `{name}`, which nothing before it gives");
                    return Err(refused(node, self.opset, Refusal::Malformed(why)));
                }
            }
        }
        if node.op_type == "Constant" && node.output.first().is_some_and(|o| self.weights.contains_key(o)) {
            return Ok(());
        }
        let outs = self.outs(node, &inputs).map_err(|refusal| refused(node, self.opset, refusal))?;
        for (name, out) in node.output.iter().zip(outs).filter(|(name, _)| !name.is_empty()) {
            let entry = match out {
                Out::Value(value) => Entry::Value(value),
                Out::Known(tensor) => Entry::Known(tensor),
            };
            let ty = match &entry {
                Entry::Value(value) => self.cx.b.ty(*value),
                Entry::Known(tensor) => tensor.ty.clone(),
                Entry::Lost => continue,
            };
            self.declared.check(name, &ty)?;
            if self.entries.insert(name, entry).is_some() {
                let why = format!("gives `{name}`, which was given before");
                return Err(refused(node, self.opset, Refusal::Malformed(why)));
            }
        }
        Ok(())
    }

    fn outs(&mut self, node: &'m NodeProto, inputs: &[Option<&'m str>]) -> lowering::Lowered {
        if !matches!(node.domain.as_str(), "" | "ai.onnx") {
            return Err(Refusal::Unknown);
        }
        if node.op_type == "Constant" {
            let tensor = constant(node).ok_or(Refusal::Option("a value that is not a tensor of numbers".into()))?;
            return lowering::known(tensor.map_err(|e| Refusal::Malformed(e.title))?);
        }
        let mut left = self.left;
        let known: Option<Vec<&Tensor>> = inputs.iter().flatten().map(|name| self.known(name)).collect();
        if let Some(known) = known
            && let Some(outs) = fold(node, self.opset, inputs, &known, &mut left)?
        {
            self.left = left;
            return Ok(outs);
        }
        let args = inputs.iter().map(|name| name.and_then(|name| self.value(name))).collect();
        self.cx.b.origin = Origin::at(0, weights::scope(&node.name));
        let (mark, at) = (self.cx.b.body.len(), Node::new(node, self.opset, args));
        let outs = table::lower(&mut self.cx, &at)?;
        check(self.cx.b.program, &self.cx.b.body[mark..])?;
        Ok(outs)
    }
}

/// The nodes that the results need, in order, and every name that they or the results read.
fn live(graph: &GraphProto) -> Result<(Vec<&NodeProto>, FxHashSet<&str>), Vec<Diagnostic>> {
    if graph.output.is_empty() {
        return Err(vec![Diagnostic::new(Code::F002, "the graph gives no results")]);
    }
    let mut read: FxHashSet<&str> = graph.output.iter().map(|o| o.name.as_str()).collect();
    let mut live = Vec::new();
    for node in graph.node.iter().rev() {
        if node.output.iter().any(|name| read.contains(name.as_str())) {
            read.extend(node.input.iter().map(String::as_str).filter(|name| !name.is_empty()));
            live.push(node);
        }
    }
    live.reverse();
    Ok((live, read))
}

/// That ops fit their operands and give what they say, and are no larger than what can be worked with.
fn check(program: &Program, ops: &[OpId]) -> Result<(), Refusal> {
    for &op in ops {
        let op = &program.ops[op];
        let (args, outs) = (program.arg_types(op), program.out_types(op));
        let inferred = op.kind.infer(program, &args, &outs).map_err(Refusal::Malformed)?;
        if let Some((want, got)) = inferred.iter().zip(&outs).find(|(want, got)| want != *got) {
            return Err(Refusal::Malformed(format!("gives {want} and not {got}")));
        }
        if let Some(large) = outs.iter().find(|ty| ty.shape.iter().any(|&n| n > MAX_DIM)) {
            return Err(Refusal::TooLarge(large.to_string()));
        }
    }
    Ok(())
}

/// Those of the ops that the results need: constants that were read as attributes are not.
fn needed(program: &Program, body: &[OpId], results: impl Iterator<Item = ValueId>) -> Vec<OpId> {
    let mut read = vec![false; program.values.len()];
    results.for_each(|v| read[v.index()] = true);
    let mut kept: Vec<OpId> = Vec::with_capacity(body.len());
    for &id in body.iter().rev() {
        let op = &program.ops[id];
        if op.outs.iter().any(|v| read[v.index()]) {
            op.args.iter().for_each(|v| read[v.index()] = true);
            kept.push(id);
        }
    }
    kept.reverse();
    kept
}

/// That a result cannot be compared with targets.
fn no_loss(result: &str, refusal: Refusal) -> Diagnostic {
    let why = if let Refusal::Malformed(why) = refusal { why } else { "cannot be compared with targets".into() };
    Diagnostic::new(Code::F004, format!("the loss of `{result}` {why}"))
}

/// What is wrong with a node.
fn refused(node: &NodeProto, opset: i64, refusal: Refusal) -> Diagnostic {
    let what = format!("ONNX operation `{}`", node.op_type);
    let (code, title) = match refusal {
        Refusal::Unknown => (Code::F001, format!("{what} cannot be lowered")),
        Refusal::Option(option) => (Code::F001, format!("{what} cannot be lowered with {option}")),
        Refusal::DType(name) => (Code::F003, format!("{what} has the element type {name}, which programs do not have")),
        Refusal::Unknowable(operand) => {
            (Code::F003, format!("{what} computes its {operand} at run time, but shapes are static"))
        }
        Refusal::Malformed(why) => (Code::F002, format!("{what}: {why}")),
        Refusal::TooLarge(ty) => (Code::T004, format!("{what} makes a tensor that is too large: {ty}")),
    };
    let domain = if node.domain.is_empty() { "ai.onnx" } else { &node.domain };
    let place = match (node.name.as_str(), node.output.first()) {
        ("", Some(output)) => format!("the node that gives `{output}`"),
        (name, _) => format!("node `{name}`"),
    };
    Diagnostic::new(code, title).note(match domain {
        "ai.onnx" => format!("{place}, domain `{domain}`, opset {opset}"),
        _ => format!("{place}, domain `{domain}`"),
    })
}
