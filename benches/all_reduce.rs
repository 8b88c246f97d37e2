//! Seconds of an `all_reduce` of `f32` on the buffers of one process: `cargo bench -p partita-runtime --bench
//! all_reduce`.
//!
//! Without arguments: medians by method, devices and size, on one thread and on two. With `DEVICES BYTES REPEAT` it
//! times the method of choice on two threads so many times and prints the seconds of each run, results beside the
//! operands and then in place; `benches/all_reduce.py` puts them next to those of JAX.

mod short;

use partita_ir::arena::AxisId;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::mesh::{AxisRef, Mesh};
use partita_machine::collective::{Across, Method};
use partita_runtime::exchange::Exchange;
use partita_runtime::group::Group;
use short::is_short;
use std::sync::Arc;
use std::time::Instant;

const METHODS: [Method; 7] = [
    Method::Star,
    Method::Direct,
    Method::Ring,
    Method::Bidirectional,
    Method::HalvingDoubling,
    Method::DoubleTree { pipeline: 4 },
    Method::Hierarchical { group: 2, across: Across::Direct },
];

fn main() -> Result<(), Diagnostic> {
    let arguments: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    if let [devices, bytes, repeat] = arguments[..] {
        let mut bench = Bench::new(devices, bytes);
        let exchange = bench.exchange(None)?;
        for in_place in [false, true] {
            let seconds = bench.time(&exchange, in_place, 2, repeat)?;
            println!("{}", seconds.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
        }
        return Ok(());
    }
    dtypes()?;
    println!(
        "{:>7} {:>10} {:>7}  {}",
        "devices",
        "bytes",
        "threads",
        METHODS.map(|m| format!("{:>16}", m.to_string())).join(" ")
    );
    let sizes = [256, 1 << 10, 16 << 10, 128 << 10, 512 << 10, 2 << 20, 16 << 20, 64 << 20];
    let (devices, sizes): (&[usize], &[usize]) = if is_short() { (&[3], &sizes[..2]) } else { (&[2, 4, 8], &sizes) };
    for &devices in devices {
        for &bytes in sizes {
            let mut bench = Bench::new(devices, bytes);
            for threads in [1, 2] {
                print!("{devices:>7} {bytes:>10} {threads:>7} ");
                for method in METHODS {
                    let exchange = bench.exchange(Some(method))?;
                    let repeat = if is_short() { 1 } else { ((64 << 20) / bytes).clamp(5, 1000) };
                    let mut seconds = bench.time(&exchange, true, threads, repeat)?;
                    seconds.sort_by(f64::total_cmp);
                    print!(" {:>13.2} us", seconds[seconds.len() / 2] * 1e6);
                }
                println!();
            }
        }
    }
    Ok(())
}

/// What a device reads and writes in a second, by dtype: 8 devices, 1 MiB each, in place on one thread.
fn dtypes() -> Result<(), Diagnostic> {
    for dtype in DType::ALL {
        let mut bench = Bench::new(8, 1 << 20);
        bench.ty = Type::new(dtype, [(1 << 20) / dtype.bytes() as usize]);
        print!("{:>7}", dtype.name());
        for monoid in [Monoid::Sum, Monoid::Prod, Monoid::Max] {
            let exchange = Exchange::all_reduce(monoid, &bench.ty, &bench.group)?;
            let mut seconds = bench.time(&exchange, true, 1, if is_short() { 1 } else { 30 })?;
            seconds.sort_by(f64::total_cmp);
            let median = seconds[seconds.len() / 2];
            print!("  {:>4} {:>6.2} GB/s", monoid.name(), 16e-9 * f64::from(1 << 20) / median);
        }
        println!();
    }
    Ok(())
}

/// Operands and results of devices.
struct Bench {
    group: Group,
    ty: Type,
    operands: Vec<Vec<u64>>,
    results: Vec<Vec<u64>>,
}

impl Bench {
    fn new(devices: usize, bytes: usize) -> Bench {
        let mesh = Arc::new(Mesh::new("m", [("x", devices as u32)]));
        let group = Group::all(&mesh, &[AxisRef::whole(&mesh, AxisId(0))]).swap_remove(0);
        // Zeros stay zeros, however often they are summed up; written, so that their pages exist.
        let buffers = |word: u64| vec![vec![word; bytes.div_ceil(8)]; devices];
        let (mut operands, results) = (buffers(1), buffers(1));
        operands.iter_mut().for_each(|o| o.fill(0));
        Bench { group, ty: Type::new(DType::F32, [bytes / 4]), operands, results }
    }

    fn exchange(&self, method: Option<Method>) -> Result<Exchange, Diagnostic> {
        match method {
            None => Exchange::all_reduce(Monoid::Sum, &self.ty, &self.group),
            Some(method) => Exchange::all_reduce_by(method, Monoid::Sum, &self.ty, &self.group),
        }
    }

    fn time(
        &mut self,
        exchange: &Exchange,
        in_place: bool,
        threads: usize,
        repeat: usize,
    ) -> Result<Vec<f64>, Diagnostic> {
        let mut seconds = Vec::with_capacity(repeat);
        for run in 0..repeat + 2 {
            let operands: Vec<&[u64]> = self.operands.iter().map(Vec::as_slice).collect();
            let mut results: Vec<&mut [u64]> = self.results.iter_mut().map(Vec::as_mut_slice).collect();
            let start = Instant::now();
            if in_place {
                exchange.run_in_place(&mut results, threads)?;
            } else {
                exchange.run(&operands, &mut results, threads)?;
            }
            // The first ones warm up.
            if run >= 2 {
                seconds.push(start.elapsed().as_secs_f64());
            }
        }
        Ok(seconds)
    }
}
