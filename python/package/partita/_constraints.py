"""Layouts of intermediate values of a function, as sharding constraints of JAX.

The function is traced to a jaxpr. Each of its equations has a number, which is also that of the equations of loops,
branches and inner functions. The jaxpr is evaluated twice. The first time, the number of each equation is part of the
name stack, so that the ops of the lowered program tell their equation. The program is partitioned with the plan, which
gives the layouts of the equation's results, and of operands that are resharded before it. The second time, these
layouts are constraints. Both evaluations compute what the function computes: a layout that is assigned to the wrong
equation costs communication, and never changes a result.
"""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, jaxpr_as_fun
from jax.sharding import Mesh

from . import _partita
from ._partial import Axes, Partial, constrained, partial_contraction, partial_result

#: Parameters of equations that are inner functions, by primitive. An equation of another primitive is not entered.
_INNER = {
    "jit": ("jaxpr",),
    "pjit": ("jaxpr",),
    "scan": ("jaxpr",),
    "while": ("cond_jaxpr", "body_jaxpr"),
    "cond": ("branches",),
    "checkpoint": ("jaxpr",),
    "remat": ("jaxpr",),
    "remat2": ("jaxpr",),
}

_MARK = "partita."

#: Name stack of an op, the layouts of its operands and of its results.
OpLayouts = tuple[str, list[_partita.ValueLayout], list[_partita.ValueLayout]]


@dataclass
class EquationLayouts:
    """Layouts of the operands and results of an equation; None for those that are not known."""

    operands: list[_partita.ValueLayout | None]
    results: list[_partita.ValueLayout | None]


@dataclass
class Evaluator:
    """Evaluation of a jaxpr, with the numbers of equations in name stacks, or with constraints."""

    #: Layouts by the number of the equation.
    layouts: dict[int, EquationLayouts] = field(default_factory=dict)
    #: Mesh of the layouts; None to name the equations.
    mesh: Mesh | None = None
    #: The jaxpr's equations in the order of their numbers.
    equations: list[Any] = field(default_factory=list)

    def __call__(self, jaxpr: Jaxpr, constants: list[Any], arguments: list[Any]) -> list[Any]:
        values = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*constants, *arguments], strict=True))
        read = lambda atom: atom.val if isinstance(atom, Literal) else values[atom]  # noqa: E731
        for equation in jaxpr.eqns:
            number = len(self.equations)
            self.equations.append(equation)
            transformed = equation.replace(params=self._parameters(equation))
            operands = [read(atom) for atom in equation.invars]
            if self.mesh is None:
                with jax.named_scope(f"{_MARK}{number}"):
                    results = _evaluated(jaxpr, transformed, operands)
            else:
                results = self._planned(jaxpr, transformed, operands, self.layouts.get(number), self.mesh)
            values.update(zip(equation.outvars, results, strict=True))
        return [self._reduced(read(atom), None) for atom in jaxpr.outvars]

    def _planned(
        self, within: Jaxpr, equation: Any, operands: list[Any], layouts: EquationLayouts | None, mesh: Mesh
    ) -> list[Any | Partial]:
        """Returns the results of an equation, in their layouts."""
        if layouts is None:
            return _evaluated(within, equation, [self._reduced(operand, None) for operand in operands])
        result = layouts.results[0] if len(layouts.results) == 1 else None
        if result is not None and any(isinstance(operand, Partial) for operand in operands):
            partial = partial_result(equation, operands, result, mesh)
            if partial is not None:
                return [partial]
        of_operands = list(zip(operands, layouts.operands, strict=True))
        operands = [self._reduced(operand, None if layout is None else layout.axes) for operand, layout in of_operands]
        operands = [
            constrained(operand, layout.axes, mesh)
            if layout is not None and layout.is_resharded and layout.axes is not None and not layout.partial
            else operand
            for operand, layout in zip(operands, layouts.operands, strict=True)
        ]
        if result is not None:
            partial = partial_contraction(equation, operands, layouts.operands, result, mesh)
            if partial is not None:
                return [partial]
        results = []
        for value, layout in zip(_evaluated(within, equation, operands), layouts.results, strict=True):
            axes = None if layout is None else layout.reduced if layout.partial else layout.axes
            results.append(value if axes is None else constrained(value, axes, mesh))
        return results

    def _reduced(self, value: Any | Partial, axes: Axes | None) -> Any:
        """Returns a value that is not partial. `axes` is the layout in which it is read, if that is known."""
        return value.sum(axes) if isinstance(value, Partial) else value

    def _parameters(self, equation: Any) -> dict[str, Any]:
        """Returns the parameters of an equation, with its inner functions transformed."""
        parameters = dict(equation.params)
        for name in _INNER.get(equation.primitive.name, ()):
            inner = parameters[name]
            parameters[name] = tuple(map(self._inner, inner)) if isinstance(inner, tuple) else self._inner(inner)
        return parameters

    def _inner(self, inner: ClosedJaxpr | Jaxpr) -> ClosedJaxpr | Jaxpr:
        is_closed = isinstance(inner, ClosedJaxpr)
        jaxpr, constants = (inner.jaxpr, inner.consts) if is_closed else (inner, [])
        types = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype, weak_type=v.aval.weak_type) for v in jaxpr.invars]
        transformed = jax.make_jaxpr(lambda *arguments: self(jaxpr, constants, arguments))(*types)
        return transformed if is_closed else transformed.jaxpr


