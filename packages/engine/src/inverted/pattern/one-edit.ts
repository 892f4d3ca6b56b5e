/** Bytes of a UTF-8 character by its first byte. */
const charBytes = (lead: number): number =>
  lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

const isInside = (byte: number): boolean => (byte & 0xc0) === 0x80;

/**
 * True where a[0 .. n) and b[0 .. m), both UTF-8, are equal or one edit apart: a code point
 * inserted, deleted, replaced, or two neighbours swapped. What both begin and end with is set
 * aside, whole characters only; an edit is what little is left between.
 */
export function isOneEdit(a: Uint8Array, n: number, b: Uint8Array, m: number): boolean {
  const least = n < m ? n : m;
  let p = 0;
  while (p < least && a[p] === b[p]) p++;
  if (p === n && p === m) return true;
  while (p > 0 && ((p < n && isInside(a[p])) || (p < m && isInside(b[p])))) p--;
  let s = 0;
  const room = least - p;
  while (s < room && a[n - 1 - s] === b[m - 1 - s]) s++;
  while (s > 0 && isInside(a[n - s])) s--;
  const x = n - p - s;
  const y = m - p - s;
  const one = (x === 0 || charBytes(a[p]) === x) && (y === 0 || charBytes(b[p]) === y);
  return one || (x === y && isSwap(a, b, p, x));
}

/** True where a[p .. p + size) is two characters, and b has them the other way round. */
function isSwap(a: Uint8Array, b: Uint8Array, p: number, size: number): boolean {
  const first = charBytes(a[p]);
  const second = charBytes(b[p]);
  if (first + second !== size) return false;
  for (let i = 0; i < first; i++) if (a[p + i] !== b[p + second + i]) return false;
  for (let i = 0; i < second; i++) if (b[p + i] !== a[p + first + i]) return false;
  return true;
}
