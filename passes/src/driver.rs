//! The pass interface, and the driver that runs a pipeline of passes.
//!
//! Only the driver verifies, times, dumps and reports. A pass only transforms a program. A pipeline of passes with
//! incompatible forms cannot be built.

mod findings;
mod input;
pub mod provenance;
pub mod variant;

pub use findings::{Fallback, FindingKind, Findings, RepeatedProduct};
pub use input::Input;

use partita_ir::arena::OpId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::{Form, Program};
use partita_ir::verify::verify;
use std::time::{Duration, Instant};

/// Name and program forms of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PassInfo {
    /// The name on the command line, in dumps and in messages: `insert-reshards`.
    pub name: &'static str,
    /// The form of programs that the pass accepts.
    pub input_form: Form,
    /// The form of programs that the pass returns.
    pub output_form: Form,
    /// The findings of earlier passes that the pass reads.
    pub reads: &'static [FindingKind],
}

/// A transformation of programs.
pub trait Pass {
    /// Returns the name and the forms of the pass.
    fn info(&self) -> PassInfo;
    /// Returns true if the pass may change the program. If not, and if the pass preserves the form, the driver skips
    /// the pass and does not verify the program again.
    fn applies(&self, _program: &Program, _input: &Input, _findings: &Findings) -> bool {
        true
    }
    /// Transforms the program and adds to the findings. Arenas only grow: a `ValueId` denotes the same value before and
    /// after.
    ///
    /// # Errors
    /// Errors of the user.
    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>>;
}

/// Returns true if the predicate is true for any op of the functions that have layouts.
pub fn any_op(program: &Program, is: impl Fn(&Program, OpId) -> bool) -> bool {
    program.funcs_with_layouts().into_iter().any(|func| program.funcs[func].ops().iter().any(|&op| is(program, op)))
}

/// An ordered list of passes.
pub type Passes = Vec<Box<dyn Pass>>;

/// An ordered list of passes with compatible forms.
pub struct Pipeline {
    passes: Passes,
}

/// A report on one pass, for the observer of a pipeline.
pub struct PassReport<'a> {
    /// The pass.
    pub info: PassInfo,
    /// The program after the pass.
    pub program: &'a Program,
    /// Duration of the pass, without verification.
    pub pass: Duration,
    /// Duration of the verification.
    pub verify: Duration,
}

/// Returns the internal error that a pass produced an invalid program.
fn invalid_program(info: PassInfo, errors: &[Diagnostic]) -> Vec<Diagnostic> {
    let found = errors.iter().map(|e| e.to_string().replace('\n', "\n  "));
    let error =
        Diagnostic::new(Code::B001, format!("internal error: pass `{}` produced an invalid program", info.name));
    vec![found.fold(error, Diagnostic::note)]
}

impl Pipeline {
    /// Returns a pipeline of these passes.
    ///
    /// # Errors
    /// `P001` when a pass needs another form than its predecessor returns.
    pub fn new(passes: Passes) -> Result<Pipeline, Diagnostic> {
        for pair in passes.windows(2) {
            let (before, after) = (pair[0].info(), pair[1].info());
            if before.output_form != after.input_form {
                return Err(Diagnostic::new(
                    Code::P001,
                    format!(
                        "`{}` needs {} but the pipeline is at {} after `{}`",
                        after.name,
                        after.input_form.name(),
                        before.output_form.name(),
                        before.name
                    ),
                ));
            }
        }
        Ok(Pipeline { passes })
    }

    /// Runs the passes in order. After each pass that changed the program, the driver verifies it and calls `watch`. A
    /// draft is only verified at the end, if it is in the local form.
    ///
    /// # Errors
    /// Errors of the passes and of `watch`; `B001`, an internal error, when the program is invalid after a pass.
    pub fn run(
        &self,
        program: &mut Program,
        input: &Input,
        findings: &mut Findings,
        watch: &mut dyn FnMut(PassReport<'_>) -> Result<(), Diagnostic>,
    ) -> Result<(), Vec<Diagnostic>> {
        let mut is_verified = false;
        for (index, pass) in self.passes.iter().enumerate() {
            let info = pass.info();
            let is_verifiable = !input.is_draft || index + 1 == self.passes.len() && info.output_form == Form::Local;
            if program.form != info.input_form {
                let title = format!(
                    "`{}` needs a program in form {}, and this one is {}",
                    info.name,
                    info.input_form.name(),
                    program.form.name()
                );
                return Err(vec![Diagnostic::new(Code::P001, title)]);
            }
            let started = Instant::now();
            let is_skipped = info.input_form == info.output_form && !pass.applies(program, input, findings);
            if !is_skipped {
                pass.run(program, input, findings)?;
            }
            let duration = started.elapsed();
            let started = Instant::now();
            if is_verifiable && !(is_skipped && is_verified) {
                verify(program).map_err(|errors| invalid_program(info, &errors))?;
                is_verified = true;
            }
            let verify = started.elapsed();
            watch(PassReport { info, program, pass: duration, verify }).map_err(|e| vec![e])?;
        }
        Ok(())
    }

    /// Returns the names and forms of the passes, in order.
    pub fn infos(&self) -> impl Iterator<Item = PassInfo> + '_ {
        self.passes.iter().map(|p| p.info())
    }
}
