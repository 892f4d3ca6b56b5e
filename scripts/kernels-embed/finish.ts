/**
 *   finish(sums, count, dims, scales, codes, squares): rows of sums of texts, made to length 1 and
 *   rounded to fixed point, as `TokenSums.take` and `fixVectors` do; also the sum of squares of each
 *   row, f64. The rows become vectors of length 1. count is a multiple of 4, dims of 8
 *
 * A division of a component by the scale is replaced by a product with 1 / scale: quotients of two
 * numbers of 24 bits that are no half differ from every half by at least 2^-26, and errors stay
 * below 2^-36, so adding 2^-30 rounds halves up and changes no other code.
 */
import { compile } from '../kernels/language.ts';
import { times } from '../kernels/wat.ts';

const NAMES = ['a', 'b', 'c', 'e'] as const;
const shuffle = (lanes: string, left: string, right: string): string => {
  const bytes = lanes.split(' ').flatMap((lane) => [0, 1, 2, 3].map((k) => 4 * Number(lane) + k));
  return `i8x16.shuffle<${bytes.join(' ')}>(${left}, ${right})`;
};
const promote = (v: string): string => `f64x2.promote_low_f32x4(${v})`;
const high = (v: string): string => shuffle('2 3 2 3', v, v);

/** Adds the squares of components k and k + 1 of two rows, one row a lane, in their order. */
const squares = (sum: string, left: string, right: string, lanes: string): string => `
  pair = ${shuffle(lanes, left, right)};
  wide = ${promote('pair')}; ${sum} = f64x2.add(${sum}, f64x2.mul(wide, wide));
  wide = ${promote(high('pair'))}; ${sum} = f64x2.add(${sum}, f64x2.mul(wide, wide));`;

const lengthOf = (sum: string): string =>
  `v128.bitselect(f64x2.splat(1.0), f64x2.sqrt(${sum}), f64x2.eq(${sum}, f64x2.splat(0.0)))`;

const half = (v: string): string => `f32x4.demote_f64x2_zero(f64x2.div(${promote(v)}, by))`;
/** Numbers of 32 bits behind 1.5 x 2^52: the sum's low half is the rounded number. */
const near = (v: string): string =>
  `f64x2.add(f64x2.add(f64x2.mul(${promote(v)}, by), f64x2.splat(0.000000000931322574615478515625)),
    f64x2.splat(6755399441055744.0))`;
const four = (v: string): string => shuffle('0 2 4 6', near(v), near(high(v)));

/** The text of the kernel. */
export const finish = compile(`
  // One row: values of length 1, their scale, their codes.
  fn row(i32 sums, i32 dims, v128 by, i32 scale, i32 codes) {
    i32 at = sums, end = sums + (dims << 2);
    v128 v, max = i64x2.splat(0L);
    while (at < end) {
      v = v128[at];
      v = ${shuffle('0 1 4 5', half('v'), half(high('v')))};
      v128[at] = v;
      max = f32x4.max(max, f32x4.abs(v));
      at += 16;
    }
    max = f32x4.max(max, ${high('max')});
    max = f32x4.max(max, ${shuffle('1 1 1 1', 'max', 'max')});
    max = f32x4.demote_f64x2_zero(f64x2.div(${promote('max')}, f64x2.splat(32767.0)));
    i32[scale] = i32x4.extract_lane<0>(max);
    by = f64x2.div(f64x2.splat(1.0), ${promote(shuffle('0 0 0 0', 'max', 'max'))});
    if (i32x4.extract_lane<0>(max) == 0) { by = i64x2.splat(0L); }
    at = sums;
    while (at < end) {
      v = v128[at];
      max = v128[at + 16];
      v128[codes] = i16x8.max_s(i16x8.narrow_i32x4_s(${four('v')}, ${four('max')}),
        i16x8.splat(-32767));
      codes += 16;
      at += 32;
    }
  }

  export fn finish(i32 sums, i32 count, i32 dims, i32 scales, i32 codes, i32 squares) {
    i32 size = dims << 2, at, end, k = 0;
    v128 a, b, c, e, ab, ce, pair, wide;
    while (k < count) {
      ab = i64x2.splat(0L);
      ce = i64x2.splat(0L);
      at = sums;
      end = sums + size;
      while (at < end) {
        ${times(4, (n) => `${NAMES[n]} = v128[at${' + size'.repeat(n)}];`)}
        ${squares('ab', 'a', 'b', '0 4 1 5')} ${squares('ce', 'c', 'e', '0 4 1 5')}
        ${squares('ab', 'a', 'b', '2 6 3 7')} ${squares('ce', 'c', 'e', '2 6 3 7')}
        at += 16;
      }
      v128[squares] = ab;
      v128[squares + 16] = ce;
      ab = ${lengthOf('ab')};
      ce = ${lengthOf('ce')};
      ${times(4, (n) => {
        const [from, lane] = [n < 2 ? 'ab' : 'ce', n % 2];
        return `row(sums, dims, f64x2.splat(f64x2.extract_lane<${lane}>(${from})), scales, codes);
          sums += size; scales += 4; codes += dims << 1;`;
      })}
      squares += 32;
      k += 4;
    }
  }
`);
