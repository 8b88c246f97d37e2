"""Writes ONNX models exported from PyTorch, each with an input and the output that PyTorch computes.

    python onnx_models.py OUT            writes OUT/onnx
    python onnx_models.py --check DATA   compares with DATA/onnx, writes nothing
"""

import math
import sys
import warnings

import torch
import torch.nn.functional as F
from torch import nn

import files

# The tracer warns that sizes become constants, which is intended.
warnings.filterwarnings("ignore", category=torch.jit.TracerWarning)

SEED = 0
OPSET = 14
# Numbers drawn between the CNN and the encoder, for models that are not part of the data.
SKIPPED = 134_400


class Mlp(nn.Module):
    """Four fully connected layers."""

    def __init__(self):
        super().__init__()
        self.l = nn.ModuleList(nn.Linear(*s) for s in [(64, 256), (256, 64)] * 2)

    def forward(self, x):
        for i, layer in enumerate(self.l):
            x = layer(x)
            if i < len(self.l) - 1:
                x = F.relu(x)
        return x


class MnistCnn(nn.Module):
    """Two convolutions, max pooling, two fully connected layers."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv2(F.relu(self.conv1(x))))
        x = torch.flatten(F.max_pool2d(x, 2), 1)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)


class Block(nn.Module):
    """Transformer block with pre-normalization."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln1 = nn.LayerNorm(width)
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.o = nn.Linear(width, width)
        self.ln2 = nn.LayerNorm(width)
        self.f1 = nn.Linear(width, 4 * width)
        self.f2 = nn.Linear(4 * width, width)

    def forward(self, x):
        # Sizes taken from the traced shape: the exporter numbers the weights after all traced operations.
        b, s, d = x.shape
        y = self.ln1(x)
        q = self.q(y).view(b, s, self.heads, d // self.heads).transpose(1, 2)
        k = self.k(y).view(b, s, self.heads, d // self.heads).transpose(1, 2)
        v = self.v(y).view(b, s, self.heads, d // self.heads).transpose(1, 2)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(d // self.heads), dim=-1)
        x = x + self.o((weights @ v).transpose(1, 2).reshape(b, s, d))
        return x + self.f2(F.gelu(self.f1(self.ln2(x))))


class Encoder(nn.Module):
    """Transformer encoder of two blocks, learned positions, and an output projection tied to the embedding."""

    def __init__(self):
        super().__init__()
        self.te = nn.Embedding(256, 64)
        self.pe = nn.Parameter(torch.randn(32, 64) * 0.02)
        self.b = nn.ModuleList([Block(64, 8), Block(64, 8)])
        self.ln = nn.LayerNorm(64)
        self.head = nn.Linear(64, 256, bias=False)
        self.head.weight = self.te.weight

    def forward(self, tokens):
        x = self.te(tokens) + self.pe
        for block in self.b:
            x = block(x)
        return self.head(self.ln(x))


def write(out, only):
    """Writes the files whose name starts with `only`."""
    (out / "onnx").mkdir(parents=True, exist_ok=True)
    # One generator draws all parameters and inputs, in this order.
    torch.manual_seed(SEED)
    models = [
        ("mlp", Mlp, lambda: torch.randn(16, 64)),
        ("mnist_cnn", MnistCnn, lambda: torch.randn(8, 1, 28, 28)),
        ("encoder2l", Encoder, lambda: torch.randint(0, 256, (4, 32))),
    ]
    for name, make, draw in models:
        if name == "encoder2l":
            torch.rand(SKIPPED)
        model = make().eval()
        x = draw()
        if not name.startswith(only):
            continue
        path = str(out / "onnx" / f"{name}.onnx")
        torch.onnx.export(model, (x,), path, opset_version=OPSET, input_names=["input"], output_names=["output"])
        with torch.no_grad():
            tensors = {"input": x.numpy(), "output": model(x).numpy()}
        files.save_safetensors(out / "onnx" / f"{name}.io.safetensors", tensors)


if __name__ == "__main__":
    sys.exit(files.main(__doc__, write))
