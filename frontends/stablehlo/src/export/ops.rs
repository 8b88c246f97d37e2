//! Printing of ops as their StableHLO counterparts.

use super::linear_algebra::{fft, triangular_solve};
use super::literal::dense;
use super::{PrintResult, Writer, comma};
use crate::counterparts::{binary_opcode, direction_name, unary_opcode};
use partita_ir::arena::Id;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{
    Convolution, Direction, DotGeneral, Gather, Pad, RngAlgorithm, Scatter, SelectAndScatter, Slice,
};
use partita_ir::program::Op;
use partita_ir::rule::Window;
use std::fmt::{Display, Write};

impl Writer<'_> {
    /// Prints one op.
    pub(super) fn op(&mut self, op: &Op) -> PrintResult {
        let dtype = op.args.first().or(op.outs.first()).map_or(DType::F32, |&v| self.program.ty(v).dtype);
        match &op.kind {
            OpKind::Constant(kind) => {
                let value = op.outs.first().map(|&out| dense(&kind.value, self.program.ty(out))).unwrap_or_default();
                self.simple(op, "stablehlo.constant", &format!("value = {value}"));
            }
            OpKind::Iota(kind) => self.simple(op, "stablehlo.iota", &format!("iota_dimension = {} : i64", kind.dim)),
            OpKind::RngBits(kind) => {
                let algorithm = match kind.algorithm {
                    RngAlgorithm::Threefry => "THREE_FRY",
                    RngAlgorithm::Philox => "PHILOX",
                };
                let algorithm = format!("rng_algorithm = #stablehlo<rng_algorithm {algorithm}>");
                self.simple(op, "stablehlo.rng_bit_generator", &algorithm);
            }
            OpKind::Unary(kind) => match unary_opcode(kind.op) {
                Some(code) => self.simple(op, code.name(), ""),
                None => return Err(no_counterpart(op)),
            },
            OpKind::Binary(kind) => match binary_opcode(kind.op) {
                Some(code) => self.simple(op, code.name(), ""),
                None => return Err(no_counterpart(op)),
            },
            OpKind::Compare(kind) => {
                let properties = comparison(kind.direction, dtype, kind.total);
                self.simple(op, "stablehlo.compare", &properties);
            }
            OpKind::Select(_) => self.simple(op, "stablehlo.select", ""),
            OpKind::Clamp(_) => self.simple(op, "stablehlo.clamp", ""),
            OpKind::Convert(_) => self.simple(op, "stablehlo.convert", ""),
            OpKind::Bitcast(_) => self.simple(op, "stablehlo.bitcast_convert", ""),
            OpKind::Broadcast(kind) => {
                self.simple(op, "stablehlo.broadcast_in_dim", &array("broadcast_dimensions", &kind.dims));
            }
            OpKind::Reshape(_) => self.simple(op, "stablehlo.reshape", ""),
            OpKind::Transpose(kind) => self.simple(op, "stablehlo.transpose", &array("permutation", &kind.perm)),
            OpKind::Reverse(kind) => self.simple(op, "stablehlo.reverse", &array("dimensions", &kind.dims)),
            OpKind::Slice(kind) => self.simple(op, "stablehlo.slice", &slice(kind)),
            OpKind::Pad(kind) => {
                let rank = op.args.first().map_or(0, |&v| self.program.ty(v).shape.rank());
                self.simple(op, "stablehlo.pad", &pad(kind, rank));
            }
            OpKind::Concatenate(kind) => {
                self.simple(op, "stablehlo.concatenate", &format!("dimension = {} : i64", kind.dim));
            }
            OpKind::DynamicSlice(kind) => {
                self.simple(op, "stablehlo.dynamic_slice", &array("slice_sizes", &kind.sizes));
            }
            OpKind::DynamicUpdateSlice(_) => self.simple(op, "stablehlo.dynamic_update_slice", ""),
            OpKind::Gather(kind) if !kind.fill => self.simple(op, "stablehlo.gather", &gather(kind)),
            OpKind::Scatter(kind) => {
                self.start(op, "stablehlo.scatter", None, &scatter(kind));
                self.combine_region(kind.combine, dtype);
                self.finish(op, None);
            }
            OpKind::DotGeneral(kind) => self.simple(op, "stablehlo.dot_general", &dot(kind)),
            OpKind::Convolution(kind) => self.simple(op, "stablehlo.convolution", &convolution(kind)),
            OpKind::Reduce(kind) => {
                let dims = array("dimensions", &kind.dims);
                self.reduction(op, "stablehlo.reduce", &dims, kind.monoid, dtype);
            }
            OpKind::ReduceWindow(kind) => {
                let windows = windows(&kind.windows, true);
                self.reduction(op, "stablehlo.reduce_window", &windows, kind.monoid, dtype);
            }
            OpKind::ReduceFunc(kind) => {
                self.start(op, "stablehlo.reduce", None, &array("dimensions", &kind.dims));
                self.func_region(kind.body)?;
                self.finish(op, None);
            }
            OpKind::SelectAndScatter(kind) => self.select_and_scatter(op, kind, dtype),
            OpKind::Sort(kind) => {
                let properties = format!("dimension = {} : i64, is_stable = {}", kind.dim, kind.stable);
                self.start(op, "stablehlo.sort", None, &properties);
                self.func_region(kind.comparator)?;
                self.finish(op, None);
            }
            OpKind::TopK(kind) => self.simple(op, "chlo.top_k", &format!("k = {} : i64", kind.k)),
            OpKind::Fft(kind) => self.with_complex(op, 1, "stablehlo.fft", &fft(kind)),
            OpKind::Cholesky(kind) => {
                self.with_complex(op, 1, "stablehlo.cholesky", &format!("lower = {}", !kind.upper));
            }
            OpKind::TriangularSolve(kind) => {
                self.with_complex(op, 2, "stablehlo.triangular_solve", &triangular_solve(kind));
            }
            OpKind::Lu(_) => self.lu(op)?,
            OpKind::Qr(_) => self.qr(op)?,
            OpKind::HouseholderProduct(_) => self.householder_product(op)?,
            OpKind::Svd(kind) => self.svd(op, kind)?,
            OpKind::Eigh(kind) => self.eigh(op, kind)?,
            OpKind::Eig(kind) => self.eig(op, kind)?,
            OpKind::Loop(kind) => self.while_loop(op, kind)?,
            OpKind::TridiagonalSolve(_) => self.tridiagonal_solve(op)?,
            OpKind::Hessenberg(_) => self.hessenberg(op)?,
            // A branch around the call is not reconstructed.
            OpKind::CustomCall(kind) if kind.guarded => return Err(no_counterpart(op)),
            OpKind::CustomCall(kind) => {
                let target = kind.target.0.replace('\\', "\\\\").replace('"', "\\\"");
                self.simple(op, "stablehlo.custom_call", &format!("call_target_name = \"{target}\""));
            }
            // In forms before `local`, collectives only change the layout of a value.
            OpKind::Constrain(_)
            | OpKind::Reshard(_)
            | OpKind::AllReduce(_)
            | OpKind::AllGather(_)
            | OpKind::ReduceScatter(_)
            | OpKind::AllToAll(_)
            | OpKind::Permute(_)
            | OpKind::Shard(_)
            | OpKind::Partial(_) => self.constraint(op),
            OpKind::Random(_)
            | OpKind::Gather(_)
            | OpKind::Softmax(_)
            | OpKind::LogSoftmax(_)
            | OpKind::LayerNorm(_)
            | OpKind::RmsNorm(_)
            | OpKind::BatchNorm(_)
            | OpKind::Gelu(_)
            | OpKind::CrossEntropy(_)
            | OpKind::Attention(_)
            | OpKind::AttentionGrad(_)
            | OpKind::Momentum(_)
            | OpKind::Adam(_)
            | OpKind::Mask(_)
            | OpKind::ShardStart(_) => return Err(no_counterpart(op)),
        }
        Ok(())
    }

    /// Prints a reduction by a monoid, with the monoid's identity as initial value.
    fn reduction(&mut self, op: &Op, name: &str, properties: &str, monoid: Monoid, dtype: DType) {
        let init = self.identity(monoid, dtype);
        self.start(op, name, Some(&init), properties);
        self.monoid_region(monoid, dtype, true);
        self.finish(op, Some(dtype));
    }

    fn select_and_scatter(&mut self, op: &Op, kind: &SelectAndScatter, dtype: DType) {
        let init = self.identity(Monoid::Sum, dtype);
        self.start(op, "stablehlo.select_and_scatter", Some(&init), &windows(&kind.windows, false));
        self.select_region(kind.monoid, dtype);
        self.monoid_region(Monoid::Sum, dtype, false);
        self.finish(op, Some(dtype));
    }

    /// Prints a sharding constraint. Without a layout the result is an alias of the operand.
    fn constraint(&mut self, op: &Op) {
        if op.outs.len() > 1 {
            for (&arg, &out) in op.args.iter().zip(&op.outs) {
                let (args, outs) = ([arg].into_iter().collect(), [out].into_iter().collect());
                self.constraint(&Op { args, outs, ..op.clone() });
            }
            return;
        }
        let sharding = op.outs.first().and_then(|&out| self.sharding(out));
        match sharding {
            Some(sharding) => {
                self.start(op, "sdy.sharding_constraint", None, &format!("sharding = {sharding}"));
                let types = comma(op.args.iter().map(|&v| self.ty(v)));
                let _ = writeln!(self.out, " : ({types}) -> {types}");
            }
            None => {
                for (&out, &arg) in op.outs.iter().zip(&op.args) {
                    self.names[out.index()] = self.names[arg.index()].clone();
                }
            }
        }
    }
}

