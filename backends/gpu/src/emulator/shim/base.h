// CPU implementation of CUDA C++, following the PTX ISA: declaration specifiers, and the block of threads that runs.
// Blocks run one after the other; the threads of a block are fibers of one host thread. The headers contain what kernels
// refer to; the rest is compiled once, from `runtime`.

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <type_traits>
#include <utility>

#define __global__ static
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __cluster_dims__(...)

// A function whose memory accesses are not instrumented.
#define SHIM_PLAIN __attribute__((no_sanitize("thread")))
// A function that is called from outside of the library.
#define SHIM_ENTRY extern "C" __attribute__((visibility("default")))

struct Dim3 { unsigned x, y, z; };
extern Dim3 threadIdx, blockIdx, gridDim, blockDim;

namespace shim {

// Maximum number of threads of a block, and maximum shared memory of a block in bytes.
static const unsigned MAX_THREADS = 1024;
static const size_t MAX_SHARED_BYTES = 256 << 10;

// Number of threads of the block, the index of the running thread, and the block's shared memory.
extern unsigned units, current;
extern char* shared;
extern size_t shared_bytes;

// Description of the first failure, or null.
extern const char* failure;

// Index of the synchronisation call (barrier, wait or fence) that is omitted, or -1 for none. Order in which threads
// resume: 0 forward, 1 backward, 2 rotated. Both are set by tests.
extern int64_t omitted;
extern unsigned order;

} // namespace shim
