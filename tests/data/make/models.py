"""Writes the StableHLO modules, their index, and the reference results of the test models.

    python models.py OUT            writes OUT/stablehlo and OUT/golden
    python models.py --check DATA   compares with DATA/stablehlo and DATA/golden, writes nothing

`--only PREFIX` restricts either to files whose name starts with PREFIX. JAX runs on the CPU with eight emulated devices.
"""

import gzip
import json
import os
import sys
from collections import namedtuple

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

import files

SEED = 0
LEARNING_RATE = 0.1
# Gradient descent on the CNN diverges at 0.1.
LEARNING_RATE_CNN = 0.01
ADAM = {"lr": 1e-3, "b1": 0.9, "b2": 0.999, "eps": 1e-8}
TRAJECTORY_STEPS = 6

# Devices along (data, model).
MESHES = {"d2m4": (2, 4), "data8": (8, 1), "model8": (1, 8)}

# init: generator -> parameters. batch: generator -> batch. loss: (parameters, batch) -> scalar. specs: PartitionSpecs of the parameters.
Model = namedtuple("Model", "init batch loss specs")


# Layers that several models share.


def layer_norm(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def cross_entropy(logits, labels):
    shifted = logits - lax.stop_gradient(logits.max(-1, keepdims=True))
    log_sum = jnp.log(jnp.exp(shifted).sum(-1))
    return (log_sum - (shifted * jax.nn.one_hot(labels, logits.shape[-1])).sum(-1)).mean()


def normal(rng, shape, scale):
    return (rng.standard_normal(shape) * scale).astype(np.float32)


def zeros(*shape):
    return np.zeros(shape, np.float32)


def ones(*shape):
    return np.ones(shape, np.float32)


# Four fully connected layers, widths alternating between `width` and `hidden`, mean squared error.


def mlp(width, hidden, batch):
    shapes = [(width, hidden), (hidden, width)] * 2

    def init(rng):
        return [{"w": normal(rng, s, np.sqrt(2 / s[0])), "b": zeros(s[1])} for s in shapes]

    def batches(rng):
        return {"x": normal(rng, (batch, width), 1), "y": normal(rng, (batch, width), 1)}

    def loss(params, batch):
        x = batch["x"]
        for i, layer in enumerate(params):
            x = x @ layer["w"] + layer["b"]
            if i < len(params) - 1:
                x = jax.nn.relu(x)
        return ((x - batch["y"]) ** 2).mean()

    column = {"w": P(None, "model"), "b": P("model")}
    row = {"w": P("model", None), "b": P()}
    return Model(init, batches, loss, [column, row, column, row])


# Decoder with learned positions, pre-normalization, and an output projection tied to the embedding.


def gpt(layers, width, heads, sequence, batch, vocabulary):
    head = width // heads
    hidden = 4 * width

    def block(rng):
        return {
            "g1": ones(width), "b1": zeros(width), "g2": ones(width), "b2": zeros(width),
            "wq": normal(rng, (width, heads, head), 0.02), "bq": zeros(heads, head),
            "wk": normal(rng, (width, heads, head), 0.02), "bk": zeros(heads, head),
            "wv": normal(rng, (width, heads, head), 0.02), "bv": zeros(heads, head),
            "wo": normal(rng, (heads, head, width), 0.02), "bo": zeros(width),
            "w1": normal(rng, (width, hidden), 0.02), "c1": zeros(hidden),
            "w2": normal(rng, (hidden, width), 0.02), "c2": zeros(width),
        }

    def init(rng):
        params = {"wte": normal(rng, (vocabulary, width), 0.02), "wpe": normal(rng, (sequence, width), 0.02)}
        params["blocks"] = [block(rng) for _ in range(layers)]
        return params | {"gf": ones(width), "bf": zeros(width)}

    def batches(rng):
        tokens = rng.integers(0, vocabulary, (batch, sequence + 1)).astype(np.int32)
        return {"tok": tokens[:, :-1], "lab": tokens[:, 1:]}

    def attention(p, x, mask):
        q = jnp.einsum("bsd,dhk->bshk", x, p["wq"]) + p["bq"]
        k = jnp.einsum("bsd,dhk->bshk", x, p["wk"]) + p["bk"]
        v = jnp.einsum("bsd,dhk->bshk", x, p["wv"]) + p["bv"]
        scores = jnp.einsum("bqhk,bshk->bhqs", q, k) * (1.0 / np.sqrt(head))
        weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1)
        mixed = jnp.einsum("bhqs,bshk->bqhk", weights, v)
        return jnp.einsum("bqhk,hkd->bqd", mixed, p["wo"]) + p["bo"]

    def loss(params, batch):
        x = params["wte"][batch["tok"]] + params["wpe"]
        mask = jnp.tril(jnp.ones((sequence, sequence), bool))[None, None]
        for p in params["blocks"]:
            x = x + attention(p, layer_norm(x, p["g1"], p["b1"]), mask)
            y = layer_norm(x, p["g2"], p["b2"])
            x = x + (jax.nn.gelu(y @ p["w1"] + p["c1"]) @ p["w2"] + p["c2"])
        x = layer_norm(x, params["gf"], params["bf"])
        return cross_entropy(jnp.einsum("bsd,vd->bsv", x, params["wte"]), batch["lab"])

    split = {
        "g1": P(), "b1": P(), "g2": P(), "b2": P(), "bo": P(), "c2": P(),
        "wq": P(None, "model", None), "wk": P(None, "model", None), "wv": P(None, "model", None),
        "bq": P("model", None), "bk": P("model", None), "bv": P("model", None), "wo": P("model", None, None),
        "w1": P(None, "model"), "c1": P("model"), "w2": P("model", None),
    }
    specs = {"wte": P("model", None), "wpe": P(), "blocks": [split] * layers, "gf": P(), "bf": P()}
    return Model(init, batches, loss, specs)


