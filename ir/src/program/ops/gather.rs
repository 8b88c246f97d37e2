//! `gather`: collects slices of the operand at indices given at run time, as in StableHLO.

use crate::dtype::{Shape, Type};
use crate::numeric::strided::{View, read, write};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, IndexLocation, Indexed, InferResult, Interfaces, Operation, OutOfRange, op};
use crate::program::ops::check;
use crate::program::ops::slices::Slices;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::Dims;
use crate::tensor::{Data, Tensor};
use smallvec::smallvec;

op! {
    /// Collects slices of the operand at indices given at run time, as in StableHLO. Operands: operand, start_indices.
    Gather = "gather" {
        /// Result dimensions that index elements within a slice; the others come from the indices.
        "offset" offset_dims: Dims,
        /// Operand dimensions of slice size 1 that the result omits.
        "collapsed" collapsed_dims: Dims,
        /// Operand batch dimensions, each of which corresponds to one of `index_batch_dims`.
        "operand_batch" operand_batch_dims: Dims,
        /// Batch dimensions of the indices.
        "index_batch" index_batch_dims: Dims,
        /// Operand dimension addressed by each component of an index vector.
        "map" index_map: Dims,
        /// Dimension of the indices that contains the index vectors; their rank if the indices are scalars.
        "vector" index_vector_dim: usize,
        /// Size of a slice in each operand dimension.
        "sizes" slice_sizes: Dims,
        /// Slices at indices out of range are zero, instead of clamping the indices.
        "fill" fill: bool,
    }
}

impl Gather {
    fn slices(&self) -> Slices<'_> {
        Slices {
            window: &self.offset_dims,
            dropped: &self.collapsed_dims,
            operand_batch: &self.operand_batch_dims,
            index_batch: &self.index_batch_dims,
            map: &self.index_map,
            vector_dim: self.index_vector_dim,
        }
    }

    fn collect<T: Copy>(&self, operand: &[T], shape: &Shape, mut starts: Vec<i64>, out: &Shape, zero: T) -> Vec<T> {
        let size: Shape = self.slice_sizes.iter().copied().collect();
        let (slices, view) = (self.slices(), View::row_major(shape));
        let slice_tensor = slices.slices_view(out);
        let mut collected = Vec::with_capacity(out.count());
        let count: usize = slice_tensor.shape[..out.rank() - slices.window.len()].iter().product();
        for slice in 0..if out.count() == 0 { 0 } else { count } {
            let start = &mut starts[slice * shape.rank()..][..shape.rank()];
            let mut inside = true;
            let clamped: Dims = (0..shape.rank())
                .map(|d| {
                    let last = (shape[d] - size[d]) as i64;
                    inside &= (0..=last).contains(&start[d]);
                    start[d].clamp(0, last) as usize
                })
                .collect();
            if inside || !self.fill {
                collected.extend(read(operand, &view.clone().subview(&clamped, &size)));
            } else {
                collected.resize(collected.len() + size.count(), zero);
            }
        }
        let mut gathered = vec![zero; collected.len()];
        write(&mut gathered, &slice_tensor, &collected);
        gathered
    }
}

