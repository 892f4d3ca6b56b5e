/** Sums of doubles that are stored as ordered integers (base/arrays/ordered-double.ts). */
import { add, c32, g, locals, params, set, times } from './wat.ts';
import { forWords } from './words.ts';

const LANES = [0, 1, 2, 3];
const ZERO = '(v128.const i64x2 0 0)';
const f64 = (op: string, a: string, b: string): string => `(f64x2.${op} ${a} ${b})`;

/** Two doubles from two ordered integers: negative ones are flipped but for the sign. */
const unfold = (v: string): string =>
  `(v128.xor ${v} (i64x2.shr_u (i64x2.lt_s ${v} ${ZERO}) (i32.const 1)))`;

/** The lanes of documents 2 j and 2 j + 1 of w that are left: all ones. */
const left = (j: number): string => {
  const bits = `(v128.const i64x2 ${1 << (2 * j)} ${2 << (2 * j)})`;
  return `(i64x2.ne ${ZERO} (v128.and (i64x2.splat ${g('w')}) ${bits}))`;
};

const better = (bound: string, than: 'lt_s' | 'gt_s'): string =>
  set(
    bound,
    `(v128.bitselect ${g('v')} ${g(bound)} (v128.and ${g('m')} (i64x2.${than} ${g('v')} ` +
      `${g(bound)})))`,
  );

/** Adds two documents to their lanes: the sum, and what it lost (Knuth's two-sum). */
const pair = (j: number): string => `
  ${set('v', `(v128.load offset=${16 * j} ${g('at')})`)} ${set('m', left(j))}
  ${better('vl', 'lt_s')} ${better('vh', 'gt_s')}
  ${set('x', `(v128.and ${g('m')} ${unfold(g('v'))})`)}
  ${set('t', f64('add', g(`s${j}`), g('x')))}
  ${set('y', f64('sub', g('t'), g(`s${j}`)))}
  ${set(
    `c${j}`,
    f64(
      'add',
      g(`c${j}`),
      f64('add', f64('sub', g(`s${j}`), f64('sub', g('t'), g('y'))), f64('sub', g('x'), g('y'))),
    ),
  )}
  ${set(`s${j}`, g('t'))}`;

const least = (op: 'lt_s' | 'gt_s', v: string): string => `
  ${set('a', `(i64x2.extract_lane 0 ${g(v)})`)} ${set('b', `(i64x2.extract_lane 1 ${g(v)})`)}
  ${set('a', `(select ${g('a')} ${g('b')} (i64.${op} ${g('a')} ${g('b')}))`)}`;

/**
 * sumDoubles: of the documents of `bits` and `present` in the words [from, to): returns how many.
 * Document d goes to lane d & 7. At `lanes`: eight sums, what each has lost (f64), then the least
 * and the greatest ordered integer (i64); all are read and written back.
 */
export const sumDoubles = `(func (export "sumDoubles")
  ${params('i32', 'codes bits present from to lanes')} (result i32)
  ${locals('i32', 'i n at end')} ${locals('i64', 'w a b')}
  ${locals('v128', 'v m x t y vl vh s0 s1 s2 s3 c0 c1 c2 c3')}
  ${times(4, (j) => set(`s${j}`, `(v128.load offset=${16 * j} ${g('lanes')})`))}
  ${times(4, (j) => set(`c${j}`, `(v128.load offset=${64 + 16 * j} ${g('lanes')})`))}
  ${set('vl', `(i64x2.splat (i64.load offset=128 ${g('lanes')}))`)}
  ${set('vh', `(i64x2.splat (i64.load offset=136 ${g('lanes')}))`)}
  ${forWords(
    8,
    `${set('end', add(g('at'), c32(512)))}
    (loop $eight
      ${LANES.map(pair).join('\n')}
      ${set('w', `(i64.shr_u ${g('w')} (i64.const 8))`)}
      (br_if $eight (i32.lt_u (local.tee $at ${add(g('at'), c32(64))}) ${g('end')})))`,
  )}
  ${times(4, (j) => `(v128.store offset=${16 * j} ${g('lanes')} ${g(`s${j}`)})`)}
  ${times(4, (j) => `(v128.store offset=${64 + 16 * j} ${g('lanes')} ${g(`c${j}`)})`)}
  ${least('lt_s', 'vl')} (i64.store offset=128 ${g('lanes')} ${g('a')})
  ${least('gt_s', 'vh')} (i64.store offset=136 ${g('lanes')} ${g('a')})
  ${g('n')})`;
