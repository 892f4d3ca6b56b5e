/**
 *   fix(values, count, dims, scales, codes): floats to fixed point, as `fixVectors`; dims is a
 *   multiple of 8
 *   split(codes, count, dims, head, heads, tails, lows, sums): codes to rows of planes, as
 *   `Planes.add`; of each vector also three sums of squares, f64: of all codes, of low bytes, of
 *   the codes from component `head` on. dims and head are multiples of 16
 */
import { add, c32, g, locals, params, set, shl, sub } from '../kernels/wat.ts';

const MOST = 32_767;
const MIDDLE = 128;

const when = (test: string, then: string): string => `(if ${test} (then ${then}))`;
const next = (name: string, bytes: string): string => set(name, add(g(name), bytes));
const zero = '(v128.const i32x4 0 0 0 0)';

/** Four values as codes, i32x4: floor(value / scale + 0.5). */
const four = (value: string): string => {
  const two = (half: string): string =>
    `(i32x4.trunc_sat_f64x2_s_zero (f64x2.floor (f64x2.add
      (f64x2.div (f64x2.promote_low_f32x4 ${half}) ${g('by')}) (f64x2.splat (f64.const 0.5)))))`;
  const high = `(i8x16.shuffle 8 9 10 11 12 13 14 15 8 9 10 11 12 13 14 15 ${value} ${value})`;
  return `(i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 ${two(value)} ${two(high)})`;
};

const largest = `
  ${set('max', zero)} ${set('at', g('values'))} ${set('end', add(g('values'), shl(g('dims'), 2)))}
  (loop $most
    ${set('max', `(f32x4.max ${g('max')} (f32x4.abs (v128.load ${g('at')})))`)}
    ${next('at', c32(16))}
    (br_if $most (i32.lt_u ${g('at')} ${g('end')})))
  ${set('max', `(f32x4.max ${g('max')} (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 ${g('max')} ${g('max')}))`)}
  ${set('scale', `(f32.demote_f64 (f64.div (f64.promote_f32 (f32.max (f32x4.extract_lane 0 ${g('max')}) (f32x4.extract_lane 1 ${g('max')}))) (f64.const ${MOST})))`)}`;

const fix = `(func (export "fix") ${params('i32', 'values count dims scales codes')}
  ${locals('i32', 'at end last')} ${locals('v128', 'max by')} (local $scale f32)
  ${set('last', add(g('scales'), shl(g('count'), 2)))}
  (loop $vectors
    ${largest}
    (f32.store ${g('scales')} ${g('scale')})
    ${set('by', `(f64x2.splat (f64.promote_f32 ${g('scale')}))`)}
    ${when(
      `(f32.eq ${g('scale')} (f32.const 0))`,
      `(memory.fill ${g('codes')} (i32.const 0) ${shl(g('dims'), 1)})
       ${set('values', g('end'))} ${next('codes', shl(g('dims'), 1))}`,
    )}
    (block $done (loop $components
      (br_if $done (i32.ge_u ${g('values')} ${g('end')}))
      (v128.store ${g('codes')} (i16x8.max_s (i16x8.narrow_i32x4_s
        ${four(`(v128.load ${g('values')})`)} ${four(`(v128.load offset=16 ${g('values')})`)})
        (i16x8.splat ${c32(-MOST)})))
      ${next('values', c32(32))} ${next('codes', c32(16))}
      (br $components)))
    ${next('scales', c32(4))}
    (br_if $vectors (i32.lt_u ${g('scales')} ${g('last')}))))`;

const dot = (value: string): string => `(i32x4.dot_i16x8_s ${value} ${value})`;
/** Adds the four sums of a product, which are below 2^32, to two sums of 64 bits. */
const widen = (sum: string, value: string): string =>
  set(
    sum,
    `(i64x2.add ${g(sum)} (i64x2.add (i64x2.extend_low_i32x4_u ${value}) (i64x2.extend_high_i32x4_u ${value})))`,
  );
const lowOf = (code: string): string =>
  `(i16x8.sub (v128.and ${code} (i16x8.splat ${c32(255)})) (i16x8.splat ${c32(MIDDLE)}))`;
const highOf = (code: string): string => `(i16x8.shr_s ${code} ${c32(8)})`;
const total = (sum: string): string =>
  `(f64.convert_i64_u (i64.add (i64x2.extract_lane 0 ${g(sum)}) (i64x2.extract_lane 1 ${g(sum)})))`;

/** 16 components of a row, whose high bytes go to `plane`. */
const sixteen = (plane: string, squares: string): string => `
  ${set('a', `(v128.load ${g('codes')})`)} ${set('b', `(v128.load offset=16 ${g('codes')})`)}
  (v128.store ${g(plane)} (i8x16.narrow_i16x8_s ${highOf(g('a'))} ${highOf(g('b'))}))
  ${set('product', dot(g('a')))} ${widen(squares, g('product'))}
  ${set('product', dot(g('b')))} ${widen(squares, g('product'))}
  ${set('a', lowOf(g('a')))} ${set('b', lowOf(g('b')))}
  (v128.store ${g('lows')} (i8x16.narrow_i16x8_s ${g('a')} ${g('b')}))
  ${set('rest', `(i32x4.add ${g('rest')} (i32x4.add ${dot(g('a'))} ${dot(g('b'))}))`)}
  ${next(plane, c32(16))} ${next('lows', c32(16))} ${next('codes', c32(32))}`;

const part = (label: string, bytes: string, plane: string, squares: string): string => `
  ${set('end', add(g(plane), bytes))}
  (block $end${label} (loop $${label}
    (br_if $end${label} (i32.ge_u ${g(plane)} ${g('end')}))
    ${sixteen(plane, squares)}
    (br $${label})))`;

const split = `(func (export "split") ${params('i32', 'codes count dims head heads tails lows sums')}
  ${locals('i32', 'end last')} ${locals('v128', 'a b product first second rest wide')}
  ${set('last', add(g('sums'), `(i32.mul ${g('count')} ${c32(24)})`))}
  (loop $vectors
    ${set('first', zero)} ${set('second', zero)} ${set('rest', zero)} ${set('wide', zero)}
    ${part('front', g('head'), 'heads', 'first')}
    ${part('back', sub(g('dims'), g('head')), 'tails', 'second')}
    ${widen('wide', g('rest'))}
    (f64.store ${g('sums')} (f64.add ${total('first')} ${total('second')}))
    (f64.store offset=8 ${g('sums')} ${total('wide')})
    (f64.store offset=16 ${g('sums')} ${total('second')})
    ${next('sums', c32(24))}
    (br_if $vectors (i32.lt_u ${g('sums')} ${g('last')}))))`;

/** The text of the kernels. */
export const codes = `${fix} ${split}`;
