//! `dot_general`: batched sums of products over contracting dimensions.

use crate::dtype::{Shape, Type};
use crate::layout::Monoid;
use crate::numeric::kernel;
use crate::numeric::matmul::{MatmulSizes, batched};
use crate::numeric::strided::{View, read};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, Syntax, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::{DimPairs, Dims};
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// Batched sums of products over contracting dimensions. The result has the batch dimensions, then the free
    /// dimensions of the left operand, then those of the right operand. The declared result type may be wider than the
    /// operand type (`bf16` summed to `f32`, `i8` to `i32`).
    DotGeneral = "dot_general" {
        /// Contracting dimensions.
        "contract" contract: DimPairs,
        /// Batch dimensions.
        "batch" batch: DimPairs,
    } prints short_name
}

impl DotGeneral {
    /// Returns the meaning of `matmul` for operands of the given ranks: all dimensions of the right operand but the
    /// last two are batch, as are the same number of leading dimensions of the left operand, whose last dimension is
    /// contracted. Returns `None` if the ranks are too small.
    pub fn matmul(lhs_rank: usize, rhs_rank: usize) -> Option<DotGeneral> {
        let n = rhs_rank.checked_sub(2)?;
        let batch: Dims = (0..n).collect();
        let contract = DimPairs { lhs: Dims::from_slice(&[lhs_rank.checked_sub(1)?]), rhs: Dims::from_slice(&[n]) };
        (lhs_rank > n).then(|| DotGeneral { contract, batch: DimPairs { lhs: batch.clone(), rhs: batch } })
    }

    fn short_name(&self) -> &'static str {
        if self.is_matmul() { "matmul" } else { Self::NAME }
    }

    /// Returns true if the op prints as `matmul`: leading dimensions are batch, and the only contracting dimension of
    /// the right operand is the first one after the batch dimensions.
    pub fn is_matmul(&self) -> bool {
        let n = self.batch.lhs.len();
        let leading: Dims = (0..n).collect();
        self.batch.lhs == leading
            && self.batch.rhs == leading
            && self.contract.rhs[..] == [n]
            && self.contract.lhs.len() == 1
    }

    /// Returns the free dimensions of both operands: neither batch nor contracting.
    fn free(&self, lhs: &Shape, rhs: &Shape) -> (Dims, Dims) {
        let left = |shape: &Shape, batch: &Dims, contract: &Dims| -> Dims {
            (0..shape.rank()).filter(|d| !batch.contains(d) && !contract.contains(d)).collect()
        };
        (left(lhs, &self.batch.lhs, &self.contract.lhs), left(rhs, &self.batch.rhs, &self.contract.rhs))
    }

    fn sizes(&self, lhs: &Shape, rhs: &Shape) -> MatmulSizes {
        let count = |shape: &Shape, dims: &Dims| dims.iter().map(|&d| shape[d]).fold(1, usize::saturating_mul);
        let (m, n) = self.free(lhs, rhs);
        MatmulSizes {
            batch: count(lhs, &self.batch.lhs),
            m: count(lhs, &m),
            k: count(lhs, &self.contract.lhs),
            n: count(rhs, &n),
        }
    }
}

/// Checks that paired dimensions have equal sizes.
fn check_pairs(what: &str, pairs: &DimPairs, lhs: &Type, rhs: &Type) -> Result<(), String> {
    if pairs.lhs.len() != pairs.rhs.len() {
        let (l, r) = (check::plural(pairs.lhs.len(), "dimension"), pairs.rhs.len());
        return Err(format!("{what} {l} of the left operand with {r} of the right one"));
    }
    for (&l, &r) in pairs.lhs.iter().zip(&pairs.rhs) {
        let (a, b) = (lhs.shape[l], rhs.shape[r]);
        if a != b {
            return Err(format!("{what} dimension {l} of {lhs} with dimension {r} of {rhs}, but {a} is not {b}"));
        }
    }
    Ok(())
}

