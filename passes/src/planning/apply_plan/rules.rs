//! Rules of a plan: axes for all dimensions of a name.

use super::conflict::PlanContext;
use super::layout::single_dim_layouts;
use super::{AssignedLayout, PathLayout};
use crate::driver::provenance::Note;
use crate::planning::name_dims::ClassId;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, Span, nearest};
use partita_ir::layout::Layout;
use partita_ir::mesh::Axes;
use partita_ir::plan::{Plan, text};

/// A rule for one class of dimensions.
struct AxisRule {
    /// Name of the dimension in the plan.
    dim: String,
    axes: Axes,
    text: String,
    span: Span,
}

impl PlanContext<'_> {
    /// Returns the layouts that follow from the rules of a plan.
    pub fn follow_rules(
        &self,
        plan: &Plan,
        shards: &IndexMap<ValueId, PathLayout<'_>>,
        errors: &mut Vec<Diagnostic>,
    ) -> Vec<AssignedLayout> {
        let rules = self.rules(plan, errors);
        if rules.is_empty() {
            return Vec::new();
        }
        let has_layout = |v: ValueId| shards.contains_key(&v) || self.program.values[v].layout.is_some();
        let mut layouts: IndexMap<ValueId, Vec<(usize, &AxisRule)>> = IndexMap::new();
        for (class, members) in self.classes.members(self.program) {
            let Some(rule) = rules.get(&class) else { continue };
            // Members of one value are adjacent.
            let twice: Vec<(ValueId, usize, usize)> = members
                .windows(2)
                .filter(|w| w[0].0 == w[1].0 && !rule.axes.is_empty())
                .map(|w| (w[0].0, w[0].1, w[1].1))
                .collect();
            if !twice.iter().any(|&(v, ..)| has_layout(v))
                && let Some(&(value, a, b)) = twice.iter().find(|t| self.entries.is_entry(t.0)).or(twice.first())
            {
                errors.push(self.twice_in(value, a, b, rule));
                continue;
            }
            let known = members.iter().any(|&(v, _)| self.entries.is_entry(v));
            for &(value, dim) in members.iter().filter(|&&(v, _)| self.entries.is_entry(v) == known && !has_layout(v)) {
                layouts.entry(value).or_default().push((dim, rule));
            }
        }
        layouts
            .into_iter()
            .filter_map(|(value, dims)| self.layout(value, &dims).map_err(|e| errors.push(e)).ok())
            .collect()
    }

    /// Returns the rule of each class. A later rule for the same name replaces an earlier one.
    fn rules(&self, plan: &Plan, errors: &mut Vec<Diagnostic>) -> IndexMap<ClassId, AxisRule> {
        let mut rules: IndexMap<ClassId, AxisRule> = IndexMap::new();
        for written in &plan.rules {
            let texts = text::parse_rules(written).unwrap_or_else(|error| {
                errors.push(error);
                Vec::new()
            });
            for rule in texts {
                let Some(classes) = self.names.classes.get(&rule.dim) else {
                    errors.push(self.unknown_dim(&rule.dim, written.span_of(rule.dim_range)));
                    continue;
                };
                let span = written.span_of(rule.range.clone());
                let axes = self.grid.axis_list(&rule.axes, written, errors);
                if let Some(i) = (0..axes.len()).find(|&i| axes[..i].iter().any(|a| a.overlaps(axes[i]))) {
                    let axis = self.grid.spell_axes(&axes[i..=i]);
                    errors.push(
                        Diagnostic::new(Code::L002, format!("axis `{axis}` splits `{}` twice", rule.dim))
                            .label(span, ""),
                    );
                    continue;
                }
                for &class in classes {
                    let text = written.text[rule.range.clone()].to_owned();
                    let new = AxisRule { dim: rule.dim.clone(), axes: axes.clone(), text, span: span.clone() };
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
        let error = Diagnostic::new(Code::L006, format!("no dimension is called `{dim}`")).label(at.clone(), "");
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

    /// Returns the error of a class that occurs twice in one value.
    fn twice_in(&self, value: ValueId, a: usize, b: usize, rule: &AxisRule) -> Diagnostic {
        let (path, ty) = (self.entries.path(value), self.program.ty(value));
        let axis = self.grid.spell_axes(&rule.axes);
        let error = Diagnostic::new(Code::L002, format!("axis `{axis}` splits two dimensions of `{path}`"))
            .label(rule.span.clone(), format!("dimensions {a} and {b} of `{path}` {ty} are both `{}`", rule.dim));
        self.with_stated_name(error, rule)
            .note(format!("a device has one position on `{axis}`, so it can store only one shard along it"))
            .help(format!(
                "set the layout of `{path}` by its path: {}",
                single_dim_layouts(&axis, &[a, b], ty.shape.rank())
            ))
    }

    /// Adds the place in the model that states the name of a rule, if the model states it.
    fn with_stated_name(&self, error: Diagnostic, rule: &AxisRule) -> Diagnostic {
        match self.names.stated(&rule.dim) {
            Some(written) => error.context(written.span(), format!("names `{}`", rule.dim)),
            None => error,
        }
    }

    /// Returns the layout of a value that has dimensions with rules; the others stay open.
    fn layout(&self, value: ValueId, dims: &[(usize, &AxisRule)]) -> Result<AssignedLayout, Diagnostic> {
        let mut layout = Layout::open(self.grid.id, self.program.ty(value).shape.rank());
        let mut notes = Vec::new();
        for (i, &(dim, rule)) in dims.iter().enumerate() {
            let shares =
                |other: &AxisRule| other.axes.iter().find(|a| rule.axes.iter().any(|b| a.overlaps(*b))).copied();
            if let Some((axis, &(before, other))) = dims[..i].iter().find_map(|d| shares(d.1).map(|axis| (axis, d))) {
                let (path, axis) = (self.entries.path(value), self.grid.spell_axes(&[axis]));
                let error = Diagnostic::new(Code::L002, format!("axis `{axis}` splits two dimensions of `{path}`"))
                    .label(other.span.clone(), format!("splits dimension {before}"))
                    .label(rule.span.clone(), format!("splits dimension {dim}"));
                return Err(self
                    .with_stated_name(error, rule)
                    .note(format!("a device has one position on `{axis}`, so it can store only one shard along it"))
                    .help(format!(
                        "set the layout of `{path}` by its path: {}",
                        single_dim_layouts(&axis, &[before, dim], layout.dims.len())
                    )));
            }
            layout.dims[dim].axes = rule.axes.clone();
            layout.dims[dim].open = false;
            notes.push((dim, Note { text: rule.text.clone(), span: Some(rule.span.clone()) }));
        }
        Ok(AssignedLayout { value, layout, notes })
    }
}

/// Returns the error of two names of one class with different rules.
fn contradiction(old: &AxisRule, new: &AxisRule) -> Diagnostic {
    let title = format!("two rules ask for different layouts of `{}`, which is also called `{}`", old.dim, new.dim);
    Diagnostic::new(Code::L004, title)
        .label(old.span.clone(), "")
        .label(new.span.clone(), "")
        .note("an operation relates these dimensions, so they must be split identically")
        .help("remove one of the rules")
}
