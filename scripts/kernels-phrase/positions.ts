/**
 * Positions: where those of a document lie in a dense term, and how often terms stand at their
 * positions.
 */
import {
  COUNTED_AT,
  CURSORS_AT,
  DOCS_AT,
  EMITTED_AT,
  FIELD,
  SCORES_AT,
  TERM_BYTES,
  WIDTHS_AT,
} from '../../packages/engine/src/scoring/kernel-memory.ts';
import { candidates } from '../kernels/ranges.ts';
import { boundary, frequencyBefore, impact, rowOf } from '../kernels/terms.ts';
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
  times,
} from '../kernels/wat.ts';

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

/** Adds to posBit what the posting at $first + ctz(x) takes, and drops it from x. */
const walkPosting = `
  ${set('tf', c32(1))}
  ${nextTf}
  ${set(
    'posBit',
    add(
      g('posBit'),
      `(i32.mul ${g('tf')} (i32.load8_u offset=${WIDTHS_AT}
        ${load8(add(g('first'), low(`(i64.ctz ${g('x')})`)))}))`,
    ),
  )}
  ${set('x', `(i64.and ${g('x')} (i64.sub ${g('x')} (i64.const 1)))`)}`;

/** p: bytes of the positions of the groups before group g, by walking them. */
const walkGroups = `
  ${set('p', c32(0))} ${set('h', c32(0))}
  (loop $groups
    ${set('x', load64(add(add(field('bitmap'), shl(g('r'), 5)), shl(g('h'), 3))))}
    ${set('first', add(add(g('widthCodes'), shl(g('r'), 8)), shl(g('h'), 6)))}
    ${set('posBit', c32(0))}
    (block $end (loop $walk (br_if $end (i64.eqz ${g('x')})) ${walkPosting} (br $walk)))
    ${set('p', add(g('p'), shr(add(g('posBit'), c32(7)), 3)))}
    ${set('h', add(g('h'), c32(1)))} (br_if $groups (i32.lt_u ${g('h')} ${g('g')})))
  ${set('tfBit', c32(0))} ${set('posBit', c32(0))}`;

/**
 * Starts at the group of 64 documents that holds d. A start that is not stored (255) is walked for.
 */
