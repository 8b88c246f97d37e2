//! Convolutions compared to the definition, element by element, and evaluated on the shards of their sharding rules.

use super::*;
use crate::dtype::DType;
use crate::program::ops::testing::{assert_rule_holds, count_up, eval, floats, infer_error, ints};
use proptest::prelude::*;

/// Creates a convolution with dimensions in the order batch, feature, spatial. The kernel has output features first.
fn conv(windows: &[Window]) -> Convolution {
    let spatial = 2..windows.len() + 2;
    let dims = |first: [usize; 2]| -> Dims { first.into_iter().chain(spatial.clone()).collect() };
    Convolution {
        dims: ConvDims { input: dims([0, 1]), kernel: dims([1, 0]), output: dims([0, 1]) },
        windows: windows.to_vec(),
        reverse: Dims::new(),
        feature_groups: GroupCount(1),
        batch_groups: GroupCount(1),
    }
}

fn window(size: usize) -> Window {
    Window { size, ..Window::default() }
}

#[test]
fn one_dimensional_windows() {
    let x = ints(DType::F32, [1, 1, 5], &[1, 2, 3, 4, 5]);
    let k = ints(DType::F32, [1, 1, 3], &[1, 0, -1]);
    let out = |op: Convolution, want: &[i64]| {
        assert_eq!(eval(op, &[x.clone(), k.clone()]), [ints(DType::F32, [1, 1, want.len()], want)]);
    };
    out(conv(&[window(3)]), &[-2, -2, -2]);
    out(Convolution { reverse: smallvec![0], ..conv(&[window(3)]) }, &[2, 2, 2]);
    out(conv(&[Window { low: 1, high: 1, stride: 2, ..window(3) }]), &[-2, -2, 4]);
    out(conv(&[Window { dilation: 2, ..window(3) }]), &[-4]);
    out(conv(&[Window { base: 2, ..window(3) }]), &[-1, 0, -1, 0, -1, 0, -1]);
    out(conv(&[Window { low: -1, high: -1, ..window(3) }]), &[-2]);
}

#[test]
fn groups_do_not_mix() {
    let x = ints(DType::I32, [1, 2, 2], &[1, 2, 3, 4]);
    let k = ints(DType::I32, [2, 1, 1], &[10, 100]);
    let op = Convolution { feature_groups: GroupCount(2), ..conv(&[window(1)]) };
    assert_eq!(eval(op, &[x, k.clone()]), [ints(DType::I32, [1, 2, 2], &[10, 20, 300, 400])]);
    let x = ints(DType::I32, [2, 1, 2], &[1, 2, 3, 4]);
    let op = Convolution { batch_groups: GroupCount(2), ..conv(&[window(1)]) };
    assert_eq!(eval(op, &[x, k]), [ints(DType::I32, [1, 2, 2], &[10, 20, 300, 400])]);
}

#[test]
fn mismatches_are_errors() {
    let ty = |shape: &[usize]| Type::new(DType::F32, shape);
    let (x, k) = (ty(&[4, 6, 8]), ty(&[10, 6, 3]));
    let op = conv(&[window(3)]);
    assert_eq!(infer_error(conv(&[window(2)]), &[&x, &k]), "window 0 has size 2, but the kernel has 3");
    assert_eq!(
        infer_error(op.clone(), &[&x, &ty(&[10, 5, 3])]),
        "the kernel takes 5 input features, but a group of f32[4, 6, 8] has 6"
    );
    assert_eq!(
        infer_error(op.clone(), &[&ty(&[4]), &ty(&[4])]),
        "has 3 input dimension numbers but f32[4] has 1 dimension"
    );
    let grouped = |features, batch| Convolution {
        feature_groups: GroupCount(features),
        batch_groups: GroupCount(batch),
        ..op.clone()
    };
    assert_eq!(infer_error(grouped(4, 1), &[&x, &k]), "6 input features do not fall into 4 groups");
    assert_eq!(infer_error(grouped(0, 1), &[&x, &k]), "has 0 groups");
    assert_eq!(infer_error(grouped(1, 3), &[&x, &k]), "10 output features do not fall into 3 groups");
    assert_eq!(infer_error(grouped(2, 2), &[&x, &k]), "cannot have feature groups and batch groups at once");
    let backwards = Convolution { reverse: smallvec![1], ..op.clone() };
    assert_eq!(infer_error(backwards, &[&x, &k]), "mirrors spatial dimension 1 of 1");
    let mut twice = op;
    twice.dims.output = smallvec![0, 0, 2];
    assert_eq!(infer_error(twice, &[&x, &k]), "dimension 0 is named twice");
}

