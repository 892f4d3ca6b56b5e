/**
 * Pieces of kernels about one term: locals with its number at the end, e.g. w0 = width of
 * frequencies in the range of term 0.
 */
import { TABLE_AT } from '../../packages/engine/src/scoring/kernel-memory.ts';
import { add, and, c32, g, load, load8, set, shl, shr, sub, term } from './wat.ts';

/** Impact at a row (byte offset of a frequency) and a length code. */
export const impact = (row: string, code: string): string =>
  `(f64.load offset=${TABLE_AT} ${add(row, shl(code, 3))})`;

/** Frequencies above 31 share row 32, whose impacts are 1. */
export const rowOf = (tf: string): string =>
  shl(`(select ${tf} ${c32(32)} (i32.lt_u ${tf} ${c32(32)}))`, 11);

/** Local tf, a frequency, becomes its row; `flag` notes that the row only bounds it. */
export const toRow = (): string => `
  ${set('tf', rowOf(g('tf')))}
  ${set('flag', `(i32.or ${g('flag')} (i32.eq ${g('tf')} ${c32(65536)}))`)}`;

/** tf - 1 packed at `width` bits that end `bit` bits before the address `at`, plus 1. */
export const frequencyBefore = (at: string, bit: string, width: string): string => {
  const byte = sub(at, shr(add(bit, c32(7)), 3));
  const shift = and(sub(c32(0), bit), c32(7));
  const mask = sub(`(i32.shl (i32.const 1) ${width})`, c32(1));
  return add(c32(1), and(`(i32.shr_u ${load(byte)} ${shift})`, mask));
};

/** Sets `tf` to the row of posting number `rank` of the range, whose boundary is at$k. */
export const row = (k: number, rank: string): string => `
  (if (i32.eqz ${g(`w${k}`)}) (then ${set('tf', c32(2048))}) (else
    ${set('p', `(i32.mul ${add(rank, c32(1))} ${g(`w${k}`)})`)}
    ${set('tf', frequencyBefore(g(`at${k}`), g('p'), g(`w${k}`)))}
    ${toRow()}))`;

/** Reads the range's width, bound and the row of its largest possible frequency. */
export const open = (k: number): string => {
  const bound = add(term(k, 'bounds'), shl(load8(add(term(k, 'impact'), g('r'))), 3));
  const width = g(`w${k}`);
  const largest = `(select (i32.shl (i32.const 1) ${width}) ${c32(32)} (i32.lt_u ${width} ${c32(5)}))`;
  return `
  ${set(`w${k}`, load8(add(term(k, 'width'), g('r'))))}
  ${set(`x${k}`, `(f64.load ${bound})`)}
  ${set(`o${k}`, shl(largest, 11))}`;
};

/**
 * Where the frequencies of range `r` of the term whose descriptor fields `of` reads end, and its
 * positions begin.
 */
export const boundary = (
  of: (field: 'base' | 'offset' | 'payload' | 'offsetShift' | 'offsetMask' | 'baseMask') => string,
): string => {
  const base = and(load(add(of('base'), shl(shr(g('r'), 3), 2))), of('baseMask'));
  const place = add(of('offset'), `(i32.shl ${g('r')} ${of('offsetShift')})`);
  return add(add(of('payload'), base), and(load(place), of('offsetMask')));
};

export const setBoundary = (k: number): string =>
  set(
    `at${k}`,
    boundary((field) => term(k, field)),
  );

/**
 * The most that the term can score at a length code: by the range's best impact, and by its largest
 * frequency.
 */
export const bound = (k: number, code: string): string =>
  `(f64.min ${g(`x${k}`)} (f64.mul ${g(`i${k}`)} ${impact(g(`o${k}`), code)}))`;

/** f(from) + … + f(n - 1), from the left. */
export const sum = (n: number, f: (k: number) => string, from = 0): string => {
  let e = f(from);
  for (let k = from + 1; k < n; k++) e = `(f64.add ${e} ${f(k)})`;
  return e;
};

/** Adds the share of term k, whose row is in `tf`, to `s`. */
export const share = (k: number): string => {
  const own = `(f64.mul ${g(`i${k}`)} ${impact(g('tf'), g('code'))})`;
  return set('s', k === 0 ? own : `(f64.add ${g('s')} ${own})`);
};
