//! From whole tensors to the pieces that devices hold, and back, by layout.

use crate::combine::combine;
use crate::group::Group;
use crate::pieces::{Index, copy};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, Monoid, local_shape, piece};
use partita_ir::mesh::Mesh;
use partita_ir::program::Value;
use partita_ir::tensor::{Data, Scalar, Tensor};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The box of a tensor that one device holds: where it begins, and how many real elements it has in each dimension.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Held {
    start: Index,
    len: Index,
}

impl Held {
    fn new(shape: &[usize], layout: Option<&Layout>, mesh: &Mesh, rank: usize) -> Held {
        let coords = mesh.coords(rank);
        let mut held = Held { start: Index::from_elem(0, shape.len()), len: shape.into() };
        for (d, dim) in layout.iter().flat_map(|l| &l.dims).enumerate() {
            let piece = piece(shape[d], &dim.axes, mesh, &coords);
            (held.start[d], held.len[d]) = (piece.start, piece.len);
        }
        held
    }

    /// Where the box begins in the device's buffer.
    fn origin(&self) -> Index {
        Index::from_elem(0, self.len.len())
    }
}

/// What each device holds of a tensor, by rank. Padding is zero, and devices with the same piece share it. Where the
/// layout is pending, the first device along the pending axes holds the value, and the others nothing that would change
/// it.
pub fn shard(tensor: &Tensor, layout: Option<&Layout>, mesh: &Mesh) -> Vec<Arc<Tensor>> {
    let local = Type { shape: local_shape(&tensor.ty.shape, layout), dtype: tensor.ty.dtype };
    let mut made: FxHashMap<(Held, Option<Monoid>), Arc<Tensor>> = FxHashMap::default();
    let mut hold = |rank: usize| {
        let held = Held::new(&tensor.ty.shape, layout, mesh, rank);
        let neutral = layout.and_then(|l| neutral(l, mesh, rank));
        let make = || {
            let mut out = Tensor::splat(local.clone(), Scalar::Int(i64::from(neutral == Some(Monoid::Prod))));
            if neutral.is_none() {
                copy(tensor, &held.start, &mut out, &held.origin(), &held.len);
            }
            Arc::new(out)
        };
        made.entry((held.clone(), neutral)).or_insert_with(make).clone()
    };
    (0..mesh.device_count()).map(&mut hold).collect()
}

/// The monoid whose identity the device holds instead of its piece of a pending value, if it does. A device may hold
/// the value again where that changes nothing.
fn neutral(layout: &Layout, mesh: &Mesh, rank: usize) -> Option<Monoid> {
    let coords = mesh.coords(rank);
    let later = layout.pending.iter().filter(|(axis, _)| axis.index_of(mesh, &coords) != 0);
    later.map(|&(_, monoid)| monoid).find(|m| !m.is_idempotent())
}

/// The whole tensor from what each device holds, by rank. Pending values are combined; padding is dropped.
///
/// # Errors
/// `R003` when devices that should hold the same piece do not, `R004` when pieces are not of the value's local type.
pub fn gather(pieces: &[Arc<Tensor>], value: &Value, mesh: &Arc<Mesh>, name: &str) -> Result<Tensor, Diagnostic> {
    let (ty, layout) = (&value.ty, value.layout.as_deref());
    let local = value.local_type();
    if pieces.len() != mesh.device_count() || pieces.iter().any(|p| p.ty != local) {
        let title = format!("the devices' pieces of `{name}` are not each {local}");
        return Err(Diagnostic::new(Code::R004, title));
    }
    let mut pieces = pieces.to_vec();
    for &(axis, monoid) in layout.iter().flat_map(|l| &l.pending) {
        let groups = Group::all(mesh, &[axis]);
        let combined = groups.iter().map(|group| combined(monoid, group, &pieces));
        let combined: Result<_, String> = combined.collect();
        pieces = combined.map_err(|e| Diagnostic::new(Code::R004, format!("`{name}`: {e}")))?;
    }
    let mut whole = Tensor::zeros(ty.clone());
    let mut holders: FxHashMap<Held, usize> = FxHashMap::default();
    for (rank, piece) in pieces.iter().enumerate() {
        let held = Held::new(&ty.shape, layout, mesh, rank);
        let holder = *holders.entry(held.clone()).or_insert(rank);
        if holder == rank {
            copy(piece, &held.origin(), &mut whole, &held.start, &held.len);
        } else if !same(&pieces[holder], piece, &held) {
            let title =
                format!("device {holder} and device {rank} differ in `{name}`, though they hold the same piece");
            return Err(Diagnostic::new(Code::R003, title)
                .note(format!("of {ty}, both hold {:?} elements from index {:?}", held.len, held.start)));
        }
    }
    Ok(whole)
}

/// The pieces of a group's members, combined in its order.
fn combined(monoid: Monoid, group: &Group, pieces: &[Arc<Tensor>]) -> Result<Arc<Tensor>, String> {
    let mut members = group.members().iter().map(|&rank| &pieces[rank]);
    let mut all = members.next().map(|first| Tensor::clone(first)).ok_or("nobody takes part")?;
    members.try_for_each(|piece| combine(monoid, &mut all, piece))?;
    Ok(Arc::new(all))
}

/// Whether two devices' buffers have the same elements, padding aside. NaN is the same as NaN.
fn same(a: &Arc<Tensor>, b: &Arc<Tensor>, held: &Held) -> bool {
    let real = |buffer: &Tensor| {
        let mut out = Tensor::zeros(Type { shape: held.len[..].into(), dtype: buffer.ty.dtype });
        copy(buffer, &held.origin(), &mut out, &held.origin(), &held.len);
        out.data
    };
    if Arc::ptr_eq(a, b) {
        return true;
    }
    match (real(a), real(b)) {
        (Data::F64(a), Data::F64(b)) => a.iter().zip(&b).all(|(x, y)| x == y || (x.is_nan() && y.is_nan())),
        (Data::F32(a), Data::F32(b)) => a.iter().zip(&b).all(|(x, y)| x == y || (x.is_nan() && y.is_nan())),
        (a, b) => a == b,
    }
}
