"""Partial sums: values that are the sum of the shards of an additional first dimension.

A contraction over a sharded dimension leaves a partial sum on each device. XLA reduces it at once; a plan may reduce it
later, such as once for the sum of three products. A partial sum is a value with a first dimension of one element for
each device of the axes, which is sharded over them. Ops that are linear in it are mapped over that dimension, so that
results do not depend on the plan.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

#: Mesh axes of each dimension of a value.
Axes = list[list[str]]

#: Primitives that are linear in their first operand, if the others are not partial.
_LINEAR_IN_FIRST = {
    "broadcast_in_dim", "copy", "div", "dynamic_slice", "expand_dims", "neg", "reduce_sum", "reshape", "rev", "slice",
    "squeeze", "transpose",
}  # fmt: skip
#: Primitives that are linear in one operand, if the other one is not partial.
_LINEAR_IN_ONE = {"dot_general", "mul"}
#: Primitives that are linear in all operands together.
_LINEAR_IN_ALL = {"add", "add_any", "concatenate", "sub"}


@dataclass(frozen=True)
class Partial:
    """A partial sum."""

    #: The value, with an additional first dimension.
    value: Any
    #: Axes that shard the first dimension, in the order of the mesh.
    over: tuple[str, ...]
    #: Axes of the other dimensions.
    axes: Axes
    #: Axes of each dimension after the reduction; None if readers need different ones.
    reduced: Axes | None

    mesh: Mesh
    #: Reduced values by layout, so that readers with equal ones share a reduction.
    sums: list[tuple[Axes | None, Any]] = field(default_factory=list)

    def sum(self, axes: Axes | None) -> Any:
        """Returns the reduced value in the layout that is stated for all readers, or else in `axes`."""
        target = axes if self.reduced is None else self.reduced
        found = next((value for known, value in self.sums if known == target), None)
        if found is None:
            found = self._sum(target)
            self.sums.append((target, found))
        return found

    def _sum(self, target: Axes | None) -> Any:
        if target is None:
            return self.value.sum(0)
        scattered = self._scattered(target)
        if scattered is None:
            return constrained(self.value.sum(0), target, self.mesh)
        reduce = lambda shard: lax.psum_scatter(shard[0], self.over, scatter_dimension=scattered, tiled=True)  # noqa: E731
        before, after = PartitionSpec(self.over, *map(_entry, self.axes)), PartitionSpec(*map(_entry, target))
        return jax.shard_map(reduce, mesh=self.mesh, in_specs=before, out_specs=after)(self.value)

    def _scattered(self, target: Axes) -> int | None:
        """Returns the dimension that the reduction splits over the axes of the sum; None if there is none."""
        changed = [dim for dim, (before, after) in enumerate(zip(self.axes, target, strict=True)) if before != after]
        if len(changed) != 1 or target[changed[0]] != [*self.axes[changed[0]], *self.over]:
            return None
        return changed[0] if _are_expressible(self.value.shape[1:], target, self.mesh) else None


def constrained(value: Any, axes: Axes, mesh: Mesh) -> Any:
    """Returns a value with a layout. A dimension that JAX cannot split in this way is left to XLA."""
    entries = [
        _entry(split) if is_expressible(size, split, mesh) else PartitionSpec.UNCONSTRAINED
        for size, split in zip(value.shape, axes, strict=True)
    ]
    return lax.with_sharding_constraint(value, NamedSharding(mesh, PartitionSpec(*entries)))


def is_expressible(size: int, axes: list[str], mesh: Mesh) -> bool:
    """Returns true if JAX can split a dimension of this size over the axes."""
    return all(axis in mesh.shape for axis in axes) and size % math.prod(mesh.shape[axis] for axis in axes) == 0


def _entry(axes: list[str]) -> tuple[str, ...] | None:
    return tuple(axes) or None


def _are_expressible(shape: tuple[int, ...], axes: Axes, mesh: Mesh) -> bool:
    return all(is_expressible(size, split, mesh) for size, split in zip(shape, axes, strict=True))


def partial_contraction(
    equation: Any, operands: list[Any], layouts: list[Any], result: Any, mesh: Mesh
) -> Partial | None:
    """Returns the partial result of a `dot_general` or `reduce_sum` whose contracted dimensions are sharded; None for
    another equation, and for a result that is reduced at once in its own layout, as XLA does."""
    if not result.partial or result.axes is None or result.reduced == result.axes or None in layouts:
        return None
    over, axes = in_mesh_order(result.partial, mesh), [layout.axes for layout in layouts]
    if over is None or None in axes:
        return None
    match equation.primitive.name:
        case "dot_general":
            contracted, _ = equation.params["dimension_numbers"]
        case "reduce_sum":
            contracted = (equation.params["axes"],)
        case _:
            return None
    if not all(_are_expressible(value.shape, of, mesh) for value, of in zip(operands, axes, strict=True)):
        return None
    split = [dims for dims in zip(*contracted, strict=True) if axes[0][dims[0]]]
    of_dims = [[of[dim] for of, dim in zip(axes, dims, strict=True)] for dims in split]
    if any(of != equal[0] for equal in of_dims for of in equal):
        return None
    found = [axis for equal in of_dims for axis in equal[0]]
    if sorted(found) != sorted(over) or len(set(found)) != len(found):
        return None
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
    return Partial(constrained(value, [list(over), *result.axes], mesh), over, result.axes, result.reduced, mesh)


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


def partial_result(equation: Any, operands: list[Any], result: Any, mesh: Mesh) -> Partial | None:
    """Returns the result of an equation that is linear in its partial operands, if the plan does not reduce them
    before; None otherwise. `result` is its layout."""
    partial = [operand for operand in operands if isinstance(operand, Partial)]
    over, name = partial[0].over, equation.primitive.name
    is_linear = (
        (name in _LINEAR_IN_FIRST and len(partial) == 1 and isinstance(operands[0], Partial))
        or (name in _LINEAR_IN_ONE and len(partial) == 1)
        or (name in _LINEAR_IN_ALL and len(partial) == len(operands))
        or (name == "convert_element_type" and jax.numpy.issubdtype(equation.params["new_dtype"], jax.numpy.floating))
    )
    is_kept = result.axes is not None and in_mesh_order(result.partial, mesh) == over
    if not is_linear or not is_kept or any(other.over != over for other in partial):
        return None
    is_mapped = [0 if isinstance(operand, Partial) else None for operand in operands]
    values = [operand.value if isinstance(operand, Partial) else operand for operand in operands]
    value = jax.vmap(lambda *values: _computed(equation, values), in_axes=is_mapped)(*values)
    return Partial(constrained(value, [list(over), *result.axes], mesh), over, result.axes, result.reduced, mesh)
