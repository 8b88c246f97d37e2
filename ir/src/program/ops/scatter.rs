//! `scatter`: combines slices into the operand at indices given at run time, as in StableHLO.

use crate::dtype::{DType, Shape, Type};
use crate::layout::Monoid;
use crate::numeric::kernel::{MIXED_DTYPES_ERROR, map};
use crate::numeric::strided::read;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, IndexLocation, Indexed, InferResult, Interfaces, Operation, OutOfRange, op};
use crate::program::ops::check;
use crate::program::ops::slices::Slices;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::Dims;
use crate::tensor::{Data, Tensor};
use crate::word_attr;
use smallvec::smallvec;

op! {
    /// Combines slices into the operand at indices given at run time, as in StableHLO; elements outside the operand are
    /// skipped. Operands: operand, scatter_indices, updates.
    Scatter = "scatter" {
        /// Combination of an update with the existing element.
        "" combine: Combine,
        /// Dimensions of the updates that index elements within a slice; the others come from the indices.
        "window" update_window_dims: Dims,
        /// Operand dimensions of slice size 1 that the updates omit.
        "inserted" inserted_dims: Dims,
        /// Operand batch dimensions, each of which corresponds to one of `index_batch_dims`.
        "operand_batch" operand_batch_dims: Dims,
        /// Batch dimensions of the indices.
        "index_batch" index_batch_dims: Dims,
        /// Operand dimension addressed by each component of an index vector.
        "map" index_map: Dims,
        /// Dimension of the indices that contains the index vectors; their rank if the indices are scalars.
        "vector" index_vector_dim: usize,
    }
}

/// Combination of an update with the existing element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Combine {
    /// Replaces the element; the last update wins.
    #[default]
    Set,
    /// Adds the update.
    Sum,
    /// Multiplies by the update.
    Prod,
    /// Takes the maximum.
    Max,
    /// Takes the minimum.
    Min,
}

impl Combine {
    /// All combinations.
    pub const ALL: [Combine; 5] = [Combine::Set, Combine::Sum, Combine::Prod, Combine::Max, Combine::Min];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            Combine::Set => "set",
            Combine::Sum => "sum",
            Combine::Prod => "prod",
            Combine::Max => "max",
            Combine::Min => "min",
        }
    }
}
word_attr!(Combine, "what to do with an update (set, sum, prod, max, min)", Combine::ALL);

impl Combine {
    /// Returns true if the combination is defined for an element type.
    pub fn supports(self, dtype: DType) -> bool {
        self.monoid().is_none_or(|monoid| check::monoid_supports(monoid, dtype).is_ok())
    }

    /// Returns the monoid, for all combinations but `Set`.
    pub fn monoid(self) -> Option<Monoid> {
        match self {
            Combine::Set => None,
            Combine::Sum => Some(Monoid::Sum),
            Combine::Prod => Some(Monoid::Prod),
            Combine::Max => Some(Monoid::Max),
            Combine::Min => Some(Monoid::Min),
        }
    }

    /// Returns the factor kind of a dimension of the updates whose sharding leaves the operand replicated. A product
    /// would count the operand on every device, and `Set` depends on the order of all updates, so that neither can be
    /// sharded.
    fn update_factor_kind(self) -> FactorKind {
        match self {
            Combine::Sum => FactorKind::Reduce(Monoid::Sum),
            Combine::Max => FactorKind::Reduce(Monoid::Max),
            Combine::Min => FactorKind::Reduce(Monoid::Min),
            Combine::Set | Combine::Prod => FactorKind::NeedReplication,
        }
    }
}

