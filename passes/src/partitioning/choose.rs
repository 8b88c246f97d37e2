//! How one op is split: the axes of each factor of its rule.
//!
//! Where operands and results agree the answer is read off them. Where they do not - an axis wanted by two factors, an
//! operand cut otherwise than its neighbour, a dimension that the rule cannot split - the few possible answers are
//! priced: first by the work that each device does if the op is a contraction, then by the bytes that resharding its
//! operands and results (reductions included) would move.

use super::path::Paths;
use partita_ir::class::Class;
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, local_size};
use partita_ir::mesh::{Axes, AxisRef, ways};
use partita_ir::op::OpKind;
use partita_ir::rule::{FactorAxes, FactorKind, Rule, Window, deal, even};
use smallvec::{SmallVec, smallvec};

/// An operand or result of the op, as far as the choice is concerned.
pub struct Side<'a> {
    /// Its type.
    pub ty: &'a Type,
    /// Where it lies (an operand) or should lie (a result).
    pub layout: &'a Layout,
    /// It may be made anew in any layout: a constant.
    pub free: bool,
}

/// More alternatives than this are not looked at; the first ones are the likely ones.
const MAX_ALTERNATIVES: usize = 64;

/// How many of the axes may split a factor of an operand dimension of `size`: all of them, or as many as the halos and
/// index arithmetic of `localize` can serve.
pub fn splittable(kind: FactorKind, size: usize, axes: &[AxisRef]) -> usize {
    match kind {
        FactorKind::Pass | FactorKind::Reduce(_) => axes.len(),
        // Neighbouring pieces must be neighbours on the mesh, and every device begin alike between two elements of the
        // input.
        FactorKind::Window(w) if size > 0 && is_near(&w, size) => {
            let one = axes.len().min(1);
            if (local_size(size, &axes[..one]) * w.stride).is_multiple_of(w.base) { one } else { 0 }
        }
        // Padded pieces of several axes overlap; even ones do not.
        FactorKind::Indexed if even(size, axes) => axes.len(),
        FactorKind::Indexed => axes.len().min(1),
        FactorKind::Whole | FactorKind::Inner | FactorKind::Window(_) => 0,
    }
}

/// Whether places around a window can be counted in 32 bits, as `localize` does.
fn is_near(w: &Window, outputs: usize) -> bool {
    let reach = w.stride as u128 * outputs as u128 + w.dilation as u128 * w.size as u128 + w.base as u128;
    reach + u128::from(w.low.unsigned_abs()) + u128::from(w.high.unsigned_abs()) < 1 << 31
}

