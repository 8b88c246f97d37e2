// Matrix fragments, distributed over the lanes of a warp. PTX leaves the distribution unspecified, so that the emulator
// uses one that no GPU has: element i of a matrix in row-major order belongs to lane i % 32. Fragments are initialised
// to NaN.

namespace shim {

// Operands of a product, collected from all lanes of a warp. Two buffers, since lanes may still read those of the
// previous product.
struct Operands {
    float a[512], b[512];
};
static Operands operands[MAX_THREADS / 32][2];

// Checks an access of a warp to a matrix, in which all lanes take part.
SHIM_PLAIN static void access_matrix(Instruction what, const void* at, size_t stride_bytes) {
    wait(AT_WARP, what, at);
    if ((size_t(at) % 32 || stride_bytes % 16) && !failure) failure = "a fragment is not aligned to 32 bytes, or its rows not to 16";
}

} // namespace shim

namespace nvcuda { namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
    static_assert(K == 16 && M * N == 256 && (M == 8 || M == 16 || M == 32), "there are no fragments of these sizes");
    static constexpr int rows = std::is_same_v<Use, matrix_b> ? K : M;
    static constexpr int columns = std::is_same_v<Use, matrix_a> ? K : N;
    static constexpr int num_elements = rows * columns / 32;
    T x[num_elements];
    SHIM_PLAIN fragment() { memset(static_cast<void*>(x), 0xff, sizeof(x)); }
};
// Offsets in a matrix of an element of this lane.
template <class F> SHIM_PLAIN static int element(int number) { return number * 32 + shim::current % 32; }
template <class F> SHIM_PLAIN static size_t place(int number, unsigned stride, bool by_row) {
    int at = element<F>(number), row = at / F::columns, column = at % F::columns;
    return by_row ? size_t(row) * stride + column : size_t(column) * stride + row;
}
template <class F, class P> SHIM_PLAIN static void load(F& to, const P* from, unsigned stride, bool by_row) {
    shim::access_matrix(shim::LOAD, from, stride * sizeof(P));
    for (int i = 0; i < F::num_elements; i++) {
        const P* at = from + place<F>(i, stride, by_row);
        shim::touch(at, sizeof(P), false, shim::WARP + shim::current / 32);
        to.x[i] = *at;
    }
}
template <class Use, int M, int N, int K, class T, class L, class P>
SHIM_PLAIN static void load_matrix_sync(fragment<Use, M, N, K, T, L>& to, const P* from, unsigned stride) {
    load(to, from, stride, std::is_same_v<L, row_major>);
}
template <int M, int N, int K, class T, class P>
SHIM_PLAIN static void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const P* from, unsigned stride, layout_t layout) {
    load(to, from, stride, layout == mem_row_major);
}
template <int M, int N, int K, class T, class P>
SHIM_PLAIN static void store_matrix_sync(P* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride, layout_t layout) {
    typedef fragment<accumulator, M, N, K, T> F;
    shim::access_matrix(shim::STORE, to, stride * sizeof(P));
    for (int i = 0; i < F::num_elements; i++) {
        P* at = to + place<F>(i, stride, layout == mem_row_major);
        shim::touch(at, sizeof(P), true, shim::WARP + shim::current / 32);
        *at = from.x[i];
    }
}
template <class F, class T> SHIM_PLAIN static void fill_fragment(F& to, T x) {
    for (auto& element : to.x) element = x;
}
template <class D, int M, int N, int K, class T, class LA, class LB, class C>
SHIM_PLAIN static void mma_sync(fragment<accumulator, M, N, K, D>& to, const fragment<matrix_a, M, N, K, T, LA>& a,
                                const fragment<matrix_b, M, N, K, T, LB>& b, const fragment<accumulator, M, N, K, C>& c) {
    shim::Operands& all = shim::operands[shim::current / 32][shim::products[shim::current]++ % 2];
    for (int i = 0; i < a.num_elements; i++) all.a[element<decltype(a)>(i)] = float(a.x[i]);
    for (int i = 0; i < b.num_elements; i++) all.b[element<decltype(b)>(i)] = float(b.x[i]);
    shim::wait(shim::AT_WARP, shim::MULTIPLY);
    for (int i = 0; i < to.num_elements; i++) {
        int at = element<decltype(to)>(i), row = at / N, column = at % N;
        float sum = c.x[i];
        for (int k = 0; k < K; k++) sum += all.a[row * K + k] * all.b[k * N + column];
        to.x[i] = sum;
    }
}
}} // namespace nvcuda::wmma
