//! `freeze` (traced -> traced): marks the parameters that are not trained, as `--freeze` and `--train-only` of the plan
//! specify.
//!
//! A forward model does not change otherwise: frozen parameters get no gradient when the training step is built. In an
//! imported training step, the outputs that replace a frozen parameter or its optimizer state become the corresponding
//! inputs. Their update and gradient are then removed as dead code.
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

use crate::driver::{Findings, Input, Pass, PassInfo};
use crate::import::updates::{Replacement, is_model_state, replacements};
use crate::planning::path_index::PathIndex;
use crate::training::phases::declare_params;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::SourceText;
use partita_ir::program::{Form, ParamKind, Program};
use rustc_hash::FxHashSet;

/// The pass.
pub struct Freeze;

impl Pass for Freeze {
    fn info(&self) -> PassInfo {
        PassInfo { name: "freeze", input_form: Form::Traced, output_form: Form::Traced, reads: &[] }
    }

    fn applies(&self, _: &Program, input: &Input, _: &Findings) -> bool {
        !input.plan.freeze.is_empty() || !input.plan.train_only.is_empty()
    }

    fn run(&self, program: &mut Program, input: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        if input.plan.train.is_some() {
            declare_params(program);
        }
        let replaced = replacements(program);
        let mut errors = Vec::new();
        let is_param = |value: ValueId| program.param_of(value).is_some() || replaced.iter().any(|r| r.input == value);
        let frozen = matching_params(program, &input.plan.freeze, &is_param, &mut errors);
        let train_only = matching_params(program, &input.plan.train_only, &is_param, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let has_train_only = !input.plan.train_only.is_empty();
        let is_frozen = |value: ValueId| frozen.contains(&value) || has_train_only && !train_only.contains(&value);
        for param in program.params.values_mut().filter(|p| p.kind == ParamKind::Trainable) {
            if is_frozen(param.value) {
                param.kind = ParamKind::Frozen;
            }
        }
        disable_frozen_updates(program, &replaced, is_frozen);
        Ok(())
    }
}

/// Returns the parameters that match the paths.
fn matching_params(
    program: &Program,
    paths: &[SourceText],
    is_param: &impl Fn(ValueId) -> bool,
    errors: &mut Vec<Diagnostic>,
) -> FxHashSet<ValueId> {
    let entries = PathIndex::new(program);
    let mut found = FxHashSet::default();
    for path in paths {
        match entries.find(path) {
            Ok(values) => {
                let params: Vec<ValueId> = values.iter().copied().filter(|&v| is_param(v)).collect();
                if let (Some(&other), true) = (values.first(), params.is_empty()) {
                    let name = entries.path(other);
                    errors.push(
                        Diagnostic::new(Code::L006, format!("`{name}` is an input, and only parameters are trained"))
                            .label(path.span(), "not a parameter"),
                    );
                }
                found.extend(params);
            }
            Err(error) => errors.push(error),
        }
    }
    found
}

/// Replaces outputs that update a frozen parameter or its state by the corresponding inputs.
fn disable_frozen_updates(program: &mut Program, replaced: &[Replacement], is_frozen: impl Fn(ValueId) -> bool) {
    let state_of = |value: ValueId| {
        let of = program.param_of(value).and_then(|id| program.params[id].parent);
        of.map(|of| program.params[of].value)
    };
    let is_state_of_other = |value: ValueId| replaced.iter().any(|r| r.state.contains(&value));
    let mut unchanged: Vec<(usize, ValueId)> = Vec::new();
    for one in replaced {
        // State follows the parameter that it belongs to, because `--train-only` names parameters.
        let frozen = match state_of(one.input) {
            Some(param) => is_frozen(param),
            None if is_state_of_other(one.input) => {
                replaced.iter().filter(|r| r.state.contains(&one.input)).all(|r| is_frozen(r.input))
            }
            None => is_frozen(one.input) && !is_model_state(program, one.input),
        };
        if frozen {
            unchanged.push((one.output, one.input));
        }
    }
    for (output, value) in unchanged {
        program.outputs_mut()[output].value = value;
    }
}
