//! Cost model: the communication, arithmetic and memory of a program on one device, and the time of one step. No
//! function modifies a program.

pub mod constants;
pub mod memory;
pub mod memory_profile;
pub mod peak_breakdown;
pub mod pipeline;
pub mod placement;
pub mod roofline;
pub mod simulate;
pub mod stage_memory;
pub mod step;
pub mod traffic;

use partita_ir::arena::FuncId;
use partita_ir::class::Control;
use partita_ir::program::Program;

/// Returns every function that is not a scalar reducer or comparator, callees first, with the number of times it runs
/// in one execution of the program.
///
/// Counts saturate at `u64::MAX`, since nested loops with many iterations can overflow.
pub fn run_counts(program: &Program) -> Vec<(FuncId, u64)> {
    let mut runs: Vec<(FuncId, u64)> = program.funcs_with_layouts().into_iter().map(|f| (f, 0)).collect();
    if let Some(main) = runs.last_mut() {
        main.1 = 1;
    }
    // Callers follow their callees. In reverse order, a function's count is final before its body is visited.
    for i in (0..runs.len()).rev() {
        let (func, times) = runs[i];
        for &op in program.funcs[func].ops() {
            let Some(control) = program.ops[op].kind.control() else { continue };
            let Control::Loop(l) = control;
            if let Some(body) = runs.iter_mut().find(|(f, _)| *f == l.body) {
                body.1 = body.1.saturating_add(times.saturating_mul(l.trip));
            }
        }
    }
    runs
}
