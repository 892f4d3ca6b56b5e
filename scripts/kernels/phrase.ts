/** Positions: where those of a document lie in a dense term, and how often terms stand at their slots. */
import {
  CURSORS_AT,
  FIELD,
  TERM_BYTES,
  WIDTHS_AT,
} from '../../packages/engine/src/scoring/kernel-memory.ts';
import { boundary, frequencyBefore } from './terms.ts';
import {
  add,
  and,
  c32,
  type Field,
  g,
  load,
  load8,
  load64,
  locals,
  low,
  params,
  popcnt,
  set,
  shl,
  shr,
  sub,
} from './wat.ts';

/** A word of the descriptor at $s, of the cursor at $q: group, next, tfBit, posBit, byte. */
const field = (name: Field): string => `(i32.load offset=${FIELD[name]} ${g('s')})`;
const leadField = (name: Field): string => `(i32.load offset=${FIELD[name]} ${g('lead')})`;
const setField = (name: Field, value: string): string =>
  `(i32.store offset=${FIELD[name]} ${g('s')} ${value})`;
const CURSOR = { group: 0, next: 4, tfBit: 8, posBit: 12, byte: 16 } as const;
type CursorField = keyof typeof CURSOR;
const cursor = (name: CursorField): string => `(i32.load offset=${CURSOR[name]} ${g('q')})`;
const setCursor = (name: CursorField, value: string): string =>
  `(i32.store offset=${CURSOR[name]} ${g('q')} ${value})`;

const nextTf = `(if ${g('w')} (then ${set('tfBit', add(g('tfBit'), g('w')))}
  ${set('tf', frequencyBefore(g('at'), g('tfBit'), g('w')))}))`;

/** Starts at the group of 64 documents that holds d; returns 0 where its start is not stored (255). */
const enterGroup = `
  ${set('g', and(shr(g('d'), 6), c32(3)))}
  (if ${g('g')} (then
    ${set('p', load8(sub(add(add(field('group'), `(i32.mul ${g('r')} ${c32(3)})`), g('g')), c32(1))))}
    (if (i32.eq ${g('p')} ${c32(255)}) (then (return ${c32(0)})))))
  ${setCursor('byte', add(g('at'), g('p')))}
  ${set('p', add(field('bitmap'), shl(g('r'), 5)))}
  (block $e (loop $l (br_if $e (i32.eqz ${g('g')}))
    ${set('tfBit', add(g('tfBit'), low(popcnt(load64(g('p'))))))}
    ${set('p', add(g('p'), c32(8)))} ${set('g', sub(g('g'), c32(1)))} (br $l)))
  ${set('tfBit', `(i32.mul ${g('tfBit')} ${g('w')})`)}
  ${setCursor('group', shr(g('d'), 6))} ${setCursor('next', and(g('d'), c32(-64)))}`;

/** Documents of the group from cursor.next up to d, d excluded. */
const before = (() => {
  const group = load64(add(field('bitmap'), shl(shr(g('d'), 6), 3)));
  const below = `(i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u ${g('d')})) (i64.const 1))`;
  const from = `(i64.shl (i64.const -1) (i64.extend_i32_u ${cursor('next')}))`;
  return `(i64.and ${group} (i64.and ${below} ${from}))`;
})();

