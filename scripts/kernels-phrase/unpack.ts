/** Blocks of list terms: 128 bit-packed values, four at a time. */
import {
  FIELD,
  QUERY,
  UNPACK_BYTES,
  UNPACK_WIDTHS,
  WIDTHS_AT,
} from '../../packages/engine/src/scoring/kernel-memory.ts';
import { LIST_FIELD } from '../../packages/engine/src/scoring/phrase/memory.ts';
import {
  add,
  and,
  c32,
  g,
  load,
  load8,
  locals,
  params,
  set,
  shl,
  shr,
  sub,
} from '../kernels/wat.ts';

const LIST_WORDS = { ...FIELD, ...LIST_FIELD };
/** A word of the list term at $s. */
export const listField = (name: keyof typeof LIST_WORDS): string =>
  `(i32.load offset=${LIST_WORDS[name]} ${g('s')})`;

const four = (from: string, shuffle: string, factors: string): string =>
  `(v128.and ${g('mask')} (i32x4.shr_u (i32x4.mul ${g(factors)}
    (i8x16.swizzle (v128.load ${from}) ${g(shuffle)})) ${c32(7)}))`;

type Output = 'docs' | 'frequencies';
const ZERO = '(v128.const i32x4 0 0 0 0)';

/** Adds the lanes before to each lane, and the last document before them. */
const addUp = `
  ${set('v', `(i32x4.add ${g('v')} (i8x16.shuffle 16 16 16 16 0 1 2 3 4 5 6 7 8 9 10 11 ${g('v')} ${ZERO}))`)}
  ${set('v', `(i32x4.add ${g('v')} (i8x16.shuffle 16 16 16 16 16 16 16 16 0 1 2 3 4 5 6 7 ${g('v')} ${ZERO}))`)}
  ${set('v', `(i32x4.add ${g('v')} ${g('before')})`)}
  ${set('before', `(i8x16.shuffle 12 13 14 15 12 13 14 15 12 13 14 15 12 13 14 15 ${g('v')} ${g('v')})`)}`;

const store = (output: Output, offset: number, value: string): string => `
  ${set('v', `(i32x4.add ${value} (v128.const i32x4 1 1 1 1))`)}
  ${output === 'docs' ? addUp : ''}
  (v128.store offset=${offset} ${g('to')} ${g('v')})`;

const eachEight = (step: string): string => `
  (loop $eight ${step} ${set('to', add(g('to'), c32(32)))} (br_if $eight (i32.lt_u ${g('to')} ${g('end')})))`;

/** Values of more bits, one at a time. */
const wide = (output: Output): string => `
  (loop $one
    ${set(
      'x',
      `(i32.wrap_i64 (i64.and ${g('mask64')} (i64.shr_u
        (i64.load ${add(g('at'), shr(g('bit'), 3))}) (i64.extend_i32_u ${and(g('bit'), c32(7))}))))`,
    )}
    ${set('bit', add(g('bit'), g('w')))}
    ${set('last', add(add(output === 'docs' ? g('last') : c32(0), g('x')), c32(1)))}
    (i32.store ${g('to')} ${g('last')})
    ${set('to', add(g('to'), c32(4)))} (br_if $one (i32.lt_u ${g('to')} ${g('end')})))`;

