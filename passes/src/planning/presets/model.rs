//! What presets know of a model: which of its entries are parameters, which dimension is the batch, and which products
//! of a parameter and an activation it is made of. All of it is read off the graph; names play no part.
//!
//! Dimensions are told apart by their stems ([`Classes::stems`]): those that one axis can split alike, through reshapes
//! too.
//!
//! A program that declares parameters says itself what they are. One that does not (an imported function) is one of two
//! things. In a training step parameters are the inputs for which an output takes their place. In a forward function
//! there is a batch, which no product sums over and which nearly every product has in its result; parameters are the
//! inputs without it.

use super::entry::leading_everywhere;
use crate::import::updates::updates;
use crate::planning::name_dims::Classes;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::{Class, Control};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase, Program};
use partita_ir::rule::{FactorId, FactorKind, Rule};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Dimensions that one axis can split alike, by a representative.
pub type Stem = u32;

/// What a value is made from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// Constants only.
    Constant,
    /// Parameters and constants.
    Weight,
    /// Inputs too.
    Data,
}

/// A product of a parameter and an activation.
pub struct Contraction {
    /// The op.
    pub op: OpId,
    /// The parameter that its weight is made from.
    pub param: ValueId,
    /// Stems of the weight that are summed over.
    pub over: SmallVec<[Stem; 2]>,
    /// Stems that the result has from the weight.
    pub gives: SmallVec<[Stem; 2]>,
    /// Stems that weight, activation and result have in common: one product for each index.
    pub each: SmallVec<[Stem; 2]>,
}

/// Rows of a parameter that data chooses.
pub struct Lookup {
    /// The op.
    pub op: OpId,
    /// Its rows.
    pub rows: Stem,
    /// How many there are.
    pub count: usize,
}

/// A model as presets see it.
pub struct Model<'a> {
    /// The program.
    pub program: &'a Program,
    stems: Vec<Stem>,
    first: &'a [u32],
    /// The least size that a dimension of each stem has.
    least: FxHashMap<Stem, usize>,
    /// Ops of all functions that have layouts, callers first.
    pub ops: Vec<OpId>,
    /// What each value is made from, by id.
    pub roles: Vec<Role>,
    /// The parameter that a value is made from, by id.
    roots: Vec<Option<ValueId>>,
    /// Parameters, in calling order.
    pub params: Vec<ValueId>,
    /// Parameters and state of a training step, each with the output that is its next value.
    pub updates: Vec<(ValueId, ValueId)>,
    /// Inputs that are none, in calling order.
    pub data: Vec<ValueId>,
    /// The dimension along which examples are independent.
    pub batch: Option<Stem>,
    /// Products of a parameter and an activation, in program order.
    pub contractions: Vec<Contraction>,
    /// Embeddings, in program order.
    pub lookups: Vec<Lookup>,
    /// What the forward part of the model normalises, sorts, or sums over between activations.
    pub stiff: FxHashSet<Stem>,
    /// Classes of a cross-entropy or of a logarithm of probabilities.
    pub classes: FxHashSet<Stem>,
}

