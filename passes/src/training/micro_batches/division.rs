//! Number of micro-batches into which the batch of a program can be divided.

use super::SplitRequest;
use super::before_loop::BeforeLoop;
use crate::planning::name_dims::DimClasses;
use crate::planning::presets::model::{ModelStructure, Stem};
use crate::planning::ties::each_tie;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;
use partita_ir::rule::{FactorKind, Window};

/// Returns the number of examples in the batch of a program, if its inputs have a batch dimension.
pub fn batch_size(program: &Program) -> Option<u64> {
    let classes = DimClasses::new(program);
    let model = ModelStructure::new(program, &classes);
    common_size(&model, |v| model.examples_dim(v))
}

/// Returns the greatest common divisor of the sizes of a dimension of the data.
fn common_size(model: &ModelStructure<'_>, dim: impl Fn(ValueId) -> Option<usize>) -> Option<u64> {
    let size = |&v: &ValueId| dim(v).map(|dim| model.program.ty(v).shape[dim] as u64);
    model.data.iter().filter_map(size).reduce(gcd)
}

/// Returns the largest number of micro-batches of a program, of which all possible numbers are divisors, if its inputs
/// have a batch dimension.
pub fn max_micro_batches(program: &Program) -> Option<u64> {
    let classes = DimClasses::new(program);
    let model = ModelStructure::new(program, &classes);
    let batch = model.batch?;
    if !model.micro_batches().is_empty() {
        return Some(1);
    }
    let division = BatchDivision::new(&model, batch, &BeforeLoop::new(&model, batch));
    Some(if division.mixing.is_some() { 1 } else { division.groups })
}

/// Groups of examples in the batch of a program, which are not divided between micro-batches.
pub(super) struct BatchDivision {
    /// Number of examples.
    examples: u64,
    /// Number of groups of consecutive examples. A group is one example, unless the most major factor of the batch is
    /// smaller somewhere: `[8]` is reshaped to `[2, 4]` for a normalisation over four examples.
    pub(super) groups: u64,
    /// A value with that number of groups: an input, if a group is one example.
    value: Option<ValueId>,
    /// An op that combines or moves examples by their position in the batch.
    mixing: Option<OpId>,
}

impl BatchDivision {
    pub(super) fn new(model: &ModelStructure<'_>, batch: Stem, before: &BeforeLoop) -> BatchDivision {
        let input = model.data.iter().copied().find(|&input| model.has_stem(input, batch));
        let examples = common_size(model, |v| model.dim(v, batch)).unwrap_or(0);
        let mut division = BatchDivision { examples, groups: examples, value: input, mixing: None };
        each_tie(model.program, &model.program.funcs_with_layouts(), |tie| {
            if !before.is_in_loop(tie.op) {
                return;
            }
            if has_rows(model, tie.op, batch) {
                division.mixing.get_or_insert(tie.op);
            }
            for (map, &value) in tie.rule.maps().zip(tie.values) {
                for (_, factors) in map.iter().enumerate().filter(|&(dim, _)| model.stem(value, dim) == batch) {
                    let mut factors = factors.iter().map(|factor| tie.rule.factors[factor.0 as usize]);
                    let Some(major) = factors.find(|factor| factor.size > 1) else { continue };
                    if is_mixed(major.kind) {
                        division.mixing.get_or_insert(tie.op);
                    }
                    let groups = gcd(major.size as u64, division.groups);
                    if groups < division.groups {
                        (division.groups, division.value) = (groups, Some(value));
                    }
                }
            }
        });
        division
    }

    /// Checks that the batch can be divided as requested.
    ///
    /// # Errors
    /// `D007` without examples, with the op that mixes examples, or with the possible numbers of micro-batches.
    pub(super) fn check(&self, model: &ModelStructure<'_>, request: &SplitRequest) -> Result<(), Diagnostic> {
        let program = model.program;
        if self.examples == 0 {
            return Err(request.refuse("no dimension of the inputs is a batch".into()));
        }
        if let Some(op) = self.mixing.filter(|_| request.count > 1) {
            return Err(request.mixes(program, &program.ops[op]));
        }
        match self.groups.is_multiple_of(request.count) {
            true => Ok(()),
            false => Err(self.uneven(program, request)),
        }
    }

    fn uneven(&self, program: &Program, request: &SplitRequest) -> Diagnostic {
        let (count, size, examples) = (request.count, self.groups, self.examples);
        let fits: Vec<u64> = (1..=size).filter(|n| size.is_multiple_of(*n)).collect();
        let nearest = fits.iter().min_by_key(|&&n| (n.abs_diff(count), n)).copied().unwrap_or(1);
        let fits: Vec<String> = fits.iter().map(u64::to_string).collect();
        let mut title = format!("a batch of {examples} cannot be split into {count} equal micro-batches");
        if size < examples {
            title += &format!(" of groups of {} examples", examples / size.max(1));
        }
        let by = program.ops.values().find(|op| self.value.is_some_and(|value| op.outs.contains(&value)));
        let value = self.value.map_or("batch", |value| program.path_of(value));
        let value = by.map_or(value.to_owned(), |op| format!("{} %{value}", op.kind.name()));
        let division = format!("`{value}`: {size} = {count} x {} + {}", size / count, size % count);
        let error = request.refuse(title).note(division);
        let error = match by {
            Some(op) => program.with_source_line(op, error),
            None => error,
        };
        error.note(format!("possible numbers: {}", fits.join(", "))).help(format!("write `{}{nearest}`", request.help))
    }
}

/// Returns true if the rows of an attention are the batch: which columns they see depends on their position.
fn has_rows(model: &ModelStructure<'_>, op: OpId, batch: Stem) -> bool {
    let op = &model.program.ops[op];
    let (Some(_), Some(&queries)) = (op.kind.class().attention(), op.args.first()) else { return false };
    let rows = model.program.ty(queries).shape.rank().checked_sub(2);
    rows.is_some_and(|rows| model.stem(queries, rows) == batch)
}

/// Returns true if an op combines or moves the elements along a factor of this kind, so that examples cannot be
/// computed separately, nor in another order. Partial sums and indices into the batch are neither.
fn is_mixed(kind: FactorKind) -> bool {
    match kind {
        FactorKind::Window(window) => window != Window::default(),
        FactorKind::NeedReplication | FactorKind::Inner | FactorKind::Exchanged { .. } => true,
        FactorKind::PassThrough | FactorKind::Reduce(_) | FactorKind::Indexed => false,
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
