//! Every collective on random meshes, axes and shapes, against a model that knows nothing of threads or copies: it finds
//! each element of each result by arithmetic on indices.

#![allow(clippy::unwrap_used, reason = "a test")]

use partita_ir::arena::AxisId;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{Monoid, local_size};
use partita_ir::mesh::{Axes, AxisRef, Mesh};
use partita_ir::tensor::Tensor;
use partita_runtime::communicator::{Communicator, Site};
use partita_runtime::group::Group;
use partita_runtime::shared::{Limits, Member, World};
use proptest::prelude::*;
use std::sync::Arc;
use std::thread;

/// What each device gets when all run the collective on their values.
fn run(
    mesh: &Arc<Mesh>,
    axes: &[AxisRef],
    values: &[Tensor],
    collective: impl Fn(&Member<'_>, Site<'_>, Arc<Tensor>) -> Result<Arc<Tensor>, Diagnostic> + Sync,
) -> Vec<Tensor> {
    let groups = Group::all(mesh, axes);
    let world = World::new(values.len(), Limits::default());
    let device = |rank: usize| {
        let member = world.enter(rank).unwrap();
        let at = Site { name: "%y = collective", group: &groups[rank] };
        Tensor::clone(&collective(&member, at, Arc::new(values[rank].clone())).unwrap())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..values.len()).map(|rank| scope.spawn(move || device(rank))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    })
}

/// The members of a device's group, by trying all devices: along an axis they have the same coordinate once the digits
/// that the axes name are exchanged.
fn members(mesh: &Mesh, axes: &[AxisRef], rank: usize) -> Vec<usize> {
    let digits = |r: usize| -> Vec<u32> { axes.iter().map(|a| a.index_of(mesh, &mesh.coords(r))).collect() };
    let post = |a: &AxisRef| mesh.size(a.axis) / (a.pre * a.size);
    let rest = |r: usize| -> Vec<u32> {
        let mut coords = mesh.coords(r).to_vec();
        for (a, digit) in axes.iter().zip(digits(r)) {
            coords[a.axis.0 as usize] -= digit * post(a);
        }
        coords
    };
    let mut members: Vec<usize> = (0..mesh.device_count()).filter(|&r| rest(r) == rest(rank)).collect();
    members.sort_by_key(|&r| digits(r));
    members
}

/// Which member holds element `i` of a dimension of `size`, and where in its piece.
fn holder(axes: &[AxisRef], size: usize, i: usize) -> (usize, usize) {
    let (mut n, mut i, mut member) = (size, i, 0);
    for a in axes {
        n = n.div_ceil(a.size as usize);
        member = member * a.size as usize + i / n;
        i %= n;
    }
    (member, i)
}

/// Where the piece of that member begins, by looking for it; `None` when it is empty.
fn piece(axes: &[AxisRef], size: usize, member: usize) -> Option<usize> {
    (0..size).find(|&i| holder(axes, size, i).0 == member)
}

/// A tensor from a function of its index.
fn tensor(ty: &Type, f: impl Fn(&[usize]) -> i64) -> Tensor {
    let strides = ty.shape.strides();
    let items = (0..ty.shape.count()).map(|i| {
        let index: Vec<usize> = strides.iter().zip(ty.shape.iter()).map(|(s, n)| i / s % n).collect();
        f(&index)
    });
    Tensor::from_ints(ty.clone(), items.collect())
}

fn at(tensor: &Tensor, index: &[usize]) -> i64 {
    let flat: usize = index.iter().zip(tensor.ty.shape.strides()).map(|(i, s)| i * s).sum();
    tensor.get(flat).to_i64()
}

fn with(index: &[usize], dim: usize, i: usize) -> Vec<usize> {
    let mut index = index.to_vec();
    index[dim] = i;
    index
}

fn resized(ty: &Type, dim: usize, size: usize) -> Type {
    let mut ty = ty.clone();
    ty.shape[dim] = size;
    ty
}

/// All members' elements at one index combined, as the dtype would have it.
fn fold(monoid: Monoid, dtype: DType, items: impl Iterator<Item = i64>) -> i64 {
    let combined = items.reduce(|a, b| match monoid {
        Monoid::Sum if dtype == DType::Bool => a | b,
        Monoid::Sum => a + b,
        Monoid::Prod => a * b,
        Monoid::Max => a.max(b),
        Monoid::Min => a.min(b),
        Monoid::And => a & b,
        Monoid::Or => a | b,
    });
    Tensor::from_ints(Type::new(dtype, []), vec![combined.unwrap()]).get(0).to_i64()
}

