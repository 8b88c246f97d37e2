//! Work of all kernels and collectives of one run.

use crate::code::TaskAction;
use crate::devices::DeviceProgram;
use partita_machine::host::Work;

/// Returns the work of each kernel call and collective of one run of all devices, on one thread. The body of a loop
/// counts as often as it is executed.
pub(crate) fn works(programs: &[DeviceProgram]) -> Vec<Work> {
    let mut works = Vec::new();
    for program in programs {
        if let Some(main) = program.code.bodies.len().checked_sub(1) {
            add_body(program, main, 1, &mut works);
        }
    }
    works
}

/// Adds the work of a function that a device calls `calls` times.
fn add_body(program: &DeviceProgram, body: usize, calls: u64, works: &mut Vec<Work>) {
    let DeviceProgram { code, mesh, position, .. } = program;
    for task in &code.bodies[body].tasks {
        if task.owner.device_for(mesh, *position) != *position {
            continue;
        }
        match &task.action {
            TaskAction::Compute(kernel, _) => works.push(repeated(kernel.work(1), calls)),
            TaskAction::Loop { trip, body, .. } => add_body(program, *body, calls.saturating_mul(*trip), works),
            // The first member executes the collective.
            TaskAction::Start(site) => {
                let site = &code.sites[*site];
                if site.groups[*position].position() == 0 {
                    works.extend(site.execs.iter().map(|exec| repeated(exec.work(1), calls)));
                }
            }
            TaskAction::Wait(_) => {}
        }
    }
}

/// Returns the work of `times` executions.
fn repeated(mut work: Work, times: u64) -> Work {
    work.counts.iter_mut().for_each(|count| *count *= times as f64);
    work.products.iter_mut().for_each(|(_, count)| *count *= times as f64);
    work.accesses.iter_mut().for_each(|(_, bytes)| *bytes *= times as f64);
    work
}
