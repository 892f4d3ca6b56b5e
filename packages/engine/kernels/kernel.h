/*
 * What all kernels share. Pointers are addresses of the memory that the module imports; it begins
 * at 0 and holds files as they are, so values are read at any address. Integers wrap.
 * SIMD instructions have the names of wasm_simd128.h.
 */
#pragma once
#include <wasm_simd128.h>

typedef signed char i8;
typedef unsigned char u8;
typedef unsigned u32;
typedef int i32;
typedef double f64;
typedef float f32;
typedef long long i64;
typedef unsigned long long u64;
typedef v128_t v128;

/* The same, at any address. */
typedef unsigned short u16_at __attribute__((may_alias, aligned(1)));
typedef i32 i32_at __attribute__((may_alias, aligned(1)));
typedef u32 u32_at __attribute__((may_alias, aligned(1)));
typedef i64 i64_at __attribute__((may_alias, aligned(1)));
typedef f64 f64_at __attribute__((may_alias, aligned(1)));
typedef f32 f32_at __attribute__((may_alias, aligned(1)));
typedef v128 v128_at __attribute__((may_alias, aligned(1)));

/* Arrays at an address: I32(at)[2] is the third word from there. */
#define U8(at) ((u8 *)(at))
#define U16(at) ((u16_at *)(at))
#define U32(at) ((u32_at *)(at))
#define I32(at) ((i32_at *)(at))
#define I64(at) ((i64_at *)(at))
#define F32(at) ((f32_at *)(at))
#define F64(at) ((f64_at *)(at))
#define V128(at) ((v128_at *)(at))

#define PACKED __attribute__((packed))
#define EXPORT(name) __attribute__((export_name(#name)))
#define IMPORT(name) __attribute__((import_module("env"), import_name(#name)))
#define INLINE static inline __attribute__((always_inline))

/* for (k = 0; k < n; k++), unrolled where n is a constant once the function is inlined. */
#pragma clang diagnostic ignored "-Wpass-failed"
#define EACH(k, n) _Pragma("clang loop unroll(full)") for (i32 k = 0; k < (n); k++)

/* One of two values without a branch: for tests that depend on the data. */
#define SELECT(test, a, b) (__builtin_unpredictable(test) ? (a) : (b))

#define ZERO wasm_i64x2_const(0, 0)

/* A constant that stays in a register: V8 makes others anew in each step of a loop. */
INLINE v128 hoisted(v128 constant) {
  __asm__("" : "+r"(constant));
  return constant;
}

/* Shifts by any number of bits, of which the low 5 (6) count; shr shifts zeros in. */
INLINE i32 shl(i32 value, i32 bits) { return (i32)((u32)value << (bits & 31)); }
INLINE i32 shr(i32 value, i32 bits) { return (i32)((u32)value >> (bits & 31)); }
INLINE i64 shl64(i64 value, i64 bits) { return (i64)((u64)value << (bits & 63)); }
INLINE i64 shr64(i64 value, i64 bits) { return (i64)((u64)value >> (bits & 63)); }
/* Bit number n of a word, and the n lowest bits. */
INLINE i32 bit(i32 n) { return shl(1, n); }
INLINE i32 ones(i32 n) { return bit(n) - 1; }

/*
 * The word of a bitmap that has bit n. Clang would fold the shift into one of the address, which
 * processors do for nothing.
 */
INLINE i32 wordOf(i32 n) {
  i32 word = shr(n, 5);
  __asm__("" : "+r"(word));
  return word;
}

/* Bit n of a bitmap. */
INLINE i32 hasBit(i32 bitmap, i32 n) { return shr(I32(bitmap)[wordOf(n)], n) & 1; }

/* Unsigned compares. */
INLINE i32 below(i32 a, i32 b) { return (u32)a < (u32)b; }
INLINE i32 below64(i64 a, i64 b) { return (u64)a < (u64)b; }

/* Number of zeros behind, before the ones of a number; of ones. */
INLINE i32 ctz(i32 value) { return value ? __builtin_ctz((u32)value) : 32; }
INLINE i32 clz(i32 value) { return value ? __builtin_clz((u32)value) : 32; }
INLINE i32 ctz64(i64 value) { return value ? __builtin_ctzll((u64)value) : 64; }
INLINE i32 popcount64(i64 value) { return __builtin_popcountll((u64)value); }

INLINE f64 min_f64(f64 a, f64 b) { return __builtin_wasm_min_f64(a, b); }
INLINE f64 max_f64(f64 a, f64 b) { return __builtin_wasm_max_f64(a, b); }
/* A float and the word that stores it. */
INLINE f32 float_of(i32 word) { return __builtin_bit_cast(f32, word); }
INLINE i32 word_of(f32 value) { return __builtin_bit_cast(i32, value); }

#define trap() __builtin_trap()
#define fill(at, byte, size) __builtin_memset((u8 *)(at), byte, (u32)(size))
#define copy(to, from, size) __builtin_memcpy((u8 *)(to), (u8 *)(from), (u32)(size))
