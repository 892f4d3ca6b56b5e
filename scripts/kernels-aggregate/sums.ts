/** Sums and bounds of a column's codes. */
import { c32, g, locals, params, set, times } from './wat.ts';
import { ALL, codeAt, forAll, forBits, forWords, type Width } from './words.ts';

type Narrow = 1 | 2 | 4;
/** Of 64 documents: so few are looked up one by one. */
const FEW = 8;

const SHAPE = { 1: 'i8x16', 2: 'i16x8', 4: 'i32x4' } as const;
const ZERO = '(v128.const i32x4 0 0 0 0)';

/** Lanes of block k of a word (16 / width documents) whose documents are not left: all ones. */
const missing = (width: Narrow, k: number): string => {
  if (width === 4) {
    const half = `(i32.wrap_i64 (i64.shr_u ${g('w')} (i64.const ${32 * (k >> 3)})))`;
    const bits = [0, 1, 2, 3].map((lane) => (1 << (4 * (k & 7) + lane)) | 0).join(' ');
    return `(i32x4.eq ${ZERO} (v128.and (i32x4.splat ${half}) (v128.const i32x4 ${bits})))`;
  }
  const part = `(i16x8.splat (i32.wrap_i64 (i64.shr_u ${g('w')} (i64.const ${(16 / width) * k}))))`;
  if (width === 2) {
    return `(i16x8.eq ${ZERO} (v128.and ${part} (v128.const i16x8 1 2 4 8 16 32 64 128)))`;
  }
  const order = '(v128.const i8x16 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1)';
  const bits = '(v128.const i8x16 1 2 4 8 16 32 64 128 1 2 4 8 16 32 64 128)';
  return `(i8x16.eq ${ZERO} (v128.and (i8x16.swizzle ${part} ${order}) ${bits}))`;
};

/** Adds the lanes of `v`. */
const addLanes = (width: Narrow): string => {
  if (width === 4) {
    const wider = (half: string) => `(i64x2.extend_${half}_i32x4_u ${g('v')})`;
    return `${set('a', `(i64x2.add ${g('a')} ${wider('low')})`)}
      ${set('b', `(i64x2.add ${g('b')} ${wider('high')})`)}`;
  }
  const pairs = width === 2 ? g('v') : `(i16x8.extadd_pairwise_i8x16_u ${g('v')})`;
  return set('a', `(i32x4.add ${g('a')} (i32x4.extadd_pairwise_i16x8_u ${pairs}))`);
};

const bounds = (width: Narrow, low: string): string => `
  ${set('vl', `(${SHAPE[width]}.min_u ${g('vl')} ${low})`)}
  ${set('vh', `(${SHAPE[width]}.max_u ${g('vh')} ${g('v')})`)}`;

const block = (k: number): string => `(v128.load offset=${16 * k} ${g('at')})`;

/** All 64 documents of a word. */
const whole = (width: Narrow): string =>
  times(4 * width, (k) => `${set('v', block(k))} ${bounds(width, g('v'))} ${addLanes(width)}`);

/** Many documents of a word. */
const masked = (width: Narrow): string =>
  times(
    4 * width,
    (k) => `${set('m', missing(width, k))} ${set('v', block(k))}
    ${set('vl', `(${SHAPE[width]}.min_u ${g('vl')} (v128.or ${g('v')} ${g('m')}))`)}
    ${set('v', `(v128.andnot ${g('v')} ${g('m')})`)}
    ${set('vh', `(${SHAPE[width]}.max_u ${g('vh')} ${g('v')})`)}
    ${addLanes(width)}`,
  );

const single = `
  ${set('s', `(i64.add ${g('s')} (i64.extend_i32_u ${g('c')}))`)}
  ${set('l', `(select ${g('c')} ${g('l')} (i32.lt_u ${g('c')} ${g('l')}))`)}
  ${set('h', `(select ${g('c')} ${g('h')} (i32.gt_u ${g('c')} ${g('h')}))`)}`;

