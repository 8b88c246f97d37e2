"""Training steps, matrix products and attention on one NVIDIA GPU in PyTorch: measurements that predictions are compared with.

    python3 benches/gpu/torch_steps.py OUT.jsonl PRODUCTS.csv ATTENTION.csv [SECONDS]

Writes a line of JSON per case: the model in the terms of `zoo:`, seconds, and the memory that PyTorch allocates and that the device
reports as used. The models are decoders with fused attention, AdamW, float32 parameters and bfloat16 products. Compiled cases compile
each block with `torch.compile`. PRODUCTS.csv and ATTENTION.csv have the columns of `partita calibrate --import`. Cases that start after
SECONDS are left out.
"""

import gc
import json
import subprocess
import sys
import time

import torch
from torch import nn
from torch.nn import functional

OUT, PRODUCTS, ATTENTION = sys.argv[1:4]
LIMIT = float(sys.argv[4]) if len(sys.argv) > 4 else 1e9
STARTED = time.perf_counter()
GIB = 1 << 30

# Model, layers, width, heads, key-value heads, hidden, sequence, vocabulary, batch.
STEPS = [
    ("gpt", 12, 768, 12, 12, 3072, 1024, 50304, 8),
    ("gpt", 24, 1024, 16, 16, 4096, 1024, 50304, 8),
    ("gpt", 48, 1600, 25, 25, 6400, 1024, 50304, 4),
    ("llama", 16, 2048, 32, 8, 8192, 4096, 128256, 4),
    ("llama", 16, 2048, 32, 8, 8192, 32768, 32000, 1),
    ("llama", 28, 3072, 24, 8, 8192, 4096, 32000, 2),
    ("gpt", 12, 768, 12, 12, 3072, 1024, 50304, 32),
    ("gpt", 24, 1024, 16, 16, 4096, 512, 50304, 16),
    ("llama", 8, 4096, 32, 8, 14336, 8192, 32000, 1),
    ("llama", 16, 2048, 32, 8, 8192, 8192, 32000, 2),
    ("gpt", 4, 512, 8, 8, 2048, 512, 8192, 8),
    ("gpt", 6, 384, 6, 6, 1536, 256, 8192, 64),
]

# Rows, columns and depth of products.
SIDES = [
    (8192, 8192, 8192), (4096, 4096, 4096), (2048, 2048, 2048), (1024, 1024, 1024), (512, 512, 512),
    (8192, 768, 768), (8192, 3072, 768), (8192, 768, 3072), (8192, 50304, 768), (8192, 4096, 1024),
    (16384, 2048, 2048), (16384, 8192, 2048), (16384, 2048, 8192), (8192, 14336, 4096), (8192, 4096, 14336),
    (8192, 1024, 4096), (4096, 14336, 4096), (2048, 14336, 4096), (1024, 14336, 4096), (256, 14336, 4096),
    (64, 14336, 4096), (8, 14336, 4096),
]

# Batch, heads, positions and head width of causal attention.
ATTENTIONS = [(8, 12, 1024, 64), (4, 32, 4096, 64), (2, 24, 4096, 128), (1, 32, 8192, 128), (1, 32, 32768, 64)]


class Norm(nn.Module):
    def __init__(self, width, kind):
        super().__init__()
        self.inner = nn.LayerNorm(width) if kind == "gpt" else nn.RMSNorm(width)

    def forward(self, x):
        return self.inner(x)


class Block(nn.Module):
    def __init__(self, kind, width, heads, kv_heads, hidden):
        super().__init__()
        self.kind, self.heads, self.kv_heads, self.head = kind, heads, kv_heads, width // heads
        has_bias = kind == "gpt"
        self.norms = nn.ModuleList(Norm(width, kind) for _ in range(2))
        self.query = nn.Linear(width, width, has_bias)
        self.key, self.value = (nn.Linear(width, kv_heads * self.head, has_bias) for _ in range(2))
        self.out = nn.Linear(width, width, has_bias)
        self.up, self.down = nn.Linear(width, hidden, has_bias), nn.Linear(hidden, width, has_bias)
        self.gate = nn.Linear(width, hidden, False) if kind == "llama" else None

    def rotate(self, x, table):
        a, b = x.float().chunk(2, dim=-1)
        cos, sin = table
        return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1).to(x.dtype)

    def forward(self, x, table):
        batch, positions, width = x.shape
        y = self.norms[0](x)
        q, k, v = (
            linear(y).view(batch, positions, -1, self.head).transpose(1, 2)
            for linear in (self.query, self.key, self.value)
        )
        if self.kind == "llama":
            q, k = self.rotate(q, table), self.rotate(k, table)
        seen = functional.scaled_dot_product_attention(
            q, k, v, is_causal=True, enable_gqa=self.heads != self.kv_heads
        )
        x = x + self.out(seen.transpose(1, 2).reshape(batch, positions, width))
        y = self.norms[1](x)
        y = functional.silu(self.gate(y)) * self.up(y) if self.gate is not None else functional.gelu(self.up(y))
        return x + self.down(y)


