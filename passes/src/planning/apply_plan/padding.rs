//! Check of dimensions that must not be padded.

use super::conflict::PlanContext;
use super::{AssignedLayout, PathLayout};
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::layout::{DimLayout, divides};
use partita_ir::mesh::shard_count;
use partita_ir::plan::Plan;

/// Dimensions that must not be padded: classes, or all dimensions of values.
enum NoPadding<'a> {
    Class(&'a [crate::planning::name_dims::ClassId]),
    Values(Vec<ValueId>),
}

impl PlanContext<'_> {
    /// Reports shardings of the plan that need padding where the plan forbids it.
    pub fn check_padding(
        &self,
        plan: &Plan,
        shards: &IndexMap<ValueId, PathLayout<'_>>,
        found: &[AssignedLayout],
        errors: &mut Vec<Diagnostic>,
    ) {
        if plan.no_padding.is_empty() {
            return;
        }
        let mut no_padding_rules = Vec::new();
        for text in &plan.no_padding {
            match self.names.classes.get(text.text.trim()) {
                Some(classes) => no_padding_rules.push(NoPadding::Class(classes)),
                None => match self.entries.find(text) {
                    Ok(values) => no_padding_rules.push(NoPadding::Values(values)),
                    Err(error) => errors.push(error),
                },
            }
        }
        let mut check = |value: ValueId, dim: usize, at: &DimLayout, span: Span| {
            let size = self.program.ty(value).shape[dim];
            let hit = no_padding_rules.iter().any(|s| match s {
                NoPadding::Class(classes) => classes.contains(&self.classes.class(value, dim)),
                NoPadding::Values(values) => values.contains(&value),
            });
            if hit && !divides(size, &at.axes) && !errors.iter().any(|e| e.labels.iter().any(|l| l.span == span)) {
                errors.push(self.uneven(value, dim, at, span));
            }
        };
        for (&value, shard) in shards {
            for (dim, at) in shard.layout.dims.iter().enumerate() {
                check(value, dim, at, shard.written.span());
            }
        }
        for found in found {
            for (dim, note) in &found.notes {
                if let (Some(span), Some(at)) = (&note.span, found.layout.dims.get(*dim)) {
                    check(found.value, *dim, at, span.clone());
                }
            }
        }
    }

    fn uneven(&self, value: ValueId, dim: usize, at: &DimLayout, span: Span) -> Diagnostic {
        let path = self.entries.path(value);
        let (size, parts) = (self.program.ty(value).shape[dim], shard_count(&at.axes));
        let what =
            self.names.name(self.classes.class(value, dim)).unwrap_or_else(|| format!("dimension {dim} of {path}"));
        let axes = self.grid.spell_axes(&at.axes);
        let padded = size.div_ceil(parts) * parts;
        let more = 100.0 * (padded - size) as f64 / size.max(1) as f64;
        Diagnostic::new(Code::L003, format!("`{what}` ({size}) is not divisible by `{axes}` ({parts})"))
            .label(span, format!("splits dimension {dim} of `{path}`"))
            .note(format!("{size} = {parts} x {} + {}{}", size / parts, size % parts, divisors(size)))
            .help(format!("leave out `--no-padding` to pad it to {padded} ({} more, +{more:.3}%)", padded - size))
            .help(format!("or replicate it on every device: remove `{axes}`"))
    }
}

/// Describes the divisors of a size if there are few: `; its only divisors are 29, 1733 and itself`. Empty otherwise.
fn divisors(size: usize) -> String {
    const MAX_TRIAL_DIVISOR: usize = 1 << 20;
    if size < 2 || size / MAX_TRIAL_DIVISOR >= MAX_TRIAL_DIVISOR {
        return String::new();
    }
    let small: Vec<usize> = (2..).take_while(|d| d * d <= size).filter(|d| size.is_multiple_of(*d)).collect();
    let mut all: Vec<usize> = small.iter().copied().chain(small.iter().rev().map(|d| size / d)).collect();
    all.dedup();
    match all.len() {
        0 => "; it is prime".into(),
        1..=6 => {
            let all: Vec<String> = all.iter().map(usize::to_string).collect();
            format!("; its only divisors are {} and itself", all.join(", "))
        }
        _ => String::new(),
    }
}
