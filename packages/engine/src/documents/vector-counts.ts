import type { VectorCounts } from '@lakehouse-search/contract';

/** The sum of two counts. */
export function addVectorCounts(a: VectorCounts, b: VectorCounts): VectorCounts {
  const embeddings = a.embeddings ?? b.embeddings;
  const without = new Map(Object.entries(a.without_vector ?? {}));
  for (const [field, count] of Object.entries(b.without_vector ?? {})) {
    without.set(field, (without.get(field) ?? 0) + count);
  }
  return {
    ...(embeddings === undefined ? {} : { embeddings: addEmbeddings(a, b) }),
    ...(without.size === 0 ? {} : { without_vector: Object.fromEntries(without) }),
  };
}

function addEmbeddings(a: VectorCounts, b: VectorCounts): NonNullable<VectorCounts['embeddings']> {
  return {
    reused: (a.embeddings?.reused ?? 0) + (b.embeddings?.reused ?? 0),
    computed: (a.embeddings?.computed ?? 0) + (b.embeddings?.computed ?? 0),
  };
}