/// The axes of each factor, and whether every operand and result has them already.
pub fn choose(
    kind: &OpKind,
    rule: &Rule,
    args: &[Side<'_>],
    outs: &[Side<'_>],
    paths: &mut Paths,
) -> (FactorAxes, bool) {
    let assigned = rule.assign(args.iter().chain(outs).map(|s| s.layout));
    let sound =
        rule.factors.iter().zip(&assigned.factors).all(|(f, axes)| splittable(f.kind, f.size, axes) == axes.len());
    if assigned.exact && sound {
        return (assigned.factors, true);
    }
    let options = options(rule, args, outs);
    let mut best: Option<(Price, FactorAxes)> = None;
    for factors in combinations(&options) {
        if clashes(&factors) || !expressible(rule, &factors) {
            continue;
        }
        let price = price(kind, rule, args, outs, &factors, paths);
        if best.as_ref().is_none_or(|(p, _)| price < *p) {
            best = Some((price, factors));
        }
    }
    let whole = || smallvec![Axes::new(); rule.factors.len()];
    (best.map_or_else(whole, |(_, factors)| factors), false)
}

/// Work of a contraction on one device, wire bytes, those of them that bring results to where they should lie, parts
/// (negative: more is better). An operand that is brought elsewhere is brought there once; of a result that lies
/// elsewhere each reader may be led astray.
type Price = (u64, u64, u64, i64);

/// The axes that operands and results propose for each factor, heaviest first, and nothing.
fn options(rule: &Rule, args: &[Side<'_>], outs: &[Side<'_>]) -> Vec<Vec<Axes>> {
    let mut proposals: Vec<Vec<(u64, Axes)>> = vec![Vec::new(); rule.factors.len()];
    for (map, side) in rule.maps().zip(args.iter().chain(outs)) {
        let weight = if side.free { 0 } else { side.ty.bytes() };
        for (dim, at) in map.iter().zip(&side.layout.dims) {
            let dealt = deal(&rule.sizes(dim), &at.axes);
            for (factor, mut part) in dim.iter().zip(dealt.parts) {
                let slot = &mut proposals[factor.0 as usize];
                let size = rule.factors[factor.0 as usize].size;
                part.truncate(splittable(rule.kind(*factor), size, &part));
                match slot.iter_mut().find(|(_, axes)| *axes == part) {
                    Some((sum, _)) => *sum += weight,
                    None => slot.push((weight, part)),
                }
            }
        }
    }
    proposals
        .into_iter()
        .map(|mut slot| {
            // Longer first: cutting a whole operand is free. Then by weight; the sort is stable.
            slot.sort_by_key(|(weight, axes)| (std::cmp::Reverse(ways(axes)), std::cmp::Reverse(*weight)));
            let mut axes: Vec<Axes> = slot.into_iter().map(|(_, axes)| axes).collect();
            if !axes.iter().any(|a| a.is_empty()) {
                axes.push(Axes::new());
            }
            axes
        })
        .collect()
}

/// Every choice of one option a factor, the first options first, at most [`MAX_ALTERNATIVES`].
fn combinations(options: &[Vec<Axes>]) -> Vec<FactorAxes> {
    let mut all: Vec<FactorAxes> = vec![SmallVec::new()];
    for slot in options {
        let room = MAX_ALTERNATIVES / all.len().max(1);
        let take = slot.len().min(room.max(1));
        all = slot[..take]
            .iter()
            .flat_map(|axes| {
                all.iter().map(move |head| {
                    let mut next = head.clone();
                    next.push(axes.clone());
                    next
                })
            })
            .collect();
    }
    // A choice without clashes must be among them.
    all.push(smallvec![Axes::new(); options.len()]);
    all
}

/// Whether two factors share an axis.
fn clashes(factors: &[Axes]) -> bool {
    let all: SmallVec<[_; 8]> = factors.iter().flatten().copied().collect();
    all.iter().enumerate().any(|(i, a)| all[..i].iter().any(|b| a.overlaps(*b)))
}

/// Whether every operand and result can lie as the split leaves it: in a dimension of several factors, a minor one may
/// only be split when those before it are used up.
fn expressible(rule: &Rule, factors: &[Axes]) -> bool {
    rule.maps().flatten().filter(|dim| dim.len() > 1).all(|dim| {
        let dealt = deal(&rule.sizes(dim), &rule.dim_axes(dim, factors));
        dealt.rest.is_empty() && dim.iter().zip(&dealt.parts).all(|(f, part)| factors[f.0 as usize] == *part)
    })
}

fn price(
    kind: &OpKind,
    rule: &Rule,
    args: &[Side<'_>],
    outs: &[Side<'_>],
    factors: &[Axes],
    paths: &mut Paths,
) -> Price {
    let parts: usize = factors.iter().map(|a| ways(a)).product();
    let work = if kind.class() == Class::Product {
        let arg_types: SmallVec<[&Type; 3]> = args.iter().map(|s| s.ty).collect();
        let out_types: SmallVec<[&Type; 3]> = outs.iter().map(|s| s.ty).collect();
        kind.flops(&arg_types, &out_types) / parts.max(1) as u64
    } else {
        0
    };
    let (mut wire, mut of_results) = (0.0, 0.0);
    for (map, side) in rule.args.iter().zip(args).filter(|(_, s)| !s.free) {
        let need = Layout { dims: rule.project(map, factors), ..Layout::replicated(side.layout.mesh, 0) };
        wire += paths.find(&side.ty.shape, side.ty.dtype.bytes(), side.layout, &need).wire;
    }
    for (map, side) in rule.outs.iter().zip(outs) {
        let made = Layout {
            dims: rule.project(map, factors),
            pending: rule.pending(factors),
            ..Layout::replicated(side.layout.mesh, 0)
        };
        of_results += paths.find(&side.ty.shape, side.ty.dtype.bytes(), &made, side.layout).wire;
    }
    (work, (wire + of_results).round() as u64, of_results.round() as u64, -(parts as i64))
}
