//! Frame of a program: the temporary memory of one device for values that are passed between launches, excluding inputs
//! and outputs.

use super::efficiencies::Fusion;
use super::kernels::{Launch, LaunchKind, Launches};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::Collective;
use partita_ir::offsets::HOST_ALIGN_BYTES;
use partita_ir::program::Program;
use rustc_hash::{FxHashMap, FxHashSet};

/// Temporary memory of one device at its peak.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Frame {
    /// Bytes.
    pub bytes: u64,
    /// Live values, including those of a loop body.
    pub values: Vec<ValueId>,
    /// First op of the launch in the main function during which the peak occurs.
    pub op: Option<OpId>,
}

/// Returns the temporaries of a program in local form at their peak. A fused loop or an in-place collective writes a
/// result to the buffer of an operand of the same size whose last use it is.
pub fn frame(program: &Program, fusion: Fusion) -> Frame {
    let mut done: FxHashMap<FuncId, Frame> = FxHashMap::default();
    for func in program.funcs_with_layouts() {
        let frame = function_frame(program, func, fusion, &done);
        done.insert(func, frame);
    }
    done.remove(&program.entry()).unwrap_or_default()
}

/// Returns the frame of a function. `done` contains those of the loop bodies that it runs.
fn function_frame(program: &Program, func: FuncId, fusion: Fusion, done: &FxHashMap<FuncId, Frame>) -> Frame {
    let mut peak = Frame::default();
    visit_launches(program, func, fusion, |launch, alive, current| {
        let inner = launch.loop_body().and_then(|body| done.get(&body));
        let during = current.saturating_add(inner.map_or(0, |inner| inner.bytes));
        if during > peak.bytes {
            let mut values: Vec<ValueId> = alive.iter().copied().collect();
            values.sort_unstable();
            values.extend(inner.iter().flat_map(|inner| &inner.values));
            peak = Frame { bytes: during, values, op: launch.ops.first().copied() };
        }
    });
    peak
}

/// Visits the launches of a function in the order of execution, each with the temporaries that are live while it runs
/// and their bytes, without those of a loop body.
pub(crate) fn visit_launches(
    program: &Program,
    func: FuncId,
    fusion: Fusion,
    mut visit: impl FnMut(&Launch, &FxHashSet<ValueId>, u64),
) {
    let launches = Launches::new(program, func, fusion);
    let outputs: FxHashSet<ValueId> = launches.outputs.iter().flatten().copied().collect();
    let mut last: FxHashMap<ValueId, usize> = FxHashMap::default();
    for (at, &number) in launches.order.iter().enumerate() {
        let launch = &launches.all[number];
        last.extend(launch.uses.iter().chain(launch.writes.iter().map(|(v, _)| v)).map(|&v| (v, at)));
    }
    let mut current = 0u64;
    let mut alive: FxHashSet<ValueId> = FxHashSet::default();
    for (at, &number) in launches.order.iter().enumerate() {
        let launch = &launches.all[number];
        let mut dying: Vec<ValueId> =
            launch.uses.iter().copied().filter(|v| alive.contains(v) && last.get(v) == Some(&at)).collect();
        let may_overwrite = |op: &_| program.ops[*op].kind.collective().is_some_and(Collective::may_overwrite);
        let in_place = launch.kind == LaunchKind::FusedLoop || launch.ops.iter().all(may_overwrite);
        for &(value, _) in launch.writes.iter().filter(|(v, _)| !outputs.contains(v)) {
            let size = aligned_bytes(program, value);
            let place = dying.iter().position(|&v| in_place && aligned_bytes(program, v) == size);
            match place.map(|place| dying.swap_remove(place)) {
                Some(old) => drop(alive.remove(&old)),
                None => current = current.saturating_add(size),
            }
            alive.insert(value);
        }
        visit(launch, &alive, current);
        let free: Vec<ValueId> = dying.into_iter().chain(launch.writes.iter().map(|(v, _)| *v)).collect();
        for value in free.into_iter().filter(|v| last.get(v) == Some(&at)) {
            if alive.remove(&value) {
                current -= aligned_bytes(program, value);
            }
        }
    }
}

/// Returns the bytes of the buffer of a temporary.
pub(crate) fn aligned_bytes(program: &Program, value: ValueId) -> u64 {
    program.values[value].local_type().bytes().next_multiple_of(HOST_ALIGN_BYTES as u64)
}
