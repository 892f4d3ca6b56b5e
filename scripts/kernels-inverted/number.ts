/**
 *   number(at, end, size, most, mask, pool, poolEnd, starts, slots): numbers the tokens of the
 *   `simple` analyzer in the text at .. end with a term table (inverted/term-table.ts) of `size`
 *   terms. Writes numbers to IDS; returns how many there are. STATE has the terms of the table
 *   afterwards, and where the kernel stopped: before `end` if IDS is full, if a new term does not
 *   fit (`most` terms, pool up to poolEnd), or at the start of a token that is too long or not
 *   ASCII.
 */
import { TERM_HASH, TERM_MEMORY } from '../../packages/engine/src/inverted/term-layout.ts';
import { add, c32, g, load, load8, locals, params, set, shl, shr, sub } from '../kernels/wat.ts';

const { STATE, SCRATCH, IDS, IDS_MOST, TOKEN_MOST } = TERM_MEMORY;
const LANES = 16;
const LOWER = 0x20;

const splat = (value: number): string => `(i8x16.splat ${c32(value)})`;
/** Lanes of $v that are `count` values from `first` on, after `bits` are set. */
const within = (value: string, first: string, count: number): string =>
  `(i8x16.lt_u (i8x16.sub ${value} ${splat(first.charCodeAt(0))}) ${splat(count)})`;
const ctz = (bits: string): string => `(i32.ctz (i32.or ${bits} ${c32(1 << LANES)}))`;
const xor = (a: string, b: string): string => `(i32.xor ${a} ${b})`;
const mul = (a: string, b: number): string => `(i32.mul ${a} ${c32(b)})`;
const when = (test: string, then: string): string => `(if ${test} (then ${then}))`;
const geU = (a: string, b: string): string => `(i32.ge_u ${a} ${b})`;

/** $v = 16 bytes of text, $letters = those that are letters, $word = bits of letters and digits. */
const classify = `
  ${set('v', `(v128.load ${g('at')})`)}
  ${set('letters', within(`(v128.or ${g('v')} ${splat(LOWER)})`, 'a', 26))}
  ${set('word', `(i8x16.bitmask (v128.or ${g('letters')} ${within(g('v'), '0', 10)}))`)}`;

/** Goes to the next letter, digit or byte beyond ASCII; stops at the latter. */
const skip = `
  ${set('n', ctz(`(i32.or ${g('word')} (i8x16.bitmask ${g('v')}))`))}
  (br_if $stop (i32.eqz ${g('n')}))
  ${set('at', add(g('at'), g('n')))}
  (br $tokens)`;

/** Copies the token to SCRATCH in lower case; $at is behind it. */
const copy = `
  ${set('length', c32(0))}
  (block $copied (loop $pieces
    (v128.store offset=${SCRATCH} ${g('length')}
      (v128.or ${g('v')} (v128.and ${g('letters')} ${splat(LOWER)})))
    ${set('n', ctz(xor(g('word'), c32(-1))))}
    ${when(`(i32.gt_u ${g('n')} ${sub(g('end'), g('at'))})`, set('n', sub(g('end'), g('at'))))}
    ${set('length', add(g('length'), g('n')))}
    ${set('at', add(g('at'), g('n')))}
    (br_if $copied (i32.lt_u ${g('n')} ${c32(LANES)}))
    (br_if $copied ${geU(g('at'), g('end'))})
    (br_if $back (i32.gt_u ${g('length')} ${c32(TOKEN_MOST)}))
    ${classify}
    (br $pieces)))
  (br_if $back (i32.gt_u ${g('length')} ${c32(TOKEN_MOST)}))
  ${when(`(i32.lt_u ${g('at')} ${g('end')})`, `(br_if $back ${geU(load8(g('at')), c32(128))})`)}`;

