// Threads as fibers, which `runtime/threads.cpp` runs.

namespace shim {

enum Wait { READY, AT_BLOCK, AT_WARP, DONE };

// Positions at which a fiber waits: the line of a barrier (positive), or a warp-synchronous instruction (negative).
enum Instruction { SHUFFLE = -1, SHUFFLED = -2, LOAD = -3, STORE = -4, MULTIPLY = -5 };

// Values that the lanes of warps exchange.
extern uint64_t slots[MAX_THREADS];

// Number of fragment products that each thread has taken part in.
extern unsigned products[MAX_THREADS];

// Ends the turn of the running fiber. `operand` must be equal in all lanes of a warp.
void wait(Wait kind, int line, const void* operand = nullptr);

// A launch: grid and block size, range of blocks to run (exclusive at its end), written memory ranges as start and
// length, and bytes of shared memory.
struct Launch {
    uint32_t grid[3], threads[3];
    uint64_t blocks[2];
    const uint64_t* written;
    uint64_t count, shared_bytes;
};

// Runs blocks of a launch in ascending order; the smallest elements in memory have 2^smallest bytes. Returns a
// description of the failure, or null.
const char* run(const Launch& launch, unsigned smallest, bool uses_barriers, void (*what)(void*), void* of);

template <class P> SHIM_PLAIN static P argument(void* at) {
    if constexpr (std::is_pointer_v<P>) return static_cast<P>(at);
    else return *static_cast<std::remove_const_t<P>*>(at);
}

template <class... P, size_t... I> static void call(void (*kernel)(P...), void** args, std::index_sequence<I...>) {
    kernel(argument<P>(args[I])...);
}

template <class... P> static void call(void (*kernel)(P...), void** args) {
    call(kernel, args, std::index_sequence_for<P...>());
}

} // namespace shim

// Executes a synchronisation call (barrier, wait or fence), unless the call of its index is omitted.
#define SHIM_WAIT(index, wait) do { if (shim::omitted != index) wait; } while (0)

#define __syncthreads() shim::wait(shim::AT_BLOCK, __LINE__)
#define __syncwarp(...) shim::wait(shim::AT_WARP, __LINE__)
static inline void __threadfence() { shim::fence(shim::ON_DEVICE); }
static inline void __threadfence_block() { shim::fence(shim::IN_BLOCK); }
