//! Layouts and rules of a plan with their names resolved: axes become ids here, once, where their places are known.

use partita_ir::arena::{Id, MeshId};
use partita_ir::diag::{Code, Diagnostic, Span, nearest};
use partita_ir::dtype::Type;
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{Axes, AxisRef, Mesh};
use partita_ir::plan::Written;
use partita_ir::plan::text::{AxisText, DimText, LayoutText};
use std::ops::Range;

/// The mesh whose axes are meant, and where the plan declares it.
pub struct Grid<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Its id.
    pub id: MeshId,
    /// Where it is declared; `None` when the model came with it.
    pub place: Option<Span>,
}

impl Grid<'_> {
    /// Its axes in words: `` its axes are `data` (2) and `model` (4) ``.
    pub fn axes(&self) -> String {
        let axes: Vec<String> = self.mesh.axes.iter().map(|a| format!("`{}` ({})", a.name, a.size)).collect();
        let (last, head) = axes.split_last().map_or(("", &[][..]), |(last, head)| (last.as_str(), head));
        match head {
            [] => format!("its only axis is {last}"),
            _ => format!("its axes are {} and {last}", head.join(", ")),
        }
    }

    /// The axis of that name.
    ///
    /// # Errors
    /// `L001`; `L008` for a factor that does not divide its axis.
    pub fn axis(&self, text: &AxisText, written: &Written) -> Result<AxisRef, Diagnostic> {
        let at = || written.part(text.range.clone());
        let Some(axis) = self.mesh.axis(&text.name) else {
            let error = Diagnostic::new(Code::L001, format!("mesh has no axis `{}`", text.name))
                .at(at(), "not an axis of this mesh");
            let error = match &self.place {
                Some(place) => error.context(place.clone(), self.axes()),
                None => error.note(format!("the model came with the mesh: {}", self.axes())),
            };
            return Err(match nearest(&text.name, self.mesh.axes.iter().map(|a| a.name.as_str())) {
                Some(near) => error.fix("there is an axis with a similar name", at(), near),
                None => error,
            });
        };
        let whole = AxisRef::whole(self.mesh, axis);
        let Some((pre, size)) = text.part else { return Ok(whole) };
        let fits = size > 1 && pre.checked_mul(size).is_some_and(|n| n > 0 && whole.size.is_multiple_of(n));
        if fits {
            return Ok(AxisRef { pre, size, ..whole });
        }
        let title = format!("`{}` has {} devices, which do not split as ({pre}){size}", text.name, whole.size);
        Err(Diagnostic::new(Code::L008, title).at(at(), ""))
    }

    /// `data+model`; `_` for none.
    pub fn spell_axes(&self, axes: &[AxisRef]) -> String {
        let spell = |a: &AxisRef| {
            let name = self.mesh.axes.get(a.axis.index()).map_or("?", |x| x.name.as_str());
            if a.is_whole(self.mesh) { name.to_owned() } else { format!("{name}:({}){}", a.pre, a.size) }
        };
        if axes.is_empty() { "_".into() } else { axes.iter().map(spell).collect::<Vec<_>>().join("+") }
    }

    /// The dimensions of a layout as a plan writes them: `_, model`.
    pub fn spell_dims(&self, layout: &Layout) -> String {
        layout.dim_axes().map(|axes| self.spell_axes(axes)).collect::<Vec<_>>().join(", ")
    }

    /// A type with a layout: `f32[64, 512@model]`.
    pub fn spell(&self, ty: &Type, layout: &Layout) -> String {
        let dim = |(n, axes): (&usize, &Axes)| match axes.is_empty() {
            true => n.to_string(),
            false => format!("{n}@{}", self.spell_axes(axes)),
        };
        let dims: Vec<String> = ty.shape.iter().zip(layout.dim_axes()).map(dim).collect();
        format!("{}[{}]", ty.dtype, dims.join(", "))
    }

    /// Axes, major to minor. Mistakes are appended to `errors`.
    pub fn list(&self, texts: &[AxisText], written: &Written, errors: &mut Vec<Diagnostic>) -> Axes {
        texts.iter().filter_map(|text| self.axis(text, written).map_err(|e| errors.push(e)).ok()).collect()
    }
}

/// A value that gets a layout.
pub struct Target<'a> {
    /// How users call it.
    pub path: &'a str,
    /// Its type.
    pub ty: &'a Type,
}

/// An axis that a layout uses, where it stands in its text, and for what.
struct Use {
    axis: AxisRef,
    range: Range<usize>,
    /// The dimension that it splits.
    dim: Option<usize>,
}

