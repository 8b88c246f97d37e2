//! Matrix product kernels of the library CubeK, obtained without a device: CubeK's launcher runs with a client whose
//! server records launches.
#![allow(
    unsafe_code,
    reason = "CubeCL's interface to kernels and memory is unsafe; the recording server has no memory"
)]

mod recorder;

use crate::kernels::product::{MatmulSizes, Matrix};
use crate::kernels::steps::AddressTerm;
use crate::spec::FloatType;
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
pub(crate) use recorder::RecordedLaunch;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// Returns CubeK's kernel for a matrix product of 16-bit floats on an NVIDIA GPU of compute capability `arch` (80 for
/// 8.0), or `None` if CubeK does not support the layouts.
pub(crate) fn multiply(
    sizes: &MatmulSizes,
    operand_type: FloatType,
    result_type: FloatType,
    arch: u32,
) -> Option<RecordedLaunch> {
    let [a, b, c] = [
        tensor(&sizes.left, sizes.batch, [sizes.m, sizes.k])?,
        tensor(&sizes.right, sizes.batch, [sizes.k, sizes.n])?,
        tensor(&sizes.result, sizes.batch, [sizes.m, sizes.n])?,
    ];
    if c.strides.last() != Some(&1) {
        return None;
    }
    // The lock prevents concurrent callers from mixing their launches in one log.
    static CLIENTS: Mutex<Option<FxHashMap<u32, (Client, Log)>>> = Mutex::new(None);
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    let (client, log) = clients.get_or_insert_default().entry(arch).or_insert_with(|| {
        let (device, target, options) = nvidia_target(arch);
        recorder::client(arch as u16, device, target, options)
    });
    let (narrow, wide) = (element(operand_type), element(result_type));
    let allocate = |tensor: &Tensor, element: ElemType| client.empty(tensor.elements() * element.size());
    let [x, y, z] = [allocate(&a, narrow), allocate(&b, narrow), allocate(&c, wide)];
    let binding = |handle: &Handle, tensor: &Tensor| {
        let (strides, shape) = (&tensor.strides[..], &tensor.shape[..]);
        // SAFETY: the recording server has no memory, so the handles are never dereferenced.
        unsafe { TensorBinding::from_raw_parts(handle.clone(), strides.into(), shape.into()) }
    };
    let names = [&x, &y, &z].map(|handle| recorder::name(&handle.clone().binding()));
    let mut elements = MatmulElems::from_globals(&MatmulGlobalElems { lhs: narrow, rhs: narrow, out: wide });
    let (left, right) = (InputBinding::new(binding(&x, &a), narrow), InputBinding::new(binding(&y, &b), narrow));
    // CubeK's double-buffered strategies spill registers.
    let strategy = multi_level::Strategy::SimpleCyclicCmma(Default::default()).into();
    let launched =
        cubek_matmul::launch::launch_ref(&strategy, client, left, right, binding(&z, &c), &mut elements).is_ok();
    let flushed = client.flush().is_ok();
    let recorded = std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner));
    let [Ok(kernel)] = &recorded[..] else { return None };
    (launched && flushed && kernel.buffers == names).then(|| kernel.clone())
}

/// A batch of matrices as a strided tensor for CubeK.
struct Tensor {
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl Tensor {
    /// Returns the number of elements from the first to the last one in memory, including gaps.
    fn elements(&self) -> usize {
        self.shape.iter().zip(&self.strides).map(|(n, stride)| (n - 1) * stride).sum::<usize>() + 1
    }
}

/// Returns a batch of matrices as a tensor. Returns `None` for matrices with an offset, for matrices that are neither
/// row-major nor column-major, and for batches without a constant stride.
fn tensor(matrix: &Matrix, batch: usize, [rows, columns]: [usize; 2]) -> Option<Tensor> {
    let (row, column) = (usize::try_from(matrix.row).ok()?, usize::try_from(matrix.column).ok()?);
    let is_row_or_column_major = column == 1 && row >= columns || row == 1 && column >= rows;
    if matrix.batch_map.offset != 0 || !is_row_or_column_major || rows == 0 || columns == 0 {
        return None;
    }
    match (&matrix.batch_map.terms[..], batch) {
        (_, 1) => Some(Tensor { shape: vec![rows, columns], strides: vec![row, column] }),
        (&[AddressTerm { divisor: 1, size, stride }], _) if size.is_none_or(|size| size == batch) => {
            let stride = usize::try_from(stride).ok()?;
            Some(Tensor { shape: vec![batch, rows, columns], strides: vec![stride, row, column] })
        }
        _ => None,
    }
}

/// Returns the element type of CubeCL.
fn element(float: FloatType) -> ElemType {
    match float {
        FloatType::F32 => f32::elem_type_native(),
        FloatType::Bf16 => half::bf16::elem_type_native(),
        FloatType::F16 => half::f16::elem_type_native(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::steps::AddressMap;

    fn sizes(m: usize, n: usize, k: usize) -> MatmulSizes {
        let rows = |columns: usize| Matrix { batch_map: AddressMap::default(), row: columns as i64, column: 1 };
        MatmulSizes { m, n, k, batch: 1, left: rows(k), right: rows(n), result: rows(n) }
    }

    #[test]
    fn kernels_are_recorded_without_a_device() {
        for to in [FloatType::Bf16, FloatType::F32] {
            let kernel = multiply(&sizes(256, 384, 128), FloatType::Bf16, to, 80).unwrap();
            // Tiles have 128 rows and 128 columns.
            assert_eq!(kernel.cubes.iter().product::<u32>(), 6, "{to:?}");
            assert!(kernel.source.contains("wmma"), "{to:?}");
            let again = multiply(&sizes(256, 384, 128), FloatType::Bf16, to, 80).unwrap();
            assert_eq!((kernel.info, kernel.shared_bytes), (again.info, again.shared_bytes), "{to:?}");
        }
    }

    #[test]
    fn unsupported_layouts_are_rejected() {
        let by = |sizes: &MatmulSizes| multiply(sizes, FloatType::F16, FloatType::F16, 90).is_some();
        let good = sizes(128, 128, 64);
        let transposed = |matrix: &Matrix, row: i64| Matrix { row: 1, column: row, ..matrix.clone() };
        assert!(by(&good) && by(&MatmulSizes { left: transposed(&good.left, 128), ..good.clone() }));
        assert!(!by(&MatmulSizes { result: transposed(&good.result, 128), ..good.clone() }));
        let inside = Matrix { batch_map: AddressMap { offset: 64, terms: vec![] }, ..good.left.clone() };
        assert!(!by(&MatmulSizes { left: inside, ..good.clone() }));
        let apart = Matrix { column: 2, ..good.left.clone() };
        assert!(!by(&MatmulSizes { left: apart, ..good.clone() }));
        assert!(!by(&MatmulSizes { m: 0, ..good }));
    }
}
