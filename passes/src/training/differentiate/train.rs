//! `train` (traced -> traced): makes the training step of a model, as `--train` of the plan says.
//!
//! The loss is differentiated with regard to every parameter that is trained ([`super::reverse`]); what an optimizer
//! makes of the gradients (`update`) becomes an output of its own that replaces the parameter, as does the optimizer's
//! state, which is a parameter `optimizer.*`. What the model gave before is given still. A parameter that the loss does
//! not depend on gets a warning and stays as it is. The batch is donated.
//!
//! Before, with `--train sgd?lr=0.1`:
//!
//! ```text
//! param %w "w" : f32[4, 4]
//! input %x : f32[8, 4]
//! %y = matmul %x, %w : f32[8, 4]
//! %loss = reduce sum [0, 1] %y : f32[]
//! output %loss "loss"
//! ```
//!
//! After:
//!
//! ```text
//! param %w "w" : f32[4, 4]
//! input %x donated : f32[8, 4]
//! %y = matmul %x, %w : f32[8, 4]
//! %loss = reduce sum [0, 1] %y : f32[]
//! %c = constant 1.0 : f32[] phase backward_input
//! %y.grad = broadcast [] %c : f32[8, 4] phase backward_input
//! %w.grad = dot_general contract [0]x[0] %x, %y.grad : f32[4, 4] phase backward_weight
//! %c.1 = constant 0.1 : f32[] phase update
//! %broadcast.1 = broadcast [] %c.1 : f32[4, 4] phase update
//! %mul = mul %w.grad, %broadcast.1 : f32[4, 4] phase update
//! %w.1 = sub %w, %mul : f32[4, 4] phase update
//! output %loss
//! output %w.1 "w" -> "w"
//! ```

use super::reverse::{Sides, reverse};
use super::update::{Rate, Scale, Step, update};
use crate::driver::{Findings, Info, Input, Pass};
use crate::training::micro_batches::{Asked, in_parts, usual_parts};
use crate::training::phases::declare_params;
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::{Code, Diagnostic, nearest, shell_word};
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::plan::train::{Scaling, Train};
use partita_ir::plan::{Plan, Written};
use partita_ir::program::{Form, ParamKind, Phase, Program};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// The pass.
pub struct MakeTraining;

impl Pass for MakeTraining {
    fn info(&self) -> Info {
        Info { name: "train", needs: Form::Traced, gives: Form::Traced, reads: &[] }
    }

    fn applies(&self, _: &Program, input: &Input, _: &Findings) -> bool {
        input.plan.train.is_some()
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some(written) = input.plan.train.clone() else { return Ok(()) };
        let train = Train::read(&written).map_err(|e| vec![e])?;
        if program.model_ops().iter().any(|o| o.op.phase != Phase::Forward) {
            return Err(vec![is_trained_already(program, &written)]);
        }
        declare_params(program);
        super::take_apart(program);
        let loss = find_loss(program, &train, &written).map_err(|e| vec![e])?;
        let rate = Rate::of(&train, &written, program).map_err(|e| vec![e])?;
        let trained: Vec<ParamId> = trained(program).collect();
        let values: Vec<ValueId> = trained.iter().map(|&p| program.params[p].value).collect();
        if values.is_empty() {
            return Err(vec![nothing_to_train(program, &written)]);
        }
        let mut names = Namer::of(program);
        // entry only: gradients are appended to it; a loop has an adjoint of its own
        let mut body = program.funcs[program.entry()].ops().to_vec();
        let data: Vec<ValueId> = data(program).collect();
        let sides = Sides::of(program, &body, &values, &data);
        let mut step = Step::new(program, &mut names);
        step.b.phase = Phase::BackwardInput;
        let scale = Scale::of(&mut step, train.scaling.unwrap_or_else(|| usual_scaling(&input.plan)));
        let seed = seed(&mut step.b, loss, scale);
        let gradients = reverse(&mut step.b, &mut body, &[(loss, seed)], &values, &sides)?;
        *step.b.program.entry_ops_mut() = body;
        let (mut reached, mut found) = (Vec::new(), Vec::new());
        for (&param, gradient) in trained.iter().zip(gradients) {
            match gradient {
                Some(gradient) => {
                    reached.push(param);
                    found.push(gradient);
                }
                None => findings.warnings.push(not_reached(step.b.program, param, loss)),
            }
        }
        if reached.is_empty() {
            return Err(vec![nothing_to_train(step.b.program, &written)]);
        }
        before_widening(&step, &mut found);
        if let Some(asked) = parts(step.b.program, &train, &written, &input.plan).map_err(|e| vec![e])? {
            let backward = std::mem::take(&mut step.b.body);
            step.b.program.entry_ops_mut().extend(backward);
            let results: Vec<ValueId> = [loss].into_iter().chain(found).collect();
            let mut joined = in_parts(&mut step.b, &asked, &results)?;
            step.b.program.entry_ops_mut().clear();
            step.b.body = joined.body;
            found = joined.values.split_off(1);
            replace_loss(step.b.program, loss, joined.values[0]);
        }
        data.iter().for_each(|&v| step.b.program.values[v].donated = true);
        update(step, &train, &rate, scale, &reached, &found);
        Ok(())
    }
}

