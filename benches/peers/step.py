"""Seconds of one step after warm-up: XLA on the CPU and Partita alternately, on the same StableHLO modules. See `run`.

A module without a mesh runs on one device, one with shardings on eight in one process. Each side runs three
warm-up steps and 20 measured steps; the sides alternate three times, and the minimum of the three medians is reported. Inputs are
on the devices beforehand.

Partita reports the matrix products of its step and the bytes that its other kernels move. The roofline is the time of these
products at the rates that `sgemm` of numpy reaches for their shapes, plus that of the bytes at the bandwidth of a copy. The last two
columns are the rate of Partita's products over the entire step if all cores are busy, and the fraction of the roofline that the step
reaches. Both are computed from processor time, which depends less on other programs than the duration of a step.
"""

import functools
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

# Rates of one core: small products are not divided among threads.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import xla_bridge  # noqa: E402
from jax._src.interpreters.mlir import make_ir_context  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

SHORT = "--test" in sys.argv
STEPS, WARM, TURNS = (1, 1, 1) if SHORT else (20, 3, 3)
CORES = len(os.sched_getaffinity(0))


def compile_xla(path, devices):
    backend = xla_bridge.get_backend("cpu")
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 1, devices
    build = options.executable_build_options
    build.num_replicas, build.num_partitions = 1, devices
    if devices > 1:
        build.use_spmd_partitioning = True
        build.use_shardy_partitioner = ".mhlo." not in path
    build.device_assignment = xla_client.DeviceAssignment.create(np.arange(devices).reshape(1, devices))
    with make_ir_context(), open(path) as file:
        module = ir.Module.parse(file.read())
        local = xla_client.DeviceList(tuple(backend.local_devices()[:devices]))
        return backend.compile_and_load(module, local, options)


def arguments(compiled, devices):
    """Returns data for every argument, on its devices."""
    hlo = compiled.hlo_modules()[0].to_string()
    layout = re.search(r"entry_computation_layout=\{\((.*?)\)->", hlo).group(1)
    rng = np.random.default_rng(0)
    local = np.array(jax.local_devices()[:devices])
    mesh = jax.sharding.Mesh(local, ("x",))
    for dtype, sizes in re.findall(r"(\w+)\[([\d,]*)\]", re.sub(r"/\*.*?\*/", "", layout)):
        shape = [int(n) for n in sizes.split(",") if n]
        if dtype == "f32":
            data = (rng.standard_normal(shape) * 0.02).astype(np.float32)
        else:
            data = rng.integers(0, 8, shape).astype({"s32": np.int32, "u32": np.uint32}[dtype])
        pieces = [jax.device_put(data, device) for device in local]
        # Each device receives shards of a larger array, or a full scalar.
        split = data.ndim > 0 and devices > 1
        spec = jax.sharding.PartitionSpec("x") if split else jax.sharding.PartitionSpec()
        whole = (data.shape[0] * devices, *data.shape[1:]) if split else data.shape
        yield jax.make_array_from_single_device_arrays(whole, jax.sharding.NamedSharding(mesh, spec), pieces)


def xla(path, devices):
    compiled = compile_xla(path, devices)
    inputs = list(arguments(compiled, devices))

    def seconds():
        started = time.perf_counter()
        for pieces in compiled.execute_sharded(inputs).disassemble_into_single_device_arrays():
            for piece in pieces:
                piece.block_until_ready()
        return time.perf_counter() - started

    def median():
        """Returns the median seconds of a step, and its processor time on all threads."""
        for _ in range(WARM):
            seconds()
        started = time.process_time()
        steps = sorted(seconds() for _ in range(STEPS))
        return steps[STEPS // 2], (time.process_time() - started) / STEPS

    return median


def partita(program, path):
    words = [program, path, *(["--test"] if SHORT else [])]
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def least_seconds(run, seconds):
    """Returns the minimum seconds of a call, repeated for the given seconds of processor time on this thread."""
    least, end = float("inf"), time.thread_time() + (0 if SHORT else seconds)
    while True:
        started = time.thread_time()
        run()
        now = time.thread_time()
        least = min(least, now - started)
        if now >= end:
            return least


@functools.cache
def product_seconds(m, n, k, left_rows, right_rows):
    """Returns the seconds of a product of `m x k` by `k x n` on one core, with operands in row-major or column-major order."""
    left = np.ones((m, k) if left_rows else (k, m), np.float32)
    right = np.ones((k, n) if right_rows else (n, k), np.float32)
    left, right = left if left_rows else left.T, right if right_rows else right.T
    result = np.empty((m, n), np.float32)
    # Several products for each measurement, so that it takes longer than the resolution of the clock.
    times = 1 + int(1e7 / max(m * n * k, 1))

    def run():
        for _ in range(times):
            np.matmul(left, right, out=result)

    return least_seconds(run, 0.05) / times


@functools.cache
def copy_bandwidth():
    """Returns the bytes per second that copies on all cores read and write. A written cache line is first read."""
    pairs = [(np.ones(1 << 23, np.float32), np.empty(1 << 23, np.float32)) for _ in range(CORES)]

    def copy(pair):
        np.copyto(pair[1], pair[0])

    with ThreadPoolExecutor(CORES) as pool:
        least = float("inf")
        for _ in range(1 if SHORT else 20):
            started = time.perf_counter()
            list(pool.map(copy, pairs))
            least = min(least, time.perf_counter() - started)
    return sum(3 * source.nbytes for source, _ in pairs) / least


def roofline(step):
    """Returns the floating-point operations of a step, and the processor time that its products and bytes need at least."""
    operations = sum(2 * np.prod(product["size"], dtype=float) * product["count"] for product in step["products"])
    products = sum(product_seconds(*p["size"], *p["rows"]) * p["count"] for p in step["products"])
    return operations, products + step["bytes"] / copy_bandwidth() * CORES


def main(program, paths):
    print(f"{'':<28} {'':>7} {'milliseconds of a step':>22} {'':>7} {'processor time':>21}")
    print(f"{'module':<28} devices {'XLA':>9} {'Partita':>12} {'ratio':>7} {'XLA':>9} {'Partita':>11} {'ratio':>7} GFLOP/s roofline")
    for path in paths:
        devices = 1 if ".plain." in path else 8
        theirs = xla(path, devices)
        turns = [(theirs(), partita(program, path)) for _ in range(TURNS)]
        a, b = min(xla[0] for xla, _ in turns), min(step["median"] for _, step in turns)
        x, y = min(xla[1] for xla, _ in turns), min(step["processor"] for _, step in turns)
        operations, least = roofline(turns[0][1])
        row = f"{os.path.basename(path):<28} {devices:>7} {a * 1e3:>9.2f} {b * 1e3:>12.2f} {b / a:>7.2f}"
        row += f" {x * 1e3:>9.2f} {y * 1e3:>11.2f} {y / x:>7.2f}"
        print(f"{row} {operations / y * CORES / 1e9:>7.0f} {least / y:>8.0%}", flush=True)


main(sys.argv[1], [word for word in sys.argv[2:] if word != "--test"])
