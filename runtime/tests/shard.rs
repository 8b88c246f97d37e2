//! Global tensors are sharded and reassembled.

use expect_test::expect;
use partita_ir::arena::{AxisId, MeshId};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{Layout, Monoid, local_shape};
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh};
use partita_ir::program::Value;
use partita_ir::tensor::{Scalar, Tensor};
use partita_runtime::shard::{gather, shard};
use proptest::prelude::*;
use std::sync::Arc;

const MESH: MeshId = MeshId(0);

fn axis(mesh: &DeviceMesh, axis: u32) -> AxisRef {
    AxisRef::full(mesh, AxisId(axis))
}

fn value(ty: &Type, layout: Layout) -> Value {
    Value { layout: Some(layout.into()), ..Value::new("y", ty.clone()) }
}

fn numbered(ty: &Type) -> Tensor {
    Tensor::from_ints(ty.clone(), (1..=ty.shape.count() as i64).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Sizes are prime, smaller than the mesh, or zero; dimensions are sharded along axes and sub-axes.
    #[test]
    fn gathering_inverts_sharding(
        sizes in prop::collection::vec(prop::sample::select(vec![1u32, 2, 3, 4]), 1..=3),
        shape in prop::collection::vec(prop::sample::select(vec![0usize, 1, 2, 3, 5, 7, 11]), 0..=3),
        places in prop::collection::vec(0usize..5, 6),
        dtype in prop::sample::select(DType::ALL.to_vec()),
    ) {
        let mesh = Arc::new(DeviceMesh::new("m", ["x", "y", "z"].into_iter().zip(sizes)));
        let mut dims = vec![Axes::new(); shape.len()];
        let parts = (0..mesh.axes.len() as u32).flat_map(|a| match axis(&mesh, a).split(2) {
            Some((major, minor)) if minor.size > 1 => vec![major, minor],
            _ => vec![axis(&mesh, a)],
        });
        for (part, place) in parts.zip(places) {
            if let Some(dim) = dims.get_mut(place) {
                dim.push(part);
            }
        }
        let ty = Type::new(dtype, &shape[..]);
        let value = value(&ty, Layout::from_axes(MESH, dims));
        let global = numbered(&ty);
        let shards = shard(&global, value.layout.as_deref(), &mesh);
        prop_assert!(shards.iter().all(|p| p.ty.shape == local_shape(&ty.shape, value.layout.as_deref())));
        let gathered = gather(&shards, &value, &mesh, "y").unwrap();
        prop_assert_eq!(&gathered.ty, &global.ty);
        // Floats of 8 bits have no number for the largest ones, and NaN is not equal to itself.
        prop_assert_eq!(gathered.to_bytes(), global.to_bytes());
    }
}

#[test]
fn shards_are_padded_with_zeros() {
    let mesh = Arc::new(DeviceMesh::new("m", [("x", 3)]));
    let ty = Type::new(DType::I32, [4]);
    let layout = Layout::from_axes(MESH, [Axes::from_slice(&[axis(&mesh, 0)])]);
    let shards = shard(&numbered(&ty), Some(&layout), &mesh);
    let items: Vec<Vec<i64>> = shards.iter().map(|p| p.scalars().map(Scalar::to_i64).collect()).collect();
    assert_eq!(items, [[1, 2], [3, 4], [0, 0]]);
}

#[test]
fn replicas_share_a_tensor() {
    let mesh = Arc::new(DeviceMesh::new("m", [("x", 2), ("y", 2)]));
    let ty = Type::new(DType::F32, [4]);
    let layout = Layout::from_axes(MESH, [Axes::from_slice(&[axis(&mesh, 1)])]);
    let shards = shard(&numbered(&ty), Some(&layout), &mesh);
    assert!(Arc::ptr_eq(&shards[0], &shards[2]) && Arc::ptr_eq(&shards[1], &shards[3]));
    assert!(!Arc::ptr_eq(&shards[0], &shards[1]));
    let shards = shard(&numbered(&ty), None, &mesh);
    assert!(shards.iter().all(|p| Arc::ptr_eq(p, &shards[0])));
}

#[test]
fn partial_values_are_reduced() {
    let mesh = Arc::new(DeviceMesh::new("m", [("x", 2), ("y", 3)]));
    let ty = Type::new(DType::I32, [2]);
    for monoid in [Monoid::Sum, Monoid::Prod, Monoid::Max] {
        let mut layout = Layout::from_axes(MESH, [Axes::from_slice(&[axis(&mesh, 0)])]);
        layout.partial.push((axis(&mesh, 1), monoid));
        let value = value(&ty, layout);
        let shards = shard(&numbered(&ty), value.layout.as_deref(), &mesh);
        assert_eq!(gather(&shards, &value, &mesh, "y").unwrap(), numbered(&ty));
        // The contribution of each device is included.
        let shards: Vec<Arc<Tensor>> =
            (1..=6).map(|i| Arc::new(Tensor::from_ints(Type::new(DType::I32, [1]), vec![i]))).collect();
        let want = match monoid {
            Monoid::Sum => [1 + 2 + 3, 4 + 5 + 6],
            Monoid::Prod => [6, 120],
            _ => [3, 6],
        };
        let got = gather(&shards, &value, &mesh, "y").unwrap();
        assert_eq!(got, Tensor::from_ints(ty.clone(), want.to_vec()));
    }
}

#[test]
fn different_replicas_are_an_error() {
    let mesh = Arc::new(DeviceMesh::new("m", [("x", 2), ("y", 2)]));
    let ty = Type::new(DType::F32, [3]);
    let value = value(&ty, Layout::from_axes(MESH, [Axes::from_slice(&[axis(&mesh, 1)])]));
    let shard_of = |a: f64, b: f64| Arc::new(Tensor::from_floats(Type::new(DType::F32, [2]), vec![a, b]));
    let nan = f64::NAN;
    // The second element of devices 1 and 3 is padding.
    let agreeing = [shard_of(1.0, nan), shard_of(3.0, 8.0), shard_of(1.0, nan), shard_of(3.0, 9.0)];
    assert!(gather(&agreeing, &value, &mesh, "y").is_ok());
    let error =
        gather(&[shard_of(1.0, 2.0), shard_of(3.0, 0.0), shard_of(1.0, 2.5), shard_of(3.0, 0.0)], &value, &mesh, "y");
    expect![[r#"
        error[R003]: device 0 and device 2 have different replicas of the same shard of `y`
          = note: the shard of f32[3] has shape [2] and starts at index [0]"#]]
    .assert_eq(&error.unwrap_err().to_string());
}

#[test]
fn shards_of_other_types_are_an_error() {
    let mesh = Arc::new(DeviceMesh::new("m", [("x", 2)]));
    let value = Value::new("y", Type::new(DType::F32, [3]));
    let shards = [2, 2].map(|n| Arc::new(Tensor::zeros(Type::new(DType::F32, [n]))));
    let error = gather(&shards, &value, &mesh, "y").unwrap_err();
    assert_eq!(error.title, "the shards of `y` do not all have type f32[3]");
}
