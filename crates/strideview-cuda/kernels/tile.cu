// Permutations of items of ITEM bytes: the axis that is dense in the source (P) and the one that is
// dense in the destination (Q) are not the same. A tile of both is read along P and written along Q,
// by way of shared memory.
//
// In shared memory a tile is p_items rows of q_items items, in cells of at least four bytes: items of
// one or two bytes are transposed in registers, so that a cell holds neighbours along Q. Cells of a row
// are exchanged (an exclusive or of their place with the row) so that neither side waits for a bank.
//
// A block walks tiles; where each of its threads reads and writes in a tile is found once.
#include "job.cuh"

// Items along one of the axes that P or Q are made of, and the distance between them on the other
// side, in items.
struct TileAxis {
    Divisor extent;
    i32 stride;
};

struct TileJob {
    u64 dst, src;
    u64 src_low, src_high;
    u32 tiles, outer_count;
    u32 p_items, q_items;
    u32 p_last, q_last;
    u32 p_axes, q_axes;
    i32 p_step, q_step;
    u32 row_bytes, buffer_bytes;
    Divisor vectors, chunks;
    u32 by_eight, exchange_mask;
    // Where a whole tile reads, from the address of its first item.
    i64 first_byte, last_byte;
    // Where rows of the destination are not aligned, a tile reads so many items before its first column,
    // so that each row is written from a multiple of 32 bytes on: see `write_shifted`.
    u32 q_halo, q_extent;
    TileAxis p[4], q[4];
    Outer outer[MOST_OUTER];
};

// What of a tile is there: rows below `p`, columns from `q_first` to below `q`.
struct Limits {
    u32 p, q, q_first;
    bool is_first, is_whole;
};

constexpr i32 NONE = -0x7fffffff - 1;

__device__ __forceinline__ i32 along(const TileAxis* axes, u32 count, u32 index) {
    i32 offset = 0;
    for (u32 i = 0; i + 1 < count; i++) {
        u32 rest = divide(index, axes[i].extent);
        offset += i32(index - rest * axes[i].extent.value) * axes[i].stride;
        index = rest;
    }
    return offset + i32(index) * axes[count - 1].stride;
}

// A kernel for vectors of IN items in the source and OUT in the destination. SHIFTED: the vectors of
// a side have any alignment. A thread reads READS times (rows of a cell apart) and writes WRITES times.
template <int ITEM, int IN, int OUT, bool SHIFTED_IN, bool SHIFTED_OUT, int READS, int WRITES>
struct Tile {
    static constexpr int ROWS = ITEM < 4 ? 4 / ITEM : 1;
    static constexpr int CELL = ITEM < 4 ? 4 : ITEM;
    static constexpr int CELLS = IN;
    // Whether 16 bytes of a row stay together in shared memory.
    static constexpr bool QUADS = ITEM < 4 || IN * ITEM == 16;
    static constexpr int IN_BYTES = IN * ITEM;
    static constexpr int OUT_BYTES = OUT * ITEM;
    typedef Word<IN_BYTES> In;

    const TileJob& job;
    u8* cells;

    __device__ __forceinline__ u32 exchange(u32 row) const {
        return (row / IN & job.exchange_mask) * (QUADS ? 16 : CELL);
    }

    // The vector along P and the cell along Q of a read; false when there is none.
    __device__ __forceinline__ bool read_at(int k, u32& vector, u32& cell) const {
        u32 index = k * THREADS + threadIdx.x;
        if (job.by_eight) {
            u32 group = index >> 5;
            u32 rest = divide(group, job.vectors);
            vector = (index & 7) + 8 * (group - rest * job.vectors.value);
            cell = (index >> 3 & 3) + 4 * rest;
        } else {
            cell = divide(index, job.vectors);
            vector = index - cell * job.vectors.value;
        }
        return cell * ROWS < job.q_items;
    }

    // The row (along P) and the chunk of it (along Q) of a write.
    __device__ __forceinline__ bool write_at(int k, u32& row, u32& chunk) const {
        u32 index = k * THREADS + threadIdx.x;
        row = divide(index, job.chunks);
        chunk = index - row * job.chunks.value;
        return row < job.p_items;
    }

