//! `compile`, `inspect`, `explain --kernels`, and `run` on GPUs. In a build without the feature `gpu`, they
//! return the error `A007`, which names the feature.

#[cfg(feature = "gpu")]
mod compile;
#[cfg(feature = "gpu")]
mod inspect;
#[cfg(feature = "gpu")]
mod kernels;
#[cfg(feature = "gpu")]
mod run;

#[cfg(feature = "gpu")]
pub(super) use {compile::compile, inspect::inspect, kernels::kernels, run::run};
#[cfg(not(feature = "gpu"))]
pub(super) use {unsupported::compile, unsupported::inspect, unsupported::kernels, unsupported::run};

/// Returns true if the name of the model is that of a file written by `compile`.
pub(super) fn is_artefact(model: &str) -> bool {
    model.ends_with(".partita")
}

#[cfg(not(feature = "gpu"))]
mod unsupported {
    use crate::args::{CompileArgs, ExplainArgs, InspectArgs, RunArgs};
    use crate::{CallerModel, Outcome};
    use partita::Partition;
    use partita::Result;

    pub(crate) fn compile(_: &CompileArgs, _: Option<&CallerModel<'_>>) -> Result<Outcome> {
        unsupported("cannot compile for GPUs")
    }

    pub(crate) fn inspect(_: &InspectArgs) -> Result<Outcome> {
        unsupported("cannot read compiled files")
    }

    pub(crate) fn kernels(_: &ExplainArgs, _: &str, _: &Partition) -> Result<Outcome> {
        unsupported("cannot list kernels")
    }

    pub(crate) fn run(args: &RunArgs, _: Option<&CallerModel<'_>>) -> Result<Outcome> {
        if args.emulate {
            return Err(partita::error::missing_emulator().into());
        }
        unsupported("cannot run on GPUs")
    }

    fn unsupported(what: &str) -> Result<Outcome> {
        Err(partita::error::missing_feature("gpu", format!("this build has no GPU support: it {what}")).into())
    }
}
