"""Modules with the shardings of a plan are accepted by XLA."""

import pathlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import partita

xla_client = pytest.importorskip("jaxlib.xla_client")

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data"
STEPS = ["cnn_tiny.sgd_lr0.01", "gpt2l_tiny.adam", "gpt2l_tiny.fwd", "gpt2l_tiny.sgd", "mlp4_tiny.sgd"]
MODELS = ["bert?layers=1", "gpt?layers=1", "llama?layers=1", "mlp?layers=2", "mnist-cnn?classes=10", "moe?layers=1"]
LAYOUTS = {
    "data": {"mesh": "data=8", "preset": "data"},
    "zero3": {"mesh": "data=8", "preset": "zero3"},
    "megatron": {"mesh": "data=2,model=4", "preset": "data,megatron"},
}


def compiled(text: str) -> Any:
    """Returns a module compiled by XLA for eight devices, with the shardings in its text."""
    devices = jax.devices()
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 1, len(devices)
    build = options.executable_build_options
    build.use_spmd_partitioning = build.use_shardy_partitioner = True
    build.device_assignment = xla_client.DeviceAssignment.create(np.arange(len(devices)).reshape(1, -1))
    return devices[0].client.compile_and_load(text, xla_client.DeviceList(tuple(devices)), options)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("step", STEPS)
def test_steps_of_jax(step: str, layout: str) -> None:
    plan = partita.plan(DATA / "stablehlo" / f"{step}.plain.mlir", **LAYOUTS[layout])
    compiled(plan.to_mlir())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("model", MODELS)
def test_training_steps_of_models(model: str, layout: str) -> None:
    compiled(partita.plan(f"zoo:{model}&batch=8", train="adamw", **LAYOUTS[layout]).to_mlir())


@pytest.mark.parametrize("file", sorted((DATA / "torch").glob("*.pt2")) + sorted((DATA / "torch").glob("*.onnx")))
def test_models_of_torch(file: pathlib.Path) -> None:
    compiled(partita.plan(file, mesh="data=2").to_mlir())


@pytest.mark.parametrize("file", sorted((DATA / "jax").glob("*.mlir")))
def test_functions_of_jax(file: pathlib.Path) -> None:
    compiled(partita.plan(file, mesh="data=8").to_mlir())


def factorizations(x: jax.Array, a: jax.Array) -> list[jax.Array]:
    """Returns numbers that do not depend on the signs of vectors."""
    q, r = jnp.linalg.qr(x)
    u, s, v = jnp.linalg.svd(x, full_matrices=False)
    values, vectors = jnp.linalg.eigh(a @ jnp.swapaxes(a, -1, -2))
    singular, _ = jnp.linalg.eigh(a * jnp.nan)
    return [
        q @ r,
        (u * s[..., None, :]) @ v,
        jnp.linalg.svd(a, compute_uv=False),
        (vectors * values[..., None, :]) @ jnp.swapaxes(vectors, -1, -2),
        jnp.abs(jnp.linalg.eigvals(a)).sum(-1),
        jnp.linalg.det(a),
        singular,
    ]


@pytest.mark.parametrize("axis", ["data", "_"])
def test_factorizations_are_executed_by_xla(axis: str, tmp_path: pathlib.Path) -> None:
    rng = np.random.default_rng(0)
    args = [rng.normal(size=(8, 4, 3)).astype(np.float32), rng.normal(size=(8, 3, 3)).astype(np.float32)]
    module = tmp_path / "factorizations.mlir"
    module.write_text(jax.jit(factorizations).lower(*args).as_text())
    text = partita.plan(module, mesh="data=8", shard={f"input.{i}": f"{axis}, _, _" for i in range(2)}).to_mlir()
    assert text.count("@lapack") + text.count('"lapack_') >= 6
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("data",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*["data"] if axis == "data" else []))
    outs = compiled(text).execute_sharded([jax.device_put(arg, sharding) for arg in args])
    for shards, expected in zip(outs.disassemble_into_single_device_arrays(), factorizations(*args), strict=True):
        found = np.concatenate(shards) if axis == "data" else np.asarray(shards[0])
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_a_wrong_module_is_rejected() -> None:
    text = partita.plan("zoo:mlp?batch=8", mesh="data=8", preset="data").to_mlir()
    assert "stablehlo.maximum" in text
    with pytest.raises(Exception, match="maximal"):
        compiled(text.replace("stablehlo.maximum", "stablehlo.maximal"))
