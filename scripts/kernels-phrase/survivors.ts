/** Survivors of a phrase with a list term: their positions, and what of them may be of the best. */
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
import {
  BEST_AT,
  BEST_COUNT_AT,
  FEW_EMITTED,
  MOST_EMITTED,
} from '../../packages/engine/src/scoring/phrase/memory.ts';
import { impact, rowOf } from '../kernels/terms.ts';
import { add, c32, g, load, load8, locals, params, set, shl, shr, sub } from '../kernels/wat.ts';
import { listField } from './unpack.ts';

/** Bounds are widened by this against rounding. */
const ROUND_UP = 1 + 1e-9;

const setField = (name: keyof typeof FIELD, value: string): string =>
  `(i32.store offset=${FIELD[name]} ${g('s')} ${value})`;
const fieldOf = (term: string, name: keyof typeof FIELD): string =>
  `(i32.load offset=${FIELD[name]} ${term})`;
const scoreOf = (tf: string): string => `(f64.mul ${g('weight')} ${impact(rowOf(tf), g('code'))})`;

/**
 * keepBest: takes a score into the best `limit` ones; returns what a score has to reach from now
 * on.
 */
const keepBest = `(func $keepBest (param $s f64) (param $limit i32) (param $low f64) (result f64)
  ${locals('i32', 'size p')}
  ${set('size', load(c32(BEST_COUNT_AT)))} ${set('p', add(c32(BEST_AT), shl(g('size'), 3)))}
  (if (i32.lt_u ${g('size')} ${g('limit')})
    (then
      ${set('size', add(g('size'), c32(1)))} (i32.store ${c32(BEST_COUNT_AT)} ${g('size')}))
    (else
      ${set('p', sub(g('p'), c32(8)))}
      (if (f64.le ${g('s')} (f64.load ${g('p')})) (then (return ${g('low')})))))
  (block $placed (loop $l
    (br_if $placed (i32.le_u ${g('p')} ${c32(BEST_AT)}))
    (br_if $placed (f64.ge (f64.load ${sub(g('p'), c32(8))}) ${g('s')}))
    (f64.store ${g('p')} (f64.load ${sub(g('p'), c32(8))}))
    ${set('p', sub(g('p'), c32(8)))} (br $l)))
  (f64.store ${g('p')} ${g('s')})
  (if (i32.lt_u ${g('size')} ${g('limit')}) (then (return ${g('low')})))
  (f64.max ${g('low')} (f64.load ${add(c32(BEST_AT - 8), shl(g('limit'), 3))})))`;

/** Takes the term at $s as the lead where its frequency, in tf, is the least. */
const lead = `
  (if (i32.lt_u ${g('tf')} ${g('least')}) (then
    ${set('least', g('tf'))} ${set('lead', g('s'))}
    (br_if $skip (f64.lt ${scoreOf(g('least'))} ${g('low')}))))`;

/** Runs `step` for the terms of bytes from .. to, with $s at each. */
const eachTerm = (label: string, from: string, to: string, step: string): string => `
  ${set('s', from)}
  (block $${label}End (loop $${label} (br_if $${label}End (i32.ge_u ${g('s')} ${to}))
    ${step} ${set('s', add(g('s'), c32(TERM_BYTES)))} (br $${label})))`;

const posting = set('j', load(add(listField('hits'), g('z'))));
const listPlace = `${posting}
  ${setField('byte', add(listField('positions'), load(add(listField('places'), shl(shr(g('j'), 7), 2)))))}
  ${setField('bit', `(call $bitOf ${g('s')} ${g('j')} ${g('widthCodes')})`)}`;
const cursor = add(c32(CURSORS_AT), shr(g('s'), 2));

const count = `${set('counted', add(g('counted'), c32(1)))} (br $skip)`;
const emit = `
  ${set('score', scoreOf(g('found')))}
  (br_if $skip (f64.lt ${g('score')} ${g('low')}))
  (i32.store offset=${DOCS_AT} ${shl(g('m'), 2)} ${g('d')})
  (i32.store offset=${SCORES_AT} ${shl(g('m'), 2)} ${g('found')})
  ${set('m', add(g('m'), c32(1)))}
  (if (i32.and (i32.and (i32.ne ${g('limit')} ${c32(0)}) (i32.lt_u ${g('found')} ${c32(32)}))
    (i32.lt_u ${g('code')} ${c32(240)})) (then
    ${set('low', `(call $keepBest ${g('score')} ${g('limit')} ${g('low')})`)}))`;

