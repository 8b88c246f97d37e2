//! Roles of the inputs and outputs of a program: parameters, gradients, updates, data and its batch dimension.
//!
//! A program may declare its parameters. Those of an imported function are inferred from one of these structures, in
//! this order:
//! 1. A forward function: at least half of the products have a dimension of inputs in their results, and none contracts
//!    it. It is the leading dimension of these inputs, or no op combines elements along it and no output corresponds to
//!    an input. This dimension is the batch, and parameters are the inputs without it that are floats or quantised.
//! 2. A training step: outputs replace inputs element by element ([`updates`]). These inputs are parameters and state.
//! 3. A function that returns gradients: outputs have the types and dimensions of inputs, in their order. These inputs
//!    are parameters.
//! 4. Any other function: the batch is a leading dimension of inputs along which no op combines elements, or which
//!    outputs have too, or else it is inferred from all inputs. Parameters are as in a forward function.
//!
//! Inputs that outputs replace as the program states it, such as donated arguments, need not be parameters: this only
//! tells updates where the structure shows none.
//!
//! In a function that returns gradients, and in a training step, matrices without the batch are parameters, too, and so
//! are vectors along their dimensions, and inputs with the types of the parameters in the same order: the weights of
//! another model. Data may have several batches, over which gradients are sums (`examples`).

use super::{ModelStructure, Stem};
use crate::import::updates::{inferred_updates, is_increment, stated_updates, updates};
use crate::planning::name_dims::ClassId;
use crate::planning::presets::leading_dim::is_leading_dim;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::program::{Param, ParamKind};
use partita_ir::rule::{FactorKind, Rule};
use rustc_hash::{FxHashMap, FxHashSet};

/// Minimum number of inputs with the types of parameters that are the weights of another model.
const MIN_MODEL_INPUTS: usize = 3;

/// Number of 32-bit words of a key of random numbers in JAX.
const RANDOM_KEY_WORDS: usize = 2;

/// Required properties of the batch dimension of a forward function. No product contracts it unless stated.
#[derive(Clone, Copy)]
enum BatchEvidence {
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

impl ModelStructure<'_> {
    /// Divides the inputs into parameters and data, and finds updates, gradients and the batch dimension.
    pub(super) fn classify_inputs(&mut self, products: &[(OpId, Rule)]) {
        let program = self.program;
        let mut is_param = vec![false; program.values.len()];
        program.params.values().for_each(|p| is_param[p.value.index()] = true);
        if program.declares_params() {
            self.updates = updates(program);
            self.gradients = if self.updates.is_empty() { self.gradient_outputs(products) } else { Vec::new() };
            self.gradients.retain(|(input, _)| is_param[input.index()]);
            self.divide_inputs(&is_param);
            self.batch = self.batch_of_data(products);
            return;
        }
        let stated = stated_updates(program);
        let mut replaced = inferred_updates(program);
        let mut gradients = if replaced.is_empty() { self.gradient_outputs(products) } else { Vec::new() };
        // The new value of an input is no gradient.
        replaced.extend(gradients.extract_if(.., |pair| stated.contains(pair)));
        if replaced.is_empty() && gradients.is_empty() {
            replaced.clone_from(&stated);
        }
        let is_forward = replaced.is_empty() && gradients.is_empty();
        let leading = if is_forward { BatchEvidence::LeadingOrUnmixed } else { BatchEvidence::Leading };
        if let Some(batch) = self.batch_of_forward(products, leading) {
            self.batch = Some(batch);
            // Recurrent state and caches have the batch dimension.
            self.updates = replaced.into_iter().filter(|(input, _)| !self.has_stem(*input, batch)).collect();
            self.mark_weights_without(batch, |_| true, &mut is_param);
        } else {
            self.gradients = gradients;
            self.updates = replaced;
            self.updates.iter().chain(&self.gradients).for_each(|(v, _)| is_param[v.index()] = true);
            self.mark_other_models(&mut is_param);
        }
        self.divide_inputs(&is_param);
        if self.params.is_empty() && self.batch.is_none() && !products.is_empty() {
            self.batch = self.batch_of_forward(products, BatchEvidence::LeadingUnmixed);
            self.batch = self.batch.or_else(|| self.batch_of_forward(products, BatchEvidence::LeadingOfOutputs));
        }
        if self.batch.is_none() {
            self.batch = self.batch_of_data(products);
        }
        if self.batch.is_none() {
            self.batch = self.batch_without_examples_as_params(products, &mut is_param);
        }
        // Inputs without examples are weights, also if the function does not differentiate with respect to them.
        if let Some(batch) = self.batch.filter(|_| !products.is_empty()) {
            self.other_batches = self.other_batches(batch, products, &is_param);
            let has_examples = |v: ValueId| self.other_batches.iter().any(|&other| self.dim(v, other) == Some(0));
            let is_matrix = |v: ValueId| program.ty(v).shape.rank() >= 2 && !has_examples(v);
            let is_weight = |v: &&ValueId| is_matrix(**v) || self.params.is_empty();
            self.mark_weights_without(batch, is_weight, &mut is_param);
            self.divide_inputs(&is_param);
            // A vector along a dimension of weights is one, too, such as the bias of a frozen layer.
            let of_weights: FxHashSet<Stem> = self.params.iter().flat_map(|&v| self.dims(v)).map(|d| d.1).collect();
            let is_along_weights = |v: &&ValueId| {
                program.ty(**v).shape.rank() == 1 && self.dims(**v).all(|(_, stem)| of_weights.contains(&stem))
            };
            self.mark_weights_without(batch, is_along_weights, &mut is_param);
            self.divide_inputs(&is_param);
        }
        let new: FxHashSet<ValueId> =
            self.updates.iter().chain(&self.gradients).flat_map(|&(v, new)| [v, new]).collect();
        let is_new = |(input, output): &(ValueId, ValueId)| !new.contains(input) && !new.contains(output);
        self.updates.extend(stated.into_iter().filter(|pair| is_param[pair.0.index()] && is_new(pair)));
    }

