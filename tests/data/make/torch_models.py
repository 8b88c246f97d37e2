"""Writes models exported by `torch.export`, each with inputs and the results that PyTorch computes.

    python torch_models.py OUT            writes OUT/torch
    python torch_models.py --check DATA   compares with DATA/torch, writes nothing

`NAME.pt2` is the result of `torch.export.export`, `NAME.core.pt2` that of `run_decompositions`, and `NAME.onnx` that of
`torch.onnx.export`. `NAME.io.safetensors` has the inputs (`in.NAME`) and the results (`out.NAME`) of all. Archives are
compressed, and the paths in stack traces are relative to the installed packages; ONNX files have none.
"""

import io
import re
import sys
import zipfile

import torch
import torch.nn.functional as F
import torchvision
import transformers
from torch import nn
from torchvision.models.resnet import BasicBlock, ResNet

import files

SEED = 0
TOKENS, LENGTH, BATCH = 48, 8, 6
# Sizes of the transformers; the batch divides by 2 and 3.
SIZES = dict(hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4)
DECODER = dict(vocab_size=TOKENS, max_position_embeddings=32, num_key_value_heads=2, use_cache=False, **SIZES)


def tokens():
    return torch.randint(0, TOKENS, (BATCH, LENGTH))


def gpt2(attention="sdpa"):
    config = transformers.GPT2Config(
        vocab_size=TOKENS, n_positions=16, n_embd=16, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0, use_cache=False
    )
    config._attn_implementation = attention
    return transformers.GPT2LMHeadModel(config), {"input_ids": tokens()}


def llama():
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**DECODER)), {"input_ids": tokens()}


def mixtral():
    config = transformers.MixtralConfig(num_local_experts=4, num_experts_per_tok=2, **DECODER)
    return transformers.MixtralForCausalLM(config), {"input_ids": tokens()}


def bert():
    config = transformers.BertConfig(vocab_size=TOKENS, max_position_embeddings=16, **SIZES)
    mask = torch.ones(BATCH, LENGTH, dtype=torch.long)
    mask[1, 5:] = 0
    return transformers.BertModel(config), {"input_ids": tokens(), "attention_mask": mask}


def vit():
    config = transformers.ViTConfig(image_size=8, patch_size=4, **SIZES)
    return transformers.ViTModel(config), {"pixel_values": torch.randn(BATCH, 3, 8, 8)}


