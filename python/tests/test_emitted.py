"""Modules with the shardings of a plan are accepted by XLA."""

import pathlib
from typing import Any

import jax
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


def test_a_wrong_module_is_rejected() -> None:
    text = partita.plan("zoo:mlp?batch=8", mesh="data=8", preset="data").to_mlir()
    assert "stablehlo.maximum" in text
    with pytest.raises(Exception, match="maximal"):
        compiled(text.replace("stablehlo.maximum", "stablehlo.maximal"))
