//! Cuts a model where its frozen part ends: a prefix that gives the same for a sample whenever it is asked, and a
//! suffix that is trained on what the prefix gave.
//!
//! The prefix is what depends on data and on frozen parameters and on nothing else. What depends on data alone (a
//! label) or on parameters alone (a mask, a position) is cheap, and computed on either side where it is needed. Between
//! the two run the seams: values of the prefix that the suffix reads. They must be a function of the sample: a prefix
//! that draws random numbers, keeps running state or mixes the samples of a batch is refused.

use crate::driver::{Findings, Input, Pass};
use crate::examples::mixing;
use crate::optimising::dce::Dce;
use partita_ir::arena::{Arena, Id, ValueId};
use partita_ir::class::Class;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::model::ModelOp;
use partita_ir::program::{Form, Name, Op, Output, ParamKind, Program, Value};

/// A model in two.
pub struct Cut {
    /// From data to seams.
    pub prefix: Program,
    /// From data and seams to what the model gives. Takes every parameter, also those that only the prefix reads.
    pub suffix: Program,
    /// The seams: outputs of the prefix and inputs of the suffix, by name.
    pub seams: Vec<Name>,
}

/// What a value depends on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Depends {
    data: bool,
    frozen: bool,
    trained: bool,
    drawn: bool,
    state: bool,
}

impl Depends {
    fn or(self, other: Depends) -> Depends {
        Depends {
            data: self.data | other.data,
            frozen: self.frozen | other.frozen,
            trained: self.trained | other.trained,
            drawn: self.drawn | other.drawn,
            state: self.state | other.state,
        }
    }

    /// Whether the value is one of the frozen part, whatever else is wrong with it.
    fn is_frozen_part(self) -> bool {
        self.data && self.frozen && !self.trained
    }
}

impl Cut {
    /// Cuts a traced model whose frozen parameters are marked as such.
    ///
    /// # Errors
    /// `D011` when nothing is frozen at the front, or what is cannot be kept by sample.
    pub fn of(model: &Program) -> Result<Cut, Vec<Diagnostic>> {
        let depends = dependencies(model);
        let of = |value: ValueId| depends[value.index()];
        let main = &model.funcs[model.entry()];
        // entry only: a loop is kept, or not, as a whole
        for ModelOp { op, .. } in model.entry_ops() {
            let Some(&out) = op.outs.first().filter(|&&out| of(out).is_frozen_part()) else { continue };
            if of(out).drawn || of(out).state {
                return Err(vec![not_of_the_sample(model, out, of(out))]);
            }
        }
        let is_kept = |op: &Op| op.outs.iter().all(|&out| of(out).is_frozen_part());
        let mut read = vec![false; model.values.len()];
        // entry only: a loop is kept, or not, as a whole
        for ModelOp { op, .. } in model.entry_ops().filter(|at| !is_kept(at.op)) {
            op.args.iter().for_each(|arg| read[arg.index()] = true);
        }
        main.outputs.iter().for_each(|o| read[o.value.index()] = true);
        // entry only: a loop is kept, or not, as a whole
        let kept = model.entry_ops().filter(|at| is_kept(at.op));
        let seams: Vec<ValueId> = kept.flat_map(|at| at.op.outs.iter().copied()).filter(|v| read[v.index()]).collect();
        if seams.is_empty() {
            let error = Diagnostic::new(Code::D011, "there is no frozen part whose results could be kept");
            return Err(vec![error.help("freeze the layers at the front: `--freeze PATH`")]);
        }
        let names: Vec<Name> = seams.iter().map(|&v| format!("cut.{}", model.values[v].name).into()).collect();
        let mut prefix = model.clone();
        let outputs = seams.iter().zip(&names);
        *prefix.outputs_mut() =
            outputs.map(|(&value, name)| Output { value, name: name.clone(), alias: None }).collect();
        Dce(Form::Traced).run(&mut prefix, &Input::default(), &mut Findings::default())?;
        // entry only: what a loop reads of inputs it is given
        let used: Vec<ValueId> = prefix.entry_ops().flat_map(|at| at.op.args.iter().copied()).collect();
        prefix.inputs_mut().retain(|v| used.contains(v));
        let params = prefix.params.values().filter(|p| used.contains(&p.value)).cloned().collect::<Vec<_>>();
        prefix.params = Arena::default();
        params.into_iter().for_each(|param| {
            prefix.params.push(param);
        });
        keeps_samples_apart(&prefix)?;
        Ok(Cut { suffix: suffix(model, &seams, &names)?, prefix, seams: names })
    }
}

