//! Attention, products, losses, and the import of composites as single ops.

use super::harness::{floats, function, ints};
use burn::nn::loss::{CrossEntropyLossConfig, MseLoss, Reduction};
use burn::tensor::ops::AttentionModuleOptions;
use burn::tensor::{Bool, Device, Int, Tensor, module::attention};
use partita_ir::program::Program;

type T = Tensor<4>;

fn has(program: &Program, name: &str) -> bool {
    program.funcs[program.entry()].ops().iter().any(|&op| program.ops[op].kind.name() == name)
}

#[test]
fn attention_with_every_option() {
    let (q, k, v) = (floats([2, 3, 4, 8]), floats([2, 3, 5, 8]), floats([2, 3, 5, 6]));
    let plain = AttentionModuleOptions::default();
    let causal = AttentionModuleOptions { is_causal: true, ..plain };
    let capped = AttentionModuleOptions { softcap: Some(2.0), scale: Some(0.3), ..plain };
    let program =
        function(|(q, k, v): (T, T, T)| attention(q, k, v, None, None, plain), (q.clone(), k.clone(), v.clone()));
    assert!(has(&program, "attention"));
    let program = function(|x: T| attention(x.clone(), x.clone(), x, None, None, causal), q.clone());
    assert!(has(&program, "attention"));
    function(|(q, k, v): (T, T, T)| attention(q, k, v, None, None, causal), (q.clone(), k.clone(), v.clone()));
    let bent = AttentionModuleOptions { is_causal: true, ..capped };
    function(|(q, k, v): (T, T, T)| attention(q, k, v, None, None, bent), (q.clone(), k.clone(), v.clone()));
    function(|(q, k, v): (T, T, T)| attention(q, k, v, None, None, capped), (q.clone(), k.clone(), v.clone()));
    let mask = |like: &T| -> Tensor<4, Bool> {
        Tensor::<2, Bool>::tril_mask([4, 5], 1, &like.device()).unsqueeze::<4>().expand([2, 3, 4, 5])
    };
    let program = function(
        |(q, k, v): (T, T, T)| attention(q.clone(), k, v, Some(mask(&q)), None, plain),
        (q.clone(), k.clone(), v.clone()),
    );
    assert!(has(&program, "attention"));
    function(|(q, k, v, b): (T, T, T, T)| attention(q, k, v, None, Some(b), plain), (q, k, v, floats([2, 3, 4, 5])));
}

#[test]
fn products() {
    function(|(x, y): (Tensor<2>, Tensor<2>)| x.matmul(y), (floats([3, 4]), floats([4, 5])));
    function(|(x, y): (Tensor<3>, Tensor<3>)| x.matmul(y), (floats([6, 3, 4]), floats([1, 4, 5])));
    function(|(x, y): (Tensor<3>, Tensor<3>)| x.matmul(y), (floats([1, 3, 4]), floats([6, 4, 5])));
    function(|(x, y): (T, T)| x.matmul(y), (floats([2, 1, 3, 4]), floats([1, 5, 4, 2])));
    function(|(x, y): (T, T)| x.matmul(y.transpose()), (floats([2, 5, 3, 4]), floats([2, 1, 6, 4])));
    function(|(x, y): (T, T)| x.matmul(y), (floats([1, 1, 3, 4]), floats([1, 1, 4, 2])));
    function(|(x, y): (Tensor<2>, Tensor<2>)| x.cross(y, 1), (floats([4, 3]), floats([4, 3])));
    function(|(x, y): (Tensor<2, Int>, Tensor<2, Int>)| x.matmul(y), (ints([3, 4], 9), ints([4, 5], 9)));
}

#[test]
fn losses() {
    let device = Device::flex();
    let logits = || floats([6, 5]);
    type Case = (Tensor<2>, Tensor<1, Int>);
    let loss = CrossEntropyLossConfig::new().init(&device);
    let program = function(|(x, y): Case| loss.forward(x, y), (logits(), ints([6], 5)));
    assert!(has(&program, "cross_entropy") && !has(&program, "log_softmax"));
    let smooth = |d: &Device| CrossEntropyLossConfig::new().with_smoothing(Some(0.1)).init(d);
    function(|(x, y): Case| smooth(&x.device()).forward(x, y), (logits(), ints([6], 5)));
    let padded = |d: &Device| CrossEntropyLossConfig::new().with_pad_tokens(Some(vec![1])).init(d);
    function(|(x, y): Case| padded(&x.device()).forward(x, y), (logits(), ints([6], 5)));
    let flat = |(x, y): (Tensor<3>, Tensor<2, Int>)| {
        CrossEntropyLossConfig::new().init(&x.device()).forward(x.flatten(0, 1), y.flatten(0, 1))
    };
    let program = function(flat, (floats([2, 3, 5]), ints([2, 3], 5)));
    assert!(has(&program, "cross_entropy"));
    function(|(x, y): (Tensor<2>, Tensor<2>)| MseLoss::new().forward(x, y, Reduction::Mean), (logits(), logits()));
}
