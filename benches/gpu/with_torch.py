"""PyTorch's seconds of the cases that Partita is timed on: attention forward, and a training step of GPT-2 small.

    python3 with_torch.py FOLDER > FOLDER/torch.jsonl

Prints one line of JSON per case: name and seconds. FOLDER/torch.json contains the sizes. Without PyTorch or a GPU, exits with a
message and prints nothing else.
"""

import json
import math
import sys
import time


def main():
    try:
        import torch
    except ImportError:
        sys.exit("with_torch.py: skipped: PyTorch is not installed")
    if not torch.cuda.is_available():
        sys.exit("with_torch.py: skipped: PyTorch finds no GPU")
    with open(f"{sys.argv[1]}/torch.json") as file:
        sizes = json.load(file)
    attention(torch, sizes["attention"])
    for compiled in (False, True):
        try:
            step(torch, sizes["gpt2"], compiled)
        except Exception as e:  # noqa: BLE001 - a failed case must not prevent the others
            print(f"with_torch.py: {'compiled' if compiled else 'eager'} step: {e}", file=sys.stderr)


def seconds(torch, work, least=0.5):
    for _ in range(3):
        work()
    torch.cuda.synchronize()
    started = time.perf_counter()
    work()
    torch.cuda.synchronize()
    times = min(1000, max(5, int(least / max(1e-6, time.perf_counter() - started))))
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(times):
        work()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1e3 / times


def say(name, value):
    print(json.dumps({"name": name, "seconds": value}), flush=True)


def attention(torch, sizes):
    shape = (sizes["batch"], sizes["heads"], sizes["positions"], sizes["width"])
    q, k, v = (torch.rand(shape, device="cuda", dtype=torch.bfloat16) + 0.5 for _ in range(3))
    for name, causal in (("attention_full_large", False), ("attention_causal_large", True)):
        def work():
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
        with torch.no_grad():
            say(name, seconds(torch, work))


def step(torch, sizes, compiled):
    nn, functional = torch.nn, torch.nn.functional
    width, heads = sizes["width"], sizes["heads"]

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            batch, positions, _ = x.shape
            parts = self.qkv(self.norms[0](x)).view(batch, positions, 3, heads, width // heads)
            q, k, v = parts.permute(2, 0, 3, 1, 4)
            seen = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(seen.transpose(1, 2).reshape(batch, positions, width))
            return x + self.down(functional.gelu(self.up(self.norms[1](x))))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(sizes["vocab"], width), nn.Embedding(sizes["positions"], width)
            self.blocks, self.norm = nn.ModuleList(Block() for _ in range(sizes["layers"])), nn.LayerNorm(width)
            self.head = nn.Linear(width, sizes["vocab"], bias=False)
            for parameter in self.parameters():
                nn.init.normal_(parameter, std=0.02 / math.sqrt(2 * sizes["layers"]))

        def forward(self, tokens, labels):
            x = self.tokens(tokens) + self.positions.weight
            for block in self.blocks:
                x = block(x)
            return functional.cross_entropy(self.head(self.norm(x)).flatten(0, 1), labels.flatten())

    torch.manual_seed(0)
    model = Gpt().cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    run = torch.compile(model) if compiled else model
    tokens = torch.randint(sizes["vocab"], (sizes["batch"], sizes["positions"]), device="cuda")

    def work():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = run(tokens, tokens)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    say(f"gpt2_step_{'compiled' if compiled else 'eager'}", seconds(torch, work, least=3.0))


main()
