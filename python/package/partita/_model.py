"""Conversion of what users have to a model."""

import os
import tempfile
from dataclasses import dataclass
from typing import Any

from . import _partita


@dataclass(frozen=True)
class Lowered:
    """A model, and the structure of the function's arguments and results if it comes from JAX."""

    model: _partita.Model
    jax: Any = None
    #: Names of the inputs that are parameters, if they were given.
    params: str | None = None


def lowered(model: object, params: str | None = None) -> Lowered:
    """Returns the model of a value as in the documentation of the package. `params` names the inputs that are
    parameters, as in ``"params.**"``, where the structure of the program does not tell."""
    options = "" if params is None else f"?params={params}"
    if isinstance(model, Lowered):
        return model
    if isinstance(model, bytes | bytearray):
        with tempfile.TemporaryDirectory(prefix="partita-") as folder:
            path = os.path.join(folder, "model.pt2" if model.startswith(b"PK") else "model.onnx")
            with open(path, "wb") as file:
                file.write(model)
            return Lowered(_partita.Model.load(path + options))
    if isinstance(model, str) and _is_text(model):
        return Lowered(_partita.Model.from_text(f"model.mlir{options}", model))
    if isinstance(model, str | os.PathLike):
        name = os.fspath(model)
        separator = options.replace("?", "&") if "?" in name else options
        return Lowered(_partita.Model.load(name + separator))
    if hasattr(model, "SerializeToString"):  # onnx.ModelProto
        return lowered(model.SerializeToString(), params)
    if hasattr(model, "lower") and hasattr(model, "jaxpr"):  # jax.stages.Traced
        return lowered(model.lower(), params)
    if hasattr(model, "as_text") and hasattr(model, "args_info"):  # jax.stages.Lowered
        from . import _jax

        text = model.as_text(dialect="stablehlo", debug_info=True)
        program = _partita.Model.from_text(f"{_jax.name(text)}.mlir{options}", text)
        return Lowered(program, _jax.Signature.of(model, program), params)
    raise TypeError(
        f"a model cannot be a {type(model).__name__}: use jax.jit(f).lower(...), StableHLO text, the path or the bytes "
        "of a file, or the name of a built-in model"
    )


def _is_text(model: str) -> bool:
    """Returns true for the text of a module, false for a path."""
    return "\n" in model or model.lstrip().startswith("module")
