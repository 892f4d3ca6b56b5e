/** Conjunctions of dense terms, range by range; documents driven by lists; what both emit. */
import {
  DOCS_AT,
  EMITTED_AT,
  EXCLUDED_AT,
  SCORES_AT,
} from '../../packages/engine/src/scoring/kernel-memory.ts';
import { bound, impact, open, row, setBoundary, share, sum, toRow } from './terms.ts';
import {
  add,
  and,
  c32,
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
  term,
  times,
  weight,
} from './wat.ts';

/**
 * Emits document d with score s where it reaches theta; a score that is only a bound is marked by
 * ~d.
 */
const emit = `(if (f64.ge ${g('s')} ${g('theta')}) (then
  (i32.store offset=${DOCS_AT} ${shl(g('m'), 2)} (select (i32.xor ${g('d')} (i32.const -1)) ${g('d')}
    (i32.or ${g('flag')} (i32.ge_u ${g('code')} ${c32(240)}))))
  (f64.store offset=${SCORES_AT} ${shl(g('m'), 3)} ${g('s')})
  ${set('m', add(g('m'), c32(1)))}))`;

/** The exact score of document d is above that of the page: it is not a bound. */
const tooGood = `(i32.and (f64.gt ${g('s')} ${g('most')}) (i32.lt_u ${g('code')} ${c32(240)}))`;

const QUARTERS = [0, 1, 2, 3];
const any = (ops: string[], op: string): string => ops.reduce((a, b) => `(${op} ${a} ${b})`);

/** m0 .. m3: documents of range r in every term's bitmap and in no excluded one. */
export const candidates = (n: number): string => `
  ${set('p', shl(g('r'), 5))}
  ${times(n, (k) => set(`b${k}`, add(term(k, 'bitmap'), g('p'))))}
  ${times(4, (q) =>
    set(
      `m${q}`,
      any(
        Array.from({ length: n }, (_, k) => `(i64.load offset=${q * 8} ${g(`b${k}`)})`),
        'i64.and',
      ),
    ),
  )}
  ${set('j', c32(0))}
  (block $e (loop $ex (br_if $e (i32.ge_u ${g('j')} ${g('ne')}))
    ${set('d', add(g('p'), `(i32.load offset=${EXCLUDED_AT} ${shl(g('j'), 2)})`))}
    ${times(4, (q) => {
      const not = `(i64.xor (i64.const -1) (i64.load offset=${q * 8} ${g('d')}))`;
      return set(`m${q}`, `(i64.and ${g(`m${q}`)} ${not})`);
    })}
    ${set('j', add(g('j'), c32(1)))} (br $ex)))`;

/** First length code whose bound is below `low`, by bisection, from `first` on: c0. */
const bisect = (n: number): string => `
  ${set('c0', g('first'))} ${set('c1', c32(256))}
  (loop $bin ${set('j', shr(add(g('c0'), g('c1')), 1))}
    (if (f64.lt ${sum(n, (k) => bound(k, g('j')))} ${g('low')})
      (then ${set('c1', g('j'))}) (else ${set('c0', add(g('j'), c32(1)))}))
    (br_if $bin (i32.lt_u ${g('c0')} ${g('c1')})))`;

/** Keeps documents whose length code is in [first, c0): sixteen at a time. */
const keepShort = `
  ${set('vm', `(i8x16.splat ${sub(g('c0'), g('first'))})`)}
  ${set('vf', `(i8x16.splat ${g('first')})`)} ${set('p', add(g('codes'), shl(g('r'), 8)))}
  ${times(4, (q) => {
    const parts = QUARTERS.map((v) => {
      const code = `(v128.load offset=${q * 64 + v * 16} ${g('p')})`;
      const less = `(i8x16.lt_u (i8x16.sub ${code} ${g('vf')}) ${g('vm')})`;
      return `(i64.shl (i64.extend_i32_u (i8x16.bitmask ${less})) (i64.const ${v * 16}))`;
    });
    return set(`m${q}`, `(i64.and ${g(`m${q}`)} ${any(parts, 'i64.or')})`);
  })}`;