    // A side whose vectors have any alignment reads items of four bytes one by one, smaller ones as
    // words that it shifts.
    static constexpr bool FUNNELS = SHIFTED_IN && ITEM < 4;

    __device__ __forceinline__ In read(u64 address) const {
        if constexpr (FUNNELS) {
            return load_bytes(address, 0, 16);
        } else if constexpr (SHIFTED_IN) {
            return make_uint4(load<4>(address), load<4>(address + 4), load<4>(address + 8), load<4>(address + 12));
        } else {
            return load<IN_BYTES>(address);
        }
    }

    // Whether all aligned vectors that a tile touches lie in the span of the source.
    __device__ __forceinline__ bool is_inside(u64 src) const {
        if constexpr (!FUNNELS) return true;
        return src + job.first_byte - 16 >= job.src_low && src + job.last_byte + 32 <= job.src_high;
    }

    // The first `count` items of a vector.
    __device__ __forceinline__ In read_part(u64 address, u32 count) const {
        if constexpr (FUNNELS) {
            return load_bytes(address, 0, count * ITEM);
        } else {
            In vector;
            Word<ITEM>* items = reinterpret_cast<Word<ITEM>*>(&vector);
#pragma unroll
            for (int i = 0; i < IN; i++) {
                if (i < count) items[i] = load<ITEM>(address + i * ITEM);
            }
            return vector;
        }
    }

    // Puts the cells of some rows of vectors into shared memory; `at` is the place of the first.
    __device__ __forceinline__ void put(u32 at, In (&rows)[ROWS]) const {
        if constexpr (ITEM >= 4) {
            const Word<ITEM>* items = reinterpret_cast<const Word<ITEM>*>(&rows[0]);
#pragma unroll
            for (int i = 0; i < IN; i++) put_cell(at, i, items[i]);
        } else if constexpr (IN == 1) {
            u32 cell = 0;
#pragma unroll
            for (int r = 0; r < ROWS; r++) cell |= u32(rows[r]) << (r * ITEM * 8);
            put_cell(at, 0, cell);
        } else {
#pragma unroll
            for (int w = 0; w < 4; w++) {
                if constexpr (ITEM == 1) {
                    u32 a = word_of(rows[0], w), b = word_of(rows[1], w);
                    u32 c = word_of(rows[2], w), d = word_of(rows[3], w);
                    u32 ab = __byte_perm(a, b, 0x5140), cd = __byte_perm(c, d, 0x5140);
                    put_cell(at, 4 * w, __byte_perm(ab, cd, 0x5410));
                    put_cell(at, 4 * w + 1, __byte_perm(ab, cd, 0x7632));
                    ab = __byte_perm(a, b, 0x7362), cd = __byte_perm(c, d, 0x7362);
                    put_cell(at, 4 * w + 2, __byte_perm(ab, cd, 0x5410));
                    put_cell(at, 4 * w + 3, __byte_perm(ab, cd, 0x7632));
                } else {
                    u32 a = word_of(rows[0], w), b = word_of(rows[1], w);
                    put_cell(at, 2 * w, __byte_perm(a, b, 0x5410));
                    put_cell(at, 2 * w + 1, __byte_perm(a, b, 0x7632));
                }
            }
        }
    }

    __device__ __forceinline__ void put_cell(u32 at, int row, Word<CELL> cell) const {
        *reinterpret_cast<Word<CELL>*>(cells + at + row * job.row_bytes) = cell;
    }

    // 16 bytes of a row, `quad` of them before.
    __device__ __forceinline__ uint4 get_quad(u32 row, u32 quad) const {
        return *reinterpret_cast<const uint4*>(cells + row * job.row_bytes + (quad * 16 ^ exchange(row)));
    }

    // A vector of a row for the destination.
    __device__ __forceinline__ Word<OUT_BYTES> get(u32 at, u32 exchanged) const {
        if constexpr (QUADS || OUT_BYTES <= CELL) {
            return *reinterpret_cast<const Word<OUT_BYTES>*>(cells + (at ^ exchanged));
        } else {
            Word<OUT_BYTES> vector;
            Word<CELL>* parts = reinterpret_cast<Word<CELL>*>(&vector);
#pragma unroll
            for (int i = 0; i < OUT_BYTES / CELL; i++) {
                parts[i] = *reinterpret_cast<const Word<CELL>*>(cells + (at + i * CELL ^ exchanged));
            }
            return vector;
        }
    }

