//! Resolution of a plan's layouts: axis names become axis ids, with source locations for diagnostics.

use partita_ir::arena::{Id, MeshId};
use partita_ir::diag::{Code, Diagnostic, Span, nearest};
use partita_ir::dtype::Type;
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh};
use partita_ir::plan::SourceText;
use partita_ir::plan::text::{AxisText, DimText, LayoutText, wrong_layout_rank};
use std::ops::Range;

/// Mesh that axis names refer to, with the location of its declaration.
pub struct PlanMesh<'a> {
    /// The mesh.
    pub mesh: &'a DeviceMesh,
    /// Identifier of the mesh.
    pub id: MeshId,
    /// Location of the declaration; `None` if the mesh belongs to the model.
    pub place: Option<Span>,
}

impl PlanMesh<'_> {
    /// Describes the axes: `` its axes are `data` (2) and `model` (4) ``.
    pub fn axes(&self) -> String {
        let axes: Vec<String> = self.mesh.axes.iter().map(|a| format!("`{}` ({})", a.name, a.size)).collect();
        let (last, head) = axes.split_last().map_or(("", &[][..]), |(last, head)| (last.as_str(), head));
        match head {
            [] => format!("its only axis is {last}"),
            _ => format!("its axes are {} and {last}", head.join(", ")),
        }
    }

    /// Returns the axis or sub-axis of that name.
    ///
    /// # Errors
    /// `L001` for an unknown axis; `L008` for a sub-axis that does not divide its axis.
    pub fn axis(&self, text: &AxisText, written: &SourceText) -> Result<AxisRef, Diagnostic> {
        let at = || written.span_of(text.range.clone());
        let Some(axis) = self.mesh.axis(&text.name) else {
            let error = Diagnostic::new(Code::L001, format!("mesh has no axis `{}`", text.name))
                .label(at(), "not an axis of this mesh");
            let error = match &self.place {
                Some(place) => error.context(place.clone(), self.axes()),
                None => error.note(format!("the model came with the mesh: {}", self.axes())),
            };
            return Err(match nearest(&text.name, self.mesh.axes.iter().map(|a| a.name.as_str())) {
                Some(near) => error.fix("there is an axis with a similar name", at(), near),
                None => error,
            });
        };
        let whole = AxisRef::full(self.mesh, axis);
        let Some((pre, size)) = text.part else { return Ok(whole) };
        let fits = size > 1 && pre.checked_mul(size).is_some_and(|n| n > 0 && whole.size.is_multiple_of(n));
        if fits {
            return Ok(AxisRef { pre, size, ..whole });
        }
        let title = format!("`{}` has {} devices, which do not split as ({pre}){size}", text.name, whole.size);
        Err(Diagnostic::new(Code::L008, title).label(at(), ""))
    }

    /// Formats axes as `data+model`; `_` for none.
    pub fn spell_axes(&self, axes: &[AxisRef]) -> String {
        let spell = |a: &AxisRef| {
            let name = self.mesh.axes.get(a.axis.index()).map_or("?", |x| x.name.as_str());
            if a.is_full(self.mesh) { name.to_owned() } else { format!("{name}:({}){}", a.pre, a.size) }
        };
        if axes.is_empty() { "_".into() } else { axes.iter().map(spell).collect::<Vec<_>>().join("+") }
    }

    /// Formats the dimensions of a layout in plan syntax: `_, model`.
    pub fn spell_dims(&self, layout: &Layout) -> String {
        layout.dim_axes().map(|axes| self.spell_axes(axes)).collect::<Vec<_>>().join(", ")
    }

    /// Formats a type with a layout: `f32[64, 512@model]`.
    pub fn spell(&self, ty: &Type, layout: &Layout) -> String {
        let dim = |(n, axes): (&usize, &Axes)| match axes.is_empty() {
            true => n.to_string(),
            false => format!("{n}@{}", self.spell_axes(axes)),
        };
        let dims: Vec<String> = ty.shape.iter().zip(layout.dim_axes()).map(dim).collect();
        format!("{}[{}]", ty.dtype, dims.join(", "))
    }

    /// Resolves axes, major to minor. Errors are appended to `errors`.
    pub fn axis_list(&self, texts: &[AxisText], written: &SourceText, errors: &mut Vec<Diagnostic>) -> Axes {
        texts.iter().filter_map(|text| self.axis(text, written).map_err(|e| errors.push(e)).ok()).collect()
    }
}

