// Asynchronous copies to shared memory: cp.async and the instructions that wait for copies.

namespace shim {

SHIM_PLAIN static void copy_async(void* to, const void* from, size_t size, size_t length) {
    bool fits = size == 4 || size == 8 || size == 16;
    if (!fits || length > size || size_t(to) % size || size_t(from) % size) {
        failure = "an asynchronous copy is misaligned or has an unsupported size";
        return;
    }
    touch(from, length, false, current);
    touch(to, size, true, current);
    touch_pending(to, size, true);
    memset(to, 0xff, size);
    copies[current].push_back({ static_cast<char*>(to), static_cast<const char*>(from), size, length, groups[current] });
}

// Completes all copies except those of the `latest` most recent groups.
SHIM_PLAIN static void wait_group(unsigned latest) {
    std::vector<Copy> left;
    for (const Copy& copy : copies[current]) {
        if (copy.group + latest >= groups[current]) {
            left.push_back(copy);
            continue;
        }
        touch(copy.from, copy.length, false, current);
        touch_pending(copy.to, copy.size, false);
        memcpy(copy.to, copy.from, copy.length);
        memset(copy.to + copy.length, 0, copy.size - copy.length);
    }
    copies[current].swap(left);
}

SHIM_PLAIN static void wait_all() {
    groups[current]++;
    wait_group(0);
}

} // namespace shim

static inline void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zeros = 0) {
    shim::copy_async(to, from, size, size - zeros);
}
static inline void __pipeline_commit() { shim::groups[shim::current]++; }
static inline void __pipeline_wait_prior(unsigned latest) { shim::wait_group(latest); }
static inline uint32_t __cvta_generic_to_shared(const void* at) { return static_cast<const char*>(at) - shim::shared; }
