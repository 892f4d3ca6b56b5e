/**
 * How a flattened VARIANT column is indexed. For the variant column `meta` an index has two fields:
 *
 * - `meta`: TEXT, the string leaves, one value a leaf (phrases do not cross leaves);
 * - `meta#paths`: KEYWORD, one term a leaf, scalar array elements included: `<path> 0x00 <value>`
 *   in UTF-8.
 *
 * `<path>` is the object keys from the root joined by "."; arrays add nothing. A 0x00 inside a key
 * is written as U+2400. `<value>` is the leaf's canonical text: strings as they are; booleans
 * `true`, `false`; a variant null `null`; numbers of every width as the shortest decimal text (`1`,
 * `12.5`, `1e+21`), so that 1, 1.0 and 1.00 are one term; dates, times and timestamps as ISO-8601
 * with microseconds (`Z` where they are instants); binary as base64.
 */
const SEPARATOR = '\u0000';

/** The name of the hidden KEYWORD field that holds a variant column's path terms. */
export function pathField(column: string): string {
  return `${column}#paths`;
}

/** The column whose path terms a hidden field holds. */
export const columnOfPaths = (field: string): string => field.slice(0, -pathField('').length);

/** The path and the value of a path term. */
export function partsOfTerm(term: string): { readonly path: string; readonly value: string } {
  const at = term.indexOf(SEPARATOR);
  return { path: term.slice(0, at), value: term.slice(at + 1) };
}

/** The term of `<path> = <value>`, to look up in `pathField(column)`. */
export function pathTerm(path: string, value: string): string {
  return pathPrefix(path) + value;
}

/** What every term of `path` begins with: `exists` and prefix queries on a path. */
export function pathPrefix(path: string): string {
  return escapePathKey(path) + SEPARATOR;
}

/**
 * The value texts under which a leaf that the user writes as `text` may be indexed: the text itself
 * and, where it is a number written in another way (`1.50`, `+1`, `1e3`), its canonical form.
 */
export function leafTexts(text: string): readonly string[] {
  const canonical = canonicalNumber(text);
  return canonical === null || canonical === text ? [text] : [text, canonical];
}

/** An object key in the form that a path has. */
export function escapePathKey(key: string): string {
  return key.includes(SEPARATOR) ? key.replaceAll(SEPARATOR, '\u2400') : key;
}

function canonicalNumber(text: string): string | null {
  const match = /^([+-]?)(\d{1,38})(?:\.(\d{0,38}))?$/.exec(text);
  if (match === null) {
    return /^[+-]?\d{1,38}(\.\d{0,38})?e[+-]?\d{1,3}$/i.test(text) ? String(Number(text)) : null;
  }
  const sign = match[1] === '-' ? -1n : 1n;
  const fraction = match[3] ?? '';
  return decimalText(sign * BigInt(match[2] + fraction), fraction.length);
}

/**
 * The shortest decimal text of unscaled * 10^-scale: no trailing zeros, no exponent, no minus zero.
 */
export function decimalText(unscaled: bigint, scale: number): string {
  const negative = unscaled < 0n;
  const digits = String(negative ? -unscaled : unscaled).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const text = fraction === '' ? whole : `${whole}.${fraction}`;
  return negative && text !== '0' ? `-${text}` : text;
}