/// A value to which a layout is assigned.
pub struct TargetValue<'a> {
    /// User-visible path.
    pub path: &'a str,
    /// Type of the value.
    pub ty: &'a Type,
}

/// An axis in a layout, with its location and purpose.
struct AxisUse {
    axis: AxisRef,
    range: Range<usize>,
    /// Dimension that the axis shards.
    dim: Option<usize>,
}

/// Resolves the layout of one value.
///
/// # Errors
/// `L001`, `L002`, `L008`, `L009`
pub fn resolve(
    text: &LayoutText,
    written: &SourceText,
    target: &TargetValue<'_>,
    grid: &PlanMesh<'_>,
) -> Result<Layout, Vec<Diagnostic>> {
    let rank = target.ty.shape.rank();
    let unsharded = vec![DimText::default(); rank];
    let dims = text.dims.as_ref().unwrap_or(&unsharded);
    if dims.len() != rank {
        return Err(vec![wrong_layout_rank(dims.len(), written, target.path, target.ty)]);
    }
    let mut errors = Vec::new();
    let mut uses: Vec<AxisUse> = Vec::new();
    let mut resolve_axes = |texts: &mut dyn Iterator<Item = &AxisText>, dim: Option<usize>| -> Axes {
        let mut axes = Axes::new();
        for text in texts {
            match grid.axis(text, written) {
                Err(error) => errors.push(error),
                Ok(axis) => {
                    let range = text.range.clone();
                    match uses.iter().find(|u| u.axis.overlaps(axis)) {
                        Some(first) => {
                            errors.push(used_twice(first, &AxisUse { axis, range, dim }, written, target, grid))
                        }
                        None => {
                            uses.push(AxisUse { axis, range, dim });
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
        let axes = resolve_axes(&mut dim.axes.iter(), Some(i));
        layout.dims.push(DimLayout { axes, open: dim.open, priority: dim.priority });
    }
    layout.replicated = resolve_axes(&mut text.replicated.iter(), None);
    for (axis, monoid) in &text.partial {
        layout.partial.extend(resolve_axes(&mut std::iter::once(axis), None).into_iter().map(|a| (a, *monoid)));
    }
    if errors.is_empty() { Ok(layout) } else { Err(errors) }
}

fn used_twice(
    first: &AxisUse,
    again: &AxisUse,
    written: &SourceText,
    target: &TargetValue<'_>,
    grid: &PlanMesh<'_>,
) -> Diagnostic {
    let TargetValue { path, ty } = target;
    let name = grid.spell_axes(&[again.axis]);
    let place = |u: &AxisUse, when: &str| match u.dim {
        Some(dim) => format!("{when} here, dimension {dim} ({})", ty.shape[dim]),
        None => format!("{when} here"),
    };
    let title = match (first.dim, again.dim) {
        (Some(a), Some(b)) if a == b => format!("axis `{name}` splits dimension {a} of `{path}` twice"),
        (Some(_), Some(_)) => format!("axis `{name}` splits two dimensions of `{path}`"),
        _ => format!("axis `{name}` is used twice in the layout of `{path}`"),
    };
    let error = Diagnostic::new(Code::L002, title)
        .context(written.span_of(first.range.clone()), place(first, "first"))
        .label(written.span_of(again.range.clone()), place(again, "and again"))
        .note(format!("a device has one position on `{name}`, so it can store only one shard along it"));
    match (first.dim, again.dim) {
        (Some(a), Some(b)) if a != b => error.help(single_dim_layouts(&name, &[a, b], ty.shape.rank())),
        _ => error.help(format!("write `{name}` once")),
    }
}

/// Suggests layouts in which an axis shards only one of these dimensions: `` write `_, model` or `model, _` ``.
pub fn single_dim_layouts(axis: &str, dims: &[usize], rank: usize) -> String {
    let only = |dim: usize| {
        let dims: Vec<&str> = (0..rank).map(|d| if d == dim { axis } else { "_" }).collect();
        format!("`{}`", dims.join(", "))
    };
    match (dims, rank) {
        ([_, _], 2) => format!("for a column split write {}; for a row split write {}", only(1), only(0)),
        _ => format!("write {}", dims.iter().map(|&d| only(d)).collect::<Vec<_>>().join(" or ")),
    }
}
