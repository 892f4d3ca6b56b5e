/** Codes of a column compared with bounds: bits of 32 documents at a time. */
import { add, c32, g, load, locals, params, set, shl, sub } from '../kernels/wat.ts';

export type Narrow = 1 | 2 | 4;
const SHAPE = { 1: 'i8x16', 2: 'i16x8', 4: 'i32x4' } as const;

/** Lanes of block k of the documents at hand that lie in the span: all ones. */
const inside = (width: Narrow, k: number): string => {
  const shape = SHAPE[width];
  const code = `(v128.load offset=${16 * k} ${g('at')})`;
  return `(${shape}.le_u (${shape}.sub ${code} ${g('first')}) ${g('spread')})`;
};

/** Bits of 16 documents from block k on. */
const sixteen = (width: Narrow, k: number): string => {
  if (width === 1) return `(i8x16.bitmask ${inside(1, k)})`;
  const pair = (w: 2 | 4, from: number): string => {
    const [a, b] = [inside(w, from), inside(w, from + 1)];
    return w === 2 ? `(i8x16.narrow_i16x8_s ${a} ${b})` : `(i16x8.narrow_i32x4_s ${a} ${b})`;
  };
  if (width === 2) return `(i8x16.bitmask ${pair(2, 2 * k)})`;
  return `(i8x16.bitmask (i8x16.narrow_i16x8_s ${pair(4, 4 * k)} ${pair(4, 4 * k + 2)}))`;
};

/** Goes over words of 32 documents; `bits` is what such a word gets. */
const overWords = (bits: string, bytes: number): string => `
  (loop $l
    ${set('w', bits)}
    (if ${g('present')} (then
      ${set('w', `(i32.and ${g('w')} ${load(g('present'))})`)}
      ${set('present', add(g('present'), c32(4)))}))
    (i32.store ${g('into')} (i32.or ${load(g('into'))} ${g('w')}))
    ${set('into', add(g('into'), c32(4)))} ${set('at', add(g('at'), c32(bytes)))}
    (br_if $l (local.tee $words ${sub(g('words'), c32(1))})))`;

/**
 * between{width}: into |= documents whose unsigned code lies in [lo, lo + span] and whose bit is in
 * `present` (0: all), for `words` words of 32 documents, at least one.
 */
export const between = (width: Narrow): string => {
  const shape = SHAPE[width];
  return `(func (export "between${width}") ${params('i32', 'at present into words lo span')}
    ${locals('i32', 'w')} ${locals('v128', 'first spread')}
    ${set('first', `(${shape}.splat ${g('lo')})`)} ${set('spread', `(${shape}.splat ${g('span')})`)}
    ${overWords(`(i32.or ${sixteen(width, 0)} ${shl(sixteen(width, 1), 16)})`, 32 * width)})`;
};

/** between8: the same for signed values of 64 bits in [lo, hi]. */
export const betweenWide = (() => {
  const pair = (k: number): string => {
    const value = `(v128.load offset=${16 * k} ${g('at')})`;
    const both = `(v128.and (i64x2.ge_s ${value} ${g('first')}) (i64x2.le_s ${value} ${g('last')}))`;
    return shl(`(i64x2.bitmask ${both})`, 2 * k);
  };
  const bits = Array.from({ length: 16 }, (_, k) => pair(k)).reduce((a, b) => `(i32.or ${a} ${b})`);
  return `(func (export "between8") ${params('i32', 'at present into words')}
    ${params('i64', 'lo hi')} ${locals('i32', 'w')} ${locals('v128', 'first last')}
    ${set('first', `(i64x2.splat ${g('lo')})`)} ${set('last', `(i64x2.splat ${g('hi')})`)}
    ${overWords(bits, 256)})`;
})();
