"""Structure of a function lowered by JAX, and shardings in JAX's terms. Only public interfaces of JAX are used."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from . import _partita

#: Names of element types in a model, by their names in JAX. Others are not compared.
_DTYPES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "bool": "bool",
    "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8",
    "uint64": "u64", "uint32": "u32", "uint16": "u16", "uint8": "u8",
    "complex64": "f32", "complex128": "f64",
}  # fmt: skip


def name(text: str) -> str:
    """Returns the name of the lowered function in a module's text."""
    found = re.search(r"module @jit_(\w+)", text)
    return found[1] if found else "function"


@dataclass(frozen=True)
class Signature:
    """Arguments and results of a lowered function."""

    #: Structure of the positional and keyword arguments.
    in_tree: Any
    #: Structure of the results.
    out_tree: Any
    #: For each leaf of the arguments, the number of the module's input; None for one that the function does not read.
    inputs: tuple[int | None, ...]
    #: Number of dimensions of each leaf of the arguments and of the results. A random key has one more in the module.
    ranks: tuple[tuple[int, ...], tuple[int, ...]]
    #: For each leaf of the arguments, true if its buffer is donated.
    donated: tuple[bool, ...]
    #: Shape and element type of each leaf of the arguments.
    types: tuple[tuple[tuple[int, ...], str], ...]

    @staticmethod
    def of(lowered: Any, model: _partita.Model) -> "Signature":
        leaves = jax.tree_util.tree_leaves_with_path(lowered.args_info)
        kept = _kept([_Leaf.of(path, info) for path, info in leaves], model.inputs)
        return Signature(
            in_tree=jax.tree_util.tree_structure(lowered.args_info),
            out_tree=lowered.out_tree,
            inputs=tuple(kept),
            ranks=(_ranks(lowered.args_info), _ranks(lowered.out_info)),
            donated=tuple(info.donated for _, info in leaves),
            types=types(lowered.args_info),
        )

    def donated_arguments(self, f: Callable[..., Any], options: dict[str, Any]) -> tuple[int, ...]:
        """Returns the numbers of the positional arguments of a function whose buffers are all donated. Arguments that the
        options of `jax.jit` make static are not among those of the lowered function."""
        positional, _ = jax.tree_util.tree_unflatten(self.in_tree, self.donated)
        leaves = [jax.tree_util.tree_leaves(argument) for argument in positional]
        static = _static_arguments(f, options)
        numbers = [number for number in range(len(leaves) + len(static)) if number not in static]
        return tuple(number for number, of in zip(numbers, leaves, strict=False) if of and all(of))