    /// Marks inputs as parameters that have the types of other parameters in the same order, floats and matrices among
    /// them: the weights of a reference, target or teacher model, which the step does not change.
    fn mark_other_models(&self, is_param: &mut [bool]) {
        let program = self.program;
        let inputs = program.inputs();
        let starts: Vec<usize> = (0..inputs.len())
            .filter(|&at| is_param[inputs[at].index()] && (at == 0 || !is_param[inputs[at - 1].index()]))
            .collect();
        let trained: Vec<bool> = inputs.iter().map(|v| is_param[v.index()]).collect();
        let mut at = 0;
        while at < inputs.len() {
            let equal_from = |&start: &usize| {
                let pairs = (start..inputs.len()).zip(at..inputs.len());
                let is_equal = |&(of_params, of_data): &(usize, usize)| {
                    trained[of_params]
                        && !trained[of_data]
                        && program.ty(inputs[of_params]) == program.ty(inputs[of_data])
                };
                pairs.take_while(is_equal).count()
            };
            let count = starts.iter().map(equal_from).max().unwrap_or(0);
            let others = &inputs[at..at + count];
            let has_matrix = others.iter().any(|&v| program.ty(v).dtype.is_float() && program.ty(v).shape.rank() > 1);
            if count >= MIN_MODEL_INPUTS && has_matrix {
                others.iter().for_each(|v| is_param[v.index()] = true);
                at += count;
            } else {
                at += 1;
            }
        }
    }

