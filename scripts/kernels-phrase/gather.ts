/** Documents that hold all words of a phrase with a list term, and their order by impact. */
import { FIELD, TABLE_AT, TERM_BYTES } from '../../packages/engine/src/scoring/kernel-memory.ts';
import { BUCKETS_AT } from '../../packages/engine/src/scoring/phrase/memory.ts';
import { add, c32, g, load, load8, locals, params, set, shl, shr, sub } from '../kernels/wat.ts';
import { listField } from './unpack.ts';

const denseField = (name: keyof typeof FIELD): string =>
  `(i32.load offset=${FIELD[name]} ${g('s')})`;

/** A block is compared sixteen documents at a time. */
const sixteen = (() => {
  const equal = (at: number) => `(i32x4.eq (v128.load offset=${at} ${g('p')}) ${g('vd')})`;
  return `(i8x16.bitmask (i8x16.narrow_i16x8_s
    (i16x8.narrow_i32x4_s ${equal(0)} ${equal(16)}) (i16x8.narrow_i32x4_s ${equal(32)} ${equal(48)})))`;
})();

const put = (array: string, value: string): string =>
  `(i32.store ${add(g(array), shl(g('m'), 2))} ${value})`;

/**
 * merge: documents of source[0 .. n) that the list term at $s has, to `into`; their places in the
 * source to `a`, in the term to `b`. Decodes only blocks that may hold one.
 */
const merge = `(func $merge ${params('i32', 's source n into a b')} (result i32)
  ${locals('i32', 'i m d block blocks last decoded p end eq docs')} ${locals('v128', 'vd')}
  ${set('decoded', c32(-1))} ${set('blocks', listField('blocks'))} ${set('last', listField('lastDocs'))}
  ${set('docs', listField('docs'))}
  (block $done (loop $next
    (br_if $done (i32.ge_u ${g('i')} ${g('n')}))
    ${set('d', load(add(g('source'), shl(g('i'), 2))))}
    (block $far (loop $eight
      (br_if $far (i32.gt_u ${add(g('block'), c32(8))} ${g('blocks')}))
      (br_if $far (i32.ge_s (i32.load offset=28 ${add(g('last'), shl(g('block'), 2))}) ${g('d')}))
      ${set('block', add(g('block'), c32(8)))} (br $eight)))
    (loop $skip
      (br_if $done (i32.ge_u ${g('block')} ${g('blocks')}))
      (if (i32.lt_s ${load(add(g('last'), shl(g('block'), 2)))} ${g('d')}) (then
        ${set('block', add(g('block'), c32(1)))} (br $skip))))
    (if (i32.ne ${g('decoded')} ${g('block')}) (then
      (call $decodeDocs ${g('s')} ${g('block')}) ${set('decoded', g('block'))}
      ${set('p', add(g('docs'), shl(g('block'), 9)))}
      ${set('end', add(g('p'), c32(512)))}
      (if (i32.gt_u ${g('end')} ${add(g('docs'), shl(listField('df'), 2))})
        (then ${set('end', add(g('docs'), shl(listField('df'), 2)))}))))
    (block $near (loop $group
      (br_if $near (i32.ge_u ${add(g('p'), c32(60))} ${g('end')}))
      (br_if $near (i32.ge_s (i32.load offset=60 ${g('p')}) ${g('d')}))
      ${set('p', add(g('p'), c32(64)))} (br $group)))
    ${set('vd', `(i32x4.splat ${g('d')})`)}
    (if (local.tee $eq ${sixteen}) (then
      ${put('into', g('d'))} ${put('a', g('i'))}
      ${put('b', add(shr(sub(g('p'), g('docs')), 2), `(i32.ctz ${g('eq')})`))}
      ${set('m', add(g('m'), c32(1)))}))
    ${set('i', add(g('i'), c32(1)))} (br $next)))
  ${g('m')})`;

