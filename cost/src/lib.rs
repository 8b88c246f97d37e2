//! What a program costs: what its devices send, compute and hold, and how long a step of theirs takes. Programs are
//! read and never changed.

pub mod constants;
pub mod fullest;
pub mod memory;
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

/// Every function that is more than a scalar reducer or comparator, callees first, with how often it runs in one run of
/// the program.
///
/// Saturates: nested loops of many trips overflow.
pub fn runs(program: &Program) -> Vec<(FuncId, u64)> {
    let mut runs: Vec<(FuncId, u64)> = program.laid_out_funcs().into_iter().map(|f| (f, 0)).collect();
    if let Some(main) = runs.last_mut() {
        main.1 = 1;
    }
    // Callers come behind their callees: going backwards, a function's count is known when it is met.
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
