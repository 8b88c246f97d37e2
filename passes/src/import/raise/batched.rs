//! Gathers and scatters whose index vectors contain positions in a dimension of the indices, as in `x[arange(n), i]`:
//! that dimension becomes a batch dimension, along which they can be partitioned.
//!
//! Recogniser: an op with other indices is left unchanged.

use super::composites::Composite;
use super::label::{component_of, iota_dim};
use super::pattern::{Match, Term};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::op::OpKind;
use partita_ir::ops::{Constant, Gather, Literal, Scatter};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Matches a gather of single elements along a dimension of the operand at the positions of the indices.
pub fn batched_gather(m: &mut Match<'_>) -> Option<Composite> {
    let (id, op) = m.root_op()?;
    let (OpKind::Gather(gather), &[operand, indices]) = (&op.kind, &op.args[..]) else { return None };
    let can_be_batch = |d: usize| gather.slice_sizes[d] == 1 && gather.collapsed_dims.contains(&d);
    let vectors = IndexComponents { indices, map: &gather.index_map, dim: gather.index_vector_dim };
    let split = vectors.without_positions(m, operand, can_be_batch)?;
    let mut new = Gather::clone(gather);
    new.collapsed_dims.retain(|d| !split.operand_batch.contains(d));
    (new.operand_batch_dims, new.index_batch_dims) =
        joined([&gather.operand_batch_dims, &split.operand_batch], [&gather.index_batch_dims, &split.index_batch]);
    new.index_map = split.map;
    m.consumed.push(id);
    Some(indexed(m, (new.into(), vectors), (operand, split.components, None)))
}

/// Matches a scatter of single elements along a dimension of the operand at the positions of the indices.
pub fn batched_scatter(m: &mut Match<'_>) -> Option<Composite> {
    let (id, op) = m.root_op()?;
    let (OpKind::Scatter(scatter), &[operand, indices, updates]) = (&op.kind, &op.args[..]) else { return None };
    let can_be_batch = |d: usize| scatter.inserted_dims.contains(&d);
    let vectors = IndexComponents { indices, map: &scatter.index_map, dim: scatter.index_vector_dim };
    let split = vectors.without_positions(m, operand, can_be_batch)?;
    let mut new = Scatter::clone(scatter);
    new.inserted_dims.retain(|d| !split.operand_batch.contains(d));
    (new.operand_batch_dims, new.index_batch_dims) =
        joined([&scatter.operand_batch_dims, &split.operand_batch], [&scatter.index_batch_dims, &split.index_batch]);
    new.index_map = split.map;
    m.consumed.push(id);
    Some(indexed(m, (new.into(), vectors), (operand, split.components, Some(updates))))
}

/// Index vectors along a dimension of the indices. Component `c` addresses dimension `map[c]` of the operand.
struct IndexComponents<'g> {
    indices: ValueId,
    map: &'g Dims,
    dim: usize,
}

/// A component of index vectors, with an index vector dimension of size 1.
#[derive(Clone)]
enum Component {
    /// A value.
    Value(ValueId),
    /// Numbers in row-major order.
    Numbers(Vec<Scalar>),
}

/// Index vectors without the components that are positions.
struct OtherComponents {
    /// The components, and the dimensions of the operand they address.
    components: Vec<Component>,
    map: Dims,
    /// The dimensions of the operand that are addressed by position, and the dimensions of the indices they equal.
    operand_batch: Dims,
    index_batch: Dims,
}

