//! Printing of Fourier transforms, Cholesky factorizations and triangular systems.
//!
//! A complex number is two values of a program and one value of StableHLO.

use super::ops::array;
use super::{Writer, braced, comma};
use crate::syntax::spelling;
use partita_ir::arena::{Id, ValueId};
use partita_ir::dtype::Type;
use partita_ir::ops::{Fft, Transform, Transposition, TriangularSolve};
use partita_ir::program::Op;
use smol_str::SmolStr;

impl Writer<'_> {
    /// Prints an operation of StableHLO with `operands` operands and one result. A complex operand or result is two
    /// values of `op`, its parts.
    pub(super) fn with_complex(&mut self, op: &Op, operands: usize, name: &str, properties: &str) {
        let (args, arg_types) = self.operands(op, operands);
        let Some(&out) = op.outs.first() else { return };
        let result = self.fresh();
        let ty = if op.outs.len() == 2 { complex_type(self.program.ty(out)) } else { self.ty(out) };
        let attrs: Vec<String> = self.shardings(&op.outs[..1]).into_iter().collect();
        self.line(format_args!(
            "{result} = \"{name}\"({args}) <{{{properties}}}>{} : ({arg_types}) -> {ty}",
            braced(&attrs),
        ));
        self.bind_parts(&op.outs, &result, &ty);
    }

    /// Returns the names and the types of the operands, of which complex ones are two operands of `op`.
    pub(super) fn operands(&mut self, op: &Op, operands: usize) -> (String, String) {
        let numbers = op.args.chunks((op.args.len() / operands).max(1));
        let (args, types): (Vec<SmolStr>, Vec<String>) = numbers
            .map(|parts| match *parts {
                [re, im] => self.complex(re, im),
                [x, ..] => (self.names[x.index()].clone(), self.ty(x)),
                [] => Default::default(),
            })
            .unzip();
        (comma(args), comma(types))
    }

    /// Gives the result `name` of type `ty` to a value, or its parts to two values.
    pub(super) fn bind_parts(&mut self, values: &[ValueId], name: &SmolStr, ty: &str) {
        if let [value] = *values {
            self.names[value.index()] = name.clone();
            return;
        }
        for (&value, part) in values.iter().zip(["real", "imag"]) {
            let of_part = self.fresh();
            self.line(format_args!("{of_part} = \"stablehlo.{part}\"({name}) : ({ty}) -> {}", self.ty(value)));
            self.names[value.index()] = of_part;
        }
    }

    /// Prints the complex number of two parts. Returns its name and its type.
    fn complex(&mut self, re: ValueId, im: ValueId) -> (SmolStr, String) {
        let name = self.fresh();
        let (part, ty) = (self.ty(re), complex_type(self.program.ty(re)));
        let (re, im) = (self.names[re.index()].clone(), self.names[im.index()].clone());
        self.line(format_args!("{name} = \"stablehlo.complex\"({re}, {im}) : ({part}, {part}) -> {ty}"));
        (name, ty)
    }
}

/// Returns the type of complex numbers with parts of type `part`, as `tensor<4xcomplex<f32>>`.
pub(super) fn complex_type(part: &Type) -> String {
    let sizes: String = part.shape.iter().map(|size| format!("{size}x")).collect();
    format!("tensor<{sizes}complex<{}>>", spelling(part.dtype))
}

/// Returns the properties of a Fourier transform.
pub(super) fn fft(kind: &Fft) -> String {
    let name = match kind.transform {
        Transform::Forward => "FFT",
        Transform::Inverse => "IFFT",
        Transform::RealForward => "RFFT",
        Transform::RealInverse => "IRFFT",
    };
    format!("{}, fft_type = #stablehlo<fft_type {name}>", array("fft_length", &kind.lengths))
}

/// Returns the properties of a triangular system.
pub(super) fn triangular_solve(kind: &TriangularSolve) -> String {
    let name = match kind.transposition {
        Transposition::None => "NO_TRANSPOSE",
        Transposition::Transpose => "TRANSPOSE",
        Transposition::Adjoint => "ADJOINT",
    };
    format!(
        "left_side = {}, lower = {}, transpose_a = #stablehlo<transpose {name}>, unit_diagonal = {}",
        !kind.right, !kind.upper, kind.unit_diagonal
    )
}
