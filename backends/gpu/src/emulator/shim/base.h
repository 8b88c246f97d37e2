// What CUDA C++ needs, on a CPU, as the PTX ISA says. Threads of a block are fibers of one thread of the host, which go on in turn at
// barriers, in an order that the host chooses; blocks come one after the other. Shared memory and fragments begin as NaNs, so that what was
// never written is noticed; and so are destinations of asynchronous copies until the thread that made them has waited for them.

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__ static
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __cluster_dims__(...)

struct Dim3 { unsigned x, y, z; };
static Dim3 threadIdx, blockIdx, gridDim, blockDim;

namespace shim {

enum Wait { READY, AT_BLOCK, AT_WARP, DONE };

struct Fiber {
    jmp_buf place;
    Wait wait;
    int line;
};

static const size_t STACK = 512 << 10;
static const unsigned MOST = 1024;

static Fiber fibers[MOST];
static char* stacks;
static char* shared;
static unsigned units, current;
static Dim3 block;
static bool begins[MOST];
static uint64_t slots[MOST];
static jmp_buf scheduler;
static ucontext_t host, first;
static void (*body)(void*);
static void* body_of;
static const char* failure;

// An asynchronous copy that a thread has begun: what is read is read when the thread waits for it, and until then the destination is NaN.
struct Copy {
    char* to;
    const char* from;
    size_t size, length;
    uint64_t group;
};
static std::vector<Copy> copies[MOST];
static uint64_t groups[MOST];

// The wait that is left out, by number, and the order in which threads go on: 0 from the first to the last, 1 from the last to the first,
// and from the middle otherwise. Tests set them.
static int64_t left_out = -1;
static unsigned order;

// The position at which the i-th of n comes.
static unsigned turn(unsigned i, unsigned n) {
    return order == 0 ? i : order == 1 ? n - 1 - i : (i + n / 2) % n;
}

// Where a thread is in its block.
static Dim3 placed(unsigned unit) {
    return { unit % block.x, unit / block.x % block.y, unit / block.x / block.y };
}

[[gnu::noinline]] static void wait(Wait kind, int line) {
    Fiber& me = fibers[current];
    me.wait = kind;
    me.line = line;
    if (!_setjmp(me.place)) _longjmp(scheduler, 1);
}

static void run_thread() {
    body(body_of);
    if (!copies[current].empty()) failure = "a thread ends without waiting for its asynchronous copies";
}

static void begin() {
    run_thread();
    fibers[current].wait = DONE;
    _longjmp(scheduler, 1);
}

// Runs a fiber until it waits.
[[gnu::noinline]] static void resume(unsigned unit) {
    current = unit;
    threadIdx = placed(unit);
    if (_setjmp(scheduler)) return;
    if (!begins[unit]) _longjmp(fibers[unit].place, 1);
    begins[unit] = false;
    getcontext(&first);
    first.uc_stack.ss_sp = stacks + unit * STACK;
    first.uc_stack.ss_size = STACK;
    first.uc_link = nullptr;
    makecontext(&first, begin, 0);
    swapcontext(&host, &first);
}

// Lets fibers go on that wait for nobody else: all of [from, to) that are not done.
static bool release(unsigned from, unsigned to, Wait kind) {
    int line = 0;
    for (unsigned i = from; i < to; i++) {
        if (fibers[i].wait == DONE) continue;
        if (fibers[i].wait != kind) return false;
        if (line && fibers[i].line != line) {
            failure = "threads wait at different barriers";
            return false;
        }
        line = fibers[i].line;
    }
    for (unsigned i = from; i < to; i++)
        if (fibers[i].wait != DONE) fibers[i].wait = READY;
    return line != 0;
}

static void run_block(bool meets) {
    memset(shared, 0xff, 256 << 10);
    for (unsigned i = 0; i < units; i++) {
        copies[i].clear();
        groups[i] = 0;
    }
    if (!meets) {
        for (unsigned i = 0; i < units; i++) {
            current = i;
            threadIdx = placed(i);
            run_thread();
        }
        return;
    }
    for (unsigned i = 0; i < units; i++) {
        fibers[i].wait = READY;
        begins[i] = true;
    }
    for (bool moves = true; moves && !failure;) {
        moves = false;
        for (unsigned w = 0; w < (units + 31) / 32; w++) {
            unsigned warp = turn(w, (units + 31) / 32) * 32;
            unsigned end = warp + 32 < units ? warp + 32 : units;
            do {
                for (unsigned lane = 0; lane < end - warp; lane++) {
                    unsigned i = warp + turn(lane, end - warp);
                    if (fibers[i].wait == READY) {
                        resume(i);
                        moves = true;
                    }
                }
            } while (release(warp, end, AT_WARP));
        }
        if (release(0, units, AT_BLOCK)) moves = true;
    }
    for (unsigned i = 0; i < units && !failure; i++)
        if (fibers[i].wait != DONE) failure = "a barrier waits for threads that never come to it";
}

// Runs blocks[0] and those behind it up to blocks[1], as the grid counts them.
static const char* run(const uint32_t* grid, const uint32_t* threads, const uint64_t* blocks, bool meets, void (*what)(void*), void* of) {
    block = { threads[0], threads[1], threads[2] };
    const unsigned n = block.x * block.y * block.z;
    if (n > MOST) return "a block has more than 1024 threads";
    if (!stacks) {
        void* taken = mmap(nullptr, MOST * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (taken == MAP_FAILED) return "there is no memory for stacks";
        stacks = static_cast<char*>(taken);
        shared = static_cast<char*>(aligned_alloc(128, 256 << 10));
    }
    units = n;
    body = what;
    body_of = of;
    failure = nullptr;
    gridDim = { grid[0], grid[1], grid[2] };
    blockDim = block;
    for (uint64_t number = blocks[0]; number < blocks[1] && !failure; number++) {
        blockIdx = { unsigned(number % grid[0]), unsigned(number / grid[0] % grid[1]), unsigned(number / grid[0] / grid[1]) };
        run_block(meets);
    }
    return failure;
}

static void copy_async(void* to, const void* from, size_t size, size_t length) {
    bool fits = size == 4 || size == 8 || size == 16;
    if (!fits || length > size || size_t(to) % size || size_t(from) % size) failure = "an asynchronous copy is not aligned, or of no such size";
    memset(to, 0xff, size);
    copies[current].push_back({ static_cast<char*>(to), static_cast<const char*>(from), size, length, groups[current] });
}

// Completes all copies but those of the latest groups.
static void wait_group(unsigned latest) {
    std::vector<Copy> left;
    for (const Copy& copy : copies[current]) {
        if (copy.group + latest >= groups[current]) {
            left.push_back(copy);
            continue;
        }
        memcpy(copy.to, copy.from, copy.length);
        memset(copy.to + copy.length, 0, copy.size - copy.length);
    }
    copies[current].swap(left);
}

static void wait_all() {
    groups[current]++;
    wait_group(0);
}

template <class P> static P argument(void* at) {
    if constexpr (std::is_pointer_v<P>) return static_cast<P>(at);
    else return *static_cast<std::remove_const_t<P>*>(at);
}

template <class... P, size_t... I> static void call(void (*kernel)(P...), void** args, std::index_sequence<I...>) {
    kernel(argument<P>(args[I])...);
}

template <class... P> static void call(void (*kernel)(P...), void** args) {
    call(kernel, args, std::index_sequence_for<P...>());
}

// What lane `of(lane)` of the warp has.
template <class T, class F> static T exchange(T mine, F of) {
    static_assert(sizeof(T) <= 8);
    memcpy(&slots[current], &mine, sizeof(T));
    wait(AT_WARP, -1);
    unsigned lane = current % 32, from = of(lane) + current / 32 * 32;
    T theirs = mine;
    if (from / 32 == current / 32 && from < units) memcpy(&theirs, &slots[from], sizeof(T));
    wait(AT_WARP, -2);
    return theirs;
}

} // namespace shim

static inline void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zeros = 0) {
    shim::copy_async(to, from, size, size - zeros);
}
static inline void __pipeline_commit() { shim::groups[shim::current]++; }
static inline void __pipeline_wait_prior(unsigned latest) { shim::wait_group(latest); }
static inline uint32_t __cvta_generic_to_shared(const void* at) { return static_cast<const char*>(at) - shim::shared; }

