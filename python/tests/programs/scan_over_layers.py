"""Gradient step of a transformer with stacked parameters, a scan over its layers, and rematerialisation. Queries, keys
and values are slices of one product."""

import jax
import jax.numpy as jnp
import numpy as np

PLANS = [{"mesh": "data=8", "preset": "data"}, {"mesh": "data=2,model=4", "preset": "data,megatron"}]
LAYERS, WIDTH, HEADS, SEQUENCE, BATCH = 3, 32, 4, 8, 8


def layer(x, weights):
    rows, size = x.shape[:2], WIDTH // HEADS
    projected = normalised(x) @ weights["i"] + weights["j"]
    q, k, v = (part.reshape(*rows, HEADS, size) for part in jnp.split(projected, 3, axis=-1))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(size)
    hidden = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool))
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(hidden, scores, -1e9)), v)
    x = x + mixed.reshape(*rows, WIDTH) @ weights["k"]
    return x + jax.nn.gelu(normalised(x) @ weights["m"]) @ weights["n"], None


def normalised(x):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)


def build():
    keys = iter(jax.random.split(jax.random.key(0), 8))
    draw = lambda *shape: 0.1 * jax.random.normal(next(keys), shape)  # noqa: E731
    layers = {
        "i": draw(LAYERS, WIDTH, 3 * WIDTH),
        "j": draw(LAYERS, 3 * WIDTH),
        "k": draw(LAYERS, WIDTH, WIDTH),
        "m": draw(LAYERS, WIDTH, 4 * WIDTH),
        "n": draw(LAYERS, 4 * WIDTH, WIDTH),
    }

    def step(layers, x, y):
        def loss(layers):
            return jnp.mean((jax.lax.scan(jax.checkpoint(layer), x, layers)[0] - y) ** 2)

        value, gradients = jax.value_and_grad(loss)(layers)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, layers, gradients)

    return step, (layers, draw(BATCH, SEQUENCE, WIDTH), draw(BATCH, SEQUENCE, WIDTH))
