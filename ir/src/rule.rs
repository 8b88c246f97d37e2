//! How an operation shards, as an einsum over named factors.
//!
//! A [`Rule`] says which dimensions of an op's operands and results move together: `matmul: [i,k],[k,j] -> [i,j]` has
//! factors `i` and `j`, which pass through, and `k`, which is summed away. Everything that must know how an op shards -
//! propagation, resharding, local shapes, cost, search - reads the rule and nothing else. The form follows [Shardy's op
//! sharding rules](https://github.com/openxla/shardy/blob/main/docs/propagation.md); `linear`, windows and indexed
//! factors are ours.

use crate::dtype::{Shape, Type};
use crate::layout::{DimLayout, Layout, Monoid, Pending};
use crate::mesh::{Axes, AxisRef, ways};
use smallvec::{SmallVec, smallvec};
use std::fmt;

/// A factor of one rule, by position in [`Rule::factors`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FactorId(pub u32);

/// A sliding window along one dimension: output `o` reads inputs
/// `o * stride + k * dilation - low` for `k` in `0..size`, counted in the input after `base` dilation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Window {
    /// Taps of the window.
    pub size: usize,
    /// Step of the window between two outputs.
    pub stride: usize,
    /// Padding before the first element; negative crops.
    pub low: i64,
    /// Padding behind the last element; negative crops.
    pub high: i64,
    /// Distance between two taps.
    pub dilation: usize,
    /// Distance between two input elements (holes between them read as padding).
    pub base: usize,
}

impl Default for Window {
    fn default() -> Self {
        Window { size: 1, stride: 1, low: 0, high: 0, dilation: 1, base: 1 }
    }
}

impl Window {
    /// Number of outputs over `input` elements; `None` when the padding crops more than there is.
    pub fn outputs(&self, input: usize) -> Option<usize> {
        let dilated = if input == 0 { 0 } else { (input - 1).checked_mul(self.base)?.checked_add(1)? };
        let padded = i64::try_from(dilated).ok()?.checked_add(self.low)?.checked_add(self.high)?;
        let reach = i64::try_from(self.size.checked_sub(1)?.checked_mul(self.dilation)?.checked_add(1)?).ok()?;
        if padded < 0 {
            return None;
        }
        Some(if padded < reach { 0 } else { ((padded - reach) / i64::try_from(self.stride).ok()?) as usize + 1 })
    }
}

/// The input elements that a run of a window's outputs reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reads {
    /// The first element; outside of the input where the window is over its padding.
    pub first: i64,
    /// How many there are.
    pub count: usize,
    /// Padding in front of and behind just these elements with which the window has just these outputs; negative where
    /// it crops holes of the dilated input.
    pub padding: (i64, i64),
}

impl Window {
    /// What outputs `start..start + outputs` read; `outputs` is at least 1.
    pub fn reads(&self, start: usize, outputs: usize) -> Reads {
        let base = self.base as i64;
        let position = (self.stride * start) as i64 - self.low;
        let phase = position.rem_euclid(base) as usize;
        let reach = self.stride * (outputs - 1) + self.dilation * (self.size - 1) + 1;
        let count = (phase + reach - 1) / self.base + 1;
        let covered = (count - 1) * self.base + 1;
        let padding = (-(phase as i64), (phase + reach) as i64 - covered as i64);
        Reads { first: position.div_euclid(base), count, padding }
    }
}

/// What splitting a factor means.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FactorKind {
    /// Operands and results are split alike and each device computes its part.
    Pass,
    /// In operands only: each device reduces its part, and the result is pending.
    Reduce(Monoid),
    /// Cannot be split: the dimension is gathered, and that is reported.
    Whole,
    /// Inside a composite or a cumulative sum: may be split only after the op is taken apart.
    Inner,
    /// A window slides along it: operand 0 is read through it, for which a device needs elements of its neighbours (a
    /// halo). What else has the factor counts the window's positions: the result or, as the taps of a convolution that
    /// are summed over, another operand. In the latter case the result is pending a sum.
    Window(Window),
    /// An operand dimension addressed by an index operand. A device answers for the indices that fall in its piece:
    /// what is read elsewhere is zero (the result is pending a sum), what is written elsewhere is skipped.
    Indexed,
}

/// One factor.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Factor {
    /// Elements along it. For a window, those of the result.
    pub size: usize,
    /// What splitting it means.
    pub kind: FactorKind,
}

