"""Plans for functions of JAX: names, shardings, and results equal to those of one device."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import NamedSharding
from jax.sharding import PartitionSpec as P

import partita

equinox = pytest.importorskip("equinox")
nnx = pytest.importorskip("flax.nnx")
linen = pytest.importorskip("flax.linen")
optax = pytest.importorskip("optax")


class Mlp(linen.Module):
    @linen.compact
    def __call__(self, x):
        x = linen.relu(linen.Dense(64, name="up")(x))
        return linen.Dense(16, name="down")(x)


def draw(seed, *shape):
    return jax.random.normal(jax.random.key(seed), shape)


def adamw_step():
    """Returns a training step with its arguments."""
    model, optimizer = Mlp(), optax.adamw(1e-2)

    def step(params, state, batch):
        loss = lambda p: jnp.mean((model.apply(p, batch["x"]) - batch["y"]) ** 2)  # noqa: E731
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(grads, state, params)
        return value, optax.apply_updates(params, updates), state

    params = model.init(jax.random.key(0), jnp.ones((8, 16)))
    return step, (params, optimizer.init(params), {"x": draw(1, 8, 16), "y": draw(2, 8, 16)})


def assert_equal(actual, expected):
    """Compares trees to a relative error of 1e-5 of the largest element."""
    for a, b in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5 * max(1.0, float(np.max(np.abs(b)))))


def test_a_training_step_of_flax_and_optax():
    step, arguments = adamw_step()
    lowered = jax.jit(step, donate_argnums=(0, 1)).lower(*arguments)
    plan = partita.plan(lowered, mesh="data=2,model=4", preset="data,megatron")
    params, state, batch = plan.partition_specs()
    assert params["params"]["up"] == {"kernel": P(None, "model"), "bias": P("model")}
    assert params["params"]["down"] == {"kernel": P("model"), "bias": P()}
    assert state[0].mu["params"]["up"]["kernel"] == P(None, "model")
    assert batch == {"x": P("data"), "y": P("data")}
    assert "state.0.mu.params.up.kernel" in str(plan)
    assert plan.check()
    expected = jax.jit(step)(*arguments)
    planned = plan.jit(step)
    actual = planned(*jax.tree.map(jnp.copy, arguments))
    assert_equal(actual[0], expected[0])
    assert actual[1]["params"]["up"]["kernel"].sharding.spec == P(None, "model")
    # Adam divides by gradients close to zero, so that parameters differ by more than the losses do.
    for a, b in zip(jax.tree.leaves(actual[1]), jax.tree.leaves(expected[1]), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-4)
    on_mesh = jax.device_put(jax.tree.map(jnp.copy, arguments), plan.in_shardings())
    planned(*on_mesh)
    assert all(leaf.is_deleted() for leaf in jax.tree.leaves(on_mesh[:2]))
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(on_mesh[2]))


def test_collectives_of_xla_are_those_of_the_plan():
    step, arguments = adamw_step()
    plan = partita.plan(jax.jit(step).lower(*arguments), mesh={"data": 8}, preset="data")
    compiled = plan.jit(step).lower(*arguments).compile().as_text()
    assert plan.report()["totals"]["by_kind"]["all_reduce"]["count"] > 0
    assert "all-reduce" in compiled and "all-gather" not in compiled


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Weights:
    up: jax.Array
    layers: list


def test_arguments_before_donated_ones_may_be_static():
    step = lambda n, w, x: jax.tree.map(lambda a: a - 0.1 * n * x.mean(), w)  # noqa: E731
    arguments = 2, {"w": draw(1, 4)}, draw(2, 8)
    lowered = jax.jit(step, static_argnums=(0,), donate_argnums=(1,)).lower(*arguments)
    plan = partita.plan(lowered, mesh="data=2", shard={"x": "data"})
    for options in ({"static_argnums": 0}, {"static_argnums": (-3,)}, {"static_argnames": "n"}):
        jitted = plan.jit(step, **options)
        assert_equal(jitted(2, jax.tree.map(jnp.copy, arguments[1]), arguments[2]), step(*arguments))


def test_names_of_all_kinds_of_trees():
    model = equinox.nn.MLP(4, 4, 8, 1, key=jax.random.key(0))
    arrays, static = equinox.partition(model, equinox.is_array)
    state = nnx.split(nnx.Linear(4, 4, rngs=nnx.Rngs(0)))[1]

    def f(weights, module, state, x):
        x = jax.vmap(equinox.combine(module, static))(x) @ state["kernel"][...] + state["bias"][...]
        return x @ weights.up @ weights.layers[0]["w"]

    weights = Weights(draw(0, 4, 4), [{"w": draw(1, 4, 4)}])
    plan = partita.plan(jax.jit(f).lower(weights, arrays, state, draw(2, 8, 4)), mesh="d=2", shard={"x": "d, _"})
    names = [row["name"] for row in plan.report()["params"]]
    assert names == [
        "weights.up", "weights.layers.0.w",
        "module.layers.0.weight", "module.layers.0.bias", "module.layers.1.weight", "module.layers.1.bias",
        "state.bias", "state.kernel", "x",
    ]  # fmt: skip


def test_arguments_that_are_not_read():
    def f(params, unused, x):
        return x @ params["used"]

    params = {"other": draw(0, 3), "used": draw(1, 16, 8)}
    arguments = (params, draw(2, 5), draw(3, 4, 16))
    plan = partita.plan(jax.jit(f).lower(*arguments), mesh="d=4", shard={"params.used": "_, d"})
    assert plan.partition_specs() == ({"other": P(), "used": P(None, "d")}, P(), P())
    assert_equal(plan.jit(f)(*arguments), f(*arguments))


def test_which_arguments_are_read_must_be_clear():
    lowered = jax.jit(lambda x, y: 2 * y).lower(draw(0, 4), draw(1, 4))
    with pytest.raises(partita.Error, match="keep_unused=True"):
        partita.plan(lowered, mesh="d=2", shard={"y": "d"})


def test_random_keys_and_unsigned_integers():
    def f(unused, key, mask, x):
        noise = jax.random.normal(key, x.shape)
        return jnp.where(mask > 0, x + noise, x), jax.random.split(key, 2)

    arguments = (draw(0, 2), jax.random.key(3), jnp.arange(8, dtype=jnp.uint8)[:, None], draw(1, 8, 4))
    plan = partita.plan(jax.jit(f).lower(*arguments), mesh="d=4", shard={"x": "d, _"})
    assert plan.partition_specs() == (P(), P(), P("d"), P("d"))
    actual, expected = plan.jit(f)(*arguments), f(*arguments)
    assert_equal(actual[0], expected[0])
    assert_equal(jax.random.key_data(actual[1]), jax.random.key_data(expected[1]))


def test_complex_arguments_and_results():
    f = lambda x, y: (x * y, jnp.real(x))  # noqa: E731
    arguments = (draw(0, 8) + 1j * draw(1, 8), draw(2, 8))
    plan = partita.plan(jax.jit(f).lower(*arguments), mesh="d=4", shard={"x": "d"})
    assert plan.partition_specs()[0] == P("d")
    assert_equal(plan.jit(f)(*arguments), f(*arguments))


def test_shardings_are_on_the_mesh_of_the_plan():
    f = lambda x: x + 1  # noqa: E731
    plan = partita.plan(jax.jit(f).lower(draw(0, 8)), mesh="a=2,b=2", shard={"x": "a+b"})
    mesh = plan.mesh()
    assert mesh.axis_names == ("a", "b") and mesh.devices.shape == (2, 2)
    assert plan.in_shardings() == (NamedSharding(mesh, P(("a", "b"))),)
    assert plan.out_shardings() == NamedSharding(mesh, P(("a", "b")))
    with pytest.raises(partita.Error, match="needs 4 devices, and JAX has 2"):
        plan.mesh(jax.devices()[:2])


def test_plans_that_jax_cannot_express():
    lowered = jax.jit(lambda x: x + 1).lower(draw(0, 6))
    with pytest.raises(partita.ExportError, match="6 elements, which 4 shards do not divide"):
        partita.plan(lowered, mesh="d=4", shard={"x": "d"}).partition_specs()
    pipeline = partita.plan("zoo:mlp", mesh="data=2", preset="data", pipeline=2, microbatches=2)
    with pytest.raises(partita.ExportError, match="2 pipeline stages"):
        pipeline.mesh()
    with pytest.raises(partita.ExportError, match="keyword arguments: `y`"):
        partita.plan(jax.jit(lambda *, y: y + 1).lower(y=draw(0, 4)), mesh="d=2", shard={"y": "d"}).partition_specs()


def two_products(x, up, down):
    return jax.nn.softmax(jnp.tanh(x @ up) @ down)


def test_layouts_of_intermediate_values():
    arguments = (draw(0, 16, 8), draw(1, 8, 32), draw(2, 32, 8))
    plan = partita.plan(jax.jit(two_products).lower(*arguments), mesh="data=2,model=4", preset="data,megatron")
    planned = plan.jit(two_products)
    constraints = str(jax.make_jaxpr(planned)(*arguments)).count("sharding_constraint")
    assert constraints > 2
    assert "sharding_constraint" not in str(jax.make_jaxpr(plan.jit(two_products, inner=False))(*arguments))
    assert_equal(planned(*arguments), two_products(*arguments))


def test_planned_functions_can_be_differentiated_and_mapped():
    arguments = (draw(0, 16, 8), draw(1, 8, 32), draw(2, 32, 8))
    plan = partita.plan(jax.jit(two_products).lower(*arguments), mesh="data=2,model=4", preset="data,megatron")
    planned = plan.jit(two_products)
    loss = lambda f: lambda *arguments: (f(*arguments) ** 2).sum()  # noqa: E731
    actual = jax.jit(jax.grad(loss(planned), (0, 1, 2)))(*arguments)
    assert_equal(actual, jax.grad(loss(two_products), (0, 1, 2))(*arguments))
    several = (draw(3, 3, 16, 8), *arguments[1:])
    assert_equal(jax.vmap(planned, (0, None, None))(*several), jax.vmap(two_products, (0, None, None))(*several))


def test_arguments_of_other_types_have_no_inner_constraints():
    arguments = (draw(0, 16, 8), draw(1, 8, 32), draw(2, 32, 8))
    plan = partita.plan(jax.jit(two_products).lower(*arguments), mesh="data=2,model=4", preset="data,megatron")
    other = (draw(0, 4, 8), *arguments[1:])
    planned = plan.jit(two_products)
    assert "sharding_constraint" not in str(jax.make_jaxpr(planned)(*other))
    assert_equal(planned(*other), two_products(*other))


def test_constraints_inside_loops_and_branches():
    def f(x, layers, flag):
        def body(x, w):
            return jax.lax.cond(flag > 0, lambda x: jnp.tanh(x @ w), lambda x: x @ w - x, x), x.sum()

        x, sums = jax.lax.scan(jax.checkpoint(body), x, layers)
        return jax.lax.fori_loop(0, 3, lambda _, y: jnp.sin(y) @ layers[0], x), sums

    arguments = (draw(0, 16, 8), draw(1, 3, 8, 8), jnp.int32(1))
    plan = partita.plan(jax.jit(f).lower(*arguments), mesh="d=8", shard={"x": "d, _"})
    text = str(jax.make_jaxpr(plan.jit(f))(*arguments))
    assert "sharding_constraint" in text[text.index("scan[") : text.index("in (", text.index("scan["))]
    assert_equal(plan.jit(f)(*arguments), f(*arguments))


def test_a_rearrangement_is_no_training_step():
    lowered = jax.jit(lambda x: x[::-1]).lower(draw(0, 8, 8))
    with pytest.raises(partita.Error, match="returns neither gradients nor updates"):
        partita.plan(lowered, mesh="model=2", preset="megatron")


def test_search_finds_a_plan_that_runs():
    step, arguments = adamw_step()
    lowered = jax.jit(step).lower(*arguments)
    plan = partita.search(lowered, machine="dgx-a100", devices=8, time_limit=20)
    assert plan.found.plans[0][1] <= plan.found.plans[-1][1]
    assert plan.found.bound is None or plan.found.bound <= plan.found.plans[0][1]
    assert_equal(plan.jit(step)(*arguments)[0], step(*arguments)[0])