/** move: to[i] = from[by[i]] for i < n. */
const move = `(func $move ${params('i32', 'to from by n')} ${locals('i32', 'end')}
  ${set('end', add(g('by'), shl(g('n'), 2)))}
  (block $done (loop $l (br_if $done (i32.ge_u ${g('by')} ${g('end')}))
    (i32.store ${g('to')} ${load(add(g('from'), shl(load(g('by')), 2)))})
    ${set('to', add(g('to'), c32(4)))} ${set('by', add(g('by'), c32(4)))} (br $l))))`;

/** copy: to[0 .. n) = from[0 .. n), and up to three words more. */
const copy = `(func $copy ${params('i32', 'to from n')} ${locals('i32', 'end')}
  ${set('end', add(g('from'), shl(g('n'), 2)))}
  (block $done (loop $l (br_if $done (i32.ge_u ${g('from')} ${g('end')}))
    (v128.store ${g('to')} (v128.load ${g('from')}))
    ${set('to', add(g('to'), c32(16)))} ${set('from', add(g('from'), c32(16)))} (br $l))))`;

/** Lists of comparable size (up to so many times) are decoded whole and compared four by four. */
const COMPARABLE = 12;
const WORTH_ALL = 64;

const sieveBy = (bitmap: string, flip: number): string => `
  ${set(
    'm',
    `(call $sieve ${g('source')} ${g('m')} ${bitmap} ${g('survivors')}
      ${`(i32.load offset=${FIELD.hits} ${c32(0)})`} ${g('first')} ${c32(flip)})`,
  )}
  ${set('source', g('survivors'))} ${set('first', c32(0))}`;

/** Posting numbers of the terms before the one at $s move along by `a`. */
const moveHits = `
  ${set('t', g('s'))} ${set('s', c32(0))}
  (if ${g('first')} (then (call $copy ${listField('hits')} ${g('a')} ${g('m')})) (else
    (loop $before (call $move ${listField('hits')} ${listField('hits')} ${g('a')} ${g('m')})
      ${set('s', add(g('s'), c32(TERM_BYTES)))} (br_if $before (i32.lt_u ${g('s')} ${g('t')})))))
  ${set('s', g('t'))}`;

/**
 * gather: documents that hold the n described terms, of which the first `lists` are lists or short,
 * to survivors; their posting numbers to the hits of these terms. Documents of the bitmap `blocked`
 * (0: none) are left out. Returns how many.
 */
export const gather = `(func (export "gather")
  ${params('i32', 'n lists survivors a blocked')} (result i32)
  ${locals('i32', 's t source m first end')}
  ${set('end', `(i32.mul ${g('lists')} ${c32(TERM_BYTES)})`)}
  (loop $new (call $forget ${g('s')}) ${set('s', add(g('s'), c32(TERM_BYTES)))}
    (br_if $new (i32.lt_u ${g('s')} ${g('end')})))
  ${set('s', c32(0))} (call $decodeAll ${c32(0)})
  ${set('source', listField('docs'))} ${set('m', listField('df'))} ${set('first', c32(1))}
  (if ${g('blocked')} (then ${sieveBy(g('blocked'), 1)}))
  ${set('s', g('end'))}
  (block $dense (loop $l
    (br_if $dense (i32.ge_u ${g('s')} (i32.mul ${g('n')} ${c32(TERM_BYTES)})))
    ${sieveBy(denseField('bitmap'), 0)}
    ${set('s', add(g('s'), c32(TERM_BYTES)))} (br $l)))
  ${set('s', c32(TERM_BYTES))}
  (block $done (loop $l
    (br_if $done (i32.ge_u ${g('s')} ${g('end')}))
    (if (i32.or (i32.eqz ${listField('lastDocs')}) (i32.and (i32.gt_u ${g('m')} ${c32(WORTH_ALL)})
      (i32.gt_u (i32.mul ${g('m')} ${c32(COMPARABLE)}) ${listField('df')})))
      (then (call $decodeAll ${g('s')})
        ${set(
          'm',
          `(call $intersect ${g('source')} ${g('m')} ${listField('docs')} ${listField('df')}
            ${g('survivors')} ${g('a')} ${listField('hits')})`,
        )})
      (else ${set(
        'm',
        `(call $merge ${g('s')} ${g('source')} ${g('m')} ${g('survivors')} ${g('a')} ${listField('hits')})`,
      )}))
    ${moveHits}
    ${set('source', g('survivors'))} ${set('first', c32(0))}
    ${set('s', add(g('s'), c32(TERM_BYTES)))} (br $l)))
  ${g('m')})`;

