//! What one device needs to compute a program, beside what it takes and gives: values that go from launch to launch.

use super::kernels::{Launches, What};
use partita_ir::arena::{FuncId, ValueId};
use partita_ir::class::Collective;
use partita_ir::offsets::ALIGN;
use partita_ir::program::Program;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most bytes at one time that a program in form local holds beside its inputs and outputs. A result takes the
/// place of an operand that is as large and that nobody reads any more.
pub fn frame(program: &Program) -> u64 {
    let mut done: FxHashMap<FuncId, u64> = FxHashMap::default();
    for func in program.laid_out_funcs() {
        let bytes = of_function(program, func, &done);
        done.insert(func, bytes);
    }
    done.get(&program.entry()).copied().unwrap_or(0)
}

fn of_function(program: &Program, func: FuncId, done: &FxHashMap<FuncId, u64>) -> u64 {
    let launches = Launches::of(program, func);
    let given: FxHashSet<ValueId> = launches.outputs.iter().flatten().copied().collect();
    let mut last: FxHashMap<ValueId, usize> = FxHashMap::default();
    for (at, &number) in launches.order.iter().enumerate() {
        let launch = &launches.all[number];
        last.extend(launch.uses.iter().chain(launch.writes.iter().map(|(v, _)| v)).map(|&v| (v, at)));
    }
    let bytes = |v: ValueId| program.values[v].local_type().bytes().next_multiple_of(ALIGN as u64);
    let (mut held, mut most) = (0u64, 0u64);
    let mut alive: FxHashSet<ValueId> = FxHashSet::default();
    for (at, &number) in launches.order.iter().enumerate() {
        let launch = &launches.all[number];
        let mut dying: Vec<ValueId> =
            launch.uses.iter().copied().filter(|v| alive.contains(v) && last.get(v) == Some(&at)).collect();
        let may_overwrite = |op: &_| program.ops[*op].kind.collective().is_some_and(Collective::may_overwrite);
        let in_place = launch.what == What::Fused || launch.ops.iter().all(may_overwrite);
        for &(value, _) in launch.writes.iter().filter(|(v, _)| !given.contains(v)) {
            let size = bytes(value);
            let place = dying.iter().position(|&v| in_place && bytes(v) == size);
            match place.map(|place| dying.swap_remove(place)) {
                Some(old) => drop(alive.remove(&old)),
                None => held = held.saturating_add(size),
            }
            alive.insert(value);
        }
        let inner = if let What::Loop { body, .. } = launch.what { done.get(&body).copied().unwrap_or(0) } else { 0 };
        most = most.max(held.saturating_add(inner));
        let free: Vec<ValueId> = dying.into_iter().chain(launch.writes.iter().map(|(v, _)| *v)).collect();
        for value in free.into_iter().filter(|v| last.get(v) == Some(&at)) {
            if alive.remove(&value) {
                held -= bytes(value);
            }
        }
    }
    most
}
