//! Contradictions between annotated layouts: dimensions of one class that are sharded by different axes.

use super::PathLayout;
use super::layout::{PlanMesh, TargetValue};
use crate::planning::name_dims::{ClassId, DimClasses, DimNames};
use crate::planning::path_index::PathIndex;
use crate::planning::ties::each_tie;
use indexmap::IndexMap;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::layout::Layout;
use partita_ir::mesh::Axes;
use partita_ir::program::{Op, Program};
use partita_ir::units::format_bytes;
use std::collections::VecDeque;

/// A dimension of a value.
type DimKey = (ValueId, usize);

/// A dimension that the plan shards.
#[derive(Clone, Copy)]
struct AnnotatedDim<'a> {
    at: DimKey,
    axes: &'a Axes,
    shard: &'a PathLayout<'a>,
}

/// Context for diagnostics of contradictions.
pub struct PlanContext<'a> {
    /// The program.
    pub program: &'a Program,
    /// Mesh of the program.
    pub grid: &'a PlanMesh<'a>,
    /// Paths of its values.
    pub entries: &'a PathIndex<'a>,
    /// Classes of its dimensions.
    pub classes: &'a DimClasses,
    /// Names of the classes.
    pub names: &'a DimNames,
}

impl PlanContext<'_> {
    /// Returns the first contradiction of each class, among layouts that may not be resharded. It is no contradiction
    /// if the axes of one dimension are a prefix of the other's.
    pub fn contradictions(&self, shards: &IndexMap<ValueId, PathLayout<'_>>) -> Vec<Diagnostic> {
        let mut by_class: IndexMap<ClassId, Vec<AnnotatedDim<'_>>> = IndexMap::new();
        for (&value, shard) in shards.iter().filter(|(_, s)| !s.allows_reshard) {
            for (dim, at) in shard.layout.dims.iter().enumerate().filter(|(_, d)| !d.axes.is_empty()) {
                let annotated = AnnotatedDim { at: (value, dim), axes: &at.axes, shard };
                by_class.entry(self.classes.class(value, dim)).or_default().push(annotated);
            }
        }
        let clash = |annotated_dims: &[AnnotatedDim<'_>]| -> Option<(usize, usize)> {
            let pairs = (0..annotated_dims.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            pairs
                .into_iter()
                .find(|&(a, b)| annotated_dims[a].axes.iter().zip(annotated_dims[b].axes).any(|(x, y)| x != y))
        };
        by_class
            .iter()
            .filter_map(|(&class, annotated_dims)| {
                clash(annotated_dims).map(|(a, b)| self.contradiction(class, annotated_dims[a], annotated_dims[b]))
            })
            .collect()
    }

    fn contradiction(&self, class: ClassId, a: AnnotatedDim<'_>, b: AnnotatedDim<'_>) -> Diagnostic {
        let (path_a, path_b) = (self.entries.path(a.at.0), self.entries.path(b.at.0));
        let size = self.program.ty(a.at.0).shape[a.at.1];
        let what = self.names.name(class).map_or_else(
            || format!("dimension {} of `{path_a}` ({size}) and dimension {} of `{path_b}`", a.at.1, b.at.1),
            |name| format!("`{name}` ({size})"),
        );
        let mut error = Diagnostic::new(Code::L004, format!("two annotations ask for different layouts of {what}"))
            .label(
                a.shard.written.span(),
                format!("makes `{path_a}` {}", self.grid.spell(self.program.ty(a.at.0), &a.shard.layout)),
            )
            .label(
                b.shard.written.span(),
                format!("makes `{path_b}` {}", self.grid.spell(self.program.ty(b.at.0), &b.shard.layout)),
            );
        let chain = self.chain(a.at, b.at);
        if let Some(&(op, _)) = chain.get(chain.len() / 2) {
            let op = &self.program.ops[op];
            error = error.note(format!("`{}` connects them and needs one layout for both", self.op_name(op)));
            error = self.program.with_source_line(op, error);
        }
        if !chain.is_empty() {
            let mut text = format!("{} dim {}", path_a, a.at.1);
            for &(op, (value, dim)) in &chain {
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
        let price = format_bytes(self.program.ty(b.at.0).bytes());
        error.help(format!("or keep both and reshard {price} per step: `--allow-reshard {path_b}`"))
    }

    /// Returns the shortest chain of relations from one dimension to another: op and dimension of each step.
    fn chain(&self, from: DimKey, to: DimKey) -> Vec<(OpId, DimKey)> {
        let class = self.classes.class(from.0, from.1);
        let mut edges: IndexMap<DimKey, Vec<(OpId, DimKey)>> = IndexMap::new();
        each_tie(self.program, &self.program.funcs_with_layouts(), |tie| {
            for factor in 0..tie.rule.factors.len() {
                let mut tied_dims: Vec<DimKey> = Vec::new();
                for (map, &value) in tie.rule.maps().zip(tie.values) {
                    let dims = map.iter().enumerate();
                    let has = dims.filter(|(_, f)| f.iter().any(|f| f.0 as usize == factor));
                    tied_dims.extend(has.map(|(dim, _)| (value, dim)));
                }
                if tied_dims.iter().all(|&(v, d)| self.classes.class(v, d) != class) {
                    continue;
                }
                for &a in &tied_dims {
                    edges.entry(a).or_default().extend(tied_dims.iter().filter(|&&b| b != a).map(|&b| (tie.op, b)));
                }
            }
        });
        let mut predecessors: IndexMap<DimKey, (OpId, DimKey)> = IndexMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            if at == to {
                break;
            }
            for &(op, next) in edges.get(&at).into_iter().flatten() {
                if next != from && !predecessors.contains_key(&next) {
                    predecessors.insert(next, (op, at));
                    queue.push_back(next);
                }
            }
        }
        let mut chain = Vec::new();
        let mut at = to;
        while let Some(&(op, before)) = predecessors.get(&at) {
            chain.push((op, at));
            at = before;
        }
        chain.reverse();
        chain
    }

    fn op_name(&self, op: &Op) -> String {
        let out = op.outs.first().map_or("", |&v| self.program.values[v].name.as_str());
        format!("{} %{out}", op.kind.name())
    }
}

/// Returns the error of a layout of the plan that contradicts the model's own, which the model states at `stated`, if
/// known.
pub fn contradicts_model(
    target: &TargetValue<'_>,
    shard: &PathLayout<'_>,
    own: &Layout,
    stated: Option<Span>,
    grid: &PlanMesh<'_>,
) -> Diagnostic {
    let TargetValue { path, ty } = target;
    let error = Diagnostic::new(Code::L004, format!("two annotations ask for different layouts of `{path}`"))
        .label(shard.written.span(), format!("makes it {}", grid.spell(ty, &shard.layout)));
    let came_with = format!("the model came with {}", grid.spell(ty, own));
    let error = match stated {
        Some(span) => error.context(span, came_with),
        None => error.note(came_with),
    };
    error
        .fix("make them agree", shard.written.span(), grid.spell_dims(own))
        .help(format!("or let the plan win: allow_reshard `{path}`"))
}
