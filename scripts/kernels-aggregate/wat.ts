/**
 * Small words for writing WebAssembly text. Expressions are strings; `g` reads a local, `set`
 * writes it.
 */
export const g = (name: string): string => `(local.get $${name})`;
export const set = (name: string, value: string): string => `(local.set $${name} ${value})`;
export const c32 = (value: number): string => `(i32.const ${value})`;
export const add = (a: string, b: string): string => `(i32.add ${a} ${b})`;
export const shl = (a: string, bits: number): string => `(i32.shl ${a} ${c32(bits)})`;
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
