//! Recording of a Burn module and its forward function as a graph, without executing operations or allocating
//! parameters.
//!
//! Burn's capture device records every operation instead of executing it. The module is built on that device, so that
//! its lazily initialised parameters become one recorded initializer each; its parameters are then visited for their
//! dotted paths, and the forward function is called on inputs that have a shape and no data. The result is a
//! [`Captured`] graph for [`crate::import()`].
//!
//! In [`Mode::Training`] the tensors use Burn's autodiff layer, on which `nn::Dropout` is active. That layer decomposes
//! softmax, layer norm and attention into basic operations, so [`Mode::Inference`] is the default.

use crate::annotate::{Annotation, Recording};
use crate::tensors::{Inputs, Outputs, tensor_id};
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Bool, Device, Int, Tensor, TensorData};
use burn_ir::{OperationIr, TensorId};
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::ParamKind;
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Behaviour of mode-dependent layers (dropout, batch norm) during a trace.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mode {
    /// Inference: Burn's dropout is the identity, and batch norm uses its running statistics.
    #[default]
    Inference,
    /// Training: Burn's dropout is active. Burn's batch norm cannot be recorded in this mode.
    Training,
}

/// A recorded module.
#[derive(Debug)]
pub struct Captured {
    /// Operations in call order, including those of parameter initializers.
    pub operations: Vec<OperationIr>,
    /// Data of the tensors that the module or the function created from host data.
    pub values: BTreeMap<TensorId, TensorData>,
    /// Parameters of the module by tensor, in the order of its fields. Fields that share a tensor are one parameter
    /// under the path of the first field.
    pub params: IndexMap<TensorId, Parameter>,
    /// Annotations by tensor.
    pub annotations: BTreeMap<TensorId, Annotation>,
    /// The traced function's inputs, in order.
    pub inputs: Vec<TensorId>,
    /// The traced function's results, in order.
    pub outputs: Vec<TensorId>,
}

/// A parameter of a recorded module.
#[derive(Debug)]
pub struct Parameter {
    /// Dotted path of the module field (`layers.0.weight`).
    pub path: String,
    /// Role of the parameter in training: trainable, frozen or state.
    pub kind: ParamKind,
}

/// Records `forward` of the module that `init` builds, on inputs of the given shapes.
///
/// Returns an error if the module panics during the trace, or if an input or result is not on the capture device. A
/// module panics if its sizes are invalid, or if it reads a tensor value, which a trace does not have.
pub fn capture<M: Module, I: Inputs, O: Outputs>(
    mode: Mode,
    init: impl FnOnce(&Device) -> M,
    forward: impl FnOnce(&M, I) -> O,
    shapes: I::Shapes,
) -> Result<Captured, Diagnostic> {
    thread_local! {
        // Burn numbers capture devices and never reuses a number, so one device per thread is created.
        static DEVICE: Device = Device::capture();
    }
    let capture_device = DEVICE.with(Device::clone);
    let device = match mode {
        Mode::Inference => capture_device.clone(),
        Mode::Training => capture_device.clone().autodiff(),
    };
    let recording = Recording::start();
    let mut params = ParamCollector::default();
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    // Inputs and outputs are collected here instead of being declared to the scope, because a scope requires input data
    // and distinct outputs.
    let record = || {
        capture_device.capture_scope(|scope| {
            let module = init(&device);
            module.visit(&mut params);
            let output = forward(&module, I::record(shapes, &device, &mut inputs));
            output.ids(&mut outputs);
            scope.complete([], [])
        })
    };
    let captured = catch_unwind(AssertUnwindSafe(record)).map_err(|payload| panic_diagnostic(payload.as_ref()))?;
    let captured = captured.map_err(|e| Diagnostic::new(Code::F002, format!("the module cannot be traced: {e}")))?;
    let results = captured.graph.operations.iter().flat_map(OperationIr::outputs);
    Ok(Captured {
        annotations: recording.take(results.map(|tensor| tensor.id)),
        operations: captured.graph.operations,
        values: captured.values,
        params: params.found,
        inputs: boundary_ids("input", inputs)?,
        outputs: boundary_ids("result", outputs)?,
    })
}

/// Returns the ids of inputs or results; `what` names them in messages. Errors: a tensor is not on the capture device.
fn boundary_ids(what: &str, ids: Vec<Option<TensorId>>) -> Result<Vec<TensorId>, Diagnostic> {
    let foreign = |i| {
        Diagnostic::new(Code::F002, format!("{what} {i} of the traced function is not computed in the trace"))
            .help("compute it from the inputs, or create it on the device that is passed to `init`")
    };
    ids.into_iter().enumerate().map(|(i, id)| id.ok_or_else(|| foreign(i))).collect()
}

fn panic_diagnostic(payload: &(dyn Any + Send)) -> Diagnostic {
    let message = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    Diagnostic::new(Code::F002, "the module panicked during the trace")
        .note(message.unwrap_or("without a message").to_owned())
        .help(
            "a trace has shapes but no values: take `into_data`, `into_scalar` and branches on values out of the \
               forward function",
        )
        .help("Burn's `one_hot` reads its indices: compare them with `Tensor::arange` instead")
}

/// Visitor that collects parameters with their paths.
#[derive(Default)]
struct ParamCollector {
    path: Vec<String>,
    containers: Vec<String>,
    found: IndexMap<TensorId, Parameter>,
}

impl ParamCollector {
    fn add(&mut self, id: Option<TensorId>, kind: ParamKind) {
        let Some(id) = id else { return };
        self.found.entry(id).or_insert_with(|| Parameter { path: self.path.join("."), kind });
    }
}

impl ModuleVisitor for ParamCollector {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.push(name.to_owned());
        self.containers.push(container.to_owned());
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
        self.containers.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let kind = match (is_trainable(param), self.containers.last().map(String::as_str)) {
            (true, _) => ParamKind::Trainable,
            (false, Some("Struct:BatchNorm")) => ParamKind::State,
            (false, _) => ParamKind::Frozen,
        };
        self.add(tensor_id(param.base()), kind);
    }

    fn visit_int<const D: usize>(&mut self, param: &Param<Tensor<D, Int>>) {
        self.add(tensor_id(param.base()), ParamKind::State);
    }

    fn visit_bool<const D: usize>(&mut self, param: &Param<Tensor<D, Bool>>) {
        self.add(tensor_id(param.base()), ParamKind::State);
    }
}

/// Returns true if a parameter is trainable, that is, not disabled by `no_grad` or `freeze`. Burn exposes this flag
/// only through a tensor on an autodiff device, so a `[1; D]` tensor is substituted for the parameter.
fn is_trainable<const D: usize>(param: &Param<Tensor<D>>) -> bool {
    let placeholder = |_| Tensor::zeros([1; D], &Device::flex());
    param.clone().map(placeholder).train().base().is_require_grad()
}
