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
  next[length - 1]!++;
  return next;
}