/** Ends where the step of impacts that survivor $i has, and all behind it, cannot reach `low`. */
const endBelow = `
  (br_if $worse (f64.lt (f64.mul ${g('weight')} (f64.mul (f64.const ${ROUND_UP / 255.999})
    (f64.convert_i32_u ${sub(c32(256), load8(add(g('keys'), g('i'))))}))) ${g('low')}))`;

/**
 * survivors: of survivors[ordered[from .. to)] (ordered 0: of survivors[from .. to)), those with
 * the phrase of n described terms, not in `blocked` (0: none), whose frequencies let `weight` reach
 * `low`: emits them with their phrase frequencies. With `limit`, `low` rises with the best scores
 * found. With `counting` they are counted instead. Returns where to go on.
 */
const survivors = `(func (export "survivors")
  ${params('i32', 'from to ordered keys survivors codes widthCodes blocked lists n counting limit')}
  ${params('f64', 'weight low')} (result i32)
  ${locals('i32', 'i m most d code s z j tf least lead found counted end width')} (local $score f64)
  ${set('lists', `(i32.mul ${g('lists')} ${c32(TERM_BYTES)})`)}
  ${set('end', `(i32.mul ${g('n')} ${c32(TERM_BYTES)})`)}
  ${set('most', `(select ${c32(MOST_EMITTED)} ${c32(FEW_EMITTED)} ${g('limit')})`)}
  (block $done (block $worse (loop $next
    (br_if $done (i32.ge_u ${g('from')} ${g('to')}))
    (br_if $done (i32.ge_u ${g('m')} ${g('most')}))
    ${set('i', g('from'))}
    (if ${g('ordered')} (then
      ${set('i', load(add(g('ordered'), shl(g('from'), 2))))} ${endBelow}))
    ${set('from', add(g('from'), c32(1)))}
    ${set('z', shl(g('i'), 2))}
    ${set('d', load(add(g('survivors'), g('z'))))}
    (if ${g('blocked')} (then
      (br_if $next (i32.and ${c32(1)} (i32.shr_u
        ${load(add(g('blocked'), shl(shr(g('d'), 5), 2)))} ${g('d')})))))
    ${set('code', load8(add(g('codes'), g('d'))))}
    ${set('least', c32(0x7fffffff))}
    (block $skip
      ${eachTerm(
        'list',
        c32(0),
        g('lists'),
        `${posting} ${set('tf', `(call $frequencyOf ${g('s')} ${g('j')})`)}
        ${setField('tf', g('tf'))} ${lead}`,
      )}
      (if (i32.and (i32.gt_u ${g('least')} ${c32(1)}) (f64.gt ${g('low')} (f64.const 0))) (then
        ${eachTerm(
          'dense',
          g('lists'),
          g('end'),
          `${set('tf', `(call $frequency ${g('s')} ${g('d')})`)} ${lead}`,
        )}))
      ${eachTerm('placed', c32(0), g('lists'), listPlace)}
      ${eachTerm(
        'located',
        g('lists'),
        g('end'),
        `(call $locate ${g('s')} ${cursor} ${g('d')} ${g('widthCodes')})
        ${set('tf', fieldOf(g('s'), 'tf'))} ${lead}`,
      )}
      ${set('width', `(i32.load8_u offset=${WIDTHS_AT} ${load8(add(g('widthCodes'), g('d')))})`)}
      ${set(
        'found',
        `(if (result i32) (i32.eq ${g('n')} ${c32(2)})
          (then (call $matchTwo ${g('width')} ${g('counting')}))
          (else (call $match ${g('end')} ${g('lead')} ${g('width')} ${g('counting')})))`,
      )}
      (br_if $skip (i32.eqz ${g('found')}))
      (if ${g('counting')} (then ${count}))
      ${emit})
    (br $next)))
    ${set('from', g('to'))})
  (i32.store offset=${EMITTED_AT} (i32.const 0) ${g('m')})
  (i32.store offset=${COUNTED_AT} (i32.const 0) ${g('counted')}) ${g('from')})`;

export const matching = `${keepBest} ${survivors}`;
