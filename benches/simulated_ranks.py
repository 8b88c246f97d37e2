#!/usr/bin/env python3
"""Predicted training steps of `simulate` and measured ones of several ranks.

    cargo build --release && cargo bench --bench step --no-run
    benches/simulated_ranks.py PARTITA target/release/deps/step-HASH [--ranks 4] [--transport tcp|mpi|hosts] [--rounds 5] [--model MODEL] [--machine FILE.toml] [WORD...]

calibrates the ranks, unless a file of `partita calibrate` is given, and prints two lines per plan, for the median over several runs of
their fastest and of their median steps, in milliseconds: the step on the ranks, its prediction, the step in one process whose devices
share no work, the predicted time of messages, and two ratios, prediction / ranks and ranks / (one process + messages). It does so for
all plans, or those whose name contains all words. Everything runs alternately. `hosts` starts one rank on each host of
`cargo xtask net up --rate 1gbit`.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

MODEL = "zoo:gpt?layers=4&width=256&heads=8&seq=128&vocab=1024&batch=16"
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
            sys.exit(f"{' '.join(map(str, command))}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def flags(self, plan):
        ranks = self.args.ranks
        model = SMALL if self.args.test else self.args.model
        return [model, *plan.replace("RANKS", str(ranks)).replace("HALF", str(ranks // 2)).split(), "--train", "adam"]

    def predicted(self, plan, machine):
        """Returns the predicted milliseconds of a step."""
        text = self.output([self.program, "simulate", *self.flags(plan), "--machine", machine, "--json"])
        return 1e3 * json.loads(text)["step_seconds"]

    def with_fast_messages(self, machine):
        """Returns a machine whose messages take almost no time."""
        text = re.sub(r'(seconds|busy|exchange) = "[^"]*"', r'\1 = "0.001us"', pathlib.Path(machine).read_text())
        (self.folder / "fast.toml").write_text(text)
        return "fast.toml"

    def on_ranks(self, plan):
        """Returns the milliseconds of the fastest and of the median step of a run."""
        steps = "2" if self.args.test else "20"
        text = self.output([*self.launcher(), "run", *self.flags(plan), "--steps", steps, "--json"])
        seconds = json.loads(text)["seconds"]
        return 1e3 * seconds["fastest_step"], 1e3 * seconds["step"]

    def in_one_process(self, plan):
        """Returns the same of one process whose devices neither compute for each other nor read each other's memory."""
        model, *flags = self.flags(plan)
        file = self.folder / "plan.toml"
        file.write_text(self.output([self.program, "plan", model, *flags, "--emit", "plan"]))
        short = ["--test"] if self.args.test else []
        line = json.loads(self.output([self.args.step.resolve(), model, "--plan", str(file), "--divided", *short]))
        return 1e3 * line["least"], 1e3 * line["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("partita", type=pathlib.Path)
    parser.add_argument("step", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--transport", choices=["tcp", "mpi", "hosts"], default="tcp")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--model", default=MODEL)
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
        fast = bench.with_fast_messages(machine)
        predicted = {name: bench.predicted(plan, machine) for name, plan in plans.items()}
        messages = {name: predicted[name] - bench.predicted(plan, fast) for name, plan in plans.items()}
        on_ranks, in_one_process = {name: [] for name in plans}, {name: [] for name in plans}
        for _ in range(args.rounds):
            for name, plan in plans.items():
                on_ranks[name].append(bench.on_ranks(plan))
                in_one_process[name].append(bench.in_one_process(plan))
        print(f"{args.ranks} ranks, {args.transport}, load {os.getloadavg()[0]:.1f}")
        print(f"{'plan':15} {'step':8} {'ranks':>8} {'predicted':>9} {'one process':>11} {'messages':>8} {'prediction':>10} {'overhead':>8}")
        for name in plans:
            for column, step in enumerate(["fastest", "median"]):
                ranks = statistics.median(times[column] for times in on_ranks[name])
                alone = statistics.median(times[column] for times in in_one_process[name])
                overhead = ranks / (alone + messages[name])
                print(f"{name:15} {step:8} {ranks:8.2f} {predicted[name]:9.2f} {alone:11.2f} {messages[name]:8.2f} "
                      f"{predicted[name] / ranks:10.2f} {overhead:8.2f}")


if __name__ == "__main__":
    main()