const enterGroup = `
  ${set('g', and(shr(g('d'), 6), c32(3)))}
  (if ${g('g')} (then
    ${set('p', load8(sub(add(add(field('group'), `(i32.mul ${g('r')} ${c32(3)})`), g('g')), c32(1))))}
    (if (i32.eq ${g('p')} ${c32(255)}) (then ${walkGroups}))))
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
export const locate = `(func $locate ${params('i32', 's q d widthCodes')} 
  ${locals('i32', 'r w at g h p first tfBit posBit tf')} ${locals('i64', 'x')}
  ${set('r', shr(g('d'), 8))} ${set('w', load8(add(field('width'), g('r'))))}
  ${set('at', boundary(field))}
  (if (i32.or (i32.ne ${cursor('group')} ${shr(g('d'), 6)}) (i32.lt_u ${g('d')} ${cursor('next')}))
    (then ${enterGroup})
    (else ${set('tfBit', cursor('tfBit'))} ${set('posBit', cursor('posBit'))}))
  ${set('x', before)} ${set('first', add(g('widthCodes'), and(g('d'), c32(-64))))}
  (block $done (loop $walk (br_if $done (i64.eqz ${g('x')})) ${walkPosting} (br $walk)))
  ${setCursor('next', g('d'))} ${setCursor('tfBit', g('tfBit'))} ${setCursor('posBit', g('posBit'))}
  ${set('tf', c32(1))}
  ${nextTf}
  ${setField('tf', g('tf'))} ${setField('byte', cursor('byte'))} ${setField('bit', g('posBit'))})`;

const read = (byte: string, bit: string): string =>
  and(`(i32.shr_u ${load(add(byte, shr(bit, 3)))} ${and(bit, c32(7))})`, g('mask'));

/**
 * Looks for position v in the term at $s from where the last look ended (the lead's positions
 * rise): goes on with the lead's next position where v is not there, ends where the term has no
 * more positions.
 */
const scan = `
  ${set('j', field('scanLeft'))} ${set('bit', field('scanBit'))} ${set('v', add(g('p'), field('phrasePosition')))}
  (loop $scan
    (br_if $end (i32.eqz ${g('j')})) ${set('q', read(field('byte'), g('bit')))}
    (if (i32.lt_s ${g('q')} ${g('v')}) (then
      ${set('j', sub(g('j'), c32(1)))} ${set('bit', add(g('bit'), g('width')))} (br $scan))))
  ${setField('scanLeft', g('j'))} ${setField('scanBit', g('bit'))}
  (br_if $pos (i32.ne ${g('q')} ${g('v')}))`;

/**
 * match: how often the terms below byte n, located, are at their positions; the term at $lead has
 * the fewest positions.
 */
export const match = `(func $match ${params('i32', 'n lead width once')} (result i32)
  ${locals('i32', 's i j p q v bit mask found')}
  ${set('mask', sub(`(i32.shl (i32.const 1) ${g('width')})`, c32(1)))}
  (loop $l ${setField('scanBit', field('bit'))} ${setField('scanLeft', field('tf'))}
    ${set('s', add(g('s'), c32(TERM_BYTES)))} (br_if $l (i32.lt_u ${g('s')} ${g('n')})))
  (block $end (loop $pos
    (br_if $end (i32.ge_u ${g('i')} ${leadField('tf')}))
    ${set('bit', add(leadField('bit'), `(i32.mul ${g('i')} ${g('width')})`))}
    ${set('i', add(g('i'), c32(1)))}
    ${set('p', sub(read(leadField('byte'), g('bit')), leadField('phrasePosition')))}
    (br_if $pos (i32.lt_s ${g('p')} ${c32(0)})) ${set('s', c32(0))}
    (block $ok (loop $terms
      (br_if $ok (i32.ge_u ${g('s')} ${g('n')}))
      (if (i32.ne ${g('s')} ${g('lead')}) (then ${scan}))
      ${set('s', add(g('s'), c32(TERM_BYTES)))} (br $terms)))
    ${set('found', add(g('found'), c32(1)))} (br_if $end ${g('once')}) (br $pos)))
  ${g('found')})`;

const fieldOf = (term: string, name: Field): string => `(i32.load offset=${FIELD[name]} ${term})`;
const FIRST = c32(0);
const SECOND = c32(TERM_BYTES);
const bitsOf = (term: string): string => `(i32.mul ${fieldOf(term, 'tf')} ${g('width')})`;

/** matchTwo: as match, for the two terms of a phrase of two words, which are located. */
export const matchTwo = `(func $matchTwo ${params('i32', 'width once')} (result i32)
  ${locals('i32', 'mask x y xAt yAt xEnd yEnd shift found')}
  ${set('mask', sub(`(i32.shl ${c32(1)} ${g('width')})`, c32(1)))}
  ${set('xAt', fieldOf(FIRST, 'bit'))} ${set('yAt', fieldOf(SECOND, 'bit'))}
  ${set('xEnd', add(g('xAt'), bitsOf(FIRST)))} ${set('yEnd', add(g('yAt'), bitsOf(SECOND)))}
  ${set('shift', sub(fieldOf(SECOND, 'phrasePosition'), fieldOf(FIRST, 'phrasePosition')))}
  ${set('x', add(read(fieldOf(FIRST, 'byte'), g('xAt')), g('shift')))}
  ${set('y', read(fieldOf(SECOND, 'byte'), g('yAt')))}
  (block $end (loop $next
    (if (i32.eq ${g('x')} ${g('y')}) (then
      ${set('found', add(g('found'), c32(1)))} (br_if $end ${g('once')})))
    (if (i32.le_s ${g('x')} ${g('y')})
      (then
        ${set('xAt', add(g('xAt'), g('width')))}
        (br_if $end (i32.ge_u ${g('xAt')} ${g('xEnd')}))
        ${set('x', add(read(fieldOf(FIRST, 'byte'), g('xAt')), g('shift')))})
      (else
        ${set('yAt', add(g('yAt'), g('width')))}
        (br_if $end (i32.ge_u ${g('yAt')} ${g('yEnd')}))
        ${set('y', read(fieldOf(SECOND, 'byte'), g('yAt')))}))
    (br $next)))
  ${g('found')})`;

/** Skips d where a frequency, in `least`, keeps it below `low`. */
const skipBelow = `(br_if $skip (f64.lt
  (f64.mul ${g('weight')} ${impact(rowOf(g('least')), g('code'))}) ${g('low')}))`;

/** Locates term k, lowers `least`, skips where that is too little. */
const narrow = (k: number): string => `
  (call $locate ${c32(TERM_BYTES * k)} ${c32(CURSORS_AT + 32 * k)} ${g('d')} ${g('widthCodes')})
  ${set('tf', `(i32.load offset=${TERM_BYTES * k + FIELD.tf} ${c32(0)})`)}
  (if (i32.lt_u ${g('tf')} ${g('least')}) (then
    ${set('least', g('tf'))} ${set('lead', c32(TERM_BYTES * k))} ${skipBelow}))`;

/**
 * Emits (d, times), or ~d where a place could not be computed; counts instead where that is wanted.
 */
const emit = `
  (if ${g('found')} (then (if ${g('counting')}
    (then ${set('counted', add(g('counted'), c32(1)))})
    (else
      (i32.store offset=${DOCS_AT} ${shl(g('m'), 2)} ${g('d')})
      (i32.store offset=${SCORES_AT} ${shl(g('m'), 2)} ${g('found')})
      ${set('m', add(g('m'), c32(1)))}))))`;

const quarter = (n: number, q: number): string => `
  (block $no (loop $bits
    (br_if $no (i64.eqz ${g(`m${q}`)}))
    ${set('d', add(add(shl(g('r'), 8), c32(q * 64)), low(`(i64.ctz ${g(`m${q}`)})`)))}
    ${set(`m${q}`, `(i64.and ${g(`m${q}`)} (i64.sub ${g(`m${q}`)} (i64.const 1)))`)}
    ${set('code', load8(add(g('codes'), g('d'))))}
    ${set('least', g('most'))} ${set('lead', c32(0))}
    (block $skip
      ${skipBelow}
      ${set('least', c32(1 << 30))}
      ${times(n, narrow)}
        ${set(
          'found',
          `(call ${n === 2 ? '$matchTwo' : `$match ${c32(TERM_BYTES * n)} ${g('lead')}`}
            (i32.load8_u offset=${WIDTHS_AT} ${load8(add(g('widthCodes'), g('d')))})
            ${g('counting')})`,
        )}
      ${emit})
    (br $bits)))`;

/**
 * phrases{n}: documents of sorted[from .. to) with the phrase of n dense terms, in no excluded
 * bitmap, whose frequencies let `weight` reach `low`: emits them with their phrase frequencies.
 * With `counting` they are counted instead. Stops after a range that emitted; returns where to go
 * on.
 */
export const phrases = (n: number): string => `(func (export "phrases${n}")
  ${params('i32', 'from to sorted bound codes widthCodes ne counting')} ${params('f64', 'weight low')}
  (result i32)
  ${locals('i32', 'r m d code j p tf w least most lead found counted')}
  ${locals('i64', 'm0 m1 m2 m3')} ${times(n, (k) => locals('i32', `b${k}`))}
  (block $done (loop $next
    (br_if $done (i32.ge_u ${g('from')} ${g('to')})) (br_if $done ${g('m')})
    ${set('r', load(add(g('sorted'), shl(g('from'), 2))))} ${set('from', add(g('from'), c32(1)))}
    (br_if $next (f64.lt (f64.load ${add(g('bound'), shl(g('r'), 3))}) ${g('low')}))
    ${candidates(n)}
    ${set('most', c32(255))}
    ${times(n, (k) => {
      const width = load8(
        add(`(i32.load offset=${TERM_BYTES * k + FIELD.width} ${c32(0)})`, g('r')),
      );
      return (
        `${set('w', width)} (if (i32.lt_u ${g('w')} ${g('most')}) (then ` +
        `${set('most', g('w'))}))`
      );
    })}
    ${set('most', `(select (i32.shl ${c32(1)} ${g('most')}) ${c32(32)} (i32.lt_u ${g('most')} ` + `${c32(5)}))`)}
    ${times(4, (q) => quarter(n, q))}
    (br $next)))
  (i32.store offset=${EMITTED_AT} (i32.const 0) ${g('m')})
  (i32.store offset=${COUNTED_AT} (i32.const 0) ${g('counted')}) ${g('from')})`;

/** frequency: of the document d in the dense term at $s. */
export const frequency = `(func $frequency ${params('i32', 's d')} (result i32)
  ${locals('i32', 'r w at p v e')}
  ${set('r', shr(g('d'), 8))} ${set('w', load8(add(field('width'), g('r'))))}
  (if (i32.eqz ${g('w')}) (then (return ${c32(1)})))
  ${set('at', boundary(field))}
  ${set('p', add(field('bitmap'), shl(g('r'), 5)))}
  ${set('e', add(field('bitmap'), shl(shr(g('d'), 6), 3)))}
  ${set(
    'v',
    low(
      popcnt(
        `(i64.and ${load64(g('e'))}
          (i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u ${g('d')})) (i64.const 1)))`,
      ),
    ),
  )}
  (block $done (loop $words (br_if $done (i32.ge_u ${g('p')} ${g('e')}))
    ${set('v', add(g('v'), low(popcnt(load64(g('p'))))))} ${set('p', add(g('p'), c32(8)))}
    (br $words)))
  ${frequencyBefore(g('at'), `(i32.mul ${add(g('v'), c32(1))} ${g('w')})`, g('w'))})`;
