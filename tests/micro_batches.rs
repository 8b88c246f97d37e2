//! Steps with micro-batches compute the same as programs without them: programs of users, programs whose elements
//! depend on positions in the batch, and random programs. Both sides are interpreted on one device; the reference is
//! the program itself.

use filetests::agree::{compare_outputs, join_diagnostics};
use filetests::generate::{Palette, cases};
use libtest_mimic::{Arguments, Failed, Trial};
use partita_ir::diag::Source;
use partita_ir::interp::{self, widen, widen_tensors};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::text;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Largest difference in `f64`, relative to the largest element.
const TOLERANCE: f64 = 1e-9;

/// Programs of users whose results for one example depend on others.
const MIXING: [&str; 4] = ["clip_adamw", "gaussian_process_gradients", "moe_sorted_gradients", "resnet_momentum"];

/// Programs of users that divide their batch into micro-batches themselves.
const DIVIDED: [&str; 2] = ["accumulated_slices_sgd", "accumulated_tokens_adamw"];

/// Programs with elements that depend on positions in the batch, of six examples. `%x` is the product of the inputs and
/// a parameter.
const POSITIONS: [(&str, &str); 11] = [
    ("numbers", "%n = iota dim 0 : f32[6, 4]\n%y = mul %x, %n : f32[6, 4]\noutput %y"),
    ("random numbers", "%r = random uniform %key : f32[6, 4]\n%y = mul %x, %r : f32[6, 4]\noutput %y"),
    (
        "constants",
        "%c = constant [1.0, 2.0, 4.0, 8.0, 16.0, 32.0] : f32[6]\n%b = broadcast [0] %c : f32[6, 4]\n\
         %y = mul %x, %b : f32[6, 4]\noutput %y",
    ),
    (
        "pairs of examples and tokens",
        "%f = reshape %x : f32[24]\n%n = iota dim 0 : f32[24]\n%m = mul %f, %n : f32[24]\n\
         %y = reshape %m : f32[6, 4]\noutput %y",
    ),
    (
        "indices of examples",
        "%i = constant [4, 1, 9] : i32[3, 1]\n%g = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 4] %x, %i : \
         f32[3, 4]\n%y = reduce sum [0] %g : f32[4]\noutput %y",
    ),
    (
        "indices of examples and columns",
        "%i = constant [4, 2, 1, 3, 2, 0] : i32[3, 2]\n%y = gather collapsed [0, 1] map [0, 1] vector 1 sizes [1, 1] \
         %x, %i : f32[3]\noutput %y",
    ),
    (
        "an example is replaced",
        "%i = constant 4 : i32[]\n%c = constant 0 : i32[]\n%u = constant 2.5 : f32[1, 4]\n\
         %y = dynamic_update_slice %x, %u, %i, %c : f32[6, 4]\noutput %y",
    ),
    ("numbers in a loop", "%y = loop 3 of @turn %x : f32[6, 4]\noutput %y"),
    (
        "a number of selected elements",
        "%z = constant 0.0 : f32[6, 5]\n%s = compare gt %in, %z : bool[6, 5]\n%f = convert %s : f32[6, 5]\n\
         %n = reduce sum [0, 1] %f : f32[]\n%b = broadcast [] %n : f32[6, 4]\n%y = div %x, %b : f32[6, 4]\n\
         output %y\noutput %n",
    ),
    (
        "normalised inputs",
        "%m = reduce max [0] %in : f32[5]\n%b = broadcast [1] %m : f32[6, 5]\n%d = sub %in, %b : f32[6, 5]\n\
         %e = matmul %d, %w : f32[6, 4]\n%y = add %x, %e : f32[6, 4]\noutput %y",
    ),
    (
        "results without examples",
        "%n = iota dim 0 : f32[6, 4]\n%s = sin %n : f32[6, 4]\n%y = mul %x, %s : f32[6, 4]\noutput %y\noutput %s",
    ),
];