impl Scatter {
    fn slices(&self) -> Slices<'_> {
        Slices {
            window: &self.update_window_dims,
            dropped: &self.inserted_dims,
            operand_batch: &self.operand_batch_dims,
            index_batch: &self.index_batch_dims,
            map: &self.index_map,
            vector_dim: self.index_vector_dim,
        }
    }

    /// Returns the size of a slice in every dimension of the operand.
    fn slice_sizes(&self, rank: usize, updates: &Shape) -> Shape {
        let mut sizes: Shape = std::iter::repeat_n(1, rank).collect();
        for (d, &w) in self.slices().slice_dims(rank).zip(&self.update_window_dims) {
            sizes[d] = updates[w];
        }
        sizes
    }

    /// Combines the updates into `x`, slice by slice; elements outside the operand are skipped.
    fn combine_into<T: Copy>(
        &self,
        x: &mut [T],
        shape: &Shape,
        updates: &[T],
        slice_tensor: &Shape,
        starts: &[i64],
        combine: impl Fn(T, T) -> T,
    ) {
        let size = self.slice_sizes(shape.rank(), slice_tensor);
        let updates = read(updates, &self.slices().slices_view(slice_tensor));
        let (strides, within) = (shape.strides(), size.strides());
        let offset = |i: usize| -> usize { (0..shape.rank()).map(|d| i / within[d] % size[d] * strides[d]).sum() };
        let offsets: Vec<usize> = (0..if updates.is_empty() { 0 } else { size.count() }).map(offset).collect();
        for (slice, updates) in updates.chunks_exact(size.count().max(1)).enumerate() {
            let start = &starts[slice * shape.rank()..][..shape.rank()];
            let fits = |d: usize, at: i64| (0..shape[d] as i64).contains(&at);
            let last = |d: usize| start[d].saturating_add(size[d] as i64 - 1);
            let inside = (0..shape.rank()).all(|d| fits(d, start[d]) && fits(d, last(d)));
            let base: i64 =
                start.iter().zip(&strides).map(|(s, &stride)| s.wrapping_mul(stride as i64)).fold(0, i64::wrapping_add);
            for (i, (&offset, &update)) in offsets.iter().zip(updates).enumerate() {
                let lands = |d: usize| fits(d, start[d].saturating_add((i / within[d] % size[d]) as i64));
                if inside || (0..shape.rank()).all(lands) {
                    let at = base.wrapping_add(offset as i64) as usize;
                    x[at] = combine(x[at], update);
                }
            }
        }
    }
}

impl Operation for Scatter {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [operand, indices, updates] = check::exactly(args)?;
        let slices = self.slices();
        slices.check(operand, indices)?;
        if updates.dtype != operand.dtype {
            return Err(format!("updates must be {} like the operand, not {}", operand.dtype, updates.dtype));
        }
        let outer: Dims = slices.index_dims(indices.shape.rank()).collect();
        let rank = outer.len() + slices.window.len();
        if updates.shape.rank() != rank {
            return Err(format!(
                "slices and indices need updates of {}, not {updates}",
                check::plural(rank, "dimension")
            ));
        }
        for (d, &i) in slices.outer_dims(updates.shape.rank()).zip(&outer) {
            let (a, b) = (updates.shape[d], indices.shape[i]);
            if a != b {
                return Err(format!("dimension {d} of {updates} runs along with {i} of {indices}, but {a} is not {b}"));
            }
        }
        for (&w, d) in slices.window.iter().zip(slices.slice_dims(operand.shape.rank())) {
            if updates.shape[w] > operand.shape[d] {
                let size = updates.shape[w];
                return Err(format!("slices of {size} do not fit dimension {d} of {operand}"));
            }
        }
        check::single_result(operand.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Indexing
    }

