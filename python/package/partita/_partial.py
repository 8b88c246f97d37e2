"""Partial sums: values that are the sum of the shards of an additional first dimension.

A contraction over a sharded dimension leaves a partial sum on each device. XLA reduces it at once; a plan may reduce it
later, such as once for the sum of three products. A partial sum is a value with a first dimension of one element for
each device of the axes, which is sharded over them. Ops that are linear in it are mapped over that dimension, so that
results do not depend on the plan.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import jax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

#: Mesh axes of each dimension of a value; None for a dimension that is left to XLA.
Axes = list[list[str] | None]

#: Primitives that are linear in their first operand, if the others are not partial.
_LINEAR_IN_FIRST = {
    "broadcast_in_dim", "copy", "cumsum", "div", "dynamic_slice", "expand_dims", "gather", "neg", "reduce_sum",
    "reduce_window_sum", "reshape", "rev", "slice", "split", "squeeze", "transpose",
}  # fmt: skip
#: Primitives that are linear in one operand, if the other one is not partial.
_LINEAR_IN_ONE = {"conv_general_dilated", "dot_general", "mul"}
#: Primitives that are linear in several operands together, with the positions of these; None for all operands.
_LINEAR_IN_ALL: dict[str, tuple[int, ...] | None] = {
    "add": None, "add_any": None, "concatenate": None, "dynamic_update_slice": (0, 1), "pad": None,
    "scatter-add": (0, 2), "select_n": (1, 2), "sub": None,
}  # fmt: skip


@dataclass(frozen=True)
class Partial:
    """A partial sum."""

    #: The value, with an additional first dimension.
    value: Any
    #: Axes that shard the first dimension, in the order of the mesh.
    over: tuple[str, ...]
    #: Axes of the other dimensions; None if they are not known.
    axes: Axes | None
    #: Axes of each dimension after the reduction; None if readers need different ones.
    reduced: Axes | None

    mesh: Mesh
    #: Computes the reduced value from a reduction that other readers share; None if there is no such reduction.
    from_shared: Callable[[], Any] | None = None
    #: Reduced values by layout, so that readers with equal ones share a reduction.
    sums: list[tuple[Axes | None, Any]] = field(default_factory=list)

    def sum(self, axes: Axes | None) -> Any:
        """Returns the reduced value in the layout that is stated for all readers, or else in `axes`."""
        return self._shared(axes if self.reduced is None else self.reduced)

    def _shared(self, target: Axes | None) -> Any:
        found = next((value for known, value in self.sums if known == target), None)
        if found is None:
            found = self._sum(target)
            self.sums.append((target, found))
        return found

    def with_value(self, value: Any) -> "Partial":
        """Returns a partial sum with the layout of this one, which can be read in another trace."""
        return Partial(value, self.over, self.axes, self.reduced, self.mesh)

    def _sum(self, target: Axes | None) -> Any:
        if target is None:
            return self.value.sum(0) if self.from_shared is None else self.from_shared()
        scattered = self._scattered(target)
        if scattered is None:
            return constrained(self._shared(None), target, self.mesh)
        steps, axes = scattered
        rest = [axis for axis in self.over if all(axis not in along for _, along in steps)]

        def reduce(shard: Any) -> Any:
            shard = shard[0]
            for dim, along in steps:
                shard = lax.psum_scatter(shard, along, scatter_dimension=dim, tiled=True)
            return lax.psum(shard, rest) if rest else shard

        before, after = specification([list(self.over), *axes]), specification(target)
        return jax.shard_map(reduce, mesh=self.mesh, in_specs=before, out_specs=after)(self.value)

    def _scattered(self, target: Axes) -> tuple[list[tuple[int, tuple[str, ...]]], Axes] | None:
        """Returns the dimensions that the reduction splits with the axes of the sum that split them, and the layout
        before; None if the reduction splits no dimension."""
        if not are_expressible(self.value.shape[1:], target, self.mesh):
            return None
        steps, before = [], []
        for dim, after in enumerate(target):
            kept = [axis for axis in after if axis not in self.over]
            if after[: len(kept)] != kept:
                return None
            before.append(kept)
            if kept != after:
                steps.append((dim, tuple(after[len(kept) :])))
        return (steps, before) if steps and self.axes in (None, before) else None


def constrained(value: Any, axes: Axes, mesh: Mesh) -> Any:
    """Returns a value with a layout. A dimension that JAX cannot split in this way is left to XLA."""
    entries = [
        _entry(split) if is_expressible(size, split, mesh) else PartitionSpec.UNCONSTRAINED
        for size, split in zip(value.shape, axes, strict=True)
    ]
    return lax.with_sharding_constraint(value, NamedSharding(mesh, PartitionSpec(*entries)))


def is_expressible(size: int, axes: list[str] | None, mesh: Mesh) -> bool:
    """Returns true if JAX can split a dimension of this size over the axes."""
    if axes is None or any(axis not in mesh.shape for axis in axes):
        return False
    return size % math.prod(mesh.shape[axis] for axis in axes) == 0


def specification(axes: Axes) -> PartitionSpec:
    """Returns a layout as a specification of JAX."""
    return PartitionSpec(*map(_entry, axes))


def _entry(axes: list[str] | None) -> tuple[str, ...] | None:
    return tuple(axes or ()) or None


def are_expressible(shape: tuple[int, ...], axes: Axes, mesh: Mesh) -> bool:
    """Returns true if JAX can split all dimensions of a shape over the axes."""
    return all(is_expressible(size, split, mesh) for size, split in zip(shape, axes, strict=True))


def partial_contraction(
    equation: Any, operands: list[Any], layouts: list[Any], result: Any, mesh: Mesh
) -> Partial | None:
    """Returns the partial result of a `dot_general` or `reduce_sum` whose contracted dimensions are sharded; None for
    another equation, and for a result that is reduced at once in its own layout, as XLA does."""
    if not result.partial or result.axes is None or result.reduced == result.axes:
        return None
    over = in_mesh_order(result.partial, mesh)
    axes = [None if layout is None else layout.axes for layout in layouts]
    if over is None or all(of is None for of in axes):
        return None
    match equation.primitive.name:
        case "dot_general":
            contracted, _ = equation.params["dimension_numbers"]
        case "reduce_sum":
            contracted = (equation.params["axes"],)
        case _:
            return None
    pairs = zip(operands, axes, strict=True)
    if not all(of is None or are_expressible(value.shape, of, mesh) for value, of in pairs):
        return None
    # An operand without a known layout is split as the other one.
    all_dims = list(zip(*contracted, strict=True))
    within = lambda axes: [axis for axis in axes if axis in over]  # noqa: E731
    of_all = [[within(of[dim]) for of, dim in zip(axes, dims, strict=True) if of is not None] for dims in all_dims]
    split = [dims for dims, of in zip(all_dims, of_all, strict=True) if of[0]]
    of_dims = [of for of in of_all if of[0]]
    if any(of != equal[0] for equal in of_dims for of in equal):
        return None
    found = [axis for equal in of_dims for axis in equal[0]]
    if sorted(found) != sorted(over) or len(set(found)) != len(found):
        return None
    operands = [
        operand if of is None else _gathered(operand, of, [dims[i] for dims in all_dims], over, mesh)
        for i, (operand, of) in enumerate(zip(operands, axes, strict=True))
    ]
    shares = [math.prod(mesh.shape[axis] for axis in equal[0]) for equal in of_dims]
    divided = [
        _divided(operand, list(dims), shares) for operand, dims in zip(operands, zip(*split, strict=True), strict=True)
    ]
    compute: Callable[..., Any] = lambda *values: _computed(equation, values)  # noqa: E731
    for _ in split:
        compute = jax.vmap(compute)
    value = compute(*divided)
    # One dimension for the axes of all split dimensions, in the order of the mesh.
    rest = list(value.shape[len(split) :])
    value = value.reshape([*(mesh.shape[axis] for axis in found), *rest])
    order = [found.index(axis) for axis in over]
    value = value.transpose([*order, *range(len(order), value.ndim)])
    value = value.reshape([math.prod(shares), *rest])
    return partial(value, over, result, mesh)


def _gathered(operand: Any, axes: Axes, contracted: list[int], over: tuple[str, ...], mesh: Mesh) -> Any:
    """Returns an operand whose contracted dimensions are split over the axes of the sum only, for all its readers."""
    within = [
        [axis for axis in split if axis in over] if dim in contracted else split for dim, split in enumerate(axes)
    ]
    return operand if within == axes else constrained(operand, within, mesh)


def in_mesh_order(axes: list[str], mesh: Mesh) -> tuple[str, ...] | None:
    """Returns the axes in the order of the mesh; None if one of them is a part of an axis."""
    ordered = tuple(axis for axis in mesh.axis_names if axis in axes)
    return ordered if len(ordered) == len(axes) else None


def _divided(value: Any, dims: list[int], shares: list[int]) -> Any:
    """Returns a value with an additional first dimension for each of the dimensions: the number of its shard."""
    shape: list[int] = []
    shards, rest = [0] * len(dims), []
    for dim, size in enumerate(value.shape):
        if dim in dims:
            shards[dims.index(dim)] = len(shape)
            shape.append(shares[dims.index(dim)])
            size //= shape[-1]
        rest.append(len(shape))
        shape.append(size)
    return value.reshape(shape).transpose([*shards, *rest])


def _computed(equation: Any, values: Any) -> Any:
    """Returns the only result of an equation for operands of other types than those it was traced with."""
    return equation.primitive.bind(*values, **equation.params)


def partial_results(
    equation: Any, operands: list[Any], layouts: tuple[list[Any], list[Any]] | None, mesh: Mesh
) -> list[Partial] | None:
    """Returns the results of an equation that is linear in its partial operands, if the plan does not reduce these
    before; None otherwise. `layouts` are those of the operands and of the results.

    An equation without known layouts rearranges values, which the ops of the plan do together with another equation.
    Its results are partial, unless every reader of its operands needs the reduced values.
    """
    of_operands, of_results = ([None] * len(operands), [None] * len(equation.outvars)) if layouts is None else layouts
    sums = [operand for operand in operands if isinstance(operand, Partial)]
    over = sums[0].over
    if any(other.over != over for other in sums):
        return None
    for variable, layout in zip(equation.outvars, of_results, strict=True):
        if layout is None:
            larger = variable.aval.size > max(operand.value.size // operand.value.shape[0] for operand in sums)
            if larger or any(operand.reduced is not None for operand in sums):
                return None
        elif layout.axes is None or in_mesh_order(layout.partial, mesh) != over:
            return None
    compute: Callable[..., Any] = lambda *values: _computed(equation, values)  # noqa: E731
    if equation.primitive.name in ("square", "integer_pow") and equation.params.get("y", 2) == 2:
        operands, compute = [operands[0], operands[0].sum(None)], lax.mul
    else:
        linear = _linear_operands(equation, operands, of_operands, over, mesh)
        if linear is None:
            return None
        operands = linear
    is_mapped = [0 if isinstance(operand, Partial) else None for operand in operands]
    values = [operand.value if isinstance(operand, Partial) else operand for operand in operands]
    computed = jax.vmap(compute, in_axes=is_mapped)(*values)
    results = computed if equation.primitive.multiple_results else [computed]
    found = [partial(value, over, layout, mesh) for value, layout in zip(results, of_results, strict=True)]
    if len(sums) == 1 and all(layout is None for layout in of_results):
        rearranged = functools.cache(lambda: _all_results(equation, [_reduced(operand) for operand in operands]))
        found = [replace(one, from_shared=lambda i=i: rearranged()[i]) for i, one in enumerate(found)]
    return found


def _reduced(value: Any | Partial) -> Any:
    return value.sum(None) if isinstance(value, Partial) else value


def _all_results(equation: Any, values: list[Any]) -> list[Any]:
    computed = _computed(equation, values)
    return computed if equation.primitive.multiple_results else [computed]


def _linear_operands(
    equation: Any, operands: list[Any], layouts: list[Any], over: tuple[str, ...], mesh: Mesh
) -> list[Any | Partial] | None:
    """Returns operands in which an equation is linear, some of which are partial; None if there are none."""
    name = equation.primitive.name
    at = [i for i, operand in enumerate(operands) if isinstance(operand, Partial)]
    if name in _LINEAR_IN_ALL:
        positions = _LINEAR_IN_ALL[name]
        positions = tuple(range(len(operands))) if positions is None else positions
        if not set(at) <= set(positions):
            return None
        is_placed = lambda i: i in positions and not isinstance(operands[i], Partial)  # noqa: E731
        return [placed(operand, over, mesh) if is_placed(i) else operand for i, operand in enumerate(operands)]
    if name in _LINEAR_IN_FIRST:
        return operands if at == [0] else None
    if name in _LINEAR_IN_ONE:
        # Of several partial operands, the plan reduces all except one.
        kept = next((i for i in at if layouts[i] is not None and layouts[i].partial), at[0])
        reduced = lambda i: isinstance(operands[i], Partial) and i != kept  # noqa: E731
        axes_of = lambda i: None if layouts[i] is None else layouts[i].axes  # noqa: E731
        return [operand.sum(axes_of(i)) if reduced(i) else operand for i, operand in enumerate(operands)]
    is_float = jax.numpy.issubdtype(equation.params.get("new_dtype"), jax.numpy.floating)
    return operands if name == "convert_element_type" and is_float else None


def placed(value: Any, over: tuple[str, ...], mesh: Mesh) -> Partial:
    """Returns a value as a partial sum: the first device has the value, and the others have zeros."""
    value = jax.numpy.asarray(value)
    count = math.prod(mesh.shape[axis] for axis in over)
    is_first = lax.broadcasted_iota("int32", (count, *value.shape), 0) == 0
    return partial(jax.numpy.where(is_first, value, jax.numpy.zeros_like(value)), over, None, mesh)


def partial(value: Any, over: tuple[str, ...], layout: Any, mesh: Mesh) -> Partial:
    """Returns a partial sum in a layout; None if the layout is not known."""
    axes = [None] * (value.ndim - 1) if layout is None else layout.axes
    value = constrained(value, [list(over), *axes], mesh)
    return Partial(value, over, *((None, None) if layout is None else (layout.axes, layout.reduced)), mesh)
