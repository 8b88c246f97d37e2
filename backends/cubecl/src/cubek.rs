//! Products by kernels of CubeK, obtained without a device: its launcher is given a client whose server notes what
//! would be launched.
#![allow(unsafe_code, reason = "CubeCL's interface to kernels and memory is unsafe, though there is no memory here")]

mod recorder;

use crate::kernels::product::{Matrix, Sizes};
use crate::kernels::steps::Term;
use crate::spec::Float;
use crate::text::cpp::nvidia_target;
use cubecl::frontend::Scalar;
use cubecl::ir::ElemType;
use cubecl::prelude::TensorBinding;
use cubecl_runtime::client::Client;
use cubecl_runtime::server::Handle;
use cubek_matmul::definition::{MatmulElems, MatmulGlobalElems};
use cubek_matmul::multi_level;
use cubek_std::InputBinding;
use recorder::Log;
pub(crate) use recorder::Recorded;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// The kernel of a product of narrow floats, if CubeK has one for matrices that lie so.
pub(crate) fn multiply(sizes: &Sizes, of: Float, to: Float, arch: u32) -> Option<Recorded> {
    let [a, b, c] = [
        tensor(&sizes.left, sizes.batch, [sizes.m, sizes.k])?,
        tensor(&sizes.right, sizes.batch, [sizes.k, sizes.n])?,
        tensor(&sizes.result, sizes.batch, [sizes.m, sizes.n])?,
    ];
    if c.strides.last() != Some(&1) {
        return None;
    }
    // What is recorded at the same time is recorded in one log.
    static CLIENTS: Mutex<Option<FxHashMap<u32, (Client, Log)>>> = Mutex::new(None);
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let (client, log) = clients.get_or_insert_default().entry(arch).or_insert_with(|| {
        let (device, target, options) = nvidia_target(arch);
        recorder::client(arch as u16, device, target, options)
    });
    let (narrow, wide) = (element(of), element(to));
    let held = |tensor: &Tensor, element: ElemType| client.empty(tensor.elements() * element.size());
    let [x, y, z] = [held(&a, narrow), held(&b, narrow), held(&c, wide)];
    let bound = |handle: &Handle, tensor: &Tensor| {
        let (strides, shape) = (&tensor.strides[..], &tensor.shape[..]);
        // SAFETY: there is no memory that could be read.
        unsafe { TensorBinding::from_raw_parts(handle.clone(), strides.into(), shape.into()) }
    };
    let names = [&x, &y, &z].map(|handle| recorder::name(&handle.clone().binding()));
    let mut elements = MatmulElems::from_globals(&MatmulGlobalElems { lhs: narrow, rhs: narrow, out: wide });
    let (left, right) = (InputBinding::new(bound(&x, &a), narrow), InputBinding::new(bound(&y, &b), narrow));
    // Those that bring tiles while they multiply others spill registers.
    let strategy = multi_level::Strategy::SimpleCyclicCmma(Default::default()).into();
    let launched =
        cubek_matmul::launch::launch_ref(&strategy, client, left, right, bound(&z, &c), &mut elements).is_ok();
    let flushed = client.flush().is_ok();
    let recorded = std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner));
    let [Ok(kernel)] = &recorded[..] else { return None };
    (launched && flushed && kernel.buffers == names).then(|| kernel.clone())
}

/// A matrix for each index of the batch, as CubeK is told of it.
struct Tensor {
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl Tensor {
    /// From the first to the last element.
    fn elements(&self) -> usize {
        self.shape.iter().zip(&self.strides).map(|(n, stride)| (n - 1) * stride).sum::<usize>() + 1
    }
}

/// Nothing for matrices that begin inside of a buffer, are no rows or columns of neighbours, or do not follow each
/// other evenly.
fn tensor(matrix: &Matrix, batch: usize, [rows, columns]: [usize; 2]) -> Option<Tensor> {
    let (row, column) = (usize::try_from(matrix.row).ok()?, usize::try_from(matrix.column).ok()?);
    let lies = column == 1 && row >= columns || row == 1 && column >= rows;
    if matrix.of_batch.offset != 0 || !lies || rows == 0 || columns == 0 {
        return None;
    }
    match (&matrix.of_batch.terms[..], batch) {
        (_, 1) => Some(Tensor { shape: vec![rows, columns], strides: vec![row, column] }),
        (&[Term { divisor: 1, size, stride }], _) if size.is_none_or(|size| size == batch) => {
            let stride = usize::try_from(stride).ok()?;
            Some(Tensor { shape: vec![batch, rows, columns], strides: vec![stride, row, column] })
        }
        _ => None,
    }
}

fn element(float: Float) -> ElemType {
    match float {
        Float::F32 => f32::elem_type_native(),
        Float::Bf16 => half::bf16::elem_type_native(),
        Float::F16 => half::f16::elem_type_native(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::steps::At;

    fn sizes(m: usize, n: usize, k: usize) -> Sizes {
        let rows = |columns: usize| Matrix { of_batch: At::default(), row: columns as i64, column: 1 };
        Sizes { m, n, k, batch: 1, left: rows(k), right: rows(n), result: rows(n) }
    }

    #[test]
    fn kernels_are_found_without_a_device() {
        for to in [Float::Bf16, Float::F32] {
            let kernel = multiply(&sizes(256, 384, 128), Float::Bf16, to, 80).unwrap();
            // Tiles of 128 by 128.
            assert_eq!(kernel.cubes.iter().product::<u32>(), 6, "{to:?}");
            assert!(kernel.source.contains("wmma"), "{to:?}");
            let again = multiply(&sizes(256, 384, 128), Float::Bf16, to, 80).unwrap();
            assert_eq!((kernel.info, kernel.shared_bytes), (again.info, again.shared_bytes), "{to:?}");
        }
    }

    #[test]
    fn matrices_lie_as_it_can_read_them() {
        let by = |sizes: &Sizes| multiply(sizes, Float::F16, Float::F16, 90).is_some();
        let good = sizes(128, 128, 64);
        let turned = |matrix: &Matrix, row: i64| Matrix { row: 1, column: row, ..matrix.clone() };
        assert!(by(&good) && by(&Sizes { left: turned(&good.left, 128), ..good.clone() }));
        assert!(!by(&Sizes { result: turned(&good.result, 128), ..good.clone() }));
        let inside = Matrix { of_batch: At { offset: 64, terms: vec![] }, ..good.left.clone() };
        assert!(!by(&Sizes { left: inside, ..good.clone() }));
        let apart = Matrix { column: 2, ..good.left.clone() };
        assert!(!by(&Sizes { left: apart, ..good.clone() }));
        assert!(!by(&Sizes { m: 0, ..good }));
    }
}
