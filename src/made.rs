//! Programs of each form and findings of a compilation: the input of reports, explanations and executables.

use crate::error::Result;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::mesh::Mesh;
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::Plan;
use partita_ir::program::{Form, Program};
use partita_passes::driver::provenance::Provenance;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelining::stages::{LaidOut, single};
use partita_search::autotune::Choice;
use serde::Serialize;
use std::sync::{Arc, OnceLock};

/// Programs of each form and findings of the passes.
pub(crate) struct Made {
    /// Program that one device would run: the model or its training step. A model in form local is already the
    /// program of one device.
    pub(crate) model: Program,
    /// Programs with a layout for every value: one for each distinct mesh, the first of which tells what all devices
    /// take and give.
    pub(crate) planned: Vec<Planned>,
    /// Programs of one device.
    pub(crate) local: Local,
    /// Findings of the passes. Provenance is in [`Made::planned`].
    pub(crate) findings: Findings,
    /// Input of the passes.
    pub(crate) input: Input,
    /// Autotuned variant, if its predicted step is shorter than the default.
    pub(crate) choice: Option<Choice>,
    /// Compile time by stage.
    pub(crate) seconds: Seconds,
}

/// A program in form planned, or a later form if the model has one.
pub(crate) struct Planned {
    pub(crate) program: Program,
    /// Provenance of its layouts.
    pub(crate) provenance: Provenance,
}

/// Programs of one device.
pub(crate) enum Local {
    /// One program for all devices of a mesh.
    Whole {
        program: Program,
        /// The program as the only stage of a pipeline, computed on first use.
        pipeline: OnceLock<Arc<Pipeline>>,
    },
    /// Programs of the stages of a pipeline.
    Stages {
        pipeline: Arc<Pipeline>,
        /// By stage of a replica, the position in [`Made::planned`].
        planned: Vec<usize>,
    },
}

impl Local {
    /// The only program.
    pub(crate) fn whole(program: Program) -> Local {
        Local::Whole { program, pipeline: OnceLock::new() }
    }

    /// Programs of stages, and what they were made from.
    pub(crate) fn stages(pipeline: Pipeline, laid_out: LaidOut) -> (Local, Vec<Planned>) {
        let (versions, planned) = laid_out.into_parts();
        let versions = versions.into_iter();
        let versions = versions.map(|v| Planned { program: v.program, provenance: v.findings.provenance });
        (Local::Stages { pipeline: Arc::new(pipeline), planned }, versions.collect())
    }
}

/// A program of one device that runs as a unit: all of a step, or a task of a stage.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'m> {
    /// The stage whose devices run it.
    pub(crate) stage: usize,
    /// Number of runs in a step.
    pub(crate) count: u64,
    pub(crate) program: &'m Program,
}

impl Made {
    /// The program that tells what all devices take and give, with the layouts of the first mesh.
    pub(crate) fn planned(&self) -> &Program {
        &self.planned[0].program
    }

    /// The program of all devices of one mesh, unless there are stages.
    pub(crate) fn whole(&self) -> Option<&Program> {
        match &self.local {
            Local::Whole { program, .. } => Some(program),
            Local::Stages { .. } => None,
        }
    }

    /// Programs of one device, each with its stage: one, or those of the chunks of all stages.
    pub(crate) fn local_programs(&self) -> Vec<(usize, &Program)> {
        match &self.local {
            Local::Whole { program, .. } => vec![(0, program)],
            Local::Stages { pipeline, .. } => {
                let of_stage =
                    |stage| pipeline.chunks_of(stage).map(move |chunk| (stage, &pipeline.chunks[chunk].program));
                (0..pipeline.schedule.stages).flat_map(of_stage).collect()
            }
        }
    }

    /// The stages on a mesh, by its position in [`Made::planned`].
    pub(crate) fn stages_on(&self, position: usize) -> Vec<usize> {
        match &self.local {
            Local::Whole { .. } => vec![0],
            Local::Stages { pipeline, planned } => {
                (0..pipeline.schedule.stages).filter(|stage| planned[stage % planned.len()] == position).collect()
            }
        }
    }

    /// The stages of a pipeline, if there are any whose tasks have an order.
    pub(crate) fn stages(&self) -> Option<&Arc<Pipeline>> {
        match &self.local {
            Local::Whole { .. } => None,
            Local::Stages { pipeline, .. } => Some(pipeline),
        }
    }

    /// The stages of a pipeline; a program without stages is the only one.
    ///
    /// # Errors
    /// Only bugs.
    pub(crate) fn pipeline(&self) -> Result<&Arc<Pipeline>> {
        match &self.local {
            Local::Stages { pipeline, .. } => Ok(pipeline),
            Local::Whole { program, pipeline } => match pipeline.get() {
                Some(pipeline) => Ok(pipeline),
                None => {
                    let made = Arc::new(single::pipeline(program.clone().compact())?);
                    Ok(pipeline.get_or_init(|| made))
                }
            },
        }
    }

    /// Error of an operation that works on one mesh alone. Every operation that does not support stages returns it.
    pub(crate) fn not_on_one_mesh(&self, what: &str) -> Diagnostic {
        let error =
            Diagnostic::new(Code::G001, format!("{what} needs all of the model on one mesh, and it is in stages"));
        let written = self.input.plan.pipeline.iter().fold(error, |error, at| error.at(at.span(), "asks for stages"));
        written.help("leave `--pipeline` out")
    }

    /// The mesh of a stage; none for a program without layouts.
    pub(crate) fn mesh_of(&self, stage: usize) -> Option<&Mesh> {
        match &self.local {
            Local::Whole { program, .. } => program.mesh().map(|(_, mesh)| mesh),
            Local::Stages { pipeline, .. } => {
                pipeline.chunks_of(stage).next().map(|chunk| &pipeline.chunks[chunk].mesh)
            }
        }
    }

    /// Programs of one device of each stage, in the order of stages, chunks and tasks.
    pub(crate) fn units(&self) -> Vec<Unit<'_>> {
        match &self.local {
            Local::Whole { program, .. } => vec![Unit { stage: 0, count: 1, program }],
            Local::Stages { pipeline, .. } => {
                let mut units = Vec::new();
                for stage in 0..pipeline.schedule.stages {
                    for chunk in pipeline.chunks_of(stage) {
                        let count = |moment| pipeline.times(chunk, moment);
                        let tasks = pipeline.chunks[chunk].tasks.iter();
                        units.extend(tasks.map(|task| Unit {
                            stage,
                            count: count(task.moment),
                            program: &task.program,
                        }));
                    }
                }
                units
            }
        }
    }

    /// The plan as it was applied.
    pub(crate) fn plan(&self) -> &Plan {
        self.findings.plan(&self.input.plan)
    }

    /// Number of devices, of all stages together.
    pub(crate) fn device_count(&self) -> usize {
        match &self.local {
            Local::Whole { .. } => self.planned().mesh().map_or(1, |(_, mesh)| mesh.device_count()),
            Local::Stages { pipeline, .. } => pipeline.device_count(),
        }
    }

    /// Returns whether the model was given in form local, so that there is no unpartitioned program to compare with.
    pub(crate) fn came_local(&self) -> bool {
        self.model.form >= Form::Local
    }
}

/// Wall-clock seconds.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Seconds {
    /// Reading or tracing the model.
    pub import: f64,
    /// Applying the plan and propagating it.
    pub propagate: f64,
    /// Making reshards explicit, lowering them, localising; in stages also cutting and scheduling.
    pub partition: f64,
    /// Verifying after every pass.
    pub verify: f64,
    /// All of it.
    pub total: f64,
}
