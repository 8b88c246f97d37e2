//! The update: from gradients to parameters and optimizer state after the step, as ops of the same program.
//!
//! A factor for all gradients undoes the scale of the loss ([`scale`]) and clips them together to a norm ([`clip`]);
//! the norms of each layer are given where they are asked for ([`norms`]). The optimizer makes its step ([`optimizer`])
//! with the learning rate of the moment ([`rate`]), one parameter after the other, so that only one gradient at a time
//! is as wide as its parameter. A step whose gradients overflowed changes nothing. State is kept in parameters
//! `optimizer.*`, each of which says what it starts with.

mod clip;
mod norms;
mod optimizer;
mod rate;
mod scale;

pub(crate) use rate::Rate;
pub(crate) use scale::Scale;

use partita_ir::arena::{ParamId, ValueId};
use partita_ir::build::{Builder, Namer, identifier};
use partita_ir::dtype::{DType, Type};
use partita_ir::initializer::Initializer;
use partita_ir::ops::{BinaryOp, Select};
use partita_ir::plan::train::Train;
use partita_ir::program::{Name, Output, Param, ParamKind, Phase, Program};

/// Appends the update by the gradients of these parameters, of a loss that was scaled.
pub(super) fn update(
    mut step: Step<'_>,
    train: &Train,
    rate: &Rate,
    scale: Option<Scale>,
    params: &[ParamId],
    gradients: &[ValueId],
) {
    step.b.phase = Phase::Update;
    let sum = (scale.is_some() || train.clip.is_some()).then(|| clip::square_sum(&mut step.b, gradients)).flatten();
    let mut factor = scale.map(|scale| scale.inverse(&mut step.b));
    if train.norms {
        norms::norms(&mut step, params, gradients, factor);
    }
    if let (Some(norm), Some(sum)) = (train.clip, sum) {
        factor = Some(clip::clip(&mut step.b, sum, factor, norm));
    }
    optimizer::optimizer(&mut step, train, rate, params, gradients, factor);
    if let (Some(scale), Some(sum)) = (scale, sum) {
        let finite = scale.finite(&mut step.b, sum);
        step.keep_unless(finite);
        scale.adapt(&mut step, finite);
    }
    step.finish();
}

/// A training step while it is written.
pub(crate) struct Step<'p> {
    /// Gets the ops.
    pub(super) b: Builder<'p>,
    /// What is replaced, and by what.
    replaced: Vec<(ParamId, ValueId)>,
    /// The number of this step, counted from 1, once somebody asked.
    count: Option<ValueId>,
    /// What is given besides, by name.
    told: Vec<(Name, ValueId)>,
}

impl<'p> Step<'p> {
    /// Nothing yet.
    pub(super) fn new(program: &'p mut Program, names: &'p mut Namer) -> Step<'p> {
        Step { b: Builder::new(program, names), replaced: Vec::new(), count: None, told: Vec::new() }
    }

    /// A new piece of state.
    fn state(&mut self, path: String, of: Option<ParamId>, ty: Type, starts: f64) -> (ParamId, ValueId) {
        let name = self.b.names.fresh(&identifier(&path));
        let value = self.b.program.input(name, ty);
        let param = Param { path, kind: ParamKind::State, value, of, init: Some(Initializer::Constant(starts)) };
        (self.b.program.params.push(param), value)
    }

    /// State of the type of a parameter, one for each.
    fn state_of(&mut self, what: &str, param: ParamId) -> (ParamId, ValueId) {
        let Param { path, value, .. } = &self.b.program.params[param];
        let (path, ty) = (format!("optimizer.{what}.{path}"), self.b.program.ty(*value).clone());
        self.state(path, Some(param), ty, 0.0)
    }

    /// The number of this step, counted from 1.
    fn count(&mut self) -> ValueId {
        if let Some(count) = self.count {
            return count;
        }
        let (param, before) = self.state("optimizer.step".into(), None, Type::new(DType::I32, []), 0.0);
        let count = self.b.binary_scalar(BinaryOp::Add, before, 1.0);
        self.replaced.push((param, count));
        *self.count.insert(count)
    }

    /// Lets everything that is replaced stay as it is, unless the condition holds.
    fn keep_unless(&mut self, condition: ValueId) {
        for (param, new) in &mut self.replaced {
            let (ty, old) = (self.b.ty(*new), self.b.program.params[*param].value);
            *new = self.b.op("kept", Select {}, &[condition, *new, old], ty);
        }
    }

    /// Appends the ops to the program and makes everything that is replaced an output.
    fn finish(self) {
        let Step { b, replaced, told, .. } = self;
        let (program, body) = (b.program, b.body);
        program.entry_ops_mut().extend(body);
        let told = told.into_iter().map(|(name, value)| Output { value, name, alias: None });
        program.outputs_mut().extend(told);
        for (param, value) in replaced {
            let name = program.params[param].path.as_str().into();
            program.outputs_mut().push(Output { value, name, alias: Some(param) });
        }
    }
}
