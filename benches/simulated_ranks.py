#!/usr/bin/env python3
"""Predicted training steps of `simulate` and measured ones of several ranks.

    benches/simulated_ranks.py PARTITA [--ranks 4] [--transport tcp|mpi|hosts] [--rounds 5] [--machine FILE.toml] [WORD...]

calibrates the ranks, unless a file of `partita calibrate` is given, and prints a line per plan: predicted milliseconds, the median of
the fastest and of the median steps of several runs, and the ratio of the prediction to the former; for all plans, or those whose line
contains all words. All plans run alternately. `hosts` starts one rank on each host of `cargo xtask net up --rate 1gbit`.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

MODEL = "zoo:gpt?layers=2&width=128&heads=4&seq=64&vocab=256&batch=16"
SMALL = "zoo:mlp?batch=8&width=16&hidden=32"

# Name and flags, with the number of devices for RANKS.
PLANS = {
    "data": "--mesh data=RANKS --preset data",
    "megatron": "--mesh model=RANKS --preset megatron",
    "zero3": "--mesh data=RANKS --preset zero3",
    "2 stages": "--mesh data=HALF --preset data --pipeline 2 --microbatches 4",
}

AGENT = """#!/bin/sh
host=$1; shift; exec ip netns exec h$((${host##*.} - 1)) sh -c "$*"
"""


class Bench:
    def __init__(self, args, folder):
        self.args, self.folder, self.program = args, folder, str(args.partita.resolve())
        agent = folder / "agent"
        agent.write_text(AGENT)
        agent.chmod(0o755)

    def launcher(self):
        """Returns the command line that starts all ranks."""
        ranks = str(self.args.ranks)
        if self.args.transport == "mpi":
            return ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-np", ranks, self.program]
        hosts = ",".join(f"10.77.0.{i + 1}" for i in range(self.args.ranks))
        where = ["--hosts", hosts, "--agent", "./agent"] if self.args.transport == "hosts" else []
        return [self.program, "launch", "-n", ranks, *where, "--"]

    def output(self, command):
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if ran.returncode:
            sys.exit(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def flags(self, plan):
        ranks = self.args.ranks
        model = SMALL if self.args.test else MODEL
        return [model, *plan.replace("RANKS", str(ranks)).replace("HALF", str(ranks // 2)).split(), "--train", "adam"]

    def predicted(self, plan, machine):
        """Returns the predicted milliseconds of a step."""
        text = self.output([self.program, "simulate", *self.flags(plan), "--machine", machine, "--json"])
        return 1e3 * json.loads(text)["step_seconds"]

    def measured(self, plan):
        """Returns the milliseconds of the fastest and of the median step of a run."""
        steps = "2" if self.args.test else "12"
        text = self.output([*self.launcher(), "run", *self.flags(plan), "--steps", steps, "--json"])
        seconds = json.loads(text)["seconds"]
        return 1e3 * seconds["fastest_step"], 1e3 * seconds["step"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("partita", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--transport", choices=["tcp", "mpi", "hosts"], default="tcp")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--machine", type=pathlib.Path)
    parser.add_argument("--test", action="store_true", help="measure quickly, and run small models once")
    parser.add_argument("words", nargs="*")
    args = parser.parse_args()
    # Open MPI refuses to run as root otherwise.
    os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    if args.test:
        args.ranks, args.rounds = 2, 1
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, pathlib.Path(folder))
        machine = str(args.machine.resolve()) if args.machine else f"{folder}/ranks.toml"
        if not args.machine:
            print(bench.output([*bench.launcher(), "calibrate", "-o", machine, *(["--quick"] if args.test else [])]))
        plans = {name: plan for name, plan in PLANS.items() if all(word in name for word in args.words)}
        predicted = {name: bench.predicted(plan, machine) for name, plan in plans.items()}
        measured = {name: [] for name in plans}
        for _ in range(args.rounds):
            for name, plan in plans.items():
                measured[name].append(bench.measured(plan))
        print(f"{args.ranks} ranks, {args.transport}, load {os.getloadavg()[0]:.1f}")
        print(f"{'predicted':>9} {'fastest':>9} {'median':>9} {'ratio':>6}  milliseconds of")
        for name, seconds in measured.items():
            fastest, median = (statistics.median(column) for column in zip(*seconds))
            print(f"{predicted[name]:9.2f} {fastest:9.2f} {median:9.2f} {predicted[name] / fastest:6.2f}  {name}")


if __name__ == "__main__":
    main()