/** Lowers `least` by the width of frequencies in the document's range. */
const byWidth = `
  ${set('s', `(i32.mul ${g('lists')} ${c32(TERM_BYTES)})`)}
  (block $all (loop $dense
    (br_if $all (i32.ge_u ${g('s')} (i32.mul ${g('n')} ${c32(TERM_BYTES)})))
    ${set('w', load8(add(denseField('width'), shr(g('d'), 8))))}
    (if (i32.lt_u ${g('w')} ${c32(5)}) (then
      ${set('w', `(i32.shl ${c32(1)} ${g('w')})`)}
      (if (i32.lt_u ${g('w')} ${g('least')}) (then ${set('least', g('w'))}))))
    ${set('s', add(g('s'), c32(TERM_BYTES)))} (br $dense)))`;

const bucket = (at: string): string => add(c32(BUCKETS_AT), shl(at, 2));
const addOne = (at: string): string => `(i32.store ${at} ${add(load(at), c32(1))})`;
const eachSurvivor = (step: string): string => `
  ${set('i', c32(0))} (block $end (loop $each (br_if $end (i32.ge_u ${g('i')} ${g('m')}))
    ${step} ${set('i', add(g('i'), c32(1)))} (br $each)))`;

/**
 * arrange: ordered[0 .. m) = the numbers of survivors by falling impact of what they may have of
 * the phrase at most, in 256 steps; keys: the step of each, 0 the best.
 */
export const arrange = `(func (export "arrange")
  ${params('i32', 'n lists m survivors codes ordered keys')}
  ${locals('i32', 'i d s w p key least')}
  ${set('p', c32(BUCKETS_AT))}
  (loop $clear (v128.store ${g('p')} (v128.const i32x4 0 0 0 0)) ${set('p', add(g('p'), c32(16)))}
    (br_if $clear (i32.lt_u ${g('p')} ${c32(BUCKETS_AT + 4 * 260)})))
  ${eachSurvivor(`
    ${set('d', load(add(g('survivors'), shl(g('i'), 2))))}
    ${set('least', `(call $frequencyOf ${c32(0)} ${load(add(`(i32.load offset=${FIELD.hits} ${c32(0)})`, shl(g('i'), 2)))})`)}
    (if (i32.gt_u ${g('least')} ${c32(32)}) (then ${set('least', c32(32))}))
    (if (i32.gt_u ${g('least')} ${c32(1)}) (then ${byWidth}))
    ${set(
      'key',
      sub(
        c32(255),
        `(i32.trunc_f64_s (f64.min (f64.const 255) (f64.mul (f64.const 255.999)
          (f64.load offset=${TABLE_AT} ${add(shl(g('least'), 11), shl(load8(add(g('codes'), g('d'))), 3))}))))`,
      ),
    )}
    (i32.store8 ${add(g('keys'), g('i'))} ${g('key')})
    ${set('p', bucket(add(g('key'), c32(1))))} ${addOne(g('p'))}`)}
  ${set('p', c32(BUCKETS_AT))} ${set('key', c32(0))}
  (loop $sum ${set('key', add(g('key'), load(g('p'))))} (i32.store ${g('p')} ${g('key')})
    ${set('p', add(g('p'), c32(4)))} (br_if $sum (i32.lt_u ${g('p')} ${c32(BUCKETS_AT + 4 * 257)})))
  ${eachSurvivor(`
    ${set('p', bucket(load8(add(g('keys'), g('i')))))}
    (i32.store ${add(g('ordered'), shl(load(g('p')), 2))} ${g('i')}) ${addOne(g('p'))}`)})`;

export const gathering = `${merge} ${move} ${copy} ${gather} ${arrange}`;
