#include <cuda_fp16.h>

// Some rows of a collective among ranks of one device: what lies at all sources, combined from the first to the last, goes to all
// targets. Every element is read everywhere before it is written, so that results may lie where operands lie.

struct Side {
    unsigned long long at[64];
    unsigned start[64], pitch[64], count;
};

struct Motion {
    Side from, to;
    unsigned rows, run, monoid, type;
};

enum Type { F32, I32, U32, BF16, F16 };

template <typename T> __device__ T combine(T a, T b, unsigned monoid) {
    switch (monoid) {
    case 0: return a + b;
    case 1: return a * b;
    case 2: return a > b ? a : b;
    case 3: return a < b ? a : b;
    default: return a;
    }
}

__device__ float widened(unsigned x, unsigned type) {
    if (type == F16) {
        unsigned short bits = x;
        return float(reinterpret_cast<__half&>(bits));
    }
    if (type == BF16) x <<= 16;
    return reinterpret_cast<float&>(x);
}

// maximum and minimum of IEEE 754-2019: NaN if one is, and +0 is larger than -0.
__device__ float combine(float a, float b, unsigned monoid) {
    if (monoid < 2) return monoid ? a * b : a + b;
    if (a == b) {
        unsigned x = reinterpret_cast<unsigned&>(a), y = reinterpret_cast<unsigned&>(b);
        unsigned bits = monoid == 2 ? x & y : x | y;
        return reinterpret_cast<float&>(bits);
    }
    return (monoid == 2 ? a > b : a < b) || a != a ? a : b;
}

// To nearest, and ties to even.
__device__ unsigned rounded(float x, unsigned type) {
    if (type == F16) {
        __half half = __half(x);
        return reinterpret_cast<unsigned short&>(half);
    }
    unsigned bits = reinterpret_cast<unsigned&>(x);
    if (type == BF16) return x != x ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return bits;
}

__device__ unsigned combined(unsigned x, unsigned y, unsigned monoid, unsigned type) {
    if (monoid == 4) return x & y;
    if (monoid == 5) return x | y;
    if (type == I32) return unsigned(combine(int(x), int(y), monoid));
    if (type == U32) return combine(x, y, monoid);
    return rounded(combine(widened(x, type), widened(y, type), monoid), type);
}

extern "C" __global__ void __launch_bounds__(256) partita_collective(const __grid_constant__ Motion motion) {
    unsigned long long all = (unsigned long long)motion.rows * motion.run, step = (unsigned long long)gridDim.x * 256;
    bool narrow = motion.type >= BF16;
    for (unsigned long long e = blockIdx.x * 256ull + threadIdx.x; e < all; e += step) {
        unsigned row = e / motion.run, column = e % motion.run, x = 0;
        for (unsigned i = 0; i < motion.from.count; i++) {
            unsigned long long at = motion.from.start[i] + (unsigned long long)row * motion.from.pitch[i] + column;
            unsigned y = narrow ? reinterpret_cast<unsigned short*>(motion.from.at[i])[at]
                                : reinterpret_cast<unsigned*>(motion.from.at[i])[at];
            x = i ? combined(x, y, motion.monoid, motion.type) : y;
        }
        for (unsigned i = 0; i < motion.to.count; i++) {
            unsigned long long at = motion.to.start[i] + (unsigned long long)row * motion.to.pitch[i] + column;
            if (narrow) reinterpret_cast<unsigned short*>(motion.to.at[i])[at] = x;
            else reinterpret_cast<unsigned*>(motion.to.at[i])[at] = x;
        }
    }
}
