//! Lowering of tensor products: `dot_general` and `convolution`.

use super::Importer;
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, ConvSide, Op};
use partita_ir::arena::ValueId;
use partita_ir::dtype::Type;
use partita_ir::ops::{self, Convert, DotGeneral, GroupCount};
use partita_ir::program::Values;
use partita_ir::rule::Window;
use partita_ir::syntax::attr::{DimPairs, Dims};
use smallvec::SmallVec;

impl<'m, 'a> Importer<'m, 'a> {
    pub(super) fn dot_general(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (contract, batch) = match op.attr("dot_dimension_numbers") {
            // MLIR omits dimension numbers without contracting and batch dimensions.
            None => (DimPairs::default(), DimPairs::default()),
            Some(_) => {
                let fields = op.fields("dot_dimension_numbers")?;
                let contract = DimPairs {
                    lhs: fields.dims("lhs_contracting_dimensions")?,
                    rhs: fields.dims("rhs_contracting_dimensions")?,
                };
                let batch = DimPairs {
                    lhs: fields.dims("lhs_batching_dimensions")?,
                    rhs: fields.dims("rhs_batching_dimensions")?,
                };
                (contract, batch)
            }
        };
        let args = self.widen_operands(op, args);
        self.emit(op, DotGeneral { contract, batch }, &args)
    }

    pub(super) fn convolution(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let Some(Attr::Conv(dims)) = op.attr("dimension_numbers") else {
            return Err(Fault::malformed("a convolution needs its dimension numbers", op.span()));
        };
        let &[_, kernel] = args else {
            return Err(self.op_fault(op, format!("takes 2 operands, not {}", args.len())));
        };
        let spatial = &dims.kernel.spatial;
        let shape = self.program.ty(kernel).shape.clone();
        let sizes: Option<SmallVec<[usize; 4]>> = spatial.iter().map(|&d| shape.get(d).copied()).collect();
        let Some(sizes) = sizes else {
            return Err(self.op_fault(op, format!("has a kernel of shape {shape}, which lacks a dimension")));
        };
        let names = WindowNames {
            strides: "window_strides",
            padding: "padding",
            base: "lhs_dilation",
            dilation: "rhs_dilation",
        };
        let windows = windows(op, &sizes, names)?;
        let reverse = op.ints("window_reversal")?.unwrap_or_default();
        let kind = ops::Convolution {
            dims: ops::ConvDims {
                input: in_order(&dims.input, |s| [s.batch, s.feature]),
                kernel: in_order(&dims.kernel, |s| [s.feature, s.batch]),
                output: in_order(&dims.output, |s| [s.batch, s.feature]),
            },
            windows,
            reverse: reverse.iter().enumerate().filter(|(_, r)| **r != 0).map(|(i, _)| i).collect(),
            feature_groups: GroupCount(op.size("feature_group_count")?),
            batch_groups: GroupCount(op.size("batch_group_count")?),
        };
        let args = self.widen_operands(op, args);
        self.emit(op, kind, &args)
    }

    /// Converts the operands to the element type of the result, in which products are accumulated.
    pub(super) fn widen_operands(&mut self, op: &Op<'a>, args: &[ValueId]) -> Values {
        let Some(dtype) = op.types.first().map(|t| t.dtype) else { return args.into() };
        args.iter()
            .map(|&arg| {
                let ty = self.program.ty(arg);
                if ty.dtype == dtype {
                    return arg;
                }
                let ty = Type { shape: ty.shape.clone(), dtype };
                self.temp("wide", Convert {}, &[arg], ty)
            })
            .collect()
    }
}

/// Returns the two dimensions that `first` selects, followed by the spatial dimensions.
fn in_order(side: &ConvSide, first: impl Fn(&ConvSide) -> [usize; 2]) -> Dims {
    first(side).into_iter().chain(side.spatial.iter().copied()).collect()
}

/// Attribute names of windows, which differ between operations.
pub(super) struct WindowNames {
    pub strides: &'static str,
    pub padding: &'static str,
    pub base: &'static str,
    pub dilation: &'static str,
}

/// Returns one window per dimension with the given sizes. Defaults are 1, and 0 for padding.
pub(super) fn windows(op: &Op<'_>, sizes: &[usize], names: WindowNames) -> Result<Vec<Window>> {
    let rank = sizes.len();
    let list = |name: &str, each: usize, default: i64| {
        let found = op.ints(name)?.unwrap_or_else(|| SmallVec::from_elem(default, rank * each));
        if found.len() == rank * each {
            return Ok(found);
        }
        let title = format!("`{}`: `{name}` has {} numbers, not {}", op.code.name(), found.len(), rank * each);
        Err(Fault::malformed(title, op.span()))
    };
    let positive = |name: &str, n: i64| {
        usize::try_from(n).ok().filter(|&n| n > 0).ok_or_else(|| {
            Fault::malformed(format!("`{}`: `{name}` must be positive, not {n}", op.code.name()), op.span())
        })
    };
    let strides = list(names.strides, 1, 1)?;
    let padding = list(names.padding, 2, 0)?;
    let base = list(names.base, 1, 1)?;
    let dilation = list(names.dilation, 1, 1)?;
    (0..rank)
        .map(|i| {
            Ok(Window {
                size: sizes[i],
                stride: positive(names.strides, strides[i])?,
                low: padding[2 * i],
                high: padding[2 * i + 1],
                dilation: positive(names.dilation, dilation[i])?,
                base: positive(names.base, base[i])?,
            })
        })
        .collect()
}
