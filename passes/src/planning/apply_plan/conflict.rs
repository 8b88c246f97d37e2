//! Contradictions between layouts that the user wrote: dimensions of one class that are to be split by different axes.

use super::Shard;
use super::layout::{Grid, Target};
use crate::planning::find::Entries;
use crate::planning::name_dims::{ClassId, Classes, Names};
use crate::planning::ties::each_tie;
use indexmap::IndexMap;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::Layout;
use partita_ir::mesh::Axes;
use partita_ir::program::{Op, Program};
use partita_ir::units::bytes;
use std::collections::VecDeque;

/// A dimension of a value.
type Spot = (ValueId, usize);

/// A dimension that the plan splits.
#[derive(Clone, Copy)]
struct Side<'a> {
    at: Spot,
    axes: &'a Axes,
    shard: &'a Shard<'a>,
}

/// What is needed to talk about contradictions.
pub struct Context<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its mesh.
    pub grid: &'a Grid<'a>,
    /// Paths of its values.
    pub entries: &'a Entries<'a>,
    /// Classes of its dimensions.
    pub classes: &'a Classes,
    /// Their names.
    pub names: &'a Names,
}

impl Context<'_> {
    /// The first contradiction of each class, among layouts that were not allowed to contradict others. One dimension
    /// may have more axes than another, as long as it begins with the same.
    pub fn contradictions(&self, shards: &IndexMap<ValueId, Shard<'_>>) -> Vec<Diagnostic> {
        let mut by_class: IndexMap<ClassId, Vec<Side<'_>>> = IndexMap::new();
        for (&value, shard) in shards.iter().filter(|(_, s)| !s.may_contradict) {
            for (dim, at) in shard.layout.dims.iter().enumerate().filter(|(_, d)| !d.axes.is_empty()) {
                let side = Side { at: (value, dim), axes: &at.axes, shard };
                by_class.entry(self.classes.class(value, dim)).or_default().push(side);
            }
        }
        let clash = |sides: &[Side<'_>]| -> Option<(usize, usize)> {
            let pairs = (0..sides.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            pairs.into_iter().find(|&(a, b)| sides[a].axes.iter().zip(sides[b].axes).any(|(x, y)| x != y))
        };
        by_class
            .iter()
            .filter_map(|(&class, sides)| clash(sides).map(|(a, b)| self.contradiction(class, sides[a], sides[b])))
            .collect()
    }

    fn contradiction(&self, class: ClassId, a: Side<'_>, b: Side<'_>) -> Diagnostic {
        let (path_a, path_b) = (self.entries.path(a.at.0), self.entries.path(b.at.0));
        let size = self.program.ty(a.at.0).shape[a.at.1];
        let what = self.names.name(class).map_or_else(
            || format!("dimension {} of `{path_a}` ({size}) and dimension {} of `{path_b}`", a.at.1, b.at.1),
            |name| format!("`{name}` ({size})"),
        );
        let mut error = Diagnostic::new(Code::L004, format!("two annotations ask for different layouts of {what}"))
            .at(
                a.shard.written.span(),
                format!("makes `{path_a}` {}", self.grid.spell(self.program.ty(a.at.0), &a.shard.layout)),
            )
            .at(
                b.shard.written.span(),
                format!("makes `{path_b}` {}", self.grid.spell(self.program.ty(b.at.0), &b.shard.layout)),
            );
        let way = self.way(a.at, b.at);
        if let Some(&(op, _)) = way.get(way.len() / 2) {
            let op = &self.program.ops[op];
            error = error.note(format!("they meet in `{}`, which needs one layout for both", self.op_name(op)));
            if op.origin.line > 0 {
                error = error.on_line(self.program.source.as_str(), op.origin.line);
            }
        }
        if !way.is_empty() {
            let mut text = format!("{} dim {}", path_a, a.at.1);
            for &(op, (value, dim)) in &way {
                let op = self.op_name(&self.program.ops[op]);
                text.push_str(&format!(" -> {op} -> {} dim {dim}", self.entries.path(value)));
            }
            error = error.note(text);
        }
        let mut agreed = b.shard.layout.clone();
        agreed.dims[b.at.1].axes = a.axes.clone();
        let others = agreed.dims.iter().enumerate().filter(|(i, _)| *i != b.at.1).flat_map(|(_, d)| &d.axes);
        if others.into_iter().all(|x| a.axes.iter().all(|y| !y.overlaps(*x))) {
            let text = self.grid.spell_dims(&agreed);
            error = error.fix("make them agree: no communication", b.shard.written.span(), text);
        }
        let price = bytes(self.program.ty(b.at.0).bytes());
        error.help(format!("or keep both and accept a reshard of {price} a step: allow_reshard `{path_b}`"))
    }

    /// The shortest way from one dimension to another along ops that tie them: op and dimension of each step.
    fn way(&self, from: Spot, to: Spot) -> Vec<(OpId, Spot)> {
        let class = self.classes.class(from.0, from.1);
        let mut edges: IndexMap<Spot, Vec<(OpId, Spot)>> = IndexMap::new();
        each_tie(self.program, &self.program.laid_out_funcs(), |tie| {
            for factor in 0..tie.rule.factors.len() {
                let mut spots: Vec<Spot> = Vec::new();
                for (map, &value) in tie.rule.maps().zip(tie.values) {
                    let dims = map.iter().enumerate();
                    let has = dims.filter(|(_, f)| f.iter().any(|f| f.0 as usize == factor));
                    spots.extend(has.map(|(dim, _)| (value, dim)));
                }
                if spots.iter().all(|&(v, d)| self.classes.class(v, d) != class) {
                    continue;
                }
                for &a in &spots {
                    edges.entry(a).or_default().extend(spots.iter().filter(|&&b| b != a).map(|&b| (tie.op, b)));
                }
            }
        });
        let mut came: IndexMap<Spot, (OpId, Spot)> = IndexMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            if at == to {
                break;
            }
            for &(op, next) in edges.get(&at).into_iter().flatten() {
                if next != from && !came.contains_key(&next) {
                    came.insert(next, (op, at));
                    queue.push_back(next);
                }
            }
        }
        let mut way = Vec::new();
        let mut at = to;
        while let Some(&(op, before)) = came.get(&at) {
            way.push((op, at));
            at = before;
        }
        way.reverse();
        way
    }

    fn op_name(&self, op: &Op) -> String {
        let out = op.outs.first().map_or("", |&v| self.program.values[v].name.as_str());
        format!("{} %{out}", op.kind.name())
    }
}

/// The contradiction of a layout of the plan with the one that the model came with.
pub fn with_model(target: &Target<'_>, shard: &Shard<'_>, own: &Layout, grid: &Grid<'_>) -> Diagnostic {
    let Target { path, ty } = target;
    Diagnostic::new(Code::L004, format!("two annotations ask for different layouts of `{path}`"))
        .at(shard.written.span(), format!("makes it {}", grid.spell(ty, &shard.layout)))
        .note(format!("the model came with {}", grid.spell(ty, own)))
        .fix("make them agree", shard.written.span(), grid.spell_dims(own))
        .help(format!("or let the plan win: allow_reshard `{path}`"))
}
