"""Communication of functions that `plan.jit` compiles, op by op."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hlo import collectives

import partita


def draw(seed, *shape):
    return jax.random.normal(jax.random.key(seed), shape)


def compiled(f, arguments, **options):
    """Compiles a function with a plan, compares its results with those of one device, and returns its collectives."""
    plan = partita.plan(jax.jit(f).lower(*arguments), **options)
    program = plan.jit(f).lower(*arguments).compile()
    actual = program(*jax.device_put(arguments, plan.in_shardings()))
    for a, b in zip(jax.tree.leaves(actual), jax.tree.leaves(f(*arguments)), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5 * max(1.0, float(np.abs(b).max())))
    return collectives(program.as_text())


def kinds(found):
    return sorted({one.kind for one in found})


@pytest.mark.parametrize(
    ("size", "stride", "padding", "dilation", "kernel_dilation"),
    [(3, 1, (1, 1), 1, 1), (3, 2, (0, 1), 1, 1), (2, 1, (1, 1), 2, 1), (3, 1, (2, 2), 1, 2), (4, 2, (1, 1), 1, 1)],
)
def test_convolutions_exchange_the_borders_of_shards(size, stride, padding, dilation, kernel_dilation):
    def f(x, kernel):
        convolve = lambda x, kernel: jax.lax.conv_general_dilated(  # noqa: E731
            x, kernel, (stride, 1), (padding, (0, 0)), (dilation, 1), (kernel_dilation, 1)
        )
        value, pullback = jax.vjp(convolve, x, kernel)
        return value, *pullback(jnp.sin(value))

    found = compiled(f, (draw(0, 2, 3, 16, 4), draw(1, 5, 3, size, 1)), mesh="rows=4", shard={"x": "_, _, rows, _"})
    assert set(kinds(found)) <= {"all-reduce", "collective-permute"}
    assert "all-reduce" in kinds(found)


@pytest.mark.parametrize(
    ("groups", "padding", "mesh", "shard"),
    [
        (8, "SAME", "data=2,model=4", {"x": "data, _, _, _"}),
        (8, "SAME", "data=4,model=2", {"x": "data, _, _, _", "kernel": "model, _, _, _"}),
        (2, "VALID", "data=8", {"x": "data, _, _, _"}),
        (1, "VALID", "data=2,rows=2,model=2", {"x": "data, _, rows, _", "kernel": "model, _, _, _"}),
        (1, "VALID", "data=2,rows=2,model=2", {"x": "data, _, rows, _"}),
    ],
)
def test_convolutions_that_xla_divides_wrongly(groups, padding, mesh, shard):
    def f(x, kernel):
        convolve = lambda x, kernel: jax.lax.conv_general_dilated(  # noqa: E731
            x, kernel, (1, 1), padding, feature_group_count=groups
        )
        value, pullback = jax.vjp(convolve, x, kernel)
        return value, *pullback(jnp.sin(value))

    arguments = draw(0, 8, 8, 8, 6), draw(1, 16, 8 // groups, 3, 3)
    plan = partita.plan(jax.jit(f).lower(*arguments), mesh=mesh, shard=shard)
    for found, expected in zip(plan.jit(f)(*arguments), f(*arguments), strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 * float(jnp.abs(expected).max()))


def test_a_sum_over_iterations_is_reduced_after_the_loop():
    def f(w, xs):
        loss = lambda w: jax.lax.scan(lambda c, x: (c + jnp.sum(jnp.tanh(x @ w)), None), 0.0, xs)[0]  # noqa: E731
        return jax.grad(loss)(w)

    found = compiled(f, (draw(0, 8, 4), draw(1, 3, 16, 8)), mesh="data=8", shard={"xs": "_, data, _"})
    assert kinds(found) == ["all-reduce"] and all(one.count == 1 for one in found)


@pytest.mark.parametrize("f", [lambda x: jax.lax.top_k(x, 2), lambda x: jnp.sort(x, axis=1)])
def test_sorts_of_rows_need_no_communication(f):
    assert not compiled(f, (draw(0, 16, 8),), mesh="data=8", shard={"x": "data, _"})


def test_a_sum_that_two_dimensions_split_is_reduced_to_shards():
    f = lambda w, x, y: w - x.T @ y  # noqa: E731
    shards = {"w": "a, b", "x": "a+b, _", "y": "a+b, _"}
    found = compiled(f, (draw(0, 8, 8), draw(1, 16, 8), draw(2, 16, 8)), mesh="a=2,b=4", shard=shards)
    assert kinds(found) == ["reduce-scatter"] and len(found) == 2
