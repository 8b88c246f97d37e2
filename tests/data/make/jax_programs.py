"""Writes StableHLO modules of small JAX functions: arithmetic, loops, gradients, and steps of optimizers of Optax.

    python jax_programs.py OUT            writes OUT/jax
    python jax_programs.py --check DATA   compares with DATA/jax, writes nothing
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


def write(out, only):
    """Writes the files whose name starts with `only`."""
    (out / "jax").mkdir(parents=True, exist_ok=True)
    for name, (function, *arguments) in PROGRAMS.items():
        if name.startswith(only):
            (out / "jax" / f"{name}.mlir").write_text(jax.jit(function).lower(*arguments).as_text())


if __name__ == "__main__":
    sys.exit(files.main(__doc__, write))
