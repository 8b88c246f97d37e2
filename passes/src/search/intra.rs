//! Layouts on one mesh: what each space does, so that all of it takes the least time (Zheng et al. 2022, section 4).

use super::bounded::{Effort, Solution, solve};
use super::pricing::{Column, Pricing, Together, is_product};
use super::problem::{Limit, Problem};
use super::spaces::{Flow, Spaces};
use super::strategies::{Strategy, factor_axes, made, needed, splitting, strategies};
use crate::analysis::cost::Efficiencies;
use crate::analysis::placement::Collectives;
use crate::plan::name_dims::Classes;
use crate::plan::presets::model::{Model, Role};
use partita_ir::arena::{Id, MeshId, ValueId};
use partita_ir::collective::choice::Prices;
use partita_ir::layout::Layout;
use partita_ir::machine::Machine;
use partita_ir::mesh::Mesh;
use partita_ir::op::OpKind;
use partita_ir::program::{Phase, Program};
use partita_ir::rule::ArgSet;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What is searched for, and where it is to run.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// A traced program that has the mesh.
    pub program: &'a Program,
    /// Its mesh.
    pub mesh: (MeshId, &'a Mesh),
    /// By rank of the mesh, the device of the machine.
    pub devices: &'a [usize],
    /// The machine.
    pub machine: &'a Machine,
    /// What collectives take on it.
    pub prices: &'a Prices<'a>,
    /// How much of the machine's figures is reached.
    pub efficiencies: &'a Efficiencies,
    /// Most bytes of a device.
    pub memory: Option<u64>,
    /// The share of the time of gradients' reductions that is waited for; the rest is done beside what is computed.
    pub waiting: f64,
    /// Whether parameters may be kept otherwise than they are used, and state with them: in pieces, as ZeRO has it.
    pub pieces: bool,
}

/// The best layouts on a mesh.
#[derive(Clone, Debug)]
pub struct Intra {
    /// Parameters, state and inputs of the main function, each with its layout.
    pub inputs: Vec<(ValueId, Layout)>,
    /// What ops make, in program order; constants are made wherever they are needed.
    pub values: Vec<(ValueId, Layout)>,
    /// Gradients that only the update reads, as that needs them.
    pub gradients: Vec<(ValueId, Layout)>,
    /// Seconds, and what no layouts take less than.
    pub solution: Solution,
}

/// The best layouts; none when nothing fits into memory.
pub fn layouts(setting: Setting<'_>, effort: &Effort) -> Option<Intra> {
    let Setting { program, mesh: (mesh, shape), devices, machine, prices, efficiencies, .. } = setting;
    let classes = Classes::of(program);
    let model = Model::of(program, &classes);
    let spaces = Spaces::of(&model);
    let kind = machine.slowest(devices.iter().copied())?;
    let collectives = Collectives::new(machine, prices, shape, devices);
    let pricing = Pricing::new(program, &spaces, mesh, (kind, efficiencies), collectives);
    let axes = splitting(shape);
    let strategies: Vec<Vec<Strategy>> = spaces.all.iter().map(|space| strategies(space, &model, &axes)).collect();
    let is_weight = program.values.ids().map(|value| model.role(value) == Role::Weight).collect();
    let problem = Problem::default();
    let (made, needed) = (FxHashMap::default(), FxHashMap::default());
    let mut writer = Writer { setting, spaces: &spaces, pricing, problem, is_weight, made, needed };
    writer.write(&strategies);
    let solution = solve(&writer.problem, effort)?;
    let lies = |value: ValueId| -> Option<Layout> {
        let (space, column) = writer.home(spaces.flow(value)?)?;
        Some(writer.pricing.layout(column[solution.choice[space]]).clone())
    };
    let inputs = program.main().inputs.iter().filter_map(|&v| Some((v, lies(v)?))).collect();
    let (mut values, mut gradients) = (Vec::new(), Vec::new());
    for worker in spaces.workers.iter().filter(|worker| !is_free(&program.ops[worker.op].kind)) {
        let outs = program.ops[worker.op].outs.iter();
        values.extend(outs.clone().filter_map(|&out| Some((out, lies(out)?))));
        gradients.extend(outs.filter_map(|&out| Some((out, writer.reduced(out, &solution.choice)?))));
    }
    Some(Intra { inputs, values, gradients, solution })
}

