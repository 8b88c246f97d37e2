"""Training step of a Llama: rotary positions, grouped queries, RMSNorm and SwiGLU, with SGD from Optax."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

PLANS = [
    {"mesh": "data=8", "preset": "data"},
    {"mesh": "data=2,model=4", "preset": "data,megatron"},
    {"mesh": "data=8", "preset": "zero3"},
]
VOCABULARY, WIDTH, HEADS, GROUPS, SIZE, HIDDEN, SEQUENCE, BATCH = 64, 32, 8, 4, 8, 64, 16, 8


def normalised(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def rotated(x):
    """Rotates the halves of each head by angles that are proportional to the position."""
    frequencies = 1.0 / 10000.0 ** (np.arange(0, SIZE, 2) / SIZE)
    angles = jnp.arange(SEQUENCE)[:, None] * frequencies
    cos, sin = jnp.cos(angles)[None, :, None, :], jnp.sin(angles)[None, :, None, :]
    one, two = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([one * cos - two * sin, two * cos + one * sin], axis=-1)


def attention(weights, x):
    q = (x @ weights["wq"]).reshape(BATCH, SEQUENCE, HEADS, SIZE)
    k = (x @ weights["wk"]).reshape(BATCH, SEQUENCE, GROUPS, SIZE)
    v = (x @ weights["wv"]).reshape(BATCH, SEQUENCE, GROUPS, SIZE)
    q, k = rotated(q), rotated(k)
    q = q.reshape(BATCH, SEQUENCE, GROUPS, HEADS // GROUPS, SIZE)
    scores = jnp.einsum("bsgrd,btgd->bgrst", q, k) / np.sqrt(SIZE)
    scores = jnp.where(jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool)), scores, -1e9)
    mixed = jnp.einsum("bgrst,btgd->bsgrd", jax.nn.softmax(scores), v)
    return mixed.reshape(BATCH, SEQUENCE, HEADS * SIZE) @ weights["wo"]


def forward(params, tokens):
    x = params["embed"][tokens]
    for weights in params["layers"]:
        x = x + attention(weights, normalised(x, weights["norm1"]))
        y = normalised(x, weights["norm2"])
        x = x + (jax.nn.silu(y @ weights["gate"]) * (y @ weights["up"])) @ weights["down"]
    return normalised(x, params["norm"]) @ params["head"]


def build():
    keys = iter(jax.random.split(jax.random.key(0), 24))
    draw = lambda *shape: 0.2 * jax.random.normal(next(keys), shape)  # noqa: E731
    layers = [
        {
            "norm1": jnp.ones(WIDTH),
            "wq": draw(WIDTH, HEADS * SIZE),
            "wk": draw(WIDTH, GROUPS * SIZE),
            "wv": draw(WIDTH, GROUPS * SIZE),
            "wo": draw(HEADS * SIZE, WIDTH),
            "norm2": jnp.ones(WIDTH),
            "gate": draw(WIDTH, HIDDEN),
            "up": draw(WIDTH, HIDDEN),
            "down": draw(HIDDEN, WIDTH),
        }
        for _ in range(2)
    ]
    params = {
        "embed": draw(VOCABULARY, WIDTH),
        "layers": layers,
        "norm": jnp.ones(WIDTH),
        "head": draw(WIDTH, VOCABULARY),
    }
    optimizer = optax.sgd(0.1)

    def step(params, state, tokens, targets):
        def loss(params):
            return optax.softmax_cross_entropy_with_integer_labels(forward(params, tokens), targets).mean()

        value, gradients = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(gradients, state, params)
        return value, optax.apply_updates(params, updates), state

    tokens = jax.random.randint(next(keys), (BATCH, SEQUENCE), 0, VOCABULARY)
    return step, (params, optimizer.init(params), tokens, jnp.roll(tokens, -1, axis=1))
