"""Loss and gradients of a multilayer perceptron in Flax nnx."""

import flax.nnx as nnx
import jax
import jax.numpy as jnp

PLANS = [{"mesh": "data=8", "preset": "data"}, {"mesh": "data=2,model=4", "preset": "data,megatron"}]


class Mlp(nnx.Module):
    def __init__(self, rngs):
        self.one = nnx.Linear(16, 64, rngs=rngs)
        self.norm = nnx.LayerNorm(64, rngs=rngs)
        self.two = nnx.Linear(64, 128, rngs=rngs)
        self.three = nnx.Linear(128, 16, rngs=rngs)

    def __call__(self, x):
        x = self.norm(nnx.relu(self.one(x)))
        return self.three(nnx.silu(self.two(x)))


def build():
    graph, state = nnx.split(Mlp(nnx.Rngs(0)))

    def gradients(state, x, y):
        loss = lambda state: jnp.mean((nnx.merge(graph, state)(x) - y) ** 2)  # noqa: E731
        return jax.value_and_grad(loss)(state)

    x, y = jax.random.normal(jax.random.key(1), (2, 16, 16))
    return gradients, (state, x, y)
