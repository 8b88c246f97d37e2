// Asynchronous copies to shared memory: cp.async and the instructions that wait for copies.

namespace shim {

// Number of the group of each thread to which its next copies belong.
extern uint64_t groups[MAX_THREADS];

// Begins a copy of `size` bytes, of which all beyond `length` become zero.
void copy_async(void* to, const void* from, size_t size, size_t length);

// Completes all copies except those of the `latest` most recent groups.
void wait_group(unsigned latest);

// Completes all copies.
void wait_all();

} // namespace shim

static inline void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zeros = 0) {
    shim::copy_async(to, from, size, size - zeros);
}
static inline void __pipeline_commit() { shim::groups[shim::current]++; }
static inline void __pipeline_wait_prior(unsigned latest) { shim::wait_group(latest); }
static inline uint32_t __cvta_generic_to_shared(const void* at) { return static_cast<const char*>(at) - shim::shared; }
