//! Programs of each form and findings of a compilation: the input of reports, explanations and executables.

use crate::error::Result;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::mesh::DeviceMesh;
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::Plan;
use partita_ir::program::{Form, Program};
use partita_passes::driver::provenance::Provenance;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelining::stages::{StageLayouts, single};
use partita_search::autotune::VariantChoice;
use serde::Serialize;
use std::sync::{Arc, OnceLock};

/// Programs of each form and findings of the passes.
pub(crate) struct CompileResults {
    /// Program that one device would run: the model or its training step. A model in form local is already the
    /// program of one device.
    pub(crate) model: Program,
    /// The model or its training step without micro-batches, if the plan has several.
    pub(crate) undivided: Option<Program>,
    /// Programs with a layout for every value: one for each distinct mesh. The first one defines the inputs and outputs
    /// of all devices.
    pub(crate) planned: Vec<PlannedProgram>,
    /// Programs of one device.
    pub(crate) local: LocalPrograms,
    /// Findings of the passes. Provenance is in [`CompileResults::planned`].
    pub(crate) findings: Findings,
    /// Input of the passes.
    pub(crate) input: Input,
    /// Autotuned variant, if its predicted step is shorter than the default.
    pub(crate) autotuned: Option<VariantChoice>,
    /// Compile time by phase.
    pub(crate) seconds: CompileSeconds,
}

/// A program in form planned, or a later form if the model has one.
pub(crate) struct PlannedProgram {
    pub(crate) program: Program,
    /// Provenance of its layouts.
    pub(crate) provenance: Provenance,
}

/// Programs of one device.
pub(crate) enum LocalPrograms {
    /// One program for all devices of a mesh.
    OneMesh {
        program: Program,
        /// The program as the only stage of a pipeline, computed on first use.
        pipeline: OnceLock<Arc<Pipeline>>,
    },
    /// Programs of the stages of a pipeline.
    Stages {
        pipeline: Arc<Pipeline>,
        /// Position in [`CompileResults::planned`] for each stage of a replica.
        planned: Vec<usize>,
    },
}

impl LocalPrograms {
    /// Returns the variant of one program for all devices.
    pub(crate) fn one_mesh(program: Program) -> LocalPrograms {
        LocalPrograms::OneMesh { program, pipeline: OnceLock::new() }
    }

    /// Returns the variant of pipeline stages, and the programs that the stages were created from.
    pub(crate) fn stages(pipeline: Pipeline, laid_out: StageLayouts) -> (LocalPrograms, Vec<PlannedProgram>) {
        let (versions, planned) = laid_out.into_versions();
        let versions = versions.into_iter();
        let versions = versions.map(|v| PlannedProgram { program: v.program, provenance: v.findings.provenance });
        (LocalPrograms::Stages { pipeline: Arc::new(pipeline), planned }, versions.collect())
    }
}

/// A program of one device that runs as a unit: a full step, or a task of a stage.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'m> {
    /// Stage whose devices run the program.
    pub(crate) stage: usize,
    /// Number of runs in a step.
    pub(crate) count: u64,
    pub(crate) program: &'m Program,
}

impl CompileResults {
    /// Planned program with the inputs and outputs of all devices, and the layouts of the first mesh.
    pub(crate) fn planned(&self) -> &Program {
        &self.planned[0].program
    }

    /// Program of all devices of one mesh. `None` for a pipeline.
    pub(crate) fn one_mesh(&self) -> Option<&Program> {
        match &self.local {
            LocalPrograms::OneMesh { program, .. } => Some(program),
            LocalPrograms::Stages { .. } => None,
        }
    }

    /// Programs of one device, each with its stage: a single one, or those of the chunks of all stages.
    pub(crate) fn local_programs(&self) -> Vec<(usize, &Program)> {
        match &self.local {
            LocalPrograms::OneMesh { program, .. } => vec![(0, program)],
            LocalPrograms::Stages { pipeline, .. } => {
                let of_stage =
                    |stage| pipeline.chunks_of(stage).map(move |chunk| (stage, &pipeline.chunks[chunk].program));
                (0..pipeline.schedule.stages).flat_map(of_stage).collect()
            }
        }
    }

