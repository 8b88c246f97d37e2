//! Splits a model at the end of its frozen layers: into a prefix, whose results can be cached for each sample, and a
//! suffix, which is trained on those results.
//!
//! The prefix contains the ops that depend on data and on frozen parameters, and on nothing else. Ops that depend on
//! data alone (labels) or on parameters alone (masks, positions) are cheap, and each program computes those that it
//! needs. The boundary values are results of the prefix that the suffix reads. They must be functions of the sample: a
//! prefix that draws random numbers, updates running state or mixes the samples of a batch is an error.

use crate::batch_independence::find_mixing_op;
use crate::driver::{Findings, Input, Pass};
use crate::optimising::dce::Dce;
use partita_ir::arena::{Arena, Id, ValueId};
use partita_ir::class::Class;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::model::ModelOp;
use partita_ir::program::{Form, Name, Op, Output, ParamKind, Program, Value};

/// A model split into a frozen prefix and a trained suffix.
pub struct FrozenSplit {
    /// Program from the data to the boundary values.
    pub prefix: Program,
    /// Program from the data and the boundary values to the outputs of the model. Has every parameter, also those that
    /// only the prefix reads.
    pub suffix: Program,
    /// Names of the boundary values: outputs of the prefix and inputs of the suffix.
    pub boundary: Vec<Name>,
}

/// The kinds of inputs that a value depends on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Dependencies {
    data: bool,
    frozen: bool,
    trained: bool,
    random: bool,
    state: bool,
}

impl Dependencies {
    fn or(self, other: Dependencies) -> Dependencies {
        Dependencies {
            data: self.data | other.data,
            frozen: self.frozen | other.frozen,
            trained: self.trained | other.trained,
            random: self.random | other.random,
            state: self.state | other.state,
        }
    }

    /// Returns true if the value belongs to the frozen prefix. Dependencies that make it impossible to cache are
    /// ignored.
    fn is_in_frozen_prefix(self) -> bool {
        self.data && self.frozen && !self.trained
    }
}

impl FrozenSplit {
    /// Splits a traced model whose frozen parameters are marked as such.
    ///
    /// # Errors
    /// `D011` when no layers at the input side are frozen, or when their results are not functions of the sample.
    pub fn new(model: &Program) -> Result<FrozenSplit, Vec<Diagnostic>> {
        let depends = dependencies(model);
        let of = |value: ValueId| depends[value.index()];
        let main = &model.funcs[model.entry()];
        // entry only: a loop belongs to the prefix or to the suffix entirely
        for ModelOp { op, .. } in model.entry_ops() {
            let Some(&out) = op.outs.first().filter(|&&out| of(out).is_in_frozen_prefix()) else { continue };
            if of(out).random || of(out).state {
                return Err(vec![not_cacheable(model, out, of(out))]);
            }
        }
        let is_prefix_op = |op: &Op| op.outs.iter().all(|&out| of(out).is_in_frozen_prefix());
        let mut read = vec![false; model.values.len()];
        // entry only: a loop belongs to the prefix or to the suffix entirely
        for ModelOp { op, .. } in model.entry_ops().filter(|at| !is_prefix_op(at.op)) {
            op.args.iter().for_each(|arg| read[arg.index()] = true);
        }
        main.outputs.iter().for_each(|o| read[o.value.index()] = true);
        // entry only: a loop belongs to the prefix or to the suffix entirely
        let prefix_ops = model.entry_ops().filter(|at| is_prefix_op(at.op));
        let boundary: Vec<ValueId> =
            prefix_ops.flat_map(|at| at.op.outs.iter().copied()).filter(|v| read[v.index()]).collect();
        if boundary.is_empty() {
            let error = Diagnostic::new(Code::D011, "the model has no frozen layers at its input side");
            return Err(vec![error.help("freeze the first layers: `--freeze PATH`")]);
        }
        let names: Vec<Name> = boundary.iter().map(|&v| format!("cut.{}", model.values[v].name).into()).collect();
        let mut prefix = model.clone();
        let outputs = boundary.iter().zip(&names);
        *prefix.outputs_mut() =
            outputs.map(|(&value, name)| Output { value, name: name.clone(), replaces: None }).collect();
        Dce(Form::Traced).run(&mut prefix, &Input::default(), &mut Findings::default())?;
        // entry only: the operands of a loop include all inputs that its body reads
        let used: Vec<ValueId> = prefix.entry_ops().flat_map(|at| at.op.args.iter().copied()).collect();
        prefix.inputs_mut().retain(|v| used.contains(v));
        let params = prefix.params.values().filter(|p| used.contains(&p.value)).cloned().collect::<Vec<_>>();
        prefix.params = Arena::default();
        params.into_iter().for_each(|param| {
            prefix.params.push(param);
        });
        check_samples_independent(&prefix)?;
        Ok(FrozenSplit { suffix: suffix(model, &boundary, &names)?, prefix, boundary: names })
    }
}

