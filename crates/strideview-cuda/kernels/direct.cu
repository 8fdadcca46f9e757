// Copies whose vectors lie together in the destination: runs, padded rows, gathers, fills.
//
// A tile is a box of vectors, taken along up to four axes in the order of the destination.
#include "job.cuh"

// An axis of the box, in bytes.
struct BoxAxis {
    Divisor extent;
    u32 last;
    i64 dst, src;
};

struct DirectJob {
    u64 dst, src;
    u64 src_low, src_high;
    i64 item_stride;
    i64 run_bytes;
    // Where a whole tile reads, from the address of its first vector.
    i64 first_byte, last_byte;
    u32 tiles, outer_count;
    u32 vectors, axes;
    u32 along_run;
    BoxAxis box[4];
    Outer outer[MOST_OUTER];
};

constexpr u64 NOWHERE = ~0ull;

// The offsets of a vector of the box; NOWHERE for one that is not there.
__device__ __forceinline__ void find(const DirectJob& job, u32 index, u32 edges, u64& dst, u64& src, u32& first) {
    if (index >= job.vectors) {
        dst = NOWHERE;
        return;
    }
    bool is_there = true;
    dst = src = 0;
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
        if (i < job.axes) {
            const BoxAxis& axis = job.box[i];
            u32 rest = divide(index, axis.extent);
            u32 at = index - rest * axis.extent.value;
            index = rest;
            dst += at * axis.dst;
            src += at * axis.src;
            if (i == 0) first = at;
            is_there = is_there && !((edges >> (i + 1) & 1) && at >= axis.last);
        }
    }
    if (!is_there) dst = NOWHERE;
}

// How the items of a vector lie in the source.
enum Mode { SAME, SPLAT, REVERSED, SPREAD };

template <int BYTES, int ITEM, Mode MODE>
__device__ __forceinline__ Word<BYTES> gather(u64 src, i64 item_stride) {
    if constexpr (MODE == SAME || BYTES == ITEM) {
        return load<BYTES>(src);
    } else if constexpr (MODE == SPLAT) {
        if constexpr (ITEM == 8) {
            uint2 item = load<8>(src);
            return make_uint4(item.x, item.y, item.x, item.y);
        } else {
            u32 item = load<ITEM>(src);
            if constexpr (ITEM == 1) item *= 0x01010101u;
            if constexpr (ITEM == 2) item *= 0x00010001u;
            return make_uint4(item, item, item, item);
        }
    } else if constexpr (MODE == REVERSED) {
        // `src` is the address of the item for the first place, the last of the vector.
        uint4 v = load<16>(src + ITEM - 16);
        if constexpr (ITEM == 8) return make_uint4(v.z, v.w, v.x, v.y);
        u32 order = ITEM == 1 ? 0x0123 : ITEM == 2 ? 0x1032 : 0x3210;
        return make_uint4(__byte_perm(v.w, 0, order), __byte_perm(v.z, 0, order),
                          __byte_perm(v.y, 0, order), __byte_perm(v.x, 0, order));
    } else {
        uint4 vector = make_uint4(0, 0, 0, 0);
#pragma unroll
        for (int i = 0; i < BYTES / ITEM; i++) {
            if constexpr (ITEM == 8) {
                uint2 item = load<8>(src + i * item_stride);
                word_of(vector, 2 * i) = item.x;
                word_of(vector, 2 * i + 1) = item.y;
            } else {
                u32 item = load<ITEM>(src + i * item_stride);
                word_of(vector, i * ITEM / 4) |= item << (i * ITEM % 4 * 8);
            }
        }
        return vector;
    }
}

// Moves vectors of BYTES bytes, COUNT for each thread of a tile.
template <int BYTES, int ITEM, Mode MODE, int COUNT>
__device__ __forceinline__ void direct(const DirectJob& job) {
    u64 to[COUNT], from[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
        u32 first;
        find(job, k * THREADS + threadIdx.x, 0, to[k], from[k], first);
    }
    for (u32 tile = blockIdx.x; tile < job.tiles; tile += gridDim.x) {
        u64 dst = job.dst, src = job.src;
        u32 edges = place(job.outer, job.outer_count, tile, dst, src);
        Word<BYTES> vectors[COUNT];
        if (edges == 0) {
#pragma unroll
            for (int k = 0; k < COUNT; k++) {
                if (to[k] != NOWHERE) vectors[k] = gather<BYTES, ITEM, MODE>(src + from[k], job.item_stride);
            }
#pragma unroll
            for (int k = 0; k < COUNT; k++) {
                if (to[k] != NOWHERE) store<BYTES>(dst + to[k], vectors[k]);
            }
        } else {
#pragma unroll
            for (int k = 0; k < COUNT; k++) {
                u64 at_dst, at_src;
                u32 first;
                find(job, k * THREADS + threadIdx.x, edges, at_dst, at_src, first);
                if (at_dst != NOWHERE) store<BYTES>(dst + at_dst, gather<BYTES, ITEM, MODE>(src + at_src, job.item_stride));
            }
        }
    }
}

