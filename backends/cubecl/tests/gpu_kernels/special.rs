//! Functions of NaN, infinities and signed zeros, compared bit by bit.

use super::outputs;
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::{Data, Tensor};

/// Numbers that need special treatment in some kernels.
const SPECIAL: [f64; 16] = [
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -2.5,
    0.300_000_011_920_928_96,
    -0.300_000_011_920_928_96,
    0.499_999_970_197_677_6,
    8_388_609.0,
    -8_388_609.0,
];

/// Asserts that all results have the bits of the reference, or are NaN where the reference is NaN.
fn assert_same(text: &str, inputs: &[Tensor]) {
    let (want, got) = outputs(text, inputs);
    for (result, (got, want)) in got.iter().zip(&want).enumerate() {
        let (Data::F32(got), Data::F32(want)) = (&got.data, &want.data) else { panic!("results are floats") };
        assert_eq!(got.len(), want.len());
        for (at, (x, y)) in got.iter().zip(want).enumerate() {
            let is_same = x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
            assert!(is_same, "result {result}, element {at}: {x:?} is not {y:?}\n{text}");
        }
    }
}

/// Returns all pairs of special numbers.
fn pairs(dtype: DType) -> [Tensor; 2] {
    let n = SPECIAL.len();
    let ty = Type::new(dtype, [n, n]);
    let by = |which: fn(usize, usize) -> usize| (0..n * n).map(|i| SPECIAL[which(i / n, i % n)]).collect();
    [Tensor::from_floats(ty.clone(), by(|row, _| row)), Tensor::from_floats(ty, by(|_, column| column))]
}

#[test]
fn maxima_and_minima_preserve_nan_and_signed_zeros() {
    for (name, dtype) in [("f32", DType::F32), ("bf16", DType::BF16), ("f16", DType::F16)] {
        let text = format!(
            "form local
            input %x : {name}[16, 16]
            input %y : {name}[16, 16]
              %a = max %x, %y : {name}[16, 16]
              %b = min %x, %y : {name}[16, 16]
              %c = clamp %x, %y, %a : {name}[16, 16]
              %p = add %x, %y : {name}[16, 16]
              %d = reduce max [1] %p : {name}[16]
              %e = reduce min [0] %y : {name}[16]
            output %a \"a\"
            output %b \"b\"
            output %c \"c\"
            output %d \"d\"
            output %e \"e\""
        );
        assert_same(&text, &pairs(dtype));
    }
}

/// Each row contains two special numbers at distant positions.
#[test]
fn reductions_preserve_nan_and_signed_zeros() {
    const ITEMS: usize = 3000;
    let rows = SPECIAL.len() * SPECIAL.len();
    // In every other row, the elements between them are zeros of the opposite sign, which must not win.
    let item = |i: usize| match (i / ITEMS, i % ITEMS) {
        (row, 3) => SPECIAL[row / SPECIAL.len()],
        (row, 2700) => SPECIAL[row % SPECIAL.len()],
        (row, _) if row % 2 == 0 => -0.0,
        _ => 0.0,
    };
    let numbers: Vec<f64> = (0..rows * ITEMS).map(item).collect();
    let x = Tensor::from_floats(Type::new(DType::F32, [rows, ITEMS]), numbers);
    let text = format!(
        "form local
        input %x : f32[{rows}, {ITEMS}]
          %a = reduce max [1] %x : f32[{rows}]
          %b = reduce min [1] %x : f32[{rows}]
          %n = neg %x : f32[{rows}, {ITEMS}]
          %c = reduce max [0] %n : f32[{ITEMS}]
        output %a \"a\"
        output %b \"b\"
        output %c \"c\""
    );
    assert_same(&text, &[x]);
}

#[test]
fn windows_preserve_nan_and_signed_zeros() {
    let [x, y] = pairs(DType::F32);
    let text = "form local
        input %x : f32[16, 16]
        input %y : f32[16, 16]
          %a = reduce_window max [(1), (3)] %y : f32[16, 14]
          %b = reduce_window min [(2 stride 2), (1)] %x : f32[8, 16]
          %c = reduce_window max [(16 pad 15 0), (1)] %x : f32[16, 16]
        output %a \"a\"
        output %b \"b\"
        output %c \"c\"";
    assert_same(text, &[x, y]);
}

#[test]
fn collectives_preserve_nan_and_signed_zeros() {
    for (name, dtype) in [("f32", DType::F32), ("bf16", DType::BF16)] {
        let [x, y] = pairs(dtype);
        let (Data::F32(x), Data::F32(y)) = (&x.data, &y.data) else { panic!("floats") };
        let both: Vec<f64> = x.iter().chain(y).map(|&x| x.into()).collect();
        let both = Tensor::from_floats(Type::new(dtype, [32, 16]), both);
        let text = format!(
            "form local
            mesh @m = [x=2]
            input %x : {name}[32@x, 16]
              %a = all_reduce max over x %x : {name}[16, 16]
              %b = all_reduce min over x %x : {name}[16, 16]
            output %a \"a\"
            output %b \"b\""
        );
        assert_same(&text, &[both]);
    }
}

#[test]
fn unary_functions_preserve_nan_and_signed_zeros() {
    let names = ["abs", "neg", "sign", "relu", "floor", "ceil", "round", "round_even", "sqrt", "reciprocal"];
    let mut text = String::from("form local\ninput %x : f32[16, 16]\n");
    names.iter().for_each(|name| text += &format!("%{name} = {name} %x : f32[16, 16]\n"));
    names.iter().for_each(|name| text += &format!("output %{name} \"{name}\"\n"));
    let [x, _] = pairs(DType::F32);
    assert_same(&text, &[x]);
}

/// A NaN score makes its row NaN, and no other row.
#[test]
fn attention_preserves_nan() {
    for (name, dtype) in [("f32", DType::F32), ("bf16", DType::BF16)] {
        let text = format!(
            "form local
            input %q : {name}[70, 16]
            input %k : {name}[70, 16]
            input %v : {name}[70, 16]
            input %g : {name}[70, 16]
              %y = attention causal scale 0.25 %q, %k, %v : {name}[70, 16]
              %a, %b, %c = attention_grad causal scale 0.25 %q, %k, %v, %y, %g : {name}[70, 16], {name}[70, 16], {name}[70, 16]
            output %y \"y\"
            output %a \"a\""
        );
        let ty = Type::new(dtype, [70, 16]);
        let numbers = |seed: usize| (0..70 * 16).map(|i| ((i + 7 * seed) as f64).sin()).collect::<Vec<f64>>();
        let mut q = numbers(0);
        q[20 * 16 + 3] = f64::NAN;
        let inputs = [q, numbers(1), numbers(2), numbers(3)].map(|items| Tensor::from_floats(ty.clone(), items));
        let (want, got) = outputs(&text, &inputs);
        for (got, want) in got.iter().zip(&want) {
            let (Data::F32(got), Data::F32(want)) = (&got.data, &want.data) else { panic!("results are floats") };
            let rows = |all: &[f32]| -> Vec<usize> {
                (0..70).filter(|r| all[r * 16..][..16].iter().any(|x| x.is_nan())).collect()
            };
            assert_eq!(rows(want), [20]);
            assert_eq!(rows(got), [20], "{name}");
        }
    }
}
