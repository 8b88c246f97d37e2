//! Initial parameters: drawn by the model's initializers, unless given by the model's weights or a file.
//!
//! Initialisation works on the traced model, before a plan is applied, so that all plans begin with the same bits. The
//! training step casts parameters to its types and creates the optimizer state. Every process draws or reads the
//! elements of its shards only.

use super::Trainer;
use crate::error::Result;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::initializer::Initializer;
use partita_ir::program::{Param, Program};
use partita_ir::tensor::{Tensor, Weights};
use partita_passes::import::initializers::declare_initializers;
use partita_passes::training::phases::{declare_params, declare_step};
use partita_runtime::checkpoint::{CheckpointSource, SavedCheckpoint};
use partita_runtime::extent::Extent;
use partita_runtime::io::weight;
use partita_runtime::source::{
    Destination, TensorSource, TensorsInMemory, Wanted, box_of, missing, read_extent, read_global,
};
use std::collections::BTreeMap;

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

/// Returns the initializer of optimizer state that begins with a constant.
pub(super) fn state_initializer(program: &Program, value: ValueId) -> Option<Initializer> {
    let param = &program.params[program.param_of(value)?];
    param.init.filter(|init| param.is_optimizer_state() && matches!(init, Initializer::Constant(_)))
}

/// Fills destinations with values of an initializer.
pub(super) fn draw(
    initializer: Initializer,
    ty: &Type,
    (seed, path): (u64, &str),
    to: &mut [Destination<'_>],
) -> std::result::Result<(), Diagnostic> {
    let slab = |part: &Extent| Ok(initializer.draw_box(ty, seed, path, (&part.start, &part.len)));
    to.iter_mut().try_for_each(|to| to.fill(slab))
}

/// Initial values of the parameters and the optimizer state of a training step.
pub(super) struct InitialValues<'t> {
    trainer: &'t Trainer,
    step: &'t Program,
    /// Values of the parameters of the step, by path.
    params: BTreeMap<&'t str, ValueId>,
    /// Parameters of the model, by path.
    model_params: BTreeMap<&'t str, &'t Param>,
    file: Option<&'t SavedCheckpoint>,
}

/// Opens the file of initial parameters of a trainer.
///
/// # Errors
/// `C001` and `F002` for an unreadable file.
pub(super) fn open_file(trainer: &Trainer) -> Result<Option<SavedCheckpoint>> {
    Ok(trainer.initial.as_deref().map(SavedCheckpoint::open_tensors).transpose()?)
}

impl<'t> InitialValues<'t> {
    /// Creates the initial values of a step, given the opened file of the trainer.
    ///
    /// # Errors
    /// `R001` for a file without parameters of the model, `R002` for a parameter of wrong type.
    pub(super) fn new(
        trainer: &'t Trainer,
        step: &'t Program,
        file: Option<&'t SavedCheckpoint>,
    ) -> Result<InitialValues<'t>> {
        let params = step.params.values().map(|param| (param.path.as_str(), param.value)).collect();
        let model_params = trainer.model.params.values().map(|param| (param.path.as_str(), param)).collect();
        let values = InitialValues { trainer, step, params, model_params, file };
        values.check_file()?;
        Ok(values)
    }

    fn check_file(&self) -> Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        let mut is_used = false;
        for (path, tensor) in file.tensors() {
            let state = self.params.get(path.as_str()).filter(|&&value| self.is_optimizer_state(value));
            let ty = match (self.model_type(path), state) {
                (Some(ty), _) => ty,
                (None, Some(&value)) => self.step.ty(value),
                (None, None) => continue,
            };
            if tensor.ty != *ty {
                let file = file.path().display();
                let title = format!("`{path}` is {ty} in the model, but {} in `{file}`", tensor.ty);
                return Err(Diagnostic::new(Code::R002, title).into());
            }
            is_used = true;
        }
        if !is_used && !self.model_params.is_empty() {
            let title = format!("`{}` has no parameter of the model", file.path().display());
            return Err(Diagnostic::new(Code::R001, title).into());
        }
        Ok(())
    }

    fn is_optimizer_state(&self, value: ValueId) -> bool {
        self.step.param_of(value).is_some_and(|param| self.step.params[param].is_optimizer_state())
    }

    /// Returns the type of a parameter that has a value in the model.
    fn model_type(&self, path: &str) -> Option<&'t Type> {
        let param = self.model_params.get(path).filter(|param| param.init.is_some())?;
        Some(self.trainer.model.ty(param.value))
    }

    /// Returns the path of the parameter whose value in the model determines a parameter of the step: its own, or that
    /// of the quantised parameter that it scales.
    fn origin(&self, value: ValueId) -> Option<&'t str> {
        let param = &self.step.params[self.step.param_of(value)?];
        let parent = param.parent.map(|parent| self.step.params[parent].path.as_str());
        [Some(param.path.as_str()), parent].into_iter().flatten().find(|path| self.model_type(path).is_some())
    }
}