// Runs of any length at any address: axis 0 of the box counts chunks of 16 bytes of a run, from the
// multiple of 128 at or before its first byte in the destination. Where a run has more chunks than a
// tile, the first outer axis goes on along it. WORDS: runs begin and end at multiples of 4 on both sides.
template <bool WORDS, int COUNT> __device__ __forceinline__ void shifted(const DirectJob& job) {
    for (u32 tile = blockIdx.x; tile < job.tiles; tile += gridDim.x) {
        u64 dst = job.dst, src = job.src;
        u32 edges = place(job.outer, job.outer_count, tile, dst, src);
        i64 before_tile = 0;
        if (job.along_run) {
            u32 rest = divide(tile, job.outer[0].tiles);
            before_tile = i64(tile - rest * job.outer[0].tiles.value) * job.box[0].extent.value * 16;
        }
        // In the inside of the source all words are read, whatever of them is used.
        bool is_inside = src + job.first_byte - 144 >= job.src_low && src + job.last_byte + 32 <= job.src_high;
        u64 to[COUNT];
        Words words[COUNT];
        u32 first[COUNT], last[COUNT], shifts[COUNT];
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            u64 at_dst, at_src;
            u32 chunk = 0;
            first[k] = last[k] = shifts[k] = 0;
            find(job, k * THREADS + threadIdx.x, edges, at_dst, at_src, chunk);
            // The first byte of the run tells where its chunks are.
            u32 before = (u32(dst + at_dst) - u32(before_tile) - chunk * 16) & 127;
            i64 offset = before_tile + chunk * 16 - before;
            to[k] = dst + at_dst - before;
            if (at_dst == NOWHERE || offset >= job.run_bytes || offset <= -16) continue;
            first[k] = offset < 0 ? u32(-offset) : 0;
            last[k] = job.run_bytes - offset < 16 ? u32(job.run_bytes - offset) : 16;
            u64 address = src + at_src - before;
            u32* word = words[k].word;
            if constexpr (WORDS) {
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    if (first[k] <= 4 * i && last[k] > 4 * i) word[i] = load<4>(address + 4 * i);
                }
            } else if (is_inside) {
                shifts[k] = u32(address);
                words[k].load_around(address);
            } else {
                uint4 bytes = load_bytes(address, first[k], last[k]);
                word[0] = bytes.x, word[1] = bytes.y, word[2] = bytes.z, word[3] = bytes.w;
            }
        }
#pragma unroll
        for (int k = 0; k < COUNT; k++) {
            uint4 vector = words[k].shifted(shifts[k]);
            if (last[k] - first[k] == 16) store<16>(to[k], vector);
            else if (last[k] != 0) store_part(to[k], vector, first[k], last[k]);
        }
    }
}

#define DIRECT(NAME, BYTES, ITEM, MODE, COUNT)                                                        \
    extern "C" __global__ void __launch_bounds__(THREADS, 4)                                          \
        NAME(const __grid_constant__ DirectJob job) {                                                 \
        direct<BYTES, ITEM, MODE, COUNT>(job);                                                        \
    }

DIRECT(direct_1, 1, 1, SAME, 8)
DIRECT(direct_2, 2, 2, SAME, 8)
DIRECT(direct_4, 4, 4, SAME, 8)
DIRECT(direct_8, 8, 8, SAME, 8)
DIRECT(direct_16, 16, 16, SAME, 4)
DIRECT(splat_1, 16, 1, SPLAT, 4)
DIRECT(splat_2, 16, 2, SPLAT, 4)
DIRECT(splat_4, 16, 4, SPLAT, 4)
DIRECT(splat_8, 16, 8, SPLAT, 4)
DIRECT(reversed_1, 16, 1, REVERSED, 4)
DIRECT(reversed_2, 16, 2, REVERSED, 4)
DIRECT(reversed_4, 16, 4, REVERSED, 4)
DIRECT(reversed_8, 16, 8, REVERSED, 4)
DIRECT(spread_1, 16, 1, SPREAD, 2)
DIRECT(spread_2, 16, 2, SPREAD, 2)
DIRECT(spread_4, 16, 4, SPREAD, 4)
DIRECT(spread_8, 16, 8, SPREAD, 4)

extern "C" __global__ void __launch_bounds__(THREADS, 5) shifted_4(const __grid_constant__ DirectJob job) {
    shifted<true, 4>(job);
}

extern "C" __global__ void __launch_bounds__(THREADS, 4) shifted_1(const __grid_constant__ DirectJob job) {
    shifted<false, 4>(job);
}

static_assert(sizeof(DirectJob) == 88 + 4 * 32 + 12 * 32, "as in job.rs");