class NarrowResNet(ResNet):
    """ResNet with a thirty-second of the channels."""

    def __init__(self):
        super().__init__(BasicBlock, [1, 1, 1, 1], num_classes=12)
        self.conv1 = nn.Conv2d(3, 4, 7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.fc = nn.Linear(16, 12)

    def _make_layer(self, block, planes, blocks, **options):
        self.inplanes = 4 if planes == 64 else self.inplanes
        return super()._make_layer(block, planes // 32, blocks, **options)


def resnet():
    model = NarrowResNet()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2.0)
    return model, {"x": torch.randn(BATCH, 3, 16, 16)}


class Classifier(nn.Module):
    """The loss of a classifier with batch normalization in training mode, tied weights and a frozen layer."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(8)
        self.up, self.down, self.tied = nn.Linear(8, 16), nn.Linear(16, 8), nn.Linear(16, 8, bias=False)
        self.tied.weight = self.down.weight
        self.up.bias.requires_grad_(False)

    def forward(self, x, labels):
        hidden = F.relu(self.up(self.norm(x)))
        return {"loss": F.cross_entropy(self.down(hidden) + self.tied(hidden), labels)}


def classifier():
    labels = torch.randint(0, 8, (BATCH,))
    labels[2] = -100
    return Classifier(), {"x": torch.randn(BATCH, 8), "labels": labels}


class Features(nn.Module):
    """Einsums, losses, resized and padded images, and grids."""

    def __init__(self):
        super().__init__()
        self.mix, self.classes = nn.Parameter(torch.empty(4, 3)), nn.Linear(8, 5)

    def forward(self, x, labels):
        square = torch.einsum("bchw,bcwv->bhv", x, x.transpose(2, 3))
        logits = self.classes(x.mean((1, 2)))
        logs, other = logits.log_softmax(1), logits.flip(0)
        rows, columns = torch.meshgrid(x[0, 0, :, 0], x[0, 0, 0], indexing="xy")
        return [
            torch.einsum("...chw,cd->...dhw", x, self.mix),
            torch.einsum("bii->bi", square),
            torch.einsum("bij,jk,bkl", square, square[0], square),
            square.diagonal(1, 1, 2),
            F.cross_entropy(logits, labels, label_smoothing=0.1),
            F.smooth_l1_loss(logits, other, beta=0.7),
            F.huber_loss(logits, other, reduction="none", delta=0.5),
            F.binary_cross_entropy(logits.sigmoid(), other.sigmoid()),
            F.kl_div(logs, other.softmax(1), reduction="batchmean"),
            F.kl_div(logs, other.log_softmax(1), reduction="sum", log_target=True),
            F.cosine_similarity(logits, other.square() - logits),
            torch.logaddexp(logits, other),
            F.interpolate(x, scale_factor=2, mode="nearest"),
            F.interpolate(x, size=(4, 11), mode="nearest-exact"),
            F.interpolate(x, scale_factor=1.7, mode="bilinear"),
            F.interpolate(x, size=(9, 5), mode="bilinear", align_corners=True),
            F.pixel_shuffle(x, 2),
            F.pixel_unshuffle(x, 2),
            F.pad(x, (2, 1, 3, 0), mode="reflect"),
            F.pad(x, (2, -1, 3, 0), mode="replicate"),
            F.pad(x, (2, 1, 3, 0), mode="circular"),
            x.unfold(2, 3, 2),
            rows - columns,
            torch.take_along_dim(logits, labels.clamp(0)[:, None], 1),
        ]


def features():
    labels = torch.randint(0, 5, (BATCH,))
    labels[2] = -100
    return Features(), {"x": torch.randn(BATCH, 4, 6, 8), "labels": labels}


def named(results):
    """Returns tensors by the names that the importer gives them."""
    if isinstance(results, torch.Tensor):
        return {"output": results}
    items = results.items() if hasattr(results, "items") else ((f"output.{i}", x) for i, x in enumerate(results))
    return {name: x for name, x in items if isinstance(x, torch.Tensor)}


def save(program, path):
    """Writes an archive: compressed, and without paths of this machine."""
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
        for entry in source.infolist():
            data = source.read(entry)
            if entry.filename.endswith("models/model.json"):
                text = re.sub(r'File \\"[^"]*/(?:site-packages|lib/python[\d.]+)/', r'File \\"', data.decode())
                data = re.sub(r'File \\"[^"]*/make/', r'File \\"', text).encode()
            info = zipfile.ZipInfo(entry.filename)
            info.compress_type = zipfile.ZIP_DEFLATED
            out.writestr(info, data)


def save_onnx(model, inputs, path):
    """Exports a model to ONNX with the metadata of names, but without stack traces."""
    program = torch.onnx.export(model, (), kwargs=inputs, dynamo=True, verbose=False)
    proto = program.model_proto
    for node in proto.graph.node:
        kept = [entry for entry in node.metadata_props if entry.key.endswith((".name_scopes", ".fx_node"))]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    path.write_bytes(proto.SerializeToString(deterministic=True))


def export(out, name, build, training=False, core=None, onnx=False):
    torch.manual_seed(SEED)
    model, inputs = build()
    with torch.no_grad():
        for parameter in model.parameters():
            # Initial values of transformers are so small that wrong positions or masks would not show.
            parameter.copy_(torch.randn_like(parameter) * (0.5 if parameter.dim() > 1 else 0.2) + (parameter.dim() == 1))
    model.train(training)
    program = torch.export.export(model, (), inputs)
    save(program, out / f"{name}.pt2")
    if core is not None:
        state = model.state_dict()
        model = core()[0].eval()
        model.load_state_dict(state)
        program = torch.export.export(model, (), inputs)
    save(program.run_decompositions(), out / f"{name}.core.pt2")
    if onnx:
        save_onnx(model, inputs, out / f"{name}.onnx")
    results = named(model(**inputs))
    if training:
        results |= {key: value for key, value in model.named_buffers()}
    tensors = {f"in.{key}": value for key, value in inputs.items()}
    tensors |= {f"out.{key}": value for key, value in results.items()}
    versions = {"torch": torch.__version__, "torchvision": torchvision.__version__, "transformers": transformers.__version__}
    tensors = {key: value.detach().numpy() for key, value in tensors.items()}
    files.save_safetensors(out / f"{name}.io.safetensors", tensors, versions)


def write(folder, only):
    out = folder / "torch"
    out.mkdir(parents=True, exist_ok=True)
    # The decomposition of GPT-2's attention by `sdpa` fails in PyTorch 2.15.
    models = {
        "gpt2": dict(build=gpt2, core=lambda: gpt2("eager"), onnx=True),
        "llama": dict(build=llama, onnx=True),
        "mixtral": dict(build=mixtral),
        "bert": dict(build=bert, onnx=True),
        "vit": dict(build=vit, onnx=True),
        "resnet": dict(build=resnet),
        "classifier": dict(build=classifier, training=True),
        "features": dict(build=features),
    }
    for name, options in models.items():
        if name.startswith(only):
            export(out, name, **options)


if __name__ == "__main__":
    sys.exit(files.main(__doc__, write))
