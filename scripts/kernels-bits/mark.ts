/** Postings to bits. */
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
