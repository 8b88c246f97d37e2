"""Compares plans found by the search with published plans of Alpa and nnScaler.

The plans of Alpa are those that its benchmark suite loads for GPT on p3.16xlarge instances
(`benchmark/alpa/suite_auto_gpt.py` in github.com/alpa-projects/alpa). `partita simulate` predicts them, and `partita search` finds a
plan for the same model and machine. nnScaler publishes the duration of a step of Llama 3 8B with 131,072 tokens on 8 H100
(`examples/llama3_8B_128K` in github.com/microsoft/nnscaler): 41.12 s for 4 sequences, with the kernels of 2024. Prints both and their ratio. PARTITA selects
another program; `--test` runs a small case.

    cargo build --release && python3 benches/search/published_plans.py [GPUS ...]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PARTITA = os.environ.get("PARTITA", pathlib.Path(__file__).resolve().parents[2] / "target/release/partita")

# An instance: a hybrid cube-mesh of 8 V100 with 16 GB, and a network of 25 Gbit/s.
P3 = """
name = "p3.16xlarge"
[kind.V100]
flops = {{ f32 = "15.7T", f16 = "125T" }}
memory = "16GB"
bandwidth = "900GB/s"
[node.p3]
count = {nodes}
devices = ["{gpus} V100"]
ports = [{{ at = {ports}, bandwidth = "3.125GB/s", latency = "20us" }}]
[[node.p3.links]]
between = {single}
bandwidth = "25GB/s"
latency = "3us"
[[node.p3.links]]
between = {double}
bandwidth = "50GB/s"
latency = "3us"
"""
SINGLE = ["0-1", "0-2", "1-3", "2-6", "3-7", "4-5", "4-6", "5-7"]
DOUBLE = ["0-3", "0-4", "1-2", "1-5", "2-3", "4-7", "5-6", "6-7"]

# GPUs, hidden, layers, heads, stages, mesh of a stage, micro-batches. The plan for 8 GPUs has stages of different size.
ALPA = [
    (1, 1024, 24, 16, 1, "data=1", 512), (2, 1536, 24, 16, 2, "data=1", 128), (4, 2048, 24, 32, 2, "data=2", 128),
    (16, 4096, 32, 32, 2, "data=2,model=4", 64), (32, 5120, 48, 40, 4, "data=2,model=4", 128),
    (64, 8192, 48, 64, 16, "model=4", 1024),
]
NNSCALER = ("zoo:llama?layers=32&width=4096&heads=32&kv_heads=8&hidden=14336&seq=131072&vocab=128256&batch=4", "hgx-h100", 41.12)


def ask(*words):
    """Returns the JSON output of `partita`, or None if the plan is rejected."""
    ran = subprocess.run([PARTITA, *words, "--json"], capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        raise SystemExit(f"partita {' '.join(words)}: exit code {ran.returncode}\n{ran.stderr}")
    return json.loads(ran.stdout) if ran.returncode == 0 else None


def machine(gpus, folder):
    """Writes the machine file of one or several instances. Returns its path."""
    each = min(gpus, 8)
    within = lambda links: json.dumps([link for link in links if all(int(end) < each for end in link.split("-"))])
    ports = json.dumps([str(gpu) for gpu in range(0, each, 2)])
    path = pathlib.Path(folder) / f"p3-{gpus}.toml"
    text = P3.format(nodes=gpus // each, gpus=each, ports=ports, single=within(SINGLE), double=within(DOUBLE))
    path.write_text(text)
    return str(path)


def show(name, found, published, what):
    ours = found["plans"][0]
    print(
        f"{name}: {found['seconds']:.1f} s of search  ours {ours['step_seconds']:.3f} s ({ours['mesh']} stages {ours['stages']} parts "
        f"{ours['microbatches']} {ours['schedule']} {ours['recompute']})  {what} {published:.3f} s  ratio {ours['step_seconds'] / published:.3f}",
        flush=True,
    )


def main():
    test = "--test" in sys.argv
    wanted = [int(word) for word in sys.argv[1:] if word != "--test"]
    rows = [(2, 64, 2, 4, 2, "data=1", 4)] if test else ALPA
    with tempfile.TemporaryDirectory() as folder:
        for gpus, hidden, layers, heads, stages, mesh, parts in rows:
            if wanted and gpus not in wanted:
                continue
            batch, seq, vocab = (16, 64, 1024) if test else (1024, 1024, 51200)
            model = f"zoo:gpt?layers={layers}&width={hidden}&heads={heads}&seq={seq}&vocab={vocab}&batch={batch}"
            presets = [preset for axis, preset in (("data", "data"), ("model", "megatron")) if axis in mesh]
            flags = ["--mesh", mesh, "--preset", ",".join(presets), "--remat", "full"]
            flags += ["--pipeline", str(stages), "--schedule", "1f1b", "--microbatches", str(parts)]
            where = machine(gpus, folder)
            alpa = ask("simulate", model, "--machine", where, *flags)
            if alpa is None:
                raise SystemExit(f"the plan of Alpa for {gpus} GPUs is rejected")
            show(f"Alpa {gpus:2} GPUs", ask("search", model, "--machine", where), alpa["step_seconds"], "Alpa's plan, predicted")
    if not test and (not wanted or 8 in wanted):
        model, where, measured = NNSCALER
        found = ask("search", model, "--machine", where, "--efficiencies", "software=earlier")
        show("nnScaler 8 GPUs", found, measured, "nnScaler, measured")


if __name__ == "__main__":
    main()