impl TensorSource for InitialValues<'_> {
    fn ty(&self, name: &str) -> Option<Type> {
        let value = *self.params.get(name)?;
        let has_value = state_initializer(self.step, value).is_some()
            || self.is_optimizer_state(value) && self.file.is_some_and(|file| file.tensors().contains_key(name))
            || self.origin(value).is_some();
        has_value.then(|| self.step.ty(value).clone())
    }

    fn names(&self) -> Vec<String> {
        let paths = self.step.params.values().map(|param| param.path.clone());
        paths.filter(|path| self.ty(path).is_some()).collect()
    }

    fn read(&self, wanted: &Wanted<'_>, to: &mut [Destination<'_>]) -> std::result::Result<(), Diagnostic> {
        let name = wanted.name;
        let value = *self.params.get(name).ok_or_else(|| missing(name))?;
        let model = ModelValues(self);
        if self.is_optimizer_state(value) {
            let in_file = self.file.filter(|file| file.tensors().contains_key(name));
            return match (in_file, state_initializer(self.step, value)) {
                (Some(file), _) => CheckpointSource::new(file, None).read(wanted, to),
                (None, Some(initializer)) => draw(initializer, wanted.ty, (0, name), to),
                (None, None) => model.read(wanted, to),
            };
        }
        read_converted(self.step, value, &model, self.origin(value), to)
    }
}

/// Parameters of a model, before the training step casts them.
struct ModelValues<'i, 't>(&'i InitialValues<'t>);

impl TensorSource for ModelValues<'_, '_> {
    fn ty(&self, name: &str) -> Option<Type> {
        self.0.model_type(name).cloned()
    }

    fn names(&self) -> Vec<String> {
        self.0.model_params.keys().map(|path| (*path).to_owned()).collect()
    }

    fn read(&self, wanted: &Wanted<'_>, to: &mut [Destination<'_>]) -> std::result::Result<(), Diagnostic> {
        let (values, name) = (self.0, wanted.name);
        if let Some(file) = values.file.filter(|file| file.tensors().contains_key(name)) {
            return CheckpointSource::new(file, None).read(wanted, to);
        }
        if let Some(tensor) = values.trainer.weights.get(name).filter(|tensor| tensor.ty == *wanted.ty) {
            return to.iter_mut().try_for_each(|to| to.fill(|part| Ok(box_of(tensor, part))));
        }
        let init = values.model_params.get(name).and_then(|param| param.init);
        let seed = values.trainer.seed_in_use();
        draw(init.ok_or_else(|| missing(name))?, wanted.ty, (seed, name), to)
    }
}

/// Reads a parameter of a program from a source of parameters that may have another type: a floating-point type is
/// cast, and the parameter `origin` is quantised if the program stores it in 8 bits. The source is read in this process
/// only.
pub(super) fn read_converted(
    program: &Program,
    value: ValueId,
    source: &dyn TensorSource,
    origin: Option<&str>,
    to: &mut [Destination<'_>],
) -> std::result::Result<(), Diagnostic> {
    let (path, ty) = (program.path_of(value), program.ty(value));
    let own = source.ty(path);
    if own.as_ref() == Some(ty) {
        let extents = [to.iter().map(|to| to.extent.clone()).collect()];
        return source.read(&Wanted { name: path, ty, extents: &extents, process: 0 }, to);
    }
    if own.is_some_and(|own| own.shape == ty.shape && ty.dtype.is_float()) {
        return to.iter_mut().try_for_each(|to| {
            to.fill(|part| {
                let tensor = read_extent(source, path, part)?;
                let ty = Type { shape: part.shape(), dtype: ty.dtype };
                Ok(Tensor::from_floats(ty, tensor.scalars().map(|x| x.to_f64()).collect()))
            })
        });
    }
    // The scale of a quantised parameter is a function of all its elements.
    let mut weights = Weights::new();
    for name in [Some(path), origin].into_iter().flatten() {
        if source.ty(name).is_some() && !weights.contains_key(name) {
            weights.insert(name.to_owned(), read_global(source, name, None)?);
        }
    }
    let tensor = weight(program, value, &weights)?.ok_or_else(|| missing(path))?;
    let global = [(path.to_owned(), tensor)].into();
    let extents = [to.iter().map(|to| to.extent.clone()).collect()];
    TensorsInMemory(&global).read(&Wanted { name: path, ty, extents: &extents, process: 0 }, to)
}
