/**
 * Exact raw similarities over the stored vectors, in f64: the numbers that a search returns. Two
 * vectors of the same codes and scale have the same similarity to the last bit.
 */
import type { CodedQuery } from './coded-query.ts';
import type { StoredVectors } from './stored-vectors.ts';

/**
 * The raw similarity of a query and the vector in a slot: their cosine (0 for a query of length 0),
 * their dot product, or the square of their distance, negated. `scratch` has the dimensions of the
 * field; a loop over slots passes the same array each time.
 */
export function similarityAt(
  reader: StoredVectors,
  query: CodedQuery,
  slot: number,
  scratch: Int16Array,
): number {
  const codes = reader.codes(slot, scratch);
  if (reader.metric === 'l2') return -squaredDistance(codes, reader.scales[slot], query.values);
  const dot = dotProduct(codes, query.values);
  if (reader.metric === 'dot') return reader.scales[slot] * dot;
  return query.norm === 0 ? 0 : dot / (query.norm * reader.norms[slot]);
}

/**
 * Sum of query x codes. Four sums side by side, for components 0, 4, 8 …, 1, 5, 9 …, and so on, are
 * added at the end. The order of the additions is part of the result.
 */
function dotProduct(codes: Int16Array, query: Float32Array): number {
  const dims = codes.length;
  const whole = dims & -4;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = 0; i < whole; i += 4) {
    a += query[i] * codes[i];
    b += query[i + 1] * codes[i + 1];
    c += query[i + 2] * codes[i + 2];
    d += query[i + 3] * codes[i + 3];
  }
  for (let i = whole; i < dims; i++) a += query[i] * codes[i];
  return a + b + (c + d);
}

function squaredDistance(codes: Int16Array, scale: number, query: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < codes.length; i++) {
    const apart = query[i] - scale * codes[i];
    sum += apart * apart;
  }
  return sum;
}
