"""Collectives of a compiled module of XLA, read from its text."""

import math
import re
from dataclasses import dataclass

_KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "ragged-all-to-all", "collective-permute",
          "collective-broadcast")  # fmt: skip
_BYTES = {"pred": 1, "s4": 1, "u4": 1, "s8": 1, "u8": 1, "s16": 2, "u16": 2, "bf16": 2, "f16": 2, "s32": 4, "u32": 4,
          "f32": 4, "s64": 8, "u64": 8, "f64": 8, "c64": 8, "c128": 16}  # fmt: skip


@dataclass(frozen=True)
class Collective:
    """A collective of the module."""

    kind: str
    name: str
    #: Bytes of the results of one run on one device.
    bytes: int
    #: Number of devices of a group.
    devices: int
    #: Number of runs: the product of the trip counts of the loops around it.
    count: int
    #: Name stack of the operation in JAX.
    op: str

    @property
    def wire_bytes(self) -> float:
        """Bytes that a device sends in all runs, on a ring."""
        others = (self.devices - 1) / self.devices
        factor = {
            "all-reduce": 2 * others,
            "all-gather": others,
            "reduce-scatter": self.devices - 1,
            "all-to-all": others,
        }.get(self.kind, 1)
        return factor * self.bytes * self.count if self.devices > 1 else 0


def collectives(text: str) -> list[Collective]:
    """Returns the collectives of a module, those of loops with their number of runs."""
    bodies: dict[str, list[str]] = {}
    entry, lines = "", []
    for line in text.splitlines():
        header = re.match(r"(ENTRY )?%?([\w.\-]+) (?:\(.*\) -> .*)?\{$", line)
        if header:
            lines = bodies[header[2]] = []
            entry = header[2] if header[1] else entry
        elif line.startswith("  "):
            lines.append(line)
    found: list[Collective] = []
    _visit(bodies, entry, 1, found)
    return found


def _visit(bodies: dict[str, list[str]], name: str, count: int, found: list[Collective]) -> None:
    for line in bodies[name]:
        parsed = re.match(r"\s+(?:ROOT )?%?([\w.\-]+) = (.*?) ([a-z][a-z0-9\-]*)\(", line)
        if parsed is None:
            continue
        instruction, type_, opcode = parsed.groups()
        kind = opcode.removesuffix("-start")
        if kind in _KINDS:
            op = re.search(r'op_name="([^"]*)"', line)
            bytes_ = _bytes(type_) // (2 if opcode.endswith("-start") and kind == "all-gather" else 1)
            found.append(Collective(kind, instruction, bytes_, _devices(line), count, op[1] if op else ""))
        trips = 1
        if opcode == "while":
            known = re.search(r'"known_trip_count":\{"n":"(\d+)"\}', line)
            assert known, f"a loop with an unknown trip count: {line}"
            trips = int(known[1])
        for called in re.findall(r"(?:body|calls|to_apply|true_computation|false_computation)=%?([\w.\-]+)", line):
            if kind not in _KINDS:
                _visit(bodies, called, count * trips, found)
        for branches in re.findall(r"branch_computations=\{([^}]*)\}", line):
            for branch in branches.split(","):
                _visit(bodies, branch.strip().lstrip("%"), count, found)


def _bytes(type_: str) -> int:
    arrays = re.findall(r"([a-z]+[0-9]*)\[([0-9,]*)\]", type_)
    return sum(_BYTES[dtype] * math.prod(int(n) for n in dims.split(",") if n) for dtype, dims in arrays)


def _devices(line: str) -> int:
    """Returns the number of devices in a group of a collective."""
    if "source_target_pairs" in line:
        return 2
    listed = re.search(r"replica_groups=\{\{([0-9,]*)\}", line)
    if listed:
        return len(listed[1].split(","))
    axes = re.search(r"replica_groups=mesh\[([^\]]*)\].*? \{([^}]*)\}, ", line)
    if axes:
        sizes = dict(re.findall(r"'(\w+)'=(\d+)", axes[1]))
        parts = re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", axes[2])
        return math.prod(int(part or sizes[name]) for name, part in parts)
    iota = re.search(r"replica_groups=\[\d+,(\d+)\]<=", line)
    assert iota, f"a collective without groups: {line}"
    return int(iota[1])
