"""Programs of linear algebra and Fourier transforms, with references of NumPy and SciPy.

Vectors that are unique up to a factor are compared by what they reconstruct.
"""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
import scipy.linalg as sl

rng = np.random.default_rng(1)


def real(*shape, dtype=np.float32):
    return rng.standard_normal(shape).astype(dtype)


def cplx(*shape):
    return (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)


def regular(x):
    """Returns a well-conditioned square matrix."""
    return (x + 3 * np.eye(x.shape[-1])).astype(x.dtype)


def definite(x):
    """Returns a positive definite Hermitian matrix."""
    return (x @ x.conj().swapaxes(-1, -2) + np.eye(x.shape[-1])).astype(x.dtype)


def deficient(m, n, rank):
    return (real(m, rank) @ real(rank, n)).astype(np.float32)


def adjoint(x):
    return x.conj().swapaxes(-1, -2)


def difference(f, argument=0):
    """Returns the gradient of a function to real numbers, by central differences."""

    def gradient(*args):
        x = args[argument].astype(np.float64)
        out = np.zeros_like(x)
        for i in np.ndindex(x.shape):
            step = np.zeros_like(x)
            step[i] = 1e-6
            at = lambda y: f(*args[:argument], y, *args[argument + 1 :])
            out[i] = (at(x + step) - at(x - step)) / 2e-6
        return out

    return gradient


def symmetric(x):
    return (x + x.swapaxes(-1, -2)) / 2


def both(f, *inputs):
    """A function of the module `numpy` or `jax.numpy`."""
    return (lambda *x: f(jnp, *x), lambda *x: f(np, *x), *inputs)


def gradient(f, *inputs):
    """The gradient of a function of the module `numpy` or `jax.numpy`."""
    return (jax.grad(lambda *x: f(jnp, *x)), difference(lambda *x: f(np, *x)), *inputs)


def reconstructed_svd(np, x, full=False):
    u, s, vh = np.linalg.svd(x, full_matrices=full)
    k = s.shape[-1]
    return (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], s, np.abs(adjoint(u) @ u), np.abs(vh @ adjoint(vh))


def reconstructed_eigh(np, x):
    values, vectors = np.linalg.eigh(x)
    return values, (vectors * values[..., None, :]) @ adjoint(vectors), np.abs(adjoint(vectors) @ vectors)


def reconstructed_eig(np, x):
    values, vectors = np.linalg.eig(x)
    residual = x @ vectors - vectors * values[..., None, :]
    norms = np.sqrt((np.abs(vectors) ** 2).sum(-2))
    # The order of eigenvalues is not defined: their elementary symmetric functions are.
    return values.sum(-1), (values**2).sum(-1), np.prod(values, -1), np.abs(residual), norms


def lu(module):
    def f(x):
        p, l, u = module.lu(x)
        return p @ l @ u, p, l, u

    return f


def solved(module, **options):
    return lambda a, b: module.solve_triangular(a, b, **options)


def normal(key, mean, covariance):
    """Samples of `jax.random.multivariate_normal`, by the Cholesky factor that it uses."""
    z = np.asarray(jax.random.normal(key, mean.shape, np.float32))
    return mean + np.linalg.cholesky(covariance) @ z


key = np.asarray(jax.random.PRNGKey(0))
weights = real(4, 4, dtype=np.float64)
column = np.arange(1.0, 5.0)

def tridiagonal(lower, diagonal, upper):
    """Returns matrices with the given diagonals. The first element of the lower and the last of the upper one are not read."""
    n = diagonal.shape[-1]
    out = np.zeros((*diagonal.shape, n), diagonal.dtype)
    i = np.arange(n)
    out[..., i, i], out[..., i[1:], i[:-1]], out[..., i[:-1], i[1:]] = diagonal, lower[..., 1:], upper[..., :-1]
    return out


def diagonals(kind, *shape):
    return (kind(*shape), kind(*shape), kind(*shape))