/// Programs that divide the batch into groups of examples, each with a number of micro-batches of groups.
const GROUPS: [(u64, &str, &str); 3] = [
    (
        2,
        "halves of the batch",
        "%h = reshape %x : f32[2, 3, 4]\n%s = reduce sum [1] %h : f32[2, 4]\n%b = broadcast [0, 2] %s : f32[2, 3, 4]\n\
         %d = mul %h, %b : f32[2, 3, 4]\n%y = reshape %d : f32[6, 4]\noutput %y",
    ),
    (
        3,
        "neighbours",
        "%h = reshape %x : f32[3, 2, 4]\n%s = reduce max [1] %h : f32[3, 4]\n%n = iota dim 0 : f32[3, 4]\n\
         %y = mul %s, %n : f32[3, 4]\noutput %y",
    ),
    (
        2,
        "groups of a convolution",
        "%r = reshape %x : f32[6, 4, 1]\n%c = constant [1.0, 2.0] : f32[2]\n%k = reshape %c : f32[1, 2, 1]\n\
         %y = convolution [0, 2, 1]x[0, 1, 2]->[0, 1, 2] window [(1)] batch_groups 2 %r, %k : f32[3, 2, 4]\noutput %y",
    ),
];

/// Steps of gradient descent whose gradients are scaled by their norm, each with its mask of examples and its sum of
/// losses.
const STEPS: [(&str, &str, &str); 3] = [
    ("a mask of data", "%mask = convert %labels : f32[6]", "%total = reduce sum [0, 1] %losses : f32[]"),
    (
        "a random mask",
        "%r = random uniform %key : f32[6]\n%z = constant 0.0 : f32[6]\n%s = compare gt %r, %z : bool[6]\n\
         %mask = convert %s : f32[6]",
        "%total = reduce sum [0, 1] %losses : f32[]",
    ),
    (
        "a constrained sum",
        "%mask = constant 1.0 : f32[6]",
        "%part = reduce sum [0, 1] %losses : f32[]\n%total = constrain %part : f32[]",
    ),
];

/// Returns a step of gradient descent.
fn step(mask: &str, total: &str) -> String {
    format!(
        "form traced
input %u : f32[5, 4]
input %w : f32[4, 3]
input %in : f32[6, 5]
input %labels : i32[6]
input %key : u32[2]
{mask}
%count = reduce sum [0] %mask : f32[]
%one = constant 1.0 : f32[]
%all = add %count, %one : f32[]
%h = matmul %in, %u : f32[6, 4]
%t = tanh %h : f32[6, 4]
%y = matmul %t, %w : f32[6, 3]
%selected = broadcast [0] %mask : f32[6, 3]
%losses = mul %y, %selected : f32[6, 3]
{total}
%loss = div %total, %all : f32[]
%share = div %one, %all : f32[]
%shares = broadcast [] %share : f32[6, 3]
%y.grad = mul %shares, %selected : f32[6, 3]
%w.grad = dot_general contract [0]x[0] %t, %y.grad : f32[4, 3]
%t.grad = dot_general contract [1]x[1] %y.grad, %w : f32[6, 4]
%h.grad = mul %t.grad, %t : f32[6, 4]
%u.grad = dot_general contract [0]x[0] %in, %h.grad : f32[5, 4]
%u.square = mul %u.grad, %u.grad : f32[5, 4]
%w.square = mul %w.grad, %w.grad : f32[4, 3]
%u.sum = reduce sum [0, 1] %u.square : f32[]
%w.sum = reduce sum [0, 1] %w.square : f32[]
%sum = add %u.sum, %w.sum : f32[]
%norm = sqrt %sum : f32[]
%scale = div %one, %norm : f32[]
%u.scale = broadcast [] %scale : f32[5, 4]
%w.scale = broadcast [] %scale : f32[4, 3]
%u.change = mul %u.grad, %u.scale : f32[5, 4]
%w.change = mul %w.grad, %w.scale : f32[4, 3]
%u.new = sub %u, %u.change : f32[5, 4]
%w.new = sub %w, %w.change : f32[4, 3]
output %loss
output %u.new
output %w.new
"
    )
}