/// A mesh, and axes of it: whole ones and factors, in any order.
fn mesh_and_axes() -> impl Strategy<Value = (Arc<Mesh>, Axes)> {
    let sizes = prop::collection::vec(prop::sample::select(vec![1u32, 2, 3, 4, 6]), 1..=3);
    let small = sizes.prop_filter("at most 12 devices", |s| s.iter().product::<u32>() <= 12);
    small.prop_flat_map(|sizes| {
        let names = ["x", "y", "z"];
        let mesh = Arc::new(Mesh::new("m", names.into_iter().zip(sizes)));
        let mut candidates = Vec::new();
        for axis in (0..mesh.axes.len()).map(|i| AxisId(i as u32)) {
            let whole = AxisRef::whole(&mesh, axis);
            match (1..whole.size).rev().find_map(|n| whole.split(n).filter(|(a, _)| a.size > 1)) {
                Some((major, minor)) => candidates.extend([major, minor]),
                None => candidates.push(whole),
            }
        }
        let count = candidates.len();
        let axes = prop::sample::subsequence(candidates, 0..=count).prop_shuffle();
        axes.prop_map(move |axes| (mesh.clone(), axes.into_iter().collect()))
    })
}

fn dtype() -> impl Strategy<Value = DType> {
    prop::sample::select(DType::ALL.to_vec())
}

fn shape() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0usize..6, 2..=3)
}

/// A different value on every device and at every index, small enough for every dtype and for products.
fn values(mesh: &Mesh, ty: &Type) -> Vec<Tensor> {
    let value = |rank: usize, index: &[usize]| {
        let hash = index.iter().fold(7 * rank + 3, |h, i| h * 31 + i);
        (hash % 5) as i64 - i64::from(ty.dtype.is_float() || matches!(ty.dtype, DType::I64 | DType::I32 | DType::I8))
    };
    (0..mesh.device_count()).map(|rank| tensor(ty, |index| value(rank, index))).collect()
}

