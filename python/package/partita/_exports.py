"""Exports of plans to other frameworks."""

import types
import warnings
from dataclasses import dataclass
from typing import Any

from . import _partita


class ExportError(_partita.Error):
    """A plan that the target cannot express."""


def exported(
    model: _partita.Model, toml: str, target: str, nearest: bool, machine: str | None
) -> _partita.Export:
    """Exports the plan of a plan file. Changes to the nearest plan are warnings."""
    try:
        export = _partita.export(model, toml, target, nearest, machine)
    except _partita.Error as error:
        if "L019" not in getattr(error, "codes", []):
            raise
        refused = ExportError(str(error))
        refused.codes = error.codes
        raise refused from None
    for change in export.changes:
        warnings.warn(f"exported the nearest plan: {change}", stacklevel=4)
    return export


@dataclass(frozen=True)
class DTensorPlan:
    """A plan in the terms of PyTorch. Placements and styles are expressions of Python, such as ``"Shard(0)"``."""

    #: Names and sizes of the axes of the mesh, major to minor.
    mesh: dict[str, int]
    #: For each parameter, its placement along each axis.
    placements: dict[str, list[str]]
    #: For each input, its placement along each axis.
    inputs: dict[str, list[str]]
    #: Axis of tensor parallelism; None if no axis or several axes shard parameters for use.
    tensor_axis: str | None
    #: For each module, its style along `tensor_axis`; None if no styles have these placements.
    parallelize_plan: dict[str, str] | None
    #: A Python file with this plan and functions that apply it to a module.
    text: str

    @staticmethod
    def of(data: dict[str, Any], text: str) -> "DTensorPlan":
        axes = dict(zip(data["mesh"]["axes"], data["mesh"]["shape"], strict=True))
        return DTensorPlan(
            axes, data["placements"], data["inputs"], data["tensor_axis"], data["parallelize_plan"], text
        )

    def load(self) -> types.ModuleType:
        """Returns `text` as a module, which imports torch: ``load().parallelize(model, mesh)``."""
        module = types.ModuleType("partita_plan", "A plan in the terms of PyTorch.")
        exec(compile(self.text, "<exported plan>", "exec"), module.__dict__)
        return module
