//! Many random programs: each is verified, printed and parsed, partitioned (verified after every pass), and run on one device
//! and on all of its mesh's. Both must agree.

use crate::agree::{agree, is_refusal, join, partition, run_parts, run_whole, with_programs};
use crate::coverage::Coverage;
use crate::generate::{Case, Palette, cases};
use partita_ir::diag::Source;
use partita_ir::interp::{widen, widen_tensors};
use partita_ir::program::{Form, Program};
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::cell::RefCell;

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
    soaked.agreed += 1;
    Ok(())
}

/// Whether the program's text means the program.
fn round_trips(program: &Program) -> Result<(), String> {
    let text = print(program);
    let source = Source::new(program.source.as_str(), text);
    let again = parse(&source).map_err(|errors| format!("{}\n{}", join(&errors), source.text))?;
    if again == program.compact() { Ok(()) } else { Err(format!("parses as another program:\n{}", source.text)) }
}
