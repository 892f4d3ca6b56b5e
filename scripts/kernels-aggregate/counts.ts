/** Counts of documents by code, or by the bucket in which a code lies. */
import { add, c32, g, locals, params, set, shl, times } from './wat.ts';
import { ALL, codeAt, forAll, forBits, forWords } from './words.ts';

type Narrow = 1 | 2 | 4;

/** Adds 1 to the count of code c, in 16 bits of row r. */
const count16 = (r: number, code: string): string => `
  ${set('q', add(g(`t${r}`), shl(code, 1)))}
  (i32.store16 ${g('q')} (i32.add (i32.load16_u ${g('q')}) (i32.const 1)))`;
const count32 = (code: string): string => `
  ${set('q', add(g('table'), shl(code, 2)))}
  (i32.store ${g('q')} (i32.add (i32.load ${g('q')}) (i32.const 1)))`;

/** Equal neighbours go to four rows in turn: they do not wait for each other. */
const ROWS = `${set('t0', g('table'))} ${set('t1', add(g('t0'), g('row')))}
  ${set('t2', add(g('t1'), g('row')))} ${set('t3', add(g('t2'), g('row')))}`;

/**
 * count{width}: documents of `bits` and `present` in the words [from, to), by code, into a table of
 * 16-bit counts: four rows, `row` bytes apart (0: one row). At most 65,535 documents. Returns how
 * many.
 */
export const count = (width: Narrow): string => `(func (export "count${width}")
  ${params('i32', 'codes bits present from to table row')} (result i32)
  ${locals('i32', 'i n at p q t0 t1 t2 t3')} ${locals('i64', 'w')} ${ROWS}
  ${forWords(
    width,
    `(if ${ALL} (then ${forAll(width, (p, k) => count16(k & 3, codeAt(width, p, k)))})
      (else ${forBits(width, count16(0, codeAt(width, 'p')))}))`,
  )} ${g('n')})`;

/** countMany{width}: the same for many codes: one row of 32-bit counts, however many documents. */
export const countMany = (width: Narrow): string => `(func (export "countMany${width}")
  ${params('i32', 'codes bits present from to table')} (result i32)
  ${locals('i32', 'i n at p q')} ${locals('i64', 'w')}
  ${forWords(
    width,
    `(if ${ALL} (then ${forAll(width, (p, k) => count32(codeAt(width, p, k)))})
      (else ${forBits(width, count32(codeAt(width, 'p')))}))`,
  )} ${g('n')})`;

/** Local b: the bucket of a 32-bit code, or of a 64-bit value as its distance from `first`. */
const bucket = (width: 4 | 8, p: string, k = 0): string => {
  const wide = width === 8;
  const type = wide ? 'i64' : 'i32';
  const x = wide ? `(i64.sub ${codeAt(8, p, k)} ${g('first')})` : codeAt(4, p, k);
  const cell = `(${type}.shr_u (local.tee $x ${x}) ${g('shift')})`;
  const last = `(${type}.load ${add(g('lasts'), shl(g('b'), wide ? 3 : 2))})`;
  return `
  ${set('b', `(i32.load ${add(g('cells'), shl(wide ? `(i32.wrap_i64 ${cell})` : cell, 2))})`)}
  ${set('b', add(g('b'), `(${type}.gt_u ${g('x')} ${last})`))}`;
};

/**
 * bucket{width}: as count{width}, by bucket. cells[x >> shift] is the bucket in which a cell
 * begins; no cell meets a third one; lasts[bucket] is the last x of a bucket. x is a code, or a
 * 64-bit value less `first`.
 */
export const countBuckets = (width: 4 | 8): string => {
  const type = width === 8 ? 'i64' : 'i32';
  const more = params(type, width === 8 ? 'first shift' : 'shift');
  return `(func (export "bucket${width}")
  ${params('i32', 'codes bits present from to table row cells lasts')} ${more} (result i32)
  ${locals('i32', 'i n at p q b t0 t1 t2 t3')} ${locals('i64', 'w')} ${locals(type, 'x')} ${ROWS}
  ${forWords(
    width,
    `(if ${ALL} (then ${forAll(width, (p, k) => bucket(width, p, k) + count16(k & 3, g('b')))})
      (else ${forBits(width, bucket(width, 'p') + count16(0, g('b')))}))`,
  )} ${g('n')})`;
};

const lanes = (row: string): string => `(v128.load ${add(g(row), g('i'))})`;
const clear = (row: string): string =>
  `(v128.store ${add(g(row), g('i'))} (v128.const i32x4 0 0 0 0))`;
const into = (half: 'low' | 'high', offset: number): string => `
  (v128.store offset=${offset} ${g('q')} (i32x4.add (v128.load offset=${offset} ${g('q')})
    (i32x4.extend_${half}_i16x8_u ${g('v')})))`;
const addRows = (rows: number): string => `
  (loop $codes
    ${set('v', lanes('t0'))} ${clear('t0')}
    ${times(rows - 1, (r) => `${set('v', `(i16x8.add ${g('v')} ${lanes(`t${r + 1}`)})`)} ${clear(`t${r + 1}`)}`)}
    ${set('q', add(g('total'), shl(g('i'), 1)))} ${into('low', 0)} ${into('high', 16)}
    ${set('i', add(g('i'), c32(16)))} (br_if $codes (i32.lt_u ${g('i')} ${g('bytes')})))`;

/** total: adds `bytes` of each row to 32-bit counts and clears the rows. */
export const total = `(func (export "total") ${params('i32', 'table row bytes total')}
  ${locals('i32', 'i q t0 t1 t2 t3')} ${locals('v128', 'v')} ${ROWS}
  (if ${g('row')} (then ${addRows(4)}) (else ${addRows(1)})))`;
