//! The emulator's memory model: unordered conflicting accesses are errors, for every order of threads and blocks.

use crate::wait_removal::ORDERS;
use partita_gpu::device::{Device, DevicePtr};
use partita_gpu::emulator::{Emulator, ThreadOrder};
use partita_gpu::module::Kernel;
use partita_gpu::trial;
use partita_ir::diag::Diagnostic;

/// Threads of a block.
const UNITS: u32 = 64;

/// Blocks.
const CUBES: u32 = 4;

/// Words of the result: one per thread, a counter, and one per thread of the last block.
const WORDS: usize = (UNITS * CUBES + 1 + UNITS) as usize;

/// Returns kernels with the given bodies, and an emulator that has loaded them. Each thread of a block reads one
/// number.
fn emulated<const N: usize>(bodies: [&str; N]) -> (Emulator, [Kernel; N]) {
    let mut number = 0;
    let kernels = bodies.map(|body| {
        number += 1;
        let name = format!("kernel_{number}");
        let source = format!(
            "extern \"C\" __global__ void __launch_bounds__(64) {name}(float const* const in, float* const out) {{
                extern __shared__ __align__(128) char dynamic[];
                unsigned* const shared = reinterpret_cast<unsigned*>(dynamic);
                unsigned* const count = reinterpret_cast<unsigned*>(out + 256);
                {body}
            }}"
        );
        Kernel { name, units: [UNITS, 1, 1], cubes: [CUBES, 1, 1], ..trial::kernel(&source) }
    });
    let emulator = Emulator::with_kernels(&kernels);
    (emulator.unwrap_or_else(|e| panic!("{e} {:?}", e.notes)), kernels)
}

/// Returns the result of a kernel that runs without the wait of number `left_out`.
fn run(
    emulator: &Emulator,
    kernel: &Kernel,
    left_out: Option<usize>,
    order: ThreadOrder,
) -> Result<Vec<f32>, Diagnostic> {
    emulator.test_with(left_out, order)?;
    let [from, to] = [emulator.allocate(UNITS as usize * 4)?, emulator.allocate(WORDS * 4)?].map(DevicePtr::new);
    let given: Vec<u32> = (0..UNITS).map(|i| (i as f32).to_bits()).collect();
    emulator.upload(&from, &given)?;
    emulator.launch(&emulator.load(kernel)?, &[from, to.clone()])?;
    let got = emulator.download(&[(to, WORDS)])?.swap_remove(0);
    Ok(got.into_iter().map(f32::from_bits).collect())
}

/// Returns true if a run failed because of a data race.
fn is_race(result: Result<Vec<f32>, Diagnostic>) -> bool {
    result.is_err_and(|error| error.notes.iter().any(|note| note.ends_with("and nothing orders them")))
}

/// Checks for each body and thread order if a data race is reported.
fn check_races<const N: usize>(bodies: [(&str, bool); N]) {
    let (emulator, kernels) = emulated(bodies.map(|(body, _)| body));
    for (kernel, (body, want)) in kernels.iter().zip(bodies) {
        for order in ORDERS {
            assert_eq!(is_race(run(&emulator, kernel, None, order)), want, "{order:?}: {body}");
        }
    }
}

/// Blocks write numbers, and the last block to finish sums them up. A fence in each block makes the numbers of the
/// other blocks visible.
const LAST_BLOCK: &str = "
    out[blockIdx.x * 64 + threadIdx.x] = 2 * in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        RELEASE
        shared[0] = atomicAdd(count, 1u);
        ACQUIRE
    }
    __syncthreads();
    if (shared[0] + 1 == gridDim.x) {
        float sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum += out[i * 64 + 63 - threadIdx.x];
        out[257 + threadIdx.x] = sum;
    }";

#[test]
fn fences_order_accesses_of_blocks() {
    let body = |release: &str, acquire: &str| LAST_BLOCK.replace("RELEASE", release).replace("ACQUIRE", acquire);
    let [block, device] = ["__threadfence_block();", "__threadfence();"];
    let (emulator, [kernel]) = emulated([&body(device, device)]);
    assert_eq!(emulator.load(&kernel).unwrap().sync_points(), 0..4);
    for order in ORDERS {
        let got = run(&emulator, &kernel, None, order).unwrap_or_else(|e| panic!("{order:?}: {e} {:?}", e.notes));
        let want: Vec<f32> = (0..UNITS).map(|i| (8 * (63 - i)) as f32).collect();
        assert_eq!(got[257..], want, "{order:?}");
        for left_out in 0..4 {
            assert!(is_race(run(&emulator, &kernel, Some(left_out), order)), "{left_out} of {order:?}");
        }
    }
    // A block-level fence does not order accesses of other blocks.
    check_races([(&body(block, device), true), (&body(device, block), true), (&body(block, block), true)]);
}

#[test]
fn fences_order_accesses_of_threads() {
    let body = |release: &str, acquire: &str| {
        format!(
            "__syncthreads();
            if (threadIdx.x == 0) shared[1] = 0;
            __syncthreads();
            if (threadIdx.x == 5) {{ shared[0] = 7; {release} atomicExch(&shared[1], 1u); }}
            if (threadIdx.x == 40) {{
                unsigned is_there = atomicAdd(&shared[1], 0u);
                {acquire}
                if (is_there) out[blockIdx.x] = shared[0];
            }}"
        )
    };
    let [block, device] = ["__threadfence_block();", "__threadfence();"];
    let fenced = [&body(block, block)[..], &body(block, device), &body(device, block)];
    let open = [&body("", block)[..], &body(block, ""), &body("", "")];
    let (emulator, kernels) = emulated([fenced[0], fenced[1], fenced[2], open[0], open[1], open[2]]);
    for (i, kernel) in kernels.iter().enumerate() {
        let got = run(&emulator, kernel, None, ThreadOrder::Forward);
        match i < fenced.len() {
            true => assert_eq!(got.unwrap_or_else(|e| panic!("{i}: {e} {:?}", e.notes))[3], 7.0, "{i}"),
            false => assert!(is_race(got), "{i}"),
        }
    }
}

