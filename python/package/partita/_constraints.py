"""Layouts of intermediate values of a function, as sharding constraints of JAX.

The function is traced to a jaxpr. Each of its equations has a number, which is also that of the equations of loops,
branches and inner functions. The jaxpr is evaluated twice. The first time, the number of each equation is part of the
name stack, so that the ops of the lowered program tell their equation. The program is partitioned with the plan, which
gives the layouts of the equation's results, and of operands that are resharded before it. The second time, these
layouts are constraints. Both evaluations compute what the function computes: a layout that is assigned to the wrong
equation costs communication, and never changes a result.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, jaxpr_as_fun
from jax.sharding import Mesh, Sharding

from . import _convolution
from ._equations import INNER, MARK, EquationLayouts, OpLayouts, by_equation
from ._partial import (
    Axes,
    Partial,
    are_expressible,
    constrained,
    partial_contraction,
    partial_results,
    placed,
    specification,
)

_CHECKPOINTS = ("checkpoint", "remat", "remat2")

#: Primitives that XLA computes on gathered operands, although they divide all dimensions except one.
_ALONG_ONE_DIMENSION = ("sort", "top_k")

#: Values of variables after reshards, with the axes of their dimensions.
Resharded = dict[Any, list[tuple[Axes, Any]]]


@dataclass
class Evaluator:
    """Evaluation of a jaxpr, with the numbers of equations in name stacks, or with constraints."""

    #: Layouts by the number of the equation.
    layouts: dict[int, EquationLayouts] = field(default_factory=dict)
    #: Mesh of the layouts; None to name the equations.
    mesh: Mesh | None = None
    #: The jaxpr's equations in the order of their numbers.
    equations: list[Any] = field(default_factory=list)

    def __call__(
        self, jaxpr: Jaxpr, constants: list[Any], arguments: list[Any], results: list[Axes | None] | None = None
    ) -> list[Any]:
        """Returns the results of a jaxpr. `results` are their layouts, for partial sums that the jaxpr returns."""
        values = self._evaluate(jaxpr, constants, arguments)
        layouts = [None] * len(values) if results is None else results
        return [self._reduced(value, axes) for value, axes in zip(values, layouts, strict=True)]

    def _evaluate(self, jaxpr: Jaxpr, constants: list[Any], arguments: list[Any | Partial]) -> list[Any | Partial]:
        """Returns the results of a jaxpr, some of which may be partial."""
        values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *arguments], strict=True))
        read = lambda atom: atom.val if isinstance(atom, Literal) else values[atom]  # noqa: E731
        resharded: Resharded = {}
        for equation in jaxpr.eqns:
            number = len(self.equations)
            self.equations.append(equation)
            operands = [read(atom) for atom in equation.invars]
            if self.mesh is None:
                with jax.named_scope(f"{MARK}{number}"):
                    results = _evaluated(jaxpr, self._transformed(equation), operands)
            else:
                results = self._planned(jaxpr, equation, operands, self.layouts.get(number), resharded, self.mesh)
            values.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def _planned(
        self,
        within: Jaxpr,
        equation: Any,
        operands: list[Any],
        layouts: EquationLayouts | None,
        resharded: Resharded,
        mesh: Mesh,
    ) -> list[Any | Partial]:
        """Returns the results of an equation, in their layouts."""
        name = equation.primitive.name
        if name in ("jit", "pjit") and not _has_shardings(equation):
            inner = equation.params["jaxpr"]
            with jax.named_scope(equation.params["name"]):
                return self._evaluate(inner.jaxpr, inner.consts, operands)
        if name == "scan":
            return self._scanned(equation, operands, mesh)
        if name in _CHECKPOINTS:
            inner, results = self._traced(equation.params["jaxpr"], [], operands, [True] * len(equation.outvars))
            parameters = {**equation.params, "jaxpr": _without_constants(inner.jaxpr)}
            if isinstance(parameters["prevent_cse"], tuple):
                parameters["prevent_cse"] = (False,) * len(inner.consts) + parameters["prevent_cse"]
            values = equation.primitive.bind(*inner.consts, *map(_array, operands), **parameters)
            return _restored(values, results)
        if any(isinstance(operand, Partial) for operand in operands):
            of_both = None if layouts is None else (layouts.operands, layouts.results)
            partial = partial_results(equation, operands, of_both, mesh)
            if partial is not None:
                return partial
        equation = self._transformed(equation)
        if layouts is None:
            return _evaluated(within, equation, [self._reduced(operand, None) for operand in operands])
        result = layouts.results[0] if len(layouts.results) == 1 else None
        of_operands = list(zip(operands, layouts.operands, strict=True))
        operands = [self._reduced(operand, None if layout is None else layout.axes) for operand, layout in of_operands]
        operands = [
            _resharded(atom, operand, layout, resharded, mesh)
            for atom, operand, layout in zip(equation.invars, operands, layouts.operands, strict=True)
        ]
        if result is not None:
            is_convolution = equation.primitive.name == "conv_general_dilated"
            of_one_result = _convolution.on_shards if is_convolution else partial_contraction
            value = of_one_result(equation, operands, layouts.operands, result, mesh)
            if value is not None:
                return [value]
        if name in _ALONG_ONE_DIMENSION:
            sorted_ = _on_shards(equation, operands, layouts, mesh)
            if sorted_ is not None:
                return sorted_
        results = []
        for value, layout in zip(_evaluated(within, equation, operands), layouts.results, strict=True):
            axes = None if layout is None else layout.reduced if layout.partial else layout.axes
            results.append(value if axes is None else constrained(value, axes, mesh))
        return results

    def _scanned(self, equation: Any, operands: list[Any | Partial], mesh: Mesh) -> list[Any | Partial]:
        """Returns the results of a scan. A sum that is partial at the end of each iteration, such as the gradient of a
        parameter that all iterations read, is carried as such, and reduced after the loop."""
        parameters = equation.params
        first, end = parameters["num_consts"], parameters["num_consts"] + parameters["num_carry"]
        carried = operands[first:end]
        stacked = [self._reduced(operand, None) for operand in operands[end:]]
        operands = [*(self._reduced(operand, None) for operand in operands[:first]), *carried, *stacked]
        inner, number = parameters["jaxpr"], len(self.equations)
        partial: list[Partial | None] = [operand if isinstance(operand, Partial) else None for operand in carried]
        is_kept = [True] * len(carried)
        while True:
            del self.equations[number:]
            initial = [
                self._reduced(operand, None)
                if of is None
                else operand if isinstance(operand, Partial) else placed(operand, of.over, mesh)
                for operand, of in zip(carried, partial, strict=True)
            ]
            operands[first:end] = initial
            slices = [_type(variable) for variable in inner.jaxpr.invars[end:]]
            may_be_partial = [*is_kept, *[False] * (len(equation.outvars) - len(carried))]
            body, results = self._traced(inner.jaxpr, inner.consts, [*operands[:end], *slices], may_be_partial)
            found = results[: len(carried)]
            if all((a and a.over) == (b and b.over) for a, b in zip(partial, found, strict=True)):
                break
            # A carried value that was partial and is none at the end of an iteration is none from now on.
            is_kept = [
                kept and (a is None or (b is not None and a.over == b.over))
                for kept, a, b in zip(is_kept, partial, found, strict=True)
            ]
            pairs = zip(is_kept, partial, found, strict=True)
            partial = [(b if a is None else a) if kept else None for kept, a, b in pairs]
        values = equation.primitive.bind(*map(_array, operands), **{**parameters, "jaxpr": body})
        return _restored(values, results)

    def _traced(
        self, jaxpr: Jaxpr, constants: list[Any], operands: list[Any | Partial], may_be_partial: list[bool]
    ) -> tuple[ClosedJaxpr, list[Partial | None]]:
        """Returns a transformed jaxpr for operands or their types, and those of its results that are partial. A result
        for which this is not allowed, or whose readers all need the reduced value, is reduced."""
        partial: list[Partial | None] = []

        def flat(*arrays: Any) -> list[Any]:
            values = self._evaluate(jaxpr, constants, _restored(arrays, operands))
            partial.clear()
            for i, value in enumerate(values):
                is_kept = isinstance(value, Partial) and value.reduced is None and may_be_partial[i]
                partial.append(value if is_kept else None)
                values[i] = value.value if is_kept else self._reduced(value, None)
            return values

        is_type = lambda operand: isinstance(operand, jax.ShapeDtypeStruct)  # noqa: E731
        types = [operand if is_type(operand) else jax.typeof(_array(operand)) for operand in operands]
        closed = jax.make_jaxpr(flat)(*types)
        return closed, partial

    def _reduced(self, value: Any | Partial, axes: Axes | None) -> Any:
        """Returns a value that is not partial. `axes` is the layout in which it is read, if that is known."""
        return value.sum(axes) if isinstance(value, Partial) else value

    def _transformed(self, equation: Any) -> Any:
        """Returns an equation with its inner functions transformed."""
        parameters = dict(equation.params)
        for name in INNER.get(equation.primitive.name, ()):
            inner = parameters[name]
            parameters[name] = tuple(map(self._inner, inner)) if isinstance(inner, tuple) else self._inner(inner)
        return equation.replace(params=parameters)

    def _inner(self, inner: ClosedJaxpr | Jaxpr) -> ClosedJaxpr | Jaxpr:
        is_closed = isinstance(inner, ClosedJaxpr)
        jaxpr, constants = (inner.jaxpr, inner.consts) if is_closed else (inner, [])
        transformed = jax.make_jaxpr(lambda *arguments: self(jaxpr, constants, arguments))(*map(_type, jaxpr.invars))
        return transformed if is_closed else transformed.jaxpr


def _type(variable: Any) -> jax.ShapeDtypeStruct:
    aval = variable.aval
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def _without_constants(jaxpr: Jaxpr) -> Jaxpr:
    """Returns a jaxpr whose constants are its first arguments."""
    names = (*([""] * len(jaxpr.constvars)), *jaxpr.debug_info.arg_names)
    info = jaxpr.debug_info._replace(arg_names=names)
    return Jaxpr([], [*jaxpr.constvars, *jaxpr.invars], jaxpr.outvars, jaxpr.eqns, jaxpr.effects, info)


def _on_shards(equation: Any, operands: list[Any], layouts: EquationLayouts, mesh: Mesh) -> list[Any] | None:
    """Returns the results of an equation that each device computes for its shards; None if the dimension that the
    equation does not divide is sharded."""
    every = [*layouts.operands, *layouts.results]
    if any(layout is None or layout.axes is None or layout.partial for layout in every):
        return None
    axes, along = every[0].axes, equation.params.get("dimension", equation.params.get("axis", -1))
    shapes = [tuple(layout.shape) for layout in every]
    if axes[along] or any(layout.axes != axes for layout in every):
        return None
    if not all(are_expressible(shape, axes, mesh) for shape in shapes):
        return None
    compute = lambda *shards: equation.primitive.bind(*shards, **equation.params)  # noqa: E731
    one = specification(axes)
    specifications = (one,) * len(operands), [one] * len(equation.outvars)
    return jax.shard_map(compute, mesh=mesh, in_specs=specifications[0], out_specs=specifications[1])(*operands)


def _has_shardings(equation: Any) -> bool:
    """Returns true if the user stated the layouts of an inner function's arguments or results."""
    stated = (*equation.params["in_shardings"], *equation.params["out_shardings"])
    return any(isinstance(one, Sharding) for one in stated)


