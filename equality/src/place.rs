//! Places: where the parts of a value lie, and where an op or a collective leaves what it makes of them.

use partita_ir::arena::MeshId;
use partita_ir::class::{Collective, DeviceOp};
use partita_ir::dtype::{Shape, Type};
use partita_ir::flow;
use partita_ir::layout::{DimLayout, Layout, divides, local_shape};
use partita_ir::mesh::{Axes, Mesh};
use partita_ir::op::OpKind;
use partita_ir::ops::Fill;
use partita_ir::rule::{FactorAxes, FactorId, FactorKind, Rule, even, joined};
use smallvec::SmallVec;
use std::fmt::Write;

/// Where the parts of a value lie, written in one way, and what is known of their padding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// The layout, without remarks: nothing open, nothing replicated on purpose.
    pub layout: Layout,
    /// What lies in the padding of each dimension that is cut unevenly, where that is known.
    pub filled: SmallVec<[Option<Fill>; 4]>,
}

impl Place {
    /// The place of a layout; nothing is known of padding.
    pub fn of(layout: &Layout, shape: &Shape) -> Place {
        let dims = layout.dims.iter().zip(shape.iter()).map(|(dim, &size)| {
            let axes = if divides(size, &dim.axes) { joined(dim.axes.iter().copied()) } else { dim.axes.clone() };
            DimLayout { axes, ..DimLayout::default() }
        });
        let layout = Layout {
            mesh: layout.mesh,
            dims: dims.collect(),
            replicated: Axes::new(),
            pending: flow::normal(layout.pending.iter().copied()).into_iter().collect(),
        };
        Place { filled: SmallVec::from_elem(None, shape.rank()), layout }
    }

    /// Whole on every device.
    pub fn whole(mesh: MeshId, rank: usize) -> Place {
        Place { layout: Layout::replicated(mesh, rank), filled: SmallVec::from_elem(None, rank) }
    }

    /// The same with that in the padding of a dimension, if it has any.
    pub fn filled(mut self, shape: &Shape, dim: usize, fill: Fill) -> Place {
        if self.is_uneven(shape, dim) {
            self.filled[dim] = Some(fill);
        }
        self
    }

    /// Whether the pieces of a dimension have padding.
    pub fn is_uneven(&self, shape: &Shape, dim: usize) -> bool {
        !divides(shape[dim], &self.layout.dims[dim].axes)
    }

    /// What a device holds of a value of that type.
    pub fn local(&self, ty: &Type) -> Type {
        Type { shape: local_shape(&ty.shape, Some(&self.layout)), dtype: ty.dtype }
    }

    /// A type with this layout, as program text has it: `f32[32@data, 64] sum(model)`.
    pub fn describe(&self, ty: &Type, mesh: &Mesh) -> String {
        let axis = |a: &partita_ir::mesh::AxisRef| {
            let name = mesh.axes.get(a.axis.0 as usize).map_or("?", |axis| axis.name.as_str());
            if a.is_whole(mesh) { name.to_string() } else { format!("{name}:({}){}", a.pre, a.size) }
        };
        let mut text = format!("{}[", ty.dtype.name());
        for (d, (size, dim)) in ty.shape.iter().zip(&self.layout.dims).enumerate() {
            let axes: Vec<String> = dim.axes.iter().map(axis).collect();
            let at = if axes.is_empty() { "" } else { "@" };
            let _ = write!(text, "{}{size}{at}{}", if d > 0 { ", " } else { "" }, axes.join("+"));
        }
        text.push(']');
        for (a, monoid) in &self.layout.pending {
            let _ = write!(text, " {}({})", monoid.name(), axis(a));
        }
        text
    }
}

/// The axes of an op's factors as its operands have them; `None` when these disagree. Factors that only results have
/// are free.
pub fn factors_of(rule: &Rule, args: &[&Place]) -> Option<FactorAxes> {
    let assigned = rule.assign(args.iter().map(|place| &place.layout));
    (assigned.exact && args.len() == rule.args.len()).then_some(assigned.factors)
}

/// The factors that no operand has.
pub fn free_factors(rule: &Rule) -> impl Iterator<Item = FactorId> + '_ {
    let ids = (0..rule.factors.len() as u32).map(FactorId);
    ids.filter(|&id| !(0..rule.args.len()).any(|arg| rule.in_arg(arg, id)))
}

/// Operands of an op on parts.
pub struct Parts<'a> {
    /// Types of the whole values.
    pub types: &'a [&'a Type],
    /// Where they lie.
    pub places: &'a [&'a Place],
}

