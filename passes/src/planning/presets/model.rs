//! Structure of a model as seen by presets: its parameters, its batch dimension, and its products of a parameter and an
//! activation. All of it is inferred from the graph; names are ignored.
//!
//! Dimensions are identified by their stems ([`DimClasses::stems`]): dimensions that one axis can shard consistently,
//! also through reshapes.
//!
//! Parameters are declared by the program, or else inferred; see `inputs`.

mod batch;
mod examples;
mod inputs;
mod roles;

use crate::planning::name_dims::DimClasses;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, ParamKind, Phase, Program};
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
    dim_classes: &'a DimClasses,
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
    /// Parameters of a function that returns gradients, each with its gradient.
    pub gradients: Vec<(ValueId, ValueId)>,
    /// Inputs that are not parameters, in order.
    pub data: Vec<ValueId>,
    /// Batch dimension: the one along which examples are independent.
    pub batch: Option<Stem>,
    /// Dimensions of inputs that the program divides into micro-batches and visits in a loop, so that the batch is an
    /// inner factor of them.
    divided_batches: SmallVec<[Stem; 1]>,
    /// Batch dimensions of inputs that do not have the batch, whose examples are independent of those of the batch.
    pub other_batches: Vec<Stem>,
    /// Activations that are drawn from a key of random numbers, each with its batch, which no input has.
    pub drawn: Vec<(ValueId, Stem)>,
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
            dim_classes: classes,
            stems: classes.stems(),
            first_dims: classes.first_dims(),
            min_sizes: FxHashMap::default(),
            ops: Vec::with_capacity(program.ops.len()),
            roles: vec![ValueRole::Constant; program.values.len()],
            roots: vec![None; program.values.len()],
            params: Vec::new(),
            updates: Vec::new(),
            gradients: Vec::new(),
            data: Vec::new(),
            batch: None,
            divided_batches: SmallVec::new(),
            other_batches: Vec::new(),
            drawn: Vec::new(),
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

    /// Returns the dimension of an input that contains the examples.
    pub fn examples_dim(&self, input: ValueId) -> Option<usize> {
        let of_inputs = self.batch.iter().chain(&self.divided_batches);
        of_inputs.filter_map(|&stem| self.dim(input, stem)).next()
    }

    /// Returns the values in which the batch becomes a dimension, each with its position, if the program divides the
    /// examples of inputs into micro-batches.
    pub fn micro_batches(&self) -> Vec<(ValueId, usize)> {
        let Some(batch) = self.batch else { return Vec::new() };
        let ops = self.ops.iter().map(|&op| &self.program.ops[op]);
        let is_division = |op: &&Op| {
            let has = |stem: Stem| op.args.iter().any(|&arg| self.has_stem(arg, stem));
            self.divided_batches.iter().any(|&stem| has(stem)) && !has(batch)
        };
        let results = ops.filter(is_division).flat_map(|op| &op.outs);
        results.filter_map(|&out| Some((out, self.dim(out, batch)?))).collect()
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

    /// Returns true if no op outside the update reads an input, as with the state of an optimizer.
    pub fn is_read_by_update_only(&self, input: ValueId) -> bool {
        let mut ops = self.ops.iter().map(|&op| &self.program.ops[op]);
        !ops.any(|op| op.phase != Phase::Update && op.args.contains(&input))
    }

    /// Describes the inputs and outputs in a few words, for messages.
    pub fn summary(&self) -> String {
        let (params, data) = (self.params.len(), self.data.len());
        let plural = |n: usize| if n == 1 { "" } else { "s" };
        let origin = if !self.program.declares_params() && params > 0 { ", inferred from its structure," } else { "" };
        let size = self.batch.map(|stem| format!("a batch of {}", self.min_size(stem)));
        let batch = size.unwrap_or_else(|| "no batch dimension".to_owned());
        let returned = match (self.updates.len(), self.gradients.len()) {
            (0, 0) => "returns neither gradients nor updates".to_owned(),
            (0, n) => format!("returns the gradients of {n} parameter{}", plural(n)),
            (n, _) => format!("updates {n} input{}", plural(n)),
        };
        format!(
            "{params} parameter{}{origin} and {data} other input{}, {batch}, and {returned}",
            plural(params),
            plural(data)
        )
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
                (ValueRole::Constant, _) | (_, ValueRole::Constant) => continue,
                (ValueRole::Weight, ValueRole::Weight) | (ValueRole::Data, ValueRole::Data) => continue,
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
    pub fn stems_of(&self, op: &Op, rule: &Rule, arg: usize, is: impl Fn(FactorId) -> bool) -> SmallVec<[Stem; 2]> {
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
                            (FactorKind::Indexed, ValueRole::Constant | ValueRole::Data) => {}
                            (FactorKind::PassThrough | FactorKind::Window(_), _) => {}
                            (FactorKind::Reduce(_), ValueRole::Data) if is_one_number => {}
                            (
                                FactorKind::Inner
                                | FactorKind::NeedReplication
                                | FactorKind::Exchanged { .. }
                                | FactorKind::Reduce(_),
                                ValueRole::Data,
                            ) => {
                                self.costly_stems.insert(stem);
                                if is_of_classes && kind == FactorKind::Inner {
                                    self.classes.insert(stem);
                                }
                            }
                            (
                                FactorKind::Inner
                                | FactorKind::NeedReplication
                                | FactorKind::Exchanged { .. }
                                | FactorKind::Reduce(_),
                                ValueRole::Constant | ValueRole::Weight,
                            ) => {}
                        }
                    }
                }
            }
        }
    }
}

/// Returns the inputs of a program that are parameters or their state, in order: the declared ones, or those inferred
/// from its structure if it declares none.
pub(crate) fn param_inputs(program: &Program) -> Vec<ValueId> {
    if program.declares_params() {
        return program.params.values().map(|param| param.value).collect();
    }
    ModelStructure::new(program, &DimClasses::new(program)).params
}

/// Returns the kinds of the inputs that are parameters or their state: the declared ones, or those inferred from the
/// structure of a program that declares none. An inferred parameter that only the update reads is state.
pub fn param_kinds(program: &Program) -> FxHashMap<ValueId, ParamKind> {
    if program.declares_params() {
        return program.param_kinds();
    }
    let classes = DimClasses::new(program);
    let model = ModelStructure::new(program, &classes);
    let kind = |&param: &ValueId| match model.is_read_by_update_only(param) {
        true => (param, ParamKind::State),
        false => (param, ParamKind::Trainable),
    };
    model.params.iter().map(kind).collect()
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
