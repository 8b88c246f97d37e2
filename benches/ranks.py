#!/usr/bin/env python3
"""Collectives between four hosts: seconds and bytes, beside JAX with gloo.

    cargo xtask net up --rate 1gbit
    benches/ranks.py PARTITA [--jax PYTHON] [--rounds 3]
    cargo xtask net down

A collective of 64 MiB of f32 is measured as the difference between programs with one and with nine of them, so that
starting and reading inputs do not count; the computation between them does. Partita and JAX run alternately. Products
of matrices are measured in the same way, alone, and between an all_reduce of 64 MiB and the op that reads its result.
With `--test`, small programs run once on this host.
"""

import argparse
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

WIDTH = 512
PRODUCTS = 160
HOSTS = [f"10.77.0.{i + 1}" for i in range(4)]
MORE = 8

AGENT = """#!/bin/sh
host=$1; shift; exec ip netns exec h$((${host##*.} - 1)) sh -c "$*"
"""

JAX = """
import os, sys, time
import jax
rank, size = int(sys.argv[1]), int(sys.argv[2])
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize("10.77.0.1:29611", 4, rank)
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()), ("d",))
x = jax.make_array_from_callback((8, size), NamedSharding(mesh, P("d")), lambda at: np.ones((2, size), np.float32))
def step(spec):
    return jax.jit(lambda x, c: jax.numpy.maximum(x, c).sum(0), out_shardings=NamedSharding(mesh, spec))
for name, spec in [("all_reduce", P()), ("reduce_scatter", P("d"))]:
    f = step(spec)
    jax.block_until_ready(f(x, 0.0))
    seconds = []
    for i in range(4):
        started = time.perf_counter()
        jax.block_until_ready(f(x, 0.5 + i))
        seconds.append(time.perf_counter() - started)
    if rank == 0:
        print("seconds", name, sorted(seconds)[1], flush=True)
"""


def program(collectives, size):
    """Returns a program with a number of sums over the sharded dimension, none of which can be merged."""
    lines, total = ["form traced", f"input %x : f32[8, {size}]"], None
    for i in range(collectives):
        lines += [
            f"  %c{i} = constant {0.5 + i / 8} : f32[]",
            f"  %b{i} = broadcast [] %c{i} : f32[8, {size}]",
            f"  %m{i} = max %x, %b{i} : f32[8, {size}]",
            f"  %s{i} = reduce sum [0] %m{i} : f32[{size}]",
            f"  %q{i} = mul %s{i}, %s{i} : f32[{size}]",
            f"  %r{i} = reduce sum [0] %q{i} : f32[]",
        ]
        if total:
            lines.append(f"  %a{i} = add {total}, %r{i} : f32[]")
        total = f"%a{i}" if total else f"%r{i}"
    return "\n".join([*lines, f'output {total} "y"', ""])


def overlapped(phases, size, products):
    """Returns a program of phases: an all_reduce, products that do not need its result, and a sum of the result."""
    lines = ["form traced", f"input %x : f32[4, {size}]", f"input %w : f32[4, {WIDTH}, {WIDTH}]"]
    product, total = "%w", None
    for i in range(phases):
        if size > 1:
            lines += [
                f"  %c{i} = constant {0.5 + i / 8} : f32[]",
                f"  %b{i} = broadcast [] %c{i} : f32[4, {size}]",
                f"  %m{i} = max %x, %b{i} : f32[4, {size}]",
                f"  %s{i} = reduce sum [0] %m{i} : f32[{size}]",
            ]
        for j in range(products):
            name = f"%p{i}_{j}"
            lines.append(f"  {name} = dot_general contract [2]x[1] batch [0]x[0] {product}, %w : "
                         f"f32[4, {WIDTH}, {WIDTH}]")
            product = name
        if size > 1:
            # The sum of sums could be computed before they are exchanged.
            lines += [f"  %q{i} = mul %s{i}, %s{i} : f32[{size}]", f"  %r{i} = reduce sum [0] %q{i} : f32[]"]
            lines += [f"  %a{i} = add {total}, %r{i} : f32[]"] if total else []
            total = f"%a{i}" if total else f"%r{i}"
    lines.append(f"  %z = reduce sum [0, 1, 2] {product} : f32[]")
    return "\n".join([*lines, *([f'output {total} "y"'] if total else []), 'output %z "z"', ""])


