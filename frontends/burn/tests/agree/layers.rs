//! Layers of `burn::nn`.

use super::harness::{floats, function, ints, module, module_in};
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::gru::{Gru, GruConfig};
use burn::nn::norm::{
    BatchNorm, BatchNormConfig, GroupNorm, GroupNormConfig, InstanceNorm, InstanceNormConfig, LayerNorm,
    LayerNormConfig, RmsNorm, RmsNormConfig,
};
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::transformer::{TransformerEncoder, TransformerEncoderConfig, TransformerEncoderInput};
use burn::nn::{
    Embedding, EmbeddingConfig, Linear, LinearConfig, Lstm, LstmConfig, PositionalEncoding, PositionalEncodingConfig,
    RotaryEncodingConfig, SwiGlu, SwiGluConfig,
};
use burn::tensor::{Device, Int, Tensor};
use partita_burn::capture::Mode;

#[test]
fn linear_and_embedding() {
    let device = Device::flex();
    module(LinearConfig::new(4, 6).init(&device), |m: &Linear, x| m.forward::<1>(x), floats([4]));
    module(LinearConfig::new(4, 6).init(&device), |m: &Linear, x| m.forward::<2>(x), floats([3, 4]));
    module(LinearConfig::new(4, 6).init(&device), |m: &Linear, x| m.forward::<4>(x), floats([2, 3, 5, 4]));
    module(
        LinearConfig::new(4, 6).with_bias(false).init(&device),
        |m: &Linear, x| m.forward::<3>(x),
        floats([2, 3, 4]),
    );
    module(EmbeddingConfig::new(9, 4).init(&device), |m: &Embedding, x: Tensor<2, Int>| m.forward(x), ints([2, 3], 9));
    module(SwiGluConfig::new(4, 6).init(&device), |m: &SwiGlu, x: Tensor<3>| m.forward(x), floats([2, 3, 4]));
}

#[test]
fn norms() {
    let device = Device::flex();
    module(LayerNormConfig::new(6).init(&device), |m: &LayerNorm, x: Tensor<3>| m.forward(x), floats([2, 3, 6]));
    module(RmsNormConfig::new(6).init(&device), |m: &RmsNorm, x: Tensor<3>| m.forward(x), floats([2, 3, 6]));
    module(GroupNormConfig::new(3, 6).init(&device), |m: &GroupNorm, x: Tensor<4>| m.forward(x), floats([2, 6, 4, 5]));
    module(
        InstanceNormConfig::new(6).init(&device),
        |m: &InstanceNorm, x: Tensor<4>| m.forward(x),
        floats([2, 6, 4, 5]),
    );
    module(BatchNormConfig::new(6).init(&device), |m: &BatchNorm, x: Tensor<4>| m.forward(x), floats([2, 6, 4, 5]));
}

#[test]
fn recurrent_layers() {
    let device = Device::flex();
    module(LstmConfig::new(4, 5, true).init(&device), |m: &Lstm, x| m.forward(x, None).0, floats([2, 3, 4]));
    module(GruConfig::new(4, 5, true).init(&device), |m: &Gru, x| m.forward(x, None), floats([2, 3, 4]));
}

#[test]
fn transformers() {
    let device = Device::flex();
    let attention = MultiHeadAttentionConfig::new(8, 2).init(&device);
    module(attention, |m: &MultiHeadAttention, x| m.forward(MhaInput::self_attn(x)).context, floats([2, 3, 8]));
    let encoder = TransformerEncoderConfig::new(8, 16, 2, 2).with_norm_first(true).init(&device);
    module(encoder, |m: &TransformerEncoder, x| m.forward(TransformerEncoderInput::new(x)), floats([2, 3, 8]));
}

#[test]
fn position_encodings() {
    let device = Device::flex();
    let encoding = PositionalEncodingConfig::new(8).with_max_sequence_size(6).init(&device);
    module(encoding, |m: &PositionalEncoding, x| m.forward(x), floats([2, 3, 8]));
    function(|x: Tensor<4>| RotaryEncodingConfig::new(6, 8).init(&x.device()).forward(x), floats([2, 2, 6, 8]));
}

#[test]
fn layers_in_training_mode() {
    let device = Device::flex();
    let encoder = TransformerEncoderConfig::new(8, 16, 2, 2).with_dropout(0.0).init(&device);
    let forward = |m: &TransformerEncoder, x| m.forward(TransformerEncoderInput::new(x));
    module_in(Mode::Training, encoder, forward, floats([2, 3, 8]));
    module_in(
        Mode::Training,
        LayerNormConfig::new(6).init(&device),
        |m: &LayerNorm, x: Tensor<3>| m.forward(x),
        floats([2, 3, 6]),
    );
    module_in(
        Mode::Training,
        LstmConfig::new(4, 5, true).init(&device),
        |m: &Lstm, x| m.forward(x, None).0,
        floats([2, 3, 4]),
    );
    let pool = MaxPool2dConfig::new([2, 2]).init();
    module_in(Mode::Training, pool, |m: &MaxPool2d, x| m.forward(x), floats([2, 3, 6, 6]));
}