    // Writes a chunk of 16 bytes of a row. `address` is that of the first column of the tile; chunks are
    // counted from the multiple of 32 at or before it. With a halo, what lies before the first column is
    // written here and not by the tile before.
    __device__ __forceinline__ void write_shifted(u64 address, u32 row, u32 chunk, const Limits& limits) const {
        i32 offset = i32(chunk * 16) - i32(u32(address) & 31);
        i32 first = limits.is_first ? 0 : -32;
        i32 last = i32(limits.q - job.q_halo) * ITEM;
        if (offset + 16 <= first || offset >= last) return;
        i32 at = offset + i32(job.q_halo) * ITEM;
        i32 quad = at >> 4;
        u32 shift = at & 15;
        uint4 low = make_uint4(0, 0, 0, 0), high = low;
        if (quad >= 0) low = get_quad(row, quad);
        if (u32(quad + 1) * 16 < job.row_bytes) high = get_quad(row, quad + 1);
        uint4 vector = funnel(low, high, shift);
        u64 to = address + offset;
        if (offset >= first && offset + 16 <= last) {
            store<16>(to, vector);
        } else {
            store_part(to, vector, offset < first ? first - offset : 0, last - offset < 16 ? last - offset : 16);
        }
    }

    // Which reads of a tile are there, a bit for each.
    __device__ __forceinline__ u32 there(const Limits& limits) const {
        u32 mask = 0;
#pragma unroll
        for (int k = 0; k < READS; k++) {
            u32 vector, cell;
            read_at(k, vector, cell);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                u32 column = cell * ROWS + r;
                bool is_there = column >= limits.q_first && column < limits.q && vector * IN < limits.p;
                mask |= u32(is_there) << (k * ROWS + r);
            }
        }
        return mask;
    }

    // Reads a tile, and moves the addresses to it; returns what of it is there.
    __device__ __forceinline__ Limits read_tile(u32 tile, u64& dst, u64& src, const i32 (&from)[READS * ROWS],
                                                In (&rows)[READS][ROWS]) const {
        dst = job.dst;
        src = job.src;
        u32 q_index = 0;
        u32 edges = place(job.outer, job.outer_count, tile, dst, src, q_index);
        Limits limits = {edges & 2 ? job.p_last : job.p_items, edges & 4 ? job.q_last : job.q_items, 0, true, false};
        if (SHIFTED_OUT && job.q_halo != 0) {
            u32 left = job.q_extent - q_index * (job.q_items - job.q_halo) + job.q_halo;
            limits.q = left < job.q_items ? left : job.q_items;
            limits.is_first = q_index == 0;
            if (limits.is_first) limits.q_first = job.q_halo;
        }
        limits.is_whole = limits.p == job.p_items && limits.q == job.q_items && limits.q_first == 0;
        // Vectors that are cut off are read item by item, unless what lies behind may be read as well.
        bool is_cut = IN > 1 && !FUNNELS && limits.p % IN != 0;
        if (is_inside(src) && !is_cut) {
            u32 mask = limits.is_whole ? ~0u : there(limits);
            if constexpr (FUNNELS) {
                Words words[READS][ROWS];
#pragma unroll
                for (int k = 0; k < READS; k++) {
#pragma unroll
                    for (int r = 0; r < ROWS; r++) {
                        i32 offset = from[k * ROWS + r];
                        if (offset != NONE && mask >> (k * ROWS + r) & 1) {
                            words[k][r].load_around(src + i64(offset) * ITEM);
                        }
                    }
                }
#pragma unroll
                for (int k = 0; k < READS; k++) {
#pragma unroll
                    for (int r = 0; r < ROWS; r++) {
                        rows[k][r] = words[k][r].shifted(u32(src) + u32(from[k * ROWS + r]) * ITEM);
                    }
                }
            } else {
#pragma unroll
                for (int k = 0; k < READS; k++) {
#pragma unroll
                    for (int r = 0; r < ROWS; r++) {
                        i32 offset = from[k * ROWS + r];
                        if (offset != NONE && mask >> (k * ROWS + r) & 1) rows[k][r] = read(src + i64(offset) * ITEM);
                    }
                }
            }
        } else {
#pragma unroll
            for (int k = 0; k < READS; k++) {
                u32 vector, cell;
                read_at(k, vector, cell);
                u32 row = vector * IN;
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    u32 column = cell * ROWS + r;
                    if (column < limits.q_first || column >= limits.q || row >= limits.p) continue;
                    u64 address = src + i64(from[k * ROWS + r]) * ITEM;
                    rows[k][r] = row + IN <= limits.p ? read(address) : read_part(address, limits.p - row);
                }
            }
        }
        return limits;
    }

    __device__ __forceinline__ void run(u8* shared) {
        i32 from[READS * ROWS], to[WRITES];
        u32 places[READS], takes[WRITES];
#pragma unroll
        for (int k = 0; k < READS; k++) {
            u32 vector, cell;
            bool is_read = read_at(k, vector, cell);
            u32 row = vector * IN;
            places[k] = row * job.row_bytes + (cell * CELL ^ exchange(row));
            // A thread that reads nothing puts nothing.
            if (!is_read) places[k] = ~0u;
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                u32 column = cell * ROWS + r;
                bool is_there = column < job.q_items;
                i32 offset = along(job.q, job.q_axes, column) - i32(job.q_halo) * job.q[0].stride;
                from[k * ROWS + r] = is_there ? i32(row) * job.p_step + offset : NONE;
            }
        }
