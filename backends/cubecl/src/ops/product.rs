//! Products of matrices.

use crate::gpu::Lowerer;
use crate::kernels::half::Half;
use crate::kernels::product::{Matrix, Sizes};
use crate::kernels::steps::{At, Lane, Step, Term};
use crate::kernels::tensor_product::Cut;
use crate::launch::Launch;
use crate::spec::{Factors, Float, Spec};
use partita_ir::arena::OpId;
use partita_ir::ops::DotGeneral;
use partita_lowering::product;

/// Lowers a product of matrices.
pub(super) fn lower(to: &mut Lowerer<'_>, id: OpId, dot: &DotGeneral) -> Option<()> {
    let float = to.target().multiplies(to.program, &to.program.ops[id])?;
    let (found, reads) = product::product(to, id, dot)?;
    let matrix = |matrix: &product::Matrix, which: usize| {
        let mut divisor = 1;
        let mut terms = Vec::new();
        for &(size, strides) in found.batch.iter().rev() {
            terms.push(Term { divisor, size: Some(size), stride: strides[which] as i64 });
            divisor *= size;
        }
        let of_batch = At { offset: matrix.offset as i64, terms };
        Matrix { of_batch, row: matrix.row as i64, column: matrix.column as i64 }
    };
    let sizes = Sizes {
        m: found.m,
        n: found.n,
        k: found.k,
        batch: found.batch.iter().map(|b| b.0).product(),
        left: matrix(&found.left, 0),
        right: matrix(&found.right, 1),
        result: matrix(&found.result, 2),
    };
    let dtype = to.program.ty(to.program.ops[id].outs[0]).dtype;
    let at = At::dense();
    let store = match to.target().half(dtype) {
        Some(half) => Step::StoreHalf { memory: 0, at, half, a: 0 },
        None => Step::Store { memory: 0, at, lane: Lane::F32, a: 0 },
    };
    let epilogue = vec![Step::Reduced { number: 0, half: Half::of(dtype) }, store];
    let of = match float {
        Float::F32 => Factors::Words(sizes),
        Float::Bf16 | Float::F16 => Factors::Narrow(sizes.clone(), Cut::of(&sizes), float),
    };
    let spec = Spec::Product { of, reads: 0, writes: 1, epilogue };
    let result = to.result(id);
    to.compute(id, Launch::one(spec, 2, 1), reads.to_vec(), vec![result]);
    Some(())
}
