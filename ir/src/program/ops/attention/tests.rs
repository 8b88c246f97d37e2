//! Tests of attention.

use super::*;
use crate::program::ops::AttentionGrad;
use crate::program::ops::testing::{
    assert_close, assert_decomposes, assert_rule_holds, count_up, eval, floats, infer_error, ints,
};

/// Returns q, k and v for two batches, s = 2, t = 4, d = 3, e = 2.
fn operands(dtype: DType) -> [Tensor; 3] {
    let part = |shape: [usize; 3], step: i64| {
        let items: Vec<i64> = (0..shape.iter().product::<usize>() as i64).map(|i| i * step % 7 - 3).collect();
        ints(dtype, shape, &items)
    };
    [part([2, 2, 3], 5), part([2, 4, 3], 3), part([2, 4, 2], 2)]
}

#[test]
fn attends_to_matching_keys() {
    let q = floats(DType::F64, [1, 2], &[0.0, 1.0]);
    let k = floats(DType::F64, [2, 2], &[5.0, 0.0, 5.0, 1.0]);
    let v = floats(DType::F64, [2, 1], &[0.0, 4.0]);
    // Scores 0 and ln 3: weights 1/4 and 3/4.
    let op = Attention::new(false, 3f64.ln());
    let out = eval(op, &[q, k, v]).remove(0);
    assert_close(&out, &floats(DType::F64, [1, 1], &[3.0]), "weighted");
}

#[test]
fn masked_positions_are_ignored() {
    let zero = |shape: [usize; 2]| floats(DType::F32, shape, &vec![0.0; shape[0] * shape[1]]);
    let (q, k, v) = (zero([3, 1]), zero([2, 1]), floats(DType::F32, [2, 1], &[1.0, 3.0]));
    let args = [q, k, v];
    let causal = Attention::new(true, 1.0);
    // Row i attends to columns j <= i - 1: none, one, both.
    assert_eq!(eval(causal.clone(), &args), [floats(DType::F32, [3, 1], &[0.0, 1.0, 2.0])]);
    let [q, k, v] = args;
    let mask = ints(DType::Bool, [3, 1], &[1, 0, 1]);
    let masked = Attention::new(false, 1.0);
    assert_eq!(eval(masked, &[q.clone(), k.clone(), v.clone(), mask]), [floats(DType::F32, [3, 1], &[2.0, 0.0, 2.0])]);
    let mask = ints(DType::Bool, [2], &[0, 1]);
    assert_eq!(eval(causal, &[q, k, v, mask]), [floats(DType::F32, [3, 1], &[0.0, 0.0, 3.0])]);
}

#[test]
fn mismatches_are_errors() {
    let ty = |shape: &[usize]| Type::new(DType::F32, shape);
    let error = |args: &[&Type]| infer_error(Attention::new(false, 1.0), args);
    let (q, k, v) = (ty(&[2, 3, 4]), ty(&[2, 5, 4]), ty(&[2, 5, 6]));
    assert_eq!(error(&[&q, &k]), "takes q, k, v and perhaps a mask, not 2 operands");
    assert_eq!(error(&[&q, &v, &v]), "needs k of f32[2, 5, 4] for q of f32[2, 3, 4], not f32[2, 5, 6]");
    assert_eq!(
        error(&[&ty(&[4]), &k, &v]),
        "needs q of [batch.., s, d] and v of [batch.., t, e], not f32[4] and f32[2, 5, 6]"
    );
    let mask = Type::new(DType::Bool, [3, 4]);
    assert_eq!(error(&[&q, &k, &v, &mask]), "needs a mask that broadcasts to bool[2, 3, 5], not bool[3, 4]");
}

#[test]
fn rules_hold() {
    for causal in [false, true] {
        let op = Attention::new(causal, 0.5);
        let [q, k, v] = operands(DType::F64);
        let mask = count_up(DType::Bool, [2, 4]);
        let out = Type::new(DType::F64, [2, 2, 2]);
        let rule = op.rule(&[&q.ty, &k.ty, &v.ty, &mask.ty], &[&out]).to_string();
        let want = "([a,b,d],[a,c,d],[a,c,e],[b,c])->([a,b,e]) {a=2,b=2,c=4,d=3,e=2}";
        assert_eq!(rule, format!("{want} kinds={{c:need_replication,d:need_replication}} linear=[{{2}}]"));
        // The rows of a causal attention without positions depend on their index.
        if !causal {
            assert_rule_holds(op.clone(), &[q.clone(), k.clone(), v.clone(), mask.clone()]);
        }
        assert_decomposes(op, &[q, k, v, mask]);
    }
    for dtype in [DType::F16, DType::BF16, DType::F32] {
        assert_decomposes(Attention::new(true, 1.0), &operands(dtype));
    }
}

/// Returns the elements as floats.
fn numbers(x: &Tensor) -> Vec<f64> {
    (0..x.ty.shape.count()).map(|i| x.get(i).to_f64()).collect()
}

