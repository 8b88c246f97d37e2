"""Loss and gradients of a mixture of experts with `top_k`, capacities, and one-hot dispatch as in GShard."""

import jax
import jax.numpy as jnp

PLANS = [
    {"mesh": "data=8", "preset": "data"},
    {"mesh": "model=4", "preset": "megatron"},
    {"mesh": "expert=8", "shard": {"params.up": "expert, _, _", "params.down": "expert, _, _", "x": "expert, _, _"}},
    {"mesh": "data=8", "preset": "zero3"},
]
GROUPS, SEQUENCE, WIDTH, HIDDEN, EXPERTS, CHOICES, CAPACITY = 8, 16, 16, 32, 8, 2, 8


def experts(params, x):
    weights = jax.nn.softmax(x @ params["router"])
    weights, chosen = jax.lax.top_k(weights, CHOICES)
    weights = weights / weights.sum(-1, keepdims=True)
    # [group, token, choice, expert]
    mask = jax.nn.one_hot(chosen, EXPERTS)
    position = jnp.cumsum(mask.reshape(GROUPS, -1, EXPERTS), axis=1).reshape(mask.shape) * mask - 1
    # [group, token, choice, expert, place]; places beyond the capacity are dropped.
    place = jax.nn.one_hot(position.astype(jnp.int32), CAPACITY)
    dispatch = place.sum(2)
    combine = jnp.einsum("gtk,gtkec->gtec", weights, place)
    sent = jnp.einsum("gtec,gtd->egcd", dispatch, x)
    hidden = jax.nn.gelu(jnp.einsum("egcd,edh->egch", sent, params["up"]))
    returned = jnp.einsum("egch,ehd->egcd", hidden, params["down"])
    balance = (mask.sum(2).mean((0, 1)) * weights.mean()).sum()
    return jnp.einsum("gtec,egcd->gtd", combine, returned), balance


def build():
    keys = iter(jax.random.split(jax.random.key(0), 6))
    draw = lambda *shape: 0.3 * jax.random.normal(next(keys), shape)  # noqa: E731
    params = {
        "router": draw(WIDTH, EXPERTS),
        "up": draw(EXPERTS, WIDTH, HIDDEN),
        "down": draw(EXPERTS, HIDDEN, WIDTH),
    }

    def gradients(params, x, y):
        def loss(params):
            out, balance = experts(params, x)
            return jnp.mean((x + out - y) ** 2) + 0.01 * balance

        return jax.value_and_grad(loss)(params)

    return gradients, (params, draw(GROUPS, SEQUENCE, WIDTH), draw(GROUPS, SEQUENCE, WIDTH))
