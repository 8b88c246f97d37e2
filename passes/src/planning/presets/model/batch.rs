//! Inference of the batch dimension.
//!
//! The batch is a dimension of inputs, or an inner factor of one: a program that accumulates gradients divides its
//! examples into micro-batches, `[micro-batches * batch, ...]` to `[micro-batches, batch, ...]`, and visits these in a
//! loop.

use super::examples::OnlyInput;
use super::{ModelStructure, Stem};
use crate::planning::name_dims::ClassId;
use crate::planning::presets::leading_dim::is_leading_dim;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::program::{Param, ParamKind};
use partita_ir::rule::{FactorKind, Rule};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

/// Number of 32-bit words of a key of random numbers in JAX.
const RANDOM_KEY_WORDS: usize = 2;

/// Required properties of the batch dimension of a forward function. No product contracts it unless stated.
#[derive(Clone, Copy)]
pub(super) enum BatchEvidence {
    /// The leading dimension of inputs, in at least half of the products.
    Leading,
    /// The leading dimension of inputs, or one along which no op combines elements, in at least half of the products.
    LeadingOrUnmixed,
    /// The leading dimension of inputs, along which no op combines elements, in a product.
    LeadingUnmixed,
    /// The leading dimension of inputs and outputs, in a product. Products may contract it, to dispatch tokens to
    /// experts.
    LeadingOfOutputs,
}

/// A batch dimension.
#[derive(Clone, PartialEq, Eq)]
struct Batch {
    stem: Stem,
    /// Stems of the dimensions of inputs that the program divides into micro-batches.
    divided: SmallVec<[Stem; 1]>,
}

impl Batch {
    /// Returns the stems of the dimensions of inputs with the examples.
    fn of_inputs(&self) -> &[Stem] {
        if self.divided.is_empty() { std::slice::from_ref(&self.stem) } else { &self.divided }
    }
}