def _array(value: Any | Partial) -> Any:
    """Returns a value as an array: that of the shards if it is partial."""
    return value.value if isinstance(value, Partial) else value


def _restored(arrays: Any, like: list[Any]) -> list[Any | Partial]:
    """Returns arrays as values, those as partial sums that are partial in `like`."""
    pairs = zip(arrays, like, strict=True)
    return [of.with_value(array) if isinstance(of, Partial) else array for array, of in pairs]


def _resharded(atom: Any, operand: Any, layout: Any, resharded: Resharded, mesh: Mesh) -> Any:
    """Returns an operand in the layout to which the plan reshards it. Readers in equal layouts share the reshard."""
    if layout is None or not layout.is_resharded or layout.axes is None or layout.partial:
        return operand
    if isinstance(atom, Literal):
        return constrained(operand, layout.axes, mesh)
    known = resharded.setdefault(atom, [])
    found = next((value for axes, value in known if axes == layout.axes), None)
    if found is None:
        found = constrained(operand, layout.axes, mesh)
        known.append((layout.axes, found))
    return found


def _evaluated(within: Jaxpr, equation: Any, operands: list[Any]) -> list[Any]:
    """Returns the results of one equation of a jaxpr, with its source location and context."""
    read = zip(equation.invars, operands, strict=True)
    inputs = {atom: value for atom, value in read if not isinstance(atom, Literal)}
    info = within.debug_info._replace(arg_names=("",) * len(inputs), result_paths=("",) * len(equation.outvars))
    jaxpr = Jaxpr([], list(inputs), equation.outvars, [equation], equation.effects, info)
    return jaxpr_as_fun(ClosedJaxpr(jaxpr, []))(*inputs.values())