#pragma unroll
        for (int k = 0; k < WRITES; k++) {
            u32 row, chunk;
            bool is_written = write_at(k, row, chunk);
            to[k] = is_written ? along(job.p, job.p_axes, row) : NONE;
            if constexpr (!SHIFTED_OUT) {
                if (is_written) to[k] += i32(chunk * OUT) * job.q_step;
                takes[k] = row * job.row_bytes + (chunk * OUT_BYTES ^ (QUADS || OUT_BYTES <= CELL ? exchange(row) : 0));
            }
        }
        In rows[READS][ROWS];
        u64 dst = 0, to_tile = 0;
        u32 next = blockIdx.x, half = 0;
        Limits limits = {}, limits_now = {};
        // While a tile is written, the next one is under way.
        for (bool is_read = false;; is_read = true) {
            if (is_read) {
                cells = shared + half;
                half ^= job.buffer_bytes;
#pragma unroll
                for (int k = 0; k < READS; k++) {
                    if (places[k] != ~0u) put(places[k], rows[k]);
                }
                __syncthreads();
                to_tile = dst;
                limits_now = limits;
            }
            bool is_next = next < job.tiles;
            if (is_next) {
                u64 src;
                limits = read_tile(next, dst, src, from, rows);
                next += gridDim.x;
            }
            if (is_read) write_tile(to_tile, limits_now, to, takes);
            if (!is_next) return;
        }
    }

    __device__ __forceinline__ void write_tile(u64 dst, const Limits& limits, const i32 (&to)[WRITES],
                                               const u32 (&takes)[WRITES]) const {
        if constexpr (SHIFTED_OUT) {
#pragma unroll
            for (int k = 0; k < WRITES; k++) {
                u32 row, chunk;
                write_at(k, row, chunk);
                if (to[k] == NONE || row >= limits.p) continue;
                write_shifted(dst + i64(to[k]) * ITEM, row, chunk, limits);
            }
        } else if (limits.is_whole) {
#pragma unroll
            for (int k = 0; k < WRITES; k++) {
                if (to[k] != NONE) store<OUT_BYTES>(dst + i64(to[k]) * ITEM, take(k, takes[k]));
            }
        } else {
#pragma unroll
            for (int k = 0; k < WRITES; k++) {
                u32 row, chunk;
                write_at(k, row, chunk);
                if (to[k] == NONE || row >= limits.p || chunk * OUT >= limits.q) continue;
                u64 address = dst + i64(to[k]) * ITEM;
                Word<OUT_BYTES> vector = take(k, takes[k]);
                if (chunk * OUT + OUT <= limits.q) {
                    store<OUT_BYTES>(address, vector);
                } else {
                    const Word<ITEM>* items = reinterpret_cast<const Word<ITEM>*>(&vector);
#pragma unroll
                    for (int i = 0; i < OUT; i++) {
                        if (chunk * OUT + i < limits.q) store<ITEM>(address + i * ITEM, items[i]);
                    }
                }
            }
        }
    }

    // What write `k` takes out of shared memory, from a place that has its exchange already where the
    // vector stays together there.
    __device__ __forceinline__ Word<OUT_BYTES> take(int k, u32 at) const {
        if constexpr (QUADS || OUT_BYTES <= CELL) {
            return get(at, 0);
        } else {
            u32 row, chunk;
            write_at(k, row, chunk);
            return get(at, exchange(row));
        }
    }
};