/// Writes the problem.
struct Writer<'a> {
    setting: Setting<'a>,
    spaces: &'a Spaces,
    pricing: Pricing<'a>,
    problem: Problem,
    /// By value, whether it is a parameter or made of parameters alone.
    is_weight: Vec<bool>,
    /// By worker and result, how it lies.
    made: FxHashMap<(usize, usize), Column>,
    /// By worker and operand, how it has to lie.
    needed: FxHashMap<(usize, usize), Column>,
}

/// A value somewhere: a space, and how it lies there.
type Place = (usize, Column);

impl<'a> Writer<'a> {
    fn write(&mut self, strategies: &[Vec<Strategy>]) {
        let mut alone: Vec<Vec<f64>> = strategies.iter().map(|all| vec![0.0; all.len()]).collect();
        self.lay_out(strategies, &mut alone);
        let mut pairs: Vec<(usize, usize, Rc<[f64]>, f64)> = Vec::new();
        for (value, flow) in self.in_order() {
            self.price(value, flow, &mut alone, &mut pairs);
        }
        for costs in &alone {
            self.problem.thing(costs);
        }
        // Terms of the same two spaces are one.
        let mut sums: FxHashMap<(usize, usize), Vec<f64>> = FxHashMap::default();
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (from, to, table, weight) in pairs {
            let sum = sums.entry((from, to)).or_insert_with(|| {
                order.push((from, to));
                vec![0.0; table.len()]
            });
            sum.iter_mut().zip(table.iter()).for_each(|(sum, cost)| *sum += times(weight, *cost));
        }
        for (from, to) in order {
            self.problem.pair(from, to, &sums[&(from, to)]);
        }
        if let Some(memory) = self.setting.memory {
            self.bound_memory(memory, strategies);
        }
    }

    /// How everything lies under each strategy, and what is computed.
    fn lay_out(&mut self, strategies: &[Vec<Strategy>], alone: &mut [Vec<f64>]) {
        let program = self.setting.program;
        let axes = splitting(self.setting.mesh.1);
        let mesh = self.setting.mesh.0;
        for (number, worker) in self.spaces.workers.iter().enumerate() {
            let op = &program.ops[worker.op];
            let inner = !is_product(&op.kind);
            let mut args = vec![Vec::new(); op.args.len()];
            let mut outs = vec![Vec::new(); op.outs.len()];
            for (strategy, cost) in strategies[worker.space].iter().zip(&mut alone[worker.space]) {
                let factors = factor_axes(worker, strategy, &axes, inner);
                *cost += worker.times as f64 * self.pricing.seconds(program, worker, &factors);
                for (i, arg) in args.iter_mut().enumerate() {
                    arg.push(self.pricing.number(needed(&worker.rule, i, &factors, mesh)));
                }
                for (i, out) in outs.iter_mut().enumerate() {
                    out.push(self.pricing.number(made(&worker.rule, i, &factors, mesh)));
                }
            }
            self.needed.extend(args.into_iter().enumerate().map(|(i, column)| ((number, i), column.into())));
            self.made.extend(outs.into_iter().enumerate().map(|(i, column)| ((number, i), column.into())));
        }
    }

    /// Values with dimensions that somebody makes or reads.
    fn in_order(&self) -> Vec<(ValueId, &'a Flow)> {
        let program = self.setting.program;
        let has_dims = |v: &ValueId| program.ty(*v).shape.iter().any(|&n| n > 1);
        let spaces: &'a Spaces = self.spaces;
        let mut order: Vec<(ValueId, &Flow)> =
            spaces.flows.iter().filter(|(v, _)| has_dims(v)).map(|(v, flow)| (*v, flow)).collect();
        order.sort_by_key(|(value, _)| *value);
        order
    }

