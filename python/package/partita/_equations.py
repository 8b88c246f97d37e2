"""Layouts of the equations of a jaxpr, from those of the ops of its program, which have the numbers of the equations in
their name stacks."""

import math
import re
from dataclasses import dataclass
from typing import Any

from jax.extend.core import Literal

from . import _partita

#: Parameters of equations that are inner functions, by primitive. An equation of another primitive is not entered.
INNER = {
    "jit": ("jaxpr",),
    "pjit": ("jaxpr",),
    "scan": ("jaxpr",),
    "while": ("cond_jaxpr", "body_jaxpr"),
    "cond": ("branches",),
    "checkpoint": ("jaxpr",),
    "remat": ("jaxpr",),
    "remat2": ("jaxpr",),
    "closed_call": ("call_jaxpr",),
    "custom_jvp_call": ("call_jaxpr",),
    "custom_vjp_call": ("call_jaxpr",),
}

#: Prefix of the number of an equation in a name stack.
MARK = "partita."

#: Name stack of an op, the layouts of its operands and of its results.
OpLayouts = tuple[str, list[_partita.ValueLayout], list[_partita.ValueLayout]]


@dataclass
class Layout:
    """Layout of a value that no op of the plan has, with the fields of `_partita.ValueLayout`."""

    shape: list[int]
    axes: list[list[str]] | None
    partial: list[str]
    reduced: list[list[str]] | None
    is_resharded: bool = False


@dataclass
class EquationLayouts:
    """Layouts of the operands and results of an equation; None for those that are not known."""

    operands: list[_partita.ValueLayout | Layout | None]
    results: list[_partita.ValueLayout | Layout | None]


def by_equation(equations: list[Any], ops: list[OpLayouts]) -> dict[int, EquationLayouts]:
    """Returns the layouts of equations from those of ops.

    One equation can be several ops: its result is that of the last op with the shape of the result. An operand is
    known by its position if the op has the operands of the equation, or by its shape if no other one has it. An op
    can also be several equations: its operand is then one of an equation before. An operand that no op has is in the
    layout in which it was computed.
    """
    layouts: dict[int, EquationLayouts] = {}
    rearranged: list[tuple[int, _partita.ValueLayout]] = []
    sums: dict[int, list[str]] = {}
    for stack, operands, results in ops:
        marks = re.findall(rf"{re.escape(MARK)}(\d+)(?=/|$)", stack)
        if not marks:
            continue
        number = int(marks[-1])
        equation = equations[number]
        if equation.primitive.name in INNER:
            continue
        of = layouts.setdefault(number, _unknown(equation))
        _assign(of.operands, operands, equation.invars)
        _assign(of.results, results, equation.outvars)
        shapes = [_shape(atom) for atom in equation.invars]
        for layout in results:
            if layout.partial and [math.prod(layout.shape)] == [math.prod(_shape(atom)) for atom in equation.outvars]:
                sums[number] = layout.partial
        rearranged += [(number, layout) for layout in operands if layout.is_resharded and layout.shape not in shapes]
    for number, over in sums.items():
        # An op reduces its result, and another one rearranges it.
        result = layouts[number].results[0]
        if result is not None and result.axes is not None and not result.partial:
            axes = [[axis for axis in split if axis not in over] for split in result.axes]
            layouts[number].results[0] = Layout(result.shape, axes, over, result.axes)
    producers = {variable: number for number, of in enumerate(equations) for variable in of.outvars}
    known = set(layouts)
    for number, layout in rearranged:
        found = _reader(equations, producers, known, number, layout.shape)
        if found is not None:
            reader, position = found
            layouts.setdefault(reader, _unknown(equations[reader])).operands[position] = layout
    for number in known:
        operands = layouts[number].operands
        for position, atom in enumerate(equations[number].invars):
            producer = None if isinstance(atom, Literal) or operands[position] is not None else producers.get(atom)
            if producer in known:
                produced = layouts[producer].results[equations[producer].outvars.index(atom)]
                operands[position] = produced if produced is None or not produced.partial else None
    return layouts


def _reader(
    equations: list[Any], producers: dict[Any, int], known: set[int], number: int, shape: list[int]
) -> tuple[int, int] | None:
    """Returns the equation and the position of its operand with a shape, from which other equations compute an operand
    of equation `number`. They have no layouts of their own: one op does what all of them do."""
    waiting, visited = [number], {number}
    while waiting:
        reader = waiting.pop()
        for position, atom in enumerate(equations[reader].invars):
            if reader != number and _shape(atom) == shape:
                return reader, position
            producer = None if isinstance(atom, Literal) else producers.get(atom)
            if producer is not None and producer not in known and producer not in visited:
                visited.add(producer)
                waiting.append(producer)
    return None


def _unknown(equation: Any) -> EquationLayouts:
    return EquationLayouts([None] * len(equation.invars), [None] * len(equation.outvars))


def _shape(atom: Any) -> list[int]:
    return list(getattr(atom.aval, "shape", ()))


def _assign(known: list[_partita.ValueLayout | None], layouts: list[_partita.ValueLayout], atoms: list[Any]) -> None:
    """Assigns the layouts of an op's operands or results to those of its equation."""
    shapes = [_shape(atom) for atom in atoms]
    same_number = len(layouts) == len(shapes)
    assigned = {at for at, layout in enumerate(layouts) if same_number and layout.shape == shapes[at]}
    for at in assigned:
        known[at] = layouts[at]
    for layout in (layout for at, layout in enumerate(layouts) if at not in assigned):
        if shapes.count(layout.shape) == 1:
            position = shapes.index(layout.shape)
            if position not in assigned:
                known[position] = layout
            continue
        similar = [(position, _with_shape(layout, shape)) for position, shape in enumerate(shapes)]
        similar = [(position, found) for position, found in similar if found is not None]
        if len(similar) == 1 and known[similar[0][0]] is None:
            known[similar[0][0]] = similar[0][1]


def _with_shape(layout: _partita.ValueLayout, shape: list[int]) -> Layout | None:
    """Returns a layout for a shape with other dimensions of size 1; None if other dimensions differ."""
    if layout.axes is None or [size for size in layout.shape if size != 1] != [size for size in shape if size != 1]:
        return None

    def moved(axes: list[list[str]] | None) -> list[list[str]] | None:
        if axes is None:
            return None
        rest = iter([split for split, size in zip(axes, layout.shape, strict=True) if size != 1])
        return [[] if size == 1 else next(rest) for size in shape]

    return Layout(shape, moved(layout.axes), layout.partial, moved(layout.reduced), layout.is_resharded)