impl Operation for Gather {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [operand, indices] = check::exactly(args)?;
        let slices = self.slices();
        slices.check(operand, indices)?;
        check::per_dim("slice size", self.slice_sizes.len(), operand)?;
        for (d, (&size, &n)) in self.slice_sizes.iter().zip(operand.shape.iter()).enumerate() {
            if size > n {
                return Err(format!("slices of {size} do not fit dimension {d} of {operand}"));
            }
        }
        if let Some(&d) = slices.dropped.iter().chain(slices.operand_batch).find(|&&d| self.slice_sizes[d] != 1) {
            let size = self.slice_sizes[d];
            return Err(format!("the result does not have dimension {d} of {operand}, whose slices are {size} long"));
        }
        let outer: Dims = slices.index_dims(indices.shape.rank()).collect();
        let inner: Dims = slices.slice_dims(operand.shape.rank()).collect();
        let mut shape: Shape = (0..outer.len() + inner.len()).collect();
        for (d, &i) in slices.outer_dims(shape.rank()).zip(&outer) {
            shape[d] = indices.shape[i];
        }
        for (&d, &o) in slices.window.iter().zip(&inner) {
            shape[d] = self.slice_sizes[o];
        }
        check::single_result(Type { shape, dtype: operand.dtype })
    }

    fn class(&self) -> Class<'_> {
        Class::Indexing
    }

    /// The rule of a row look-up is `[v,e],[i,1] -> [i,e]` with `v` indexed. A dimension that slices cover completely
    /// passes through; a dimension with slice size 1 and an index is indexed; other dimensions cannot be sharded.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let (operand, indices, out) = (&args[0].shape, &args[1].shape, &outs[0].shape);
        let slices = self.slices();
        let mut rule = Rule::default();
        let mut maps: [DimMap; 3] = [operand, indices, out].map(|s| smallvec![smallvec![]; s.rank()]);
        let [o, i, y] = &mut maps;
        for (d, index_dim) in slices.outer_dims(out.rank()).zip(slices.index_dims(indices.rank())) {
            i[index_dim] = rule.dim(indices[index_dim], FactorKind::PassThrough);
            y[d] = i[index_dim].clone();
        }
        for (&d, &index_dim) in slices.operand_batch.iter().zip(slices.index_batch) {
            o[d] = i[index_dim].clone();
        }
        if slices.vector_dim < indices.rank() {
            i[slices.vector_dim] = rule.dim(indices[slices.vector_dim], FactorKind::NeedReplication);
        }
        let inner: Dims = slices.slice_dims(operand.rank()).collect();
        for d in (0..operand.rank()).filter(|d| !slices.operand_batch.contains(d)) {
            let (n, size) = (operand[d], self.slice_sizes[d]);
            let within = inner.iter().position(|&s| s == d).map(|at| slices.window[at]);
            o[d] = match within {
                Some(_) if size == n => rule.dim(n, FactorKind::PassThrough),
                _ if size == 1 && slices.map.contains(&d) => rule.dim(n, FactorKind::Indexed),
                _ => rule.dim(n, FactorKind::NeedReplication),
            };
            if let Some(at) = within {
                y[at] = if size == n { o[d].clone() } else { rule.dim(size, FactorKind::NeedReplication) };
            }
        }
        let [o, i, y] = maps;
        rule.args = smallvec![o, i];
        rule.outs = smallvec![y];
        rule.linear_in([0])
    }

    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    fn to_local(&self, global_args: &[&Type], local_args: &[&Type], _: &[&Type]) -> Self {
        let mut op = self.clone();
        for (d, size) in op.slice_sizes.iter_mut().enumerate() {
            if *size == global_args[0].shape[d] {
                *size = local_args[0].shape[d];
            }
        }
        op
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { indexed: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [operand, indices] = check::exactly(args)?;
        let ty = check::declared_one(outs)?.clone();
        let starts = self.slices().starts(operand.shape(), indices)?;
        let shape = operand.shape();
        let data = match &operand.data {
            Data::F64(v) => Data::F64(self.collect(v, shape, starts, &ty.shape, 0.0)),
            Data::F32(v) => Data::F32(self.collect(v, shape, starts, &ty.shape, 0.0)),
            Data::Int(v) => Data::Int(self.collect(v, shape, starts, &ty.shape, 0)),
        };
        Ok(vec![Tensor { ty, data }])
    }
}

impl Indexed for Gather {
    fn index_location(&self, dim: usize) -> Option<IndexLocation> {
        let component = self.index_map.iter().position(|&d| d == dim)?;
        Some(IndexLocation { arg: 1, vector_dim: self.index_vector_dim, component })
    }

