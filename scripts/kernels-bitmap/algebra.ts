/** Algebra of bitmaps, and counting their bits. Lengths are whole multiples of 32 bytes. */
import { add, c32, g, locals, params, set, times } from '../kernels/wat.ts';

const ZERO = '(v128.const i32x4 0 0 0 0)';
const block = (array: string, offset = 0): string =>
  `(v128.load offset=${offset} ${add(g(array), g('i'))})`;

/** or, and, andnot: into := into op a. */
export const combine = (op: 'or' | 'and' | 'andnot'): string => `(func (export "${op}")
  ${params('i32', 'into a bytes')} ${locals('i32', 'i')}
  (loop $l
    ${times(2, (k) => {
      const both = `(v128.${op} ${block('into', 16 * k)} ${block('a', 16 * k)})`;
      return `(v128.store offset=${16 * k} ${add(g('into'), g('i'))} ${both})`;
    })}
    ${set('i', add(g('i'), c32(32)))} (br_if $l (i32.lt_u ${g('i')} ${g('bytes')}))))`;

/** Steps of 32 bytes in which counts of 8 bits in 16 lanes do not overflow. */
const STEPS = 15;

/**
 * Runs `step` over all blocks of 32 bytes, and `flush` at least after every 15: `step` may add up
 * bits in lanes of 8.
 */
const inSteps = (step: string, flush: string): string => `
  (loop $out
    ${set('stop', add(g('i'), c32(32 * STEPS)))}
    ${set('stop', `(select ${g('stop')} ${g('bytes')} (i32.lt_u ${g('stop')} ${g('bytes')}))`)}
    (loop $in ${step} ${set('i', add(g('i'), c32(32)))}
      (br_if $in (i32.lt_u ${g('i')} ${g('stop')})))
    ${flush}
    (br_if $out (i32.lt_u ${g('i')} ${g('bytes')})))`;

/** Lanes of 8 bits added up to lanes of 32. */
const widened = (lanes: string): string =>
  `(i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u ${lanes}))`;
const sumOf = (lanes: string): string =>
  [0, 1, 2, 3].map((q) => `(i32x4.extract_lane ${q} ${g(lanes)})`).reduce(add);

/**
 * Number of bits of (a op b op c), without those of `blocked` where `but` says so.
 */
export const count = (name: string, op: 'and' | 'or', but: boolean): string => {
  const step = times(2, (k) => {
    const [a, b, c, out] = ['a', 'b', 'c', 'blocked'].map((array) => block(array, 16 * k));
    const bits = `(v128.${op} (v128.${op} ${a} ${b}) ${c})`;
    const kept = but ? `(v128.andnot ${bits} ${out})` : bits;
    return set('lanes', `(i8x16.add ${g('lanes')} (i8x16.popcnt ${kept}))`);
  });
  const flush = `${set('sum', `(i32x4.add ${g('sum')} ${widened(g('lanes'))})`)} ${set('lanes', ZERO)}`;
  return `(func (export "${name}") ${params('i32', `a b c${but ? ' blocked' : ''} bytes`)}
    (result i32) ${locals('i32', 'i stop')} ${locals('v128', 'sum lanes')}
    ${inSteps(step, flush)} ${sumOf('sum')})`;
};

const EACH = [0, 1, 2] as const;

/**
 * countEach: numbers of bits of a0 and a1 and a2 that `bits` has, to three words at `into`: `bits`
 * is read once for three.
 */
export const countEach = `(func (export "countEach")
  ${params('i32', 'a0 a1 a2 bits bytes into')} ${locals('i32', 'i stop')}
  ${locals('v128', 'b c sum0 sum1 sum2 lanes0 lanes1 lanes2')}
  ${inSteps(
    `${set('b', block('bits'))} ${set('c', block('bits', 16))} ${EACH.map((k) => {
      const ones = (kept: string, offset: number) =>
        `(i8x16.popcnt (v128.and ${g(kept)} ${block(`a${k}`, offset)}))`;
      const both = `(i8x16.add ${ones('b', 0)} ${ones('c', 16)})`;
      return set(`lanes${k}`, `(i8x16.add ${g(`lanes${k}`)} ${both})`);
    }).join('\n')}`,
    EACH.map((k) => {
      const total = `(i32x4.add ${g(`sum${k}`)} ${widened(g(`lanes${k}`))})`;
      return `${set(`sum${k}`, total)} ${set(`lanes${k}`, ZERO)}`;
    }).join('\n'),
  )}
  ${EACH.map((k) => `(i32.store offset=${4 * k} ${g('into')} ${sumOf(`sum${k}`)})`).join('\n')})`;
