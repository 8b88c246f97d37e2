//! Structure of a model as seen by presets: its parameters, its batch dimension, and its products of a parameter and an
//! activation. All of it is inferred from the graph; names are ignored.
//!
//! Dimensions are identified by their stems ([`DimClasses::stems`]): dimensions that one axis can shard consistently,
//! also through reshapes.
//!
//! Parameters are declared by the program, or else inferred (for an imported function). In a forward function, the
//! batch is the leading dimension of inputs that no product contracts and that occurs in the most product results, at
//! least half of them; parameters are the float inputs without it. If no dimension qualifies, as in a training step,
//! parameters are the inputs that an output replaces.

use super::leading_dim::is_leading_dim;
use crate::import::updates::updates;
use crate::planning::name_dims::DimClasses;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::{Class, Control};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase, Program};
use partita_ir::rule::{FactorId, FactorKind, Rule};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Identifier of a set of dimensions that one axis can shard consistently; see [`DimClasses::stems`].
pub type Stem = u32;

/// Kind of inputs that a value depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ValueRole {
    /// Constants only.
    Constant,
    /// Parameters and constants.
    Weight,
    /// Inputs that are not parameters, and possibly parameters and constants.
    Data,
}

/// A product of a parameter and an activation.
pub struct Contraction {
    /// The op.
    pub op: OpId,
    /// The parameter that the weight operand is computed from.
    pub param: ValueId,
    /// Stems of the weight that are contracted.
    pub contracted: SmallVec<[Stem; 2]>,
    /// Stems of the weight that occur in the result and not in the activation.
    pub produced: SmallVec<[Stem; 2]>,
    /// Batch stems: those that weight, activation and result share.
    pub batch: SmallVec<[Stem; 2]>,
}

/// A look-up of rows of a parameter in the forward pass, with indices that depend on data, as in an embedding layer.
pub struct EmbeddingLookup {
    /// The op that gathers the rows.
    pub op: OpId,
    /// Stem of the indexed dimension, such as the vocabulary.
    pub rows: Stem,
    /// Number of rows of the parameter.
    pub count: usize,
}

/// Structure of a model, as far as presets need it.
pub struct ModelStructure<'a> {
    /// The program.
    pub program: &'a Program,
    stems: Vec<Stem>,
    first_dims: &'a [u32],
    /// For each stem, the smallest size of its dimensions.
    min_sizes: FxHashMap<Stem, usize>,
    /// Ops of all functions that have layouts, callers first.
    pub ops: Vec<OpId>,
    /// For each value, the kind of inputs it depends on.
    pub roles: Vec<ValueRole>,
    /// For each value of role [`ValueRole::Weight`], a parameter that it is computed from.
    roots: Vec<Option<ValueId>>,
    /// Parameters, in the order of the function's inputs.
    pub params: Vec<ValueId>,
    /// Parameters and state of a training step, each with its new value.
    pub updates: Vec<(ValueId, ValueId)>,
    /// Inputs that are not parameters, in order.
    pub data: Vec<ValueId>,
    /// Batch dimension: the one along which examples are independent.
    pub batch: Option<Stem>,
    /// Products of a parameter and an activation, in program order.
    pub contractions: Vec<Contraction>,
    /// Embedding look-ups, in program order.
    pub lookups: Vec<EmbeddingLookup>,
    /// Stems that are expensive to shard: the forward pass reduces, normalises or sorts them, or contracts them between
    /// two activations.
    pub costly_stems: FxHashSet<Stem>,
    /// Stems of the classes of a cross-entropy or log-softmax.
    pub classes: FxHashSet<Stem>,
}