impl<'a> Model<'a> {
    /// Looks at a traced program.
    pub fn of(program: &'a Program, classes: &'a Classes) -> Model<'a> {
        let mut model = Model {
            program,
            stems: classes.stems(),
            first: classes.first_dims(),
            least: FxHashMap::default(),
            ops: Vec::with_capacity(program.ops.len()),
            roles: vec![Role::Constant; program.values.len()],
            roots: vec![None; program.values.len()],
            params: Vec::new(),
            updates: updates(program),
            data: Vec::new(),
            batch: None,
            contractions: Vec::new(),
            lookups: Vec::new(),
            stiff: FxHashSet::default(),
            classes: FxHashSet::default(),
        };
        for func in program.laid_out_funcs().into_iter().rev() {
            model.ops.extend(program.funcs[func].ops());
        }
        for value in program.values.ids() {
            for (dim, &size) in program.ty(value).shape.iter().enumerate().filter(|(_, n)| **n > 1) {
                let least = model.least.entry(model.stem(value, dim)).or_insert(size);
                *least = (*least).min(size);
            }
        }
        let products: Vec<(OpId, Rule)> = model.ops.iter().filter_map(|&op| product(program, op)).collect();
        model.find_entries(&products);
        model.find_roles();
        model.find_products(&products);
        model.find_others();
        model
    }

    /// The stem of a dimension.
    pub fn stem(&self, value: ValueId, dim: usize) -> Stem {
        self.stems[self.first[value.index()] as usize + dim]
    }

    /// The dimensions of a value with more than one element: position and stem.
    pub fn dims(&self, value: ValueId) -> impl Iterator<Item = (usize, Stem)> + '_ {
        let shape = self.program.ty(value).shape.iter().enumerate();
        shape.filter(|(_, n)| **n > 1).map(move |(dim, _)| (dim, self.stem(value, dim)))
    }

    /// The first dimension of a value with that stem.
    pub fn dim(&self, value: ValueId, stem: Stem) -> Option<usize> {
        self.dims(value).find(|d| d.1 == stem).map(|d| d.0)
    }

    /// Whether a value has a dimension with that stem.
    pub fn has(&self, value: ValueId, stem: Stem) -> bool {
        self.dim(value, stem).is_some()
    }

    /// The least size that a dimension of the stem has: in how many pieces it can be split.
    pub fn least(&self, stem: Stem) -> usize {
        self.least.get(&stem).copied().unwrap_or(1)
    }

    /// What a value is made from.
    pub fn role(&self, value: ValueId) -> Role {
        self.roles[value.index()]
    }

    /// Whether an op belongs to the model itself, not to its gradients.
    pub fn is_forward(&self, op: OpId) -> bool {
        self.program.ops[op].phase == Phase::Forward
    }

    /// Parameters, inputs and the batch.
    fn find_entries(&mut self, products: &[(OpId, Rule)]) {
        let program = self.program;
        let inputs = program.inputs();
        let mut is_param = vec![false; program.values.len()];
        program.params.values().for_each(|p| is_param[p.value.index()] = true);
        if program.params.is_empty() {
            if let Some(batch) = self.batch_of_forward(products) {
                self.batch = Some(batch);
                let is_weight = |v: &&ValueId| program.ty(**v).dtype.is_float() && !self.has(**v, batch);
                inputs.iter().filter(is_weight).for_each(|v| is_param[v.index()] = true);
            } else {
                self.updates.iter().for_each(|(v, _)| is_param[v.index()] = true);
            }
        }
        (self.params, self.data) = inputs.iter().copied().partition(|v| is_param[v.index()]);
        if self.batch.is_none() {
            self.batch = self.batch_of_data(products);
        }
    }

    /// The batch of a forward function whose parameters are not known.
    fn batch_of_forward(&self, products: &[(OpId, Rule)]) -> Option<Stem> {
        let inputs = self.program.inputs();
        let summed = self.summed(products, |_| true);
        let mut candidates: Vec<Stem> = inputs.iter().flat_map(|&v| self.dims(v)).map(|d| d.1).collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|stem| !summed.contains(stem) && leading_everywhere(self, inputs, *stem));
        let given = |stem: Stem| {
            let results = products.iter().filter_map(|(op, _)| self.program.ops[*op].outs.first());
            results.filter(|&&out| self.has(out, stem)).count()
        };
        let best = candidates
            .into_iter()
            .map(|stem| (given(stem), stem))
            .max_by_key(|&(n, stem)| (n, std::cmp::Reverse(stem)))?;
        (best.0 > 0 && 2 * best.0 >= products.len()).then_some(best.1)
    }

    /// The batch of a program whose parameters are known: a dimension of inputs that no parameter has.
    fn batch_of_data(&self, products: &[(OpId, Rule)]) -> Option<Stem> {
        let of_params: FxHashSet<Stem> = self.params.iter().flat_map(|&v| self.dims(v)).map(|d| d.1).collect();
        let summed = self.summed(products, |op| self.is_forward(op));
        let mut candidates: Vec<Stem> = Vec::new();
        for (_, stem) in self.data.iter().flat_map(|&v| self.dims(v)) {
            if !of_params.contains(&stem) && !candidates.contains(&stem) {
                candidates.push(stem);
            }
        }
        let mut uses: FxHashMap<Stem, usize> = candidates.iter().map(|&stem| (stem, 0)).collect();
        for &out in self.ops.iter().flat_map(|&op| &self.program.ops[op].outs) {
            for (_, stem) in self.dims(out) {
                uses.entry(stem).and_modify(|n| *n += 1);
            }
        }
        let rank = |&(i, stem): &(usize, Stem)| {
            let inputs = self.data.iter().filter(|&&v| self.has(v, stem)).count();
            let leads = leading_everywhere(self, &self.data, stem);
            (inputs, leads, !summed.contains(&stem), uses[&stem], std::cmp::Reverse(i))
        };
        let best = candidates.into_iter().enumerate().max_by_key(rank)?;
        (uses[&best.1] > 0).then_some(best.1)
    }

    /// The stems that products sum over.
    fn summed(&self, products: &[(OpId, Rule)], counts: impl Fn(OpId) -> bool) -> FxHashSet<Stem> {
        let mut summed = FxHashSet::default();
        for (op, rule) in products.iter().filter(|(op, _)| counts(*op)) {
            for (map, &arg) in rule.args.iter().zip(&self.program.ops[*op].args) {
                let is_summed = |f: &FactorId| matches!(rule.kind(*f), FactorKind::Reduce(_));
                let dims = map.iter().enumerate().filter(|(_, factors)| factors.iter().any(is_summed));
                summed.extend(dims.map(|(dim, _)| self.stem(arg, dim)));
            }
        }
        summed
    }

    fn find_roles(&mut self) {
        let program = self.program;
        for &value in &self.params {
            self.roles[value.index()] = Role::Weight;
            self.roots[value.index()] = Some(value);
        }
        self.data.iter().for_each(|v| self.roles[v.index()] = Role::Data);
        for &id in &self.ops {
            let op = &program.ops[id];
            if let Some(control) = op.kind.control() {
                let Control::Loop(l) = control;
                // What a loop carries and is made from parameters is taken to pass through.
                let body = &program.funcs[l.body].inputs;
                for ((&arg, &inner), &out) in op.args.iter().zip(body).zip(&op.outs) {
                    let role = if self.role(arg) == Role::Weight { Role::Weight } else { Role::Data };
                    for value in [inner, out] {
                        self.roles[value.index()] = role;
                        self.roots[value.index()] = self.roots[arg.index()];
                    }
                }
                continue;
            }
            let role = op.args.iter().map(|&v| self.role(v)).max().unwrap_or(Role::Constant);
            let root = op.args.iter().find_map(|v| self.roots[v.index()]).filter(|_| role == Role::Weight);
            for out in &op.outs {
                self.roles[out.index()] = role;
                self.roots[out.index()] = root;
            }
        }
    }

    fn find_products(&mut self, products: &[(OpId, Rule)]) {
        for (id, rule) in products {
            let op = &self.program.ops[*id];
            let &[a, b] = &op.args[..] else { continue };
            let weight_arg = match (self.role(a), self.role(b)) {
                (Role::Weight, Role::Data) => 0,
                (Role::Data, Role::Weight) => 1,
                (Role::Data, Role::Data) if self.is_forward(*id) => {
                    let summed = self.stems_of(op, rule, 0, |f| matches!(rule.kind(f), FactorKind::Reduce(_)));
                    self.stiff.extend(summed);
                    continue;
                }
                _ => continue,
            };
            let data_arg = 1 - weight_arg;
            let Some(param) = self.roots[op.args[weight_arg].index()] else { continue };
            let pass = |f| rule.kind(f) == FactorKind::Pass && rule.in_results(f);
            let summed = |f| matches!(rule.kind(f), FactorKind::Reduce(_)) && rule.in_arg(data_arg, f);
            self.contractions.push(Contraction {
                op: *id,
                param,
                over: self.stems_of(op, rule, weight_arg, summed),
                gives: self.stems_of(op, rule, weight_arg, |f| pass(f) && !rule.in_arg(data_arg, f)),
                each: self.stems_of(op, rule, weight_arg, |f| pass(f) && rule.in_arg(data_arg, f)),
            });
        }
    }

    /// The stems of an operand's dimensions that are one such factor.
    fn stems_of(&self, op: &Op, rule: &Rule, arg: usize, is: impl Fn(FactorId) -> bool) -> SmallVec<[Stem; 2]> {
        let dims = rule.args[arg].iter().enumerate();
        dims.filter(|(_, f)| matches!(f[..], [f] if is(f))).map(|(dim, _)| self.stem(op.args[arg], dim)).collect()
    }

    /// Embeddings, and what cannot be split cheaply.
    fn find_others(&mut self) {
        let program = self.program;
        let is_asked = |&op: &OpId| self.is_forward(op) && !only_passes(&program.ops[op].kind);
        let asked: Vec<OpId> = self.ops.iter().copied().filter(is_asked).collect();
        for id in asked {
            let op = &program.ops[id];
            let is_data = op.args.iter().any(|&v| self.role(v) == Role::Data);
            if !is_data || op.kind.class() == Class::Product {
                continue;
            }
            let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
            let is_one_number = op.outs.iter().all(|&v| program.ty(v).shape.count() == 1);
            let is_of_classes = is_of_classes(&op.kind);
            for (map, &arg) in rule.args.iter().zip(&op.args) {
                for (dim, factors) in map.iter().enumerate() {
                    let stem = self.stem(arg, dim);
                    for kind in factors.iter().map(|&f| rule.kind(f)) {
                        match (kind, self.role(arg)) {
                            (FactorKind::Indexed, Role::Weight) => {
                                self.lookups.push(Lookup { op: id, rows: stem, count: program.ty(arg).shape[dim] });
                            }
                            (FactorKind::Reduce(_), Role::Data) if is_one_number => {}
                            (FactorKind::Inner | FactorKind::Whole | FactorKind::Reduce(_), Role::Data) => {
                                self.stiff.insert(stem);
                                if is_of_classes && kind == FactorKind::Inner {
                                    self.classes.insert(stem);
                                }
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
    }
}

/// The rule of an op that is a product.
fn product(program: &Program, id: OpId) -> Option<(OpId, Rule)> {
    let op = &program.ops[id];
    (op.kind.class() == Class::Product).then(|| (id, op.kind.rule(&program.arg_types(op), &program.out_types(op))))
}

/// Returns whether an op is a product of matrices, of which layers are made.
///
/// Recogniser: a layout that a preset wishes for, or does not, changes no result.
pub fn is_dense(kind: &OpKind) -> bool {
    matches!(kind, OpKind::DotGeneral(_))
}

/// Returns whether what an op normalises are classes.
///
/// Recogniser: a dimension that is not known to be of classes is left whole, as all that is normalised.
fn is_of_classes(kind: &OpKind) -> bool {
    matches!(kind, OpKind::CrossEntropy(_) | OpKind::LogSoftmax(_))
}

/// Whether the op has nothing but dimensions that pass through: its rule need not be asked.
///
/// Recogniser: the rule of another op is asked.
fn only_passes(kind: &OpKind) -> bool {
    matches!(
        kind,
        OpKind::Constant(_)
            | OpKind::Iota(_)
            | OpKind::Random(_)
            | OpKind::Unary(_)
            | OpKind::Binary(_)
            | OpKind::Compare(_)
            | OpKind::Select(_)
            | OpKind::Clamp(_)
            | OpKind::Convert(_)
            | OpKind::Broadcast(_)
            | OpKind::Reshape(_)
            | OpKind::Transpose(_)
            | OpKind::Loop(_)
            | OpKind::Constrain(_)
    )
}
