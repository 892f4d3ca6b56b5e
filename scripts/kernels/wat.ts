/**
 * Small words for writing WebAssembly text. Expressions are strings; `g` reads a local, `set`
 * writes it.
 */
import { FIELD, TERM_BYTES } from '../../packages/engine/src/scoring/kernel-memory.ts';

export const g = (name: string): string => `(local.get $${name})`;
export const set = (name: string, value: string): string => `(local.set $${name} ${value})`;
export const c32 = (value: number): string => `(i32.const ${value})`;
export const add = (a: string, b: string): string => `(i32.add ${a} ${b})`;
export const sub = (a: string, b: string): string => `(i32.sub ${a} ${b})`;
export const and = (a: string, b: string): string => `(i32.and ${a} ${b})`;
export const shl = (a: string, bits: number): string => `(i32.shl ${a} ${c32(bits)})`;
export const shr = (a: string, bits: number): string => `(i32.shr_u ${a} ${c32(bits)})`;
export const load = (at: string): string => `(i32.load ${at})`;
export const load8 = (at: string): string => `(i32.load8_u ${at})`;
export const load64 = (at: string): string => `(i64.load ${at})`;
/** A 64-bit number as i32. */
export const low = (value: string): string => `(i32.wrap_i64 ${value})`;
export const popcnt = (value: string): string => `(i64.popcnt ${value})`;
/** The text of n unrolled steps. */
export const times = (n: number, step: (k: number) => string): string =>
  Array.from({ length: n }, (_, k) => step(k)).join('\n');
/** `locals('i32', 'a b')` declares a and b. */
export const locals = (type: string, names: string): string =>
  names
    .split(' ')
    .map((name) => `(local $${name} ${type})`)
    .join(' ');
export const params = (type: string, names: string): string =>
  names
    .split(' ')
    .map((name) => `(param $${name} ${type})`)
    .join(' ');

export type Field = keyof typeof FIELD;
/** A word of the descriptor of term k. */
export const term = (k: number, field: Field): string =>
  `(i32.load offset=${TERM_BYTES * k + FIELD[field]} (i32.const 0))`;
/** The weight of term k. */
export const weight = (k: number): string =>
  `(f64.load offset=${TERM_BYTES * k + FIELD.weight} (i32.const 0))`;