impl ModelStructure<'_> {
    /// Infers the batch dimension from the inputs that are not parameters.
    pub(super) fn find_batch_of_data(&mut self, products: &[(OpId, Rule)]) {
        if let Some(Batch { stem, divided }) = self.batch_of_data(products) {
            (self.batch, self.divided_batches) = (Some(stem), divided);
        }
    }

    /// Infers the batch dimension of a program in which inputs with examples were taken for parameters: a target, from
    /// which a metric has the type of a gradient, and a state to which examples are added, like an update. Their first
    /// dimension is that of other inputs. If there is a batch without them, they become data.
    pub(super) fn find_batch_without_examples_as_params(&mut self, products: &[(OpId, Rule)], is_param: &mut [bool]) {
        let first = |v: ValueId| self.dims(v).next().filter(|(dim, _)| *dim == 0).map(|(_, stem)| stem);
        let of_data: FxHashSet<Stem> = self.data.iter().filter_map(|&v| first(v)).collect();
        let has_examples = |(input, _): &mut (ValueId, ValueId)| first(*input).is_some_and(|s| of_data.contains(&s));
        let (mut gradients, mut updates) = (self.gradients.clone(), self.updates.clone());
        let with_examples: Vec<(ValueId, ValueId)> =
            gradients.extract_if(.., has_examples).chain(updates.extract_if(.., has_examples)).collect();
        if with_examples.is_empty() {
            return;
        }
        let before = (self.params.clone(), self.data.clone());
        with_examples.iter().for_each(|(input, _)| is_param[input.index()] = false);
        self.divide_inputs(is_param);
        self.find_batch_of_data(products);
        if self.batch.is_some() {
            (self.gradients, self.updates) = (gradients, updates);
        } else {
            with_examples.iter().for_each(|(input, _)| is_param[input.index()] = true);
            (self.params, self.data) = before;
        }
    }

    /// Infers the batch dimension of a forward function without declared parameters.
    pub(super) fn batch_of_forward(&self, products: &[(OpId, Rule)], evidence: BatchEvidence) -> Option<Stem> {
        let inputs = self.program.inputs();
        let contracted = self.contracted(products, |_| true);
        let mixed = self.mixed();
        let dims = |&v: &ValueId| self.dims(v).filter(move |&(dim, _)| !self.is_random_key(v, dim));
        let mut candidates: Vec<Stem> = inputs.iter().flat_map(dims).map(|d| d.1).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let results: Vec<ValueId> =
            products.iter().filter_map(|(op, _)| self.program.ops[*op].outs.first().copied()).collect();
        let outputs = self.program.outputs();
        let leads_outputs = |stem: Stem| outputs.iter().any(|o| self.dim(o.value, stem) == Some(0));
        let rank = |stem: Stem| {
            let (is_leading, is_mixed) = (is_leading_dim(self, inputs, stem), mixed.contains(&stem));
            let count = results.iter().filter(|&&out| self.has_stem(out, stem)).count();
            let leads = results.iter().filter(|&&out| self.dim(out, stem) == Some(0)).count();
            let is_in_most = 2 * count >= products.len();
            let is_candidate = match evidence {
                BatchEvidence::Leading => is_leading && is_in_most,
                BatchEvidence::LeadingOrUnmixed => (is_leading || !is_mixed) && is_in_most,
                BatchEvidence::LeadingUnmixed => is_leading && !is_mixed,
                BatchEvidence::LeadingOfOutputs => is_leading && leads_outputs(stem),
            };
            let rank = (!is_mixed, is_leading, count, leads, std::cmp::Reverse(stem));
            let may_be_contracted = match evidence {
                BatchEvidence::LeadingOfOutputs => true,
                BatchEvidence::Leading | BatchEvidence::LeadingOrUnmixed | BatchEvidence::LeadingUnmixed => false,
            };
            let is_free = may_be_contracted || !contracted.contains(&stem);
            (is_candidate && count > 0 && is_free).then_some((rank, stem))
        };
        candidates.into_iter().filter_map(rank).max().map(|(_, stem)| stem)
    }

    /// Infers the batch dimension from the inputs that are not parameters. It is a dimension that no parameter has
    /// except constants (masks that an exporter has computed for its batch) and state of the model (caches of keys and
    /// values), preferably one over which most gradients are sums, then one that most of these inputs have, then one
    /// whose elements no loop visits one after the other (time steps, micro-batches), then the leading one of the
    /// others, then one that the forward pass does not contract, then the one that occurs in the most values.
    fn batch_of_data(&self, products: &[(OpId, Rule)]) -> Option<Batch> {
        let may_have_batch = |param: &&Param| match param.kind {
            ParamKind::Const => true,
            ParamKind::State => param.parent.is_none(),
            ParamKind::Trainable | ParamKind::Frozen => false,
        };
        let with_batch = self.program.params.values().filter(may_have_batch);
        let with_batch: FxHashSet<ValueId> = with_batch.map(|param| param.value).collect();
        let variable = self.params.iter().filter(|v| !with_batch.contains(v));
        let keys = |&v: &ValueId| self.dims(v).map(move |(dim, stem)| (self.dim_classes.class(v, dim), stem));
        let (param_classes, param_stems): (FxHashSet<ClassId>, FxHashSet<Stem>) = variable.flat_map(keys).unzip();
        let contracted = self.contracted(products, |op| self.is_forward(op));
        let mut uses: FxHashMap<Stem, usize> = FxHashMap::default();
        for &out in self.ops.iter().flat_map(|&op| &self.program.ops[op].outs) {
            self.dims(out).for_each(|(_, stem)| *uses.entry(stem).or_default() += 1);
        }
        let inner = self.inner_factors();
        let candidates_of = |sources: &[ValueId]| {
            let mut candidates: Vec<Batch> = Vec::new();
            for &value in sources {
                for (dim, stem) in self.dims(value).filter(|&(dim, _)| !self.is_random_key(value, dim)) {
                    // Experts are a factor of the tokens that are sorted by expert. A dimension of frozen weights that
                    // is a factor of one of trained weights does not lead all inputs.
                    let is_free = !param_classes.contains(&self.dim_classes.class(value, dim))
                        && (!param_stems.contains(&stem) || is_leading_dim(self, &self.data, stem));
                    let factors = inner.iter().filter(|batch| batch.divided.contains(&stem));
                    let factors = factors.filter(|batch| !param_stems.contains(&batch.stem)).cloned();
                    let whole = Some(Batch { stem, divided: SmallVec::new() }).filter(|_| is_free);
                    for candidate in whole.into_iter().chain(factors) {
                        if uses.contains_key(&candidate.stem) && !candidates.contains(&candidate) {
                            candidates.push(candidate);
                        }
                    }
                }
            }
            candidates
        };
        // Integers of 32 bits are no parameters, but may be the state of random numbers.
        let is_integer = |v: &&ValueId| !self.program.ty(**v).dtype.is_float();
        let integers: Vec<ValueId> = self.data.iter().filter(is_integer).copied().collect();
        let mut candidates = if self.params.is_empty() { candidates_of(&integers) } else { Vec::new() };
        if candidates.is_empty() {
            candidates = candidates_of(&self.data);
        }
        let visited = self.visited_by_loops();
        let has_examples = |&v: &ValueId, batch: &Batch| batch.of_inputs().iter().any(|&stem| self.has_stem(v, stem));
        let stems: Vec<Stem> = candidates.iter().map(|candidate| candidate.stem).collect();
        let summed = self.summed_in_gradients(&stems);
        // Attention sums over positions, too, in more values than over examples, which mostly are in the leading
        // dimension.
        let leads = |candidate: &Batch| {
            let before = |&v: &ValueId| self.dims(v).take_while(|(_, stem)| !candidate.of_inputs().contains(stem));
            let with_examples = self.data.iter().filter(|v| has_examples(v, candidate));
            let is_divided = |stem| inner.iter().any(|batch| batch.divided.contains(&stem));
            with_examples.flat_map(before).all(|(_, stem)| visited.contains(&stem) && !is_divided(stem))
        };
        let sums = |candidate: &Batch| summed.get(&candidate.stem).copied().unwrap_or_default();
        let most_sums = candidates.iter().filter(|c| leads(c)).map(sums).max().unwrap_or_default();
        let rank = |(i, candidate): &(usize, Batch)| {
            let stem = &candidate.stem;
            let inputs = self.data.iter().filter(|v| has_examples(v, candidate)).count();
            let is_summed = 2 * sums(candidate) > most_sums;
            let is_free = !contracted.contains(stem);
            (is_summed, inputs, !visited.contains(stem), leads(candidate), is_free, uses[stem], std::cmp::Reverse(*i))
        };
        candidates.into_iter().enumerate().max_by_key(rank).map(|(_, candidate)| candidate)
    }

    /// Returns the dimensions into which reshapes divide dimensions of data that loops visit, without the outermost.
    ///
    /// Recogniser: examples that another op divides into micro-batches are not found.
    fn inner_factors(&self) -> Vec<Batch> {
        let program = self.program;
        let (inputs, visited) = (self.inputs_of_values(), self.visited_by_loops());
        let is_data = |v: ValueId| matches!(inputs[v.index()], OnlyInput::One(input) if self.data.contains(&input));
        let mut found: Vec<Batch> = Vec::new();
        for op in self.ops.iter().map(|&id| &program.ops[id]) {
            let (OpKind::Reshape(_), &[operand], &[out]) = (&op.kind, &op.args[..], &op.outs[..]) else { continue };
            if !is_data(operand) || !self.dims(operand).any(|(_, stem)| visited.contains(&stem)) {
                continue;
            }
            let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
            for (dim, divided) in self.dims(operand).filter(|(_, stem)| visited.contains(stem)) {
                let factors = rule.args[0][dim].get(1..).unwrap_or_default();
                let is_inner =
                    |(dim, _): &(usize, Stem)| rule.outs[0][*dim].first().is_some_and(|f| factors.contains(f));
                for (_, stem) in self.dims(out).filter(is_inner) {
                    match found.iter_mut().find(|batch| batch.stem == stem) {
                        Some(batch) if batch.divided.contains(&divided) => {}
                        Some(batch) => batch.divided.push(divided),
                        None => found.push(Batch { stem, divided: smallvec![divided] }),
                    }
                }
            }
        }
        found
    }

    /// Returns true if a dimension of an input contains the two words of keys of random numbers.
    pub fn is_random_key(&self, value: ValueId, dim: usize) -> bool {
        let Type { dtype, shape } = self.program.ty(value);
        *dtype == DType::U32 && dim + 1 == shape.rank() && shape[dim] == RANDOM_KEY_WORDS
    }

    /// Returns the stems of the dimensions of which loop bodies read one element at a position that they compute.
    ///
    /// Recogniser: a dimension that a loop visits by another op may be the batch.
    fn visited_by_loops(&self) -> FxHashSet<Stem> {
        let program = self.program;
        let bodies = program.funcs_with_layouts().into_iter().filter(|&func| func != program.entry());
        let mut visited = FxHashSet::default();
        for op in bodies.flat_map(|func| program.funcs[func].ops()).map(|&id| &program.ops[id]) {
            if let (OpKind::DynamicSlice(_), &[operand, ..], &[out]) = (&op.kind, &op.args[..], &op.outs[..]) {
                let sizes = program.ty(operand).shape.iter().zip(program.ty(out).shape.iter()).enumerate();
                let dims = sizes.filter(|(_, (size, part))| **part == 1 && **size > 1);
                visited.extend(dims.map(|(dim, _)| self.stem(operand, dim)));
            }
        }
        visited
    }

    /// Returns the stems along which an op combines elements, other than to reduce a value to one number.
    fn mixed(&self) -> FxHashSet<Stem> {
        let program = self.program;
        let mut mixed = FxHashSet::default();
        for &id in &self.ops {
            let op = &program.ops[id];
            if op.kind.control().is_some() || super::only_passes_through(&op.kind) {
                continue;
            }
            let is_one_number = op.outs.iter().all(|&v| program.ty(v).shape.count() == 1);
            let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
            self.each_factor(id, &rule, |stem, kind| match kind {
                FactorKind::PassThrough => {}
                FactorKind::Reduce(_) if is_one_number => {}
                FactorKind::Reduce(_)
                | FactorKind::NeedReplication
                | FactorKind::Exchanged { .. }
                | FactorKind::Inner
                | FactorKind::Window(_)
                | FactorKind::Indexed => drop(mixed.insert(stem)),
            });
        }
        mixed
    }
}