/** The hash of the token, as `hashOf` of the table, and its first slot. */
const hash = `
  (i32.store offset=${SCRATCH} ${g('length')} (i32.const 0))
  ${set('hash', g('length'))}
  ${set('n', c32(0))}
  (loop $words
    ${set('hash', mul(xor(`(i32.rotl ${g('hash')} ${c32(TERM_HASH.rotate)})`, `(i32.load offset=${SCRATCH} ${g('n')})`), TERM_HASH.multiply))}
    ${set('n', add(g('n'), c32(4)))}
    (br_if $words (i32.lt_u ${g('n')} ${g('length')})))
  ${set('n', mul(xor(g('hash'), shr(g('hash'), 15)), TERM_HASH.mix))}
  ${set('slot', xor(g('n'), shr(g('n'), 13)))}`;

/** Continues with the next slot unless the pooled term at $n has the bytes of the token. */
const compare = `
  ${set('k', c32(0))}
  (loop $chunks
    ${set(
      'differs',
      `(i64.xor (i64.load ${add(g('n'), g('k'))}) (i64.load offset=${SCRATCH} ${g('k')}))`,
    )}
    ${set('left', sub(g('length'), g('k')))}
    ${when(
      `(i32.lt_u ${g('left')} ${c32(8)})`,
      set(
        'differs',
        `(i64.shl ${g('differs')} (i64.extend_i32_u ${sub(c32(64), shl(g('left'), 3))}))`,
      ),
    )}
    (br_if $next (i64.ne ${g('differs')} (i64.const 0)))
    ${set('k', add(g('k'), c32(8)))}
    (br_if $chunks (i32.lt_u ${g('k')} ${g('length')})))`;

/** A new term, in the slot at $entry. */
const insert = `
  (br_if $back ${geU(g('size'), g('most'))})
  ${set('n', load(add(g('starts'), shl(g('size'), 2))))}
  (br_if $back (i32.gt_u ${add(add(g('pool'), g('n')), g('length'))} ${g('poolEnd')}))
  (memory.copy ${add(g('pool'), g('n'))} ${c32(SCRATCH)} ${g('length')})
  ${set('id', g('size'))}
  ${set('size', add(g('size'), c32(1)))}
  (i32.store ${add(g('starts'), shl(g('size'), 2))} ${add(g('n'), g('length'))})
  (i32.store ${g('entry')} ${g('hash')})
  (i32.store offset=4 ${g('entry')} ${g('size')})`;

/** $id = number of the token's term. */
const find = `
  (block $found (loop $probe
    ${set('slot', `(i32.and ${g('slot')} ${g('mask')})`)}
    ${set('entry', add(g('slots'), shl(g('slot'), 3)))}
    ${set('id', `(i32.load offset=4 ${g('entry')})`)}
    ${when(`(i32.eqz ${g('id')})`, `${insert} (br $found)`)}
    ${set('id', sub(g('id'), c32(1)))}
    (block $next
      (br_if $next (i32.ne ${load(g('entry'))} ${g('hash')}))
      ${set('entry', add(g('starts'), shl(g('id'), 2)))}
      ${set('n', load(g('entry')))}
      (br_if $next (i32.ne ${sub(`(i32.load offset=4 ${g('entry')})`, g('n'))} ${g('length')}))
      ${set('n', add(g('pool'), g('n')))}
      ${compare}
      (br $found))
    ${set('slot', add(g('slot'), c32(1)))}
    (br $probe)))`;

/** The text of the kernel. */
export const number = `(func (export "number")
  ${params('i32', 'at end size most mask pool poolEnd starts slots')} (result i32)
  ${locals('i32', 'count start length n word hash slot entry id k left')}
  (local $v v128) (local $letters v128) (local $differs i64)
  (block $stop
    (block $back
      (loop $tokens
        (br_if $stop ${geU(g('at'), g('end'))})
        ${classify}
        ${when(`(i32.eqz (i32.and ${g('word')} ${c32(1)}))`, skip)}
        (br_if $stop ${geU(g('count'), c32(IDS_MOST))})
        ${set('start', g('at'))}
        ${copy}
        ${hash}
        ${find}
        (i32.store offset=${IDS} ${shl(g('count'), 2)} ${g('id')})
        ${set('count', add(g('count'), c32(1)))}
        (br $tokens)))
    ${set('at', g('start'))})
  (i32.store offset=${STATE} (i32.const 0) ${g('size')})
  (i32.store offset=${STATE + 4} (i32.const 0) ${g('at')})
  ${g('count')})`;
