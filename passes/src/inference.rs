//! The inference program of a model: from examples to predictions, without losses, labels or random numbers.
//!
//! A trainable model ends in a loss, and its prediction is the value that the loss compares with the labels: the logits
//! of a `cross_entropy`, or otherwise the operand of the last op that combines a value with an input on which the value
//! does not depend. If the model has outputs with a row for each example, the predictions are those outputs that do not
//! depend on labels. Ops and inputs on which no prediction depends are removed.
//!
//! Before: `%loss` of `%e = cross_entropy %logits, %label`. After: `%logits`, and no input `%label`.

use crate::batch_independence::{MixingOp, find_mixing_op};
use crate::driver::{Findings, Input, Pass};
use crate::evaluation::forward;
use crate::import::updates::replacements;
use crate::optimising::dce::Dce;
use partita_ir::arena::{Id, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::plan::Plan;
use partita_ir::program::{Form, Op, Output, Program};
use std::collections::BTreeSet;

/// A program that computes the predictions of a model.
pub struct Inference {
    /// The program, in traced form. Examples are indexed by the first dimension of every input that is not a parameter,
    /// and of every output.
    pub program: Program,
    /// Number of examples in a batch.
    pub batch: usize,
}

impl Inference {
    /// Builds the inference program of a model in the precision of the plan.
    ///
    /// # Errors
    /// `I001` when the model has no prediction, or when a prediction depends on other examples of the batch. Errors in
    /// the precision.
    pub fn new(model: &Program, plan: &Plan) -> Result<Inference, Vec<Diagnostic>> {
        let mut program = forward(model, plan)?;
        let refuse = |error: Diagnostic| vec![error];
        let outputs = predictions(&program).map_err(refuse)?;
        *program.outputs_mut() = outputs;
        Dce(Form::Traced).run(&mut program, &Input::default(), &mut Findings::default())?;
        drop_unread_inputs(&mut program);
        let batch = batch_size(&program).map_err(refuse)?;
        match find_mixing_op(&program, batch)? {
            Some(mixing) => Err(refuse(mixes(&program, &mixing))),
            None => Ok(Inference { program, batch }),
        }
    }
}

/// The inputs on which a value depends.
#[derive(Clone, Default)]
struct Sources {
    params: bool,
    data: BTreeSet<ValueId>,
}

/// A prediction and the inputs with which it is compared.
struct Comparison {
    prediction: ValueId,
    labels: BTreeSet<ValueId>,
    is_classification: bool,
}

impl Comparison {
    /// Returns the comparison that an op makes: one operand depends on parameters and data, and another one only on
    /// inputs on which the first does not depend.
    fn from_op(op: &Op, sources: &[Sources]) -> Option<Comparison> {
        let of = |value: ValueId| &sources[value.index()];
        let mut candidates = op.args.iter().copied().filter(|&v| of(v).params && !of(v).data.is_empty());
        candidates.find_map(|prediction| {
            let others = op.args.iter().map(|&v| of(v)).filter(|other| !other.params && !other.data.is_empty());
            let labels: BTreeSet<ValueId> = others.flat_map(|o| &o.data).copied().collect();
            let is_classification = is_classification(op);
            let is_one = !labels.is_empty() && labels.is_disjoint(&of(prediction).data);
            is_one.then_some(Comparison { prediction, labels, is_classification })
        })
    }
}

/// Returns true if an op compares logits with classes.
///
/// Recogniser: for any other loss, the last comparison counts.
fn is_classification(op: &Op) -> bool {
    matches!(op.kind, OpKind::CrossEntropy(_))
}

/// Returns the predictions of the program, as its new outputs.
fn predictions(program: &Program) -> Result<Vec<Output>, Diagnostic> {
    let sources = sources(program);
    let main = &program.funcs[program.entry()];
    let comparison = |at: ModelOp<'_>| Comparison::from_op(at.op, &sources);
    // entry only: predictions become outputs of the program
    let comparisons: Vec<Comparison> = program.entry_ops().filter_map(comparison).collect();
    let classifications: Vec<&Comparison> = comparisons.iter().filter(|c| c.is_classification).collect();
    let labels: BTreeSet<ValueId> = classifications.iter().flat_map(|c| &c.labels).copied().collect();

    let sizes = main.inputs.iter().filter(|&&v| program.param_of(v).is_none());
    let batch = sizes.filter_map(|&v| program.ty(v).shape.first().copied()).next();
    // With a batch of 1, a loss of shape `[1]` looks like a prediction.
    let has_examples = |value: ValueId| {
        let shape = &program.ty(value).shape;
        shape.first().copied() == batch && (batch != Some(1) || shape.rank() > 1)
    };
    let replaced = replacements(program);
    let not_replaced = main.outputs.iter().enumerate().filter(|(i, _)| replaced.iter().all(|r| r.output != *i));
    let row_outputs: Vec<Output> = not_replaced
        .map(|(_, o)| Output { replaces: None, ..o.clone() })
        .filter(|o| has_examples(o.value) && sources[o.value.index()].data.is_disjoint(&labels))
        .filter(|o| !sources[o.value.index()].data.is_empty())
        .collect();
    if !row_outputs.is_empty() {
        return Ok(row_outputs);
    }
    let compared: Vec<ValueId> = match classifications.is_empty() {
        false => classifications.iter().map(|c| c.prediction).collect(),
        true => comparisons.last().map(|c| c.prediction).into_iter().collect(),
    };
    let name = if classifications.is_empty() { "prediction" } else { "logits" };
    match &compared[..] {
        [] => Err(predicts_nothing(program)),
        [value] => Ok(vec![Output { value: *value, name: name.into(), replaces: None }]),
        several => {
            let named = several.iter().enumerate().map(|(i, &value)| (value, format!("{name}.{i}").into()));
            Ok(named.map(|(value, name)| Output { value, name, replaces: None }).collect())
        }
    }
}

/// Returns the inputs on which each value of the main function depends, indexed by value.
fn sources(program: &Program) -> Vec<Sources> {
    let mut sources = vec![Sources::default(); program.values.len()];
    for &input in program.inputs() {
        let slot = &mut sources[input.index()];
        match program.param_of(input) {
            Some(_) => slot.params = true,
            None => slot.data = BTreeSet::from([input]),
        }
    }
    // entry only: results of a loop depend on all of its operands
    for ModelOp { op, .. } in program.entry_ops() {
        let mut all = Sources::default();
        for arg in op.args.iter().map(|arg| &sources[arg.index()]) {
            all.params |= arg.params;
            all.data.extend(&arg.data);
        }
        op.outs.iter().for_each(|out| sources[out.index()] = all.clone());
    }
    sources
}

/// Removes inputs that no op reads, such as labels. Parameters stay, because they are part of the signature.
fn drop_unread_inputs(program: &mut Program) {
    let mut read = vec![false; program.values.len()];
    // entry only: the operands of a loop include all inputs that its body reads
    for ModelOp { op, .. } in program.entry_ops() {
        op.args.iter().for_each(|arg| read[arg.index()] = true);
    }
    program.outputs().iter().for_each(|o| read[o.value.index()] = true);
    program.params.values().for_each(|p| read[p.value.index()] = true);
    program.inputs_mut().retain(|v| read[v.index()]);
}

/// Returns the number of examples in a batch.
///
/// # Errors
/// `I001` when inputs and predictions differ in their first dimension.
fn batch_size(program: &Program) -> Result<usize, Diagnostic> {
    let main = &program.funcs[program.entry()];
    let inputs = main.inputs.iter().filter(|&&v| program.param_of(v).is_none()).map(|&v| (program.path_of(v), v));
    let ports: Vec<(&str, ValueId)> = inputs.chain(main.outputs.iter().map(|o| (o.name.as_str(), o.value))).collect();
    let first = |value: ValueId| program.ty(value).shape.first().copied();
    let (name, size) = ports.first().map_or(("", None), |&(name, value)| (name, first(value)));
    let title = |what: String| {
        Diagnostic::new(Code::I001, what)
            .note("the first dimension of every input that is not a parameter, and of every prediction, is the batch")
    };
    let Some(size) = size.filter(|&n| n > 0) else {
        return Err(title(format!("`{name}` has no examples")));
    };
    match ports.iter().find(|&&(_, value)| first(value) != Some(size)) {
        Some(&(other, value)) => {
            Err(title(format!("`{name}` has {size} examples, but `{other}` is {}", program.ty(value))))
        }
        None => Ok(size),
    }
}

fn predicts_nothing(program: &Program) -> Diagnostic {
    let source = &program.source;
    Diagnostic::new(Code::I001, format!("`{source}` has no predictions"))
        .note("no output has a row for each example, and no value is compared with labels")
        .help("use the model without its loss; for a built-in model, write `loss=false`")
}

fn mixes(program: &Program, mixing: &MixingOp) -> Diagnostic {
    let title = format!("predictions of `{}` for an example depend on other examples of its batch", program.source);
    let error = Diagnostic::new(Code::I001, title).note(format!("`{}` mixes the examples of a batch", mixing.op));
    let error = match (program.source_line(&mixing.origin), &mixing.origin.scope) {
        (Some((file, line)), _) => error.on_line(file, line),
        (None, scope) if scope.is_empty() => error,
        (None, scope) => error.note(format!("it is part of `{scope}`")),
    };
    error.note("requests of different users share a batch, so one request could change the answer to another").help(
        "use the model in inference mode, such as with running means in batch norms; for a built-in model, write \
               `loss=false`",
    )
}