impl Operation for DotGeneral {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [lhs, rhs] = check::exactly(args)?;
        let dtype = check::product_dtype(lhs, rhs, declared)?;
        let named = |batch: &Dims, contract: &Dims| -> Dims { batch.iter().chain(contract).copied().collect() };
        check::distinct_dims(&named(&self.batch.lhs, &self.contract.lhs), lhs)?;
        check::distinct_dims(&named(&self.batch.rhs, &self.contract.rhs), rhs)?;
        check_pairs("pairs", &self.batch, lhs, rhs)?;
        check_pairs("contracts", &self.contract, lhs, rhs)?;
        let (m, n) = self.free(&lhs.shape, &rhs.shape);
        let left = self.batch.lhs.iter().chain(&m).map(|&d| lhs.shape[d]);
        let shape = left.chain(n.iter().map(|&d| rhs.shape[d])).collect();
        check::single_result(Type { shape, dtype })
    }

    fn class(&self) -> Class<'_> {
        Class::Product
    }

    /// `[b,m,k],[b,k,n] -> [b,m,n]`, for any number of dimensions of each kind.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let (lhs, rhs) = (&args[0].shape, &args[1].shape);
        let (m, n) = self.free(lhs, rhs);
        let mut rule = Rule::default();
        let mut l: DimMap = smallvec![smallvec![]; lhs.rank()];
        let mut r: DimMap = smallvec![smallvec![]; rhs.rank()];
        let mut out = DimMap::new();
        for (&dl, &dr) in self.batch.lhs.iter().zip(&self.batch.rhs) {
            let dim = rule.dim(lhs[dl], FactorKind::PassThrough);
            (l[dl], r[dr]) = (dim.clone(), dim.clone());
            out.push(dim);
        }
        for (map, shape, dims) in [(&mut l, lhs, m), (&mut r, rhs, n)] {
            for d in dims {
                map[d] = rule.dim(shape[d], FactorKind::PassThrough);
                out.push(map[d].clone());
            }
        }
        for (&dl, &dr) in self.contract.lhs.iter().zip(&self.contract.rhs) {
            l[dl] = rule.dim(lhs[dl], FactorKind::Reduce(Monoid::Sum));
            r[dr] = l[dl].clone();
        }
        rule.args = smallvec![l, r];
        rule.outs = smallvec![out];
        rule.linear_in([0]).linear_in([1])
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        let MatmulSizes { batch, m, k, n } = self.sizes(&args[0].shape, &args[1].shape);
        [batch, m, k, n].iter().fold(2, |flops: u64, &size| flops.saturating_mul(size as u64))
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [lhs, rhs] = check::exactly(args)?;
        let ty = check::declared_one(outs)?.clone();
        let (m, n) = self.free(lhs.shape(), rhs.shape());
        let sizes = self.sizes(lhs.shape(), rhs.shape());
        let left: Dims = self.batch.lhs.iter().chain(&m).chain(&self.contract.lhs).copied().collect();
        let right: Dims = self.batch.rhs.iter().chain(&self.contract.rhs).chain(&n).copied().collect();
        let (left, right) =
            (View::row_major(lhs.shape()).permuted(&left), View::row_major(rhs.shape()).permuted(&right));
        // Products are summed in the result type.
        let (lhs, rhs) = (kernel::cast(lhs, ty.dtype), kernel::cast(rhs, ty.dtype));
        let data = kernel::on_same_storage!((&lhs.data, &rhs.data), (a, b) => {
            batched(&read(a, &left), &read(b, &right), sizes)
        })?;
        Ok(vec![Tensor { ty, data }.wrapped()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{
        assert_rule_holds, count_up, eval, eval_as, floats, infer_error, infer_error_as, ints,
    };
    use proptest::prelude::*;

    fn dot(contract: (&[usize], &[usize]), batch: (&[usize], &[usize])) -> DotGeneral {
        let pairs = |(lhs, rhs): (&[usize], &[usize])| DimPairs { lhs: lhs.into(), rhs: rhs.into() };
        DotGeneral { contract: pairs(contract), batch: pairs(batch) }
    }

    fn matmul() -> DotGeneral {
        DotGeneral::matmul(2, 2).unwrap()
    }

    #[test]
    fn a_matrix_product() {
        let lhs = [1, 2, 3, 4, 5, 6];
        let rhs = [1, 0, 0, 1, 2, -1];
        for dtype in [DType::F64, DType::F32, DType::BF16, DType::I32, DType::U8] {
            let out = eval(matmul(), &[ints(dtype, [2, 3], &lhs), ints(dtype, [3, 2], &rhs)]);
            assert_eq!(out, [ints(dtype, [2, 2], &[7, -1, 16, -1])]);
        }
        assert!(DotGeneral::matmul(3, 3).unwrap().is_matmul());
        assert!(!dot((&[0], &[1]), (&[], &[])).is_matmul());
    }

    #[test]
    fn empty_sums_are_zero_and_integers_wrap() {
        let (x, y) = (floats(DType::F32, [2, 0], &[]), floats(DType::F32, [0, 1], &[]));
        assert_eq!(eval(matmul(), &[x, y]), [floats(DType::F32, [2, 1], &[0.0, 0.0])]);
        let big = ints(DType::I8, [1], &[100]);
        let inner = dot((&[0], &[0]), (&[], &[]));
        assert_eq!(eval(inner.clone(), &[big.clone(), big.clone()]), [ints(DType::I8, [], &[16])]);
        let wide = Type::new(DType::I32, []);
        assert_eq!(eval_as(inner, &[big.clone(), big], &wide), ints(DType::I32, [], &[10_000]));
    }

    #[test]
    fn mismatches_are_errors() {
        let (a, b) = (Type::new(DType::F32, [4, 8]), Type::new(DType::F32, [6, 3]));
        assert_eq!(
            infer_error(matmul(), &[&a, &b]),
            "contracts dimension 1 of f32[4, 8] with dimension 0 of f32[6, 3], but 8 is not 6"
        );
        assert_eq!(infer_error(matmul(), &[&a]), "takes 2 operands, not 1");
        let half = Type::new(DType::F16, [8, 3]);
        assert_eq!(infer_error(matmul(), &[&a, &half]), "operands must have the same element type, not f32 and f16");
        assert_eq!(infer_error(dot((&[2], &[0]), (&[], &[])), &[&a, &b]), "there is no dimension 2 in f32[4, 8]");
        assert_eq!(infer_error(dot((&[1], &[0]), (&[1], &[1])), &[&a, &b]), "dimension 1 is named twice");
        assert_eq!(
            infer_error(dot((&[1], &[]), (&[], &[])), &[&a, &b]),
            "contracts 1 dimension of the left operand with 0 of the right one"
        );
        let narrow = Type::new(DType::F16, [4, 4]);
        let square = Type::new(DType::F32, [4, 4]);
        assert_eq!(infer_error_as(matmul(), &[&square, &square], &narrow), "cannot sum products of f32 to f16");
        let huge = Type::new(DType::F32, [1 << 40]);
        assert!(
            infer_error(dot((&[], &[]), (&[], &[])), &[&huge, &huge]).contains("more elements than can be counted")
        );
    }

    #[test]
    fn the_rule_is_an_einsum() {
        let (x, y) = (Type::new(DType::F32, [8, 4, 16]), Type::new(DType::F32, [16, 8, 3]));
        let op = dot((&[2], &[0]), (&[0], &[1]));
        let rule = op.rule(&[&x, &y], &[]);
        assert_eq!(rule.to_string(), "([a,b,d],[d,a,c])->([a,b,c]) {a=8,b=4,c=3,d=16} kinds={d:sum} linear=[{0},{1}]");
        assert_eq!(op.flops(&[&x, &y], &[]), 2 * 8 * 4 * 3 * 16);
    }

    /// Generates the sizes of batch, left free, contracting and right free dimensions, and a permutation of each
    /// operand's dimensions.
    fn cases() -> impl Strategy<Value = ([Vec<usize>; 4], Vec<usize>, Vec<usize>)> {
        let dims = || proptest::collection::vec(1usize..4, 0..3);
        [dims(), dims(), dims(), dims()].prop_flat_map(|sizes| {
            let order = |n: usize| Just((0..n).collect::<Vec<_>>()).prop_shuffle();
            let (l, r) =
                (sizes[0].len() + sizes[1].len() + sizes[2].len(), sizes[0].len() + sizes[2].len() + sizes[3].len());
            (Just(sizes), order(l), order(r))
        })
    }

    proptest! {
        #[test]
        fn agrees_with_the_sum_of_products(([b, m, k, n], left, right) in cases()) {
            // Operand dims in canonical order, `[b, m, k]` and `[b, k, n]`, are moved to positions `left[i]`,
            // `right[i]`.
            let place = |sizes: Vec<usize>, order: &[usize]| -> Shape {
                let mut shape = Shape(smallvec![1; sizes.len()]);
                order.iter().zip(sizes).for_each(|(&d, n)| shape[d] = n);
                shape
            };
            let x = count_up(DType::I64, place([b.clone(), m.clone(), k.clone()].concat(), &left));
            let y = count_up(DType::I64, place([b.clone(), k.clone(), n.clone()].concat(), &right));
            let (nb, nm, nk) = (b.len(), m.len(), k.len());
            // Free dims are in the operand's own order in the result.
            let mut rows = left[nb..nb + nm].to_vec();
            let mut columns = right[nb + nk..].to_vec();
            rows.sort_unstable();
            columns.sort_unstable();
            let op = dot((&left[nb + nm..], &right[nb..nb + nk]), (&left[..nb], &right[..nb]));
            let out = eval(op.clone(), &[x.clone(), y.clone()]).remove(0);
            let index = |mut at: usize, shape: &[usize]| -> Vec<usize> {
                let mut index = vec![0; shape.len()];
                for d in (0..shape.len()).rev() {
                    index[d] = at % shape[d];
                    at /= shape[d];
                }
                index
            };
            for at in 0..out.ty.shape.count() {
                let i = index(at, &out.ty.shape);
                let sum: i64 = (0..k.iter().product()).map(|c| {
                    let c = index(c, &k);
                    let (mut l, mut r) = (vec![0; left.len()], vec![0; right.len()]);
                    (0..nb).for_each(|d| { l[left[d]] = i[d]; r[right[d]] = i[d]; });
                    rows.iter().enumerate().for_each(|(d, &row)| l[row] = i[nb + d]);
                    columns.iter().enumerate().for_each(|(d, &column)| r[column] = i[nb + nm + d]);
                    (0..nk).for_each(|d| { l[left[nb + nm + d]] = c[d]; r[right[nb + d]] = c[d]; });
                    let flat = |index: &[usize], t: &Tensor| -> usize {
                        index.iter().zip(t.ty.shape.iter()).fold(0, |at, (i, n)| at * n + i)
                    };
                    x.get(flat(&l, &x)).to_i64() * y.get(flat(&r, &y)).to_i64()
                }).sum();
                prop_assert_eq!(out.get(at).to_i64(), sum);
            }
            assert_rule_holds(op, &[x, y]);
        }
    }
}
