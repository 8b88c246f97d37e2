//! Reductions, cumulative operations, and sorting.

use super::harness::{floats, function, ints};
use burn::tensor::{Int, Tensor};

type T = Tensor<3>;

#[test]
fn full_reductions() {
    let x = || floats([2, 3, 4]);
    function(|x: T| (x.clone().sum(), x.clone().mean(), x.clone().prod()), x());
    function(|x: T| (x.clone().max(), x.clone().min(), x.clone().max_abs()), x());
    function(|x: T| (x.clone().greater_scalar(0.0).all(), x.greater_scalar(0.0).any()), x());
}

#[test]
fn reductions_along_dimensions() {
    let x = || floats([2, 3, 4]);
    for dim in 0..3 {
        function(move |x: T| (x.clone().sum_dim(dim), x.clone().mean_dim(dim), x.clone().prod_dim(dim)), x());
        function(move |x: T| (x.clone().max_dim(dim), x.clone().min_dim(dim), x.max_abs_dim(dim)), x());
        function(move |x: T| (x.clone().argmax(dim), x.argmin(dim)), x());
        function(move |x: T| x.max_dim_with_indices(dim), x());
        function(move |x: T| x.min_dim_with_indices(dim), x());
        function(move |x: T| (x.clone().greater_scalar(0.0).all_dim(dim), x.greater_scalar(0.0).any_dim(dim)), x());
        function(move |x: T| (x.clone().var(dim), x.var_bias(dim)), x());
    }
    function(|x: T| (x.clone().sum_dims(&[0, 2]), x.mean_dims(&[1, 2])), x());
    function(|x: Tensor<2, Int>| (x.clone().sum(), x.clone().max_dim(0), x.argmax(1)), ints([3, 4], 5));
}

#[test]
fn cumulative_operations() {
    let x = || floats([2, 3, 4]);
    for dim in 0..3 {
        function(move |x: T| (x.clone().cumsum(dim), x.clone().cumprod(dim)), x());
        function(move |x: T| (x.clone().cummax(dim), x.cummin(dim)), x());
    }
}

#[test]
fn sorting() {
    let x = || floats([3, 5, 4]);
    for dim in 0..3 {
        function(move |x: T| (x.clone().sort(dim), x.sort_descending(dim)), x());
        function(move |x: T| (x.clone().argsort(dim), x.argsort_descending(dim)), x());
        function(move |x: T| x.sort_with_indices(dim), x());
        function(move |x: T| x.topk(2, dim), x());
        function(move |x: T| x.topk_with_indices(2, dim), x());
    }
}
