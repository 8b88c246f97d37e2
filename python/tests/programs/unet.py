"""Step of gradient descent of a small U-Net in Equinox: two resolutions, skip connections and group normalisation."""

import equinox as eqx
import jax
import jax.numpy as jnp

PLANS = [
    {"mesh": "data=8", "preset": "data"},
    {"mesh": "data=8", "preset": "zero3"},
    {"mesh": "data=2,rows=4", "shard": {"x": "data, _, rows, _", "y": "data, _, rows, _"}},
]


class Double(eqx.Module):
    """Two convolutions with normalisation."""

    first: eqx.nn.Conv2d
    norm: eqx.nn.GroupNorm
    second: eqx.nn.Conv2d

    def __init__(self, inputs, outputs, key):
        one, two = jax.random.split(key)
        self.first = eqx.nn.Conv2d(inputs, outputs, 3, padding=1, key=one)
        self.norm = eqx.nn.GroupNorm(2, outputs)
        self.second = eqx.nn.Conv2d(outputs, outputs, 3, padding=1, key=two)

    def __call__(self, x):
        return jax.nn.silu(self.second(jax.nn.silu(self.norm(self.first(x)))))


class UNet(eqx.Module):
    enter: Double
    pool: eqx.nn.MaxPool2d
    bottom: Double
    up: eqx.nn.ConvTranspose2d
    leave: Double
    head: eqx.nn.Conv2d

    def __init__(self, key):
        keys = jax.random.split(key, 5)
        self.enter = Double(3, 8, keys[0])
        self.pool = eqx.nn.MaxPool2d(2, 2)
        self.bottom = Double(8, 16, keys[1])
        self.up = eqx.nn.ConvTranspose2d(16, 8, 2, stride=2, key=keys[2])
        self.leave = Double(16, 8, keys[3])
        self.head = eqx.nn.Conv2d(8, 1, 1, key=keys[4])

    def __call__(self, x):
        skip = self.enter(x)
        x = self.up(self.bottom(self.pool(skip)))
        return self.head(self.leave(jnp.concatenate([skip, x], axis=0)))


def build():
    arrays, static = eqx.partition(UNet(jax.random.key(0)), eqx.is_array)

    def step(arrays, x, y):
        def loss(arrays):
            predicted = jax.vmap(eqx.combine(arrays, static))(x)
            return jnp.mean((predicted - y) ** 2)

        value, gradients = jax.value_and_grad(loss)(arrays)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, arrays, gradients)

    x = jax.random.normal(jax.random.key(1), (8, 3, 32, 32))
    y = jax.random.normal(jax.random.key(2), (8, 1, 32, 32))
    return step, (arrays, x, y)
