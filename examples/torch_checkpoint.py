"""Reads a sharded checkpoint of four ranks with `torch.distributed.checkpoint`, and compares it with the merged ones.

    cargo build -p partita-cli
    pip install torch safetensors
    python examples/torch_checkpoint.py --partita target/debug/partita

`HuggingFaceStorageReader` reads the extents in the files of the ranks. `partita checkpoint merge` writes one file, and
files with an index, which the library `safetensors` reads. All tensors must be equal. `torch_checkpoint.txt` has the
recorded output.
"""

import argparse
import json
import os
import socket
import subprocess
import tempfile

import torch
import torch.distributed.checkpoint as dcp
from safetensors import safe_open
from safetensors.torch import load_file
from torch.distributed.checkpoint import HuggingFaceStorageReader

MODEL = "zoo:gpt?layers=2&width=36&heads=2&seq=10&vocab=50&batch=8"
PLANS = {
    "zero3": ["--mesh", "data=4", "--preset", "zero3"],
    "data,megatron": ["--mesh", "data=2,model=2", "--preset", "data,megatron"],
}


def train(partita, folder, plan):
    """Trains on four ranks and returns the path of the checkpoint."""
    text = os.path.join(folder, "text.txt")
    with open(text, "w", encoding="utf-8") as file:
        file.write("".join(chr(ord("a") + i * i % 23) for i in range(4000)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [partita, "train", MODEL, "--data", text, "--steps", "3", "--save", os.path.join(folder, "checkpoints")]
    command += ["--ranks", "tcp", *plan]
    ranks = []
    for rank in range(4):
        launched = {"RANK": str(rank), "WORLD_SIZE": "4", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
        ranks.append(subprocess.Popen(command, env={**os.environ, **launched}, stdout=subprocess.DEVNULL))
    assert all(rank.wait() == 0 for rank in ranks)
    return os.path.join(folder, "checkpoints", "step-00000003")


def read_with_dcp(path):
    """Reads all tensors of a sharded checkpoint, each assembled from its shards."""
    reader = HuggingFaceStorageReader(path)
    metadata = reader.read_metadata().state_dict_metadata
    state = {name: torch.empty(entry.size, dtype=entry.properties.dtype) for name, entry in metadata.items()}
    dcp.load(state, storage_reader=HuggingFaceStorageReader(path))
    return state, sum(len(entry.chunks) for entry in metadata.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--partita", default="target/debug/partita")
    partita = os.path.abspath(parser.parse_args().partita)
    print(f"torch {torch.__version__.split('+')[0]}")
    for name, plan in PLANS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = train(partita, folder, plan)
            merged, hub = os.path.join(folder, "merged.safetensors"), os.path.join(folder, "hub")
            for output in [["--output", merged], ["--output", hub, "--max-bytes", "64KiB"]]:
                subprocess.run([partita, "checkpoint", "merge", path, *output], check=True, stdout=subprocess.DEVNULL)
            expected = load_file(merged)
            state, shards = read_with_dcp(path)
            assert state.keys() == expected.keys()
            assert all(torch.equal(state[key], tensor) for key, tensor in expected.items())
            with open(os.path.join(hub, "model.safetensors.index.json"), encoding="utf-8") as file:
                weight_map = json.load(file)["weight_map"]
            assert weight_map.keys() == expected.keys()
            for key, file in weight_map.items():
                with safe_open(os.path.join(hub, file), framework="pt") as opened:
                    assert torch.equal(opened.get_tensor(key), expected[key])
            files = len(set(weight_map.values()))
            print(f"{name}: {len(state)} tensors in {shards} shards are equal in DCP, one file, and {files} files")


if __name__ == "__main__":
    main()
