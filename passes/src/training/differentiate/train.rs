//! `train` (traced -> traced): builds the training step of a model, as `--train` of the plan specifies.
//!
//! The loss is differentiated with respect to every trained parameter ([`super::reverse`]). The optimizer's new value
//! of a parameter (`update`) becomes an additional output that replaces the parameter, as does the optimizer state,
//! which is a parameter `optimizer.*`. The outputs of the model stay; with micro-batches, only the loss and state that
//! the model changes. A parameter that the loss does not depend on gets a warning and stays as it is. The batch is
//! donated. `stop_gradient`, through which no gradient flows, is removed afterwards, and from forward models that are
//! not trained.
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

use super::reverse::{Activity, reverse};
use super::update::{LearningRate, LossScale, StepBuilder, update};
use crate::driver::{Findings, Input, Pass, PassInfo};
use crate::training::micro_batches::{SplitRequest, default_micro_batches, split_micro_batches};
use crate::training::phases::declare_params;
use partita_ir::arena::{FuncId, ParamId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::diag::{Code, Diagnostic, nearest, shell_word};
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::plan::train::{LossScaling, TrainConfig};
use partita_ir::plan::{Plan, SourceText};
use partita_ir::program::{Form, Output, ParamKind, Phase, Program};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// The pass.
pub struct BuildTrainingStep;

impl Pass for BuildTrainingStep {
    fn info(&self) -> PassInfo {
        PassInfo { name: "train", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, program: &Program, input: &Input, _: &Findings) -> bool {
        input.plan.train.is_some() || program.ops.values().any(|op| op.kind.is_stop_gradient())
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        if let Some(written) = input.plan.train.clone() {
            build_step(program, &written, input, findings)?;
        }
        remove_stop_gradients(program);
        Ok(())
    }
}

/// Builds the training step that the plan specifies by `written`.
fn build_step(
    program: &mut Program,
    written: &SourceText,
    input: &Input,
    findings: &mut Findings,
) -> Result<(), Vec<Diagnostic>> {
    let train = TrainConfig::parse(written).map_err(|e| vec![e])?;
    if program.model_ops().iter().any(|o| o.op.phase != Phase::Forward) {
        return Err(vec![already_training_step(program, written)]);
    }
    program.is_forward = false;
    declare_params(program);
    super::decompose_ops(program);
    let loss = find_loss(program, &train, written).map_err(|e| vec![e])?;
    let rate = LearningRate::from_plan(&train, written, program).map_err(|e| vec![e])?;
    let trained: Vec<ParamId> = trained_params(program).collect();
    let values: Vec<ValueId> = trained.iter().map(|&p| program.params[p].value).collect();
    if values.is_empty() {
        return Err(vec![nothing_to_train(program, written)]);
    }
    let mut names = Namer::from_program(program);
    // entry only: gradients are appended to it; a loop has its own adjoint
    let mut body = program.funcs[program.entry()].ops().to_vec();
    let data: Vec<ValueId> = data_inputs(program).collect();
    let activity = Activity::analyse(program, &body, &values, &data);
    let mut step = StepBuilder::new(program, &mut names);
    step.b.phase = Phase::BackwardInput;
    let scale = LossScale::add_to(&mut step, train.scaling.unwrap_or_else(|| default_scaling(&input.plan)));
    let seed = append_seed(&mut step.b, loss, scale);
    let gradients = reverse(&mut step.b, &mut body, &[(loss, seed)], &values, &activity)?;
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
        return Err(vec![nothing_to_train(step.b.program, written)]);
    }
    use_narrow_gradients(&step, &mut found);
    if let Some(mut request) = split_request(step.b.program, &train, written, &input.plan).map_err(|e| vec![e])? {
        findings.warnings.extend(drop_metrics(step.b.program, loss, &request));
        found = split_gradients(&mut step, &mut request, &found, findings)?;
    }
    data.iter().for_each(|&v| step.b.program.values[v].donated = true);
    update(step, &train, &rate, scale, &reached, &found);
    Ok(())
}

/// Replaces the results of `stop_gradient` by its operands, except for values with a layout. A choice between a value
/// and the same value without gradient, such as the rows of an embedding with padding, becomes the value.
///
/// Recogniser: other ops remain.
fn remove_stop_gradients(program: &mut Program) {
    let funcs: Vec<FuncId> = program.funcs.iter().map(|(id, _)| id).collect();
    for func in funcs {
        let mut replaced: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        let mut body = program.funcs[func].take_ops();
        body.retain(|&id| {
            let op = &mut program.ops[id];
            let is_changed = op.args.iter().any(|arg| replaced.contains_key(arg));
            op.args.iter_mut().for_each(|arg| *arg = replaced.get(arg).copied().unwrap_or(*arg));
            let operand = match (&op.kind, &op.args[..]) {
                (kind, &[x]) if kind.is_stop_gradient() => Some(x),
                (OpKind::Select(_), &[_, x, y]) if is_changed && x == y => Some(x),
                _ => None,
            };
            let operand = operand.filter(|_| program.values[op.outs[0]].layout.is_none());
            replaced.extend(operand.map(|x| (op.outs[0], x)));
            operand.is_none()
        });
        *program.funcs[func].ops_mut() = body;
        for output in &mut program.funcs[func].outputs {
            output.value = replaced.get(&output.value).copied().unwrap_or(output.value);
        }
    }
}

/// Returns how the batch is split into micro-batches, if at all. The number is the number of gradient accumulation
/// steps or of micro-batches in a pipeline. A schedule for micro-batches requires a loop even over a single one.
fn split_request(
    program: &Program,
    train: &TrainConfig,
    written: &SourceText,
    plan: &Plan,
) -> Result<Option<SplitRequest>, Diagnostic> {
    let Some(pipeline) = plan.pipeline_config()? else {
        let place = written.span_of(train.accumulate_at.clone());
        let request =
            SplitRequest { count: train.accumulate, place, help: "accumulate=", sums: true, is_default: false };
        return Ok(Some(request).filter(|request| request.count > 1));
    };
    let count = pipeline.micro_batches.or(Some(train.accumulate).filter(|&parts| parts > 1));
    if let (Some(count), true) = (pipeline.micro_batches, train.accumulate > 1 && count != Some(train.accumulate)) {
        let title = format!("{count} micro-batches contradict `accumulate={}`", train.accumulate);
        let error = Diagnostic::new(Code::D007, title).label(pipeline.place, "first stated here");
        let error = error.label(written.span_of(train.accumulate_at.clone()), "stated again here");
        return Err(error.help("in a pipeline, both are the number of micro-batches: leave one of them out"));
    }
    let parts = count.unwrap_or_else(|| default_micro_batches(program, &pipeline, plan));
    let is_looped = parts > 1 || !pipeline.is_single() || plan.schedule.is_some();
    let is_default = count.is_none();
    let request = SplitRequest { count: parts, place: pipeline.place, help: "--microbatches ", sums: true, is_default };
    Ok(is_looped.then_some(request))
}

fn already_training_step(program: &Program, written: &SourceText) -> Diagnostic {
    let name = &program.source;
    Diagnostic::new(Code::D002, format!("`{name}` is a training step already"))
        .label(written.span(), "requests the training step of a model")
        .help("leave `--train` out, or train the forward function that it was made from")
}

/// Returns the trained parameters: float parameters that are not frozen.
fn trained_params(program: &Program) -> impl Iterator<Item = ParamId> + '_ {
    let is_trained = |kind| kind == ParamKind::Trainable;
    let params = program.params.iter().filter(move |(_, p)| is_trained(p.kind));
    params.filter(|(_, p)| program.ty(p.value).dtype.is_float()).map(|(id, _)| id)
}

