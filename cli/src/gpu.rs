//! `compile`, `inspect`, `doctor`, `explain --kernels`, and `run` on GPUs. A build without them says what to build
//! with.

#[cfg(feature = "gpu")]
mod compile;
#[cfg(feature = "gpu")]
mod doctor;
#[cfg(feature = "gpu")]
mod inspect;
#[cfg(feature = "gpu")]
mod kernels;
#[cfg(feature = "gpu")]
mod run;

#[cfg(feature = "gpu")]
pub(super) use {compile::compile, doctor::doctor, inspect::inspect, kernels::kernels, run::run};
#[cfg(not(feature = "gpu"))]
pub(super) use {left_out::compile, left_out::doctor, left_out::inspect, left_out::kernels, left_out::run};

/// Whether a model is a file that `compile` made.
pub(super) fn is_artefact(model: &str) -> bool {
    model.ends_with(".partita")
}

#[cfg(not(feature = "gpu"))]
mod left_out {
    use crate::args::{CompileArgs, DoctorArgs, ExplainArgs, InspectArgs, RunArgs};
    use crate::{Outcome, Own};
    use partita::Partition;
    use partita::Result;

    pub(crate) fn compile(_: &CompileArgs, _: Option<&Own<'_>>) -> Result<Outcome> {
        left_out("cannot compile for GPUs")
    }

    pub(crate) fn inspect(_: &InspectArgs) -> Result<Outcome> {
        left_out("cannot read compiled files")
    }

    pub(crate) fn doctor(_: &DoctorArgs) -> Result<Outcome> {
        left_out("cannot list GPUs")
    }

    pub(crate) fn kernels(_: &ExplainArgs, _: &str, _: &Partition) -> Result<Outcome> {
        left_out("cannot list kernels")
    }

    pub(crate) fn run(args: &RunArgs, _: Option<&Own<'_>>) -> Result<Outcome> {
        if args.emulate {
            return Err(partita::error::without_emulator().into());
        }
        left_out("cannot run on GPUs")
    }

    fn left_out(what: &str) -> Result<Outcome> {
        Err(partita::error::left_out("gpu", format!("this build has no GPU support: it {what}")).into())
    }
}