/// The factors of each dimension of one operand or result, major to minor. A dimension without factors is never split
/// (it has size 1, or is broadcast).
pub type DimMap = SmallVec<[SmallVec<[FactorId; 2]>; 4]>;

/// A set of operands, as a bit mask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ArgSet(pub u32);

impl ArgSet {
    /// Operands from this one on are in no set.
    pub const CAPACITY: usize = 32;

    /// Those operands.
    pub fn of(args: impl IntoIterator<Item = usize>) -> ArgSet {
        ArgSet(args.into_iter().fold(0, |set, a| set | 1u32.checked_shl(a as u32).unwrap_or(0)))
    }

    /// Whether operand `arg` is in the set.
    pub fn has(self, arg: usize) -> bool {
        arg < ArgSet::CAPACITY && self.0 >> arg & 1 == 1
    }
}

/// How one op shards.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rule {
    /// The factors.
    pub factors: SmallVec<[Factor; 6]>,
    /// Factors of each operand's dimensions.
    pub args: SmallVec<[DimMap; 3]>,
    /// Factors of each result's dimensions.
    pub outs: SmallVec<[DimMap; 1]>,
    /// Sets of operands in which the op is jointly linear: a pending sum may flow through when all of one set, and none
    /// outside it, are pending alike. `add` has `[{0,1}]`, `matmul` has `[{0},{1}]`.
    pub linear: SmallVec<[ArgSet; 2]>,
    /// The op only moves elements of operand 0 (a transpose, a reshape, a slice): any pending monoid may flow through.
    pub moves: bool,
}

impl Rule {
    /// An op whose operands and results all have the same shape and are handled element by element.
    pub fn elementwise(shape: &Shape, args: usize) -> Rule {
        let mut rule = Rule::default();
        let map: DimMap = shape.iter().map(|&n| rule.dim(n, FactorKind::Pass)).collect();
        rule.args = smallvec![map.clone(); args];
        rule.outs = smallvec![map];
        rule
    }

    /// An op of which no dimension can be split.
    pub fn replicated(args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let mut maps = |types: &[&Type]| -> Vec<DimMap> {
            types.iter().map(|ty| ty.shape.iter().map(|&n| rule.dim(n, FactorKind::Whole)).collect()).collect()
        };
        let (args, outs) = (maps(args), maps(outs));
        Rule { args: args.into(), outs: outs.into(), ..rule }
    }

    /// Adds a factor.
    pub fn factor(&mut self, size: usize, kind: FactorKind) -> FactorId {
        let id = FactorId(self.factors.len() as u32);
        self.factors.push(Factor { size, kind });
        id
    }

    /// Adds a factor and returns the map of a dimension that consists of it alone; a dimension of size 1 gets none.
    pub fn dim(&mut self, size: usize, kind: FactorKind) -> SmallVec<[FactorId; 2]> {
        if size == 1 { SmallVec::new() } else { smallvec![self.factor(size, kind)] }
    }

    /// Declares the op linear in these operands jointly. A set with operands beyond [`ArgSet::CAPACITY`] is not kept:
    /// no sum flows through such an op.
    pub fn linear_in(mut self, args: impl IntoIterator<Item = usize> + Clone) -> Rule {
        if args.clone().into_iter().all(|a| a < ArgSet::CAPACITY) {
            self.linear.push(ArgSet::of(args));
        }
        self
    }

    /// Declares that the op only moves elements of operand 0.
    pub fn moving(mut self) -> Rule {
        self.moves = true;
        self.linear_in([0])
    }

    /// The factor's data.
    pub fn kind(&self, id: FactorId) -> FactorKind {
        self.factors[id.0 as usize].kind
    }
}

/// The axes that split each factor of a rule.
pub type FactorAxes = SmallVec<[Axes; 6]>;

/// What is left of a dimension's axes after they were dealt out to its factors.
#[derive(Clone, PartialEq, Debug)]
pub struct Dealt {
    /// Axes of each factor of the dimension, in order.
    pub parts: SmallVec<[Axes; 2]>,
    /// Axes that fit no factor; empty when the dimension's layout can be expressed.
    pub rest: Axes,
}

