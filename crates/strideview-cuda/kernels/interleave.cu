// Items that are interleaved on one side and lie in PLANES planes on the other: pixels to channels and
// back. A thread moves 16 bytes of each plane, which it permutes in registers; a warp passes them
// through shared memory so that it reads and writes whole lines.
#include "job.cuh"

struct InterleaveJob {
    u64 dst, src;
    i64 plane;
    u64 pixels;
    u32 tiles, outer_count;
    u32 along;
    Outer outer[MOST_OUTER];
};

// Byte `index` of an array of words, for indices known when compiling.
template <int FIRST, int STEP, int ITEM> struct Bytes {
    // Which byte of the input is byte `i` of the output, for outputs that gather every STEP-th item.
    static constexpr int of(int i) { return (FIRST + i / ITEM * STEP) * ITEM + i % ITEM; }
};

// A word of the bytes a, b, c, d of an array.
template <int A, int B, int C, int D> __device__ __forceinline__ u32 pick(const u32* words) {
    constexpr u32 select_ab = (A % 4) | (B % 4 + 4) << 4;
    constexpr u32 select_cd = (C % 4) | (D % 4 + 4) << 4;
    if constexpr (A % 4 == 0 && B == A + 1 && C == A + 2 && D == A + 3) return words[A / 4];
    u32 ab = __byte_perm(words[A / 4], words[B / 4], select_ab);
    u32 cd = __byte_perm(words[C / 4], words[D / 4], select_cd);
    return __byte_perm(ab, cd, 0x5410);
}

// Where byte `i` of the planes (16 bytes of each, one after the other) lies among the pixels.
template <int ITEM, int PLANES> __host__ __device__ constexpr int pixel_byte(int i) {
    return (i % 16 / ITEM * PLANES + i / 16) * ITEM + i % ITEM;
}

// Where byte `i` of the pixels lies in the planes.
template <int ITEM, int PLANES> __host__ __device__ constexpr int plane_byte(int i) {
    return i / ITEM % PLANES * 16 + i / ITEM / PLANES * ITEM + i % ITEM;
}

template <int ITEM, int PLANES, bool TO_PLANES, int I = 0>
__device__ __forceinline__ void permute(u32 (&out)[4 * PLANES], const u32 (&in)[4 * PLANES]) {
    if constexpr (I < 4 * PLANES) {
        if constexpr (TO_PLANES) {
            out[I] = pick<pixel_byte<ITEM, PLANES>(4 * I), pixel_byte<ITEM, PLANES>(4 * I + 1),
                          pixel_byte<ITEM, PLANES>(4 * I + 2), pixel_byte<ITEM, PLANES>(4 * I + 3)>(in);
        } else {
            out[I] = pick<plane_byte<ITEM, PLANES>(4 * I), plane_byte<ITEM, PLANES>(4 * I + 1),
                          plane_byte<ITEM, PLANES>(4 * I + 2), plane_byte<ITEM, PLANES>(4 * I + 3)>(in);
        }
        permute<ITEM, PLANES, TO_PLANES, I + 1>(out, in);
    }
}

// Vectors of 16 bytes of each plane that a thread moves in a tile.
constexpr int GROUPS = 2;

