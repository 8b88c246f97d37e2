// Asynchronous copies, which are carried out as late as a kernel allows.

#include <vector>

namespace shim {

// A pending asynchronous copy. The source is read when the thread waits for the copy, and the destination is NaN until
// then.
struct Copy {
    char* to;
    const char* from;
    size_t size, length;
    uint64_t group;
};
static std::vector<Copy> copies[MAX_THREADS];
uint64_t groups[MAX_THREADS];

void copy_async(void* to, const void* from, size_t size, size_t length) {
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

void wait_group(unsigned latest) {
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

void wait_all() {
    groups[current]++;
    wait_group(0);
}

} // namespace shim
