/**
 * What a search answers: raw similarities over the stored vectors, in f64. Two vectors of the same
 * codes and scale have the same similarity to the last bit.
 */
import type { CodedQuery } from './coded-query.ts';
import type { VectorReader } from './vector-reader.ts';

/**
 * The raw similarity of a query and the vector in a slot: their cosine (0 for a query of length 0),
 * their dot product, or the square of their distance, negated.
 */
export function similarityAt(reader: VectorReader, query: CodedQuery, slot: number): number {
  if (reader.metric === 'l2') return -squaredDistance(reader, query.values, slot);
  const dot = dotProduct(reader, query.values, slot);
  if (reader.metric === 'dot') return reader.scales[slot] * dot;
  return query.norm === 0 ? 0 : dot / (query.norm * reader.norms[slot]);
}

/**
 * Sum of query x codes. Four sums side by side, for components 0, 4, 8 …, 1, 5, 9 …, and so on, are
 * added at the end: a part of what the order of a sum is.
 */
function dotProduct(reader: VectorReader, query: Float32Array, slot: number): number {
  const { dims, codesHigh: high, low } = reader;
  const h = slot * reader.row;
  const l = slot * dims;
  const whole = dims & -4;
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < whole; i += 4) {
    a += query[i] * (256 * high[h + i] + low[l + i]);
    b += query[i + 1] * (256 * high[h + i + 1] + low[l + i + 1]);
    c += query[i + 2] * (256 * high[h + i + 2] + low[l + i + 2]);
    d += query[i + 3] * (256 * high[h + i + 3] + low[l + i + 3]);
  }
  for (let i = whole; i < dims; i++) a += query[i] * (256 * high[h + i] + low[l + i]);
  return a + b + (c + d);
}

function squaredDistance(reader: VectorReader, query: Float32Array, slot: number): number {
  const { dims, codesHigh: high, low } = reader;
  const scale = reader.scales[slot];
  const h = slot * reader.row;
  const l = slot * dims;
  let sum = 0;
  for (let i = 0; i < dims; i++) {
    const apart = query[i] - scale * (256 * high[h + i] + low[l + i]);
    sum += apart * apart;
  }
  return sum;
}