    /// Infers the batch dimension of a program in which inputs with examples were taken for parameters: a target, from
    /// which a metric has the type of a gradient, and a state to which examples are added, like an update. Their first
    /// dimension is that of other inputs. If there is a batch without them, they become data.
    fn batch_without_examples_as_params(&mut self, products: &[(OpId, Rule)], is_param: &mut [bool]) -> Option<Stem> {
        let first = |v: ValueId| self.dims(v).next().filter(|(dim, _)| *dim == 0).map(|(_, stem)| stem);
        let of_data: FxHashSet<Stem> = self.data.iter().filter_map(|&v| first(v)).collect();
        let has_examples = |(input, _): &mut (ValueId, ValueId)| first(*input).is_some_and(|s| of_data.contains(&s));
        let (mut gradients, mut updates) = (self.gradients.clone(), self.updates.clone());
        let with_examples: Vec<(ValueId, ValueId)> =
            gradients.extract_if(.., has_examples).chain(updates.extract_if(.., has_examples)).collect();
        if with_examples.is_empty() {
            return None;
        }
        let before = (self.params.clone(), self.data.clone());
        with_examples.iter().for_each(|(input, _)| is_param[input.index()] = false);
        self.divide_inputs(is_param);
        let batch = self.batch_of_data(products);
        if batch.is_some() {
            (self.gradients, self.updates) = (gradients, updates);
        } else {
            with_examples.iter().for_each(|(input, _)| is_param[input.index()] = true);
            (self.params, self.data) = before;
        }
        batch
    }

    /// Marks the selected inputs without the batch dimension as parameters, if they have a type of weights.
    fn mark_weights_without(&self, batch: Stem, is_selected: impl Fn(&&ValueId) -> bool, is_param: &mut [bool]) {
        let is_weight = |v: &&ValueId| may_be_weight(self.program.ty(**v).dtype) && !self.has_stem(**v, batch);
        let weights = self.program.inputs().iter().filter(is_weight).filter(is_selected);
        weights.for_each(|v| is_param[v.index()] = true);
    }

    fn divide_inputs(&mut self, is_param: &[bool]) {
        (self.params, self.data) = self.program.inputs().iter().copied().partition(|v| is_param[v.index()]);
    }