fn dependencies(model: &Program) -> Vec<Depends> {
    let mut depends = vec![Depends::default(); model.values.len()];
    for &input in model.inputs() {
        let kind = model.param_of(input).map(|id| model.params[id].kind);
        let is_key = *model.ty(input) == Type::new(DType::U32, [2]);
        depends[input.index()] = match kind {
            Some(ParamKind::Frozen | ParamKind::Const) => Depends { frozen: true, ..Depends::default() },
            Some(ParamKind::State) => Depends { state: true, ..Depends::default() },
            Some(ParamKind::Trainable) => Depends { trained: true, ..Depends::default() },
            None if is_key => Depends { drawn: true, ..Depends::default() },
            None => Depends { data: true, ..Depends::default() },
        };
    }
    // entry only: a loop gives what all that it is given leads to, and draws if its body does
    for ModelOp { op, .. } in model.entry_ops() {
        let draws = model.any_within(op, &|op| op.kind.class() == Class::Random);
        let own = Depends { drawn: draws, ..Depends::default() };
        let all = op.args.iter().fold(own, |all, arg| all.or(depends[arg.index()]));
        op.outs.iter().for_each(|out| depends[out.index()] = all);
    }
    depends
}

/// What is behind the seams, with the seams as inputs.
fn suffix(model: &Program, seams: &[ValueId], names: &[Name]) -> Result<Program, Vec<Diagnostic>> {
    let mut suffix = model.clone();
    for (&seam, name) in seams.iter().zip(names) {
        let value = Value { layout: None, name: name.clone(), ..suffix.values[seam].clone() };
        let input = suffix.values.push(value);
        suffix.inputs_mut().push(input);
        // entry only: what a loop reads of a seam it is given
        let body = suffix.funcs[suffix.entry()].ops().to_vec();
        for op in body {
            suffix.ops[op].args.iter_mut().filter(|arg| **arg == seam).for_each(|arg| *arg = input);
        }
        suffix.outputs_mut().iter_mut().filter(|o| o.value == seam).for_each(|o| o.value = input);
    }
    Dce(Form::Traced).run(&mut suffix, &Input::default(), &mut Findings::default())?;
    Ok(suffix)
}

/// Whether each sample goes through the prefix on its own.
fn keeps_samples_apart(prefix: &Program) -> Result<(), Vec<Diagnostic>> {
    let mut data = prefix.inputs().iter().filter(|&&v| prefix.param_of(v).is_none());
    let batch = data.find_map(|&v| prefix.ty(v).shape.first().copied()).unwrap_or(1);
    match mixing(prefix, batch)? {
        None => Ok(()),
        Some(mixing) => {
            let title = "what the frozen part gives for a sample depends on the other samples of its batch";
            Err(vec![
                Diagnostic::new(Code::D011, title)
                    .note(format!("`{}` needs all of them", mixing.op))
                    .help("train without a cache, or freeze fewer layers"),
            ])
        }
    }
}

fn not_of_the_sample(model: &Program, value: ValueId, depends: Depends) -> Diagnostic {
    let (title, help) = match depends.drawn {
        true => (
            "the frozen part draws random numbers, so that it gives something else each time",
            "train without a cache, or without dropout in what is frozen",
        ),
        false => (
            "the frozen part keeps running state, so that it gives something else each time",
            "train without a cache, or freeze fewer layers",
        ),
    };
    Diagnostic::new(Code::D011, title).note(format!("from `%{}` on", model.values[value].name)).help(help)
}
