//! Findings of passes: what is known of a program beside the program itself.

use super::provenance::Provenance;
use super::{Info, Input};
use partita_equality::window::Search;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use partita_ir::origin::Origin;
use partita_ir::plan::Plan;
use partita_ir::program::Name;
use rustc_hash::FxHashSet;

/// All that passes found out. Passes add to it and take nothing away; those that read a finding of an earlier pass name
/// it in their [`Info`](super::Info).
#[derive(Clone, Default)]
pub struct Findings {
    /// Provenance: the annotation or rule that determined each value's layout.
    pub provenance: Provenance,
    /// The plan as it was applied, if that is not as it was written: with the mesh that a step without one got, and the
    /// layouts that presets stand for written out.
    pub resolved: Option<Plan>,
    /// See [`Findings::optional_sums`].
    optional_sums: FxHashSet<ValueId>,
    /// Dimensions that were gathered because no rule could split them.
    pub fallbacks: Vec<Fallback>,
    /// The phases of ops were inferred, not stated by the program.
    pub inferred_phases: bool,
    /// Rewrites that were looked for by equality saturation, and their results.
    pub searches: Vec<Search>,
    /// Warnings for the user.
    pub warnings: Vec<Diagnostic>,
}

/// A dimension that lost axes because an op's rule cannot split it. It names what it is about, so that it can be read
/// without the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Fallback {
    /// The kind of the op: `sort`.
    pub kind: &'static str,
    /// The name of its first result.
    pub result: Name,
    /// Its place in the model.
    pub origin: Origin,
    /// The name of the operand that was gathered.
    pub value: Name,
    /// Its type.
    pub ty: Type,
    /// The dimension.
    pub dim: usize,
    /// The axes that were lost, as program text writes them.
    pub axes: Vec<String>,
    /// The reason, in words.
    pub why: &'static str,
}

/// A finding that passes read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FindingKind {
    /// [`Findings::optional_sums`].
    OptionalSums,
    /// [`Findings::resolved`], by [`Findings::plan_for`].
    Resolved,
}

impl Findings {
    /// The plan as it was applied, of a plan as it was written.
    pub fn plan<'p>(&'p self, written: &'p Plan) -> &'p Plan {
        self.resolved.as_ref().unwrap_or(written)
    }

    /// The plan as it was applied, for a pass that runs behind `apply-plan`: presets may have filled in what the user
    /// left out. The reader must name [`FindingKind::Resolved`] in its info.
    pub fn plan_for<'p>(&'p self, reader: Info, input: &'p Input) -> &'p Plan {
        debug_assert!(reader.reads.contains(&FindingKind::Resolved), "`{}` does not say that it reads", reader.name);
        self.plan(&input.plan)
    }

    /// Values whose partial sums a preset asks for: where nothing leaves them partial, the user made no mistake. The
    /// reader must name [`FindingKind::OptionalSums`] in its info.
    pub fn optional_sums(&self, reader: Info) -> &FxHashSet<ValueId> {
        debug_assert!(
            reader.reads.contains(&FindingKind::OptionalSums),
            "`{}` does not say that it reads",
            reader.name
        );
        &self.optional_sums
    }

    /// Adds values whose partial sums a preset asks for.
    pub fn ask_for_sums(&mut self, values: impl IntoIterator<Item = ValueId>) {
        self.optional_sums.extend(values);
    }

    /// The findings that passes read, for those that run on a part of the program or on trial.
    pub fn handed_on(&self) -> Findings {
        Findings { optional_sums: self.optional_sums.clone(), ..Findings::default() }
    }

    /// Adds the findings of passes that ran on one chunk of a pipeline. Provenance and the plan are those of the whole
    /// step, and a warning that several chunks give is given once.
    pub fn merge_chunk(&mut self, chunk: Findings) {
        let Findings { fallbacks, searches, warnings, inferred_phases, .. } = chunk;
        self.fallbacks.extend(fallbacks);
        self.searches.extend(searches);
        self.inferred_phases |= inferred_phases;
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}