    fn out_of_range(&self, operand: &Type) -> OutOfRange {
        if self.fill {
            return OutOfRange::Zero;
        }
        let last = |&d: &usize| operand.shape[d].saturating_sub(self.slice_sizes[d]);
        OutOfRange::Clamped(self.index_map.iter().map(last).collect(), Gather { fill: true, ..self.clone() }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error, ints};
    use proptest::prelude::*;

    /// Gathers rows of a `[v, e]` table, at scalar indices of the given rank.
    fn rows(rank: usize, width: usize) -> Gather {
        Gather {
            offset_dims: smallvec![rank],
            collapsed_dims: smallvec![0],
            operand_batch_dims: Dims::new(),
            index_batch_dims: Dims::new(),
            index_map: smallvec![0],
            index_vector_dim: rank,
            slice_sizes: smallvec![1, width],
            fill: false,
        }
    }

    #[test]
    fn looks_up_rows_and_clamps() {
        let table = count_up(DType::F32, [3, 2]);
        let at = ints(DType::I32, [4], &[2, 0, 7, -1]);
        let out = eval(rows(1, 2), &[table.clone(), at.clone()]);
        assert_eq!(out, [ints(DType::F32, [4, 2], &[4, 5, 0, 1, 4, 5, 0, 1])]);
        let filled = Gather { fill: true, ..rows(1, 2) };
        assert_eq!(eval(filled, &[table.clone(), at]), [ints(DType::F32, [4, 2], &[4, 5, 0, 1, 0, 0, 0, 0])]);
        let unsigned = ints(DType::U64, [1], &[-1]);
        assert_eq!(eval(rows(1, 2), &[table, unsigned]), [ints(DType::F32, [1, 2], &[4, 5])]);
    }

    #[test]
    fn takes_along_batch_dimensions() {
        // One element of each row, with a separate index per row.
        let op = Gather {
            offset_dims: smallvec![],
            collapsed_dims: smallvec![1],
            operand_batch_dims: smallvec![0],
            index_batch_dims: smallvec![0],
            index_map: smallvec![1],
            index_vector_dim: 2,
            slice_sizes: smallvec![1, 1],
            fill: false,
        };
        let x = count_up(DType::F64, [4, 6]);
        let at = ints(DType::I32, [4, 1, 1], &[5, 0, 3, 2]);
        assert_eq!(eval(op.clone(), &[x.clone(), at.clone()]), [ints(DType::F64, [4, 1], &[5, 6, 15, 20])]);
        let rule = op.rule(&[&x.ty, &at.ty], &[&Type::new(DType::F64, [4, 1])]);
        assert_eq!(rule.to_string(), "([a,b],[a,,])->([a,]) {a=4,b=6} kinds={b:indexed} linear=[{0}]");
        assert_rule_holds(op, &[x, at]);
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, at) = (Type::new(DType::F32, [3, 2]), Type::new(DType::I32, [4]));
        let error = |op: Gather| infer_error(op, &[&x, &at]);
        assert_eq!(error(rows(1, 4)), "slices of 4 do not fit dimension 1 of f32[3, 2]");
        assert_eq!(error(rows(3, 2)), "index vectors cannot be along dimension 3 of i32[4]");
        assert_eq!(
            error(Gather { index_vector_dim: 0, ..rows(1, 2) }),
            "index vectors of i32[4] have 4 components, but 1 are mapped"
        );
        assert_eq!(error(Gather { index_map: smallvec![2], ..rows(1, 2) }), "there is no dimension 2 in f32[3, 2]");
        assert_eq!(error(Gather { offset_dims: smallvec![], ..rows(1, 2) }), "slices have 1 dimension, not 0");
        assert_eq!(
            error(Gather { offset_dims: smallvec![2], ..rows(1, 2) }),
            "dimension 2 of 2 cannot run over the slice"
        );
        assert_eq!(
            error(Gather { slice_sizes: smallvec![2, 2], ..rows(1, 2) }),
            "the result does not have dimension 0 of f32[3, 2], whose slices are 2 long"
        );
        let batch = Gather {
            operand_batch_dims: smallvec![0],
            collapsed_dims: smallvec![],
            index_map: smallvec![1],
            ..rows(1, 2)
        };
        assert_eq!(error(batch.clone()), "1 dimension of the operand cannot run along with 0 of the indices");
        let batch = Gather { index_batch_dims: smallvec![0], ..batch };
        assert_eq!(error(batch), "dimension 0 of f32[3, 2] cannot run along with 0 of i32[4]: 3 is not 4");
        assert_eq!(infer_error(rows(1, 2), &[&x, &Type::new(DType::F32, [4])]), "indices must be integers, not f32[4]");
    }

