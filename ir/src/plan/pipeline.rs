//! What a plan says of pipelines: `pipeline = "4"`, `schedule = "1f1b"`, `microbatches = "16"`.
//!
//! ```text
//! pipeline     = NUMBER | stage "|" stage "|" ...     stage = PATH PATH ...
//! schedule     = "vanilla" | "gpipe" | "1f1b" | "interleaved" [ "?chunks=" NUMBER ] | "zb-h1" | "zb-h2"
//! microbatches = NUMBER | "auto"
//! ```
//!
//! Stages by hand are lists of paths of parameters: a stage begins where a parameter of it is read first.

use super::{Plan, Written};
use crate::diag::{Code, Diagnostic, Span};
use crate::schedule::Kind;

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
    /// Where the number of parts is said, or else the stages.
    pub place: Span,
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
    /// `G002` for what is no number or list of stages, `D012` for an unknown schedule, and `G001` for what only pipelines have without
    /// one.
    pub fn pipelined(&self) -> Result<Option<Pipelined>, Diagnostic> {
        let Some(written) = &self.pipeline else {
            let other = self.schedule.as_ref().or(self.micro_batches.as_ref());
            return other.map_or(Ok(None), |other| {
                let title = "a schedule of micro-batches, and no pipeline";
                Err(Diagnostic::new(Code::G001, title).at(other.span(), "").help("say how many stages: `--pipeline 4`"))
            });
        };
        let cuts = cuts(written)?;
        let kind = match &self.schedule {
            Some(schedule) => Kind::from_text(schedule.text.trim()).map_err(|e| e.at(schedule.span(), ""))?,
            None => Kind::OneFOneB,
        };
        let micro_batches = match &self.micro_batches {
            Some(count) if count.text.trim() != "auto" => Some(number(count, "micro-batches")?),
            _ => None,
        };
        let place = self.micro_batches.as_ref().unwrap_or(written).span();
        Ok(Some(Pipelined { cuts, kind, micro_batches, place }))
    }
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
