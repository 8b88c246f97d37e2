//! Shapes, slices, padding, repetition.

use super::harness::{floats, function, ints};
use burn::tensor::ops::PadMode;
use burn::tensor::{Int, Tensor, s};

type T = Tensor<3>;

#[test]
fn shapes() {
    let x = || floats([2, 3, 4]);
    function(|x: T| x.reshape([6, 4]), x());
    function(|x: T| x.swap_dims(0, 2), x());
    function(|x: T| x.permute([2, 0, 1]), x());
    function(|x: T| x.flip([0, 2]), x());
    function(|x: T| x.flatten::<2>(1, 2), x());
    function(|x: T| x.unsqueeze_dim::<4>(1).squeeze_dim::<3>(1), x());
    function(|x: T| x.unsqueeze::<5>(), x());
    function(|x: T| x.expand([5, 2, 3, 4]), x());
    function(|x: Tensor<2>| x.expand([4, 3]), floats([1, 3]));
    function(|x: T| x.movedim(0, 2), x());
    function(|x: T| x.repeat(&[2, 1, 3]), x());
    function(|x: T| x.slice(s![.., 1..2, ..]).repeat_dim(1, 3), x());
    function(|x: T| Tensor::cat(vec![x.clone(), x.clone() + 1.0], 1), x());
    function(|x: T| Tensor::stack::<4>(vec![x.clone(), x + 1.0], 1), x());
    function(|x: T| (x.clone().chunk(2, 2), x.split(2, 1)), x());
    function(|x: T| x.roll(&[1, -1], &[0, 2]), x());
    function(|x: T| (x.clone().tril(0), x.triu(1)), x());
}

#[test]
fn slices() {
    let x = || floats([5, 6, 4]);
    function(|x: T| x.slice(s![1..4, 2.., ..]), x());
    function(|x: T| x.slice(s![..;2, 1..6;3, ..]), x());
    function(|x: T| x.slice(s![..;-1, ..;-2, 1..4;-2]), x());
    function(|x: T| x.slice(s![-2.., ..-1]), x());
    function(|x: T| x.narrow(1, 2, 3), x());
    function(|(x, v): (T, T)| x.slice_assign(s![1..3, 2..5, ..], v), (x(), floats([2, 3, 4])));
    function(|(x, v): (T, T)| x.slice_assign(s![0..5;2, 1..6;3, ..], v), (x(), floats([3, 2, 4])));
    function(|(x, v): (T, T)| x.slice_assign(s![0..5;-2, .., ..], v), (x(), floats([3, 6, 4])));
    function(|x: T| x.slice_fill(s![1..2, .., 0..2], 3.0), x());
}

#[test]
fn padding() {
    let x = || floats([2, 3, 4]);
    function(|x: T| x.pad((1, 2, 0, 3), PadMode::Constant(1.5)), x());
    function(|x: T| x.pad((1, 2, 2, 1), PadMode::Reflect), x());
    function(|x: T| x.pad((1, 2, 3, 0), PadMode::Edge), x());
}

#[test]
fn creation() {
    function(|x: T| (x.zeros_like() + 1.0, x.ones_like() + x.full_like(2.5)), floats([2, 3, 4]));
    function(|x: Tensor<1>| x.clone() + Tensor::arange(0..5, &x.device()).float(), floats([5]));
    function(|x: Tensor<1>| x.clone() + Tensor::from_floats([3.0, 1.0, 2.0], &x.device()), floats([3]));
    function(|x: Tensor<2>| x.clone().matmul(Tensor::eye(3, &x.device())), floats([2, 3]));
    function(|x: Tensor<2, Int>| x.clone() + x.full_like(2), ints([2, 3], 9));
    function(|x: Tensor<1>| (Tensor::<1>::from_floats([3.0, 1.0], &x.device()), x), floats([3]));
}