impl IndexComponents<'_> {
    /// Returns the other components, if there are any besides positions in dimensions for which `can_be_batch` is true.
    fn without_positions(
        &self,
        m: &mut Match<'_>,
        operand: ValueId,
        can_be_batch: impl Fn(usize) -> bool,
    ) -> Option<OtherComponents> {
        if self.map.len() < 2 {
            return None;
        }
        let mut split = OtherComponents {
            components: Vec::new(),
            map: Dims::new(),
            operand_batch: Dims::new(),
            index_batch: Dims::new(),
        };
        let (shape, index) = (&m.ty(operand).shape, &m.ty(self.indices).shape);
        for (number, &d) in self.map.iter().enumerate() {
            let (component, position) = self.component(m, number)?;
            let is_last = number + 1 == self.map.len() && split.components.is_empty();
            match position {
                Some(i) if !is_last && index[i] == shape[d] && can_be_batch(d) && !split.index_batch.contains(&i) => {
                    split.operand_batch.push(d);
                    split.index_batch.push(i);
                }
                _ => {
                    split.components.push(component);
                    split.map.push(d);
                }
            }
        }
        (!split.operand_batch.is_empty()).then_some(split)
    }

    /// Returns a component, and the dimension of the indices that it is the position in.
    fn component(&self, m: &mut Match<'_>, number: usize) -> Option<(Component, Option<usize>)> {
        if let Some((_, op)) = m.definition(self.indices)
            && let OpKind::Constant(Constant { value: Literal::Dense(all) }) = &op.kind
        {
            let shape = &m.ty(self.indices).shape;
            let stride = shape.strides()[self.dim];
            let of_component = |(at, _): &(usize, &Scalar)| at / stride % shape[self.dim] == number;
            let numbers: Vec<(usize, &Scalar)> = all.iter().enumerate().filter(of_component).collect();
            let is_position = |&d: &usize| {
                let at = |at: usize| at / shape.strides()[d] % shape[d];
                d != self.dim && numbers.iter().all(|&(i, x)| x.to_i64() == at(i) as i64)
            };
            let position = (0..shape.rank()).find(is_position);
            return Some((Component::Numbers(numbers.into_iter().map(|(_, x)| *x).collect()), position));
        }
        let part = component_of(m, self.indices, (self.dim, self.map.len()), number)?;
        Some((Component::Value(part), m.without_consuming(|m| iota_dim(m, part))))
    }
}

/// Returns batch dimensions of the operand in order, and the dimensions of the indices they correspond to.
fn joined(of_operand: [&Dims; 2], of_indices: [&Dims; 2]) -> (Dims, Dims) {
    let all = |dims: [&Dims; 2]| dims.into_iter().flatten().copied().collect::<Vec<usize>>();
    let mut pairs: Vec<(usize, usize)> = all(of_operand).into_iter().zip(all(of_indices)).collect();
    pairs.sort_unstable();
    pairs.into_iter().unzip()
}

/// Returns the op on the operand, index vectors of these components, and updates.
fn indexed(
    m: &mut Match<'_>,
    (kind, vectors): (OpKind, IndexComponents<'_>),
    (operand, components, updates): (ValueId, Vec<Component>, Option<ValueId>),
) -> Composite {
    if let [Component::Value(only)] = components[..] {
        let args = [operand, only].into_iter().chain(updates);
        return Composite::one(kind, args.map(|value| Term::new(value, 0)));
    }
    let result = m.root(0);
    let ty = m.ty(result.value).clone();
    let mut part = m.ty(vectors.indices).clone();
    part.shape[vectors.dim] = 1;
    let values = components.iter().filter_map(|component| match component {
        Component::Value(value) => Some(*value),
        Component::Numbers(_) => None,
    });
    let args: Vec<ValueId> = [operand].into_iter().chain(values).chain(updates).collect();
    let dim = vectors.dim;
    Composite::several(args, move |b: &mut Builder<'_>| {
        let parts: Vec<ValueId> = components
            .into_iter()
            .map(|component| match component {
                Component::Value(value) => value,
                Component::Numbers(numbers) => {
                    b.op("c", Constant { value: Literal::Dense(numbers.into()) }, &[], part.clone())
                }
            })
            .collect();
        let vectors = if let [only] = parts[..] { only } else { b.concatenate(&parts, dim) };
        let args: Vec<ValueId> = [operand, vectors].into_iter().chain(updates).collect();
        b.op("indexed", kind, &args, ty);
    })
}
