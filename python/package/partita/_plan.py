"""A plan applied to a model."""

import html
import json
import os
import warnings
from collections.abc import Callable
from typing import Any

from . import _partita
from ._exports import DTensorPlan, ExportError, exported
from ._model import Lowered, lowered
from ._options import Flags
from ._results import Check


class Plan:
    """A model with a layout for every value. Prints as the report of ``partita plan``."""

    def __init__(
        self,
        source: Lowered,
        flags: Flags,
        toml: str | None = None,
        machine: str | None = None,
        found: _partita.SearchResult | None = None,
    ):
        self._lowered = source
        #: The plan as written: flags, the text of a plan file, and a machine.
        self._written = (flags, toml, machine)
        self._partition = _partita.partition(source.model, *self._written)
        #: Result of the search that found the plan; None for a plan without a search.
        self.found = found

    def __str__(self) -> str:
        return self._partition.text()

    def __repr__(self) -> str:
        axes = ", ".join(f"{name}={size}" for name, size in self._partition.mesh)
        return f"<partita.Plan of {self._lowered.model.name} on {axes}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    @property
    def warnings(self) -> str:
        """Warnings, such as options without effect; empty if there are none."""
        return self._partition.warnings

    def report(self, path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
        """Returns the complete report: parameters, collectives with their causes, memory, arithmetic. With `path`, also
        writes it as an HTML page, which needs no other files. The page of a plan from a search begins with the result
        of the search; it and the page of a plan for a machine have the predicted step."""
        if path is not None:
            found = self.found
            page = self._partition.html() if found is None else found.html(self._lowered.model)
            _partita.write_file(path, page)
        return json.loads(self._partition.json())

    def explain(self, value: str | int) -> str:
        """Explains the layout of a value by its name, or a collective by its number in the report, counted from 1."""
        if isinstance(value, int):
            return self._partition.explain_collective(value)
        return self._partition.explain(value)

    def check(self, seed: int = 0) -> Check:
        """Runs all devices in this process on random inputs, and compares the results with those of one device."""
        agrees, text = self._partition.check(seed)
        return Check(agrees, text)

    def to_toml(self) -> str:
        """Returns the text of a plan file, for ``partita plan --plan FILE`` and ``partita.plan(model, toml=...)``."""
        return self._partition.to_toml()

    def to_mlir(self) -> str:
        """Returns the program as StableHLO with the sharding of every value."""
        return self._partition.emit("mlir")

    def export(self, target: str, *, nearest: bool = False, machine: str | None = None) -> str:
        """Returns the plan in the terms of another framework, as the text of a file: ``"jax"``, ``"dtensor"``,
        ``"tp-plan"``, ``"megatron"``, ``"torchtitan"``, ``"deepspeed"`` or ``"nanotron"``.

        Raises `ExportError` for a plan that the framework cannot express, with the parts in question, the nearest plan
        that it can express, and the memory and communication of both; `machine` adds the predicted step times. With
        `nearest`, that plan is exported, and its changes are reported as warnings."""
        return self._exported(target, nearest, machine).text

    def dtensor(self, *, nearest: bool = False, machine: str | None = None) -> DTensorPlan:
        """Returns the placements of all parameters and the plan of ``parallelize_module``, for PyTorch. The arguments
        are those of `export`."""
        export = self._exported("dtensor", nearest, machine)
        return DTensorPlan.of(json.loads(export.json), export.text)

    def tp_plan(self, *, nearest: bool = False, machine: str | None = None) -> dict[str, str]:
        """Returns the styles of modules for ``config.base_model_tp_plan`` of Transformers. The arguments are those of
        `export`."""
        return json.loads(self._exported("tp-plan", nearest, machine).json)["tp_plan"]

    def flags(self, launcher: str, *, nearest: bool = False, machine: str | None = None) -> str:
        """Returns the launch options of ``"megatron"`` (a shell script), ``"torchtitan"`` (TOML), ``"deepspeed"`` (JSON)
        or ``"nanotron"`` (YAML). The arguments are those of `export`."""
        launchers = ("megatron", "torchtitan", "deepspeed", "nanotron")
        if launcher not in launchers:
            raise ValueError(f"no launcher is called `{launcher}`: use one of {', '.join(launchers)}")
        return self._exported(launcher, nearest, machine).text

    def _exported(self, target: str, nearest: bool, machine: str | None) -> _partita.Export:
        return exported(self._lowered.model, self._partition.written_toml(), target, nearest, machine)

    def mesh(self, devices: Any = None) -> Any:
        """Returns the mesh as a ``jax.sharding.Mesh``, by default of the first devices that JAX has."""
        from . import _jax

        self._require_one_mesh("a mesh")
        return _jax.mesh(self._partition.mesh, self._partition.device_order, devices)

    def partition_specs(self) -> Any:
        """Returns a ``jax.sharding.PartitionSpec`` for each argument: a tuple of trees like the positional arguments of
        the function, or a dictionary by name for a model that does not come from JAX."""
        self._require_one_mesh("partition specifications")
        if self._lowered.jax is None:
            return {layout[0]: self._spec(layout) for layout in self._partition.inputs}
        return self._arguments()

    def in_shardings(self, mesh: Any = None) -> Any:
        """Returns a ``jax.sharding.NamedSharding`` for each argument, for ``jax.jit(f, in_shardings=...)``."""
        from . import _jax

        return _jax.named(self.partition_specs(), self.mesh() if mesh is None else mesh)

    def out_shardings(self, mesh: Any = None) -> Any:
        """Returns a ``jax.sharding.NamedSharding`` for each result, for ``jax.jit(f, out_shardings=...)``."""
        import jax

        from . import _jax

        self._require_one_mesh("output shardings")
        on = self.mesh() if mesh is None else mesh
        outputs = self._partition.outputs
        if self._lowered.jax is None:
            return _jax.named({layout[0]: self._spec(layout) for layout in outputs}, on)
        ranks = self._lowered.jax.ranks[1]
        specs = [self._spec(layout, rank) for layout, rank in zip(self._results(), ranks, strict=True)]
        return _jax.named(jax.tree_util.tree_unflatten(self._lowered.jax.out_tree, specs), on)

    def jit(self, f: Callable[..., Any], mesh: Any = None, *, inner: bool = True, **options: Any) -> Callable[..., Any]:
        """Returns ``jax.jit(f)`` with the layouts of the plan for arguments, results and intermediate values.

        Arguments that were donated when the function was lowered are donated again. With `inner` false, and for
        arguments of other types than those the plan was made for, the layouts of intermediate values are left to XLA.
        `options` are passed to ``jax.jit``.
        """
        import jax

        from . import _constraints

        signature = self._lowered.jax
        if signature is None:
            raise ExportError("the model does not come from JAX\nhelp: plan for `jax.jit(f).lower(...)`")
        on = self.mesh() if mesh is None else mesh
        options.setdefault("in_shardings", self.in_shardings(on))
        options.setdefault("out_shardings", self.out_shardings(on))
        if "donate_argnums" not in options:
            options["donate_argnums"] = signature.donated_arguments(f, options)
        if not inner:
            return jax.jit(f, **options)
        static = {name: value for name, value in options.items() if name.startswith("static_")}
        layouts = lambda marked, arguments: self._op_layouts(marked, arguments, static)  # noqa: E731
        return jax.jit(_constraints.with_layouts(f, layouts, self._axes_of_results(), on), **options)

    def _op_layouts(self, marked: Callable[..., Any], arguments: Any, static: dict[str, Any]) -> Any:
        """Returns the layouts of the ops of a function that computes what the plan's function computes, and names its
        ops; None if its arguments have other types."""
        import jax

        from . import _jax

        signature = self._lowered.jax
        if _jax.types(arguments) != signature.types:
            return None
        donated = signature.donated_arguments(marked, static)
        is_traced = lambda leaf: isinstance(leaf, jax.Array)  # noqa: E731
        type_of = lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) if is_traced(leaf) else leaf  # noqa: E731
        types = jax.tree_util.tree_map(type_of, arguments)
        # JAX removes unused ops only if it may remove unused arguments, too.
        for keep_unused in (False, True):
            function = jax.jit(marked, keep_unused=keep_unused, donate_argnums=donated, **static)
            source = lowered(function.lower(*types), self._lowered.params)
            if len(source.model.inputs) == len(self._lowered.model.inputs):
                break
        message = "the plan cannot be applied to the function again: XLA chooses the layouts of intermediate values"
        try:
            # Values have other names in the program with numbered equations. A plan can contain them.
            model = source.model.with_names_of(self._lowered.model)
            partition = _partita.partition(source.model if model is None else model, *self._written)
        except _partita.Error as error:
            warnings.warn(f"{message}\n{error}", stacklevel=2)
            return None
        if partition.inputs != self._partition.inputs or partition.outputs != self._partition.outputs:
            warnings.warn(message, stacklevel=2)
            return None
        return partition.op_layouts()

    def _results(self) -> list[Any]:
        """Returns the layouts of the function's results. The second part of a complex one has that of the first one."""
        return [layout for layout in self._partition.outputs if not layout[0].endswith(".im")]

    def _axes_of_results(self) -> list[list[list[str]]]:
        """Returns the axes of each dimension of the function's results, with their number of dimensions in JAX."""
        return [dims[:rank] for (*_, dims), rank in zip(self._results(), self._lowered.jax.ranks[1], strict=True)]

    def _arguments(self) -> Any:
        import jax
        from jax.sharding import PartitionSpec

        signature = self._lowered.jax
        inputs = self._partition.inputs
        leaves = [
            PartitionSpec() if at is None else self._spec(inputs[at], rank)
            for at, rank in zip(signature.inputs, signature.ranks[0], strict=True)
        ]
        positional, keywords = jax.tree_util.tree_unflatten(signature.in_tree, leaves)
        if keywords:
            names = ", ".join(f"`{name}`" for name in keywords)
            raise ExportError(f"jax.jit has no shardings for keyword arguments: {names}\nhelp: pass them by position")
        return tuple(positional)

    def _require_one_mesh(self, what: str) -> None:
        if self._partition.stage_count > 1:
            raise ExportError(
                f"a plan with {self._partition.stage_count} pipeline stages has no {what}: "
                "a program of JAX has one mesh\n"
                'help: plan or search without `pipeline`, or with `target="jax"`'
            )

    def _spec(self, layout: tuple[str, list[int], str, list[list[str]]], rank: int | None = None) -> Any:
        """Returns a layout in JAX's terms. `rank` is the number of dimensions in JAX, if it has fewer."""
        from . import _jax

        name, shape, _, dims = layout
        sizes = dict(self._partition.mesh)
        rank = len(dims) if rank is None else rank
        if any(dims[rank:]):
            raise ExportError(f"the words of the random keys `{name}` are split, which JAX cannot express")
        for dim, axes in enumerate(dims):
            parts = [axis for axis in axes if axis not in sizes]
            if parts:
                raise ExportError(
                    f"dimension {dim} of `{name}` is split over a part of an axis, `{parts[0]}`, "
                    "which JAX cannot express\n"
                    "help: declare a mesh with an axis of that size"
                )
            shards = 1
            for axis in axes:
                shards *= sizes[axis]
            if shape[dim] % shards:
                raise ExportError(
                    f"dimension {dim} of `{name}` has {shape[dim]} elements, which {shards} shards do not divide: "
                    "JAX has no padded arguments\n"
                    f'help: leave it whole, shard={{"{name}": "..."}}, or choose another mesh'
                )
        return _jax.spec(dims[:rank])