    /// The rule of the gradient of a row look-up is `[v,e],[i,1],[i,e] -> [v,e]` with `v` indexed and `i` summed. A
    /// dimension that slices cover passes through; a dimension with slice size 1 and an index is indexed; other
    /// dimensions cannot be sharded.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let (operand, indices, updates) = (&args[0].shape, &args[1].shape, &args[2].shape);
        let slices = self.slices();
        let mut rule = Rule::default();
        let mut maps: [DimMap; 3] = [operand, indices, updates].map(|s| smallvec![smallvec![]; s.rank()]);
        let [o, i, u] = &mut maps;
        for (d, index_dim) in slices.outer_dims(updates.rank()).zip(slices.index_dims(indices.rank())) {
            let batch = slices.index_batch.contains(&index_dim);
            let kind = if batch { FactorKind::PassThrough } else { self.combine.update_factor_kind() };
            i[index_dim] = rule.dim(indices[index_dim], kind);
            u[d] = i[index_dim].clone();
        }
        for (&d, &index_dim) in slices.operand_batch.iter().zip(slices.index_batch) {
            o[d] = i[index_dim].clone();
        }
        if slices.vector_dim < indices.rank() {
            i[slices.vector_dim] = rule.dim(indices[slices.vector_dim], FactorKind::NeedReplication);
        }
        let size = self.slice_sizes(operand.rank(), updates);
        let inner: Dims = slices.slice_dims(operand.rank()).collect();
        for d in (0..operand.rank()).filter(|d| !slices.operand_batch.contains(d)) {
            let within = inner.iter().position(|&s| s == d).map(|at| slices.window[at]);
            let mapped = slices.map.contains(&d);
            o[d] = match within {
                Some(_) if size[d] == operand[d] && !mapped => rule.dim(operand[d], FactorKind::PassThrough),
                _ if size[d] == 1 && mapped => rule.dim(operand[d], FactorKind::Indexed),
                _ => rule.dim(operand[d], FactorKind::NeedReplication),
            };
            if let Some(at) = within {
                let covers = size[d] == operand[d] && !mapped;
                u[at] = if covers { o[d].clone() } else { rule.dim(size[d], FactorKind::NeedReplication) };
            }
        }
        let [o, i, u] = maps;
        rule.outs = smallvec![o.clone()];
        rule.args = smallvec![o, i, u];
        if self.combine == Combine::Sum { rule.linear_in([0, 2]) } else { rule }
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        args[2].shape.count() as u64
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { indexed: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [operand, indices, updates] = check::exactly(args)?;
        let ty = check::declared_one(outs)?.clone();
        let starts = self.slices().starts(operand.shape(), indices)?;
        let monoid = self.combine.monoid();
        let floats = |x: &mut [f64], u: &[f64]| {
            let combine = |old, new| monoid.map_or(new, |m| m.combine_floats(old, new));
            self.combine_into(x, &ty.shape, u, updates.shape(), &starts, combine);
        };
        let data = match (&operand.data, &updates.data) {
            (Data::F64(x), Data::F64(u)) => {
                let mut x = x.clone();
                floats(&mut x, u);
                Data::F64(x)
            }
            (Data::F32(x), Data::F32(u)) => {
                let mut x = map(x, f64::from);
                floats(&mut x, &map(u, f64::from));
                Data::F32(map(&x, |x| x as f32))
            }
            (Data::Int(x), Data::Int(u)) => {
                let mut x = x.clone();
                let combine = |old, new| monoid.map_or(new, |m| m.combine_ints(ty.dtype, old, new));
                self.combine_into(&mut x, &ty.shape, u, updates.shape(), &starts, combine);
                Data::Int(x)
            }
            _ => return Err(MIXED_DTYPES_ERROR.into()),
        };
        Ok(vec![Tensor { ty, data }.wrapped()])
    }
}

impl Indexed for Scatter {
    fn index_location(&self, dim: usize) -> Option<IndexLocation> {
        let component = self.index_map.iter().position(|&d| d == dim)?;
        Some(IndexLocation { arg: 1, vector_dim: self.index_vector_dim, component })
    }

    fn out_of_range(&self, _: &Type) -> OutOfRange {
        OutOfRange::Skipped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error, ints};
    use proptest::prelude::*;

    /// Scatters rows `[n, e]` into a table `[v, e]`, at scalar indices.
    fn rows(combine: Combine) -> Scatter {
        Scatter {
            combine,
            update_window_dims: smallvec![1],
            inserted_dims: smallvec![0],
            operand_batch_dims: Dims::new(),
            index_batch_dims: Dims::new(),
            index_map: smallvec![0],
            index_vector_dim: 1,
        }
    }

