"""Writes StableHLO modules of small JAX functions: operations, layers, loops, gradients, and steps of optimizers of Optax.

    python jax_programs.py OUT            writes OUT/jax, and the modules of OUT/prove
    python jax_programs.py --check DATA   compares with DATA/jax and the modules of DATA/prove, writes nothing
"""

import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import optax
from jax import lax

import files


def shape(*sizes, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(sizes, dtype)


X, Y = shape(8, 16), shape(8, 4)
PARAMS = {"w": shape(16, 4), "b": shape(4)}


def loss(params, x, y):
    return ((jnp.tanh(x @ params["w"]) + params["b"] - y) ** 2).mean()


def sl(weights, x, y):
    """Returns the loss of layers applied by `scan`."""
    x, _ = lax.scan(lambda x, w: (jnp.tanh(x @ w), None), x, weights)
    return ((x[:, :4] - y) ** 2).mean()


def cl(kernel, x):
    """Returns the loss of a convolution."""
    y = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))
    return (y**2).mean()


def step_of(optimizer):
    """Returns one training step with an optimizer, and the shapes of its arguments."""

    def step(params, state, x, y):
        value, grads = jax.value_and_grad(loss)(params, x, y)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    return step, PARAMS, jax.eval_shape(optimizer.init, PARAMS), X, Y


PROGRAMS = {
    "constant": (lambda: jnp.ones((4, 4)),),
    "elementwise": (lambda x: jnp.sin(x), X),
    "scalar": (lambda x: x * 2, shape()),
    "several_outputs": (lambda x: (x + 1, x.sum(), x.T @ x), X),
    "integers": (lambda x: (x * 3 + 1) // 2, shape(8, 16, dtype=jnp.int32)),
    "loop": (lambda x: lax.fori_loop(0, 3, lambda i, x: jnp.tanh(x) + i, x), X),
    "loss_and_gradients": (jax.value_and_grad(loss), PARAMS, X, Y),
    "scan_gradients": (jax.value_and_grad(sl), shape(3, 16, 16), X, Y),
    "convolution_gradients": (jax.value_and_grad(cl), shape(4, 2, 3, 3), shape(8, 2, 6, 6)),
    "step_momentum": step_of(optax.sgd(0.1, momentum=0.9)),
    "step_lion": step_of(optax.lion(1e-3)),
    "step_lamb": step_of(optax.lamb(1e-3)),
    # Factors matrices of this size too.
    "step_adafactor": step_of(optax.adafactor(1e-3, min_dim_size_to_factor=4)),
}


def attention(q, k, v):
    weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k), axis=-1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v)


def adam(x, w):
    """Returns the parameters after the first step of Adam."""
    optimizer = optax.adam(1e-3)
    updates, _ = optimizer.update(x.T @ x @ w, optimizer.init(w), w)
    return optax.apply_updates(w, updates)


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5)


def causal_attention(q, k, v):
    return jax.nn.dot_product_attention(q, k, v, is_causal=True)


def masked_attention(q, k, v, mask):
    scores = jnp.where(mask, jnp.einsum("bqhd,bkhd->bhqk", q, k) / 2, -jnp.inf)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)


def scaled_layer_norm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b


def batch_norm(x, g, b):
    return (x - x.mean((0, 1, 2))) * lax.rsqrt(x.var((0, 1, 2)) + 1e-5) * g + b


def one_hot_loss(x, y):
    return -(jax.nn.one_hot(y, x.shape[-1]) * jax.nn.log_softmax(x)).sum(-1).mean()


def block(x, query, key, value, out, g, b):
    """Returns a layer of causal attention with two heads."""
    heads = [(scaled_layer_norm(x, g, b) @ w).reshape(8, 6, 2, 4) for w in (query, key, value)]
    return x + causal_attention(*heads).reshape(8, 6, 8) @ out


def layers(x, up, down):
    """Returns layers of a residual network applied by `scan`."""
    layer = lambda x, w: (x + jax.nn.gelu(scaled_layer_norm(x, 1.0, 0.0) @ w[0]) @ w[1], None)
    return lax.scan(layer, x, (up, down))[0]


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def sum_of_squares(function):
    return lambda *arguments: (function(*arguments) ** 2).sum()


