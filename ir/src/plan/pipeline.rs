//! Pipeline settings of a plan: `pipeline = "4"`, `schedule = "1f1b"`, `microbatches = "16"`.
//!
//! ```text
//! pipeline     = NUMBER | stage "|" stage "|" ...     stage = PATH PATH ...
//! schedule     = "vanilla" | "gpipe" | "1f1b" | "interleaved" [ "?chunks=" NUMBER ] | "zb-h1" | "zb-h2"
//! microbatches = "auto" | NUMBER | NUMBER "+" NUMBER "+" ...     of each replica
//! replicas     = NUMBER
//! mesh         = MESH | MESH "|" MESH "|" ...         one for all stages, or one for each
//! ```
//!
//! Explicit stages are lists of parameter paths: a stage starts where one of its parameters is first read. With an
//! interleaved schedule, the lists are those of the chunks, in the order of the model, which alternate between the
//! stages. Replicas are data-parallel copies of the pipeline, which may differ in speed.

use super::{KEYS, Mesh, Plan, PlanKey, SourceText};
use crate::diag::{Code, Diagnostic, Source, Span};
use crate::schedule::ScheduleKind;
use smol_str::SmolStr;

/// Maximum number of stages, of replicas, and of micro-batches.
const MAX_PIPELINE_COUNT: u64 = 1 << 16;

/// Pipeline configuration of a plan.
#[derive(Clone, Debug)]
pub struct PipelineConfig {
    /// Division of the model into stages.
    pub cuts: StageSplit,
    /// Order of the work of stages.
    pub kind: ScheduleKind,
    /// Number of micro-batches, if specified.
    pub micro_batches: Option<u64>,
    /// Number of replicas of the pipeline, at least 1.
    pub replicas: usize,
    /// Number of micro-batches of each replica, if specified.
    pub shares: Option<Vec<u64>>,
    /// Mesh of each stage, if the stages have different meshes; otherwise empty.
    pub meshes: Vec<Mesh>,
    /// Source location of the number of micro-batches if specified, otherwise of the stages.
    pub place: Span,
}

impl PipelineConfig {
    /// Creates the configuration of a single stage, which is equivalent to a plan without pipeline settings.
    pub fn single() -> PipelineConfig {
        let place = Span::new(&Source::new("plan", "1"), 0..1);
        let (micro_batches, shares, meshes) = (None, None, Vec::new());
        PipelineConfig {
            cuts: StageSplit::Count(1),
            kind: ScheduleKind::OneFOneB,
            micro_batches,
            replicas: 1,
            shares,
            meshes,
            place,
        }
    }

    /// Returns true if there is one stage and one replica. The model is not divided then, and gradients are accumulated
    /// over the micro-batches.
    pub fn is_single(&self) -> bool {
        self.cuts == StageSplit::Count(1) && self.replicas == 1
    }
}

/// Division of a model into stages.
#[derive(Clone, PartialEq, Debug)]
pub enum StageSplit {
    /// Number of stages, balanced by estimated time.
    Count(usize),
    /// Paths of the parameters of each chunk of the model. Stages have one chunk each, or with an interleaved schedule
    /// several, which alternate between the stages.
    Explicit {
        /// Number of stages.
        stages: usize,
        /// Paths of each chunk, in the order of the model.
        chunks: Vec<Vec<SourceText>>,
    },
}

impl StageSplit {
    /// Returns the number of stages.
    pub fn count(&self) -> usize {
        match self {
            StageSplit::Count(count) => *count,
            StageSplit::Explicit { stages, .. } => *stages,
        }
    }
}