class Decoder(nn.Module):
    def __init__(self, kind, layers, width, heads, kv_heads, hidden, positions, vocab, compiled):
        super().__init__()
        self.kind = kind
        self.tokens = nn.Embedding(vocab, width)
        self.positions = nn.Embedding(positions, width) if kind == "gpt" else None
        self.blocks = nn.ModuleList(Block(kind, width, heads, kv_heads, hidden) for _ in range(layers))
        self.norm, self.head = Norm(width, kind), nn.Linear(width, vocab, bias=False)
        head = width // heads
        angles = torch.outer(torch.arange(positions), 1e4 ** (-torch.arange(0, head, 2) / head))
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)
        self.loss = torch.compile(self.last) if compiled else self.last
        if compiled:
            for block in self.blocks:
                block.compile()

    def last(self, x, labels):
        return functional.cross_entropy(self.head(self.norm(x)).flatten(0, 1).float(), labels.flatten())

    def forward(self, tokens, labels):
        x = self.tokens(tokens)
        if self.positions is not None:
            x = x + self.positions.weight
        for block in self.blocks:
            x = block(x, (self.cos, self.sin))
        return self.loss(x, labels)


def seconds(work, least=1.0, warm_up=3):
    for _ in range(warm_up):
        work()
    torch.cuda.synchronize()
    started = time.perf_counter()
    work()
    torch.cuda.synchronize()
    times = min(1000, max(5, int(least / max(1e-6, time.perf_counter() - started))))
    events = [torch.cuda.Event(enable_timing=True) for _ in range(times + 1)]
    events[0].record()
    for event in events[1:]:
        work()
        event.record()
    torch.cuda.synchronize()
    taken = sorted(a.elapsed_time(b) / 1e3 for a, b in zip(events, events[1:]))
    return taken[times // 2]


def used_bytes():
    free, total = torch.cuda.mem_get_info()
    return total - free


def step(sizes, compiled):
    kind, layers, width, heads, kv_heads, hidden, positions, vocab, batch = sizes
    torch._dynamo.reset()
    torch.manual_seed(0)
    with torch.device("cuda"):
        model = Decoder(kind, layers, width, heads, kv_heads, hidden, positions, vocab, compiled)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    tokens = torch.randint(vocab, (batch, positions), device="cuda")

    def work():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model(tokens, tokens)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    work()
    torch.cuda.reset_peak_memory_stats()
    taken = seconds(work)
    return {
        "seconds": taken,
        "allocated_gib": torch.cuda.max_memory_allocated() / GIB,
        "reserved_gib": torch.cuda.max_memory_reserved() / GIB,
        "used_gib": used_bytes() / GIB,
    }


def products(file):
    print("m,n,k,dtype,seconds", file=file)
    for dtype, name in ((torch.bfloat16, "bf16"), (torch.float32, "f32")):
        for m, n, k in SIDES if name == "bf16" else SIDES[1:4]:
            a = torch.rand((m, k), device="cuda", dtype=dtype) - 0.5
            b = torch.rand((k, n), device="cuda", dtype=dtype) - 0.5
            print(f"{m},{n},{k},{name},{seconds(lambda: a @ b, least=0.2):.9f}", file=file, flush=True)


def attention(batch, heads, positions, width):
    shape = (batch, heads, positions, width)
    q, k, v = (torch.randn(shape, device="cuda", dtype=torch.bfloat16).requires_grad_() for _ in range(3))
    grad = torch.randn(shape, device="cuda", dtype=torch.bfloat16)

    def forward():
        with torch.no_grad():
            functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    out = functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    def backward():
        torch.autograd.grad(out, (q, k, v), grad, retain_graph=True)

    return {"forward_seconds": seconds(forward, 0.3), "backward_seconds": seconds(backward, 0.3)}


def main():
    torch.set_float32_matmul_precision("highest")
    with open(OUT, "w") as out:
        def record(**values):
            print(json.dumps(values), file=out, flush=True)
            print(json.dumps(values), flush=True)

        driver = subprocess.run(
            ["nvidia-smi", "--query-gpu=name,driver_version,power.limit", "--format=csv,noheader"],
            capture_output=True, text=True, check=False,
        ).stdout.strip()
        torch.zeros(1, device="cuda")
        record(device=driver, torch=torch.__version__, context_gib=used_bytes() / GIB)
        with open(PRODUCTS, "w") as file:
            products(file)
        with open(ATTENTION, "w") as file:
            print("batch,heads,positions,features,dtype,seconds,gradient_seconds", file=file)
            for sizes in ATTENTIONS:
                measured = attention(*sizes)
                record(attention=sizes, **measured)
                times = f"{measured['forward_seconds']:.9f},{measured['backward_seconds']:.9f}"
                print(f"{','.join(map(str, sizes))},bf16,{times}", file=file, flush=True)
        source, target = (torch.empty(GIB, dtype=torch.uint8, device="cuda") for _ in range(2))
        record(copy_gb_per_s=2 * GIB / seconds(lambda: target.copy_(source)) / 1e9)
        del source, target
        small = torch.zeros(1, device="cuda")
        record(launch_seconds=seconds(lambda: small.add_(1.0), 0.1))
        for sizes in STEPS:
            for compiled in (True, False):
                gc.collect()
                torch.cuda.empty_cache()
                if time.perf_counter() - STARTED > LIMIT:
                    record(step=sizes, compiled=compiled, skipped="no time was left")
                    continue
                try:
                    record(step=sizes, compiled=compiled, **step(sizes, compiled))
                except Exception as e:  # noqa: BLE001 - a failed case must not prevent the others
                    record(step=sizes, compiled=compiled, error=f"{type(e).__name__}: {e}"[:300])


main()
