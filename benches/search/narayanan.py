"""Compares plans found by the search with the configurations of Narayanan et al. (2021), table 1.

For each row: `partita search`, and `partita simulate` of the paper's tensor, pipeline and data parallelism with its presets, over
micro-batches of 1 to 8 examples, schedules and recomputation policies that fit. Prints both and their ratio, and exits with code 1 if
the paper's configuration is faster. PARTITA selects another program; `--test` runs a synthetic row with four GPUs.

    cargo build --release && python3 benches/search/narayanan.py [GPUS ...]
"""

import itertools
import json
import os
import pathlib
import resource
import subprocess
import sys

PARTITA = os.environ.get("PARTITA", pathlib.Path(__file__).resolve().parents[2] / "target/release/partita")
# Heads, hidden, layers, tensor parallel, pipeline parallel, GPUs, batch.
ROWS = [
    (24, 2304, 24, 1, 1, 32, 512), (32, 3072, 30, 2, 1, 64, 512), (32, 4096, 36, 4, 1, 128, 512),
    (48, 6144, 40, 8, 1, 256, 1024), (64, 8192, 48, 8, 2, 512, 1536), (80, 10240, 60, 8, 4, 1024, 1792),
    (96, 12288, 80, 8, 8, 1536, 2304), (128, 16384, 96, 8, 16, 1920, 2160), (128, 20480, 105, 8, 35, 2520, 2520),
    (160, 25600, 128, 8, 64, 3072, 3072),
]


def ask(*words):
    """Returns the JSON output of `partita`, or None if the plan is rejected."""
    ran = subprocess.run([PARTITA, *words, "--json"], capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        raise SystemExit(f"partita {' '.join(words)}: exit code {ran.returncode}\n{ran.stderr}")
    return json.loads(ran.stdout) if ran.returncode == 0 else None


def of_paper(model, machine, row):
    """Returns the fastest fitting step of the paper's configuration, and its flags."""
    _, _, _, tensor, stages, gpus, batch = row
    data = gpus // tensor // stages
    mesh = ",".join(f"{name}={size}" for name, size in (("data", data), ("model", tensor)) if size > 1)
    best = None
    schedules = ["1f1b", "interleaved?chunks=2"] if stages > 1 else [None]
    for examples, schedule, remat in itertools.product((1, 2, 4, 8), schedules, ("none", "full")):
        if batch % (data * examples):
            continue
        parts = str(batch // data // examples)
        flags = ["--mesh", mesh, "--preset", "data,megatron" if tensor > 1 else "data"]
        flags += ["--pipeline", str(stages), "--microbatches", parts]
        flags += ["--schedule", schedule] if schedule else []
        flags += ["--remat", remat] if remat != "none" else []
        found = ask("simulate", model, "--machine", machine, *flags)
        if not found or max(stage["peak_bytes"] for stage in found["stages"]) > 80e9:
            continue
        if best is None or found["step_seconds"] < best[0]:
            best = (found["step_seconds"], " ".join(flags))
    return best


def main():
    if "--test" in sys.argv:
        ROWS[:] = [(8, 256, 2, 2, 2, 8, 16)]
    wanted = [int(word) for word in sys.argv[1:] if word != "--test"]
    is_slower = False
    for row in ROWS:
        heads, hidden, layers, tensor, stages, gpus, batch = row
        if wanted and gpus not in wanted:
            continue
        model = f"zoo:gpt?layers={layers}&width={hidden}&heads={heads}&seq=2048&vocab=51200&batch={batch}"
        machine = f"dgx-a100?nodes={gpus // 8}"
        found = ask("search", model, "--machine", machine)
        ours = found["plans"][0]
        paper = of_paper(model, machine, row)
        ratio = ours["step_seconds"] / paper[0] if paper and ours["fits"] else float("nan")
        is_slower |= paper is not None and not ratio <= 1
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        print(
            f"{gpus:5} GPUs {found['seconds']:6.1f} s {memory:4.1f} GiB  ours {ours['step_seconds']:.3f} s ({ours['mesh']} "
            f"stages {ours['stages']} parts {ours['microbatches']} {ours['schedule']} {ours['recompute']})  "
            f"paper {paper[0] if paper else float('nan'):.3f} s ({paper[1] if paper else 'fits nowhere'})  ratio {ratio:.3f}",
            flush=True,
        )
    sys.exit(1 if is_slower and "--test" not in sys.argv else 0)


if __name__ == "__main__":
    main()