    /// Where a value is: as its maker leaves it, or what comes from outside, as its first reader needs it.
    fn home(&self, flow: &Flow) -> Option<Place> {
        let (worker, column) = match flow.maker {
            Some(made) => (made.0, self.made.get(&made)?),
            None => {
                let first = flow.readers.first()?;
                (first.0, self.needed.get(first)?)
            }
        };
        Some((self.spaces.workers[worker].space, column.clone()))
    }

    fn price(
        &mut self,
        value: ValueId,
        flow: &Flow,
        alone: &mut [Vec<f64>],
        pairs: &mut Vec<(usize, usize, Rc<[f64]>, f64)>,
    ) {
        let program = self.setting.program;
        let Some(home) = self.home(flow) else { return };
        let ty = program.ty(value);
        if flow.maker.is_some_and(|(worker, _)| is_free(&program.ops[self.spaces.workers[worker].op].kind)) {
            return;
        }
        let mut places: Vec<(Place, f64, Together)> = Vec::new();
        for reader in &flow.readers {
            let worker = &self.spaces.workers[reader.0];
            let place = (worker.space, self.needed[reader].clone());
            let op = &program.ops[worker.op];
            let (waits, together) = match op.phase {
                Phase::Update => (self.setting.waiting, Together::Bucket),
                _ => (1.0, Together::Alone),
            };
            let weight = waits * worker.times as f64 / self.summands(flow, *reader);
            if !places.iter().any(|(known, ..)| *known == place) {
                places.push((place, weight, together));
            }
        }
        for param in self.replaced(value) {
            if let Some(place) = self.spaces.flow(param).and_then(|flow| self.home(flow)) {
                places.push((place, self.setting.waiting, Together::Alone));
            }
        }
        // Who else needs it finds it where the first one has brought it.
        let mut source = home.clone();
        for (place, weight, together) in places {
            let mut table = self.pricing.table(ty, &source.1, &place.1, together);
            if self.is_weight[value.index()] && !self.setting.pieces {
                table = only_equal(&source.1, &place.1);
            }
            if source.0 == place.0 {
                let n = place.1.len();
                alone[place.0].iter_mut().enumerate().for_each(|(i, cost)| *cost += times(weight, table[i * n + i]));
            } else {
                pairs.push((source.0, place.0, table, weight));
            }
            if source.0 == home.0 && place.0 != home.0 {
                source = place;
            }
        }
    }

    /// The parameters that a result replaces.
    fn replaced(&self, value: ValueId) -> Vec<ValueId> {
        let program = self.setting.program;
        let outputs = program.main().outputs.iter().filter(|output| output.value == value);
        outputs.filter_map(|output| Some(program.params[output.alias?].value)).collect()
    }

    /// Of how many sums that wait for other devices a reader is the sum: they are added up first, and reduced together.
    fn summands(&self, flow: &Flow, reader: (usize, usize)) -> f64 {
        if flow.readers.len() != 1 || flow.maker.is_none() {
            return 1.0;
        }
        let mut top = reader.0;
        while let Some(next) = self.adds(top).then(|| self.only_reader(top)).flatten().filter(|&next| self.adds(next)) {
            top = next;
        }
        self.leaves(top).max(1) as f64
    }

    /// Products whose results a sum is made of.
    fn leaves(&self, worker: usize) -> usize {
        if !self.adds(worker) {
            return 1;
        }
        let program = self.setting.program;
        let op = &program.ops[self.spaces.workers[worker].op];
        let of = |&arg: &ValueId| {
            let Some(Flow { maker: Some((maker, _)), readers }) = self.spaces.flow(arg) else { return 0 };
            if readers.len() != 1 {
                return 0;
            }
            if self.adds(*maker) {
                self.leaves(*maker)
            } else {
                usize::from(is_product(&program.ops[self.spaces.workers[*maker].op].kind))
            }
        };
        op.args.iter().map(of).sum()
    }