/** 128 values of w bits from `at` to words at `to`: documents behind `last`, or frequencies. */
const unpack = (
  output: Output,
): string => `(func $unpack_${output} (export "unpack${output === 'docs' ? 'Docs' : 'Frequencies'}")
  ${params('i32', 'at to w last')} ${locals('i32', 'end half t bit x')} ${locals('i64', 'mask64')}
  ${locals('v128', 'v before mask s0 s1 f0 f1')}
  ${set('end', add(g('to'), c32(512)))}
  ${set('before', `(i32x4.splat ${g('last')})`)}
  (if (i32.eqz ${g('w')}) (then ${eachEight(store(output, 0, ZERO) + store(output, 16, ZERO))} (return)))
  (if (i32.gt_u ${g('w')} ${c32(UNPACK_WIDTHS)}) (then
    ${set('mask64', `(i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u ${g('w')})) (i64.const 1))`)}
    ${wide(output)} (return)))
  ${set('t', add(c32(QUERY.unpack), `(i32.mul ${g('w')} ${c32(UNPACK_BYTES)})`))}
  ${set('s0', `(v128.load ${g('t')})`)} ${set('f0', `(v128.load offset=16 ${g('t')})`)}
  ${set('s1', `(v128.load offset=32 ${g('t')})`)} ${set('f1', `(v128.load offset=48 ${g('t')})`)}
  ${set('mask', `(i32x4.splat ${sub(`(i32.shl ${c32(1)} ${g('w')})`, c32(1))})`)}
  ${set('half', shr(g('w'), 1))}
  ${eachEight(`${store(output, 0, four(g('at'), 's0', 'f0'))}
    ${store(output, 16, four(add(g('at'), g('half')), 's1', 'f1'))}
    ${set('at', add(g('at'), g('w')))}`)})`;

const ofBlock = (part: 'lastDocs' | 'heads' | 'dataOffsets'): string =>
  add(listField(part), shl(g('block'), 2));
const head = (byte: number): string => `(i32.load8_u offset=${byte} ${ofBlock('heads')})`;
const dataOf = add(listField('data'), load(ofBlock('dataOffsets')));
const into = (array: Output): string => add(listField(array), shl(g('block'), 9));

/** Documents of a block of the list term at $s. */
const decodeDocs = `(func $decodeDocs ${params('i32', 's block')}
  (call $unpack_docs ${dataOf} ${into('docs')} ${head(1)}
    (if (result i32) ${g('block')} (then ${load(sub(ofBlock('lastDocs'), c32(4)))}) (else ${c32(-1)}))))`;

/** `into` = the varint at $at, which moves behind it. Five bytes at most. */
const varint = (into: string): string => `
  ${set(into, c32(0))} ${set('shift', c32(0))}
  (loop $byte
    ${set('byte', load8(g('at')))} ${set('at', add(g('at'), c32(1)))}
    ${set(into, `(i32.or ${g(into)} (i32.shl ${and(g('byte'), c32(127))} ${g('shift')}))`)}
    ${set('shift', add(g('shift'), c32(7)))}
    (br_if $byte (i32.and (i32.ge_u ${g('byte')} ${c32(128)}) (i32.lt_u ${g('shift')} ${c32(35)}))))`;

/** Documents and frequencies of the short term at $s, and where its positions begin. */
const decodeShort = `(func $decodeShort ${params('i32', 's')}
  ${locals('i32', 'at end to apart doc x tf byte shift')}
  ${set('at', listField('data'))} ${set('to', listField('docs'))} ${set('doc', c32(-1))}
  ${set('apart', sub(listField('frequencies'), listField('docs')))}
  ${set('end', add(g('to'), shl(listField('df'), 2)))}
  (loop $l
    ${varint('x')} ${set('doc', add(g('doc'), add(shr(g('x'), 1), c32(1))))} ${set('tf', c32(1))}
    (if ${and(g('x'), c32(1))} (then ${varint('tf')}))
    (i32.store ${g('to')} ${g('doc')}) (i32.store ${add(g('to'), g('apart'))} ${g('tf')})
    ${set('to', add(g('to'), c32(4)))} (br_if $l (i32.lt_u ${g('to')} ${g('end')})))
  (i32.store offset=${FIELD.positions} ${g('s')} ${g('at')})
  (i32.store ${listField('positionBits')} ${c32(0)}))`;

