// What CUDA C++ needs, on a CPU, as the PTX ISA says: what a kernel is declared with, and the block of threads that runs. Blocks come one
// after the other; the threads of one are fibers of one thread of the host.

#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <map>
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

// A function whose accesses to memory are not those of a kernel.
#define SHIM_PLAIN __attribute__((no_sanitize("thread")))
// The same for one that every access calls.
#define SHIM_FAST SHIM_PLAIN inline __attribute__((always_inline))

struct Dim3 { unsigned x, y, z; };
static Dim3 threadIdx, blockIdx, gridDim, blockDim;

namespace shim {

// Most threads of a block, and most bytes that they share.
static const unsigned MOST = 1024;
static const size_t SHARED = 256 << 10;

// The block's threads, the one that runs, and the memory that they share.
static unsigned units, current;
static char* shared;
static size_t shared_bytes;

// What went wrong.
static const char* failure;

// The wait that is left out, by number, and the order in which threads go on: 0 from the first to the last, 1 from the last to the first,
// and from the middle otherwise. Tests set them.
static int64_t left_out = -1;
static unsigned order;

} // namespace shim