/** Scores the documents of quarter q. */
const scoreQuarter = (n: number, q: number): string => `
  (if (i64.ne ${g(`m${q}`)} (i64.const 0)) (then
    ${times(n, (k) => set(`k${k}`, `(i64.load offset=${q * 8} ${g(`b${k}`)})`))}
    (loop $bits
      ${set('t', `(i64.ctz ${g(`m${q}`)})`)}
      ${set('y', `(i64.sub (i64.shl (i64.const 1) ${g('t')}) (i64.const 1))`)}
      ${set('d', add(add(shl(g('r'), 8), c32(q * 64)), low(g('t'))))}
      ${set('code', load8(add(g('codes'), g('d'))))}
      (block $skip
        (if ${g('max')} (then
          (br_if $skip (i32.lt_u ${g('code')} ${g('first')}))
          (br_if $skip (f64.lt ${sum(n, (k) => bound(k, g('code')))} ${g('low')}))))
        ${set('flag', c32(0))}
        ${times(n, (k) => {
          const inWord = low(popcnt(`(i64.and ${g(`k${k}`)} ${g('y')})`));
          return row(k, add(g(`n${k}`), inWord)) + share(k);
        })}
        (br_if $skip (i32.and (i32.eqz ${g('flag')}) ${tooGood}))
        ${emit})
      ${set(`m${q}`, `(i64.and ${g(`m${q}`)} (i64.sub ${g(`m${q}`)} (i64.const 1)))`)}
      (br_if $bits (i64.ne ${g(`m${q}`)} (i64.const 0))))))
  ${
    q === 3
      ? ''
      : times(n, (k) => {
          const before = low(popcnt(`(i64.load offset=${q * 8} ${g(`b${k}`)})`));
          return set(`n${k}`, add(g(`n${k}`), before));
        })
  }`;

/**
 * bounds{n}: of the first `ranges` ranges those where all of n dense terms are and can score at
 * least theta together, to `into`; their bounds, times `up`, to `bound`. Returns how many.
 */
export const bounds = (n: number): string => `(func $bounds${n} (export "bounds${n}")
  ${params('i32', 'ranges bound into')} ${params('f64', 'up theta')} (result i32)
  ${locals('i32', 'r m')} ${locals('f64', 's')}
  ${times(n, (k) => locals('i32', `x${k} c${k} l${k}`))}
  ${times(n, (k) => set(`x${k}`, term(k, 'impact')) + set(`l${k}`, term(k, 'bounds')))}
  (block $done (loop $next
    (br_if $done (i32.ge_u ${g('r')} ${g('ranges')}))
    (block $skip
      ${times(
        n,
        (k) => `${set(`c${k}`, load8(add(g(`x${k}`), g('r'))))}
        (br_if $skip (i32.eqz ${g(`c${k}`)}))`,
      )}
      ${set('s', `(f64.mul ${g('up')} ` + `${sum(n, (k) => `(f64.load ${add(g(`l${k}`), shl(g(`c${k}`), 3))})`)})`)}
      (br_if $skip (f64.lt ${g('s')} ${g('theta')}))
      (f64.store ${add(g('bound'), shl(g('r'), 3))} ${g('s')})
      (i32.store ${add(g('into'), shl(g('m'), 2))} ${g('r')}) ${set('m', add(g('m'), c32(1)))})
    ${set('r', add(g('r'), c32(1)))} (br $next)))
  ${g('m')})`;

/**
 * ranges{n}: documents of sorted[from .. to) in all of n dense terms and no excluded bitmap that
 * reach theta; `bound` by range, `low` is theta less rounding. Documents of a length code below
 * `first`, and those that score above `most`, are left out. Stops after a range that emitted;
 * returns where to go on.
 */