/// Deals a dimension's axes out to its factors, major to minor: an axis goes to the first factor that it divides, a
/// factor must be used up before the next one gets any, and an axis that spans two factors is split into sub-axes.
/// The last factor takes what does not divide it too (the dimension is then padded).
pub fn deal(sizes: &[usize], axes: &[AxisRef]) -> Dealt {
    let mut parts: SmallVec<[Axes; 2]> = smallvec![Axes::new(); sizes.len()];
    let mut rest: Axes = axes.iter().copied().collect();
    rest.reverse();
    let single = sizes.len() == 1;
    for (part, &size) in parts.iter_mut().zip(sizes) {
        let mut left = size;
        while let Some(&axis) = rest.last() {
            let n = axis.size as usize;
            if single || left.is_multiple_of(n) {
                part.push(axis);
                rest.pop();
                left = if single { left } else { left / n };
            } else if n.is_multiple_of(left) && left > 1 {
                let Some((major, minor)) = axis.split(left as u32) else { break };
                part.push(major);
                rest.pop();
                rest.push(minor);
                left = 1;
            } else {
                break;
            }
        }
        if left != 1 {
            break;
        }
    }
    rest.reverse();
    Dealt { parts, rest }
}

impl Rule {
    /// The sizes of a dimension's factors.
    pub fn sizes(&self, dim: &[FactorId]) -> SmallVec<[usize; 2]> {
        dim.iter().map(|f| self.factors[f.0 as usize].size).collect()
    }

    /// The axes of a dimension, given those of the factors. Sub-axes that became adjacent again are joined.
    pub fn dim_axes(&self, dim: &[FactorId], factors: &[Axes]) -> Axes {
        let mut axes = Axes::new();
        for f in dim {
            for &a in &factors[f.0 as usize] {
                push_joined(&mut axes, a);
            }
        }
        axes
    }

    /// The dims of a value, given the axes of the factors.
    pub fn project(&self, map: &DimMap, factors: &[Axes]) -> SmallVec<[DimLayout; 4]> {
        map.iter().map(|dim| DimLayout { axes: self.dim_axes(dim, factors), ..DimLayout::default() }).collect()
    }

    /// What the results are left pending when the factors are split that way: the reductions of the op itself, in
    /// factor order. Pending sums of operands come on top.
    pub fn pending(&self, factors: &[Axes]) -> SmallVec<[Pending; 1]> {
        let mut pending = SmallVec::new();
        for (id, axes) in (0u32..).map(FactorId).zip(factors) {
            let Some(monoid) = self.reduction(id) else { continue };
            pending.extend(axes.iter().map(|&a| (a, monoid)));
        }
        pending
    }

    /// How the devices' results combine to the whole when the factor is split; `None` when each has its part of it.
    pub fn reduction(&self, id: FactorId) -> Option<Monoid> {
        match self.kind(id) {
            FactorKind::Reduce(monoid) => Some(monoid),
            FactorKind::Indexed | FactorKind::Window(_) => (!self.in_results(id)).then_some(Monoid::Sum),
            FactorKind::Pass | FactorKind::Whole | FactorKind::Inner => None,
        }
    }

    /// Whether a result has the factor.
    pub fn in_results(&self, id: FactorId) -> bool {
        self.outs.iter().flatten().flatten().any(|&f| f == id)
    }

    /// Whether operand `arg` has the factor.
    pub fn in_arg(&self, arg: usize, id: FactorId) -> bool {
        self.args.get(arg).is_some_and(|map| map.iter().flatten().any(|&f| f == id))
    }
}

/// The axes of every factor, read off the layouts of an op's operands and results.
#[derive(Clone, PartialEq, Debug)]
pub struct Assigned {
    /// The longest list of axes that any operand or result has on each factor.
    pub factors: FactorAxes,
    /// Whether all operands and results have exactly the layout that follows from `factors`, pending sums aside, and no
    /// axis splits two factors.
    pub exact: bool,
}

