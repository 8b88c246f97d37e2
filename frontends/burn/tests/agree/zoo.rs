//! The built-in models.

use super::harness::{floats, ints, module};
use burn::tensor::{Device, Int, Tensor};
use partita_burn::zoo::bert::Bert;
use partita_burn::zoo::gpt::Gpt;
use partita_burn::zoo::loss::cross_entropy;
use partita_burn::zoo::mlp::Mlp;
use partita_burn::zoo::mnist_cnn::MnistCnn;
use partita_burn::zoo::moe::{Moe, MoeConfig};
use partita_burn::zoo::transformer::BlockConfig;

const BLOCK: BlockConfig = BlockConfig { width: 8, heads: 2, hidden: 16, dropout: 0.0, causal: true };
type Ids = Tensor<2, Int>;

#[test]
fn mlp() {
    module(Mlp::new(4, 6, 9, 0.0, &Device::flex()), |m: &Mlp, x| m.forward(x), floats([5, 6]));
}

#[test]
fn mnist_cnn() {
    module(MnistCnn::new(10, 7, 0.0, false, &Device::flex()), |m: &MnistCnn, x| m.forward(x), floats([3, 1, 10, 10]));
}

#[test]
fn gpt() {
    for tied in [true, false] {
        let gpt = Gpt::new(2, &BLOCK, 5, 11, tied, &Device::flex());
        let forward = |m: &Gpt, (x, y): (Ids, Ids)| {
            let logits = m.forward(x);
            (logits.clone(), cross_entropy(logits, y.unsqueeze_dim(2)))
        };
        module(gpt, forward, (ints([2, 5], 11), ints([2, 5], 11)));
    }
}

#[test]
fn bert() {
    let config = BlockConfig { causal: false, ..BLOCK };
    let bert = Bert::new(2, &config, 5, 11, true, &Device::flex());
    module(bert, |m: &Bert, (x, s): (Ids, Ids)| m.forward(x, s), (ints([2, 5], 11), ints([2, 5], 2)));
}

#[test]
fn moe() {
    let config = MoeConfig { experts: 3, width: 8, hidden: 12, capacity: 2, dropout: 0.0 };
    let moe = Moe::new(2, &config, &Device::flex());
    let forward = |m: &Moe, x: Tensor<3>| {
        let (y, balance) = m.forward(x);
        (y, Tensor::cat(balance, 0))
    };
    module(moe, forward, floats([2, 6, 8]));
}
