"""Writes models exported by `torch.export`, each with inputs and the results that PyTorch computes.

    python torch_models.py OUT            writes OUT/torch
    python torch_models.py --check DATA   compares with DATA/torch, writes nothing

`NAME.pt2` is the result of `torch.export.export`, `NAME.core.pt2` that of `run_decompositions`, and `NAME.onnx` that of
`torch.onnx.export`. `NAME.io.safetensors` has the inputs (`in.NAME`) and the results (`out.NAME`) of all, and for some
the gradients of the result `loss` (`grad.PATH`). Archives are compressed, and the paths in stack traces are relative to the installed packages; ONNX files have none.
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
from torch._higher_order_ops import associative_scan, scan, while_loop
from torch._higher_order_ops.map import map as functorch_map
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


class Weighted(nn.Module):
    """Losses with weights and probabilities, normalised weights, and pooling by unequal windows."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weights", torch.tensor([0.5, 2.0, 1.0, 0.1, 3.0]))
        self.direction = nn.utils.parametrizations.weight_norm(nn.Linear(8, 5))
        self.across = nn.utils.parametrizations.weight_norm(nn.Linear(5, 5), dim=1)

    def forward(self, x, labels):
        logits = self.across(self.direction(x.mean((1, 2))))
        other = logits.flip(0)
        special = torch.where(logits.frac() > 0.05, logits, torch.nan)
        return [
            F.cross_entropy(logits, labels, self.weights),
            F.cross_entropy(logits, labels, self.weights, label_smoothing=0.2, reduction="none"),
            F.cross_entropy(logits, labels, self.weights, label_smoothing=0.2),
            F.nll_loss(logits.log_softmax(1), labels, self.weights, reduction="sum"),
            F.cross_entropy(logits, other.softmax(1), self.weights, label_smoothing=0.1),
            F.binary_cross_entropy_with_logits(logits, other.sigmoid(), self.weights, pos_weight=self.weights),
            F.binary_cross_entropy(logits.sigmoid(), other.sigmoid(), self.weights),
            F.adaptive_avg_pool2d(x, (4, 3)),
            F.adaptive_max_pool2d(x, (4, 5)),
            torch.diag_embed(logits),
            logits.quantile(0.3, dim=1),
            logits.quantile(0.75),
            *special.median(1),
            special.quantile(0.25, dim=0),
            *special.cummax(0),
            torch.where(labels[:, None] > 1, torch.complex(logits, other), 2.0).imag,
        ]


def weighted():
    labels = torch.randint(0, 5, (BATCH,))
    labels[2] = -100
    return Weighted(), {"x": torch.randn(BATCH, 4, 6, 8), "labels": labels}