/// Beginning of the other programs.
const BEGINNING: &str = "form traced
func @turn(%h: f32[6, 4]) {
  %n = iota dim 0 : f32[6, 4]
  %a = add %h, %n : f32[6, 4]
  %next = sin %a : f32[6, 4]
  return %next
}
param %w \"w\" : f32[5, 4]
input %in : f32[6, 5]
input %key : u32[2]
%x = matmul %in, %w : f32[6, 4]
";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/users");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    let users = files.into_iter().map(|file| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(format!("users/{name}"), move || check_file(&file).map_err(Failed::from))
    });
    let positions = POSITIONS.iter().map(|&(name, source)| {
        Trial::test(format!("positions/{name}"), move || {
            [2, 3].into_iter().try_for_each(|count| check_source(name, source, count)).map_err(Failed::from)
        })
    });
    let groups = GROUPS.iter().map(|&(count, name, source)| {
        Trial::test(format!("groups/{name}"), move || check_source(name, source, count).map_err(Failed::from))
    });
    let steps = STEPS.iter().map(|&(name, mask, total)| {
        let source = Source::new(name, step(mask, total));
        let check_step = move || {
            let program = text::parse(&source).map_err(|e| join_diagnostics(&e))?;
            [1, 2, 3, 6].into_iter().try_for_each(|count| check(&program, count))
        };
        Trial::test(format!("steps/{name}"), move || check_step().map_err(Failed::from))
    });
    let random = Trial::test("random programs", || check_random_programs().map_err(Failed::from));
    libtest_mimic::run(&arguments, users.chain(positions).chain(groups).chain(steps).chain([random]).collect())
        .exit_code()
}

/// Checks random programs that are divided into two or three micro-batches, which many of them refuse.
fn check_random_programs() -> Result<(), String> {
    const PROGRAMS: usize = 3000;
    const LEAST_DIVIDED: usize = 300;
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = cases(8);
    let mut divided = 0;
    for number in 0..PROGRAMS {
        let case = strategy.new_tree(&mut runner).map_err(|e| e.to_string())?.current();
        let drawn = case.draw(&Palette::ALL);
        let count = 2 + number as u64 % 2;
        match check_inputs(&drawn.program, count, drawn.inputs(1)) {
            Ok(()) => divided += 1,
            Err(error) if error.contains("D007") => (),
            Err(error) => {
                return Err(format!(
                    "program {number}, {count} micro-batches: {error}\n{}",
                    text::print(&drawn.program)
                ));
            }
        }
    }
    match divided < LEAST_DIVIDED {
        true => Err(format!("{divided} of {PROGRAMS} programs were divided")),
        false => Ok(()),
    }
}

/// Checks a program of a user, or that it is refused if it mixes examples or divides them itself.
fn check_file(file: &Path) -> Result<(), String> {
    let source = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let program = partita_stablehlo::import(&name, &source).map_err(|errors| join_diagnostics(&errors))?;
    match check(&program, 2) {
        Err(error) if MIXING.contains(&&*name) && error.contains("mixes examples") => Ok(()),
        Err(error) if DIVIDED.contains(&&*name) && error.contains("itself divides its batch") => Ok(()),
        Ok(()) if MIXING.contains(&&*name) => Err("is not refused".into()),
        result => result,
    }
}

/// Checks a program that begins with [`BEGINNING`].
fn check_source(name: &str, source: &str, count: u64) -> Result<(), String> {
    let source = Source::new(name, format!("{BEGINNING}{source}\n"));
    check(&text::parse(&source).map_err(|e| join_diagnostics(&e))?, count)
}

/// Compares a program with its step of `count` micro-batches.
fn check(program: &Program, count: u64) -> Result<(), String> {
    check_inputs(program, count, interp::random_inputs(program, 1)?)
}

fn check_inputs(program: &Program, count: u64, inputs: Vec<Tensor>) -> Result<(), String> {
    let plan = Plan::default().pipeline("1").micro_batches(count.to_string());
    let (mut step, mut findings) = (program.clone(), Findings::default());
    pipelines::build_step(&mut step, &Input::with_plan(plan), &mut findings).map_err(|e| join_diagnostics(&e))?;
    let inputs = widen_tensors(&inputs);
    let expected = interp::run(&widen(program), inputs.clone())?;
    let found = interp::run(&widen(&step), inputs)?;
    compare_outputs(program, &found, &expected, &vec![false; expected.len()], TOLERANCE)
}
