// What the kernels share: types, division by known numbers, the place of a tile, memory accesses.
//
// The host fills the structures; crates/strideview-cuda/src/copy/job.rs has the same fields in the
// same order.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

// Threads of a block, of every kernel.
constexpr u32 THREADS = 256;

// A number, and how to divide by it: right for dividends below 2^31.
struct Divisor {
    u32 value, multiplier, shift;
};

__device__ __forceinline__ u32 divide(u32 dividend, const Divisor& by) {
    return by.value == 1 ? dividend : __umulhi(dividend, by.multiplier) >> by.shift;
}

// An axis along which tiles are counted: how many there are, and how many bytes apart they lie.
// Where `edge` is not 0, the last of them is cut off, and bit `edge` of the result of `place` says
// that a tile is that one.
struct Outer {
    Divisor tiles;
    u32 edge;
    i64 dst, src;
};

// The most axes that tiles are counted along.
constexpr u32 MOST_OUTER = 12;

// Moves two addresses to the tile with this number; returns the edges that the tile lies on, and which
// tile it is along the axis with edge 2.
__device__ __forceinline__ u32 place(const Outer* outer, u32 count, u32 tile, u64& dst, u64& src, u32& second) {
    u32 edges = 0;
    for (u32 i = 0; i < count; i++) {
        const Outer& axis = outer[i];
        u32 rest = divide(tile, axis.tiles);
        u32 index = tile - rest * axis.tiles.value;
        tile = rest;
        dst += index * axis.dst;
        src += index * axis.src;
        if (axis.edge == 2) second = index;
        edges |= (axis.edge != 0 && index + 1 == axis.tiles.value) << axis.edge;
    }
    return edges;
}

__device__ __forceinline__ u32 place(const Outer* outer, u32 count, u32 tile, u64& dst, u64& src) {
    u32 second;
    return place(outer, count, tile, dst, src, second);
}

// An unsigned word of so many bytes.
template <int BYTES> struct WordOf;
template <> struct WordOf<1> { typedef u8 Type; };
template <> struct WordOf<2> { typedef u16 Type; };
template <> struct WordOf<4> { typedef u32 Type; };
template <> struct WordOf<8> { typedef uint2 Type; };
template <> struct WordOf<16> { typedef uint4 Type; };
template <int BYTES> using Word = typename WordOf<BYTES>::Type;

template <int BYTES> __device__ __forceinline__ Word<BYTES> load(u64 address) {
    return *reinterpret_cast<const Word<BYTES>*>(address);
}

template <int BYTES> __device__ __forceinline__ void store(u64 address, Word<BYTES> word) {
    *reinterpret_cast<Word<BYTES>*>(address) = word;
}

// The four words of 16 bytes, by an index known when compiling.
__device__ __forceinline__ u32& word_of(uint4& vector, int index) {
    return index == 0 ? vector.x : index == 1 ? vector.y : index == 2 ? vector.z : vector.w;
}

// Bytes `shift` to `shift + 15` of the 32 bytes of two vectors; `shift` is below 16.
__device__ __forceinline__ uint4 funnel(uint4 low, uint4 high, u32 shift) {
    u32 w0 = low.x, w1 = low.y, w2 = low.z, w3 = low.w, w4 = high.x, w5 = high.y, w6 = high.z, w7 = high.w;
    if (shift & 8) { w0 = w2; w1 = w3; w2 = w4; w3 = w5; w4 = w6; w5 = w7; w6 = 0; }
    if (shift & 4) { w0 = w1; w1 = w2; w2 = w3; w3 = w4; w4 = w5; }
    u32 bits = (shift & 3) * 8;
    return make_uint4(__funnelshift_r(w0, w1, bits), __funnelshift_r(w1, w2, bits),
                      __funnelshift_r(w2, w3, bits), __funnelshift_r(w3, w4, bits));
}

// Five words around 16 bytes at an address of any alignment. Faster than two vectors of 16 bytes: what
// is wanted is found by one shift of each pair of words.
struct Words {
    u32 word[5];

    __device__ __forceinline__ void load_around(u64 address) {
        u64 base = address & ~3ull;
#pragma unroll
        for (int i = 0; i < 5; i++) word[i] = load<4>(base + 4 * i);
    }

    __device__ __forceinline__ uint4 shifted(u32 address) const {
        u32 bits = (address & 3) * 8;
        return make_uint4(__funnelshift_r(word[0], word[1], bits), __funnelshift_r(word[1], word[2], bits),
                          __funnelshift_r(word[2], word[3], bits), __funnelshift_r(word[3], word[4], bits));
    }
};

// 16 bytes from an address of any alignment, one by one, and only those from `first` to `last - 1`.
__device__ __forceinline__ uint4 load_bytes(u64 address, u32 first, u32 last) {
    uint4 bytes = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (u32 i = 0; i < 16; i++) {
        if (i >= first && i < last) word_of(bytes, i / 4) |= u32(load<1>(address + i)) << (i % 4 * 8);
    }
    return bytes;
}

// Stores bytes `first` to `last - 1` of 16 bytes whose address is a multiple of 16.
__device__ __forceinline__ void store_part(u64 address, uint4 bytes, u32 first, u32 last) {
    u32 at = first;
    auto word = [&](u32 at) { return at & 8 ? (at & 4 ? bytes.w : bytes.z) : (at & 4 ? bytes.y : bytes.x); };
    auto one = [&] { store<1>(address + at, u8(word(at) >> (at & 3) * 8)); at += 1; };
    auto two = [&] { store<2>(address + at, u16(word(at) >> (at & 2) * 8)); at += 2; };
    auto four = [&] { store<4>(address + at, word(at)); at += 4; };
    auto eight = [&] { store<8>(address + at, make_uint2(word(at), word(at + 4))); at += 8; };
    if ((at & 1) && at + 1 <= last) one();
    if ((at & 2) && at + 2 <= last) two();
    if ((at & 4) && at + 4 <= last) four();
    if (at + 8 <= last) eight();
    if (at + 8 <= last) eight();
    if (at + 4 <= last) four();
    if (at + 2 <= last) two();
    if (at + 1 <= last) one();
}
