/**
 *   sum(ids, n, rows, scales, sums, dims): sums[d] += scales[id] * rows[id][d] for ids[0 .. n), d
 *   in
 *   whole blocks of 32 below dims; float32, each sum in the order of the ids
 */
import { add, c32, g, locals, params, set, shl, times } from '../kernels/wat.ts';

const HALVES = ['low', 'high'] as const;

/** The four sums of a quarter of 16 components: int8 -> int16 -> int32 -> float32, times scale. */
const quarter = (byte: number, wide: number, half: number): string => {
  const name = `s${4 * byte + 2 * wide + half}`;
  const value = `(i32x4.extend_${HALVES[half]}_i16x8_s (local.get $w${wide}))`;
  const scaled = `(f32x4.mul (f32x4.convert_i32x4_s ${value}) (local.get $scale))`;
  return set(name, `(f32x4.add ${g(name)} ${scaled})`);
};

const sixteen = (byte: number): string => `
  ${set('row', `(v128.load offset=${16 * byte} ${g('at')})`)}
  ${times(2, (k) => set(`w${k}`, `(i16x8.extend_${HALVES[k]}_i8x16_s ${g('row')})`))}
  ${times(2, (w) => times(2, (h) => quarter(byte, w, h)))}`;

/** The text of the kernel. */
export const sum = `(func $sum (export "sum") ${params('i32', 'ids n rows scales sums dims')}
  ${locals('i32', 'd id p end at out')} ${locals('v128', 'row w0 w1 scale s0 s1 s2 s3 s4 s5 s6 s7')}
  ${set('end', add(g('ids'), shl(g('n'), 2)))}
  (block $done (loop $blocks
    (br_if $done (i32.gt_s ${add(g('d'), c32(32))} ${g('dims')}))
    ${set('out', add(g('sums'), shl(g('d'), 2)))}
    ${times(8, (k) => set(`s${k}`, `(v128.load offset=${16 * k} ${g('out')})`))}
    ${set('p', g('ids'))}
    (block $last (loop $tokens
      (br_if $last (i32.ge_u ${g('p')} ${g('end')}))
      ${set('id', `(i32.load ${g('p')})`)}
      ${set('scale', `(v128.load32_splat ${add(g('scales'), shl(g('id'), 2))})`)}
      ${set('at', add(add(g('rows'), g('d')), `(i32.mul ${g('id')} ${g('dims')})`))}
      ${sixteen(0)} ${sixteen(1)}
      ${set('p', add(g('p'), c32(4)))}
      (br $tokens)))
    ${times(8, (k) => `(v128.store offset=${16 * k} ${g('out')} ${g(`s${k}`)})`)}
    ${set('d', add(g('d'), c32(32)))}
    (br $blocks))))`;
