//! All ways to spread a step over devices, but for layouts: what the user decided, and everything else free.

use crate::error::Result;
use partita_ir::class::Class;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::train::Train;
use partita_ir::plan::{Entry, Plan, Written, text};
use partita_ir::program::{Phase, Program};
use partita_passes::training::micro_batches::batch;
use partita_search::SearchLimits;

/// How a step is spread, but for layouts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Spread {
    /// Stages of a pipeline; 1 is none.
    pub(super) stages: usize,
    /// Sizes of the axes of each stage's mesh.
    pub(super) axes: Vec<u32>,
    /// Their names, where these are decided.
    pub(super) names: Vec<String>,
    /// The axes from the one across nodes to the one within.
    pub(super) order: Vec<usize>,
    /// Into how many parts the batch is cut, one after the other.
    pub(super) parts: u64,
    /// Whether the backward part computes again what it needs of the forward part.
    pub(super) recompute: bool,
}

impl Spread {
    /// How many devices a stage has.
    pub(super) fn devices_of_stage(&self) -> usize {
        self.axes.iter().map(|&size| size as usize).product()
    }

    /// Whether it is a step without stages and without parts.
    pub(super) fn is_plain(&self) -> bool {
        self.stages == 1 && self.parts == 1
    }

    /// Whether another one differs in parts of the batch alone.
    pub(super) fn is_cut_of(&self, other: &Spread) -> bool {
        (self.stages, &self.axes, &self.names, &self.order) == (other.stages, &other.axes, &other.names, &other.order)
    }
}

/// What a plan decides of how a step is spread.
pub(super) struct Decided {
    /// Names and sizes of the axes.
    mesh: Option<Vec<(String, u32)>>,
    /// Axes that layouts name, where there is no mesh yet.
    named: Vec<String>,
    /// Whether the plan says how the mesh lies on the machine, and how.
    map: Option<Vec<String>>,
    /// How many stages.
    stages: Option<usize>,
    /// How many micro-batches.
    parts: Option<u64>,
    /// Pipelines beside each other.
    replicas: usize,
    /// Whether the plan says into how many parts a batch is cut one after the other.
    accumulates: bool,
}

impl Decided {
    /// What a plan decides, with what `along` says of axes.
    ///
    /// # Errors
    /// What is wrong with the plan, and what a search cannot keep to.
    pub(super) fn of(program: &Program, base: &Plan, along: &[Entry]) -> Result<Decided> {
        let refused = |title: &str, written: &Written, help: &str| {
            Diagnostic::new(Code::G001, title).at(written.span(), "is decided").help(help.to_owned())
        };
        if let Some(mesh) = base.stage_meshes.first() {
            let title = "a search does not keep to meshes that differ from stage to stage";
            return Err(refused(title, &mesh.place, "give one mesh, or none").into());
        }
        if program.meshes.len() > 1 {
            let title =
                format!("`{}` came with {} meshes, and a search keeps to one", program.source, program.meshes.len());
            return Err(Diagnostic::new(Code::G001, title).help("take the model without annotations").into());
        }
        let mesh = base.mesh.as_ref();
        let mesh = mesh.map(|mesh| mesh.axes.iter().map(|axis| (axis.name.to_string(), axis.size)).collect());
        let named = if mesh.is_none() { named(base, along)? } else { Vec::new() };
        if named.len() > 2 {
            let title = format!("layouts name {} axes, and no mesh says what these are", named.len());
            let help = format!(
                "give the mesh: `--mesh {}`",
                named.iter().map(|name| format!("{name}=2")).collect::<Vec<_>>().join(",")
            );
            return Err(Diagnostic::new(Code::L007, title).help(help).into());
        }
        let mapped: Vec<String> = base.mapped()?.iter().map(ToString::to_string).collect();
        // What belongs to pipelines is read as for one of one stage where nothing says how many there are.
        let is_open = base.pipeline.is_none() && base.said_of_stages().is_some();
        let said = if is_open { base.clone().pipeline("1") } else { base.clone() };
        let pipelined = said.pipelined()?;
        let train = base.train.as_ref().map(Train::read).transpose()?;
        Ok(Decided {
            mesh,
            named,
            map: (!mapped.is_empty()).then_some(mapped),
            stages: pipelined.as_ref().filter(|_| base.pipeline.is_some()).map(|said| said.cuts.count()),
            parts: pipelined.as_ref().and_then(|said| said.micro_batches),
            replicas: pipelined.as_ref().map_or(1, |said| said.replicas),
            accumulates: train.is_some_and(|train| train.accumulate > 1),
        })
    }