def write_zeros(file, shapes):
    """Writes f32 tensors of zeros as safetensors: a sparse file, which takes no time to write and little to read."""
    tensors, end = {}, 0
    for name, shape in shapes.items():
        start, end = end, end + 4 * math.prod(shape)
        tensors[name] = {"dtype": "F32", "shape": shape, "data_offsets": [start, end]}
    header = json.dumps(tensors).encode()
    header += b" " * (-len(header) % 8)
    with open(file, "wb") as out:
        out.write(len(header).to_bytes(8, "little") + header)
        out.truncate(8 + len(header) + end)


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.size = 1 << 10 if args.test else 1 << 24
        (folder / "agent").write_text(AGENT)
        (folder / "agent").chmod(0o755)
        for collectives in [1, 1 + MORE]:
            (folder / f"{collectives}.pir").write_text(program(collectives, self.size))
        write_zeros(folder / "inputs.safetensors", {"x": [8, self.size]})
        exchanged, products = (1 << 10, 2) if args.test else (1 << 24, PRODUCTS)
        self.phases = {"all_reduce": (exchanged, 0), "products": (1, products), "both": (exchanged, products)}

    def sent_bytes(self):
        """Returns the bytes that each host has sent."""
        if self.args.test:
            return [0] * 4
        read = ["cat", "/sys/class/net/eth0/statistics/tx_bytes"]
        return [int(subprocess.check_output(["ip", "netns", "exec", f"h{i}", *read])) for i in range(4)]

    def run(self, file, inputs, layouts):
        """Returns the seconds of a run, and the largest number of bytes that a host sends."""
        shards = [word for layout in layouts for word in ["--shard", layout]]
        hosts = [] if self.args.test else ["--hosts", ",".join(HOSTS), "--agent", "./agent"]
        before = self.sent_bytes()
        command = [self.args.partita.resolve(), "launch", "-n", "4", *hosts, "--", "run", file, "--input", inputs, "--mesh", "d=4",
                   *shards, "--ranks", "tcp"]
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if ran.returncode:
            sys.exit(f"{command}\n{ran.stdout}{ran.stderr}")
        sent = max(after - before for before, after in zip(before, self.sent_bytes()))
        return float(re.search(r"ran on 4 devices in ([\d.]+) s", ran.stdout)[1]), sent

    def partita(self, collectives, layout):
        """Returns the seconds and the bytes of a run with a number of collectives."""
        results = [f"%s{i}={layout}" for i in range(collectives) if layout]
        return self.run(f"{collectives}.pir", "inputs.safetensors", ["x=d, _", *results])

    def phase(self, name):
        """Returns the seconds of a phase of an all_reduce, of products, or of both."""
        exchanged, products = self.phases[name]
        write_zeros(self.folder / "phases.safetensors", {"x": [4, exchanged], "w": [4, WIDTH, WIDTH]})

        def seconds(phases):
            (self.folder / "phases.pir").write_text(overlapped(phases, exchanged, products))
            return self.run("phases.pir", "phases.safetensors", ["x=d, _", "w=d, _, _"])[0]

        return (seconds(1 + MORE) - seconds(1)) / MORE

    def one_collective(self, layout):
        """Returns the seconds and the bytes of one collective."""
        (few, few_bytes), (many, many_bytes) = self.partita(1, layout), self.partita(1 + MORE, layout)
        return (many - few) / MORE, (many_bytes - few_bytes) / MORE

    def jax(self):
        """Returns the seconds of JAX's collectives, by name."""
        script, hosts = self.folder / "jax_ranks.py", self.folder / "hosts"
        script.write_text(JAX)
        # gloo listens at the address of the name of the host.
        hosts.write_text("".join(f"{address} h{i}\n" for i, address in enumerate(HOSTS)))
        in_host = 'hostname "h$1" && mount --bind "$2" /etc/hosts && shift 2 && exec "$@"'

        def start(i):
            command = ["ip", "netns", "exec", f"h{i}", "unshare", "--uts", "--mount", "sh", "-ec", in_host, "sh",
                       str(i), str(hosts), self.args.jax, str(script), str(i), str(self.size)]
            return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        ended = [(process, *process.communicate()) for process in [start(i) for i in range(4)]]
        for i, (process, _, errors) in enumerate(ended):
            if process.returncode:
                sys.exit(f"JAX on h{i}:\n{errors}")
        # gloo prints lines, too.
        return {name: float(seconds) for name, seconds in re.findall(r"^seconds (\S+) (\S+)$", ended[0][1], re.M)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("partita", type=pathlib.Path)
    parser.add_argument("--jax", help="Python with JAX")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--test", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, pathlib.Path(folder))
        names = {"all_reduce": "", "reduce_scatter": "d"}
        planned = {"all_reduce": 2 * 3 / 4, "reduce_scatter": 3 / 4}
        ours, theirs = {name: [] for name in names}, {name: [] for name in names}
        phases = {name: [] for name in bench.phases}
        for _ in range(1 if args.test else args.rounds):
            for name, layout in names.items():
                ours[name].append(bench.one_collective(layout))
            for name, seconds in phases.items():
                seconds.append(bench.phase(name))
            if args.jax and not args.test:
                for name, seconds in bench.jax().items():
                    theirs[name].append(seconds)
        print(f"load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d')}")
        for name in names:
            seconds = statistics.median(seconds for seconds, _ in ours[name])
            sent = statistics.median(sent for _, sent in ours[name]) / (planned[name] * 4 * bench.size)
            line = f"{name:15} {4 * bench.size / 2**20:5.1f} MiB  {seconds:.3f} s, bytes sent / planned {sent:.3f}"
            if theirs[name]:
                jax = statistics.median(theirs[name])
                line += f"; JAX {jax:.3f} s, ratio {seconds / jax:.2f}"
            print(line)
        all_reduce, products, both = (statistics.median(seconds) for seconds in phases.values())
        print(f"overlap         all_reduce {all_reduce:.3f} s, products {products:.3f} s, both {both:.3f} s")


if __name__ == "__main__":
    main()
