//! `freeze` (traced -> traced): marks the parameters that are not trained, as `--freeze` and `--train-only` of the plan say.
//!
//! In a forward model nothing else changes: what is frozen gets no gradient when the training step is made. In a program that is a
//! training step already, the outputs that replace a frozen parameter or its optimizer's state give back what came in, so
//! that its update, its gradient and all that only they needed are dropped as dead.
//!
//! Before, with `--freeze "embed.*"`: `param %w "embed.weight" : f32[8, 4]`.
//!
//! After: `param %w "embed.weight" frozen : f32[8, 4]`.

use super::find::Entries;
use crate::pass::{Cx, Info, Pass};
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::Written;
use partita_ir::program::{Form, Param, ParamKind, Program};
use rustc_hash::FxHashSet;

/// The pass.
pub struct Freeze;

impl Pass for Freeze {
    fn info(&self) -> Info {
        Info { name: "freeze", needs: Form::Traced, gives: Form::Traced }
    }

    fn applies(&self, _: &Program, cx: &Cx) -> bool {
        !cx.plan.freeze.is_empty() || !cx.plan.train_only.is_empty()
    }

    fn run(&self, program: &mut Program, cx: &mut Cx) -> Result<(), Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let frozen = matched(program, &cx.plan.freeze, &mut errors);
        let only = matched(program, &cx.plan.train_only, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let some_only = !cx.plan.train_only.is_empty();
        for param in program.params.values_mut().filter(|p| p.kind == ParamKind::Trainable) {
            if frozen.contains(&param.value) || some_only && !only.contains(&param.value) {
                param.kind = ParamKind::Frozen;
            }
        }
        keep_frozen(program);
        Ok(())
    }
}

/// The parameters that the paths match.
fn matched(program: &Program, paths: &[Written], errors: &mut Vec<Diagnostic>) -> FxHashSet<ValueId> {
    let entries = Entries::of(program);
    let mut found = FxHashSet::default();
    for path in paths {
        match entries.find(path) {
            Ok(values) => {
                let params: Vec<ValueId> = values.iter().copied().filter(|&v| program.param_of(v).is_some()).collect();
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
fn keep_frozen(program: &mut Program) {
    let is_frozen = |program: &Program, id: ParamId| {
        let Param { kind, of, .. } = &program.params[id];
        *kind == ParamKind::Frozen || of.is_some_and(|of| program.params[of].kind == ParamKind::Frozen)
    };
    for i in 0..program.main().outputs.len() {
        if let Some(param) = program.main().outputs[i].alias
            && is_frozen(program, param)
        {
            program.main_mut().outputs[i].value = program.params[param].value;
        }
    }
}
