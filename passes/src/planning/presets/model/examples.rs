//! Dimensions of examples, as gradients show them.

use super::{ModelStructure, Stem};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::dtype::Shape;
use partita_ir::rule::Rule;
use rustc_hash::{FxHashMap, FxHashSet};

/// Maximum rank of a sum that is compared with the shapes of matrices.
const MAX_RANK: usize = 5;

/// Inputs that a value is computed from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnlyInput {
    /// No inputs.
    None,
    /// One input.
    One(ValueId),
    /// Several inputs, or the value is a sum of products.
    Several,
}

impl OnlyInput {
    fn and(self, other: OnlyInput) -> OnlyInput {
        match (self, other) {
            (OnlyInput::None, only) | (only, OnlyInput::None) => only,
            (OnlyInput::One(a), OnlyInput::One(b)) if a == b => self,
            (OnlyInput::One(_) | OnlyInput::Several, OnlyInput::One(_) | OnlyInput::Several) => OnlyInput::Several,
        }
    }
}

impl ModelStructure<'_> {
    /// Finds the batches of data without the batch: leading dimensions of inputs that are multiplied by parameters, or
    /// are integers, over which gradients are sums, and which few values have together with the batch. Examples are the
    /// noise of a generator beside images, or points on a boundary beside those inside. Noise may also be drawn from a
    /// key.
    pub(super) fn find_other_batches(&mut self, products: &[(OpId, Rule)], is_param: &[bool]) {
        let summed = self.summed_in_gradients(self.batch.as_slice());
        let inputs = self.inputs_of_values();
        let leading = |v: ValueId| self.dims(v).next().filter(|(dim, _)| *dim == 0).map(|(_, stem)| stem);
        let is_of_input = |stem: Stem| self.program.inputs().iter().any(|&v| self.has_stem(v, stem));
        let mut found: Vec<Stem> = Vec::new();
        let mut drawn: Vec<(ValueId, Stem)> = Vec::new();
        for (op, _) in products {
            let &[a, b] = &self.program.ops[*op].args[..] else { continue };
            let (OnlyInput::One(of_a), OnlyInput::One(of_b)) = (inputs[a.index()], inputs[b.index()]) else { continue };
            let (operand, data) = match (is_param[of_a.index()], is_param[of_b.index()]) {
                (false, true) => (a, of_a),
                (true, false) => (b, of_b),
                (true, true) | (false, false) => continue,
            };
            if self.examples_dim(data).is_some() {
                continue;
            }
            let is_summed = |stem: &Stem| summed.contains_key(stem);
            found.extend(leading(data).filter(is_summed).filter(|stem| !found.contains(stem)));
            let of_operand = leading(operand).filter(is_summed).filter(|&stem| !is_of_input(stem));
            drawn.extend(of_operand.map(|stem| (operand, stem)));
        }
        // Integers are indices of examples, such as the edges of a graph.
        for &data in
            self.data.iter().filter(|&&v| !self.program.ty(v).dtype.is_float() && self.examples_dim(v).is_none())
        {
            found.extend(leading(data).filter(|stem| summed.contains_key(stem) && !found.contains(stem)));
        }
        let results = || self.ops.iter().flat_map(|&op| &self.program.ops[op].outs);
        let is_separate = |stem: Stem| {
            let with_stem = results().filter(|&&v| self.has_stem(v, stem));
            let with_both = with_stem.clone().filter(|&&v| self.batch.is_some_and(|batch| self.has_stem(v, batch)));
            2 * with_both.count() < with_stem.count()
        };
        found.retain(|&stem| is_separate(stem));
        drawn.retain(|&(_, stem)| is_separate(stem));
        (self.other_batches, self.drawn) = (found, drawn);
    }

    /// Returns, for each value, the only input that it is computed from element by element, by moving elements, or as
    /// random numbers.
    pub(super) fn inputs_of_values(&self) -> Vec<OnlyInput> {
        let program = self.program;
        let mut only = vec![OnlyInput::Several; program.values.len()];
        program.inputs().iter().for_each(|&v| only[v.index()] = OnlyInput::One(v));
        for op in self.ops.iter().map(|&id| &program.ops[id]) {
            let is_integer = |&arg: &ValueId| !program.ty(arg).dtype.is_float();
            let keeps = match op.kind.class() {
                Class::Elementwise | Class::Movement | Class::Source(_) | Class::Random => true,
                // Rounds of a generator of random numbers.
                Class::Control(_) => op.args.iter().all(is_integer),
                Class::Indexing | Class::Product | Class::Attention(_) | Class::Reduction => false,
                Class::Sorting | Class::LinearAlgebra | Class::Normalisation | Class::Update => false,
                Class::Opaque(_) | Class::Layout(_) | Class::Device(_) | Class::Collective(_) => false,
            };
            let from = op.args.iter().map(|arg| only[arg.index()]).fold(OnlyInput::None, OnlyInput::and);
            op.outs.iter().for_each(|out| only[out.index()] = if keeps { from } else { OnlyInput::Several });
        }
        only
    }

    /// Returns, for each stem, the number of sums over it that have the shape of a trained parameter, also with its
    /// dimensions in another order, or divided into heads. All gradients are sums over the examples. The widths of
    /// frozen layers are not summed in them, although most inputs may have them. If no sum is over one of the
    /// candidates, sums with the shapes of other matrices count, to which trained ones are added. Empty without
    /// gradients.
    pub(super) fn summed_in_gradients(&self, candidates: &[Stem]) -> FxHashMap<Stem, usize> {
        let program = self.program;
        let trained: Vec<ValueId> = self.updates.iter().chain(&self.gradients).map(|&(input, _)| input).collect();
        if trained.is_empty() {
            return FxHashMap::default();
        }
        let is_vector = |v: &ValueId| program.ty(*v).shape.rank() > 0;
        let summed = self.sums_like(trained.iter().copied().filter(is_vector));
        if candidates.iter().any(|stem| summed.contains_key(stem)) {
            return summed;
        }
        let is_matrix = |v: &ValueId| program.ty(*v).shape.rank() > 1;
        self.sums_like(program.inputs().iter().copied().filter(is_matrix))
    }

    /// Returns, for each stem, the number of sums over it that have the shape of one of the given floats.
    fn sums_like(&self, weights: impl Iterator<Item = ValueId>) -> FxHashMap<Stem, usize> {
        let program = self.program;
        let weights = weights.filter(|&v| program.ty(v).dtype.is_float());
        let shapes: FxHashSet<Shape> = weights.map(|v| sorted(&program.ty(v).shape)).collect();
        let mut summed: FxHashMap<Stem, usize> = FxHashMap::default();
        for &id in &self.ops {
            let op = &program.ops[id];
            let is_sum = !super::only_passes_through(&op.kind) && op.kind.control().is_none();
            if !is_sum || !op.outs.iter().any(|&out| is_like(&program.ty(out).shape, &shapes)) {
                continue;
            }
            let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
            self.reduced(id, &rule).into_iter().for_each(|stem| *summed.entry(stem).or_default() += 1);
        }
        summed
    }
}

/// Returns true if a shape, perhaps after merging adjacent dimensions, is one of the given shapes with sorted sizes.
fn is_like(shape: &Shape, sorted_shapes: &FxHashSet<Shape>) -> bool {
    let merged = |dim: usize| {
        let mut merged = shape.clone();
        merged.0[dim] *= merged.0[dim + 1];
        merged.0.remove(dim + 1);
        is_like(&merged, sorted_shapes)
    };
    let is_equal = sorted_shapes.contains(&sorted(shape));
    is_equal || (3..=MAX_RANK).contains(&shape.rank()) && (0..shape.rank() - 1).any(merged)
}

fn sorted(shape: &Shape) -> Shape {
    let mut sizes = shape.clone();
    sizes.0.sort_unstable();
    sizes
}