class Margins(nn.Module):
    """Losses with margins, norms and powers of matrices, searches, and special functions."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(8, 5)
        self.register_buffer("bounds", torch.tensor([-1.0, -0.25, -0.25, 0.5, 2.0]))
        self.register_buffer("weights", torch.tensor([0.5, 2.0, 1.0, 0.1, 3.0]))

    def forward(self, x, labels):
        a, b, c = self.embed(x[:, :3].mean(2)).unbind(1)
        sign = torch.where(labels > 1, 1.0, -1.0)
        square = x[..., :6] * 0.5 + torch.eye(6)
        rows = x[:, 0].sort(-1).values
        values = torch.cat([x[:, 1, :, :2], rows[:, :, 3:4]], -1)
        return [
            F.triplet_margin_loss(a, b, c),
            F.triplet_margin_loss(a, b, c, margin=0.5, p=3.0, swap=True, reduction="none"),
            F.margin_ranking_loss(a[:, 0], b[:, 0], sign, margin=0.1),
            F.hinge_embedding_loss(a, sign[:, None].expand(-1, 5), margin=0.4),
            F.cosine_embedding_loss(a, b, sign, margin=0.2, reduction="sum"),
            F.multi_margin_loss(a, labels, weight=self.weights),
            F.multi_margin_loss(a, labels, p=2, margin=0.3, reduction="none"),
            F.soft_margin_loss(a, sign[:, None].expand(-1, 5)),
            F.poisson_nll_loss(a, labels[:, None].float(), full=True),
            F.poisson_nll_loss(a.exp(), labels[:, None].float(), log_input=False),
            *[torch.linalg.matrix_norm(x, ord) for ord in ["fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")]],
            torch.linalg.matrix_norm(x, 1, dim=(1, 3), keepdim=True),
            torch.linalg.norm(x[0, 0], 2),
            torch.linalg.norm(x, dim=(0, 2)),
            torch.linalg.vector_norm(x, 3.0, dim=-1),
            torch.linalg.vector_norm(x, -float("inf"), dim=(1, 2)),
            torch.linalg.pinv(x),
            torch.linalg.matrix_power(square, 3),
            torch.linalg.matrix_power(square[0], -2),
            torch.bucketize(torch.cat([x[:, 0], self.bounds.expand(6, 6, 5)], -1), self.bounds),
            torch.bucketize(x[:, 0].log(), self.bounds, right=True, out_int32=True),
            torch.searchsorted(rows.contiguous(), values.contiguous(), side="right"),
            torch.lgamma(x),
            torch.digamma(x.abs() + 0.1),
            torch.erfinv(x.tanh() * 0.9),
            torch.special.ndtr(x),
            torch.special.ndtri(x.sigmoid()),
            torch.special.entr(x - 0.5),
        ]


def margins():
    return Margins(), {"x": torch.randn(BATCH, 4, 6, 8), "labels": torch.randint(0, 5, (BATCH,))}


def features():
    labels = torch.randint(0, 5, (BATCH,))
    labels[2] = -100
    return Features(), {"x": torch.randn(BATCH, 4, 6, 8), "labels": labels}


class Signals(nn.Module):
    """Complex numbers and Fourier transforms."""

    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(6.0), 100.0 ** -(torch.arange(4.0) / 4))
        self.register_buffer("rotations", torch.polar(torch.ones(6, 4), angles))
        self.spectrum = nn.Parameter(torch.empty(4, 3, 3, dtype=torch.cfloat))

    def forward(self, x):
        pairs = torch.view_as_complex(x.transpose(1, 2).reshape(BATCH, 6, 4, 4, 2).contiguous())
        rotated = pairs * self.rotations[:, None]
        other = torch.complex(x[..., 0::2], x[..., 1::2])
        low = torch.fft.rfft(x.mean(2))[..., :3]
        mixed = F.pad(torch.einsum("bif,iof->bof", low, self.spectrum), (0, 2))
        frames = torch.stft(x[:, 0].flatten(1), 8, 4, window=torch.hann_window(8), return_complex=True)
        return [
            torch.view_as_real(rotated).flatten(3),
            other / (other.flip(0) + 0.5j),
            torch.exp(other * 0.5) - other.conj() ** 2,
            other.abs() + other.angle() - (other @ other.mT.conj()).sum((-1, -2)).real[..., None, None],
            torch.cat([other.mean(1), other[:, 0]], 0).real,
            torch.fft.irfft(mixed, n=8),
            torch.fft.irfft2(torch.fft.rfft2(x, norm="ortho") * 2, s=(5, 7)),
            torch.fft.fftshift(torch.fft.ifft2(other, s=(4, 6), norm="forward"), dim=(-2, -1)).imag,
            frames.abs(),
        ]


def signals():
    return Signals(), {"x": torch.randn(BATCH, 4, 6, 8)}


class Recurrent(nn.Module):
    """Recurrent layers and cells, and bags of embeddings."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(TOKENS, 6)
        self.lstm = nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True)
        self.gru, self.rnn = nn.GRU(10, 4), nn.RNN(4, 3, nonlinearity="relu", bias=False)
        self.projected = nn.LSTM(4, 6, proj_size=3)
        self.lstm_cell, self.gru_cell, self.rnn_cell = nn.LSTMCell(4, 3), nn.GRUCell(4, 3), nn.RNNCell(4, 3)
        self.sums, self.maxima = nn.EmbeddingBag(TOKENS, 3, mode="sum"), nn.EmbeddingBag(TOKENS, 3, mode="max")
        self.means = nn.EmbeddingBag(TOKENS, 3, mode="mean", padding_idx=1, include_last_offset=True)

    def forward(self, ids, offsets):
        states, (hidden, cell) = self.lstm(self.embed(ids))
        narrow, last = self.gru(states.transpose(0, 1))
        flat = ids.flatten()
        return [
            states,
            hidden,
            cell,
            last,
            *self.rnn(narrow),
            self.projected(narrow)[0],
            *self.lstm_cell(narrow[0]),
            self.gru_cell(narrow[0]),
            self.rnn_cell(narrow[0]),
            self.sums(ids, per_sample_weights=ids / TOKENS),
            self.maxima(flat, offsets),
            self.means(flat, torch.cat([offsets, torch.tensor([BATCH * LENGTH])])),
        ]