    /// Infers the batch dimension of a forward function without declared parameters.
    fn batch_of_forward(&self, products: &[(OpId, Rule)], evidence: BatchEvidence) -> Option<Stem> {
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
    /// whose elements no loop visits one after the other (time steps), then their leading one, then one that the
    /// forward pass does not contract, then the one that occurs in the most values.
    fn batch_of_data(&self, products: &[(OpId, Rule)]) -> Option<Stem> {
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
        let candidates_of = |sources: &[ValueId]| {
            let mut candidates: Vec<Stem> = Vec::new();
            for &value in sources {
                for (dim, stem) in self.dims(value).filter(|&(dim, _)| !self.is_random_key(value, dim)) {
                    // Experts are a factor of the tokens that are sorted by expert. A dimension of frozen weights that
                    // is a factor of one of trained weights does not lead all inputs.
                    let is_free = !param_classes.contains(&self.dim_classes.class(value, dim))
                        && (!param_stems.contains(&stem) || is_leading_dim(self, &self.data, stem));
                    if is_free && uses.contains_key(&stem) && !candidates.contains(&stem) {
                        candidates.push(stem);
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
        let summed = self.summed_in_gradients(&candidates);
        // Attention sums over positions, too, in more values than over examples, which mostly are in the leading
        // dimension.
        let leading = candidates.iter().filter(|&&stem| is_leading_dim(self, &self.data, stem));
        let most_sums = leading.filter_map(|stem| summed.get(stem)).max().copied().unwrap_or_default();
        let rank = |&(i, stem): &(usize, Stem)| {
            let inputs = self.data.iter().filter(|&&v| self.has_stem(v, stem)).count();
            let leads = is_leading_dim(self, &self.data, stem);
            let is_free = !contracted.contains(&stem);
            let is_summed = summed.get(&stem).is_some_and(|&sums| 2 * sums > most_sums);
            (is_summed, inputs, !visited.contains(&stem), leads, is_free, uses[&stem], std::cmp::Reverse(i))
        };
        candidates.into_iter().enumerate().max_by_key(rank).map(|(_, stem)| stem)
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

    /// Returns the gradients among the outputs, each with its parameter: outputs with the types and dimensions of
    /// inputs, in the order of the inputs. The last outputs are paired first, since a loss and metrics precede
    /// gradients. A function without products and a loss has none: it computes the next state of its inputs. A forward
    /// model has none.
    fn gradient_outputs(&self, products: &[(OpId, Rule)]) -> Vec<(ValueId, ValueId)> {
        if self.program.is_forward {
            return Vec::new();
        }
        let (inputs, outputs) = (self.program.inputs(), self.program.outputs());
        let of_inputs: FxHashSet<Stem> = inputs.iter().flat_map(|&v| self.dims(v)).map(|d| d.1).collect();
        let returned: FxHashSet<ValueId> = inputs.iter().copied().collect();
        let mut pairs: Vec<(ValueId, ValueId)> = Vec::new();
        let mut end = inputs.len();
        for output in outputs.iter().rev().map(|o| o.value).filter(|v| !returned.contains(v)) {
            if let Some(at) = inputs[..end].iter().rposition(|&v| self.has_dims_of(output, v, &of_inputs)) {
                end = at;
                pairs.push((inputs[at], output));
            }
        }
        pairs.reverse();
        // One scalar output is a loss.
        let is_scalar = |pair: &(ValueId, ValueId)| self.program.ty(pair.0).shape.rank() == 0;
        let is_loss = outputs.len() == pairs.len() && pairs.iter().all(is_scalar);
        let is_residual = outputs.len() == 1 && pairs.iter().any(|&(input, output)| self.is_residual(input, output));
        let is_next_state = products.is_empty() && pairs.len() == outputs.len();
        if is_loss || is_residual || is_next_state { Vec::new() } else { pairs }
    }

    /// Returns true if an output is the sum of an input and of a function of it, as in a block of a network. In a step
    /// of gradient descent, all other inputs have the same first dimension, the batch.
    fn is_residual(&self, input: ValueId, output: ValueId) -> bool {
        let others = self.program.inputs().iter().filter(|&&v| v != input && self.program.ty(v).shape.rank() > 0);
        let first: FxHashSet<Stem> = others.map(|&v| self.stem(v, 0)).collect();
        first.len() != 1 && is_increment(self.program, input, output)
    }

    /// Returns true if an output has the type of an input, and its dimensions except for those that no input has, such
    /// as the rows of the gradient of an embedding.
    fn has_dims_of(&self, output: ValueId, input: ValueId, of_inputs: &FxHashSet<Stem>) -> bool {
        let ty = self.program.ty(input);
        ty.dtype.is_float()
            && ty == self.program.ty(output)
            && self.dims(output).all(|(dim, stem)| stem == self.stem(input, dim) || !of_inputs.contains(&stem))
    }

    /// Returns the stems that the selected products contract.
    fn contracted(&self, products: &[(OpId, Rule)], is_selected: impl Fn(OpId) -> bool) -> FxHashSet<Stem> {
        let selected = products.iter().filter(|(op, _)| is_selected(*op));
        selected.flat_map(|(op, rule)| self.reduced(*op, rule)).collect()
    }

    /// Returns the stems that an op reduces.
    pub(super) fn reduced(&self, op: OpId, rule: &Rule) -> FxHashSet<Stem> {
        let mut reduced = FxHashSet::default();
        self.each_factor(op, rule, |stem, kind| match kind {
            FactorKind::Reduce(_) => drop(reduced.insert(stem)),
            FactorKind::PassThrough
            | FactorKind::NeedReplication
            | FactorKind::Exchanged { .. }
            | FactorKind::Inner
            | FactorKind::Window(_)
            | FactorKind::Indexed => {}
        });
        reduced
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

    /// Calls `visit` for each factor of the dimensions of an op's operands, with the stem of the dimension.
    fn each_factor(&self, op: OpId, rule: &Rule, mut visit: impl FnMut(Stem, FactorKind)) {
        for (map, &arg) in rule.args.iter().zip(&self.program.ops[op].args) {
            for (dim, factors) in map.iter().enumerate() {
                factors.iter().for_each(|&f| visit(self.stem(arg, dim), rule.kind(f)));
            }
        }
    }
}

/// Returns true for the types of weights: floats, and the integers of quantised weights.
fn may_be_weight(dtype: DType) -> bool {
    dtype.is_float() || dtype.is_int() && dtype.bits() <= 8
}
