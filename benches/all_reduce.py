"""Compares JAX's psum on host devices with Partita's all_reduce, run alternately: median seconds and their ratio.

    python3 -m pip install jax
    cargo bench -p partita-runtime --bench all_reduce --no-run    # prints the path of the program
    python3 benches/all_reduce.py PROGRAM [MIB] [--test]

Both sum MIB MiB of f32 (default 64) per device over 4 and 8 devices, on two threads, out of place and in place (JAX: with a
donated operand). JAX allocates its results, Partita writes to existing buffers. `--test` runs everything once, on little data.
"""

import os
import statistics
import subprocess
import sys
import time

THREADS = 2
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

SHORT = "--test" in sys.argv
ROUNDS, REPEAT = (1, 1) if SHORT else (4, 5)


class Psum:
    """psum of one f32 array per device."""

    def __init__(self, devices, size):
        mesh = Mesh(np.array(jax.devices()[:devices]), ("d",))
        spec = PartitionSpec("d")
        step = jax.shard_map(lambda x: jax.lax.psum(x, "d"), mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
        self.separate = jax.jit(step)
        self.donated = jax.jit(step, donate_argnums=0)
        self.operand = jax.device_put(np.zeros(devices * size // 4, np.float32), NamedSharding(mesh, spec))

    def seconds(self, in_place):
        """Returns the seconds of each run after two warm-up runs."""
        seconds = []
        for _ in range(REPEAT + 2):
            started = time.perf_counter()
            result = (self.donated if in_place else self.separate)(self.operand).block_until_ready()
            seconds.append(time.perf_counter() - started)
            if in_place:
                self.operand = result
        return seconds[2:]


def partita(program, devices, size):
    """Returns the seconds of each run, out of place and in place."""
    done = subprocess.run([program, str(devices), str(size), str(REPEAT)], capture_output=True, text=True, check=True)
    return [[float(x) for x in line.split()] for line in done.stdout.splitlines()]


def main():
    program, *mib = [word for word in sys.argv[1:] if word != "--test"]
    size = int(float(mib[0]) * 2**20) if mib else 1 << 20 if SHORT else 64 << 20
    print(f"{'devices':>7} {'bytes':>10}  {'':<9} {'JAX':>10} {'Partita':>10} {'ratio':>6}")
    for devices in (4, 8):
        psum = Psum(devices, size)
        theirs, ours = ([], []), ([], [])
        for _ in range(ROUNDS):
            for in_place in (False, True):
                theirs[in_place].extend(psum.seconds(in_place))
            for all_seconds, seconds in zip(ours, partita(program, devices, size)):
                all_seconds.extend(seconds)
        for what, jax_seconds, our_seconds in zip(("separate", "in place"), theirs, ours):
            a, b = statistics.median(jax_seconds), statistics.median(our_seconds)
            print(f"{devices:>7} {size:>10}  {what:<9} {a * 1e3:>7.2f} ms {b * 1e3:>7.2f} ms {a / b:>6.2f}", flush=True)


if __name__ == "__main__":
    main()
