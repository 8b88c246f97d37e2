//! Gathers, scatters and windows.

use super::harness::{floats, function, ints};
use burn::tensor::{IndexingUpdateOp, Int, Tensor};

type T = Tensor<3>;
type Indices<const D: usize> = Tensor<D, Int>;

#[test]
fn select() {
    for dim in 0..3 {
        function(move |(x, i): (T, Indices<1>)| x.select(dim, i), (floats([4, 5, 6]), ints([3], 4)));
    }
}

#[test]
fn gather() {
    function(|(x, i): (T, Indices<3>)| x.gather(1, i), (floats([4, 5, 6]), ints([4, 2, 6], 5)));
    function(|(x, i): (T, Indices<3>)| x.gather(2, i), (floats([4, 5, 6]), ints([4, 5, 9], 6)));
    function(|(x, i): (Tensor<1>, Indices<1>)| x.gather(0, i), (floats([4]), ints([9], 4)));
    function(|(x, i): (T, Indices<2>)| x.gather_nd::<2, 3>(i), (floats([4, 5, 6]), ints([3, 1], 4)));
}

#[test]
fn scatter() {
    let distinct = || Tensor::<1, Int>::from_data([2, 0, 3], &burn::tensor::Device::flex());
    function(
        |(x, i, v): (T, Indices<3>, T)| x.scatter(1, i, v, IndexingUpdateOp::Add),
        (floats([4, 5, 6]), ints([4, 2, 6], 5), floats([4, 2, 6])),
    );
    function(
        |(x, i, v): (T, Indices<1>, T)| x.select_assign(0, i, v, IndexingUpdateOp::Add),
        (floats([4, 5, 6]), ints([3], 4), floats([3, 5, 6])),
    );
    function(
        |(x, i, v): (T, Indices<1>, T)| x.select_assign(1, i, v, IndexingUpdateOp::Assign),
        (floats([4, 5, 6]), distinct(), floats([4, 3, 6])),
    );
}

#[test]
fn one_hot_and_windows() {
    let one_hot = |i: Indices<1>| {
        i.clone().unsqueeze_dim::<2>(1).expand([4, 5]).equal(Tensor::arange(0..5, &i.device()).unsqueeze())
    };
    function(one_hot, ints([4], 5));
    function(|x: Tensor<2>| x.unfold::<3, _>(1, 3, 2), floats([4, 8]));
    function(|x: Tensor<2>| x.unfold::<3, _>(0, 2, 1), floats([4, 8]));
    function(|(x, i): (Tensor<2>, Indices<2>)| x.take::<2, 3>(0, i), (floats([4, 8]), ints([2, 3], 4)));
}