#[test]
fn log_sum_exp_is_the_logarithm_of_the_softmax_denominator() {
    let [q, k, v] = operands(DType::F64);
    let op = Attention { log_sum_exp: true, ..Attention::new(true, 0.5) };
    let outs = eval(op, &[q.clone(), k.clone(), v]);
    for batch in 0..2 {
        for row in 0..2 {
            let score = |column: usize| -> f64 {
                let product =
                    |i: usize| q.get((batch * 2 + row) * 3 + i).to_f64() * k.get((batch * 4 + column) * 3 + i).to_f64();
                0.5 * (0..3).map(product).sum::<f64>()
            };
            let want = (0..=row + 2).map(|column| score(column).exp()).sum::<f64>().ln();
            let got = outs[1].get(batch * 2 + row).to_f64();
            assert!((got - want).abs() < 1e-12, "batch {batch}, row {row}: {got}, not {want}");
        }
    }
    let masked = ints(DType::Bool, [2, 1], &[0, 1]);
    let [q, k, v] = operands(DType::BF16);
    let outs = eval(Attention { log_sum_exp: true, ..Attention::new(false, 0.5) }, &[q, k, v, masked]);
    assert_eq!(outs[1].ty, Type::new(DType::F32, [2, 2]));
    assert_eq!(numbers(&outs[1])[0], f64::from(f32::MIN), "no column is visible");
}

#[test]
fn positions_define_the_causal_order() {
    let [q, k, v] = operands(DType::F64);
    let causal = Attention::new(true, 0.5);
    let want = eval(causal.clone(), &[q.clone(), k.clone(), v.clone()]);
    let position = |items: &[i64]| ints(DType::I32, [items.len()], items);
    let args = [q.clone(), k.clone(), v.clone(), position(&[2, 3]), position(&[0, 1, 2, 3])];
    assert_close(&eval(causal.clone(), &args)[0], &want[0], "default positions");
    // A row before all columns attends to none.
    let args = [q, k, v, position(&[-1, 3]), position(&[0, 1, 2, 3])];
    let hidden = eval(causal, &args);
    assert_eq!(numbers(&hidden[0])[..2], [0.0, 0.0]);
    assert_eq!(numbers(&hidden[0])[2..4], numbers(&want[0])[2..4]);
}

#[test]
fn positions_need_a_causal_mask_and_one_number_per_row_and_column() {
    let ty = |shape: &[usize]| Type::new(DType::F32, shape);
    let (q, k, v) = (ty(&[3, 4]), ty(&[5, 4]), ty(&[5, 6]));
    let index = |n: usize, dtype| Type::new(dtype, [n]);
    let (rows, columns) = (index(3, DType::I32), index(5, DType::I32));
    let error = infer_error(Attention::new(false, 1.0), &[&q, &k, &v, &rows, &columns]);
    assert_eq!(error, "has positions, but no causal mask that depends on them");
    let error = |columns: &Type| infer_error(Attention::new(true, 1.0), &[&q, &k, &v, &rows, columns]);
    assert_eq!(error(&index(3, DType::I32)), "needs column positions of i32[5], not i32[3]");
    assert_eq!(error(&index(5, DType::I64)), "needs column positions of i32[5], not i64[5]");
    let error = infer_error(Attention::new(true, 1.0), &[&q, &k, &v, &rows]);
    assert_eq!(error, "needs a mask that broadcasts to bool[3, 5], not i32[3]");
}

#[test]
fn rules_of_optional_operands_hold() {
    let [q, k, v] = operands(DType::F64);
    let positions = [ints(DType::I32, [2], &[2, 0]), ints(DType::I32, [4], &[3, 0, 1, 2])];
    let [rows, columns] = positions;
    let op = Attention { log_sum_exp: true, ..Attention::new(true, 0.5) };
    let args = [q, k, v, count_up(DType::Bool, [2, 4]), rows, columns];
    assert_rule_holds(op.clone(), &args);
    assert_decomposes(op, &args);
}

#[test]
fn exchanged_rows_and_columns_are_one_factor() {
    let ty = |shape: &[usize]| Type::new(DType::F32, shape);
    let (q, v) = (ty(&[2, 8, 4]), ty(&[2, 8, 6]));
    let mask = Type::new(DType::Bool, [8, 8]);
    let op = Attention { context: ContextMethod::Ring, ..Attention::new(true, 1.0) };
    let rule = op.rule(&[&q, &q, &v, &mask], &[&v]).to_string();
    let want = "([a,b,d],[a,b,d],[a,b,e],[b,c])->([a,b,e]) {a=2,b=8,c=8,d=4,e=6}";
    assert_eq!(rule, format!("{want} kinds={{c:need_replication,d:need_replication}} linear=[{{2}}]"));
    let rule = AttentionGrad::from_attention(&op).rule(&[&q, &q, &v, &v, &v, &mask], &[&q, &q, &v]).to_string();
    let want = "([a,b,d],[a,b,d],[a,b,e],[a,b,e],[a,b,e],[b,c])->([a,b,d],[a,b,d],[a,b,e]) {a=2,b=8,c=8,d=4,e=6}";
    assert_eq!(rule, format!("{want} kinds={{c:need_replication,d:need_replication,e:need_replication}}"));
}
