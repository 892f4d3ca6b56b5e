import type { VectorCounts } from '@lakehouse-search/contract';
import type { FixedVectors } from '../../base/fixed-vector.ts';
import type { FieldBlock } from '../../schema/field-block.ts';

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

/** The vectors of a VECTOR field: one a document, or none. */
export type VectorBlock = Extract<FieldBlock, { kind: 'vector' }>;

/**
 * One vector a value, of documents that have at most one value each: a vector with scale 0 is none.
 * The codes may be shared, and are moved together in place where some are none.
 */
export function vectorBlock(
  starts: Int32Array,
  dims: number,
  { scales, codes }: FixedVectors,
): VectorBlock {
  if (!scales.includes(0)) return { kind: 'vector', starts, dims, scales, codes };
  const kept = new Int32Array(starts.length);
  let count = 0;
  for (let doc = 0; doc + 1 < starts.length; doc++) {
    const value = starts[doc];
    if (value < starts[doc + 1] && scales[value] !== 0) {
      scales[count] = scales[value];
      codes.copyWithin(count * dims, value * dims, (value + 1) * dims);
      count++;
    }
    kept[doc + 1] = count;
  }
  return {
    kind: 'vector',
    starts: kept,
    dims,
    scales: scales.subarray(0, count),
    codes: codes.subarray(0, count * dims),
  };
}
