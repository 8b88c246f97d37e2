//! Seconds of an `all_reduce` of `f32` on the buffers of one process: `cargo bench -p partita-runtime --bench
//! all_reduce`.
//!
//! Without arguments, prints the median of each collective algorithm, device count and size, on one thread and on two.
//! With `DEVICES BYTES REPEAT`, times the selected algorithm on two threads `REPEAT` times and prints the seconds of
//! each run, first out of place, then in place; `benches/all_reduce.py` compares them with JAX.

mod short;

use partita_ir::arena::AxisId;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_machine::collective::{InterGroup, Method};
use partita_runtime::collective_exec::CollectiveExec;
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
    Method::Hierarchical { group: 2, inter_group: InterGroup::Direct },
];

fn main() -> Result<(), Diagnostic> {
    let arguments: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    if let [devices, bytes, repeat] = arguments[..] {
        let mut bench = Bench::new(devices, bytes);
        let exec = bench.exec(None)?;
        for in_place in [false, true] {
            let seconds = bench.time(&exec, in_place, 2, repeat)?;
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
                    let exec = bench.exec(Some(method))?;
                    let repeat = if is_short() { 1 } else { ((64 << 20) / bytes).clamp(5, 1000) };
                    let mut seconds = bench.time(&exec, true, threads, repeat)?;
                    seconds.sort_by(f64::total_cmp);
                    print!(" {:>13.2} us", seconds[seconds.len() / 2] * 1e6);
                }
                println!();
            }
        }
    }
    Ok(())
}

/// Prints the memory throughput of one device for each dtype: 8 devices, 1 MiB each, in place on one thread.
fn dtypes() -> Result<(), Diagnostic> {
    for dtype in DType::ALL {
        let mut bench = Bench::new(8, 1 << 20);
        bench.ty = Type::new(dtype, [(1 << 20) / dtype.bytes() as usize]);
        print!("{:>7}", dtype.name());
        for monoid in [Monoid::Sum, Monoid::Prod, Monoid::Max] {
            let exec = CollectiveExec::all_reduce(monoid, &bench.ty, &bench.group)?;
            let mut seconds = bench.time(&exec, true, 1, if is_short() { 1 } else { 30 })?;
            seconds.sort_by(f64::total_cmp);
            let median = seconds[seconds.len() / 2];
            print!("  {:>4} {:>6.2} GB/s", monoid.name(), 16e-9 * f64::from(1 << 20) / median);
        }
        println!();
    }
    Ok(())
}

/// Operand and result buffers of all devices of one group.
struct Bench {
    group: Group,
    ty: Type,
    operands: Vec<Vec<u64>>,
    results: Vec<Vec<u64>>,
}

impl Bench {
    fn new(devices: usize, bytes: usize) -> Bench {
        let mesh = Arc::new(DeviceMesh::new("m", [("x", devices as u32)]));
        let group = Group::along_axes(&mesh, &[AxisRef::full(&mesh, AxisId(0))]).swap_remove(0);
        // The operands are written, so that their pages exist. Zeros do not overflow under repeated sums.
        let buffers = |word: u64| vec![vec![word; bytes.div_ceil(8)]; devices];
        let (mut operands, results) = (buffers(1), buffers(1));
        operands.iter_mut().for_each(|o| o.fill(0));
        Bench { group, ty: Type::new(DType::F32, [bytes / 4]), operands, results }
    }

    fn exec(&self, method: Option<Method>) -> Result<CollectiveExec, Diagnostic> {
        match method {
            None => CollectiveExec::all_reduce(Monoid::Sum, &self.ty, &self.group),
            Some(method) => CollectiveExec::all_reduce_with(method, Monoid::Sum, &self.ty, &self.group),
        }
    }

    fn time(
        &mut self,
        exec: &CollectiveExec,
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
                exec.run_in_place(&mut results, threads)?;
            } else {
                exec.run(&operands, &mut results, threads)?;
            }
            // The first two runs warm up.
            if run >= 2 {
                seconds.push(start.elapsed().as_secs_f64());
            }
        }
        Ok(seconds)
    }
}
