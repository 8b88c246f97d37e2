"""Writes programs that check their own results: JAX functions whose results are compared with those of NumPy and SciPy.

    python checked_programs.py OUT            writes OUT/checked
    python checked_programs.py --check DATA   compares with DATA/checked, writes nothing

`NAME.mlir` takes the inputs and the expected results, and contains a `check.expect_almost_eq` for each result.
`NAME.safetensors` has the inputs, `arg0`, `arg1`, ..., and then the expected results.
"""

import os
import re
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import equinox as eqx
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import scipy.special
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

import files
import linear_algebra

jax.config.update("jax_enable_x64", True)

rng = np.random.default_rng(0)


def real(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


def cplx(*shape):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)


def uniform(low, high, *shape):
    return rng.integers(low, high, shape)


def pairs(f, *names):
    """Applies one function of NumPy and JAX by name."""
    return {name: (getattr(jnp, name), getattr(np, name), *f()) for name in names}


# Dropless mixture of experts: each row is multiplied by the matrices of the two experts with the highest scores.


def routed(x, router, up, down):
    """Returns the scores and the experts of each row, and the rows sorted by expert: their order, and the sizes of the groups."""
    scores, chosen = lax.top_k(jax.nn.softmax(x @ router), 2)
    order = jnp.argsort(chosen.ravel())
    return scores, order, jnp.bincount(chosen.ravel(), length=len(up))


def experts(rows, sizes, up, down):
    return lax.ragged_dot(jax.nn.silu(lax.ragged_dot(rows, up, sizes)), down, sizes)