impl Plan {
    /// Returns the pipeline configuration, or `None` if the plan has none.
    ///
    /// # Errors
    /// `G002` for an invalid number or list of stages, an invalid number of micro-batches or replicas, or meshes that
    /// are not one for each stage; `D012` for an unknown schedule; `G001` for settings that require a pipeline in a
    /// plan without one.
    pub fn pipeline_config(&self) -> Result<Option<PipelineConfig>, Diagnostic> {
        let Some(written) = &self.pipeline else {
            let mesh = self.stage_meshes.first().map(|mesh| &mesh.place);
            let other = self.first_pipeline_setting().or(mesh);
            return other.map_or(Ok(None), |other| {
                let title = "this setting needs a pipeline, but the plan has none";
                Err(Diagnostic::new(Code::G001, title).label(other.span(), "").help(
                    "set the number of stages: `--pipeline 4`, or `--pipeline 1` for micro-batches on a single stage",
                ))
            });
        };
        let kind = match &self.schedule {
            Some(schedule) => {
                ScheduleKind::from_text(schedule.text.trim()).map_err(|e| e.label(schedule.span(), ""))?
            }
            None => ScheduleKind::OneFOneB,
        };
        let cuts = cuts(written, kind)?;
        let given = self.micro_batches.as_ref().filter(|count| count.text.trim() != "auto");
        let all = given.map(shares).transpose()?;
        let replicas = self.replicas.as_ref().map(|count| number(count, "pipelines")).transpose()?;
        let shares = all.as_ref().filter(|all| all.len() > 1).cloned();
        if let (Some(shares), Some(count), Some(given)) = (&shares, replicas, given)
            && shares.len() as u64 != count
        {
            let title = format!(
                "`{}` has micro-batches for {} replicas, but there are {count}",
                given.text.trim(),
                shares.len()
            );
            let error = Diagnostic::new(Code::G002, title).label(given.span(), "micro-batches of each replica");
            return Err(self
                .replicas
                .iter()
                .fold(error, |error, count| error.label(count.span(), "number of replicas")));
        }
        let meshes = self.stage_meshes.clone();
        if !meshes.is_empty() && meshes.len() != cuts.count() {
            let title = format!("{} meshes for {} stages", meshes.len(), cuts.count());
            let error = Diagnostic::new(Code::G002, title).label(meshes[0].place.span(), "the first of the meshes");
            let error = error.label(written.span(), "number of stages");
            return Err(error.help("give each stage its mesh, or one mesh for all of them"));
        }
        let replicas = shares.as_ref().map_or(replicas.unwrap_or(1) as usize, Vec::len);
        let micro_batches = all.map(|all| all.iter().sum());
        let place = self.micro_batches.as_ref().unwrap_or(written).span();
        Ok(Some(PipelineConfig { cuts, kind, micro_batches, replicas, shares, meshes, place }))
    }

    /// Returns the first value among `pipeline` and the keys that require it.
    pub fn first_pipeline_setting(&self) -> Option<&SourceText> {
        pipeline_keys().find_map(|key| key.value(self).first())
    }

    /// Returns the pipeline configuration if it needs a schedule: it has several stages or replicas, or a single stage
    /// and an explicit schedule. Returns `None` for `pipeline = "1"` alone.
    ///
    /// # Errors
    /// The errors of [`Plan::pipeline_config`].
    pub fn scheduled_pipeline(&self) -> Result<Option<PipelineConfig>, Diagnostic> {
        Ok(self.pipeline_config()?.filter(|pipelined| !pipelined.is_single() || self.schedule.is_some()))
    }

    /// Returns the plan without pipeline settings, for the unpartitioned model on one mesh.
    #[must_use]
    pub fn without_pipeline(mut self) -> Plan {
        self.stage_meshes = Vec::new();
        pipeline_keys().for_each(|key| key.clear(&mut self));
        self
    }

    /// Replaces the values of `pipeline` and of the keys that require it by those of `other`.
    #[must_use]
    pub fn with_pipeline_of(mut self, other: &Plan) -> Plan {
        let mut other = other.clone();
        for key in pipeline_keys() {
            key.clear(&mut self);
            key.merge(&mut self, &mut other);
        }
        self
    }

    /// Returns the order of mesh axes on a machine, from the one across nodes to the innermost one. Empty if the plan
    /// does not specify it.
    ///
    /// # Errors
    /// `L007` if a name is not an axis of the mesh or occurs twice.
    pub fn mesh_axis_order(&self) -> Result<Vec<SmolStr>, Diagnostic> {
        let Some(written) = &self.map else { return Ok(Vec::new()) };
        let mut names: Vec<SmolStr> = Vec::new();
        let mut start = 0;
        for part in written.text.split(',') {
            let name = part.trim();
            let first = start + part.len() - part.trim_start().len();
            let place = written.span_of(first..first + name.len());
            // The axes of a mesh that is declared by the model are not available here.
            let is_axis = self.mesh.as_ref().is_none_or(|mesh| mesh.axes.iter().any(|axis| axis.name == name));
            let wrong = match (is_axis, names.iter().any(|other| other == name)) {
                (false, _) => Some(format!("`{name}` is not an axis of the mesh")),
                (_, true) => Some(format!("`{name}` is listed twice")),
                _ => None,
            };
            if let Some(wrong) = wrong {
                let error = Diagnostic::new(Code::L007, wrong).label(place, "");
                let axes = self.mesh.as_ref().map(|mesh| format!("its axes are {}", mesh.list_axes()));
                return Err(axes.into_iter().fold(error, Diagnostic::note));
            }
            names.push(name.into());
            start += part.len() + 1;
        }
        Ok(names)
    }