def products(x, c, d):
    """Returns products of matrices and the orthogonal factor of `x`, which is not computed."""
    reflections, tau = jnp.linalg.qr(x, mode="raw")
    factors = (jnp.swapaxes(reflections, -1, -2), tau)
    ormqr = jax.lax.linalg.ormqr
    return ormqr(*factors, c), ormqr(*factors, c, transpose=True), ormqr(*factors, d, left=False), ormqr(*factors, d, left=False, transpose=True)


def explicit_products(x, c, d):
    q = np.linalg.qr(x, mode="complete")[0]
    return q @ c, adjoint(q) @ c, d @ q, d @ adjoint(q)


PROGRAMS = {
    **{f"fft_{name}": both(lambda np, x, name=name: getattr(np.fft, name)(x), cplx(6, 4))
       for name in ["fft", "ifft", "irfft", "hfft", "fft2", "ifft2", "irfft2", "fftn", "ifftn"]},
    **{f"fft_{name}": both(lambda np, x, name=name: getattr(np.fft, name)(x), real(4, 6))
       for name in ["rfft", "ihfft", "rfft2", "rfftn"]},
    "fft_axes": both(lambda np, x: (np.fft.fft(x, axis=0), np.fft.rfft(x, n=5), np.fft.fftn(x, axes=(0, 2)), np.fft.fftshift(x)),
                     real(3, 4, 6)),
    "fft_odd": both(lambda np, x: (np.fft.irfft(np.fft.rfft(x), n=5), np.fft.irfftn(np.fft.rfftn(x), s=(6, 5), axes=(0, 1))), real(6, 5)),
    "fft_double": both(lambda np, x: (np.fft.rfft(x).real, np.fft.rfft(x).imag), real(4, 6, dtype=np.float64)),
    "fft_gradient": gradient(lambda np, x: (np.abs(np.fft.rfft(x, axis=0)) ** 2 * np.arange(1, 4)[:, None]).sum(), real(4, 6)),
    "fft_inverse_gradient": gradient(lambda np, x: (np.fft.irfft(x + 2j * x * x, n=6) ** 3).sum(), real(3, 4)),
    "cholesky": both(lambda np, x: np.linalg.cholesky(x), definite(real(2, 4, 4))),
    "cholesky_complex": both(lambda np, x: np.linalg.cholesky(x), definite(cplx(4, 4))),
    "cholesky_upper": (lambda x: jnp.linalg.cholesky(x, upper=True), lambda x: np.linalg.cholesky(x).T, definite(real(4, 4))),
    "cholesky_solve": (lambda a, b: jsl.cho_solve(jsl.cho_factor(a), b), lambda a, b: np.linalg.solve(a, b), definite(real(4, 4)), real(4, 6)),
    "cholesky_indefinite": (lambda x: jnp.isnan(jnp.linalg.cholesky(x)).any((1, 2)), lambda x: np.array([False, True]),
                            np.stack([np.eye(3), -np.eye(3)]).astype(np.float32)),
    "cholesky_gradient": (jax.grad(lambda x: (jnp.linalg.cholesky(x) * weights).sum()),
                          difference(lambda x: (np.linalg.cholesky(symmetric(x)) * weights).sum()), definite(real(4, 4))),
    "triangular_solve": (lambda a, b: (jsl.solve_triangular(a, b), jsl.solve_triangular(a, b, lower=True, trans=1),
                                       jsl.solve_triangular(a, b, unit_diagonal=True)),
                         lambda a, b: (sl.solve_triangular(a, b), sl.solve_triangular(a, b, lower=True, trans=1),
                                       sl.solve_triangular(a, b, unit_diagonal=True)), regular(real(4, 4)), real(4, 6)),
    "triangular_solve_complex": (solved(jsl, trans=2), solved(sl, trans=2), regular(cplx(4, 4)), cplx(4, 3)),
    "triangular_solve_half": (solved(jsl), solved(sl), regular(real(4, 4, dtype=np.float64)), real(4, dtype=np.float64)),
    "solve": both(lambda np, a, b: np.linalg.solve(a, b), regular(real(4, 4)), real(4, 6)),
    "solve_batch": both(lambda np, a, b: np.linalg.solve(a, b), regular(real(2, 4, 4)), real(2, 4, 3)),
    "solve_complex": both(lambda np, a, b: np.linalg.solve(a, b), regular(cplx(4, 4)), cplx(4, 6)),
    "solve_gradient": gradient(lambda np, a, b: (np.linalg.solve(a, b) ** 2).sum(), regular(real(4, 4)), real(4, 3)),
    "determinant": both(lambda np, x: (np.linalg.det(x), *np.linalg.slogdet(x)), real(2, 4, 4)),
    "determinant_complex": both(lambda np, x: np.linalg.det(x), cplx(3, 3)),
    "determinant_gradient": (jax.grad(jnp.linalg.det), lambda x: np.linalg.det(x) * np.linalg.inv(x).T, real(4, 4)),
    "inverse": both(lambda np, x: np.linalg.inv(x), regular(real(2, 4, 4))),
    "inverse_complex": both(lambda np, x: np.linalg.inv(x), regular(cplx(4, 4))),
    "inverse_gradient": gradient(lambda np, x: (np.linalg.inv(x) ** 2).sum(), regular(real(4, 4))),
    "power": both(lambda np, x: (np.linalg.matrix_power(x, 5), np.linalg.matrix_power(x, -2)), regular(real(4, 4) / 4) / 2),
    "lu": (lu(jsl), lu(sl), real(4, 4)),
    "lu_rectangular": (lu(jsl), lu(sl), real(6, 4)),
    "lu_complex": (lu(jsl), lu(sl), cplx(4, 4)),
    "lu_solve": (lambda a, b: jsl.lu_solve(jsl.lu_factor(a), b), lambda a, b: np.linalg.solve(a, b), regular(real(4, 4)), real(4, 6)),
    "lu_singular": (lambda x: jsl.lu(x)[1:], lambda x: sl.lu(x)[1:], np.array([[0, 2, 1], [0, 4, 3], [0, 6, 9]], np.float32)),
    "qr": both(lambda np, x: tuple(np.linalg.qr(x)), real(6, 4)),
    "qr_wide": both(lambda np, x: tuple(np.linalg.qr(x)), real(2, 3, 4)),
    "qr_complete": both(lambda np, x: tuple(np.linalg.qr(x, mode="complete")), real(6, 4)),
    "qr_raw": both(lambda np, x: tuple(np.linalg.qr(x, mode="raw")), real(6, 4)),
    "qr_complex": both(lambda np, x: tuple(np.linalg.qr(x)), cplx(6, 4)),
    "qr_gradient": gradient(lambda np, x: (np.linalg.qr(x)[0] * weights[:, :3] + np.linalg.qr(x)[1].sum()).sum(), real(4, 3)),
    "svd": both(reconstructed_svd, real(6, 4)),
    "svd_wide": both(reconstructed_svd, real(2, 3, 4)),
    "svd_full": both(lambda np, x: reconstructed_svd(np, x, True), real(6, 4)),
    "svd_complex": both(reconstructed_svd, cplx(4, 6)),
    "svd_values": both(lambda np, x: np.linalg.svd(x, compute_uv=False), real(2, 6, 4)),
    "svd_gradient": gradient(lambda np, x: (np.linalg.svd(x, compute_uv=False) ** 2 * column).sum(), real(6, 4)),
    "pseudo_inverse": both(lambda np, x: np.linalg.pinv(x), real(6, 4)),
    "pseudo_inverse_complex": both(lambda np, x: np.linalg.pinv(x), cplx(4, 3)),
    "pseudo_inverse_gradient": gradient(lambda np, x: (np.linalg.pinv(x) ** 2).sum(), real(4, 3)),
    "least_squares": both(lambda np, a, b: np.linalg.lstsq(a, b, rcond=None)[0], real(6, 4), real(6, 3)),
    "rank": (jnp.linalg.matrix_rank, lambda x: np.array(2), deficient(6, 4, 2)),
    "norm": both(lambda np, x: (np.linalg.norm(x), np.linalg.norm(x, 2), np.linalg.norm(x, "nuc"), np.linalg.norm(x, -2), np.linalg.cond(x)),
                 real(4, 6)),
    "eigh": both(reconstructed_eigh, symmetric(real(2, 4, 4))),
    "eigh_complex": both(reconstructed_eigh, definite(cplx(4, 4))),
    "eigh_values": both(lambda np, x: np.linalg.eigvalsh(x), symmetric(real(2, 4, 4))),
    "eigh_gradient": (jax.grad(lambda x: (jnp.linalg.eigh(x)[0] ** 3 * column).sum()),
                      difference(lambda x: (np.linalg.eigvalsh(symmetric(x)) ** 3 * column).sum()), symmetric(real(4, 4))),
    "eigh_vectors_gradient": (jax.grad(lambda x: (jnp.linalg.eigh(x)[1] ** 2 * weights).sum()),
                              difference(lambda x: (np.linalg.eigh(symmetric(x))[1] ** 2 * weights).sum()), symmetric(real(4, 4))),
    "eig": both(reconstructed_eig, real(2, 4, 4)),
    "eig_complex": both(reconstructed_eig, cplx(4, 4)),
    "eig_values": both(lambda np, x: (np.linalg.eigvals(x).sum(), (np.linalg.eigvals(x) ** 3).sum()), real(4, 4)),
    "expm": (jsl.expm, sl.expm, real(4, 4)),
    "polar": (lambda x: jsl.polar(x, method="svd"), sl.polar, regular(real(4, 4))),
    "normal_samples": (jax.random.multivariate_normal, normal, key, real(4), definite(real(4, 4))),
    "empty_matrices": both(lambda np, x, y: (np.linalg.inv(x), np.linalg.det(x), np.linalg.cholesky(y), np.fft.fft(y)),
                           real(2, 0, 0), real(0, 3, 3)),
    "tridiagonal_solve": (jax.lax.linalg.tridiagonal_solve, lambda *x: np.linalg.solve(tridiagonal(*x[:3]), x[3]), *diagonals(real, 2, 5), real(2, 5, 3)),
    "tridiagonal_solve_complex": (jax.lax.linalg.tridiagonal_solve, lambda *x: np.linalg.solve(tridiagonal(*x[:3]), x[3]), *diagonals(cplx, 4), cplx(4, 2)),
    "tridiagonal_solve_gradient": (jax.grad(lambda *x: (jax.lax.linalg.tridiagonal_solve(*x) ** 2).sum(), 1),
                                   difference(lambda *x: (np.linalg.solve(tridiagonal(*x[:3]), x[3]) ** 2).sum(), 1), *diagonals(real, 4), real(4, 2)),
    "tridiagonal_singular": (lambda *x: jnp.isnan(jax.lax.linalg.tridiagonal_solve(*x)).any(), lambda *x: np.array(True), *np.zeros((3, 3), np.float32), real(3, 1)),
    "hessenberg": (lambda x: jsl.hessenberg(x, calc_q=True), lambda x: sl.hessenberg(x, calc_q=True), real(5, 5)),
    "hessenberg_batch": (jsl.hessenberg, lambda x: np.stack([sl.hessenberg(x) for x in x]), real(2, 4, 4)),
    "hessenberg_complex": (lambda x: jsl.hessenberg(x, calc_q=True), lambda x: sl.hessenberg(x, calc_q=True), cplx(4, 4)),
    "qr_products": (products, explicit_products, real(2, 5, 3), real(2, 5, 4), real(2, 4, 5)),
    "qr_products_wide": (products, explicit_products, real(3, 5), real(3, 4), real(2, 3)),
    "qr_products_complex": (products, explicit_products, cplx(5, 3), cplx(5, 4), cplx(4, 5)),
}
