#!/usr/bin/env python3
"""Predicted steps of `simulate` on this machine, and measured steps of `run`: built-in models with all presets, and pipelines.

    python3 benches/simulated.py [--partita PATH] [--machine FILE.toml] [WORD...]

calibrates the machine, unless a file of `partita calibrate` is given, and prints a line per plan: predicted and measured
milliseconds (the fastest of many steps in several runs that are minutes apart) and their ratio; for all plans, or those whose line
contains all words.
"""

import argparse
import itertools
import json
import math
import subprocess
import tempfile

# Small and medium models.
MODELS = {
    "zoo:mlp": 200,
    "zoo:mlp?width=256&hidden=2048&batch=128": 40,
    "zoo:mnist-cnn": 30,
    "zoo:mnist-cnn?batch=128&batch_norm=true": 20,
    "zoo:gpt": 15,
    "zoo:gpt?width=128&heads=4&seq=64&vocab=256": 40,
    "zoo:bert": 15,
    "zoo:bert?width=128&heads=4&seq=64&vocab=256": 40,
    "zoo:moe": 20,
    "zoo:moe?width=128&hidden=256&seq=64": 40,
}

PLANS = [
    "--mesh data=1 --preset data",
    "--mesh data=2 --preset data",
    "--mesh data=4 --preset data",
    "--mesh data=4 --preset data,zero1",
    "--mesh data=4 --preset data,zero2",
    "--mesh data=4 --preset data,zero3",
    "--mesh model=4 --preset megatron",
    "--mesh data=2,model=2 --preset mesh",
    "--mesh data=2,model=2 --preset data,megatron,sequence",
    "--mesh data=2,expert=2 --preset data,expert",
    "--mesh data=1 --preset data --pipeline 2 --microbatches 4",
    "--mesh data=2 --preset data --pipeline 2 --microbatches 4",
]


parser = argparse.ArgumentParser()
parser.add_argument("--partita", default="target/release/partita")
parser.add_argument("--machine")
parser.add_argument("--test", action="store_true", help="measure quickly, and run one plan once")
parser.add_argument("words", nargs="*")
args = parser.parse_args()
rounds, models, plans = 3, MODELS, PLANS
if args.test:
    rounds, models, plans = 1, {"zoo:mlp": 2}, PLANS[:1]


def partita(*words):
    """Returns the JSON output of a command, or None if the plan is rejected."""
    done = subprocess.run([args.partita, *words, "--json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


with tempfile.TemporaryDirectory() as folder:
    machine = args.machine or f"{folder}/here.toml"
    if not args.machine:
        partita("calibrate", *(["--quick"] if args.test else []), "-o", machine)
    rows = []  # Model, plan, predicted and measured.
    for (model, steps), plan in itertools.product(models.items(), plans):
        if not all(word in f"{model} {plan}" for word in args.words):
            continue
        flags = [model, *plan.split(), "--train", "adam"]
        if simulated := partita("simulate", *flags, "--machine", machine):  # Some presets do not apply to every model.
            rows.append((flags, steps, 1e3 * simulated["step_seconds"], []))
    for _ in range(rounds):
        for flags, steps, _, observed in rows:
            ran = partita("run", *flags, "--steps", str(steps))
            observed.append(1e3 * ran["seconds"]["fastest_step"])
    print(f"{'predicted':>9} {'observed':>9} {'ratio':>6}  milliseconds of")
    for flags, _, predicted, observed in rows:
        print(f"{predicted:9.3f} {min(observed):9.3f} {predicted / min(observed):6.2f}  {' '.join(flags[:-2])}")
    ratios = [(predicted / min(observed), " ".join(flags[:-2])) for flags, _, predicted, observed in rows]
    if ratios:
        near = sum(0.8 <= ratio <= 1.2 for ratio, _ in ratios)
        ratio, line = max(ratios, key=lambda row: abs(math.log(row[0])))
        print(f"{near} of {len(ratios)} within 20 %; the worst {ratio:.2f}: {line}")
