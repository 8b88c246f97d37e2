"""Writes StableHLO modules of programs as users write them: models of Flax and Equinox, training steps of Optax, functions
that return losses and gradients, inference and decoding.

    python user_programs.py OUT            writes OUT/users
    python user_programs.py --check DATA   compares with DATA/users, writes nothing
"""

import dataclasses
import functools
import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax import lax

import files

# Examples of a batch, positions, width of the model, heads, width of a head, hidden units, vocabulary.
B, S, D, H, K, F, V = 6, 12, 16, 6, 4, 24, 60
I32, BF16 = jnp.int32, jnp.bfloat16


def shape(*sizes, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(sizes, dtype)


def tokens(*sizes):
    return shape(*(sizes or (B, S)), dtype=I32)


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def rms_norm(x, scale):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * scale


def layer_norm(x, p):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * p["scale"] + p["bias"]


def norm():
    return {"scale": shape(D), "bias": shape(D)}


def causal(s):
    return jnp.tril(jnp.ones((s, s), bool))


def attend(q, k, v, mask=None):
    """Returns attention of [batch, position, head, feature]."""
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = jnp.where(mask, scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)


def train_step(loss, optimizer, params, *batch):
    """Returns one training step with an optimizer, and the shapes of its arguments."""

    def step(params, state, *batch):
        value, grads = jax.value_and_grad(loss)(params, *batch)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    return step, params, jax.eval_shape(optimizer.init, params), *batch


# Transformers


def linen_transformer():
    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            y = nn.LayerNorm()(x)
            attention = nn.MultiHeadDotProductAttention(H, qkv_features=H * K, use_bias=False)
            x = x + attention(y, y, mask=nn.make_causal_mask(x[..., 0]))
            y = nn.gelu(nn.Dense(F)(nn.LayerNorm()(x)))
            return x + nn.Dense(D, use_bias=False)(y)

    class Model(nn.Module):
        @nn.compact
        def __call__(self, ids):
            x = nn.Embed(V, D)(ids) + self.param("positions", nn.initializers.normal(), (S, D))
            x = Block()(x)
            return nn.Dense(V)(nn.LayerNorm()(x))

    model = Model()
    params = jax.eval_shape(model.init, jax.random.key(0), tokens())
    loss = lambda p, x, y: cross_entropy(model.apply(p, x), y)
    return train_step(loss, optax.adamw(1e-3), params, tokens(), tokens())


def llama_params(layers=2):
    layer = {
        "attention_norm": shape(D), "wq": shape(D, H * K), "wk": shape(D, 2 * K), "wv": shape(D, 2 * K),
        "wo": shape(H * K, D),
        "mlp_norm": shape(D), "gate": shape(D, F), "up": shape(D, F), "down": shape(F, D),
    }
    return {"embed": shape(V, D), "layers": [layer] * layers, "norm": shape(D), "head": shape(D, V)}


def rope(x, positions):
    angles = positions[:, :, None, None] * 0.1 ** jnp.arange(K // 2)
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * jnp.cos(angles) - b * jnp.sin(angles), a * jnp.sin(angles) + b * jnp.cos(angles)], -1)


