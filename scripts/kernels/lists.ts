/** Intersection of decoded lists. */
import { add, c32, g, load, locals, params, set, shl } from './wat.ts';

const word = (array: string, i: string): string => add(g(array), shl(g(i), 2));
const store = (array: string, value: string): string => `(i32.store ${word(array, 'm')} ${value})`;
const turned = (lanes: string): string => `(i8x16.shuffle ${lanes} ${g('vb')} ${g('vb')})`;
const equal = (other: string): string => `(i32x4.eq ${g('va')} ${other})`;

/** Lanes of va that are anywhere in vb. */
const equalLanes = `(i32x4.bitmask (v128.or
  (v128.or ${equal(g('vb'))} ${equal(turned('4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3'))})
  (v128.or ${equal(turned('8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7'))}
    ${equal(turned('12 13 14 15 0 1 2 3 4 5 6 7 8 9 10 11'))})))`;

const emitLanes = `(if ${g('eq')} (then (loop $hit
  ${set('t', `(i32.ctz ${g('eq')})`)} ${set('d', load(add(g('x'), shl(g('t'), 2))))}
  (if ${g('oi')} (then
    ${store('oi', add(g('i'), g('t')))}
    ${store('oj', add(g('j'), `(i32.ctz (i32x4.bitmask (i32x4.eq ${g('vb')} (i32x4.splat ${g('d')}))))`))}))
  ${store('od', g('d'))} ${set('m', add(g('m'), c32(1)))}
  (br_if $hit (local.tee $eq (i32.and ${g('eq')} (i32.sub ${g('eq')} (i32.const 1))))))))`;

/**
 * intersect: documents of a[0 .. na) and b[0 .. nb), both rising, to od; their places to oi and oj
 * unless oi = 0. Four by four, all pairs at once; the side with the smaller last document moves on.
 */
export const intersect = `(func $intersect (export "intersect")
  ${params('i32', 'a na b nb od oi oj')} (result i32)
  ${locals('i32', 'i j m eq x y t d')} ${locals('v128', 'va vb')}
  (block $tail (loop $l
    (br_if $tail (i32.gt_u ${add(g('i'), c32(4))} ${g('na')}))
    (br_if $tail (i32.gt_u ${add(g('j'), c32(4))} ${g('nb')}))
    ${set('x', word('a', 'i'))} ${set('y', word('b', 'j'))}
    ${set('va', `(v128.load ${g('x')})`)} ${set('vb', `(v128.load ${g('y')})`)}
    ${set('eq', equalLanes)}
    ${emitLanes}
    ${set('x', `(i32x4.extract_lane 3 ${g('va')})`)} ${set('y', `(i32x4.extract_lane 3 ${g('vb')})`)}
    ${set('i', add(g('i'), shl(`(i32.le_s ${g('x')} ${g('y')})`, 2)))}
    ${set('j', add(g('j'), shl(`(i32.le_s ${g('y')} ${g('x')})`, 2)))} (br $l)))
  (block $end (loop $s
    (br_if $end (i32.ge_u ${g('i')} ${g('na')})) (br_if $end (i32.ge_u ${g('j')} ${g('nb')}))
    ${set('x', load(word('a', 'i')))} ${set('y', load(word('b', 'j')))}
    (if (i32.eq ${g('x')} ${g('y')}) (then
      (if ${g('oi')} (then ${store('oi', g('i'))} ${store('oj', g('j'))}))
      ${store('od', g('x'))} ${set('m', add(g('m'), c32(1)))}))
    ${set('i', add(g('i'), `(i32.le_s ${g('x')} ${g('y')})`))}
    ${set('j', add(g('j'), `(i32.le_s ${g('y')} ${g('x')})`))} (br $s)))
  ${g('m')})`;

/** The bit of document d in the bitmap at $words; with $flip = 1 the other one. */
const bitOf = `(i32.and ${c32(1)} (i32.xor ${g('flip')} (i32.shr_u
  (i32.load ${add(g('words'), shl(`(i32.shr_u ${g('d')} ${c32(5)})`, 2))}) ${g('d')})))`;

/** One pass of sieve; `hit` is what moves along in hits. */
const pass = (hit: string): string => `
  (block $end (loop $l
    (br_if $end (i32.ge_u ${g('i')} ${g('n')}))
    ${set('d', load(word('source', 'i')))} ${store('into', g('d'))}
    ${hit === '' ? '' : store('hits', hit)}
    ${set('m', add(g('m'), bitOf))} ${set('i', add(g('i'), c32(1)))} (br $l)))`;

/**
 * sieve: documents of source[0 .. n) whose bit is set (with `flip` = 1: is not), to `into`, without
 * branches; returns how many. `hits` (0: none) moves along: places in the source when `first` is 1,
 * else its own values.
 */
export const sieve = `(func $sieve (export "sieve")
  ${params('i32', 'source n words into hits first flip')} (result i32) ${locals('i32', 'i m d')}
  (if (i32.eqz ${g('hits')}) (then ${pass('')}) (else
    (if ${g('first')} (then ${pass(g('i'))}) (else ${pass(load(word('hits', 'i')))}))))
  ${g('m')})`;
