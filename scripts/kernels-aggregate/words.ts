/**
 * What the loops over a column's matching documents share. They go over words of 64 documents: `w`
 * holds the bits of word `i`, `at` the address of its first code.
 */
import { add, c32, g, set, shl, times } from './wat.ts';

/** Bytes a code. */
export type Width = 1 | 2 | 4 | 8;

/** Logarithm of a width. */
export const shiftOf = (width: Width): number => Math.log2(width);

const load64 = (base: string): string => `(i64.load ${add(g(base), shl(g('i'), 3))})`;

/** Behind an empty word: past the words that are empty four at a time. */
const skipEmpty = `
  (block $some (loop $empty
    (br_if $some (i32.gt_u ${add(g('i'), c32(5))} ${g('to')}))
    (br_if $some (v128.any_true (v128.or ${[8, 24]
      .map((offset) => `(v128.load offset=${offset} ${add(g('bits'), shl(g('i'), 3))})`)
      .join(' ')})))
    ${set('i', add(g('i'), c32(4)))} (br $empty)))`;

/**
 * Visits the words [from, to) of `bits` and `present` in which a document is left; n counts the
 * documents. `visit` is what is done with a word.
 */
export const forWords = (width: Width, visit: string): string => `
  ${set('i', g('from'))}
  (block $end (loop $words
    (br_if $end (i32.ge_u ${g('i')} ${g('to')}))
    (if (i64.ne (local.tee $w (i64.and ${load64('bits')} ${load64('present')})) (i64.const 0)) (then
      ${set('n', add(g('n'), `(i32.wrap_i64 (i64.popcnt ${g('w')}))`))}
      ${set('at', add(g('codes'), shl(g('i'), 6 + shiftOf(width))))}
      ${visit})
      (else ${skipEmpty}))
    ${set('i', add(g('i'), c32(1)))} (br $words)))`;

/** Does something with every set bit of w; `p` is the address of the document's code. */
export const forBits = (width: Width, visit: string): string => {
  const bit = `(i32.wrap_i64 (i64.ctz ${g('w')}))`;
  return `(loop $bits
    ${set('p', add(g('at'), shl(bit, shiftOf(width))))}
    ${visit}
    (br_if $bits (i64.ne (i64.const 0)
      (local.tee $w (i64.and ${g('w')} (i64.sub ${g('w')} (i64.const 1)))))))`;
};

/** Does something with each of the 64 codes from `at` on: `visit` of an address and a distance. */
export const forAll = (width: Width, visit: (p: string, k: number) => string): string => `
  ${set('p', g('at'))} ${set('at', add(g('at'), c32(64 * width)))}
  (loop $sixteen
    ${times(16, (k) => visit('p', k))}
    (br_if $sixteen (i32.lt_u (local.tee $p ${add(g('p'), c32(16 * width))}) ${g('at')})))`;

/** The code at an address, `k` codes further on. */
export const codeAt = (width: Width, p: string, k = 0): string => {
  const load = { 1: 'i32.load8_u', 2: 'i32.load16_u', 4: 'i32.load', 8: 'i64.load' }[width];
  return `(${load} offset=${k * width} ${g(p)})`;
};

/** True where all 64 documents are left. */
export const ALL = `(i64.eq ${g('w')} (i64.const -1))`;
