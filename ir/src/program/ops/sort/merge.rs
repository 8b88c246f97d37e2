//! Sorting along a sharded dimension: each device sorts its shard, and pairs of devices merge their shards. Of the two
//! shards of a pair, the first device keeps the lower half and the second one the upper half.
//!
//! The pairs are those of a sorting network: a network that sorts single elements also sorts blocks, if each comparison
//! is replaced by such a merge (Knuth, "The Art of Computer Programming", vol. 3, 5.3.4, exercise 38). On `n` devices,
//! about `log2(n)^2 / 2` shards are sent, instead of the `n - 1` that each device receives when the dimension is
//! gathered.

use super::{Round, Sort, rounds};
use crate::arena::{FuncId, ValueId};
use crate::dtype::{DType, Shape, Type};
use crate::mesh::shard_count;
use crate::program::build::Builder;
use crate::program::op::{ExchangedDim, Exchanging};
use crate::program::ops::{BinaryOp, Concatenate, Direction, DynamicSlice, Permute, Select};
use crate::program::{Func, Output, Values};
use crate::tensor::Scalar;
use rustc_hash::FxHashMap;

impl Exchanging for Sort {
    fn exchange(&self, b: &mut Builder<'_>, args: &[ValueId], dims: &[ExchangedDim]) -> Values {
        let [dim] = dims else { return Values::new() };
        let shape = b.program.values[args[0]].local_type().shape;
        let dtypes: Vec<DType> = args.iter().map(|&x| b.ty(x).dtype).collect();
        let comparator = total_order(b, self.comparator, &dtypes, dim.sizes[0]);
        let merge = Merge { sort: Sort { dim: self.dim, stable: false, comparator }, dim, shape };
        let index = b.global_index(dim.dim, &dim.axes, &merge.shape);
        let shards: Vec<ValueId> = args.iter().copied().chain([index]).collect();
        let mut sorted = merge.sorted(b, &shards, merge.shape.clone());
        for round in rounds(shard_count(&dim.axes)) {
            sorted = merge.round(b, &sorted, &round);
        }
        sorted.truncate(args.len());
        sorted
    }
}

/// A sort of shards by merges.
struct Merge<'a> {
    /// The sort of the operands and of the positions of their elements.
    sort: Sort,
    dim: &'a ExchangedDim,
    /// Shape of a shard.
    shape: Shape,
}

impl Merge<'_> {
    /// Appends a sort of operands of one shape.
    fn sorted(&self, b: &mut Builder<'_>, operands: &[ValueId], shape: Shape) -> Values {
        let types: Vec<Type> = operands.iter().map(|&x| Type { shape: shape.clone(), dtype: b.ty(x).dtype }).collect();
        b.op_many("sorted", self.sort.clone(), operands, &types)
    }

    /// Appends the merges of one round of the network.
    fn round(&self, b: &mut Builder<'_>, own: &[ValueId], round: &Round) -> Values {
        let ExchangedDim { dim, axes, .. } = self.dim;
        let (devices, size) = (shard_count(axes), self.shape[*dim]);
        let firsts = (0..devices.saturating_sub(round.distance)).filter(|i| i & round.bit == round.value);
        let (mut starts, mut merges, mut pairs) = (vec![0; devices], vec![0; devices], Vec::new());
        for first in firsts {
            let second = first + round.distance;
            pairs.extend([(first as u32, second as u32), (second as u32, first as u32)]);
            starts[second] = size as i64;
            (merges[first], merges[second]) = (1, 1);
        }
        pairs.sort_unstable();
        let mut both_shape = self.shape.clone();
        both_shape[*dim] = 2 * size;
        let both: Vec<ValueId> = own
            .iter()
            .map(|&x| {
                let dtype = b.ty(x).dtype;
                let permute = Permute { axes: axes.clone(), pairs: pairs.clone() };
                let other = b.op("other", permute, &[x], Type { shape: self.shape.clone(), dtype });
                let ty = Type { shape: both_shape.clone(), dtype };
                b.op("both", Concatenate { dim: *dim }, &[x, other], ty)
            })
            .collect();
        let merged = self.sorted(b, &both, both_shape);
        let start = b.entry_of_device(axes, &starts);
        let zero = b.scalar(DType::I32, Scalar::Int(0));
        let has_partner = merges.contains(&0).then(|| {
            let merges = b.entry_of_device(axes, &merges);
            let has_partner = b.compare(merges, Direction::Ne, zero);
            b.broadcast(has_partner, &[], self.shape.clone())
        });
        let halves = merged.iter().zip(own).map(|(&merged, &own)| {
            let ty = Type { shape: self.shape.clone(), dtype: b.ty(merged).dtype };
            let at = (0..ty.shape.rank()).map(|d| if d == *dim { start } else { zero });
            let operands: Vec<ValueId> = std::iter::once(merged).chain(at).collect();
            let sizes = ty.shape.iter().copied().collect();
            let half = b.op("half", DynamicSlice { sizes }, &operands, ty.clone());
            match has_partner {
                Some(has_partner) => b.op("kept", Select {}, &[has_partner, half, own], ty),
                None => half,
            }
        });
        halves.collect()
    }
}

