//! Printing of factorizations as calls of LAPACK, as JAX emits them for CPUs.

use super::linear_algebra::complex_type;
use super::literal::dense;
use super::ops::{array, comparison, no_counterpart};
use super::{PrintResult, Writer, braced, comma, tensor};
use partita_ir::arena::{Id, ValueId};
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Layout;
use partita_ir::ops::{Direction, Eig, Eigh, Literal, SingularVectors, Svd};
use partita_ir::program::Op;
use partita_ir::tensor::Scalar;
use smol_str::SmolStr;

/// A call of a routine.
struct Call<'o> {
    /// Name without the letter of the element type.
    routine: &'static str,
    /// Names and values of the options.
    options: Vec<(&'static str, String)>,
    /// Number of operands, of which complex ones are two operands of the op.
    operands: usize,
    results: Vec<Returned<'o>>,
}

/// A result of a routine.
enum Returned<'o> {
    /// A result of the op: one value, or the parts of complex numbers.
    Used(&'o [ValueId]),
    /// Numbers that the op does not return. `ty` is the type of each part.
    Unused { ty: Type, is_complex: bool },
    /// A code for each matrix. Where it is not 0, the other results are not defined.
    Info,
}

impl Writer<'_> {
    /// Prints an LU factorization.
    pub(super) fn lu(&mut self, op: &Op) -> PrintResult {
        let (factors, rest) = op.outs.split_at(op.args.len());
        let results = vec![Returned::Used(factors), Returned::Used(&rest[..1]), Returned::Used(&rest[1..])];
        self.call(op, Call { routine: "getrf", options: vec![], operands: 1, results })?;
        // LAPACK counts rows from 1.
        let pivots = rest[0];
        let (one, ty) = (self.splat(self.program.ty(pivots), Scalar::Int(1)), self.ty(pivots));
        let name = self.fresh();
        let counted = std::mem::replace(&mut self.names[pivots.index()], name.clone());
        self.line(format_args!("{name} = \"stablehlo.subtract\"({counted}, {one}) : ({ty}, {ty}) -> {ty}"));
        Ok(())
    }

    /// Prints a QR factorization.
    pub(super) fn qr(&mut self, op: &Op) -> PrintResult {
        let (factors, taus) = op.outs.split_at(op.args.len());
        let results = vec![Returned::Used(factors), Returned::Used(taus)];
        self.call(op, Call { routine: "geqrf", options: vec![], operands: 1, results })
    }

    /// Prints a product of reflections.
    pub(super) fn householder_product(&mut self, op: &Op) -> PrintResult {
        let routine = if op.outs.len() == 2 { "ungqr" } else { "orgqr" };
        self.call(op, Call { routine, options: vec![], operands: 2, results: vec![Returned::Used(&op.outs)] })
    }

    /// Prints systems with tridiagonal matrices. The routine also returns the factors, in place of the diagonals.
    pub(super) fn tridiagonal_solve(&mut self, op: &Op) -> PrintResult {
        let parts = op.outs.len();
        let unused = |x: &ValueId| Returned::Unused { ty: self.program.ty(*x).clone(), is_complex: parts == 2 };
        let mut results: Vec<Returned<'_>> = op.args.iter().step_by(parts).take(3).map(unused).collect();
        results.extend([Returned::Used(&op.outs), Returned::Info]);
        self.call(op, Call { routine: "gtsv", options: vec![], operands: 4, results })
    }

    /// Prints a reduction to Hessenberg form.
    pub(super) fn hessenberg(&mut self, op: &Op) -> PrintResult {
        let (factors, taus) = op.outs.split_at(op.args.len());
        let rows = self.program.ty(op.args[0]).shape.last().copied().unwrap_or_default();
        let results = vec![Returned::Used(factors), Returned::Used(taus), Returned::Info];
        let options = vec![("low", "1 : i32".to_owned()), ("high", format!("{rows} : i32"))];
        self.call(op, Call { routine: "gehrd", options, operands: 1, results })
    }

    /// Prints a singular value decomposition. The first result of the routine is the overwritten operand.
    pub(super) fn svd(&mut self, op: &Op, kind: &Svd) -> PrintResult {
        let (parts, a) = (op.args.len(), self.program.ty(op.args[0]));
        let unused = |ty: &Type| Returned::Unused { ty: ty.clone(), is_complex: parts == 2 };
        let (values, vectors) = op.outs.split_at(1);
        let mut results = vec![unused(a), Returned::Used(values)];
        let mode = match kind.vectors {
            SingularVectors::Full => 'A',
            SingularVectors::Thin => 'S',
            SingularVectors::None => 'N',
        };
        match kind.vectors {
            SingularVectors::Full | SingularVectors::Thin => results.extend(vectors.chunks(parts).map(Returned::Used)),
            SingularVectors::None => {
                let rank = a.shape.rank();
                let (rows, cols) = (a.shape[rank - 2], a.shape[rank - 1]);
                let (mut left, mut right) = (a.clone(), a.clone());
                left.shape[rank - 1] = rows.min(cols);
                right.shape[rank - 2] = rows.min(cols);
                results.extend([unused(&left), unused(&right)]);
            }
        }
        results.push(Returned::Info);
        self.call(op, Call { routine: "gesdd", options: vec![letter("mode", mode)], operands: 1, results })
    }

    /// Prints the eigenvalues and eigenvectors of Hermitian matrices.
    pub(super) fn eigh(&mut self, op: &Op, kind: &Eigh) -> PrintResult {
        let (values, vectors) = op.outs.split_at(1);
        let routine = if op.args.len() == 2 { "heevd" } else { "syevd" };
        let options = vec![letter("mode", 'V'), letter("uplo", if kind.upper { 'U' } else { 'L' })];
        let results = vec![Returned::Used(vectors), Returned::Used(values), Returned::Info];
        self.call(op, Call { routine, options, operands: 1, results })
    }

    /// Prints the eigenvalues and eigenvectors of square matrices. For real matrices, the routine returns the parts of
    /// the values separately.
    pub(super) fn eig(&mut self, op: &Op, kind: &Eig) -> PrintResult {
        let (values, vectors) = op.outs.split_at(2);
        let (right, left) = vectors.split_at(2);
        let left = match left {
            [] => Returned::Unused { ty: self.program.ty(right[0]).clone(), is_complex: true },
            left => Returned::Used(left),
        };
        let values = values.chunks(op.args.len()).map(Returned::Used);
        let results = values.chain([left, Returned::Used(right), Returned::Info]).collect();
        let options = vec![letter("compute_left", if kind.left { 'V' } else { 'N' }), letter("compute_right", 'V')];
        self.call(op, Call { routine: "geev", options, operands: 1, results })
    }

    /// Prints a call. Errors: an element type that LAPACK does not have.
    fn call(&mut self, op: &Op, call: Call<'_>) -> PrintResult {
        let a = self.program.ty(op.args[0]);
        let parts = op.args.len() / call.operands;
        let letter = match (a.dtype, parts) {
            (DType::F32, 1) => 's',
            (DType::F64, 1) => 'd',
            (DType::F32, 2) => 'c',
            (DType::F64, 2) => 'z',
            _ => return Err(no_counterpart(op)),
        };
        let batch = op.args.iter().map(|&arg| self.program.ty(arg).shape.rank()).max().unwrap_or_default() - 2;
        let info = Type { dtype: DType::I32, shape: a.shape[..batch].iter().copied().collect() };
        let operand_layouts = comma(op.args.chunks(parts).map(|parts| index_order(self.program.ty(parts[0]), batch)));
        let (args, arg_types) = self.operands(op, call.operands);

        let (mut names, mut types, mut layouts) = (Vec::new(), Vec::new(), Vec::new());
        for returned in &call.results {
            let (ty, is_complex) = match returned {
                Returned::Used(values) => (self.program.ty(values[0]), values.len() == 2),
                Returned::Unused { ty, is_complex } => (ty, *is_complex),
                Returned::Info => (&info, false),
            };
            layouts.push(index_order(ty, batch));
            types.push(if is_complex { complex_type(ty) } else { tensor(ty) });
            names.push(self.fresh());
        }
        let options = comma(call.options.iter().map(|(name, value)| format!("{name} = {value}")));
        let mut attrs = vec![
            format!("mhlo.backend_config = {{{options}}}"),
            format!("mhlo.frontend_attributes = {{num_batch_dims = \"{batch}\"}}"),
        ];
        attrs.extend(self.shardings_of_call(&call, op, batch));
        let outs = if types.len() == 1 { types[0].clone() } else { format!("({})", comma(&types)) };
        self.line(format_args!(
            "{} = \"stablehlo.custom_call\"({args}) <{{backend_config = \"\", \
             call_target_name = \"lapack_{letter}{}_ffi\", operand_layouts = [{operand_layouts}], \
             result_layouts = [{}]}}>{} : ({arg_types}) -> {outs}",
            comma(&names),
            call.routine,
            comma(&layouts),
            braced(&attrs),
        ));

        for ((returned, name), ty) in call.results.iter().zip(&names).zip(&types) {
            match returned {
                Returned::Used(values) => self.bind_parts(values, name, ty),
                Returned::Unused { .. } => {}
                Returned::Info => self.nan_where_failed(op, name, &info),
            }
        }
        Ok(())
    }

    /// Returns the attribute with the shardings of a call's results, if a result of the op has a layout.
    fn shardings_of_call(&self, call: &Call<'_>, op: &Op, batch: usize) -> Option<String> {
        let mesh = op.outs.iter().find_map(|&v| self.program.values[v].layout.as_ref()).map(|l| l.mesh)?;
        let open = |rank| self.layout(&Layout::open(mesh, rank));
        let shardings = call.results.iter().map(|returned| match returned {
            Returned::Used(values) => self.layout_or_open(values[0], mesh),
            Returned::Unused { ty, .. } => open(ty.shape.rank()),
            Returned::Info => open(batch),
        });
        Some(format!("sdy.sharding = #sdy.sharding_per_value<[{}]>", comma(shardings)))
    }

    /// Replaces the results of an op by NaN for matrices for which a routine failed. `name` is the name of its codes.
    fn nan_where_failed(&mut self, op: &Op, name: &str, info: &Type) {
        let (zero, failed) = (self.splat(info, Scalar::Int(0)), self.fresh());
        let properties = comparison(Direction::Ne, info.dtype, false);
        let (info_ty, failed_ty) = (tensor(info), tensor(&Type { dtype: DType::Bool, ..info.clone() }));
        self.line(format_args!(
            "{failed} = \"stablehlo.compare\"({name}, {zero}) <{{{properties}}}> \
             : ({info_ty}, {info_ty}) -> {failed_ty}"
        ));
        let dims = array("broadcast_dimensions", &(0..info.shape.rank()).collect::<Vec<_>>());
        for &out in &op.outs {
            let ty = self.program.ty(out);
            let (mask, mask_ty) = (self.fresh(), tensor(&Type { dtype: DType::Bool, ..ty.clone() }));
            self.line(format_args!(
                "{mask} = \"stablehlo.broadcast_in_dim\"({failed}) <{{{dims}}}> : ({failed_ty}) -> {mask_ty}"
            ));
            let nan = self.splat(ty, Scalar::Float(f64::NAN));
            let (selected, ty) = (self.fresh(), self.ty(out));
            let found = std::mem::replace(&mut self.names[out.index()], selected.clone());
            self.line(format_args!(
                "{selected} = \"stablehlo.select\"({mask}, {nan}, {found}) : ({mask_ty}, {ty}, {ty}) -> {ty}"
            ));
        }
    }

    /// Prints a constant with equal elements. Returns its name.
    fn splat(&mut self, ty: &Type, x: Scalar) -> SmolStr {
        let name = self.fresh();
        let value = dense(&Literal::Splat(x), ty);
        self.line(format_args!("{name} = \"stablehlo.constant\"() <{{value = {value}}}> : () -> {}", tensor(ty)));
        name
    }
}

/// Returns an option whose value is the code of a letter.
fn letter(name: &'static str, letter: char) -> (&'static str, String) {
    (name, format!("{} : ui8", u32::from(letter)))
}

/// Returns the order of dimensions in memory, the fastest first, as LAPACK needs it: columns of matrices are
/// contiguous. Other tensors of a call are vectors and numbers for each matrix of the batch.
fn index_order(ty: &Type, batch: usize) -> String {
    let rank = ty.shape.rank();
    let mut order: Vec<usize> = (0..rank).rev().collect();
    if rank == batch + 2 {
        order.swap(0, 1);
    }
    let order = if order.is_empty() { String::new() } else { format!("{order:?}") };
    format!("dense<{order}> : tensor<{rank}xindex>")
}