export const ranges = (n: number): string => `(func $ranges${n} (export "ranges${n}")
  ${params('i32', 'from to sorted bound codes ne first')} ${params('f64', 'theta low most')}
  (result i32)
  ${locals('i32', 'r m d code tf p flag j c0 c1 max')} ${locals('f64', 's')}
  ${locals('i64', 't y m0 m1 m2 m3')} ${locals('v128', 'vm vf')}
  ${times(
    n,
    (k) => `${locals('i32', `w${k} o${k} at${k} b${k} n${k}`)}
    ${locals('f64', `x${k} i${k}`)} ${locals('i64', `k${k}`)}`,
  )}
  ${times(n, (k) => set(`i${k}`, weight(k)))}
  (block $done (loop $next
    (br_if $done (i32.ge_u ${g('from')} ${g('to')})) (br_if $done ${g('m')})
    ${set('r', load(add(g('sorted'), shl(g('from'), 2))))} ${set('from', add(g('from'), c32(1)))}
    (br_if $next (f64.lt (f64.load ${add(g('bound'), shl(g('r'), 3))}) ${g('theta')}))
    ${candidates(n)}
    (br_if $next (i64.eqz ${any(
      QUARTERS.map((q) => g(`m${q}`)),
      'i64.or',
    )}))
    ${times(n, open)}
    ${set('max', c32(256))}
    (if (i64.gt_u ${any(
      QUARTERS.map((q) => popcnt(g(`m${q}`))),
      'i64.add',
    )} (i64.const 8)) (then
      ${bisect(n)}
      (br_if $next (i32.le_u ${g('c0')} ${g('first')}))
      (if (i32.lt_u (i32.sub ${g('c0')} ${g('first')}) ${c32(256)}) (then ${keepShort}))
      ${set('max', c32(0))}))
    ${times(n, (k) => setBoundary(k) + set(`n${k}`, c32(0)))}
    ${times(4, (q) => scoreQuarter(n, q))}
    (br $next)))
  (i32.store offset=${EMITTED_AT} (i32.const 0) ${g('m')}) ${g('from')})`;

/** The value of `width` bits (up to 25) at bit $bit of the bytes from $at on. */
const packed = (at: string, bit: string, mask: string): string => {
  const word = load(add(g(at), shr(g(bit), 3)));
  return and(`(i32.shr_u ${word} ${and(g(bit), c32(7))})`, g(mask));
};

const maskOf = (width: string): string => sub(`(i32.shl (i32.const 1) ${g(width)})`, c32(1));

/**
 * Opens block `b` of a list: where its deltas and frequencies lie, how wide they are, the document
 * before it.
 */
const openBlock = `
  ${set('w', and(shr(g('head'), 8), c32(255)))} ${set('v', and(shr(g('head'), 16), c32(255)))}
  ${set('left', sub(g('df'), shl(g('b'), 7)))}
  ${set('left', `(select ${g('left')} ${c32(128)} (i32.lt_u ${g('left')} ${c32(128)}))`)}
  ${set('d', c32(-1))}
  (if ${g('b')} (then ${set('d', load(sub(add(g('last'), shl(g('b'), 2)), c32(4))))}))
  ${set('at', add(g('payload'), load(add(g('data'), shl(g('b'), 2)))))}
  ${set('tfAt', add(g('at'), shl(shr(add(`(i32.mul ${g('left')} ${g('w')})`, c32(31)), 5), 2)))}
  ${set('mask', maskOf('w'))} ${set('tfMask', maskOf('v'))}
  ${set('bit', c32(0))} ${set('tfBit', c32(0))} ${set('b', add(g('b'), c32(1)))}`;

/** 1 where document `d` is in the bitmap `blocked`; 0 where there is none. */
const isBlocked = `(if (result i32) ${g('blocked')}
  (then ${and(
    c32(1),
    `(i32.shr_u ${load(add(g('blocked'), shl(shr(g('d'), 5), 2)))} ${g('d')})`,
  )}) (else ${c32(0)}))`;

/**
 * list: postings of blocks [b, blocks) of a list term, where a block's best impact has at least
 * code `first`, that reach theta and are not in `blocked` (0: none). Blocks are decoded as they are
 * scored. Stops after a block that emitted; returns where to go on.
 */
