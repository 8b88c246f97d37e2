//! Whole tensors cut into pieces and put together again.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use expect_test::expect;
use partita_ir::arena::{AxisId, MeshId};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{Layout, Monoid, local_shape};
use partita_ir::mesh::{Axes, AxisRef, Mesh};
use partita_ir::program::Value;
use partita_ir::tensor::{Scalar, Tensor};
use partita_runtime::shard::{gather, shard};
use proptest::prelude::*;
use std::sync::Arc;

const MESH: MeshId = MeshId(0);

fn axis(mesh: &Mesh, axis: u32) -> AxisRef {
    AxisRef::whole(mesh, AxisId(axis))
}

fn value(ty: &Type, layout: Layout) -> Value {
    Value { layout: Some(layout.into()), ..Value::new("y", ty.clone()) }
}

fn numbered(ty: &Type) -> Tensor {
    Tensor::from_ints(ty.clone(), (1..=ty.shape.count() as i64).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Sizes are prime, or smaller than the mesh, or zero; axes are whole ones and factors, on any dimension.
    #[test]
    fn gathering_inverts_sharding(
        sizes in prop::collection::vec(prop::sample::select(vec![1u32, 2, 3, 4]), 1..=3),
        shape in prop::collection::vec(prop::sample::select(vec![0usize, 1, 2, 3, 5, 7, 11]), 0..=3),
        places in prop::collection::vec(0usize..5, 6),
        dtype in prop::sample::select(DType::ALL.to_vec()),
    ) {
        let mesh = Arc::new(Mesh::new("m", ["x", "y", "z"].into_iter().zip(sizes)));
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
        let value = value(&ty, Layout::of(MESH, dims));
        let whole = numbered(&ty);
        let pieces = shard(&whole, value.layout.as_deref(), &mesh);
        prop_assert!(pieces.iter().all(|p| p.ty.shape == local_shape(&ty.shape, value.layout.as_deref())));
        prop_assert_eq!(gather(&pieces, &value, &mesh, "y").unwrap(), whole);
    }
}

#[test]
fn pieces_are_padded_with_zeros() {
    let mesh = Arc::new(Mesh::new("m", [("x", 3)]));
    let ty = Type::new(DType::I32, [4]);
    let layout = Layout::of(MESH, [Axes::from_slice(&[axis(&mesh, 0)])]);
    let pieces = shard(&numbered(&ty), Some(&layout), &mesh);
    let items: Vec<Vec<i64>> = pieces.iter().map(|p| p.scalars().map(Scalar::to_i64).collect()).collect();
    assert_eq!(items, [[1, 2], [3, 4], [0, 0]]);
}

#[test]
fn devices_with_the_same_piece_share_it() {
    let mesh = Arc::new(Mesh::new("m", [("x", 2), ("y", 2)]));
    let ty = Type::new(DType::F32, [4]);
    let layout = Layout::of(MESH, [Axes::from_slice(&[axis(&mesh, 1)])]);
    let pieces = shard(&numbered(&ty), Some(&layout), &mesh);
    assert!(Arc::ptr_eq(&pieces[0], &pieces[2]) && Arc::ptr_eq(&pieces[1], &pieces[3]));
    assert!(!Arc::ptr_eq(&pieces[0], &pieces[1]));
    let pieces = shard(&numbered(&ty), None, &mesh);
    assert!(pieces.iter().all(|p| Arc::ptr_eq(p, &pieces[0])));
}

#[test]
fn pending_values_are_combined() {
    let mesh = Arc::new(Mesh::new("m", [("x", 2), ("y", 3)]));
    let ty = Type::new(DType::I32, [2]);
    for monoid in [Monoid::Sum, Monoid::Prod, Monoid::Max] {
        let mut layout = Layout::of(MESH, [Axes::from_slice(&[axis(&mesh, 0)])]);
        layout.pending.push((axis(&mesh, 1), monoid));
        let value = value(&ty, layout);
        let pieces = shard(&numbered(&ty), value.layout.as_deref(), &mesh);
        assert_eq!(gather(&pieces, &value, &mesh, "y").unwrap(), numbered(&ty));
        // Each device's own contribution counts.
        let pieces: Vec<Arc<Tensor>> =
            (1..=6).map(|i| Arc::new(Tensor::from_ints(Type::new(DType::I32, [1]), vec![i]))).collect();
        let want = match monoid {
            Monoid::Sum => [1 + 2 + 3, 4 + 5 + 6],
            Monoid::Prod => [6, 120],
            _ => [3, 6],
        };
        let got = gather(&pieces, &value, &mesh, "y").unwrap();
        assert_eq!(got, Tensor::from_ints(ty.clone(), want.to_vec()));
    }
}

#[test]
fn replicas_must_agree() {
    let mesh = Arc::new(Mesh::new("m", [("x", 2), ("y", 2)]));
    let ty = Type::new(DType::F32, [3]);
    let value = value(&ty, Layout::of(MESH, [Axes::from_slice(&[axis(&mesh, 1)])]));
    let piece = |a: f64, b: f64| Arc::new(Tensor::from_floats(Type::new(DType::F32, [2]), vec![a, b]));
    let nan = f64::NAN;
    // The second element of devices 1 and 3 is padding.
    let agreeing = [piece(1.0, nan), piece(3.0, 8.0), piece(1.0, nan), piece(3.0, 9.0)];
    assert!(gather(&agreeing, &value, &mesh, "y").is_ok());
    let error = gather(&[piece(1.0, 2.0), piece(3.0, 0.0), piece(1.0, 2.5), piece(3.0, 0.0)], &value, &mesh, "y");
    expect![[r#"
        error[R003]: device 0 and device 2 differ in `y`, though they hold the same piece
          = note: of f32[3], both hold [2] elements from index [0]"#]]
    .assert_eq(&error.unwrap_err().to_string());
}

#[test]
fn pieces_of_other_types_are_refused() {
    let mesh = Arc::new(Mesh::new("m", [("x", 2)]));
    let value = Value::new("y", Type::new(DType::F32, [3]));
    let pieces = [2, 2].map(|n| Arc::new(Tensor::zeros(Type::new(DType::F32, [n]))));
    let error = gather(&pieces, &value, &mesh, "y").unwrap_err();
    assert_eq!(error.title, "the devices' pieces of `y` are not each f32[3]");
}
