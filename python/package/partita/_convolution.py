"""Convolutions on shards, with the borders of neighbouring shards, and with results that are partial sums.

XLA gathers the operands of a convolution with a dilated operand if a spatial dimension is sharded, and reduces the
result of a convolution whose features are sharded at once.
"""

import math
from dataclasses import dataclass
from typing import Any

import jax
from jax import lax
from jax.sharding import Mesh, PartitionSpec

from ._partial import Partial, are_expressible, constrained, in_mesh_order, partial, specification


@dataclass(frozen=True)
class _Window:
    """One spatial dimension of a convolution on a shard."""

    #: Axes over which the dimension is sharded, and number of shards.
    axes: tuple[str, ...]
    count: int
    #: Elements that are received from the shard before and from the one after.
    before: int
    after: int
    #: Padding of the shard with these elements.
    padding: tuple[int, int]


def on_shards(equation: Any, operands: list[Any], layouts: list[Any], result: Any, mesh: Mesh) -> Any | Partial | None:
    """Returns the result of a convolution; None if XLA computes it with the communication of the plan."""
    value = _divided(equation, operands, layouts, result, mesh)
    if value is None and _is_wrong_in_xla(equation, layouts, result):
        return _whole(equation, operands, result, mesh)
    return value


def _is_grouped(equation: Any) -> bool:
    return equation.params["feature_group_count"] != 1 or equation.params["batch_group_count"] != 1


def _is_wrong_in_xla(equation: Any, layouts: list[Any], result: Any) -> bool:
    """Returns true for a convolution that XLA may divide wrongly: one of groups of features, whose gradient it sums over
    axes that shard nothing, and one of a sharded spatial dimension whose windows do not begin at equal distances."""
    axes = [*(layout.axes for layout in layouts if layout is not None), result.axes]
    if any(of is None for of in axes) or not any(dim for of in axes for dim in of):
        return False
    numbers = equation.params["dimension_numbers"]
    specs = zip((numbers.lhs_spec, numbers.rhs_spec, numbers.out_spec), axes, strict=False)
    return _is_grouped(equation) or any(of[dim] for spec, of in specs for dim in spec[2:])


def _whole(equation: Any, operands: list[Any], result: Any, mesh: Mesh) -> Any:
    """Returns the result of a convolution that every device computes in full."""
    compute = lambda *whole: equation.primitive.bind(*whole, **equation.params)  # noqa: E731
    nowhere = (PartitionSpec(),) * len(operands)
    value = jax.shard_map(compute, mesh=mesh, in_specs=nowhere, out_specs=PartitionSpec(), check_vma=False)(*operands)
    axes = result.reduced if result.partial else result.axes
    return value if axes is None else constrained(value, axes, mesh)


def _divided(equation: Any, operands: list[Any], layouts: list[Any], result: Any, mesh: Mesh) -> Any | Partial | None:
    """Returns the result of a convolution on shards; None if it cannot be computed on shards, and if XLA computes it with
    the communication of the plan."""
    parameters = equation.params
    if any(layout is None or layout.axes is None or layout.partial for layout in layouts) or result.axes is None:
        return None
    (of_left, of_right), of_result = (layout.axes for layout in layouts), result.axes
    shapes = [*(operand.shape for operand in operands), equation.outvars[0].aval.shape]
    are_split = zip(shapes, (of_left, of_right, of_result), strict=True)
    if not all(are_expressible(shape, axes, mesh) for shape, axes in are_split):
        return None
    numbers = parameters["dimension_numbers"]
    (batch, features, *left), (outputs, inputs, *right) = numbers.lhs_spec, numbers.rhs_spec
    result_batch, result_features, *spatial = numbers.out_spec
    if parameters["feature_group_count"] != 1 and (of_left[features] or of_right[inputs] or of_right[outputs]):
        return None
    if parameters["batch_group_count"] != 1 and (of_left[batch] or of_right[outputs]):
        return None
    is_reduced_at_once = not result.partial or result.reduced == result.axes
    if is_reduced_at_once and not _is_grouped(equation) and not any(of_left[dim] for dim in left):
        return None
    if (
        of_left[batch] != of_result[result_batch]
        or of_right[outputs] != of_result[result_features]
        or of_left[features] != of_right[inputs]
    ):
        return None
    windows = []
    for i, dims in enumerate(zip(left, right, spatial, strict=True)):
        sizes = [shape[dim] for shape, dim in zip(shapes, dims, strict=True)]
        axes = [of[dim] for of, dim in zip((of_left, of_right, of_result), dims, strict=True)]
        windows.append(_window(parameters, i, sizes, axes, mesh))
    over = in_mesh_order(result.partial, mesh)
    summed = [axis for dim in (inputs, *right) for axis in of_right[dim]]
    if over is None or sorted(summed) != sorted(over) or None in windows:
        return None

    def compute(shard: Any, kernel: Any) -> Any:
        for dim, window in zip(left, windows, strict=True):
            shard = _with_borders(shard, dim, window)
        padding = tuple(window.padding for window in windows)
        return equation.primitive.bind(shard, kernel, **{**parameters, "padding": padding})[None]

    before = tuple(map(specification, (of_left, of_right)))
    after = specification([list(over), *of_result])
    # `bind` does not insert the conversions that a check of varying values needs.
    value = jax.shard_map(compute, mesh=mesh, in_specs=before, out_specs=after, check_vma=False)(*operands)
    return partial(value, over, result, mesh) if over else value[0]


def _window(
    parameters: dict[str, Any], i: int, sizes: list[int], axes: list[list[str]], mesh: Mesh
) -> _Window | None:
    """Returns spatial dimension `i` on a shard. `sizes` and `axes` are those of both operands and of the result."""
    padding, stride = parameters["padding"][i], parameters["window_strides"][i]
    dilations = parameters["lhs_dilation"][i], parameters["rhs_dilation"][i]
    of_left, of_right, of_result = axes
    if not of_left:
        return None if of_right or of_result else _Window((), 1, 0, 0, tuple(padding))
    if (of_right, of_result) not in (([], of_left), (of_left, [])):
        return None
    count = math.prod(mesh.shape[axis] for axis in of_left)
    size, kernel, result = sizes[0] // count, sizes[1], sizes[2]
    if of_right:
        kernel //= count
        step = kernel * dilations[1]
    else:
        result //= count
        step = result * stride
    # The windows of each shard begin at the same distance from its first element.
    if step != size * dilations[0]:
        return None
    length = (result - 1) * stride + (kernel - 1) * dilations[1] + 1
    before = max(padding[0] // dilations[0], 0)
    after = max((length - 1 - padding[0]) // dilations[0] - (size - 1), 0)
    if before > size or after > size:
        return None
    low = padding[0] - before * dilations[0]
    high = length - low - ((before + size + after - 1) * dilations[0] + 1)
    return _Window(tuple(of_left), count, before, after, (low, high))


def _with_borders(shard: Any, dim: int, window: _Window) -> Any:
    """Returns a shard with the last elements of the shard before and the first ones of that after, or zeros."""
    parts, size, count = [shard], shard.shape[dim], window.count
    if window.before:
        last = lax.slice_in_dim(shard, size - window.before, size, axis=dim)
        parts.insert(0, lax.ppermute(last, window.axes, [(at, at + 1) for at in range(count - 1)]))
    if window.after:
        first = lax.slice_in_dim(shard, 0, window.after, axis=dim)
        parts.append(lax.ppermute(first, window.axes, [(at + 1, at) for at in range(count - 1)]))
    return lax.concatenate(parts, dim) if len(parts) > 1 else shard