def recurrent():
    return Recurrent(), {"ids": torch.randint(0, 6, (BATCH, LENGTH)), "offsets": torch.tensor([0, 3, 3, 17])}


class Geometry(nn.Module):
    """Samples and blocks of images, distances, order, and linear algebra."""

    def __init__(self):
        super().__init__()
        self.where = nn.Linear(4, 6)

    def forward(self, x, matrices):
        theta = self.where(x.mean((2, 3))).reshape(-1, 2, 3) * 0.3
        grid = F.affine_grid(theta, x.shape, align_corners=False)
        rows = x[0, 0]
        symmetric = matrices @ matrices.mT + torch.eye(4)
        q, r = torch.linalg.qr(matrices[:, :, :3])
        u, s, v = torch.linalg.svd(matrices[:, :3], full_matrices=False)
        values, vectors = torch.linalg.eigh(symmetric)
        return [
            F.grid_sample(x, grid, align_corners=False),
            F.grid_sample(x, grid, mode="nearest", padding_mode="border", align_corners=True),
            F.grid_sample(x, grid, mode="bicubic", padding_mode="reflection", align_corners=False),
            F.interpolate(x, size=(9, 5), mode="bicubic"),
            F.interpolate(x, size=(4, 11), mode="bicubic", antialias=True),
            F.interpolate(x, size=(4, 5), mode="bilinear", antialias=True),
            F.unfold(x, (3, 2), dilation=(1, 2), padding=(1, 0), stride=(2, 1)),
            F.fold(F.unfold(x, 3, padding=1, stride=2), (6, 8), 3, padding=1, stride=2),
            torch.cdist(x[:, 0], x[:, 1]),
            F.pdist(rows, 1.5),
            F.pairwise_distance(rows, rows.flip(0), p=1),
            *x.median(2),
            *rows.kthvalue(2, dim=0),
            *rows.round().cummax(1),
            rows.masked_scatter(rows > 0, x[1, 1]),
            torch.det(matrices),
            torch.linalg.slogdet(matrices)[1],
            torch.linalg.inv(symmetric),
            torch.linalg.solve(symmetric, matrices[:, :, 0]),
            torch.cholesky_solve(matrices, torch.linalg.cholesky(symmetric)),
            q @ r,
            (u * s.unsqueeze(-2)) @ v,
            (vectors * values.unsqueeze(-2)) @ vectors.mT,
            torch.linalg.cross(x[..., :3], x[..., 3:6]),
            torch.nan_to_num(F.softshrink(rows, 0.3) / 0, nan=2.0),
            torch.hypot(rows, rows.flip(0)) + torch.sinc(rows) + torch.frac(rows) + torch.xlogy(rows, rows.abs()),
        ]


def geometry():
    return Geometry(), {"x": torch.randn(BATCH, 4, 6, 8), "matrices": torch.randn(3, 4, 4)}