/// In how many parts the batch goes through the model, if in several: as many as gradients are accumulated over, or as
/// there are micro-batches in a pipeline. Where these have an order there is a loop also over one of them.
fn parts(program: &Program, train: &Train, written: &Written, plan: &Plan) -> Result<Option<Asked>, Diagnostic> {
    let Some(pipeline) = plan.pipelined()? else {
        let place = written.part(train.accumulate_at.clone());
        let asked = Asked { parts: train.accumulate, place, help: "accumulate=", sums: true };
        return Ok(Some(asked).filter(|asked| asked.parts > 1));
    };
    let said = pipeline.micro_batches.or(Some(train.accumulate).filter(|&parts| parts > 1));
    if let (Some(said), true) = (pipeline.micro_batches, train.accumulate > 1 && said != Some(train.accumulate)) {
        let title = format!("{said} micro-batches, and `accumulate={}`", train.accumulate);
        let error = Diagnostic::new(Code::D007, title).at(pipeline.place, "says how many");
        let error = error.at(written.part(train.accumulate_at.clone()), "and so does this");
        return Err(error.help("in a pipeline both are the same: leave one of them out"));
    }
    let parts = said.unwrap_or_else(|| usual_parts(program, &pipeline, plan));
    let is_looped = parts > 1 || !pipeline.is_single() || plan.schedule.is_some();
    Ok(is_looped.then_some(Asked { parts, place: pipeline.place, help: "--microbatches ", sums: true }))
}

fn is_trained_already(program: &Program, written: &Written) -> Diagnostic {
    let name = &program.source;
    Diagnostic::new(Code::D002, format!("`{name}` is a training step already"))
        .at(written.span(), "asks for the training step of a model")
        .help("leave `--train` out, or train the forward function that it was made from")
}

/// The parameters that are trained: floats that nobody froze.
fn trained(program: &Program) -> impl Iterator<Item = ParamId> + '_ {
    let is_trained = |kind| kind == ParamKind::Trainable;
    let params = program.params.iter().filter(move |(_, p)| is_trained(p.kind));
    params.filter(|(_, p)| program.ty(p.value).dtype.is_float()).map(|(id, _)| id)
}

/// The inputs that are no parameters.
pub(super) fn data(program: &Program) -> impl Iterator<Item = ValueId> + '_ {
    program.inputs().iter().copied().filter(|&v| program.param_of(v).is_none())
}

/// Lets the outputs of the step be the loss of the whole batch alone: what the model gives besides is of its parts.
fn replace_loss(program: &mut Program, loss: ValueId, sum: ValueId) {
    let outputs = program.outputs_mut();
    outputs.retain(|o| o.value == loss);
    outputs.iter_mut().for_each(|o| o.value = sum);
}

