// Transposes of long axes where the rows of the destination are not aligned: items of one or two bytes, P dense
// in the source and Q in the destination, as in tile.cu.
//
// A block takes a segment of a strip: some rows of the destination (along P), and of each as many columns
// (along Q) as `steps` steps have. Rows are put together in a ring in shared memory, of which two steps fit:
// while one is read, the other is kept, so that each row is written in whole vectors from a multiple of HALO
// bytes on, wherever that is. What is left of a row at the end of a segment is read again by the next one, as
// its halo.
//
// Rows of the ring are cells of four bytes, exchanged (an exclusive or of their place with the row) so that
// neither side waits for a bank.
#include "job.cuh"

// Items of a strip along P: rows of the ring.
constexpr u32 ROWS = 128;
constexpr u32 RING_BYTES = 256;
// Bytes of a row of the destination that a step has.
constexpr u32 STEP_BYTES = 128;
constexpr u32 HALO_BYTES = 32;

struct StripJob {
    u64 dst, src;
    u64 src_low, src_high;
    u32 tiles, outer_count;
    u32 p_items, p_last;
    u32 q_extent, steps;
    // Bytes between rows of the destination, and of the source.
    i64 dst_pitch, src_pitch;
    Outer outer[MOST_OUTER];
};

// IS_SHIFTED: the vectors of the source have any alignment.
template <int ITEM, bool IS_SHIFTED>
struct Strip {
    // Of a cell, along Q.
    static constexpr u32 CELL_ITEMS = 4 / ITEM;
    static constexpr u32 VECTOR_ITEMS = 16 / ITEM;
    static constexpr u32 VECTORS = ROWS / VECTOR_ITEMS;
    // Cells along Q that all threads together read at once.
    static constexpr u32 CELLS = THREADS / VECTORS;
    static constexpr u32 STEP_ITEMS = STEP_BYTES / ITEM;
    static constexpr u32 HALO_ITEMS = HALO_BYTES / ITEM;
    // How often each thread reads cells, and writes chunks of 16 bytes, in a step.
    static constexpr u32 READS = STEP_BYTES / 4 / CELLS;
    static constexpr u32 CHUNKS = STEP_BYTES / 16;
    static constexpr u32 WRITES = ROWS * CHUNKS / THREADS;

    const StripJob& job;
    u8* ring;
    // Of the segment: the first column, how many there are, and how many rows.
    u64 src, dst;
    u32 columns, rows;
    bool is_first, is_inside;
    // Where this thread reads.
    u32 vector, cell;
    uint4 low[READS][CELL_ITEMS], high[READS][CELL_ITEMS];

    __device__ __forceinline__ u64 address(i64 column) const { return src + column * job.src_pitch + vector * 16; }

    // Reads a cell of columns from `column` on, all of which are there, for `rows` rows.
    __device__ __forceinline__ void read_column(i64 column, uint4& low, uint4& high) const {
        u64 from = address(column);
        if (is_inside) {
            if constexpr (IS_SHIFTED) {
                u64 base = from & ~15ull;
                low = load<16>(base);
                high = load<16>(base + 16);
            } else {
                low = load<16>(from);
            }
        } else {
            u32 bytes = (rows - vector * VECTOR_ITEMS) * ITEM;
            low = load_bytes(from, 0, bytes < 16 ? bytes : 16);
        }
    }

    __device__ __forceinline__ void read(u32 first) {
        if (vector * VECTOR_ITEMS >= rows) return;
#pragma unroll
        for (u32 k = 0; k < READS; k++) {
#pragma unroll
            for (u32 r = 0; r < CELL_ITEMS; r++) {
                u32 column = first + (k * CELLS + cell) * CELL_ITEMS + r;
                if (column < columns) read_column(column, low[k][r], high[k][r]);
            }
        }
    }

    // What was read of a column: bytes of one vector.
    __device__ __forceinline__ uint4 shifted(i64 column, const uint4& low, const uint4& high) const {
        if constexpr (!IS_SHIFTED) return low;
        return is_inside ? funnel(low, high, u32(address(column)) & 15) : low;
    }

    // Puts the cell that begins at byte `place` of each row; `column` is its first one.
    __device__ __forceinline__ void put(u32 place, i64 column, const uint4 (&low)[CELL_ITEMS],
                                        const uint4 (&high)[CELL_ITEMS]) const {
        uint4 of[CELL_ITEMS];
#pragma unroll
        for (u32 r = 0; r < CELL_ITEMS; r++) of[r] = shifted(column + r, low[r], high[r]);
        u32 at = vector * VECTOR_ITEMS * RING_BYTES + (place ^ vector * VECTOR_ITEMS);
#pragma unroll
        for (int w = 0; w < 4; w++) {
            if constexpr (ITEM == 1) {
                u32 a = word_of(of[0], w), b = word_of(of[1], w), c = word_of(of[2], w), d = word_of(of[3], w);
                u32 ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
                put_cell(at, 4 * w, __byte_perm(ab, cd, 0x5410));
                put_cell(at, 4 * w + 1, __byte_perm(ab, cd, 0x7632));
                ab = __byte_perm(a, b, 0x7362), cd = __byte_perm(c, d, 0x7362);
                put_cell(at, 4 * w + 2, __byte_perm(ab, cd, 0x5410));
                put_cell(at, 4 * w + 3, __byte_perm(ab, cd, 0x7632));
            } else {
                u32 a = word_of(of[0], w), b = word_of(of[1], w);
                put_cell(at, 2 * w, __byte_perm(a, b, 0x5410));
                put_cell(at, 2 * w + 1, __byte_perm(a, b, 0x7632));
            }
        }
    }

