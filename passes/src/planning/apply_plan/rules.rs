//! Rules: what splits the dimensions of a name, wherever they are.

use super::conflict::Context;
use super::layout::choices;
use super::{Found, Shard};
use crate::driver::provenance::Note;
use crate::planning::name_dims::ClassId;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, Span, nearest};
use partita_ir::layout::Layout;
use partita_ir::mesh::Axes;
use partita_ir::plan::{Plan, text};

/// A rule for one class of dimensions.
struct Rule {
    /// The name that it gives.
    dim: String,
    axes: Axes,
    text: String,
    span: Span,
}

impl Context<'_> {
    /// The layouts that follow from the rules of a plan.
    pub fn follow_rules(
        &self,
        plan: &Plan,
        shards: &IndexMap<ValueId, Shard<'_>>,
        errors: &mut Vec<Diagnostic>,
    ) -> Vec<Found> {
        let rules = self.rules(plan, errors);
        if rules.is_empty() {
            return Vec::new();
        }
        let has_layout = |v: ValueId| shards.contains_key(&v) || self.program.values[v].layout.is_some();
        let mut layouts: IndexMap<ValueId, Vec<(usize, &Rule)>> = IndexMap::new();
        for (class, members) in self.classes.members(self.program) {
            let Some(rule) = rules.get(&class) else { continue };
            // Members of one value follow one another.
            let twice: Vec<(ValueId, usize, usize)> = members
                .windows(2)
                .filter(|w| w[0].0 == w[1].0 && !rule.axes.is_empty())
                .map(|w| (w[0].0, w[0].1, w[1].1))
                .collect();
            if !twice.iter().any(|&(v, ..)| has_layout(v))
                && let Some(&(value, a, b)) = twice.iter().find(|t| self.entries.has(t.0)).or(twice.first())
            {
                errors.push(self.twice_in(value, a, b, rule));
                continue;
            }
            let known = members.iter().any(|&(v, _)| self.entries.has(v));
            for &(value, dim) in members.iter().filter(|&&(v, _)| self.entries.has(v) == known && !has_layout(v)) {
                layouts.entry(value).or_default().push((dim, rule));
            }
        }
        layouts
            .into_iter()
            .filter_map(|(value, dims)| self.layout(value, &dims).map_err(|e| errors.push(e)).ok())
            .collect()
    }

    /// The rule of each class. A later rule for the same name replaces an earlier one.
    fn rules(&self, plan: &Plan, errors: &mut Vec<Diagnostic>) -> IndexMap<ClassId, Rule> {
        let mut rules: IndexMap<ClassId, Rule> = IndexMap::new();
        for written in &plan.rules {
            let texts = text::rules(written).unwrap_or_else(|error| {
                errors.push(error);
                Vec::new()
            });
            for rule in texts {
                let Some(classes) = self.names.classes.get(&rule.dim) else {
                    errors.push(self.unknown_dim(&rule.dim, written.part(rule.dim_range)));
                    continue;
                };
                let span = written.part(rule.range.clone());
                let axes = self.grid.list(&rule.axes, written, errors);
                if let Some(i) = (0..axes.len()).find(|&i| axes[..i].iter().any(|a| a.overlaps(axes[i]))) {
                    let axis = self.grid.spell_axes(&axes[i..=i]);
                    errors.push(
                        Diagnostic::new(Code::L002, format!("axis `{axis}` splits `{}` twice", rule.dim)).at(span, ""),
                    );
                    continue;
                }
                for &class in classes {
                    let text = written.text[rule.range.clone()].to_owned();
                    let new = Rule { dim: rule.dim.clone(), axes: axes.clone(), text, span: span.clone() };
                    match rules.get(&class).filter(|old| old.dim != new.dim && old.axes != new.axes) {
                        Some(old) => errors.push(contradiction(old, &new)),
                        None => drop(rules.insert(class, new)),
                    }
                }
            }
        }
        rules
    }

    fn unknown_dim(&self, dim: &str, at: Span) -> Diagnostic {
        let known = || self.names.classes.keys().map(String::as_str);
        let error = Diagnostic::new(Code::L006, format!("no dimension is called `{dim}`")).at(at.clone(), "");
        match nearest(dim, known()) {
            Some(near) => error.fix("there is a dimension with a similar name", at, near),
            None if known().next().is_none() => {
                error.help("name the dimensions of a parameter or input: `--name \"x=batch, _\"`")
            }
            None => {
                let names: Vec<String> = known().map(|n| format!("`{n}`")).collect();
                error.note(format!("the plan names {}", names.join(", ")))
            }
        }
    }

    /// A class that occurs twice in one value.
    fn twice_in(&self, value: ValueId, a: usize, b: usize, rule: &Rule) -> Diagnostic {
        let (path, ty) = (self.entries.path(value), self.program.ty(value));
        let axis = self.grid.spell_axes(&rule.axes);
        Diagnostic::new(Code::L002, format!("axis `{axis}` splits two dimensions of `{path}`"))
            .at(rule.span.clone(), format!("dimensions {a} and {b} of `{path}` {ty} are both `{}`", rule.dim))
            .note(format!("a device has one position on `{axis}`, so it can hold one slice along it, not two"))
            .help(format!("lay `{path}` out by its path: {}", choices(&axis, &[a, b], ty.shape.rank())))
    }

    /// The layout of a value that has dimensions with rules; the others stay open.
    fn layout(&self, value: ValueId, dims: &[(usize, &Rule)]) -> Result<Found, Diagnostic> {
        let mut layout = Layout::open(self.grid.id, self.program.ty(value).shape.rank());
        let mut notes = Vec::new();
        for (i, &(dim, rule)) in dims.iter().enumerate() {
            let shares = |other: &Rule| other.axes.iter().find(|a| rule.axes.iter().any(|b| a.overlaps(*b))).copied();
            if let Some((axis, &(before, other))) = dims[..i].iter().find_map(|d| shares(d.1).map(|axis| (axis, d))) {
                let (path, axis) = (self.entries.path(value), self.grid.spell_axes(&[axis]));
                return Err(Diagnostic::new(Code::L002, format!("axis `{axis}` splits two dimensions of `{path}`"))
                    .at(other.span.clone(), format!("splits dimension {before}"))
                    .at(rule.span.clone(), format!("splits dimension {dim}"))
                    .note(format!("a device has one position on `{axis}`, so it can hold one slice along it, not two"))
                    .help(format!(
                        "lay `{path}` out by its path: {}",
                        choices(&axis, &[before, dim], layout.dims.len())
                    )));
            }
            layout.dims[dim].axes = rule.axes.clone();
            layout.dims[dim].open = false;
            notes.push((dim, Note { text: rule.text.clone(), span: Some(rule.span.clone()) }));
        }
        Ok(Found { value, layout, notes })
    }
}

/// Two names of one class whose rules differ.
fn contradiction(old: &Rule, new: &Rule) -> Diagnostic {
    let title = format!("two rules ask for different layouts of `{}`, which is also called `{}`", old.dim, new.dim);
    Diagnostic::new(Code::L004, title)
        .at(old.span.clone(), "")
        .at(new.span.clone(), "")
        .note("an operation ties these dimensions together, so they are split alike")
        .help("drop one of the rules")
}