class Views(nn.Module):
    """Writes through views of tensors and of a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.ones(6, 8))
        self.scale = nn.Parameter(torch.empty(8))

    def forward(self, x):
        out = torch.zeros(BATCH, 6, 8)
        out[:, :3] = x[:, 0, :3] * self.scale
        out[:, 3:, 1::3] = 1.5
        out[:, 4, 5] += x[:, 1, 2, 3]
        out.transpose(1, 2)[:, 0].mul_(2)
        flat = out.view(BATCH, 48)
        flat.narrow(1, 7, 2).sub_(3)
        out.permute(2, 0, 1)[1].neg_()
        self.cache[2:4] = out[0, :2]
        spectrum = torch.zeros(BATCH, 4, 5, dtype=torch.cfloat)
        spectrum[..., :3] = torch.fft.rfft(x[:, :, 0])[..., :3]
        return [out, self.cache + 1, torch.fft.irfft(spectrum)]


def views():
    return Views(), {"x": torch.randn(BATCH, 4, 6, 8)}


class Stopped(nn.Module):
    """Gradients that are stopped, pass straight through, or are divided by counts."""

    def __init__(self):
        super().__init__()
        self.up, self.codes = nn.Linear(8, 6), nn.Parameter(torch.empty(5, 6))
        self.rows = nn.Embedding(12, 6, padding_idx=3)
        self.rare = nn.Embedding(12, 6, padding_idx=-1, scale_grad_by_freq=True)
        self.bags = nn.EmbeddingBag(12, 6, mode="sum", scale_grad_by_freq=True)
        self.register_buffer("average", torch.zeros(6))
        self.register_buffer("steps", torch.arange(-12.0, 12.0).view(3, 8) / 4)

    def forward(self, x, ids):
        hidden = self.up(x)
        rounded = hidden + ((hidden * 4).round() / 4 - hidden).detach()
        logits = hidden - hidden.amax(1, keepdim=True).detach()
        probabilities = logits.exp() / logits.exp().sum(1, keepdim=True)
        with torch.no_grad():
            nearest = torch.cdist(hidden, self.codes).argmin(1)
            target = torch.tanh(hidden) * self.codes[0]
            self.average.mul_(0.75).add_(hidden.mean(0), alpha=0.25)
        with torch.autocast("cpu", torch.bfloat16):
            coarse = F.linear(x.round(), self.steps)
            soft = coarse.softmax(1)
        code = self.codes[nearest]
        straight = hidden + (code - hidden).detach()
        rows = self.rows(ids) * self.rare(ids) + self.bags(ids)[:, None]
        loss = F.mse_loss(code, hidden.detach()) + 0.25 * F.mse_loss(code.detach(), hidden)
        loss = loss + ((straight + rounded) * target).mean() + rows.square().mean() + (hidden * self.average).mean()
        loss = loss + (probabilities * target).sum()
        return {"loss": loss, "straight": straight, "rows": rows, "coarse": coarse.float(), "soft": soft.float()}


def stopped():
    ids = torch.randint(0, 12, (BATCH, LENGTH))
    ids[:, :2], ids[0, 5:] = 3, 11
    return Stopped(), {"x": torch.randn(BATCH, 8), "ids": ids}


class Hidden(nn.Module):
    """Buffers and parameters with the types of results, which no step replaces."""

    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(8, 8), nn.Linear(8, 8)
        self.register_buffer("position", torch.randn(BATCH, 8))
        self.register_buffer("mask", torch.arange(BATCH * 8.0).view(BATCH, 8) % 3)
        self.scale = nn.Parameter(torch.empty(BATCH, 8))

    def forward(self, x):
        hidden = self.up(x) + self.position
        scaled = self.down(hidden) * self.mask + self.scale
        return {"loss": scaled.square().mean(), "hidden": hidden, "scaled": scaled}


def hidden():
    return Hidden(), {"x": torch.randn(BATCH, 8)}


class Forms(nn.Module):
    """Forms of operations: broadcast heads, promoted types, reductions of updates, indices of maxima, and assertions."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.empty(4, 1, 1))
        self.bilinear, self.instance = nn.Bilinear(6, 8, 5), nn.InstanceNorm2d(4, affine=True, track_running_stats=True)
        self.instance.running_mean.normal_()
        self.instance.running_var.uniform_(0.5, 2.0)
        self.pool, self.unpool = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)
        self.dropouts = nn.Sequential(nn.Dropout2d(0.3), nn.AlphaDropout(0.2), nn.FeatureAlphaDropout(0.4), nn.RReLU())

    def forward(self, x, labels):
        torch._assert_async((labels >= 0).all())
        torch._check((labels < 5).all().item())
        x = x * self.scale
        rows, vector = x[:, 0, :, 0], x[0, 0, 0]
        index = labels[:, None].expand(-1, 6) + torch.arange(6) % 2
        reduced = [
            rows.scatter_reduce(0, index, rows * 2, reduce, include_self=own)
            for reduce in ["sum", "mean", "prod", "amax", "amin"]
            for own in [True, False]
        ]
        pooled, maxima = self.pool(x)
        special = torch.where(rows > 1, torch.nan, rows)
        floats = [
            F.scaled_dot_product_attention(x, x[:, :1], x[:, 1:2]),
            F.scaled_dot_product_attention(x[:1], x, x * 2),
            torch.outer(rows[0], rows[1].double()).float(),
            torch.vdot(rows[0], rows[1]),
            rows.index_copy(0, torch.tensor([4, 1]), rows[:2] * 2),
            rows.index_fill(1, torch.tensor([0, 5]), 2.5),
            rows.index_reduce(0, labels, rows, "mean", include_self=False),
            *reduced,
            self.instance(x),
            self.dropouts(x),
            self.bilinear(rows, x[:, 1, 2]),
            self.unpool(pooled, maxima),
            torch.addr(rows, rows[0], rows[1], beta=0.5, alpha=2.0),
            torch.addbmm(rows, x[:, 0], x[:, 1].mT, beta=0.5),
            torch.inner(rows, rows.flip(0)),
            torch.linalg.multi_dot([rows, rows.T, rows[:, 0]]),
            torch.kron(rows[:2], rows[:, :1]),
            torch.hstack([vector, rows[0]]),
            torch.dstack([rows, rows.flip(0)]),
            torch.column_stack([rows[0], rows]),
            torch.block_diag(rows[:2], vector, rows[0, 0]),
            torch.cartesian_prod(vector, rows[0]),
            F.channel_shuffle(x, 2),
            torch.diag(rows, 1),
            torch.diag(vector),
            torch.rot90(x, 3, (1, 2)),
            torch.take(x, labels),
            torch.vander(vector[:4].detach(), 3),
            torch.trapezoid(rows, dx=0.5),
            torch.cumulative_trapezoid(rows, rows[0].detach()),
            torch.nansum(special, 1),
            torch.nanmean(special),
            *torch.aminmax(rows, dim=1),
            torch.logcumsumexp(rows, 1),
            torch.logaddexp2(rows, rows.flip(0)),
            torch.ldexp(rows, labels),
            torch.float_power(rows.abs() + 0.5, 1.5).float(),
            torch.special.log_ndtr(torch.cat([rows, rows * 10 - 20])),
            torch.fake_quantize_per_tensor_affine(rows, 0.1, 3, -8, 7),
            torch.msort(rows),
            torch.logspace(-1, 1, 5) * rows[0, 0],
            torch.fliplr(rows),
        ]
        whole = [
            x.contiguous().view(torch.int32),
            x.contiguous().view(torch.int16).int(),
            x.contiguous().view(torch.int64),
            maxima,
            F.max_pool2d(x, 3, 2, 1, dilation=1, ceil_mode=True, return_indices=True)[1],
            torch.tril_indices(4, 5, 1),
            torch.triu_indices(4, 5, -1),
            torch.isin(labels, torch.tensor([1, 3])).int(),
            torch.bitwise_left_shift(labels, 2),
        ]
        return {"loss": sum(out.square().mean() for out in floats)} | {f"out{i}": out for i, out in enumerate(floats + whole)}


