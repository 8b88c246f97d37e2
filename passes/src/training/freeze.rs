//! `freeze` (traced -> traced): marks the parameters that are not trained, as `--freeze` and `--train-only` of the plan
//! say.
//!
//! In a forward model nothing else changes: what is frozen gets no gradient when the training step is made. In a
//! program that is a training step already, the outputs that replace a frozen parameter or its optimizer's state give
//! back what came in, so that its update, its gradient and all that only they needed are dropped as dead.
//!
//! Before, with `--freeze "embed.*"`:
//!
//! ```text
//! param %w "embed.weight" : f32[8, 4]
//! param %v "head.weight" : f32[4, 1]
//! ```
//!
//! After:
//!
//! ```text
//! param %w "embed.weight" frozen : f32[8, 4]
//! param %v "head.weight" : f32[4, 1]
//! ```

use crate::driver::{Findings, Info, Input, Pass};
use crate::import::updates::{Replaced, is_running, replaced};
use crate::planning::find::Entries;
use crate::training::phases::declare_params;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::Written;
use partita_ir::program::{Form, ParamKind, Program};
use rustc_hash::FxHashSet;

/// The pass.
pub struct Freeze;

impl Pass for Freeze {
    fn info(&self) -> Info {
        Info { name: "freeze", needs: Form::Traced, gives: Form::Traced, reads: &[] }
    }

    fn applies(&self, _: &Program, input: &Input, _: &Findings) -> bool {
        !input.plan.freeze.is_empty() || !input.plan.train_only.is_empty()
    }

    fn run(&self, program: &mut Program, input: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        if input.plan.train.is_some() {
            declare_params(program);
        }
        let replaced = replaced(program);
        let mut errors = Vec::new();
        let is_param = |value: ValueId| program.param_of(value).is_some() || replaced.iter().any(|r| r.input == value);
        let frozen = matched(program, &input.plan.freeze, &is_param, &mut errors);
        let only = matched(program, &input.plan.train_only, &is_param, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let some_only = !input.plan.train_only.is_empty();
        let freezes = |value: ValueId| frozen.contains(&value) || some_only && !only.contains(&value);
        for param in program.params.values_mut().filter(|p| p.kind == ParamKind::Trainable) {
            if freezes(param.value) {
                param.kind = ParamKind::Frozen;
            }
        }
        keep_frozen(program, &replaced, freezes);
        Ok(())
    }
}

/// The parameters that the paths match.
fn matched(
    program: &Program,
    paths: &[Written],
    is_param: &impl Fn(ValueId) -> bool,
    errors: &mut Vec<Diagnostic>,
) -> FxHashSet<ValueId> {
    let entries = Entries::of(program);
    let mut found = FxHashSet::default();
    for path in paths {
        match entries.find(path) {
            Ok(values) => {
                let params: Vec<ValueId> = values.iter().copied().filter(|&v| is_param(v)).collect();
                if let (Some(&other), true) = (values.first(), params.is_empty()) {
                    let name = entries.path(other);
                    errors.push(
                        Diagnostic::new(Code::L006, format!("`{name}` is an input, and only parameters are trained"))
                            .at(path.span(), "no parameter"),
                    );
                }
                found.extend(params);
            }
            Err(error) => errors.push(error),
        }
    }
    found
}

/// Lets outputs that replace a frozen parameter or its state be what came in.
fn keep_frozen(program: &mut Program, replaced: &[Replaced], freezes: impl Fn(ValueId) -> bool) {
    let state_of = |value: ValueId| {
        let of = program.param_of(value).and_then(|id| program.params[id].of);
        of.map(|of| program.params[of].value)
    };
    let is_state_of_other = |value: ValueId| replaced.iter().any(|r| r.state.contains(&value));
    let mut kept: Vec<(usize, ValueId)> = Vec::new();
    for one in replaced {
        // Whose state a value is decides before the value itself does: `--train-only` names parameters.
        let frozen = match state_of(one.input) {
            Some(param) => freezes(param),
            None if is_state_of_other(one.input) => {
                replaced.iter().filter(|r| r.state.contains(&one.input)).all(|r| freezes(r.input))
            }
            None => freezes(one.input) && !is_running(program, one.input),
        };
        if frozen {
            kept.push((one.output, one.input));
        }
    }
    for (output, value) in kept {
        program.outputs_mut()[output].value = value;
    }
}
