//! Lowering of Fourier transforms, factorizations and triangular systems: operations of StableHLO, and custom calls of
//! LAPACK, which JAX emits for CPUs.

use super::Importer;
use super::custom_call::option;
use crate::fault::Result;
use crate::syntax::Op;
use crate::syntax::routine::Routine;
use partita_ir::arena::{Id, ValueId};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{
    Binary, BinaryOp, Cholesky, Constant, Convert, Eig, Eigh, Fft, HouseholderProduct, Literal, Lu, Qr, Reduce,
    SingularVectors, Svd, Transform, Transposition, TriangularSolve, Unary, UnaryOp,
};
use partita_ir::program::Values;
use partita_ir::tensor::Scalar;

impl<'m, 'a> Importer<'m, 'a> {
    pub(super) fn fft(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let transform = match op.word("fft_type")? {
            "FFT" => Transform::Forward,
            "IFFT" => Transform::Inverse,
            "RFFT" => Transform::RealForward,
            _ => Transform::RealInverse,
        };
        self.emit(op, Fft { transform, lengths: op.dims("fft_length")?.to_vec() }, args)
    }

    pub(super) fn cholesky(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        self.emit(op, Cholesky { upper: !op.flag("lower") }, args)
    }

    pub(super) fn triangular_solve(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let transposition = match op.word("transpose_a")? {
            "TRANSPOSE" => Transposition::Transpose,
            "ADJOINT" => Transposition::Adjoint,
            "NO_TRANSPOSE" => Transposition::None,
            other => return Err(self.op_fault(op, format!("cannot transpose by `{other}`"))),
        };
        let (right, upper) = (!op.flag("left_side"), !op.flag("lower"));
        let unit_diagonal = op.flag("unit_diagonal");
        self.emit(op, TriangularSolve { right, upper, unit_diagonal, transposition }, args)
    }

    /// Lowers a call of a routine of LAPACK. Complex operands and results are two values each, the parts.
    pub(super) fn lapack(&mut self, op: &'m Op<'a>, routine: Routine, args: &[ValueId]) -> Result<Values> {
        let parts = match [1, 2].map(|parts| routine.counts(parts)) {
            [real, _] if real == (args.len(), op.types.len()) => 1,
            [_, complex] if complex == (args.len(), op.types.len()) => 2,
            _ => {
                let (n, m) = (args.len(), op.types.len());
                return Err(
                    self.op_fault(op, format!("calls LAPACK with another number of operands ({n}) or results ({m})"))
                );
            }
        };
        let end = op.types.len();
        match routine {
            Routine::Potrf => {
                let upper = self.letter(op, "uplo", &['L', 'U'])? == 'U';
                let mut results = self.emit_some(op, Cholesky { upper }, args, 0..parts)?;
                let info = self.failure(op, results[0], 2, end - 1)?;
                results.push(info);
                Ok(results)
            }
            Routine::Trsm => {
                let kind = TriangularSolve {
                    right: self.letter(op, "side", &['L', 'R'])? == 'R',
                    upper: self.letter(op, "uplo", &['L', 'U'])? == 'U',
                    unit_diagonal: self.letter(op, "diag", &['N', 'U'])? == 'U',
                    transposition: match self.letter(op, "trans_x", &['N', 'T', 'C'])? {
                        'T' => Transposition::Transpose,
                        'C' => Transposition::Adjoint,
                        _ => Transposition::None,
                    },
                };
                self.emit(op, kind, args)
            }
            Routine::Getrf => {
                let mut results = self.emit(op, Lu {}, args)?;
                // LAPACK counts rows from 1.
                let ty = op.types[parts].clone();
                let one = self.temp("one", Constant { value: Literal::Splat(Scalar::Int(1)) }, &[], ty.clone());
                let add = Binary { op: BinaryOp::Add };
                results[parts] = self.temp("pivots", add, &[results[parts], one], ty);
                Ok(results)
            }
            Routine::Geqrf => self.emit(op, Qr {}, args),
            Routine::Orgqr => self.emit(op, HouseholderProduct {}, args),
            Routine::Gesdd => {
                let vectors = match self.letter(op, "mode", &['A', 'S', 'N'])? {
                    'A' => SingularVectors::Full,
                    'S' => SingularVectors::Thin,
                    _ => SingularVectors::None,
                };
                let computed = if vectors == SingularVectors::None { parts..parts + 1 } else { parts..end - 1 };
                let found = self.emit_some(op, Svd { vectors }, args, computed.clone())?;
                let info = self.failure(op, found[0], 1, end - 1)?;
                // The operand is overwritten by LAPACK, and vectors that are not computed are not defined.
                let missing: Values = op.types[computed.end..end - 1].iter().map(|ty| self.undefined(ty)).collect();
                Ok(args.iter().copied().chain(found).chain(missing).chain([info]).collect())
            }
            Routine::Syevd => {
                let upper = self.letter(op, "uplo", &['L', 'U'])? == 'U';
                let order = [parts].into_iter().chain(0..parts);
                let mut found = self.emit_some(op, Eigh { upper }, args, order)?;
                let info = self.failure(op, found[0], 1, end - 1)?;
                let values = found.remove(0);
                found.extend([values, info]);
                Ok(found)
            }
            Routine::Geev => {
                let left = self.letter(op, "compute_left", &['N', 'V'])? == 'V';
                let positions: &[usize] = if left { &[0, 1, 4, 5, 2, 3] } else { &[0, 1, 4, 5] };
                let mut found = self.emit_some(op, Eig { left }, args, positions.iter().copied())?;
                let info = self.failure(op, found[0], 1, end - 1)?;
                if !left {
                    found.extend(op.types[2..4].iter().map(|ty| self.undefined(ty)).collect::<Values>());
                }
                Ok([found[0], found[1], found[4], found[5], found[2], found[3], info].into_iter().collect())
            }
        }
    }