impl<'a> ModelStructure<'a> {
    /// Analyses a traced program.
    pub fn new(program: &'a Program, classes: &'a DimClasses) -> ModelStructure<'a> {
        let mut model = ModelStructure {
            program,
            stems: classes.stems(),
            first_dims: classes.first_dims(),
            min_sizes: FxHashMap::default(),
            ops: Vec::with_capacity(program.ops.len()),
            roles: vec![ValueRole::Constant; program.values.len()],
            roots: vec![None; program.values.len()],
            params: Vec::new(),
            updates: updates(program),
            data: Vec::new(),
            batch: None,
            contractions: Vec::new(),
            lookups: Vec::new(),
            costly_stems: FxHashSet::default(),
            classes: FxHashSet::default(),
        };
        for func in program.funcs_with_layouts().into_iter().rev() {
            model.ops.extend(program.funcs[func].ops());
        }
        for value in program.values.ids() {
            for (dim, &size) in program.ty(value).shape.iter().enumerate().filter(|(_, n)| **n > 1) {
                let least = model.min_sizes.entry(model.stem(value, dim)).or_insert(size);
                *least = (*least).min(size);
            }
        }
        let products: Vec<(OpId, Rule)> = model.ops.iter().filter_map(|&op| product(program, op)).collect();
        model.classify_inputs(&products);
        model.find_roles();
        model.find_products(&products);
        model.find_lookups_and_costly_stems();
        model
    }

    /// Returns the stem of a dimension.
    pub fn stem(&self, value: ValueId, dim: usize) -> Stem {
        self.stems[self.first_dims[value.index()] as usize + dim]
    }

    /// Returns the index and the stem of each dimension of a value that has more than one element along it.
    pub fn dims(&self, value: ValueId) -> impl Iterator<Item = (usize, Stem)> + '_ {
        let shape = self.program.ty(value).shape.iter().enumerate();
        shape.filter(|(_, n)| **n > 1).map(move |(dim, _)| (dim, self.stem(value, dim)))
    }

    /// Returns the first dimension of a value with this stem.
    pub fn dim(&self, value: ValueId, stem: Stem) -> Option<usize> {
        self.dims(value).find(|d| d.1 == stem).map(|d| d.0)
    }

    /// Returns true if a value has a dimension with this stem.
    pub fn has_stem(&self, value: ValueId, stem: Stem) -> bool {
        self.dim(value, stem).is_some()
    }

    /// Returns the smallest size above 1 of the stem's dimensions, which is the maximum shard count; 1 if there is
    /// none.
    pub fn min_size(&self, stem: Stem) -> usize {
        self.min_sizes.get(&stem).copied().unwrap_or(1)
    }

    /// Returns the kind of inputs that a value depends on.
    pub fn role(&self, value: ValueId) -> ValueRole {
        self.roles[value.index()]
    }

    /// Returns true if an op belongs to the forward pass.
    pub fn is_forward(&self, op: OpId) -> bool {
        self.program.ops[op].phase == Phase::Forward
    }

    /// Divides the inputs into parameters and data, and finds the batch dimension.
    fn classify_inputs(&mut self, products: &[(OpId, Rule)]) {
        let program = self.program;
        let inputs = program.inputs();
        let mut is_param = vec![false; program.values.len()];
        program.params.values().for_each(|p| is_param[p.value.index()] = true);
        if program.params.is_empty() {
            if let Some(batch) = self.batch_of_forward(products) {
                self.batch = Some(batch);
                let is_weight = |v: &&ValueId| program.ty(**v).dtype.is_float() && !self.has_stem(**v, batch);
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

    /// Infers the batch dimension of a forward function without declared parameters.
    fn batch_of_forward(&self, products: &[(OpId, Rule)]) -> Option<Stem> {
        let inputs = self.program.inputs();
        let summed = self.summed(products, |_| true);
        let mut candidates: Vec<Stem> = inputs.iter().flat_map(|&v| self.dims(v)).map(|d| d.1).collect();
        candidates.sort_unstable();
        candidates.dedup();
        candidates.retain(|stem| !summed.contains(stem) && is_leading_dim(self, inputs, *stem));
        let result_count = |stem: Stem| {
            let results = products.iter().filter_map(|(op, _)| self.program.ops[*op].outs.first());
            results.filter(|&&out| self.has_stem(out, stem)).count()
        };
        let best = candidates
            .into_iter()
            .map(|stem| (result_count(stem), stem))
            .max_by_key(|&(n, stem)| (n, std::cmp::Reverse(stem)))?;
        (best.0 > 0 && 2 * best.0 >= products.len()).then_some(best.1)
    }

    /// Infers the batch dimension from the inputs that are not parameters. It is a dimension that no parameter has,
    /// preferably one that most of these inputs have, then their leading one, then one that the forward pass does not
    /// contract, then the one that occurs in the most values.
    fn batch_of_data(&self, products: &[(OpId, Rule)]) -> Option<Stem> {
        let param_stems: FxHashSet<Stem> = self.params.iter().flat_map(|&v| self.dims(v)).map(|d| d.1).collect();
        let summed = self.summed(products, |op| self.is_forward(op));
        let mut candidates: Vec<Stem> = Vec::new();
        for (_, stem) in self.data.iter().flat_map(|&v| self.dims(v)) {
            if !param_stems.contains(&stem) && !candidates.contains(&stem) {
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
            let inputs = self.data.iter().filter(|&&v| self.has_stem(v, stem)).count();
            let leads = is_leading_dim(self, &self.data, stem);
            (inputs, leads, !summed.contains(&stem), uses[&stem], std::cmp::Reverse(i))
        };
        let best = candidates.into_iter().enumerate().max_by_key(rank)?;
        (uses[&best.1] > 0).then_some(best.1)
    }

    /// Returns the stems that the selected products contract.
    fn summed(&self, products: &[(OpId, Rule)], is_selected: impl Fn(OpId) -> bool) -> FxHashSet<Stem> {
        let mut summed = FxHashSet::default();
        for (op, rule) in products.iter().filter(|(op, _)| is_selected(*op)) {
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
            self.roles[value.index()] = ValueRole::Weight;
            self.roots[value.index()] = Some(value);
        }
        self.data.iter().for_each(|v| self.roles[v.index()] = ValueRole::Data);
        for &id in &self.ops {
            let op = &program.ops[id];
            if let Some(control) = op.kind.control() {
                let Control::Loop(l) = control;
                // Carried values that are computed from parameters are assumed to be loop-invariant.
                let body = &program.funcs[l.body].inputs;
                for ((&arg, &inner), &out) in op.args.iter().zip(body).zip(&op.outs) {
                    let role = if self.role(arg) == ValueRole::Weight { ValueRole::Weight } else { ValueRole::Data };
                    for value in [inner, out] {
                        self.roles[value.index()] = role;
                        self.roots[value.index()] = self.roots[arg.index()];
                    }
                }
                continue;
            }
            let role = op.args.iter().map(|&v| self.role(v)).max().unwrap_or(ValueRole::Constant);
            let root = op.args.iter().find_map(|v| self.roots[v.index()]).filter(|_| role == ValueRole::Weight);
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
                (ValueRole::Weight, ValueRole::Data) => 0,
                (ValueRole::Data, ValueRole::Weight) => 1,
                (ValueRole::Data, ValueRole::Data) if self.is_forward(*id) => {
                    let summed = self.stems_of(op, rule, 0, |f| matches!(rule.kind(f), FactorKind::Reduce(_)));
                    self.costly_stems.extend(summed);
                    continue;
                }
                _ => continue,
            };
            let data_arg = 1 - weight_arg;
            let Some(param) = self.roots[op.args[weight_arg].index()] else { continue };
            let pass = |f| rule.kind(f) == FactorKind::PassThrough && rule.in_results(f);
            let summed = |f| matches!(rule.kind(f), FactorKind::Reduce(_)) && rule.in_arg(data_arg, f);
            self.contractions.push(Contraction {
                op: *id,
                param,
                contracted: self.stems_of(op, rule, weight_arg, summed),
                produced: self.stems_of(op, rule, weight_arg, |f| pass(f) && !rule.in_arg(data_arg, f)),
                batch: self.stems_of(op, rule, weight_arg, |f| pass(f) && rule.in_arg(data_arg, f)),
            });
        }
    }

    /// Returns the stems of those dimensions of an operand that consist of one factor for which `is` returns true.
    fn stems_of(&self, op: &Op, rule: &Rule, arg: usize, is: impl Fn(FactorId) -> bool) -> SmallVec<[Stem; 2]> {
        let dims = rule.args[arg].iter().enumerate();
        dims.filter(|(_, f)| matches!(f[..], [f] if is(f))).map(|(dim, _)| self.stem(op.args[arg], dim)).collect()
    }

    /// Finds embedding look-ups, and stems that are expensive to shard.
    fn find_lookups_and_costly_stems(&mut self) {
        let program = self.program;
        let is_relevant = |&op: &OpId| self.is_forward(op) && !only_passes_through(&program.ops[op].kind);
        let relevant: Vec<OpId> = self.ops.iter().copied().filter(is_relevant).collect();
        for id in relevant {
            let op = &program.ops[id];
            let is_data = op.args.iter().any(|&v| self.role(v) == ValueRole::Data);
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
                            (FactorKind::Indexed, ValueRole::Weight) => {
                                self.lookups.push(EmbeddingLookup {
                                    op: id,
                                    rows: stem,
                                    count: program.ty(arg).shape[dim],
                                });
                            }
                            (FactorKind::Reduce(_), ValueRole::Data) if is_one_number => {}
                            (
                                FactorKind::Inner | FactorKind::NeedReplication | FactorKind::Reduce(_),
                                ValueRole::Data,
                            ) => {
                                self.costly_stems.insert(stem);
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

/// Returns the rule of an op if it is a product.
fn product(program: &Program, id: OpId) -> Option<(OpId, Rule)> {
    let op = &program.ops[id];
    (op.kind.class() == Class::Product).then(|| (id, op.kind.rule(&program.arg_types(op), &program.out_types(op))))
}

/// Returns true if an op is a matrix product, as in dense layers.
///
/// Recogniser: a missing or additional layout of a preset changes no result.
pub fn is_dense(kind: &OpKind) -> bool {
    matches!(kind, OpKind::DotGeneral(_))
}

/// Returns true if an op normalises over the classes of a classification.
///
/// Recogniser: a class dimension of any other op stays replicated, like all dimensions that are normalised.
fn is_of_classes(kind: &OpKind) -> bool {
    matches!(kind, OpKind::CrossEntropy(_) | OpKind::LogSoftmax(_))
}

/// Returns true if all dimensions of an op are known to pass through.
///
/// Recogniser: for any other op, the rule is computed and examined.
fn only_passes_through(kind: &OpKind) -> bool {
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