def forms():
    return Forms(), {"x": torch.randn(BATCH, 4, 6, 8), "labels": torch.tensor([0, 3, 1, 3, 2, 0])}


class Spectral(nn.Module):
    """Training mode: power iterations of a spectral norm, and running statistics of instances."""

    def __init__(self):
        super().__init__()
        self.narrow = nn.utils.parametrizations.spectral_norm(nn.Linear(8, 5))
        self.instance = nn.InstanceNorm1d(6, track_running_stats=True)

    def forward(self, x):
        return {"loss": self.narrow(self.instance(x)).square().mean()}


def spectral():
    return Spectral(), {"x": torch.randn(BATCH, 6, 8)}


class Phases(nn.Module):
    """Functions of complex numbers, and layers with complex weights."""

    def __init__(self):
        super().__init__()
        self.mix, self.filter = nn.Linear(4, 3, dtype=torch.cfloat), nn.Conv1d(6, 2, 3, dtype=torch.cfloat)

    def forward(self, x):
        z = torch.complex(x[..., :4], x[..., 4:])
        functions = [torch.log, torch.sqrt, torch.rsqrt, torch.exp2, torch.sin, torch.cos, torch.tan, torch.sinh]
        functions += [torch.cosh, torch.tanh, torch.sigmoid, torch.sgn, torch.diff]
        found = [function(z) for function in functions]
        found += [z**2.5, z.var(1), (z == z.conj()).int(), (z != z[0]).int(), self.mix(z), self.filter(z)]
        return found


