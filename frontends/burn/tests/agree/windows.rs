//! Convolutions and pooling.

use super::harness::{floats, function, module};
use burn::nn::PaddingConfig1d;
use burn::nn::conv::{
    Conv1d, Conv1dConfig, Conv2d, Conv2dConfig, Conv3d, Conv3dConfig, ConvTranspose1d, ConvTranspose1dConfig,
    ConvTranspose2d, ConvTranspose2dConfig, ConvTranspose3d, ConvTranspose3dConfig,
};
use burn::nn::pool::{
    AdaptiveAvgPool1dConfig, AdaptiveAvgPool2dConfig, AvgPool1dConfig, AvgPool2dConfig, MaxPool1dConfig,
    MaxPool2dConfig,
};
use burn::nn::{PaddingConfig2d, PaddingConfig3d, Unfold4dConfig};
use burn::tensor::{Device, Tensor};

#[test]
fn convolutions() {
    let device = Device::flex();
    let conv = Conv1dConfig::new(4, 6, 3).with_stride(2).with_padding(PaddingConfig1d::Explicit(1, 2)).init(&device);
    module(conv, |m: &Conv1d, x| m.forward(x), floats([2, 4, 11]));
    let conv = Conv1dConfig::new(4, 6, 3).with_groups(2).with_dilation(2).with_bias(false).init(&device);
    module(conv, |m: &Conv1d, x| m.forward(x), floats([2, 4, 11]));
    let conv = Conv2dConfig::new([2, 4], [3, 2])
        .with_stride([2, 1])
        .with_padding(PaddingConfig2d::Explicit(1, 0, 1, 0))
        .init(&device);
    module(conv, |m: &Conv2d, x| m.forward(x), floats([2, 2, 7, 6]));
    let conv = Conv2dConfig::new([4, 4], [3, 3]).with_groups(4).with_padding(PaddingConfig2d::Same).init(&device);
    module(conv, |m: &Conv2d, x| m.forward(x), floats([2, 4, 7, 6]));
    let conv = Conv3dConfig::new([2, 3], [2, 3, 2]).with_padding(PaddingConfig3d::Explicit(1, 0, 1)).init(&device);
    module(conv, |m: &Conv3d, x| m.forward(x), floats([1, 2, 4, 5, 3]));
}

#[test]
fn transposed_convolutions() {
    let device = Device::flex();
    let conv = ConvTranspose1dConfig::new([4, 6], 3).with_stride(2).with_padding(1).with_padding_out(1).init(&device);
    module(conv, |m: &ConvTranspose1d, x| m.forward(x), floats([2, 4, 5]));
    let conv = ConvTranspose2dConfig::new([4, 6], [3, 2])
        .with_groups(2)
        .with_stride([1, 3])
        .with_dilation([2, 1])
        .init(&device);
    module(conv, |m: &ConvTranspose2d, x| m.forward(x), floats([2, 4, 5, 4]));
    let conv = ConvTranspose3dConfig::new([2, 3], [2, 2, 3]).with_stride([2, 1, 1]).init(&device);
    module(conv, |m: &ConvTranspose3d, x| m.forward(x), floats([1, 2, 3, 3, 4]));
}

#[test]
fn pooling() {
    let x = || floats([2, 3, 7, 8]);
    type T = Tensor<4>;
    for ceil in [false, true] {
        let max = MaxPool2dConfig::new([2, 3]).with_strides([2, 2]).with_padding(PaddingConfig2d::Explicit(1, 1, 1, 1));
        let max = max.with_ceil_mode(ceil).init();
        function(|x: T| max.forward(x), x());
        let max = MaxPool1dConfig::new(3).with_stride(2).with_dilation(2).with_ceil_mode(ceil).init();
        function(|x: Tensor<3>| max.forward(x), floats([2, 3, 10]));
        for count in [false, true] {
            let average =
                AvgPool2dConfig::new([3, 2]).with_strides([2, 2]).with_padding(PaddingConfig2d::Explicit(1, 1, 1, 1));
            let average = average.with_count_include_pad(count).with_ceil_mode(ceil).init();
            function(|x: T| average.forward(x), x());
            let average =
                AvgPool1dConfig::new(2).with_stride(3).with_count_include_pad(count).with_ceil_mode(ceil).init();
            function(|x: Tensor<3>| average.forward(x), floats([2, 3, 10]));
        }
    }
}

#[test]
fn adaptive_pooling() {
    for size in [[2, 4], [3, 5], [7, 8], [1, 1]] {
        let pool = AdaptiveAvgPool2dConfig::new(size).init();
        function(|x: Tensor<4>| pool.forward(x), floats([2, 3, 7, 8]));
    }
    for size in [1, 3, 5] {
        let pool = AdaptiveAvgPool1dConfig::new(size).init();
        function(|x: Tensor<3>| pool.forward(x), floats([2, 3, 10]));
    }
}

#[test]
fn unfolding() {
    let unfold = Unfold4dConfig::new([2, 3]).with_stride([2, 1]).with_padding([1, 0]).with_dilation([1, 2]).init();
    function(|x: Tensor<4>| unfold.forward(x), floats([2, 3, 5, 7]));
}
