"""XLA and Partita on the same StableHLO modules: compile seconds, and payload and contraction FLOPs of a device.

    python3 -m pip install jax
    cargo build --release
    python3 benches/xla.py target/release/partita tests/data/stablehlo/*.sdy.*.mlir

XLA compiles for eight CPU devices, with Shardy for Shardy's annotations and with GSPMD for `mhlo.sharding`. Its FLOPs and bytes are
counted in the final HLO, and its seconds are those of the full compilation. Loop bodies count once in HLO, so that modules with loops
are skipped.
"""

import json
import os
import re
import subprocess
import sys
import time

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"

import numpy as np  # noqa: E402
from jax._src import xla_bridge  # noqa: E402
from jax._src.interpreters.mlir import make_ir_context  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

DEVICES = 8
BYTES = {"pred": 1, "s8": 1, "u8": 1, "bf16": 2, "f16": 2, "s32": 4, "u32": 4, "f32": 4, "s64": 8, "u64": 8, "f64": 8}
TYPE = re.compile(r"(\w+)\[([\d,]*)\]")
# name = result op(operands and attributes
INSTRUCTION = re.compile(r"\s*(?:ROOT )?%?([\w.\-]+) = (.*?) (\w[\w\-]*)\((.*)")
COLLECTIVES = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute")


def sizes(text):
    return [int(n) for n in text.split(",") if n]


def xla(path):
    """Returns the HLO of one device, and the compile seconds."""
    backend = xla_bridge.get_backend("cpu")
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 1, DEVICES
    build = options.executable_build_options
    build.num_replicas, build.num_partitions = 1, DEVICES
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = ".mhlo." not in path
    build.device_assignment = xla_client.DeviceAssignment.create(np.arange(DEVICES).reshape(1, DEVICES))
    with make_ir_context(), open(path) as file:
        module = ir.Module.parse(file.read())
        started = time.perf_counter()
        devices = xla_client.DeviceList(tuple(backend.local_devices()[:DEVICES]))
        compiled = backend.compile_and_load(module, devices, options)
        return compiled.hlo_modules()[0].to_string(), time.perf_counter() - started


def group_size(attributes):
    """Returns the number of devices in a group of a collective."""
    if found := re.search(r"replica_groups=\{\{([\d,]*)\}", attributes):
        return len(sizes(found[1]))
    if found := re.search(r"replica_groups=\[\d+,(\d+)\]", attributes):
        return int(found[1])
    return DEVICES


def count(hlo):
    """Returns the contraction FLOPs and payload bytes of a device."""
    shapes, flops, payload = {}, 0, 0
    for line in hlo.splitlines():
        if not (found := INSTRUCTION.match(line)):
            continue
        name, result, op, rest = found.groups()
        types = TYPE.findall(result)
        if types:
            shapes[name] = sizes(types[0][1])
        operands = re.findall(r"%([\w.\-]+)", rest.split(")")[0])
        if op == "dot":
            contracted = sizes(re.search(r"lhs_contracting_dims=\{([\d,]*)\}", rest)[1])
            flops += 2 * np.prod(shapes[name] + [shapes[operands[0]][d] for d in contracted], dtype=int)
        elif op == "convolution":
            kernel = re.search(r"dim_labels=\w+_(\w+)->", rest)[1]
            taps = [n for what, n in zip(kernel, shapes[operands[1]]) if what != "o"]
            flops += 2 * np.prod(shapes[name] + taps, dtype=int)
        elif (kind := op.removesuffix("-start")) in COLLECTIVES:
            moved = sum(BYTES.get(dtype, 0) * int(np.prod(sizes(dims), dtype=int)) for dtype, dims in types)
            payload += moved * (group_size(rest) if kind == "reduce-scatter" else 1)
        elif op == "while":
            return None
    return int(flops), payload


def partita(binary, path):
    planned = subprocess.run([binary, "plan", path, "--json"], capture_output=True, text=True, check=True)
    report = json.loads(planned.stdout)
    return report["totals"]["flops"], report["totals"]["payload_bytes"], report["seconds"]["total"]


def main():
    binary, *paths = sys.argv[1:]
    print(f"{'module':<28} {'XLA':>8} {'Partita':>8} {'ratio':>6}   {'payload':>7}  {'FLOPs':>6}")
    worse = 0
    for path in paths:
        hlo, theirs = xla(path)
        counted = count(hlo)
        if counted is None:
            continue
        flops, payload, ours = partita(binary, path)
        ratios = [a / b if b else float(a > 0) for a, b in ((payload, counted[1]), (flops, counted[0]))]
        mark = "  WORSE" if max(ratios) > 1 else ""
        worse += bool(mark)
        name = os.path.basename(path).removesuffix(".mlir")
        print(f"{name:<28} {theirs:>6.2f} s {ours:>6.3f} s {theirs / ours:>6.0f}   {ratios[0]:>7.3f}  {ratios[1]:>6.3f}{mark}", flush=True)
    print(f"{worse} modules move or compute more than XLA's")
    sys.exit(worse > 0)


if __name__ == "__main__":
    main()