export const list = `(func (export "list")
  ${params('i32', 'b blocks last heads data payload df codes blocked first')}
  ${params('f64', 'weight theta')} (result i32)
  ${locals('i32', 'head w v left d at tfAt mask tfMask bit tfBit tf code flag m')}
  ${locals('f64', 's')}
  (block $done (loop $next
    (br_if $done (i32.ge_u ${g('b')} ${g('blocks')})) (br_if $done ${g('m')})
    ${set('head', load(add(g('heads'), shl(g('b'), 2))))}
    (if (i32.lt_u ${and(g('head'), c32(255))} ${g('first')}) (then
      ${set('b', add(g('b'), c32(1)))} (br $next)))
    ${openBlock}
    (loop $postings
      ${set('d', add(add(g('d'), packed('at', 'bit', 'mask')), c32(1)))}
      ${set('bit', add(g('bit'), g('w')))}
      (if (i32.eqz ${isBlocked}) (then
        ${set('tf', add(packed('tfAt', 'tfBit', 'tfMask'), c32(1)))}
        ${set('code', load8(add(g('codes'), g('d'))))} ${set('flag', c32(0))}
        ${toRow()} ${set('s', `(f64.mul ${g('weight')} ${impact(g('tf'), g('code'))})`)}
        ${emit}))
      ${set('tfBit', add(g('tfBit'), g('v')))}
      (br_if $postings (local.tee $left ${sub(g('left'), c32(1))})))
    (br $next)))
  (i32.store offset=${EMITTED_AT} (i32.const 0) ${g('m')}) ${g('b')})`;

/** Exact share of list term k by its posting number. */
const listShare = (k: number): string => `
  ${set('tf', load(add(g(`at${k}`), shl(load(add(g(`h${k}`), g('z'))), 2))))} ${toRow()} ${share(k)}`;

/** Exact share of dense term k: the document's rank in its range, then its frequency. */
const denseShare = (k: number): string => `
  ${setBoundary(k)}
  ${set(`b${k}`, add(term(k, 'bitmap'), shl(g('r'), 5)))}
  ${set('p', add(term(k, 'bitmap'), shl(shr(g('d'), 6), 3)))}
  ${set('v', low(popcnt(`(i64.and ${g('u')} ${load64(g('p'))})`)))}
  (block $e (loop $rank (br_if $e (i32.ge_u ${g(`b${k}`)} ${g('p')}))
    ${set('v', add(g('v'), low(popcnt(load64(g(`b${k}`))))))}
    ${set(`b${k}`, add(g(`b${k}`), c32(8)))} (br $rank)))
  ${row(k, g('v'))} ${share(k)}`;

const denseShares = (lists: number, dense: number): string => `
  (br_if $next (f64.lt (f64.add ${g('s')} ${g('ahead')}) ${g('low')}))
  ${set('r', shr(g('d'), 8))}
  ${times(dense, (k) => open(lists + k))}
  (br_if $next (f64.lt (f64.add ${g('s')}
    ${sum(lists + dense, (k) => bound(k, g('code')), lists)}) ${g('low')}))
  ${set('u', `(i64.sub (i64.shl (i64.const 1) (i64.extend_i32_u ${g('d')})) (i64.const 1))`)}
  ${times(dense, (k) => denseShare(lists + k))}`;

/**
 * lists{l}{p}: of survivors[from .. to), known to hold l list terms (first; posting numbers by
 * `hits`) and p dense terms, those that reach theta. `ahead`: the most that the dense terms can
 * add. Stops once 16 are emitted.
 */
export const lists = (l: number, p: number): string => `(func (export "lists${l}${p}")
  ${params('i32', 'from to survivors codes')} ${params('f64', 'theta low ahead')} (result i32)
  ${locals('i32', 'r m d code tf p flag z v')} ${locals('f64', 's')} ${locals('i64', 'u')}
  ${times(
    l + p,
    (k) => `${locals('i32', `w${k} o${k} at${k} b${k} h${k}`)}
    ${locals('f64', `x${k} i${k}`)}`,
  )}
  ${times(l + p, (k) => set(`i${k}`, weight(k)))}
  ${times(l, (k) => set(`at${k}`, term(k, 'frequencies')) + set(`h${k}`, term(k, 'hits')))}
  (block $done (loop $next
    (br_if $done (i32.ge_u ${g('from')} ${g('to')}))
    (br_if $done (i32.ge_u ${g('m')} ${c32(16)}))
    ${set('z', shl(g('from'), 2))} ${set('from', add(g('from'), c32(1)))}
    ${set('d', load(add(g('survivors'), g('z'))))}
    ${set('code', load8(add(g('codes'), g('d'))))} ${set('flag', c32(0))}
    ${times(l, listShare)}
    ${p === 0 ? '' : denseShares(l, p)}
    ${emit} (br $next)))
  (i32.store offset=${EMITTED_AT} (i32.const 0) ${g('m')}) ${g('from')})`;
