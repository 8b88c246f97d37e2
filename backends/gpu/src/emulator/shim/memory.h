// The memory consistency model of the PTX ISA, on accesses as they happen. Two accesses to the same memory, at least one of which writes, must
// be ordered: by the program of one thread, by a barrier that both threads have met at, or by fences around atomic operations through
// which one thread learns of the other. Accesses that are not ordered are a race, which is an error in whatever order they happen here.

namespace shim {

// An access: when and by whom. Time advances with all that synchronizes.
struct Access {
    uint64_t time;
    uint32_t block, unit;
};

// Units that are no threads. Of an instruction of a whole warp nobody knows which lane accesses what.
static const uint32_t WARP = MOST, COPY = WARP + 32, BLOCK = COPY + 1;

// The time of what is not done yet.
static const uint64_t NEVER = ~0ull;

// The accesses to some bytes: the latest write, and the latest reads after it: the very latest, that of another unit of its warp, of another
// warp of its block, and of another block. Whoever is ordered after these is ordered after all.
struct Cell {
    Access write, reads[4];
};

// Up to when a thread knows of the accesses of units, warps and blocks.
typedef std::map<std::pair<uint32_t, uint32_t>, uint64_t> Clock;

// Of whom a fence makes accesses known.
enum Scope { IN_BLOCK, ON_DEVICE };

// What a thread knows of others, what it has read of them but not fenced, and what it lets others know by what it writes behind a fence.
struct Knowledge {
    Clock acquired, read[2], fenced[2];
};

// What is accessed by atomic operations: the latest of them as of reads, and what they let others know: all, and those of one block.
struct Location {
    Access accesses[4];
    Clock released;
    std::map<uint32_t, Clock> released_in;
};

// Memory that is looked after, and its first cell.
struct Range {
    char* start;
    size_t length, cell;
};

static uint64_t now = 1, launched, entered, block_met, warp_met[MOST / 32];
static uint32_t number;
static Cell *shared_cells, *global_cells;
static size_t reserved;
static Range* ranges;
static size_t range_count;
// From the first to the last byte of all ranges.
static char *lowest, *highest;
static unsigned grain;
static bool has_knowledge;
static Knowledge knowledge[MOST];
static std::map<const Cell*, Location> locations;

SHIM_FAST static uint32_t warp_of(uint32_t unit) { return unit < WARP ? unit / 32 : unit - WARP; }

SHIM_PLAIN static void join(Clock& to, const Clock& from) {
    for (const auto& entry : from) {
        uint64_t& time = to[entry.first];
        if (time < entry.second) time = entry.second;
    }
}

SHIM_PLAIN static bool covers(const Clock& clock, const Access& access) {
    for (uint32_t unit : { access.unit, WARP + warp_of(access.unit), BLOCK }) {
        auto at = clock.find({ access.block, unit });
        if (at != clock.end() && access.time < at->second) return true;
    }
    return false;
}

// Whether an access comes before what a unit of this block does now.
SHIM_FAST static bool is_before(const Access& access, uint32_t unit, uint64_t since) {
    if (access.time < since) return true;
    if (access.block == number) {
        if (access.unit == unit && unit < WARP) return true;
        if (access.time < block_met) return true;
        if (access.unit != COPY && warp_of(access.unit) == warp_of(unit) && access.time < warp_met[warp_of(unit)]) return true;
    }
    return has_knowledge && covers(knowledge[current].acquired, access);
}

// How close the units of two accesses are: the same, of a warp, of a block, of different blocks.
SHIM_FAST static int relation(const Access& one, const Access& other) {
    if (one.block != other.block) return 3;
    if (one.unit == other.unit) return 0;
    return warp_of(one.unit) == warp_of(other.unit) ? 1 : 2;
}

// Notes an access among the latest ones. The very latest one before is the latest of all that are as close to this one as it is.
SHIM_FAST static void note(Access (&latest)[4], const Access& access) {
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

SHIM_PLAIN static void race(const Access& access, uint32_t unit, const char* did, const char* does, bool is_shared) {
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

// The cells of some bytes, the time since which accesses to them count, and whether they are shared memory; none if nobody looks after them.
SHIM_FAST static bool find(const char* at, size_t size, Cell*& first, Cell*& end, uint64_t& since, bool& is_shared) {
    Cell* cells = nullptr;
    size_t offset = at - shared;
    is_shared = offset < SHARED;
    if (is_shared) {
        if (offset + size > shared_bytes && !failure) failure = "a thread goes beyond the shared memory of the kernel";
        cells = shared_cells;
        since = entered;
    } else {
        if (at < lowest || at >= highest) return false;
        for (size_t i = 0; i < range_count; i++) {
            const Range& range = ranges[i];
            offset = at - range.start;
            if (offset >= range.length) continue;
            cells = global_cells + range.cell;
            since = launched;
            break;
        }
    }
    if (!cells) return false;
    first = cells + (offset >> grain);
    end = cells + ((offset + size - 1) >> grain) + 1;
    return true;
}

// An access to memory, by a unit of this block.
SHIM_PLAIN static void touch(const void* at, size_t size, bool writes, uint32_t unit) {
    Cell *cell, *end;
    uint64_t since;
    bool is_shared;
    if (!find(static_cast<const char*>(at), size, cell, end, since, is_shared)) return;
    const char* does = writes ? "writes" : "reads";
    const Access access = { now, number, unit };
    for (; cell < end; cell++) {
        if (!is_before(cell->write, unit, since)) return race(cell->write, unit, "writes", does, is_shared);
        if (has_knowledge) {
            auto atomic = locations.find(cell);
            if (atomic != locations.end())
                for (const Access& other : atomic->second.accesses)
                    if (!is_before(other, unit, since)) return race(other, unit, "changes at once", does, is_shared);
        }
        if (!writes) {
            note(cell->reads, access);
            continue;
        }
        for (Access& read : cell->reads) {
            if (!is_before(read, unit, since)) return race(read, unit, "reads", does, is_shared);
            read.time = 0;
        }
        cell->write = access;
    }
}

// What an asynchronous copy is going to write, until that is there.
SHIM_PLAIN static void touch_pending(const void* at, size_t size, bool is_pending) {
    Cell *cell, *end;
    uint64_t since;
    bool is_shared;
    if (!find(static_cast<const char*>(at), size, cell, end, since, is_shared)) return;
    const Access pending = { NEVER, number, COPY }, done = { now, number, current };
    for (; cell < end; cell++) cell->write = is_pending ? pending : done;
}

// A relaxed atomic operation on the device: it may happen while others do, but not while something else is done with that memory. What it
// reads lets the thread know what others wrote before their fences, once it has a fence itself.
SHIM_PLAIN static void touch_atomically(const void* at, size_t size) {
    Cell *first, *end;
    uint64_t since;
    bool is_shared;
    if (!find(static_cast<const char*>(at), size, first, end, since, is_shared)) return;
    has_knowledge = true;
    const Access access = { now++, number, current };
    for (Cell* cell = first; cell < end; cell++) {
        if (!is_before(cell->write, current, since)) return race(cell->write, current, "writes", "changes at once", is_shared);
        for (const Access& read : cell->reads)
            if (!is_before(read, current, since)) return race(read, current, "reads", "changes at once", is_shared);
        note(locations[cell].accesses, access);
    }
    Location& location = locations[first];
    Knowledge& mine = knowledge[current];
    join(mine.read[IN_BLOCK], location.released_in[number]);
    join(mine.read[ON_DEVICE], location.released_in[number]);
    join(mine.read[ON_DEVICE], location.released);
    join(location.released_in[number], mine.fenced[IN_BLOCK]);
    join(location.released, mine.fenced[ON_DEVICE]);
}

// A fence: what was read before it is known behind it, and what is written behind it lets others know all that is known here.
SHIM_PLAIN static void fence(Scope scope) {
    has_knowledge = true;
    Knowledge& mine = knowledge[current];
    join(mine.acquired, mine.read[scope]);
    Clock all = mine.acquired;
    all[{ number, current }] = ++now;
    all[{ number, WARP + current / 32 }] = warp_met[current / 32];
    all[{ number, BLOCK }] = block_met;
    mine.fenced[IN_BLOCK] = all;
    if (scope == ON_DEVICE) mine.fenced[ON_DEVICE] = all;
}

// Threads [from, to) have met at a barrier: each of them knows what all of them did and knew.
SHIM_PLAIN static void met(unsigned from, unsigned to, bool is_block) {
    now++;
    for (unsigned warp = from / 32; warp < (to + 31) / 32; warp++) warp_met[warp] = now;
    if (is_block) block_met = now;
    if (!has_knowledge) return;
    Clock all;
    for (unsigned i = from; i < to; i++) join(all, knowledge[i].acquired);
    for (unsigned i = from; i < to; i++) knowledge[i].acquired = all;
}

// A launch begins, which writes to these ranges: what was before is before it.
SHIM_PLAIN static bool begin_launch(const uint64_t* written, size_t count) {
    launched = ++now;
    locations.clear();
    if (has_knowledge)
        for (Knowledge& thread : knowledge) thread = {};
    has_knowledge = false;
    size_t cells = 0;
    free(ranges);
    ranges = static_cast<Range*>(calloc(count + 1, sizeof(Range)));
    range_count = ranges ? count : 0;
    lowest = highest = nullptr;
    for (size_t i = 0; i < range_count; i++) {
        ranges[i] = { reinterpret_cast<char*>(written[2 * i]), written[2 * i + 1], cells };
        cells += (written[2 * i + 1] >> grain) + 1;
        if (!i || ranges[i].start < lowest) lowest = ranges[i].start;
        if (ranges[i].start + ranges[i].length > highest) highest = ranges[i].start + ranges[i].length;
    }
    // Memory that was never touched is not there.
    auto take = [](size_t cells) -> Cell* {
        void* taken = mmap(nullptr, cells * sizeof(Cell), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        return taken == MAP_FAILED ? nullptr : static_cast<Cell*>(taken);
    };
    if (!shared_cells) shared_cells = take(SHARED);
    if (cells > reserved) {
        if (global_cells) munmap(global_cells, reserved * sizeof(Cell));
        global_cells = take(cells);
        reserved = global_cells ? cells : 0;
    }
    return ranges && shared_cells && (global_cells || !cells);
}

// A launch ends: what was noted of much memory is given back.
SHIM_PLAIN static void end_launch() {
    const size_t MUCH = 1 << 20;
    if (reserved <= MUCH) return;
    munmap(global_cells, reserved * sizeof(Cell));
    global_cells = nullptr;
    reserved = 0;
}

// The block of that number begins.
SHIM_PLAIN static void begin_block(uint32_t block) {
    number = block;
    entered = block_met = ++now;
    for (uint64_t& time : warp_met) time = now;
    if (!has_knowledge) return;
    for (Knowledge& thread : knowledge) thread = {};
    locations.erase(locations.lower_bound(shared_cells), locations.lower_bound(shared_cells + SHARED));
}

} // namespace shim

// The compiler tells of all accesses to memory by these calls, as to ThreadSanitizer.
#define SHIM_ACCESS(name, size, writes) \
    extern "C" SHIM_PLAIN void __tsan_##name(void* at) { shim::touch(at, size, writes, shim::current); }
SHIM_ACCESS(read1, 1, false) SHIM_ACCESS(read2, 2, false) SHIM_ACCESS(read4, 4, false) SHIM_ACCESS(read8, 8, false)
SHIM_ACCESS(read16, 16, false) SHIM_ACCESS(write1, 1, true) SHIM_ACCESS(write2, 2, true) SHIM_ACCESS(write4, 4, true)
SHIM_ACCESS(write8, 8, true) SHIM_ACCESS(write16, 16, true) SHIM_ACCESS(unaligned_read2, 2, false) SHIM_ACCESS(unaligned_read4, 4, false)
SHIM_ACCESS(unaligned_read8, 8, false) SHIM_ACCESS(unaligned_read16, 16, false) SHIM_ACCESS(unaligned_write2, 2, true)
SHIM_ACCESS(unaligned_write4, 4, true) SHIM_ACCESS(unaligned_write8, 8, true) SHIM_ACCESS(unaligned_write16, 16, true)
extern "C" SHIM_PLAIN void __tsan_read_range(void* at, size_t size) { shim::touch(at, size, false, shim::current); }
extern "C" SHIM_PLAIN void __tsan_write_range(void* at, size_t size) { shim::touch(at, size, true, shim::current); }
extern "C" SHIM_PLAIN void __tsan_func_entry(void*) {}
extern "C" SHIM_PLAIN void __tsan_func_exit() {}
extern "C" SHIM_PLAIN void __tsan_init() {}
