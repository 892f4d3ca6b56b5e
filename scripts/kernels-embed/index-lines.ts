/**
 *   index(text, end, size, starts, ends, ids, hashes, mask, beginnings, bits): the tables of
 *   embed/static/vocabulary.ts over the lines text .. end (addresses); places in `starts` and
 *   `ends` count
 *   from the text. Returns the number of lines, at most size + 1
 */
import { BEGINS, GOES_ON, PRIME } from '../../packages/engine/src/embed/static/piece-hash.ts';
import { add, and, c32, g, load, load8, locals, params, set, shl, sub } from '../kernels/wat.ts';

const LINE_FEED = 10;
const HASH = 35;

const is = (a: string, b: string): string => `(i32.eq ${a} ${b})`;
const not = (a: string): string => `(i32.eqz ${a})`;
const shr = (a: string, bits: number): string => `(i32.shr_u ${a} ${c32(bits)})`;
const xor = (a: string, b: string): string => `(i32.xor ${a} ${b})`;
const when = (test: string, then: string): string => `(if ${test} (then ${then}))`;
const word = (array: string, index: string): string => add(g(array), shl(index, 2));
const put = (array: string, index: string, value: string): string =>
  `(i32.store ${word(array, index)} ${value})`;

/** Whether a byte before the text of a token is "#". */
const inner = (start: string): string =>
  `(if (result i32) ${start} (then ${is(load8(sub(add(g('text'), start), c32(1))), c32(HASH))})
    (else ${c32(0)}))`;

/** 1 where `line` ends at `at`. */
const ends = (at: string): string =>
  `(if (result i32) (i32.ge_u ${at} ${g('end')}) (then ${c32(1)})
    (else ${is(load8(at), c32(LINE_FEED))}))`;

/** Steps over "##" where text follows it. */
const skip = when(
  `(i32.lt_u ${add(g('at'), c32(2))} ${g('end')})`,
  when(
    is(`(i32.load16_u ${g('at')})`, c32(HASH * 257)),
    when(
      not(ends(add(g('at'), c32(2)))),
      `${set('at', add(g('at'), c32(2)))} ${set('hash', c32(GOES_ON))}`,
    ),
  ),
);

/** Looks for the slot: an empty one, or that of an equal token. */
const find = `
  (block $found (loop $slots
    ${set('other', load(word('ids', g('slot'))))}
    (br_if $found ${not(g('other'))})
    (block $next
      (br_if $next (i32.ne ${load(word('hashes', g('slot')))} ${g('hash')}))
      ${set('other', sub(g('other'), c32(1)))}
      ${set('p', load(word('starts', g('other'))))}
      ${set('length', sub(load(word('ends', g('other'))), g('p')))}
      (br_if $next (i32.ne ${g('length')} ${sub(g('at'), g('from'))}))
      ${set('q', sub(g('from'), g('text')))}
      (br_if $next (i32.ne ${inner(g('p'))} ${inner(g('q'))}))
      (block $differs (loop $bytes
        (br_if $found ${not(g('length'))})
        (br_if $differs (i32.ne ${load8(add(g('text'), g('p')))} ${load8(add(g('text'), g('q')))}))
        ${set('p', add(g('p'), c32(1)))} ${set('q', add(g('q'), c32(1)))}
        ${set('length', sub(g('length'), c32(1)))}
        (br $bytes))))
    ${set('slot', and(add(g('slot'), c32(1)), g('mask')))}
    (br $slots)))`;

/** Where a hash falls under a mask. */
const falls = (mask: string): string =>
  and(xor(xor(g('hash'), shr(g('hash'), 15)), shr(g('hash'), 7)), g(mask));

/** Sets the bit of the beginning that has this hash. */
const mark = `
  ${set('bit', falls('bits'))}
  ${set('p', add(g('beginnings'), shl(shr(g('bit'), 5), 2)))}
  (i32.store ${g('p')} (i32.or ${load(g('p'))} (i32.shl ${c32(1)} ${g('bit')})))`;

/** The text of the kernel. */
export const indexLines = `(func (export "index")
  ${params('i32', 'text end size starts ends ids hashes mask beginnings bits')} (result i32)
  ${locals('i32', 'at from id hash slot other p q length bit')}
  ${set('at', g('text'))}
  (block $done (loop $lines
    (br_if $done (i32.ge_u ${g('at')} ${g('end')}))
    (br_if $done (i32.gt_s ${g('id')} ${g('size')}))
    ${set('hash', c32(BEGINS))}
    ${skip}
    ${set('from', g('at'))}
    (block $line (loop $bytes
      (br_if $line ${ends(g('at'))})
      ${set('hash', `(i32.mul ${xor(g('hash'), load8(g('at')))} ${c32(PRIME)})`)}
      ${mark}
      ${set('at', add(g('at'), c32(1)))}
      (br $bytes)))
    ${when(
      `(i32.lt_s ${g('id')} ${g('size')})`,
      `${put('starts', g('id'), sub(g('from'), g('text')))}
       ${put('ends', g('id'), sub(g('at'), g('text')))}
       ${set('slot', falls('mask'))}
       ${find}
       ${put('ids', g('slot'), add(g('id'), c32(1)))}
       ${put('hashes', g('slot'), g('hash'))}`,
    )}
    ${set('id', add(g('id'), c32(1)))}
    ${set('at', add(g('at'), c32(1)))}
    (br $lines)))
  ${g('id')})`;