    #[test]
    fn rules_hold() {
        let (x, at) = (count_up(DType::F64, [6, 4]), ints(DType::I32, [4], &[5, 0, -3, 9]));
        let out = Type::new(DType::F64, [4, 4]);
        let rule = rows(1, 4).rule(&[&x.ty, &at.ty], &[&out]);
        assert_eq!(rule.to_string(), "([b,c],[a])->([a,c]) {a=4,b=6,c=4} kinds={b:indexed} linear=[{0}]");
        assert_rule_holds(rows(1, 4), &[x.clone(), at.clone()]);
        assert_rule_holds(Gather { fill: true, ..rows(1, 4) }, &[x.clone(), at.clone()]);
        let part = rows(1, 3);
        let rule = part.rule(&[&x.ty, &at.ty], &[&Type::new(DType::F64, [4, 3])]).to_string();
        assert_eq!(
            rule,
            "([b,c],[a])->([a,d]) {a=4,b=6,c=4,d=3} kinds={b:indexed,c:need_replication,d:need_replication} linear=[{0}]"
        );
    }

    /// Generates gathers at points `[n, 2]` in a `[a, b, c]` operand, whose slices retain or drop dimensions.
    fn cases() -> impl Strategy<Value = (Gather, Tensor, Tensor)> {
        let sizes = [1usize..4, 1usize..5, 1usize..4];
        let maps = Just(vec![0usize, 1, 2]).prop_shuffle();
        (
            sizes,
            maps,
            1usize..4,
            any::<bool>(),
            any::<bool>(),
            proptest::collection::vec(-2i64..6, 8),
            [0usize..3, 0usize..3, 0usize..3],
        )
            .prop_map(|(sizes, map, n, fill, keep, index, less)| {
                // The last mapped dimension is dropped or retained; the first one is retained.
                let mut size: Dims = (0..3).map(|d| sizes[d].saturating_sub(less[d]).max(1)).collect();
                size[map[1]] = 1;
                let collapsed: Dims = if keep { smallvec![] } else { smallvec![map[1]] };
                let rank = 1 + 3 - collapsed.len();
                let op = Gather {
                    offset_dims: (0..rank).filter(|&d| d != n % rank).collect(),
                    collapsed_dims: collapsed,
                    operand_batch_dims: smallvec![],
                    index_batch_dims: smallvec![],
                    index_map: map[..2].into(),
                    index_vector_dim: 0,
                    slice_sizes: size,
                    fill,
                };
                (op, count_up(DType::F64, sizes), ints(DType::I64, [2, n], &index[..2 * n]))
            })
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition((op, x, at) in cases()) {
            let out = eval(op.clone(), &[x.clone(), at.clone()]).remove(0);
            let (n, strides) = (at.ty.shape[1], out.ty.shape.strides());
            let shape = &x.ty.shape;
            for flat in 0..out.ty.shape.count() {
                let index = |d: usize| flat / strides[d] % out.ty.shape[d];
                let batch = (0..out.ty.shape.rank()).find(|d| !op.offset_dims.contains(d)).unwrap();
                let mut offsets = op.offset_dims.iter().map(|&d| index(d));
                let (mut place, mut inside) = (0, true);
                for d in 0..3 {
                    let start = op.index_map.iter().position(|&m| m == d)
                        .map_or(0, |component| at.get(component * n + index(batch)).to_i64());
                    let last = (shape[d] - op.slice_sizes[d]) as i64;
                    inside &= (0..=last).contains(&start);
                    let offset = if op.collapsed_dims.contains(&d) { 0 } else { offsets.next().unwrap() };
                    place = place * shape[d] + start.clamp(0, last) as usize + offset;
                }
                let want = if inside || !op.fill { x.get(place).to_f64() } else { 0.0 };
                prop_assert_eq!(out.get(flat).to_f64(), want);
            }
            assert_rule_holds(op, &[x, at]);
        }
    }
}