fn dependencies(model: &Program) -> Vec<Dependencies> {
    let mut depends = vec![Dependencies::default(); model.values.len()];
    for &input in model.inputs() {
        let kind = model.param_of(input).map(|id| model.params[id].kind);
        let is_key = *model.ty(input) == Type::new(DType::U32, [2]);
        depends[input.index()] = match kind {
            Some(ParamKind::Frozen | ParamKind::Const) => Dependencies { frozen: true, ..Dependencies::default() },
            Some(ParamKind::State) => Dependencies { state: true, ..Dependencies::default() },
            Some(ParamKind::Trainable) => Dependencies { trained: true, ..Dependencies::default() },
            None if is_key => Dependencies { random: true, ..Dependencies::default() },
            None => Dependencies { data: true, ..Dependencies::default() },
        };
    }
    // entry only: results of a loop depend on all of its operands, and are random if its body draws random numbers
    for ModelOp { op, .. } in model.entry_ops() {
        let is_random = model.any_op_within(op, &|op| op.kind.class() == Class::Random);
        let own = Dependencies { random: is_random, ..Dependencies::default() };
        let all = op.args.iter().fold(own, |all, arg| all.or(depends[arg.index()]));
        op.outs.iter().for_each(|out| depends[out.index()] = all);
    }
    depends
}

/// Returns the model with the boundary values as inputs.
fn suffix(model: &Program, boundary: &[ValueId], names: &[Name]) -> Result<Program, Vec<Diagnostic>> {
    let mut suffix = model.clone();
    for (&boundary_value, name) in boundary.iter().zip(names) {
        let value = Value { layout: None, name: name.clone(), ..suffix.values[boundary_value].clone() };
        let input = suffix.values.push(value);
        suffix.inputs_mut().push(input);
        // entry only: the operands of a loop include all boundary values that its body reads
        let body = suffix.funcs[suffix.entry()].ops().to_vec();
        for op in body {
            suffix.ops[op].args.iter_mut().filter(|arg| **arg == boundary_value).for_each(|arg| *arg = input);
        }
        suffix.outputs_mut().iter_mut().filter(|o| o.value == boundary_value).for_each(|o| o.value = input);
    }
    Dce(Form::Traced).run(&mut suffix, &Input::default(), &mut Findings::default())?;
    Ok(suffix)
}

/// Checks that the prefix computes each sample of a batch independently of the others.
///
/// # Errors
/// `D011` when it does not.
fn check_samples_independent(prefix: &Program) -> Result<(), Vec<Diagnostic>> {
    let mut data = prefix.inputs().iter().filter(|&&v| prefix.param_of(v).is_none());
    let batch = data.find_map(|&v| prefix.ty(v).shape.first().copied()).unwrap_or(1);
    match find_mixing_op(prefix, batch)? {
        None => Ok(()),
        Some(mixing) => {
            let title = "results of the frozen layers for a sample depend on other samples of its batch";
            Err(vec![
                Diagnostic::new(Code::D011, title)
                    .note(format!("`{}` mixes the examples of a batch", mixing.op))
                    .help("train without a cache, or freeze fewer layers"),
            ])
        }
    }
}

fn not_cacheable(model: &Program, value: ValueId, depends: Dependencies) -> Diagnostic {
    let (title, help) = match depends.random {
        true => (
            "the frozen layers draw random numbers, so their results differ each time",
            "train without a cache, or without dropout in the frozen layers",
        ),
        false => (
            "the frozen layers update running state, so their results differ each time",
            "train without a cache, or freeze fewer layers",
        ),
    };
    Diagnostic::new(Code::D011, title).note(format!("first at `%{}`", model.values[value].name)).help(help)
}