# Two 3x3 convolutions of 32 and 64 channels, max pooling, and two fully connected layers, on square images of one channel.


def cnn(image, batch):
    pooled = (image - 4) // 2
    flat = 64 * pooled * pooled

    def init(rng):
        return {
            "k1": normal(rng, (32, 1, 3, 3), 0.3), "c1": zeros(32),
            "k2": normal(rng, (64, 32, 3, 3), 0.06), "c2": zeros(64),
            "w1": normal(rng, (flat, 128), 0.015), "b1": zeros(128),
            "w2": normal(rng, (128, 10), 0.1), "b2": zeros(10),
        }

    def batches(rng):
        x = normal(rng, (batch, 1, image, image), 1)
        return {"x": x, "y": rng.integers(0, 10, (batch,)).astype(np.int32)}

    def convolution(x, kernel, bias):
        x = lax.conv_general_dilated(x, kernel, (1, 1), "VALID", dimension_numbers=("NCHW", "OIHW", "NCHW"))
        return jax.nn.relu(x + bias[None, :, None, None])

    def loss(params, batch):
        x = convolution(batch["x"], params["k1"], params["c1"])
        x = convolution(x, params["k2"], params["c2"])
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        x = x.reshape(x.shape[0], -1)
        x = jax.nn.relu(x @ params["w1"] + params["b1"])
        return cross_entropy(x @ params["w2"] + params["b2"], batch["y"])

    specs = {
        "k1": P("model", None, None, None), "c1": P("model"), "k2": P(None, "model", None, None), "c2": P(),
        "w1": P(None, "model"), "b1": P("model"), "w2": P("model", None), "b2": P(),
    }
    return Model(init, batches, loss, specs)


# Mixture of experts with top-1 gating, a capacity per expert, and the load-balancing loss of the Switch Transformer (Fedus et al., section 2.2).


def mixture(experts, width, hidden, sequence, batch, capacity):
    def init(rng):
        return {
            "g": ones(width), "b": zeros(width), "wg": normal(rng, (width, experts), 0.02),
            "w1": normal(rng, (experts, width, hidden), np.sqrt(2 / width)),
            "w2": normal(rng, (experts, hidden, width), np.sqrt(2 / hidden)),
        }

    def batches(rng):
        shape = (batch, sequence, width)
        return {"x": normal(rng, shape, 1), "y": normal(rng, shape, 1)}

    def loss(params, batch):
        x = layer_norm(batch["x"], params["g"], params["b"])
        gates = jax.nn.softmax(jnp.einsum("gsd,de->gse", x, params["wg"]), axis=-1)
        chosen = jax.nn.one_hot(jnp.argmax(gates, axis=-1), experts)
        position = (jnp.cumsum(chosen, axis=1) - 1.0) * chosen
        accepted = chosen * (position < capacity)
        slot = (position * accepted).sum(-1).astype(jnp.int32)
        dispatch = accepted[..., None] * jax.nn.one_hot(slot, capacity)[:, :, None, :]
        combine = dispatch * (gates * chosen).sum(-1)[..., None, None]
        sent = jnp.einsum("gsec,gsd->egcd", dispatch, x)
        hidden = jax.nn.relu(jnp.einsum("egcd,edf->egcf", sent, params["w1"]))
        returned = jnp.einsum("egcf,efd->egcd", hidden, params["w2"])
        y = batch["x"] + jnp.einsum("gsec,egcd->gsd", combine, returned)
        balance = (chosen.mean((0, 1)) * gates.mean((0, 1))).sum() * experts
        return ((y - batch["y"]) ** 2).mean() + 0.01 * balance

    specs = {"g": P(), "b": P(), "wg": P(), "w1": P("data", None, None), "w2": P("data", None, None)}
    return Model(init, batches, loss, specs)