// A wait of that number, unless it is left out.
#define SHIM_WAIT(number, wait) do { if (shim::left_out != number) wait; } while (0)

#define __syncthreads() shim::wait(shim::AT_BLOCK, __LINE__)
#define __syncwarp(...) shim::wait(shim::AT_WARP, __LINE__)
static inline void __threadfence() {}

static inline unsigned __activemask() { return ~0u; }
template <class T> static T __shfl_sync(unsigned, T x, unsigned lane) {
    return shim::exchange(x, [=](unsigned) { return lane % 32; });
}
template <class T> static T __shfl_xor_sync(unsigned, T x, unsigned mask) {
    return shim::exchange(x, [=](unsigned lane) { return lane ^ mask; });
}
template <class T> static T __shfl_down_sync(unsigned, T x, unsigned by) {
    return shim::exchange(x, [=](unsigned lane) { return lane + by < 32 ? lane + by : lane; });
}
template <class T> static T __shfl_up_sync(unsigned, T x, unsigned by) {
    return shim::exchange(x, [=](unsigned lane) { return lane >= by ? lane - by : lane; });
}
static inline unsigned __ballot_sync(unsigned, bool holds) {
    unsigned all = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        if (__shfl_sync(~0u, unsigned(holds), lane)) all |= 1u << lane;
    return all;
}
static inline bool __any_sync(unsigned mask, bool holds) { return __ballot_sync(mask, holds) != 0; }
static inline bool __all_sync(unsigned mask, bool holds) { return __ballot_sync(mask, !holds) == 0; }