    #[test]
    fn combines_rows_and_skips_indices_out_of_range() {
        for dtype in [DType::F64, DType::F32, DType::I8] {
            let x = ints(dtype, [3, 2], &[1, 1, 2, 2, 3, 3]);
            let at = ints(DType::I32, [4], &[2, 0, 2, 5]);
            let u = ints(dtype, [4, 2], &[1, 2, 3, 4, 5, 6, 7, 8]);
            let out = |combine, want: &[i64]| {
                assert_eq!(eval(rows(combine), &[x.clone(), at.clone(), u.clone()]), [ints(dtype, [3, 2], want)]);
            };
            out(Combine::Sum, &[4, 5, 2, 2, 9, 11]);
            out(Combine::Set, &[3, 4, 2, 2, 5, 6]);
            out(Combine::Prod, &[3, 4, 2, 2, 15, 36]);
            out(Combine::Max, &[3, 4, 2, 2, 5, 6]);
            out(Combine::Min, &[1, 1, 2, 2, 1, 2]);
        }
        let x = ints(DType::I8, [1, 1], &[127]);
        let at = ints(DType::I32, [1], &[0]);
        assert_eq!(
            eval(rows(Combine::Sum), &[x, at, ints(DType::I8, [1, 1], &[1])]),
            [ints(DType::I8, [1, 1], &[-128])]
        );
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, at) = (Type::new(DType::F32, [3, 2]), Type::new(DType::I32, [4]));
        let error = |shape: &[usize]| infer_error(rows(Combine::Sum), &[&x, &at, &Type::new(DType::F32, shape)]);
        assert_eq!(error(&[4, 3]), "slices of 3 do not fit dimension 1 of f32[3, 2]");
        assert_eq!(error(&[5, 2]), "dimension 0 of f32[5, 2] runs along with 0 of i32[4], but 5 is not 4");
        assert_eq!(error(&[4]), "slices and indices need updates of 2 dimensions, not f32[4]");
        let other = Type::new(DType::F64, [4, 2]);
        assert_eq!(
            infer_error(rows(Combine::Sum), &[&x, &at, &other]),
            "updates must be f32 like the operand, not f64"
        );
    }

    #[test]
    fn rules_hold() {
        let (x, at) = (count_up(DType::F64, [6, 4]), ints(DType::I32, [4], &[5, 0, -3, 0]));
        let u = count_up(DType::F64, [4, 4]);
        let rule = |combine| rows(combine).rule(&[&x.ty, &at.ty, &u.ty], &[&x.ty]).to_string();
        assert_eq!(
            rule(Combine::Sum),
            "([b,c],[a],[a,c])->([b,c]) {a=4,b=6,c=4} kinds={a:sum,b:indexed} linear=[{0,2}]"
        );
        assert_eq!(rule(Combine::Set), "([b,c],[a],[a,c])->([b,c]) {a=4,b=6,c=4} kinds={a:need_replication,b:indexed}");
        for combine in Combine::ALL {
            assert_rule_holds(rows(combine), &[x.clone(), at.clone(), u.clone()]);
        }
        let batched = Scatter {
            update_window_dims: smallvec![],
            inserted_dims: smallvec![1],
            operand_batch_dims: smallvec![0],
            index_batch_dims: smallvec![0],
            index_map: smallvec![1],
            index_vector_dim: 2,
            ..rows(Combine::Sum)
        };
        let at = ints(DType::I32, [6, 2, 1], &[0, 1, 2, 3, 0, 0, 3, 2, 1, 1, 0, 3]);
        assert_rule_holds(batched, &[x, at, count_up(DType::F64, [6, 2])]);
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            sizes in [1usize..5, 1usize..5],
            (rows, columns, n) in (1usize..4, 1usize..4, 0usize..4),
            index in proptest::collection::vec(-2i64..6, 6),
            combine in proptest::sample::select(&Combine::ALL[..]),
        ) {
            prop_assume!(rows <= sizes[0] && columns <= sizes[1]);
            // Boxes of `rows x columns` at points `[n, 2]`, written as `[rows, n, columns]`; components are swapped.
            let op = Scatter {
                combine,
                update_window_dims: smallvec![0, 2],
                inserted_dims: smallvec![],
                operand_batch_dims: smallvec![],
                index_batch_dims: smallvec![],
                index_map: smallvec![1, 0],
                index_vector_dim: 1,
            };
            let x = count_up(DType::I64, sizes);
            let at = ints(DType::I64, [n, 2], &index[..2 * n]);
            let u = count_up(DType::I64, [rows, n, columns]);
            let mut want: Vec<i64> = x.scalars().map(|x| x.to_i64()).collect();
            for i in 0..n {
                for r in 0..rows {
                    for c in 0..columns {
                        let (a, b) = (index[2 * i + 1] + r as i64, index[2 * i] + c as i64);
                        if (0..sizes[0] as i64).contains(&a) && (0..sizes[1] as i64).contains(&b) {
                            let place = &mut want[a as usize * sizes[1] + b as usize];
                            let new = u.get((r * n + i) * columns + c).to_i64();
                            *place = combine.monoid().map_or(new, |m| m.combine_ints(DType::I64, *place, new));
                        }
                    }
                }
            }
            prop_assert_eq!(eval(op.clone(), &[x.clone(), at.clone(), u.clone()]), [ints(DType::I64, sizes, &want)]);
            assert_rule_holds(op, &[x, at, u]);
        }
    }
}