/// The layout of one value.
///
/// # Errors
/// `L001`, `L002`, `L008`, `L009`
pub fn resolve(
    text: &LayoutText,
    written: &Written,
    target: &Target<'_>,
    grid: &Grid<'_>,
) -> Result<Layout, Vec<Diagnostic>> {
    let rank = target.ty.shape.rank();
    let whole = vec![DimText::default(); rank];
    let dims = text.dims.as_ref().unwrap_or(&whole);
    if dims.len() != rank {
        return Err(vec![wrong_rank(dims.len(), written, target)]);
    }
    let mut errors = Vec::new();
    let mut uses: Vec<Use> = Vec::new();
    let mut take = |texts: &mut dyn Iterator<Item = &AxisText>, dim: Option<usize>| -> Axes {
        let mut axes = Axes::new();
        for text in texts {
            match grid.axis(text, written) {
                Err(error) => errors.push(error),
                Ok(axis) => {
                    let range = text.range.clone();
                    match uses.iter().find(|u| u.axis.overlaps(axis)) {
                        Some(first) => errors.push(used_twice(first, &Use { axis, range, dim }, written, target, grid)),
                        None => {
                            uses.push(Use { axis, range, dim });
                            axes.push(axis);
                        }
                    }
                }
            }
        }
        axes
    };
    let mut layout = Layout::replicated(grid.id, 0);
    for (i, dim) in dims.iter().enumerate() {
        let axes = take(&mut dim.axes.iter(), Some(i));
        layout.dims.push(DimLayout { axes, open: dim.open, priority: dim.priority });
    }
    layout.replicated = take(&mut text.replicated.iter(), None);
    for (axis, monoid) in &text.pending {
        layout.pending.extend(take(&mut std::iter::once(axis), None).into_iter().map(|a| (a, *monoid)));
    }
    if errors.is_empty() { Ok(layout) } else { Err(errors) }
}

fn wrong_rank(entries: usize, written: &Written, target: &Target<'_>) -> Diagnostic {
    let Target { path, ty } = target;
    let rank = ty.shape.rank();
    let example = if rank == 0 { "whole".to_owned() } else { vec!["_"; rank].join(", ") };
    let count = |n: usize, what: &str, many: &str| format!("{n} {}", if n == 1 { what } else { many });
    let (dims, entries) = (count(rank, "dimension", "dimensions"), count(entries, "entry", "entries"));
    Diagnostic::new(Code::L009, format!("`{path}` has {dims}, and this layout {entries}"))
        .at(written.span(), format!("{entries} for {ty}"))
        .help(format!("write one entry for each dimension, as in `{example}`"))
}

fn used_twice(first: &Use, again: &Use, written: &Written, target: &Target<'_>, grid: &Grid<'_>) -> Diagnostic {
    let Target { path, ty } = target;
    let name = grid.spell_axes(&[again.axis]);
    let place = |u: &Use, when: &str| match u.dim {
        Some(dim) => format!("{when} here, dimension {dim} ({})", ty.shape[dim]),
        None => format!("{when} here"),
    };
    let title = match (first.dim, again.dim) {
        (Some(a), Some(b)) if a == b => format!("axis `{name}` splits dimension {a} of `{path}` twice"),
        (Some(_), Some(_)) => format!("axis `{name}` splits two dimensions of `{path}`"),
        _ => format!("axis `{name}` is used twice in the layout of `{path}`"),
    };
    let error = Diagnostic::new(Code::L002, title)
        .context(written.part(first.range.clone()), place(first, "first"))
        .at(written.part(again.range.clone()), place(again, "and again"))
        .note(format!("a device has one position on `{name}`, so it can hold one slice along it, not two"));
    match (first.dim, again.dim) {
        (Some(a), Some(b)) if a != b => error.help(choices(&name, &[a, b], ty.shape.rank())),
        _ => error.help(format!("write `{name}` once")),
    }
}

/// The layouts in which an axis splits one of these dimensions: `` write `_, model` or `model, _` ``.
pub fn choices(axis: &str, dims: &[usize], rank: usize) -> String {
    let only = |dim: usize| {
        let dims: Vec<&str> = (0..rank).map(|d| if d == dim { axis } else { "_" }).collect();
        format!("`{}`", dims.join(", "))
    };
    match (dims, rank) {
        ([_, _], 2) => format!("for a column split write {}; for a row split write {}", only(1), only(0)),
        _ => format!("write {}", dims.iter().map(|&d| only(d)).collect::<Vec<_>>().join(" or ")),
    }
}
