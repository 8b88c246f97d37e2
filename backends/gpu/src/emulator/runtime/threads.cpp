// Threads as fibers, which yield at barriers and resume in a configurable order. Shared memory is initialised to NaN,
// so that reads of uninitialised memory are visible in results.

#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

Dim3 threadIdx, blockIdx, gridDim, blockDim;

namespace shim {

unsigned units, current;
char* shared;
size_t shared_bytes;
const char* failure;
int64_t omitted = -1;
unsigned order;
uint64_t slots[MAX_THREADS];
unsigned products[MAX_THREADS];

struct Fiber {
    jmp_buf context;
    Wait wait;
    int line;
    // Operand that must be equal in all lanes of a warp.
    const void* operand;
};

static const size_t STACK_BYTES = 512 << 10;

static Fiber fibers[MAX_THREADS];
static char* stacks;
static Dim3 block;
static bool begins[MAX_THREADS];
static jmp_buf scheduler;
static ucontext_t host, first;
static void (*body)(void*);
static void* body_argument;

// Returns the index of the i-th of n fibers in the configured order.
static unsigned ordered_index(unsigned i, unsigned n) {
    return order == 0 ? i : order == 1 ? n - 1 - i : (i + n / 2) % n;
}

// Returns the position of a thread in its block.
static Dim3 thread_position(unsigned unit) {
    return { unit % block.x, unit / block.x % block.y, unit / block.x / block.y };
}

void wait(Wait kind, int line, const void* operand) {
    Fiber& me = fibers[current];
    me.wait = kind;
    me.line = line;
    me.operand = operand;
    if (!_setjmp(me.context)) _longjmp(scheduler, 1);
}

static void run_thread() {
    body(body_argument);
    if (!copies[current].empty() && !failure) failure = "a thread ends without waiting for its asynchronous copies";
}

static void begin() {
    run_thread();
    fibers[current].wait = DONE;
    _longjmp(scheduler, 1);
}

// Runs a fiber until it waits or returns.
[[gnu::noinline]] static void resume(unsigned unit) {
    current = unit;
    threadIdx = thread_position(unit);
    if (_setjmp(scheduler)) return;
    if (!begins[unit]) _longjmp(fibers[unit].context, 1);
    begins[unit] = false;
    getcontext(&first);
    first.uc_stack.ss_sp = stacks + unit * STACK_BYTES;
    first.uc_stack.ss_size = STACK_BYTES;
    first.uc_link = nullptr;
    makecontext(&first, begin, 0);
    swapcontext(&host, &first);
}

// Resumes the fibers of [from, to) if all that have not returned wait at the same barrier or instruction.
static bool release(unsigned from, unsigned to, Wait kind) {
    const Fiber* one = nullptr;
    unsigned count = 0;
    for (unsigned i = from; i < to; i++) {
        if (fibers[i].wait == DONE) continue;
        if (fibers[i].wait != kind) return false;
        if (one && fibers[i].line != one->line) failure = "threads wait at different barriers";
        if (one && fibers[i].operand != one->operand) failure = "lanes of a warp give one instruction different operands";
        one = &fibers[i];
        count++;
    }
    if (one && one->line <= LOAD && count < 32) failure = "not all lanes of a warp carry out an instruction of the warp";
    if (!one || failure) return false;
    for (unsigned i = from; i < to; i++)
        if (fibers[i].wait != DONE) fibers[i].wait = READY;
    // Warp-synchronous instructions do not order memory accesses.
    if (one->line > 0) passed_barrier(from, to, kind == AT_BLOCK);
    return true;
}

static void run_block(bool uses_barriers) {
    memset(shared, 0xff, shared_bytes);
    for (unsigned i = 0; i < units; i++) {
        for (const Copy& copy : copies[i]) touch_pending(copy.to, copy.size, false);
        copies[i].clear();
        groups[i] = 0;
        products[i] = 0;
    }
    if (!uses_barriers) {
        for (unsigned i = 0; i < units && !failure; i++) {
            current = ordered_index(i, units);
            threadIdx = thread_position(current);
            run_thread();
        }
        return;
    }
    for (unsigned i = 0; i < units; i++) {
        fibers[i].wait = READY;
        begins[i] = true;
    }
    for (bool moves = true; moves && !failure;) {
        moves = false;
        for (unsigned w = 0; w < (units + 31) / 32; w++) {
            unsigned warp = ordered_index(w, (units + 31) / 32) * 32;
            unsigned end = warp + 32 < units ? warp + 32 : units;
            do {
                for (unsigned lane = 0; lane < end - warp && !failure; lane++) {
                    unsigned i = warp + ordered_index(lane, end - warp);
                    if (fibers[i].wait == READY) {
                        resume(i);
                        moves = true;
                    }
                }
            } while (release(warp, end, AT_WARP));
        }
        if (release(0, units, AT_BLOCK)) moves = true;
    }
    for (unsigned i = 0; i < units && !failure; i++)
        if (fibers[i].wait != DONE) failure = "a barrier waits for threads that never reach it";
}

const char* run(const Launch& launch, unsigned smallest, bool uses_barriers, void (*what)(void*), void* of) {
    block = { launch.threads[0], launch.threads[1], launch.threads[2] };
    const unsigned n = block.x * block.y * block.z;
    if (n > MAX_THREADS) return "a block has more than 1024 threads";
    if (launch.shared_bytes > MAX_SHARED_BYTES) return "a block has more than 256 KiB of shared memory";
    if (!stacks) {
        void* taken = mmap(nullptr, MAX_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (taken == MAP_FAILED) return "out of memory for stacks";
        stacks = static_cast<char*>(taken);
        shared = static_cast<char*>(aligned_alloc(128, MAX_SHARED_BYTES));
    }
    units = n;
    shared_bytes = launch.shared_bytes;
    element_log2 = smallest;
    body = what;
    body_argument = of;
    failure = nullptr;
    if (!begin_launch(launch.written, launch.count)) return "out of memory for race detection";
    const uint32_t* grid = launch.grid;
    gridDim = { grid[0], grid[1], grid[2] };
    blockDim = block;
    for (uint64_t i = launch.blocks[0]; i < launch.blocks[1] && !failure; i++) {
        blockIdx = { unsigned(i % grid[0]), unsigned(i / grid[0] % grid[1]), unsigned(i / grid[0] / grid[1]) };
        begin_block(i - launch.blocks[0]);
        run_block(uses_barriers);
    }
    end_launch();
    return failure;
}

} // namespace shim

SHIM_ENTRY void test_with(int64_t omitted, unsigned order) {
    shim::omitted = omitted;
    shim::order = order;
}
