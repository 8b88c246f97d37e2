// Accesses to memory, which `runtime/memory.cpp` checks for data races.

namespace shim {

// Pseudo-units for accesses without a specific thread: those of a warp (the lane is unspecified), of an asynchronous
// copy, and of a block.
static const uint32_t WARP = MAX_THREADS, COPY = WARP + 32, BLOCK = COPY + 1;

// Scope of a fence.
enum Scope { IN_BLOCK, ON_DEVICE };

// Records and checks an access to memory by a unit of this block.
void touch(const void* at, size_t size, bool writes, uint32_t unit);

// A relaxed atomic operation of device scope. It may race with other atomic operations, but not with plain accesses.
// Writes that other threads fenced before become visible to this thread at its next fence.
void touch_atomically(const void* at, size_t size);

// A fence: accesses observed before are visible after it, and atomic operations after it release all accesses that are
// visible here.
void fence(Scope scope);

} // namespace shim
