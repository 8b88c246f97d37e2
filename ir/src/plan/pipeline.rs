//! What a plan says of pipelines: `pipeline = "4"`, `schedule = "1f1b"`, `microbatches = "16"`.
//!
//! ```text
//! pipeline     = NUMBER | stage "|" stage "|" ...     stage = PATH PATH ...
//! schedule     = "vanilla" | "gpipe" | "1f1b" | "interleaved" [ "?chunks=" NUMBER ] | "zb-h1" | "zb-h2"
//! microbatches = "auto" | NUMBER | NUMBER "+" NUMBER "+" ...     of each replica
//! replicas     = NUMBER
//! mesh         = MESH | MESH "|" MESH "|" ...         one for all stages, or one for each
//! ```
//!
//! Stages by hand are lists of paths of parameters: a stage begins where a parameter of it is read first. Replicas are
//! pipelines beside each other, which need not be equally fast.

use super::{KEYS, Mesh, Plan, PlanKey, Written};
use crate::diag::{Code, Diagnostic, Source, Span};
use crate::schedule::Kind;
use smol_str::SmolStr;

/// Most stages, and most micro-batches.
const MOST: u64 = 1 << 16;

/// A pipeline as a plan asks for it.
#[derive(Clone, Debug)]
pub struct Pipelined {
    /// Where the model is cut.
    pub cuts: Cuts,
    /// In which order stages work.
    pub kind: Kind,
    /// Parts of the batch, if that is said.
    pub micro_batches: Option<u64>,
    /// How many pipelines there are beside each other, at least 1.
    pub replicas: usize,
    /// By replica, how many parts go through it, if that is said.
    pub shares: Option<Vec<u64>>,
    /// By stage, its mesh, where they differ.
    pub meshes: Vec<Mesh>,
    /// Where the number of parts is said, or else the stages.
    pub place: Span,
}

impl Pipelined {
    /// All of the model in one stage, which a plan without stages means as well.
    pub fn single() -> Pipelined {
        let place = Span::new(&Source::new("plan", "1"), 0..1);
        let (micro_batches, shares, meshes) = (None, None, Vec::new());
        Pipelined { cuts: Cuts::Count(1), kind: Kind::OneFOneB, micro_batches, replicas: 1, shares, meshes, place }
    }

    /// Whether there is a single stage, once: then nothing is cut, and micro-batches are parts of the batch over which
    /// gradients are accumulated.
    pub fn is_single(&self) -> bool {
        self.cuts == Cuts::Count(1) && self.replicas == 1
    }
}

/// Where a model is cut into stages.
#[derive(Clone, PartialEq, Debug)]
pub enum Cuts {
    /// Into so many, which take equally long.
    Count(usize),
    /// By the paths of what each of them has.
    ByHand(Vec<Vec<Written>>),
}

impl Cuts {
    /// How many stages there are.
    pub fn count(&self) -> usize {
        match self {
            Cuts::Count(count) => *count,
            Cuts::ByHand(stages) => stages.len(),
        }
    }
}

impl Plan {
    /// The pipeline that the plan asks for.
    ///
    /// # Errors
    /// `G002` for what is no number or list of stages, `D012` for an unknown schedule, and `G001` for what only
    /// pipelines have without one.
    pub fn pipelined(&self) -> Result<Option<Pipelined>, Diagnostic> {
        let Some(written) = &self.pipeline else {
            let mesh = self.stage_meshes.first().map(|mesh| &mesh.place);
            let other = self.said_of_stages().or(mesh);
            return other.map_or(Ok(None), |other| {
                let title = "this is for the stages of a pipeline, and there is none";
                Err(Diagnostic::new(Code::G001, title).at(other.span(), "").help("say how many stages: `--pipeline 4`"))
            });
        };
        let cuts = cuts(written)?;
        let kind = match &self.schedule {
            Some(schedule) => Kind::from_text(schedule.text.trim()).map_err(|e| e.at(schedule.span(), ""))?,
            None => Kind::OneFOneB,
        };
        let said = self.micro_batches.as_ref().filter(|count| count.text.trim() != "auto");
        let all = said.map(shares).transpose()?;
        let replicas = self.replicas.as_ref().map(|count| number(count, "pipelines")).transpose()?;
        let shares = all.as_ref().filter(|all| all.len() > 1).cloned();
        if let (Some(shares), Some(count), Some(said)) = (&shares, replicas, said)
            && shares.len() as u64 != count
        {
            let title = format!("`{}` is for {} replicas, and there are {count}", said.text.trim(), shares.len());
            let error = Diagnostic::new(Code::G002, title).at(said.span(), "says what each of them takes");
            return Err(self.replicas.iter().fold(error, |error, count| error.at(count.span(), "says how many")));
        }
        let meshes = self.stage_meshes.clone();
        if !meshes.is_empty() && meshes.len() != cuts.count() {
            let title = format!("{} meshes for {} stages", meshes.len(), cuts.count());
            let error = Diagnostic::new(Code::G002, title).at(meshes[0].place.span(), "the first of the meshes");
            let error = error.at(written.span(), "says how many stages there are");
            return Err(error.help("give each stage its mesh, or one mesh for all of them"));
        }
        let replicas = shares.as_ref().map_or(replicas.unwrap_or(1) as usize, Vec::len);
        let micro_batches = all.map(|all| all.iter().sum());
        let place = self.micro_batches.as_ref().unwrap_or(written).span();
        Ok(Some(Pipelined { cuts, kind, micro_batches, replicas, shares, meshes, place }))
    }

