//! Initial parameters: drawn by the model's initializers, unless given by the model's weights or a file.
//!
//! Initialisation works on the traced model, before a plan is applied, so that all plans begin with the same bits. The
//! training step casts parameters to its types and creates the optimizer state.

use super::Trainer;
use crate::error::Result;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::interp::initial_optimizer_state;
use partita_ir::program::{Param, Program};
use partita_ir::tensor::{Tensor, Weights};
use partita_passes::import::initializers::declare_initializers;
use partita_passes::training::phases::{declare_params, declare_step};
use partita_runtime::io::{read_tensors, weight};

/// Declares the parameters of an imported model, and an initializer for each parameter without one. For an imported
/// training step (`is_forward` is false), the optimizer state is declared, too.
pub(super) fn declare(model: &mut Program, is_forward: bool) {
    if is_forward {
        declare_params(model)
    } else {
        declare_step(model)
    }
    declare_initializers(model);
}

/// Returns all parameters of a training step, by path.
///
/// # Errors
/// `C001` and `F002` for an unreadable file, `R001` for a file without parameters of the model, `R002` for a parameter
/// of wrong type.
pub(super) fn parameters(trainer: &Trainer, step: &Program) -> Result<IndexMap<String, Tensor>> {
    let mut model = draw_parameters(&trainer.model, trainer.seed_in_use());
    for (path, tensor) in &trainer.weights {
        if let Some(slot) = model.get_mut(path).filter(|slot| slot.ty == tensor.ty) {
            *slot = tensor.clone();
        }
    }
    let mut state = Weights::new();
    if let Some(file) = &trainer.initial {
        let mut taken = 0;
        for (path, tensor) in read_tensors(file)? {
            let param = step.params.values().find(|p| p.path == path && p.is_optimizer_state());
            let ty = match (model.get(&path), param) {
                (Some(slot), _) => &slot.ty,
                (None, Some(param)) => step.ty(param.value),
                (None, None) => continue,
            };
            if tensor.ty != *ty {
                let title = format!("`{path}` is {ty} in the model, but {} in `{}`", tensor.ty, file.display());
                return Err(Diagnostic::new(Code::R002, title).into());
            }
            taken += 1;
            if param.is_some() { &mut state } else { &mut model }.insert(path, tensor);
        }
        if taken == 0 && !model.is_empty() {
            let title = format!("`{}` has no parameter of the model", file.display());
            return Err(Diagnostic::new(Code::R001, title).into());
        }
    }
    let mut tensors = IndexMap::new();
    for Param { path, value, .. } in step.params.values() {
        let kept = state.shift_remove(path).or_else(|| initial_optimizer_state(step, *value));
        let tensor = match kept {
            Some(tensor) => Some(tensor),
            None => cast_parameter(step, *value, &model)?,
        };
        tensors.extend(tensor.map(|tensor| (path.clone(), tensor)));
    }
    Ok(tensors)
}

/// Draws the parameters of a model with its initializers, by path.
fn draw_parameters(model: &Program, seed: u64) -> Weights {
    let drawn = |p: &Param| Some((p.path.clone(), p.init?.draw(model.ty(p.value), seed, &p.path)));
    model.params.values().filter_map(drawn).collect()
}

/// Casts a parameter of the model to its type in the step.
fn cast_parameter(step: &Program, value: ValueId, model: &Weights) -> Result<Option<Tensor>> {
    let ty: &Type = step.ty(value);
    Ok(match model.get(step.path_of(value)) {
        Some(tensor) if tensor.ty != *ty && ty.dtype.is_float() && tensor.ty.shape == ty.shape => {
            Some(Tensor::from_floats(ty.clone(), tensor.scalars().map(|x| x.to_f64()).collect()))
        }
        _ => weight(step, value, model)?,
    })
}
