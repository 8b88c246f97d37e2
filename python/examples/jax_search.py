"""Searches a plan for a training step of a small transformer, and runs the step with it on eight devices.

XLA_FLAGS=--xla_force_host_platform_device_count=8 python examples/jax_search.py
"""

import jax
import jax.numpy as jnp
import numpy as np

import partita

LAYERS, WIDTH, HEADS, SEQUENCE, BATCH, VOCABULARY = 2, 128, 8, 64, 16, 512


def initial(key):
    keys = iter(jax.random.split(key, 2 + 4 * LAYERS))
    draw = lambda *shape: 0.02 * jax.random.normal(next(keys), shape)  # noqa: E731
    block = lambda: {  # noqa: E731
        "qkv": draw(3, WIDTH, HEADS, WIDTH // HEADS),
        "out": draw(HEADS, WIDTH // HEADS, WIDTH),
        "up": draw(WIDTH, 4 * WIDTH),
        "down": draw(4 * WIDTH, WIDTH),
    }
    params = {"tokens": draw(VOCABULARY, WIDTH), "positions": draw(SEQUENCE, WIDTH)}
    return params | {"blocks": [block() for _ in range(LAYERS)]}


def normalised(x):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def loss(params, tokens):
    x = params["tokens"][tokens[:, :-1]] + params["positions"]
    hidden = jnp.tril(jnp.ones((SEQUENCE, SEQUENCE), bool))
    for block in params["blocks"]:
        q, k, v = jnp.einsum("bsd,ndhk->nbhsk", normalised(x), block["qkv"])
        scores = jnp.where(hidden, jnp.einsum("bhqk,bhsk->bhqs", q, k) / np.sqrt(WIDTH // HEADS), -1e9)
        x = x + jnp.einsum("bhqs,bhsk,hkd->bqd", jax.nn.softmax(scores), v, block["out"])
        x = x + jax.nn.gelu(normalised(x) @ block["up"]) @ block["down"]
    logits = jax.nn.log_softmax(normalised(x) @ params["tokens"].T)
    return -jnp.take_along_axis(logits, tokens[:, 1:, None], -1).mean()


def step(params, tokens):
    value, grads = jax.value_and_grad(loss)(params, tokens)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def main():
    params = initial(jax.random.key(0))
    tokens = jax.random.randint(jax.random.key(1), (BATCH, SEQUENCE + 1), 0, VOCABULARY)
    plan = partita.search(jax.jit(step).lower(params, tokens), machine="dgx-a100", devices=8, time_limit=20)
    print(plan.found.text)
    print(plan)
    check = plan.check()
    print(check)
    assert check
    expected, actual = jax.jit(step)(params, tokens), plan.jit(step)(params, tokens)
    for a, b in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5 * max(1.0, float(jnp.abs(b).max())))
    print(f"JAX on 8 devices: loss {actual[0]:.6f}, on one device {expected[0]:.6f}")


if __name__ == "__main__":
    main()
