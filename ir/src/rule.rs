//! Sharding rules of operations, in the form of an einsum over named factors.
//!
//! A [`Rule`] relates the dimensions of an op's operands and results: `matmul: [i,k],[k,j] -> [i,j]` has the
//! pass-through factors `i` and `j` and the reduction factor `k`. Propagation, resharding, local shapes, cost model and
//! search derive the sharding behaviour of an op from its rule alone. The representation follows [Shardy's op sharding
//! rules](https://github.com/openxla/shardy/blob/main/docs/propagation.md); `linear`, windows and indexed factors are
//! extensions.

use crate::dtype::{Shape, Type};
use crate::layout::{DimLayout, Layout, Monoid, PartialAxis};
use crate::mesh::{Axes, AxisRef, shard_count};
use smallvec::{SmallVec, smallvec};
use std::fmt;

/// Id of a factor within one rule: the position in [`Rule::factors`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FactorId(pub u32);

/// A sliding window along one dimension. Output `o` reads inputs `o * stride + k * dilation - low` for `k` in
/// `0..size`, in coordinates of the input after `base` dilation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Window {
    /// Number of taps.
    pub size: usize,
    /// Distance between the windows of adjacent outputs.
    pub stride: usize,
    /// Padding before the first element; negative padding crops.
    pub low: i64,
    /// Padding after the last element; negative padding crops.
    pub high: i64,
    /// Distance between adjacent taps.
    pub dilation: usize,
    /// Distance between adjacent input elements (base dilation); holes between them read as padding.
    pub base: usize,
}

impl Default for Window {
    fn default() -> Self {
        Window { size: 1, stride: 1, low: 0, high: 0, dilation: 1, base: 1 }
    }
}

impl Window {
    /// Returns the number of outputs over `input` elements. Returns `None` if negative padding crops more elements than
    /// exist, if the window has size 0, or on overflow.
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

/// Range of input elements that consecutive outputs of a window read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowReads {
    /// First element; outside the input if the window starts in padding.
    pub first: i64,
    /// Number of elements.
    pub count: usize,
    /// Padding before and after this range for which the window has exactly these outputs; negative if it crops holes
    /// of the dilated input.
    pub padding: (i64, i64),
}

impl Window {
    /// Returns the input range of the outputs `start..start + outputs`; `outputs` must be at least 1.
    pub fn reads(&self, start: usize, outputs: usize) -> WindowReads {
        let base = self.base as i64;
        let position = (self.stride * start) as i64 - self.low;
        let phase = position.rem_euclid(base) as usize;
        let reach = self.stride * (outputs - 1) + self.dilation * (self.size - 1) + 1;
        let count = (phase + reach - 1) / self.base + 1;
        let covered = (count - 1) * self.base + 1;
        let padding = (-(phase as i64), (phase + reach) as i64 - covered as i64);
        WindowReads { first: position.div_euclid(base), count, padding }
    }
}

/// Meaning of a factor for sharding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FactorKind {
    /// Operands and results are sharded along the factor, and each device computes its shard.
    PassThrough,
    /// Only operands have the factor: each device reduces its shard, and the result is partial.
    Reduce(Monoid),
    /// The factor cannot be sharded: operands are gathered along it, which is reported.
    NeedReplication,
    /// The factor is inside a composite or a scan and can be sharded only after decomposition.
    Inner,
    /// A window slides along the factor. Operand 0 is read through the window, which requires elements of neighbouring
    /// devices (a halo). In the result, or in another operand, the factor counts window positions; in the latter case,
    /// the taps of a convolution, the result is a partial sum.
    Window(Window),
    /// Elements move between shards, or depend on all others: each device computes its shard of the result from what it
    /// receives from others. Operands and results may have fewer elements along the factor than its size.
    Exchanged {
        /// Greatest common divisor of the numbers of elements along the factor. Shards over several axes must divide
        /// it, so that all of them have one size.
        common_divisor: usize,
    },
    /// Dimension of operand 0 addressed by an index operand. Each device handles the indices within its shard: reads
    /// outside it return zero (the result is a partial sum), and writes outside it are skipped.
    Indexed,
}

/// A factor of a sharding rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Factor {
    /// Number of elements; for a window, the number of outputs.
    pub size: usize,
    /// Meaning for sharding.
    pub kind: FactorKind,
}