fn monoid(dtype: DType) -> impl Strategy<Value = Monoid> {
    let all = Monoid::ALL.into_iter().filter(move |m| !(dtype.is_float() && matches!(m, Monoid::And | Monoid::Or)));
    prop::sample::select(all.collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn all_reduce(
        (mesh, axes) in mesh_and_axes(),
        (dtype, monoid) in dtype().prop_flat_map(|d| (Just(d), monoid(d))),
        shape in shape(),
    ) {
        let ty = Type::new(dtype, &shape[..]);
        let values = values(&mesh, &ty);
        let got = run(&mesh, &axes, &values, |c, at, v| c.all_reduce(at, monoid, v));
        for (rank, got) in got.iter().enumerate() {
            let group = members(&mesh, &axes, rank);
            let want = tensor(&ty, |i| fold(monoid, dtype, group.iter().map(|&m| at(&values[m], i))));
            prop_assert_eq!(got, &want);
        }
    }

    #[test]
    fn all_gather((mesh, axes) in mesh_and_axes(), dtype in dtype(), shape in shape(), dim in 0usize..2) {
        let (whole, size) = (Type::new(dtype, &shape[..]), shape[dim]);
        let values = values(&mesh, &resized(&whole, dim, local_size(size, &axes)));
        let got = run(&mesh, &axes, &values, |c, at, v| c.all_gather(at, dim, size, v));
        for (rank, got) in got.iter().enumerate() {
            let group = members(&mesh, &axes, rank);
            let want = tensor(&whole, |i| {
                let (member, place) = holder(&axes, size, i[dim]);
                at(&values[group[member]], &with(i, dim, place))
            });
            prop_assert_eq!(got, &want);
        }
    }

    #[test]
    fn reduce_scatter(
        (mesh, axes) in mesh_and_axes(),
        (dtype, monoid) in dtype().prop_flat_map(|d| (Just(d), monoid(d))),
        shape in shape(),
        dim in 0usize..2,
    ) {
        let (whole, size) = (Type::new(dtype, &shape[..]), shape[dim]);
        let values = values(&mesh, &whole);
        let got = run(&mesh, &axes, &values, |c, at, v| c.reduce_scatter(at, monoid, dim, v));
        for (rank, got) in got.iter().enumerate() {
            let group = members(&mesh, &axes, rank);
            let me = group.iter().position(|&m| m == rank).unwrap();
            prop_assert_eq!(&got.ty, &resized(&whole, dim, local_size(size, &axes)));
            // Real elements only: padding is undefined.
            for i in (0..size).filter(|&i| holder(&axes, size, i).0 == me) {
                let place = holder(&axes, size, i).1;
                let row = resized(&whole, dim, 1);
                let have = tensor(&row, |index| at(got, &with(index, dim, place)));
                let want = tensor(&row, |index| {
                    fold(monoid, dtype, group.iter().map(|&m| at(&values[m], &with(index, dim, i))))
                });
                prop_assert_eq!(have, want);
            }
        }
    }

    #[test]
    fn all_to_all((mesh, axes) in mesh_and_axes(), dtype in dtype(), shape in shape(), swap: bool) {
        let (from, to) = if swap { (1, 0) } else { (0, 1) };
        let (whole, size) = (Type::new(dtype, &shape[..]), shape[from]);
        let values = values(&mesh, &resized(&whole, from, local_size(size, &axes)));
        let got = run(&mesh, &axes, &values, |c, at, v| c.all_to_all(at, from, size, to, v));
        for (rank, got) in got.iter().enumerate() {
            let group = members(&mesh, &axes, rank);
            let me = group.iter().position(|&m| m == rank).unwrap();
            let mine = piece(&axes, shape[to], me);
            let want = tensor(&resized(&whole, to, local_size(shape[to], &axes)), |i| {
                let (member, place) = holder(&axes, size, i[from]);
                let real = mine.map(|start| start + i[to]).filter(|&j| j < shape[to] && holder(&axes, shape[to], j).0 == me);
                real.map_or(0, |j| at(&values[group[member]], &with(&with(i, to, j), from, place)))
            });
            prop_assert_eq!(got, &want);
        }
    }

    #[test]
    fn permute((mesh, axes) in mesh_and_axes(), dtype in dtype(), shape in shape(), picks in prop::collection::vec(0u32..12, 12)) {
        let n: u32 = axes.iter().map(|a| a.size).product();
        // Every second position gets something, from anywhere.
        let pairs: Vec<(u32, u32)> = (0..n).step_by(2).map(|to| (picks[to as usize] % n, to)).collect();
        let ty = Type::new(dtype, &shape[..]);
        let values = values(&mesh, &ty);
        let got = run(&mesh, &axes, &values, |c, at, v| c.permute(at, &pairs, v));
        for (rank, got) in got.iter().enumerate() {
            let group = members(&mesh, &axes, rank);
            let me = group.iter().position(|&m| m == rank).unwrap();
            let want = match pairs.iter().find(|p| p.1 as usize == me) {
                Some(&(from, _)) => values[group[from as usize]].clone(),
                None => Tensor::zeros(ty.clone()),
            };
            prop_assert_eq!(got, &want);
        }
    }
}

/// Numbers whose sum depends on the order of addition.
fn awkward(rank: usize, count: usize) -> Tensor {
    let items = (0..count).map(|i| ((rank * count + i) as f64 * 0.37).sin() * 10f64.powi((i % 9) as i32 - 4));
    Tensor::from_floats(Type::new(DType::F32, [count]), items.collect())
}

#[test]
fn a_reduction_is_the_same_bits_on_every_device_and_in_every_run() {
    let mesh = Arc::new(Mesh::new("m", [("x", 3)]));
    let axes = [AxisRef::whole(&mesh, AxisId(0))];
    // Small tensors are reduced by everyone, large ones in shares; 20011 does not divide by 3.
    for count in [1, 100, 20011] {
        let values: Vec<Tensor> = (0..3).map(|rank| awkward(rank, count)).collect();
        let want: Vec<f64> = (0..count)
            .map(|i| f64::from(values.iter().map(|v| v.get(i).to_f64() as f32).reduce(|a, b| a + b).unwrap()))
            .collect();
        let want = Tensor::from_floats(values[0].ty.clone(), want);
        for _ in 0..5 {
            for got in run(&mesh, &axes, &values, |c, at, v| c.all_reduce(at, Monoid::Sum, v)) {
                assert_eq!(got, want);
            }
        }
    }
}