def permuted_experts(x, router, up, down):
    """Puts the rows back by the inverse permutation."""
    scores, order, sizes = routed(x, router, up, down)
    outputs = experts(jnp.take(x, order // 2, axis=0), sizes, up, down)
    return jnp.einsum("nkd,nk->nd", jnp.take(outputs, jnp.argsort(order), axis=0).reshape(len(x), 2, -1), scores)


def added_experts(x, router, up, down):
    """Adds each row in its place."""
    scores, order, sizes = routed(x, router, up, down)
    outputs = experts(x[order // 2], sizes, up, down) * scores.ravel()[order][:, None]
    return jnp.zeros_like(x).at[order // 2].add(outputs)


def of_experts(f):
    """Returns the gradients of a sum with weights."""

    def gradients(c, *params):
        return jax.value_and_grad(lambda x, router, up, down: (f(x, router, up, down) * c).sum(), (0, 2, 3))(*params)

    return gradients


def expert_gradients(c, x, router, up, down):
    """Returns the sum with weights, and its gradients by the rows and by the matrices of the experts."""
    x, router, up, down, c = (a.astype(np.float64) for a in (x, router, up, down, c))
    exp = np.exp(x @ router)
    scores = exp / exp.sum(1, keepdims=True)
    total, dx, dup, ddown = 0.0, np.zeros_like(x), np.zeros_like(up), np.zeros_like(down)
    for row, chosen in enumerate(np.argsort(-scores, 1)[:, :2]):
        dscores = np.zeros(len(up))
        for e in chosen:
            z = x[row] @ up[e]
            sigmoid = 1 / (1 + np.exp(-z))
            hidden = z * sigmoid
            dscores[e] = hidden @ down[e] @ c[row]
            total += scores[row, e] * dscores[e]
            ddown[e] += scores[row, e] * np.outer(hidden, c[row])
            dz = scores[row, e] * (down[e] @ c[row]) * (sigmoid + hidden * (1 - sigmoid))
            dup[e] += np.outer(x[row], dz)
            dx[row] += up[e] @ dz
        # The gradient of softmax.
        dx[row] += router @ (scores[row] * (dscores - scores[row] @ dscores))
    return tuple(a.astype(np.float32) for a in (np.asarray(total), dx, dup, ddown))


def expert_arguments():
    """Returns arguments that do not depend on those of other programs."""
    own = np.random.default_rng(1)
    return tuple(own.standard_normal(shape).astype(np.float32) for shape in [(6, 4), (6, 4), (4, 3), (3, 4, 5), (3, 5, 4)])


# Numbers of exponent and mantissa bits: those of float types, of TF32, and others.
FORMATS = [(11, 52), (8, 23), (8, 10), (8, 7), (5, 10), (5, 2), (4, 3), (3, 4), (11, 0), (2, 30), (1, 1)]

# Types whose precision is reduced.
REDUCED = [np.float64, np.float32, np.float16, ml_dtypes.bfloat16]


def edges(dtype):
    """Returns numbers near powers of two and near ties of rounding, of all sizes, and infinity."""
    info = ml_dtypes.finfo(dtype)
    limits = [bound for exponent, _ in FORMATS[2:] for bound in (2 ** (exponent - 1), 2 - 2 ** (exponent - 1))]
    exponents = np.unique([e for e in (*limits, *(b - 1 for b in limits), -1, 1, info.minexp - 3) if info.minexp - 4 < e < info.maxexp])
    mantissas = np.array([1, 1 + 2.0**-11, 1 + 3 * 2.0**-11, 1 + 2.0**-8, 1.0625, 1.1875, 1.25, 1.75, 2 - 2.0**-12, 2 - 2.0**-24])
    numbers = np.ldexp(mantissas, exponents[:, None]).ravel()
    with np.errstate(over="ignore", under="ignore"):
        return np.concatenate([numbers, -numbers, [0, -0.0, np.inf, -np.inf]]).astype(dtype)


def reduced(x, exponent, mantissa):
    """Returns the nearest numbers with fewer exponent and mantissa bits: subnormal results are zero, large ones infinite."""
    info, values = ml_dtypes.finfo(x.dtype), x.astype(np.longdouble)
    place = np.maximum(np.frexp(values)[1] - 1, info.minexp) - min(mantissa, info.nmant)
    result = np.where(np.isfinite(values), np.ldexp(np.rint(np.ldexp(values, -place)), place), values)
    bias = 2 ** (exponent - 1) - 1
    if bias < info.maxexp - 1:
        result = np.where(np.abs(result) >= np.ldexp(np.longdouble(1), bias + 1), np.copysign(np.inf, values), result)
        result = np.where(np.abs(result) < np.ldexp(np.longdouble(1), 1 - bias), np.copysign(0, values), result)
    with np.errstate(over="ignore"):
        return result.astype(x.dtype)


def bits(x):
    """Returns the bits of floats."""
    kind = {8: np.int64, 4: np.int32, 2: np.int16}[x.dtype.itemsize]
    return x.view(kind) if isinstance(x, np.ndarray) else lax.bitcast_convert_type(x, kind)


# Name: function, reference, inputs.
PROGRAMS = {
    **{f"complex_{name}": program for name, program in pairs(
        lambda: [cplx(4, 6)],
        "exp", "expm1", "log", "log1p", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh",
        "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "abs", "sign", "conj", "angle", "square",
    ).items()},
    **{f"complex_{name}": program for name, program in pairs(
        lambda: [cplx(4, 6), cplx(4, 6)], "add", "multiply", "divide", "power", "maximum", "minimum",
    ).items()},
    "complex_matmul": (jnp.matmul, np.matmul, cplx(4, 6), cplx(6, 3)),
    "complex_sum": (lambda x: (x.sum(1), x.prod(0), jnp.cumsum(x, 1), jnp.cumprod(x, 0), x.mean()),
                    lambda x: (x.sum(1), x.prod(0), np.cumsum(x, 1), np.cumprod(x, 0), x.mean()), cplx(4, 6)),
    "complex_sort": (lambda x: jnp.sort(x, 1), lambda x: np.sort(x, 1), cplx(4, 6).round()),
    "complex_move": (lambda x, i: (x[::-1, 1:4].T, jnp.pad(x, 1), jnp.concatenate([x, x]), x[i], x.at[i].add(1j), jnp.where(x.real > 0, x, 2)),
                     lambda x, i: (x[::-1, 1:4].T, np.pad(x, 1), np.concatenate([x, x]), x[i], x + np.where(np.arange(4) == i[0], 1j, 0)[:, None] + np.where(np.arange(4) == i[1], 1j, 0)[:, None], np.where(x.real > 0, x, 2)),
                     cplx(4, 6), np.array([2, 0])),
    "complex_loop": (lambda x: lax.fori_loop(0, 5, lambda i, z: z * z * 0.5 + x, x), lambda x: iterate(5, lambda z: z * z * 0.5 + x, x), cplx(3, 4) * 0.3),
    "complex_parts": (lambda re, im: (lax.complex(re, im), lax.complex(re, im) == 1, jnp.isfinite(lax.complex(re, im))),
                      lambda re, im: (re + 1j * im, (re + 1j * im) == 1, np.isfinite(re + 1j * im)), real(4, 6), real(4, 6)),
    "int16": (lambda x, y: (x + y, x * y, x // 3, x.sum(1), (x > y), x.astype(jnp.uint16)),
              lambda x, y: (x + y, x * y, x // 3, x.sum(1), (x > y), x.astype(np.uint16)),
              uniform(-30000, 30000, 4, 6).astype(np.int16), uniform(-30000, 30000, 4, 6).astype(np.int16)),
    "int4": (lambda x: ((x.astype(jnp.int4) + jnp.int4(3)).astype(jnp.int32), x.astype(jnp.uint4).astype(jnp.int32)),
             lambda x: (((x + 3 + 8) % 16) - 8, x % 16), uniform(-8, 8, 4, 6).astype(np.int32)),
    "float8": (lambda x: (x.astype(jnp.float8_e4m3fn).astype(jnp.float32), x.astype(jnp.float8_e5m2).astype(jnp.float32), x.astype(jnp.float8_e4m3b11fnuz).astype(jnp.float32)),
               lambda x: tuple(x.astype(t).astype(np.float32) for t in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3b11fnuz)), real(4, 6)),
    "cumulative": (lambda x: (jnp.cumprod(x, 1), lax.cummax(x, 0), lax.cumlogsumexp(x, 1)),
                   lambda x: (np.cumprod(x, 1), np.maximum.accumulate(x, 0), np.logaddexp.accumulate(x, 1)), real(5, 7)),
    "window": (lambda x: (lax.reduce_window(x, np.float32(1),  lax.mul, (2, 3), (1, 2), "VALID"), lax.reduce_window(x, np.float32(2),  lax.add, (3, 1), (1, 1), "SAME")),
               lambda x: (windows(x, 1.0, np.multiply, (2, 3), (1, 2), (0, 0)), windows(x, 2.0, np.add, (3, 1), (1, 1), (1, 0))), real(5, 7)),
    "while": (lambda a: lax.while_loop(lambda x: jnp.abs(x * x - a).max() > 1e-4, lambda x: (x + a / x) / 2, a), np.sqrt, real(4, 6) ** 2 + 1),
    "while_in_scan": (lambda x: lax.scan(lambda n, x: (n + 1, collatz(x)), jnp.int32(0), x),
                      lambda x: (np.int32(len(x)), np.array([steps_of(int(v)) for v in x], np.int32)), np.arange(1, 12, dtype=np.int32)),
    "branch": (lambda x, p, i: (lax.cond(p > 0, lambda x: jnp.sin(x), lambda x: lax.while_loop(lambda x: x.max() < 1e3, lambda x: x * 0 + 2, x), x),
                                lax.switch(i, [jnp.exp, jnp.tanh, jnp.abs], x)),
               lambda x, p, i: (np.sin(x), np.tanh(x)), real(4, 6), np.float32(1), np.int32(1)),
    "scatter": (lambda x, i, u: (x.at[i].multiply(u), x.at[i].max(u), x.at[i].set(u, unique_indices=True), x.at[i].apply(jnp.tanh, unique_indices=True), x.at[i].power(2.0, unique_indices=True)),
                lambda x, i, u: (updated(x, i, x[i] * u), updated(x, i, np.maximum(x[i], u)), updated(x, i, u), updated(x, i, np.tanh(x[i])), updated(x, i, x[i] ** 2)),
                real(5, 6), np.array([3, 0]), real(2, 6)),
    "special": (lambda a, x: (jax.scipy.special.gammainc(a, x), jax.scipy.special.betainc(a, a, x / (1 + x)), jax.scipy.special.i1e(x), jax.scipy.special.i0e(x)),
                lambda a, x: (scipy.special.gammainc(a, x), scipy.special.betainc(a, a, x / (1 + x)), scipy.special.i1e(x), scipy.special.i0e(x)),
                np.abs(real(4, 6)) + np.float32(0.5), np.abs(real(4, 6)) * np.float32(3)),
    **linear_algebra.PROGRAMS,
    "permuted_experts": (of_experts(permuted_experts), expert_gradients, *expert_arguments()),
    "added_experts": (of_experts(added_experts), expert_gradients, *expert_arguments()),
    "reduce_precision": (lambda *inputs: tuple(bits(lax.reduce_precision(x.astype(dtype), *form)) for x, dtype in zip(inputs, REDUCED) for form in FORMATS),
                         lambda *inputs: tuple(bits(reduced(x.astype(dtype), *form)) for x, dtype in zip(inputs, REDUCED) for form in FORMATS),
                         *(edges(dtype).astype(np.float64) for dtype in REDUCED)),
}


MESH = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))


def on_mesh(f, in_specs, out_specs, **options):
    return jax.shard_map(f, mesh=MESH, in_specs=in_specs, out_specs=out_specs, check_vma=False, **options)


def collectives(a, b):
    c = lax.psum(a @ b, "y")
    return (
        c + lax.axis_index("x"),
        lax.ppermute(c, "x", [(0, 1), (1, 0)]),
        lax.psum_scatter(c, "y", scatter_dimension=0, tiled=True),
        lax.all_to_all(c, "y", split_axis=1, concat_axis=0, tiled=True),
        lax.pmax(c, "x"),
        lax.pmean(c, ("y", "x")),
        lax.all_gather(a, "y", axis=1, tiled=True),
    )


def ring(a, b):
    """Returns a @ b.T by passing the blocks of b around."""
    count, position = 4, lax.axis_index("y")

    def step(k, state):
        b, out = state
        out = lax.dynamic_update_slice(out, a @ b.T, (jnp.int32(0), (position + k) % count * b.shape[0]))
        return lax.ppermute(b, "y", [(s, (s - 1) % count) for s in range(count)]), out

    return lax.fori_loop(0, count, step, (b, jnp.zeros((a.shape[0], count * b.shape[0]), a.dtype)))[1]


def convolutions(x, kernel):
    y = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NCHW", "OIHW", "NCHW"))
    y = lax.reduce_window(y, np.float32(-np.inf), lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    return lax.pmean((y**2).sum(), ("x", "y"))


def operations(x, i):
    j = lax.axis_index("y")
    return (
        x[i],
        x.at[i].add(1.0),
        lax.dynamic_slice(x, (j % 2, jnp.int32(0)), (2, 3)),
        jnp.sort(x, 1),
        lax.cond(j > 1, lambda x: jnp.sin(x), lambda x: x * 2, x),
        lax.while_loop(lambda s: s[1] < 3, lambda s: (s[0] * 2 + lax.psum(s[0], "x"), s[1] + 1), (x, 0))[0],
        jnp.einsum("ab,cb->ac", x, x),
        jnp.where(j == 0, x, 0).T,
    )


BOTH = P("x", "y")

# Programs with `shard_map`: function and inputs. The results are those of JAX on eight devices.
MANUAL = {
    "manual_collectives": (on_mesh(collectives, (BOTH, P("y")), (P("x"), P("x"), P(("x", "y")), P(("x", "y")), P(), P(), P("x"))), real(16, 16), real(16, 8)),
    "manual_ring": (on_mesh(ring, (P("y"), P("y")), P("y")), real(8, 6), real(8, 6)),
    "manual_layers": (
        on_mesh(lambda w, x: lax.scan(lambda x, w: (lax.psum_scatter(x @ w, "y", scatter_dimension=1, tiled=True), x.sum()), x, w), (P(None, "y"), BOTH), (BOTH, P(None))),
        real(2, 8, 8), real(4, 8),
    ),
    "manual_convolution": (jax.value_and_grad(on_mesh(convolutions, (P("x"), P()), P()), (0, 1)), real(4, 3, 8, 8), real(5, 3, 3, 3)),
    "manual_operations": (on_mesh(operations, (BOTH, P()), (BOTH,) * 7 + (P("y", "x"),)), real(8, 16), np.array([0, 3, 1])),
    "manual_in_scan": (
        lambda x, w: lax.scan(lambda x, w: (jnp.tanh(on_mesh(lambda a, b: lax.psum(a @ b, "y"), (BOTH, P("y")), P("x"))(x, w)), None), x, w)[0],
        real(4, 8), real(3, 8, 8),
    ),
    "manual_one_axis": (on_mesh(lambda a: lax.psum(a * 2, "x") + lax.axis_index("x"), P("x"), P("x"), axis_names={"x"}), real(8, 4)),
    "manual_gradient": (
        jax.grad(lambda a, b: (on_mesh(lambda a, b: lax.psum(jnp.tanh(a @ b), "y"), (BOTH, P("y")), P("x"))(a, b) ** 2).sum(), (0, 1)),
        real(8, 8), real(8, 4),
    ),
}


def grouped(x, w, sizes):
    """Returns the products of groups of rows with their matrices."""
    ends = np.cumsum(sizes)
    return np.concatenate([x[end - size : end] @ w[i] for i, (end, size) in enumerate(zip(ends, sizes))] + [np.zeros((len(x) - ends[-1], w.shape[2]))])


def grouped_gradients(x, w, sizes):
    """Returns the product, and the gradients of half its squared norm."""
    y, starts = grouped(x, w, sizes), np.cumsum(sizes) - sizes
    blocks = [slice(start, start + size) for start, size in zip(starts, sizes)]
    return y, grouped(y, np.swapaxes(w, 1, 2), sizes), np.stack([x[b].T @ y[b] for b in blocks])


# Programs in the form for TPUs, with operations that JAX decomposes on other platforms.
FOR_TPU = {
    "ragged_dot": (lambda x, w, sizes: (lax.ragged_dot(x, w, sizes), *jax.grad(lambda x, w: (lax.ragged_dot(x, w, sizes) ** 2).sum() / 2, (0, 1))(x, w)),
                   grouped_gradients, real(11, 5), real(3, 5, 7), np.array([4, 0, 6], np.int32)),
    "zeta": (lambda x, q: (jax.scipy.special.zeta(x, q), jax.scipy.special.polygamma(2, q), jax.scipy.special.polygamma(3, q), lax.polygamma(jnp.floor(x), q)),
             lambda x, q: (scipy.special.zeta(x, q), scipy.special.polygamma(2, q), scipy.special.polygamma(3, q), scipy.special.polygamma(np.floor(x), q)),
             np.abs(real(4, 6)) * np.float32(3) + np.float32(1.1), np.abs(real(4, 6)) + np.float32(0.5)),
    "approximate_top_k": (lambda x: (*lax.approx_max_k(x, 3), *lax.approx_min_k(x, 2, reduction_dimension=0)),
                          lambda x: (-np.sort(-x, 1)[:, :3], np.argsort(-x, 1)[:, :3], np.sort(x, 0)[:2], np.argsort(x, 0)[:2]), real(4, 9)),
}


def batches(x, a):
    """Operations on matrices and bits of values that differ between devices, and random numbers."""
    key = jax.random.fold_in(jax.random.key(7), lax.axis_index("y"))
    square = a @ a.T + jnp.eye(len(a), dtype=a.dtype)
    return (
        jnp.abs(jnp.fft.rfft(x)),
        lax.bitcast_convert_type(x.astype(jnp.float32), jnp.int32),
        jnp.linalg.solve(square, x.T),
        jnp.linalg.cholesky(square),
        jax.scipy.linalg.solve_triangular(square, x.T),
        jnp.linalg.eigh(square)[0],
        jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x / 0.5, 0),
        jax.random.categorical(key, x),
    )


MANUAL_BATCHES = {
    "manual_batches": (on_mesh(batches, (BOTH, BOTH), (BOTH, BOTH, BOTH, BOTH, BOTH, P(("x", "y")), BOTH, P(("x", "y")))), real(8, 16), real(8, 16)),
}

# Branches with calls of Python, which are not taken.
CALLBACKS = {
    "error_if": (lambda x: (eqx.error_if(x, x > 99, "large") * 2, eqx.error_if(x, jnp.isnan(x).any(), "NaN").sum(0)), lambda x: (x * 2, x.sum(0)), real(4, 6)),
    "callback_in_branch": (
        lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, lambda x: jax.pure_callback(lambda x: x, x, x)], x),
        lambda i, x: np.cos(x), np.int32(1), real(4, 6),
    ),
}


def until(x, w):
    """Loops until a sum over all devices is small. The carried values vary along different axes."""
    start = (jnp.float32(1), jnp.int32(0), x, lax.psum(x, "x"), lax.psum(w, ("x", "y")))

    def step(state):
        _, count, x, along_y, same = state
        x = x * 0.5 + 0.01 * lax.all_gather(along_y, "y", tiled=True).mean()
        return lax.psum(jnp.sum(x**2), ("x", "y")), count + 1, x, along_y * 0.5 + same.mean(), same * 0.9

    loss, count, x, along_y, same = lax.while_loop(lambda state: (state[0] > 1e-2) & (state[1] < 5), step, start)
    return loss, count, x, along_y, same


def training(up, down, x):
    """Trains two layers that are divided along y on examples that are divided along x."""

    def step(weights, _):
        loss = lambda up, down: (lax.psum(jnp.tanh(x @ up) @ down, "y") ** 2).mean()
        gradients = lax.pmean(jax.grad(loss, (0, 1))(*weights), "x")
        return tuple(w - 0.1 * g for w, g in zip(weights, gradients)), lax.pmean(loss(*weights), "x")

    (up, down), losses = lax.scan(step, (up, down), None, length=3)
    return up, down, losses


def residuals(h, w):
    """Has a gradient that uses `tanh(h)`, which differs along x only."""
    return lax.pmean(lax.psum(jnp.sin(jnp.tanh(h) @ w).sum(), "y"), "x")


def scattered(x, w):
    return (
        lax.psum_scatter(x @ w, "y", scatter_dimension=0, tiled=True),
        lax.psum_scatter(x, "x", scatter_dimension=1, tiled=True),
        lax.psum_scatter(lax.psum(x, "y"), ("x", "y"), scatter_dimension=0, tiled=True),
    )


# Programs with `shard_map` whose values are the same along some axes.
MANUAL_INVARIANT = {
    "manual_while": (on_mesh(until, (BOTH, P()), (P(), P(), BOTH, P(None, "y"), P())), real(4, 8), real(3)),
    "manual_training": (
        jax.shard_map(training, mesh=MESH, in_specs=(P(None, "y"), P("y"), P("x")), out_specs=(P(None, "y"), P("y"), P())),
        real(5, 8), real(8, 3), real(6, 5),
    ),
    "manual_residuals": (jax.grad(jax.shard_map(residuals, mesh=MESH, in_specs=(P("x"), P(None, "y")), out_specs=P()), (0, 1)), real(6, 10), real(10, 8)),
    "manual_scatter": (on_mesh(scattered, (BOTH, P("y")), (P(("x", "y")), P(None, ("x", "y")), P(("x", "y")))), real(16, 16), real(16, 6)),
}


def collatz(x):
    """Returns the number of steps of the Collatz sequence from x to 1."""
    step = lambda state: (jnp.where(state[0] % 2 == 0, state[0] // 2, 3 * state[0] + 1), state[1] + 1)
    return lax.while_loop(lambda state: state[0] != 1, step, (x, jnp.int32(0)))[1]


def steps_of(x):
    steps = 0
    while x != 1:
        x, steps = x // 2 if x % 2 == 0 else 3 * x + 1, steps + 1
    return steps


def updated(x, i, rows):
    x = x.copy()
    x[i] = rows
    return x


def iterate(count, f, x):
    for _ in range(count):
        x = f(x)
    return x


def windows(x, init, f, size, stride, pad):
    """Returns the reductions of windows, including padding and the initial value."""
    x = np.pad(x, [(p, p) for p in pad], constant_values=init)
    out = np.lib.stride_tricks.sliding_window_view(x, size)[:: stride[0], :: stride[1]]
    return f.reduce(out, axis=(2, 3), initial=init)


def module(platform, function, reference, *inputs):
    """Returns the text of the module, and its tensors."""
    traced = jax.jit(function, keep_unused=True).trace(*inputs)
    text = str(traced.lower(lowering_platforms=(platform,)).as_text())
    if reference is None:
        expected = tuple(np.asarray(x) for x in jax.tree.leaves(jax.jit(function)(*inputs)))
    else:
        expected = reference(*(x.astype(np.complex128 if x.dtype.kind == "c" else np.float64) if x.dtype.kind in "fc" else x for x in inputs))
    expected = expected if isinstance(expected, tuple) else (expected,)
    signature = re.search(r"func\.func public @main\((.*?)\) -> \(?(.*?)\)? \{\n", text)
    types = re.findall(r"tensor<(?:[^<>]|<[^<>]*>)*>", signature.group(1))
    results = re.findall(r"tensor<(?:[^<>]|<[^<>]*>)*>", signature.group(2))
    assert len(types) == len(inputs) and len(results) == len(expected), (types, results)
    text = text.replace("func.func public @main(", "func.func private @function(", 1)
    arguments = types + results
    n = len(inputs)
    lines = ["  func.func public @main(" + ", ".join(f"%arg{i}: {t}" for i, t in enumerate(arguments)) + ") {"]
    names = "%0" if len(results) == 1 else f"%0:{len(results)}"
    lines.append(f"    {names} = call @function(" + ", ".join(f"%arg{i}" for i in range(n)) + ") : (" + ", ".join(types) + ") -> " + ("(" + ", ".join(results) + ")" if len(results) != 1 else results[0]))
    for i, t in enumerate(results):
        actual = "%0" if len(results) == 1 else f"%0#{i}"
        exact = not re.search(r"f\d+|bf16", t)
        op = "expect_eq" if exact else "expect_almost_eq"
        tolerance = "" if exact else ", tolerance = 5.0e-04 : f64"
        lines.append(f"    check.{op} {actual}, %arg{n + i}{tolerance} : {t}")
    lines += ["    return", "  }", ""]
    head, rest = text.split("\n", 1)
    out = jax.eval_shape(function, *inputs)
    out = jax.tree.leaves(out)
    tensors = [*inputs, *(np.asarray(e).astype(o.dtype) for e, o in zip(expected, out))]
    return "\n".join([head, *lines]) + rest, {f"arg{i}": x for i, x in enumerate(tensors)}


def write(out, only):
    """Writes the files whose name starts with `only`."""
    (out / "checked").mkdir(parents=True, exist_ok=True)
    manual = {name: (function, None, *inputs) for name, (function, *inputs) in {**MANUAL, **MANUAL_BATCHES, **MANUAL_INVARIANT}.items()}
    for name, program in {**PROGRAMS, **manual, **FOR_TPU, **CALLBACKS}.items():
        if name.startswith(only):
            text, tensors = module("tpu" if name in FOR_TPU else "cpu", *program)
            (out / "checked" / f"{name}.mlir").write_text(text)
            files.save_safetensors(out / "checked" / f"{name}.safetensors", tensors)


if __name__ == "__main__":
    sys.exit(files.main(__doc__, write))