/// Factors of each dimension of one operand or result, major to minor. A dimension without factors is never sharded (it
/// has size 1, or is broadcast).
pub type DimMap = SmallVec<[SmallVec<[FactorId; 2]>; 4]>;

/// A set of operand indices, as a bit mask.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ArgSet(pub u32);

impl ArgSet {
    /// Exclusive upper bound of the operand indices that a set can contain.
    pub const CAPACITY: usize = 32;

    /// Creates a set from operand indices.
    pub fn from_args(args: impl IntoIterator<Item = usize>) -> ArgSet {
        ArgSet(args.into_iter().fold(0, |set, a| set | 1u32.checked_shl(a as u32).unwrap_or(0)))
    }

    /// Returns true if operand `arg` is in the set.
    pub fn has(self, arg: usize) -> bool {
        arg < ArgSet::CAPACITY && self.0 >> arg & 1 == 1
    }
}

/// Direction in which propagation passes axes through an op.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Flow {
    /// Axes propagate between operands and results, and from one operand to another.
    #[default]
    Both,
    /// Axes propagate from operands to results only.
    Forward,
    /// Axes propagate from results to operands only.
    Backward,
    /// No axes propagate.
    Blocked,
}

impl Flow {
    /// All directions.
    pub const ALL: [Flow; 4] = [Flow::Both, Flow::Forward, Flow::Backward, Flow::Blocked];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            Flow::Both => "both",
            Flow::Forward => "forward",
            Flow::Backward => "backward",
            Flow::Blocked => "blocked",
        }
    }

    /// Returns true if axes propagate from a result (`result`) or an operand.
    pub const fn leaves(self, result: bool) -> bool {
        match self {
            Flow::Both => true,
            Flow::Forward => !result,
            Flow::Backward => result,
            Flow::Blocked => false,
        }
    }

    /// Returns true if axes propagate to a result (`result`) or an operand.
    pub const fn enters(self, result: bool) -> bool {
        match self {
            Flow::Both => true,
            Flow::Forward => result,
            Flow::Backward => !result,
            Flow::Blocked => false,
        }
    }
}

/// Sharding rule of one op.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rule {
    /// Factors of the rule.
    pub factors: SmallVec<[Factor; 6]>,
    /// Factors of each operand's dimensions.
    pub args: SmallVec<[DimMap; 3]>,
    /// Factors of each result's dimensions.
    pub outs: SmallVec<[DimMap; 1]>,
    /// Sets of operands in which the op is jointly linear. A partial sum passes through the op if all operands of one
    /// set, and no others, are partial along the same axes. `add` has `[{0,1}]`, `matmul` has `[{0},{1}]`.
    pub linear: SmallVec<[ArgSet; 2]>,
    /// True if the op only moves elements of operand 0 (transpose, reshape, slice), so that a partial value of any
    /// monoid passes through.
    pub moves: bool,
    /// Direction in which propagation passes axes through the op.
    pub flow: Flow,
}

impl Rule {
    /// Returns the rule of an elementwise op whose operands and results have one shape.
    pub fn elementwise(shape: &Shape, args: usize) -> Rule {
        let mut rule = Rule::default();
        let map: DimMap = shape.iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
        rule.args = smallvec![map.clone(); args];
        rule.outs = smallvec![map];
        rule
    }

    /// Returns the rule of an op that cannot be sharded along any dimension.
    pub fn replicated(args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let mut maps = |types: &[&Type]| -> Vec<DimMap> {
            types
                .iter()
                .map(|ty| ty.shape.iter().map(|&n| rule.dim(n, FactorKind::NeedReplication)).collect())
                .collect()
        };
        let (args, outs) = (maps(args), maps(outs));
        Rule { args: args.into(), outs: outs.into(), ..rule }
    }

    /// Adds a factor to the rule.
    pub fn factor(&mut self, size: usize, kind: FactorKind) -> FactorId {
        let id = FactorId(self.factors.len() as u32);
        self.factors.push(Factor { size, kind });
        id
    }

