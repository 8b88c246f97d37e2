"""Applies exported plans to a transformer of PyTorch, and compares the loss and the gradients with one process.

    cargo build -p partita-cli
    pip install torch onnx onnxscript
    python examples/torch_dtensor.py --partita target/debug/partita

The model is exported to ONNX, `partita export --to dtensor` writes the plan of each case, and processes on the CPU
(gloo) apply it in both ways: `distribute` (a DTensor of each parameter) and `parallelize` (styles of modules).
`torch_dtensor.txt` has the recorded output.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as multiprocessing
import torch.nn.functional as F
from torch import nn
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.experimental import implicit_replication
from torch.distributed.tensor.parallel import loss_parallel

VOCAB, WIDTH, HEADS, HIDDEN, LAYERS = 48, 32, 4, 64, 4
BATCH, LENGTH = 8, 16

#: Name, number of processes, and options of the plan.
CASES = [
    ("tensor parallelism", 4, ["--mesh", "model=4", "--preset", "megatron"]),
    ("data and tensor parallelism", 4, ["--mesh", "data=2,model=2", "--preset", "data,megatron"]),
    ("tensor and sequence parallelism", 2, ["--mesh", "model=2", "--preset", "megatron,sequence"]),
    ("parameters in shards", 4, ["--mesh", "data=2,model=2", "--preset", "data,zero3,megatron"]),
]


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        # The number of heads is inferred: a process may have a part of the features.
        heads = [of(x).unflatten(-1, (-1, WIDTH // HEADS)).transpose(1, 2) for of in (self.query, self.key, self.value)]
        query, key, value = heads
        weights = torch.softmax(query @ key.transpose(2, 3) / (WIDTH // HEADS) ** 0.5, -1)
        return self.output((weights @ value).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.up, self.down = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCAB, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCAB)

    def forward(self, ids):
        x = self.tokens(ids)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def model_and_batch():
    """Returns the same model and batch in every process."""
    torch.manual_seed(0)
    return Transformer(), torch.randint(VOCAB, (BATCH, LENGTH)), torch.randint(VOCAB, (BATCH, LENGTH))


def loss_of(logits, targets):
    return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def whole(tensor):
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def load(path):
    spec = importlib.util.spec_from_file_location("plan", path)
    plan = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plan)
    return plan


def distributed_step(plan, mesh):
    """Returns the loss and the gradients with a DTensor of each parameter."""
    model, ids, targets = model_and_batch()
    plan.distribute(model, mesh)
    (name,) = plan.INPUTS
    with implicit_replication():
        placed = plan.distribute_input(name, ids, mesh)
        loss = loss_of(model(placed), plan.distribute_input(name, targets, mesh))
        loss.backward()
    return whole(loss), {name: whole(parameter.grad) for name, parameter in model.named_parameters()}


def parallelized_step(plan, mesh):
    """Returns the loss and the gradients with styles of modules. Each replica has a part of the batch."""
    model, ids, targets = model_and_batch()
    plan.parallelize(model, mesh)
    (placements,) = plan.INPUTS.values()
    part, count = 0, 1
    for axis, placed in enumerate(placements):
        if placed.is_shard(0):
            part, count = part * mesh.size(axis) + mesh.get_local_rank(axis), count * mesh.size(axis)
    ids, targets = (whole.chunk(count)[part] for whole in (ids, targets))
    with loss_parallel():
        loss = loss_of(model(ids), targets)
        loss.backward()
    plan.average_gradients(model, mesh)
    total = whole(loss).detach().clone()
    dist.all_reduce(total)
    return total / dist.get_world_size(), {name: whole(one.grad) for name, one in model.named_parameters()}


def worker(rank, count, port, path, results):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=count)
    torch.set_num_threads(1)
    model, ids, targets = model_and_batch()
    expected = loss_of(model(ids), targets)
    expected.backward()
    expected_grads = {name: parameter.grad for name, parameter in model.named_parameters()}
    plan = load(path)
    mesh = plan.device_mesh("cpu")
    steps = {"distribute": distributed_step, "parallelize": parallelized_step}
    if plan.SHARD_AXES:
        del steps["distribute"]
    differences = []
    for name, step in steps.items():
        loss, grads = step(plan, mesh)
        largest = max(float((grads[path] - grad).abs().max()) for path, grad in expected_grads.items())
        differences.append((name, float((loss - expected).detach().abs()), largest))
    if rank == 0:
        results.put(differences)
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partita", default="partita", help="path of the command")
    partita = parser.parse_args().partita
    print(f"torch {torch.__version__}, {LAYERS} layers, batch {BATCH}", flush=True)
    print(f"{'plan':34} {'processes':>9}  {'applied by':12} {'loss differs by':>15} {'gradients by':>13}")
    agrees = True
    with tempfile.TemporaryDirectory() as folder:
        onnx, model = os.path.join(folder, "model.onnx"), model_and_batch()
        torch.onnx.export(model[0], (model[1],), onnx, dynamo=True, input_names=["ids"], verbose=False, optimize=False)
        for number, (name, count, options) in enumerate(CASES):
            path = os.path.join(folder, f"plan{number}.py")
            subprocess.run([partita, "export", onnx, "--to", "dtensor", *options, "-o", path], check=True, stdout=sys.stderr)
            context = multiprocessing.get_context("spawn")
            results = context.SimpleQueue()
            multiprocessing.spawn(worker, (count, 29500 + number, path, results), nprocs=count)
            for function, loss, grads in results.get():
                print(f"{name:34} {count:9}  {function:12} {loss:15.1e} {grads:13.1e}", flush=True)
                agrees = agrees and max(loss, grads) < 1e-5
    print("all plans agree with one process" if agrees else "a plan differs from one process")
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main())
