//! Lowering of Fourier transforms, factorizations and triangular systems: operations of StableHLO, and custom calls of
//! LAPACK, which JAX emits for CPUs.

use super::Importer;
use super::custom_call::{flag, option};
use crate::fault::Result;
use crate::syntax::Op;
use crate::syntax::routine::Routine;
use partita_ir::arena::{Id, ValueId};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{
    Binary, BinaryOp, Cholesky, Constant, Convert, DotGeneral, Eig, Eigh, Fft, Hessenberg, HouseholderProduct, Literal,
    Lu, Pad, Qr, Reduce, SingularVectors, Svd, Transform, Transposition, TriangularSolve, TridiagonalSolve, Unary,
    UnaryOp,
};
use partita_ir::program::Values;
use partita_ir::syntax::attr::{DimPairs, Dims};
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
            Routine::Ormqr => self.product_with_reflections(op, args, parts),
            Routine::Gehrd => {
                let a = self.program.ty(args[0]).shape.clone();
                let all = [option(op, "low"), option(op, "high")] == [Some(1), a.last().map(|&n| n as i64)];
                if !all {
                    return Err(self.op_fault(op, "reduces a part of a matrix, which is not supported"));
                }
                let mut found = self.emit_some(op, Hessenberg {}, args, 0..2 * parts)?;
                let info = self.failure(op, found[0], 2, end - 1)?;
                found.push(info);
                Ok(found)
            }
            Routine::Gtsv => {
                let found = self.emit_some(op, TridiagonalSolve {}, args, 3 * parts..4 * parts)?;
                let info = self.failure(op, found[0], 2, end - 1)?;
                // The diagonals are overwritten by factors, which no caller of JAX reads.
                let factors: Values = op.types[..3 * parts].iter().map(|ty| self.undefined(ty)).collect();
                Ok(factors.into_iter().chain(found).chain([info]).collect())
            }
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

    /// Lowers the product of a matrix with the product `q` of reflections or its adjoint, from the left or right.
    fn product_with_reflections(&mut self, op: &'m Op<'a>, args: &[ValueId], parts: usize) -> Result<Values> {
        let (reflections, rest) = args.split_at(parts);
        let (taus, c) = rest.split_at(parts);
        let [a, tau, matrix] = [reflections[0], taus[0], c[0]].map(|value| self.program.ty(value).clone());
        let (Some(left), Some(adjoint)) = (flag(op, "left"), flag(op, "transpose")) else {
            return Err(self.op_fault(op, "needs `left` and `transpose` in `mhlo.backend_config`"));
        };
        let fits = match (&a.shape[..], &tau.shape[..], &matrix.shape[..]) {
            ([batch @ .., m, n], [of_tau @ .., k], [of_c @ .., rows, columns]) => {
                let size = if left { rows } else { columns };
                batch == of_tau && batch == of_c && k <= n && k <= m && size == m
            }
            _ => false,
        };
        if !fits || a.dtype != tau.dtype || a.dtype != matrix.dtype || op.types.iter().any(|ty| *ty != matrix) {
            return Err(self.op_fault(op, format!("cannot multiply {matrix} with the reflections {a} and {tau}")));
        }
        // A square matrix with the same reflections in its first columns has the whole `q` as their product.
        let batch = a.shape.rank() - 2;
        let (m, n) = (a.shape[batch], a.shape[batch + 1]);
        let square = Type { shape: a.shape[..batch].iter().copied().chain([m, m]).collect(), dtype: a.dtype };
        let zero = Constant { value: Literal::Splat(Scalar::Float(0.0)) };
        let zero = self.temp("zero", zero, &[], Type::new(a.dtype, []));
        let none = vec![0; batch + 2];
        let mut high = none.clone();
        high[batch + 1] = m as i64 - n as i64;
        let pad = Pad { low: none, high, interior: Dims::new() };
        let mut factors: Values =
            reflections.iter().map(|&part| self.temp("padded", pad.clone(), &[part, zero], square.clone())).collect();
        factors.extend(taus.iter().copied());
        let mut q = Values::new();
        for _ in 0..parts {
            let name = self.namer.fresh("q");
            q.push(self.new_value(name, square.clone()));
        }
        self.push(HouseholderProduct {}.into(), &factors, q.clone());
        let dims: Dims = (0..batch).collect();
        let batches = DimPairs { lhs: dims.clone(), rhs: dims };
        let contract = |of_q: usize, of_c: usize| {
            let (lhs, rhs) = if left { (of_q, of_c) } else { (of_c, of_q) };
            DimPairs { lhs: [lhs].into_iter().collect(), rhs: [rhs].into_iter().collect() }
        };
        // `q c`, `q^H c`, `c q` or `c q^H`.
        let contract = match (left, adjoint) {
            (true, false) => contract(batch + 1, batch),
            (true, true) => contract(batch, batch),
            (false, false) => contract(batch, batch + 1),
            (false, true) => contract(batch + 1, batch + 1),
        };
        let kind = DotGeneral { contract, batch: batches };
        let mut product = |q: ValueId, c: ValueId| {
            let operands = if left { [q, c] } else { [c, q] };
            self.temp("product", kind.clone(), &operands, matrix.clone())
        };
        let (&[q_re, ref q_im @ ..], &[c_re, ref c_im @ ..]) = (&q[..], c) else { return Ok(Values::new()) };
        let results: Values = match (q_im, c_im) {
            (&[q_im], &[c_im]) => {
                let pairs = [(q_re, c_re), (q_im, c_im), (q_re, c_im), (q_im, c_re)];
                let [rr, ii, ri, ir] = pairs.map(|(q, c)| product(q, c));
                // The adjoint has the opposite imaginary parts.
                let (first, second) = match adjoint {
                    true => (BinaryOp::Add, BinaryOp::Sub),
                    false => (BinaryOp::Sub, BinaryOp::Add),
                };
                [self.binary_of(first, rr, ii), self.binary_of(second, ri, ir)].into_iter().collect()
            }
            _ => [product(q_re, c_re)].into_iter().collect(),
        };
        Ok(results)
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