template <int ITEM, int PLANES, bool TO_PLANES> __device__ __forceinline__ void interleave(const InterleaveJob& job) {
    constexpr u32 PIXELS = 16 / ITEM;
    __shared__ uint4 staging[THREADS * PLANES];
    u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint4* stage = staging + warp * 32 * PLANES;
    for (u32 tile = blockIdx.x; tile < job.tiles; tile += gridDim.x) {
        u64 dst = job.dst, src = job.src;
        place(job.outer, job.outer_count, tile, dst, src);
        u64 before = 0;
        if (job.along) {
            u32 rest = divide(tile, job.outer[0].tiles);
            before = u64(tile - rest * job.outer[0].tiles.value) * (THREADS * GROUPS * PIXELS);
        }
        u64 pixels = job.pixels - before;
        uint4 vectors[GROUPS][PLANES];
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            u32 start = (warp * GROUPS + g) * 32;
#pragma unroll
            for (int k = 0; k < PLANES; k++) {
                if constexpr (TO_PLANES) {
                    u32 quad = start * PLANES + k * 32 + lane;
                    if (u64(quad + 1) * 16 <= pixels * (PLANES * ITEM)) vectors[g][k] = load<16>(src + u64(quad) * 16);
                } else {
                    u32 group = start + lane;
                    if (u64(group + 1) * PIXELS <= pixels) vectors[g][k] = load<16>(src + k * job.plane + u64(group) * 16);
                }
            }
        }
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            u32 start = (warp * GROUPS + g) * 32;
            u32 in[4 * PLANES], out[4 * PLANES];
            __syncwarp();
            if constexpr (TO_PLANES) {
#pragma unroll
                for (int k = 0; k < PLANES; k++) stage[k * 32 + lane] = vectors[g][k];
                __syncwarp();
#pragma unroll
                for (int k = 0; k < PLANES; k++) vectors[g][k] = stage[lane * PLANES + k];
            }
#pragma unroll
            for (int i = 0; i < 4 * PLANES; i++) in[i] = word_of(vectors[g][i / 4], i % 4);
            permute<ITEM, PLANES, TO_PLANES>(out, in);
#pragma unroll
            for (int k = 0; k < PLANES; k++) {
                vectors[g][k] = make_uint4(out[4 * k], out[4 * k + 1], out[4 * k + 2], out[4 * k + 3]);
            }
            if constexpr (!TO_PLANES) {
#pragma unroll
                for (int k = 0; k < PLANES; k++) stage[lane * PLANES + k] = vectors[g][k];
                __syncwarp();
#pragma unroll
                for (int k = 0; k < PLANES; k++) vectors[g][k] = stage[k * 32 + lane];
            }
#pragma unroll
            for (int k = 0; k < PLANES; k++) {
                if constexpr (TO_PLANES) {
                    u32 group = start + lane;
                    if (u64(group + 1) * PIXELS <= pixels) store<16>(dst + k * job.plane + u64(group) * 16, vectors[g][k]);
                } else {
                    // Whole groups only, since the staging holds nothing of others.
                    u32 quad = start * PLANES + k * 32 + lane;
                    if (u64(quad / PLANES + 1) * PIXELS <= pixels) store<16>(dst + u64(quad) * 16, vectors[g][k]);
                }
            }
        }
        // The pixels after the last whole group, one item for each thread.
        u64 whole = pixels / PIXELS;
        u32 rest = u32(pixels % PIXELS);
        if (whole < THREADS * GROUPS && threadIdx.x < rest * PLANES) {
            u64 pixel = whole * PIXELS + threadIdx.x / PLANES;
            u64 mixed = (whole * PIXELS * PLANES + threadIdx.x) * ITEM;
            u64 planar = threadIdx.x % PLANES * job.plane + pixel * ITEM;
            if constexpr (TO_PLANES) store<ITEM>(dst + planar, load<ITEM>(src + mixed));
            else store<ITEM>(dst + mixed, load<ITEM>(src + planar));
        }
    }
}

#define INTERLEAVE(ITEM, PLANES)                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS, 4)                                          \
        split_##ITEM##_##PLANES(const __grid_constant__ InterleaveJob job) {                          \
        interleave<ITEM, PLANES, true>(job);                                                          \
    }                                                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS, 4)                                          \
        join_##ITEM##_##PLANES(const __grid_constant__ InterleaveJob job) {                           \
        interleave<ITEM, PLANES, false>(job);                                                         \
    }

INTERLEAVE(1, 2)
INTERLEAVE(1, 3)
INTERLEAVE(1, 4)
INTERLEAVE(2, 2)
INTERLEAVE(2, 3)
INTERLEAVE(2, 4)
INTERLEAVE(4, 2)
INTERLEAVE(4, 3)
INTERLEAVE(4, 4)
INTERLEAVE(8, 2)
INTERLEAVE(8, 3)
INTERLEAVE(8, 4)

static_assert(sizeof(InterleaveJob) == 48 + 12 * 32, "as in job.rs");
