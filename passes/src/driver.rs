//! What a pass is, and the driver that runs a pipeline of them.
//!
//! Only the driver verifies, times, dumps and reports; a pass does one thing to a program. A pipeline whose forms do
//! not chain cannot be built.

mod findings;
mod input;
pub mod provenance;
pub mod variant;

pub use findings::{Fallback, FindingKind, Findings};
pub use input::Input;

use partita_ir::arena::OpId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::{Form, Program};
use partita_ir::verify::verify;
use std::time::{Duration, Instant};

/// Name and forms of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Info {
    /// The name on the command line, in dumps and in messages: `insert-reshards`.
    pub name: &'static str,
    /// The form that the program must have.
    pub needs: Form,
    /// The form that it has afterwards.
    pub gives: Form,
    /// The findings of earlier passes that it reads.
    pub reads: &'static [FindingKind],
}

/// A step from one program to the next.
pub trait Pass {
    /// Name and forms.
    fn info(&self) -> Info;
    /// Whether there is anything to do. A pass that keeps the form and has nothing to do is not run, and what it would
    /// leave is proven already.
    fn applies(&self, _program: &Program, _input: &Input, _findings: &Findings) -> bool {
        true
    }
    /// Rewrites the program and adds to the findings. Arenas only grow: a `ValueId` means the same value before and
    /// after.
    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>>;
}

/// Whether any op of the functions that have layouts is of that kind.
pub fn any_op(program: &Program, is: impl Fn(&Program, OpId) -> bool) -> bool {
    program.laid_out_funcs().into_iter().any(|func| program.funcs[func].ops().iter().any(|&op| is(program, op)))
}

/// Passes, in order.
pub type Passes = Vec<Box<dyn Pass>>;

/// Passes whose forms chain.
pub struct Pipeline {
    passes: Passes,
}

/// What a pass did, for whoever watches.
pub struct Ran<'a> {
    /// The pass.
    pub info: Info,
    /// The program after it.
    pub program: &'a Program,
    /// Time of the pass alone.
    pub pass: Duration,
    /// Time of the verifier.
    pub verify: Duration,
}

/// Says that a pass broke the program: our bug, not the user's.
fn broken(info: Info, errors: &[Diagnostic]) -> Vec<Diagnostic> {
    let found = errors.iter().map(|e| e.to_string().replace('\n', "\n  "));
    let broken = Diagnostic::new(Code::B001, format!("the pass `{}` broke the program", info.name));
    vec![found.fold(broken, Diagnostic::note)]
}

impl Pipeline {
    /// A pipeline, unless a pass needs another form than the one before it gives.
    pub fn new(passes: Passes) -> Result<Pipeline, Diagnostic> {
        for pair in passes.windows(2) {
            let (before, after) = (pair[0].info(), pair[1].info());
            if before.gives != after.needs {
                return Err(Diagnostic::new(
                    Code::P001,
                    format!(
                        "`{}` needs {} but the pipeline is at {} after `{}`",
                        after.name,
                        after.needs.name(),
                        before.gives.name(),
                        before.name
                    ),
                ));
            }
        }
        Ok(Pipeline { passes })
    }

    /// Runs the passes in order. After each one that did something the program is verified, unless it is a draft, and
    /// whoever watches is told. A program that fails to verify after a pass is our bug: the diagnostics then say which
    /// pass broke what.
    pub fn run(
        &self,
        program: &mut Program,
        input: &Input,
        findings: &mut Findings,
        watch: &mut dyn FnMut(Ran<'_>) -> Result<(), Diagnostic>,
    ) -> Result<(), Vec<Diagnostic>> {
        let mut proven = false;
        for pass in &self.passes {
            let info = pass.info();
            if program.form != info.needs {
                let title = format!(
                    "`{}` needs a program in form {}, and this one is {}",
                    info.name,
                    info.needs.name(),
                    program.form.name()
                );
                return Err(vec![Diagnostic::new(Code::P001, title)]);
            }
            let started = Instant::now();
            let idle = info.needs == info.gives && !pass.applies(program, input, findings);
            if !idle {
                pass.run(program, input, findings)?;
            }
            let took = started.elapsed();
            let started = Instant::now();
            if !(idle && proven) && (!input.is_draft || program.form == Form::Local) {
                verify(program).map_err(|errors| broken(info, &errors))?;
                proven = true;
            }
            let verify = started.elapsed();
            watch(Ran { info, program, pass: took, verify }).map_err(|e| vec![e])?;
        }
        Ok(())
    }

    /// The passes' names and forms, in order.
    pub fn infos(&self) -> impl Iterator<Item = Info> + '_ {
        self.passes.iter().map(|p| p.info())
    }
}
