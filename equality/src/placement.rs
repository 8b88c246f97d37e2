//! Placements: layouts of shards, and the placements that ops and collectives produce.

use partita_ir::arena::MeshId;
use partita_ir::class::{Collective, DeviceOp};
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::{DimLayout, Layout, Monoid, divides, local_shape};
use partita_ir::layout_semantics;
use partita_ir::mesh::{Axes, DeviceMesh};
use partita_ir::op::OpKind;
use partita_ir::ops::Fill;
use partita_ir::rule::{FactorAxes, FactorId, FactorKind, Rule, merge_adjacent, splits_evenly};
use smallvec::SmallVec;
use std::fmt::Write;

/// Canonical layout of a value, and the known contents of its padding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Placement {
    /// Layout in canonical form, without open dimensions and explicit replication.
    pub layout: Layout,
    /// Contents of the padding of each unevenly sharded dimension; `None` if unknown.
    pub padding: SmallVec<[Option<Fill>; 4]>,
}

impl Placement {
    /// Returns the placement of a layout, with unknown padding.
    pub fn from_layout(layout: &Layout, shape: &Shape) -> Placement {
        let dims = layout.dims.iter().zip(shape.iter()).map(|(dim, &size)| {
            let axes =
                if divides(size, &dim.axes) { merge_adjacent(dim.axes.iter().copied()) } else { dim.axes.clone() };
            DimLayout { axes, ..DimLayout::default() }
        });
        let layout = Layout {
            mesh: layout.mesh,
            dims: dims.collect(),
            replicated: Axes::new(),
            partial: layout_semantics::normalize_partial(layout.partial.iter().copied()).into_iter().collect(),
        };
        Placement { padding: SmallVec::from_elem(None, shape.rank()), layout }
    }

    /// Returns the placement of a value replicated on all devices.
    pub fn replicated(mesh: MeshId, rank: usize) -> Placement {
        Placement { layout: Layout::replicated(mesh, rank), padding: SmallVec::from_elem(None, rank) }
    }

    /// Returns the placement with known padding of a dimension, if the dimension has any.
    pub fn with_padding(mut self, shape: &Shape, dim: usize, fill: Fill) -> Placement {
        if self.is_uneven(shape, dim) {
            self.padding[dim] = Some(fill);
        }
        self
    }

    /// Returns true if the shards of a dimension have padding.
    pub fn is_uneven(&self, shape: &Shape, dim: usize) -> bool {
        !divides(shape[dim], &self.layout.dims[dim].axes)
    }

    /// Returns the type of a shard of a value of type `ty`.
    pub fn local_type(&self, ty: &Type) -> Type {
        Type { shape: local_shape(&ty.shape, Some(&self.layout)), dtype: ty.dtype }
    }

    /// Formats a type with this layout as in program text: `f32[32@data, 64] sum(model)`.
    pub fn describe(&self, ty: &Type, mesh: &DeviceMesh) -> String {
        let axis = |a: &partita_ir::mesh::AxisRef| {
            let name = mesh.axes.get(a.axis.0 as usize).map_or("?", |axis| axis.name.as_str());
            if a.is_full(mesh) { name.to_string() } else { format!("{name}:({}){}", a.pre, a.size) }
        };
        let mut text = format!("{}[", ty.dtype.name());
        for (d, (size, dim)) in ty.shape.iter().zip(&self.layout.dims).enumerate() {
            let axes: Vec<String> = dim.axes.iter().map(axis).collect();
            let at = if axes.is_empty() { "" } else { "@" };
            let _ = write!(text, "{}{size}{at}{}", if d > 0 { ", " } else { "" }, axes.join("+"));
        }
        text.push(']');
        for (a, monoid) in &self.layout.partial {
            let _ = write!(text, " {}({})", monoid.name(), axis(a));
        }
        text
    }
}

/// Returns the axes of an op's factors as determined by its operands, or `None` if these disagree. Factors that occur
/// only in results get no axes.
pub fn operand_factor_axes(rule: &Rule, args: &[&Placement]) -> Option<FactorAxes> {
    let assigned = rule.infer_factor_axes(args.iter().map(|placement| &placement.layout));
    (assigned.exact && args.len() == rule.args.len()).then_some(assigned.factors)
}

/// Returns the factors that occur in no operand.
pub fn factors_without_operands(rule: &Rule) -> impl Iterator<Item = FactorId> + '_ {
    let ids = (0..rule.factors.len() as u32).map(FactorId);
    ids.filter(|&id| !(0..rule.args.len()).any(|arg| rule.in_arg(arg, id)))
}

/// Sharded operands of an op.
pub struct ShardedOperands<'a> {
    /// Types of the global values.
    pub types: &'a [&'a Type],
    /// Placements of the operands.
    pub placements: &'a [&'a Placement],
}

