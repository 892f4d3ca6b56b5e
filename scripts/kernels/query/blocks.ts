/** Blocks of lists: decoded, searched. */
import {
  BLOCKS_PER_LOOK,
  QUERY,
  SEGMENT,
  SLOT,
  UNPACK_BYTES,
  UNPACK_WIDTHS,
} from '../../../packages/engine/src/scoring/kernel-memory.ts';
import { LIST } from './constants.ts';

/** Sets v to documents of four deltas, which \`x\` has at bits 7 and up; the last one goes to acc. */
const addUp = (at: string, into: string, half: 0 | 1): string => `
      x = v128.and(i32x4.shr_u(i32x4.mul(i8x16.swizzle(v128[${at}], m${half}), f${half}), 7), mask);
      x = i32x4.add(x, one);
      x = i32x4.add(x, i8x16.shuffle<16 17 18 19 0 1 2 3 4 5 6 7 8 9 10 11>(x, zero));
      x = i32x4.add(x, i8x16.shuffle<16 17 18 19 20 21 22 23 0 1 2 3 4 5 6 7>(x, zero));
      acc = i32x4.add(x, i8x16.shuffle<12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15>(acc, acc));
      v128[${into}] = acc;`;

export const blocks = `
  // counts blocks or ranges of work
  fn spend(i32 blocks) {
    i32 left = i32[${QUERY.steps}] - blocks;
    i32[${QUERY.steps}] = left;
    if (left < 0) {
      i32[${QUERY.steps}] = ${BLOCKS_PER_LOOK};
      readClock();
    }
  }

  fn packed(i32 at, i32 index, i32 width) -> i32 {
    i32 bit = index * width;
    i64 word = i64[at + (bit >> 3)] >> i64.extend_i32_u(bit & 7);
    return i32.wrap_i64(word) & ((1 << width) - 1);
  }

  // documents of a block of a list to its buffer, and a document above all behind them
  fn decode(i32 t, i32 block) {
    if (i32[t + ${SLOT.decoded}] == block) { return; }
    i32[t + ${SLOT.decoded}] = block;
    i32[t + ${SLOT.place}] = 0;
    i32 four = block << 2;
    i32 head = i32[i32[t + ${SLOT.heads}] + four];
    i32 width = (head >> 8) & 255, into = i32[t + ${SLOT.buffer}];
    i32 at = i32[t + ${SLOT.data}] + i32[i32[t + ${SLOT.offsets}] + four];
    i32 size = i32[t + ${SLOT.df}] - (block << 7);
    size = select(size < 128, size, 128);
    i32[t + ${SLOT.postings}] = size;
    i32[t + ${SLOT.frequenciesAt}] = at + (((size * width + 31) >> 5) << 2);
    i32[t + ${SLOT.frequencyBits}] = (head >> 16) & 255;
    i32 last = -1;
    if (block) { last = i32[i32[t + ${SLOT.lastDocs}] + four - 4]; }
    i32 end = into + (size << 2), stop = into + (((size + 7) >> 3) << 5);
    if (width > ${UNPACK_WIDTHS}) {
      i32 i = 0;
      while (i < size) {
        last += packed(at, i, width) + 1;
        i32[into + (i << 2)] = last;
        i += 1;
      }
    } else {
      i32 table = ${QUERY.unpack} + width * ${UNPACK_BYTES}, half = width >> 1;
      v128 m0 = v128[table], f0 = v128[table + 16], m1 = v128[table + 32], f1 = v128[table + 48];
      v128 mask = i32x4.splat((1 << width) - 1), one = i32x4.splat(1), zero = i32x4.splat(0);
      v128 acc = i32x4.splat(last), x = zero;
      while (into < stop) {
        ${addUp('at', 'into', 0)}
        ${addUp('at + half', 'into + 16', 1)}
        at += width;
        into += 32;
      }
    }
    v128[end] = i32x4.splat(0x7fffffff);
    v128[end + 16] = i32x4.splat(0x7fffffff);
  }

  // 0: the documents up to the last one of a block, from behind the block before, are all blocked
  fn isOpen(i32 t, i32 block) -> i32 {
    i32 blocked = i32[${QUERY.blocked}];
    if (!blocked) { return 1; }
    i32 last = i32[t + ${SLOT.lastDocs}] + (block << 2), from = 0, to = i32[last];
    if (block) { from = i32[last - 4] + 1; }
    if (i32.ge_u(to, i32[${SEGMENT.ranges}] << 8) || i32.gt_u(from, to)) { trap(); }
    i32 at = blocked + ((from >> 6) << 3), end = blocked + ((to >> 6) << 3);
    while (at <= end) {
      if (i64[at] != -1L) { return 1; }
      at += 8;
    }
    return 0;
  }

  // first of "size" places in a buffer, from one on, whose document is not below d: there is one,
  // or documents above all follow
  fn seek(i32 docs, i32 place, i32 size, i32 d) -> i32 {
    i32 at = docs + (place << 2), end = docs + (size << 2);
    while (at + 128 <= end && i32[at + 124] < d) { at += 128; }
    v128 wanted = i32x4.splat(d);
    i32 less = i32x4.bitmask(i32x4.lt_s(v128[at], wanted));
    while (less == 15) {
      at += 16;
      less = i32x4.bitmask(i32x4.lt_s(v128[at], wanted));
    }
    return ((at - docs) >> 2) + i32.ctz(~less);
  }

  // first block of a list, from one on, whose last document is not below d
  fn seekBlock(i32 t, i32 block, i32 d) -> i32 {
    i32 last = i32[t + ${SLOT.lastDocs}], blocks = i32[t + ${SLOT.blocks}];
    i32 step = 1, low = block;
    while (low + step < blocks && i32[last + ((low + step - 1) << 2)] < d) {
      low += step;
      step <<= 1;
    }
    i32 high = low + step;
    high = select(high < blocks, high, blocks);
    while (low < high) {
      i32 middle = (low + high) >> 1;
      if (i32[last + (middle << 2)] < d) { low = middle + 1; } else { high = middle; }
    }
    return low;
  }

  fn holds(i32 t, i32 d) -> i32 {
    i32 docs = i32[t + ${SLOT.buffer}];
    if (i32[t + ${SLOT.kind}] == ${LIST}) {
      i32 block = seekBlock(t, 0, d);
      if (block >= i32[t + ${SLOT.blocks}]) { return 0; }
      decode(t, block);
    }
    return i32[docs + (seek(docs, 0, i32[t + ${SLOT.postings}], d) << 2)] == d;
  }`;
