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
} from '../kernels/wat.ts';

/** What stands from bit `bit` of `data` on. */
const fromBit = low(`(i64.shr_u ${load64(add(g('data'), shr(g('bit'), 3)))}
  (i64.extend_i32_u ${and(g('bit'), c32(7))}))`);

/**
 * mark: adds up n deltas - 1 of `width` bits (up to 24), low bits first, and sets the bits of the
 * documents; returns the last one. Traps at a document that is not below `docs`.
 */
export const mark = `(func (export "mark") ${params('i32', 'data n width last words docs')}
  (result i32) ${locals('i32', 'bit mask at')}
  ${set('mask', sub(`(i32.shl (i32.const 1) ${g('width')})`, c32(1)))}
  (loop $l
    ${set('last', add(add(g('last'), c32(1)), and(g('mask'), fromBit)))}
    (if (i32.ge_u ${g('last')} ${g('docs')}) (then unreachable))
    ${set('at', add(g('words'), shl(shr(g('last'), 5), 2)))}
    (i32.store ${g('at')} (i32.or ${load(g('at'))} (i32.shl (i32.const 1) ${g('last')})))
    ${set('bit', add(g('bit'), g('width')))}
    (br_if $l (local.tee $n ${sub(g('n'), c32(1))})))
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