/// Returns the placements of an op's results if each device computes on its shards, with the given axes of the op's
/// factors. Returns `None` if that is impossible: a factor cannot be sharded, needs elements of other devices, or would
/// read padding, two factors share an axis, or the op is not linear in a partial operand.
pub fn result_placements(
    rule: &Rule,
    factors: &FactorAxes,
    args: &ShardedOperands<'_>,
    outs: &[Type],
    mesh: MeshId,
) -> Option<Vec<Placement>> {
    let mut used = Axes::new();
    for (id, axes) in (0u32..).map(FactorId).zip(factors) {
        if axes.is_empty() {
            continue;
        }
        let size = rule.factors[id.0 as usize].size;
        match rule.kind(id) {
            FactorKind::PassThrough => {}
            FactorKind::Reduce(_) | FactorKind::Indexed if splits_evenly(size, axes) => {}
            FactorKind::Reduce(_) | FactorKind::Indexed => {
                // The padding of a dimension that is reduced, or read by index, must contain the neutral element.
                let neutral = rule.reduction(id).map(Monoid::fill);
                let is_neutral = args.placements.iter().zip(&rule.args).all(|(placement, map)| {
                    map.iter().zip(&placement.padding).all(|(dim, fill)| !dim.contains(&id) || *fill == neutral)
                });
                if neutral.is_some() && !is_neutral {
                    return None;
                }
            }
            FactorKind::NeedReplication | FactorKind::Inner | FactorKind::Exchanged { .. } | FactorKind::Window(_) => {
                return None;
            }
        }
        // Within a dimension of several factors, an unevenly sharded factor has shard boundaries other than those of
        // the dimension.
        let alone = |map: &[SmallVec<[FactorId; 2]>]| map.iter().all(|dim| dim.len() == 1 || !dim.contains(&id));
        if !splits_evenly(size, axes) && !rule.maps().all(|map| alone(map)) {
            return None;
        }
        if axes.iter().any(|axis| used.iter().any(|u| u.overlaps(*axis))) {
            return None;
        }
        used.extend(axes.iter().copied());
    }
    let pending: SmallVec<[layout_semantics::PartialAxes; 3]> =
        args.placements.iter().map(|placement| placement.layout.partial.iter().copied().collect()).collect();
    let pending = layout_semantics::propagate_partial(rule, factors, &pending).ok()?;
    let placements = rule.outs.iter().zip(outs).map(|(map, ty)| {
        let layout = Layout {
            dims: rule.project(map, factors),
            partial: pending.iter().copied().collect(),
            ..Layout::replicated(mesh, 0)
        };
        Placement::from_layout(&layout, &ty.shape)
    });
    Some(placements.collect())
}

/// Returns the placement after an op that changes the placement or overwrites padding, or `None` if the op does not
/// accept the operand's placement. Permutations are not supported, since their attributes do not determine the
/// placement.
pub fn moved_placement(kind: &OpKind, shape: &Shape, from: &Placement) -> Option<Placement> {
    let mut to = from.layout.clone();
    let dim = |d: usize| (d < shape.rank()).then_some(d);
    match (kind.collective(), kind.class().device()) {
        (Some(collective), _) => match collective {
            Collective::AllReduce(c) => remove_partial(&mut to, &c.axes, |monoid| monoid == c.monoid)?,
            Collective::AllGather(c) => remove_minor_axes(&mut to.dims[dim(c.dim)?].axes, &c.axes)?,
            Collective::ReduceScatter(c) => {
                remove_partial(&mut to, &c.axes, |monoid| monoid == c.monoid)?;
                to.dims[dim(c.dim)?].axes.extend(c.axes.iter().copied());
            }
            Collective::AllToAll(c) => {
                remove_minor_axes(&mut to.dims[dim(c.from)?].axes, &c.axes)?;
                to.dims[dim(c.to)?].axes.extend(c.axes.iter().copied());
            }
            Collective::Permute(_) => return None,
        },
        (None, Some(device)) => match device {
            DeviceOp::Shard(c) => to.dims[dim(c.dim)?].axes.extend(c.axes.iter().copied()),
            DeviceOp::Partial(c) => to.partial.extend(c.axes.iter().map(|&a| (a, Monoid::Sum))),
            DeviceOp::Mask(mask) => {
                return (mask.dim < shape.rank()).then(|| from.clone().with_padding(shape, mask.dim, mask.fill));
            }
            DeviceOp::ShardStart(_) => return None,
        },
        (None, None) => return None,
    }
    let to = Placement::from_layout(&to, shape);
    let mut used = Axes::new();
    for axis in to.layout.used_axes() {
        if used.iter().any(|u| u.overlaps(axis)) {
            return None;
        }
        used.push(axis);
    }
    layout_semantics::is_layout_change(kind, shape, &from.layout, &to.layout).then_some(to)
}

/// Removes partial axes with matching reductions from a layout. Returns `None` if one is missing.
fn remove_partial(layout: &mut Layout, axes: &Axes, matches_monoid: impl Fn(Monoid) -> bool) -> Option<()> {
    for &axis in axes {
        let at = layout.partial.iter().position(|&(a, monoid)| a == axis && matches_monoid(monoid))?;
        layout.partial.remove(at);
    }
    Some(())
}

/// Removes axes from the minor end of a dimension, splitting an axis if necessary. Returns `None` if the minor axes
/// differ.
fn remove_minor_axes(axes: &mut Axes, minor: &Axes) -> Option<()> {
    let mut rest: Axes = merge_adjacent(minor.iter().copied());
    while let Some(wanted) = rest.pop() {
        let last = axes.pop()?;
        if last == wanted {
            continue;
        }
        let (major, tail) = last.split(last.size.checked_div(wanted.size)?)?;
        if tail != wanted {
            return None;
        }
        axes.push(major);
    }
    Some(())
}
