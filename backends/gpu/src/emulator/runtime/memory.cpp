// Data race detection according to the memory consistency model of the PTX ISA. Two accesses to the same memory, at
// least one of which is a write, must be ordered: by program order of one thread, by a barrier in which both threads
// take part, or by fences around atomic operations through which one thread observes the other. Unordered accesses are
// a race, which is reported for any order in which the emulator executes them.

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <map>

// A function that is on the path of every access.
#define FAST static inline __attribute__((always_inline))

namespace shim {

// Time and thread of an access. Every synchronisation advances the time.
struct Access {
    uint64_t time;
    uint32_t block, unit;
};

// Time of accesses that are not complete yet.
static const uint64_t INCOMPLETE = ~0ull;

// Accesses to some bytes: the latest write, and the latest reads after it: the latest of all, and the latest of another
// unit of the same warp, of another warp of the same block, and of another block. An access ordered after these is
// ordered after all.
struct Cell {
    Access write, reads[4];
};

// Vector clock: for each unit, warp and block, the time up to which its accesses are visible.
typedef std::map<std::pair<uint32_t, uint32_t>, uint64_t> Clock;

// Clocks of a thread: accesses that are visible to it, accesses observed by atomic reads but not yet fenced, and
// accesses that its atomic operations after a fence make visible to others.
struct ThreadClocks {
    Clock acquired, read[2], fenced[2];
};

// Memory that is accessed by atomic operations: the latest ones, as for reads, and the clocks that they release: on the
// device, and within each block.
struct Location {
    Access accesses[4];
    Clock released;
    std::map<uint32_t, Clock> released_in;
};

// A tracked memory range, and its first cell.
struct Range {
    char* start;
    size_t length, cell;
};

static uint64_t now = 1, launch_start, block_start, block_barrier_time, warp_barrier_time[MAX_THREADS / 32];
static uint32_t number;
static Cell *shared_cells, *global_cells;
static size_t reserved;
static Range* ranges;
static size_t range_count;
// Bounds of all ranges.
static char *lowest, *highest;
static unsigned element_log2;
static bool has_clocks;
static ThreadClocks thread_clocks[MAX_THREADS];
static std::map<const Cell*, Location> locations;

FAST uint32_t warp_of(uint32_t unit) { return unit < WARP ? unit / 32 : unit - WARP; }

static void join(Clock& to, const Clock& from) {
    for (const auto& entry : from) {
        uint64_t& time = to[entry.first];
        if (time < entry.second) time = entry.second;
    }
}

static bool covers(const Clock& clock, const Access& access) {
    for (uint32_t unit : { access.unit, WARP + warp_of(access.unit), BLOCK }) {
        auto at = clock.find({ access.block, unit });
        if (at != clock.end() && access.time < at->second) return true;
    }
    return false;
}

// Returns true if an access happens before the current operation of a unit of this block.
FAST bool happens_before(const Access& access, uint32_t unit, uint64_t since) {
    if (access.time < since) return true;
    if (access.block == number) {
        if (access.unit == unit && unit < WARP) return true;
        if (access.time < block_barrier_time) return true;
        if (access.unit != COPY && warp_of(access.unit) == warp_of(unit) && access.time < warp_barrier_time[warp_of(unit)]) return true;
    }
    return has_clocks && covers(thread_clocks[current].acquired, access);
}

// Returns the distance of the units of two accesses: 0 same unit, 1 same warp, 2 same block, 3 different blocks.
FAST int relation(const Access& one, const Access& other) {
    if (one.block != other.block) return 3;
    if (one.unit == other.unit) return 0;
    return warp_of(one.unit) == warp_of(other.unit) ? 1 : 2;
}

// Inserts an access into the latest ones. The previous latest one becomes the latest at its distance from the new one.
FAST void insert_access(Access (&latest)[4], const Access& access) {
    const Access before = latest[0];
    const int close = relation(access, before);
    if (close > 1) {
        const Access far = latest[close];
        const int farther = relation(access, far);
        latest[1].time = 0;
        if (close == 3) latest[2].time = 0;
        if (farther && farther < close) latest[farther] = far;
    }
    if (close) latest[close] = before;
    latest[0] = access;
}

static void race(const Access& access, uint32_t unit, const char* did, const char* does, bool is_shared) {
    static char text[256];
    auto name = [](uint32_t unit, char* to) {
        if (unit == COPY) snprintf(to, 32, "an asynchronous copy");
        else snprintf(to, 32, unit < WARP ? "thread %u" : "warp %u", unit < WARP ? unit : unit - WARP);
    };
    char first[32], second[32];
    name(access.unit, first);
    name(unit, second);
    snprintf(text, sizeof text, "%s of block %u %s %s memory that %s of block %u %s, and nothing orders them", second, number, does,
             is_shared ? "shared" : "global", first, access.block, did);
    if (!failure) failure = text;
}

// Finds the cells of some bytes, the time since which accesses to them count, and whether they are in shared memory.
// Returns false for memory that is not tracked.
FAST bool find(const char* at, size_t size, Cell*& first, Cell*& end, uint64_t& since, bool& is_shared) {
    Cell* cells = nullptr;
    size_t offset = at - shared;
    is_shared = offset < MAX_SHARED_BYTES;
    if (is_shared) {
        if (offset + size > shared_bytes && !failure) failure = "a thread goes beyond the shared memory of the kernel";
        cells = shared_cells;
        since = block_start;
    } else {
        if (at < lowest || at >= highest) return false;
        for (size_t i = 0; i < range_count; i++) {
            const Range& range = ranges[i];
            offset = at - range.start;
            if (offset >= range.length) continue;
            cells = global_cells + range.cell;
            since = launch_start;
            break;
        }
    }
    if (!cells) return false;
    first = cells + (offset >> element_log2);
    end = cells + ((offset + size - 1) >> element_log2) + 1;
    return true;
}

void touch(const void* at, size_t size, bool writes, uint32_t unit) {
    Cell *cell, *end;
    uint64_t since;
    bool is_shared;
    if (!find(static_cast<const char*>(at), size, cell, end, since, is_shared)) return;
    const char* does = writes ? "writes" : "reads";
    const Access access = { now, number, unit };
    for (; cell < end; cell++) {
        if (!happens_before(cell->write, unit, since)) return race(cell->write, unit, "writes", does, is_shared);
        if (has_clocks) {
            auto atomic = locations.find(cell);
            if (atomic != locations.end())
                for (const Access& other : atomic->second.accesses)
                    if (!happens_before(other, unit, since)) return race(other, unit, "atomically updates", does, is_shared);
        }
        if (!writes) {
            insert_access(cell->reads, access);
            continue;
        }
        for (Access& read : cell->reads) {
            if (!happens_before(read, unit, since)) return race(read, unit, "reads", does, is_shared);
            read.time = 0;
        }
        cell->write = access;
    }
}

// Marks the destination of an asynchronous copy as incomplete or complete.
static void touch_pending(const void* at, size_t size, bool is_pending) {
    Cell *cell, *end;
    uint64_t since;
    bool is_shared;
    if (!find(static_cast<const char*>(at), size, cell, end, since, is_shared)) return;
    const Access pending = { INCOMPLETE, number, COPY }, done = { now, number, current };
    for (; cell < end; cell++) cell->write = is_pending ? pending : done;
}

void touch_atomically(const void* at, size_t size) {
    Cell *first, *end;
    uint64_t since;
    bool is_shared;
    if (!find(static_cast<const char*>(at), size, first, end, since, is_shared)) return;
    has_clocks = true;
    const Access access = { now++, number, current };
    for (Cell* cell = first; cell < end; cell++) {
        if (!happens_before(cell->write, current, since)) return race(cell->write, current, "writes", "atomically updates", is_shared);
        for (const Access& read : cell->reads)
            if (!happens_before(read, current, since)) return race(read, current, "reads", "atomically updates", is_shared);
        insert_access(locations[cell].accesses, access);
    }
    Location& location = locations[first];
    ThreadClocks& mine = thread_clocks[current];
    join(mine.read[IN_BLOCK], location.released_in[number]);
    join(mine.read[ON_DEVICE], location.released_in[number]);
    join(mine.read[ON_DEVICE], location.released);
    join(location.released_in[number], mine.fenced[IN_BLOCK]);
    join(location.released, mine.fenced[ON_DEVICE]);
}

void fence(Scope scope) {
    has_clocks = true;
    ThreadClocks& mine = thread_clocks[current];
    join(mine.acquired, mine.read[scope]);
    Clock all = mine.acquired;
    all[{ number, current }] = ++now;
    all[{ number, WARP + current / 32 }] = warp_barrier_time[current / 32];
    all[{ number, BLOCK }] = block_barrier_time;
    mine.fenced[IN_BLOCK] = all;
    if (scope == ON_DEVICE) mine.fenced[ON_DEVICE] = all;
}

// Threads [from, to) have passed a barrier: accesses that are visible to one become visible to all.
static void passed_barrier(unsigned from, unsigned to, bool is_block) {
    now++;
    for (unsigned warp = from / 32; warp < (to + 31) / 32; warp++) warp_barrier_time[warp] = now;
    if (is_block) block_barrier_time = now;
    if (!has_clocks) return;
    Clock all;
    for (unsigned i = from; i < to; i++) join(all, thread_clocks[i].acquired);
    for (unsigned i = from; i < to; i++) thread_clocks[i].acquired = all;
}

// Begins a launch that writes to these ranges. Accesses of earlier launches are ordered before it.
static bool begin_launch(const uint64_t* written, size_t count) {
    launch_start = ++now;
    locations.clear();
    if (has_clocks)
        for (ThreadClocks& thread : thread_clocks) thread = {};
    has_clocks = false;
    size_t cells = 0;
    free(ranges);
    ranges = static_cast<Range*>(calloc(count + 1, sizeof(Range)));
    range_count = ranges ? count : 0;
    lowest = highest = nullptr;
    for (size_t i = 0; i < range_count; i++) {
        ranges[i] = { reinterpret_cast<char*>(written[2 * i]), written[2 * i + 1], cells };
        cells += (written[2 * i + 1] >> element_log2) + 1;
        if (!i || ranges[i].start < lowest) lowest = ranges[i].start;
        if (ranges[i].start + ranges[i].length > highest) highest = ranges[i].start + ranges[i].length;
    }
    // Pages that are never touched consume no memory.
    auto take = [](size_t cells) -> Cell* {
        void* taken = mmap(nullptr, cells * sizeof(Cell), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return taken == MAP_FAILED ? nullptr : static_cast<Cell*>(taken);
    };
    if (!shared_cells) shared_cells = take(MAX_SHARED_BYTES);
    if (cells > reserved) {
        if (global_cells) munmap(global_cells, reserved * sizeof(Cell));
        global_cells = take(cells);
        reserved = global_cells ? cells : 0;
    }
    return ranges && shared_cells && (global_cells || !cells);
}

// Ends a launch: releases large tables of cells.
static void end_launch() {
    const size_t MAX_RETAINED_CELLS = 1 << 20;
    if (reserved <= MAX_RETAINED_CELLS) return;
    munmap(global_cells, reserved * sizeof(Cell));
    global_cells = nullptr;
    reserved = 0;
}

// Begins the block of this number.
static void begin_block(uint32_t block) {
    number = block;
    block_start = block_barrier_time = ++now;
    for (uint64_t& time : warp_barrier_time) time = now;
    if (!has_clocks) return;
    for (ThreadClocks& thread : thread_clocks) thread = {};
    locations.erase(locations.lower_bound(shared_cells), locations.lower_bound(shared_cells + MAX_SHARED_BYTES));
}

} // namespace shim

// The compiler inserts these calls at every memory access, as for ThreadSanitizer.
#define SHIM_ACCESS(name, size, writes) \
    extern "C" void __tsan_##name(void* at) { shim::touch(at, size, writes, shim::current); }
SHIM_ACCESS(read1, 1, false) SHIM_ACCESS(read2, 2, false) SHIM_ACCESS(read4, 4, false) SHIM_ACCESS(read8, 8, false)
SHIM_ACCESS(read16, 16, false) SHIM_ACCESS(write1, 1, true) SHIM_ACCESS(write2, 2, true) SHIM_ACCESS(write4, 4, true)
SHIM_ACCESS(write8, 8, true) SHIM_ACCESS(write16, 16, true) SHIM_ACCESS(unaligned_read2, 2, false) SHIM_ACCESS(unaligned_read4, 4, false)
SHIM_ACCESS(unaligned_read8, 8, false) SHIM_ACCESS(unaligned_read16, 16, false) SHIM_ACCESS(unaligned_write2, 2, true)
SHIM_ACCESS(unaligned_write4, 4, true) SHIM_ACCESS(unaligned_write8, 8, true) SHIM_ACCESS(unaligned_write16, 16, true)
extern "C" void __tsan_read_range(void* at, size_t size) { shim::touch(at, size, false, shim::current); }
extern "C" void __tsan_write_range(void* at, size_t size) { shim::touch(at, size, true, shim::current); }
extern "C" void __tsan_func_entry(void*) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_init() {}