extern __shared__ __align__(128) u8 shared[];

#define TILE(NAME, ITEM, IN, OUT, SHIFTED_IN, SHIFTED_OUT, READS, WRITES, BLOCKS)                      \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                                     \
        NAME(const __grid_constant__ TileJob job) {                                                   \
        Tile<ITEM, IN, OUT, SHIFTED_IN, SHIFTED_OUT, READS, WRITES>{job, shared}.run(shared);          \
    }

#if ITEM_BYTES == 1
TILE(tile_1_v_v, 1, 16, 16, false, false, 1, 4, 4)
TILE(tile_1_v_s, 1, 16, 16, false, true, 1, 4, 4)
TILE(tile_1_s_v, 1, 16, 16, true, false, 1, 4, 3)
TILE(tile_1_s_s, 1, 16, 16, true, true, 1, 4, 3)
TILE(tile_1_1_v, 1, 1, 16, false, false, 4, 1, 3)
TILE(tile_1_1_s, 1, 1, 16, false, true, 4, 2, 3)
#elif ITEM_BYTES == 2
TILE(tile_2_v_v, 2, 8, 8, false, false, 2, 4, 4)
TILE(tile_2_v_s, 2, 8, 8, false, true, 2, 4, 4)
TILE(tile_2_s_v, 2, 8, 8, true, false, 2, 4, 3)
TILE(tile_2_s_s, 2, 8, 8, true, true, 2, 4, 3)
TILE(tile_2_1_v, 2, 1, 8, false, false, 8, 2, 3)
TILE(tile_2_1_s, 2, 1, 8, false, true, 8, 3, 3)
#elif ITEM_BYTES == 4
TILE(tile_4_v_v, 4, 4, 4, false, false, 4, 4, 4)
TILE(tile_4_v_v_5, 4, 4, 4, false, false, 5, 5, 3)
TILE(tile_4_v_1, 4, 4, 1, false, false, 4, 16, 3)
TILE(tile_4_1_v, 4, 1, 4, false, false, 16, 4, 3)
TILE(tile_4_1_1, 4, 1, 1, false, false, 16, 16, 2)
TILE(tile_4_2_v, 4, 2, 4, false, false, 9, 5, 3)
TILE(tile_4_2_1, 4, 2, 1, false, false, 8, 16, 2)
TILE(tile_4_v_s, 4, 4, 4, false, true, 4, 4, 4)
TILE(tile_4_s_v, 4, 4, 4, true, false, 4, 4, 4)
TILE(tile_4_s_s, 4, 4, 4, true, true, 4, 4, 4)
#elif ITEM_BYTES == 8
TILE(tile_8_v_v, 8, 2, 2, false, false, 4, 4, 4)
TILE(tile_8_v_1, 8, 2, 1, false, false, 4, 8, 4)
TILE(tile_8_1_v, 8, 1, 2, false, false, 8, 4, 4)
TILE(tile_8_1_1, 8, 1, 1, false, false, 8, 8, 3)
#elif ITEM_BYTES == 16
TILE(tile_16_v_v, 16, 1, 1, false, false, 4, 4, 4)
#endif

static_assert(sizeof(TileJob) == 648, "as in job.rs");
