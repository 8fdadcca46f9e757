// What CUDA C++ has and C++ has not, for kernels that run on the host: see emulator.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
// One for all fibers, which are of one thread.
#define __shared__ thread_local

struct uint2 {
    uint32_t x, y;
};
struct __align__(16) uint4 {
    uint32_t x, y, z, w;
};
inline uint2 make_uint2(uint32_t x, uint32_t y) { return {x, y}; }
inline uint4 make_uint4(uint32_t x, uint32_t y, uint32_t z, uint32_t w) { return {x, y, z, w}; }

inline uint32_t __umulhi(uint32_t a, uint32_t b) { return uint32_t(uint64_t(a) * b >> 32); }
inline uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t bits) {
    return uint32_t((uint64_t(high) << 32 | low) >> (bits & 31));
}
inline uint32_t __byte_perm(uint32_t x, uint32_t y, uint32_t select) {
    uint64_t both = uint64_t(y) << 32 | x;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) result |= uint32_t(both >> (select >> 4 * i & 7) * 8 & 255) << 8 * i;
    return result;
}

struct Place {
    uint32_t x, y, z;
};
extern thread_local Place threadIdx, blockIdx, gridDim;

// Waits until all threads of the block are here.
void barrier();
inline void __syncthreads() { barrier(); }
inline void __syncwarp() { barrier(); }
