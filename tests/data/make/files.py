"""Reads, writes, and compares the files that the other scripts make."""

import argparse
import gzip
import json
import struct
import tempfile
from pathlib import Path

import numpy as np

TYPES = {
    "F64": "<f8", "F32": "<f4", "C64": "<c8", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?",
}

# Largest difference of recomputed results, relative to the larger of 1 and the largest element of the tensor. XLA compiles for the
# processor that runs the script, so sums are rounded in different orders.
TOLERANCE = 1e-5


def save_safetensors(path, tensors, metadata=None):
    """Writes tensors by name in the safetensors format: JSON header, then the data, names in order."""
    header, data = {}, []
    if metadata:
        header["__metadata__"] = dict(sorted(metadata.items()))
    end = 0
    for name, tensor in sorted(tensors.items()):
        dtype = next(t for t, code in TYPES.items() if np.dtype(code) == tensor.dtype)
        start, end = end, end + tensor.nbytes
        header[name] = {"dtype": dtype, "shape": list(tensor.shape), "data_offsets": [start, end]}
        data.append(np.ascontiguousarray(tensor).tobytes())
    text = json.dumps(header, separators=(",", ":")).encode()
    # The data starts at a multiple of eight bytes.
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + b"".join(data))


def load_safetensors(path):
    """Returns tensors by name, and the metadata."""
    content = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[start:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata


def text_of(path):
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).decode()


def differing_lines(made, there):
    """Counts the lines at the same place that differ."""
    made, there = made.splitlines(), there.splitlines()
    return sum(a != b for a, b in zip(made, there)) + abs(len(made) - len(there))


def compare_safetensors(made, there):
    """Returns a difference, or None, and the largest relative difference of elements."""
    (made, made_about), (there, there_about) = load_safetensors(made), load_safetensors(there)
    if made.keys() != there.keys():
        return f"other tensors: {sorted(made.keys() ^ there.keys())}", 0.0
    if made_about != there_about:
        return f"metadata {made_about}, expected {there_about}", 0.0
    worst, at = 0.0, None
    for name, tensor in made.items():
        other = there[name]
        if (tensor.dtype, tensor.shape) != (other.dtype, other.shape):
            return f"{name} is {tensor.dtype}{list(tensor.shape)}, expected {other.dtype}{list(other.shape)}", 0.0
        if np.array_equal(tensor, other):
            continue
        # Parameters and batches are drawn from a seed, not computed.
        if name.startswith(("param", "batch")):
            return f"{name} differs", 0.0
        off = np.abs(tensor.astype("c16") - other).max() / max(1.0, np.abs(other).max())
        if off > worst:
            worst, at = off, name
    return (f"{at} differs by {worst:.1e}" if worst > TOLERANCE else None), worst


def compare(made, there):
    """Returns a difference of two files, or None, and a remark."""
    if not there.exists():
        return "missing", ""
    if made.suffix == ".safetensors":
        difference, worst = compare_safetensors(made, there)
        return difference, f", largest difference {worst:.1e}" if worst else ""
    if made.suffix in (".mlir", ".gz", ".json"):
        made, there = text_of(made), text_of(there)
        return (None if made == there else f"{differing_lines(made, there)} lines differ"), ""
    return (None if made.read_bytes() == there.read_bytes() else "differs"), ""


def report(made, there):
    """Prints how each file below `made` differs from the one of the same name below `there`; returns the exit status."""
    paths = sorted(path.relative_to(made) for path in made.rglob("*") if path.is_file())
    differing = 0
    for path in paths:
        difference, remark = compare(made / path, there / path)
        differing += difference is not None
        print(f"{path}: {difference or 'same'}{remark}")
    print(f"{len(paths)} files, {differing} differ")
    return 1 if differing else 0


def main(description, write):
    """Runs a script: `write(folder, only)` makes the files. Returns the exit status."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder to write to, or with --check the folder to compare with")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--only", default="", metavar="PREFIX", help="restrict to files whose name starts with PREFIX")
    options = parser.parse_args()
    if not options.check:
        write(options.folder, options.only)
        return 0
    with tempfile.TemporaryDirectory() as made:
        write(Path(made), options.only)
        return report(Path(made), options.folder)
