"""Compares plans found by the search with expert-written parallelisation strategies.

For each model and machine: `partita search`, and `partita simulate` of every preset and composition of presets that fits: data, ZeRO,
Megatron (with and without sequence parallelism), mesh, expert, on all meshes of two axes, and in stages. For models from JAX, also
the annotated layouts, if the machine has enough devices. Prints the best of both and their ratio, and exits with code 1 if any expert
plan is faster. PARTITA selects another program; `--test` runs one small model without comparing.

    cargo build --release && python3 benches/search/experts.py [MODEL@MACHINE ...]
"""

import itertools
import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTITA = os.environ.get("PARTITA", ROOT / "target/release/partita")
DATA = ROOT / "tests/data/stablehlo"
MACHINES = {"dgx1-v100": 8, "dgx-a100?nodes=2": 16, "pcie4": 4}
MODELS = [
    "zoo:gpt", "zoo:bert", "zoo:moe", "zoo:mlp", "zoo:mnist-cnn",
    "zoo:gpt?layers=8&width=1024&heads=16&seq=512&batch=32",
    "zoo:gpt?layers=4&width=4096&heads=32&seq=1024&batch=16",
    "mlp4.adam.plain.mlir", "gpt2l.adam.plain.mlir", "cnn.adam.plain.mlir",
    "mlp4.sgd.plain.mlir", "gpt2l.sgd.plain.mlir", "cnn.sgd.plain.mlir",
    "mlp4.fwd.plain.mlir", "gpt2l.fwd.plain.mlir", "cnn.fwd.plain.mlir",
    "moe_ep.adam.plain.mlir", "moe_ep.sgd.plain.mlir", "moe_ep.fwd.plain.mlir",
]
ANNOTATED = ["sdy.d2m4", "mhlo.d2m4", "sdy.data8", "sdy.model8"]


def ask(*words):
    """Returns the JSON output of `partita`, or None if the plan is rejected."""
    ran = subprocess.run([PARTITA, *words, "--json"], capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        raise SystemExit(f"partita {' '.join(words)}: exit code {ran.returncode}\n{ran.stderr}")
    return json.loads(ran.stdout) if ran.returncode == 0 else None


def compositions(devices, trained):
    """Returns the flags of all presets and compositions for a number of devices."""
    for data in (n for n in range(1, devices + 1) if devices % n == 0):
        model = devices // data
        mesh = ",".join(f"{name}={size}" for name, size in (("data", data), ("model", model)) if size > 1)
        if not mesh:
            yield []
            continue
        beside = ["data", "zero1", "zero2", "zero3"] if trained and data > 1 else ["data"] if data > 1 else [""]
        within = ["megatron", "megatron,sequence", "mesh", "expert"] if model > 1 else ["", "expert"]
        for words in itertools.product(beside, within):
            presets = ",".join(word for word in words if word)
            yield ["--mesh", mesh] + (["--preset", presets] if presets else [])


def flags(devices, trained):
    yield from compositions(devices, trained)
    if trained:
        for stages in (n for n in (2, 4, 8) if devices % n == 0):
            for inner in compositions(devices // stages, trained):
                for parts in (str(stages), str(2 * stages), str(4 * stages)):
                    yield inner + ["--pipeline", str(stages), "--microbatches", parts]


def expert(model, machine, memory, words):
    """Returns the seconds of a composition with the least recomputation that fits."""
    for remat in ([], ["--remat", "selective"], ["--remat", "full"]):
        said = ask("simulate", model, "--machine", machine, *words, *remat)
        if said is None:
            return None
        if max(said["peak_bytes"]) <= memory:
            return said["step_seconds"], " ".join(words + remat)
    return None


def compare(model, machine):
    path = str(DATA / model) if model.endswith(".mlir") else model
    found = ask("search", path, "--machine", machine)
    if found is None:
        return print(f"{model} on {machine}: nothing was found")
    memory = found.get("memory", 2**63)
    trained = ".fwd." not in model
    with ThreadPoolExecutor(2) as pool:
        known = pool.map(lambda words: expert(path, machine, memory, words), flags(MACHINES[machine], trained))
        known = [one for one in known if one]
    for layouts in ANNOTATED:
        annotated = DATA / model.replace("plain", layouts)
        if annotated.name != model and annotated.exists() and MACHINES[machine] >= 8:
            known += [one for one in [expert(str(annotated), machine, memory, [])] if one]
    best, words = min(known)
    ours = found["step_seconds"]
    plan = found["plans"][0]
    mark = "" if ours <= best * (1 + 1e-9) else "  WORSE"
    said = f"{plan['mesh']} stages {plan['stages']} parts {plan['microbatches']} {plan['recompute']}"
    print(f"{model:55} {machine:17} {found['seconds']:6.2f} s  ours {ours:.6f} ({said})  best of {len(known)} experts"
          f" {best:.6f} ({words})  ratio {ours / best:.4f}{mark}", flush=True)
    return ours <= best * (1 + 1e-9)


def main():
    asked = [one.split("@") for one in sys.argv[1:] if "@" in one]
    if "--test" in sys.argv:
        return compare("zoo:mlp", "pcie4")
    cases = asked or [(model, machine) for model in MODELS for machine in MACHINES]
    held = [compare(*case) for case in cases]
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
