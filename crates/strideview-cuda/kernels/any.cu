// Any copy at all, one item after the other: up to 65 axes, 64-bit counts and strides.
#include "job.cuh"

struct AnyAxis {
    u64 extent;
    i64 dst, src;
};

struct AnyJob {
    u64 dst, src;
    u64 items;
    u64 axes;
    // The innermost first.
    AnyAxis axis[65];
};

template <int ITEM> __device__ __forceinline__ void any(const AnyJob& job) {
    u64 step = u64(gridDim.x) * THREADS;
    for (u64 item = u64(blockIdx.x) * THREADS + threadIdx.x; item < job.items; item += step) {
        u64 dst = job.dst, src = job.src, index = item;
        for (u32 i = 0; i < job.axes; i++) {
            const AnyAxis& axis = job.axis[i];
            u64 rest = index / axis.extent;
            u64 at = index - rest * axis.extent;
            index = rest;
            dst += at * axis.dst;
            src += at * axis.src;
        }
        store<ITEM>(dst, load<ITEM>(src));
    }
}

#define ANY(ITEM)                                                                                     \
    extern "C" __global__ void __launch_bounds__(THREADS)                                             \
        any_##ITEM(const __grid_constant__ AnyJob job) {                                              \
        any<ITEM>(job);                                                                               \
    }

ANY(1)
ANY(2)
ANY(4)
ANY(8)
ANY(16)

static_assert(sizeof(AnyJob) == 32 + 65 * 24, "as in job.rs");
