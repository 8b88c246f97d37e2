"""Step of AdamW with clipped gradients and a schedule, in Optax."""

import jax
import jax.numpy as jnp
import optax

PLANS = [
    {"mesh": "data=8", "preset": "data"},
    {"mesh": "data=8", "preset": "zero3"},
    {"mesh": "data=2,model=4", "preset": "data,megatron"},
]


def build():
    keys = jax.random.split(jax.random.key(0), 5)
    params = {
        "first": {"w": 0.1 * jax.random.normal(keys[0], (32, 128)), "b": jnp.zeros(128)},
        "second": {"w": 0.1 * jax.random.normal(keys[1], (128, 32)), "b": jnp.zeros(32)},
        "scale": jnp.ones(32),
    }
    schedule = optax.warmup_cosine_decay_schedule(1e-4, 1e-3, 10, 100)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, eps=1e-3))

    def step(params, state, x, y):
        def loss(params):
            hidden = jnp.tanh(x @ params["first"]["w"] + params["first"]["b"])
            return jnp.mean(((hidden @ params["second"]["w"] + params["second"]["b"]) * params["scale"] - y) ** 2)

        value, gradients = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(gradients, state, params)
        return value, optax.apply_updates(params, updates), state

    x, y = jax.random.normal(keys[2], (2, 16, 32))
    return step, (params, optimizer.init(params), x, y)