template <class T> static T atomicAdd(T* at, T x) { T old = *at; *at = old + x; return old; }
template <class T> static T atomicMax(T* at, T x) { T old = *at; if (x > old) *at = x; return old; }
template <class T> static T atomicMin(T* at, T x) { T old = *at; if (x < old) *at = x; return old; }
template <class T> static T atomicExch(T* at, T x) { T old = *at; *at = x; return old; }
template <class T> static T atomicCAS(T* at, T is, T x) { T old = *at; if (old == is) *at = x; return old; }

template <class T> static T min(T a, T b) { return b < a ? b : a; }
template <class T> static T max(T a, T b) { return a < b ? b : a; }
// min.f32 and max.f32: of a number and NaN the number, and -0 is below +0.
static inline float min(float a, float b) {
    if (a != a || b != b) return a != a ? b : a;
    return b < a || (a == b && signbit(b)) ? b : a;
}
static inline float max(float a, float b) {
    if (a != a || b != b) return a != a ? b : a;
    return a < b || (a == b && signbit(a)) ? b : a;
}
static inline float rsqrt(float x) { return 1 / sqrtf(x); }
static inline int __clz(uint32_t x) { return x ? __builtin_clz(x) : 32; }
static inline int __popc(uint32_t x) { return __builtin_popcount(x); }
static inline int __ffs(uint32_t x) { return __builtin_ffs(x); }
static inline uint32_t __umulhi(uint32_t a, uint32_t b) { return uint64_t(a) * b >> 32; }
static inline uint32_t __brev(uint32_t x) {
    uint32_t turned = 0;
    for (int i = 0; i < 32; i++) turned |= (x >> i & 1) << (31 - i);
    return turned;
}

// Half precision is computed in single precision and rounded once, as on a GPU.
template <class Bits> struct Half : Bits {
    Half() = default;
    Half(float x) : Bits(x) {}
    Half(double x) : Bits(float(x)) {}
    Half(int x) : Bits(float(x)) {}
    Half(unsigned x) : Bits(float(x)) {}
    operator float() const { return this->value(); }
    Half& operator+=(Half x) { return *this = Half(float(*this) + float(x)); }
};
#define SHIM_OPERATOR(op) \
    template <class B> static Half<B> operator op(Half<B> a, Half<B> b) { return Half<B>(float(a) op float(b)); }
