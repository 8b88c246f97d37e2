"""Greedy decoding of several tokens with a cache of keys and values."""

import jax
import jax.numpy as jnp
import numpy as np

TENSOR = {
    "params.embed": "_, _",
    "params.layers.*.q": "_, model, _",
    "params.layers.*.k": "_, model, _",
    "params.layers.*.v": "_, model, _",
    "params.layers.*.o": "model, _, _",
    "params.layers.*.up": "_, model",
    "params.layers.*.down": "model, _",
    "cache.*.*": "_, _, model, _",
}
BATCH = {"token": "data", "cache.*.*": "data, _, _, _"}
PLANS = [
    {"mesh": "data=8", "shard": BATCH},
    {"mesh": "model=4", "shard": TENSOR},
    {"mesh": "data=2,model=4", "shard": {**TENSOR, "cache.*.*": "data, _, model, _", "token": "data"}},
]
ROWS, LENGTH, WIDTH, HEADS, VOCABULARY, LAYERS, STEPS = 8, 16, 32, 4, 64, 2, 4


def normalised(x):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)


def attention(weights, cache, x, at):
    q, k, v = (jnp.einsum("bd,dhk->bhk", x, weights[name]) for name in ("q", "k", "v"))
    cache = {
        "k": jax.lax.dynamic_update_slice(cache["k"], k[:, None], (0, at, 0, 0)),
        "v": jax.lax.dynamic_update_slice(cache["v"], v[:, None], (0, at, 0, 0)),
    }
    scores = jnp.einsum("bhk,bthk->bht", q, cache["k"]) / np.sqrt(q.shape[-1])
    scores = jnp.where(jnp.arange(LENGTH) <= at, scores, -1e9)
    mixed = jnp.einsum("bht,bthk->bhk", jax.nn.softmax(scores), cache["v"])
    return jnp.einsum("bhk,hkd->bd", mixed, weights["o"]), cache


def forward(params, cache, token, at):
    x = params["embed"][token]
    updated = []
    for weights, of_layer in zip(params["layers"], cache, strict=True):
        mixed, of_layer = attention(weights, of_layer, normalised(x), at)
        updated.append(of_layer)
        x = x + mixed
        x = x + jax.nn.silu(normalised(x) @ weights["up"]) @ weights["down"]
    return normalised(x) @ params["embed"].T, updated


def build():
    keys = iter(jax.random.split(jax.random.key(0), 16))
    draw = lambda *shape: 0.2 * jax.random.normal(next(keys), shape)  # noqa: E731
    size = WIDTH // HEADS
    layers = [
        {
            "q": draw(WIDTH, HEADS, size),
            "k": draw(WIDTH, HEADS, size),
            "v": draw(WIDTH, HEADS, size),
            "o": draw(HEADS, size, WIDTH),
            "up": draw(WIDTH, 4 * WIDTH),
            "down": draw(4 * WIDTH, WIDTH),
        }
        for _ in range(LAYERS)
    ]
    params = {"embed": draw(VOCABULARY, WIDTH), "layers": layers}
    empty = lambda: jnp.zeros((ROWS, LENGTH, HEADS, size))  # noqa: E731
    cache = [{"k": empty(), "v": empty()} for _ in range(LAYERS)]

    def decode(params, cache, token, start):
        def step(carry, _):
            cache, token, at = carry
            logits, cache = forward(params, cache, token, at)
            token = jnp.argmax(logits, -1).astype(jnp.int32)
            return (cache, token, at + 1), (token, logits)

        (cache, _, _), (tokens, logits) = jax.lax.scan(step, (cache, token, start), None, length=STEPS)
        return tokens, logits, cache

    token = jnp.arange(ROWS, dtype=jnp.int32)
    return decode, (params, cache, token, jnp.int32(0))
