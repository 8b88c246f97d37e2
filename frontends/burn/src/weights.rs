//! Parameters of Burn modules as tensors by dotted path, in both directions.
//!
//! Paths and shapes are those of a traced program, so that a module's parameters initialise training, and trained
//! parameters are loaded into the module. No parameter is transposed: programs have Burn's layout of weights, such as
//! `[inputs, outputs]` of a linear layer.

use crate::import::{dtype_of, tensor};
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::tensor::kind::Basic;
use burn::tensor::{Bool, DType as BurnDType, Int, Tensor as BurnTensor, TensorData};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::{Tensor, Weights};
use std::collections::BTreeMap;

/// Returns the parameters and the running state of a module by dotted path. A parameter in several fields has the path
/// of the first one. Parameters without values are initialised.
///
/// # Errors
/// `F003` for a parameter of an unsupported element type.
pub fn read_weights<M: Module>(module: &M) -> Result<Weights, Vec<Diagnostic>> {
    let mut reader = WeightReader::default();
    module.visit(&mut reader);
    if reader.errors.is_empty() { Ok(reader.weights) } else { Err(reader.errors) }
}

/// Replaces the parameters and the running state of a module by the tensors with their dotted paths, such as
/// `TrainingResult::parameters`. Other tensors, such as optimizer state, are ignored.
///
/// # Errors
/// `R001` for a parameter that is missing, `R002` for one of another type.
pub fn write_weights<M: Module>(module: M, weights: &Weights) -> Result<M, Vec<Diagnostic>> {
    let mut writer = WeightWriter { paths: ParamPaths::default(), weights, errors: Vec::new() };
    let module = module.map(&mut writer);
    if writer.errors.is_empty() { Ok(module) } else { Err(writer.errors) }
}

/// Paths of the parameters of a module during a traversal.
#[derive(Default)]
struct ParamPaths {
    current: Vec<String>,
    /// Path of the first field of each parameter.
    first: BTreeMap<ParamId, String>,
}

impl ParamPaths {
    /// Returns the path of the first field of a parameter, which is the current field if it is visited first.
    fn first_path(&mut self, id: ParamId) -> String {
        self.first.entry(id).or_insert_with(|| self.current.join(".")).clone()
    }
}

/// Visitor that collects parameters.
#[derive(Default)]
struct WeightReader {
    paths: ParamPaths,
    weights: Weights,
    errors: Vec<Diagnostic>,
}

impl WeightReader {
    fn read<const D: usize, K: Basic>(&mut self, id: ParamId, value: BurnTensor<D, K>) {
        let path = self.paths.first_path(id);
        if self.weights.contains_key(&path) {
            return;
        }
        let data = value.into_data();
        match traced_dtype(data.dtype()) {
            Some(dtype) => drop(self.weights.insert(path, tensor(&data, dtype))),
            None => self.errors.push(unsupported(&path, data.dtype())),
        }
    }
}

impl ModuleVisitor for WeightReader {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.paths.current.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.paths.current.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<BurnTensor<D>>) {
        self.read(param.id, param.val());
    }

    fn visit_int<const D: usize>(&mut self, param: &Param<BurnTensor<D, Int>>) {
        self.read(param.id, param.val());
    }

    fn visit_bool<const D: usize>(&mut self, param: &Param<BurnTensor<D, Bool>>) {
        self.read(param.id, param.val());
    }
}

/// Mapper that replaces parameters.
struct WeightWriter<'w> {
    paths: ParamPaths,
    weights: &'w Weights,
    errors: Vec<Diagnostic>,
}

impl WeightWriter<'_> {
    /// Returns the new value of a parameter with value `old`; `None` after an error.
    fn value<const D: usize, K: Basic>(&mut self, id: ParamId, old: &BurnTensor<D, K>) -> Option<BurnTensor<D, K>> {
        let (path, burn_dtype) = (self.paths.first_path(id), old.dtype());
        let Some(dtype) = traced_dtype(burn_dtype) else {
            self.errors.push(unsupported(&path, burn_dtype));
            return None;
        };
        let expected = Type::new(dtype, old.shape().as_slice());
        let found = self.weights.get(&path).ok_or_else(|| missing(&path));
        match found
            .and_then(|found| if found.ty == expected { Ok(found) } else { Err(mismatch(&path, &expected, found)) })
        {
            Ok(found) => Some(BurnTensor::from_data(burn_data(found, burn_dtype), (&old.device(), burn_dtype))),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }
}

impl ModuleMapper for WeightWriter<'_> {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.paths.current.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.paths.current.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<BurnTensor<D>>) -> Param<BurnTensor<D>> {
        match self.value(param.id, &param.val()) {
            Some(value) => {
                let id = param.id;
                param.transform_for_load(value, id)
            }
            None => param,
        }
    }

    fn map_int<const D: usize>(&mut self, param: Param<BurnTensor<D, Int>>) -> Param<BurnTensor<D, Int>> {
        match self.value(param.id, &param.val()) {
            Some(value) => {
                let id = param.id;
                param.transform_for_load(value, id)
            }
            None => param,
        }
    }

    fn map_bool<const D: usize>(&mut self, param: Param<BurnTensor<D, Bool>>) -> Param<BurnTensor<D, Bool>> {
        match self.value(param.id, &param.val()) {
            Some(value) => {
                let id = param.id;
                param.transform_for_load(value, id)
            }
            None => param,
        }
    }
}

/// Returns the element type of a parameter in a trace; `None` if it is not supported. A trace has 64-bit integers,
/// whatever type a device prefers.
fn traced_dtype(dtype: BurnDType) -> Option<DType> {
    let traced = dtype_of(dtype).ok()?;
    Some(if traced.is_int() { DType::I64 } else { traced })
}

/// Converts a tensor to data with the given element type.
fn burn_data(tensor: &Tensor, dtype: BurnDType) -> TensorData {
    let shape = tensor.ty.shape.to_vec();
    let data = match tensor.ty.dtype.is_float() {
        true => TensorData::new(tensor.scalars().map(|x| x.to_f64()).collect::<Vec<_>>(), shape),
        false => TensorData::new(tensor.scalars().map(|x| x.to_i64()).collect::<Vec<_>>(), shape),
    };
    data.convert_dtype(dtype)
}

fn unsupported(path: &str, dtype: BurnDType) -> Diagnostic {
    Diagnostic::new(Code::F003, format!("parameter `{path}` has element type {dtype:?}, which is not supported"))
}

fn missing(path: &str) -> Diagnostic {
    Diagnostic::new(Code::R001, format!("the weights do not contain the parameter `{path}` of the module"))
        .help("load the weights of the same module")
}

fn mismatch(path: &str, expected: &Type, found: &Tensor) -> Diagnostic {
    let title = format!("`{path}` is {expected} in the module, but {} in the weights", found.ty);
    let error = Diagnostic::new(Code::R002, title);
    let is_transposed = expected.shape.rank() == 2 && found.ty.shape.iter().rev().eq(expected.shape.iter());
    match is_transposed {
        true => {
            error.help(format!("transpose `{path}`: Burn stores the weight of a linear layer as [inputs, outputs]"))
        }
        false => error.help("load the weights of the same module"),
    }
}
