#include <cuda_fp16.h>

// Collective between ranks on one device. The parameter is one row transfer: rows of all sources, combined from the
// first to the last, are written to all targets. Every element is read from all sources before it is written, so that
// results may overlap operands.

struct Side {
    unsigned long long at[64];
    unsigned start[64], pitch[64], count;
};

struct RowTransfer {
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

// maximum and minimum of IEEE 754-2019: NaN if an operand is NaN, and +0 is greater than -0.
__device__ float combine(float a, float b, unsigned monoid) {
    if (monoid < 2) return monoid ? a * b : a + b;
    if (a == b) {
        unsigned x = reinterpret_cast<unsigned&>(a), y = reinterpret_cast<unsigned&>(b);
        unsigned bits = monoid == 2 ? x & y : x | y;
        return reinterpret_cast<float&>(bits);
    }
    return (monoid == 2 ? a > b : a < b) || a != a ? a : b;
}

// Round to nearest, ties to even.
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

extern "C" __global__ void __launch_bounds__(256) partita_collective(const __grid_constant__ RowTransfer transfer) {
    unsigned long long all = (unsigned long long)transfer.rows * transfer.run;
    unsigned long long step = (unsigned long long)gridDim.x * 256;
    bool narrow = transfer.type >= BF16;
    for (unsigned long long e = blockIdx.x * 256ull + threadIdx.x; e < all; e += step) {
        unsigned row = e / transfer.run, column = e % transfer.run, x = 0;
        for (unsigned i = 0; i < transfer.from.count; i++) {
            unsigned long long at = transfer.from.start[i] + (unsigned long long)row * transfer.from.pitch[i] + column;
            unsigned y = narrow ? reinterpret_cast<unsigned short*>(transfer.from.at[i])[at]
                                : reinterpret_cast<unsigned*>(transfer.from.at[i])[at];
            x = i ? combined(x, y, transfer.monoid, transfer.type) : y;
        }
        for (unsigned i = 0; i < transfer.to.count; i++) {
            unsigned long long at = transfer.to.start[i] + (unsigned long long)row * transfer.to.pitch[i] + column;
            if (narrow) reinterpret_cast<unsigned short*>(transfer.to.at[i])[at] = x;
            else reinterpret_cast<unsigned*>(transfer.to.at[i])[at] = x;
        }
    }
}