/** locate: frequency and place of the positions of d in the dense term at $s; cursor at $q. */
export const locate = `(func $locate ${params('i32', 's q d extents')} (result i32)
  ${locals('i32', 'r w at g p tfBit posBit tf')} ${locals('i64', 'x')}
  ${set('r', shr(g('d'), 8))} ${set('w', load8(add(field('width'), g('r'))))}
  ${set('at', boundary(field))}
  (if (i32.or (i32.ne ${cursor('group')} ${shr(g('d'), 6)}) (i32.lt_u ${g('d')} ${cursor('next')}))
    (then ${enterGroup})
    (else ${set('tfBit', cursor('tfBit'))} ${set('posBit', cursor('posBit'))}))
  ${set('x', before)} ${set('p', add(g('extents'), and(g('d'), c32(-64))))}
  (block $done (loop $walk (br_if $done (i64.eqz ${g('x')})) ${set('tf', c32(1))}
    ${nextTf}
    ${set(
      'posBit',
      add(
        g('posBit'),
        `(i32.mul ${g('tf')} (i32.load8_u offset=${WIDTHS_AT}
          ${load8(add(g('p'), low(`(i64.ctz ${g('x')})`)))}))`,
      ),
    )}
    ${set('x', `(i64.and ${g('x')} (i64.sub ${g('x')} (i64.const 1)))`)} (br $walk)))
  ${setCursor('next', g('d'))} ${setCursor('tfBit', g('tfBit'))} ${setCursor('posBit', g('posBit'))}
  ${set('tf', c32(1))}
  ${nextTf}
  ${setField('tf', g('tf'))} ${setField('byte', cursor('byte'))} ${setField('bit', g('posBit'))}
  ${c32(1)})`;

const read = (byte: string, bit: string): string =>
  and(`(i32.shr_u ${load(add(byte, shr(bit, 3)))} ${and(bit, c32(7))})`, g('mask'));

/** Looks for position v in the term at $s; goes on with the next position of the lead where it is not there. */
const scan = `
  ${set('j', field('tf'))} ${set('bit', field('bit'))} ${set('v', add(g('p'), field('slot')))}
  (block $hit (loop $scan
    (br_if $pos (i32.eqz ${g('j')})) ${set('tf', read(field('byte'), g('bit')))}
    (br_if $hit (i32.eq ${g('tf')} ${g('v')})) (br_if $pos (i32.gt_s ${g('tf')} ${g('v')}))
    ${set('j', sub(g('j'), c32(1)))} ${set('bit', add(g('bit'), g('width')))} (br $scan)))`;

/**
 * phrase: how often terms 0 .. n - 1 stand at their slots in d, whose positions take `width` bits. Terms with `located` have
 * tf, byte and bit set already. -1: a place could not be computed here.
 */
export const phrase = `(func (export "phrase") ${params('i32', 'n d extents width')} (result i32)
  ${locals('i32', 'k s lead i j tf p v bit mask found')}
  ${set('i', c32(1 << 30))}
  (loop $l ${set('s', `(i32.mul ${g('k')} ${c32(TERM_BYTES)})`)}
    (if (i32.eqz ${field('located')}) (then
      (if (i32.eqz (call $locate ${g('s')} ${add(c32(CURSORS_AT), shl(g('k'), 5))} ${g('d')}
        ${g('extents')})) (then (return (i32.const -1))))))
    (if (i32.lt_u ${field('tf')} ${g('i')}) (then ${set('i', field('tf'))} ${set('lead', g('s'))}))
    ${set('k', add(g('k'), c32(1)))} (br_if $l (i32.lt_u ${g('k')} ${g('n')})))
  ${set('mask', sub(`(i32.shl (i32.const 1) ${g('width')})`, c32(1)))}
  ${set('n', `(i32.mul ${g('n')} ${c32(TERM_BYTES)})`)} ${set('i', c32(0))}
  (block $end (loop $pos
    (br_if $end (i32.ge_u ${g('i')} ${leadField('tf')}))
    ${set('bit', add(leadField('bit'), `(i32.mul ${g('i')} ${g('width')})`))}
    ${set('i', add(g('i'), c32(1)))}
    ${set('p', sub(read(leadField('byte'), g('bit')), leadField('slot')))}
    (br_if $pos (i32.lt_s ${g('p')} ${c32(0)})) ${set('s', c32(0))}
    (block $ok (loop $terms
      (br_if $ok (i32.ge_u ${g('s')} ${g('n')}))
      (if (i32.ne ${g('s')} ${g('lead')}) (then ${scan}))
      ${set('s', add(g('s'), c32(TERM_BYTES)))} (br $terms)))
    ${set('found', add(g('found'), c32(1)))} (br $pos)))
  ${g('found')})`;
