// Threads as fibers, which go on in turn at barriers, in an order that the host chooses. Shared memory begins as NaNs, so that what was never
// written is noticed.

namespace shim {

enum Wait { READY, AT_BLOCK, AT_WARP, DONE };

// What a fiber waits at: the line of a barrier, or an instruction that the lanes of a warp carry out together.
enum Instruction { SHUFFLE = -1, SHUFFLED = -2, LOAD = -3, STORE = -4, MULTIPLY = -5 };

struct Fiber {
    jmp_buf place;
    Wait wait;
    int line;
    // What must be the same for all lanes of a warp.
    const void* operand;
};

static const size_t STACK = 512 << 10;

static Fiber fibers[MOST];
static char* stacks;
static Dim3 block;
static bool begins[MOST];
static uint64_t slots[MOST];
static jmp_buf scheduler;
static ucontext_t host, first;
static void (*body)(void*);
static void* body_of;

// An asynchronous copy that a thread has begun: what is read is read when the thread waits for it, and until then the destination is NaN.
struct Copy {
    char* to;
    const char* from;
    size_t size, length;
    uint64_t group;
};
static std::vector<Copy> copies[MOST];
static uint64_t groups[MOST];

// How many products of fragments a thread has had part in.
static unsigned products[MOST];

// The position at which the i-th of n comes.
SHIM_PLAIN static unsigned turn(unsigned i, unsigned n) {
    return order == 0 ? i : order == 1 ? n - 1 - i : (i + n / 2) % n;
}

// Where a thread is in its block.
SHIM_PLAIN static Dim3 placed(unsigned unit) {
    return { unit % block.x, unit / block.x % block.y, unit / block.x / block.y };
}

[[gnu::noinline]] SHIM_PLAIN static void wait(Wait kind, int line, const void* operand = nullptr) {
    Fiber& me = fibers[current];
    me.wait = kind;
    me.line = line;
    me.operand = operand;
    if (!_setjmp(me.place)) _longjmp(scheduler, 1);
}

SHIM_PLAIN static void run_thread() {
    body(body_of);
    if (!copies[current].empty() && !failure) failure = "a thread ends without waiting for its asynchronous copies";
}

SHIM_PLAIN static void begin() {
    run_thread();
    fibers[current].wait = DONE;
    _longjmp(scheduler, 1);
}

// Runs a fiber until it waits.
[[gnu::noinline]] SHIM_PLAIN static void resume(unsigned unit) {
    current = unit;
    threadIdx = placed(unit);
    if (_setjmp(scheduler)) return;
    if (!begins[unit]) _longjmp(fibers[unit].place, 1);
    begins[unit] = false;
    getcontext(&first);
    first.uc_stack.ss_sp = stacks + unit * STACK;
    first.uc_stack.ss_size = STACK;
    first.uc_link = nullptr;
    makecontext(&first, begin, 0);
    swapcontext(&host, &first);
}

// Lets fibers go on that wait for nobody else: all of [from, to) that are not done.
SHIM_PLAIN static bool release(unsigned from, unsigned to, Wait kind) {
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
    // Instructions of a warp order nothing in memory.
    if (one->line > 0) met(from, to, kind == AT_BLOCK);
    return true;
}

SHIM_PLAIN static void run_block(bool meets) {
    memset(shared, 0xff, shared_bytes);
    for (unsigned i = 0; i < units; i++) {
        for (const Copy& copy : copies[i]) touch_pending(copy.to, copy.size, false);
        copies[i].clear();
        groups[i] = 0;
        products[i] = 0;
    }
    if (!meets) {
        for (unsigned i = 0; i < units && !failure; i++) {
            current = turn(i, units);
            threadIdx = placed(current);
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
            unsigned warp = turn(w, (units + 31) / 32) * 32;
            unsigned end = warp + 32 < units ? warp + 32 : units;
            do {
                for (unsigned lane = 0; lane < end - warp && !failure; lane++) {
                    unsigned i = warp + turn(lane, end - warp);
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
        if (fibers[i].wait != DONE) failure = "a barrier waits for threads that never come to it";
}

// A launch: the grid, the threads of a block, the first block and that behind the last one to run, the memory that it writes as starts and
// lengths, and bytes of shared memory.
struct Launch {
    uint32_t grid[3], threads[3];
    uint64_t blocks[2];
    const uint64_t* written;
    uint64_t count, shared_bytes;
};

// Runs the blocks of a launch in the order in which the grid counts them; the smallest elements have 2^smallest bytes.
SHIM_PLAIN static const char* run(const Launch& launch, unsigned smallest, bool meets, void (*what)(void*), void* of) {
    block = { launch.threads[0], launch.threads[1], launch.threads[2] };
    const unsigned n = block.x * block.y * block.z;
    if (n > MOST) return "a block has more than 1024 threads";
    if (launch.shared_bytes > SHARED) return "a block has more than 256 KiB of shared memory";
    if (!stacks) {
        void* taken = mmap(nullptr, MOST * STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (taken == MAP_FAILED) return "there is no memory for stacks";
        stacks = static_cast<char*>(taken);
        shared = static_cast<char*>(aligned_alloc(128, SHARED));
    }
    units = n;
    shared_bytes = launch.shared_bytes;
    grain = smallest;
    body = what;
    body_of = of;
    failure = nullptr;
    if (!begin_launch(launch.written, launch.count)) return "there is no memory to look after accesses";
    const uint32_t* grid = launch.grid;
    gridDim = { grid[0], grid[1], grid[2] };
    blockDim = block;
    for (uint64_t i = launch.blocks[0]; i < launch.blocks[1] && !failure; i++) {
        blockIdx = { unsigned(i % grid[0]), unsigned(i / grid[0] % grid[1]), unsigned(i / grid[0] / grid[1]) };
        begin_block(i - launch.blocks[0]);
        run_block(meets);
    }
    end_launch();
    return failure;
}

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

// A wait or a fence of that number, unless it is left out.
#define SHIM_WAIT(number, wait) do { if (shim::left_out != number) wait; } while (0)

#define __syncthreads() shim::wait(shim::AT_BLOCK, __LINE__)
#define __syncwarp(...) shim::wait(shim::AT_WARP, __LINE__)
static inline void __threadfence() { shim::fence(shim::ON_DEVICE); }
static inline void __threadfence_block() { shim::fence(shim::IN_BLOCK); }