# Functions and their arguments; those of `prove` were partitioned along the first dimension of the batch, of size 8.
# Weights have other sizes, except for those of `block`.
I32 = jnp.int32
HEADS = shape(8, 3, 2, 4)
IMAGE = shape(8, 4, 4, 2)
CHANNEL = shape(3)
PROVE = {
    "adam": (lambda x, w: adam(x, w), shape(8, 4), shape(4, 2)),
    "argmax": (lambda x: jnp.argmax(x, -1), shape(8, 5)),
    "attn": (lambda q, k, v: attention(q, k, v), HEADS, HEADS, HEADS),
    "bn_eval": (
        lambda x, mean, variance, g, b: (x - mean) * (lax.rsqrt(variance + 1e-5) * g) + b,
        shape(8, 4, 4, 3), CHANNEL, CHANNEL, CHANNEL, CHANNEL,
    ),
    "ce": (
        lambda x, y: optax.softmax_cross_entropy_with_integer_labels(x, y).mean(),
        shape(8, 5), shape(8, dtype=I32),
    ),
    "conv": (
        lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")),
        IMAGE, shape(3, 3, 2, 4),
    ),
    "cumsum": (lambda x: jnp.cumsum(x, 1), shape(8, 5)),
    "dropout": (
        lambda x, key: jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x, 0),
        shape(8, 4), shape(2, dtype=jnp.uint32),
    ),
    "dus": (
        lambda x, update, i: lax.dynamic_update_slice_in_dim(x, update, i, 1),
        shape(8, 6), shape(8, 1), shape(dtype=I32),
    ),
    "embed": (lambda tokens, table: table[tokens], shape(8, 3, dtype=I32), shape(10, 4)),
    "gelu": (jax.nn.gelu, shape(8, 6)),
    "layernorm": (lambda x: layer_norm(x), shape(8, 6)),
    "log_softmax": (lambda x: jax.nn.log_softmax(x, -1), shape(8, 6)),
    "mask": (lambda x: jnp.where(jnp.tril(jnp.ones((4, 4), bool)), x, -1e9), shape(8, 4, 4)),
    "matmul": (lambda x, w: x @ w, shape(8, 4), shape(4, 6)),
    "maxpool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), IMAGE),
    "mlp_grad": (
        jax.grad(lambda u, w, x: (jax.nn.relu(x @ u) @ w).mean(), argnums=(0, 1)),
        shape(4, 6), shape(6, 2), shape(8, 4),
    ),
    "mse": (lambda x, w: ((x @ w) ** 2).mean(), shape(8, 4), shape(4, 2)),
    "mse_grad": (jax.grad(lambda w, x: ((x @ w) ** 2).mean()), shape(4, 2), shape(8, 4)),
    "onehot": (lambda y: jax.nn.one_hot(y, 5), shape(8, dtype=I32)),
    "rms": (lambda x: x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6), shape(8, 6)),
    "rope_concat": (lambda x: jnp.concatenate([x[:, 2:], -x[:, :2]], 1), shape(8, 4)),
    "scan": (lambda x, ws: lax.scan(lambda x, w: (jnp.tanh(x @ w), None), x, ws)[0], shape(8, 4), shape(3, 4, 4)),
    "silu": (jax.nn.silu, shape(8, 6)),
    "softmax": (lambda x: jax.nn.softmax(x, -1), shape(8, 6)),
    "softmax4": (lambda x: jax.nn.softmax(x, -1), shape(8, 2, 3, 3)),
    "sort": (lambda x: jnp.sort(x, -1), shape(8, 5)),
    "sumsq": (lambda x: (x * x).sum(1), shape(8, 4)),
    "attn_causal": (causal_attention, HEADS, HEADS, HEADS),
    "attn_gqa": (causal_attention, shape(8, 3, 4, 4), HEADS, HEADS),
    "attn_grad": (jax.grad(sum_of_squares(causal_attention), argnums=(0, 1, 2)), HEADS, HEADS, HEADS),
    "attn_masked": (masked_attention, HEADS, HEADS, HEADS, shape(8, 1, 3, 3, dtype=jnp.bool_)),
    "block": (block, shape(8, 6, 8), *[shape(8, 8)] * 4, shape(8), shape(8)),
    "bn_grad": (
        jax.grad(sum_of_squares(batch_norm), argnums=(0, 1, 2)),
        shape(8, 4, 4, 3), CHANNEL, CHANNEL,
    ),
    "ce_grad": (
        jax.grad(lambda x, y: optax.softmax_cross_entropy_with_integer_labels(x, y).mean()),
        shape(8, 5), shape(8, dtype=I32),
    ),
    "ce_one_hot": (jax.grad(one_hot_loss), shape(8, 5), shape(8, dtype=I32)),
    "embed_grad": (
        jax.grad(lambda table, tokens: jnp.sin(table[tokens]).sum()),
        shape(10, 4), shape(8, 3, dtype=I32),
    ),
    "gelu_bf16": (jax.nn.gelu, shape(8, 6, dtype=jnp.bfloat16)),
    "gelu_erf": (lambda x: jax.nn.gelu(x, approximate=False), shape(8, 6)),
    "layernorm_grad": (
        jax.grad(sum_of_squares(scaled_layer_norm), argnums=(0, 1, 2)),
        shape(8, 6), shape(6), shape(6),
    ),
    "layers": (layers, shape(8, 4), shape(3, 4, 6), shape(3, 6, 4)),
    "lse": (lambda x: jax.nn.logsumexp(x, -1), shape(8, 5)),
    "maxpool_grad": (jax.grad(sum_of_squares(max_pool)), IMAGE),
    "one_hot_matmul": (lambda y, table: jax.nn.one_hot(y, 10) @ table, shape(8, dtype=I32), shape(10, 4)),
    "sort_pairs": (
        lambda x, y: lax.sort((x, y), dimension=1, num_keys=1),
        shape(8, 5), shape(8, 5, dtype=I32),
    ),
    "softmax_bf16": (jax.nn.softmax, shape(8, 6, dtype=jnp.bfloat16)),
    "softmax_grad": (jax.grad(sum_of_squares(jax.nn.softmax)), shape(8, 6)),
    "std": (lambda x: (x - x.mean()) / x.std(), shape(8, 6)),
    "top_k": (lambda x: lax.top_k(x, 2), shape(8, 6)),
}


def write(out, only):
    """Writes the files whose name starts with `only`."""
    for folder, programs in (("jax", PROGRAMS), ("prove", PROVE)):
        (out / folder).mkdir(parents=True, exist_ok=True)
        for name, (function, *arguments) in programs.items():
            if name.startswith(only):
                (out / folder / f"{name}.mlir").write_text(jax.jit(function).lower(*arguments).as_text())


if __name__ == "__main__":
    sys.exit(files.main(__doc__, write))
