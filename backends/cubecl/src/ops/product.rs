//! Lowering of matrix products.

use crate::gpu::Lowerer;
use crate::kernels::half::Half;
use crate::kernels::product::{MatmulSizes, Matrix};
use crate::kernels::steps::{AddressMap, AddressTerm, RegClass, Step};
use crate::kernels::tensor_product::Tiling;
use crate::launch::Launch;
use crate::spec::{FloatType, KernelSpec, ProductKind};
use partita_ir::arena::OpId;
use partita_ir::ops::DotGeneral;
use partita_lowering::product;

/// Lowers a contraction to a matrix product kernel.
pub(super) fn lower(to: &mut Lowerer<'_>, id: OpId, dot: &DotGeneral) -> Option<()> {
    let float = to.target().product_float(to.program, &to.program.ops[id])?;
    let (found, reads) = product::product(to, id, dot)?;
    let matrix = |matrix: &product::Matrix, which: usize| {
        let mut divisor = 1;
        let mut terms = Vec::new();
        for &(size, strides) in found.batch.iter().rev() {
            terms.push(AddressTerm { divisor, size: Some(size), stride: strides[which] as i64 });
            divisor *= size;
        }
        let batch_map = AddressMap { offset: matrix.offset as i64, terms };
        Matrix { batch_map, row: matrix.row as i64, column: matrix.column as i64 }
    };
    let sizes = MatmulSizes {
        m: found.m,
        n: found.n,
        k: found.k,
        batch: found.batch.iter().map(|b| b.0).product(),
        left: matrix(&found.left, 0),
        right: matrix(&found.right, 1),
        result: matrix(&found.result, 2),
    };
    let dtype = to.program.ty(to.program.ops[id].outs[0]).dtype;
    let at = AddressMap::identity();
    let store = match to.target().half(dtype) {
        Some(half) => Step::StoreHalf { memory: 0, at, half, a: 0 },
        None => Step::Store { memory: 0, at, class: RegClass::F32, a: 0 },
    };
    let epilogue = vec![Step::Reduced { number: 0, half: Half::from_dtype(dtype) }, store];
    let kind = match float {
        FloatType::F32 => ProductKind::Words(sizes),
        FloatType::Bf16 | FloatType::F16 => ProductKind::Narrow(sizes.clone(), Tiling::new(&sizes), float),
    };
    let spec = KernelSpec::Product { kind, reads: 0, writes: 1, epilogue };
    let result = to.result(id);
    to.compute(id, Launch::with_all_buffers(spec, 2, 1), reads.to_vec(), vec![result]);
    Some(())
}
