"""Programs on eight devices: results equal to those of one device, and no more communication than planned."""

import functools
import importlib
from typing import Any

import jax
import numpy as np
import pytest
from hlo import collectives

import partita

pytest.importorskip("equinox")
pytest.importorskip("flax")
pytest.importorskip("optax")

PROGRAMS = ["adamw_step", "nnx_mlp", "scan_over_layers"]


@functools.cache
def built(name: str) -> Any:
    """Returns a program, its arguments, its lowered function, and its results on one device."""
    function, arguments = importlib.import_module(f"programs.{name}").build()
    lowered = jax.jit(function).lower(*arguments)
    return function, arguments, lowered, lowered.compile()(*arguments)


def plans(name: str) -> list[dict[str, str]]:
    return importlib.import_module(f"programs.{name}").PLANS


def run(name: str, plan: partita.Plan) -> tuple[float, float]:
    """Runs a program with a plan, and compares its results with those of one device. Returns the bytes that a device
    sends in XLA's program and in that of the plan."""
    function, arguments, _, expected = built(name)
    compiled = plan.jit(function).lower(*arguments).compile()
    actual = compiled(*jax.device_put(arguments, plan.in_shardings()))
    for a, b in zip(jax.tree.leaves(actual), jax.tree.leaves(expected), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5 * max(1.0, float(np.abs(b).max())))
    found = collectives(compiled.as_text())
    for one in found:
        print(one)
    return sum(one.wire_bytes for one in found), plan.report()["totals"]["wire_bytes"]


@pytest.mark.parametrize(("name", "options"), [(name, options) for name in PROGRAMS for options in plans(name)])
def test_presets(name, options):
    sent, planned = run(name, partita.plan(built(name)[2], **options))
    # The report has the bytes of each collective in full numbers.
    assert sent <= 1.001 * planned
