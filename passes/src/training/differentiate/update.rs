//! The update: from gradients to new parameters and optimizer state, as ops of the training step.
//!
//! One factor for all gradients undoes the loss scale ([`scale`]) and clips their global norm ([`clip`]). The norms of
//! each layer become outputs if requested ([`norms`]). The optimizer ([`optimizer`]) applies the current learning rate
//! ([`rate`]) to one parameter after the other, so that only one gradient at a time is converted to the type of its
//! parameter. A step whose gradients overflowed changes nothing. State is stored in parameters `optimizer.*`, each with
//! its initial value.

mod clip;
mod norms;
mod optimizer;
mod rate;
mod scale;

pub(crate) use rate::LearningRate;
pub(crate) use scale::LossScale;

use partita_ir::arena::{ParamId, ValueId};
use partita_ir::build::{Builder, Namer, identifier};
use partita_ir::dtype::{DType, Type};
use partita_ir::initializer::Initializer;
use partita_ir::ops::{BinaryOp, Select};
use partita_ir::plan::path::prefixes_with_numbers;
use partita_ir::plan::train::TrainConfig;
use partita_ir::program::{Name, Output, Param, ParamKind, Phase, Program};
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// Appends the update of these parameters. `scale` is the loss scale that the gradients contain.
pub(super) fn update(
    mut step: StepBuilder<'_>,
    train: &TrainConfig,
    rate: &LearningRate,
    scale: Option<LossScale>,
    params: &[ParamId],
    gradients: &[ValueId],
) {
    step.b.phase = Phase::Update;
    let sum =
        (scale.is_some() || train.clip.is_some()).then(|| clip::square_sum(&mut step, params, gradients)).flatten();
    let mut factor = scale.map(|scale| scale.inverse(&mut step.b));
    if train.norms {
        norms::norms(&mut step, params, gradients, factor);
    }
    if let (Some(norm), Some(sum)) = (train.clip, sum) {
        factor = Some(clip::clip(&mut step.b, sum, factor, norm));
    }
    optimizer::optimizer(&mut step, train, rate, params, gradients, factor);
    if let (Some(scale), Some(sum)) = (scale, sum) {
        let finite = scale.all_finite(&mut step.b, sum);
        step.retain_unless(finite);
        scale.adapt(&mut step, finite);
    }
    step.finish();
}

/// A training step under construction.
pub(crate) struct StepBuilder<'p> {
    /// Builder to which ops are appended.
    pub(super) b: Builder<'p>,
    /// The parameters that the step replaces, with their new values.
    replaced: Vec<(ParamId, ValueId)>,
    /// The index of this step, counted from 1, if an op needs it.
    count: Option<ValueId>,
    /// Additional outputs, by name.
    extra_outputs: Vec<(Name, ValueId)>,
    /// Paths of the repeated layers.
    layers: BTreeSet<SmolStr>,
}

impl<'p> StepBuilder<'p> {
    /// Returns a step without an update.
    pub(super) fn new(program: &'p mut Program, names: &'p mut Namer) -> StepBuilder<'p> {
        let layers = program.ops.values().map(|op| op.origin.layer.clone()).filter(|layer| !layer.is_empty()).collect();
        let b = Builder::new(program, names);
        StepBuilder { b, replaced: Vec::new(), count: None, extra_outputs: Vec::new(), layers }
    }

    /// Lets the following ops belong to the repeated layer of a parameter, or of the parameter whose state it is.
    /// With `None` or a parameter outside of layers, to no layer.
    fn enter_layer_of(&mut self, param: Option<ParamId>) {
        let params = &self.b.program.params;
        let path = param.map_or("", |param| &params[params[param].parent.unwrap_or(param)].path);
        let layer = prefixes_with_numbers(path).find(|&prefix| self.layers.contains(prefix));
        self.b.origin.layer = layer.unwrap_or_default().into();
    }

    /// Adds a state parameter with an initial value.
    fn add_state(&mut self, path: String, of: Option<ParamId>, ty: Type, starts: f64) -> (ParamId, ValueId) {
        let name = self.b.names.fresh(&identifier(&path));
        let value = self.b.program.input(name, ty);
        let param =
            Param { path, kind: ParamKind::State, value, parent: of, init: Some(Initializer::Constant(starts)) };
        (self.b.program.params.push(param), value)
    }

    /// Adds optimizer state with the type of a parameter. `what` names the state.
    fn add_param_state(&mut self, what: &str, param: ParamId) -> (ParamId, ValueId) {
        let Param { path, value, .. } = &self.b.program.params[param];
        let (path, ty) = (format!("optimizer.{what}.{path}"), self.b.program.ty(*value).clone());
        self.add_state(path, Some(param), ty, 0.0)
    }

    /// Returns the index of this step, counted from 1.
    fn step_index(&mut self) -> ValueId {
        if let Some(count) = self.count {
            return count;
        }
        let (param, before) = self.add_state("optimizer.step".into(), None, Type::new(DType::I32, []), 0.0);
        let count = self.b.binary_scalar(BinaryOp::Add, before, 1.0);
        self.replaced.push((param, count));
        *self.count.insert(count)
    }

    /// Retains all old values unless the condition is true.
    fn retain_unless(&mut self, condition: ValueId) {
        for index in 0..self.replaced.len() {
            let (param, new) = self.replaced[index];
            self.enter_layer_of(Some(param));
            let (ty, old) = (self.b.ty(new), self.b.program.params[param].value);
            self.replaced[index].1 = self.b.op("kept", Select {}, &[condition, new, old], ty);
        }
        self.enter_layer_of(None);
    }

    /// Appends the ops to the program, and adds outputs for all replaced parameters.
    fn finish(self) {
        let StepBuilder { b, replaced, extra_outputs, .. } = self;
        let (program, body) = (b.program, b.body);
        program.entry_ops_mut().extend(body);
        let extra_outputs = extra_outputs.into_iter().map(|(name, value)| Output { value, name, replaces: None });
        program.outputs_mut().extend(extra_outputs);
        for (param, value) in replaced {
            let Param { path, value: input, .. } = &program.params[param];
            let (name, replaces) = (path.as_str().into(), Some(*input));
            program.outputs_mut().push(Output { value, name, replaces });
        }
    }
}
