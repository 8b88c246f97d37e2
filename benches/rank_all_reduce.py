#!/usr/bin/env python3
"""Compares an all_reduce of the ranks of `mpirun` with MPI_Allreduce, run alternately: milliseconds and their ratio.

    cargo bench --bench rank_all_reduce --no-run    # prints the path of the program
    benches/rank_all_reduce.py PROGRAM [--ranks 4] [--mib 64] [--repeat 5] [--rounds 5] [--test]

Both sum MIB MiB of f32 REPEAT times in a run, out of place, and the mean of a run is that of the slowest rank. Of all runs of all
rounds, the least and the median are printed. `exact` sums in the order of one process, `default` by the collective that the ranks
measure to be faster. The peer calls the library of Open MPI or MPICH from Python, between two barriers.
"""

import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import time

RUNS = 5


def peer(mib, repeat):
    """Calls MPI_Allreduce as one rank, and prints the seconds of each run on rank 0."""
    import array

    def symbol(name):
        return ctypes.addressof(ctypes.c_char.in_dll(mpi, name))

    path = os.environ.get("PARTITA_MPI")
    for name in [path] if path else ["libmpi.so.40", "libmpi.so.12"]:
        try:
            mpi = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
            break
        except OSError:
            continue
    else:
        sys.exit("no MPI library is found: set PARTITA_MPI to its path")
    try:
        symbols = "ompi_mpi_comm_world", "ompi_mpi_float", "ompi_mpi_double", "ompi_mpi_op_sum", "ompi_mpi_op_max"
        world, f32, f64, total, largest = (ctypes.c_void_p(symbol(name)) for name in symbols)
    except ValueError:
        world, f32, f64, total, largest = map(ctypes.c_int, [0x44000000, 0x4C00040A, 0x4C00080B, 0x58000003, 0x58000001])
    mpi.MPI_Init(None, None)
    rank = ctypes.c_int()
    mpi.MPI_Comm_rank(world, ctypes.byref(rank))
    count = mib << 18
    send, receive = (array.array("f", bytes(4 * count)) for _ in range(2))
    buffers = [ctypes.c_void_p(buffer.buffer_info()[0]) for buffer in (send, receive)]
    means = []
    for run in range(1 + RUNS):
        mpi.MPI_Barrier(world)
        started = time.perf_counter()
        for _ in range(repeat):
            mpi.MPI_Allreduce(*buffers, ctypes.c_int(count), f32, total, world)
        own, slowest = ctypes.c_double((time.perf_counter() - started) / repeat), ctypes.c_double()
        mpi.MPI_Allreduce(ctypes.byref(own), ctypes.byref(slowest), ctypes.c_int(1), f64, largest, world)
        if run > 0:
            means.append(slowest.value)
    if rank.value == 0:
        print(*means)
    mpi.MPI_Finalize()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--mib", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--test", action="store_true", help="run everything once, on little data")
    args = parser.parse_args()
    if args.test:
        args.ranks, args.mib, args.repeat, args.rounds = 2, 1, 1, 1
    if args.peer:
        return peer(args.mib, args.repeat)
    # Open MPI refuses to run as root otherwise.
    os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=True).stdout
    open_mpi = ["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    launcher = ["mpirun", *(open_mpi if "Open MPI" in version else []), "-np", str(args.ranks)]
    sizes = [str(args.mib), str(args.repeat)]
    commands = {
        "MPI_Allreduce": [sys.executable, __file__, args.program, "--peer", "--mib", sizes[0], "--repeat", sizes[1]],
        "exact": [args.program, *sizes, "--exact"],
        "default": [args.program, *sizes],
    }
    seconds = {name: [] for name in commands}
    for _ in range(args.rounds):
        for name, command in commands.items():
            ran = subprocess.run([*launcher, *command], capture_output=True, text=True)
            if ran.returncode:
                sys.exit(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}")
            seconds[name] += [float(word) for word in ran.stdout.split()]
    print(f"{args.ranks} ranks, {args.mib} MiB, load {os.getloadavg()[0]:.1f}, {version.splitlines()[0]}")
    peers = seconds["MPI_Allreduce"]
    for name, of in seconds.items():
        least, median = min(of), statistics.median(of)
        print(f"{name:15} least {1e3 * least:8.3f} ms, median {1e3 * median:8.3f} ms; ratio {least / min(peers):.2f}, "
              f"{median / statistics.median(peers):.2f}")


if __name__ == "__main__":
    main()
