//! Many random programs: each is verified, printed and parsed, partitioned (verified after every pass), and run on one
//! device and on all of its mesh's. Both must agree; also where one of the axes that layouts name is shrunk to one
//! device.

use crate::agree::{agree, is_refusal, join, partition, run_parts, run_whole, with_programs};
use crate::coverage::Coverage;
use crate::generate::{Case, Palette, cases};
use partita_ir::arena::AxisId;
use partita_ir::diag::Source;
use partita_ir::interp::{widen, widen_tensors};
use partita_ir::layout::Layout;
use partita_ir::mesh::Mesh;
use partita_ir::program::{Form, Program};
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;
use std::sync::Arc;

/// What many cases have shown.
pub struct Soaked {
    /// What they have met.
    pub coverage: Coverage,
    /// Cases whose programs were partitioned and agreed.
    pub agreed: usize,
    /// Cases whose annotations contradict each other.
    pub refused: usize,
}

/// Difference allowed where numbers are not whole, relative to the largest.
const TOLERANCE: f64 = 1e-9;

/// Draws that many cases of up to `steps` operations, from that seed, and checks them.
///
/// # Errors
/// The smallest case found that fails, with its programs.
pub fn soak(count: u32, steps: usize, seed: u64) -> Result<Soaked, String> {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { cases: count, failure_persistence: None, max_shrink_iters: 4000, ..Config::default() };
    let soaked = RefCell::new(Soaked { coverage: Coverage::new(), agreed: 0, refused: 0 });
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
/// What does not hold, in words.
fn check(case: &Case, seed: u64, soaked: &mut Soaked) -> Result<(), String> {
    let drawn = case.draw(&Palette::ALL);
    verify(&drawn.program).map_err(|errors| join(&errors))?;
    round_trips(&drawn.program)?;
    soaked.coverage.drawn(&drawn.program);
    // Where rounding plays a part, the meaning in f64 is compared; whole numbers are exact in their own types.
    let inputs = drawn.inputs(seed);
    let (program, inputs) =
        if drawn.is_exact() { (&drawn.program, inputs) } else { (&widen(&drawn.program), widen_tensors(&inputs)) };
    let parts = match partition(program) {
        Ok(parts) => parts,
        Err(errors) if is_refusal(&errors) => {
            soaked.refused += 1;
            return Ok(());
        }
        Err(errors) => return Err(join(&errors)),
    };
    for (_, stage) in &parts.stages {
        round_trips(stage)?;
        soaked.coverage.met(stage);
    }
    let want = run_whole(program, &inputs)?;
    let explicit = parts.last(Form::Explicit).unwrap_or(program);
    let fail = |why: String| with_programs(&why, &[explicit, &parts.local]);
    let got = run_parts(&parts.local, &inputs).map_err(fail)?;
    agree(program, &got, &want, &drawn.exact, TOLERANCE).map_err(fail)?;
    if let Some(planned) = parts.last(Form::Planned)
        && let Some(shrunk) = with_an_axis_of_one(planned)
    {
        let mut local = shrunk.clone();
        let rest = pipelines::pipeline(Milestone::of(Form::Planned), Milestone::Local, Variant::default())
            .map_err(|e| e.to_string())?;
        rest.run(&mut local, &Input::default(), &mut Findings::default(), &mut |_| Ok(()))
            .map_err(|errors| with_programs(&join(&errors), &[&shrunk]))?;
        let fail = |why: String| with_programs(&why, &[&shrunk, &local]);
        let got = run_parts(&local, &inputs).map_err(fail)?;
        agree(program, &got, &want, &drawn.exact, TOLERANCE).map_err(fail)?;
    }
    soaked.agreed += 1;
    Ok(())
}

/// A planned program with one device along the first axis that is split as a whole only; layouts name the axis as
/// before.
fn with_an_axis_of_one(planned: &Program) -> Option<Program> {
    let (id, mesh) = planned.mesh()?;
    let layouts = || planned.values.values().filter_map(|value| value.layout.as_deref());
    let is_whole = |axis: &AxisId| layouts().flat_map(Layout::used_axes).all(|a| a.axis != *axis || a.is_whole(mesh));
    let axis = mesh.axis_ids().filter(|&axis| mesh.size(axis) > 1).find(is_whole)?;
    let mut shrunk = planned.clone();
    let sizes =
        mesh.axes.iter().zip(mesh.axis_ids()).map(|(a, id)| (a.name.clone(), if id == axis { 1 } else { a.size }));
    shrunk.meshes[id] = Mesh::new(&mesh.name, sizes);
    for layout in shrunk.values.values_mut().filter_map(|value| value.layout.as_mut()) {
        let layout = Arc::make_mut(layout);
        let split = layout.dims.iter_mut().flat_map(|dim| &mut dim.axes);
        let others = layout.replicated.iter_mut().chain(layout.pending.iter_mut().map(|pending| &mut pending.0));
        split.chain(others).filter(|a| a.axis == axis).for_each(|a| a.size = 1);
    }
    Some(shrunk)
}

/// Whether the program's text means the program.
fn round_trips(program: &Program) -> Result<(), String> {
    let text = print(program);
    let source = Source::new(program.source.as_str(), text);
    let again = parse(&source).map_err(|errors| format!("{}\n{}", join(&errors), source.text))?;
    if again == program.compact() { Ok(()) } else { Err(format!("parses as another program:\n{}", source.text)) }
}