/// Adds a comparator of elements and their positions in the unsharded dimension of `size` elements: by `comparator`,
/// and by position if neither element is before the other. Padding, at positions from `size` on, is last.
fn total_order(b: &mut Builder<'_>, comparator: FuncId, dtypes: &[DType], size: usize) -> FuncId {
    let scalar = |dtype| Type::new(dtype, Shape::scalar());
    let outside = std::mem::take(&mut b.body);
    let pair = |b: &mut Builder<'_>, dtype| {
        ["a", "b"].map(|name| {
            let name = b.fresh(name);
            b.program.value(name, scalar(dtype))
        })
    };
    let elements: Vec<[ValueId; 2]> = dtypes.iter().map(|&dtype| pair(b, dtype)).collect();
    let [i, j] = pair(b, DType::I32);
    let forward = inline(b, comparator, elements.iter().flatten().copied());
    let backward = inline(b, comparator, elements.iter().flat_map(|[x, y]| [*y, *x]));
    let differ = b.binary(BinaryOp::Xor, forward, backward);
    let earlier = b.compare(i, Direction::Lt, j);
    let before = b.select(differ, forward, earlier);
    let size = b.scalar(DType::I32, Scalar::Int(size as i64));
    let [i_is_padding, j_is_padding] = [i, j].map(|position| b.compare(position, Direction::Ge, size));
    let one_is_padding = b.binary(BinaryOp::Xor, i_is_padding, j_is_padding);
    let before = b.select(one_is_padding, j_is_padding, before);
    let ops = std::mem::replace(&mut b.body, outside);
    let mut name = format!("{}.of_shards", b.program.funcs[comparator].name);
    while b.find_function(&name).is_some() {
        name.push('_');
    }
    let inputs = elements.into_iter().flatten().chain([i, j]).collect();
    let outputs = vec![Output { value: before, name: "out0".into(), replaces: None }];
    b.program.funcs.push(Func::new(name, inputs, outputs, ops))
}

/// Appends the ops of a function with one result, applied to `args`.
fn inline(b: &mut Builder<'_>, func: FuncId, args: impl Iterator<Item = ValueId>) -> ValueId {
    let Func { inputs, outputs, body, .. } = b.program.funcs[func].clone();
    let mut copies: FxHashMap<ValueId, ValueId> = inputs.into_iter().zip(args).collect();
    let copy_of = |copies: &FxHashMap<ValueId, ValueId>, value: ValueId| copies.get(&value).copied().unwrap_or(value);
    for op in body {
        let op = b.program.ops[op].clone();
        let args: Values = op.args.iter().map(|&x| copy_of(&copies, x)).collect();
        let types: Vec<Type> = op.outs.iter().map(|&out| b.ty(out)).collect();
        let name = b.program.values[op.outs[0]].name.clone();
        let outs = b.op_many(&name, op.kind, &args, &types);
        copies.extend(op.outs.iter().copied().zip(outs));
    }
    copy_of(&copies, outputs[0].value)
}