SHIM_OPERATOR(+) SHIM_OPERATOR(-) SHIM_OPERATOR(*) SHIM_OPERATOR(/)
template <class B> static Half<B> operator-(Half<B> a) { return Half<B>(-float(a)); }
struct Bf16Bits {
    uint16_t bits;
    Bf16Bits() = default;
    Bf16Bits(float x) {
        uint32_t word;
        memcpy(&word, &x, 4);
        bits = x != x ? 0x7fff : (word + 0x7fff + (word >> 16 & 1)) >> 16;
    }
    float value() const {
        uint32_t word = uint32_t(bits) << 16;
        float x;
        memcpy(&x, &word, 4);
        return x;
    }
};
struct F16Bits {
    _Float16 half;
    F16Bits() = default;
    F16Bits(float x) : half(x) {
        const uint16_t nan = 0x7fff;
        if (x != x) memcpy(&half, &nan, 2);
    }
    float value() const { return half; }
};
typedef Half<Bf16Bits> __nv_bfloat16;
typedef Half<F16Bits> __half;
#define SHIM_UNARY(name, function) \
    template <class B> static Half<B> name(Half<B> x) { return Half<B>(function(float(x))); }
SHIM_UNARY(hexp, expf) SHIM_UNARY(hlog, logf) SHIM_UNARY(hsqrt, sqrtf) SHIM_UNARY(hrsqrt, rsqrt) SHIM_UNARY(hsin, sinf)
SHIM_UNARY(hcos, cosf) SHIM_UNARY(hfloor, floorf) SHIM_UNARY(hceil, ceilf) SHIM_UNARY(__habs, fabsf)
template <class B> static Half<B> __hmax(Half<B> a, Half<B> b) { return Half<B>(max(float(a), float(b))); }
template <class B> static Half<B> __hmin(Half<B> a, Half<B> b) { return Half<B>(min(float(a), float(b))); }
template <class B> static Half<B> __hfma(Half<B> a, Half<B> b, Half<B> c) { return Half<B>(fmaf(a, b, c)); }

// Fragments. Each thread loads all elements when its turn comes. But it stores only those that it has on a GPU, as the layout of accumulators
// of mma.m16n8 says; the others are there once the warp has been waited for.
namespace nvcuda { namespace wmma {
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; }
static inline float __float_to_tf32(float x) {
    uint32_t word;
    memcpy(&word, &x, 4);
    word = x != x ? 0x7fffffff : (word + 0x1000) & ~0x1fffu;
    memcpy(&x, &word, 4);
    return x;
}
template <class T> struct element { typedef T type; };
template <> struct element<precision::tf32> { typedef float type; };
template <class Use, int M, int N, int K, class T, class Layout = row_major> struct fragment {
    static constexpr int rows = std::is_same_v<Use, matrix_b> ? K : M;
    static constexpr int columns = std::is_same_v<Use, matrix_a> ? K : N;
    static constexpr int num_elements = rows * columns;
    typename element<T>::type x[num_elements];
    fragment() { memset(static_cast<void*>(x), 0xff, sizeof(x)); }
};
template <class F, class P> static void read(F& to, const P* from, unsigned stride, bool by_row) {
    for (int i = 0; i < F::rows; i++)
        for (int j = 0; j < F::columns; j++) to.x[i * F::columns + j] = by_row ? from[i * stride + j] : from[j * stride + i];
}
template <class Use, int M, int N, int K, class T, class L, class P>
static void load_matrix_sync(fragment<Use, M, N, K, T, L>& to, const P* from, unsigned stride) {
    read(to, from, stride, std::is_same_v<L, row_major>);
}
template <int M, int N, int K, class T, class P>
static void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const P* from, unsigned stride, layout_t layout) {
    read(to, from, stride, layout == mem_row_major);
}
template <class F, class T> static void fill_fragment(F& to, T x) {
    for (auto& element : to.x) element = x;
}
template <int M, int N, int K, class D, class T, class LA, class LB>
static void mma_sync(fragment<accumulator, M, N, K, D>& to, const fragment<matrix_a, M, N, K, T, LA>& a,
                     const fragment<matrix_b, M, N, K, T, LB>& b, const fragment<accumulator, M, N, K, D>& c) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = c.x[i * N + j];
            for (int k = 0; k < K; k++) sum += float(a.x[i * K + k]) * float(b.x[k * N + j]);
            to.x[i * N + j] = sum;
        }
}
template <int M, int N, int K, class T, class P>
static void store_matrix_sync(P* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride, layout_t layout) {
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            if (i % 8 * 4 + j % 8 / 2 == int(shim::current % 32))
                to[layout == mem_row_major ? i * stride + j : j * stride + i] = from.x[i * N + j];
}
}} // namespace nvcuda::wmma