    /// All ways to spread a step over so many devices, a small one over fewer of them, too; of those that differ in
    /// parts alone, few parts come first.
    ///
    /// # Errors
    /// `H002` when what is decided needs more devices.
    pub(super) fn spreads(&self, step: &Program, devices: usize) -> Result<Vec<Spread>> {
        let of_mesh = self.mesh.as_ref().map(|axes| axes.iter().map(|axis| axis.1 as usize).product::<usize>());
        let least = of_mesh.unwrap_or(1) * self.stages.unwrap_or(1) * self.replicas;
        if least > devices {
            let title = format!("what is decided needs {least} devices, and there are {devices}");
            let error = Diagnostic::new(Code::H002, title).note(format!(
                "{} in a mesh x {} stages x {} pipelines beside each other",
                of_mesh.unwrap_or(1),
                self.stages.unwrap_or(1),
                self.replicas
            ));
            return Err(error
                .help("take a smaller mesh, or a machine with more nodes, as in `dgx-a100?nodes=8`")
                .into());
        }
        let devices = devices / self.replicas;
        let stages = match (self.stages, of_mesh) {
            (Some(stages), _) => vec![stages],
            _ if self.accumulates => vec![1],
            (_, Some(of_mesh)) => stages(step, |stages| stages * of_mesh <= devices),
            _ => stages(step, |stages| devices.is_multiple_of(stages)),
        };
        // What is done in no time is not worth the way to all devices.
        let is_small = of_mesh.is_none() && stages[0] == 1 && step.ops.len() <= SearchLimits::TUNED.autotuned_ops;
        let fewer = (1..devices).filter(|count| is_small && devices.is_multiple_of(*count)).map(|count| (1, count));
        let mut spreads = Vec::new();
        for (stages, devices) in stages.iter().map(|&stages| (stages, devices / stages)).chain(fewer) {
            for (axes, names, order) in self.meshes(devices) {
                let parts = match self.parts {
                    Some(parts) => vec![parts],
                    None if self.accumulates => vec![1],
                    None => parts(step, stages, axes.first().copied().unwrap_or(1)),
                };
                let spread = |parts| Spread {
                    stages,
                    axes: axes.clone(),
                    names: names.clone(),
                    order: order.clone(),
                    parts,
                    recompute: false,
                };
                spreads.extend(parts.into_iter().map(spread));
            }
        }
        Ok(spreads)
    }

    /// Meshes of a stage of so many devices: sizes, names if they are decided, and how they lie on the machine.
    fn meshes(&self, devices: usize) -> Vec<(Vec<u32>, Vec<String>, Vec<usize>)> {
        if let Some(axes) = &self.mesh {
            let names: Vec<String> = axes.iter().map(|axis| axis.0.clone()).collect();
            let sizes: Vec<u32> = axes.iter().map(|axis| axis.1).collect();
            let orders = match &self.map {
                Some(map) => {
                    let mut order: Vec<usize> = (0..names.len()).collect();
                    order.sort_by_key(|&axis| map.iter().position(|name| *name == names[axis]).unwrap_or(map.len()));
                    vec![order]
                }
                None => orders(&sizes),
            };
            return orders.into_iter().map(|order| (sizes.clone(), names.clone(), order)).collect();
        }
        let mut all = Vec::new();
        for axes in shapes(devices) {
            let order: Vec<usize> = (0..axes.len()).collect();
            let names = match (&self.named[..], axes.len()) {
                ([], _) => vec![Vec::new()],
                ([one], 1) => vec![vec![one.clone()]],
                ([one], 2) => {
                    let other = if one == "data" { "model" } else { "data" };
                    vec![vec![other.to_owned(), one.clone()], vec![one.clone(), other.to_owned()]]
                }
                ([one, other], 2) => vec![vec![one.clone(), other.clone()], vec![other.clone(), one.clone()]],
                _ => Vec::new(),
            };
            all.extend(names.into_iter().map(|names| (axes.clone(), names, order.clone())));
        }
        all
    }
}

