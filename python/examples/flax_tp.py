"""Splits the layers of a Flax module by tensor parallelism, and trains it with Optax on eight devices.

XLA_FLAGS=--xla_force_host_platform_device_count=8 python examples/flax_tp.py
"""

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

import partita


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        hidden = nn.gelu(nn.Dense(512, name="up")(nn.LayerNorm(name="norm")(x)))
        return x + nn.Dense(128, name="down")(hidden)


class Model(nn.Module):
    @nn.compact
    def __call__(self, x):
        for layer in range(2):
            x = Block(name=f"block{layer}")(x)
        return nn.Dense(10, name="head")(x)


def main():
    model, optimizer = Model(), optax.adam(1e-3)
    images, labels = jax.random.normal(jax.random.key(1), (32, 128)), jnp.arange(32) % 10
    params = model.init(jax.random.key(0), images)
    state = optimizer.init(params)

    def step(params, state, images, labels):
        def loss(params):
            return optax.softmax_cross_entropy_with_integer_labels(model.apply(params, images), labels).mean()

        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(grads, state, params)
        return value, optax.apply_updates(params, updates), state

    lowered = jax.jit(step).lower(params, state, images, labels)
    plan = partita.plan(lowered, mesh={"data": 2, "model": 4}, preset="data,megatron")
    print(plan)
    print(plan.explain("params.params.block0.down.kernel"))
    check = plan.check()
    print(check)
    assert check
    planned = plan.jit(step)
    losses = []
    one, many = (params, state), (params, state)
    for _ in range(5):
        expected, *one = jax.jit(step)(*one, images, labels)
        actual, *many = planned(*many, images, labels)
        np.testing.assert_allclose(actual, expected, rtol=1e-4)
        losses.append(f"{actual:.4f}")
    print("losses on 8 devices, equal to those of one:", ", ".join(losses))


if __name__ == "__main__":
    main()