#[test]
fn sharding_rules() {
    let ty = |shape: &[usize]| Type::new(DType::F32, shape);
    let rule = |op: &Convolution, x: &[usize], k: &[usize]| {
        let (x, k) = (ty(x), ty(k));
        let outs = op.infer(&Program::default(), &[&x, &k], &[]).unwrap();
        op.rule(&[&x, &k], &[&outs[0]]).to_string()
    };
    let same = Window { low: 1, high: 1, ..window(3) };
    assert_eq!(
        rule(&conv(&[same]), &[4, 6, 8], &[10, 6, 3]),
        "([b,c,d],[a,c,e])->([b,a,d]) {a=10,b=4,c=6,d=8,e=3} kinds={c:sum,d:window,e:need_replication} linear=[{0},{1}]"
    );
    let patches = Window { stride: 4, ..window(4) };
    assert_eq!(
        rule(&conv(&[patches]), &[4, 6, 8], &[10, 6, 4]),
        "([b,c,d],[a,c,e])->([b,a,d]) {a=10,b=4,c=6,d=2,e=4} kinds={c:sum,d:window,e:need_replication} linear=[{0},{1}]"
    );
    // A single window is a contraction.
    assert_eq!(
        rule(&conv(&[patches]), &[4, 6, 4], &[10, 6, 4]),
        "([b,c,d],[a,c,d])->([b,a,]) {a=10,b=4,c=6,d=4} kinds={c:sum,d:sum} linear=[{0},{1}]"
    );
    let depthwise = Convolution { feature_groups: GroupCount(6), ..conv(&[same]) };
    assert_eq!(
        rule(&depthwise, &[4, 6, 8], &[12, 1, 3]),
        "([c,a,d],[ab,,e])->([c,ab,d]) {a=6,b=2,c=4,d=8,e=3} kinds={d:window,e:need_replication} linear=[{0},{1}]"
    );
    // The gradient of a kernel: the image is as large as the "kernel", and three windows cover all of it.
    assert_eq!(
        rule(&conv(&[Window { low: 1, high: 1, ..window(8) }]), &[6, 4, 8], &[10, 4, 8]),
        "([b,c,d],[a,c,d])->([b,a,e]) {a=10,b=6,c=4,d=8,e=3} kinds={c:sum,d:window,e:need_replication} linear=[{0},{1}]"
    );
    let (x, k, y) = (ty(&[4, 6, 8]), ty(&[10, 6, 3]), ty(&[4, 10, 8]));
    assert_eq!(conv(&[same]).flops(&[&x, &k], &[&y]), 2 * (4 * 10 * 8) * (6 * 3));
}

#[derive(Clone, Debug)]
struct Case {
    op: Convolution,
    input: Shape,
    kernel: Shape,
}

fn cases() -> impl Strategy<Value = Case> {
    let window = (1usize..4, 1usize..3, -1i64..3, -1i64..3, 1usize..3, 1usize..3)
        .prop_map(|(size, stride, low, high, dilation, base)| Window { size, stride, low, high, dilation, base });
    let spatial = proptest::collection::vec((window, 3usize..6, any::<bool>()), 0..3);
    let groups = prop_oneof![Just((1, 1)), Just((2, 1)), Just((1, 2))];
    (spatial, groups, (1usize..4, 1usize..4, 1usize..4))
        .prop_flat_map(|(spatial, groups, sizes)| {
            let order = || Just((0..spatial.len() + 2).collect::<Vec<_>>()).prop_shuffle();
            let orders = [order(), order(), order()];
            (Just(spatial), Just(groups), Just(sizes), orders)
        })
        .prop_map(|(spatial, (features, batches), (n, c, o), [x, k, y])| {
            let place = |order: &[usize], sizes: Vec<usize>| -> Shape {
                let mut shape = Shape(smallvec![0; sizes.len()]);
                order.iter().zip(sizes).for_each(|(&d, n)| shape[d] = n);
                shape
            };
            let with = |first: [usize; 2], f: &dyn Fn(&(Window, usize, bool)) -> usize| -> Vec<usize> {
                first.into_iter().chain(spatial.iter().map(f)).collect()
            };
            let input = place(&x, with([n * batches, c * features], &|s| s.1));
            let kernel = place(&k, with([c, o * features * batches], &|s| s.0.size));
            let reverse = (0..spatial.len()).filter(|&d| spatial[d].2).collect();
            let op = Convolution {
                dims: ConvDims { input: x.into(), kernel: k.into(), output: y.into() },
                windows: spatial.iter().map(|s| s.0).collect(),
                reverse,
                feature_groups: GroupCount(features),
                batch_groups: GroupCount(batches),
            };
            Case { op, input, kernel }
        })
}