/// The axes that a plan's layouts name.
fn named(base: &Plan, along: &[Entry]) -> Result<Vec<String>> {
    let mut names: Vec<String> = along.iter().map(|entry| entry.text.text.trim().to_owned()).collect();
    for entry in base.shards.iter().chain(&base.stores) {
        let layout = text::layout(&entry.text)?;
        let axes = layout.dims.iter().flatten().flat_map(|dim| &dim.axes).chain(&layout.replicated);
        names.extend(axes.map(|axis| axis.name.clone()));
    }
    for rules in &base.rules {
        names.extend(text::rules(rules)?.iter().flat_map(|rule| &rule.axes).map(|axis| axis.name.clone()));
    }
    let mut known: Vec<String> = Vec::new();
    names.into_iter().for_each(|name| {
        if !known.contains(&name) {
            known.push(name);
        }
    });
    Ok(known)
}

/// Stages that are looked at: of a training step, as many as have two products each.
fn stages(step: &Program, fits: impl Fn(usize) -> bool) -> Vec<usize> {
    let ops = step.model_ops();
    let ops = || ops.iter().map(|o| o.op);
    let is_trained = ops().any(|op| op.phase == Phase::Update);
    let products = ops().filter(|op| op.phase == Phase::Forward && op.kind.class() == Class::Product).count();
    let most = if is_trained { (products / 2).min(MOST_STAGES) } else { 1 };
    (1..=most.max(1)).filter(|&stages| fits(stages)).collect()
}

/// More stages are not looked at.
const MOST_STAGES: usize = 64;

/// Parts of the batch that are looked at, few first. With several stages they are so many that these are seldom idle,
/// and so many more as help; where that is possible the first axis of the mesh splits each of them evenly.
fn parts(step: &Program, stages: usize, outer: u32) -> Vec<u64> {
    let batch = batch(step).unwrap_or(1);
    let is_whole = |parts: &u64| batch.is_multiple_of(*parts);
    if stages == 1 {
        return [1, 2, 4].into_iter().filter(is_whole).collect();
    }
    let stages = stages as u64;
    let most = (MOST_PARTS * stages).min(batch);
    let mut many: Vec<u64> = (USUAL_PARTS * stages..=most).filter(is_whole).collect();
    let is_even = |parts: &u64| (batch / parts).is_multiple_of(u64::from(outer));
    if many.iter().any(is_even) {
        many.retain(is_even);
    } else if step.ops.len() <= SearchLimits::TUNED.autotuned_ops
        && let Some(parts) = (stages..=most).rev().find(|parts| is_whole(parts) && is_even(parts))
    {
        many = vec![parts];
    }
    // Of numbers that are close to each other one is enough.
    let mut parts: Vec<u64> = Vec::new();
    many.into_iter().for_each(|count| match parts.last() {
        Some(&last) if 2 * count < 3 * last => {}
        _ => parts.push(count),
    });
    if parts.is_empty() {
        parts.extend([2 * stages, stages].into_iter().find(is_whole));
    }
    parts
}

/// How many parts of the batch there are at least for each of several stages, if it can be cut into so many, and at
/// most.
const USUAL_PARTS: u64 = 4;
const MOST_PARTS: u64 = 32;

/// Shapes of a mesh: one axis, or two, of which the last one is at most [`WIDEST`].
pub(super) fn shapes(devices: usize) -> Vec<Vec<u32>> {
    let count = u32::try_from(devices).unwrap_or(u32::MAX);
    let mut shapes = vec![vec![count]];
    let inner = (2..count.min(WIDEST + 1)).rev().filter(|n| count.is_multiple_of(*n));
    shapes.extend(inner.map(|n| vec![count / n, n]));
    shapes
}

/// What lies within nodes, or close to it, has no longer axis.
const WIDEST: u32 = 64;

/// All orders of the axes that split anything, the given one first; the others stay behind them.
fn orders(sizes: &[u32]) -> Vec<Vec<usize>> {
    let (splitting, single): (Vec<usize>, Vec<usize>) = (0..sizes.len()).partition(|&axis| sizes[axis] > 1);
    if splitting.len() > MOST_ORDERED {
        return vec![(0..sizes.len()).collect()];
    }
    let mut orders = vec![Vec::new()];
    for _ in &splitting {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            let left = splitting.iter().filter(|axis| !order.contains(axis));
            left.map(|&axis| order.iter().copied().chain([axis]).collect()).collect()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders.into_iter().map(|order| order.into_iter().chain(single.iter().copied()).collect()).collect()
}

/// Of more axes the order is as given.
const MOST_ORDERED: usize = 3;
