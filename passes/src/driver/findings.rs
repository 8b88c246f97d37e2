//! Findings: facts about a program that passes discover and that are not part of the program.

use super::provenance::Provenance;
use super::{Input, PassInfo};
use partita_equality::window::WindowSearch;
use partita_ir::arena::{Id, ValueId};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use partita_ir::layout::Layout;
use partita_ir::origin::Origin;
use partita_ir::plan::Plan;
use partita_ir::program::{Name, Phase};
use rustc_hash::FxHashSet;

/// Findings of all passes. Passes only add to them. A pass that reads a finding of an earlier pass names it in its
/// [`PassInfo`](super::PassInfo).
#[derive(Clone, Default)]
pub struct Findings {
    /// Provenance: the annotation or rule that determined each value's layout.
    pub provenance: Provenance,
    /// The plan as applied, if it differs from the plan as written. It then has the default mesh of a step without one,
    /// and explicit layouts in place of presets.
    pub resolved: Option<Plan>,
    /// See [`Findings::optional_sums`].
    optional_sums: FxHashSet<ValueId>,
    /// Dimensions that were gathered because no rule could shard them.
    pub fallbacks: Vec<Fallback>,
    /// Contractions that the devices of a mesh axis repeat.
    pub repeated_products: Vec<RepeatedProduct>,
    /// True if the phases of ops were inferred, not stated by the program.
    pub inferred_phases: bool,
    /// Rewrites that equality saturation searched for, and their results.
    pub searches: Vec<WindowSearch>,
    /// Warnings for the user.
    pub warnings: Vec<Diagnostic>,
}

/// A dimension that lost axes because an op's rule cannot shard it. Contains all names, so that it can be displayed
/// without the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Fallback {
    /// The kind of the op: `sort`.
    pub kind: &'static str,
    /// The name of the op's first result.
    pub result: Name,
    /// The op's place in the model.
    pub origin: Origin,
    /// The name of the operand that was gathered.
    pub value: Name,
    /// The type of the gathered operand.
    pub ty: Type,
    /// The dimension that was gathered.
    pub dim: usize,
    /// The axes that were lost, in the syntax of programs.
    pub axes: Vec<String>,
    /// The reason, in words.
    pub why: &'static str,
}

/// A contraction that every device along some axes computes in full. Contains all names, so that it can be displayed
/// without the program.
#[derive(Clone, PartialEq, Debug)]
pub struct RepeatedProduct {
    /// The kind of the op: `dot_general`.
    pub kind: &'static str,
    /// The name of the op's first result.
    pub result: Name,
    /// The op's place in the model.
    pub origin: Origin,
    /// The op's phase in a training step.
    pub phase: Phase,
    /// The axes that shard none of its dimensions, in the syntax of programs.
    pub axes: Vec<String>,
    /// FLOPs of one device in one run that it would not compute if the devices shared the work.
    pub flops: u64,
    /// Number of runs.
    pub count: u64,
    /// The pipeline stage, if there are several.
    pub stage: Option<usize>,
    /// Layouts that shard the contraction, in order of preference: of a parameter, and of the result.
    pub remedies: Vec<(ValueId, Layout)>,
}

/// A kind of finding that passes read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FindingKind {
    /// [`Findings::optional_sums`].
    OptionalSums,
    /// [`Findings::resolved`], read by [`Findings::plan_for`].
    Resolved,
}

impl Findings {
    /// Returns the plan as applied, or the plan as written if both are equal.
    pub fn plan<'p>(&'p self, written: &'p Plan) -> &'p Plan {
        self.resolved.as_ref().unwrap_or(written)
    }

    /// Returns the plan as applied, for a pass that runs after `apply-plan`: presets may have filled in options that
    /// the user omitted. The reader must name [`FindingKind::Resolved`] in its info.
    pub fn plan_for<'p>(&'p self, reader: PassInfo, input: &'p Input) -> &'p Plan {
        assert!(reader.reads.contains(&FindingKind::Resolved), "`{}` does not declare that it reads", reader.name);
        self.plan(&input.plan)
    }

    /// Returns the values whose partial sums were requested by a preset, not by the user: if such a value is never
    /// partial, the plan is still correct. The reader must name [`FindingKind::OptionalSums`] in its info.
    pub fn optional_sums(&self, reader: PassInfo) -> &FxHashSet<ValueId> {
        assert!(reader.reads.contains(&FindingKind::OptionalSums), "`{}` does not declare that it reads", reader.name);
        &self.optional_sums
    }

    /// Adds values whose partial sums a preset requests.
    pub fn add_optional_sums(&mut self, values: impl IntoIterator<Item = ValueId>) {
        self.optional_sums.extend(values);
    }

    /// Returns the findings that later passes read, for a run on a part of the program or on a candidate.
    pub fn for_subprogram(&self) -> Findings {
        Findings { optional_sums: self.optional_sums.clone(), ..Findings::default() }
    }

    /// Returns the findings that later passes read, for a run on a program whose values represent these values of the
    /// complete step.
    pub fn for_chunk(&self, originals: &[Option<ValueId>]) -> Findings {
        let is_optional = |original: &Option<ValueId>| original.is_some_and(|of| self.optional_sums.contains(&of));
        let optional = originals.iter().enumerate().filter(|(_, original)| is_optional(original));
        Findings {
            optional_sums: optional.map(|(index, _)| ValueId::from_index(index)).collect(),
            ..Findings::default()
        }
    }

    /// Replaces the values of a chunk's program in its findings by those of the complete step that they represent.
    /// Values that the step does not have are removed.
    pub fn refer_to_step(&mut self, originals: &[Option<ValueId>]) {
        let original = |value: ValueId| originals.get(value.index()).copied().flatten();
        for RepeatedProduct { remedies, .. } in &mut self.repeated_products {
            let proposed = std::mem::take(remedies).into_iter();
            *remedies = proposed.filter_map(|(value, layout)| Some((original(value)?, layout))).collect();
        }
    }

    /// Adds the findings of passes that ran on one chunk of a pipeline. Its program has a loop over all micro-batches,
    /// of which the stage runs `share` of `total`. Provenance and the plan stay those of the complete step, and
    /// duplicate warnings are dropped.
    pub fn merge_chunk(&mut self, chunk: Findings, stage: usize, (share, total): (u64, u64)) {
        let Findings { fallbacks, searches, warnings, inferred_phases, repeated_products, .. } = chunk;
        self.fallbacks.extend(fallbacks);
        self.repeated_products.extend(repeated_products.into_iter().map(|product| {
            let is_in_loop = product.phase != Phase::Update && product.count.is_multiple_of(total);
            let count = if is_in_loop { product.count / total * share } else { product.count };
            RepeatedProduct { stage: Some(stage), count, ..product }
        }));
        self.searches.extend(searches);
        self.inferred_phases |= inferred_phases;
        for warning in warnings {
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
    }
}
