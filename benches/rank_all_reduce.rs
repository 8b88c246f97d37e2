//! Seconds of an `all_reduce` of `f32` over the ranks of a launcher, which `benches/rank_all_reduce.py` compares with
//! MPI: `cargo bench --bench rank_all_reduce`.
//!
//! `MIB REPEAT [--exact]` sums MIB MiB over all ranks REPEAT times, and prints the mean seconds of each of several
//! runs, those of the slowest rank, on rank 0. Without a launcher two devices of one process sum.

mod short;

use partita::{Result, parse};
use partita_cpu::Cpu;
use partita_ir::dtype::Type;
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::verify::verify;
use partita_ranks::Transport;
use partita_runtime::backend::Backend;
use partita_runtime::session::Session;
use std::sync::Arc;
use std::time::Duration;

/// Allocator of the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs after the first, which does not count.
const RUNS: usize = 5;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<usize> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let [mib, repeat] = if let [mib, repeat] = numbers[..] { [mib, repeat] } else { [1, 1] };
    let processes = partita_ranks::connect(Transport::Auto, Duration::from_secs(60))?;
    if let Some(processes) = &processes
        && !words.iter().any(|word| word == "--exact")
    {
        processes.use_native_collectives();
    }
    let devices = processes.as_ref().map_or(2, |processes| processes.count());
    let program = parse("all_reduce.pir", &program(devices, mib << 18, repeat))?;
    let local = verify(&program)?.into_form()?;
    let executable = match &processes {
        Some(processes) => Cpu.compile_on(local, processes.clone())?,
        None => Cpu.compile(local)?,
    };
    let zeros = |ty: &Type| Some(Tensor::splat(ty.clone(), Scalar::Float(0.0)));
    let inputs = &program.funcs[program.entry()].inputs;
    let states: Vec<Option<Tensor>> = inputs.iter().map(|&value| zeros(program.ty(value))).collect();
    let mut session = Session::start(Arc::new(executable), &states, &[(0, states.len() - 1)])?;
    let mut means = Vec::new();
    for run in 0..=if short::is_short() { 0 } else { RUNS } {
        session.run(&[])?;
        let mut seconds = session.seconds();
        if let Some(processes) = &processes {
            let all = processes.all_gather(&seconds.to_ne_bytes())?;
            let of_rank = |bytes: &Vec<u8>| bytes.as_array().map_or(f64::NAN, |bytes| f64::from_ne_bytes(*bytes));
            seconds = all.iter().map(of_rank).fold(0.0, f64::max);
        }
        if run > 0 {
            means.push((seconds / repeat as f64).to_string());
        }
    }
    if processes.as_ref().is_none_or(|processes| processes.index() == 0) {
        println!("{}", means.join(" "));
    }
    processes.inspect(|processes| processes.finish());
    Ok(())
}

/// Returns a program in which each device repeatedly sums `n` elements over all devices.
fn program(devices: usize, n: usize, repeat: usize) -> String {
    let total = devices * n;
    format!(
        "form local
mesh @m = [x={devices}]
func @turn(%a: f32[{n}], %y: f32[{n}]) {{
  %r = all_reduce sum over x %a : f32[{n}]
  return %a \"a\", %r \"y\"
}}
param %a \"a\" : f32[{total}@x]
param %y \"y\" : f32[{total}@x]
  %a.1, %y.1 = loop {repeat} of @turn %a, %y : f32[{n}], f32[{total}@x]
output %y.1 -> \"y\"
"
    )
}