    /// Adds an exchanged factor of the given size and returns the dimension map that consists of it. `counts` are the
    /// numbers of elements in the operands and results that have the factor.
    pub fn exchanged_dim(&mut self, size: usize, counts: impl IntoIterator<Item = usize>) -> SmallVec<[FactorId; 2]> {
        let common_divisor = counts.into_iter().fold(size, greatest_common_divisor);
        self.dim(size, FactorKind::Exchanged { common_divisor })
    }

    /// Adds a factor and returns the dimension map that consists of it; a dimension of size 1 gets no factor.
    pub fn dim(&mut self, size: usize, kind: FactorKind) -> SmallVec<[FactorId; 2]> {
        if size == 1 { SmallVec::new() } else { smallvec![self.factor(size, kind)] }
    }

    /// Declares the op jointly linear in the given operands. A set with operands beyond [`ArgSet::CAPACITY`] is
    /// dropped, so that no partial sum passes through the op.
    pub fn linear_in(mut self, args: impl IntoIterator<Item = usize> + Clone) -> Rule {
        if args.clone().into_iter().all(|a| a < ArgSet::CAPACITY) {
            self.linear.push(ArgSet::from_args(args));
        }
        self
    }

    /// Declares that the op only moves elements of operand 0.
    pub fn moving(mut self) -> Rule {
        self.moves = true;
        self.linear_in([0])
    }

    /// Returns the kind of a factor.
    pub fn kind(&self, id: FactorId) -> FactorKind {
        self.factors[id.0 as usize].kind
    }
}