def llama_layer(p, x, mask, positions):
    b, s, _ = x.shape
    y = rms_norm(x, p["attention_norm"])
    q = rope((y @ p["wq"]).reshape(b, s, H, K), positions)
    k = rope((y @ p["wk"]).reshape(b, s, 2, K), positions)
    v = (y @ p["wv"]).reshape(b, s, 2, K)
    k, v = jnp.repeat(k, H // 2, axis=2), jnp.repeat(v, H // 2, axis=2)
    x = x + attend(q, k, v, mask).reshape(b, s, H * K) @ p["wo"]
    y = rms_norm(x, p["mlp_norm"])
    return x + (jax.nn.silu(y @ p["gate"]) * (y @ p["up"])) @ p["down"]


def llama(params, ids):
    x = params["embed"][ids]
    positions = jnp.broadcast_to(jnp.arange(ids.shape[1]), ids.shape)
    for p in params["layers"]:
        x = llama_layer(p, x, causal(ids.shape[1]), positions)
    return rms_norm(x, params["norm"]) @ params["head"]


def llama_loss(params, batch):
    return cross_entropy(llama(params, batch["inputs"]), batch["targets"])


BATCH = {"inputs": tokens(), "targets": tokens()}


def preferences():
    """Direct preference optimisation, relative to a reference model whose weights do not change."""

    def log_likelihood(params, ids):
        scores = jax.nn.log_softmax(llama(params, ids[:, :-1]))
        return jnp.take_along_axis(scores, ids[:, 1:, None], axis=2).sum((1, 2))

    def loss(params, reference, chosen, rejected):
        gain = lambda ids: log_likelihood(params, ids) - log_likelihood(reference, ids)
        return -jax.nn.log_sigmoid(0.1 * (gain(chosen) - gain(rejected))).mean()

    params = llama_params(layers=1)
    return train_step(loss, optax.adamw(1e-3), params, params, tokens(), tokens())


def llama_bf16_remat():
    """A step in low precision that recomputes layers, returns metrics, and updates donated arguments."""
    optimizer = optax.adam(1e-3)

    def loss(params, batch):
        low = jax.tree.map(lambda p: p.astype(BF16), params)
        x, ids = low["embed"][batch["inputs"]], batch["inputs"]
        positions = jnp.broadcast_to(jnp.arange(S), ids.shape)
        for p in low["layers"]:
            x = jax.checkpoint(llama_layer)(p, x, causal(S), positions.astype(BF16))
        logits = (rms_norm(x, low["norm"]) @ low["head"]).astype(jnp.float32)
        return cross_entropy(logits, batch["targets"]), {"accuracy": (logits.argmax(-1) == batch["targets"]).mean()}

    @functools.partial(jax.jit, donate_argnums=0)
    def step(state, batch):
        (value, metrics), grads = jax.value_and_grad(loss, has_aux=True)(state["params"], batch)
        updates, optimizer_state = optimizer.update(grads, state["optimizer"])
        params = optax.apply_updates(state["params"], updates)
        return {"params": params, "optimizer": optimizer_state, "step": state["step"] + 1}, value, metrics

    params = llama_params(layers=1)
    state = {"params": params, "optimizer": jax.eval_shape(optimizer.init, params), "step": shape(dtype=I32)}
    return step, state, BATCH


def scanned_layers():
    """Layers whose weights are stacked along a first dimension."""

    def layer(x, p):
        b, s, _ = x.shape
        q, k, v = jnp.split(rms_norm(x, p["norm1"]) @ p["qkv"], 3, axis=-1)
        x = x + attend(*(t.reshape(b, s, H, K) for t in (q, k, v)), causal(s)).reshape(b, s, H * K) @ p["out"]
        return x + jax.nn.gelu(rms_norm(x, p["norm2"]) @ p["up"]) @ p["down"], None

    def loss(params, ids, labels):
        x, _ = lax.scan(layer, params["embed"][ids], params["layers"])
        return cross_entropy(x @ params["embed"].T, labels)

    n = 3
    layers = {
        "norm1": shape(n, D), "qkv": shape(n, D, 3 * H * K), "out": shape(n, H * K, D),
        "norm2": shape(n, D), "up": shape(n, D, F), "down": shape(n, F, D),
    }
    return jax.value_and_grad(loss), {"embed": shape(V, D), "layers": layers}, tokens(), tokens()


def scanned_dropout():
    """A step with Adam in which a scan applies layers in bf16, with dropout whose key is carried by the scan."""

    def layer(carried, p):
        x, key = carried
        key, own = jax.random.split(key)
        p = jax.tree.map(lambda w: w.astype(BF16), p)
        y = jax.nn.gelu(rms_norm(x, p["norm"]) @ p["up"]) @ p["down"]
        keeps = jax.random.bernoulli(own, 0.75, y.shape)
        return (x + jnp.where(keeps, y / 0.75, 0).astype(x.dtype), key), None

    def loss(params, ids, labels, seed):
        x = params["embed"][ids].astype(BF16)
        (x, _), _ = lax.scan(layer, (x, jax.random.wrap_key_data(seed)), params["layers"])
        return cross_entropy(x.astype(jnp.float32) @ params["embed"].T, labels)

    optimizer = optax.adam(1e-3)

    def step(params, state, ids, labels, seed):
        value, gradients = jax.value_and_grad(loss)(params, ids, labels, seed)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value

    n = 3
    params = {
        "embed": shape(V, D),
        "layers": {"norm": shape(n, D), "up": shape(n, D, F), "down": shape(n, F, D)},
    }
    state = jax.eval_shape(optimizer.init, params)
    return step, params, state, tokens(), tokens(), shape(2, dtype=jnp.uint32)


def kv_cache_decoding():
    """One step of decoding: a token for each sequence, at a position of the cache."""

    def step(params, cache, token, position):
        x, new = params["embed"][token], []
        for p, (keys, values) in zip(params["layers"], cache):
            y = rms_norm(x, p["attention_norm"])
            q = (y @ p["wq"]).reshape(B, 1, H, K)
            keys = lax.dynamic_update_slice(keys, (y @ p["wk"]).reshape(B, 1, H, K), (0, position, 0, 0))
            values = lax.dynamic_update_slice(values, (y @ p["wv"]).reshape(B, 1, H, K), (0, position, 0, 0))
            mask = jnp.arange(S) <= position
            x = x + attend(q, keys, values, mask).reshape(B, H * K) @ p["wo"]
            y = rms_norm(x, p["mlp_norm"])
            x = x + (jax.nn.silu(y @ p["gate"]) * (y @ p["up"])) @ p["down"]
            new.append((keys, values))
        return rms_norm(x, params["norm"]) @ params["head"], new

    params = llama_params()
    params["layers"] = [{**layer, "wk": shape(D, H * K), "wv": shape(D, H * K)} for layer in params["layers"]]
    return step, params, [(shape(B, S, H, K), shape(B, S, H, K))] * 2, tokens(B), shape(dtype=I32)


def bert(qkv, weights, out="bshk,hkd->bsd"):
    """An encoder with one weight for queries, keys and values; `qkv` splits the products of a layer."""

    def loss(params, ids, mask, labels):
        x = params["embed"][ids] + params["positions"]
        for p in params["layers"]:
            y = attend(*qkv(p, x), mask[:, None, None, :])
            x = layer_norm(x + jnp.einsum(out, y, p["out"]), p["norm1"])
            y = jax.nn.gelu(x @ p["up"]["w"] + p["up"]["b"]) @ p["down"]["w"] + p["down"]["b"]
            x = layer_norm(x + y, p["norm2"])
        return cross_entropy(x[:, 0] @ params["head"], labels)

    layer = {
        **weights, "out": shape(H, K, D), "norm1": norm(), "norm2": norm(),
        "up": {"w": shape(D, F), "b": shape(F)}, "down": {"w": shape(F, D), "b": shape(D)},
    }
    params = {"embed": shape(V, D), "positions": shape(S, D), "layers": [layer] * 2, "head": shape(D, 3)}
    return jax.value_and_grad(loss), params, tokens(), shape(B, S, dtype=jnp.bool_), tokens(B)


def bert_fused_matrix():
    def qkv(p, x):
        return (t.reshape(B, S, H, K) for t in jnp.split(x @ p["qkv"] + p["qkv_bias"], 3, axis=-1))

    return bert(qkv, {"qkv": shape(D, 3 * H * K), "qkv_bias": shape(3 * H * K)})


def bert_fused_tensor():
    def qkv(p, x):
        y = jnp.einsum("bsd,dchk->cbshk", x, p["qkv"])
        return y[0], y[1], y[2]

    return bert(qkv, {"qkv": shape(D, 3, H, K)})


def bert_einsum():
    def qkv(p, x):
        return (jnp.einsum("bsd,dhk->bshk", x, p[name]) for name in ("query", "key", "value"))

    return bert(qkv, {name: shape(D, H, K) for name in ("query", "key", "value")})


def fused_attention():
    """A loss with the attention function of JAX, and a step of plain gradient descent."""

    def loss(params, x, y):
        for p in params:
            heads = [(x @ p[name]).reshape(B, S, H, K) for name in ("q", "k", "v")]
            x = x + jax.nn.dot_product_attention(*heads, is_causal=True).reshape(B, S, H * K) @ p["o"]
            x = x + jax.nn.relu(x @ p["up"]) @ p["down"]
        return ((x - y) ** 2).mean()

    def step(params, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value

    layer = {name: shape(D, H * K) for name in ("q", "k", "v")}
    layer |= {"o": shape(H * K, D), "up": shape(D, F), "down": shape(F, D)}
    return step, [layer] * 2, shape(B, S, D), shape(B, S, D)


def vit():
    def logits(params, images):
        x = images.reshape(B, 2, 4, 2, 4, 3).transpose(0, 1, 3, 2, 4, 5).reshape(B, 4, 48) @ params["patch"]
        x = jnp.concatenate([jnp.broadcast_to(params["cls"], (B, 1, D)), x], axis=1) + params["positions"]
        for p in params["layers"]:
            y = layer_norm(x, p["norm1"])
            heads = [(y @ p[name]).reshape(B, 5, H, K) for name in ("q", "k", "v")]
            x = x + attend(*heads).reshape(B, 5, H * K) @ p["o"]
            x = x + jax.nn.gelu(layer_norm(x, p["norm2"]) @ p["up"]) @ p["down"]
        return x[:, 0] @ params["head"]

    layer = {name: shape(D, H * K) for name in ("q", "k", "v")}
    layer |= {"o": shape(H * K, D), "up": shape(D, F), "down": shape(F, D), "norm1": norm(), "norm2": norm()}
    params = {"patch": shape(48, D), "cls": shape(D), "positions": shape(5, D), "layers": [layer] * 2}
    params["head"] = shape(D, 9)
    loss = lambda p, x, y: cross_entropy(logits(p, x), y)
    return train_step(loss, optax.sgd(0.1, momentum=0.9), params, shape(B, 8, 8, 3), tokens(B))


def t5():
    """An encoder and a decoder with cross attention and relative biases."""

    def attention(p, x, memory, bias):
        q = jnp.einsum("bsd,dhk->bshk", x, p["q"])
        k, v = (jnp.einsum("bsd,dhk->bshk", memory, p[name]) for name in ("k", "v"))
        weights = jax.nn.softmax(jnp.einsum("bqhk,bshk->bhqs", q, k) + bias, axis=-1)
        return jnp.einsum("bqhk,hkd->bqd", jnp.einsum("bhqs,bshk->bqhk", weights, v), p["o"])

    def mlp(p, x):
        return (jax.nn.gelu(x @ p["gate"]) * (x @ p["up"])) @ p["down"]

    def loss(params, batch):
        x, y = params["embed"][batch["source"]], params["embed"][batch["target"]]
        bias = params["bias"][jnp.abs(jnp.arange(S)[:, None] - jnp.arange(S))].transpose(2, 0, 1)
        for p in params["encoder"]:
            z = rms_norm(x, p["norm1"])
            x = x + attention(p["attention"], z, z, bias)
            x = x + mlp(p["mlp"], rms_norm(x, p["norm2"]))
        for p in params["decoder"]:
            z = rms_norm(y, p["norm1"])
            y = y + attention(p["attention"], z, z, jnp.where(causal(8), 0, -1e9))
            y = y + attention(p["cross"], rms_norm(y, p["norm2"]), x, 0)
            y = y + mlp(p["mlp"], rms_norm(y, p["norm3"]))
        return cross_entropy(y @ params["head"], batch["labels"])

    attend_ = {"q": shape(D, H, K), "k": shape(D, H, K), "v": shape(D, H, K), "o": shape(H, K, D)}
    mlp_ = {"gate": shape(D, F), "up": shape(D, F), "down": shape(F, D)}
    encoder = {"attention": attend_, "mlp": mlp_, "norm1": shape(D), "norm2": shape(D)}
    decoder = {**encoder, "cross": attend_, "norm3": shape(D)}
    params = {"embed": shape(V, D), "bias": shape(S, H), "encoder": [encoder], "decoder": [decoder]}
    params["head"] = shape(D, V)
    return jax.value_and_grad(loss), params, {"source": tokens(), "target": tokens(B, 8), "labels": tokens(B, 8)}


# Mixtures of experts


def moe_params(experts=6):
    expert = {"up": shape(experts, D, F), "down": shape(experts, F, D)}
    return {"embed": shape(V, D), "gate": shape(D, experts), "experts": expert, "head": shape(D, V)}


def moe_one_hot():
    def loss(params, ids, labels):
        x = params["embed"][ids].reshape(B * S, D)
        scores = jax.nn.softmax(x @ params["gate"])
        weights, chosen = lax.top_k(scores, 2)
        dispatch = jax.nn.one_hot(chosen, 6)
        inputs = jnp.einsum("tke,td->etd", dispatch, x)
        hidden = jax.nn.gelu(jnp.einsum("etd,edf->etf", inputs, params["experts"]["up"]))
        outputs = jnp.einsum("etf,efd->etd", hidden, params["experts"]["down"])
        x = x + jnp.einsum("tke,tk,etd->td", dispatch, weights, outputs)
        return cross_entropy(x.reshape(B, S, D) @ params["head"], labels)

    return train_step(loss, optax.adam(1e-3), moe_params(), tokens(), tokens())


def moe_sorted():
    """Tokens sorted by expert, in slots of equal capacity."""

    def loss(params, ids, labels):
        x = params["embed"][ids].reshape(B * S, D)
        scores = jax.nn.softmax(x @ params["gate"])
        chosen = scores.argmax(-1)
        order = jnp.argsort(chosen)
        slots = x[order].reshape(4, B * S // 4, D)
        hidden = jax.nn.gelu(jnp.einsum("ecd,edf->ecf", slots, params["experts"]["up"]))
        outputs = jnp.einsum("ecf,efd->ecd", hidden, params["experts"]["down"]).reshape(B * S, D)
        x = x.at[order].add(outputs) * scores.max(-1, keepdims=True)
        return cross_entropy(x.reshape(B, S, D) @ params["head"], labels)

    return jax.value_and_grad(loss), moe_params(4), tokens(), tokens()


def moe_ragged():
    """Tokens sorted by expert, in groups of any size, and put back by the inverse permutation."""

    def loss(params, ids, labels):
        x = params["embed"][ids].reshape(B * S, D)
        weights, chosen = lax.top_k(jax.nn.softmax(x @ params["gate"]), 2)
        order = jnp.argsort(chosen.ravel())
        sizes = jnp.bincount(chosen.ravel(), length=4)
        hidden = lax.ragged_dot(jnp.take(x, order // 2, axis=0), params["experts"]["up"], sizes)
        outputs = lax.ragged_dot(jax.nn.silu(hidden), params["experts"]["down"], sizes)
        outputs = jnp.take(outputs, jnp.argsort(order), axis=0).reshape(B * S, 2, D)
        x = x + jnp.einsum("tkd,tk->td", outputs, weights)
        return cross_entropy(x.reshape(B, S, D) @ params["head"], labels)

    return train_step(loss, optax.adam(1e-3), moe_params(4), tokens(), tokens())


# Concatenated batches


def preferences_joined():
    """Direct preference optimisation of chosen and rejected answers, which are one batch for the model."""

    def log_probabilities(params, ids, mask):
        log = jax.nn.log_softmax(llama(params, ids)[:, :-1])
        chosen = jnp.take_along_axis(log, ids[:, 1:, None], -1)[..., 0]
        return (chosen * mask[:, 1:]).sum(-1)

    def loss(params, reference, chosen, rejected, masks):
        ids, mask = jnp.concatenate([chosen, rejected]), jnp.concatenate(masks)
        ratio = log_probabilities(params, ids, mask) - lax.stop_gradient(log_probabilities(reference, ids, mask))
        return -jax.nn.log_sigmoid(0.1 * (ratio[:B] - ratio[B:])).mean()

    return jax.value_and_grad(loss), llama_params(), llama_params(), tokens(), tokens(), [shape(B, S), shape(B, S)]


def guided_denoising():
    """A step of a diffusion model with classifier-free guidance: the batch without and with a condition."""

    def noise(params, x, time, condition):
        hidden = x @ params["in"] + jnp.sin(time[:, None] * params["frequency"]) @ params["time"]
        hidden = jax.nn.silu(hidden[:, None] + condition @ params["condition"])
        return layer_norm(hidden @ params["mid"], params["norm"]).mean(1) @ params["out"]

    def step(params, x, time, empty, condition, scale):
        twice = lambda a, b: jnp.concatenate([a, b])
        without, with_condition = jnp.split(noise(params, twice(x, x), twice(time, time), twice(empty, condition)), 2)
        return x - 0.1 * (without + scale * (with_condition - without))

    weights = {name: shape(D, D) for name in ["in", "time", "condition", "mid", "out"]}
    params = {**weights, "frequency": shape(D), "norm": norm()}
    return step, params, shape(B, D), shape(B), shape(B, 5, D), shape(B, 5, D), shape()


# Frozen weights


def perceptron_params(*widths):
    return [{"w": shape(*pair), "b": shape(pair[1])} for pair in zip(widths, widths[1:])]


def perceptron(params, x):
    for p in params[:-1]:
        x = jnp.tanh(x @ p["w"] + p["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def distillation():
    """A student with the outputs of a wider, frozen teacher."""

    def loss(params, teacher, x):
        target = jax.nn.softmax(perceptron(teacher, x))
        return -(target * jax.nn.log_softmax(perceptron(params, x))).sum(-1).mean()

    def step(teacher, params, x):
        value, gradients = jax.value_and_grad(loss)(params, teacher, x)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), value

    return step, perceptron_params(D, 40, 40, 8), perceptron_params(D, F, 8), shape(B, D)


# Dense layers


def nnx_mlp():
    class Model(nnx.Module):
        def __init__(self, rngs):
            self.up, self.down = nnx.Linear(D, F, rngs=rngs), nnx.Linear(F, 5, rngs=rngs)

        def __call__(self, x):
            return self.down(nnx.relu(self.up(x)))

    graph, state = nnx.split(nnx.eval_shape(lambda: Model(nnx.Rngs(0))))
    loss = lambda state, x, y: cross_entropy(nnx.merge(graph, state)(x), y)
    return train_step(loss, optax.sgd(0.1), state, shape(B, D), tokens(B))


def equinox_mlp():
    model = eqx.filter_eval_shape(eqx.nn.MLP, D, 5, F, 2, key=jax.random.key(0))
    params, static = eqx.partition(model, lambda x: isinstance(x, jax.ShapeDtypeStruct))
    loss = lambda params, x, y: ((jax.vmap(eqx.combine(params, static))(x) - y) ** 2).mean()
    return jax.value_and_grad(loss), params, shape(B, D), shape(B, 5)


def gated_mlp():
    def loss(params, x, y):
        for p in params:
            x = x + (jax.nn.silu(x @ p["gate"]) * (x @ p["up"])) @ p["down"]
        return ((x - y) ** 2).mean()

    layer = {"gate": shape(D, F), "up": shape(D, F), "down": shape(F, D)}
    return train_step(loss, optax.adafactor(1e-3, min_dim_size_to_factor=4), [layer] * 2, shape(B, D), shape(B, D))


def fused_gated_mlp():
    def model(params, x):
        for p in params:
            gate, up = jnp.split(x @ p["w_in"], 2, axis=-1)
            x = x + (jax.nn.silu(gate) * up) @ p["w_out"]
        return x

    return model, [{"w_in": shape(D, 2 * F), "w_out": shape(F, D)}] * 2, shape(B, S, D)


def mlp_inference():
    def model(params, x):
        for w, b in params[:-1]:
            x = jnp.tanh(x @ w + b)
        return x @ params[-1][0] + params[-1][1]

    return model, [(shape(a, b), shape(b)) for a, b in ((D, F), (F, D), (D, 3))], shape(B, D)


def mixer():
    def loss(params, x, y):
        for p in params["layers"]:
            z = layer_norm(x, p["norm1"]).transpose(0, 2, 1)
            x = x + (jax.nn.gelu(z @ p["tokens_up"]) @ p["tokens_down"]).transpose(0, 2, 1)
            x = x + jax.nn.gelu(layer_norm(x, p["norm2"]) @ p["up"]) @ p["down"]
        return cross_entropy(x.mean(1) @ params["head"], y)

    layer = {
        "norm1": norm(), "norm2": norm(), "tokens_up": shape(S, 20), "tokens_down": shape(20, S),
        "up": shape(D, F), "down": shape(F, D),
    }
    return train_step(loss, optax.lion(1e-3), {"layers": [layer] * 2, "head": shape(D, 5)}, shape(B, S, D), tokens(B))


def dataclass_params():
    @functools.partial(jax.tree_util.register_dataclass, data_fields=["weight", "bias"], meta_fields=[])
    @dataclasses.dataclass
    class Dense:
        weight: object
        bias: object

    def loss(layers, batch):
        x = batch["x"]
        for layer in layers[:-1]:
            x = jax.nn.relu(x @ layer.weight.T + layer.bias)
        x = x @ layers[-1].weight.T + layers[-1].bias
        return ((x - batch["y"]) ** 2).mean(), x

    layers = [Dense(shape(b, a), shape(b)) for a, b in ((D, F), (F, F), (F, 3))]
    return jax.value_and_grad(loss, has_aux=True), layers, {"x": shape(B, D), "y": shape(B, 3)}


def accumulated_gradients():
    """Gradients of micro-batches, accumulated in a loop."""

    def loss(params, x, y):
        return ((jnp.tanh(x @ params["up"]) @ params["down"] - y) ** 2).mean()

    def step(params, xs, ys):
        zeros = jax.tree.map(jnp.zeros_like, params)
        add = lambda grads, batch: (jax.tree.map(jnp.add, grads, jax.grad(loss)(params, *batch)), None)
        grads, _ = lax.scan(add, zeros, (xs, ys))
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    return step, {"up": shape(D, F), "down": shape(F, 5)}, shape(4, B, D), shape(4, B, 5)


def accumulated_tokens():
    """A step of a language model that divides its batch into micro-batches, and sums their losses over all tokens."""
    optimizer = optax.adamw(1e-3)

    def loss(params, ids, mask):
        losses = optax.softmax_cross_entropy_with_integer_labels(llama(params, ids)[:, :-1], ids[:, 1:])
        return (losses * mask[:, 1:]).sum(), mask[:, 1:].sum()

    def step(params, state, ids, mask):
        def add(sums, batch):
            (value, count), grads = jax.value_and_grad(loss, has_aux=True)(params, *batch)
            return jax.tree.map(jnp.add, sums, (grads, value, count)), None

        divided = [x.reshape(2, -1, S) for x in (ids, mask)]
        (grads, value, count), _ = lax.scan(add, (jax.tree.map(jnp.zeros_like, params), 0.0, 0.0), divided)
        grads = jax.tree.map(lambda g: g / count, grads)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value / count

    params = llama_params(layers=1)
    return step, params, jax.eval_shape(optimizer.init, params), tokens(2 * B, S), shape(2 * B, S)


def accumulated_slices():
    """A step of gradient descent whose loop slices a micro-batch in each iteration."""

    def loss(params, x, y):
        return cross_entropy(jnp.tanh(x @ params["up"]) @ params["down"], y)

    def step(params, x, y):
        def add(i, grads):
            part = [lax.dynamic_slice_in_dim(z, i * B, B) for z in (x, y)]
            return jax.tree.map(lambda g, sum: sum + g / 4, jax.grad(loss)(params, *part), grads)

        grads = lax.fori_loop(0, 4, add, jax.tree.map(jnp.zeros_like, params))
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    return step, {"up": shape(D, F), "down": shape(F, 5)}, shape(4 * B, D), tokens(4 * B)


def clipped_example_gradients():
    """Differentially private descent: gradients of single examples, clipped and averaged."""

    def loss(params, x, y):
        return ((jnp.tanh(x @ params["up"]) @ params["down"] - y) ** 2).sum()

    def clipped(params, x, y):
        grads = jax.grad(loss)(params, x, y)
        norm = jnp.sqrt(sum((g * g).sum() for g in jax.tree.leaves(grads)))
        return jax.tree.map(lambda g: g / jnp.maximum(norm, 1), grads)

    def step(params, x, y):
        grads = jax.vmap(clipped, (None, 0, 0))(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g.mean(0), params, grads)

    return step, {"up": shape(D, F), "down": shape(F, 5)}, shape(B, D), shape(B, 5)


def autoencoder():
    """A variational autoencoder, with a key for its noise."""

    def loss(params, key, x):
        y = jax.nn.relu(x @ params["encode"])
        mean, log_var = y @ params["mean"], y @ params["var"]
        z = mean + jnp.exp(log_var / 2) * jax.random.normal(jax.random.wrap_key_data(key), mean.shape)
        x2 = jax.nn.relu(z @ params["decode"]) @ params["out"]
        return ((x - x2) ** 2).mean() + (mean**2 + jnp.exp(log_var) - log_var).mean()

    params = {"encode": shape(D, F), "mean": shape(F, 4), "var": shape(F, 4), "decode": shape(4, F), "out": shape(F, D)}
    return train_step(loss, optax.adam(1e-3), params, shape(2, dtype=jnp.uint32), shape(B, D))


def dlrm():
    """Embeddings of categories, and products of all pairs of features."""

    def loss(params, dense, categories, labels):
        x = dense
        for w in params["bottom"]:
            x = jax.nn.relu(x @ w)
        rows = [table[categories[:, i]] for i, table in enumerate(params["tables"])]
        x = jnp.stack([x, *rows], axis=1)
        pairs = jnp.einsum("bid,bjd->bij", x, x).reshape(B, -1)
        x = jax.nn.relu(jnp.concatenate([x[:, 0], pairs], 1) @ params["top"][0]) @ params["top"][1]
        return optax.sigmoid_binary_cross_entropy(x[:, 0], labels).mean()

    params = {
        "bottom": [shape(10, F), shape(F, 8)], "tables": [shape(V, 8), shape(30, 8)],
        "top": [shape(8 + 9, 20), shape(20, 1)],
    }
    return train_step(loss, optax.adagrad(0.01), params, shape(B, 10), tokens(B, 2), shape(B))


def clip():
    """Two towers and a contrastive loss over the batch."""

    def tower(p, x):
        x = jax.nn.gelu(x @ p["up"]) @ p["down"]
        return x / jnp.linalg.norm(x, axis=-1, keepdims=True)

    def loss(params, images, texts):
        a = tower(params["image"], images)
        b = tower(params["text"], params["embed"][texts].mean(1))
        logits = a @ b.T * jnp.exp(params["scale"])
        labels = jnp.arange(B)
        return (cross_entropy(logits, labels) + cross_entropy(logits.T, labels)) / 2

    tower_ = {"up": shape(D, F), "down": shape(F, 8)}
    params = {"image": tower_, "text": tower_, "embed": shape(V, D), "scale": shape()}
    return train_step(loss, optax.adamw(1e-3), params, shape(B, D), tokens())


def gcn():
    """Graph convolutions over a batch of graphs, as adjacency matrices."""

    def loss(params, adjacency, x, y):
        for w in params[:-1]:
            x = jax.nn.relu(adjacency @ (x @ w))
        return cross_entropy(x.mean(1) @ params[-1], y)

    return jax.value_and_grad(loss), [shape(D, F), shape(F, F), shape(F, 3)], shape(B, 7, 7), shape(B, 7, D), tokens(B)


# Recurrent layers


def lstm():
    def cell(p, carry, x):
        h, c = carry
        i, f, g, o = jnp.split(x @ p["wx"] + h @ p["wh"] + p["b"], 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    def loss(params, ids, labels):
        x = params["embed"][ids].transpose(1, 0, 2)
        zero = jnp.zeros((B, F))
        _, h = lax.scan(functools.partial(cell, params["cell"]), (zero, zero), x)
        return cross_entropy(h.transpose(1, 0, 2) @ params["head"], labels)

    cell_ = {"wx": shape(D, 4 * F), "wh": shape(F, 4 * F), "b": shape(4 * F)}
    return jax.value_and_grad(loss), {"embed": shape(V, D), "cell": cell_, "head": shape(F, V)}, tokens(), tokens()


def gru():
    cell = nn.RNN(nn.GRUCell(F))

    def model(variables, x):
        return cell.apply(variables, x)

    return model, jax.eval_shape(cell.init, jax.random.key(0), shape(B, S, D)), shape(B, S, D)


def mamba():
    """A selective state space model: a linear recurrence with coefficients that depend on the input."""

    def block(p, x):
        u, gate = x @ p["in"], jax.nn.silu(x @ p["gate"])
        delta = jax.nn.softplus(u * p["delta"])
        b, c = x @ p["b"], x @ p["c"]
        decay = jnp.exp(-delta[..., None] * jnp.exp(p["a"]))
        drive = (delta * u)[..., None] * b[:, :, None, :]

        def step(h, t):
            h = t[0] * h + t[1]
            return h, jnp.einsum("bfn,bn->bf", h, t[2])

        swap = lambda t: jnp.swapaxes(t, 0, 1)
        _, y = lax.scan(step, jnp.zeros((B, F, 4)), (swap(decay), swap(drive), swap(c)))
        return (swap(y) * gate) @ p["out"]

    def loss(params, ids, labels):
        x = params["embed"][ids]
        for p in params["layers"]:
            x = x + block(p, rms_norm(x, p["norm"]))
        return cross_entropy(x @ params["head"], labels)

    layer = {
        "in": shape(D, F), "gate": shape(D, F), "delta": shape(F), "b": shape(D, 4), "c": shape(D, 4),
        "a": shape(F, 4), "out": shape(F, D), "norm": shape(D),
    }
    params = {"embed": shape(V, D), "layers": [layer] * 2, "head": shape(D, V)}
    return jax.value_and_grad(loss), params, tokens(), tokens()


# Convolutions


def conv(x, kernel, stride=1, groups=1):
    numbers = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME", dimension_numbers=numbers, feature_group_count=groups
    )


def resnet():
    """Batch norms whose running statistics are returned."""

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x):
            norm_ = functools.partial(nn.BatchNorm, use_running_average=False, momentum=0.9)
            x = nn.relu(norm_()(nn.Conv(8, (3, 3), use_bias=False)(x)))
            for _ in range(2):
                y = nn.relu(norm_()(nn.Conv(12, (3, 3), use_bias=False)(x)))
                x = nn.relu(x + norm_()(nn.Conv(8, (3, 3), use_bias=False)(y)))
            return nn.Dense(5)(x.mean((1, 2)))

    model, optimizer = Model(), optax.sgd(0.1, momentum=0.9)

    def loss(params, statistics, x, y):
        variables = {"params": params, "batch_stats": statistics}
        logits, new = model.apply(variables, x, mutable=["batch_stats"])
        return cross_entropy(logits, y), new["batch_stats"]

    def step(params, statistics, state, x, y):
        (value, statistics), grads = jax.value_and_grad(loss, has_aux=True)(params, statistics, x, y)
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), statistics, state, value

    variables = jax.eval_shape(model.init, jax.random.key(0), shape(B, 8, 8, 3))
    params = variables["params"]
    state = jax.eval_shape(optimizer.init, params)
    return step, params, variables["batch_stats"], state, shape(B, 8, 8, 3), tokens(B)


def equinox_unet():
    """A network of two resolutions with a skip connection, over vmapped images."""

    class Unet(eqx.Module):
        inner: list

        def __init__(self, key):
            keys = jax.random.split(key, 4)
            make = lambda i, o, k, s=1: eqx.nn.Conv2d(i, o, 3, s, padding=1, key=k)
            self.inner = [make(2, 6, keys[0]), make(6, 10, keys[1], 2), make(10, 6, keys[2]), make(12, 2, keys[3])]

        def __call__(self, x):
            a = jax.nn.relu(self.inner[0](x))
            b = jax.nn.relu(self.inner[2](jax.nn.relu(self.inner[1](a))))
            b = jnp.repeat(jnp.repeat(b, 2, axis=1), 2, axis=2)
            return self.inner[3](jnp.concatenate([a, b], axis=0))

    model = eqx.filter_eval_shape(Unet, jax.random.key(0))
    params, static = eqx.partition(model, lambda x: isinstance(x, jax.ShapeDtypeStruct))
    loss = lambda params, x, y: ((jax.vmap(eqx.combine(params, static))(x) - y) ** 2).mean()
    return jax.value_and_grad(loss), params, shape(B, 2, 8, 8), shape(B, 2, 8, 8)


def grouped_convolutions():
    def model(params, x):
        x = jax.nn.relu(conv(x, params["stem"], 2))
        for p in params["blocks"]:
            y = jax.nn.relu6(conv(x, p["expand"]))
            y = jax.nn.relu6(conv(y, p["depthwise"], groups=12))
            x = x + conv(y, p["project"])
        return x.mean((1, 2)) @ params["head"]

    block = {"expand": shape(1, 1, 6, 12), "depthwise": shape(3, 3, 1, 12), "project": shape(1, 1, 12, 6)}
    return model, {"stem": shape(3, 3, 3, 6), "blocks": [block] * 2, "head": shape(6, 5)}, shape(B, 8, 8, 3)


# Statistics


def gaussian_process():
    """The marginal likelihood of a Gaussian process and its gradients."""

    def loss(params, x, y):
        distances = ((x[:, None] - x[None]) ** 2).sum(-1)
        kernel = jnp.exp(params["variance"] - distances * jnp.exp(params["scale"])) + 0.1 * jnp.eye(12)
        factor = jnp.linalg.cholesky(kernel)
        z = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
        return (z * z).sum() / 2 + jnp.log(jnp.diag(factor)).sum()

    return jax.value_and_grad(loss), {"variance": shape(), "scale": shape()}, shape(12, 3), shape(12)


def kalman_filter():
    """Kalman filters of several series of observations."""

    def single(model, observations):
        def step(carry, z):
            mean, cov = carry
            mean, cov = model["a"] @ mean, model["a"] @ cov @ model["a"].T + model["q"]
            s = model["h"] @ cov @ model["h"].T + model["r"]
            gain = cov @ model["h"].T / s
            mean = mean + gain @ (z - model["h"] @ mean)
            return (mean, cov - gain @ model["h"] @ cov), mean

        return lax.scan(step, (jnp.zeros(3), jnp.eye(3)), observations)[1]

    model = {"a": shape(3, 3), "q": shape(3, 3), "h": shape(1, 3), "r": shape(1, 1)}
    return jax.vmap(single, (None, 0)), model, shape(B, S, 1)


def masked_loss():
    """The mean over the tokens that a mask selects, whose number depends on the data."""

    def loss(params, batch):
        logits = llama(params, batch["inputs"])
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch["targets"])
        return (losses * batch["mask"]).sum() / batch["mask"].sum()

    return jax.value_and_grad(loss), llama_params(), {**BATCH, "mask": shape(B, S)}


def neural_ode():
    """Steps of a Runge-Kutta method, each of which uses the same weights four times."""

    def loss(params, batch):
        def slope(y):
            return jnp.tanh(y @ params["up"]) @ params["down"]

        def step(y, _):
            k1 = slope(y)
            k2 = slope(y + 0.05 * k1)
            k3 = slope(y + 0.05 * k2)
            k4 = slope(y + 0.1 * k3)
            return y + (k1 + 2 * k2 + 2 * k3 + k4) / 60, None

        y, _ = lax.scan(step, batch["start"], None, length=5)
        return ((y - batch["end"]) ** 2).mean()

    params = {"up": shape(D, F), "down": shape(F, D)}
    return jax.value_and_grad(loss), params, {"start": shape(B, D), "end": shape(B, D)}


def quantised_mlp():
    """Weights and activations of 8 bits, with a scale for each row of activations and each column of weights."""

    def product(x, weight, scale):
        steps = jnp.abs(x).max(-1, keepdims=True) / 127
        rounded = jnp.round(x / steps).astype(jnp.int8)
        sums = lax.dot_general(rounded, weight, (((1,), (0,)), ((), ())), preferred_element_type=I32)
        return sums * steps * scale

    def model(params, x):
        return product(jax.nn.relu(product(x, *params["up"])), *params["down"])

    params = {"up": (shape(D, F, dtype=jnp.int8), shape(F)), "down": (shape(F, D, dtype=jnp.int8), shape(D))}
    return model, params, shape(B, D)


def actor_critic():
    """A step of V-trace on trajectories of [time, batch], whose returns a loop computes from the last to the first."""
    optimizer = optax.adam(1e-3)

    def loss(params, batch):
        hidden = jnp.tanh(batch["observations"] @ params["hidden"])
        policy = jax.nn.log_softmax(hidden @ params["policy"])
        values = (hidden @ params["value"])[..., 0]
        taken = jnp.take_along_axis(policy, batch["actions"][..., None], -1)[..., 0]
        ratios = jnp.minimum(jnp.exp(taken - batch["behaviour"]), 1)
        following = jnp.concatenate([values[1:], values[-1:]])
        errors = ratios * (batch["rewards"] + 0.99 * following - values)

        def earlier(total, step):
            error, ratio = step
            total = error + 0.99 * ratio * total
            return total, total

        corrections = lax.scan(earlier, jnp.zeros(B), (errors, ratios), reverse=True)[1]
        targets = lax.stop_gradient(values + corrections)
        return ((values - targets) ** 2).mean() - (taken * lax.stop_gradient(errors)).mean()

    params = {"hidden": shape(D, F), "policy": shape(F, 3), "value": shape(F, 1)}
    state = jax.eval_shape(optimizer.init, params)
    of_steps = {name: shape(S, B) for name in ["behaviour", "rewards"]}
    batch = {"observations": shape(S, B, D), "actions": tokens(S, B), **of_steps}

    def step(params, state, batch):
        value, gradients = jax.value_and_grad(loss)(params, batch)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(params, updates), state, value

    return step, params, state, batch


PROGRAMS = {
    "linen_transformer_adamw": linen_transformer,
    "llama_gradients": lambda: (jax.value_and_grad(llama_loss), llama_params(), BATCH),
    "llama_inference": lambda: (llama, llama_params(), tokens()),
    "preferences_adamw": preferences,
    "llama_bf16_remat_adam": llama_bf16_remat,
    "scanned_layers_gradients": scanned_layers,
    "scanned_dropout_adam": scanned_dropout,
    "kv_cache_decoding": kv_cache_decoding,
    "bert_fused_matrix_gradients": bert_fused_matrix,
    "bert_fused_tensor_gradients": bert_fused_tensor,
    "bert_einsum_gradients": bert_einsum,
    "fused_attention_sgd": fused_attention,
    "vit_momentum": vit,
    "t5_gradients": t5,
    "moe_one_hot_adam": moe_one_hot,
    "moe_sorted_gradients": moe_sorted,
    "moe_ragged_adam": moe_ragged,
    "preferences_joined_gradients": preferences_joined,
    "guided_denoising_inference": guided_denoising,
    "distillation_sgd": distillation,
    "nnx_mlp_sgd": nnx_mlp,
    "equinox_mlp_gradients": equinox_mlp,
    "gated_mlp_adafactor": gated_mlp,
    "fused_gated_mlp_inference": fused_gated_mlp,
    "mlp_inference": mlp_inference,
    "mixer_lion": mixer,
    "dataclass_gradients": dataclass_params,
    "accumulated_gradients_sgd": accumulated_gradients,
    "accumulated_tokens_adamw": accumulated_tokens,
    "accumulated_slices_sgd": accumulated_slices,
    "clipped_example_gradients_sgd": clipped_example_gradients,
    "autoencoder_adam": autoencoder,
    "dlrm_adagrad": dlrm,
    "clip_adamw": clip,
    "gcn_gradients": gcn,
    "lstm_gradients": lstm,
    "gru_inference": gru,
    "mamba_gradients": mamba,
    "resnet_momentum": resnet,
    "equinox_unet_gradients": equinox_unet,
    "grouped_convolutions_inference": grouped_convolutions,
    "gaussian_process_gradients": gaussian_process,
    "kalman_filter": kalman_filter,
    "masked_loss_gradients": masked_loss,
    "neural_ode_gradients": neural_ode,
    "quantised_mlp_inference": quantised_mlp,
    "actor_critic_adam": actor_critic,
}


def write(out, only):
    """Writes the files whose name starts with `only`."""
    (out / "users").mkdir(parents=True, exist_ok=True)
    for name, make in PROGRAMS.items():
        if name.startswith(only):
            function, *arguments = make()
            jitted = function if hasattr(function, "lower") else jax.jit(function)
            (out / "users" / f"{name}.mlir").write_text(jitted.lower(*arguments).as_text())


if __name__ == "__main__":
    sys.exit(files.main(__doc__, write))