/// Builds the error for an op without a counterpart in StableHLO.
pub(super) fn no_counterpart(op: &Op) -> Box<Diagnostic> {
    let title = format!("`{}` has no counterpart in StableHLO", op.kind.name());
    let error = Diagnostic::new(Code::F003, title);
    let origin = &op.origin;
    Box::new(match origin.line {
        0 => error,
        line if origin.file.is_empty() => error.note(format!("it comes from line {line} of the model")),
        line => error.on_line(origin.file.as_str(), line),
    })
}

/// Returns `name = array<i64: 1, 2>`.
pub(super) fn array<T: Display>(name: &str, items: &[T]) -> String {
    match items {
        [] => format!("{name} = array<i64>"),
        _ => format!("{name} = array<i64: {}>", comma(items)),
    }
}

/// Returns the properties of a comparison of elements of the given type.
pub(super) fn comparison(direction: Direction, dtype: DType, total: bool) -> String {
    let kind = match dtype {
        _ if total => "TOTALORDER",
        _ if dtype.is_float() => "FLOAT",
        _ if dtype.is_unsigned() || dtype == DType::Bool => "UNSIGNED",
        _ => "SIGNED",
    };
    format!(
        "compare_type = #stablehlo<comparison_type {kind}>, \
         comparison_direction = #stablehlo<comparison_direction {}>",
        direction_name(direction)
    )
}