impl Rule {
    /// Reads the axes of each factor off the dims of operands and results (in that order, `maps()`).
    pub fn assign<'l>(&self, layouts: impl Iterator<Item = &'l Layout> + Clone) -> Assigned {
        let mut factors: FactorAxes = smallvec![Axes::new(); self.factors.len()];
        let mut exact = true;
        for (map, layout) in self.maps().zip(layouts.clone()) {
            for (dim, at) in map.iter().zip(&layout.dims) {
                if at.axes.is_empty() {
                    continue;
                }
                if let [factor] = dim[..] {
                    exact &= longest(&mut factors[factor.0 as usize], &at.axes);
                } else {
                    let dealt = deal(&self.sizes(dim), &at.axes);
                    exact &= dealt.rest.is_empty();
                    for (factor, part) in dim.iter().zip(&dealt.parts) {
                        exact &= longest(&mut factors[factor.0 as usize], part);
                    }
                }
            }
        }
        if exact {
            exact = self.maps().zip(layouts).all(|(map, layout)| {
                map.iter().zip(&layout.dims).all(|(dim, at)| match dim[..] {
                    [] => at.axes.is_empty(),
                    [factor] => factors[factor.0 as usize] == at.axes,
                    _ => self.dim_axes(dim, &factors) == at.axes,
                })
            });
        }
        let mut seen = Axes::new();
        for &axis in factors.iter().flatten() {
            exact &= !seen.iter().any(|s| s.overlaps(axis));
            seen.push(axis);
        }
        Assigned { factors, exact }
    }

    /// The dimension maps of operands, then results.
    pub fn maps(&self) -> impl Iterator<Item = &DimMap> + Clone {
        self.args.iter().chain(&self.outs)
    }
}

/// Replaces `have` by `other` if that is longer; whether one begins with the other.
fn longest(have: &mut Axes, other: &[AxisRef]) -> bool {
    let agree = have.iter().zip(other).all(|(a, b)| a == b);
    if other.len() > have.len() {
        *have = other.iter().copied().collect();
    }
    agree
}

/// Appends an axis, joining it with the last one when they are neighbouring factors of one axis.
pub fn push_joined(axes: &mut Axes, axis: AxisRef) {
    match axes.last_mut() {
        Some(last) if last.axis == axis.axis && last.pre * last.size == axis.pre => last.size *= axis.size,
        _ => axes.push(axis),
    }
}

/// The axes with neighbouring factors of one axis joined: the one way to write what they do.
pub fn joined(axes: impl IntoIterator<Item = AxisRef>) -> Axes {
    axes.into_iter().fold(Axes::new(), |mut all, axis| {
        push_joined(&mut all, axis);
        all
    })
}

/// Whether the axes cut a factor of `size` into equal pieces.
pub fn even(size: usize, axes: &[AxisRef]) -> bool {
    size.is_multiple_of(ways(axes))
}

impl fmt::Display for Rule {
    /// `([i,k],[k,j])->([i,j]) {i=8,j=16,k=8} reduce={k:sum} linear=[{0},{1}]`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |id: FactorId| -> String {
            let n = id.0 as usize;
            let letter = char::from(b'a' + (n % 26) as u8);
            if n < 26 { letter.to_string() } else { format!("{letter}{}", n / 26) }
        };
        let list = |maps: &[DimMap]| -> String {
            let dims = |m: &DimMap| -> String {
                let d: Vec<String> = m.iter().map(|d| d.iter().map(|&x| name(x)).collect::<String>()).collect();
                format!("[{}]", d.join(","))
            };
            maps.iter().map(dims).collect::<Vec<_>>().join(",")
        };
        write!(f, "({})->({})", list(&self.args), list(&self.outs))?;
        let ids = || (0u32..).map(FactorId).zip(&self.factors);
        let sizes: Vec<String> = ids().map(|(id, x)| format!("{}={}", name(id), x.size)).collect();
        write!(f, " {{{}}}", sizes.join(","))?;
        let kinds: Vec<String> = ids()
            .filter_map(|(id, x)| match x.kind {
                FactorKind::Pass => None,
                FactorKind::Reduce(m) => Some(format!("{}:{}", name(id), m.name())),
                FactorKind::Whole => Some(format!("{}:whole", name(id))),
                FactorKind::Inner => Some(format!("{}:inner", name(id))),
                FactorKind::Window(_) => Some(format!("{}:window", name(id))),
                FactorKind::Indexed => Some(format!("{}:indexed", name(id))),
            })
            .collect();
        if !kinds.is_empty() {
            write!(f, " kinds={{{}}}", kinds.join(","))?;
        }
        if !self.linear.is_empty() {
            let sets: Vec<String> = self
                .linear
                .iter()
                .map(|s| {
                    let args: Vec<String> =
                        (0..ArgSet::CAPACITY).filter(|&a| s.has(a)).map(|a| a.to_string()).collect();
                    format!("{{{}}}", args.join(","))
                })
                .collect();
            write!(f, " linear=[{}]", sets.join(","))?;
        }
        if self.moves { f.write_str(" moves") } else { Ok(()) }
    }
}