/** Adds the lanes of bounds and sums to what was found one by one. */
const reduce = (width: Narrow): string => {
  const suffix = width === 4 ? '' : '_u';
  const lane = (v: string, k: number) => `(${SHAPE[width]}.extract_lane${suffix} ${k} ${g(v)})`;
  const sums =
    width === 4
      ? times(2, (k) => addTo(`(i64x2.extract_lane ${k} (i64x2.add ${g('a')} ${g('b')}))`))
      : times(4, (k) => addTo(`(i64.extend_i32_u (i32x4.extract_lane ${k} ${g('a')}))`));
  return `${sums} ${times(16 / width, (k) => {
    const low = set('c', lane('vl', k)) + minimum;
    return low + set('c', lane('vh', k)) + maximum;
  })}`;
};
const addTo = (value: string): string => set('s', `(i64.add ${g('s')} ${value})`);
const minimum = set('l', `(select ${g('c')} ${g('l')} (i32.lt_u ${g('c')} ${g('l')}))`);
const maximum = set('h', `(select ${g('c')} ${g('h')} (i32.gt_u ${g('c')} ${g('h')}))`);

/**
 * sum{width}: of the documents of `bits` and `present` in the words [from, to), at most 65,536:
 * returns how many; to `out` their codes' sum (i64), least and greatest (u32). Words from `whole`
 * on have codes one by one: nothing is read behind the column.
 */
export const sum = (width: Narrow): string => `(func (export "sum${width}")
  ${params('i32', 'codes bits present from to whole out')} (result i32)
  ${locals('i32', 'i n at p c l h')} ${locals('i64', 'w s')} ${locals('v128', 'v m a b vl vh')}
  ${set('l', c32(-1))} ${set('vl', '(v128.const i32x4 -1 -1 -1 -1)')}
  ${forWords(
    width,
    `(if ${ALL} (then ${whole(width)}) (else
      (if (i32.and (i64.gt_u (i64.popcnt ${g('w')}) (i64.const ${FEW}))
          (i32.lt_u ${g('i')} ${g('whole')}))
        (then ${masked(width)})
        (else ${forBits(width, `${set('c', codeAt(width, 'p'))} ${single}`)}))))`,
  )}
  ${reduce(width)}
  (i64.store ${g('out')} ${g('s')})
  (i32.store offset=8 ${g('out')} ${g('l')}) (i32.store offset=12 ${g('out')} ${g('h')})
  ${g('n')})`;

const one = (width: Width, p: string, k = 0): string => `
  ${set('c', codeAt(width, p, k))}
  ${set('s', `(i64.add ${g('s')} (i64.and ${g('c')} (i64.const 0xffffffff)))`)}
  ${set('t', `(i64.add ${g('t')} (i64.shr_s ${g('c')} (i64.const 32)))`)}
  ${set('l', `(select ${g('c')} ${g('l')} (i64.lt_s ${g('c')} ${g('l')}))`)}
  ${set('h', `(select ${g('c')} ${g('h')} (i64.gt_s ${g('c')} ${g('h')}))`)}`;

/**
 * sum8: the same of 64-bit values: to `out` the sum of their low halves, of their signed high
 * halves, the least and the greatest value (four i64).
 */
export const sumWide = `(func (export "sum8")
  ${params('i32', 'codes bits present from to whole out')} (result i32)
  ${locals('i32', 'i n at p')} ${locals('i64', 'w s t c l h')}
  ${set('l', '(i64.const 0x7fffffffffffffff)')} ${set('h', '(i64.const -0x8000000000000000)')}
  ${forWords(
    8,
    `(if ${ALL} (then ${forAll(8, (p, k) => one(8, p, k))})
      (else ${forBits(8, one(8, 'p'))}))`,
  )}
  (i64.store ${g('out')} ${g('s')}) (i64.store offset=8 ${g('out')} ${g('t')})
  (i64.store offset=16 ${g('out')} ${g('l')}) (i64.store offset=24 ${g('out')} ${g('h')})
  ${g('n')})`;