    /// Returns the first value among the keys of pipelines: `pipeline`, and the keys that need it.
    pub fn said_of_stages(&self) -> Option<&Written> {
        of_stages().find_map(|key| key.value(self).first())
    }

    /// The pipeline that the plan asks for, if its tasks have an order: there are several stages or replicas, or a
    /// single stage and a schedule for its micro-batches. `pipeline = "1"` alone asks for none.
    ///
    /// # Errors
    /// As [`Plan::pipelined`].
    pub fn staged(&self) -> Result<Option<Pipelined>, Diagnostic> {
        Ok(self.pipelined()?.filter(|pipelined| !pipelined.is_single() || self.schedule.is_some()))
    }

    /// The same plan without stages: all of the model on one mesh.
    #[must_use]
    pub fn on_one_mesh(mut self) -> Plan {
        self.stage_meshes = Vec::new();
        of_stages().for_each(|key| key.clear(&mut self));
        self
    }

    /// Replaces the values of `pipeline` and of the keys that need it by those of `other`.
    #[must_use]
    pub fn with_stages_of(mut self, other: &Plan) -> Plan {
        let mut other = other.clone();
        for key in of_stages() {
            key.clear(&mut self);
            key.merge(&mut self, &mut other);
        }
        self
    }

    /// How the mesh lies on a machine: names of its axes, from the one across nodes to the one within.
    ///
    /// # Errors
    /// `L007` for a name that is no axis, or one that stands there twice.
    pub fn mapped(&self) -> Result<Vec<SmolStr>, Diagnostic> {
        let Some(written) = &self.map else { return Ok(Vec::new()) };
        let mut names: Vec<SmolStr> = Vec::new();
        let mut start = 0;
        for part in written.text.split(',') {
            let name = part.trim();
            let first = start + part.len() - part.trim_start().len();
            let place = written.part(first..first + name.len());
            // The axes of a model's own mesh are not known here.
            let is_axis = self.mesh.as_ref().is_none_or(|mesh| mesh.axes.iter().any(|axis| axis.name == name));
            let wrong = match (is_axis, names.iter().any(|known| known == name)) {
                (false, _) => Some(format!("`{name}` is no axis of the mesh")),
                (_, true) => Some(format!("`{name}` has two places on the machine")),
                _ => None,
            };
            if let Some(wrong) = wrong {
                let error = Diagnostic::new(Code::L007, wrong).at(place, "");
                let axes = self.mesh.as_ref().map(|mesh| format!("its axes are {}", mesh.list_axes()));
                return Err(axes.into_iter().fold(error, Diagnostic::note));
            }
            names.push(name.into());
            start += part.len() + 1;
        }
        Ok(names)
    }

    /// The plan on this mesh, or with these meshes for the stages of a pipeline.
    ///
    /// # Errors
    /// `L007` when their axes have other names.
    pub fn with_meshes(mut self, meshes: Vec<Mesh>) -> Result<Plan, Diagnostic> {
        let [first, others @ ..] = &meshes[..] else { return Ok(self) };
        let names = |mesh: &Mesh| mesh.axes.iter().map(|axis| axis.name.clone()).collect::<Vec<_>>();
        if let Some(other) = others.iter().find(|other| names(other) != names(first)) {
            let title = format!("a stage has the axes {}, and another one {}", first.list_axes(), other.list_axes());
            let error = Diagnostic::new(Code::L007, title).at(first.place.span(), "").at(other.place.span(), "");
            return Err(error.help("give all stages the same axes, in the same order; one may be of size 1"));
        }
        self.mesh = Some(first.clone());
        self.stage_meshes = if others.is_empty() { Vec::new() } else { meshes };
        Ok(self)
    }
}

/// Returns `pipeline` and the keys that need it.
fn of_stages() -> impl Iterator<Item = &'static PlanKey> {
    KEYS.iter().filter(|key| key.name == "pipeline" || key.needs == Some("pipeline"))
}

/// `16`, or `4+8`.
fn shares(written: &Written) -> Result<Vec<u64>, Diagnostic> {
    let mut shares = Vec::new();
    let mut start = 0;
    for share in written.text.split('+') {
        shares.push(number(&Written::at(written.part(start..start + share.len()), share), "micro-batches")?);
        start += share.len() + 1;
    }
    Ok(shares)
}

fn number(written: &Written, what: &str) -> Result<u64, Diagnostic> {
    let number = written.text.trim().parse().ok().filter(|n| (1..=MOST).contains(n));
    number.ok_or_else(|| {
        let title = format!("`{}` is no number of {what}: there are 1 to {MOST}", written.text.trim());
        Diagnostic::new(Code::G002, title).at(written.span(), "")
    })
}

fn cuts(written: &Written) -> Result<Cuts, Diagnostic> {
    let text = written.text.trim();
    if !text.contains('|') && text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(Cuts::Count(number(written, "stages")? as usize));
    }
    let mut stages = Vec::new();
    let mut start = 0;
    for stage in written.text.split('|') {
        let mut paths = Vec::new();
        let mut at = start;
        for word in stage.split_inclusive(char::is_whitespace) {
            let path = word.trim_end();
            if !path.is_empty() {
                paths.push(Written::at(written.part(at..at + path.len()), path));
            }
            at += word.len();
        }
        if paths.is_empty() {
            let title = format!("stage {} of the pipeline has no paths", stages.len());
            let error = Diagnostic::new(Code::G002, title).at(written.part(start..start + stage.len()), "");
            return Err(error.help("name parameters of each stage: `embed blocks.0.** | blocks.1.** head`"));
        }
        stages.push(paths);
        start += stage.len() + 1;
    }
    Ok(Cuts::ByHand(stages))
}