def _evaluated(within: Jaxpr, equation: Any, operands: list[Any]) -> list[Any]:
    """Returns the results of one equation of a jaxpr, with its source location and context."""
    read = zip(equation.invars, operands, strict=True)
    inputs = {atom: value for atom, value in read if not isinstance(atom, Literal)}
    info = within.debug_info._replace(arg_names=("",) * len(inputs), result_paths=("",) * len(equation.outvars))
    jaxpr = Jaxpr([], list(inputs), equation.outvars, [equation], equation.effects, info)
    return jaxpr_as_fun(ClosedJaxpr(jaxpr, []))(*inputs.values())


def by_equation(equations: list[Any], ops: list[OpLayouts]) -> dict[int, EquationLayouts]:
    """Returns the layouts of equations from those of ops.

    One equation can be several ops: its result is that of the last op with the shape of the result. An operand is
    known by its position if the op has the operands of the equation, or by its shape if no other one has it.
    """
    layouts: dict[int, EquationLayouts] = {}
    for stack, operands, results in ops:
        marks = re.findall(rf"{re.escape(_MARK)}(\d+)(?=/|$)", stack)
        if not marks:
            continue
        number = int(marks[-1])
        equation = equations[number]
        if equation.primitive.name in _INNER:
            continue
        of = layouts.setdefault(number, EquationLayouts([None] * len(equation.invars), [None] * len(equation.outvars)))
        _assign(of.operands, operands, equation.invars)
        _assign(of.results, results, equation.outvars)
    return layouts


def _assign(known: list[_partita.ValueLayout | None], layouts: list[_partita.ValueLayout], atoms: list[Any]) -> None:
    """Assigns the layouts of an op's operands or results to those of its equation."""
    shapes = [list(getattr(atom.aval, "shape", ())) for atom in atoms]
    if [layout.shape for layout in layouts] == shapes:
        known[:] = layouts
        return
    for layout in layouts:
        if shapes.count(layout.shape) == 1:
            known[shapes.index(layout.shape)] = layout


def with_layouts(
    f: Callable[..., Any],
    layouts_of: Callable[[Callable[..., Any], tuple[Any, ...]], list[OpLayouts] | None],
    mesh: Mesh,
) -> Callable[..., Any]:
    """Returns a function that computes what `f` computes, with constraints for the layouts of intermediate values.

    `layouts_of` returns the layouts of a function's ops for arguments of some types, or None for types that the plan is
    not for: the function is then left as it is.
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
        outputs = Evaluator(layouts, mesh)(closed.jaxpr, closed.consts, values)
        return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(results), outputs)

    return planned


def _like(
    f: Callable[..., Any], evaluator: Evaluator, closed: ClosedJaxpr, traced: list[int], results: Any
) -> Callable[..., Any]:
    """Returns a function with the name and the parameters of `f` that evaluates its jaxpr."""

    @functools.wraps(f)
    def like(*arguments: Any, **keywords: Any) -> Any:
        leaves = jax.tree_util.tree_leaves((arguments, keywords))
        outputs = evaluator(closed.jaxpr, closed.consts, [leaves[at] for at in traced])
        return jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(results), outputs)

    return like
