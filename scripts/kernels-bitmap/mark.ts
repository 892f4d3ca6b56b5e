/** Postings to bits, and bits to documents. */
import {
  add,
  and,
  c32,
  g,
  load,
  load64,
  locals,
  low,
  params,
  set,
  shl,
  shr,
  sub,
  times,
} from '../kernels/wat.ts';

/** What stands from bit `bit` of `data` on. */
const fromBit = low(`(i64.shr_u ${load64(add(g('data'), shr(g('bit'), 3)))}
  (i64.extend_i32_u ${and(g('bit'), c32(7))}))`);

/** Four deltas of up to this width stand in 64 bits from any bit of a byte on. */
const FOUR_IN_A_WORD = 14;

const setBit = (doc: string): string => `
  ${set('at', add(g('words'), shl(shr(g(doc), 5), 2)))}
  (i32.store ${g('at')} (i32.or ${load(g('at'))} (i32.shl (i32.const 1) ${g(doc)})))`;

const stopAt = (doc: string): string => `(if (i32.ge_u ${g(doc)} ${g('docs')}) (then unreachable))`;

/** Four documents at a time: they rise, so the last one tells whether all are there. */
const four = `
  ${set(
    'w',
    `(i64.shr_u ${load64(add(g('data'), shr(g('bit'), 3)))}
    (i64.extend_i32_u ${and(g('bit'), c32(7))}))`,
  )}
  ${times(4, (k) => {
    const before = k === 0 ? 'last' : `d${k - 1}`;
    const next = set('w', `(i64.shr_u ${g('w')} ${g('wide')})`);
    const delta = and(g('mask'), low(g('w')));
    return `${set(`d${k}`, add(add(g(before), c32(1)), delta))} ${k < 3 ? next : ''}`;
  })}
  ${stopAt('d3')} ${times(4, (k) => setBit(`d${k}`))} ${set('last', g('d3'))}
  ${set('bit', add(g('bit'), shl(g('width'), 2)))} ${set('n', sub(g('n'), c32(4)))}`;

/**
 * mark: adds up n deltas - 1 of `width` bits (up to 24), low bits first, and sets the bits of the
 * documents; returns the last one. Traps at a document that is not below `docs`.
 */
export const mark = `(func (export "mark") ${params('i32', 'data n width last words docs')}
  (result i32) ${locals('i32', 'bit mask at d0 d1 d2 d3')} ${locals('i64', 'w wide')}
  ${set('mask', sub(`(i32.shl (i32.const 1) ${g('width')})`, c32(1)))}
  (if (i32.le_u ${g('width')} ${c32(FOUR_IN_A_WORD)}) (then
    ${set('wide', `(i64.extend_i32_u ${g('width')})`)}
    (block $few (loop $fours
      (br_if $few (i32.lt_u ${g('n')} ${c32(4)})) ${four} (br $fours)))))
  (block $end (loop $l
    (br_if $end (i32.eqz ${g('n')}))
    ${set('last', add(add(g('last'), c32(1)), and(g('mask'), fromBit)))}
    ${stopAt('last')} ${setBit('last')}
    ${set('bit', add(g('bit'), g('width')))} ${set('n', sub(g('n'), c32(1)))} (br $l)))
  ${g('last')})`;

/** The documents of the eight bytes at `offset` behind `i`. */
const eight = (offset: number): string => `
  (local.set $w (i64.load offset=${offset} ${add(g('bits'), g('i'))}))
  (block $none (loop $bit
    (br_if $none (i64.eqz ${g('w')}))
    (i32.store ${g('into')} ${add(add(shl(g('i'), 3), c32(8 * offset)), low(`(i64.ctz ${g('w')})`))})
    ${set('into', add(g('into'), c32(4)))}
    (local.set $w (i64.and ${g('w')} (i64.sub ${g('w')} (i64.const 1)))) (br $bit)))`;

/** documents: the numbers of the set bits to `into`, rising; returns how many. */
export const documents = `(func (export "documents") ${params('i32', 'bits bytes into')}
  (result i32) ${locals('i32', 'i first')} ${locals('i64', 'w')}
  ${set('first', g('into'))}
  (loop $l
    (if (v128.any_true (v128.load ${add(g('bits'), g('i'))})) (then ${eight(0)} ${eight(8)}))
    ${set('i', add(g('i'), c32(16)))} (br_if $l (i32.lt_u ${g('i')} ${g('bytes')})))
  ${shr(sub(g('into'), g('first')), 2)})`;