MODELS = {
    "mlp4": mlp(512, 2048, 64),
    "gpt2l": gpt(2, 256, 8, 128, 8, 1024),
    "moe_ep": mixture(8, 256, 512, 128, 8, 32),
    "cnn": cnn(28, 64),
    "mlp4_tiny": mlp(32, 64, 16),
    "gpt2l_tiny": gpt(2, 64, 8, 32, 8, 128),
    "cnn_tiny": cnn(12, 8),
}


# Programs: the loss, or one training step.


def forward(model):
    return lambda params, batch: model.loss(params, batch)


def sgd_step(loss, rate, params, batch):
    value, grads = jax.value_and_grad(loss)(params, batch)
    return value, jax.tree.map(lambda p, g: p - rate * g, params, grads)


def adam_step(loss, params, state, batch):
    lr, b1, b2, eps = ADAM["lr"], ADAM["b1"], ADAM["b2"], ADAM["eps"]
    value, grads = jax.value_and_grad(loss)(params, batch)
    t = state["t"] + 1.0
    m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, state["m"], grads)
    v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, state["v"], grads)
    c1, c2 = 1 - b1**t, 1 - b2**t
    update = lambda p, m, v: p - lr * (m / c1) / (jnp.sqrt(v / c2) + eps)
    return value, jax.tree.map(update, params, m, v), {"m": m, "v": v, "t": t}


def sgd(model, rate):
    return lambda params, batch: sgd_step(model.loss, rate, params, batch)


def adam(model):
    return lambda params, state, batch: adam_step(model.loss, params, state, batch)


def adam_state(params):
    zero = lambda: jax.tree.map(np.zeros_like, params)
    return {"m": zero(), "v": zero(), "t": np.float32(0)}


def lower(model, program, annotation, mesh=None, name=None):
    """Returns the StableHLO text of a program. `annotation` is plain, sdy, or mhlo."""
    rng = np.random.default_rng(SEED)
    params, batch = model.init(rng), model.batch(rng)
    kind, _, rate = program.partition("_lr")
    if kind == "fwd":
        function, arguments = forward(model), (params, batch)
    elif kind == "sgd":
        function, arguments = sgd(model, float(rate or LEARNING_RATE)), (params, batch)
    else:
        function, arguments = adam(model), (params, adam_state(params), batch)
    if name:
        function.__name__ = name
    arguments = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype), arguments)
    if annotation == "plain":
        return jax.jit(function).lower(*arguments).as_text()
    jax.config.update("jax_use_shardy_partitioner", annotation == "sdy")
    mesh = Mesh(np.array(jax.devices()).reshape(MESHES[mesh]), ("data", "model"))
    placed = lambda tree: jax.tree.map(lambda spec: NamedSharding(mesh, spec), tree, is_leaf=lambda x: isinstance(x, P))
    specs, scalar = placed(model.specs), NamedSharding(mesh, P())
    batch_specs = jax.tree.map(lambda a: NamedSharding(mesh, P("data", *[None] * (len(a.shape) - 1))), batch)
    inputs, outputs = (specs, batch_specs), (scalar, specs)
    if kind == "fwd":
        outputs = scalar
    elif kind == "adam":
        state = {"m": specs, "v": specs, "t": scalar}
        inputs, outputs = (specs, state, batch_specs), (scalar, specs, state)
    return jax.jit(function, in_shardings=inputs, out_shardings=outputs).lower(*arguments).as_text()