def _static_arguments(f: Callable[..., Any], options: dict[str, Any]) -> set[int]:
    """Returns the numbers of the positional arguments that `static_argnums` and `static_argnames` state."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    is_positional = [one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters]
    numbers, names = options.get("static_argnums", ()), options.get("static_argnames", ())
    numbers = (numbers,) if isinstance(numbers, int) else numbers or ()
    names = (names,) if isinstance(names, str) else names or ()
    static = {number % max(len(parameters), 1) if number < 0 else number for number in numbers}
    return static | {i for i, one in enumerate(parameters) if is_positional[i] and one.name in names}


def types(tree: Any) -> tuple[tuple[tuple[int, ...], str], ...]:
    """Returns the shape and the element type of each array of a tree."""
    arrays = [leaf for leaf in jax.tree_util.tree_leaves(tree) if hasattr(leaf, "dtype")]
    return tuple((tuple(array.shape), str(array.dtype)) for array in arrays)


def _ranks(tree: Any) -> tuple[int, ...]:
    return tuple(len(leaf.shape) for leaf in jax.tree_util.tree_leaves(tree))


@dataclass(frozen=True)
class _Leaf:
    #: Key path after the name of the argument: "['w'][0]".
    suffix: str
    shape: tuple[int, ...]
    dtype: str

    @staticmethod
    def of(path: tuple[Any, ...], info: Any) -> "_Leaf":
        # The first key distinguishes positional from keyword arguments, the second one is the argument.
        return _Leaf(_dotted(jax.tree_util.keystr(path[2:])), tuple(info.shape), str(info.dtype))

    def parts(self) -> int:
        """Returns the number of inputs: a complex array has two."""
        return 2 if self.dtype.startswith("complex") else 1

    def fits(self, inputs: list[tuple[str, list[int], str]], at: int) -> bool:
        """Returns true if the input at this position can be the leaf."""
        if at + self.parts() > len(inputs):
            return False
        path, shape, dtype = inputs[at]
        if self.dtype.startswith("key<"):
            shape = shape[: len(self.shape)]
        if tuple(shape) != self.shape or _DTYPES.get(self.dtype, dtype) != dtype:
            return False
        path = path.removesuffix(".re") if self.parts() == 2 else path
        return path.endswith(self.suffix)


def _dotted(keys: str) -> str:
    """Returns a key path in the form that inputs have in a model: ".w.0"."""
    keys = re.sub(r"(?<=\])\.value$", "", keys)
    dotted = re.sub(r"\[<flat index (\d+)>\]|\['([^']*)'\]|\[\"([^\"]*)\"\]|\[(\d+)\]", _segment, keys)
    return re.sub(r"[=*?\",\s]", "_", dotted)


def _segment(found: re.Match[str]) -> str:
    return "." + next(text for text in found.groups() if text is not None)


def _kept(leaves: list[_Leaf], inputs: list[tuple[str, list[int], str]]) -> list[int | None]:
    """Returns the position of each leaf's input. JAX drops arguments that a function does not read."""
    total = sum(leaf.parts() for leaf in leaves)
    if total == len(inputs):
        starts: list[int | None] = []
        at = 0
        for leaf in leaves:
            starts.append(at)
            at += leaf.parts()
        return starts
    # The inputs are a subsequence of the leaves. The first and the last match agree where it is unique.
    first = _matched(leaves, inputs, range(len(leaves)))
    last = _matched(leaves, inputs, range(len(leaves) - 1, -1, -1))
    if first is None or first != last:
        raise _partita.Error(
            "the function does not read all of its arguments, and it is not clear which ones it reads\n"
            "help: lower it with all of them: jax.jit(f, keep_unused=True).lower(...)"
        )
    return first


def _matched(leaves: list[_Leaf], inputs: list[tuple[str, list[int], str]], order: range) -> list[int | None] | None:
    positions: list[int | None] = [None] * len(leaves)
    forward = order.step > 0
    at = 0 if forward else len(inputs)
    for i in order:
        leaf = leaves[i]
        start = at if forward else at - leaf.parts()
        if start >= 0 and leaf.fits(inputs, start):
            positions[i] = start
            at = start + leaf.parts() if forward else start
    return positions if at == (len(inputs) if forward else 0) else None


def spec(dims: list[list[str]]) -> PartitionSpec:
    """Returns the axes of each dimension as a specification without trailing empty entries."""
    entries = [None if not axes else axes[0] if len(axes) == 1 else tuple(axes) for axes in dims]
    while entries and entries[-1] is None:
        entries.pop()
    return PartitionSpec(*entries)


def mesh(axes: list[tuple[str, int]], order: list[int], devices: Any = None) -> Mesh:
    """Returns a mesh of devices; by default of the first ones that JAX has."""
    count = int(np.prod([size for _, size in axes], dtype=int))
    available = list(jax.devices() if devices is None else devices)
    if len(available) < count:
        raise _partita.Error(
            f"the plan needs {count} devices, and JAX has {len(available)}\n"
            f"help: on a CPU, start Python with XLA_FLAGS=--xla_force_host_platform_device_count={count}"
        )
    grid = np.array([available[number] for number in order], dtype=object).reshape([size for _, size in axes])
    return Mesh(grid, [name for name, _ in axes])


def named(tree: Any, on: Mesh) -> Any:
    """Returns specifications as shardings on a mesh."""
    is_spec = lambda leaf: isinstance(leaf, PartitionSpec)  # noqa: E731
    return jax.tree_util.tree_map(lambda leaf: NamedSharding(on, leaf), tree, is_leaf=is_spec)
