//! Checks of many random programs: each is verified, printed and parsed, partitioned (with verification after every
//! pass), and run on one device and on all devices of its mesh. Results must agree, also after one axis of the mesh has
//! been reduced to one device.

use crate::agree::{
    compare_outputs, is_annotation_conflict, join_diagnostics, partition, run_partitioned, run_unpartitioned,
    with_programs,
};
use crate::coverage::Coverage;
use crate::generate::{Case, Palette, cases};
use partita_ir::arena::AxisId;
use partita_ir::diag::Source;
use partita_ir::interp::{widen, widen_tensors};
use partita_ir::layout::Layout;
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::{Form, Program};
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use std::sync::Arc;

/// Statistics of the checked cases.
pub struct SoakStatistics {
    /// Coverage of ops and factors.
    pub coverage: Coverage,
    /// Cases that were partitioned and agreed.
    pub agreed: usize,
    /// Cases with contradictory annotations.
    pub rejected: usize,
}

/// Allowed difference of results that are not exact, relative to the largest element.
const TOLERANCE: f64 = 1e-9;

/// Generates and checks `count` cases of up to `steps` operations from a seed.
///
/// # Errors
/// The smallest failing case found, with its programs.
pub fn check_random_programs(count: u32, steps: usize, seed: u64) -> Result<SoakStatistics, String> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases: count, failure_persistence: None, max_shrink_iters: 4000, ..Config::default() };
    let soaked = RefCell::new(SoakStatistics { coverage: Coverage::new(), agreed: 0, rejected: 0 });
    let ran = TestRunner::new_with_rng(config, rng)
        .run(&cases(steps), |case| check(&case, seed, &mut soaked.borrow_mut()).map_err(TestCaseError::fail));
    match ran {
        Ok(()) => Ok(soaked.into_inner()),
        Err(TestError::Fail(why, case)) => Err(format!("{why}\n{}", print(&case.draw(&Palette::ALL).program))),
        Err(TestError::Abort(why)) => Err(why.to_string()),
    }
}

/// Checks one case.
///
/// # Errors
/// The violated property.
fn check(case: &Case, seed: u64, soaked: &mut SoakStatistics) -> Result<(), String> {
    let drawn = case.draw(&Palette::ALL);
    verify(&drawn.program).map_err(|errors| join_diagnostics(&errors))?;
    check_round_trip(&drawn.program)?;
    soaked.coverage.count_ops(&drawn.program);
    // Programs with rounding are compared in f64; integral results are exact in their own types.
    let inputs = drawn.inputs(seed);
    let (program, inputs) =
        if drawn.is_exact() { (&drawn.program, inputs) } else { (&widen(&drawn.program), widen_tensors(&inputs)) };
    let parts = match partition(program) {
        Ok(parts) => parts,
        Err(errors) if is_annotation_conflict(&errors) => {
            soaked.rejected += 1;
            return Ok(());
        }
        Err(errors) => return Err(join_diagnostics(&errors)),
    };
    for (_, stage) in &parts.stages {
        check_round_trip(stage)?;
        soaked.coverage.count_pass_result(stage);
    }
    let want = run_unpartitioned(program, &inputs)?;
    let explicit = parts.last_in_form(Form::Explicit).unwrap_or(program);
    let fail = |why: String| with_programs(&why, &[explicit, &parts.local]);
    let got = run_partitioned(&parts.local, &inputs).map_err(fail)?;
    compare_outputs(program, &got, &want, &drawn.exact, TOLERANCE).map_err(fail)?;
    if let Some(planned) = parts.last_in_form(Form::Planned)
        && let Some(shrunk) = with_unit_axis(planned)
    {
        let mut local = shrunk.clone();
        let rest = pipelines::pipeline(Milestone::from_form(Form::Planned), Milestone::Local, Variant::default())
            .map_err(|e| e.to_string())?;
        rest.run(&mut local, &Input::default(), &mut Findings::default(), &mut |_| Ok(()))
            .map_err(|errors| with_programs(&join_diagnostics(&errors), &[&shrunk]))?;
        let fail = |why: String| with_programs(&why, &[&shrunk, &local]);
        let got = run_partitioned(&local, &inputs).map_err(fail)?;
        compare_outputs(program, &got, &want, &drawn.exact, TOLERANCE).map_err(fail)?;
    }
    soaked.agreed += 1;
    Ok(())
}

/// Returns a planned program in which one axis has size 1: the first axis of several devices that no layout divides
/// into sub-axes. Layouts name the same axes as before. Returns `None` if no axis is suitable.
fn with_unit_axis(planned: &Program) -> Option<Program> {
    let (id, mesh) = planned.mesh()?;
    let layouts = || planned.values.values().filter_map(|value| value.layout.as_deref());
    let is_whole = |axis: &AxisId| layouts().flat_map(Layout::used_axes).all(|a| a.axis != *axis || a.is_full(mesh));
    let axis = mesh.axis_ids().filter(|&axis| mesh.size(axis) > 1).find(is_whole)?;
    let mut shrunk = planned.clone();
    let sizes =
        mesh.axes.iter().zip(mesh.axis_ids()).map(|(a, id)| (a.name.clone(), if id == axis { 1 } else { a.size }));
    shrunk.meshes[id] = DeviceMesh::new(&mesh.name, sizes);
    for layout in shrunk.values.values_mut().filter_map(|value| value.layout.as_mut()) {
        let layout = Arc::make_mut(layout);
        let split = layout.dims.iter_mut().flat_map(|dim| &mut dim.axes);
        let others = layout.replicated.iter_mut().chain(layout.partial.iter_mut().map(|pending| &mut pending.0));
        split.chain(others).filter(|a| a.axis == axis).for_each(|a| a.size = 1);
    }
    Some(shrunk)
}

/// Checks that printing and parsing the program preserves it.
fn check_round_trip(program: &Program) -> Result<(), String> {
    let text = print(program);
    let source = Source::new(program.source.as_str(), text);
    let again = parse(&source).map_err(|errors| format!("{}\n{}", join_diagnostics(&errors), source.text))?;
    if again == program.compact() { Ok(()) } else { Err(format!("parses to a different program:\n{}", source.text)) }
}