def modules():
    """Returns the name and the arguments of `lower` of each module."""
    all_of = ["plain", "sdy.data8", "sdy.model8", "sdy.d2m4", "mhlo.d2m4"]
    listed = {}
    for model in MODELS:
        if model == "cnn_tiny":
            programs = {"fwd": ["plain"], f"sgd_lr{LEARNING_RATE_CNN}": ["plain"]}
        else:
            few = ["plain"] if model.endswith("_tiny") else ["plain", "sdy.d2m4", "mhlo.d2m4"]
            programs = {"fwd": all_of, "sgd": all_of, "adam": few}
        for program, annotations in programs.items():
            for annotation in annotations:
                kind, _, mesh = annotation.partition(".")
                listed[f"{model}.{program}.{annotation}.mlir"] = (MODELS[model], program, kind, mesh or None)
    for layers in (2, 12, 48, 96):
        # The larger two are stored compressed.
        ending = ".gz" if layers >= 48 else ""
        model = gpt(layers, 64, 8, 128, 8, 1024)
        listed[f"depth/gpt_d64_L{layers}.sgd.sdy.d2m4.mlir{ending}"] = (model, "sgd", "sdy", "d2m4", "step")
    return listed


def path_text(path):
    return jax.tree_util.keystr(path)


def spec_text(spec):
    """Prints a PartitionSpec as a Python expression: P('model',), P(None, 'model')."""
    return f"P{tuple(spec)!r}"


def index():
    """Returns the names of the flattened arguments and the PartitionSpecs of the parameters, by model."""
    entries = {}
    for name, model in MODELS.items():
        # The arguments of `cnn_tiny` are those of `cnn`.
        if name == "cnn_tiny":
            continue
        rng = np.random.default_rng(SEED)
        params, batch = model.init(rng), model.batch(rng)
        names = lambda tree: [path_text(path) for path, _ in jax.tree_util.tree_flatten_with_path(tree)[0]]
        specs = jax.tree_util.tree_flatten_with_path(model.specs, is_leaf=lambda x: isinstance(x, P))[0]
        entries[name] = {
            "args": {"params": names(params), "batch": names(batch)},
            "specs": {path_text(path): spec_text(spec) for path, spec in specs},
        }
    return json.dumps(entries, indent=1)


def golden(name):
    """Returns tensors by name, and metadata: what JAX computes at highest matmul precision."""
    model = MODELS[name]
    is_cnn = name.startswith("cnn")
    rate = LEARNING_RATE_CNN if is_cnn else LEARNING_RATE
    metadata = {"model": name, "jax": jax.__version__, "precision": "highest", "lr_sgd": str(rate)}
    rng = np.random.default_rng(SEED)
    params, batch = model.init(rng), model.batch(rng)
    tensors = {}

    def record(prefix, tree):
        for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]:
            tensors[prefix + path_text(path)] = np.asarray(leaf)

    with jax.default_matmul_precision("highest"):
        value, grads = jax.jit(jax.value_and_grad(model.loss))(params, batch)
        step = jax.jit(sgd(model, rate))
        trajectory, trained = [], params
        for at in range(TRAJECTORY_STEPS):
            now, trained = step(trained, batch)
            trajectory.append(now)
            if at == 0:
                record("sgd", trained)
        # The gradients of the CNN contain exact zeros, whose step of Adam is decided by rounding.
        if not is_cnn:
            metadata["adam"] = "lr1e-3 b1.9 b2.999 eps1e-8 (t=1)"
            record("adam", jax.jit(adam(model))(params, adam_state(params), batch)[1])
    record("param", params)
    record("batch", batch)
    record("grad", grads)
    tensors["loss"] = np.asarray(value).reshape(1)
    tensors["sgd_loss_trajectory"] = np.asarray(trajectory)
    return tensors, metadata


def write(out, only):
    """Writes the files whose name starts with `only`."""
    (out / "stablehlo/depth").mkdir(parents=True, exist_ok=True)
    (out / "golden").mkdir(exist_ok=True)
    for name, arguments in modules().items():
        if name.startswith(only):
            text = lower(*arguments).encode()
            path = out / "stablehlo" / name
            # Without a time stamp, so that equal contents give equal files.
            path.write_bytes(gzip.compress(text, 9, mtime=0) if name.endswith(".gz") else text)
    if "index.json".startswith(only):
        (out / "stablehlo/index.json").write_text(index())
    for name in ("mlp4_tiny", "gpt2l_tiny", "cnn_tiny"):
        if name.startswith(only):
            files.save_safetensors(out / "golden" / f"{name}.safetensors", *golden(name))


if __name__ == "__main__":
    sys.exit(files.main(__doc__, write))