#[test]
fn unordered_accesses_are_races() {
    let exchange = |lane: &str, wait: &str| {
        format!("shared[threadIdx.x] = 1; {wait} out[blockIdx.x * 64 + threadIdx.x] = shared[threadIdx.x ^ {lane}];")
    };
    let all_read = |behind: &str| {
        let read =
            "if (threadIdx.x == 9) shared[0] = 1; __syncthreads(); out[blockIdx.x * 64 + threadIdx.x] = shared[0];";
        format!("{read} {behind}")
    };
    check_races([
        ("out[blockIdx.x * 64 + threadIdx.x] = 1;", false),
        // Conflicts between two blocks, two threads of a warp, and two warps.
        ("out[threadIdx.x] = 1;", true),
        ("if (threadIdx.x < 2) out[blockIdx.x] = 1;", true),
        ("if (threadIdx.x % 32 == 0) shared[0] = 1;", true),
        // A write and a read.
        (&exchange("1", ""), true),
        (&exchange("1", "__syncwarp();"), false),
        (&exchange("1", "__syncthreads();"), false),
        (&exchange("32", "__syncwarp();"), true),
        (&exchange("32", "__syncthreads();"), false),
        // Warp-level exchanges do not order memory accesses.
        (&exchange("1", "__shfl_sync(~0u, 1, 0);"), true),
        // Several reads, followed by a write.
        (&all_read(""), false),
        (&all_read("if (threadIdx.x == 9) shared[0] = 2;"), true),
        (&all_read("__syncwarp(); if (threadIdx.x == 9) shared[0] = 2;"), true),
        (&all_read("__syncthreads(); if (threadIdx.x == 9) shared[0] = 2;"), false),
        // Atomic operations do not conflict with each other, but with other accesses.
        ("atomicAdd(out, 1.0f);", false),
        ("atomicAdd(out, 1.0f); if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = 3;", true),
        ("if (threadIdx.x == 0) shared[0] = 0; atomicAdd(shared, 1u);", true),
        ("if (threadIdx.x == 0) shared[0] = 0; __syncthreads(); atomicAdd(shared, 1u);", false),
    ]);
}

/// Copies a matrix through a fragment. The mapping from lanes to elements is unspecified.
#[test]
fn fragment_accesses_are_checked() {
    let body = |before: &str, behind: &str| {
        format!(
            "float* const square = reinterpret_cast<float*>(dynamic);
            if (threadIdx.x < 32) {{
                for (unsigned i = threadIdx.x; i < 256; i += 32) square[i] = i;
                {before}
                nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c;
                nvcuda::wmma::load_matrix_sync(c, square, 16, nvcuda::wmma::mem_row_major);
                __syncwarp();
                nvcuda::wmma::store_matrix_sync(square, c, 16, nvcuda::wmma::mem_col_major);
                {behind}
                out[blockIdx.x * 64 + threadIdx.x] = square[threadIdx.x];
            }}"
        )
    };
    let wait = "__syncwarp();";
    check_races([(&body("", wait), true), (&body(wait, ""), true), (&body(wait, wait), false)]);
    let good = body(wait, wait);
    let faults = [
        ("(square, c, 16", "(square + 4, c, 16", "a fragment is not aligned to 32 bytes, or its rows not to 16"),
        ("(c, square, 16", "(c, square, 18", "a fragment is not aligned to 32 bytes, or its rows not to 16"),
        ("threadIdx.x < 32", "threadIdx.x < 31", "not all lanes of a warp carry out an instruction of the warp"),
        (
            "(c, square, 16",
            "(c, square + threadIdx.x / 16 * 8, 16",
            "lanes of a warp give one instruction different operands",
        ),
        ("dynamic)", "dynamic + 512)", "a thread goes beyond the shared memory of the kernel"),
    ];
    let wrong = faults.map(|(old, new, _)| good.replace(old, new));
    let bodies = [&good, &wrong[0], &wrong[1], &wrong[2], &wrong[3], &wrong[4]];
    let (emulator, kernels) = emulated(bodies.map(String::as_str));
    let got = run(&emulator, &kernels[0], None, ThreadOrder::Backward).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    assert_eq!(got[..3], [0.0, 16.0, 32.0]);
    for (kernel, (_, new, want)) in kernels[1..].iter().zip(faults) {
        let error = run(&emulator, kernel, None, ThreadOrder::Forward).unwrap_err();
        assert_eq!(error.notes, [want], "{new}");
    }
}

/// Instructions that are not emulated are rejected by name before compilation.
#[test]
fn unknown_intrinsics_are_rejected_by_name() {
    for (body, name) in [
        ("__nanosleep(100);", "__nanosleep"),
        ("asm volatile(\"mbarrier.inval.shared.b64 [%0];\" :: \"r\"(0));", "mbarrier.inval.shared.b64"),
        ("asm volatile(\"cp.async.bulk.commit_group;\");", "cp.async.bulk.commit_group"),
    ] {
        let source =
            format!("extern \"C\" __global__ void partita_trial(float const* const in, float* const out) {{ {body} }}");
        let error = Emulator::with_kernels(&[trial::kernel(&source)]).err().unwrap();
        assert_eq!(error.title, format!("kernel `partita_trial` uses `{name}`, which is not emulated"));
        assert_eq!(error.notes, [""; 0]);
    }
}