def phases():
    return Phases(), {"x": torch.randn(BATCH, 6, 8)}


class Control(nn.Module):
    """Conditions, loops and scans."""

    def __init__(self):
        super().__init__()
        self.up, self.decay = nn.Linear(8, 8), nn.Parameter(torch.empty(8))

    def forward(self, x, count):
        def step(state, element):
            state = state * self.decay + element
            return state, state.tanh()

        chosen = torch.cond(x.sum() > 0, lambda x: self.up(x).sin(), lambda x: self.up(x).cos() + 1, (x,))
        other = torch.cond(x.sum() < 0, lambda x: self.up(x).sin(), lambda x: self.up(x).cos() + 1, (x,))
        last, states = scan(step, torch.zeros_like(x[0]), x)
        products = associative_scan(lambda x, y: x * y, self.up(x), 0)
        mapped = functorch_map(lambda row, scale: (row * scale).exp(), x, self.decay)
        start = torch.zeros((), dtype=torch.long)
        halved = while_loop(lambda i, x: i < count, lambda i, x: (i + 1, x * 0.5 + 1), (start, x))
        floats = [chosen, other, last, states, products, mapped, halved[1]]
        return {"loss": sum(out.square().mean() for out in floats)} | {f"out{i}": out for i, out in enumerate(floats)}


def control():
    return Control(), {"x": torch.randn(BATCH, 8), "count": torch.tensor(5)}


def named(results):
    """Returns tensors by the names that the importer gives them. Complex tensors have two parts."""
    if isinstance(results, torch.Tensor):
        return {"output": results}
    items = results.items() if hasattr(results, "items") else ((f"output.{i}", x) for i, x in enumerate(results))
    found = {}
    for name, x in items:
        if isinstance(x, torch.Tensor) and x.is_complex():
            found |= {f"{name}.re": x.real, f"{name}.im": x.imag}
        elif isinstance(x, torch.Tensor):
            found[name] = x
    return found


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


def export(out, name, build, training=False, core=None, onnx=False, gradients=False):
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
    program = program.run_decompositions()
    save(program, out / f"{name}.core.pt2")
    if onnx:
        save_onnx(model, inputs, out / f"{name}.onnx")
    results = named(model(**inputs))
    if training:
        changed = program.graph_signature.buffers_to_mutate.values()
        results |= {key: value for key, value in model.named_buffers() if key in changed}
    tensors = {f"in.{key}": value for key, value in inputs.items()}
    tensors |= {f"out.{key}": value for key, value in results.items()}
    if gradients:
        results["loss"].backward()
        tensors |= {f"grad.{key}": value.grad for key, value in model.named_parameters() if value.grad is not None}
    versions = {"torch": torch.__version__, "torchvision": torchvision.__version__, "transformers": transformers.__version__}
    tensors = {key: value.detach().contiguous().numpy() for key, value in tensors.items()}
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
        "weighted": dict(build=weighted),
        "margins": dict(build=margins),
        "signals": dict(build=signals),
        "recurrent": dict(build=recurrent),
        "geometry": dict(build=geometry),
        "views": dict(build=views, training=True),
        "stopped": dict(build=stopped, training=True, gradients=True),
        "hidden": dict(build=hidden, gradients=True),
        "forms": dict(build=forms, gradients=True),
        "spectral": dict(build=spectral, training=True, gradients=True),
        "phases": dict(build=phases),
        "control": dict(build=control, gradients=True),
    }
    for name, options in models.items():
        if name.startswith(only):
            export(out, name, **options)


if __name__ == "__main__":
    sys.exit(files.main(__doc__, write))
