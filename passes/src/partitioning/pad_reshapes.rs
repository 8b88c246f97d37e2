//! `pad-reshapes` (planned -> planned): pads reshapes that separate a sharded factor which the mesh does not divide
//! evenly.
//!
//! With 8 heads over 3 devices, a device has up to 3 heads, or 96 of 256 features; but 256 features are sharded in
//! blocks of 86. Padded to 9 heads, the shard boundaries agree. The reshape is therefore done between a `pad` and a
//! `slice`, whose halos move only the features at the wrong side of a boundary instead of the entire value.
//!
//! Before:
//!
//! ```text
//! mesh @m = [model=3]
//! input %x : f32[4, 256@model]
//! %q = reshape %x : f32[4, 8@model, 32]
//! ```
//!
//! After:
//!
//! ```text
//! %c = constant 0.0 : f32[] whole
//! %padded = pad high [0, 32] %x, %c : f32[4, 288@model]
//! %reshape = reshape %padded : f32[4, 9@model, 32]
//! %q.1 = slice [0, 0, 0] to [4, 8, 32] %reshape : f32[4, 8@model, 32]
//! ```

use crate::driver::{Findings, Input, Pass, PassInfo, any_op};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::class::Class;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{Shape, Type};
use partita_ir::expand::expand_all;
use partita_ir::ops::{Pad, Slice};
use partita_ir::origin::Cause;
use partita_ir::program::{Form, Op, Program, Values};
use partita_ir::rule::{FactorKind, splits_evenly};
use partita_ir::tensor::Scalar;
use smallvec::{SmallVec, smallvec};

/// The pass `pad-reshapes`; see the module documentation.
pub struct PadReshapes;

impl Pass for PadReshapes {
    fn info(&self) -> PassInfo {
        PassInfo { name: "pad-reshapes", input_form: Form::Planned, output_form: Form::Planned, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, is_uneven)
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        expand_all(program, is_uneven, |builder, op, types| Some(padded_reshape(builder, op, types)));
        Ok(())
    }
}

fn is_uneven(program: &Program, op: OpId) -> bool {
    !uneven_factors(program, &program.ops[op]).is_empty()
}

/// An unevenly sharded factor at the major end of an operand dimension and of a result dimension.
struct UnevenFactor {
    from: usize,
    to: usize,
    /// Elements along the factor, and shards of it.
    size: usize,
    shard_count: usize,
}

impl UnevenFactor {
    /// Returns the provenance of the data movement, given the shapes of operand and result.
    fn cause(&self, from: &Shape, to: &Shape) -> Cause {
        let UnevenFactor { size, shard_count, .. } = *self;
        let each = size.div_ceil(shard_count);
        Cause {
            op: "reshape".into(),
            factor: format!(
                "dimension {} of {} elements as dimension {} of {}",
                self.from, from[self.from], self.to, to[self.to]
            ),
            reason: format!(
                "{size} is not divisible by {shard_count} devices: shards of {each} have different boundaries \
                 before and after the reshape"
            ),
        }
    }

    /// Returns the size of a dimension that begins with the factor, after padding the factor to a multiple of the shard
    /// count.
    fn padded_size(&self, dim: usize) -> usize {
        dim / self.size * self.size.next_multiple_of(self.shard_count)
    }
}

/// Returns the factors of a reshape that are sharded unevenly. Among data movement ops only reshapes have dimensions of
/// several factors.
fn uneven_factors(program: &Program, op: &Op) -> SmallVec<[UnevenFactor; 1]> {
    let mut found = SmallVec::new();
    let (Class::Movement, &[x], &[out]) = (op.kind.class(), &op.args[..], &op.outs[..]) else { return found };
    let layout = |v: ValueId| program.values[v].layout.as_ref();
    let (Some(x_layout), Some(out_layout)) = (layout(x), layout(out)) else { return found };
    let rule = op.kind.rule(&[program.ty(x)], &[program.ty(out)]);
    for (from, factors) in rule.args[0].iter().enumerate() {
        let Some(&factor) = factors.first().filter(|&&f| rule.kind(f) == FactorKind::PassThrough) else { continue };
        let Some(to) = rule.outs[0].iter().position(|dim| dim.first() == Some(&factor)) else { continue };
        let axes = &x_layout.dims[from].axes;
        // If the factor is all of both dimensions, the shard boundaries agree.
        let alone = factors.len() == 1 && rule.outs[0][to].len() == 1;
        if alone || *axes != out_layout.dims[to].axes {
            continue;
        }
        let size = rule.factors[factor.0 as usize].size;
        if let [axis] = axes[..]
            && !splits_evenly(size, axes)
        {
            found.push(UnevenFactor { from, to, size, shard_count: axis.size as usize });
        }
    }
    found
}

/// Appends the reshape between a pad and a slice.
fn padded_reshape(b: &mut Builder<'_>, op: &Op, types: &[&Type]) -> Values {
    let (x, out) = (op.args[0], types[0]);
    let (mut from, mut to): (Shape, Shape) = (b.ty(x).shape, out.shape.clone());
    let mut high = vec![0; from.rank()];
    for uneven in uneven_factors(b.program, op) {
        b.origin = op.origin.with_cause(uneven.cause(&from, &to));
        let wide = uneven.padded_size(from[uneven.from]);
        high[uneven.from] = (wide - from[uneven.from]) as i64;
        from[uneven.from] = wide;
        to[uneven.to] = uneven.padded_size(to[uneven.to]);
    }
    let ty = |shape: &Shape| Type { shape: shape.clone(), dtype: out.dtype };
    let zero = if out.dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) };
    let zero = b.splat(Type::new(out.dtype, []), zero);
    let pad = Pad { low: Vec::new(), high, interior: SmallVec::new() };
    let wide = b.op("padded", pad, &[x, zero], ty(&from));
    let reshaped = b.op("reshape", op.kind.clone(), &[wide], ty(&to));
    let slice = Slice {
        start: smallvec![0; out.shape.rank()],
        limit: out.shape.iter().copied().collect(),
        stride: SmallVec::new(),
    };
    let name = b.program.values[op.outs[0]].name.clone();
    smallvec![b.op(&name, slice, &[reshaped], out.clone())]
}
