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
        let numbers = op.args.chunks((op.args.len() / operands).max(1));
        let (args, arg_types): (Vec<SmolStr>, Vec<String>) = numbers
            .map(|parts| match *parts {
                [re, im] => self.complex(re, im),
                [x, ..] => (self.names[x.index()].clone(), self.ty(x)),
                [] => Default::default(),
            })
            .unzip();
        let Some(&out) = op.outs.first() else { return };
        let result = self.fresh();
        let is_complex = op.outs.len() == 2;
        let ty = if is_complex { complex_type(self.program.ty(out)) } else { self.ty(out) };
        let attrs: Vec<String> = self.shardings(&op.outs[..1]).into_iter().collect();
        self.line(format_args!(
            "{result} = \"{name}\"({}) <{{{properties}}}>{} : ({}) -> {ty}",
            comma(args),
            braced(&attrs),
            comma(arg_types)
        ));
        if !is_complex {
            self.names[out.index()] = result;
            return;
        }
        for (&out, part) in op.outs.iter().zip(["real", "imag"]) {
            let name = self.fresh();
            self.line(format_args!("{name} = \"stablehlo.{part}\"({result}) : ({ty}) -> {}", self.ty(out)));
            self.names[out.index()] = name;
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
fn complex_type(part: &Type) -> String {
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