fn slice(kind: &Slice) -> String {
    let ones = vec![1; kind.start.len()];
    let strides = if kind.stride.is_empty() { &ones[..] } else { &kind.stride[..] };
    [array("limit_indices", &kind.limit), array("start_indices", &kind.start), array("strides", strides)].join(", ")
}

fn pad(kind: &Pad, rank: usize) -> String {
    let (zeros, zero_sizes) = (vec![0i64; rank], vec![0usize; rank]);
    let low = if kind.low.is_empty() { &zeros } else { &kind.low };
    let high = if kind.high.is_empty() { &zeros } else { &kind.high };
    let interior = if kind.interior.is_empty() { &zero_sizes[..] } else { &kind.interior[..] };
    [array("edge_padding_high", high), array("edge_padding_low", low), array("interior_padding", interior)].join(", ")
}

/// Returns `#stablehlo.name<key = [..], ..>` without empty lists.
fn dimension_numbers(name: &str, lists: &[(&str, &[usize])], vector_dim: Option<usize>) -> String {
    let lists =
        lists.iter().filter(|(_, dims)| !dims.is_empty()).map(|(key, dims)| format!("{key} = [{}]", comma(*dims)));
    let vector = vector_dim.map(|dim| format!("index_vector_dim = {dim}"));
    format!("#stablehlo.{name}<{}>", comma(lists.chain(vector)))
}