/// Returns all indices of a tensor of the given shape.
fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..shape.iter().product()).map(|mut at: usize| {
        let mut index = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            index[d] = at % shape[d];
            at /= shape[d];
        }
        index
    })
}

/// Computes a convolution by its definition, element by element.
fn direct(op: &Convolution, x: &Tensor, k: &Tensor, ty: &Type) -> Tensor {
    let at = |t: &Tensor, dims: &Dims, index: &[usize]| -> i64 {
        let strides = t.ty.shape.strides();
        t.get(dims.iter().zip(index).map(|(&d, i)| strides[d] * i).sum()).to_i64()
    };
    let canonical = |shape: &Shape, dims: &Dims| -> Vec<usize> { dims.iter().map(|&d| shape[d]).collect() };
    let (ks, xs) = (canonical(&k.ty.shape, &op.dims.kernel), canonical(&x.ty.shape, &op.dims.input));
    let mut out = vec![0; ty.shape.count()];
    let strides = ty.shape.strides();
    for y in indices(&canonical(&ty.shape, &op.dims.output)) {
        let group = y[1] / (ks[1] / op.groups());
        let batch = if op.batch_groups.0 > 1 { group * (xs[0] / op.batch_groups.0) + y[0] } else { y[0] };
        let taps: Vec<usize> = [&[ks[0]], &ks[2..]].concat();
        let sum = indices(&taps).filter_map(|tap| {
            let feature = if op.feature_groups.0 > 1 { group * ks[0] + tap[0] } else { tap[0] };
            let (mut input, mut kernel) = (vec![batch, feature], vec![tap[0], y[1]]);
            for (d, w) in op.windows.iter().enumerate() {
                let place = (y[d + 2] * w.stride + tap[d + 1] * w.dilation) as i64 - w.low;
                let element = usize::try_from(place).ok().filter(|p| p.is_multiple_of(w.base))? / w.base;
                input.push(Some(element).filter(|&e| e < xs[d + 2])?);
                kernel.push(if op.reverse.contains(&d) { w.size - 1 - tap[d + 1] } else { tap[d + 1] });
            }
            Some(at(x, &op.dims.input, &input) * at(k, &op.dims.kernel, &kernel))
        });
        out[op.dims.output.iter().zip(&y).map(|(&d, i)| strides[d] * i).sum::<usize>()] = sum.sum();
    }
    ints(ty.dtype, ty.shape.clone(), &out)
}

proptest! {
    #[test]
    fn agrees_with_the_definition(case in cases()) {
        let Case { op, input, kernel } = case;
        let types = [Type::new(DType::F64, input), Type::new(DType::F64, kernel)];
        let inferred = op.infer(&Program::default(), &[&types[0], &types[1]], &[]);
        prop_assume!(inferred.is_ok());
        let [x, k] = types.map(|ty| count_up(DType::F64, ty.shape));
        let out = eval(op.clone(), &[x.clone(), k.clone()]).remove(0);
        prop_assert_eq!(&out, &direct(&op, &x, &k, &inferred.unwrap()[0]));
        assert_rule_holds(op, &[x, k]);
    }
}

#[test]
fn empty_inputs_have_empty_results() {
    let x = floats(DType::F32, [0, 1, 4], &[]);
    let k = count_up(DType::F32, [2, 1, 3]);
    assert_eq!(eval(conv(&[window(3)]), &[x, k]), [floats(DType::F32, [0, 2, 2], &[])]);
}