/// Takes gradients as narrow as the model computes, before the backward pass widens them to the type of the parameters:
/// so they are kept, and sent, and the update widens one after the other.
///
/// Recogniser: a gradient that is widened in another way is kept as it is.
fn before_widening(step: &Step<'_>, gradients: &mut [ValueId]) {
    let program = &*step.b.program;
    let ops = step.b.body.iter().map(|&op| &program.ops[op]);
    let converts = ops.filter(|op| matches!(op.kind, OpKind::Convert(_)));
    let narrow: FxHashMap<ValueId, ValueId> = converts.map(|op| (op.outs[0], op.args[0])).collect();
    for gradient in gradients {
        let source = narrow.get(gradient).filter(|&&v| program.ty(v).bytes() < program.ty(*gradient).bytes());
        *gradient = source.copied().unwrap_or(*gradient);
    }
}

/// A scale that adapts where the model computes in `f16`, whose small numbers are few.
fn usual_scaling(plan: &Plan) -> Scaling {
    let in_f16 = plan.precision.iter().any(|entry| entry.text.text.trim() == DType::F16.name());
    if in_f16 { Scaling::Dynamic } else { Scaling::None }
}

/// The gradient of the loss: one, or its scale.
fn seed(b: &mut Builder<'_>, loss: ValueId, scale: Option<Scale>) -> ValueId {
    let ty = b.ty(loss);
    match scale {
        None => b.splat(ty, Scalar::Float(1.0)),
        Some(scale) => {
            let scale = if ty.dtype == DType::F32 { scale.value } else { b.convert(scale.value, ty.dtype) };
            b.broadcast(scale, &[], ty.shape)
        }
    }
}

/// The output that is made smaller.
fn find_loss(program: &Program, train: &Train, written: &Written) -> Result<ValueId, Diagnostic> {
    let outputs = program.outputs();
    let output = match &train.loss {
        Some((name, at)) => {
            let found = outputs.iter().find(|o| o.name == *name);
            found.ok_or_else(|| {
                let error = Diagnostic::new(Code::D002, format!("the model has no output `{name}`"))
                    .at(written.part(at.clone()), "");
                match nearest(name, outputs.iter().map(|o| o.name.as_str())) {
                    Some(near) => error.fix("there is one with a similar name", written.part(at.clone()), near),
                    None => error,
                }
            })?
        }
        None => outputs.first().ok_or_else(|| Diagnostic::new(Code::D002, "the model has no output to train on"))?,
    };
    let ty = program.ty(output.value);
    if ty.dtype.is_float() && ty.shape.count() == 1 {
        return Ok(output.value);
    }
    let place = train.loss.as_ref().map_or(written.span(), |(_, at)| written.part(at.clone()));
    let mut error = Diagnostic::new(Code::D002, format!("output `{}` is {ty}, which is no loss", output.name))
        .at(place, "needs one number to make smaller");
    let scalar =
        outputs.iter().find(|o| program.ty(o.value).dtype.is_float() && program.ty(o.value).shape.count() == 1);
    error = match scalar {
        Some(other) => error.help(format!("output `{}` has one number: say `loss={}`", other.name, other.name)),
        None => error.help("let the model return the mean of its loss; a built-in model does with `loss=true`"),
    };
    Err(error)
}

fn not_reached(program: &Program, param: ParamId, loss: ValueId) -> Diagnostic {
    let (path, loss) = (&program.params[param].path, &program.values[loss].name);
    Diagnostic::warning(Code::D004, format!("the loss does not depend on `{path}`, which is therefore not trained"))
        .note(format!("nothing between it and `%{loss}` passes a gradient"))
        .help(format!("say so, if that is meant: `--freeze {}`", shell_word(path)))
}

fn nothing_to_train(program: &Program, written: &Written) -> Diagnostic {
    let error = Diagnostic::new(Code::D004, "there is nothing to train").at(written.span(), "asks for a training step");
    let count = |kind| program.params.values().filter(|p| p.kind == kind).count();
    match (program.params.len(), count(ParamKind::Frozen)) {
        (0, _) => error.note("the model has no parameters"),
        (all, frozen) if all == frozen => error.note(format!("all {all} parameters are frozen")),
        _ => error.note("the loss depends on no parameter that may be trained"),
    }
}