fn gather(kind: &Gather) -> String {
    let lists = [
        ("offset_dims", &kind.offset_dims[..]),
        ("collapsed_slice_dims", &kind.collapsed_dims[..]),
        ("operand_batching_dims", &kind.operand_batch_dims[..]),
        ("start_indices_batching_dims", &kind.index_batch_dims[..]),
        ("start_index_map", &kind.index_map[..]),
    ];
    let numbers = dimension_numbers("gather", &lists, Some(kind.index_vector_dim));
    format!("dimension_numbers = {numbers}, {}", array("slice_sizes", &kind.slice_sizes))
}

fn scatter(kind: &Scatter) -> String {
    let lists = [
        ("update_window_dims", &kind.update_window_dims[..]),
        ("inserted_window_dims", &kind.inserted_dims[..]),
        ("input_batching_dims", &kind.operand_batch_dims[..]),
        ("scatter_indices_batching_dims", &kind.index_batch_dims[..]),
        ("scatter_dims_to_operand_dims", &kind.index_map[..]),
    ];
    format!("scatter_dimension_numbers = {}", dimension_numbers("scatter", &lists, Some(kind.index_vector_dim)))
}

fn dot(kind: &DotGeneral) -> String {
    let lists = [
        ("lhs_batching_dimensions", &kind.batch.lhs[..]),
        ("rhs_batching_dimensions", &kind.batch.rhs[..]),
        ("lhs_contracting_dimensions", &kind.contract.lhs[..]),
        ("rhs_contracting_dimensions", &kind.contract.rhs[..]),
    ];
    format!("dot_dimension_numbers = {}", dimension_numbers("dot", &lists, None))
}

fn convolution(kind: &Convolution) -> String {
    let windows = &kind.windows;
    let reversed = comma((0..windows.len()).map(|d| kind.reverse.contains(&d)));
    let reversed = if windows.is_empty() { "array<i1>".into() } else { format!("array<i1: {reversed}>") };
    let each = |f: fn(&Window) -> usize| windows.iter().map(f).collect::<Vec<_>>();
    let dims = format!(
        "[{}]x[{}]->[{}]",
        dim_roles(&kind.dims.input, "b", "f"),
        dim_roles(&kind.dims.kernel, "i", "o"),
        dim_roles(&kind.dims.output, "b", "f")
    );
    [
        format!("batch_group_count = {} : i64", kind.batch_groups.0),
        format!("dimension_numbers = #stablehlo.conv<{dims}>"),
        format!("feature_group_count = {} : i64", kind.feature_groups.0),
        array("lhs_dilation", &each(|w| w.base)),
        padding(windows),
        array("rhs_dilation", &each(|w| w.dilation)),
        format!("window_reversal = {reversed}"),
        array("window_strides", &each(|w| w.stride)),
    ]
    .join(", ")
}

/// Returns the role of each dimension: `first`, `second`, or the index of a spatial dimension. `dims` lists the
/// dimensions with these roles in this order.
fn dim_roles(dims: &[usize], first: &str, second: &str) -> String {
    let role = |d| match dims.iter().position(|&x| x == d) {
        Some(0) | None => first.to_owned(),
        Some(1) => second.to_owned(),
        Some(i) => (i - 2).to_string(),
    };
    comma((0..dims.len()).map(role))
}

/// Returns `padding = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>`.
fn padding(windows: &[Window]) -> String {
    let pairs = comma(windows.iter().map(|w| format!("[{}, {}]", w.low, w.high)));
    let pairs = if windows.is_empty() { String::new() } else { format!("[{pairs}]") };
    format!("padding = dense<{pairs}> : tensor<{}x2xi64>", windows.len())
}

fn windows(windows: &[Window], dilated: bool) -> String {
    let each = |f: fn(&Window) -> usize| windows.iter().map(f).collect::<Vec<_>>();
    let mut text = padding(windows);
    let _ = write!(text, ", {}", array("window_dimensions", &each(|w| w.size)));
    let _ = write!(text, ", {}", array("window_strides", &each(|w| w.stride)));
    if dilated {
        let _ = write!(text, ", {}", array("base_dilations", &each(|w| w.base)));
        let _ = write!(text, ", {}", array("window_dilations", &each(|w| w.dilation)));
    }
    text
}