    /// Stages on a mesh, by its position in [`CompileResults::planned`].
    pub(crate) fn stages_on(&self, position: usize) -> Vec<usize> {
        match &self.local {
            LocalPrograms::OneMesh { .. } => vec![0],
            LocalPrograms::Stages { pipeline, planned } => {
                (0..pipeline.schedule.stages).filter(|stage| planned[stage % planned.len()] == position).collect()
            }
        }
    }

    /// Stages of a pipeline. `None` for a program on one mesh.
    pub(crate) fn stages(&self) -> Option<&Arc<Pipeline>> {
        match &self.local {
            LocalPrograms::OneMesh { .. } => None,
            LocalPrograms::Stages { pipeline, .. } => Some(pipeline),
        }
    }

    /// Returns the stages of a pipeline. A program on one mesh is a pipeline of one stage.
    ///
    /// # Errors
    /// Only internal errors.
    pub(crate) fn pipeline(&self) -> Result<&Arc<Pipeline>> {
        match &self.local {
            LocalPrograms::Stages { pipeline, .. } => Ok(pipeline),
            LocalPrograms::OneMesh { program, pipeline } => match pipeline.get() {
                Some(pipeline) => Ok(pipeline),
                None => {
                    let single = Arc::new(single::pipeline(program.clone().compact())?);
                    Ok(pipeline.get_or_init(|| single))
                }
            },
        }
    }

    /// Returns the error of an operation that requires a single mesh (`G001`).
    pub(crate) fn single_mesh_error(&self, what: &str) -> Diagnostic {
        let error =
            Diagnostic::new(Code::G001, format!("{what} needs the model on one mesh, but it is split into stages"));
        let written =
            self.input.plan.pipeline.iter().fold(error, |error, at| error.label(at.span(), "stages requested here"));
        written.help("leave `--pipeline` out")
    }

    /// Mesh of a stage. `None` for a program without layouts.
    pub(crate) fn mesh_of(&self, stage: usize) -> Option<&DeviceMesh> {
        match &self.local {
            LocalPrograms::OneMesh { program, .. } => program.mesh().map(|(_, mesh)| mesh),
            LocalPrograms::Stages { pipeline, .. } => {
                pipeline.chunks_of(stage).next().map(|chunk| &pipeline.chunks[chunk].mesh)
            }
        }
    }

    /// Programs of one device of each stage, in the order of stages, chunks and tasks.
    pub(crate) fn units(&self) -> Vec<Unit<'_>> {
        match &self.local {
            LocalPrograms::OneMesh { program, .. } => vec![Unit { stage: 0, count: 1, program }],
            LocalPrograms::Stages { pipeline, .. } => {
                let mut units = Vec::new();
                for stage in 0..pipeline.schedule.stages {
                    for chunk in pipeline.chunks_of(stage) {
                        let count = |moment| pipeline.runs_per_step(chunk, moment);
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

    /// Plan as applied, with expanded presets.
    pub(crate) fn plan(&self) -> &Plan {
        self.findings.plan(&self.input.plan)
    }

    /// Number of devices of all stages.
    pub(crate) fn device_count(&self) -> usize {
        match &self.local {
            LocalPrograms::OneMesh { .. } => self.planned().mesh().map_or(1, |(_, mesh)| mesh.device_count()),
            LocalPrograms::Stages { pipeline, .. } => pipeline.device_count(),
        }
    }

    /// Returns true if the model was given in local form, which has no unpartitioned program to compare with.
    pub(crate) fn is_given_local(&self) -> bool {
        self.model.form >= Form::Local
    }
}

/// Compile time by phase, in wall-clock seconds.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct CompileSeconds {
    /// Reading or tracing the model.
    pub import: f64,
    /// Applying the plan and propagating it.
    pub propagate: f64,
    /// Making reshards explicit, lowering them and localising; for a pipeline also splitting into stages and
    /// scheduling.
    pub partition: f64,
    /// Verification after each pass.
    pub verify: f64,
    /// Total.
    pub total: f64,
}