/// Where the results of an op lie whose factors are split that way, when each device computes on what it has: `None`
/// when it cannot, because a factor must not be split, needs elements of other devices, or would see padding.
pub fn results(rule: &Rule, factors: &FactorAxes, args: &Parts<'_>, outs: &[Type], mesh: MeshId) -> Option<Vec<Place>> {
    let mut used = Axes::new();
    for (id, axes) in (0u32..).map(FactorId).zip(factors) {
        if axes.is_empty() {
            continue;
        }
        let size = rule.factors[id.0 as usize].size;
        match rule.kind(id) {
            FactorKind::Pass => {}
            FactorKind::Reduce(_) if even(size, axes) => {}
            FactorKind::Reduce(monoid) => {
                // What is reduced must not see what lies in padding.
                let clean = args.places.iter().zip(&rule.args).all(|(place, map)| {
                    map.iter().zip(&place.filled).all(|(dim, fill)| !dim.contains(&id) || *fill == Some(monoid.fill()))
                });
                if !clean {
                    return None;
                }
            }
            FactorKind::Whole | FactorKind::Inner | FactorKind::Window(_) | FactorKind::Indexed => return None,
        }
        // A factor that is cut unevenly begins elsewhere within a dimension of several.
        let alone = |map: &[SmallVec<[FactorId; 2]>]| map.iter().all(|dim| dim.len() == 1 || !dim.contains(&id));
        if !even(size, axes) && !rule.maps().all(|map| alone(map)) {
            return None;
        }
        if axes.iter().any(|axis| used.iter().any(|u| u.overlaps(*axis))) {
            return None;
        }
        used.extend(axes.iter().copied());
    }
    let pending: SmallVec<[flow::Sums; 3]> =
        args.places.iter().map(|place| place.layout.pending.iter().copied().collect()).collect();
    let pending = flow::through(rule, factors, &pending).ok()?;
    let places = rule.outs.iter().zip(outs).map(|(map, ty)| {
        let layout = Layout {
            dims: rule.project(map, factors),
            pending: pending.iter().copied().collect(),
            ..Layout::replicated(mesh, 0)
        };
        Place::of(&layout, &ty.shape)
    });
    Some(places.collect())
}

/// Where an op that only changes places, or overwrites padding, leaves a value of that shape; `None` when it cannot
/// take it from there. The attributes of a permutation do not say it: that is `None`, too.
pub fn moved(kind: &OpKind, shape: &Shape, from: &Place) -> Option<Place> {
    let mut to = from.layout.clone();
    let dim = |d: usize| (d < shape.rank()).then_some(d);
    match (kind.collective(), kind.class().device()) {
        (Some(collective), _) => match collective {
            Collective::AllReduce(c) => drop_pending(&mut to, &c.axes, |monoid| monoid == c.monoid)?,
            Collective::AllGather(c) => drop_minor(&mut to.dims[dim(c.dim)?].axes, &c.axes)?,
            Collective::ReduceScatter(c) => {
                drop_pending(&mut to, &c.axes, |monoid| monoid == c.monoid)?;
                to.dims[dim(c.dim)?].axes.extend(c.axes.iter().copied());
            }
            Collective::AllToAll(c) => {
                drop_minor(&mut to.dims[dim(c.from)?].axes, &c.axes)?;
                to.dims[dim(c.to)?].axes.extend(c.axes.iter().copied());
            }
            Collective::Permute(_) => return None,
        },
        (None, Some(device)) => match device {
            DeviceOp::Shard(c) => to.dims[dim(c.dim)?].axes.extend(c.axes.iter().copied()),
            DeviceOp::Partial(c) => to.pending.extend(c.axes.iter().map(|&a| (a, partita_ir::layout::Monoid::Sum))),
            DeviceOp::Mask(mask) => {
                return (mask.dim < shape.rank()).then(|| from.clone().filled(shape, mask.dim, mask.fill));
            }
            DeviceOp::PieceStart(_) => return None,
        },
        (None, None) => return None,
    }
    let to = Place::of(&to, shape);
    let mut used = Axes::new();
    for axis in to.layout.used_axes() {
        if used.iter().any(|u| u.overlaps(axis)) {
            return None;
        }
        used.push(axis);
    }
    flow::moves(kind, shape, &from.layout, &to.layout).then_some(to)
}

/// Takes sums over those axes away, all of which must be there.
fn drop_pending(layout: &mut Layout, axes: &Axes, is: impl Fn(partita_ir::layout::Monoid) -> bool) -> Option<()> {
    for &axis in axes {
        let at = layout.pending.iter().position(|&(a, monoid)| a == axis && is(monoid))?;
        layout.pending.remove(at);
    }
    Some(())
}

/// Takes those axes away from the minor end of a dimension, where they must be; an axis may be cut in two for that.
fn drop_minor(axes: &mut Axes, minor: &Axes) -> Option<()> {
    let mut rest: Axes = joined(minor.iter().copied());
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
