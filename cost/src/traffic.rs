//! Communication and arithmetic of one device: every collective with its bytes, and the floating-point operations of
//! contractions and convolutions.
//!
//! The payload is the total size of the results (for a reduce_scatter: of the operands). On a ring of `n` devices each
//! one sends `2 (n - 1) / n` of the payload of an all_reduce, `(n - 1) / n` of that of an all_gather, reduce_scatter or
//! all_to_all, and the full payload of a permute.

use super::run_counts;
use partita_ir::arena::OpId;
use partita_ir::class::Collective;
use partita_ir::dtype::Type;
use partita_ir::mesh::{Axes, shard_count};
use partita_ir::op::OpKind;
use partita_ir::program::{Form, Op, Phase, Program, Value};
use smallvec::SmallVec;

/// A collective of a local program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveTraffic {
    /// The collective op.
    pub op: OpId,
    /// Mesh axes along which devices communicate.
    pub axes: Axes,
    /// Payload in bytes per execution. See the module documentation.
    pub payload_bytes: u64,
    /// Bytes that a device sends per execution on a ring.
    pub wire_bytes: u64,
    /// Number of executions in one run of the program.
    pub count: u64,
}

/// Returns every collective of a local program in textual order.
pub fn collectives(program: &Program) -> Vec<CollectiveTraffic> {
    let mut found = Vec::new();
    for (func, count) in run_counts(program) {
        for &id in program.funcs[func].ops() {
            let op = &program.ops[id];
            if let Some(collective) = op.kind.collective() {
                let (axes, ring) = (collective.axes(), RingPattern::from_collective(collective));
                let measured = if ring == RingPattern::ReduceScatter { &op.args } else { &op.outs };
                let bytes = measured.iter().map(|&v| program.values[v].local_type().bytes());
                let payload_bytes = bytes.fold(0, u64::saturating_add);
                let wire_bytes = ring.wire_bytes(payload_bytes, shard_count(axes) as u64);
                found.push(CollectiveTraffic { op: id, axes: axes.clone(), payload_bytes, wire_bytes, count });
            }
        }
    }
    found
}

/// Returns the bytes that a device sends on a ring for a collective with the given operand and result bytes per device.
pub fn wire_bytes(kind: &OpKind, operand_bytes: u64, result_bytes: u64) -> u64 {
    kind.collective().map_or(0, |collective| {
        let ring = RingPattern::from_collective(collective);
        let payload = if ring == RingPattern::ReduceScatter { operand_bytes } else { result_bytes };
        ring.wire_bytes(payload, shard_count(collective.axes()) as u64)
    })
}

/// Communication pattern of a collective on a ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RingPattern {
    AllReduce,
    Gather,
    ReduceScatter,
    Permute,
}

impl RingPattern {
    fn from_collective(collective: Collective<'_>) -> RingPattern {
        match collective {
            Collective::AllReduce(_) => RingPattern::AllReduce,
            Collective::AllGather(_) | Collective::AllToAll(_) => RingPattern::Gather,
            Collective::ReduceScatter(_) => RingPattern::ReduceScatter,
            Collective::Permute(_) => RingPattern::Permute,
        }
    }

    fn wire_bytes(self, payload: u64, n: u64) -> u64 {
        let share = |times: u64| {
            let exact =
                u128::from(payload) * u128::from(times) * u128::from(n.saturating_sub(1)) / u128::from(n.max(1));
            u64::try_from(exact).unwrap_or(u64::MAX)
        };
        match self {
            RingPattern::AllReduce => share(2),
            RingPattern::Gather | RingPattern::ReduceScatter => share(1),
            RingPattern::Permute => payload,
        }
    }
}

/// Returns the floating-point operations of contractions and convolutions in one run. Counts one device for a local
/// program and the entire model otherwise.
pub fn contraction_flops(program: &Program) -> u64 {
    Phase::ALL.into_iter().map(|phase| phase_contraction_flops(program, phase)).fold(0, u64::saturating_add)
}

/// Returns the floating-point operations of contractions and convolutions in one phase.
pub fn phase_contraction_flops(program: &Program, phase: Phase) -> u64 {
    let local_type = |value: &Value| if program.form >= Form::Local { value.local_type() } else { value.ty.clone() };
    let cost = |op: &Op| {
        let args: SmallVec<[Type; 3]> = op.args.iter().map(|&v| local_type(&program.values[v])).collect();
        let outs: SmallVec<[Type; 3]> = op.outs.iter().map(|&v| local_type(&program.values[v])).collect();
        let (args, outs): (SmallVec<[&Type; 3]>, SmallVec<[&Type; 3]>) = (args.iter().collect(), outs.iter().collect());
        op.kind.flops(&args, &outs)
    };
    let in_func = |func| {
        let ops = program.funcs[func].ops().iter().map(|&op| &program.ops[op]);
        ops.filter(|op| op.phase == phase && op.kind.class().contracts()).map(cost).fold(0, u64::saturating_add)
    };
    let runs = run_counts(program);
    runs.iter().map(|&(func, times)| times.saturating_mul(in_func(func))).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::diag::Source;
    use partita_ir::text::parse;

    fn local(body: &str) -> Program {
        let text = format!("form local\nmesh @m = [data=2, model=4]\n{body}");
        parse(&Source::new("t.pir", text)).unwrap()
    }

    /// Returns the payload and wire bytes of each collective.
    fn bytes(program: &Program) -> Vec<(u64, u64)> {
        collectives(program).iter().map(|c| (c.payload_bytes, c.wire_bytes)).collect()
    }

    #[test]
    fn payload_and_ring_bytes_of_each_kind() {
        let program = local(
            "input %x : f32[8, 16]
             %a = all_reduce sum over model %x : f32[8, 16]
             %g = all_gather dim 0 over data %a : f32[16, 16]
             %s = reduce_scatter sum dim 0 over model %g : f32[4, 16]
             %t = all_to_all dim 0 -> dim 1 over data %s : f32[8, 8]
             %p = permute over data [0->1] %t : f32[8, 8]
             output %p",
        );
        assert_eq!(bytes(&program), [(512, 768), (1024, 512), (1024, 768), (256, 128), (256, 256)]);
    }

    #[test]
    fn several_values_are_one_collective() {
        let program = local(
            "input %x : f32[8, 16]
             input %y : f32[3]
             %a, %b = all_reduce sum over model %x, %y : f32[8, 16], f32[3]
             output %a
             output %b",
        );
        assert_eq!(bytes(&program), [(512 + 12, 768 + 18)]);
    }

    #[test]
    fn loops_multiply_counts() {
        let program = local(
            "func @body(%c : f32[4, 4]) {
               %m = matmul %c, %c : f32[4, 4]
               %r = all_reduce sum over data+model %m : f32[4, 4]
               return %r
             }
             input %x : f32[4, 4]
             %y = loop 10 of @body %x : f32[4, 4]
             output %y",
        );
        assert_eq!(collectives(&program).iter().map(|c| (c.count, c.wire_bytes)).collect::<Vec<_>>(), [(10, 112)]);
        assert_eq!(contraction_flops(&program), 10 * 2 * 64);
    }
}