    // Puts a cell into a row after that of `at`: rows are exchanged by (row / 4 ^ row % 4) cells.
    __device__ __forceinline__ void put_cell(u32 at, u32 row, u32 cell) const {
        *reinterpret_cast<u32*>(ring + (at ^ (row / 4 ^ row % 4) * 4) + row * RING_BYTES) = cell;
    }

    // Bytes `place` to `place + 15` of a row, around the ring.
    __device__ __forceinline__ uint4 get(u32 row, u32 place) const {
        u32 start = row * RING_BYTES ^ (row / 4 ^ row % 4) * 4;
        u32 words[5];
#pragma unroll
        for (int i = 0; i < 5; i++) {
            words[i] = *reinterpret_cast<const u32*>(ring + ((place + 4 * i & RING_BYTES - 4) ^ start));
        }
        u32 bits = (place & 3) * 8;
        return make_uint4(__funnelshift_r(words[0], words[1], bits), __funnelshift_r(words[1], words[2], bits),
                          __funnelshift_r(words[2], words[3], bits), __funnelshift_r(words[3], words[4], bits));
    }

    // Writes what of each row lies in the step of columns from `first` on, as if it began at the multiple
    // of HALO_BYTES before; the step is at `place` in the ring.
    __device__ __forceinline__ void write(u32 first, u32 place) const {
        i32 end = i32(columns - first) * ITEM;
        i32 start = is_first && first == 0 ? 0 : -i32(HALO_BYTES);
        u32 chunk = threadIdx.x % CHUNKS;
#pragma unroll
        for (u32 k = 0; k < WRITES; k++) {
            u32 row = threadIdx.x / CHUNKS + k * (THREADS / CHUNKS);
            if (row >= rows) continue;
            u64 to = dst + i64(row) * job.dst_pitch + u64(first) * ITEM;
            i32 offset = i32(chunk * 16) - i32(u32(to) & HALO_BYTES - 1);
            if (offset >= end || offset + 16 <= start) continue;
            uint4 vector = get(row, place + offset);
            if (offset >= start && offset + 16 <= end) {
                store<16>(to + offset, vector);
            } else {
                store_part(to + offset, vector, offset < start ? start - offset : 0, end - offset < 16 ? end - offset : 16);
            }
        }
    }

    // Goes to a segment; returns whether it is the last of its strip.
    __device__ __forceinline__ bool enter(u32 tile) {
        dst = job.dst;
        src = job.src;
        u32 segment = 0;
        u32 edges = place(job.outer, job.outer_count, tile, dst, src, segment);
        rows = edges & 2 ? job.p_last : job.p_items;
        u32 whole = job.steps * STEP_ITEMS;
        u32 left = job.q_extent - segment * whole;
        columns = left < whole ? left : whole;
        is_first = segment == 0;
        // Whole vectors may be read where they lie in the span of the source.
        i64 before = is_first ? 0 : -i64(HALO_ITEMS) * job.src_pitch, after = i64(columns - 1) * job.src_pitch;
        u64 from = src + (before < after ? before : after), to = src + (before < after ? after : before);
        is_inside = (from & ~15ull) >= job.src_low && to + rows * ITEM + 32 <= job.src_high;
        return left <= whole;
    }

    __device__ __forceinline__ void run() {
        vector = threadIdx.x % VECTORS;
        cell = threadIdx.x / VECTORS;
        for (u32 tile = blockIdx.x; tile < job.tiles; tile += gridDim.x) {
            bool is_last = enter(tile);
            if (!is_first && cell * 4 < HALO_BYTES && vector * VECTOR_ITEMS < rows) {
                i64 column = i64(cell * CELL_ITEMS) - HALO_ITEMS;
#pragma unroll
                for (u32 r = 0; r < CELL_ITEMS; r++) read_column(column + r, low[0][r], high[0][r]);
                put(RING_BYTES - HALO_BYTES + cell * 4, column, low[0], high[0]);
            }
            read(0);
            u32 first = 0, at = 0;
            for (; first < columns; first += STEP_ITEMS, at ^= STEP_BYTES) {
#pragma unroll
                for (u32 k = 0; k < READS; k++) {
                    u32 of = k * CELLS + cell;
                    put(at + of * 4, first + of * CELL_ITEMS, low[k], high[k]);
                }
                __syncthreads();
                if (first + STEP_ITEMS < columns) read(first + STEP_ITEMS);
                write(first, at);
                __syncthreads();
            }
            // What of the rows lies after the last whole step.
            if (is_last) {
                write(first, at);
                __syncthreads();
            }
        }
    }
};

extern __shared__ __align__(128) u8 shared[];

#define STRIP(NAME, ITEM, IS_SHIFTED)                                                                  \
    extern "C" __global__ void __launch_bounds__(THREADS, 3) NAME(const __grid_constant__ StripJob job) { \
        Strip<ITEM, IS_SHIFTED> strip{job, shared};                                                    \
        strip.run();                                                                                   \
    }

STRIP(strip_1_v, 1, false)
STRIP(strip_1_s, 1, true)
STRIP(strip_2_v, 2, false)
STRIP(strip_2_s, 2, true)

static_assert(sizeof(StripJob) == 456, "as in job.rs");
