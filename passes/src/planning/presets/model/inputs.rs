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

use super::batch::BatchEvidence;
use super::{ModelStructure, Stem};
use crate::import::updates::{inferred_updates, is_increment, stated_updates, updates};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::rule::{FactorKind, Rule};
use rustc_hash::FxHashSet;

/// Minimum number of inputs with the types of parameters that are the weights of another model.
const MIN_MODEL_INPUTS: usize = 3;

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
            self.find_batch_of_data(products);
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
            self.mark_weights(|_| true, &mut is_param);
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
            self.find_batch_of_data(products);
        }
        if self.batch.is_none() {
            self.find_batch_without_examples_as_params(products, &mut is_param);
        }
        // Inputs without examples are weights, also if the function does not differentiate with respect to them.
        if self.batch.is_some() && !products.is_empty() {
            self.find_other_batches(products, &is_param);
            let has_examples = |v: ValueId| self.other_batches.iter().any(|&other| self.dim(v, other) == Some(0));
            let is_matrix = |v: ValueId| program.ty(v).shape.rank() >= 2 && !has_examples(v);
            let is_weight = |v: &&ValueId| is_matrix(**v) || self.params.is_empty();
            self.mark_weights(is_weight, &mut is_param);
            self.divide_inputs(&is_param);
            // A vector along a dimension of weights is one, too, such as the bias of a frozen layer.
            let of_weights: FxHashSet<Stem> = self.params.iter().flat_map(|&v| self.dims(v)).map(|d| d.1).collect();
            let is_along_weights = |v: &&ValueId| {
                program.ty(**v).shape.rank() == 1 && self.dims(**v).all(|(_, stem)| of_weights.contains(&stem))
            };
            self.mark_weights(is_along_weights, &mut is_param);
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

    /// Marks the selected inputs without examples as parameters, if they have a type of weights.
    fn mark_weights(&self, is_selected: impl Fn(&&ValueId) -> bool, is_param: &mut [bool]) {
        let is_weight = |v: &&ValueId| may_be_weight(self.program.ty(**v).dtype) && self.examples_dim(**v).is_none();
        let weights = self.program.inputs().iter().filter(is_weight).filter(is_selected);
        weights.for_each(|v| is_param[v.index()] = true);
    }

    pub(super) fn divide_inputs(&mut self, is_param: &[bool]) {
        (self.params, self.data) = self.program.inputs().iter().copied().partition(|v| is_param[v.index()]);
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
    pub(super) fn contracted(&self, products: &[(OpId, Rule)], is_selected: impl Fn(OpId) -> bool) -> FxHashSet<Stem> {
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

    /// Calls `visit` for each factor of the dimensions of an op's operands, with the stem of the dimension.
    pub(super) fn each_factor(&self, op: OpId, rule: &Rule, mut visit: impl FnMut(Stem, FactorKind)) {
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
