// Intrinsics of CUDA C++: warp shuffles and votes, atomic operations, and functions of integers and floats.

namespace shim {

// Returns the value of lane `of(lane)` of the warp.
template <class T, class F> SHIM_PLAIN static T exchange(T mine, F of) {
    static_assert(sizeof(T) <= 8);
    memcpy(&slots[current], &mine, sizeof(T));
    wait(AT_WARP, SHUFFLE);
    unsigned lane = current % 32, from = of(lane) + current / 32 * 32;
    T theirs = mine;
    if (from / 32 == current / 32 && from < units) memcpy(&theirs, &slots[from], sizeof(T));
    wait(AT_WARP, SHUFFLED);
    return theirs;
}

// Updates memory atomically; returns the old value.
template <class T, class F> SHIM_PLAIN static T atomically(T* at, F changed) {
    touch_atomically(at, sizeof(T));
    T old = *at;
    *at = changed(old);
    return old;
}

} // namespace shim

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
static inline unsigned __ballot_sync(unsigned, bool predicate) {
    unsigned all = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        if (__shfl_sync(~0u, unsigned(predicate), lane)) all |= 1u << lane;
    return all;
}
static inline bool __any_sync(unsigned mask, bool predicate) { return __ballot_sync(mask, predicate) != 0; }
static inline bool __all_sync(unsigned mask, bool predicate) { return __ballot_sync(mask, !predicate) == 0; }

template <class T> static T atomicAdd(T* at, T x) { return shim::atomically(at, [=](T old) { return T(old + x); }); }
template <class T> static T atomicSub(T* at, T x) { return shim::atomically(at, [=](T old) { return T(old - x); }); }
template <class T> static T atomicMax(T* at, T x) { return shim::atomically(at, [=](T old) { return x > old ? x : old; }); }
template <class T> static T atomicMin(T* at, T x) { return shim::atomically(at, [=](T old) { return x < old ? x : old; }); }
template <class T> static T atomicExch(T* at, T x) { return shim::atomically(at, [=](T) { return x; }); }
template <class T> static T atomicCAS(T* at, T is, T x) { return shim::atomically(at, [=](T old) { return old == is ? x : old; }); }

template <class T> static T min(T a, T b) { return b < a ? b : a; }
template <class T> static T max(T a, T b) { return a < b ? b : a; }
// min.f32 and max.f32: a NaN operand is ignored, and -0 is less than +0.
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