/// Returns the inputs that are not parameters.
pub(super) fn data_inputs(program: &Program) -> impl Iterator<Item = ValueId> + '_ {
    program.inputs().iter().copied().filter(|&v| program.param_of(v).is_none())
}

/// Removes the outputs of the model except for the loss and for state that the model changes. Others, such as logits,
/// are not stored for all micro-batches. Returns a warning that names them, if there are any.
fn drop_metrics(program: &mut Program, loss: ValueId, request: &SplitRequest) -> Option<Diagnostic> {
    let is_dropped = |output: &Output| output.value != loss && output.replaces.is_none();
    let outputs = program.outputs();
    let dropped: Vec<String> = outputs.iter().filter(|&o| is_dropped(o)).map(|o| format!("`{}`", o.name)).collect();
    program.outputs_mut().retain(|o| !is_dropped(o));
    let first = dropped.first()?;
    let more = match dropped.len() - 1 {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let title = format!("a step with micro-batches does not return {first}{more}, only the loss and new state");
    Some(Diagnostic::warning(Code::D007, title).label(request.place.clone(), "requests micro-batches"))
}

/// Splits the computation of the loss, of new state and of these gradients into micro-batches. Returns the gradients of
/// the batch.
fn split_gradients(
    step: &mut StepBuilder<'_>,
    request: &mut SplitRequest,
    gradients: &[ValueId],
    findings: &mut Findings,
) -> Result<Vec<ValueId>, Vec<Diagnostic>> {
    let backward = std::mem::take(&mut step.b.body);
    step.b.program.entry_ops_mut().extend(backward);
    let outputs = step.b.program.outputs_mut();
    let count = outputs.len();
    let gradient = |&value: &ValueId| Output { value, name: "gradient".into(), replaces: None };
    outputs.extend(gradients.iter().map(gradient));
    step.b.body = split_micro_batches(&mut step.b, request, findings)?;
    step.b.program.entry_ops_mut().clear();
    Ok(step.b.program.outputs_mut().split_off(count).into_iter().map(|output| output.value).collect())
}

/// Replaces gradients by their narrow versions, before the backward pass converts them to the type of the parameters.
/// They are then stored and sent in the narrow type, and the update converts them one after the other.
///
/// Recogniser: a gradient that is converted in any other way stays as it is.
fn use_narrow_gradients(step: &StepBuilder<'_>, gradients: &mut [ValueId]) {
    let program = &*step.b.program;
    let ops = step.b.body.iter().map(|&op| &program.ops[op]);
    let converts = ops.filter(|op| matches!(op.kind, OpKind::Convert(_)));
    let narrow: FxHashMap<ValueId, ValueId> = converts.map(|op| (op.outs[0], op.args[0])).collect();
    for gradient in gradients {
        let source = narrow.get(gradient).filter(|&&v| program.ty(v).bytes() < program.ty(*gradient).bytes());
        *gradient = source.copied().unwrap_or(*gradient);
    }
}

/// Returns the default loss scaling: dynamic if the model computes in `f16`, because its small gradients underflow.
fn default_scaling(plan: &Plan) -> LossScaling {
    let in_f16 = plan.precision.iter().any(|entry| entry.text.text.trim() == DType::F16.name());
    if in_f16 { LossScaling::Dynamic } else { LossScaling::None }
}

/// Appends the gradient of the loss: 1, or the loss scale.
fn append_seed(b: &mut Builder<'_>, loss: ValueId, scale: Option<LossScale>) -> ValueId {
    let ty = b.ty(loss);
    match scale {
        None => b.splat(ty, Scalar::Float(1.0)),
        Some(scale) => {
            let scale = if ty.dtype == DType::F32 { scale.value } else { b.convert(scale.value, ty.dtype) };
            b.broadcast(scale, &[], ty.shape)
        }
    }
}

/// Returns the output to minimise.
fn find_loss(program: &Program, train: &TrainConfig, written: &SourceText) -> Result<ValueId, Diagnostic> {
    let outputs = program.outputs();
    let output = match &train.loss {
        Some((name, at)) => {
            let found = outputs.iter().find(|o| o.name == *name);
            found.ok_or_else(|| {
                let error = Diagnostic::new(Code::D002, format!("the model has no output `{name}`"))
                    .label(written.span_of(at.clone()), "");
                match nearest(name, outputs.iter().map(|o| o.name.as_str())) {
                    Some(near) => error.fix("there is one with a similar name", written.span_of(at.clone()), near),
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
    let place = train.loss.as_ref().map_or(written.span(), |(_, at)| written.span_of(at.clone()));
    let mut error =
        Diagnostic::new(Code::D002, format!("output `{}` is {ty}, which is not a scalar loss", output.name))
            .label(place, "the loss must have one element");
    let scalar =
        outputs.iter().find(|o| program.ty(o.value).dtype.is_float() && program.ty(o.value).shape.count() == 1);
    error = match scalar {
        Some(other) => error.help(format!("output `{}` has one element: write `loss={}`", other.name, other.name)),
        None => error.help(loss_help(&program.source)),
    };
    Err(error)
}

/// Returns the help for a model without a loss, by the name of the model: formats without training take the loss as an
/// option.
fn loss_help(model: &str) -> String {
    let has_loss_option = |end: &str| model.ends_with(end) || model.contains(&format!("{end}?"));
    if model.starts_with("zoo:") {
        "build the model with its loss: write `loss=true`".to_owned()
    } else if [".pt2", ".onnx"].into_iter().any(has_loss_option) {
        let separator = if model.contains('?') { '&' } else { '?' };
        let named = format!("{model}{separator}loss=cross_entropy");
        format!("add a loss: `{}`, or `loss=mse`", shell_word(&named))
    } else {
        "return the mean loss from the model".to_owned()
    }
}

fn not_reached(program: &Program, param: ParamId, loss: ValueId) -> Diagnostic {
    let (path, loss) = (&program.params[param].path, &program.values[loss].name);
    Diagnostic::warning(Code::D004, format!("the loss does not depend on `{path}`, which is therefore not trained"))
        .note(format!("no path from it to `%{loss}` has a gradient"))
        .help(format!("if that is intended, state it: `--freeze {}`", shell_word(path)))
}

fn nothing_to_train(program: &Program, written: &SourceText) -> Diagnostic {
    let error =
        Diagnostic::new(Code::D004, "there is nothing to train").label(written.span(), "requests a training step");
    let count = |kind| program.params.values().filter(|p| p.kind == kind).count();
    match (program.params.len(), count(ParamKind::Frozen)) {
        (0, _) => error.note("the model has no parameters"),
        (all, frozen) if all == frozen => error
            .note(format!("all {all} parameters are frozen"))
            .help("freeze fewer parameters, or name those to train: `--train-only PATH`"),
        _ => error.note("the loss depends on no trainable parameter"),
    }
}
