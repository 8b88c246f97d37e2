//! What a device sends and computes: every collective with its bytes, and the arithmetic of contractions and
//! convolutions.
//!
//! Payload is the result's bytes (of a reduce_scatter: the operand's), of all results where there are several. On a
//! ring of `n` devices each one sends `2 (n - 1) / n` of the payload of an all_reduce, `(n - 1) / n` of that of an
//! all_gather, reduce_scatter or all_to_all, and the whole payload of a permute.

use super::runs;
use partita_ir::arena::OpId;
use partita_ir::class::Collective;
use partita_ir::dtype::Type;
use partita_ir::mesh::{Axes, ways};
use partita_ir::op::OpKind;
use partita_ir::program::{Form, Op, Phase, Program, Value};
use smallvec::SmallVec;

/// A collective of a local program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveTraffic {
    /// The op.
    pub op: OpId,
    /// The axes along which devices communicate.
    pub axes: Axes,
    /// Bytes each time: see the head of this file.
    pub payload_bytes: u64,
    /// Bytes that a device sends each time, on a ring.
    pub wire_bytes: u64,
    /// How often it runs in one run of the program.
    pub count: u64,
}

/// Every collective of a local program, in the order of its text.
pub fn collectives(program: &Program) -> Vec<CollectiveTraffic> {
    let mut found = Vec::new();
    for (func, count) in runs(program) {
        for &id in program.funcs[func].ops() {
            let op = &program.ops[id];
            if let Some(collective) = op.kind.collective() {
                let (axes, ring) = (collective.axes(), Ring::of(collective));
                let measured = if ring == Ring::ReduceScatter { &op.args } else { &op.outs };
                let bytes = measured.iter().map(|&v| program.values[v].local_type().bytes());
                let payload_bytes = bytes.fold(0, u64::saturating_add);
                let wire_bytes = ring.wire(payload_bytes, ways(axes) as u64);
                found.push(CollectiveTraffic { op: id, axes: axes.clone(), payload_bytes, wire_bytes, count });
            }
        }
    }
    found
}

/// Bytes that a device sends on a ring for a collective that takes and gives so many bytes on each device.
pub fn wire_bytes(kind: &OpKind, taken: u64, given: u64) -> u64 {
    kind.collective().map_or(0, |collective| {
        let ring = Ring::of(collective);
        let payload = if ring == Ring::ReduceScatter { taken } else { given };
        ring.wire(payload, ways(collective.axes()) as u64)
    })
}

/// How a ring carries a collective out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ring {
    AllReduce,
    Gather,
    ReduceScatter,
    Permute,
}

impl Ring {
    fn of(collective: Collective<'_>) -> Ring {
        match collective {
            Collective::AllReduce(_) => Ring::AllReduce,
            Collective::AllGather(_) | Collective::AllToAll(_) => Ring::Gather,
            Collective::ReduceScatter(_) => Ring::ReduceScatter,
            Collective::Permute(_) => Ring::Permute,
        }
    }

    fn wire(self, payload: u64, n: u64) -> u64 {
        let share = |times: u64| {
            let exact =
                u128::from(payload) * u128::from(times) * u128::from(n.saturating_sub(1)) / u128::from(n.max(1));
            u64::try_from(exact).unwrap_or(u64::MAX)
        };
        match self {
            Ring::AllReduce => share(2),
            Ring::Gather | Ring::ReduceScatter => share(1),
            Ring::Permute => payload,
        }
    }
}

/// Arithmetic of contractions and convolutions in one run: of one device when the program is local, else of the whole
/// model.
pub fn contraction_flops(program: &Program) -> u64 {
    Phase::ALL.into_iter().map(|phase| contraction_flops_of(program, phase)).fold(0, u64::saturating_add)
}

/// That of the ops of one phase.
pub fn contraction_flops_of(program: &Program, phase: Phase) -> u64 {
    let held = |value: &Value| if program.form >= Form::Local { value.local_type() } else { value.ty.clone() };
    let cost = |op: &Op| {
        let args: SmallVec<[Type; 3]> = op.args.iter().map(|&v| held(&program.values[v])).collect();
        let outs: SmallVec<[Type; 3]> = op.outs.iter().map(|&v| held(&program.values[v])).collect();
        let (args, outs): (SmallVec<[&Type; 3]>, SmallVec<[&Type; 3]>) = (args.iter().collect(), outs.iter().collect());
        op.kind.flops(&args, &outs)
    };
    let in_func = |func| {
        let ops = program.funcs[func].ops().iter().map(|&op| &program.ops[op]);
        ops.filter(|op| op.phase == phase && op.kind.class().contracts()).map(cost).fold(0, u64::saturating_add)
    };
    let runs = runs(program);
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

    /// Payload and wire bytes of each collective.
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
    fn loops_multiply() {
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
