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
