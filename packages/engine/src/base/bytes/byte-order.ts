/**
 * The smallest bytes above everything that begins with `prefix`; null: there are none (`prefix` is
 * empty, or only bytes 255).
 */
export function successor(prefix: Uint8Array): Uint8Array | null {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 255) length--;
  if (length === 0) return null;
  // A Buffer's slice would share the bytes that are changed here.
  const next = Uint8Array.from(prefix.subarray(0, length));
  next[length - 1]++;
  return next;
}

/**
 * Order of a[aFrom .. aTo) against b[bFrom .. bTo) as unsigned bytes: negative, 0 or positive. A
 * prefix comes first.
 */
export function compareBytes(
  a: Uint8Array,
  aFrom: number,
  aTo: number,
  b: Uint8Array,
  bFrom: number,
  bTo: number,
): number {
  const shared = Math.min(aTo - aFrom, bTo - bFrom);
  for (let i = 0; i < shared; i++) {
    const order = a[aFrom + i] - b[bFrom + i];
    if (order !== 0) return order;
  }
  return aTo - aFrom - (bTo - bFrom);
}