/** Documents of all blocks, or of a short term all there is. */
const decodeAll = `(func $decodeAll ${params('i32', 's')} ${locals('i32', 'block')}
  (if (i32.eqz ${listField('lastDocs')}) (then (call $decodeShort ${g('s')}) (return)))
  (loop $l (call $decodeDocs ${g('s')} ${g('block')}) ${set('block', add(g('block'), c32(1)))}
    (br_if $l (i32.lt_u ${g('block')} ${listField('blocks')}))))`;

/** Frequencies of a block of the list term at $s. */
const decodeFrequencies = `(func $decodeFrequencies ${params('i32', 's block')} ${locals('i32', 'size')}
  ${set('size', sub(listField('df'), shl(g('block'), 7)))}
  (if (i32.gt_u ${g('size')} ${c32(128)}) (then ${set('size', c32(128))}))
  (call $unpack_frequencies
    ${add(dataOf, shl(shr(add(`(i32.mul ${g('size')} ${head(1)})`, c32(31)), 5), 2))}
    ${into('frequencies')} ${head(2)} ${c32(0)}))`;

/** The word that counts located postings of the block of posting $j of the term at $s. */
export const blockState = add(listField('positionBits'), shl(shr(g('j'), 7), 9));

/** frequencyOf: of posting j of the list term at $s, decoding its block. */
const frequencyOf = `(func $frequencyOf ${params('i32', 's j')} (result i32)
  (if (i32.lt_s ${load(blockState)} ${c32(0)}) (then
    (call $decodeFrequencies ${g('s')} ${shr(g('j'), 7)}) (i32.store ${blockState} ${c32(0)})))
  ${load(add(listField('frequencies'), shl(g('j'), 2)))})`;

/** Nothing is decoded of the term at $s: marks its blocks so. */
const forget = `(func $forget ${params('i32', 's')} ${locals('i32', 'p left')}
  (if (i32.eqz ${listField('lastDocs')}) (then (return)))
  ${set('p', listField('positionBits'))} ${set('left', listField('blocks'))}
  (loop $l (i32.store ${g('p')} ${c32(-1)}) ${set('p', add(g('p'), c32(512)))}
    (br_if $l (local.tee $left ${sub(g('left'), c32(1))}))))`;

/** Bits of the positions of the posting at byte $p of the term's arrays. */
const bitsAt = `(i32.mul ${load(add(listField('frequencies'), g('p')))}
  (i32.load8_u offset=${WIDTHS_AT}
    ${load8(add(g('widthCodes'), load(add(listField('docs'), g('p')))))}))`;
const upTo = (step: string): string => `
  (block $there (loop $l (br_if $there (i32.ge_u ${g('p')} ${g('q')}))
    ${set('bit', add(g('bit'), bitsAt))} ${set('p', add(g('p'), c32(4)))} ${step} (br $l)))`;

/** bitOf: the first bit of the positions of posting j from the start of its block's. */
const bitOf = `(func $bitOf ${params('i32', 's j widthCodes')} (result i32)
  ${locals('i32', 'p q wanted located bit')}
  ${set('wanted', and(g('j'), c32(127)))}
  (if (i32.eqz ${g('wanted')}) (then (return ${c32(0)})))
  ${set('located', load(blockState))}
  ${set('q', shl(g('j'), 2))}
  (if (i32.le_u ${g('wanted')} ${g('located')}) (then
    (return ${load(add(listField('positionBits'), g('q')))})))
  (i32.store ${blockState} ${g('wanted')})
  ${set('p', add(shl(and(g('j'), c32(-128)), 2), shl(g('located'), 2)))}
  (if ${g('located')} (then ${set('bit', load(add(listField('positionBits'), g('p'))))}))
  ${upTo(`(i32.store ${add(listField('positionBits'), g('p'))} ${g('bit')})`)}
  ${g('bit')})`;

export const blocks = `${unpack('docs')} ${unpack('frequencies')} ${decodeDocs} ${decodeShort}
  ${decodeAll}
  ${decodeFrequencies} ${frequencyOf} ${forget} ${bitOf}`;