def with_layouts(
    f: Callable[..., Any],
    layouts_of: Callable[[Callable[..., Any], tuple[Any, ...]], list[OpLayouts] | None],
    results_in: list[Axes],
    mesh: Mesh,
) -> Callable[..., Any]:
    """Returns a function that computes what `f` computes, with constraints for the layouts of intermediate values.

    `layouts_of` returns the layouts of a function's ops for arguments of some types, or None for types that the plan is
    not for: the function is then left as it is. `results_in` are the layouts of the function's results.
    """

    @functools.wraps(f)
    def planned(*arguments: Any, **keywords: Any) -> Any:
        leaves, tree = jax.tree_util.tree_flatten((arguments, keywords))
        traced = [at for at, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

        def flat(*values: Any) -> Any:
            replaced = list(leaves)
            for at, value in zip(traced, values, strict=True):
                replaced[at] = value
            positional, named = jax.tree_util.tree_unflatten(tree, replaced)
            return f(*positional, **named)

        values = [leaves[at] for at in traced]
        closed, results = jax.make_jaxpr(flat, return_shape=True)(*values)
        marked = Evaluator()
        ops = layouts_of(_like(f, marked, closed, traced, results), arguments)
        if ops is None:
            return f(*arguments, **keywords)
        layouts = by_equation(marked.equations, ops)
        outputs = Evaluator(layouts, mesh)(closed.jaxpr, closed.consts, values, results_in)
        return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(results), outputs)

    return planned


def _like(
    f: Callable[..., Any], evaluator: Evaluator, closed: ClosedJaxpr, traced: list[int], results: Any
) -> Callable[..., Any]:
    """Returns a function with the name and the parameters of `f` that evaluates its jaxpr."""

    @functools.wraps(f)
    def like(*arguments: Any, **keywords: Any) -> Any:
        leaves = jax.tree_util.tree_leaves((arguments, keywords))
        evaluator.equations.clear()
        outputs = evaluator(closed.jaxpr, closed.consts, [leaves[at] for at in traced])
        return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(results), outputs)

    return like
