//! A Burn module and its forward function as a recorded graph: nothing runs, and no parameter is allocated.
//!
//! Burn's capture device records every operation instead of executing it. The module is built on that device, so that
//! its lazily initialised parameters become one recorded initialiser each; its parameters are then visited for their
//! dotted paths, and the forward function is called on inputs that have a shape and no data. The result is a
//! [`Captured`] graph for [`crate::import()`].
//!
//! In [`Mode::Training`] the tensors are on Burn's autodiff layer, where `nn::Dropout` drops. That layer takes softmax,
//! layer norm and attention apart, so [`Mode::Inference`] is the default.

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

/// Which of its two behaviours a module is traced in.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mode {
    /// As it predicts: Burn's dropout does nothing, batch norm uses its running statistics.
    #[default]
    Inference,
    /// As it learns: Burn's dropout drops. Burn's batch norm cannot be recorded so.
    Training,
}

/// A recorded module.
#[derive(Debug)]
pub struct Captured {
    /// The operations, in the order in which they were called, those of initialisers included.
    pub operations: Vec<OperationIr>,
    /// Data of tensors that were made from data.
    pub values: BTreeMap<TensorId, TensorData>,
    /// The module's parameters in the order of its fields, by tensor. Fields that share a tensor are one
    /// parameter, under the path of the first.
    pub params: IndexMap<TensorId, Parameter>,
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
    /// What it is to training.
    pub kind: ParamKind,
}

/// Records `forward` of the module that `init` builds, on inputs of the given shapes.
///
/// # Errors
/// The module panics while it is traced: it is built from impossible sizes, or it reads a value, which a trace does not
/// have.
pub fn capture<M: Module, I: Inputs, O: Outputs>(
    mode: Mode,
    init: impl FnOnce(&Device) -> M,
    forward: impl FnOnce(&M, I) -> O,
    shapes: I::Shapes,
) -> Result<Captured, Diagnostic> {
    thread_local! {
        // Burn numbers capture devices and never reuses a number; one a thread is enough.
        static DEVICE: Device = Device::capture();
    }
    let plain = DEVICE.with(Device::clone);
    let device = match mode {
        Mode::Inference => plain.clone(),
        Mode::Training => plain.clone().autodiff(),
    };
    let mut params = Params::default();
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    // Boundaries are kept here and not declared to the scope: there, an input needs data and an output may not repeat.
    let record = || {
        plain.capture_scope(|scope| {
            let module = init(&device);
            module.visit(&mut params);
            let output = forward(&module, I::record(shapes, &device, &mut inputs));
            output.ids(&mut outputs);
            scope.complete([], [])
        })
    };
    let captured = catch_unwind(AssertUnwindSafe(record)).map_err(|payload| panicked(payload.as_ref()))?;
    let captured = captured.map_err(|e| Diagnostic::new(Code::F002, format!("the module cannot be traced: {e}")))?;
    Ok(Captured {
        operations: captured.graph.operations,
        values: captured.values,
        params: params.found,
        inputs: boundary("input", inputs)?,
        outputs: boundary("result", outputs)?,
    })
}

/// The ids of inputs or results, all of which must be on the capture device.
fn boundary(what: &str, ids: Vec<Option<TensorId>>) -> Result<Vec<TensorId>, Diagnostic> {
    let stranger = |i| {
        Diagnostic::new(Code::F002, format!("{what} {i} of the traced function is not made in the trace"))
            .help("make it from the inputs, or on the device that `init` gets")
    };
    ids.into_iter().enumerate().map(|(i, id)| id.ok_or_else(|| stranger(i))).collect()
}

fn panicked(payload: &(dyn Any + Send)) -> Diagnostic {
    let message = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    Diagnostic::new(Code::F002, "the module panics while it is traced")
        .note(message.unwrap_or("without a message").to_owned())
        .help(
            "a trace has shapes but no values: take `into_data`, `into_scalar` and branches on values out of the \
               forward function",
        )
        .help("Burn's `one_hot` reads its indices: compare them with `Tensor::arange` instead")
}

/// Collects parameters with their paths.
#[derive(Default)]
struct Params {
    path: Vec<String>,
    containers: Vec<String>,
    found: IndexMap<TensorId, Parameter>,
}

impl Params {
    fn add(&mut self, id: Option<TensorId>, kind: ParamKind) {
        let Some(id) = id else { return };
        self.found.entry(id).or_insert_with(|| Parameter { path: self.path.join("."), kind });
    }
}

impl ModuleVisitor for Params {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.push(name.to_owned());
        self.containers.push(container.to_owned());
    }

    fn exit_module(&mut self, _name: &str, _container: &str) {
        self.path.pop();
        self.containers.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let kind = match (is_active(param), self.containers.last().map(String::as_str)) {
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

/// Whether a parameter is to be trained, which `no_grad` and `freeze` turn off. Burn keeps it to itself, and only a
/// tensor on an autodiff device tells: a small one takes the parameter's place.
fn is_active<const D: usize>(param: &Param<Tensor<D>>) -> bool {
    let small = |_| Tensor::zeros([1; D], &Device::flex());
    param.clone().map(small).train().base().is_require_grad()
}