    /// Returns an option of a routine: the letter whose code is an entry of the backend configuration.
    fn letter(&self, op: &Op<'a>, name: &str, letters: &[char]) -> Result<char> {
        let letter = option(op, name).and_then(|code| u8::try_from(code).ok()).map(char::from);
        letter.filter(|letter| letters.contains(letter)).ok_or_else(|| {
            let codes: Vec<String> = letters.iter().map(|&c| format!("{} (`{c}`)", u32::from(c))).collect();
            let codes = codes.join(" or ");
            self.op_fault(op, format!("needs `{name}` in `mhlo.backend_config`, one of {codes}"))
        })
    }

    /// Appends an op whose results are the results of `op` at the given positions, which must exist.
    fn emit_some(
        &mut self,
        op: &Op<'a>,
        kind: impl Into<OpKind>,
        args: &[ValueId],
        positions: impl IntoIterator<Item = usize> + Clone,
    ) -> Result<Values> {
        let kind = kind.into();
        let declared: Vec<Type> = positions.clone().into_iter().map(|i| op.types[i].clone()).collect();
        self.check(op, &kind, args, &declared)?;
        let locals: Vec<_> = op.results().collect();
        let mut outs = Values::new();
        for (i, ty) in positions.into_iter().zip(declared) {
            let name = self.result_name(locals[i]);
            let out = self.new_value(name, ty);
            let layout = self.layouts.result_layout(op, i, &mut self.program, out)?;
            self.program.values[out].layout = layout.map(Into::into);
            outs.push(out);
        }
        self.push(kind, args, outs.clone());
        Ok(outs)
    }

    /// Appends the result `info` of a routine, which has the position `index`: 1 for each matrix whose result `x`, of
    /// the given rank without the batch, is NaN, 0 for the others. Errors: another declared type.
    fn failure(&mut self, op: &Op<'a>, x: ValueId, rank: usize, index: usize) -> Result<ValueId> {
        let declared = op.types[index].clone();
        let shape = self.program.ty(x).shape.clone();
        let batch = shape.rank() - rank;
        if declared.dtype != DType::I32 || declared.shape[..] != shape[..batch] {
            return Err(self.op_fault(op, format!("returns `info` as an `i32` for each matrix, not {declared}")));
        }
        let ty = Type { dtype: DType::Bool, shape };
        let is_nan = self.temp("nan", Unary { op: UnaryOp::IsNan }, &[x], ty.clone());
        let dims = (batch..ty.shape.rank()).collect();
        let failed = Type { dtype: DType::Bool, shape: declared.shape.clone() };
        let failed = self.temp("failed", Reduce { monoid: Monoid::Or, dims }, &[is_nan], failed);
        Ok(self.temp("info", Convert {}, &[failed], declared))
    }

    /// Appends zeros for a result that the routine does not define.
    fn undefined(&mut self, ty: &Type) -> ValueId {
        let zero = Scalar::Int(0);
        let out = self.temp("undefined", Constant { value: Literal::Splat(zero) }, &[], ty.clone());
        self.splats[out.index()] = Some(zero);
        out
    }
}