fn greatest_common_divisor(mut a: usize, mut b: usize) -> usize {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Mesh axes that shard each factor of a rule.
pub type FactorAxes = SmallVec<[Axes; 6]>;

/// Assignment of a dimension's mesh axes to its factors.
#[derive(Clone, PartialEq, Debug)]
pub struct AxisAssignment {
    /// Axes of each factor of the dimension, in order.
    pub parts: SmallVec<[Axes; 2]>,
    /// Axes that fit no factor; empty if the dimension's layout can be expressed by factors.
    pub rest: Axes,
}

/// Assigns a dimension's mesh axes to its factors, major to minor. An axis goes to the current factor if its size
/// divides the rest of the factor; the next factor gets axes only when the current one is used up; an axis that spans
/// two factors is split into sub-axes. A single factor takes all axes, even if they do not divide it (the dimension is
/// then padded).
pub fn assign_axes(sizes: &[usize], axes: &[AxisRef]) -> AxisAssignment {
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
    AxisAssignment { parts, rest }
}

impl Rule {
    /// Returns the sizes of a dimension's factors.
    pub fn sizes(&self, dim: &[FactorId]) -> SmallVec<[usize; 2]> {
        dim.iter().map(|f| self.factors[f.0 as usize].size).collect()
    }

    /// Returns the axes of a dimension, given the axes of the factors. Adjacent sub-axes are merged.
    pub fn dim_axes(&self, dim: &[FactorId], factors: &[Axes]) -> Axes {
        let mut axes = Axes::new();
        for f in dim {
            for &a in &factors[f.0 as usize] {
                push_merged(&mut axes, a);
            }
        }
        axes
    }

    /// Returns the dimension layouts of a value, given the axes of the factors.
    pub fn project(&self, map: &DimMap, factors: &[Axes]) -> SmallVec<[DimLayout; 4]> {
        map.iter().map(|dim| DimLayout { axes: self.dim_axes(dim, factors), ..DimLayout::default() }).collect()
    }

    /// Returns the partial axes of the op's results that arise from the op itself, if its factors are sharded over the
    /// given axes: the axes of the factors for which [`Rule::reduction`] returns a monoid, in factor order. Partial
    /// axes of operands are not included.
    pub fn partial_axes(&self, factors: &[Axes]) -> SmallVec<[PartialAxis; 1]> {
        let mut partial = SmallVec::new();
        for (id, axes) in (0u32..).map(FactorId).zip(factors) {
            let Some(monoid) = self.reduction(id) else { continue };
            partial.extend(axes.iter().map(|&a| (a, monoid)));
        }
        partial
    }

    /// Returns the monoid that combines the devices' results if the factor is sharded, or `None` if each device
    /// computes its shard of the result.
    pub fn reduction(&self, id: FactorId) -> Option<Monoid> {
        match self.kind(id) {
            FactorKind::Reduce(monoid) => Some(monoid),
            FactorKind::Indexed | FactorKind::Window(_) => (!self.in_results(id)).then_some(Monoid::Sum),
            FactorKind::PassThrough | FactorKind::NeedReplication | FactorKind::Inner => None,
            FactorKind::Exchanged { .. } => None,
        }
    }

    /// Returns true if a result has the factor.
    pub fn in_results(&self, id: FactorId) -> bool {
        self.outs.iter().flatten().flatten().any(|&f| f == id)
    }

    /// Returns true if operand `arg` has the factor.
    pub fn in_arg(&self, arg: usize, id: FactorId) -> bool {
        self.args.get(arg).is_some_and(|map| map.iter().flatten().any(|&f| f == id))
    }
}

/// Axes of each factor, inferred from the layouts of an op's operands and results.
#[derive(Clone, PartialEq, Debug)]
pub struct InferredFactorAxes {
    /// The longest list of axes that any operand or result has on each factor.
    pub factors: FactorAxes,
    /// True if `factors` reproduces the layouts of all operands and results, apart from partial sums, and no axis
    /// shards two factors.
    pub exact: bool,
}

impl Rule {
    /// Infers the axes of each factor from the layouts of operands and results, in the order of [`Rule::maps`].
    pub fn infer_factor_axes<'l>(&self, layouts: impl Iterator<Item = &'l Layout> + Clone) -> InferredFactorAxes {
        let mut factors: FactorAxes = smallvec![Axes::new(); self.factors.len()];
        let mut exact = true;
        for (map, layout) in self.maps().zip(layouts.clone()) {
            for (dim, at) in map.iter().zip(&layout.dims) {
                if at.axes.is_empty() {
                    continue;
                }
                if let [factor] = dim[..] {
                    exact &= extend_prefix(&mut factors[factor.0 as usize], &at.axes);
                } else {
                    let assigned = assign_axes(&self.sizes(dim), &at.axes);
                    exact &= assigned.rest.is_empty();
                    for (factor, part) in dim.iter().zip(&assigned.parts) {
                        exact &= extend_prefix(&mut factors[factor.0 as usize], part);
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
        InferredFactorAxes { factors, exact }
    }

    /// Returns the dimension maps of operands, then results.
    pub fn maps(&self) -> impl Iterator<Item = &DimMap> + Clone {
        self.args.iter().chain(&self.outs)
    }
}

/// Replaces `have` by `other` if `other` is longer. Returns true if one is a prefix of the other.
fn extend_prefix(have: &mut Axes, other: &[AxisRef]) -> bool {
    let agree = have.iter().zip(other).all(|(a, b)| a == b);
    if other.len() > have.len() {
        *have = other.iter().copied().collect();
    }
    agree
}

/// Appends an axis, merging it with the last one if both are adjacent factors of one mesh axis.
pub fn push_merged(axes: &mut Axes, axis: AxisRef) {
    match axes.last_mut() {
        Some(last) if last.axis == axis.axis && last.pre * last.size == axis.pre => last.size *= axis.size,
        _ => axes.push(axis),
    }
}

/// Returns the axes with adjacent factors of one mesh axis merged: the canonical form.
pub fn merge_adjacent(axes: impl IntoIterator<Item = AxisRef>) -> Axes {
    axes.into_iter().fold(Axes::new(), |mut all, axis| {
        push_merged(&mut all, axis);
        all
    })
}

/// Returns true if the axes split a factor of `size` into shards of equal size.
pub fn splits_evenly(size: usize, axes: &[AxisRef]) -> bool {
    size.is_multiple_of(shard_count(axes))
}

impl fmt::Display for Rule {
    /// Writes `([i,k],[k,j])->([i,j]) {i=8,j=16,k=8} kinds={k:sum} linear=[{0},{1}]`.
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
                FactorKind::PassThrough => None,
                FactorKind::Reduce(m) => Some(format!("{}:{}", name(id), m.name())),
                FactorKind::NeedReplication => Some(format!("{}:need_replication", name(id))),
                FactorKind::Inner => Some(format!("{}:inner", name(id))),
                FactorKind::Exchanged { .. } => Some(format!("{}:exchanged", name(id))),
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