    fn adds(&self, worker: usize) -> bool {
        let rule = &self.spaces.workers[worker].rule;
        rule.args.len() == 2 && rule.linear.contains(&ArgSet::of([0, 1]))
    }

    fn only_reader(&self, worker: usize) -> Option<usize> {
        let out = self.setting.program.ops[self.spaces.workers[worker].op].outs.first()?;
        match &self.spaces.flow(*out)?.readers[..] {
            [(reader, _)] => Some(*reader),
            _ => None,
        }
    }

    /// How a gradient lies that only the update reads: it is reduced to what that needs where it is made.
    fn reduced(&self, value: ValueId, choice: &[usize]) -> Option<Layout> {
        let program = self.setting.program;
        let updates = |worker: usize| program.ops[self.spaces.workers[worker].op].phase == Phase::Update;
        let flow = self.spaces.flow(value)?;
        let first = flow.readers.first()?;
        let is_last = flow.maker.is_some_and(|(maker, _)| !updates(maker)) && flow.readers.iter().all(|r| updates(r.0));
        let need = is_last.then(|| self.needed[first][choice[self.spaces.workers[first.0].space]])?;
        Some(self.pricing.layout(need).clone())
    }

    /// What is held between the forward and the backward part, and while parameters are updated.
    fn bound_memory(&mut self, memory: u64, strategies: &[Vec<Strategy>]) {
        let program = self.setting.program;
        let phase = |worker: usize| program.ops[self.spaces.workers[worker].op].phase;
        let mut always: Vec<Vec<f64>> = strategies.iter().map(|all| vec![0.0; all.len()]).collect();
        let (mut between, mut behind) = (always.clone(), always.clone());
        for (value, flow) in self.in_order() {
            let Some((space, column)) = self.home(flow) else { continue };
            let is_read = |is: fn(Phase) -> bool| flow.readers.iter().any(|reader| is(phase(reader.0)));
            let held = match flow.maker {
                None => &mut always,
                Some((maker, _)) if phase(maker) == Phase::Forward => {
                    if !is_read(|phase| matches!(phase, Phase::BackwardInput | Phase::BackwardWeight)) {
                        continue;
                    }
                    &mut between
                }
                Some((maker, _)) if phase(maker) != Phase::Update && is_read(|phase| phase == Phase::Update) => {
                    &mut behind
                }
                Some(_) => continue,
            };
            let ty = program.ty(value);
            for (bytes, &layout) in held[space].iter_mut().zip(column.iter()) {
                *bytes += self.pricing.bytes(ty, layout) as f64;
            }
        }
        for more in [between, behind] {
            let sum = |(always, more): (&Vec<f64>, Vec<f64>)| always.iter().zip(more).map(|(a, b)| a + b).collect();
            let uses: Vec<Vec<f64>> = always.iter().zip(more).map(sum).collect();
            let uses = uses.into_iter().enumerate().filter(|(_, uses)| uses.iter().any(|&bytes| bytes > 0.0)).collect();
            self.problem.limit(Limit { most: memory as f64, uses });
        }
    }
}

/// So much of a cost; no choice stays none.
fn times(weight: f64, cost: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * cost }
}

/// Nothing where both lie alike, and no choice where they do not.
fn only_equal(from: &Column, to: &Column) -> Rc<[f64]> {
    let cost = |a, b| if a == b { 0.0 } else { f64::INFINITY };
    from.iter().flat_map(|&a| to.iter().map(move |&b| cost(a, b))).collect()
}

/// Whether it may be made anew wherever it is needed.
fn is_free(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Constant(_) | OpKind::Iota(_))
}
