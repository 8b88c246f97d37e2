//! Halos: elements that a window reads from neighbouring shards.
//!
//! A device that computes the outputs `[o, o + m)` of a window with stride `s`, padding `low` and reach `r` reads the
//! inputs `[s o - low, s o - low + s (m - 1) + r)`. It has one shard of the input, and receives the other elements of
//! this range from the devices that have them. Elements outside of the input are replaced by the op's padding (GSPMD,
//! Xu et al. 2021, section 3.6).

use super::{Localizer, ShardedOp};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::local_size;
use partita_ir::mesh::{Axes, shard_count};
use partita_ir::op::{OpKind, Padding};
use partita_ir::ops::{BinaryOp, Compare, Direction, Iota, Select};
use partita_ir::program::Values;
use partita_ir::rule::{FactorKind, Window, WindowReads};
use partita_ir::tensor::Scalar;

/// Input range that each device reads through a window along one dimension.
struct Halo {
    dim: usize,
    /// Axes that shard input and output.
    axes: Axes,
    /// Global size of the input.
    input: usize,
    /// Range that the first device reads. The others read the same number of elements and crop identically.
    reads: WindowReads,
    /// First element of each device's range.
    starts: Vec<i64>,
    /// True if some device reads padding.
    reads_padding: bool,
}

impl Localizer<'_> {
    /// Fetches the halo of every dimension of operand 0 whose window factor is sharded, and adapts the op's padding.
    pub(super) fn exchange_halos(&mut self, site: &ShardedOp, kind: &mut OpKind, args: &mut Values) {
        for (dim, factors) in site.rule.args.first().into_iter().flatten().enumerate() {
            let [factor] = factors[..] else { continue };
            let axes = &site.factors[factor.0 as usize];
            let FactorKind::Window(window) = site.rule.kind(factor) else { continue };
            let Some(windowed) = kind.interfaces().windowed else { continue };
            // A single shard has no neighbours.
            if shard_count(axes) == 1 {
                continue;
            }
            let output = site.rule.factors[factor.0 as usize].size;
            let halo = Halo::new(dim, window, axes.clone(), site.args[0].shape[dim], output);
            self.b.origin = site.origin_of_exchange(dim, "the window reads elements of neighbouring shards");
            args[0] = self.fetch(&halo, args[0], windowed.padding(), args);
            *kind = windowed.after_halo_exchange(dim, halo.reads.padding);
        }
        self.b.origin = site.op.origin.clone();
    }

    fn fetch(&mut self, halo: &Halo, value: ValueId, padding: Padding, args: &[ValueId]) -> ValueId {
        let span = self.b.fetch_range(value, halo.dim, &halo.axes, &halo.starts, halo.reads.count);
        if halo.reads_padding { self.pad_overhang(halo, span, padding, args) } else { span }
    }

    /// Replaces elements outside of the input by the op's padding.
    fn pad_overhang(&mut self, halo: &Halo, span: ValueId, padding: Padding, args: &[ValueId]) -> ValueId {
        let ty = self.b.program.values[span].local_type();
        let index = Type { shape: ty.shape.clone(), dtype: DType::I32 };
        let bool_ty = Type { shape: ty.shape.clone(), dtype: DType::Bool };
        let start = self.b.entry_of_device(&halo.axes, &halo.starts);
        let start = self.b.broadcast(start, &[], ty.shape.clone());
        let position = self.b.op("i", Iota { dim: halo.dim }, &[], index.clone());
        let position = self.b.binary(BinaryOp::Add, position, start);
        let compare = |b: &mut Self, direction, bound: usize| {
            let bound = b.b.splat(index.clone(), Scalar::Int(bound as i64));
            b.b.op("in", Compare { direction, total: false }, &[position, bound], bool_ty.clone())
        };
        let (low, high) = (compare(self, Direction::Ge, 0), compare(self, Direction::Lt, halo.input));
        let inside = self.b.binary(BinaryOp::And, low, high);
        let fill = match padding {
            Padding::Fill(fill) => self.b.splat(ty.clone(), fill.scalar(ty.dtype)),
            Padding::Operand(arg) => self.b.broadcast(args[arg], &[], ty.shape.clone()),
        };
        self.b.op("padded", Select {}, &[inside, span, fill], ty)
    }
}

impl Halo {
    fn new(dim: usize, window: Window, axes: Axes, input: usize, output: usize) -> Halo {
        let (devices, shard, outputs) = (shard_count(&axes), local_size(input, &axes), local_size(output, &axes));
        let reads = window.reads(0, outputs);
        let mut halo = Halo { dim, axes, input, reads, starts: Vec::new(), reads_padding: false };
        for device in 0..devices {
            let needed = output.saturating_sub(device * outputs).min(outputs);
            let start = match halo.starts.last() {
                // The last devices may have no outputs. They read at the same distance as the device before.
                Some(start) if needed == 0 => start + shard as i64,
                _ => {
                    let needs = window.reads(device * outputs, needed);
                    halo.reads_padding |= needs.first < 0 || needs.first + needs.count as i64 > input as i64;
                    needs.first
                }
            };
            halo.starts.push(start);
        }
        halo
    }
}
