/** Parts that have all shards: none whose shards others have, those with the most first. */
export function withoutCopies<T extends { readonly ordinals: readonly number[] }>(
  parts: readonly T[],
): readonly T[] {
  const held = new Set<number>();
  return parts
    .toSorted((a, b) => b.ordinals.length - a.ordinals.length)
    .filter(({ ordinals }) => {
      const isCopy = ordinals.every((shard) => held.has(shard));
      for (const shard of ordinals) held.add(shard);
      return !isCopy;
    });
}