    /// Returns the plan with this mesh, or with these meshes for the stages of a pipeline.
    ///
    /// # Errors
    /// `L007` if the meshes have different axis names.
    pub fn with_meshes(mut self, meshes: Vec<Mesh>) -> Result<Plan, Diagnostic> {
        let [first, others @ ..] = &meshes[..] else { return Ok(self) };
        let names = |mesh: &Mesh| mesh.axes.iter().map(|axis| axis.name.clone()).collect::<Vec<_>>();
        if let Some(other) = others.iter().find(|other| names(other) != names(first)) {
            let title =
                format!("stages have meshes with different axes: {} and {}", first.list_axes(), other.list_axes());
            let error = Diagnostic::new(Code::L007, title).label(first.place.span(), "").label(other.place.span(), "");
            return Err(error.help("give all stages the same axes, in the same order; one may be of size 1"));
        }
        self.mesh = Some(first.clone());
        self.stage_meshes = if others.is_empty() { Vec::new() } else { meshes };
        Ok(self)
    }
}

/// Returns `pipeline` and the keys that require it.
fn pipeline_keys() -> impl Iterator<Item = &'static PlanKey> {
    KEYS.iter().filter(|key| key.name == "pipeline" || key.needs == Some("pipeline"))
}

/// Parses the number of micro-batches of each replica: `16`, or `4+8`.
fn shares(written: &SourceText) -> Result<Vec<u64>, Diagnostic> {
    let mut shares = Vec::new();
    let mut start = 0;
    for share in written.text.split('+') {
        shares.push(number(&SourceText::new(written.span_of(start..start + share.len()), share), "micro-batches")?);
        start += share.len() + 1;
    }
    Ok(shares)
}

fn number(written: &SourceText, what: &str) -> Result<u64, Diagnostic> {
    let number = written.text.trim().parse().ok().filter(|n| (1..=MAX_PIPELINE_COUNT).contains(n));
    number.ok_or_else(|| {
        let title = format!("`{}` is not a number of {what} from 1 to {MAX_PIPELINE_COUNT}", written.text.trim());
        Diagnostic::new(Code::G002, title).label(written.span(), "")
    })
}

/// Parses the stages. A schedule with several chunks per stage needs a list of paths for each chunk.
fn cuts(written: &SourceText, kind: ScheduleKind) -> Result<StageSplit, Diagnostic> {
    let text = written.text.trim();
    if !text.contains('|') && text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(StageSplit::Count(number(written, "stages")? as usize));
    }
    let mut chunks = Vec::new();
    let mut start = 0;
    for stage in written.text.split('|') {
        let mut paths = Vec::new();
        let mut at = start;
        for word in stage.split_inclusive(char::is_whitespace) {
            let path = word.trim_end();
            if !path.is_empty() {
                paths.push(SourceText::new(written.span_of(at..at + path.len()), path));
            }
            at += word.len();
        }
        if paths.is_empty() {
            let title = format!("stage {} of the pipeline has no paths", chunks.len());
            let error = Diagnostic::new(Code::G002, title).label(written.span_of(start..start + stage.len()), "");
            return Err(error.help("name parameters of each stage: `embed blocks.0.** | blocks.1.** head`"));
        }
        chunks.push(paths);
        start += stage.len() + 1;
    }
    let (lists, each) = (chunks.len(), kind.chunks_per_stage());
    if each > 1 && (!lists.is_multiple_of(each) || lists == each) {
        let title = format!("the schedule `{kind}` needs {each} lists of paths for each stage, but there are {lists}");
        let error = Diagnostic::new(Code::G002, title).label(written.span(), "lists of the chunks of all stages");
        return Err(error.help("list the paths of each chunk in the order of the model, or write the number of stages"));
    }
    Ok(StageSplit::Explicit { stages: lists / each, chunks })
}
